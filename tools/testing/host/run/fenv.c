// SPDX-License-Identifier: MIT
/* Sessions on the host do not depend on the rounding mode and the flushing of the process. */
#include "loom_file.h"
#include "loom_planner.h"
#include "loom_run.h"

#include <fenv.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "host/lower/case.h"
#include "tap.h"

#define COUNT	100

/* flush results to zero, and take subnormal operands as zero */
#define MXCSR_FLUSH	0x8040

/* y = x + x + c: the first sum would flush, the second one round */
static struct loom_graph *make_graph(void)
{
	return case_finished(13, "x f32 %d; c = f32 : 0x1p-140; s = Add x x; y = Add s c; > y",
			     COUNT);
}

/* Half of the values are ordinary and half are subnormal. */
static void set_input(struct loom_session *session)
{
	const int64_t dims[] = { COUNT };
	struct loom_array x;
	struct loom_error err;
	float f;
	int i;

	if (loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 1, dims))
		tap_fatal("no memory");
	for (i = 0; i < COUNT; i++) {
		f = (i % 2 ? 0x1p-141f : 1.0f) * (i + 1);
		memcpy((char *)x.data + i * sizeof(f), &f, sizeof(f));
	}
	if (loom_session_set_input(session, 0, &x, &err))
		tap_fatal("%s", err.text);
	loom_array_clear(&x);
}

static struct loom_array run(struct loom_session *session)
{
	struct loom_error err;
	struct loom_array y;

	if (loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, &y, NULL))
		tap_fatal("%s", err.text);
	return y;
}

int main(void)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct loom_graph *graph = make_graph();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_array y, again;
	struct loom_error err;

	if (loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	options.chip = loom_target_chip(target);
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	set_input(session);
	y = run(session);

	fesetround(FE_UPWARD);
	again = run(session);
	tap_ok(fegetround() == FE_UPWARD, "the caller's rounding is what it was");
	fesetround(FE_TONEAREST);
	tap_ok(!memcmp(y.data, again.data, y.size_bytes), "a caller that rounds upwards");
	loom_array_clear(&again);

#ifdef __SSE__
	_mm_setcsr(_mm_getcsr() | MXCSR_FLUSH);
	again = run(session);
	tap_ok((_mm_getcsr() & MXCSR_FLUSH) == MXCSR_FLUSH, "the caller flushes as before");
	_mm_setcsr(_mm_getcsr() & ~MXCSR_FLUSH);
	tap_ok(!memcmp(y.data, again.data, y.size_bytes), "a caller that flushes subnormals");
	loom_array_clear(&again);
#else
	tap_skip("a caller that flushes subnormals");
#endif

	loom_array_clear(&y);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return tap_end();
}
