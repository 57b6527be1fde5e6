// SPDX-License-Identifier: MIT
/* Threads of a batch, one per session, and their shared state. */
#include "parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

#define NS_PER_S	1000000000LL

/**
 * struct member - one of the threads
 * @crew: the crew
 * @index: number of its session
 * @thread: the thread
 */
struct member {
	struct loom_crew *crew;
	u32 index;
	pthread_t thread;
};

void loom_crew_fail(struct loom_crew *crew, int status, const struct loom_error *error)
{
	pthread_mutex_lock(&crew->lock);
	if (!crew->status) {
		crew->status = status;
		crew->error = *error;
	}
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

/* Stops the run of a session when another one has failed. */
static int go_on(void *arg, uint64_t done, uint64_t total)
{
	struct loom_crew *crew = arg;
	int status;

	(void)done;
	(void)total;
	pthread_mutex_lock(&crew->lock);
	status = crew->status;
	pthread_mutex_unlock(&crew->lock);
	return status;
}

int loom_crew_submit(struct loom_crew *crew, struct loom_session *session, u32 item)
{
	struct loom_error error = { .text = "" };
	int ret = go_on(crew, 0, 0);

	if (ret)
		return ret;
	ret = loom_session_begin(session, item, &error);
	if (ret)
		loom_crew_fail(crew, ret, &error);
	return ret;
}

int loom_crew_finish(struct loom_crew *crew, struct loom_session *session)
{
	struct loom_error error = { .text = "" };
	int ret = loom_session_finish(session, go_on, crew, &error);

	if (ret)
		loom_crew_fail(crew, ret, &error);
	return ret;
}

int loom_crew_session(struct loom_crew *crew, struct loom_session *session,
		      struct loom_share *share)
{
	int64_t begin = loom_run_now_ns();
	int ret = loom_crew_submit(crew, session, 0);

	if (ret)
		return ret;
	ret = loom_crew_finish(crew, session);
	share->busy_ns += loom_run_now_ns() - begin;
	share->items++;
	return ret;
}

static void *run_member(void *arg)
{
	struct member *member = arg;
	struct loom_crew *crew = member->crew;

	crew->work(crew, member->index);
	pthread_mutex_lock(&crew->lock);
	crew->running--;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Calls the progress function of the batch periodically, until all threads have ended. */
static void watch(struct loom_crew *crew)
{
	const struct loom_batch *batch = crew->batch;
	struct timespec until;
	int64_t next = loom_run_now_ns() + LOOM_RUN_TICK_NS;
	int ret;

	pthread_mutex_lock(&crew->lock);
	while (crew->running) {
		u32 done = crew->done;

		until.tv_sec = next / NS_PER_S;
		until.tv_nsec = next % NS_PER_S;
		if (pthread_cond_timedwait(&crew->changed, &crew->lock, &until) != ETIMEDOUT)
			continue;
		next = loom_run_now_ns() + LOOM_RUN_TICK_NS;
		if (!batch->progress || crew->status)
			continue;
		pthread_mutex_unlock(&crew->lock);
		ret = batch->progress(batch->arg, done, batch->num_items);
		pthread_mutex_lock(&crew->lock);
		if (ret && !crew->status) {
			crew->status = ret;
			loom_error_set(&crew->error, ret, "the run was ended after %u items", done);
			pthread_cond_broadcast(&crew->changed);
		}
	}
	pthread_mutex_unlock(&crew->lock);
}

static int set_up(struct loom_crew *crew)
{
	pthread_condattr_t attr;
	int ret = -pthread_mutex_init(&crew->lock, NULL);

	if (ret)
		return ret;
	ret = -pthread_condattr_init(&attr);
	if (!ret) {
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		ret = -pthread_cond_init(&crew->changed, &attr);
		pthread_condattr_destroy(&attr);
	}
	if (ret)
		pthread_mutex_destroy(&crew->lock);
	return ret;
}

static int start(struct loom_crew *crew, struct member *member)
{
	struct loom_error error = { .text = "" };
	int ret;

	pthread_mutex_lock(&crew->lock);
	crew->running++;
	pthread_mutex_unlock(&crew->lock);
	ret = loom_thread_start(&member->thread, run_member, member);
	if (!ret)
		return 0;
	loom_error_set(&error, ret, "no thread for a session: %s", strerror(-ret));
	loom_crew_fail(crew, ret, &error);
	pthread_mutex_lock(&crew->lock);
	crew->running--;
	pthread_mutex_unlock(&crew->lock);
	return ret;
}

int loom_crew_run(struct loom_crew *crew, u32 count, struct loom_error *err)
{
	struct member *members = calloc((size_t)count + 1, sizeof(*members));
	u32 started = 0, i;
	int ret = members ? set_up(crew) : -ENOMEM;

	if (ret) {
		free(members);
		return loom_error_set(err, ret, "no memory");
	}
	for (; started < count; started++) {
		members[started] = (struct member){ .crew = crew, .index = started };
		if (start(crew, &members[started]))
			break;
	}
	watch(crew);
	for (i = 0; i < started; i++)
		pthread_join(members[i].thread, NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(members);
	return crew->status ? loom_error_set(err, crew->status, "%s", crew->error.text) : 0;
}
