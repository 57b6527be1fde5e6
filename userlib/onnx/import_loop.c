// SPDX-License-Identifier: MIT
/*
 * Importers of Loop and Scan. Their bodies are unrolled, so that a plan has no jumps and the
 * planner sees plain nodes. The number of rounds must be known when the model is planned: from
 * constants, shapes, and inputs that are bound.
 *
 * If the data decide when a Loop ends, its trip count is the number of rounds that are planned. All
 * of them run; those behind the end keep the states, and the elements of results of all rounds are
 * 0 there. NAME.count says how many rounds counted, as for import_select.c.
 */
#include "import.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/* limit on the rounds, which bounds the time */
#define MOST_ROUNDS	2048
#define MOST_SCANS	32

/**
 * struct loop - a node that is unrolled
 * @im: the node
 * @body: its body
 * @states: values that go from one round to the next
 * @alive: the round counts, a bool that depends on data; NULL: it does
 * @rounds: number of earlier rounds that counted, I32, if there is @alive
 * @scans: results that have an element for each round
 * @inputs: of the body in this round
 * @outputs: of the body in this round
 * @parts: of each of @scans, its elements by round
 * @cap_parts: capacity of @parts
 * @axis: of each of @scans: axis along which they are stacked
 * @backwards: of each of @scans: the first round is the last element
 */
struct loop {
	struct loom_import *im;
	const struct loom_source_body *body;
	uint32_t states;
	struct loom_value *alive;
	struct loom_value *rounds;
	uint32_t scans;
	struct loom_value **inputs;
	struct loom_value **outputs;
	struct loom_value **parts[MOST_SCANS];
	uint32_t cap_parts[MOST_SCANS];
	int64_t axis[MOST_SCANS];
	bool backwards[MOST_SCANS];
};

/*
 * @inputs of the body, of which the first @before are no states; its first results are no states
 *	either
 */
static bool begin(struct loop *l, struct loom_import *im, uint32_t inputs, uint32_t before)
{
	const struct loom_source_body *body = im->node->body;

	*l = (struct loop){ .im = im, .body = body };
	if (!body) {
		loom_import_fail(im, -EINVAL, "it has no body");
		return false;
	}
	if (body->num_inputs != inputs) {
		loom_import_fail(im, -EINVAL, "its body has %u inputs, and not %u",
				 body->num_inputs, inputs);
		return false;
	}
	l->states = inputs - before;
	if (body->num_outputs < l->states || im->node->desc.num_outputs > body->num_outputs) {
		loom_import_fail(im, -EINVAL, "its body has %u results, too few for %u states",
				 body->num_outputs, l->states);
		return false;
	}
	l->inputs = loom_pool_array(im->graph->pool, body->num_inputs + 1, sizeof(*l->inputs));
	l->outputs = loom_pool_array(im->graph->pool, body->num_outputs + 1, sizeof(*l->outputs));
	if (!l->inputs || !l->outputs)
		loom_import_fail(im, -ENOMEM, "out of memory");
	return !im->em->status;
}

static bool set_scans(struct loop *l, uint32_t scans)
{
	l->scans = scans;
	if (scans > MOST_SCANS)
		loom_import_fail(l->im, -EOPNOTSUPP, "more than %d results of all rounds",
				 MOST_SCANS);
	return !l->im->em->status;
}

/* A state after a round that may not count. */
static struct loom_value *if_alive(struct loop *l, uint32_t state, struct loom_value *now,
				   struct loom_value *before)
{
	if (!l->alive || !before)
		return now;
	if (loom_dims_equal(now, before))
		return loom_emit_select(l->im->em, l->alive, now, before);
	loom_import_fail(l->im, -EOPNOTSUPP,
			 "state %u changes its shape, and the data say how often it runs", state);
	return NULL;
}

/* An element of a result of all rounds. */
static struct loom_value *part_if_alive(struct loop *l, struct loom_value *part)
{
	if (!l->alive)
		return part;
	return loom_emit_select(l->im->em, l->alive, part,
				loom_emit_scalar(l->im->em, part->dtype, 0));
}

/* One more round; its states are inputs of the next. */
static bool run_round(struct loop *l, int64_t round, uint32_t first_state, uint32_t first_result)
{
	uint32_t i;

	if (round == MOST_ROUNDS) {
		loom_import_fail(l->im, -EOPNOTSUPP, "it runs more than %d times", MOST_ROUNDS);
		return false;
	}
	if (!l->im->repeat(l->im, l->inputs, l->outputs, (uint32_t)round))
		return false;
	for (i = 0; i < l->states; i++) {
		struct loom_value *before = l->inputs[first_state + i];
		struct loom_value *now = l->outputs[first_result + i];

		if (before && before->dtype != now->dtype) {
			loom_import_fail(l->im, -EINVAL, "state %u becomes %s, and was %s", i,
					 loom_dtype_name(now->dtype),
					 loom_dtype_name(before->dtype));
			return false;
		}
		l->inputs[first_state + i] = if_alive(l, i, now, before);
		if (l->im->em->status)
			return false;
	}
	for (i = 0; i < l->scans; i++) {
		l->parts[i] = loom_pool_grow(l->im->graph->pool, l->parts[i], (uint32_t)round,
					     &l->cap_parts[i], sizeof(*l->parts[i]));
		if (!l->parts[i]) {
			loom_import_fail(l->im, -ENOMEM, "out of memory");
			return false;
		}
		l->parts[i][round] = part_if_alive(l, l->outputs[first_result + l->states + i]);
	}
	return true;
}

/* The elements of a result have one shape. */
static bool parts_fit(struct loop *l, uint32_t index, int64_t rounds)
{
	const struct loom_value *one = rounds ? l->parts[index][0] : NULL, *other;
	char a[LOOM_DIMS_TEXT], b[LOOM_DIMS_TEXT];
	int64_t i;

	if (!rounds || one->rank == LOOM_GRAPH_RANK) {
		loom_import_fail(l->im, -EOPNOTSUPP, rounds ? "result %u has too many axes" :
				 "it never runs, so result %u has no shape", l->states + index);
		return false;
	}
	for (i = 1; i < rounds; i++) {
		other = l->parts[index][i];
		if (loom_dims_equal(other, one) && other->dtype == one->dtype)
			continue;
		loom_import_fail(l->im, -EINVAL,
				 "result %u is %s %s in one round and %s %s in another",
				 l->states + index, loom_dtype_name(one->dtype),
				 loom_dims_print(a, sizeof(a), one->rank, one->dims),
				 loom_dtype_name(other->dtype),
				 loom_dims_print(b, sizeof(b), other->rank, other->dims));
		return false;
	}
	return true;
}

/* Stacks all elements of a result along a new axis. */
static struct loom_value *stack(struct loop *l, uint32_t index, int64_t rounds)
{
	struct loom_value **parts = l->parts[index], *swap;
	int64_t dims[LOOM_GRAPH_RANK], i;
	uint32_t axis, rank, k;

	if (!parts_fit(l, index, rounds))
		return NULL;
	rank = parts[0]->rank + 1;
	axis = loom_import_axis(l->im, l->axis[index], rank);
	for (k = 0; k + 1 < rank; k++)
		dims[k + (k >= axis)] = parts[0]->dims[k];
	dims[axis] = 1;
	for (i = 0; i < rounds; i++)
		parts[i] = loom_emit_reshape(l->im->em, parts[i], rank, dims);
	for (i = 0; l->backwards[index] && i < rounds / 2; i++) {
		swap = parts[i];
		parts[i] = parts[rounds - 1 - i];
		parts[rounds - 1 - i] = swap;
	}
	if (l->im->em->status)
		return NULL;
	return axis ? loom_emit_concat(l->im->em, (uint32_t)rounds, parts, axis) :
		      loom_import_stack(l->im, parts, rounds);
}

static void give_results(struct loop *l, uint32_t first_state, int64_t rounds)
{
	uint32_t i;

	for (i = 0; i < l->states; i++)
		loom_import_result(l->im, i, l->inputs[first_state + i]);
	for (i = 0; i < l->scans && !l->im->em->status; i++)
		if (loom_import_wants(l->im, l->states + i))
			loom_import_result(l->im, l->states + i, stack(l, i, rounds));
}

/* The next round counts if the one before did, and the condition holds. */
static void follow(struct loop *l, struct loom_value *condition)
{
	struct loom_emitter *em = l->im->em;
	struct loom_value *counts;

	condition = loom_emit_reshape(em, condition, 0, NULL);
	l->alive = l->alive ? loom_emit_binary(em, LOOM_GBIN_AND, l->alive, condition) : condition;
	counts = loom_emit_cast(em, l->alive, DRM_LOOM_DTYPE_I32);
	l->rounds = loom_emit_binary(em, LOOM_GBIN_ADD, l->rounds, counts);
}

/*
 * Whether there may be a round more after @rounds of at most @count. The condition must be known if
 * the count is not.
 */
static bool goes_on(struct loop *l, struct loom_value *condition, int64_t rounds, int64_t count)
{
	if (l->im->em->status || rounds >= count)
		return false;
	if (!condition)
		return true;
	if (condition->num_elems != 1 || condition->dtype != DRM_LOOM_DTYPE_BOOL) {
		loom_import_fail(l->im, -EINVAL, "its condition is not one bool");
		return false;
	}
	if (condition->data && !loom_value_int(condition, 0))
		return false;
	if (condition->data && !l->alive)
		return true;
	if (count > MOST_ROUNDS) {
		loom_import_fail(l->im, -EOPNOTSUPP,
				 "how often it runs depends on the data, and no trip count of at most %d limits it",
				 MOST_ROUNDS);
		return false;
	}
	if (!l->alive)
		l->rounds = loom_emit_scalar(l->im->em, DRM_LOOM_DTYPE_I32, (double)rounds);
	follow(l, condition);
	return !l->im->em->status;
}

/* inputs of the body: round, condition, states; its results: condition, states, parts of others */
void loom_import_loop(struct loom_import *im, int unused)
{
	uint32_t operands = im->node->body ? im->node->body->num_operands : 0, i;
	struct loom_value *most = NULL, *condition = NULL;
	int64_t round = 0, count = MOST_ROUNDS + 1;
	struct loop l;

	(void)unused;
	if (loom_import_has(im, 0) && operands)
		most = loom_import_known(im, 0);
	if (loom_import_has(im, 1) && operands > 1)
		condition = loom_import_operand(im, 1);
	if (im->em->status || !begin(&l, im, operands < 2 ? 2 : operands, 2))
		return;
	if (most && (most->num_elems != 1 || !loom_dtype_is_int(most->dtype)))
		loom_import_fail(im, -EINVAL, "its trip count is not one integer");
	else if (most)
		count = loom_value_int(most, 0);
	if (l.body->num_outputs == l.states)
		loom_import_fail(im, -EINVAL, "its body gives no condition");
	else
		set_scans(&l, l.body->num_outputs - l.states - 1);
	for (i = 0; i < l.states; i++)
		l.inputs[2 + i] = loom_import_operand(im, 2 + i);
	while (goes_on(&l, condition, round, count)) {
		l.inputs[0] = loom_emit_ints(im->em, 1, &round);
		l.inputs[0] = loom_emit_reshape(im->em, l.inputs[0], 0, NULL);
		l.inputs[1] = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_BOOL, 1);
		if (!run_round(&l, round++, 2, 1))
			return;
		condition = l.outputs[0];
	}
	give_results(&l, 2, round);
	if (l.alive)
		loom_import_add_count(im, l.rounds);
}

/* Element @index of axis @axis, without that axis. */
static struct loom_value *element(struct loom_import *im, struct loom_value *x, uint32_t axis,
				  int64_t index)
{
	struct loom_gslice slice = { .start = { 0 } };
	int64_t counts[LOOM_GRAPH_RANK], dims[LOOM_GRAPH_RANK];
	uint32_t i, rank = 0;

	for (i = 0; i < x->rank; i++) {
		slice.step[i] = 1;
		counts[i] = i == axis ? 1 : x->dims[i];
		if (i != axis)
			dims[rank++] = x->dims[i];
	}
	slice.start[axis] = index;
	return loom_emit_reshape(im->em, loom_emit_slice(im->em, x, &slice, counts), rank, dims);
}

/**
 * struct scanned - an operand of Scan, one element per round
 * @x: the operand
 * @axis: the axis of the rounds
 * @backwards: the first round gets the last one
 */
struct scanned {
	struct loom_value *x;
	uint32_t axis;
	bool backwards;
};

/* Reads operands from @first on. Returns the number of rounds. */
static int64_t read_scanned(struct loom_import *im, struct scanned *of, uint32_t count,
			    uint32_t first)
{
	int64_t axes[MOST_SCANS] = { 0 }, backwards[MOST_SCANS] = { 0 }, rounds = 0, steps;
	uint32_t i;

	loom_attr_ints(im, "scan_input_axes", axes, MOST_SCANS);
	loom_attr_ints(im, "scan_input_directions", backwards, MOST_SCANS);
	for (i = 0; i < count && !im->em->status; i++) {
		of[i].x = loom_import_operand(im, first + i);
		if (!of[i].x)
			return 0;
		of[i].axis = loom_import_axis(im, axes[i], of[i].x->rank);
		of[i].backwards = backwards[i] != 0;
		steps = im->em->status ? 0 : of[i].x->dims[of[i].axis];
		if (i && steps != rounds)
			loom_import_fail(im, -EINVAL, "its operands have %lld and %lld elements",
					 (long long)rounds, (long long)steps);
		rounds = steps;
	}
	return rounds;
}

/* inputs of the body: states, an element of each other operand; its results: states, parts */
void loom_import_scan(struct loom_import *im, int unused)
{
	uint32_t operands = im->node->body ? im->node->body->num_operands : 0, i;
	int64_t scanned = loom_attr_int(im, "num_scan_inputs", 0), round, rounds;
	int64_t backwards[MOST_SCANS] = { 0 };
	struct scanned of[MOST_SCANS];
	struct loop l;

	(void)unused;
	if (im->opset < 9)
		loom_import_fail(im, -EOPNOTSUPP, "it is not supported before opset 9");
	if (scanned < 1 || scanned > MOST_SCANS || scanned > operands)
		loom_import_fail(im, -EINVAL, "num_scan_inputs %lld is out of range",
				 (long long)scanned);
	if (im->em->status || !begin(&l, im, operands, (uint32_t)scanned) ||
	    !set_scans(&l, l.body->num_outputs - l.states))
		return;
	loom_attr_ints(im, "scan_output_axes", l.axis, MOST_SCANS);
	loom_attr_ints(im, "scan_output_directions", backwards, MOST_SCANS);
	for (i = 0; i < MOST_SCANS; i++)
		l.backwards[i] = backwards[i] != 0;
	for (i = 0; i < l.states; i++)
		l.inputs[i] = loom_import_operand(im, i);
	rounds = read_scanned(im, of, (uint32_t)scanned, l.states);
	for (round = 0; round < rounds && !im->em->status; round++) {
		for (i = 0; i < scanned; i++)
			l.inputs[l.states + i] = element(im, of[i].x, of[i].axis, of[i].backwards ?
							 rounds - 1 - round : round);
		if (!run_round(&l, round, 0, 0))
			return;
	}
	give_results(&l, 0, rounds);
}
