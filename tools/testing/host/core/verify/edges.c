// SPDX-License-Identifier: MIT
/*
 * Plans that are only just fine, each the sample with one thing said in another way, or as far as
 * it goes, and such that are only just not. Elementwise commands may write what they read, element
 * by element: views that are alike but for one figure are not the same elements.
 */
#include <sys/resource.h>

#include "rule_case.h"
#include "tap.h"

/* Bytes at the places of floats, over these: also read and stored, so that all else is fine. */
static u32 add_bytes(struct plan_builder *pb, u64 offset)
{
	u32 number = pb_add_alias(pb, T_SZ, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(8, 64));
	struct drm_loom_plan_tensor *alias = pb_tensor(pb, number);

	alias->first_step = 5;
	alias->offset += offset;
	alias->strides[0] = 256;
	alias->strides[1] = 4;
	alias->size = 256 + 63 * 4 + 1;
	return number;
}

CHANGE(bytes_of_floats)
{
	u32 alias = add_bytes(pb, 0);

	*pb_operand(pb, C_CAST, 0) = pb_all(pb, alias);
	*pb_operand(pb, C_CAST_BACK, 1) = pb_all(pb, alias);
}

CHANGE(last_bytes_of_floats)
{
	u32 alias = add_bytes(pb, 3);

	*pb_operand(pb, C_CAST, 0) = pb_all(pb, alias);
	*pb_operand(pb, C_CAST_BACK, 1) = pb_all(pb, alias);
}

/* Half of it onto the other half, and onto itself. */
CHANGE(other_banks)
{
	*pb_operand(pb, C_ADD, 0) = pb_slice(pb, pb_all(pb, T_SZ), 0, 1, 4);
	*pb_operand(pb, C_ADD, 1) = pb_slice(pb, pb_all(pb, T_SZ), 0, 0, 4);
	*pb_operand(pb, C_ADD, 2) = pb_slice(pb, pb_all(pb, T_SONE), 0, 0, 4);
}

CHANGE(other_cells)
{
	*pb_operand(pb, C_ADD, 0) = pb_slice(pb, pb_all(pb, T_SZ), 1, 1, 32);
	*pb_operand(pb, C_ADD, 1) = pb_slice(pb, pb_all(pb, T_SZ), 1, 0, 32);
}

CHANGE(same_banks)
{
	*pb_operand(pb, C_ADD, 0) = pb_slice(pb, pb_all(pb, T_SZ), 0, 1, 4);
	*pb_operand(pb, C_ADD, 1) = pb_slice(pb, pb_all(pb, T_SZ), 0, 1, 4);
	*pb_operand(pb, C_ADD, 2) = pb_slice(pb, pb_all(pb, T_SONE), 0, 0, 4);
}

CHANGE(same_cells)
{
	*pb_operand(pb, C_ADD, 0) = pb_slice(pb, pb_all(pb, T_SZ), 1, 1, 32);
	*pb_operand(pb, C_ADD, 1) = pb_slice(pb, pb_all(pb, T_SZ), 1, 1, 32);
}

/* Four elements where a row of lanes is as far as an element: along either axis, or transposed. */
static void add_square(struct plan_builder *pb, u8 lane_axis)
{
	struct drm_loom_plan_view y = pb_all(pb, T_SONE);
	u32 i;

	y.dims[0] = 2;
	y.dims[1] = 2;
	for (i = 0; i < 3; i++)
		*pb_operand(pb, C_ADD, i) = y;
	pb_operand(pb, C_ADD, 1)->lane_axis = lane_axis;
}

CHANGE(other_lanes) { add_square(pb, 1); }
CHANGE(same_lanes) { add_square(pb, 0); }

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
	{ DRM_LOOM_RULE_IN_PLACE, C(bytes_of_floats) },
	{ DRM_LOOM_RULE_IN_PLACE, C(last_bytes_of_floats) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_banks) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_cells) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_lanes) },
	{ DRM_LOOM_RULE_NONE, C(same_banks) },
	{ DRM_LOOM_RULE_NONE, C(same_cells) },
	{ DRM_LOOM_RULE_NONE, C(same_lanes) },
	{ DRM_LOOM_RULE_NONE, C(rows_of_banks) },
	{ DRM_LOOM_RULE_NONE, C(tensors_at_0_and_2_to_the_60) },
	{ DRM_LOOM_RULE_NONE, C(tensors_at_0_and_2_to_the_63) },
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
	int ret, want;
	size_t i;

	/* an order that is sorted for ever is found, too */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 30, 30 });
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		want = 0;
		if (cases[i].rule)
			want = -EBADMSG;
		ret = rule_case_verify(&cases[i], chip, &reject);
		tap_ok(ret == want && reject.rule == cases[i].rule &&
		       reject.operand == !!cases[i].rule,
		       "%s: %d, %s, operand %u", cases[i].what, ret, loom_rule_name(reject.rule),
		       reject.operand);
	}
	test_overlap(0);
	test_overlap(DRM_LOOM_CHIP_OVERLAP);
	return tap_end();
}
