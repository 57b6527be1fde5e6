#!/bin/bash
# SPDX-License-Identifier: MIT
# Networks of torchvision, exported here with random weights, on the host beside ONNX Runtime. TAP;
# SKIP without Debian's python3-torchvision.
#
#	tools/testing/torchvision/networks.sh [NAME...]
#
# Files stay under build/torchvision until `make clean`: an export takes minutes.
set -u

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh
here=tools/testing/torchvision
python=/usr/bin/python3
out=build/torchvision

if ! $python -c 'import torch, torchvision, numpy' 2>/dev/null; then
	echo 'ok 1 # SKIP python3-torchvision is not installed'
	echo 1..1
	exit 0
fi
if ! reason=$(tools/ci/ort.sh 2>&1); then
	echo "ok 1 # SKIP ${reason##*$'\n'}"
	echo 1..1
	exit 0
fi
mkdir -p $out

# exported NAME
exported() {
	[ $out/"$1".onnx -nt $here/export.py ] || {
		mkdir -p $out/new && OMP_NUM_THREADS=1 $python $here/export.py $out/new "$1" &&
			mv $out/new/"$1".onnx $out/
	}
}

# network NAME
network() {
	local name=$1 dir=$out/$1 model=$out/$1.onnx args=
	[ "${name%_any}" = "$name" ] || args='--dim batch=2'
	rm -rf "$dir"
	mkdir -p "$dir"
	# shellcheck disable=SC2086 # words
	build/loom run "$model" --input random:5 $args --device host --json --save-inputs "$dir/in" \
		--save-outputs "$dir" >"$dir/run.json" || return 1
	node tools/testing/ort/ref.js "$model" "$dir/all" image="$dir/in/image.npy" &&
		node tools/testing/ort/ref.js "$model" "$dir/plain" --plain \
			image="$dir/in/image.npy" &&
		$python $here/near.py "$dir/out.npy" "$dir/all/out.npy" "$dir/plain/out.npy"
}

# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $($python $here/export.py --list)
for name in "$@"; do
	status=0
	log=$( (exported "$name" && network "$name") 2>&1) || status=1
	echo "# $name: ${log##*$'\n'}"
	ok $status "$name agrees with ONNX Runtime" || echo "$log" | tail -n 5 | sed 's/^/# /'
done
finish
