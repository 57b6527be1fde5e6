/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_HOLLOW_H
#define LOOM_HOLLOW_H

/*
 * Buffers that take many addresses and little memory, to fill a DRAM that is larger than the
 * machine: sharded ones, whose shards are mostly padding. And plans that such can be bound to.
 */
#include "loom_selftest.h"

/* On all banks of the DRAM, @bytes_per_bank in each; what can be mapped is at least @bytes. */
static inline int loom_hollow_create(int fd, uint32_t banks, uint64_t bytes_per_bank,
				     uint64_t bytes, uint32_t *handle)
{
	uint64_t row = (uint64_t)banks * LOOM_PAGE;
	struct drm_loom_bo_create args = {
		.size = (bytes + row - 1) / row * row,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.page_bytes = LOOM_PAGE,
		.page_columns = banks,
		.shard_rows = bytes_per_bank / LOOM_PAGE,
		.shard_columns = 1,
		.grid_columns = banks,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

/* As loom_client_plan(), of a plan that does not mind how its buffers are dealt out. */
static inline uint32_t loom_hollow_plan(const struct loom_client *client, void *blob, uint64_t size)
{
	struct drm_loom_plan_header *header = blob;
	struct drm_loom_plan_slot *slots = blob + header->slots.offset;
	uint32_t i;

	for (i = 0; i < header->slots.count; i++)
		slots[i].flags |= DRM_LOOM_SLOT_SPREAD;
	return loom_client_plan(client, blob, size);
}

static inline uint32_t loom_hollow_plan_unary(const struct loom_client *client, uint32_t kind)
{
	uint64_t size;
	void *blob = loom_plan_blob_unary(client->info.lanes, kind, &size);

	return loom_hollow_plan(client, blob, size);
}

/* Longer than any test waits, on any machine. */
static inline uint32_t loom_hollow_plan_endless(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_endless(client->info.lanes, &size);

	return loom_hollow_plan(client, blob, size);
}

#endif /* LOOM_HOLLOW_H */
