// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "compute.h"

/*
 * QUANTIZE: y (I8, U8, I16, U16), x (F32), scale (F32), [zero point (y's type)].
 * DEQUANTIZE: y (F32), x (I8, U8, I16, U16, I32), scale (F32), [zero point (x's type)].
 * x has y's dims, scale and zero point y's dim or 1 on each axis.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 4 per element.
 */
#define LOOM_DTYPES_QUANT	(LOOM_DTYPES_BYTE | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I16) | \
				 LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U16))

static bool loom_op_quant_check(struct loom_check *check, u32 quantised, u32 real, u32 dtypes)
{
	const struct loom_command *command = check->command;
	const struct loom_view *views = command->views;
	u32 i;

	if (!loom_op_check_sram(check))
		return false;
	if (!loom_dtype_in(&views[quantised], dtypes))
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, quantised);
	if (views[real].dtype != DRM_LOOM_DTYPE_F32)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, real);
	if (views[2].dtype != DRM_LOOM_DTYPE_F32)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 2);
	if (command->operands > 3 && views[3].dtype != views[quantised].dtype)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_DTYPE, 3);

	if (!loom_op_check_same_dims(check, 1))
		return false;
	for (i = 2; i < command->operands; i++)
		if (!loom_op_check_broadcast(check, i))
			return false;
	return loom_op_check_tiles(check, 4);
}

bool loom_op_quantize_check(struct loom_check *check)
{
	return loom_op_quant_check(check, 0, 1, LOOM_DTYPES_QUANT);
}

bool loom_op_dequantize_check(struct loom_check *check)
{
	return loom_op_quant_check(check, 1, 0,
				   LOOM_DTYPES_QUANT | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I32));
}
