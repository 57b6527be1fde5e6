/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SELFTEST_H
#define LOOM_SELFTEST_H

/*
 * What the selftests share: the node, its ioctls as functions that return 0 or -errno, and
 * a small builder for plans. Nothing here but the UAPI header knows the driver.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm/loom_accel.h>

#include "../kselftest_harness.h"

/* an emulated machine with every instrument on is a hundred times slower than a real one */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	400
#undef TEST_F_TIMEOUT
#define TEST_F_TIMEOUT(fixture_name, test_name, timeout) \
	__TEST_F_IMPL(fixture_name, test_name, -1, 4 * (timeout))

#define LOOM_SECOND_NS	1000000000LL
#define LOOM_MSEC_NS	1000000LL
/* an emulated machine with everything else on it still makes it in this time */
#define LOOM_SOON_NS	(60 * LOOM_SECOND_NS)
#define LOOM_PAGE	4096

#define LOOM_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * A child that does not outlive its parent: a test that fails leaves none behind that keeps
 * buffers, or the pipe to the runner, open.
 */
static inline pid_t loom_fork(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(KSFT_FAIL);
	return child;
}

/*
 * How often to do what is done by chance, or often: LOOM_EFFORT of 100 of @rounds, all of them if
 * it is not in the environment. For a kernel that takes ten times as long for each.
 */
static inline uint32_t loom_effort(uint32_t rounds)
{
	const char *text = getenv("LOOM_EFFORT");
	uint64_t percent = text ? strtoul(text, NULL, 10) : 100;

	if (percent >= 100)
		return rounds;
	return rounds * percent / 100 ? rounds * percent / 100 : 1;
}

/* ---------------------------------------------------------------- the node */

static inline int loom_call(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

/* The first node in /sys/class/accel that says it is loom. Return: a file, or -errno. */
static inline int loom_open(void)
{
	DIR *dir = opendir("/sys/class/accel");
	struct dirent *entry;
	int found = -ENODEV;

	if (!dir)
		return -ENODEV;
	while (found < 0 && (entry = readdir(dir))) {
		char path[300], name[16] = {};
		struct drm_version version = { .name = name, .name_len = sizeof(name) };
		int fd;

		if (strncmp(entry->d_name, "accel", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!loom_call(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
		    !memcmp(name, "loom", 4))
			found = fd;
		else
			close(fd);
	}
	closedir(dir);
	return found;
}

/* In the place of TEST_HARNESS_MAIN: without a device the program skips, as a whole. */
static inline int loom_selftest_main(int argc, char **argv)
{
	int fd = loom_open();

	if (fd < 0) {
		ksft_print_header();
		ksft_exit_skip("no loom device\n");
	}
	close(fd);
	return test_harness_run(argc, argv);
}

static inline int64_t loom_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * LOOM_SECOND_NS + now.tv_nsec;
}

static inline int loom_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* An address that nothing is mapped at, with a page below that can be written. */
static inline char *loom_unmapped(void)
{
	char *page = mmap(NULL, 2 * LOOM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		exit(KSFT_FAIL);
	munmap(page + LOOM_PAGE, LOOM_PAGE);
	return page + LOOM_PAGE;
}

/* ----------------------------------------------------------------- queries */

static inline int loom_query(int fd, uint32_t type, uint32_t index, void *ptr, uint32_t *size)
{
	struct drm_loom_query args = {
		.type = type,
		.index = index,
		.ptr = (uintptr_t)ptr,
		.size = *size,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_QUERY, &args);

	*size = args.size;
	return ret;
}

static inline int loom_query_device(int fd, struct drm_loom_device_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return loom_query(fd, DRM_LOOM_QUERY_DEVICE, 0, info, &size);
}

static inline int loom_query_region(int fd, uint32_t region, struct drm_loom_region_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return loom_query(fd, DRM_LOOM_QUERY_REGION, region, info, &size);
}

/* All blocks, to be freed by the caller. */
static inline struct drm_loom_block *loom_query_blocks(int fd, uint32_t region, uint32_t *count)
{
	struct drm_loom_block *blocks = NULL;
	uint32_t size = 0, room;

	do {
		room = size;
		free(blocks);
		blocks = malloc(room + 1);
		if (loom_query(fd, DRM_LOOM_QUERY_BLOCKS, region, room ? blocks : NULL, &size)) {
			free(blocks);
			return NULL;
		}
	} while (size > room);
	*count = size / sizeof(*blocks);
	return blocks;
}

/* ----------------------------------------------------------------- buffers */

static inline int loom_bo_create(int fd, uint64_t size, uint32_t region, uint32_t *handle)
{
	struct drm_loom_bo_create args = { .size = size, .region = region };
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static inline int loom_bo_info(int fd, uint32_t handle, struct drm_loom_bo_info *info)
{
	*info = (struct drm_loom_bo_info) { .handle = handle };
	return loom_call(fd, DRM_IOCTL_LOOM_BO_INFO, info);
}

static inline int loom_bo_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_loom_bo_wait args = { .handle = handle, .timeout_ns = timeout_ns };

	return loom_call(fd, DRM_IOCTL_LOOM_BO_WAIT, &args);
}

static inline int loom_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return loom_call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static inline void *loom_bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_loom_bo_info info;

	if (loom_bo_info(fd, handle, &info))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
}

/* ------------------------------------------------------ contexts and plans */

static inline int loom_context_create(int fd, uint32_t priority, uint32_t *context)
{
	struct drm_loom_context_create args = { .priority = priority };
	int ret = loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	*context = args.context;
	return ret;
}

static inline int loom_context_destroy(int fd, uint32_t context)
{
	struct drm_loom_context_destroy args = { .context = context };

	return loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &args);
}

static inline int loom_context_query(int fd, uint32_t context,
				     struct drm_loom_context_query *query)
{
	*query = (struct drm_loom_context_query) { .context = context };
	return loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_QUERY, query);
}

static inline int loom_plan_create(int fd, const void *blob, uint64_t size,
				   struct drm_loom_reject *reject, uint32_t *plan)
{
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)blob,
		.size = size,
		.reject = (uintptr_t)reject,
		.reject_size = reject ? sizeof(*reject) : 0,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);

	*plan = args.plan;
	return ret;
}

static inline int loom_plan_destroy(int fd, uint32_t plan)
{
	struct drm_loom_plan_destroy args = { .plan = plan };

	return loom_call(fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &args);
}

/* ------------------------------------------------------------------ fences */

static inline uint32_t loom_sync_create(int fd, uint32_t flags)
{
	struct drm_syncobj_create args = { .flags = flags };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args) ? 0 : args.handle;
}

static inline int loom_sync_destroy(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

static inline int loom_sync_reset(int fd, uint32_t handle)
{
	struct drm_syncobj_array args = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_RESET, &args);
}

/* 0, -ETIME, or -EINVAL when nothing has been submitted to it. */
static inline int loom_sync_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

static inline int loom_sync_wait_point(int fd, uint32_t handle, uint64_t point, int64_t timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return loom_call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

static inline int64_t loom_soon(void)
{
	return loom_now_ns() + LOOM_SOON_NS;
}

/* ------------------------------------------------------- a builder of plans */

/*
 * Tensors are [lanes][columns] of F32: a row lies in a lane, so an SRAM tensor takes a
 * row of bytes per bank. Commands go into the step that was begun last.
 */
struct loom_builder {
	uint32_t lanes;
	uint32_t columns;
	uint64_t scratch_bytes;
	struct drm_loom_plan_slot slots[DRM_LOOM_MAX_SLOTS + 1];
	struct drm_loom_plan_tensor tensors[DRM_LOOM_MAX_SLOTS + 8];
	struct drm_loom_plan_step steps[8];
	struct drm_loom_plan_command *commands;
	struct drm_loom_plan_view *views;
	unsigned char attrs[1024];
	uint32_t slot_count, tensor_count, step_count, command_count, view_count, attr_bytes;
};

static inline void loom_builder_init(struct loom_builder *builder, uint32_t lanes,
				     uint32_t columns)
{
	*builder = (struct loom_builder) { .lanes = lanes, .columns = columns };
}

static inline uint64_t loom_builder_row_bytes(const struct loom_builder *builder)
{
	return (uint64_t)builder->columns * sizeof(float);
}

static inline uint64_t loom_builder_tensor_bytes(const struct loom_builder *builder)
{
	return builder->lanes * loom_builder_row_bytes(builder);
}

static inline uint32_t loom_builder_tensor(struct loom_builder *builder, uint32_t region,
					   uint32_t slot, uint64_t offset, uint32_t first_step,
					   uint32_t last_step)
{
	uint64_t row = loom_builder_row_bytes(builder);
	struct drm_loom_plan_tensor *tensor = &builder->tensors[builder->tensor_count];

	*tensor = (struct drm_loom_plan_tensor) {
		.region = region,
		.slot = slot,
		.offset = offset,
		.size = region == DRM_LOOM_REGION_SRAM ? row : row * builder->lanes,
		.first_step = first_step,
		.last_step = last_step,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { builder->lanes, builder->columns },
		.strides = { row, sizeof(float) },
	};
	if (region == DRM_LOOM_REGION_SRAM && builder->scratch_bytes < offset + row)
		builder->scratch_bytes = offset + row;
	return builder->tensor_count++;
}

/* A slot that is one tensor. Return: the tensor. */
static inline uint32_t loom_builder_slot(struct loom_builder *builder, uint32_t flags,
					 uint32_t first_step, uint32_t last_step)
{
	builder->slots[builder->slot_count] = (struct drm_loom_plan_slot) {
		.size = loom_builder_tensor_bytes(builder),
		.flags = flags,
	};
	return loom_builder_tensor(builder, DRM_LOOM_REGION_DRAM, builder->slot_count++, 0,
				   first_step, last_step);
}

static inline void loom_builder_step(struct loom_builder *builder)
{
	builder->steps[builder->step_count++] = (struct drm_loom_plan_step) {
		.first_command = builder->command_count,
	};
}

static inline struct drm_loom_plan_view *loom_builder_view(struct loom_builder *builder,
							   uint32_t tensor)
{
	struct drm_loom_plan_view *view = &builder->views[builder->view_count++];

	*view = (struct drm_loom_plan_view) {
		.tensor = tensor,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { builder->lanes, builder->columns },
		.strides = { loom_builder_row_bytes(builder), sizeof(float) },
	};
	return view;
}

/* y = op(x) on whole tensors. Attributes that are the same bytes are kept once. */
static inline struct drm_loom_plan_view *loom_builder_command(struct loom_builder *builder,
							      uint32_t opcode, const void *attr,
							      uint32_t attr_size, uint32_t y,
							      uint32_t x)
{
	struct drm_loom_plan_step *step = &builder->steps[builder->step_count - 1];
	struct drm_loom_plan_view *views;
	uint32_t offset = 0;

	builder->commands = realloc(builder->commands, (builder->command_count + 1) *
				    sizeof(*builder->commands));
	builder->views = realloc(builder->views, (builder->view_count + 2) *
				 sizeof(*builder->views));
	if (!builder->commands || !builder->views)
		exit(KSFT_FAIL);
	while (attr_size && offset < builder->attr_bytes &&
	       memcmp(&builder->attrs[offset], attr, attr_size))
		offset += 8;
	if (attr_size && offset >= builder->attr_bytes) {
		memcpy(&builder->attrs[offset], attr, attr_size);
		builder->attr_bytes = offset + (attr_size + 7) / 8 * 8;
	}
	builder->commands[builder->command_count++] = (struct drm_loom_plan_command) {
		.opcode = opcode,
		.operands = 2,
		.first_view = builder->view_count,
		.attr_size = attr_size,
		.attr_offset = attr_size ? offset : 0,
	};
	if (opcode < DRM_LOOM_OP_CONV)
		step->dma_commands++;
	else
		step->compute_commands++;
	loom_builder_view(builder, y);
	loom_builder_view(builder, x);
	views = &builder->views[builder->view_count - 2];
	return views;
}

/* The blob, to be freed by the caller. The builder is empty afterwards. */
static inline void *loom_builder_finish(struct loom_builder *builder, uint64_t *size)
{
	struct drm_loom_plan_header header = {
		.magic = DRM_LOOM_PLAN_MAGIC,
		.version = DRM_LOOM_PLAN_VERSION,
		.lanes = builder->lanes,
		.scratch_bytes = builder->scratch_bytes,
	};
	struct {
		struct drm_loom_table *table;
		const void *entries;
		uint32_t count, stride;
	} tables[] = {
		{ &header.slots, builder->slots, builder->slot_count, sizeof(*builder->slots) },
		{ &header.tensors, builder->tensors, builder->tensor_count,
		  sizeof(*builder->tensors) },
		{ &header.steps, builder->steps, builder->step_count, sizeof(*builder->steps) },
		{ &header.commands, builder->commands, builder->command_count,
		  sizeof(*builder->commands) },
		{ &header.views, builder->views, builder->view_count, sizeof(*builder->views) },
		{ &header.attrs, builder->attrs, builder->attr_bytes, 1 },
	};
	unsigned char *blob;
	unsigned int i;

	header.size = sizeof(header);
	for (i = 0; i < LOOM_ARRAY_SIZE(tables); i++) {
		*tables[i].table = (struct drm_loom_table) {
			.offset = header.size,
			.count = tables[i].count,
			.stride = tables[i].stride,
		};
		header.size += (uint64_t)tables[i].count * tables[i].stride;
	}
	blob = malloc(header.size);
	if (!blob)
		exit(KSFT_FAIL);
	memcpy(blob, &header, sizeof(header));
	for (i = 0; i < LOOM_ARRAY_SIZE(tables); i++)
		if (tables[i].count)
			memcpy(blob + tables[i].table->offset, tables[i].entries,
			       (uint64_t)tables[i].count * tables[i].stride);
	free(builder->commands);
	free(builder->views);
	*size = header.size;
	return blob;
}

#define LOOM_COLUMNS	1024

/* No slots, no steps. */
static inline void *loom_plan_blob_null(uint32_t lanes, uint64_t *size)
{
	struct loom_builder builder;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	return loom_builder_finish(&builder, size);
}

/* Slot 1 = op(slot 0), by way of two tensors in the scratch. Steps: load, compute, store. */
static inline void *loom_plan_blob_unary(uint32_t lanes, uint32_t kind, uint64_t *size)
{
	struct drm_loom_attr_unary attr = { .kind = kind };
	struct loom_builder builder;
	uint32_t in, out, x, y;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	out = loom_builder_slot(&builder, DRM_LOOM_SLOT_WRITE, 2, 2);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
	y = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, loom_builder_row_bytes(&builder),
				1, 2);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), y, x);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, out, y);
	return loom_builder_finish(&builder, size);
}

/*
 * Slot 1 = the sum over slot 0, read @repeat times with a stride of zero, and all of
 * that @rounds times: few bytes of plan, much work.
 */
static inline void *loom_plan_blob_work(uint32_t lanes, uint32_t repeat, uint32_t rounds,
					uint64_t *size)
{
	struct drm_loom_attr_reduce attr = { .kind = DRM_LOOM_REDUCE_SUM };
	struct loom_builder builder;
	uint32_t in, out, x, y;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	out = loom_builder_slot(&builder, DRM_LOOM_SLOT_WRITE, 2, 2);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
	y = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, loom_builder_row_bytes(&builder),
				1, 2);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	loom_builder_step(&builder);
	while (rounds--) {
		struct drm_loom_plan_view *views;

		views = loom_builder_command(&builder, DRM_LOOM_OP_REDUCE, &attr, sizeof(attr),
					     y, x);
		views[0].rank = 3;
		views[0].dims[2] = 1;
		views[0].strides[2] = 0;
		views[1].rank = 3;
		views[1].dims[2] = repeat;
		views[1].strides[2] = 0;
	}
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, out, y);
	return loom_builder_finish(&builder, size);
}

/* -------------------------------------------------------------- a client */

/* A file with all that it takes to run a plan of two slots. */
struct loom_client {
	int fd;
	uint32_t context;
	struct drm_loom_device_info info;
	uint64_t bytes;
	/* slots 0 and 1 */
	uint32_t in, out;
};

static inline int loom_client_open(struct loom_client *client)
{
	int ret;

	*client = (struct loom_client) { .fd = loom_open() };
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

/* Longer than anybody wants to wait, on any machine. */
static inline uint32_t loom_client_plan_endless(const struct loom_client *client)
{
	uint64_t size;
	void *blob = loom_plan_blob_work(client->info.lanes, 65536, 2000, &size);

	return loom_client_plan(client, blob, size);
}

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

/* Whether the device does what it should, for a client that never did any harm. */
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

#endif /* LOOM_SELFTEST_H */
