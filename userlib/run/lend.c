// SPDX-License-Identifier: MIT
/* Inputs and outputs in memory of the caller for one run, where the target can access it. */
#include "run.h"

#include <errno.h>
#include <string.h>

static int lend(struct loom_session *session, const struct loom_program_tensor *tensor,
		enum loom_slot_kind kind, void *data, uint64_t size_bytes)
{
	uint32_t slot = loom_program_own_slot(session->program, tensor, kind);

	if (session->submitted)
		return -EINVAL;
	if (!session->target->ops->lend || slot == session->program->num_slots ||
	    size_bytes != tensor->size_bytes)
		return -EOPNOTSUPP;
	return session->target->ops->lend(session, slot, data, size_bytes);
}

int loom_session_lend_input(struct loom_session *session, uint32_t index,
			    const struct loom_array *array)
{
	const struct loom_program *program = session->program;
	const struct loom_program_tensor *input;
	int ret;

	if (index >= program->num_inputs)
		return -ENOENT;
	input = &program->inputs[index];
	if (loom_states_of_input(program, index) < program->num_states ||
	    array->dtype != input->dtype || array->rank != input->rank ||
	    memcmp(array->dims, input->dims, input->rank * sizeof(*input->dims)))
		return -EINVAL;
	ret = lend(session, input, LOOM_SLOT_KIND_INPUT, array->data, array->size_bytes);
	if (!ret)
		session->input_set[index] = true;
	return ret;
}

int loom_session_lend_output(struct loom_session *session, uint32_t index, void *data,
			     uint64_t size_bytes)
{
	const struct loom_program *program = session->program;

	if (index >= program->num_outputs)
		return -ENOENT;
	if (loom_states_of_output(program, index) < program->num_states)
		return -EINVAL;
	return lend(session, &program->outputs[index], LOOM_SLOT_KIND_OUTPUT, data, size_bytes);
}

void loom_session_return(struct loom_session *session)
{
	const struct loom_program *program = session->program;
	uint32_t i;

	if (!session->target->ops->lend)
		return;
	for (i = 0; i < program->num_slots; i++)
		session->target->ops->lend(session, i, NULL, 0);
	/*
	 * lent inputs must be given again, and results written to lent memory are not in the
	 * session
	 */
	for (i = 0; i < program->num_inputs; i++)
		if (loom_states_of_input(program, i) == program->num_states)
			session->input_set[i] = false;
	session->ran = false;
}
