// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/*
 * Softmax takes three passes over a run: its maximum, the sum of exp(x - maximum), the quotients.
 * The second pass stores the exponentials of F32 in y for the third; F16 would round them, so they
 * are computed again. The sum is in binary64, in four parts by index modulo 4, added last: a fixed
 * order that vectorises.
 */
struct softmax {
	const struct loom_view *view[2];
	const struct loom_memory *memory;
	u8 *base[2];
	u32 axis;
	u32 length;
	bool log;
};

enum {
	SOFTMAX_Y,
	SOFTMAX_X,
};

/* The tile of a run from index @i on; *@n is its length. */
static struct loom_row softmax_row(const struct softmax *s, u32 which, u32 i, u32 *n)
{
	*n = min(s->length - i, (u32)LOOM_TILE);
	return loom_row_along(s->view[which], s->memory, s->base[which], s->axis, i);
}

static noinline float softmax_max_f32(const struct softmax *s, u32 dtype)
{
	const float lowest = -__builtin_inff();
	float part[4] = { lowest, lowest, lowest, lowest };
	struct loom_row row;
	union loom_buf buf;
	const float *x;
	u32 i, j, k, n;

	for (i = 0; i < s->length; i += n) {
		row = softmax_row(s, SOFTMAX_X, i, &n);
		x = loom_row_f32(&row, dtype, n, &buf);
		for (j = 0; j + 4 <= n; j += 4) {
			for (k = 0; k < 4; k++)
				part[k] = loom_maxf(part[k], x[j + k]);
		}
		for (; j < n; j++)
			part[0] = loom_maxf(part[0], x[j]);
	}
	return loom_maxf(loom_maxf(part[0], part[1]), loom_maxf(part[2], part[3]));
}

static noinline void softmax_f32(const struct softmax *s, u32 dtype)
{
	float max = softmax_max_f32(s, dtype);
	double part[4] = {};
	struct loom_row row;
	union loom_buf buf;
	float e[LOOM_TILE], sum;
	double log_sum;
	const float *x;
	u32 i, j, k, n;

	for (i = 0; i < s->length; i += n) {
		row = softmax_row(s, SOFTMAX_X, i, &n);
		x = loom_row_f32(&row, dtype, n, &buf);
		for (j = 0; j < n; j++)
			e[j] = loom_expf(x[j] - max);
		for (j = 0; j + 4 <= n; j += 4) {
			for (k = 0; k < 4; k++)
				part[k] += e[j + k];
		}
		for (; j < n; j++)
			part[j & 3] += e[j];
		if (dtype == DRM_LOOM_DTYPE_F32 && !s->log) {
			row = softmax_row(s, SOFTMAX_Y, i, &n);
			loom_row_put_f32(&row, dtype, n, e);
		}
	}
	part[0] = (part[0] + part[1]) + (part[2] + part[3]);
	sum = (float)part[0];
	log_sum = s->log ? loom_log(part[0]) : 0.0;

	for (i = 0; i < s->length; i += n) {
		bool kept = dtype == DRM_LOOM_DTYPE_F32 && !s->log;

		row = softmax_row(s, kept ? SOFTMAX_Y : SOFTMAX_X, i, &n);
		x = loom_row_f32(&row, dtype, n, &buf);
		if (s->log) {
			for (j = 0; j < n; j++)
				e[j] = (float)((double)x[j] - max - log_sum);
		} else if (kept) {
			for (j = 0; j < n; j++)
				e[j] = x[j] / sum;
		} else {
			for (j = 0; j < n; j++)
				e[j] = loom_expf(x[j] - max) / sum;
		}
		row = softmax_row(s, SOFTMAX_Y, i, &n);
		loom_row_put_f32(&row, dtype, n, e);
	}
}

static noinline void softmax_f64(const struct softmax *s)
{
	const u32 dtype = DRM_LOOM_DTYPE_F64;
	double max = -__builtin_inf();
	double e[LOOM_TILE], sum = 0.0;
	struct loom_row row;
	union loom_buf buf;
	const double *x;
	u32 i, j, n;

	for (i = 0; i < s->length; i += n) {
		row = softmax_row(s, SOFTMAX_X, i, &n);
		x = loom_row_f64(&row, dtype, n, &buf);
		for (j = 0; j < n; j++)
			max = loom_max(max, x[j]);
	}
	for (i = 0; i < s->length; i += n) {
		row = softmax_row(s, SOFTMAX_X, i, &n);
		x = loom_row_f64(&row, dtype, n, &buf);
		for (j = 0; j < n; j++)
			sum += loom_exp(x[j] - max);
	}
	if (s->log)
		sum = loom_log(sum);
	for (i = 0; i < s->length; i += n) {
		row = softmax_row(s, SOFTMAX_X, i, &n);
		x = loom_row_f64(&row, dtype, n, &buf);
		for (j = 0; j < n; j++)
			e[j] = s->log ? x[j] - max - sum : loom_exp(x[j] - max) / sum;
		row = softmax_row(s, SOFTMAX_Y, i, &n);
		loom_row_put_f64(&row, n, e);
	}
}

void loom_fp_softmax_run(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count)
{
	const struct drm_loom_attr_softmax *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	struct softmax s = {
		.view = { &command->views[0], &command->views[1] },
		.memory = memory,
		.axis = attr->axis,
		.length = y->dims[attr->axis],
		.log = attr->flags & DRM_LOOM_SOFTMAX_LOG,
	};

	for (; count--; first++) {
		u64 rest = first;
		u32 i, v;

		for (v = 0; v < 2; v++)
			s.base[v] = loom_view_origin(s.view[v], memory);
		for (i = y->rank; i-- > 0;) {
			if (i == s.axis)
				continue;
			for (v = 0; v < 2; v++)
				s.base[v] += loom_view_step(s.view[v], memory, i,
							    rest % y->dims[i]);
			rest /= y->dims[i];
		}
		if (y->dtype == DRM_LOOM_DTYPE_F64)
			softmax_f64(&s);
		else
			softmax_f32(&s, y->dtype);
	}
}
