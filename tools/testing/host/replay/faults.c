// SPDX-License-Identifier: MIT
/*
 * The checker of plans is checked. Plans of random graphs, by every strategy, have no faults; then
 * one thing is broken, and verifier, engine and checker are compared. A plan that the verifier
 * accepts has no memory faults; one that it refuses, but for reasons of mere caution, has
 * faults; and where the engine computes other numbers, the checker has to find a fault, too.
 */
#include "host/group/case.h"
#include "loom_replay.h"
#include "loom_planner.h"
#include "loom_run.h"
#include "chips.h"
#include "loom_verify.h"

#include <errno.h>

#define ROUNDS		24
#define BREAKS		60

static const struct drm_loom_chip small[] = {
	CHIP_SRAM("one-lane", (1, 1, 9000, 0, 16)),
	CHIP_SRAM("three-lanes", (3, 1, 3600, 32, 8)),
	CHIP_SRAM("eight-lanes", (8, 1, 4000, 0, 64)),
	CHIP_SRAM("roomy", (4, 1, 40000, 0, 64)),
};

static unsigned int num_plans, num_broken, num_refused, num_cautious, num_other_bits;
static unsigned int num_in_vain, num_found[LOOM_REPLAY_KINDS];
/* by kind of break: how often it made a fault, and how often it was done */
static unsigned int num_caught[32], num_done[32];

/**
 * struct trial - a plan that is broken in many ways
 * @test: the graph
 * @chip: the chip that it is planned for
 * @program: as it was planned
 * @broken: the same with other bytes
 * @header: those bytes
 * @options: for the checker
 * @outputs: results of @program
 * @what: the damage, an index of breaks[]
 */
struct trial {
	struct test_case *test;
	const struct drm_loom_chip *chip;
	struct loom_program *program;
	struct loom_program broken;
	struct drm_loom_plan_header *header;
	struct loom_replay_options options;
	struct loom_array outputs[MAX_MAPS];
	uint32_t what;
};

static void *table(const struct trial *t, const struct drm_loom_table *table)
{
	return (uint8_t *)t->header + table->offset;
}

static struct drm_loom_plan_tensor *some_tensor(const struct trial *t)
{
	struct drm_loom_plan_tensor *tensors = table(t, &t->header->tensors);

	return &tensors[draw(t->header->tensors.count)];
}

static struct drm_loom_plan_command *some_command(const struct trial *t)
{
	struct drm_loom_plan_command *commands = table(t, &t->header->commands);

	return &commands[draw(t->header->commands.count)];
}

static struct drm_loom_plan_view *some_view(const struct trial *t)
{
	struct drm_loom_plan_view *views = table(t, &t->header->views);

	return &views[draw(t->header->views.count)];
}

static bool swap_offsets(struct trial *t)
{
	struct drm_loom_plan_tensor *a = some_tensor(t), *b = some_tensor(t);
	uint64_t offset = a->offset;

	if (a->region != b->region || a->slot != b->slot || offset == b->offset)
		return false;
	a->offset = b->offset;
	b->offset = offset;
	return true;
}

static bool move_tensor(struct trial *t)
{
	struct drm_loom_plan_tensor *a = some_tensor(t);
	uint64_t by = (1 + draw(8)) * 16;

	if (a->offset < by)
		a->offset += by;
	else
		a->offset -= by;
	return true;
}

static bool shorten_lifetime(struct trial *t)
{
	struct drm_loom_plan_tensor *a = some_tensor(t);

	if (a->first_step == a->last_step)
		return false;
	if (draw(2))
		a->first_step++;
	else
		a->last_step--;
	return true;
}

static bool lengthen_lifetime(struct trial *t)
{
	struct drm_loom_plan_tensor *a = some_tensor(t);

	if (a->last_step + 1 == t->header->steps.count)
		return false;
	a->last_step++;
	return true;
}

static bool shift_view(struct trial *t)
{
	struct drm_loom_plan_view *v = some_view(t);
	int64_t stride = v->strides[draw(v->rank)];

	if (draw(2))
		stride = -stride;
	v->offset += (uint64_t)stride;
	return stride != 0;
}

static bool shift_lanes(struct trial *t)
{
	struct drm_loom_plan_view *v = some_view(t);

	if (v->lane_start && draw(2))
		v->lane_start--;
	else
		v->lane_start++;
	return true;
}

static bool shrink_view(struct trial *t)
{
	struct drm_loom_plan_command *c = some_command(t);
	struct drm_loom_plan_view *views = table(t, &t->header->views);
	uint32_t axis = draw(views[c->first_view].rank), i;

	for (i = 0; i < c->operands; i++) {
		struct drm_loom_plan_view *v = &views[c->first_view + i];

		if (axis < v->rank && v->dims[axis] > 1)
			v->dims[axis]--;
	}
	return true;
}

static bool still_view(struct trial *t)
{
	struct drm_loom_plan_view *v = some_view(t);
	uint32_t axis = draw(v->rank);

	if (v->dims[axis] == 1 || !v->strides[axis])
		return false;
	v->strides[axis] = draw(2) ? 0 : v->strides[axis] / 2;
	return true;
}

static bool other_tensor(struct trial *t)
{
	struct drm_loom_plan_view *v = some_view(t);
	uint32_t tensor = draw(t->header->tensors.count);

	if (v->tensor == tensor)
		return false;
	v->tensor = tensor;
	return true;
}

static bool other_operand(struct trial *t)
{
	struct drm_loom_plan_view *views = table(t, &t->header->views);
	struct drm_loom_plan_command *c = some_command(t);
	uint32_t a = c->first_view + draw(c->operands), b = c->first_view + draw(c->operands);
	struct drm_loom_plan_view view = views[a];

	views[a] = views[b];
	if (draw(2))
		views[b] = view;
	return a != b;
}

/* Pads, strides, kinds, constants. */
static bool other_attr(struct trial *t)
{
	struct drm_loom_plan_command *c = some_command(t);
	uint32_t *words = (uint32_t *)((uint8_t *)table(t, &t->header->attrs) + c->attr_offset);

	if (!c->attr_size)
		return false;
	words[draw(c->attr_size / 4)] += draw(2) ? 1 : ~0U;
	return true;
}

static bool drop_command(struct trial *t)
{
	struct drm_loom_plan_command *commands = table(t, &t->header->commands);
	struct drm_loom_plan_step *steps = table(t, &t->header->steps);
	uint32_t which = draw(t->header->commands.count), i;

	for (i = 0; i < t->header->steps.count; i++) {
		if (steps[i].first_command > which) {
			steps[i].first_command--;
			continue;
		}
		if (which < steps[i].first_command + steps[i].dma_commands)
			steps[i].dma_commands--;
		else if (which < steps[i].first_command + steps[i].dma_commands +
				 steps[i].compute_commands)
			steps[i].compute_commands--;
	}
	memmove(&commands[which], &commands[which + 1],
		(t->header->commands.count - which - 1) * sizeof(*commands));
	t->header->commands.count--;
	return true;
}

static bool swap_commands(struct trial *t)
{
	struct drm_loom_plan_command *commands = table(t, &t->header->commands), c;
	uint32_t which = draw(t->header->commands.count);

	if (which + 1 == t->header->commands.count)
		return false;
	c = commands[which];
	commands[which] = commands[which + 1];
	commands[which + 1] = c;
	return true;
}

/* All tensors live a step less from the second of two steps on. */
static void join_lives(const struct trial *t, uint32_t step)
{
	struct drm_loom_plan_tensor *tensors = table(t, &t->header->tensors);
	uint32_t i;

	for (i = 0; i < t->header->tensors.count; i++) {
		tensors[i].first_step -= tensors[i].first_step > step;
		tensors[i].last_step -= tensors[i].last_step > step;
	}
}

/* Merges two steps into one. */
static bool join_steps(struct trial *t)
{
	struct drm_loom_plan_command *commands = table(t, &t->header->commands), *sorted;
	struct drm_loom_plan_step *steps = table(t, &t->header->steps), *a, *b;
	uint32_t which = draw(t->header->steps.count), count = 0, i;

	if (which + 1 == t->header->steps.count)
		return false;
	a = &steps[which];
	b = a + 1;
	sorted = malloc((a->dma_commands + a->compute_commands + b->dma_commands +
			 b->compute_commands + 1) * sizeof(*sorted));
	for (i = 0; i < a->dma_commands; i++)
		sorted[count++] = commands[a->first_command + i];
	for (i = 0; i < b->dma_commands; i++)
		sorted[count++] = commands[b->first_command + i];
	for (i = 0; i < a->compute_commands; i++)
		sorted[count++] = commands[a->first_command + a->dma_commands + i];
	for (i = 0; i < b->compute_commands; i++)
		sorted[count++] = commands[b->first_command + b->dma_commands + i];
	memcpy(&commands[a->first_command], sorted, count * sizeof(*sorted));
	free(sorted);
	a->dma_commands += b->dma_commands;
	a->compute_commands += b->compute_commands;
	memmove(b, b + 1, (t->header->steps.count - which - 2) * sizeof(*b));
	t->header->steps.count--;
	join_lives(t, which);
	return true;
}

static bool read_only_slot(struct trial *t)
{
	struct drm_loom_plan_slot *slots = table(t, &t->header->slots);
	uint32_t slot = draw(t->header->slots.count);

	if (!(slots[slot].flags & DRM_LOOM_SLOT_WRITE))
		return false;
	slots[slot].flags = DRM_LOOM_SLOT_READ;
	return true;
}

static bool less_scratch(struct trial *t)
{
	t->header->scratch_bytes -= 8;
	return true;
}

/* Any byte: padding, flags, unused numbers. */
static bool other_byte(struct trial *t)
{
	((uint8_t *)t->header)[draw((uint32_t)t->header->size)] ^= 1U << draw(8);
	return t->header->size == t->program->plan_bytes;
}

static const struct {
	const char *name;
	bool (*apply)(struct trial *t);
} breaks[] = {
	{ "two tensors change places", swap_offsets },
	{ "a tensor lies elsewhere", move_tensor },
	{ "a tensor lives shorter", shorten_lifetime },
	{ "a tensor lives longer", lengthen_lifetime },
	{ "a view is shifted", shift_view },
	{ "a view begins in another lane", shift_lanes },
	{ "the views of a command are smaller", shrink_view },
	{ "a view goes slower", still_view },
	{ "a view is of another tensor", other_tensor },
	{ "operands change places", other_operand },
	{ "an attribute is different", other_attr },
	{ "a command is missing", drop_command },
	{ "two commands change places", swap_commands },
	{ "two steps are one", join_steps },
	{ "a slot is read-only", read_only_slot },
	{ "there is less scratch", less_scratch },
	{ "a bit is different", other_byte },
};

/* Rules that are about ranges where the checker sees bytes, or about what it does not check. */
static bool is_cautious(uint32_t rule)
{
	switch (rule) {
	case DRM_LOOM_RULE_TENSOR_STRIDE:
	case DRM_LOOM_RULE_TENSOR_EXTENT:
	case DRM_LOOM_RULE_VIEW_ALIGN:
	case DRM_LOOM_RULE_VIEW_DTYPE:
	case DRM_LOOM_RULE_VIEW_DISTINCT:
	case DRM_LOOM_RULE_ATTR:
	case DRM_LOOM_RULE_COST:
	case DRM_LOOM_RULE_UNINITIALISED:
	case DRM_LOOM_RULE_IN_PLACE:
	case DRM_LOOM_RULE_HAZARD:
		return true;
	}
	return false;
}

/* Faults that a plan may have although the verifier accepts it. */
static bool is_about_values(const struct loom_replay_fault *fault)
{
	return fault->kind == LOOM_REPLAY_VALUE || fault->kind == LOOM_REPLAY_COUNT ||
	       /* an output that is never written */
	       (fault->kind == LOOM_REPLAY_UNWRITTEN && fault->step == UINT32_MAX) ||
	       /* RESIZE of too small a view: the engine takes the nearest element of it */
	       (fault->kind == LOOM_REPLAY_BOUNDS && strstr(fault->text, "RESIZE"));
}

static bool run(const struct trial *t, const struct loom_program *program,
		struct loom_array *outputs, struct loom_error *err)
{
	struct loom_session *session = NULL;
	struct loom_target *target = NULL;
	uint32_t i;
	int ret;

	memset(outputs, 0, MAX_MAPS * sizeof(*outputs));
	ret = loom_target_open("host", t->chip, &target, err);
	if (!ret)
		ret = loom_session_create(target, program, &session, err);
	if (!ret && program->num_inputs)
		ret = loom_session_set_input(session, 0, &t->test->inputs[0], err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	for (i = 0; i < program->num_outputs && !ret; i++)
		ret = loom_session_get_output(session, i, &outputs[i], NULL);
	loom_session_destroy(session);
	loom_target_close(target);
	return !ret;
}

static bool same_bits(const struct trial *t, const struct loom_array *outputs)
{
	uint32_t i;

	for (i = 0; i < t->program->num_outputs; i++)
		if (memcmp(outputs[i].data, t->outputs[i].data, t->outputs[i].size_bytes))
			return false;
	return true;
}

static void clear(struct loom_array *outputs)
{
	uint32_t i;

	for (i = 0; i < MAX_MAPS; i++)
		loom_array_clear(&outputs[i]);
}

static bool disagree(const struct trial *t, const struct loom_replay_report *report,
		     const char *why)
{
	tap_note("%s: %s: %s", breaks[t->what].name, why,
		 report->num_listed ? report->faults[0].text : "no faults");
	return false;
}

/* Faults, but for those that only say that the counts are not those that were promised. */
static uint32_t real_faults(const struct loom_replay_report *report)
{
	uint32_t i, count = 0;

	for (i = 0; i < report->num_listed; i++)
		count += report->faults[i].kind != LOOM_REPLAY_COUNT;
	return count;
}

static bool agrees_on_passed(struct trial *t, const struct loom_replay_report *report)
{
	struct loom_array outputs[MAX_MAPS];
	struct loom_error err = { .text = "" };
	bool good = true, same;

	/* sizes that no buffer has, views that take too long to check: no planner makes these */
	if (breaks[t->what].apply == other_byte && report->num_faults)
		return true;
	if (report->num_listed && !is_about_values(&report->faults[0]))
		return disagree(t, report, "the verifier lets it pass");
	if (!run(t, &t->broken, outputs, &err))
		return disagree(t, report, err.text);
	same = same_bits(t, outputs);
	num_other_bits += !same;
	num_in_vain += same && real_faults(report);
	if (!same && !real_faults(report))
		good = disagree(t, report, "the engine computes something else");
	clear(outputs);
	return good;
}

static bool agrees(struct trial *t)
{
	struct loom_replay_report *report;
	struct drm_loom_reject reject;
	struct loom_plan *plan = NULL;
	struct loom_error err;
	bool good = true;
	int ret;

	num_broken++;
	num_done[t->what]++;
	ret = loom_plan_create(t->header, t->header->size, t->chip, &plan, &reject);
	if (loom_replay_program(&t->broken, &t->options, &report, &err))
		tap_fatal("%s", err.text);
	if (report->num_listed)
		num_found[report->faults[0].kind]++;
	num_caught[t->what] += real_faults(report) != 0;
	if (ret == -EBADMSG) {
		num_refused++;
		num_cautious += !real_faults(report);
		if (!real_faults(report) && !is_cautious(reject.rule) &&
		    breaks[t->what].apply != other_byte)
			good = disagree(t, report, loom_rule_text(reject.rule));
	} else if (ret) {
		tap_fatal("no memory");
	} else {
		good = agrees_on_passed(t, report);
	}
	loom_plan_destroy(plan);
	loom_replay_destroy(report);
	return good;
}

static bool try_breaks(struct trial *t)
{
	bool good = true;
	uint32_t i, which;

	for (i = 0; i < BREAKS && good; i++) {
		which = draw(ARRAY_SIZE(breaks));
		memcpy(t->header, t->program->plan, t->program->plan_bytes);
		t->what = which;
		if (breaks[which].apply(t))
			good = agrees(t);
	}
	return good;
}

static bool is_faultless(struct trial *t, const char *strategy)
{
	struct loom_replay_report *report;
	struct loom_error err;
	bool good;

	if (loom_replay_program(t->program, &t->options, &report, &err))
		tap_fatal("%s", err.text);
	num_plans++;
	good = !report->num_faults;
	if (!good)
		tap_note("%s: %s", strategy, report->faults[0].text);
	loom_replay_destroy(report);
	return good;
}

static bool try_plan(struct trial *t, const char *strategy)
{
	struct loom_planner_options options = { .chip = t->chip, .grouping = strategy };
	struct loom_program *reference;
	struct loom_error err;
	bool good;
	int ret;

	ret = loom_program_create(t->test->graph, &options, &t->program, &err);
	if (ret == -ENOSPC)
		return true;
	if (ret || loom_program_create_reference(t->test->graph, &options, NULL, &reference, &err))
		tap_fatal("%s", err.text);
	t->options.chip = t->chip;
	t->options.reference = reference;
	t->broken = *t->program;
	t->header = malloc(t->program->plan_bytes);
	if (!t->header)
		tap_fatal("no memory");
	memcpy(t->header, t->program->plan, t->program->plan_bytes);
	t->broken.plan = t->header;
	if (!run(t, t->program, t->outputs, &err))
		tap_fatal("%s", err.text);
	good = is_faultless(t, strategy) && try_breaks(t);
	if (!good)
		tap_note("strategy %s, %s", strategy, t->chip->name);
	clear(t->outputs);
	free(t->header);
	loom_program_destroy(reference);
	loom_program_destroy(t->program);
	return good;
}

static bool try_round(uint32_t round)
{
	struct test_case test = { 0 };
	struct trial trial = { .test = &test };
	struct loom_error err = { .text = "" };
	const char *name;
	bool good;
	uint32_t i;

	seed = round * 15485863 + 11;
	if (loom_graph_create("test", 14, &test.graph))
		tap_fatal("no memory");
	make_graph(&test);
	good = !loom_graph_finish(test.graph, NULL, &err);
	for (i = 0; (name = loom_grouping_name(i)) && good; i++) {
		trial.chip = &small[(round + i) % ARRAY_SIZE(small)];
		good = try_plan(&trial, name);
	}
	if (!good)
		tap_note("round %u: %s", round, err.text);
	loom_graph_destroy(test.graph);
	for (i = 0; i < test.num_inputs; i++)
		free(test.inputs[i].data);
	return good;
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	uint32_t rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : argc > 1 ? 1 : ROUNDS;
	uint32_t round, bad = 0, i;

	for (round = first; round < first + rounds; round++)
		bad += !try_round(round);
	tap_ok(!bad, "%u of %u graphs: checker, verifier and engine agree", rounds - bad, rounds);
	tap_note("%u plans without faults; %u were broken", num_plans, num_broken);
	tap_note("%u refused, %u of them out of caution; %u compute something else",
		 num_refused, num_cautious, num_other_bits);
	tap_note("%u with faults that do not show in these numbers", num_in_vain);
	if (argc > 1)
		return tap_end();
	for (i = 0; i < LOOM_REPLAY_KINDS; i++)
		tap_ok(num_found[i], "%s: found %u times", loom_replay_kind_name(i), num_found[i]);
	for (i = 0; i < ARRAY_SIZE(breaks); i++)
		tap_ok(num_caught[i], "%s: a fault %u of %u times", breaks[i].name, num_caught[i],
		       num_done[i]);
	tap_ok(num_cautious < num_refused / 10, "what is refused is faulty, nearly always");
	tap_ok(num_in_vain < num_broken / 4, "what is faulty is so for a reason, mostly");
	return tap_end();
}
