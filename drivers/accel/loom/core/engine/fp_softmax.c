// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/*
 * Softmax takes three passes over a run: its maximum, the sum of exp(x - maximum), the quotients.
 * The second pass stores the exponentials of F32 in y for the third; F16 would round them, so they
 * are computed again. The sum is in binary64, in four parts by index modulo 4, added last: a fixed
 * order that vectorises. A call can stop between two tiles of any pass.
 */

/**
 * struct softmax - a run along the axis
 * @view: y and x
 * @memory: where they lie
 * @base: of each: the run's first byte, less what the axis adds to it
 * @part: @phase is the pass, @at the next element, @sums are as below
 * @axis: the axis
 * @length: elements of the run
 * @log: logarithms are wanted
 */
struct softmax {
	const struct loom_view *view[2];
	const struct loom_memory *memory;
	u8 *base[2];
	struct loom_part *part;
	u32 axis;
	u32 length;
	bool log;
};

enum {
	SOFTMAX_Y,
	SOFTMAX_X,
};

enum {
	SOFTMAX_MAX,
	SOFTMAX_SUM,
	SOFTMAX_WRITE,
};

/* Where loom_sums.f64 keeps what the passes hand on, behind the four maxima of binary32. */
enum {
	SOFTMAX_MAX_F64 = 2,
	SOFTMAX_TOTAL,
	SOFTMAX_PARTS,
};

/* An element of each pass, in element operations: the later two take exponentials. */
static const u8 softmax_cost[] = { 2, 6, 6 };

/* The tile of a run from the next element on; *@n is its length. */
static struct loom_row softmax_row(const struct softmax *s, u32 which, u32 *n)
{
	u32 at = s->part->at;

	*n = min(s->length - at, (u32)LOOM_TILE);
	return loom_row_along(s->view[which], s->memory, s->base[which], s->axis, at);
}

/* A tile of @n elements is done. Return: whether the pass goes on now. */
static bool softmax_next(const struct softmax *s, u32 n)
{
	struct loom_part *part = s->part;

	loom_part_charge(part, LOOM_ROW_COST + n * softmax_cost[part->phase]);
	part->at += n;
	return part->at < s->length && loom_part_ready(part);
}

/* Return: whether the pass has ended, and the next one begins. */
static bool softmax_pass_end(const struct softmax *s)
{
	if (s->part->at < s->length)
		return false;
	s->part->at = 0;
	s->part->phase++;
	return true;
}

static void softmax_begin(const struct softmax *s)
{
	union loom_sums *sums = &s->part->sums;
	u32 i;

	loom_part_charge(s->part, 2 * LOOM_UNIT_COST);
	loom_part_begin(s->part);
	for (i = 0; i < 4; i++) {
		sums->f32[i] = -__builtin_inff();
		sums->f64[SOFTMAX_PARTS + i] = 0.0;
	}
	sums->f64[SOFTMAX_MAX_F64] = -__builtin_inf();
}

static noinline void softmax_max_f32(const struct softmax *s, u32 dtype)
{
	float *part = s->part->sums.f32;
	struct loom_row row;
	union loom_buf buf;
	const float *x;
	u32 j, k, n;

	do {
		row = softmax_row(s, SOFTMAX_X, &n);
		x = loom_row_f32(&row, dtype, n, &buf);
		for (j = 0; j + 4 <= n; j += 4) {
			for (k = 0; k < 4; k++)
				part[k] = loom_maxf(part[k], x[j + k]);
		}
		for (; j < n; j++)
			part[0] = loom_maxf(part[0], x[j]);
	} while (softmax_next(s, n));
	if (softmax_pass_end(s))
		part[0] = loom_maxf(loom_maxf(part[0], part[1]), loom_maxf(part[2], part[3]));
}

static noinline void softmax_sum_f32(const struct softmax *s, u32 dtype)
{
	double *total = &s->part->sums.f64[SOFTMAX_TOTAL];
	double *part = &s->part->sums.f64[SOFTMAX_PARTS];
	float max = s->part->sums.f32[0];
	float e[LOOM_TILE];
	struct loom_row row;
	union loom_buf buf;
	const float *x;
	u32 j, k, n;

	do {
		row = softmax_row(s, SOFTMAX_X, &n);
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
			row = softmax_row(s, SOFTMAX_Y, &n);
			loom_row_put_f32(&row, dtype, n, e);
		}
	} while (softmax_next(s, n));
	if (!softmax_pass_end(s))
		return;
	*total = (part[0] + part[1]) + (part[2] + part[3]);
	if (s->log)
		*total = loom_log(*total);
}

static noinline void softmax_write_f32(const struct softmax *s, u32 dtype)
{
	bool kept = dtype == DRM_LOOM_DTYPE_F32 && !s->log;
	double log_sum = s->part->sums.f64[SOFTMAX_TOTAL];
	float max = s->part->sums.f32[0];
	float sum = (float)log_sum;
	float e[LOOM_TILE];
	struct loom_row row;
	union loom_buf buf;
	const float *x;
	u32 j, n;

	do {
		row = softmax_row(s, kept ? SOFTMAX_Y : SOFTMAX_X, &n);
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
		row = softmax_row(s, SOFTMAX_Y, &n);
		loom_row_put_f32(&row, dtype, n, e);
	} while (softmax_next(s, n));
	softmax_pass_end(s);
}

static void softmax_f32(const struct softmax *s, u32 dtype)
{
	switch (s->part->phase) {
	case SOFTMAX_MAX:
		softmax_max_f32(s, dtype);
		break;
	case SOFTMAX_SUM:
		softmax_sum_f32(s, dtype);
		break;
	default:
		softmax_write_f32(s, dtype);
		break;
	}
}

static void softmax_reduce_f64(const struct softmax *s)
{
	double *max = &s->part->sums.f64[SOFTMAX_MAX_F64];
	double *sum = &s->part->sums.f64[SOFTMAX_PARTS];
	bool exps = s->part->phase == SOFTMAX_SUM;
	struct loom_row row;
	union loom_buf buf;
	const double *x;
	u32 j, n;

	do {
		row = softmax_row(s, SOFTMAX_X, &n);
		x = loom_row_f64(&row, DRM_LOOM_DTYPE_F64, n, &buf);
		for (j = 0; j < n; j++) {
			if (exps)
				*sum += loom_exp(x[j] - *max);
			else
				*max = loom_max(*max, x[j]);
		}
	} while (softmax_next(s, n));
	if (softmax_pass_end(s) && exps && s->log)
		*sum = loom_log(*sum);
}

static void softmax_write_f64(const struct softmax *s)
{
	double max = s->part->sums.f64[SOFTMAX_MAX_F64];
	double sum = s->part->sums.f64[SOFTMAX_PARTS];
	double e[LOOM_TILE];
	struct loom_row row;
	union loom_buf buf;
	const double *x;
	u32 j, n;

	do {
		row = softmax_row(s, SOFTMAX_X, &n);
		x = loom_row_f64(&row, DRM_LOOM_DTYPE_F64, n, &buf);
		for (j = 0; j < n; j++)
			e[j] = s->log ? x[j] - max - sum : loom_exp(x[j] - max) / sum;
		row = softmax_row(s, SOFTMAX_Y, &n);
		loom_row_put_f64(&row, n, e);
	} while (softmax_next(s, n));
	softmax_pass_end(s);
}

static noinline void softmax_f64(const struct softmax *s)
{
	if (s->part->phase == SOFTMAX_WRITE)
		softmax_write_f64(s);
	else
		softmax_reduce_f64(s);
}

u64 loom_fp_softmax_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count, struct loom_part *part)
{
	const struct drm_loom_attr_softmax *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	struct softmax s = {
		.view = { &command->views[0], &command->views[1] },
		.memory = memory,
		.part = part,
		.axis = attr->axis,
		.length = y->dims[attr->axis],
		.log = attr->flags & DRM_LOOM_SOFTMAX_LOG,
	};
	u64 done = 0;

	do {
		loom_run_bases(command, memory, attr->axis, first + done, s.base);
		if (!part->begun)
			softmax_begin(&s);
		do {
			if (y->dtype == DRM_LOOM_DTYPE_F64)
				softmax_f64(&s);
			else
				softmax_f32(&s, y->dtype);
		} while (part->phase <= SOFTMAX_WRITE && loom_part_ready(part));
		if (part->phase <= SOFTMAX_WRITE)
			break;
		part->begun = false;
	} while (++done < count && loom_part_ready(part));
	return done;
}
