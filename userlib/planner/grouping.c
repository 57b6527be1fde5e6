// SPDX-License-Identifier: MIT
/* Groupings by name: that of no groups, and the strategies of group/. */
#include "planner.h"

#include <string.h>

/* the default of the planner, as of loom plan */
#define DEFAULT_GROUPS	"layergroup"

const char *loom_grouping_name(unsigned int index)
{
	const struct loom_group_strategy *strategy;

	if (!index)
		return LOOM_GROUPING_NONE;
	strategy = loom_group_strategy_get(index - 1);
	return strategy ? strategy->name : NULL;
}

const char *loom_grouping_text(unsigned int index)
{
	const struct loom_group_strategy *strategy;

	if (!index)
		return "each node for itself: every value goes to DRAM and comes back";
	strategy = loom_group_strategy_get(index - 1);
	return strategy ? strategy->text : NULL;
}

static const char *name_of(const struct loom_planner_options *options)
{
	return options->grouping ? options->grouping : DEFAULT_GROUPS;
}

bool loom_grouping_is_on(const struct loom_planner_options *options)
{
	return strcmp(name_of(options), LOOM_GROUPING_NONE);
}

const struct loom_group_strategy *loom_grouping_strategy(const struct loom_planner_options *options)
{
	const struct loom_group_strategy *strategy = NULL;
	u32 i = 0;

	if (!loom_grouping_is_on(options))
		return NULL;
	do {
		strategy = loom_group_strategy_get(i++);
	} while (strategy && strcmp(name_of(options), strategy->name));
	return strategy;
}

bool loom_grouping_is_known(const struct loom_planner_options *options)
{
	return !loom_grouping_is_on(options) || loom_grouping_strategy(options);
}

const char *loom_grouping_own_name(const struct loom_planner_options *options)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);

	return strategy ? strategy->name : LOOM_GROUPING_NONE;
}
