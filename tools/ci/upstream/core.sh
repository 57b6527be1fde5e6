# shellcheck shell=bash disable=SC2154 # series.sh has set them
# SPDX-License-Identifier: MIT
# SERIES=core, for series.sh: what it leaves out of $tree, and what the rest must pass.

# lines of sources and headers, without KUnit and selftests
core_most=19600
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
	rm -r soft pci core/engine core/clock core/code core/loom_{engine,code,clock}.h
	rm report/report.c backend/{turn,code}.c loom_{debugfs,fdinfo,query_list,lanes}.c loom_trace.[ch]
	rm backend/memory.h loom_leftover.c memory/{bytes,copy,dying,evict,move,window}.c
	rm sched/{bus,revoke}.c template/{data,memory,native}.c loom_quota.c backend/budget.c
	rm loom_plan_fit.c memory/{fit.[ch],label.c,list.c,no_space.c,share.c} core/bank/hole.c
	rm loom_{import,shards}.c core/bank/{image,shard}.c core/verify/image.c backend/{lanes,preempt}.c
	rm sram/{revoke,sram}.c "$tree/include/uapi/drm/loom_accel_"{ops,report}.h
	find core/op -type f ! -name 'check.[ch]' ! -name copy.c ! -name fill.c ! -name native.c \
		! -name table.c ! -name list.h -delete
	# tests without arithmetic
	find tests -type f ! -name exports.c ! -name loom_bank_test.c -delete
	cd "$tree/tools/testing/selftests/loom" || return
	rm -r guided pci/*.c sram
	find . -maxdepth 1 -name '*.c' ! -name loom_template.c -delete

	# options that are not there are undefined
	gcc -O1 -w -o "$out.unifdef" "$top/build/ksource/scripts/unifdef.c"
	find "$core_driver" "$tree/tools" -name '*.h' | while read -r header; do
		# shellcheck disable=SC2046,SC2086 # a list of words; its status says whether it changed
		"$out.unifdef" $(printf -- '-UCONFIG_DRM_ACCEL_LOOM_%s ' $parts) -U_LOOM_ACCEL_OPS_H_ \
			"$header" >new || true
		cat -s new >"$header"
	done
	# of one kernel, no probes
	# shellcheck disable=SC2046 # a list of words
	"$out.unifdef" $(core_have) "$core_driver/loom_compat.h" >new || true
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
		sed '/^# objects of each part/,/(loom-y))$/d; /^# these compute/,/^endif/d
			s/$(filter-out $(loom-engine),\(.*\))$/\1/' >Kbuild.new
	awk -v parts=" $parts SOFT PCI " '/^config/ { name = $2; sub("DRM_ACCEL_LOOM_", "", name)
		skip = index(parts, " " name " ") } !skip' Kconfig >Kconfig.new
	mv Kbuild.new Kbuild
	mv Kconfig.new Kconfig
)

# TAP lines $1 and the next
core_check() {
	local lines code=0 status=0
	lines=$(find "$core_driver" "$tree/include" -path "$core_driver/tests" -prune -o \
		-name '*.[ch]' -print0 | xargs -0 cat | wc -l)
	[ "$lines" -le "$core_most" ] || status=1
	echo "$([ $status = 0 ] || echo 'not ')ok $1 $lines lines, at most $core_most"
	make -s -C "$core_kdir" M="$core_driver" W=1 CONFIG_DRM_ACCEL_LOOM=m CONFIG_DRM_ACCEL_LOOM_TEMPLATE=m \
		KCFLAGS="-I$tree/include/uapi -I$tree/include/uapi/drm" modules \
		>"$out/build.log" 2>&1 || code=$?
	if [ $code = 0 ] && ! grep -q 'warning:' "$out/build.log"; then
		echo "ok $(($1 + 1)) builds with W=1"
	else
		sed 's/^/# /' "$out/build.log" | head -n 40
		status=1
		echo "not ok $(($1 + 1)) builds with W=1"
	fi
	return $status
}
