#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the demo's language model as ONNX, from weights that train has found.

	model.py WEIGHTS OUT.onnx [--bits 4] [--block 32]

With --bits 4, matrices are quantised: each block of 32 inputs of an output has a scale, and a
DequantizeLinear restores them. The table of characters, norms and biases stay floats. The graph is
that of tools/llm/gpt_model.py: any number of tokens, with a cache for keys and values.
"""
import argparse
import array
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gpt_model  # noqa: E402
from wrong_models import FLOAT, field  # noqa: E402

INT4, INT, OPSET = 22, 2, 21


def read(path):
    """Tensors by name: ([rows, columns], floats)."""
    tensors = {}
    with open(path, "rb") as file:
        while line := file.readline():
            name, rows, columns = line.decode().split()
            floats = array.array("f")
            floats.frombytes(file.read(4 * int(rows) * int(columns)))
            tensors[name] = [int(rows), int(columns)], floats
    return tensors


def integer(name, value):
    return field(5, field(1, name) + field(3, value) + field(20, INT))


def quantise(name, dims, floats, block):
    """A matrix as 4-bit integers and scales of blocks of rows, and the node that restores it."""
    rows, columns = dims
    scales, steps = array.array("f", bytes(4 * (rows // block) * columns)), []
    for row in range(rows):
        for column in range(columns):
            if row % block == 0:
                part = floats[row * columns + column:(row + block) * columns:columns]
                most = max(part, key=abs)
                # the largest becomes -8, the one step that has no opposite
                scales[row // block * columns + column] = most / -8 or 1
            step = round(floats[row * columns + column] / scales[row // block * columns + column])
            steps.append(max(-8, min(7, step)) & 15)
    packed = bytes(steps[i] | steps[i + 1] << 4 for i in range(0, len(steps), 2))
    gpt_model.constant(name + ".bits", INT4, dims, packed)
    gpt_model.constant(name + ".scale", FLOAT, [rows // block, columns], scales.tobytes())
    gpt_model.node("DequantizeLinear", name, f"{name}.bits {name}.scale",
                   integer("axis", 0) + integer("block_size", block))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights")
    parser.add_argument("out")
    parser.add_argument("--bits", type=int, choices=(4, 32), default=32)
    parser.add_argument("--block", type=int, choices=(16, 32, 64), default=32)
    args = parser.parse_args()
    tensors, numbers = read(args.weights), gpt_model.weights

    def weights(name, dims, mean, spread):
        if name not in tensors:
            return numbers(name, dims, mean, spread)
        shape, floats = tensors[name]
        if args.bits == 4 and len(dims) == 2 and name != "wte" and name != "wpe":
            quantise(name, shape, floats, args.block)
        else:
            gpt_model.constant(name, FLOAT, dims, floats.tobytes())
        return name

    gpt_model.weights = weights
    gpt_model.POSITIONS = tensors["wpe"][0][0]
    gpt_model.OPSET = OPSET
    sys.argv = [sys.argv[0], args.out]
    gpt_model.main()


if __name__ == "__main__":
    main()
