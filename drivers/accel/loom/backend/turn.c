// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include "loom_compat.h"
#include "turn.h"

/**
 * DOC: Turns
 *
 * Which of the jobs that a back end has gets the engine. By priority first: as long as a job of a
 * higher one can run, those below wait. Among jobs of the same priority it is fair between clients
 * (open files), whatever number of contexts they have:
 *
 * * Time goes by in rounds, and in each a client has one time slice. A client whose slice is used
 *   up waits for the next round, which begins when no client that could run has some of its slice
 *   left.
 * * A client that comes while others run has what is left of its slice of this round, and goes
 *   first. So one with a short job now and then waits for no more than the piece of work that is
 *   being done, and as soon as it has used a slice it waits like everybody.
 * * Contexts of a client share its slices: at the end of a slice the next of them goes on, and a
 *   job that ends before leaves the rest to the next one.
 *
 * So a job that could run waits for a slice of each other client at its priority, twice that if all
 * of them came after it.
 *
 * Rejected: order by the time that each has had so far, as the scheduler of processes has it. It
 * finds the fair share of clients that wait in between more exactly, and needs a tree and a rule
 * for how much of the past counts.
 * Rejected, too: slices per context. A client would have as many as it likes. (It can still open
 * the node many times; the number of its files is what the system limits.)
 *
 * A job that is to end (its file was closed, its time is used up) goes before all others, whatever
 * its priority: that costs no more than to end it. Without that a job of low priority, and the
 * buffers that it holds, would stay until all others are done.
 *
 * A time slice is engine time. It is module parameter time_slice_ms; a client with a nice value
 * above 0 has a shorter one, as it would have less of a processor.
 *
 * All of this is lists that the back end keeps under its own lock. Nothing is allocated: a client's
 * place is in &struct loom_file.
 */

static uint loom_turn_time_slice_ms = 10;
module_param_named(time_slice_ms, loom_turn_time_slice_ms, uint, 0644);
MODULE_PARM_DESC(time_slice_ms, "Engine time of a client before the next one (1 to 1000, default: 10)");

/**
 * loom_turn_slice_ns() - the time slice of who submits a job
 *
 * By its nice value: 1.25 times less for each above 0.
 *
 * Return: nanoseconds.
 */
u64 loom_turn_slice_ns(void)
{
	/* of 1024 */
	static const u16 weights[] = {
		1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
		110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
	};
	u32 slice_ms = clamp_t(uint, READ_ONCE(loom_turn_time_slice_ms), 1, 1000);
	u32 nice = clamp(task_nice(current), 0, (int)ARRAY_SIZE(weights) - 1);

	return (u64)slice_ms * NSEC_PER_MSEC / 1024 * weights[nice];
}
EXPORT_SYMBOL_NS_GPL(loom_turn_slice_ns, LOOM_COMPAT_NS);

/**
 * loom_turns_init() - nobody wants the engine
 * @turns: the lists
 */
void loom_turns_init(struct loom_turns *turns)
{
	struct loom_turns_level *level;

	INIT_LIST_HEAD(&turns->ending);
	for (level = turns->levels; level < turns->levels + LOOM_PRIORITY_COUNT; level++) {
		INIT_LIST_HEAD(&level->active);
		INIT_LIST_HEAD(&level->expired);
		/* not that of a client that was never here */
		level->round = 1;
	}
}
EXPORT_SYMBOL_NS_GPL(loom_turns_init, LOOM_COMPAT_NS);

static void loom_turns_renew(const struct loom_turns_level *level, struct loom_file_turn *client,
			     u64 slice_ns)
{
	if (client->round == level->round)
		return;
	client->round = level->round;
	client->left_ns = slice_ns;
}

/**
 * loom_turns_add() - a job wants the engine
 * @turns: the lists
 * @turn: the job's place in them
 */
void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn)
{
	struct loom_turns_level *level = &turns->levels[turn->priority];
	struct loom_file_turn *client = turn->client;

	list_add_tail(&turn->node, &client->jobs);
	if (!list_empty(&client->node))
		return;
	loom_turns_renew(level, client, turn->slice_ns);
	if (client->left_ns)
		list_add(&client->node, &level->active);
	else
		list_add_tail(&client->node, &level->expired);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_add, LOOM_COMPAT_NS);

/**
 * loom_turns_remove() - a job has ended, or will not run
 * @turn: the job's place
 */
void loom_turns_remove(struct loom_turn *turn)
{
	list_del_init(&turn->node);
	if (list_empty(&turn->client->jobs))
		list_del_init(&turn->client->node);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_remove, LOOM_COMPAT_NS);

/**
 * loom_turns_end() - a job is to end, so it has the next turn
 * @turns: the lists
 * @turn: the job's place; if it has none, nothing happens
 */
void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn)
{
	if (list_empty(&turn->node) || turn->ending)
		return;
	turn->ending = true;
	list_move_tail(&turn->node, &turns->ending);
	if (list_empty(&turn->client->jobs))
		list_del_init(&turn->client->node);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_end, LOOM_COMPAT_NS);

/**
 * loom_turns_next() - who should have the engine now
 * @turns: the lists
 *
 * Return: a job, which keeps its place; or NULL.
 */
struct loom_turn *loom_turns_next(struct loom_turns *turns)
{
	struct loom_turns_level *level = turns->levels + LOOM_PRIORITY_COUNT;

	if (!list_empty(&turns->ending))
		return list_first_entry(&turns->ending, struct loom_turn, node);
	while (level-- > turns->levels) {
		struct loom_file_turn *client;
		struct loom_turn *turn;

		if (list_empty(&level->active)) {
			if (list_empty(&level->expired))
				continue;
			list_splice_init(&level->expired, &level->active);
			level->round++;
		}
		client = list_first_entry(&level->active, struct loom_file_turn, node);
		turn = list_first_entry(&client->jobs, struct loom_turn, node);
		loom_turns_renew(level, client, turn->slice_ns);
		return turn;
	}
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(loom_turns_next, LOOM_COMPAT_NS);

/**
 * loom_turns_spend() - the engine has worked on a job
 * @turns: the lists
 * @turn: the job
 * @ns: for how long
 *
 * Return: who should have it now: @turn, or another job.
 */
struct loom_turn *loom_turns_spend(struct loom_turns *turns, struct loom_turn *turn, u64 ns)
{
	struct loom_file_turn *client = turn->client;

	client->left_ns -= min(client->left_ns, ns);
	if (!client->left_ns && !turn->ending) {
		list_move_tail(&turn->node, &client->jobs);
		list_move_tail(&client->node, &turns->levels[turn->priority].expired);
	}
	return loom_turns_next(turns);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_spend, LOOM_COMPAT_NS);

/**
 * loom_turns_charge() - the device has worked on a job that is not in the lists any more
 * @turns: the lists
 * @turn: the job
 * @ns: for how long
 */
void loom_turns_charge(struct loom_turns *turns, const struct loom_turn *turn, u64 ns)
{
	struct loom_file_turn *client = turn->client;

	client->left_ns -= min(client->left_ns, ns);
	if (!client->left_ns && !list_empty(&client->node))
		list_move_tail(&client->node, &turns->levels[turn->priority].expired);
}
