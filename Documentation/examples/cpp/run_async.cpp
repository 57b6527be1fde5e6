// SPDX-License-Identifier: MIT
/*
 * Runs a program file, or a model, on two sessions at once: both are queued, then waited for. Inputs
 * are written where the device reads them, and outputs read where it writes them.
 *
 *	run_async MODEL.onnx|PROGRAM.loom [host|auto|/dev/accel/accelN]
 */
#include <cstdio>
#include <cstring>
#include <string>

#include <loom.hpp>

static loom::program get_program(const std::string &path, const std::string &where)
{
	if (loom_program_file_is(path.c_str()))
		return loom::program(path);
	return loom::program(loom::graph(path), loom::target(where).chip());
}

/* The same numbers on every machine, or those times two. */
static void fill(loom::session &session, const loom_program_tensor &input, float factor)
{
	loom::array numbers(DRM_LOOM_DTYPE_F32, { input.dims, input.rank });
	loom::view<float> in = session.input_view<float>(0);

	numbers.randomize(1);
	for (std::size_t i = 0; i < in.size(); i++)
		in[i] = numbers.as<float>()[i] * factor;
}

int main(int argc, char **argv)
try {
	if (argc < 2) {
		std::fprintf(stderr, "usage: run_async MODEL|PROGRAM.loom [TARGET]\n");
		return 2;
	}
	const std::string where = argc > 2 ? argv[2] : "auto";
	loom::program program = get_program(argv[1], where);
	loom::target target(where, program.chip());
	loom::session first(program, target), second(program, target);

	fill(first, program.inputs()[0], 1);
	fill(second, program.inputs()[0], 2);
	first.submit();
	second.submit();
	first.wait();
	second.wait();

	float sums[2] = {};
	for (float value : first.output_view<float>(0))
		sums[0] += value;
	for (float value : second.output_view<float>(0))
		sums[1] += value;
	std::printf("%s: sums %g and %g\n", program.outputs()[0].name, sums[0], sums[1]);
	return 0;
} catch (const std::system_error &error) {
	std::fprintf(stderr, "run_async: %s\n", error.what());
	return 1;
}
