// SPDX-License-Identifier: MIT
/* Operators that move or select elements. */
#include "convert.h"

#include "base/pool.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

void loom_tflite_reshape_op(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const char *x = loom_tflite_raw(cv, 0, LOOM_TFLITE_ROWS);

	(void)unused;
	if (x && out)
		loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS,
				   loom_tflite_reshape(cv, x, out->rank, out->dims));
}

void loom_tflite_transpose_op(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	int64_t perm[LOOM_GRAPH_RANK];
	uint32_t i, count;
	const char *x;

	(void)unused;
	if (!tensor)
		return;
	count = loom_tflite_ints(cv, 1, perm, LOOM_GRAPH_RANK);
	if (count != tensor->rank)
		loom_tflite_fail(cv, -EINVAL, "%u axes of an operand of rank %u", count,
				 tensor->rank);
	/* planes that become other planes are transposed once, not twice */
	for (i = 0; i < count && !cv->graph->status; i++)
		perm[i] = loom_tflite_where(layout, loom_tflite_axis(cv, perm[i], tensor->rank));
	x = loom_tflite_raw(cv, 0, layout);
	if (x)
		loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS,
				   loom_tflite_transpose(cv, x, count, perm));
}

/* The padding element: the zero of a quantised tensor, or the value of operand @index. */
static const char *pad_value(struct loom_tflite_convert *cv,
			     const struct loom_tflite_tensor *tensor, uint32_t index)
{
	const int64_t zero = loom_tflite_is_quantised(tensor) ? loom_tflite_zero(tensor, 0) : 0;
	const struct loom_tflite_tensor *value;

	if (!loom_tflite_has(cv, index))
		return loom_tflite_const(cv, tensor->dtype, 0, NULL, &zero);
	value = loom_tflite_input(cv, index);
	if (!value)
		return NULL;
	if (!loom_tflite_is_plain(value) || value->size_bytes != loom_dtype_size(tensor->dtype) ||
	    value->dtype != tensor->dtype) {
		loom_tflite_fail(cv, -EOPNOTSUPP, "a value to pad with that is not one constant");
		return NULL;
	}
	return loom_tflite_const(cv, tensor->dtype, 0, NULL, value->data);
}

static void pad(struct loom_tflite_convert *cv, const char *mode)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	int64_t given[2 * LOOM_GRAPH_RANK], pads[2 * LOOM_GRAPH_RANK];
	const char *x = loom_tflite_raw(cv, 0, layout), *in[3];
	uint32_t i, count;

	count = loom_tflite_ints(cv, 1, given, 2 * LOOM_GRAPH_RANK);
	if (!x || cv->graph->status)
		return;
	if (count != 2 * tensor->rank || !tensor->dtype)
		return loom_tflite_fail(cv, -EINVAL, "its padding does not fit its operand");
	for (i = 0; i < tensor->rank; i++) {
		const uint32_t axis = loom_tflite_where(layout, i);

		pads[axis] = given[2 * i];
		pads[tensor->rank + axis] = given[2 * i + 1];
	}
	in[0] = x;
	in[1] = loom_tflite_const_ints(cv, count, pads);
	in[2] = strcmp(mode, "constant") ? NULL : pad_value(cv, tensor, 2);
	loom_tflite_attr_string(cv, "mode", mode);
	loom_tflite_result(cv, 0, layout,
			   loom_tflite_nodes(cv, "Pad", strcmp(mode, "constant") ? 2 : 3, in));
}

void loom_tflite_pad(struct loom_tflite_convert *cv, const char *unused)
{
	(void)unused;
	pad(cv, "constant");
}

void loom_tflite_mirror_pad(struct loom_tflite_convert *cv, const char *unused)
{
	(void)unused;
	if (loom_tflite_option(cv, 0, 1, 0))
		return loom_tflite_fail(cv, -EOPNOTSUPP,
					"mirroring that repeats the edge is not supported");
	pad(cv, "reflect");
}

void loom_tflite_concat(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const int64_t activation = loom_tflite_option(cv, 1, 1, 0);
	enum loom_tflite_layout layout = LOOM_TFLITE_ROWS;
	const uint32_t count = cv->op->num_inputs;
	bool raw = !activation;
	const char **in, *y;
	uint32_t i, axis;

	(void)unused;
	in = loom_pool_array(cv->pool, count + 1ULL, sizeof(*in));
	if (!in || !out)
		return loom_tflite_fail(cv, -ENOMEM, "out of memory");
	for (i = 0; i < count; i++) {
		const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, i);

		if (!tensor)
			return;
		if (out->rank == 4 && loom_tflite_layout(cv, i) == LOOM_TFLITE_PLANES)
			layout = LOOM_TFLITE_PLANES;
		raw &= loom_tflite_same_steps(tensor, out);
	}
	axis = loom_tflite_axis(cv, loom_tflite_option(cv, 0, 4, 0), out->rank);
	for (i = 0; i < count; i++)
		in[i] = raw ? loom_tflite_raw(cv, i, layout) : loom_tflite_real(cv, i, layout);
	loom_tflite_attr_int(cv, "axis", loom_tflite_where(layout, axis));
	y = loom_tflite_nodes(cv, "Concat", count, in);
	if (y)
		y = loom_tflite_activate(cv, activation, y);
	if (raw)
		loom_tflite_result(cv, 0, layout, y);
	else
		loom_tflite_result_real(cv, 0, layout, y);
}

/* Dimensions of a tensor with a dimension of 1 inserted at @axis. */
static void with_unit(const struct loom_tflite_tensor *tensor, uint32_t axis, int64_t *dims)
{
	memcpy(dims, tensor->dims, axis * sizeof(dims[0]));
	dims[axis] = 1;
	memcpy(dims + axis + 1, tensor->dims + axis, (tensor->rank - axis) * sizeof(dims[0]));
}

void loom_tflite_pack(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const uint32_t count = cv->op->num_inputs;
	int64_t dims[LOOM_GRAPH_RANK + 1];
	const char **in;
	uint32_t i, axis;

	(void)unused;
	in = loom_pool_array(cv->pool, count + 1ULL, sizeof(*in));
	if (!in || !out)
		return loom_tflite_fail(cv, -ENOMEM, "out of memory");
	axis = loom_tflite_axis(cv, loom_tflite_option(cv, 1, 4, 0), out->rank);
	for (i = 0; i < count && !cv->graph->status; i++) {
		const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, i);

		if (!tensor)
			return;
		if (tensor->rank + 1 != out->rank)
			return loom_tflite_fail(cv, -EINVAL, "operand %u has rank %u", i,
						tensor->rank);
		with_unit(tensor, axis, dims);
		in[i] = loom_tflite_raw(cv, i, LOOM_TFLITE_ROWS);
		if (in[i])
			in[i] = loom_tflite_reshape(cv, in[i], out->rank, dims);
	}
	loom_tflite_attr_int(cv, "axis", axis);
	loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS, loom_tflite_nodes(cv, "Concat", count, in));
}

/* Elements from @starts to before @ends, by @steps, of all axes. */
static const char *cut(struct loom_tflite_convert *cv, const char *x, uint32_t rank,
		       enum loom_tflite_layout layout, const int64_t *starts, const int64_t *ends,
		       const int64_t *steps)
{
	int64_t axes[LOOM_GRAPH_RANK];
	const char *in[5];
	uint32_t i;

	for (i = 0; i < rank; i++)
		axes[i] = loom_tflite_where(layout, i);
	in[0] = x;
	in[1] = loom_tflite_const_ints(cv, rank, starts);
	in[2] = loom_tflite_const_ints(cv, rank, ends);
	in[3] = loom_tflite_const_ints(cv, rank, axes);
	in[4] = loom_tflite_const_ints(cv, rank, steps);
	return loom_tflite_nodes(cv, "Slice", 5, in);
}

void loom_tflite_slice(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	int64_t begin[LOOM_GRAPH_RANK], size[LOOM_GRAPH_RANK], steps[LOOM_GRAPH_RANK];
	const char *x;
	uint32_t i;

	(void)unused;
	if (!tensor)
		return;
	if (loom_tflite_ints(cv, 1, begin, LOOM_GRAPH_RANK) != tensor->rank ||
	    loom_tflite_ints(cv, 2, size, LOOM_GRAPH_RANK) != tensor->rank)
		return loom_tflite_fail(cv, -EINVAL, "it does not fit its operand");
	for (i = 0; i < tensor->rank; i++) {
		if (begin[i] < 0 || begin[i] > tensor->dims[i] || size[i] < -1 ||
		    size[i] > tensor->dims[i] - begin[i])
			return loom_tflite_fail(cv, -EINVAL, "axis %u: %lld elements from %lld", i,
						(long long)size[i], (long long)begin[i]);
		size[i] = size[i] < 0 ? tensor->dims[i] : begin[i] + size[i];
		steps[i] = 1;
	}
	x = loom_tflite_raw(cv, 0, layout);
	if (x)
		loom_tflite_result(cv, 0, layout,
				   cut(cv, x, tensor->rank, layout, begin, size, steps));
}

void loom_tflite_strided_slice(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	const int64_t no_begin = loom_tflite_option(cv, 0, 4, 0);
	const int64_t no_end = loom_tflite_option(cv, 1, 4, 0);
	const int64_t shrink = loom_tflite_option(cv, 4, 4, 0);
	int64_t begin[LOOM_GRAPH_RANK], end[LOOM_GRAPH_RANK], steps[LOOM_GRAPH_RANK];
	enum loom_tflite_layout layout = loom_tflite_layout(cv, 0);
	uint32_t i, count;
	const char *x;

	(void)unused;
	if (!tensor || !out)
		return;
	count = loom_tflite_ints(cv, 1, begin, LOOM_GRAPH_RANK);
	if (loom_tflite_option(cv, 2, 4, 0) || loom_tflite_option(cv, 3, 4, 0) ||
	    loom_tflite_option(cv, 5, 1, 0))
		return loom_tflite_fail(cv, -EOPNOTSUPP,
					"an ellipsis, a new axis or an offset is not supported");
	if (count > tensor->rank || loom_tflite_ints(cv, 2, end, LOOM_GRAPH_RANK) != count ||
	    loom_tflite_ints(cv, 3, steps, LOOM_GRAPH_RANK) != count)
		return loom_tflite_fail(cv, -EINVAL, "it does not fit its operand");
	for (i = 0; i < tensor->rank; i++) {
		if (i >= count)
			steps[i] = 1;
		if (i >= count || no_begin >> i & 1)
			begin[i] = steps[i] < 0 ? INT64_MAX : 0;
		if (i >= count || no_end >> i & 1)
			end[i] = steps[i] < 0 ? INT64_MIN : INT64_MAX;
		if (i < count && shrink >> i & 1)
			end[i] = begin[i] == -1 || begin[i] == INT64_MAX ? INT64_MAX :
				 begin[i] + 1;
	}
	if (shrink)
		layout = LOOM_TFLITE_ROWS;
	x = loom_tflite_raw(cv, 0, layout);
	if (x)
		x = cut(cv, x, tensor->rank, layout, begin, end, steps);
	if (x && shrink)
		x = loom_tflite_reshape(cv, x, out->rank, out->dims);
	loom_tflite_result(cv, 0, layout, x);
}

/* Result @index, of @count elements along @axis from @at on. */
static const char *piece(struct loom_tflite_convert *cv, const char *x,
			 const struct loom_tflite_tensor *tensor, enum loom_tflite_layout layout,
			 uint32_t axis, int64_t at, int64_t count)
{
	int64_t starts[LOOM_GRAPH_RANK] = { 0 }, ends[LOOM_GRAPH_RANK], steps[LOOM_GRAPH_RANK];
	uint32_t i;

	for (i = 0; i < tensor->rank; i++) {
		ends[i] = tensor->dims[i];
		steps[i] = 1;
	}
	starts[axis] = at;
	ends[axis] = at + count;
	return cut(cv, x, tensor->rank, layout, starts, ends, steps);
}

/* The axis is the first operand; with @op_type the data come first and the axis is the third. */
void loom_tflite_split(struct loom_tflite_convert *cv, const char *op_type)
{
	const uint32_t data = op_type ? 0 : 1, count = cv->op->num_outputs;
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, data);
	const enum loom_tflite_layout layout = loom_tflite_layout(cv, data);
	const char *x = loom_tflite_raw(cv, data, layout);
	int64_t given, at = 0;
	uint32_t i, axis;

	if (!tensor || !x)
		return;
	if (loom_tflite_ints(cv, op_type ? 2 : 0, &given, 1) != 1)
		return loom_tflite_fail(cv, -EINVAL, "it has no axis");
	axis = loom_tflite_axis(cv, given, tensor->rank);
	for (i = 0; i < count && !cv->graph->status; i++) {
		const struct loom_tflite_tensor *out = loom_tflite_output(cv, i);

		if (!out)
			return;
		if (out->rank != tensor->rank || out->dims[axis] > tensor->dims[axis] - at)
			return loom_tflite_fail(cv, -EINVAL, "result %u does not fit", i);
		loom_tflite_result(cv, i, layout,
				   piece(cv, x, tensor, layout, axis, at, out->dims[axis]));
		at += out->dims[axis];
	}
}

void loom_tflite_unpack(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const char *x = loom_tflite_raw(cv, 0, LOOM_TFLITE_ROWS), *y;
	uint32_t i, axis;

	(void)unused;
	if (!tensor || !x)
		return;
	axis = loom_tflite_axis(cv, loom_tflite_option(cv, 1, 4, 0), tensor->rank);
	if (!cv->graph->status && cv->op->num_outputs > tensor->dims[axis])
		loom_tflite_fail(cv, -EINVAL, "more results than there are elements");
	for (i = 0; i < cv->op->num_outputs && !cv->graph->status; i++) {
		const struct loom_tflite_tensor *out = loom_tflite_output(cv, i);

		y = piece(cv, x, tensor, LOOM_TFLITE_ROWS, axis, i, 1);
		if (y && out)
			y = loom_tflite_reshape(cv, y, out->rank, out->dims);
		loom_tflite_result(cv, i, LOOM_TFLITE_ROWS, y);
	}
}

void loom_tflite_gather(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const char *x = loom_tflite_raw(cv, 0, LOOM_TFLITE_ROWS);
	const char *indices = loom_tflite_raw(cv, 1, LOOM_TFLITE_ROWS);

	(void)unused;
	if (!x || !indices)
		return;
	if (loom_tflite_option(cv, 1, 4, 0))
		return loom_tflite_fail(cv, -EOPNOTSUPP, "batch_dims is not supported");
	loom_tflite_attr_int(cv, "axis", loom_tflite_axis(cv, loom_tflite_option(cv, 0, 4, 0),
							  tensor->rank));
	loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS,
			   loom_tflite_node(cv, "Gather", x, indices, NULL));
}

/* Dimensions are known when a file is read. */
void loom_tflite_shape(struct loom_tflite_convert *cv, const char *unused)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);
	const struct loom_tflite_tensor *out = loom_tflite_output(cv, 0);
	int32_t narrow[LOOM_GRAPH_RANK];
	int64_t count;
	uint32_t i;

	(void)unused;
	if (!tensor || !out)
		return;
	count = tensor->rank;
	for (i = 0; i < tensor->rank; i++)
		narrow[i] = (int32_t)tensor->dims[i];
	loom_tflite_result(cv, 0, LOOM_TFLITE_ROWS, out->dtype == DRM_LOOM_DTYPE_I64 ?
			   loom_tflite_const_ints(cv, tensor->rank, tensor->dims) :
			   loom_tflite_const(cv, DRM_LOOM_DTYPE_I32, 1, &count, narrow));
}

void loom_tflite_blocks(struct loom_tflite_convert *cv, const char *op_type)
{
	const char *x = loom_tflite_raw(cv, 0, LOOM_TFLITE_PLANES);

	if (!x)
		return;
	loom_tflite_attr_int(cv, "blocksize", loom_tflite_option(cv, 0, 4, 0));
	loom_tflite_result(cv, 0, LOOM_TFLITE_PLANES,
			   loom_tflite_node(cv, op_type, x, NULL, NULL));
}
