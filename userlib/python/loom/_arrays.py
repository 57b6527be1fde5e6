# SPDX-License-Identifier: MIT
"""Arrays: from NumPy, from what has a buffer and from lists to C, and back. NumPy is used where it
is installed; else what comes out is a memoryview with a format and a shape."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import abi
from ._library import Handle, c, call, cpath, cstring
from ._numbers import integer, integers

try:
    import numpy
except ImportError:  # pragma: no cover
    numpy = None  # type: ignore[assignment]

DType = abi.drm_loom_dtype

# by element type: as memoryview, struct and array.array name it
FORMATS = {
    DType.F32: 'f', DType.F16: 'e', DType.F64: 'd', DType.I8: 'b', DType.U8: 'B', DType.I16: 'h',
    DType.U16: 'H', DType.I32: 'i', DType.U32: 'I', DType.I64: 'q', DType.U64: 'Q',
    DType.BOOL: '?',
}
INTEGERS = {kind: getattr(ctypes, f'c_{"u" * (kind.name[0] == "U")}int{kind.name[1:]}')
            for kind in FORMATS if kind.name[0] in 'IU'}
BY_NAME = {kind.name.lower(): kind for kind in DType}


def dtype(kind: Any) -> DType:
    """An element type: a DType, its name ("f32"), or what NumPy takes for one."""
    if isinstance(kind, DType):
        return kind
    if isinstance(kind, str) and kind in BY_NAME:
        return BY_NAME[kind]
    if numpy is not None:
        try:
            return _of_numpy(numpy.dtype(kind))
        except TypeError:
            pass
    raise TypeError(f'{kind!r} is no type of elements: they are {", ".join(BY_NAME)}')


def _of_numpy(kind: Any) -> DType:
    for ours, letter in FORMATS.items():
        if numpy.dtype(letter) == kind.newbyteorder('='):
            return ours
    raise TypeError(f'there are no elements of type {kind}')


def _of_format(text: str, size: int) -> DType:
    letter = text.lstrip('@=<') or 'B'
    if letter == 'c':
        return DType.U8
    if letter in 'bhilqn':
        return {1: DType.I8, 2: DType.I16, 4: DType.I32, 8: DType.I64}[size]
    if letter in 'BHILQN':
        return {1: DType.U8, 2: DType.U16, 4: DType.U32, 8: DType.U64}[size]
    for ours, ours_letter in FORMATS.items():
        if ours_letter == letter:
            return ours
    raise TypeError(f'there are no elements of format {text!r}')


@dataclass(frozen=True)
class Tensor:
    """What a tensor looks like: an input, an output. -1 is a dimension that is open."""

    name: str
    dtype: DType
    dims: tuple[int, ...]
    size_bytes: int

    def __str__(self) -> str:
        return f'{self.name} {self.dtype.name.lower()} {list(self.dims)}'

    def random(self, seed: int = 1) -> Any:
        """An array that fits, of numbers that are the same on every machine for the same seed."""
        array = self._alloc()
        c.loom_array_randomize(array, seed)
        return give(array)

    def zeros(self) -> Any:
        """An array of zeroes that fits."""
        return give(self._alloc())

    def image(self, path: str | os.PathLike[str], *, scale: float = 1 / 255,
              mean: float | Sequence[float] = 0.5, std: float | Sequence[float] = 0.5,
              bgr: bool | None = None, pad: bool = False) -> Any:
        """A picture (PNG, PGM, PPM) as an array that fits: (pixel * scale - mean) / std.

        mean, std: one number, or one for each channel. bgr: order of the colours; None: as
        `loom run` has it, blue first where channels come before rows. pad: proportions are kept,
        and what is left at the right is zero; else each axis is scaled for itself.
        """
        picture = abi.loom_image()
        call(c.loom_image_load, cpath(path), picture)
        try:
            array = self._alloc()
            dims = integers(ctypes.c_int64, self.dims)
            if bgr is None:
                bgr = c.loom_image_channels_first(len(self.dims), dims)
            fit = abi.LOOM_IMAGE_PAD if pad else abi.LOOM_IMAGE_STRETCH
            options = abi.loom_image_options(fit, bgr, scale, _four(mean), _four(std))
            try:
                call(c.loom_image_to_array, picture, options, array)
            except OSError:
                c.loom_array_clear(array)
                raise
        finally:
            c.loom_image_clear(picture)
        return give(array)

    def _alloc(self) -> abi.loom_array:
        if any(dim < 0 for dim in self.dims):
            raise ValueError(f'{self}: its dimensions are open')
        array = abi.loom_array()
        dims = integers(ctypes.c_int64, self.dims)
        call(c.loom_array_alloc, array, self.dtype, len(self.dims), dims)
        return array


def _four(value: float | Sequence[float]) -> Any:
    numbers = list(value) if isinstance(value, Sequence) else [value] * 4
    if not 1 <= len(numbers) <= 4:
        raise ValueError('mean and std are one number, or one for each of up to four channels')
    return (ctypes.c_float * 4)(*numbers, *[numbers[-1]] * (4 - len(numbers)))


def tensor(info: Any, open_dims: int = 0) -> Tensor:
    """A Tensor from struct loom_tensor_info or struct loom_program_tensor."""
    dims = (-1 if open_dims >> i & 1 else info.dims[i] for i in range(info.rank))
    return Tensor((info.name or b'').decode(errors='replace'), DType(info.dtype), tuple(dims),
                  info.size_bytes)


def lend(value: Any, name: str | None = None, like: Tensor | None = None) -> abi.loom_array:
    """A value as struct loom_array, over its own memory where that is possible: alive as long as
    what is returned. like: what lists and flat buffers are to become.
    """
    if value is None:
        raise TypeError('None is no array')
    if numpy is not None and not isinstance(value, (bytes, bytearray, memoryview)) and \
            (hasattr(value, '__array__') or not _has_buffer(value)):
        return _lend_numpy(value, name, like)
    if not _has_buffer(value):
        return _lend_list(value, name, like)
    view = memoryview(value)
    kind = _of_format(view.format, view.itemsize)
    dims: tuple[int, ...] = tuple(view.shape or ())
    # elements without a shape of their own; of bytes the library says how many are wanted
    if like and len(dims) == 1 and \
            (kind == like.dtype and view.nbytes == like.size_bytes or view.format in 'Bc'):
        kind, dims = like.dtype, like.dims
    if view.readonly or not view.c_contiguous:
        data = ctypes.create_string_buffer(view.tobytes(), view.nbytes)
    else:
        data = (ctypes.c_char * view.nbytes).from_buffer(view)
    return _array(name, kind, dims, ctypes.addressof(data), view.nbytes, data)


def _has_buffer(value: Any) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _lend_numpy(value: Any, name: str | None, like: Tensor | None) -> abi.loom_array:
    if like and not hasattr(value, '__array__'):
        if like.dtype in INTEGERS:
            for number in numpy.asarray(value, dtype=object).flat:
                _integer(like.dtype, number)
        value = numpy.asarray(value, dtype=FORMATS[like.dtype])
    value = numpy.asarray(value)
    kind = _of_numpy(value.dtype)
    value = numpy.asarray(value, dtype=FORMATS[kind], order='C')
    return _array(name, kind, value.shape, value.ctypes.data, value.nbytes, value)


def _lend_list(value: Any, name: str | None, like: Tensor | None) -> abi.loom_array:
    dims: list[int] = []
    flat = [value]
    while isinstance(flat[0] if flat else None, (list, tuple)):
        dims.append(len(flat[0]))
        if any(not isinstance(row, (list, tuple)) or len(row) != dims[-1] for row in flat):
            raise ValueError('rows of a list have the same length')
        flat = [item for row in flat for item in row]
    kind = like.dtype if like else DType.F32
    size = c.loom_dtype_size(kind)
    array = abi.loom_array()
    data = ctypes.create_string_buffer(max(len(flat) * size, 1))
    array = _array(name, kind, dims, ctypes.addressof(data), len(flat) * size, data)
    if kind in INTEGERS:
        ctypes.memmove(data, integers(INTEGERS[kind], (_integer(kind, one) for one in flat)),
                       len(flat) * size)
        return array
    for i, number in enumerate(flat):
        c.loom_array_set_element(array, i, float(number))
    return array


def _integer(kind: DType, number: Any) -> int:
    """An element of a list as an integer that the type has; 2.0 is one, 2.5 is none."""
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return integer(INTEGERS[kind], number, f'an element of {kind.name.lower()}')


def _array(name: str | None, kind: DType, dims: Sequence[int], address: int, size_bytes: int,
           keep: Any) -> abi.loom_array:
    if len(dims) > abi.LOOM_GRAPH_RANK:
        raise ValueError(f'an array has at most {abi.LOOM_GRAPH_RANK} dimensions, not {len(dims)}')
    text = ctypes.create_string_buffer(cstring(name)) if name is not None else None
    array = abi.loom_array(dtype=kind, rank=len(dims), data=address, size_bytes=size_bytes)
    if text is not None:
        array.name = ctypes.cast(text, ctypes.POINTER(ctypes.c_char))
    array.dims[:len(dims)] = list(dims)
    array.keep = keep, text
    return array


def lend_all(arrays: dict[str, Any], likes: dict[str, Tensor] | None = None) -> Any:
    """Several, by name, as an array of struct loom_array, with their number."""
    lent = [lend(value, name, (likes or {}).get(name)) for name, value in arrays.items()]
    found = (abi.loom_array * len(lent))(*lent)
    found.keep = lent
    return found, len(lent)


def give(array: abi.loom_array) -> Any:
    """What the library has made, for the caller: freed with the last that sees it."""
    handle = Handle(array, c.loom_array_clear)
    dims = array.dims[:array.rank]
    return view(array.data, array.size_bytes, DType(array.dtype), dims, handle)


def view(address: int | None, size_bytes: int, kind: DType, dims: Sequence[int], keep: Any) -> Any:
    """Memory of the library as an array, which keeps ``keep`` alive."""
    if not size_bytes:
        if numpy is not None:
            return numpy.zeros(tuple(dims), FORMATS[kind])
        return memoryview(b'')
    data = (ctypes.c_char * size_bytes).from_address(address)
    data.keep = keep
    if numpy is not None:
        return numpy.frombuffer(data, FORMATS[kind]).reshape(dims)
    # a memoryview knows no halves: they come as their bits
    letter = 'H' if kind is DType.F16 else FORMATS[kind]
    return memoryview(data).cast('B').cast(letter, list(dims))
