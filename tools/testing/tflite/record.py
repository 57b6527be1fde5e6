#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The memory plan in a model, read and judged without the library.

    record.py PLANNED.tflite ARENA [ORIGINAL.tflite]

Reads the metadata OfflineMemoryAllocation, works out lifetimes as TensorFlow Lite Micro does,
compares all pairs of tensors, and the top of the arena with ARENA. With ORIGINAL: all else is as it
was there, except the order of operators, which has to be one that can run.
"""

import struct
import sys

import flat


def load(path):
    with open(path, "rb") as file:
        return flat.root(file.read())


def record(root):
    found = [m for m in root.tables(6) if m.text(0) == "OfflineMemoryAllocation"]
    assert len(found) == 1, f"{len(found)} records"
    data = root.tables(4)[found[0].number(1, "I")].raw(0)
    numbers = struct.unpack(f"<{len(data) // 4}i", data)
    assert numbers[:2] == (0, 1), "version and subgraphs"
    assert numbers[2] == len(numbers) - 3, "number of offsets"
    return numbers[3:]


def sizes(root):
    out = []
    for tensor in root.tables(2)[0].tables(0):
        size = flat.SIZES[tensor.number(1, "b")]
        for dim in tensor.numbers(0, "i"):
            size *= dim
        constant = root.tables(4)[tensor.number(2, "I")].raw(0)
        out.append(0 if constant or tensor.number(5, "B") else size)
    return out


def lifetimes(root):
    graph = root.tables(2)[0]
    first, last, operators = {}, {}, graph.tables(3)
    for number in graph.numbers(1, "i"):
        first[number] = last[number] = 0
    for moment, op in enumerate(operators, 1):
        for number in op.numbers(1, "i"):
            if number >= 0:
                last[number] = moment
        for number in op.numbers(2, "i"):
            assert number not in first, "computed twice"
            first[number] = last[number] = moment
    for number in graph.numbers(2, "i"):
        last[number] = len(operators)
    return {n: (first[n], last[n]) for n in first}


def judge(root, arena):
    offsets, bytes_of, alive = record(root), sizes(root), lifetimes(root)
    assert len(offsets) == len(bytes_of), "a number for each tensor"
    top, placed = 0, []
    for number, offset in enumerate(offsets):
        if not bytes_of[number] or number not in alive:
            assert offset == -1, f"tensor {number} needs no place"
            continue
        assert offset >= 0 and offset % 16 == 0, f"tensor {number} at {offset}"
        top = max(top, offset + -(-bytes_of[number] // 16) * 16)
        placed.append((number, offset, offset + bytes_of[number], *alive[number]))
    for i, (a, a0, a1, af, al) in enumerate(placed):
        for b, b0, b1, bf, bl in placed[:i]:
            assert a1 <= b0 or b1 <= a0 or al < bf or bl < af, f"{a} and {b} share bytes"
    assert top == arena, f"the arena is {top}"


def plain(view, letters):
    """Fields of a table that are numbers, for comparing."""
    return [view.number(i, letter, None) for i, letter in letters.items()]


def same(planned, original):
    p, o = planned.tables(2)[0], original.tables(2)[0]
    assert planned.text(3) == original.text(3)
    assert p.numbers(1, "i") == o.numbers(1, "i") and p.numbers(2, "i") == o.numbers(2, "i")
    buffers, before = planned.tables(4), original.tables(4)
    assert len(buffers) == len(before) + 1
    assert all(a.raw(0) == b.raw(0) for a, b in zip(buffers, before)), "a buffer has changed"
    # data have to stay where a processor can read them
    assert all((a.follow(0) - b.follow(0)) % 16 == 0
               for a, b in zip(buffers, before) if a.raw(0)), "not aligned as it was"
    assert (buffers[-1].follow(0) + 4) % 16 == 0, "the record is not aligned"
    for a, b in zip(p.tables(0), o.tables(0)):
        assert a.numbers(0, "i") == b.numbers(0, "i") and a.text(3) == b.text(3)
        assert plain(a, {1: "b", 2: "I", 5: "B"}) == plain(b, {1: "b", 2: "I", 5: "B"})
    ops = [(a.number(0, "I"), a.numbers(1, "i"), a.numbers(2, "i"))
           for a in p.tables(3)], [(a.number(0, "I"), a.numbers(1, "i"), a.numbers(2, "i"))
                                   for a in o.tables(3)]
    assert sorted(ops[0]) == sorted(ops[1]), "operators have changed"
    # each reads only what is there by then
    outputs = {n for op in ops[0] for n in op[2]}
    there = set()
    for _, reads, writes in ops[0]:
        assert all(n not in outputs or n in there for n in reads), "read before it is computed"
        there.update(writes)
    return ops[0] != ops[1]


def main(path, arena, original=None):
    root = load(path)
    judge(root, int(arena))
    moved = same(root, load(original)) if original else False
    print(f"{path}: {arena} bytes" + (", operators moved" if moved else ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
