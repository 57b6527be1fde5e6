#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators of transformers and of low-bit weights beside float64 and ONNX Runtime. TAP.

	operators.py [--count N] [--seed N] [FAMILY]
"""
import argparse
import sys

from cases import Case, Packed, Stored, compare, numpy
from formulas import integers, recurrent

HIDDEN = -numpy.inf


def draw(rng, dims, kind):
    return rng.standard_normal(dims).astype(kind)


def kind_of(i):
    return "f2" if i % 5 == 4 else "f4"


def wide(x):
    return None if x is None else x.astype("f8")


def softmax(x):
    x = numpy.exp(x - numpy.max(x, -1, keepdims=True))
    return x / numpy.sum(x, -1, keepdims=True)


def attend(q, k, v, bias, scale=0, softcap=0, sink=None):
    """Heads in front; returns the result and the scores at each stage."""
    repeat = q.shape[1] // k.shape[1]
    k, v = numpy.repeat(k, repeat, 1), numpy.repeat(v, repeat, 1)
    product = q @ k.swapaxes(2, 3) * (scale or q.shape[3] ** -0.5)
    capped = numpy.tanh(product / softcap) * softcap if softcap else product
    masked = capped + bias
    if sink is None:
        weights = softmax(masked)
    else:
        column = numpy.broadcast_to(numpy.reshape(sink, (1, -1, 1, 1)), masked.shape[:3] + (1,))
        weights = softmax(numpy.concatenate([masked, column], 3))[..., :-1]
    return weights @ v, [product, capped, masked, weights]


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def join(x):
    x = x.swapaxes(1, 2)
    return x.reshape(*x.shape[:2], -1)


def order(queries, positions, past, window=0):
    """0 where a position is seen, by causality and within a window; past by batch or one."""
    past = numpy.reshape(past, (-1, 1, 1, 1))
    ahead = numpy.arange(positions) - numpy.arange(queries).reshape(-1, 1) - past
    return numpy.where((ahead <= 0) & ((window < 1) | (ahead > -window)), 0, HIDDEN)


def rotate(x, cos, sin, interleaved):
    """cos, sin: [batch, n, size / 2]"""
    half = cos.shape[-1]
    cos, sin = cos[:, None], sin[:, None]
    first = numpy.s_[..., 0:2 * half:2] if interleaved else numpy.s_[..., :half]
    second = numpy.s_[..., 1:2 * half:2] if interleaved else numpy.s_[..., half:2 * half]
    y = x.copy()
    y[first] = x[first] * cos - x[second] * sin
    y[second] = x[first] * sin + x[second] * cos
    return y


def angles(rng, count, half, kind):
    x = rng.uniform(0, 6.3, (count, half))
    return numpy.cos(x).astype(kind), numpy.sin(x).astype(kind)


def attention(rng, i):
    kind, batch, shared = kind_of(i), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    heads, queries, size = shared * int(rng.integers(1, 4)), int(rng.integers(1, 6)), int(rng.integers(1, 9))
    other = int(rng.integers(1, 9))
    new, past = int(rng.integers(1, 8)), int(rng.integers(0, 2)) * int(rng.integers(1, 5))
    causal, form = bool(rng.integers(2)), int(rng.integers(0, 3))
    if causal:
        new = queries + int(rng.integers(2))
    joined = bool(rng.integers(2))
    q, k, v = (draw(rng, dims, kind) for dims in ((batch, heads, queries, size),
               (batch, shared, new, size), (batch, shared, new, other)))
    pasts = [draw(rng, (batch, shared, past, one), kind) for one in (size, other)] if past else [None] * 2
    keys, values = (numpy.concatenate([a, b], 2) if past else b for a, b in zip(pasts, (k, v)))
    positions = past + new
    dims = [(queries, positions), (heads, queries, positions), (batch, heads, queries, positions),
            (1, 1, queries, positions)][int(rng.integers(4))]
    mask, bias = None, 0.0
    if form == 1:
        mask = rng.random(dims) < 0.7
        mask[..., 0] = True
        bias = numpy.where(mask, 0, HIDDEN)
    elif form == 2:
        mask = draw(rng, dims, kind)
        bias = wide(mask)
    attrs = {}
    opset = int(rng.integers(23, 25))
    lengths, first = None, past
    if opset == 24 and not past and rng.integers(2):
        lengths = rng.integers(queries if causal else 1, positions + 1, batch)
        first = lengths - queries
        bias = bias + numpy.where(numpy.arange(positions) < lengths.reshape(-1, 1, 1, 1), 0, HIDDEN)
    if causal:
        bias = bias + order(queries, positions, first)
    if form == 1 and rng.integers(2):
        attrs["scale"] = 0.3
    if rng.integers(3) == 0:
        attrs["softcap"] = 1.5
    y, scores = attend(wide(q), wide(keys), wide(values), bias, attrs.get("scale", 0),
                       attrs.get("softcap", 0))
    if joined:
        q, k, v, y = join(q), join(k), join(v), join(y)
        attrs |= {"q_num_heads": heads, "kv_num_heads": shared}
    stage = int(rng.integers(-1, 4))
    expected = [y, wide(keys) if past else None, wide(values) if past else None]
    if stage >= 0:
        attrs["qk_matmul_output_mode"] = stage
        expected.append(scores[stage])
    if causal:
        attrs["is_causal"] = 1
    operands = {"q": q, "k": k, "v": v, "mask": mask, "past_k": pasts[0], "past_v": pasts[1]}
    if lengths is not None:
        operands["lengths"] = lengths
    return Case("Attention", operands, expected, opset=opset, **attrs)


def rotary(rng, i, domain=""):
    kind, batch, heads = kind_of(i), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    n, half, rest = int(rng.integers(1, 6)), int(rng.integers(1, 5)), 0
    joined, interleaved, table = bool(rng.integers(2)), int(rng.integers(2)), int(rng.integers(n, 12))
    if rng.integers(3) == 0:
        half, rest = 4 * half, 8 * half
    attrs = {"interleaved": interleaved}
    x = draw(rng, (batch, heads, n, 2 * half + rest), kind)
    cos, sin = angles(rng, table, half, kind)
    at = rng.integers(0, table, (batch, n))
    constants = []
    if rng.integers(2):
        constants = ["cos", "sin"]
    if domain and rng.integers(2):
        first = int(rng.integers(0, table - n + 1))
        at = numpy.array([first])
        rows = numpy.arange(first, first + n).reshape(1, n)
    else:
        rows = at
    y = rotate(wide(x), wide(cos)[rows], wide(sin)[rows], interleaved)
    if rest:
        attrs |= {"rotary_embedding_dim": 2 * half, "num_heads": heads}
    if joined:
        x, y = join(x), join(y)
        attrs["num_heads"] = heads
    if domain:
        operands = {"x": x, "at": at, "cos": cos, "sin": sin}
    elif rng.integers(2):
        operands = {"x": x, "cos": cos[rows], "sin": sin[rows]}
    else:
        operands = {"x": x, "cos": cos, "sin": sin, "at": at}
    return Case(domain + "RotaryEmbedding", operands, [y], constants, **attrs)


def rotary_microsoft(rng, i):
    return rotary(rng, i, "com.microsoft.")


def grouped(rng, i):
    kind, batch, shared = kind_of(i), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    heads, half = shared * int(rng.integers(1, 4)), 8
    prompt = bool(rng.integers(2))
    queries = int(rng.integers(2, 6)) if prompt or (batch == 1 and rng.integers(2)) else 1
    spare = int(rng.integers(0, 4)) if rng.integers(2) else 0
    before = numpy.zeros(batch, "i8") if prompt else rng.integers(1, 6, batch)
    total = int(numpy.max(before)) + queries
    room = total + spare if not prompt and spare else int(numpy.max(before))
    size = 2 * half
    q = draw(rng, (batch, heads, queries, size), kind)
    k, v = (draw(rng, (batch, shared, queries, size), kind) for _ in range(2))
    pasts = [None, None] if prompt else [draw(rng, (batch, shared, room, size), kind) for _ in range(2)]
    attrs = {"num_heads": heads, "kv_num_heads": shared}
    operands = {"q": join(q), "k": join(k), "v": join(v), "past_k": pasts[0], "past_v": pasts[1],
                "lengths": (before + queries - 1).astype("i4"), "total": numpy.array(total, "i4")}
    if rng.integers(2):
        operands["q"] = numpy.concatenate([operands["q"], operands["k"], operands["v"]], 2)
        operands["k"] = operands["v"] = None
    q, k, v = wide(q), wide(k), wide(v)
    constants = ["total"]
    if rng.integers(2):
        cos, sin = angles(rng, total + 2, half, kind)
        rows = before.reshape(-1, 1) + numpy.arange(queries)
        attrs |= {"do_rotary": 1, "rotary_interleaved": int(rng.integers(2))}
        q, k = (rotate(x, wide(cos)[rows], wide(sin)[rows], attrs["rotary_interleaved"]) for x in (q, k))
        operands |= {"cos": cos, "sin": sin}
        constants += ["cos", "sin"]
    window = int(rng.integers(1, 5)) if rng.integers(3) == 0 else 0
    if window:
        attrs["local_window_size"] = window
    if rng.integers(3) == 0:
        attrs["softcap"] = 2.0
    if rng.integers(3) == 0:
        attrs["scale"] = 0.2
    sink = None
    if rng.integers(4) == 0:
        attrs["smooth_softmax"], sink = 1, numpy.zeros(1)
    caches = []
    for past, new in zip(pasts, (k, v)):
        cache = numpy.zeros((batch, shared, max(room, total), size))
        for b in range(batch):
            if past is not None:
                cache[b, :, :before[b]] = past[b, :, :before[b]]
            cache[b, :, before[b]:before[b] + queries] = new[b]
        caches.append(cache)
    bias, positions = order(queries, caches[0].shape[2], before, window), caches[0].shape[2]
    operands = dict.fromkeys(["q", "k", "v", "past_k", "past_v", "lengths", "total", "cos", "sin",
                              "positions", "bias", "sink"]) | operands
    if positions == total and rng.integers(3) == 0:
        dims = (batch if rng.integers(2) else 1, heads if rng.integers(2) else 1, queries, total)
        operands["bias"] = draw(rng, dims, kind)
        bias = bias + wide(operands["bias"])
    if sink is None and rng.integers(3) == 0:
        operands["sink"] = draw(rng, (heads,), kind)
        sink = wide(operands["sink"])
    y, scores = attend(q, *caches, bias, attrs.get("scale", 0), attrs.get("softcap", 0), sink)
    if rng.integers(2) and i % 3 == 0:
        constants.append("lengths")
    expected, returned = [join(y), *caches], int(rng.integers(3))
    if returned:
        attrs["qk_output"] = returned
        expected.append(scores[2 if returned == 1 else 3])
    # the release of ONNX Runtime that is compared with may not have these
    return Case("com.microsoft.GroupQueryAttention", operands, expected, constants,
                ort=not returned and operands["bias"] is None and operands["sink"] is None, **attrs)


def integer_mask(rng, batch, queries, positions, forms):
    """A mask of integers, and the numbers it adds."""
    form = forms[int(rng.integers(len(forms)))]
    if form == 0:
        return None, 0.0
    if form == 1:
        mask = rng.integers(1, positions + 1, batch)
        seen = numpy.arange(positions) < mask.reshape(-1, 1, 1, 1)
    elif form == 2:
        mask = rng.integers(0, 2, (batch, positions))
        mask[..., 0] = 1
        seen = mask.reshape(batch, 1, 1, positions) > 0
    else:
        mask = rng.integers(0, 2, (batch, queries, positions))
        mask[..., 0] = 1
        seen = mask.reshape(batch, 1, queries, positions) > 0
    return mask.astype("i4"), numpy.where(seen, 0.0, -10000.0)


def multi_head(rng, i):
    kind, batch, heads = kind_of(i), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    # a size of 1 is misread by ONNX Runtime where the batch is 1 as well
    queries, size, other = int(rng.integers(1, 5)), int(rng.integers(2, 7)), int(rng.integers(1, 7))
    form = int(rng.integers(4))  # apart, packed keys, packed all, split
    new = queries if form == 2 else int(rng.integers(1, 6))
    past = int(rng.integers(1, 4)) if form == 0 and rng.integers(2) else 0
    if form or past:
        other = size
    if past:
        new = queries
    causal = bool(rng.integers(2)) and new == queries
    q, k, v = (draw(rng, dims, kind) for dims in ((batch, heads, queries, size),
               (batch, heads, new, size), (batch, heads, new, other)))
    attrs = {"num_heads": heads}
    bias = draw(rng, (heads * (2 * size + other),), kind) if form in (0, ) and rng.integers(2) else None
    positions = past + new
    mask, added = integer_mask(rng, batch, queries, positions, (0, 2, 3) if form != 2 else (0,))
    more = draw(rng, [(batch, heads), (1, heads), (batch, 1), (1, 1)][int(rng.integers(4))] +
                (queries, positions), kind) if rng.integers(2) else None
    operands = {"q": join(q), "k": join(k), "v": join(v), "bias": bias, "mask": mask, "more": more}
    if form == 1:
        operands["k"] = numpy.stack([k.swapaxes(1, 2), v.swapaxes(1, 2)], 3)
        operands["v"] = None
    elif form == 2:
        operands["q"] = numpy.stack([x.swapaxes(1, 2) for x in (q, k, v)], 3)
        operands["k"] = operands["v"] = None
    elif form == 3:
        operands |= {"k": k, "v": v}
    q, k, v = wide(q), wide(k), wide(v)
    if bias is not None:
        parts = numpy.split(wide(bias), [heads * size, 2 * heads * size])
        q, k, v = (split(join(x) + part, heads) for x, part in zip((q, k, v), parts))
    expected = [None]
    if past:
        pasts = [draw(rng, (batch, heads, past, one), kind) for one in (size, other)]
        operands |= {"past_k": pasts[0], "past_v": pasts[1]}
        k, v = (numpy.concatenate([wide(a), b], 2) for a, b in zip(pasts, (k, v)))
        expected += [k, v]
    if causal:
        attrs["unidirectional"] = 1
        added = added + order(queries, positions, past)
    if rng.integers(3) == 0:
        attrs["scale"] = 0.4
    expected[0] = join(attend(q, k, v, added + (0 if more is None else wide(more)), attrs.get("scale", 0))[0])
    # on a processor, ONNX Runtime has neither f16 nor packed operands
    return Case("com.microsoft.MultiHeadAttention", operands, expected,
                ort=kind == "f4" and form in (0, 3), **attrs)


def packed(rng, i):
    kind, batch, heads = kind_of(i), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    queries, size, other, width = (int(rng.integers(1, 6)) for _ in range(4))
    past = int(rng.integers(1, 4)) if rng.integers(2) else 0
    if past or rng.integers(2):
        other = size
    x = draw(rng, (batch, queries, width), kind)
    w = draw(rng, (width, heads * (2 * size + other)), kind)
    b = draw(rng, (heads * (2 * size + other),), kind)
    attrs = {"num_heads": heads}
    if other != size:
        attrs["qkv_hidden_sizes"] = [heads * size, heads * size, heads * other]
    q, k, v = (split(one, heads) for one in numpy.split(
        wide(x) @ wide(w) + wide(b), [heads * size, 2 * heads * size], 2))
    positions = past + queries
    mask, added = integer_mask(rng, batch, queries, positions, (0, 1, 2, 3))
    operands = {"x": x, "w": w, "b": b, "mask": mask}
    expected = [None]
    if past:
        operands["past"] = draw(rng, (2, batch, heads, past, size), kind)
        k, v = (numpy.concatenate([wide(operands["past"][at]), one], 2) for at, one in enumerate((k, v)))
        expected.append(numpy.stack([k, v]))
    if rng.integers(2):
        attrs["unidirectional"] = 1
        added = added + order(queries, positions, past)
    expected[0] = join(attend(q, k, v, added, 0)[0])
    return Case("com.microsoft.Attention", operands, expected, ["w", "b"], ort=kind == "f4", **attrs)


def quantised(rng, i):
    batch, heads, queries, size = (int(rng.integers(1, 5)) for _ in range(4))
    width, past = int(rng.integers(1, 9)), int(rng.integers(0, 3))
    columns = 3 * heads * size
    signed = bool(rng.integers(2))
    x = rng.integers(0, 256, (batch, queries, width)).astype("u1")
    w = rng.integers(-128, 128, (width, columns)).astype("i1") if signed else \
        rng.integers(0, 256, (width, columns)).astype("u1")
    each = bool(rng.integers(2))
    w_zero = rng.integers(-3, 4, columns if each else ()) if signed else \
        rng.integers(120, 135, columns if each else ())
    if each and not signed:
        w_zero = numpy.full(columns, 128)
    w_scale = rng.uniform(0.002, 0.01, columns if each else ()).astype("f4")
    operands = {"x": x, "w": w, "b": draw(rng, columns, "f4"), "x_scale": numpy.float32(0.01).reshape(()),
                "w_scale": w_scale, "mask": None, "x_zero": numpy.array(rng.integers(0, 256), "u1"),
                "w_zero": w_zero.astype(w.dtype)}
    y = (wide(x) - wide(operands["x_zero"])) * wide(operands["x_scale"]) @ \
        ((wide(w) - wide(w_zero)) * wide(w_scale)) + wide(operands["b"])
    q, k, v = (split(one, heads) for one in numpy.split(y, 3, 2))
    positions = past + queries
    operands["mask"], added = integer_mask(rng, batch, queries, positions, (0, 1, 2))
    attrs, expected = {"num_heads": heads}, [None]
    if past:
        operands["past"] = draw(rng, (2, batch, heads, past, size), "f4")
        k, v = (numpy.concatenate([wide(operands["past"][at]), one], 2) for at, one in enumerate((k, v)))
        expected.append(numpy.stack([k, v]))
    if rng.integers(2):
        attrs["unidirectional"] = 1
        added = added + order(queries, positions, past)
    expected[0] = join(attend(q, k, v, added)[0])
    return Case("com.microsoft.QAttention", operands, expected,
                ["w", "b", "x_scale", "w_scale", "x_zero", "w_zero"], **attrs)


def embed(rng, i):
    batch, n, width, words = (int(rng.integers(1, 7)) for _ in range(4))
    kind = kind_of(i)
    tables = {"words": draw(rng, (words, width), kind), "places": draw(rng, (n + 2, width), kind),
              "parts": draw(rng, (2, width), kind) if rng.integers(2) else None,
              "gamma": draw(rng, width, kind), "beta": draw(rng, width, kind)}
    ids = rng.integers(0, words, (batch, n)).astype("i4")
    parts = rng.integers(0, 2, (batch, n)).astype("i4") if tables["parts"] is not None else None
    mask = rng.integers(0, 2, (batch, n)).astype("i4") if rng.integers(2) else None
    if mask is not None:
        mask = numpy.sort(mask)[:, ::-1].copy()
    places = rng.integers(0, n + 2, (batch, n)).astype("i4") if rng.integers(2) else None
    total = wide(tables["words"])[ids] + wide(tables["places"])[numpy.arange(n) if places is None else places]
    if parts is not None:
        total = total + wide(tables["parts"])[parts]
    centred = total - numpy.mean(total, -1, keepdims=True)
    epsilon = 0.01
    y = centred / numpy.sqrt(numpy.mean(centred ** 2, -1, keepdims=True) + epsilon)
    y = y * wide(tables["gamma"]) + wide(tables["beta"])
    count = numpy.zeros(batch, "i4") if mask is None else numpy.sum(mask, 1).astype("i4")
    return Case("com.microsoft.EmbedLayerNormalization",
                {"ids": ids, "part": parts, **tables, "mask": mask, "place": places},
                [y, count, total], list(tables), epsilon=epsilon)


def steps(rng, i, down):
    """Blocks, channels or one scale; operands, and scale and zero point for each element."""
    kind = kind_of(i)
    dims = tuple(int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 4))))
    axis, block = int(rng.integers(len(dims))), int(rng.integers(1, 6))
    four, signed = bool(rng.integers(2)), bool(rng.integers(2))
    low, high = ((-8, 8) if signed else (0, 16)) if four else ((-128, 128) if signed else (0, 256))
    form = int(rng.integers(4))
    shape = {0: (), 1: dims[axis:axis + 1]}.get(form) if form < 2 else \
        dims[:axis] + (-(-dims[axis] // block),) + dims[axis + 1:]
    scale = rng.uniform(0.05, 0.5, shape).astype(kind)
    zero = rng.integers(low, high, shape).astype("i1" if signed else "u1")
    if not four and not rng.integers(3):
        zero = None
    attrs, wide_zero = {}, numpy.zeros(shape) if zero is None else wide(zero)
    each = [wide(scale), wide_zero]
    if form:
        attrs["axis"] = axis - len(dims) * int(rng.integers(2))
    if form == 1:
        each = [one.reshape([-1 if at == axis else 1 for at in range(len(dims))]) for one in each]
    elif form > 1:
        attrs["block_size"] = block
        each = [numpy.repeat(one, block, axis).take(range(dims[axis]), axis) for one in each]
    if zero is None and down:
        low, high = 0, 256
    if zero is not None and four:
        zero = Packed(zero, signed)
    return kind, dims, (low, high), four, signed, {"scale": scale, "zero": zero}, each, attrs


def scale_runs(operands, attrs):
    """ONNX Runtime takes a single scale for one without blocks."""
    return operands["scale"].shape != (1,) or "block_size" not in attrs


def dequantise(rng, i):
    _, dims, (low, high), four, signed, operands, (scale, zero), attrs = steps(rng, i, False)
    x = rng.integers(low, high, dims).astype("i1" if signed else "u1")
    y = (wide(x) - zero) * scale
    constants = ["x", "scale", "zero"] if four or rng.integers(2) else ["scale", "zero"]
    return Case("DequantizeLinear", {"x": Packed(x, signed) if four else x, **operands}, [y], constants,
                opset=21, ort=scale_runs(operands, attrs), **attrs)


def few_rows(rng, i):
    kind, signed, block = kind_of(i), bool(rng.integers(2)), 16
    blocks, columns, rows = (int(rng.integers(1, most)) for most in (5, 30, 4))
    low = -8 if signed else 0
    x, zero = (rng.integers(low, low + 16, (size, columns)) for size in (blocks * block, blocks))
    zero = [None, zero, numpy.full_like(zero, zero[0, 0])][int(rng.integers(3))]
    scale = rng.uniform(0.01, 0.1, (blocks, columns)).astype(kind)
    a = draw(rng, [(rows, blocks * block), (1, rows, blocks * block)][int(rng.integers(2))], kind)
    each = wide(scale).repeat(block, 0) * (x - (0 if zero is None else zero.repeat(block, 0)))
    return Case("DequantizeLinear",
                {"x": Packed(x, signed), "scale": scale, "zero": zero if zero is None else Packed(zero, signed),
                 "a": a}, [wide(a) @ each], ["x", "scale", "zero"], opset=21, left="a", axis=0,
                block_size=block, near=6e-5 if kind == "f4" else None)


def quantise(rng, i):
    kind, dims, (low, high), four, _, operands, (scale, zero), attrs = steps(rng, i, True)
    # no ties: halves of steps are far
    number = rng.integers(low - 3, high + 3, dims) - zero + rng.uniform(-0.3, 0.3, dims)
    x = (number * scale).astype(kind)
    y = numpy.clip(numpy.rint(wide(x) / scale) + zero, low, high - 1)
    if four:
        y = (y - zero) * scale
    else:
        y = y.astype("u1" if operands["zero"] is None else operands["zero"].dtype)
    return Case("QuantizeLinear", {"x": x, **operands}, [y], ["scale", "zero"], opset=21,
                ort=scale_runs(operands, attrs), back="DequantizeLinear" if four else "", **attrs)


def pack(x, bits):
    """Along the last axis, the first number in the lowest bits."""
    each = 8 // bits
    x = numpy.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % each)])
    x = x.reshape(*x.shape[:-1], -1, each).astype("i8") << (numpy.arange(each) * bits)
    return numpy.sum(x, -1).astype("u1")


def few_bits(rng, i):
    kind, bits = kind_of(i), int(rng.choice([4, 4, 8]))
    inner, columns, block = int(rng.integers(1, 80)), int(rng.integers(1, 12)), int(rng.choice([16, 32]))
    blocks = -(-inner // block)
    dims = tuple(rng.integers(1, 4, int(rng.integers(1, 3)))) + (inner,)
    a = draw(rng, dims, kind)
    w = rng.integers(0, 1 << bits, (columns, blocks * block))
    scale = rng.uniform(0.01, 0.1, (columns, blocks)).astype(kind)
    zero = rng.integers(0, 1 << bits, (columns, blocks))
    form = int(rng.integers(3))  # none, packed, floats
    if form == 2 and bits == 8:
        form = 1
    zeroes = [None, pack(zero, bits), zero.astype(kind)][form]
    if not form:
        zero = numpy.full_like(zero, 1 << (bits - 1))
    bias = draw(rng, columns, kind) if rng.integers(2) else None
    each = (w - numpy.repeat(zero, block, 1)) * numpy.repeat(wide(scale), block, 1)
    y = wide(a) @ each[:, :inner].T + (0 if bias is None else wide(bias))
    operands = {"a": a, "b": pack(w, bits).reshape(columns, blocks, -1), "scale": scale, "zero": zeroes,
                "index": None, "bias": bias}
    if form != 2 and rng.integers(2):
        operands["scale"] = scale.reshape(-1)
    level = int(rng.integers(0, 2))
    return Case("com.microsoft.MatMulNBits", operands, [y], ["b", "scale", "zero", "bias"],
                K=inner, N=columns, bits=bits, block_size=block, accuracy_level=level)


def gather_blocks(rng, i):
    kind, rows, width, block = kind_of(i), int(rng.integers(1, 9)), 2 * int(rng.integers(1, 40)), 16
    # whole blocks stay in 4 bits
    width = -(-width // block) * block if rng.integers(2) else width
    blocks = -(-width // block)
    form = int(rng.integers(4))  # bytes of 4 bits, bytes, uint4, int4
    bits = 8 if form == 1 else 4
    low, high = (-8, 8) if form == 3 else (0, 1 << bits)
    x, zero = rng.integers(low, high, (rows, width)), rng.integers(low, high, (rows, blocks))
    scale = rng.uniform(0.01, 0.1, (rows, blocks)).astype(kind)
    given = bool(rng.integers(2))
    if not given:
        zero = numpy.full_like(zero, 1 << (bits - 1) if form < 2 else 0)
    each = (x - numpy.repeat(zero, block, 1)[:, :width]) * numpy.repeat(wide(scale), block, 1)[:, :width]
    at = rng.integers(0, rows, tuple(rng.integers(1, 4, int(rng.integers(0, 3)))))
    store = (lambda one: pack(one, bits)) if form < 2 else (lambda one: Packed(one, form == 3))
    constants = ["x", "scale", "zero"] + (["at"] if rng.integers(2) else [])
    return Case("com.microsoft.GatherBlockQuantized",
                {"x": store(x), "at": numpy.array(at), "scale": scale, "zero": store(zero) if given else None},
                [each[at]], constants, bits=bits, block_size=block, quantize_axis=1, gather_axis=0)


def scatter(rng, i):
    batch, heads, room, size = (int(rng.integers(1, 6)) for _ in range(4))
    new, circular = int(rng.integers(1, room + 1)), bool(rng.integers(2))
    x = draw(rng, (batch, heads, room, size), kind_of(i))
    update = draw(rng, (batch, heads, new, size), x.dtype)
    at = rng.integers(0, room if circular else room - new + 1, batch) if rng.integers(4) else None
    y = wide(x)
    for b in range(batch):
        places = (numpy.arange(new) + (0 if at is None else at[b])) % room
        y[b][:, places] = update[b]
    return Case("TensorScatter", {"x": x, "new": update, "at": at}, [y], ["at"] if rng.integers(2) else [],
                opset=24, axis=-2, mode="circular" if circular else "linear")


def center(rng, i):
    x = draw(rng, tuple(rng.integers(1, 8, int(rng.integers(1, 5)))), kind_of(i))
    axes = list(rng.permutation(x.ndim)[:int(rng.integers(1, x.ndim + 1))])
    given = bool(rng.integers(2))
    axes = axes if given else list(range(x.ndim))
    sizes, y = rng.integers(1, 12, len(axes)), wide(x)
    for axis, size in zip(axes, sizes):
        more = int(size) - x.shape[axis]
        before = abs(more) // 2
        if more < 0:
            y = y.take(range(before, before + int(size)), axis)
        else:
            y = numpy.pad(y, [(before, more - before) if at == axis else (0, 0) for at in range(x.ndim)])
    return Case("CenterCropPad", {"x": x, "shape": sizes}, [y], ["shape"], opset=18,
                **({"axes": [int(one) for one in axes]} if given else {}))


def col2im(rng, i):
    batch, channels, axes = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    kernel, strides, dilations, before, after = (rng.integers(low, high, axes) for low, high in
                                                 ((1, 4), (1, 3), (1, 3), (0, 2), (0, 2)))
    extent = (kernel - 1) * dilations + 1
    image = extent + rng.integers(0, 4, axes)
    count = (image + before + after - extent) // strides + 1
    x = draw(rng, (batch, channels * int(numpy.prod(kernel)), int(numpy.prod(count))), "f4")
    whole = numpy.zeros((batch, channels, *(image + before + after)))
    parts = wide(x).reshape(batch, channels, int(numpy.prod(kernel)), *count)
    for number, at in enumerate(numpy.ndindex(*kernel)):
        where = tuple(slice(a * d, a * d + (c - 1) * s + 1, s)
                      for a, d, c, s in zip(at, dilations, count, strides))
        whole[(slice(None), slice(None), *where)] += parts[:, :, number]
    y = whole[(slice(None), slice(None), *(slice(a, a + b) for a, b in zip(before, image)))]
    # of ONNX Runtime, pads other than those of two axes and dilations of one axis give other sums
    plain = not before.any() and not after.any() and (axes > 1 or dilations[0] == 1)
    return Case("Col2Im", {"x": x, "image": image, "block": kernel}, [y], ["image", "block"], opset=18,
                ort=axes == 2 or plain,
                strides=[int(one) for one in strides], dilations=[int(one) for one in dilations],
                pads=[int(one) for one in (*before, *after)])


def affine(rng, i):
    batch, axes, corners = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(2))
    sizes = rng.integers(2, 7, axes)
    theta = draw(rng, (batch, axes, axes + 1), "f4")
    lines = [numpy.linspace(-1, 1, n) if corners else (2 * numpy.arange(n) + 1) / n - 1 for n in sizes]
    grid = numpy.stack([*numpy.meshgrid(*lines, indexing="ij")[::-1], numpy.ones(sizes)], -1)
    y = numpy.einsum("...j,bij->b...i", grid, wide(theta))
    return Case("AffineGrid", {"theta": theta, "size": numpy.array([batch, 3, *sizes])}, [y], ["size"],
                opset=20, align_corners=corners)


def norm(rng, i):
    p, x = int(rng.integers(1, 5)), draw(rng, tuple(rng.integers(1, 7, int(rng.integers(3, 6)))), "f4")
    y = numpy.sum(numpy.abs(wide(x)) ** p, tuple(range(2, x.ndim)), keepdims=True) ** (1 / p)
    return Case("GlobalLpPool", {"x": x}, [y], opset=17, p=p)


def unpool(rng, i):
    batch, channels, axes = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    kernel, dims = rng.integers(1, 4, axes), rng.integers(1, 4, axes)
    strides = numpy.minimum(kernel, rng.integers(1, 4, axes))
    out = (dims - 1) * strides + kernel
    planes = batch * channels
    places = numpy.stack([rng.permutation(int(numpy.prod(out)))[:int(numpy.prod(dims))]
                          for _ in range(planes)])
    x = draw(rng, (batch, channels, *dims), kind_of(0))
    y = numpy.zeros((planes, int(numpy.prod(out))))
    numpy.put_along_axis(y, places, wide(x).reshape(planes, -1), 1)
    at = (places + numpy.arange(planes).reshape(-1, 1) * y.shape[1]).reshape(x.shape)
    return Case("MaxUnpool", {"x": x, "at": at}, [y.reshape(batch, channels, *out)], opset=22,
                kernel_shape=[int(one) for one in kernel], strides=[int(one) for one in strides])


def truths(rng, i):
    x = rng.random(tuple(rng.integers(1, 6, int(rng.integers(1, 5))))) < rng.random()
    most, axis, keep = bool(rng.integers(2)), int(rng.integers(x.ndim)), int(rng.integers(2))
    return Case("ReduceMax" if most else "ReduceMin", {"x": x, "axes": numpy.array([axis])},
                [(numpy.max if most else numpy.min)(x, axis, keepdims=bool(keep))], ["axes"], opset=20,
                keepdims=keep)


def overlap(a, b, centers):
    """Of float32, as implementations calculate it."""
    def sides(box):
        if centers:
            half = box[2:] / numpy.float32(2)
            return box[:2] - half, box[:2] + half
        return numpy.minimum(box[:2], box[2:]), numpy.maximum(box[:2], box[2:])
    (low, high), (low_b, high_b) = sides(a), sides(b)
    common = numpy.prod(numpy.maximum(numpy.minimum(high, high_b) - numpy.maximum(low, low_b), 0))
    return common / (numpy.prod(high - low) + numpy.prod(high_b - low_b) - common) if common > 0 else -1


def rows_first(rows, count):
    y = numpy.full((count, 3), -1, "i8")
    y[:len(rows)] = numpy.reshape(rows, (-1, 3))
    return y


def boxes(rng, i):
    batch, classes, n = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(1, 12))
    centers, most = int(rng.integers(2)), int(rng.integers(1, 8))
    x = rng.random((batch, n, 4)).astype("f4")
    scores = (rng.integers(0, 40, (batch, classes, n)) / 40).astype("f4")
    limit, least = numpy.float32(rng.choice([0, 0.2, 0.5])), numpy.float32(rng.choice([0, 0.3, 2]))
    rows, form = [], int(rng.integers(3))
    for b, c in numpy.ndindex(batch, classes):
        kept = []
        for at in numpy.argsort(-scores[b, c], kind="stable"):
            if len(kept) < most and (form == 0 or scores[b, c, at] > least) and \
                    all(overlap(x[b, at], x[b, other], centers) <= limit for other in kept):
                kept.append(at)
        rows += [(b, c, at) for at in kept]
    y = rows_first(rows, batch * classes * min(most, n))
    operands = {"boxes": x, "scores": scores, "most": numpy.array([most]), "limit": limit.reshape(1)}
    if form:
        operands["least"] = least.reshape(1)
    case = Case("NonMaxSuppression", operands, [y], ["most"] if form == 1 else ["most", "limit", "least"][:4 if form else 2],
                opset=11, ort=False, center_point_box=centers)
    case.expected["y0.count"] = numpy.array([len(rows)])
    return case


def unique(rng, i):
    n, order = int(rng.integers(1, 12)), int(rng.integers(2))
    kind = ["f4", "i8", "i4", "u1"][i % 4]
    x = rng.integers(0, 6, n).astype(kind)
    values, first, inverse, counts = numpy.unique(x, return_index=True, return_inverse=True, return_counts=True)
    if not order:
        by = numpy.argsort(first)
        inverse = numpy.argsort(by)[inverse]
        values, first, counts = values[by], first[by], counts[by]
    def padded(a, by, kind):
        return numpy.concatenate([a, numpy.full(n - len(a), by)]).astype(kind)
    case = Case("Unique", {"x": x, "dummy": None},
                [padded(values, 0, kind), padded(first, -1, "i8"), inverse.reshape(-1),
                 padded(counts, 0, "i8")], opset=11, ort=False, sorted=order)
    del case.operands["dummy"]
    case.expected["y0.count"] = numpy.array([len(values)])
    return case


def kernel_of(mode, d):
    d, a = numpy.abs(d), -0.75
    if mode == "linear":
        return numpy.maximum(1 - d, 0)
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return numpy.where(d < 1, near, numpy.where(d < 2, far, 0))


def top(rng, i):
    """Of few different numbers, so that many are equal; a type for each opset."""
    kind, opset = [("f4", 10), ("f4", 11), ("i8", 11), ("i4", 11), ("f4", 12), ("f4", 1), ("i4", 24),
                   ("f2", 24), ("u1", 24)][i % 9]
    dims = [int(rng.integers(1, 40 if i % 5 else 300)) for _ in range(int(rng.integers(1, 4)))]
    axis = int(rng.integers(-len(dims), len(dims)))
    k = int(rng.integers(1, dims[axis] + 1))
    x = numpy.round(rng.standard_normal(dims) * rng.choice([2, 1000])).astype(kind)
    attrs, operands, smallest = {"axis": axis}, {"x": x}, False
    if opset == 1:
        attrs["k"] = k
    else:
        operands["k"] = numpy.array([k])
    if opset > 10:
        smallest = bool(rng.integers(2))
        attrs |= {"largest": int(not smallest), "sorted": 1}
    at = numpy.argsort(x if smallest else -wide(x), axis, kind="stable").take(range(k), axis)
    return Case("TopK", operands, [numpy.take_along_axis(x, at, axis), at], list(operands)[1:], opset=opset,
                ort=kind not in ("f2", "u1"), **attrs)


def resize(rng, i):
    """Antialias of floats, or bytes with or without it."""
    byte, smooth = i % 3 == 2, i % 3 < 2 or i % 2
    mode, outside = ["linear", "cubic"][int(rng.integers(2))], int(rng.integers(2)) if smooth else 0
    coord = str(rng.choice(["half_pixel", "align_corners", "asymmetric"]))
    dims, out = rng.integers(3, 12, 2), rng.integers(2, 12, 2)
    x = rng.integers(0, 256, (1, 2, *dims)).astype("u1") if byte else draw(rng, (1, 2, *dims), "f4")
    y = wide(x)
    for axis in (0, 1):
        n, m = int(dims[axis]), int(out[axis])
        scale, at = m / n, numpy.arange(m)
        at = {"half_pixel": (at + 0.5) / scale - 0.5, "asymmetric": at / scale,
              "align_corners": at * (n - 1) / (m - 1)}[coord]
        pixels = numpy.arange(-40, n + 40)
        weights = kernel_of(mode, (pixels - at.reshape(-1, 1)) * (min(scale, 1) if smooth else 1))
        if outside:
            weights[:, (pixels < 0) | (pixels >= n)] = 0
        weights /= weights.sum(1, keepdims=True)
        y = numpy.moveaxis(numpy.moveaxis(y, axis + 2, -1)[..., numpy.clip(pixels, 0, n - 1)] @ weights.T,
                           -1, axis + 2)
    attrs = {"antialias": 1, "exclude_outside": outside} if smooth else {}
    if byte:
        y = numpy.clip(y, 0, 255).astype("u1")
    return Case("Resize", {"x": x, "roi": None, "scales": None, "sizes": numpy.array([1, 2, *out])}, [y],
                ["sizes"], opset=19, near=1.01 / max(int(y.max()), 1) if byte else None,
                # of bytes it rounds elsewhere, and in align_corners it has another scale
                ort=not byte and coord == "half_pixel", mode=mode, coordinate_transformation_mode=coord,
                **attrs)


def reflected(p, low, high):
    while p < low or p > high:
        p = 2 * low - p if p < low else 2 * high - p
    return int(p)


def sampled(x, at, cubic, pad, corners):
    """The sample of [C, ...] at a position, element by element."""
    total = numpy.zeros(x.shape[0])
    first = numpy.floor(at).astype("i8")
    for step in numpy.ndindex(*[4 if cubic else 2] * len(at)):
        place = first + numpy.array(step) - (1 if cubic else 0)
        weight = numpy.prod(kernel_of("cubic" if cubic else "linear", at - place))
        if pad == "border":
            place = [min(max(p, 0), n - 1) for p, n in zip(place, x.shape[1:])]
        elif pad == "reflection":
            place = [reflected(p, 0, n - 1) if corners else reflected(p, -0.5, n - 0.5)
                     for p, n in zip(place, x.shape[1:])]
        elif any(p < 0 or p >= n for p, n in zip(place, x.shape[1:])):
            continue
        total += weight * x[(slice(None), *place)]
    return total


def grid(rng, i):
    axes, pad = 2 + i % 2, ["zeros", "border", "reflection"][i // 2 % 3]
    cubic, corners = axes == 2 and i % 8 < 6, int(rng.integers(2))
    batch, dims, out = int(rng.integers(1, 3)), rng.integers(2, 6, axes), rng.integers(1, 4, axes)
    x = draw(rng, (batch, 2, *dims), "f4")
    at = rng.uniform(-2, dims + 1, (batch, *out, axes))
    scaled = 2 * at / (dims - 1) - 1 if corners else (2 * at + 1) / dims - 1
    positions = scaled[..., ::-1].astype("f4")
    at = (wide(positions)[..., ::-1] + 1) / 2
    at = at * (dims - 1) if corners else at * dims - 0.5
    y = numpy.zeros((batch, 2, *out))
    for b, *where in numpy.ndindex(batch, *out):
        y[(b, slice(None), *where)] = sampled(wide(x[b]), at[(b, *where)], cubic, pad, corners)
    return Case("GridSample", {"x": x, "grid": positions}, [y], opset=20, mode="cubic" if cubic else "linear",
                padding_mode=pad, align_corners=corners)


def deformed(rng, i):
    group, parts, batch = int(rng.integers(1, 3)), int(rng.integers(1, 3)), int(rng.integers(1, 3))
    channels, dims = group * parts * int(rng.integers(1, 3)), rng.integers(4, 8, 2)
    kernel, stride, dilation = rng.integers(1, 4, 2), rng.integers(1, 3, 2), rng.integers(1, 3, 2)
    pads = [int(n) for n in rng.integers(0, 3, 4)]
    out = (dims + pads[:2] + pads[2:] - (kernel - 1) * dilation - 1) // stride + 1
    if min(out) < 1:
        return deformed(rng, i)
    taps = int(numpy.prod(kernel))
    x = draw(rng, (batch, channels, *dims), "f4")
    w = draw(rng, (2 * group, channels // group, *kernel), "f4")
    offset = (2 * draw(rng, (batch, parts * taps * 2, *out), "f4")).astype("f4")
    offset[0, 0, 0, 0] = [1, numpy.inf, numpy.nan][i % 3]
    bias = draw(rng, (2 * group,), "f4") if i % 2 else None
    mask = draw(rng, (batch, parts * taps, *out), "f4") if i % 3 else None
    by = wide(offset).reshape(batch, parts, *kernel, 2, *out)
    share = numpy.ones((batch, parts, *kernel, *out)) if mask is None else wide(mask).reshape(
        batch, parts, *kernel, *out)
    y = numpy.zeros((batch, 2 * group, *out)) if bias is None else numpy.tile(
        wide(bias)[:, None, None], (batch, 1, *out))
    for b, c, *at in numpy.ndindex(batch, channels, *kernel, *out):
        part, tap, place = c // (channels // parts), tuple(at[:2]), tuple(at[2:])
        where = numpy.array(place) * stride - pads[:2] + numpy.array(tap) * dilation + by[(b, part, *tap, slice(None), *place)]
        if not numpy.isfinite(where).all():
            continue
        value = sampled(wide(x[b, c:c + 1]), where, False, "zeros", True)[0] * share[(b, part, *tap, *place)]
        of, inner = divmod(c, channels // group)
        rows = slice(2 * of, 2 * of + 2)
        y[(b, rows, *place)] += wide(w[(rows, inner, *tap)]) * value
    values = {"x": x, "w": w, "offset": offset, "bias": bias, "mask": mask}
    return Case("DeformConv", values, [y], ["w"] if i % 4 else [], opset=19,
                group=group, offset_group=parts, kernel_shape=[int(n) for n in kernel], pads=pads,
                strides=[int(n) for n in stride], dilations=[int(n) for n in dilation])


def rounded_half(x):
    """To the nearest BFLOAT16, ties to even, by bits."""
    bits = x.astype("f4").view("u4").astype("u8")
    bits += 0x7fff + (bits >> 16 & 1)
    return (bits >> 16 << 16).astype("u4").view("f4")


def brain(rng, i):
    """Rounding to BFLOAT16, or a product with a constant of that type."""
    x = (draw(rng, (3, int(rng.integers(1, 9))), "f4") * 10.0 ** rng.integers(-20, 20)).astype("f4")
    if i % 2:
        return Case("Cast", {"x": x}, [wide(rounded_half(x))], opset=19, near=1e-9, ort=False, to=16)
    b = rounded_half(draw(rng, (x.shape[1], 4), "f4"))
    raw = (b.view("u4") >> 16).astype("u2").tobytes()
    return Case("MatMul", {"x": x, "b": Stored(b, 16, raw)}, [wide(x) @ wide(b)], ["b"], opset=19, ort=False)


def small_float(bits, kind):
    """Values of the four kinds of float8, by their definition."""
    places, bias, one_zero = {17: (3, 7, False), 18: (3, 8, True), 19: (2, 15, False), 20: (2, 16, True)}[kind]
    exponent, part = bits % 128 >> places, bits % (1 << places) / (1 << places)
    if bits == 128 if one_zero else (exponent == 31 and part > 0 if kind == 19 else bits % 128 == 127):
        return 0.0      # no number: the cases have none
    if kind == 19 and exponent == 31:
        return 0.0
    value = 2.0 ** (exponent - bias) * (1 + part) if exponent else 2.0 ** (1 - bias) * part
    return -value if bits > 127 else value


def float8(rng, i):
    kind, block = 17 + i % 4, [0, 0, 4][int(rng.integers(3))]
    rows, columns, axis = int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(2))
    bits = rng.integers(0, 256, (rows, columns))
    # infinities and what is no number become 0
    values = numpy.vectorize(small_float, otypes=["f8"])(bits, kind)
    bits = numpy.where(values == 0, 0, bits).astype("u1")
    if block:
        scale = draw(rng, (-(-rows // block), columns), "f4")
        y, attrs = values * numpy.repeat(wide(scale), block, 0)[:rows], {"axis": 0, "block_size": block}
    elif rng.integers(2):
        scale = draw(rng, (), "f4")
        y, attrs = values * scale, {}
    else:
        scale = draw(rng, (bits.shape[axis],), "f4")
        y, attrs = values * (wide(scale)[:, None] if axis == 0 else wide(scale)), {"axis": axis}
    return Case("DequantizeLinear", {"x": Stored(values, kind, bits.tobytes()), "scale": numpy.asarray(scale)},
                [y], ["x"], opset=21, **attrs)


FAMILIES = {
    "Attention": attention,
    "RotaryEmbedding": rotary,
    "com.microsoft.RotaryEmbedding": rotary_microsoft,
    "GroupQueryAttention": grouped,
    "MultiHeadAttention": multi_head,
    "com.microsoft.Attention": packed,
    "QAttention": quantised,
    "EmbedLayerNormalization": embed,
    "DequantizeLinear": dequantise,
    "QuantizeLinear": quantise,
    "MatMulNBits": few_bits,
    "GatherBlockQuantized": gather_blocks,
    "MatMul of blocks": few_rows,
    "TensorScatter": scatter,
    "CenterCropPad": center,
    "Col2Im": col2im,
    "AffineGrid": affine,
    "GlobalLpPool": norm,
    "MaxUnpool": unpool,
    "ReduceMax of bool": truths,
    "NonMaxSuppression": boxes,
    "Unique": unique,
    "Resize": resize,
    "GridSample": grid,
    "DeformConv": deformed,
    "BFLOAT16": brain,
    "float8": float8,
    "TopK": top,
    "LSTM, GRU, RNN": recurrent,
    "MatMulInteger, ConvInteger": integers,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("family", nargs="?", default="")
    args = parser.parse_args()
    return 1 if compare(FAMILIES, args.count, args.seed, args.family) else 0


if __name__ == "__main__":
    sys.exit(main())
