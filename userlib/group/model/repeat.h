/* SPDX-License-Identifier: MIT */
/*
 * Runs of units that repeat: layers of a transformer, cells, unrolled steps. Groups at the same
 * place of two such runs cost the same, so that one of them is estimated and evaluated for all.
 */
#ifndef LOOM_GROUP_REPEAT_H
#define LOOM_GROUP_REPEAT_H

#include "base/seen.h"
#include "loom_core.h"

struct loom_group_list;

/**
 * struct loom_group_repeat - units that begin equal runs
 * @window: length of the runs: the groups of up to so many units that begin with units of a class
 *	cost the same
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
 * loom_group_repeat_find() - finds the units that begin equal runs
 * @list: the graph, with its choices of residents
 * @window: length of the runs
 * @repeat: [in, out] the classes; what it had is forgotten
 *
 * Takes n log n log @window steps and n words of memory for n units.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_repeat_find(const struct loom_group_list *list, u32 window,
			   struct loom_group_repeat *repeat);
/** loom_group_repeat_free() - frees what it has */
void loom_group_repeat_free(struct loom_group_repeat *repeat);

#endif /* LOOM_GROUP_REPEAT_H */
