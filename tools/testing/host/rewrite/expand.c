// SPDX-License-Identifier: MIT
/*
 * Products whose weights have 4 bits: where loading takes long they stay packed, where operations
 * on elements take long the plan has floats, and both have the same bits.
 */
#include "nets.h"

#include "graph/emit.h"
#include "graph/pass.h"
#include "onnx/source.h"
#include "rewrite/rewrite.h"

/* @weights: number of them */
static const struct {
	const char *net;
	unsigned int weights;
} nets[] = {
	{ "x f32 2 96; w = u8 40 3 16; s = f32 120; "
	  "y = com.microsoft.MatMulNBits x w s K=96 N=40 block_size=32", 96 * 40 },
	{ "x f32 2 96; w = u8 40 3 16; s = f32 120; z = u8 80; "
	  "y = com.microsoft.MatMulNBits x w s z K=96 N=40 block_size=32", 96 * 40 },
	{ "x f16 1 90; w = u8 40 3 16; s = f16 120; z = u8 80; "
	  "y = com.microsoft.MatMulNBits x w s z K=90 N=40 block_size=32", 96 * 40 },
	{ "x f32 2 96; w = u8 40 3 16; s = f32 120; z = f32 120; "
	  "y = com.microsoft.MatMulNBits x w s z K=96 N=40 block_size=32", 96 * 40 },
	/* so many that all values of f16 are looked up */
	{ "x f16 1 1024; w = u8 256 32 16; s = f16 8192; "
	  "y = com.microsoft.MatMulNBits x w s K=1024 N=256 block_size=32", 1024 * 256 },
};

/* those of the current net */
static unsigned int weights;

/* those of the last plan */
static unsigned long long commands;

static bool is_packed(const struct test_case *test, const struct loom_planner_options *options,
		      const struct loom_program *program, struct loom_error *err)
{
	(void)test;
	(void)options;
	return program->stats.weights_bytes < weights ||
	       outcome_fail(err, "%llu bytes of weights",
			    (unsigned long long)program->stats.weights_bytes);
}

static bool is_expanded(const struct test_case *test, const struct loom_planner_options *options,
			const struct loom_program *program, struct loom_error *err)
{
	(void)test;
	(void)options;
	return program->stats.weights_bytes > weights ||
	       outcome_fail(err, "%llu bytes of weights",
			    (unsigned long long)program->stats.weights_bytes);
}

/* "soft" with one rate of all memory, and one of all operations on elements. */
static struct drm_loom_chip rated(uint32_t memory, uint32_t elements)
{
	struct drm_loom_chip chip = *loom_preset_find("soft");
	uint32_t i;

	memset(chip.name, 0, sizeof(chip.name));
	memcpy(chip.name, "rated", 6);
	chip.region[DRM_LOOM_REGION_DRAM].read_rate = memory;
	for (i = 0; i < ARRAY_SIZE(chip.type); i++)
		if (chip.type[i].op_rate)
			chip.type[i].op_rate = elements;
	return chip;
}

/* A result in between that is read elsewhere, too, and one that is read with other dimensions. */
static void test_readers(void)
{
	const int64_t wide[] = { 2, 3 }, high[] = { 3, 2 };
	struct loom_value *inputs[2], *outputs[2], *w, *low, *turned;
	struct loom_emitter em = { 0 };
	struct loom_graph *to;
	bool good;
	uint32_t i;

	if (loom_graph_alloc("readers", &em.graph))
		tap_fatal("no memory");
	loom_emit_source(&em, "n", "N", 0);
	inputs[0] = loom_value_create(em.graph, "a", DRM_LOOM_DTYPE_U8, 2, wide);
	inputs[1] = loom_value_create(em.graph, "b", DRM_LOOM_DTYPE_U8, 2, high);
	w = loom_emit_const(&em, DRM_LOOM_DTYPE_U8, 2, wide);
	for (i = 0; i < 6; i++)
		loom_value_set_int(w, i, 10 + i);
	w->held = true;
	low = loom_emit_binary(&em, LOOM_GBIN_MOD, w,
			       loom_emit_scalar(&em, DRM_LOOM_DTYPE_U8, 4));
	w = loom_emit_binary(&em, LOOM_GBIN_DIV, low,
			     loom_emit_scalar(&em, DRM_LOOM_DTYPE_U8, 2));
	turned = loom_emit_reshape(&em, w, 2, high);
	outputs[0] = loom_emit_binary(&em, LOOM_GBIN_ADD, inputs[0], low);
	outputs[1] = loom_emit_binary(&em, LOOM_GBIN_ADD, inputs[1], turned);
	for (i = 0; i < 2; i++) {
		inputs[i]->is_input = true;
		outputs[i]->is_output = true;
	}
	em.graph->inputs = inputs;
	em.graph->outputs = outputs;
	em.graph->num_inputs = 2;
	em.graph->num_outputs = 2;
	if (loom_graph_prune(em.graph))
		tap_fatal("no memory");
	good = !loom_rewrite_expand(em.graph, loom_preset_find("soft"), 1 << 18, &to);
	for (i = 0; i < 6 && good; i++)
		good = loom_value_int(to->values[low->id], i) == (10 + i) % 4 &&
		       loom_value_int(to->values[w->id], i) == (10 + i) % 4 / 2;
	tap_ok(good, "results in between that others read are constants");
	loom_graph_destroy(to);
	loom_graph_destroy(em.graph);
}

/* Weights of three products, one with zero points of its own form, one without whole rows. */
#define SIBLINGS \
	"x f16 2 256; w = u8 128 8 16; s = f16 1024; z = u8 512; v = u8 256 8 16; t = f16 2048; " \
	"o = u8 1024; u = u8 40 8 16; r = f16 320; p = u8 160; g = f16 40; f = u8 40 8 16; "
#define SHAPE	" K=256 block_size=32 N="

static bool has_commands(const struct test_case *test, const struct loom_planner_options *options,
			 const struct loom_program *program, struct loom_error *err)
{
	(void)test;
	(void)options;
	(void)err;
	commands = program->stats.commands;
	return true;
}

/* Products of one operand are computed at once, with the bits of products of equal operands. */
static void test_siblings(const struct drm_loom_chip *chip)
{
	static const char *const texts[] = {
		SIBLINGS "a = com.microsoft.MatMulNBits x w s z" SHAPE "128; "
		"b = com.microsoft.MatMulNBits x v t o" SHAPE "256; "
		"c = com.microsoft.MatMulNBits x u r p - g" SHAPE "40; "
		"y = com.microsoft.MatMulNBits x f r" SHAPE "40; > a; > b; > c",
		SIBLINGS "x1 = Identity x; x2 = Identity x; x3 = Identity x; "
		"a = com.microsoft.MatMulNBits x w s z" SHAPE "128; "
		"b = com.microsoft.MatMulNBits x1 v t o" SHAPE "256; "
		"c = com.microsoft.MatMulNBits x2 u r p - g" SHAPE "40; "
		"y = com.microsoft.MatMulNBits x3 f r" SHAPE "40; > a; > b; > c",
	};
	struct outcome outcomes[2];
	unsigned long long counts[2];
	uint32_t i;

	for (i = 0; i < 2; i++) {
		struct test_case test = net_make(texts[i]);

		tap_ok(net_run(&test, chip, NULL, &outcomes[i], has_commands), "%s",
		       i ? "each for itself" : "products of one operand");
		counts[i] = commands;
		free_case(&test);
	}
	tap_ok(counts[0] < counts[1], "%llu commands instead of %llu", counts[0],
	       counts[1]);
	tap_ok(are_near(&outcomes[0], &outcomes[1], 0), "results have the same bits");
	outcome_clear(&outcomes[0]);
	outcome_clear(&outcomes[1]);
}

/* A tensor of the model has its name, also if its node is computed with another. */
static void test_names(void)
{
	const struct loom_graph_options all = {
		.flags = LOOM_GRAPH_KEEP_ALL | LOOM_GRAPH_OUTPUT_ALL,
	};
	struct test_case test;
	struct loom_error err;
	uint32_t i, found = 0;

	case_begin(&test, 11, 13);
	case_add(&test, SIBLINGS "a = com.microsoft.MatMulNBits x w s z" SHAPE "128; "
		 "b = com.microsoft.MatMulNBits x v t o" SHAPE "256; c = Neg b; > a; > c");
	if (loom_graph_finish(test.graph, &all, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < test.graph->num_outputs; i++)
		found += !strcmp(test.graph->outputs[i]->name, "b");
	tap_ok(found == 1, "the second of two products has its name");
	free_case(&test);
}

/* An error of the second node has its name. */
static void test_wrong(void)
{
	struct test_case test;
	struct loom_error err;

	case_begin(&test, 11, 13);
	case_add(&test, SIBLINGS "q = u8 256 8 15; a = com.microsoft.MatMulNBits x w s z" SHAPE
		 "128; b = com.microsoft.MatMulNBits x q t o" SHAPE "256; > a; > b");
	test.graph->source->nodes[1]->desc.name = "b";
	tap_ok(loom_graph_finish(test.graph, NULL, &err) == -EINVAL && strstr(err.text, "\"b\""),
	       "%s", err.text);
	free_case(&test);
}

/* The reference of a chip that prefers the other form, in the form of the program. */
static void test_reference(const char *net, const struct drm_loom_chip *chip,
			   const struct drm_loom_chip *other)
{
	struct loom_planner_options how = { .chip = chip, .effort = LOOM_EFFORT_ONCE };
	struct test_case test = net_make(net);
	struct loom_program *program, *reference = NULL;
	struct loom_error err = { .text = "" };
	int ret;

	ret = loom_program_create(test.graph, &how, &program, &err);
	how.chip = other;
	if (!ret)
		ret = loom_program_create_reference(test.graph, &how, program, &reference, &err);
	if (!ret)
		ret = outcome_replay_beside(program, reference, chip, &err);
	tap_ok(!ret, "a reference in the form of the program: %s", err.text);
	loom_program_destroy(reference);
	loom_program_destroy(program);
	free_case(&test);
}

/* The least limits that a plan keeps: one form is planned then, and the other is given up. */
static void test_limits(const struct drm_loom_chip *chip)
{
	struct loom_planner_options how = { .chip = chip, .effort = LOOM_EFFORT_ONCE };
	struct test_case test = net_make(nets[0].net);
	struct loom_program *program;
	struct loom_error err;
	int ret;

	weights = nets[0].weights;
	how.max_work = 500;
	while ((ret = loom_program_create(test.graph, &how, &program, &err)) == -ETIME)
		how.max_work += how.max_work / 8;
	tap_ok(!ret, "a limit of work: %llu", (unsigned long long)how.max_work);
	loom_program_destroy(program);
	how.max_work = 0;
	how.max_memory_bytes = 8192;
	while ((ret = loom_program_create(test.graph, &how, &program, &err)) == -ENOMEM)
		how.max_memory_bytes += how.max_memory_bytes / 8;
	tap_ok(!ret && is_packed(&test, &how, program, &err), "a limit of memory: %llu",
	       (unsigned long long)how.max_memory_bytes);
	loom_program_destroy(program);
	free_case(&test);
}

int main(void)
{
	const struct drm_loom_chip slow = rated(100, 64000), fast = rated(1024000, 100);
	struct outcome packed, expanded;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(nets); i++) {
		struct test_case test = net_make(nets[i].net);

		weights = nets[i].weights;
		tap_ok(net_run(&test, &slow, NULL, &packed, is_packed),
		       "weights stay packed where memory is slow");
		tap_ok(net_run(&test, &fast, NULL, &expanded, is_expanded),
		       "they are expanded where operations are slow");
		tap_ok(are_near(&packed, &expanded, 0), "results have the same bits");
		test_reference(nets[i].net, &slow, &fast);
		test_reference(nets[i].net, &fast, &slow);
		outcome_clear(&packed);
		outcome_clear(&expanded);
		free_case(&test);
	}
	test_siblings(loom_preset_find("bm1684x"));
	test_names();
	test_wrong();
	test_readers();
	test_limits(&fast);
	return tap_end();
}
