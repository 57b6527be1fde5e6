#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Breaks the code and looks whether the tests notice.

    mutants.py [--count N] [--seed N] [--area NAME,...] [--module] [--list] [--again NAME]

A mutant is one fault in one file. The file is compiled with it in a folder under build/, linked
with a test program and before the library, so that the rest comes from there, and run. A test that
fails, traps or takes 8 seconds of processor time kills the mutant; one that no test kills survives,
and is printed with its file and line. Faults that change nothing are listed in equivalent.txt, by
name and with the reason. What was tried with the same source and tests is not tried again: who
stops it can go on.
"""
import argparse
import glob
import hashlib
import json
import os
import random
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import areas
import module
import source

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(HERE, '../../..'))
# shifts, indices and overflows trap, so that no library of a sanitizer has to be linked
FLAGS = ('-std=gnu11 -O1 -w -ffp-contract=off -fsanitize=undefined -fsanitize-undefined-trap-on-error'
         ' -D_GNU_SOURCE -Iuapi -Iuserlib/include -Iuserlib -Idrivers/accel/loom/core').split()
LIBS = shlex.split(subprocess.run(
    ['pkg-config', '--libs', 'libdrm', 'libprotobuf-c', 'libpng', 'yaml-0.1'], text=True,
    stdout=subprocess.PIPE, check=True).stdout) + ['-lm', '-lpthread']
DRM = shlex.split(subprocess.run(['pkg-config', '--cflags', 'libdrm'], text=True,
                                 stdout=subprocess.PIPE, check=True).stdout)


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


def run(command, seconds):
    """Whether it ended well in time. Only processor time counts: the machine has other work."""
    limit = ['prlimit', f'--cpu={seconds}']
    try:
        return subprocess.run(limit + command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd=TOP,
                              env=dict(os.environ, LOOM_ISA='base'),
                              timeout=60 * seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1


class Host:
    """Mutants of what libloom shares with the module, tried on this machine."""

    def __init__(self, work):
        self.work = work

    def build(self, tests):
        """Test programs as `make` builds them; what is linked again is copied, as it may change."""
        names = sorted({i.split()[0] for i in tests})
        names = [i for i in names if os.path.exists(f'{TOP}/tools/testing/host/{i}.c')]
        subprocess.run(['make', '-s', '-C', TOP, *(f'build/host/{i}' for i in names)], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy('build/libloom.a', self.work)
        for name in names:
            os.makedirs(os.path.dirname(f'{self.work}/{name}'), exist_ok=True)
            shutil.copy(f'build/obj/tools/testing/host/{name}.o', f'{self.work}/{name}.o')

    def judge(self, mutant, text, tests):
        """Return: the program that noticed, '' for none, None if it is no C."""
        path = os.path.join(self.work, mutant.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(mutant.apply(text))
        folder = os.path.dirname(mutant.path)
        if subprocess.run(['gcc', *FLAGS, *DRM, f'-I{folder}', '-c', path, '-o', path + '.o'],
                          cwd=TOP, stderr=subprocess.DEVNULL, check=False).returncode:
            return None
        for test in tests:
            name, *arguments = test.split()
            if not os.path.exists(f'{self.work}/{name}.o'):
                continue
            program = f'{path}.{os.path.basename(name)}'
            subprocess.run(['gcc', '-o', program, f'{self.work}/{name}.o', path + '.o',
                            f'{self.work}/libloom.a', *LIBS], check=True)
            status = run([os.path.join(TOP, program), *arguments], 8)
            os.unlink(program)
            if status:
                return name
        return ''


def choose(count, seed, wanted):
    """A sample of all mutants: areas by weight, then files by what they have."""
    pools = {}
    for area, (weight, patterns, tests) in areas.AREAS.items():
        if wanted and area not in wanted:
            continue
        found = []
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(TOP, pattern))):
                found += source.mutants(os.path.relpath(path, TOP), read(path))
        # the order in which they are drawn does not depend on lines that moved
        found.sort(key=lambda m: (m.path, m.name))
        random.Random(f'{seed} {area}').shuffle(found)
        pools[area] = (weight, found, tests)
    total = sum(i[0] for i in pools.values())
    for area, (weight, found, tests) in pools.items():
        yield area, found[:max(1, round(count * weight / total))], tests


def stamp(mutant, text, tests):
    """What the answer depends on."""
    digest = hashlib.sha1(text.encode())
    for test in tests:
        name = f'{TOP}/build/host/{test.split()[0]}'
        if os.path.exists(name):
            digest.update(f'{test} {os.path.getsize(name)}'.encode())
    return f'{mutant.path} {mutant.name} {digest.hexdigest()[:12]}'


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--area', default='', help='of ' + ', '.join(areas.AREAS))
    parser.add_argument('--module', action='store_true', help='of the module, in the VM')
    parser.add_argument('--again', default='', help='only mutants with this in their name')
    parser.add_argument('--list', action='store_true', help='print what would be tried')
    options = parser.parse_args()
    os.chdir(TOP)
    if options.module:
        return module.main(TOP, options, equivalents())

    work = 'build/mutants'
    os.makedirs(work, exist_ok=True)
    log = f'{work}/log'
    known = {}
    if os.path.exists(log):
        for line in read(log).splitlines():
            key, answer = line.rsplit('\t', 1)
            known[key] = json.loads(answer)
    same = equivalents()
    host = Host(work)
    wanted = [i for i in options.area.split(',') if i]
    survivors, sums = [], {}
    for area, found, tests in choose(options.count, options.seed, wanted):
        if options.again:
            found = [m for m in found if options.again in m.name or options.again in m.path]
        if options.list:
            for m in found:
                print(f'{m.path}:{m.line}: {m.name} {m.what()}')
            continue
        host.build(tests)
        sums[area] = count = {'killed': 0, 'survived': 0, 'equivalent': 0, 'no C': 0}
        for m in found:
            text = read(m.path)
            if (m.path.split('core/')[-1], m.name) in same:
                count['equivalent'] += 1
                continue
            key = stamp(m, text, tests)
            if key not in known:
                known[key] = host.judge(m, text, tests)
                with open(log, 'a', encoding='utf-8') as file:
                    file.write(f'{key}\t{json.dumps(known[key])}\n')
            by = known[key]
            word = 'no C' if by is None else 'killed' if by else 'survived'
            count[word] += 1
            if by is not None:
                print(f'{word:8} {m.path}:{m.line}: {m.what()} [{m.name}]'
                      + (f' by {by}' if by else ''), flush=True)
            if by == '':
                survivors.append(m)
    for area, count in sums.items():
        tried = count['killed'] + count['survived']
        print(f"{area}: {count['killed']} of {tried} killed"
              f" ({100 * count['killed'] / max(tried, 1):.1f} %), {count['equivalent']} equivalent,"
              f" {count['no C']} do not compile")
    for m in survivors:
        print(f'survived {m.path}:{m.line}: {m.what()} [{m.name}]')
    return bool(survivors)


if __name__ == '__main__':
    sys.exit(main())
