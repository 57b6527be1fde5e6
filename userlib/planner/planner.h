/* SPDX-License-Identifier: MIT */
#ifndef LOOM_PLANNER_PRIV_H
#define LOOM_PLANNER_PRIV_H

#include "group/group.h"
#include "loom_planner.h"

/** loom_grouping_is_on() - options ask for groups */
bool loom_grouping_is_on(const struct loom_planner_options *options);
/** loom_grouping_is_known() - the grouping of the options exists */
bool loom_grouping_is_known(const struct loom_planner_options *options);
/** loom_grouping_strategy() - the strategy of the options; NULL: none is asked for, or unknown */
const struct loom_group_strategy *
loom_grouping_strategy(const struct loom_planner_options *options);
/** loom_grouping_own_name() - the name of the grouping of the options, that of the table */
const char *loom_grouping_own_name(const struct loom_planner_options *options);

#endif /* LOOM_PLANNER_PRIV_H */
