#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that tap.py takes no program for good that is not, and ends one that goes on for too long. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build
dir=$(mktemp -d "$PWD/build/.tap.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# judged WANT NAME OPTIONS... -- SCRIPT: WANT is "passed failed skipped" of what sh prints
judged() {
	local want=$1 name=$2 said status=0
	shift 2
	rm -f "$dir/results"
	said=$(tools/ci/tap.py --folder "$dir" test "${@:1:$#-1}" sh -c "${@: -1}") || status=$?
	[ "$(cat "$dir/results")" = "$want test" ] &&
		[ $status = "$([ "${want:2:1}" = 0 ]; echo $?)" ] || {
		printf '%s\n' "$said" | sed 's/^/# /'
		false
	}
	ok $? "$name"
}

judged '2 0 0' 'two that pass' -- 'echo ok 1; echo ok 2; echo 1..2'
judged '1 1 0' 'one that fails' -- 'echo ok 1; echo not ok 2; echo 1..2; exit 1'
judged '1 0 1' 'one that is skipped' -- 'echo "ok 1 # SKIP no device"; echo ok 2; echo 1..2'
ok "$([ "$(tail -n 1 "$dir/skips")" = 'no device' ]; echo $?)" 'its reason is kept'
tools/ci/tap.py --folder "$dir" test -- sh -c 'echo "# because"; echo not ok 1; seq 99; echo 1..1' |
	grep -q '| # because'
ok $? 'what is said before a failure is shown, if much comes after it'
ok "$([ "$(grep -c '| # because' "$dir/failures")" = 1 ]; echo $?)" 'and is kept'
tools/ci/tap.py --folder "$dir" test --kselftest -- \
	sh -c 'echo 1..1; echo "# # a.c:1: expected"; echo "# not ok 1 a"; seq 99; echo "not ok 1 program"' |
	grep -q '| # # a.c:1: expected'
ok $? 'what is said before a failure in the runner is shown'
judged '0 0 1' 'all skipped' -- 'echo 1..0 "# SKIP no device"; exit 4'
judged '1 1 0' 'status 77 behind a test that ran' -- 'echo ok 1; echo 1..1; exit 77'
judged '1 1 0' 'status 4 behind a test that ran' -- 'echo ok 1; echo 1..1; exit 4'
judged '0 0 1' 'status 77 where all was skipped' -- 'echo 1..1; echo "ok 1 # SKIP none"; exit 77'
judged '1 1 0' 'no plan' -- 'echo ok 1'
judged '2 2 0' 'two plans' -- 'echo 1..1; echo ok 1; echo 1..2; echo ok 2'
judged '1 1 0' 'fewer than planned' -- 'echo 1..2; echo ok 1'
judged '1 1 0' 'more than planned' -- 'echo 1..0; echo ok 1'
judged '0 1 0' 'silence' -- true
judged '1 1 0' 'a status without a reason' -- 'echo ok 1; echo 1..1; exit 3'
judged '1 1 0' 'a signal' -- 'echo ok 1; echo 1..1; kill -9 $$'
judged '0 1 0' 'status 77 of what has no tests' --plain -- 'exit 77'
judged '1 1 0' 'in the runner: a program without a plan' --kselftest -- \
	'echo 1..1; echo "# ok 1 a"; echo ok 1 program'
judged '2 0 0' 'in the runner: a program with one' --kselftest -- \
	'echo 1..1; echo "# 1..2"; echo "# ok 1 a"; echo "# ok 2 b"; echo ok 1 program'
judged '1 1 0' 'too much CPU' --cpu 1 -- 'echo ok 1; echo 1..1; while :; do :; done'
judged '1 1 0' 'too much CPU, of what has left its parent and its session' --cpu 1 -- \
	'echo ok 1; echo 1..1; (setsid sh -c "while :; do :; done" &); sleep 100'
judged '1 1 0' 'no end' --cpu 0.2 -- 'echo ok 1; echo 1..1; sleep 100'
finish
