// SPDX-License-Identifier: MIT
/* Emitting canonical nodes: shapes of results, and the way into the constant folder. */
#include "import.h"

#include "graph/fold.h"

#include <errno.h>
#include <string.h>

struct loom_node *loom_emit_begin(struct loom_import *im, enum loom_gop op, uint32_t dtype,
				  uint32_t rank, const int64_t *dims, uint32_t num_inputs,
				  struct loom_value *const *inputs)
{
	char text[LOOM_DIMS_TEXT];
	struct loom_node *node;
	int64_t num_elems;

	if (im->status)
		return NULL;
	if (loom_dims_count(rank, dims, &num_elems)) {
		loom_import_fail(im, -EINVAL, "a result of shape %s is too large",
				 rank <= LOOM_GRAPH_RANK ?
				 loom_dims_print(text, sizeof(text), rank, dims) : "rank > 8");
		return NULL;
	}
	node = loom_pool_alloc(im->graph->pool, sizeof(*node));
	if (node) {
		node->name = im->node->desc.name;
		node->onnx_op = im->node->desc.op_type;
		node->op = op;
		node->source = im->node->index;
		node->num_inputs = num_inputs;
		node->inputs = loom_pool_copy(im->graph->pool, inputs,
					      num_inputs * sizeof(struct loom_value *));
		node->output = loom_value_create(im->graph, NULL, dtype, rank, dims);
	}
	if (!node || !node->inputs || !node->output) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return NULL;
	}
	return node;
}

struct loom_value *loom_emit_end(struct loom_import *im, struct loom_node *node)
{
	int err;

	if (im->status || !node)
		return NULL;
	err = loom_fold_node(im->graph, node);
	if (err == -EAGAIN) {
		node->output->producer = node;
		err = loom_graph_append(im->graph, node);
	}
	if (err) {
		loom_import_fail(im, err, err == -ENOMEM ? "out of memory" :
				 "it cannot be computed");
		return NULL;
	}
	return node->output;
}

struct loom_value *loom_emit_const(struct loom_import *im, uint32_t dtype, uint32_t rank,
				   const int64_t *dims)
{
	struct loom_value *value;

	if (im->status)
		return NULL;
	value = loom_value_create(im->graph, NULL, dtype, rank, dims);
	if (!value || loom_value_alloc(im->graph, value)) {
		loom_import_fail(im, -ENOMEM, "a constant is too large");
		return NULL;
	}
	return value;
}

struct loom_value *loom_emit_scalar(struct loom_import *im, uint32_t dtype, double element)
{
	struct loom_value *value = loom_emit_const(im, dtype, 0, NULL);

	if (value)
		loom_value_set_float(value, 0, element);
	return value;
}

struct loom_value *loom_emit_ints(struct loom_import *im, uint32_t count, const int64_t *ints)
{
	int64_t dims[] = { count };
	struct loom_value *value = loom_emit_const(im, DRM_LOOM_DTYPE_I64, 1, dims);

	if (value && count)
		memcpy(value->data, ints, count * sizeof(*ints));
	return value;
}

struct loom_value *loom_emit_unary(struct loom_import *im, struct loom_gact act,
				   struct loom_value *x)
{
	bool wants_bool = act.fn == LOOM_GFN_NOT, is_bool;
	struct loom_node *node;
	uint32_t dtype;

	if (im->status || !x)
		return NULL;
	is_bool = x->dtype == DRM_LOOM_DTYPE_BOOL;
	if (is_bool != wants_bool) {
		loom_import_fail(im, -EINVAL, "operand of type %s", loom_dtype_name(x->dtype));
		return NULL;
	}
	dtype = act.fn == LOOM_GFN_ISNAN || act.fn == LOOM_GFN_ISINF ? DRM_LOOM_DTYPE_BOOL :
								       x->dtype;
	node = loom_emit_begin(im, LOOM_GOP_UNARY, dtype, x->rank, x->dims, 1, &x);
	if (node)
		node->unary = act;
	return loom_emit_end(im, node);
}

struct loom_value *loom_emit_fn(struct loom_import *im, enum loom_gfn fn, struct loom_value *x)
{
	return loom_emit_unary(im, (struct loom_gact){ .fn = fn }, x);
}

static bool fn_compares(enum loom_gbin fn)
{
	return fn >= LOOM_GBIN_EQUAL && fn <= LOOM_GBIN_GREATER_EQUAL;
}

static bool fn_is_logic(enum loom_gbin fn)
{
	return fn >= LOOM_GBIN_AND && fn <= LOOM_GBIN_XOR;
}

struct loom_value *loom_emit_binary(struct loom_import *im, enum loom_gbin fn,
				    struct loom_value *a, struct loom_value *b)
{
	struct loom_value *inputs[] = { a, b };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool types_fit;
	uint32_t rank;

	if (im->status || !a || !b)
		return NULL;
	types_fit = a->dtype == b->dtype;
	if (fn_is_logic(fn))
		types_fit = types_fit && a->dtype == DRM_LOOM_DTYPE_BOOL;
	else if (fn != LOOM_GBIN_EQUAL)
		types_fit = types_fit && a->dtype != DRM_LOOM_DTYPE_BOOL;
	if (!types_fit) {
		loom_import_fail(im, -EINVAL, "operands of types %s and %s",
				 loom_dtype_name(a->dtype), loom_dtype_name(b->dtype));
		return NULL;
	}
	rank = a->rank;
	memcpy(dims, a->dims, sizeof(dims));
	loom_shape_broadcast(im, &rank, dims, b->rank, b->dims);
	node = loom_emit_begin(im, LOOM_GOP_BINARY,
			       fn_compares(fn) || fn_is_logic(fn) ? DRM_LOOM_DTYPE_BOOL : a->dtype,
			       rank, dims, 2, inputs);
	if (node)
		node->binary.fn = fn;
	return loom_emit_end(im, node);
}

struct loom_value *loom_emit_select(struct loom_import *im, struct loom_value *condition,
				    struct loom_value *a, struct loom_value *b)
{
	struct loom_value *inputs[] = { condition, a, b };
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t rank;

	if (im->status || !condition || !a || !b)
		return NULL;
	if (condition->dtype != DRM_LOOM_DTYPE_BOOL || a->dtype != b->dtype) {
		loom_import_fail(im, -EINVAL, "operands of types %s, %s and %s",
				 loom_dtype_name(condition->dtype), loom_dtype_name(a->dtype),
				 loom_dtype_name(b->dtype));
		return NULL;
	}
	rank = condition->rank;
	memcpy(dims, condition->dims, sizeof(dims));
	loom_shape_broadcast(im, &rank, dims, a->rank, a->dims);
	loom_shape_broadcast(im, &rank, dims, b->rank, b->dims);
	return loom_emit_end(im, loom_emit_begin(im, LOOM_GOP_SELECT, a->dtype, rank, dims, 3,
						 inputs));
}

struct loom_value *loom_emit_cast(struct loom_import *im, struct loom_value *x, uint32_t dtype)
{
	if (im->status || !x || x->dtype == dtype)
		return x;
	return loom_emit_end(im, loom_emit_begin(im, LOOM_GOP_CAST, dtype, x->rank, x->dims, 1,
						 &x));
}

struct loom_value *loom_emit_reduce(struct loom_import *im, enum loom_greduce_kind kind,
				    struct loom_value *x, uint32_t axes, bool keepdims)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	uint32_t i, rank = 0;

	if (im->status || !x || !axes)
		return x;
	if (x->dtype == DRM_LOOM_DTYPE_BOOL) {
		loom_import_fail(im, -EINVAL, "operand of type bool");
		return NULL;
	}
	for (i = 0; i < x->rank; i++) {
		if (!(axes & (1u << i)))
			dims[rank++] = x->dims[i];
		else if (keepdims)
			dims[rank++] = 1;
	}
	node = loom_emit_begin(im, LOOM_GOP_REDUCE, x->dtype, rank, dims, 1, &x);
	if (node)
		node->reduce = (struct loom_greduce){ kind, axes, keepdims };
	return loom_emit_end(im, node);
}

static bool has_shape(const struct loom_value *x, uint32_t rank, const int64_t *dims)
{
	return x->rank == rank && (!rank || !memcmp(dims, x->dims, rank * sizeof(dims[0])));
}

struct loom_value *loom_emit_reshape(struct loom_import *im, struct loom_value *x, uint32_t rank,
				     const int64_t *dims)
{
	char from[LOOM_DIMS_TEXT], to[LOOM_DIMS_TEXT];
	int64_t num_elems;

	if (im->status || !x)
		return NULL;
	if (has_shape(x, rank, dims))
		return x;
	if (loom_dims_count(rank, dims, &num_elems) || num_elems != x->num_elems) {
		loom_import_fail(im, -EINVAL, "shape %s cannot become %s",
				 loom_dims_print(from, sizeof(from), x->rank, x->dims),
				 loom_dims_print(to, sizeof(to), rank, dims));
		return NULL;
	}
	return loom_emit_end(im, loom_emit_begin(im, LOOM_GOP_RESHAPE, x->dtype, rank, dims, 1,
						 &x));
}

struct loom_value *loom_emit_transpose(struct loom_import *im, struct loom_value *x,
				       const uint32_t *perm)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool moves = false;
	uint32_t i;

	if (im->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		dims[i] = x->dims[perm[i]];
		moves = moves || perm[i] != i;
	}
	if (!moves)
		return x;
	node = loom_emit_begin(im, LOOM_GOP_TRANSPOSE, x->dtype, x->rank, dims, 1, &x);
	if (node)
		memcpy(node->transpose.perm, perm, x->rank * sizeof(perm[0]));
	return loom_emit_end(im, node);
}

struct loom_value *loom_emit_slice(struct loom_import *im, struct loom_value *x,
				   const struct loom_gslice *slice, const int64_t *counts)
{
	struct loom_node *node;
	bool all = true;
	uint32_t i;

	if (im->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		all = all && slice->start[i] == 0 && slice->step[i] == 1 &&
		      counts[i] == x->dims[i];
	if (all)
		return x;
	node = loom_emit_begin(im, LOOM_GOP_SLICE, x->dtype, x->rank, counts, 1, &x);
	if (node)
		node->slice = *slice;
	return loom_emit_end(im, node);
}

struct loom_value *loom_emit_concat(struct loom_import *im, uint32_t num_inputs,
				    struct loom_value *const *inputs, uint32_t axis)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	uint32_t i, j;

	if (im->status || !num_inputs)
		return NULL;
	for (i = 0; i < num_inputs; i++) {
		if (!inputs[i])
			return NULL;
	}
	memcpy(dims, inputs[0]->dims, sizeof(dims));
	for (i = 1; i < num_inputs; i++) {
		bool fits = inputs[i]->rank == inputs[0]->rank &&
			    inputs[i]->dtype == inputs[0]->dtype;

		for (j = 0; fits && j < inputs[0]->rank; j++)
			fits = j == axis || inputs[i]->dims[j] == dims[j];
		if (!fits ||
		    __builtin_add_overflow(dims[axis], inputs[i]->dims[axis], &dims[axis])) {
			loom_import_fail(im, -EINVAL, "operand %u does not fit operand 0", i);
			return NULL;
		}
	}
	if (num_inputs == 1)
		return inputs[0];
	node = loom_emit_begin(im, LOOM_GOP_CONCAT, inputs[0]->dtype, inputs[0]->rank, dims,
			       num_inputs, inputs);
	if (node)
		node->concat.axis = axis;
	return loom_emit_end(im, node);
}

/* what a negative border cuts off */
static struct loom_value *emit_crop(struct loom_import *im, struct loom_value *x,
				    const struct loom_gpad *pad)
{
	struct loom_gslice slice = { { 0 }, { 0 } };
	int64_t counts[LOOM_GRAPH_RANK];
	uint32_t i;

	for (i = 0; i < x->rank; i++) {
		int64_t begin = pad->begin[i] < 0 ? -pad->begin[i] : 0;
		int64_t end = pad->end[i] < 0 ? -pad->end[i] : 0;

		if (begin > x->dims[i] || end > x->dims[i] - begin) {
			loom_import_fail(im, -EINVAL, "pads cut off more than there is");
			return NULL;
		}
		slice.start[i] = begin;
		slice.step[i] = 1;
		counts[i] = x->dims[i] - begin - end;
	}
	return loom_emit_slice(im, x, &slice, counts);
}

struct loom_value *loom_emit_pad(struct loom_import *im, struct loom_value *x,
				 const struct loom_gpad *pad)
{
	const int64_t far = (int64_t)1 << 40;
	struct loom_gpad grow = *pad;
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool grows = false;
	uint32_t i;

	if (im->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		if (pad->begin[i] < -far || pad->begin[i] > far || pad->end[i] < -far ||
		    pad->end[i] > far) {
			loom_import_fail(im, -EINVAL, "pads out of range");
			return NULL;
		}
	}
	x = emit_crop(im, x, pad);
	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		int64_t most = x->dims[i];

		if (grow.begin[i] < 0)
			grow.begin[i] = 0;
		if (grow.end[i] < 0)
			grow.end[i] = 0;
		dims[i] = x->dims[i] + grow.begin[i] + grow.end[i];
		grows = grows || grow.begin[i] || grow.end[i];
		if (grow.mode == LOOM_GPAD_REFLECT)
			most--;
		else if (grow.mode != LOOM_GPAD_WRAP)
			most = grow.mode == LOOM_GPAD_EDGE && !x->dims[i] ? 0 : far;
		if (grow.begin[i] > most || grow.end[i] > most) {
			loom_import_fail(im, -EINVAL, "pads of axis %u are larger than the axis",
					 i);
			return NULL;
		}
	}
	if (!grows)
		return x;
	node = loom_emit_begin(im, LOOM_GOP_PAD, x->dtype, x->rank, dims, 1, &x);
	if (node)
		node->pad = grow;
	return loom_emit_end(im, node);
}

struct loom_value *loom_emit_expand(struct loom_import *im, struct loom_value *x, uint32_t rank,
				    const int64_t *dims)
{
	char from[LOOM_DIMS_TEXT], to[LOOM_DIMS_TEXT];
	bool fits;
	uint32_t i;

	if (im->status || !x)
		return NULL;
	if (has_shape(x, rank, dims))
		return x;
	fits = rank >= x->rank;
	for (i = 0; fits && i < x->rank; i++)
		fits = x->dims[i] == 1 || x->dims[i] == dims[rank - x->rank + i];
	if (!fits) {
		loom_import_fail(im, -EINVAL, "shape %s does not broadcast to %s",
				 loom_dims_print(from, sizeof(from), x->rank, x->dims),
				 loom_dims_print(to, sizeof(to), rank, dims));
		return NULL;
	}
	return loom_emit_end(im, loom_emit_begin(im, LOOM_GOP_EXPAND, x->dtype, rank, dims, 1,
						 &x));
}
