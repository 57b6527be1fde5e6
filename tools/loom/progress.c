// SPDX-License-Identifier: MIT
#include "tool.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define TOOL_PROGRESS_DELAY_NS	1000000000
#define TOOL_PROGRESS_TICK_NS	100000000

int64_t tool_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void tool_progress_begin(struct tool_progress *progress, const char *what, bool always)
{
	*progress = (struct tool_progress){
		.what = what,
		.start_ns = tool_now_ns(),
		.visible = always || isatty(STDERR_FILENO),
	};
}

int tool_progress_tick(void *arg, uint64_t done, uint64_t total)
{
	struct tool_progress *progress = arg;
	int64_t took_ns = tool_now_ns() - progress->start_ns;

	if (took_ns < TOOL_PROGRESS_DELAY_NS || !progress->visible)
		return 0;
	tool_stream_raw(stderr, "\r", 1);
	if (total)
		fprintf(stderr, "%s: %3.0f %%, %.0f s ", progress->what, 100.0 * done / total,
			took_ns / 1e9);
	else
		fprintf(stderr, "%s: %.0f s ", progress->what, took_ns / 1e9);
	progress->shown = true;
	return 0;
}

int tool_progress_plan(void *arg, const struct loom_progress *planning)
{
	struct tool_progress *progress = arg;
	int64_t now_ns = tool_now_ns(), took_ns = now_ns - progress->start_ns;
	char left[32] = "";

	if (took_ns < TOOL_PROGRESS_DELAY_NS || now_ns - progress->drawn_ns < TOOL_PROGRESS_TICK_NS)
		return LOOM_PROGRESS_GO_ON;
	progress->drawn_ns = now_ns;
	/* of little, nothing can be concluded */
	if (planning->fraction >= 0.1)
		snprintf(left, sizeof(left), ", about %.0f s left",
			 took_ns / 1e9 * (1 - planning->fraction) / planning->fraction);
	tool_stream_raw(stderr, "\r", 1);
	fprintf(stderr, "%s: %3.0f %%, %.0f s%s: %s", progress->what, 100 * planning->fraction,
		took_ns / 1e9, left, loom_stage_text(planning->stage));
	/* the rest of a longer line */
	tool_stream_raw(stderr, "\033[K", 3);
	progress->shown = true;
	return LOOM_PROGRESS_GO_ON;
}

void tool_progress_end(struct tool_progress *progress)
{
	/* Back to the start, erase to the end of the line. */
	if (progress->shown)
		tool_stream_raw(stderr, "\r\033[K", 4);
	progress->shown = false;
}

static void *tool_ticker_run(void *arg)
{
	struct tool_ticker *ticker = arg;
	struct timespec until;

	pthread_mutex_lock(&ticker->lock);
	while (!ticker->ended) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TOOL_PROGRESS_TICK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&ticker->changed, &ticker->lock, &until);
		if (!ticker->ended)
			tool_progress_tick(&ticker->progress, 0, 0);
	}
	pthread_mutex_unlock(&ticker->lock);
	return NULL;
}

void tool_ticker_begin(struct tool_ticker *ticker, const char *what)
{
	sigset_t all, old;

	*ticker = (struct tool_ticker){
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
	};
	tool_progress_begin(&ticker->progress, what, false);
	if (!ticker->progress.visible)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/* without a thread the line is missing, and nothing else */
	ticker->runs = !pthread_create(&ticker->thread, NULL, tool_ticker_run, ticker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void tool_ticker_end(struct tool_ticker *ticker)
{
	if (!ticker->runs)
		return;
	pthread_mutex_lock(&ticker->lock);
	ticker->ended = true;
	pthread_cond_signal(&ticker->changed);
	pthread_mutex_unlock(&ticker->lock);
	pthread_join(ticker->thread, NULL);
	tool_progress_end(&ticker->progress);
}
