// SPDX-License-Identifier: MIT
/* Conversion of ModelProto to the builder's calls, and the public calls that read a model. */
#include "proto.h"

#include "base/error.h"
#include "renaming.h"
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* any that is supported, until the file has said which */
#define OPSET_ANY	1

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static bool is_onnx_domain(const char *domain)
{
	return !domain || !*domain || !strcmp(domain, "ai.onnx");
}

/* functions may call others, so many deep; limit on the nodes of all bodies that are written out */
#define CALLS_DEEP	16
#define CALLED_NODES	100000

/**
 * struct reader - a model, or a branch or function of it, that is being read
 * @graph: the result
 * @file: the model's file
 * @model: the model
 * @names: names of the branch or function, or NULL
 * @call: the node whose function is being read, or NULL
 * @caller: reader of @call
 * @depth: number of calls
 */
struct reader {
	struct loom_graph *graph;
	const struct loom_onnx_file *file;
	const Onnx__ModelProto *model;
	struct loom_renaming *names;
	const Onnx__NodeProto *call;
	const struct reader *caller;
	uint32_t depth;
};

static int read_initializer(const struct reader *reader, const Onnx__TensorProto *proto)
{
	struct loom_graph *graph = reader->graph;
	struct loom_array array;
	struct loom_error why;
	void *owned;
	int err;

	err = loom_onnx_tensor(proto, reader->file, &array, &owned, &why);
	if (!err && array.name)
		array.name = (char *)loom_renaming_find(reader->names, array.name);
	if (err)
		loom_graph_fail(graph, err, "constant \"%s\": %s", text_or_empty(proto->name),
				why.text);
	else
		err = loom_graph_add_const(graph, &array);
	if (!err && loom_onnx_bits(proto->data_type))
		loom_source_set_bits(graph, array.name, loom_onnx_bits(proto->data_type));
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

static const char **attr_strings(struct loom_pool *pool, const Onnx__AttributeProto *proto)
{
	const char **strings = loom_pool_array(pool, proto->n_strings + 1, sizeof(*strings));
	size_t i;

	for (i = 0; strings && i < proto->n_strings; i++) {
		strings[i] = attr_string(pool, &proto->strings[i]);
		if (!strings[i])
			return NULL;
	}
	return strings;
}

static int read_attr(const struct reader *reader, const char *node,
		     const Onnx__AttributeProto *proto, struct loom_attr *attr,
		     struct loom_array *tensor, void **owned)
{
	struct loom_graph *graph = reader->graph;
	struct loom_error why;
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
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
		attr->type = LOOM_ATTR_STRINGS;
		attr->strings = attr_strings(graph->pool, proto);
		attr->count = proto->n_strings;
		if (!attr->strings)
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
		err = loom_onnx_tensor(proto->t, reader->file, tensor, owned, &why);
		if (!err && loom_onnx_bits(proto->t->data_type))
			err = loom_error_set(&why, -EOPNOTSUPP, "its type is not supported");
		if (err)
			return loom_graph_fail(graph, err, "node \"%s\": attribute %s: %s", node,
					       attr->name, why.text);
		break;
	default:
		/*
		 * graphs other than those of If, lists of tensors, references: unused by all
		 * operators
		 */
		attr->type = LOOM_ATTR_OTHER;
	}
	return 0;
}

/* In a function, an attribute may be that of the calling node: NULL if that has none. */
static const Onnx__AttributeProto *attr_of_call(const struct reader *reader,
						const Onnx__AttributeProto *proto)
{
	const Onnx__AttributeProto *found = proto;
	size_t i;

	while (found && found->ref_attr_name && *found->ref_attr_name && reader->call) {
		const char *name = found->ref_attr_name;

		found = NULL;
		for (i = 0; i < reader->call->n_attribute && !found; i++)
			if (!strcmp(text_or_empty(reader->call->attribute[i]->name), name))
				found = reader->call->attribute[i];
		reader = reader->caller;
	}
	return found;
}

static int read_attrs(const struct reader *reader, const Onnx__NodeProto *proto,
		      struct loom_node_desc *desc)
{
	struct loom_graph *graph = reader->graph;
	size_t i, kept = 0, count = proto->n_attribute;
	const Onnx__AttributeProto *found;
	struct loom_attr *attrs = calloc(count + 1, sizeof(*attrs));
	struct loom_array *tensors = calloc(count + 1, sizeof(*tensors));
	void **owned = calloc(count + 1, sizeof(*owned));
	int err = 0;

	if (!attrs || !tensors || !owned)
		err = loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < count && !err; i++) {
		found = attr_of_call(reader, proto->attribute[i]);
		if (!found)
			continue;
		err = read_attr(reader, text_or_empty(desc->name), found, &attrs[kept],
				&tensors[kept], &owned[kept]);
		attrs[kept++].name = text_or_empty(proto->attribute[i]->name);
	}
	if (!err) {
		desc->attrs = attrs;
		desc->num_attrs = (uint32_t)kept;
		err = loom_graph_add_node(graph, desc);
	}
	for (i = 0; i < count && owned; i++)
		free(owned[i]);
	free(owned);
	free(tensors);
	free(attrs);
	return err;
}

/* Names in the source form, to be freed; "" is unchanged. */
static const char **read_names(const struct reader *reader, char *const *names, size_t count)
{
	const char **mapped = calloc(count + 1, sizeof(*mapped));
	size_t i;

	for (i = 0; mapped && i < count; i++)
		mapped[i] = *names[i] ? loom_renaming_find(reader->names, names[i]) : names[i];
	return mapped;
}

static int read_branches(const struct reader *reader, const Onnx__NodeProto *proto,
			 const char **results);

/* The operands of a node If: its condition, then the results of both branches. */
static int read_if(const struct reader *reader, const Onnx__NodeProto *proto,
		   struct loom_node_desc *desc)
{
	size_t count = 1 + 2 * proto->n_output;
	const char **operands = calloc(count, sizeof(*operands));
	int err;

	if (!operands)
		return loom_graph_fail(reader->graph, -ENOMEM, "out of memory");
	operands[0] = desc->num_inputs ? desc->inputs[0] : "";
	desc->inputs = operands;
	desc->num_inputs = (uint32_t)count;
	err = read_branches(reader, proto, operands);
	if (!err)
		err = loom_graph_add_node(reader->graph, desc);
	free(operands);
	return err;
}

static int read_repeated(const struct reader *reader, const Onnx__NodeProto *proto,
			 struct loom_node_desc *desc);

static const Onnx__FunctionProto *find_function(const struct reader *reader,
						const Onnx__NodeProto *proto)
{
	const Onnx__FunctionProto *function;
	size_t i;

	for (i = 0; i < reader->model->n_functions; i++) {
		function = reader->model->functions[i];
		if (!strcmp(text_or_empty(function->name), text_or_empty(proto->op_type)) &&
		    !strcmp(text_or_empty(function->domain), text_or_empty(proto->domain)))
			return function;
	}
	return NULL;
}

static int model_opset(Onnx__OperatorSetIdProto **imports, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const Onnx__OperatorSetIdProto *opset = imports[i];

		if (is_onnx_domain(opset->domain))
			return opset->version >= 0 && opset->version < 1000 ? (int)opset->version :
									      1000;
	}
	/* the default where the file names no version */
	return 1;
}

static int check_call(const struct reader *reader, const Onnx__FunctionProto *function,
		      const Onnx__NodeProto *proto)
{
	struct loom_graph *graph = reader->graph;
	const char *name = text_or_empty(function->name);
	int opset = model_opset(function->opset_import, function->n_opset_import);
	unsigned int i;

	graph->source->written += (uint32_t)function->n_node;
	if (reader->depth >= CALLS_DEEP || graph->source->written > CALLED_NODES)
		return loom_graph_fail(graph, -EOPNOTSUPP,
				       "function %.100s: calls are nested too deep, or too large",
				       name);
	if (proto->n_input > function->n_input || proto->n_output > function->n_output)
		return loom_graph_fail(graph, -EINVAL,
				       "function %.100s: a call has too many operands or results",
				       name);
	/* of a later version: default attributes, and functions of one name */
	for (i = 0; i < function->base.n_unknown_fields; i++)
		if (function->base.unknown_fields[i].tag == 11 ||
		    function->base.unknown_fields[i].tag == 13)
			return loom_graph_fail(graph, -EOPNOTSUPP,
					       "function %.100s: defaults and overloads are not supported",
					       name);
	if (opset != graph->opset && function->n_opset_import)
		return loom_graph_fail(graph, -EOPNOTSUPP,
				       "function %.100s: opset %d in a model of opset %d is not supported",
				       name, opset, graph->opset);
	return 0;
}

/* Names of a function: operands are those of the call, results as well, all others are new. */
static int define_call(const struct reader *reader, const Onnx__FunctionProto *function,
		       const Onnx__NodeProto *proto, struct loom_renaming *names)
{
	const char *name;
	size_t i, k;
	int err = 0;

	for (i = 0; i < function->n_node; i++)
		for (k = 0; k < function->node[i]->n_output && !err; k++)
			if (*function->node[i]->output[k])
				err = loom_renaming_define(names, function->node[i]->output[k]);
	for (i = 0; i < function->n_output && i < proto->n_output && !err; i++)
		if (*proto->output[i]) {
			name = loom_renaming_find(reader->names, proto->output[i]);
			err = loom_names_set(&names->table, function->output[i], (void *)name);
		}
	for (i = 0; i < function->n_input && !err; i++) {
		name = i < proto->n_input ? proto->input[i] : "";
		name = *name ? loom_renaming_find(reader->names, name) : "";
		err = loom_names_set(&names->table, function->input[i], (void *)name);
	}
	return err;
}

static int read_node(const struct reader *reader, const Onnx__NodeProto *proto);

/* Its nodes take the place of the call. A result that is an operand is copied. */
static int read_call(const struct reader *reader, const Onnx__FunctionProto *function,
		     const Onnx__NodeProto *proto)
{
	struct loom_graph *graph = reader->graph;
	struct loom_renaming names = { .table.pool = graph->pool };
	struct reader inner = *reader;
	size_t i;

	if (check_call(reader, function, proto))
		return graph->status;
	names.number = ++graph->source->num_branches;
	inner.names = &names;
	inner.call = proto;
	inner.caller = reader;
	inner.depth++;
	if (define_call(reader, function, proto, &names))
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < function->n_node && !graph->status; i++)
		read_node(&inner, function->node[i]);
	for (i = 0; i < proto->n_output && !graph->status; i++) {
		const char *from = loom_renaming_find(&names, function->output[i]);
		const char *to = loom_renaming_find(reader->names, proto->output[i]);
		const struct loom_node_desc copy = {
			.op_type = "Identity", .name = proto->name, .inputs = &from,
			.num_inputs = 1, .outputs = &to, .num_outputs = 1,
		};

		if (*to && strcmp(from, to))
			loom_graph_add_node(graph, &copy);
	}
	return graph->status;
}

static int read_node(const struct reader *reader, const Onnx__NodeProto *proto)
{
	struct loom_graph *graph = reader->graph;
	const Onnx__FunctionProto *function = find_function(reader, proto);
	const char **inputs = read_names(reader, proto->input, proto->n_input);
	const char **outputs = read_names(reader, proto->output, proto->n_output);
	struct loom_node_desc desc = {
		.name = proto->name,
		.op_type = text_or_empty(proto->op_type),
		.inputs = inputs,
		.num_inputs = (uint32_t)proto->n_input,
		.outputs = outputs,
		.num_outputs = (uint32_t)proto->n_output,
	};
	int err;

	/* the table knows operators of the standard only */
	if (!is_onnx_domain(proto->domain))
		desc.op_type = loom_pool_print(graph->pool, "%s.%s", proto->domain, desc.op_type);
	if (!desc.op_type || !inputs || !outputs)
		err = loom_graph_fail(graph, -ENOMEM, "out of memory");
	else if (function)
		err = read_call(reader, function, proto);
	else if (!strcmp(desc.op_type, "If"))
		err = read_if(reader, proto, &desc);
	else if (!strcmp(desc.op_type, "Loop") || !strcmp(desc.op_type, "Scan"))
		err = read_repeated(reader, proto, &desc);
	else
		err = read_attrs(reader, proto, &desc);
	free(inputs);
	free(outputs);
	return err;
}

/* Constants and nodes. */
static int read_body(const struct reader *reader, const Onnx__GraphProto *proto)
{
	struct loom_graph *graph = reader->graph;
	size_t i;

	if (proto->n_sparse_initializer)
		return loom_graph_fail(graph, -EOPNOTSUPP, "sparse constants are not supported");
	for (i = 0; i < proto->n_initializer && !graph->status; i++)
		read_initializer(reader, proto->initializer[i]);
	/* declared inputs are distinguished from constants */
	for (i = 0; i < proto->n_input && !graph->status && !reader->names; i++)
		read_input(graph, proto->input[i]);
	for (i = 0; i < proto->n_node && !graph->status; i++) {
		loom_watch_node(proto->node[i]->name);
		read_node(reader, proto->node[i]);
	}
	loom_watch_node(NULL);
	return graph->status;
}

/* Defines all names before any is used. */
static int define_names(struct loom_renaming *names, const Onnx__GraphProto *proto)
{
	size_t i, k;
	int err = 0;

	for (i = 0; i < proto->n_initializer && !err; i++)
		if (proto->initializer[i]->name)
			err = loom_renaming_define(names, proto->initializer[i]->name);
	for (i = 0; i < proto->n_node; i++)
		for (k = 0; k < proto->node[i]->n_output && !err; k++)
			if (*proto->node[i]->output[k])
				err = loom_renaming_define(names, proto->node[i]->output[k]);
	return err;
}

/* @results: [out] names of its results in the source form */
static int read_branch(const struct reader *reader, const Onnx__GraphProto *proto,
		       const char *condition, bool when, const char **results)
{
	struct loom_graph *graph = reader->graph;
	struct loom_source *source = graph->source;
	struct loom_source_branch *branch = loom_pool_alloc(graph->pool, sizeof(*branch));
	struct loom_renaming *names = loom_pool_alloc(graph->pool, sizeof(*names));
	struct reader inner = *reader;
	size_t i;

	if (!branch || !names)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	names->table.pool = graph->pool;
	names->number = ++source->num_branches;
	names->outer = reader->names;
	branch->condition = loom_pool_string(graph->pool, condition);
	branch->when = when;
	branch->outer = source->branch;
	if (!branch->condition || define_names(names, proto))
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	source->branch = branch;
	inner.names = names;
	read_body(&inner, proto);
	source->branch = branch->outer;
	for (i = 0; i < proto->n_output && !graph->status; i++)
		results[i] = loom_renaming_find(names, text_or_empty(proto->output[i]->name));
	return graph->status;
}

static const Onnx__GraphProto *find_branch(const Onnx__NodeProto *proto, const char *name)
{
	size_t i;

	for (i = 0; i < proto->n_attribute; i++)
		if (!strcmp(text_or_empty(proto->attribute[i]->name), name))
			return proto->attribute[i]->g;
	return NULL;
}

/* @results: its first element is the name of the condition, and the results of both go behind it */
static int read_branches(const struct reader *reader, const Onnx__NodeProto *proto,
			 const char **results)
{
	static const char * const names[] = { "then_branch", "else_branch" };
	const char *node = text_or_empty(proto->name);
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++) {
		const Onnx__GraphProto *branch = find_branch(proto, names[i]);

		if (!branch)
			return loom_graph_fail(reader->graph, -EINVAL,
					       "node \"%.100s\": operator If: it has no %s", node,
					       names[i]);
		if (branch->n_output != proto->n_output)
			return loom_graph_fail(reader->graph, -EINVAL,
					       "node \"%.100s\": operator If: %s gives %zu results, and the node %zu",
					       node, names[i], branch->n_output, proto->n_output);
		err = read_branch(reader, branch, results[0], !i,
				  results + 1 + i * proto->n_output);
	}
	return err;
}

/* Defines the names of a body: its values and its inputs. */
static int define_body(struct loom_renaming *names, const Onnx__GraphProto *proto)
{
	int err = define_names(names, proto);
	size_t i;

	for (i = 0; i < proto->n_input && !err; i++)
		err = loom_renaming_define(names, text_or_empty(proto->input[i]->name));
	return err;
}

static struct loom_source_body *read_body_of(const struct reader *reader,
					     const Onnx__GraphProto *proto)
{
	struct loom_graph *graph = reader->graph;
	struct loom_source *source = graph->source;
	struct loom_source_body *body = loom_pool_alloc(graph->pool, sizeof(*body));
	struct loom_renaming *names = loom_pool_alloc(graph->pool, sizeof(*names));
	struct loom_source_body *outer = source->body;
	struct reader inner = *reader;
	size_t i;

	if (!body || !names)
		return NULL;
	body->inputs = loom_pool_array(graph->pool, proto->n_input + 1, sizeof(*body->inputs));
	body->outputs = loom_pool_array(graph->pool, proto->n_output + 1, sizeof(*body->outputs));
	body->names.pool = graph->pool;
	names->table.pool = graph->pool;
	names->number = ++source->num_branches;
	names->outer = reader->names;
	if (!body->inputs || !body->outputs || define_body(names, proto))
		return NULL;
	for (i = 0; i < proto->n_input; i++) {
		const char *name = text_or_empty(proto->input[i]->name);

		body->inputs[i] = loom_renaming_find(names, name);
		body->num_inputs++;
		if (loom_source_name_in_body(graph, body, body->inputs[i]))
			return NULL;
	}
	source->body = body;
	inner.names = names;
	read_body(&inner, proto);
	source->body = outer;
	for (i = 0; i < proto->n_output; i++) {
		const char *name = text_or_empty(proto->output[i]->name);

		name = loom_pool_string(graph->pool, loom_renaming_find(names, name));
		if (!name)
			return NULL;
		body->outputs[body->num_outputs++] = name;
	}
	return body;
}

static int note_read(struct loom_names *seen, const char *name, const char **operands,
		     uint32_t *count)
{
	if (!*name || loom_names_find(seen, name))
		return 0;
	operands[(*count)++] = name;
	return loom_names_set(seen, name, (void *)name);
}

/* Appends the outer values that a body reads as operands of @desc. */
static int add_captured(struct loom_graph *graph, const struct loom_source_body *body,
			struct loom_node_desc *desc)
{
	struct loom_names seen = { .pool = graph->pool };
	uint32_t most = desc->num_inputs + body->num_outputs, i, k;
	const char **operands;
	int err = 0;

	for (i = 0; i < body->num_nodes; i++)
		most += body->nodes[i]->desc.num_inputs;
	operands = loom_pool_array(graph->pool, most + 1, sizeof(*operands));
	if (!operands)
		return -ENOMEM;
	for (i = 0; i < desc->num_inputs; i++)
		operands[i] = desc->inputs[i];
	for (i = 0; i < body->num_inputs && !err; i++)
		err = loom_names_set(&seen, body->inputs[i], (void *)body->inputs[i]);
	for (i = 0; i < body->num_nodes; i++) {
		const struct loom_node_desc *inner = &body->nodes[i]->desc;

		for (k = 0; k < inner->num_outputs && !err; k++)
			err = loom_names_set(&seen, inner->outputs[k], (void *)inner->outputs[k]);
	}
	for (i = 0; i < body->num_nodes; i++) {
		const struct loom_node_desc *inner = &body->nodes[i]->desc;

		for (k = 0; k < inner->num_inputs && !err; k++)
			err = note_read(&seen, inner->inputs[k], operands, &desc->num_inputs);
	}
	for (i = 0; i < body->num_outputs && !err; i++)
		err = note_read(&seen, body->outputs[i], operands, &desc->num_inputs);
	desc->inputs = operands;
	return err;
}

static int read_repeated(const struct reader *reader, const Onnx__NodeProto *proto,
			 struct loom_node_desc *desc)
{
	const Onnx__GraphProto *graph = find_branch(proto, "body");
	struct loom_source_body *body = NULL;

	if (graph) {
		body = read_body_of(reader, graph);
		if (reader->graph->status)
			return reader->graph->status;
		if (!body)
			return loom_graph_fail(reader->graph, -ENOMEM, "out of memory");
		body->num_operands = desc->num_inputs;
		if (add_captured(reader->graph, body, desc))
			return loom_graph_fail(reader->graph, -ENOMEM, "out of memory");
	}
	reader->graph->source->repeats = body;
	return read_attrs(reader, proto, desc);
}

static int read_graph(struct loom_graph *graph, const struct loom_onnx_file *file,
		      const Onnx__ModelProto *model)
{
	const struct reader reader = { .graph = graph, .file = file, .model = model };
	const Onnx__GraphProto *proto = model->graph;
	size_t i;

	read_body(&reader, proto);
	for (i = 0; i < proto->n_output && !graph->status; i++)
		loom_graph_add_output(graph, text_or_empty(proto->output[i]->name));
	return graph->status;
}

static int read_model(struct loom_graph *graph, const struct loom_onnx_file *file)
{
	Onnx__ModelProto *model = NULL;
	size_t thin_bytes;
	void *thin;
	int err;

	err = loom_onnx_scan(&onnx__model_proto__descriptor, file->bytes, file->size_bytes, &thin,
			     &thin_bytes);
	if (err == -EMLINK)
		return loom_graph_fail(graph, -EINVAL, "the model is nested too deep or too large");
	if (err == -ENOMEM)
		return loom_graph_fail(graph, err, "out of memory");
	if (!err)
		model = onnx__model_proto__unpack(&loom_onnx_memory, thin_bytes, thin);
	free(thin);
	if (!model)
		return loom_graph_fail(graph, -EINVAL,
				       "this is not an ONNX model, or it is truncated");
	if (!model->graph)
		loom_graph_fail(graph, -EINVAL, "the model has no graph, or it is truncated");
	else if (!loom_source_set_opset(graph, model_opset(model->opset_import,
							   model->n_opset_import)))
		read_graph(graph, file, model);
	onnx__model_proto__free_unpacked(model, &loom_onnx_memory);
	return graph->status;
}

/*
 * The source form of a model; its shapes are still open. The bytes of @path are mapped where that
 * is possible; without a path they are those of @file.
 */
static int open_model(const char *name, const char *path, struct loom_onnx_file *file,
		      struct loom_graph **graph, struct loom_error *err)
{
	struct loom_graph *created;
	void *owned = NULL;
	int code = 0;

	*graph = NULL;
	if (loom_graph_create(name, OPSET_ANY, &created))
		return loom_error_set(err, -ENOMEM, "%s: out of memory", name);
	file->pool = created->pool;
	if (path)
		code = loom_onnx_read_file(path, file->pool, (const void **)&file->bytes,
					   &file->size_bytes, &owned, err);
	if (!code) {
		code = read_model(created, file);
		if (code && err)
			*err = created->error;
	}
	free(owned);
	if (code)
		loom_graph_destroy(created);
	else
		*graph = created;
	return code;
}

/* finishes what open_model() made, or destroys it */
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
	struct loom_onnx_file file = { bytes, size_bytes, NULL, NULL };
	struct loom_graph *opened;
	struct loom_watch watch;
	int code;

	if (!graph)
		return loom_error_set(err, -EINVAL, "there is no place for the graph");
	*graph = NULL;
	if (!bytes || !name)
		return loom_error_set(err, -EINVAL, "a model has no %s", bytes ? "name" : "bytes");
	watch = loom_graph_watch(NULL, options);
	loom_watch_begin(&watch);
	code = open_model(name, NULL, &file, &opened, err);
	if (!code)
		code = finish_opened(opened, options, graph, err);
	return loom_graph_unwatch(&watch, code, graph, err);
}

int loom_graph_open_onnx(const char *path, struct loom_graph **graph, struct loom_error *err)
{
	struct loom_onnx_file file = { 0 };
	const char *slash;
	char *folder;
	int code;

	if (!graph)
		return loom_error_set(err, -EINVAL, "there is no place for the graph");
	*graph = NULL;
	if (!path)
		return loom_error_set(err, -EINVAL, "a model has no path");
	slash = strrchr(path, '/');
	folder = slash ? strndup(path, slash + 1 - path) : strdup(".");
	if (!folder)
		return loom_error_set(err, -ENOMEM, "%s: out of memory", path);
	file.folder = folder;
	code = open_model(path, path, &file, graph, err);
	free(folder);
	return code;
}

int loom_graph_import_onnx(const char *path, const struct loom_graph_options *options,
			   struct loom_graph **graph, struct loom_error *err)
{
	struct loom_watch watch = loom_graph_watch(NULL, options);
	struct loom_graph *opened;
	int code;

	if (!graph)
		return loom_error_set(err, -EINVAL, "there is no place for the graph");
	*graph = NULL;
	loom_watch_begin(&watch);
	code = loom_graph_open_onnx(path, &opened, err);
	if (!code)
		code = finish_opened(opened, options, graph, err);
	return loom_graph_unwatch(&watch, code, graph, err);
}
