/* SPDX-License-Identifier: MIT */
/*
 * Runs of units that repeat: layers of a transformer, cells, unrolled steps. Groups at the same
 * position of two such runs have equal costs, so that one of them is estimated and evaluated for
 * all.
 */
#ifndef LOOM_GROUP_REPEAT_H
#define LOOM_GROUP_REPEAT_H

#include "base/seen.h"
#include "loom_core.h"

struct loom_group_list;

/**
 * struct loom_group_repeat - units that begin equal runs
 * @window: length of the runs: groups of at most so many units that begin with units of a class
 *	have equal costs
 * @count: number of classes
 * @digest: of all units
 * @first: by unit: the first one of its class
 * @next: by unit: the next one of its class, or LOOM_GROUP_NONE
 */
struct loom_group_repeat {
	u32 window;
	u32 count;
	struct loom_digest digest;
	u32 *first;
	u32 *next;
};

/**
 * loom_group_repeat_find() - find the units that begin equal runs
 * @list: the graph, with its choices of residents
 * @window: length of the runs
 * @repeat: [in, out] the classes; previous contents are discarded
 *
 * Takes O(n log n log @window) time and O(n) memory for n units.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_repeat_find(const struct loom_group_list *list, u32 window,
			   struct loom_group_repeat *repeat);
/** loom_group_repeat_free() - frees its memory */
void loom_group_repeat_free(struct loom_group_repeat *repeat);

#endif /* LOOM_GROUP_REPEAT_H */
