# SPDX-License-Identifier: MIT
"""Families of operators.py: recurrent networks, and products of bytes with zero points."""
from cases import Case, numpy


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def one_step(op, x, h, cell, weights, coupled, clip):
    """A state and a cell after a step, by the formulas of the specification."""
    w, r, (b, rb), p = weights

    def act(fn, x):
        return fn(numpy.clip(x, -clip, clip) if clip else x)
    of_x, of_h = w @ x + b, numpy.einsum("gij,j->gi", r, h) + rb
    both = of_x + of_h
    if op == "RNN":
        return act(numpy.tanh, both[0]), cell
    if op == "GRU":
        z, reset = act(sigmoid, both[0]), act(sigmoid, both[1])
        n = act(numpy.tanh, of_x[2] + (reset * of_h[2] if coupled else r[2] @ (reset * h) + rb[2]))
        return (1 - z) * n + z * h, cell
    i = act(sigmoid, both[0] + p[0] * cell)
    f = 1 - i if coupled else act(sigmoid, both[2] + p[2] * cell)
    cell = f * cell + i * act(numpy.tanh, both[3])
    return act(sigmoid, both[1] + p[1] * cell) * numpy.tanh(cell), cell


def recurrent(rng, i):
    """LSTM, GRU and RNN of all forms; also of sequences without a step."""
    op, gates = [("LSTM", 4), ("GRU", 3), ("RNN", 1)][i % 3]
    kind = "f2" if i % 8 == 7 else "f4"
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    both, lstm = 2 if direction == "bidirectional" else 1, op == "LSTM"
    steps, batch, inputs, size = (int(one) for one in rng.integers(1, 7, 4))

    def draw(*dims, there=1):
        x = rng.uniform(-1, 1, dims)
        return x.astype(kind) if there and rng.integers(4) else None
    x, w, r = (rng.uniform(-1, 1, dims).astype(kind) for dims in (
        (steps, batch, inputs), (both, gates * size, inputs), (both, gates * size, size)))
    b, p = draw(both, 2 * gates * size), draw(both, 3 * size, there=lstm)
    h, c = draw(both, batch, size), draw(both, batch, size, there=lstm)
    length, form = numpy.full(batch, steps), int(rng.integers(4))
    if form:
        length = rng.integers(0 if form == 1 else 1, steps + 1, batch)
    attrs = {"hidden_size": size, "direction": direction}
    coupled, clip, turned = op != "RNN" and i % 5 == 1, 0.5 if i % 4 == 2 else 0, int(i % 7 == 3)
    if coupled:
        attrs["input_forget" if lstm else "linear_before_reset"] = 1
    if clip:
        attrs["clip"] = clip
    if turned:
        attrs["layout"] = 1
    y, ends = numpy.zeros((steps, both, batch, size)), numpy.zeros((2, both, batch, size))
    for d, item in numpy.ndindex(both, batch):
        weights = (w[d].reshape(gates, size, -1).astype("f8"), r[d].reshape(gates, size, -1).astype("f8"),
                   (numpy.zeros(2 * gates * size) if b is None else b[d].astype("f8")).reshape(2, gates, size),
                   (numpy.zeros(3 * size) if p is None else p[d].astype("f8")).reshape(3, size))
        now, cell = (numpy.zeros(size) if one is None else one[d, item].astype("f8") for one in (h, c))
        times = range(length[item])
        for t in reversed(times) if d or direction == "reverse" else times:
            now, cell = one_step(op, x[t, item].astype("f8"), now, cell, weights, coupled, clip)
            y[t, d, item] = now
        if length[item]:
            ends[:, d, item] = now, cell
    if turned:
        x, y, ends = x.swapaxes(0, 1), y.transpose(2, 0, 1, 3), ends.swapaxes(1, 2)
        h, c = (None if one is None else one.swapaxes(0, 1) for one in (h, c))
    operands = {"x": x, "w": w, "r": r, "b": b, "l": length.astype("i4") if form else None, "h": h}
    operands |= {"c": c, "p": p} if lstm else {}
    operands = {name: None if one is None else numpy.ascontiguousarray(one) for name, one in operands.items()}
    return Case(op, operands, [y, *ends[:2 if lstm else 1]], ["w", "r", "b", "p"][:4 if lstm else 3] + ["l"] * (form < 3), opset=14,
                ort=kind == "f4" and not turned and length.all(), **attrs)


def integers(rng, i):
    """Products and convolutions with zero points that are computed, of rows, columns and channels."""
    def draw(kind, *dims):
        return rng.integers(-128 if kind == "i1" else 0, 128 if kind == "i1" else 256, dims).astype(kind)
    known, many = ["p", "q"] * int(rng.integers(2)), bool(rng.integers(2))
    if i % 2:
        m, k, n = (int(one) for one in rng.integers(1, 40, 3))
        a, b, rows = draw("u1", m, k), draw("i1", k, n), not rng.integers(3)
        p, q = draw("u1", *[m] * rows), draw("i1", *[n] * many)
        y = (a.astype("i4") - (p[:, None] if rows else p)) @ (b.astype("i4") - q)
        return Case("MatMulInteger", {"x": a, "w": b, "p": p, "q": q}, [y.astype("i4")], known, opset=13,
                    ort=not rows)
    groups, inputs, outputs, side = (int(one) for one in rng.integers(1, 5, 4))
    side += 2
    x, w = draw("u1", 1, groups * inputs, side, side), draw("i1", groups * outputs, inputs, 3, 3)
    p, q = draw("u1"), draw("i1", *[groups * outputs] * many)
    parts = x[0].astype("i4").reshape(groups, inputs, side, side) - p
    parts = numpy.pad(parts, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = numpy.lib.stride_tricks.sliding_window_view(parts, (3, 3), (2, 3))[:, :, ::2, ::2]
    taps = (w.astype("i4") - q.reshape(-1, *[1] * 3 * many)).reshape(groups, outputs, inputs, 3, 3)
    y = numpy.einsum("gihwyx,goiyx->gohw", windows, taps)
    return Case("ConvInteger", {"x": x, "w": w, "p": p, "q": q}, [y.reshape(1, -1, *y.shape[2:]).astype("i4")],
                known, opset=13, ort=not many, group=groups, pads=[1] * 4, strides=[2] * 2)
