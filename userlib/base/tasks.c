// SPDX-License-Identifier: MIT
#include "tasks.h"

#include <time.h>

#include "thread.h"
#include "watch.h"

/* Limit on the threads besides the caller: more would wait for the results that tasks use. */
#define MOST_THREADS	(LOOM_TASKS_LAG - 1)
/* A thread that waits lets the watch ask the caller so often. */
#define PERIOD_NS	20000000

/**
 * struct work - the state of tasks
 * @tasks: the tasks
 * @watch: of the caller
 * @lock: protects all below
 * @changed: a task has ended
 * @done: by task modulo the lag: it has ended and is not merged
 * @next: the first task that no thread has taken
 * @merged: number of merged tasks
 * @running: number of tasks in work
 * @over: later results are not needed
 */
struct work {
	const struct loom_tasks *tasks;
	struct loom_watch *watch;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done[LOOM_TASKS_LAG];
	uint32_t next;
	uint32_t merged;
	uint32_t running;
	bool over;
};

static void merge(struct work *work)
{
	const struct loom_tasks *tasks = work->tasks;

	while (work->merged < work->next && work->done[work->merged % LOOM_TASKS_LAG]) {
		work->done[work->merged % LOOM_TASKS_LAG] = false;
		if (!work->over && !tasks->merge(tasks->arg, work->merged))
			work->over = true;
		work->merged++;
	}
}

/* Waits for the end of a task. The watch asks the caller in its own thread only. */
static void wait_for_task(struct work *work)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PERIOD_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&work->changed, &work->lock, &until);
	pthread_mutex_unlock(&work->lock);
	loom_watch_spend(0);
	pthread_mutex_lock(&work->lock);
}

static void *work_on(void *arg)
{
	struct work *work = arg;
	uint32_t task;

	loom_watch_use(work->watch);
	pthread_mutex_lock(&work->lock);
	while (!work->over && work->next < work->tasks->count) {
		if (work->next >= work->merged + LOOM_TASKS_LAG) {
			wait_for_task(work);
			continue;
		}
		task = work->next++;
		work->running++;
		pthread_mutex_unlock(&work->lock);
		work->tasks->run(work->tasks->arg, task);
		pthread_mutex_lock(&work->lock);
		work->running--;
		work->done[task % LOOM_TASKS_LAG] = true;
		merge(work);
		pthread_cond_broadcast(&work->changed);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

void loom_tasks_run(const struct loom_tasks *tasks)
{
	struct work work = {
		.tasks = tasks, .watch = loom_watch_now,
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
	};
	uint32_t jobs = tasks->jobs ? tasks->jobs : loom_thread_processors(), count = 0;
	pthread_t threads[MOST_THREADS];

	while (count + 1 < jobs && count + 1 < tasks->count && count < MOST_THREADS &&
	       !loom_thread_start(&threads[count], work_on, &work))
		count++;
	work_on(&work);
	pthread_mutex_lock(&work.lock);
	while (work.running)
		wait_for_task(&work);
	pthread_mutex_unlock(&work.lock);
	while (count)
		pthread_join(threads[--count], NULL);
	pthread_cond_destroy(&work.changed);
	pthread_mutex_destroy(&work.lock);
}
