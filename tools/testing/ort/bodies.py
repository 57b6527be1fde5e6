#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loop, Scan and If: graphs in graphs, right and wrong, beside ONNX Runtime. TAP."""
import sys
import tempfile

from cases import Case, attribute, field, loom, numpy, run_ort, value_info

X = numpy.array([[-3, -0.5, 0], [1, 2.5, -1]], "f4")
# of what is no float
KINDS = {"i": 7, "n": 7, "rate": 7, "c": 9}


def constant(name, text):
    """A number, floats with commas between, or true."""
    kind, value = (9, numpy.array(True)) if text == "true" else (
        1, numpy.array([float(one) for one in text.split(",")], "f4")) if "." in text else (
        7, numpy.array(int(text), "i8"))
    dims = value.shape if "," in text else ()
    return field(5, b"".join(field(1, dim) for dim in dims) + field(2, kind) + field(8, name) +
                 field(9, value.tobytes()))


def graph(text, *bodies, inputs="i c v"):
    """
    Statements with semicolons between them: "y z = Op a - b", with "-" for what is left out, and
    attributes "i=1", "ints=1,2" or "body=@", the next of @bodies; "n = 3" for constants; "> y z" for outputs.
    """
    out, bodies = field(2, "graph"), list(bodies)
    for name in inputs.split():
        scalar = field(2, b"") if name in KINDS else b""
        out += field(11, field(1, name) + field(2, field(1, field(1, KINDS.get(name, 1)) + scalar)))
    for statement in text.split(";"):
        results, _, of = statement.strip().partition(" = ")
        if results[0] == ">":
            out += b"".join(field(12, field(1, name)) for name in results[1:].split())
            continue
        op, *words = of.split()
        if not op[0].isupper():
            out += constant(results, op)
            continue
        node = b"".join(field(1, "" if one == "-" else one) for one in words if "=" not in one)
        node += b"".join(field(2, one) for one in results.split()) + field(3, op) + field(4, op)
        for name, value in (one.split("=") for one in words if "=" in one):
            if value != "@":
                node += field(5, attribute(name, [int(one) for one in value.split(",") if one]
                                           if "," in value else int(value)))
            elif bodies[0] is not None:
                node += field(5, field(1, name) + field(6, bodies[0]) + field(20, 5))
            bodies = bodies[value == "@":]
        out += field(1, node)
    return out


class Model(Case):
    """@results by name, of x and of scalars @more; @constants are known when it is planned."""

    def __init__(self, text, *bodies, results=(), ort=True, constants=None, **more):
        more = {name: numpy.array(value) for name, value in more.items()}
        super().__init__("", {"x": X, **more}, [], ort=ort)
        self.given = {name: numpy.array(value) for name, value in (constants or {}).items()}
        self.expected = {name: numpy.array(value, "i8" if name.endswith(".count") else "f8")
                         for name, value in dict(results).items()}
        self.graph = graph(text, *bodies, inputs=" ".join([*more, *self.given])) + \
            field(11, value_info("x", X.shape))

    def model(self):
        return field(1, 8) + field(7, self.graph) + field(8, field(1, "") + field(2, 13))

    def said(self):
        try:
            with loom.Graph.parse(self.model(), "test", constants=self.given) as one:
                return self.off(loom.run(one, self.feeds()))
        except loom.Error as error:
            return str(error)


def rounds(first, count, step):
    """All values of a state, the first one apart."""
    found = [first]
    for t in range(count):
        found.append(step(found[-1], t))
    return found[1:]


# v = v * x + round; all v are stacked, and what a body reads of outside is x
POWER = "f = Cast i to=1; t = Mul v x; n = Add t f; d = Identity c; > d n n"
POWERS = rounds(X, 4, lambda v, t: v * X + t)
IF = "y = If c then_branch=@ else_branch=@; > y"
FIRST, SECOND = (graph(f"k = {k}; t = Add x k; r = {op} t; > r", inputs="") for op, k in (("Relu", 1.0), ("Neg", 2.0)))
TAKEN = [-(X + 2), numpy.maximum(X + 1, 0)]
NOT_C = "t = Not c; r = If {} then_branch=@ else_branch=@; > r"
INNER = [graph(NOT_C.format(one), FIRST, SECOND, inputs="") for one in "ct"]
THRICE = "count = 3; y = Loop count - x body=@; > y"
SUMS = numpy.cumsum(X[:, ::-1], 1)[:, ::-1]
UNTIL = numpy.stack([X + t + 1 if t < 3 else 0 * X for t in range(6)])

RIGHT = {
    "a loop with a count, a state and a result of all rounds": Model(
        "count = 4; y all = Loop count - x body=@; > y all", graph(POWER), results={"y": POWERS[-1], "all": POWERS}),
    "a loop that never runs": Model(
        "count = 0; s = Loop count - x body=@; y = Abs s; > y", graph(POWER.replace("> d n n", "> d n")),
        results={"y": abs(X)}),
    "a loop that ends by what is known of shapes": Model(
        "go = true; y = Loop - go x body=@; > y",
        graph("zero = 0; end = 6; shape = Shape x; rows = Gather shape zero; done = Mul rows i; "
              "d = Less done end; n = Add v x; > d n"), results={"y": 5 * X}),
    # v = v + 1 until the largest is 5.5 or more; elements behind the end are 0
    "a loop whose end the data decide": Model(
        "count = 6; y all = Loop count - x body=@; > y all",
        graph("one = 1.0; end = 5.5; n = Add v one; s = ReduceMax n keepdims=0; d = Less s end; > d n n"),
        results={"y": X + 3, "all": UNTIL, "y.count": [3]}, ort=False),
    # two rounds of three each: v = v + x, then v = v / 2; names are the same in both bodies
    "loops in loops": Model(
        "count = 2; y = Loop count - x body=@; > y",
        graph("three = 3; half = 0.5; w = Loop three - v body=@; t = Mul w half; > c t",
              graph("t = Add v x; > c t")), results={"y": (2 * X + 3 * X) / 2}),
    "branches in loops, by the round": Model(
        "count = 5; y = Loop count - x body=@; > y",
        graph("two = 2; zero = 0; m = Mod i two; e = Equal m zero; n = If e then_branch=@ else_branch=@; > c n",
              graph("r = Add v x; > r", inputs=""), graph("one = 1.0; r = Add v one; > r", inputs="")),
        results={"y": 4 * X + 2}),
    "a scan over columns, from the last": Model(
        "flat = 0.0,0.0; s all = Scan flat x num_scan_inputs=1 scan_input_axes=1, scan_output_axes=-1, "
        "scan_input_directions=1, scan_output_directions=1, body=@; > s all",
        graph("t = Add s e; u = Identity t; > t u", inputs="s e"), results={"s": SUMS[:, 0], "all": SUMS}),
    **{f"a condition on a shape is known: {rows}": Model(
        f"rows = {rows}; zero = 0; shape = Shape x; count = Gather shape zero; c = Equal count rows; " + IF,
        FIRST, SECOND, results={"y": TAKEN[rows == 2]}) for rows in (2, 3)},
    **{f"so is one on a value: {rate}": Model(
        "limit = 16000; c = Equal rate limit; " + IF, FIRST, SECOND, results={"y": TAKEN[rate == 16000]},
        constants={"rate": rate}, ort=False) for rate in (8000, 16000)},
    **{f"one on data takes both branches: {holds}": Model(
        IF, FIRST, SECOND, results={"y": TAKEN[holds]}, c=holds) for holds in (False, True)},
    # the outer one asks for c; the inner ones for c when it holds and for not c when it does not, or the other way
    # round; with names of others, which ONNX Runtime refuses
    **{f"branches in branches: {holds}, {way}": Model(
        IF, *INNER[::way], results={"y": TAKEN[way > 0]}, c=holds, ort=False)
        for holds in (False, True) for way in (1, -1)},
    "a branch that is never taken may have anything": Model(
        "c = true; " + IF, FIRST, graph("r = Det x; > r", inputs=""), results={"y": TAKEN[True]}, ort=False),
}


def nested(body):
    """Each loop is short, and all of them together are not."""
    for _ in range(3):
        body = graph("count = 100; n = Loop count - v body=@; > c n", body)
    return body


IN_LOOP, IN_SCAN, IN_IF = (f'node "{op}": operator {op}: ' for op in ("Loop", "Scan", "If"))
WRONG = {
    IN_LOOP + "it runs more than 2048 times": Model("go = true; y = Loop - go x body=@; > y", graph(POWER)),
    IN_LOOP + "its condition is not one bool": Model(THRICE, graph("d = Greater v v; > d v")),
    IN_LOOP + "how often it runs depends on the data, and no trip count of at most 2048 limits it": Model(
        "go = true; y = Loop - go x body=@; > y", graph("s = ReduceSum v; d = Greater s s; > d v")),
    IN_LOOP + "state 0 changes its shape, and the data say how often it runs": Model(
        THRICE, graph("s = ReduceSum v; d = Greater s s; n = Concat v v axis=0; > d n")),
    IN_LOOP + "result 1 is f32 [2,3] in one round and f32 [4,3] in another": Model(
        "count = 3; y all = Loop count - x body=@; > all", graph("n = Concat v v axis=0; > c n v")),
    IN_LOOP + "its body has 3 inputs, and not 2": Model("count = 3; y = Loop count - body=@; > y", graph(POWER)),
    IN_LOOP + "it has no body": Model(THRICE, None),
    IN_LOOP + 'operand "nothing" is never computed': Model(THRICE, graph(POWER + "; > nothing")),
    # the names of a body are told apart as those of a model are
    'two tensors are called "n~1"': Model(THRICE, graph("n = Mul v x; n = Add n v; > c n")),
    'two tensors are called "v~1"': Model(THRICE, graph("v = Mul v x; > c v")),
    IN_LOOP + 'operand "n" has to be known when the model is planned': Model(
        "y = Loop n - x body=@; > y", graph(POWER), n=3),
    # a result of an inner loop in an earlier round is not its result in this one
    IN_LOOP + "it never runs, so result 1 has no shape": Model(
        "count = 2; y = Loop count - x body=@; > y",
        graph("one = 1; d = Less i one; count = 2; n all = Loop count d v body=@; s = ReduceSum all; "
              "m = Add n s; > c m", graph(POWER))),
    IN_LOOP + "written out it has more than 16384 nodes": Model(
        "count = 100; y = Loop count - x body=@; > y", nested(graph(POWER))),
    IN_SCAN + "its operands have 2 and 3 elements": Model(
        "y = Scan x x num_scan_inputs=2 scan_input_axes=0,1 body=@; > y",
        graph("t = Add a b; > t", inputs="a b")),
    IN_SCAN + "num_scan_inputs 2 is out of range": Model(
        "y = Scan x num_scan_inputs=2 body=@; > y", graph("> a", inputs="a")),
    IN_IF + "its condition depends on the data, and its branches give f32 [2,3] and f32 [1,1]": Model(
        IF, FIRST, graph("r = ReduceSum x; > r", inputs=""), c=True),
    IN_IF + "it has no else_branch": Model(IF, FIRST, None, c=True),
    IN_IF + "then_branch gives 1 results, and the node 2": Model(
        "y z = If c then_branch=@ else_branch=@; > y", FIRST, SECOND, c=True),
    IN_IF + "its condition is not one bool": Model("y = If x then_branch=@ else_branch=@; > y", FIRST, SECOND),
    # a tensor of a branch is not seen outside of it
    'node "Abs": operator Abs: operand "t" is never computed': Model(
        IF + "; z = Abs t; > z", FIRST, SECOND, c=True),
}


def main():
    bad = 0
    print(f"1..{len(RIGHT) + len(WRONG)}")
    beside = [name for name, case in RIGHT.items() if case.ort]
    with tempfile.TemporaryDirectory() as folder:
        others = dict(zip(beside, run_ort([RIGHT[name] for name in beside], folder)))
    results = []
    for name, case in RIGHT.items():
        other = others.get(name)
        results.append((name, case.said() or (case.off(other) if isinstance(other, dict) else other or "")))
    for why, case in WRONG.items():
        line = case.said()
        results.append((why, "" if line == "test: " + why else line or "it runs"))
    for number, (name, fault) in enumerate(results, 1):
        print(f"{'not ok' if fault else 'ok'} {number} {name}" + (f"\n# {fault}" if fault else ""))
        bad += bool(fault)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
