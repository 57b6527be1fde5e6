#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs that nobody waits for: four at once in a loop of asyncio, which goes on meanwhile; then the
same by hand, with select.

    run_async.py MODEL.onnx [host|auto|/dev/accel/accelN]
"""
import asyncio
import select
import sys

import loom


async def gather(sessions, inputs):
    """A session has one run under way at a time: so each its own."""
    return await asyncio.gather(*(session.run_async([value])
                                  for session, value in zip(sessions, inputs)))


def by_hand(sessions, inputs):
    """Results in the order in which runs end."""
    waiting = {session.submit([value]): i
               for i, (session, value) in enumerate(zip(sessions, inputs))}
    found = [None] * len(waiting)
    while waiting:
        for run in select.select(list(waiting), [], [])[0]:
            found[waiting.pop(run)] = run.result()
    return found


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with loom.Target(sys.argv[2] if len(sys.argv) > 2 else 'auto') as target:
            program = loom.compile(sys.argv[1], target.chip)
            sessions = [program.session(target) for _ in range(4)]
            inputs = [program.inputs[0].random(seed) for seed in range(4)]
            name = program.outputs[0].name

            first = asyncio.run(gather(sessions, inputs))
            second = by_hand(sessions, inputs)
            alone = [sessions[0].run([value]) for value in inputs]
            same = sum(bytes(a[name]) == bytes(b[name]) == bytes(c[name])
                       for a, b, c in zip(first, second, alone))
            print(f'{len(sessions)} at once, twice: {same} as alone')
    except loom.Error as error:
        print(f'run_async.py: {error}', file=sys.stderr)
        return 1
    return same != len(sessions)


if __name__ == '__main__':
    sys.exit(main())
