# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by those who run checkpatch.

# checkpatch does not know numbers like 0x1.8p-3: it asks for spaces around the minus or parentheses
without_hex_floats() {
	local file line rest
	while IFS=: read -r file line rest; do
		case $rest in
		*"SPACING: spaces preferred around that '"[-+]"'"* | *COMPLEX_MACRO:*)
			sed -n "${line}p" "$file" | grep -qE '0x[0-9a-f.]+p[-+]?[0-9]' && continue ;;
		esac
		echo "$file:$line:$rest"
	done
}
