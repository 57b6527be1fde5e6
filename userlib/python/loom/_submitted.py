# SPDX-License-Identifier: MIT
"""Runs that go on by themselves."""
from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import time
import weakref
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ._library import Error, c

if TYPE_CHECKING:
    from ._run import Session

# how long a wait is in C at a time: Python looks for signals in between
SLICE_NS = 100_000_000


class Run:
    """A run that was submitted: Session.submit(). It can be awaited, too, and fileno() makes it
    good for select and the like."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ended = False
        self._error: Exception | None = None
        self._results: dict[str, Any] | None = None
        self._fd: int | None = None

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for its end, whatever that is, at most so many seconds. False: not yet."""
        deadline = None if timeout is None else time.monotonic_ns() + int(timeout * 1e9)
        while True:
            until = time.monotonic_ns() + SLICE_NS
            if deadline is not None:
                until = min(until, deadline)
            with self._session._lock:
                if self._ended:
                    return True
                if self._ends(until):
                    return True
            if deadline is not None and time.monotonic_ns() >= deadline:
                return False

    def _ends(self, until_ns: int) -> bool:
        try:
            self._session._call(c.loom_session_wait, max(until_ns, 0))
        except Error as error:
            if error.errno == errno.ETIME:
                return False
            self._error = error
        self._ended = True
        return True

    def done(self) -> bool:
        """Whether it has ended."""
        return self.wait(0)

    def result(self, timeout: float | None = None) -> dict[str, Any]:
        """All outputs by name, when it has ended; raises what became of it, or TimeoutError. To be
        asked for before the session runs again."""
        if not self.wait(timeout):
            raise TimeoutError(f'the run has not ended after {timeout} s')
        with self._session._lock:
            if self._error is not None:
                raise self._error
            if self._results is None:
                if self._session._latest is not self:
                    raise ValueError('the session has run again since')
                self._results = self._session.results()
            return self._results

    def fileno(self) -> int:
        """A descriptor that is readable when the run has ended; closed with the last that has the
        run. It is not to be read."""
        with self._session._lock:
            if self._fd is None:
                fd = ctypes.c_int(-1)
                self._session._call(c.loom_session_fd, fd)
                self._fd = fd.value
                weakref.finalize(self, os.close, fd.value)
            return self._fd

    def __await__(self) -> Generator[Any, None, dict[str, Any]]:
        if not self.done():
            loop = asyncio.get_running_loop()
            ended = loop.create_future()
            fd = self.fileno()
            loop.add_reader(fd, lambda: ended.done() or ended.set_result(None))
            try:
                yield from ended
            finally:
                loop.remove_reader(fd)
        return self.result()

    def __repr__(self) -> str:
        return f'<loom.Run on {self._session.target}{", ended" if self._ended else ""}>'
