// SPDX-License-Identifier: MIT
/* Inputs and outputs without copies: in buffers of the caller, or in the session's, mapped. */
#include "update.h"

#include <errno.h>

uint32_t loom_program_own_slot(const struct loom_program *program,
			       const struct loom_program_tensor *tensor, enum loom_slot_kind kind)
{
	const struct loom_program_tensor *all = kind == LOOM_SLOT_KIND_INPUT ? program->inputs :
									       program->outputs;
	uint32_t count = kind == LOOM_SLOT_KIND_INPUT ? program->num_inputs : program->num_outputs;
	const struct loom_program_slot *slot;
	uint32_t i, sharers = 0;

	if (!tensor->size_bytes || tensor->offset || tensor->slot >= program->num_slots)
		return program->num_slots;
	slot = &program->slots[tensor->slot];
	for (i = 0; i < count; i++)
		sharers += all[i].size_bytes && all[i].slot == tensor->slot;
	for (i = 0; kind == LOOM_SLOT_KIND_OUTPUT && i < program->num_updates; i++)
		sharers += (program->updates[i].rows.slot == tensor->slot) +
			   (program->updates[i].places.slot == tensor->slot);
	if (sharers != 1 || slot->kind != kind || slot->dtype ||
	    slot->flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM))
		return program->num_slots;
	return tensor->slot;
}

/**
 * struct end - an input or an output of a program
 * @kind: input or output
 * @what: "input" or "output"
 * @tensor: its place
 */
struct end {
	enum loom_slot_kind kind;
	const char *what;
	const struct loom_program_tensor *tensor;
};

static int find_end(const struct loom_session *session, struct end *end, uint32_t index,
		    struct loom_error *err)
{
	bool is_input = end->kind == LOOM_SLOT_KIND_INPUT;
	const struct loom_program *program;
	uint32_t state;

	if (!session)
		return loom_session_idle(session, err);
	program = session->program;
	end->what = is_input ? "input" : "output";
	if (index >= (is_input ? program->num_inputs : program->num_outputs))
		return loom_error_set(err, -ENOENT, "there is no %s %u", end->what, index);
	end->tensor = is_input ? &program->inputs[index] : &program->outputs[index];
	state = is_input ? loom_states_of_input(program, index) :
			   loom_states_of_output(program, index);
	/* one that is updated in place stays where its input is */
	if (state < program->num_states &&
	    (!is_input || !loom_state_is_updated(program, state)))
		return loom_error_set(err, -EINVAL,
				      "%s '%s' is a state: its buffers change with each run",
				      end->what, end->tensor->name);
	return loom_session_idle(session, err);
}

static int bind_end(struct loom_session *session, struct end *end, uint32_t index,
		    struct loom_bo *bo, struct loom_error *err)
{
	uint32_t slot;
	int ret = find_end(session, end, index, err);

	if (ret)
		return ret;
	if (!session->target->ops->bind)
		return loom_error_set(err, -EOPNOTSUPP,
				      "on the host there are no buffers to bind; its memory can be mapped");
	slot = loom_program_own_slot(session->program, end->tensor, end->kind);
	if (slot == session->program->num_slots)
		return loom_error_set(err, -EOPNOTSUPP,
				      "the plan has no buffer in DRAM for %s '%s' alone", end->what,
				      end->tensor->name);
	if (session->loans[slot].owner)
		return loom_error_set(err, -EINVAL,
				      "%s '%s' is in the buffer of another session", end->what,
				      end->tensor->name);
	return session->target->ops->bind(session, slot, bo, err);
}

int loom_session_bind_input(struct loom_session *session, uint32_t index, struct loom_bo *bo,
			    struct loom_error *err)
{
	struct end end = { .kind = LOOM_SLOT_KIND_INPUT };
	int ret = bind_end(session, &end, index, bo, err);

	if (!ret)
		session->input_set[index] =
			bo || loom_states_of_input(session->program, index) <
			      session->program->num_states;
	return ret;
}

int loom_session_bind_output(struct loom_session *session, uint32_t index, struct loom_bo *bo,
			     struct loom_error *err)
{
	struct end end = { .kind = LOOM_SLOT_KIND_OUTPUT };

	return bind_end(session, &end, index, bo, err);
}

static int map_end(struct loom_session *session, struct end *end, uint32_t index, void **data,
		   struct loom_error *err)
{
	const struct loom_program_tensor *tensor;
	int ret = find_end(session, end, index, err);

	*data = NULL;
	if (ret)
		return ret;
	tensor = end->tensor;
	if (!loom_session_holds(session, tensor))
		return loom_error_set(err, -EINVAL, "%s '%s' lies outside of its slot", end->what,
				      tensor->name);
	if (!session->slots[tensor->slot])
		return loom_error_set(err, -EOPNOTSUPP,
				      "%s '%s' is where the processor cannot reach it", end->what,
				      tensor->name);
	loom_session_pull(session);
	*data = session->slots[tensor->slot] + tensor->offset;
	return 0;
}

int loom_session_map_input(struct loom_session *session, uint32_t index, void **data,
			   struct loom_error *err)
{
	struct end end = { .kind = LOOM_SLOT_KIND_INPUT };
	int ret = map_end(session, &end, index, data, err);

	if (!ret)
		session->input_set[index] = true;
	return ret;
}

int loom_session_map_output(struct loom_session *session, uint32_t index, void **data,
			    struct loom_error *err)
{
	struct end end = { .kind = LOOM_SLOT_KIND_OUTPUT };

	return map_end(session, &end, index, data, err);
}
