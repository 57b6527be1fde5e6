// SPDX-License-Identifier: MIT
/*
 * First programs, as they are written from loom.hpp alone: each of them compiles as it stands, in
 * C++17 and C++20, without a warning, and computes. With -DWRONG=N the Nth call that must not compile
 * is in it, too.
 *
 *	first FILE		FILE: a program file to write
 */
#include <array>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <loom.hpp>

#ifndef WRONG
#define WRONG 0
#endif

static int failed;

#define CHECK(what) do { if (!(what)) { failed++; \
	std::printf("line %d: %s\n", __LINE__, #what); } } while (0)
#define THROWS(type, text, ...) do { std::string said_; \
	try { __VA_ARGS__; said_ = "nothing"; } catch (const type &error) { said_ = error.what(); \
		CHECK(said_.find(text) != std::string::npos); said_.clear(); } \
	if (!said_.empty()) { failed++; std::printf("line %d: %s\n", __LINE__, said_.c_str()); } \
	} while (0)

static loom::graph negate(std::uint32_t dtype)
{
	return loom::graph_builder("negate").input("x", dtype, { 4 })
		.node("Neg", { "x" }, { "y" }).output("y").finish();
}

/* y[1], after an input was set */
template <class T> static T second(loom::session &session)
{
	session.run();
	return session.output(0).as<T>()[1];
}

static void inputs()
{
	loom::program program(negate(DRM_LOOM_DTYPE_F32), loom::chip("tiny"));
	loom::session session(program, loom::target("host", program.chip()));
	std::vector<float> vector = { 1, 2, 3, 4 };
	const std::vector<float> constant = { 1, 3, 3, 4 };
	std::array<float, 4> array = { 1, 4, 3, 4 };
	float plain[] = { 1, 5, 3, 4 };
	loom::array own(DRM_LOOM_DTYPE_F32, { 4 });
	std::initializer_list<float> list = { 1, 6, 3, 4 };

	session.set_input(0, vector);
	CHECK(second<float>(session) == -2);
	session.set_input(0, constant);
	CHECK(second<float>(session) == -3);
	session.set_input(0, array);
	CHECK(second<float>(session) == -4);
	session.set_input(0, plain);
	CHECK(second<float>(session) == -5);
	session.set_input(0, list);
	CHECK(second<float>(session) == -6);
	session.set_input(0, { 1.0f, 7.0f, 3.0f, 4.0f });
	CHECK(second<float>(session) == -7);
	session.set_input(0, std::vector<float>{ 1, 8, 3, 4 });
	CHECK(second<float>(session) == -8);
	session.set_input(0, loom::view<float>(vector));
	CHECK(second<float>(session) == -2);
	session.set_input(0, loom::view<const float>(constant));
	CHECK(second<float>(session) == -3);
	session.set_input<float>(0, { 1, 9, 3, 4 });
	CHECK(second<float>(session) == -9);
	session.set_input<float>(0, array);
	CHECK(second<float>(session) == -4);
	own.as<float>()[1] = 10;
	session.set_input(0, own);
	CHECK(second<float>(session) == -10);
#if __cplusplus >= 202002L
	session.set_input(0, std::span<float>(vector));
	CHECK(second<float>(session) == -2);
	session.set_input(0, std::span<const float>(constant));
	CHECK(second<float>(session) == -3);
	session.set_input(0, std::span<float, 4>(array));
	CHECK(second<float>(session) == -4);
#endif
}

static void wrong_inputs()
{
	loom::program program(negate(DRM_LOOM_DTYPE_I32), loom::chip("soft"));
	loom::session session(program, loom::target("host", program.chip()));
	std::vector<std::int32_t> good = { 1, 2, 3, 4 }, more(5), none;
	std::vector<float> other(4);

	session.set_input(0, good);
	CHECK(second<std::int32_t>(session) == -2);
	THROWS(std::invalid_argument, "x takes 4 elements, not 5", session.set_input(0, more));
	THROWS(std::invalid_argument, "x takes 4 elements, not 0", session.set_input(0, none));
	THROWS(std::invalid_argument, "x takes 4 elements, not 2", session.set_input(0, { 1, 2 }));
	THROWS(loom::error, "takes i32", session.set_input(0, other));
	THROWS(loom::error, "takes i32", session.set_input(0, { 1.0, 2.0, 3.0, 4.0 }));
	THROWS(std::invalid_argument, "elements are i32", session.input_view<float>(0));
	THROWS(std::invalid_argument, "32 bits", session.set_input(std::uint64_t{ 1 } << 32, good));
	THROWS(std::invalid_argument, "32 bits", session.output(std::uint64_t{ 1 } << 32));
	THROWS(loom::error, "input", session.set_input(1, good));
	THROWS(std::invalid_argument, "opset", loom::graph_builder("g", (std::int64_t{ 1 } << 32) + 17));
	THROWS(std::invalid_argument, "w takes 6 elements, not 4", loom::graph_builder("g")
		.constant("w", { 2, 3 }, good));
	/* and it is as it was */
	CHECK(second<std::int32_t>(session) == -2);
}

static void files(const std::string &path)
{
	loom::program program(negate(DRM_LOOM_DTYPE_F32), loom::chip("tiny"));

	program.save(path);
	loom::program again(path);
	CHECK(again.to_bytes() == program.to_bytes());
	loom::session session(again, loom::target("host", again.chip()));
	session.set_input(0, { 1.0f, 2.0f, 3.0f, 4.0f });
	CHECK(second<float>(session) == -2);
	THROWS(loom::error, "No such file or directory", program.save("/nowhere/net.loom"));
	THROWS(loom::error, "Is a directory", program.save("/"));
}

static void must_not_compile()
{
#if WRONG
	loom::program program(negate(DRM_LOOM_DTYPE_F32), loom::chip("tiny"));
	loom::session session(program, loom::target("host", program.chip()));
	float rows[2][2] = { { 1, 2 }, { 3, 4 } };
	float number = 1;

	static_cast<void>(rows);
	static_cast<void>(number);
#endif
#if WRONG == 1
	session.set_input(0, std::vector<std::string>{ "1", "2", "3", "4" });
#elif WRONG == 2
	session.set_input(0, std::vector<bool>{ true, false, true, false });
#elif WRONG == 3
	session.set_input(0, rows);
#elif WRONG == 4
	session.set_input(0, number);
#elif WRONG == 5
	session.set_input(0, &number);
#elif WRONG == 6
	session.set_input<int>(0, std::vector<float>{ 1, 2, 3, 4 });
#elif WRONG == 7
	session.set_input(0, { "1", "2" });
#elif WRONG == 8
	session.set_input(0, std::vector<long double>(4));
#elif WRONG == 9
	loom::session copy = session;
#elif WRONG == 10
	session.set_input("x", { 1.0f, 2.0f, 3.0f, 4.0f });
#elif WRONG
#error "all of them"
#endif
}

int main(int argc, char **argv)
{
	inputs();
	wrong_inputs();
	files(argc > 1 ? argv[1] : "first.loom");
	must_not_compile();
	return failed != 0;
}
