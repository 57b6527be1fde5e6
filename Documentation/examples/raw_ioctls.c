// SPDX-License-Identifier: MIT
/*
 * The device without a library: only <drm/loom_accel.h> and libdrm. y = max(x, 0) on a plan that is
 * written by hand. One row of COLUMNS floats lies in each lane, that is, in each bank of SRAM.
 *
 *	raw_ioctls [/dev/accel/accelN]
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm/loom_accel.h>
#include <xf86drm.h>

#define COLUMNS	16
#define ROW	(COLUMNS * sizeof(float))

/* Tables may come in any order; the header says where each is. */
struct plan {
	struct drm_loom_plan_header header;
	struct drm_loom_plan_slot slots[2];
	struct drm_loom_plan_tensor tensors[4];
	struct drm_loom_plan_step steps[3];
	struct drm_loom_plan_command commands[3];
	struct drm_loom_plan_view views[6];
	struct drm_loom_attr_unary attr;
};

static struct drm_loom_table table(size_t offset, uint32_t count, uint32_t stride)
{
	return (struct drm_loom_table) { .offset = offset, .count = count, .stride = stride };
}

/* [lanes][COLUMNS]: in DRAM row after row in its slot; in SRAM a row per bank, at @offset. */
static struct drm_loom_plan_tensor tensor(uint32_t lanes, uint32_t region, uint32_t slot,
					  uint64_t offset, uint32_t first, uint32_t last)
{
	return (struct drm_loom_plan_tensor) {
		.region = region, .slot = slot, .offset = offset,
		.size = region == DRM_LOOM_REGION_SRAM ? ROW : ROW * lanes,
		.first_step = first, .last_step = last,
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 2, .lane_axis = 0,
		.dims = { lanes, COLUMNS }, .strides = { ROW, sizeof(float) },
	};
}

/* Step 0 loads x, step 1 computes, step 2 stores y. Tensors live from step @first to @last. */
static struct plan write_plan(uint32_t lanes)
{
	static const uint32_t operands[6] = { 1, 0, 2, 1, 3, 2 };
	static const uint16_t opcodes[3] = {
		DRM_LOOM_OP_LOAD, DRM_LOOM_OP_UNARY, DRM_LOOM_OP_STORE,
	};
	struct plan plan = {
		.header = {
			.magic = DRM_LOOM_PLAN_MAGIC, .version = DRM_LOOM_PLAN_VERSION,
			.size = sizeof(plan), .lanes = lanes, .scratch_bytes = 2 * ROW,
			.slots = table(offsetof(struct plan, slots), 2, sizeof(*plan.slots)),
			.tensors = table(offsetof(struct plan, tensors), 4, sizeof(*plan.tensors)),
			.steps = table(offsetof(struct plan, steps), 3, sizeof(*plan.steps)),
			.commands = table(offsetof(struct plan, commands), 3,
					  sizeof(*plan.commands)),
			.views = table(offsetof(struct plan, views), 6, sizeof(*plan.views)),
			.attrs = table(offsetof(struct plan, attr), sizeof(plan.attr), 1),
		},
		.slots = {
			{ .size = ROW * lanes, .flags = DRM_LOOM_SLOT_READ },
			{ .size = ROW * lanes, .flags = DRM_LOOM_SLOT_WRITE },
		},
		.tensors = {
			tensor(lanes, DRM_LOOM_REGION_DRAM, 0, 0, 0, 0),
			tensor(lanes, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1),
			tensor(lanes, DRM_LOOM_REGION_SRAM, 0, ROW, 1, 2),
			tensor(lanes, DRM_LOOM_REGION_DRAM, 1, 0, 2, 2),
		},
		.steps = { { 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 2, 1, 0, 0 } },
		.attr = { .kind = DRM_LOOM_UNARY_RELU },
	};
	uint32_t i;

	for (i = 0; i < 3; i++)
		plan.commands[i] = (struct drm_loom_plan_command) {
			.opcode = opcodes[i], .operands = 2, .first_view = 2 * i,
			.attr_size = opcodes[i] == DRM_LOOM_OP_UNARY ? sizeof(plan.attr) : 0,
		};
	for (i = 0; i < 6; i++)
		plan.views[i] = (struct drm_loom_plan_view) {
			.tensor = operands[i], .dtype = DRM_LOOM_DTYPE_F32, .rank = 2,
			.dims = { lanes, COLUMNS }, .strides = { ROW, sizeof(float) },
		};
	return plan;
}

/* drmIoctl() begins anew when a signal comes; all else is an error, which names the call. */
static void call(int fd, unsigned long request, void *argument, const char *name)
{
	if (drmIoctl(fd, request, argument)) {
		fprintf(stderr, "raw_ioctls: %s: %s\n", name, strerror(errno));
		exit(1);
	}
}

/* A buffer in DRAM, interleaved over its banks, as the linear bytes that a client sees. */
static float *buffer(int fd, uint64_t size, uint32_t *handle)
{
	struct drm_loom_bo_create create = { .size = size, .region = DRM_LOOM_REGION_DRAM };
	struct drm_loom_bo_info info = { 0 };
	void *bytes;

	call(fd, DRM_IOCTL_LOOM_BO_CREATE, &create, "BO_CREATE");
	info.handle = *handle = create.handle;
	call(fd, DRM_IOCTL_LOOM_BO_INFO, &info, "BO_INFO");
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info.mmap_offset);
	if (bytes == MAP_FAILED) {
		fprintf(stderr, "raw_ioctls: mmap: %s\n", strerror(errno));
		exit(1);
	}
	return bytes;
}

int main(int argc, char **argv)
{
	struct drm_loom_device_info info = { 0 };
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE, .ptr = (uintptr_t)&info, .size = sizeof(info),
	};
	struct drm_loom_context_create context = { .priority = DRM_LOOM_PRIORITY_NORMAL };
	struct drm_loom_reject reject = { 0 };
	struct drm_loom_plan_create create = { 0 };
	struct drm_loom_binding bindings[2] = { { .slot = 0 }, { .slot = 1 } };
	struct drm_loom_sync out = { 0 };
	struct drm_loom_submit submit = { 0 };
	int fd = open(argc > 1 ? argv[1] : "/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	struct plan plan;
	uint32_t i, wrong = 0, elements;
	float *x, *y;

	if (fd < 0) {
		perror("raw_ioctls");
		return 1;
	}
	call(fd, DRM_IOCTL_LOOM_QUERY, &query, "QUERY");
	elements = info.lanes * COLUMNS;
	plan = write_plan(info.lanes);
	x = buffer(fd, elements * sizeof(*x), &bindings[0].handle);
	y = buffer(fd, elements * sizeof(*y), &bindings[1].handle);
	for (i = 0; i < elements; i++)
		x[i] = (float)i - elements / 2.0f;

	create.ptr = (uintptr_t)&plan;
	create.size = sizeof(plan);
	create.reject = (uintptr_t)&reject;
	create.reject_size = sizeof(reject);
	if (drmIoctl(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &create)) {
		fprintf(stderr, "raw_ioctls: PLAN_CREATE: %s: rule %u, step %u, tensor %u\n",
			strerror(errno), reject.rule, reject.step, reject.tensor);
		return 1;
	}
	call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &context, "CONTEXT_CREATE");
	if (drmSyncobjCreate(fd, 0, &out.handle)) {
		perror("raw_ioctls: syncobj");
		return 1;
	}

	submit.context = context.context;
	submit.plan = create.plan;
	submit.bindings = (struct drm_loom_array) { sizeof(bindings[0]), 2, (uintptr_t)bindings };
	submit.out_syncs = (struct drm_loom_array) { sizeof(out), 1, (uintptr_t)&out };
	call(fd, DRM_IOCTL_LOOM_SUBMIT, &submit, "SUBMIT");
	if (drmSyncobjWait(fd, &out.handle, 1, INT64_MAX, 0, NULL)) {
		perror("raw_ioctls: wait");
		return 1;
	}

	for (i = 0; i < elements; i++)
		wrong += y[i] != (x[i] > 0 ? x[i] : 0);
	printf("%u lanes, %u elements, %u wrong; y[0] %g, y[%u] %g\n", info.lanes, elements, wrong,
	       y[0], elements - 1, y[elements - 1]);
	/* closing the file releases all that was made on it */
	close(fd);
	return wrong != 0;
}
