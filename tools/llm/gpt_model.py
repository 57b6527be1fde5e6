#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a small decoder transformer as an ONNX file: random weights, the same on every machine.

	gpt_model.py OUT.onnx

It has the shape of what exporters make of GPT-2: layer norm, attention with several heads, GELU by
Erf. Keys and values of all positions are inputs and outputs, padded to the most that there may be,
and the positions of the new tokens are an input. So one graph is enough for all lengths: ScatterND
writes the new keys at their positions, and Where hides positions that are still to come. The number
of new tokens is open: a prompt takes many at once, and what follows one at a time. Logits are those
behind the last one.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../testing'))
import wrong_models  # noqa: E402
from wrong_models import FLOAT, INT64, field, value_info  # noqa: E402

LAYERS, WIDTH, HEADS, POSITIONS, VOCABULARY = 2, 64, 4, 256, 96
HEAD, HIDDEN = WIDTH // HEADS, 4 * WIDTH
ATTR_INT, ATTR_INTS = 2, 7
OPSET = 17

nodes, constants, inputs, outputs = [], [], [], []
state = 2024


def random_float():
    """-1 to 1, by SplitMix64."""
    global state
    state = (state + 0x9e3779b97f4a7c15) % 2 ** 64
    z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
    z = (z ^ z >> 27) * 0x94d049bb133111eb % 2 ** 64
    return ((z ^ z >> 31) >> 40) / 2 ** 23 - 1


def single(value):
    """Rounded as a float of C."""
    return struct.unpack('<f', struct.pack('<f', value))[0]


def constant(name, kind, dims, raw):
    constants.append(wrong_models.constant(name, dims, kind, raw))
    return name


def weights(name, dims, mean, spread):
    """Numbers around @mean, at most @spread away from it."""
    count = 1
    for dim in dims:
        count *= dim
    mean, spread = single(mean), single(spread)
    numbers = [mean + single(spread * random_float()) for _ in range(count)]
    return constant(name, FLOAT, dims, struct.pack(f'<{count}f', *numbers))


def integers(name, values):
    constant(name, INT64, [len(values)], struct.pack(f'<{len(values)}q', *values))


def node(op, results, operands, attribute=b''):
    results = results.split()
    nodes.append(b''.join(field(1, one) for one in operands.split()) +
                 b''.join(field(2, one) for one in results) + field(3, results[0]) +
                 field(4, op) + attribute)


def axis(value):
    return field(5, field(1, 'axis') + field(3, value % 2 ** 64) + field(20, ATTR_INT))


def perm(*order):
    return field(5, field(1, 'perm') + b''.join(field(8, one) for one in order) +
                 field(20, ATTR_INTS))


def linear(y, x, rows, columns, spread):
    """y = x * w + bias"""
    node('MatMul', y + '.product', f'{x} {weights(y + ".weight", [rows, columns], 0, spread)}')
    node('Add', y, f'{y}.product {weights(y + ".bias", [columns], 0, 0.1)}')


def layer_norm(y, x):
    bias = weights(y + '.bias', [WIDTH], 0, 0.1)
    node('LayerNormalization', y, f'{x} {weights(y + ".weight", [WIDTH], 1, 0.2)} {bias}', axis(-1))


def pick(y, index, table, rows):
    """The row of a table that an index picks."""
    node('Gather', y, f'{weights(table, [rows, WIDTH], 0, 1)} {index}')


def remember(what, layer, new):
    """What is known of earlier positions with what is new at these: an input and an output."""
    dims = [HEADS, POSITIONS, HEAD]
    past, present = f'past_{what}_{layer}', f'present_{what}_{layer}'
    inputs.append(value_info(past, dims))
    outputs.append(value_info(present, dims))
    node('Transpose', past + '.rows', past, perm(1, 0, 2))
    node('ScatterND', present + '.rows', f'{past}.rows places {new}')
    node('Transpose', present, present + '.rows', perm(1, 0, 2))
    return present


def attention(layer, y, x):
    q, k, v = (f'attention.{layer}.{part}' for part in 'qkv')
    whole = f'attention.{layer}.in'
    linear(whole, x, WIDTH, 3 * WIDTH, 0.3)
    node('Split', f'{q}.flat {k}.flat {v}.flat', whole + ' thirds', axis(1))
    for part in q, k, v:
        node('Reshape', part, part + '.flat to_heads')
    keys, values = remember('key', layer, k), remember('value', layer, v)
    node('Transpose', q + '.turned', q, perm(1, 0, 2))
    node('Transpose', k + '.turned', keys, perm(0, 2, 1))
    node('MatMul', q + '.scores', f'{q}.turned {k}.turned')
    node('Mul', q + '.scaled', q + '.scores scale')
    node('Where', q + '.seen', f'until_here {q}.scaled lowest')
    node('Softmax', q + '.softmax', q + '.seen', axis(-1))
    node('MatMul', q + '.sum', f'{q}.softmax {values}')
    node('Transpose', q + '.rows', q + '.sum', perm(1, 0, 2))
    node('Reshape', q + '.joined', q + '.rows to_row')
    linear(y, q + '.joined', WIDTH, WIDTH, 0.3)


def gelu(y, x):
    node('Div', y + '.part', x + ' root_2')
    node('Erf', y + '.erf', y + '.part')
    node('Add', y + '.more', y + '.erf one')
    node('Mul', y + '.twice', f'{x} {y}.more')
    node('Mul', y, y + '.twice half')


def block(i, x):
    """x + attention(norm(x)), and the same with two layers of neurons. Returns the result."""
    layer_norm(f'norm_1.{i}', x)
    attention(i, f'attended.{i}', f'norm_1.{i}')
    node('Add', f'between.{i}', f'{x} attended.{i}')
    layer_norm(f'norm_2.{i}', f'between.{i}')
    linear(f'wide.{i}', f'norm_2.{i}', WIDTH, HIDDEN, 0.3)
    gelu(f'gelu.{i}', f'wide.{i}')
    linear(f'narrow.{i}', f'gelu.{i}', HIDDEN, WIDTH, 0.15)
    node('Add', f'block.{i}', f'between.{i} narrow.{i}')
    return f'block.{i}'


def main():
    x = 'embedded'
    inputs.append(value_info('token', ['tokens'], INT64))
    inputs.append(value_info('position', ['tokens'], INT64))
    outputs.append(value_info('logits', [1, VOCABULARY]))
    for name, value in (('scale', 0.25), ('lowest', -1e9), ('root_2', 1.41421356), ('one', 1),
                        ('half', 0.5)):
        weights(name, [], value, 0)
    integers('thirds', [WIDTH] * 3)
    integers('to_heads', [-1, HEADS, HEAD])
    integers('to_row', [-1, WIDTH])
    integers('to_column', [-1, 1])
    integers('last', [-1])
    integers('positions', range(POSITIONS))
    node('Reshape', 'places', 'position to_column')
    node('LessOrEqual', 'until_here', 'positions places')
    pick('token_row', 'token', 'wte', VOCABULARY)
    pick('position_row', 'position', 'wpe', POSITIONS)
    node('Add', x, 'token_row position_row')
    for i in range(LAYERS):
        x = block(i, x)
    node('Gather', 'end', f'{x} last')
    layer_norm('norm', 'end')
    node('MatMul', 'logits', f'norm {weights("head", [WIDTH, VOCABULARY], 0, 1)}')
    graph = (b''.join(field(1, one) for one in nodes) + field(2, 'gpt') +
             b''.join(field(5, one) for one in constants) +
             b''.join(field(11, one) for one in inputs) +
             b''.join(field(12, one) for one in outputs))
    with open(sys.argv[1], 'wb') as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(2, OPSET)))


if __name__ == '__main__':
    main()
