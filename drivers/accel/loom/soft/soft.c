// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/fpu.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_managed.h>

#include "backend/presets.h"
#include "backend/turn.h"
#include "core/loom_engine.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_drv.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_map.h"
#include "part.h"
#include "soft.h"
#include "team.h"

/**
 * DOC: The soft back end
 *
 * A platform device that the module loom_soft creates itself (config.c creates more), and a worker
 * that runs the engine on it. It has a bus driver, although there is no bus, so that it can be
 * bound and unbound like any other.
 *
 * The engine calculates with the FPU, and a kernel that does may neither sleep nor
 * be preempted. So a job runs in chunks, and between two of them the worker reschedules and checks
 * for stops. A chunk is a loop: the engine runs a piece of LOOM_ENGINE_PIECE element operations,
 * into which any operation can be cut, and the worker reads the clock, until LOOM_SOFT_CHUNK_NS
 * have passed. So a chunk exceeds that by one piece at most: by less than 0.2 ms natively for the
 * worst commands that a search found, and by 0.35 ms if all their numbers are denormal, each
 * product of which takes an assist of the processor (tools/testing/bench/bench_units.c prints it by
 * operation and type). The longest chunk since it was last read is in debugfs, longest_chunk_ns.
 *
 * Rejected: an adaptive budget for the whole chunk. A client that submitted cheap work and then
 * expensive work got a chunk of seconds, and the cost may depend on the data alone. Reading the
 * clock takes 30 ns, a piece between 3 and 160 us for normal numbers.
 *
 * Jobs are also preempted between two chunks: backend/turn.c picks the next job. A turn ends after
 * a time slice of engine time, or when a job arrives that goes first. Jobs of partitions run beside
 * each other, see part.c.
 *
 * Each context has its own scratch in system memory, and a switch only sets the pointer to it.
 * Hardware with a real SRAM must save and restore the scratch (by DMA, to memory that was charged
 * to the client in job_prepare()), which takes the same memory, and milliseconds for a large one. A
 * scratch is allocated by SUBMIT and charged against the caps of its client. A plan that needs more
 * gets a larger one, while older jobs still hold the smaller one; it stays with its context once
 * the engine has got a job with it. It is zeroed on allocation, so it never has bytes of another
 * client; in addition the verifier has proved that a plan only reads bytes that it has written.
 *
 * Processor time. The worker is a kernel thread for all clients. A module cannot charge its time to
 * the cgroup of the client with the symbols that 6.12 to 7.3 export:
 *
 * * cgroup_attach_task_all() moves a thread in hierarchies of version 1 only. Functions that add
 *   time to a group from outside (__cgroup_account_cputime(), cpuacct_charge()) are not exported.
 * * vhost_task_create() creates a thread of the client's process, in its cgroup. Rejected: a
 *   throttled (cpu.max) or frozen group would stop in the middle of a turn while it holds the
 *   engine, and block the fences that other clients, and moves of buffers, wait for (priority
 *   inversion). A thread with the nice value of its client has the same problem.
 *
 * Instead, memory is charged to the cgroup; time slices, and so shares of the engine, depend on
 * nice values; /proc/PID/fdinfo has the engine time of each client in ns; and the worker's
 * workqueue is in /sys/devices/virtual/workqueue, where root can restrict it to some processors
 * (cpumask), or set its nice value.
 */

/**
 * struct loom_soft_scratch - scratch of a context: the used part of the SRAM's banks
 */
struct loom_soft_scratch {
	/** @ref: held by the context, and by each prepared job */
	struct kref ref;
	/** @context: the context; holders of @ref must also hold the context */
	struct loom_context *context;
	/** @charged: bytes charged to the client */
	u64 charged;
	/** @size: bytes of @bytes */
	u64 size;
	/** @used: a job with it was given to the engine; set once */
	bool used;
	/** @bytes: bank after bank */
	u8 bytes[] __aligned(64);
};

/**
 * struct loom_soft - a soft device
 */
struct loom_soft {
	/** @wq: workqueue of @work */
	struct workqueue_struct *wq;
	/** @work: the engine, queued while it has jobs */
	struct work_struct work;
	/** @team: helpers of the worker, or NULL */
	struct loom_soft_team *team;
	/** @parts: jobs of contexts with lanes of their own */
	struct loom_soft_parts parts;
	/** @lock: protects @turns, @parts and @running */
	spinlock_t lock;
	/** @turns: run queue of the engine, of &loom_job.turn */
	struct loom_turns turns;
	/** @running: the device is started */
	bool running;
	/** @longest_chunk_ns: maximum since it was last read; reading through debugfs resets it */
	atomic64_t longest_chunk_ns;
};

/**
 * struct loom_soft_run - state of a job in the back end
 */
struct loom_soft_run {
	/** @job: the job */
	struct loom_job *job;
	/** @scratch: with a reference, or NULL */
	struct loom_soft_scratch *scratch;
	/** @memory: memory of the engine */
	struct loom_memory memory;
	/** @begun: it has had a turn; accessed by the worker only */
	bool begun;
	/** @engine: the run of the plan */
	struct loom_engine engine;
	/** @part: in &loom_soft.parts, if the context owns lanes; else unused */
	struct loom_soft_part part;
	/**
	 * @round: a command that several workers share, if the device has several, and the context
	 * no lanes of its own
	 */
	struct loom_soft_round *round;
	/** @pitches: pitch between banks of SRAM slots, in bytes */
	u64 pitches[DRM_LOOM_MAX_SLOTS];
	/** @slots: first byte of the binding of each slot */
	u8 *slots[];
};

/* ----------------------------------------------------------------- scratch */

static void loom_soft_scratch_free(struct loom_soft_scratch *scratch)
{
	struct loom_context *context = scratch->context;

	loom_quota_uncharge(context->loom, context->client, LOOM_QUOTA_BO_BYTES, scratch->charged);
	vfree(scratch);
}

static void loom_soft_scratch_release(struct kref *ref)
{
	loom_soft_scratch_free(container_of(ref, struct loom_soft_scratch, ref));
}

static void loom_soft_scratch_put(struct loom_soft_scratch *scratch)
{
	if (scratch)
		kref_put(&scratch->ref, loom_soft_scratch_release);
}

static struct loom_soft_scratch *loom_soft_scratch_create(struct loom_context *context, u64 size)
{
	struct loom_soft_scratch *scratch;
	u64 bytes = PAGE_ALIGN(sizeof(*scratch) + size);
	int ret = loom_quota_charge(context->loom, context->client, LOOM_QUOTA_BO_BYTES, bytes);

	if (ret)
		return ERR_PTR(ret);
	scratch = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL |
			    __GFP_NOWARN);
	if (!scratch) {
		loom_quota_uncharge(context->loom, context->client, LOOM_QUOTA_BO_BYTES, bytes);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&scratch->ref);
	scratch->context = context;
	scratch->charged = bytes;
	scratch->size = size;
	return scratch;
}

/* Get a reference to a scratch of at least @size bytes. */
static struct loom_soft_scratch *loom_soft_scratch_get(struct loom_context *context, u64 size)
{
	struct loom_soft_scratch *scratch, *old;

	spin_lock(&context->lock);
	scratch = context->backend_data;
	if (scratch && scratch->size >= size)
		kref_get(&scratch->ref);
	else
		scratch = NULL;
	spin_unlock(&context->lock);
	if (scratch)
		return scratch;

	scratch = loom_soft_scratch_create(context, size);
	if (IS_ERR(scratch))
		return scratch;
	/* another thread may have allocated one meanwhile: the larger one stays */
	spin_lock(&context->lock);
	old = context->backend_data;
	if (!old || old->size < size) {
		context->backend_data = scratch;
		kref_get(&scratch->ref);
	} else {
		old = NULL;
	}
	spin_unlock(&context->lock);
	loom_soft_scratch_put(old);
	return scratch;
}

/* Undo loom_soft_scratch_get() of a job that was not given to the engine. */
static void loom_soft_scratch_unwind(struct loom_context *context,
				     struct loom_soft_scratch *scratch)
{
	bool last;

	spin_lock(&context->lock);
	/* references are taken under the lock: 2 are those of the context and of this job */
	last = context->backend_data == scratch && kref_read(&scratch->ref) == 2 &&
	       !READ_ONCE(scratch->used);
	if (last)
		context->backend_data = NULL;
	spin_unlock(&context->lock);
	if (last)
		loom_soft_scratch_put(scratch);
}

static void loom_soft_forget(struct loom_context *context)
{
	loom_soft_scratch_put(context->backend_data);
}

/* ------------------------------------------------------------------ engine */

/*
 * Run pieces of a plan until the chunk that began at @start is over. Return: whether it has ended.
 */
static bool loom_soft_pieces(struct loom_engine *engine, u64 start)
{
	bool done;

	kernel_fpu_begin();
	do {
		done = loom_engine_run(engine, LOOM_ENGINE_PIECE);
	} while (!done && !loom_engine_shared(engine) &&
		 ktime_get_ns() - start < LOOM_SOFT_CHUNK_NS);
	kernel_fpu_end();
	return done;
}

static int loom_soft_show_longest(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct loom_soft *soft = entry->file.data;

	seq_printf(m, "%lld\n", atomic64_xchg(&soft->longest_chunk_ns, 0));
	return 0;
}

static void loom_soft_begin(struct loom_soft_run *run)
{
	if (run->begun)
		return;
	loom_engine_init(&run->engine, run->job->plan->plan, &run->memory);
	run->engine.share_least = run->round ? LOOM_SOFT_SHARE_LEAST : 0;
	run->begun = true;
}

/* Run a chunk of a command that all workers share. */
static void loom_soft_together(struct loom_soft *soft, struct loom_soft_run *run,
			       const struct loom_command *command)
{
	if (!run->round->command)
		loom_soft_round_begin(soft->team, run->round, command, &run->memory);
	if (loom_soft_team_run(soft->team, run->round))
		loom_engine_shared_end(&run->engine);
}

/* Return: whether the job has ended. */
static bool loom_soft_chunk(struct loom_soft *soft, struct loom_soft_run *run, u64 *chunk_ns)
{
	const struct loom_command *shared = loom_engine_shared(&run->engine);
	u64 start = ktime_get_ns();
	bool done = false;

	if (shared)
		loom_soft_together(soft, run, shared);
	else
		done = loom_soft_pieces(&run->engine, start);
	*chunk_ns = ktime_get_ns() - start;
	run->engine.counters.busy_ns += *chunk_ns;
	loom_job_busy(run->job, *chunk_ns);
	/* of a shared command each worker measures its own chunk */
	if (!shared)
		loom_soft_update_longest(&soft->longest_chunk_ns, *chunk_ns);
	return done;
}

static bool loom_soft_keeps_turn(struct loom_soft *soft, struct loom_soft_run *run, u64 chunk_ns)
{
	bool keeps;

	spin_lock(&soft->lock);
	loom_turns_charge(&soft->turns, &run->job->turn, chunk_ns);
	keeps = loom_turns_next(&soft->turns) == &run->job->turn && soft->running;
	spin_unlock(&soft->lock);
	return keeps;
}

static void loom_soft_end(struct loom_soft_run *run, bool done)
{
	const struct loom_job_record record = {
		.job = run->job->id,
		.epoch = run->job->loom->epoch,
		.status = done ? LOOM_JOB_DONE : LOOM_JOB_STOPPED,
		.counters = run->engine.counters,
	};

	loom_jobs_complete(run->job->loom, &record, 1);
}

static void loom_soft_turn(struct loom_soft *soft, struct loom_soft_run *run)
{
	struct loom_job *job = run->job;
	bool done = false, stop;
	u64 chunk_ns;

	loom_soft_begin(run);
	loom_job_turn_begin(job);
	do {
		stop = loom_job_stop_reason(job);
		if (stop)
			break;
		done = loom_soft_chunk(soft, run, &chunk_ns);
		cond_resched();
	} while (!done && loom_soft_keeps_turn(soft, run, chunk_ns));
	if (soft->team)
		loom_soft_team_pause(soft->team);

	if (!done && !stop) {
		loom_job_turn_end(job);
		return;
	}
	spin_lock(&soft->lock);
	if (done)
		loom_turns_charge(&soft->turns, &job->turn, chunk_ns);
	loom_turns_remove(&job->turn);
	spin_unlock(&soft->lock);
	loom_soft_end(run, done);
}

/* The job that has the whole device next, or NULL if partitions have it, or none. */
static struct loom_soft_run *loom_soft_next(struct loom_soft *soft)
{
	struct loom_turn *turn;

	spin_lock(&soft->lock);
	turn = soft->running ? loom_turns_next(&soft->turns) : NULL;
	if (loom_soft_parts_open_locked(&soft->parts, turn) ||
	    !loom_soft_parts_close_locked(&soft->parts))
		turn = NULL;
	spin_unlock(&soft->lock);
	/* while the device is started only this thread ends jobs, so the job stays alive */
	return turn ? container_of(turn, struct loom_job, turn)->run : NULL;
}

static void loom_soft_work(struct work_struct *work)
{
	struct loom_soft *soft = container_of(work, struct loom_soft, work);
	bool signalling = dma_fence_begin_signalling();
	struct loom_soft_run *run;

	while ((run = loom_soft_next(soft)))
		loom_soft_turn(soft, run);
	dma_fence_end_signalling(signalling);
}

/* -------------------------------------------------------------- partitions */

/* @may: whether a work may enter the engine, or stay there. Return: it may, on a started device. */
static bool loom_soft_part_may(struct loom_soft *soft, bool (*may)(struct loom_soft_parts *parts))
{
	bool ret;

	spin_lock(&soft->lock);
	ret = soft->running && may(&soft->parts);
	spin_unlock(&soft->lock);
	return ret;
}

/* Leave the engine. @ended: the job has ended, and must be removed. */
static void loom_soft_part_leave(struct loom_soft *soft, struct loom_soft_run *run, bool ended)
{
	spin_lock(&soft->lock);
	if (ended)
		loom_soft_parts_remove_locked(&soft->parts, &run->part);
	if (loom_soft_parts_leave_locked(&soft->parts))
		queue_work(soft->wq, &soft->work);
	spin_unlock(&soft->lock);
}

/*
 * End a stopped job. It computes nothing, so it waits for no turn: otherwise it would hold its
 * buffers while jobs of higher priorities run. Return: whether it is stopped.
 */
static bool loom_soft_part_end_stopped(struct loom_soft *soft, struct loom_soft_run *run)
{
	bool ends;

	if (!loom_job_stop_reason(run->job))
		return false;
	spin_lock(&soft->lock);
	ends = soft->running;
	if (ends)
		loom_soft_parts_remove_locked(&soft->parts, &run->part);
	spin_unlock(&soft->lock);
	if (!ends)
		return true;
	/* it may have had the turn, with no work yet that would pass it on */
	queue_work(soft->wq, &soft->work);
	loom_soft_begin(run);
	loom_job_turn_begin(run->job);
	loom_soft_end(run, false);
	return true;
}

/* A turn of a job on its own lanes. */
static void loom_soft_part_turn(struct loom_soft *soft, struct loom_soft_run *run)
{
	struct loom_job *job = run->job;
	bool done = false, stop;
	u64 chunk_ns;

	if (loom_soft_part_end_stopped(soft, run) ||
	    !loom_soft_part_may(soft, loom_soft_parts_enter_locked))
		return;
	loom_soft_begin(run);
	loom_job_turn_begin(job);
	do {
		stop = loom_job_stop_reason(job);
		if (stop)
			break;
		done = loom_soft_chunk(soft, run, &chunk_ns);
		cond_resched();
	} while (!done && loom_soft_part_may(soft, loom_soft_parts_stay_locked));
	if (!done && !stop)
		loom_job_turn_end(job);
	loom_soft_part_leave(soft, run, done || stop);
	if (done || stop)
		loom_soft_end(run, done);
}

static void loom_soft_part_work(struct work_struct *work)
{
	struct loom_soft_run *run = container_of(work, struct loom_soft_run, part.work);
	bool signalling = dma_fence_begin_signalling();

	loom_soft_part_turn(run->job->loom->backend_data, run);
	dma_fence_end_signalling(signalling);
}

/* -------------------------------------------------------------------- jobs */

/* Allocate the round of a job, charged to its client. */
static struct loom_soft_round *loom_soft_round_get(struct loom_soft *soft, struct loom_job *job)
{
	struct loom_context *context = job->context;
	u64 bytes = loom_soft_round_bytes(soft->team);
	int ret = loom_quota_charge(context->loom, context->client, LOOM_QUOTA_BO_BYTES, bytes);
	struct loom_soft_round *round;

	if (ret)
		return ERR_PTR(ret);
	round = loom_soft_round_create(soft->team);
	if (round)
		return round;
	loom_quota_uncharge(context->loom, context->client, LOOM_QUOTA_BO_BYTES, bytes);
	return ERR_PTR(-ENOMEM);
}

static void loom_soft_round_put(struct loom_soft *soft, struct loom_job *job,
				struct loom_soft_round *round)
{
	struct loom_context *context = job->context;

	if (!round)
		return;
	loom_quota_uncharge(context->loom, context->client, LOOM_QUOTA_BO_BYTES,
			    loom_soft_round_bytes(soft->team));
	kvfree(round);
}

static int loom_soft_prepare(struct loom_job *job)
{
	const struct loom_plan *plan = job->plan->plan;
	struct loom_soft *soft = job->loom->backend_data;
	struct loom_context *context = job->context;
	struct loom_soft_run *run;
	u64 pitch = loom_engine_pitch(plan->scratch_bytes);
	int ret;
	u32 i;

	run = kzalloc(struct_size(run, slots, job->slot_count), GFP_KERNEL_ACCOUNT);
	if (!run)
		return -ENOMEM;
	run->job = job;
	INIT_LIST_HEAD(&run->part.node);
	INIT_WORK(&run->part.work, loom_soft_part_work);
	run->part.priority = context->priority;
	if (pitch) {
		run->scratch = loom_soft_scratch_get(context, pitch * plan->lanes);
		if (IS_ERR(run->scratch)) {
			ret = PTR_ERR(run->scratch);
			goto err_run;
		}
		run->memory.scratch = run->scratch->bytes;
	}
	/* partitions are parallel already */
	if (soft->team && !context->lane_count) {
		run->round = loom_soft_round_get(soft, job);
		if (IS_ERR(run->round)) {
			ret = PTR_ERR(run->round);
			goto err_scratch;
		}
	}
	run->memory.lanes = plan->lanes;
	run->memory.lane_pitch = pitch;
	run->memory.slots = run->slots;
	/* with one page per bank the linear view of an SRAM buffer is bank after bank */
	for (i = 0; i < job->slot_count; i++)
		run->pitches[i] = job->slots[i].bo->shape.layout.page_bytes;
	run->memory.slot_pitches = run->pitches;
	job->run = run;
	return 0;

err_scratch:
	if (run->scratch)
		loom_soft_scratch_unwind(context, run->scratch);
	loom_soft_scratch_put(run->scratch);
err_run:
	kfree(run);
	return ret;
}

static int loom_soft_emit(struct loom_job *job)
{
	struct loom_soft_run *run = job->run;
	int ret = 0;
	u32 i;

	/* mappings stay until the job has ended */
	for (i = 0; !ret && i < job->slot_count; i++) {
		ret = loom_bo_map_locked(job->slots[i].bo);
		if (!ret)
			run->slots[i] = job->slots[i].bo->map.vaddr + job->slots[i].offset;
	}
	return ret;
}

static void loom_soft_stop_locked(struct loom_soft *soft, struct loom_job *job)
{
	struct loom_soft_run *run = job->run;

	loom_turns_end(&soft->turns, &job->turn);
	if (soft->running)
		loom_soft_parts_stop_locked(&soft->parts, &run->part);
}

static void loom_soft_run(struct loom_job *job)
{
	struct loom_soft *soft = job->loom->backend_data;
	struct loom_soft_run *run = job->run;

	if (run->scratch)
		WRITE_ONCE(run->scratch->used, true);
	spin_lock(&soft->lock);
	if (job->context->lane_count)
		loom_soft_parts_add_locked(&soft->parts, &run->part);
	else
		loom_turns_add(&soft->turns, &job->turn);
	/* its file may have been closed, or its scratch revoked, since the core's check */
	if (loom_job_stop_reason(job))
		loom_soft_stop_locked(soft, job);
	spin_unlock(&soft->lock);
	loom_soft_team_notify(soft->team);
	queue_work(soft->wq, &soft->work);
}

static void loom_soft_stop_job(struct loom_job *job)
{
	struct loom_soft *soft = job->loom->backend_data;

	spin_lock(&soft->lock);
	loom_soft_stop_locked(soft, job);
	spin_unlock(&soft->lock);
	loom_soft_team_notify(soft->team);
}

static void loom_soft_progress(struct loom_job *job, struct loom_job_position *position)
{
	const struct loom_soft_run *run = job->run;
	const struct loom_command *shared = run->round ? READ_ONCE(run->round->command) : NULL;

	*position = (struct loom_job_position) {
		.step = run->engine.step,
		.command = run->engine.command,
		.unit = run->engine.unit,
		.counters = run->engine.counters,
	};
	/* approximate: the first unit that no worker has taken */
	if (shared)
		position->unit = min_t(u64, atomic64_read(&run->round->next), shared->units);
}

static void loom_soft_release(struct loom_job *job)
{
	struct loom_soft *soft = job->loom->backend_data;
	struct loom_soft_run *run = job->run;

	/* still queued if unplugging has ended it */
	spin_lock(&soft->lock);
	loom_turns_remove(&job->turn);
	loom_soft_parts_remove_locked(&soft->parts, &run->part);
	spin_unlock(&soft->lock);
	if (run->scratch)
		loom_soft_scratch_unwind(job->context, run->scratch);
	loom_soft_scratch_put(run->scratch);
	loom_soft_round_put(soft, job, run->round);
	kfree(run);
	job->run = NULL;
}

/* Preempted jobs resume at their position. */
static int loom_soft_start(struct loom_device *loom)
{
	struct loom_soft *soft = loom->backend_data;

	spin_lock(&soft->lock);
	soft->running = true;
	spin_unlock(&soft->lock);
	queue_work(soft->wq, &soft->work);
	return 0;
}

/* The current turn ends within a chunk. New jobs are queued. */
static void loom_soft_stop(struct loom_device *loom, enum loom_stop_reason why)
{
	struct loom_soft *soft = loom->backend_data;

	spin_lock(&soft->lock);
	soft->running = false;
	spin_unlock(&soft->lock);
	loom_soft_team_notify(soft->team);
	flush_work(&soft->work);
	flush_workqueue(soft->parts.wq);
	/* the last of those works may have queued it; it does nothing now */
	flush_work(&soft->work);
}

static void loom_soft_fini(struct drm_device *drm, void *data)
{
	struct loom_soft *soft = data;

	destroy_workqueue(soft->parts.wq);
	destroy_workqueue(soft->wq);
	loom_soft_team_destroy(soft->team);
}

static int loom_soft_init(struct loom_device *loom)
{
	struct loom_soft_data *data = dev_get_platdata(loom->drm.dev);
	u32 threads = min_t(u32, data ? data->threads : loom_presets_threads(),
			    num_online_cpus());
	static atomic_t probed;
	struct loom_soft *soft;
	int number;

	if (!kernel_fpu_available())
		return -EOPNOTSUPP;
	soft = drmm_kzalloc(&loom->drm, sizeof(*soft), GFP_KERNEL);
	if (!soft)
		return -ENOMEM;
	spin_lock_init(&soft->lock);
	loom_turns_init(&soft->turns);
	INIT_WORK(&soft->work, loom_soft_work);
	/* unique names, because an unplugged device may still be open */
	number = atomic_inc_return(&probed);
	if (threads > 1) {
		soft->team = loom_soft_team_create(threads, number, &soft->longest_chunk_ns);
		if (!soft->team)
			return -ENOMEM;
	}
	soft->wq = alloc_workqueue("loom-soft-%d", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS, 1,
				   number);
	if (!soft->wq || loom_soft_parts_init(&soft->parts, &soft->turns, number)) {
		if (soft->wq)
			destroy_workqueue(soft->wq);
		loom_soft_team_destroy(soft->team);
		return -ENOMEM;
	}
	loom->backend_data = soft;
	drm_debugfs_add_file(&loom->drm, "longest_chunk_ns", loom_soft_show_longest, soft);
	return drmm_add_action_or_reset(&loom->drm, loom_soft_fini, soft);
}

static const struct file_operations loom_soft_fops = { LOOM_DRV_FOPS };

static struct drm_driver loom_soft_drm __ro_after_init;

/* The minimal back end: no reset, no state of plans. */
static const struct loom_backend loom_soft_backend = {
	.name = "soft",
	.driver = &loom_soft_drm,
	.init = loom_soft_init,
	.start = loom_soft_start,
	.stop = loom_soft_stop,
	.job_prepare = loom_soft_prepare,
	.job_emit = loom_soft_emit,
	.job_run = loom_soft_run,
	.job_progress = loom_soft_progress,
	.job_stop = loom_soft_stop_job,
	.job_release = loom_soft_release,
	.context_release = loom_soft_forget,
	.keeps_jobs = true,
	.has_lanes = true,
};

/* The device that has no folder in configfs. */
static int loom_soft_probe_first(struct device *dev)
{
	struct loom_device_config *config = kzalloc(sizeof(*config), GFP_KERNEL);
	int ret;

	if (!config)
		return -ENOMEM;
	config->chip = *loom_presets_chip();
	config->job_timeout_ms = loom_device_param_job_timeout_ms();
	ret = loom_device_probe(dev, &loom_soft_backend, config);
	kfree(config);
	return ret;
}

static int loom_soft_probe(struct platform_device *pdev)
{
	struct loom_soft_data *data = dev_get_platdata(&pdev->dev);
	/* dma-bufs are system pages, at any address */
	int ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	if (!ret) {
		/* of any length */
		dma_set_max_seg_size(&pdev->dev, UINT_MAX);
		ret = data ? loom_device_probe(&pdev->dev, &loom_soft_backend, &data->device) :
			     loom_soft_probe_first(&pdev->dev);
	}
	if (data)
		WRITE_ONCE(data->probe_ret, ret);
	return ret;
}

static void loom_soft_remove(struct platform_device *pdev)
{
	loom_device_remove(&pdev->dev);
}

static struct platform_driver loom_soft_driver = {
	.driver = {
		.name = LOOM_SOFT_NAME,
		/* writing "live" returns the error of the probe */
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
		.pm = pm_ptr(&loom_device_pm_ops),
	},
	.probe = loom_soft_probe,
	.remove = loom_soft_remove,
};

static struct platform_device *loom_soft_pdev;

/* The first soft device, and the folder in configfs for others. */
static int __init loom_soft_module_init(void)
{
	int ret;

	loom_driver_init(&loom_soft_drm, &loom_soft_fops);
	ret = platform_driver_register(&loom_soft_driver);
	if (ret)
		return ret;
	loom_soft_pdev = platform_device_register_simple(LOOM_SOFT_NAME, PLATFORM_DEVID_NONE, NULL,
							 0);
	ret = PTR_ERR_OR_ZERO(loom_soft_pdev);
	if (ret)
		goto err_driver;
	ret = loom_config_module_init();
	if (!ret)
		return 0;
	platform_device_unregister(loom_soft_pdev);
err_driver:
	platform_driver_unregister(&loom_soft_driver);
	loom_driver_exit(&loom_soft_drm);
	return ret;
}

static void __exit loom_soft_module_exit(void)
{
	loom_config_module_exit();
	platform_device_unregister(loom_soft_pdev);
	platform_driver_unregister(&loom_soft_driver);
	loom_driver_exit(&loom_soft_drm);
}

module_init(loom_soft_module_init);
module_exit(loom_soft_module_exit);

MODULE_DESCRIPTION("Loom neural accelerators made of software");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
