/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_CLIENT_H
#define LOOM_BENCH_CLIENT_H

/*
 * A client of the device, by ioctls alone, so that the library's time is not part of the figures.
 * Each function ends the program if it fails.
 */
#include <stdbool.h>

#include "clock.h"
#include "node.h"
#include "plan_builder.h"

#define CLIENT_COLUMNS	1024

/**
 * struct client - an open node
 * @fd: the node
 * @info: of the device
 * @context: a context of normal priority
 * @bytes: of what a slot of client_plan_sum() is
 */
struct client {
	int fd;
	struct drm_loom_device_info info;
	uint32_t context;
	uint64_t bytes;
};

/* Return: false where there is no device. */
static inline bool client_open(struct client *client)
{
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE,
		.ptr = (uintptr_t)&client->info,
		.size = sizeof(client->info),
	};
	struct drm_loom_context_create context = { .priority = DRM_LOOM_PRIORITY_NORMAL };

	client->fd = node_find();
	if (client->fd < 0)
		return false;
	if (ioctl(client->fd, DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY");
	if (ioctl(client->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &context))
		fail("CONTEXT_CREATE");
	client->context = context.context;
	client->bytes = (uint64_t)client->info.lanes * CLIENT_COLUMNS * sizeof(float);
	return true;
}

/* ------------------------------------------------------------------ plans */

/* Makes a plan, and is the end of @pb. */
static inline uint32_t client_plan(const struct client *client, struct plan_builder *pb)
{
	struct drm_loom_reject reject = { 0 };
	struct drm_loom_plan_create create = {
		.reject = (uintptr_t)&reject,
		.reject_size = sizeof(reject),
	};
	u64 size;
	void *blob = pb_blob(pb, &size);

	create.ptr = (uintptr_t)blob;
	create.size = size;
	if (ioctl(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &create)) {
		fprintf(stderr, "rule %u, step %u, command %u\n", reject.rule, reject.step,
			reject.command);
		fail("PLAN_CREATE");
	}
	pb_free(blob);
	pb_fini(pb);
	return create.plan;
}

/* Nothing to do. */
static inline uint32_t client_plan_null(const struct client *client)
{
	struct plan_builder pb;

	pb_init(&pb, client->info.lanes, 0);
	return client_plan(client, &pb);
}

/* Slot 1 = the sum over slot 0 read @repeat times, @rounds times over. */
static inline uint32_t client_plan_sum(const struct client *client, uint32_t repeat,
				       uint32_t rounds)
{
	const uint32_t lanes = client->info.lanes, row = CLIENT_COLUMNS * sizeof(float);
	const struct drm_loom_attr_reduce attr = { .kind = DRM_LOOM_REDUCE_SUM };
	uint32_t tensor[4], slot, at, i;
	struct drm_loom_plan_view y, x;
	struct plan_builder pb;

	pb_init(&pb, lanes, 2 * row);
	for (slot = 0; slot < 2; slot++)
		pb_add_slot(&pb, client->bytes, DRM_LOOM_SLOT_SPREAD |
			    (slot ? DRM_LOOM_SLOT_WRITE : DRM_LOOM_SLOT_READ));
	tensor[0] = pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_F32,
				PB_SHAPE(lanes, CLIENT_COLUMNS));
	tensor[1] = pb_add_dram(&pb, 1, 0, 2, 2, DRM_LOOM_DTYPE_F32,
				PB_SHAPE(lanes, CLIENT_COLUMNS));
	tensor[2] = pb_add_sram(&pb, 0, 0, 1, DRM_LOOM_DTYPE_F32, 0,
				PB_SHAPE(lanes, CLIENT_COLUMNS));
	tensor[3] = pb_add_sram(&pb, row, 1, 2, DRM_LOOM_DTYPE_F32, 0,
				PB_SHAPE(lanes, CLIENT_COLUMNS));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_LOAD, NULL, 0,
	       PB_VIEWS(pb_all(&pb, tensor[2]), pb_all(&pb, tensor[0])));
	pb_begin_step(&pb);
	y = pb_all(&pb, tensor[3]);
	x = pb_all(&pb, tensor[2]);
	/* a third axis: the same elements again */
	y.rank = 3;
	y.dims[2] = 1;
	x.rank = 3;
	x.dims[2] = repeat;
	for (i = 0; i < rounds; i++) {
		/* all share one attribute */
		at = pb_add(&pb, DRM_LOOM_OP_REDUCE, &attr, i ? 0 : sizeof(attr), PB_VIEWS(y, x));
		pb_command(&pb, at)->attr_size = sizeof(attr);
	}
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_STORE, NULL, 0,
	       PB_VIEWS(pb_all(&pb, tensor[1]), pb_all(&pb, tensor[3])));
	return client_plan(client, &pb);
}

/* ------------------------------------------------------- buffers and jobs */

static inline uint32_t client_bo(const struct client *client, struct drm_loom_bo_create create)
{
	if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &create))
		fail("BO_CREATE");
	return create.handle;
}

/* One for a slot of client_plan_sum(). */
static inline uint32_t client_bo_plain(const struct client *client)
{
	return client_bo(client, (struct drm_loom_bo_create){ .size = client->bytes });
}

static inline void client_bo_close(const struct client *client, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	if (ioctl(client->fd, DRM_IOCTL_GEM_CLOSE, &close))
		fail("GEM_CLOSE");
}

static inline void client_submit(const struct client *client, uint32_t plan, uint32_t slots,
				 uint32_t in, uint32_t out)
{
	struct drm_loom_binding bindings[] = { { 0, in, 0 }, { 1, out, 0 } };
	struct drm_loom_submit args = {
		.context = client->context,
		.plan = plan,
		.bindings = { sizeof(bindings[0]), slots, (uintptr_t)bindings },
	};

	if (ioctl(client->fd, DRM_IOCTL_LOOM_SUBMIT, &args))
		fail("SUBMIT");
}

/* Waits until no job uses a buffer, or @timeout_ns. Return: whether one still does. */
static inline bool client_busy(const struct client *client, uint32_t handle, uint64_t timeout_ns)
{
	struct drm_loom_bo_wait wait = { .handle = handle };

	if (timeout_ns)
		wait.timeout_ns = (int64_t)(now_ns() + timeout_ns);
	if (!ioctl(client->fd, DRM_IOCTL_LOOM_BO_WAIT, &wait))
		return false;
	if (errno != ETIME)
		fail("BO_WAIT");
	return true;
}

/* ---------------------------------------------------------------- figures */

static inline int client_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts @samples. Return: their @percent percentile, in us. */
static inline double client_percentile(uint64_t *samples, uint32_t count, uint32_t percent)
{
	qsort(samples, count, sizeof(*samples), client_compare);
	return (double)samples[(uint64_t)count * percent / 100] / 1000;
}

#endif /* LOOM_BENCH_CLIENT_H */
