# SPDX-License-Identifier: MIT
"""The rooms of the library and of core as a picture, floor by floor, from tools/ci/floors.txt: the
list that `make lint` checks the code against. Which rooms one uses is read from its #include lines.

    python3 Documentation/extensions/rooms.py >rooms.svg

In Sphinx it is the directive "rooms".
"""
import os
import re
import sys
import textwrap
from html import escape

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LIST = os.path.join(TOP, "tools", "ci", "floors.txt")
WIDTH, GAP, MARGIN = 920, 12, 16


def read_list():
    """The floors from the bottom, each a list of rooms; what each room is for; the rooms of public
    headers."""
    floors, purposes, owners = [], {}, {}
    with open(LIST, encoding="utf-8") as lines:
        for line in lines:
            purpose = re.match(r"# ([\w/]+): (.*)", line)
            if purpose:
                purposes[purpose[1]] = purpose[2]
            elif line.startswith("header:"):
                owners.update(dict.fromkeys(line.split()[2:], line.split()[1]))
            elif line.strip() and not re.match(r"#|\w+:", line):
                floors.append(line.split())
    return floors, purposes, owners


def folder(room):
    """Where a room's files are."""
    core = os.path.join(TOP, "drivers", "accel", "loom", "core")
    if room == "core":
        return core
    return os.path.join(core, room[5:]) if room.startswith("core/") else \
        os.path.join(TOP, "userlib", room)


def sources(room):
    """The names of a room's files."""
    return sorted(name for name in os.listdir(folder(room)) if name.endswith((".c", ".h")))


def uses(room, rooms, owners):
    """The rooms whose headers the files of this one include, in the order of the list."""
    found = set()
    core = sources("core")
    for name in sources(room):
        # the headers of core's rooms are in core/ itself
        if owners.get(name, room) != room:
            continue
        with open(os.path.join(folder(room), name), encoding="utf-8") as source:
            for path, header in re.findall(r'^#include "((?:\w+/)?)(\w+\.h)"', source.read(), re.M):
                if path:
                    found |= {path[:-1], "core/" + path[:-1]}
                else:
                    found.add(owners.get(header, "core" if header in core else room))
    return [other for other in rooms if other in found and other != room]


def text(x, y, size, words, more=""):
    """One centred line."""
    return f'<text x="{x:.1f}" y="{y}" font-size="{size}" text-anchor="middle"{more}>' \
        f"{escape(words)}</text>"


def box(room, words, x, y, width, height):
    """One room; @words: its purpose and what it uses, in lines."""
    purpose, below = words
    fill = "#f5e6b3" if room.startswith("core") else "#cfe8fa"
    middle = x + width / 2
    out = [f'<g><title>{escape(room)}: {len(sources(room))} files</title>',
           f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="4" '
           f'fill="{fill}" stroke="#666"/>',
           text(middle, y + 20, 15, room, ' font-weight="bold"')]
    for row, line in enumerate(purpose):
        out.append(text(middle, y + 37 + 14 * row, 11, line))
    for row, line in enumerate(reversed(below)):
        out.append(text(middle, y + height - 8 - 12 * row, 10, line, ' fill="#666"'))
    return out + ["</g>"]


def svg():
    """The picture."""
    floors, purposes, owners = read_list()
    rooms = [room for floor in floors for room in floor]
    boxes = []
    y = GAP
    for floor in reversed(floors):
        width = (WIDTH - 2 * MARGIN - GAP * (len(floor) - 1)) / len(floor)
        words = []
        for room in floor:
            below = uses(room, rooms, owners)
            words.append((textwrap.wrap(purposes.get(room, ""), int(width / 6)),
                          textwrap.wrap("uses " + ", ".join(below), int(width / 5.4))
                          if below else []))
        height = 34 + max(14 * len(purpose) + 12 * len(below) for purpose, below in words)
        for place, room in enumerate(floor):
            boxes += box(room, words[place], MARGIN + place * (width + GAP), y, width, height)
        y += height + GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" ' \
        f'height="{y}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>'] + boxes +
                     ["</svg>"]) + "\n"


def setup(app):
    """Makes the directive."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Rooms(Directive):
        """The picture, in a page."""

        def run(self):
            self.state.document.settings.env.note_dependency(LIST)
            return [nodes.raw("", svg(), format="html")]

    app.add_directive("rooms", Rooms)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    sys.stdout.write(svg())
