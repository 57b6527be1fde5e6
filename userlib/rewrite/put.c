// SPDX-License-Identifier: MIT
/* Small calls to make nodes. See rewrite.h. */
#include "rewrite.h"

#include <string.h>

struct loom_value *loom_put_window(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 start, s64 step, s64 count)
{
	struct loom_gslice slice = { { 0 }, { 0 } };
	s64 counts[LOOM_GRAPH_RANK];
	u32 i;

	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		slice.step[i] = 1;
		counts[i] = x->dims[i];
	}
	slice.start[axis] = start;
	slice.step[axis] = step;
	counts[axis] = count;
	return loom_emit_slice(&rw->em, x, &slice, counts);
}

struct loom_value *loom_put_border(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				   s64 begin, s64 end, u64 value)
{
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT, .value = value };

	if (!x)
		return NULL;
	pad.begin[axis] = begin;
	pad.end[axis] = end;
	return loom_emit_pad(&rw->em, x, &pad);
}

struct loom_value *loom_put_axis(struct loom_rewriter *rw, struct loom_value *x, u32 axis)
{
	s64 dims[LOOM_GRAPH_RANK + 1];

	if (!x)
		return NULL;
	memcpy(dims, x->dims, axis * sizeof(dims[0]));
	dims[axis] = 1;
	memcpy(dims + axis + 1, x->dims + axis, (x->rank - axis) * sizeof(dims[0]));
	return loom_emit_reshape(&rw->em, x, x->rank + 1, dims);
}

struct loom_value *loom_put_number(struct loom_rewriter *rw, enum loom_gbin fn,
				   struct loom_value *x, double number)
{
	if (!x)
		return NULL;
	return loom_emit_binary(&rw->em, fn, x, loom_emit_scalar(&rw->em, x->dtype, number));
}

static bool takes_act(const struct loom_node *node)
{
	return node && node->act.fn == LOOM_GFN_NONE &&
	       (node->op == LOOM_GOP_CONV || node->op == LOOM_GOP_DECONV ||
		node->op == LOOM_GOP_MATMUL || node->op == LOOM_GOP_BINARY);
}

struct loom_value *loom_put_act(struct loom_rewriter *rw, struct loom_value *x,
				const struct loom_gact *act)
{
	if (!x || act->fn == LOOM_GFN_NONE)
		return x;
	if (!takes_act(x->producer))
		return loom_emit_unary(&rw->em, *act, x);
	x->producer->act = *act;
	return x;
}

struct loom_value *loom_put_product(struct loom_rewriter *rw, struct loom_value *const *operands,
				    u32 dtype)
{
	const struct loom_value *a = operands[LOOM_GMATMUL_A], *b = operands[LOOM_GMATMUL_B];
	s64 dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	u32 rank;

	if (!a || !b)
		return NULL;
	rank = a->rank - 2;
	memcpy(dims, a->dims, rank * sizeof(dims[0]));
	loom_emit_broadcast(&rw->em, &rank, dims, b->rank - 2, b->dims);
	dims[rank++] = a->dims[a->rank - 2];
	dims[rank++] = b->dims[b->rank - 1];
	node = loom_emit_begin(&rw->em, LOOM_GOP_MATMUL, dtype, rank, dims,
			       LOOM_GMATMUL_NUM_OPERANDS, operands);
	if (node)
		node->matmul = (struct loom_gmatmul){ .alpha = 1, .beta = 1 };
	return loom_emit_end(&rw->em, node);
}

struct loom_value *loom_put_wide(struct loom_rewriter *rw, struct loom_value *x)
{
	if (!x || x->dtype != DRM_LOOM_DTYPE_F16 || !loom_chip_has(rw->chip, DRM_LOOM_OP_CAST) ||
	    !loom_chip_has_type(rw->chip, DRM_LOOM_DTYPE_F32))
		return x;
	return loom_emit_cast(&rw->em, x, DRM_LOOM_DTYPE_F32);
}

s64 loom_put_most(const struct loom_rewriter *rw, u64 bytes)
{
	u64 most = min(rw->sram_bytes / 4 / bytes, DRM_LOOM_MAX_UNIT_COST / 16);

	return most ? (s64)most : 1;
}

u64 loom_put_bits(u32 dtype, double number)
{
	struct loom_value value = { .dtype = dtype, .num_elems = 1 };
	u64 bits = 0;

	value.data = &bits;
	loom_value_set_float(&value, 0, number);
	return bits;
}
