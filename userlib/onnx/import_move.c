// SPDX-License-Identifier: MIT
/* Importers of operators that move elements without changing them. */
#include "import.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* no axis is longer; keeps sums of indices in 64 bits */
#define INDEX_MAX	((int64_t)1 << 45)

void loom_import_transpose(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t given[LOOM_GRAPH_RANK];
	uint32_t perm[LOOM_GRAPH_RANK];
	uint32_t i, count = loom_attr_ints(im, "perm", given, LOOM_GRAPH_RANK);

	(void)unused;
	if (!x)
		return;
	if (count && count != x->rank)
		loom_import_fail(im, -EINVAL, "perm has %u elements for rank %u", count, x->rank);
	if (count)
		loom_import_axes(im, given, count, x->rank);
	if (im->em->status)
		return;
	for (i = 0; i < x->rank; i++)
		perm[i] = count ? loom_import_axis(im, given[i], x->rank) : x->rank - 1 - i;
	loom_import_result(im, 0, loom_emit_transpose(im->em, x, perm));
}

/**
 * struct slice_range - parameters of Slice on one axis
 * @start: first index, negative counts from the end
 * @end: index past the last one
 * @step: not 0
 */
struct slice_range {
	int64_t start;
	int64_t end;
	int64_t step;
};

static void slice_axis(const struct slice_range *range, int64_t size, int64_t *start,
		       int64_t *step, int64_t *count)
{
	int64_t first = loom_import_clamp(range->start, -INDEX_MAX, INDEX_MAX);
	int64_t end = loom_import_clamp(range->end, -INDEX_MAX, INDEX_MAX);

	*step = loom_import_clamp(range->step, -INDEX_MAX, INDEX_MAX);
	*start = 0;
	*count = 0;
	if (!size)
		return;
	first += first < 0 ? size : 0;
	end += end < 0 ? size : 0;
	if (*step > 0) {
		first = loom_import_clamp(first, 0, size);
		end = loom_import_clamp(end, 0, size);
		*count = first < end ? (end - first + *step - 1) / *step : 0;
	} else {
		first = loom_import_clamp(first, 0, size - 1);
		end = loom_import_clamp(end, -1, size - 1);
		*count = first > end ? (first - end - *step - 1) / -*step : 0;
	}
	if (*count)
		*start = first;
}

static uint32_t read_list(struct loom_import *im, uint32_t operand, const char *attr, int64_t *ints)
{
	if (im->opset < 10)
		return loom_attr_ints(im, attr, ints, LOOM_GRAPH_RANK);
	return loom_import_has(im, operand) ?
	       loom_import_ints(im, operand, ints, LOOM_GRAPH_RANK) : 0;
}

void loom_import_slice(struct loom_import *im, int unused)
{
	int64_t starts[LOOM_GRAPH_RANK], ends[LOOM_GRAPH_RANK], axes[LOOM_GRAPH_RANK];
	int64_t steps[LOOM_GRAPH_RANK], counts[LOOM_GRAPH_RANK];
	struct loom_value *x = loom_import_operand(im, 0);
	uint32_t i, count, num_axes, num_steps;
	struct loom_gslice slice = { { 0 }, { 0 } };

	(void)unused;
	if (!x)
		return;
	count = read_list(im, 1, "starts", starts);
	num_axes = read_list(im, 3, "axes", axes);
	num_steps = im->opset < 10 ? 0 : read_list(im, 4, "steps", steps);
	if (read_list(im, 2, "ends", ends) != count || (num_axes && num_axes != count) ||
	    (num_steps && num_steps != count) || count > x->rank)
		loom_import_fail(im, -EINVAL, "starts, ends, axes and steps do not fit together");
	for (i = 0; i < count && !num_axes; i++)
		axes[i] = i;
	loom_import_axes(im, axes, count, x->rank);
	for (i = 0; i < x->rank; i++) {
		slice.step[i] = 1;
		counts[i] = x->dims[i];
	}
	for (i = 0; i < count && !im->em->status; i++) {
		uint32_t axis = loom_import_axis(im, axes[i], x->rank);
		struct slice_range range = { starts[i], ends[i], num_steps ? steps[i] : 1 };

		if (!range.step)
			loom_import_fail(im, -EINVAL, "a step is 0");
		else
			slice_axis(&range, x->dims[axis], &slice.start[axis], &slice.step[axis],
				   &counts[axis]);
	}
	loom_import_result(im, 0, loom_emit_slice(im->em, x, &slice, counts));
}

/* Lengths of the parts: as stated, or equal parts of which the last may be shorter. */
static void split_sizes(struct loom_import *im, int64_t total, uint32_t num_parts, int64_t *sizes)
{
	int64_t sum = 0, part;
	uint32_t i, stated = 0;

	if (im->opset < 13)
		stated = loom_attr_ints(im, "split", sizes, num_parts);
	else if (loom_import_has(im, 1))
		stated = loom_import_ints(im, 1, sizes, num_parts);
	part = (total + num_parts - 1) / num_parts;
	if (!stated && im->opset < 18 && total % num_parts)
		loom_import_fail(im, -EINVAL, "%lld elements in %u equal parts", (long long)total,
				 num_parts);
	for (i = 0; i < num_parts && !im->em->status; i++) {
		if (!stated)
			sizes[i] = loom_import_clamp(total - sum, 0, part);
		if (sizes[i] < 0 || sizes[i] > total - sum)
			loom_import_fail(im, -EINVAL, "parts do not fit the axis");
		sum += sizes[i];
	}
	if (!im->em->status && ((stated && stated != num_parts) || sum != total))
		loom_import_fail(im, -EINVAL, "parts do not fit the axis");
}

void loom_import_split(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	uint32_t i, axis, num_parts = im->node->desc.num_outputs;
	int64_t *sizes, start = 0;

	(void)unused;
	sizes = loom_pool_array(im->graph->pool, num_parts, sizeof(*sizes));
	if (!x || !sizes || !num_parts) {
		loom_import_fail(im, -EINVAL, "it has no results");
		return;
	}
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), x->rank);
	if (im->em->status)
		return;
	split_sizes(im, x->dims[axis], num_parts, sizes);
	for (i = 0; i < num_parts && !im->em->status; i++) {
		if (loom_import_wants(im, i))
			loom_import_result(im, i,
					   loom_import_part(im, x, axis, start, 1, sizes[i]));
		start += sizes[i];
	}
}

void loom_import_concat(struct loom_import *im, int unused)
{
	uint32_t i, axis, num_inputs = im->node->desc.num_inputs;
	struct loom_value **inputs;

	(void)unused;
	inputs = loom_pool_array(im->graph->pool, num_inputs, sizeof(*inputs));
	if (!inputs) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < num_inputs; i++)
		inputs[i] = loom_import_operand(im, i);
	if (im->em->status || !num_inputs) {
		loom_import_fail(im, -EINVAL, "it has no operands");
		return;
	}
	if (im->opset >= 4 && !loom_attr_find(im, "axis"))
		loom_import_fail(im, -EINVAL, "attribute axis is missing");
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 1), inputs[0]->rank);
	loom_import_result(im, 0, loom_emit_concat(im->em, num_inputs, inputs, axis));
}

/* pads for all axes, or since opset 18 for some: begins first, then ends */
static void read_pads(struct loom_import *im, const struct loom_value *x, struct loom_gpad *pad)
{
	int64_t pads[2 * LOOM_GRAPH_RANK], axes[LOOM_GRAPH_RANK];
	uint32_t i, num_pads, num_axes = x->rank;

	for (i = 0; i < x->rank; i++)
		axes[i] = i;
	if (im->opset < 11) {
		num_pads = loom_attr_ints(im, im->opset < 2 ? "paddings" : "pads", pads,
					  2 * LOOM_GRAPH_RANK);
	} else {
		num_pads = loom_import_ints(im, 1, pads, 2 * LOOM_GRAPH_RANK);
		if (loom_import_has(im, 3))
			num_axes = loom_import_ints(im, 3, axes, LOOM_GRAPH_RANK);
	}
	loom_import_axes(im, axes, num_axes, x->rank);
	if (num_pads != 2 * num_axes)
		loom_import_fail(im, -EINVAL, "%u pads for %u axes", num_pads, num_axes);
	for (i = 0; i < num_axes && !im->em->status; i++) {
		uint32_t axis = loom_import_axis(im, axes[i], x->rank);

		pad->begin[axis] = pads[i];
		pad->end[axis] = pads[num_axes + i];
	}
}

void loom_import_pad(struct loom_import *im, int unused)
{
	static const char *const modes[] = { "constant", "edge", "reflect", "wrap", NULL };
	static const enum loom_gpad_mode pad_modes[] = {
		LOOM_GPAD_CONSTANT, LOOM_GPAD_EDGE, LOOM_GPAD_REFLECT, LOOM_GPAD_WRAP,
	};
	struct loom_value *x = loom_import_operand(im, 0), *value = NULL;
	struct loom_gpad pad = { .mode = pad_modes[loom_attr_choice(im, "mode", modes)] };

	(void)unused;
	if (!x)
		return;
	read_pads(im, x, &pad);
	if (im->opset < 11)
		value = loom_emit_scalar(im->em, x->dtype, loom_attr_float(im, "value", 0));
	else if (loom_import_has(im, 2))
		value = loom_import_known(im, 2);
	if (value && (value->num_elems != 1 || value->dtype != x->dtype))
		loom_import_fail(im, -EINVAL, "its value is not one element of type %s",
				 loom_dtype_name(x->dtype));
	else if (value)
		memcpy(&pad.value, value->data, loom_dtype_size(value->dtype));
	loom_import_result(im, 0, loom_emit_pad(im->em, x, &pad));
}

void loom_import_expand(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t shape[LOOM_GRAPH_RANK], dims[LOOM_GRAPH_RANK];
	uint32_t i, rank, count = loom_import_ints(im, 1, shape, LOOM_GRAPH_RANK);

	(void)unused;
	if (!x)
		return;
	for (i = 0; i < count; i++) {
		if (shape[i] < 0)
			loom_import_fail(im, -EINVAL, "dimension %lld is out of range",
					 (long long)shape[i]);
	}
	rank = x->rank;
	memcpy(dims, x->dims, sizeof(dims));
	loom_emit_broadcast(im->em, &rank, dims, count, shape);
	loom_import_result(im, 0, loom_emit_expand(im->em, x, rank, dims));
}

/* [a, b] repeated r times along b is [a, 1, b] broadcast to [a, r, b], read as [a, r * b] */
void loom_import_tile(struct loom_import *im, int unused)
{
	int64_t repeats[LOOM_GRAPH_RANK], from[2 * LOOM_GRAPH_RANK], to[2 * LOOM_GRAPH_RANK];
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_value *x = loom_import_operand(im, 0);
	uint32_t i, rank = 0, count;

	(void)unused;
	if (im->opset < 6)
		loom_import_fail(im, -EOPNOTSUPP, "it is not supported before opset 6");
	count = loom_import_ints(im, 1, repeats, LOOM_GRAPH_RANK);
	if (!x || im->em->status)
		return;
	if (count != x->rank) {
		loom_import_fail(im, -EINVAL, "%u repeats for rank %u", count, x->rank);
		return;
	}
	for (i = 0; i < x->rank; i++) {
		if (repeats[i] < 0 || __builtin_mul_overflow(x->dims[i], repeats[i], &dims[i])) {
			loom_import_fail(im, -EINVAL, "repeats %lld is out of range",
					 (long long)repeats[i]);
			return;
		}
		if (repeats[i] != 1) {
			from[rank] = 1;
			to[rank++] = repeats[i];
		}
		from[rank] = x->dims[i];
		to[rank++] = x->dims[i];
	}
	if (rank > LOOM_GRAPH_RANK) {
		loom_import_fail(im, -EOPNOTSUPP, "repeats along this many axes are not supported");
		return;
	}
	x = loom_emit_reshape(im->em, x, rank, from);
	x = loom_emit_expand(im->em, x, rank, to);
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, count, dims));
}

static int64_t block_size(struct loom_import *im, const struct loom_value *x)
{
	int64_t block = loom_attr_int(im, "blocksize", 0);

	if (x->rank != 4 || block < 1 || block > 1 << 20) {
		loom_import_fail(im, -EINVAL, "rank %u or blocksize %lld is out of range", x->rank,
				 (long long)block);
		return 1;
	}
	return block;
}

/* @x as @blocks of six axes, these permuted, and the result under the shape @dims of four */
static void import_blocks(struct loom_import *im, struct loom_value *x, const int64_t *blocks,
			  const uint32_t *perm, const int64_t *dims)
{
	x = loom_emit_reshape(im->em, x, 6, blocks);
	x = loom_emit_transpose(im->em, x, perm);
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, 4, dims));
}

void loom_import_depth_to_space(struct loom_import *im, int unused)
{
	static const char *const modes[] = { "DCR", "CRD", NULL };
	static const uint32_t perms[][6] = { { 0, 3, 4, 1, 5, 2 }, { 0, 1, 4, 2, 5, 3 } };
	struct loom_value *x = loom_import_operand(im, 0);
	uint32_t mode = loom_attr_choice(im, "mode", modes);
	int64_t b, n, c, h, w;

	(void)unused;
	if (!x)
		return;
	b = block_size(im, x);
	n = x->dims[0];
	c = x->dims[1] / (b * b);
	h = x->dims[2];
	w = x->dims[3];
	import_blocks(im, x, mode ? (int64_t[]){ n, c, b, b, h, w } :
		      (int64_t[]){ n, b, b, c, h, w }, perms[mode],
		      (int64_t[]){ n, c, h * b, w * b });
}

void loom_import_space_to_depth(struct loom_import *im, int unused)
{
	static const uint32_t perm[] = { 0, 3, 5, 1, 2, 4 };
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t b, n, c, h, w;

	(void)unused;
	if (!x)
		return;
	b = block_size(im, x);
	n = x->dims[0];
	c = x->dims[1];
	h = x->dims[2] / b;
	w = x->dims[3] / b;
	import_blocks(im, x, (int64_t[]){ n, c, h, b, w, b }, perm,
		      (int64_t[]){ n, c * b * b, h, w });
}

/* Cut or padded with zeroes at both ends, to the shape in operand 1; an odd one goes to the end. */
void loom_import_center(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT };
	int64_t sizes[LOOM_GRAPH_RANK], axes[LOOM_GRAPH_RANK], more;
	uint32_t i, axis, count = loom_import_ints(im, 1, sizes, LOOM_GRAPH_RANK);
	uint32_t given = loom_attr_ints(im, "axes", axes, LOOM_GRAPH_RANK);

	(void)unused;
	if (!x || im->em->status)
		return;
	if (count != (loom_attr_find(im, "axes") ? given : x->rank)) {
		loom_import_fail(im, -EINVAL, "%u sizes are not one for each axis", count);
		return;
	}
	loom_import_axes(im, axes, given, x->rank);
	for (i = 0; i < count && !im->em->status; i++) {
		axis = given ? loom_import_axis(im, axes[i], x->rank) : i;
		if (sizes[i] < 0 || sizes[i] > (int64_t)1 << 40) {
			loom_import_fail(im, -EINVAL, "size %lld is out of range",
					 (long long)sizes[i]);
			return;
		}
		more = sizes[i] - x->dims[axis];
		pad.begin[axis] = more / 2;
		pad.end[axis] = more - more / 2;
	}
	loom_import_result(im, 0, loom_emit_pad(im->em, x, &pad));
}
