#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lifetimes of IREE's stream dialect for loom place, from a pipe: a line of stream.resource.pack
has ``[FIRST, LAST] = SIZE`` for each slice, the sizes as constants above it.

    iree-compile ... --compile-to=stream | iree.py > items.json
"""
import json
import re
import sys

text = sys.stdin.read()
sizes = dict(re.findall(r'(%\w+) = arith\.constant (\d+) : index', text))
slices = re.findall(r'\[(\d+), (\d+)\] = (%\w+)', text)
items = [{'id': f's{i}', 'lower': int(first), 'upper': int(last) + 1, 'size': int(sizes[size]),
          'alignment': 64} for i, (first, last, size) in enumerate(slices)]
print('[\n' + ',\n'.join(json.dumps(item) for item in items) + '\n]')
