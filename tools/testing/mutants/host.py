# SPDX-License-Identifier: MIT
"""Mutants of what libloom shares with the module, tried on this machine.

A mutant is one object. The library is linked once more as a shared object whose functions may be
replaced, test programs are linked with that, and each mutant is loaded before it: one link of a
file for each, whatever number of programs sees it. Tests that are over soon run a second time, with
the mutant compiled for AddressSanitizer, as `make check-more` runs them all, with fewer rounds:
"asan" before their name.
"""
import glob
import hashlib
import json
import os
import resource
import shlex
import subprocess
import sys

from areas import GOLDEN, OWN_MALLOC, PAYLOAD

# shifts, indices and overflows trap, so that no library of a sanitizer has to be linked
FLAGS = ('-std=gnu11 -O1 -w -Werror=implicit-function-declaration -fPIC -ffp-contract=off'
         ' -fsanitize=undefined -fsanitize-undefined-trap-on-error -D_GNU_SOURCE -Iuapi -Iuserlib/include -Iuserlib'
         ' -Idrivers/accel/loom/core').split()
ASAN = 'asan '
WATCH = 'userlib/base/watch.c'
# seconds, as they are
SOON = 3
MODULES = ['libdrm', 'libprotobuf-c', 'libpng', 'yaml-0.1']


def packages(what):
    """What pkg-config says of the libraries."""
    return shlex.split(subprocess.run(['pkg-config', what, *MODULES], text=True,
                                      stdout=subprocess.PIPE, check=True).stdout)


def run(command, preload, seconds, variables=()):
    """Return: whether it ended well in time, and seconds of the processor. Only these count: the
    machine has other work. Who waits for ever is not waited for, either."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        good = not subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=dict(os.environ, LOOM_ISA='base', LD_PRELOAD=preload,
                                           **dict(variables)),
                                  preexec_fn=limit, timeout=60 + 60 * seconds,
                                  check=False).returncode
    except subprocess.TimeoutExpired:
        good = False
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return good, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def program(test):
    """Which one a test runs."""
    return test.removeprefix(ASAN).split()[0]


def digest(path):
    """Of a file's bytes."""
    with open(path, 'rb') as file:
        return hashlib.sha1(file.read()).hexdigest()[:8]


class Host:
    """Builds and judges; @top is the tree, @work the folder for what is built."""

    def __init__(self, top, work):
        self.top, self.work = top, os.path.join(top, work)
        self.programs = {}
        self.seconds = {}
        self.rest = os.path.join(self.work, 'librest.so')
        self.watch = [os.path.join(self.work, f'watch{i}.o') for i in ('', '-asan')]
        self.runtime = subprocess.run(['gcc', '-print-file-name=libasan.so'], text=True,
                                      stdout=subprocess.PIPE, check=True).stdout.strip()
        self.libs = packages('--libs') + ['-lm', '-lpthread']
        self.flags = FLAGS + packages('--cflags')

    def compiled(self, path, source, out, asan=False):
        """Whether @source, which stands for @path of the tree, becomes an object."""
        # as in the Makefile
        memory = ['-include', 'userlib/base/memory.h'] if path.startswith('userlib/') else []
        return not subprocess.run(
            ['gcc', *self.flags, *(['-fsanitize=address'] if asan else []), *memory,
             f'-I{os.path.dirname(path)}', '-c', source, '-o', out],
            cwd=self.top, stderr=subprocess.DEVNULL, check=False).returncode

    def link(self, objects, out, asan=False):
        """An object that replaces functions of the library. The current watch is hidden in that: a
        mutant has a watch of its own, which calls begin and end as well."""
        if not os.path.exists(self.watch[asan]):
            self.compiled(WATCH, WATCH, self.watch[asan], asan)
        subprocess.run(['gcc', '-shared', '-o', out, *objects, self.watch[asan]], check=True)
        return out

    def whole(self, patterns, asan):
        """All files of an area as they are, compiled as mutants are."""
        objects = []
        for path in sorted(p for i in patterns for p in glob.glob(i, root_dir=self.top)):
            objects.append(f'{self.work}/whole/{path}.o')
            os.makedirs(os.path.dirname(objects[-1]), exist_ok=True)
            if not self.compiled(path, path, objects[-1], asan):
                raise SystemExit(f'mutants: {path} as it is does not compile')
        return self.link(objects, f'{self.work}/whole{"-asan" if asan else ""}.so', asan)

    def passes(self, test, mutant, seconds):
        """Whether a test passes with this in the library's place, and how long it takes."""
        name, *arguments = test.removeprefix(ASAN).split()
        if name == GOLDEN:
            return run([sys.executable, 'tools/testing/golden.py', '--preload', mutant,
                        f'{self.work}/bin/{name}'], '', seconds)
        command = [f'{self.work}/bin/{name}', *arguments]
        if test.startswith(ASAN):
            return run(command, f'{self.runtime} {mutant}', seconds, {'LOOM_SANITIZED': '1'})
        return run(command, mutant, seconds)

    def table(self, name):
        """Of the figures that a test compares with, beside it."""
        paths = [f'{self.top}/tools/testing/{folder}{name}.csv' for folder in ('', 'host/')]
        return ''.join(digest(i) for i in paths if os.path.exists(i))

    def build(self, tests):
        """Test programs, from the objects that `make` takes for them."""
        names = sorted({i.split()[0] for i in tests} - set(self.programs))
        if not names:
            return
        subprocess.run(['make', '-s', '-C', self.top, *('golden-needs' if i == GOLDEN else
                                                        f'build/host/{i}' for i in names)],
                       check=True, stdout=subprocess.DEVNULL)
        if not self.programs:
            payload = [f'build/obj/{i[:-2]}.o' for i in PAYLOAD]
            subprocess.run(['make', '-s', '-C', self.top, *payload], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run(['gcc', '-shared', '-o', self.rest, *(f'{self.top}/{i}' for i in payload),
                            '-Wl,--whole-archive', f'{self.top}/build/libloom.a',
                            '-Wl,--no-whole-archive', *self.libs], check=True)
        for name in names:
            out = f'{self.work}/bin/{name}'
            os.makedirs(os.path.dirname(out), exist_ok=True)
            objects = [f'{self.top}/build/obj/tools/testing/host/{name}.o']
            if name == GOLDEN:
                sources = glob.glob('tools/loom/**/*.c', root_dir=self.top, recursive=True)
                objects = [f'{self.top}/build/obj/{i[:-2]}.o'
                           for i in [*sorted(sources), 'gen/view_page.c']]
            subprocess.run(['gcc', '-o', out, *objects, self.rest,
                            f'-Wl,-rpath,{self.work}', *self.libs], check=True)
            self.programs[name] = digest(out) + self.table(name)

    def measure(self, patterns, tests):
        """How long each test takes when nothing is broken. It must pass: else it would kill
        whatever it is shown. What was measured with the same bytes is known. Return: the tests,
        with those for AddressSanitizer."""
        times = f'{self.work}/times.json'
        known = {}
        if os.path.exists(times):
            with open(times, encoding='utf-8') as file:
                known = json.load(file)
        whole = self.whole(patterns, False)
        stamp = f'{digest(whole)} {digest(self.rest)}'
        asan = None

        def time(test, mutant):
            key = f'{test} {self.version([test])} {stamp}'
            if key not in known:
                good, known[key] = self.passes(test, mutant(), 600)
                if not good:
                    raise SystemExit(f'mutants: {test} does not pass when nothing is broken')
                with open(times, 'w', encoding='utf-8') as file:
                    json.dump(known, file)
            self.seconds[test] = known[key]

        def sanitized():
            nonlocal asan
            asan = asan or self.whole(patterns, True)
            return asan
        for test in tests:
            time(test, lambda: whole)
        soon = [ASAN + i for i in tests if self.seconds[i] < SOON and i not in OWN_MALLOC]
        for test in soon:
            time(test, sanitized)
        return tests + soon

    def version(self, tests):
        """What the answer of these tests depends on, beside the source."""
        text = ' '.join(f'{i} {self.programs[program(i)]}' for i in sorted(tests))
        return hashlib.sha1(text.encode()).hexdigest()[:8]

    def judge(self, mutant, text, tests):
        """Return: the test that noticed, '' for none, None if it is no C."""
        path = f'{self.work}/{mutant.path}'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(mutant.apply(text))
        if not self.compiled(mutant.path, path, path + '.o'):
            return None
        plain, asan = self.link([path + '.o'], path + '.so'), None
        for test in tests:
            if test.startswith(ASAN) and not asan:
                self.compiled(mutant.path, path, path + '.asan.o', True)
                asan = self.link([path + '.asan.o'], path + '.asan.so', True)
            # four times as long as it should, and a second for what is over at once
            if not self.passes(test, asan if test.startswith(ASAN) else plain,
                               2 + int(4 * self.seconds[test]))[0]:
                return test
        return ''
