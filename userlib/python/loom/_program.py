# SPDX-License-Identifier: MIT
"""Programs: a plan, and how to feed it."""
from __future__ import annotations

import contextlib
import ctypes
import mmap
import operator
import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import abi
from ._arrays import Tensor, tensor
from ._chip import Chip, chip_of
from ._graph import Graph
from ._library import (Closeable, Error, Handle, Record, Watch, c, call, cpath, cstring, cstrings,
                       libc, names, record, table, take)

Objective = abi.loom_planner_objective
PlannerFlags = abi.loom_planner_flags


def groupings() -> dict[str, str]:
    """Strategies that group nodes, and what each does."""
    return dict(zip(names(c.loom_grouping_name), names(c.loom_grouping_text)))


class Program(Closeable):
    """A network that is planned for a chip: by compile(), or from a file that was saved."""

    _pointer: Any
    _origin: tuple[Chip, int]
    _file: Any = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        pointer = ctypes.POINTER(abi.loom_program_file)()
        call(c.loom_program_load, cpath(path), pointer)
        self._open(Handle(pointer, c.loom_program_unload))

    @classmethod
    def parse(cls, data: bytes, name: str = 'program') -> Program:
        """The same from the bytes of a file. name: stands for the file in errors."""
        view = memoryview(data).cast('B')
        # weights are used where they are, and files are made for pages
        pages = mmap.mmap(-1, max(view.nbytes, 1))
        pages[:view.nbytes] = view
        keep = (ctypes.c_char * len(pages)).from_buffer(pages)
        pointer = ctypes.POINTER(abi.loom_program_file)()
        call(c.loom_program_parse, keep, view.nbytes, cstring(name), pointer)
        program = cls.__new__(cls)
        program._open(Handle(pointer, c.loom_program_unload, keep))
        return program

    def _open(self, handle: Handle) -> None:
        origin = c.loom_program_file_origin(handle.pointer).contents
        self._handle = handle
        self._file = handle.pointer
        self._pointer = c.loom_program_file_program(handle.pointer)
        self._origin = Chip._of(origin.chip.contents), origin.objective

    @property
    def programs(self) -> list[Program]:
        """All programs of its file; one that was compiled is alone."""
        handle = self._use()
        if self._file is None:
            return [self]
        found = []
        for index in range(c.loom_program_file_count(self._file)):
            program = Program.__new__(Program)
            program._open(handle)
            program._pointer = c.loom_program_file_at(self._file, index)
            found.append(program)
        return found

    @contextlib.contextmanager
    def _held(self) -> Iterator[Any]:
        """struct loom_program, which stays meanwhile, whoever closes it."""
        handle = self._use()
        yield self._pointer.contents
        del handle

    @property
    def chip(self) -> Chip:
        """The chip that it was planned for."""
        return self._origin[0]

    @property
    def objective(self) -> Objective:
        """What it was to have the least of."""
        return Objective(self._origin[1])

    def _tensors(self, what: str) -> list[Tensor]:
        with self._held() as program:
            count = getattr(program, 'num_' + what)
            return [tensor(getattr(program, what)[i]) for i in range(count)]

    @property
    def inputs(self) -> list[Tensor]:
        """What has to be fed."""
        return self._tensors('inputs')

    @property
    def outputs(self) -> list[Tensor]:
        """What comes out."""
        return self._tensors('outputs')

    @property
    def observed(self) -> list[Tensor]:
        """Values that can be read after a run besides the outputs."""
        return self._tensors('observed')

    @property
    def states(self) -> dict[str, str]:
        """Outputs that are inputs of the next run: {output: input}."""
        with self._held() as program:
            states = [program.states[i] for i in range(program.num_states)]
            return {program.outputs[state.output].name.decode():
                    program.inputs[state.input].name.decode() for state in states}

    @property
    def figures(self) -> Record:
        """What it costs: struct loom_program_stats. Those of a file that was not planned here are
        what a run will count, and what is in its plan."""
        with self._held() as program:
            return record(program.stats)

    @property
    def least(self) -> Record:
        """What no plan of the graph on the chip is below: struct loom_program_least."""
        with self._held() as program:
            return record(program.least)

    @property
    def grouping(self) -> str:
        """The strategy whose groups were taken."""
        with self._held() as program:
            return (program.grouping or b'').decode()

    @property
    def placer(self) -> str:
        """The strategy whose placement was taken."""
        with self._held() as program:
            return (program.placer or b'').decode()

    def _table(self, what: str) -> list[Record]:
        with self._held() as program:
            return table(getattr(program, what), getattr(program, 'num_' + what))

    @property
    def nodes(self) -> list[Record]:
        """The nodes, in the order in which they run: struct loom_program_node."""
        return self._table('nodes')

    @property
    def groups(self) -> list[Record]:
        """Nodes that run together: struct loom_program_group."""
        return self._table('groups')

    @property
    def neurons(self) -> list[Record]:
        """Values in DRAM, where and when: struct loom_program_neuron."""
        return self._table('neurons')

    @property
    def plan(self) -> bytes:
        """The bytes of the plan, as the kernel takes them."""
        with self._held() as program:
            return ctypes.string_at(program.plan, program.plan_bytes)

    def dump(self) -> str:
        """The plan as text."""
        text = ctypes.POINTER(ctypes.c_char)()
        with self._held() as program:
            call(c.loom_plan_dump, program.plan, program.plan_bytes, text)
        return take(text).decode(errors='replace')

    def svg(self, title: str | None = None, first_step: int = 0, num_steps: int = 0) -> str:
        """A picture: time against addresses. num_steps: how many at most; 0: all."""
        options = abi.loom_program_svg_options(None if title is None else cstring(title),
                                               first_step, num_steps)
        return self._text(c.loom_program_svg, options)

    def trace(self, title: str | None = None) -> str:
        """Its time on the chip as Chrome trace events: JSON for Perfetto."""
        return self._text(c.loom_program_trace, None if title is None else cstring(title))

    def _text(self, function: Any, options: Any) -> str:
        text, size = ctypes.POINTER(ctypes.c_char)(), ctypes.c_size_t()
        with self._held() as program:
            call(function, program, self.chip._record, options, text, size)
        return take(text, size.value).decode()

    def to_bytes(self) -> bytes:
        """The bytes of a program file, the same for the same program."""
        return join([self])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a program file. One that exists is replaced when the new one is whole, as others
        may have it mapped. Links are followed; devices and pipes are written in place."""
        data, size = _write([self])
        try:
            call(c.loom_file_save, cpath(path), data, size)
        except Error as error:
            # the exceptions of open(): FileNotFoundError and the like
            raise OSError(error.errno, os.strerror(error.errno or 0), os.fspath(path)) from None
        finally:
            libc.free(data)

    def fits(self, chip: Chip | str) -> None:
        """Raises Error with the first figure of a chip that is not what a file was planned for."""
        with self._held():
            if self._file is not None:
                call(c.loom_program_file_fits, self._file, chip_of(chip)._record)

    def session(self, target: Any = 'host', lanes: int | None = None,
                weights: Sequence[int] | None = None) -> Any:
        """A Session on a Target, or on lanes of the one of that name: "host", "auto", a node."""
        from ._run import Session
        return Session(self, target, lanes, weights)

    def __repr__(self) -> str:
        if self.closed:
            return '<loom.Program, closed>'
        return (f'<loom.Program for {self.chip.name}: {", ".join(map(str, self.inputs))} -> '
                f'{", ".join(map(str, self.outputs))}>')


def _write(programs: Sequence[Program]) -> Any:
    held = [program._use() for program in programs]
    chip, objective = programs[0]._origin
    origin = abi.loom_program_origin(ctypes.pointer(chip._record), objective)
    pointers = (ctypes.POINTER(abi.loom_program) * len(held))(
        *(program._pointer for program in programs))
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    call(c.loom_program_write_set, pointers, len(held), origin, data, size)
    return data, size


def join(programs: Sequence[Program]) -> bytes:
    """The bytes of a file with several programs for one chip, such as those of a model for several
    shapes: Program.parse(). Weights that they share are there once."""
    if not programs:
        raise ValueError('there is no program to join')
    chip, objective = programs[0]._origin
    if any(bytes(program.chip._record) != bytes(chip._record) or
           program._origin[1] != objective for program in programs):
        raise ValueError('the programs are for several chips or objectives')
    data, size = _write(programs)
    return take(data, size.value)


def compile(model: Graph | str | os.PathLike[str], chip: Chip | str = 'soft', *,
            grouping: str = 'layergroup', placer: str | None = None,
            objective: Objective | str = Objective.TIME, sram_limit_bytes: int = 0,
            grouping_budget: int = 0, max_recompute_permille: int = 0, max_bytes: int = 0,
            max_cycles: int = 0, observe: Sequence[str] = (), flags: int = 0,
            effort: int = 2, jobs: int = 0,
            progress: Any = None, max_memory_bytes: int = 0, max_work: int = 0,
            **options: Any) -> Program:
    """Plans a network for a chip.

    model: a Graph, or an ONNX file; then options are those of Graph()
    chip: a Chip, its name or its file. Of a device: Target.chip
    grouping: strategy that groups nodes, see groupings()
    placer: strategy that places values, see placers()
    objective: "time", "bytes" or "sram": what the plan is to have the least of
    observe: names of values that can be read after a run
    flags: PlannerFlags
    effort: how many candidates are compared, from 0 to 3; a higher level is never worse
    jobs: limit on the threads that plan; the plan does not depend on it
    progress: called about every 20 ms with a record of stage, fraction, work and memory_bytes; it
        may return "stop", or "finish" for the best plan so far
    max_memory_bytes, max_work: limits, also of reading the model

    The others are those of struct loom_planner_options; 0: the default.
    """
    graph = model if isinstance(model, Graph) else Graph(
        model, progress=progress, max_memory_bytes=max_memory_bytes, max_work=max_work, **options)
    if graph is model and options:
        raise TypeError(f'{", ".join(options)}: for a model, not for a graph that is made')
    if isinstance(objective, str):
        try:
            objective = Objective[objective.upper()]
        except KeyError:
            raise ValueError(f'there is no objective {objective!r}: they are '
                             f'{", ".join(one.name.lower() for one in Objective)}') from None
    effort = operator.index(effort)
    if effort not in range(4):
        raise ValueError(f'effort is 0, 1, 2 or 3, not {effort!r}')
    chip = chip_of(chip)
    observed, num_observed = cstrings(observe)
    given = abi.loom_planner_options(
        chip=ctypes.pointer(chip._record), placer=None if placer is None else cstring(placer),
        grouping=cstring(grouping), sram_limit_bytes=sram_limit_bytes,
        grouping_budget=grouping_budget, objective=objective,
        max_recompute_permille=max_recompute_permille, max_bytes=max_bytes,
        max_cycles=max_cycles, flags=flags, effort=abi.LOOM_EFFORT_ONCE + effort, jobs=jobs,
        observe=observed, num_observe=num_observed,
        max_memory_bytes=max_memory_bytes, max_work=max_work)
    handle = graph._use()
    pointer = ctypes.POINTER(abi.loom_program)()
    with Watch(progress) as given.progress:
        call(c.loom_program_create, handle.pointer, given, pointer)
        made = Handle(pointer, c.loom_program_destroy, handle)
    program = Program.__new__(Program)
    program._handle = made
    program._pointer = pointer
    program._origin = chip, int(objective)
    return program
