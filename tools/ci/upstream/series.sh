#!/bin/bash
# SPDX-License-Identifier: MIT
# Cut the driver into the patches that would go to the kernel's lists, in build/series/: laid out as
# in a kernel tree, in an order in which each can be read with what came before it. The driver is
# hooked into drivers/accel by the patch that brings its back end, so every step builds.
# Each patch goes through checkpatch --strict, and Sphinx reads the pages. TAP.
#
# SERIES=core: a first series, in build/series-core/: native commands, data moves, and the template
# as the one back end. It leaves out whole files, their options of Kconfig, and in headers what these
# options bring (core.sh). Its lines are counted, and it is built with W=1 against KDIR. In the VM
# run its selftests, and its KUnit if the kernel of KDIR has that.
set -eu -o pipefail

cd "$(dirname "$0")/../../.."
unset MAKEFLAGS MFLAGS MAKELEVEL
core=$([ "${SERIES:-}" = core ] && echo -core || true)
. tools/ci/checkpatch.sh
tools/ci/ksource.sh >&2
out=$PWD/build/series$core
tree=$out.tree
checkpatch=$PWD/build/ksource/scripts/checkpatch.pl
# types that lint.sh ignores everywhere and in core/, and those that need the whole tree
ignore=SPDX_LICENSE_TAG,EXPORT_SYMBOL,BIT_MACRO,NEW_TYPEDEFS,PREFER_KERNEL_TYPES
ignore=$ignore,PREFER_DEFINED_ATTRIBUTE_MACRO,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
ignore=$ignore,FILE_PATH_CHANGES,CAMELCASE,NO_AUTHOR_SIGN_OFF,MISSING_SIGN_OFF

rm -rf "$out" "$tree"
mkdir -p "$tree"
git -C "$tree" init -q
commit() {
	git -C "$tree" -c user.name="$(git config user.name || echo Loom)" \
		-c user.email="$(git config user.email || echo loom@localhost)" commit -q "$@"
}
# of the kernel's tree what the patches change
hooks="MAINTAINERS drivers/accel/Kconfig drivers/accel/Makefile Documentation/accel/index.rst
tools/testing/selftests/Makefile"
for file in $hooks; do
	install -D -m 644 "build/ksource/$file" "$tree/$file"
done
git -C "$tree" add .
commit -m "a kernel tree"

# Only what git has: no products of a build.
mkdir -p "$tree/include/uapi/drm"
git archive HEAD drivers/accel/loom | tar -x -C "$tree"
git archive HEAD:uapi/drm | tar -x -C "$tree/include/uapi/drm"
mkdir "$tree/tools/testing/selftests/loom" "$tree/Documentation/accel/loom"
git archive HEAD:selftests | tar -x -C "$tree/tools/testing/selftests/loom"
pages="uapi verifier"
for page in $pages; do
	# the header is elsewhere there, and the other pages are not there
	git show "HEAD:Documentation/$page.rst" |
		sed 's,kernel-doc:: uapi/,kernel-doc:: include/uapi/,; s/:doc:`\([a-z]*\)`/"\1" of libloom/' \
		>"$tree/Documentation/accel/loom/$page.rst"
done
if [ -n "$core" ]; then
	. tools/ci/upstream/core.sh
	core_cut
fi
{
	printf '.. SPDX-License-Identifier: GPL-2.0\n\n=======================================\n'
	printf 'accel/loom Loom neural accelerators\n=======================================\n\n'
	printf '.. toctree::\n\n'
	# shellcheck disable=SC2086 # a list
	printf '   %s\n' $pages
} >"$tree/Documentation/accel/loom/index.rst"

# before LINE PATTERN FILE: a line of its own before the first that matches
before() {
	grep -q "$2" "$tree/$3"
	sed -i "0,/$2/s//$1\n&/" "$tree/$3"
}
before '   loom\/index' '^   qaic' Documentation/accel/index.rst
before 'source "drivers\/accel\/loom\/Kconfig"' '^source "drivers.accel.qaic' drivers/accel/Kconfig
before 'obj-$(CONFIG_DRM_ACCEL_LOOM)\t\t+= loom\/' '^obj-.*QAIC' drivers/accel/Makefile
before 'TARGETS += loom' '^TARGETS += lsm' tools/testing/selftests/Makefile
# by its heading among those of DRM
awk 'NR == FNR { if (!/^#/ && (/./ || entry)) { entry = entry $0 "\n"; if (!name) name = $0 } next }
	!done && /^DRM / && $0 > name { printf "%s\n", entry; done = 1 }
	{ print }
	END { exit !done }' MAINTAINERS "build/ksource/MAINTAINERS" >"$tree/MAINTAINERS"

# patch SUBJECT BODY PATH...: the files of these paths that are in no earlier patch
count=0
patch() {
	local subject=$1 body=$2 path
	shift 2
	for path; do
		[ -z "$(git -C "$tree" ls-files -co -- "$path")" ] || git -C "$tree" add -- "$path"
	done
	commit -m "$subject" -m "$body"
	count=$((count + 1))
}

d=drivers/accel/loom
patch "MAINTAINERS: add Loom neural accelerators" \
	"The files of the driver, and where to write about it." MAINTAINERS
patch "drm/loom: add the user space interface" \
	"Ioctls, the plan format, and what a client can rely on." include Documentation
patch "accel/loom: add allocation of addresses in banked memory" \
	"Freestanding: knows neither a kernel nor a client." \
	$d/core/bank $d/core/chip $d/core/loom_bank.h $d/core/loom_chip.h $d/core/loom_core.h \
	$d/core/loom_layout.h $d/core/loom_mask.h \
	${core:-$d/core/loom_span.h}
patch "accel/loom: add the verifier of plans" \
	"Proves that a plan touches nothing but its own memory." \
	$d/core/verify $d/core/op $d/core/clock $d/core/loom_verify.h $d/core/loom_plan.h \
	$d/core/loom_op.h $d/core/loom_clock.h $d/core/loom_native.h $d/core/loom_tile.h
[ -n "$core" ] ||
	patch "accel/loom: add the engine" "Runs a plan that was proved safe, in pieces." $d/core
patch "accel/loom: add buffers and their placement" \
	"Regions of banks as resource managers of TTM, quotas, shapes of buffers." \
	$d/loom_compat.h $d/loom_bo.[ch] $d/loom_region.[ch] $d/loom_ttm.[ch] $d/loom_quota.[ch] \
	$d/loom_shape.[ch] $d/loom_file.[ch] $d/loom_file_user.c $d/loom_user.[ch] $d/loom_leftover.[ch] \
	$d/loom_shards.c $d/loom_import.c $d/sram \
	$d/memory
patch "accel/loom: add contexts and jobs" \
	"Queues of jobs on the DRM scheduler, fences, timeouts." \
	$d/loom_context.[ch] $d/loom_job.[ch] $d/loom_submit.c $d/loom_sync.[ch] \
	$d/loom_plan_object.[ch] $d/loom_plan_fit.c $d/report
back_end="a back end of software" body="a device made of software that runs on any"
[ -z "$core" ] || { back_end="a template of a back end" body="a device that tests the core on any"; }
patch "accel/loom: add the node and $back_end" \
	"The device node, and $body
machine. With this the driver can be built." \
	"$d/loom_*" $d/soft $d/backend $d/sched $d/pci $d/template $d/Kbuild $d/Kconfig \
	$d/tests/exports.c drivers/accel/Kconfig drivers/accel/Makefile
patch "accel/loom: add KUnit tests" "Allocator, layouts, masks and the verifier." $d/tests
patch "selftests: add tests of the Loom driver" \
	"What a client sees at the node: results, errors, fairness, faults." tools

[ -z "$(git -C "$tree" status --porcelain)" ] || {
	git -C "$tree" status --short >&2
	echo "series: files in no patch" >&2
	exit 1
}
# the letter is of the first series: its subject, an empty line, and its text
git -C "$tree" config "branch.$(git -C "$tree" branch --show-current).description" \
	"$(sed -n '/Subject:/,$ { s/^   //; s,^Subject: \[.*/N\] ,,; p }' Documentation/upstream/cover-letter.rst)"
git -C "$tree" format-patch -q ${core:+--cover-letter --cover-from-description=subject} -o "$out" \
	--root HEAD~$count..
echo "1..$((count + ${#core} / 5 * 4 + 1))"
status=0
n=0
for file in "$out"/*.patch; do
	case $file in *0000-cover*)	continue ;; esac
	n=$((n + 1))
	table=
	# the rows of its tables are macros, as lint.sh knows, too
	case $file in *-KUnit-*)	table=,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED ;; esac
	# help of options for tests has three lines
	log=$(perl "$checkpatch" --strict --no-tree --terse --show-types --max-line-length=100 \
		--min-conf-desc-length=3 --ignore "$ignore$table" "$file" |
		grep -E ': (ERROR|WARNING|CHECK)' | without_hex_floats || true)
	if [ -z "$log" ]; then
		echo "ok $n $(basename "$file")"
	else
		status=1
		sed 's/^/# /' <<<"$log" | head -n 20
		echo "not ok $n $(basename "$file")"
	fi
done
n=$((n + 1))
if LOOM_KSOURCE=$PWD/build/ksource sphinx-build -q -W -E -c Documentation -b html \
	-D "kerneldoc_srctree=$tree" "$tree/Documentation/accel/loom" build/series.docs >&2; then
	echo "ok $n the pages are read without a warning"
else
	status=1
	echo "not ok $n the pages are read without a warning"
fi
[ -z "$core" ] || core_check $((n + 1)) || status=1
rm -rf "$tree" build/series.docs
exit $status
