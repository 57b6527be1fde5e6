# SPDX-License-Identifier: MIT
"""Docstrings of the package for Python as they are read in help(): lines that begin with the name of a
parameter and a colon become a list in the pages."""
import re

NAMED = re.compile(r"(\w+(?:, \w+)*): ")


def listed(_app, _what, _name, _object, _options, lines):
    """Blocks of lines whose first names a parameter, in place."""
    found, inside, before = [], False, ""
    for line in lines:
        named = NAMED.match(line)
        if not before.strip():
            inside = bool(named)
        if inside and named:
            found.append(f"* **{named[1]}**: {line[named.end():]}")
        elif inside and line.strip():
            found.append("  " + line.strip())
        else:
            found.append(line)
        before = line
    lines[:] = found


def setup(app):
    """For sphinx.ext.autodoc, which has to be there."""
    app.connect("autodoc-process-docstring", listed)
    return {"parallel_read_safe": True}
