// SPDX-License-Identifier: MIT
/*
 * Moving elements from DRAM to DRAM: CONCAT, PAD and copies. A box of the result is one command.
 * Axes that step alike are merged; what has more axes than a view can have is several commands.
 */
#include "lower.h"

#include <errno.h>
#include <string.h>

#include "group/group.h"

static struct drm_loom_plan_view view_of(const struct loom_ref *ref)
{
	struct drm_loom_plan_view view = {
		.tensor = ref->tensor,
		.dtype = ref->dtype,
		.rank = ref->rank,
		.offset = ref->offset,
	};
	u32 i;

	for (i = 0; i < ref->rank; i++) {
		view.dims[i] = ref->dims[i];
		view.strides[i] = ref->strides[i];
	}
	return view;
}

static bool steps_as_one(const struct loom_ref *ref, u32 axis)
{
	return ref->strides[axis] == ref->strides[axis + 1] * (s64)ref->dims[axis + 1];
}

static void remove_axis(struct loom_ref *ref, u32 axis)
{
	memmove(&ref->dims[axis], &ref->dims[axis + 1],
		(ref->rank - axis - 1) * sizeof(ref->dims[0]));
	memmove(&ref->strides[axis], &ref->strides[axis + 1],
		(ref->rank - axis - 1) * sizeof(ref->strides[0]));
	ref->rank--;
}

/* Part @index of axis @axis, without that axis. */
static struct loom_ref part_of(const struct loom_ref *ref, u32 axis, u64 index)
{
	struct loom_ref part = *ref;

	part.offset += (s64)index * ref->strides[axis];
	remove_axis(&part, axis);
	return part;
}

static u32 shortest_axis(const struct loom_ref *ref)
{
	u32 shortest = 0, i;

	for (i = 1; i < ref->rank; i++)
		if (ref->dims[i] < ref->dims[shortest])
			shortest = i;
	return shortest;
}

/* Fewest axes that say the same for both; @b may be NULL. */
static void simplify(struct loom_ref *a, struct loom_ref *b)
{
	u32 i;

	for (i = a->rank; i-- > 0 && a->rank > 1;) {
		if (a->dims[i] != 1)
			continue;
		remove_axis(a, i);
		if (b)
			remove_axis(b, i);
	}
	for (i = a->rank - 1; i-- > 0;) {
		if (!steps_as_one(a, i) || (b && !steps_as_one(b, i)) ||
		    a->dims[i] * a->dims[i + 1] > U32_MAX)
			continue;
		a->dims[i + 1] *= a->dims[i];
		remove_axis(a, i);
		if (b) {
			b->dims[i + 1] *= b->dims[i];
			remove_axis(b, i);
		}
	}
}

int loom_lower_copy(struct loom_lower *lower, const struct loom_ref *to,
		    const struct loom_ref *from)
{
	struct loom_ref y = *to, x = *from;
	struct drm_loom_plan_view views[2];
	u32 axis;
	u64 i;
	int ret;

	if (lower->capture && to->rank <= DRM_LOOM_MAX_RANK)
		return loom_group_list_copy(lower->capture, to, from);
	simplify(&y, &x);
	if (y.rank > DRM_LOOM_MAX_RANK) {
		axis = shortest_axis(&y);
		for (i = 0; i < y.dims[axis]; i++) {
			struct loom_ref y_part = part_of(&y, axis, i);
			struct loom_ref x_part = part_of(&x, axis, i);

			ret = loom_lower_copy(lower, &y_part, &x_part);
			if (ret)
				return ret;
		}
		return 0;
	}
	if (lower->capture)
		return loom_group_list_copy(lower->capture, &y, &x);
	views[0] = view_of(&y);
	views[1] = view_of(&x);
	loom_build_command(lower->build, lower->step, DRM_LOOM_OP_COPY, views, 2, NULL, 0);
	return lower->build->status;
}

int loom_lower_fill(struct loom_lower *lower, const struct loom_ref *to, u64 bits)
{
	struct drm_loom_attr_fill attr = { .bits = bits };
	struct loom_ref y = *to;
	struct drm_loom_plan_view view;
	u32 axis;
	u64 i;
	int ret;

	if (lower->capture && to->rank <= DRM_LOOM_MAX_RANK)
		return loom_group_list_fill(lower->capture, to, bits);
	simplify(&y, NULL);
	if (y.rank > DRM_LOOM_MAX_RANK) {
		axis = shortest_axis(&y);
		for (i = 0; i < y.dims[axis]; i++) {
			struct loom_ref part = part_of(&y, axis, i);

			ret = loom_lower_fill(lower, &part, bits);
			if (ret)
				return ret;
		}
		return 0;
	}
	if (lower->capture)
		return loom_group_list_fill(lower->capture, &y, bits);
	view = view_of(&y);
	loom_build_command(lower->build, lower->step, DRM_LOOM_OP_FILL, &view, 1, &attr,
			   sizeof(attr));
	return lower->build->status;
}

int loom_lower_concat(struct loom_lower *lower, const struct loom_node *node)
{
	u32 axis = node->concat.axis, i;
	struct loom_ref y, x, part;
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
		ret = loom_lower_copy(lower, &part, &x);
	}
	lower->step++;
	return ret;
}

/**
 * struct padder - the state of padding
 * @lower: where commands go
 * @pad: how
 * @y: the result; the dims of the axes done so far are those of the current box
 * @x: the operand, seen as the current box sees it
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
 * The next run of an axis of the result: from element @at of it, which lies @at - begin from the
 * operand's first. Sets where in the operand it starts and how it steps there; CONSTANT outside
 * the operand gives a start of -1. Returns the length.
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
		/* a saw: up over [0, dim - 1], down again over (dim - 1, 0) */
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

/* Axis by axis: each run of this one with each run of those behind. */
static int pad_axis(const struct padder *p, u32 axis)
{
	s64 dim, total, at = 0, start, step, length;
	int ret;

	if (axis == p->y.rank)
		return loom_lower_copy(p->lower, &p->y, &p->x);
	dim = p->x.dims[axis];
	total = p->y.dims[axis];
	while (at < total) {
		struct padder box = *p;

		length = next_run(p, dim, at - p->pad->begin[axis], total - at, &start, &step);
		box.y.offset += at * p->y.strides[axis];
		box.y.dims[axis] = length;
		at += length;
		if (start < 0) {
			ret = loom_lower_fill(p->lower, &box.y, p->pad->value);
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
		ret = loom_lower_fill(lower, &p.y, node->pad.value);
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
