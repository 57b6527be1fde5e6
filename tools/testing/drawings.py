#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures and traces of plans beside their JSON: drawings.py LOOM... FOLDER. Status 1 if one differs.

Networks are those of bench/nets.py, by every strategy, on a chip whose streams overlap and on one whose
streams take turns, and on which no time is round. A picture has a rectangle with a title for each tensor
and group, of some steps for those that are alive in them; a step is as wide as its cycles. On each thread
of a trace, events follow each other; all commands are there, and their cycles add up.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
NETS = os.path.join(os.path.dirname(__file__), "bench", "nets.py")
TURNS = """name: turns
extends: tiny
overlap: no
frequency: 333333333 Hz
dma: {start: 1000}
compute: {start: 5}
"""
ROW = re.compile(r"step(?:s)? (\d+)(?: to (\d+))?, (\d+) of (\d+) cycles")
WIDE = 1300


def rectangles(root, name):
    """Those of a group of the picture, each with its title."""
    group = next((one for one in root.iter(SVG + "g") if one.get("id") == name), None)
    return [(one, one.find(SVG + "title").text) for one in group.iter(SVG + "rect")] if group is not None else []


def alive(plan, region, first, end):
    return sum(one["region"] == region and one["first_step"] < end and one["last_step"] >= first
               for one in plan["plan_tensors"])


def streams(plan, root):
    """Both work as long as promised, but for empty steps, and are as wide as they work."""
    busy = {}
    for name in ("DMA", "compute"):
        busy[name] = 0
        for one, title in rectangles(root, name):
            _, last, cycles, of = ROW.match(title).groups()
            busy[name] += int(cycles)
            # rounded to hundredths twice, and at least a fifth of a pixel
            if abs(float(one.get("width")) - int(of if last else cycles) * WIDE / plan["cycles"]) > 0.23:
                return f"{name}: {title}: {one.get('width')} wide"
    if max(busy.values()) > plan["cycles"] or sum(busy.values()) < plan["cycles"] - plan["steps"]:
        return f"busy for {busy}"
    return ""


def picture(plan, path, first, end):
    root = ElementTree.parse(path).getroot()
    for region in ("sram", "dram"):
        if len(rectangles(root, region)) != alive(plan, region, first, end):
            return f"{len(rectangles(root, region))} tensors in {region}"
    if end - first < plan["steps"]:
        return ""
    if len(list(rectangles(root, "groups"))) != plan["groups"]:
        return "other groups"
    return streams(plan, root)


def trace(plan, path):
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    end = plan["cycles"] * 1e6 / told["otherData"]["frequency_hz"]
    spans = [[one for one in told["traceEvents"] if one["ph"] == "X" and one["tid"] == tid] for tid in (1, 2, 3)]
    marks = [one["ts"] for one in told["traceEvents"] if one["ph"] == "C"]
    if len(spans[0]) != plan["groups"] or len(spans[1] + spans[2]) != plan["commands"]:
        return "events are missing"
    if [sum(one["args"]["cycles"] for one in some) for some in spans] != \
            [plan[name] for name in ("cycles", "dma_cycles", "compute_cycles")]:
        return "cycles do not add up"
    for some in spans:
        ends = [0, *(one["ts"] + one["dur"] for one in some)]
        gaps = [one["ts"] - before for one, before in zip(some, ends)]
        steps = [one["args"].get("step", 0) for one in some]
        if min(gaps) < -2e-6 or steps != sorted(steps) or ends[-1] > end + 2e-6 or \
                (some is spans[0] and (max(gaps) > 2e-6 or abs(ends[-1] - end) > 2e-6)):
            return "events overlap, are out of order, or end elsewhere"
    named = sum("operator" in one["args"] for one in spans[1] + spans[2])
    if marks != sorted(marks) or abs(marks[-1] - end) > 2e-6 or 2 * named < plan["commands"]:
        return "counters, or names of operators"
    return ""


def fault(loom, folder, *args):
    """Of one plan, drawn twice."""
    paths = [os.path.join(folder, name) for name in ("a.svg", "a.json", "b.svg", "b.json", "part.svg")]
    for svg, json_trace in (paths[:2], paths[2:4]):
        out = subprocess.run([*loom, "plan", *args, "--json", "--tensors", "--svg", svg, "--trace", json_trace],
                             check=True, capture_output=True).stdout
    plan = json.loads(out)
    first, last = plan["steps"] // 3, 2 * plan["steps"] // 3
    subprocess.run([*loom, "plan", *args, "--svg", paths[4], "--svg-steps", f"{first}-{last}"], check=True,
                   capture_output=True)
    for one, other in (paths[0::2][:2], paths[1::2]):
        with open(one, "rb") as a, open(other, "rb") as b:
            if a.read() != b.read():
                return "other bytes the second time"
    return picture(plan, paths[0], 0, plan["steps"]) or picture(plan, paths[4], first, last + 1) or \
        trace(plan, paths[1])


def main():
    *loom, folder = sys.argv[1:]
    wrong = 0
    os.makedirs(folder, exist_ok=True)
    net, chip = os.path.join(folder, "net.onnx"), os.path.join(folder, "turns.yaml")
    with open(chip, "w", encoding="utf-8") as file:
        file.write(TURNS)
    for kind, *numbers in (("residual", "12"), ("transformer", "40"), ("nas", "3", "2"), ("topk",)):
        subprocess.run([sys.executable, NETS, kind, net, *numbers], check=True, capture_output=True)
        for where in ("tiny", chip):
            for grouping in ("layerwise", "layergroup", "layergroup-text"):
                said = fault(loom, folder, net, "--chip", where, "--grouping", grouping)
                wrong += bool(said)
                print(f"{kind} {where} {grouping}: {said or 'right'}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
