/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All operations, one line each. An includer must define LOOM_OP() before; this file undefines it:
 *
 *	LOOM_OP(OPCODE, name, stream, fewest operands, most operands, bytes of attributes,
 *		operands of which y may be the same view)
 *
 * See &struct loom_op. The operation is checked by loom_op_<name>_check(), and computed by
 * loom_fp_<name>_run(). Opcodes that are not in this list are invalid: there is no default.
 */
LOOM_OP(LOAD, load, DMA, 2, 2, 0, 0)
LOOM_OP(STORE, store, DMA, 2, 2, 0, 0)
LOOM_OP(COPY, copy, DMA, 2, 2, 0, 0)
LOOM_OP(FILL, fill, DMA, 1, 1, sizeof(struct drm_loom_attr_fill), 0)
#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
#include "list_compute.h"
#endif
#undef LOOM_OP
