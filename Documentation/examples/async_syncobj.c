// SPDX-License-Identifier: MIT
/*
 * Several jobs in flight: eight times y = x + x, each on the result of the one before. The program
 * queues all of them at once, on two queues in turn; points of one timeline put them in order, and
 * the processor waits once, for the last.
 *
 *	async_syncobj [/dev/accel/accelN]
 */
#include <stdio.h>
#include <string.h>

#include <xf86drm.h>

#include "doubling.h"

#define JOBS	8

struct app {
	struct loom_device *device;
	struct loom_context *queues[2];
	struct loom_bo *buffers[2];
	struct doubling doubling;
	uint32_t plan, timeline;
};

static int setup(struct app *app, const char *node, struct loom_error *err)
{
	struct drm_loom_bo_create request = { .size = ELEMENTS * sizeof(float) };
	struct drm_loom_reject reject;
	int i, ret = loom_device_open(node, &app->device);

	if (ret)
		return ret;
	for (i = 0; !ret && i < 2; i++) {
		ret = loom_bo_create(app->device, &request, &app->buffers[i]);
		if (!ret)
			ret = loom_context_create(app->device, DRM_LOOM_PRIORITY_NORMAL,
						  &app->queues[i]);
	}
	if (!ret)
		ret = loom_sync_create(app->device, &app->timeline);
	if (!ret)
		ret = doubling_create(app->device, &app->doubling, err);
	if (!ret)
		ret = loom_device_plan_create(app->device, app->doubling.program->plan,
					      app->doubling.program->plan_bytes, &reject,
					      &app->plan);
	return ret;
}

/* Job i waits for point i, and signals i + 1. Point 0 is the begin: nobody waits for it. */
static int submit(struct app *app, uint32_t i)
{
	const struct loom_program *program = app->doubling.program;
	struct drm_loom_binding bindings[] = {
		{ .slot = program->inputs[0].slot,
		  .handle = loom_bo_handle(app->buffers[i % 2]) },
		{ .slot = program->outputs[0].slot,
		  .handle = loom_bo_handle(app->buffers[(i + 1) % 2]) },
	};
	struct drm_loom_sync in = { .handle = app->timeline, .point = i };
	struct drm_loom_sync out = { .handle = app->timeline, .point = i + 1 };
	struct loom_submit job = {
		.plan = app->plan,
		.bindings = bindings, .num_bindings = 2,
		.in = &in, .num_in = i ? 1 : 0,
		.out = &out, .num_out = 1,
	};

	return loom_context_submit(app->queues[i % 2], &job);
}

static int run(struct app *app)
{
	float x[ELEMENTS], y[ELEMENTS];
	uint64_t reached = 0;
	uint32_t i, wrong = 0;
	int ret;

	for (i = 0; i < ELEMENTS; i++)
		x[i] = i;
	ret = loom_bo_write(app->buffers[0], 0, x, sizeof(x));
	for (i = 0; !ret && i < JOBS; i++)
		ret = submit(app, i);
	if (!ret)
		ret = loom_sync_wait(app->device, app->timeline, JOBS, LOOM_WAIT_FOREVER);
	/* the library's devices are open files of DRM: libdrm works on them as well */
	if (!ret && drmSyncobjQuery(loom_device_fd(app->device), &app->timeline, &reached, 1))
		return -1;
	if (!ret)
		ret = loom_bo_read(app->buffers[JOBS % 2], 0, y, sizeof(y));
	if (ret)
		return ret;
	for (i = 0; i < ELEMENTS; i++)
		wrong += y[i] != x[i] * (1 << JOBS);
	printf("%d jobs, timeline at %llu, y[1] is %g, %u wrong\n", JOBS,
	       (unsigned long long)reached, y[1], wrong);
	return wrong ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct loom_error err = { 0 };
	struct app app = { 0 };
	int i, ret;

	ret = setup(&app, argc > 1 ? argv[1] : NULL, &err);
	if (!ret)
		ret = run(&app);
	if (ret)
		fprintf(stderr, "async_syncobj: %s\n", *err.text ? err.text : strerror(-ret));
	if (app.device) {
		loom_device_plan_destroy(app.device, app.plan);
		loom_sync_destroy(app.device, app.timeline);
	}
	for (i = 0; i < 2; i++) {
		loom_context_destroy(app.queues[i]);
		loom_bo_destroy(app.buffers[i]);
	}
	doubling_destroy(&app.doubling);
	loom_device_close(app.device);
	return ret != 0;
}
