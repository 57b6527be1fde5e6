# SPDX-License-Identifier: MIT
"""Flatbuffers and files of TensorFlow Lite, written and read by hand.

Of no use but for tests: it shares nothing with the library, whose reader and writer it judges.
"""

import struct

ADD, AVERAGE_POOL, CONCATENATION, CONV, DEPTHWISE = 0, 1, 2, 3, 4
DEPTH_TO_SPACE, DEQUANTIZE, FULLY_CONNECTED, LOGISTIC, MAX_POOL, MUL = 5, 6, 9, 14, 17, 18
RELU, RELU6, RESHAPE, RESIZE_BILINEAR, SOFTMAX, TANH = 19, 21, 22, 23, 25, 28
CUSTOM, PAD, TRANSPOSE, MEAN, SUB, SQUEEZE, STRIDED_SLICE = 32, 34, 39, 40, 41, 43, 45
SPLIT, PRELU, SLICE, TRANSPOSE_CONV, PACK, RESIZE_NEAREST = 49, 54, 65, 67, 83, 97
LEAKY_RELU, QUANTIZE, HARD_SWISH, DENSIFY = 98, 114, 117, 124
FLOOR, RELU_N1, SPACE_TO_DEPTH, GATHER, DIV, EXP = 8, 20, 26, 36, 42, 47
MAXIMUM, MINIMUM, NEG, PADV2, SIN, SUM = 55, 57, 59, 60, 66, 74
REDUCE_PROD, REDUCE_MAX, UNPACK, REDUCE_MIN, SQUARE = 81, 82, 88, 89, 92
SQUARED_DIFFERENCE, MIRROR_PAD, ABS, SPLIT_V, CEIL, COS = 99, 100, 101, 102, 104, 108
ELU, ROUND, BATCH_MATMUL, IF = 111, 116, 126, 118

FLOAT32, FLOAT16, INT32, UINT8, INT64, INT8 = 0, 1, 2, 3, 4, 9
SIZES = {FLOAT32: 4, FLOAT16: 2, INT32: 4, UINT8: 1, INT64: 8, INT8: 1}
LETTERS = {FLOAT32: "f", FLOAT16: "e", INT32: "i", UINT8: "B", INT64: "q", INT8: "b"}

# numbers of the tables of options; operators that are not here have none that is written
OPTIONS = {CONV: 1, DEPTHWISE: 2, AVERAGE_POOL: 5, MAX_POOL: 5, FULLY_CONNECTED: 8, SOFTMAX: 9,
           CONCATENATION: 10, ADD: 11, RESIZE_BILINEAR: 15, RESHAPE: 17, MUL: 21, PAD: 22,
           TRANSPOSE: 26, MEAN: 27, SUB: 28, SQUEEZE: 30, STRIDED_SLICE: 32, SPLIT: 35, SLICE: 48,
           TRANSPOSE_CONV: 49, PACK: 59, RESIZE_NEAREST: 74, LEAKY_RELU: 75, DEPTH_TO_SPACE: 94,
           SPACE_TO_DEPTH: 19, GATHER: 23, DIV: 29, SUM: 27, REDUCE_PROD: 27, REDUCE_MAX: 27,
           REDUCE_MIN: 27, UNPACK: 64, MIRROR_PAD: 77, SPLIT_V: 79, BATCH_MATMUL: 101}

NONE, ACT_RELU, ACT_RELU6 = 0, 1, 3
SAME, VALID = 0, 1


# --- writing -----------------------------------------------------------------------------------

class Table:
    """Fields by index: ("i", 5) is a number of struct's type i, all else is an object."""

    def __init__(self, fields):
        self.fields = {k: v for k, v in fields.items() if v is not None}


class Scalars:
    """A vector of numbers of a type of struct, aligned to at least @align bytes."""

    def __init__(self, letter, values, align=4):
        self.bytes = struct.pack(f"<{len(values)}{letter}", *values)
        self.count = len(values)
        self.align = max(align, struct.calcsize(letter))


class Raw:
    """A vector of bytes."""

    def __init__(self, data, align=16):
        self.bytes, self.count, self.align = bytes(data), len(data), align


def place_table(out, table, pending):
    order = sorted(table.fields, key=lambda f: -field_size(table.fields[f]))
    at, where = 4, {}
    for field in order:
        size = field_size(table.fields[field])
        at += -at % size
        where[field] = at
        at += size
    count = max(where, default=-1) + 1
    out += b"\0" * (-len(out) % 2)
    # the table is aligned to 8 after its list
    head = 4 + 2 * count
    out += b"\0" * (-(len(out) + head) % 8)
    list_at = len(out)
    out += struct.pack("<HH", head, at)
    for field in range(count):
        out += struct.pack("<H", where.get(field, 0))
    position = len(out)
    out += struct.pack("<i", position - list_at) + b"\0" * (at - 4)
    for field, offset in where.items():
        value = table.fields[field]
        if isinstance(value, tuple):
            struct.pack_into("<" + value[0], out, position + offset, value[1])
        else:
            pending.append((position + offset, value))
    return position


def field_size(value):
    return struct.calcsize(value[0]) if isinstance(value, tuple) else 4


def place(out, thing, pending):
    if isinstance(thing, Table):
        return place_table(out, thing, pending)
    if isinstance(thing, str):
        text = thing.encode()
        out += b"\0" * (-len(out) % 4)
        position = len(out)
        out += struct.pack("<I", len(text)) + text + b"\0"
        return position
    if isinstance(thing, (Scalars, Raw)):
        out += b"\0" * (-(len(out) + 4) % thing.align)
        position = len(out)
        out += struct.pack("<I", thing.count) + thing.bytes
        return position
    out += b"\0" * (-len(out) % 4)
    position = len(out)
    out += struct.pack("<I", len(thing)) + b"\0" * (4 * len(thing))
    pending.extend((position + 4 + 4 * i, item) for i, item in enumerate(thing))
    return position


def serialise(root, identifier=b"TFL3"):
    out, pending = bytearray(b"\0\0\0\0" + identifier), [(0, root)]
    while pending:
        where, thing = pending.pop(0)
        struct.pack_into("<I", out, where, place(out, thing, pending) - where)
    return bytes(out)


class Tensor:
    def __init__(self, name, shape, kind=INT8, data=None, scales=None, zeros=None, axis=0,
                 variable=False):
        self.name, self.shape, self.kind, self.data = name, list(shape), kind, data
        self.scales, self.zeros, self.axis, self.variable = scales, zeros, axis, variable

    def count(self):
        count = 1
        for dim in self.shape:
            count *= dim
        return count


class Model:
    """A model that is built: tensors and operators in their order."""

    def __init__(self):
        self.tensors, self.operators, self.inputs, self.outputs = [], [], [], []
        self.metadata = []

    def tensor(self, *args, **kwargs):
        self.tensors.append(Tensor(*args, **kwargs))
        return len(self.tensors) - 1

    def const(self, name, shape, kind, values, **kwargs):
        data = values
        if not isinstance(values, (bytes, bytearray)):
            data = struct.pack(f"<{len(values)}{LETTERS[kind]}", *values)
        return self.tensor(name, shape, kind, bytes(data), **kwargs)

    def op(self, code, inputs, outputs, options=None, custom=None, custom_options=None):
        """@options: fields of the operator's own table."""
        self.operators.append((code, list(inputs), list(outputs), options or {}, custom,
                               custom_options))

    def tables(self):
        buffers, tensors, codes, operators = [Table({})], [], [], []
        for tensor in self.tensors:
            buffer = 0
            if tensor.data is not None:
                buffer = len(buffers)
                buffers.append(Table({0: Raw(tensor.data)}))
            steps = None
            if tensor.scales:
                steps = Table({2: Scalars("f", tensor.scales),
                               3: Scalars("q", tensor.zeros or [0] * len(tensor.scales)),
                               6: ("i", tensor.axis)})
            tensors.append(Table({
                0: Scalars("i", tensor.shape), 1: ("b", tensor.kind), 2: ("I", buffer),
                3: tensor.name, 4: steps, 5: ("B", 1) if tensor.variable else None}))
        for code, inputs, outputs, options, custom, custom_options in self.operators:
            if (code, custom) not in codes:
                codes.append((code, custom))
            operators.append(Table({
                0: ("I", codes.index((code, custom))), 1: Scalars("i", inputs),
                2: Scalars("i", outputs), 3: ("B", OPTIONS.get(code, 0)),
                4: Table(options) if code in OPTIONS else None,
                5: Raw(custom_options, 4) if custom_options else None}))
        metadata = []
        for name, data in self.metadata:
            metadata.append(Table({0: name, 1: ("I", len(buffers))}))
            buffers.append(Table({0: Raw(data)}))
        return Table({
            0: ("I", 3),
            1: [Table({0: ("b", min(code, 127)), 1: custom, 2: ("i", 1), 3: ("i", code)})
                for code, custom in codes],
            2: [Table({0: tensors, 1: Scalars("i", self.inputs), 2: Scalars("i", self.outputs),
                       3: operators, 4: "main"})],
            3: "made by a test", 4: buffers, 6: metadata or None})

    def bytes(self):
        return serialise(self.tables())

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes())


# --- reading -----------------------------------------------------------------------------------

class View:
    """A table where it lies."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.list = at - struct.unpack_from("<i", data, at)[0]
        self.count = (struct.unpack_from("<H", data, self.list)[0] - 4) // 2

    def where(self, field):
        if field >= self.count:
            return None
        offset = struct.unpack_from("<H", self.data, self.list + 4 + 2 * field)[0]
        return self.at + offset if offset else None

    def number(self, field, letter, missing=0):
        at = self.where(field)
        return missing if at is None else struct.unpack_from("<" + letter, self.data, at)[0]

    def follow(self, field):
        at = self.where(field)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, field):
        at = self.follow(field)
        return None if at is None else View(self.data, at)

    def text(self, field):
        data = self.raw(field)
        return None if data is None else data.decode()

    def raw(self, field):
        at = self.follow(field)
        if at is None:
            return None
        count = struct.unpack_from("<I", self.data, at)[0]
        return self.data[at + 4:at + 4 + count]

    def numbers(self, field, letter):
        at = self.follow(field)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        return list(struct.unpack_from(f"<{count}{letter}", self.data, at + 4))

    def tables(self, field):
        at = self.follow(field)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        places = [at + 4 + 4 * i for i in range(count)]
        return [View(self.data, p + struct.unpack_from("<I", self.data, p)[0]) for p in places]


def root(data):
    assert data[4:8] == b"TFL3", "no file of TensorFlow Lite"
    return View(data, struct.unpack_from("<I", data, 0)[0])
