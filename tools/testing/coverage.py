#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines of drivers/accel/loom/core the tests of this machine reach, by gcov.

    coverage.py BUILD [--least PERCENT] [--jobs N] [--all] [--add] [TEST...]

BUILD holds core/ built with --coverage, and tests with that in them ("make coverage"). The tests, by
room and name and with arguments in the same word, run from a clean slate, or go on from what earlier
ones reached (--add). A line counts as covered if any object that was compiled from it ran it: the
engine's arithmetic is compiled once for each set of instructions. Prints each file with lines covered
and lines, those that no test reached (--all: their text, too), and the sum; fails if a test fails, or
if the sum is below --least.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

CORE = 'drivers/accel/loom/core/'


def run(build, test):
    """Runs one test. Return: its name, exit status, processor seconds."""
    name, *arguments = test.split()
    # a test that reads files of the tree expects to be at its top
    command = [f'{build}/host/{name}', *arguments]
    with open(f'{build}/{name.replace("/", "-")}.log', 'w', encoding='utf-8') as log:
        child = subprocess.Popen(command, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    return test, status, usage.ru_utime + usage.ru_stime


def read_object(notes):
    """What gcov says of one object: lines of files under core/ with how often they ran."""
    told = subprocess.run(['gcov', '--json-format', '--stdout', notes], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = []
    for report in told.splitlines():
        for file in json.loads(report)['files']:
            path = os.path.relpath(file['file'])
            if path.startswith(CORE):
                found.append((path, [(i['line_number'], i['count']) for i in file['lines']]))
    return found


def collect(build, jobs):
    """By file: line to how often it ran in the object that ran it most."""
    notes = glob.glob(f'{build}/obj/**/*.gcno', recursive=True)
    files = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(read_object, notes):
            for path, lines in found:
                counts = files.setdefault(path, {})
                for line, count in lines:
                    counts[line] = max(counts.get(line, 0), count)
    return files


def spans(lines):
    """12, 14-16: the numbers of lines in order, runs of them as one."""
    runs = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ', '.join(str(a) if a == b else f'{a}-{b}' for a, b in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--least', type=float, default=0, help='percent of all lines')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--all', action='store_true', help='print the lines that are not covered')
    parser.add_argument('--add', action='store_true', help='keep what earlier tests reached')
    parser.add_argument('tests', nargs='*')
    options = parser.parse_intermixed_args()

    if not options.add:
        for path in glob.glob(f'{options.build}/obj/**/*.gcda', recursive=True):
            os.unlink(path)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, status, seconds in pool.map(lambda t: run(options.build, t), options.tests):
            failed += bool(status)
            print(f"{'fails' if status else 'ran':5} {seconds:7.1f} s  {test}", flush=True)

    files = collect(options.build, options.jobs)
    reached = total = 0
    for path, counts in sorted(files.items()):
        missing = [line for line, count in sorted(counts.items()) if not count]
        reached += len(counts) - len(missing)
        total += len(counts)
        print(f'{len(counts) - len(missing):5} of {len(counts):5}  {path.removeprefix(CORE)}'
              + (f': {spans(missing)}' if missing else ''))
        if options.all:
            with open(path, encoding='utf-8') as source:
                text = source.read().splitlines()
            for line in missing:
                print(f'{"":15}{line:5} {text[line - 1]}')
    if not total:
        print('coverage: nothing of core/ was built with --coverage')
        return 2
    percent = 100 * reached / total
    print(f'coverage: {reached} of {total} lines of core/, {percent:.2f} %'
          + (f', {failed} tests failed' if failed else ''))
    return bool(failed) or percent < options.least


if __name__ == '__main__':
    sys.exit(main())
