// SPDX-License-Identifier: MIT
/*
 * A map that just fits in the SRAM, x + x * scale of it, as squeeze-and-excite has it: computed in
 * the place of x nothing of it goes to DRAM. Where x is still needed afterwards, or is not of the
 * same shape, it cannot be overwritten. Results are those of layer by layer to the bit, always.
 */
#include "case.h"
#include "chips.h"
#include "outcome.h"

#define CHANNELS	16
#define ROWS		20
#define MAP_BYTES	(CHANNELS * ROWS * ROWS * 4)

/* Other uses of x in the graph. */
enum variant {
	PLAIN,
	READ_LATER,
	SEEN_OUTSIDE,
	HALO,
	VARIANTS,
};

static const char *const names[] = {
	"nothing else reads it", "it is read later", "it is an output", "a window reads it, too",
};

static void conv(struct test_case *test, const char *name, const char *operands, const char *y,
		 int64_t out, int64_t in, int64_t k)
{
	weight(test, name, 4, (int64_t[]){ out, in, k, k });
	attr_ints(test, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
	node(test, "Conv", operands, y);
}

static void make_graph_of(struct test_case *test, enum variant variant)
{
	case_begin(test, 99, 14);
	input(test, "in", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 2, ROWS, ROWS });
	conv(test, "w0", "in w0", "x", CHANNELS, 2, 3);
	node(test, "GlobalAveragePool", "x", "mean");
	conv(test, "w1", "mean w1", "scale", CHANNELS, CHANNELS, 1);
	case_add(test, "scaled = Mul x scale; sum = Add x scaled");
	if (variant == HALO) {
		conv(test, "w3", "x w3", "other", CHANNELS, CHANNELS, 3);
		node(test, "Mul", "sum other", "both");
		conv(test, "w2", "both w2", "y", 2, CHANNELS, 3);
	} else if (variant == READ_LATER) {
		conv(test, "w2", "sum w2", "z", CHANNELS, CHANNELS, 3);
		node(test, "Sub", "z x", "y");
	} else {
		conv(test, "w2", "sum w2", "y", 2, CHANNELS, 3);
	}
	loom_graph_add_output(test->graph, "y");
	if (variant == SEEN_OUTSIDE)
		loom_graph_add_output(test->graph, "x");
	case_finish(test);
}

static uint64_t least_bytes(const struct loom_program *program)
{
	uint64_t bytes = program->stats.weights_bytes;
	uint32_t i;

	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	return bytes;
}

static void test_variant(enum variant variant, uint32_t objective)
{
	/* the map, and a third of it */
	const struct drm_loom_chip chip =
		CHIP("tight", (1, 1, 1ULL << 32, 0, 64), (1, 1, MAP_BYTES * 4 / 3, 0, 64));
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = &chip, .objective = objective,
	};
	struct outcome plain, outcome;
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	struct test_case test;
	bool least, same;

	make_graph_of(&test, variant);
	if (outcome_plan(&plain, test.graph, &how, test.inputs, test.num_inputs, &err))
		tap_fatal("layer by layer: %s", err.text);
	how.grouping = "layergroup";
	if (loom_program_create(test.graph, &how, &program, &err) ||
	    outcome_run(&outcome, program, &chip, test.inputs, test.num_inputs, &err))
		tap_fatal("%s", err.text);
	same = outcome_same(&plain, &outcome) && !outcome_judge(test.graph, &how, program, &err);
	tap_ok(same, "%s, objective %u: the same bits %s", names[variant], objective, err.text);
	least = outcome_dram_bytes(&outcome) == least_bytes(program);
	tap_ok(least == (variant == PLAIN), "%s, objective %u: %llu DRAM bytes of at least %llu",
	       names[variant], objective, (unsigned long long)outcome_dram_bytes(&outcome),
	       (unsigned long long)least_bytes(program));
	outcome_clear(&plain);
	outcome_clear(&outcome);
	loom_program_destroy(program);
	free_case(&test);
}

int main(void)
{
	enum variant variant;

	for (variant = PLAIN; variant < VARIANTS; variant++) {
		test_variant(variant, LOOM_OBJECTIVE_BYTES);
		test_variant(variant, LOOM_OBJECTIVE_TIME);
	}
	return tap_end();
}
