// SPDX-License-Identifier: MIT
/*
 * DOC: Memory plans for microcontrollers
 *
 * TensorFlow Lite Micro places tensors when it starts, by size, unless the file has their offsets.
 * Lifetimes here are those that it computes itself (micro_allocation_info.cc): tensors alive at the
 * same moment there must not overlap, whatever has placed them.
 */
#include "memory.h"

#include "base/error.h"
#include "base/pool.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int loom_tflite_live(const struct loom_tflite_model *model, const uint32_t *order, int64_t *first,
		     int64_t *last, struct loom_error *err)
{
	uint32_t i, k, moment;

	for (i = 0; i < model->num_tensors; i++)
		first[i] = model->tensors[i].data || model->tensors[i].is_variable ? 0 : -1;
	for (i = 0; i < model->num_inputs; i++)
		first[model->inputs[i]] = 0;
	for (i = 0; i < model->num_operators; i++) {
		const struct loom_tflite_operator *op = &model->operators[order[i]];

		moment = i + 1;
		for (k = 0; k < op->num_inputs; k++) {
			if (op->inputs[k] < 0)
				continue;
			if (first[op->inputs[k]] < 0)
				return loom_error_set(err, -EINVAL,
						      "%.100s: operator %u reads tensor %d before it is computed",
						      model->name, order[i], op->inputs[k]);
			last[op->inputs[k]] = moment;
		}
		for (k = 0; k < op->num_outputs; k++) {
			if (first[op->outputs[k]] >= 0)
				return loom_error_set(err, -EINVAL,
						      "%.100s: operator %u computes tensor %d, which has a value",
						      model->name, order[i], op->outputs[k]);
			first[op->outputs[k]] = moment;
			last[op->outputs[k]] = moment;
		}
	}
	for (i = 0; i < model->num_outputs; i++) {
		if (first[model->outputs[i]] < 0)
			return loom_error_set(err, -EINVAL,
					      "%.100s: output %u (tensor %d) is never computed",
					      model->name, i, model->outputs[i]);
		last[model->outputs[i]] = model->num_operators;
	}
	return 0;
}

static int no_memory(const struct loom_tflite_arena *arena, struct loom_error *err)
{
	return loom_error_set(err, -ENOMEM, "%.100s: out of memory", arena->model.name);
}

/* Whether the arena must hold the tensor: it is alive, and no constant, variable or empty one. */
static bool needs_place(const struct loom_tflite_tensor *tensor, int64_t first)
{
	return first >= 0 && !tensor->data && !tensor->is_variable &&
	       (tensor->size_bytes || !tensor->dtype);
}

int loom_tflite_set_lifetimes(struct loom_tflite_arena *arena, struct loom_error *err)
{
	struct loom_tflite_model *model = &arena->model;
	int64_t *first, *last;
	uint32_t i;
	int ret;

	first = calloc(model->num_tensors + 1ULL, sizeof(*first));
	last = calloc(model->num_tensors + 1ULL, sizeof(*last));
	ret = first && last ? loom_tflite_live(model, arena->order, first, last, err) :
	      no_memory(arena, err);
	for (i = 0; !ret && i < model->num_tensors; i++) {
		struct loom_place_item *item = &arena->items[arena->view.problem.num_items];
		const struct loom_tflite_tensor *tensor = &model->tensors[i];

		if (arena->item_of[i] != LOOM_PLACE_NONE)
			item = &arena->items[arena->item_of[i]];
		else if (!needs_place(tensor, first[i]))
			continue;
		else
			arena->item_of[i] = arena->view.problem.num_items++;
		item->lower = first[i];
		item->upper = last[i] + 1;
	}
	free(first);
	free(last);
	return ret;
}

/* A name for messages and tables, of printable characters. */
static const char *make_id(struct loom_pool *pool, const char *name, uint32_t number)
{
	char *id = *name ? loom_pool_string(pool, name) : loom_pool_print(pool, "tensor:%u",
									 number);
	char *at;

	for (at = id; at && *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	return id;
}

static int make_items(struct loom_tflite_arena *arena, struct loom_error *err)
{
	const struct loom_tflite_model *model = &arena->model;
	const uint64_t count = model->num_tensors + 1ULL;
	uint32_t i, item;
	int ret;

	arena->items = loom_pool_array(model->pool, count, sizeof(*arena->items));
	arena->ids = loom_pool_array(model->pool, count, sizeof(*arena->ids));
	arena->tensors = loom_pool_array(model->pool, count, sizeof(*arena->tensors));
	arena->item_of = loom_pool_array(model->pool, count, sizeof(*arena->item_of));
	arena->order = loom_pool_array(model->pool, model->num_operators + 1ULL,
				       sizeof(*arena->order));
	if (!arena->items || !arena->ids || !arena->tensors || !arena->item_of || !arena->order)
		return no_memory(arena, err);
	for (i = 0; i < model->num_operators; i++)
		arena->order[i] = i;
	for (i = 0; i < model->num_tensors; i++)
		arena->item_of[i] = LOOM_PLACE_NONE;
	ret = loom_tflite_set_lifetimes(arena, err);
	for (i = 0; !ret && i < model->num_tensors; i++) {
		const struct loom_tflite_tensor *tensor = &model->tensors[i];

		item = arena->item_of[i];
		if (item == LOOM_PLACE_NONE)
			continue;
		if (!tensor->dtype)
			return loom_error_set(err, -EOPNOTSUPP,
					      "%.100s: tensor %u: the size of type %u is not known",
					      model->name, i, tensor->type);
		/* offsets are integers of 32 bits */
		if (tensor->size_bytes > INT32_MAX)
			return loom_error_set(err, -ERANGE, "%.100s: tensor %u: it is too large",
					      model->name, i);
		arena->items[item].size_bytes = (tensor->size_bytes + LOOM_TFLITE_ALIGN - 1) &
						-(uint64_t)LOOM_TFLITE_ALIGN;
		arena->items[item].align_bytes = LOOM_TFLITE_ALIGN;
		arena->tensors[item] = i;
		arena->ids[item] = make_id(model->pool, tensor->name, i);
		if (!arena->ids[item])
			return no_memory(arena, err);
	}
	arena->view.problem.items = arena->items;
	return ret;
}

/* Reads the plan in the file, if any; its faults are reported when it is checked. */
static int read_record(struct loom_tflite_arena *arena, struct loom_error *err)
{
	struct loom_tflite_model *model = &arena->model;
	struct loom_flat_table buffer;
	struct loom_flat_vector data;
	uint32_t i, count;
	int64_t number;

	for (i = 0; i < model->metadata.count; i++) {
		struct loom_flat_table table = loom_flat_item(&model->metadata, i);
		const char *name = loom_flat_string(&table, LOOM_TFLITE_METADATA_NAME);

		if (!name || strcmp(name, LOOM_TFLITE_RECORD))
			continue;
		/* the runtime uses the last one */
		arena->record = i;
		arena->record_buffer = (uint32_t)loom_flat_number(&table,
								  LOOM_TFLITE_METADATA_BUFFER, 4,
								  0);
	}
	if (arena->record == LOOM_PLACE_NONE || model->flat.fault)
		return 0;
	arena->view.has_record = true;
	arena->offsets = loom_pool_array(model->pool, model->num_tensors + 1ULL,
					 sizeof(*arena->offsets));
	if (!arena->offsets)
		return no_memory(arena, err);
	arena->view.offsets = arena->offsets;
	for (i = 0; i < model->num_tensors; i++)
		arena->offsets[i] = -1;
	if (arena->record_buffer >= model->buffers.count) {
		snprintf(arena->fault, sizeof(arena->fault), "its buffer %u is not there",
			 arena->record_buffer);
		return 0;
	}
	buffer = loom_flat_item(&model->buffers, arena->record_buffer);
	data = loom_flat_vector(&buffer, LOOM_TFLITE_BUFFER_DATA, 1);
	if (data.count < 4 * LOOM_TFLITE_RECORD_HEAD || data.count % 4) {
		snprintf(arena->fault, sizeof(arena->fault), "%u bytes are no list of integers",
			 data.count);
		return 0;
	}
	count = data.count / 4 - LOOM_TFLITE_RECORD_HEAD;
	number = loom_flat_i32(&data, 2);
	if (number != model->num_tensors || count != model->num_tensors)
		snprintf(arena->fault, sizeof(arena->fault),
			 "it says that it has %lld offsets and has %u, for %u tensors",
			 (long long)number, count, model->num_tensors);
	for (i = 0; i < count && i < model->num_tensors; i++)
		arena->offsets[i] = loom_flat_i32(&data, LOOM_TFLITE_RECORD_HEAD + i);
	return 0;
}

/* Takes ownership of @bytes. */
static int adopt(void *bytes, size_t size_bytes, const char *path,
		 struct loom_tflite_memory **memory, struct loom_error *err)
{
	struct loom_tflite_arena *arena = calloc(1, sizeof(*arena));
	int ret;

	if (!arena) {
		free(bytes);
		return loom_error_set(err, -ENOMEM, "%.100s: out of memory", path);
	}
	arena->bytes = bytes;
	arena->size_bytes = size_bytes;
	arena->record = LOOM_PLACE_NONE;
	ret = loom_tflite_read(bytes, size_bytes, path, NULL, &arena->model, err);
	/* the arena is shared by all of them, but the record is for one */
	if (!ret && arena->model.num_subgraphs > 1)
		ret = loom_error_set(err, -EOPNOTSUPP,
				     "%.100s: it has %u subgraphs, memory can be planned for one",
				     arena->model.name, arena->model.num_subgraphs);
	if (!ret)
		ret = make_items(arena, err);
	if (!ret)
		ret = read_record(arena, err);
	if (!ret && arena->model.flat.fault)
		ret = loom_error_set(err, -EINVAL,
				     "%.100s: byte %zu: %s: it is damaged, or truncated",
				     arena->model.name, arena->model.flat.fault_at,
				     arena->model.flat.fault);
	if (!ret) {
		/* the caller's text may be freed */
		arena->view.name = loom_pool_string(arena->model.pool, arena->model.name);
		if (!arena->view.name)
			ret = no_memory(arena, err);
	}
	if (ret) {
		loom_tflite_memory_destroy(&arena->view);
		return ret;
	}
	arena->model.name = arena->view.name;
	arena->view.ids = arena->ids;
	arena->view.tensors = arena->tensors;
	arena->view.num_tensors = arena->model.num_tensors;
	arena->view.num_operators = arena->model.num_operators;
	*memory = &arena->view;
	return 0;
}

int loom_tflite_memory_parse(const void *bytes, size_t size_bytes, const char *name,
			     struct loom_tflite_memory **memory, struct loom_error *err)
{
	void *copy = malloc(size_bytes + 1);

	*memory = NULL;
	if (!copy)
		return loom_error_set(err, -ENOMEM, "%.100s: out of memory", name);
	if (size_bytes)
		memcpy(copy, bytes, size_bytes);
	return adopt(copy, size_bytes, name, memory, err);
}

int loom_tflite_memory_load(const char *path, struct loom_tflite_memory **memory,
			    struct loom_error *err)
{
	size_t size_bytes;
	void *bytes;
	int ret;

	*memory = NULL;
	ret = loom_tflite_file_read(path, &bytes, &size_bytes, err);
	return ret ? ret : adopt(bytes, size_bytes, path, memory, err);
}

void loom_tflite_memory_destroy(struct loom_tflite_memory *memory)
{
	struct loom_tflite_arena *arena = loom_tflite_arena_of(memory);

	if (!memory)
		return;
	loom_tflite_forget(&arena->model);
	free(arena->bytes);
	free(arena);
}
