// SPDX-License-Identifier: MIT
/* Packs nodes of a graph as the bytes of an ONNX model for the importer. */
#include "pack.h"

#include "onnx/proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct packer - a model under construction
 * @pool: owner of all messages until they are packed
 * @graph: the graph
 * @chosen: the nodes to pack, NULL: all
 * @limit: nodes from this number on are ignored
 * @roles: for each value, its roles in the model
 * @model: the result
 * @proto: the same, for protobuf-c
 */
struct packer {
	struct loom_pool *pool;
	const struct loom_ort_graph *graph;
	const bool *chosen;
	uint32_t limit;
	uint8_t *roles;
	struct loom_ort_model *model;
	Onnx__GraphProto proto;
};

/* roles of a value */
#define ROLE_READ	1	/* by a node of the model */
#define ROLE_MADE	2	/* by a node of the model */
#define ROLE_WANTED	4	/* by a node outside of the model */

static bool is_chosen(const struct packer *packer, uint32_t node)
{
	return node < packer->limit && (!packer->chosen || packer->chosen[node]);
}

static OrtStatus *find_roles(struct packer *packer)
{
	const struct loom_ort_graph *graph = packer->graph;
	uint32_t i, k;

	packer->roles = loom_pool_alloc(packer->pool, (size_t)graph->num_values + 1);
	if (!packer->roles)
		return loom_ort_no_memory();
	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_ort_node *node = &graph->nodes[i];
		bool chosen = is_chosen(packer, i);

		for (k = 0; k < node->num_inputs; k++)
			if (node->inputs[k] != LOOM_ORT_NONE)
				packer->roles[node->inputs[k]] |= chosen ? ROLE_READ : ROLE_WANTED;
		for (k = 0; k < node->num_outputs && chosen; k++)
			if (node->outputs[k] != LOOM_ORT_NONE)
				packer->roles[node->outputs[k]] |= ROLE_MADE;
	}
	return NULL;
}

static OrtStatus *pack_shape(struct packer *packer, const struct loom_ort_value *value,
			     Onnx__TypeProto__Tensor *tensor)
{
	Onnx__TensorShapeProto *shape = loom_pool_alloc(packer->pool, sizeof(*shape));
	uint32_t i;

	if (!shape)
		return loom_ort_no_memory();
	onnx__tensor_shape_proto__init(shape);
	shape->dim = loom_pool_array(packer->pool, value->rank + 1, sizeof(*shape->dim));
	if (!shape->dim)
		return loom_ort_no_memory();
	shape->n_dim = value->rank;
	for (i = 0; i < value->rank; i++) {
		Onnx__TensorShapeProto__Dimension *dim;

		dim = loom_pool_alloc(packer->pool, sizeof(*dim));
		if (!dim)
			return loom_ort_no_memory();
		onnx__tensor_shape_proto__dimension__init(dim);
		/* names of open dimensions are not needed: whole shapes are bound */
		if (value->dims[i] >= 0) {
			dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			dim->dim_value = value->dims[i];
		}
		shape->dim[i] = dim;
	}
	tensor->shape = shape;
	return NULL;
}

static OrtStatus *pack_end(struct packer *packer, const struct loom_ort_value *value,
			   Onnx__ValueInfoProto **proto)
{
	Onnx__ValueInfoProto *info = loom_pool_alloc(packer->pool, sizeof(*info));
	Onnx__TypeProto *type = loom_pool_alloc(packer->pool, sizeof(*type));
	Onnx__TypeProto__Tensor *tensor = loom_pool_alloc(packer->pool, sizeof(*tensor));

	if (!info || !type || !tensor)
		return loom_ort_no_memory();
	onnx__value_info_proto__init(info);
	onnx__type_proto__init(type);
	onnx__type_proto__tensor__init(tensor);
	info->name = loom_pool_string(packer->pool, value->name);
	if (!info->name)
		return loom_ort_no_memory();
	info->type = type;
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type->tensor_type = tensor;
	tensor->has_elem_type = 1;
	tensor->elem_type = value->elem;
	*proto = info;
	return value->has_shape ? pack_shape(packer, value, tensor) : NULL;
}

static OrtStatus *note_input(struct loom_ort_model *model, const struct loom_ort_value *value)
{
	struct loom_ort_port *port = &model->inputs[model->num_inputs++];
	uint32_t i;

	port->name = loom_pool_string(model->pool, value->name);
	if (!port->name)
		return loom_ort_no_memory();
	port->dtype = loom_onnx_dtype(value->elem);
	port->has_shape = value->has_shape;
	port->rank = value->rank;
	if (!value->has_shape)
		model->is_open = true;
	for (i = 0; i < value->rank; i++) {
		port->dims[i] = value->dims[i];
		port->dim_names[i] = loom_pool_string(model->pool, value->dim_names[i]);
		if (!port->dim_names[i])
			return loom_ort_no_memory();
		if (value->dims[i] < 0)
			model->is_open = true;
	}
	return NULL;
}

static OrtStatus *pack_values(struct packer *packer)
{
	const struct loom_ort_graph *graph = packer->graph;
	size_t room = (size_t)graph->num_values + 1;
	Onnx__GraphProto *proto = &packer->proto;
	uint32_t i;

	proto->initializer = loom_pool_array(packer->pool, room, sizeof(*proto->initializer));
	proto->input = loom_pool_array(packer->pool, room, sizeof(*proto->input));
	proto->output = loom_pool_array(packer->pool, room, sizeof(*proto->output));
	packer->model->inputs = loom_pool_array(packer->model->pool, room,
						sizeof(*packer->model->inputs));
	if (!proto->initializer || !proto->input || !proto->output || !packer->model->inputs)
		return loom_ort_no_memory();
	for (i = 0; i < graph->num_values; i++) {
		const struct loom_ort_value *value = &graph->values[i];
		uint8_t role = packer->roles[i];

		if (role & ROLE_MADE) {
			if (value->is_output || role & ROLE_WANTED)
				ORT_TRY(pack_end(packer, value, &proto->output[proto->n_output++]));
		} else if (role & ROLE_READ && value->data) {
			ORT_TRY(loom_ort_pack_tensor(packer->pool, value->data, value->name,
						     &proto->initializer[proto->n_initializer++]));
		} else if (role & ROLE_READ) {
			ORT_TRY(pack_end(packer, value, &proto->input[proto->n_input++]));
			ORT_TRY(note_input(packer->model, value));
		}
	}
	return NULL;
}

static OrtStatus *pack_nodes(struct packer *packer)
{
	const struct loom_ort_graph *graph = packer->graph;
	Onnx__GraphProto *proto = &packer->proto;
	uint32_t i;

	proto->node = loom_pool_array(packer->pool, (size_t)graph->num_nodes + 1,
				      sizeof(*proto->node));
	if (!proto->node)
		return loom_ort_no_memory();
	for (i = 0; i < graph->num_nodes; i++)
		if (is_chosen(packer, i))
			ORT_TRY(loom_ort_pack_node(packer->pool, graph, &graph->nodes[i],
						   &proto->node[proto->n_node++]));
	return NULL;
}

static OrtStatus *pack(struct packer *packer)
{
	Onnx__OperatorSetIdProto opset, *opsets[] = { &opset };
	Onnx__ModelProto model;

	onnx__graph_proto__init(&packer->proto);
	onnx__model_proto__init(&model);
	onnx__operator_set_id_proto__init(&opset);
	ORT_TRY(find_roles(packer));
	ORT_TRY(pack_values(packer));
	ORT_TRY(pack_nodes(packer));
	opset.has_version = 1;
	opset.version = packer->graph->opset;
	model.has_ir_version = 1;
	model.ir_version = 8;
	model.n_opset_import = 1;
	model.opset_import = opsets;
	model.graph = &packer->proto;
	packer->model->size_bytes = onnx__model_proto__get_packed_size(&model);
	packer->model->bytes = malloc(packer->model->size_bytes + 1);
	if (!packer->model->bytes)
		return loom_ort_no_memory();
	onnx__model_proto__pack(&model, packer->model->bytes);
	return NULL;
}

OrtStatus *loom_ort_model_make(const struct loom_ort_graph *graph, const bool *chosen,
			       uint32_t limit, struct loom_ort_model *model)
{
	struct packer packer = {
		.pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES),
		.graph = graph,
		.chosen = chosen,
		.limit = limit,
		.model = model,
	};
	OrtStatus *status;

	memset(model, 0, sizeof(*model));
	model->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	status = packer.pool && model->pool ? pack(&packer) : loom_ort_no_memory();
	loom_pool_destroy(packer.pool);
	return status;
}

void loom_ort_model_clear(struct loom_ort_model *model)
{
	free(model->bytes);
	loom_pool_destroy(model->pool);
	memset(model, 0, sizeof(*model));
}
