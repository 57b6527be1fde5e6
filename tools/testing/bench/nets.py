#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks of any size, as ONNX: nets.py KIND OUT.onnx [NUMBER...]

Without numbers, a kind has those of its function below. The same arguments make the same file.
Prints how many nodes the file has.
"""
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from wrong_models import BOOL, FLOAT, INT64, constant, field, graph, graph_attr, value_info

INT, INTS, TEXT = 2, 7, 3
UINT8, HALF, UINT4 = 2, 10, 21


class Net:
    """A network under construction; values are names."""

    def __init__(self, dims=None, seed=0):
        self.draw = random.Random(seed)
        self.nodes, self.consts, self.inputs, self.count = [], [], [], 0
        if dims:
            self.input("x", dims)

    def input(self, name, dims):
        """An input of the graph."""
        self.inputs.append(value_info(name, dims))
        return name

    def name(self):
        """A new name."""
        self.count += 1
        return f"v{self.count}"

    def elements(self, dtype, dims, size, mask=b"\xff", bits=b"\0"):
        """Random elements of so many bytes, one block of which is repeated: in each, the bits of
        mask are random, and those of bits are set."""
        width = len(mask)
        block = bytearray(self.draw.randbytes(min(size, width * 4093)))
        for i, byte in enumerate(block):
            block[i] = byte & mask[i % width] | bits[i % width]
        name = self.name()
        raw = (bytes(block) * (size // len(block) + 1))[:size]
        self.consts.append(constant(name, dims, dtype, raw))
        return name

    def const(self, *dims):
        """Random weights in [-1/16, 1/16): the upper byte is 0x3d or 0xbd."""
        return self.elements(FLOAT, dims, 4 * math.prod(dims), b"\xff\xff\x7f\x80", b"\0\0\0\x3d")

    def ints(self, *values, dims=None):
        """Integers, as shapes and indices are given."""
        name = self.name()
        raw = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
        self.consts.append(constant(name, [len(values)] if dims is None else dims, INT64, raw))
        return name

    def many(self, kind, inputs, count, **attrs):
        """A node of several results."""
        names = [self.name() for _ in range(count)]
        body = b"".join(field(1, one) for one in inputs) + b"".join(field(2, n) for n in names)
        domain, _, kind = kind.rpartition(".")
        body += field(3, f"{kind}.{self.count}") + field(4, kind) + field(7, domain)
        for key, value in attrs.items():
            if isinstance(value, bytes):
                attr = graph_attr(key, value)
            elif isinstance(value, str):
                attr = field(1, key) + field(4, value) + field(20, TEXT)
            elif isinstance(value, int):
                attr = field(1, key) + field(3, value % (1 << 64)) + field(20, INT)
            else:
                attr = field(1, key) + field(20, INTS)
                attr += b"".join(field(8, i % (1 << 64)) for i in value)
            body += field(5, attr)
        self.nodes.append(body)
        return names

    def node(self, kind, *inputs, **attrs):
        """A node of one result."""
        return self.many(kind, inputs, 1, **attrs)[0]

    def conv(self, value, channels, out, k=3, stride=1, relu=True):
        """A convolution, which keeps the size of maps if the stride is 1."""
        weights = self.const(out, channels, k, k)
        value = self.node("Conv", value, weights, kernel_shape=[k, k], strides=[stride, stride],
                          pads=[k // 2] * 4)
        return self.node("Relu", value) if relu else value

    def depthwise(self, value, channels, k=3):
        """A convolution by channel and one over channels."""
        value = self.node("Conv", value, self.const(channels, 1, k, k), kernel_shape=[k, k],
                          pads=[k // 2] * 4, group=channels)
        return self.conv(value, channels, channels, 1)

    def model(self, outputs):
        """The bytes of the file; outputs are (name, dims)."""
        body = graph(self.nodes, self.inputs, [value_info(*one) for one in outputs], self.consts)
        return (field(1, 8) + field(7, body) + field(8, field(1, "") + field(2, 17)) +
                field(8, field(1, "com.microsoft") + field(2, 1)))


# --- growth: the number is that of nodes ----------------------------------------------------------


def relu(nodes=1000):
    """A chain of the smallest operations."""
    net, value = Net([4]), "x"
    for _ in range(nodes):
        value = net.node("Relu", value)
    return net, [(value, [4])]


def elementwise(nodes=1000):
    """A chain of operations with as many bytes as a map of a real network."""
    dims = [1, 64, 32, 32]
    net, value = Net(dims), "x"
    for i in range(nodes):
        value = net.node(("Sigmoid", "Tanh", "Neg", "Abs")[i % 4], value)
    return net, [(value, dims)]


def conv(nodes=1000):
    """A chain of convolutions."""
    dims = [1, 16, 32, 32]
    net, value = Net(dims), "x"
    for _ in range(nodes):
        value = net.conv(value, 16, 16, relu=False)
    return net, [(value, dims)]


def residual(nodes=1000):
    """Blocks of five nodes: two convolutions with activations, and a sum."""
    dims = [1, 16, 32, 32]
    net, value = Net(dims), "x"
    for _ in range(nodes // 5):
        inner = net.conv(net.conv(value, 16, 16), 16, 16)
        value = net.node("Add", value, inner)
    return net, [(value, dims)]


def layer(net, value, tokens, d, heads):
    """A layer of a decoder: attention over all tokens, and two products; 25 nodes."""
    inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
    parts = []
    for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        part = net.node("Add", net.node("MatMul", inner, net.const(d, d)), net.const(d))
        part = net.node("Reshape", part, net.ints(1, tokens, heads, d // heads))
        parts.append(net.node("Transpose", part, perm=perm))
    score = net.node("Mul", net.node("MatMul", parts[0], parts[1]), net.const(1))
    score = net.node("MatMul", net.node("Softmax", score, axis=-1), parts[2])
    score = net.node("Reshape", net.node("Transpose", score, perm=[0, 2, 1, 3]),
                     net.ints(1, tokens, d))
    value = net.node("Add", value, net.node("MatMul", score, net.const(d, d)))
    inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
    inner = net.node("Relu", net.node("MatMul", inner, net.const(d, 4 * d)))
    return net.node("Add", value, net.node("MatMul", inner, net.const(4 * d, d)))


def decoder(layers=12, d=768, tokens=128, heads=12):
    """Identical layers, of different weights."""
    net, value = Net([1, tokens, d]), "x"
    for _ in range(layers):
        value = layer(net, value, tokens, d, heads)
    return net, [(value, [1, tokens, d])]


def transformer(nodes=1000):
    """Small layers of a transformer."""
    return decoder(nodes // 25, 32, 16, 2)


def mixer(blocks=6, tokens=196, d=256):
    """Blocks of an MLP-mixer: two products over the tokens, and two over the channels."""
    net, value = Net([1, tokens, d]), "x"
    for _ in range(blocks):
        inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
        inner = net.node("Transpose", inner, perm=[0, 2, 1])
        inner = net.node("Relu", net.node("MatMul", inner, net.const(tokens, d // 2)))
        inner = net.node("MatMul", inner, net.const(d // 2, tokens))
        value = net.node("Add", value, net.node("Transpose", inner, perm=[0, 2, 1]))
        inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
        inner = net.node("Relu", net.node("MatMul", inner, net.const(d, 4 * d)))
        value = net.node("Add", value, net.node("MatMul", inner, net.const(4 * d, d)))
    return net, [(value, [1, tokens, d])]


class Halves(Net):
    """A network of f16, whose matrices have 16 or 4 bits."""

    def __init__(self, bits):
        super().__init__()
        self.bits = bits

    def const(self, *dims):
        """Random weights in [-1/8, 1/8)."""
        return self.elements(HALF, dims, 2 * math.prod(dims), b"\xff\x80", b"\0\x2f")

    def lowest(self):
        """The least number of f16."""
        name = self.name()
        self.consts.append(constant(name, [], HALF, b"\xff\xfb"))
        return name

    def rows(self, count, d, index):
        """The row of a table that is at an index."""
        if self.bits == 16:
            return self.node("Gather", self.const(count, d), index)
        return self.node("com.microsoft.GatherBlockQuantized",
                         self.elements(UINT4, [count, d], count * d // 2), index,
                         self.const(count, d // 32), gather_axis=0, quantize_axis=1, block_size=32)

    def named(self, name, value):
        """The same value by another name."""
        self.nodes.append(field(1, value) + field(2, name) + field(3, name) + field(4, "Identity"))
        return name

    def product(self, value, k, n):
        """A product by a matrix of k by n."""
        if self.bits == 16:
            return self.node("MatMul", value, self.const(k, n))
        return self.node("com.microsoft.MatMulNBits", value,
                         self.elements(UINT8, [n, k // 32, 16], n * k // 2),
                         self.const(n * (k // 32)),
                         K=k, N=n, bits=4, block_size=32)


def gpt(layers=12, d=768, positions=1024, tokens=1, bits=16, vocabulary=50257):
    """The shape of GPT-2: one token with a cache, or the first ones, which fill it."""
    net, heads = Halves(bits), d // 64
    cached = tokens == 1
    for name in ("token", "position") if cached else ("token",):
        net.inputs.append(value_info(name, [tokens], INT64))
    value = net.rows(vocabulary, d, "token")
    outputs, numbers = [], net.ints(*range(positions))
    if cached:
        hit = net.node("Reshape", net.node("Equal", numbers, "position"),
                       net.ints(1, 1, positions, 1))
        seen = net.node("LessOrEqual", numbers, "position")
    else:
        seen = net.name()
        net.consts.append(constant(seen, [tokens, tokens], BOOL, b"".join(
            bytes([1] * (i + 1) + [0] * (tokens - 1 - i)) for i in range(tokens))))
    value = net.node("Reshape", value, net.ints(1, tokens, d))
    for i in range(layers):
        inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
        q, k, v = (net.node("Transpose", net.node("Reshape", net.node(
            "Add", net.product(inner, d, d), net.const(d)), net.ints(1, tokens, heads, 64)),
            perm=[0, 2, 1, 3]) for _ in range(3))
        both = []
        for what, new in (("k", k), ("v", v)):
            if cached:
                dims = [1, heads, positions, 64]
                net.inputs.append(value_info(f"past_{what}{i}", dims, HALF))
                new = net.node("Where", hit, new, f"past_{what}{i}")
            else:
                dims = [1, heads, tokens, 64]
            outputs.append((net.named(f"present_{what}{i}", new), dims, HALF))
            both.append(new)
        score = net.node("MatMul", q, net.node("Transpose", both[0], perm=[0, 1, 3, 2]))
        score = net.node("Mul", score, net.const(1))
        score = net.node("Where", seen, score, net.lowest())
        score = net.node("MatMul", net.node("Softmax", score, axis=-1), both[1])
        score = net.node("Reshape", net.node("Transpose", score, perm=[0, 2, 1, 3]),
                         net.ints(1, tokens, d))
        score = net.node("Add", net.product(score, d, d), net.const(d))
        value = net.node("Add", value, score)
        inner = net.node("LayerNormalization", value, net.const(d), net.const(d))
        inner = net.node("Add", net.product(inner, d, 4 * d), net.const(4 * d))
        inner = net.node("com.microsoft.FastGelu", inner)
        inner = net.node("Add", net.product(inner, 4 * d, d), net.const(d))
        value = net.node("Add", value, inner)
    value = net.node("LayerNormalization", value, net.const(d), net.const(d))
    outputs.append((net.product(value, d, vocabulary), [1, tokens, vocabulary], HALF))
    return net, outputs


# --- irregular networks: the number is a seed -----------------------------------------------------


def nas(seed=1, cells=9, inner=5, channels=16):
    """Cells of random operations, each of which reads two of the values before it in its cell."""
    dims = [1, channels, 32, 32]
    net = Net(dims, seed)
    before, last = "x", net.conv("x", channels, channels)
    for _ in range(cells):
        values, unread = [before, last], set()
        for _ in range(inner):
            pair = []
            for _ in range(2):
                value = net.draw.choice(values)
                unread.discard(value)
                kind = net.draw.choice(("conv", "depthwise", "large", "max", "mean", "same"))
                if kind == "conv":
                    value = net.conv(value, channels, channels)
                elif kind == "depthwise":
                    value = net.depthwise(value, channels)
                elif kind == "large":
                    value = net.depthwise(value, channels, 5)
                elif kind != "same":
                    value = net.node("MaxPool" if kind == "max" else "AveragePool", value,
                                     kernel_shape=[3, 3], pads=[1] * 4)
                pair.append(value)
            value = net.node("Add", *pair)
            values.append(value)
            unread.add(value)
        ends = [value for value in values if value in unread]
        cell = net.node("Concat", *ends, axis=1) if len(ends) > 1 else ends[0]
        before, last = last, net.conv(cell, channels * len(ends), channels, 1)
    return net, [(last, dims)]


def bifpn(rounds=4, channels=32, levels=5):
    """Maps of several sizes, which are summed downwards and upwards in each round."""
    net, size = Net(), 64
    maps = [net.input(f"x{i}", [1, channels, size >> i, size >> i]) for i in range(levels)]
    scales = net.name()
    net.consts.append(constant(scales, [4], FLOAT, bytes.fromhex("0000803f" * 2 + "00000040" * 2)))
    for _ in range(rounds):
        down = maps[:]
        for i in reversed(range(levels - 1)):
            up = net.node("Resize", down[i + 1], "", scales, mode="nearest",
                          coordinate_transformation_mode="asymmetric", nearest_mode="floor")
            down[i] = net.depthwise(net.node("Add", maps[i], up), channels)
        out = down[:]
        for i in range(1, levels):
            small = net.node("MaxPool", out[i - 1], kernel_shape=[2, 2], strides=[2, 2])
            out[i] = net.depthwise(net.node("Sum", maps[i], down[i], small), channels)
        maps = out
    return net, [(m, [1, channels, size >> i, size >> i]) for i, m in enumerate(maps)]


def hrnet(stages=4, channels=16, size=64):
    """Branches of several sizes, each stage one more, each of which reads all others."""
    net = Net([1, channels, size, size])
    scales, maps = {}, ["x"]
    for i in range(1, stages):
        scales[i] = net.name()
        raw = bytes.fromhex("0000803f" * 2) + (0x3f800000 + (i << 23)).to_bytes(4, "little") * 2
        net.consts.append(constant(scales[i], [4], FLOAT, raw))
    for stage in range(1, stages + 1):
        width = [channels << i for i in range(len(maps))]
        for i, value in enumerate(maps):
            for _ in range(2):
                inner = net.conv(net.conv(value, width[i], width[i]), width[i], width[i])
                value = net.node("Add", value, inner)
            maps[i] = value
        if stage == stages:
            break
        out = []
        for i in range(stage + 1):
            parts = []
            for j, value in enumerate(maps):
                for step in range(j, i):
                    value = net.conv(value, channels << step, channels << step + 1, stride=2)
                if i < j:
                    value = net.conv(value, width[j], channels << i, 1, relu=False)
                    value = net.node("Resize", value, "", scales[j - i], mode="nearest",
                                     coordinate_transformation_mode="asymmetric",
                                     nearest_mode="floor")
                parts.append(value)
            out.append(net.node("Relu", net.node("Sum", *parts) if len(parts) > 1 else parts[0]))
        maps = out
    return net, [(m, [1, channels << i, size >> i, size >> i]) for i, m in enumerate(maps)]


def inception(blocks=9, channels=32):
    """Four branches of each block, whose results are put together."""
    dims = [1, channels, 32, 32]
    net, value, part = Net(dims), "x", channels // 4
    for _ in range(blocks):
        pool = net.node("MaxPool", value, kernel_shape=[3, 3], pads=[1] * 4)
        value = net.node("Concat", net.conv(value, channels, part, 1),
                         net.conv(net.conv(value, channels, part, 1), part, part),
                         net.conv(net.conv(value, channels, part, 1), part, part, 5),
                         net.conv(pool, channels, part, 1), axis=1)
    return net, [(value, dims)]


# --- small files that ask for much ----------------------------------------------------------------


def dense(nodes=600, reads=200):
    """Sums of the values before them."""
    net, values = Net([4]), ["x"]
    for _ in range(nodes):
        values.append(net.node("Sum", *values[-reads:]))
    return net, [(values[-1], [4])]


def wide_sum(inputs=3000):
    """One sum of many inputs of the graph."""
    net = Net()
    value = net.node("Sum", *(net.input(f"x{i}", [4]) for i in range(inputs)))
    return net, [(value, [4])]


def lstm(steps=100, hidden=64, kind="LSTM"):
    """A recurrent node."""
    net, gates = Net([steps, 1, hidden]), 4 if kind == "LSTM" else 3
    value = net.node(kind, "x", net.const(1, gates * hidden, hidden),
                     net.const(1, gates * hidden, hidden), net.const(1, 2 * gates * hidden),
                     hidden_size=hidden)
    return net, [(value, [steps, 1, 1, hidden])]


def gru(steps=100, hidden=64):
    """Another."""
    return lstm(steps, hidden, "GRU")


def topk(k=20, n=1000, rows=1):
    """The largest of each row, and where they are."""
    net = Net([rows, n])
    values, indices = net.many("TopK", ["x", net.ints(k)], 2)
    indices = net.node("Cast", indices, to=FLOAT)
    return net, [(values, [rows, k]), (indices, [rows, k])]


def loop(trips=2048, nodes=40, doubling=0):
    """A Loop of activations, or of a value that becomes twice as long."""
    inner, value = Net(), "state"
    for _ in range(nodes):
        value = (inner.node("Concat", value, value, axis=0) if doubling else
                 inner.node("Sigmoid", value))
    more = inner.node("Identity", "cond")
    size = 4 << trips if doubling else 4
    body = graph(inner.nodes, [value_info("i", [], INT64), value_info("cond", [], BOOL),
                               field(1, "state")], [field(1, more), field(1, value)])
    net = Net([4])
    yes = net.name()
    net.consts.append(constant(yes, [], BOOL, b"\1"))
    value = net.node("Loop", net.ints(trips, dims=[]), yes, "x", body=body)
    return net, [(value, [size])]


def doubling(times=33):
    """Concat of a value with itself."""
    net, value = Net([1]), "x"
    for _ in range(times):
        value = net.node("Concat", value, value, axis=0)
    return net, [(value, [1 << times])]


def loop_doubling(times=33):
    """The same in a Loop."""
    return loop(times, 1, 1)


def growth(nodes=400, size=1 << 20):
    """Constants that become large when they are folded."""
    net = Net([4])
    size, one = net.ints(size), net.const(1)
    names = [net.node("Expand", one, size) for _ in range(nodes)]
    return net, [(name, [1 << 20]) for name in names]


def split(parts=30000):
    """One value in many parts."""
    net = Net([parts])
    names = net.many("Split", ["x"], parts, axis=0)
    return net, [(name, [1]) for name in names]


def image(height=65536, width=16384):
    """A large image through three convolutions."""
    net, value = Net([1, 1, height, width]), "x"
    for _ in range(3):
        value = net.conv(value, 1, 1, relu=False)
    return net, [(value, [1, 1, height, width])]


KINDS = {one.__name__: one for one in (
    relu, elementwise, conv, residual, transformer, decoder, mixer, gpt, nas, bifpn, hrnet, inception, dense,
    wide_sum, lstm, gru, topk, loop, doubling, loop_doubling, growth, split, image)}


def main():
    kind, path, numbers = sys.argv[1], sys.argv[2], [int(one) for one in sys.argv[3:]]
    net, outputs = KINDS[kind](*numbers)
    with open(path, "wb") as file:
        file.write(net.model(outputs))
    print(len(net.nodes))


if __name__ == "__main__":
    main()
