#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models that have to be refused, because of what they refer to or how long they run.

	wrong_models.py FOLDER

Written field by field, so that nothing but Python is needed. All of them compute y of x, f32 [4].
"""
import os
import sys

FLOAT, INT64, BOOL = 1, 7, 9
ATTR_GRAPH = 5


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """A number, text, bytes, or the fields of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def value_info(name, dims, dtype=FLOAT):
    """@dims: sizes, and names of open ones."""
    shape = b"".join(field(1, field(2 if isinstance(dim, str) else 1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def node(op, inputs, outputs, *attrs):
    return (b"".join(field(1, name) for name in inputs) +
            b"".join(field(2, name) for name in outputs) + field(3, "the node") + field(4, op) +
            b"".join(field(5, attr) for attr in attrs))


def graph_attr(name, graph):
    return field(1, name) + field(6, graph) + field(20, ATTR_GRAPH)


def graph(nodes, inputs, outputs, constants=()):
    return (b"".join(field(1, one) for one in nodes) + field(2, "graph") +
            b"".join(field(5, one) for one in constants) +
            b"".join(field(11, one) for one in inputs) + b"".join(field(12, one) for one in outputs))


def constant(name, dims, dtype, raw):
    return b"".join(field(1, dim) for dim in dims) + field(2, dtype) + field(8, name) + field(9, raw)


def external(location, offset=0, length=16):
    entries = {"location": location, "offset": str(offset), "length": str(length)}
    return (field(1, 4) + field(2, FLOAT) + field(8, "w") + field(14, 1) +
            b"".join(field(13, field(1, key) + field(2, entry)) for key, entry in entries.items()))


def write(path, body):
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, body) + field(8, field(1, "") + field(2, 13)))


def sum_of(weights):
    x, y = value_info("x", [4]), value_info("y", [4])
    return graph([node("Add", ["x", "w"], ["y"])], [x], [y], [weights])


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = sys.argv[1]
    x, y = value_info("x", [4]), value_info("y", [4])

    with open(f"{folder}/w.bin", "wb") as file:
        file.write(bytes(12))
    with open(f"{folder}/good.bin", "wb") as file:
        file.write(bytes(16))
    if not os.path.islink(f"{folder}/link.bin"):
        os.symlink("/dev/null", f"{folder}/link.bin")
    write(f"{folder}/external.onnx", sum_of(external("good.bin")))
    write(f"{folder}/short_data.onnx", sum_of(external("w.bin")))
    write(f"{folder}/parent.onnx", sum_of(external("../good.bin")))
    write(f"{folder}/absolute.onnx", sum_of(external("/dev/null")))
    write(f"{folder}/symlink.onnx", sum_of(external("link.bin")))

    short = graph([node("ReduceSum", ["x"], ["r"])], [], [value_info("r", [1])])
    same = graph([node("Neg", ["x"], ["r"])], [], [value_info("r", [4])])
    write(f"{folder}/branches.onnx", graph(
        [node("If", ["c"], ["y"], graph_attr("then_branch", same),
              graph_attr("else_branch", short))],
        [x, value_info("c", [], BOOL)], [y]))

    body = graph([node("Identity", ["go"], ["on"]), node("Neg", ["v"], ["n"])],
                 [value_info("i", [], INT64), value_info("go", [], BOOL), value_info("v", [4])],
                 [value_info("on", [], BOOL), value_info("n", [4])])
    write(f"{folder}/endless.onnx", graph(
        [node("Loop", ["", "yes", "x"], ["y"], graph_attr("body", body))], [x], [y],
        [constant("yes", [], BOOL, b"\1")]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
