# SPDX-License-Identifier: MIT
"""Offsets for items with sizes and lifetimes.

    >>> import loomplace
    >>> loomplace.solve([4, 2, 3], [0, 0, 2], [2, 4, 4]).offsets

Item i is sizes[i] bytes that are alive in [lower[i], upper[i]). Sequences of integers and NumPy
arrays are accepted; offsets are a NumPy array if the sizes are one, otherwise a list.
"""
from __future__ import annotations

import array
import ctypes
import errno
import os
import pathlib
import sys
from dataclasses import dataclass
from typing import Any, Iterable, Sequence

__all__ = ['FREE', 'PlaceError', 'Placement', 'check', 'solve', 'solve_shared', 'update']

#: No fixed offset; in update(): a new item.
FREE = 2 ** 64 - 1
_NONE = ctypes.c_size_t(-1).value


class _Problem(ctypes.Structure):
    _fields_ = [('struct_bytes', ctypes.c_size_t), ('num_items', ctypes.c_size_t),
                *((name, ctypes.c_void_p)
                  for name in ('sizes', 'lowers', 'uppers', 'alignments', 'fixed')),
                *((name, ctypes.c_uint64) for name in ('capacity_bytes', 'budget', 'time_ns')),
                *((name, ctypes.c_void_p) for name in ('memory', 'workspace', 'first_gap',
                                                       'gap_lowers', 'gap_uppers'))]


class _Answer(ctypes.Structure):
    _fields_ = [('struct_bytes', ctypes.c_size_t), ('height_bytes', ctypes.c_uint64),
                ('bound_bytes', ctypes.c_uint64), ('proved', ctypes.c_int),
                ('item', ctypes.c_size_t), ('other', ctypes.c_size_t),
                ('missing_bytes', ctypes.c_uint64), ('text', ctypes.c_char * 160)]


_lib = ctypes.CDLL(os.environ.get('LOOMPLACE_LIBRARY') or
                   str(pathlib.Path(__file__).with_name('libloomplace.so')))


@dataclass(frozen=True)
class Placement:
    """offsets are by item. proved: no placement is lower. moved: bytes moved by update()."""

    offsets: Any
    height: int
    bound: int
    proved: bool
    moved: int = 0


class PlaceError(ValueError):
    """No placement. item, other: those at fault, or None. missing: bytes that the capacity is
    proved to fall short by, or 0. errno: that of the library."""

    def __init__(self, code: int, answer: _Answer) -> None:
        super().__init__(answer.text.decode(errors='replace') or os.strerror(-code))
        self.errno = -code
        self.item, self.other = (None if i == _NONE else i for i in (answer.item, answer.other))
        self.missing: int = answer.missing_bytes


def _integers(values: Iterable[int], code: str, count: int | None, what: str) -> array.array[int]:
    try:
        result = array.array(code, values.tolist() if hasattr(values, 'tolist') else values)
    except TypeError as error:
        raise TypeError(f'{what}: integers are wanted: {error}') from None
    except OverflowError as error:
        raise OverflowError(f'{what}: {error}') from None
    if count is not None and len(result) != count:
        raise ValueError(f'{what}: {len(result)} values for {count} items')
    return result


def _address(values: array.array[int] | None) -> int | None:
    return values.buffer_info()[0] if values is not None else None


class _Arrays:
    """A problem, and the arrays that it points to."""

    def __init__(self, sizes: Iterable[int], lower: Iterable[int], upper: Iterable[int],
                 capacity: int | None = None, alignments: Iterable[int] | None = None,
                 fixed: Iterable[int] | None = None, budget: int = 0, time: float = 0,
                 gaps: Sequence[Sequence[tuple[int, int]]] | None = None) -> None:
        if capacity is not None and capacity <= 0:
            raise ValueError('capacity: it must be above 0')
        self.like = sizes
        self.sizes = _integers(sizes, 'Q', None, 'sizes')
        count = len(self.sizes)
        self.arrays = [self.sizes, _integers(lower, 'q', count, 'lower'),
                       _integers(upper, 'q', count, 'upper'),
                       *(None if values is None else _integers(values, 'Q', count, what)
                         for values, what in ((alignments, 'alignments'), (fixed, 'fixed')))]
        self.problem = _Problem(ctypes.sizeof(_Problem), count,
                                *(_address(values) for values in self.arrays), capacity or 0,
                                budget, int(time * 1e9))
        if gaps is not None:
            self._add_gaps(gaps)
        self.offsets = array.array('Q', bytes(8 * count))

    def _add_gaps(self, gaps: Sequence[Sequence[tuple[int, int]]]) -> None:
        if len(gaps) != len(self.sizes):
            raise ValueError(f'gaps: {len(gaps)} values for {len(self.sizes)} items')
        first = [0]
        for own in gaps:
            first.append(first[-1] + len(own))
        self.gaps = [_integers(first, 'Q', None, 'gaps'),
                     *(_integers((gap[end] for own in gaps for gap in own), 'q', None, 'gaps')
                       for end in (0, 1))]
        (self.problem.first_gap, self.problem.gap_lowers,
         self.problem.gap_uppers) = map(_address, self.gaps)

    def placement(self, answer: _Answer, moved: int = 0) -> Placement:
        offsets: Any = self.offsets.tolist()
        if hasattr(self.like, '__array_interface__'):
            offsets = sys.modules['numpy'].array(self.offsets, dtype='uint64')
        return Placement(offsets, answer.height_bytes, answer.bound_bytes, bool(answer.proved),
                         moved)


def _call(function: str, *args: Any) -> _Answer:
    answer = _Answer(ctypes.sizeof(_Answer))
    code = getattr(_lib, function)(*args, ctypes.byref(answer))
    if code == -errno.ENOMEM:
        raise MemoryError(answer.text.decode())
    if code:
        raise PlaceError(code, answer)
    return answer


def _pointer(values: array.array[int]) -> ctypes.c_void_p:
    return ctypes.c_void_p(_address(values))


def solve(sizes: Iterable[int], lower: Iterable[int], upper: Iterable[int],
          capacity: int | None = None, *, alignments: Iterable[int] | None = None,
          fixed: Iterable[int] | None = None, budget: int = 0, time: float = 0,
          gaps: Sequence[Sequence[tuple[int, int]]] | None = None) -> Placement:
    """The lowest placement that is found, or with a capacity any within it.

    fixed: offsets that items must have, or FREE. budget: limit on the search, in nodes; time: in
    seconds of the processor, then the result depends on the machine. gaps: by item: (lower, upper)
    in which it is not alive. Raises PlaceError."""
    a = _Arrays(sizes, lower, upper, capacity, alignments, fixed, budget, time, gaps)
    return a.placement(_call('loomplace_place', ctypes.byref(a.problem), _pointer(a.offsets)))


def update(before: Iterable[int], sizes: Iterable[int], lower: Iterable[int], upper: Iterable[int],
           capacity: int, *, alignments: Iterable[int] | None = None,
           fixed: Iterable[int] | None = None, budget: int = 0) -> Placement:
    """A placement within capacity that moves few bytes. before: previous offsets, or FREE."""
    a = _Arrays(sizes, lower, upper, capacity, alignments, fixed, budget)
    old = _integers(before, 'Q', len(a.sizes), 'before')
    moved = ctypes.c_uint64()
    answer = _call('loomplace_update', ctypes.byref(a.problem), _pointer(old),
                   _pointer(a.offsets), ctypes.byref(moved))
    return a.placement(answer, moved.value)


def solve_shared(first: dict[str, Any], second: dict[str, Any],
                 shared: Sequence[tuple[int, int]]) -> tuple[Placement, Placement]:
    """Placements of two problems (arguments of solve() by name). shared: pairs of an item of the
    first and an item of the second, which get one offset."""
    a, b = _Arrays(**first), _Arrays(**second)
    same = (ctypes.c_size_t * (len(b.sizes) + 1))(*[_NONE] * (len(b.sizes) + 1))
    for i, k in shared:
        if not 0 <= i < len(a.sizes) or not 0 <= k < len(b.sizes):
            raise IndexError(f'shared: there are no items {i} and {k}')
        same[k] = i
    answer = _call('loomplace_place_shared', ctypes.byref(a.problem), ctypes.byref(b.problem),
                   same, _pointer(a.offsets), _pointer(b.offsets))
    return a.placement(answer), b.placement(answer)


def check(offsets: Iterable[int], sizes: Iterable[int], lower: Iterable[int],
          upper: Iterable[int], capacity: int | None = None, *,
          alignments: Iterable[int] | None = None,
          gaps: Sequence[Sequence[tuple[int, int]]] | None = None) -> Placement:
    """Verifies a placement of any origin; raises PlaceError if it is none."""
    a = _Arrays(sizes, lower, upper, capacity, alignments, gaps=gaps)
    a.offsets = _integers(offsets, 'Q', len(a.sizes), 'offsets')
    return a.placement(_call('loomplace_check', ctypes.byref(a.problem), _pointer(a.offsets)))
