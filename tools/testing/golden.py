#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden figures: what plans of some networks cost, to the cycle and to the byte.

    golden.py [--write]
    golden.py --networks	only writes those that are not fetched
    golden.py --preload LIBRARY PROGRAM	by another tool, until a figure differs: for make mutants

Plans the networks below by each grouping and objective and compares with golden.csv. A change that
moves a figure is committed with the table that --write (make golden) has written, so that what it
gained and lost is seen in its diff. TAP, a test for each network.
"""
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "golden.csv")
FOLDER = "build/golden"
SRAM = "64k"
FIGURES = ("cycles", "dram_read_bytes", "dram_write_bytes", "steps", "commands", "scratch_bytes",
           "sram_peak_bytes")

# Convolutions, of floats and of bytes; recurrent ones; a transformer. File and what it leaves open.
# In little SRAM, weights of some groups are held in part.
NETWORKS = {
    "alexa": ["build/models/oww_alexa.onnx"],
    "embedding": ["build/models/oww_embedding.onnx", "--dim", "unk__314=1"],
    "jarvis": ["build/models/hey_jarvis.onnx"],
    "blazeface": ["build/models/blazeface.onnx"],
    "ppocr_cls": ["build/models/ppocr_cls.onnx", "--shape", "x=1,3,48,192"],
    "selfie": ["build/models/selfie.tflite"],
    "mobile": [FOLDER + "/mobile.tflite"],
    "gpt": [FOLDER + "/gpt.onnx", "--dim", "tokens=1"],
    "embedding_8k": ["build/models/oww_embedding.onnx", "--dim", "unk__314=1", "--sram", "8k"],
}
PLANS = [(grouping, objective) for grouping in ("layerwise", "layergroup", "layergroup-text",
                                                "layergroup-dp")
         for objective in ("time", "bytes")] + [("layergroup", "sram")]


def make_networks():
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run([sys.executable, "tools/llm/gpt_model.py", FOLDER + "/gpt.onnx"],
                   check=True)
    subprocess.run([sys.executable, "tools/testing/tflite/nets.py", FOLDER], check=True,
                   stdout=subprocess.DEVNULL)


def plan(network, grouping, objective, tool="build/loom", preload=""):
    command = [tool, "plan", *NETWORKS[network], "--grouping", grouping, "--objective",
               objective, *([] if "--sram" in NETWORKS[network] else ["--sram", SRAM]), "--json"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LD_PRELOAD=preload))
    if done.returncode:
        return {figure: "none" for figure in FIGURES}, done.stderr.strip()
    figures = json.loads(done.stdout)
    return {figure: str(figures[figure]) for figure in FIGURES}, ""


def read_table():
    with open(TABLE, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["network"], row["grouping"], row["objective"]): row for row in rows}


def differences(want, got):
    for figure in FIGURES:
        if want.get(figure) != got[figure]:
            change = ""
            if want.get(figure, "").isdigit() and got[figure].isdigit() and int(want[figure]):
                change = f" ({100 * (int(got[figure]) / int(want[figure]) - 1):+.3f} %)"
            yield f"{figure} {got[figure]}, not {want.get(figure)}{change}"


def compare():
    table, failed = read_table(), False
    print(f"1..{len(NETWORKS) + 1}")
    for number, network in enumerate(NETWORKS, 1):
        lines = []
        for grouping, objective in PLANS:
            got, error = plan(network, grouping, objective)
            want = table.pop((network, grouping, objective), {})
            lines += [f"# {grouping}, {objective}: {line}" for line in differences(want, got)]
            lines += [f"# {error}"] if error and lines else []
        print(f"{'not ' if lines else ''}ok {number} - {network}: the figures of golden.csv",
              *lines, sep="\n", flush=True)
        failed = failed or lines
    print(f"{'not ' if table else ''}ok {len(NETWORKS) + 1} - no other rows in golden.csv")
    return 1 if failed or table else 0


def is_same(preload, tool):
    return all(not list(differences(want, plan(*key, tool, preload)[0]))
               for key, want in read_table().items())


def write():
    with open(TABLE, "w", newline="") as file:
        file.write("# SPDX-License-Identifier: MIT\n"
                   "# Written by make golden, see golden.py. Chip soft, 64 KiB of SRAM per lane,\n"
                   "# or what the name says.\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("network", "grouping", "objective", *FIGURES))
        for network in NETWORKS:
            for grouping, objective in PLANS:
                figures, _ = plan(network, grouping, objective)
                rows.writerow((network, grouping, objective, *figures.values()))
    return 0


if __name__ == "__main__":
    os.chdir(os.path.join(HERE, "../.."))
    if sys.argv[1:2] == ["--preload"] and len(sys.argv) == 4:
        sys.exit(0 if is_same(*sys.argv[2:]) else 1)
    if sys.argv[1:] not in ([], ["--write"], ["--networks"]):
        sys.exit(__doc__)
    make_networks()
    if sys.argv[1:] == ["--networks"]:
        sys.exit(0)
    sys.exit(write() if sys.argv[1:] else compare())
