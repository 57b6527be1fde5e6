// SPDX-License-Identifier: MIT
/* Validation of the options. */
#include "planner.h"

#include "base/chip_fault.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>

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
	if (options->effort > LOOM_EFFORT_MOST)
		return loom_error_set(err, -EINVAL, "there is no effort level %u",
				      options->effort - LOOM_EFFORT_ONCE);
	if (options->max_recompute_permille && options->max_recompute_permille < 1000)
		return loom_error_set(err, -EINVAL,
				      "at most %u thousandths of the multiply-accumulates: 1000 is the least",
				      options->max_recompute_permille);
	if ((options->max_bytes || options->max_cycles) &&
	    options->objective != LOOM_OBJECTIVE_SRAM)
		return loom_error_set(err, -EINVAL,
				      "caps on bytes and cycles are for the objective 'sram'");
	if (loom_chip_check(chip, &fault))
		return loom_chip_refuse(chip, &fault, err);
	sram = &chip->region[DRM_LOOM_REGION_SRAM];
	room = sram->bank_bytes - sram->reserved_bytes;
	if (options->sram_limit_bytes > room)
		return loom_error_set(err, -EINVAL,
				      "a limit of %llu bytes of SRAM per lane, and chip '%s' has %llu",
				      (unsigned long long)options->sram_limit_bytes, chip->name,
				      (unsigned long long)room);
	return 0;
}
