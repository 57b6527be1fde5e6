// SPDX-License-Identifier: MIT
/*
 * TopK: random elements of few different numbers, along an axis inside of a tensor, in numbers
 * around powers of two, and of a type whose elements have no room for positions.
 */
#define MOST		2048
#include "form.h"
#include "random.h"

static const struct {
	uint32_t dtype;
	int64_t outer, n, inner, k;
	bool largest;
} cases[] = {
	{ DRM_LOOM_DTYPE_F32, 1, 65, 1, 65, true },
	{ DRM_LOOM_DTYPE_F32, 2, 1000, 1, 100, true },
	{ DRM_LOOM_DTYPE_F32, 1, 640, 3, 70, false },
	{ DRM_LOOM_DTYPE_F32, 1, 256, 2, 128, true },
	{ DRM_LOOM_DTYPE_F32, 1, 2048, 1, 129, false },
	{ DRM_LOOM_DTYPE_F16, 3, 300, 2, 90, true },
	{ DRM_LOOM_DTYPE_I32, 2, 129, 3, 66, true },
	{ DRM_LOOM_DTYPE_U8, 1, 700, 2, 600, false },
	{ DRM_LOOM_DTYPE_I64, 1, 385, 2, 128, true },
};

/* NaN is above infinity; of equals, the first comes first. */
static bool comes_before(double x, int64_t x_at, double y, int64_t y_at, bool largest)
{
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? x_at < y_at : !isnan(y) == largest;
	return x == y ? x_at < y_at : largest ? x > y : x < y;
}

static void try_case(uint32_t at, bool known)
{
	static const double numbers[] = { 3, 0, 1, 7, 100, 8, 9, NAN, INFINITY, -INFINITY, -0.5 };
	static struct form form;
	int64_t n = cases[at].n, inner = cases[at].inner, k = cases[at].k, i, j, rank, base;
	bool is_float = cases[at].dtype == DRM_LOOM_DTYPE_F32 ||
			cases[at].dtype == DRM_LOOM_DTYPE_F16;
	double *x;

	form = (struct form){
		known ? "folded" : "sorted", "TopK", 11,
		{ INT("axis", 1), INT("largest", cases[at].largest) }, 2,
		{ { cases[at].dtype, 3, { cases[at].outer, n, inner }, { 0 } },
		  I64(1, { 1 }, { k }) }, 2, known ? 3 : 2,
		{ { cases[at].dtype, 3, { cases[at].outer, k, inner }, { 0 } },
		  I64(3, { cases[at].outer, k, inner }, { 0 }) }, 2,
	};
	x = form.operands[0].elems;
	for (i = 0; i < cases[at].outer * n * inner; i++)
		x[i] = numbers[random_below(is_float ? ARRAY_SIZE(numbers) : 7)];
	for (base = 0; base < cases[at].outer * inner; base++) {
		const double *row = x + base / inner * n * inner + base % inner;

		for (i = 0; i < n; i++) {
			for (j = 0, rank = 0; j < n; j++)
				rank += comes_before(row[j * inner], j, row[i * inner], i,
						     cases[at].largest);
			if (rank >= k)
				continue;
			rank = (base / inner * k + rank) * inner + base % inner;
			form.results[0].elems[rank] = row[i * inner];
			form.results[1].elems[rank] = i;
		}
	}
	try_form(&form);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++)
		try_case(i / 2, i % 2);
	return tap_end();
}
