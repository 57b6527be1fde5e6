// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "check.h"

/*
 * FILL: y. Every element gets the low bytes of @bits, of any type, in any region but ROM.
 *
 * Unit: one tile of y (loom_tile_get() over y's dims). Cost: 1 per element.
 */
bool loom_op_fill_check(struct loom_check *check)
{
	const struct loom_view *y = &check->command->views[0];
	const struct drm_loom_attr_fill *attr = check->command->attr;

	if (y->region == DRM_LOOM_REGION_ROM)
		return loom_op_refuse_operand(check, DRM_LOOM_RULE_VIEW_REGION, 0);
	if (y->elem_bytes < 8 && attr->bits >> (8 * y->elem_bytes))
		return loom_op_refuse(check, DRM_LOOM_RULE_ATTR);
	return loom_op_check_tiles(check, 1);
}
