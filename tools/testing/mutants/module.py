# SPDX-License-Identifier: MIT
"""Mutants of the module: selftests have to fail on each of them, in the VM.

All are built first. Then a VM loads one after the other (module.sh). It is booted again only
after a fault that its kernel does not survive; such a fault is noticed, too, as is one after which
the module cannot be loaded or unloaded, and one by which a test hangs. What compiles to the same
code as the module is no fault. Answers are in a log: who stops it can go on, and only survivors are
tried again with tests that have changed.
"""
import fnmatch
import glob
import hashlib
import json
import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys

import areas
import source

WORK = 'build/mutants'
BUILT = f'{WORK}/ko'
DRIVER = 'drivers/accel/loom'
# Seconds in which nothing may be heard of the VM beside what a test may take: it boots, on a busy
# machine, or unloads a module that is in use. What a test may take that nobody has measured.
QUIET, MOST = 600, 1200
# nothing for debuggers, and no name of a folder
COMPILE = ' -g0 -fmacro-prefix-map=%s=source -c -o '


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def digest(paths):
    total = hashlib.sha1()
    for path in paths:
        total.update(read(path))
    return total.hexdigest()[:12]


def strip(path, to):
    """Without what only debuggers read: the VM copies a module for each boot."""
    subprocess.run(['strip', '--strip-debug', '-o', to + '.part', path], check=True)
    os.replace(to + '.part', to)


class Builder:
    """
    Makes a module of each mutant by the commands that built the module: one file is compiled, and
    all are linked. What it made is kept until the module changes.
    """

    def __init__(self):
        self.kernel = sorted(glob.glob('/usr/src/linux-headers-6.12.*-amd64'))[-1]
        self.built = os.path.abspath(f'build/module/{DRIVER}')
        os.makedirs(f'{BUILT}/object', exist_ok=True)
        stamp = f"{digest([f'{self.built}/loom.ko'])} {COMPILE}"
        if not os.path.exists(f'{BUILT}/stamp') or read(f'{BUILT}/stamp').decode() != stamp:
            shutil.rmtree(BUILT)
            os.makedirs(f'{BUILT}/object')
            for name in ('loom', 'loom_soft', 'loom_template'):
                strip(f'{self.built}/{name}.ko', f'{BUILT}/{name}.ko')
            for path in self.objects():
                strip(path, self.stripped(path))
            with open(f'{BUILT}/stamp', 'w', encoding='utf-8') as file:
                file.write(stamp)
        self.codes = {}

    def command(self, target):
        """How the kernel's makefiles have made it."""
        folder, name = os.path.split(f'{self.built}/{target}')
        line = read(f'{folder}/.{name}.cmd').decode().split('\n', 1)[0]
        return line.split(':=', 1)[1].strip()

    def objects(self):
        return read(f'{self.built}/loom.mod').decode().split()

    def stripped(self, path):
        name = os.path.relpath(path, self.built).replace('/', '-')
        return os.path.abspath(f'{BUILT}/object/{name}')

    def run(self, command):
        # what the makefiles export
        return not subprocess.run(command, shell=True, cwd=self.kernel,
                                  env=dict(os.environ, ARCH='x86', SRCARCH='x86'),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  check=False).returncode

    def compile(self, path, text, to):
        """@to.o, of a source with that text. Return: success"""
        with open(f'{to}.c', 'w', encoding='utf-8') as file:
            file.write(text)
        name = os.path.relpath(path, DRIVER)[:-2]
        folder, base = os.path.split(f'{self.built}/{name}')
        command = self.command(f'{name}.o')
        for old, new in ((f'{folder}/.{base}.o.d', f'{to}.d'), (f'{folder}/{base}.o', f'{to}.o'),
                         (f'{folder}/{base}.c', f'{to}.c'), (' -c -o ', COMPILE % to)):
            command = command.replace(old, new)
        return self.run(command)

    def code(self, path):
        """What the compiler makes of a source without a fault."""
        if path not in self.codes:
            to = os.path.abspath(f'{BUILT}/object/plain')
            if not self.compile(path, read(path).decode(), to):
                raise SystemExit(f'mutants: {path} does not compile')
            self.codes[path] = read(f'{to}.o')
        return self.codes[path]

    def link(self, path, to):
        """@to.ko with @to.o instead of @path's own."""
        own = f'{self.built}/{os.path.relpath(path, DRIVER)[:-2]}.o'
        with open(f'{to}.mod', 'w', encoding='utf-8') as file:
            file.writelines((f'{to}.o' if i == own else self.stripped(i)) + '\n'
                            for i in self.objects())
        module = f'{self.built}/loom'
        for target in ('loom.o', 'loom.ko'):
            command = self.command(target)
            for old, new in ((f'{module}.mod ', f'{to}.mod '), (f'{module}.o', f'{to}.all.o'),
                             (f'{module}.ko', f'{to}.ko')):
                command = command.replace(old, new)
            if not self.run(command):
                raise SystemExit(f'mutants: cannot link {to}.ko')

    def build(self, mutant):
        """Return: loom.ko with the fault; 'no C', or 'same' for the same code as without."""
        name = f'{mutant.path[len(DRIVER) + 1:]}-{mutant.name}'.replace('/', '-').replace(':', '-')
        path, to = f'{BUILT}/{name}', os.path.abspath(f'{BUILT}/object/fault')
        for answer in ('no C', 'same'):
            if os.path.exists(f'{path}.{answer}'):
                return answer
        if os.path.exists(path + '.ko'):
            return path + '.ko'
        answer = ''
        if not self.compile(mutant.path, mutant.apply(read(mutant.path).decode()), to):
            answer = 'no C'
        elif read(f'{to}.o') == self.code(mutant.path):
            answer = 'same'
        if answer:
            with open(f'{path}.{answer}', 'w', encoding='utf-8'):
                pass
            return answer
        self.link(mutant.path, to)
        strip(f'{to}.ko', path + '.ko')
        return path + '.ko'


class Machine:
    """The VM, on its way through a list of modules."""

    def __init__(self, modules, tests):
        with open(f'{BUILT}/list', 'w', encoding='utf-8') as file:
            file.writelines(f"{i} {ko} {' '.join(names)}\n" for i, ko, names in modules)
        with open(f'{BUILT}/tests', 'w', encoding='utf-8') as file:
            file.writelines(f'{i} {seconds} {skips}\n' for i, (seconds, skips) in tests.items())
        self.seconds = {name: seconds for name, (seconds, _) in tests.items()}
        self.heard = b''
        self.process = subprocess.Popen(
            ['tools/vm/run', '--no-module', '--timeout', '86400', '--log', f'{WORK}/dmesg.log',
             '--', 'tools/testing/mutants/module.sh', f'{BUILT}/list', f'{BUILT}/tests'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def lines(self):
        """What module.sh says, as it says it; ['quiet'] if it says nothing for too long."""
        limit = QUIET
        while True:
            while b'\n' in self.heard:
                line, self.heard = self.heard.split(b'\n', 1)
                words = line.decode(errors='replace').split()
                if words[:1] == ['mutants:']:
                    limit = QUIET + (self.seconds.get(words[3], MOST) if words[1] == 'test' else 0)
                    yield words[1:]
            if not select.select([self.process.stdout], [], [], limit)[0]:
                yield ['quiet']
                return
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                return
            self.heard += more

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait()


def panic():
    """What a kernel said at its end."""
    text = read(f'{WORK}/dmesg.log').decode(errors='replace')
    found = re.search(r'(Kernel panic|Oops|BUG: |kernel BUG|WARNING: )[^\n]*', text)
    return found.group() if found else 'the VM ended'


def tour(modules, tests, answer, limits):
    """
    One boot. Calls @answer(number, test, why) for each module, @limits(test, what it may take) for
    each test that was measured. Return: numbers that are done.
    """
    machine = Machine(modules, tests)
    done, now, test, known = [], None, '', False
    try:
        for words in machine.lines():
            if words[0] == 'begin':
                now, test, known = int(words[1]), 'insmod', False
            elif words[0] == 'test':
                test = words[2]
            elif words[0] == 'quiet':
                break
            elif words[0] in ('failed', 'trouble'):
                if not known:
                    answer(now, test, ' '.join(words[3 if words[0] == 'failed' else 2:]))
                known = True
            elif words[0] == 'passed':
                test = 'rmmod'
            elif words[0] == 'limits':
                limits(words[2], [int(i) for i in words[3:]])
            elif words[0] == 'end':
                if not known:
                    answer(now, '', '')
                done.append(now)
                now = None
    finally:
        quiet = machine.process.poll() is None
        machine.stop()
    if now is not None:
        done.append(now)
        if not known:
            answer(now, test, 'no answer' if quiet else panic())
    return done


class Log:
    """Answers that are known."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if os.path.exists(path):
            for line in read(path).decode().splitlines():
                key, answer = line.split('\t', 1)
                self.known[key] = json.loads(answer)

    def add(self, key, answer):
        self.known[key] = answer
        with open(self.path, 'a', encoding='utf-8') as file:
            file.write(f'{key}\t{json.dumps(answer)}\n')


def test_digest(tests):
    """What selftests consist of."""
    names = sorted({i.split(':')[0] for i in tests})
    return digest([*sorted(glob.glob('selftests/*.h')), *(f'selftests/{i}.c' for i in names)])


def choose(options):
    """The sample: in this order, however lines move."""
    found = []
    for pattern in areas.MODULE[0]:
        for path in sorted(glob.glob(os.path.join(DRIVER, pattern))):
            found += source.mutants(path, read(path).decode())
    found.sort(key=lambda m: (m.path, m.name))
    random.Random(f'{options.seed} module').shuffle(found)
    return [m for m in found[:options.count] if options.again in m.name or options.again in m.path]


def split(mutant, tests):
    """Those that are about this file, and the others."""
    first = next(names for pattern, names in areas.MODULE[0].items()
                 if fnmatch.fnmatch(mutant.path, os.path.join(DRIVER, pattern)))
    return first, [i for i in tests if i not in first]


def judge(todo, keys, log, tests):
    """
    Try them in the VM, as often as that has to be booted: first with tests of their own, so that
    most are known soon, then with all others.
    """
    every = test_digest(tests)

    def limits(test, values):
        log.add(f'limits {test} {test_digest([test])}', values)

    def judged(number, test, why):
        if not number:
            if test:
                raise SystemExit(f'mutants: the module as it is fails {test}: {why}')
            return
        m = todo[number - 1][0]
        if test or stage:
            log.add(keys[m], {'by': test, 'why': why, 'tests': every})
            print(f"{'killed' if test else 'survived':8} {m.path}:{m.line}: {m.what()} [{m.name}]"
                  + (f' by {test}: {why}' if test else ''), flush=True)
        if test:
            killed.add(number)

    killed = set()
    for stage in (0, 1):
        waiting, failures = [i + 1 for i in range(len(todo)) if i + 1 not in killed], 0
        while waiting and failures < 3:
            modules = [(i, todo[i - 1][1], split(todo[i - 1][0], tests)[stage]) for i in waiting]
            known = {i: log.known.get(f'limits {i} {test_digest([i])}') for i in tests}
            known = {name: values for name, values in known.items() if values}
            wanted = {name for _, _, names in modules for name in names}
            unknown = [i for i in tests if i in wanted and i not in known]
            if unknown:
                modules = [(0, f'{BUILT}/loom.ko', unknown), *modules]
            done = tour(modules, known, judged, limits)
            failures = 0 if done else failures + 1
            waiting = [i for i in waiting if i not in done]
        if waiting:
            raise SystemExit('mutants: the VM does not boot')


def main(top, options, same):
    tests = areas.MODULE[1]
    found = choose(options)
    if options.list:
        for m in found:
            print(f'{m.path}:{m.line}: {m.name} {m.what()}')
        return 0
    os.chdir(top)
    # a VM that was started is stopped, then
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    subprocess.run(['tools/ci/kselftest.sh', 'stage'], check=True)
    builder, log = Builder(), Log(f'{WORK}/module.log')
    every, keys, todo = test_digest(tests), {}, []
    count = {'killed': 0, 'survived': 0, 'equivalent': 0, 'same code': 0, 'no C': 0}
    for m in found:
        if (os.path.relpath(m.path, DRIVER), m.name) in same:
            count['equivalent'] += 1
            continue
        ko = builder.build(m)
        if not ko.endswith('.ko'):
            count['same code' if ko == 'same' else ko] += 1
            continue
        keys[m] = f'{m.path} {m.name} {digest([m.path])}'
        known = log.known.get(keys[m])
        if not known or (not known['by'] and known['tests'] != every):
            todo.append((m, ko))
    if todo:
        judge(todo, keys, log, tests)
    survivors = []
    for m, key in keys.items():
        count['killed' if log.known[key]['by'] else 'survived'] += 1
        if not log.known[key]['by']:
            survivors.append(m)
    tried = count['killed'] + count['survived']
    print(f"module: {count['killed']} of {tried} killed"
          f" ({100 * count['killed'] / max(tried, 1):.1f} %), {count['equivalent']} equivalent,"
          f" {count['same code']} with the same code,"
          f" {count['no C']} do not compile")
    for m in survivors:
        print(f'survived {m.path}:{m.line}: {m.what()} [{m.name}]')
    return bool(survivors)
