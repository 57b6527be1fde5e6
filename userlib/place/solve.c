// SPDX-License-Identifier: MIT
/*
 * DOC: The solver
 *
 * The search behind "exact" and "auto": branch and bound over which item lies on which, with proofs
 * of infeasibility. Where the greedy strategies end a few percent above the bound, it mostly ends
 * at the bound.
 *
 * **Problem** (solve_part.c). All quantities are in units, the greatest common divisor of all
 * sizes; alignment is part of sizes where all items share it, and then the topmost item alone may
 * lack its pad. Items that do not overlap in time, not even through others, are independent parts.
 * A section is a maximal set of items that are alive at one moment; with gaps an item's sections
 * are not consecutive, and a pair that must be kept apart is a section of two. The bound of a part
 * is the largest sum of sizes in a section.
 *
 * **The search** (solve_search.c). There is a lowest placement in which no item can sink, and in it
 * each item lies on the ground or on another one. So the state is the set of items left and the
 * least offset that each can still have. The floor of a section is the least of these; if the items
 * left do not fit above it, the state is infeasible. A decision is about *one section*: which item
 * starts at its floor? The options are each item that can, and none, if the section has room to
 * lose; in that case all of them must rest on other items, and rise to the first offset where one
 * could end. The search branches on the section with the fewest options. It can be any section
 * whose candidates cannot be undercut any more, not only the lowest one.
 *
 * - Where no item left crosses, the two sides are independent: a failure in one backtracks to the
 *   last decision about that side, past all decisions about the other.
 * - A state that was searched exhaustively without success is remembered by two 64-bit hashes of
 *   (items left, least offsets). How it was reached is not part of it, so all searches under one
 *   capacity share it, and a restart forgets little.
 * - There is no recursion: decisions are frames, changes are a log that is undone, so a search can
 *   be suspended at any node and resumed later.
 *
 * **Portfolio** (solve_portfolio.c). Options are tried in a static order. No order is good for all
 * problems, but nearly every problem is solved by some order almost without backtracking. So ten
 * branching rules alternate with turns of growing length, as suspended searches. Some restart with
 * sections weighted by their number of failures, in a perturbed order. From the second round on
 * every other turn goes to the search that had the fewest items left.
 *
 * **Targets** (below). The first target is the bound, then 3/16 of the distance from there to the
 * known height, then 7/8, in whole units: close to the height, the second is one unit below it. A
 * placement gives a new height, an exhausted portfolio a new bound; then
 * the targets repeat with twice the nodes. Low targets come first, because a low capacity excludes
 * more options and so guides better.
 *
 * Features: fixed offsets, excluded ranges, gaps, pairs and alignment are exact. The decomposition
 * at crossings is for parts in which each item's sections are consecutive. Items that keep some
 * bytes in a gap (windows) count in full in the search, so nothing but the bound is proved about
 * them. Parts of more than 4096 items, or of 2^60 units, are not searched.
 *
 * **Ejections** (eject.c) have a share of each round, the first one unless items are few, and all
 * of it for parts that are too large to search. They prove no bounds and need a placement to start
 * from; a lower height is a lower target for the search.
 *
 * **Sources.** MiniMalloc (Moffitt, 2023) has the sections, the least offsets, the inference
 * above a floor, the decomposition, and static orders that are restarted in turn; its 2026 rewrite
 * in omnimalloc has equal items in order and bounds from below. TelaMalloc (Maas and others, 2022)
 * and idealloc (Lamprakos and others, 2025) were read. Branching on the most constrained section,
 * weights by failure, and restarts in short turns are common in constraint solvers.
 *
 * **Rejected**, after trials on the published instances of the bench:
 *
 * - the lowest section with the least room, or any settled section with the least room, instead of
 *   the fewest options: some instances are not solved. A single branching rule neither;
 * - one-machine bounds (items of a section in the order of their least offsets, holes counted):
 *   each node costs two to three times as much, for hardly fewer nodes;
 * - weights by failure without restarts, longer turns in later rounds, and a fixed order among
 *   interchangeable items: no gain;
 * - dives (a placement from the bottom up, the lowest valley of the skyline filled by dynamic
 *   programming): 600 lines for cut rectangles; ejections in the same time lower traces more;
 * - targets between units, which leave out the one next to the height: D is 1.003 higher;
 * - PQ-trees of the orders of the live items, for parts that leave nothing free at any moment:
 *   1900 lines for cut rectangles; no network or trace is one.
 */
#include "solve_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/*
 * nodes per item: of a rule's first turn; of a portfolio in the first round, doubled each round;
 * the same at the bound, where a success ends all
 */
#define TURN		4
#define ROUND		40
#define FLOOR_ROUND	240
/* the same with many items, where ejections are more effective */
#define LARGE_ROUND	4
#define LARGE_ITEMS	512
/* with fewer items in each part, the search comes before ejections */
#define FEW_ITEMS	256
/* turns per round of ejections; with few items each is shorter by a share */
#define EJECT_TURNS	8
#define EJECT_SHARE	8
/* visits of ejections in the time of a node; with more items a node takes longer */
#define NODE_VISITS	512
#define NODE_ITEMS	512
#define MAX_ROUND	(1ULL << 20)
/* nodes between two reads of the clock, divided by the items of a part */
#define TIMED_NODES	2000000

/* Targets: the bound, a little above it, a little below the known height. */
enum level {
	LEVEL_FLOOR,
	LEVEL_LOW,
	LEVEL_HIGH,
	NUM_LEVELS,
};

/* A suspended portfolio, and its capacity. */
struct kept {
	struct solve_portfolio *portfolio;
	uint64_t capacity_bytes;
};

/* A call of the solver. */
struct solve {
	const struct loom_place_task *task;	/* the problem */
	struct loom_place_answer *answer;	/* the lowest placement, and the proved bound */
	uint64_t height_bytes;			/* of @answer, or LOOM_PLACE_ANYWHERE */
};

/* A part and the best placement of it so far. */
struct task {
	const struct solve_part *part;
	const struct loom_place_item *all;	/* items of the problem */
	uint64_t *offsets;		/* by item: the best known placement, in bytes */
	uint64_t *trial;		/* scratch memory for another placement */
	uint64_t height_bytes;		/* its height, or LOOM_PLACE_ANYWHERE */
	uint64_t low_bytes;		/* proved lower bound of the height */
	struct kept kept[NUM_LEVELS];	/* by level: the last portfolio, suspended between rounds */
	unsigned int branching;		/* index of the rule that found the last placement */
	uint64_t seed;			/* of the last portfolio above the bound */
	bool stuck;			/* the search ended without a proof, because of windows */
	const struct loom_place_item *items;	/* the part's, if @eject supports them */
	struct loom_place_item *copy;	/* storage of @items, unless they are contiguous */
	struct loom_eject *eject;	/* created on first use */
};

static uint64_t task_height(const struct task *task, const uint64_t *offsets)
{
	uint64_t height = 0;
	uint32_t i;

	for (i = 0; i < task->part->num_items; i++)
		height = max(height, offsets[i] + task->all[task->part->ids[i]].size_bytes);
	return height;
}

/* The next larger height that a placement can have: a multiple of the unit, less a pad. */
static uint64_t next_height(const struct solve_part *part, uint64_t bytes)
{
	uint64_t next = UINT64_MAX, top;
	uint32_t i;

	for (i = 0; i < part->num_items; i++) {
		top = (bytes + part->pads[i]) / part->unit * part->unit + part->unit -
		      part->pads[i];
		if (top < next)
			next = top;
	}
	return next;
}

/* Runs a portfolio for up to @slice nodes; the result does not depend on how slices are split. */
static enum solve_answer run_portfolio(struct task *task, struct solve_portfolio *portfolio,
				       int64_t deadline_ns, uint64_t slice, uint64_t *nodes)
{
	uint64_t left = min(slice, *nodes), most = left, given;
	enum solve_answer answer = SOLVE_LATER;

	if (deadline_ns)
		most = TIMED_NODES / (task->part->num_items + 100);
	while (left && answer == SOLVE_LATER && loom_place_left_ns(deadline_ns)) {
		given = min(left, most);
		left -= given;
		*nodes -= given;
		answer = loom_portfolio_run(portfolio, &given, task->trial);
		*nodes += given;
	}
	return answer;
}

/* Swaps the trial with the placement, which becomes scratch memory. */
static void keep_trial(struct task *task, uint64_t height_bytes)
{
	uint64_t *swap = task->offsets;

	task->offsets = task->trial;
	task->trial = swap;
	task->height_bytes = height_bytes;
}

/* Runs a portfolio under one capacity for up to @slice nodes. */
static enum solve_answer task_search(struct task *task, struct solve_portfolio *portfolio,
				     uint64_t capacity_bytes, int64_t deadline_ns, uint64_t slice,
				     uint64_t *nodes)
{
	enum solve_answer answer;

	answer = run_portfolio(task, portfolio, deadline_ns, slice, nodes);
	if (answer == SOLVE_FOUND) {
		keep_trial(task, task_height(task, task->trial));
		task->branching = loom_portfolio_branching(portfolio);
	}
	/* with windows, the search overestimates items, so exhaustion proves no bound */
	if (answer == SOLVE_NONE && !task->part->windows && task->low_bytes <= capacity_bytes)
		task->low_bytes = next_height(task->part, capacity_bytes);
	return answer;
}

/* Searches at one level; resumes the last portfolio if the capacity is the same. */
static int search_level(struct task *task, enum level level, uint64_t capacity_bytes,
			int64_t deadline_ns, uint64_t round, uint64_t *nodes)
{
	struct kept *kept = &task->kept[level];
	uint32_t n = task->part->num_items, each;
	enum solve_answer answer;

	if (kept->portfolio && kept->capacity_bytes != capacity_bytes) {
		loom_portfolio_destroy(kept->portfolio);
		kept->portfolio = NULL;
	}
	/* at the bound the best rule is unknown, so the first turns are short */
	if (!kept->portfolio &&
	    loom_portfolio_create(task->part, capacity_bytes,
				  level == LEVEL_FLOOR ? n + n / 2 + 32 : TURN * n, task->branching,
				  level == LEVEL_FLOOR ? 0 : ++task->seed, &kept->portfolio))
		return -ENOMEM;
	kept->capacity_bytes = capacity_bytes;
	each = n >= LARGE_ITEMS ? LARGE_ROUND : level == LEVEL_FLOOR ? FLOOR_ROUND : ROUND;
	answer = task_search(task, kept->portfolio, capacity_bytes, deadline_ns, each * n * round,
			     nodes);
	if (answer != SOLVE_LATER) {
		loom_portfolio_destroy(kept->portfolio);
		kept->portfolio = NULL;
	}
	task->stuck |= level == LEVEL_FLOOR && answer == SOLVE_NONE && task->part->windows;
	return answer == SOLVE_NOMEM ? -ENOMEM : 0;
}

/*
 * Searches between the bound and the known height. A low capacity is harder, but guides better
 * because it excludes more options; so the first target is about 3/16 of the distance, the second
 * 7/8, and at least a unit below the height. Each success lowers the next target.
 */
static int search_between(struct task *task, uint64_t low_bytes, uint64_t limit_bytes,
			  int64_t deadline_ns, uint64_t round, uint64_t *nodes)
{
	static const enum level levels[] = { LEVEL_LOW, LEVEL_HIGH };
	static const unsigned int shares[] = { 13, 2 };
	uint64_t before, high, span, below, unit = task->part->unit;
	unsigned int k;
	int err = 0;

	for (k = 0; k < 2 && *nodes && !err && loom_place_left_ns(deadline_ns);) {
		before = task->height_bytes;
		high = before <= limit_bytes ? before - 1 : limit_bytes;
		if (low_bytes < task->low_bytes)
			low_bytes = task->low_bytes;
		if (high <= low_bytes)
			return 0;
		span = high - low_bytes;
		below = span / 16 * shares[k] + span % 16 * shares[k] / 16;
		err = search_level(task, levels[k], high - below / unit * unit, deadline_ns, round,
				   nodes);
		if (task->height_bytes == before)
			k++;
	}
	/* no placement is known and none was found: any within the limit suffices */
	if (!err && *nodes && task->height_bytes == LOOM_PLACE_ANYWHERE)
		err = search_level(task, LEVEL_HIGH, limit_bytes, deadline_ns, round, nodes);
	return err;
}

/* A part that is not above the bound needs no search, so it is not prepared. */
static int init_task(const struct solve *solve, struct solve_part *part, struct task *task)
{
	const struct loom_place_item *all = solve->task->problem.items;
	uint32_t i, n = part->num_items;

	*task = (struct task){
		part, all, .height_bytes = LOOM_PLACE_ANYWHERE, .items = &all[part->ids[0]],
		.offsets = malloc(n * sizeof(*task->offsets)),
	};
	for (i = 0; i < n && task->offsets; i++)
		task->offsets[i] = solve->answer->offsets[part->ids[i]];
	if (task->offsets && solve->height_bytes != LOOM_PLACE_ANYWHERE)
		task->height_bytes = task_height(task, task->offsets);
	if (task->height_bytes > solve->answer->bound_bytes &&
	    loom_solve_fill(&solve->task->problem, part))
		return -ENOMEM;
	task->low_bytes = part->bound_bytes;
	if (part->small)
		task->trial = malloc(n * sizeof(*task->trial));
	/* parts may alternate in gaps */
	if (part->ids[n - 1] - part->ids[0] + 1 != n) {
		task->copy = malloc(n * sizeof(*task->copy));
		task->items = task->copy;
	}
	if (!task->offsets || (part->small && !task->trial) || !task->items)
		return -ENOMEM;
	for (i = 0; i < n && task->copy; i++)
		task->copy[i] = all[part->ids[i]];
	if (!loom_eject_can(task->items, n, part->num_apart))
		task->items = NULL;
	return 0;
}

static void clear_task(struct task *task)
{
	unsigned int k;

	free(task->offsets);
	free(task->trial);
	free(task->copy);
	loom_eject_destroy(task->eject);
	for (k = 0; k < NUM_LEVELS; k++)
		loom_portfolio_destroy(task->kept[k].portfolio);
}

/* The proved bound of all parts together: the largest of the parts' and the given one. */
static uint64_t solve_bound(const struct solve *solve, const struct task *tasks,
			    uint32_t num_tasks)
{
	uint64_t bound = solve->answer->bound_bytes;
	uint32_t i;

	for (i = 0; i < num_tasks; i++)
		if (tasks[i].low_bytes > bound)
			bound = tasks[i].low_bytes;
	return bound;
}

/* The goal of all parts: the largest bound, or the capacity if any placement that fits suffices. */
static uint64_t find_goal(const struct solve *solve, const struct task *tasks,
			  uint32_t num_tasks)
{
	uint64_t bound = solve_bound(solve, tasks, num_tasks);

	return solve->task->fit_only ? max(bound, solve->task->capacity_bytes) : bound;
}

/* Ejections start from a placement. */
static bool can_eject(const struct task *task)
{
	return task->items && task->height_bytes != LOOM_PLACE_ANYWHERE;
}

/* Ejections, for at most the time of @given search nodes. */
static int eject_task(struct task *task, uint64_t goal, int64_t deadline_ns, uint64_t given,
		      uint64_t *nodes)
{
	uint64_t node_visits = NODE_VISITS * (1 + task->part->num_items / NODE_ITEMS), visits;
	int ret;

	if (!task->eject &&
	    loom_eject_create(task->items, task->part->num_items, goal, &task->eject))
		return -ENOMEM;
	given = min(given, *nodes);
	visits = given * node_visits;
	ret = loom_eject_run(task->eject, &visits, deadline_ns, task->offsets,
			     &task->height_bytes);
	*nodes -= given - visits / node_visits;
	return ret;
}

/* The highest part, which determines the height, if ejections can lower it; or NULL. */
static struct task *highest_task(struct task *tasks, uint32_t num_tasks, uint64_t goal)
{
	struct task *highest = NULL;
	uint32_t i;

	for (i = 0; i < num_tasks; i++)
		if (tasks[i].height_bytes > goal &&
		    (!highest || tasks[i].height_bytes > highest->height_bytes))
			highest = &tasks[i];
	return highest && can_eject(highest) ? highest : NULL;
}

/* A round of ejections, in short turns because another part may soon be the highest. */
static int eject_tasks(const struct solve *solve, struct task *tasks, uint32_t num_tasks,
		       uint64_t round, uint64_t *nodes)
{
	uint64_t n, turn, goal;
	struct task *task;
	unsigned int i;
	int err = 0;

	for (i = 0; i < EJECT_TURNS && *nodes && !err; i++) {
		goal = find_goal(solve, tasks, num_tasks);
		task = highest_task(tasks, num_tasks, goal);
		if (!task || !loom_place_left_ns(solve->task->deadline_ns))
			break;
		n = task->part->num_items;
		turn = ROUND * n * round / (1 + n / NODE_ITEMS) / EJECT_TURNS;
		if (n < LARGE_ITEMS)
			turn /= EJECT_SHARE;
		err = eject_task(task, goal, solve->task->deadline_ns, turn + 1, nodes);
	}
	return err;
}

/* Searches all parts above the goal, at the bound or between it and the height. */
static int search_tasks(const struct solve *solve, struct task *tasks, uint32_t num_tasks,
			bool floor, uint64_t round, uint64_t *nodes)
{
	uint64_t goal;
	uint32_t i;
	int err = 0;

	for (i = 0; i < num_tasks && *nodes && !err; i++) {
		struct task *task = &tasks[i];

		goal = find_goal(solve, tasks, num_tasks);
		if (goal > solve->task->capacity_bytes ||
		    !loom_place_left_ns(solve->task->deadline_ns))
			break;
		if (task->height_bytes <= goal || !task->part->small || (floor && task->stuck))
			continue;
		if (floor)
			err = search_level(task, LEVEL_FLOOR, goal, solve->task->deadline_ns, round,
					   nodes);
		else
			err = search_between(task, goal, solve->task->capacity_bytes,
					     solve->task->deadline_ns, round, nodes);
	}
	return err;
}

/* Whether a part above the goal can still be searched, or the highest can be lowered. */
static bool is_open(const struct solve *solve, struct task *tasks, uint32_t num_tasks)
{
	uint64_t goal = find_goal(solve, tasks, num_tasks);
	bool open = highest_task(tasks, num_tasks, goal);
	uint32_t i;

	for (i = 0; i < num_tasks; i++)
		open |= tasks[i].height_bytes > goal && tasks[i].part->small && !tasks[i].stuck;
	return open && goal <= solve->task->capacity_bytes;
}

/* Rounds with growing slices, until no part is above the largest bound of all. */
static int run_tasks(struct solve *solve, struct task *tasks, uint32_t num_tasks,
		     uint64_t *nodes)
{
	bool few = true;
	uint64_t round;
	uint32_t i;
	int err = 0;

	for (i = 0; i < num_tasks; i++)
		few &= tasks[i].part->num_items < FEW_ITEMS;
	for (round = 1; is_open(solve, tasks, num_tasks) && *nodes && !err &&
	     loom_place_left_ns(solve->task->deadline_ns); round = min(2 * round, MAX_ROUND)) {
		if (!few)
			err = eject_tasks(solve, tasks, num_tasks, round, nodes);
		if (!err)
			err = search_tasks(solve, tasks, num_tasks, true, round, nodes);
		if (!err && !solve->task->fit_only)
			err = search_tasks(solve, tasks, num_tasks, false, round, nodes);
		if (!err && few)
			err = eject_tasks(solve, tasks, num_tasks, round, nodes);
	}
	return err;
}

/* Keeps the placements of the parts if together they are better than the given one. */
static void keep_tasks(struct solve *solve, const struct task *tasks, uint32_t num_tasks)
{
	uint64_t height = 0;
	uint32_t i, k;

	for (i = 0; i < num_tasks; i++)
		if (tasks[i].height_bytes > height)
			height = tasks[i].height_bytes;
	if (height > solve->task->capacity_bytes || height >= solve->height_bytes)
		return;
	for (i = 0; i < num_tasks; i++)
		for (k = 0; k < tasks[i].part->num_items; k++)
			solve->answer->offsets[tasks[i].part->ids[k]] = tasks[i].offsets[k];
	solve->height_bytes = height;
	solve->answer->strategy = "exact";
}

int loom_place_solve(const struct loom_place_task *task, struct loom_place_answer *answer,
		     uint64_t *height_bytes)
{
	struct solve solve = { task, answer, *height_bytes };
	uint64_t nodes = task->budget;
	struct solve_part *parts;
	uint32_t num_parts, i;
	struct task *tasks;
	int err;

	err = loom_solve_split(&task->problem, &parts, &num_parts);
	if (err)
		return err;
	tasks = calloc(num_parts + 1, sizeof(*tasks));
	if (!tasks)
		err = -ENOMEM;
	for (i = 0; i < num_parts && !err; i++)
		err = init_task(&solve, &parts[i], &tasks[i]);
	if (!err)
		err = run_tasks(&solve, tasks, num_parts, &nodes);
	if (!err) {
		keep_tasks(&solve, tasks, num_parts);
		answer->bound_bytes = solve_bound(&solve, tasks, num_parts);
		answer->nodes += task->budget - nodes;
		*height_bytes = solve.height_bytes;
	}
	for (i = 0; tasks && i < num_parts; i++)
		clear_task(&tasks[i]);
	free(tasks);
	loom_solve_unsplit(parts, num_parts);
	return err;
}
