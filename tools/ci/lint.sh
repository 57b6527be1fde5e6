#!/bin/bash
# SPDX-License-Identifier: MIT
# The kernel's linters over the whole tree, every warning an error.
#
#	tools/ci/lint.sh [FILE...]	with files: checkpatch and kernel-doc on these
#
# checkpatch on tools/testing alone takes a minute, and is for FILE... and `make check-long`.
#
# build/lint/passed lists passed files by checker and content; they are not checked again. It may
# be removed at any time. LOOM_LINT_SINCE: a commit. checkpatch, kernel-doc and shellcheck skip
# files that did not change since then. If the clone does not have it, they check all.
set -u

cd "$(dirname "$0")/../.." || exit 1
# options of a calling make (-s, above all) are not meant for the makes called here
unset MAKEFLAGS MFLAGS MAKELEVEL
. tools/ci/checkpatch.sh
. tools/ci/fresh.sh
passed=$PWD/build/lint/passed
tools/ci/ksource.sh || exit 1
scripts=$PWD/build/ksource/scripts
mkdir -p "$passed"
failed=0
count=0

# step NAME COMMAND...: one test; silence and status 0 are a pass
step() {
	local name=$1 log=build/lint/log status=0
	shift
	count=$((count + 1))
	"$@" >$log 2>&1 || status=$?
	if [ $status = 0 ] && [ ! -s $log ]; then
		echo "ok $count $name"
		return
	fi
	failed=1
	echo "not ok $count $name"
	sed 's/^/# /' $log
}

# Files that git tracks or would add, so that build products are left out.
files() {
	git ls-files -co --exclude-standard -- "$@" | sort -u | recent | while read -r f; do
		[ ! -e "$f" ] || echo "$f"
	done
}

recent() {
	if git rev-parse -q --verify "${LOOM_LINT_SINCE:-}^{commit}" >/dev/null; then
		comm -12 - <({ git diff --name-only "$LOOM_LINT_SINCE"
			git ls-files -o --exclude-standard; } | sort -u)
	else
		cat
	fi
}

# checkpatch chooses its rules by a file's path, so it gets our tree laid out as it would
# be in the kernel's.
mkdir -p build/lint/tree/include build/lint/tree/tools/testing/selftests build/lint/tree/tools/loom
ln -sfn ../../../../uapi build/lint/tree/include/uapi
ln -sfn ../../../drivers build/lint/tree/drivers
ln -sfn ../../../../../../selftests build/lint/tree/tools/testing/selftests/loom
for dir in userlib tools Documentation; do
	ln -sfn ../../../../../$dir build/lint/tree/tools/loom/$dir
done

# Ignored types of checkpatch by part of the tree, and the reasons. Keep the lists short:
#   everywhere	SPDX_LICENSE_TAG: wants GPL in drivers, core/ is dual
#   drivers	EXPORT_SYMBOL: core is freestanding, so its symbols are exported in another file
#   core, user	BIT_MACRO, NEW_TYPEDEFS, PREFER_KERNEL_TYPES, PREFER_DEFINED_ATTRIBUTE_MACRO:
#		the kernel's macros and types are missing, core defines those that it needs
#   user	CAMELCASE: the names of libdrm and protobuf-c; SSCANF_TO_KSTRTO: no kstrto here;
#		MACRO_WITH_FLOW_CONTROL: each call of ONNX Runtime may fail, ORT_TRY() passes that on
#   table	COMPLEX_MACRO, MACRO_ARG_REUSE, MACRO_ARG_UNUSED: macros that are rows of a table
#   trace	OPEN_ENDED_LINE, PARENTHESIS_ALIGNMENT: TRACE_EVENT() is a language of its own
ignore=SPDX_LICENSE_TAG,EXPORT_SYMBOL
ignore_trace=$ignore,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
ignore_core=$ignore,BIT_MACRO,NEW_TYPEDEFS,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO
ignore_table=$ignore_core,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED
ignore_user=$ignore_core,CAMELCASE,SSCANF_TO_KSTRTO,MACRO_WITH_FLOW_CONTROL

# Types that are not named as the kernel's: those of ONNX Runtime, for the files that use them, because
# they make checkpatch slower. The longest first: it takes the first that fits.
types=$PWD/build/lint/types
git grep -ohE '\b(Ort|Onnx__|ONNX)[A-Z][A-Za-z_]*\b' -- userlib/ort tools/testing/ort | sort -u |
	awk '{ print length, $0 }' | sort -rn | sed 's/^[0-9]* //' >"$types"

# inputs of both checkers in Perl, beside the files
perl_tools=$(cat tools/ci/{lint,fresh,checkpatch}.sh "$scripts/checkpatch.pl" "$scripts/kernel-doc" \
	"$scripts/spelling.txt" "$scripts/const_structs.checkpatch" "$types" <(perl -v) | sha256sum)

checkpatch() {	# IGNORE FILE...
	export options_now="--ignore $1" scripts
	export -f without_hex_floats
	case ${2:-} in
	userlib/ort/* | tools/testing/ort/*)	options_now+=" --typedefsfile $types" ;;
	esac
	shift
	fresh "$passed/checkpatch" "$perl_tools $options_now" checkpatch_group "$@"
}

# It chooses its rules by a file's path, and looks for one of the kernel's headers. Without a git
# folder above.
checkpatch_group() {
	local f
	local -a as=()
	for f; do
		case $f in
		uapi/*)		as+=("include/$f") ;;
		drivers/*)	as+=("$f") ;;
		selftests/*)	as+=("tools/testing/selftests/loom/${f#selftests/}") ;;
		*)		as+=("tools/loom/$f") ;;
		esac
	done
	(
		cd build/lint/tree || exit 1
		# shellcheck disable=SC2086 # words
		GIT_DIR=/nonexistent perl "$scripts/checkpatch.pl" --root=. --no-tree --strict --quiet --terse \
			--show-types --no-summary --max-line-length=100 $options_now -f "${as[@]}"
		[ $? -le 1 ] || echo "checkpatch.pl has not ended well: ${as[*]}"
	) | tr -d '\000' | sed 's,^\(include/\|tools/loom/\|tools/testing/\),,
			s,^selftests/loom/,selftests/,; /^ *$/d' | without_hex_floats
}

kernel_doc() {
	export scripts
	fresh "$passed/kernel-doc" "$perl_tools" kernel_doc_group "$@"
}

kernel_doc_group() {
	perl "$scripts/kernel-doc" -none -Wall -Werror "$@"
}

header() {	# COMPILER-AND-FLAGS...: each UAPI header alone, twice, as a client includes it
	local name
	for name in uapi/drm/*.h; do
		printf '#include <drm/%s>\n' "${name##*/}" "${name##*/}" |
			sed '$a int loom_header_test;' |
			"$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iuapi "${drm[@]}" - ||
			return
	done
}

# Types of less than a byte have no stride: a product with it would count bytes that are not there.
sizes() {
	! git grep -nE '\* *loom_dtype_(stride|bits)\(|loom_dtype_stride\([^()]*\) *\*' -- \
		drivers userlib tools/loom tools/sim ':!drivers/accel/loom/core/loom_core.h'
}

# Files that others source can only be run by them.
shell_check() {
	local key
	key=$(shellcheck --version; find "${shell[@]}" ! -perm -u+x -exec sha256sum {} +)
	fresh "$passed/shellcheck" "$key" shell_check_group "$@"
}

# SC2034, SC2154: variables of scripts that are sourced; set -u finds what is not set
shell_check_group() {
	shellcheck -x -P SCRIPTDIR -S warning -e SC2034,SC2154 "$@"
}

# Sparse does not know the compiler builtins that core/engine/fp_*.c uses, so they are defined
# away. Where the module is built already, nothing is compiled or linked anew: a VM may have it.
module_sparse() {
	local builtin key cf=
	key=$( (sparse --version; cat tools/ci/lint.sh; git ls-files -co --exclude-standard -- Kbuild Makefile \
		drivers uapi | xargs sha256sum) | sha256sum)
	! grep -qxF "$key" "$passed/sparse" 2>/dev/null || return 0
	for builtin in fabs fabsf shuffle sqrt sqrtf; do
		cf="$cf -D__builtin_$builtin="
	done
	make module C=2 CF="$cf" MODULE_LOG=build/lint/module.log \
		>build/lint/sparse 2>&1 || {
		cat build/lint/sparse
		return 1
	}
	# none of our files was checked: fail instead of passing silently
	grep -q 'CHECK.*loom' build/lint/module.log || { echo 'sparse checked no file'; return 1; }
	! grep -E '(warning|error):' build/lint/module.log && echo "$key" >"$passed/sparse"
}

# rooms and floors, by the symbols of the objects of library and tools
floors() {
	make -s -j"$(nproc)" lib ep tools >build/lint/lib 2>&1 || {
		cat build/lint/lib
		return 1
	}
	tools/ci/floors.py >build/lint/floors || {
		cat build/lint/floors
		return 1
	}
}

if [ $# -gt 0 ]; then
	for f; do
		case $f in
		drivers/accel/loom/core/*)		list=$ignore_core ;;
		drivers/*_trace.h)			list=$ignore_trace ;;
		drivers/accel/loom/tests/refusal*.h)	list=$ignore_table ;;
		drivers/accel/loom/tests/*.h)		list=$ignore_core ;;
		drivers/* | selftests/* | uapi/*)	list=$ignore ;;
		*)					list=$ignore_user ;;
		esac
		step "checkpatch $f" checkpatch $list "$f"
		step "kernel-doc $f" kernel_doc "$f"
	done
	exit $failed
fi

mapfile -t kernel < <(files 'drivers/*.[ch]' 'selftests/*.[ch]' 'uapi/*.h' |
	grep -v -e /core/ -e _trace.h -e '/tests/.*\.h$')
mapfile -t trace < <(files 'drivers/*_trace.h')
mapfile -t core < <(files 'drivers/accel/loom/core/*.[ch]' 'drivers/accel/loom/tests/*.h' |
	grep -v /refusal)
mapfile -t tables < <(files 'drivers/accel/loom/tests/refusal*.h')
mapfile -t ort < <(files 'userlib/ort/*.[ch]')
mapfile -t user < <(files 'userlib/*.[ch]' 'tools/*.[ch]' 'Documentation/*.[ch]' |
	grep -v -e /ort/ -e ^tools/testing/)
mapfile -t shell < <(files 'tools/*.sh' 'tools/vm/*' .ci/run | grep -v '\.\([ch]\|config\)$')
mapfile -t drm < <(pkg-config --cflags libdrm | xargs -n1 | sed 's/^-I/-isystem/')
# where a 32-bit compile finds the architecture's headers on Debian
m32=(-m32 -isystem "/usr/include/$(gcc -print-multiarch)")

step "checkpatch: driver, uapi, selftests" checkpatch $ignore "${kernel[@]}"
step "checkpatch: tracepoints" checkpatch $ignore_trace "${trace[@]}"
step "checkpatch: core" checkpatch $ignore_core "${core[@]}"
step "checkpatch: tables of refusals" checkpatch $ignore_table "${tables[@]}"
step "checkpatch: library, tools" checkpatch $ignore_user "${user[@]}"
step "checkpatch: what knows ONNX Runtime" checkpatch $ignore_user "${ort[@]}"
step "kernel-doc" kernel_doc "${kernel[@]}" "${trace[@]}" "${core[@]}" "${tables[@]}" \
	"${user[@]}" "${ort[@]}"
step "sparse on the module" module_sparse
step "rooms of the module" tools/ci/floors.py --module build/module/drivers/accel/loom
step "uapi header as C99" header gcc -x c -std=c99
step "uapi header as C11" header gcc -x c -std=c11
step "uapi header as C++11" header g++ -x c++ -std=c++11
step "uapi header as C, 32-bit" header gcc -x c -std=c99 "${m32[@]}"
step "uapi header as C++, 32-bit" header g++ -x c++ -std=c++11 "${m32[@]}"
step "uapi structs alike in 32 and 64 bit" tools/ci/uapi-layout.py uapi/drm/*.h -- \
	-Iuapi "${drm[@]}"
step "shellcheck" shell_check "${shell[@]}"
step "rooms use what stands below them" floors
sed -n 's/^warning: /# &/p' build/lint/floors
step "the library's interface is the one that is written down" tools/ci/abi.py
step "tests that the argument for the verifier names" tools/ci/pages/argument.sh
step "checks that planted.py removes" tools/testing/mutants/planted.py --rows
step "prose starts with the subject, and names duties" tools/ci/pages/prose.py
step "sizes are in bits: loom_dtype_row_bytes() multiplies" sizes
step "no leftovers, no paths out of the tree" tools/ci/leftovers.sh
echo "1..$count"
exit $failed
