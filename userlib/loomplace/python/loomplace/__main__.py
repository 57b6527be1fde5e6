# SPDX-License-Identifier: MIT
"""python -m loomplace FILE [-o FILE]: places the items of a compiler's file, see formats.py."""
import argparse
import pathlib
import sys

from . import PlaceError, formats


def main() -> int:
    parser = argparse.ArgumentParser(prog='loomplace', description=formats.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file', type=pathlib.Path)
    parser.add_argument('-o', '--output', type=pathlib.Path, help='the file with the new offsets')
    parser.add_argument('--capacity', type=int, help='bytes of each memory')
    args = parser.parse_args()
    try:
        trace = formats.read(args.file.read_text(encoding='utf-8'))
        placements = trace.solve(**({'capacity': args.capacity} if args.capacity else {}))
        if args.output:
            args.output.write_text(trace.answer(placements), encoding='utf-8')
    except (formats.FormatError, PlaceError, OSError, UnicodeDecodeError) as error:
        print(f'loomplace: {args.file}: {error}', file=sys.stderr)
        return 1
    for space, placement in zip(trace.spaces, placements):
        print(f'{space.name}: {len(space.names)} items, height {placement.height} bytes, '
              f'bound {placement.bound}{", proved optimal" if placement.proved else ""}')
    return 0


sys.exit(main())
