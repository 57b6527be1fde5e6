// SPDX-License-Identifier: MIT
/*
 * QUANTIZE and DEQUANTIZE in binary32, step by step as in the commands: the rounded value is
 * clamped to the range of the type less the zero point, which is then added, so the bits are the
 * same. A NaN is converted as in CAST.
 */
#include "rewrite.h"

/* Scale or zero point in binary32, with the axes of the result behind its own. */
static struct loom_value *along(struct loom_rewriter *rw, const struct loom_node *node, u32 index)
{
	struct loom_value *value = node->num_inputs > index ? node->inputs[index] : NULL;
	s64 dims[LOOM_GRAPH_RANK];
	u32 rank, i;

	if (!value)
		return NULL;
	value = loom_emit_cast(&rw->em, value, DRM_LOOM_DTYPE_F32);
	if (!value || node->quant.axis < 0 || value->num_elems == 1)
		return value && value->num_elems == 1 ?
		       loom_emit_reshape(&rw->em, value, 0, NULL) : value;
	rank = node->output->rank - (u32)node->quant.axis;
	dims[0] = value->num_elems;
	for (i = 1; i < rank; i++)
		dims[i] = 1;
	return loom_emit_reshape(&rw->em, value, rank, dims);
}

static bool has_types(const struct loom_rewriter *rw)
{
	return loom_chip_has(rw->chip, DRM_LOOM_OP_CAST) &&
	       loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY) &&
	       loom_chip_has_type(rw->chip, DRM_LOOM_DTYPE_F32);
}

struct loom_value *loom_rewrite_quantize(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *zero = along(rw, node, 2), *low, *high;
	struct loom_emitter *em = &rw->em;
	int64_t min, max;

	loom_dtype_range(node->output->dtype, &min, &max);
	if (!has_types(rw) || !loom_chip_has(rw->chip, DRM_LOOM_OP_UNARY) || max > UINT16_MAX)
		return NULL;
	x = loom_emit_cast(em, x, DRM_LOOM_DTYPE_F32);
	x = loom_emit_binary(em, LOOM_GBIN_DIV, x, along(rw, node, 1));
	x = loom_emit_fn(em, LOOM_GFN_ROUND, x);
	low = loom_emit_scalar(em, DRM_LOOM_DTYPE_F32, (double)min);
	high = loom_emit_scalar(em, DRM_LOOM_DTYPE_F32, (double)max);
	if (zero) {
		low = loom_emit_binary(em, LOOM_GBIN_SUB, low, zero);
		high = loom_emit_binary(em, LOOM_GBIN_SUB, high, zero);
	}
	x = loom_emit_binary(em, LOOM_GBIN_MAX, x, low);
	x = loom_emit_binary(em, LOOM_GBIN_MIN, x, high);
	if (zero)
		x = loom_emit_binary(em, LOOM_GBIN_ADD, x, zero);
	return loom_emit_cast(em, x, node->output->dtype);
}

struct loom_value *loom_rewrite_dequantize(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *zero = along(rw, node, 2);
	struct loom_emitter *em = &rw->em;
	bool is_zero = zero && zero->data;
	int64_t min, max, i;

	for (i = 0; is_zero && i < zero->num_elems; i++)
		is_zero = loom_value_float(zero, i) == 0;
	loom_dtype_range(x->dtype, &min, &max);
	/* differences beyond the precision of binary32 are not exact */
	if (!has_types(rw) || (max > UINT16_MAX && zero && !is_zero))
		return NULL;
	x = loom_emit_cast(em, x, DRM_LOOM_DTYPE_F32);
	if (zero && !is_zero)
		x = loom_emit_binary(em, LOOM_GBIN_SUB, x, zero);
	x = loom_emit_binary(em, LOOM_GBIN_MUL, x, along(rw, node, 1));
	return loom_emit_cast(em, x, node->output->dtype);
}
