/* SPDX-License-Identifier: MIT */
/*
 * DOC: Tasks
 *
 * Independent calls run in several threads, and their results are merged in their order. A result
 * must not depend on the number of threads. A task may use results of tasks before it, for example
 * to give up early; so task i starts only after the results up to i - LOOM_TASKS_LAG have been
 * merged, and must ignore later ones. Without that lag, threads would wait for each other.
 */
#ifndef LOOM_BASE_TASKS_H
#define LOOM_BASE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

/* A task must not use the results of the tasks directly before it. */
#define LOOM_TASKS_LAG	4

/**
 * struct loom_tasks - calls and how their results are merged
 * @count: number of tasks
 * @jobs: limit on the threads, with the one of the caller; 0: as many as there are processors
 * @run: runs a task, in any thread, with the watch of the caller (base/watch.h)
 * @merge: takes the result of a task; called in the order of tasks, never twice at a time. Returns
 *	false if the results of later tasks are not needed; some of these may have run
 * @arg: for both
 */
struct loom_tasks {
	uint32_t count;
	uint32_t jobs;
	void (*run)(void *arg, uint32_t task);
	bool (*merge)(void *arg, uint32_t task);
	void *arg;
};

/** loom_tasks_run() - runs all tasks; without memory for threads, in that of the caller */
void loom_tasks_run(const struct loom_tasks *tasks);

#endif /* LOOM_BASE_TASKS_H */
