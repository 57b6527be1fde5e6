#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two results side by side.

    compare.py KIND MOST MINE OTHER

KIND is b (bytes) or f (floats) and MOST how far elements may be apart: of bytes in steps, of
floats as a part of the largest magnitude. MINE is an array of numpy's, OTHER bare bytes.
"""

import array
import math
import struct
import sys


def off(x, y):
    """As near_off() of tools/testing/near.h: a NaN or an infinity is near its like alone."""
    if x == y or (x != x and y != y):
        return 0
    return abs(x - y) if abs(x - y) < math.inf else math.inf


def main(kind, most, mine, other):
    with open(mine, "rb") as file:
        data = file.read()
    a, b = array.array(kind), array.array(kind)
    a.frombytes(data[10 + struct.unpack_from("<H", data, 8)[0]:])
    with open(other, "rb") as file:
        b.frombytes(file.read())
    if len(a) != len(b) or not a:
        sys.exit(f"{mine}: {len(a)} elements, {len(b)} expected")
    apart = [off(x, y) for x, y in zip(a, b)]
    largest = 1 if kind == "b" else max((abs(y) for y in b if abs(y) < math.inf), default=0)
    equal = sum(d == 0 for d in apart) / len(a)
    print(f"{mine}: {len(a)} elements, {len(set(b))} values, {equal:.3f} equal, "
          f"at most {max(apart) / (largest or 1):.3g} apart")
    return 0 if max(apart) <= float(most) * largest else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
