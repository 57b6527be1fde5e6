// SPDX-License-Identifier: MIT
/*
 * Zero points that are computed, or differ from row to row and from channel to channel: products
 * and convolutions of bytes, planned and run on the host, beside plain loops.
 */
#include "host/lower/case.h"
#include "loom_chip_file.h"
#include "outcome.h"

#define U8	DRM_LOOM_DTYPE_U8
#define I8	DRM_LOOM_DTYPE_I8
#define DIMS(...) ((int64_t[]){ __VA_ARGS__ })

enum { M = 5, K = 37, N = 7 };
enum { GROUPS = 2, IN = 4, OUT = 6, SIZE = 7, TAPS = 3 };

static uint8_t byte(const struct test_case *test, uint32_t operand, size_t at)
{
	return ((uint8_t *)test->inputs[operand].data)[at];
}

static int8_t signed_byte(const struct test_case *test, uint32_t operand, size_t at)
{
	return ((int8_t *)test->inputs[operand].data)[at];
}

/* Runs it; output 0 has to be @want. */
static void expect(struct test_case *test, const int32_t *want, size_t count, const char *what)
{
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_error err = { .text = "" };
	struct outcome outcome = { .num_outputs = 0 };
	size_t bad = 0, i;
	int ret;

	loom_graph_add_output(test->graph, "y");
	case_finish(test);
	ret = outcome_plan(&outcome, test->graph, &planner, test->inputs, test->num_inputs, &err);
	if (!ret && outcome.outputs[0].size_bytes != count * sizeof(*want))
		bad = count;
	for (i = 0; !ret && i < count && bad < count; i++)
		bad += ((int32_t *)outcome.outputs[0].data)[i] != want[i];
	tap_ok(!ret && !bad, "%s", what);
	if (ret || bad)
		tap_note("%d, %zu wrong: %s", ret, bad, err.text);
	outcome_clear(&outcome);
	free_case(test);
}

/* @rows and @columns: zero points differ, else there is one of each. */
static void product(bool rows, bool columns, const char *what)
{
	struct test_case test;
	int32_t want[M * N] = { 0 };
	int m, n, k;

	case_begin(&test, 5, 13);
	case_add(&test, "a u8 %d %d; b i8 %d %d", M, K, K, N);
	input(&test, "p", U8, rows, DIMS(M));
	input(&test, "q", I8, columns, DIMS(N));
	node(&test, "MatMulInteger", "a b p q", "y");
	for (m = 0; m < M; m++)
		for (n = 0; n < N; n++)
			for (k = 0; k < K; k++)
				want[m * N + n] +=
					(byte(&test, 0, m * K + k) - byte(&test, 2, rows ? m : 0)) *
					(signed_byte(&test, 1, k * N + n) -
					 signed_byte(&test, 3, columns ? n : 0));
	expect(&test, want, M * N, what);
}

/* One output of a convolution with padding 1 and stride 2. */
static int32_t output(const struct test_case *test, bool channels, int m, int r, int c)
{
	int per_group = OUT / GROUPS, first = m / per_group * (IN / GROUPS), i, y, x;
	int32_t sum = 0;

	for (i = 0; i < IN / GROUPS; i++)
		for (y = 0; y < TAPS; y++)
			for (x = 0; x < TAPS; x++) {
				int row = 2 * r + y - 1, column = 2 * c + x - 1;
				int w = signed_byte(test, 1, ((m * (IN / GROUPS) + i) * TAPS + y) *
						    TAPS + x);

				if (row < 0 || row >= SIZE || column < 0 || column >= SIZE)
					continue;
				sum += (byte(test, 0, ((first + i) * SIZE + row) * SIZE + column) -
					byte(test, 2, 0)) *
				       (w - signed_byte(test, 3, channels ? m : 0));
			}
	return sum;
}

static void convolution(bool channels, const char *what)
{
	struct test_case test;
	int32_t want[OUT * 16];
	int m, r, c;

	case_begin(&test, 6, 13);
	input(&test, "x", U8, 4, DIMS(1, IN, SIZE, SIZE));
	input(&test, "w", I8, 4, DIMS(OUT, IN / GROUPS, TAPS, TAPS));
	input(&test, "p", U8, 0, DIMS(0));
	input(&test, "q", I8, channels, DIMS(OUT));
	attr_int(&test, "group", GROUPS);
	case_add(&test, "y = ConvInteger x w p q pads=1,1,1,1 strides=2,2");
	for (m = 0; m < OUT; m++)
		for (r = 0; r < 4; r++)
			for (c = 0; c < 4; c++)
				want[(m * 4 + r) * 4 + c] = output(&test, channels, m, r, c);
	expect(&test, want, OUT * 16, what);
}

/* What is quantised as it runs: the zero point of its range meets weights with zero points. */
static void dynamic(void)
{
	struct test_case test;
	static const int8_t zeroes[N] = { 3, -7, 0, 11, 127, -128, 1 };
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_error err = { .text = "" };
	int m, n, k, bad = 0, ret;

	case_begin(&test, 7, 13);
	case_add(&test, "f f32 %d %d; b i8 %d %d", M, K, K, N);
	bytes_const(&test, "q", I8, N, zeroes);
	case_add(&test, "a s p = DynamicQuantizeLinear f; "
		 "y = MatMulInteger a b p q; > y a p");
	case_finish(&test);
	ret = outcome_plan(&outcome, test.graph, &planner, test.inputs, test.num_inputs, &err);
	for (m = 0; !ret && m < M; m++)
		for (n = 0; n < N; n++) {
			const uint8_t *a = outcome.outputs[1].data, *p = outcome.outputs[2].data;
			int32_t want = 0;

			for (k = 0; k < K; k++)
				want += (a[m * K + k] - *p) *
					(signed_byte(&test, 1, k * N + n) - zeroes[n]);
			bad += ((int32_t *)outcome.outputs[0].data)[m * N + n] != want;
		}
	tap_ok(!ret && !bad, "a product of what is quantised as it runs %s", err.text);
	outcome_clear(&outcome);
	free_case(&test);
}

/* What does not fit is refused, also where it would broadcast. */
static void refuse(bool convolution, const int64_t *of, const char *line)
{
	struct test_case test;
	struct loom_error err = { .text = "" };
	int ret;

	case_begin(&test, 8, 13);
	if (convolution) {
		input(&test, "x", U8, 4, DIMS(1, IN, SIZE, SIZE));
		input(&test, "w", I8, 4, of);
		input(&test, "p", U8, 0, NULL);
		node(&test, "ConvInteger", "x w p", "y");
	} else {
		case_add(&test, "x u8 1 %d %d; w i8 %d %d", M, K, K, N);
		input(&test, "p", U8, 3, of);
		node(&test, "MatMulInteger", "x w p", "y");
	}
	loom_graph_add_output(test.graph, "y");
	ret = loom_graph_finish(test.graph, NULL, &err);
	tap_ok(ret && strstr(err.text, line) && !strchr(err.text, '\n'), "refused: %s", line);
	if (!ret || !strstr(err.text, line))
		tap_note("%d: %s", ret, err.text);
	free_case(&test);
}

int main(void)
{
	product(false, false, "a product with zero points that are computed");
	product(true, false, "one for each row");
	product(false, true, "one for each column");
	product(true, true, "one for each row and column");
	convolution(false, "a convolution with zero points that are computed, groups and padding");
	convolution(true, "one for each channel");
	dynamic();
	refuse(true, DIMS(0, IN, TAPS, TAPS), "operator ConvInteger: it has no weights");
	refuse(false, DIMS(4, M, 1), "a scale or zero point does not fit its operand");
	return tap_end();
}
