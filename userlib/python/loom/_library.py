# SPDX-License-Identifier: MIT
"""The shared library: found, checked, and called."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from types import SimpleNamespace
from typing import Any

from . import abi
from ._numbers import checked_calls

SONAME = 'libloom.so.1'


class Error(OSError):
    """What the library could not do. ``errno`` is its number, ``str()`` its line for a person.

    short_bytes: where a plan does not fit, SRAM per lane that is missing at least; else 0.
    """

    def __init__(self, errno: int, line: str, short_bytes: int = 0) -> None:
        super().__init__(errno, line)
        self.short_bytes = short_bytes

    def __str__(self) -> str:
        return str(self.strerror)


def _load() -> ctypes.CDLL:
    path = os.environ.get('LOOM_LIBRARY') or SONAME
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f'{error}: is libloom installed? LOOM_LIBRARY names one that lies '
                          f'elsewhere') from None
    checked_calls(library)
    try:
        version = library.loom_version()
        for name, (result, arguments, says) in abi.FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
            function.__doc__ = says
    except AttributeError as error:
        raise ImportError(f'{path} is of another version than this package, {_made_for()}: '
                          f'{error}') from None
    # until there is a version 1, the second number says whether what was built fits
    if version // 1000 != abi.LOOM_VERSION // 1000:
        raise ImportError(f'{path} is version {_text(version)}, and this package was made for '
                          f'{_made_for()}')
    return library


def _text(version: int) -> str:
    return f'{version // 1000000}.{version // 1000 % 1000}.{version % 1000}'


def _made_for() -> str:
    return _text(abi.LOOM_VERSION)


c = _load()
"""The library, by the names of C. Arguments are checked by ctypes, results are not: see call()."""

libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]
libc.free.restype = None


def call(function: Any, *args: Any) -> int:
    """Calls a function that returns 0 or -errno. The ``struct loom_error`` at the end is added."""
    error = abi.loom_error()
    if len(args) < len(function.argtypes):
        args += (ctypes.byref(error),)
    status = function(*args)
    if status < 0:
        line = error.text.decode(errors='replace') or \
            f'{function.__name__}(): {os.strerror(-status)}'
        raise Error(-status, line, error.short_bytes)
    return status


def cstring(text: str) -> bytes:
    """A name as C has it."""
    if not isinstance(text, str):
        raise TypeError(f'a name is a str, not {type(text).__name__}')
    if '\0' in text:
        raise ValueError('a name has no NUL in it')
    return text.encode()


def cpath(path: str | os.PathLike[str]) -> bytes:
    """A path as C has it."""
    encoded = os.fsencode(path)
    if b'\0' in encoded:
        raise ValueError('a path has no NUL in it')
    return encoded


def cstrings(texts: Any) -> Any:
    """Names as an array, with their number."""
    if isinstance(texts, str):
        raise TypeError('names are a list, not a str')
    encoded = [cstring(text) for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded), len(encoded)


def take(pointer: Any, size: int | None = None) -> bytes:
    """The bytes that a function has left at ``char *`` or ``void *``, which is freed."""
    try:
        return ctypes.string_at(pointer) if size is None else ctypes.string_at(pointer, size)
    finally:
        libc.free(ctypes.cast(pointer, ctypes.c_void_p))


class Watch:
    """For ``with``: loom_planning_fn that calls progress with the stage, the fraction, the work and
    the memory, and raises what that has raised. Python looks for signals there, so that a
    KeyboardInterrupt ends a call. progress may return "stop" or "finish"."""

    ANSWERS = {None: abi.LOOM_PROGRESS_GO_ON, 'stop': abi.LOOM_PROGRESS_STOP,
               'finish': abi.LOOM_PROGRESS_FINISH}

    def __init__(self, progress: Any = None) -> None:
        self.progress = progress
        self.raised: BaseException | None = None

    def __enter__(self) -> Any:
        # a signal may come before step() can catch it: then ctypes drops what its handler raises
        self.hook = sys.unraisablehook
        if threading.current_thread() is threading.main_thread():
            sys.unraisablehook = self.dropped
        return abi.loom_planning_fn(self.step)

    def dropped(self, unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            self.raised = unraisable.exc_value
        else:
            self.hook(unraisable)

    def step(self, _: Any, progress: Any) -> int:
        try:
            if self.raised is not None:
                return abi.LOOM_PROGRESS_STOP
            answer = None
            if self.progress is not None:
                now = record(progress.contents)
                now.stage = c.loom_stage_name(now.stage).decode()
                answer = self.progress(now)
            return self.ANSWERS[answer]
        except BaseException as error:  # it cannot go through C
            self.raised = error
            return abi.LOOM_PROGRESS_STOP

    def __exit__(self, *_: Any) -> None:
        if sys.unraisablehook == self.dropped:
            sys.unraisablehook = self.hook
        if self.raised is not None:
            raise self.raised from None


class Handle:
    """Something of C that has to be destroyed. That happens when nobody has the handle any more:
    what needs another one keeps its handle, and so does a call while it is in C. So neither the
    order in which things are closed nor a close() in another thread can hurt.
    """

    __slots__ = ('pointer', 'keep', '__weakref__')

    def __init__(self, pointer: Any, destroy: Any, *keep: Any) -> None:
        self.pointer = pointer
        self.keep: dict[Any, Any] = dict(enumerate(keep))
        weakref.finalize(self, _destroy, destroy, pointer, self.keep)


def _destroy(destroy: Any, pointer: Any, keep: Any) -> None:
    destroy(pointer)
    keep.clear()


class Closeable:
    """An object with a handle, for ``with`` or close()."""

    _handle: Handle | None = None

    def _use(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ValueError(f'the {type(self).__name__.lower()} is closed')
        return handle

    def _ask(self, function: Any, *args: Any) -> Any:
        """What a function says of it, which keeps the handle until then."""
        handle = self._use()
        return function(handle.pointer, *args)

    def _call(self, function: Any, *args: Any) -> None:
        """The same of a function that can fail."""
        handle = self._use()
        call(function, handle.pointer, *args)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def close(self) -> None:
        """Frees what it holds, now or when the last that needs it is closed."""
        self._handle = None

    def __enter__(self) -> Any:
        self._use()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Record(SimpleNamespace):
    """Fields of a struct, by attribute or, as in a dict, by key."""

    def keys(self) -> Any:
        """Names of the fields."""
        return self.__dict__.keys()

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]


def record(value: Any) -> Any:
    """A struct as a Record, without what points to others; other values as they are."""
    if isinstance(value, ctypes.Structure):
        fields = {}
        for name, *_ in value._fields_:  # type: ignore[misc]
            field = getattr(value, name)
            if not isinstance(field, ctypes._Pointer):  # type: ignore[attr-defined]
                fields[name.rstrip('_')] = record(field)
        return Record(**fields)
    if isinstance(value, ctypes.Array):
        return tuple(record(item) for item in value)
    if isinstance(value, bytes):
        return value.decode(errors='replace')
    return value


def table(pointer: Any, count: int) -> list[Any]:
    """Structs one after the other as Records."""
    return [record(pointer[i]) for i in range(count)]


def names(function: Any) -> list[str]:
    """What a function gives for 0, 1, ... until it gives NULL."""
    found: list[str] = []
    while (name := function(len(found))) is not None:
        found.append(name.decode())
    return found
