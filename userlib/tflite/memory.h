/* SPDX-License-Identifier: MIT */
/* Shared by the files that read, check and write memory plans of TensorFlow Lite Micro. */
#ifndef LOOM_TFLITE_MEMORY_H
#define LOOM_TFLITE_MEMORY_H

#include "loom_tflite.h"
#include "model.h"

/** name of the metadata of a memory plan */
#define LOOM_TFLITE_RECORD	"OfflineMemoryAllocation"
/** integers in front of the offsets: version, subgraphs, tensors */
#define LOOM_TFLITE_RECORD_HEAD	3
/** alignment of tensors in the arena */
#define LOOM_TFLITE_ALIGN	16

/**
 * struct loom_tflite_arena - a &struct loom_tflite_memory and the memory it owns
 * @view: the public part; first, as the two are cast to one another
 * @model: the file
 * @bytes: its bytes
 * @size_bytes: number of @bytes
 * @items: the tensors that are placed
 * @ids: their names
 * @tensors: their numbers
 * @item_of: by tensor: its item, or LOOM_PLACE_NONE
 * @order: operators in the order in which they run
 * @record: index of the plan in the metadata, LOOM_PLACE_NONE: none
 * @record_buffer: the buffer of the plan
 * @offsets: by tensor: its offset in the plan
 * @fault: the fault of the record itself; empty: none
 */
struct loom_tflite_arena {
	struct loom_tflite_memory view;
	struct loom_tflite_model model;
	uint8_t *bytes;
	size_t size_bytes;
	struct loom_place_item *items;
	const char **ids;
	uint32_t *tensors;
	uint32_t *item_of;
	uint32_t *order;
	uint32_t record;
	uint32_t record_buffer;
	int32_t *offsets;
	char fault[128];
};

/** loom_tflite_arena_of() - the arena of its public part */
static inline struct loom_tflite_arena *loom_tflite_arena_of(const struct loom_tflite_memory *view)
{
	return (struct loom_tflite_arena *)view;
}

/**
 * loom_tflite_live() - find the first and last moments of all tensors
 * @model: the file
 * @order: its operators in the order in which they run
 * @first: [out] by tensor; -1: never alive
 * @last: [out] by tensor
 * @err: [out] one line on failure
 *
 * Return: 0; -EINVAL for tensors that are read before they are computed, or computed twice.
 */
int loom_tflite_live(const struct loom_tflite_model *model, const uint32_t *order, int64_t *first,
		     int64_t *last, struct loom_error *err);
/** loom_tflite_set_lifetimes() - sets all items' by @arena's order; as loom_tflite_live() */
int loom_tflite_set_lifetimes(struct loom_tflite_arena *arena, struct loom_error *err);

#endif /* LOOM_TFLITE_MEMORY_H */
