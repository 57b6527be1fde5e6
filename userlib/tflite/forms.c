// SPDX-License-Identifier: MIT
/* Operands and results in the form that an operator needs. */
#include "convert.h"

#include "base/dtype.h"
#include "base/pool.h"
#include "graph/graph.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const int64_t to_planes[] = { 0, 3, 1, 2 };
static const int64_t to_rows[] = { 0, 2, 3, 1 };

bool loom_tflite_has(const struct loom_tflite_convert *cv, uint32_t index)
{
	return index < cv->op->num_inputs && cv->op->inputs[index] >= 0;
}

const struct loom_tflite_tensor *loom_tflite_input(struct loom_tflite_convert *cv, uint32_t index)
{
	if (cv->graph->status)
		return NULL;
	if (loom_tflite_has(cv, index))
		return &cv->model->tensors[cv->op->inputs[index]];
	loom_tflite_fail(cv, -EINVAL, "operand %u is missing", index);
	return NULL;
}

const struct loom_tflite_tensor *loom_tflite_output(struct loom_tflite_convert *cv, uint32_t index)
{
	if (cv->graph->status)
		return NULL;
	if (index < cv->op->num_outputs)
		return &cv->model->tensors[cv->op->outputs[index]];
	loom_tflite_fail(cv, -EINVAL, "result %u is missing", index);
	return NULL;
}

int64_t loom_tflite_option(const struct loom_tflite_convert *cv, uint32_t field,
			   uint32_t size_bytes, int64_t missing)
{
	return loom_flat_number(&cv->op->options, field, size_bytes, missing);
}

uint32_t loom_tflite_ints(struct loom_tflite_convert *cv, uint32_t index, int64_t *ints,
			  uint32_t max)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	uint64_t count;
	uint32_t i;

	if (!tensor)
		return 0;
	if (tensor->dtype != DRM_LOOM_DTYPE_I32 && tensor->dtype != DRM_LOOM_DTYPE_I64) {
		loom_tflite_fail(cv, -EINVAL, "operand %u is no list of integers", index);
		return 0;
	}
	count = tensor->size_bytes / loom_dtype_size(tensor->dtype);
	if (count && !loom_tflite_is_plain(tensor)) {
		loom_tflite_fail(cv, -EOPNOTSUPP, tensor->data ?
				 "operand %u leaves out zeros, which is not supported here" :
				 "operand %u depends on the data, only constants can be used here",
				 index);
		return 0;
	}
	if (count > max) {
		loom_tflite_fail(cv, -EINVAL, "operand %u has more than %u elements", index, max);
		return 0;
	}
	for (i = 0; i < count; i++) {
		int32_t narrow;

		if (tensor->dtype == DRM_LOOM_DTYPE_I64) {
			memcpy(&ints[i], tensor->data + 8 * i, 8);
		} else {
			memcpy(&narrow, tensor->data + 4 * i, 4);
			ints[i] = narrow;
		}
	}
	return (uint32_t)count;
}

uint32_t loom_tflite_axis(struct loom_tflite_convert *cv, int64_t axis, uint32_t rank)
{
	if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
		loom_tflite_fail(cv, -EINVAL, "axis %lld does not exist at rank %u",
				 (long long)axis, rank);
		return 0;
	}
	return (uint32_t)(axis < 0 ? axis + rank : axis);
}

bool loom_tflite_is_plain(const struct loom_tflite_tensor *tensor)
{
	return tensor->data && !tensor->sparsity.flat;
}

bool loom_tflite_is_quantised(const struct loom_tflite_tensor *tensor)
{
	return tensor->scales.count && loom_dtype_is_int(tensor->dtype) &&
	       loom_dtype_size(tensor->dtype) <= 2;
}

bool loom_tflite_same_steps(const struct loom_tflite_tensor *a, const struct loom_tflite_tensor *b)
{
	if (a->dtype != b->dtype || loom_tflite_is_quantised(a) != loom_tflite_is_quantised(b))
		return false;
	if (!loom_tflite_is_quantised(a))
		return true;
	return a->scales.count == 1 && b->scales.count == 1 &&
	       loom_tflite_scale(a, 0) == loom_tflite_scale(b, 0) &&
	       loom_tflite_zero(a, 0) == loom_tflite_zero(b, 0);
}

uint32_t loom_tflite_where(enum loom_tflite_layout layout, uint32_t axis)
{
	static const uint32_t planes[] = { 0, 2, 3, 1 };

	return layout == LOOM_TFLITE_PLANES && axis < 4 ? planes[axis] : axis;
}

enum loom_tflite_layout loom_tflite_layout(const struct loom_tflite_convert *cv, uint32_t index)
{
	if (!loom_tflite_has(cv, index) ||
	    !cv->forms[cv->op->inputs[index]].raw[LOOM_TFLITE_PLANES])
		return LOOM_TFLITE_ROWS;
	return LOOM_TFLITE_PLANES;
}

/* Makes the constants of a quantised tensor; returns false after an error. */
static bool steps(struct loom_tflite_convert *cv, const struct loom_tflite_tensor *tensor,
		  const char **scale, const char **zero)
{
	const int64_t count = tensor->scales.count;
	const size_t size = loom_dtype_size(tensor->dtype);
	float *scales = loom_pool_array(cv->pool, tensor->scales.count, sizeof(*scales));
	uint8_t *zeros = loom_pool_array(cv->pool, tensor->scales.count, size);
	int64_t min, max;
	uint32_t i;

	if (!scales || !zeros) {
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
		return false;
	}
	loom_dtype_range(tensor->dtype, &min, &max);
	for (i = 0; i < count; i++) {
		const int64_t at = loom_tflite_zero(tensor, i);

		scales[i] = loom_tflite_scale(tensor, i);
		if (!(scales[i] > 0) || isinf(scales[i]) || at < min || at > max) {
			loom_tflite_fail(cv, -EINVAL, "a scale of %g with zero point %lld",
					 (double)scales[i], (long long)at);
			return false;
		}
		/* little endian, like all machines that Loom supports */
		memcpy(zeros + i * size, &at, size);
	}
	*scale = loom_tflite_const(cv, DRM_LOOM_DTYPE_F32, count > 1, &count, scales);
	*zero = loom_tflite_const(cv, tensor->dtype, count > 1, &count, zeros);
	return !cv->graph->status;
}

const char *loom_tflite_dequantize(struct loom_tflite_convert *cv,
				   const struct loom_tflite_tensor *tensor, const char *name,
				   uint32_t axis)
{
	const char *scale, *zero;

	if (cv->graph->status || !name || !loom_tflite_is_quantised(tensor))
		return name;
	if (!steps(cv, tensor, &scale, &zero))
		return NULL;
	loom_tflite_attr_int(cv, "axis", axis);
	return loom_tflite_node(cv, "DequantizeLinear", name, scale, zero);
}

const char *loom_tflite_quantize(struct loom_tflite_convert *cv,
				 const struct loom_tflite_tensor *tensor, const char *name)
{
	const char *scale, *zero;

	if (cv->graph->status || !name || !loom_tflite_is_quantised(tensor))
		return name;
	if (tensor->scales.count > 1) {
		loom_tflite_fail(cv, -EOPNOTSUPP, "results with a scale per channel");
		return NULL;
	}
	if (!steps(cv, tensor, &scale, &zero))
		return NULL;
	return loom_tflite_node(cv, "QuantizeLinear", name, scale, zero);
}

/* A constant of the file as a constant of the graph, made on first use. */
static const char *constant(struct loom_tflite_convert *cv, uint32_t number)
{
	const struct loom_tflite_tensor *tensor = &cv->model->tensors[number];
	struct loom_array array = {
		.name = (char *)cv->forms[number].name,
		.dtype = tensor->dtype,
		.rank = tensor->rank,
		.data = (void *)tensor->data,
		.size_bytes = tensor->size_bytes,
	};
	int err;

	if (!tensor->dtype) {
		loom_tflite_fail(cv, -EOPNOTSUPP, "type %u of tensor %u is not supported",
				 tensor->type, number);
		return NULL;
	}
	memcpy(array.dims, tensor->dims, sizeof(array.dims));
	if (tensor->sparsity.flat) {
		err = loom_tflite_densify(tensor, cv->pool, &array.data);
		if (err) {
			loom_tflite_fail(cv, err, "tensor %u: the zeros that it leaves out %s",
					 number, err == -ENOMEM ? "take too much memory" :
					 "do not fit its dimensions");
			return NULL;
		}
	}
	loom_graph_add_const(cv->graph, &array);
	return cv->forms[number].name;
}

static const char *raw_form(struct loom_tflite_convert *cv, uint32_t number,
			    enum loom_tflite_layout layout)
{
	const struct loom_tflite_tensor *tensor = &cv->model->tensors[number];
	struct loom_tflite_forms *forms = &cv->forms[number];
	const bool planes = layout == LOOM_TFLITE_PLANES;

	if (forms->raw[layout])
		return forms->raw[layout];
	if (tensor->data && !forms->raw[LOOM_TFLITE_ROWS])
		forms->raw[LOOM_TFLITE_ROWS] = constant(cv, number);
	if (cv->graph->status || forms->raw[layout])
		return forms->raw[layout];
	if (!forms->raw[!layout]) {
		loom_tflite_fail(cv, -EINVAL, "tensor %u is read before it is computed", number);
		return NULL;
	}
	if (tensor->rank != 4) {
		loom_tflite_fail(cv, -EINVAL, "tensor %u has rank %u, 4 is needed", number,
				 tensor->rank);
		return NULL;
	}
	forms->raw[layout] = loom_tflite_transpose(cv, forms->raw[!layout], 4,
						   planes ? to_planes : to_rows);
	/* it keeps that name, so the next result must not rename it */
	loom_tflite_flush(cv);
	return forms->raw[layout];
}

const char *loom_tflite_raw(struct loom_tflite_convert *cv, uint32_t index,
			    enum loom_tflite_layout layout)
{
	if (!loom_tflite_input(cv, index))
		return NULL;
	return raw_form(cv, (uint32_t)cv->op->inputs[index], layout);
}

const char *loom_tflite_real(struct loom_tflite_convert *cv, uint32_t index,
			     enum loom_tflite_layout layout)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, index);
	struct loom_tflite_forms *forms;
	const char *raw;

	if (!tensor)
		return NULL;
	forms = &cv->forms[cv->op->inputs[index]];
	raw = raw_form(cv, (uint32_t)cv->op->inputs[index], layout);
	if (!raw || !loom_tflite_is_quantised(tensor))
		return raw;
	if (!forms->real[layout]) {
		forms->real[layout] =
			loom_tflite_dequantize(cv, tensor, raw,
					       loom_tflite_where(layout, tensor->axis));
		loom_tflite_flush(cv);
	}
	return forms->real[layout];
}

void loom_tflite_result(struct loom_tflite_convert *cv, uint32_t index,
			enum loom_tflite_layout layout, const char *raw)
{
	struct loom_tflite_forms *forms;
	const char *name;

	if (!loom_tflite_output(cv, index) || !raw)
		return;
	forms = &cv->forms[cv->op->outputs[index]];
	if (forms->raw[LOOM_TFLITE_ROWS] || forms->raw[LOOM_TFLITE_PLANES] ||
	    cv->model->tensors[cv->op->outputs[index]].data) {
		loom_tflite_fail(cv, -EINVAL, "tensor %d has a value already",
				 cv->op->outputs[index]);
		return;
	}
	/* the result of the last node gets the name of the tensor */
	if (raw == cv->pending_name) {
		name = forms->name;
		if (forms->is_output && layout == LOOM_TFLITE_PLANES)
			name = loom_pool_print(cv->pool, "%s:planes", name);
		if (!name) {
			loom_tflite_fail(cv, -ENOMEM, "out of memory");
			return;
		}
		cv->pending_name = name;
		raw = name;
		loom_tflite_flush(cv);
	}
	forms->raw[layout] = raw;
}

void loom_tflite_result_real(struct loom_tflite_convert *cv, uint32_t index,
			     enum loom_tflite_layout layout, const char *real)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_output(cv, index);

	if (tensor)
		loom_tflite_result(cv, index, layout, loom_tflite_quantize(cv, tensor, real));
}

void loom_tflite_finish_output(struct loom_tflite_convert *cv, uint32_t tensor)
{
	struct loom_tflite_forms *forms = &cv->forms[tensor];
	const char *rows = raw_form(cv, tensor, LOOM_TFLITE_ROWS);

	if (!rows)
		return;
	if (rows == cv->pending_name) {
		cv->pending_name = forms->name;
		forms->raw[LOOM_TFLITE_ROWS] = forms->name;
		loom_tflite_flush(cv);
	} else if (strcmp(rows, forms->name)) {
		loom_tflite_node(cv, "Identity", rows, NULL, NULL);
		cv->pending_name = forms->name;
		loom_tflite_flush(cv);
		forms->raw[LOOM_TFLITE_ROWS] = forms->name;
	}
}
