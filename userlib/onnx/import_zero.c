// SPDX-License-Identifier: MIT
/*
 * Zero points that the device does not take. It takes one number for all of an operand; one that
 * is computed, or that differs from channel to channel, is multiplied out:
 *
 *	sum((a - p) * (b - q)) = sum(a * b) - p * sum(b) - q * (sum(a) - n * p)
 *
 * in 32 bits, as the sums themselves: so it is exact. Sums of weights are constants.
 */
#include "import.h"

bool loom_import_plain_zero(const struct loom_value *zero)
{
	int64_t i;

	if (!zero)
		return true;
	if (!zero->data || !zero->num_elems)
		return false;
	for (i = 1; i < zero->num_elems; i++)
		if (loom_value_int(zero, i) != loom_value_int(zero, 0))
			return false;
	return true;
}

static struct loom_value *as_i32(struct loom_import *im, struct loom_value *x)
{
	return loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32);
}

struct loom_value *loom_import_less_zero(struct loom_import *im, struct loom_value *product,
					 struct loom_value *zero, struct loom_value *sums,
					 struct loom_value *other, int64_t count)
{
	struct loom_value *number = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)count);

	/* the sums of what the other operand has beyond its own zero point */
	if (other) {
		other = loom_emit_binary(im->em, LOOM_GBIN_MUL, as_i32(im, other), number);
		sums = loom_emit_binary(im->em, LOOM_GBIN_SUB, sums, other);
	}
	sums = loom_emit_binary(im->em, LOOM_GBIN_MUL, sums, as_i32(im, zero));
	return loom_emit_binary(im->em, LOOM_GBIN_SUB, product, sums);
}

struct loom_value *loom_import_sums(struct loom_import *im, struct loom_value *x, uint32_t axes,
				    bool keepdims)
{
	return loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, as_i32(im, x), axes, keepdims);
}

struct loom_value *loom_import_requantise(struct loom_import *im, struct loom_value *sum,
					  struct loom_value *scale, struct loom_value *zero)
{
	struct loom_value *operands[3];
	struct loom_node *node;

	sum = loom_emit_cast(im->em, sum, DRM_LOOM_DTYPE_F32);
	operands[0] = loom_emit_binary(im->em, LOOM_GBIN_MUL, sum, scale);
	operands[1] = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 1);
	operands[2] = loom_emit_reshape(im->em, zero, 0, NULL);
	if (im->em->status || !operands[0] || !operands[2])
		return NULL;
	node = loom_emit_begin(im->em, LOOM_GOP_QUANTIZE, zero->dtype, operands[0]->rank,
			       operands[0]->dims, 3, operands);
	if (node)
		node->quant.axis = -1;
	return loom_emit_end(im->em, node);
}
