/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TURN_H
#define LOOM_TURN_H

#include <linux/list.h>
#include <linux/types.h>

#include "loom_file.h"

/**
 * struct loom_turn - a job that wants the engine, or has it
 */
struct loom_turn {
	/**
	 * @node: in loom_file_turn.jobs or loom_turns.ending, from loom_turns_add() to
	 * loom_turns_remove()
	 */
	struct list_head node;
	/** @client: whose it is, at the priority of its context */
	struct loom_file_turn *client;
	/** @priority: of its context */
	u32 priority;
	/** @slice_ns: what its client gets in a round */
	u64 slice_ns;
	/** @ending: it is in &loom_turns.ending */
	bool ending;
};

/**
 * struct loom_turns - whose turn it is
 */
struct loom_turns {
	/** @levels: of &loom_user_turn.share, by priority */
	struct loom_turn_round levels[LOOM_PRIORITY_COUNT];
	/**
	 * @low_due_ns: engine time that is due to low priority: a part of what others have had
	 * while a job of it waited, less what it has had meanwhile, as LOOM_TURN_LOW_SHARE says
	 */
	s64 low_due_ns;
	/** @low: it has that now */
	bool low;
	/** @ending: jobs that are to end, before all others */
	struct list_head ending;
};

u64 loom_turn_slice_ns(void);

void loom_turns_init(struct loom_turns *turns);
void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_remove(struct loom_turn *turn);
void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_charge(struct loom_turns *turns, struct loom_turn *turn, u64 ns);
struct loom_turn *loom_turns_next(struct loom_turns *turns);

#endif /* LOOM_TURN_H */
