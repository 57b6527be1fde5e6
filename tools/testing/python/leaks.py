#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens, uses and closes everything a thousand times: memory in use, descriptors and threads are
what they were. Then the same with one destructor taken away, which has to be seen.

	leaks.py ONNX-MODEL
"""
import ctypes
import gc
import os
import sys
import tempfile
import threading

import loom

TIMES = 1000


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        'arena', 'ordblks', 'smblks', 'hblks', 'hblkhd', 'usmblks', 'fsmblks', 'uordblks',
        'fordblks', 'keepcost')]


mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Mallinfo


def now():
    """Bytes that malloc() has given out, pages, descriptors, threads."""
    gc.collect()
    info = mallinfo2()
    with open('/proc/self/statm', encoding='ascii') as file:
        pages = int(file.read().split()[1])
    return (info.uordblks + info.hblkhd, pages, len(os.listdir('/proc/self/fd')),
            threading.active_count())


def build():
    builder = loom.Graph.build('relu')
    builder.input('x', 'f32', [64])
    builder.node('Relu', ['x'], 'y')
    builder.output('y')
    return builder.finish()


def refused(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except (loom.Error, ValueError):
        return
    raise AssertionError('it was taken')


def once(i, path):
    """Half of them closed, half of them left, in an order that changes."""
    graph = build()
    program = loom.compile(graph, 'tiny')
    if i % 50 == 0:
        program.save(path)
    again = loom.Program(path)
    parsed = loom.Program.parse(program.to_bytes())
    target = loom.Target('host', 'tiny')
    session = program.session(target)
    session.run([bytes(256)])
    if i % 5 == 0:
        run = session.submit()
        run.fileno()
        if i % 10:
            run.result()
    else:
        view = session.output_view(0)
        session.run_only()
        bytes(view)
    for name in 'nothing', 'z':
        refused(session.run, {name: 1})
    refused(session.run, [bytes(255)])
    refused(loom.compile, graph, 'tiny', sram_limit_bytes=1)
    refused(loom.Graph.parse, b'\xff')
    refused(loom.Program.parse, b'LOOM')
    refused(loom.place, [loom.Item(2, 0, 1)], 1)
    program.dump()
    chip = loom.Chip('tiny')
    chip.yaml()
    if i % 2:
        for one in (graph, again, target, session, parsed, program)[::1 if i % 4 == 1 else -1]:
            one.close()


def many(times, path):
    for i in range(times):
        once(i, path)


def growth(times, path):
    many(100, path)
    before = now()
    many(times, path)
    return [b - a for a, b in zip(before, now())]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'net.loom')
        many(100, path)
        bytes_, pages, fds, threads = growth(TIMES, path)
        print(f'{TIMES} times: {bytes_} bytes, {pages} pages, {fds} descriptors, {threads} threads '
              f'more')
        # malloc() takes 32 bytes at least; pages, and what Python caches, go up and down by some
        failed = bytes_ > TIMES * 16 or pages * 4096 > 4 << 20 or fds or threads

        # the smallest that there is
        unload, loom.c.loom_program_unload = loom.c.loom_program_unload, lambda file: None
        leaked = growth(TIMES // 10, path)[0]
        loom.c.loom_program_unload = unload
        print(f'{TIMES // 10} times, and files are not closed: {leaked} bytes more')
        failed |= leaked < TIMES // 10 * 100
    return failed


if __name__ == '__main__':
    sys.exit(main())
