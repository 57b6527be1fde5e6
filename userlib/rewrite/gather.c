// SPDX-License-Identifier: MIT
/*
 * GATHER without data-dependent addresses: each index is compared with all of its possible values,
 * and the match is kept. Rows of a constant table are a product with one-hot rows, which needs no
 * values of indices times elements; other elements are selected and summed. An index that is out of
 * range matches nothing, and gives zero.
 */
#include "rewrite.h"

#include <math.h>

/* Whether rows of @table can be selected by a product, which gives NaN for infinities. */
static bool is_table(const struct loom_value *table)
{
	s64 i;

	if (!table->data || (table->dtype != DRM_LOOM_DTYPE_F32 &&
			     table->dtype != DRM_LOOM_DTYPE_F16))
		return false;
	for (i = 0; i < table->num_elems; i++)
		if (!isfinite(loom_value_float(table, i)))
			return false;
	return true;
}

/* Whether index i is number k, as BOOL: @index has @axis, and behind it one for the numbers. */
static struct loom_value *hits(struct loom_rewriter *rw, struct loom_value *index, u32 axis,
			       s64 count)
{
	struct loom_emitter *em = &rw->em;
	struct loom_value *numbers, *zero;
	s64 dims[LOOM_GRAPH_RANK] = { 0 }, i;
	u32 k;

	index = loom_put_axis(rw, index, axis + 1);
	if (!index)
		return NULL;
	for (k = 0; k < index->rank; k++)
		dims[k] = k == axis + 1 ? count : 1;
	numbers = loom_emit_const(em, index->dtype, index->rank, dims);
	for (i = 0; numbers && i < count; i++)
		loom_value_set_int(numbers, i, i);
	zero = loom_emit_scalar(em, index->dtype, 0);
	index = loom_emit_select(em, loom_emit_binary(em, LOOM_GBIN_LESS, index, zero),
				 loom_put_number(rw, LOOM_GBIN_ADD, index, (double)count), index);
	return loom_emit_binary(em, LOOM_GBIN_EQUAL, index, numbers);
}

/* The product of one-hot rows and a table [1, rows, columns]. */
static struct loom_value *rows_of_table(struct loom_rewriter *rw, struct loom_value *x,
					struct loom_value *index)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = { NULL };
	struct loom_value *hot = hits(rw, index, 1, x->dims[1]);

	hot = loom_emit_cast(&rw->em, hot, x->dtype);
	operands[LOOM_GMATMUL_A] = loom_emit_reshape(&rw->em, hot, 2, (s64[]){
		index->num_elems, x->dims[1] });
	operands[LOOM_GMATMUL_B] = loom_emit_reshape(&rw->em, x, 2, x->dims + 1);
	return loom_put_product(rw, operands, x->dtype);
}

struct loom_value *loom_rewrite_gather(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *index = node->inputs[1], *y;
	const struct loom_value *to = node->output;
	u32 axis = node->gather.axis;

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY) ||
	    !loom_chip_has(rw->chip, DRM_LOOM_OP_CAST) || x->rank == LOOM_GRAPH_RANK)
		return NULL;
	if (x->rank == 3 && axis == 1 && x->dims[0] == 1 && index->num_elems == index->dims[1] &&
	    is_table(x))
		return loom_emit_reshape(&rw->em, rows_of_table(rw, x, index), to->rank, to->dims);
	if (x->dtype == DRM_LOOM_DTYPE_BOOL)
		x = loom_emit_cast(&rw->em, x, DRM_LOOM_DTYPE_I32);
	if (!x)
		return NULL;
	y = loom_emit_select(&rw->em, hits(rw, index, axis, x->dims[axis]),
			     loom_put_axis(rw, x, axis), loom_emit_scalar(&rw->em, x->dtype, 0));
	y = loom_emit_reduce(&rw->em, LOOM_GREDUCE_SUM, y, 1U << (axis + 1), false);
	return loom_emit_cast(&rw->em, y, to->dtype);
}
