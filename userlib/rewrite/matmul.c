// SPDX-License-Identifier: MIT
/*
 * MATMUL as CONV of one tap over one axis. With weights b[K, N], the rows of a are positions and
 * its columns channels; both transpositions are free, because they are views. With batches of b,
 * the columns of b are positions, and batches are groups.
 */
#include "rewrite.h"

#include <string.h>

static struct loom_value *swap_last(struct loom_rewriter *rw, struct loom_value *x)
{
	u32 perm[LOOM_GRAPH_RANK], i;

	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		perm[i] = i;
	perm[x->rank - 2] = x->rank - 1;
	perm[x->rank - 1] = x->rank - 2;
	return loom_emit_transpose(&rw->em, x, perm);
}

static s64 batches(const struct loom_value *x)
{
	s64 count = 1;
	u32 i;

	for (i = 0; i + 2 < x->rank; i++)
		count *= x->dims[i];
	return count;
}

/* Repeats @x to the batches of @y, and merges the batches into one axis. */
static struct loom_value *batched(struct loom_rewriter *rw, struct loom_value *x,
				  const struct loom_value *y)
{
	s64 dims[LOOM_GRAPH_RANK];
	u32 rank = y->rank;

	if (!x)
		return NULL;
	memcpy(dims, y->dims, sizeof(dims));
	dims[rank - 2] = x->dims[x->rank - 2];
	dims[rank - 1] = x->dims[x->rank - 1];
	x = loom_emit_expand(&rw->em, x, rank, dims);
	dims[0] = batches(y);
	dims[1] = dims[rank - 2];
	dims[2] = y->rank > 2 ? dims[rank - 1] : y->dims[1];
	if (!x)
		return NULL;
	dims[1] = x->dims[x->rank - 2];
	dims[2] = x->dims[x->rank - 1];
	return loom_emit_reshape(&rw->em, x, 3, dims);
}

/* x[N, C, W] by w[M, C / groups] */
static struct loom_value *put_conv(struct loom_rewriter *rw, struct loom_value **in, s64 groups,
				   u32 dtype)
{
	struct loom_value *x = in[LOOM_GCONV_X], *w = in[LOOM_GCONV_W];
	struct loom_node *node;
	s64 dims[3];

	if (!x || !w)
		return NULL;
	dims[0] = w->dims[0];
	dims[1] = w->dims[1];
	dims[2] = 1;
	in[LOOM_GCONV_W] = loom_emit_reshape(&rw->em, w, 3, dims);
	dims[0] = x->dims[0];
	dims[1] = w->dims[0];
	dims[2] = x->dims[2];
	node = loom_emit_begin(&rw->em, LOOM_GOP_CONV, dtype, 3, dims, LOOM_GCONV_NUM_OPERANDS, in);
	if (node)
		node->conv = (struct loom_gconv){
			.num_spatial = 1, .groups = groups, .kernel = { 1 }, .strides = { 1 },
			.dilations = { 1 },
		};
	return loom_emit_end(&rw->em, node);
}

/*
 * Maps bias and factor to operands with an element per column; returns false if they have another
 * shape.
 */
static bool map_columns(struct loom_rewriter *rw, const struct loom_node *node,
			struct loom_value **in)
{
	struct loom_value *c = node->inputs[LOOM_GMATMUL_C];
	struct loom_value *mult = node->inputs[LOOM_GMATMUL_MULT];
	s64 columns = node->output->dims[node->output->rank - 1];

	if (mult) {
		if (mult->num_elems != 1 &&
		    (mult->num_elems != columns || mult->dims[mult->rank - 1] != columns))
			return false;
		in[LOOM_GCONV_MULT] = loom_emit_reshape(&rw->em, mult, 1, &mult->num_elems);
	}
	if (c && node->matmul.alpha == 1 && node->matmul.beta == 1 && c->num_elems == columns &&
	    c->rank && c->dims[c->rank - 1] == columns)
		in[LOOM_GCONV_BIAS] = loom_emit_reshape(&rw->em, c, 1, &columns);
	/* bytes are scaled after the bias */
	return !c || in[LOOM_GCONV_BIAS] || loom_dtype_is_float(node->output->dtype) ||
	       (node->output->dtype == DRM_LOOM_DTYPE_I32 && !mult);
}

/* Adds alpha and c, unless the convolution applies them. */
static struct loom_value *add_rest(struct loom_rewriter *rw, const struct loom_node *node,
				   struct loom_value *z, bool biased)
{
	struct loom_value *c = node->inputs[LOOM_GMATMUL_C];

	if (z && node->matmul.alpha != 1)
		z = loom_put_number(rw, LOOM_GBIN_MUL, z, node->matmul.alpha);
	if (!c || biased)
		return z;
	if (node->matmul.beta != 1)
		c = loom_put_number(rw, LOOM_GBIN_MUL, c, node->matmul.beta);
	return loom_emit_binary(&rw->em, LOOM_GBIN_ADD, z, c);
}

/* a[batches, M, K] by weights b[K, N]; the result is [batches, N, M]. */
static struct loom_value *by_weights(struct loom_rewriter *rw, const struct loom_node *node,
				     struct loom_value *a, struct loom_value *b,
				     struct loom_value **in)
{
	s64 dims[] = { batches(a), a->dims[a->rank - 2], a->dims[a->rank - 1] };
	s64 weights[] = { b->dims[b->rank - 2], b->dims[b->rank - 1] };

	if (!map_columns(rw, node, in))
		return NULL;
	in[LOOM_GCONV_X] = swap_last(rw, loom_emit_reshape(&rw->em, a, 3, dims));
	in[LOOM_GCONV_W] = swap_last(rw, loom_emit_reshape(&rw->em, b, 2, weights));
	in[LOOM_GCONV_X_ZP] = node->inputs[LOOM_GMATMUL_A_ZP];
	in[LOOM_GCONV_W_ZP] = node->inputs[LOOM_GMATMUL_B_ZP];
	return swap_last(rw, put_conv(rw, in, 1, node->output->dtype));
}

/* Batches of b: x is b[1, batches * K, N], weights are a[batches * M, K]. */
static struct loom_value *by_batches(struct loom_rewriter *rw, const struct loom_node *node,
				     struct loom_value *a, struct loom_value *b,
				     struct loom_value **in)
{
	struct loom_value *mult = node->inputs[LOOM_GMATMUL_MULT];
	s64 count = batches(node->output), dims[3];

	if ((mult && mult->num_elems != 1) || (mult && node->inputs[LOOM_GMATMUL_C]))
		return NULL;
	a = batched(rw, a, node->output);
	b = batched(rw, b, node->output);
	if (!a || !b)
		return NULL;
	dims[0] = 1;
	dims[1] = count * b->dims[1];
	dims[2] = b->dims[2];
	in[LOOM_GCONV_X] = loom_emit_reshape(&rw->em, b, 3, dims);
	dims[0] = count * a->dims[1];
	dims[1] = a->dims[2];
	in[LOOM_GCONV_W] = loom_emit_reshape(&rw->em, a, 2, dims);
	in[LOOM_GCONV_X_ZP] = node->inputs[LOOM_GMATMUL_B_ZP];
	in[LOOM_GCONV_W_ZP] = node->inputs[LOOM_GMATMUL_A_ZP];
	if (mult)
		in[LOOM_GCONV_MULT] = loom_emit_reshape(&rw->em, mult, 1, &mult->num_elems);
	return put_conv(rw, in, count, node->output->dtype);
}

struct loom_value *loom_rewrite_matmul(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *a = node->inputs[LOOM_GMATMUL_A], *b = node->inputs[LOOM_GMATMUL_B];
	struct loom_value *in[LOOM_GCONV_NUM_OPERANDS] = { NULL }, *y = node->output, *z;
	const struct loom_gact *act = &node->act;

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_CONV))
		return NULL;
	if (node->matmul.trans_a)
		a = swap_last(rw, a);
	if (node->matmul.trans_b)
		b = swap_last(rw, b);
	if (!a || !b)
		return NULL;
	in[LOOM_GCONV_Y_ZP] = node->inputs[LOOM_GMATMUL_Y_ZP];
	if (batches(b) == 1)
		z = by_weights(rw, node, a, b, in);
	else
		z = by_batches(rw, node, a, b, in);
	z = loom_emit_reshape(&rw->em, z, y->rank, y->dims);
	z = add_rest(rw, node, z, in[LOOM_GCONV_BIAS]);
	return loom_put_act(rw, z, act);
}
