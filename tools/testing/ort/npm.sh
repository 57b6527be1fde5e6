#!/bin/bash
# SPDX-License-Identifier: MIT
# ONNX models of npm packages that `make check` does not run, because others stand for them: on the
# host, beside ONNX Runtime without its optimiser. Fetched once, by tools/ci/models.sh all. TAP.
#
#	tools/testing/ort/npm.sh [NAME...]
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

out=build/npm-models
names=${*:-oww_hey_rhasspy oww_timer blazeface_back mlsd_large mlsd_512_large mlsd_512_tiny
	silero_v5 silero_v6 silero_16k silero_half silero_ifless}

# inputs; with noise in place of a picture, rounding in M-LSD is above the limit
arguments() {
	case $1 in
	mlsd*)	echo --input "$pictures/room.ppm" --scale 1 --mean 0 --std 1,1,1,255 ;;
	silero_half)
		echo --input input=random:5 --input state=random:6 --shape input=1,512 \
			--shape state=2,1,128 ;;
	silero*)
		echo --input input=random:5 --input state=random:6 --shape input=1,576 \
			--shape state=2,1,128 --value sr=16000 ;;
	*)	echo --input random:5 ;;
	esac
}

# beside NAME: each output, as far from ONNX Runtime as that is from itself, or to 1e-4
beside() {
	local name=$1 dir=$out/$1 model=$models/$1.onnx file base
	local -a feeds=()
	rm -rf "$dir"
	mkdir -p "$dir"
	# shellcheck disable=SC2046 # words
	$loom run "$model" $(arguments "$name") --device host --json --save-inputs "$dir/in" \
		--save-outputs "$dir" >"$dir/run.json" || return 1
	for file in "$dir"/in/*.npy; do
		base=$(basename "$file" .npy)
		feeds+=("${base//%//}=$file")
	done
	# shellcheck disable=SC2046 # words
	case " $(arguments "$name") " in
	*' sr=16000 '*)
		printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
			"{'descr': '<i8', 'fortran_order': False, 'shape': (), }" >"$dir/in/sr.npy"
		printf '\x80\x3e\0\0\0\0\0\0' >>"$dir/in/sr.npy"
		feeds+=("sr=$dir/in/sr.npy") ;;
	esac
	node tools/testing/ort/ref.js "$model" "$dir/all" "${feeds[@]}" || return 1
	node tools/testing/ort/ref.js "$model" "$dir/plain" --plain "${feeds[@]}" || return 1
	for file in "$dir"/plain/*.npy; do
		base=$(basename "$file")
		/usr/bin/python3 tools/testing/torchvision/near.py "$dir/$base" "$dir/all/$base" \
			"$file" || return 1
	done
}

make_pictures && mkdir -p $out && tools/ci/models.sh all || {
	echo 'Bail out! no models'
	exit 1
}
for name in $names; do
	ok "$name agrees with ONNX Runtime" beside "$name"
done
finish
