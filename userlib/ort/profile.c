// SPDX-License-Identifier: MIT
/*
 * Events for ONNX Runtime's profile: one for each run of a part, with the engine's counters. A run
 * records it for its thread; when the thread ends ONNX Runtime's own event, that event's profiler
 * takes the recorded ones. So runs of several threads, each with a profiler of its own or all with
 * one, are told apart.
 */
#include "ort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if ORT_API_VERSION < 25
#error headers of ONNX Runtime 1.25 or newer are needed
#endif

/* limit on the runs that wait for a profiler: a thread runs parts one by one */
#define PENDING	64
/* number of arguments of an event */
#define ARGS	8

/**
 * struct event - a run of a part
 * @ep: its session
 * @name: of its node
 * @start_ns: its begin, CLOCK_MONOTONIC
 * @end_ns: its end
 * @thread: its thread
 * @counters: of the engine
 * @next: the next event
 */
struct event {
	const struct loom_ort_ep *ep;
	char name[128];
	int64_t start_ns;
	int64_t end_ns;
	int32_t thread;
	struct drm_loom_counters counters;
	struct event *next;
};

/* of this thread, until a profiler takes them */
static __thread struct event pending[PENDING];
static __thread uint32_t num_pending;

/**
 * struct profiler - a profiler of ONNX Runtime
 * @base: its callbacks
 * @ep: its session
 * @start_ns: its begin
 * @offset_ns: distance behind the begin of ONNX Runtime's profile
 * @lock: protects the fields below
 * @events: the last one first
 */
struct profiler {
	OrtEpProfilerImpl base;
	struct loom_ort_ep *ep;
	int64_t start_ns;
	int64_t offset_ns;
	pthread_mutex_t lock;
	struct event *events;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void loom_ort_profile_note(struct loom_ort_ep *ep, const struct loom_ort_part *part,
			   const struct loom_session *session, int64_t start_ns, int64_t end_ns)
{
	struct event *event;

	if (!__atomic_load_n(&ep->profilers, __ATOMIC_RELAXED))
		return;
	/*
	 * drop the oldest: it may belong to a session that was released, whose events are never
	 * taken
	 */
	if (num_pending == PENDING)
		memmove(pending, pending + 1, --num_pending * sizeof(*pending));
	event = &pending[num_pending];
	event->ep = ep;
	snprintf(event->name, sizeof(event->name), "%s", part->name);
	event->start_ns = start_ns;
	event->end_ns = end_ns;
	event->thread = (int32_t)syscall(SYS_gettid);
	loom_session_counters(session, &event->counters);
	num_pending++;
}

static OrtStatus *ORT_API_CALL start(OrtEpProfilerImpl *base, int64_t offset_ns)
{
	struct profiler *profiler = (struct profiler *)base;

	profiler->start_ns = now_ns();
	profiler->offset_ns = offset_ns;
	return NULL;
}

static OrtStatus *ORT_API_CALL start_event(OrtEpProfilerImpl *base, uint64_t id)
{
	(void)base;
	(void)id;
	return NULL;
}

static OrtStatus *ORT_API_CALL stop_event(OrtEpProfilerImpl *base, uint64_t id,
					  const OrtProfilingEvent *event)
{
	struct profiler *profiler = (struct profiler *)base;
	uint32_t i, left = 0;

	(void)id;
	(void)event;
	for (i = 0; i < num_pending; i++) {
		struct event *kept;

		/* a session inside of another's node has its own profile */
		if (pending[i].ep != profiler->ep) {
			pending[left++] = pending[i];
			continue;
		}
		kept = malloc(sizeof(*kept));
		/* without memory the event is lost */
		if (!kept)
			continue;
		*kept = pending[i];
		pthread_mutex_lock(&profiler->lock);
		kept->next = profiler->events;
		profiler->events = kept;
		pthread_mutex_unlock(&profiler->lock);
	}
	num_pending = left;
	return NULL;
}

static OrtStatus *add(const struct profiler *profiler, OrtProfilingEventsContainer *container,
		      const struct event *event)
{
	static const char *const keys[ARGS] = { "cycles", "dma_cycles", "compute_cycles", "macs",
						"steps", "dram_read_bytes", "dram_write_bytes",
						"sram_write_bytes" };
	const struct drm_loom_counters *c = &event->counters;
	const uint64_t numbers[ARGS] = { c->cycles, c->dma_cycles, c->compute_cycles, c->macs,
					 c->steps, c->dram_read_bytes, c->dram_write_bytes,
					 c->sram_write_bytes };
	int64_t at_ns = profiler->offset_ns + event->start_ns - profiler->start_ns;
	int64_t took_ns = event->end_ns - event->start_ns;
	const char *values[ARGS];
	char texts[ARGS][24];
	OrtProfilingEvent *made = NULL;
	OrtStatus *status;
	int i;

	for (i = 0; i < ARGS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%llu", (unsigned long long)numbers[i]);
		values[i] = texts[i];
	}
	ORT_TRY(loom_ort.ep->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, getpid(),
						  event->thread, event->name, at_ns / 1000,
						  took_ns / 1000, keys, values, ARGS, &made));
	status = loom_ort.ep->ProfilingEventsContainer_AddEvents(container,
					(const OrtProfilingEvent *const *)&made, 1);
	loom_ort.ep->ReleaseProfilingEvent(made);
	return status;
}

/* Reverses the list, which is in descending order of time. */
static struct event *take_in_order(struct profiler *profiler)
{
	struct event *ordered = NULL;

	pthread_mutex_lock(&profiler->lock);
	while (profiler->events) {
		struct event *event = profiler->events;

		profiler->events = event->next;
		event->next = ordered;
		ordered = event;
	}
	pthread_mutex_unlock(&profiler->lock);
	return ordered;
}

static OrtStatus *ORT_API_CALL end(OrtEpProfilerImpl *base, OrtProfilingEventsContainer *container)
{
	struct profiler *profiler = (struct profiler *)base;
	struct event *event = take_in_order(profiler);
	OrtStatus *status = NULL;

	while (event) {
		struct event *next = event->next;

		if (!status)
			status = add(profiler, container, event);
		free(event);
		event = next;
	}
	return status;
}

static void ORT_API_CALL release(OrtEpProfilerImpl *base)
{
	struct profiler *profiler = (struct profiler *)base;
	struct event *event = take_in_order(profiler);

	while (event) {
		struct event *next = event->next;

		free(event);
		event = next;
	}
	__atomic_sub_fetch(&profiler->ep->profilers, 1, __ATOMIC_RELAXED);
	pthread_mutex_destroy(&profiler->lock);
	free(profiler);
}

OrtStatus *loom_ort_profile_create(OrtEp *base, OrtEpProfilerImpl **out)
{
	struct loom_ort_ep *ep = (struct loom_ort_ep *)base;
	struct profiler *profiler = calloc(1, sizeof(*profiler));

	*out = NULL;
	if (!profiler)
		return loom_ort_no_memory();
	profiler->base.ort_version_supported = loom_ort.version;
	profiler->base.Release = release;
	profiler->base.StartProfiling = start;
	profiler->base.StartEvent = start_event;
	profiler->base.StopEvent = stop_event;
	profiler->base.EndProfiling = end;
	profiler->ep = ep;
	pthread_mutex_init(&profiler->lock, NULL);
	__atomic_add_fetch(&ep->profilers, 1, __ATOMIC_RELAXED);
	*out = &profiler->base;
	return NULL;
}
