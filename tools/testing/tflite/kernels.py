# SPDX-License-Identifier: MIT
"""Arithmetic of quantised operators as the reference kernels of TensorFlow Lite do it.

Integers only, with the roundings of gemmlowp: products are scaled by a number of 31 bits and a
shift. Written down from their description, not from their code; slow, and meant to be read.
"""

import math

import flat


def quantize_multiplier(real):
    """A real factor as a number of 31 bits and a shift to the left."""
    if real == 0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    q = int(math.floor(mantissa * (1 << 31) + 0.5))
    if q == 1 << 31:
        q, shift = q // 2, shift + 1
    return q, shift


def high_mul(a, b):
    """The upper half of twice the product, rounded."""
    product = a * b
    nudge = (1 << 30) if product >= 0 else 1 - (1 << 30)
    total = product + nudge
    return total >> 31 if total >= 0 else -((-total) >> 31)


def shift_right(x, bits):
    """Divided by a power of two; halves away from zero."""
    mask = (1 << bits) - 1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> bits) + (1 if (x & mask) > threshold else 0)


def scale(x, multiplier):
    q, shift = multiplier
    left, right = max(shift, 0), max(-shift, 0)
    return shift_right(high_mul(x << left, q), right)


def limits(act, step, zero):
    low, high = -128, 127
    if act in (flat.ACT_RELU, flat.ACT_RELU6):
        low = max(low, zero)
    if act == flat.ACT_RELU6:
        high = min(high, zero + round_away(6 / step))
    return low, high


def round_away(x):
    return int(math.floor(x + 0.5)) if x >= 0 else -int(math.floor(-x + 0.5))


def clamp(x, bounds):
    return min(max(x, bounds[0]), bounds[1])


def window(size, kernel, stride, padding):
    """Places of the result, and padding in front."""
    if padding == flat.VALID:
        return (size - kernel) // stride + 1, 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + kernel - size, 0) // 2


def conv(x, xq, w, bias, scales, yq, stride, padding, act, depthwise):
    """x [H][W][C], w [O][kh][kw][I], or [kh][kw][O] by depth; returns [H][W][O]."""
    kh, kw = (len(w), len(w[0])) if depthwise else (len(w[0]), len(w[0][0]))
    channels = len(bias)
    out_h, top = window(len(x), kh, stride, padding)
    out_w, left = window(len(x[0]), kw, stride, padding)
    factors = [quantize_multiplier(xq[0] * s / yq[0]) for s in scales]
    bounds = limits(act, *yq)
    multiple = channels // len(x[0][0]) if depthwise else 0
    y = []
    for i in range(out_h):
        row = []
        for j in range(out_w):
            taps = [(k, m, x[i * stride - top + k][j * stride - left + m])
                    for k in range(kh) if 0 <= i * stride - top + k < len(x)
                    for m in range(kw) if 0 <= j * stride - left + m < len(x[0])]
            cell = []
            for o in range(channels):
                total = bias[o]
                for k, m, pixel in taps:
                    if depthwise:
                        total += (pixel[o // multiple] - xq[1]) * w[k][m][o]
                    else:
                        total += sum((p - xq[1]) * v for p, v in zip(pixel, w[o][k][m]))
                cell.append(clamp(scale(total, factors[o]) + yq[1], bounds))
            row.append(cell)
        y.append(row)
    return y


def fully_connected(x, xq, w, bias, scales, yq, act):
    bounds = limits(act, *yq)
    out = []
    for o, row in enumerate(w):
        total = bias[o] + sum((p - xq[1]) * v for p, v in zip(x, row))
        factor = quantize_multiplier(xq[0] * scales[o if len(scales) > 1 else 0] / yq[0])
        out.append(clamp(scale(total, factor) + yq[1], bounds))
    return out


def add(a, aq, b, bq, yq, act):
    twice = 2 * max(aq[0], bq[0])
    fa, fb = quantize_multiplier(aq[0] / twice), quantize_multiplier(bq[0] / twice)
    fy = quantize_multiplier(twice / ((1 << 20) * yq[0]))
    bounds = limits(act, *yq)
    return [clamp(scale(scale((p - aq[1]) << 20, fa) + scale((q - bq[1]) << 20, fb), fy) + yq[1],
                  bounds) for p, q in zip(a, b)]


def mul(a, aq, b, bq, yq, act):
    factor, bounds = quantize_multiplier(aq[0] * bq[0] / yq[0]), limits(act, *yq)
    return [clamp(scale((p - aq[1]) * (q - bq[1]), factor) + yq[1], bounds)
            for p, q in zip(a, b)]


def pool(x, kernel, stride, padding, mean):
    out_h, top = window(len(x), kernel, stride, padding)
    out_w, left = window(len(x[0]), kernel, stride, padding)
    y = []
    for i in range(out_h):
        row = []
        for j in range(out_w):
            cells = [x[k][m]
                     for k in range(max(i * stride - top, 0),
                                    min(i * stride - top + kernel, len(x)))
                     for m in range(max(j * stride - left, 0),
                                    min(j * stride - left + kernel, len(x[0])))]
            row.append([average(c) if mean else max(c) for c in zip(*cells)])
        y.append(row)
    return y


def average(values):
    total, count = sum(values), len(values)
    return (total + count // 2) // count if total > 0 else -((-total + count // 2) // count)


def real(function, x, xq, yq):
    """What the kernels look up in a table of 256 results."""
    return [clamp(round_away(function((p - xq[1]) * xq[0]) / yq[0]) + yq[1], (-128, 127))
            for p in x]


def softmax(x, xq, yq):
    powers = [math.exp((p - max(x)) * xq[0]) for p in x]
    return [clamp(round_away(p / sum(powers) / yq[0]) + yq[1], (-128, 127)) for p in powers]
