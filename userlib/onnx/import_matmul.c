// SPDX-License-Identifier: MIT
/* Importers of matrix products. */
#include "import.h"

#include <errno.h>
#include <string.h>

/* rows and columns of an operand, after its transposition */
static void matrix_size(const struct loom_value *x, bool trans, int64_t *rows, int64_t *columns)
{
	*rows = x->dims[x->rank - (trans ? 1 : 2)];
	*columns = x->dims[x->rank - (trans ? 2 : 1)];
}

static struct loom_value *emit_matmul(struct loom_import *im, struct loom_value *const *operands,
				      uint32_t dtype, const struct loom_gmatmul *attrs)
{
	const struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B];
	int64_t dims[LOOM_GRAPH_RANK], rows, columns, inner_a, inner_b;
	char text_a[LOOM_DIMS_TEXT], text_b[LOOM_DIMS_TEXT];
	struct loom_node *node;
	uint32_t rank;

	if (im->em->status || !a || !b)
		return NULL;
	if (a->rank < 2 || b->rank < 2) {
		loom_import_fail(im, -EINVAL, "operands of rank %u and %u are no matrices", a->rank,
				 b->rank);
		return NULL;
	}
	matrix_size(a, attrs->trans_a, &rows, &inner_a);
	matrix_size(b, attrs->trans_b, &inner_b, &columns);
	if (inner_a != inner_b) {
		loom_import_fail(im, -EINVAL, "matrices %s and %s do not fit together",
				 loom_dims_print(text_a, sizeof(text_a), a->rank, a->dims),
				 loom_dims_print(text_b, sizeof(text_b), b->rank, b->dims));
		return NULL;
	}
	rank = a->rank - 2;
	memcpy(dims, a->dims, sizeof(dims));
	loom_emit_broadcast(im->em, &rank, dims, b->rank - 2, b->dims);
	if (im->em->status)
		return NULL;
	dims[rank++] = rows;
	dims[rank++] = columns;
	node = loom_emit_begin(im->em, LOOM_GOP_MATMUL, dtype, rank, dims,
			       LOOM_GMATMUL_NUM_OPERANDS, operands);
	if (node)
		node->matmul = *attrs;
	return loom_emit_end(im->em, node);
}

struct loom_value *loom_import_product(struct loom_import *im, struct loom_value *a,
				       struct loom_value *b, struct loom_value *c)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = a, [LOOM_GMATMUL_B] = b, [LOOM_GMATMUL_C] = c,
	};
	static const struct loom_gmatmul attrs = { .trans_b = true, .alpha = 1, .beta = 1 };

	if (!a)
		return NULL;
	return emit_matmul(im, operands, loom_dtype_is_float(a->dtype) ? a->dtype :
			   DRM_LOOM_DTYPE_I32, &attrs);
}

struct loom_value *loom_import_scaled_product(struct loom_import *im, struct loom_value *a,
					      struct loom_value *b, bool trans_b, float alpha)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = a, [LOOM_GMATMUL_B] = b,
	};
	const struct loom_gmatmul attrs = { .trans_b = trans_b, .alpha = alpha, .beta = 1 };

	return a ? emit_matmul(im, operands, a->dtype, &attrs) : NULL;
}

/* numpy: a vector on the left is a row, on the right a column; the result loses that axis again */
static struct loom_value *emit_numpy_matmul(struct loom_import *im, struct loom_value **operands,
					    uint32_t dtype)
{
	static const struct loom_gmatmul plain = { .alpha = 1, .beta = 1 };
	struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B], *y;
	bool row, column;
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t rank;

	if (im->em->status || !a || !b)
		return NULL;
	if (!a->rank || !b->rank) {
		loom_import_fail(im, -EINVAL, "a scalar is no matrix");
		return NULL;
	}
	row = a->rank == 1;
	column = b->rank == 1;
	if (row)
		a = loom_emit_reshape(im->em, a, 2, (int64_t[]){ 1, a->dims[0] });
	if (column)
		b = loom_emit_reshape(im->em, b, 2, (int64_t[]){ b->dims[0], 1 });
	operands[LOOM_GMATMUL_A] = a;
	operands[LOOM_GMATMUL_B] = b;
	y = emit_matmul(im, operands, dtype, &plain);
	if (!y || (!row && !column))
		return y;
	rank = y->rank - 2;
	memcpy(dims, y->dims, sizeof(dims));
	if (!row)
		dims[rank++] = y->dims[y->rank - 2];
	if (!column)
		dims[rank++] = y->dims[y->rank - 1];
	return loom_emit_reshape(im->em, y, rank, dims);
}

struct loom_value *loom_import_numpy_matmul(struct loom_import *im, struct loom_value *a,
					    struct loom_value *b)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = a, [LOOM_GMATMUL_B] = b,
	};

	return emit_numpy_matmul(im, operands, a->dtype);
}

static bool bytes_fit(struct loom_import *im, const struct loom_value *x,
		      const struct loom_value *zero)
{
	if (!x)
		return false;
	if ((x->dtype != DRM_LOOM_DTYPE_I8 && x->dtype != DRM_LOOM_DTYPE_U8) ||
	    (zero && zero->dtype != x->dtype)) {
		loom_import_fail(im, -EINVAL, "operand of type %s with a zero point of type %s",
				 loom_dtype_name(x->dtype),
				 loom_dtype_name(zero ? zero->dtype : x->dtype));
		return false;
	}
	return true;
}

/* One element for all, one for each row or column, or the same for each matrix. */
static bool lines_fit(const struct loom_value *x, const struct loom_value *of, bool rows)
{
	int64_t lines = of->rank > 1 ? of->dims[of->rank - (rows ? 2 : 1)] : 1;
	uint32_t i;

	if (x->num_elems == 1)
		return true;
	if (x->rank == 1)
		return x->dims[0] == lines;
	if (x->rank != of->rank || x->rank < 2)
		return false;
	for (i = 0; i + 2 < x->rank; i++)
		if (x->dims[i] != of->dims[i])
			return false;
	return x->dims[x->rank - (rows ? 2 : 1)] == lines &&
	       x->dims[x->rank - (rows ? 1 : 2)] == 1;
}

static void check_lines(struct loom_import *im, const struct loom_value *x,
			const struct loom_value *of, bool rows)
{
	if (x && !lines_fit(x, of, rows))
		loom_import_fail(im, -EINVAL, "a scale or zero point does not fit its operand");
}

/* As it broadcasts to the result: a vector of rows is a column, if there are columns. */
static struct loom_value *per_line(struct loom_import *im, struct loom_value *x,
				   const struct loom_value *other, bool rows)
{
	if (!x || im->em->status)
		return NULL;
	if (x->num_elems == 1)
		return loom_emit_reshape(im->em, x, 0, NULL);
	if (x->rank > 1 && other->rank == 1)
		loom_import_fail(im, -EOPNOTSUPP, "zero points of matrices for a vector");
	return x->rank == 1 && rows && other->rank > 1 ?
	       loom_emit_reshape(im->em, x, 2, (int64_t[]){ x->dims[0], 1 }) : x;
}

/* Zero points and scales that the device supports: one, or scales by column. */
static bool is_plain(struct loom_value *const *operands, const struct loom_value *a_scale)
{
	const struct loom_value *scale = operands[LOOM_GMATMUL_MULT];
	const struct loom_value *zero = operands[LOOM_GMATMUL_Y_ZP];

	return loom_import_plain_zero(operands[LOOM_GMATMUL_A_ZP]) &&
	       loom_import_plain_zero(operands[LOOM_GMATMUL_B_ZP]) && (!zero || zero->data) &&
	       (!a_scale || a_scale->num_elems == 1) &&
	       (!scale || scale->rank < 2 || scale->dims[scale->rank - 1] == scale->num_elems);
}

/* Other zero points and scales, see import_quant.c. */
static struct loom_value *emit_apart(struct loom_import *im, struct loom_value **operands)
{
	struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B], *y;
	struct loom_value *p = operands[LOOM_GMATMUL_A_ZP], *q = operands[LOOM_GMATMUL_B_ZP];
	struct loom_value *scale = operands[LOOM_GMATMUL_MULT], *zero = operands[LOOM_GMATMUL_Y_ZP];
	bool plain_a = loom_import_plain_zero(p), plain_b = loom_import_plain_zero(q);
	uint32_t k = b->rank > 1 ? b->rank - 2 : 0;

	operands[LOOM_GMATMUL_MULT] = NULL;
	operands[LOOM_GMATMUL_Y_ZP] = NULL;
	if (!plain_a)
		operands[LOOM_GMATMUL_A_ZP] = NULL;
	if (!plain_b)
		operands[LOOM_GMATMUL_B_ZP] = NULL;
	y = emit_numpy_matmul(im, operands, DRM_LOOM_DTYPE_I32);
	if (!plain_a)
		y = loom_import_less_zero(im, y, p, loom_import_sums(im, b, 1u << k, a->rank > 1),
					  plain_b ? q : NULL, b->dims[k]);
	if (!plain_b)
		y = loom_import_less_zero(im, y, q,
					  loom_import_sums(im, a, 1u << (a->rank - 1), b->rank > 1),
					  p, b->dims[k]);
	if (scale)
		y = loom_import_requantise(im, y, scale, zero);
	return y;
}

/* NULL after an error */
static struct loom_value *emit_integer(struct loom_import *im, struct loom_value **operands,
				       uint32_t dtype, const struct loom_value *a_scale)
{
	struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B];
	const struct loom_value *zero = operands[LOOM_GMATMUL_Y_ZP];

	if (im->em->status || !bytes_fit(im, a, operands[LOOM_GMATMUL_A_ZP]) ||
	    !bytes_fit(im, b, operands[LOOM_GMATMUL_B_ZP]))
		return NULL;
	if (zero && zero->num_elems != 1)
		loom_import_fail(im, -EOPNOTSUPP, "zero points of the result that differ");
	if (!a->rank || !b->rank)
		loom_import_fail(im, -EINVAL, "a scalar is no matrix");
	else
		check_lines(im, operands[LOOM_GMATMUL_A_ZP], a, true);
	if (!im->em->status)
		check_lines(im, operands[LOOM_GMATMUL_B_ZP], b, false);
	if (im->em->status)
		return NULL;
	if (is_plain(operands, a_scale))
		return emit_numpy_matmul(im, operands, dtype);
	operands[LOOM_GMATMUL_A_ZP] = per_line(im, operands[LOOM_GMATMUL_A_ZP], b, true);
	operands[LOOM_GMATMUL_B_ZP] = per_line(im, operands[LOOM_GMATMUL_B_ZP], a, false);
	return im->em->status ? NULL : emit_apart(im, operands);
}

void loom_import_matmul_integer(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = loom_import_operand(im, 0),
		[LOOM_GMATMUL_B] = loom_import_operand(im, 1),
		[LOOM_GMATMUL_A_ZP] = loom_import_optional(im, 2),
		[LOOM_GMATMUL_B_ZP] = loom_import_optional(im, 3),
	};

	(void)unused;
	loom_import_result(im, 0, emit_integer(im, operands, DRM_LOOM_DTYPE_I32, NULL));
}

struct loom_value *loom_import_bytes_product(struct loom_import *im, struct loom_value *a,
					     struct loom_value *a_scale, struct loom_value *a_zero,
					     struct loom_value *b, struct loom_value *b_scale,
					     struct loom_value *b_zero)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = a, [LOOM_GMATMUL_B] = b,
		[LOOM_GMATMUL_A_ZP] = a_zero, [LOOM_GMATMUL_B_ZP] = b_zero,
	};
	struct loom_value *y, *scale;

	y = emit_integer(im, operands, DRM_LOOM_DTYPE_I32, NULL);
	if (!y || !a_scale || !b_scale)
		return NULL;
	if (a_scale->num_elems != 1)
		loom_import_fail(im, -EOPNOTSUPP, "scales of rows are not supported");
	check_lines(im, b_scale, b, false);
	a_scale = loom_emit_reshape(im->em, a_scale, 0, NULL);
	scale = loom_emit_binary(im->em, LOOM_GBIN_MUL, a_scale, per_line(im, b_scale, a, false));
	y = loom_emit_cast(im->em, y, DRM_LOOM_DTYPE_F32);
	return loom_emit_binary(im->em, LOOM_GBIN_MUL, y, scale);
}

/*
 * com.microsoft's products of bytes with results in floats. DynamicQuantizeMatMul: A as floats, B,
 * its scale, its zero point, bias. MatMulIntegerToFloat, @scaled: A, B, scales, zero points, bias.
 */
void loom_import_dynamic_matmul(struct loom_import *im, int scaled)
{
	struct loom_value *a = loom_import_operand(im, 0), *b = loom_import_operand(im, 1), *y;
	struct loom_value *a_scale = scaled ? loom_import_operand(im, 2) : NULL;
	struct loom_value *a_zero = scaled ? loom_import_optional(im, 4) : NULL;
	struct loom_value *b_scale = loom_import_operand(im, scaled ? 3 : 2);
	struct loom_value *b_zero = loom_import_optional(im, scaled ? 5 : 3);
	uint32_t bias = scaled ? 6 : 4;

	if (!a || !b || !b_scale || im->em->status)
		return;
	if (!scaled)
		a = loom_import_quantise_range(im, a, &a_scale, &a_zero);
	y = loom_import_bytes_product(im, a, a_scale, a_zero, b, b_scale, b_zero);
	if (loom_import_has(im, bias))
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, loom_import_operand(im, bias));
	loom_import_result(im, 0, y);
}

void loom_import_qlinear_matmul(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = loom_import_operand(im, 0),
		[LOOM_GMATMUL_B] = loom_import_operand(im, 3),
		[LOOM_GMATMUL_A_ZP] = loom_import_operand(im, 2),
		[LOOM_GMATMUL_B_ZP] = loom_import_operand(im, 5),
		[LOOM_GMATMUL_Y_ZP] = loom_import_operand(im, 7),
	};
	struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B];
	struct loom_value *a_scale = loom_import_operand(im, 1), *b_scale, *y_scale, *scale;

	(void)unused;
	b_scale = loom_import_operand(im, 4);
	if (!a_scale || !b_scale || !a || !b || !operands[LOOM_GMATMUL_Y_ZP])
		return;
	check_lines(im, a_scale, a, true);
	check_lines(im, b_scale, b, false);
	/* scales of f16 are multiplied and divided in f32 */
	a_scale = loom_emit_cast(im->em, a_scale, DRM_LOOM_DTYPE_F32);
	b_scale = loom_emit_cast(im->em, b_scale, DRM_LOOM_DTYPE_F32);
	y_scale = loom_emit_cast(im->em, loom_import_operand(im, 6), DRM_LOOM_DTYPE_F32);
	if (!a_scale || !b_scale || !y_scale)
		return;
	scale = a_scale->num_elems == 1 ? a_scale : per_line(im, a_scale, b, true);
	scale = loom_emit_binary(im->em, LOOM_GBIN_MUL, scale, b_scale);
	operands[LOOM_GMATMUL_MULT] = loom_emit_binary(im->em, LOOM_GBIN_DIV, scale, y_scale);
	loom_import_result(im, 0, emit_integer(im, operands, operands[LOOM_GMATMUL_Y_ZP]->dtype,
					       a_scale));
}

void loom_import_gemm(struct loom_import *im, int unused)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = {
		[LOOM_GMATMUL_A] = loom_import_operand(im, 0),
		[LOOM_GMATMUL_B] = loom_import_operand(im, 1),
		[LOOM_GMATMUL_C] = loom_import_optional(im, 2),
	};
	struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B];
	struct loom_value *c = operands[LOOM_GMATMUL_C];
	struct loom_gmatmul attrs = {
		.trans_a = loom_attr_int(im, "transA", 0),
		.trans_b = loom_attr_int(im, "transB", 0),
		.alpha = loom_attr_float(im, "alpha", 1),
		.beta = loom_attr_float(im, "beta", 1),
	};
	int64_t dims[LOOM_GRAPH_RANK], rows, columns, inner;
	uint32_t rank = 2;

	(void)unused;
	if (!a || !b)
		return;
	if (a->rank != 2 || b->rank != 2) {
		loom_import_fail(im, -EINVAL, "operands of rank %u and %u are no matrices", a->rank,
				 b->rank);
		return;
	}
	if (a->dtype != b->dtype || !loom_dtype_is_float(a->dtype) ||
	    (c && c->dtype != a->dtype))
		loom_import_fail(im, -EOPNOTSUPP, "operands of types %s and %s are not supported",
				 loom_dtype_name(a->dtype), loom_dtype_name(b->dtype));
	if (c && attrs.beta == 0)
		operands[LOOM_GMATMUL_C] = NULL;
	if (c) {
		matrix_size(a, attrs.trans_a, &rows, &inner);
		matrix_size(b, attrs.trans_b, &inner, &columns);
		dims[0] = rows;
		dims[1] = columns;
		loom_emit_broadcast(im->em, &rank, dims, c->rank, c->dims);
		if (rank != 2 || dims[0] != rows || dims[1] != columns)
			loom_import_fail(im, -EINVAL, "operand C does not broadcast to the result");
	}
	loom_import_result(im, 0, emit_matmul(im, operands, a->dtype, &attrs));
}
