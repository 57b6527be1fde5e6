// SPDX-License-Identifier: MIT
/*
 * Interface of lowering to a sink. Axes of copies and fills are merged where strides allow it,
 * unless the sink is symbolic. A copy or fill with too many axes for a view is split into several.
 */
#include "sink.h"

#include <errno.h>
#include <string.h>

#include "lower.h"

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

/* Drops and merges axes of both as far as strides allow; @b may be NULL. */
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

int loom_sink_copy(struct loom_lower *lower, const struct loom_ref *to,
		   const struct loom_ref *from)
{
	const struct loom_sink *sink = &lower->sink;
	struct loom_ref y = *to, x = *from;
	u32 axis;
	u64 i;
	int ret;

	if (sink->ops->symbolic && to->rank <= DRM_LOOM_MAX_RANK)
		return sink->ops->copy(sink->context, to, from);
	simplify(&y, &x);
	if (y.rank <= DRM_LOOM_MAX_RANK)
		return sink->ops->copy(sink->context, &y, &x);
	axis = shortest_axis(&y);
	for (i = 0; i < y.dims[axis]; i++) {
		struct loom_ref y_part = part_of(&y, axis, i);
		struct loom_ref x_part = part_of(&x, axis, i);

		ret = loom_sink_copy(lower, &y_part, &x_part);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_sink_fill(struct loom_lower *lower, const struct loom_ref *to, u64 bits)
{
	const struct loom_sink *sink = &lower->sink;
	struct loom_ref y = *to;
	u32 axis;
	u64 i;
	int ret;

	if (sink->ops->symbolic && to->rank <= DRM_LOOM_MAX_RANK)
		return sink->ops->fill(sink->context, to, bits);
	simplify(&y, NULL);
	if (y.rank <= DRM_LOOM_MAX_RANK)
		return sink->ops->fill(sink->context, &y, bits);
	axis = shortest_axis(&y);
	for (i = 0; i < y.dims[axis]; i++) {
		struct loom_ref part = part_of(&y, axis, i);

		ret = loom_sink_fill(lower, &part, bits);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_sink_kernel(struct loom_lower *lower, struct loom_kernel *kernel)
{
	if (kernel->num_operands == LOOM_KERNEL_OPERANDS ||
	    kernel->num_stages == LOOM_KERNEL_STAGES)
		return loom_lower_fail(lower, -EOPNOTSUPP, "it takes too many commands");
	lower->macs_once += loom_kernel_macs(kernel);
	loom_lower_in_place(lower, kernel);
	return lower->sink.ops->kernel(lower->sink.context, kernel);
}
