#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the man pages: loom(1) and one for each command, from what `loom help` says and from
Documentation/tool.rst; in section 3 libloom(3) and one for each public header, from its kernel-doc
comments, and one for the header of the driver, each with links for what it declares.

	tools/ci/pages/man.py LOOM FOLDER	LOOM is the tool; man1/ and man3/ in FOLDER are written anew

EXAMPLES of commands are those of `loom help`, those of headers are functions of fragments.c.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..')
HEADERS = sorted(glob.glob(os.path.join(TOP, 'userlib', 'include', '*.h')))
UAPI = [os.path.join(TOP, 'uapi', 'drm', name) for name in
        ('loom_accel.h', 'loom_accel_report.h', 'loom_accel_plan.h', 'loom_accel_ops.h',
         'loom_accel_chip.h')]


# Commands that are read about next, by command.
RELATED = {'calibrate': ('chips', 'plan'), 'chips': ('plan', 'device'),
           'compile': ('run', 'inspect', 'verify'), 'device': ('chips', 'info'),
           'fit': ('report', 'chips'), 'info': ('top', 'report'),
           'inspect': ('compile', 'join', 'verify'), 'join': ('compile', 'run'), 'model': ('plan',),
           'place': ('plan',), 'plan': ('compile', 'view', 'sweep'), 'report': ('top', 'info'),
           'run': ('compile', 'plan'), 'sweep': ('plan', 'chips'), 'top': ('report', 'info'),
           'verify': ('compile', 'inspect'), 'view': ('plan',), 'help': ('version',),
           'version': ('help',)}


def read(*path):
    with open(os.path.join(TOP, *path), encoding='utf-8') as file:
        return file.read()


def day():
    """Of the last change: the same tree gives the same pages."""
    if 'SOURCE_DATE_EPOCH' in os.environ:
        command = ['date', '-u', '-d', '@' + os.environ['SOURCE_DATE_EPOCH'], '+%F']
    else:
        command = ['git', 'log', '-1', '--format=%cs']
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    return done.stdout.strip() or '1970-01-01'


# --- text to roff ------------------------------------------------------------

def roff(text):
    """Plain text as it is seen."""
    text = text.replace('\\', '\\e').replace('-', '\\-').replace('~', '\\(ti').replace('^', '\\(ha')
    return re.sub(r"^([.'])", r'\\&\1', text, flags=re.M)


def inline(text):
    """A paragraph with the marks of reStructuredText and kernel-doc."""
    out = []
    text = re.sub(r':c:\w+:(`[^`]+`)', r'`\1`', text)
    pattern = (r'``(.+?)``|:doc:`([^`<]+?)`|:doc:`([^`<]+?) *<[^`]*>`|\*(\w[^*]*)\*|@(\w+)'
               r'|&((?:struct |enum |typedef )?[\w.>-]*\w)|`([^`]+)`_*')
    last = 0
    text = ' '.join(text.split())
    for match in re.finditer(pattern, text):
        out.append(roff(text[last:match.start()]))
        literal, page, title, emphasis, argument, symbol, other = match.groups()
        if literal or symbol:
            out.append('\\fB' + roff(literal or symbol) + '\\fR')
        else:
            out.append('\\fI' + roff(page or title or emphasis or argument or other) + '\\fR')
        last = match.end()
    out.append(roff(text[last:]))
    return re.sub(r"^([.'])", r'\\&\1', ''.join(out)) + '\n'


def table(lines, width):
    """A table of two columns without a head, as a list: the first is @width wide."""
    out, words = [], ''
    for line in lines + ['.']:
        if line[:width].strip():
            if words:
                out.append(inline(words))
            words = ''
            if line != '.':
                out.append('.TP\n' + inline(line[:width]))
        words += ' ' + line[width:]
    return ''.join(out)


def paragraphs(lines):
    """Lines of text: paragraphs, lists, literal blocks."""
    out, i, literal = [], 0, False
    while i < len(lines):
        if not lines[i].strip():
            i += 1
            continue
        first = i
        rule = re.match(r'(=+ +)=+$', lines[i])
        if rule:
            i += 1
            while i < len(lines) and not lines[i].startswith('=='):
                i += 1
            out.append(table(lines[first + 1:i], len(rule[1])))
            i += 1
            continue
        if literal or lines[i].startswith(('  ', '\t')):
            while i < len(lines) and (not lines[i].strip() or lines[i].startswith((' ', '\t'))):
                i += 1
            block = '\n'.join(lines[first:i]).rstrip()
            out.append('.PP\n.nf\n' + roff(block).replace('\t', '        ') + '\n.fi\n')
            literal = False
            continue
        while i < len(lines) and lines[i].strip() and (i == first or lines[i][0] not in '-#'):
            i += 1
        text = '\n'.join(lines[first:i])
        item = re.match(r'(-|#\.) +', text)
        literal = text.rstrip().endswith('::')
        if literal:
            text = text.rstrip()[:-1]
        out.append('.IP \\(bu 2\n' + inline(text[item.end():]) if item else '.PP\n' + inline(text))
    return ''.join(out)


def examples(text):
    """The section of that name; every page has one."""
    if not text.strip():
        sys.exit('man: a page has no example: see tool_command.examples, fragments.c')
    return '.SH EXAMPLES\n.nf\n' + roff(text.rstrip()).replace('\t', '        ') + '\n.fi\n'


def also(*pages):
    """References to pages, NAME(SECTION) each."""
    return '.SH SEE ALSO\n' + ',\n'.join(
        '.BR {} ({})'.format(roff(name), section) for name, section in
        (re.fullmatch(r'(.*)\((\d)\)', page).groups() for page in pages)) + '\n'


def fragments():
    """By header: the functions of fragments.c that use it."""
    found = {}
    for names, code in re.findall(r'^/\* (loom[\w. ]*\.h) \*/\n(.*?^}\n)',
                                  read('tools', 'ci', 'pages', 'fragments.c'), re.M | re.S):
        found.update({name: code for name in names.split()})
    return found


def page(name, section, date, version, names, short, body):
    """A whole page."""
    body = re.sub(r'^(\.SH .*\n)\.PP\n', r'\1', body, flags=re.M)
    return (f'.\\" SPDX-License-Identifier: MIT\n.TH {roff(name.upper() if section == 1 else name)}'
            f' {section} {date} "Loom {version}" "Loom"\n'
            f'.SH NAME\n{", ".join(roff(n) for n in names)} \\- {roff(short)}\n' + body)


# --- commands ----------------------------------------------------------------

def described():
    """By command: the lines of tool.rst about it."""
    text, name = {}, None
    for line in read('Documentation', 'tool.rst').splitlines():
        head = re.match(r'``loom (\w+)', line)
        if head:
            name = head[1]
            text.setdefault(name, [])
        elif line and not line.startswith('\t'):
            name = None
        elif name:
            text[name].append(line[1:])
    return text


def sections():
    """The sections of tool.rst behind its list of commands, [(title, lines)]."""
    parts = re.split(r'^(.+)\n=+\n', read('Documentation', 'tool.rst'), flags=re.M)
    return [(title, text.splitlines()) for title, text in zip(parts[3::2], parts[4::2])]


def options(lines):
    """The options of `loom help COMMAND`."""
    out = []
    for line in lines:
        match = re.match(r'  (\S.*?)(?:  +| (?=\S+$)|$)(.*)', line)
        if match and not line.startswith('   '):
            head = re.match(r'  (-[\w-]*(?:, --[\w-]+)?(?: [^a-z ]\S*)?|\S+(?: [^a-z ]\S*)*)'
                            r' +(\S.*)', line)
            name, text = (head[1], head[2]) if head else (line.strip(), '')
            out.append(f'.TP\n.B {roff(name)}\n' + (roff(text) + '\n' if text else ''))
        elif line.strip():
            out.append(('.PP\n' if line[0] != ' ' else '') + roff(line.strip()) + '\n')
    return ''.join(out)


def commands(loom, folder, date, version):
    def said(*words):
        return subprocess.run([loom, 'help', *words], check=True, capture_output=True,
                              text=True).stdout
    about = described()
    listed = re.findall(r'^  (\w+) +(\S.*)$', said(), re.M)
    body = '.SH SYNOPSIS\n.B loom\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n' \
        '.SH DESCRIPTION\n' + paragraphs(read('Documentation', 'tool.rst').split('\n\n')[2]
                                         .replace('``loom COMMAND``; ', '', 1).splitlines())
    body += '.SH COMMANDS\n' + ''.join(f'.TP\n.BR loom\\-{name} (1)\n{roff(text)}\n'
                                       for name, text in listed)
    for title, lines in sections():
        body += f'.SH {roff(title.upper())}\n' + paragraphs(lines)
    body += examples('  loom plan net.onnx --chip bm1688 --explain\n'
                     '  loom compile net.onnx -o net.loom\n'
                     '  loom run net.loom --input x=x.npy --output y=y.npy')
    body += also(*(f'loom-{name}(1)' for name, _ in listed), 'libloom(3)')
    write(folder, 'man1/loom.1', page('loom', 1, date, version, ['loom'],
                                      'plans and runs neural networks on Loom accelerators', body))
    for name, short in listed:
        text, _, shown = said(name).partition('\nExamples:\n')
        usage, _, *rest = text.splitlines()
        synopsis = usage.split(' ', 2)[2].split(' ', 1)
        body = f'.SH SYNOPSIS\n.B loom {name}\n' + roff(''.join(synopsis[1:])) + '\n'
        body = body.replace('\n\n', '\n')
        if about.get(name):
            body += '.SH DESCRIPTION\n' + paragraphs(about[name])
        if len(rest) > 1:
            body += '.SH OPTIONS\n' + options(rest[1:])
        body += '.SH EXIT STATUS\n0; 1 if the work failed; 2 for a wrong command line.\n' + \
            examples(shown) + also('loom(1)', *(f'loom-{name}(1)' for name in RELATED[name]))
        write(folder, f'man1/loom-{name}.1',
              page('loom-' + name, 1, date, version, ['loom-' + name], short, body))


# --- headers -----------------------------------------------------------------

def declarations(text):
    """The kernel-doc comments of a header with what each describes: (lines, declaration)."""
    for match in re.finditer(r'/\*\*\n((?:(?!\*/).)*)\n \*/\n(?=\S)', text, re.S):
        lines = [re.sub(r'^ \* ?', '', line) for line in match[1].split('\n')]
        code = text[match.end():]
        if lines[0].startswith('DOC:'):
            continue
        end = r'(?:[^\\\n]|\\\n)*' if code.startswith('#define') else \
            r'[^;{]*\{.*?\n\};' if re.match(r'[^;(]*\{', code) else r'[^;]*;'
        yield lines, re.match(end, code, re.S)[0]


def symbol(lines, code):
    """One symbol: its name in the NAME section or None, and its part of the page."""
    title = lines[0]
    while len(lines) > 1 and lines[1].startswith('\t'):
        title += ' ' + lines.pop(1).strip()
    name, short = re.match(r'(.*?) - (.*)', title).groups()
    name = re.sub(r'^(define|typedef) ', '', name)
    code = re.sub(r'/\*.*?\*/', '', code, flags=re.S).expandtabs(8)
    out = [f'.SS {roff(name)}\n{inline(short[0].upper() + short[1:])}.PP\n.nf\n{roff(code)}\n.fi\n']
    text, i = [], 1
    while i < len(lines):
        argument = re.match(r'@([\w.]+): (.*)', lines[i])
        if not argument:
            text.append(re.sub(r'^Return: ', '*Return:* ', lines[i]))
            i += 1
            continue
        words = argument[2]
        i += 1
        while i < len(lines) and lines[i].startswith('\t'):
            words += ' ' + lines[i].strip()
            i += 1
        out.append(f'.TP\n.I {roff(argument[1])}\n{inline(words)}')
    out.append(paragraphs(text))
    name = re.fullmatch(r'(?:(?:struct|union|enum) )?(\w+)(?:\(\))?', name)
    return (name[1] if name and name[1].islower() else None), ''.join(out)


def links(folder, page_name, names):
    """Each of them opens the page that tells of it."""
    for name in names:
        write(folder, f'man3/{name}.3', f'.so man3/{page_name}.3\n')


def titles():
    """By header: what the title of its page in the reference says."""
    found = {}
    for path in glob.glob(os.path.join(TOP, 'Documentation', 'reference', '*.rst')):
        match = re.search(r'^(loom\w*\.h): (.*)$', read(path), re.M)
        if match:
            found[match[1]] = match[2]
    return found


def essays(text, headings=False):
    """What a header says of itself: its DOC sections."""
    out = []
    for comment in re.findall(r'/\*\*\n(?= \* DOC)(.*?)\n \*/', text, re.S):
        lines = [re.sub(r'^ \* ?', '', line) for line in comment.split('\n')]
        if headings:
            out.append('.SS ' + roff(lines[0].removeprefix('DOC: ')) + '\n')
        body = paragraphs(lines[1:])
        out.append(body.removeprefix('.PP\n') if headings else body)
    return ''.join(out)


def headers(folder, date, version):
    known, shown = titles(), fragments()
    overview = []
    for path in HEADERS:
        header = os.path.basename(path)
        if header not in known:
            sys.exit(f'man: Documentation/reference/ has no page of {header}')
        text = read(path)
        parts = [symbol(lines, code) for lines, code in declarations(text)]
        names = sorted({name for name, _ in parts if name})
        body = f'.SH SYNOPSIS\n.nf\n.B #include <{header}>\n.PP\nLink with ' \
            '\\fB\\-lloom\\fR; see \\fBpkg\\-config \\-\\-cflags \\-\\-libs loom\\fR.\n.fi\n' \
            '.SH DESCRIPTION\n' + (essays(text) or f'.PP\n{inline(known[header])}')
        body += '.SH INTERFACE\n' + ''.join(part for _, part in parts) + \
            examples(shown.get(header, '')) + \
            also('libloom(3)', *(f'{name}(3)' for name in re.findall(r'#include "(loom\w*\.h)"', text)),
                 *(['loom_accel.h(3)'] if '<drm/loom_accel' in text or '"drm/' in text else []))
        write(folder, f'man3/{header}.3',
              page(header, 3, date, version, [header] + names, known[header], body))
        links(folder, header, names)
        overview.append(f'.TP\n.BR {header} (3)\n{roff(known[header])}\n')
    body = '.SH SYNOPSIS\n.nf\n.B cc $(pkg\\-config \\-\\-cflags loom) program.c ' \
        '$(pkg\\-config \\-\\-libs loom)\n.fi\n.SH DESCRIPTION\n' + paragraphs(
            read('Documentation', 'reference', 'index.rst').split('\n\n')[2].splitlines()) + \
        '.SH HEADERS\n' + ''.join(overview) + examples(shown['loom_run.h']) + \
        also('loom(1)', 'loom_run.h(3)')
    write(folder, 'man3/libloom.3', page('libloom', 3, date, version, ['libloom'],
                                         'plans neural networks and runs them', body))


def contract(folder, date, version):
    """The headers of the driver, on one page: what it says of itself, and its structs and enums."""
    text = ''.join(read(path) for path in UAPI)
    parts = [symbol(lines, code) for lines, code in declarations(text)]
    names = sorted({name for name, _ in parts if name})
    short = 'interface of the driver: ioctls, records, the plan format'
    body = '.SH SYNOPSIS\n.nf\n.B #include <drm/loom_accel.h>\n.fi\n.SH DESCRIPTION\n' + \
        essays(text, True) + '.SH INTERFACE\n' + ''.join(part for _, part in parts) + \
        examples(fragments()['loom_accel.h']) + also('libloom(3)', 'loom_device.h(3)')
    write(folder, 'man3/loom_accel.h.3',
          page('loom_accel.h', 3, date, version, ['loom_accel.h'] + names, short, body))
    links(folder, 'loom_accel.h', names)


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    loom, folder = sys.argv[1:]
    for section in 'man1', 'man3':
        shutil.rmtree(os.path.join(folder, section), ignore_errors=True)
        os.makedirs(os.path.join(folder, section))
    version = '.'.join(re.findall(r'define LOOM_VERSION_\w+\t(\d+)', read(HEADERS[-1])))
    date = day()
    commands(os.path.abspath(loom), folder, date, version)
    headers(folder, date, version)
    contract(folder, date, version)
    return 0


if __name__ == '__main__':
    sys.exit(main())
