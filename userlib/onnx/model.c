// SPDX-License-Identifier: MIT
/* ModelProto into the builder's calls, and the public calls that read a model. */
#include "proto.h"

#include "base/error.h"
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static bool is_onnx_domain(const char *domain)
{
	return !domain || !*domain || !strcmp(domain, "ai.onnx");
}

static int read_initializer(struct loom_graph *graph, const Onnx__TensorProto *proto)
{
	struct loom_array array;
	const char *why = "";
	void *owned;
	int err;

	err = loom_onnx_tensor(proto, &array, &owned, &why);
	if (err)
		loom_graph_fail(graph, err, "constant \"%s\": %s", text_or_empty(proto->name), why);
	else
		err = loom_graph_add_const(graph, &array);
	free(owned);
	return err;
}

static int read_shape(struct loom_graph *graph, const Onnx__TensorShapeProto *shape,
		      struct loom_source_input *input)
{
	size_t i;

	if (shape->n_dim > LOOM_GRAPH_RANK)
		return loom_graph_fail(graph, -EOPNOTSUPP, "input \"%s\": more than %d dimensions",
				       input->name, LOOM_GRAPH_RANK);
	input->has_shape = true;
	input->rank = (uint32_t)shape->n_dim;
	for (i = 0; i < shape->n_dim; i++) {
		const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

		input->dims[i] = LOOM_DIM_OPEN;
		/* some exporters write -1 for a dimension they do not know */
		if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
		    dim->dim_value >= 0)
			input->dims[i] = dim->dim_value;
		if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
		    dim->dim_param && *dim->dim_param)
			input->dim_names[i] = dim->dim_param;
	}
	return 0;
}

static int read_input(struct loom_graph *graph, const Onnx__ValueInfoProto *info)
{
	struct loom_source_input input = { .name = text_or_empty(info->name) };
	const Onnx__TypeProto__Tensor *tensor;

	if (!*input.name)
		return loom_graph_fail(graph, -EINVAL, "an input has no name");
	/* an initialiser, whose type was read with its data */
	if (loom_names_find(&graph->source->values, input.name))
		return 0;
	if (!info->type || info->type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
		return loom_graph_fail(graph, -EINVAL, "input \"%s\": it has no type", input.name);
	if (info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
		return loom_graph_fail(graph, -EOPNOTSUPP,
				       "input \"%s\": only tensors are supported", input.name);
	tensor = info->type->tensor_type;
	input.dtype = loom_onnx_dtype(tensor->elem_type);
	if (!input.dtype)
		return loom_graph_fail(graph, -EOPNOTSUPP,
				       "input \"%s\": type %s is not supported", input.name,
				       loom_onnx_dtype_name(tensor->elem_type));
	if (tensor->shape && read_shape(graph, tensor->shape, &input))
		return graph->status;
	return loom_graph_add_open_input(graph, &input);
}

/* files before IR version 3 do not name the type of an attribute */
static Onnx__AttributeProto__AttributeType attr_type(const Onnx__AttributeProto *proto)
{
	if (proto->has_type)
		return proto->type;
	if (proto->has_f)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
	if (proto->has_i)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	if (proto->has_s)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
	if (proto->t)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
	if (proto->n_floats)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
	if (proto->n_ints)
		return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
}

static char *attr_string(struct loom_pool *pool, const ProtobufCBinaryData *string)
{
	char *text = loom_pool_alloc(pool, string->len + 1);

	if (text && string->len)
		memcpy(text, string->data, string->len);
	return text;
}

static int read_attr(struct loom_graph *graph, const char *node, const Onnx__AttributeProto *proto,
		     struct loom_attr *attr, struct loom_array *tensor, void **owned)
{
	const char *why = "";
	int err;

	attr->name = text_or_empty(proto->name);
	attr->count = 1;
	switch (attr_type(proto)) {
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
		attr->type = LOOM_ATTR_FLOAT;
		attr->floats = &proto->f;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
		attr->type = LOOM_ATTR_INT;
		attr->ints = &proto->i;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
		attr->type = LOOM_ATTR_STRING;
		attr->string = attr_string(graph->pool, &proto->s);
		if (!attr->string)
			return loom_graph_fail(graph, -ENOMEM, "out of memory");
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
		attr->type = LOOM_ATTR_FLOATS;
		attr->floats = proto->floats;
		attr->count = proto->n_floats;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
		attr->type = LOOM_ATTR_INTS;
		attr->ints = proto->ints;
		attr->count = proto->n_ints;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
		attr->type = LOOM_ATTR_TENSOR;
		attr->tensor = tensor;
		if (!proto->t)
			return loom_graph_fail(graph, -EINVAL,
					       "node \"%s\": attribute %s holds no tensor", node,
					       attr->name);
		err = loom_onnx_tensor(proto->t, tensor, owned, &why);
		if (err)
			return loom_graph_fail(graph, err, "node \"%s\": attribute %s: %s", node,
					       attr->name, why);
		break;
	default:
		/* graphs, lists of strings, references: no supported operator has any */
		attr->type = LOOM_ATTR_OTHER;
	}
	return 0;
}

static int read_attrs(struct loom_graph *graph, const Onnx__NodeProto *proto,
		      struct loom_node_desc *desc)
{
	size_t i, count = proto->n_attribute;
	struct loom_attr *attrs = calloc(count + 1, sizeof(*attrs));
	struct loom_array *tensors = calloc(count + 1, sizeof(*tensors));
	void **owned = calloc(count + 1, sizeof(*owned));
	int err = 0;

	if (!attrs || !tensors || !owned)
		err = loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < count && !err; i++)
		err = read_attr(graph, text_or_empty(desc->name), proto->attribute[i], &attrs[i],
				&tensors[i], &owned[i]);
	if (!err) {
		desc->attrs = attrs;
		desc->num_attrs = (uint32_t)count;
		err = loom_graph_add_node(graph, desc);
	}
	for (i = 0; i < count && owned; i++)
		free(owned[i]);
	free(owned);
	free(tensors);
	free(attrs);
	return err;
}

static int read_node(struct loom_graph *graph, const Onnx__NodeProto *proto)
{
	struct loom_node_desc desc = {
		.name = proto->name,
		.op_type = text_or_empty(proto->op_type),
		.inputs = (const char *const *)proto->input,
		.num_inputs = (uint32_t)proto->n_input,
		.outputs = (const char *const *)proto->output,
		.num_outputs = (uint32_t)proto->n_output,
	};

	/* the table knows operators of the standard only */
	if (!is_onnx_domain(proto->domain))
		desc.op_type = loom_pool_print(graph->pool, "%s.%s", proto->domain, desc.op_type);
	if (!desc.op_type)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	return read_attrs(graph, proto, &desc);
}

static int read_graph(struct loom_graph *graph, const Onnx__GraphProto *proto)
{
	size_t i;

	if (proto->n_sparse_initializer)
		return loom_graph_fail(graph, -EOPNOTSUPP, "sparse constants are not supported");
	for (i = 0; i < proto->n_initializer && !graph->status; i++)
		read_initializer(graph, proto->initializer[i]);
	for (i = 0; i < proto->n_input && !graph->status; i++)
		read_input(graph, proto->input[i]);
	for (i = 0; i < proto->n_node && !graph->status; i++)
		read_node(graph, proto->node[i]);
	for (i = 0; i < proto->n_output && !graph->status; i++)
		loom_graph_add_output(graph, text_or_empty(proto->output[i]->name));
	return graph->status;
}

static int model_opset(const Onnx__ModelProto *model)
{
	size_t i;

	for (i = 0; i < model->n_opset_import; i++) {
		const Onnx__OperatorSetIdProto *opset = model->opset_import[i];

		if (is_onnx_domain(opset->domain))
			return opset->version >= 0 && opset->version < 1000 ? (int)opset->version :
									      1000;
	}
	/* the default where the file names no version */
	return 1;
}

static int fail(struct loom_error *err, const char *name, int code, const char *why)
{
	const char *base = strrchr(name, '/');

	return loom_error_set(err, code, "%s: %s", base ? base + 1 : name, why);
}

/* The source form of a model; its shapes are still open. */
static int open_bytes(const void *bytes, size_t size_bytes, const char *name,
		      struct loom_graph **graph, struct loom_error *err)
{
	struct loom_graph *created = NULL;
	Onnx__ModelProto *model = NULL;
	int code;

	*graph = NULL;
	code = loom_onnx_scan(&onnx__model_proto__descriptor, bytes, size_bytes);
	if (code == -EMLINK)
		return fail(err, name, -EINVAL, "the model is nested too deep or too large");
	if (!code)
		model = onnx__model_proto__unpack(NULL, size_bytes, bytes);
	if (!model)
		return fail(err, name, -EINVAL, "this is not an ONNX model, or it is truncated");
	if (!model->graph) {
		code = fail(err, name, -EINVAL, "the model has no graph, or it is truncated");
		goto out;
	}
	code = loom_graph_create(name, model_opset(model), &created);
	if (code) {
		fail(err, name, code, "out of memory");
		goto out;
	}
	code = read_graph(created, model->graph);
	if (code) {
		if (err)
			*err = created->error;
		loom_graph_destroy(created);
	} else {
		*graph = created;
	}
out:
	onnx__model_proto__free_unpacked(model, NULL);
	return code;
}

/* finishes what open_bytes() made, or destroys it */
static int finish_opened(struct loom_graph *opened, const struct loom_graph_options *options,
			 struct loom_graph **graph, struct loom_error *err)
{
	int code = loom_graph_finish(opened, options, err);

	if (code)
		loom_graph_destroy(opened);
	else
		*graph = opened;
	return code;
}

int loom_graph_import_onnx_bytes(const void *bytes, size_t size_bytes, const char *name,
				 const struct loom_graph_options *options,
				 struct loom_graph **graph, struct loom_error *err)
{
	struct loom_graph *opened;
	int code;

	*graph = NULL;
	code = open_bytes(bytes, size_bytes, name, &opened, err);
	return code ? code : finish_opened(opened, options, graph, err);
}

int loom_graph_open_onnx(const char *path, struct loom_graph **graph, struct loom_error *err)
{
	size_t size_bytes;
	void *bytes;
	int code;

	*graph = NULL;
	code = loom_onnx_read_file(path, &bytes, &size_bytes, err);
	if (code)
		return code;
	code = open_bytes(bytes, size_bytes, path, graph, err);
	free(bytes);
	return code;
}

int loom_graph_import_onnx(const char *path, const struct loom_graph_options *options,
			   struct loom_graph **graph, struct loom_error *err)
{
	struct loom_graph *opened;
	int code;

	*graph = NULL;
	code = loom_graph_open_onnx(path, &opened, err);
	return code ? code : finish_opened(opened, options, graph, err);
}
