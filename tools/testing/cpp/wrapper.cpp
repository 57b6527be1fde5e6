// SPDX-License-Identifier: MIT
/* loom.hpp: its results, its refusals, and ownership of its objects; built with ASan. */
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <loom.hpp>

static int failed;

#define CHECK(what) do { if (!(what)) { failed++; \
	std::printf("line %d: %s\n", __LINE__, #what); } } while (0)

/* throws an error with that number, and a line that has that text */
template <class F> static void refused(int line, int number, const char *text, F function)
{
	try {
		function();
	} catch (const std::system_error &error) {
		if (error.code().value() == number && std::strstr(error.what(), text))
			return;
		std::printf("line %d: %d, %s\n", line, error.code().value(), error.what());
		failed++;
		return;
	}
	std::printf("line %d: it was taken\n", line);
	failed++;
}
/* throws std::invalid_argument with that text */
#define ARGUMENT(text, ...) do { std::string said; \
	try { __VA_ARGS__; } catch (const std::invalid_argument &error) { said = error.what(); } \
	CHECK(said.find(text) != std::string::npos); } while (0)
#define REFUSED(number, text, ...) refused(__LINE__, number, text, [&] { __VA_ARGS__; })

static loom::graph relu(std::int64_t size)
{
	return loom::graph_builder("relu").input("x", DRM_LOOM_DTYPE_F32, loom::shape{ size })
		.node("Relu", { "x" }, { "y" }).output("y").finish();
}

static loom::session make_session()
{
	/* whatever it needs goes out of scope here, and stays */
	loom::program program(relu(4), loom::chip("tiny"));

	return loom::session(program, loom::target("host", program.chip()));
}

static void runs()
{
	static_assert(!std::is_copy_constructible_v<loom::session> &&
		      std::is_nothrow_move_constructible_v<loom::session>);
	static_assert(!std::is_copy_constructible_v<loom::array> &&
		      std::is_nothrow_move_assignable_v<loom::array>);
	loom::session session = make_session();
	const std::array<float, 4> x = { -1, 2, -3, 4 };

	session.set_input<float>(0, x);
	session.run();
	loom::array first = session.output(0), y;
	y = std::move(first);
	CHECK(y.as<float>().size() == 4 && y.as<float>()[1] == 2 && y.as<float>()[2] == 0);
	CHECK(y.name() == "y" && y.dims().size() == 1 && y.dims()[0] == 4);
	CHECK(first.size_bytes() == 0);

	session.input_view<float>(0)[2] = 7;
	session.submit();
	REFUSED(EINVAL, "under way", session.run());
	int fd = session.fd();
	struct pollfd poll_fd = { fd, POLLIN, 0 };
	CHECK(poll(&poll_fd, 1, 60000) == 1);
	close(fd);
	CHECK(session.wait(std::chrono::seconds(60)));
	CHECK(session.output_view<float>(0)[2] == 7);
	CHECK(session.counters().steps > 0);
	REFUSED(EINVAL, "no run is under way", session.wait());

	session.submit();
	loom::session other = std::move(session);
	/* ends with a run under way */
}

static void refuses()
{
	loom::session session = make_session();
	const std::vector<float> three(3), four(4);
	const std::vector<int> ints(4);

	REFUSED(ENXIO, "did you mean 'tiny'", loom::chip("tinny"));
	REFUSED(EINVAL, "mine:1: ", loom::chip::parse("banks: 5", "mine"));
	REFUSED(ENOENT, "no.onnx: No such file", loom::graph("no.onnx"));
	REFUSED(ENOENT, "no.loom: No such file", loom::program("no.loom"));
	REFUSED(ENOENT, "no.npy: No such file", loom::array::load_npy("no.npy"));
	REFUSED(EINVAL, "'nowhere'", loom::target("nowhere"));
	REFUSED(EOPNOTSUPP, "Foo", loom::graph_builder("g").input("x", DRM_LOOM_DTYPE_F32,
		loom::shape{ 1 }).node("Foo", { "x" }, { "y" }).output("y").finish());
	ARGUMENT("dimensions", loom::graph_builder("g").input("x", DRM_LOOM_DTYPE_F32,
		loom::shape(9)));
	REFUSED(ENODATA, "'x' was not given", session.run());
	REFUSED(EINVAL, "has not run", session.output(0));
	ARGUMENT("takes 4 elements, not 3", session.set_input<float>(0, three));
	REFUSED(EINVAL, "takes f32", session.set_input<int>(0, ints));
	REFUSED(ENOENT, "input", session.set_input<float>(1, four));
	ARGUMENT("elements are f32", session.input_view<int>(0));
	REFUSED(ENOSPC, "Relu", loom::options how; how.sram_limit_bytes = 16;
		try { loom::program(relu(4), loom::chip(), how); } catch (const loom::error &error) {
			CHECK(error.short_bytes() > 0);
			throw;
		});
}

static void files(const char *path)
{
	loom::program program(relu(64), loom::chip());
	std::vector<unsigned char> bytes = program.to_bytes();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	CHECK(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
	close(fd);
	loom::program again(path);
	CHECK(again.to_bytes() == bytes && again.chip().name() == "soft");
	CHECK(again.inputs().size() == 1 && !std::strcmp(again.inputs()[0].name, "x"));
	CHECK(again.figures().steps == program.figures().steps && again.plan().size() > 0);
	REFUSED(EXDEV, "for chip 'soft'",
		loom::session(again, loom::target("host", loom::chip("tiny"))));
	REFUSED(EXDEV, "for chip 'soft'", loom::session(again,
		loom::target("host", loom::chip("tiny")), std::vector<int>{ 0 }));
	std::optional<loom::session> session(std::in_place, again,
					     loom::target("host", again.chip()));
	again = loom::program(path);
	session->input_view<float>(0)[0] = 3;
	session->run();
	CHECK(session->output_view<float>(0)[0] == 3);

	CHECK(again.count() == 1 && again.at(0).c() == again.c());
	loom::session other(again, loom::target("host", again.chip())), beside(again, other);
	beside.set_input(0, std::vector<float>(64, 2));
	beside.run();
	CHECK(beside.output_view<float>(0)[5] == 2);
	REFUSED(EINVAL, "not of one file", loom::session(again, *session));
	REFUSED(EOPNOTSUPP, "memory of this process", other.export_weights());
	REFUSED(EOPNOTSUPP, "no buffers to share",
		loom::session(again, loom::target("host", again.chip()), std::vector<int>{ 0 }));

	loom::attribute axes[] = { { "a", 1 }, { "b", 2.5 }, { "c", "text" },
				   { "d", std::vector<std::int64_t>{ 1, 2 } } };
	CHECK(axes[0].c().count == 1 && axes[0].c().ints[0] == 1);
	CHECK(axes[1].c().floats[0] == 2.5f && !std::strcmp(axes[2].c().string, "text"));
	CHECK(axes[3].c().type == LOOM_ATTR_INTS && axes[3].c().count == 2);
	loom::graph pool = loom::graph_builder("pool")
		.input("x", DRM_LOOM_DTYPE_F32, loom::shape{ 1, 1, 3, 3 })
		.node("MaxPool", { "x" }, { "y" },
		      { { "kernel_shape", std::vector<std::int64_t>{ 2, 2 } } })
		.output("y").finish();
	CHECK(pool.outputs().size() == 1 && pool.outputs()[0].dims[3] == 2);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	runs();
	refuses();
	files(argv[1]);
	return failed != 0;
}
