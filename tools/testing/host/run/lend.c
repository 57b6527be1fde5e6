// SPDX-License-Identifier: MIT
/* Inputs and outputs in memory of the caller, for a run on the host. */
#include "loom_planner.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>

#include "host/lower/case.h"
#include "tap.h"

/* no multiple of what banks are aligned to */
#define COUNT	100
#define BYTES	(COUNT * sizeof(float))

/**
 * struct memory - of the caller
 * @before: guard in front of @data
 * @data: begins at a multiple of 64 bytes
 * @after: guard behind @data
 */
struct memory {
	float before[16];
	float data[COUNT] __attribute__((aligned(64)));
	float after[16];
};

static struct memory x, y;

static void put(struct memory *memory, float first)
{
	int i;

	memset(memory, 0x5a, sizeof(*memory));
	for (i = 0; i < COUNT; i++)
		memory->data[i] = first + (float)i;
}

static struct loom_array array_of(void *data)
{
	return (struct loom_array){
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { COUNT }, .data = data,
		.size_bytes = BYTES,
	};
}

static bool is_sum(const float *got, float first)
{
	int i;

	for (i = 0; i < COUNT; i++)
		if (got[i] != 2 * (first + (float)i))
			return false;
	return true;
}

static bool untouched(const struct memory *memory)
{
	struct memory other;

	memset(&other, 0x5a, sizeof(other));
	return !memcmp(memory->before, other.before, sizeof(other.before)) &&
	       !memcmp(memory->after, other.after, sizeof(other.after));
}

static void test_run(struct loom_session *session)
{
	struct loom_array in = array_of(x.data), out;
	struct loom_session_moved moved;
	struct loom_error err;

	put(&x, 1);
	put(&y, 0);
	tap_ok(!loom_session_lend_input(session, 0, &in) &&
	       !loom_session_lend_output(session, 0, y.data, BYTES) &&
	       !loom_session_run(session, NULL, NULL, &err) && is_sum(y.data, 1),
	       "a run reads and writes where the caller says");
	loom_session_moved(session, &moved);
	tap_ok(!moved.in_bytes && !moved.out_bytes, "nothing was copied");
	tap_ok(untouched(&x) && untouched(&y), "and nothing beside it was written");
	loom_session_return(session);
	tap_ok(loom_session_run(session, NULL, NULL, &err) == -ENODATA &&
	       loom_session_get_output(session, 0, &out, &err) == -EINVAL,
	       "what was returned has to be given again, and is not here");
	put(&x, 3);
	put(&y, 0);
	tap_ok(!loom_session_set_input(session, 0, &in, &err) &&
	       !loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &out, &err) && is_sum(out.data, 3) &&
	       y.data[5] == 5, "the next run is in the session's own memory again");
	loom_array_clear(&out);
}

static void test_refused(struct loom_session *session)
{
	struct loom_array in = array_of(x.data + 1), half = array_of(x.data);

	half.size_bytes /= 2;
	half.dims[0] /= 2;
	tap_ok(loom_session_lend_input(session, 0, &in) == -EOPNOTSUPP &&
	       loom_session_lend_output(session, 0, y.data + 1, BYTES) == -EOPNOTSUPP,
	       "memory that does not begin where it may in a bank has to be copied");
	tap_ok(loom_session_lend_input(session, 0, &half) == -EINVAL &&
	       loom_session_lend_output(session, 0, y.data, BYTES - 4) == -EOPNOTSUPP,
	       "memory that is too small is refused");
	tap_ok(loom_session_lend_input(session, 1, &half) == -ENOENT &&
	       loom_session_lend_output(session, 1, y.data, BYTES) == -ENOENT,
	       "there is one input and one output");
}

/* Ends while memory is lent: it stays the caller's. */
static void test_end(struct loom_session *session)
{
	struct loom_array in = array_of(x.data);

	put(&x, 1);
	if (loom_session_lend_input(session, 0, &in))
		tap_fatal("it was not lent");
	loom_session_destroy(session);
	tap_ok(x.data[COUNT - 1] == COUNT, "a session that ends leaves the caller's memory alone");
}

int main(void)
{
	struct loom_graph *graph = case_finished(13, "x f32 %d; y = Add x x; > y", COUNT);
	struct loom_planner_options options = { 0 };
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;

	if (loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	options.chip = loom_target_chip(target);
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	test_run(session);
	test_refused(session);
	test_end(session);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	loom_target_close(target);
	return tap_end();
}
