/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_LISTS_H
#define LOOM_BENCH_LISTS_H

/* A list with size classes, which published allocators call best fit. */

#include "loom_bank.h"
#include "trace_make.h"

/* All blocks in address order. */
struct plain_block {
	u64 start;
	u64 size;
	bool is_free;
	struct plain_block *near[2];
};

struct plain {
	/* ends of the list: blocks of no bytes, never free */
	struct plain_block end[2];
	struct plain_block *spare;
};

static inline void plain_insert(struct plain_block *before, struct plain_block *block)
{
	block->near[0] = before;
	block->near[1] = before->near[1];
	block->near[1]->near[0] = block;
	before->near[1] = block;
}

static inline void plain_init(struct plain *plain, u64 limit, struct plain_block *blocks,
			      size_t count)
{
	*plain = (struct plain){ 0 };
	plain->end[0].near[1] = &plain->end[1];
	plain->end[1].near[0] = &plain->end[0];
	plain->end[1].start = limit;
	for (size_t i = 1; i < count; i++)
		blocks[i].near[1] = &blocks[i - 1];
	plain->spare = blocks[count - 1].near[1];
	blocks[0].near[1] = NULL;
	blocks[count - 1] = (struct plain_block){ .size = limit, .is_free = true };
	plain_insert(&plain->end[0], &blocks[count - 1]);
}

static inline void plain_give_spare(struct plain *plain, struct plain_block *block)
{
	block->near[1] = plain->spare;
	plain->spare = block;
}

/* Takes a part of a larger hole, from the end that the request names. */
static inline struct plain_block *plain_cut(struct plain *plain, struct plain_block *hole,
					    u64 size, bool top_down)
{
	struct plain_block *block = plain->spare;

	plain->spare = block->near[1];
	*block = (struct plain_block){ .size = size };
	hole->size -= size;
	if (top_down) {
		block->start = hole->start + hole->size;
		plain_insert(hole, block);
	} else {
		block->start = hole->start;
		hole->start += size;
		plain_insert(hole->near[0], block);
	}
	return block;
}

/*
 * Free blocks by size: a class for each power of two, each in address order. A request goes from
 * its own class on to the first class that has a block large enough, and takes the first such one
 * from the end that it names.
 */
#define CLASS_COUNT	12
#define CLASS_BASE	1024

struct classes {
	struct plain plain;
	struct plain_block **free[CLASS_COUNT];
	size_t count[CLASS_COUNT];
	size_t room[CLASS_COUNT];
};

static inline int classes_of(u64 size)
{
	int class = 0;

	for (size /= CLASS_BASE; size >>= 1;)
		class++;
	return min(class, CLASS_COUNT - 1);
}

/* Number of the first free block of the class at @start or above. */
static inline size_t classes_at(const struct classes *classes, int class, u64 start)
{
	size_t low = 0, high = classes->count[class];

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (classes->free[class][middle]->start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline void classes_add(struct classes *classes, struct plain_block *block)
{
	int class = classes_of(block->size);
	size_t at = classes_at(classes, class, block->start);
	struct plain_block ***list = &classes->free[class];

	if (classes->count[class] == classes->room[class]) {
		classes->room[class] = classes->room[class] * 2 + 64;
		*list = trace_realloc(*list, classes->room[class], sizeof(**list));
	}
	memmove(*list + at + 1, *list + at, (classes->count[class]++ - at) * sizeof(**list));
	(*list)[at] = block;
	block->is_free = true;
}

static inline void classes_remove(struct classes *classes, struct plain_block *block)
{
	int class = classes_of(block->size);
	size_t at = classes_at(classes, class, block->start);
	struct plain_block **list = classes->free[class];

	memmove(list + at, list + at + 1, (--classes->count[class] - at) * sizeof(*list));
	block->is_free = false;
}

static inline struct plain_block *classes_search(const struct classes *classes, u64 size,
						 bool top_down)
{
	for (int class = classes_of(size); class < CLASS_COUNT; class++) {
		size_t count = classes->count[class];

		for (size_t i = 0; i < count; i++) {
			struct plain_block *hole =
				classes->free[class][top_down ? count - 1 - i : i];

			if (hole->size >= size)
				return hole;
		}
	}
	return NULL;
}

static inline struct plain_block *classes_alloc(struct classes *classes, u64 size, bool top_down)
{
	struct plain_block *hole = classes_search(classes, size, top_down), *block;

	if (!hole)
		return NULL;
	classes_remove(classes, hole);
	if (hole->size == size)
		return hole;
	block = plain_cut(&classes->plain, hole, size, top_down);
	classes_add(classes, hole);
	return block;
}

static inline void classes_free(struct classes *classes, struct plain_block *block)
{
	struct plain_block *low = block->near[0], *high = block->near[1];

	if (high->is_free) {
		classes_remove(classes, high);
		block->size += high->size;
		block->near[1] = high->near[1];
		block->near[1]->near[0] = block;
		plain_give_spare(&classes->plain, high);
	}
	if (low->is_free) {
		classes_remove(classes, low);
		low->size += block->size;
		low->near[1] = block->near[1];
		low->near[1]->near[0] = low;
		plain_give_spare(&classes->plain, block);
		block = low;
	}
	classes_add(classes, block);
}

#endif /* LOOM_BENCH_LISTS_H */
