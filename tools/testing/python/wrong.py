#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong inputs: each raises the right exception with one line, and nothing worse happens.

	wrong.py ONNX-MODEL
"""
import errno
import os
import subprocess
import sys
import unittest

if os.environ.get('LOOM_TEST_PLAIN'):
    sys.modules['numpy'] = None
import loom  # noqa: E402

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


if __name__ == '__main__':
    unittest.main(verbosity=0)
