// SPDX-License-Identifier: MIT
/* Sessions that use the weights, and perhaps the states, of another one. */
#include "update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Borrows the buffer of a slot; each may be borrowed by the one slot of @session only. */
static bool borrow(struct loom_session *session, uint32_t slot, struct loom_session *owner,
		   uint32_t from)
{
	const struct loom_program_slot *a = &session->program->slots[slot];
	const struct loom_program_slot *b = &owner->program->slots[from];
	struct loom_loan *loan = &session->loans[slot];

	/* of whoever has made it */
	while (owner->loans[from].owner) {
		const struct loom_loan *before = &owner->loans[from];

		from = before->slot;
		owner = before->owner;
	}
	if (a->size_bytes != b->size_bytes || a->flags != b->flags || a->dtype || b->dtype ||
	    a->flags & DRM_LOOM_SLOT_SRAM)
		return false;
	if (!loan->owner)
		*loan = (struct loom_loan){ owner, from };
	return loan->owner == owner && loan->slot == from;
}

static int borrow_weights(struct loom_session *session, struct loom_session *owner,
			  struct loom_error *err)
{
	const struct loom_program *program = session->program, *other = owner->program;
	uint32_t i, k;

	if (program != other && (!program->set || program->set != other->set))
		return loom_error_set(err, -EINVAL,
				      "the programs of both sessions are not of one file");
	for (i = 0; i < program->num_slots; i++) {
		if (!loom_slot_is_shared(&program->slots[i]))
			continue;
		for (k = 0; k < other->num_slots; k++)
			if (loom_slot_is_shared(&other->slots[k]) &&
			    other->slots[k].flags == program->slots[i].flags)
				break;
		if (k < other->num_slots && !borrow(session, i, owner, k))
			return loom_error_set(err, -EINVAL,
					      "the programs have weights of different sizes");
	}
	return 0;
}

static bool is_same(const struct loom_program_tensor *a, const struct loom_program_tensor *b)
{
	return !strcmp(a->name, b->name) && a->dtype == b->dtype && a->rank == b->rank &&
	       !memcmp(a->dims, b->dims, sizeof(a->dims)) && a->offset == b->offset;
}

/* The state of @other that state @state of @program is; num_states: none. */
static uint32_t find_state(const struct loom_program *program, uint32_t state,
			   const struct loom_program *other)
{
	const struct loom_program_state *has = &program->states[state];
	uint32_t i;

	for (i = 0; i < other->num_states; i++)
		if (is_same(&program->inputs[has->input],
			    &other->inputs[other->states[i].input]) &&
		    is_same(&program->outputs[has->output],
			    &other->outputs[other->states[i].output]) &&
		    loom_state_is_updated(program, state) == loom_state_is_updated(other, i))
			break;
	return i;
}

/* Whether all inputs in a slot are states. */
static bool has_states_only(const struct loom_program *program, uint32_t slot)
{
	uint32_t i;

	for (i = 0; i < program->num_inputs; i++)
		if (program->inputs[i].size_bytes && program->inputs[i].slot == slot &&
		    loom_states_of_input(program, i) == program->num_states)
			return false;
	return slot < program->num_slots;
}

/* Borrows the buffers of a state: one of rows that are updated in place, else two. */
static bool borrow_state(struct loom_session *session, uint32_t state, struct loom_session *owner)
{
	const struct loom_program *program = session->program, *other = owner->program;
	const struct loom_program_tensor *input, *output;
	uint32_t i = find_state(program, state, other), from;

	if (i == other->num_states)
		return false;
	input = &program->inputs[program->states[state].input];
	output = &program->outputs[program->states[state].output];
	if (!input->size_bytes)
		return true;
	from = other->inputs[other->states[i].input].slot;
	return has_states_only(program, input->slot) && has_states_only(other, from) &&
	       borrow(session, input->slot, owner, from) &&
	       (loom_state_is_updated(program, state) ||
		borrow(session, output->slot, owner,
		       other->outputs[other->states[i].output].slot));
}

static int borrow_states(struct loom_session *session, struct loom_session *owner,
			 struct loom_error *err)
{
	const struct loom_program *program = session->program;
	uint32_t i;

	if (program->num_states != owner->program->num_states)
		return loom_error_set(err, -EINVAL, "the programs have %u and %u states",
				      program->num_states, owner->program->num_states);
	for (i = 0; i < program->num_states; i++)
		if (!borrow_state(session, i, owner))
			return loom_error_set(err, -EINVAL,
					      "'%s' is not the same state in both programs, or is not alone in a buffer",
					      program->inputs[program->states[i].input].name);
	return 0;
}

int loom_session_borrow(struct loom_session *session, struct loom_session *owner, uint32_t flags,
			struct loom_error *err)
{
	int ret;

	if (flags & ~LOOM_BESIDE_STATES)
		return loom_error_set(err, -EINVAL, "unknown flags 0x%x", flags);
	ret = borrow_weights(session, owner, err);
	if (ret || !(flags & LOOM_BESIDE_STATES))
		return ret;
	ret = borrow_states(session, owner, err);
	if (ret)
		return ret;
	session->root = owner->root;
	session->root->shared = true;
	return 0;
}
