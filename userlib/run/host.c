// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "host_memory.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "loom_verify.h"
#include "native.h"
#include "native/native.h"
#include "team.h"

/* Element operations between two reads of the clock: some milliseconds. */
#define LOOM_HOST_BUDGET	(1ULL << 22)
/* Element operations below which a command runs on one thread: some microseconds. */
#define LOOM_HOST_SHARE_LEAST	(1ULL << 15)
/* Maximum number of threads of a run. */
#define LOOM_HOST_THREADS	256
/* Poison for memory that no plan has written: as a float it is a NaN, which shows in results. */
#define LOOM_HOST_POISON	0xff

/**
 * struct loom_host - a session in this process
 * @plan: verified
 * @memory: its memory
 * @places: address of each slot on a device, NULL if there is no room for it
 * @own: for each slot bound to memory of the caller, the session's own memory; else NULL
 * @pitches: &loom_memory.slot_pitches
 * @total_cost: work of the whole plan, in element operations
 * @counters: of the last run
 * @team: threads that compute a command together; NULL: a single thread suffices
 * @natives: runs native commands, or NULL
 * @failed: error of the last run, which the callback of @natives has returned
 * @runs: a submitted run has a thread of its own
 * @thread: that thread
 * @event: eventfd that it signals when it has ended
 */
struct loom_host {
	struct loom_plan *plan;
	struct loom_memory memory;
	struct loom_host_block **places;
	uint8_t **own;
	uint64_t pitches[DRM_LOOM_MAX_SLOTS];
	uint64_t total_cost;
	struct drm_loom_counters counters;
	struct loom_team *team;
	const struct loom_native_set *natives;
	int failed;
	bool runs;
	pthread_t thread;
	int event;
};

static void *loom_host_alloc(uint64_t size)
{
	void *memory = NULL;

	/* as on a device: every slot is aligned */
	if (size > PTRDIFF_MAX || posix_memalign(&memory, 4096, size))
		return NULL;
	memset(memory, LOOM_HOST_POISON, size);
	return memory;
}

static uint64_t loom_host_cost(const struct loom_command *command)
{
	return command->units * command->unit_cost;
}

/* Distance between banks: as on a device, each bank's part of a slot is aligned. */
static uint64_t loom_host_pitch(uint64_t bytes)
{
	return loom_div_round_up(bytes, 64) * 64;
}

/* Slots of both have the same size. */
static void loom_host_borrow(struct loom_session *session, uint32_t slot)
{
	const struct loom_loan *loan = &session->loans[slot];

	session->slots[slot] = loan->owner->slots[loan->slot];
}

/* The engine touches the bytes of the plan's slots, which may exceed those of the program. */
static int loom_host_load_slot(struct loom_session *session, uint32_t slot)
{
	struct loom_host *host = session->priv;
	const struct loom_slot *want = &host->plan->slots[slot];
	uint64_t bytes = want->size;

	if (session->loans[slot].owner) {
		loom_host_borrow(session, slot);
		return 0;
	}
	/* the pieces of all banks, contiguous; the verifier has checked their size */
	if (want->flags & DRM_LOOM_SLOT_SRAM) {
		host->pitches[slot] = loom_host_pitch(want->size);
		bytes = host->pitches[slot] * host->plan->lanes;
	}
	bytes = max(bytes, session->program->slots[slot].size_bytes);
	session->slots[slot] = loom_host_alloc(bytes);
	return session->slots[slot] ? 0 : -ENOMEM;
}

/* The buffers of both slots of a state are exchanged, so each must be large enough for either. */
static bool loom_host_states_fit(const struct loom_program *program, const struct loom_plan *plan)
{
	uint32_t i;

	for (i = 0; i < program->num_states; i++) {
		const struct loom_program_state *state = &program->states[i];
		uint32_t a, b;

		if (state->output >= program->num_outputs || state->input >= program->num_inputs)
			return false;
		a = program->outputs[state->output].slot;
		b = program->inputs[state->input].slot;
		if (program->inputs[state->input].size_bytes &&
		    (a >= plan->slot_count || b >= plan->slot_count ||
		     plan->slots[a].size != plan->slots[b].size))
			return false;
	}
	return true;
}

static int loom_host_load_team(struct loom_session *session, struct loom_error *err)
{
	const struct loom_target *target = session->target;
	struct loom_host *host = session->priv;
	int ret;

	if (target->threads < 2)
		return 0;
	ret = loom_team_create(target->threads, target->share_least, &host->team);
	return ret ? loom_error_set(err, ret, "no %u threads: %s", target->threads,
				    strerror(-ret)) : 0;
}

/* The chip of the target with as many lanes as the plan, if these are fewer: a partition. */
static struct drm_loom_chip loom_host_part(const struct loom_session *session)
{
	const struct loom_program *program = session->program;
	const struct drm_loom_plan_header *header = program->plan;
	struct drm_loom_chip chip = *session->target->chip;

	if (program->plan_bytes >= sizeof(*header) && header->lanes &&
	    header->lanes < chip.region[DRM_LOOM_REGION_SRAM].banks)
		chip.region[DRM_LOOM_REGION_SRAM].banks = header->lanes;
	return chip;
}

static int loom_host_load(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	const struct drm_loom_chip chip = loom_host_part(session);
	struct loom_host *host = calloc(1, sizeof(*host));
	struct drm_loom_reject reject;
	uint64_t scratch_bytes;
	uint32_t i;
	int ret;

	if (!host)
		return loom_error_set(err, -ENOMEM, "no memory");
	session->priv = host;
	ret = loom_run_native_check(session->target, program, err);
	if (ret)
		return ret;
	host->natives = session->target->natives;
	ret = loom_native_plan_create(program->plan, program->plan_bytes, &chip, &host->plan,
				      &reject);
	if (ret == -EBADMSG)
		return loom_session_reject(session, &reject, err);
	if (ret)
		return loom_error_set(err, ret, "the plan was not taken: %s", strerror(-ret));
	if (host->plan->slot_count != program->num_slots ||
	    !loom_host_states_fit(program, host->plan))
		return loom_error_set(err, -EINVAL, "the program does not fit its plan");

	host->places = calloc(program->num_slots + 1, sizeof(*host->places));
	host->own = calloc(program->num_slots + 1, sizeof(*host->own));
	if (!host->places || !host->own)
		return loom_error_set(err, -ENOMEM, "no memory");
	for (i = 0; i < program->num_slots; i++) {
		/* for reports only, so failure does not matter */
		if (!session->loans[i].owner)
			(void)loom_host_memory_place(session->target->memory, &program->slots[i],
						     &host->places[i]);
		ret = loom_host_load_slot(session, i);
		if (ret)
			return loom_error_set(err, ret, "no memory for %llu bytes",
					      (unsigned long long)host->plan->slots[i].size);
	}
	host->memory.lanes = host->plan->lanes;
	host->memory.lane_pitch = loom_engine_pitch(host->plan->scratch_bytes);
	host->memory.slots = session->slots;
	host->memory.slot_pitches = host->pitches;
	if (check_mul_overflow(host->memory.lane_pitch, (uint64_t)host->plan->lanes,
			       &scratch_bytes))
		return loom_error_set(err, -EOVERFLOW, "the plan's scratch is too large");
	host->memory.scratch = loom_host_alloc(scratch_bytes ? scratch_bytes : 1);
	if (!host->memory.scratch)
		return loom_error_set(err, -ENOMEM, "no memory for the scratch");
	for (i = 0; i < host->plan->command_count; i++)
		host->total_cost += loom_host_cost(&host->plan->commands[i]);
	return loom_host_load_team(session, err);
}

static void loom_host_join(struct loom_host *host)
{
	if (!host->runs)
		return;
	pthread_join(host->thread, NULL);
	close(host->event);
	host->runs = false;
}

/*
 * The engine works in the caller's memory, so that must be as large as the plan's slot and aligned
 * like a slot.
 */
static int loom_host_lend(struct loom_session *session, uint32_t slot, void *memory,
			  uint64_t bytes)
{
	struct loom_host *host = session->priv;

	if (memory && ((uintptr_t)memory % 64 || bytes < host->plan->slots[slot].size))
		return -EOPNOTSUPP;
	if (host->own[slot]) {
		session->slots[slot] = host->own[slot];
		host->own[slot] = NULL;
	}
	if (memory) {
		host->own[slot] = session->slots[slot];
		session->slots[slot] = memory;
	}
	return 0;
}

static void loom_host_unload(struct loom_session *session)
{
	struct loom_host *host = session->priv;
	uint32_t i;

	if (!host)
		return;
	loom_host_join(host);
	loom_team_destroy(host->team);
	free(host->memory.scratch);
	for (i = 0; i < session->program->num_slots; i++) {
		if (host->own)
			(void)loom_host_lend(session, i, NULL, 0);
		if (!session->loans[i].owner)
			free(session->slots[i]);
		if (host->places)
			loom_host_memory_release(session->target->memory, host->places[i]);
	}
	free(host->own);
	free(host->places);
	loom_plan_destroy(host->plan);
	free(host);
}

/*
 * Results must not depend on the caller's rounding mode or on whether subnormals are flushed: some
 * libraries enable that for the whole process.
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

/* Starts a run: in a thread of its own, or later, when the caller waits. */
static int loom_host_submit(struct loom_session *session, uint32_t item, struct loom_error *err)
{
	(void)session;
	(void)item;
	(void)err;
	return 0;
}

/**
 * struct loom_host_run - a plan in execution
 * @progress: called periodically, and may stop the run; may be NULL
 * @arg: for @progress
 * @start: start time
 * @told: time of the last call of @progress
 * @done: element operations of completed commands
 * @total: of all commands
 */
struct loom_host_run {
	loom_progress_fn progress;
	void *arg;
	int64_t start;
	int64_t told;
	uint64_t done;
	uint64_t total;
};

static int loom_host_check(void *arg)
{
	struct loom_host_run *run = arg;

	if (!run->progress || loom_run_now_ns() - run->told < LOOM_RUN_TICK_NS)
		return 0;
	run->told = loom_run_now_ns();
	return run->progress(run->arg, run->done, run->total);
}

static int loom_host_alone(struct loom_host *host, struct loom_host_run *run)
{
	struct loom_engine engine;
	uint32_t command;
	int ret;

	loom_engine_init(&engine, host->plan, &host->memory);
	command = engine.command;
	while (!loom_host_go_on(&engine)) {
		for (; command < engine.command; command++)
			run->done += loom_host_cost(&host->plan->commands[command]);
		ret = loom_host_check(run);
		if (ret)
			return ret;
	}
	host->counters = engine.counters;
	return 0;
}

/* Runs a command on all threads. Only a callback can run a native one. */
static int loom_host_command(struct loom_host *host, const struct loom_command *command,
			     struct loom_host_run *run)
{
	fenv_t env;

	if (command->op->opcode == DRM_LOOM_OP_NATIVE) {
		host->failed = loom_run_native(host->natives, command, &host->memory);
		return host->failed;
	}
	if (host->team)
		return loom_team_run(host->team, command, &host->memory, loom_host_check, run);
	fegetenv(&env);
	fesetenv(FE_DFL_ENV);
	loom_engine_compute(command, &host->memory, 0, command->units);
	fesetenv(&env);
	return 0;
}

/*
 * Runs commands one by one, each on all threads. A complete run counts the counters of the plan, so
 * they do not depend on the threads.
 */
static int loom_host_together(struct loom_host *host, struct loom_host_run *run)
{
	const struct loom_plan *plan = host->plan;
	uint32_t i;
	int ret;

	for (i = 0; i < plan->command_count; i++) {
		ret = loom_host_command(host, &plan->commands[i], run);
		if (!ret)
			ret = loom_host_check(run);
		if (ret)
			return ret;
		run->done += loom_host_cost(&plan->commands[i]);
	}
	loom_engine_count(plan, &host->counters);
	return 0;
}

static int loom_host_compute(struct loom_host *host, loom_progress_fn progress, void *arg)
{
	struct loom_host_run run = {
		.progress = progress, .arg = arg, .start = loom_run_now_ns(),
		.total = host->total_cost,
	};
	int ret;

	run.told = run.start;
	host->failed = 0;
	ret = host->team || host->plan->native ? loom_host_together(host, &run) :
						 loom_host_alone(host, &run);
	if (ret)
		return ret;
	host->counters.jobs = 1;
	host->counters.busy_ns = loom_run_now_ns() - run.start;
	return 0;
}

static void *loom_host_thread(void *arg)
{
	struct loom_host *host = arg;

	/* without a progress function no one can stop it */
	(void)loom_host_compute(host, NULL, NULL);
	/* writing 8 bytes to an eventfd that is 0 cannot fail */
	(void)eventfd_write(host->event, 1);
	return NULL;
}

static int loom_host_start(struct loom_session *session, struct loom_error *err)
{
	struct loom_host *host = session->priv;
	int saved = errno, ret = 0;
	sigset_t all, old;

	host->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (host->event < 0)
		ret = -errno;
	errno = saved;
	if (ret)
		return loom_error_set(err, ret, "no eventfd: %s", strerror(-ret));
	/* signals must go to the caller's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = loom_thread_start(&host->thread, loom_host_thread, host);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret) {
		close(host->event);
		return loom_error_set(err, ret, "no thread to run in: %s", strerror(-ret));
	}
	host->runs = true;
	return 0;
}

static int loom_host_wait(struct loom_session *session, int64_t deadline_ns)
{
	struct loom_host *host = session->priv;
	struct pollfd event = { .fd = host->event, .events = POLLIN };
	int saved = errno, ret;

	for (;;) {
		int64_t left_ns = deadline_ns - loom_run_now_ns();
		struct timespec left = { left_ns / 1000000000, left_ns % 1000000000 };
		bool forever = deadline_ns == LOOM_WAIT_FOREVER;

		if (left_ns < 0)
			left = (struct timespec){ 0, 0 };
		ret = ppoll(&event, 1, forever ? NULL : &left, NULL);
		ret = ret < 0 ? -errno : ret ? 0 : -ETIME;
		if (ret != -EINTR)
			break;
	}
	errno = saved;
	return ret;
}

static int loom_host_fd(struct loom_session *session, int *fd)
{
	struct loom_host *host = session->priv;
	int saved = errno, ret = 0;

	*fd = fcntl(host->event, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		ret = -errno;
	errno = saved;
	return ret;
}

static int loom_host_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			    struct loom_error *err)
{
	struct loom_host *host = session->priv;
	int ret = 0;

	if (host->runs)
		loom_host_join(host);
	else
		ret = loom_host_compute(host, progress, arg);
	if (host->failed)
		return loom_error_set(err, host->failed,
				      "the callback of the native kernels fails: %s",
				      strerror(-host->failed));
	if (ret)
		return loom_error_set(err, ret, "stopped");
	session->counters = host->counters;
	return 0;
}

/* Both slots must have the same size. */
static void loom_host_exchange(struct loom_session *session, uint32_t a, uint32_t b)
{
	struct loom_host *host = session->priv;
	struct loom_host_block *place = host->places[a];

	host->places[a] = host->places[b];
	host->places[b] = place;
}

static int loom_host_blocks(const struct loom_target *target, uint32_t region,
			    struct drm_loom_block **blocks, size_t *count, uint64_t *scratch_bytes)
{
	/* scratch on the host comes from malloc(), so it occupies no bank */
	*scratch_bytes = 0;
	return loom_host_memory_blocks(target->memory, region, blocks, count);
}

/* Each slot takes all banks, so all banks are alike. */
static int loom_host_bank_blocks(const struct loom_target *target, uint32_t region, uint32_t bank,
				 struct drm_loom_block **blocks, size_t *count)
{
	(void)bank;
	return loom_host_memory_blocks(target->memory, region, blocks, count);
}

static void loom_host_close(struct loom_target *target)
{
	loom_host_memory_destroy(target->memory);
}

static const struct loom_target_ops loom_host_ops = {
	.load = loom_host_load,
	.submit = loom_host_submit,
	.start = loom_host_start,
	.finish = loom_host_finish,
	.wait = loom_host_wait,
	.fd = loom_host_fd,
	.lend = loom_host_lend,
	.exchange = loom_host_exchange,
	.borrow = loom_host_borrow,
	.unload = loom_host_unload,
	.blocks = loom_host_blocks,
	.bank_blocks = loom_host_bank_blocks,
	.close = loom_host_close,
};

/* The environment applies to the whole process. */
static int loom_host_read_threads(struct loom_target *target, struct loom_error *err)
{
	const char *text = getenv("LOOM_THREADS");
	unsigned long threads;
	int saved = errno;
	char *end;

	if (!text || !*text)
		return loom_host_set_threads(target, 1, err);
	threads = strtoul(text, &end, 10);
	errno = saved;
	if (*text < '0' || *text > '9' || *end || threads > UINT32_MAX)
		return loom_error_set(err, -EINVAL, "LOOM_THREADS is a count, not '%s'", text);
	return loom_host_set_threads(target, threads, err);
}

int loom_host_set_threads(struct loom_target *target, uint32_t threads, struct loom_error *err)
{
	if (threads > LOOM_HOST_THREADS)
		return loom_error_set(err, -EINVAL, "at most %u threads, not %u",
				      LOOM_HOST_THREADS, threads);
	if (!threads)
		threads = min(loom_thread_processors(), (uint32_t)LOOM_HOST_THREADS);
	target->threads = threads;
	return 0;
}

int loom_host_open(struct loom_target *target, const struct drm_loom_chip *chip,
		   struct loom_error *err)
{
	int ret;

	target->ops = &loom_host_ops;
	target->name = "host";
	target->own_chip = chip ? *chip : *loom_preset_get(0);
	target->chip = &target->own_chip;
	target->share_least = LOOM_HOST_SHARE_LEAST;
	ret = loom_host_read_threads(target, err);
	if (ret)
		return ret;
	ret = loom_host_memory_create(target->chip, &target->memory);
	return ret ? loom_error_set(err, ret, "no memory") : 0;
}
