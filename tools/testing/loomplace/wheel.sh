#!/bin/bash
# SPDX-License-Identifier: MIT
# The wheel of loomplace is built, installed into an environment of its own, and tested there.
#	wheel.sh FOLDER		where the environment and the wheel are made
set -eu
here=$(cd "$(dirname "$0")" && pwd)
(cd "$here/../../../userlib/loomplace" &&
	python3 -m pip wheel -q --no-build-isolation --no-deps -w "$1/wheel" .)
python3 -m venv --system-site-packages "$1/venv"
"$1/venv/bin/python" -m pip install -q --no-deps --no-index "$1"/wheel/loomplace-*.whl
cd "$1" && "$1/venv/bin/python" "$here/test_loomplace.py"
