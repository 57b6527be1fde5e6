#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong inputs: each raises the right exception with one line, and nothing worse happens.

	wrong.py ONNX-MODEL
"""
import ctypes
import errno
import functools
import inspect
import operator
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

if os.environ.get('LOOM_TEST_PLAIN'):
    sys.modules['numpy'] = None
import loom  # noqa: E402
from loom import _graph, abi  # noqa: E402

MODEL = sys.argv.pop() if len(sys.argv) > 1 else ''


def relu(name='x'):
    builder = loom.Graph.build('relu')
    builder.input(name, 'f32', [4])
    builder.node('Relu', [name], 'y')
    builder.output('y')
    return builder.finish()


class Wrong(unittest.TestCase):
    def setUp(self):
        self.program = loom.compile(relu())

    def refused(self, number, line, function, *args, **kwargs):
        """By the library: its number, and its line."""
        with self.assertRaisesRegex(loom.Error, line) as caught:
            function(*args, **kwargs)
        self.assertEqual(caught.exception.errno, number, str(caught.exception))
        self.assertNotIn('\n', str(caught.exception))
        self.assertIsInstance(caught.exception, OSError)
        return caught.exception

    def test_chips(self):
        self.refused(errno.ENXIO, "no chip 'sot', did you mean 'soft'", loom.Chip, 'sot')
        self.refused(errno.ENOENT, 'no.yaml: No such file', loom.Chip, 'no.yaml')
        self.refused(errno.EINVAL, 'mine:2: memory.sram.bank', loom.Chip.parse,
                     'name: mine\nmemory: {sram: {bank: 4}}', 'mine')
        self.assertRaises(TypeError, loom.Chip, 5)
        self.assertRaises(ValueError, loom.Chip, 'a\0b')

    def test_models(self):
        self.refused(errno.ENOENT, 'no.onnx: No such file', loom.Graph, 'no.onnx')
        self.refused(errno.EINVAL, 'model', loom.Graph.parse, b'\xff' * 100)
        self.refused(errno.EINVAL, 'this', loom.Graph.parse, b'\xff', 'this')
        self.refused(errno.EINVAL, 'nothing', loom.Graph, MODEL, dims={'nothing': 1})
        self.refused(errno.EINVAL, 'nothing', loom.compile, MODEL, shapes={'nothing': [1]})
        self.assertRaises(TypeError, loom.Graph, MODEL, colour='red')
        self.assertRaises(TypeError, loom.Graph, MODEL, outputs='x')
        self.assertRaises(ValueError, loom.Graph, MODEL, shapes={'x': range(9)})

    def test_graphs(self):
        builder = loom.Graph.build('bad')
        self.refused(errno.EOPNOTSUPP, 'Foo', self.finish_node, builder, 'Foo')
        self.refused(errno.EOPNOTSUPP, 'opset 99', loom.Graph.build('g', 99).finish)
        self.refused(errno.EINVAL, "'y'|y", self.no_such_output)
        builder = loom.Graph.build('done')
        self.assertRaises(TypeError, builder.input, 'x', 'number', [1])
        self.assertRaises(TypeError, builder.node, 'Relu', 'x', 'y')
        self.assertRaises(ValueError, builder.input, 'x\0', 'f32', [1])
        builder.input('x', 'f32', [1])
        builder.node('Relu', ['x'], 'y')
        builder.output('y')
        builder.finish()
        self.assertRaisesRegex(ValueError, 'finished', builder.output, 'y')
        self.assertRaisesRegex(ValueError, 'finished', builder.finish)

    @staticmethod
    def finish_node(builder, op):
        builder.input('x', 'f32', [4])
        builder.node(op, ['x'], 'y')
        builder.output('y')
        builder.finish()

    @staticmethod
    def no_such_output():
        builder = loom.Graph.build('bad')
        builder.input('x', 'f32', [4])
        builder.output('y')
        builder.finish()

    def test_plans(self):
        graph = relu()
        self.refused(errno.EINVAL, 'grouping', loom.compile, graph, grouping='none of them')
        self.refused(errno.EINVAL, 'lacer|strategy', loom.compile, graph, placer='none of them')
        self.refused(errno.EINVAL, '', loom.compile, graph, sram_limit_bytes=1 << 40)
        self.assertRaisesRegex(ValueError, "'speed'.*time, bytes", loom.compile, graph,
                               objective='speed')
        self.assertRaises(ValueError, loom.compile, graph, max_bytes=-1)
        self.assertRaises(TypeError, loom.compile, graph, dims={'N': 1})
        error = self.refused(errno.ENOSPC, 'Relu', loom.compile, graph, sram_limit_bytes=16)
        self.assertGreater(error.short_bytes, 0)
        self.assertIn(str(error.short_bytes), str(error))
        self.refused(errno.EINVAL, "no value 'z'", loom.compile, graph, observe=['z'])
        graph.close()
        self.assertRaisesRegex(ValueError, 'graph is closed', loom.compile, graph)

    def test_inputs(self):
        session = self.program.session()
        self.refused(errno.ENODATA, "'x' was not given", session.run)
        self.refused(errno.EINVAL, r'takes \[4\]', session.run, {'x': [1, 2, 3]})
        self.refused(errno.EINVAL, "'x' takes 16 bytes, not 15", session.run, [bytes(15)])
        self.refused(errno.EINVAL, 'takes 16 bytes, not 20', session.run, [bytearray(20)])
        self.refused(errno.EINVAL, r'takes \[4\]', session.run, {'x': [[1, 2], [3, 4]]})
        self.assertRaisesRegex(ValueError, "no input 'z', but 'x'", session.run, {'z': [1] * 4})
        self.assertRaisesRegex(ValueError, '1 inputs', session.run, [[1] * 4, [1] * 4])
        self.assertRaises(IndexError, session.set_input, 1, [1] * 4)
        self.assertRaises(IndexError, session.set_input, -1, [1] * 4)
        self.assertRaises((TypeError, ValueError), session.set_input, 0, [[1], [2, 3]])
        self.assertRaises((TypeError, ValueError), session.set_input, 0, 'text')
        self.assertRaises((TypeError, ValueError), session.set_input, 0, None)
        self.assertRaises((TypeError, ValueError), session.set_input, 0, ['a'] * 4)
        # and it is as it was
        self.assertEqual(session.run([[-1, 0, 1, 2]])['y'].tolist(), [0, 0, 1, 2])

    def test_inputs_of_no_kind(self):
        """A dict or a list of inputs: not one input by itself, nor nothing."""
        session = self.program.session()
        for given in (None, 5, memoryview(bytes(16)), object()):
            with self.assertRaisesRegex(TypeError, 'by name in a dict, or in their order'):
                session.run(given)
        one = {'x': [1, 2, 3, 4]}
        self.assertEqual(list(session.run(one.values())['y']), [1, 2, 3, 4])

    def test_results(self):
        session = self.program.session()
        self.refused(errno.EINVAL, 'has not run', session.output, 'y')
        self.refused(errno.EINVAL, 'has not run', session.results)
        self.assertRaisesRegex(ValueError, "no output 'z', but 'y'", session.output, 'z')
        self.assertRaisesRegex(ValueError, 'no observed', session.observe, 'y')
        self.assertRaisesRegex(ValueError, 'no state', session.state, 'y')
        session.set_input(0, [1] * 4)
        run = session.submit()
        run.wait()
        session.close()
        session.close()
        for name in 'run', 'results', 'submit':
            with self.assertRaisesRegex(ValueError, 'the session is closed'):
                getattr(session, name)()
        with self.assertRaisesRegex(ValueError, 'closed'), session:
            pass

    def test_one_run_at_a_time(self):
        program = loom.compile(MODEL)
        session = program.session()
        session.set_input(0, program.inputs[0].random())
        run = session.submit()
        self.refused(errno.EINVAL, 'under way', session.submit)
        self.refused(errno.EINVAL, 'under way', session.run)
        self.refused(errno.EINVAL, 'under way', session.output, 0)
        run.result()
        del run, session

    def test_targets(self):
        self.refused(errno.EINVAL, "'nowhere'", loom.Target, 'nowhere')
        self.refused(errno.ENODEV, '/dev/null|device', loom.Target, '/dev/null')
        self.refused(errno.ENOENT, 'No such file', loom.Target, '/dev/accel/accel99')
        host = loom.Target('host')
        self.refused(errno.ENOTDIR, '/dev/null/x', host.dump_memory_state, '', '/dev/null/x')
        with self.assertRaisesRegex(ValueError, "slash in it: '../a'"):
            host.dump_memory_state('../a')
        with self.assertRaisesRegex(loom.Error, '/dev/null/x'):
            with loom.memory_reports('/dev/null/x'):
                self.fail('there is no such folder')
        self.assertRaisesRegex(ValueError, 'host', loom.Buffer, host, 64)
        self.assertRaisesRegex(ValueError, 'host', host.memory, loom.Region.DRAM)
        self.refused(errno.EOPNOTSUPP, 'host', self.program.session(host).bind_input, 0, None)
        host.close()
        self.assertRaisesRegex(ValueError, 'target is closed', self.program.session, host)

    def test_program_files(self):
        data = self.program.to_bytes()
        self.refused(errno.EINVAL, 'not a program file', loom.Program.parse, b'LOOM')
        self.refused(errno.EINVAL, '', loom.Program.parse, b'')
        self.refused(errno.EINVAL, 'net: ', loom.Program.parse, data[:-1], 'net')
        for at in range(0, len(data), max(len(data) // 50, 1)):
            damaged = bytearray(data)
            damaged[at] ^= 0x55
            self.refused_or_same(damaged, data)
        self.refused(errno.ENOENT, 'no.loom: No such file', loom.Program, 'no.loom')
        self.assertRaises(FileNotFoundError, self.program.save, '/nowhere/net.loom')
        other = loom.Program.parse(loom.compile(relu(), 'tiny').to_bytes())
        self.refused(errno.EXDEV, "for chip 'tiny'", other.session, loom.Target('host'))
        self.refused(errno.EXDEV, "for chip 'tiny'", other.fits, 'soft')
        other.fits('tiny')

    def refused_or_same(self, damaged, data):
        """A byte of padding may be another one, if the file is not refused for it."""
        try:
            program = loom.Program.parse(damaged)
        except loom.Error as error:
            self.assertIn(error.errno, (errno.EINVAL, errno.EBADMSG), str(error))
        else:
            self.assertEqual(program.to_bytes(), data)

    def test_places(self):
        both = [loom.Item(5, 0, 1, name='a'), loom.Item(6, 0, 1, name='b')]
        error = self.refused(errno.ENOSPC, '1 more than the capacity', loom.place, both, 10)
        self.assertIsInstance(error, loom.PlaceError)
        self.assertEqual((error.missing_bytes, error.pools), (1, [0]))
        three = [loom.Item(10, 0, 2, fixed=4), loom.Item(10, 0, 2, fixed=18), loom.Item(6, 0, 2)]
        self.assertEqual(self.refused(errno.ENOSPC, '', loom.place, three, 28).missing_bytes, 6)
        error = self.refused(errno.EBADMSG, 'share byte 4', loom.check_placement, both, [0, 4])
        self.assertEqual({error.first.name, error.second.name}, {'a', 'b'})
        self.refused(errno.EINVAL, "'best'", loom.place, both, strategy='best')
        self.refused(errno.EINVAL, '', loom.place, [loom.Item(1, 3, 3)])
        self.assertRaises(ValueError, loom.place, [loom.Item(-1, 0, 1)])
        self.assertRaises(ValueError, loom.place, [loom.Item(1 << 64, 0, 1)])
        self.assertRaises(ValueError, loom.place, [loom.Item(1, 0, 1, pools=[1])])
        self.assertRaises(ValueError, loom.check_placement, both, [0])
        self.assertRaises(TypeError, loom.place, both, 10, pools=[loom.Pool()])

    def test_batches(self):
        session = self.program.session()
        self.assertRaises(ValueError, loom.run_batch, [], [[1] * 4], 1)
        self.assertRaises(ValueError, loom.run_batch, [session, session], [[1] * 4], 1)
        self.assertRaisesRegex(ValueError, 'missing: x', loom.run_batch, [session], {}, 1)
        other = loom.compile(relu('z')).session()
        self.assertRaises(ValueError, loom.run_batch, [session, other], [[1] * 4], 1)
        self.refused(errno.EINVAL, '', loom.run_batch, [session], [bytes(16)], 3)

    def test_pictures(self):
        self.refused(errno.ENOENT, 'no.png: No such file', self.program.inputs[0].image, 'no.png')
        self.refused(errno.EINVAL, '', self.program.inputs[0].image, __file__)
        with self.assertRaises(ValueError):
            loom.Tensor('x', loom.DType.F32, (-1, 2), 0).zeros()

    def test_other_libraries(self):
        """One line says what is wrong with it."""
        for library, line in (('/nowhere/libloom.so', 'is libloom installed'),
                              ('libm.so.6', 'another version than this package')):
            run = subprocess.run([sys.executable, '-c', 'import loom'], text=True,
                                 env={**os.environ, 'LOOM_LIBRARY': library},
                                 stderr=subprocess.PIPE, check=False)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(run.stderr.splitlines()[-1], f'^ImportError: .*{line}')


@functools.total_ordering
class Index:
    """An integer that is no int, as those of NumPy."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        return self.value == operator.index(other)

    def __lt__(self, other):
        return self.value < operator.index(other)


# values that a parameter must refuse: they wrap, are negative beyond every type, or are no integers
WRONG = (2 ** 64 + 1, -2 ** 64 + 1, 2 ** 100, 1.5, '1', b'1')
ITEMS = [loom.Item(8, 0, 2, name='a'), loom.Item(8, 1, 3, name='b')]


def graph_options(name, value):
    return _graph._Options(**{name: value})


def attribute(value):
    builder = loom.Graph.build('g')
    builder.input('x', 'f32', [4])
    builder.node('Concat', ['x'], 'y', axis=value)
    builder.output('y')
    return builder.finish()


def integer_input(value):
    builder = loom.Graph.build('g')
    builder.input('x', 'i32', [2])
    builder.node('Identity', ['x'], 'y')
    builder.output('y')
    return loom.compile(builder.finish()).session().run([[value, 1]])


def session():
    made = loom.compile(relu()).session()
    made.run([[1] * 4])
    return made


def item(name, value=lambda one: one):
    return lambda one: loom.place([loom.Item(8, 0, 9),
                                   loom.Item(**{'size_bytes': 8, 'lower': 1, 'upper': 3,
                                                name: value(one)})])


def compiled(name):
    return lambda one: loom.compile(relu(), **{name: one})


def on_lanes(lanes):
    return loom.Session(loom.compile(relu(), loom.Chip('soft').part(2)), 'host', lanes)


# By parameter: a call that uses it, a value that it takes, whether -1 is one, too. None: it is no
# way into C: the library's own results, or a device is needed (40-node.sh) and the struct decides.
CALLS = {
    'Buffer.__init__ size_bytes': None,
    'Buffer.of_fd fd': None,
    'Buffer.view dims': None,
    'Chip.region region': (lambda one: loom.Chip().region(one), 0),
    'Error.__init__ errno': None,
    'Error.__init__ short_bytes': None,
    'Graph options dims': (lambda one: graph_options('dims', {'N': one}), 1, -1),
    'Graph options shapes': (lambda one: graph_options('shapes', {'x': [1, one]}), 1, -1),
    'Graph options flags': (lambda one: graph_options('flags', one), 1),
    'Graph options max_memory_bytes': (
        lambda one: graph_options('max_memory_bytes', one), 1 << 30),
    'Graph options max_work': (lambda one: graph_options('max_work', one), 1 << 40),
    'Graph.build opset': (lambda one: loom.Graph.build('g', one), 17, -1),
    'Graph.set_scope scope': (lambda one: relu().set_scope(None, one), 0),
    'GraphBuilder.__init__ opset': (lambda one: loom.Graph.build('g', one), 17, -1),
    'GraphBuilder.input dims': (lambda one: loom.Graph.build('g').input('x', 'f32', [one]), 4, -1),
    'GraphBuilder.node attributes': (attribute, 0, -1),
    'Item.__init__ size_bytes': (item('size_bytes'), 8),
    'Item.__init__ lower': (item('lower'), 1, -1),
    'Item.__init__ upper': (item('upper'), 3, -1),
    'Item.__init__ align_bytes': (item('align_bytes'), 8),
    'Item.__init__ fixed': (item('fixed'), 8),
    'Item.__init__ alias': (item('alias'), 0),
    'Item.__init__ alias_offset': (item('alias_offset'), 0),
    'Item.__init__ pools': (item('pools', lambda one: [one]), 0),
    'Item.__init__ gaps': (item('gaps', lambda one: [(one, 3)]), 2, -1),
    'Item.__init__ excluded': (item('excluded', lambda one: [(one, 99)]), 50),
    'Natives.__init__ id': (loom.Natives, 7),
    'Natives.__init__ version': (lambda one: loom.Natives(7, one), 1),
    'PlaceError.__init__ number': None,
    'Placement.__init__ offsets': None,
    'Placement.__init__ pools': None,
    'Placement.__init__ height_bytes': None,
    'Placement.__init__ bound_bytes': None,
    'Placement.__init__ nodes': None,
    'Pool.__init__ capacity_bytes': (lambda one: loom.place(ITEMS, pools=[loom.Pool(one)]), 99),
    'Pool.__init__ align_bytes': (lambda one: loom.place(ITEMS, pools=[loom.Pool(99, one)]), 8),
    'Pool.__init__ cost': (lambda one: loom.place(ITEMS, pools=[loom.Pool(99, 1, one)]), 8),
    'Program.svg first_step': (lambda one: loom.compile(relu()).svg(None, one), 0),
    'Program.svg num_steps': (lambda one: loom.compile(relu()).svg(None, 0, one), 1),
    'Session.set_input which': (lambda one: session().set_input(one, [1] * 4), 0),
    'Session.set_input value': (integer_input, 7, -1),
    'Session.output which': (lambda one: session().output(one), 0),
    'Session.observe which':
        (lambda one: loom.compile(MODEL, observe=[]).session().observe(one), None),
    'Session.input_view which': (lambda one: session().input_view(one), 0),
    'Session.output_view which': (lambda one: session().output_view(one), 0),
    'Session.bind_input which': (lambda one: session().bind_input(one, None), None),
    'Session.bind_output which': (lambda one: session().bind_output(one, None), None),
    'Chip.part lanes': (lambda one: loom.Chip('soft').part(one), 2, 1),
    'Device.__init__ lanes': None,
    'Target.__init__ lanes': (lambda one: loom.Target('host', 'soft', one), 2, 1),
    'Session.__init__ lanes': (lambda one: on_lanes(one), 2, 1),
    'Program.session lanes': None,
    'Program.session weights': None,
    'Session.__init__ weights': (lambda one: loom.compile(relu()).session(weights=[one]), None, -1),
    'Device.memory region': None,
    'Target.memory region': None,
    'Tensor.random seed': (lambda one: loom.compile(relu()).inputs[0].random(one), 7),
    'Tensor.__init__ dims':
        (lambda one: loom.Tensor('x', loom.DType.F32, (one,), 4).zeros(), 1),
    'Tensor.__init__ size_bytes': None,
    'check_placement offsets': (lambda one: loom.check_placement(ITEMS, [0, one]), 8),
    'check_placement in_pools':
        (lambda one: loom.check_placement(ITEMS, [0, 8], [0, one], pools=[loom.Pool(99)]), 0),
    'check_placement apart': (lambda one: loom.check_placement(ITEMS, [0, 8], apart=[(0, one)]), 1),
    'compile objective': (compiled('objective'), 0),
    'compile sram_limit_bytes': (compiled('sram_limit_bytes'), 4096),
    'compile grouping_budget': (compiled('grouping_budget'), 1),
    'compile max_recompute_permille': (compiled('max_recompute_permille'), 1000),
    'compile max_bytes': (compiled('max_bytes'), None),
    'compile max_cycles': (compiled('max_cycles'), None),
    'compile flags': (compiled('flags'), 0),
    'compile effort': (compiled('effort'), 2),
    'compile jobs': (compiled('jobs'), 1),
    'compile max_memory_bytes': (compiled('max_memory_bytes'), 1 << 30),
    'compile max_work': (compiled('max_work'), 1 << 40),
    'place capacity_bytes': (lambda one: loom.place(ITEMS, one), 99),
    'place apart': (lambda one: loom.place(ITEMS, apart=[(0, one)]), 1),
    'place budget': (lambda one: loom.place(ITEMS, budget=one), 9),
    'run_batch num_items': (lambda one: loom.run_batch([session()], [bytes(16)], one), None),
}


class Numbers(unittest.TestCase):
    """Integers that C does not have raise; none is cut to its low bits."""

    @staticmethod
    def parameters():
        """All of the package that take an integer, by their annotations."""
        functions = [('Graph options', _graph._Options.__init__)]
        for name in loom.__all__:
            thing = getattr(loom, name)
            if inspect.isclass(thing) and thing.__module__ != 'loom.abi':
                functions += [(f'{name}.{key}', getattr(value, '__func__', value))
                              for key, value in vars(thing).items()
                              if key == '__init__' or not key.startswith('_')]
            elif inspect.isfunction(thing) and thing.__module__ != 'loom._library':
                functions.append((name, thing))
        for name, function in functions:
            if inspect.isfunction(function):
                for one in inspect.signature(function).parameters.values():
                    if re.search(r'\bint\b|Region|Scope|Objective|Flags', str(one.annotation)):
                        yield f'{name} {one.name}'

    def test_all_parameters(self):
        """A parameter that is new has to be in the table."""
        self.assertEqual(set(self.parameters()) - set(CALLS), set())
        # values of attributes and inputs are not only integers
        self.assertEqual(set(CALLS) - set(self.parameters()),
                         {'GraphBuilder.node attributes', 'Session.set_input value'})

    def test_wrong(self):
        for name, (call, _, *lowest) in ((name, row) for name, row in CALLS.items() if row):
            for value in WRONG + (() if lowest else (-1,)):
                if name == 'GraphBuilder.node attributes' and not isinstance(value, int):
                    continue    # an attribute of another type
                with self.subTest(name, value=value):
                    with self.assertRaises((OverflowError, ValueError, TypeError, IndexError)):
                        call(value)

    def test_right(self):
        for name, (call, good, *_) in ((name, row) for name, row in CALLS.items() if row):
            if good is not None:
                with self.subTest(name):
                    call(good)
                    call(Index(good))

    def test_kinds(self):
        """Too large is OverflowError, and ValueError for those who expect that."""
        for kind in OverflowError, ValueError:
            with self.assertRaisesRegex(kind, f'value is from -{2 ** 63} to .*, not {2 ** 64}'):
                loom.Graph(MODEL, dims={'N': 2 ** 64})
        self.assertRaises(TypeError, loom.Graph, MODEL, dims={'N': 1.0})

    def test_structs(self):
        """Every field of every struct, and every parameter of every function."""
        fields = arrays = 0
        for kind in vars(abi).values():
            if not (inspect.isclass(kind) and issubclass(kind, ctypes.Structure)):
                continue
            for field, of, *_ in getattr(kind, '_fields_', ()):
                one = kind()
                if issubclass(of, ctypes.Array):
                    of, target, at = of._type_, getattr(one, field), 0
                    if issubclass(of, ctypes.Array) or not self.is_integer(of):
                        continue
                    arrays += 1
                    for value in self.outside(of):
                        self.assertRaises(OverflowError, target.__setitem__, at, value)
                        self.assertRaises(OverflowError, target.__setitem__, slice(0, 1), [value])
                        self.assertRaises(OverflowError, type(target), value)
                elif self.is_integer(of):
                    fields += 1
                    for value in self.outside(of):
                        self.assertRaises(OverflowError, setattr, one, field, value)
                        self.assertRaises(OverflowError, kind, **{field: value})
        self.assertGreater(fields, 300)
        self.assertGreater(arrays, 10)

    def test_functions(self):
        numbers = 0
        for name, (_, arguments, _) in abi.FUNCTIONS.items():
            for i, kind in enumerate(arguments):
                if not self.is_integer(kind) or not issubclass(kind, ctypes._SimpleCData):
                    continue
                numbers += 1
                # it is refused before C sees the others
                for value in (*self.outside(kind), 1.0):
                    given = [0] * len(arguments)
                    given[i] = value
                    self.assertRaises(TypeError if value == 1.0 else OverflowError,
                                      getattr(loom.c, name), *given)
        self.assertGreater(numbers, 50)

    @staticmethod
    def is_integer(kind):
        return getattr(kind, '_type_', '') in tuple('bBhHiIlLqQ')

    @staticmethod
    def outside(kind):
        bits = 8 * ctypes.sizeof(kind)
        lowest = -1 << bits - 1 if kind(-1).value < 0 else 0
        return lowest - 1, lowest + (1 << bits), 2 ** 64 + 1


class Files(unittest.TestCase):
    """Program.save() raises what open() does; files, links and devices are host/file/save.c's."""

    def test_refusals(self):
        program = loom.compile(relu())
        with tempfile.TemporaryDirectory() as folder:
            self.assertRaises(IsADirectoryError, program.save, folder)
            self.assertRaises(FileNotFoundError, program.save, os.path.join(folder, 'none/net'))
            os.symlink('loop', os.path.join(folder, 'loop'))
            with self.assertRaises(OSError) as caught:
                program.save(os.path.join(folder, 'loop'))
            self.assertEqual(caught.exception.errno, errno.ELOOP)


class Stopped(unittest.TestCase):
    """compile() with progress, limits, and signals."""

    def compile(self, **options):
        graph = loom.Graph.build()
        graph.input('x', 'f32', (1, 8, 32, 32))
        for i in range(40):
            graph.node('Softmax' if i % 4 == 1 else 'Relu', [f'y{i - 1}' if i else 'x'], f'y{i}')
        graph.output('y39')
        return loom.compile(graph.finish(), **options)

    def test_progress(self):
        seen = []
        self.compile(progress=seen.append).close()
        self.assertTrue(seen and all(0 <= one.fraction <= 1 for one in seen))
        self.compile(progress=lambda _: 'finish').close()
        for progress, error in (lambda _: 'stop', loom.Error), (lambda _: 1 / 0, ZeroDivisionError):
            self.assertRaises(error, self.compile, progress=progress)

    def test_interrupt(self):
        # a shell ignores the signal for what it runs in the background
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

        def progress(_):
            signal.raise_signal(signal.SIGINT)
        self.assertRaises(KeyboardInterrupt, self.compile, progress=progress)

    def test_limits(self):
        for limit, number in ('max_work', errno.ETIME), ('max_memory_bytes', errno.ENOMEM):
            with self.assertRaises(loom.Error) as caught:
                self.compile(**{limit: 1000})
            self.assertEqual(caught.exception.errno, number)
            self.assertIn('limit of 1000', str(caught.exception))


if __name__ == '__main__':
    unittest.main(verbosity=0)
