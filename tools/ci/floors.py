#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The architecture of the library and of core, checked: rooms stand on floors, and use only what
stands below.

    tools/ci/floors.py [--root DIR] [--objects DIR]
    tools/ci/floors.py [--root DIR] --module DIR

With --module only that the module's own files (without core/ and tests/), whose objects are in DIR,
do not use each other in a circle, and keep the floors of floors-module.txt. Else the same circles
in the files of each tool, and:

Reads the symbols of the objects (nm) and the #include lines of the sources, and prints one line for
each violation of floors.txt: a use of a room above or beside, a circle of files inside of a room,
a room whose header does not open with an essay, a file in no room, a symbol with two definitions,
a public header outside of userlib/include (but that of a library of its own, named after its
folder), a tag loom_* with two definitions in the driver or in library and core, a room or file in
floors.txt that does not exist. The exit status is 1 if there is any, 2 if the check could not be
done (floors.txt has an error, an object is missing or older than its source).
Long files and full folders are warnings.

floors.txt, line by line:
    # NAME: text             what a room is for
    NAME...                  a floor, the lowest first; rooms on one floor do not use each other
    header: NAME FILE...     public headers that belong to a room
    files: NAME FILE...      in floors-module.txt, files in no folder that belong to a room
    circle: FILE... because TEXT
                             files of a room that may use each other in a circle
    optional: NAME because TEXT
                             a room that is not built everywhere: files without objects are not
                             looked into
    allow: FROM TO because TEXT
                             an exception: FROM may use TO. Both are rooms or files, FROM may
                             be a pattern, but not one that matches everything (*)
Files are named from userlib/ or from drivers/accel/loom/ on: place/solve.c, core/bank/bank.c.
"""
import argparse
import collections
import fnmatch
import itertools
import os
import re
import subprocess
import sys

LIBRARY = "userlib"
CORE = "drivers/accel/loom/core"
PUBLIC = LIBRARY + "/include"
TOOLS = ("tools/loom", "tools/sim")
MOST_LINES = 800
MOST_FILES = 40
FIRST_PAGE = 40
SOURCES = (".c", ".h", ".py", ".sh", ".js", ".y", ".l")
UNDEFINED = ("U", "w", "v")  # kinds of nm: a use, a weak use, a weak use of an object
TAG = re.compile(r"^(?:struct|union|enum) (loom_\w+) \{", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.M)


class Broken(Exception):
    """The check cannot be done."""


class Floors:
    """floors.txt: which room stands on which floor, and the exceptions."""

    def __init__(self, path):
        self.floor = {}
        self.header = {}
        self.circles = []
        self.optional = set()
        self.allowed = []
        self.used = set()
        height = 0
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                words = line.split()
                if words[0] in ("header:", "files:"):
                    if len(words) < 3:
                        raise Broken(f"floors.txt:{number}: a room and its headers are wanted")
                    for name in words[2:]:
                        self.header[name] = words[1]
                elif words[0] in ("circle:", "allow:", "optional:"):
                    if "because" not in words or words[-1] == "because":
                        raise Broken(f"floors.txt:{number}: no reason is given (because ...)")
                    names = tuple(words[1:words.index("because")])
                    if words[0] == "allow:" and len(names) != 2:
                        raise Broken(f"floors.txt:{number}: an arrow goes from one to another")
                    if words[0] == "allow:" and not names[0].strip("*?/"):
                        raise Broken(f"floors.txt:{number}: {names[0]} would allow everything")
                    if words[0] == "optional:":
                        self.optional.update(names)
                        continue
                    (self.circles if words[0] == "circle:" else self.allowed).append(names)
                else:
                    height += 1
                    for name in words:
                        if name in self.floor:
                            raise Broken(f"floors.txt:{number}: {name} stands on two floors")
                        self.floor[name] = height

    def allows(self, source, target, rooms):
        """An allow: line lets the file or room use the other."""
        for names in self.allowed:
            if any(fnmatch.fnmatch(name, names[0]) for name in (source, rooms[0])) and \
                    names[1] in (target, rooms[1]):
                self.used.add(names)
                return True
        return False

    def bears_circle(self, files):
        """A circle: line lists all these files."""
        for names in self.circles:
            if set(files) <= set(names):
                self.used.add(names)
                return True
        return False

    def idle(self, known):
        """Exceptions that are not needed, or that name no known room or file."""
        for names in self.circles:
            if names not in self.used:
                yield f"floors.txt: there is no circle of {' '.join(names)}: remove the line"
        for names in self.allowed:
            unknown = [name for name in names[1:] if name not in known]
            if not fnmatch.filter(known, names[0]):
                unknown.insert(0, names[0])
            for name in unknown:
                yield f"floors.txt: allow: there is no room or file {name}"
            if not unknown and names not in self.used:
                yield f"floors.txt: {names[0]} does not use {names[1]}: remove the line"


def short(path):
    """As floors.txt names it."""
    for folder in (LIBRARY, os.path.dirname(CORE)):
        if path.startswith(folder + "/"):
            return path[len(folder) + 1:]
    return path


def room_of(path, floors):
    """The room of a source or header, or None if it is in none."""
    name = os.path.basename(path)
    if path.startswith(PUBLIC + "/"):
        return floors.header.get(name, "include/" + name)
    if path.startswith(LIBRARY + "/"):
        names = path.split("/")[1:-1]
        while len(names) > 1 and "/".join(names) not in floors.floor:
            names.pop()  # a folder of a room is a room of its own if it stands on a floor
        return "/".join(names) or None
    if path.startswith(CORE + "/"):
        inside = path[len(CORE) + 1:]
        if "/" in inside:
            return "core/" + inside.split("/")[0]
        return floors.header.get(name, "core")
    return None


def tracked(root):
    """Files that git tracks or would add, if they exist."""
    run = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
                         stdout=subprocess.PIPE, check=False)
    if run.returncode:
        raise Broken(f"{root}: git does not list the files")
    names = sorted(set(run.stdout.decode().split("\0")) - {""})
    return [name for name in names if os.path.isfile(os.path.join(root, name))]


def read_symbols(root, objects, sources, optional=()):
    """Who defines a symbol, and what each source uses: (definers by symbol, symbols by source)."""
    paths = {os.path.join(objects, source[:-2] + ".o"): source for source in sources}
    for path, source in list(paths.items()):
        if short(source).split("/")[0] in optional and \
                not os.path.exists(os.path.join(root, path)):
            del paths[path]
            continue
        if not os.path.exists(os.path.join(root, path)):
            raise Broken(f"no object of {source}: make lib first")
        if os.path.getmtime(os.path.join(root, path)) < \
                os.path.getmtime(os.path.join(root, source)):
            raise Broken(f"the object of {source} is older than the source: make lib first")
    run = subprocess.run(["nm", "-g", "-A", "-P", *paths], cwd=root, stdout=subprocess.PIPE,
                         check=False)
    if run.returncode:
        raise Broken("nm does not read the objects")
    defined = collections.defaultdict(list)
    used = collections.defaultdict(set)
    for line in run.stdout.decode().splitlines():
        name, symbol, kind = line.split()[:3]
        source = paths[name.rstrip(":")]
        if kind in UNDEFINED:
            used[source].add(symbol)
        else:
            defined[symbol].append(source)
    return defined, used


def read_includes(root, path, known):
    """Headers of the tree that a file includes."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        names = INCLUDE.findall(file.read())
    for name in names:
        for folder in (os.path.dirname(path), LIBRARY, PUBLIC, CORE):
            target = os.path.normpath(os.path.join(folder, name))
            if target in known:
                yield target
                break


class Check:
    """All checks, for one tree."""

    def __init__(self, root, objects):
        self.root = root
        self.floors = Floors(os.path.join(root, "tools/ci/floors.txt"))
        self.files = tracked(root)
        self.ours = [f for f in self.files
                     if f.startswith((LIBRARY + "/", CORE + "/")) and f.endswith((".c", ".h"))]
        self.sources = [f for f in self.ours if f.endswith(".c")]
        self.defined, self.used = read_symbols(root, objects, self.sources,
                                               self.floors.optional)

    def arrow(self, source, target, verb):
        """One line if a file may not use the other."""
        rooms = [room_of(path, self.floors) for path in (source, target)]
        if rooms[0] == rooms[1]:
            return
        floor = [self.floors.floor.get(room) for room in rooms]
        if None in floor or floor[0] > floor[1]:
            return
        if self.floors.allows(short(source), short(target), rooms):
            return
        where = "below" if floor[0] < floor[1] else "beside"
        yield f"{source} {verb} {target}: {rooms[0]} stands {where} {rooms[1]}"

    def rooms(self):
        """Files in no room, rooms that are not in floors.txt or only there, rooms without essay."""
        found = set(self.floors.header.values())
        for path in self.ours:
            room = room_of(path, self.floors)
            if room:
                found.add(room)
            else:
                yield f"{path} is in no room"
        for room in sorted(found - set(self.floors.floor)):
            yield f"{room} is on no floor of floors.txt"
        for name in self.floors.header:
            if not {f"{PUBLIC}/{name}", f"{CORE}/{name}"} & set(self.ours):
                yield f"floors.txt: header: there is no public header {name}"
        for room in self.floors.floor:
            folder = f"{os.path.dirname(CORE) if room.startswith('core') else LIBRARY}/{room}/"
            if not any(path.startswith(folder) for path in self.ours):
                yield f"floors.txt: there is no room {room}: {folder} has no files"
                continue
            header = f"{LIBRARY}/{room}/{os.path.basename(room)}.h"
            if not room.startswith("core") and not self.has_essay(header):
                yield f"{header} does not open with a DOC: essay that says what the room does"

    def has_essay(self, header):
        """The header of a room is there, and the essay begins on its first page."""
        if header not in self.files:
            return False
        with open(os.path.join(self.root, header), encoding="utf-8") as file:
            return any("DOC:" in line for line in itertools.islice(file, FIRST_PAGE))

    def symbols(self):
        """Symbols with two definitions, and arrows by symbols."""
        for symbol, files in sorted(self.defined.items()):
            if len(files) > 1:
                yield f"{symbol} is defined more than once: in {', '.join(files)}"
        for source in self.sources:
            for symbol in sorted(self.used[source]):
                for target in self.defined.get(symbol, ()):
                    yield from self.arrow(source, target, f"uses {symbol} of")

    def includes(self):
        """Arrows by #include lines."""
        known = set(self.ours)
        for source in self.ours:
            for target in sorted(set(read_includes(self.root, source, known))):
                yield from self.arrow(source, target, "includes")

    def circles(self):
        """Files of a room that use each other in a circle."""
        uses = {source: {} for source in self.sources}
        for source in self.sources:
            room = room_of(source, self.floors)
            for symbol in sorted(self.used[source]):
                for target in self.defined.get(symbol, ()):
                    if target != source and room_of(target, self.floors) == room:
                        uses[source].setdefault(target, symbol)
        for files in components(uses):
            if not self.floors.bears_circle([short(path) for path in files]):
                yield f"{os.path.dirname(files[0])}: {circle(uses, files)}"

    def large(self):
        """Files that are long, and folders with many files: where to divide next."""
        folders = collections.Counter(os.path.dirname(path) for path in self.files)
        for path in self.files:
            if path.endswith(SOURCES):
                with open(os.path.join(self.root, path), "rb") as file:
                    lines = file.read().count(b"\n")
                if lines > MOST_LINES:
                    yield f"{path} has {lines} lines, more than {MOST_LINES}"
        for folder, count in sorted(folders.items()):
            if count > MOST_FILES:
                yield f"{folder} has {count} files, more than {MOST_FILES}"

    def places(self):
        """Public headers in the wrong place."""
        for path in self.files:
            name = os.path.basename(path)
            if path.startswith(LIBRARY + "/") and os.path.dirname(path) != PUBLIC and \
                    name.startswith("loom") and name.endswith(".h") and \
                    os.path.basename(os.path.dirname(path)) + ".h" != name:
                yield f"{path} is a public header: it belongs into {PUBLIC}"

    def tags(self):
        """Tags of structures that mean two things, in the driver, or in library and core."""
        for folders in ((os.path.dirname(CORE) + "/",), (LIBRARY + "/", CORE + "/")):
            found = collections.defaultdict(list)
            for path in self.files:
                if path.startswith(folders) and path.endswith((".c", ".h")):
                    with open(os.path.join(self.root, path), encoding="utf-8") as file:
                        for tag in TAG.findall(file.read()):
                            found[tag].append(path)
            for tag, paths in sorted(found.items()):
                # in one file they exclude each other, or it would not compile
                if len(set(paths)) > 1:
                    yield f"{tag} has more than one definition: in {', '.join(paths)}"

    def run(self):
        """All violations, line by line."""
        for part in (self.rooms, self.symbols, self.includes, self.circles, self.places, self.tags):
            yield from part()
        for room in sorted(self.floors.optional - set(self.floors.floor)):
            yield f"floors.txt: optional: there is no room {room}"
        yield from self.floors.idle({*self.floors.floor, *map(short, self.ours)})


def components(uses):
    """Strongly connected files, two or more each (Tarjan's algorithm, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in uses:
        if start in index:
            continue
        work = [(start, iter(uses[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(uses[following])))
            elif following in on_stack:
                low[node] = min(low[node], index[following])
    return sorted(found)


def shortest_loop(uses, files):
    """The shortest circle in a component, to name the symbols of."""
    best = None
    for start in files:
        before = {start: None}
        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            if start in uses[node]:
                loop = []
                while node:
                    loop.append(node)
                    node = before[node]
                loop.reverse()
                if not best or len(loop) < len(best):
                    best = loop
                break
            for following in uses[node]:
                if following in files and following not in before:
                    before[following] = node
                    queue.append(following)
    return best


def circle(uses, files):
    """One line for files that use each other in a circle."""
    loop = shortest_loop(uses, files)
    steps = [f"{os.path.basename(a)} uses {uses[a][b]} of {os.path.basename(b)}"
             for a, b in zip(loop, loop[1:] + loop[:1])]
    names = " ".join(os.path.basename(path) for path in files)
    return f"a circle of files: {names}: {', '.join(steps)}"


def module_arrows(floors, uses):
    """Files of the module that use a room above or beside, and rooms that are not there."""
    rooms = {path: floors.header.get(path, os.path.dirname(path)) for path in uses}
    for path, room in rooms.items():
        if room not in floors.floor:
            yield f"{path} is in no room of floors-module.txt"
    for name in sorted({*floors.floor, *floors.header} - {*rooms, *rooms.values()}):
        yield f"floors-module.txt: there is no room or file {name}"
    for source, targets in uses.items():
        for target, symbol in targets.items():
            pair = [rooms[source], rooms[target]]
            floor = [floors.floor.get(room) for room in pair]
            if pair[0] != pair[1] and None not in floor and floor[0] <= floor[1]:
                where = "below" if floor[0] < floor[1] else "beside"
                yield f"{source} uses {symbol} of {target}: {pair[0]} stands {where} {pair[1]}"


def folder_circles(root, folder, objects, apart=(), floors=None):
    """Files of a folder that use each other in a circle or against @floors, but for those @apart."""
    sources = [path[len(folder) + 1:] for path in tracked(root)
               if path.startswith(folder + "/") and path.endswith(".c")
               and not path.startswith(apart)]
    if not sources:
        raise Broken(f"no source in {folder}")
    defined, used = read_symbols(os.path.join(root, folder), os.path.abspath(objects), sources)
    uses = {source: {} for source in sources}
    for source in sources:
        for symbol in sorted(used[source]):
            for target in defined.get(symbol, ()):
                if target != source:
                    uses[source].setdefault(target, symbol)
    for files in components(uses):
        yield f"{folder}: {circle(uses, files)}"
    if floors:
        yield from module_arrows(floors, uses)


def all_circles(root, module, objects):
    """In the module, whose core has rooms and whose tests are apart, or in the tools."""
    if module:
        folder = os.path.dirname(CORE)
        floors = Floors(os.path.join(root, "tools/ci/floors-module.txt"))
        return folder_circles(root, folder, module, (CORE + "/", folder + "/tests/"), floors)
    tools = [folder for folder in TOOLS if os.path.isdir(os.path.join(root, folder))]
    return (line for folder in tools
            for line in folder_circles(root, folder, os.path.join(root, objects, folder)))


def main():
    parser = argparse.ArgumentParser(description="Checks the floors of the house.")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "../.."))
    parser.add_argument("--objects", default="build/obj")
    parser.add_argument("--module", metavar="DIR")
    args = parser.parse_args()
    try:
        wrong, large = [], []
        if not args.module:
            check = Check(args.root, args.objects)
            wrong, large = list(check.run()), list(check.large())
        wrong += all_circles(args.root, args.module, args.objects)
    except Broken as error:
        print(f"floors: {error}", file=sys.stderr)
        return 2
    for line in wrong:
        print(line)
    for line in large:
        print(f"warning: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
