#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One operator at a time, with what the reference kernels of TensorFlow Lite give.

    operators.py DIR

Writes NAME.tflite, NAME.in and NAME.want, and prints a line NAME KIND MOST for each: how compare.py
compares them. What is wanted is worked out here by loops over indices, from the description of the
operators; floats are exact where nothing is rounded.
"""

import itertools
import math
import os
import random
import struct
import sys

import flat
import kernels

CASES = {}


def case(*args):
    """@args are those of the function that makes it."""
    def add(make):
        name = "_".join([make.__name__] + [str(a) for a in args]).replace(" ", "")
        CASES[name.replace("(", "").replace(")", "").replace(",", "x").replace("-", "m")] = \
            (make, args)
        return make
    return add


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def places(shape):
    return itertools.product(*(range(n) for n in shape))


class Array:
    """Elements by place."""

    def __init__(self, shape, values):
        self.shape = list(shape)
        self.at = dict(zip(places(shape), values))

    @classmethod
    def of(cls, shape, function):
        return cls(shape, [function(*place) for place in places(shape)])

    def list(self):
        return [self.at[p] for p in places(self.shape)]

    def __call__(self, *place):
        return self.at[place]


class One:
    """A model that is made: an input, or some, and one operator."""

    def __init__(self, seed):
        self.model, self.random, self.ins = flat.Model(), random.Random(seed), []

    def input(self, shape, kind=flat.FLOAT32, steps=None):
        count = math.prod(shape)
        if kind == flat.FLOAT32:
            values = [f32(self.random.uniform(-4, 4)) for _ in range(count)]
        else:
            values = [self.random.randint(-128, 127) for _ in range(count)]
        number = self.tensor("input", shape, kind, steps)
        self.model.inputs.append(number)
        self.ins.append((values, kind))
        array = Array(shape, values)
        array.number, array.steps = number, steps
        return array

    def tensor(self, name, shape, kind=flat.FLOAT32, steps=None):
        name = f"{name}{len(self.model.tensors)}"
        if not steps:
            return self.model.tensor(name, shape, kind)
        return self.model.tensor(name, shape, kind, None, [steps[0]], [steps[1]])

    def ints(self, values, shape=None):
        return self.model.const(f"ints{len(self.model.tensors)}",
                                [len(values)] if shape is None else shape, flat.INT32, values)

    def floats(self, array):
        return self.model.const(f"floats{len(self.model.tensors)}", array.shape, flat.FLOAT32,
                                array.list())

    def weights(self, shape):
        return Array(shape, [f32(self.random.uniform(-1, 1)) for _ in range(math.prod(shape))])

    def op(self, code, inputs, wanted, options=None, kind=flat.FLOAT32, steps=None):
        outs = [self.tensor("out", w.shape, kind, steps) for w in wanted]
        self.model.op(code, inputs, outs, options)
        # results one behind the other: the last one is what is compared, the others have a use
        self.model.outputs = outs
        self.wanted = wanted

    def save(self, path, kind):
        self.model.save(path + ".tflite")
        for i, (values, letter) in enumerate(self.ins):
            with open(f"{path}.in{i}", "wb") as file:
                file.write(struct.pack(f"{len(values)}{flat.LETTERS[letter]}", *values))
        for i, wanted in enumerate(self.wanted):
            with open(f"{path}.want{i}", "wb") as file:
                file.write(struct.pack(f"{len(wanted.at)}{kind}", *wanted.list()))


# --- where elements come from -------------------------------------------------------------------

def nearest(at, size, wanted, corners, half):
    """In floats of 32 bits, as the kernel: on the edge of two, its rounding decides."""
    scale = f32((size - 1) / (wanted - 1)) if corners and wanted > 1 else f32(size / wanted)
    place = f32(f32(at + (0.5 if half else 0)) * scale)
    index = kernels.round_away(place) if corners else math.floor(place)
    return max(min(index, size - 1), 0)


@case((3, 5), (6, 10), 0, 0)
@case((3, 5), (7, 4), 0, 0)
@case((5, 7), (11, 23), 0, 0)
@case((49, 31), (343, 93), 0, 0)
# halves of floats, which fall on one side here and on the other with a division
@case((2, 3), (82, 7), 0, 0)
@case((2, 2), (83, 95), 1, 0)
@case((2, 4), (47, 6), 0, 1)
@case((3, 5), (6, 10), 1, 0)
@case((5, 7), (9, 4), 1, 0)
@case((5, 4), (1, 9), 1, 0)
@case((3, 5), (6, 10), 0, 1)
@case((7, 5), (3, 13), 0, 1)
@case((41, 10), (123, 4), 0, 1)
def resize_nearest(net, size, wanted, corners, half, kind=flat.FLOAT32, steps=None):
    x = net.input([1, *size, 3], kind, steps)
    y = Array.of([1, *wanted, 3], lambda n, i, j, c: x(
        n, nearest(i, size[0], wanted[0], corners, half),
        nearest(j, size[1], wanted[1], corners, half), c))
    net.op(flat.RESIZE_NEAREST, [x.number, net.ints(wanted)], [y],
           {0: ("B", corners), 1: ("B", half)}, kind, steps)
    return 0


@case((5, 7), (9, 15), 0, 1)
@case((2, 7), (41, 15), 0, 1)
def resize_nearest_bytes(net, *args):
    resize_nearest(net, *args, flat.INT8, (0.04, -7))
    return 0


def linear(at, size, wanted, corners, half):
    """Two places, and how much the second counts."""
    scale = f32((size - 1) / (wanted - 1)) if corners and wanted > 1 else f32(size / wanted)
    place = f32(f32(f32(at + 0.5) * scale) - 0.5) if half else f32(at * scale)
    low = max(math.floor(place), 0)
    return low, min(math.ceil(place), size - 1) if place > 0 else 0, max(place - low, 0)


@case((3, 5), (6, 10), 0, 0)
@case((5, 4), (7, 3), 0, 0)
@case((3, 5), (6, 9), 1, 0)
@case((5, 4), (1, 3), 1, 0)
@case((3, 5), (6, 10), 0, 1)
@case((6, 9), (4, 5), 0, 1)
def resize_bilinear(net, size, wanted, corners, half):
    x = net.input([1, *size, 2])

    def value(n, i, j, c):
        top, bottom, v = linear(i, size[0], wanted[0], corners, half)
        left, right, h = linear(j, size[1], wanted[1], corners, half)
        return ((x(n, top, left, c) * (1 - h) + x(n, top, right, c) * h) * (1 - v) +
                (x(n, bottom, left, c) * (1 - h) + x(n, bottom, right, c) * h) * v)

    net.op(flat.RESIZE_BILINEAR, [x.number, net.ints(wanted)],
           [Array.of([1, *wanted, 2], value)], {2: ("B", corners), 3: ("B", half)})
    return 1e-6


# begin, end, strides; masks of begin, of end, of axes that go
@case((0, 1, 2, 0), (1, 6, 9, 3), (1, 2, 3, 1), 0, 0, 0)
@case((0, -5, -2, 0), (1, -1, 99, 2), (1, 1, 1, 1), 0, 0, 0)
@case((0, 5, 8, 2), (1, 0, 2, 0), (1, -2, -3, -1), 0, 0, 0)
@case((0, 5, 8, 2), (0, 1, 0, 0), (1, -1, -1, -1), 0b1101, 0b1101, 0)
@case((0, 3, -2, 0), (0, 0, 0, 0), (1, 1, 1, 1), 0b1001, 0b1001, 0b0110)
@case((0, -1, 3, 0), (1, 0, 7, 2), (1, 1, 2, 1), 0, 0b1000, 0b0010)
@case((0, 2), (1, 5), (1, 2), 0, 0, 0)
def strided_slice(net, begin, end, strides, no_begin, no_end, shrink):
    x = net.input([1, 7, 9, 3])
    ranges, kept = [], []
    for i, size in enumerate(x.shape):
        step = strides[i] if i < len(strides) else 1
        free = i >= len(begin)
        low, high = (0, size) if step > 0 else (-1, size - 1)
        first = (low if step > 0 else high) if free or no_begin >> i & 1 else begin[i]
        last = (high if step > 0 else low) if free or no_end >> i & 1 else \
            end[i] + size if end[i] < 0 else end[i]
        if not free and not no_begin >> i & 1:
            first = min(max(first + size if first < 0 else first, low), high)
        last = min(max(last, low), high)
        if shrink >> i & 1:
            last = first + 1
        else:
            kept.append(i)
        ranges.append(range(first, last, step))
    values = [x(*place) for place in itertools.product(*ranges)]
    y = Array([len(ranges[i]) for i in kept], values)
    net.op(flat.STRIDED_SLICE, [x.number, net.ints(begin), net.ints(end), net.ints(strides)], [y],
           {0: ("i", no_begin), 1: ("i", no_end), 4: ("i", shrink)})
    return 0


def cut(x, axis, first, count):
    shape = list(x.shape)
    shape[axis] = count
    return Array.of(shape, lambda *p: x(*(v + (first if i == axis else 0)
                                          for i, v in enumerate(p))))


@case(3, 3)
@case(1, 2)
@case(-2, 4)
def split(net, axis, count):
    x = net.input([1, 6, 8, 3])
    each = x.shape[axis] // count
    net.op(flat.SPLIT, [net.ints([axis], []), x.number],
           [cut(x, axis % 4, i * each, each) for i in range(count)], {0: ("i", count)})
    return 0


@case(2, (1, 5, 2))
@case(-1, (2, 1))
def split_v(net, axis, sizes):
    x = net.input([1, 6, 8, 3])
    net.op(flat.SPLIT_V, [x.number, net.ints(sizes), net.ints([axis], [])],
           [cut(x, axis % 4, sum(sizes[:i]), n) for i, n in enumerate(sizes)],
           {0: ("i", len(sizes))})
    return 0


@case(0)
@case(1)
@case(-1)
def pack(net, axis):
    ins = [net.input([3, 4, 2]) for _ in range(3)]
    place = axis % 4
    shape = ins[0].shape[:place] + [3] + ins[0].shape[place:]
    y = Array.of(shape, lambda *p: ins[p[place]](*p[:place], *p[place + 1:]))
    net.op(flat.PACK, [x.number for x in ins], [y], {0: ("i", 3), 1: ("i", axis)})
    return 0


@case(1)
@case(-1)
def unpack(net, axis):
    x = net.input([2, 3, 4])
    place = axis % 3
    shape = x.shape[:place] + x.shape[place + 1:]
    net.op(flat.UNPACK, [x.number],
           [Array.of(shape, lambda *p, i=i: x(*p[:place], i, *p[place:]))
            for i in range(x.shape[place])], {0: ("i", x.shape[place]), 1: ("i", axis)})
    return 0


@case((0, 2, 1, 3))
@case((0, 3, 1, 2))
@case((3, 2, 1, 0))
def transpose(net, perm):
    x = net.input([2, 3, 4, 5])
    y = Array.of([x.shape[p] for p in perm], lambda *p: x(*(p[perm.index(i)] for i in range(4))))
    net.op(flat.TRANSPOSE, [x.number, net.ints(perm)], [y])
    return 0


@case((0, 1, 2, 0), (1, 4, -1, 2))
def slice_(net, begin, size):
    x = net.input([1, 6, 5, 3])
    size = [n if s < 0 else s for s, n in zip(size, [x.shape[i] - begin[i] for i in range(4)])]
    y = Array.of(size, lambda *p: x(*(v + b for v, b in zip(p, begin))))
    net.op(flat.SLICE, [x.number, net.ints(begin), net.ints(size)], [y])
    return 0


@case(flat.PAD)
@case(flat.PADV2)
@case(flat.MIRROR_PAD)
def pad(net, code):
    x = net.input([1, 4, 5, 2])
    pads = [0, 0, 1, 3, 2, 0, 0, 1]

    def value(*place):
        real = [p - pads[2 * i] for i, p in enumerate(place)]
        if code == flat.MIRROR_PAD:
            real = [abs(r) if r < n else 2 * (n - 1) - r for r, n in zip(real, x.shape)]
        if all(0 <= r < n for r, n in zip(real, x.shape)):
            return x(*real)
        return 2.5 if code == flat.PADV2 else 0.0

    shape = [n + pads[2 * i] + pads[2 * i + 1] for i, n in enumerate(x.shape)]
    inputs = [x.number, net.ints(pads, [4, 2])]
    if code == flat.PADV2:
        inputs.append(net.floats(Array([], [2.5])))
    net.op(code, inputs, [Array.of(shape, value)], {0: ("b", 0)} if code == flat.MIRROR_PAD else {})
    return 0


@case(0, (2, 0))
@case(2, (3, 3, 1))
def gather(net, axis, which):
    x = net.input([3, 2, 4])
    shape = list(x.shape)
    shape[axis] = len(which)
    y = Array.of(shape, lambda *p: x(*(which[v] if i == axis else v for i, v in enumerate(p))))
    net.op(flat.GATHER, [x.number, net.ints(which)], [y], {0: ("i", axis)})
    return 0


@case(flat.DEPTH_TO_SPACE)
@case(flat.SPACE_TO_DEPTH)
def blocks(net, code):
    if code == flat.DEPTH_TO_SPACE:
        x = net.input([1, 3, 4, 8])
        y = Array.of([1, 6, 8, 2], lambda n, i, j, c: x(
            n, i // 2, j // 2, (i % 2 * 2 + j % 2) * 2 + c))
    else:
        x = net.input([1, 6, 4, 3])
        y = Array.of([1, 3, 2, 12], lambda n, i, j, c: x(
            n, i * 2 + c // 6, j * 2 + c // 3 % 2, c % 3))
    net.op(code, [x.number], [y], {0: ("i", 2)})
    return 0


# --- what computes ------------------------------------------------------------------------------

@case((1, 1, 3))
@case((5, 4, 3))
@case((1, 4, 1))
def prelu(net, shape):
    x = net.input([1, 5, 4, 3])
    slope = net.weights(shape)
    y = Array.of(x.shape, lambda n, *p: x(n, *p) if x(n, *p) >= 0 else
                 x(n, *p) * slope(*(v % s for v, s in zip(p, shape))))
    net.op(flat.PRELU, [x.number, net.floats(slope)], [y])
    return 1e-7


@case((3, 4), (6, 8), 3, 2, flat.SAME, True)
@case((3, 4), (5, 7), 3, 2, flat.SAME, False)
@case((3, 4), (7, 9), 3, 2, flat.VALID, True)
@case((4, 3), (12, 9), 2, 3, flat.SAME, True)
@case((3, 3), (8, 8), 2, 3, flat.VALID, False)
@case((3, 5), (3, 5), 4, 1, flat.SAME, True)
@case((5, 4), (6, 5), 2, 2, flat.SAME, False)
def transpose_conv(net, size, wanted, kernel, stride, padding, bias):
    """The padding is that of the convolution from the result's size to the data's."""
    x = net.input([1, *size, 3])
    w = net.weights([2, kernel, kernel, 3])
    b = net.weights([2])
    before = [kernels.window(n, kernel, stride, padding)[1] for n in wanted]
    y = Array([1, *wanted, 2], [b(o) if bias else 0.0 for *_, o in places([1, *wanted, 2])])
    for i, j, c, k, m, o in places([*size, 3, kernel, kernel, 2]):
        at = (0, i * stride - before[0] + k, j * stride - before[1] + m, o)
        if at in y.at:
            y.at[at] += x(0, i, j, c) * w(o, k, m, c)
    inputs = [net.ints([1, *wanted, 2]), net.floats(w), x.number]
    net.op(flat.TRANSPOSE_CONV, inputs + ([net.floats(b)] if bias else []), [y],
           {0: ("b", padding), 1: ("i", stride), 2: ("i", stride)})
    return 1e-6


@case((3, 4), (6, 8), 3, 2, flat.SAME)
def transpose_conv_bytes(net, size, wanted, kernel, stride, padding):
    steps, result = (f32(0.0235), -3), (f32(0.04), 5)
    x = net.input([1, *size, 3], flat.INT8, steps)
    shape, scales = [2, kernel, kernel, 3], [f32(0.011), f32(0.007)]
    w = Array(shape, [net.random.randint(-127, 127) for _ in range(math.prod(shape))])
    bias = [net.random.randint(-900, 900) for _ in range(2)]
    before = [kernels.window(n, kernel, stride, padding)[1] for n in wanted]
    y = Array([1, *wanted, 2], [bias[o] for *_, o in places([1, *wanted, 2])])
    for i, j, c, k, m, o in places([*size, 3, kernel, kernel, 2]):
        at = (0, i * stride - before[0] + k, j * stride - before[1] + m, o)
        if at in y.at:
            y.at[at] += (x(0, i, j, c) - steps[1]) * w(o, k, m, c)
    factors = [kernels.quantize_multiplier(steps[0] * s / result[0]) for s in scales]
    for at in y.at:
        y.at[at] = kernels.clamp(kernels.scale(y.at[at], factors[at[3]]) + result[1], (-128, 127))
    weights = net.model.const("weights", shape, flat.INT8, w.list(), scales=scales, axis=0)
    biases = net.model.const("bias", [2], flat.INT32, bias, scales=[1.0])
    net.op(flat.TRANSPOSE_CONV, [net.ints([1, *wanted, 2]), weights, x.number, biases], [y],
           {0: ("b", padding), 1: ("i", stride), 2: ("i", stride)}, flat.INT8, result)
    return 1


@case((3, 7, 5, 2), 2, 2)
def dilated(net, shape, dilation, multiple):
    """DEPTHWISE_CONV_2D with holes, and two results of each channel."""
    x = net.input([1, *shape[1:]])
    inside = shape[3]
    w = net.weights([1, 3, 3, inside * multiple])
    wide = 2 * dilation

    def value(n, i, j, o):
        return sum(x(n, i - wide // 2 + k * dilation, j - wide // 2 + m * dilation, o // multiple) *
                   w(0, k, m, o) for k in range(3) for m in range(3)
                   if 0 <= i - wide // 2 + k * dilation < x.shape[1] and
                   0 <= j - wide // 2 + m * dilation < x.shape[2])

    y = Array.of(x.shape[:3] + [inside * multiple], value)
    net.op(flat.DEPTHWISE, [x.number, net.floats(w), net.floats(Array([4], [0.0] * 4))], [y],
           {0: ("b", flat.SAME), 1: ("i", 1), 2: ("i", 1), 3: ("i", multiple), 5: ("i", dilation),
            6: ("i", dilation)})
    return 1e-6


@case(0, 0)
@case(1, 0)
@case(0, 1)
def batch_matmul(net, turn_a, turn_b):
    a = net.input([2, 4, 3] if turn_a else [2, 3, 4])
    b = net.input([2, 5, 4] if turn_b else [2, 4, 5])
    y = Array.of([2, 3, 5], lambda n, i, j: sum(
        (a(n, k, i) if turn_a else a(n, i, k)) * (b(n, j, k) if turn_b else b(n, k, j))
        for k in range(4)))
    net.op(flat.BATCH_MATMUL, [a.number, b.number], [y], {0: ("B", turn_a), 1: ("B", turn_b)})
    return 1e-6


def reduced(code, values):
    return {flat.MEAN: sum(values) / len(values), flat.SUM: sum(values), flat.REDUCE_MAX:
            max(values), flat.REDUCE_MIN: min(values), flat.REDUCE_PROD: math.prod(values)}[code]


@case(flat.MEAN, (1, 2), 1)
@case(flat.MEAN, (3,), 0)
@case(flat.SUM, (-1, 1), 0)
@case(flat.REDUCE_MAX, (2,), 1)
@case(flat.REDUCE_MIN, (0, 3), 0)
@case(flat.REDUCE_PROD, (3,), 1)
def reduce(net, code, axes, keep):
    x = net.input([1, 4, 5, 3])
    gone = [a % 4 for a in axes]
    shape = [1 if i in gone else n for i, n in enumerate(x.shape)]
    inner = [range(n) if i in gone else (0,) for i, n in enumerate(x.shape)]
    values = [reduced(code, [x(*(a + b for a, b in zip(p, q))) for q in itertools.product(*inner)])
              for p in places(shape)]
    net.op(code, [x.number, net.ints(axes)],
           [Array([n for i, n in enumerate(shape) if keep or i not in gone], values)],
           {0: ("B", keep)})
    return 1e-6


UNARY = {flat.ABS: abs, flat.NEG: lambda v: -v, flat.FLOOR: math.floor, flat.CEIL: math.ceil,
         flat.ROUND: round, flat.EXP: math.exp, flat.SIN: math.sin, flat.COS: math.cos,
         flat.SQUARE: lambda v: v * v, flat.ELU: lambda v: v if v >= 0 else math.expm1(v),
         flat.TANH: math.tanh, flat.LOGISTIC: lambda v: 1 / (1 + math.exp(-v)),
         flat.RELU_N1: lambda v: min(max(v, -1), 1), flat.RELU6: lambda v: min(max(v, 0), 6),
         flat.HARD_SWISH: lambda v: v * min(max(v + 3, 0), 6) / 6}


@case(*UNARY)
def unary(net, *codes):
    """Each of them of the same input, one result each."""
    x = net.input([1, 3, 4, 5])
    for code in codes:
        net.op(code, [x.number], [Array.of(x.shape, lambda *p, c=code: UNARY[c](x(*p)))])
        net.all_outs = getattr(net, "all_outs", []) + net.model.outputs
        net.all_wanted = getattr(net, "all_wanted", []) + net.wanted
    net.model.outputs, net.wanted = net.all_outs, net.all_wanted
    return 1e-6


BINARY = {flat.ADD: lambda a, b: a + b, flat.SUB: lambda a, b: a - b, flat.MUL: lambda a, b: a * b,
          flat.DIV: lambda a, b: a / b, flat.MAXIMUM: max, flat.MINIMUM: min,
          flat.SQUARED_DIFFERENCE: lambda a, b: (a - b) ** 2}


@case((1, 3, 4, 2))
@case((4, 1))
@case((2,))
@case(())
def binary(net, shape):
    """Each of them, with a second operand that is repeated."""
    x = net.input([1, 3, 4, 2])
    b = net.weights(list(shape))
    b.at = {p: v + (0.5 if v >= 0 else -0.5) for p, v in b.at.items()}
    b.at = {p: f32(v) for p, v in b.at.items()}
    number = net.floats(b)
    outs, wanted = [], []
    for code, function in BINARY.items():
        y = Array.of(x.shape, lambda *p, f=function: f(x(*p), b(*(
            v % n for v, n in zip(p[4 - len(shape):], shape)))))
        net.op(code, [x.number, number], [y])
        outs, wanted = outs + net.model.outputs, wanted + net.wanted
    net.model.outputs, net.wanted = outs, wanted
    return 1e-6


@case(0.125)
def leaky_relu(net, slope):
    x = net.input([1, 3, 4, 2])
    net.op(flat.LEAKY_RELU, [x.number], [Array.of(x.shape, lambda *p: x(*p) if x(*p) >= 0 else
                                                  slope * x(*p))], {0: ("f", slope)})
    return 1e-7


@case(0.5)
def softmax(net, beta):
    x = net.input([2, 3, 7])

    def value(i, j, k):
        return math.exp(beta * x(i, j, k)) / sum(math.exp(beta * x(i, j, m)) for m in range(7))

    net.op(flat.SOFTMAX, [x.number], [Array.of(x.shape, value)], {0: ("f", beta)})
    return 1e-6


@case(flat.MAXIMUM)
@case(flat.MINIMUM)
def bytes_exact(net, code):
    """Of bytes with the same steps: nothing is rounded."""
    steps = (0.04, -7)
    a, b = (net.input([1, 3, 4, 2], flat.INT8, steps) for _ in range(2))
    net.op(code, [a.number, b.number],
           [Array.of(a.shape, lambda *p: BINARY[code](a(*p), b(*p)))], {}, flat.INT8, steps)
    return 0


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for i, (name, (make, args)) in enumerate(CASES.items()):
        net = One(i)
        most = make(net, *args)
        kind = "b" if net.model.tensors[net.model.outputs[0]].kind == flat.INT8 else "f"
        net.save(os.path.join(folder, name), kind)
        print(name, kind, most, len(net.ins), len(net.wanted))


if __name__ == "__main__":
    main(sys.argv[1])
