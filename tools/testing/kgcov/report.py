#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines of the module its tests in the VM reached, by gcov.

    report.py [--least PERCENT] [--jobs N] [--all] COUNTERS...

COUNTERS are what loom_gcov.ko wrote in the VM, of any number of boots, of modules as run.sh has built
them for one or more kernels: they are added up, made files for gcov of, beside the objects, which are
where they were built, and gcov says how often each line ran. Prints each file with lines reached and lines, and the numbers of
those that were not; --all: their text, too, by function, with the reason if unreached.txt has one.
core/, which the tests of the host reach (coverage.py), has a sum of its own, and tests/ has none. Fails if
that of the rest is below --least.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from coverage import spans  # noqa: E402

DRIVER = 'drivers/accel/loom/'
DATA, FUNCTION, ARCS = 0x67636461, 0x01000000, 0x01a10000


class Object:
    """What was counted in one object: by function its checksums and the sum of its counters."""

    def __init__(self, version, stamp, checksum):
        self.key = version, stamp, checksum
        self.functions = {}

    def add(self, numbers):
        """One line of the text: identity, two checksums, counters."""
        sums = self.functions.setdefault(tuple(numbers[:3]), [0] * (len(numbers) - 3))
        for i, count in enumerate(numbers[3:]):
            sums[i] += count

    def data(self):
        """As gcov reads it. Lengths are in bytes from gcc 12 on, in words of four before."""
        version, stamp, checksum = self.key
        unit = 1 if version >> 24 >= ord('B') and version >> 16 & 255 >= ord('2') else 4
        out = struct.pack('<3I', DATA, version, stamp)
        if unit == 1:
            out += struct.pack('<I', checksum)
        for function, counters in self.functions.items():
            out += struct.pack('<5I', FUNCTION, 12 // unit, *function)
            out += struct.pack('<2I', ARCS, 8 * len(counters) // unit)
            out += struct.pack(f'<{len(counters)}Q', *counters)
        return out + bytes(4)


def read_counters(paths):
    """By name of the file for gcov: the object. What is wrong with a text ends the program."""
    objects = {}
    for path in paths:
        current = None
        with open(path, encoding='utf-8') as file:
            for line in file:
                word, *rest = line.split()
                if word == 'lost' and rest != ['0']:
                    sys.exit(f'report: {path}: {rest[0]} objects were not counted')
                if word == 'object':
                    key = [int(i) for i in rest[:3]]
                    current = objects.setdefault(rest[3], Object(*key))
                    if current.key != tuple(key):
                        sys.exit(f'report: {path}: {rest[3]} was compiled again meanwhile')
                if word == 'function':
                    current.add([int(i) for i in rest])
    return objects


def read_object(notes):
    """What gcov says of an object: (file, line, function, how often it ran)."""
    told = subprocess.run(['gcov', '--json-format', '--stdout', notes], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = []
    for report in told.splitlines():
        for file in json.loads(report)['files']:
            _, driver, path = file['file'].partition(DRIVER)
            if not driver:
                continue
            spots = sorted((i['start_line'], i['end_line'], i['name']) for i in file['functions'])
            for i in file['lines']:
                line = i['line_number']
                # not each line says whose it is
                owner = [name for start, end, name in spots if start <= line <= end]
                found.append((path, line, owner[-1] if owner else '', i['count']))
    return found


def collect(builds, jobs):
    """By file and line: function, and how often the line ran in the object that ran it most."""
    notes = [i for build in builds for i in glob.glob(f'{build}{DRIVER}**/*.gcno', recursive=True)]
    files = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(read_object, notes):
            for path, line, function, count in found:
                lines = files[path]
                lines[line] = max(lines.get(line, ('', -1)), (function, count), key=lambda i: i[1])
    return files


def read_reasons():
    """By file and function: why lines of it are not reached."""
    reasons = {}
    with open(f'{HERE}/unreached.txt', encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                place, _, reason = line.strip().partition(': ')
                reasons[tuple(place.split())] = reason
    return reasons


def print_lines(path, lines, missing, reasons):
    with open(DRIVER + path, encoding='utf-8') as source:
        text = source.read().splitlines()
    function = None
    for line in missing:
        if lines[line][0] != function:
            function = lines[line][0]
            reason = reasons.get((path, function))
            print(f'{"":15}{function}{": " + reason if reason else ""}')
        print(f'{"":15}{line:5} {text[line - 1]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--least', type=float, default=0, help='percent of all lines')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--all', action='store_true', help='print the lines that are not reached')
    parser.add_argument('counters', nargs='+')
    options = parser.parse_intermixed_args()

    objects = read_counters(options.counters)
    builds = {path.partition(DRIVER)[0] for path in objects}
    for build in builds:
        for path in glob.glob(f'{build}{DRIVER}**/*.gcda', recursive=True):
            os.unlink(path)
    for path, counted in objects.items():
        with open(path, 'wb') as file:
            file.write(counted.data())

    reasons = read_reasons()
    sums = {False: [0, 0], True: [0, 0]}
    unexplained = 0
    for path, lines in sorted(collect(builds, options.jobs).items()):
        if path.startswith('tests/'):
            continue
        core = path.startswith('core/')
        missing = [line for line, (_, count) in sorted(lines.items()) if not count]
        reached = len(lines) - len(missing)
        sums[core][0] += reached
        sums[core][1] += len(lines)
        print(f'{reached:5} of {len(lines):5}  {path}'
              + (f': {spans(missing)}' if missing and not core else ''))
        if core:
            continue
        unexplained += sum((path, lines[line][0]) not in reasons for line in missing)
        if options.all and missing:
            print_lines(path, lines, missing, reasons)
    reached, total = sums[False]
    if not total:
        print('report: nothing of the module was built with --coverage')
        return 2
    print(f'core/: {sums[True][0]} of {sums[True][1]} lines, '
          f'{100 * sums[True][0] / max(sums[True][1], 1):.2f} %')
    percent = 100 * reached / total
    print(f'module without core/: {reached} of {total} lines, {percent:.2f} %; '
          f'{total - reached} not reached, {unexplained} of these in functions without a reason')
    return percent < options.least


if __name__ == '__main__':
    sys.exit(main())
