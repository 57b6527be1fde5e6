/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_OP_COMPUTE_H
#define LOOM_OP_COMPUTE_H

#include "check.h"

/* Helpers of the checks of operations that compute. */

#define LOOM_DTYPE_BIT(dtype)	(1U << (dtype))
#define LOOM_DTYPES_FLOAT                                                          \
	(LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_F32) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_F16) | \
	 LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_F64))
#define LOOM_DTYPES_SIGNED                                                        \
	(LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I8) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I16) | \
	 LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I32) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I64))
#define LOOM_DTYPES_UNSIGNED                                                      \
	(LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U8) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U16) | \
	 LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U32) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U64))
#define LOOM_DTYPES_INTEGER	(LOOM_DTYPES_SIGNED | LOOM_DTYPES_UNSIGNED)
#define LOOM_DTYPES_NUMBER	(LOOM_DTYPES_FLOAT | LOOM_DTYPES_INTEGER)
#define LOOM_DTYPES_BOOL	LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_BOOL)
#define LOOM_DTYPES_ANY		(LOOM_DTYPES_NUMBER | LOOM_DTYPES_BOOL)
/* types of quantised arithmetic */
#define LOOM_DTYPES_BYTE (LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_I8) | LOOM_DTYPE_BIT(DRM_LOOM_DTYPE_U8))

static inline bool loom_dtype_in(const struct loom_view *view, u32 dtypes)
{
	return dtypes & LOOM_DTYPE_BIT(view->dtype);
}

/* Every operand is in SRAM. Refuses otherwise. */
bool __must_check loom_op_check_sram(struct loom_check *check);
/* The same, but the first @images operands may each be in an image, too. Refuses otherwise. */
bool __must_check loom_op_check_sram_image(struct loom_check *check, u32 images);
/* Operands @first to the last have the type of operand 0. Refuses otherwise. */
bool __must_check loom_op_check_one_dtype(struct loom_check *check, u32 first);
/* Operand has this rank. Refuses otherwise. */
bool __must_check loom_op_check_rank(struct loom_check *check, u32 operand, u32 rank);
/* Operand has the rank of operand 0, and on each axis its dim or 1. Refuses otherwise. */
bool __must_check loom_op_check_broadcast(struct loom_check *check, u32 operand);
/* Operands 0 and 1 have five axes, and the same batch and channels. Refuses otherwise. */
bool __must_check loom_op_check_planes(struct loom_check *check);
/*
 * Types of a sum of products: y, a, b, then bias and scale as @flags say (DRM_LOOM_ATTR_BIAS,
 * DRM_LOOM_ATTR_SCALE): all of one floating point type, or bytes that give I32, or bytes if scaled.
 * @act is an activation for that type. Refuses otherwise.
 */
bool __must_check loom_op_check_product_types(struct loom_check *check, u32 flags, u32 act);
/* An activation is known and, without floating point, none. Refuses otherwise. */
bool __must_check loom_op_check_act(struct loom_check *check, u32 act, bool floating);
/* A zero point is one of the operand's type. */
bool loom_op_zero_fits(const struct loom_view *view, s32 zero);
/* One unit is a run of operand 0 along @axis. Runs are numbered by their other indices. */
bool __must_check loom_op_check_runs(struct loom_check *check, u32 axis, u64 unit_cost);

#endif /* LOOM_OP_COMPUTE_H */
