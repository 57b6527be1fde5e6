// SPDX-License-Identifier: MIT
/*
 * Runs that nobody waits for: sessions of one program, each with an item under way, in one poll()
 * loop. A session that ends gets the next item. On a device, inputs and outputs are buffers of this
 * program; on the host, they are written and read where the session has them.
 *
 *	many_runs [host|/dev/accel/accelN]
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <loom.h>
#include <loom_device.h>
#include <loom_planner.h>
#include <loom_run.h>

#define SESSIONS	3
#define ITEMS		10
#define ELEMENTS	1024

struct worker {
	struct loom_session *session;
	struct loom_bo *x, *y;
	float *in, *out;
	int item;
};

struct app {
	struct loom_graph *graph;
	struct loom_program *program;
	struct loom_target *target;
	struct worker workers[SESSIONS];
	struct pollfd polls[SESSIONS];
	int next, wrong;
};

/* y = x + x */
static int build(struct loom_graph **graph, struct loom_error *err)
{
	struct loom_tensor_info x = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { ELEMENTS },
	};
	const char *const inputs[] = { "x", "x" }, *const outputs[] = { "y" };
	struct loom_node_desc node = {
		.name = "double", .op_type = "Add", .inputs = inputs, .num_inputs = 2,
		.outputs = outputs, .num_outputs = 1,
	};
	int ret = loom_graph_create("doubling", 17, graph);

	if (ret)
		return ret;
	loom_graph_add_input(*graph, &x);
	loom_graph_add_node(*graph, &node);
	loom_graph_add_output(*graph, "y");
	return loom_graph_finish(*graph, NULL, err);
}

/* A buffer of ours, which could as well be a dma-buf that a camera fills: loom_bo_import(). */
static int make_buffer(struct app *app, struct loom_bo **bo, float **map)
{
	struct drm_loom_bo_create request = { .size = ELEMENTS * sizeof(float) };
	void *ptr;
	int ret = loom_bo_create(loom_target_device(app->target), &request, bo);

	if (!ret)
		ret = loom_bo_map(*bo, &ptr);
	if (!ret)
		*map = ptr;
	return ret;
}

static int make_worker(struct app *app, struct worker *worker, struct loom_error *err)
{
	void *in, *out;
	int ret = loom_session_create(app->target, app->program, &worker->session, err);

	if (ret)
		return ret;
	if (!loom_target_device(app->target)) {
		ret = loom_session_map_input(worker->session, 0, &in, err);
		if (!ret)
			ret = loom_session_map_output(worker->session, 0, &out, err);
		if (!ret) {
			worker->in = in;
			worker->out = out;
		}
		return ret;
	}
	ret = make_buffer(app, &worker->x, &worker->in);
	if (!ret)
		ret = make_buffer(app, &worker->y, &worker->out);
	if (!ret)
		ret = loom_session_bind_input(worker->session, 0, worker->x, err);
	if (!ret)
		ret = loom_session_bind_output(worker->session, 0, worker->y, err);
	return ret;
}

/* The next item, if there is one. poll() skips descriptors below 0. */
static int begin(struct app *app, int i, struct loom_error *err)
{
	struct worker *worker = &app->workers[i];
	int k, ret;

	app->polls[i].fd = -1;
	if (app->next == ITEMS)
		return 0;
	worker->item = app->next++;
	for (k = 0; k < ELEMENTS; k++)
		worker->in[k] = worker->item * 1000 + k;
	ret = loom_session_submit(worker->session, err);
	if (!ret)
		ret = loom_session_fd(worker->session, &app->polls[i].fd, err);
	app->polls[i].events = POLLIN;
	return ret;
}

static int end(struct app *app, int i, struct loom_error *err)
{
	struct worker *worker = &app->workers[i];
	int k, ret;

	close(app->polls[i].fd);
	ret = loom_session_wait(worker->session, LOOM_WAIT_FOREVER, err);
	for (k = 0; !ret && k < ELEMENTS; k++)
		app->wrong += worker->out[k] != 2.0f * (worker->item * 1000 + k);
	return ret;
}

static int run(struct app *app, struct loom_error *err)
{
	int under_way = 0, done = 0, i, ret = 0;

	for (i = 0; !ret && i < SESSIONS; i++) {
		ret = begin(app, i, err);
		under_way += !ret;
	}
	while (!ret && under_way) {
		if (poll(app->polls, SESSIONS, -1) < 0)
			return -1;
		for (i = 0; !ret && i < SESSIONS; i++) {
			if (app->polls[i].fd < 0 || !app->polls[i].revents)
				continue;
			ret = end(app, i, err);
			done += !ret;
			if (!ret)
				ret = begin(app, i, err);
			under_way -= app->polls[i].fd < 0;
		}
	}
	if (!ret)
		printf("%d items, %d sessions, %d wrong\n", done, SESSIONS, app->wrong);
	return ret;
}

int main(int argc, char **argv)
{
	struct loom_planner_options options = { 0 };
	struct loom_error err = { 0 };
	struct app app = { 0 };
	int i, ret;

	ret = loom_target_open(argc > 1 ? argv[1] : "auto", NULL, &app.target, &err);
	if (!ret)
		ret = build(&app.graph, &err);
	if (!ret) {
		options.chip = loom_target_chip(app.target);
		ret = loom_program_create(app.graph, &options, &app.program, &err);
	}
	for (i = 0; !ret && i < SESSIONS; i++)
		ret = make_worker(&app, &app.workers[i], &err);
	if (!ret)
		ret = run(&app, &err);
	if (ret)
		fprintf(stderr, "many_runs: %s\n", *err.text ? err.text : strerror(-ret));
	for (i = 0; i < SESSIONS; i++) {
		loom_session_destroy(app.workers[i].session);
		loom_bo_destroy(app.workers[i].x);
		loom_bo_destroy(app.workers[i].y);
	}
	loom_program_destroy(app.program);
	loom_graph_destroy(app.graph);
	loom_target_close(app.target);
	return ret || app.wrong;
}
