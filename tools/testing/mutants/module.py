# SPDX-License-Identifier: MIT
"""Mutants of the module: each is built with a copy of the driver, and has to fail selftests in the VM."""
import glob
import os
import random
import subprocess

import areas
import source


def copy(top, tree):
    """The driver's sources as they are, apart from the tree; what is built there is kept."""
    os.makedirs(tree, exist_ok=True)
    subprocess.run(['rsync', '-rlptm', '--delete', '--exclude=*.mod.c', '--include=*/',
                    '--include=*.[ch]', '--include=Kbuild', '--exclude=*', 'Kbuild', 'drivers', 'uapi',
                    tree + '/'], cwd=top, check=True)


def build(top, tree):
    kernel = sorted(glob.glob('/usr/src/linux-headers-6.12.*-amd64'))[-1]
    return not subprocess.run(['make', '-s', '-C', kernel, f'M={os.path.join(top, tree)}', 'modules'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode


def boot(top, tree, tests):
    """Whether the selftests pass on it, and the log has no trouble."""
    command = ['tools/vm/run', '--module', f'{tree}/drivers/accel/loom/loom.ko', '--log',
               'build/mutants/dmesg.log', '--', 'sh', '-c',
               ' && '.join(f'build/kselftest/install/loom/{i}' for i in tests)]
    try:
        return not subprocess.run(command, cwd=top, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=1200, check=False).returncode
    except subprocess.TimeoutExpired:
        return False


def main(top, options, same):
    folder, patterns, tests = areas.MODULE
    tree = 'build/mutants/module'
    found = []
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            with open(path, encoding='utf-8') as file:
                found += source.mutants(path, file.read())
    found.sort(key=lambda m: (m.path, m.name))
    random.Random(f'{options.seed} module').shuffle(found)
    if options.again:
        found = [m for m in found if options.again in m.name or options.again in m.path]
    found = found[:options.count]
    if options.list:
        for m in found:
            print(f'{m.path}:{m.line}: {m.name} {m.what()}')
        return 0
    subprocess.run(['tools/ci/kselftest.sh', 'stage'], cwd=top, check=True)
    copy(top, tree)
    if not build(top, tree) or not boot(top, tree, tests):
        print('mutants: the module as it is does not pass', ' '.join(tests))
        return 2
    killed = survived = 0
    for m in found:
        if (os.path.relpath(m.path, folder), m.name) in same:
            continue
        with open(m.path, encoding='utf-8') as file:
            text = file.read()
        copy(top, tree)
        with open(os.path.join(tree, m.path), 'w', encoding='utf-8') as file:
            file.write(m.apply(text))
        if not build(top, tree):
            continue
        alive = boot(top, tree, tests)
        survived += alive
        killed += not alive
        print(f"{'survived' if alive else 'killed':8} {m.path}:{m.line}: {m.what()} [{m.name}]",
              flush=True)
    print(f'module: {killed} of {killed + survived} killed')
    return bool(survived)
