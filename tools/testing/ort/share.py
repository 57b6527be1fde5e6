#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A row of the table of networks in Documentation/onnxruntime.rst.

    share.py		the head of the table
    share.py --rule	its last line
    share.py NAME LOG	a row, of what tools/testing/ort/host.c has said and the profile that it names

What Loom multiplies is what its engine has counted, in the events of its parts; what ONNX Runtime's
processor does is worked out here, from the shapes in its events.
"""

import json
import math
import re
import sys

ROW = "{:<20} {:>11} {:>5} {:>7} {:>7} {:>8} {:>8} {:>8}"
HEAD = (("network", "nodes", "parts", "nodes", "MACs", "million", "apart", "itself"),
        ("", "", "", "claimed", "claimed", "MACs", "", ""))
# cells of two lines have to begin at the same place
HEAD_ROW = ROW.replace(">", "<")
RULE = " ".join("=" * width for width in (20, 11, 5, 7, 7, 8, 8, 8))
PROVIDER = "LoomExecutionProvider"


def shapes(args, key):
    return [next(iter(one.values())) for one in args.get(key, []) if one]


def multiplied(args):
    """What a node of ONNX Runtime multiplies; weights that it has packed are in no list."""
    op = args["op_name"]
    ins, outs = shapes(args, "input_type_shape"), shapes(args, "output_type_shape")
    if not ins or not outs:
        return 0
    if "ConvTranspose" in op:
        return math.prod(ins[0]) * math.prod(ins[1]) // ins[1][0]
    if "Conv" in op:
        weights = next(s for s in ins[1:] if len(s) == len(ins[0]))
        return math.prod(outs[0]) * math.prod(weights) // weights[0]
    if op in ("LSTM", "GRU", "RNN"):
        steps, batch, width = ins[0]
        _, directions, _, hidden = outs[0]
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
        return steps * batch * directions * gates * hidden * (width + hidden)
    if "Gemm" in op or "MatMul" in op:
        return math.prod(outs[0]) * ins[0][-1]
    return 0


def counted(path):
    """What Loom has multiplied in a run, and what ONNX Runtime has."""
    with open(path) as file:
        events = json.load(file)
    ours = others = 0
    for event in events:
        args = event.get("args", {})
        if "macs" in args:
            ours += int(args["macs"])
        elif event.get("cat") == "Node" and event["name"].endswith("_kernel_time") and \
                args.get("provider") != PROVIDER:
            others += multiplied(args)
    return ours, others


def percent(part, whole):
    """What is next to nothing, or next to all, is not nothing or all."""
    if not whole:
        return "-"
    share = 100 * part / whole
    return f"{share:.0f} %" if share in (0, 100) or 1 <= share <= 99 else f"{share:.2g} %" \
        if share < 1 else f"{math.floor(share * 100) / 100:.2f} %"


def main(args):
    if not args:
        print(RULE, *(HEAD_ROW.format(*line).rstrip() for line in HEAD), RULE, sep="\n", flush=True)
        return 0
    if args == ["--rule"]:
        print(RULE)
        return 0
    name, log = args
    with open(log) as file:
        text = file.read()
    said = re.search(r"nodes (\d+) of (\d+), parts (\d+), apart (\S+), itself (\S+),", text)
    profile = re.search(r"^profile (.*)$", text, re.M)
    if not said or not profile:
        print(f"{name}: " + text.strip().split("\n")[-1], file=sys.stderr)
        return 1
    ours, others = counted(profile[1])
    claimed, nodes, parts = (int(said[i]) for i in (1, 2, 3))
    of = f"{claimed} of {nodes}" if claimed < nodes else str(nodes)
    print(ROW.format(name, of, parts, percent(claimed, nodes), percent(ours, ours + others),
                     f"{(ours + others) / 1e6:.1f}", said[4], said[5]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
