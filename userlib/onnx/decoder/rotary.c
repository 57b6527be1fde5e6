// SPDX-License-Identifier: MIT
/* Rotary embeddings: pairs of elements are rotated by angles that depend on the position. */
#include "attend.h"
#include "onnx/pick.h"

#include <errno.h>

/* [batch, n, size / 2] as it broadcasts over heads */
static struct loom_value *over_heads(struct loom_import *im, struct loom_value *x)
{
	if (im->em->status || !x)
		return NULL;
	if (x->rank == 3)
		return loom_emit_reshape(im->em, x, 4, (int64_t[]){ x->dims[0], 1, x->dims[1],
								     x->dims[2] });
	loom_import_fail(im, -EINVAL, "cosines or sines of rank %u", x->rank);
	return NULL;
}

void loom_rotary_rows(struct loom_import *im, uint32_t cos, uint32_t sin,
		      struct loom_value *positions, struct loom_rotary *rotary)
{
	struct loom_value *x = loom_import_operand(im, cos), *y = loom_import_operand(im, sin);

	if (!x || !y || !positions || im->em->status)
		return;
	if (x->rank != 2 || !loom_dims_equal(x, y) || positions->rank != 2) {
		loom_import_fail(im, -EINVAL,
				 "tables of cosines and sines are no matrices of one shape");
		return;
	}
	rotary->cos = over_heads(im, loom_import_rows(im, x, 0, positions));
	rotary->sin = over_heads(im, loom_import_rows(im, y, 0, positions));
}

struct loom_value *loom_rotary_turn(struct loom_import *im, const struct loom_rotary *rotary,
				    struct loom_value *x)
{
	struct loom_value *parts[3], *a, *b, *cos = rotary->cos, *sin = rotary->sin;
	int64_t half, size;
	uint32_t i;

	if (im->em->status || !x || !cos || !sin)
		return NULL;
	half = cos->dims[3];
	size = x->dims[3];
	if (cos->dtype != x->dtype || !loom_dtype_is_float(x->dtype) ||
	    !loom_dims_equal(cos, sin) || 2 * half > size ||
	    (cos->dims[0] != 1 && cos->dims[0] != x->dims[0]) ||
	    cos->dims[2] != x->dims[2]) {
		loom_import_fail(im, -EINVAL, "cosines or sines do not fit the data");
		return NULL;
	}
	for (i = 0; i < 2; i++)
		parts[i] = loom_import_part(im, x, 3, i * (rotary->interleaved ? 1 : half),
					    rotary->interleaved ? 2 : 1, half);
	a = loom_emit_binary(im->em, LOOM_GBIN_SUB,
			     loom_emit_binary(im->em, LOOM_GBIN_MUL, parts[0], cos),
			     loom_emit_binary(im->em, LOOM_GBIN_MUL, parts[1], sin));
	b = loom_emit_binary(im->em, LOOM_GBIN_ADD,
			     loom_emit_binary(im->em, LOOM_GBIN_MUL, parts[0], sin),
			     loom_emit_binary(im->em, LOOM_GBIN_MUL, parts[1], cos));
	parts[0] = a;
	parts[1] = b;
	if (rotary->interleaved) {
		int64_t dims[] = { x->dims[0], x->dims[1], x->dims[2], half, 1 };

		for (i = 0; i < 2; i++)
			parts[i] = loom_emit_reshape(im->em, parts[i], 5, dims);
		a = loom_emit_concat(im->em, 2, parts, 4);
		dims[3] = 2 * half;
		parts[0] = loom_emit_reshape(im->em, a, 4, dims);
	}
	i = rotary->interleaved ? 1 : 2;
	if (2 * half < size)
		parts[i++] = loom_import_part(im, x, 3, 2 * half, 1, size - 2 * half);
	return loom_emit_concat(im->em, i, parts, 3);
}

/* The elements that are rotated: all, or as many as the attribute says, which the tables have. */
static void check_size(struct loom_import *im, const struct loom_value *x,
		       const struct loom_value *cos)
{
	int64_t size = loom_attr_int(im, "rotary_embedding_dim", 0);

	if (x && cos && 2 * cos->dims[3] != (size ? size : x->dims[3]))
		loom_import_fail(im, -EINVAL, "%lld cosines for %lld elements",
				 (long long)cos->dims[3], (long long)(size ? size : x->dims[3]));
}

/* positions of com.microsoft's operator: one for each token, or that of the first */
static struct loom_value *token_positions(struct loom_import *im, int64_t count)
{
	struct loom_value *x = loom_import_operand(im, 1), *numbers;

	if (!x || x->num_elems != 1 || x->rank > 1)
		return x;
	numbers = loom_emit_cast(im->em, loom_pick_numbers(im, 2, 1, count), x->dtype);
	return loom_emit_binary(im->em, LOOM_GBIN_ADD, x, numbers);
}

/* com.microsoft's operator has its operands in another order, and @first positions */
void loom_import_rotary(struct loom_import *im, int first)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	int64_t heads = loom_attr_int(im, "num_heads", 0);
	struct loom_rotary rotary = { .interleaved = loom_attr_int(im, "interleaved", 0) };
	bool joined = x && x->rank == 3;

	if (!x)
		return;
	if (first && (loom_attr_int(im, "is_packed_batching", 0) ||
		      loom_attr_float(im, "scale", 1) != 1))
		loom_import_fail(im, -EOPNOTSUPP, "packed batches and scales are not supported");
	if (x->rank != 3 && x->rank != 4)
		loom_import_fail(im, -EINVAL, "data of rank %u", x->rank);
	if (im->em->status)
		return;
	if (first) {
		loom_rotary_rows(im, 2, 3, token_positions(im, x->dims[x->rank - 2]), &rotary);
	} else if (loom_import_has(im, 3)) {
		loom_rotary_rows(im, 1, 2, loom_import_operand(im, 3), &rotary);
	} else {
		rotary.cos = over_heads(im, loom_import_operand(im, 1));
		rotary.sin = over_heads(im, loom_import_operand(im, 2));
	}
	if (joined && !heads && rotary.cos && rotary.cos->dims[3])
		heads = x->dims[2] / (2 * rotary.cos->dims[3]);
	if (joined)
		x = loom_heads_split(im, x, heads);
	check_size(im, x, rotary.cos);
	y = loom_rotary_turn(im, &rotary, x);
	loom_import_result(im, 0, joined ? loom_heads_join(im, y) : y);
}
