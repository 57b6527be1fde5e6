/* SPDX-License-Identifier: MIT */
/*
 * DOC: Placement of a group: whether it fits into SRAM, and the offsets of its items
 *
 * The layers above pass &struct loom_group_rules with the group (&loom_group.rules), so this code
 * does not depend on the strategy. weights.c and placement.c are the rules of the default strategy;
 * text_rules.c, among the strategies, has others.
 */
#ifndef LOOM_GROUP_PLACE_H
#define LOOM_GROUP_PLACE_H

#include "group/schedule/schedule.h"

/**
 * struct loom_group_rules - fitting and placement rules of a strategy
 * @fit: selects the weights that are held, streamed and cut into chunks, so that at most
 *	@budget_bytes of SRAM per lane are alive at once; schedules and costs the group. Return: 0,
 *	-ENOSPC or -ENOMEM
 * @place: assigns all items of a fitted group an offset below @budget_bytes. *@height_bytes is the
 *	highest byte used. Return: 0, -ENOSPC or -ENOMEM
 */
struct loom_group_rules {
	int (*fit)(struct loom_group *group, u64 budget_bytes);
	int (*place)(struct loom_group *group, u64 budget_bytes, u64 *height_bytes);
};

/* Applies the rules of the group's strategy. */
static inline int loom_group_fit(struct loom_group *group, u64 budget_bytes)
{
	return group->rules->fit(group, budget_bytes);
}

static inline int loom_group_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	return group->rules->place(group, budget_bytes, height_bytes);
}

/** loom_group_own_fit() - weights.c: holds the weights that fit, and streams the others */
int loom_group_own_fit(struct loom_group *group, u64 budget_bytes);
/** loom_group_own_place() - placement.c: all items at once, residents at the ends if possible */
int loom_group_own_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes);

struct loom_place_pair;

/**
 * loom_group_conflicts() - find items that both streams touch at the same position
 * @group: a scheduled group
 * @places: by item: number of its first buffer
 * @pairs: [out] buffers that should not share a conflict sub-bank, from malloc
 * @num_pairs: [out] number of @pairs
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_conflicts(const struct loom_group *group, const u32 *places,
			 struct loom_place_pair **pairs, u32 *num_pairs);

#endif /* LOOM_GROUP_PLACE_H */
