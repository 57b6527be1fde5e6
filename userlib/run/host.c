// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_memory.h"
#include "loom_engine.h"

/* Work between two looks at the clock: some milliseconds. */
#define LOOM_HOST_BUDGET	(1ULL << 22)
#define LOOM_HOST_TICK_NS	100000000
/* What memory holds before a plan has written it: a NaN that shows, not a zero that hides. */
#define LOOM_HOST_POISON	0xff

/**
 * struct loom_host - a session in this process
 * @plan: proved safe
 * @memory: where it works
 * @places: where each slot would lie on a device, NULL where there is no room
 * @pitches: of memory
 * @total_cost: work of the whole plan, in element operations
 */
struct loom_host {
	struct loom_plan *plan;
	struct loom_memory memory;
	struct loom_host_block **places;
	uint64_t pitches[DRM_LOOM_MAX_SLOTS];
	uint64_t total_cost;
};

static void *loom_host_alloc(uint64_t size)
{
	void *memory = NULL;

	/* As a bank would: every slot starts aligned. */
	if (size > PTRDIFF_MAX || posix_memalign(&memory, 4096, size))
		return NULL;
	memset(memory, LOOM_HOST_POISON, size);
	return memory;
}

static uint64_t loom_host_cost(const struct loom_command *command)
{
	return command->units * command->unit_cost;
}

/* What the engine may touch is what the plan says, whatever the manifest says. */
static int loom_host_load_slot(struct loom_session *session, uint32_t slot)
{
	struct loom_host *host = session->priv;
	const struct loom_slot *want = &host->plan->slots[slot];
	uint64_t bytes = want->size;

	/* A piece of each bank, one after the other; sizes of banks are checked by the verifier. */
	if (want->flags & DRM_LOOM_SLOT_SRAM) {
		host->pitches[slot] = loom_div_round_up(want->size, 64) * 64;
		bytes = host->pitches[slot] * host->plan->lanes;
	}
	bytes = max(bytes, session->program->slots[slot].size_bytes);
	session->slots[slot] = loom_host_alloc(bytes);
	return session->slots[slot] ? 0 : -ENOMEM;
}

static int loom_host_load(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	const struct loom_topology *topology = session->target->topology;
	struct loom_host *host = calloc(1, sizeof(*host));
	struct drm_loom_reject reject;
	uint64_t scratch_bytes;
	uint32_t i;
	int ret;

	if (!host)
		return loom_run_fail(err, -ENOMEM, "no memory");
	session->priv = host;
	ret = loom_plan_create(program->plan, program->plan_bytes, topology, &host->plan, &reject);
	if (ret == -EBADMSG)
		return loom_run_reject(err, &reject);
	if (ret)
		return loom_run_fail(err, ret, "the plan was not taken: %s", strerror(-ret));
	if (host->plan->slot_count != program->num_slots)
		return loom_run_fail(err, -EINVAL, "the program does not fit its plan");

	host->places = calloc(program->num_slots + 1, sizeof(*host->places));
	if (!host->places)
		return loom_run_fail(err, -ENOMEM, "no memory");
	for (i = 0; i < program->num_slots; i++) {
		/* For reports only: what has no room there runs here. */
		(void)loom_host_memory_place(session->target->memory, &program->slots[i],
					     &host->places[i]);
		ret = loom_host_load_slot(session, i);
		if (ret)
			return loom_run_fail(err, ret, "no memory for %llu bytes",
					     (unsigned long long)host->plan->slots[i].size);
	}
	host->memory.lanes = host->plan->lanes;
	host->memory.lane_pitch = host->plan->scratch_bytes;
	host->memory.slots = session->slots;
	host->memory.slot_pitches = host->pitches;
	if (check_mul_overflow(host->plan->scratch_bytes, (uint64_t)host->plan->lanes,
			       &scratch_bytes))
		return loom_run_fail(err, -EOVERFLOW, "the plan's scratch is too large");
	host->memory.scratch = loom_host_alloc(scratch_bytes ? scratch_bytes : 1);
	if (!host->memory.scratch)
		return loom_run_fail(err, -ENOMEM, "no memory for the scratch");
	for (i = 0; i < host->plan->command_count; i++)
		host->total_cost += loom_host_cost(&host->plan->commands[i]);
	return 0;
}

static void loom_host_unload(struct loom_session *session)
{
	struct loom_host *host = session->priv;
	uint32_t i;

	if (!host)
		return;
	free(host->memory.scratch);
	for (i = 0; i < session->program->num_slots; i++) {
		free(session->slots[i]);
		if (host->places)
			loom_host_memory_release(session->target->memory, host->places[i]);
	}
	free(host->places);
	loom_plan_destroy(host->plan);
	free(host);
}

static int64_t loom_host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/*
 * The bits of a result do not depend on how the caller rounds, nor on whether it flushes
 * subnormals: some libraries switch that on for whoever loads them.
 */
static bool loom_host_go_on(struct loom_engine *engine)
{
	fenv_t env;
	bool done;

	fegetenv(&env);
	fesetenv(FE_DFL_ENV);
	done = loom_engine_run(engine, LOOM_HOST_BUDGET);
	fesetenv(&env);
	return done;
}

static int loom_host_run(struct loom_session *session, loom_progress_fn progress, void *arg,
			 struct loom_error *err)
{
	struct loom_host *host = session->priv;
	int64_t start = loom_host_now_ns();
	int64_t told = start;
	struct loom_engine engine;
	uint64_t done = 0;
	uint32_t command;
	int ret;

	loom_engine_init(&engine, host->plan, &host->memory);
	command = engine.command;
	while (!loom_host_go_on(&engine)) {
		for (; command < engine.command; command++)
			done += loom_host_cost(&host->plan->commands[command]);
		if (!progress || loom_host_now_ns() - told < LOOM_HOST_TICK_NS)
			continue;
		told = loom_host_now_ns();
		ret = progress(arg, done, host->total_cost);
		if (ret)
			return loom_run_fail(err, ret, "stopped");
	}
	session->counters = engine.counters;
	session->counters.jobs = 1;
	session->counters.busy_ns = loom_host_now_ns() - start;
	return 0;
}

const struct loom_target_ops loom_host_ops = {
	.load = loom_host_load,
	.run = loom_host_run,
	.unload = loom_host_unload,
};
