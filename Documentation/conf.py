# SPDX-License-Identifier: MIT
#
# Sphinx configuration. The kernel-doc directive is the kernel's own; `make docs`
# unpacks it from the kernel source package and says where through the environment.

import os
import sys

top = os.path.abspath("..")
ksource = os.environ.get("LOOM_KSOURCE", os.path.join(top, "build", "ksource"))
sys.path.insert(0, os.path.join(ksource, "Documentation", "sphinx"))
sys.path.insert(0, os.path.abspath("."))

project = "Loom"
extensions = ["kerneldoc", "plans", "rooms"]
master_doc = "index"
exclude_patterns = []
html_theme = "alabaster"
# pictures of plans and what the tool prints are wide
html_theme_options = {"page_width": "1340px", "body_max_width": "1100px"}
html_copy_source = False

primary_domain = "c"
highlight_language = "none"

kerneldoc_bin = os.path.join(ksource, "scripts", "kernel-doc")
kerneldoc_srctree = top
