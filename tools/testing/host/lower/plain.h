/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_LOWER_PLAIN_H
#define LOOM_TESTS_LOWER_PLAIN_H

/* Operators as plain loops over random geometry, to compare with. */

#include "case.h"
#include "near.h"

#include <math.h>

/* Indices of &test_case.geometry, for windows. */
enum { N, C, H, W, O, KH, KW, SH, SW, DH, DW, PH, PW, QH, QW, G, BIAS, MAX, MODE };

/* Likewise for products. */
enum { MM_B, MM_M, MM_K, MM_N, MM_A_BATCH, MM_B_BATCH };
enum { GEMM_TRANS_A, GEMM_TRANS_B, GEMM_HALF_BETAS };

static inline bool near(double a, double b)
{
	return near_within(a, b, 0.0001, 0.0001);
}

/* The next index in row-major order; false after the last, when it is all zero again. */
static inline bool next(uint32_t rank, const int64_t *dims, int64_t *index)
{
	while (rank-- > 0) {
		if (++index[rank] < dims[rank])
			return true;
		index[rank] = 0;
	}
	return false;
}

static inline int64_t at4(const int64_t *dims, int64_t a, int64_t b, int64_t c, int64_t d)
{
	return ((a * dims[1] + b) * dims[2] + c) * dims[3] + d;
}

/* Index of tap @k of the window of output @o; false outside of [0, limit). */
static inline bool tap_at(int64_t o, int64_t stride, int64_t pad, int64_t k, int64_t dilation,
			  int64_t limit, int64_t *at)
{
	*at = o * stride - pad + k * dilation;
	return *at >= 0 && *at < limit;
}

/* One output of a convolution: y[o[0], o[1], o[2], o[3]]. */
static inline double conv_at(const struct test_case *test, const int64_t *o)
{
	const int64_t *g = test->geometry;
	int64_t cg = g[C] / g[G], og = g[O] / g[G], a, b, k[3] = { 0, 0, 0 };
	const struct loom_array *x = &test->inputs[0], *w = &test->inputs[1];
	const int64_t taps[3] = { cg, g[KH], g[KW] };
	double sum = g[BIAS] ? ((const float *)test->inputs[2].data)[o[1]] : 0;

	do {
		if (!tap_at(o[2], g[SH], g[PH], k[1], g[DH], g[H], &a) ||
		    !tap_at(o[3], g[SW], g[PW], k[2], g[DW], g[W], &b))
			continue;
		sum += (double)((float *)x->data)[at4(x->dims, o[0], o[1] / og * cg + k[0], a, b)] *
		       ((float *)w->data)[at4(w->dims, o[1], k[0], k[1], k[2])];
	} while (next(3, taps, k));
	return sum;
}

static inline bool check_conv(const struct test_case *test, const struct loom_array *y)
{
	const float *out = y->data;
	int64_t o[4] = { 0, 0, 0, 0 };

	do {
		if (!near(*out++, conv_at(test, o)))
			return false;
	} while (next(4, y->dims, o));
	return true;
}

/* Adds each element of x to all outputs that it contributes to. */
static inline void deconv_add(const struct test_case *test, const int64_t *ydims, double *sum)
{
	const int64_t *g = test->geometry;
	int64_t cg = g[C] / g[G], og = g[O] / g[G], a, b, i[4] = { 0, 0, 0, 0 }, k[3] = { 0, 0, 0 };
	const struct loom_array *x = &test->inputs[0], *w = &test->inputs[1];
	const int64_t taps[3] = { og, g[KH], g[KW] };

	do {
		double element = ((float *)x->data)[at4(x->dims, i[0], i[1], i[2], i[3])];

		do {
			if (!tap_at(i[2], g[SH], g[PH], k[1], g[DH], ydims[2], &a) ||
			    !tap_at(i[3], g[SW], g[PW], k[2], g[DW], ydims[3], &b))
				continue;
			sum[at4(ydims, i[0], i[1] / cg * og + k[0], a, b)] +=
				element * ((float *)w->data)[at4(w->dims, i[1], k[0], k[1], k[2])];
		} while (next(3, taps, k));
	} while (next(4, x->dims, i));
}

static inline bool check_deconv(const struct test_case *test, const struct loom_array *y)
{
	size_t count = y->size_bytes / sizeof(float), i;
	double *sum = calloc(count, sizeof(*sum));
	bool good = true;

	if (!sum)
		tap_fatal("no memory");
	deconv_add(test, y->dims, sum);
	for (i = 0; good && i < count; i++)
		good = near(((float *)y->data)[i], sum[i]);
	free(sum);
	return good;
}

static inline double pool_at(const struct test_case *test, const int64_t *o)
{
	const int64_t *g = test->geometry;
	const struct loom_array *x = &test->inputs[0];
	int64_t a, b, inside = 0, padded = 0, k[2] = { 0, 0 };
	double best = -INFINITY, sum = 0, element;

	do {
		bool in_h = tap_at(o[2], g[SH], g[PH], k[0], g[DH], g[H], &a);
		bool in_w = tap_at(o[3], g[SW], g[PW], k[1], g[DW], g[W], &b);

		padded += a < g[H] + g[QH] && b < g[W] + g[QW];
		if (!in_h || !in_w)
			continue;
		element = ((float *)x->data)[at4(x->dims, o[0], o[1], a, b)];
		best = fmax(best, element);
		sum += element;
		inside++;
	} while (next(2, &g[KH], k));
	if (g[MAX])
		return best;
	return sum / (double)(g[MODE] ? padded : inside);
}

static inline bool check_pool(const struct test_case *test, const struct loom_array *y)
{
	const float *out = y->data;
	int64_t o[4] = { 0, 0, 0, 0 };

	do {
		if (!near(*out++, pool_at(test, o)))
			return false;
	} while (next(4, y->dims, o));
	return true;
}

static inline bool check_matmul(const struct test_case *test, const struct loom_array *y)
{
	const int64_t *g = test->geometry;
	const float *a = test->inputs[0].data, *b = test->inputs[1].data, *out = y->data;
	int64_t o[3] = { 0, 0, 0 }, k;

	do {
		const float *row = a + (o[0] % g[MM_A_BATCH] * g[MM_M] + o[1]) * g[MM_K];
		const float *column = b + o[0] % g[MM_B_BATCH] * g[MM_K] * g[MM_N] + o[2];
		double sum = 0;

		for (k = 0; k < g[MM_K]; k++)
			sum += (double)row[k] * column[k * g[MM_N]];
		if (!near(*out++, sum))
			return false;
	} while (next(3, y->dims, o));
	return true;
}

/* Element [@i, @k] of a matrix, or of its transpose; an axis of one element is broadcast. */
static inline double matrix_at(const struct loom_array *x, bool trans, int64_t i, int64_t k)
{
	int64_t row = trans ? k : i, column = trans ? i : k;
	int64_t at = (x->dims[0] == 1 ? 0 : row) * x->dims[1] + (x->dims[1] == 1 ? 0 : column);

	return x->dtype == DRM_LOOM_DTYPE_F64 ? ((double *)x->data)[at] : ((float *)x->data)[at];
}

/* Half of the product, and two or three halves of what is added. */
static inline bool check_gemm(const struct test_case *test, const struct loom_array *y)
{
	const struct loom_array *a = &test->inputs[0], *b = &test->inputs[1];
	const struct loom_array *c = &test->inputs[2];
	const int64_t *g = test->geometry;
	int64_t depth = a->dims[g[GEMM_TRANS_A] ? 0 : 1], i, j, k;

	for (i = 0; i < y->dims[0]; i++) {
		for (j = 0; j < y->dims[1]; j++) {
			double sum = 0;

			for (k = 0; k < depth; k++)
				sum += matrix_at(a, g[GEMM_TRANS_A], i, k) *
				       matrix_at(b, g[GEMM_TRANS_B], k, j);
			sum += (double)g[GEMM_HALF_BETAS] * matrix_at(c, false, i, j);
			if (!near(matrix_at(y, false, i, j), sum / 2))
				return false;
		}
	}
	return true;
}

/* The index that a padded one stands for; -1 for none. */
static inline int64_t pad_source(int64_t index, int64_t dim, int64_t mode)
{
	if (index >= 0 && index < dim)
		return index;
	switch (mode) {
	case 1:
		return index < 0 ? 0 : dim - 1;
	case 2:
		return index < 0 ? -index : 2 * (dim - 1) - index;
	}
	return -1;
}

static inline bool check_pad(const struct test_case *test, const struct loom_array *y)
{
	const struct loom_array *x = &test->inputs[0];
	const float *out = y->data;
	int64_t o[3] = { 0, 0, 0 }, i;

	do {
		int64_t at = 0;

		for (i = 0; i < 3 && at >= 0; i++) {
			int64_t source = pad_source(o[i] - test->geometry[i], x->dims[i],
						    test->geometry[6]);

			at = source < 0 ? -1 : at * x->dims[i] + source;
		}
		if (*out++ != (at < 0 ? 1.5f : ((float *)x->data)[at]))
			return false;
	} while (next(3, y->dims, o));
	return true;
}

#endif /* LOOM_TESTS_LOWER_PLAIN_H */
