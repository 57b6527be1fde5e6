// SPDX-License-Identifier: MIT
/*
 * On a device: counts of a stopped run do not show in the next one. A chain of products, long
 * enough that the callback is asked whether it goes on, is stopped and run again.
 *
 *	stopped [DEVICE]
 */
#include "model.h"
#include "loom_planner.h"
#include "loom_run.h"
#include "outcome.h"
#include "tap.h"

#define ROWS	256
#define COLUMNS	512
#define LONGEST	256

static const int64_t dims[] = { ROWS, COLUMNS };
static float weights[COLUMNS * COLUMNS];

static struct loom_graph *chain(uint32_t count)
{
	struct loom_graph *graph = model_create(13);
	char names[2][16] = { "x", "" };
	struct loom_error err;
	uint32_t i;

	model_add_input(graph, "x", 2, dims);
	model_add_floats(graph, "w", 2, (int64_t[]){ COLUMNS, COLUMNS }, weights);
	for (i = 0; i < count; i++) {
		const char *const inputs[] = { names[i % 2], "w" }, *output = names[!(i % 2)];
		struct loom_node_desc node = {
			.op_type = "MatMul", .inputs = inputs, .outputs = &output,
			.num_inputs = 2, .num_outputs = 1,
		};

		snprintf(names[!(i % 2)], sizeof(names[0]), "v%u", i);
		loom_graph_add_node(graph, &node);
	}
	loom_graph_add_output(graph, names[count % 2]);
	if (loom_graph_finish(graph, NULL, &err))
		tap_fatal("%s", err.text);
	return graph;
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	++*(uint32_t *)arg;
	return -EINTR;
}

/* Return: whether it was long enough to be stopped. */
static bool try_chain(struct loom_target *target, uint32_t count)
{
	struct loom_planner_options options = { .chip = loom_target_chip(target) };
	struct loom_graph *graph = chain(count);
	struct drm_loom_counters counted;
	struct loom_program *program;
	struct loom_session *session;
	struct loom_array x;
	struct loom_error err;
	uint32_t asked = 0;
	int ret;

	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err) ||
	    loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no session");
	memset(x.data, 0, x.size_bytes);
	ret = loom_session_set_input(session, 0, &x, &err);
	if (!ret)
		ret = loom_session_run(session, stop, &asked, &err);
	if (asked) {
		tap_ok(ret == -EINTR, "a run of %u products is stopped: %s", count, err.text);
		loom_session_counters(session, &counted);
		tap_ok(!counted.jobs && !counted.macs, "it has counted nothing");
		ret = loom_session_run(session, NULL, NULL, &err);
		loom_session_counters(session, &counted);
		tap_ok(!ret && counted.jobs == 1 && is_promise(program, counted),
		       "the next one has counted itself: %llu jobs, %llu of %llu macs",
		       (unsigned long long)counted.jobs, (unsigned long long)counted.macs,
		       (unsigned long long)program->stats.macs);
	} else if (ret) {
		tap_fatal("%s", err.text);
	}
	loom_array_clear(&x);
	loom_session_destroy(session);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return asked;
}

int main(int argc, char **argv)
{
	struct loom_target *target;
	struct loom_error err;
	uint32_t count = 1;

	if (loom_target_open(argc > 1 ? argv[1] : "soft", NULL, &target, &err))
		tap_fatal("%s", err.text);
	while (count <= LONGEST && !try_chain(target, count))
		count *= 2;
	tap_ok(count <= LONGEST, "a run is long enough");
	loom_target_close(target);
	return tap_end();
}
