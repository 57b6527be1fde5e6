// SPDX-License-Identifier: MIT
#include "team.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"
#include "loom_engine.h"

/*
 * The units of a command are independent, and each is computed as a whole by one thread, so the
 * results do not depend on the assignment of units to threads. Threads take shares of units from a
 * counter until none are left; the command has ended when all threads have found it empty.
 *
 * Plans have thousands of commands that take some microseconds each, less than it takes to wake a
 * thread. So waiting threads spin for a while before they sleep, and small commands are not shared.
 */

/* Maximum element operations of a share: the caller reads the clock between two. */
#define TEAM_MAX	(1ULL << 23)
/* Iterations of spinning before a thread sleeps: some ten microseconds. */
#define TEAM_SPINS	400

/**
 * struct loom_team - threads, and the command that they work on
 * @pid: the process that owns the threads: a child of fork() has none
 * @threads: number of threads, including the caller's
 * @least: threshold for sharing a command
 * @thread: the other threads
 * @started: number of them
 * @lock: for the two below
 * @go: there is another round, or the end
 * @ended: the last of the others has ended a round
 * @round: incremented when a command is ready for all
 * @busy: other threads that have not ended the round
 * @end: there will be no other round
 * @next: first unit that no thread has claimed
 * @command: of the round
 * @memory: of the round
 * @share: units claimed at once
 */
struct loom_team {
	pid_t pid;
	uint32_t threads;
	uint64_t least;
	pthread_t *thread;
	uint32_t started;
	pthread_mutex_t lock;
	pthread_cond_t go;
	pthread_cond_t ended;
	atomic_uint round;
	atomic_uint busy;
	atomic_bool end;
	atomic_ullong next;
	const struct loom_command *command;
	const struct loom_memory *memory;
	uint64_t share;
};

static void team_relax(void)
{
#ifdef __SSE2__
	__builtin_ia32_pause();
#endif
}

/* Claims a share of the command of the round and computes it. Returns false if none was left. */
static bool team_share(struct loom_team *team)
{
	uint64_t units = team->command->units, first = atomic_fetch_add(&team->next, team->share);

	if (first >= units)
		return false;
	loom_engine_compute(team->command, team->memory, first, min(team->share, units - first));
	return true;
}

/* Waits for a round after @seen. Returns its number. */
static unsigned int team_await(struct loom_team *team, unsigned int seen)
{
	unsigned int round, spins;

	for (spins = 0; spins < TEAM_SPINS; spins++) {
		round = atomic_load(&team->round);
		if (round != seen)
			return round;
		team_relax();
	}
	pthread_mutex_lock(&team->lock);
	while ((round = atomic_load(&team->round)) == seen)
		pthread_cond_wait(&team->go, &team->lock);
	pthread_mutex_unlock(&team->lock);
	return round;
}

static void *team_thread(void *arg)
{
	struct loom_team *team = arg;
	unsigned int seen = 0;

	/* the engine's floating-point environment, whatever the creator of the thread has */
	fesetenv(FE_DFL_ENV);
	for (;;) {
		seen = team_await(team, seen);
		if (atomic_load(&team->end))
			return NULL;
		while (team_share(team))
			;
		if (atomic_fetch_sub(&team->busy, 1) > 1)
			continue;
		/* under the lock, so that no thread is between its last check and its sleep */
		pthread_mutex_lock(&team->lock);
		pthread_cond_signal(&team->ended);
		pthread_mutex_unlock(&team->lock);
	}
}

static void team_begin_round(struct loom_team *team)
{
	pthread_mutex_lock(&team->lock);
	atomic_fetch_add(&team->round, 1);
	pthread_cond_broadcast(&team->go);
	pthread_mutex_unlock(&team->lock);
}

static void team_end_round(struct loom_team *team)
{
	unsigned int spins;

	for (spins = 0; spins < TEAM_SPINS; spins++) {
		if (!atomic_load(&team->busy))
			return;
		team_relax();
	}
	pthread_mutex_lock(&team->lock);
	while (atomic_load(&team->busy))
		pthread_cond_wait(&team->ended, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

/* The caller's part of a round. Returns the result of @check, if not zero. */
static int team_join(struct loom_team *team, int (*check)(void *arg), void *arg)
{
	fenv_t env;
	bool more;
	int ret;

	do {
		fegetenv(&env);
		fesetenv(FE_DFL_ENV);
		more = team_share(team);
		fesetenv(&env);
		ret = check && more ? check(arg) : 0;
	} while (more && !ret);
	/* leaves no share for the others */
	if (ret)
		atomic_store(&team->next, team->command->units);
	return ret;
}

int loom_team_run(struct loom_team *team, const struct loom_command *command,
		  const struct loom_memory *memory, int (*check)(void *arg), void *arg)
{
	uint64_t cost = max(command->unit_cost, 1ULL), most = max(TEAM_MAX / cost, 1ULL);
	bool alone = command->units * cost < team->least || team->pid != getpid();
	int ret, cancel;

	if (!command->units)
		return 0;
	team->command = command;
	team->memory = memory;
	team->share = loom_engine_share(command, alone ? 1 : team->threads);
	/* a good share size is more important than an exact period of @check */
	if (team->share > most)
		team->share = loom_div_round_up(most, 64) * 64;
	atomic_store(&team->next, 0);
	if (alone)
		return team_join(team, check, arg);
	/* a cancelled caller would free memory that the others use */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	atomic_store(&team->busy, team->threads - 1);
	team_begin_round(team);
	ret = team_join(team, check, arg);
	team_end_round(team);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

static int team_start(struct loom_team *team)
{
	sigset_t all, old;
	int ret = 0;

	/* signals must go to the caller's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (!ret && team->started < team->threads - 1) {
		ret = loom_thread_start(&team->thread[team->started], team_thread, team);
		if (!ret)
			team->started++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int loom_team_create(uint32_t threads, uint64_t least, struct loom_team **out)
{
	struct loom_team *team = calloc(1, sizeof(*team));
	int ret;

	*out = NULL;
	if (!team)
		return -ENOMEM;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->go, NULL);
	pthread_cond_init(&team->ended, NULL);
	team->pid = getpid();
	team->threads = threads;
	team->least = least;
	team->thread = calloc(threads, sizeof(*team->thread));
	ret = team->thread ? team_start(team) : -ENOMEM;
	if (ret)
		loom_team_destroy(team);
	else
		*out = team;
	return ret;
}

static void team_end(struct loom_team *team)
{
	uint32_t i;

	atomic_store(&team->end, true);
	team_begin_round(team);
	for (i = 0; i < team->started; i++)
		pthread_join(team->thread[i], NULL);
	pthread_cond_destroy(&team->ended);
	pthread_cond_destroy(&team->go);
	pthread_mutex_destroy(&team->lock);
}

void loom_team_destroy(struct loom_team *team)
{
	if (!team)
		return;
	/* in a child of fork() the threads are missing, and may hold the lock for ever */
	if (team->pid == getpid())
		team_end(team);
	free(team->thread);
	free(team);
}
