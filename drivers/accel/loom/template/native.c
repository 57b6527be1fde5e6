// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "core/loom_op.h"
#include "memory.h"
#include "native.h"
#include "translate.h"

/*
 * Native commands, in a chip with local memory (module parameter own). tile.c has their proof, and
 * data.c runs moves between them. A chip with instructions of its own must translate them to its
 * descriptors.
 */

static bool template_own;
module_param_named(own, template_own, bool, 0400);
MODULE_PARM_DESC(own, "Its banks are memory of its own (default: no)");

/**
 * struct template_code - the native commands of a plan, translated
 * @count: number of @moves
 * @moves: instructions of all commands
 */
struct template_code {
	u32 count;
	struct tile_move moves[] __counted_by(count);
};

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

/* Return: 0, -ENOMEM, -EINTR; the caller must kvfree() @code. */
static int template_code_create(const struct loom_plan *plan, struct template_code **code)
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

/* Translates the native commands of a plan. */
static int template_native_plan_create(struct loom_plan_object *object)
{
	struct template_code *code;
	int ret = template_code_create(loom_plan_object_plan(object), &code);

	if (ret)
		return ret;
	ret = template_plain->plan_create(object);
	if (ret)
		kvfree(code);
	else
		*loom_plan_object_data(object) = code;
	return ret;
}

static void template_native_plan_destroy(struct loom_plan_object *object)
{
	template_plain->plan_destroy(object);
	kvfree(*loom_plan_object_data(object));
}

static u8 *template_code_at(const struct template_native *run, const struct tile_place *place,
			    u32 lane)
{
	struct loom_device *loom = loom_job_device(run->job);
	const struct drm_loom_chip *chip = loom_device_chip(loom);
	u64 base = place->slot == TILE_SCRATCH ?
		   chip->region[DRM_LOOM_REGION_SRAM].reserved_bytes : run->base.at[place->slot];

	return template_memory_at(loom, DRM_LOOM_REGION_SRAM, lane, base + place->offset);
}

static u64 template_code_run_move(const struct template_native *run, const struct tile_move *move)
{
	struct template_memory *memory = to_template_memory(loom_job_device(run->job));
	u64 cycles = 0;
	u32 lane;

	/* all lanes work at the same time */
	for (lane = move->first_lane; lane < move->first_lane + move->lanes; lane++) {
		if (READ_ONCE(run->stop) || READ_ONCE(memory->off))
			return 0;
		cycles = tile_run(move, template_code_at(run, &move->to, lane),
				  template_code_at(run, &move->from[0], lane),
				  template_code_at(run, &move->from[1], lane));
		cond_resched();
	}
	return cycles;
}

static const struct template_code *template_code(const struct loom_job *job)
{
	return *loom_plan_object_data(loom_job_plan(job));
}

/* Run the native commands of a job, and its data moves. Return: cycles. */
static u64 template_code_run(const struct template_native *run)
{
	const struct loom_plan *plan = loom_plan_object_plan(loom_job_plan(run->job));
	const struct template_code *code = template_code(run->job);
	u64 cycles = 0;
	u32 at = 0, i, end;

	for (i = 0; code->count && i < plan->command_count && !READ_ONCE(run->stop); i++) {
		const struct loom_command *command = &plan->commands[i];

		if (command->op->stream == LOOM_STREAM_DMA)
			cycles += template_data_run(run, command);
		if (command->op->opcode != DRM_LOOM_OP_NATIVE)
			continue;
		for (end = at + tile_translate(command, NULL); at < end; at++)
			cycles += template_code_run_move(run, &code->moves[at]);
	}
	return cycles;
}

static void template_native_work(struct work_struct *work)
{
	struct template_native *run = container_of(work, struct template_native, work);
	struct template *template = to_template(loom_job_device(run->job));
	u64 id = loom_job_id(run->job), cycles = template_code_run(run);
	bool stop = READ_ONCE(run->stop);

	if (!READ_ONCE(template->memory->off)) {
		/* it may be freed before this returns */
		nothing_give(&template->nothing, id, cycles);
		if (stop)
			nothing_end(&template->nothing, id);
	}
	atomic_dec(&template->memory->queued);
}

static u32 template_native_banks(const struct loom_job *job)
{
	return loom_device_chip(loom_job_device(job))->region[DRM_LOOM_REGION_DRAM].banks;
}

static int template_native_prepare(struct loom_job *job)
{
	size_t addresses = loom_job_slot_count(job) * template_native_banks(job);
	struct template_native *run = kvzalloc(struct_size(run, banks, addresses),
					       GFP_KERNEL_ACCOUNT);

	*loom_job_data(job) = run;
	if (!run)
		return -ENOMEM;
	INIT_WORK(&run->work, template_native_work);
	run->job = job;
	return 0;
}

/* Its engine cannot access shared buffers, which are in system pages. */
static int template_native_emit(struct loom_job *job)
{
	struct template_native *run = *loom_job_data(job);
	u32 i, bank, banks = template_native_banks(job);
	int ret = template_plain->job_emit(job);
	u64 address;

	for (i = 0; !ret && i < loom_job_slot_count(job); i++) {
		if (loom_job_slot_address(job, i, &address))
			for (bank = 0; bank < banks; bank++)
				run->banks[i * banks + bank] =
					loom_job_slot_bank_address(job, i, bank);
		else if (template_code(job)->count)
			ret = -EOPNOTSUPP;
	}
	return ret;
}

/* Native commands run before the device gets the job; others must not overtake these jobs. */
static void template_native_run(struct loom_job *job)
{
	struct template_memory *memory = to_template_memory(loom_job_device(job));
	struct template_native *run = *loom_job_data(job);

	if (!template_code(job)->count && !atomic_read(&memory->queued)) {
		template_plain->job_run(job);
		return;
	}
	atomic_inc(&memory->queued);
	queue_work(memory->engine, &run->work);
}

static void template_native_stop(struct loom_job *job)
{
	struct template_native *run = *loom_job_data(job);

	WRITE_ONCE(run->stop, true);
	template_plain->job_stop(job);
}

static struct loom_backend template_own_ops __ro_after_init;

/**
 * template_own_init() - derive the back end with local memory, before the first device
 * @plain: the one without
 */
void __init template_own_init(const struct loom_backend *plain)
{
	struct loom_backend *own = &template_own_ops;

	*own = *plain;
	own->plan_create = template_native_plan_create;
	own->plan_destroy = template_native_plan_destroy;
	own->job_prepare = template_native_prepare;
	own->job_emit = template_native_emit;
	own->job_run = template_native_run;
	own->job_stop = template_native_stop;
	template_memory_backend(own, plain);
}

/**
 * template_own_backend() - the back end for a device, by module parameter own
 * @plain: the one without local memory
 * @config: of the device; its regions become local memory, if it has some
 *
 * Return: its operations.
 */
const struct loom_backend *template_own_backend(const struct loom_backend *plain,
						struct loom_device_config *config)
{
	if (!template_own)
		return plain;
	template_memory_config(config);
	return &template_own_ops;
}
