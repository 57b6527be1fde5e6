// SPDX-License-Identifier: MIT
/*
 * The strategy "layergroup", the default: the division with the lowest price that the search of
 * divide.c finds, improved by groups that recompute their halos where that is cheaper. The price is
 * DRAM bytes or cycles, see &struct loom_group_aim.
 */
#include "group/search/search.h"
#include "group/search/strategy.h"

static int divide(struct loom_group_list *list, struct loom_group *group,
		  struct loom_group_cut **cuts, u32 *num_cuts)
{
	int ret = loom_group_divide(list, group, cuts, num_cuts);

	return ret || group->keep_halos ? ret : loom_group_recompute(list, group, cuts, num_cuts);
}

const struct loom_group_rules loom_group_own_rules = {
	.fit = loom_group_own_fit,
	.place = loom_group_own_place,
};

const struct loom_group_strategy loom_group_own = {
	.name = "layergroup",
	.text = "groups by DRAM bytes: line buffers, weights held or streamed",
	.competes = true,
	.by_cost = true,
	.rules = &loom_group_own_rules,
	.divide = divide,
};
