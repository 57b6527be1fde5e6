// SPDX-License-Identifier: MIT
/*
 * Data parallel: a thread for each session takes the next item until there is none. With states
 * there must be one session, so that the items run in order.
 */
#include "parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct batch - state shared by the threads
 * @sessions: by thread
 * @outputs: of all items
 * @shares: by thread
 * @next: the next item that no thread has claimed, under the lock of the crew
 */
struct batch {
	struct loom_session *const *sessions;
	struct loom_array *outputs;
	struct loom_share *shares;
	u32 next;
};

static bool is_state(const struct loom_program *program, u32 input)
{
	return loom_states_of_input(program, input) < program->num_states;
}

/* States are read once, when all items have run. */
static bool is_kept(const struct loom_program *program, u32 output)
{
	return loom_states_of_output(program, output) < program->num_states;
}

/* Sets the inputs of an item; inputs shared by all items are set once. */
static int set_inputs(struct loom_crew *crew, struct loom_session *session, u32 item, bool first)
{
	struct loom_error error = { .text = "" };
	u32 i;
	int ret = 0;

	for (i = 0; i < session->program->num_inputs && !ret; i++) {
		const struct loom_array *array = &crew->batch->inputs[i];

		if (!is_state(session->program, i) || (first && array->data))
			ret = loom_items_set(session, i, array, item, first, &error);
	}
	if (ret)
		loom_crew_fail(crew, ret, &error);
	return ret;
}

static int get_outputs(struct loom_crew *crew, struct loom_session *session, u32 item)
{
	struct batch *b = crew->context;
	struct loom_error error;
	u32 i;
	int ret = 0;

	for (i = 0; i < session->program->num_outputs && !ret; i++) {
		struct loom_array one;

		if (is_kept(session->program, i))
			continue;
		ret = loom_session_get_output(session, i, &one, &error);
		if (ret)
			break;
		loom_items_put(&one, &b->outputs[i], item);
		loom_array_clear(&one);
	}
	if (ret)
		loom_crew_fail(crew, ret, &error);
	return ret;
}

static void run_items(struct loom_crew *crew, u32 index)
{
	struct batch *b = crew->context;
	struct loom_session *session = b->sessions[index];
	u32 item, count = 0;

	for (;; count++) {
		pthread_mutex_lock(&crew->lock);
		item = crew->status ? crew->batch->num_items : b->next;
		b->next += item < crew->batch->num_items;
		pthread_mutex_unlock(&crew->lock);
		if (item >= crew->batch->num_items ||
		    set_inputs(crew, session, item, !count) ||
		    loom_crew_session(crew, session, &b->shares[index]) ||
		    get_outputs(crew, session, item))
			return;
		pthread_mutex_lock(&crew->lock);
		crew->done++;
		pthread_mutex_unlock(&crew->lock);
	}
}

static bool same_ends(const struct loom_program_tensor *a, u32 num_a,
		      const struct loom_program_tensor *b, u32 num_b)
{
	u32 i;

	for (i = 0; i < num_a && num_a == num_b; i++)
		if (a[i].dtype != b[i].dtype || a[i].rank != b[i].rank ||
		    memcmp(a[i].dims, b[i].dims, a[i].rank * sizeof(*a[i].dims)))
			return false;
	return num_a == num_b;
}

/* The input of a state must be its value before the first item, or absent. */
static int check_input(const struct loom_program *program, const struct loom_batch *batch,
		       u32 index, struct loom_error *err)
{
	const struct loom_array *array = &batch->inputs[index];
	bool state = is_state(program, index);

	if (state && !array->data)
		return 0;
	return loom_items_check(&program->inputs[index], array, state ? 1 : batch->num_items, err);
}

static int check(struct loom_session *const *sessions, u32 num_sessions,
		 const struct loom_batch *batch, struct loom_error *err)
{
	const struct loom_program *program;
	u32 i;
	int ret;

	if (!num_sessions || !batch->num_items)
		return loom_error_set(err, -EINVAL, "a batch takes a session and an item at least");
	for (i = 0; i < num_sessions; i++)
		if (!sessions[i])
			return loom_error_set(err, -EINVAL, "session %u is missing", i);
	for (i = 0; i < num_sessions && num_sessions > 1; i++)
		if (sessions[i]->program->num_states)
			return loom_error_set(err, -EINVAL,
					      "a network with states runs on one device, not on %u",
					      num_sessions);
	program = sessions[0]->program;
	if (batch->num_inputs != program->num_inputs)
		return loom_error_set(err, -EINVAL, "the network takes %u inputs, not %u",
				      program->num_inputs, batch->num_inputs);
	for (i = 1; i < num_sessions; i++) {
		const struct loom_program *other = sessions[i]->program;

		if (!same_ends(program->inputs, program->num_inputs, other->inputs,
			       other->num_inputs) ||
		    !same_ends(program->outputs, program->num_outputs, other->outputs,
			       other->num_outputs))
			return loom_error_set(err, -EINVAL,
					      "session %u is of another network than the first",
					      i);
	}
	for (i = 0; i < program->num_inputs; i++) {
		ret = check_input(program, batch, i, err);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_batch_run(struct loom_session *const *sessions, uint32_t num_sessions,
		   const struct loom_batch *batch, struct loom_array *outputs,
		   struct loom_share *shares, struct loom_error *err)
{
	struct batch b = { .sessions = sessions, .outputs = outputs };
	struct loom_crew crew = { .batch = batch, .work = run_items, .context = &b };
	const struct loom_program *program;
	u32 i;
	int ret = check(sessions, num_sessions, batch, err);

	if (ret)
		return ret;
	program = sessions[0]->program;
	memset(outputs, 0, program->num_outputs * sizeof(*outputs));
	b.shares = calloc(num_sessions, sizeof(*b.shares));
	if (!b.shares)
		return loom_error_set(err, -ENOMEM, "no memory");
	for (i = 0; i < program->num_outputs && !ret; i++)
		if (!is_kept(program, i))
			ret = loom_items_alloc(&program->outputs[i], batch->num_items,
					       &outputs[i]);
	if (ret)
		loom_error_set(err, ret, "no memory for %u items", batch->num_items);
	else
		ret = loom_crew_run(&crew, num_sessions, err);
	for (i = 0; i < program->num_outputs && !ret; i++)
		if (is_kept(program, i))
			ret = loom_session_get_output(sessions[0], i, &outputs[i], err);
	if (!ret && shares)
		memcpy(shares, b.shares, num_sessions * sizeof(*shares));
	for (i = 0; i < program->num_outputs && ret; i++)
		loom_array_clear(&outputs[i]);
	free(b.shares);
	return ret;
}
