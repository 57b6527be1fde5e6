# SPDX-License-Identifier: MIT
"""Lifetimes of TVM's USMP for loom place: buffers are alive beside those that they conflict with.

``infos`` are the BufferInfo objects that tvm.tir.usmp.analysis.extract_buffer_info() gives, in the
order of their first use; the moment of a buffer is its place in it.
"""
import json


def dump(infos, path):
    at = {info: i for i, info in enumerate(infos)}
    items = [{'id': f'{info.name_hint}_{i}', 'lower': i, 'size': int(info.size_bytes),
              'upper': max([i] + [at[other] for other in info.conflicts]) + 1,
              'alignment': int(info.alignment)} for info, i in at.items()]
    with open(path, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(item) for item in items) + '\n]\n')
