#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run one test program, evaluate its TAP, add the figures to the results.

    tap.py NAME [--plain] [--kselftest] [--kunit] [--no-skip]
           [--timeout S] [--folder DIR] -- COMMAND...

The output goes to DIR/NAME.log, build/check as a rule; failures and one closing line go to
stdout. A program that runs no test, runs fewer than it planned, or exits badly
without a "not ok" has failed: silence is not success. --plain makes the exit
status the one result. --kselftest reads the results that the stock runner
indents with "# ", --kunit those of KUnit's debugfs files, where a suite's results are
indented below its own, and those of a case with parameters once more. --no-skip is for
where everything is there that a test may ask for.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import time

RESULT = re.compile(r"^(?P<bad>not )?ok\b\s*\d*\s*(?P<text>.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(#\s*skip.*)?$", re.I)
DIRECTIVE = re.compile(r"#\s*(skip|todo)\b", re.I)


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.planned = None
        self.complaints = []

    @property
    def ran(self):
        return self.passed + self.failed + self.skipped

    def fail(self, text):
        self.failed += 1
        self.complaints.append(text)

    def result(self, match, line):
        directive = DIRECTIVE.search(match["text"])
        kind = directive[1].lower() if directive else ""
        if kind == "skip":
            self.skipped += 1
        elif match["bad"] and kind != "todo":
            self.fail(line)
        else:
            self.passed += 1


def judge(lines, status):
    tally = Tally()
    for line in lines:
        match = RESULT.match(line)
        if match:
            tally.result(match, line)
            continue
        plan = PLAN.match(line)
        if plan:
            tally.planned = int(plan[1])
            if tally.planned == 0 and plan[2]:
                tally.skipped += 1
        elif line.startswith("Bail out!"):
            tally.fail(line)
    if tally.planned and tally.planned != tally.ran:
        tally.fail(f"planned {tally.planned} tests, ran {tally.ran}")
    if status not in (0, 4, 77) and not tally.failed:
        tally.fail(f"exited with status {status}")
    if not tally.ran:
        tally.fail("ran no test")
    return tally


def judge_kselftest(lines, status):
    """Each program's own results count; its line in the runner's plan counts if
    it has none, or if it failed although they did not."""
    total = Tally()
    planned = seen = 0
    inner = []
    for line in lines:
        plan = PLAN.match(line)
        match = RESULT.match(line)
        if plan:
            planned += int(plan[1])
        elif match:
            seen += 1
            one = judge(inner, 0)
            own = Tally()
            own.result(match, line)
            if any(RESULT.match(l) for l in inner) and (own.passed or one.failed):
                own = one
            total.passed += own.passed
            total.failed += own.failed
            total.skipped += own.skipped
            total.complaints += own.complaints
            inner = []
        elif line.startswith("# "):
            inner.append(line[2:])
    if seen != planned:
        total.fail(f"planned {planned} programs, ran {seen}")
    if status and not total.failed:
        total.fail(f"exited with status {status}")
    if not total.ran:
        total.fail("ran no test")
    return total


KUNIT = re.compile(r"^(?P<indent> *)(?P<bad>not )?ok (?P<number>\d+)\b[\s-]*(?P<text>.*)$")
KUNIT_PLAN = re.compile(r"^( *)1\.\.(\d+)\s*$")


def judge_kunit(lines, status):
    """What has results of its own below it is not counted, but fails if it failed and
    they did not. A plan that does not come true is a failure at every depth."""
    tally = Tally()
    # by depth: results since the one above them, failures among them, the plan
    below = {}
    for line in lines:
        plan = KUNIT_PLAN.match(line)
        match = KUNIT.match(line)
        if plan:
            below.setdefault(len(plan[1]) // 4, [0, 0, 0])[2] += int(plan[2])
        elif match:
            depth = len(match["indent"]) // 4
            inner = below.pop(depth + 1, None)
            mine = below.setdefault(depth, [0, 0, 0])
            mine[0] += 1
            mine[1] += bool(match["bad"])
            if inner and inner[2] and inner[2] != inner[0]:
                tally.fail(f"{match['text']}: planned {inner[2]} tests, ran {inner[0]}")
            if not inner or not inner[0] or (match["bad"] and not inner[1]):
                tally.result({"bad": match["bad"], "text": match["text"]}, line.strip())
    for depth, (ran, _, planned) in below.items():
        if depth or planned != ran:
            tally.fail(f"the results end early, at depth {depth}: planned {planned}, ran {ran}")
    if status and not tally.failed:
        tally.fail(f"exited with status {status}")
    if not tally.ran:
        tally.fail("ran no test")
    return tally


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--kselftest", action="store_true")
    parser.add_argument("--kunit", action="store_true")
    parser.add_argument("--no-skip", action="store_true")
    parser.add_argument("--folder", default="build/check")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()

    folder = args.folder
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, args.name.replace("/", "-") + ".log")
    start = time.monotonic()
    with open(path, "wb") as log:
        try:
            process = subprocess.Popen(args.command, stdout=log, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
            status = process.wait(args.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
            status = f"timeout after {args.timeout} s"
        except OSError as error:
            log.write(f"{error}\n".encode())
            status = 127
    seconds = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime

    with open(path, encoding="utf-8", errors="replace") as log:
        lines = [line.rstrip("\r\n") for line in log]
    if args.plain:
        tally = Tally()
        if status == 0:
            tally.passed = 1
        else:
            tally.fail(f"exited with status {status}")
    elif args.kselftest:
        tally = judge_kselftest(lines, status)
    elif args.kunit:
        tally = judge_kunit(lines, status)
    else:
        tally = judge(lines, status)

    if args.no_skip and tally.skipped:
        tally.fail("a test was skipped where none may be")
    mark = "FAIL" if tally.failed else "ok"
    said = [f"{mark:4} {args.name}: {tally.passed} passed, {tally.failed} failed, "
            f"{tally.skipped} skipped ({seconds:.1f} s, {cpu:.1f} s of CPU)"]
    said += [f"     {text}" for text in tally.complaints[:20]]
    if tally.failed:
        said.append(f"     the end of {path}:")
        said += [f"     | {line}" for line in lines[-40:]]
    # in one piece: others run beside this one
    sys.stdout.write("\n".join(said) + "\n")
    with open(os.path.join(folder, "results"), "a", encoding="utf-8") as results:
        results.write(f"{tally.passed} {tally.failed} {tally.skipped} {args.name}\n")
    sys.stdout.flush()
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
