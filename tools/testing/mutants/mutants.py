#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Breaks the code and looks whether the tests notice.

    mutants.py [--count N] [--seed N] [--area NAME,...] [--list] [--again NAME] [--work FOLDER]

A mutant is one fault in one file. The file is compiled with it in a folder under build/, loaded
before the library, so that the rest comes from there, and test programs run, those first that
killed most in this file for their time. A test that fails, traps or takes four times as long as
without a fault kills the mutant; one that no test of its area kills survives, and is printed with
its file and line. Faults that change nothing are listed in equivalent.txt, by name and with the
reason. What was tried with the same source and tests is not tried again: who stops it can go on.
"""
import argparse
import glob
import hashlib
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import areas
import host
import source
import tried

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(HERE, '../../..'))


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def equivalents():
    """Name of each fault that changes nothing: area/file function:hash, and why."""
    names = {}
    for line in read(os.path.join(HERE, 'equivalent.txt')).splitlines():
        if line and not line.startswith('#'):
            path, name, why = line.split(None, 2)
            names[path, name] = why
    return names


def choose(count, seed, wanted):
    """For each area how many mutants by its weight, and all of them in the order of the seed."""
    total = sum(a[0] for name, a in areas.AREAS.items() if not wanted or name in wanted)
    for area, (weight, patterns, tests) in areas.AREAS.items():
        if wanted and area not in wanted:
            continue
        found = []
        for path in sorted(i for p in patterns for i in glob.glob(p)):
            found += source.mutants(path, read(path))
        # the order in which they are drawn does not depend on lines that moved
        found.sort(key=lambda m: (m.path, m.name))
        random.Random(f'{seed} {area}').shuffle(found)
        yield area, max(1, round(count * weight / total)), found, patterns, tests


def short(m):
    """What equivalent.txt calls it."""
    return m.path.split('core/')[-1], m.name


class Area:
    """Tries mutants of one area until as many as wanted are C, and counts the answers."""

    def __init__(self, work, log, found, patterns, tests):
        self.work, self.log = work, log
        self.same = equivalents()
        names = {short(m) for m in found}
        for path, name in set(self.same) - names:
            # a line that changed may be a fault now that can be seen
            if path in {i for i, _ in names}:
                print(f'equivalent.txt: {path} has no {name} any more')
        self.count = {'killed': 0, 'survived': 0, 'equivalent': 0, 'no C': 0}
        self.survivors = []
        work.build(tests)
        self.tests = work.measure(patterns, tests)

    def answer(self, m):
        """Return: who noticed, '' for nobody, None if it is no C."""
        text = read(m.path)
        name = f'{m.path} {m.name} {hashlib.sha1(text.encode()).hexdigest()[:12]}'
        holds, by = self.log.known(name, self.tests, self.work.version)
        if not holds:
            by = self.work.judge(m, text, self.log.order(m.path, self.tests, self.work.seconds))
            self.log.add(name, self.work.version([by] if by else self.tests), by)
        return by

    def take(self, m):
        """Tries one. Return: whether it is one."""
        if short(m) in self.same:
            self.count['equivalent'] += 1
            return True
        by = self.answer(m)
        if by is None:
            self.count['no C'] += 1
            return False
        word = 'killed' if by else 'survived'
        self.count[word] += 1
        print(f'{word:8} {m.path}:{m.line}: {m.what()} [{m.name}]' + (f' by {by}' if by else ''),
              flush=True)
        if not by:
            self.survivors.append(m)
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--area', default='', help='of ' + ', '.join(areas.AREAS))
    parser.add_argument('--again', default='', help='only mutants with this in their name')
    parser.add_argument('--work', default='build/mutants',
                        help='folder for what is built and tried: one for each that runs')
    parser.add_argument('--list', action='store_true', help='print what would be tried')
    options = parser.parse_args()
    os.chdir(TOP)

    os.makedirs(options.work, exist_ok=True)
    log = tried.Tried(f'{options.work}/tried')
    work = host.Host(TOP, options.work)
    wanted = [i for i in options.area.split(',') if i]
    done = {}
    for name, count, found, patterns, tests in choose(options.count, options.seed, wanted):
        again = [m for m in found if options.again in m.name or options.again in m.path]
        if options.list:
            for m in again[:count]:
                print(f'{m.path}:{m.line}: {m.name} {m.what()}')
        if options.list or not again:
            continue
        done[name] = area = Area(work, log, found, patterns, tests)
        for m in again:
            count -= area.take(m)
            if not count:
                break
    for name, area in done.items():
        count = area.count
        known = count['killed'] + count['survived']
        print(f"{name}: {count['killed']} of {known} killed"
              f" ({100 * count['killed'] / max(known, 1):.1f} %), {count['equivalent']} equivalent,"
              f" {count['no C']} do not compile")
    survivors = [m for area in done.values() for m in area.survivors]
    for m in survivors:
        print(f'survived {m.path}:{m.line}: {m.what()} [{m.name}]')
    return bool(survivors)


if __name__ == '__main__':
    sys.exit(main())
