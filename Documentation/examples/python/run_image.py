#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a network on a picture, and prints what comes out and what it cost.

    run_image.py MODEL.onnx|PROGRAM.loom PICTURE [host|auto|/dev/accel/accelN]
"""
import sys

import loom


def get_program(path, where):
    """A file has its plan in it, for the chip that it was compiled for; a model is planned now."""
    if path.endswith('.loom'):
        return loom.Program(path)
    with loom.Target(where) as target:
        return loom.compile(path, target.chip)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    where = sys.argv[3] if len(sys.argv) > 3 else 'auto'
    try:
        program = get_program(sys.argv[1], where)
        with program.session(where) as session:
            # scaled to the size of the input, from 0..255 to -1..1
            picture = program.inputs[0].image(sys.argv[2])
            results = session.run([picture])
            for name, values in results.items():
                print(f'{name}: {values.shape}, first {values.tolist()[0][0]}')
            print(f'{session.counters.cycles} cycles of {program.chip.name}, as planned: '
                  f'{session.counters.cycles == program.figures.cycles}')
    except loom.Error as error:
        print(f'run_image.py: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
