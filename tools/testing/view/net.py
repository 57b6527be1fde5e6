#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an ONNX model of many small nodes, without a library: net.py OUT.onnx NODES [hostile]

Convolutions and activations in turns, every fourth pair with a sum around it. With "hostile", the
names of nodes and values are what a page must not take for its own text.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from wrong_models import FLOAT, constant, field, value_info, write

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
            values = [((i * 31 + k * 7) % 13 - 6) / 16 for k in range(channels * channels)]
            weights += field(5, constant(kernel, (channels, channels, 1, 1), FLOAT,
                                         struct.pack(f"<{len(values)}f", *values)))
            graph += node(name("conv", i), "Conv", [last, kernel], out)
        last = out
    graph += field(2, name("net", 0)) + weights
    dims = 1, channels, size, size
    write(path, graph + field(11, value_info(first, dims)) + field(12, value_info(last, dims)))


main()
