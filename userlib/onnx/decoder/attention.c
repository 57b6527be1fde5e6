// SPDX-License-Identifier: MIT
/* Importer of ONNX's Attention. */
#include "attend.h"
#include "onnx/pick.h"
#include "onnx/proto.h"

#include <errno.h>
#include <string.h>

/* A mask may be shorter than the positions: those behind its end are hidden. */
static struct loom_value *lengthen(struct loom_import *im, struct loom_value *mask, int64_t count)
{
	struct loom_value *parts[] = { mask, NULL };
	int64_t dims[LOOM_GRAPH_RANK];
	double filler = mask->dtype == DRM_LOOM_DTYPE_BOOL ? 0 :
			mask->dtype == DRM_LOOM_DTYPE_F16 ? -65504 : -0x1.fffffep127;

	if (mask->dims[mask->rank - 1] >= count || mask->dims[mask->rank - 1] == 1)
		return mask;
	memcpy(dims, mask->dims, sizeof(dims));
	dims[mask->rank - 1] = count - mask->dims[mask->rank - 1];
	parts[1] = loom_emit_expand(im->em, loom_emit_scalar(im->em, mask->dtype, filler),
				    mask->rank, dims);
	return loom_emit_concat(im->em, 2, parts, mask->rank - 1);
}

static void read_mask(struct loom_import *im, struct loom_attend *at)
{
	struct loom_value *mask = loom_import_optional(im, 3);

	if (!mask)
		return;
	if (mask->rank < 2 || mask->rank > 4 ||
	    (mask->dtype != DRM_LOOM_DTYPE_BOOL && mask->dtype != at->q->dtype)) {
		loom_import_fail(im, -EINVAL, "a mask of rank %u and type %s", mask->rank,
				 loom_dtype_name(mask->dtype));
		return;
	}
	mask = lengthen(im, mask, at->k->dims[2]);
	if (mask && mask->dtype == DRM_LOOM_DTYPE_BOOL)
		loom_attend_hide(im, at, mask);
	else
		loom_attend_add(im, at, mask);
}

/* Number of positions that are no padding: hides the others, and moves the queries to the end. */
static struct loom_value *read_length(struct loom_import *im, struct loom_attend *at)
{
	struct loom_value *length = loom_import_optional(im, 6), *queries;

	if (!length)
		return NULL;
	if (length->rank != 1 || length->dims[0] != at->q->dims[0] ||
	    !loom_dtype_is_int(length->dtype) || loom_import_has(im, 4)) {
		loom_import_fail(im, -EINVAL,
				 "lengths are not one for each batch, or there is a past as well");
		return NULL;
	}
	length = loom_emit_cast(im->em, length, DRM_LOOM_DTYPE_I32);
	length = loom_emit_reshape(im->em, length, 4, (int64_t[]){ at->q->dims[0], 1, 1, 1 });
	loom_attend_hide(im, at, loom_emit_binary(im->em, LOOM_GBIN_LESS,
						  loom_pick_numbers(im, 4, 3, at->k->dims[2]),
						  length));
	queries = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)at->q->dims[2]);
	return loom_emit_binary(im->em, LOOM_GBIN_SUB, length, queries);
}

void loom_import_attention(struct loom_import *im, int unused)
{
	int64_t precision = loom_attr_int(im, "softmax_precision", 0);
	int64_t stage = loom_attr_int(im, "qk_matmul_output_mode", 0);
	int64_t shared = loom_attr_int(im, "kv_num_heads", 0);
	struct loom_attend at = {
		.q = loom_import_operand(im, 0),
		.k = loom_import_operand(im, 1),
		.v = loom_import_operand(im, 2),
		.scale = loom_attr_float(im, "scale", 0),
		.softcap = loom_attr_float(im, "softcap", 0),
		.softmax_dtype = loom_onnx_dtype(precision),
	};
	struct loom_value *past = loom_import_optional(im, 4), *first, *y;
	bool joined = at.q && at.q->rank == 3;

	(void)unused;
	if (!at.q || !at.k || !at.v)
		return;
	if (precision && !loom_dtype_is_float(at.softmax_dtype))
		loom_import_fail(im, -EOPNOTSUPP, "a softmax of type %s is not supported",
				 loom_onnx_dtype_name(precision));
	if (stage < 0 || stage >= LOOM_ATTEND_STAGES)
		loom_import_fail(im, -EINVAL, "qk_matmul_output_mode %lld", (long long)stage);
	if (joined) {
		at.q = loom_heads_split(im, at.q, loom_attr_int(im, "q_num_heads", 0));
		at.k = loom_heads_split(im, at.k, shared);
		at.v = loom_heads_split(im, at.v, shared);
	}
	if (!im->em->status && (at.q->rank != 4 || at.k->rank != 4 || at.v->rank != 4 ||
				!past != !loom_import_has(im, 5)))
		loom_import_fail(im, -EINVAL,
				 "operands differ in rank, or only one of past keys and values is there");
	at.k = loom_heads_append(im, past, at.k);
	at.v = loom_heads_append(im, loom_import_optional(im, 5), at.v);
	if (im->em->status)
		return;
	read_mask(im, &at);
	first = read_length(im, &at);
	if (!first)
		first = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32,
					 past ? (double)past->dims[2] : 0);
	if (loom_attr_int(im, "is_causal", 0))
		loom_attend_order(im, &at, first, -1);
	y = loom_attend(im, &at);
	loom_import_result(im, 0, joined ? loom_heads_join(im, y) : y);
	loom_import_result(im, 1, at.k);
	loom_import_result(im, 2, at.v);
	loom_import_result(im, 3, im->em->status ? NULL : at.scores[stage]);
}
