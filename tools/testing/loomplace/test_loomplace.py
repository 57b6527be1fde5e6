# SPDX-License-Identifier: MIT
"""Tests of the installed package loomplace: wheel.sh runs them outside of the tree."""
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import loomplace
from loomplace import formats

DATA = pathlib.Path(__file__).resolve().parent / 'data'


def collisions(offsets, sizes, lower, upper):
    return [(i, k) for i, k in itertools.combinations(range(len(sizes)), 2)
            if lower[i] < upper[k] and lower[k] < upper[i]
            and offsets[i] < offsets[k] + sizes[k] and offsets[k] < offsets[i] + sizes[i]]


class Solve(unittest.TestCase):
    def items(self, seed, count=60):
        draw = random.Random(seed)
        lower = [draw.randrange(50) for _ in range(count)]
        return ([draw.randrange(1, 1000) for _ in range(count)], lower,
                [at + draw.randrange(1, 20) for at in lower])

    def test_placements(self):
        for seed in range(20):
            items = self.items(seed)
            placement = loomplace.solve(*items, budget=1000)
            self.assertEqual(collisions(placement.offsets, *items), [])
            self.assertEqual(placement.height,
                             max(o + s for o, s in zip(placement.offsets, items[0])))
            self.assertLessEqual(placement.bound, placement.height)
            self.assertEqual(loomplace.check(placement.offsets, *items).height, placement.height)
            fit = loomplace.solve(*items, placement.height, budget=1000)
            self.assertLessEqual(fit.height, placement.height)

    def test_faults(self):
        with self.assertRaises(loomplace.PlaceError) as caught:
            loomplace.solve([4, 2], [0, 0], [1, 1], 5)
        self.assertEqual(caught.exception.missing, 1)
        for wrong in (([4], [1], [1]), ([4, 2], [0], [1])):
            with self.assertRaises(ValueError):
                loomplace.solve(*wrong)
        with self.assertRaises(OverflowError):
            loomplace.solve([-1], [0], [1])
        with self.assertRaises(TypeError):
            loomplace.solve([1.5], [0], [1])
        with self.assertRaises(loomplace.PlaceError) as caught:
            loomplace.check([0, 3], [4, 2], [0, 0], [1, 1])
        self.assertEqual({caught.exception.item, caught.exception.other}, {0, 1})

    def test_options(self):
        self.assertEqual(loomplace.solve([4, 2], [0, 0], [1, 1], fixed=[2, loomplace.FREE]).offsets,
                         [2, 0])
        aligned = loomplace.solve([3, 3], [0, 0], [1, 1], alignments=[8, 8])
        self.assertEqual(aligned.height, 11)
        gap = loomplace.solve([4, 4], [0, 2], [6, 4], gaps=[[(2, 4)], []])
        self.assertEqual((gap.height, gap.proved), (4, True))
        self.assertEqual(loomplace.solve([], [], []).height, 0)

    def test_update(self):
        moved = loomplace.update([0, 4, loomplace.FREE], [4, 2, 3], [0] * 3, [1] * 3, 9)
        self.assertEqual((moved.offsets, moved.moved), ([0, 4, 6], 0))
        moved = loomplace.update([0, 5, loomplace.FREE], [4, 2, 3], [0] * 3, [1] * 3, 9)
        self.assertEqual(moved.moved, 2)

    def test_shared(self):
        a, b = loomplace.solve_shared(
            {'sizes': [4, 2, 5], 'lower': [0, 0, 1], 'upper': [2, 1, 3]},
            {'sizes': [7, 4], 'lower': [0, 0], 'upper': [1, 1]}, [(0, 1)])
        self.assertEqual(a.offsets[0], b.offsets[1])
        self.assertEqual(collisions(b.offsets, [7, 4], [0, 0], [1, 1]), [])

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest('there is no NumPy')
        items = [numpy.array(values, dtype='int32') for values in self.items(1)]
        offsets = loomplace.solve(*items).offsets
        self.assertIsInstance(offsets, numpy.ndarray)
        self.assertEqual(offsets.tolist(), loomplace.solve(*self.items(1)).offsets)


class Formats(unittest.TestCase):
    def round_trip(self, name, heights):
        """Reads, answers, and reads the answer: the same items, at the new offsets."""
        trace = formats.read((DATA / name).read_text(encoding='utf-8'))
        placements = trace.solve()
        self.assertEqual([p.height for p in placements], heights)
        text = trace.answer(placements)
        return trace, placements, text

    def reread(self, trace, placements, text):
        again = formats.read(text)
        for old, new, placement in zip(trace.spaces, again.spaces, placements):
            self.assertEqual(new.offsets, list(placement.offsets))
            self.assertEqual((new.names, new.sizes, new.lower, new.upper, new.gaps),
                             (old.names, old.sizes, old.lower, old.upper, old.gaps))
            self.assertEqual(new.check().height, placement.height)
        self.assertEqual(len(again.spaces), len(trace.spaces))
        self.assertEqual(again.answer(placements), text)

    def test_xla(self):
        trace, placements, text = self.round_trip('xla.textproto', [8448])
        self.assertEqual(trace.spaces[0].names, ['1', '2', '3', '4'])
        self.reread(trace, placements, text)
        self.assertIn('is_entry_computation_parameter: true', text)
        self.assertEqual(re.findall(r'\bindex: (\d)', text), ['0', '1'])
        # a buffer that shares has the offset of the canonical one
        offsets = dict(re.findall(r'logical_buffer_id: (\d)\s+offset: (\d+)', text))
        self.assertEqual(offsets['5'], offsets['3'])

    def test_xla_faults(self):
        text = (DATA / 'xla.textproto').read_text(encoding='utf-8')
        for old, new in (('kind: FREE buffer_id: 1', 'kind: FREE buffer_id: 7'),
                         ('kind: FREE buffer_id: 1', 'kind: FREE buffer_id: 4'),
                         ('share_with_canonical_id: 3', 'share_with_canonical_id: 1'),
                         ('size: 4096', 'size: many'), ('assigned {', 'assigned: 5 other {'),
                         ('whole_module_simulation: true', '\x01'),
                         ('  }\n}\n', ''), ('heap_simulator_traces {', 'other {')):
            self.assertEqual(text.count(old) > 0, True, old)
            with self.assertRaises(formats.FormatError, msg=new):
                formats.read(text.replace(old, new, 1))

    def test_iree(self):
        trace, placements, text = self.round_trip('pack.mlir', [6144, 1024])
        self.assertEqual(trace.spaces[0].sizes, [4096, 1024, 4096, 1024])
        self.assertNotIn('stream.resource.pack', text)
        values = dict(re.findall(r'(%[\w]+) = arith.constant (\d+)', text))
        self.assertEqual([values[f'%slab_{i}'] for i in range(5)],
                         [str(n) for n in (placements[0].height, *placements[0].offsets)])
        self.assertEqual((values['%total'], values['%only']), ('1024', '0'))
        self.assertIn('util.return %slab_0, %slab_1, %slab_2, %slab_3, %only', text)
        with self.assertRaises(formats.FormatError):
            formats.read((DATA / 'pack.mlir').read_text().replace('%c1000 =', '%c999 ='))

    def test_tvm(self):
        trace, placements, text = self.round_trip('usmp.json', [4008])
        self.assertEqual(trace.spaces[0].capacity, 6000)
        self.assertEqual(trace.spaces[0].names, [f'sid_{i}' for i in range(5)])
        self.reread_tvm(trace, placements, text)
        graph = json.loads(text)
        root = graph['nodes'][graph['root']]['data']
        self.assertEqual({graph['nodes'][i]['type_key'] for i in root[1::2]},
                         {'tir.usmp.PoolAllocation'})

    def reread_tvm(self, trace, placements, text):
        again = formats.read(text)
        self.assertEqual(again.spaces[0].offsets, placements[0].offsets)
        self.assertEqual(again.spaces[0].check().height, placements[0].height)
        self.assertEqual(again.spaces[0].lower, trace.spaces[0].lower)

    def test_tvm_conflicts(self):
        """Moments and gaps say exactly which items conflict, whatever the graph."""
        for seed in range(50):
            draw = random.Random(seed)
            count = draw.randrange(2, 12)
            conflicts = [set() for _ in range(count)]
            for i, k in itertools.combinations(range(count), 2):
                if draw.random() < 0.4:
                    conflicts[i].add(k)
                    conflicts[k].add(i)
            cliques = formats._cliques(conflicts)
            for i, k in itertools.combinations(range(count), 2):
                self.assertEqual(any(i in c and k in c for c in cliques), k in conflicts[i])
            self.assertEqual(set().union(*cliques), set(range(count)))

    def test_executorch(self):
        trace, placements, text = self.round_trip('timeline.json', [8000, 256])
        self.assertEqual([s.name for s in trace.spaces], ['1', '2'])
        self.assertEqual(trace.spaces[0].names.count('aten_max_dim'), 2)
        self.assertEqual(trace.spaces[0].check().height, 9200)
        self.reread(trace, placements, text)

    def test_unknown(self):
        for text in ('', '{}', '{"traceEvents": []}', '{"nodes": [{"type_key": ""}]}', '{', 'a',
                     '{"nodes": [{"type_key": "tir.usmp.BufferInfo"}]}'):
            with self.assertRaises(formats.FormatError, msg=text):
                formats.read(text)

    def test_noise(self):
        """Whatever the text, it is read or refused by name."""
        draw = random.Random(1)
        for path in sorted(DATA.iterdir()):
            for _ in range(300):
                text = path.read_text(encoding='utf-8')
                for _ in range(draw.randrange(1, 4)):
                    at = draw.randrange(len(text))
                    text = text[:at] + draw.choice(['', '-1', '1e9', 'null', '""', '{}', '[]', '}',
                                                    '9' * 20]) + text[at + draw.randrange(9):]
                try:
                    trace = formats.read(text)
                    trace.answer(trace.solve(budget=10))
                except (formats.FormatError, loomplace.PlaceError, OverflowError):
                    pass

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, 'out.json')
            done = subprocess.run([sys.executable, '-m', 'loomplace', DATA / 'usmp.json', '-o',
                                   out], capture_output=True, text=True, check=True)
            self.assertIn('sram: 5 items, height 4008 bytes', done.stdout)
            self.assertEqual(formats.read(out.read_text()).spaces[0].check().height, 4008)
            out.write_text('nothing')
            done = subprocess.run([sys.executable, '-m', 'loomplace', out], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stderr.count('\n')), (1, 1))


if __name__ == '__main__':
    unittest.main()
