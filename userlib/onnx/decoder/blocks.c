// SPDX-License-Identifier: MIT
/* Numbers in blocks that share a scale, expanded at once where they are known. */
#include "onnx/import.h"
#include "loom_core.h"

#include <errno.h>

/* One scale for @block elements along @axis, and zero points likewise or NULL. */
static bool blocks_fit(struct loom_import *im, const struct loom_value *x,
		       const struct loom_value *scale, const struct loom_value *zero, uint32_t axis,
		       int64_t block)
{
	uint32_t i;
	bool fit;

	if (im->em->status || !x || !scale)
		return false;
	fit = block > 0 && scale->rank == x->rank && axis < x->rank &&
	      loom_dtype_is_float(scale->dtype) && (!zero || loom_dims_equal(zero, scale));
	for (i = 0; fit && i < x->rank; i++) {
		int64_t size = x->dims[i];

		fit = scale->dims[i] == (i == axis ? size / block + (size % block != 0) : size);
	}
	if (!fit)
		loom_import_fail(im, -EINVAL,
				 "scales or zero points are not one for each %lld elements",
				 (long long)block);
	return fit;
}

/* @x by block, as an operand for each element of @like */
static struct loom_value *repeat(struct loom_import *im, struct loom_value *x,
				 const struct loom_value *like, uint32_t axis, int64_t block)
{
	int64_t outer = 1, inner, blocks;
	uint32_t i;

	if (!x || !like)
		return NULL;
	inner = loom_value_trailing(like, axis + 1);
	blocks = x->dims[axis];
	for (i = 0; i < axis; i++)
		outer *= like->dims[i];
	x = loom_emit_reshape(im->em, x, 4, (int64_t[]){ outer, blocks, 1, inner });
	x = loom_emit_expand(im->em, x, 4, (int64_t[]){ outer, blocks, block, inner });
	x = loom_emit_reshape(im->em, x, 3, (int64_t[]){ outer, blocks * block, inner });
	x = loom_import_part(im, x, 1, 0, 1, like->dims[axis]);
	return loom_emit_reshape(im->em, x, like->rank, like->dims);
}

/* (x - zero) * scale of constants, of which those of few bits wait for a reader */
static struct loom_value *expand_known(struct loom_import *im, const struct loom_blocks *from)
{
	struct loom_value *y = loom_value_create(im->graph, NULL, from->scale->dtype,
						 from->x->rank, from->x->dims);
	struct loom_blocks *blocks = loom_pool_copy(im->graph->pool, from, sizeof(*from));

	if (!y || !blocks) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return NULL;
	}
	y->blocks = blocks;
	return from->x->bits ? y : loom_import_filled(im, y);
}

struct loom_value *loom_import_blocks_of(struct loom_import *im, struct loom_value *x,
					 struct loom_value *scale, struct loom_value *zero,
					 int64_t middle, uint32_t axis, int64_t block)
{
	uint32_t dtype;

	if (!blocks_fit(im, x, scale, zero, axis, block))
		return NULL;
	dtype = scale->dtype;
	block = min(block, max(x->dims[axis], (int64_t)1));
	if (x->data && scale->data && (!zero || (zero->data && zero->dtype == x->dtype)))
		return expand_known(im, &(struct loom_blocks){ x, scale, zero, middle, axis,
							       block });
	scale = repeat(im, loom_emit_cast(im->em, scale, DRM_LOOM_DTYPE_F32), x, axis, block);
	if (zero)
		zero = repeat(im, loom_emit_cast(im->em, zero, DRM_LOOM_DTYPE_F32), x, axis, block);
	else
		zero = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, (double)middle);
	x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32);
	x = loom_emit_binary(im->em, LOOM_GBIN_SUB, x, zero);
	x = loom_emit_binary(im->em, LOOM_GBIN_MUL, x, scale);
	return loom_emit_cast(im->em, x, dtype);
}

struct loom_value *loom_import_in_blocks(struct loom_import *im, struct loom_value *x,
					 struct loom_value *scale, struct loom_value *zero,
					 uint32_t axis, int64_t block)
{
	if (!blocks_fit(im, x, scale, zero, axis, block))
		return NULL;
	block = min(block, max(x->dims[axis], (int64_t)1));
	x = loom_emit_binary(im->em, LOOM_GBIN_DIV, x, repeat(im, scale, x, axis, block));
	x = loom_emit_fn(im->em, LOOM_GFN_ROUND, x);
	zero = loom_emit_cast(im->em, zero, DRM_LOOM_DTYPE_F32);
	return loom_emit_binary(im->em, LOOM_GBIN_ADD, x, repeat(im, zero, x, axis, block));
}
