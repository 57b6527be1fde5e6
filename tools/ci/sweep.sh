#!/bin/bash
# SPDX-License-Identifier: MIT
# A sweep of 2000 points and more over three models, in one go, and killed several times: the same
# table.
set -eu

cd "$(dirname "$0")/../.."
out=build/sweep
rm -rf $out
mkdir -p $out

# sweep TABLE ARG...: never returns, so that what is in the background is the program, and no shell
sweep() {
	local table=$1
	shift
	exec build/loom sweep build/models/blazeface.onnx build/models/ppocr_cls.onnx@x=1x3x48x192 \
		build/models/mlsd_tiny.onnx --time-budget 50 -o "$out/$table.csv" "$@" \
		--vary sram=4k..2M:x2,lanes=8..64:x2,dram=2..128:x2,macs=0.5/1/2
}

time (sweep whole --plots $out/plots)
[ "$(wc -l <$out/whole.csv)" = 2521 ]
for rows in 300 1100 1900; do
	sweep killed >$out/killed.log 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null &&
	      [ "$(cat $out/killed.csv.journal 2>/dev/null | wc -l)" -lt $rows ]; do
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	# those that it has started end with it, and the lock with them
	flock --wait 60 $out/killed.csv.journal true
	echo "killed at $(wc -l <$out/killed.csv.journal) lines"
done
(sweep killed)
cmp $out/whole.csv $out/killed.csv
