// SPDX-License-Identifier: MIT
/* Weights in a few bits, and in blocks that share a scale: expanded here where they are known. */
#include "onnx/import.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

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
	int64_t dims[LOOM_GRAPH_RANK + 1];
	int64_t outer = 1, inner = loom_value_trailing(like, axis + 1), blocks;
	uint32_t i;

	if (!x)
		return NULL;
	blocks = x->dims[axis];
	for (i = 0; i < axis; i++)
		outer *= like->dims[i];
	x = loom_emit_reshape(im->em, x, 4, (int64_t[]){ outer, blocks, 1, inner });
	x = loom_emit_expand(im->em, x, 4, (int64_t[]){ outer, blocks, block, inner });
	x = loom_emit_reshape(im->em, x, 3, (int64_t[]){ outer, blocks * block, inner });
	x = loom_import_part(im, x, 1, 0, 1, like->dims[axis]);
	memcpy(dims, like->dims, sizeof(like->dims));
	return loom_emit_reshape(im->em, x, like->rank, dims);
}

/* (x - zero) * scale of constants, without anything in between that is as large */
static struct loom_value *expand_known(struct loom_import *im, const struct loom_value *x,
				       const struct loom_value *scale,
				       const struct loom_value *zero, int64_t middle, uint32_t axis,
				       int64_t block)
{
	struct loom_value *y = loom_emit_const(im->em, scale->dtype, x->rank, x->dims);
	const int64_t inner = loom_value_trailing(x, axis + 1), size = x->dims[axis];
	int64_t at, from, steps;

	for (at = 0; y && at < x->num_elems; at++) {
		from = at / inner / size * scale->dims[axis] + at / inner % size / block;
		from = from * inner + at % inner;
		steps = loom_value_int(x, at) - (zero ? loom_value_int(zero, from) : middle);
		loom_value_set_float(y, at, (float)((double)steps * loom_value_float(scale, from)));
	}
	return y;
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
	if (x->data && scale->data && (!zero || (zero->data && loom_dtype_is_int(zero->dtype))))
		return expand_known(im, x, scale, zero, middle, axis, block);
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
	struct loom_value *one = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 1);

	if (!blocks_fit(im, x, scale, zero, axis, block))
		return NULL;
	block = min(block, max(x->dims[axis], (int64_t)1));
	x = loom_emit_binary(im->em, LOOM_GBIN_DIV, x, repeat(im, scale, x, axis, block));
	x = loom_emit_fn(im->em, LOOM_GFN_ROUND, x);
	x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x,
			     repeat(im, loom_emit_cast(im->em, zero, DRM_LOOM_DTYPE_F32), x, axis,
				    block));
	return loom_import_in_steps(im, x, one, NULL, zero->dtype);
}

/* Integers of @bits bits out of bytes, the lowest first; a row fills whole bytes. */
static struct loom_value *unpack(struct loom_import *im, const struct loom_value *x, int64_t bits,
				 uint32_t rank, const int64_t *dims)
{
	const int64_t columns = rank ? dims[rank - 1] : 0, each = 8 / bits;
	const int64_t bytes = columns / each + (columns % each != 0);
	struct loom_value *y;
	int64_t at, count;

	if (x->dtype != DRM_LOOM_DTYPE_U8 || columns < 1 || loom_dims_count(rank, dims, &count) ||
	    x->num_elems != count / columns * bytes) {
		loom_import_fail(im, -EINVAL, "%lld elements of type %s do not fit the shape",
				 (long long)x->num_elems, loom_dtype_name(x->dtype));
		return NULL;
	}
	y = loom_emit_const(im->em, DRM_LOOM_DTYPE_U8, rank, dims);
	for (at = 0; y && at < count; at++) {
		int64_t byte = loom_value_int(x, at / columns * bytes + at % columns / each);

		loom_value_set_int(y, at, byte >> (at % columns % each * bits) & ((1 << bits) - 1));
	}
	return y;
}

static bool bits_fit(struct loom_import *im, int64_t bits)
{
	if (bits == 2 || bits == 4 || bits == 8)
		return true;
	loom_import_fail(im, -EOPNOTSUPP, "%lld bits are not supported", (long long)bits);
	return false;
}

/* Operands: data, weights [N, blocks, bytes], scales, zero points, g_idx, bias. */
void loom_import_matmul_bits(struct loom_import *im, int unused)
{
	const int64_t most = (int64_t)1 << 31;
	struct loom_value *a = loom_import_operand(im, 0), *b = loom_import_known(im, 1);
	struct loom_value *scale = loom_import_known(im, 2), *zero = NULL, *y;
	int64_t bits = loom_attr_int(im, "bits", 4), block = loom_attr_int(im, "block_size", 0);
	int64_t inner = loom_attr_int(im, "K", 0), columns = loom_attr_int(im, "N", 0), dims[2];

	(void)unused;
	if (loom_import_has(im, 3))
		zero = loom_import_known(im, 3);
	if (loom_import_has(im, 4))
		loom_import_fail(im, -EOPNOTSUPP, "g_idx is not supported");
	if (!a || !b || !scale || im->em->status || !bits_fit(im, bits))
		return;
	if (block < 8 || block > most || inner < 1 || inner > most || columns < 1 ||
	    columns > most || a->dtype != scale->dtype || !loom_dtype_is_float(a->dtype)) {
		loom_import_fail(im, -EINVAL, "%lld times %lld in blocks of %lld, types %s and %s",
				 (long long)columns, (long long)inner, (long long)block,
				 loom_dtype_name(a->dtype), loom_dtype_name(scale->dtype));
		return;
	}
	dims[0] = columns;
	dims[1] = (inner + block - 1) / block;
	scale = loom_emit_reshape(im->em, scale, 2, dims);
	if (zero && zero->dtype == DRM_LOOM_DTYPE_U8)
		zero = unpack(im, zero, bits, 2, dims);
	else if (zero)
		zero = loom_emit_reshape(im->em, zero, 2, dims);
	dims[1] *= block;
	b = im->em->status ? NULL : unpack(im, b, bits, 2, dims);
	b = loom_import_part(im, b, 1, 0, 1, inner);
	b = loom_import_blocks_of(im, b, scale, zero, 1 << (bits - 1), 1, block);
	y = loom_import_scaled_product(im, a, b, true, 1);
	if (loom_import_has(im, 5))
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, loom_import_operand(im, 5));
	loom_import_result(im, 0, y);
}

/* Operands: data, indices, scales, zero points. Bytes hold several numbers along the last axis. */
void loom_import_gather_blocks(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_known(im, 0), *indices = loom_import_operand(im, 1);
	struct loom_value *scale = loom_import_known(im, 2), *zero = NULL;
	int64_t bits = loom_attr_int(im, "bits", 4), block = loom_attr_int(im, "block_size", 128);
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t from, axis;
	bool packed;

	(void)unused;
	if (loom_import_has(im, 3))
		zero = loom_import_known(im, 3);
	if (!x || !indices || !scale || im->em->status || !bits_fit(im, bits))
		return;
	from = loom_import_axis(im, loom_attr_int(im, "gather_axis", 0), x->rank);
	axis = loom_import_axis(im, loom_attr_int(im, "quantize_axis", 1), x->rank);
	packed = !x->bits && x->dtype == DRM_LOOM_DTYPE_U8;
	if (im->em->status)
		return;
	if (packed && bits < 8) {
		if (axis != x->rank - 1 || x->dims[axis] > ((int64_t)1 << 40)) {
			loom_import_fail(im, -EINVAL, "bytes are not packed along the last axis");
			return;
		}
		memcpy(dims, x->dims, sizeof(dims));
		dims[axis] *= 8 / bits;
		x = unpack(im, x, bits, x->rank, dims);
		zero = zero ? unpack(im, zero, bits, scale->rank, scale->dims) : NULL;
	}
	x = loom_import_blocks_of(im, x, scale, zero, packed ? 1 << (bits - 1) : 0, axis, block);
	loom_import_result(im, 0, loom_import_rows(im, x, from, indices));
}
