// SPDX-License-Identifier: GPL-2.0
#include <linux/fpu.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "team.h"

/**
 * DOC: Workers that share a command
 *
 * A soft device with threads= has helpers for its worker. The units of a command are independent of
 * each other, so a command above a size threshold is a round: worker and helpers take shares of its
 * units from a counter, and compute them in chunks, each between its own kernel_fpu_begin() and
 * kernel_fpu_end(), until no share is left. Results and counters are bit-identical to those of one
 * worker; the worker alone runs the rest of a plan.
 *
 * Helpers work only while a run has its turn. Before the worker ends the turn or the job, it must
 * pause them and wait for that, which takes a chunk; the progress of each share is kept in the
 * round, which belongs to the run. So the worker alone handles preemption, timeouts, stops and
 * resets. A helper that has not begun, because its processor is busy, is not waited for: the worker
 * takes over its share.
 *
 * Engine time is the elapsed time of the device for a client, whatever the number of processors:
 * slices and timeouts are in engine time. One worker is the default, so that a device does not take
 * processors without a request. The number of workers is limited to that of processors, because
 * engine time does not account for workers that wait for a processor.
 */

/**
 * struct loom_soft_helper - an additional worker
 */
struct loom_soft_helper {
	/** @work: its part of a round */
	struct work_struct work;
	/** @team: its team */
	struct loom_soft_team *team;
	/** @index: of its share; 0 is the worker's */
	u32 index;
};

/**
 * struct loom_soft_team - helpers of a device; other fields belong to the worker
 */
struct loom_soft_team {
	/** @wq: workqueue of the helpers */
	struct workqueue_struct *wq;
	/** @threads: number of workers of the device, including the first one */
	u32 threads;
	/** @longest_ns: longest chunk of the device */
	atomic64_t *longest_ns;
	/** @going: helpers were queued, and not paused since */
	bool going;
	/** @pause: helpers must stop after their current chunk */
	bool pause;
	/** @busy: number of helpers that have not stopped */
	atomic_t busy;
	/** @notified: the worker, which may be waiting, must check for new jobs and stops */
	bool notified;
	/** @idle: woken up when @busy becomes 0, or @notified is set */
	wait_queue_head_t idle;
	/** @round: the current round */
	struct loom_soft_round *round;
	/** @helpers: the helpers */
	struct loom_soft_helper helpers[];
};

/**
 * loom_soft_update_longest() - update the maximum of chunk times
 * @longest_ns: the maximum
 * @chunk_ns: time of a chunk
 */
void loom_soft_update_longest(atomic64_t *longest_ns, u64 chunk_ns)
{
	s64 longest = atomic64_read(longest_ns);

	while (chunk_ns > longest && !atomic64_try_cmpxchg(longest_ns, &longest, chunk_ns))
		;
}

/* Make sure that a share has units. Return: false if none are left. */
static bool loom_soft_share_get(struct loom_soft_round *round, struct loom_command_share *share)
{
	u64 units = round->command->units, first;

	if (share->unit < share->end)
		return true;
	if (atomic64_read(&round->next) >= units)
		return false;
	first = atomic64_fetch_add(round->take, &round->next);
	if (first >= units)
		return false;
	share->unit = first;
	share->end = min(first + round->take, units);
	return true;
}

/* Run a chunk of a worker's share. Return: false if there was nothing to do. */
static bool loom_soft_share_chunk(struct loom_soft_team *team, struct loom_soft_round *round,
				  u32 index)
{
	struct loom_command_share *share = &round->shares[index];
	u64 start, took;

	if (!loom_soft_share_get(round, share))
		return false;
	/* excludes the time of other threads on this processor */
	kernel_fpu_begin();
	start = ktime_get_ns();
	do {
		loom_share_run(share, round->command, round->memory, LOOM_ENGINE_PIECE);
	} while (loom_soft_share_get(round, share) &&
		 ktime_get_ns() - start < LOOM_SOFT_CHUNK_NS);
	took = ktime_get_ns() - start;
	kernel_fpu_end();
	loom_soft_update_longest(team->longest_ns, took);
	return true;
}

static void loom_soft_help(struct work_struct *work)
{
	struct loom_soft_helper *helper = container_of(work, struct loom_soft_helper, work);
	struct loom_soft_team *team = helper->team;

	/* fence signalling critical section, which lockdep learns from cancel_work_sync() */
	while (!READ_ONCE(team->pause) &&
	       loom_soft_share_chunk(team, team->round, helper->index))
		cond_resched();
	if (atomic_dec_and_test(&team->busy))
		wake_up(&team->idle);
}

/* Whether a round without active helpers is complete. */
static bool loom_soft_round_over(const struct loom_soft_team *team,
				 const struct loom_soft_round *round)
{
	u32 i;

	for (i = 0; i < team->threads; i++)
		if (round->shares[i].unit < round->shares[i].end)
			return false;
	return atomic64_read(&round->next) >= round->command->units;
}

/**
 * loom_soft_team_run() - run a chunk of a round, in parallel with the helpers
 * @team: helpers of the worker
 * @round: the round, which must have begun
 *
 * If no units are left for the worker it waits for the helpers, for a jiffy at most, or until
 * loom_soft_team_notify().
 *
 * Return: whether the round has ended.
 */
bool loom_soft_team_run(struct loom_soft_team *team, struct loom_soft_round *round)
{
	u32 i;

	if (!team->going) {
		if (loom_soft_round_over(team, round)) {
			WRITE_ONCE(round->command, NULL);
			return true;
		}
		team->going = true;
		team->round = round;
		WRITE_ONCE(team->pause, false);
		atomic_set(&team->busy, team->threads - 1);
		for (i = 0; i < team->threads - 1; i++)
			queue_work(team->wq, &team->helpers[i].work);
	}
	if (loom_soft_share_chunk(team, round, 0))
		return false;
	wait_event_timeout(team->idle, !atomic_read(&team->busy) || READ_ONCE(team->notified), 1);
	/*
	 * Must be cleared before the caller takes the lock of its check: a later change under that
	 * lock sets it again.
	 */
	WRITE_ONCE(team->notified, false);
	if (atomic_read(&team->busy))
		return false;
	/* helpers were not paused, so all have stopped because no units are left */
	loom_soft_team_pause(team);
	WRITE_ONCE(round->command, NULL);
	return true;
}

/**
 * loom_soft_team_notify() - make the worker check for new jobs and stops
 * @team: its helpers, NULL is fine
 *
 * Must be called after the change was made under the lock of the device, in any context. Helpers go
 * on until the worker pauses them.
 */
void loom_soft_team_notify(struct loom_soft_team *team)
{
	if (!team)
		return;
	WRITE_ONCE(team->notified, true);
	wake_up(&team->idle);
}

/**
 * loom_soft_team_pause() - stop helpers after their current chunk
 * @team: the helpers; may be idle
 */
void loom_soft_team_pause(struct loom_soft_team *team)
{
	u32 i;

	if (!team->going)
		return;
	WRITE_ONCE(team->pause, true);
	for (i = 0; i < team->threads - 1; i++) {
		struct loom_command_share *shares = team->round->shares;

		if (!cancel_work_sync(&team->helpers[i].work))
			continue;
		atomic_dec(&team->busy);
		/* the worker takes over its share: it may not begin in the next turn either */
		if (shares[0].unit >= shares[0].end)
			swap(shares[0], shares[i + 1]);
	}
	team->going = false;
}

/**
 * loom_soft_round_begin() - begin a command
 * @team: the helpers
 * @round: of the run; its previous command must have ended
 * @command: the command
 * @memory: memory of its operands
 */
void loom_soft_round_begin(const struct loom_soft_team *team, struct loom_soft_round *round,
			   const struct loom_command *command, const struct loom_memory *memory)
{
	u64 cost = max(command->unit_cost, 1ULL);

	round->memory = memory;
	/* smaller shares, because the last worker delays all others by one share */
	round->take = min(loom_engine_share(command, team->threads),
			  round_up(div64_u64(8 * LOOM_SOFT_SHARE_LEAST, cost) + 1, 64));
	atomic64_set(&round->next, 0);
	memset(round->shares, 0, team->threads * sizeof(round->shares[0]));
	WRITE_ONCE(round->command, command);
}

/**
 * loom_soft_round_bytes() - host memory of the round of a run
 * @team: the workers
 *
 * Return: bytes, in whole pages.
 */
u64 loom_soft_round_bytes(const struct loom_soft_team *team)
{
	struct loom_soft_round *round;

	return PAGE_ALIGN(struct_size(round, shares, team->threads));
}

/**
 * loom_soft_round_create() - allocate the round of a run
 * @team: the workers
 *
 * Return: the round, which the caller must kvfree(), or NULL.
 */
struct loom_soft_round *loom_soft_round_create(const struct loom_soft_team *team)
{
	struct loom_soft_round *round;

	return kvzalloc(struct_size(round, shares, team->threads), GFP_KERNEL_ACCOUNT);
}

/**
 * loom_soft_team_create() - create helpers for a worker
 * @threads: number of workers, including the first one; at least two
 * @number: of the device, for a name
 * @longest_ns: longest chunk of the device
 *
 * Return: the helpers, or NULL.
 */
struct loom_soft_team *loom_soft_team_create(u32 threads, int number, atomic64_t *longest_ns)
{
	struct loom_soft_team *team;
	u32 i;

	team = kzalloc(struct_size(team, helpers, threads), GFP_KERNEL);
	if (!team)
		return NULL;
	team->threads = threads;
	team->longest_ns = longest_ns;
	init_waitqueue_head(&team->idle);
	for (i = 0; i < threads - 1; i++) {
		INIT_WORK(&team->helpers[i].work, loom_soft_help);
		team->helpers[i].team = team;
		team->helpers[i].index = i + 1;
	}
	team->wq = alloc_workqueue("loom-soft-help-%d",
				   WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS, threads - 1, number);
	if (!team->wq) {
		kfree(team);
		return NULL;
	}
	return team;
}

/**
 * loom_soft_team_destroy() - free the helpers of a stopped device
 * @team: its helpers, NULL is fine
 */
void loom_soft_team_destroy(struct loom_soft_team *team)
{
	if (!team)
		return;
	destroy_workqueue(team->wq);
	kfree(team);
}
