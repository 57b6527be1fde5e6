// SPDX-License-Identifier: MIT
/*
 * Elementwise commands may write what they read, element by element. Views that are alike but for
 * one figure are not the same elements.
 */
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

static const struct rule_case cases[] = {
	{ DRM_LOOM_RULE_IN_PLACE, C(bytes_of_floats) },
	{ DRM_LOOM_RULE_IN_PLACE, C(last_bytes_of_floats) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_banks) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_cells) },
	{ DRM_LOOM_RULE_IN_PLACE, C(other_lanes) },
	{ DRM_LOOM_RULE_NONE, C(same_banks) },
	{ DRM_LOOM_RULE_NONE, C(same_cells) },
	{ DRM_LOOM_RULE_NONE, C(same_lanes) },
};

int main(void)
{
	const struct drm_loom_chip *chip = loom_preset_find(SAMPLE_TOPOLOGY);
	struct drm_loom_reject reject;
	int ret, want;
	size_t i;

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
	return tap_end();
}
