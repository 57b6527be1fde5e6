// SPDX-License-Identifier: MIT
/* CONCAT and PAD: copies from DRAM to DRAM. A box of the result is one copy. */
#include "operators.h"

#include <errno.h>

int loom_lower_concat(struct loom_lower *lower, const struct loom_node *node)
{
	u32 axis = node->concat.axis, i;
	struct loom_ref y, x, part;
	bool copied = false;
	u64 at = 0;
	int ret;

	ret = loom_storage_write(lower, node->output, &y);
	for (i = 0; i < node->num_inputs && !ret; i++) {
		if (!node->inputs[i]->num_elems)
			continue;
		if (loom_storage_is_joined(lower, node->inputs[i], node->output)) {
			at += node->inputs[i]->dims[axis];
			continue;
		}
		ret = loom_storage_read(lower, node->inputs[i], &x);
		if (ret)
			return ret;
		part = y;
		part.offset += (s64)at * y.strides[axis];
		part.dims[axis] = x.dims[axis];
		at += x.dims[axis];
		ret = loom_sink_copy(lower, &part, &x);
		copied = true;
	}
	lower->step += copied;
	return ret;
}

/**
 * struct padder - the state of padding
 * @lower: the state of lowering
 * @pad: the attributes
 * @y: the result; the dims of the axes done so far are those of the current box
 * @x: the operand, in the shape of the current box
 */
struct padder {
	struct loom_lower *lower;
	const struct loom_gpad *pad;
	struct loom_ref y;
	struct loom_ref x;
};

static s64 wrap_index(s64 index, s64 dim)
{
	index %= dim;
	return index < 0 ? index + dim : index;
}

/*
 * Finds the next run of an axis of the result, from index @index of the operand on (negative:
 * before it). Sets the run's start in the operand and its step there; the constant border has a
 * start of -1. Returns the length of the run, at most @left.
 */
static s64 next_run(const struct padder *p, s64 dim, s64 index, s64 left, s64 *start, s64 *step)
{
	s64 period;

	*step = 1;
	if (index >= 0 && index < dim) {
		*start = index;
		return min(dim - index, left);
	}
	switch (p->pad->mode) {
	case LOOM_GPAD_EDGE:
		*step = 0;
		*start = index < 0 ? 0 : dim - 1;
		return index < 0 ? min(-index, left) : left;
	case LOOM_GPAD_WRAP:
		*start = wrap_index(index, dim);
		return min(dim - *start, index < 0 ? min(-index, left) : left);
	case LOOM_GPAD_REFLECT:
		if (dim == 1) {
			*start = 0;
			*step = 0;
			return index < 0 ? min(-index, left) : left;
		}
		/* indices increase from 0 to dim - 1, then decrease again, with this period */
		period = 2 * (dim - 1);
		*start = wrap_index(index, period);
		if (*start < dim - 1)
			return min(dim - 1 - *start, index < 0 ? min(-index, left) : left);
		*start = period - *start;
		*step = -1;
		return min(*start, index < 0 ? min(-index, left) : left);
	default:
		*start = -1;
		return index < 0 ? min(-index, left) : left;
	}
}

/* Copies or fills all boxes: each run of this axis with each run of the axes behind it. */
static int pad_axis(const struct padder *p, u32 axis)
{
	s64 dim, total, at = 0, start, step, length;
	int ret;

	if (axis == p->y.rank)
		return loom_sink_copy(p->lower, &p->y, &p->x);
	dim = p->x.dims[axis];
	total = p->y.dims[axis];
	while (at < total) {
		struct padder box = *p;

		length = next_run(p, dim, at - p->pad->begin[axis], total - at, &start, &step);
		box.y.offset += at * p->y.strides[axis];
		box.y.dims[axis] = length;
		at += length;
		if (start < 0) {
			ret = loom_sink_fill(p->lower, &box.y, p->pad->value);
		} else {
			box.x.offset += start * p->x.strides[axis];
			box.x.dims[axis] = length;
			box.x.strides[axis] *= step;
			ret = pad_axis(&box, axis + 1);
		}
		if (ret)
			return ret;
	}
	return 0;
}

int loom_lower_pad(struct loom_lower *lower, const struct loom_node *node)
{
	struct padder p = { .lower = lower, .pad = &node->pad };
	struct loom_gpad scalar = node->pad;
	int ret;

	ret = loom_storage_write(lower, node->output, &p.y);
	if (ret)
		return ret;
	if (!node->inputs[0]->num_elems) {
		if (node->pad.mode != LOOM_GPAD_CONSTANT)
			return loom_lower_fail(lower, -EOPNOTSUPP, "an empty tensor has no border");
		ret = loom_sink_fill(lower, &p.y, node->pad.value);
	} else {
		ret = loom_storage_read(lower, node->inputs[0], &p.x);
		if (!node->output->rank) {
			scalar.begin[0] = 0;
			p.pad = &scalar;
		}
		if (!ret)
			ret = pad_axis(&p, 0);
	}
	lower->step++;
	return ret;
}
