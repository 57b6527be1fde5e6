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
 * A soft device with threads= has helpers beside its worker. The units of a command are independent
 * of each other, so a command that is worth it is a round: worker and helpers take shares of its
 * units from a counter, and compute them in chunks, each between its own kernel_fpu_begin() and
 * kernel_fpu_end(), until there is no share left. Bits and counters are those of one worker, and
 * all else of a plan is done by the worker alone.
 *
 * Helpers work only while a run has its turn. Before the worker gives up the turn, or ends the job,
 * it has them pause, and waits for it, which takes a chunk; how far each share is stays in the
 * round, which belongs to the run. So preemption, timeouts, stops and resets are the worker's
 * business alone, as before. A helper that has not begun, as its processor is busy, is not waited
 * for: the worker takes over what it had left, and finds for itself that all is done.
 *
 * Engine time is the time that the device has worked for a client, with however many processors: a
 * device is one engine, and slices and timeouts are of it. One worker is the default, since kernel
 * threads that nobody has asked for are not what a machine has its processors for. There are no
 * more of them than processors: those that wait for each other's are not seen in engine time.
 */

/**
 * struct loom_soft_helper - one of them
 */
struct loom_soft_helper {
	/** @work: its part of a round */
	struct work_struct work;
	/** @team: whose */
	struct loom_soft_team *team;
	/** @index: of its share; 0 is the worker's */
	u32 index;
};

/**
 * struct loom_soft_team - the helpers of a device; all but they themselves is the worker's
 */
struct loom_soft_team {
	/** @wq: where they run */
	struct workqueue_struct *wq;
	/** @threads: workers of the device, its first one included */
	u32 threads;
	/** @longest_ns: of the device: its longest chunk */
	atomic64_t *longest_ns;
	/** @going: they were told to go on, and have not been told to pause since */
	bool going;
	/** @pause: they stop behind the chunk that they are at */
	bool pause;
	/** @busy: those who have not stopped */
	atomic_t busy;
	/** @look: there is something new that the worker has to look at, who may be waiting */
	bool look;
	/** @idle: the last one has stopped, or @look */
	wait_queue_head_t idle;
	/** @round: what they work on */
	struct loom_soft_round *round;
	/** @helpers: they */
	struct loom_soft_helper helpers[];
};

/**
 * loom_soft_look() - remembers a chunk if it is the longest
 * @longest_ns: the longest until now
 * @chunk_ns: how long it took
 */
void loom_soft_look(atomic64_t *longest_ns, u64 chunk_ns)
{
	s64 longest = atomic64_read(longest_ns);

	while (chunk_ns > longest && !atomic64_try_cmpxchg(longest_ns, &longest, chunk_ns))
		;
}

/* Units that are still to be computed for a share, taken if it is empty. */
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

/* A chunk of a worker's share. Return: false if there was nothing to do. */
static bool loom_soft_share_chunk(struct loom_soft_team *team, struct loom_soft_round *round,
				  u32 index)
{
	struct loom_command_share *share = &round->shares[index];
	u64 start, took;

	if (!loom_soft_share_get(round, share))
		return false;
	/* without the time that others have the processor */
	kernel_fpu_begin();
	start = ktime_get_ns();
	do {
		loom_share_run(share, round->command, round->memory, LOOM_ENGINE_PIECE);
	} while (loom_soft_share_get(round, share) &&
		 ktime_get_ns() - start < LOOM_SOFT_CHUNK_NS);
	took = ktime_get_ns() - start;
	kernel_fpu_end();
	loom_soft_look(team->longest_ns, took);
	return true;
}

static void loom_soft_help(struct work_struct *work)
{
	struct loom_soft_helper *helper = container_of(work, struct loom_soft_helper, work);
	struct loom_soft_team *team = helper->team;

	/* part of what signals fences, which lockdep learns by the worker's cancel_work_sync() */
	while (!READ_ONCE(team->pause) &&
	       loom_soft_share_chunk(team, team->round, helper->index))
		cond_resched();
	if (atomic_dec_and_test(&team->busy))
		wake_up(&team->idle);
}

/* Whether nothing is left of a round that nobody works on. */
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
 * loom_soft_team_go_on() - the worker's chunk of a round, beside which its helpers work
 * @team: helpers of the worker
 * @round: the round, which is begun
 *
 * Where there is nothing left for the worker it waits for the others, for a while, or until there
 * is something to look at.
 *
 * Return: whether the round has ended.
 */
bool loom_soft_team_go_on(struct loom_soft_team *team, struct loom_soft_round *round)
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
	wait_event_timeout(team->idle, !atomic_read(&team->busy) || READ_ONCE(team->look), 1);
	/*
	 * Before the caller takes the lock under which it looks: who takes that later to tell
	 * something new sets this again.
	 */
	WRITE_ONCE(team->look, false);
	if (atomic_read(&team->busy))
		return false;
	/* all have stopped because nothing is left: nobody has told them to pause */
	loom_soft_team_pause(team);
	WRITE_ONCE(round->command, NULL);
	return true;
}

/**
 * loom_soft_team_look() - there is a job, or a stop, that the worker does not know of
 * @team: its helpers, NULL is fine
 *
 * Called when that was noted under the lock of the device, in any context. Helpers go on: whether
 * they shall pause is up to the worker.
 */
void loom_soft_team_look(struct loom_soft_team *team)
{
	if (!team)
		return;
	WRITE_ONCE(team->look, true);
	wake_up(&team->idle);
}

/**
 * loom_soft_team_pause() - helpers have stopped behind their chunk
 * @team: they; those that have nothing to do are fine
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
		/* it may not begin in the next turn either: the worker does, and is never stuck */
		if (shares[0].unit >= shares[0].end)
			swap(shares[0], shares[i + 1]);
	}
	team->going = false;
}

/**
 * loom_soft_round_begin() - a command is to be computed
 * @team: by whom
 * @round: of the run; what it was is over
 * @command: the command
 * @memory: where its operands lie
 */
void loom_soft_round_begin(const struct loom_soft_team *team, struct loom_soft_round *round,
			   const struct loom_command *command, const struct loom_memory *memory)
{
	u64 cost = max(command->unit_cost, 1ULL);

	round->memory = memory;
	/* who is late holds up all others by a share */
	round->take = min(loom_engine_share(command, team->threads),
			  round_up(div64_u64(8 * LOOM_SOFT_SHARE_LEAST, cost) + 1, 64));
	atomic64_set(&round->next, 0);
	memset(round->shares, 0, team->threads * sizeof(round->shares[0]));
	WRITE_ONCE(round->command, command);
}

/**
 * loom_soft_round_bytes() - what the rounds of a run take of the host
 * @team: who computes it
 *
 * Return: bytes, in whole pages.
 */
u64 loom_soft_round_bytes(const struct loom_soft_team *team)
{
	struct loom_soft_round *round;

	return PAGE_ALIGN(struct_size(round, shares, team->threads));
}

/**
 * loom_soft_round_create() - room for the rounds of a run
 * @team: who computes it
 *
 * Return: the round, to be given to kvfree(), or NULL.
 */
struct loom_soft_round *loom_soft_round_create(const struct loom_soft_team *team)
{
	struct loom_soft_round *round;

	return kvzalloc(struct_size(round, shares, team->threads), GFP_KERNEL_ACCOUNT);
}

/**
 * loom_soft_team_create() - helpers for a worker
 * @threads: workers, the one that is helped included; at least two
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
 * loom_soft_team_destroy() - the device has stopped, and goes
 * @team: its helpers, NULL is fine
 */
void loom_soft_team_destroy(struct loom_soft_team *team)
{
	if (!team)
		return;
	destroy_workqueue(team->wq);
	kfree(team);
}
