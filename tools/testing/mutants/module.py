# SPDX-License-Identifier: MIT
"""Mutants of the module: selftests have to fail on each of them, in the VM.

All are built first. Then a VM loads one after the other (module.sh). It is booted again only
after a fault that its kernel does not survive; such a fault is noticed, too, as is one after which
the module cannot be loaded or unloaded, and one by which a test hangs. What compiles to the same
code as the module is no fault. Answers are in a log: who stops it can go on, and only survivors are
tried again with tests that have changed.

The distribution's kernel does not look at locks, nor at bytes behind the end of an array. What it
does not notice is then tried on the instrumented one, if asked for: slow, and booted again for each
fault that it does notice, as its instruments report once.
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
import time

import areas
import source

WORK = 'build/mutants'
DRIVER = 'drivers/accel/loom'
# Seconds of a processor that the VM may take without a word, beside what a test may take: it boots,
# or unloads a module that is in use. A machine that others use gives it no more of them in an hour.
# And seconds by the clock, for a kernel that has stopped both of its processors.
QUIET, STOPPED = 200, 3600
# What a test may take that nobody has measured.
MOST = 1200
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


class Kernel:
    """What modules are built against, and run on."""

    def __init__(self, debug):
        self.name, self.boot = '', []
        self.headers = sorted(glob.glob('/usr/src/linux-headers-6.12.*-amd64'))[-1]
        self.built, self.faults, slow = 'build/module', f'{WORK}/ko', 1
        if debug:
            folder = subprocess.run(['tools/vm/debug-kernel.sh'], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout.strip()
            self.name, self.boot = 'debug ', ['--kernel', folder]
            self.headers = f'{folder}/build'
            self.built, self.faults, slow = 'build/debug/module', f'{WORK}/debug', 10
        self.built = os.path.abspath(f'{self.built}/{DRIVER}')
        self.quiet = slow * QUIET
        self.effort = 20 if debug else 30


class Builder:
    """
    Makes a module of each mutant by the commands that built the module: one file is compiled, and
    all are linked. What it made is kept until the module changes.
    """

    def __init__(self, kernel):
        self.headers, self.built, self.to = kernel.headers, kernel.built, kernel.faults
        os.makedirs(f'{self.to}/object', exist_ok=True)
        stamp = f"{digest([f'{self.built}/loom.ko'])} {COMPILE}"
        if not os.path.exists(f'{self.to}/stamp') or read(f'{self.to}/stamp').decode() != stamp:
            shutil.rmtree(self.to)
            os.makedirs(f'{self.to}/object')
            for name in ('loom', 'loom_soft', 'loom_template'):
                strip(f'{self.built}/{name}.ko', f'{self.to}/{name}.ko')
            for path in self.objects():
                strip(path, self.stripped(path))
            with open(f'{self.to}/stamp', 'w', encoding='utf-8') as file:
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
        return os.path.abspath(f'{self.to}/object/{name}')

    def run(self, command):
        # what the makefiles export
        return not subprocess.run(command, shell=True, cwd=self.headers,
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
            to = os.path.abspath(f'{self.to}/object/plain')
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
            # with a space behind the last name: a file's may be the beginning of another's
            command = self.command(target) + ' '
            for old, new in ((f'@{module}.mod ', f'@{to}.mod '), (f'{module}.o', f'{to}.all.o'),
                             (f'{module}.ko', f'{to}.ko')):
                command = command.replace(old, new)
            if module + '.' in command.replace(f'{module}.mod.o', '') or not self.run(command):
                raise SystemExit(f'mutants: cannot link {to}.ko')

    def build(self, mutant):
        """Return: loom.ko with the fault; 'no C', or 'same' for the same code as without."""
        name = f'{mutant.path[len(DRIVER) + 1:]}-{mutant.name}'.replace('/', '-').replace(':', '-')
        path, to = f'{self.to}/{name}', os.path.abspath(f'{self.to}/object/fault')
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

    def __init__(self, kernel, modules, tests):
        with open(f'{kernel.faults}/list', 'w', encoding='utf-8') as file:
            file.writelines(f"{i} {ko} {' '.join(names)}\n" for i, ko, names in modules)
        with open(f'{kernel.faults}/tests', 'w', encoding='utf-8') as file:
            file.writelines(f'{i} {seconds} {skips}\n' for i, (seconds, skips) in tests.items())
        self.seconds = {name: seconds for name, (seconds, _) in tests.items()}
        self.heard, self.most = b'', kernel.quiet
        self.quiet = kernel.quiet
        self.process = subprocess.Popen(
            ['tools/vm/run', '--no-module', '--timeout', '86400', *kernel.boot,
             '--log', f'{kernel.faults}/dmesg.log', '--', 'tools/testing/mutants/module.sh',
             f'{kernel.faults}/list', f'{kernel.faults}/tests', str(kernel.effort)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def used(self):
        """Seconds of a processor that it took."""
        ticks = 0
        for path in glob.glob('/proc/[0-9]*/stat'):
            try:
                words = read(path).rsplit(b')', 1)[1].split()
            except OSError:
                continue
            if int(words[3]) == self.process.pid:
                ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf('SC_CLK_TCK')

    def hear(self):
        """Return: whether there is more to read before it has been quiet for too long."""
        used, end = self.used(), time.monotonic() + STOPPED
        while not select.select([self.process.stdout], [], [], 5)[0]:
            if self.used() - used > self.most or time.monotonic() > end:
                return False
        return True

    def lines(self):
        """What module.sh says, as it says it; ['quiet'] if it says nothing for too long, and at its
        end nothing more."""
        while True:
            while b'\n' in self.heard:
                line, self.heard = self.heard.split(b'\n', 1)
                words = line.decode(errors='replace').split()
                if words[:1] == ['mutants:']:
                    self.most = self.quiet
                    # it has two processors
                    if words[1] == 'test':
                        self.most += 2 * self.seconds.get(words[3], MOST)
                    yield words[1:]
            if not self.hear():
                yield ['quiet']
                return
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                # it writes the kernel's log
                self.process.wait()
                return
            self.heard += more

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait()


def panic(kernel):
    """What a kernel said at its end."""
    text = read(f'{kernel.faults}/dmesg.log').decode(errors='replace')
    found = re.search(r'(Kernel panic|Oops|BUG: |kernel BUG|WARNING: )[^\n]*', text)
    return found.group() if found else 'the VM ended'


def tour(kernel, modules, tests, judge):
    """One boot. Tells @judge what comes of each module. Return: whether it came to any."""
    machine = Machine(kernel, modules, tests)
    now, test, known, quiet, begun = None, '', False, False, False
    try:
        for words in machine.lines():
            if words[0] == 'begin':
                now, test, known, begun = int(words[1]), 'insmod', False, True
            elif words[0] == 'test':
                test = words[2]
            elif words[0] == 'quiet':
                quiet = True
            elif words[0] in ('failed', 'trouble'):
                if not known:
                    judge.killed(now, test, ' '.join(words[3 if words[0] == 'failed' else 2:]))
                known = True
                if words[0] == 'trouble':
                    # it only has to end, and may look for leaks before that
                    break
            elif words[0] == 'passed':
                judge.passed(now, test)
                test = 'rmmod'
            elif words[0] == 'limits':
                judge.measured(words[2], [int(i) for i in words[3:]])
            elif words[0] == 'end':
                now = None
    finally:
        machine.stop()
    if now is not None and not known:
        judge.killed(now, test, 'no answer' if quiet else panic(kernel))
    return begun


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
    paths = sorted(glob.glob('selftests/**/*.[ch]', recursive=True))
    sources = {os.path.basename(i)[:-2]: i for i in paths if i.endswith('.c')}
    return digest([*(i for i in paths if i.endswith('.h')),
                   *(sources[i] for i in sorted({i.split(':')[0] for i in tests}))])


def choose(options):
    """The sample: in this order, however lines move."""
    found = []
    for pattern in areas.MODULE[0]:
        for path in sorted(glob.glob(os.path.join(DRIVER, pattern))):
            found += source.mutants(path, read(path).decode())
    found.sort(key=lambda m: (m.path, m.name))
    random.Random(f'{options.seed} module').shuffle(found)
    return [m for m in found[:options.count] if options.again in m.name or options.again in m.path]


def own(mutant):
    """Tests that are about its file."""
    return next(names for pattern, names in areas.MODULE[0].items()
                if fnmatch.fnmatch(mutant.path, os.path.join(DRIVER, pattern)))


class Judge:
    """Tries mutants on a kernel."""

    def __init__(self, kernel, log, tests):
        self.kernel, self.log = kernel, log
        self.tests = {i: test_digest([i]) for i in tests}
        self.builder = Builder(kernel)
        self.found = []

    def key(self, m):
        return f'{self.kernel.name}{m.path} {m.name} {digest([m.path])}'

    def known(self, m):
        """Return: which test noticed, if one did, and which did not, as they are or were."""
        return {'by': '', 'passed': {}, **self.log.known.get(self.key(m), {})}

    def left(self, m):
        """Return: tests that might notice, those of its own first."""
        known = self.known(m)
        return [i for i in dict.fromkeys([*own(m), *self.tests])
                if not known['by'] and known['passed'].get(i) != self.tests[i]]

    # of the module with this number; zero is the one that is not broken

    def killed(self, number, test, why):
        if not number:
            raise SystemExit(f'mutants: the module as it is fails {test}: {why}')
        m = self.found[number - 1]
        self.log.add(self.key(m), {'by': test, 'why': why})
        print(f'killed {m.path}:{m.line}: {m.what()} [{m.name}] by {self.kernel.name}{test}: {why}',
              flush=True)

    def passed(self, number, test):
        if number:
            m = self.found[number - 1]
            passed = {**self.known(m)['passed'], test: self.tests[test]}
            self.log.add(self.key(m), {'by': '', 'passed': passed})

    def measured(self, test, limits):
        self.log.add(self.limits_key(test), limits)

    def limits_key(self, test):
        return f'{self.kernel.name}limits {test} {self.tests[test]}'

    def boot(self, modules):
        """Return: whether the VM got to one of them."""
        wanted = {name for _, _, names in modules for name in names}
        limits = {i: self.log.known.get(self.limits_key(i)) for i in self.tests if i in wanted}
        unknown = [i for i, values in limits.items() if not values]
        if unknown:
            modules = [(0, f'{self.kernel.faults}/loom.ko', unknown), *modules]
        return tour(self.kernel, modules, {i: v for i, v in limits.items() if v}, self)

    def take(self, found):
        """Tries those that are not known, first with tests of their own, so that most are known
        soon. Return: which of @found survive."""
        self.found = [m for m in found if self.builder.build(m).endswith('.ko')]
        for mine in (True, False):
            failures = 0
            while failures < 3:
                modules = []
                for i, m in enumerate(self.found):
                    names = [name for name in self.left(m) if not mine or name in own(m)]
                    if names:
                        modules.append((i + 1, self.builder.build(m), names))
                if not modules:
                    break
                failures = 0 if self.boot(modules) else failures + 1
            else:
                raise SystemExit('mutants: the VM does not boot')
        return [m for m in found if not self.known(m)['by']]


def main(top, options, same):
    found = choose(options)
    if options.list:
        for m in found:
            print(f'{m.path}:{m.line}: {m.name} {m.what()}')
        return 0
    os.chdir(top)
    # a VM that was started is stopped, then
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    subprocess.run(['tools/ci/kselftest.sh', 'stage'], check=True)
    log = Log(f'{WORK}/module.log')
    judges = [Judge(Kernel(i), log, areas.MODULE[1]) for i in range(2 if options.debug else 1)]
    count, todo = {'equivalent': 0, 'same': 0, 'no C': 0}, []
    for m in found:
        if (os.path.relpath(m.path, DRIVER), m.name) in same:
            count['equivalent'] += 1
            continue
        ko = judges[0].builder.build(m)
        if ko.endswith('.ko'):
            todo.append(m)
        else:
            count[ko] += 1
    left = [m for m in todo if not any(i.known(m)['by'] for i in judges)]
    for judge in judges:
        left = judge.take(left)
    stock = sum(bool(judges[0].known(m)['by']) for m in todo)
    killed = len(todo) - len(left)
    print(f'module: {killed} of {len(todo)} killed ({100 * killed / max(len(todo), 1):.1f} %), '
          f"{killed - stock} of them by the instrumented kernel; {count['equivalent']} equivalent,"
          f" {count['same']} with the same code, {count['no C']} do not compile")
    for m in left:
        print(f'survived {m.path}:{m.line}: {m.what()} [{m.name}]')
    return bool(left)
