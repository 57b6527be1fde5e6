#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run one test program, evaluate its TAP, add the figures to the results.

    tap.py NAME [--plain] [--kselftest] [--kunit] [--skips REASON]
           [--cpu S] [--folder DIR] -- COMMAND...

The output goes to DIR/NAME.log, build/check as a rule; failures and one closing line go to
stdout; figures go to DIR/results, the reason of each skip to DIR/skips, and each failure with
the lines before it to DIR/failures. A program that
runs no test, prints no plan or two, runs fewer tests than it planned, or exits badly without
a "not ok" has failed: silence is not success. Status 4 or 77 says that all was skipped, and
is bad if a test ran. --plain makes the exit status the one result. --kselftest reads the results that the stock runner
indents with "# ", --kunit those of KUnit's debugfs files, where a suite's results are
indented below its own, and those of a case with parameters once more. --skips is for
where everything is there that a test may ask for: a skip for a reason that the expression does
not match is a failure; an empty one matches none.

--cpu limits the CPU time of the command and all its descendants. A machine with more to do
makes a test slower, but does not make it fail; a command that hangs without using CPU is
ended after WALL times as many seconds.
"""
import argparse
import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import time

RESULT = re.compile(r"^(?P<bad>not )?ok\b\s*\d*\s*(?P<text>.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(#\s*skip.*)?$", re.I)
DIRECTIVE = re.compile(r"#\s*(skip|todo)\b[\s:]*(.*)$", re.I)
# wall seconds for each second of CPU that a command may use
WALL = 10
PR_SET_CHILD_SUBREAPER = 36
TICKS = os.sysconf("SC_CLK_TCK")


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.planned = None
        self.complaints = []
        self.reasons = []

    @property
    def ran(self):
        return self.passed + self.failed + self.skipped

    def fail(self, text):
        self.failed += 1
        self.complaints.append(text)

    def skip(self, reason):
        self.skipped += 1
        self.reasons.append(reason.strip() or "no reason given")

    def result(self, match, line):
        directive = DIRECTIVE.search(match["text"])
        kind = directive[1].lower() if directive else ""
        if kind == "skip":
            self.skip(directive[2] or match["text"])
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
            if tally.planned is not None:
                tally.fail("a second plan")
            tally.planned = int(plan[1])
            if tally.planned == 0 and plan[2]:
                tally.planned = 1
                tally.skip(DIRECTIVE.search(plan[2])[2])
        elif line.startswith("Bail out!"):
            tally.fail(line)
    if tally.planned not in (None, tally.ran):
        tally.fail(f"planned {tally.planned} tests, ran {tally.ran}")
    if status and not tally.failed and (status not in (4, 77) or tally.passed):
        tally.fail(f"exited with status {status}")
    if not tally.ran:
        tally.fail("ran no test")
    elif tally.planned is None:
        tally.fail("printed no plan")
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
            total.reasons += own.reasons
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


def excerpt(lines, before, after):
    """The lines around the first three failures; the last ones, if no line is a failure."""
    failures = [at for at, line in enumerate(lines)
                if re.match(r"(# )*\s*not ok\b(?!.*# SKIP)", line)]
    if not failures:
        return lines[-before:]
    said, end = [], 0
    for at in failures[:3]:
        begin = max(at - before, end)
        if begin > end:
            said.append("[...]")
        said += lines[begin:at + after]
        end = at + after
    return said


def descendants():
    """CPU seconds by process, of all below this one; each counts children that it waited for."""
    below, parents = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        below[int(entry)] = sum(map(int, fields[11:15])) / TICKS
    own = {os.getpid()}
    found = {}
    while own:
        own = {pid for pid, parent in parents.items() if parent in own}
        found.update((pid, below[pid]) for pid in own)
    return found


def end(process):
    """A while to clean up, for the command's own group; then the end of all that is left."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        pass
    for pid in descendants():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def run(command, log, most):
    """Exit status of the command, or which limit it reached."""
    # processes that lose their parent are counted, too
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    while True:
        try:
            return process.wait(min(5, most))
        except subprocess.TimeoutExpired:
            pass
        if sum(descendants().values()) > most:
            status = f"limit: more than {most:g} s of CPU"
        elif time.monotonic() - start > WALL * most:
            status = f"limit: no end after {WALL * most:g} s, with little use of CPU"
        else:
            continue
        end(process)
        return status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--kselftest", action="store_true")
    parser.add_argument("--kunit", action="store_true")
    parser.add_argument("--skips")
    parser.add_argument("--folder", default="build/check")
    parser.add_argument("--cpu", type=float, default=1200)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()

    folder = args.folder
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, args.name.replace("/", "-") + ".log")
    start = time.monotonic()
    with open(path, "wb") as log:
        try:
            status = run(args.command, log, args.cpu)
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

    if args.skips is not None:
        for reason in tally.reasons:
            if not args.skips or not re.search(args.skips, reason):
                tally.fail(f"a test was skipped where none may be: {reason}")
    mark = "FAIL" if tally.failed else "ok"
    said = [f"{mark:4} {args.name}: {tally.passed} passed, {tally.failed} failed, "
            f"{tally.skipped} skipped ({seconds:.1f} s, {cpu:.1f} s of CPU)"]
    said += [f"     {text}" for text in tally.complaints[:20]]
    if tally.failed:
        said.append(f"     from {path}:")
        said += [f"     | {line}" for line in excerpt(lines, 48, 12)]
        with open(os.path.join(folder, "failures"), "a", encoding="utf-8") as failures:
            failures.writelines(f"{line}\n" for line in said[:2])
            failures.writelines(f"     | {line}\n" for line in excerpt(lines, 8, 2))
    # in one piece: others run beside this one
    sys.stdout.write("\n".join(said) + "\n")
    with open(os.path.join(folder, "results"), "a", encoding="utf-8") as results:
        results.write(f"{tally.passed} {tally.failed} {tally.skipped} {args.name}\n")
    with open(os.path.join(folder, "skips"), "a", encoding="utf-8") as skips:
        skips.writelines(f"{reason}\n" for reason in tally.reasons)
    sys.stdout.flush()
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
