#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model of floats without what old readers do not know, for Arm NN as an oracle.

    plain.py MODEL.tflite PLAIN.tflite

Weights in halves (DEQUANTIZE) and without their zeros (DENSIFY) become floats, and the transposed
convolution of MediaPipe becomes the one of the schema with a sum behind it. Arm NN 20.08 does not
look at half_pixel_centers: a bilinear resize with it becomes two products with matrices.
DEPTH_TO_SPACE becomes a transposition of five axes.
"""

import struct
import sys

import flat


def indices(view, kind, field):
    letters = {1: "i", 2: "H", 3: "B"}
    return view.table(field).numbers(0, letters[view.number(kind, "B")])


def densify(shape, sparsity, values):
    """Level by level, as the schema tells it; places are tuples."""
    order, blocks = sparsity.numbers(0, "i"), sparsity.numbers(1, "i")
    levels = sparsity.tables(2)
    places, out = [((), 0)], [0.0] * len(values)
    for level in levels:
        grown = []
        for place, number in places:
            if level.number(0, "b") == 0:
                size = level.number(1, "i")
                grown += [(place + (i,), number * size + i) for i in range(size)]
            else:
                segments, inner = indices(level, 2, 3), indices(level, 4, 5)
                grown += [(place + (inner[i],), i)
                          for i in range(segments[number], segments[number + 1])]
        places = grown
    total = 1
    for dim in shape:
        total *= dim
    out = [0.0] * total
    for place, number in places:
        at = dict(zip(order, place))
        real = [at[d] for d in range(len(shape))]
        for b, dim in enumerate(blocks):
            level = levels[order.index(len(shape) + b)]
            real[dim] = real[dim] * level.number(1, "i") + at[len(shape) + b]
        flat_at = 0
        for dim, index in zip(shape, real):
            flat_at = flat_at * dim + index
        out[flat_at] = values[number]
    return out


def move(model, source, shape, perm, name):
    out = model.tensor(name, [shape[p] for p in perm], flat.FLOAT32)
    model.op(flat.TRANSPOSE, [source, model.const(name + ".p", [len(perm)], flat.INT32, perm)],
             [out])
    return out


def reshape(model, source, shape, name, out=None):
    if out is None:
        out = model.tensor(name, shape, flat.FLOAT32)
    model.op(flat.RESHAPE, [source], [out], {0: flat.Scalars("i", shape)})
    return out


def half_pixel(size, wanted):
    """The rows of a matrix that interpolates."""
    rows = []
    for o in range(wanted):
        row, at = [0.0] * size, (o + 0.5) * size / wanted - 0.5
        low = max(int(at // 1), 0)
        high = min(low + 1, size - 1)
        part = min(max(at - low, 0.0), 1.0)
        row[low] += 1 - part
        row[high] += part
        rows += row
    return rows


def resize(model, source, shape, out, wanted, name):
    """Columns, then rows: the axis goes last, and is multiplied."""
    _, h, w, c = shape
    steps = [([0, 2, 3, 1], [0, 3, 1, 2], h, wanted[1]), ([0, 1, 3, 2], [0, 1, 3, 2], w, wanted[2])]
    for i, (there, back, size, more) in enumerate(steps):
        name = f"{name}.{i}"
        x = move(model, source, shape, there, name + ".t")
        moved = [shape[p] for p in there]
        rest = moved[1] * moved[2]
        x = reshape(model, x, [rest, size], name + ".r")
        a = model.const(name + ".a", [more, size], flat.FLOAT32, half_pixel(size, more))
        zero = model.const(name + ".b", [more], flat.FLOAT32, [0.0] * more)
        y = model.tensor(name + ".y", [rest, more], flat.FLOAT32)
        model.op(flat.FULLY_CONNECTED, [x, a, zero], [y], {0: ("b", 0)})
        moved = moved[:3] + [more]
        y = reshape(model, y, moved, name + ".s")
        source = move(model, y, moved, back, name + ".u")
        shape = [moved[p] for p in back]
    reshape(model, source, shape, "", out)


def depth_to_space(model, source, shape, out, block, name):
    _, h, w, c = shape
    c //= block * block
    x = reshape(model, source, [h, w, block, block, c], name + ".r")
    x = move(model, x, [h, w, block, block, c], [0, 2, 1, 3, 4], name + ".t")
    reshape(model, x, [1, h * block, w * block, c], "", out)


def options_of(op, code):
    """Fields of the options that the operators of these models have."""
    table = op.table(4)
    known = {flat.ADD: "b", flat.MUL: "b", flat.CONV: "biibii", flat.DEPTHWISE: "biiibii",
             flat.AVERAGE_POOL: "biiiib", flat.MAX_POOL: "biiiib", flat.CONCATENATION: "ib",
             flat.FULLY_CONNECTED: "bbbb", flat.RESIZE_BILINEAR: "iibb", flat.MEAN: "b",
             flat.SOFTMAX: "f", flat.RESIZE_NEAREST: "bb"}.get(code, "")
    if table is None:
        return {}
    return {i: (letter, table.number(i, letter)) for i, letter in enumerate(known)
            if table.where(i) is not None}


def main(source, target):
    with open(source, "rb") as file:
        root = flat.root(file.read())
    graph, buffers, codes = root.tables(2)[0], root.tables(4), root.tables(1)
    tensors = graph.tables(0)
    model, moved, values = flat.Model(), {}, {}

    def data_of(number):
        return buffers[tensors[number].number(2, "I")].raw(0) or None

    def known(number):
        """Elements of a constant."""
        if number not in values:
            kind, data = tensors[number].number(1, "b"), data_of(number)
            count = len(data) // flat.SIZES[kind]
            values[number] = struct.unpack(f"<{count}{flat.LETTERS[kind]}", data)
        return values[number]

    def use(number):
        if number < 0:
            return -1
        if number not in moved:
            view = tensors[number]
            shape, kind = view.numbers(0, "i"), view.number(1, "b")
            name = f"t{number}"
            if number in values or data_of(number):
                moved[number] = model.const(name, shape, kind, known(number))
            else:
                moved[number] = model.tensor(name, shape, kind)
        return moved[number]

    model.inputs = [use(n) for n in graph.numbers(1, "i")]
    for op in graph.tables(3):
        code = codes[op.number(0, "I")]
        custom, number = code.text(1), max(code.number(0, "b"), code.number(3, "i"))
        ins, outs = op.numbers(1, "i"), op.numbers(2, "i")
        if number == flat.DENSIFY:
            view = tensors[ins[0]]
            values[outs[0]] = densify(view.numbers(0, "i"), view.table(6), known(ins[0]))
        elif number == flat.DEQUANTIZE and (ins[0] in values or data_of(ins[0])):
            values[outs[0]] = known(ins[0])
        elif custom == "Convolution2DTransposeBias":
            padding, stride_w, stride_h = struct.unpack("<iii", op.raw(5)[:12])
            shape = tensors[outs[0]].numbers(0, "i")
            between = model.tensor("between", shape, flat.FLOAT32)
            size = model.const("size", [4], flat.INT32, shape)
            model.op(flat.TRANSPOSE_CONV, [size, use(ins[1]), use(ins[0])], [between],
                     {0: ("b", padding - 1), 1: ("i", stride_w), 2: ("i", stride_h)})
            model.op(flat.ADD, [between, use(ins[2])], [use(outs[0])])
        elif number == flat.RESIZE_BILINEAR and op.table(4).number(3, "b"):
            resize(model, use(ins[0]), tensors[ins[0]].numbers(0, "i"), use(outs[0]),
                   tensors[outs[0]].numbers(0, "i"), f"resize{outs[0]}")
        elif number == flat.DEPTH_TO_SPACE:
            depth_to_space(model, use(ins[0]), tensors[ins[0]].numbers(0, "i"), use(outs[0]),
                           op.table(4).number(0, "i"), f"depth{outs[0]}")
        elif number == flat.RESHAPE:
            shape = tensors[outs[0]].numbers(0, "i")
            model.op(number, [use(ins[0])], [use(outs[0])], {0: flat.Scalars("i", shape)})
        else:
            model.op(number, [use(n) for n in ins], [use(n) for n in outs],
                     options_of(op, number))
    model.outputs = [use(n) for n in graph.numbers(2, "i")]
    model.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
