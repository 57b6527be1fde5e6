// SPDX-License-Identifier: MIT
/* The walk over the steps of a plan, the comparison with a reference, the report. See replay.h. */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "loom_core.h"
#include "loom_chip.h"

/* Default number of faults listed. */
#define REPLAY_LISTED	16

/* Counts bytes moved by DMA, and those that compute commands use in place. */
static void count_bytes(struct replay *r)
{
	struct drm_loom_counters *c = &r->report->counted;
	uint32_t i;

	for (i = 0; i < r->num_operands; i++) {
		const struct replay_operand *operand = &r->operands[i];
		uint64_t bytes = (uint64_t)operand->count * operand->bytes;

		/* of what is gathered from, an element for each of the result */
		if (r->opcode == DRM_LOOM_OP_GATHER && i == 1)
			bytes = (uint64_t)r->operands[0].count * operand->bytes;
		if (operand->tensor->region == DRM_LOOM_REGION_ROM)
			c->rom_read_bytes += bytes;
		else if (operand->tensor->region == DRM_LOOM_REGION_DRAM)
			*(i < r->written ? &c->dram_write_bytes : &c->dram_read_bytes) += bytes;
		else if (r->dma)
			*(i ? &c->sram_read_bytes : &c->sram_write_bytes) += bytes;
	}
}

/* Stores the labels of the reference (@learning); those of the plan must be among them. */
static bool seek_labels(struct replay *r)
{
	const struct replay_operand *y = &r->operands[0];
	uint32_t i;

	for (i = 0; i < y->count; i++) {
		uint64_t at = y->labels[i] & r->known_mask;

		while (r->known[at] && r->known[at] != y->labels[i])
			at = (at + 1) & r->known_mask;
		if (r->known[at])
			continue;
		if (!r->learning) {
			r->broken = true;
			return replay_fault(r, LOOM_REPLAY_VALUE,
					    "element %u of the result is nothing that the reference computes",
					    i);
		}
		r->known[at] = y->labels[i];
	}
	return true;
}

static bool move(struct replay *r)
{
	const struct drm_loom_plan_view *y = r->operands[0].view, *x = r->operands[1].view;
	uint32_t to = r->operands[0].tensor->region, from;

	if (r->opcode == DRM_LOOM_OP_FILL)
		return replay_cells_fill(r, ((const struct drm_loom_attr_fill *)r->attr)->bits);
	from = r->operands[1].tensor->region;
	if (y->rank != x->rank || memcmp(y->dims, x->dims, y->rank * sizeof(*y->dims)) ||
	    r->operands[0].bytes != r->operands[1].bytes ||
	    (r->opcode == DRM_LOOM_OP_COPY ? to != from : to == from) ||
	    (r->opcode == DRM_LOOM_OP_LOAD && to != DRM_LOOM_REGION_SRAM) ||
	    (r->opcode == DRM_LOOM_OP_STORE &&
	     (to != DRM_LOOM_REGION_DRAM || from != DRM_LOOM_REGION_SRAM)))
		return replay_misfit(r, 1);
	return replay_cells_move(r);
}

/*
 * CONV, POOL and NATIVE use images in DRAM; all read in a region in which the chip computes, and
 * GATHER in any.
 */
static bool may_be_outside(const struct replay *r, uint32_t operand, uint32_t region)
{
	if ((operand && r->options->chip->region[region].flags & DRM_LOOM_CHIP_IN_PLACE) ||
	    (operand == 1 && r->opcode == DRM_LOOM_OP_GATHER))
		return true;
	if (region == DRM_LOOM_REGION_DRAM && r->opcode == DRM_LOOM_OP_NATIVE)
		return true;
	return region == DRM_LOOM_REGION_DRAM && operand < 2 &&
	       (r->opcode == DRM_LOOM_OP_CONV || r->opcode == DRM_LOOM_OP_POOL);
}

static bool compute(struct replay *r, const struct replay_op *op)
{
	uint32_t i;

	for (i = 0; i < r->num_operands; i++)
		if (r->operands[i].tensor->region != DRM_LOOM_REGION_SRAM &&
		    !may_be_outside(r, i, r->operands[i].tensor->region))
			return replay_misfit(r, i);
	if (r->opcode == DRM_LOOM_OP_NATIVE)
		return replay_native(r);
	for (i = 1; i < r->num_operands; i++)
		if (!replay_cells_read(r, i))
			return false;
	return op->label(r) && (!r->known || seek_labels(r)) &&
	       replay_cells_write(r, 0, op->in_place);
}

/* Whether the attributes are as long as they must be; sets the number of written operands. */
static bool attr_is_fine(struct replay *r, const struct drm_loom_plan_command *c)
{
	const struct drm_loom_attr_native *native = (const void *)(r->attrs + c->attr_offset);

	r->written = 1;
	if (c->attr_offset & 7 || c->attr_offset > r->header->attrs.count ||
	    c->attr_size > r->header->attrs.count - c->attr_offset)
		return false;
	if (c->opcode != DRM_LOOM_OP_NATIVE)
		return c->attr_size == r->op->attr_bytes;
	if (c->attr_size < sizeof(*native) ||
	    c->attr_size - sizeof(*native) != native->payload_bytes)
		return false;
	r->written = (uint32_t)native->outputs + native->temporaries + native->inouts;
	return r->written <= c->operands;
}

static void run_command(struct replay *r)
{
	const struct drm_loom_plan_command *c = &r->commands[r->command];
	const struct replay_op *op;
	uint32_t i;

	r->opcode = c->opcode;
	op = replay_op_get(c->opcode);
	r->op = op;
	if (!op || op->dma != r->dma || c->operands < op->low || c->operands > op->high ||
	    c->first_view > r->header->views.count ||
	    c->operands > r->header->views.count - c->first_view ||
	    !attr_is_fine(r, c)) {
		replay_fault(r, LOOM_REPLAY_FORM, "the command is invalid here");
		return;
	}
	r->attr = r->attrs + c->attr_offset;
	r->num_operands = c->operands;
	for (i = 0; i < c->operands; i++)
		if (!replay_plan_view(r, &r->operands[i], c->first_view + i))
			return;
	count_bytes(r);
	r->report->counted.commands++;
	if (r->dma)
		move(r);
	else
		compute(r, op);
}

static void run_steps(struct replay *r)
{
	uint32_t step, i;

	for (step = 0; step < r->header->steps.count && !r->broken; step++) {
		const struct drm_loom_plan_step *s = &r->steps[step];

		r->step = step;
		r->both = s->dma_commands && s->compute_commands;
		if (!replay_plan_begin(r))
			break;
		for (i = 0; i < s->dma_commands + s->compute_commands && !r->broken; i++) {
			r->command = s->first_command + i;
			r->dma = i < s->dma_commands;
			run_command(r);
		}
		r->command = REPLAY_NONE;
		r->opcode = DRM_LOOM_OP_END;
		r->op = NULL;
		replay_plan_end(r);
		r->report->counted.steps++;
	}
	r->step = REPLAY_NONE;
}

static void check_promise(struct replay *r)
{
	const struct loom_program_stats *s = &r->program->stats;
	const struct drm_loom_counters *c = &r->report->counted;
	const struct {
		const char *what;
		uint64_t promised;
		uint64_t counted;
	} pairs[] = {
		{ "bytes read from DRAM", s->dram_read_bytes, c->dram_read_bytes },
		{ "bytes written to DRAM", s->dram_write_bytes, c->dram_write_bytes },
		{ "bytes read from SRAM", s->sram_read_bytes, c->sram_read_bytes },
		{ "bytes written to SRAM", s->sram_write_bytes, c->sram_write_bytes },
		{ "multiply-accumulates", s->macs, c->macs },
		{ "steps", s->steps, c->steps },
		{ "commands", s->commands, c->commands },
		{ "bytes of scratch", s->scratch_bytes, r->header->scratch_bytes },
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].promised != pairs[i].counted)
			replay_fault(r, LOOM_REPLAY_COUNT, "%llu %s, %llu were promised",
				     (unsigned long long)pairs[i].counted, pairs[i].what,
				     (unsigned long long)pairs[i].promised);
}

static void clear(struct replay *r)
{
	uint32_t i;

	for (i = 0; i < r->num_spaces; i++) {
		free(r->spaces[i].labels);
		free(r->spaces[i].tags);
		free(r->spaces[i].marks);
		free(r->spaces[i].live);
		free(r->spaces[i].facts);
	}
	for (i = 0; i < ARRAY_SIZE(r->operands); i++) {
		free(r->operands[i].at);
		free(r->operands[i].labels);
	}
	for (i = 0; i < 4; i++)
		free(r->sums[i]);
	free(r->keys);
	free(r->born);
	free(r->died);
	free(r->spaces);
}

static void run(struct replay *r)
{
	r->step = REPLAY_NONE;
	r->command = REPLAY_NONE;
	r->opcode = DRM_LOOM_OP_END;
	if (!replay_plan_open(r))
		return;
	run_steps(r);
}

/* The label of an element of a result; 0: it was not written, and is no input or weight. */
static uint64_t result_label(struct replay *r, const struct loom_program_tensor *result,
			     uint64_t element, uint32_t bytes)
{
	struct replay_space *space;
	uint64_t at = result->offset + element * bytes;

	if (result->slot >= r->header->slots.count)
		return 0;
	space = &r->spaces[result->slot];
	if (at + bytes > space->bytes)
		return 0;
	return replay_cells_label(r, space, (uint32_t)(at >> r->shift), bytes);
}

static void compare_result(struct replay *r, struct replay *ref, const char *kind,
			   const struct loom_program_tensor *a, const struct loom_program_tensor *b)
{
	uint32_t bytes = replay_dtype_bytes(a->dtype);
	uint64_t i, count = bytes ? a->size_bytes / bytes : 0, wrong = 0, first = 0, missing = 0;

	for (i = 0; i < count; i++) {
		uint64_t label = result_label(r, a, i, bytes);

		missing += !label;
		if ((!label || (ref && label != result_label(ref, b, i, bytes))) && !wrong++)
			first = i;
	}
	r->report->compared += ref ? count : 0;
	if (wrong)
		replay_fault(r, missing == wrong ? LOOM_REPLAY_UNWRITTEN : LOOM_REPLAY_VALUE,
			     "%s '%s': %llu of %llu elements are %s, the first is element %llu",
			     kind, a->name, (unsigned long long)wrong, (unsigned long long)count,
			     missing == wrong ? "never written" : "not what the reference computes",
			     (unsigned long long)first);
}

static void compare(struct replay *r, struct replay *ref)
{
	const struct loom_program *a = r->program, *b = ref ? ref->program : r->program;
	uint32_t i;

	for (i = 0; i < a->num_outputs; i++)
		compare_result(r, ref, "output", &a->outputs[i], &b->outputs[i]);
	for (i = 0; i < a->num_observed; i++)
		compare_result(r, ref, "observed value", &a->observed[i], &b->observed[i]);
}

static bool same_results(const struct loom_program_tensor *a, uint32_t num_a,
			 const struct loom_program_tensor *b, uint32_t num_b)
{
	uint32_t i;

	for (i = 0; i < num_a && num_a == num_b; i++)
		if (a[i].dtype != b[i].dtype || a[i].size_bytes != b[i].size_bytes)
			return false;
	return num_a == num_b;
}

static bool is_comparable(const struct loom_program *a, const struct loom_program *b)
{
	return same_results(a->inputs, a->num_inputs, b->inputs, b->num_inputs) &&
	       same_results(a->outputs, a->num_outputs, b->outputs, b->num_outputs) &&
	       same_results(a->observed, a->num_observed, b->observed, b->num_observed);
}

static int set_up(struct replay *r, const struct loom_program *program,
		  const struct loom_replay_options *options, uint32_t shift)
{
	memset(r, 0, sizeof(*r));
	r->program = program;
	r->options = options;
	r->shift = shift;
	r->max_faults = options->max_faults ? options->max_faults : REPLAY_LISTED;
	r->report = calloc(1, sizeof(*r->report));
	r->faults = calloc(r->max_faults, sizeof(*r->faults));
	if (!r->report || !r->faults) {
		free(r->report);
		free(r->faults);
		return -ENOMEM;
	}
	r->report->faults = r->faults;
	return 0;
}

/* The reference is replayed with the SRAM and the lanes that it was planned for. */
static void reference_options(const struct loom_program *program, struct drm_loom_chip *chip,
			      struct loom_replay_options *options)
{
	const struct drm_loom_plan_header *header = program->plan;

	*chip = *options->chip;
	chip->region[DRM_LOOM_REGION_SRAM].banks = header->lanes;
	chip->region[DRM_LOOM_REGION_SRAM].bank_bytes =
		chip->region[DRM_LOOM_REGION_SRAM].reserved_bytes + header->scratch_bytes;
	options->chip = chip;
	options->sram_limit_bytes = 0;
	options->reference = NULL;
}

static int run_reference(struct replay *ref, const struct loom_replay_options *options,
			 struct loom_replay_options *own, struct drm_loom_chip *chip,
			 uint32_t shift, struct loom_error *err)
{
	int ret;

	*own = *options;
	own->max_faults = 1;
	reference_options(options->reference, chip, own);
	ret = set_up(ref, options->reference, own, shift);
	if (ret)
		return ret;
	run(ref);
	ret = ref->error;
	if (!ret && ref->report->num_faults)
		ret = loom_error_set(err, -EINVAL, "replay: the reference itself: %s",
				     ref->faults[0].text);
	if (!ret)
		return 0;
	clear(ref);
	loom_replay_destroy(ref->report);
	return ret;
}

/* Runs both programs again, to find the first command with a wrong result. */
static void find_first_wrong(struct replay *wrong, const struct loom_replay_options *options,
			     uint32_t shift)
{
	struct loom_replay_options own = *options;
	uint64_t slots = 1 << 16;
	struct drm_loom_chip chip;
	struct replay r;
	uint32_t pass;

	if (!wrong->report->elements || wrong->report->num_listed == wrong->max_faults)
		return;
	while (slots < 4 * wrong->report->elements && slots < 1ULL << 28)
		slots *= 2;
	if (slots < 2 * wrong->report->elements)
		return;
	own.max_faults = 1;
	for (pass = 0; pass < 2; pass++) {
		struct loom_replay_options mine = own;
		uint64_t *known = pass ? wrong->known : calloc(slots, sizeof(*known));

		if (!pass)
			reference_options(options->reference, &chip, &mine);
		wrong->known = known;
		if (!known || set_up(&r, pass ? wrong->program : options->reference, &mine, shift))
			break;
		r.known = known;
		r.known_mask = slots - 1;
		r.learning = !pass;
		run(&r);
		if (pass && r.report->num_listed)
			wrong->faults[wrong->report->num_listed++] = r.faults[0];
		clear(&r);
		loom_replay_destroy(r.report);
	}
	free(wrong->known);
	wrong->known = NULL;
}

static int check(struct replay *r, const struct loom_replay_options *options, uint32_t shift,
		 struct loom_error *err)
{
	struct loom_replay_options own;
	struct drm_loom_chip chip;
	struct replay ref;
	int ret;

	run(r);
	if (r->error)
		return r->error;
	if (r->broken || !r->born)
		return 0;
	check_promise(r);
	if (!options->reference) {
		compare(r, NULL);
		return 0;
	}
	ret = run_reference(&ref, options, &own, &chip, shift, err);
	if (ret)
		return ret;
	/* nothing is known of the relation between native commands that differ */
	compare(r, r->natives == ref.natives ? &ref : NULL);
	if (r->report->counted.macs > ref.report->counted.macs)
		r->report->recomputed_macs = r->report->counted.macs - ref.report->counted.macs;
	clear(&ref);
	loom_replay_destroy(ref.report);
	if (r->report->num_faults && r->faults[0].kind == LOOM_REPLAY_VALUE)
		find_first_wrong(r, options, shift);
	return 0;
}

int loom_replay_program(const struct loom_program *program,
			const struct loom_replay_options *options,
			struct loom_replay_report **report, struct loom_error *err)
{
	const struct loom_program *reference = options->reference;
	uint32_t shift, other;
	struct replay r;
	int ret;

	if (err)
		err->text[0] = '\0';
	if (!options->chip)
		return loom_error_set(err, -EINVAL, "replay: no topology");
	if (reference && (reference->plan_bytes < sizeof(struct drm_loom_plan_header) ||
			  !is_comparable(program, reference)))
		return loom_error_set(err, -EINVAL,
				      "replay: the reference is of another graph");
	shift = replay_plan_shift(program);
	other = reference ? replay_plan_shift(reference) : shift;
	shift = shift < other ? shift : other;
	ret = set_up(&r, program, options, shift);
	if (!ret) {
		ret = check(&r, options, shift, err);
		clear(&r);
		if (ret)
			loom_replay_destroy(r.report);
		else
			*report = r.report;
	}
	if (ret && err && !err->text[0])
		loom_error_set(err, ret, "replay: %s",
			       ret == -E2BIG ? "the plan is too large" : strerror(-ret));
	return ret;
}

void loom_replay_destroy(struct loom_replay_report *report)
{
	if (!report)
		return;
	free((void *)report->faults);
	free(report);
}
