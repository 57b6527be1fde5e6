// SPDX-License-Identifier: MIT
/* Compiles the model of a part to a program: once, or for each shape of the inputs. */
#include "ort.h"

#include "base/error.h"
#include "loom_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t loom_ort_plan_dims(const struct loom_ort_model *model)
{
	uint32_t count = 0, i;

	for (i = 0; i < model->num_inputs; i++)
		count += model->inputs[i].rank;
	return count;
}

const struct loom_ort_size *loom_ort_known(const struct loom_ort_options *options,
					   const struct loom_ort_port *port)
{
	uint32_t i;

	for (i = 0; i < options->num_values; i++)
		if (!strcmp(options->values[i].name, port->name) &&
		    (port->dtype == DRM_LOOM_DTYPE_I64 || port->dtype == DRM_LOOM_DTYPE_I32))
			return &options->values[i];
	return NULL;
}

/* Whether an input of one element has a known value, which becomes a constant; little endian. */
static bool is_constant(const struct loom_ort_options *options, const struct loom_ort_port *port,
			const int64_t *dims, struct loom_array *array)
{
	const struct loom_ort_size *known = loom_ort_known(options, port);
	uint32_t i;

	for (i = 0; i < port->rank; i++)
		if (dims[i] != 1)
			return false;
	if (!known)
		return false;
	*array = (struct loom_array){
		.name = port->name,
		.dtype = port->dtype,
		.rank = port->rank,
		.data = (void *)&known->value,
		.size_bytes = port->dtype == DRM_LOOM_DTYPE_I64 ? 8 : 4,
	};
	memcpy(array->dims, dims, port->rank * sizeof(*dims));
	return true;
}

int loom_ort_import(const struct loom_ort_options *known, const struct loom_ort_model *model,
		    const int64_t *dims, struct loom_graph **graph, struct loom_error *err)
{
	const size_t count = (size_t)model->num_inputs + 1;
	struct loom_shape_binding *shapes = calloc(count, sizeof(*shapes));
	struct loom_array *constants = calloc(count, sizeof(*constants));
	struct loom_graph_options options = {
		.shapes = shapes,
		.constants = constants,
		.max_memory_bytes = known->max_memory_bytes,
		.max_work = known->max_work,
	};
	uint32_t i;
	int ret;

	if (!shapes || !constants) {
		free(shapes);
		free(constants);
		return loom_error_set(err, -ENOMEM, "out of memory");
	}
	for (i = 0; i < model->num_inputs; i++) {
		const struct loom_ort_port *port = &model->inputs[i];

		/* an unknown rank is reported by the importer */
		if (!port->has_shape)
			continue;
		shapes[options.num_shapes].input = port->name;
		shapes[options.num_shapes].rank = port->rank;
		memcpy(shapes[options.num_shapes++].dims, dims, port->rank * sizeof(*dims));
		if (is_constant(known, port, dims, &constants[options.num_constants]))
			options.num_constants++;
		dims += port->rank;
	}
	ret = loom_graph_import_onnx_bytes(model->bytes, model->size_bytes, "part", &options, graph,
					   err);
	free(shapes);
	free(constants);
	return ret;
}

int loom_ort_plan_make(const struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err)
{
	const struct loom_ort_options *options = &part->ep->options;
	const struct loom_planner_options how = {
		.chip = &part->ep->chip,
		.objective = options->objective,
		.sram_limit_bytes = options->sram_bytes,
		.grouping_budget = options->effort_ms,
		.effort = options->effort,
		.jobs = options->jobs,
		.max_memory_bytes = options->max_memory_bytes,
		.max_work = options->max_work,
	};
	size_t count = loom_ort_plan_dims(&part->model);
	struct loom_ort_plan *made = calloc(1, sizeof(*made));
	struct loom_program *program = NULL;
	int ret;

	*plan = NULL;
	if (made) {
		made->dims = calloc(count + 1, sizeof(*dims));
		made->sessions = calloc(options->sessions, sizeof(*made->sessions));
	}
	if (!made || !made->dims || !made->sessions) {
		loom_ort_plan_destroy(made);
		return loom_error_set(err, -ENOMEM, "out of memory");
	}
	memcpy(made->dims, dims, count * sizeof(*dims));
	ret = loom_ort_import(options, &part->model, dims, &made->graph, err);
	if (!ret && options->no_cache)
		ret = loom_program_create(made->graph, &how, &program, err);
	else if (!ret)
		ret = loom_program_obtain(made->graph, &how, &program, &made->cached, err);
	made->program = made->cached ? loom_program_file_program(made->cached) : program;
	if (ret) {
		loom_ort_plan_destroy(made);
		return ret;
	}
	*plan = made;
	return 0;
}

void loom_ort_plan_destroy(struct loom_ort_plan *plan)
{
	uint32_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->num_idle; i++)
		loom_session_destroy(plan->sessions[i]);
	free(plan->sessions);
	if (plan->file || plan->cached)
		loom_program_unload(plan->file ? plan->file : plan->cached);
	else
		/* owned, because it was made here */
		loom_program_destroy((struct loom_program *)plan->program);
	loom_graph_destroy(plan->graph);
	free(plan->bytes);
	free(plan->dims);
	free(plan);
}

/* Finds a plan and moves it to the front of the list (LRU). */
static struct loom_ort_plan *find(struct loom_ort_part *part, const int64_t *dims)
{
	size_t bytes = loom_ort_plan_dims(&part->model) * sizeof(*dims);
	struct loom_ort_plan **link = &part->plans, *plan;

	for (plan = *link; plan; link = &plan->next, plan = *link) {
		/* a plan from a file has a fixed shape */
		if (!plan->file && bytes && memcmp(plan->dims, dims, bytes))
			continue;
		*link = plan->next;
		plan->next = part->plans;
		part->plans = plan;
		return plan;
	}
	return NULL;
}

/* Inserts a new plan at the front, and evicts the least recently used plans beyond the limit. */
static struct loom_ort_plan *insert(struct loom_ort_part *part, struct loom_ort_plan *plan)
{
	struct loom_ort_plan **link, *evicted = NULL;
	uint32_t kept = 0;

	plan->next = part->plans;
	part->plans = plan;
	part->num_plans++;
	for (link = &part->plans; *link;) {
		struct loom_ort_plan *old = *link;

		if (kept < part->ep->options.plans || old->users) {
			kept++;
			link = &old->next;
			continue;
		}
		*link = old->next;
		old->next = evicted;
		evicted = old;
		part->num_plans--;
	}
	return evicted;
}

static int make(struct loom_ort_part *part, const int64_t *dims, struct loom_ort_plan **plan,
		struct loom_error *err)
{
	struct loom_ort_plan *evicted = NULL;
	int ret;

	if (!part->model.bytes)
		return loom_error_set(err, -EINVAL, "there is no plan for inputs of this shape");
	/* other threads run existing plans meanwhile, or wait for their turn to plan */
	part->planning = true;
	pthread_mutex_unlock(&part->lock);
	ret = loom_ort_plan_make(part, dims, plan, err);
	pthread_mutex_lock(&part->lock);
	part->planning = false;
	if (!ret) {
		(*plan)->users = 1;
		evicted = insert(part, *plan);
	}
	pthread_cond_broadcast(&part->changed);
	while (evicted) {
		struct loom_ort_plan *next = evicted->next;

		loom_ort_plan_destroy(evicted);
		evicted = next;
	}
	return ret;
}

int loom_ort_plan_take(struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err)
{
	int ret = 0;

	pthread_mutex_lock(&part->lock);
	for (;;) {
		*plan = find(part, dims);
		if (*plan || !part->planning)
			break;
		pthread_cond_wait(&part->changed, &part->lock);
	}
	if (*plan)
		(*plan)->users++;
	else
		ret = make(part, dims, plan, err);
	pthread_mutex_unlock(&part->lock);
	return ret;
}

void loom_ort_plan_give(struct loom_ort_part *part, struct loom_ort_plan *plan)
{
	pthread_mutex_lock(&part->lock);
	plan->users--;
	pthread_mutex_unlock(&part->lock);
}
