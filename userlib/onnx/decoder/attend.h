/* SPDX-License-Identifier: MIT */
/*
 * DOC: Attention
 *
 * All operators that attend (ONNX: Attention; com.microsoft: Attention, QAttention,
 * MultiHeadAttention, GroupQueryAttention) bring their operands into one form, heads in front of
 * positions, and share loom_attend(). Queries whose heads share a key and a value are one larger
 * matrix, so that keys and values are never repeated.
 *
 * A score that is hidden becomes the lowest finite number, not an infinity: where all are hidden, a
 * row has equal weights as in ONNX Runtime, and no NaN.
 */
#ifndef LOOM_ONNX_ATTEND_H
#define LOOM_ONNX_ATTEND_H

#include "onnx/import.h"

/**
 * enum loom_attend_stage - which scores an operator returns
 * @LOOM_ATTEND_PRODUCT: scaled products of queries and keys
 * @LOOM_ATTEND_CAPPED: after the soft cap
 * @LOOM_ATTEND_MASKED: after mask and bias
 * @LOOM_ATTEND_WEIGHTS: after the softmax
 * @LOOM_ATTEND_STAGES: number of stages
 */
enum loom_attend_stage {
	LOOM_ATTEND_PRODUCT,
	LOOM_ATTEND_CAPPED,
	LOOM_ATTEND_MASKED,
	LOOM_ATTEND_WEIGHTS,
	LOOM_ATTEND_STAGES,
};

/**
 * struct loom_attend - operands and parameters of one attention
 * @q: queries, [batch, heads, queries, size]
 * @k: keys, [batch, kv heads, positions, size]; kv heads divide heads
 * @v: values, [batch, kv heads, positions, value size]
 * @bias: added to scores, broadcasts to [batch, heads, queries, positions]; or NULL
 * @seen: BOOL, broadcasts likewise: a score where it is false is hidden; or NULL
 * @sink: a score of no position, [heads, 1, 1] or one element, that takes its share; or NULL
 * @scale: of scores; 0: 1 / sqrt(size)
 * @softcap: c * tanh(score / c); 0: none
 * @softmax_dtype: of the softmax; 0: that of the scores
 * @scores: [out] by stage
 */
struct loom_attend {
	struct loom_value *q;
	struct loom_value *k;
	struct loom_value *v;
	struct loom_value *bias;
	struct loom_value *seen;
	struct loom_value *sink;
	float scale;
	float softcap;
	uint32_t softmax_dtype;
	struct loom_value *scores[LOOM_ATTEND_STAGES];
};

/** loom_attend() - [batch, heads, queries, value size], NULL after an error */
struct loom_value *loom_attend(struct loom_import *im, struct loom_attend *at);
/** loom_attend_hide() - also hides scores where @seen is false; NULL changes nothing */
void loom_attend_hide(struct loom_import *im, struct loom_attend *at, struct loom_value *seen);
/** loom_attend_add() - also adds @bias to scores; NULL changes nothing */
void loom_attend_add(struct loom_import *im, struct loom_attend *at, struct loom_value *bias);

/**
 * loom_attend_order() - hides positions that come later than their query
 * @im: the node
 * @at: the attention
 * @past: position of the first query: one element, or [batch, 1, 1, 1]; I32
 * @window: positions before that of the query that it sees; -1: all
 */
void loom_attend_order(struct loom_import *im, struct loom_attend *at, struct loom_value *past,
		       int64_t window);

/** loom_heads_split() - [batch, n, heads * size] as [batch, heads, n, size] */
struct loom_value *loom_heads_split(struct loom_import *im, struct loom_value *x, int64_t heads);
/** loom_heads_join() - the inverse */
struct loom_value *loom_heads_join(struct loom_import *im, struct loom_value *x);
/** loom_heads_append() - positions of @past, unless it is NULL, and then those of @x */
struct loom_value *loom_heads_append(struct loom_import *im, struct loom_value *past,
				     struct loom_value *x);

/**
 * struct loom_rotary - a rotary embedding
 * @cos: cosines by position, [batch or 1, 1, n, size / 2]
 * @sin: sines
 * @interleaved: pairs are neighbours, not halves
 */
struct loom_rotary {
	struct loom_value *cos;
	struct loom_value *sin;
	bool interleaved;
};

/**
 * loom_rotary_rows() - rows of tables of cosines and sines
 * @im: the node
 * @cos: operand of cosines, [positions, size / 2]
 * @sin: operand of sines, the same
 * @positions: [batch or 1, n], integers
 * @rotary: [out] the rows
 */
void loom_rotary_rows(struct loom_import *im, uint32_t cos, uint32_t sin,
		      struct loom_value *positions, struct loom_rotary *rotary);
/** loom_rotary_turn() - rotates the first elements of [batch, heads, n, size] */
struct loom_value *loom_rotary_turn(struct loom_import *im, const struct loom_rotary *rotary,
				    struct loom_value *x);

#endif /* LOOM_ONNX_ATTEND_H */
