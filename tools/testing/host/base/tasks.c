// SPDX-License-Identifier: MIT
/* Tasks run in threads and merge in order; results that a task sees do not depend on timing. */
#include "base/tasks.h"
#include "base/watch.h"
#include "tap.h"

#include <string.h>

#define COUNT	64

/**
 * struct sums - the state of tasks
 * @seen: by task: the sum of earlier tasks that it may use
 * @after: by task: the sum of all up to it
 * @sum: of the merged tasks
 * @merged: number of them
 * @last: the task after which no more are needed
 * @wrong: one was merged out of order
 */
struct sums {
	uint64_t seen[COUNT];
	uint64_t after[COUNT];
	uint64_t sum;
	uint32_t merged;
	uint32_t last;
	bool wrong;
};

static void run(void *arg, uint32_t task)
{
	struct sums *sums = arg;
	uint32_t i;

	sums->seen[task] = task < LOOM_TASKS_LAG ? 0 : sums->after[task - LOOM_TASKS_LAG];
	/* so that later ones end before */
	for (i = 0; i < (task % 5 ? 1000 : 400000); i++)
		__asm__ volatile("" : : "r"(i));
	loom_watch_spend(1);
}

static bool merge(void *arg, uint32_t task)
{
	struct sums *sums = arg;

	sums->wrong |= task != sums->merged++;
	sums->sum += (task + 1) * (sums->seen[task] + 1);
	sums->after[task] = sums->sum;
	return task != sums->last;
}

static struct sums of_jobs(uint32_t jobs, uint32_t count, uint32_t last)
{
	struct sums sums = { .last = last };
	const struct loom_tasks tasks = {
		.count = count, .jobs = jobs, .run = run, .merge = merge, .arg = &sums,
	};

	loom_tasks_run(&tasks);
	return sums;
}

static int ask(void *data, const struct loom_progress *progress)
{
	uint32_t *asked = data;

	(void)progress;
	++*asked;
	return LOOM_PROGRESS_GO_ON;
}

int main(void)
{
	static const uint32_t jobs[] = { 1, 2, 3, 4, 7, 0 };
	const struct sums all = of_jobs(1, COUNT, COUNT), some = of_jobs(1, COUNT, 20);
	struct loom_watch watch = { .progress = ask, .max_work = UINT64_MAX, .eager = true };
	uint32_t asked = 0, bad = 0, i;
	struct sums sums;

	tap_ok(!all.wrong && all.merged == COUNT && all.sum, "all are merged, in order");
	tap_ok(!some.wrong && some.merged == 21, "none after the one that ends them");
	for (i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		sums = of_jobs(jobs[i], COUNT, COUNT);
		bad += sums.wrong || sums.merged != COUNT || sums.sum != all.sum ||
		       memcmp(sums.seen, all.seen, sizeof(sums.seen));
		sums = of_jobs(jobs[i], COUNT, 20);
		bad += sums.wrong || sums.merged != 21 || sums.sum != some.sum;
	}
	tap_ok(!bad, "the same by any number of threads");
	sums = of_jobs(4, 0, 0);
	tap_ok(!sums.merged, "no task");
	sums = of_jobs(4, 1, 0);
	tap_ok(sums.merged == 1, "one task");
	watch.data = &asked;
	loom_watch_begin(&watch);
	of_jobs(4, COUNT, COUNT);
	tap_ok(watch.work == COUNT, "work of all threads counts");
	of_jobs(1, COUNT, COUNT);
	tap_ok(asked, "the caller is asked");
	loom_watch_end(&watch, 0, NULL);
	tap_ok(!loom_watch_now, "the watch is over");
	return tap_end();
}
