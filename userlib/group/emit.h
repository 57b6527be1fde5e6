/* SPDX-License-Identifier: MIT */
/*
 * Floor 6 of groups: a division becomes commands (emit.c, emit_strip.c), and is explained
 * (explain.c).
 */
#ifndef LOOM_GROUP_EMIT_H
#define LOOM_GROUP_EMIT_H

#include "search.h"

/** loom_group_emit() - writes the commands of a group, from lower->step on */
int loom_group_emit(struct loom_lower *lower, struct loom_group *group);

/** loom_group_explain() - takes notes of why a division by cost has its cuts. 0 or -ENOMEM */
int loom_group_explain(struct loom_group_list *list, const struct loom_group_rules *rules,
		       u64 budget, const struct loom_group_cut *cuts, u32 num_cuts);

#endif /* LOOM_GROUP_EMIT_H */
