// SPDX-License-Identifier: MIT
/* Arithmetic of strided views in DRAM. */
#include "ref.h"

#include <string.h>

void loom_ref_insert(struct loom_ref *ref, u32 axis)
{
	u32 i;

	for (i = ref->rank; i > axis; i--) {
		ref->dims[i] = ref->dims[i - 1];
		ref->strides[i] = ref->strides[i - 1];
	}
	ref->rank++;
	ref->dims[axis] = 1;
	/* the stride of a row-major array; an axis of one element is never stepped along */
	ref->strides[axis] = axis + 1 < ref->rank ?
			     ref->strides[axis + 1] * (s64)ref->dims[axis + 1] :
			     (s64)loom_dtype_stride(ref->dtype);
}

static void drop_axis(struct loom_ref *ref, u32 axis)
{
	u32 i;

	for (i = axis; i + 1 < ref->rank; i++) {
		ref->dims[i] = ref->dims[i + 1];
		ref->strides[i] = ref->strides[i + 1];
	}
	ref->rank--;
}

struct loom_ref loom_ref_at(const struct loom_ref *ref, u64 index)
{
	struct loom_ref part = *ref;

	part.offset += (s64)index * ref->strides[0];
	drop_axis(&part, 0);
	return part;
}

bool loom_ref_dense(const struct loom_ref *ref)
{
	s64 stride = loom_dtype_stride(ref->dtype);
	u32 i;

	for (i = ref->rank; i-- > 0;) {
		if (ref->dims[i] != 1 && ref->strides[i] != stride)
			return false;
		stride *= (s64)ref->dims[i];
	}
	return true;
}

/*
 * Partitions the old axes into groups, from the front, each with new axes of the same number of
 * elements. Several old axes in a group must be mergeable into one.
 */
bool loom_ref_reshape(struct loom_ref *ref, u32 rank, const u64 *dims)
{
	struct loom_ref old = *ref, new = *ref;
	u32 o = 0, n = 0, i;

	for (i = old.rank; i-- > 0;)
		if (old.dims[i] == 1 && old.rank > 1)
			drop_axis(&old, i);
	new.rank = rank;
	for (i = 0; i < rank; i++) {
		new.dims[i] = dims[i];
		new.strides[i] = loom_dtype_stride(ref->dtype);
	}
	while (n < rank) {
		u32 n_first = n;
		u64 have, want;
		s64 stride;

		if (new.dims[n] == 1) {
			n++;
			continue;
		}
		if (o == old.rank)
			return false;
		have = old.dims[o++];
		want = new.dims[n++];
		while (have != want) {
			if (have < want) {
				if (o == old.rank)
					return false;
				if (old.strides[o - 1] != old.strides[o] * (s64)old.dims[o])
					return false;
				have *= old.dims[o++];
			} else {
				if (n == rank)
					return false;
				want *= new.dims[n++];
			}
		}
		stride = old.strides[o - 1];
		for (i = n; i-- > n_first;) {
			new.strides[i] = stride;
			stride *= (s64)new.dims[i];
		}
	}
	/* axes of one element get row-major strides */
	for (i = rank; i-- > 0;)
		if (new.dims[i] == 1 && i + 1 < rank)
			new.strides[i] = new.strides[i + 1] * (s64)new.dims[i + 1];
	if (!rank) {
		new.rank = 1;
		new.dims[0] = 1;
		new.strides[0] = loom_dtype_stride(ref->dtype);
	}
	*ref = new;
	return true;
}

struct drm_loom_plan_view loom_ref_view(const struct loom_ref *ref, u32 tensor, const u64 *lo,
					const u64 *hi)
{
	struct drm_loom_plan_view view = {
		.tensor = tensor,
		.dtype = ref->dtype,
		.rank = ref->rank,
	};
	s64 offset = ref->offset;
	u32 i;

	for (i = 0; i < ref->rank; i++) {
		offset += (s64)lo[i] * ref->strides[i];
		view.dims[i] = hi[i] - lo[i];
		view.strides[i] = ref->strides[i];
	}
	view.offset = offset;
	return view;
}
