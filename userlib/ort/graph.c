// SPDX-License-Identifier: MIT
/* A graph of ONNX Runtime as plain structs: values, and nodes that refer to them by number. */
#include "ort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static OrtStatus *read_type(struct loom_ort_graph *graph, struct loom_ort_value *value)
{
	const OrtApi *api = loom_ort.api;
	const OrtTensorTypeAndShapeInfo *tensor = NULL;
	enum ONNXTensorElementDataType elem;
	const OrtTypeInfo *type = NULL;
	enum ONNXType kind;
	size_t rank, i;

	(void)graph;
	ORT_TRY(api->GetValueInfoTypeInfo(value->info, &type));
	if (!type)
		return NULL;
	ORT_TRY(api->GetOnnxTypeFromTypeInfo(type, &kind));
	if (kind != ONNX_TYPE_TENSOR)
		return NULL;
	ORT_TRY(api->CastTypeInfoToTensorInfo(type, &tensor));
	if (!tensor)
		return NULL;
	ORT_TRY(api->GetTensorElementType(tensor, &elem));
	value->elem = (int32_t)elem;
	if (!api->TensorTypeAndShape_HasShape(tensor))
		return NULL;
	ORT_TRY(api->GetDimensionsCount(tensor, &rank));
	if (rank > LOOM_GRAPH_RANK)
		return NULL;
	value->has_shape = true;
	value->rank = (uint32_t)rank;
	if (!rank)
		return NULL;
	ORT_TRY(api->GetDimensions(tensor, value->dims, rank));
	ORT_TRY(api->GetSymbolicDimensions(tensor, value->dim_names, rank));
	for (i = 0; i < rank; i++) {
		value->dims[i] = value->dims[i] < 0 ? -1 : value->dims[i];
		/* they live as long as the type, which the value owns */
		value->dim_names[i] = value->dim_names[i] ? value->dim_names[i] : "";
	}
	return NULL;
}

static OrtStatus *read_constant(struct loom_ort_value *value)
{
	const OrtApi *api = loom_ort.api;
	bool is_constant = false;

	ORT_TRY(api->ValueInfo_IsConstantInitializer(value->info, &is_constant));
	return is_constant ? api->ValueInfo_GetInitializerValue(value->info, &value->data) : NULL;
}

static OrtStatus *number_of(struct loom_ort_graph *graph, const OrtValueInfo *info,
			    uint32_t *number)
{
	const OrtApi *api = loom_ort.api;
	struct loom_ort_value *value, *grown;
	const char *name = NULL;
	uintptr_t found;

	*number = LOOM_ORT_NONE;
	if (!info)
		return NULL;
	ORT_TRY(api->GetValueInfoName(info, &name));
	if (!name || !*name)
		return NULL;
	found = (uintptr_t)loom_names_find(&graph->names, name);
	if (found) {
		*number = (uint32_t)(found - 1);
		return NULL;
	}
	grown = loom_pool_grow(graph->pool, graph->values, graph->num_values, &graph->cap_values,
			       sizeof(*grown));
	if (!grown)
		return loom_ort_no_memory();
	graph->values = grown;
	value = &grown[graph->num_values];
	*value = (struct loom_ort_value){ .name = name, .info = info, .producer = LOOM_ORT_NONE };
	if (loom_names_set(&graph->names, name, (void *)(uintptr_t)(graph->num_values + 1)))
		return loom_ort_no_memory();
	*number = graph->num_values++;
	ORT_TRY(read_type(graph, value));
	ORT_TRY(api->ValueInfo_IsGraphOutput(info, &value->is_output));
	return read_constant(value);
}

static OrtStatus *read_inputs(struct loom_ort_graph *graph, struct loom_ort_node *node)
{
	const OrtApi *api = loom_ort.api;
	size_t named, more, i;
	const OrtValueInfo **infos;

	ORT_TRY(api->Node_GetNumInputs(node->node, &named));
	ORT_TRY(api->Node_GetNumImplicitInputs(node->node, &more));
	infos = loom_pool_array(graph->pool, named + more + 1, sizeof(*infos));
	node->inputs = loom_pool_array(graph->pool, named + more + 1, sizeof(*node->inputs));
	if (!infos || !node->inputs)
		return loom_ort_no_memory();
	if (named)
		ORT_TRY(api->Node_GetInputs(node->node, infos, named));
	if (more)
		ORT_TRY(api->Node_GetImplicitInputs(node->node, infos + named, more));
	node->num_named = (uint32_t)named;
	node->num_inputs = (uint32_t)(named + more);
	for (i = 0; i < named + more; i++)
		ORT_TRY(number_of(graph, infos[i], &node->inputs[i]));
	return NULL;
}

static OrtStatus *read_outputs(struct loom_ort_graph *graph, struct loom_ort_node *node,
			       uint32_t number)
{
	const OrtApi *api = loom_ort.api;
	const OrtValueInfo **infos;
	size_t count, i;

	ORT_TRY(api->Node_GetNumOutputs(node->node, &count));
	infos = loom_pool_array(graph->pool, count + 1, sizeof(*infos));
	node->outputs = loom_pool_array(graph->pool, count + 1, sizeof(*node->outputs));
	if (!infos || !node->outputs)
		return loom_ort_no_memory();
	if (count)
		ORT_TRY(api->Node_GetOutputs(node->node, infos, count));
	node->num_outputs = (uint32_t)count;
	for (i = 0; i < count; i++) {
		ORT_TRY(number_of(graph, infos[i], &node->outputs[i]));
		if (node->outputs[i] != LOOM_ORT_NONE)
			graph->values[node->outputs[i]].producer = number;
	}
	return NULL;
}

static OrtStatus *read_node(struct loom_ort_graph *graph, const OrtNode *from, uint32_t number)
{
	struct loom_ort_node *node = &graph->nodes[number];
	const OrtApi *api = loom_ort.api;

	node->node = from;
	ORT_TRY(api->Node_GetName(from, &node->name));
	ORT_TRY(api->Node_GetOperatorType(from, &node->op));
	ORT_TRY(api->Node_GetDomain(from, &node->domain));
	ORT_TRY(read_inputs(graph, node));
	return read_outputs(graph, node, number);
}

static OrtStatus *read_opset(struct loom_ort_graph *graph)
{
	const OrtApi *api = loom_ort.api;
	const char **domains;
	int64_t *versions;
	size_t count, i;

	ORT_TRY(api->Graph_GetNumOperatorSets(graph->graph, &count));
	domains = loom_pool_array(graph->pool, count + 1, sizeof(*domains));
	versions = loom_pool_array(graph->pool, count + 1, sizeof(*versions));
	if (!domains || !versions)
		return loom_ort_no_memory();
	ORT_TRY(api->Graph_GetOperatorSets(graph->graph, domains, versions, count));
	for (i = 0; i < count; i++)
		if (!*domains[i] || !strcmp(domains[i], "ai.onnx"))
			graph->opset = versions[i];
	return NULL;
}

OrtStatus *loom_ort_graph_read(const OrtGraph *from, struct loom_ort_graph *graph)
{
	const OrtApi *api = loom_ort.api;
	const OrtNode **nodes;
	size_t count, i;

	memset(graph, 0, sizeof(*graph));
	graph->graph = from;
	graph->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	graph->names.pool = graph->pool;
	if (!graph->pool)
		return loom_ort_no_memory();
	ORT_TRY(read_opset(graph));
	ORT_TRY(api->Graph_GetNumNodes(from, &count));
	nodes = loom_pool_array(graph->pool, count + 1, sizeof(*nodes));
	graph->nodes = loom_pool_array(graph->pool, count + 1, sizeof(*graph->nodes));
	if (!nodes || !graph->nodes)
		return loom_ort_no_memory();
	if (count)
		ORT_TRY(api->Graph_GetNodes(from, nodes, count));
	for (i = 0; i < count; i++) {
		ORT_TRY(read_node(graph, nodes[i], (uint32_t)i));
		graph->num_nodes++;
	}
	return NULL;
}

void loom_ort_graph_clear(struct loom_ort_graph *graph)
{
	loom_pool_destroy(graph->pool);
	memset(graph, 0, sizeof(*graph));
}
