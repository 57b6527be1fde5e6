#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library's interface, as it is written down: userlib/libloom.abi has the prototypes of all
functions that are exported, sizes of structs and values of enumerators (on amd64), from the public
headers.

	tools/ci/abi.py		says what differs from the headers; status 1 if anything does
	tools/ci/abi.py --write	writes it; see Documentation/reference/index.rst for when that is right
"""
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
ABI = 'userlib/libloom.abi'
HEADERS = sorted(glob.glob('userlib/include/*.h'))


def text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def compiler(*args):
    drm = subprocess.run(['pkg-config', '--cflags', 'libdrm'], check=True, capture_output=True,
                         text=True).stdout.split()
    subprocess.run(['gcc', '-std=gnu11', '-Iuserlib/include', '-Iuapi', *drm, *args], check=True)


def prototypes(folder):
    """By name: what the compiler makes of the declarations."""
    source = os.path.join(folder, 'all.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.writelines(f'#include <{os.path.basename(header)}>\n' for header in HEADERS)
    compiler('-fsyntax-only', '-aux-info', os.path.join(folder, 'aux'), source)
    found = {}
    for line in text(os.path.join(folder, 'aux')).splitlines():
        match = re.match(r'/\* userlib/include/.* \*/ extern (.*);', line)
        if match and not match[1].startswith('static'):
            found[re.search(r'(\w+) \(', match[1])[1]] = match[1]
    return found


def layout(folder):
    """Lines about types, by a program that prints them."""
    structs, enumerators = [], []
    for header in HEADERS:
        code = re.sub(r'/\*.*?\*/', '', text(header), flags=re.S)
        structs += re.findall(r'^((?:struct|union) loom_\w+) \{', code, re.M)
        for body in re.findall(r'^enum loom_\w+ \{(.*?)\}', code, re.M | re.S):
            enumerators += re.findall(r'^\t(LOOM_\w+)', body, re.M)
    source = os.path.join(folder, 'layout.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('#include <stdio.h>\n')
        file.writelines(f'#include <{os.path.basename(header)}>\n' for header in HEADERS)
        file.write('int main(void)\n{\n')
        for name in structs:
            file.write(f'\tprintf("{name}: %zu bytes\\n", sizeof({name}));\n')
        for name in enumerators:
            file.write(f'\tprintf("{name} = %lld\\n", (long long){name});\n')
        file.write('\treturn 0;\n}\n')
    program = os.path.join(folder, 'layout')
    compiler('-o', program, source)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def now():
    """What the file has to be."""
    with tempfile.TemporaryDirectory() as folder:
        functions = prototypes(folder)
        types = layout(folder)
    return ('# SPDX-License-Identifier: MIT\n'
            '# What a program relies on (amd64). Written by tools/ci/abi.py.\n' +
            ''.join(f'{functions[name]}\n' for name in sorted(functions)) + types)


def main():
    write = sys.argv[1:] == ['--write']
    if sys.argv[1:] and not write:
        print(__doc__, file=sys.stderr)
        return 2
    have, want = text(ABI) if os.path.exists(ABI) else '', now()
    if write:
        with open(ABI, 'w', encoding='utf-8') as file:
            file.write(want)
    elif have != want:
        sys.stdout.writelines(difflib.unified_diff(have.splitlines(True), want.splitlines(True),
                                                   ABI, 'the headers', n=0))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
