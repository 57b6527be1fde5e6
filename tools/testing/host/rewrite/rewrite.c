// SPDX-License-Identifier: MIT
/*
 * Chips that lack operations: a rewritten network computes the same as on a chip that has them, to
 * the bit where the order of sums is the same, and no command is one that the chip has not.
 */
#include "loom_planner.h"
#include "nets.h"

#include <errno.h>

#define BIT(opcode)	(1ULL << DRM_LOOM_OP_##opcode)

/* parts of the largest result: of a few operations, and of a network */
#define NEAR	(1 / 1000000.0)
#define FAR	(1 / 100000.0)

/**
 * struct row - a network on a chip without some operations
 * @name: of the case
 * @net: the network
 * @without: mask of the operations that the chip lacks
 * @slack: how far results may be from those of a whole chip, as part of the largest; 0: same bits
 */
struct row {
	const char *name;
	const char *net;
	uint64_t without;
	double slack;
};

static const struct row rows[] = {
	{ "a convolution as a product", net_conv, BIT(CONV), 0 },
	{ "a pointwise convolution as a product", net_pointwise, BIT(CONV), 0 },
	{ "depthwise and grouped convolutions as products", net_depthwise, BIT(CONV), 0 },
	{ "a convolution over one axis as a product", net_conv1d, BIT(CONV), 0 },
	{ "a quantised convolution as a product", net_qconv, BIT(CONV), 0 },
	{ "a convolution without FILL", net_conv, BIT(CONV) | BIT(FILL), 0 },
	{ "a transposed convolution as a convolution", net_deconv, BIT(DECONV), NEAR },
	{ "a transposed convolution as a product", net_deconv, BIT(DECONV) | BIT(CONV), NEAR },
	{ "a product with weights as a convolution", net_matmul, BIT(MATMUL), 0 },
	{ "batches of products as a convolution", net_attention, BIT(MATMUL), 0 },
	{ "a product with factors as a convolution", net_gemm, BIT(MATMUL), NEAR },
	{ "a quantised product as a convolution", net_qmatmul, BIT(MATMUL), 0 },
	{ "softmax by steps", net_softmax, BIT(SOFTMAX), NEAR },
	{ "maxima by comparisons", net_pool_max, BIT(POOL), 0 },
	{ "maxima without POOL and REDUCE", net_pool_max, BIT(POOL) | BIT(REDUCE), 0 },
	{ "means by sums", net_pool_avg, BIT(POOL), NEAR },
	{ "means without POOL and REDUCE", net_pool_avg, BIT(POOL) | BIT(REDUCE), NEAR },
	{ "reductions by pooling", net_reduce, BIT(REDUCE), NEAR },
	{ "reductions by halves", net_reduce, BIT(REDUCE) | BIT(POOL), NEAR },
	{ "selection by maxima and sums", net_select, BIT(SELECT), 0 },
	{ "gathering by products and comparisons", net_gather, BIT(GATHER), 0 },
	{ "gathering without SELECT", net_gather, BIT(GATHER) | BIT(SELECT), 0 },
	{ "nearest neighbours by copies", net_nearest, BIT(RESIZE), 0 },
	{ "interpolation by products", net_linear, BIT(RESIZE), NEAR },
	{ "interpolation by convolutions", net_linear, BIT(RESIZE) | BIT(MATMUL), NEAR },
	{ "quantising by steps", net_quantise, BIT(QUANTIZE) | BIT(DEQUANTIZE), 0 },
	{ "functions of two operands with constants", net_functions, BIT(UNARY), NEAR },
	{ "a border without FILL", net_pad, BIT(FILL), 0 },
	{ "a network on a chip of products", net_mobile,
	  BIT(CONV) | BIT(POOL) | BIT(SOFTMAX), FAR },
	{ "a network on a chip of convolutions", net_mobile,
	  BIT(MATMUL) | BIT(REDUCE) | BIT(SOFTMAX) | BIT(SELECT), FAR },
};

static bool uses_only(const struct test_case *test, const struct loom_planner_options *options,
		      const struct loom_program *program, struct loom_error *err)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_command *commands =
		(const void *)((const char *)program->plan + header->commands.offset);
	uint32_t i;

	(void)test;
	for (i = 0; i < header->commands.count; i++)
		if (!(options->chip->opcodes >> commands[i].opcode & 1))
			return outcome_fail(err, "command %u is opcode %u", i, commands[i].opcode);
	return true;
}

/* "soft" without some operations, and without a type if that is not 0. */
static struct drm_loom_chip partial(uint64_t without, uint32_t no_type)
{
	struct drm_loom_chip chip = *loom_preset_find("soft");

	memset(chip.name, 0, sizeof(chip.name));
	memcpy(chip.name, "partial", 8);
	chip.opcodes &= ~without;
	chip.dtypes &= ~(1U << no_type);
	memset(&chip.type[no_type], 0, sizeof(chip.type[0]));
	return chip;
}

static void test_row(const struct row *row)
{
	static const char *const groupings[] = { "layerwise", "layergroup", "layergroup-text" };
	struct drm_loom_chip chip = partial(row->without, 0);
	struct test_case test = net_make(row->net);
	struct outcome whole, other;
	bool ok = true;
	uint32_t i;

	if (!net_run(&test, loom_preset_find("soft"), NULL, &whole, uses_only))
		tap_fatal("%s: does not run on a whole chip", row->name);
	for (i = 0; i < ARRAY_SIZE(groupings); i++) {
		ok &= net_run(&test, &chip, groupings[i], &other, uses_only) &&
		      are_near(&other, &whole, row->slack);
		outcome_clear(&other);
	}
	tap_ok(ok, "%s%s", row->name, row->slack ? "" : ": the same bits");
	outcome_clear(&whole);
	free_case(&test);
}

static void check_refused(const char *net, uint64_t without, uint32_t no_type,
			  const char *op, const char *lacks)
{
	const struct drm_loom_chip chip = partial(without, no_type);
	const struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net);
	char want[256];

	snprintf(want, sizeof(want), "test: node \"%s\": operator %s: chip 'partial' has no %s", op,
		 op, lacks);
	case_refused(&test, &options, -EOPNOTSUPP, want);
	free_case(&test);
}

static void test_refusals(void)
{
	struct drm_loom_chip chip = *loom_preset_find("soft");
	const struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net_conv);

	check_refused(net_conv, BIT(CONV) | BIT(MATMUL), 0, "Conv",
		      "CONV (of f32), and no MATMUL to rewrite it into");
	check_refused(net_mobile, BIT(CONV) | BIT(MATMUL), 0, "Conv",
		      "CONV (of f32), and no MATMUL to rewrite it into; nor can it do 3 other nodes");
	check_refused(net_tanh, BIT(UNARY), 0, "Tanh",
		      "UNARY (of f32), and this one cannot be rewritten");
	check_refused(net_pool_max, BIT(POOL) | BIT(REDUCE) | BIT(BINARY), 0, "MaxPool",
		      "POOL (of f32), and no BINARY to rewrite it into; nor can it do 1 other node");
	check_refused(net_qconv, 0, DRM_LOOM_DTYPE_U8, "QLinearConv", "u8, and so no CONV of it");
	chip.region[DRM_LOOM_REGION_SRAM].read_rate = 0;
	case_refused(&test, &options, -EINVAL, "chip 'soft': the rate of reading of SRAM is not ");
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&rows[i]);
	test_refusals();
	return tap_end();
}
