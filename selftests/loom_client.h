/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_CLIENT_H
#define LOOM_CLIENT_H

/*
 * A client: an open file with a context and buffers, its plans and its jobs.
 */
#include "loom_builder.h"
#include "loom_ioctl.h"

/* An open file with what a job of two slots needs: a context and two buffers. */
struct loom_client {
	int fd;
	uint32_t context;
	struct drm_loom_device_info info;
	uint64_t bytes;
	/* slots 0 and 1 */
	uint32_t in, out;
};

/* Takes @fd over, which may be an error. */
static inline int loom_client_open_fd(struct loom_client *client, int fd)
{
	int ret;

	*client = (struct loom_client) { .fd = fd };
	if (client->fd < 0)
		return client->fd;
	ret = loom_query_device(client->fd, &client->info);
	if (ret)
		return ret;
	client->bytes = (uint64_t)client->info.lanes * LOOM_COLUMNS * sizeof(float);
	ret = loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL, &client->context);
	if (!ret)
		ret = loom_bo_create(client->fd, client->bytes, DRM_LOOM_REGION_DRAM, &client->in);
	if (!ret)
		ret = loom_bo_create(client->fd, client->bytes, DRM_LOOM_REGION_DRAM, &client->out);
	return ret;
}

static inline int loom_client_open(struct loom_client *client)
{
	return loom_client_open_fd(client, loom_open());
}

static inline void loom_client_close(struct loom_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

/* Create from a blob that is freed here. Return: the plan's id, or 0. */
static inline uint32_t loom_client_plan(const struct loom_client *client, void *blob,
					uint64_t size)
{
	struct drm_loom_reject reject = {};
	uint32_t plan;
	int ret = loom_plan_create(client->fd, blob, size, &reject, &plan);

	free(blob);
	if (!ret)
		return plan;
	ksft_print_msg("PLAN_CREATE: %d, rule %u step %u command %u operand %u tensor %u\n", ret,
		       reject.rule, reject.step, reject.command, reject.operand, reject.tensor);
	return 0;
}

static inline uint32_t loom_client_plan_null(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_null(client->info.lanes, &size);

	return loom_client_plan(client, blob, size);
}

static inline uint32_t loom_client_plan_copy(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_copy(client->info.lanes, &size);

	return loom_client_plan(client, blob, size);
}

/* Have plans and buffers of the client be for the lanes of a context that was created so. */
static inline void loom_client_use_lanes(struct loom_client *client,
					 const struct drm_loom_context_create *args)
{
	client->context = args->context;
	client->bytes = client->bytes / client->info.lanes * args->lanes;
	client->info.lanes = args->lanes;
}

/* The same with @lanes, whichever are free. Return: 0 or -errno. */
static inline int loom_client_take_lanes(struct loom_client *client, uint32_t lanes)
{
	struct drm_loom_context_create args = {
		.priority = DRM_LOOM_PRIORITY_NORMAL, .lanes = lanes,
	};
	int ret = loom_call(client->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	if (!ret)
		loom_client_use_lanes(client, &args);
	return ret;
}

#ifdef _LOOM_ACCEL_OPS_H_
static inline uint32_t loom_client_plan_unary(const struct loom_client *client, uint32_t kind)
{
	uint64_t size;
	void *blob = loom_plan_blob_unary(client->info.lanes, kind, &size);

	return loom_client_plan(client, blob, size);
}

/* Some hundredths to some tenths of a second on an emulated machine. */
static inline uint32_t loom_client_plan_busy(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_work(client->info.lanes, 64, 2, &size);

	return loom_client_plan(client, blob, size);
}

/* Longer than any test waits, on any machine. */
static inline uint32_t loom_client_plan_endless(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_endless(client->info.lanes, &size);

	return loom_client_plan(client, blob, size);
}
#endif

struct loom_job {
	struct drm_loom_submit args;
	struct drm_loom_binding bindings[2];
	struct drm_loom_sync in, out;
};

/* A job of the client's context and buffers that signals @sync, if that is not zero. */
static inline struct loom_job *loom_job_init(struct loom_job *job,
					     const struct loom_client *client, uint32_t plan,
					     uint32_t slots, uint32_t sync)
{
	*job = (struct loom_job) {
		.args = {
			.context = client->context,
			.plan = plan,
			.bindings = { sizeof(job->bindings[0]), slots, (uintptr_t)job->bindings },
			.in_syncs = { sizeof(job->in), 0, (uintptr_t)&job->in },
			.out_syncs = { sizeof(job->out), sync ? 1 : 0, (uintptr_t)&job->out },
		},
		.bindings = { { 0, client->in, 0 }, { 1, client->out, 0 } },
		.out = { .handle = sync },
	};
	return job;
}

static inline int loom_job_submit(int fd, struct loom_job *job)
{
	return loom_call(fd, DRM_IOCTL_LOOM_SUBMIT, &job->args);
}

/* Submit and forget. */
static inline int loom_client_run(const struct loom_client *client, uint32_t plan,
				  uint32_t slots, uint32_t sync)
{
	struct loom_job job;

	return loom_job_submit(client->fd, loom_job_init(&job, client, plan, slots, sync));
}

/* Another context of @client, whose jobs are bound to SRAM buffers. */
static inline struct loom_client loom_client_bound(const struct loom_client *client, uint32_t in,
						   uint32_t out)
{
	struct loom_client other = *client;

	other.in = in;
	other.out = out;
	if (loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL, &other.context))
		other.context = 0;
	return other;
}

#ifdef _LOOM_ACCEL_OPS_H_
/* A job of such a context. Return: its fence. */
static inline uint32_t loom_client_run_bound(const struct loom_client *client, uint32_t repeat,
					     uint32_t rounds)
{
	uint32_t fence = loom_sync_create(client->fd, 0), plan;
	uint64_t size;
	void *blob = loom_plan_blob_bound(client->info.lanes, repeat, rounds, &size);

	plan = loom_client_plan(client, blob, size);
	return loom_client_run(client, plan, 2, fence) ? 0 : fence;
}

/* Whether a new client with a plain job gets the right result. */
static inline bool loom_device_works(void)
{
	struct loom_client client;
	float *in, *out;
	bool good = false;
	uint32_t plan;

	if (loom_client_open(&client))
		goto out_close;
	in = loom_bo_map(client.fd, client.in, client.bytes);
	out = loom_bo_map(client.fd, client.out, client.bytes);
	if (in == MAP_FAILED || out == MAP_FAILED)
		goto out_close;
	in[0] = -2.0f;
	in[client.bytes / sizeof(float) - 1] = 3.0f;
	out[0] = 99.0f;
	plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
	good = plan && !loom_client_run(&client, plan, 2, 0) &&
	       !loom_bo_wait(client.fd, client.out, loom_soon()) && out[0] == 2.0f &&
	       out[client.bytes / sizeof(float) - 1] == 3.0f;
	munmap(in, client.bytes);
	munmap(out, client.bytes);
out_close:
	loom_client_close(&client);
	return good;
}
#endif

/* With an address of its own in each bank. Return: 0 or -errno. */
static inline int loom_per_bank(int fd, uint32_t region, uint64_t size, uint64_t mask,
				struct drm_loom_bo_info *info, uint64_t *addresses)
{
	struct drm_loom_bo_create args = {
		.size = size,
		.region = region,
		.page_bytes = 4096,
		.bank_mask = mask ? (uintptr_t)&mask : 0,
		.bank_mask_words = !!mask,
		.flags = DRM_LOOM_BO_CREATE_PER_BANK,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	if (ret)
		return ret;
	*info = (struct drm_loom_bo_info) {
		.handle = args.handle,
		.addresses = (uintptr_t)addresses,
		.address_count = DRM_LOOM_MAX_BANKS,
	};
	return loom_call(fd, DRM_IOCTL_LOOM_BO_INFO, info);
}

/* A buffer in DRAM whose addresses differ, because a bank has others, maybe in earlier holes. */
static inline int loom_uneven(int fd, uint64_t size, struct drm_loom_bo_info *info)
{
	uint64_t addresses[DRM_LOOM_MAX_BANKS], mask = 1;
	struct drm_loom_bo_create one = {
		.size = 65536, .bank_mask = (uintptr_t)&mask, .bank_mask_words = 1,
	};
	int ret, tries = 8;

	do {
		ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &one);
		if (!ret)
			ret = loom_per_bank(fd, DRM_LOOM_REGION_DRAM, size, 0, info, addresses);
	} while (!ret && info->banks > 1 && addresses[0] == addresses[1] && --tries);
	return tries ? ret : -ERANGE;
}

/* ------------------------------------------------------------------ hollow */

/*
 * Buffers that take many addresses and little memory, to fill a DRAM that is larger than the
 * machine: sharded ones, whose shards are mostly padding. And plans that such can be bound to.
 */

/* On all banks of the DRAM, @bytes_per_bank in each; at least @bytes can be mapped. */
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

#ifdef _LOOM_ACCEL_OPS_H_
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

/* ----------------------------------------------------------------- rounds */

/* A plan that takes as long as asked for: see loom_plan_blob_rounds(). */
static inline int loom_rounds_create(int fd, uint32_t lanes, uint32_t kind, uint32_t rounds,
				     uint32_t *plan)
{
	uint64_t size;
	void *blob = loom_plan_blob_rounds(lanes, kind, rounds, &size);
	int ret = loom_plan_create(fd, blob, size, NULL, plan);

	free(blob);
	return ret;
}
#endif

static inline int loom_plan_create_null(int fd, uint32_t lanes, uint32_t *plan)
{
	uint64_t size;
	void *blob = loom_plan_blob_null(lanes, &size);
	int ret = loom_plan_create(fd, blob, size, NULL, plan);

	free(blob);
	return ret;
}

/* ------------------------------------------------- SRAM, in any banks and pages */

/* @bytes in each of the banks of @mask, zero for all, in pages of @page_bytes. */
static inline int loom_sram_take_pages(int fd, const struct drm_loom_region_info *sram,
				       uint64_t bytes, uint64_t mask, uint32_t direction,
				       uint32_t page_bytes, struct drm_loom_bo_info *info)
{
	uint32_t banks = mask ? __builtin_popcountll(mask) : sram->banks;
	struct drm_loom_bo_create args = {
		.size = bytes * banks,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = page_bytes,
		.direction = direction,
		.bank_mask = mask ? (uintptr_t)&mask : 0,
		.bank_mask_words = mask ? 1 : 0,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	return ret ? ret : loom_bo_info(fd, args.handle, info);
}

static inline int loom_sram_take(int fd, const struct drm_loom_region_info *sram, uint64_t bytes,
				 uint64_t mask, uint32_t direction, struct drm_loom_bo_info *info)
{
	return loom_sram_take_pages(fd, sram, bytes, mask, direction, sram->align_bytes, info);
}

/* Pages that can be mapped: where the SRAM is the device's own they are the processor's. */
static inline uint32_t loom_sram_mapped_page(const struct drm_loom_region_info *sram)
{
	return sram->map_bytes ? sram->map_bytes : sram->align_bytes;
}

/* The same as loom_sram_take() of @bytes, or a page if that is more, in all banks. */
static inline int loom_sram_take_mapped(int fd, const struct drm_loom_region_info *sram,
					uint64_t bytes, uint32_t direction,
					struct drm_loom_bo_info *info)
{
	uint32_t page = loom_sram_mapped_page(sram);

	if (bytes < page)
		bytes = page;
	return loom_sram_take_pages(fd, sram, bytes, 0, direction, page, info);
}

/* Folders in configfs that devices are made of. */
#define LOOM_CONFIGFS	"/sys/kernel/config/loom"

/* Whether there is the folder; mounts configfs if it has to. */
static inline bool config_is_there(void)
{
	return !access(LOOM_CONFIGFS, F_OK) ||
	       (!geteuid() && !mount("none", "/sys/kernel/config", "configfs", 0, NULL) &&
		!access(LOOM_CONFIGFS, F_OK));
}

static inline int config_write(const char *name, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), LOOM_CONFIGFS "/%s/%s", name, file);
	return loom_write_file(path, text);
}

static inline int config_set(const char *name, const char *file, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	return config_write(name, file, text);
}

/* Without the end of the line. Return: its length or -errno. */
static inline int config_read(const char *name, const char *file, char *text, size_t size)
{
	char path[200];
	int fd, length;

	snprintf(path, sizeof(path), LOOM_CONFIGFS "/%s/%s", name, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	if (length < 0)
		length = -errno;
	close(fd);
	text[length > 0 ? length : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return length < 0 ? length : (int)strlen(text);
}

static inline int config_make(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), LOOM_CONFIGFS "/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int config_remove(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), LOOM_CONFIGFS "/%s", name);
	return rmdir(path) ? -errno : 0;
}

/* A file of its node, or -errno. */
static inline int config_open(const char *name)
{
	char node[32], path[64];
	int64_t end = loom_soon();
	int fd, ret;

	/* devtmpfs makes it on another thread; in a storm it may be gone again */
	do {
		ret = config_read(name, "node", node, sizeof(node));
		if (ret <= 0)
			return ret ?: -ENXIO;
		snprintf(path, sizeof(path), "/dev/accel/%s", node);
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == ENOENT && loom_now_ns() < end);
	return fd < 0 ? -errno : fd;
}

#endif /* LOOM_CLIENT_H */
