#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what --json has printed with the page that says what it means.

	json_paths.py PAGE COMMAND=FILE...

Under a heading "loom COMMAND", PAGE has a line "- ``path`` type: what it is" for each member; "[]" is
any element of an array, "*" any name. A line "As SECTION" has those of another heading. Each member
that was printed has to be in the page, with its type, and each in the page, unless its line says
"if", has to have been printed.
"""
import json
import re
import sys

TYPES = {"int": int, "number": (int, float), "string": str, "bool": bool}


def read_page(name):
    sections, section, before = {}, None, ""
    for line in open(name, encoding="utf-8"):
        line = line.rstrip("\n")
        if re.fullmatch(r"=+|-+", line) and before:
            section = sections.setdefault(before, {"members": {}, "as": []})
        match = re.match(r"- ``([^`]+)`` (int|number|string|bool|strings|ints)(, if .*?)?(:|$)", line)
        if match and section is not None:
            section["members"][match[1]] = (match[2], bool(match[3]))
        match = re.match(r"As (.*?)[:.]$", line)
        if match and section is not None:
            section["as"].append(match[1])
        before = line
    return sections


def members_of(sections, name):
    members = dict(sections[name]["members"])
    for other in sections[name]["as"]:
        members.update(members_of(sections, other))
    return members


def unique(pairs):
    names = [name for name, _ in pairs]
    for name in set(names):
        if names.count(name) > 1:
            raise SystemExit(f"a member comes twice: {name}")
    return dict(pairs)


def leaves(path, value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        for inner in value:
            yield from leaves(path + "[]", inner)
    else:
        yield path, value


def fits(name, path):
    return re.fullmatch(re.escape(name).replace(r"\*", "[^.]+"), path)


def find(members, path):
    return next((name for name in members if name == path or fits(name, path)), None)


def below(members, path):
    """What an array of objects has that is empty here."""
    return [name for name in members
            if "[]" in name and any(fits(name[:at.start()], path)
                                    for at in re.finditer(r"\[\]", name))]


def is_type(kind, value):
    if kind in ("strings", "ints"):
        each = str if kind == "strings" else int
        return isinstance(value, list) and all(isinstance(one, each) for one in value)
    if kind != "bool" and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[kind])


def main():
    sections = read_page(sys.argv[1])
    wrong = []
    for argument in sys.argv[2:]:
        command, name = argument.split("=", 1)
        members = members_of(sections, "loom " + command)
        with open(name, encoding="utf-8") as file:
            printed = list(leaves("", json.load(file, object_pairs_hook=unique)))
        seen = set()
        for path, value in printed:
            known = find(members, path)
            if value == [] and not known:
                seen.update(below(members, path))
                known = next(iter(below(members, path)), None)
            elif known and not is_type(members[known][0], value):
                wrong.append(f"loom {command}: {path} is not {members[known][0]}: {value}")
            if not known:
                wrong.append(f"loom {command}: {path} is not in {sys.argv[1]}")
            seen.add(known)
        wrong += [f"loom {command}: {path} was not printed" for path, (_, maybe) in members.items()
                  if not maybe and path not in seen]
    for line in dict.fromkeys(wrong):
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
