#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write compile_commands.json, which clangd and other tools read.

    make -Bn TARGET... | compile-commands.py MODULE >compile_commands.json

The commands of library, tools and tests are those that make would run. Those of the module are
in the .cmd files that Kbuild has left in MODULE, a copy of the tree, if it was built.
"""
import glob
import json
import os
import re
import shlex
import sys


def commands(lines):
    for line in lines:
        for command in re.findall(r"(?:^|; )((?:\S*gcc|\S*clang|cc) [^;]*)", line):
            words = shlex.split(command)
            for source in (word for word in words if word.endswith(".c") and os.path.exists(word)):
                yield {"directory": os.getcwd(), "file": source, "arguments": words}


def kbuild(module):
    for path in glob.glob(os.path.join(module, "**", ".*.o.cmd"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        command = re.match(r"savedcmd_\S+ := *(.*)", text)
        source = re.search(r"^source_\S+ := *(\S+\.c)$", text, re.M)
        headers = re.search(r"(/\S*/linux-headers-\S*?)-common/", text)
        own = os.path.relpath(source[1], module) if source else "."
        # the file that is edited, not its copy
        if command and headers and os.path.exists(own):
            yield {"directory": headers[1] + "-amd64", "file": os.path.abspath(own),
                   "command": command[1].partition(" ; ")[0].replace(
                       os.path.abspath(module) + "/", os.getcwd() + "/")}


json.dump([*commands(sys.stdin.read().replace("\\\n", " ").split("\n")), *kbuild(sys.argv[1])], sys.stdout, indent=0)
