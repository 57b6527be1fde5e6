// SPDX-License-Identifier: MIT
/*
 * Plans that are only just fine: each is the sample with one thing said in another way, or as far
 * as it goes. Who refuses one of them refuses what is safe.
 */
#include <sys/resource.h>

#include "rule_case.h"
#include "tap.h"

/* [8, 64] as two rows of each bank, over all banks: the lane axis is the second. */
static struct drm_loom_plan_view rows_of_banks(struct plan_builder *pb, u32 tensor)
{
	struct drm_loom_plan_view view = pb_all(pb, tensor);

	view.rank = 3;
	view.lane_axis = 1;
	view.dims[0] = 2;
	view.dims[1] = 4;
	view.dims[2] = 64;
	view.strides[2] = view.strides[1];
	view.strides[1] = view.strides[0];
	return view;
}

/* All of it is written, and read after that. */
CHANGE(rows_of_banks)
{
	*pb_operand(pb, C_CAST_BACK, 0) = rows_of_banks(pb, T_SZ2);
	*pb_operand(pb, C_CAST_BACK, 1) = rows_of_banks(pb, T_SI8);
}

/* The highest bit in which addresses differ may be near the end of the word: see overlap.c. */
CHANGE(tensors_at_0_and_2_to_the_60)
{
	pb_slot(pb, SLOT_WEIGHTS)->size = (1ULL << 60) + 4096;
	pb_tensor(pb, T_BIAS)->offset = 1ULL << 60;
}

CHANGE(tensors_at_0_and_2_to_the_63)
{
	pb_slot(pb, SLOT_WEIGHTS)->size = (1ULL << 63) + 4096;
	pb_tensor(pb, T_BIAS)->offset = 1ULL << 63;
}

static const struct rule_case cases[] = {
	{ C(rows_of_banks) },
	{ C(tensors_at_0_and_2_to_the_60) },
	{ C(tensors_at_0_and_2_to_the_63) },
};

/* Whether streams overlap is the chip's to say. */
static void test_overlap(u32 flags)
{
	struct drm_loom_chip chip = *loom_preset_find(SAMPLE_TOPOLOGY);
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;

	chip.flags = flags;
	sample_build(&pb);
	if (pb_verify(&pb, &chip, &plan, &reject))
		tap_fatal("refused for %s", loom_rule_name(reject.rule));
	tap_ok(plan->overlap == !!flags, "a plan for a chip with flags %#x", flags);
	loom_plan_destroy(plan);
	pb_fini(&pb);
}

int main(void)
{
	const struct drm_loom_chip *chip = loom_preset_find(SAMPLE_TOPOLOGY);
	struct drm_loom_reject reject;
	size_t i;
	int ret;

	/* an order that is sorted for ever is found, too */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 30, 30 });
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = rule_case_verify(&cases[i], chip, &reject);
		tap_ok(!ret, "%s: %d, %s, operand %u", cases[i].what, ret,
		       loom_rule_name(reject.rule), reject.operand);
	}
	test_overlap(0);
	test_overlap(DRM_LOOM_CHIP_OVERLAP);
	return tap_end();
}
