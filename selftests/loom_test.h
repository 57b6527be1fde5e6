/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEST_H
#define LOOM_TEST_H

/*
 * What the selftests say to the node, each call once. All return 0 or -errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm/loom_accel.h>

#define SECOND_NS	1000000000LL
#define PARAMETER	"/sys/module/loom/parameters/job_timeout_ms"
#define BUS_DRIVER	"/sys/bus/platform/drivers/loom-soft/"

/* --------------------------------------------------------------- the node */

static inline int call(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

static inline int node_open(void)
{
	char path[32], name[16];
	int fd, i;

	for (i = 0; i < 16; i++) {
		struct drm_version version = { .name = name, .name_len = sizeof(name) };

		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!call(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
		    !memcmp(name, "loom", 4))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND_NS + t.tv_nsec;
}

static inline int bo_create(int fd, uint64_t size, uint32_t region, uint32_t *handle)
{
	struct drm_loom_bo_create args = { .size = size, .region = region };
	int ret = call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static inline int bo_info(int fd, uint32_t handle, struct drm_loom_bo_info *info)
{
	*info = (struct drm_loom_bo_info) { .handle = handle };
	return call(fd, DRM_IOCTL_LOOM_BO_INFO, info);
}

static inline void *bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_loom_bo_info info;

	if (bo_info(fd, handle, &info))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
}

static inline int bo_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_loom_bo_wait args = { .handle = handle, .timeout_ns = timeout_ns };

	return call(fd, DRM_IOCTL_LOOM_BO_WAIT, &args);
}

static inline int bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static inline int region_info(int fd, uint32_t region, struct drm_loom_region_info *info)
{
	struct drm_loom_query query = {
		.type = LOOM_QUERY_REGION,
		.index = region,
		.ptr = (uintptr_t)info,
		.size = sizeof(*info),
	};

	return call(fd, DRM_IOCTL_LOOM_QUERY, &query);
}

static inline int context_create(int fd, uint32_t priority, uint32_t *context)
{
	struct drm_loom_context_create args = { .priority = priority };
	int ret = call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	*context = args.context;
	return ret;
}

static inline int context_query(int fd, uint32_t context, struct drm_loom_context_query *query)
{
	*query = (struct drm_loom_context_query) { .context = context };
	return call(fd, DRM_IOCTL_LOOM_CONTEXT_QUERY, query);
}

static inline uint32_t syncobj_create(int fd, uint32_t flags)
{
	struct drm_syncobj_create args = { .flags = flags };

	return call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args) ? 0 : args.handle;
}

static inline int syncobj_wait(int fd, uint32_t handle, int64_t timeout_ns)
{
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

static inline int timeline_wait(int fd, uint32_t handle, uint64_t point, int64_t timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* -------------------------------------------------------------- the plans */

/* Loads a tensor, goes over it as many times as asked for, stores it. */
struct plan {
	struct drm_loom_plan_header header;
	struct drm_loom_plan_slot slots[2];
	struct drm_loom_plan_tensor tensors[3];
	struct drm_loom_plan_step steps[3];
	struct drm_loom_attr_unary attr;
	/* commands, then views */
	unsigned char tail[];
};

#define TENSOR_COLUMNS	1024

static inline struct drm_loom_plan_tensor plan_tensor(uint32_t region, uint32_t slot,
						      uint32_t lanes, uint32_t first, uint32_t last)
{
	uint64_t row = TENSOR_COLUMNS * sizeof(float);

	return (struct drm_loom_plan_tensor) {
		.region = region,
		.slot = slot,
		.size = region == LOOM_REGION_SRAM ? row : row * lanes,
		.first_step = first,
		.last_step = last,
		.dtype = LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { lanes, TENSOR_COLUMNS },
		.strides = { row, sizeof(float) },
	};
}

static inline struct drm_loom_plan_view plan_view(uint32_t tensor, uint32_t lanes)
{
	return (struct drm_loom_plan_view) {
		.tensor = tensor,
		.dtype = LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { lanes, TENSOR_COLUMNS },
		.strides = { TENSOR_COLUMNS * sizeof(float), sizeof(float) },
	};
}

static inline int plan_create(int fd, const void *blob, uint64_t size, uint32_t *plan)
{
	struct drm_loom_reject reject = {};
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)blob,
		.size = size,
		.reject = (uintptr_t)&reject,
		.reject_size = sizeof(reject),
	};
	int ret = call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);

	if (ret == -EBADMSG)
		printf("# PLAN_CREATE: %d, rule %u step %u command %u operand %u tensor %u\n", ret,
		       reject.rule, reject.step, reject.command, reject.operand, reject.tensor);
	*plan = args.plan;
	return ret;
}

static inline int plan_create_null(int fd, uint32_t lanes, uint32_t *plan)
{
	struct drm_loom_plan_header header = {
		.magic = LOOM_PLAN_MAGIC,
		.version = LOOM_PLAN_VERSION,
		.size = sizeof(header),
		.lanes = lanes,
		.slots = { sizeof(header), 0, sizeof(struct drm_loom_plan_slot) },
		.tensors = { sizeof(header), 0, sizeof(struct drm_loom_plan_tensor) },
		.steps = { sizeof(header), 0, sizeof(struct drm_loom_plan_step) },
		.commands = { sizeof(header), 0, sizeof(struct drm_loom_plan_command) },
		.views = { sizeof(header), 0, sizeof(struct drm_loom_plan_view) },
		.attrs = { sizeof(header), 0, 1 },
	};

	return plan_create(fd, &header, sizeof(header), plan);
}

/*
 * Slot 0 is read, slot 1 written; @rounds commands in between. Returns the bytes it
 * takes, zero if there is no room; with no @room at all, only counts.
 */
static inline uint64_t plan_fill_rounds(void *room, uint64_t room_bytes, uint32_t lanes,
					uint32_t kind, uint32_t rounds)
{
	uint32_t count = rounds + 2, i;
	uint64_t size = sizeof(struct plan) + count * (sizeof(struct drm_loom_plan_command) +
						       2 * sizeof(struct drm_loom_plan_view));
	struct plan *plan = room;
	struct drm_loom_plan_command *commands = (void *)plan->tail;
	struct drm_loom_plan_view *views = (void *)(commands + count);
	uint64_t bytes = lanes * TENSOR_COLUMNS * sizeof(float);

	if (!room)
		return size;
	if (size > room_bytes)
		return 0;
	memset(room, 0, size);
	plan->header = (struct drm_loom_plan_header) {
		.magic = LOOM_PLAN_MAGIC,
		.version = LOOM_PLAN_VERSION,
		.size = size,
		.lanes = lanes,
		.scratch_bytes = TENSOR_COLUMNS * sizeof(float),
		.slots = { offsetof(struct plan, slots), 2, sizeof(plan->slots[0]) },
		.tensors = { offsetof(struct plan, tensors), 3, sizeof(plan->tensors[0]) },
		.steps = { offsetof(struct plan, steps), 3, sizeof(plan->steps[0]) },
		.commands = { offsetof(struct plan, tail), count, sizeof(commands[0]) },
		.views = { (char *)views - (char *)plan, 2 * count, sizeof(views[0]) },
		.attrs = { offsetof(struct plan, attr), sizeof(plan->attr), 1 },
	};
	plan->slots[0] = (struct drm_loom_plan_slot) { .size = bytes, .flags = LOOM_SLOT_READ };
	plan->slots[1] = (struct drm_loom_plan_slot) { .size = bytes, .flags = LOOM_SLOT_WRITE };
	plan->tensors[0] = plan_tensor(LOOM_REGION_DRAM, 0, lanes, 0, 0);
	plan->tensors[1] = plan_tensor(LOOM_REGION_DRAM, 1, lanes, 2, 2);
	plan->tensors[2] = plan_tensor(LOOM_REGION_SRAM, 0, lanes, 0, 2);
	plan->steps[0] = (struct drm_loom_plan_step) { .first_command = 0, .dma_commands = 1 };
	plan->steps[1] = (struct drm_loom_plan_step) {
		.first_command = 1,
		.compute_commands = rounds,
	};
	plan->steps[2] = (struct drm_loom_plan_step) {
		.first_command = rounds + 1,
		.dma_commands = 1,
	};
	plan->attr.kind = kind;
	for (i = 0; i < count; i++) {
		commands[i] = (struct drm_loom_plan_command) {
			.opcode = i == 0 ? LOOM_OP_LOAD :
				  i == count - 1 ? LOOM_OP_STORE : LOOM_OP_UNARY,
			.operands = 2,
			.first_view = 2 * i,
			.attr_size = i && i < count - 1 ? sizeof(plan->attr) : 0,
		};
		views[2 * i] = plan_view(i == count - 1 ? 1 : 2, lanes);
		views[2 * i + 1] = plan_view(i == 0 ? 0 : 2, lanes);
	}
	return size;
}

static inline int plan_create_rounds(int fd, uint32_t lanes, uint32_t kind, uint32_t rounds,
				     uint32_t *plan)
{
	uint64_t size = plan_fill_rounds(NULL, 0, lanes, kind, rounds);
	void *blob = malloc(size);
	int ret = -ENOMEM;

	if (blob && plan_fill_rounds(blob, size, lanes, kind, rounds))
		ret = plan_create(fd, blob, size, plan);
	free(blob);
	return ret;
}

#endif /* LOOM_TEST_H */
