#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans for a chip and for one that has more of one thing: the latter should not be slower.

    monotone.py LOOM FOLDER [PAIRS [FIRST [THING]]]

A pair is a random network of nets.py on a random chip, and on the same chip with more SRAM, rate,
lanes, multiply-accumulates or of everything. Prints each pair that is slower by more than 0.5 %,
and a summary by thing. The status is 1 if there is one.
"""
import json
import os
import random
import subprocess
import sys

import nets

MOST = 1.005
THINGS = ("sram", "dram_rate", "sram_rate", "lanes", "macs", "all")
CHIP = """name: {name}
extends: soft
overlap: {overlap}
dma: {{start: {dma}}}
compute: {{start: {compute}}}
memory:
  dram: {{read: {dram_rate}, write: {dram_rate}}}
  sram: {{banks: {lanes}, size: {sram}, sub_banks: 1, read: {sram_rate}, write: {sram_rate}}}
types:
  f32: {{macs: {macs}, ops: {ops}}}
"""


def network(draw):
    """A small network of a random kind."""
    kind = draw.choice(("nas", "nas", "bifpn", "hrnet", "inception", "residual", "conv", "decoder",
                        "tower"))
    if kind == "nas":
        return nets.nas(draw.randrange(1 << 30), draw.randint(1, 2), draw.randint(2, 4),
                        draw.choice((8, 16, 32)))
    if kind == "bifpn":
        return nets.bifpn(1, draw.choice((8, 16)), draw.randint(2, 3))
    if kind == "hrnet":
        return nets.hrnet(2, draw.choice((8, 16)), draw.choice((16, 32)))
    if kind == "inception":
        return nets.inception(draw.randint(1, 3), draw.choice((16, 32, 64)))
    if kind == "residual":
        return nets.residual(5 * draw.randint(1, 5))
    if kind == "conv":
        return nets.conv(draw.randint(2, 12))
    if kind == "decoder":
        return nets.decoder(1, draw.choice((32, 64)), draw.choice((16, 64)), 2)
    return tower(draw)


def tower(draw):
    """Convolutions as of a classifier: maps get smaller and weights larger."""
    channels, size = draw.choice((3, 8, 16)), draw.choice((24, 32, 48))
    net, value = nets.Net([1, channels, size, size], draw.randrange(1 << 30)), "x"
    for _ in range(draw.randint(3, 8)):
        stride = draw.choice((1, 1, 2)) if size > 4 else 1
        out = channels * stride
        if draw.random() < 0.3:
            value = net.depthwise(value, channels)
            stride, out = 1, channels
        else:
            value = net.conv(value, channels, out, draw.choice((1, 3)), stride)
        size, channels = (size + stride - 1) // stride, out
    return net, [(value, [1, channels, size, size])]


def chips(draw, thing):
    """A random chip and one with more of a thing: as dicts."""
    lanes = draw.choice((1, 1, 2, 2, 3, 4, 6, 8, 16))
    less = {"overlap": draw.choice(("yes", "yes", "yes", "no")), "dma": draw.choice((0, 20, 200)),
            "compute": draw.choice((0, 20, 200)), "dram_rate": draw.choice((1, 4, 16, 64)),
            "lanes": lanes, "sram": draw.choice((4096, 8192, 16384, 32768, 65536, 131072)),
            "sram_rate": draw.choice((16, 64)) * lanes, "macs": draw.choice((4, 16, 64)),
            "ops": draw.choice((4, 16, 64))}
    more = dict(less)
    if thing in ("sram", "all"):
        more["sram"] = less["sram"] * draw.choice((5, 6, 7, 8, 12, 16)) // 4
    if thing in ("dram_rate", "all"):
        more["dram_rate"] *= draw.choice((1.25, 1.5, 2, 4))
    if thing in ("lanes", "all"):
        more["lanes"] = draw.choice((lanes + 1, lanes * 2, lanes * 2))
        more["sram_rate"] = less["sram_rate"] // lanes * more["lanes"]
    if thing in ("sram_rate", "all"):
        more["sram_rate"] *= draw.choice((1.25, 1.5, 2, 4))
    if thing in ("macs", "all"):
        more["macs"] *= draw.choice((1.25, 1.5, 2, 4))
    return less, more


def plan(loom, folder, model, number, chip):
    """The figures of a plan; None: there is none."""
    path = os.path.join(folder, f"chip{number}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CHIP.format(name="random", **chip))
    done = subprocess.run([loom, "plan", model, "--chip", path, "--json"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        if "fit" not in done.stderr:
            sys.exit(f"{model}: {path}: {done.stderr}")
        return None
    return json.loads(done.stdout)


def compare(loom, folder, number, thing=None):
    """Plans of a pair. Returns the thing, what it was, and the ratio of cycles."""
    draw = random.Random(number)
    any_thing = draw.choice(THINGS)
    thing = thing or any_thing
    net, outputs = network(draw)
    less, more = chips(draw, thing)
    model = os.path.join(folder, f"net{number}.onnx")
    with open(model, "wb") as file:
        file.write(net.model(outputs))
    plans = [plan(loom, folder, model, f"{number}{end}", chip)
             for chip, end in ((less, "a"), (more, "b"))]
    if not plans[0]:
        return thing, "", None
    cycles = [one["cycles"] if one else float("inf") for one in plans]
    changed = ", ".join(f"{key} {less[key]} to {more[key]}" for key in less
                        if less[key] != more[key])
    return thing, f"{cycles[0]} to {cycles[1]} cycles, {changed}", cycles[1] / cycles[0]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    loom, folder = sys.argv[1:3]
    pairs, first = (int(one) for one in (sys.argv[3:5] + ["500", "0"][len(sys.argv[3:5]):]))
    only = sys.argv[5] if len(sys.argv) > 5 else None
    os.makedirs(folder, exist_ok=True)
    tally = {thing: [0, 0, 0.0] for thing in THINGS}
    for number in range(first, first + pairs):
        thing, text, ratio = compare(loom, folder, number, only)
        if ratio is None:
            continue
        row = tally[thing]
        row[0] += 1
        row[1] += ratio > MOST
        row[2] = max(row[2], ratio)
        if ratio > MOST:
            print(f"{number}: {thing}: {ratio:.4f}: {text}", flush=True)
    print(f"{'more':10} {'pairs':>6} {'slower':>6} {'worst':>7}")
    for thing, (count, slower, worst) in tally.items():
        print(f"{thing:10} {count:6} {slower:6} {worst:7.4f}")
    return any(row[1] for row in tally.values())


if __name__ == "__main__":
    sys.exit(main())
