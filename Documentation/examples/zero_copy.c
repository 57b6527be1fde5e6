// SPDX-License-Identifier: MIT
/*
 * Bytes that nobody copies: the processor writes x where the device reads it, by a mapping; the
 * result goes as a dma-buf to another client, which runs a second job on it and maps what comes
 * out.
 * The other client could be another process, or another device: a dma-buf is a file descriptor.
 *
 *	zero_copy [/dev/accel/accelN [OTHER NODE]]
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doubling.h"

#define BYTES	(ELEMENTS * sizeof(float))

/* An open node with a queue, the plan of y = x + x, and the buffers of its two slots. */
struct client {
	struct loom_device *device;
	struct loom_context *queue;
	struct loom_bo *x, *y;
	struct doubling doubling;
	uint32_t plan;
};

/* @x: a dma-buf that is the input, or -1: it gets a buffer of its own */
static int client_open(struct client *client, const char *node, int x, struct loom_error *err)
{
	struct drm_loom_bo_create request = { .size = BYTES };
	struct drm_loom_reject reject;
	int ret = loom_device_open(node, &client->device);

	if (!ret)
		ret = x < 0 ? loom_bo_create(client->device, &request, &client->x) :
			      loom_bo_import(client->device, x, &client->x);
	if (!ret)
		ret = loom_bo_create(client->device, &request, &client->y);
	if (!ret)
		ret = loom_context_create(client->device, DRM_LOOM_PRIORITY_NORMAL, &client->queue);
	if (!ret)
		ret = doubling_create(client->device, &client->doubling, err);
	if (!ret)
		ret = loom_device_plan_create(client->device, client->doubling.program->plan,
					      client->doubling.program->plan_bytes, &reject,
					      &client->plan);
	return ret;
}

/* Queues y = x + x. Later users of the buffers must wait for it, see loom_bo_wait(). */
static int client_submit(struct client *client)
{
	const struct loom_program *program = client->doubling.program;
	struct drm_loom_binding bindings[] = {
		{ .slot = program->inputs[0].slot, .handle = loom_bo_handle(client->x) },
		{ .slot = program->outputs[0].slot, .handle = loom_bo_handle(client->y) },
	};
	struct loom_submit job = {
		.plan = client->plan, .bindings = bindings, .num_bindings = 2,
	};

	return loom_context_submit(client->queue, &job);
}

static void client_close(struct client *client)
{
	if (client->device)
		loom_device_plan_destroy(client->device, client->plan);
	loom_context_destroy(client->queue);
	loom_bo_destroy(client->x);
	loom_bo_destroy(client->y);
	doubling_destroy(&client->doubling);
	loom_device_close(client->device);
}

static int run(struct client *first, struct client *second, int argc, char **argv,
	       struct loom_error *err)
{
	uint32_t i, wrong = 0;
	void *x, *y;
	int fd, ret;

	ret = client_open(first, argc > 1 ? argv[1] : NULL, -1, err);
	if (!ret)
		ret = loom_bo_map(first->x, &x);
	if (ret)
		return ret;
	for (i = 0; i < ELEMENTS; i++)
		((float *)x)[i] = i;
	ret = client_submit(first);
	if (!ret)
		ret = loom_bo_export(first->y, &fd);
	if (ret)
		return ret;

	/* the descriptor is not needed once the buffer was imported */
	ret = client_open(second, argc > 2 ? argv[2] : argc > 1 ? argv[1] : NULL, fd, err);
	close(fd);
	if (!ret)
		ret = loom_bo_wait(first->y, LOOM_WAIT_FOREVER);
	if (!ret)
		ret = client_submit(second);
	if (!ret)
		ret = loom_bo_wait(second->y, LOOM_WAIT_FOREVER);
	if (!ret)
		ret = loom_bo_map(second->y, &y);
	if (ret)
		return ret;
	for (i = 0; i < ELEMENTS; i++)
		wrong += ((float *)y)[i] != 4.0f * i;
	printf("two clients, one buffer between them: y[1] is %g, %u wrong\n",
	       ((float *)y)[1], wrong);
	return wrong ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct client first = { 0 }, second = { 0 };
	struct loom_error err = { 0 };
	int ret = run(&first, &second, argc, argv, &err);

	if (ret)
		fprintf(stderr, "zero_copy: %s\n", *err.text ? err.text : strerror(-ret));
	client_close(&second);
	client_close(&first);
	return ret != 0;
}
