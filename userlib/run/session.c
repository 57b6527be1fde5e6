// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report.h"

static struct loom_session *loom_session_alloc(struct loom_target *target,
					       const struct loom_program *program)
{
	struct loom_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->target = target;
	session->program = program;
	session->root = session;
	session->slots = calloc(program->num_slots + 1, sizeof(*session->slots));
	session->input_set = calloc(program->num_inputs + 1, sizeof(*session->input_set));
	session->partners = calloc(program->num_slots + 1, sizeof(*session->partners));
	session->loans = calloc(program->num_slots + 1, sizeof(*session->loans));
	session->constant = calloc(program->num_slots + 1, sizeof(*session->constant));
	if (session->slots && session->input_set && session->partners && session->loans &&
	    session->constant)
		return session;
	loom_session_destroy(session);
	return NULL;
}

/*
 * @owner: lends its buffers, as @flags say; or NULL
 * @weights: dma-bufs of weights; or NULL
 */
static int loom_session_load(struct loom_target *target, const struct loom_program *program,
			     struct loom_session *owner, uint32_t flags, const int *weights,
			     struct loom_session **out, struct loom_error *err)
{
	struct loom_session *session = loom_session_alloc(target, program);
	int ret;

	if (!session)
		return loom_error_set(err, -ENOMEM, "no memory");
	session->weights = weights;
	ret = owner ? loom_session_borrow(session, owner, flags, err) : 0;
	if (ret)
		goto fail;
	ret = target->ops->load(session, err);
	if (ret)
		goto fail;
	session->weights = NULL;
	ret = loom_weights_load(session, err);
	if (ret)
		goto fail;
	ret = loom_states_init(session, err);
	if (ret)
		goto fail;
	ret = loom_report_plan(target, program->stats.scratch_bytes, err);
	if (ret)
		goto fail;
	*out = session;
	return 0;

fail:
	loom_session_destroy(session);
	return ret;
}

int loom_session_create(struct loom_target *target, const struct loom_program *program,
			struct loom_session **session, struct loom_error *err)
{
	*session = NULL;
	if (!target || !program)
		return loom_error_set(err, -EINVAL, "a session has no %s",
				      target ? "program" : "target");
	return loom_session_load(target, program, NULL, 0, NULL, session, err);
}

int loom_session_create_beside(struct loom_session *other, const struct loom_program *program,
			       uint32_t flags, struct loom_session **session,
			       struct loom_error *err)
{
	*session = NULL;
	if (!other || !program)
		return loom_error_set(err, -EINVAL, "a session has no %s",
				      other ? "program" : "other one beside it");
	return loom_session_load(other->target, program, other, flags, NULL, session, err);
}

int loom_session_create_shared(struct loom_target *target, const struct loom_program *program,
			       const int *fds, uint32_t count, struct loom_session **session,
			       struct loom_error *err)
{
	*session = NULL;
	if (!target || !program)
		return loom_error_set(err, -EINVAL, "a session has no %s",
				      target ? "program" : "target");
	if (!target->ops->export)
		return loom_error_set(err, -EOPNOTSUPP, "the host has no buffers to share");
	if (count != loom_weights_slots(program))
		return loom_error_set(err, -EINVAL,
				      "the program's weights are in %u buffers, not %u",
				      loom_weights_slots(program), count);
	return loom_session_load(target, program, NULL, 0, fds, session, err);
}

void loom_session_destroy(struct loom_session *session)
{
	if (!session)
		return;
	session->target->ops->unload(session);
	if (session->root->user == session)
		session->root->user = NULL;
	free(session->rows);
	free(session->constant);
	free(session->loans);
	free(session->partners);
	free(session->input_set);
	free(session->slots);
	free(session);
}

int loom_session_set_input(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err)
{
	const struct loom_program_tensor *input;
	char wants[LOOM_DIMS_TEXT], has[LOOM_DIMS_TEXT];
	int ret = loom_session_idle(session, err);

	if (ret)
		return ret;
	if (index >= session->program->num_inputs)
		return loom_error_set(err, -ENOENT, "there is no input %u", index);
	input = &session->program->inputs[index];
	if (!array)
		return loom_error_set(err, -EINVAL, "input '%s' has no array", input->name);
	if (array->dtype != input->dtype)
		return loom_error_set(err, -EINVAL, "input '%s' takes %s elements, not %s",
				      input->name, loom_dtype_name(input->dtype),
				      loom_dtype_name(array->dtype));
	if (array->rank != input->rank ||
	    memcmp(array->dims, input->dims, input->rank * sizeof(*input->dims))) {
		loom_dims_print(wants, sizeof(wants), input->rank, input->dims);
		if (array->rank > LOOM_GRAPH_RANK)
			return loom_error_set(err, -EINVAL,
					      "input '%s' takes %s elements, not %u dimensions",
					      input->name, wants, array->rank);
		return loom_error_set(err, -EINVAL, "input '%s' takes %s elements, not %s",
				      input->name, wants,
				      loom_dims_print(has, sizeof(has), array->rank, array->dims));
	}
	if (array->size_bytes != input->size_bytes)
		return loom_error_set(err, -EINVAL, "input '%s' takes %zu bytes, not %zu",
				      input->name, (size_t)input->size_bytes, array->size_bytes);
	if (input->size_bytes && !array->data)
		return loom_error_set(err, -EINVAL, "input '%s' has no data", input->name);
	if (input->size_bytes) {
		loom_session_pull(session);
		ret = loom_session_write(session, input, array->data);
		if (ret == -EINVAL)
			return loom_error_set(err, ret, "input '%s' lies outside of its slot",
					      input->name);
		if (ret)
			return loom_error_set(err, ret, "copying input '%s' to the device: %s",
					      input->name, strerror(-ret));
		session->moved.in_bytes += array->size_bytes;
	}
	session->input_set[index] = true;
	return 0;
}

int loom_session_begin(struct loom_session *session, uint32_t item, struct loom_error *err)
{
	uint32_t i;
	int ret = loom_session_idle(session, err);

	if (ret)
		return ret;
	for (i = 0; i < session->program->num_inputs; i++)
		if (!session->input_set[i])
			return loom_error_set(err, -ENODATA, "input '%s' was not given",
					      session->program->inputs[i].name);
	loom_session_pull(session);
	memset(&session->counters, 0, sizeof(session->counters));
	ret = session->target->ops->submit(session, item, err);
	if (!ret)
		session->root->user = session;
	return ret;
}

int loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			struct loom_error *err)
{
	int ret = session->target->ops->finish(session, progress, arg, err);

	if (!ret)
		ret = loom_states_advance(session, err);
	session->ran = !ret;
	session->root->user = NULL;
	return ret;
}

int loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
		     struct loom_error *err)
{
	int ret = loom_session_begin(session, 0, err);

	return ret ? ret : loom_session_finish(session, progress, arg, err);
}

/* Reads @tensor into an array named @name. */
static int loom_session_get(struct loom_session *session, const char *name,
			    const struct loom_program_tensor *tensor, struct loom_array *array,
			    struct loom_error *err)
{
	int ret = 0;

	if (tensor->size_bytes && !loom_session_holds(session, tensor))
		return loom_error_set(err, -EINVAL, "'%s' lies outside of its slot", name);
	array->name = strdup(name);
	array->data = malloc(tensor->size_bytes ? tensor->size_bytes : 1);
	if (!array->name || !array->data)
		ret = loom_error_set(err, -ENOMEM, "no memory");
	else if (tensor->size_bytes)
		ret = loom_session_read(session, tensor, array->data);
	if (ret) {
		loom_array_clear(array);
		return ret == -ENOMEM ? ret :
		       loom_error_set(err, ret, "copying '%s' from the device: %s", name,
				      strerror(-ret));
	}
	array->dtype = tensor->dtype;
	array->rank = tensor->rank;
	memcpy(array->dims, tensor->dims, sizeof(array->dims));
	array->size_bytes = tensor->size_bytes;
	session->moved.out_bytes += tensor->size_bytes;
	return 0;
}

/* Outputs have no values before the first run. */
static int loom_session_has_run(const struct loom_session *session, struct loom_error *err)
{
	int ret = loom_session_idle(session, err);

	if (ret || session->ran)
		return ret;
	return loom_error_set(err, -EINVAL, "no result: the program has not run to its end");
}

int loom_session_get_output(struct loom_session *session, uint32_t index, struct loom_array *array,
			    struct loom_error *err)
{
	const struct loom_program *program;
	uint32_t state;
	int ret;

	memset(array, 0, sizeof(*array));
	if (!session)
		return loom_session_idle(session, err);
	program = session->program;
	if (index >= program->num_outputs)
		return loom_error_set(err, -ENOENT, "there is no output %u", index);
	ret = loom_session_has_run(session, err);
	if (ret)
		return ret;
	state = loom_states_of_output(program, index);
	if (state < program->num_states)
		return loom_session_get_state(session, state, array, err);
	return loom_session_get(session, program->outputs[index].name, &program->outputs[index],
				array, err);
}

int loom_session_get_observed(struct loom_session *session, uint32_t index,
			      struct loom_array *array, struct loom_error *err)
{
	const struct loom_program *program;
	int ret;

	memset(array, 0, sizeof(*array));
	if (!session)
		return loom_session_idle(session, err);
	program = session->program;
	if (index >= program->num_observed)
		return loom_error_set(err, -ENOENT, "there is no observed value %u", index);
	ret = loom_session_has_run(session, err);
	return ret ? ret : loom_session_get(session, program->observed[index].name,
					    &program->observed[index], array, err);
}

int loom_session_get_state(struct loom_session *session, uint32_t index, struct loom_array *array,
			   struct loom_error *err)
{
	const struct loom_program_state *state;
	const struct loom_program *program;
	int ret;

	memset(array, 0, sizeof(*array));
	if (!session)
		return loom_session_idle(session, err);
	program = session->program;
	if (index >= program->num_states)
		return loom_error_set(err, -ENOENT, "there is no state %u", index);
	ret = loom_session_idle(session, err);
	if (ret)
		return ret;
	loom_session_pull(session);
	state = &program->states[index];
	/* the state written by the last run is bound to the slot that the next one reads */
	return loom_session_get(session, program->outputs[state->output].name,
				&program->inputs[state->input], array, err);
}

int loom_session_set_state(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err)
{
	if (!session)
		return loom_session_idle(session, err);
	if (index >= session->program->num_states)
		return loom_error_set(err, -ENOENT, "there is no state %u", index);
	return loom_session_set_input(session, session->program->states[index].input, array, err);
}

void loom_session_counters(const struct loom_session *session, struct drm_loom_counters *counters)
{
	*counters = session ? session->counters : (struct drm_loom_counters){ 0 };
}

void loom_session_moved(const struct loom_session *session, struct loom_session_moved *moved)
{
	*moved = session ? session->moved : (struct loom_session_moved){ 0 };
}
