#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files with memory plans of other planners, right and wrong; and other files to be refused.

    plans.py DIR
"""

import os
import struct
import sys

import flat


def chain():
    """x (32 bytes) -> a (48) -> reshaped b (48) -> y (16), with a weight."""
    model = flat.Model()
    step = {"scales": [0.5], "zeros": [0]}
    x = model.tensor("x", [1, 2, 2, 8], **step)
    a = model.tensor("a", [1, 2, 2, 12], **step)
    b = model.tensor("b", [1, 48], **step)
    y = model.tensor("y", [1, 16], **step)
    w = model.const("w", [12, 1, 1, 8], flat.INT8, [1] * 96, scales=[0.5], zeros=[0])
    f = model.const("f", [16, 48], flat.INT8, [1] * 768, scales=[0.5], zeros=[0])
    v = model.tensor("v", [4], variable=True)
    model.op(flat.CONV, [x, w, -1], [a], {1: ("i", 1), 2: ("i", 1)})
    model.op(flat.RESHAPE, [a], [b], {0: flat.Scalars("i", [1, 48])})
    model.op(flat.FULLY_CONNECTED, [b, f, -1], [y])
    model.inputs, model.outputs = [x], [y]
    assert (x, a, b, y, w, f, v) == (0, 1, 2, 3, 4, 5, 6)
    return model


def diamond():
    """Two branches, of which the file has both wide parts before the narrow ones."""
    model = flat.Model()
    names = {"x": 16, "p": 160, "q": 160, "s": 16, "t": 16, "y": 16}
    number = {n: model.tensor(n, [1, c], flat.FLOAT32) for n, c in names.items()}

    def dense(source, target):
        shape = [names[target], names[source]]
        w = model.const(f"w_{target}", shape, flat.FLOAT32, [0.1] * (shape[0] * shape[1]))
        model.op(flat.FULLY_CONNECTED, [number[source], w, -1], [number[target]])

    for pair in (("x", "p"), ("x", "q"), ("p", "s"), ("q", "t")):
        dense(*pair)
    model.op(flat.ADD, [number["s"], number["t"]], [number["y"]])
    model.inputs, model.outputs = [number["x"]], [number["y"]]
    return model


def plan(*offsets, count=None):
    return struct.pack(f"<{3 + len(offsets)}i", 0, 1,
                       len(offsets) if count is None else count, *offsets)


PLANS = {
    "right": plan(48, 0, 48, 0, -1, -1, -1),
    # the result of the reshape lies where its operand does
    "shared": plan(48, 0, 0, 48, -1, -1, -1),
    "partly": plan(48, 0, -1, -1, -1, -1, -1),
    "overlap": plan(32, 0, 48, 0, -1, -1, -1),
    # half of a reshape is not where it was
    "shifted": plan(64, 0, 16, 64, -1, -1, -1),
    "odd": plan(48, 0, 56, 0, -1, -1, -1),
    "negative": plan(48, 0, -2, 0, -1, -1, -1),
    "constant": plan(48, 0, 48, 0, 96, -1, -1),
    "variable": plan(48, 0, 48, 0, -1, -1, 96),
    "few": plan(48, 0, 48, 0),
    "lies": plan(48, 0, 48, 0, -1, -1, -1, count=9),
    "short": b"\0\0\0\0\0\0\0",
}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, data in PLANS.items():
        model = chain()
        model.metadata = [("min_runtime_version", b"1.5.0\0"), ("OfflineMemoryAllocation", data)]
        model.save(os.path.join(folder, f"plan_{name}.tflite"))
    chain().save(os.path.join(folder, "chain.tflite"))
    diamond().save(os.path.join(folder, "diamond.tflite"))

    model = chain()
    model.operators[1] = (flat.CUSTOM, [1], [2], {}, "Who\tKnows", b"\1\2\3\4")
    model.save(os.path.join(folder, "custom.tflite"))
    model = chain()
    model.op(77 + 25, [3], [99])
    model.save(os.path.join(folder, "no_tensor.tflite"))
    model = chain()
    model.operators.reverse()
    model.save(os.path.join(folder, "backwards.tflite"))
    model = chain()
    model.tensors[4].data = b"\1" * 95
    model.save(os.path.join(folder, "few_weights.tflite"))
    # names that look like those which are made to differ from others
    model = chain()
    for tensor, name in zip(model.tensors, ("t", "t:2", "t", "t")):
        tensor.name = name
    model.save(os.path.join(folder, "names.tflite"))
    model = chain()
    model.tensors[0].scales = [-1.0]
    model.save(os.path.join(folder, "scale.tflite"))
    # a second beginning, which another signature would call; and a body, which the first one runs
    tables, other = chain().tables(), chain()
    other.outputs = [1]
    tables.fields[2] += other.tables().fields[2]
    with open(os.path.join(folder, "subgraphs.tflite"), "wb") as file:
        file.write(flat.serialise(tables))
    tables.fields[7] = [
        flat.Table({0: [flat.Table({0: "picture", 1: ("I", 0)})],
                    1: [flat.Table({0: "classes", 1: ("I", last)})],
                    2: key, 4: ("I", number)})
        for number, (key, last) in enumerate([("whole", chain().outputs[0]), ("begin", 1)])]
    with open(os.path.join(folder, "signatures.tflite"), "wb") as file:
        file.write(flat.serialise(tables))
    tables.fields[7][1].fields[4] = ("I", 7)
    with open(os.path.join(folder, "signature_nowhere.tflite"), "wb") as file:
        file.write(flat.serialise(tables))
    model = chain()
    model.op(flat.IF, [3, 3], [6])
    tables = model.tables()
    tables.fields[2] += other.tables().fields[2]
    with open(os.path.join(folder, "branches.tflite"), "wb") as file:
        file.write(flat.serialise(tables))
    tables = chain().tables()
    tables.fields[0] = ("I", 4)
    with open(os.path.join(folder, "version.tflite"), "wb") as file:
        file.write(flat.serialise(tables))
    data = bytearray(chain().bytes())
    struct.pack_into("<I", data, 0, 1 << 30)
    with open(os.path.join(folder, "root.tflite"), "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
