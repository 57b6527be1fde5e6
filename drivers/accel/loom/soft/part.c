// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>

#include "part.h"

/**
 * DOC: Partitions of a soft device
 *
 * Jobs of contexts that own lanes run at the same time, each on a worker of its own. Such a context
 * has one job on the device at a time, so no two of these jobs share a lane. They must not run
 * beside a job that has the whole device, though.
 *
 * In the run queue (backend/turn.c) all partitions of a priority are one more user with one job.
 * When that job gets the turn, the gate opens, and the works of all partitions run; when it loses
 * the turn, the gate closes, each work leaves after its chunk, and the last one starts the worker
 * of the whole device. So a context without lanes waits for one slice however many partitions there
 * are, and the partitions have their slice in each round.
 *
 * The slice is wall-clock time while the gate is open, not the sum over the works. Lower priorities
 * run beside higher ones, because no lane is taken from these.
 *
 * Rejected: a partition as a user of its own in the run queue. Users with partitions would have
 * more slices than others, and the gate would close and open for each.
 *
 * A job may be freed as soon as its work has removed it from the list. So works are queued under
 * the lock for jobs in the list only, and a work that is pending is cancelled with the removal.
 */

/**
 * loom_soft_parts_init() - set up, without jobs
 * @parts: zeroed; the caller must destroy_workqueue() of @parts->wq
 * @turns: run queue of the engine
 * @number: of the device
 *
 * Return: 0 or -ENOMEM.
 */
int loom_soft_parts_init(struct loom_soft_parts *parts, struct loom_turns *turns, int number)
{
	u32 i;

	INIT_LIST_HEAD(&parts->jobs);
	parts->turns = turns;
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++) {
		struct loom_soft_level *level = &parts->levels[i];

		INIT_LIST_HEAD(&level->user.share.node);
		loom_turn_round_init(&level->user.files);
		INIT_LIST_HEAD(&level->file.share.node);
		INIT_LIST_HEAD(&level->file.jobs);
		level->file.user = &level->user;
		INIT_LIST_HEAD(&level->turn.node);
		level->turn.client = &level->file;
		level->turn.priority = i;
	}
	/* a work for each lane: none waits for the turn of another partition */
	parts->wq = alloc_workqueue("loom-part-%d", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS,
				    DRM_LOOM_MAX_BANKS, number);
	return parts->wq ? 0 : -ENOMEM;
}

/**
 * loom_soft_parts_add_locked() - a job arrives
 * @parts: the partitions
 * @part: the job
 *
 * The caller must start the worker of the whole device, which opens the gate when it is its turn.
 */
void loom_soft_parts_add_locked(struct loom_soft_parts *parts, struct loom_soft_part *part)
{
	struct loom_soft_level *level = &parts->levels[part->priority];

	list_add_tail(&part->node, &parts->jobs);
	if (!level->jobs++) {
		level->turn.slice_ns = loom_turn_slice_ns();
		loom_turns_add(parts->turns, &level->turn);
	}
	if (parts->open)
		queue_work(parts->wq, &part->work);
}

/**
 * loom_soft_parts_remove_locked() - a job has ended
 * @parts: the partitions
 * @part: the job, which may be freed after this; nothing happens if it was not added
 */
void loom_soft_parts_remove_locked(struct loom_soft_parts *parts, struct loom_soft_part *part)
{
	struct loom_soft_level *level = &parts->levels[part->priority];

	if (list_empty(&part->node))
		return;
	list_del_init(&part->node);
	cancel_work(&part->work);
	if (--level->jobs)
		return;
	loom_turns_remove(&level->turn);
	/* another level may go on */
	if (parts->open == level)
		parts->open = NULL;
}

/**
 * loom_soft_parts_stop_locked() - start the work of a stopped job, which waits for no turn
 * @parts: the partitions of a device that is started
 * @part: the job; nothing happens if it is not in the list
 */
void loom_soft_parts_stop_locked(struct loom_soft_parts *parts, struct loom_soft_part *part)
{
	if (!list_empty(&part->node))
		queue_work(parts->wq, &part->work);
}

static struct loom_soft_level *loom_soft_parts_level(struct loom_soft_parts *parts,
						     struct loom_turn *turn)
{
	u32 i;

	for (i = 0; i < LOOM_PRIORITY_COUNT; i++)
		if (turn == &parts->levels[i].turn)
			return &parts->levels[i];
	return NULL;
}

/**
 * loom_soft_parts_open_locked() - open the gate if it is the turn of partitions
 * @parts: the partitions
 * @turn: from loom_turns_next(), or NULL
 *
 * Return: whether it is.
 */
bool loom_soft_parts_open_locked(struct loom_soft_parts *parts, struct loom_turn *turn)
{
	struct loom_soft_level *level = loom_soft_parts_level(parts, turn);
	struct loom_soft_part *part;

	if (!level)
		return false;
	parts->open = level;
	list_for_each_entry(part, &parts->jobs, node)
		queue_work(parts->wq, &part->work);
	return true;
}

/**
 * loom_soft_parts_close_locked() - close the gate
 * @parts: the partitions
 *
 * Return: whether no work uses the engine. Otherwise the last one that leaves it starts the worker
 * of the whole device.
 */
bool loom_soft_parts_close_locked(struct loom_soft_parts *parts)
{
	parts->open = NULL;
	return !parts->running;
}

/**
 * loom_soft_parts_enter_locked() - a work is about to use the engine
 * @parts: the partitions
 *
 * Return: false if the gate is closed.
 */
bool loom_soft_parts_enter_locked(struct loom_soft_parts *parts)
{
	if (!parts->open)
		return false;
	if (!parts->running++)
		parts->charged_ns = ktime_get_ns();
	return true;
}

/**
 * loom_soft_parts_stay_locked() - a work has used the engine: charge it
 * @parts: the partitions
 *
 * Return: false if it must leave, because it is the turn of another job.
 */
bool loom_soft_parts_stay_locked(struct loom_soft_parts *parts)
{
	u64 now = ktime_get_ns();

	if (!parts->open)
		return false;
	loom_turns_charge(parts->turns, &parts->open->turn, now - parts->charged_ns);
	parts->charged_ns = now;
	parts->open = loom_soft_parts_level(parts, loom_turns_next(parts->turns));
	return parts->open;
}

/**
 * loom_soft_parts_leave_locked() - a work leaves the engine
 * @parts: the partitions
 *
 * Return: whether it was the last one: the caller must start the worker of the whole device.
 */
bool loom_soft_parts_leave_locked(struct loom_soft_parts *parts)
{
	return !--parts->running;
}
