// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_fp.h"
#include "check.h"

#define LOOM_OP(_name, _stream, _min, _max, _attr_size, _elementwise, _fp) { \
	.name = #_name, \
	.stream = LOOM_STREAM_##_stream, \
	.min_operands = _min, \
	.max_operands = _max, \
	.attr_size = _attr_size, \
	.elementwise = _elementwise, \
	.check = loom_op_##_name##_check, \
	.run = loom_fp_##_fp##_run, \
}

/* What is not in this table does not exist: there is no default. */
static const struct loom_op loom_ops[DRM_LOOM_OP_END] = {
	[DRM_LOOM_OP_LOAD] = LOOM_OP(load, DMA, 2, 2, 0, false, copy),
	[DRM_LOOM_OP_STORE] = LOOM_OP(store, DMA, 2, 2, 0, false, copy),
	[DRM_LOOM_OP_COPY] = LOOM_OP(copy, DMA, 2, 2, 0, false, copy),
	[DRM_LOOM_OP_FILL] =
		LOOM_OP(fill, DMA, 1, 1, sizeof(struct drm_loom_attr_fill), false, fill),
	[DRM_LOOM_OP_CONV] =
		LOOM_OP(conv, COMPUTE, 3, 5, sizeof(struct drm_loom_attr_conv), false, conv),
	[DRM_LOOM_OP_DECONV] =
		LOOM_OP(deconv, COMPUTE, 3, 4, sizeof(struct drm_loom_attr_conv), false, deconv),
	[DRM_LOOM_OP_POOL] =
		LOOM_OP(pool, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_pool), false, pool),
	[DRM_LOOM_OP_MATMUL] =
		LOOM_OP(matmul, COMPUTE, 3, 5, sizeof(struct drm_loom_attr_matmul), false, matmul),
	[DRM_LOOM_OP_BINARY] =
		LOOM_OP(binary, COMPUTE, 3, 3, sizeof(struct drm_loom_attr_binary), true, binary),
	[DRM_LOOM_OP_UNARY] =
		LOOM_OP(unary, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_unary), true, unary),
	[DRM_LOOM_OP_SELECT] = LOOM_OP(select, COMPUTE, 4, 4, 0, true, select),
	[DRM_LOOM_OP_REDUCE] =
		LOOM_OP(reduce, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_reduce), false, reduce),
	[DRM_LOOM_OP_SOFTMAX] = LOOM_OP(softmax, COMPUTE, 2, 2,
					sizeof(struct drm_loom_attr_softmax), false, softmax),
	[DRM_LOOM_OP_RESIZE] =
		LOOM_OP(resize, COMPUTE, 2, 2, sizeof(struct drm_loom_attr_resize), false, resize),
	[DRM_LOOM_OP_CAST] = LOOM_OP(cast, COMPUTE, 2, 2, 0, true, cast),
	[DRM_LOOM_OP_QUANTIZE] = LOOM_OP(quantize, COMPUTE, 3, 4, 0, true, quantize),
	[DRM_LOOM_OP_DEQUANTIZE] = LOOM_OP(dequantize, COMPUTE, 3, 4, 0, true, dequantize),
};

const struct loom_op *loom_op_get(u32 opcode)
{
	if (opcode >= ARRAY_SIZE(loom_ops) || !loom_ops[opcode].check)
		return NULL;
	return &loom_ops[opcode];
}
