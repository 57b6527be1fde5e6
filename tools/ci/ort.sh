#!/bin/sh
# SPDX-License-Identifier: MIT
# Install ONNX Runtime for node into build/ort: the oracle that end-to-end tests
# compare with. Tests only; nothing of it is shipped. Needs the network once.
# --ignore-scripts: the package holds the CPU library already, its install script
# would fetch more.
set -eu

cd "$(dirname "$0")/../.."
want=onnxruntime-node@1.30.0
dir=build/ort

if [ -f "$dir/.$want" ]; then
	exit 0
fi
echo "ort: installing $want"
mkdir -p build
tmp=$(mktemp -d build/.ort.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
echo '{ "private": true }' >"$tmp/package.json"
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts "$want" >&2
touch "$tmp/.$want"
chmod 755 "$tmp"
rm -rf "$dir"
mv "$tmp" "$dir"
