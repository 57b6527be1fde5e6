// SPDX-License-Identifier: MIT
/*
 * Graphs of more nodes than are divided in one go: longer groups are searched for behind a division
 * that is known. Whichever stays, the verifier takes the plan, and results are those of layer by
 * layer to the bit.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"

#define BLOCKS	80
#define ROWS	12

static void conv(struct test_case *test, const char *operand, const char *y, int64_t out,
		 int64_t in, int64_t k)
{
	char name[32], operands[40];

	snprintf(name, sizeof(name), "w%s", y);
	weight(test, name, 4, (int64_t[]){ out, in, k, k });
	attr_ints(test, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
	text(operands, operand, name);
	node(test, "Conv", operands, y);
}

/* Blocks with a shortcut, of changing width. */
static void make_long(struct test_case *test)
{
	char x[32] = "in", at[32], next[32], operands[80];
	int64_t width = 3, wider;
	uint32_t i;

	input(test, "in", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, width, ROWS, ROWS });
	for (i = 0; i < BLOCKS; i++) {
		wider = 1 + draw(12);
		snprintf(at, sizeof(at), "a%u", i);
		conv(test, x, at, wider, width, 1);
		width = wider;
		snprintf(next, sizeof(next), "b%u", i);
		conv(test, at, next, width, width, draw(2) ? 3 : 1);
		snprintf(operands, sizeof(operands), "%s %s", next, at);
		snprintf(next, sizeof(next), "c%u", i);
		node(test, "Mul", operands, next);
		snprintf(operands, sizeof(operands), "%s %s", next, at);
		snprintf(x, sizeof(x), "d%u", i);
		node(test, "Add", operands, x);
	}
	loom_graph_add_output(test->graph, x);
	for (i = 7; i < BLOCKS; i += 1 + draw(9)) {
		snprintf(at, sizeof(at), "a%u", i);
		loom_graph_add_output(test->graph, at);
	}
}

int main(void)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .objective = LOOM_OBJECTIVE_BYTES,
	};
	struct outcome plain, outcome;
	struct loom_error err;
	struct test_case test;
	uint32_t which;

	for (which = 1; which <= 6; which++) {
		const struct drm_loom_chip chip = CHIP("tight", (1, 1, 1ULL << 32, 0, 64),
						       (1, 1, 6144 + 6144 * which, 0, 64));

		how.chip = &chip;
		how.grouping = "layerwise";
		make_case_of(&test, which, 14, make_long);
		if (outcome_plan(&plain, test.graph, &how, test.inputs, test.num_inputs, &err))
			tap_fatal("layer by layer: %s", err.text);
		how.grouping = "layergroup";
		err.text[0] = '\0';
		if (outcome_plan(&outcome, test.graph, &how, test.inputs, test.num_inputs, &err))
			tap_note("%s", err.text);
		tap_ok(!*err.text && outcome_same(&plain, &outcome), "graph %u: the same bits",
		       which);
		outcome_clear(&plain);
		outcome_clear(&outcome);
		free_case(&test);
	}
	return tap_end();
}
