#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nodes with all operands and results written down, forms.txt, planned and run on the host; or refused. TAP."""
import os
import re
import sys

from cases import HERE, NEAR, Case, loom, numpy

# of one operand, which keep NaN
KEEPS = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log
Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tanh"""
NUMBERS = {"N": numpy.nan, "I": numpy.inf, "-I": -numpy.inf}
TENSOR = re.compile(r"(?:([fiub]\d)?\[([\d,]*)\]|([fiub]\d):)?([^!]*)(!?)")


def numbers(text):
    """Numbers with commas between, and ranges of integers."""
    out = []
    for one in text.split(",") if text else []:
        first, _, last = one.partition("..")
        out += range(int(first), int(last) + 1) if last else [
            NUMBERS[one] if one in NUMBERS else float(one) if "." in one else int(one)]
    return out


def tensor(text):
    """The array, and whether it is a constant; without a type f32, without a shape a vector."""
    kind, dims, other, text, known = TENSOR.fullmatch(text).groups()
    x = numpy.array(numbers(text), kind or other or "f4")
    if dims is not None:
        shape = [int(one) for one in dims.split(",") if one]
        x = x.reshape(shape) if x.size == numpy.prod(shape) else numpy.broadcast_to(x, shape)
    return x, bool(known)


def value(text):
    """An attribute: lists have a comma, and floats a dot."""
    if not re.fullmatch(r"[-\d.,]+", text):
        return text
    one = numbers(text.rstrip(","))
    return one if "," in text else one[0]


def parse(row):
    """The node, and what its error says; None: it has results."""
    row, _, why = row.partition(" refused: ")
    node, _, results = row.partition(" -> ")
    op, *words = node.split()
    op, _, opset = op.replace("ms.", "com.microsoft.").partition("@")
    attrs, operands, constants = {}, {}, []
    for word in words:
        name, equals, text = word.partition("=")
        if equals:
            attrs[name] = value(text)
            continue
        name = "abcdefghi"[len(operands)]
        operands[name], known = (None, False) if word == "-" else tensor(word)
        constants += [name] * known
    expected = [tensor(one)[0] for one in results.split()] or [numpy.zeros((), "f4")]
    return Case(op, operands, expected, constants, int(opset or 20), **attrs), why


def distance(row):
    """Of functions of data: the error in 1e-7, within so many times the result and so many beside that."""
    op, low, high, _, relative, absolute = row.split()
    x = numpy.linspace(float(low), float(high), 2000, dtype="f4")
    with loom.Graph.parse(Case(op, {"x": x}, [x], opset=22).model()) as graph:
        got = loom.run(graph, {"x": x})["y0"]
    want = getattr(numpy, op.lower().replace("a", "arc", op[0] == "A"))(x.astype("f8"))
    off = abs(got - want) * 1e7 / (float(relative) * abs(want) + float(absolute) + 1e-300)
    return "" if off.max() <= 1 else f"{off.max():g} times the bound at {x[off.argmax()]}"


def fault(row):
    """What is wrong, or ''."""
    if " within " in row:
        return distance(row)
    case, why = parse(row)
    try:
        with loom.Graph.parse(case.model()) as graph:
            got = loom.run(graph, case.feeds())
    except loom.Error as error:
        return "" if why and why in str(error) else str(error)
    if why:
        return "it is not refused"
    for name, want in case.expected.items():
        near = NEAR.get(want.dtype.name, 0)
        if got[name].dtype != want.dtype or got[name].shape != want.shape or not numpy.allclose(
                got[name].astype("f8"), want.astype("f8"), near, near, equal_nan=True):
            return f"{name} is {got[name].tolist()}"
    return ""


def main():
    with open(os.path.join(HERE, "forms.txt"), encoding="utf-8") as file:
        rows = [one.partition(" #")[0].strip() for one in file if one[0] != "#"]
    rows += [f"{op} N,N{known} -> N,N" for op in KEEPS.split() for known in ("", "!")]
    faults = [fault(row) for row in rows]
    for number, (row, why) in enumerate(zip(rows, faults), 1):
        print(f"{'not ok' if why else 'ok'} {number} {row}" + (f"\n# {why}" if why else ""))
    print(f"1..{len(rows)}")
    return any(faults)


if __name__ == "__main__":
    sys.exit(main())
