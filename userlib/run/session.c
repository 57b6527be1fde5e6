// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report.h"

/* Where @tensor lies, or NULL outside of its slot: a wrong program must not cause a wild write. */
static uint8_t *loom_session_tensor(const struct loom_session *session,
				    const struct loom_program_tensor *tensor)
{
	const struct loom_program *program = session->program;
	uint64_t end;

	if (tensor->slot >= program->num_slots ||
	    check_add_overflow(tensor->offset, tensor->size_bytes, &end) ||
	    end > program->slots[tensor->slot].size_bytes)
		return NULL;
	return session->slots[tensor->slot] + tensor->offset;
}

static int loom_session_upload_weights(struct loom_session *session)
{
	const struct loom_program *program = session->program;
	uint8_t *to;
	uint32_t i;

	for (i = 0; i < program->num_weights; i++) {
		if (!program->weights[i].size_bytes)
			continue;
		to = loom_session_tensor(session, &program->weights[i]);
		if (!to)
			return -EINVAL;
		memcpy(to, program->weights[i].data, program->weights[i].size_bytes);
	}
	return 0;
}

int loom_session_create(struct loom_target *target, const struct loom_program *program,
			struct loom_session **out, struct loom_error *err)
{
	struct loom_session *session;
	int ret;

	*out = NULL;
	session = calloc(1, sizeof(*session));
	if (!session)
		return loom_error_set(err, -ENOMEM, "no memory");
	session->target = target;
	session->program = program;
	session->slots = calloc(program->num_slots + 1, sizeof(*session->slots));
	session->input_set = calloc(program->num_inputs + 1, sizeof(*session->input_set));
	if (!session->slots || !session->input_set) {
		ret = loom_error_set(err, -ENOMEM, "no memory");
		goto fail;
	}
	ret = target->ops->load(session, err);
	if (ret)
		goto fail;
	ret = loom_session_upload_weights(session);
	if (ret) {
		loom_error_set(err, ret, "the program's weights lie outside of their slot");
		goto fail;
	}
	ret = loom_report_plan(target, program->stats.scratch_bytes, err);
	if (ret)
		goto fail;
	*out = session;
	return 0;

fail:
	loom_session_destroy(session);
	return ret;
}

void loom_session_destroy(struct loom_session *session)
{
	if (!session)
		return;
	session->target->ops->unload(session);
	free(session->input_set);
	free(session->slots);
	free(session);
}

int loom_session_set_input(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err)
{
	const struct loom_program_tensor *input;
	char wants[LOOM_DIMS_TEXT], has[LOOM_DIMS_TEXT];
	uint8_t *to;

	if (index >= session->program->num_inputs)
		return loom_error_set(err, -ENOENT, "there is no input %u", index);
	input = &session->program->inputs[index];
	if (array->dtype != input->dtype)
		return loom_error_set(err, -EINVAL, "input '%s' takes %s elements, not %s",
				      input->name, loom_dtype_name(input->dtype),
				      loom_dtype_name(array->dtype));
	if (array->rank != input->rank ||
	    memcmp(array->dims, input->dims, input->rank * sizeof(*input->dims)) ||
	    array->size_bytes != input->size_bytes)
		return loom_error_set(err, -EINVAL, "input '%s' takes %s elements, not %s",
				      input->name,
				      loom_dims_print(wants, sizeof(wants), input->rank,
						      input->dims),
				      loom_dims_print(has, sizeof(has), array->rank, array->dims));
	if (input->size_bytes) {
		to = loom_session_tensor(session, input);
		if (!to)
			return loom_error_set(err, -EINVAL, "input '%s' lies outside of its slot",
					      input->name);
		memcpy(to, array->data, array->size_bytes);
	}
	session->input_set[index] = true;
	return 0;
}

int loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
		     struct loom_error *err)
{
	uint32_t i;

	for (i = 0; i < session->program->num_inputs; i++)
		if (!session->input_set[i])
			return loom_error_set(err, -ENODATA, "input '%s' was not given",
					      session->program->inputs[i].name);
	memset(&session->counters, 0, sizeof(session->counters));
	return session->target->ops->run(session, progress, arg, err);
}

static int loom_session_get(const struct loom_session *session,
			    const struct loom_program_tensor *tensor, struct loom_array *array)
{
	const uint8_t *from = NULL;

	memset(array, 0, sizeof(*array));
	if (tensor->size_bytes) {
		from = loom_session_tensor(session, tensor);
		if (!from)
			return -EINVAL;
	}
	array->name = strdup(tensor->name);
	array->data = malloc(tensor->size_bytes ? tensor->size_bytes : 1);
	if (!array->name || !array->data) {
		loom_array_clear(array);
		return -ENOMEM;
	}
	if (from)
		memcpy(array->data, from, tensor->size_bytes);
	array->dtype = tensor->dtype;
	array->rank = tensor->rank;
	memcpy(array->dims, tensor->dims, sizeof(array->dims));
	array->size_bytes = tensor->size_bytes;
	return 0;
}

int loom_session_get_output(const struct loom_session *session, uint32_t index,
			    struct loom_array *array)
{
	if (index >= session->program->num_outputs)
		return -ENOENT;
	return loom_session_get(session, &session->program->outputs[index], array);
}

int loom_session_get_observed(const struct loom_session *session, uint32_t index,
			      struct loom_array *array)
{
	if (index >= session->program->num_observed)
		return -ENOENT;
	return loom_session_get(session, &session->program->observed[index], array);
}

void loom_session_counters(const struct loom_session *session, struct drm_loom_counters *counters)
{
	*counters = session->counters;
}
