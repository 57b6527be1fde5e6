/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of a shared SRAM: a client without privileges, and plans in the scratch. */
#ifndef LOOM_SRAM_H
#define LOOM_SRAM_H

#include "../loom_selftest.h"

#define ROW_BYTES	LOOM_ROW_BYTES

FIXTURE(sram)
{
	/* the first file, of a process without privileges */
	struct loom_client client;
	struct drm_loom_region_info sram;
	uint64_t base, pool;
};

FIXTURE_SETUP(sram)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	if (self->sram.blocks || self->sram.scratch_bytes)
		SKIP(return, "somebody else uses the device");
	if (loom_set_nice(false))
		SKIP(return, "capabilities cannot be changed");
	self->base = self->sram.bank_bytes - self->sram.total_bytes;
	self->pool = self->sram.total_bytes - self->sram.scratch_floor_bytes;
	ASSERT_LT(2 * ROW_BYTES, self->sram.scratch_floor_bytes);
}

/* After any test: closing the files has freed all that they took. */
FIXTURE_TEARDOWN(sram)
{
	struct drm_loom_region_info after;
	int ret;

	loom_client_close(&self->client);
	ret = loom_sram_settle(&after);
	if (ret == -ENODEV)
		return;
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, after.blocks);
	EXPECT_EQ(0, after.scratch_bytes);
	EXPECT_EQ(0, after.share_used_bytes);
}

static inline int take(int fd, const struct drm_loom_region_info *sram, uint64_t bytes,
		       uint64_t mask, uint32_t direction, struct drm_loom_bo_info *info)
{
	return loom_sram_take(fd, sram, bytes, mask, direction, info);
}

/* Slot 1 = |slot 0|, by way of the top row of @scratch bytes. */
static inline uint32_t plan_abs(const struct loom_client *client, uint64_t scratch)
{
	struct drm_loom_attr_unary attr = { .kind = DRM_LOOM_UNARY_ABS };
	struct loom_builder builder;
	uint32_t in, out, x, y;
	uint64_t size;
	void *blob;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	out = loom_builder_slot(&builder, DRM_LOOM_SLOT_WRITE, 2, 2);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
	y = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, scratch - ROW_BYTES, 1, 2);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), y, x);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, out, y);
	blob = loom_builder_finish(&builder, &size);
	return loom_client_plan(client, blob, size);
}

/* Moves the upper of the two scratch tensors of a plan to the end of @scratch bytes. */
static inline void *raise_scratch(void *blob, uint64_t scratch)
{
	struct drm_loom_plan_header *header = blob;
	struct drm_loom_plan_tensor *tensors = (void *)((char *)blob + header->tensors.offset);

	header->scratch_bytes = scratch;
	tensors[header->tensors.count - 1].offset = scratch - ROW_BYTES;
	return blob;
}

/* Runs the plan, and looks at its result. Return: 0 or -errno, -EBADE for a wrong result. */
static inline int run_abs(const struct loom_client *client, uint32_t plan)
{
	float *in = loom_bo_map(client->fd, client->in, client->bytes);
	float *out = loom_bo_map(client->fd, client->out, client->bytes);
	uint64_t last = client->bytes / sizeof(float) - 1;
	int ret;

	if (in == MAP_FAILED || out == MAP_FAILED)
		return -ENOMEM;
	in[0] = -2.0f;
	in[last] = -3.0f;
	out[0] = 99.0f;
	out[last] = 99.0f;
	ret = loom_client_run(client, plan, 2, 0);
	if (!ret)
		ret = loom_bo_wait(client->fd, client->out, loom_soon());
	if (!ret && (out[0] != 2.0f || out[last] != 3.0f))
		ret = -EBADE;
	munmap(in, client->bytes);
	munmap(out, client->bytes);
	return ret;
}

static inline int plan_reserve(const struct loom_client *client, uint64_t scratch, uint32_t *plan)
{
	struct loom_builder builder;
	struct drm_loom_plan_create args = { .flags = DRM_LOOM_PLAN_RESERVE };
	uint64_t size;
	void *blob;
	int ret;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	builder.scratch_bytes = scratch;
	loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, scratch - ROW_BYTES, 0, 0);
	loom_builder_step(&builder);
	blob = loom_builder_finish(&builder, &size);
	args.ptr = (uintptr_t)blob;
	args.size = size;
	ret = loom_call(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	*plan = args.plan;
	return ret;
}

#endif /* LOOM_SRAM_H */
