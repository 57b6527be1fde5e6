#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists what a tree should not contain, one line each, and fails if there is any:
#
#   - files that an editor, a merge or a patch leaves behind (.orig, .rej, .bak, .swp, ~);
#   - lines that a merge leaves behind in a file;
#   - paths that lead out of the tree, or that exist on one machine only.
#
#	tools/ci/leftovers.sh [FOLDER]	the checkout to look at; this one unless given
set -u

cd "${1:-$(dirname "$0")/../..}" || exit 2
git rev-parse --is-inside-work-tree >/dev/null || exit 2
found=$({
	git ls-files -co --exclude-standard |
		grep -E '(\.(orig|rej|bak|swp|swo)|~)$' | sed 's/$/: left behind by a tool/'
	git grep -nIE '^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |$)' |
		sed 's/$/: left behind by a merge/'
	# a folder beside the checkout, somebody's home, this very checkout
	{
		git grep -nIE -e '(^|[^.])(\.\./)+shared(/|$)' \
			-e '(^|[^A-Za-z0-9_.])/(home/[a-z]|root/|Users/|mnt/)' -- . ":!tools/ci/leftovers.sh"
		git grep -nIF -e "$PWD/" -- .
	} | sed 's/$/: a path outside of the tree/'
})
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
