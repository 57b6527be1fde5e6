// SPDX-License-Identifier: MIT
/* Attributes of a node and its subgraphs as ONNX messages. */
#include "pack.h"

#include <errno.h>
#include <string.h>

OrtStatus *loom_ort_pack_tensor(struct loom_pool *pool, const OrtValue *value, const char *name,
				Onnx__TensorProto **proto)
{
	const OrtApi *api = loom_ort.api;
	Onnx__TensorProto *tensor = loom_pool_alloc(pool, sizeof(*tensor));
	ONNXTensorElementDataType elem;
	const int64_t *dims = NULL;
	const void *data = NULL;
	size_t rank = 0, bytes = 0;

	if (!tensor)
		return loom_ort_no_memory();
	onnx__tensor_proto__init(tensor);
	ORT_TRY(api->GetTensorElementTypeAndShapeDataReference(value, &elem, &dims, &rank));
	ORT_TRY(api->GetTensorSizeInBytes(value, &bytes));
	if (bytes)
		ORT_TRY(api->GetTensorData(value, &data));
	tensor->name = loom_pool_string(pool, name);
	tensor->n_dims = rank;
	tensor->dims = loom_pool_copy(pool, dims, rank * sizeof(*dims));
	tensor->has_data_type = 1;
	tensor->data_type = (int32_t)elem;
	tensor->has_raw_data = 1;
	tensor->raw_data.len = bytes;
	tensor->raw_data.data = (uint8_t *)data;
	if (!tensor->name || (rank && !tensor->dims))
		return loom_ort_no_memory();
	*proto = tensor;
	return NULL;
}

/* ONNX Runtime owns the data of an attribute for this call only, so they are copied. */
static OrtStatus *pack_tensor(struct loom_pool *pool, const OrtOpAttr *attr,
			      Onnx__AttributeProto *proto)
{
	const OrtApi *api = loom_ort.api;
	ProtobufCBinaryData *data;
	OrtStatus *status;
	OrtValue *value = NULL;

	ORT_TRY(api->OpAttr_GetTensorAttributeAsOrtValue(attr, &value));
	if (!value)
		return loom_ort_fail(-EINVAL, "attribute %s holds no tensor", proto->name);
	status = loom_ort_pack_tensor(pool, value, "", &proto->t);
	if (!status) {
		data = &proto->t->raw_data;
		data->data = loom_pool_copy(pool, data->data, data->len);
		if (data->len && !data->data)
			status = loom_ort_no_memory();
	}
	api->ReleaseValue(value);
	return status;
}

/* Reads the bytes of an attribute into the pool, followed by a zero. */
static OrtStatus *read_attr(struct loom_pool *pool, const OrtOpAttr *attr, OrtOpAttrType type,
			    void **data, size_t *bytes)
{
	const OrtApi *api = loom_ort.api;
	size_t size = 0;

	/* without a buffer it returns the size */
	api->ReleaseStatus(api->ReadOpAttr(attr, type, NULL, 0, &size));
	*data = loom_pool_alloc(pool, size + 1);
	*bytes = size;
	if (!*data)
		return loom_ort_no_memory();
	return size ? api->ReadOpAttr(attr, type, *data, size, bytes) : NULL;
}

/* Strings are contiguous, each followed by a zero. */
static OrtStatus *pack_strings(struct loom_pool *pool, Onnx__AttributeProto *proto, char *data,
			       size_t bytes)
{
	size_t at;

	proto->strings = loom_pool_array(pool, bytes + 1, sizeof(*proto->strings));
	if (!proto->strings)
		return loom_ort_no_memory();
	for (at = 0; at < bytes; at += strlen(data + at) + 1) {
		proto->strings[proto->n_strings].data = (uint8_t *)data + at;
		proto->strings[proto->n_strings++].len = strlen(data + at);
	}
	return NULL;
}

static OrtStatus *pack_attr(struct loom_pool *pool, const OrtOpAttr *attr,
			    Onnx__AttributeProto *proto)
{
	const OrtApi *api = loom_ort.api;
	const char *name = NULL;
	OrtOpAttrType type;
	size_t bytes = 0;
	void *data = NULL;

	ORT_TRY(api->OpAttr_GetName(attr, &name));
	ORT_TRY(api->OpAttr_GetType(attr, &type));
	proto->name = loom_pool_string(pool, name);
	if (!proto->name)
		return loom_ort_no_memory();
	proto->has_type = 1;
	if (type == ORT_OP_ATTR_TENSOR) {
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
		return pack_tensor(pool, attr, proto);
	}
	/* subgraphs are read in another way; no operator of Loom uses the other types */
	if (type == ORT_OP_ATTR_UNDEFINED || type == ORT_OP_ATTR_GRAPH)
		return NULL;
	ORT_TRY(read_attr(pool, attr, type, &data, &bytes));
	switch (type) {
	case ORT_OP_ATTR_INT:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
		proto->has_i = 1;
		memcpy(&proto->i, data, sizeof(proto->i));
		break;
	case ORT_OP_ATTR_FLOAT:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
		proto->has_f = 1;
		memcpy(&proto->f, data, sizeof(proto->f));
		break;
	case ORT_OP_ATTR_INTS:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
		proto->ints = data;
		proto->n_ints = bytes / sizeof(*proto->ints);
		break;
	case ORT_OP_ATTR_FLOATS:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
		proto->floats = data;
		proto->n_floats = bytes / sizeof(*proto->floats);
		break;
	case ORT_OP_ATTR_STRING:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
		proto->has_s = 1;
		proto->s.data = data;
		proto->s.len = strlen(data);
		break;
	default:
		proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
		return pack_strings(pool, proto, data, bytes);
	}
	return NULL;
}

static OrtStatus *pack_names(struct loom_pool *pool, const OrtValueInfo **infos, size_t count,
			     Onnx__ValueInfoProto ***protos)
{
	size_t i;

	*protos = loom_pool_array(pool, count + 1, sizeof(**protos));
	if (!*protos)
		return loom_ort_no_memory();
	for (i = 0; i < count; i++) {
		Onnx__ValueInfoProto *proto = loom_pool_alloc(pool, sizeof(*proto));
		const char *name = NULL;

		if (!proto)
			return loom_ort_no_memory();
		onnx__value_info_proto__init(proto);
		ORT_TRY(loom_ort.api->GetValueInfoName(infos[i], &name));
		proto->name = loom_pool_string(pool, name);
		if (!proto->name)
			return loom_ort_no_memory();
		(*protos)[i] = proto;
	}
	return NULL;
}

static OrtStatus *pack_constants(struct loom_pool *pool, const OrtGraph *graph,
				 Onnx__GraphProto *proto)
{
	const OrtApi *api = loom_ort.api;
	const OrtValueInfo **infos;
	size_t count = 0, i;

	ORT_TRY(api->Graph_GetNumInitializers(graph, &count));
	infos = loom_pool_array(pool, count + 1, sizeof(*infos));
	proto->initializer = loom_pool_array(pool, count + 1, sizeof(*proto->initializer));
	if (!infos || !proto->initializer)
		return loom_ort_no_memory();
	if (count)
		ORT_TRY(api->Graph_GetInitializers(graph, infos, count));
	for (i = 0; i < count; i++) {
		const OrtValue *value = NULL;
		const char *name = NULL;
		Onnx__TensorProto *tensor;

		ORT_TRY(api->GetValueInfoName(infos[i], &name));
		ORT_TRY(api->ValueInfo_GetInitializerValue(infos[i], &value));
		if (!value)
			continue;
		ORT_TRY(loom_ort_pack_tensor(pool, value, name, &tensor));
		/* the graph that owns it may be freed before it is packed */
		tensor->raw_data.data = loom_pool_copy(pool, tensor->raw_data.data,
						       tensor->raw_data.len);
		if (tensor->raw_data.len && !tensor->raw_data.data)
			return loom_ort_no_memory();
		proto->initializer[proto->n_initializer++] = tensor;
	}
	return NULL;
}

static OrtStatus *pack_ends(struct loom_pool *pool, const OrtGraph *graph, Onnx__GraphProto *proto)
{
	const OrtApi *api = loom_ort.api;
	const OrtValueInfo **infos;

	ORT_TRY(api->Graph_GetNumInputs(graph, &proto->n_input));
	ORT_TRY(api->Graph_GetNumOutputs(graph, &proto->n_output));
	infos = loom_pool_array(pool, proto->n_input + proto->n_output + 1, sizeof(*infos));
	if (!infos)
		return loom_ort_no_memory();
	if (proto->n_input)
		ORT_TRY(api->Graph_GetInputs(graph, infos, proto->n_input));
	ORT_TRY(pack_names(pool, infos, proto->n_input, &proto->input));
	if (proto->n_output)
		ORT_TRY(api->Graph_GetOutputs(graph, infos, proto->n_output));
	return pack_names(pool, infos, proto->n_output, &proto->output);
}

/* Packs a branch or a body. */
static OrtStatus *pack_inner(struct loom_pool *pool, const OrtGraph *from,
			     Onnx__GraphProto **proto)
{
	struct loom_ort_graph graph;
	OrtStatus *status = loom_ort_graph_read(from, &graph);
	Onnx__GraphProto *inner = loom_pool_alloc(pool, sizeof(*inner));
	uint32_t i;

	if (!status && !inner)
		status = loom_ort_no_memory();
	if (!status) {
		onnx__graph_proto__init(inner);
		status = pack_ends(pool, from, inner);
	}
	if (!status)
		status = pack_constants(pool, from, inner);
	if (!status) {
		inner->node = loom_pool_array(pool, graph.num_nodes + 1, sizeof(*inner->node));
		if (!inner->node)
			status = loom_ort_no_memory();
	}
	for (i = 0; i < graph.num_nodes && !status; i++)
		status = loom_ort_pack_node(pool, &graph, &graph.nodes[i],
					    &inner->node[inner->n_node++]);
	loom_ort_graph_clear(&graph);
	*proto = inner;
	return status;
}

static OrtStatus *pack_subgraphs(struct loom_pool *pool, const OrtNode *node, size_t count,
				 Onnx__NodeProto *proto)
{
	const OrtGraph **graphs = loom_pool_array(pool, count + 1, sizeof(*graphs));
	const char **names = loom_pool_array(pool, count + 1, sizeof(*names));
	size_t i;

	if (!graphs || !names)
		return loom_ort_no_memory();
	ORT_TRY(loom_ort.api->Node_GetSubgraphs(node, graphs, count, names));
	for (i = 0; i < count; i++) {
		Onnx__AttributeProto *attr = loom_pool_alloc(pool, sizeof(*attr));

		if (!attr)
			return loom_ort_no_memory();
		onnx__attribute_proto__init(attr);
		attr->name = loom_pool_string(pool, names[i]);
		attr->has_type = 1;
		attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
		if (!attr->name)
			return loom_ort_no_memory();
		ORT_TRY(pack_inner(pool, graphs[i], &attr->g));
		proto->attribute[proto->n_attribute++] = attr;
	}
	return NULL;
}

static OrtStatus *pack_attrs(struct loom_pool *pool, const OrtNode *node, Onnx__NodeProto *proto)
{
	const OrtApi *api = loom_ort.api;
	size_t count = 0, subgraphs = 0, i;
	const OrtOpAttr **attrs;

	ORT_TRY(api->Node_GetNumAttributes(node, &count));
	ORT_TRY(api->Node_GetNumSubgraphs(node, &subgraphs));
	attrs = loom_pool_array(pool, count + 1, sizeof(*attrs));
	proto->attribute = loom_pool_array(pool, count + subgraphs + 1, sizeof(*proto->attribute));
	if (!attrs || !proto->attribute)
		return loom_ort_no_memory();
	if (count)
		ORT_TRY(api->Node_GetAttributes(node, attrs, count));
	for (i = 0; i < count; i++) {
		Onnx__AttributeProto *attr;

		/* unset, with a default that is no constant */
		if (!attrs[i])
			continue;
		attr = loom_pool_alloc(pool, sizeof(*attr));
		if (!attr)
			return loom_ort_no_memory();
		onnx__attribute_proto__init(attr);
		ORT_TRY(pack_attr(pool, attrs[i], attr));
		if (attr->type)
			proto->attribute[proto->n_attribute++] = attr;
	}
	return subgraphs ? pack_subgraphs(pool, node, subgraphs, proto) : NULL;
}

static OrtStatus *pack_values(struct loom_pool *pool, const struct loom_ort_graph *graph,
			      const uint32_t *values, uint32_t count, char ***names)
{
	uint32_t i;

	*names = loom_pool_array(pool, (size_t)count + 1, sizeof(**names));
	if (!*names)
		return loom_ort_no_memory();
	for (i = 0; i < count; i++) {
		bool none = values[i] == LOOM_ORT_NONE;

		(*names)[i] = loom_pool_string(pool, none ? "" : graph->values[values[i]].name);
		if (!(*names)[i])
			return loom_ort_no_memory();
	}
	return NULL;
}

OrtStatus *loom_ort_pack_node(struct loom_pool *pool, const struct loom_ort_graph *graph,
			      const struct loom_ort_node *node, Onnx__NodeProto **proto)
{
	Onnx__NodeProto *packed = loom_pool_alloc(pool, sizeof(*packed));

	if (!packed)
		return loom_ort_no_memory();
	onnx__node_proto__init(packed);
	packed->name = loom_pool_string(pool, node->name);
	packed->op_type = loom_pool_string(pool, node->op);
	packed->domain = loom_pool_string(pool, node->domain);
	if (!packed->name || !packed->op_type || !packed->domain)
		return loom_ort_no_memory();
	packed->n_input = node->num_named;
	packed->n_output = node->num_outputs;
	ORT_TRY(pack_values(pool, graph, node->inputs, node->num_named, &packed->input));
	ORT_TRY(pack_values(pool, graph, node->outputs, node->num_outputs, &packed->output));
	*proto = packed;
	return pack_attrs(pool, node->node, packed);
}
