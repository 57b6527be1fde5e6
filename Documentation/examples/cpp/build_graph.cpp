// SPDX-License-Identifier: MIT
/*
 * Builds y = Relu(x W + b) by calls, plans it for a chip and runs it in this process.
 *
 *	build_graph [CHIP]
 */
#include <cstdio>
#include <vector>

#include <loom.hpp>

static loom::graph build()
{
	const std::vector<float> w = { 1, 0, -1, 2, 0, 1, 0, -2, 1, 1, -1, 0 };
	const std::vector<float> b = { 0.5, 0, 1, 0 };

	/* the first error sticks, and finish() throws it */
	return loom::graph_builder("two layers")
		.input("x", DRM_LOOM_DTYPE_F32, loom::shape{ 2, 3 })
		.constant("w", loom::shape{ 3, 4 }, w)
		.constant("b", loom::shape{ 4 }, b)
		.node("MatMul", { "x", "w" }, { "xw" })
		.node("Add", { "xw", "b" }, { "sum" })
		.node("Relu", { "sum" }, { "y" })
		.output("y")
		.finish();
}

int main(int argc, char **argv)
try {
	const float x[] = { 1, 2, 3, -1, 0, 1 };
	loom::program program(build(), loom::chip(argc > 1 ? argv[1] : "soft"));
	loom::session session(program, loom::target("host", program.chip()));

	session.set_input(0, x);
	session.run();
	loom::array y = session.output(0);

	std::printf("%llu steps\n", (unsigned long long)program.figures().steps);
	for (std::size_t i = 0; i < y.as<float>().size(); i++)
		std::printf("%g%c", y.as<float>()[i], i % 4 == 3 ? '\n' : ' ');
	return 0;
} catch (const loom::error &error) {
	std::fprintf(stderr, "build_graph: %s\n", error.what());
	return 1;
}
