#!/bin/bash
# SPDX-License-Identifier: MIT
# Apply the semantic patches of Documentation/upstream to the source of a kernel, and print the
# result as one patch. Each must change one file, or the exit status is 1.
#
#	tools/ci/upstream/patch.sh TARBALL
set -eu -o pipefail

tarball=$(realpath "$1")
cd "$(dirname "$0")/../../.."
drm=drivers/gpu/drm
# semantic patch, the files it may apply to
wanted="getmagic-accel $drm/drm_auth.c
getunique-accel $drm/drm_ioctl.c
sched-stopped-entity $drm/scheduler/sched_entity.c $drm/scheduler/sched_rq.c
syncobj-count $drm/drm_syncobj.c"

mkdir -p build/upstream
tmp=$(mktemp -d build/upstream/.patch.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/a"
xz -dc -T2 "$tarball" | tar -x -C "$tmp/a" --strip-components=1 --wildcards \
	"*/$drm/drm_*.c" "*/$drm/scheduler/*.c"
cp -R "$tmp/a" "$tmp/b"
while read -r name files; do
	changed=0
	for file in $files; do
		[ -f "$tmp/b/$file" ] || continue
		cp "$tmp/b/$file" "$tmp/before"
		spatch --very-quiet --in-place --sp-file "Documentation/upstream/$name.cocci" \
			"$tmp/b/$file" >"$tmp/log" 2>&1 || cat "$tmp/log" >&2
		cmp -s "$tmp/before" "$tmp/b/$file" || changed=$((changed + 1))
	done
	[ $changed = 1 ] || {
		echo "upstream: $name.cocci changes $changed files of $tarball" >&2
		exit 1
	}
done <<<"$wanted"
(cd "$tmp" && diff -ruN a b) | grep -v '^diff ' | sed -E 's/^((---|\+\+\+) [^\t]*)\t.*/\1/' || true
