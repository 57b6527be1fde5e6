// SPDX-License-Identifier: MIT
/* The table of strategies. A new one is a file, its declaration in strategy.h and a line here. */
#include "strategy.h"

#include <string.h>

#include "loom_core.h"

/* In the order of lists; the first is the default. */
static const struct loom_place_strategy *const strategies[] = {
	&loom_place_strategy_auto,
	&loom_place_strategy_greedy_size,
	&loom_place_strategy_greedy_area,
	&loom_place_strategy_greedy_breadth,
	&loom_place_strategy_greedy_conflict,
	&loom_place_strategy_greedy_total,
	&loom_place_strategy_greedy_life,
	&loom_place_strategy_greedy_tail,
	&loom_place_strategy_greedy_aligned,
	&loom_place_strategy_exact,
	&loom_place_strategy_gmem,
	&loom_place_strategy_gmem_fitfirst,
	&loom_place_strategy_gmem_opsize,
	&loom_place_strategy_tokens,
	&loom_place_strategy_tokens_2d,
	&loom_place_strategy_tokens_2d_v1,
	&loom_place_strategy_naive,
};

const struct loom_place_strategy *loom_place_strategy_find(const char *name)
{
	size_t i;

	if (!name)
		return strategies[0];
	for (i = 0; i < ARRAY_SIZE(strategies); i++)
		if (!strcmp(strategies[i]->name, name))
			return strategies[i];
	return NULL;
}

const char *loom_place_strategy_name(unsigned int index)
{
	return index < ARRAY_SIZE(strategies) ? strategies[index]->name : NULL;
}

const char *loom_place_strategy_text(unsigned int index)
{
	return index < ARRAY_SIZE(strategies) ? strategies[index]->text : NULL;
}
