# SPDX-License-Identifier: MIT
"""Integers on their way to C. ctypes takes the low bits of a number that does not fit; here such a
number raises OverflowError, and what is no integer TypeError. All structs, arrays and functions of
abi.py are made of the types here, so a field or a parameter of a new header is checked, too."""
from __future__ import annotations

import ctypes
import functools
import itertools
import operator
from typing import Any

INTEGERS = {kind: (bits, signed) for bits in (8, 16, 32, 64) for kind, signed in
            ((getattr(ctypes, f'c_int{bits}'), True), (getattr(ctypes, f'c_uint{bits}'), False))}
INTEGERS[ctypes.c_size_t] = (8 * ctypes.sizeof(ctypes.c_size_t), False)


class OutOfRange(OverflowError, ValueError):
    """A number that the type of C does not have."""


def integer(kind: Any, value: Any, what: str = 'a number') -> int:
    """The value as an int that the type of C has, or OverflowError."""
    bits, signed = INTEGERS[kind]
    number = operator.index(value)
    lowest = -1 << bits - 1 if signed else 0
    if not lowest <= number < lowest + (1 << bits):
        raise OutOfRange(f'{what} is from {lowest} to {lowest + (1 << bits) - 1}, not {number}')
    return number


def _checked(kind: Any, value: Any, what: str) -> Any:
    if kind in INTEGERS and not isinstance(value, kind):
        return integer(kind, value, what)
    return value


class CheckedStructure(ctypes.Structure):
    """A struct whose fields take numbers that fit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        names = _kinds(type(self))
        if len(args) > len(names):
            raise TypeError(f'{type(self).__name__} has {len(names)} fields, not {len(args)}')
        for name, value in (*zip(names, args), *kwargs.items()):
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, _checked(_kinds(type(self)).get(name), value, name.rstrip('_')))


@functools.lru_cache(maxsize=None)
def _kinds(struct: Any) -> dict[str, Any]:
    return {name: kind for name, kind, *_ in struct._fields_}


class _Array:
    """What arrays do besides those of ctypes."""

    _type_: Any

    def __init__(self, *values: Any) -> None:
        super().__init__(*(_checked(self._type_, value, 'a number') for value in values))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            value = [_checked(self._type_, one, 'a number') for one in value]
        else:
            value = _checked(self._type_, value, 'a number')
        super().__setitem__(index, value)  # type: ignore[misc]


@functools.lru_cache(maxsize=None)
def array(kind: Any, length: int) -> Any:
    """The type of an array in a struct."""
    if kind not in INTEGERS:
        return kind * length
    return type(f'{kind.__name__}_{length}', (_Array, ctypes.Array),
                {'_type_': kind, '_length_': length})


def integers(kind: Any, values: Any) -> Any:
    """An array of integers for C."""
    values = list(values)
    return (kind * len(values))(*(_checked(kind, value, 'a number') for value in values))


def checked_calls(library: ctypes.CDLL) -> None:
    """Has the functions of a library take numbers that fit. It is no matter of from_param(), whose
    exceptions all become ctypes.ArgumentError."""
    base: Any = library._FuncPtr

    class Function(base):
        """A function of C."""

        _flags_ = base._flags_
        _restype_ = base._restype_

        def __call__(self, *args: Any) -> Any:
            return super().__call__(*(
                _checked(kind, value, f'argument {i + 1} of {self.__name__}()')
                for i, (kind, value) in enumerate(
                    itertools.zip_longest(self.argtypes or (), args))
                if i < len(args)))

    library._FuncPtr = Function
