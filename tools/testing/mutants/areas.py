# SPDX-License-Identifier: MIT
"""What is broken, and which programs have to notice. Their order counts until something was killed:
then those go first that killed most in a file for their time (tried.py)."""

CORE = 'drivers/accel/loom/core'
# the template's payloads: check and translation
PAYLOAD = [f'drivers/accel/loom/template/{i}.c' for i in ('tile', 'translate')]
# no program of its own: the tool, which golden.py runs
GOLDEN = 'golden'
# defines malloc() itself, as AddressSanitizer does
STARVED = 'planner/starved'
OWN_MALLOC = [STARVED, 'parallel/starved']
GROUP = ['group/estimate', 'group/shortest_path', 'group/shared', 'group/halo',
         'group/figures', STARVED, 'group/random', 'group/explain',
         'group/exhaustive', 'plan/cost 0 8']
PLANNER = ['planner/program', 'planner/wrong', 'planner/chips', 'planner/output',
           'planner/image', STARVED]
VERIFY = ['core/verify/refusals', 'core/verify/rules', 'core/verify/random 4000',
          'core/verify/image', 'core/verify/worlds', 'core/verify/starved', 'core/verify/work',
          'core/verify/coverage', 'core/verify/gaps', 'core/verify/edges', 'core/scratch_slots']

# name: weight in a sample, files, programs with their arguments
AREAS = {
    'verify': (8, [f'{CORE}/verify/*.c'], VERIFY),
    'op': (5, [f'{CORE}/op/*.c'],
           ['core/verify/refusals', 'core/verify/rules', 'core/op/record', 'core/engine/budget']),
    # no part of the library, see host.py
    'payload': (1, PAYLOAD, ['template/tile', 'template/plan']),
    'decode': (3, [f'{CORE}/code/*.c'],
               ['core/verify/rules', 'core/code/refusals', 'core/verify/starved', 'core/code/hostile',
                'core/code/contents --small', 'core/code/contents']),
    'bank': (3, [f'{CORE}/bank/bank.c', f'{CORE}/bank/chunk.c', f'{CORE}/bank/place.c',
                 f'{CORE}/bank/span.c', f'{CORE}/bank/walk.c'],
             ['core/bank/worlds', 'core/bank/model', 'core/bank/limits']),
    'layout': (1, [f'{CORE}/bank/layout.c', f'{CORE}/bank/shard.c', f'{CORE}/bank/image.c'],
               ['core/bank/layout']),
    'engine': (2, [f'{CORE}/engine/engine.c', f'{CORE}/engine/fp_nest.c',
                   f'{CORE}/engine/fp_row.c', f'{CORE}/engine/fp_copy.c'],
               ['core/engine/run', 'core/engine/budget', 'core/engine/image',
                'core/engine/shapes', 'core/engine/math', 'lower/random']),
    'group': (6, ['userlib/group/*.c', 'userlib/group/*/*.c'], GROUP + [GOLDEN]),
    'retime': (2, ['userlib/retime/*.c'],
               ['retime/anew', 'retime/hole', 'retime/random', 'group/figures', 'group/random',
                'group/explain', GOLDEN]),
    'lower': (4, ['userlib/lower/*.c'],
              ['lower/random', 'planner/program', 'planner/wrong', 'run/states',
               'planner/output', 'planner/chips', 'planner/image', STARVED, 'group/figures',
               'group/random', GOLDEN]),
    'planner': (3, ['userlib/planner/*.c'], PLANNER + ['group/figures', 'plan/cost 0 8',
                                                       'group/explain', 'group/least_sram',
                                                       GOLDEN]),
    'parallel': (2, ['userlib/parallel/*.c'], ['parallel/starved', 'parallel/batch', 'parallel/pipeline']),
}
