/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_OUTPUTS_H
#define LOOM_BENCH_OUTPUTS_H

/* Runs of programs on random inputs, and their outputs. */

#include <string.h>

#include "loom_core.h"
#include "loom_run.h"
#include "tap.h"

/* most outputs that are compared */
#define OUTPUTS	16

static inline void set_inputs(struct loom_session *session, const struct loom_program *program)
{
	struct loom_array array;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < program->num_inputs; i++) {
		const struct loom_program_tensor *input = &program->inputs[i];

		if (loom_array_alloc(&array, input->dtype, input->rank, input->dims))
			tap_fatal("no memory");
		loom_array_randomize(&array, i + 1);
		if (loom_session_set_input(session, i, &array, &err))
			tap_fatal("%s", err.text);
		loom_array_clear(&array);
	}
}

/* The outputs of a run. */
static inline const char *run(struct loom_session *session, const struct loom_program *program,
			      struct loom_array *outputs)
{
	struct loom_error err;
	uint32_t i;

	if (loom_session_reset_states(session))
		return "its states cannot be zero";
	set_inputs(session, program);
	if (loom_session_run(session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < program->num_outputs && i < OUTPUTS; i++)
		if (loom_session_get_output(session, i, &outputs[i], &err))
			tap_fatal("%s", err.text);
	return NULL;
}

static inline bool same(const struct loom_array *a, const struct loom_array *b)
{
	uint32_t i;

	for (i = 0; i < OUTPUTS; i++)
		if (a[i].size_bytes != b[i].size_bytes ||
		    (a[i].size_bytes && memcmp(a[i].data, b[i].data, a[i].size_bytes)))
			return false;
	return true;
}

static inline void clear(struct loom_array *outputs)
{
	uint32_t i;

	for (i = 0; i < OUTPUTS; i++)
		loom_array_clear(&outputs[i]);
}

#endif /* LOOM_BENCH_OUTPUTS_H */
