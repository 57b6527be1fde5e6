#!/bin/bash
# SPDX-License-Identifier: MIT
# The library from Python and from C++, on the host: Python's declarations are the compiler's,
# and follow the headers; results, refusals, leaks; the examples of the page. 40-node.sh runs two of
# them on the node.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
ok 'pictures are made' make_pictures
python=/usr/bin/python3
[ -x $python ] || python=python3
export PYTHONPATH=$PWD/build/python LOOM_LIBRARY=$PWD/build/libloom.so.1
export PYTHONDONTWRITEBYTECODE=1
tests=tools/testing/python
model=$models/oww_alexa.onnx
mapfile -t drm < <(pkg-config --cflags libdrm | xargs -n1)

# same_layout PACKAGE INCLUDE UAPI
same_layout() {
	$python $tests/layout.py "$1" >"$out/layout.c" &&
	tail -n 1 "$out/layout.c" | grep -E '/\* [1-9][0-9]+ structs, [1-9][0-9]{2,} fields, ' &&
	gcc -std=gnu11 -Wall -Wextra -Werror -Wno-unused-value -fsyntax-only "-I$2" "-I$3" "${drm[@]}" \
		"$out/layout.c"
}
ok 'structs, numbers and functions are those of C' same_layout build/python/loom userlib/include uapi

# A field, a number and a function more, and a field of another size.
mkdir -p "$out/include" "$out/new"
cp userlib/include/*.h "$out/include"
sed -i 's/^\tuint64_t short_bytes;/\tuint32_t more;\n&/' "$out/include/loom_error.h"
sed -i 's/^\tLOOM_SCOPE_TEXTURE,/\tLOOM_SCOPE_MORE,\n&/' "$out/include/loom.h"
sed -i 's/^\tuint32_t num_steps;/\tuint64_t num_steps;/' "$out/include/loom_program.h"
sed -i 's/^unsigned int loom_version(void);/&\nint loom_more(const char *const *names, double d);/' \
	"$out/include/loom_version.h"
generate() {
	$python userlib/python/generate.py "$out/new/abi.py" gcc -std=gnu11 -Iuapi "-I$out/include" \
		"${drm[@]}" "$out"/include/*.h uapi/drm/*.h
}
ok 'headers change' generate
ok 'and Python follows' same_layout "$out/new" "$out/include" uapi
behind() {
	! same_layout build/python/loom "$out/include" uapi >"$out/behind" 2>&1 &&
	grep -q 'offsetof(struct loom_error, short_bytes)' "$out/behind" &&
	grep -q 'LOOM_SCOPE_TEXTURE' "$out/behind" &&
	grep -q 'sizeof(struct loom_program_group)' "$out/behind" &&
	! same_layout "$out/new" userlib/include uapi >"$out/behind" 2>&1 &&
	grep -q loom_more "$out/behind"
}
ok 'what does not follow is seen' behind
# cannot_say TEXT LINE: a header with that ends the build
cannot_say() {
	cp userlib/include/loom_version.h "$out/include"
	sed -i "s/^unsigned int loom_version(void);/&\n$1/" "$out/include/loom_version.h"
	rm -f "$out/new/abi.py"
	! generate 2>"$out/said" && [ ! -e "$out/new/abi.py" ] && cat "$out/said" &&
	[ "$(wc -l <"$out/said")" = 1 ] && grep -q "$2" "$out/said"
}
ok 'a type that Python does not know' cannot_say 'int loom_more(long double d);' 'type long'
ok 'a bit field' cannot_say 'struct loom_more { int bits : 3; };' 'expected at: : 3'
ok 'a number that is none' cannot_say '#define LOOM_MORE sizeof(int)' 'LOOM_MORE: no number'

# numpy LETTERS: the tests with NumPy, and as if there were none
test_both() {
	$python "$tests/$1.py" $model && LOOM_TEST_PLAIN=1 $python "$tests/$1.py" $model
}
ok 'it computes, with NumPy and without' test_both host
ok 'what is wrong raises the right exception' test_both wrong
leaks() {
	$python $tests/leaks.py >"$out/leaks"
	local status=$?
	cat "$out/leaks"
	return $status
}
ok 'nothing leaks' leaks && sed 's/^/# /' "$out/leaks"
flakes() {
	! $python -c 'import pyflakes' 2>/dev/null || $python -m pyflakes userlib/python $tests \
		userlib/loomplace/python tools/testing/loomplace Documentation/examples/python build/python
}
ok 'pyflakes' flakes
# a handle that nobody has is destroyed: so a call has it in a variable, or it is not safe from a
# close() in another thread
held() {
	! grep -nE '_use\(\)\.|self\._pointer\.contents' userlib/python/loom/*.py |
		grep -v 'yield self._pointer.contents'
}
ok 'handles are kept while C has them' held
short() {
	! grep -nE '^.{101}' userlib/python/*.py userlib/python/loom/*.py $tests/*.py \
		Documentation/examples/python/*.py
}
ok 'lines are 100 columns at most' short

example() {
	prints "$1" "$2" $python "Documentation/examples/python/$3.py" "${@:4}"
}
# a file that was compiled gives what the model gives, and what the tool gives
picture() {
	local first
	$loom compile $models/blazeface.onnx -o "$out/blazeface.loom" >"$out/log" &&
	$python Documentation/examples/python/run_image.py $models/blazeface.onnx \
		$pictures/face.ppm host >"$out/model" &&
	$python Documentation/examples/python/run_image.py "$out/blazeface.loom" $pictures/face.ppm \
		host | diff "$out/model" - && grep -q 'as planned: True' "$out/model" &&
	model_run blazeface host "$out/tool" &&
	first=$($python -c 'import sys, numpy; print(numpy.load(sys.argv[1]).ravel()[0])' \
		"$out/tool/Identity:0.npy") &&
	grep -F "Identity:0: (1, 512, 1), first [${first%??}" "$out/model"
}
ok 'example: a model on a picture' picture
ok 'and none' example 1 'run_image.py: no.onnx: No such file or directory' run_image no.onnx x.png host
ok 'example: a graph is built' example 0 '4 steps, 260 bytes of SRAM per lane
4.5 5 0 0
0.5 1 1 0' build_graph
ok 'and no chip' example 1 "build_graph.py: there is no chip 'nothing', did you mean 'tiny'?" \
	build_graph nothing
own_chip() {
	$python Documentation/examples/python/own_chip.py $model >"$out/own_chip" &&
	sed 's/^/# /' "$out/own_chip" && grep -cE '^ *(256|64|16)k: [0-9]+ groups, ' "$out/own_chip" |
		grep -qx 3 && grep -q "^height 8192, by 'greedy-size': nothing is lower" "$out/own_chip" &&
	tail -n 1 "$out/own_chip" | grep -q '1 more than the capacity of 8191$'
}
ok 'example: a chip of my own' own_chip
ok 'example: asynchronous' example 0 '4 at once, twice: 4 as alone' run_async $model host
if $python -c 'import numpy' 2>/dev/null; then
	ok 'example: nobody copies' example 0 '10 runs, 0 bytes copied, 0 wrong' zero_copy host
fi

# compilers there are; clang++ is no must
cxx() {
	local std=$1
	shift
	"$compiler" "-std=$std" -Wall -Wextra -Wpedantic -Werror -Iuserlib/include -Iuapi "${drm[@]}" "$@"
}
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for source in Documentation/examples/cpp/*.cpp; do
		for std in c++17 c++20; do
			ok "$compiler: $(basename "$source"), $std" cxx $std -fsyntax-only "$source"
		done
	done
done
compiler=g++
ok 'not C++14' eval "! cxx c++14 -x c++ -fsyntax-only userlib/include/loom.hpp 2>&1"
wrapper() {
	cxx c++17 -g -fsanitize=address,undefined -fno-sanitize-recover=all -o "$out/wrapper" \
		tools/testing/cpp/wrapper.cpp -Lbuild -lloom "-Wl,-rpath,$PWD/build" &&
	"$out/wrapper" "$out/wrapper.loom"
}
ok 'C++: results, refusals, owners, nothing leaks' wrapper
# programs from the header alone: some must compile and run, the others must not compile
first=tools/testing/cpp/first.cpp
first() {
	cxx "$1" -O1 -o "$out/first" $first -Lbuild -lloom "-Wl,-rpath,$PWD/build" &&
	"$out/first" "$out/first.loom"
}
ok 'C++17: first programs' first c++17
ok 'C++20: first programs' first c++20
for ((wrong = 1; wrong <= $(grep -cE '^#(el)?if WRONG ==' $first); wrong++)); do
	what=$(sed -nE "/^#(el)?if WRONG == $wrong\$/{n;s/^\t//p}" $first)
	ok "C++: this must not compile: $what" eval '! cxx c++17 -DWRONG=$wrong -fsyntax-only $first &&
		[ -n "$what" ]'
done
ok 'C++ example: a graph is built' prints 0 '4 steps
4.5 5 0 0
0.5 1 1 0' build/examples/cpp/build_graph
ok 'and no chip' prints 1 "build_graph: there is no chip 'nothing', did you mean 'tiny'?" \
	build/examples/cpp/build_graph nothing
# the first sum is that of the tool, and a program file gives both
in_cpp() {
	$loom compile $model -o "$out/alexa.loom" >"$out/log" &&
	build/examples/cpp/run_async $model host >"$out/cpp" &&
	build/examples/cpp/run_async "$out/alexa.loom" host | diff "$out/cpp" - &&
	$python - "$(cat "$out/cpp")" $model <<-'END'
		import sys, loom
		program = loom.compile(sys.argv[2])
		x = program.inputs[0].random(1)
		sums = sys.argv[1].split("sums ")[1].split(" and ")
		with program.session() as session:
		    for factor, want in zip((1, 2), sums):
		        got = sum(session.run([x * factor])[program.outputs[0].name].ravel())
		        assert f"{got:g}" == want, (got, want)
	END
}
ok 'C++ example: two at once, as in Python' in_cpp
finish
