#!/bin/bash
# SPDX-License-Identifier: MIT
# What `make run-llm` does once the packages are there: train a small language model, compile it, and
# let it continue a text on the device node in the VM.
#
# TEXT is what it continues, COUNT characters of it (60). BITS=4 quantises its matrices. The trained
# weights stay in build/llm; STEPS=n trains anew with as many steps (3000).
set -eu

cd "$(dirname "$0")/../.."
# shellcheck source=tools/ci/apt.sh
. tools/ci/apt.sh
text=${TEXT:-The President shall }
dir=build/llm
steps=${STEPS:-3000}
weights=$dir/weights-$steps
name=model-$steps-${BITS:-32}

say() {
	echo "* $*"
}

# The constitution of the United States and their declaration of independence, which are in the public
# domain, from the package miscfiles.
fetch() {
	local tmp uri
	[ ! -e $dir/text ] || return 0
	say 'fetching the text'
	uri=$(mirror)
	[ -n "$uri" ] || { echo "run-llm: no Debian mirror in this machine's /etc/apt" >&2; return 1; }
	tmp=$dir/fetched
	rm -rf $tmp
	mkdir -p $tmp
	apt_begin "$(pwd -P)/$dir/apt" "$uri" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	get apt-get update >&2
	(cd $tmp && get apt-get download miscfiles >&2 && dpkg-deb -x miscfiles_*.deb .)
	gunzip -c $tmp/usr/share/state/us-{constitution,declaration}.gz >$dir/text.part
	mv $dir/text.part $dir/text
	rm -rf $tmp
}

mkdir -p $dir
say 'building library, tool, module and the two programs of the demo'
make -s "-j$(nproc)" tools module $dir/train $dir/write >$dir/build.log 2>&1 || {
	tail -n 40 $dir/build.log >&2
	exit 1
}
fetch
if [ ! -e "$weights" ]; then
	say "training for $steps steps"
	$dir/train "$steps" $dir/text >"$weights.part"
	mv "$weights.part" "$weights"
fi

say "writing the model, and planning it: $dir/$name.loom"
python3 tools/llm/model.py "$weights" "$dir/$name.onnx" --bits "${BITS:-32}"
states=()
for layer in 0 1; do
	for what in key value; do
		states+=(--state "present_${what}_$layer=past_${what}_$layer")
	done
done
# the SRAM that a node keeps for scratch, out of which a plan may run on any node
for tokens in 16 1; do
	build/loom compile "$dir/$name.onnx" --dim "tokens=$tokens" --chip soft --sram 192k \
		"${states[@]}" --output "$dir/$name-$tokens.loom" >$dir/compile.log
	grep -e ^bound -e ^wrote $dir/compile.log
done
build/loom join "$dir/$name-16.loom" "$dir/$name-1.loom" --output "$dir/$name.loom"

say 'booting the VM: stock kernel, loom.ko, the model on /dev/accel/accel0'
tools/vm/run --timeout 600 -- $dir/write "$dir/$name.loom" /dev/accel/accel0 "${COUNT:-60}" "$text"
