#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the prose of comments and pages: sentences start with their subject, and say what the reader must do.

    tools/ci/pages/prose.py			compares each folder with prose.txt; silent if it is kept
    tools/ci/pages/prose.py --write		writes prose.txt anew, which should only get better
    tools/ci/pages/prose.py FILE...		prints the sentences of these files that should be rewritten

Counted are, per 10,000 words, sentences (and halves behind a colon or semicolon) that begin with a word
of STARTS, and words of DUTIES. Of sources it is the comments, of pages the text without literal blocks. A
rate may not get worse by more than the rounding of prose.txt, so one sentence does not fail.
"""
import math
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prose.txt")
STARTS = r"what|who|whose|whoever"
LEAST = 15  # duties where they count
DUTIES = re.compile(r"\b(?:must|should)\b", re.I)
BEGIN = re.compile(r"(?:\A|[.:;]\s+|\n[ \t]*\n\s*)(" + f"(?:{STARTS})" + r"\s[^.]*\.?)", re.I)
WORD = re.compile(r"[A-Za-z']+")
# A file belongs to the first folder that fits. True: duties must be said there.
FOLDERS = {"userlib/include": True, "uapi": True, "drivers": False, "userlib": False, "tools/loom": False,
           "tools/sim": False, "Documentation": False, "README.md": False}
SOURCES = (".c", ".h", ".hpp", ".cpp")
PAGES = (".rst", ".md")


def comments(source):
    """The comments of C, each a paragraph, without their stars."""
    found = re.findall(r"/\*.*?\*/|//[^\n]*", source, re.S)
    return "\n\n".join(re.sub(r"(?m)^\s*(?:/\*+|\*+/|\*|//)\s?|\*/", "", text) for text in found)


def page(text):
    """The text of a page: no directives, no literal and code blocks."""
    text = re.sub(r"(?m)^( *)\.\. code-block::.*\n(?:\1[ \t]+.*\n|[ \t]*\n)+", "\n", text)
    text = re.sub(r"::[ \t]*\n[ \t]*\n(?:[ \t]+.*\n|[ \t]*\n)+", "\n\n", text)
    text = re.sub(r"(?m)^(?: {4}|\t).*$", "", text) if text.startswith("<!--") else text
    return re.sub(r"(?m)^ *(?:\.\.|:\w+:) .*$", "", text)


def prose(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return comments(text) if path.endswith(SOURCES) else page(text)


def folder_of(path):
    for name in FOLDERS:
        if path == name or path.startswith(name + "/"):
            return name
    return None


def count():
    """By folder: (starts, duties) per 10,000 words."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    sums = {name: [0, 0, 0] for name in FOLDERS}
    for path in listed:
        name = folder_of(path)
        if name and path.endswith(SOURCES + PAGES) and os.path.isfile(os.path.join(TOP, path)):
            text = prose(path)
            for i, found in enumerate((WORD.findall(text), BEGIN.findall(text), DUTIES.findall(text))):
                sums[name][i] += len(found)
    return {name: (starts * 1e4 / max(words, 1), duties * 1e4 / max(words, 1))
            for name, (words, starts, duties) in sums.items()}


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {name: (int(starts), int(duties)) for name, starts, duties in rows}


def write_table(now):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("# Per 10,000 words, by prose.py --write: sentences that begin with What, Who, Whose, "
                   "at most;\n# must and should, at least, where it counts\n")
        for name, (starts, duties) in now.items():
            file.write(f"{name}\t{math.ceil(starts)}\t{min(LEAST, math.floor(duties)) if FOLDERS[name] else 0}\n")


def main():
    if sys.argv[1:] == ["--write"]:
        write_table(count())
        return 0
    if sys.argv[1:]:
        for path in sys.argv[1:]:
            for sentence in BEGIN.findall(prose(os.path.relpath(path, TOP))):
                print(f"{path}: {' '.join(sentence.split())[:120]}")
        return 0
    failed = 0
    kept = read_table()
    for name, (starts, duties) in count().items():
        most, least = kept[name]
        if starts > most:
            print(f"{name}: {starts:.1f} sentences per 10,000 words begin with What, Who or Whose, more than "
                  f"{most}: see tools/ci/pages/prose.py FILE...")
            failed = 1
        if duties < least:
            print(f"{name}: must and should occur {duties:.1f} times per 10,000 words, less than {least}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
