#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two results side by side.

    compare.py KIND MOST MINE OTHER

KIND is b (bytes) or f (floats) and MOST how far elements may be apart: of bytes in steps, of
floats as a part of the largest magnitude. MINE is an array of numpy's, OTHER bare bytes.
"""

import array
import struct
import sys


def main(kind, most, mine, other):
    with open(mine, "rb") as file:
        data = file.read()
    a, b = array.array(kind), array.array(kind)
    a.frombytes(data[10 + struct.unpack_from("<H", data, 8)[0]:])
    with open(other, "rb") as file:
        b.frombytes(file.read())
    if len(a) != len(b) or not a:
        sys.exit(f"{mine}: {len(a)} elements, {len(b)} expected")
    apart = [abs(x - y) for x, y in zip(a, b)]
    largest = 1 if kind == "b" else max(abs(y) for y in b)
    equal = sum(d == 0 for d in apart) / len(a)
    print(f"{mine}: {len(a)} elements, {len(set(b))} values, {equal:.3f} equal, "
          f"at most {max(apart) / (largest or 1):.3g} apart")
    # no number is further than anything
    return 0 if max(apart) <= float(most) * largest and not any(x != x for x in a) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
