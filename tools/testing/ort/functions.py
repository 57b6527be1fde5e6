#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of a model: nodes take the place of calls. TAP."""
import sys
import tempfile

from cases import Case, attribute, field, loom, numpy, run_ort, value_info

OPSET = 17
X = numpy.array([-2, -1, 1, 3], "f4")


def node(op, operands, results, *attrs, domain=""):
    return (b"".join(field(1, one) for one in operands.split()) +
            b"".join(field(2, one) for one in results.split()) + field(3, "node of " + results) + field(4, op) +
            b"".join(field(5, one) for one in attrs) + field(7, domain))


def call(op, operands, results, *attrs):
    return node(op, operands, results, *attrs, domain="my")


def of_call(name, of):
    """A float attribute whose value is attribute @of of the calling node."""
    return field(1, name) + field(20, 1) + field(21, of)


def function(name, operands, results, nodes, attrs="", opset=OPSET, more=b""):
    return (field(1, name) + b"".join(field(4, one) for one in operands.split()) +
            b"".join(field(5, one) for one in results.split()) +
            b"".join(field(6, one) for one in attrs.split()) + b"".join(field(7, one) for one in nodes) +
            field(9, field(1, "") + field(2, opset)) + field(9, field(1, "my") + field(2, 1)) +
            field(10, "my") + more)


class Model(Case):
    """y of x, f32 [4]."""

    def __init__(self, nodes, functions, expected, ort=True):
        super().__init__("", {"x": X}, [expected], opset=OPSET, ort=ort)
        self.nodes, self.functions = nodes, functions

    def model(self):
        graph = b"".join(field(1, one) for one in self.nodes) + field(2, "graph")
        graph += field(11, value_info("x", [4])) + field(12, value_info("y0", [4]))
        return (field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, OPSET)) +
                field(8, field(1, "my") + field(2, 1)) + b"".join(field(25, one) for one in self.functions))


def leak(x, slope):
    return -numpy.where(x < 0, x * slope, x).astype("f8")


LEAK = function("Leak", "a", "b", [node("LeakyRelu", "a", "t", of_call("alpha", "slope")),
                                   node("Neg", "t", "b")], "slope")
TWICE = function("Twice", "a c", "b d", [
    call("Leak", "a", "t", of_call("slope", "s")), call("Leak", "t", "b", attribute("slope", 1.0)),
    node("Identity", "c", "d")], "s")
NEG = [node("Neg", "a", "b")]

RIGHT = {
    "an attribute of the call": Model([call("Leak", "x", "y0", attribute("slope", 0.5))], [LEAK], leak(X, 0.5)),
    "an attribute left out": Model([call("Leak", "x", "y0")], [LEAK], leak(X, 0.01)),
    "a function that calls another, twice, with names of the caller": Model(
        [call("Twice", "x x", "t b", attribute("s", 0.25)), node("Add", "t b", "y0")], [LEAK, TWICE],
        leak(leak(X, 0.25), 1) + X),
    "a result that is an operand": Model([call("Same", "x", "y0")], [function("Same", "a", "a", [])],
                                         X.astype("f8"), ort=False),
}

WRONG = {
    "nested too deep": [function("Leak", "a", "b", [call("Leak", "a", "b")])],
    "or too large": [function("Leak", "a", "b", [call("B0", "a", "b")])] + [
        function(f"B{i}", "a", "b", [call(f"B{i + 1}", "a", f"t{k}") for k in range(60)] +
                 [node("Neg", "t0", "b")]) for i in range(12)] + [function("B12", "a", "b", NEG)],
    "too many operands": [function("Leak", "", "b", NEG)],
    f"opset {OPSET - 1} in a model of opset {OPSET}": [function("Leak", "a", "b", NEG, opset=OPSET - 1)],
    "defaults and overloads": [function("Leak", "a", "b", NEG, more=field(11, attribute("slope", 1.0)))],
}


def said(case):
    try:
        with loom.Graph.parse(case.model()) as graph:
            return case.off(loom.run(graph, case.feeds()))
    except loom.Error as error:
        return str(error)


def main():
    bad = 0
    print(f"1..{len(RIGHT) + len(WRONG)}")
    with tempfile.TemporaryDirectory() as folder:
        others = run_ort(list(RIGHT.values()), folder)
    results = [(name, said(case) or
                (case.ort and (case.off(other) if isinstance(other, dict) else other) or ""))
               for (name, case), other in zip(RIGHT.items(), others)]
    for why, functions in WRONG.items():
        line = said(Model([call("Leak", "x", "y0")], functions, X.astype("f8")))
        results.append((why + ": refused", "" if why in line else line or "it runs"))
    for number, (name, fault) in enumerate(results, 1):
        print(f"{'not ok' if fault else 'ok'} {number} {name}" + (f"\n# {fault}" if fault else ""))
        bad += bool(fault)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
