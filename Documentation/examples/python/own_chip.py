#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Describes a chip, plans a network for it with more and with less SRAM, and says what that costs.
Then gives addresses to buffers that have nothing to do with a network.

    own_chip.py MODEL.onnx
"""
import sys

import loom

CHIP = '''
name: mine
extends: soft
memory:
  sram:
    size: {sram}
'''


def plan_for(path):
    for sram in '256k', '64k', '16k':
        chip = loom.Chip.parse(CHIP.format(sram=sram))
        try:
            program = loom.compile(path, chip)
        except loom.Error as error:
            print(f'{sram:>5}: {error}')
            continue
        figures, least = program.figures, program.least
        print(f'{sram:>5}: {len(program.groups)} groups, {figures.dram_read_bytes} bytes read '
              f'({figures.dram_read_bytes / least.dram_read_bytes:.2f} of the least), '
              f'{figures.cycles} cycles')


def place_buffers():
    """A video pipeline: who is not alive at the same time may share bytes."""
    items = [
        loom.Item(6144, 0, 2, align_bytes=64, name='frame'),
        loom.Item(2048, 1, 4, align_bytes=64, name='luma'),
        loom.Item(2048, 2, 5, align_bytes=64, name='edges'),
        loom.Item(4096, 3, 6, align_bytes=4096, name='blur'),
        loom.Item(1024, 5, 7, align_bytes=64, name='result'),
    ]
    placement = loom.place(items)
    for item, offset in zip(items, placement.offsets):
        print(f'{item.name:6} {offset:5} .. {offset + item.size_bytes:5}')
    print(f'height {placement.height_bytes[0]}, by {placement.strategy!r}'
          f'{": nothing is lower" if placement.proved else ""}')
    try:
        loom.place(items, capacity_bytes=8191)
    except loom.PlaceError as error:
        print(f'{error}')


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        plan_for(sys.argv[1])
        place_buffers()
    except loom.Error as error:
        print(f'own_chip.py: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
