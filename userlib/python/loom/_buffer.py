# SPDX-License-Identifier: MIT
"""Buffers in the memory of a device."""
from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import abi
from ._arrays import dtype, view
from ._library import Closeable, Handle, c, call

if TYPE_CHECKING:
    from ._run import Target


class Buffer(Closeable):
    """Zeroes in the DRAM of a device, or what a dma-buf is of: Buffer.of_fd().

    per_bank: it has an address of its own in each bank
    """

    def __init__(self, target: Target, size_bytes: int, per_bank: bool = False) -> None:
        where, device = _device(target)
        if size_bytes == 0:
            raise ValueError('0 is no size')
        pointer = ctypes.POINTER(abi.loom_bo)()
        flags = abi.DRM_LOOM_BO_CREATE_PER_BANK if per_bank else 0
        call(c.loom_bo_create, device, abi.drm_loom_bo_create(size=size_bytes, flags=flags),
             pointer)
        self._handle = Handle(pointer, c.loom_bo_destroy, where)

    @classmethod
    def of_fd(cls, target: Target, fd: int) -> Buffer:
        """The buffer of a dma-buf, which stays the caller's to be closed. It can be one of another
        device or process."""
        where, device = _device(target)
        pointer = ctypes.POINTER(abi.loom_bo)()
        call(c.loom_bo_import, device, fd, pointer)
        buffer = cls.__new__(cls)
        buffer._handle = Handle(pointer, c.loom_bo_destroy, where)
        return buffer

    @property
    def size_bytes(self) -> int:
        """Its size."""
        return self._ask(c.loom_bo_size)

    def addresses(self) -> list[int]:
        """First byte in each of its banks as of now; none while it is evicted."""
        found = (ctypes.c_uint64 * abi.DRM_LOOM_MAX_BANKS)()
        count = ctypes.c_uint32()
        self._call(c.loom_bo_addresses, found, len(found), count)
        return found[:count.value]

    def export(self) -> int:
        """A dma-buf of it, for other devices and processes: a descriptor, to be closed."""
        fd = ctypes.c_int(-1)
        self._call(c.loom_bo_export, fd)
        return fd.value

    def view(self, kind: Any = 'u8', dims: Sequence[int] | None = None) -> Any:
        """Its memory as an array, which stays valid for as long as somebody has it."""
        handle = self._use()
        kind = dtype(kind)
        size = c.loom_bo_size(handle.pointer)
        count = size // c.loom_dtype_size(kind)
        if dims is not None:
            count = 1
            for dim in dims:
                count *= dim
        used = count * c.loom_dtype_size(kind)
        if not 0 <= used <= size:
            raise ValueError(f'the buffer has {size} bytes, not {used}')
        data = ctypes.c_void_p()
        call(c.loom_bo_map, handle.pointer, data)
        return view(data.value, used, kind, [count] if dims is None else dims, handle)

    def wait(self, timeout: float | None = None) -> None:
        """Until no job uses it; Error with ETIME when that takes longer than so many seconds."""
        deadline = abi.LOOM_WAIT_FOREVER if timeout is None else \
            time.monotonic_ns() + int(timeout * 1e9)
        self._call(c.loom_bo_wait, deadline)

    def __repr__(self) -> str:
        return '<loom.Buffer, closed>' if self.closed else f'<loom.Buffer {self.size_bytes} bytes>'


def _device(target: Target) -> Any:
    handle = target._use()
    device = c.loom_target_device(handle.pointer)
    if not device:
        raise ValueError('the host has no buffers: Session.input_view() is its memory')
    return handle, device
