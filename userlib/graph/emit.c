// SPDX-License-Identifier: MIT
#include "emit.h"

#include "fold.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void loom_emit_vfail(struct loom_emitter *em, int code, const char *format, va_list args)
{
	char text[384];

	if (em->status)
		return;
	vsnprintf(text, sizeof(text), format, args);
	em->status = loom_graph_fail(em->graph, code, "node \"%.100s\": operator %.60s: %s",
				     em->name, em->op_name, text);
}

void loom_emit_fail(struct loom_emitter *em, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	loom_emit_vfail(em, code, format, args);
	va_end(args);
}

void loom_emit_source(struct loom_emitter *em, const char *name, const char *op_name,
		      uint32_t index)
{
	em->name = name;
	em->op_name = op_name;
	em->source = index;
	em->first_value = em->graph->num_values;
}

void loom_emit_name_values(struct loom_emitter *em, const char *base)
{
	struct loom_graph *graph = em->graph;
	uint32_t i, made = 0;

	for (i = em->first_value; i < graph->num_values; i++) {
		if (graph->values[i]->name)
			continue;
		graph->values[i]->made_up = true;
		graph->values[i]->name = loom_pool_print(graph->pool, "%s:%u", base, ++made);
		if (!graph->values[i]->name)
			loom_emit_fail(em, -ENOMEM, "out of memory");
	}
}

void loom_emit_broadcast(struct loom_emitter *em, uint32_t *rank, int64_t *dims,
			 uint32_t other_rank, const int64_t *other_dims)
{
	char text[LOOM_DIMS_TEXT], other_text[LOOM_DIMS_TEXT];
	int64_t merged[LOOM_GRAPH_RANK];
	uint32_t i, to = *rank > other_rank ? *rank : other_rank;

	for (i = 0; i < to; i++) {
		int64_t a = i < to - *rank ? 1 : dims[i - (to - *rank)];
		int64_t b = i < to - other_rank ? 1 : other_dims[i - (to - other_rank)];

		if (a != b && a != 1 && b != 1) {
			loom_emit_fail(em, -EINVAL, "shapes %s and %s do not fit together",
				       loom_dims_print(text, sizeof(text), *rank, dims),
				       loom_dims_print(other_text, sizeof(other_text), other_rank,
						       other_dims));
			return;
		}
		merged[i] = a == 1 ? b : a;
	}
	memcpy(dims, merged, to * sizeof(merged[0]));
	*rank = to;
}

struct loom_node *loom_emit_begin(struct loom_emitter *em, enum loom_gop op, uint32_t dtype,
				  uint32_t rank, const int64_t *dims, uint32_t num_inputs,
				  struct loom_value *const *inputs)
{
	char text[LOOM_DIMS_TEXT];
	struct loom_node *node;
	int64_t num_elems;

	if (em->status)
		return NULL;
	if (loom_dims_count(rank, dims, &num_elems)) {
		loom_emit_fail(em, -EINVAL, "a result of shape %s is too large",
			       rank <= LOOM_GRAPH_RANK ?
			       loom_dims_print(text, sizeof(text), rank, dims) : "rank > 8");
		return NULL;
	}
	node = loom_pool_alloc(em->graph->pool, sizeof(*node));
	if (node) {
		node->name = em->name;
		node->source_op = em->op_name;
		node->op = op;
		node->source = em->source;
		node->num_inputs = num_inputs;
		node->inputs = loom_pool_copy(em->graph->pool, inputs,
					      num_inputs * sizeof(struct loom_value *));
		node->output = loom_value_create(em->graph, NULL, dtype, rank, dims);
	}
	if (!node || !node->inputs || !node->output) {
		loom_emit_fail(em, -ENOMEM, "out of memory");
		return NULL;
	}
	return node;
}

struct loom_value *loom_emit_end(struct loom_emitter *em, struct loom_node *node)
{
	int err;

	if (em->status || !node)
		return NULL;
	err = loom_fold_node(em->graph, node);
	if (err == -EAGAIN) {
		node->output->producer = node;
		err = loom_graph_append(em->graph, node);
	}
	if (err) {
		loom_emit_fail(em, err, err == -ENOMEM ? "out of memory" : err == -E2BIG ?
			       "constants grow by more than 512 MiB and 8 times the model's" :
			       "it cannot be computed");
		return NULL;
	}
	return node->output;
}

struct loom_value *loom_emit_const(struct loom_emitter *em, uint32_t dtype, uint32_t rank,
				   const int64_t *dims)
{
	struct loom_value *value;

	if (em->status)
		return NULL;
	value = loom_value_create(em->graph, NULL, dtype, rank, dims);
	if (!value || loom_value_alloc(em->graph, value)) {
		loom_emit_fail(em, -ENOMEM, "a constant is too large");
		return NULL;
	}
	return value;
}

struct loom_value *loom_emit_scalar(struct loom_emitter *em, uint32_t dtype, double element)
{
	struct loom_value *value = loom_emit_const(em, dtype, 0, NULL);

	if (value)
		loom_value_set_float(value, 0, element);
	return value;
}

struct loom_value *loom_emit_ints(struct loom_emitter *em, uint32_t count, const int64_t *ints)
{
	int64_t dims[] = { count };
	struct loom_value *value = loom_emit_const(em, DRM_LOOM_DTYPE_I64, 1, dims);

	if (value && count)
		memcpy(value->data, ints, count * sizeof(*ints));
	return value;
}

struct loom_value *loom_emit_unary(struct loom_emitter *em, struct loom_gact act,
				   struct loom_value *x)
{
	bool wants_bool = act.fn == LOOM_GFN_NOT, is_bool;
	struct loom_node *node;
	uint32_t dtype;

	if (em->status || !x)
		return NULL;
	is_bool = x->dtype == DRM_LOOM_DTYPE_BOOL;
	if (is_bool != wants_bool) {
		loom_emit_fail(em, -EINVAL, "operand of type %s", loom_dtype_name(x->dtype));
		return NULL;
	}
	dtype = act.fn == LOOM_GFN_ISNAN || act.fn == LOOM_GFN_ISINF ? DRM_LOOM_DTYPE_BOOL :
								       x->dtype;
	node = loom_emit_begin(em, LOOM_GOP_UNARY, dtype, x->rank, x->dims, 1, &x);
	if (node)
		node->unary = act;
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_fn(struct loom_emitter *em, enum loom_gfn fn, struct loom_value *x)
{
	return loom_emit_unary(em, (struct loom_gact){ .fn = fn }, x);
}

static bool fn_compares(enum loom_gbin fn)
{
	return fn >= LOOM_GBIN_EQUAL && fn <= LOOM_GBIN_GREATER_EQUAL;
}

static bool fn_is_logic(enum loom_gbin fn)
{
	return fn >= LOOM_GBIN_AND && fn <= LOOM_GBIN_XOR;
}

struct loom_value *loom_emit_binary(struct loom_emitter *em, enum loom_gbin fn,
				    struct loom_value *a, struct loom_value *b)
{
	struct loom_value *inputs[] = { a, b };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool types_fit;
	uint32_t rank;

	if (em->status || !a || !b)
		return NULL;
	types_fit = a->dtype == b->dtype;
	if (fn_is_logic(fn))
		types_fit = types_fit && a->dtype == DRM_LOOM_DTYPE_BOOL;
	else if (fn != LOOM_GBIN_EQUAL)
		types_fit = types_fit && a->dtype != DRM_LOOM_DTYPE_BOOL;
	if (!types_fit) {
		loom_emit_fail(em, -EINVAL, "operands of types %s and %s",
			       loom_dtype_name(a->dtype), loom_dtype_name(b->dtype));
		return NULL;
	}
	rank = a->rank;
	memcpy(dims, a->dims, sizeof(dims));
	loom_emit_broadcast(em, &rank, dims, b->rank, b->dims);
	node = loom_emit_begin(em, LOOM_GOP_BINARY,
			       fn_compares(fn) || fn_is_logic(fn) ? DRM_LOOM_DTYPE_BOOL : a->dtype,
			       rank, dims, 2, inputs);
	if (node)
		node->binary.fn = fn;
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_select(struct loom_emitter *em, struct loom_value *condition,
				    struct loom_value *a, struct loom_value *b)
{
	struct loom_value *inputs[] = { condition, a, b };
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t rank;

	if (em->status || !condition || !a || !b)
		return NULL;
	if (condition->dtype != DRM_LOOM_DTYPE_BOOL || a->dtype != b->dtype) {
		loom_emit_fail(em, -EINVAL, "operands of types %s, %s and %s",
			       loom_dtype_name(condition->dtype), loom_dtype_name(a->dtype),
			       loom_dtype_name(b->dtype));
		return NULL;
	}
	rank = condition->rank;
	memcpy(dims, condition->dims, sizeof(dims));
	loom_emit_broadcast(em, &rank, dims, a->rank, a->dims);
	loom_emit_broadcast(em, &rank, dims, b->rank, b->dims);
	return loom_emit_end(em, loom_emit_begin(em, LOOM_GOP_SELECT, a->dtype, rank, dims, 3,
						 inputs));
}

struct loom_value *loom_emit_cast(struct loom_emitter *em, struct loom_value *x, uint32_t dtype)
{
	if (em->status || !x || x->dtype == dtype)
		return x;
	return loom_emit_end(em, loom_emit_begin(em, LOOM_GOP_CAST, dtype, x->rank, x->dims, 1,
						 &x));
}

/* A reduction over no axes: applies only the elementwise part. */
static struct loom_value *emit_reduce_none(struct loom_emitter *em, enum loom_greduce_kind kind,
					   struct loom_value *x)
{
	switch (kind) {
	case LOOM_GREDUCE_L1:
	case LOOM_GREDUCE_L2:
		return loom_emit_fn(em, LOOM_GFN_ABS, x);
	case LOOM_GREDUCE_SUM_SQUARE:
		return loom_emit_binary(em, LOOM_GBIN_MUL, x, x);
	case LOOM_GREDUCE_LOG_SUM:
		return loom_emit_fn(em, LOOM_GFN_LOG, x);
	default:
		return x;
	}
}

struct loom_value *loom_emit_reduce(struct loom_emitter *em, enum loom_greduce_kind kind,
				    struct loom_value *x, uint32_t axes, bool keepdims)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	uint32_t i, rank = 0;

	if (em->status || !x)
		return NULL;
	if (!axes)
		return emit_reduce_none(em, kind, x);
	if (x->dtype == DRM_LOOM_DTYPE_BOOL) {
		loom_emit_fail(em, -EINVAL, "operand of type bool");
		return NULL;
	}
	for (i = 0; i < x->rank; i++) {
		if (!(axes & (1u << i)))
			dims[rank++] = x->dims[i];
		else if (keepdims)
			dims[rank++] = 1;
	}
	node = loom_emit_begin(em, LOOM_GOP_REDUCE, x->dtype, rank, dims, 1, &x);
	if (node)
		node->reduce = (struct loom_greduce){ kind, axes, keepdims };
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_topk(struct loom_emitter *em, struct loom_value *x,
				  struct loom_value *from, uint32_t axis, int64_t count,
				  bool smallest)
{
	struct loom_value *inputs[] = { x, from };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;

	if (em->status || !x)
		return NULL;
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = count;
	node = loom_emit_begin(em, LOOM_GOP_TOPK, from ? from->dtype : DRM_LOOM_DTYPE_I32, x->rank,
			       dims, from ? 2 : 1, inputs);
	if (node)
		node->topk = (struct loom_gtopk){ axis, smallest };
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_gather(struct loom_emitter *em, struct loom_value *x,
				    struct loom_value *index, uint32_t axis)
{
	struct loom_value *inputs[] = { x, index };
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;

	if (em->status || !x || !index)
		return NULL;
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = index->dims[axis];
	node = loom_emit_begin(em, LOOM_GOP_GATHER, x->dtype, x->rank, dims, 2, inputs);
	if (node)
		node->gather.axis = axis;
	return loom_emit_end(em, node);
}

static bool has_shape(const struct loom_value *x, uint32_t rank, const int64_t *dims)
{
	return x->rank == rank && (!rank || !memcmp(dims, x->dims, rank * sizeof(dims[0])));
}

struct loom_value *loom_emit_reshape(struct loom_emitter *em, struct loom_value *x, uint32_t rank,
				     const int64_t *dims)
{
	char from[LOOM_DIMS_TEXT], to[LOOM_DIMS_TEXT];
	int64_t num_elems;

	if (em->status || !x)
		return NULL;
	if (has_shape(x, rank, dims))
		return x;
	if (loom_dims_count(rank, dims, &num_elems) || num_elems != x->num_elems) {
		loom_emit_fail(em, -EINVAL, "shape %s cannot become %s",
			       loom_dims_print(from, sizeof(from), x->rank, x->dims),
			       loom_dims_print(to, sizeof(to), rank, dims));
		return NULL;
	}
	return loom_emit_end(em, loom_emit_begin(em, LOOM_GOP_RESHAPE, x->dtype, rank, dims, 1,
						 &x));
}

struct loom_value *loom_emit_transpose(struct loom_emitter *em, struct loom_value *x,
				       const uint32_t *perm)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool moves = false;
	uint32_t i;

	if (em->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		dims[i] = x->dims[perm[i]];
		moves = moves || perm[i] != i;
	}
	if (!moves)
		return x;
	node = loom_emit_begin(em, LOOM_GOP_TRANSPOSE, x->dtype, x->rank, dims, 1, &x);
	if (node)
		memcpy(node->transpose.perm, perm, x->rank * sizeof(perm[0]));
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_slice(struct loom_emitter *em, struct loom_value *x,
				   const struct loom_gslice *slice, const int64_t *counts)
{
	struct loom_node *node;
	bool all = true;
	uint32_t i;

	if (em->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		all = all && slice->start[i] == 0 && slice->step[i] == 1 &&
		      counts[i] == x->dims[i];
	if (all)
		return x;
	node = loom_emit_begin(em, LOOM_GOP_SLICE, x->dtype, x->rank, counts, 1, &x);
	if (node)
		node->slice = *slice;
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_concat(struct loom_emitter *em, uint32_t num_inputs,
				    struct loom_value *const *inputs, uint32_t axis)
{
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	uint32_t i, j;

	if (em->status || !num_inputs)
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
			loom_emit_fail(em, -EINVAL, "operand %u does not fit operand 0", i);
			return NULL;
		}
	}
	if (num_inputs == 1)
		return inputs[0];
	node = loom_emit_begin(em, LOOM_GOP_CONCAT, inputs[0]->dtype, inputs[0]->rank, dims,
			       num_inputs, inputs);
	if (node)
		node->concat.axis = axis;
	return loom_emit_end(em, node);
}

/* Crops by negative borders. */
static struct loom_value *emit_crop(struct loom_emitter *em, struct loom_value *x,
				    const struct loom_gpad *pad)
{
	struct loom_gslice slice = { { 0 }, { 0 } };
	int64_t counts[LOOM_GRAPH_RANK];
	uint32_t i;

	for (i = 0; i < x->rank; i++) {
		int64_t begin = pad->begin[i] < 0 ? -pad->begin[i] : 0;
		int64_t end = pad->end[i] < 0 ? -pad->end[i] : 0;

		if (begin > x->dims[i] || end > x->dims[i] - begin) {
			loom_emit_fail(em, -EINVAL, "pads cut off more than there is");
			return NULL;
		}
		slice.start[i] = begin;
		slice.step[i] = 1;
		counts[i] = x->dims[i] - begin - end;
	}
	return loom_emit_slice(em, x, &slice, counts);
}

struct loom_value *loom_emit_pad(struct loom_emitter *em, struct loom_value *x,
				 const struct loom_gpad *pad)
{
	const int64_t far = (int64_t)1 << 40;
	struct loom_gpad grow = *pad;
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_node *node;
	bool grows = false;
	uint32_t i;

	if (em->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		if (pad->begin[i] < -far || pad->begin[i] > far || pad->end[i] < -far ||
		    pad->end[i] > far) {
			loom_emit_fail(em, -EINVAL, "pads out of range");
			return NULL;
		}
	}
	x = emit_crop(em, x, pad);
	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		/* an axis without elements has nothing to repeat */
		int64_t most = grow.mode == LOOM_GPAD_CONSTANT || x->dims[i] ? far : 0;

		if (grow.begin[i] < 0)
			grow.begin[i] = 0;
		if (grow.end[i] < 0)
			grow.end[i] = 0;
		dims[i] = x->dims[i] + grow.begin[i] + grow.end[i];
		grows = grows || grow.begin[i] || grow.end[i];
		if (grow.begin[i] > most || grow.end[i] > most) {
			loom_emit_fail(em, -EINVAL, "pads of axis %u are larger than the axis",
				       i);
			return NULL;
		}
	}
	if (!grows)
		return x;
	node = loom_emit_begin(em, LOOM_GOP_PAD, x->dtype, x->rank, dims, 1, &x);
	if (node)
		node->pad = grow;
	return loom_emit_end(em, node);
}

struct loom_value *loom_emit_expand(struct loom_emitter *em, struct loom_value *x, uint32_t rank,
				    const int64_t *dims)
{
	char from[LOOM_DIMS_TEXT], to[LOOM_DIMS_TEXT];
	bool fits;
	uint32_t i;

	if (em->status || !x)
		return NULL;
	if (has_shape(x, rank, dims))
		return x;
	fits = rank >= x->rank;
	for (i = 0; fits && i < x->rank; i++)
		fits = x->dims[i] == 1 || x->dims[i] == dims[rank - x->rank + i];
	if (!fits) {
		loom_emit_fail(em, -EINVAL, "shape %s does not broadcast to %s",
			       loom_dims_print(from, sizeof(from), x->rank, x->dims),
			       loom_dims_print(to, sizeof(to), rank, dims));
		return NULL;
	}
	return loom_emit_end(em, loom_emit_begin(em, LOOM_GOP_EXPAND, x->dtype, rank, dims, 1,
						 &x));
}
