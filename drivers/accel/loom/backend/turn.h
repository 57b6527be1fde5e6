/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TURN_H
#define LOOM_TURN_H

#include <linux/list.h>
#include <linux/types.h>

#include <drm/loom_accel.h>

struct loom_file;

/* Of &enum drm_loom_priority, the least urgent first. */
#define LOOM_PRIORITY_COUNT	(DRM_LOOM_PRIORITY_HIGH + 1)

#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
/**
 * struct loom_turn_share - the share of a user or client in a round
 *
 * The scheduler's lock protects this and the structures below, see turn.c.
 */
struct loom_turn_share {
	/** @node: in a &struct loom_turn_round while it has jobs */
	struct list_head node;
	/** @round: the round in which @left_ns was refilled */
	u64 round;
	/** @left_ns: rest of its time slice in @round, in ns */
	u64 left_ns;
};

/**
 * struct loom_turn_round - runnable shares
 */
struct loom_turn_round {
	/** @active: &struct loom_turn_share whose slice is not used up, the next one first */
	struct list_head active;
	/** @expired: shares that wait for the next round */
	struct list_head expired;
	/** @round: number of this one */
	u64 round;
};

/**
 * struct loom_user_turn - a user in the run queue of one priority
 */
struct loom_user_turn {
	/** @share: among the users */
	struct loom_turn_share share;
	/** @files: of &loom_file_turn.share, for files with jobs */
	struct loom_turn_round files;
};

/**
 * struct loom_file_turn - a client in the run queue of its user, at one priority
 */
struct loom_file_turn {
	/** @share: among the files of @user */
	struct loom_turn_share share;
	/** @jobs: its runnable jobs, the next one first */
	struct list_head jobs;
	/** @user: the user that opened it; constant */
	struct loom_user_turn *user;
};

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

/* Initialise an empty round. */
static inline void loom_turn_round_init(struct loom_turn_round *round)
{
	INIT_LIST_HEAD(&round->active);
	INIT_LIST_HEAD(&round->expired);
	/* differs from the 0 of a new share */
	round->round = 1;
}

u64 loom_turn_slice_ns(void);
void loom_turn_init(struct loom_turn *turn, struct loom_file *client, u32 priority);

void loom_turns_init(struct loom_turns *turns);
void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_remove(struct loom_turn *turn);
void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn);
void loom_turns_charge(struct loom_turns *turns, struct loom_turn *turn, u64 ns);
struct loom_turn *loom_turns_next(struct loom_turns *turns);
#else
/**
 * struct loom_turn - node of a job that is runnable or running
 */
struct loom_turn {
	/** @node: in one of &struct loom_turns, from loom_turns_add() to loom_turns_remove() */
	struct list_head node;
	/** @priority: of its context */
	u32 priority;
	/** @ending: it is in &loom_turns.ending */
	bool ending;
};

/**
 * struct loom_turns - run queue of a device: by priority, then by age
 */
struct loom_turns {
	/** @levels: jobs by priority */
	struct list_head levels[LOOM_PRIORITY_COUNT];
	/** @ending: stopped jobs; they go before all others */
	struct list_head ending;
};

static inline void loom_turn_init(struct loom_turn *turn, struct loom_file *client, u32 priority)
{
	INIT_LIST_HEAD(&turn->node);
	turn->priority = priority;
}

static inline void loom_turns_init(struct loom_turns *turns)
{
	u32 i;

	INIT_LIST_HEAD(&turns->ending);
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++)
		INIT_LIST_HEAD(&turns->levels[i]);
}

static inline void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn)
{
	list_add_tail(&turn->node, &turns->levels[turn->priority]);
}

static inline void loom_turns_remove(struct loom_turn *turn)
{
	list_del_init(&turn->node);
}

static inline void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn)
{
	if (list_empty(&turn->node) || turn->ending)
		return;
	turn->ending = true;
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
		jobs = &turns->levels[--i];
	return list_first_entry_or_null(jobs, struct loom_turn, node);
}
#endif

#endif /* LOOM_TURN_H */
