// SPDX-License-Identifier: MIT
#include "watch.h"

#include "error.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PERIOD_NS	20000000

_Thread_local struct loom_watch *loom_watch_now;

static uint64_t now_ns(void)
{
	struct timespec now;

	/* it is read in inner loops, and a tick of the kernel is fine enough */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void loom_watch_begin(struct loom_watch *watch)
{
	watch->outer = loom_watch_now;
	watch->thread = pthread_self();
	/* a call inside another one is part of that */
	if (!loom_watch_now && (watch->progress || watch->max_memory_bytes || watch->max_work))
		loom_watch_now = watch;
}

int loom_watch_end(struct loom_watch *watch, int ret, struct loom_error *err)
{
	int status = watch->status;

	loom_watch_now = watch->outer;
	if (!status)
		return ret;
	loom_error_clear(err);
	return loom_error_set(err, status, "%s", watch->text);
}

void loom_watch_use(struct loom_watch *watch)
{
	loom_watch_now = watch;
}

/* The first reason stays. */
static void trip(struct loom_watch *watch, int status, const char *why, uint64_t limit)
{
	char what[64], node[96] = "";
	const char *name = (const char *)watch->node;
	int zero = 0;

	/* of threads that trip it at once, the first one writes the reason */
	if (!atomic_compare_exchange_strong(&watch->status, &zero, status))
		return;
	snprintf(what, sizeof(what), why, (unsigned long long)limit);
	if (name && *name)
		snprintf(node, sizeof(node), ", at node \"%.70s\"", name);
	snprintf(watch->text, sizeof(watch->text), "%s while %s%s", what,
		 loom_stage_text(watch->stage), node);
}

/* The caller of the library says what goes on. */
static void ask(struct loom_watch *watch)
{
	struct loom_progress progress = {
		.stage = watch->stage,
		.fraction = watch->fraction,
		.work = watch->work,
		.memory_bytes = watch->memory_bytes > 0 ? (uint64_t)watch->memory_bytes : 0,
	};
	int answer;

	/* the callback may use the library, and is no part of the call */
	loom_watch_now = NULL;
	answer = watch->progress(watch->data, &progress);
	loom_watch_now = watch;
	watch->next_ns = watch->eager ? 0 : now_ns() + PERIOD_NS;
	if (answer == LOOM_PROGRESS_FINISH) {
		watch->finish = true;
		if (watch->spare)
			trip(watch, -ECANCELED, "stopped by the caller", 0);
	} else if (answer != LOOM_PROGRESS_GO_ON) {
		watch->finish = false;
		trip(watch, -ECANCELED, "stopped by the caller", 0);
	}
}

bool loom_watch_spend_now(struct loom_watch *watch, uint64_t units)
{
	uint64_t work = atomic_fetch_add_explicit(&watch->work, units, memory_order_relaxed) +
			units;

	if (watch->status)
		return true;
	if (watch->max_work && work > watch->max_work)
		trip(watch, -ETIME, "more than the limit of %llu units of work", watch->max_work);
	else if (watch->progress && pthread_equal(pthread_self(), watch->thread) &&
		 now_ns() >= watch->next_ns)
		ask(watch);
	return watch->status;
}

void loom_watch_at_now(struct loom_watch *watch, enum loom_progress_stage stage)
{
	watch->stage = stage;
	watch->node = 0;
}

void loom_watch_reach_now(struct loom_watch *watch, double fraction)
{
	if (pthread_equal(pthread_self(), watch->thread) && fraction > watch->fraction)
		watch->fraction = fraction < 1 ? fraction : 1;
}

bool loom_watch_end_spare(void)
{
	struct loom_watch *watch = loom_watch_now;
	int canceled = -ECANCELED;

	if (!watch)
		return false;
	watch->spare = false;
	return watch->finish && atomic_compare_exchange_strong(&watch->status, &canceled, 0);
}

void loom_watch_forgive(void)
{
	if (loom_watch_now && loom_watch_now->status != -ECANCELED)
		loom_watch_now->status = 0;
}

/* The memory that a call may have. */

bool loom_memory_admit(struct loom_watch *watch, size_t size_bytes)
{
	int64_t used = watch->memory_bytes;

	if (!watch->status && watch->max_memory_bytes && used > 0 &&
	    (size_bytes > watch->max_memory_bytes ||
	     (uint64_t)used > watch->max_memory_bytes - size_bytes))
		trip(watch, -ENOMEM, "more than the limit of %llu bytes of memory",
		     watch->max_memory_bytes);
	/* memory is zeroed or filled, most of the time */
	if (!watch->status && !loom_watch_spend_now(watch, 1 + size_bytes / 256))
		return true;
	errno = ENOMEM;
	return false;
}

static const char *const texts[][2] = {
	[LOOM_STAGE_READ] = { "read", "reading the file" },
	[LOOM_STAGE_IMPORT] = { "import", "importing and folding" },
	[LOOM_STAGE_SIMPLIFY] = { "simplify", "simplifying the graph" },
	[LOOM_STAGE_ORDER] = { "order", "ordering the nodes" },
	[LOOM_STAGE_GROUP] = { "group", "choosing groups" },
	[LOOM_STAGE_PLACE] = { "place", "placing tensors" },
	[LOOM_STAGE_EMIT] = { "emit", "writing commands" },
	[LOOM_STAGE_RETIME] = { "retime", "moving transfers" },
	[LOOM_STAGE_BOUND] = { "bound", "computing lower bounds" },
	[LOOM_STAGE_EXPLAIN] = { "explain", "explaining groups" },
};

const char *loom_stage_name(unsigned int stage)
{
	return stage < sizeof(texts) / sizeof(*texts) ? texts[stage][0] : NULL;
}

const char *loom_stage_text(unsigned int stage)
{
	return stage < sizeof(texts) / sizeof(*texts) ? texts[stage][1] : NULL;
}
