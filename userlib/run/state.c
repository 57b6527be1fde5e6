// SPDX-License-Identifier: MIT
/* States: outputs of a session that are inputs of its next run, as two buffers that are swapped. */
#include "update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t loom_states_of_output(const struct loom_program *program, uint32_t output)
{
	uint32_t i;

	for (i = 0; i < program->num_states; i++)
		if (program->states[i].output == output)
			break;
	return i;
}

uint32_t loom_states_of_input(const struct loom_program *program, uint32_t input)
{
	uint32_t i;

	for (i = 0; i < program->num_states; i++)
		if (program->states[i].input == input)
			break;
	return i;
}

void loom_session_pull(struct loom_session *session)
{
	uint32_t i;

	for (i = 0; i < session->program->num_slots; i++)
		if (session->loans[i].owner)
			session->target->ops->borrow(session, i);
}

static bool is_alike(const struct loom_program_slot *a, const struct loom_program_slot *b)
{
	const uint32_t memory = DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM;

	return a->size_bytes == b->size_bytes && !a->dtype && !b->dtype &&
	       (a->flags & memory) == (b->flags & memory);
}

/* Makes the slots of both ends partners, unless they already are. */
static bool join(struct loom_session *session, const struct loom_program_tensor *output,
		 const struct loom_program_tensor *input)
{
	const struct loom_program *program = session->program;
	uint32_t *partners = session->partners;
	uint32_t a = output->slot, b = input->slot;

	if (a >= program->num_slots || b >= program->num_slots || a == b ||
	    output->size_bytes != input->size_bytes || output->offset != input->offset ||
	    !loom_session_holds(session, output) || !loom_session_holds(session, input) ||
	    !is_alike(&program->slots[a], &program->slots[b]))
		return false;
	if (partners[a] == a && partners[b] == b) {
		partners[a] = b;
		partners[b] = a;
	}
	return partners[a] == b && partners[b] == a;
}

/* A slot of a state must not hold other tensors, which would be exchanged as well. */
static bool is_apart(const struct loom_session *session, uint32_t num_tensors,
		     const struct loom_program_tensor *tensors,
		     uint32_t (*state_of)(const struct loom_program *program, uint32_t index))
{
	const struct loom_program *program = session->program;
	uint32_t i, slot, state;

	for (i = 0; i < num_tensors; i++) {
		slot = tensors[i].slot;
		state = state_of(program, i);
		if (tensors[i].size_bytes && slot < program->num_slots &&
		    session->partners[slot] != slot &&
		    (state == program->num_states || loom_state_is_updated(program, state)))
			return false;
	}
	return true;
}

/* Zeroes the bytes of a tensor. */
static int clear(struct loom_session *session, const struct loom_program_tensor *tensor)
{
	void *zeroes = calloc(1, tensor->size_bytes);
	int ret = zeroes ? loom_session_write(session, tensor, zeroes) : -ENOMEM;

	free(zeroes);
	return ret;
}

/* @borrowed: those of others, too */
static int clear_states(struct loom_session *session, bool borrowed)
{
	const struct loom_program *program = session->program;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < program->num_states && !ret; i++) {
		const struct loom_program_tensor *input =
			&program->inputs[program->states[i].input];

		if (input->size_bytes && (borrowed || !session->loans[input->slot].owner))
			ret = clear(session, input);
	}
	return ret;
}

int loom_states_init(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	uint32_t i;
	int ret;

	for (i = 0; i < program->num_slots; i++)
		session->partners[i] = i;
	for (i = 0; i < program->num_states; i++) {
		const struct loom_program_state *state = &program->states[i];
		const struct loom_program_tensor *output = &program->outputs[state->output];

		if (state->output >= program->num_outputs || state->input >= program->num_inputs)
			return loom_error_set(err, -EINVAL, "the program has no state %u", i);
		session->input_set[state->input] = true;
		session->state_bytes += output->size_bytes;
		if (output->size_bytes && !loom_state_is_updated(program, i) &&
		    !join(session, output, &program->inputs[state->input]))
			return loom_error_set(err, -EINVAL,
					      "the program has '%s' where it cannot be a state",
					      output->name);
	}
	if (!is_apart(session, program->num_inputs, program->inputs, loom_states_of_input) ||
	    !is_apart(session, program->num_outputs, program->outputs, loom_states_of_output))
		return loom_error_set(err, -EINVAL,
				      "the program has states and other values in one slot");
	for (i = 0; i < program->num_slots; i++)
		if (session->loans[i].owner != session->loans[session->partners[i]].owner)
			return loom_error_set(err, -EINVAL,
					      "the program has a state of which a part is borrowed");
	ret = loom_updates_init(session, err);
	if (ret)
		return ret;
	/* borrowed ones are as they are */
	ret = clear_states(session, false);
	return ret ? loom_error_set(err, ret, "making the states zero: %s", strerror(-ret)) : 0;
}

static void exchange(struct loom_session *session, uint32_t a, uint32_t b)
{
	uint8_t *bytes = session->slots[a];

	session->slots[a] = session->slots[b];
	session->slots[b] = bytes;
	session->target->ops->exchange(session, a, b);
}

int loom_states_advance(struct loom_session *session, struct loom_error *err)
{
	uint32_t i;

	for (i = 0; i < session->program->num_slots; i++) {
		const struct loom_loan *a = &session->loans[i], *b;

		if (i >= session->partners[i])
			continue;
		exchange(session, i, session->partners[i]);
		b = &session->loans[session->partners[i]];
		if (a->owner)
			exchange(a->owner, a->slot, b->slot);
	}
	session->moved.kept_bytes += session->state_bytes;
	return loom_updates_apply(session, err);
}

int loom_session_reset_states(struct loom_session *session)
{
	int ret = loom_session_idle(session, NULL);

	if (ret)
		return ret;
	loom_session_pull(session);
	return clear_states(session, true);
}
