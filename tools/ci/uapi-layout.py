#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that every struct of the UAPI headers has one layout for 32- and 64-bit
clients, and no hole that has no name.

    uapi-layout.py HEADER... -- CFLAGS...

Sizes, offsets and ioctl numbers are taken from the compiler's own assembly, so
nothing has to run on the 32-bit side.
"""
import os
import re
import subprocess
import sys


def structs(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for match in re.finditer(r"^struct (\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        body = match[2]
        # members of anonymous unions and structs are reached by their own names
        names = re.findall(r"(\w+)\s*(?:\[[^\]]*\])*\s*;", body)
        yield match[1], names


def main():
    end = sys.argv.index("--")
    headers, flags = sys.argv[1:end], sys.argv[end + 1:]
    header = os.path.commonpath(headers)
    text = ""
    for path in headers:
        with open(path, encoding="utf-8") as file:
            text += file.read()
    exprs = []
    for name, members in structs(text):
        exprs.append(f"sizeof(struct {name})")
        for member in members:
            exprs.append(f"__builtin_offsetof(struct {name}, {member})")
            exprs.append(f"sizeof(((struct {name} *)0)->{member})")
    exprs += re.findall(r"^#define\s+(DRM_IOCTL_LOOM_\w+)\s", text, flags=re.M)
    if len(exprs) < 10:
        print(f"{header}: found no structs to check")
        return 1
    source = "".join(f"#include <drm/{os.path.basename(path)}>\n" for path in headers)
    source += "unsigned int t[] = {\n"
    source += "".join(f"\t{e},\n" for e in exprs) + "};\n"
    multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True,
                               check=True).stdout.strip()
    values = []
    for width in ("-m32", "-m64"):
        out = subprocess.run(["gcc", width, "-isystem", f"/usr/include/{multiarch}", "-S",
                              "-x", "c", "-o", "-", "-", *flags],
                             input=source, capture_output=True, text=True, check=False)
        if out.returncode:
            sys.stdout.write(out.stderr)
            return 1
        found = []
        for kind, value in re.findall(r"^\s*\.(long|zero)\s+(-?\d+)", out.stdout, flags=re.M):
            found += [int(value)] if kind == "long" else [0] * (int(value) // 4)
        values.append(found)
    bad = 0
    if len(values[0]) != len(exprs) or len(values[1]) != len(exprs):
        print(f"{header}: asked for {len(exprs)} values, got {len(values[0])} and {len(values[1])}")
        return 1
    for expr, narrow, wide in zip(exprs, *values):
        if narrow != wide:
            print(f"{header}: {expr} is {narrow} in 32 bit, {wide} in 64 bit")
            bad = 1
    table = dict(zip(exprs, values[1]))
    for name, members in structs(text):
        end = 0
        for member in sorted(members, key=lambda m: table[f"__builtin_offsetof(struct {name}, {m})"]):
            start = table[f"__builtin_offsetof(struct {name}, {member})"]
            if start > end:
                print(f"{header}: struct {name} has a hole before {member}")
                bad = 1
            end = max(end, start + table[f"sizeof(((struct {name} *)0)->{member})"])
        if end != table[f"sizeof(struct {name})"]:
            print(f"{header}: struct {name} has a hole at its end")
            bad = 1
        if table[f"sizeof(struct {name})"] % 8:
            print(f"{header}: struct {name} is no multiple of eight bytes")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
