# shellcheck shell=bash disable=SC2154 # series.sh has set them
# SPDX-License-Identifier: MIT
# SERIES=core, for series.sh: parts left out of $tree, and checks that the rest must pass.

# lines of sources and headers, without KUnit and selftests
core_most=17200
core_driver=$tree/drivers/accel/loom
core_kdir=${KDIR:-$(find /usr/src -maxdepth 1 -name 'linux-headers-6.12.*-amd64' | sort -V |
	tail -n 1)}

# of the kernel that it is built for: options of unifdef by what the probes find
core_have() {
	local probes=$core_driver/backend/Kbuild.probes found sources
	# headers of a distribution lie in two folders
	sources=$(sed -n 's/^include \(.*\)\/Makefile$/\1/p' "$core_kdir/Makefile")
	# shellcheck disable=SC2016 # variables of make
	found=$(printf 'include %s\nall:\n\t@echo $(ccflags-y)\n' "$probes" |
		make -s -f - srctree="${sources:-$core_kdir}")
	sed -n 's/.*,\(LOOM_HAVE_[A-Z_]*\))$/\1/p' "$probes" | while read -r have; do
		[[ " $found " = *" -D$have "* ]] && echo "-D$have=1" || echo "-U$have"
	done
}

core_cut() (
	local parts="MOVES LIMITS LAYOUTS OPS REPORTS LANES SHARE TURNS" top=$PWD

	cd "$core_driver" || return
	rm -r soft pci core/{chip,clock,code,engine} core/loom_{chip,clock,code,engine}.h
	rm report/report.c backend/{code,turn}.c backend/presets.[ch] loom_trace.[ch]
	rm loom_{debugfs,fdinfo,query_list,lanes,map}.c backend/memory.h loom_leftover.c
	rm memory/{bytes,copy,dying,evict,host,move,slot,view,window}.c
	rm sched/{bus,revoke}.c template/{data,memory,native,translate}.[ch] loom_quota.c backend/budget.c
	rm loom_plan_fit.c memory/{fit.[ch],label.[ch],list.c,no_space.c,seal.c,share.c} core/bank/span.c core/loom_span.h
	rm loom_{file_user,import,shards}.c core/bank/{image,shard}.c core/verify/{image,rule}.c backend/{lanes,preempt}.c
	rm sram/{floor,revoke,sram}.c "$tree/include/uapi/drm/loom_accel_"{ops,report}.h
	find core/op -type f ! -name 'check.[ch]' ! -name copy.c ! -name fill.c ! -name native.c \
		! -name table.c ! -name list.h -delete
	# tests without arithmetic
	find tests -type f ! -name exports.c ! -name loom_bank_test.c -delete
	cd "$tree/tools/testing/selftests/loom" || return
	rm -r guided pci sram loom_{dump,random}.h template/loom_resets.c
	find . -maxdepth 1 -name '*.c' ! -name loom_template.c -delete
	sed -i '/^# pci/,/^# where/d; s/\($(OUTPUT)\/\)\?\(pci\|guided\|sram\)\(\/\*\.c\)\? //g' Makefile

	# options that are not there are undefined
	gcc -O1 -w -o "$out.unifdef" "$top/build/ksource/scripts/unifdef.c"
	find "$core_driver" "$tree/tools" -name '*.h' -o -path '*/selftests/*.c' | while read -r source; do
		# shellcheck disable=SC2046,SC2086 # a list of words; its status of 1 says that it changed
		"$out.unifdef" $(printf -- '-UCONFIG_DRM_ACCEL_LOOM_%s ' $parts) -U_LOOM_ACCEL_OPS_H_ -ULOOM_FILE_USERS \
			-U_LOOM_ACCEL_REPORT_H_ "$source" >new || [ $? = 1 ]
		cat -s new >"$source"
	done
	# of one kernel, no probes
	# shellcheck disable=SC2046 # a list of words
	"$out.unifdef" $(core_have) "$core_driver/loom_compat.h" >new || [ $? = 1 ]
	cat -s new >"$core_driver/loom_compat.h"
	rm "$core_driver/backend/Kbuild.probes" new "$out.unifdef"
	sed -i '/loom_accel_\(ops\|report\).h/,/^$/d' "$tree/Documentation/accel/loom/uapi.rst"
	sed -i '/verify\/image.c/,/^$/d' "$tree/Documentation/accel/loom/verifier.rst"
	sed -i '/include "loom_accel_ops.h"/d' "$tree/include/uapi/drm/loom_accel_plan.h"
	sed -i '/include "loom_accel_report.h"/,/^$/d' "$tree/include/uapi/drm/loom_accel.h"
	sed -i '/^\/\* parts that a kernel may/,/^$/d' "$core_driver/core/loom_core.h"
	cd "$core_driver" || return
	# paragraphs of Kbuild, entries of Kconfig
	awk -v RS= 'NR == 1 { print "# SPDX-License-Identifier: GPL-2.0\n" }
		!/loom_soft-y|loom_pci|loom-fp|loom-parts :=|EXTMOD|probes/ { print $0 "\n" }' Kbuild |
		sed '/^# objects of each part/,/(loom-y))$/d; /^# these compute/,/^endif/d' >Kbuild.new
	awk -v parts=" $parts SOFT PCI " '/^config/ { name = $2; sub("DRM_ACCEL_LOOM_", "", name)
		skip = index(parts, " " name " ") } !skip' Kconfig >Kconfig.new
	mv Kbuild.new Kbuild
	mv Kconfig.new Kconfig
)

# KUnit, if $core_kdir has it, and what the template can run, from $tree in the VM.
core_run() {
	local tests=$tree/tools/testing/selftests kernel=${core_kdir%/build}

	rsync -rlpt build/ksource/tools/testing/selftests/ "$tests/" &&
	make -s -C "$tests/loom" KHDR_INCLUDES="-isystem $tree/include/uapi $(pkg-config \
		--cflags-only-I libdrm | sed 's/-I/-isystem /g')" || return
	[ -f "$kernel/bzImage" ] || kernel=
	# shellcheck disable=SC2016 # of the guest
	tools/vm/run ${kernel:+--kernel "$kernel"} --module "$core_driver/loom.ko" --timeout 900 \
		--log build/vm/series-core.log -- sh -c '
			[ ! -f "$1/loom_kunit.ko" ] || {
				busybox insmod "$1/loom_kunit.ko" && cat /sys/kernel/debug/kunit/*/results
			}
			busybox insmod "$1/loom_template.ko" && cd "$2/loom" &&
			LOOM_EFFORT=20 ./loom_template && ./template/loom_native' \
		sh "$core_driver" "$tests"
}

# core_line N STATUS TEXT LOG: a line of TAP, and why
core_line() {
	if [ "$2" = 0 ]; then
		echo "ok $1 $3"
	else
		tail -n 60 "$4" | sed 's/^/# /'
		echo "not ok $1 $3"
	fi
	return "$2"
}

# TAP lines $1 and the next three
core_check() {
	local code=0 status=0 kunit='' lines log=$out/build.log run=$out/run.log
	lines=$(find "$core_driver" "$tree/include" -path "$core_driver/tests" -prune -o \
		-name '*.[ch]' -print0 | xargs -0 cat | wc -l)
	[ "$lines" -le "$core_most" ] || code=1
	core_line "$1" $code "$lines lines, at most $core_most" /dev/null || status=1
	! grep -q '^CONFIG_KUNIT=y' "$core_kdir/.config" || kunit=m
	code=0
	make -s -C "$core_kdir" M="$core_driver" W=1 CONFIG_DRM_ACCEL_LOOM=m \
		CONFIG_DRM_ACCEL_LOOM_TEMPLATE=m CONFIG_DRM_ACCEL_LOOM_KUNIT_TEST=$kunit \
		KCFLAGS="-I$tree/include/uapi -I$tree/include/uapi/drm" modules >"$log" 2>&1 || code=1
	! grep -qi 'warning:' "$log" || code=1
	core_line $(($1 + 1)) $code "builds with W=1" "$log" || status=1
	code=0
	core_run >"$run" 2>&1 || code=$?
	if [ -n "$kunit" ]; then
		core_line $(($1 + 2)) $((!$(grep -c '^ok .*loom_' "$run") || $(grep -c '^ *not ok' "$run"))) \
			"KUnit passes" "$run" || status=1
	else
		echo "ok $(($1 + 2)) KUnit # SKIP not in this kernel, KDIR may be another"
	fi
	# a program of which all is skipped passes nothing
	[ "$(grep -c '^# Totals: pass:[1-9].* fail:0 .*error:0' "$run")" = 2 ] || code=1
	core_line $(($1 + 3)) $code "the selftests pass on the template" "$run" || status=1
	return $status
}
