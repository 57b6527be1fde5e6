// SPDX-License-Identifier: MIT
#include "model.h"

#include "base/error.h"
#include "base/pool.h"
#include "loom_core.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/**
 * struct reader - a file that is being read
 * @model: the result
 * @err: receives the first error
 * @operands: number of operands and results of all operators so far
 * @code: 0 or the first error
 */
struct reader {
	struct loom_tflite_model *model;
	struct loom_error *err;
	uint64_t operands;
	int code;
};

static const uint32_t dtypes[] = {
	[LOOM_TFLITE_FLOAT32] = DRM_LOOM_DTYPE_F32, [LOOM_TFLITE_FLOAT16] = DRM_LOOM_DTYPE_F16,
	[LOOM_TFLITE_INT32] = DRM_LOOM_DTYPE_I32, [LOOM_TFLITE_UINT8] = DRM_LOOM_DTYPE_U8,
	[LOOM_TFLITE_INT64] = DRM_LOOM_DTYPE_I64, [LOOM_TFLITE_BOOL] = DRM_LOOM_DTYPE_BOOL,
	[LOOM_TFLITE_INT16] = DRM_LOOM_DTYPE_I16, [LOOM_TFLITE_INT8] = DRM_LOOM_DTYPE_I8,
	[LOOM_TFLITE_FLOAT64] = DRM_LOOM_DTYPE_F64, [LOOM_TFLITE_UINT64] = DRM_LOOM_DTYPE_U64,
	[LOOM_TFLITE_UINT32] = DRM_LOOM_DTYPE_U32, [LOOM_TFLITE_UINT16] = DRM_LOOM_DTYPE_U16,
};

static void fail(struct reader *reader, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Records the first error; a fault of the flatbuffer precedes its consequences. */
static void fail(struct reader *reader, int code, const char *format, ...)
{
	const struct loom_flat *flat = &reader->model->flat;
	struct loom_error why;
	va_list args;

	if (reader->code)
		return;
	va_start(args, format);
	loom_error_vset(&why, code, format, args);
	va_end(args);
	if (flat->fault)
		reader->code = loom_error_set(reader->err, -EINVAL,
					      "%.100s: byte %zu: %s: it is damaged, or truncated",
					      reader->model->name, flat->fault_at, flat->fault);
	else
		reader->code = loom_error_set(reader->err, code, "%.100s: %.300s",
					      reader->model->name, why.text);
}

static void no_memory(struct reader *reader)
{
	fail(reader, -ENOMEM, "out of memory");
}

static bool has_failed(struct reader *reader)
{
	if (reader->model->flat.fault)
		fail(reader, -EINVAL, "it is damaged");
	return reader->code;
}

static void read_shape(struct reader *reader, uint32_t index, const struct loom_flat_table *table)
{
	struct loom_tflite_tensor *tensor = &reader->model->tensors[index];
	struct loom_flat_vector shape = loom_flat_vector(table, LOOM_TFLITE_TENSOR_SHAPE, 4);
	uint64_t size = loom_dtype_size(tensor->dtype);
	uint32_t i;

	if (shape.count > LOOM_GRAPH_RANK)
		return fail(reader, -EOPNOTSUPP, "tensor %u: more than %d dimensions", index,
			    LOOM_GRAPH_RANK);
	tensor->rank = shape.count;
	for (i = 0; i < shape.count; i++) {
		tensor->dims[i] = loom_flat_i32(&shape, i);
		if (tensor->dims[i] < 0)
			return fail(reader, -EINVAL, "tensor %u: dimension %u is %lld", index, i,
				    (long long)tensor->dims[i]);
		if (__builtin_mul_overflow(size, (uint64_t)tensor->dims[i], &size) ||
		    size > INT64_MAX)
			return fail(reader, -EINVAL, "tensor %u: it is too large", index);
	}
	tensor->size_bytes = size;
}

static void read_data(struct reader *reader, uint32_t index, uint32_t buffer)
{
	const struct loom_tflite_model *model = reader->model;
	struct loom_tflite_tensor *tensor = &reader->model->tensors[index];
	struct loom_flat_vector data;
	struct loom_flat_table table;

	/* without any buffers, no tensor has data */
	if (!buffer && !model->buffers.count)
		return;
	if (buffer >= model->buffers.count)
		return fail(reader, -EINVAL, "tensor %u: there is no buffer %u, only %u", index,
			    buffer, model->buffers.count);
	table = loom_flat_item(&model->buffers, buffer);
	if (loom_flat_number(&table, LOOM_TFLITE_BUFFER_OFFSET, 8, 0) > 1)
		return fail(reader, -EOPNOTSUPP,
			    "tensor %u: data behind the flatbuffer are not supported", index);
	data = loom_flat_vector(&table, LOOM_TFLITE_BUFFER_DATA, 1);
	tensor->data = loom_flat_bytes(&data);
	tensor->data_bytes = data.count;
	if (tensor->data && tensor->dtype && !tensor->sparsity.flat &&
	    tensor->data_bytes != tensor->size_bytes)
		fail(reader, -EINVAL, "tensor %u: %zu bytes of data for a tensor of %llu", index,
		     tensor->data_bytes, (unsigned long long)tensor->size_bytes);
}

static void read_quantization(struct reader *reader, uint32_t index,
			      const struct loom_flat_table *table)
{
	struct loom_tflite_tensor *tensor = &reader->model->tensors[index];
	struct loom_flat_table how = loom_flat_table(table, LOOM_TFLITE_TENSOR_QUANTIZATION);
	int64_t axis;

	tensor->scales = loom_flat_vector(&how, LOOM_TFLITE_QUANTIZATION_SCALE, 4);
	tensor->zeros = loom_flat_vector(&how, LOOM_TFLITE_QUANTIZATION_ZERO, 8);
	axis = loom_flat_number(&how, LOOM_TFLITE_QUANTIZATION_AXIS, 4, 0);
	/* float tensors may carry statistics of a converter */
	if (!tensor->scales.count)
		return;
	if (tensor->zeros.count && tensor->zeros.count != tensor->scales.count)
		return fail(reader, -EINVAL, "tensor %u: %u scales and %u zero points", index,
			    tensor->scales.count, tensor->zeros.count);
	if (tensor->scales.count == 1)
		return;
	if (axis < 0 || axis >= tensor->rank || tensor->dims[axis] != tensor->scales.count)
		return fail(reader, -EINVAL, "tensor %u: %u scales do not fit its dimensions",
			    index, tensor->scales.count);
	tensor->axis = (uint32_t)axis;
}

static void read_tensor(struct reader *reader, uint32_t index, const struct loom_flat_table *table)
{
	struct loom_tflite_tensor *tensor = &reader->model->tensors[index];
	const char *name = loom_flat_string(table, LOOM_TFLITE_TENSOR_NAME);

	tensor->name = name ? name : "";
	tensor->type = (uint32_t)loom_flat_number(table, LOOM_TFLITE_TENSOR_TYPE, 1, 0);
	if (tensor->type < ARRAY_SIZE(dtypes))
		tensor->dtype = dtypes[tensor->type];
	tensor->is_variable = loom_flat_number(table, LOOM_TFLITE_TENSOR_VARIABLE, 1, 0);
	tensor->sparsity = loom_flat_table(table, LOOM_TFLITE_TENSOR_SPARSITY);
	read_shape(reader, index, table);
	if (!has_failed(reader))
		read_quantization(reader, index, table);
	if (!has_failed(reader))
		read_data(reader, index,
			  (uint32_t)loom_flat_number(table, LOOM_TFLITE_TENSOR_BUFFER, 4, 0));
}

/* Reads a list of tensors, which must exist. Omitted ones, where allowed, are -1. */
static const int32_t *read_indices(struct reader *reader, const char *what, uint32_t of,
				   const struct loom_flat_vector *vector, bool optional)
{
	const uint32_t num_tensors = reader->model->num_tensors;
	int32_t *indices;
	uint32_t i;

	/* lists may overlap in the file, so their sum is limited as well */
	reader->operands += vector->count;
	if (reader->operands > reader->model->flat.size_bytes) {
		fail(reader, -EINVAL, "its lists of tensors are longer than the file");
		return NULL;
	}
	indices = loom_pool_array(reader->model->pool, vector->count + 1ULL, sizeof(*indices));
	if (!indices) {
		no_memory(reader);
		return NULL;
	}
	for (i = 0; i < vector->count; i++) {
		indices[i] = loom_flat_i32(vector, i);
		if ((indices[i] < 0 && !(optional && indices[i] == -1)) ||
		    (indices[i] >= 0 && (uint32_t)indices[i] >= num_tensors)) {
			fail(reader, -EINVAL, "%s %u: there is no tensor %d, only %u", what, of,
			     indices[i], num_tensors);
			return NULL;
		}
	}
	return indices;
}

static void read_operator(struct reader *reader, const struct loom_flat_vector *codes,
			  uint32_t index, const struct loom_flat_table *table)
{
	struct loom_tflite_operator *op = &reader->model->operators[index];
	const int64_t number = loom_flat_number(table, LOOM_TFLITE_OPERATOR_CODE, 4, 0);
	struct loom_flat_vector inputs, outputs;
	struct loom_flat_table code;
	int64_t old;

	if (number < 0 || number >= codes->count)
		return fail(reader, -EINVAL, "operator %u: there is no operator code %lld", index,
			    (long long)number);
	code = loom_flat_item(codes, (uint32_t)number);
	/* numbers above 126 do not fit in the field of old files */
	old = loom_flat_number(&code, LOOM_TFLITE_CODE_OLD, 1, 0);
	op->code = (uint32_t)loom_flat_number(&code, LOOM_TFLITE_CODE_BUILTIN, 4, 0);
	if (op->code < old)
		op->code = (uint32_t)old;
	if (op->code == LOOM_TFLITE_CUSTOM) {
		op->custom = loom_flat_string(&code, LOOM_TFLITE_CODE_CUSTOM);
		if (!op->custom || !*op->custom)
			op->custom = "a custom one without a name";
	}
	op->options = loom_flat_table(table, LOOM_TFLITE_OPERATOR_OPTIONS);
	op->custom_options = loom_flat_vector(table, LOOM_TFLITE_OPERATOR_CUSTOM, 1);
	inputs = loom_flat_vector(table, LOOM_TFLITE_OPERATOR_INPUTS, 4);
	outputs = loom_flat_vector(table, LOOM_TFLITE_OPERATOR_OUTPUTS, 4);
	if (has_failed(reader))
		return;
	if (loom_flat_number(table, LOOM_TFLITE_OPERATOR_LARGE_OFFSET, 8, 0) > 1)
		return fail(reader, -EOPNOTSUPP,
			    "operator %u: options behind the flatbuffer are not supported", index);
	op->num_inputs = inputs.count;
	op->num_outputs = outputs.count;
	op->inputs = read_indices(reader, "operator", index, &inputs, true);
	if (!reader->code)
		op->outputs = read_indices(reader, "operator", index, &outputs, false);
}

static void read_subgraph(struct reader *reader)
{
	struct loom_tflite_model *model = reader->model;
	const struct loom_flat_table *graph = &model->subgraph;
	struct loom_flat_vector tensors = loom_flat_vector(graph, LOOM_TFLITE_SUBGRAPH_TENSORS, 4);
	struct loom_flat_vector operators =
		loom_flat_vector(graph, LOOM_TFLITE_SUBGRAPH_OPERATORS, 4);
	struct loom_flat_vector inputs = loom_flat_vector(graph, LOOM_TFLITE_SUBGRAPH_INPUTS, 4);
	struct loom_flat_vector outputs = loom_flat_vector(graph, LOOM_TFLITE_SUBGRAPH_OUTPUTS, 4);
	struct loom_flat_vector codes = loom_flat_vector(&model->root, LOOM_TFLITE_MODEL_CODES, 4);
	uint32_t i;

	if (has_failed(reader))
		return;
	model->tensors = loom_pool_array(model->pool, tensors.count + 1ULL,
					 sizeof(*model->tensors));
	model->operators = loom_pool_array(model->pool, operators.count + 1ULL,
					   sizeof(*model->operators));
	if (!model->tensors || !model->operators)
		return no_memory(reader);
	model->num_tensors = tensors.count;
	for (i = 0; i < tensors.count && !has_failed(reader); i++) {
		struct loom_flat_table table = loom_flat_item(&tensors, i);

		read_tensor(reader, i, &table);
	}
	for (i = 0; i < operators.count && !has_failed(reader); i++) {
		struct loom_flat_table table = loom_flat_item(&operators, i);

		model->num_operators = i + 1;
		read_operator(reader, &codes, i, &table);
	}
	if (has_failed(reader))
		return;
	model->inputs = read_indices(reader, "subgraph", 0, &inputs, false);
	model->outputs = read_indices(reader, "subgraph", 0, &outputs, false);
	model->num_inputs = inputs.count;
	model->num_outputs = outputs.count;
}

static bool is_text(const char *text, const char *other)
{
	return text && !strcmp(text, other);
}

/* Lists the signatures, for an error. */
static void list_signatures(const struct loom_flat_vector *signatures,
			    const struct loom_flat_vector *subgraphs, char *text, size_t size)
{
	const struct loom_flat_vector *lists[] = { signatures, subgraphs };
	static const uint32_t fields[] = { LOOM_TFLITE_SIGNATURE_KEY, LOOM_TFLITE_SUBGRAPH_NAME };
	size_t at = 0;
	uint32_t k, i;

	*text = '\0';
	for (k = 0; k < 2 && !at; k++)
		for (i = 0; i < lists[k]->count && at < size; i++) {
			struct loom_flat_table table = loom_flat_item(lists[k], i);
			const char *name = loom_flat_string(&table, fields[k]);

			at += (size_t)snprintf(text + at, size - at, "%s'%.40s'", at ? ", " : "",
					       name ? name : "");
		}
}

/* Finds the index of the subgraph to run, and its signature, if any. */
static uint32_t find_subgraph(struct reader *reader, const struct loom_flat_vector *subgraphs,
			      const char *wanted, struct loom_flat_table *signature)
{
	struct loom_flat_vector signatures = loom_flat_vector(&reader->model->root,
							      LOOM_TFLITE_MODEL_SIGNATURES, 4);
	char names[200];
	uint32_t i;

	for (i = 0; i < signatures.count; i++) {
		*signature = loom_flat_item(&signatures, i);
		if (is_text(loom_flat_string(signature, LOOM_TFLITE_SIGNATURE_KEY), wanted))
			return (uint32_t)loom_flat_number(signature,
							  LOOM_TFLITE_SIGNATURE_SUBGRAPH, 4, 0);
	}
	*signature = (struct loom_flat_table){ .flat = NULL };
	for (i = 0; i < subgraphs->count; i++) {
		struct loom_flat_table subgraph = loom_flat_item(subgraphs, i);

		if (is_text(loom_flat_string(&subgraph, LOOM_TFLITE_SUBGRAPH_NAME), wanted))
			return i;
	}
	list_signatures(&signatures, subgraphs, names, sizeof(names));
	fail(reader, -ENOENT, "it has no signature '%.60s', only %s", wanted, names);
	return 0;
}

/* Renames inputs or outputs by the names of the signature. */
static void name_by(struct reader *reader, const struct loom_flat_table *signature, uint32_t field)
{
	struct loom_flat_vector maps = loom_flat_vector(signature, field, 4);
	uint32_t i;

	for (i = 0; i < maps.count && !has_failed(reader); i++) {
		struct loom_flat_table map = loom_flat_item(&maps, i);
		const char *name = loom_flat_string(&map, LOOM_TFLITE_MAP_NAME);
		uint64_t tensor = (uint64_t)loom_flat_number(&map, LOOM_TFLITE_MAP_TENSOR, 4, 0);

		if (tensor >= reader->model->num_tensors)
			fail(reader, -EINVAL, "the signature has a tensor %llu, there are %u",
			     (unsigned long long)tensor, reader->model->num_tensors);
		else if (name)
			reader->model->tensors[tensor].name = name;
	}
}

static void read_root(struct reader *reader, const char *wanted)
{
	struct loom_tflite_model *model = reader->model;
	struct loom_flat_table signature = { .flat = NULL };
	uint32_t index = 0;
	struct loom_flat_vector subgraphs;
	int64_t version;

	model->root = loom_flat_root(&model->flat);
	version = loom_flat_number(&model->root, LOOM_TFLITE_MODEL_VERSION, 4, 0);
	subgraphs = loom_flat_vector(&model->root, LOOM_TFLITE_MODEL_SUBGRAPHS, 4);
	model->buffers = loom_flat_vector(&model->root, LOOM_TFLITE_MODEL_BUFFERS, 4);
	model->metadata = loom_flat_vector(&model->root, LOOM_TFLITE_MODEL_METADATA, 4);
	if (has_failed(reader))
		return;
	if (version != 3)
		return fail(reader, -EOPNOTSUPP, "version %lld of the schema, only 3 is supported",
			    (long long)version);
	if (!subgraphs.count)
		return fail(reader, -EINVAL, "it has no subgraph");
	/*
	 * An interpreter runs the first unless a signature is requested. Others are run by control
	 * flow, which is refused by the name of its operator.
	 */
	model->num_subgraphs = subgraphs.count;
	if (wanted)
		index = find_subgraph(reader, &subgraphs, wanted, &signature);
	if (!has_failed(reader) && index >= subgraphs.count)
		fail(reader, -EINVAL, "the signature has a subgraph %u, there are %u", index,
		     subgraphs.count);
	if (has_failed(reader))
		return;
	model->subgraph = loom_flat_item(&subgraphs, index);
	read_subgraph(reader);
	if (signature.flat) {
		name_by(reader, &signature, LOOM_TFLITE_SIGNATURE_INPUTS);
		name_by(reader, &signature, LOOM_TFLITE_SIGNATURE_OUTPUTS);
	}
	has_failed(reader);
}

int loom_tflite_read(const void *bytes, size_t size_bytes, const char *path,
		     const char *signature, struct loom_tflite_model *model,
		     struct loom_error *err)
{
	const char *slash = strrchr(path, '/');
	struct reader reader = { .model = model, .err = err };

	memset(model, 0, sizeof(*model));
	model->name = slash ? slash + 1 : path;
	model->flat.bytes = bytes;
	model->flat.size_bytes = size_bytes;
	model->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	if (!model->pool)
		no_memory(&reader);
	else if (size_bytes < 8 || memcmp(model->flat.bytes + 4, LOOM_TFLITE_IDENTIFIER, 4))
		fail(&reader, -EINVAL, "this is not a TensorFlow Lite model");
	else
		read_root(&reader, signature);
	return reader.code;
}

void loom_tflite_forget(struct loom_tflite_model *model)
{
	loom_pool_destroy(model->pool);
	model->pool = NULL;
}

float loom_tflite_scale(const struct loom_tflite_tensor *tensor, uint32_t channel)
{
	return loom_flat_f32(&tensor->scales, tensor->scales.count == 1 ? 0 : channel);
}

int64_t loom_tflite_zero(const struct loom_tflite_tensor *tensor, uint32_t channel)
{
	if (!tensor->zeros.count)
		return 0;
	return loom_flat_i64(&tensor->zeros, tensor->zeros.count == 1 ? 0 : channel);
}
