// SPDX-License-Identifier: MIT
/* Tensors of the plan for values, made on first read or write. See storage.h. */
#include <errno.h>
#include <string.h>

#include "lower.h"
#include "storage.h"

u64 loom_storage_weights_bytes(const struct loom_graph *graph)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < graph->num_values; i++)
		if (graph->values[i]->data && graph->values[i]->num_uses)
			bytes += (graph->values[i]->size_bytes + LOOM_PLAN_WEIGHT_ALIGN - 1) /
				 LOOM_PLAN_WEIGHT_ALIGN * LOOM_PLAN_WEIGHT_ALIGN;
	return bytes;
}

/* Places a constant in the weights slot on its first read; the SRAM has no room for holes. */
static void place_weight(struct loom_storage *storage, const struct loom_value *value)
{
	struct loom_location *location = &storage->locations[value->id];
	u64 align = storage->in_sram && !storage->in_rom ? LOOM_NEURON_ALIGN_BYTES :
							   LOOM_PLAN_WEIGHT_ALIGN;
	bool copied = storage->copied && storage->copied[value->id];
	u32 *slot = copied ? &storage->copied_slot : &storage->weights_slot;
	u64 *end = copied ? &storage->copied_end : &storage->weights_end;
	u32 rom = storage->in_rom && !copied ? DRM_LOOM_SLOT_ROM : 0;

	if (*slot == LOOM_LOCATION_NO_TENSOR)
		*slot = loom_storage_slot(storage, LOOM_SLOT_KIND_WEIGHTS,
					  DRM_LOOM_SLOT_READ | rom);
	loom_storage_set_root(location, LOOM_LOCATION_WEIGHT, value);
	location->slot = *slot;
	location->offset = (*end + align - 1) / align * align;
	*end = location->offset + value->size_bytes;
	storage->weights_bytes += value->size_bytes;
	storage->weights[storage->num_weights++] = value;
}

static void remove_axis(struct drm_loom_plan_tensor *tensor, u32 axis)
{
	u32 behind = --tensor->rank - axis;

	memmove(&tensor->dims[axis], &tensor->dims[axis + 1], behind * sizeof(tensor->dims[0]));
	memmove(&tensor->strides[axis], &tensor->strides[axis + 1],
		behind * sizeof(tensor->strides[0]));
	tensor->dims[tensor->rank] = 0;
	tensor->strides[tensor->rank] = 0;
}

u32 loom_storage_tensor_at(struct loom_storage *storage, struct drm_loom_plan_tensor *tensor,
			   u64 elems)
{
	u32 bytes = loom_dtype_stride(tensor->dtype), flags = 0;

	if (!storage->build->status)
		flags = storage->build->slots[tensor->slot].flags;
	tensor->region = flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
	if (flags & DRM_LOOM_SLOT_SRAM) {
		tensor->region = DRM_LOOM_REGION_SRAM;
		tensor->flags |= DRM_LOOM_TENSOR_SLOT;
		/* keep the axes: they prove that a tensor written in parts is written as a whole */
		if (tensor->rank == DRM_LOOM_MAX_RANK) {
			tensor->dims[0] *= tensor->dims[1];
			tensor->strides[0] = tensor->strides[1];
			remove_axis(tensor, 1);
		}
		memmove(&tensor->dims[1], &tensor->dims[0],
			tensor->rank * sizeof(tensor->dims[0]));
		memmove(&tensor->strides[1], &tensor->strides[0],
			tensor->rank * sizeof(tensor->strides[0]));
		tensor->rank++;
		tensor->dims[0] = 1;
		tensor->strides[0] = elems * bytes;
	}
	return loom_build_tensor(storage->build, tensor);
}

/*
 * Sorts the axes of a tensor by stride: a value computed in the place of another may have its own
 * axes in another order there. Axes of one element are dropped.
 */
static void nest_axes(struct drm_loom_plan_tensor *tensor)
{
	u64 bytes = loom_dtype_stride(tensor->dtype);
	u32 i, k, rank = 0;

	for (i = tensor->rank; i-- > 0 && tensor->strides[i] == bytes;)
		bytes *= tensor->dims[i];
	if (i == U32_MAX)
		return;
	for (i = 0; i < tensor->rank; i++) {
		u32 dim = tensor->dims[i];
		u64 stride = tensor->strides[i];

		if (dim == 1)
			continue;
		for (k = rank++; k && tensor->strides[k - 1] < stride; k--) {
			tensor->dims[k] = tensor->dims[k - 1];
			tensor->strides[k] = tensor->strides[k - 1];
		}
		tensor->dims[k] = dim;
		tensor->strides[k] = stride;
	}
	for (i = rank; i < tensor->rank; i++) {
		tensor->dims[i] = 0;
		tensor->strides[i] = 0;
	}
	tensor->rank = rank;
	if (rank)
		return;
	tensor->rank = 1;
	tensor->dims[0] = 1;
	tensor->strides[0] = loom_dtype_stride(tensor->dtype);
}

/* The tensor of a root, made on first use. */
static u32 tensor_of(struct loom_storage *storage, u32 id)
{
	struct loom_location *location = &storage->locations[id];
	const struct loom_value *value = storage->graph->values[id];
	const struct loom_ref *ref = &storage->locations[location->axes].ref;
	struct drm_loom_plan_tensor tensor = { .region = DRM_LOOM_REGION_DRAM };
	u32 i;

	if (location->tensor != LOOM_LOCATION_NO_TENSOR)
		return location->tensor;
	if (location->holder != id) {
		location->tensor = tensor_of(storage, location->holder);
		return location->tensor;
	}
	if (value->data)
		place_weight(storage, value);
	tensor.slot = location->slot;
	tensor.offset = location->offset;
	tensor.size = value->size_bytes;
	tensor.dtype = value->dtype;
	if (ref->rank <= DRM_LOOM_MAX_RANK) {
		tensor.rank = ref->rank;
		for (i = 0; i < tensor.rank; i++) {
			tensor.dims[i] = ref->dims[i];
			tensor.strides[i] = ref->strides[i];
		}
	} else {
		tensor.rank = 1;
		tensor.dims[0] = value->num_elems;
		tensor.strides[0] = loom_dtype_stride(value->dtype);
	}
	if (location->kind == LOOM_LOCATION_OUTPUT || location->axes != id)
		nest_axes(&tensor);
	if (location->kind == LOOM_LOCATION_IMAGE)
		loom_image_tensor(storage, id, &tensor);
	location->tensor = loom_storage_tensor_at(storage, &tensor, value->num_elems);
	loom_build_label(storage->build, location->tensor, value->name, LOOM_LABEL_DRAM, 0);
	return location->tensor;
}

/* Tables of the format count elements in 32 bits. */
static int check_size(struct loom_lower *lower, const struct loom_value *value)
{
	if (value->num_elems > U32_MAX)
		return loom_lower_fail(lower, -E2BIG, "tensor '%s' has more than 2^32 elements",
				       value->name);
	return 0;
}

/* The name in a reference to a location: a value for symbolic sinks, a tensor for others. */
static u32 named_by(const struct loom_lower *lower, const struct loom_location *location)
{
	return lower->sink.ops->symbolic ? location->root :
					   tensor_of(lower->storage, location->root);
}

int loom_storage_read(struct loom_lower *lower, const struct loom_value *value,
		      struct loom_ref *ref)
{
	struct loom_storage *storage = lower->storage;
	struct loom_location *location = &storage->locations[value->id];
	bool symbolic = lower->sink.ops->symbolic;
	int ret = check_size(lower, value);

	if (ret)
		return ret;
	if (!value->num_elems)
		return loom_lower_fail(lower, -EOPNOTSUPP, "tensor '%s' is empty", value->name);
	if (symbolic && value->data && location->kind == LOOM_LOCATION_NONE)
		loom_storage_set_root(location, LOOM_LOCATION_WEIGHT, value);
	if (!symbolic && value->data && location->tensor == LOOM_LOCATION_NO_TENSOR)
		tensor_of(storage, value->id);
	*ref = location->ref;
	ref->tensor = named_by(lower, location);
	return storage->build->status;
}

int loom_storage_write(struct loom_lower *lower, const struct loom_value *value,
		       struct loom_ref *ref)
{
	struct loom_storage *storage = lower->storage;
	const struct loom_location *location = &storage->locations[value->id];
	int ret = check_size(lower, value);

	if (ret)
		return ret;
	*ref = location->ref;
	ref->tensor = named_by(lower, location);
	return storage->build->status;
}

u32 loom_storage_tensor(struct loom_lower *lower, u32 value)
{
	return tensor_of(lower->storage, value);
}

bool loom_storage_in_image(const struct loom_lower *lower, const struct loom_ref *ref)
{
	u32 slot = lower->build->tensors[ref->tensor].slot;

	return lower->storage->slot_kinds[slot] == LOOM_SLOT_KIND_IMAGE;
}

bool loom_storage_is_view(const struct loom_lower *lower, const struct loom_value *value)
{
	return lower->storage->locations[value->id].kind == LOOM_LOCATION_VIEW;
}

bool loom_storage_is_joined(const struct loom_lower *lower, const struct loom_value *value,
			    const struct loom_value *concat)
{
	const struct loom_location *location = &lower->storage->locations[value->id];

	if (location->kind == LOOM_LOCATION_VIEW)
		location = &lower->storage->locations[location->root];
	if (location->kind == LOOM_LOCATION_OUTPUT && location->holder != location->root)
		return location->part_of == concat->id;
	return location->kind == LOOM_LOCATION_PART && location->part_of == concat->id;
}

int loom_storage_copy_late(struct loom_lower *lower)
{
	struct loom_storage *storage = lower->storage;
	u32 i;
	int ret;

	for (i = 0; i < storage->num_copies; i++) {
		const struct loom_value *value = storage->copies[i].value;
		u32 output = storage->copies[i].output;
		const struct loom_output_place *place = &storage->outputs[output];
		struct drm_loom_plan_tensor tensor = {
			.slot = place->slot,
			.offset = place->offset,
			.size = value->size_bytes,
			.dtype = value->dtype,
			.rank = 1,
			.dims = { value->num_elems },
			.strides = { loom_dtype_stride(value->dtype) },
		};
		u64 flat = value->num_elems;
		struct loom_ref from, to;

		lower->node = value->producer;
		ret = loom_storage_read(lower, value, &from);
		if (ret)
			return ret;
		to = from;
		to.tensor = loom_storage_tensor_at(storage, &tensor, value->num_elems);
		loom_build_label(storage->build, to.tensor, value->name, LOOM_LABEL_DRAM, 0);
		to.offset = 0;
		/* outputs are dense: they can be seen as vectors */
		if (!loom_ref_reshape(&from, 1, &flat) || !loom_ref_reshape(&to, 1, &flat))
			return -EINVAL;
		ret = loom_sink_copy(lower, &to, &from);
		if (ret)
			return ret;
	}
	lower->step += storage->num_copies > 0;
	return 0;
}
