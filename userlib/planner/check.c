// SPDX-License-Identifier: MIT
/* Whether what is planned for makes sense. */
#include "planner.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>

static const char *const figures[] = {
	[LOOM_CHIP_KEY_NAME] = "the name",
	[LOOM_CHIP_KEY_DTYPES] = "the mask of types",
	[LOOM_CHIP_KEY_FLAGS] = "the flags",
	[LOOM_CHIP_KEY_OPCODES] = "the mask of operations",
	[LOOM_CHIP_KEY_FREQUENCY] = "the frequency",
	[LOOM_CHIP_KEY_COMPUTE_UNITS] = "the number of compute units",
	[LOOM_CHIP_KEY_DMA_START] = "what it takes to start a DMA command",
	[LOOM_CHIP_KEY_COMPUTE_START] = "what it takes to start a compute command",
	[LOOM_CHIP_KEY_PAD] = "the padding",
	[LOOM_CHIP_KEY_BANKS] = "the number of banks",
	[LOOM_CHIP_KEY_SUB_BANKS] = "the number of sub-banks",
	[LOOM_CHIP_KEY_BANK_BYTES] = "the size of a bank",
	[LOOM_CHIP_KEY_RESERVED_BYTES] = "what is reserved of a bank",
	[LOOM_CHIP_KEY_ALIGN_BYTES] = "the alignment",
	[LOOM_CHIP_KEY_FLOOR_BYTES] = "the floor",
	[LOOM_CHIP_KEY_BURST_BYTES] = "the length of a burst",
	[LOOM_CHIP_KEY_READ_RATE] = "the rate of reading",
	[LOOM_CHIP_KEY_WRITE_RATE] = "the rate of writing",
	[LOOM_CHIP_KEY_READ_LATENCY] = "the latency of reading",
	[LOOM_CHIP_KEY_WRITE_LATENCY] = "the latency of writing",
	[LOOM_CHIP_KEY_READ_ENERGY] = "the energy of reading",
	[LOOM_CHIP_KEY_WRITE_ENERGY] = "the energy of writing",
	[LOOM_CHIP_KEY_MAC_RATE] = "the rate of multiply-accumulates",
	[LOOM_CHIP_KEY_OP_RATE] = "the rate of operations",
	[LOOM_CHIP_KEY_MAC_ENERGY] = "the energy of a multiply-accumulate",
	[LOOM_CHIP_KEY_OP_ENERGY] = "the energy of an operation",
};

static int refuse_chip(const struct drm_loom_chip *chip, const struct loom_chip_fault *fault,
		       struct loom_error *err)
{
	static const char *const regions[DRM_LOOM_REGION_COUNT] = {
		[DRM_LOOM_REGION_DRAM] = "DRAM",
		[DRM_LOOM_REGION_SRAM] = "SRAM",
		[DRM_LOOM_REGION_ROM] = "ROM",
	};
	const char *figure = fault->key < ARRAY_SIZE(figures) ? figures[fault->key] : NULL;
	const char *of = NULL;

	if (fault->region < DRM_LOOM_REGION_COUNT)
		of = regions[fault->region];
	else if (fault->type != U32_MAX)
		of = loom_dtype_name(fault->type);
	return loom_error_set(err, -EINVAL, "chip '%.*s': %s%s%s %s", (int)sizeof(chip->name),
			      chip->name, figure ? figure : "a figure", of ? " of " : "",
			      of ? of : "", fault->text);
}

/* the last of enum loom_planner_flags, and all before it */
#define FLAGS	(2 * LOOM_PLANNER_WHOLE_SUMS - 1)

static int refuse_grouping(const char *name, struct loom_error *err)
{
	char known[256] = "";
	size_t at = 0;
	u32 i;

	for (i = 0; loom_grouping_name(i) && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s", i ? ", " : "",
				       loom_grouping_name(i));
	return loom_error_set(err, -EINVAL, "there is no grouping '%.60s', known are %s", name,
			      known);
}

int loom_planner_check(const struct loom_planner_options *options, struct loom_error *err)
{
	const struct drm_loom_chip *chip;
	const struct drm_loom_chip_region *sram;
	struct loom_chip_fault fault;
	u64 room;

	if (!options || !options->chip)
		return loom_error_set(err, -EINVAL, "no chip to plan for");
	chip = options->chip;
	if (options->flags & ~FLAGS)
		return loom_error_set(err, -EINVAL, "planner flags 0x%x are not known",
				      options->flags & ~FLAGS);
	if (!loom_grouping_is_known(options))
		return refuse_grouping(options->grouping, err);
	if (!loom_objective_name(options->objective))
		return loom_error_set(err, -EINVAL, "there is no objective %u",
				      options->objective);
	if (options->max_recompute_permille && options->max_recompute_permille < 1000)
		return loom_error_set(err, -EINVAL,
				      "at most %u thousandths of the multiply-accumulates: 1000 is the least",
				      options->max_recompute_permille);
	if ((options->max_bytes || options->max_cycles) &&
	    options->objective != LOOM_OBJECTIVE_SRAM)
		return loom_error_set(err, -EINVAL,
				      "caps on bytes and cycles are for the objective 'sram'");
	if (loom_chip_check(chip, &fault))
		return refuse_chip(chip, &fault, err);
	sram = &chip->region[DRM_LOOM_REGION_SRAM];
	room = sram->bank_bytes - sram->reserved_bytes;
	if (options->sram_limit_bytes > room)
		return loom_error_set(err, -EINVAL,
				      "a limit of %llu bytes of SRAM per lane, and chip '%s' has %llu",
				      (unsigned long long)options->sram_limit_bytes, chip->name,
				      (unsigned long long)room);
	return 0;
}
