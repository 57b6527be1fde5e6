// SPDX-License-Identifier: MIT
/*
 * DOC: Constants that leave out zeros
 *
 * The dimensions of such a constant are levels, in an order of its own; a dimension may be divided
 * into blocks, which add a level. A dense level has all its indices, a sparse one lists its indices
 * for each position in the level before (compressed rows). Behind the last level are elements. A
 * walk over the levels with a counter for each writes them to their positions.
 */
#include "convert.h"

#include "base/pool.h"

#include <errno.h>
#include <string.h>

#define MAX_LEVELS	(2 * LOOM_GRAPH_RANK)

/**
 * struct level - a level
 * @dim: its dimension of the tensor
 * @is_block: its indices count inside of blocks
 * @is_sparse: it lists its indices
 * @size: number of indices, if it is dense
 * @segments: for each position in the level before: begin of its indices; one more than positions
 * @segment_bytes: size of an element of @segments
 * @indices: the indices
 * @index_bytes: size of an element of @indices
 * @at: current position of the walk
 * @end: end of the walk's positions on this level
 * @begin: begin of the walk's positions
 */
struct level {
	uint32_t dim;
	bool is_block;
	bool is_sparse;
	int64_t size;
	struct loom_flat_vector segments;
	uint32_t segment_bytes;
	struct loom_flat_vector indices;
	uint32_t index_bytes;
	int64_t at;
	int64_t end;
	int64_t begin;
};

/**
 * struct sparse - a constant
 * @tensor: the constant
 * @levels: its levels
 * @num_levels: number of @levels
 * @block: by dimension: the size of its blocks
 */
struct sparse {
	const struct loom_tflite_tensor *tensor;
	struct level levels[MAX_LEVELS];
	uint32_t num_levels;
	int64_t block[LOOM_GRAPH_RANK];
};

/* Reads a table with a vector of integers of 32, 16 or 8 bits, by the type in front of it. */
static bool read_list(const struct loom_flat_table *table, uint32_t type_field, uint32_t field,
		      struct loom_flat_vector *vector, uint32_t *elem_bytes)
{
	static const uint32_t sizes[] = { 0, 4, 2, 1 };
	const int64_t type = loom_flat_number(table, type_field, 1, 0);
	struct loom_flat_table list = loom_flat_table(table, field);

	if (type < 1 || type > 3)
		return false;
	*elem_bytes = sizes[type];
	*vector = loom_flat_vector(&list, 0, *elem_bytes);
	return true;
}

static int64_t list_item(const struct loom_flat_vector *vector, uint32_t elem_bytes, int64_t index)
{
	const uint8_t *at = loom_flat_bytes(vector) + index * elem_bytes;

	if (elem_bytes == 4)
		return loom_flat_i32(vector, (uint32_t)index);
	return elem_bytes == 2 ? at[0] | at[1] << 8 : at[0];
}

static bool read_level(struct sparse *sparse, const struct loom_flat_table *table,
		       const struct loom_flat_vector *blocks, int64_t which, struct level *level)
{
	const uint32_t rank = sparse->tensor->rank;

	if (which < 0 || which >= rank + blocks->count)
		return false;
	level->is_block = which >= rank;
	which = level->is_block ? loom_flat_i32(blocks, (uint32_t)which - rank) : which;
	if (which < 0 || which >= rank)
		return false;
	level->dim = (uint32_t)which;
	level->is_sparse = loom_flat_number(table, LOOM_TFLITE_LEVEL_FORMAT, 1, 0);
	level->size = loom_flat_number(table, LOOM_TFLITE_LEVEL_DENSE_SIZE, 4, 0);
	if (level->is_block) {
		if (level->is_sparse || sparse->block[which] != 1)
			return false;
		sparse->block[which] = level->size;
	}
	if (!level->is_sparse)
		return level->size > 0;
	return read_list(table, LOOM_TFLITE_LEVEL_SEGMENTS_TYPE, LOOM_TFLITE_LEVEL_SEGMENTS,
			 &level->segments, &level->segment_bytes) &&
	       read_list(table, LOOM_TFLITE_LEVEL_INDICES_TYPE, LOOM_TFLITE_LEVEL_INDICES,
			 &level->indices, &level->index_bytes);
}

static bool read_levels(struct sparse *sparse)
{
	const struct loom_flat_table *table = &sparse->tensor->sparsity;
	struct loom_flat_vector order = loom_flat_vector(table, LOOM_TFLITE_SPARSITY_ORDER, 4);
	struct loom_flat_vector blocks = loom_flat_vector(table, LOOM_TFLITE_SPARSITY_BLOCKS, 4);
	struct loom_flat_vector levels = loom_flat_vector(table, LOOM_TFLITE_SPARSITY_LEVELS, 4);
	uint32_t i;

	if (!order.count || order.count > MAX_LEVELS || levels.count != order.count ||
	    order.count != sparse->tensor->rank + blocks.count)
		return false;
	sparse->num_levels = order.count;
	for (i = 0; i < sparse->tensor->rank; i++)
		sparse->block[i] = 1;
	for (i = 0; i < order.count; i++) {
		struct loom_flat_table level = loom_flat_item(&levels, i);

		if (!read_level(sparse, &level, &blocks, loom_flat_i32(&order, i),
				&sparse->levels[i]))
			return false;
	}
	return !table->flat->fault;
}

/* Enters a level behind position @before of the level before. */
static bool enter(struct level *level, int64_t before)
{
	if (!level->is_sparse) {
		if (__builtin_mul_overflow(before, level->size, &level->begin) ||
		    __builtin_add_overflow(level->begin, level->size, &level->end))
			return false;
	} else {
		if (before + 1 >= level->segments.count)
			return false;
		level->begin = list_item(&level->segments, level->segment_bytes, before);
		level->end = list_item(&level->segments, level->segment_bytes, before + 1);
		/* positions never decrease, so no index is read twice */
		if (level->begin < 0 || level->end < level->begin ||
		    level->end > level->indices.count)
			return false;
	}
	level->at = level->begin;
	return true;
}

/* The index of the current element; negative: outside of the tensor. */
static int64_t place(const struct sparse *sparse)
{
	int64_t indices[LOOM_GRAPH_RANK] = { 0 }, inside[LOOM_GRAPH_RANK] = { 0 }, place = 0;
	uint32_t i;

	for (i = 0; i < sparse->num_levels; i++) {
		const struct level *level = &sparse->levels[i];
		int64_t index = level->at - level->begin;

		if (level->is_sparse)
			index = list_item(&level->indices, level->index_bytes, level->at);
		*(level->is_block ? &inside[level->dim] : &indices[level->dim]) = index;
	}
	for (i = 0; i < sparse->tensor->rank; i++) {
		const int64_t at = indices[i] * sparse->block[i] + inside[i];

		if (at < 0 || at >= sparse->tensor->dims[i])
			return -1;
		place = place * sparse->tensor->dims[i] + at;
	}
	return place;
}

static bool walk(struct sparse *sparse, uint8_t *data)
{
	const size_t size = loom_dtype_size(sparse->tensor->dtype);
	const int64_t count = (int64_t)(sparse->tensor->data_bytes / size);
	/*
	 * no level has more positions than the tensor has elements; each is entered, passed, left
	 */
	uint64_t left = 3 * (sparse->num_levels + 1) * (sparse->tensor->size_bytes / size + 1);
	uint32_t depth = 0;
	bool entering = true;
	int64_t to;

	for (;;) {
		struct level *level = &sparse->levels[depth];

		if (!left-- || (entering && !enter(level, depth ? level[-1].at : 0)))
			return false;
		if (level->at == level->end) {
			if (!depth)
				return true;
			depth--;
			sparse->levels[depth].at++;
			entering = false;
			continue;
		}
		entering = true;
		if (depth + 1 < sparse->num_levels) {
			depth++;
			continue;
		}
		to = place(sparse);
		if (to < 0 || level->at >= count)
			return false;
		memcpy(data + (size_t)to * size, sparse->tensor->data + (size_t)level->at * size,
		       size);
		level->at++;
		entering = false;
	}
}

int loom_tflite_densify(const struct loom_tflite_tensor *tensor, struct loom_pool *pool,
			void **data)
{
	struct sparse sparse = { .tensor = tensor };

	/* the walk covers all stored data, and many constants may share the same bytes */
	if (!tensor->data || tensor->data_bytes > tensor->size_bytes || !read_levels(&sparse))
		return -EINVAL;
	*data = loom_pool_alloc(pool, tensor->size_bytes);
	if (!*data)
		return -ENOMEM;
	return walk(&sparse, *data) ? 0 : -EINVAL;
}
