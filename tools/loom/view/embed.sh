#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of "loom view" as C source: embed.sh FOLDER, with FOLDER/page.html, and the style and the
# scripts that it stands for: all *.css and *.js in the order of their names.
#
# The policy of the page names style and script by their hashes, so that nothing else in it can run.
# Indentation and lines that are comments are left out: pages are many, and none is read as source.
set -eu
export LC_ALL=C

folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lean() {
	sed -e 's/^[[:space:]]*//' -e '/^\/\//d' -e '/^\/\*.*\*\/$/d' -e '/^$/d' "$@"
}
hash_of() {
	sha256sum "$1" | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64 -w 0
}

lean "$folder"/*.css >"$work/style"
{
	echo "'use strict';"
	lean "$folder"/*.js
} >"$work/script"
if grep -qi '</s\|<!--' "$work/style" "$work/script"; then
	echo "$folder: style or script would end early" >&2
	exit 1
fi
policy="default-src 'none'; script-src 'sha256-$(hash_of "$work/script")'; \
style-src 'sha256-$(hash_of "$work/style")'; base-uri 'none'; form-action 'none'"

# placeholders on their own lines are replaced by files
awk -v policy="$policy" -v work="$work" '
function put(file,    line, first) {
	for (first = 1; (getline line <file) > 0; first = 0)
		printf "%s%s", first ? "" : "\n", line
	printf "\n"
}
/@STYLE@/ { printf "<style>"; put(work "/style"); print "</style>"; next }
/@SCRIPT@/ { printf "<script>"; put(work "/script"); print "</script>"; next }
{ sub(/@POLICY@/, policy); print }' "$folder/page.html" >"$work/page"

# The hash is of all bytes between the tags, the last line end included. Open placeholders are
# between the strings.
echo 'const char *const tool_view_parts[] = {'
sed -e 's/[\\"?]/\\&/g' -e 's/@TITLE@\|@DATA@/",\n"/' -e 's/.*/\t"&\\n"/' "$work/page"
echo '};'
