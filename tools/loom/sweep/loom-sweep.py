#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""loom sweep: plans models for a grid of chips, into a table in CSV and plots. `loom sweep` runs it.

The axes of the grid are models, chips, and the figures of a chip that --vary names; the last varies
fastest. A point is one call of `loom plan --json`. Its row is appended to a journal by one write, so that
a sweep that was killed goes on where it stopped; each shard has a journal of its own. When no point is
missing, the rows are written in the order of the grid, and the journals are removed. Rows hold no times
of this machine, so the table is the same however it was made. The first line of a journal has a hash of
models, chips, axes and options: another grid refuses it.
"""
import copy
import csv
import errno
import fcntl
import glob
import hashlib
import io
import itertools
import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
LOOM = os.environ.get('LOOM_TOOL') or os.path.join(HERE, 'loom')
# points are planned once each, and would drive out what the user keeps
os.environ['XDG_CACHE_HOME'] = os.devnull
MOST_POINTS, MOST_VALUES, MOST_AXES = 10000000, 100000, 8

# Figures that can be varied, in the order in which they are set: lanes first. True: in bytes, k is 1024.
KEYS = {
    'lanes': (False, 'lanes; SRAM, its rate and arithmetic grow with them'),
    'sram': (True, 'SRAM per lane, in bytes'),
    'sram-total': (True, 'SRAM of all lanes together, in bytes'),
    'dram': (False, 'DRAM bytes per cycle, read and written'),
    'sram-rate': (False, 'bytes per cycle that are copied inside of the SRAM'),
    'macs': (False, 'factor on the multiply-accumulates per cycle'),
    'ops': (False, 'factor on the other operations per cycle'),
    'burst': (True, 'DRAM burst, in bytes'),
    'latency': (False, 'DRAM latency, in cycles'),
    'dma-start': (False, 'cycles to start a DMA command'),
    'compute-start': (False, 'cycles to start a compute command'),
    'frequency': (False, 'MHz'),
    'overlap': (False, '1: both streams run at the same time; 0: one after the other'),
}
COLUMNS = ('status', 'short_bytes', 'cycles', 'time_us', 'dram_bytes', 'energy_nj', 'dma_cycles',
           'compute_cycles', 'dram_read_bytes', 'dram_write_bytes', 'macs', 'recomputed_macs',
           'sram_peak_bytes', 'groups', 'steps', 'grouping', 'error')


class Failure(Exception):
    """Ends the sweep: a message, unless it is empty, and the exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def fail(path, error):
    return Failure(f'loom: {path}: {os.strerror(error.errno)}')


def usage(message):
    return Failure(f'loom sweep: {message} (see: loom help sweep)', 2)


def put(stream, text):
    """Without what a terminal obeys: names come from elsewhere."""
    for char in text:
        size = len(char.encode('utf-8', 'surrogateescape'))
        stream.write(char if char.isprintable() or char in '\n\t' else '?' * size)
    stream.flush()


def loom(*arguments):
    """What `loom` prints, or its failure as one of this command."""
    done = subprocess.run([LOOM, *arguments], capture_output=True, encoding='utf-8',
                          errors='surrogateescape', check=False)
    if done.returncode:
        said = re.sub(r'^loom \w+: (.*) \(see: loom help \w+\)$',
                      r'loom sweep: \1 (see: loom help sweep)', done.stderr.strip())
        raise Failure(said, max(done.returncode, 1))
    return done.stdout


# --- the command line --------------------------------------------------------

def options_known():
    """From the help: long names, and whether they take a value."""
    lines = re.findall(r'^  (?:-\w, )?--([\w-]+)( \S)?', loom('help', 'sweep'), re.M)
    return {name: bool(value) for name, value in lines} | {'topology': True}


def options_split(argv):
    """Yields (name, value, words) of each option, and (None, argument, words); as getopt_long()."""
    known, i = options_known(), 0
    while i < len(argv):
        word, first = argv[i], i
        i += 1
        if word == '--':
            yield from ((None, argument, [argument]) for argument in argv[i:])
            return
        if word[:1] != '-' or word == '-':
            yield None, word, [word]
            continue
        name, equals, value = word[2:].partition('=')
        fits = [name] if name in known else [k for k in known if k.startswith(name)]
        if word[1] != '-':
            fits = [k for k in ('jobs', 'output') if k[0] == word[1]]
            value, equals = word[2:], word[2:]
        takes = len(fits) == 1 and known[fits[0]]
        if takes and not equals and i < len(argv):
            value = argv[i]
            i += 1
        elif len(fits) != 1 or takes != bool(equals):
            raise usage(f"unknown or incomplete option '{word}'")
        yield fits[0], value, argv[first:i]


def count(option, text, most):
    if not re.fullmatch('[0-9]+', text) or not 1 <= int(text) <= most:
        raise usage(f"{option} takes a number from 1 to {most}, not '{text}'")
    return int(text)


def shard_of(text):
    match = re.fullmatch('([0-9]+)/([0-9]+)', text)
    shard, shards = (int(i) for i in match.groups()) if match else (0, 0)
    if not shard < shards <= MOST_POINTS:
        raise usage(f"--shard takes NUMBER/SHARDS, from 0/SHARDS on, not '{text}'")
    return shard, shards


def value_of(text, is_bytes):
    match = re.fullmatch(r'([0-9]+(?:\.[0-9]+)?)([kMG]?)', text)
    if not match or len(match[1]) > 63:
        raise ValueError
    value = float(match[1]) * float(1024 if is_bytes else 1000) ** ' kMG'.find(match[2] or ' ')
    if value > 1e15 or (is_bytes and value != math.floor(value)):
        raise ValueError
    return value


def values_of(text, is_bytes):
    """Of one axis: the values, and whether they grow by a factor."""
    *listed, last = text.split('/')
    values = [value_of(i, is_bytes) for i in listed]
    start, dots, rest = last.partition('..')
    values.append(value_of(start, is_bytes))
    geometric = False
    if dots:
        end, kind, step = re.fullmatch(r'(.*):([x+])(.*)', rest).groups()
        geometric = kind == 'x'
        begin, end = values.pop(), value_of(end, is_bytes)
        step = value_of(step, is_bytes and not geometric)
        if end < begin or step <= geometric or (geometric and not begin):
            raise ValueError
        # by multiplication, so that errors do not add up, and with some tolerance for the last
        for i in range(MOST_VALUES + 1):
            at = begin * step ** i if geometric else begin + step * i
            if at > end * 1.000000001:
                break
            values.append(float(math.floor(at)) if is_bytes else at)
    if len(values) > MOST_VALUES:
        raise ValueError
    return values, geometric


def vary(axes, text):
    if not text:
        raise usage('--vary: nothing is varied')
    for part in text.removesuffix(',').split(','):
        key, equals, values = part.partition('=')
        if not equals or key not in KEYS:
            raise usage(f"--vary: '{key}' is nothing that can be varied, see --vary help")
        if key in axes:
            raise usage(f'--vary: {key} is varied twice')
        if len(axes) == MOST_AXES:
            raise usage(f'--vary: more than {MOST_AXES} things')
        try:
            axes[key] = Axis(key, *values_of(values, KEYS[key][0]))
        except (AttributeError, ValueError) as error:
            raise usage(f'--vary: {key} takes FROM..TO:xFACTOR, FROM..TO:+STEP or A/B/.., '
                        f"not '{values}'") from error


class Axis:
    """What is varied: the name of a figure and its values; geometric: they grow by a factor."""

    def __init__(self, key, values, geometric):
        self.key, self.values, self.geometric = key, values, geometric

    def label(self, index):
        value, power = self.values[index], 0
        while KEYS[self.key][0] and value >= 1024 and power < 3 and value * 64 % 1024 == 0:
            value, power = value / 1024, power + 1
        return f'{value:.6g}' + ' kMG'[power].strip()

    def x(self, index):
        """From 0 to 1."""
        first, last, value = self.values[0], self.values[-1], self.values[index]
        if first == last:
            return 0.5
        if self.geometric:
            return math.log(value / first) / math.log(last / first)
        return (value - first) / (last - first)


class Sweep:
    """A grid, and the command line besides it."""

    def __init__(self, argv):
        self.jobs, self.path, self.plots, self.slurm = os.sysconf('SC_NPROCESSORS_ONLN'), 'sweep.csv', '', ''
        self.tasks, self.shard, self.shards, self.json = 100, 0, 1, False
        self.names, self.again, self.planning = [], [], []
        axes, chips, given = {}, [], set()
        for name, value, words in options_split(argv):
            if name in given:
                raise usage(f"option '{words[0]}' is given more than once")
            given |= {name} & {'jobs', 'output', 'plots', 'shard', 'slurm', 'tasks', 'json'}
            if name not in ('slurm', 'tasks', 'jobs'):
                self.again += words
            if name is None:
                self.names.append(value)
            elif name == 'vary' and value == 'help':
                put(sys.stdout, ''.join(f'{key:<14} {text}\n' for key, (_, text) in KEYS.items()))
                raise Failure('', 0)
            elif name == 'vary':
                vary(axes, value)
            elif name == 'jobs':
                self.jobs = count('--jobs', value, 4096)
            elif name == 'tasks':
                self.tasks = count('--tasks', value, 1000000)
            elif name == 'shard':
                self.shard, self.shards = shard_of(value)
            elif name in ('chip', 'topology'):
                chips.append(self.chip(value))
            elif name in ('plots', 'slurm'):
                setattr(self, name, value)
            elif name == 'output':
                self.path = value
            elif name == 'json':
                self.json = True
            elif name == 'image':
                given.add('an image')
            else:
                self.planning += words
        if not self.names:
            raise usage('takes one model or more')
        if not axes:
            raise usage('takes --vary: what to vary')
        if 'an image' in given:
            raise usage('--image is for one model')
        self.axes, self.chips = list(axes.values()), chips or [self.chip('soft')]
        self.header = ','.join(('model', 'chip', *axes, *COLUMNS))
        self.prepare()

    @staticmethod
    def chip(given):
        chip = json.loads(loom('chips', given, '--json'))
        chip['given'] = os.path.abspath(given) if '/' in given or re.search(r'\.ya?ml$', given) else given
        return chip

    def prepare(self):
        digest = hashlib.sha256(loom('version').encode())
        self.models = []
        for name in self.names:
            path, *shapes = name.split('@')
            options = [word for shape in shapes for word in ('--shape', shape)]
            self.models.append(['plan', path, *self.planning, *options])
            graph = loom(*self.models[-1], '--stop-after', 'graph', '--dump')
            digest.update(graph.encode('utf-8', 'surrogateescape'))
        self.points = len(self.models) * len(self.chips) * math.prod(len(i.values) for i in self.axes)
        if self.points > MOST_POINTS:
            raise usage(f'more than {MOST_POINTS} points')
        grid = [self.header, self.names, self.chips, [i.values for i in self.axes], self.planning]
        digest.update(json.dumps(grid).encode())
        self.head = f'loom-sweep 1 {digest.hexdigest()[:16]} {self.points}'
        self.rows = [None] * self.points

    def place(self, index):
        """Of a point: the numbers of its model, its chip, and its values."""
        at = []
        for axis in reversed(self.axes):
            index, one = divmod(index, len(axis.values))
            at.append(one)
        return (*divmod(index, len(self.chips)), at[::-1])


# --- points ------------------------------------------------------------------

def varied(chip, values):
    """@chip with other figures, as `loom chips --json` shows them."""
    def u32(value):
        return min(int(value + 0.5), 2**32 - 1)

    chip = copy.deepcopy(chip)
    sram = chip['memory']['sram']
    # where there is none, a chip with rates of it is refused
    dram = chip['memory'].setdefault('dram', dict.fromkeys(sram, 0))
    for key in (key for key in KEYS if key in values):
        value = values[key]
        if key == 'lanes':
            # a lane brings its port with it
            before, sram['banks'] = sram['banks'], u32(value)
            for rate in ('read_bytes_per_kilocycle', 'write_bytes_per_kilocycle'):
                sram[rate] = u32(sram[rate] / before * sram['banks'])
        elif key in ('sram', 'sram-total'):
            size = int(value // (sram['banks'] or 1) if key == 'sram-total' else value)
            # as many sub-banks as can be of equal size; planners aim at all there is
            sram['sub_banks'] = next(i for i in range(sram['sub_banks'], 0, -1) if size % i == 0)
            sram |= {'bank_bytes': size, 'floor_bytes': 0}
        elif key in ('dram', 'sram-rate'):
            rate, memory = u32(value * 1000), dram if key == 'dram' else sram
            memory |= {'read_bytes_per_kilocycle': rate, 'write_bytes_per_kilocycle': rate}
        elif key in ('macs', 'ops'):
            for figures in chip['types'].values():
                figures[key + '_per_kilocycle'] = u32(figures[key + '_per_kilocycle'] * value)
        elif key == 'burst':
            dram['burst_bytes'] = u32(value)
        elif key == 'latency':
            dram |= {'read_latency_cycles': u32(value), 'write_latency_cycles': u32(value)}
        elif key == 'frequency':
            chip['frequency_hz'] = int(value * 1e6)
        elif key == 'overlap':
            chip['overlap'] = bool(value)
        else:
            chip[key.replace('-', '_') + '_cycles'] = u32(value)
    return chip


def described(chip):
    """What can be varied of @chip as YAML; JSON is YAML."""
    memory = {name: {
        'banks': m['banks'], 'sub_banks': m['sub_banks'], 'size': m['bank_bytes'],
        'floor': m['floor_bytes'], 'burst': m['burst_bytes'],
        'read': m['read_bytes_per_kilocycle'] / 1000, 'write': m['write_bytes_per_kilocycle'] / 1000,
        'latency': {'read': m['read_latency_cycles'], 'write': m['write_latency_cycles']},
    } for name, m in chip['memory'].items() if name in ('dram', 'sram') and any(m.values())}
    types = {name: {'macs': t['macs_per_kilocycle'] / 1000, 'ops': t['ops_per_kilocycle'] / 1000}
             for name, t in chip['types'].items()}
    return json.dumps({
        'name': chip['name'], 'extends': chip['given'], 'frequency': chip['frequency_hz'],
        'overlap': 'yes' if chip['overlap'] else 'no', 'memory': memory, 'types': types,
        'dma': {'start': chip['dma_start_cycles']}, 'compute': {'start': chip['compute_start_cycles']},
    }, ensure_ascii=False).encode('utf-8', 'surrogateescape')


def die_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Point:
    """A point that is being planned by a process, which ends with this one."""

    def __init__(self, sweep, index):
        self.index = index
        model, chip, at = sweep.place(index)
        values = {axis.key: axis.values[i] for axis, i in zip(sweep.axes, at)}
        self.chip = varied(sweep.chips[chip], values)
        self.cells = [sweep.names[model], self.chip['name'], *(f'{i:.15g}' for i in values.values())]
        self.files = [tempfile.TemporaryFile() for _ in range(3)]
        out, err, chip = self.files
        chip.write(described(self.chip))
        chip.flush()
        self.process = subprocess.Popen(
            [LOOM, *sweep.models[model], '--json', '--chip', f'/proc/self/fd/{chip.fileno()}'],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=[chip.fileno()],
            preexec_fn=die_with_parent)

    def finish(self, status):
        """Returns the row, once the process has ended. None: no memory, which says nothing of the point."""
        self.process.returncode = status
        out, err = (file.seek(0) or file.read().decode('utf-8', 'surrogateescape')
                    for file in self.files[:2])
        for file in self.files:
            file.close()
        if not status:
            plan = json.loads(out)
            plan['status'], plan['short_bytes'], plan['error'] = 'fits', 0, ''
            plan['time_us'] = f"{plan['cycles'] * 1e6 / self.chip['frequency_hz']:.3f}"
            plan['dram_bytes'] = plan['dram_read_bytes'] + plan['dram_write_bytes']
            plan['energy_nj'] = f"{plan['energy_fj'] / 1e6:.3f}"
        elif out:
            plan = json.loads(out)
        else:
            # the chip is refused: without the place in a file that nobody has written
            error = re.sub(r'^loom: \S+?:\d+: ', f"chip '{self.chip['name']}': ", err.strip())
            plan = {'status': 'failed', 'short_bytes': 0, 'error': error}
        if plan['status'] == 'no-memory':
            return None
        text = io.StringIO()
        cells = self.cells + [str(plan.get(column, '')) for column in COLUMNS]
        csv.writer(text, lineterminator='').writerow([re.sub('[\r\n]', ' ', cell) for cell in cells])
        return text.getvalue()


# --- the journal -------------------------------------------------------------

def journals(sweep):
    path = glob.escape(sweep.path) + '.journal'
    folder = os.path.dirname(sweep.path)
    try:
        os.listdir(folder or '.')
    except OSError as error:
        raise fail(folder, error) from error
    return glob.glob(path) + glob.glob(path + '.*')


def journal_read(sweep):
    for path in journals(sweep):
        try:
            with open(path, 'rb') as file:
                # without the last line, which is empty or torn
                head, *rows = file.read().decode('utf-8', 'surrogateescape').split('\n')[:-1] or [sweep.head]
        except OSError as error:
            raise fail(path, error) from error
        if head != sweep.head:
            raise Failure(f'loom: {path} is of another sweep: remove it to begin anew')
        for row in rows:
            index, comma, cells = row.partition(',')
            if not comma or not index.isdecimal() or int(index) >= sweep.points:
                raise Failure(f"loom: {path}: '{row[:40]}' is no row of a sweep")
            sweep.rows[int(index)] = cells


def journal_open(sweep):
    path = sweep.path + '.journal'
    if sweep.shards > 1:
        path += f'.{sweep.shard}-of-{sweep.shards}'
    try:
        file = open(path, 'ab+', buffering=0)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(0)
        file.truncate(file.read().rfind(b'\n') + 1)
        if not os.fstat(file.fileno()).st_size:
            file.write(f'{sweep.head}\n'.encode())
    except BlockingIOError as error:
        raise Failure(f'loom: {path}: another sweep is writing there') from error
    except OSError as error:
        raise fail(path, error) from error
    return file


def work(sweep):
    """Plans what is missing in this shard."""
    missing = iter([i for i in range(sweep.shard, sweep.points, sweep.shards) if sweep.rows[i] is None])
    first = next(missing, None)
    if first is None:
        return
    todo, running, failed = itertools.chain([first], missing), {}, ''
    with journal_open(sweep) as journal:
        while True:
            while not failed and len(running) < sweep.jobs and (index := next(todo, None)) is not None:
                point = Point(sweep, index)
                running[point.process.pid] = point
            if not running:
                break
            pid, status = os.wait()
            point, status = running.pop(pid), os.waitstatus_to_exitcode(status)
            if status < 0:
                failed = failed or signal.strsignal(-status)
                continue
            row = point.finish(status)
            if row is None:
                failed = failed or 'no memory to plan a point, try fewer --jobs'
                continue
            line = f'{point.index},{row}\n'.encode('utf-8', 'surrogateescape')
            try:
                # one write: rows of several processes do not mix
                if journal.write(line) != len(line):
                    raise OSError(errno.ENOSPC, '')
            except OSError:
                failed = failed or 'the journal cannot be written'
    if failed:
        raise Failure(f'loom: sweep: a process has ended: {failed}; the same command goes on from here')


# --- plots -------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, TOP, GAP, MOST_CURVES = 400, 240, 84, 60, 100, 12
# They can be told apart by people who see colours otherwise (Okabe and Ito, 2008); then dashes.
COLOURS = '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'
# Column, title, and how much of the column is one unit of the axis.
PANELS = (('time_us', 'time on the chip, us', 1), ('dram_bytes', 'DRAM traffic, MB', 1000000),
          ('energy_nj', 'energy, uJ', 1000))
STYLE = '''<style>
text { font: 12px sans-serif }
.t { font-weight: bold }
.x { text-anchor: middle }
.y { text-anchor: end }
.g { stroke: #ddd }
.c { fill: none; stroke-width: 1.5 }
</style>
<rect width="100%" height="100%" fill="white"/>
'''


def round_up(value):
    """To 1, 2 or 5 times a power of ten."""
    step = 10.0 ** math.floor(math.log10(value)) if value > 0 else 0
    return next(i * step for i in (1, 2, 5, 10) if value <= i * step or i == 10)


def stroke(curve):
    dashes = ' stroke-dasharray="6 4"' if curve >= len(COLOURS) else ''
    return f'stroke="{COLOURS[curve % len(COLOURS)]}"{dashes}'


def draw_panel(axis, title, top, most, curves):
    """A panel: a frame, and its @curves: values by position, None where the point does not fit."""
    out = [f'<text class="t" x="{LEFT}" y="{top - 10:.1f}">{title}</text>\n']
    for i in range(5):
        y = top + HEIGHT - HEIGHT * i / 4
        out.append(f'<path class="g" d="M{LEFT} {y:.1f}h{WIDTH}"/>'
                   f'<text class="y" x="{LEFT - 6}" y="{y + 4:.1f}">{most * i / 4:.6g}</text>\n')
    xs = [LEFT + axis.x(i) * WIDTH for i in range(len(axis.values))]
    for i in range(0, len(xs), (len(xs) + 5) // 6):
        out.append(f'<text class="x" x="{xs[i]:.1f}" y="{top + HEIGHT + 16:.1f}">{axis.label(i)}</text>\n')
    out.append(f'<text class="x" x="{LEFT + WIDTH // 2}" y="{top + HEIGHT + 32:.1f}">{axis.key}</text>\n')
    for curve, cells in enumerate(curves):
        ys = [None if cell is None else top + HEIGHT - cell * (HEIGHT / most) for cell in cells]
        line = ''.join(f'{"L" if i and ys[i - 1] is not None else "M"}{xs[i]:.1f} {y:.1f}'
                       for i, y in enumerate(ys) if y is not None)
        out.append(f'<path class="c" {stroke(curve)} d="{line}"/>\n')
        colour = COLOURS[curve % len(COLOURS)]
        for x, y in zip(xs, ys):
            if y is None:
                out.append(f'<path class="c" stroke="{colour}" '
                           f'd="M{x - 3:.1f} {top + HEIGHT - 3 - 4 * curve:.1f}l6 6m0-6l-6 6"/>\n')
            else:
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>\n')
    return ''.join(out)


def draw(sweep, model, cells):
    """
    A picture of a model: what a plan costs against the first thing that is varied, a curve for each
    combination of the others. Points that do not fit are crosses at the bottom.
    """
    first, *others = sweep.axes
    stride = math.prod(len(axis.values) for axis in others)
    total = len(sweep.chips) * stride
    drawn = [i * total // min(total, MOST_CURVES) for i in range(min(total, MOST_CURVES))]
    steps = range(0, len(first.values) * stride, stride)
    points = [[one // stride * len(first.values) * stride + one % stride + step for step in steps]
              for one in drawn]
    panels, top = [], TOP
    for column, title, unit in PANELS:
        curves = [[float(cells[i][column]) / unit if cells[i][column] else None for i in curve]
                  for curve in points]
        most = max((cell for curve in curves for cell in curve if cell is not None), default=0)
        # nothing is known of the energy, or nothing fits
        if most > 0:
            panels.append(draw_panel(first, title, top, round_up(most), curves))
            top += HEIGHT + GAP
    name = re.sub('[\0-\x1f]', '', sweep.names[model].replace('&', '&amp;').replace('<', '&lt;'))
    some = f' ({len(drawn)} of {total} curves)' if total > len(drawn) else ''
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 330}" '
           f'height="{TOP + 40 if top == TOP else top - GAP + 50}">\n', STYLE,
           f'<text class="t" x="{LEFT}" y="18">{name}{some}</text>\n', *panels]
    if not panels:
        out.append(f'<text x="{LEFT}" y="{TOP + 10}">no point of this model fits</text>\n')
    for curve, one in enumerate(drawn if panels else []):
        _, chip, at = sweep.place(points[curve][0])
        text = ', '.join((sweep.chips[chip]['name'],
                          *(f'{axis.key} {axis.label(i)}' for axis, i in zip(others, at[1:]))))
        out.append(f'<path class="c" {stroke(curve)} d="M{LEFT + WIDTH + 24} {TOP + 16 * curve:.1f}h24"/>'
                   f'<text x="{LEFT + WIDTH + 54}" y="{TOP + 16 * curve + 4:.1f}">{text}</text>\n')
    return ''.join(out + ['</svg>\n'])


# --- results -----------------------------------------------------------------

def save(path, text):
    """A file that is there whole, or as it was."""
    data = text.encode('utf-8', 'surrogateescape')
    if path == '-':
        sys.stdout.buffer.write(data)
        return
    target = os.path.realpath(path)
    partial = f'{target}.{os.getpid()}.partial'
    try:
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            partial = target
        with open(partial, 'wb') as file:
            file.write(data)
        if partial != target:
            if os.path.exists(target):
                os.chmod(partial, stat.S_IMODE(os.stat(target).st_mode))
            os.replace(partial, target)
    except OSError as error:
        if partial != target and os.path.exists(partial):
            os.unlink(partial)
        raise fail(f'{path}: cannot be written', error) from error


def save_plots(sweep, cells):
    try:
        if not os.path.exists(sweep.plots):
            os.mkdir(sweep.plots)
    except OSError as error:
        raise fail(sweep.plots, error) from error
    seen, per_model = {}, sweep.points // len(sweep.names)
    for i, name in enumerate(sweep.names):
        stem = os.path.basename(name.split('@')[0])
        seen[stem] = seen.get(stem, 0) + 1
        number = f'-{seen[stem]}' if seen[stem] > 1 else ''
        save(f'{sweep.plots}/{os.path.splitext(stem)[0]}{number}.svg',
             draw(sweep, i, cells[i * per_model:(i + 1) * per_model]))


def summary(sweep, cells):
    fit = sum(bool(cell['cycles']) for cell in cells)
    if sweep.json:
        path = sweep.path.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')
        figures = {'table': path, 'points': sweep.points, 'fit': fit}
        return json.dumps(figures, indent=2, ensure_ascii=False) + '\n'
    plots = f'; plots in {sweep.plots}' if sweep.plots else ''
    return f'{sweep.path}: {sweep.points} points, {fit} fit{plots}\n'


def slurm(sweep):
    """
    Writes a script that submits itself: as an array, whose tasks plan a shard each, and as a job that
    waits for the array, plans what tasks that failed have left, and writes the table.
    """
    def quoted(*words):
        return ''.join(" '" + word.replace("'", "'\\''") + "'" for word in words)

    tasks = min(sweep.tasks, sweep.points)
    save(sweep.slurm, f'''#!/bin/sh
#SBATCH --job-name=loom-sweep --cpus-per-task=1
#SBATCH --output={sweep.path}.log --open-mode=append
# {sweep.points} points in {tasks} tasks. Submit with: sh {sweep.slurm}
set -eu

cd{quoted(os.getcwd())}
if [ -z "${{SLURM_JOB_ID-}}" ]; then
	array=$(sbatch --parsable --array=0-{tasks - 1} "$0")
	last=$(sbatch --parsable --dependency="afterany:$array" "$0")
	echo "array $array, table by $last"
	exit
fi
set --
if [ -n "${{SLURM_ARRAY_TASK_ID-}}" ]; then
	set -- --shard "$SLURM_ARRAY_TASK_ID/{tasks}"
fi
exec{quoted(LOOM)} sweep{quoted(*sweep.again)} --jobs 1 "$@"
''')
    return f'{sweep.slurm}: {sweep.points} points in {tasks} tasks; submit with: sh {sweep.slurm}\n'


def main():
    try:
        sweep = Sweep(sys.argv[1:])
        if sweep.slurm:
            put(sys.stdout, slurm(sweep))
            return 0
        journal_read(sweep)
        work(sweep)
        # other shards write journals of their own
        if sweep.shards > 1:
            return 0
        journal_read(sweep)
        save(sweep.path, '\n'.join((sweep.header, *sweep.rows)) + '\n')
        cells = [dict(zip(COLUMNS, row[2 + len(sweep.axes):])) for row in csv.reader(sweep.rows)]
        if sweep.plots:
            save_plots(sweep, cells)
        for path in journals(sweep):
            os.unlink(path)
        put(sys.stdout, summary(sweep, cells))
        return 0
    except Failure as failure:
        put(sys.stderr, f'{failure}\n' if str(failure) else '')
        return failure.status
    except OSError as error:
        put(sys.stderr, f'loom: standard output cannot be written: {os.strerror(error.errno)}\n')
        return 1


# as a program in C: an interrupt or a closed pipe ends it, and nothing is written once more at the end
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os._exit(main())
