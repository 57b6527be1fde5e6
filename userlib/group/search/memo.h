/* SPDX-License-Identifier: MIT */
/*
 * Estimates of groups, for the next search of an equal graph with the same price. They dominate the
 * time of a search in small graphs, and several candidates of a plan, and all rounds that improve
 * it, need the same ones.
 */
#ifndef LOOM_GROUP_MEMO_H
#define LOOM_GROUP_MEMO_H

#include "group/model/list.h"

#include <pthread.h>

/* Limit on the searches whose estimates are kept. */
#define LOOM_GROUP_MEMO		8

struct loom_group_row;

/**
 * struct loom_group_estimates - the estimates of a graph
 * @digest: of its list of units
 * @aim: the objective
 * @sram: limits that groups are fitted into
 * @num_units: number of @rows
 * @rows: by first unit
 * @bytes: memory of @rows
 */
struct loom_group_estimates {
	struct loom_digest digest;
	struct loom_group_aim aim;
	struct loom_slice_limits sram;
	u32 num_units;
	struct loom_group_row *rows;
	size_t bytes;
};

/**
 * struct loom_group_memo - estimates of several searches; must begin as zeroes but for the lock
 * @lock: protects all below
 * @kept: the latest first
 * @count: number of @kept
 */
struct loom_group_memo {
	pthread_mutex_t lock;
	struct loom_group_estimates kept[LOOM_GROUP_MEMO];
	u32 count;
};

/** loom_group_memo_get() - a copy of the rows of @key, for the caller to free, or NULL */
struct loom_group_row *loom_group_memo_get(struct loom_group_memo *memo,
					   const struct loom_group_estimates *key);
/** loom_group_memo_add() - keeps a copy of @rows, if there is memory and @memo is not NULL */
void loom_group_memo_add(struct loom_group_memo *memo, const struct loom_group_estimates *key,
			 const struct loom_group_row *rows);
/** loom_group_memo_free() - frees all */
void loom_group_memo_free(struct loom_group_memo *memo);

#endif /* LOOM_GROUP_MEMO_H */
