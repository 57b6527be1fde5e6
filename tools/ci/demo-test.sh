#!/bin/bash
# SPDX-License-Identifier: MIT
# `make run` as a user calls it: as it is, with another line, and with another model. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build/check
log=build/check/demo-run

try() {	# NAME COMMAND...
	"${@:2}"
	ok $? "$1" || tail -n 30 $log | sed 's/^/# /'
}

text='Woven 42 times'
reads() {
	make -s run TEXT="$text" >$log 2>&1 && grep -qx "the node read:     $text" $log
}
try 'make run TEXT= reads the line on the device node' reads
summary() {
	grep -q '^plan .*commands' $log && grep -q '^counted .*DRAM' $log &&
		grep -q '^ran on .*/dev/accel/accel0' $log
}
try 'and prints the plan, the traffic, the time' summary
own() {
	make -s run MODEL=build/models/ppocr_cls.onnx INPUT=build/run.png \
		ARGS='--shape x=1,3,48,192 --effort 0' >$log 2>&1 && grep -q '^ran on .*/dev/accel/accel0' $log
}
try 'make run MODEL= INPUT= runs one of their own' own
broken() {
	! make -s run MODEL=COPYING INPUT=build/run.png >$log 2>&1 && grep -q '^loom: .*COPYING' $log
}
try 'and one that is no model gets a clear line and a bad status' broken
finish
