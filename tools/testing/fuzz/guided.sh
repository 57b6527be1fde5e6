#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzers by libFuzzer, FUZZ_SECONDS each; inputs that reached something are kept in build/corpus/
# and go on from there.
#
#	tools/testing/fuzz/guided.sh BUILD TARGET...
#
# Prints for each how many inputs were tried and how many edges they reached, then the sum over all
# runs that began from what is in build/corpus/: inputs and seconds of a processor, which is what
# counts on a machine that does other things, too. Without clang, or without its libFuzzer, this is
# skipped.
set -u

cd "$(dirname "$0")/../../.." || exit 1
build=$1
shift
seconds=${FUZZ_SECONDS:-600}

mkdir -p "$build"
if ! echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return n && *d == 1; }' |
	clang -w -x c -fsanitize=fuzzer,address - -o "$build/.libfuzzer.$$" 2>"$build/libfuzzer.log"; then
	echo 'fuzz: skipped, there is no clang with libFuzzer: apt install clang'
	exit 0
fi
rm -f "$build/.libfuzzer.$$"
"${MAKE:-make}" -s O="$build" TARGETS="$*" fuzz-build >"$build/libfuzzer.log" 2>&1 &&
	"${MAKE:-make}" -s O="$build" "${@/#/$build/fuzz-seeds/}" >>"$build/libfuzzer.log" 2>&1 || {
	cat "$build/libfuzzer.log"
	exit 1
}

# cpu_seconds: processor time of all children that have ended so far, in $cpu
cpu_seconds() {
	times >"$build/.times.$$" # not through a pipe: it would be that process's own
	cpu=$(awk -F '[ms ]' 'NR == 2 { printf "%d", ($1 + $4) * 60 + $2 + $5 }' "$build/.times.$$")
}

# longest TARGET: bytes of an input that the program has room for
longest() {
	local text
	text=$(sed -n 's/^#define FUZZ_MAX_BYTES[[:space:]]*//p' "tools/testing/fuzz/$1.c")
	echo $((${text:-16 << 10}))
}

failed=0
for target; do
	corpus=$build/corpus/$target
	mkdir -p "$corpus"
	# seeds that the program makes by itself: valid files, and slightly damaged ones
	seeds=("$build/corpus/$target-seeds")
	if [ ! -e "${seeds[0]}" ]; then
		mkdir -p "${seeds[0]}.new"
		"$build/fuzz-seeds/$target" --runs 500 --seeds "${seeds[0]}.new" \
			--fail "$build/fuzz-$target.fail" >"$build/fuzz-$target.log" || {
			cat "$build/fuzz-$target.log"
			failed=1
			continue
		}
		mv "${seeds[0]}.new" "${seeds[0]}"
	fi
	# small models of the standard's own tests
	if [ "$target" = onnx ] && [ -d /usr/share/libonnx-testdata/data/node ]; then
		mkdir -p "$build/corpus/onnx-cases"
		for model in /usr/share/libonnx-testdata/data/node/*/model.onnx; do
			name=$(basename "$(dirname "$model")")
			cp -n "$model" "$build/corpus/onnx-cases/$name"
		done
		seeds+=("$build/corpus/onnx-cases")
	elif [ "$target" = chip ]; then
		seeds+=(userlib/chips)
	fi
	log=$build/fuzz-$target.log
	ledger=$build/corpus/$target.runs
	cpu_seconds
	before=$cpu
	if nice "$build/libfuzzer/fuzz/$target" -max_total_time="$seconds" -timeout=600 \
		-max_len="$(longest "$target")" \
		-rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$build/fuzz-$target." \
		"$corpus" "${seeds[@]}" >"$log" 2>&1; then
		inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		cpu_seconds
		echo "$inputs $((cpu - before))" >>"$ledger"
		echo "fuzz: $target: $inputs inputs," \
			"$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1) edges," \
			"$(awk '{ n += $1; s += $2 }
				END { printf "in sum %d inputs in %d s of CPU, %d runs", n, s, NR }' "$ledger")"
	else
		failed=1
		tail -30 "$log"
		echo "fuzz: $target: a fault, the input is in $build/fuzz-$target.*, the rest in $log"
	fi
done
rm -f "$build/.times.$$"
exit $failed
