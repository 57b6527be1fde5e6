#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What no plan is below, computed once more, element by element.

    least.py LOOM FOLDER [ROUNDS [FIRST]]

Makes small random networks and chips in FOLDER and asks LOOM for the graph (a dump), for the chip
and for the plans of all strategies (JSON). From the graph alone it works out which element needs
which other, and so what must be moved, computed and held: sets of single elements, where the library
has boxes of axes and masks. Nothing of the library is used for that. A bound of the library has to be
at most this one, and this one at most the cycles of every plan. Prints TAP.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from math import ceil, prod

from wrong_models import field, value_info

# --- random networks, as ONNX ---------------------------------------------------------------------


class Net:
    """A network under construction; maps are (name, dims)."""

    def __init__(self, draw):
        self.draw = draw
        self.nodes, self.consts, self.count = b"", b"", 0
        dims = [1, draw.randint(1, 5), draw.randint(3, 8), draw.randint(3, 8)]
        self.input = ("x", dims)
        self.maps = [self.input]
        self.used = set()

    def name(self):
        """A new name."""
        self.count += 1
        return f"v{self.count}"

    def const(self, dims):
        """A constant, which is not all the same."""
        name = self.name()
        data = b"".join((0x3f000000 + i * 77777).to_bytes(4, "little") for i in range(prod(dims)))
        self.consts += field(5, b"".join(field(1, dim) for dim in dims) + field(2, 1) +
                             field(8, name) + field(9, data))
        return name

    def node(self, kind, inputs, dims, **attrs):
        """A node, whose result is a map."""
        name = self.name()
        body = b"".join(field(1, i) for i in inputs) + field(2, name) + field(3, name)
        body += field(4, kind)
        for key, value in attrs.items():
            if isinstance(value, int):
                body += field(5, field(1, key) + field(20, 2) + field(3, value))
            else:
                body += field(5, field(1, key) + field(20, 7) +
                              b"".join(field(8, i) for i in value))
        self.nodes += field(1, body)
        self.used.update(inputs)
        self.maps.append((name, dims))

    def add(self):
        """A random node."""
        draw = self.draw
        name, dims = draw.choice(self.maps[-3:])
        if len(dims) != 4:
            return
        kind = draw.choice(("conv", "conv", "conv", "conv", "pool", "relu", "const", "sum",
                            "concat", "transpose", "slice", "mean", "matmul", "softmax"))
        if kind in ("conv", "pool"):
            k, s = draw.randint(1, 3), draw.randint(1, 2)
            p = draw.randint(0, k - 1)
            out = [(dim + 2 * p - k) // s + 1 for dim in dims[2:]]
            if min(dim + 2 * p - k for dim in dims[2:]) < 0:
                return
            if kind == "pool":
                self.node("MaxPool", [name], [1, dims[1], *out], kernel_shape=[k, k],
                          strides=[s, s], pads=[p] * 4)
                return
            groups = dims[1] if not draw.randrange(3) else 1
            channels = groups if groups > 1 else draw.randint(1, 7)
            if k == 1 and groups == 1 and draw.randrange(2):
                channels = draw.randint(12, 24)
            weights = self.const([channels, dims[1] // groups, k, k])
            inputs = [name, weights] + ([self.const([channels])] if draw.randrange(2) else [])
            self.node("Conv", inputs, [1, channels, *out], kernel_shape=[k, k], strides=[s, s],
                      pads=[p] * 4, group=groups)
        elif kind == "relu":
            self.node("Relu", [name], dims)
        elif kind == "const":
            shape = draw.choice(([1, dims[1], 1, 1], [1, 1, 1, dims[3]]))
            self.node(draw.choice(("Max", "Mul")), [name, self.const(shape)], dims)
        elif kind == "sum":
            others = [m for m in self.maps if m[1] == dims and m[0] != name]
            if others:
                self.node("Add", [name, draw.choice(others)[0]], dims)
        elif kind == "concat":
            others = [m for m in self.maps if len(m[1]) == 4 and m[1][2:] == dims[2:]]
            other = draw.choice(others)
            if dims[1] + other[1][1] <= 10:
                self.node("Concat", [name, other[0]],
                          [1, dims[1] + other[1][1], *dims[2:]], axis=1)
        elif kind == "transpose":
            self.node("Transpose", [name], [1, dims[1], dims[3], dims[2]], perm=[0, 1, 3, 2])
        elif kind == "slice":
            self.slice(name, dims)
        elif kind == "mean":
            self.node("GlobalAveragePool", [name], [1, dims[1], 1, 1])
        elif kind == "matmul":
            columns = draw.randint(1, 9)
            self.node("MatMul", [name, self.const([dims[3], columns])], [*dims[:3], columns])
        else:
            self.node("Softmax", [name], dims, axis=draw.choice((1, 3)))

    def slice(self, name, dims):
        """Some indices of an axis."""
        axis = self.draw.randint(1, 3)
        step = self.draw.randint(1, 2)
        begin = self.draw.randrange(dims[axis])
        out = list(dims)
        out[axis] = (dims[axis] - begin + step - 1) // step
        arrays = []
        for number in (begin, 1 << 30, axis, step):
            text = self.name()
            self.consts += field(5, field(1, 1) + field(2, 7) + field(8, text) +
                                 field(9, number.to_bytes(8, "little")))
            arrays.append(text)
        self.node("Slice", [name, *arrays], out)

    def model(self):
        """The bytes of the file: whatever nobody reads is an output."""
        ends = [m for m in self.maps[1:] if m[0] not in self.used]
        graph = self.nodes + field(2, "g") + self.consts
        graph += field(11, value_info(*self.input))
        graph += b"".join(field(12, value_info(*m)) for m in ends)
        return field(1, 7) + field(7, graph) + field(8, field(2, 13))


CHIP = """\
name: {name}
extends: soft
overlap: {overlap}
dma:
  start: {dma}
compute:
  start: {compute}
memory:
  dram:
    read: {read}
    write: {write}
    latency: {{read: {read_latency}, write: {write_latency}}}
  sram:
    banks: {lanes}
    size: {size}
    align: 16
    sub_banks: 1
types:
  f32: {{macs: {macs}, ops: {ops}}}
"""


def any_chip(draw, name):
    """A random chip, as its file."""
    return CHIP.format(
        name=name, overlap=draw.choice(("yes", "yes", "yes", "no")), dma=draw.choice((0, 3, 40)),
        compute=draw.choice((0, 2, 30)), read=draw.choice((0.5, 4, 32)),
        write=draw.choice((0.5, 4, 32)), read_latency=draw.choice((0, 17)),
        write_latency=draw.choice((0, 9)), lanes=draw.choice((1, 1, 3, 4, 8, 16)),
        size=draw.choice((64, 128, 256, 512, 1024, 4096)), macs=draw.choice((0.5, 2, 8)),
        ops=draw.choice((0.5, 2, 8)))


# --- the graph, element by element ----------------------------------------------------------------


def strides_of(dims):
    """Row-major."""
    return [prod(dims[i + 1:]) for i in range(len(dims))]


def flat(index, dims):
    """The number of an element."""
    return sum(i * s for i, s in zip(index, strides_of(dims)))


def indices(dims):
    """All elements in order."""
    return itertools.product(*(range(dim) for dim in dims))


def ints(text):
    """[1,2] as a list."""
    return [int(i) for i in text.strip("[]").split(",") if i]


class Value:
    """A value: @elems has the number of the element that each of its elements is."""

    def __init__(self, dims, elems, kind):
        self.dims, self.elems, self.kind = dims, elems, kind


class Node:
    """An operation with elements of its own, and which elements each of them needs."""

    def __init__(self, op, attrs, dims, first, operands):
        self.op, self.attrs, self.dims, self.first = op, attrs, dims, first
        self.operands = operands
        self.needs = []
        self.mask = ((1 << prod(dims)) - 1) << first

    def terms(self, i):
        """The parts of what an element needs that a command can do with: a product can go on from
        the sums of another, so one term of it."""
        needs = self.needs[i]
        return list(zip(needs, needs[len(needs) // 2:])) if self.op == "matmul" else [needs]


class Graph:
    """A dump, taken apart."""

    def __init__(self, text):
        self.values, self.nodes, self.count, self.outputs = {}, [], 0, []
        self.inputs, self.consts = 0, 0
        for line in text.splitlines():
            self.line(line)

    def new(self, dims):
        """Numbers for new elements."""
        first = self.count
        self.count += prod(dims)
        return list(range(first, self.count))

    def line(self, line):
        """A line of the dump."""
        outside = re.match(r'(input|const) %(\d+) ".*?" (\w+)(\[[\d,]*\])', line)
        node = re.match(r'%(\d+) ".*?" \w+(\[[\d,]*\]) = (\w+)\((.*?)\)(.*?) #', line)
        if outside:
            dims = ints(outside[4])
            elems = self.new(dims)
            self.values[outside[2]] = Value(dims, elems, outside[1])
            mask = ((1 << len(elems)) - 1) << elems[0]
            if outside[1] == "input":
                self.inputs |= mask
            elif outside[3] == "f32":
                self.consts |= mask
        elif node:
            operands = [self.values[name.strip().strip("%")] if name.strip() != "-" else None
                        for name in node[4].split(",")]
            attrs = dict(re.findall(r"(\w+)=(\S+)", node[5]))
            self.values[node[1]] = self.node(node[3], operands, ints(node[2]), attrs)
        elif line.startswith("output"):
            self.outputs.append(self.values[re.findall(r"%(\d+)", line)[0]])

    def node(self, op, operands, dims, attrs):
        """What only moves elements is the same elements in another order."""
        x = operands[0]
        if op == "reshape":
            return Value(dims, x.elems, "moved")
        if op == "transpose":
            perm = ints(attrs["perm"])
            back = [perm.index(i) for i in range(len(perm))]
            return Value(dims, [x.elems[flat([i[back[k]] for k in range(len(back))], x.dims)]
                                for i in indices(dims)], "moved")
        if op == "slice":
            start, step = ints(attrs["start"]), ints(attrs["step"])
            return Value(dims, [x.elems[flat([a + b * i for a, b, i in zip(start, step, index)],
                                             x.dims)] for index in indices(dims)], "moved")
        if op == "concat":
            return Value(dims, self.concat(operands, dims, int(attrs["axis"])), "moved")
        elems = self.new(dims)
        node = Node(op, attrs, dims, elems[0], [o for o in operands if o])
        node.needs = [self.need(node, operands, index) for index in indices(dims)]
        self.nodes.append(node)
        return Value(dims, elems, "computed")

    @staticmethod
    def concat(operands, dims, axis):
        """Elements of the operand that an index falls into."""
        elems = []
        for index in indices(dims):
            at, rest = 0, index[axis]
            while rest >= operands[at].dims[axis]:
                rest -= operands[at].dims[axis]
                at += 1
            own = [*index[:axis], rest, *index[axis + 1:]]
            elems.append(operands[at].elems[flat(own, operands[at].dims)])
        return elems

    def need(self, node, operands, index):
        """The elements that one element of a result needs."""
        x = operands[0]
        if node.op in ("conv", "pool"):
            return self.need_window(node, operands, index)
        if node.op == "matmul":
            b = operands[1]
            rows = [x.elems[flat([*index[:-1], k], x.dims)] for k in range(x.dims[-1])]
            return rows + [b.elems[flat([k, index[-1]], b.dims)] for k in range(x.dims[-1])]
        if node.op == "softmax":
            axis = int(node.attrs["axis"])
            return [x.elems[flat([*index[:axis], k, *index[axis + 1:]], x.dims)]
                    for k in range(x.dims[axis])]
        if node.op == "reduce":
            axes = int(node.attrs["axes"], 16)
            lines = [range(dim) if axes >> i & 1 else [index[i]] for i, dim in enumerate(x.dims)]
            return [x.elems[flat(i, x.dims)] for i in itertools.product(*lines)]
        if node.op not in ("unary", "binary"):
            raise ValueError(f"operator {node.op}")
        needs = []
        for operand in operands:
            lead = len(index) - len(operand.dims)
            own = [i if dim > 1 else 0 for i, dim in zip(index[lead:], operand.dims)]
            needs.append(operand.elems[flat(own, operand.dims)])
        return needs

    @staticmethod
    def need_window(node, operands, index):
        """The window of an element, its channel's weights and its bias."""
        x = operands[0]
        kernel, stride = ints(node.attrs["kernel"]), ints(node.attrs["strides"])
        pad = ints(node.attrs["pads_begin"])
        conv = node.op == "conv"
        groups = int(node.attrs["groups"]) if conv else x.dims[1]
        each = x.dims[1] // groups
        group = index[1] // (node.dims[1] // groups)
        needs = []
        for c, i, k in itertools.product(range(each), range(kernel[0]), range(kernel[1])):
            row, column = index[2] * stride[0] + i - pad[0], index[3] * stride[1] + k - pad[1]
            if 0 <= row < x.dims[2] and 0 <= column < x.dims[3]:
                needs.append(x.elems[flat([0, group * each + c, row, column], x.dims)])
        if conv:
            w = operands[1]
            taps = prod(w.dims[1:])
            needs += w.elems[index[1] * taps:(index[1] + 1) * taps]
            needs += [operands[2].elems[index[1]]] if operands[2] else []
        return needs


# --- bounds ---------------------------------------------------------------------------------------


def bits(mask):
    """Elements of a set."""
    return bin(mask).count("1")


class Bounds:
    """LB0, LB1, LB2 and the relaxed program of a graph on a chip."""

    def __init__(self, graph, chip):
        self.graph, self.chip = graph, chip
        self.dram, self.sram = chip["memory"]["dram"], chip["memory"]["sram"]
        self.lanes = self.sram["banks"]
        room = self.sram["bank_bytes"] - self.sram["reserved_bytes"]
        floor = self.sram["floor_bytes"]
        self.held_bytes = (min(room, floor) if floor else room) * self.lanes
        self.behind()
        self.ends, self.live = self.outside()

    def behind(self):
        """What each element needs in all, and what needs it in all: sets."""
        graph = self.graph
        self.before, self.after = [0] * graph.count, [0] * graph.count
        for node in graph.nodes:
            for i, needs in enumerate(node.needs):
                own = 0
                for e in needs:
                    own |= self.before[e] | 1 << e
                self.before[node.first + i] = own
        for node in reversed(graph.nodes):
            for i, needs in enumerate(node.needs):
                own = self.after[node.first + i] | 1 << node.first + i
                for e in needs:
                    self.after[e] |= own

    def outside(self):
        """Elements that are outputs, and they with all that they need."""
        ends = 0
        for value in self.graph.outputs:
            for e in value.elems:
                ends |= 1 << e
        live = ends
        for node in self.graph.nodes:
            for e in range(node.first, node.first + len(node.needs)):
                live |= self.before[e] if ends >> e & 1 else 0
        return ends, live

    def rate(self, amount, per_thousand):
        """Cycles for an amount."""
        return ceil(Fraction(amount) * 1000 / per_thousand) if per_thousand else 0

    def loads(self, elems):
        """DMA cycles to load what of a set comes from outside, without starts."""
        count = 4 * bits(elems & (self.graph.inputs | self.graph.consts))
        return max(self.rate(count, self.dram["read_bytes_per_kilocycle"]),
                   self.rate(count, self.sram["write_bytes_per_kilocycle"]))

    def stores(self, elems):
        """DMA cycles to store as many elements."""
        return self.rate(4 * elems, self.dram["write_bytes_per_kilocycle"])

    def work(self, elems, behind=None):
        """Cycles of compute commands for a set of elements; of their terms with one of @behind."""
        return sum(self.node_work(node, (elems & node.mask) >> node.first, behind)
                   for node in self.graph.nodes if elems & node.mask)

    def behind_of(self, node, i, behind):
        """The terms of an element with one of a set."""
        return [term for term in node.terms(i) if any(behind >> e & 1 for e in term)]

    def node_work(self, node, own, behind):
        """Cycles of a node's commands for a set of its elements."""
        rates = self.chip["types"]["f32"]
        op_rate, each, rate = rates["ops_per_kilocycle"], 1, rates["ops_per_kilocycle"]
        count = bits(own)
        if node.op in ("conv", "pool"):
            kernel = ints(node.attrs["kernel"])
            wide = [dim for dim, k in zip(node.dims[2:], kernel) if k > 1]
            narrow = [dim for dim, k in zip(node.dims[2:], kernel) if k == 1]
            longest = max([prod(narrow), *wide])
            places = prod(node.dims[2:])
            channels = [sum(own >> o * places + i & 1 for o in range(node.dims[1]))
                        for i in range(places)]
            each = prod(kernel)
            if node.op == "conv":
                each *= node.operands[1].dims[1]
                rate = rates["macs_per_kilocycle"]
            rounds = self.rounds(channels, longest)
        elif node.op == "matmul":
            rows, columns = prod(node.dims[:-1]), node.dims[-1]
            last = node.dims[-2] if len(node.dims) > 1 else 1
            channels = [0] * last
            for i in range(rows * columns):
                channels[i // columns % last] += own >> i & 1
            each, rate = node.operands[0].dims[-1], rates["macs_per_kilocycle"]
            if behind is not None:
                each = min(len(self.behind_of(node, i, behind))
                           for i in range(len(node.needs)) if own >> i & 1)
            rounds = self.rounds(channels, rows)
        elif node.op == "reduce":
            reads = sum(len(needs) for i, needs in enumerate(node.needs) if own >> i & 1)
            rounds = Fraction(ceil(Fraction(reads, self.lanes)))
        else:
            each = 4 if node.op == "softmax" else 1
            rounds = Fraction(ceil(Fraction(count, self.lanes)))
        amount = ceil(rounds * each)
        cycles = self.rate(amount, rate) if rate else self.rate(2 * amount, op_rate)
        return self.chip["compute_start_cycles"] + cycles

    def rounds(self, channels, longest):
        """Rounds at places with so many channels each; another axis has at most @longest lanes."""
        busy = min(self.lanes, longest)
        return sum((Fraction(c // self.lanes) + min(Fraction(1), Fraction(c % self.lanes, busy))
                    for c in channels), Fraction(0))

    def starts(self, count):
        """Starts of commands that load as many bytes from one slot."""
        each = self.chip["dma_start_cycles"] + self.dram["read_latency_cycles"]
        return ceil(Fraction(count, self.held_bytes)) * each

    def streams(self):
        """LB0's streams."""
        graph = self.graph
        computed = 0
        for node in graph.nodes:
            for i, needs in enumerate(node.needs):
                if self.live >> node.first + i & 1:
                    for e in needs:
                        computed |= 1 << e
        moved = self.loads(computed)
        moved += self.starts(4 * bits(computed & graph.inputs))
        moved += self.starts(4 * bits(computed & graph.consts))
        count = sum(len(value.elems) for value in graph.outputs)
        moved += self.stores(count)
        moved += self.chip["dma_start_cycles"] + self.dram["write_latency_cycles"] if count else 0
        return moved, self.work(self.live)

    def first_load(self):
        """The least that is loaded before anything is computed."""
        each = self.chip["dma_start_cycles"] + self.dram["read_latency_cycles"]
        graph, least = self.graph, None
        for node in graph.nodes:
            for e in range(node.first, node.first + len(node.needs)):
                for own in self.firsts(node, e) if self.live >> e & 1 else []:
                    if own & ~(graph.inputs | graph.consts):
                        continue
                    cycles = self.loads(own)
                    cycles += each * (bool(own & graph.inputs) + bool(own & graph.consts))
                    least = cycles if least is None else min(least, cycles)
        return least or 0

    def firsts(self, node, e):
        """All that a first command for an element may need."""
        for term in node.terms(e - node.first):
            own = 0
            for need in term:
                own |= self.before[need] | 1 << need
            yield own

    def find(self):
        """LB0, LB1, LB2 and the relaxed program."""
        moved, computed = self.streams()
        if not self.chip["overlap"]:
            again = sum(a if b is None else min(a, b) for a, b in self.again().values())
            return [moved + computed] * 3 + [moved + computed + again]
        first = self.first_load()
        last = self.chip["dma_start_cycles"] + self.dram["write_latency_cycles"] + self.stores(1)
        last = last if self.graph.nodes else 0
        longer = max(moved, computed)
        ends = max(longer, computed + (first + last if self.graph.nodes else 0))
        held = ends
        for node in self.graph.nodes:
            if self.live & node.mask:
                held = max(held, self.last_of(node, first, last), self.first_of(node, last))
        computed += first + last if self.graph.nodes else 0
        return [longer, ends, held, max([held] + [self.shared(moved, computed, Fraction(i, 32))
                                                  for i in range(33)])]

    def shared(self, moved, computed, share):
        """A share of DMA and the rest of compute, with what values cost that are too large."""
        return share * moved + (1 - share) * computed + \
            sum(min(share * a, (1 - share) * b) if b is not None else share * a
                for a, b in self.again().values())

    def again(self):
        """What values cost that are too large for the SRAM, beside weights that are: by DMA, or by
        computing them again."""
        costs = {}
        for node in self.graph.nodes:
            if node.op != "conv" or int(node.attrs["groups"]) > 1:
                continue
            used = 0
            for i, needs in enumerate(node.needs):
                if self.live >> node.first + i & 1:
                    for e in needs:
                        used |= 1 << e
            weights = sum(1 << e for e in node.operands[1].elems) & used
            data = used & sum(1 << e for e in set(node.operands[0].elems))
            maker = [n for n in self.graph.nodes if n.mask & data]
            if len(maker) + bool(data & self.graph.inputs) != 1 or weights & ~self.graph.consts:
                continue
            cost = self.too_large(4 * bits(data), 4 * bits(weights), maker)
            key = maker[0].first if maker else -1
            if cost and cost[0] > costs.get(key, (0, 0))[0]:
                costs[key] = cost
        return costs

    def too_large(self, data, weights, maker):
        """What a value of so many bytes costs beside so many bytes of weights; None: nothing."""
        rest = data - self.held_bytes
        if rest <= 0 or weights <= self.held_bytes:
            return None
        loaded = self.loads_of((ceil(Fraction(data, self.held_bytes)) - 1) *
                               (weights - self.held_bytes))
        moved, computed = self.loads_of(rest), None
        if maker:
            own = self.live & maker[0].mask
            moved += 0 if own & self.ends else self.stores(rest // 4)
            work = self.work(own) - self.chip["compute_start_cycles"]
            computed = Fraction(work * (rest // 4), 2 * bits(own))
        return min(moved, loaded), computed

    def last_of(self, node, first, last):
        """If element x of a node is its last: the best x."""
        own = [e for e in range(node.first, node.first + len(node.needs)) if self.live >> e & 1]
        before = 0
        for e in own:
            before |= self.before[e] | 1 << e
        work, loaded = first + self.work(before), self.loads(before)
        best = None
        for e in own:
            after = self.after[e] & self.live
            needs = 0
            for other in self.graph.nodes:
                for i in range(len(other.needs)):
                    if after >> other.first + i & 1:
                        for term in self.behind_of(other, i, after | 1 << e):
                            needs |= sum(1 << k for k in set(term))
            needs &= (self.graph.inputs | self.graph.consts) & ~before
            loads = self.loads(needs)
            held = min(loads, self.loads_of(self.held_bytes))
            moved = max(work, loaded + held) + loads - held
            moved += self.stores(bits((after | 1 << e) & self.ends))
            computed = max(work, loaded) + self.work(after, after | 1 << e) + last
            cycles = max(moved, computed)
            best = cycles if best is None else min(best, cycles)
        return best

    def loads_of(self, count):
        """Cycles to load as many bytes."""
        return max(self.rate(count, self.dram["read_bytes_per_kilocycle"]),
                   self.rate(count, self.sram["write_bytes_per_kilocycle"]))

    def first_of(self, node, last):
        """If element x of a node is its first: the best x."""
        own = [e for e in range(node.first, node.first + len(node.needs)) if self.live >> e & 1]
        behind, best = 0, None
        for e in own:
            behind |= self.after[e] | 1 << e
        rest = behind & self.live & ~node.mask
        work = self.work(behind & node.mask & self.live) + self.work(rest, behind)
        for e in own:
            loads = min(self.loads(first) for first in self.firsts(node, e))
            best = loads if best is None else min(best, loads)
        return best + work + last


# --- the test -------------------------------------------------------------------------------------


def run(*args):
    """The output of a command."""
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else None


def strategies(loom):
    """Names of the grouping strategies."""
    text = run(loom, "plan", "--strategies")
    return re.findall(r"^(layer\S*)", text, re.M)


def plans(loom, model, chip):
    """The JSON of plans by all strategies and objectives."""
    for name in strategies(loom):
        for objective in ("time", "bytes"):
            text = run(loom, "plan", model, "--chip", chip, "--grouping", name, "--objective",
                       objective, "--json")
            if text:
                yield f"{name} by {objective}", json.loads(text)


def check(loom, folder, number, tally):
    """A network on a chip. Returns what is wrong, or None."""
    draw = random.Random(number)
    net = Net(draw)
    for _ in range(draw.randint(2, 9)):
        net.add()
    if len(net.maps) == 1:
        net.node("Relu", ["x"], net.input[1])
    model, chip = os.path.join(folder, "net.onnx"), os.path.join(folder, "chip.yaml")
    with open(model, "wb") as file:
        file.write(net.model())
    with open(chip, "w", encoding="utf-8") as file:
        file.write(any_chip(draw, "test"))
    dump = run(loom, "plan", model, "--chip", chip, "--stop-after", "graph", "--dump")
    if not dump:
        return "the model is refused"
    described = json.loads(run(loom, "chips", "--json", chip))
    names = ("stream_cycles", "end_cycles", "held_cycles", "relaxed_cycles")
    own = Bounds(Graph(dump), described).find()
    for name, plan in plans(loom, model, chip):
        tally["plans"] += 1
        for key, mine in zip(names, own):
            if plan["least"][key] > mine:
                return f"{name}: {key}: the library says {plan['least'][key]}, it is {mine}"
            if mine > plan["cycles"]:
                return f"{name}: {key}: {mine} cycles, and the plan takes {plan['cycles']}"
            tally[key] += plan["least"][key] == mine
        tally["relaxed"] += plan["least"]["relaxed_cycles"] > plan["least"]["held_cycles"]
    return None


def main():
    """Rounds of a network and a chip each."""
    loom, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    tally = dict.fromkeys(("plans", "stream_cycles", "end_cycles", "held_cycles",
                           "relaxed_cycles", "relaxed"), 0)
    os.makedirs(folder, exist_ok=True)
    bad = 0
    for number in range(first, first + rounds):
        wrong = check(loom, folder, number, tally)
        if wrong:
            bad += 1
            print(f"# round {number}: {wrong}")
    print("not ok" if bad else "ok", "1 - no plan is below, and the library is not above, what",
          "follows element by element")
    print(f"# {tally['plans']} plans; the library's LB0 is the same in {tally['stream_cycles']},",
          f"LB1 in {tally['end_cycles']}, LB2 in {tally['held_cycles']};",
          f"the relaxed program is above LB2 in {tally['relaxed']}")
    same = tally["stream_cycles"] * 2 > tally["plans"]
    print("ok" if same else "not ok", "2 - the library's LB0 is mostly the same")
    print("1..2")
    return bool(bad) or not same


if __name__ == "__main__":
    sys.exit(main())
