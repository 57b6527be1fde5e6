#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy arrays over the memory that the engine works on: x is written in place, y read in place,
and nobody copies. On a device, a result goes on to another client as a dma-buf, too.

    zero_copy.py [host|auto|/dev/accel/accelN]
"""
import os
import sys

import numpy

import loom

ELEMENTS = 1024


def doubling(chip):
    """y = x + x, planned for a chip."""
    builder = loom.Graph.build('doubling')
    builder.input('x', 'f32', [ELEMENTS])
    builder.node('Add', ['x', 'x'], 'y')
    builder.output('y')
    return loom.compile(builder.finish(), chip)


def in_place(target):
    """Ten runs on one pair of arrays."""
    wrong = 0
    with doubling(target.chip).session(target) as session:
        x, y = session.input_view('x'), session.output_view('y')
        for i in range(10):
            x[:] = numpy.arange(ELEMENTS) + i
            session.run_only()
            wrong += numpy.count_nonzero(y != 2 * (numpy.arange(ELEMENTS) + i))
        moved = session.moved
    print(f'10 runs, {moved.in_bytes + moved.out_bytes} bytes copied, {wrong} wrong')
    return wrong


def between_clients(node):
    """Two open files of a node, as two processes have them: y of the first is x of the second."""
    first, second = loom.Target(node), loom.Target(node)
    size = 4 * ELEMENTS
    y = loom.Buffer(first, size)
    fd = y.export()
    x = loom.Buffer.of_fd(second, fd)
    os.close(fd)
    # where it is in each bank, for both; one with an address per bank is in as many
    wrong = x.addresses() != y.addresses()
    wrong += len(loom.Buffer(first, size, per_bank=True).addresses()) != len(y.addresses())

    with doubling(first.chip).session(first) as session:
        session.bind_output('y', y)
        session.input_view('x')[:] = numpy.arange(ELEMENTS)
        session.run_only()
    with doubling(second.chip).session(second) as session:
        session.bind_input('x', x)
        session.run_only()
        wrong += numpy.count_nonzero(session.output_view('y') != 4 * numpy.arange(ELEMENTS))
    print(f'two clients, one buffer between them: {wrong} wrong')
    return wrong


def main():
    try:
        with loom.Target(sys.argv[1] if len(sys.argv) > 1 else 'auto') as target:
            wrong = in_place(target)
            if target.name != 'host':
                wrong += between_clients(target.name)
    except loom.Error as error:
        print(f'zero_copy.py: {error}', file=sys.stderr)
        return 1
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
