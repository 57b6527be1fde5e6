// SPDX-License-Identifier: MIT
/*
 * A command may write columns of what it reads others of. That no element is shared is found out
 * by the boxes of both, pair by pair: work that is counted, as a plan can ask for it in each
 * command.
 */
#include "plan_sample.h"
#include "plan_work.h"

#define COMMANDS	256

/* Of all commands that are added, which write columns @to and read columns @from. */
static u64 work_of(u32 to, u32 from)
{
	const struct drm_loom_chip *chip = loom_preset_find(SAMPLE_TOPOLOGY);
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	struct plan_builder pb;
	u32 i;

	sample_build(&pb);
	pb_tensor(&pb, T_SZ2)->last_step = SAMPLE_STEPS;
	pb_begin_step(&pb);
	for (i = 0; i < COMMANDS; i++)
		pb_add(&pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu),
		       PB_VIEWS(pb_slice(&pb, pb_all(&pb, T_SZ2), 1, to, 4),
				pb_slice(&pb, pb_all(&pb, T_SZ2), 1, from, 4)));
	return plan_work(&pb, chip);
}

int main(void)
{
	u64 same = work_of(0, 0), other = work_of(0, 4), each = (other - same) / COMMANDS;

	/* two footprints, and their comparison */
	tap_ok(other > same && each >= 3 * LOOM_WORK_FOOTPRINT && each < 4 * LOOM_WORK_FOOTPRINT,
	       "%llu units for each command that reads other columns", (unsigned long long)each);
	tap_ok(work_of(60, 0) == other, "the same for columns that are farther away");
	return tap_end();
}
