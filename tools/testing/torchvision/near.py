#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether OURS is as near to ONNX Runtime as that is to itself.

	near.py OURS OPTIMISED PLAIN [STEP]

Three .npy files. OURS may differ from PLAIN, of which no operation was fused, by 1e-4 of its largest
element, or by STEP; or from either by no more than they differ from each other.
"""
import sys

import numpy


def off(a, b):
    return float(numpy.max(numpy.abs(a - b))) if a.size else 0.0


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        return 2
    ours, optimised, plain = (numpy.load(name).astype("f8") for name in sys.argv[1:4])
    if ours.shape != plain.shape:
        print(f"{ours.shape}, not {plain.shape}")
        return 1
    if not numpy.any(plain):
        print("all is 0, so that nothing is compared")
        return 1
    step = float(sys.argv[4]) if len(sys.argv) > 4 else 1e-4 * float(numpy.max(numpy.abs(plain)))
    itself = off(optimised, plain)
    best = min(off(ours, plain), off(ours, optimised))
    print(f"off by {off(ours, plain):.3g}, optimised {off(ours, optimised):.3g}, "
          f"itself {itself:.3g}, largest {float(numpy.max(numpy.abs(plain))):.3g}")
    return 0 if off(ours, plain) <= step or best <= itself else 1


if __name__ == "__main__":
    sys.exit(main())
