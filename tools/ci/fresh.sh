# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by those who check files one by one, and need not check again what has passed.

# fresh PASSED KEY COMMAND FILE...: runs the function COMMAND on files, 25 at a time, but for those that
# it passed before, with the same KEY and content. KEY must tell all that the answer depends on beside
# the file. COMMAND passes files if it is silent and its status 0; failures are not kept. PASSED is
# the file that lists passed files, which may be removed at any time.
fresh() {
	local passed=$1 key command=$3
	key=$(sha256sum <<<"$2")
	shift 3
	[ $# -gt 0 ] || return 0
	mkdir -p "$(dirname "$passed")"
	touch "$passed"
	# shellcheck disable=SC2163 # a function by its name
	export -f "$command" fresh_group
	sha256sum "$@" | sed "s/^/${key%% *} /" | sort | comm -23 - <(sort -u "$passed") |
		cut -d ' ' -f 4- | tr '\n' '\0' |
		xargs -0 -r -P "$(nproc)" -n 25 bash -c 'fresh_group "$@"' fresh "$command" \
			"${key%% *}" "$passed"
}

# A file that changed while it was checked has not passed.
fresh_group() {	# COMMAND KEY PASSED FILE...
	local command=$1 key=$2 passed=$3 said status=0 sums
	shift 3
	sums=$(sha256sum "$@")
	said=$("$command" "$@" 2>&1) || status=$?
	if [ $status != 0 ] || [ -n "$said" ]; then
		printf '%s\n' "$said"
		return $status
	fi
	[ "$sums" != "$(sha256sum "$@")" ] || sed "s/^/$key /" <<<"$sums" >>"$passed"
}
