#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an ONNX model of many small nodes, without a library: net.py OUT.onnx NODES [hostile]

Convolutions and activations in turns, every fourth pair with a sum around it. With "hostile", the
names of nodes and values are what a page must not take for its own text.
"""
import struct
import sys

HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "\"><svg onload=alert(1)>",
    "<!--<script>",
    "';alert(1);//",
    "\\u003c/script\\u003e",
    "&lt;b&gt; &amp; \u202egnp.exe",
    "{\"plans\": []}",
    "]]>\u2028\u2029",
    "tab\there, line\nthere",
    "__proto__",
    "@DATA@ @TITLE@",
)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, values):
    return field(5, b"".join(field(1, dim) for dim in dims) + field(2, 1) + field(8, name) +
                 field(9, struct.pack(f"<{len(values)}f", *values)))


def value(number, name, dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))


def node(name, op, inputs, output):
    return field(1, b"".join(field(1, one) for one in inputs) + field(2, output) + field(3, name) +
                 field(4, op))


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    hostile = sys.argv[3:] == ["hostile"]
    channels, size = 16, 16

    def name(text, i):
        return f"{HOSTILE[i % len(HOSTILE)]}{text}{i}" if hostile else f"{text}.{i}"

    graph, weights = b"", b""
    last = skip = name("in", 0)
    first = last
    for i in range(count):
        out = name("v", i + 1)
        if i % 8 == 7:
            graph += node(name("add", i), "Add", [last, skip], out)
            skip = out
        elif i % 2:
            graph += node(name("tanh", i), "Tanh", [last], out)
        else:
            kernel = name("w", i)
            weights += tensor(kernel, (channels, channels, 1, 1),
                              [((i * 31 + k * 7) % 13 - 6) / 16 for k in range(channels * channels)])
            graph += node(name("conv", i), "Conv", [last, kernel], out)
        last = out
    graph += field(2, name("net", 0)) + weights
    graph += value(11, first, (1, channels, size, size)) + value(12, last, (1, channels, size, size))
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


main()
