#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C program that compiles if, and only if, the compiler sees the structs, numbers and
functions as the Python side does: sizes, offsets, values, arguments that can be passed.

	layout.py [FOLDER]	FOLDER has the package; else it is found as always
"""
import ctypes
import importlib
import os
import sys
import types

if len(sys.argv) > 1:
    # without the package, which loads the library
    package = sys.modules['headers'] = types.ModuleType('headers')
    package.__path__ = [sys.argv[1], os.path.join(os.path.dirname(__file__),
                                                  '../../../userlib/python/loom')]
    abi = importlib.import_module('headers.abi')
else:
    from loom import abi

HEADERS = ('cache chip_file client config device error file fit kernels parallel place place_file '
           'planner program program_file replay report run tflite version')
print('#include <stddef.h>\n#include <loom.h>')
for header in HEADERS.split():
    print(f'#include <loom_{header}.h>')


def same(text, value):
    print(f'_Static_assert({text} == {value}ULL, "{text}");')


structs = fields = numbers = 0
for name, kind in vars(abi).items():
    if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind is not abi.Structure:
        if not hasattr(kind, '_fields_'):
            continue
        structs += 1
        same(f'sizeof(struct {name})', ctypes.sizeof(kind))
        same(f'_Alignof(struct {name})', ctypes.alignment(kind))
        for field, *_ in kind._fields_:
            fields += 1
            member = f'struct {name}, {field.rstrip("_")}'
            same(f'offsetof({member})', getattr(kind, field).offset)
            same(f'sizeof(((struct {name} *)0)->{field.rstrip("_")})', getattr(kind, field).size)
    elif isinstance(kind, int) and name.isupper():
        numbers += 1
        same(f'(unsigned long long)({name})', kind)

# a pointer is a pointer: how many there are, and what is none
WORDS = {ctypes.c_char_p, ctypes.c_void_p}
PLAIN = {ctypes.c_int: 'int', ctypes.c_uint: 'unsigned int', ctypes.c_bool: '_Bool',
         ctypes.c_double: 'double', ctypes.c_float: 'float'}
for name, (result, arguments, _) in abi.FUNCTIONS.items():
    passed = ', '.join('(void *)0' if kind in WORDS or hasattr(kind, 'contents') or
                       issubclass(kind, ctypes._CFuncPtr) else '0' for kind in arguments)
    print(f'void call_{name}(void);\nvoid call_{name}(void)\n{{\n\t(void){name}({passed});\n}}')
    for kind, what in (((result, f'{name}({passed})'),) if result in PLAIN else ()):
        print(f'_Static_assert(_Generic({what}, {PLAIN[kind]}: 1, default: 0), "{name}");')
    if result is None:
        print(f'_Static_assert(_Generic(&{name}, default: 1), "{name}");')
functions = len(abi.FUNCTIONS)
print(f'int main(void)\n{{\n\treturn 0;\n}}\n'
      f'/* {structs} structs, {fields} fields, {numbers} numbers, {functions} functions */')
