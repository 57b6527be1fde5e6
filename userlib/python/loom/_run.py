# SPDX-License-Identifier: MIT
"""Running programs: in this process, or on a device node."""
from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from . import abi
from ._arrays import Tensor, give, lend, view
from ._buffer import Buffer
from ._chip import Chip, Region, chip_of
from ._library import Closeable, Handle, Record, c, call, cpath, cstring, record
from ._numbers import integers
from ._program import Program
from ._submitted import Run


class Target(Closeable):
    """Where programs run.

    name: "host": this process; "device": the first device node; "auto": that, or this process if
    there is none; anything with a slash: that node. chip: of "host"; a device has its own. lanes:
    sessions run on so many lanes of it, a partition; None: on all
    """

    def __init__(self, name: str | os.PathLike[str] = 'auto',
                 chip: Chip | str | None = None, lanes: int | None = None) -> None:
        given = None if chip is None else chip_of(chip)._record
        pointer = ctypes.POINTER(abi.loom_target)()
        call(c.loom_target_open, cpath(name), given, pointer)
        # it keeps the address of the chip
        self._handle = Handle(pointer, c.loom_target_close, given)
        self._part: Chip | None = None
        if lanes is not None:
            self._part = self.chip.part(lanes)

    @property
    def name(self) -> str:
        """"host", or the path of the node."""
        return self._ask(c.loom_target_name).decode()

    @property
    def chip(self) -> Chip:
        """Its chip, with the lanes of the partition: what to plan for."""
        handle = self._use()
        if self._part is not None:
            return self._part
        found = Chip._of(c.loom_target_chip(handle.pointer).contents)
        del handle
        return found

    def memory(self, region: Region) -> Record:
        """How full a region of a device is now: struct drm_loom_region_info."""
        handle = self._use()
        device = c.loom_target_device(handle.pointer)
        if not device:
            raise ValueError('the host is no device')
        info = abi.drm_loom_region_info()
        call(c.loom_device_region, device, region, info)
        return record(info)

    def dump_memory_state(self, prefix: str = '',
                          folder: str | os.PathLike[str] = '.') -> None:
        """Writes three CSV files about the contents of its banks as of now.

        l1_usage_summary.csv, memory_usage_summary.csv and detailed_memory_usage.csv, with the
        prefix before their names, in the folder, which is made if it does not exist
        """
        if '/' in prefix:
            raise ValueError(f'a prefix has no slash in it: {prefix!r}')
        handle = self._use()
        call(c.loom_report_write, handle.pointer, cpath(folder), cstring(prefix))
        del handle

    def __repr__(self) -> str:
        return '<loom.Target, closed>' if self.closed else f'<loom.Target {self.name}>'


# the name of others for it
Device = Target

_reports: list[bytes] = []
_reports_lock = threading.Lock()


@contextlib.contextmanager
def memory_reports(folder: str | os.PathLike[str]) -> Iterator[None]:
    """For ``with``: each program that is loaded adds rows to the three CSV files of a folder.

    Within another one, that one's reports go on behind the end. Behind the outermost there are
    none, whatever LOOM_MEMORY_REPORTS says.
    """
    path = cpath(folder)
    with _reports_lock:
        call(c.loom_report_enable, path)
        _reports.append(path)
    try:
        yield
    finally:
        with _reports_lock:
            # the last of equal ones: those of other threads stay
            del _reports[len(_reports) - 1 - _reports[::-1].index(path)]
            if _reports:
                call(c.loom_report_enable, _reports[-1])
            else:
                c.loom_report_disable()


Progress = Callable[[int, int], Any]


class Session(Closeable):
    """A program that is loaded on a target. Threads that share one take turns.

    lanes: as for a Target; only where the target is a name
    weights: descriptors from export_weights() of another process, which stay the caller's
    """

    def __init__(self, program: Program, target: Target | str | os.PathLike[str] = 'host',
                 lanes: int | None = None, weights: Sequence[int] | None = None) -> None:
        if not isinstance(target, Target):
            target = Target(target, program.chip, lanes)
        elif lanes is not None:
            raise ValueError('lanes: the target says how many')
        used, where = program._use(), target._use()
        program.fits(target.chip)
        pointer = ctypes.POINTER(abi.loom_session)()
        if weights is None:
            call(c.loom_session_create, where.pointer, program._pointer, pointer)
        else:
            fds = integers(ctypes.c_int, weights)
            call(c.loom_session_create_shared, where.pointer, program._pointer, fds, len(fds),
                 pointer)
        self._open(program, target.name, Handle(pointer, c.loom_session_destroy, used, where))

    def beside(self, program: Program, share_states: bool = False) -> Session:
        """A session of the same program, or of another one of its file, with the same weights.

        share_states: both have the same states, and go on from each other's last run
        """
        with self._lock:
            used, other = program._use(), self._use()
            pointer = ctypes.POINTER(abi.loom_session)()
            call(c.loom_session_create_beside, other.pointer, program._pointer,
                 abi.LOOM_BESIDE_STATES if share_states else 0, pointer)
        session = Session.__new__(Session)
        session._open(program, self.target,
                      Handle(pointer, c.loom_session_destroy, used, other))
        if share_states:
            # sessions with common states take turns
            session._lock, session._last = self._lock, self._last
        return session

    def export_weights(self) -> list[int]:
        """Dma-bufs of its weights, to be closed: sessions of other processes on the same device
        use them without a copy. No one can change these weights any more. Child processes must be
        forked before the session is created."""
        fds = (ctypes.c_int * abi.DRM_LOOM_MAX_SLOTS)()
        count = ctypes.c_uint32()
        self._call(c.loom_session_export_weights, fds, len(fds), count)
        return fds[:count.value]

    def _open(self, program: Program, target: str, handle: Handle) -> None:
        self._handle = handle
        self._lock = threading.RLock()
        # of all sessions that have the same states
        self._last: list[Run | None] = [None]
        self.inputs = program.inputs
        self.outputs = program.outputs
        self.observed = program.observed
        self.states = program.states
        self.target = target

    @property
    def _latest(self) -> Run | None:
        return self._last[0]

    @_latest.setter
    def _latest(self, run: Run | None) -> None:
        self._last[0] = run

    def _call(self, function: Any, *args: Any) -> None:
        with self._lock:
            handle = self._use()
            call(function, handle.pointer, *args)

    def set_input(self, which: str | int, value: Any) -> None:
        """Copies an input in, for all runs until it is set again.

        value: an array of its type and dimensions, of NumPy or anything with a buffer; bytes and
        flat buffers of its size; lists of numbers
        """
        index = _index(self.inputs, which, 'input')
        like = self.inputs[index]
        self._call(c.loom_session_set_input, index, lend(value, like.name, like))

    def set_inputs(self, inputs: Mapping[str, Any] | Sequence[Any]) -> None:
        """Several: by name, or in their order."""
        if isinstance(inputs, Mapping):
            given: Any = inputs.items()
        elif isinstance(inputs, memoryview) or hasattr(inputs, '__array__') or \
                not isinstance(inputs, Collection):
            raise TypeError('inputs are by name in a dict, or in their order in a list, not '
                            f'{type(inputs).__name__}')
        elif len(inputs) > len(self.inputs):
            raise ValueError(f'there are {len(self.inputs)} inputs, not {len(inputs)}')
        else:
            given = enumerate(inputs)
        for which, value in given:
            self.set_input(which, value)

    def run(self, inputs: Mapping[str, Any] | Sequence[Any] = (),
            progress: Progress | None = None) -> dict[str, Any]:
        """Runs once, and gives all outputs by name. Inputs that were set before need not be given
        again.

        progress: called about ten times a second with the operations that are done, and all.
        What it raises ends the run; so does Ctrl-C.
        """
        with self._lock:
            self.run_only(inputs, progress)
            return self.results()

    def run_only(self, inputs: Mapping[str, Any] | Sequence[Any] = (),
                 progress: Progress | None = None) -> None:
        """As run(), for outputs that are read elsewhere: output(), output_view()."""
        with self._lock:
            self.set_inputs(inputs)
            with _Steps(progress) as step:
                self._call(c.loom_session_run, step, None)
            self._latest = None

    def submit(self, inputs: Mapping[str, Any] | Sequence[Any] = ()) -> Run:
        """Begins a run, which goes on by itself. While it does, nothing else can be asked of the
        session: several runs under way take a session each."""
        with self._lock:
            self.set_inputs(inputs)
            self._call(c.loom_session_submit)
            self._latest = Run(self)
            return self._latest

    async def run_async(self, inputs: Mapping[str, Any] | Sequence[Any] = ()) -> dict[str, Any]:
        """As run(), in a loop of asyncio, which goes on meanwhile."""
        return await self.submit(inputs)

    def output(self, which: str | int) -> Any:
        """A result of the last run, as an array of the caller's own."""
        return self._get(c.loom_session_get_output, _index(self.outputs, which, 'output'))

    def results(self) -> dict[str, Any]:
        """All outputs of the last run by name."""
        with self._lock:
            return {output.name: self.output(i) for i, output in enumerate(self.outputs)}

    def observe(self, which: str | int) -> Any:
        """A value of the last run that the program was compiled to observe."""
        index = _index(self.observed, which, 'observed value')
        return self._get(c.loom_session_get_observed, index)

    def _get(self, function: Any, index: int) -> Any:
        array = abi.loom_array()
        self._call(function, index, array)
        return give(array)

    def input_view(self, which: str | int) -> Any:
        """The memory of an input itself, to be written in place before each run; the input counts
        as given. The array stays valid for as long as somebody has it."""
        index = _index(self.inputs, which, 'input')
        return self._map(c.loom_session_map_input, 'input', index, self.inputs[index])

    def output_view(self, which: str | int) -> Any:
        """The memory of an output itself, to be read in place. The next run overwrites it."""
        index = _index(self.outputs, which, 'output')
        return self._map(c.loom_session_map_output, 'output', index, self.outputs[index])

    def _map(self, function: Any, end: str, index: int, tensor: Tensor) -> Any:
        with self._lock:
            handle = self._use()
            if isinstance(handle.keep.get((end, index)), Handle):
                raise ValueError(f'{end} {tensor.name!r} is in a buffer of its own: see '
                                 f'Buffer.view()')
            data = ctypes.c_void_p()
            call(function, handle.pointer, index, data)
            handle.keep[end, index] = 'mapped'
        return view(data.value, tensor.size_bytes, tensor.dtype, tensor.dims, handle)

    def bind_input(self, which: str | int, buffer: Buffer | None) -> None:
        """Has an input of a device read from a buffer, which counts as given; None: no longer."""
        self._bind(c.loom_session_bind_input, 'input', _index(self.inputs, which, 'input'), buffer)

    def bind_output(self, which: str | int, buffer: Buffer | None) -> None:
        """Has an output of a device written to a buffer; None: no longer."""
        self._bind(c.loom_session_bind_output, 'output', _index(self.outputs, which, 'output'),
                   buffer)

    def _bind(self, function: Any, end: str, index: int, buffer: Buffer | None) -> None:
        bound = None if buffer is None else buffer._use()
        with self._lock:
            handle = self._use()
            if handle.keep.get((end, index)) == 'mapped':
                raise ValueError(f'{end} {index} is mapped: arrays may be using its memory')
            call(function, handle.pointer, index, None if bound is None else bound.pointer)
            # the buffer bound before is not needed from here on
            handle.keep[end, index] = bound

    def _state(self, output: str) -> int:
        if output not in self.states:
            raise ValueError(f'there is no state {output!r}{_but(self.states)}')
        return list(self.states).index(output)

    def state(self, output: str) -> Any:
        """A state, as the next run reads it, by the name of its output."""
        return self._get(c.loom_session_get_state, self._state(output))

    def set_state(self, output: str, value: Any) -> None:
        """Copies a state in, which the next run reads."""
        index = self._state(output)
        like = self.outputs[_index(self.outputs, output, 'output')]
        self._call(c.loom_session_set_state, index, lend(value, output, like))

    def reset_states(self) -> None:
        """Makes all states zero, as they were at first."""
        self._call(c.loom_session_reset_states)

    @property
    def counters(self) -> Record:
        """What the engine has counted in the last run: struct drm_loom_counters."""
        counters = abi.drm_loom_counters()
        with self._lock:
            handle = self._use()
            c.loom_session_counters(handle.pointer, counters)
        return record(counters)

    @property
    def moved(self) -> Record:
        """Bytes that the processor has copied, and had not to: struct loom_session_moved."""
        moved = abi.loom_session_moved()
        with self._lock:
            handle = self._use()
            c.loom_session_moved(handle.pointer, moved)
        return record(moved)

    def __repr__(self) -> str:
        return f'<loom.Session on {self.target}{", closed" if self.closed else ""}>'


class _Steps:
    """For ``with``: loom_progress_fn that calls progress, and raises what that has raised. Python
    looks for signals there, too."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.raised: BaseException | None = None

    def __enter__(self) -> Any:
        return abi.loom_progress_fn(self.step)

    def step(self, _: Any, done: int, total: int) -> int:
        try:
            if self.progress is not None:
                self.progress(done, total)
        except BaseException as error:  # it cannot go through C
            self.raised = error
            return -errno.ECANCELED
        return 0

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is not None and self.raised is not None:
            raise self.raised from None


def _index(tensors: Sequence[Tensor], which: str | int, what: str) -> int:
    if isinstance(which, str):
        for i, tensor in enumerate(tensors):
            if tensor.name == which:
                return i
        raise ValueError(f'there is no {what} {which!r}{_but(one.name for one in tensors)}')
    if not 0 <= which < len(tensors):
        raise IndexError(f'there is no {what} {which}: there are {len(tensors)}')
    return which


def _but(names: Any) -> str:
    found = ', '.join(repr(name) for name in names)
    return f', but {found}' if found else ''


def run(model: Any, inputs: Mapping[str, Any] | Sequence[Any],
        target: Target | str = 'host', **options: Any) -> dict[str, Any]:
    """Plans a model for the chip of a target and runs it once: outputs by name.

    model: an ONNX file, a Graph or a Program. options: as of compile().
    """
    from ._program import compile as plan
    with (Target(target, options.get('chip')) if not isinstance(model, Program) and
          not isinstance(target, Target) else _as_is(target)) as where:
        if not isinstance(model, Program):
            model = plan(model, **{**options, 'chip': where.chip})
        elif options:
            raise TypeError(f'{", ".join(options)}: the program is planned already')
        with Session(model, where) as session:
            return session.run(inputs)


def run_batch(sessions: Sequence[Session], inputs: Mapping[str, Any] | Sequence[Any],
              num_items: int, progress: Progress | None = None) -> dict[str, Any]:
    """Runs a batch on sessions of programs of one graph, each item on whichever is free.

    inputs: all items one after the other: the first dimension is that of the program, times
    num_items; one that is as large as the program's is the same for all. Outputs likewise.
    """
    if not sessions or num_items < 1:
        raise ValueError('a batch has at least one session and one item')
    if len(set(map(id, sessions))) != len(sessions):
        raise ValueError('a session is there twice')
    tensors, outputs = sessions[0].inputs, sessions[0].outputs
    if any(other.inputs != tensors or other.outputs != outputs for other in sessions):
        raise ValueError('the sessions are of different programs')
    by_index = dict(inputs) if isinstance(inputs, Mapping) else dict(enumerate(inputs))
    given = {_index(tensors, which, 'input'): value for which, value in by_index.items()}
    missing = [tensor.name for i, tensor in enumerate(tensors) if i not in given]
    if missing:
        raise ValueError(f'inputs are missing: {", ".join(missing)}')
    lent = [lend(given[i], tensor.name) for i, tensor in enumerate(tensors)]
    results = (abi.loom_array * len(outputs))()
    batch = abi.loom_batch((abi.loom_array * len(lent))(*lent), len(lent), num_items)
    with contextlib.ExitStack() as stack:
        # always in the same order, so that two batches on the same sessions take turns
        for session in sorted(sessions, key=id):
            stack.enter_context(session._lock)
        handles = [session._use() for session in sessions]
        pointers = (ctypes.POINTER(abi.loom_session) * len(handles))(
            *(handle.pointer for handle in handles))
        batch.progress = stack.enter_context(_Steps(progress))
        call(c.loom_batch_run, pointers, len(handles), batch, results, None)
        for session in sessions:
            session._latest = None
    return {tensor.name: give(abi.loom_array.from_buffer_copy(results[i]))
            for i, tensor in enumerate(outputs)}


class _as_is:
    """For ``with``: something that stays open."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __enter__(self) -> Any:
        return self.value

    def __exit__(self, *_: Any) -> None:
        pass
