#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peaks of loom plan --json --explain --tensors, counted again from the tensors: of each group, and
of what remains without each tensor. Status 1 if a figure differs."""
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    plan = json.load(file)
scratch = [t for t in plan['plan_tensors'] if t['region'] == 'sram' and 'slot' not in t]


def peak(tensors, steps):
    return max(sum(t['bytes'] for t in tensors if t['first_step'] <= s <= t['last_step'])
               for s in steps)


wrong = 0
assert len(plan['group_peaks']) == len(plan['plan_groups'])
for number, (group, told) in enumerate(zip(plan['plan_groups'], plan['group_peaks'])):
    steps = range(group['first_step'], group['first_step'] + group['steps'])
    here = [t for t in scratch if t['first_step'] < steps.stop and t['last_step'] >= steps.start]
    most = peak(here, steps)
    rest = sorted(peak([t for t in here if t is not one], steps) for one in here
                  if one['first_step'] <= told['step'] <= one['last_step'])
    if (told['bytes'], told['alive']) != (most, len(rest)) or \
            sorted(t['without_bytes'] for t in told['tensors']) != rest:
        print(f'group {number}: {told["bytes"]} of {told["alive"]}, not {most} of {len(rest)}')
        wrong += 1
sys.exit(wrong > 0)
