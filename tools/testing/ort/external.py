#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Constants with data in a file beside the model, and names of files that want something else. TAP."""
import ctypes
import os
import sys
import tempfile

from cases import field, loom, numpy, value_info
from wrong_models import graph, node

W = numpy.arange(8, dtype="f4")
MANY = 2 << 20
EXCHANGES = 300
results = []


def ok(good, what, why=""):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} {what}" + (f"\n# {why}" if not good else ""))


def write(path, *, elems=4, in_node=False, raw=None, kind=1, **entries):
    """y = x + w; what is said of the data of w: location, offset, length, or @raw elements."""
    data = field(9, raw.tobytes()) if raw is not None else field(14, 1) + b"".join(
        field(13, field(1, key) + field(2, value)) for key, value in entries.items())
    tensor = field(1, elems) + field(2, kind) + field(8, "w") + data
    made = node("Constant", [], ["w"], field(1, "value") + field(5, tensor) + field(20, 4))
    body = graph([made] * in_node + [node("Add", ["x", "w"], ["y"])], [value_info("x", [elems], kind)],
                 [value_info("y", [elems], kind)], [] if in_node else [tensor])
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, body) + field(8, field(1, "") + field(2, 13)))


def read(path, elems=4):
    with loom.Graph(path) as one:
        return loom.run(one, {"x": numpy.zeros(elems, "f4")})["y"]


def is_read(first, what, **written):
    write("model.onnx", **written)
    try:
        got = read("model.onnx")
        ok(numpy.array_equal(got, W[first:first + 4]), what, got)
    except loom.Error as error:
        ok(False, what, error)


def is_refused(why, **written):
    at = 'node "the node": attribute value' if written.get("in_node") else 'constant "w"'
    write("model.onnx", **written)
    try:
        loom.Graph("model.onnx").close()
        ok(False, why, "it is read")
    except loom.Error as error:
        ok(str(error) == f"model.onnx: {at}: {why}", why, error)


def anonymous():
    """Bytes of this process that are in no file."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return int(next(one for one in file if one.startswith("RssAnon")).split()[1]) << 10


def stays_in_its_file(what, **written):
    write("model.onnx", elems=MANY, **written)
    before = anonymous()
    with loom.Graph("model.onnx"):
        grown = anonymous() - before
    ok(grown < 2 * MANY, f"many floats {what} stay there", f"{grown} bytes more")


def exchanged():
    """Another process exchanges folder "sub" and a link to a folder elsewhere, which is never read."""
    os.makedirs("net/sub")
    os.mkdir("far")
    os.symlink("../far", "net/evil")
    W.tofile("net/sub/w.bin")
    numpy.full(4, 66, "f4").tofile("far/w.bin")
    write("net/model.onnx", location="sub/w.bin")
    rename = ctypes.CDLL(None).renameat2
    child = os.fork()
    parent = os.getppid()
    while not child and os.getppid() == parent:
        rename(-100, b"net/sub", -100, b"net/evil", 2)
    right = refused = 0
    for _ in range(EXCHANGES):
        try:
            right += numpy.array_equal(read("net/model.onnx"), W[:4])
        except loom.Error as error:
            refused += "is not in the model's folder" in str(error)
    os.kill(child, 9)
    os.waitpid(child, 0)
    ok(right + refused == EXCHANGES, f"folders are exchanged meanwhile: {right} read, {refused} refused")


def main():
    os.mkdir("sub")
    os.mkfifo("pipe")
    for name in ("w.bin", "sub/w.bin"):
        W.tofile(name)
    for to, name in (("w.bin", "inside"), (os.path.abspath("w.bin"), "whole"), ("/etc/passwd", "outside"),
                     ("/etc", "up"), ("../model.onnx", "sub/link.onnx")):
        os.symlink(to, name)
    os.link("w.bin", "hard")
    is_read(0, "from the beginning", location="w.bin")
    is_read(4, "from an offset, with a length", location="w.bin", offset="16", length="16")
    is_read(1, "of a node", location="w.bin", offset="4", in_node=True)
    is_read(0, "in a folder beside it", location="sub/w.bin", offset="0")
    for name, what in (("inside", "a link that stays inside"), ("whole", "one with a whole path"),
                       ("hard", "a hard link")):
        is_read(0, "by " + what, location=name)
    write("model.onnx", location="w.bin")
    ok(numpy.array_equal(read("sub/link.onnx"), W[:4]), "a link to a model counts from its own folder")
    try:
        with open("model.onnx", "rb") as file:
            loom.Graph.parse(file.read()).close()
        ok(False, "a model in memory has no folder")
    except loom.Error as error:
        ok("there is no folder for it" in str(error), "a model in memory has no folder", error)
    for name in ("../w.bin", "sub/..", "/etc/passwd", "outside", "up/passwd"):
        is_refused(f'file "{name}" is not in the model\'s folder', location=name)
    is_refused('its 16 bytes are at 20 of file "w.bin", which has 32', location="w.bin", offset="20")
    is_refused("its data do not fit its shape", location="w.bin", length="12")
    for key, number in (("offset", "99999999999999999999"), ("offset", "-4"), ("length", "")):
        is_refused(f'its {key} "{number}" is no number', location="w.bin", **{key: number})
    is_refused("its data are in another file that has no name", offset="4")
    for name in ("sub", "pipe"):
        is_refused(f'"{name}" is not a file', location=name)
    for in_node in (False, True):
        is_refused('file "none.bin": No such file or directory', location="none.bin", in_node=in_node)
    exchanged()
    # behind a byte, so that they have no alignment
    many = numpy.ones(MANY, "f4")
    with open("many.bin", "wb") as file:
        file.write(b"0" + many.tobytes())
    stays_in_its_file("beside the model", location="many.bin", offset="1")
    stays_in_its_file("of the model", raw=many)
    stays_in_its_file("of a node", raw=many, in_node=True)
    print(f"1..{len(results)}")
    return not all(results)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main())
