#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes loom/abi.py, what ctypes has to know of libloom, from the public headers: structs, enums,
numbers and functions, as the C preprocessor leaves them. So the Python side follows a header by
being built again, and what it cannot follow ends the build with a line that names it.

	generate.py OUTPUT COMPILER [ARG...] HEADER...

COMPILER with its ARGs preprocesses C. HEADERs are those whose declarations are taken.
"""
import ast
import keyword
import operator
import os
import re
import subprocess
import sys

# types that the headers take from others
TYPES = {
    '_Bool': 'c_bool', 'char': 'c_char', 'double': 'c_double', 'float': 'c_float', 'int': 'c_int',
    'unsigned int': 'c_uint', 'unsigned': 'c_uint', 'pid_t': 'c_int', 'size_t': 'c_size_t',
    'void': 'None', 'FILE': 'None',
    **{f'{sign}int{bits}_t': f'c_{sign}int{bits}' for sign in ('', 'u')
       for bits in (8, 16, 32, 64)},
    **{f'__{letter}{bits}': f'c_{sign}int{bits}' for letter, sign in (('s', ''), ('u', 'u'))
       for bits in (8, 16, 32, 64)},
}
TOKEN = re.compile(r'\s*([A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|<<|>>|\S)')
# numbers that need the size of a struct; nobody calls the ioctls from here
NO_NUMBER = re.compile(r'^DRM_IOCTL_')


class Unknown(Exception):
    """Something that this program does not know how to say in Python."""


def evaluate(text, names):
    """An integer constant expression of C."""
    text = re.sub(r'\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b', r'\1', text)
    binary = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.Div: operator.floordiv, ast.LShift: operator.lshift,
              ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_}
    unary = {ast.USub: operator.neg, ast.Invert: operator.invert, ast.UAdd: operator.pos}

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in binary:
            return binary[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in unary:
            return unary[type(node.op)](value(node.operand))
        raise Unknown(f'no number: {text}')

    try:
        return value(ast.parse(text.strip(), mode='eval').body)
    except SyntaxError:
        raise Unknown(f'no number: {text}') from None


class Parser:
    """Declarations, one after the other. They are C as the headers write it: a struct or an enum
    is defined by itself, and a declaration has one name."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.numbers = {}       # by enumerator
        self.enums = {}         # by name: names of its enumerators
        self.structs = {}       # by name: (name, type) of each field; None: opaque
        self.callbacks = {}     # by name: type
        self.functions = {}     # by name: (type of the result, types of the arguments)

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, want):
        if self.peek() != want:
            raise Unknown(f'"{want}" expected at: {" ".join(self.tokens[self.at:self.at + 12])}')
        self.at += 1

    def accept(self, want):
        if self.peek() != want:
            return False
        self.at += 1
        return True

    def until(self, *ends):
        """The text up to one of ends, which is not taken."""
        words = []
        while self.peek() not in ends:
            if not self.peek():
                raise Unknown(f'{ends[0]} is missing')
            words.append(self.next())
        return ' '.join(words)

    def base(self):
        """A type without its stars: its name in ctypes, and whether it is const."""
        const = self.accept('const')
        word = self.next()
        if word in ('struct', 'enum', 'union'):
            tag = self.next()
            if word == 'union':
                raise Unknown(f'union {tag}')
            name = tag if word == 'struct' else 'c_uint'
            if word == 'struct':
                self.structs.setdefault(tag, None)
        else:
            if word == 'unsigned' and self.accept('int'):
                word = 'unsigned int'
            name = self.callbacks.get(word) and word or TYPES.get(word)
            if not name:
                raise Unknown(f'type {word}')
        return name, self.accept('const') or const

    def stars(self, name, const):
        while self.accept('*'):
            if name == 'None':
                name = 'c_void_p'
            elif name == 'c_char' and const:
                name = 'c_char_p'
            else:
                name = f'POINTER({name})'
            const = self.accept('const')
        return name

    def declarator(self, ends, parameter=False):
        """(name, type) of a field or a parameter."""
        kind = self.stars(*self.base())
        name = self.next() if self.peek() not in ends + ('[',) else ''
        lengths = []
        while self.accept('['):
            lengths.append(evaluate(self.until(']') or '0', self.numbers))
            self.take(']')
        if lengths and parameter:
            return name, f'POINTER({kind})'
        for length in reversed(lengths):
            kind = f'array({kind}, {length})'
        return name, kind

    def parameters(self):
        self.take('(')
        found = []
        while not self.accept(')'):
            if self.peek() == '.':
                raise Unknown('a function with "..."')
            found.append(self.declarator((',', ')'), parameter=True)[1])
            self.accept(',')
        return [] if found == ['None'] else found

    def enum(self):
        name = self.next() if self.peek() != '{' else ''
        self.take('{')
        members, value = [], -1
        while not self.accept('}'):
            member = self.next()
            value = evaluate(self.until(',', '}'), self.numbers) if self.accept('=') else value + 1
            if value < 0:
                raise Unknown(f'{member} is below 0')
            self.numbers[member] = value
            members.append(member)
            self.accept(',')
        self.take(';')
        if name:
            self.enums[name] = members

    def struct(self):
        name = self.next()
        self.structs.setdefault(name, None)
        if self.accept(';'):
            return
        self.take('{')
        fields = []
        while not self.accept('}'):
            fields.append(self.declarator((';', ':', ',')))
            self.take(';')
        self.take(';')
        # a struct goes behind those that are in it
        self.structs.pop(name)
        self.structs[name] = fields

    def typedef(self):
        result = self.stars(*self.base())
        self.take('(')
        self.take('*')
        name = self.next()
        self.take(')')
        self.callbacks[name] = f'CFUNCTYPE({", ".join([result, *self.parameters()])})'
        self.take(';')

    def function(self):
        result = self.stars(*self.base())
        name = self.next()
        self.functions[name] = result, self.parameters()
        while self.accept('__attribute__'):
            depth = 0
            while depth or self.peek() == '(':
                depth += {'(': 1, ')': -1}.get(self.next(), 0)
        self.take(';')

    def run(self):
        while self.peek():
            after = self.tokens[self.at + 1:self.at + 3] + ['', '']
            if self.accept('typedef'):
                self.typedef()
            elif self.peek() == 'enum' and '{' in after[:2]:
                self.at += 1
                self.enum()
            elif self.peek() == 'struct' and after[1] in ('{', ';'):
                self.at += 1
                self.struct()
            elif not self.accept(';'):
                self.accept('extern')
                self.function()


def preprocess(compiler, source, *args):
    run = subprocess.run([*compiler, '-E', *args, '-x', 'c', '-'], input=source, text=True,
                         stdout=subprocess.PIPE, check=False)
    if run.returncode:
        raise Unknown('the compiler does not read the headers')
    return run.stdout


def read(compiler, headers):
    """The declarations of the headers, and the numbers that they define."""
    include = ''.join(f'#include "{os.path.abspath(header)}"\n' for header in headers)
    ours = {os.path.realpath(header) for header in headers}
    text, macros, taken = [], [], False
    for line in preprocess(compiler, include, '-dD').splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            taken = os.path.realpath(marker[1]) in ours
        elif taken and line.startswith('#define'):
            macro = re.match(r'#define (\w+) (.+)', line)
            if macro and not NO_NUMBER.match(macro[1]):
                macros.append(macro[1])
        elif taken and not line.startswith('#'):
            text.append(line)
    parser = Parser('\n'.join(text))
    parser.run()
    expanded = preprocess(compiler, include + ''.join(f'@ {name}\n' for name in macros), '-P')
    values = [line[1:] for line in expanded.splitlines() if line.startswith('@')]
    if len(values) != len(macros):
        raise Unknown('the values of the macros')
    for name, value in zip(macros, values):
        try:
            parser.numbers[name] = evaluate(value, parser.numbers)
        except Unknown as error:
            raise Unknown(f'{name}: {error}') from None
    return parser


def comments(headers):
    """By name: what the first line of its kernel-doc comment says."""
    found = {}
    for header in headers:
        with open(header, encoding='utf-8') as file:
            for name, says in re.findall(
                    r'/\*\*\n \* (?:struct |enum |typedef |define )?(\w+)(?:\(\))? - '
                    r'(.*(?:\n \*   .*)*)',
                    file.read()):
                found[name] = ' '.join(says.replace('\n *', ' ').split())
    return found


def counts(headers):
    """Enumerators that only say how many there are."""
    found = set()
    for header in headers:
        with open(header, encoding='utf-8') as file:
            found.update(re.findall(r'^ \* @(LOOM_\w+): number of', file.read(), re.M))
    return found


def members_of(name, members, numbers):
    """An enum as Python has it: names without what all have in common."""
    common = os.path.commonprefix(members)
    common = common[:common.rfind('_') + 1]
    flags = name.endswith('flags')
    lines = [f'class {name}({"IntFlag" if flags else "IntEnum"}):']
    for member in members:
        short = member[len(common):]
        if short[0].isdigit():
            short = '_' + short
        lines.append(f'    {short} = {numbers[member]}')
    return lines


def write(parser, says, ends):
    lines = ['# SPDX-License-Identifier: MIT',
             '"""What C declares: structs, enums, numbers and functions of the public headers,',
             'under their names there. Written by generate.py when the library is built."""',
             'import ctypes', 'from enum import IntEnum, IntFlag', '',
             'from ._numbers import CheckedStructure as Structure, array', '',
             'CFUNCTYPE, POINTER = ctypes.CFUNCTYPE, ctypes.POINTER']
    lines += [f'{kind} = ctypes.{kind}'
              for kind in sorted({*TYPES.values(), 'c_char_p', 'c_void_p'} - {'None'})]
    lines.append('')
    lines += [f'{name} = {value:#x}' if value > 0xffff else f'{name} = {value}'
              for name, value in parser.numbers.items()]
    for name, members in parser.enums.items():
        members = [member for member in members if member not in ends]
        lines += ['', ''] + members_of(name, members, parser.numbers)
        if name in says:
            lines.insert(-len(members), f'    """{says[name]}"""')
    for name, fields in parser.structs.items():
        lines += ['', '', f'class {name}(Structure):',
                  f'    """{says.get(name, "opaque" if fields is None else "")}"""']
    lines += ['', '']
    lines += [f'{name} = {kind}' for name, kind in parser.callbacks.items()]
    for name, fields in parser.structs.items():
        if fields is not None:
            lines.append(f'{name}._fields_ = [')
            lines += [f'    ({field + "_" * keyword.iskeyword(field)!r}, {kind}),'
                      for field, kind in fields]
            lines.append(']')
    lines += ['', '# by name: result, arguments, what it does', 'FUNCTIONS = {']
    for name, (result, arguments) in sorted(parser.functions.items()):
        lines.append(f'    {name!r}: ({result}, ({"".join(kind + ", " for kind in arguments)}),')
        lines.append(f'        {says.get(name, "")!r}),')
    lines += ['}', '']
    return '\n'.join(lines)


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    output, *compiler = sys.argv[1:]
    headers = []
    while compiler and compiler[-1].endswith('.h'):
        headers.insert(0, compiler.pop())
    try:
        text = write(read(compiler, headers), comments(headers), counts(headers))
    except Unknown as error:
        print(f'generate.py: {error}', file=sys.stderr)
        return 1
    with open(output, 'w', encoding='utf-8') as file:
        file.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
