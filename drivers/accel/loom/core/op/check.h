/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_OP_CHECK_H
#define LOOM_OP_CHECK_H

#include "loom_op.h"
#include "loom_tile.h"

/*
 * Helpers of the checks of operations. A check must test in this order: attributes, regions, types,
 * shapes, cost. The first violated requirement refuses.
 */

/* Both return false, for `return loom_op_refuse(..)`. */
bool loom_op_refuse(struct loom_check *check, u32 rule);
bool loom_op_refuse_operand(struct loom_check *check, u32 rule, u32 operand);

/* Operand has the rank and the dims of operand 0. Refuses otherwise. */
bool __must_check loom_op_check_same_dims(struct loom_check *check, u32 operand);

/* Product of dims[first] to dims[end - 1]; false on overflow. */
bool __must_check loom_op_count(const u32 *dims, u32 first, u32 end, u64 *count);
/* Sets units and unit_cost. Refuses a unit that is too costly. */
bool __must_check loom_op_check_cost(struct loom_check *check, u64 units, u64 unit_cost);
/* One unit is a tile of operand 0, at @element_cost for each element. */
bool __must_check loom_op_check_tiles(struct loom_check *check, u64 element_cost);

bool loom_op_load_check(struct loom_check *check);
bool loom_op_store_check(struct loom_check *check);
bool loom_op_copy_check(struct loom_check *check);
bool loom_op_fill_check(struct loom_check *check);
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
bool loom_op_conv_check(struct loom_check *check);
bool loom_op_deconv_check(struct loom_check *check);
bool loom_op_pool_check(struct loom_check *check);
bool loom_op_matmul_check(struct loom_check *check);
bool loom_op_matmul_add_check(struct loom_check *check);
bool loom_op_binary_check(struct loom_check *check);
bool loom_op_unary_check(struct loom_check *check);
bool loom_op_select_check(struct loom_check *check);
bool loom_op_reduce_check(struct loom_check *check);
bool loom_op_softmax_check(struct loom_check *check);
bool loom_op_resize_check(struct loom_check *check);
bool loom_op_cast_check(struct loom_check *check);
bool loom_op_quantize_check(struct loom_check *check);
bool loom_op_dequantize_check(struct loom_check *check);
bool loom_op_topk_check(struct loom_check *check);
bool loom_op_gather_check(struct loom_check *check);
#endif

#endif /* LOOM_OP_CHECK_H */
