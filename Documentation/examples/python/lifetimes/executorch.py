# SPDX-License-Identifier: MIT
"""Lifetimes of an ExecuTorch program for loom place: call it in place of a memory planning pass.

``specs`` are what executorch.exir.memory_planning.collect_specs_from_nodes() gives.
"""
import json


def dump(specs, path, alignment=16):
    items = [{'id': f't{i}', 'lower': spec.lifetime[0], 'upper': spec.lifetime[1] + 1,
              'size': spec.allocated_memory, 'alignment': alignment}
             for i, spec in enumerate(specs) if not spec.const and spec.lifetime[0] is not None]
    with open(path, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(item) for item in items) + '\n]\n')
