#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds a small network by calls, without a model file: y = Relu(x W + b). Plans it for a chip,
runs it in this process, and compares the result with what it has to be.

    build_graph.py [CHIP]
"""
import sys

import loom

X = [[1, 2, 3], [-1, 0, 1]]
W = [[1, 0, -1, 2], [0, 1, 0, -2], [1, 1, -1, 0]]
B = [0.5, 0, 1, 0]


def build():
    """Names tie nodes together; their order does not matter."""
    builder = loom.Graph.build('two layers')
    builder.input('x', 'f32', [2, 3])
    builder.constant('w', W)
    builder.constant('b', B)
    builder.node('MatMul', ['x', 'w'], 'xw')
    builder.node('Add', ['xw', 'b'], 'sum')
    builder.node('Relu', ['sum'], 'y')
    builder.output('y')
    return builder.finish()


def main():
    try:
        program = loom.compile(build(), sys.argv[1] if len(sys.argv) > 1 else 'soft')
        with program.session('host') as session:
            y = session.run({'x': X})['y'].tolist()
    except loom.Error as error:
        print(f'build_graph.py: {error}', file=sys.stderr)
        return 1
    print(f'{program.figures.steps} steps, {program.figures.scratch_bytes} bytes of SRAM per lane')
    for row in y:
        print(*(f'{value:g}' for value in row))
    want = [[max(sum(a * b for a, b in zip(row, column)) + bias, 0)
             for column, bias in zip(zip(*W), B)] for row in X]
    return y != want


if __name__ == '__main__':
    sys.exit(main())
