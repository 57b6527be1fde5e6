// SPDX-License-Identifier: MIT
/* Locations of values, views of them, and slots. See storage.h. */
#include "storage.h"

bool loom_storage_moves_only(const struct loom_node *node)
{
	switch (node->op) {
	case LOOM_GOP_RESHAPE:
	case LOOM_GOP_TRANSPOSE:
	case LOOM_GOP_SLICE:
	case LOOM_GOP_EXPAND:
		return true;
	default:
		return false;
	}
}

void loom_storage_set_root(struct loom_location *location, enum loom_location_kind kind,
			   const struct loom_value *value)
{
	u32 elem = loom_dtype_stride(value->dtype), i;
	s64 stride = elem;

	location->kind = kind;
	location->root = value->id;
	/* reset a view that strides could not express */
	location->ref = (struct loom_ref){ .dtype = value->dtype, .rank = value->rank };
	for (i = value->rank; i-- > 0;) {
		location->ref.dims[i] = value->dims[i];
		location->ref.strides[i] = stride;
		stride *= value->dims[i];
	}
	if (!value->rank) {
		location->ref.rank = 1;
		location->ref.dims[0] = 1;
		location->ref.strides[0] = elem;
	}
}

bool loom_storage_view(const struct loom_node *node, const struct loom_ref *operand,
		       struct loom_ref *ref)
{
	const struct loom_value *y = node->output;
	u64 dims[LOOM_GRAPH_RANK];
	u32 lead, i;

	*ref = *operand;
	switch (node->op) {
	case LOOM_GOP_RESHAPE:
		for (i = 0; i < y->rank; i++)
			dims[i] = y->dims[i];
		return loom_ref_reshape(ref, y->rank, dims);
	case LOOM_GOP_TRANSPOSE:
		for (i = 0; i < y->rank; i++) {
			ref->dims[i] = operand->dims[node->transpose.perm[i]];
			ref->strides[i] = operand->strides[node->transpose.perm[i]];
		}
		return true;
	case LOOM_GOP_SLICE:
		for (i = 0; i < y->rank; i++) {
			ref->offset += node->slice.start[i] * operand->strides[i];
			ref->dims[i] = y->dims[i];
			ref->strides[i] = operand->strides[i] * node->slice.step[i];
		}
		return true;
	case LOOM_GOP_EXPAND:
		while (ref->rank < y->rank)
			loom_ref_insert(ref, 0);
		lead = ref->rank - y->rank;	/* 1 if both are scalars */
		for (i = 0; i < y->rank; i++) {
			if (ref->dims[i + lead] != (u64)y->dims[i])
				ref->strides[i + lead] = 0;
			ref->dims[i + lead] = y->dims[i];
		}
		return true;
	default:
		return false;
	}
}

bool loom_storage_unview(const struct loom_node *node, const struct loom_ref *result,
			 struct loom_ref *ref)
{
	const struct loom_value *x = node->inputs[0];
	u64 dims[LOOM_GRAPH_RANK];
	u32 i;

	*ref = *result;
	switch (node->op) {
	case LOOM_GOP_RESHAPE:
		for (i = 0; i < x->rank; i++)
			dims[i] = x->dims[i];
		return loom_ref_reshape(ref, x->rank, dims);
	case LOOM_GOP_TRANSPOSE:
		for (i = 0; i < x->rank; i++) {
			ref->dims[node->transpose.perm[i]] = result->dims[i];
			ref->strides[node->transpose.perm[i]] = result->strides[i];
		}
		return true;
	default:
		return false;
	}
}

u32 loom_storage_slot(struct loom_storage *storage, enum loom_slot_kind kind, u32 flags)
{
	bool rom = flags & DRM_LOOM_SLOT_ROM;
	u32 in = storage->in_sram && !rom ? DRM_LOOM_SLOT_SRAM : 0;
	u32 slot = loom_build_slot(storage->build, 0, flags | in);

	if (!storage->build->status && slot < DRM_LOOM_MAX_SLOTS)
		storage->slot_kinds[slot] = kind;
	return slot;
}
