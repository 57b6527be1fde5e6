# SPDX-License-Identifier: MIT
"""Native kernels: operators that only the chip understands, for planning."""
from __future__ import annotations

import ctypes
import errno
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from . import abi
from ._library import Closeable, Handle, c, call, cstrings


class Natives(Closeable):
    """Native kernels of one payload format, for the natives of Graph() and compile(). Programs that
    use them run on a device that has the format.

    id, version: of the format
    """

    def __init__(self, id: int, version: int = 1) -> None:
        pointer = ctypes.POINTER(abi.loom_native_set)()
        call(c.loom_native_create, abi.drm_loom_format(id=id, version=version),
             abi.loom_native_fn(), None, pointer)
        self._handle = Handle(pointer, c.loom_native_destroy)

    def add(self, ops: Sequence[str], infer: Callable[[Any], Any],
            cycles: Callable[[Any], Any], write: Callable[[Any], bytes],
            cut: Callable[[Any, Any], None] | None = None) -> None:
        """Adds a kernel for an operator, or for a run of operators that it fuses. Callbacks get the
        structs of loom_kernels.h, and may be called by several threads. An exception in one is
        printed, and the call that needs it fails.

        ops: operators, DOMAIN.NAME if the domain is another than ONNX's
        infer(node): sets node.result; False: the node is none for this kernel
        cycles(slice): of a command
        write(slice): the payload of a command
        cut(node, cut): changes cut
        """
        def inferred(_: Any, node: Any) -> int:
            return -errno.EOPNOTSUPP if infer(node.contents) is False else 0

        def changed(_: Any, node: Any, how: Any) -> int:
            if cut:
                cut(node.contents, how.contents)
            return 0

        def counted(_: Any, part: Any) -> int:
            return cycles(part.contents)

        def written(_: Any, part: Any, payload: Any, size: Any) -> int:
            data = write(part.contents)
            if len(data) > size[0]:
                return -errno.E2BIG
            ctypes.memmove(payload, data, len(data))
            size[0] = len(data)
            return 0

        handle = self._use()
        names, count = cstrings(ops)
        kernel = abi.loom_native_kernel(
            ops=names, num_ops=count, infer=abi.loom_native_infer_fn(_guarded(inferred)),
            cut=abi.loom_native_cut_fn(_guarded(changed)),
            cycles=abi.loom_native_cycles_fn(_guarded(counted, 0)),
            write=abi.loom_native_write_fn(_guarded(written)))
        call(c.loom_native_add, handle.pointer, kernel)
        handle.keep[len(handle.keep)] = kernel, names


def _guarded(function: Any, failed: int = -errno.EINVAL) -> Any:
    """The same, for C, which an exception cannot pass."""
    def guarded(*args: Any) -> int:
        try:
            return function(*args)
        except Exception:
            traceback.print_exc()
            return failed
    return guarded
