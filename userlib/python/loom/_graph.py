# SPDX-License-Identifier: MIT
"""Graphs: networks that are ready to be planned."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import abi
from ._arrays import DType, Tensor, dtype, lend, lend_all, tensor
from ._library import Closeable, Handle, Watch, c, call, cpath, cstring, cstrings, take
from ._native import Natives
from ._numbers import integers

GraphFlags = abi.loom_graph_flags
Scope = abi.loom_scope


class _Options:
    """struct loom_graph_options, and all that it points to."""

    def __init__(self, dims: Mapping[str, int] | None = None,
                 shapes: Mapping[str, Sequence[int]] | None = None,
                 outputs: Sequence[str] = (), values: Mapping[str, Any] | None = None,
                 constants: Mapping[str, Any] | None = None,
                 states: Mapping[str, str] | None = None, flags: int = 0, progress: Any = None,
                 max_memory_bytes: int = 0, max_work: int = 0,
                 natives: Natives | None = None) -> None:
        self.watch = Watch(progress)
        self.natives = natives._use() if natives else None
        self.record = options = abi.loom_graph_options(
            flags=flags, max_memory_bytes=max_memory_bytes, max_work=max_work)
        bound = [abi.loom_dim_binding(cstring(name), size) for name, size in (dims or {}).items()]
        options.dims, options.num_dims = _structs(abi.loom_dim_binding, bound)
        options.shapes, options.num_shapes = _structs(
            abi.loom_shape_binding, [_shape(name, dims) for name, dims in (shapes or {}).items()])
        options.outputs, options.num_outputs = cstrings(outputs)
        self.values = lend_all(dict(values or {}))
        options.values, options.num_values = self.values
        self.constants = lend_all(dict(constants or {}))
        options.constants, options.num_constants = self.constants
        options.states, options.num_states = _structs(
            abi.loom_state_binding,
            [abi.loom_state_binding(cstring(output), cstring(name))
             for output, name in (states or {}).items()])

        if self.natives:
            options.natives = self.natives.pointer

    def call(self, function: Any, *args: Any) -> None:
        """Calls a function that takes the record, and may be stopped."""
        with self.watch as self.record.progress:
            call(function, *args)


def _structs(kind: Any, found: list[Any]) -> Any:
    return (kind * len(found))(*found), len(found)


def _shape(name: str, dims: Sequence[int]) -> abi.loom_shape_binding:
    if len(dims) > abi.LOOM_GRAPH_RANK:
        raise ValueError(f'a tensor has at most {abi.LOOM_GRAPH_RANK} dimensions')
    shape = abi.loom_shape_binding(cstring(name), len(dims))
    shape.dims[:len(dims)] = list(dims)
    return shape


class Graph(Closeable):
    """A network, ready to be planned, from an ONNX or TensorFlow Lite file. See also Graph.build().

    What the model leaves open is said by name:

    dims: sizes of symbolic dimensions; "input:axis" for one without a name
    shapes: whole shapes of inputs
    outputs: tensors to be outputs besides the model's own
    values: values of inputs that a shape depends on
    constants: inputs that become constants, and their values
    states: outputs that are inputs of the next run: {output: input}
    flags: GraphFlags
    natives: Natives, for operators that only the device understands
    progress, max_memory_bytes, max_work: as of compile()
    """

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        given = _Options(**options)
        pointer = ctypes.POINTER(abi.loom_graph)()
        given.call(c.loom_graph_import, cpath(path), given.record, pointer)
        self._handle = Handle(pointer, c.loom_graph_destroy, given.natives)

    @classmethod
    def parse(cls, model: bytes, name: str = 'model', **options: Any) -> Graph:
        """The same from the bytes of a file. name: stands for the file in errors."""
        given = _Options(**options)
        pointer = ctypes.POINTER(abi.loom_graph)()
        view = memoryview(model)
        given.call(c.loom_graph_import_bytes, bytes(view), view.nbytes, cstring(name),
                   given.record, pointer)
        return cls._of(Handle(pointer, c.loom_graph_destroy, given.natives))

    @classmethod
    def _of(cls, handle: Handle) -> Graph:
        graph = cls.__new__(cls)
        graph._handle = handle
        return graph

    @staticmethod
    def build(name: str = 'graph', opset: int = 17) -> GraphBuilder:
        """An empty graph, to be built by calls. opset: version of ONNX operators."""
        return GraphBuilder(name, opset)

    @staticmethod
    def declared(path: str | os.PathLike[str]) -> list[Tensor]:
        """The inputs as a model declares them; open dimensions are -1."""
        pointer = ctypes.POINTER(abi.loom_graph)()
        call(c.loom_graph_open, cpath(path), pointer)
        handle = Handle(pointer, c.loom_graph_destroy)
        found = []
        for i in range(c.loom_graph_num_declared(handle.pointer)):
            info = abi.loom_tensor_info()
            dim_names = (ctypes.c_char_p * abi.LOOM_GRAPH_RANK)()
            call(c.loom_graph_declared, handle.pointer, i, info, dim_names, ctypes.c_bool())
            found.append(tensor(info))
        return found

    @property
    def inputs(self) -> list[Tensor]:
        """What has to be fed."""
        handle = self._use()
        return _tensors(handle, c.loom_graph_num_inputs, c.loom_graph_input)

    @property
    def outputs(self) -> list[Tensor]:
        """What comes out."""
        handle = self._use()
        return _tensors(handle, c.loom_graph_num_outputs, c.loom_graph_output)

    def set_scope(self, name: str | None, scope: Scope) -> None:
        """What kind of storage a value wants; None: all that nodes compute."""
        self._call(c.loom_graph_set_scope, None if name is None else cstring(name), scope)

    def dump(self) -> str:
        """The graph as text, the same for the same graph."""
        text = ctypes.POINTER(ctypes.c_char)()
        self._call(c.loom_graph_dump, text)
        return take(text).decode(errors='replace')

    def __repr__(self) -> str:
        if self.closed:
            return '<loom.Graph, closed>'
        return (f'<loom.Graph {", ".join(map(str, self.inputs))} -> '
                f'{", ".join(map(str, self.outputs))}>')


def _tensors(handle: Handle, count: Any, get: Any) -> list[Tensor]:
    found = []
    for i in range(count(handle.pointer)):
        info = abi.loom_tensor_info()
        call(get, handle.pointer, i, info)
        found.append(tensor(info))
    return found


class GraphBuilder:
    """A graph that is being built. Operators are those of ONNX, names tie them together, and nodes
    may come in any order. The first error is raised by the call that made it, or by finish().
    """

    def __init__(self, name: str, opset: int) -> None:
        pointer = ctypes.POINTER(abi.loom_graph)()
        call(c.loom_graph_create, cstring(name), opset, pointer)
        self._handle: Handle | None = Handle(pointer, c.loom_graph_destroy)

    def _call(self, function: Any, *args: Any) -> None:
        if self._handle is None:
            raise ValueError('the graph is finished')
        status = function(self._handle.pointer, *args)
        if status < 0:
            # the first error sticks, and finish() has its line
            self.finish()

    def input(self, name: str, kind: Any, dims: Sequence[int]) -> str:
        """Declares an input. kind: a DType, its name ("f32"), or NumPy's. Gives its name."""
        shape = _shape(name, dims)
        info = abi.loom_tensor_info(shape.input, dtype(kind), shape.rank, shape.dims)
        self._call(c.loom_graph_add_input, info)
        return name

    def constant(self, name: str, value: Any) -> str:
        """Adds a constant: an array, or lists of numbers, which become f32. Gives its name."""
        self._call(c.loom_graph_add_const, lend(value, name, _like(value)))
        return name

    def node(self, op: str, inputs: Sequence[str], outputs: str | Sequence[str], *,
             name: str | None = None, **attributes: Any) -> Any:
        """Adds a node. inputs: names, "" for one left out. attributes: those of ONNX: an int, a
        float, a str, lists of them, or an array. Gives outputs.
        """
        ins, num_ins = cstrings(inputs)
        results, num_results = cstrings([outputs] if isinstance(outputs, str) else outputs)
        attrs = [_attribute(key, value) for key, value in attributes.items()]
        desc = abi.loom_node_desc(
            name=None if name is None else cstring(name), op_type=cstring(op), inputs=ins,
            num_inputs=num_ins, outputs=results, num_outputs=num_results,
            attrs=(abi.loom_attr * len(attrs))(*attrs), num_attrs=len(attrs))
        self._call(c.loom_graph_add_node, desc)
        return outputs

    def output(self, name: str) -> None:
        """Makes a tensor an output."""
        self._call(c.loom_graph_add_output, cstring(name))

    def finish(self, **options: Any) -> Graph:
        """The graph, ready to be planned. options: as of Graph()."""
        if self._handle is None:
            raise ValueError('the graph is finished')
        given = _Options(**options)
        given.call(c.loom_graph_finish, self._handle.pointer, given.record)
        self._handle.keep[0] = given.natives
        graph, self._handle = Graph._of(self._handle), None
        return graph


def _like(value: Any) -> Tensor | None:
    """What lists of numbers become; arrays have a type."""
    if isinstance(value, (list, tuple, int, float)):
        return Tensor('', DType.F32, (), 0)
    return None


def _attribute(name: str, value: Any) -> abi.loom_attr:
    attr = abi.loom_attr(name=cstring(name), count=1)
    if isinstance(value, str):
        attr.type, attr.string = abi.LOOM_ATTR_STRING, cstring(value)
        return attr
    if hasattr(value, '__array__') and getattr(value, 'shape', ()) != ():
        attr.type, attr.tensor = abi.LOOM_ATTR_TENSOR, ctypes.pointer(lend(value))
        return attr
    several = isinstance(value, (list, tuple))
    items = list(value) if several else [value]
    attr.count = len(items)
    if items and all(isinstance(item, str) for item in items):
        attr.type = abi.LOOM_ATTR_STRINGS
        attr.strings, _ = cstrings(items)
    elif any(isinstance(item, float) or not hasattr(item, '__index__') for item in items):
        attr.type = abi.LOOM_ATTR_FLOATS if several else abi.LOOM_ATTR_FLOAT
        attr.floats = (ctypes.c_float * len(items))(*items)
    else:
        attr.type = abi.LOOM_ATTR_INTS if several else abi.LOOM_ATTR_INT
        attr.ints = integers(ctypes.c_int64, items)
    return attr
