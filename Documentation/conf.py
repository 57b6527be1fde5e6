# SPDX-License-Identifier: MIT
#
# Sphinx configuration. The kernel-doc directive is the kernel's own; `make docs`
# unpacks it from the kernel source package and says where through the environment.

import logging
import os
import sys

top = os.path.abspath("..")
# the package for Python, and the library that it loads: `make docs` has built them
sys.path.insert(0, os.path.join(top, "build", "python"))
os.environ.setdefault("LOOM_LIBRARY", os.path.join(top, "build", "libloom.so.1"))
ksource = os.environ.get("LOOM_KSOURCE", os.path.join(top, "build", "ksource"))
sys.path.insert(0, os.path.join(ksource, "Documentation", "sphinx"))
sys.path.insert(0, os.path.abspath("extensions"))

project = "Loom"
extensions = ["kerneldoc", "automarkup", "plans", "rooms", "sphinx.ext.autodoc", "listed"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
master_doc = "index"
exclude_patterns = []
html_theme = "furo"
html_title = "Loom"
html_static_path = ["static"]
html_css_files = ["loom.css"]
html_copy_source = False
html_show_copyright = False
pygments_style = "tango"

primary_domain = "c"

# Not described by `make docs`: types of C, libc and the kernel, opaque handles, and functions that are
# named in comments of the driver.
nitpick_ignore_regex = [
    ("c:.*", r"u?int\d+_t|size_t|pid_t|FILE|bool|__[su]\d+|[us]\d+|errno|device|iosys_map|ttm_resource_manager"),
    # Python's own, which there is no inventory of here
    ("py:.*", ".*"),
    # handles of the library
    ("c:.*", r"loom_(device|graph|session|bo|target|program_file|context|saving|native_set)|loomplace_workspace"),
    # the driver's own
    ("c:.*", r"DRM_LOOM_MAX_BANKS|loom_(moves|job|flight|file|region|plan_object|pci_request|copy)"),
]

# These name a function and a struct, which C can tell apart and Sphinx cannot.
SAME_NAMES = "loom_array_figures", "loom_session_moved", "loom_move_piece"


def setup(app):
    """Keeps Sphinx from warning of these."""
    def passes(record):
        text = record.getMessage()
        return not ("Duplicate C declaration" in text and any(name in text for name in SAME_NAMES))
    logging.getLogger("sphinx.sphinx.domains.c").addFilter(passes)
highlight_language = "none"

kerneldoc_bin = os.path.join(ksource, "scripts", "kernel-doc")
kerneldoc_srctree = top
