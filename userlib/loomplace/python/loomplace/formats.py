# SPDX-License-Identifier: MIT
"""Memory plans of compilers, read and answered in their own formats.

    >>> trace = loomplace.formats.read(text)
    >>> text = trace.answer(trace.solve())

- XLA: buffer assignments as text protos, with the events of heap simulators (xla/service/hlo.proto)
- IREE: MLIR with stream.resource.pack of constant sizes
- TVM: buffers of its USMP as JSON (tvm.ir.save_json), answered as a map to pool allocations
- ExecuTorch: memory timelines as Chrome traces (util/activation_memory_profiler.py)

python -m loomplace FILE does the same on the command line.
"""
from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from . import FREE, Placement, check, solve


class FormatError(ValueError):
    """The text is not of the format, or has no lifetimes."""


@dataclass
class Space:
    """Items of one memory. offsets: those in the file, FREE where there is none."""

    name: str
    capacity: int | None = None
    names: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    alignments: list[int] = field(default_factory=list)
    gaps: list[list[tuple[int, int]]] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def add(self, name: str, size: int, lower: int, upper: int, alignment: int = 1,
            offset: int = FREE) -> None:
        for value in (size, lower, upper, alignment, offset):
            if not isinstance(value, int):
                raise FormatError(f'{name}: {value!r} is no whole number')
        self.names.append(name)
        self.sizes.append(size)
        self.lower.append(lower)
        self.upper.append(upper)
        self.alignments.append(alignment)
        self.gaps.append([])
        self.offsets.append(offset)

    def solve(self, **options: Any) -> Placement:
        options.setdefault('capacity', self.capacity)
        return solve(self.sizes, self.lower, self.upper, alignments=self.alignments,
                     gaps=self.gaps if any(self.gaps) else None, **options)

    def check(self) -> Placement:
        """Verifies the offsets in the file."""
        return check(self.offsets, self.sizes, self.lower, self.upper, self.capacity,
                     alignments=self.alignments, gaps=self.gaps if any(self.gaps) else None)


@dataclass
class Trace:
    """A file: its memories, and how it is written with other offsets, by space and by item."""

    spaces: list[Space]
    answer: Callable[[list[Placement]], str]

    def solve(self, **options: Any) -> list[Placement]:
        return [space.solve(**options) for space in self.spaces]


# --- XLA ---------------------------------------------------------------------------------------

#: A message of a text proto: fields in their order; values are texts as written, or messages.
_Message = list[tuple[str, Any]] if hasattr(list, '__class_getitem__') else list

_TOKEN = re.compile(r'#[^\n]*|\s+|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[\w.+-]+|'
                    r'[][{}<>:,;])')


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise FormatError(f'line {text.count(chr(10), 0, at) + 1}: this is no text proto')
        at = match.end()
        if match[1]:
            yield match[1]
    yield ''


def _parse_message(tokens: Iterator[str], close: str) -> _Message:
    message: _Message = []
    for name in tokens:
        if name == close:
            return message
        if name in (',', ';'):
            continue
        if not re.fullmatch(r'\w+', name):
            raise FormatError(f'the name of a field is missing before {name!r}')
        value = next(tokens)
        if value == ':':
            value = next(tokens)
        if value == '[':
            for value in tokens:
                if value == ']':
                    break
                if value != ',':
                    message.append((name, _parse_value(tokens, value)))
            continue
        message.append((name, _parse_value(tokens, value)))
    raise FormatError('the text ends within a message')


def _parse_value(tokens: Iterator[str], value: str) -> Any:
    if value in ('{', '<'):
        return _parse_message(tokens, {'{': '}', '<': '>'}[value])
    if not value or value in '}>]:,;':
        raise FormatError('a value is missing')
    return value


def _format_message(message: _Message, indent: str = '') -> str:
    return ''.join(f'{indent}{name} {{\n{_format_message(value, indent + "  ")}{indent}}}\n'
                   if isinstance(value, list) else f'{indent}{name}: {value}\n'
                   for name, value in message)


def _all(message: _Message, name: str) -> list[Any]:
    if not isinstance(message, list):
        raise FormatError(f'{message!r} is there in place of a message with {name}')
    return [value for key, value in message if key == name]


def _number(message: _Message, name: str) -> int:
    found = _all(message, name)
    try:
        return int(found[-1], 0) if found else 0
    except (TypeError, ValueError):
        raise FormatError(f'{name}: {found[-1]!r} is no number') from None


def _simulate(trace: _Message, sizes: dict[int, int]) -> tuple[Space, dict[int, int]]:
    """The items of a heap, and by buffer the item that it lies in."""
    space, owner, alive = Space('heap'), {}, {}
    for now, event in enumerate(_all(trace, 'events')):
        kind, buffer = (_all(event, 'kind') or ['ALLOC'])[-1], _number(event, 'buffer_id')
        if buffer not in sizes:
            raise FormatError(f'event {now}: there is no logical buffer {buffer}')
        if kind in ('ALLOC', '0'):
            owner[buffer] = len(space.names)
            alive[owner[buffer]] = 1
            space.add(str(buffer), sizes[buffer], now, now + 1)
        elif buffer not in owner and kind in ('SHARE_WITH', '2'):
            shared = owner.get(_number(event, 'share_with_canonical_id'))
            if shared is None or not alive[shared]:
                raise FormatError(f'event {now}: buffer {buffer} shares what is not allocated')
            owner[buffer] = shared
            alive[shared] += 1
            space.sizes[shared] = max(space.sizes[shared], sizes[buffer])
        elif buffer in owner and kind in ('FREE', '1') and alive[owner[buffer]]:
            alive[owner[buffer]] -= 1
            space.upper[owner[buffer]] = now
        else:
            raise FormatError(f'event {now}: {kind} of buffer {buffer} makes no sense')
    for item, count in alive.items():
        if count:
            space.upper[item] = len(_all(trace, 'events'))
        space.upper[item] = max(space.upper[item], space.lower[item] + 1)
    return space, owner


def read_xla(text: str, alignment: int = 1) -> Trace:
    message = _parse_message(_tokens(text), '')
    inner = _all(message, 'buffer_assignment')
    assignment: _Message = inner[-1] if inner else message
    sizes = {_number(buffer, 'id'): _number(buffer, 'size')
             for buffer in _all(assignment, 'logical_buffers')}
    heaps = [_simulate(trace, sizes) for trace in _all(assignment, 'heap_simulator_traces')]
    if not any(owner for _, owner in heaps):
        raise FormatError('there are no events of a heap simulator')
    for allocation in _all(assignment, 'buffer_allocations'):
        for assigned in _all(allocation, 'assigned'):
            for space, owner in heaps:
                item = owner.get(_number(assigned, 'logical_buffer_id'))
                if item is not None:
                    space.offsets[item] = _number(assigned, 'offset')
    for space, _ in heaps:
        space.alignments = [alignment] * len(space.names)

    def answer(placements: list[Placement]) -> str:
        """An allocation for each heap takes the place of those in which its buffers were."""
        allocations = [a for a in _all(assignment, 'buffer_allocations')
                       if not any(_number(b, 'logical_buffer_id') in owner
                                  for _, owner in heaps for b in _all(a, 'assigned'))]
        index = 1 + max((_number(a, 'index') for a in allocations), default=-1)
        for (_, owner), placement in zip(heaps, placements):
            allocations.append([('index', index), ('size', placement.height)] + [
                ('assigned', [('logical_buffer_id', buffer), ('offset', placement.offsets[item]),
                              ('size', sizes[buffer])]) for buffer, item in sorted(owner.items())])
            index += 1
        rest = [pair for pair in assignment if pair[0] != 'buffer_allocations']
        new = [('buffer_allocations', a) for a in allocations] + rest
        return _format_message([(name, new) if value is assignment else (name, value)
                                for name, value in message] if inner else new)

    return Trace([space for space, _ in heaps], answer)


# --- IREE --------------------------------------------------------------------------------------

_PACK = re.compile(r'(?P<indent>[ \t]*)(?P<results>%[\w$.]+(?::\d+)?(?:\s*,\s*%[\w$.]+)*)\s*=\s*'
                   r'stream\.resource\.pack\s+(?:on\([^)]*\)\s+)?'
                   r'slices\(\{(?P<slices>[^}]*)\}\)\s*:\s*index')
_SLICE = re.compile(r'\[\s*(\d+)\s*,\s*(\d+)\s*\]\s*=\s*(%[\w$.]+)')
_CONSTANT = re.compile(r'(%[\w$.]+)\s*=\s*arith\.constant\s+(\d+)\s*:\s*index')


def _config(text: str, name: str) -> int:
    found = re.search(rf'\b{name}\s*=\s*(\d+)', text)
    return int(found[1]) if found else 1


def read_iree(text: str) -> Trace:
    code = re.sub(r'//[^\n]*', lambda m: ' ' * len(m[0]), text)
    constants = {name: int(value) for name, value in _CONSTANT.findall(code)}
    align, grain = _config(code, 'min_buffer_offset_alignment'), _config(
        code, 'min_buffer_range_alignment')
    packs, spaces = list(_PACK.finditer(code)), []
    for number, pack in enumerate(packs):
        space = Space(pack['results'])
        for lower, upper, size in _SLICE.findall(pack['slices']):
            if size not in constants:
                raise FormatError(f'{pack["results"]}: the size {size} is no constant')
            if int(upper) < int(lower):
                raise FormatError(f'{pack["results"]}: the lifetime [{lower}, {upper}] is empty')
            space.add(f'{number}.{len(space.names)}', -(-constants[size] // grain) * grain,
                      int(lower), int(upper) + 1, align)
        spaces.append(space)
    if not packs:
        raise FormatError('there is no stream.resource.pack')

    def answer(placements: list[Placement]) -> str:
        """Constants in place of the operations, as the compiler's layout of slices makes them."""
        result = text
        for pack, placement in reversed(list(zip(packs, placements))):
            values = [placement.height, *placement.offsets]
            names = [name.strip() for name in pack['results'].split(',')]
            whole, _, count = names[0].partition(':')
            if count:
                names = [f'{whole}_{i}' for i in range(len(values))]
            lines = '\n'.join(f'{pack["indent"]}{name} = arith.constant {value} : index'
                              for name, value in zip(names, values))
            rest = result[pack.end():]
            if count:
                rest = re.sub(rf'{re.escape(whole)}#(\d+)', rf'{whole}_\1', rest)
            result = result[:pack.start()] + lines + rest
        return result

    return Trace(spaces, answer)


# --- TVM ---------------------------------------------------------------------------------------

def _cliques(conflicts: list[set[int]]) -> list[set[int]]:
    """Sets of items that all conflict, by which each conflict is covered."""
    cliques: list[set[int]] = []
    for item, own in enumerate(conflicts):
        left = {other for other in own if not any(item in c and other in c for c in cliques)}
        if not own:
            cliques.append({item})
        while left:
            clique = {item}
            for other in sorted(left) + sorted(own - left):
                if clique <= conflicts[other] | {other}:
                    clique.add(other)
            left -= clique
            cliques.append(clique)
    return cliques


def read_tvm(text: str) -> Trace:
    graph = json.loads(text)
    nodes = graph['nodes']

    def ref(node: dict[str, Any], key: str) -> dict[str, Any]:
        return nodes[int(node['attrs'][key])]

    def integer(node: dict[str, Any], key: str) -> int:
        return int(ref(node, key)['attrs']['value'])

    buffers = [i for i, node in enumerate(nodes) if node.get('type_key') == 'tir.usmp.BufferInfo']
    if not buffers:
        raise FormatError('there is no tir.usmp.BufferInfo')
    pools = [ref(nodes[i], 'pool_candidates')['data'][0] for i in buffers]
    placed = {}
    for node in nodes:
        if node.get('type_key') == 'Map':
            placed.update({k: integer(nodes[v], 'byte_offset')
                           for k, v in zip(node['data'][::2], node['data'][1::2])
                           if nodes[v].get('type_key') == 'tir.usmp.PoolAllocation'})
    spaces, members = [], []
    for pool in dict.fromkeys(pools):
        own = [i for i, p in zip(buffers, pools) if p == pool]
        where = {i: k for k, i in enumerate(own)}
        conflicts: list[set[int]] = [set() for _ in own]
        for i in own:
            for other in ref(nodes[i], 'conflicts').get('data', []):
                if other in where and other != i:
                    conflicts[where[i]].add(where[other])
                    conflicts[where[other]].add(where[i])
        hint = integer(nodes[pool], 'size_hint_bytes') if (
            'size_hint_bytes' in nodes[pool].get('attrs', {})) else -1
        space = Space(ref(nodes[pool], 'pool_name').get('repr_str', str(pool)),
                      hint if hint > 0 else None)
        moments: list[list[int]] = [[] for _ in own]
        for moment, clique in enumerate(_cliques(conflicts)):
            for item in clique:
                moments[item].append(moment)
        for i, at in zip(own, moments):
            space.add(ref(nodes[i], 'name_hint').get('repr_str', str(i)),
                      integer(nodes[i], 'size_bytes'), at[0], at[-1] + 1,
                      integer(nodes[i], 'alignment'), placed.get(i, FREE))
            space.gaps[-1] = [(a + 1, b) for a, b in zip(at, at[1:]) if a + 1 < b]
        spaces.append(space)
        members.append((pool, own))

    def answer(placements: list[Placement]) -> str:
        """The graph, whose root is a map from buffers to tir.usmp.PoolAllocation."""
        new, data = list(nodes), []
        for (pool, own), placement in zip(members, placements):
            for i, offset in zip(own, placement.offsets):
                new.append({'type_key': 'IntImm', 'attrs': {'dtype': 'int64', 'span': '0',
                                                            'value': str(offset)}})
                new.append({'type_key': 'tir.usmp.PoolAllocation', 'attrs': {
                    'byte_offset': str(len(new) - 1), 'pool_info': str(pool)}})
                data += [i, len(new) - 1]
        new.append({'type_key': 'Map', 'data': data})
        return json.dumps({**graph, 'root': len(new) - 1, 'nodes': new}, indent=2) + '\n'

    return Trace(spaces, answer)


# --- ExecuTorch --------------------------------------------------------------------------------

def read_executorch(text: str, alignment: int = 16) -> Trace:
    trace = json.loads(text)
    events = [e for e in trace['traceEvents'] if e.get('cat') == 'memory_allocation']
    if not events:
        raise FormatError('there are no events of the category memory_allocation')
    memories: dict[int, Space] = {}
    items: dict[tuple[int, str, int], int] = {}
    seen: dict[tuple[int, str, int], int] = {}
    keys = []
    for event in events:
        memory, name, now = event['pid'], event['name'], event['tid']
        if not isinstance(now, int):
            raise FormatError(f'{name}: the moment {now!r} is no whole number')
        # a node with several outputs has as many events at each moment
        nth = seen[memory, name, now] = seen.get((memory, name, now), -1) + 1
        space, key = memories.setdefault(memory, Space(str(memory))), (memory, name, nth)
        if key not in items:
            items[key] = len(space.names)
            space.add(name, event['dur'], now, now + 1, alignment, event['ts'])
        item = items[key]
        if now > space.upper[item]:
            space.gaps[item].append((space.upper[item], now))
        space.upper[item] = max(space.upper[item], now + 1)
        if event['dur'] != space.sizes[item]:
            raise FormatError(f'{name}: {event["dur"]} bytes at moment {now}, not '
                              f'{space.sizes[item]}')
        keys.append(key)
    order = list(memories)

    def answer(placements: list[Placement]) -> str:
        offsets = {key: int(placements[order.index(key[0])].offsets[item])
                   for key, item in items.items()}
        moved = {id(event): {**event, 'ts': offsets[key]} for event, key in zip(events, keys)}
        return json.dumps({**trace, 'traceEvents': [moved.get(id(e), e) for e in
                                                    trace['traceEvents']]}, indent=2) + '\n'

    return Trace(list(memories.values()), answer)


def read(text: str) -> Trace:
    """Recognizes the format of a text."""
    try:
        if 'stream.resource.pack' in text:
            return read_iree(text)
        if not text.lstrip().startswith('{'):
            return read_xla(text)
        return read_executorch(text) if '"traceEvents"' in text else read_tvm(text)
    except FormatError:
        raise
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(f'the structure is not that of the format: {error!r}') from None
