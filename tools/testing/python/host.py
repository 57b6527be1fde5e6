#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package on the host: what is computed, in all the ways that there are to say it.

	host.py ONNX-MODEL	LOOM_TEST_PLAIN: as if there were no NumPy
"""
import array
import asyncio
import csv
import os
import select
import sys
import tempfile
import threading
import unittest

if os.environ.get('LOOM_TEST_PLAIN'):
    sys.modules['numpy'] = None
import loom  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

MODEL = sys.argv.pop() if len(sys.argv) > 1 else ''
X = [[1, 2, 3], [-1, 0, 1]]
Y = [[4.5, 5, 0, 0], [0.5, 1, 1, 0]]


def layers():
    """y = Relu(x W + b), its nodes in no order."""
    builder = loom.Graph.build('layers')
    builder.output('y')
    builder.node('Relu', ['sum'], 'y')
    builder.node('Add', ['xw', 'b'], ['sum'], name='bias')
    builder.node('MatMul', ['x', 'w'], 'xw')
    builder.input('x', loom.DType.F32, (2, 3))
    builder.constant('b', [0.5, 0, 1, 0])
    builder.constant('w', [[1, 0, -1, 2], [0, 1, 0, -2], [1, 1, -1, 0]])
    return builder.finish()


def node(op, dims, kind='f32', **attributes):
    builder = loom.Graph.build(op)
    builder.input('x', kind, dims)
    builder.node(op, ['x'], 'y', **attributes)
    builder.output('y')
    return builder.finish()


def natives(cycles=lambda part: 5 * part.operands[0].dims[1]):
    """y = Double x, whose columns may be cut."""
    def infer(node):
        node.result = node.inputs[0]

    def cut(node, how):
        how.axes = 2
        for i in range(2):
            how.inputs[0].axes[i].follow = loom.abi.LOOM_NATIVE_SAME
            how.inputs[0].axes[i].axis = i

    made = loom.Natives(0x1234)
    made.add(['test.Double'], infer, cycles, lambda part: b'doubles', cut)
    return made


class Native(unittest.TestCase):
    def graph(self, **options):
        builder = loom.Graph.build('native')
        builder.input('x', 'f32', (4, 600))
        builder.node('test.Double', ['x'], 'y')
        builder.output('y')
        return builder.finish(**options)

    def test_plans(self):
        program = loom.compile(self.graph(natives=natives()), chip='tiny', sram_limit_bytes=1024)
        self.assertGreaterEqual(program.figures.cycles, 5 * 600)
        self.assertGreater(program.dump().count('native t'), 4)
        with self.assertRaisesRegex(loom.Error, '0x1234'):
            program.session('host')

    def test_refused(self):
        self.assertRaisesRegex(loom.Error, 'Double is not supported', self.graph)
        empty = loom.Natives(1)
        self.assertRaisesRegex(loom.Error, '0 operators', empty.add, [], None, None, None)


class Run(unittest.TestCase):
    def test_plain_or_numpy(self):
        """The test means what it says."""
        self.assertEqual(numpy is None, bool(os.environ.get('LOOM_TEST_PLAIN')))

    def test_built(self):
        graph = layers()
        self.assertEqual([str(one) for one in graph.inputs + graph.outputs],
                         ['x f32 [2, 3]', 'y f32 [2, 4]'])
        for chip in 'soft', 'tiny', 'blackhole', 'bm1684x':
            self.assertEqual(loom.run(graph, {'x': X}, chip=chip)['y'].tolist(), Y)

    def test_forms_of_inputs(self):
        """Lists, flat buffers, bytes, shaped views, by name and by index."""
        flat = array.array('f', [value for row in X for value in row])
        shaped = memoryview(flat).cast('B').cast('f', [2, 3])
        with loom.compile(layers()).session() as session:
            for value in X, flat, shaped, bytes(flat), bytearray(flat), memoryview(bytes(flat)):
                for given in {'x': value}, [value], (value,):
                    self.assertEqual(session.run(given)['y'].tolist(), Y)
            # inputs that were set stay
            self.assertEqual(session.run()['y'].tolist(), Y)
            session.set_input(0, [[0, 0, 0], [0, 0, 0]])
            self.assertEqual(session.run()['y'].tolist(), [[0.5, 0, 1, 0]] * 2)

    @unittest.skipIf(numpy is None, 'no numpy')
    def test_numpy(self):
        with loom.compile(layers()).session() as session:
            x = numpy.array(X, 'f')
            for value in x, x.astype('>f4'), numpy.asfortranarray(x), numpy.repeat(x, 2, 1)[:, ::2]:
                y = session.run([value])['y']
                self.assertEqual(y.tolist(), Y)
            self.assertEqual((y.dtype, y.shape), (numpy.dtype('f4'), (2, 4)))
            before = y.copy()
            session.run([x * 0])
            self.assertTrue((before == y).all(), 'a result is the caller\'s own')

    def test_types(self):
        """Each type of elements goes in and comes out as it is."""
        for kind, sample in (('f32', [0.5, -2]), ('f16', [0.5, -2]), ('i8', [-128, 127]),
                             ('u8', [0, 255]), ('i32', [-1 << 31, (1 << 31) - 1]),
                             ('i64', [-1 << 40, 1 << 40]), ('bool', [True, False])):
            graph = node('Flatten', [2, 1], kind)
            out = loom.run(graph, [[[value] for value in sample]])['y']
            if numpy is None and kind == 'f16':
                self.assertEqual((out.format, bytes(out)), ('H', b'\x00\x38\x00\xc0'))
            else:
                self.assertEqual(out.tolist(), [[value] for value in sample], kind)

    def test_no_elements_and_no_dimensions(self):
        out = loom.run(node('Relu', []), [-3.0])['y']
        self.assertEqual(bytes(out), bytes(4))
        out = loom.run(node('Relu', [0, 4]), [b''])['y']
        self.assertEqual(out.nbytes, 0)

    def test_attributes(self):
        x = [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]
        graph = node('MaxPool', [1, 1, 3, 3], kernel_shape=[2, 2], strides=[1, 1], auto_pad='VALID')
        self.assertEqual(loom.run(graph, [x])['y'].tolist(), [[[[5, 6], [8, 9]]]])
        graph = node('LeakyRelu', [2], alpha=0.5)
        self.assertEqual(loom.run(graph, [[-2, 2]])['y'].tolist(), [-1, 2])
        graph = node('Transpose', [1, 2], perm=(1, 0))
        self.assertEqual(loom.run(graph, [[[1, 2]]])['y'].tolist(), [[1], [2]])

    def test_join(self):
        programs = []
        for rows in 3, 1:
            builder = loom.Graph.build()
            builder.input('x', 'f32', [rows, 2])
            builder.input('before', 'f32', [1, 2])
            builder.constant('w', [[1.0, 2.0], [3.0, 4.0]])
            builder.constant('axes', array.array('q', [0]))
            builder.node('MatMul', ['x', 'w'], ['y'])
            builder.node('ReduceSum', ['y', 'axes'], ['sum'])
            builder.node('Add', ['before', 'sum'], ['after'])
            builder.output('after')
            programs.append(loom.compile(builder.finish(states={'after': 'before'})))
        data = loom.join(programs)
        first, second = loom.Program.parse(data).programs
        self.assertEqual(first.inputs[0].dims, (3, 2))
        self.assertEqual(second.inputs[0].dims, (1, 2))
        with first.session() as many, many.beside(second, share_states=True) as one:
            many.run({'x': [[1, 0], [0, 1], [0, 0]]})
            self.assertEqual(one.run({'x': [[1, 1]]})['after'].tolist(), [[8, 12]])
            with many.beside(first) as other:
                after = other.run({'x': [[1, 0], [0, 0], [0, 0]]})['after']
                self.assertEqual(after.tolist(), [[1, 2]])
            self.assertEqual(many.run({'x': [[0, 0]] * 3})['after'].tolist(), [[8, 12]])
        with self.assertRaisesRegex(loom.Error, 'not of one file'):
            programs[0].session().beside(second)
        with self.assertRaisesRegex(loom.Error, 'memory of this process'):
            programs[0].session().export_weights()
        with self.assertRaisesRegex(loom.Error, 'no buffers to share'):
            programs[0].session(weights=[0])
        with self.assertRaises(ValueError):
            loom.join([])
        self.assertEqual(programs[0].programs, [programs[0]])

    def test_states(self):
        builder = loom.Graph.build('sum')
        builder.input('x', 'f32', [2])
        builder.input('before', 'f32', [2])
        builder.node('Add', ['x', 'before'], 'after')
        builder.output('after')
        program = loom.compile(builder.finish(states={'after': 'before'}))
        self.assertEqual(program.states, {'after': 'before'})
        with program.session() as session:
            for i in range(1, 4):
                self.assertEqual(session.run({'x': [1, 2]})['after'].tolist(), [i, 2 * i])
            self.assertEqual(session.state('after').tolist(), [3, 6])
            session.set_state('after', [10, 20])
            self.assertEqual(session.run()['after'].tolist(), [11, 22])
            session.reset_states()
            self.assertEqual(session.run()['after'].tolist(), [1, 2])
            self.assertGreater(session.moved.kept_bytes, 0)

    def test_observed(self):
        builder = loom.Graph.build('two')
        builder.input('x', 'f32', [2])
        builder.node('Relu', ['x'], 'positive')
        builder.node('Neg', ['positive'], 'y')
        builder.output('y')
        program = loom.compile(builder.finish(), observe=['positive'])
        with program.session() as session:
            session.run([[-1, 2]])
            self.assertEqual(session.observe('positive').tolist(), [0, 2])

    def test_batch(self):
        program = loom.compile(layers())
        flat = array.array('f', [value for row in X for value in row] * 5)
        batch = memoryview(flat).cast('B').cast('f', [10, 3])
        sessions = [program.session(), program.session()]
        self.assertEqual(loom.run_batch(sessions, [batch], 5)['y'].tolist(), Y * 5)


class Asynchronous(unittest.TestCase):
    def test_submit(self):
        program = loom.compile(MODEL)
        x = program.inputs[0].random(3)
        name = program.outputs[0].name
        with program.session() as session:
            want = bytes(session.run([x])[name])
            run = session.submit([x])
            self.assertEqual(select.select([run], [], [], 60)[0], [run])
            self.assertTrue(run.done() and run.wait(0))
            self.assertEqual(bytes(run.result()[name]), want)
            self.assertIs(run.result(), run.result())
            run = session.submit()
            self.assertEqual(bytes(run.result(60)[name]), want)
            late = session.submit()
            late.wait()
            session.run()
            with self.assertRaisesRegex(ValueError, 'has run again'):
                late.result()

    def test_asyncio(self):
        program = loom.compile(MODEL)
        inputs = [program.inputs[0].random(seed) for seed in range(3)]
        name = program.outputs[0].name
        sessions = [program.session() for _ in inputs]

        async def main():
            return await asyncio.gather(*(session.run_async([x])
                                          for session, x in zip(sessions, inputs)))
        for x, found in zip(inputs, asyncio.run(main())):
            self.assertEqual(bytes(found[name]), bytes(sessions[0].run([x])[name]))

    def test_threads(self):
        """One session by four threads, which take turns; one graph is planned by four."""
        graph, wrong = layers(), []

        def work(session, factor):
            for _ in range(50):
                got = session.run([[[factor, 0, 0], [0, 0, 0]]])['y'].tolist()
                if got[0] != [factor + 0.5, 0, max(1 - factor, 0), 2 * factor]:
                    wrong.append(got)
            if bytes(loom.compile(graph).plan) != plan:
                wrong.append('another plan')

        plan = loom.compile(graph).plan
        with loom.compile(graph).session() as session:
            threads = [threading.Thread(target=work, args=(session, i)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_closed_while_it_runs(self):
        """What a run needs is there until it has ended, whatever is closed meanwhile."""
        program = loom.compile(MODEL)
        x = program.inputs[0].random()
        session = program.session()
        want = bytes(session.run([x])[program.outputs[0].name])
        run = session.submit([x])
        program.close()
        self.assertEqual(bytes(run.result()[session.outputs[0].name]), want)
        run = session.submit()
        session.close()
        with self.assertRaisesRegex(ValueError, 'the session is closed'):
            run.result()

    def test_closed_while_it_is_asked(self):
        """What is closed by one thread while another asks it answers, or says that it is closed."""
        wrong, graph = [], layers()

        def ask(*objects):
            try:
                while True:
                    for one in objects:
                        repr(one)
                        for name in 'name', 'figures', 'plan', 'inputs':
                            getattr(one, name, None)
            except ValueError as error:
                if 'closed' not in str(error):
                    wrong.append(error)

        for _ in range(50):
            program, target = loom.compile(graph), loom.Target('host')
            threads = [threading.Thread(target=ask, args=(one,)) for one in (program, target)]
            for thread in threads:
                thread.start()
            program.close()
            target.close()
            for thread in threads:
                thread.join(60)
                self.assertFalse(thread.is_alive())
        self.assertEqual(wrong, [])

    def test_lanes(self):
        """A partition gives the bits that all lanes give, and takes no program for all."""
        builder = loom.Graph.build('small')
        builder.input('x', 'f32', [64, 4])
        builder.node('Exp', ['x'], 'y')
        builder.output('y')
        graph = builder.finish()
        target = loom.Target('host', 'soft', lanes=3)
        self.assertEqual(target.chip.lanes, 3)
        whole, part = loom.compile(graph, 'soft'), loom.compile(graph, target.chip)
        array = whole.inputs[0].random(1)
        with whole.session() as one, part.session(target) as other, part.session('host', 3) as own:
            want = bytes(memoryview(one.run([array])['y']))
            for session in other, own:
                self.assertEqual(bytes(memoryview(session.run([array])['y'])), want)
        with tempfile.TemporaryDirectory() as folder:
            whole.save(os.path.join(folder, 'net.loom'))
            saved = loom.Program(os.path.join(folder, 'net.loom'))
            self.assertRaisesRegex(loom.Error, 'lanes|banks', saved.session, target)
        self.assertRaises(ValueError, part.session, target, 3)

    def test_memory_reports(self):
        """Files now, and rows for each program that is loaded in between."""
        def plans(folder):
            path = os.path.join(folder, 'memory_usage_summary.csv')
            with open(path, encoding='utf-8') as file:
                return {row['plan'] for row in csv.DictReader(file)}

        builder = loom.Graph.build('small')
        builder.input('x', 'f32', [4])
        builder.node('Relu', ['x'], 'y')
        builder.output('y')
        program = loom.compile(builder.finish())
        with tempfile.TemporaryDirectory() as folder:
            outer, inner = os.path.join(folder, 'outer'), os.path.join(folder, 'inner')
            with loom.memory_reports(outer):
                with loom.memory_reports(inner), program.session():
                    pass
                with program.session(), program.session():
                    pass
            program.session().close()
            self.assertEqual((len(plans(inner)), len(plans(outer))), (1, 2))
            loom.Device('host').dump_memory_state('now-', folder)
            now = os.path.join(folder, 'now-detailed_memory_usage.csv')
            with open(now, encoding='utf-8') as file:
                self.assertEqual({row['plan'] for row in csv.DictReader(file)}, {'0'})
            self.assertEqual(len(os.listdir(folder)), 5)

    def test_progress(self):
        """It is called, and what it raises ends the run."""
        builder = loom.Graph.build('large')
        builder.input('x', 'f32', [2560, 2560])
        builder.node('MatMul', ['x', 'x'], 'y')
        builder.output('y')
        program = loom.compile(builder.finish())
        called = []

        def stop(done, total):
            called.append((done, total))
            raise InterruptedError('enough')
        with program.session() as session:
            x = program.inputs[0].zeros()
            with self.assertRaisesRegex(InterruptedError, 'enough'):
                for _ in range(1000):
                    session.run([x], progress=stop)
            self.assertEqual(len(called), 1)
            self.assertLessEqual(called[0][0], called[0][1])


class Files(unittest.TestCase):
    def test_program_file(self):
        program = loom.compile(MODEL, 'tiny', objective='bytes')
        x = program.inputs[0].random()
        name = program.outputs[0].name
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'net.loom')
            program.save(path)
            program.save(path)
            self.assertEqual(os.listdir(folder), ['net.loom'])
            with open(path, 'rb') as file:
                data = file.read()
            loaded = loom.Program(path)
        parsed = loom.Program.parse(data)
        del data
        want = bytes(program.session().run([x])[name])
        for one in loaded, parsed:
            self.assertEqual(one.to_bytes(), program.to_bytes())
            self.assertEqual((one.chip, one.objective), (program.chip, loom.Objective.BYTES))
            self.assertEqual((one.inputs, one.outputs), (program.inputs, program.outputs))
            self.assertEqual(bytes(one.session().run([x])[name]), want)
            self.assertEqual(bytes(loom.run(one, [x])[name]), want)

    def test_figures_are_those_of_a_run(self):
        program = loom.compile(MODEL, 'soft')
        with program.session() as session:
            session.run([program.inputs[0].random()])
            counters = session.counters
        for name in 'macs', 'cycles', 'dram_read_bytes', 'dram_write_bytes', 'commands', 'steps':
            self.assertEqual(counters[name], program.figures[name], name)
        self.assertGreaterEqual(program.figures.cycles, program.least.relaxed_cycles)
        self.assertGreater(program.least.relaxed_cycles, 0)
        self.assertEqual(sum(group.cycles for group in program.groups), program.figures.cycles)
        self.assertEqual(dict(program.figures)['steps'], program.figures.steps)

    def test_texts(self):
        program = loom.compile(layers())
        self.assertIn('<svg', program.svg('a title'))
        self.assertIn('traceEvents', program.trace())
        self.assertIn('steps', program.dump())
        self.assertIn('MatMul', layers().dump())
        self.assertEqual(program.plan[:4], b'LOOM')

    def test_graph_from_bytes(self):
        with open(MODEL, 'rb') as file:
            data = file.read()
        for form in data, bytearray(data), memoryview(data):
            self.assertEqual(loom.Graph.parse(form, os.path.basename(MODEL)).dump(),
                             loom.Graph(MODEL).dump())
        self.assertEqual(len(loom.Graph.declared(MODEL)), len(loom.Graph(MODEL).inputs))

    def test_chips(self):
        self.assertEqual(loom.Chip.names()[0], 'soft')
        for name in loom.Chip.names():
            chip = loom.Chip(name)
            self.assertEqual(loom.Chip.parse(chip.yaml()), chip)
            self.assertEqual((chip.name, chip.record().name), (name, name))
            self.assertEqual(chip.lanes, chip.region(loom.Region.SRAM).banks)
        mine = loom.Chip.parse('name: mine\nextends: soft\nmemory: {sram: {banks: 4}}\n')
        self.assertEqual((mine.name, mine.lanes), ('mine', 4))
        self.assertNotEqual(mine, loom.Chip())

    def test_strategies(self):
        self.assertIn('layergroup', loom.groupings())
        self.assertIn('exact', loom.placers())


class Views(unittest.TestCase):
    def test_in_place(self):
        program = loom.compile(layers())
        session = program.session()
        x, y = session.input_view('x'), session.output_view('y')
        flat = array.array('f', [value for row in X for value in row])
        memoryview(x).cast('B')[:] = memoryview(flat).cast('B')
        session.run_only()
        self.assertEqual(y.tolist(), Y)
        self.assertEqual((session.moved.in_bytes, session.moved.out_bytes), (0, 0))
        # they keep the memory, whatever is closed
        session.close()
        program.close()
        del session, program
        self.assertEqual(y.tolist(), Y)
        memoryview(x).cast('B')[:] = bytes(24)

    def test_pictures(self):
        builder = loom.Graph.build('picture')
        builder.input('x', 'u8', [1, 2, 3, 3])
        builder.node('Flatten', ['x'], 'y')
        builder.output('y')
        tensor = builder.finish().inputs[0]
        with tempfile.NamedTemporaryFile(suffix='.ppm') as file:
            file.write(b'P6\n3 2\n255\n' + bytes(range(18)))
            file.flush()
            self.assertEqual(bytes(tensor.image(file.name)), bytes(range(18)))


class Placing(unittest.TestCase):
    def test_place(self):
        items = [loom.Item(6144, 0, 2, 64), loom.Item(2048, 1, 4, 64), loom.Item(2048, 2, 5, 64),
                 loom.Item(4096, 3, 6, 4096), loom.Item(1024, 5, 7, 64)]
        found = loom.place(items)
        self.assertEqual((found.height_bytes, found.proved), ([8192], True))
        loom.check_placement(items, found.offsets)
        self.assertEqual(loom.place(items, 8192, fit_only=True).height_bytes, [8192])

    def test_all_that_an_item_can_say(self):
        items = [loom.Item(64, 0, 9, fixed=128, pools=[0]),
                 loom.Item(64, 0, 9, excluded=[(0, 128)], pools=[0]),
                 loom.Item(256, 0, 9, gaps=[(3, 6)]), loom.Item(200, 3, 6),
                 loom.Item(16, 0, 9, alias=0, alias_offset=16), loom.Item(8, 0, 9, pools=[1])]
        pools = [loom.Pool(512), loom.Pool(64, cost=1)]
        found = loom.place(items, pools=pools)
        loom.check_placement(items, found.offsets, found.pools, pools=pools)
        self.assertEqual((found.offsets[0], found.offsets[4], found.pools[5]), (128, 144, 1))
        self.assertGreaterEqual(found.offsets[1], 128)


if __name__ == '__main__':
    unittest.main(verbosity=0)
