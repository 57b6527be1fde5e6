// SPDX-License-Identifier: MIT
/*
 * Chips made up from scratch: small networks are planned for each by every grouping strategy, run
 * on the host, and compute what they compute on "soft".
 */
#include "loom_planner.h"
#include "loom_run.h"
#include "host/rewrite/nets.h"
#include "outcome.h"

#include <errno.h>

#define BIT(opcode)	(1ULL << DRM_LOOM_OP_##opcode)

static const struct drm_loom_chip chips[] = {
	/* a lane */
	CHIP("one-lane", (1, 1, 16 << 20, 0, 32), (1, 1, 60000, 0, 4)),
	/* three lanes, and nothing in it is a power of two but the alignment */
	CHIP("three-odd", (5, 3, 3000003, 99, 32), (3, 7, 49007, 1001, 16)),
	/* 256 lanes, 2 KiB each, whose streams never run at the same time */
	CHIP("wide", (2, 1, 16 << 20, 0, 64), (256, 2, 2048, 0, 64)),
	/* two lanes, with DRAM and ROM */
	CHIP("flash", (1, 1, 16 << 20, 0, 64), (2, 1, 70000, 0, 16)),
};

static const struct drm_loom_chip_region rom = {
	CHIP_SIZES(2, 1, 1 << 20, 0, 256), .read_rate = 500, .read_latency = 64,
};

/* no DRAM: all there is lies in the SRAM of its one lane */
static const struct drm_loom_chip alone =
	CHIP("alone", (1, 1, 1 << 20, 0, 16), (1, 1, 400000, 128, 16));

static const struct {
	const char *name;
	const char *net;
} nets[] = {
	{ "convolution", net_conv },
	{ "depthwise", net_depthwise },
	{ "deconvolution", net_deconv },
	{ "product", net_matmul },
	{ "attention", net_attention },
	{ "softmax", net_softmax },
	{ "resize nearest", net_nearest },
	{ "resize linear", net_linear },
	{ "quantise", net_quantise },
	{ "quantised convolution", net_qconv },
	{ "quantised product", net_qmatmul },
	{ "reduce", net_reduce },
	{ "select", net_select },
	{ "classifier", net_mobile },
	{ "constants that are copied", net_constants },
};

static struct drm_loom_chip chip_number(uint32_t index)
{
	struct drm_loom_chip chip = chips[index];
	struct loom_chip_fault fault;

	if (!strcmp(chip.name, "wide"))
		chip.flags = 0;
	if (!strcmp(chip.name, "flash"))
		chip.region[DRM_LOOM_REGION_ROM] = rom;
	if (loom_chip_check(&chip, &fault))
		tap_fatal("chip %s: figure %d %s", chip.name, fault.key, fault.text);
	return chip;
}

static bool never_overlaps(const struct loom_program *program)
{
	uint32_t i;

	for (i = 0; i < program->num_groups; i++)
		if (program->groups[i].overlap)
			return false;
	for (i = 0; i < program->num_kernels; i++)
		if (program->kernels[i].overlap)
			return false;
	return true;
}

static bool same_on(struct test_case *test, const struct drm_loom_chip *chip, const char *grouping,
		    const struct outcome *want)
{
	struct loom_planner_options options = { .chip = chip, .grouping = grouping };
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	bool ok = false;

	if (!loom_program_create(test->graph, &options, &program, &err)) {
		ok = !outcome_run(&outcome, program, chip, test->inputs, test->num_inputs, &err) &&
		     outcome_same(&outcome, want) &&
		     (chip->flags & DRM_LOOM_CHIP_OVERLAP || never_overlaps(program));
		outcome_clear(&outcome);
		loom_program_destroy(program);
	}
	if (!ok)
		tap_note("%s by %s: %s", chip->name, grouping ? grouping : "-", err.text);
	return ok;
}

/* In one net the same bits on all chips, by all strategies. */
static void test_net(uint32_t index)
{
	struct test_case test = net_make(nets[index].net);
	struct loom_planner_options options = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct outcome want;
	struct loom_error err;
	const char *grouping;
	bool ok = true;
	uint32_t i, k;

	if (outcome_plan(&want, test.graph, &options, test.inputs, test.num_inputs, &err))
		tap_fatal("%s on soft: %s", nets[index].name, err.text);
	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		struct drm_loom_chip chip = chip_number(i);

		for (k = 0; (grouping = loom_grouping_name(k)); k++)
			ok &= same_on(&test, &chip, grouping, &want);
	}
	outcome_clear(&want);
	free_case(&test);
	tap_ok(ok, "%s: the bits of soft on %zu other chips by every strategy", nets[index].name,
	       ARRAY_SIZE(chips));
}

/* A chip of bytes and binary32, that has neither CONV nor f16 nor f64. */
static void test_partial(void)
{
	struct drm_loom_chip chip = chip_number(1);
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net_depthwise);
	struct outcome want, outcome;
	struct loom_error err = { .text = "" };
	int ret;

	chip.opcodes &= ~BIT(CONV);
	chip.dtypes &= ~(1U << DRM_LOOM_DTYPE_F16 | 1U << DRM_LOOM_DTYPE_F64);
	memset(&chip.type[DRM_LOOM_DTYPE_F16], 0, sizeof(chip.type[0]));
	memset(&chip.type[DRM_LOOM_DTYPE_F64], 0, sizeof(chip.type[0]));
	ret = outcome_plan(&outcome, test.graph, &options, test.inputs, test.num_inputs, &err);
	options.chip = loom_preset_find("soft");
	if (outcome_plan(&want, test.graph, &options, test.inputs, test.num_inputs, &err))
		tap_fatal("%s", err.text);
	tap_ok(!ret && outcome_same(&outcome, &want),
	       "convolutions on three lanes that have products in binary32 only");
	outcome_clear(&want);
	outcome_clear(&outcome);
	free_case(&test);
}

static struct drm_loom_chip chip_alone(uint64_t bank_bytes, bool flash)
{
	struct drm_loom_chip chip = alone;

	if (flash)
		chip.region[DRM_LOOM_REGION_ROM] = rom;

	memset(&chip.region[DRM_LOOM_REGION_DRAM], 0, sizeof(chip.region[0]));
	if (bank_bytes)
		chip.region[DRM_LOOM_REGION_SRAM].bank_bytes = bank_bytes;
	if (loom_chip_check(&chip, NULL))
		tap_fatal("a chip without DRAM makes no sense");
	return chip;
}

/* The plan, scratch and slots, is in a bank, and weights in ROM; nothing of it in DRAM. */
static bool is_inside(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	bool flash = chip->region[DRM_LOOM_REGION_ROM].banks;
	uint64_t bytes = program->stats.scratch_bytes;
	uint32_t i;

	for (i = 0; i < program->num_slots; i++) {
		bool weights = program->slots[i].kind == LOOM_SLOT_KIND_WEIGHTS;

		if ((flash && weights) != !!(program->slots[i].flags & DRM_LOOM_SLOT_ROM) ||
		    (flash && weights) == !!(program->slots[i].flags & DRM_LOOM_SLOT_SRAM))
			return false;
		if (!flash || !weights)
			bytes += program->slots[i].size_bytes;
	}
	if (program->num_weights && flash != !!program->stats.rom_read_bytes)
		return false;
	return bytes <= chip->region[DRM_LOOM_REGION_SRAM].bank_bytes - 128 &&
	       !program->stats.dram_read_bytes && !program->stats.dram_write_bytes;
}

/* Each net in all of the SRAM, and in as little as it is planned for; the least is in @least. */
static bool alone_by(struct test_case *test, const char *grouping, bool flash,
		     const struct outcome *want, uint64_t *least)
{
	struct drm_loom_chip chip;
	struct loom_planner_options options = { .chip = &chip, .grouping = grouping };
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_error err = { .text = "" };
	struct loom_program *program;
	bool ok = true;
	uint64_t bytes;
	int ret = 0;

	for (bytes = 400000; ok && !ret; bytes = bytes * 3 / 4) {
		chip = chip_alone(bytes, flash);
		ret = loom_program_create(test->graph, &options, &program, &err);
		if (ret)
			break;
		*least = bytes;
		ok = is_inside(program, &chip) &&
		     !outcome_judge(test->graph, &options, program, &err) &&
		     !outcome_run(&outcome, program, &chip, test->inputs, test->num_inputs,
				  &err) &&
		     outcome_same(&outcome, want);
		outcome_clear(&outcome);
		loom_program_destroy(program);
	}
	if (!ok || ret != -ENOSPC)
		tap_note("%s in %llu: %d %s", grouping, (unsigned long long)bytes, ret, err.text);
	return ok && ret == -ENOSPC;
}

static void test_alone(uint32_t index, bool flash)
{
	struct test_case test = net_make(nets[index].net);
	struct loom_planner_options options = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	uint64_t least = 0;
	struct outcome want;
	struct loom_error err;
	const char *grouping;
	bool ok = true;
	uint32_t k;

	if (outcome_plan(&want, test.graph, &options, test.inputs, test.num_inputs, &err))
		tap_fatal("%s on soft: %s", nets[index].name, err.text);
	for (k = 0; (grouping = loom_grouping_name(k)); k++)
		ok &= alone_by(&test, grouping, flash, &want, &least);
	outcome_clear(&want);
	free_case(&test);
	tap_ok(ok, "%s: the bits of soft without DRAM%s, in 400000 to %llu bytes",
	       nets[index].name, flash ? ", with flash" : "", (unsigned long long)least);
}

/* Where weights are: in ROM, in DRAM if that is too small, nowhere if there is none. */
static void test_flash(void)
{
	struct drm_loom_chip chip = chip_number(3);
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net_mobile);
	struct loom_program *program;
	struct loom_error err;
	int ret = loom_program_create(test.graph, &options, &program, &err);

	if (ret)
		tap_fatal("%s", err.text);
	tap_ok(program->stats.rom_read_bytes >= program->stats.weights_bytes,
	       "weights are loaded from ROM");
	loom_program_destroy(program);
	chip.region[DRM_LOOM_REGION_ROM].bank_bytes = 4096;
	ret = loom_program_create(test.graph, &options, &program, &err);
	if (ret)
		tap_fatal("%s", err.text);
	tap_ok(!program->stats.rom_read_bytes, "from DRAM where they do not fit in ROM");
	loom_program_destroy(program);
	chip = chip_alone(0, true);
	chip.region[DRM_LOOM_REGION_ROM].bank_bytes = 4096;
	ret = loom_program_create(test.graph, &options, &program, &err);
	tap_ok(ret == -ENOSPC && strstr(err.text, "bytes of 8192 in ROM"),
	       "an error where there is no DRAM: %s", err.text);
	free_case(&test);
}

static void test_no_room(void)
{
	struct drm_loom_chip chip = chip_alone(20000, false);
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net_mobile);
	struct loom_program *program;
	struct loom_error err;
	int ret = loom_program_create(test.graph, &options, &program, &err);

	tap_ok(ret == -ENOSPC && strstr(err.text, "chip 'alone' has no DRAM") &&
	       strstr(err.text, "more than there is SRAM"), "too little SRAM is an error: %s",
	       err.text);
	free_case(&test);
}

static void test_limit(void)
{
	struct drm_loom_chip chip = chip_number(1);
	struct loom_planner_options options = { .grouping = "layerwise", .chip = &chip };
	struct test_case test = net_make(net_conv);
	struct loom_program *program;
	struct loom_error err;
	int ret;

	options.sram_limit_bytes = 48006;
	ret = loom_program_create(test.graph, &options, &program, &err);
	if (tap_ok(!ret, "all of a bank is a limit"))
		loom_program_destroy(program);
	options.sram_limit_bytes++;
	ret = loom_program_create(test.graph, &options, &program, &err);
	tap_ok(ret == -EINVAL && strstr(err.text, "48007") && strstr(err.text, "48006") &&
	       strstr(err.text, chip.name),
	       "more than that is an error: %s", err.text);
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(nets); i++)
		test_net(i);
	for (i = 0; i < ARRAY_SIZE(nets); i++) {
		test_alone(i, false);
		test_alone(i, true);
	}
	test_flash();
	test_no_room();
	test_partial();
	test_limit();
	return tap_end();
}
