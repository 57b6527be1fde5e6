/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TURN_H
#define LOOM_TURN_H

#include <linux/list.h>
#include <linux/types.h>

#include "loom_file.h"

/**
 * struct loom_turn - node of a job that is runnable or running
 */
struct loom_turn {
	/**
	 * @node: in loom_file_turn.jobs or loom_turns.ending, from loom_turns_add() to
	 * loom_turns_remove()
	 */
	struct list_head node;
	/** @client: node of its client at the priority of its context */
	struct loom_file_turn *client;
	/** @priority: of its context */
	u32 priority;
	/** @slice_ns: slice of its client in a round, in ns */
	u64 slice_ns;
	/** @ending: it is in &loom_turns.ending */
	bool ending;
};

/**
 * struct loom_turns - run queue of a device
 */
struct loom_turns {
	/** @levels: of &loom_user_turn.share, by priority */
	struct loom_turn_round levels[LOOM_PRIORITY_COUNT];
	/**
	 * @low_due_ns: engine time owed to low priority, in ns: 1/LOOM_TURN_LOW_SHARE of the time
	 * of others while a job of low priority waited, minus its own time
	 */
	s64 low_due_ns;
	/** @low: low priority goes first until @low_due_ns is used up */
	bool low;
	/** @ending: stopped jobs; they go before all others */
	struct list_head ending;
};

#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
u64 loom_turn_slice_ns(void);

void loom_turns_init(struct loom_turns *turns);
void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_remove(struct loom_turn *turn);
void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_charge(struct loom_turns *turns, struct loom_turn *turn, u64 ns);
struct loom_turn *loom_turns_next(struct loom_turns *turns);
#else
/* by priority, then by age */
static inline u64 loom_turn_slice_ns(void)
{
	return 0;
}

static inline void loom_turns_init(struct loom_turns *turns)
{
	u32 i;

	INIT_LIST_HEAD(&turns->ending);
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++)
		loom_turn_round_init(&turns->levels[i]);
}

static inline void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn)
{
	list_add_tail(&turn->node, &turns->levels[turn->priority].active);
}

static inline void loom_turns_remove(struct loom_turn *turn)
{
	list_del_init(&turn->node);
}

static inline void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn)
{
	if (!list_empty(&turn->node))
		list_move_tail(&turn->node, &turns->ending);
}

static inline void loom_turns_charge(struct loom_turns *turns, struct loom_turn *turn, u64 ns)
{
}

static inline struct loom_turn *loom_turns_next(struct loom_turns *turns)
{
	struct list_head *jobs = &turns->ending;
	u32 i = LOOM_PRIORITY_COUNT;

	while (list_empty(jobs) && i)
		jobs = &turns->levels[--i].active;
	return list_first_entry_or_null(jobs, struct loom_turn, node);
}
#endif

#endif /* LOOM_TURN_H */
