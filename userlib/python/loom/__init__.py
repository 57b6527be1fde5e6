# SPDX-License-Identifier: MIT
"""Loom: neural networks on accelerators with banked memory.

    import loom

    program = loom.compile('model.onnx', chip='soft')
    print(program.figures.cycles, 'cycles')
    with program.session('host') as session:
        outputs = session.run({'x': array})

All that the library cannot do is a loom.Error, with its number and one line for a person; what is
wrong before the library is asked is a ValueError or a TypeError. Objects free what they hold when
they are closed, or when nobody has them any more. All may be used by several threads at once.

What is not here is in loom.abi (structs, enums, numbers) and loom.c (functions), by its name in C.
"""
from . import abi
from ._arrays import DType, Tensor
from ._buffer import Buffer
from ._chip import Chip, Region
from ._graph import Graph, GraphBuilder, GraphFlags, Scope
from ._library import Error, Record, c, call
from ._native import Natives
from ._place import Item, PlaceError, Placement, Pool, check_placement, place, placers
from ._program import Objective, PlannerFlags, Program, compile, groupings, join
from ._run import Device, Session, Target, memory_reports, run, run_batch
from ._submitted import Run

__version__ = c.loom_version_text().decode()

__all__ = [
    'Buffer', 'Chip', 'DType', 'Device', 'Error', 'Graph', 'GraphBuilder', 'GraphFlags', 'Item',
    'Natives', 'Objective', 'PlaceError', 'Placement', 'PlannerFlags', 'Pool', 'Program', 'Record',
    'Region', 'Run', 'Scope', 'Session', 'Target', 'Tensor', 'abi', 'c', 'call',
    'check_placement', 'compile', 'groupings', 'join', 'memory_reports', 'place', 'placers', 'run',
    'run_batch',
]

# people see the names that they write, not where a class comes from
for _name in __all__:
    _object = globals()[_name]
    if isinstance(_object, type):
        _object.__name__ = _object.__qualname__ = _name
        _object.__module__ = 'loom'
del _name, _object
