// SPDX-License-Identifier: MIT
#include "place_solve_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* nodes by item: of a way's first turn, and of a hunt in the first round; each round has twice as many */
#define TURN		4
#define HUNT		40

/**
 * struct task - a part on its way to the best placement
 * @part: the part
 * @offsets: by item: the best that is known, in bytes
 * @trial: room for another
 * @height_bytes: its height, or LOOM_PLACE_ANYWHERE
 * @low_bytes: it is proved that no placement is lower
 * @floor: the hunt at @floor_bytes, suspended between rounds
 * @floor_bytes: where the goal was
 * @way: which way was the last to find something
 * @seed: of the last hunt between
 * @stuck: the search cannot find what may be there
 */
struct task {
	const struct solve_part *part;
	uint64_t *offsets;
	uint64_t *trial;
	uint64_t height_bytes;
	uint64_t low_bytes;
	struct solve_hunt *floor;
	uint64_t floor_bytes;
	unsigned int way;
	uint64_t seed;
	bool stuck;
};

static uint64_t task_height(const struct task *task, const uint64_t *offsets)
{
	const struct solve_part *part = task->part;
	uint64_t height = 0, top;
	uint32_t i;

	for (i = 0; i < part->num_items; i++) {
		top = offsets[i] + part->sizes[i] * part->unit - part->pads[i];
		if (top > height)
			height = top;
	}
	return height;
}

/* The least height above another that a placement can have: a multiple of the unit, less a pad. */
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

/* Looks under one capacity, for a while. */
static enum solve_answer task_hunt(struct task *task, struct solve_hunt *hunt,
				   uint64_t capacity_bytes, uint64_t slice, uint64_t *nodes)
{
	uint64_t given = slice < *nodes ? slice : *nodes, *swap;
	enum solve_answer answer;

	*nodes -= given;
	answer = loom_hunt_run(hunt, &given, task->trial);
	*nodes += given;
	if (answer == SOLVE_FOUND) {
		swap = task->offsets;
		task->offsets = task->trial;
		task->trial = swap;
		task->height_bytes = task_height(task, task->offsets);
		task->way = loom_hunt_way(hunt);
	}
	/* with windows, items were taken to be more than they are */
	if (answer == SOLVE_NONE && !task->part->windows && task->low_bytes <= capacity_bytes)
		task->low_bytes = next_height(task->part, capacity_bytes);
	return answer;
}

/* At the lowest height that there may be: found there, it is the best; if there is none, that rises. */
static int hunt_floor(struct task *task, uint64_t goal_bytes, uint64_t round, uint64_t *nodes)
{
	uint32_t n = task->part->num_items;
	enum solve_answer answer;

	if (task->floor_bytes != goal_bytes) {
		loom_hunt_destroy(task->floor);
		task->floor = NULL;
	}
	if (!task->floor && loom_hunt_create(task->part, goal_bytes, 2 * n + 64,
					     task->way, 0, &task->floor))
		return -ENOMEM;
	task->floor_bytes = goal_bytes;
	answer = task_hunt(task, task->floor, goal_bytes, HUNT * n * round, nodes);
	if (answer != SOLVE_LATER) {
		loom_hunt_destroy(task->floor);
		task->floor = NULL;
	}
	task->stuck = answer == SOLVE_NONE && task->part->windows;
	return answer == SOLVE_NOMEM ? -ENOMEM : 0;
}

/* One look under one capacity. */
static int hunt_once(struct task *task, uint64_t capacity_bytes, uint64_t round, uint64_t *nodes)
{
	uint32_t n = task->part->num_items;
	enum solve_answer answer;
	struct solve_hunt *hunt;

	if (loom_hunt_create(task->part, capacity_bytes, TURN * n, task->way,
			     ++task->seed, &hunt))
		return -ENOMEM;
	answer = task_hunt(task, hunt, capacity_bytes, HUNT * n * round, nodes);
	loom_hunt_destroy(hunt);
	return answer == SOLVE_NOMEM ? -ENOMEM : 0;
}

/*
 * Between what may be and what is known. A low capacity is not only harder, it also guides better, as
 * it forbids more; so the first target is 3/16 of the way up. While that or the second, 7/8, is met,
 * the next one is nearer to the bound.
 */
static int hunt_between(struct task *task, uint64_t low_bytes, uint64_t limit_bytes,
			uint64_t round, uint64_t *nodes)
{
	static const unsigned int targets[] = { 3, 14 };
	uint64_t before, high;
	unsigned int k;
	int err = 0;

	for (k = 0; k < 2 && *nodes && !err;) {
		before = task->height_bytes;
		high = before <= limit_bytes ? before - 1 : limit_bytes;
		if (low_bytes < task->low_bytes)
			low_bytes = task->low_bytes;
		if (high <= low_bytes)
			return 0;
		err = hunt_once(task, low_bytes + (high - low_bytes) / 16 * targets[k] +
				(high - low_bytes) % 16 * targets[k] / 16, round, nodes);
		if (task->height_bytes == before)
			k++;
	}
	/* nothing is known and nothing was found: anything will do */
	if (!err && *nodes && task->height_bytes == LOOM_PLACE_ANYWHERE)
		err = hunt_once(task, limit_bytes, round, nodes);
	return err;
}

static int init_task(const struct loom_solve *solve, const struct solve_part *part,
		     struct task *task)
{
	uint32_t i;

	*task = (struct task){ part, .height_bytes = LOOM_PLACE_ANYWHERE,
			       .low_bytes = part->bound_bytes };
	task->offsets = malloc(part->num_items * sizeof(*task->offsets));
	task->trial = malloc(part->num_items * sizeof(*task->trial));
	if (!task->offsets || !task->trial)
		return -ENOMEM;
	if (solve->height_bytes == LOOM_PLACE_ANYWHERE)
		return 0;
	for (i = 0; i < part->num_items; i++)
		task->offsets[i] = solve->offsets[part->ids[i]];
	task->height_bytes = task_height(task, task->offsets);
	return 0;
}

static uint64_t solve_bound(const struct task *tasks, uint32_t num_tasks)
{
	uint64_t bound = 0;
	uint32_t i;

	for (i = 0; i < num_tasks; i++)
		if (tasks[i].low_bytes > bound)
			bound = tasks[i].low_bytes;
	return bound;
}

/* Rounds, with slices that grow, until all are as low as the highest has to be. */
static int run_tasks(struct loom_solve *solve, struct task *tasks, uint32_t num_tasks,
		     uint64_t *nodes)
{
	uint64_t round, goal;
	bool open = true;
	uint32_t i;
	int err = 0;

	for (round = 1; open && *nodes && !err; round *= 2) {
		open = false;
		for (i = 0; i < num_tasks && *nodes && !err; i++) {
			struct task *task = &tasks[i];

			goal = solve_bound(tasks, num_tasks);
			if (goal > solve->capacity_bytes)
				return 0;
			if (solve->fit_only)
				goal = solve->capacity_bytes;
			if (task->height_bytes <= goal || !task->part->small || task->stuck)
				continue;
			err = hunt_floor(task, goal, round, nodes);
			if (!solve->fit_only && !err && task->height_bytes > goal)
				err = hunt_between(task, goal, solve->capacity_bytes, round,
						   nodes);
			open |= task->height_bytes > solve_bound(tasks, num_tasks);
		}
	}
	return err;
}

/* What the parts have, if it is better than what was there. */
static void take_tasks(struct loom_solve *solve, const struct task *tasks, uint32_t num_tasks)
{
	uint64_t height = 0;
	uint32_t i, k;

	for (i = 0; i < num_tasks; i++)
		if (tasks[i].height_bytes > height)
			height = tasks[i].height_bytes;
	if (height > solve->capacity_bytes || height >= solve->height_bytes)
		return;
	for (i = 0; i < num_tasks; i++)
		for (k = 0; k < tasks[i].part->num_items; k++)
			solve->offsets[tasks[i].part->ids[k]] = tasks[i].offsets[k];
	solve->height_bytes = height;
}

int loom_place_solve(struct loom_solve *solve)
{
	uint64_t nodes = solve->budget;
	struct solve_part *parts;
	uint32_t num_parts, i;
	struct task *tasks;
	int err;

	err = loom_solve_split(solve, &parts, &num_parts);
	if (err)
		return err;
	tasks = calloc(num_parts + 1, sizeof(*tasks));
	if (!tasks)
		err = -ENOMEM;
	for (i = 0; i < num_parts && !err; i++)
		err = init_task(solve, &parts[i], &tasks[i]);
	if (!err)
		err = run_tasks(solve, tasks, num_parts, &nodes);
	if (!err) {
		take_tasks(solve, tasks, num_parts);
		solve->bound_bytes = solve_bound(tasks, num_parts);
		solve->nodes = solve->budget - nodes;
	}
	for (i = 0; tasks && i < num_parts; i++) {
		free(tasks[i].offsets);
		free(tasks[i].trial);
		loom_hunt_destroy(tasks[i].floor);
	}
	free(tasks);
	loom_solve_unsplit(parts, num_parts);
	return err;
}
