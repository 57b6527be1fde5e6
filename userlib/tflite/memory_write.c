// SPDX-License-Identifier: MIT
/*
 * DOC: A memory plan into a file
 *
 * Offsets of a flatbuffer lead forward only, from their own position. So a table at the end cannot
 * refer to data in front of it, and the new tables are inserted behind the first eight bytes, which
 * are the offset of the root and the identifier: a new root, the lists that change (buffers,
 * metadata, operators in another order), and the plan. They refer to the contents of the old file,
 * which follows byte by byte. All offsets in it are relative, and it moves by a multiple of 16, so
 * alignment is preserved.
 *
 * Rejected: rewriting the whole file. That needs a writer that knows every table of every version
 * of the schema; here two suffice.
 */
#include "memory.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** offset of the root and identifier */
#define HEAD		8
/** bytes of a list of n fields, which is followed by its table */
#define LIST(n)		(4 + 2 * (n))
/** bytes of a table of n fields of four bytes each */
#define TABLE(n)	(4 + 4 * (n))

/**
 * struct layout - positions of the new data
 * @root: the table of the model; like all tables behind the list of its fields
 * @subgraphs: the list of subgraphs, 0: unchanged
 * @subgraph: the subgraph, if operators have moved
 * @operators: its operators
 * @buffers: the list of buffers
 * @metadata: the list of metadata
 * @num_metadata: number of entries
 * @entry: the metadata of the plan
 * @text: its name
 * @buffer: the buffer of the plan
 * @data: the plan, its length first
 * @end: end of the new data; the rest of the old file follows
 */
struct layout {
	size_t root;
	size_t subgraphs;
	size_t subgraph;
	size_t operators;
	size_t buffers;
	size_t metadata;
	uint32_t num_metadata;
	size_t entry;
	size_t text;
	size_t buffer;
	size_t data;
	size_t end;
};

/**
 * struct writing - a file that is being written
 * @arena: the old file
 * @layout: positions
 * @bytes: the file
 */
struct writing {
	const struct loom_tflite_arena *arena;
	struct layout layout;
	uint8_t *bytes;
};

/*
 * Reserves the list and the table of @fields; returns the position of the table, and moves @at
 * behind it.
 */
static size_t reserve_table(size_t *at, uint32_t fields)
{
	size_t table = (*at + LIST(fields) + 3) & ~(size_t)3;

	*at = table + TABLE(fields);
	return table;
}

static size_t reserve(size_t *at, size_t size_bytes)
{
	size_t begin = *at;

	*at = (begin + size_bytes + 3) & ~(size_t)3;
	return begin;
}

static bool is_record(const struct loom_tflite_model *model, uint32_t index)
{
	struct loom_flat_table table = loom_flat_item(&model->metadata, index);
	const char *name = loom_flat_string(&table, LOOM_TFLITE_METADATA_NAME);

	return name && !strcmp(name, LOOM_TFLITE_RECORD);
}

static struct layout make_layout(const struct loom_tflite_arena *arena)
{
	const struct loom_tflite_model *model = &arena->model;
	struct layout layout = { .num_metadata = 1 };
	size_t at = HEAD;
	uint32_t i;

	for (i = 0; i < model->metadata.count; i++)
		layout.num_metadata += !is_record(model, i);
	layout.root = reserve_table(&at, LOOM_TFLITE_MODEL_FIELDS);
	if (arena->view.num_moved) {
		layout.subgraphs = reserve(&at, 4 + 4);
		layout.subgraph = reserve_table(&at, LOOM_TFLITE_SUBGRAPH_FIELDS);
		layout.operators = reserve(&at, 4 + 4 * (size_t)model->num_operators);
	}
	layout.buffers = reserve(&at, 4 + 4 * ((size_t)model->buffers.count + 1));
	layout.metadata = reserve(&at, 4 + 4 * (size_t)layout.num_metadata);
	layout.entry = reserve_table(&at, 2);
	layout.text = reserve(&at, 4 + sizeof(LOOM_TFLITE_RECORD));
	layout.buffer = reserve_table(&at, 1);
	/* the integers must be aligned; their length precedes them */
	while ((at + 4) % LOOM_TFLITE_ALIGN)
		at += 4;
	layout.data = reserve(&at, 4 + 4 * (LOOM_TFLITE_RECORD_HEAD + (size_t)model->num_tensors));
	while ((at - HEAD) % LOOM_TFLITE_ALIGN)
		at += 4;
	layout.end = at;
	return layout;
}

static void put(struct writing *w, size_t at, uint32_t size_bytes, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < size_bytes; i++)
		w->bytes[at + i] = (uint8_t)(number >> (8 * i));
}

/* Writes an offset at @at to position @to of the new file. */
static void put_offset(struct writing *w, size_t at, size_t to)
{
	put(w, at, 4, (uint32_t)(to - at));
}

/* The new position of byte @at of the old file. */
static size_t moved(const struct writing *w, size_t at)
{
	return at - HEAD + w->layout.end;
}

/* Writes the list of a table; its fields are omitted until they are put. */
static void put_table(struct writing *w, size_t table, uint32_t fields)
{
	const size_t list = table - ((LIST(fields) + 3) & ~3);

	put(w, list, 2, LIST(fields));
	put(w, list + 2, 2, TABLE(fields));
	put(w, table, 4, (uint32_t)(table - list));
}

/* Makes field @field of a table present; returns its position. */
static size_t put_field(struct writing *w, size_t table, uint32_t fields, uint32_t field)
{
	const size_t list = table - ((LIST(fields) + 3) & ~3);

	put(w, list + LIST(field), 2, TABLE(field));
	return table + TABLE(field);
}

/* Copies all fields of @old; field @number is the one that is no offset. */
static void put_fields(struct writing *w, size_t table, uint32_t fields,
		       const struct loom_flat_table *old, uint32_t number)
{
	uint32_t i;

	put_table(w, table, fields);
	for (i = 0; i < fields; i++) {
		const size_t leads = i == number ? 0 : loom_flat_leads(old, i);

		if (i == number && loom_flat_has(old, i))
			put(w, put_field(w, table, fields, i), 4,
			    (uint32_t)loom_flat_number(old, i, 4, 0));
		else if (leads)
			put_offset(w, put_field(w, table, fields, i), moved(w, leads));
	}
}

static void put_subgraph(struct writing *w)
{
	const struct loom_tflite_model *model = &w->arena->model;
	const struct layout *layout = &w->layout;
	struct loom_flat_vector operators =
		loom_flat_vector(&model->subgraph, LOOM_TFLITE_SUBGRAPH_OPERATORS, 4);
	uint32_t i;

	put_offset(w, put_field(w, layout->root, LOOM_TFLITE_MODEL_FIELDS,
				LOOM_TFLITE_MODEL_SUBGRAPHS), layout->subgraphs);
	put(w, layout->subgraphs, 4, 1);
	put_offset(w, layout->subgraphs + 4, layout->subgraph);
	put_fields(w, layout->subgraph, LOOM_TFLITE_SUBGRAPH_FIELDS, &model->subgraph,
		   LOOM_TFLITE_SUBGRAPH_DEBUG);
	put_offset(w, put_field(w, layout->subgraph, LOOM_TFLITE_SUBGRAPH_FIELDS,
				LOOM_TFLITE_SUBGRAPH_OPERATORS), layout->operators);
	put(w, layout->operators, 4, operators.count);
	for (i = 0; i < operators.count; i++)
		put_offset(w, layout->operators + 4 + 4 * (size_t)i,
			   moved(w, loom_flat_item(&operators, w->arena->order[i]).at));
}

static void put_lists(struct writing *w)
{
	const struct loom_tflite_model *model = &w->arena->model;
	const struct layout *layout = &w->layout;
	size_t at = layout->buffers + 4;
	uint32_t i;

	put_offset(w, put_field(w, layout->root, LOOM_TFLITE_MODEL_FIELDS,
				LOOM_TFLITE_MODEL_BUFFERS), layout->buffers);
	put(w, layout->buffers, 4, model->buffers.count + 1);
	for (i = 0; i < model->buffers.count; i++, at += 4)
		put_offset(w, at, moved(w, loom_flat_item(&model->buffers, i).at));
	put_offset(w, at, layout->buffer);

	put_offset(w, put_field(w, layout->root, LOOM_TFLITE_MODEL_FIELDS,
				LOOM_TFLITE_MODEL_METADATA), layout->metadata);
	put(w, layout->metadata, 4, layout->num_metadata);
	at = layout->metadata + 4;
	for (i = 0; i < model->metadata.count; i++) {
		if (is_record(model, i))
			continue;
		put_offset(w, at, moved(w, loom_flat_item(&model->metadata, i).at));
		at += 4;
	}
	put_offset(w, at, layout->entry);
}

static void put_record(struct writing *w, const uint64_t *offsets)
{
	const struct loom_tflite_arena *arena = w->arena;
	const struct layout *layout = &w->layout;
	const uint32_t count = LOOM_TFLITE_RECORD_HEAD + arena->model.num_tensors;
	size_t at = layout->data;
	uint32_t i;

	put_table(w, layout->entry, 2);
	put_offset(w, put_field(w, layout->entry, 2, LOOM_TFLITE_METADATA_NAME), layout->text);
	put(w, put_field(w, layout->entry, 2, LOOM_TFLITE_METADATA_BUFFER), 4,
	    arena->model.buffers.count);
	put(w, layout->text, 4, strlen(LOOM_TFLITE_RECORD));
	memcpy(w->bytes + layout->text + 4, LOOM_TFLITE_RECORD, sizeof(LOOM_TFLITE_RECORD));
	put_table(w, layout->buffer, 1);
	put_offset(w, put_field(w, layout->buffer, 1, LOOM_TFLITE_BUFFER_DATA), layout->data);

	put(w, at, 4, 4 * count);
	/* version 0, one subgraph */
	put(w, at + 4, 4, 0);
	put(w, at + 8, 4, 1);
	put(w, at + 12, 4, arena->model.num_tensors);
	at += 4 + 4 * LOOM_TFLITE_RECORD_HEAD;
	for (i = 0; i < arena->model.num_tensors; i++, at += 4)
		put(w, at, 4, arena->item_of[i] == LOOM_PLACE_NONE ? UINT32_MAX :
		    (uint32_t)offsets[arena->item_of[i]]);
}

/* Checks that the file has nothing that would be lost, or become invalid by moving. */
static int can_write(const struct loom_tflite_arena *arena, struct loom_error *err)
{
	const struct loom_tflite_model *model = &arena->model;
	const char *what = NULL;
	uint32_t i;

	for (i = LOOM_TFLITE_MODEL_FIELDS; i < model->root.num_fields; i++)
		if (loom_flat_has(&model->root, i))
			what = "its model has fields of a newer schema";
	for (i = LOOM_TFLITE_SUBGRAPH_FIELDS; i < model->subgraph.num_fields; i++)
		if (loom_flat_has(&model->subgraph, i))
			what = "its subgraph has fields of a newer schema";
	for (i = 0; i < model->buffers.count; i++) {
		struct loom_flat_table buffer = loom_flat_item(&model->buffers, i);

		if (loom_flat_number(&buffer, LOOM_TFLITE_BUFFER_OFFSET, 8, 0) > 1)
			what = "it has data behind the flatbuffer";
	}
	if (!model->buffers.count)
		what = "it has no buffers";
	return what ? loom_error_set(err, -EOPNOTSUPP, "%.100s: no plan can be written: %s",
				     arena->view.name, what) : 0;
}

/* Reads the finished file like any other, and checks its plan. */
static int prove(const struct loom_tflite_arena *arena, const void *bytes, size_t size_bytes,
		 struct loom_error *err)
{
	struct loom_tflite_memory *again;
	struct loom_tflite_verdict verdict;
	int ret;

	ret = loom_tflite_memory_parse(bytes, size_bytes, arena->view.name, &again, err);
	if (ret)
		return ret;
	ret = loom_tflite_memory_check(again, &verdict, err);
	if (!ret && (verdict.num_left || again->problem.num_items != arena->view.problem.num_items))
		ret = loom_error_set(err, -EBADMSG, "%.100s: the plan is not complete",
				     arena->view.name);
	loom_tflite_memory_destroy(again);
	return ret;
}

int loom_tflite_memory_write(const struct loom_tflite_memory *memory, const uint64_t *offsets,
			     void **bytes, size_t *size_bytes, struct loom_error *err)
{
	const struct loom_tflite_arena *arena = loom_tflite_arena_of(memory);
	struct writing w = { .arena = arena };
	uint32_t i;
	int ret = can_write(arena, err);

	*bytes = NULL;
	if (ret)
		return ret;
	for (i = 0; i < memory->problem.num_items; i++)
		if (offsets[i] > INT32_MAX)
			return loom_error_set(err, -EBADMSG, "%.100s: offset %llu is too large",
					      memory->name, (unsigned long long)offsets[i]);
	w.layout = make_layout(arena);
	*size_bytes = arena->size_bytes - HEAD + w.layout.end;
	w.bytes = calloc(1, *size_bytes);
	if (!w.bytes)
		return loom_error_set(err, -ENOMEM, "%.100s: out of memory", memory->name);
	memcpy(w.bytes + 4, LOOM_TFLITE_IDENTIFIER, 4);
	memcpy(w.bytes + w.layout.end, arena->bytes + HEAD, arena->size_bytes - HEAD);
	put_offset(&w, 0, w.layout.root);
	put_fields(&w, w.layout.root, LOOM_TFLITE_MODEL_FIELDS, &arena->model.root,
		   LOOM_TFLITE_MODEL_VERSION);
	if (memory->num_moved)
		put_subgraph(&w);
	put_lists(&w);
	put_record(&w, offsets);
	ret = prove(arena, w.bytes, *size_bytes, err);
	if (ret)
		free(w.bytes);
	else
		*bytes = w.bytes;
	return ret;
}
