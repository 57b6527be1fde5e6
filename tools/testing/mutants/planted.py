#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Removes one check at a time, and looks whether each fuzzer that covers it notices.

    planted.py [--quick] [--fuzzer NAME] [--only WORD] [--seconds N] [--seed N] [--build DIR]
    planted.py --rows

The faults are those of planted_faults.py. A fault is one object, compiled from a changed copy of
its source by the command that `make` has for it, and linked with the fuzzer before libloom.a, so
that the library's own object is left out. The program then tries inputs until it fails, or has
tried as many as the fault may take. First each fuzzer runs without a fault, and must not fail.
Times are of the processor. --quick: only the faults that are marked so, each by the first of its
fuzzers, and none without a fault: check.sh runs the fuzzers before. --rows: only looks whether
the source has what each row removes.
"""
import argparse
import os
import re
import resource
import shlex
import subprocess
import sys

from planted_faults import FAULTS

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
# Inputs that may be tried until a removed check is noticed, unless the fault says otherwise:
# about four seconds of a processor.
RUNS = {'plan': 60000, 'program': 6000, 'onnx': 100000, 'tflite': 30000, 'chip': 20000,
        'files': 50000, 'place': 8000, 'bank': 600, 'payload': 200000}
WHERE = {'bank': 'host/core/bank/model', 'payload': 'host/template/tile'}


def program(fuzzer):
    """Path below the folder of what is built for the sanitizers."""
    return WHERE.get(fuzzer, f'fuzz/{fuzzer}')


def commands(build, target, changed):
    """What `make` would run to make @target again because of @changed, without what it prints."""
    text = subprocess.run(['make', '-n', f'O={build}', '-W', changed, target], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    lines = [i.strip() for i in text.replace('\\\n', ' ').split('\n')]
    found = [i.rsplit(';', 1)[-1].strip() for i in lines if i.endswith('.o') or ' -o ' in i]
    if len(found) != 1:
        raise SystemExit(f'planted: {len(found)} commands make {target}, not one')
    return shlex.split(found[0])


def changed_source(fault):
    """Return: the source of @fault without the check. What is to be removed must be there once."""
    with open(fault.path, encoding='utf-8') as file:
        text = file.read()
    if text.count(fault.old) != 1:
        raise SystemExit(f'planted: {fault.path} has {text.count(fault.old)} times, not once:\n'
                         f'{fault.old}\n(mend the row "{fault.what}" of planted_faults.py)')
    return text.replace(fault.old, fault.new)


class Planted:
    """Builds fuzzers with a fault and runs them; @build has them without, @work is for these."""

    def __init__(self, options):
        self.build, self.work = options.build, f'{options.build}/planted'
        self.seconds, self.seed = options.seconds, options.seed
        self.only, self.quick, self.known = options.fuzzer, options.quick, {}

    def fuzzers(self, fault):
        """Those that have to notice, and were asked for."""
        if self.quick and not fault.quick:
            return []
        names = fault.fuzzers.split()[:1 if self.quick else None]
        return [i for i in names if self.only in ('', i)]

    def command(self, target, changed):
        """Return: as commands(), which is asked once for each."""
        if (target, changed) not in self.known:
            self.known[target, changed] = commands(self.build, target, changed)
        return list(self.known[target, changed])

    def plant(self, fault):
        """Return: path of the object with the fault."""
        source = f'{self.work}/{fault.path.replace("/", "-")}'
        os.makedirs(self.work, exist_ok=True)
        with open(source, 'w', encoding='utf-8') as file:
            file.write(changed_source(fault))
        command = self.command(f'{self.build}/asan/obj/{fault.path[:-2]}.o', fault.path)
        command[command.index('-c') + 1] = source
        command[command.index('-o') + 1] = f'{source}.o'
        for flag in ('-MMD', '-MP', '-Werror'):
            command.remove(flag)
        subprocess.run([*command, '-w', f'-I{os.path.dirname(fault.path)}'], check=True)
        return f'{source}.o'

    def link(self, fuzzer, fault, planted):
        """Return: path of the fuzzer with the fault."""
        library = f'{self.build}/asan/libloom.a'
        # tests of the host share the library, which has all of its own objects
        command = [library if word == library[:-1] + 'so' else word for word in
                   self.command(f'{self.build}/asan/{program(fuzzer)}', library)]
        own = f'{self.build}/asan/obj/{fault.path[:-2]}.o'
        if own in command:
            command[command.index(own)] = planted
        else:
            command.insert(command.index(library), planted)
        out = f'{self.work}/{fuzzer}'
        command[command.index('-o') + 1] = out
        subprocess.run(command, check=True)
        return out

    def run(self, path, fuzzer, runs):
        """Return: the failure's line ('' if there is none), inputs and seconds."""
        arguments = (['--runs', str(runs), '--seed', str(self.seed), '--fail',
                      f'{self.work}/{fuzzer}.fail'] if program(fuzzer).startswith('fuzz/') else
                     [str(runs), str(self.seed)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ended = subprocess.run([path, *arguments], text=True, errors='replace',
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=limit, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if not ended.returncode:
            return '', runs, spent
        # the limit of this run is no failure of the program
        if spent >= self.seconds and ended.returncode < 0:
            return '', 0, spent
        number = re.search(r'^[\w-]+: the input is in .*, number (\d+)$', ended.stdout, re.M)
        line = re.search(r'^(fuzz-[\w]+: (?!the input).*|.*runtime error: .*|.*ERROR: Add.*|not ok.*)$',
                         ended.stdout, re.M)
        why = line.group().split(': ', 1)[-1] if line else f'status {ended.returncode}'
        return why, int(number.group(1)) if number else 0, spent

    def try_fault(self, fault):
        """Prints a row for each fuzzer. Return: how many of them did not notice."""
        missed = 0
        planted = self.plant(fault)
        for fuzzer in self.fuzzers(fault):
            path = self.link(fuzzer, fault, planted)
            why, inputs, spent = self.run(path, fuzzer, fault.runs or RUNS[fuzzer])
            word = f'found after {inputs or "?"} inputs' if why else 'NOT FOUND'
            print(f'{fuzzer:8} {fault.what}: {word}, {spent:.1f} s: {why[:90]}', flush=True)
            missed += not why
        return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--rows', action='store_true')
    parser.add_argument('--fuzzer', default='', help='only this one')
    parser.add_argument('--only', default='', help='faults with this in their name')
    parser.add_argument('--seconds', type=int, default=30, help='most for one run')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--build', default='build')
    options = parser.parse_args()
    os.chdir(TOP)
    if options.rows:
        for fault in FAULTS:
            changed_source(fault)
        return 0
    planted = Planted(options)
    faults = [i for i in FAULTS if options.only in i.what and planted.fuzzers(i)]
    fuzzers = sorted({name for i in faults for name in planted.fuzzers(i)})
    subprocess.run(['make', '-s', f'O={options.build}',
                    *(f'{options.build}/asan/{program(i)}' for i in fuzzers)],
                   stdout=subprocess.DEVNULL, check=True)
    os.makedirs(planted.work, exist_ok=True)
    for fuzzer in [] if options.quick else fuzzers:
        why, _, spent = planted.run(f'{options.build}/asan/{program(fuzzer)}', fuzzer,
                                    RUNS[fuzzer])
        print(f'{fuzzer:8} without a fault, {spent:.1f} s: {why or "none is found"}', flush=True)
        if why:
            return 1
    count = sum(len(planted.fuzzers(i)) for i in faults)
    missed = sum(planted.try_fault(i) for i in faults)
    print(f'planted: {count - missed} of {count} removed checks were noticed')
    return bool(missed)


if __name__ == '__main__':
    sys.exit(main())
