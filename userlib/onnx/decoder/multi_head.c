// SPDX-License-Identifier: MIT
/* Importers of com.microsoft's attentions with as many keys as queries: several forms of masks. */
#include "attend.h"
#include "onnx/pick.h"

#include <errno.h>

/* Adds the filter value to scores where @seen is false, as these operators do. */
static void filter(struct loom_import *im, struct loom_attend *at, struct loom_value *seen)
{
	struct loom_value *zero = loom_emit_scalar(im->em, at->q->dtype, 0), *value;

	value = loom_emit_scalar(im->em, at->q->dtype,
				 loom_attr_float(im, "mask_filter_value", -10000));
	if (seen)
		loom_attend_add(im, at, loom_emit_select(im->em, seen, zero, value));
}

/* positions from @starts on and before @ends, [batch] each or NULL */
static struct loom_value *between(struct loom_import *im, const struct loom_attend *at,
				  struct loom_value *starts, struct loom_value *ends)
{
	struct loom_value *place = loom_pick_numbers(im, 4, 3, at->k->dims[2]), *seen;
	const int64_t dims[] = { at->q->dims[0], 1, 1, 1 };

	seen = loom_emit_binary(im->em, LOOM_GBIN_LESS, place,
				loom_emit_reshape(im->em, ends, 4, dims));
	if (!starts)
		return seen;
	return loom_emit_binary(im->em, LOOM_GBIN_AND, seen,
				loom_emit_binary(im->em, LOOM_GBIN_GREATER_EQUAL, place,
						 loom_emit_reshape(im->em, starts, 4, dims)));
}

/*
 * A mask of integers: number of positions by batch, and perhaps where they start; or 1 for each
 * position that is seen, by batch, by query, or for the largest square that there may be.
 */
static void read_mask(struct loom_import *im, struct loom_attend *at, uint32_t index)
{
	struct loom_value *mask = loom_import_optional(im, index), *starts = NULL;
	const int64_t batch = at->q->dims[0], queries = at->q->dims[2], all = at->k->dims[2];

	if (!mask || im->em->status)
		return;
	if (mask->dtype != DRM_LOOM_DTYPE_I32) {
		loom_import_fail(im, -EINVAL, "a mask of type %s", loom_dtype_name(mask->dtype));
		return;
	}
	if (mask->rank == 1 && (mask->dims[0] == batch || mask->dims[0] == 2 * batch)) {
		if (mask->dims[0] == 2 * batch)
			starts = loom_import_part(im, mask, 0, batch, 1, batch);
		mask = loom_import_part(im, mask, 0, 0, 1, batch);
		filter(im, at, between(im, at, starts, mask));
		return;
	}
	if (mask->rank == 4 && mask->dims[2] >= all && mask->dims[3] >= all) {
		mask = loom_import_part(im, mask, 2, all - queries, 1, queries);
		mask = loom_import_part(im, mask, 3, 0, 1, all);
	} else if (mask->rank == 3 && mask->dims[1] == queries && mask->dims[2] == all) {
		mask = loom_emit_reshape(im->em, mask, 4,
					 (int64_t[]){ mask->dims[0], 1, queries, all });
	} else if (mask->rank == 2 && mask->dims[1] == all) {
		mask = loom_emit_reshape(im->em, mask, 4, (int64_t[]){ mask->dims[0], 1, 1, all });
	} else {
		loom_import_fail(im, -EOPNOTSUPP,
				 "a mask of rank %u and this shape is not supported", mask->rank);
		return;
	}
	filter(im, at, loom_emit_binary(im->em, LOOM_GBIN_GREATER, mask,
					loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, 0)));
}

/* Everything behind the projections; operands @mask and @bias, @past positions. */
static struct loom_value *finish(struct loom_import *im, struct loom_attend *at, uint32_t mask,
				 uint32_t bias, int64_t past)
{
	if (im->em->status || !at->q || !at->k || !at->v)
		return NULL;
	at->scale = loom_attr_float(im, "scale", 0);
	read_mask(im, at, mask);
	if (loom_attr_int(im, "unidirectional", 0))
		loom_attend_order(im, at,
				  loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)past), -1);
	if (bias)
		loom_attend_add(im, at, loom_import_optional(im, bias));
	return loom_heads_join(im, loom_attend(im, at));
}

/* one of several values that lie side by side along @axis, which vanishes */
static struct loom_value *one_of(struct loom_import *im, struct loom_value *x, uint32_t axis,
				 int64_t index)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i, rank = 0;

	x = loom_import_part(im, x, axis, index, 1, 1);
	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		if (i != axis)
			dims[rank++] = x->dims[i];
	return loom_emit_reshape(im->em, x, rank, dims);
}

/* Heads of an operand, with its part of the bias; those out of a packed one are split already. */
static struct loom_value *project(struct loom_import *im, struct loom_value *x, int64_t heads,
				  int64_t *bias_at)
{
	struct loom_value *bias = loom_import_optional(im, 3);
	int64_t width;

	if (!x || im->em->status)
		return NULL;
	width = x->rank == 4 && x->dims[2] == heads ? heads * x->dims[3] : 0;
	if (width)
		x = loom_emit_reshape(im->em, x, 3,
				      (int64_t[]){ x->dims[0], x->dims[1], width });
	if (x && bias && x->rank == 3) {
		width = x->dims[2];
		if (bias->rank != 1 || *bias_at + width > bias->dims[0]) {
			loom_import_fail(im, -EINVAL, "the bias does not fit");
			return NULL;
		}
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x,
				     loom_import_part(im, bias, 0, *bias_at, 1, width));
		*bias_at += width;
	}
	return loom_heads_split(im, x, heads);
}

/*
 * Operands: query, key, value, bias, mask, bias of scores, past key and value. Keys and values are
 * missing where they are packed with queries, values where they are with keys; they are split
 * already in cross attention.
 */
void loom_import_multi_head(struct loom_import *im, int unused)
{
	struct loom_value *q = loom_import_operand(im, 0), *k = loom_import_optional(im, 1);
	struct loom_value *v = loom_import_optional(im, 2), *past = loom_import_optional(im, 6), *y;
	int64_t heads = loom_attr_int(im, "num_heads", 0), bias_at = 0;
	struct loom_attend at = { 0 };
	bool split = k && v && k->rank == 4;

	(void)unused;
	if (loom_import_has(im, 8) || loom_import_has(im, 9))
		loom_import_fail(im, -EOPNOTSUPP,
				 "past_sequence_length and cache_indirection are not supported");
	if (!q || im->em->status)
		return;
	if (!k && q->rank == 5 && q->dims[3] == 3) {
		v = one_of(im, q, 3, 2);
		k = one_of(im, q, 3, 1);
		q = one_of(im, q, 3, 0);
	} else if (k && !v && k->rank == 5 && k->dims[3] == 2) {
		v = one_of(im, k, 3, 1);
		k = one_of(im, k, 3, 0);
	} else if (!k || !v || q->rank != 3) {
		loom_import_fail(im, -EINVAL,
				 "queries, keys and values are in none of their forms");
		return;
	}
	at.q = project(im, q, heads, &bias_at);
	at.k = split ? k : project(im, k, heads, &bias_at);
	at.v = split ? v : project(im, v, heads, &bias_at);
	at.k = loom_heads_append(im, past, at.k);
	at.v = loom_heads_append(im, loom_import_optional(im, 7), at.v);
	y = finish(im, &at, 4, 5, past && past->rank == 4 ? past->dims[2] : 0);
	loom_import_result(im, 0, y);
	loom_import_result(im, 1, at.k);
	loom_import_result(im, 2, at.v);
	loom_import_result(im, 3, im->em->status ? NULL : at.scores[LOOM_ATTEND_PRODUCT]);
}

/* The three parts of a projection, of widths that are equal or in the attribute. */
static void split_projection(struct loom_import *im, struct loom_value *x, struct loom_attend *at)
{
	struct loom_value **heads[] = { &at->q, &at->k, &at->v };
	int64_t widths[3], start = 0, count = loom_attr_int(im, "num_heads", 0);
	uint32_t i, given = loom_attr_ints(im, "qkv_hidden_sizes", widths, 3);

	if (!x || im->em->status)
		return;
	for (i = 0; i < 3; i++) {
		if (given != 3)
			widths[i] = x->dims[2] / 3;
		if (widths[i] < 1 || widths[i] > x->dims[2] - start) {
			loom_import_fail(im, -EINVAL, "weights do not have the hidden sizes");
			return;
		}
		*heads[i] = loom_heads_split(im, loom_import_part(im, x, 2, start, 1, widths[i]),
					     count);
		start += widths[i];
	}
	if (start != x->dims[2])
		loom_import_fail(im, -EINVAL, "weights do not have the hidden sizes");
}

/* keys and values of the past are in one operand, as those that are returned */
static void finish_joined(struct loom_import *im, struct loom_attend *at, uint32_t mask,
			  uint32_t past_index, uint32_t bias)
{
	struct loom_value *past = loom_import_optional(im, past_index), *parts[2], *y;
	int64_t count = past && past->rank == 5 ? past->dims[3] : 0;

	if (im->em->status || !at->q || !at->k || !at->v)
		return;
	if (past && (past->rank != 5 || past->dims[0] != 2)) {
		loom_import_fail(im, -EINVAL, "past keys and values are not in one operand");
		return;
	}
	if (past) {
		at->k = loom_heads_append(im, one_of(im, past, 0, 0), at->k);
		at->v = loom_heads_append(im, one_of(im, past, 0, 1), at->v);
	}
	y = finish(im, at, mask, bias, count);
	loom_import_result(im, 0, y);
	if (!y || !loom_import_wants(im, 1))
		return;
	parts[0] = loom_emit_reshape(im->em, at->k, 5, (int64_t[]){
		1, at->k->dims[0], at->k->dims[1], at->k->dims[2], at->k->dims[3] });
	parts[1] = loom_emit_reshape(im->em, at->v, 5, (int64_t[]){
		1, at->v->dims[0], at->v->dims[1], at->v->dims[2], at->v->dims[3] });
	loom_import_result(im, 1, loom_emit_concat(im->em, 2, parts, 0));
}

static bool projection_fits(struct loom_import *im, const struct loom_value *x,
			    const struct loom_value *w)
{
	if (im->em->status || !x || !w)
		return false;
	if (loom_attr_int(im, "do_rotary", 0) || loom_attr_int(im, "past_present_share_buffer", 0))
		loom_import_fail(im, -EOPNOTSUPP,
				 "do_rotary and past_present_share_buffer are not supported");
	else if (x->rank != 3 || w->rank != 2)
		loom_import_fail(im, -EINVAL, "data of rank %u, weights of rank %u", x->rank,
				 w->rank);
	return !im->em->status;
}

/* Operands: data, weights, bias, mask, past, bias of scores. */
void loom_import_packed_attention(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *w = loom_import_operand(im, 1);
	struct loom_attend at = { 0 };

	(void)unused;
	if (loom_import_has(im, 6))
		loom_import_fail(im, -EOPNOTSUPP, "past_sequence_length is not supported");
	if (!projection_fits(im, x, w))
		return;
	if (x->dtype != w->dtype || !loom_dtype_is_float(x->dtype)) {
		loom_import_fail(im, -EINVAL, "data and weights of types %s and %s",
				 loom_dtype_name(x->dtype), loom_dtype_name(w->dtype));
		return;
	}
	x = loom_import_scaled_product(im, x, w, false, 1);
	if (loom_import_has(im, 2))
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, loom_import_operand(im, 2));
	split_projection(im, x, &at);
	finish_joined(im, &at, 3, 4, 5);
}

/* Operands: data, weights, bias, scales of both, mask, zero points of both, past. */
void loom_import_quantised_attention(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *w = loom_import_operand(im, 1);
	struct loom_attend at = { 0 };

	(void)unused;
	if (!projection_fits(im, x, w))
		return;
	x = loom_import_bytes_product(im, x, loom_import_operand(im, 3),
				      loom_import_optional(im, 6), w, loom_import_operand(im, 4),
				      loom_import_optional(im, 7));
	x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x, loom_import_operand(im, 2));
	split_projection(im, x, &at);
	finish_joined(im, &at, 5, 8, 0);
}

/* Operands: tokens, segments, tables of words, places and segments, gamma, beta, mask, places. */
void loom_import_embed_norm(struct loom_import *im, int unused)
{
	struct loom_value *tokens = loom_import_operand(im, 0), *mask = loom_import_optional(im, 7);
	struct loom_value *places = loom_import_optional(im, 8), *x, *y;
	float epsilon = loom_attr_float(im, "epsilon", 0.000000000001f);

	(void)unused;
	if (!tokens || im->em->status)
		return;
	if (tokens->rank != 2 || loom_attr_int(im, "mask_index_type", 0)) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "tokens of rank %u, or a mask_index_type, are not supported",
				 tokens->rank);
		return;
	}
	if (!places)
		places = loom_pick_numbers(im, 2, 1, tokens->dims[1]);
	x = loom_import_rows(im, loom_import_operand(im, 2), 0, tokens);
	x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x,
			     loom_import_rows(im, loom_import_operand(im, 3), 0, places));
	if (loom_import_has(im, 1) && loom_import_has(im, 4))
		x = loom_emit_binary(im->em, LOOM_GBIN_ADD, x,
				     loom_import_rows(im, loom_import_operand(im, 4), 0,
						      loom_import_operand(im, 1)));
	y = loom_import_normal(im, x, loom_import_operand(im, 5), loom_import_operand(im, 6),
			       epsilon);
	loom_import_result(im, 0, y);
	if (loom_import_wants(im, 1)) {
		mask = mask ? loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, mask, 2, false) :
		       loom_emit_const(im->em, DRM_LOOM_DTYPE_I32, 1, tokens->dims);
		loom_import_result(im, 1, mask);
	}
	loom_import_result(im, 2, x);
}
