/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_PART_H
#define LOOM_SOFT_PART_H

#include <linux/list.h>
#include <linux/workqueue.h>

#include "backend/turn.h"

/**
 * struct loom_soft_part - a job of a partition
 */
struct loom_soft_part {
	/** @node: in &loom_soft_parts.jobs while the engine has the job, else empty */
	struct list_head node;
	/** @work: runs it while the gate is open; queued while @node is in the list only */
	struct work_struct work;
	/** @priority: of its context; constant */
	u32 priority;
};

/**
 * struct loom_soft_level - the partitions at a priority, as a user of the engine
 */
struct loom_soft_level {
	/** @jobs: number of jobs */
	u32 jobs;
	/** @user: its node among the users */
	struct loom_user_turn user;
	/** @file: the only client of @user */
	struct loom_file_turn file;
	/** @turn: the only job of @file, in the run queue while @jobs is not zero */
	struct loom_turn turn;
};

/**
 * struct loom_soft_parts - partitions of a device; the lock of its run queue protects all fields
 */
struct loom_soft_parts {
	/** @turns: run queue of the engine */
	struct loom_turns *turns;
	/** @wq: workqueue of &loom_soft_part.work, constant */
	struct workqueue_struct *wq;
	/** @levels: by priority */
	struct loom_soft_level levels[LOOM_PRIORITY_COUNT];
	/** @jobs: &loom_soft_part.node */
	struct list_head jobs;
	/** @open: the gate is open, and the turn is that of this level; else NULL */
	struct loom_soft_level *open;
	/** @charged_ns: time up to which @open was charged */
	u64 charged_ns;
	/** @running: number of works that use the engine */
	u32 running;
};

int __must_check loom_soft_parts_init(struct loom_soft_parts *parts, struct loom_turns *turns,
				      int number);
void loom_soft_parts_add_locked(struct loom_soft_parts *parts, struct loom_soft_part *part);
void loom_soft_parts_remove_locked(struct loom_soft_parts *parts, struct loom_soft_part *part);
void loom_soft_parts_stop_locked(struct loom_soft_parts *parts, struct loom_soft_part *part);
bool loom_soft_parts_open_locked(struct loom_soft_parts *parts, struct loom_turn *turn);
bool loom_soft_parts_close_locked(struct loom_soft_parts *parts);
bool loom_soft_parts_enter_locked(struct loom_soft_parts *parts);
bool loom_soft_parts_stay_locked(struct loom_soft_parts *parts);
bool loom_soft_parts_leave_locked(struct loom_soft_parts *parts);

#endif /* LOOM_SOFT_PART_H */
