#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run what a page of Documentation/ tells its reader to type.

    tools/ci/pages/doc-commands.py [--update] PAGE FOLDER
    tools/ci/pages/doc-commands.py --root PAGE

FOLDER is made anew; the page's files and commands are put and run there, in the order of the page:

* a code-block whose caption is the name of a file becomes that file;
* in a code-block of console, a line that begins with "$ " is a command, and the lines behind it are
  what it prints, both streams in one. Lines end with "\\" if the next one goes on. "..." stands for
  any lines that are left out. A comment ".. not run: REASON" before a block leaves its commands out.
  What is printed differently is an error, and so is a status that is
  not 0 unless the output has a line that begins with "loom: " or "loom COMMAND: ".

Times of this machine ("0.02 s", "12.5 ms") compare equal. With --update the page gets the output as
it is now. --root prints the lines that begin with "# " instead: what root types, as a script. TAP.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys


def reason_not_run(lines, i):
    """The reason in the comment before line @i, or None."""
    while i and not lines[i - 1].strip():
        i -= 1
    match = re.match(r" *\.\. not run: (.+)", lines[i - 1]) if i else None
    return match.group(1) if match else None


def blocks(lines):
    """Yields (language, caption, first line, end line) of the code blocks, without their indent."""
    i = 0
    while i < len(lines):
        match = re.match(r"( *)\.\. code-block:: (\w+)$", lines[i])
        i += 1
        if not match:
            continue
        at_block = i - 1
        caption = None
        while i < len(lines) and re.match(r" +:\w+:", lines[i]):
            option = re.match(r" +:caption: (.*)", lines[i])
            caption = option.group(1).strip() if option else caption
            i += 1
        while i < len(lines) and not lines[i].strip():
            i += 1
        first, indent = i, len(match.group(1)) + 3
        while i < len(lines) and (not lines[i].strip() or lines[i].startswith(" " * indent)):
            i += 1
        end = i
        while end > first and not lines[end - 1].strip():
            end -= 1
        yield match.group(2), caption, first, end, indent, at_block


def plain(line):
    """A line without what differs from machine to machine."""
    return re.sub(r"\b\d+(\.\d+)? (s|ms|us|ns)\b(?! on the chip)", "N \\2", line.rstrip())


def same(want, got):
    """Whether the page's lines match; "..." stands for any number of lines."""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(same(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and plain(want[0]) == plain(got[0]) and same(want[1:], got[1:])


def commands(body, prompt):
    """Yields (command, its lines, output, index of the first line of the output)."""
    i = 0
    while i < len(body):
        if not body[i].startswith(prompt):
            i += 1
            continue
        typed = [body[i][len(prompt):]]
        while typed[-1].endswith("\\"):
            i += 1
            typed.append(body[i].lstrip("> "))
        i += 1
        first = i
        while i < len(body) and not re.match(r"[$#] ", body[i]):
            i += 1
        yield " ".join(part.rstrip("\\").strip() for part in typed), body[first:i], first, i


class Page:
    def __init__(self, path, update):
        self.path = path
        self.update = update
        with open(path, encoding="utf-8") as page:
            self.lines = page.read().splitlines()
        self.count = self.failed = 0

    def report(self, good, name):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)

    def run(self, folder):
        shift = 0
        for language, caption, first, end, indent, at_block in list(blocks(self.lines)):
            body = [line[indent:] for line in self.lines[first + shift:end + shift]]
            if language != "console" and caption:
                with open(os.path.join(folder, caption), "w", encoding="utf-8") as out:
                    out.write("\n".join(body) + "\n")
            if language != "console":
                continue
            reason = reason_not_run(self.lines, at_block + shift)
            if reason:
                self.skip(body, reason)
                continue
            fresh = list(body)
            grown = 0
            for command, want, at, stop in commands(body, "$ "):
                got = self.one(command, want, folder)
                if self.update and not same(want, got):
                    fresh[at + grown:stop + grown] = got
                    grown += len(got) - (stop - at)
            self.lines[first + shift:end + shift] = \
                [(" " * indent + line).rstrip() for line in fresh]
            shift += grown

    def skip(self, body, reason):
        for command, *_ in commands(body, "$ "):
            self.count += 1
            print(f"ok {self.count} - {command[:80]} # SKIP {reason}", flush=True)

    def one(self, command, want, folder):
        done = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        got = [line.rstrip() for line in done.stdout.splitlines()]
        meant = done.returncode == 0 or any(re.match(r"loom( \w+)?: ", line) for line in want)
        good = same(want, got) and meant
        self.report(good or (self.update and meant), command[:80])
        if not good and not self.update:
            print(f"# status {done.returncode}")
            for line in got[:60]:
                print(f"# {line}")
        return got

    def write(self):
        with open(self.path, "w", encoding="utf-8") as page:
            page.write("\n".join(self.lines) + "\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--root", action="store_true")
    parser.add_argument("page")
    parser.add_argument("folder", nargs="?")
    args = parser.parse_args()
    page = Page(args.page, args.update)
    if args.root:
        for language, _, first, end, indent, _ in blocks(page.lines):
            if language == "console":
                body = [line[indent:] for line in page.lines[first:end]]
                for command, *_ in commands(body, "# "):
                    print(command)
        return 0
    top = os.getcwd()
    shutil.rmtree(args.folder, ignore_errors=True)
    os.makedirs(args.folder)
    os.environ["PATH"] = os.path.join(top, "build") + ":" + os.environ["PATH"]
    os.symlink(os.path.join(top, "build", "models"), os.path.join(args.folder, "models"))
    for name in ("build", "Documentation"):
        os.symlink(os.path.join(top, name), os.path.join(args.folder, name))
    page.run(args.folder)
    if args.update:
        page.write()
    print(f"1..{page.count}")
    return page.failed > 0 or page.count == 0


if __name__ == "__main__":
    sys.exit(main())
