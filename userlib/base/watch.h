/* SPDX-License-Identifier: MIT */
/*
 * DOC: Watches
 *
 * A watch stands over a call of the library that may take long or much: it counts the work and the
 * memory of the call, tells the caller how far it is, and stops it.
 *
 * One per thread is current. malloc() and its kin of the library (base/memory.h) are counted by it,
 * and loops that do not allocate ask loom_watch_spend(). Once a watch has tripped, each allocation
 * fails. So a call unwinds by the paths for -ENOMEM that every function has, from any depth and
 * without a parameter, and loom_watch_end() replaces -ENOMEM by the reason. A function must not
 * carry on without memory for longer than a moment.
 *
 * A caller may ask for the best result so far. Searches then end as if their budget were spent; a
 * candidate is given up only between loom_watch_spare() and loom_watch_end_spare().
 *
 * A thread that works for a call takes the watch of the thread that started it by loom_watch_use().
 * The thread that waits for it must call loom_watch_spend() every 50 ms, because callers expect
 * their callback in the thread of the call.
 *
 * Work is counted in units of about 50 ns. It depends on the graph and the options alone.
 */
#ifndef LOOM_BASE_WATCH_H
#define LOOM_BASE_WATCH_H

#include "loom.h"

#include <pthread.h>
#include <stdatomic.h>

/**
 * struct loom_watch - over one call; its owner has it on the stack
 * @progress: asked now and then in @thread, or NULL
 * @data: for @progress
 * @max_memory_bytes: limit, or 0
 * @max_work: limit, or 0
 * @memory_bytes: allocated and not freed since the begin, and what was there before and counts
 * @work: done since the begin
 * @status: 0, or the negative errno for which the call unwinds
 * @finish: the best result so far is asked for
 * @spare: there is a result, so that what is being done may be given up
 * @stage: an &enum loom_progress_stage
 * @node: name of the node in work, or NULL; it may be read as long as it is set
 * @fraction: of the call, from 0 to 1; it never falls
 * @eager: @progress is asked each time, for tests
 * @next_ns: when to call @progress again
 * @thread: of the call
 * @outer: the watch before this one
 * @text: why it has tripped
 */
struct loom_watch {
	loom_planning_fn progress;
	void *data;
	uint64_t max_memory_bytes;
	uint64_t max_work;
	atomic_llong memory_bytes;
	atomic_ullong work;
	atomic_int status;
	atomic_bool finish;
	atomic_bool spare;
	atomic_uint stage;
	atomic_uintptr_t node;
	double fraction;
	bool eager;
	uint64_t next_ns;
	pthread_t thread;
	struct loom_watch *outer;
	char text[256];
};

/*
 * The watch of this thread, or NULL. Its TLS model must not be initial-exec: the provider is loaded
 * late, and a process has room for few such variables of libraries that are loaded late.
 */
extern _Thread_local struct loom_watch *loom_watch_now __attribute__((visibility("hidden")));

/**
 * loom_watch_begin() - makes a watch current, if it has anything to do
 * @watch: zeroed, but for its limits, its callback, and the @memory_bytes that count from the start
 */
void loom_watch_begin(struct loom_watch *watch);
/**
 * loom_watch_end() - the watch before is current again
 * @watch: that has begun
 * @ret: of the call
 * @err: [out] one line if the watch has tripped, may be NULL
 *
 * Return: @ret, or why the call was stopped; then its results are to be freed even if @ret is 0.
 */
int loom_watch_end(struct loom_watch *watch, int ret, struct loom_error *err);
/** loom_watch_use() - in a thread that helps: @watch, or NULL at its end */
void loom_watch_use(struct loom_watch *watch);

bool loom_watch_spend_now(struct loom_watch *watch, uint64_t units);
void loom_watch_at_now(struct loom_watch *watch, enum loom_progress_stage stage);
void loom_watch_reach_now(struct loom_watch *watch, double fraction);

/** loom_watch_spend() - counts work. Return: true if the call unwinds */
static inline bool loom_watch_spend(uint64_t units)
{
	return loom_watch_now && loom_watch_spend_now(loom_watch_now, units);
}

/** loom_watch_is_over() - whether a search has to end with what it has, or with nothing */
static inline bool loom_watch_is_over(void)
{
	return loom_watch_now && (loom_watch_now->status || loom_watch_now->finish);
}

/** loom_watch_at() - another stage begins, which is of no node yet */
static inline void loom_watch_at(enum loom_progress_stage stage)
{
	if (loom_watch_now)
		loom_watch_at_now(loom_watch_now, stage);
}

/** loom_watch_node() - the node in work; NULL before its name goes away */
static inline void loom_watch_node(const char *name)
{
	if (loom_watch_now)
		loom_watch_now->node = (uintptr_t)name;
}

/** loom_watch_reach() - so much of the call is done */
static inline void loom_watch_reach(double fraction)
{
	if (loom_watch_now)
		loom_watch_reach_now(loom_watch_now, fraction);
}

/** loom_watch_spare() - there is a result: from here on, what is done may be given up */
static inline void loom_watch_spare(bool spare)
{
	if (loom_watch_now)
		loom_watch_now->spare = spare;
}

/**
 * loom_watch_end_spare() - the end of what loom_watch_spare() has begun
 *
 * Return: whether it was given up, so that -ENOMEM is no lack of memory. The call goes on.
 */
bool loom_watch_end_spare(void);

/** loom_watch_forgive() - what was beyond a limit is given up, and the call goes on without it */
void loom_watch_forgive(void);

#endif /* LOOM_BASE_WATCH_H */
