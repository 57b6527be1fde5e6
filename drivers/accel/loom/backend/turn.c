// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include "loom_compat.h"
#include "loom_file.h"
#include "turn.h"

/**
 * DOC: Turns
 *
 * The order of jobs on the engine. Priority comes first: while a job of a higher priority can run,
 * lower ones wait. Low priority is guaranteed a fiftieth of the engine next to normal priority, a
 * slice at a time; otherwise any client could starve it. Jobs of the same priority are scheduled
 * fairly between users, and between the clients (open files) of a user, whatever number of contexts
 * they have:
 *
 * * Time goes by in rounds, and in each a user has one time slice. A user whose slice is used up
 *   waits for the next round, which begins when no user that could run has some of its slice left.
 * * A user that becomes runnable has the rest of its slice of this round, and goes first. So an
 *   occasional short job waits for the current piece of work only; a user that has used up its
 *   slice waits for the next round.
 * * The clients of a user take turns in the same way with the slices of the user. So a user gets
 *   no more by opening the node many times.
 * * Contexts of a client share its slices: at the end of a slice the next of them goes on, and a
 *   job that ends before leaves the rest to the next one.
 *
 * So a job that could run waits for a slice of each other user at its priority, twice that if all
 * of them came after it.
 *
 * Rejected: order by virtual runtime, as CFS does. It is more exact for clients that sleep in
 * between, but needs a tree and a rule for how much of the past counts. Rejected, too: slices per
 * context or per file. A client can create any number of both. A user is the effective uid that
 * opened the file, in the init namespace, and not the client's control group: where groups are
 * delegated, a client can create these, too.
 *
 * A stopped job (file closed, timeout exceeded) goes before all others, whatever its priority,
 * because ending it is cheap. Otherwise a job of low priority would hold its buffers until all
 * others are done.
 *
 * A time slice is engine time. It is module parameter time_slice_ms; a client with a nice value
 * above 0 has a shorter one, as it would have less of a processor.
 *
 * All state is in lists under the back end's lock. Nothing is allocated: the node of a client is
 * part of &struct loom_file, and that of a user of the object it refers to.
 */

/* Guaranteed share of waiting jobs of low priority: one part in this number. */
#define LOOM_TURN_LOW_SHARE	50

static uint loom_turn_time_slice_ms = 10;
module_param_named(time_slice_ms, loom_turn_time_slice_ms, uint, 0644);
MODULE_PARM_DESC(time_slice_ms, "Engine time of a user before the next one (1 to 1000, default: 10)");

/**
 * loom_turn_slice_ns() - time slice of the current task
 *
 * Each nice level above 0 divides it by 1.25.
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
 * loom_turn_init() - initialise the node of a new job
 * @turn: the node
 * @client: the file of the job, whose nice level is that of the current task
 * @priority: of its context
 */
void loom_turn_init(struct loom_turn *turn, struct loom_file *client, u32 priority)
{
	turn->client = &client->turns[priority];
	turn->priority = priority;
	turn->slice_ns = loom_turn_slice_ns();
	INIT_LIST_HEAD(&turn->node);
}

/**
 * loom_turns_init() - initialise empty lists
 * @turns: the lists
 */
void loom_turns_init(struct loom_turns *turns)
{
	u32 i;

	INIT_LIST_HEAD(&turns->ending);
	for (i = 0; i < LOOM_PRIORITY_COUNT; i++)
		loom_turn_round_init(&turns->levels[i]);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_init, LOOM_COMPAT_NS);

static bool loom_turn_round_empty(const struct loom_turn_round *round)
{
	return list_empty(&round->active) && list_empty(&round->expired);
}

static void loom_turn_renew(const struct loom_turn_round *round, struct loom_turn_share *share,
			    u64 slice_ns)
{
	if (share->round == round->round)
		return;
	share->round = round->round;
	share->left_ns = slice_ns;
}

static void loom_turn_enter(struct loom_turn_round *round, struct loom_turn_share *share,
			    u64 slice_ns)
{
	if (!list_empty(&share->node))
		return;
	loom_turn_renew(round, share, slice_ns);
	if (share->left_ns)
		list_add(&share->node, &round->active);
	else
		list_add_tail(&share->node, &round->expired);
}

/* The next one; the round must not be empty. */
static struct loom_turn_share *loom_turn_first(struct loom_turn_round *round)
{
	if (list_empty(&round->active)) {
		list_splice_init(&round->expired, &round->active);
		round->round++;
	}
	return list_first_entry(&round->active, struct loom_turn_share, node);
}

/* Return: whether the slice is used up. */
static bool loom_turn_use(struct loom_turn_round *round, struct loom_turn_share *share, u64 ns)
{
	share->left_ns -= min(share->left_ns, ns);
	if (!share->left_ns && !list_empty(&share->node))
		list_move_tail(&share->node, &round->expired);
	return !share->left_ns;
}

/**
 * loom_turns_add() - add a runnable job
 * @turns: the lists
 * @turn: the job's place in them
 */
void loom_turns_add(struct loom_turns *turns, struct loom_turn *turn)
{
	struct loom_file_turn *client = turn->client;

	list_add_tail(&turn->node, &client->jobs);
	loom_turn_enter(&client->user->files, &client->share, turn->slice_ns);
	loom_turn_enter(&turns->levels[turn->priority], &client->user->share, turn->slice_ns);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_add, LOOM_COMPAT_NS);

/* Remove a client without runnable jobs from its round. */
static void loom_turns_leave(struct loom_file_turn *client)
{
	if (!list_empty(&client->jobs))
		return;
	list_del_init(&client->share.node);
	if (loom_turn_round_empty(&client->user->files))
		list_del_init(&client->user->share.node);
}

/**
 * loom_turns_remove() - a job has ended, or will not run
 * @turn: the job's place
 */
void loom_turns_remove(struct loom_turn *turn)
{
	list_del_init(&turn->node);
	loom_turns_leave(turn->client);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_remove, LOOM_COMPAT_NS);

/**
 * loom_turns_end() - give a stopped job the next turn
 * @turns: the lists
 * @turn: the job's place; nothing happens if it is not in the lists
 */
void loom_turns_end(struct loom_turns *turns, struct loom_turn *turn)
{
	if (list_empty(&turn->node) || turn->ending)
		return;
	turn->ending = true;
	list_move_tail(&turn->node, &turns->ending);
	loom_turns_leave(turn->client);
}
EXPORT_SYMBOL_NS_GPL(loom_turns_end, LOOM_COMPAT_NS);

/* The next job of a level; there is one. */
static struct loom_turn *loom_turns_of(struct loom_turn_round *level)
{
	struct loom_user_turn *user = container_of(loom_turn_first(level), struct loom_user_turn,
						   share);
	struct loom_file_turn *client = container_of(loom_turn_first(&user->files),
						     struct loom_file_turn, share);
	struct loom_turn *turn = list_first_entry(&client->jobs, struct loom_turn, node);

	loom_turn_renew(level, &user->share, turn->slice_ns);
	loom_turn_renew(&user->files, &client->share, turn->slice_ns);
	return turn;
}

/* Whether low goes before normal: from a whole slice due until nothing is due (hysteresis). */
static bool loom_turns_low(struct loom_turns *turns)
{
	const s64 slice_ns = loom_turns_of(&turns->levels[DRM_LOOM_PRIORITY_LOW])->slice_ns;

	turns->low = turns->low_due_ns >=
		     (turns->low ? 1 : slice_ns * (LOOM_TURN_LOW_SHARE - 1));
	return turns->low;
}

/**
 * loom_turns_next() - pick the next job
 * @turns: the lists
 *
 * Return: a job, which keeps its place; or NULL.
 */
struct loom_turn *loom_turns_next(struct loom_turns *turns)
{
	struct loom_turn_round *low = &turns->levels[DRM_LOOM_PRIORITY_LOW];
	struct loom_turn_round *level = turns->levels + LOOM_PRIORITY_COUNT;

	if (!list_empty(&turns->ending))
		return list_first_entry(&turns->ending, struct loom_turn, node);
	while (level-- > turns->levels) {
		if (loom_turn_round_empty(level))
			continue;
		if (level == low + 1 && !loom_turn_round_empty(low) && loom_turns_low(turns))
			level = low;
		return loom_turns_of(level);
	}
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(loom_turns_next, LOOM_COMPAT_NS);

/**
 * loom_turns_charge() - account engine time of a job
 * @turns: the lists
 * @turn: the job, which need not be in the lists any more
 * @ns: for how long
 */
void loom_turns_charge(struct loom_turns *turns, struct loom_turn *turn, u64 ns)
{
	const struct loom_turn_round *low = &turns->levels[DRM_LOOM_PRIORITY_LOW];
	struct loom_file_turn *client = turn->client;

	loom_turn_use(&turns->levels[turn->priority], &client->user->share, ns);
	if (loom_turn_use(&client->user->files, &client->share, ns) && !turn->ending &&
	    !list_empty(&turn->node))
		list_move_tail(&turn->node, &client->jobs);
	/* low priority alone is not limited */
	if (turn->priority == DRM_LOOM_PRIORITY_LOW && !loom_turn_round_empty(low + 1))
		turns->low_due_ns -= ns * (LOOM_TURN_LOW_SHARE - 1);
	else if (turn->priority == DRM_LOOM_PRIORITY_NORMAL && !loom_turn_round_empty(low))
		turns->low_due_ns += ns;
}

EXPORT_SYMBOL_NS_GPL(loom_turns_charge, LOOM_COMPAT_NS);
