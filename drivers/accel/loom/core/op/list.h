/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All operations, one line each. An includer must define LOOM_OP() before; this file undefines it:
 *
 *	LOOM_OP(OPCODE, name, stream, fewest operands, most operands, bytes of attributes,
 *		elementwise)
 *
 * See &struct loom_op. The operation is checked by loom_op_<name>_check(), and computed by
 * loom_fp_<name>_run(). Opcodes that are not in this list are invalid: there is no default.
 */
LOOM_OP(LOAD, load, DMA, 2, 2, 0, false)
LOOM_OP(STORE, store, DMA, 2, 2, 0, false)
LOOM_OP(COPY, copy, DMA, 2, 2, 0, false)
LOOM_OP(FILL, fill, DMA, 1, 1, sizeof(struct drm_loom_attr_fill), false)
LOOM_OP(CONV, conv, COMPUTE, 3, 5, sizeof(struct drm_loom_attr_conv), false)
LOOM_OP(DECONV, deconv, COMPUTE, 3, 4, sizeof(struct drm_loom_attr_conv), false)
LOOM_OP(POOL, pool, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_pool), false)
LOOM_OP(MATMUL, matmul, COMPUTE, 3, 5, sizeof(struct drm_loom_attr_matmul), false)
LOOM_OP(BINARY, binary, COMPUTE, 3, 3, sizeof(struct drm_loom_attr_binary), true)
LOOM_OP(UNARY, unary, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_unary), true)
LOOM_OP(SELECT, select, COMPUTE, 4, 4, 0, true)
LOOM_OP(REDUCE, reduce, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_reduce), false)
LOOM_OP(SOFTMAX, softmax, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_softmax), false)
LOOM_OP(RESIZE, resize, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_resize), false)
LOOM_OP(CAST, cast, COMPUTE, 2, 2, 0, true)
LOOM_OP(QUANTIZE, quantize, COMPUTE, 3, 4, 0, true)
LOOM_OP(DEQUANTIZE, dequantize, COMPUTE, 3, 4, 0, true)
#undef LOOM_OP
