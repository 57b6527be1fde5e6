// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "core/loom_op.h"
#include "data.h"
#include "native.h"
#include "template.h"

/*
 * Native commands, in a chip with local memory (module parameter own). tile.c has their proof, and
 * data.c runs moves between them. A chip with instructions of its own must translate them to its
 * descriptors.
 */

static int template_code_count(const struct loom_plan *plan, u32 *count)
{
	u32 i, moves;

	*count = 0;
	for (i = 0; plan->native && i < plan->command_count; i++) {
		if (plan->commands[i].op->opcode != DRM_LOOM_OP_NATIVE)
			continue;
		moves = tile_translate(&plan->commands[i], NULL);
		if (check_add_overflow(*count, moves, count))
			return -ENOMEM;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * template_code_create() - translate the native commands of a plan
 * @plan: the plan
 * @code: out: to be freed with kvfree()
 *
 * Return: 0, -ENOMEM, -EINTR.
 */
int template_code_create(const struct loom_plan *plan, struct template_code **code)
{
	u32 count, at = 0, i;
	int ret = template_code_count(plan, &count);

	if (ret)
		return ret;
	*code = kvmalloc(struct_size(*code, moves, count),
			 GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!*code)
		return -ENOMEM;
	(*code)->count = count;
	for (i = 0; at < count; i++) {
		if (plan->commands[i].op->opcode == DRM_LOOM_OP_NATIVE)
			at += tile_translate(&plan->commands[i], &(*code)->moves[at]);
		cond_resched();
	}
	return 0;
}

static u8 *template_code_at(struct loom_device *loom, const struct tile_place *place,
			    const struct template_slots *slots, u32 lane)
{
	const struct drm_loom_chip *chip = loom_device_chip(loom);
	u64 base = place->slot == TILE_SCRATCH ?
		   chip->region[DRM_LOOM_REGION_SRAM].reserved_bytes : slots->at[place->slot];

	return template_memory_at(to_template_memory(loom), loom, DRM_LOOM_REGION_SRAM, lane,
				  base + place->offset);
}

static u64 template_code_run_move(struct loom_job *job, const struct tile_move *move,
				  const struct template_slots *slots, const bool *stop)
{
	struct loom_device *loom = loom_job_device(job);
	u64 cycles = 0;
	u32 lane;

	/* all lanes work at the same time */
	for (lane = move->first_lane; lane < move->first_lane + move->lanes; lane++) {
		if (READ_ONCE(*stop) || READ_ONCE(to_template_memory(loom)->off))
			return 0;
		cycles = tile_run(move, template_code_at(loom, &move->to, slots, lane),
				  template_code_at(loom, &move->from[0], slots, lane),
				  template_code_at(loom, &move->from[1], slots, lane));
		cond_resched();
	}
	return cycles;
}

/* Run the native commands of a job, and its data moves. Return: cycles. */
static u64 template_code_run(struct loom_job *job, const struct template_code *code,
			     const struct template_slots *slots, const bool *stop)
{
	const struct loom_plan *plan = loom_plan_object_plan(loom_job_plan(job));
	u64 cycles = 0;
	u32 at = 0, i, end;

	for (i = 0; code->count && i < plan->command_count && !READ_ONCE(*stop); i++) {
		const struct loom_command *command = &plan->commands[i];

		if (command->op->stream == LOOM_STREAM_DMA)
			cycles += template_data_run(job, command, slots, stop);
		if (command->op->opcode != DRM_LOOM_OP_NATIVE)
			continue;
		for (end = at + tile_translate(command, NULL); at < end; at++)
			cycles += template_code_run_move(job, &code->moves[at], slots, stop);
	}
	return cycles;
}

static const struct template_code *template_code(const struct loom_job *job)
{
	return *loom_plan_object_data(loom_job_plan(job));
}

static void template_run_native(struct work_struct *work)
{
	struct template_run *run = container_of(work, struct template_run, work);
	struct loom_device *loom = loom_job_device(run->job);
	struct template *template = to_template(loom);
	u64 id = loom_job_id(run->job), cycles;
	bool stop;

	cycles = template_code_run(run->job, template_code(run->job), &run->slots, &run->stop);
	stop = READ_ONCE(run->stop);
	if (!READ_ONCE(template->memory.off)) {
		/* it may be freed before this returns */
		nothing_give(&template->nothing, id, run->slots.at, cycles);
		if (stop)
			nothing_end(&template->nothing, id);
	}
	atomic_dec(&template->queued);
}

/**
 * template_native_init() - prepare a run
 * @run: the run
 * @job: its job
 */
void template_native_init(struct template_run *run, struct loom_job *job)
{
	INIT_WORK(&run->work, template_run_native);
	run->job = job;
}

/**
 * template_native_runs() - whether the native commands of a job are run
 * @job: the job
 *
 * Return: false if it has none, or the device has no local memory.
 */
bool template_native_runs(const struct loom_job *job)
{
	return loom_device_has_memory(loom_job_device(job)) && template_code(job)->count;
}

/**
 * template_native_queue() - run native commands of a job before it is given to the device
 * @job: the job
 *
 * Return: false if the caller must give it to the device.
 */
bool template_native_queue(struct loom_job *job)
{
	struct template *template = to_template(loom_job_device(job));
	struct template_run *run = *loom_job_data(job);

	/* others must not overtake those on the engine */
	if (!template_native_runs(job) && !atomic_read(&template->queued))
		return false;
	atomic_inc(&template->queued);
	queue_work(template->memory.engine, &run->work);
	return true;
}
