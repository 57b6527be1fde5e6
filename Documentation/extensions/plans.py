# SPDX-License-Identifier: MIT
"""Pictures of plans, drawn when the pages are made: the planner changes more often than pages are
written. In Sphinx it is the directive "plan", a figure whose argument is the command that draws it,
without the file that it writes to, which comes last; "page" is the same of a command that writes an
HTML page, which is shown in a frame:

    .. plan:: build/loom plan build/models/mlsd_tiny.onnx --svg

       What is seen.

The command is run where the tree is. What is missing, the program or a model, is not made for
that: the page names the command instead.
"""
import hashlib
import os
import shlex
import shutil
import subprocess

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join("build", "pictures")


def draw(command, suffix=".svg"):
    """The picture's path in the tree, or None if something is missing."""
    words = shlex.split(command)
    files = [word for word in words if word.startswith("build/")]
    if not all(os.path.exists(os.path.join(TOP, file)) for file in files):
        return None
    path = os.path.join(FOLDER, hashlib.sha256(command.encode()).hexdigest()[:16] + suffix)
    os.makedirs(os.path.join(TOP, FOLDER), exist_ok=True)
    subprocess.run(words + [path], cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    return path


def setup(app):
    """Makes the directive."""
    from docutils.parsers.rst import Directive
    from docutils.statemachine import StringList
    from docutils import nodes

    class Plan(Directive):
        """A picture with what is said about it."""

        required_arguments = 1
        final_argument_whitespace = True
        has_content = True

        def run(self):
            command = " ".join(self.arguments[0].split())
            path = draw(command)
            if path:
                # as a page of its own it shows what the pointer is on
                lines = [f".. figure:: /../{path}", "   :width: 100%",
                         f"   :target: _images/{os.path.basename(path)}", ""]
                words = [f"   {line}" for line in self.content]
            else:
                lines = []
                words = list(self.content) + ["", f"Not drawn here, as something is missing: "
                                              f"``{command} FILE.svg``"]
            node = nodes.Element()
            self.state.nested_parse(StringList(lines + words, source=command),
                                    self.content_offset, node)
            return node.children

    class Page(Directive):
        """A page in a frame, and a link to it."""

        required_arguments = 1
        final_argument_whitespace = True
        has_content = True

        def run(self):
            command = " ".join(self.arguments[0].split())
            path = draw(command, ".html")
            words = list(self.content)
            found = []
            if path:
                name = os.path.basename(path)
                os.makedirs(os.path.join(app.outdir, "_images"), exist_ok=True)
                shutil.copyfile(os.path.join(TOP, path), os.path.join(app.outdir, "_images", name))
                words += ["", f"`Open it alone <_images/{name}>`__."]
                found = [nodes.raw("", f'<iframe class="view" src="_images/{name}" '
                                       f'title="{command}" loading="lazy"></iframe>', format="html")]
            else:
                words += ["", f"Not made here, as something is missing: ``{command} PAGE.html``"]
            node = nodes.Element()
            self.state.nested_parse(StringList(words, source=command), self.content_offset, node)
            return node.children + found

    app.add_directive("plan", Plan)
    app.add_directive("page", Page)
    return {"parallel_read_safe": True}
