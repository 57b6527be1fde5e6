#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks for the tests of TensorFlow Lite files.

    nets.py DIR

Small ones of bytes, NAME.tflite with NAME.in (an input) and NAME.want (what the reference kernels
give, see kernels.py); and some of the size that they have on microcontrollers, with weights of
zeroes, to plan their memory: big_NAME.tflite.
"""

import os
import random
import struct
import sys

import flat
import kernels


class Value:
    """A tensor with its number, shape, steps and, where that is worked out, its elements."""

    def __init__(self, number, shape, steps, data):
        self.number, self.shape, self.steps, self.data = number, shape, steps, data

    def rows(self):
        _, h, w, c = self.shape
        return [[self.data[(i * w + j) * c:(i * w + j + 1) * c] for j in range(w)]
                for i in range(h)]


def flatten(rows):
    return [v for row in rows for cell in row for v in cell]


class Net:
    def __init__(self, seed, shape, evaluate=True):
        self.model, self.random, self.evaluate = flat.Model(), random.Random(seed), evaluate
        count = 1
        for dim in shape:
            count *= dim
        data = [self.random.randint(-128, 127) for _ in range(count)] if evaluate else None
        self.input = self.value("input", shape, (0.0235, -3), data)
        self.model.inputs = [self.input.number]

    def value(self, name, shape, steps, data):
        name = f"{name}_{len(self.model.tensors)}" if name != "input" else name
        number = self.model.tensor(name, shape, flat.INT8, None, [steps[0]], [steps[1]])
        return Value(number, list(shape), steps, data)

    def weights(self, shape, channels, axis):
        """Bytes with a scale for each channel, a bias, and both as lists."""
        count = 1
        for dim in shape:
            count *= dim
        data = [self.random.randint(-127, 127) if self.evaluate else 0 for _ in range(count)]
        # so that results are neither all cut off nor all the same
        spread = 90 * (count / channels) ** 0.5
        scales = [struct.unpack("f", struct.pack("f", self.random.uniform(1, 2.5) / spread))[0]
                  for _ in range(channels)]
        bias = [self.random.randint(-900, 900) if self.evaluate else 0 for _ in range(channels)]
        number = len(self.model.tensors)
        w = self.model.const(f"w_{number}", shape, flat.INT8, data, scales=scales, axis=axis)
        b = self.model.const(f"b_{number}", [channels], flat.INT32, bias, scales=[1.0])
        return w, b, data, scales, bias

    def conv(self, x, channels, kernel, stride=1, act=flat.ACT_RELU6, padding=flat.SAME,
             depthwise=False, steps=None, multiple=1):
        kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        inside = x.shape[3]
        if depthwise:
            channels = inside * multiple
            shape, axis = [1, kh, kw, channels], 3
        else:
            shape, axis = [channels, kh, kw, inside], 0
        w, b, data, scales, bias = self.weights(shape, channels, axis)
        # 6 / 255: the activation cuts off just the values that do not fit, but for a caller's steps
        steps = steps or ((6 / 255, -128) if act else (0.05, 4))
        steps = (struct.unpack("f", struct.pack("f", steps[0]))[0], steps[1])
        y = None
        if self.evaluate:
            if depthwise:
                lists = [[data[(k * kw + m) * channels:(k * kw + m + 1) * channels]
                          for m in range(kw)] for k in range(kh)]
            else:
                lists = [[[data[((o * kh + k) * kw + m) * inside:][:inside] for m in range(kw)]
                          for k in range(kh)] for o in range(channels)]
            y = flatten(kernels.conv(x.rows(), x.steps, lists, bias, scales, steps, stride,
                                     padding, act, depthwise))
        out_h = kernels.window(x.shape[1], kh, stride, padding)[0]
        out_w = kernels.window(x.shape[2], kw, stride, padding)[0]
        out = self.value("conv", [1, out_h, out_w, channels], steps, y)
        options = {0: ("b", padding), 1: ("i", stride), 2: ("i", stride)}
        if depthwise:
            options.update({3: ("i", multiple), 4: ("b", act)})
        else:
            options[3] = ("b", act)
        self.model.op(flat.DEPTHWISE if depthwise else flat.CONV, [x.number, w, b], [out.number],
                      options)
        return out

    def pool(self, x, kernel, stride=None, mean=True, padding=flat.VALID):
        stride = stride or kernel
        data = None
        if self.evaluate:
            data = flatten(kernels.pool(x.rows(), kernel, stride, padding, mean))
        shape = [1] + [kernels.window(s, kernel, stride, padding)[0] for s in x.shape[1:3]]
        out = self.value("pool", shape + x.shape[3:], x.steps, data)
        self.model.op(flat.AVERAGE_POOL if mean else flat.MAX_POOL, [x.number], [out.number],
                      {0: ("b", padding), 1: ("i", stride), 2: ("i", stride), 3: ("i", kernel),
                       4: ("i", kernel)})
        return out

    def binary(self, a, b, code, act=flat.NONE, steps=(0.047, -11)):
        function = kernels.add if code == flat.ADD else kernels.mul
        steps = (struct.unpack("f", struct.pack("f", steps[0]))[0], steps[1])
        data = function(a.data, a.steps, b.data, b.steps, steps, act) if self.evaluate else None
        out = self.value("sum", a.shape, steps, data)
        self.model.op(code, [a.number, b.number], [out.number], {0: ("b", act)})
        return out

    def dense(self, x, size, act=flat.NONE, steps=(0.09, 7), channels=False):
        inside = x.shape[-1]
        w, b, data, scales, bias = self.weights([size, inside], size, 0)
        if not channels:
            # one scale for all, as files before 2021 have it
            scales = scales[:1]
            self.model.tensors[w].scales, self.model.tensors[w].zeros = scales, [0]
        steps = (struct.unpack("f", struct.pack("f", steps[0]))[0], steps[1])
        y = None
        if self.evaluate:
            rows = [data[o * inside:(o + 1) * inside] for o in range(size)]
            y = kernels.fully_connected(x.data, x.steps, rows, bias, scales, steps, act)
        out = self.value("dense", [1, size], steps, y)
        self.model.op(flat.FULLY_CONNECTED, [x.number, w, b], [out.number], {0: ("b", act)})
        return out

    def reshape(self, x, shape):
        out = self.value("flat", shape, x.steps, x.data)
        self.model.op(flat.RESHAPE, [x.number], [out.number], {0: flat.Scalars("i", shape)})
        return out

    def function(self, x, code, function, steps):
        data = function(x.data, x.steps, steps) if self.evaluate else None
        out = self.value("function", x.shape, steps, data)
        self.model.op(code, [x.number], [out.number],
                      {0: ("f", 1.0)} if code == flat.SOFTMAX else {})
        return out

    def softmax(self, x):
        return self.function(x, flat.SOFTMAX, kernels.softmax, (1 / 256, -128))

    def concat(self, values):
        shape = values[0].shape[:3] + [sum(v.shape[3] for v in values)]
        data = None
        if self.evaluate:
            data = flatten([[sum((v.rows()[i][j] for v in values), []) for j in range(shape[2])]
                            for i in range(shape[1])])
        out = self.value("concat", shape, values[0].steps, data)
        self.model.op(flat.CONCATENATION, [v.number for v in values], [out.number],
                      {0: ("i", 3)})
        return out

    def pad(self, x, border):
        shape = [1, x.shape[1] + 2 * border, x.shape[2] + 2 * border, x.shape[3]]
        data = None
        if self.evaluate:
            empty, rows = [x.steps[1]] * shape[3], x.rows()
            data = flatten([[rows[i - border][j - border]
                             if border <= i < border + x.shape[1] and
                             border <= j < border + x.shape[2] else empty
                             for j in range(shape[2])] for i in range(shape[1])])
        out = self.value("pad", shape, x.steps, data)
        sizes = self.model.const(f"pads_{out.number}", [4, 2], flat.INT32,
                                 [0, 0, border, border, border, border, 0, 0])
        self.model.op(flat.PAD, [x.number, sizes], [out.number])
        return out

    def save(self, path, output):
        self.model.outputs = [output.number]
        self.model.save(path + ".tflite")
        if self.evaluate:
            for end, value in ((".in", self.input), (".want", output)):
                with open(path + end, "wb") as file:
                    file.write(struct.pack(f"{len(value.data)}b", *value.data))
        return len(self.model.operators)


# --- small ones --------------------------------------------------------------------------------

def mobile(net):
    x = net.conv(net.input, 8, 3, 2)
    x = net.conv(x, 0, 3, 1, depthwise=True)
    x = net.conv(x, 12, 1, act=flat.NONE)
    x = net.conv(x, 0, 3, 2, depthwise=True, multiple=2, act=flat.ACT_RELU)
    x = net.conv(x, 10, 1)
    x = net.pool(x, 3)
    x = net.reshape(x, [1, 10])
    return net.softmax(net.dense(x, 6))


def residual(net):
    x = net.conv(net.input, 8, 3)
    y = net.conv(net.conv(x, 8, 3), 8, 3, act=flat.NONE)
    x = net.binary(x, y, flat.ADD, flat.ACT_RELU, (0.05, -128))
    y = net.conv(net.conv(x, 12, 3, 2), 12, 3, act=flat.NONE)
    x = net.binary(net.conv(x, 12, 1, 2, act=flat.NONE), y, flat.ADD, flat.ACT_RELU, (0.06, -128))
    x = net.pool(x, x.shape[1])
    return net.softmax(net.dense(net.reshape(x, [1, 12]), 10))


def words(net):
    x = net.conv(net.input, 6, (5, 3), 2)
    for _ in range(2):
        x = net.conv(net.conv(x, 0, 3, depthwise=True), 6, 1)
    x = net.reshape(x, [1, x.shape[1] * x.shape[2] * 6])
    return net.softmax(net.dense(x, 12))


def auto(net):
    x = net.input
    for size in (24, 24, 6, 24):
        x = net.dense(x, size, flat.ACT_RELU, (0.03, -128), channels=True)
    return net.dense(x, 40, steps=(0.07, 3))


def branches(net):
    x = net.conv(net.input, 6, 3, 2)
    big = net.conv(x, 18, 1)
    other = net.conv(x, 18, 1)
    small = net.pool(big, 2, mean=False)
    tiny = net.pool(other, 2)
    x = net.concat([small, tiny, net.pool(x, 2, mean=False)])
    # steps that do not cut off what an activation does: it is one of its own
    return net.conv(net.pad(x, 1), 5, 3, padding=flat.VALID, steps=(0.04, -20))


def gates(net):
    import math
    a = net.conv(net.input, 4, 3, act=flat.NONE, steps=(0.03, 10))
    b = net.conv(net.input, 4, 1, act=flat.NONE, steps=(0.02, -30))
    a = net.function(a, flat.TANH, lambda v, p, q: kernels.real(math.tanh, v, p, q), (1 / 128, 0))
    x = net.binary(a, b, flat.MUL, steps=(0.021, 2))
    x = net.pool(x, 3, 1, padding=flat.SAME)
    x = net.function(x, flat.LOGISTIC, lambda v, p, q: kernels.real(sigmoid, v, p, q),
                     (1 / 256, -128))
    return net.function(x, flat.HARD_SWISH, lambda v, p, q: kernels.real(swish, v, p, q),
                        (0.018, -110))


# one operator each, after as few as possible: here an element may be a step off, and no more

def one_conv(net):
    return net.conv(net.input, 7, 3, 2, act=flat.NONE, steps=(0.06, -5))


def one_depthwise(net):
    return net.conv(net.input, 0, 3, depthwise=True, multiple=2, act=flat.ACT_RELU6)


def one_add(net):
    return net.binary(net.input, net.input, flat.ADD, flat.ACT_RELU, (0.041, -17))


def one_mul(net):
    return net.binary(net.input, net.input, flat.MUL, flat.ACT_RELU6, (0.033, -9))


def one_mean(net):
    return net.pool(net.input, 3, 2, padding=flat.SAME)


def one_dense(net):
    return net.dense(net.reshape(net.input, [1, 7 * 9 * 4]), 60)


def sigmoid(x):
    import math
    return 1 / (1 + math.exp(-x))


def swish(x):
    return x * min(max(x + 3, 0), 6) / 6


SMALL = {"mobile": (mobile, [1, 12, 12, 3]), "residual": (residual, [1, 8, 8, 3]),
         "words": (words, [1, 13, 7, 1]), "auto": (auto, [1, 40]),
         "branches": (branches, [1, 16, 16, 3]), "gates": (gates, [1, 7, 9, 3])}
SMALL.update({f.__name__: (f, [1, 7, 9, 4]) for f in (one_conv, one_depthwise, one_add, one_mul,
                                                      one_mean, one_dense)})


# --- as large as they are ----------------------------------------------------------------------

def vww(net):
    """MobileNet v1 of a quarter, 96 x 96: MLPerf Tiny's visual wake words."""
    x = net.conv(net.input, 8, 3, 2)
    for channels, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1),
                             (128, 1), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)):
        x = net.conv(net.conv(x, 0, 3, stride, depthwise=True), channels, 1)
    return net.softmax(net.dense(net.reshape(net.pool(x, 3), [1, 256]), 2))


def kws(net):
    """DS-CNN: MLPerf Tiny's keyword spotting."""
    x = net.conv(net.input, 64, (10, 4), 2)
    for _ in range(4):
        x = net.conv(net.conv(x, 0, 3, depthwise=True), 64, 1)
    x = net.reshape(x, [1, x.shape[1] * x.shape[2] * 64])
    return net.softmax(net.dense(x, 12))


def resnet8(net):
    """MLPerf Tiny's image classification."""
    x = net.conv(net.input, 16, 3)
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        y = net.conv(net.conv(x, channels, 3, stride), channels, 3, act=flat.NONE)
        if stride > 1:
            x = net.conv(x, channels, 1, stride, act=flat.NONE)
        x = net.binary(x, y, flat.ADD, flat.ACT_RELU)
    x = net.pool(x, 8)
    return net.softmax(net.dense(net.reshape(x, [1, 64]), 10))


def anomaly(net):
    """MLPerf Tiny's anomaly detection."""
    x = net.input
    for size in (128,) * 4 + (8,) + (128,) * 4:
        x = net.dense(x, size, flat.ACT_RELU)
    return net.dense(x, 640)


def mobilenet_v2(net):
    """1.0, 224 x 224."""
    x = net.conv(net.input, 32, 3, 2)
    for expand, channels, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                           (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                           (6, 320, 1, 1)):
        for i in range(count):
            y = net.conv(x, x.shape[3] * expand, 1) if expand > 1 else x
            y = net.conv(y, 0, 3, first if i == 0 else 1, depthwise=True)
            y = net.conv(y, channels, 1, act=flat.NONE)
            x = net.binary(x, y, flat.ADD) if i else y
    x = net.pool(net.conv(x, 1280, 1), 7)
    return net.softmax(net.dense(net.reshape(x, [1, 1280]), 1000))


BIG = {"vww": (vww, [1, 96, 96, 3]), "kws": (kws, [1, 49, 10, 1]),
       "resnet8": (resnet8, [1, 32, 32, 3]), "anomaly": (anomaly, [1, 640]),
       "mobilenet_v2": (mobilenet_v2, [1, 224, 224, 3])}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for i, (name, (make, shape)) in enumerate(SMALL.items()):
        net = Net(i, shape)
        print(name, net.save(os.path.join(folder, name), make(net)))
    for name, (make, shape) in BIG.items():
        net = Net(0, shape, False)
        print("big_" + name, net.save(os.path.join(folder, "big_" + name), make(net)))


if __name__ == "__main__":
    main(sys.argv[1])
