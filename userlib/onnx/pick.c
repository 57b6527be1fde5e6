// SPDX-License-Identifier: MIT
#include "pick.h"

#include "base/dtype.h"

#include <errno.h>
#include <math.h>

struct loom_value *loom_pick_numbers(struct loom_import *im, uint32_t rank, uint32_t axis,
				     int64_t count)
{
	int64_t dims[LOOM_GRAPH_RANK], i;
	struct loom_value *numbers;
	uint32_t k;

	if (count > LOOM_PICK_MAX)
		loom_import_fail(im, -EOPNOTSUPP, "an axis of %lld is not supported",
				 (long long)count);
	if (im->em->status)
		return NULL;
	for (k = 0; k < rank; k++)
		dims[k] = k == axis ? count : 1;
	numbers = loom_emit_const(im->em, DRM_LOOM_DTYPE_I32, rank, dims);
	for (i = 0; numbers && i < count; i++)
		loom_value_set_int(numbers, i, i);
	return numbers;
}

/* Clamps indices beyond I32, which would wrap to a valid one, to one out of range. */
static struct loom_value *within(struct loom_import *im, struct loom_value *indices, int64_t count)
{
	if (!indices || !loom_dtype_is_int(indices->dtype) ||
	    (loom_dtype_size(indices->dtype) < 8 && indices->dtype != DRM_LOOM_DTYPE_U32))
		return indices;
	indices = loom_emit_binary(im->em, LOOM_GBIN_MIN, indices,
				   loom_emit_scalar(im->em, indices->dtype, (double)count));
	if (indices && indices->dtype == DRM_LOOM_DTYPE_I64)
		indices = loom_emit_binary(im->em, LOOM_GBIN_MAX, indices,
					   loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I64,
							    (double)-count - 1));
	return indices;
}

struct loom_value *loom_pick_index(struct loom_import *im, struct loom_value *indices,
				   int64_t count)
{
	struct loom_value *zero = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, 0), *end;

	if (count > INT32_MAX / 2)
		loom_import_fail(im, -EOPNOTSUPP, "an axis of %lld is not supported",
				 (long long)count);
	if (im->em->status)
		return NULL;
	end = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)count);
	indices = within(im, indices, count);
	indices = loom_emit_cast(im->em, indices, DRM_LOOM_DTYPE_I32);
	return loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS, indices, zero),
				loom_emit_binary(im->em, LOOM_GBIN_ADD, indices, end), indices);
}

/* Booleans become bytes for summing. */
static struct loom_value *countable(struct loom_import *im, struct loom_value *x)
{
	return x && x->dtype == DRM_LOOM_DTYPE_BOOL ?
	       loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32) : x;
}

/* Whether index i is number k: [o, k, i, n]. NULL after an error. */
static struct loom_value *emit_hits(struct loom_import *im, struct loom_value *indices,
				    const struct loom_value *data)
{
	int64_t o = data->dims[0], k = data->dims[1], n = data->dims[2], i = indices->dims[1], all;
	int64_t dims[4] = { indices->dims[0], 1, i, indices->dims[2] };

	if (__builtin_mul_overflow(o * n, k, &all) || __builtin_mul_overflow(all, i, &all) ||
	    all > LOOM_PICK_MAX) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "%lld indices of %lld numbers that depend on the data are not supported",
				 (long long)(o * n * i), (long long)k);
		return NULL;
	}
	return loom_emit_binary(im->em, LOOM_GBIN_EQUAL,
				loom_emit_reshape(im->em, indices, 4, dims),
				loom_pick_numbers(im, 4, 1, k));
}

/* The neutral element of the reduction. */
static double neutral_of(enum loom_pick_reduction how)
{
	static const double neutral[] = {
		[LOOM_PICK_LAST] = 0, [LOOM_PICK_ADD] = 0, [LOOM_PICK_MUL] = 1,
		[LOOM_PICK_MAX_OF] = -INFINITY, [LOOM_PICK_MIN_OF] = INFINITY,
	};

	return neutral[how];
}

/* Of several hits of one position, keeps the last. */
static struct loom_value *last_of(struct loom_import *im, struct loom_value *hits, int64_t count)
{
	struct loom_value *numbers = loom_pick_numbers(im, 4, 2, count), *last;

	last = loom_emit_select(im->em, hits, numbers,
				loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, -1));
	last = loom_emit_reduce(im->em, LOOM_GREDUCE_MAX, last, 1u << 2, true);
	return loom_emit_binary(im->em, LOOM_GBIN_EQUAL, last, numbers);
}

/* Whether any of them hits. */
static struct loom_value *any_of(struct loom_import *im, struct loom_value *hits)
{
	struct loom_value *any = loom_emit_cast(im->em, hits, DRM_LOOM_DTYPE_I32);

	any = loom_emit_reduce(im->em, LOOM_GREDUCE_MAX, any, 1u << 2, false);
	return loom_emit_cast(im->em, any, DRM_LOOM_DTYPE_BOOL);
}

struct loom_value *loom_pick_scatter(struct loom_import *im, struct loom_value *data,
				     struct loom_value *indices, struct loom_value *updates,
				     enum loom_pick_reduction how)
{
	static const enum loom_greduce_kind kinds[] = {
		LOOM_GREDUCE_SUM, LOOM_GREDUCE_SUM, LOOM_GREDUCE_PROD, LOOM_GREDUCE_MAX,
		LOOM_GREDUCE_MIN,
	};
	static const enum loom_gbin fns[] = {
		LOOM_GBIN_ADD, LOOM_GBIN_ADD, LOOM_GBIN_MUL, LOOM_GBIN_MAX, LOOM_GBIN_MIN,
	};
	struct loom_value *hits, *any, *y;
	uint32_t dtype;
	int64_t count;

	if (im->em->status || !data || !indices || !updates)
		return NULL;
	dtype = data->dtype;
	count = updates->dims[1];
	if (how > LOOM_PICK_MUL && !loom_dtype_is_float(dtype))
		loom_import_fail(im, -EOPNOTSUPP, "this reduction of type %s is not supported",
				 loom_dtype_name(dtype));
	hits = emit_hits(im, indices, data);
	if (how == LOOM_PICK_LAST && count == 1 && hits) {
		hits = loom_emit_reshape(im->em, hits, 3, (int64_t[]){
			hits->dims[0], hits->dims[1], hits->dims[3] });
		return loom_emit_select(im->em, hits, updates, data);
	}
	if (how == LOOM_PICK_LAST)
		hits = last_of(im, hits, count);
	any = any_of(im, hits);
	data = countable(im, data);
	updates = countable(im, updates);
	if (!data || !updates)
		return NULL;
	y = loom_emit_reshape(im->em, updates, 4, (int64_t[]){
		updates->dims[0], 1, count, updates->dims[2] });
	y = loom_emit_select(im->em, hits, y,
			     loom_emit_scalar(im->em, data->dtype, neutral_of(how)));
	y = loom_emit_reduce(im->em, kinds[how], y, 1u << 2, false);
	if (how == LOOM_PICK_LAST)
		y = loom_emit_select(im->em, any, y, data);
	else
		y = loom_emit_binary(im->em, fns[how], data, y);
	return loom_emit_cast(im->em, y, dtype);
}

/* limit on the runs of indices of a Gather, each of which becomes a slice */
#define GATHER_RUNS_MAX	4096

/* Number of indices from @first on in equal steps; [out] @step. */
static int64_t gather_run(const int64_t *indices, int64_t first, int64_t count, int64_t *step)
{
	int64_t i = first + 1;

	*step = 1;
	if (i >= count || indices[i] == indices[first])
		return 1;
	*step = indices[i] - indices[first];
	while (i + 1 < count && indices[i + 1] - indices[i] == *step)
		i++;
	return i + 1 - first;
}

struct loom_value *loom_pick_rows(struct loom_import *im, struct loom_value *x, uint32_t axis,
				  const int64_t *indices, int64_t count)
{
	struct loom_value **runs, *y;
	uint32_t num_runs = 0;
	int64_t i, step, length;

	if (!count)
		return loom_import_part(im, x, axis, 0, 1, 0);
	runs = loom_pool_array(im->graph->pool, GATHER_RUNS_MAX, sizeof(*runs));
	for (i = 0; i < count && runs; i += length) {
		if (num_runs == GATHER_RUNS_MAX) {
			loom_import_fail(im, -EOPNOTSUPP, "this many indices are not supported");
			return NULL;
		}
		length = gather_run(indices, i, count, &step);
		runs[num_runs++] = loom_import_part(im, x, axis, indices[i], step, length);
	}
	y = runs ? loom_emit_concat(im->em, num_runs, runs, axis) : NULL;
	return y;
}
