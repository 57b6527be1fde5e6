// SPDX-License-Identifier: MIT
/* Nodes and constants, by the calls that build a graph by hand. */
#include "convert.h"

#include "base/error.h"
#include "base/pool.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

void loom_tflite_fail(struct loom_tflite_convert *cv, int code, const char *format, ...)
{
	const struct loom_flat *flat = &cv->model->flat;
	struct loom_error why;
	va_list args;

	va_start(args, format);
	loom_error_vset(&why, code, format, args);
	va_end(args);
	if (flat->fault)
		loom_graph_fail(cv->graph, -EINVAL,
				"byte %zu: %s: it is damaged, or truncated", flat->fault_at,
				flat->fault);
	else if (cv->op)
		loom_graph_fail(cv->graph, code, "operator %u (%.60s): %.300s", cv->index,
				loom_tflite_op_name(cv->op), why.text);
	else
		loom_graph_fail(cv->graph, code, "%.300s", why.text);
}

static const char *new_name(struct loom_tflite_convert *cv)
{
	const char *base = "model", *name;

	if (cv->op && cv->op->num_outputs)
		base = cv->forms[cv->op->outputs[0]].name;
	name = loom_pool_print(cv->pool, "%s::%u", base, cv->num_names++);
	if (!name)
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
	return name;
}

static struct loom_attr *new_attr(struct loom_tflite_convert *cv, const char *name,
				  enum loom_attr_type type, size_t count)
{
	struct loom_attr *attr = &cv->attrs[cv->num_attrs];

	if (cv->num_attrs == LOOM_TFLITE_ATTRS)
		return NULL;
	cv->num_attrs++;
	*attr = (struct loom_attr){ .name = name, .type = type, .count = count };
	return attr;
}

void loom_tflite_attr_int(struct loom_tflite_convert *cv, const char *name, int64_t value)
{
	struct loom_attr *attr = new_attr(cv, name, LOOM_ATTR_INT, 1);

	if (attr)
		attr->ints = loom_pool_copy(cv->pool, &value, sizeof(value));
	if (!attr || !attr->ints)
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
}

void loom_tflite_attr_ints(struct loom_tflite_convert *cv, const char *name, uint32_t count,
			   const int64_t *values)
{
	struct loom_attr *attr = new_attr(cv, name, LOOM_ATTR_INTS, count);

	if (attr)
		attr->ints = loom_pool_copy(cv->pool, values, count * sizeof(*values));
	if (!attr || !attr->ints)
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
}

void loom_tflite_attr_float(struct loom_tflite_convert *cv, const char *name, float value)
{
	struct loom_attr *attr = new_attr(cv, name, LOOM_ATTR_FLOAT, 1);

	if (attr)
		attr->floats = loom_pool_copy(cv->pool, &value, sizeof(value));
	if (!attr || !attr->floats)
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
}

void loom_tflite_attr_string(struct loom_tflite_convert *cv, const char *name, const char *value)
{
	struct loom_attr *attr = new_attr(cv, name, LOOM_ATTR_STRING, 1);

	if (attr)
		attr->string = value;
}

void loom_tflite_flush(struct loom_tflite_convert *cv)
{
	struct loom_node_desc *desc = &cv->pending;

	if (!desc->op_type)
		return;
	desc->outputs = &cv->pending_name;
	desc->num_outputs = 1;
	loom_graph_add_node(cv->graph, desc);
	memset(desc, 0, sizeof(*desc));
	cv->pending_name = NULL;
}

const char *loom_tflite_nodes(struct loom_tflite_convert *cv, const char *op_type,
			      uint32_t num_inputs, const char *const *inputs)
{
	const struct loom_node_desc desc = {
		.op_type = op_type,
		.inputs = loom_pool_copy(cv->pool, inputs, num_inputs * sizeof(*inputs)),
		.num_inputs = num_inputs,
		.attrs = loom_pool_copy(cv->pool, cv->attrs, sizeof(cv->attrs)),
		.num_attrs = cv->num_attrs,
	};
	uint32_t i;

	cv->num_attrs = 0;
	loom_tflite_flush(cv);
	for (i = 0; i < num_inputs && !cv->graph->status; i++)
		if (!inputs[i])
			loom_tflite_fail(cv, -EINVAL, "operand %u is missing", i);
	if (!desc.attrs || !desc.inputs)
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
	if (cv->graph->status)
		return NULL;
	cv->pending = desc;
	cv->pending_name = new_name(cv);
	return cv->pending_name;
}

const char *loom_tflite_node(struct loom_tflite_convert *cv, const char *op_type, const char *a,
			     const char *b, const char *c)
{
	const char *const inputs[] = { a, b, c };

	return loom_tflite_nodes(cv, op_type, b ? c ? 3 : 2 : 1, inputs);
}

const char *loom_tflite_const(struct loom_tflite_convert *cv, uint32_t dtype, uint32_t rank,
			      const int64_t *dims, const void *data)
{
	struct loom_array array = { .dtype = dtype, .rank = rank, .data = (void *)data };
	uint32_t i;

	if (cv->graph->status)
		return NULL;
	array.name = (char *)new_name(cv);
	array.size_bytes = loom_dtype_size(dtype);
	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	loom_graph_add_const(cv->graph, &array);
	return cv->graph->status ? NULL : array.name;
}

const char *loom_tflite_const_ints(struct loom_tflite_convert *cv, uint32_t count,
				   const int64_t *ints)
{
	const int64_t dims = count;

	return loom_tflite_const(cv, DRM_LOOM_DTYPE_I64, 1, &dims, ints);
}

const char *loom_tflite_const_float(struct loom_tflite_convert *cv, float value)
{
	return loom_tflite_const(cv, DRM_LOOM_DTYPE_F32, 0, NULL, &value);
}

const char *loom_tflite_transpose(struct loom_tflite_convert *cv, const char *name, uint32_t rank,
				  const int64_t *perm)
{
	bool moves = false;
	uint32_t i;

	for (i = 0; i < rank; i++)
		moves |= perm[i] != i;
	if (!moves)
		return name;
	loom_tflite_attr_ints(cv, "perm", rank, perm);
	return loom_tflite_node(cv, "Transpose", name, NULL, NULL);
}

const char *loom_tflite_reshape(struct loom_tflite_convert *cv, const char *name, uint32_t rank,
				const int64_t *dims)
{
	const char *shape = loom_tflite_const_ints(cv, rank, dims);

	/* a dimension of 0 must not be copied from the input */
	loom_tflite_attr_int(cv, "allowzero", 1);
	return shape ? loom_tflite_node(cv, "Reshape", name, shape, NULL) : NULL;
}

static const char *clip(struct loom_tflite_convert *cv, const char *name, float low, float high)
{
	const char *least = loom_tflite_const_float(cv, low);
	const char *most = loom_tflite_const_float(cv, high);

	return most ? loom_tflite_node(cv, "Clip", name, least, most) : NULL;
}

const char *loom_tflite_activate(struct loom_tflite_convert *cv, int64_t activation,
				 const char *name)
{
	switch (activation) {
	case LOOM_TFLITE_NONE:
		return name;
	case LOOM_TFLITE_RELU:
		return loom_tflite_node(cv, "Relu", name, NULL, NULL);
	case LOOM_TFLITE_RELU_N1_TO_1:
		return clip(cv, name, -1, 1);
	case LOOM_TFLITE_RELU6:
		return clip(cv, name, 0, 6);
	case LOOM_TFLITE_TANH:
		return loom_tflite_node(cv, "Tanh", name, NULL, NULL);
	}
	loom_tflite_fail(cv, -EOPNOTSUPP, "activation %lld is not supported",
			 (long long)activation);
	return NULL;
}
