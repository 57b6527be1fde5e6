# SPDX-License-Identifier: MIT
"""Models of one operator, and how their results are compared: with a reference in float64, which is
written from the specification, and with ONNX Runtime, which runs all models in one process.

A family is a function that returns a Case for a random generator; see operators.py.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("1..0 # SKIP no numpy")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
os.environ.setdefault("LOOM_LIBRARY", os.path.join(ROOT, "build/libloom.so.1"))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(ROOT, "build/python")]
import loom  # noqa: E402
from wrong_models import field, value_info  # noqa: E402

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "uint32": 12,
         "uint64": 13}
UINT4, INT4 = 21, 22
NEAR = {"float32": 3e-5, "float16": 6e-3}


class Packed:
    """Integers of 4 bits, two to a byte."""

    def __init__(self, values, signed):
        self.values, self.kind = values, INT4 if signed else UINT4
        flat = values.reshape(-1).astype("i8") & 15
        flat = numpy.append(flat, numpy.zeros(flat.size % 2, "i8")).reshape(-1, 2)
        self.raw = (flat[:, 0] | flat[:, 1] << 4).astype("u1").tobytes()


class Stored(Packed):
    """A constant of a type that numpy does not have: its values, the number of the type, its bytes."""

    def __init__(self, values, kind, raw):
        self.values, self.kind, self.raw = values, kind, raw


def attribute(name, value):
    head = field(1, name)
    if isinstance(value, str):
        return head + field(4, value) + field(20, 3)
    if isinstance(value, float):
        return head + b"\x15" + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, list) and any(isinstance(one, float) for one in value):
        return head + b"".join(b"\x3d" + struct.pack("<f", one) for one in value) + field(20, 6)
    if isinstance(value, list):
        return head + b"".join(field(8, one % 2 ** 64) for one in value) + field(20, 7)
    return head + field(3, int(value) % 2 ** 64) + field(20, 2)


class Case:
    """One node: operands by name, in order; None is left out. @expected by output, None: not asked.

    @back: an operator that is applied to the result and the other operands. @left: the operand that is
    multiplied by the result, and that the node has not.
    """

    def __init__(self, op, operands, expected, constants=(), opset=23, near=None, ort=True, back="", left="",
                 **attrs):
        self.op, self.opset, self.ort, self.attrs = op, opset, ort, attrs
        self.operands, self.back, self.left = operands, back, left
        self.constants = constants
        self.expected = {f"y{i}": one for i, one in enumerate(expected) if one is not None}
        self.count = len(expected)
        self.near = near

    def feeds(self):
        return {name: value for name, value in self.operands.items()
                if value is not None and name not in self.constants}

    def model(self):
        domain, _, op = self.op.rpartition(".")
        node = b"".join(field(1, name if value is not None else "")
                        for name, value in self.operands.items() if name != self.left)
        node += b"".join(field(2, f"y{i}" if f"y{i}" in self.expected else "")
                         for i in range(self.count))
        node += field(3, "the node") + field(4, op)
        attrs = b"".join(field(5, attribute(*one)) for one in self.attrs.items())
        graph = field(1, node + attrs + field(7, domain)) + field(2, "graph")
        if self.back:
            graph = graph.replace(field(2, "y0"), field(2, "q0"))
            graph += field(1, b"".join(field(1, name) for name in ["q0", *list(self.operands)[1:]]) +
                           field(2, "y0") + field(3, "back") + field(4, self.back) + attrs)
        if self.left:
            graph = graph.replace(field(2, "y0"), field(2, "q0"))
            graph += field(1, field(1, self.left) + field(1, "q0") + field(2, "y0") +
                           field(3, "product") + field(4, "MatMul"))
        for name in self.constants:
            value = self.operands[name]
            if value is None:
                continue
            packed = isinstance(value, Packed)
            kind = value.kind if packed else TYPES[value.dtype.name]
            dims = (value.values if packed else value).shape
            raw = value.raw if packed else value.tobytes()
            graph += field(5, b"".join(field(1, dim) for dim in dims) + field(2, kind) +
                           field(8, name) + field(9, raw))
        for name, value in self.feeds().items():
            graph += field(11, value_info(name, value.shape, TYPES[value.dtype.name]))
        for name, value in self.expected.items():
            graph += field(12, value_info(name, value.shape, TYPES[self.kind(value).name]))
        opsets = field(8, field(1, "") + field(2, self.opset))
        return field(1, 10) + field(7, graph) + opsets + field(8, field(1, "com.microsoft") + field(2, 1))

    def kind(self, value):
        """Type of a result: floats are those of the case, which are computed in float64."""
        floats = [one.dtype for one in self.operands.values()
                  if isinstance(one, numpy.ndarray) and one.dtype.kind == "f"]
        return floats[0] if value.dtype == numpy.float64 else value.dtype

    def off(self, results):
        """The first result that is not near, or ''."""
        for name, want in self.expected.items():
            got = results[name]
            near = self.near or NEAR.get(got.dtype.name, 0)
            if got.shape != want.shape:
                return f"{name} is {got.shape}, not {want.shape}"
            got, want = numpy.maximum(got.astype("f8"), -3e4), numpy.maximum(want.astype("f8"), -3e4)
            largest = float(numpy.max(numpy.abs(want[want > -3e4]), initial=1))
            off = float(numpy.max(numpy.abs(got - want), initial=0))
            if not off <= near * largest:
                return f"{name} is off by {off:.3g} of {largest:.3g}"
        return ""


def run_ort(cases, folder):
    """Results of ONNX Runtime by case, or a text: its reason for none. None, if it is not there."""
    if not os.path.exists(os.path.join(ROOT, "build/ort/node_modules/onnxruntime-node")):
        return [None] * len(cases)
    lines = []
    for i, case in enumerate(cases):
        here = os.path.join(folder, str(i))
        os.mkdir(here)
        args = [os.path.join(here, "model.onnx"), os.path.join(here, "out"), "--plain"]
        with open(args[0], "wb") as file:
            file.write(case.model())
        for name, value in case.feeds().items():
            numpy.save(os.path.join(here, name), value)
            args.append(f"{name}={os.path.join(here, name)}.npy")
        lines.append(json.dumps(args))
    subprocess.run(["node", os.path.join(HERE, "ref.js"), "--each"], input="\n".join(lines),
                   text=True, check=True)
    results = []
    for i, case in enumerate(cases):
        here = os.path.join(folder, str(i), "out")
        if os.path.exists(os.path.join(here, "refused")):
            with open(os.path.join(here, "refused"), encoding="utf-8") as file:
                results.append(file.read().strip().splitlines()[0])
        else:
            results.append({name: numpy.load(os.path.join(here, name + ".npy"))
                            for name in case.expected})
    return results


ODD = [0, 1, -1, 2, 3, 5, 8, 16, 64, 1 << 31, 1 << 40, -1 << 63, (1 << 63) - 1]


def spoil(rng, case):
    """Changes an attribute, or an operand's shape, type or elements; says whether it has."""
    def one_of(some):
        return some[int(rng.integers(len(some)))]
    if case.attrs and rng.integers(2):
        name = one_of(list(case.attrs))
        old = case.attrs[name]
        case.attrs[name] = [one_of(ODD) for _ in range(int(rng.integers(10)))] if isinstance(old, list) else \
            one_of([0.0, -1.0, 1e38, float("nan"), float("inf")]) if isinstance(old, float) else one_of(ODD)
        return True
    name = one_of(list(case.operands))
    x = case.operands[name]
    if not isinstance(x, numpy.ndarray):
        return False
    case.operands[name] = one_of([
        lambda: None, lambda: x.reshape(-1), lambda: x.reshape(1, *x.shape),
        lambda: x[..., :int(rng.integers(x.shape[-1] + 1))] if x.ndim else x,
        lambda: x.astype(one_of(["f4", "f2", "i4", "i8", "u1", "?"])),
        lambda: numpy.full_like(x, one_of([0, 1, 127]))])()
    if rng.integers(3) == 0:
        case.constants = [one for one in case.constants if isinstance(case.operands[one], Packed)]
    return True


def survive(families, count, seed):
    """Spoiled models are refused or imported, and nothing else."""
    rng, refused = numpy.random.default_rng([seed, 0]), 0
    for i in range(count):
        case = list(families.values())[i % len(families)](rng, i)
        if not spoil(rng, case) or not any(isinstance(one, numpy.ndarray) and one.dtype.kind == "f"
                                           for one in case.operands.values()):
            continue
        try:
            loom.Graph.parse(case.model()).close()
        except loom.Error:
            refused += 1
    return refused


def compare(families, count, seed, only):
    """TAP on standard output; returns the number of families that failed."""
    print(f"1..{len(families) + 1}")
    bad = 0
    for number, (name, family) in enumerate(families.items(), 1):
        if only and only not in name:
            print(f"ok {number} {name} # SKIP")
            continue
        rng = numpy.random.default_rng([seed, number])
        cases = [family(rng, i) for i in range(count)]
        with tempfile.TemporaryDirectory() as folder:
            others = run_ort(cases, folder)
        failed, refused = [], 0
        for i, (case, other) in enumerate(zip(cases, others)):
            shapes = {key: getattr(value, "shape", None) for key, value in case.operands.items()}
            try:
                with loom.Graph.parse(case.model()) as graph:
                    ours = loom.run(graph, case.feeds())
            except loom.Error as error:
                failed.append(f"{i}: {error} {case.attrs} {shapes}")
                continue
            off = case.off(ours)
            if off:
                failed.append(f"{i}: {off} {case.attrs} {shapes}")
            if other is None:
                continue
            if isinstance(other, str):
                refused += 1
                if case.ort:
                    failed.append(f"{i}: ONNX Runtime: {other[-200:]} {case.attrs} {shapes}")
            elif case.ort and case.off(other):
                failed.append(f"{i}: ONNX Runtime: {case.off(other)} {case.attrs} {shapes}")
        for line in failed:
            print("#", line)
        beside = f"{refused} of them not run by ONNX Runtime" if others[0] else "without ONNX Runtime"
        print(f"{'not ok' if failed else 'ok'} {number} {name}: {count} cases, {beside}", flush=True)
        bad += bool(failed)
    refused = survive(families, 100 * count, seed)
    print(f"ok {len(families) + 1} spoiled models: {refused} of {100 * count} are refused")
    return bad
