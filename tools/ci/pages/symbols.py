#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says which public symbols are not in the pages: all functions of userlib/libloom.abi, and
structs, enums, macros and function types of the public headers. Structs and enums of the UAPI are
looked for in all pages of DOCS and in loom_accel.h(3); what the package for Python exports, in its page. Status 1 if any
is missing.

	tools/ci/pages/symbols.py DOCS MAN	DOCS: pages as `make docs` makes them; MAN: folder with man3/
"""
import glob
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..')


def text(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def symbols():
    """By symbol: its header."""
    found = {}
    exported = re.findall(r'^[^(\n]*[ *](loom_\w+) \(', text(TOP, 'userlib', 'libloom.abi'), re.M)
    for path in glob.glob(os.path.join(TOP, 'userlib', 'include', '*.h')):
        name = os.path.basename(path)
        code = re.sub(r'/\*.*?\*/', '', text(path), flags=re.S)
        guard = name.upper().replace('.', '_')
        for pattern in (r'^(?:struct|enum|union) (\w+) \{', r'^#define (\w+)',
                        r'^typedef .*?\(\*(\w+)\)', r'\b(loom_\w+)\('):
            for symbol in re.findall(pattern, code, re.M):
                if symbol != guard and (pattern[0] != '\\' or symbol in exported):
                    found[symbol] = name
    return found, [symbol for symbol in exported if symbol not in found]


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    docs, man = sys.argv[1:]
    found, lost = symbols()
    missing = [f'{symbol}: in libloom.abi, but in no header' for symbol in lost]
    for symbol, header in sorted(found.items()):
        page = os.path.join(docs, 'reference', header[:-2] + '.html')
        if not os.path.exists(page) or f'id="c.{symbol}"' not in text(page):
            missing.append(f'{symbol}: of {header}, not in {page}')
        page = os.path.join(man, 'man3', header + '.3')
        heading = rf'^\.SS (?:struct |enum |union )?{symbol}(?:\(\))?$'
        if not os.path.exists(page) or not re.search(heading, text(page), re.M):
            missing.append(f'{symbol}: of {header}, not in {page}')
        if symbol.islower() and not os.path.exists(os.path.join(man, 'man3', symbol + '.3')):
            missing.append(f'{symbol}: of {header}, has no link to {page}')
    headers = ''.join(text(path) for path in glob.glob(os.path.join(TOP, 'uapi', 'drm', '*.h')))
    uapi = re.findall(r'^(?:struct|enum) (\w+) \{', headers, re.M)
    page = os.path.join(man, 'man3', 'loom_accel.h.3')
    missing += [f'{symbol}: of drm/loom_accel.h, not in {page}' for symbol in uapi
                if not re.search(rf'^\.SS (?:struct |enum )?{symbol}$', text(page), re.M)]
    pages = ''.join(text(page) for page in glob.glob(os.path.join(docs, '*.html')))
    missing += [f'{symbol}: of drm/loom_accel.h, in no page of {docs}' for symbol in uapi
                if f'id="c.{symbol}"' not in pages]
    package = text(TOP, 'userlib', 'python', 'loom', '__init__.py')
    python = re.findall(r"'(\w+)'", package[package.index('__all__ ='):].partition(']')[0])
    page = os.path.join(docs, 'reference', 'python.html')
    here = text(page) if os.path.exists(page) else ''
    missing += [f'{symbol}: of the package loom, not in {page}' for symbol in python
                if f'id="loom.{symbol}"' not in here and f'id="module-loom.{symbol}"' not in here]
    print('\n'.join(missing) or
          f'symbols: all {len(found)} of the library, {len(python)} of Python and {len(uapi)} of the '
          f'UAPI are in the pages')
    return bool(missing) or not found or not python


if __name__ == '__main__':
    sys.exit(main())
