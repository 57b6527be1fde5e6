// SPDX-License-Identifier: MIT
/* Consistency of the records of a file with each other and with the plan. */
#include "program_file.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "loom_chip.h"
#include "loom_clock.h"
#include "loom_verify.h"
#include "native/native.h"
#include "run/run.h"

static int check_chip(struct loom_file_program *file, struct loom_error *err)
{
	const struct loom_file_section *section = &file->sections[LOOM_FILE_CHIP];

	/* either all fields, or those of older libraries: the others are zero */
	if (section->size_bytes != sizeof(file->chip) &&
	    section->size_bytes != LOOM_CHIP_SECOND_BYTES &&
	    section->size_bytes != LOOM_CHIP_FIRST_BYTES)
		return loom_error_set(err, -EINVAL, "%s: its chip has %llu bytes, not %zu",
				      file->name, (unsigned long long)section->size_bytes,
				      sizeof(file->chip));
	memcpy(&file->chip, file->bytes + section->offset, section->size_bytes);
	if (loom_chip_check(&file->chip, NULL))
		return loom_error_set(err, -EINVAL, "%s: invalid chip", file->name);
	file->origin.chip = &file->chip;
	return 0;
}

static int check_slots(const struct loom_file_program *file, const struct loom_plan *plan,
		       struct loom_error *err)
{
	const struct loom_program *program = &file->program;
	u32 i;

	if (program->num_slots != plan->slot_count)
		return loom_error_set(err, -EINVAL, "%s: it has %u slots, and its plan %u",
				      file->name, program->num_slots, plan->slot_count);
	for (i = 0; i < program->num_slots; i++) {
		const struct loom_program_slot *has = &program->slots[i];
		const struct loom_slot *want = &plan->slots[i];
		bool is_image = has->kind == LOOM_SLOT_KIND_IMAGE, want_image = want->dtype;

		if (has->kind == LOOM_SLOT_KIND_WEIGHTS && has->flags & DRM_LOOM_SLOT_WRITE)
			return loom_error_set(err, -EINVAL,
					      "%s: slot %u has weights and is written", file->name,
					      i);
		if (has->size_bytes != want->size || has->flags != want->flags ||
		    has->dtype != want->dtype || has->width != want->width ||
		    has->height != want->height || has->pitch_bytes != want->pitch_bytes ||
		    is_image != want_image)
			return loom_error_set(err, -EINVAL, "%s: slot %u is not that of its plan",
					      file->name, i);
	}
	return 0;
}

static int check_tensor(const struct loom_file_program *file, enum loom_file_part part, u32 index,
			const struct loom_program_tensor *tensor, struct loom_error *err)
{
	const struct loom_program *program = &file->program;
	bool for_weights;
	u64 bytes, end;
	int64_t elems;
	u32 i;

	if (!tensor->name)
		return loom_error_set(err, -EINVAL, "%s: %s %u has no name", file->name,
				      loom_file_records[part].name, index);
	for (i = tensor->rank; i < LOOM_GRAPH_RANK; i++)
		if (tensor->dims[i])
			break;
	if (!loom_dtype_size(tensor->dtype) || i < LOOM_GRAPH_RANK ||
	    loom_dims_count(tensor->rank, tensor->dims, &elems) ||
	    check_mul_overflow((u64)elems, (u64)loom_dtype_size(tensor->dtype), &bytes) ||
	    bytes != tensor->size_bytes || tensor->open_dims >> tensor->rank)
		return loom_error_set(err, -EINVAL,
				      "%s: %s %u: type, dimensions and size do not fit", file->name,
				      loom_file_records[part].name, index);
	if (tensor->size_bytes &&
	    (tensor->slot >= program->num_slots || tensor->offset % LOOM_FILE_ALIGN ||
	     check_add_overflow(tensor->offset, bytes, &end) ||
	     end > program->slots[tensor->slot].size_bytes))
		return loom_error_set(err, -EINVAL, "%s: %s %u does not lie in its slot",
				      file->name, loom_file_records[part].name, index);
	if (!tensor->size_bytes)
		return 0;
	/* sessions share buffers of weights */
	for_weights = program->slots[tensor->slot].kind == LOOM_SLOT_KIND_WEIGHTS;
	if (for_weights ? part != LOOM_FILE_WEIGHTS : part == LOOM_FILE_WEIGHTS)
		return loom_error_set(err, -EINVAL, "%s: %s %u is in a slot for other tensors",
				      file->name, loom_file_records[part].name, index);
	return 0;
}

static int check_tensors(const struct loom_file_program *file, struct loom_error *err)
{
	static const enum loom_file_part parts[] = {
		LOOM_FILE_INPUTS, LOOM_FILE_OUTPUTS, LOOM_FILE_OBSERVED, LOOM_FILE_WEIGHTS,
	};
	const struct loom_program_update *updates = file->program.updates;
	const struct loom_program_tensor *tensors;
	u32 i, k;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		tensors = file->tables[parts[i]];
		for (k = 0; k < file->sections[parts[i]].count; k++) {
			ret = check_tensor(file, parts[i], k, &tensors[k], err);
			if (ret)
				return ret;
		}
	}
	for (i = 0; i < file->program.num_updates && !ret; i++) {
		ret = check_tensor(file, LOOM_FILE_UPDATES, i, &updates[i].rows, err);
		if (!ret)
			ret = check_tensor(file, LOOM_FILE_UPDATES, i, &updates[i].places, err);
	}
	return ret;
}

static int check_states(const struct loom_file_program *file, struct loom_error *err)
{
	const struct loom_program *program = &file->program;
	u32 i;

	for (i = 0; i < program->num_states; i++) {
		const struct loom_program_state *state = &program->states[i];
		const struct loom_program_tensor *a = &program->outputs[state->output];
		const struct loom_program_tensor *b = &program->inputs[state->input];

		if (a->dtype != b->dtype || a->rank != b->rank ||
		    memcmp(a->dims, b->dims, sizeof(a->dims)))
			return loom_error_set(err, -EINVAL, "%s: states %u: '%s' is not as '%s'",
					      file->name, i, a->name, b->name);
	}
	for (i = 0; i < program->num_updates; i++)
		if (!loom_update_fits(program, &program->updates[i]))
			return loom_error_set(err, -EINVAL,
					      "%s: updates %u: it does not fit its state",
					      file->name, i);
	return 0;
}

static int check_groups(const struct loom_file_program *file, const struct loom_plan *plan,
			struct loom_error *err)
{
	const struct loom_program *program = &file->program;
	u32 i, end = 0;

	for (i = 0; i < program->num_groups; i++) {
		const struct loom_program_group *group = &program->groups[i];

		if (group->first_node > group->last_node || group->first_step < end ||
		    group->first_step > plan->step_count ||
		    group->num_steps > plan->step_count - group->first_step)
			return loom_error_set(err, -EINVAL,
					      "%s: groups %u: its nodes or steps make no sense",
					      file->name, i);
		end = group->first_step + group->num_steps;
	}
	return 0;
}

/* Notes are for people, but they are indexed by objects of the plan. */
static int check_notes(const struct loom_file_program *file, const struct loom_plan *plan,
		       struct loom_error *err)
{
	const struct loom_program *program = &file->program;
	u32 i;

	if (program->num_labels != plan->tensor_count ||
	    program->num_commands != plan->command_count ||
	    file->sections[LOOM_FILE_CUTS].count != loom_records_count(program, LOOM_FILE_CUTS))
		return loom_error_set(err, -EINVAL,
				      "%s: its notes are those of another plan", file->name);
	for (i = 0; i < program->num_labels; i++)
		if (!program->labels[i].name)
			return loom_error_set(err, -EINVAL, "%s: labels %u has no name",
					      file->name, i);
	for (i = 0; i < program->num_kernels; i++)
		if (program->kernels[i].first_step > plan->step_count)
			return loom_error_set(err, -EINVAL, "%s: kernels %u: there is no step %u",
					      file->name, i, program->kernels[i].first_step);
	for (i = 0; i < program->num_neurons; i++)
		if (!program->neurons[i].name)
			return loom_error_set(err, -EINVAL, "%s: neurons %u has no name",
					      file->name, i);
	return check_groups(file, plan, err);
}

/* The counters of a run must equal those promised in the file. */
static int check_promises(const struct loom_file_program *file, const struct loom_plan *plan,
			  struct loom_error *err)
{
	const struct loom_program_stats *stats = &file->program.stats;
	u64 macs = 0, cycles = 0;
	u32 i, k;

	for (i = 0; i < plan->step_count; i++) {
		const struct loom_step *step = &plan->steps[i];
		u64 dma = 0, compute = 0;

		for (k = 0; k < step->commands; k++) {
			const struct loom_command *command =
				&plan->commands[step->first_command + k];

			macs += command->macs;
			if (k < step->dma_commands)
				dma = loom_clock_add(dma, command->cycles);
			else
				compute = loom_clock_add(compute, command->cycles);
		}
		cycles = loom_clock_add(cycles, loom_clock_step(plan->overlap, dma, compute));
	}
	if (stats->steps != plan->step_count || stats->commands != plan->command_count ||
	    stats->tensors != plan->tensor_count ||
	    stats->scratch_bytes != plan->scratch_bytes ||
	    stats->plan_bytes != file->program.plan_bytes ||
	    stats->groups != file->program.num_groups || stats->macs != macs ||
	    stats->cycles != cycles)
		return loom_error_set(err, -EINVAL,
				      "%s: its counters differ from those of its plan", file->name);
	return 0;
}

static int check_with_plan(struct loom_file_program *file, const struct loom_plan *plan,
			   struct loom_error *err)
{
	int ret = check_slots(file, plan, err);

	if (!ret)
		ret = check_tensors(file, err);
	if (!ret)
		ret = check_states(file, err);
	if (!ret)
		ret = check_notes(file, plan, err);
	return ret ? ret : check_promises(file, plan, err);
}

int loom_file_check(struct loom_file_program *file, struct loom_error *err)
{
	struct drm_loom_reject reject;
	struct loom_error why;
	struct loom_plan *plan;
	int ret = check_chip(file, err);

	if (ret)
		return ret;
	ret = loom_native_plan_create(file->program.plan, file->program.plan_bytes, &file->chip,
				      &plan, &reject);
	if (ret == -EBADMSG) {
		loom_run_reject(&why, &reject);
		return loom_error_set(err, ret, "%s: %s", file->name, why.text);
	}
	if (ret)
		return loom_error_set(err, ret, "%s: the plan was not taken: %s", file->name,
				      strerror(-ret));
	ret = check_with_plan(file, plan, err);
	loom_plan_destroy(plan);
	return ret;
}
