# SPDX-License-Identifier: MIT
"""What can be broken in a source file of C, one thing at a time.

Not a parser: comments, strings and directives are blanked out, functions are found by the house's
style (a brace in the first column), and mutants are made of the text between. What does not
compile is no mutant; the tool finds that out.
"""
import hashlib
import re

SWAPS = {
    '<': ['<='], '<=': ['<'], '>': ['>='], '>=': ['>'], '==': ['!='], '!=': ['=='],
    '&&': ['||'], '||': ['&&'], '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'], '%': ['/'],
    '&': ['|'], '|': ['&'], '<<': ['>>'], '>>': ['<<'], '+=': ['-='], '-=': ['+='],
    '++': ['--'], '--': ['++'],
}
OPERATOR = re.compile(r'(?<=[\w)\]] )(<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|[<>+\-*/%&|])(?=[ \n])'
                      r'|(?<=\w)(\+\+|--)')
NUMBER = re.compile(r'(?<![\w.])(\d+)(?=[UL]*\b)(?![\w.]*\.)(U?L*)')
WORD = re.compile(r'\b(true|false)\b')
STATEMENT = re.compile(r'^\t+(?!return|break|continue|goto|case|default|const|struct|static|bool|'
                       r'int|u8|u16|u32|u64|s8|s32|s64|void|enum|unsigned|char|else|if|for|while|'
                       r'do\b|switch)[\w*(&][^;{}]*;[ ]*$', re.M)
CONDITION = re.compile(r'\b(if|while) \(')


class Mutant:
    """One fault: @start to @end of the text becomes @new."""

    def __init__(self, path, text, start, end, new, kind):
        self.path, self.start, self.end, self.new, self.kind = path, start, end, new, kind
        self.line = text.count('\n', 0, start) + 1
        self.old = text[start:end]
        self.function = ''
        self.name = ''

    def apply(self, text):
        """The text with the fault in it."""
        return text[:self.start] + self.new + text[self.end:]

    def what(self):
        """The fault on one line."""
        short = [' '.join(i.split())[:60] for i in (self.old, self.new)]
        return f"{self.kind}: {short[0]} -> {short[1] or 'nothing'}"


def blank(text):
    """The same length, without comments, strings and directives."""
    def spaces(match):
        return re.sub(r'[^\n]', ' ', match.group())
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', spaces, text,
                  flags=re.S)
    return re.sub(r'^#(?:[^\n]*\\\n)*[^\n]*', spaces, text, flags=re.M)


def functions(code):
    """Name, start and end of each body."""
    for match in re.finditer(r'^\{\n', code, re.M):
        end = code.find('\n}', match.start())
        names = re.findall(r'(\w+)\(', code[:match.start()][-600:].rsplit('\n\n', 1)[-1])
        yield names[0] if names else '', match.start() + 2, end


def closing(code, start):
    """Where the parenthesis that opens at @start is closed."""
    depth = 0
    for i in range(start, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if not depth:
            return i
    return start


def clauses(code, start, end):
    """Parts of an expression between && or || that are in no parentheses, with their operators."""
    depth, last, parts = 0, start, []
    for i in range(start, end):
        depth += {'(': 1, ')': -1, '[': 1, ']': -1}.get(code[i], 0)
        if depth:
            continue
        if code[i:i + 2] in ('&&', '||'):
            parts.append((last, i))
            last = i + 2
    parts.append((last, end))
    return parts


def expressions(code, start, end):
    """Conditions, and what is returned: from where to where."""
    for match in CONDITION.finditer(code, start, end):
        opening = match.end() - 1
        yield opening + 1, closing(code, opening), match.group(1)
    for match in re.finditer(r'\breturn ([^;]+);', code[start:end]):
        yield start + match.start(1), start + match.end(1), 'return'


def in_body(path, text, code, start, end):
    """The mutants of a function."""
    for match in OPERATOR.finditer(code, start, end):
        for new in SWAPS[match.group()]:
            yield Mutant(path, text, match.start(), match.end(), new, 'operator')
    for match in NUMBER.finditer(code, start, end):
        value = int(match.group(1), 8 if match.group(1).startswith('0') else 10)
        for new in {value + 1, max(value - 1, 0)} - {value}:
            yield Mutant(path, text, match.start(), match.end(), f'{new}{match.group(2)}',
                         'constant')
    for match in WORD.finditer(code, start, end):
        new = {'true': 'false', 'false': 'true'}[match.group()]
        yield Mutant(path, text, match.start(), match.end(), new, 'truth')
    for match in STATEMENT.finditer(code, start, end):
        first = match.start() + len(match.group()) - len(match.group().lstrip())
        yield Mutant(path, text, first, match.end(), ';', 'statement deleted')
    for match in re.finditer(r'!(?=[\w(])', code[start:end]):
        at = start + match.start()
        yield Mutant(path, text, at, at + 1, '', 'not')
    for first, last, what in expressions(code, start, end):
        if what == 'if':
            for new in ('0', '1'):
                yield Mutant(path, text, first, last, new, 'condition')
        parts = clauses(code, first, last)
        for i, (a, b) in enumerate(parts):
            if len(parts) == 1:
                break
            a, b = (a, parts[i + 1][0]) if i + 1 < len(parts) else (parts[i - 1][1], b)
            yield Mutant(path, text, a, b, ' ', 'clause')


def mutants(path, text):
    """All mutants of a file, each with a name that stays when lines move."""
    code = blank(text)
    seen = {}
    for function, start, end in functions(code):
        for mutant in in_body(path, text, code, start, end):
            mutant.function = function
            line = text[text.rfind('\n', 0, mutant.start) + 1:].split('\n', 1)[0].strip()
            key = '|'.join((mutant.kind, line, mutant.old, mutant.new))
            digest = hashlib.sha1(key.encode()).hexdigest()[:8]
            seen[function, digest] = count = seen.get((function, digest), 0) + 1
            mutant.name = f'{function}:{digest}' + (f'.{count}' if count > 1 else '')
            yield mutant
