// SPDX-License-Identifier: MIT
/* Execution of a part: the caller's tensors in, a run, the caller's tensors out. */
#include "ort.h"

#include "base/error.h"
#include "onnx/proto.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct run - a run of a part
 * @part: the part
 * @kernel: ONNX Runtime's
 * @plan: the plan
 * @session: its session
 * @arrays: operands of the node; ONNX Runtime owns their data
 * @dims: of the inputs of the model, one after the other
 * @results: for each result of the node, ONNX Runtime's memory
 */
struct run {
	struct loom_ort_part *part;
	OrtKernelContext *kernel;
	struct loom_ort_plan *plan;
	struct loom_session *session;
	struct loom_array *arrays;
	int64_t *dims;
	void **results;
};

static uint32_t find_name(char *const *names, uint32_t count, const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return LOOM_ORT_NONE;
}

static OrtStatus *read_operand(struct run *run, uint32_t index)
{
	struct loom_array *array = &run->arrays[index];
	const OrtApi *api = loom_ort.api;
	ONNXTensorElementDataType elem;
	const OrtValue *value = NULL;
	const int64_t *dims = NULL;
	const void *data = NULL;
	size_t rank = 0;

	ORT_TRY(api->KernelContext_GetInput(run->kernel, index, &value));
	if (!value)
		return NULL;
	ORT_TRY(api->GetTensorElementTypeAndShapeDataReference(value, &elem, &dims, &rank));
	ORT_TRY(api->GetTensorSizeInBytes(value, &array->size_bytes));
	ORT_TRY(api->GetTensorData(value, &data));
	if (rank > LOOM_GRAPH_RANK)
		return loom_ort_fail(-EINVAL, "input \"%s\": more than %d dimensions",
				     run->part->inputs[index], LOOM_GRAPH_RANK);
	array->dtype = loom_onnx_dtype((int64_t)elem);
	array->rank = (uint32_t)rank;
	if (rank)
		memcpy(array->dims, dims, rank * sizeof(*dims));
	/* it is only read */
	array->data = (void *)data;
	return NULL;
}

/* Reads the dimensions that select a plan. */
static OrtStatus *read_dims(struct run *run)
{
	const struct loom_ort_part *part = run->part;
	uint32_t i, axis, k = 0;

	for (i = 0; i < part->model.num_inputs; i++) {
		const struct loom_ort_port *port = &part->model.inputs[i];
		uint32_t index = find_name(part->inputs, part->num_inputs, port->name);
		const struct loom_array *array;

		if (index == LOOM_ORT_NONE)
			return loom_ort_fail(-EINVAL, "there is no input \"%s\"", port->name);
		array = &run->arrays[index];
		if (array->rank != port->rank)
			return loom_ort_fail(-EINVAL, "input \"%s\": %u dimensions, not %u",
					     port->name, array->rank, port->rank);
		for (axis = 0; axis < port->rank; axis++)
			run->dims[k++] = array->dims[axis];
	}
	return NULL;
}

/* Inputs must have the values that the plan was made with. */
static OrtStatus *check_values(const struct run *run)
{
	const struct loom_ort_part *part = run->part;
	uint32_t i;

	for (i = 0; i < part->model.num_inputs; i++) {
		const struct loom_ort_port *port = &part->model.inputs[i];
		const struct loom_ort_size *known = loom_ort_known(&part->ep->options, port);
		const struct loom_array *array;
		int64_t value = 0;

		if (!known)
			continue;
		/* it exists, because its dimensions were read */
		array = &run->arrays[find_name(part->inputs, part->num_inputs, port->name)];
		if (array->size_bytes != loom_dtype_size(port->dtype))
			continue;
		memcpy(&value, array->data, array->size_bytes);
		if (port->dtype == DRM_LOOM_DTYPE_I32)
			value = (int32_t)value;
		if (value != known->value)
			return loom_ort_fail(-EINVAL,
					     "input \"%s\": %lld, but option values says %lld",
					     port->name, (long long)value,
					     (long long)known->value);
	}
	return NULL;
}

static int give_input(struct run *run, uint32_t index, struct loom_error *err)
{
	const struct loom_program_tensor *tensor = &run->plan->program->inputs[index];
	const struct loom_ort_part *part = run->part;
	uint32_t operand = find_name(part->inputs, part->num_inputs, tensor->name);
	const struct loom_array *array;

	if (operand == LOOM_ORT_NONE)
		return loom_error_set(err, -EINVAL, "there is no input \"%s\"", tensor->name);
	array = &run->arrays[operand];
	if (!loom_session_lend_input(run->session, index, array))
		return 0;
	return loom_session_set_input(run->session, index, array, err);
}

static OrtStatus *place_output(struct run *run, uint32_t index)
{
	const struct loom_program_tensor *tensor = &run->plan->program->outputs[index];
	const struct loom_ort_part *part = run->part;
	uint32_t result = find_name(part->outputs, part->num_outputs, tensor->name);
	OrtValue *value = NULL;

	/* the result was not requested */
	if (result == LOOM_ORT_NONE)
		return NULL;
	ORT_TRY(loom_ort.api->KernelContext_GetOutput(run->kernel, result, tensor->dims,
						      tensor->rank, &value));
	if (!value)
		return NULL;
	ORT_TRY(loom_ort.api->GetTensorMutableData(value, &run->results[index]));
	if (tensor->size_bytes)
		loom_session_lend_output(run->session, index, run->results[index],
					 tensor->size_bytes);
	return NULL;
}

/* Copies an output that was not written to ONNX Runtime's memory directly. */
static int take_output(struct run *run, uint32_t index, struct loom_error *err)
{
	const struct loom_program_tensor *tensor = &run->plan->program->outputs[index];
	struct loom_array array;
	void *data;
	int ret;

	if (!run->results[index] || !tensor->size_bytes)
		return 0;
	if (!loom_session_map_output(run->session, index, &data, NULL)) {
		if (data != run->results[index])
			memcpy(run->results[index], data, tensor->size_bytes);
		return 0;
	}
	ret = loom_session_get_output(run->session, index, &array, err);
	if (!ret)
		memcpy(run->results[index], array.data, tensor->size_bytes);
	loom_array_clear(&array);
	return ret;
}

static OrtStatus *run_session(struct run *run)
{
	const struct loom_program *program = run->plan->program;
	struct loom_error err;
	int64_t start, end;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < program->num_inputs && !ret; i++)
		ret = give_input(run, i, &err);
	ORT_TRY(loom_ort_status(ret, &err));
	for (i = 0; i < program->num_outputs; i++)
		ORT_TRY(place_output(run, i));
	start = loom_run_now_ns();
	ret = loom_session_run(run->session, NULL, NULL, &err);
	end = loom_run_now_ns();
	for (i = 0; i < program->num_outputs && !ret; i++)
		ret = take_output(run, i, &err);
	if (!ret)
		loom_ort_profile_note(run->part->ep, run->part, run->session, start, end);
	return loom_ort_status(ret, &err);
}

static OrtStatus *run_plan(struct run *run)
{
	uint32_t outputs = run->plan->program->num_outputs;
	struct loom_error err;
	OrtStatus *status;
	int ret;

	run->results = calloc((size_t)outputs + 1, sizeof(*run->results));
	if (!run->results)
		return loom_ort_no_memory();
	ret = loom_ort_session_take(run->part, run->plan, &run->session, &err);
	if (ret)
		return loom_ort_status(ret, &err);
	status = run_session(run);
	/* ends the use of the caller's memory */
	loom_session_return(run->session);
	loom_ort_session_give(run->part, run->plan, run->session, status);
	return status;
}

static OrtStatus *run_part(struct run *run)
{
	const struct loom_ort_part *part = run->part;
	struct loom_error err;
	OrtStatus *status;
	uint32_t i;
	int ret;

	run->arrays = calloc((size_t)part->num_inputs + 1, sizeof(*run->arrays));
	run->dims = calloc((size_t)loom_ort_plan_dims(&part->model) + 1, sizeof(*run->dims));
	if (!run->arrays || !run->dims)
		return loom_ort_no_memory();
	for (i = 0; i < part->num_inputs; i++)
		ORT_TRY(read_operand(run, i));
	ORT_TRY(read_dims(run));
	ORT_TRY(check_values(run));
	ret = loom_ort_plan_take(run->part, run->dims, &run->plan, &err);
	if (ret)
		return loom_ort_status(ret, &err);
	status = run_plan(run);
	loom_ort_plan_give(run->part, run->plan);
	return status;
}

static OrtStatus *ORT_API_CALL create_state(OrtNodeComputeInfo *info,
					    OrtNodeComputeContext *context, void **state)
{
	(void)context;
	*state = info;
	return NULL;
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo *info, void *state)
{
	(void)info;
	(void)state;
}

static OrtStatus *ORT_API_CALL compute(OrtNodeComputeInfo *info, void *state,
				       OrtKernelContext *kernel)
{
	struct run run = { .part = (struct loom_ort_part *)info, .kernel = kernel };
	OrtStatus *status = run_part(&run);

	(void)state;
	free(run.results);
	free(run.dims);
	free(run.arrays);
	return status;
}

static OrtStatus *read_names(const OrtValueInfo **infos, size_t count, char ***names,
			     uint32_t *num_names)
{
	size_t i;

	*names = calloc(count + 1, sizeof(**names));
	if (!*names)
		return loom_ort_no_memory();
	for (i = 0; i < count; i++) {
		const char *name = "";

		if (infos[i])
			ORT_TRY(loom_ort.api->GetValueInfoName(infos[i], &name));
		(*names)[i] = strdup(name);
		if (!(*names)[i])
			return loom_ort_no_memory();
		*num_names = (uint32_t)i + 1;
	}
	return NULL;
}

static OrtStatus *read_ends(struct loom_ort_part *part, const OrtNode *fused)
{
	const OrtApi *api = loom_ort.api;
	size_t inputs = 0, outputs = 0;
	const OrtValueInfo **infos;
	OrtStatus *status = NULL;

	ORT_TRY(api->Node_GetNumInputs(fused, &inputs));
	ORT_TRY(api->Node_GetNumOutputs(fused, &outputs));
	infos = calloc(inputs + outputs + 1, sizeof(*infos));
	if (!infos)
		return loom_ort_no_memory();
	if (inputs)
		status = api->Node_GetInputs(fused, infos, inputs);
	if (!status)
		status = read_names(infos, inputs, &part->inputs, &part->num_inputs);
	if (!status && outputs)
		status = api->Node_GetOutputs(fused, infos, outputs);
	if (!status)
		status = read_names(infos, outputs, &part->outputs, &part->num_outputs);
	free(infos);
	return status;
}

/* Plans at once if the plan does not depend on the shapes of inputs. */
static OrtStatus *plan_now(struct loom_ort_part *part)
{
	int64_t *dims = calloc((size_t)loom_ort_plan_dims(&part->model) + 1, sizeof(*dims));
	struct loom_error err;
	uint32_t i, axis, k = 0;
	int ret;

	if (!dims)
		return loom_ort_no_memory();
	for (i = 0; i < part->model.num_inputs; i++)
		for (axis = 0; axis < part->model.inputs[i].rank; axis++)
			dims[k++] = part->model.inputs[i].dims[axis];
	ret = loom_ort_plan_make(part, dims, &part->plans, &err);
	if (!ret) {
		part->num_plans = 1;
		/* no other plan will be made */
		free(part->model.bytes);
		part->model.bytes = NULL;
	}
	free(dims);
	return loom_ort_status(ret, &err);
}

static OrtStatus *fill(struct loom_ort_part *part, const OrtGraph *from, const OrtNode *fused)
{
	struct loom_ort_graph graph;
	const char *name = "";
	OrtStatus *status;

	ORT_TRY(loom_ort.api->Node_GetName(fused, &name));
	part->name = strdup(name);
	if (!part->name)
		return loom_ort_no_memory();
	ORT_TRY(read_ends(part, fused));
	status = loom_ort_graph_read(from, &graph);
	if (!status && graph.num_nodes == 1 && loom_ort_is_context(&graph.nodes[0])) {
		status = loom_ort_context_read(part, from, &graph.nodes[0]);
	} else {
		if (!status)
			status = loom_ort_model_make(&graph, NULL, UINT32_MAX, &part->model);
		if (!status && !part->model.is_open)
			status = plan_now(part);
	}
	loom_ort_graph_clear(&graph);
	return status;
}

OrtStatus *loom_ort_part_create(struct loom_ort_ep *ep, const OrtGraph *graph,
				const OrtNode *fused, struct loom_ort_part **part)
{
	struct loom_ort_part *made = calloc(1, sizeof(*made));
	OrtStatus *status;

	*part = NULL;
	if (!made)
		return loom_ort_no_memory();
	made->base.ort_version_supported = loom_ort.version;
	made->base.CreateState = create_state;
	made->base.Compute = compute;
	made->base.ReleaseState = release_state;
	made->ep = ep;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->changed, NULL);
	status = fill(made, graph, fused);
	if (status) {
		loom_ort_part_destroy(made);
		return status;
	}
	*part = made;
	return NULL;
}

void loom_ort_part_destroy(struct loom_ort_part *part)
{
	uint32_t i;

	if (!part)
		return;
	while (part->plans) {
		struct loom_ort_plan *next = part->plans->next;

		loom_ort_plan_destroy(part->plans);
		part->plans = next;
	}
	loom_ort_model_clear(&part->model);
	for (i = 0; i < part->num_inputs; i++)
		free(part->inputs[i]);
	for (i = 0; i < part->num_outputs; i++)
		free(part->outputs[i]);
	free(part->inputs);
	free(part->outputs);
	free(part->name);
	pthread_cond_destroy(&part->changed);
	pthread_mutex_destroy(&part->lock);
	free(part);
}
