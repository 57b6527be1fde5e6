// SPDX-License-Identifier: MIT
/* Values in images. See image_pool.h. */
#include "image_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "loom_place.h"
#include "storage.h"

static u32 split_of(u32 rank, enum loom_scope scope)
{
	if (rank < 2)
		return 0;
	switch (scope) {
	case LOOM_SCOPE_TEXTURE_WEIGHT:
		return 1;
	case LOOM_SCOPE_TEXTURE_NHWC:
		return rank < 4 ? 1 : 2;
	default:
		return rank - 2;
	}
}

struct loom_image_shape loom_image_flatten(const struct loom_value *value, enum loom_scope scope)
{
	struct loom_image_shape shape = {
		.split = split_of(value->rank, scope),
		.height = 1,
		.width = 1,
		.channels = 1,
	};
	u32 i;

	for (i = 0; i < value->rank; i++) {
		if (i < shape.split)
			shape.height *= value->dims[i];
		else if (i + 1 < value->rank)
			shape.width *= value->dims[i];
		else
			shape.channels = value->dims[i];
	}
	return shape;
}

static u64 row_elems(const struct loom_image_shape *shape)
{
	return shape->width * shape->channels;
}

/* The strides of a root in an image with this pitch. */
static void set_strides(struct loom_location *location, const struct loom_value *value, s64 pitch)
{
	struct loom_image_shape shape = loom_image_flatten(value, value->scope);
	s64 stride = loom_dtype_stride(value->dtype);
	u32 i;

	for (i = value->rank; i-- > 0;) {
		if (i + 1 == shape.split)
			stride = pitch;
		location->ref.strides[i] = stride;
		stride *= value->dims[i];
	}
}

/*
 * A provisional pitch, of four rows: no axis of rows can be merged with one of columns, even if its
 * steps end behind the row, and a stride determines its number of rows and columns.
 */
static s64 provisional_pitch(const struct loom_value *value)
{
	struct loom_image_shape shape = loom_image_flatten(value, value->scope);

	return (s64)(4 * loom_dtype_row_bytes(value->dtype, row_elems(&shape)));
}

bool loom_image_claim(struct loom_storage *storage, const struct loom_value *value)
{
	struct loom_location *location = &storage->locations[value->id];
	struct loom_image_shape shape;

	if (value->scope == LOOM_SCOPE_GLOBAL)
		return false;
	shape = loom_image_flatten(value, value->scope);
	/* pitches are in 32 bits, also after alignment */
	if (shape.height > U32_MAX ||
	    loom_dtype_row_bytes(value->dtype, row_elems(&shape)) > U32_MAX / 2)
		return false;
	location->kind = LOOM_LOCATION_IMAGE;
	storage->num_images++;
	set_strides(location, value, provisional_pitch(value));
	return true;
}

/**
 * struct images - the placement problem of the images
 * @items: a value or a view of one each
 * @values: by item: the value
 * @item_of: by value: its item, if it is a root in an image
 * @num_items: number of @items
 * @result: the storage of each item
 */
struct images {
	struct loom_place_item *items;
	const struct loom_value **values;
	u32 *item_of;
	u32 num_items;
	struct loom_place_result result;
};

/* Rows at the provisional pitch become rows at the pitch of the image, columns stay. */
static s64 at_pitch(s64 bytes, s64 from, s64 to)
{
	s64 half = from / 2, rows = (bytes + half) / from;

	if ((bytes + half) % from < 0)
		rows--;
	return rows * to + bytes - rows * from;
}

void loom_image_ref(const struct loom_storage *storage, u32 id, struct loom_ref *ref)
{
	const struct loom_location *location = &storage->locations[id];
	const struct loom_value *value = storage->graph->values[id];
	s64 from, to = 0;
	u32 i;

	if (location->kind != LOOM_LOCATION_IMAGE)
		return;
	from = provisional_pitch(value);
	for (i = 0; i < storage->num_pools; i++)
		if (storage->pools[i].slot == location->slot)
			to = storage->pools[i].pitch_bytes;
	ref->offset = at_pitch(ref->offset, from, to);
	for (i = 0; i < ref->rank; i++)
		ref->strides[i] = at_pitch(ref->strides[i], from, to);
}

/*
 * Values live from the node that computes them to the last reader of them or a view of them; with
 * groups, from the first node to the last of the groups of these.
 */
static void add_items(struct loom_storage *storage, struct images *images)
{
	u32 i, k;

	for (i = 0; i < storage->graph->num_nodes; i++) {
		u32 first = storage->span_first ? storage->span_first[i] : i;
		u32 last = storage->span_last ? storage->span_last[i] : i;
		const struct loom_node *node = storage->nodes[i];
		const struct loom_value *y = node->output;
		struct loom_image_shape shape;

		for (k = 0; k < node->num_inputs; k++) {
			u32 root;

			if (!node->inputs[k])
				continue;
			root = storage->locations[node->inputs[k]->id].root;
			if (storage->locations[root].kind == LOOM_LOCATION_IMAGE)
				images->items[images->item_of[root]].upper = last + 1;
		}
		if (storage->locations[y->id].kind != LOOM_LOCATION_IMAGE)
			continue;
		shape = loom_image_flatten(y, y->scope);
		images->items[images->num_items] = (struct loom_place_item){
			.size_bytes = y->size_bytes,
			.align_bytes = 1,
			.lower = first,
			.upper = last + 1,
			.width = row_elems(&shape),
			.height = shape.height,
			.storage_class = y->dtype,
		};
		images->values[images->num_items] = y;
		images->item_of[y->id] = images->num_items++;
	}
}

static int make_pool(struct loom_storage *storage, const struct loom_place_storage *from,
		     u64 align_bytes, struct loom_image_pool *pool)
{
	u64 pitch;

	if (!loom_round_up(loom_dtype_row_bytes(from->storage_class, from->width), align_bytes,
			   &pitch) || pitch > U32_MAX || from->height > U32_MAX)
		return -E2BIG;
	pool->dtype = from->storage_class;
	pool->width = from->width;
	pool->height = from->height;
	pool->pitch_bytes = pitch;
	pool->slot = loom_storage_slot(storage, LOOM_SLOT_KIND_IMAGE, DRM_LOOM_SLOT_WRITE);
	if (storage->build->status)
		return storage->build->status;
	storage->build->slots[pool->slot].size = (u64)pool->height * pool->pitch_bytes;
	loom_build_image(storage->build, &(struct drm_loom_plan_image){
		.slot = pool->slot,
		.dtype = pool->dtype,
		.width = pool->width,
		.height = pool->height,
		.pitch_bytes = pool->pitch_bytes,
	});
	storage->image_bytes += storage->build->slots[pool->slot].size;
	return storage->build->status;
}

static int make_pools(struct loom_storage *storage, const struct images *images, u64 align_bytes,
		      struct loom_error *err)
{
	u32 count = images->result.num_storages, i;
	int ret;

	/* weights and the arena may need one each */
	if (storage->build->num_slots + count + 2 > DRM_LOOM_MAX_SLOTS)
		return loom_error_set(err, -E2BIG,
				      "too many slots for a plan: %u images, and %zu slots besides",
				      count, storage->build->num_slots + 2);
	storage->pools = calloc((size_t)count + 1, sizeof(*storage->pools));
	if (!storage->pools)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		ret = make_pool(storage, &images->result.storages[i], align_bytes,
				&storage->pools[i]);
		if (ret)
			return ret;
		storage->num_pools++;
	}
	return 0;
}

/* Pitches are known now: sets the strides of roots and of views of them. */
static int set_refs(struct loom_storage *storage, const struct images *images)
{
	u32 i;

	for (i = 0; i < images->num_items; i++) {
		const struct loom_value *value = images->values[i];
		struct loom_location *location = &storage->locations[value->id];
		struct loom_image_pool *pool = &storage->pools[images->result.storage_of[i]];

		pool->num_values++;
		storage->image_value_bytes += value->size_bytes;
		location->slot = pool->slot;
		location->offset = 0;
		set_strides(location, value, pool->pitch_bytes);
	}
	for (i = 0; i < storage->graph->num_nodes; i++) {
		const struct loom_node *node = storage->graph->nodes[i];
		struct loom_location *location = &storage->locations[node->output->id];
		const struct loom_ref *from;

		if (location->kind != LOOM_LOCATION_VIEW ||
		    storage->locations[location->root].kind != LOOM_LOCATION_IMAGE)
			continue;
		/* strides that express a view with the provisional pitch do so with any pitch */
		from = &storage->locations[node->inputs[0]->id].ref;
		if (!loom_storage_view(node, from, &location->ref))
			return -EINVAL;
	}
	return 0;
}

int loom_image_place(struct loom_storage *storage, const struct loom_storage_options *options,
		     struct loom_error *err)
{
	const struct loom_place_options how = { .strategy = "tokens-2d" };
	size_t n = (size_t)storage->graph->num_nodes + 1;
	u64 align_bytes = options->dram_align_bytes;
	struct images images = {
		.items = calloc(n, sizeof(*images.items)),
		.values = calloc(n, sizeof(*images.values)),
		.item_of = calloc((size_t)storage->graph->num_values + 1, sizeof(u32)),
	};
	struct loom_place_problem problem = { .items = images.items };
	struct loom_place_fault fault;
	int ret = -ENOMEM;

	if (!images.items || !images.values || !images.item_of)
		goto out;
	add_items(storage, &images);
	ret = 0;
	if (!images.num_items)
		goto out;
	problem.num_items = images.num_items;
	ret = loom_place(&problem, &how, &images.result, &fault);
	if (ret) {
		loom_error_set(err, ret, "the images cannot be placed: %s", fault.text);
		goto out;
	}
	ret = make_pools(storage, &images, align_bytes ? align_bytes : 1, err);
	if (!ret)
		ret = set_refs(storage, &images);
	loom_place_result_free(&images.result);
out:
	free(images.items);
	free(images.values);
	free(images.item_of);
	return ret;
}

void loom_image_tensor(const struct loom_storage *storage, u32 id,
		       struct drm_loom_plan_tensor *tensor)
{
	const struct loom_location *location = &storage->locations[id];
	const struct loom_value *value = storage->graph->values[id];
	struct loom_image_shape shape = loom_image_flatten(value, value->scope);
	u64 row_bytes = loom_dtype_row_bytes(value->dtype, row_elems(&shape)), pitch = row_bytes;
	u32 i;

	for (i = 0; i < storage->num_pools; i++)
		if (storage->pools[i].slot == location->slot)
			pitch = storage->pools[i].pitch_bytes;
	tensor->size = (shape.height - 1) * pitch + row_bytes;
	if (location->ref.rank <= DRM_LOOM_MAX_RANK)
		return;
	/* a value with more axes than a tensor can have is described as rows and columns */
	tensor->rank = 2;
	tensor->dims[0] = shape.height;
	tensor->dims[1] = row_elems(&shape);
	tensor->strides[0] = pitch;
	tensor->strides[1] = loom_dtype_stride(value->dtype);
}
