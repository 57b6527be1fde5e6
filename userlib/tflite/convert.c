// SPDX-License-Identifier: MIT
/* Conversion of a model to nodes of a graph, operator by operator. */
#include "convert.h"

#include "base/names.h"
#include "base/pool.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

/* Names in a file may be empty or occur twice. */
static int name_tensors(struct loom_tflite_convert *cv)
{
	const struct loom_tflite_model *model = cv->model;
	struct loom_names taken = { .pool = cv->pool };
	uint32_t i, again;

	cv->forms = loom_pool_array(cv->pool, model->num_tensors + 1ULL, sizeof(*cv->forms));
	if (!cv->forms)
		return -ENOMEM;
	for (i = 0; i < model->num_tensors; i++) {
		const char *name = model->tensors[i].name;

		if (!*name)
			name = loom_pool_print(cv->pool, "tensor:%u", i);
		for (again = i; name && loom_names_find(&taken, name); again++)
			name = loom_pool_print(cv->pool, "%s:%u", name, again);
		if (!name || loom_names_set(&taken, name, (void *)name))
			return -ENOMEM;
		cv->forms[i].name = name;
	}
	return 0;
}

static void add_inputs(struct loom_tflite_convert *cv)
{
	uint32_t i;

	for (i = 0; i < cv->model->num_inputs && !cv->graph->status; i++) {
		const uint32_t number = (uint32_t)cv->model->inputs[i];
		const struct loom_tflite_tensor *tensor = &cv->model->tensors[number];
		struct loom_tensor_info info = {
			.name = cv->forms[number].name,
			.dtype = tensor->dtype,
			.rank = tensor->rank,
		};

		memcpy(info.dims, tensor->dims, sizeof(info.dims));
		if (!tensor->dtype)
			return loom_tflite_fail(cv, -EOPNOTSUPP,
						"input %u: type %u is not supported", i,
						tensor->type);
		if (tensor->data)
			return loom_tflite_fail(cv, -EINVAL, "input %u is a constant", i);
		loom_graph_add_input(cv->graph, &info);
		cv->forms[number].raw[LOOM_TFLITE_ROWS] = cv->forms[number].name;
	}
}

/* Lets the graph refuse the operator by its name, which also counts its occurrences. */
static void add_unsupported(struct loom_tflite_convert *cv)
{
	const struct loom_tflite_operator *op = cv->op;
	struct loom_node_desc desc = {
		.op_type = loom_tflite_op_name(op),
		.num_outputs = op->num_outputs,
	};
	const char **outputs = loom_pool_array(cv->pool, op->num_outputs + 1ULL, sizeof(*outputs));
	uint32_t i;

	if (!outputs)
		return loom_tflite_fail(cv, -ENOMEM, "out of memory");
	desc.outputs = outputs;
	for (i = 0; i < op->num_outputs; i++) {
		struct loom_tflite_forms *forms = &cv->forms[op->outputs[i]];

		if (forms->raw[LOOM_TFLITE_ROWS] || forms->raw[LOOM_TFLITE_PLANES])
			return loom_tflite_fail(cv, -EINVAL, "tensor %d has a value already",
						op->outputs[i]);
		outputs[i] = forms->name;
		forms->raw[LOOM_TFLITE_ROWS] = forms->name;
	}
	loom_graph_add_node(cv->graph, &desc);
}

static void convert_all(struct loom_tflite_convert *cv)
{
	const struct loom_tflite_model *model = cv->model;
	loom_tflite_converter *convert;
	const char *op_type;
	uint32_t i;

	for (i = 0; i < model->num_operators && !cv->graph->status; i++) {
		cv->op = &model->operators[i];
		cv->index = i;
		cv->num_names = 0;
		cv->num_attrs = 0;
		convert = loom_tflite_find(cv->op, &op_type);
		if (convert)
			convert(cv, op_type);
		else
			add_unsupported(cv);
		loom_tflite_flush(cv);
		/* a fault of the options themselves comes first */
		if (model->flat.fault)
			loom_tflite_fail(cv, -EINVAL, "it is damaged");
	}
	cv->op = NULL;
}

static void add_outputs(struct loom_tflite_convert *cv)
{
	uint32_t i;

	for (i = 0; i < cv->model->num_outputs && !cv->graph->status; i++) {
		const uint32_t number = (uint32_t)cv->model->outputs[i];

		loom_tflite_finish_output(cv, number);
		loom_graph_add_output(cv->graph, cv->forms[number].name);
	}
}

int loom_tflite_convert_model(struct loom_tflite_model *model, struct loom_graph *graph)
{
	struct loom_tflite_convert cv = { .model = model, .graph = graph, .pool = model->pool };
	uint32_t i;

	if (name_tensors(&cv))
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < model->num_outputs; i++)
		cv.forms[model->outputs[i]].is_output = true;
	add_inputs(&cv);
	convert_all(&cv);
	add_outputs(&cv);
	return graph->status;
}
