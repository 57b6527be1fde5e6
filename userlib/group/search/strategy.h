/* SPDX-License-Identifier: MIT */
/*
 * Strategies: selections of groups with their rules. To add one, write a file that defines a
 * &struct loom_group_strategy, and add a line here and one in the table of group.c. The library and
 * the tool find it there by its name.
 */
#ifndef LOOM_GROUP_STRATEGY_H
#define LOOM_GROUP_STRATEGY_H

#include "loom_core.h"

struct loom_group;
struct loom_group_cut;
struct loom_group_list;
struct loom_group_rules;

/**
 * struct loom_group_strategy - a strategy for making groups
 * @name: its name
 * @text: description in one line
 * @competes: it looks for the best plan, so that a better plan of another strategy replaces it
 * @by_cost: groups are chosen by their cost, so that each cut has a reason to explain
 * @rules: how a group is fitted into SRAM and placed
 * @divide: divides units into groups. @group has the rules of the strategy and is a scratch group;
 *	@cuts are from malloc. Return: 0 or -errno
 */
struct loom_group_strategy {
	const char *name;
	const char *text;
	bool competes;
	bool by_cost;
	const struct loom_group_rules *rules;
	int (*divide)(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts);
};

/** loom_group_own - own.c: the lowest price, DRAM bytes or cycles */
extern const struct loom_group_strategy loom_group_own;
/** loom_group_text - text.c: the planner of the first description of groups */
extern const struct loom_group_strategy loom_group_text;
/** loom_group_dp - dp.c: a later one, the fewest cycles */
extern const struct loom_group_strategy loom_group_dp;

/* text.c, for dp.c and tests */

/**
 * loom_group_text_search() - N, then H: the first slicing of a group that fits
 * @group: scratch group
 * @cut: units; the rest is filled in
 * @limit: a group that takes so many cycles is useless, and not placed. U64_MAX: there is none, and
 *	cycles are not counted
 *
 * Return: 0; -EINVAL: the units cannot be together; -ENOSPC; -ERANGE: it would exceed @limit;
 * -ENOMEM.
 */
int loom_group_text_search(struct loom_group *group, struct loom_group_cut *cut, u64 limit);

/** loom_group_own_rules - own.c: weights held or streamed, all items placed at once */
extern const struct loom_group_rules loom_group_own_rules;

/* text_rules.c */

/** loom_group_text_rules - whole weights, loaded as early as possible; one item after the other */
extern const struct loom_group_rules loom_group_text_rules;
/** loom_group_dp_rules - the same weights; the item with the lowest offset first, no conflicts */
extern const struct loom_group_rules loom_group_dp_rules;

#endif /* LOOM_GROUP_STRATEGY_H */
