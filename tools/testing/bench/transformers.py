#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans of transformers beside their lower bounds: transformers.py LOOM FOLDER [ROW...]

Networks are those of nets.py. gpt is the shape of GPT-2 small: one token with a cache of 1024
positions, as states, or 128 tokens at once; matrices are f16, or have 4 bits and a scale of f16 for
32. "bound" is LB2. "CPU s" is that of planning by one thread, "MiB" the most memory that it held
beyond the file's. "weights" and "traffic" are those of 4 bits over those of f16.
"""
import argparse
import json
import os
import tempfile

import plan_time

STATES = [arg for i in range(12) for what in "kv"
          for arg in ("--state", f"present_{what}{i}=past_{what}{i}")]
CHIPS = ("soft", "bm1684x", "wormhole", "blackhole", "rk3588")

# name, kind and numbers of nets.py, options
ROWS = (
    *((f"transformer {kib}k", "decoder", (4, 256, 128, 8), ("--chip", "soft", "--sram", f"{kib}k"))
      for kib in (128, 32, 16)),
    ("mixer 32k", "mixer", (6,), ("--chip", "soft", "--sram", "32k")),
    *((f"decode {chip}", "gpt", (12, 768, 1024, 1, 16), ("--chip", chip, *STATES))
      for chip in CHIPS),
    *((f"decode 4 bits {chip}", "gpt", (12, 768, 1024, 1, 4), ("--chip", chip, *STATES))
      for chip in CHIPS),
    *((f"prefill {chip}", "gpt", (12, 768, 1024, 128, 16), ("--chip", chip)) for chip in CHIPS),
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("loom")
    parser.add_argument("folder")
    parser.add_argument("rows", nargs="*", help="beginnings of names")
    args = parser.parse_args()
    args.seconds, args.mib, args.options = 600, 16384, []
    os.makedirs(args.folder, exist_ok=True)
    print(f"{'row':<22} {'cycles':>10} {'/ bound':>7} {'DRAM MB':>8} {'/ bound':>7} {'CPU s':>6} "
          f"{'MiB':>6} {'weights':>8} {'traffic':>8}")
    halves = {}
    for name, kind, numbers, options in ROWS:
        if args.rows and not name.startswith(tuple(args.rows)):
            continue
        with tempfile.TemporaryFile("w+") as out:
            _, mib, cpu, peak, end, _ = plan_time.measure(
                args, kind, numbers, (*options, "--jobs", "1", "--json"), out)
            out.seek(0)
            text = out.read()
        if end != "planned":
            print(f"{name:<22} {end}", flush=True)
            continue
        plan = json.loads(text)
        least = plan["least"]
        moved = plan["dram_read_bytes"] + plan["dram_write_bytes"]
        must = least["dram_read_bytes"] + least["dram_write_bytes"]
        sizes = plan["weights_bytes"], moved
        before = halves.setdefault(name.replace(" 4 bits", ""), sizes)
        parts = "".join(f" {a / b:8.3f}" for a, b in zip(sizes, before)) if "4 bits" in name else ""
        print(f"{name:<22} {plan['cycles']:>10} {plan['cycles'] / least['held_cycles']:7.3f} "
              f"{moved / 1e6:8.1f} {moved / must:7.3f} {cpu:6.1f} {peak - mib:6.0f}{parts}",
              flush=True)


if __name__ == "__main__":
    main()
