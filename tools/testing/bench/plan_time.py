#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long planning takes, and how much memory: plan_time.py LOOM FOLDER [OPTION...]

    --rows A,B      these rows of the table below only
    --long          growth up to 30,000 nodes instead of 10,000, and a decoder of 1.3 GB
    --seconds N     a plan is stopped after so much CPU time (60)
    --mib N         and when it asks for so much address space (4096)
    -- OPTION...    options of loom plan

Models are written to FOLDER by nets.py. Each plan is a process of its own, measured in CPU time and
by the most memory that it held. "kB/node" is how much more memory a node takes than at the first
size, without the file itself; "exponent" is how time grows from the size before to this one. Below
the table, some rows again with each value of an option: these have wall time as well, for threads.
"""
import argparse
import math
import os
import resource
import subprocess
import sys
import time

import nets

SIZES = (1000, 3000, 10000)

# kinds of nets.py whose number is that of nodes, and the others with their numbers
GROWTH = ("relu", "elementwise", "conv", "residual", "transformer")
SINGLE = (
    ("nas", (1,)), ("nas", (2,)), ("nas", (3,)),
    ("bifpn", ()), ("hrnet", ()), ("inception", ()),
    ("topk", (20, 1000)), ("topk", (100, 8400)), ("topk", (300, 8400)), ("topk", (1000, 100000)),
    ("topk", (512, 1024, 4096)), ("lstm", (100, 64)), ("gru", (100, 64)), ("lstm", (2048, 1)),
    ("wide_sum", (3000,)), ("dense", (600, 200)), ("decoder", (12,)),
    ("loop", (2048, 40)), ("doubling", (33,)), ("loop_doubling", (33,)), ("split", (30000,)),
    ("image", (65536, 16384)),
)
# repetition: four times as many identical layers
LONG = (("decoder", (48,)),)

# options with all of their values, and the rows that are planned with each
VARIED = (("--effort", "0123"),)
VARIED_ROWS = (("residual", (1000,)), ("nas", (1,)), ("lstm", (20, 64)))


def measure(args, kind, numbers, options=(), stdout=subprocess.DEVNULL):
    """Plans a model: the nodes of its file, MiB of it, CPU seconds, MiB, end and wall seconds."""
    path = os.path.join(args.folder, "-".join([kind, *map(str, numbers)]) + ".onnx")
    made = subprocess.run([sys.executable, nets.__file__, kind, path, *map(str, numbers)],
                          check=True, capture_output=True, text=True)

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (args.mib << 20, args.mib << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    log = path + ".log"
    begin = time.monotonic()
    with open(log, "w+b") as out:
        child = subprocess.Popen([args.loom, "plan", "--no-cache", path, *options, *args.options],
                                 preexec_fn=limits, stdin=subprocess.DEVNULL,
                                 stdout=stdout, stderr=out)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(log, errors="replace") as out:
        text = out.read().strip().splitlines()
    end = "planned"
    if child.returncode < 0:
        end = f"stopped by signal {-child.returncode}"
    elif child.returncode:
        end = f"status {child.returncode}"
        if text:
            end = text[-1].replace(f"loom: {os.path.basename(path)}: ", "")
    size = os.path.getsize(path)
    os.unlink(path)
    os.unlink(log)
    return (int(made.stdout), size / 2**20, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,
            end, wall)


def growth(args, kind):
    """A row for each size, until one has no plan."""
    before = first = None
    for size in SIZES + ((30000,) if args.long else ()):
        nodes, mib, cpu, peak, end, _ = measure(args, kind, (size,))
        exponent = slope = ""
        if before:
            times = max(cpu, .01) / max(before[1], .01)
            exponent = f"{math.log(times) / math.log(nodes / before[0]):.2f}"
            slope = f"{((peak - mib) - first[2]) * 1024 / (nodes - first[0]):.1f}"
        show(kind, size, nodes, mib, cpu, peak, slope, exponent, end)
        if end != "planned":
            break
        before = (nodes, cpu)
        first = first or (nodes, cpu, peak - mib)


def show(*cells):
    """A line of the table; numbers have their decimals."""
    kind, numbers, nodes, mib, cpu, peak, slope, exponent, end = cells
    print(f"{kind:<14} {numbers:>15} {nodes:>6} {mib:>8.1f} {cpu:>8.2f} {peak:>8.0f} {slope:>8} "
          f"{exponent:>8}  {end}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("loom")
    parser.add_argument("folder")
    parser.add_argument("--rows", default="")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--mib", type=int, default=4096)
    mine, options = sys.argv[1:], []
    if "--" in mine:
        mine, options = mine[:mine.index("--")], mine[mine.index("--") + 1:]
    args = parser.parse_args(mine)
    args.options = options
    rows = args.rows.split(",") if args.rows else []
    os.makedirs(args.folder, exist_ok=True)
    print(f"{'network':<14} {'numbers':>15} {'nodes':>6} {'file MiB':>8} {'CPU s':>8} "
          f"{'peak MiB':>8} {'kB/node':>8} {'exponent':>8}  end")
    for kind in GROWTH:
        if not rows or kind in rows:
            growth(args, kind)
    for kind, numbers in SINGLE + (LONG if args.long else ()):
        if not rows or kind in rows:
            nodes, mib, cpu, peak, end, _ = measure(args, kind, numbers)
            show(kind, " ".join(map(str, numbers)), nodes, mib, cpu, peak, "", "", end)
    for option, values in VARIED:
        for kind, numbers in VARIED_ROWS:
            for value in values if not rows or option.strip("-") in rows else ():
                nodes, mib, cpu, peak, end, wall = measure(args, kind, numbers, (option, value))
                show(kind, f"{option} {value}", nodes, mib, cpu, peak, "", "",
                     f"{end} in {wall:.2f} s")


if __name__ == "__main__":
    main()
