// SPDX-License-Identifier: MIT
/*
 * Measured: for how long the device's worker is not preempted at most, by operation: the driver
 * counts it (longest_chunk_ns in debugfs). Types and layouts are of the kind that bench_units finds
 * to be the worst, numbers are denormal. Of some short jobs the least is printed: in the others a
 * busy machine may have taken the processor away from the VM in the middle of a chunk.
 *
 * Baseline: 2^16 multiply-adds, each of which needs the one before, as in bench_units. So the
 * ratios of both can be compared, whatever the machine or the emulator.
 */
#include "client.h"

#define JOBS	100

/**
 * struct operand - a tensor in the SRAM
 * @dtype: of its elements
 * @lane_axis: the axis that is dealt over the banks
 * @shape: its dims
 */
struct operand {
	u8 dtype;
	u8 lane_axis;
	struct pb_shape shape;
};

#define OPERAND(_type, _lane_axis, ...)							\
	{ DRM_LOOM_DTYPE_##_type, _lane_axis, {						\
		sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32), { __VA_ARGS__ } } }

/**
 * struct trial - a command
 * @name: what is printed
 * @opcode: what it does
 * @attr: of it
 * @operands: the result, and what is read; behind the last, rank 0
 */
struct trial {
	const char *name;
	u16 opcode;
	const void *attr;
	struct operand operands[4];
};

static const struct drm_loom_attr_conv conv = {
	.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .groups = 1,
};

static const struct drm_loom_attr_pool pool = {
	.kind = DRM_LOOM_POOL_MAX, .kernel = { 1, 16, 16 }, .stride = { 1, 1, 1 },
	.dilation = { 1, 1, 1 },
};

static const struct drm_loom_attr_matmul matmul = { .alpha = 0x3f800000, .beta = 0x3f800000 };
static const struct drm_loom_attr_binary power = { .kind = DRM_LOOM_BINARY_POW };
static const struct drm_loom_attr_unary unary = { .kind = DRM_LOOM_UNARY_ERF };
static const struct drm_loom_attr_reduce reduce = { .kind = DRM_LOOM_REDUCE_SUM };
static const struct drm_loom_attr_softmax softmax = { .axis = 1 };
static const struct drm_loom_attr_resize resize = {
	.mode = DRM_LOOM_RESIZE_CUBIC, .in_size = { 1, 16, 32 }, .out_size = { 1, 32, 64 },
	.scale = { 0x3f800000, 0x3f000000, 0x3f000000 },
	.roi_end = { 0x3f800000, 0x3f800000, 0x3f800000 }, .cubic_a = 0xbf400000,
};

static const struct trial trials[] = {
	{ "CONV f32", DRM_LOOM_OP_CONV, &conv, { OPERAND(F32, 1, 1, 16, 1, 2, 33),
	  OPERAND(F32, 1, 1, 4, 1, 6, 37), OPERAND(F32, 0, 16, 4, 1, 5, 5) } },
	{ "CONV f16", DRM_LOOM_OP_CONV, &conv, { OPERAND(F16, 1, 1, 16, 1, 2, 33),
	  OPERAND(F16, 1, 1, 4, 1, 6, 37), OPERAND(F16, 0, 16, 4, 1, 5, 5) } },
	{ "POOL f32", DRM_LOOM_OP_POOL, &pool, { OPERAND(F32, 1, 1, 16, 1, 1, 33),
	  OPERAND(F32, 1, 1, 16, 1, 16, 48) } },
	{ "MATMUL f32", DRM_LOOM_OP_MATMUL, &matmul, { OPERAND(F32, 2, 1, 1, 16, 64),
	  OPERAND(F32, 2, 1, 1, 16, 96), OPERAND(F32, 3, 1, 1, 96, 64) } },
	{ "BINARY f32, power", DRM_LOOM_OP_BINARY, &power, { OPERAND(F32, 0, 16, 2048),
	  OPERAND(F32, 0, 16, 2048), OPERAND(F32, 0, 16, 2048) } },
	{ "UNARY f32, erf", DRM_LOOM_OP_UNARY, &unary, { OPERAND(F32, 0, 16, 2048),
	  OPERAND(F32, 0, 16, 2048) } },
	{ "REDUCE f64", DRM_LOOM_OP_REDUCE, &reduce, { OPERAND(F64, 0, 16, 1),
	  OPERAND(F64, 0, 16, 4096) } },
	{ "SOFTMAX f32", DRM_LOOM_OP_SOFTMAX, &softmax, { OPERAND(F32, 0, 16, 4096),
	  OPERAND(F32, 0, 16, 4096) } },
	{ "RESIZE f32, cubic", DRM_LOOM_OP_RESIZE, &resize, { OPERAND(F32, 1, 1, 16, 1, 32, 64),
	  OPERAND(F32, 1, 1, 16, 1, 16, 32) } },
	{ "QUANTIZE i8", DRM_LOOM_OP_QUANTIZE, NULL, { OPERAND(I8, 0, 16, 2048),
	  OPERAND(F32, 0, 16, 2048), OPERAND(F32, 0, 16, 2048), OPERAND(I8, 0, 16, 2048) } },
};

/* Numbers so that products of the first two that are read are denormal. */
static u32 bits(u8 dtype, u32 operand)
{
	if (dtype == DRM_LOOM_DTYPE_F32)
		return operand == 1 ? 0x00012345 : 0x3f7fffff;
	if (dtype == DRM_LOOM_DTYPE_F16)
		return operand == 1 ? 0x0123 : 0x3bff;
	return 1;
}

/* Places operand @i at *@at of each bank. What is read is filled in the first step. */
static u32 place(struct plan_builder *pb, const struct operand *operand, u32 i, u64 *at)
{
	struct drm_loom_attr_fill fill = { .bits = bits(operand->dtype, i) };
	u32 tensor = pb_add_sram(pb, *at, i ? 0 : 1, 1, operand->dtype, operand->lane_axis,
				 operand->shape);

	*at = (*at + pb_tensor(pb, tensor)->size + 63) & ~63ULL;
	if (i)
		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, tensor)));
	return tensor;
}

static uint32_t make(const struct client *client, const struct trial *trial)
{
	u32 attr_bytes = loom_op_get(trial->opcode)->attr_size, i;
	struct pb_views views = { 0 };
	struct plan_builder pb;
	u64 at = 0;

	pb_init(&pb, client->info.lanes, 0);
	pb_begin_step(&pb);
	for (i = 0; i < ARRAY_SIZE(trial->operands) && trial->operands[i].shape.rank; i++) {
		u32 tensor = place(&pb, &trial->operands[i], i, &at);

		views.view[views.count++] = pb_all(&pb, tensor);
	}
	pb.header.scratch_bytes = at;
	pb_begin_step(&pb);
	pb_add_views(&pb, trial->opcode, trial->attr, attr_bytes, &views);
	return client_plan(client, &pb);
}

/* Return: ns of the longest chunk of a job, the least of some. */
static uint64_t longest(const struct client *client, uint32_t plan, uint32_t syncobj)
{
	struct drm_loom_sync out = { .handle = syncobj };
	struct drm_loom_submit submit = {
		.context = client->context,
		.plan = plan,
		.out_syncs = { sizeof(out), 1, (uintptr_t)&out },
	};
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&syncobj,
		.count_handles = 1,
		.timeout_nsec = INT64_MAX,
	};
	uint64_t best = UINT64_MAX, ns;

	for (int job = 0; job < JOBS; job++) {
		(void)client_longest_chunk_ns();
		if (ioctl(client->fd, DRM_IOCTL_LOOM_SUBMIT, &submit))
			fail("SUBMIT");
		if (ioctl(client->fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait))
			fail("SYNCOBJ_WAIT");
		ns = client_longest_chunk_ns();
		best = ns < best ? ns : best;
	}
	return best;
}

int main(void)
{
	struct drm_syncobj_create syncobj = { 0 };
	struct client client;
	double loop_ns;

	if (!client_open(&client)) {
		printf("vm_chunk: no loom device here, nothing measured\n");
		return 0;
	}
	if (ioctl(client.fd, DRM_IOCTL_SYNCOBJ_CREATE, &syncobj))
		fail("SYNCOBJ_CREATE");
	loop_ns = calibrated_loop_ns();
	printf("65536 dependent multiply-adds take %.1f us\n", loop_ns / 1000);
	printf("%-20s %12s %7s\n", "operation", "longest us", "ratio");
	for (u32 i = 0; i < ARRAY_SIZE(trials); i++) {
		double ns = (double)longest(&client, make(&client, &trials[i]), syncobj.handle);

		printf("%-20s %12.1f %7.2f\n", trials[i].name, ns / 1000, ns / loop_ns);
		fflush(stdout);
	}
	close(client.fd);
	return 0;
}
