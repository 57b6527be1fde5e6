// SPDX-License-Identifier: GPL-2.0
/*
 * Native commands, on the skeleton of a back end (loom_template.ko): its formats, payloads that lie
 * about their operands, and with memory of its own what they do.
 */
#include "../loom_selftest.h"

#define NODES	"/sys/bus/platform/devices/loom-template/accel"

/* template/tile.h */
#define TILE_FORMAT_ID		0x454c4954544d454cull
#define TILE_FORMAT_VERSION	1

enum { FILL = 1, COPY, ADD };

enum {
	NO_SIZE = 1, NO_OPERAND_OF_IT, NO_OP, NO_OPERAND, NOT_WRITTEN, NO_LANES, NO_BYTES,
	UNDEFINED, OVERLAP,
};

struct insn {
	uint8_t op, to, from[2];
	uint16_t first_lane, lanes;
	uint32_t bytes, to_at, from_at[2];
};

struct native {
	struct drm_loom_attr_native attr;
	struct insn insns[4];
};

/* Operands of the command, and slots in this order but for the temporary. */
enum { OUT, TEMP, INOUT, IN, OPERANDS };

#define ROW	(LOOM_COLUMNS * (uint32_t)sizeof(float))
#define CYCLES	123456

FIXTURE(native)
{
	struct loom_client client;
	uint32_t lanes;
	struct native native;
	uint32_t tensors[OPERANDS];
	struct loom_builder builder;
	uint32_t handles[3];
};

/* A tensor in an SRAM slot of its own. */
static uint32_t bound(struct loom_builder *builder, uint32_t flags)
{
	uint32_t tensor = loom_builder_slot(builder, flags | DRM_LOOM_SLOT_SRAM, 0, 0);
	struct drm_loom_plan_tensor *t = &builder->tensors[tensor];

	t->region = DRM_LOOM_REGION_SRAM;
	t->flags = DRM_LOOM_TENSOR_SLOT;
	t->size = ROW;
	builder->slots[t->slot].size = ROW;
	return tensor;
}

FIXTURE_SETUP(native)
{
	struct loom_builder *builder = &self->builder;
	int fd = loom_open_in(NODES);

	self->client.fd = -1;
	if (fd < 0)
		SKIP(return, "no device that does nothing (loom_template.ko)");
	ASSERT_EQ(0, loom_client_open_fd(&self->client, fd));
	self->lanes = self->client.info.lanes;
	loom_builder_init(builder, self->lanes, LOOM_COLUMNS);
	builder->format = (struct drm_loom_format) {
		.id = TILE_FORMAT_ID, .version = TILE_FORMAT_VERSION,
	};
	self->tensors[OUT] = bound(builder, DRM_LOOM_SLOT_WRITE);
	self->tensors[INOUT] = bound(builder, DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE);
	self->tensors[IN] = bound(builder, DRM_LOOM_SLOT_READ);
	self->tensors[TEMP] = loom_builder_tensor(builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 0);
	loom_builder_step(builder);
	self->native.attr = (struct drm_loom_attr_native) {
		.cycles = CYCLES, .outputs = 1, .temporaries = 1, .inouts = 1,
	};
}

FIXTURE_TEARDOWN(native)
{
	loom_client_close(&self->client);
}

/* A plan of one command. Return: 0 or -errno. */
static int create(struct _test_data_native *self, uint32_t insns, struct drm_loom_reject *reject,
		  uint32_t *plan)
{
	struct loom_builder builder = self->builder;
	uint64_t size;
	void *blob;
	int ret;

	self->native.attr.payload_bytes = insns * sizeof(self->native.insns[0]);
	loom_builder_native(&builder, &self->native,
			    sizeof(self->native.attr) + self->native.attr.payload_bytes,
			    self->tensors, OPERANDS);
	blob = loom_builder_finish(&builder, &size);
	ret = loom_plan_create(self->client.fd, blob, size, reject, plan);
	free(blob);
	return ret;
}

TEST_F(native, the_format_is_listed)
{
	struct drm_loom_format formats[4] = {};
	struct drm_loom_query args = {
		.type = DRM_LOOM_QUERY_FORMATS, .ptr = (uintptr_t)formats, .size = sizeof(formats),
	};

	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_QUERY, &args));
	EXPECT_EQ(sizeof(formats[0]), args.size);
	EXPECT_EQ(TILE_FORMAT_ID, formats[0].id);
	EXPECT_EQ(TILE_FORMAT_VERSION, formats[0].version);
	args.index = 1;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_QUERY, &args));
	/* programs of before */
	EXPECT_EQ(DRM_LOOM_PLAN_VERSION, self->client.info.plan_version);
}

TEST_F(native, a_format_of_others_is_refused)
{
	struct drm_loom_reject reject;
	uint32_t plan;

	self->native.insns[0] = (struct insn) { FILL, OUT, {}, 0, self->lanes, ROW, 0, {} };
	EXPECT_EQ(0, create(self, 1, &reject, &plan));
	self->builder.format.version++;
	EXPECT_EQ(-EBADMSG, create(self, 1, &reject, &plan));
	EXPECT_EQ(DRM_LOOM_RULE_FORMAT, reject.rule);
}

TEST_F(native, payloads_that_lie_are_refused)
{
	const uint16_t all = self->lanes;
	const struct {
		struct insn insn;
		uint32_t reason;
	} lies[] = {
		{ { 9, OUT, {}, 0, all, ROW, 0, {} }, NO_OP },
		{ { FILL, OUT, { 0, 1 }, 0, all, ROW, 0, {} }, NO_OP },
		{ { FILL, OPERANDS, {}, 0, all, ROW, 0, {} }, NO_OPERAND },
		{ { COPY, OUT, { 255 }, 0, all, ROW, 0, {} }, NO_OPERAND },
		{ { FILL, IN, {}, 0, all, ROW, 0, {} }, NOT_WRITTEN },
		{ { FILL, OUT, {}, 0, all, ROW, 1, {} }, NO_BYTES },
		{ { FILL, OUT, {}, 0, all, ROW + 1, 0, {} }, NO_BYTES },
		{ { FILL, OUT, {}, 0, all, 8, ~0u - 3, {} }, NO_BYTES },
		{ { COPY, OUT, { IN }, 0, all, 8, 0, { ROW - 7 } }, NO_BYTES },
		{ { FILL, OUT, {}, 0, all + 1, ROW, 0, {} }, NO_LANES },
		{ { FILL, OUT, {}, 1, 0xffff, ROW, 0, {} }, NO_LANES },
		{ { COPY, OUT, { TEMP }, 0, all, ROW, 0, {} }, UNDEFINED },
		{ { COPY, INOUT, { INOUT }, 0, all, 8, 4, {} }, OVERLAP },
	};
	struct drm_loom_reject reject;
	uint32_t plan, i;

	for (i = 0; i < LOOM_ARRAY_SIZE(lies); i++) {
		self->native.insns[0] = (struct insn) { FILL, OUT, {}, 0, all, ROW, 0, {} };
		self->native.insns[1] = lies[i].insn;
		EXPECT_EQ(-EBADMSG, create(self, 2, &reject, &plan)) TH_LOG("lie %u", i);
		EXPECT_EQ(DRM_LOOM_RULE_PAYLOAD, reject.rule) TH_LOG("lie %u", i);
		EXPECT_EQ(DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND | DRM_LOOM_REJECT_PAYLOAD,
			  reject.valid);
		EXPECT_EQ(lies[i].reason, reject.reason) TH_LOG("lie %u", i);
		EXPECT_EQ(sizeof(struct insn), reject.payload_at);
	}
}

/* The declaration lies: the verifier's part. */
TEST_F(native, operands_that_overlap_are_refused)
{
	struct drm_loom_reject reject;
	uint32_t plan;

	self->native.insns[0] = (struct insn) { FILL, OUT, {}, 0, self->lanes, ROW, 0, {} };
	self->tensors[INOUT] = self->tensors[IN];
	EXPECT_EQ(-EBADMSG, create(self, 1, &reject, &plan));
	EXPECT_EQ(DRM_LOOM_RULE_READ_ONLY, reject.rule);
	self->builder.slots[2].flags |= DRM_LOOM_SLOT_WRITE;
	EXPECT_EQ(-EBADMSG, create(self, 1, &reject, &plan));
	EXPECT_EQ(DRM_LOOM_RULE_IN_PLACE, reject.rule);
	EXPECT_EQ(IN, reject.operand);
}

static bool has_own_memory(const struct loom_client *client)
{
	struct drm_loom_region_info sram;

	return !loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram) &&
	       sram.flags & DRM_LOOM_REGION_OWN;
}

static int make_buffers(struct _test_data_native *self)
{
	uint64_t size = (uint64_t)self->lanes * ROW;
	unsigned char *bytes = malloc(size);
	int ret = bytes ? 0 : -ENOMEM;
	uint32_t i, k;

#ifdef _LOOM_ACCEL_REPORT_H_
	/* the share of a file may be less than three rows, if there are shares */
	if (!ret) {
		ret = loom_exclusive(self->client.fd, &i);
		if (!ret)
			self->client.context = i;
		/* a kernel without such contexts does not know the flag */
		else if (ret == -EINVAL)
			ret = 0;
	}
#endif
	for (i = 0; !ret && i < 3; i++) {
		struct drm_loom_bo_create args = {
			.size = size, .region = DRM_LOOM_REGION_SRAM, .page_bytes = ROW,
		};

		ret = loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
		self->handles[i] = args.handle;
		for (k = 0; k < size; k++)
			bytes[k] = (i + 1) * 50 + k % 7;
		if (!ret && loom_bo_write(self->client.fd, args.handle, 0, bytes, size) !=
			    (int64_t)size)
			ret = -EIO;
	}
	free(bytes);
	return ret;
}

static int submit(struct _test_data_native *self, uint32_t plan, uint32_t sync)
{
	struct drm_loom_binding bindings[3];
	struct loom_job job;
	uint32_t i;

	for (i = 0; i < 3; i++)
		bindings[i] = (struct drm_loom_binding) { .slot = i, .handle = self->handles[i] };
	loom_job_init(&job, &self->client, plan, 3, sync);
	job.args.bindings.ptr = (uintptr_t)bindings;
	return loom_job_submit(self->client.fd, &job);
}

/* Byte @at of a lane of the result, by the instructions of the test below. */
static unsigned char expected(uint32_t slot, uint32_t lane, uint32_t at)
{
	unsigned char in = 150 + (lane * ROW + at) % 7, inout = 100 + (lane * ROW + at) % 7;

	if (slot == 0)
		return at < 8 ? 3 + in : 0;
	if (slot == 1)
		return lane == 1 && at >= 4 && at < 12 ? inout + 150 + (lane * ROW + at - 4) % 7 :
							 inout;
	return in;
}

TEST_F_TIMEOUT(native, they_write_as_declared_and_nothing_else, 60)
{
	const uint64_t size = (uint64_t)self->lanes * ROW;
	uint32_t plan, sync, slot, wrong, k;
	struct drm_loom_context_query query;
	struct drm_loom_reject reject;
	unsigned char *bytes = malloc(size);

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own");
	ASSERT_NE(NULL, bytes);
	ASSERT_LE(2, self->lanes);
	ASSERT_EQ(0, make_buffers(self));
	/* the output is written in part, the rest of it is zeroed; the in-out in one lane */
	self->native.insns[0] = (struct insn) { FILL, TEMP, { 3 }, 0, self->lanes, ROW, 0, {} };
	self->native.insns[1] = (struct insn) { ADD, OUT, { TEMP, IN }, 0, self->lanes, 8, 0, {} };
	self->native.insns[2] = (struct insn) { ADD, INOUT, { INOUT, IN }, 1, 1, 8, 4, { 4, 0 } };
	ASSERT_EQ(0, create(self, 3, &reject, &plan));
	sync = loom_sync_create(self->client.fd, 0);
	ASSERT_EQ(0, submit(self, plan, sync));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, sync, loom_soon()));
	EXPECT_EQ(1, loom_sync_status(self->client.fd, sync));
	for (slot = 0; slot < 3; slot++) {
		ASSERT_EQ((int64_t)size, loom_bo_read(self->client.fd, self->handles[slot], 0,
						      bytes, size));
		for (k = 0, wrong = 0; k < size; k++)
			wrong += bytes[k] != expected(slot, k / ROW, k % ROW);
		EXPECT_EQ(0, wrong) TH_LOG("slot %u", slot);
	}
	/* counted by the device, not as declared */
	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	EXPECT_NE(0, query.counters.cycles);
	EXPECT_NE(CYCLES, query.counters.cycles);
	free(bytes);
}

/* Slot 1 = slot 0 + slot 0, byte by byte, in buffers with an address in each bank of the DRAM. */
static int create_double(struct _test_data_native *self, uint32_t flag, uint32_t *plan)
{
	const struct native twice = {
		.attr = { .cycles = 1, .outputs = 1, .payload_bytes = sizeof(struct insn) },
		.insns = { { ADD, 0, { 1, 1 }, 0, self->lanes, ROW, 0, {} } },
	};
	struct loom_builder builder;
	uint32_t operands[2], out;
	uint64_t size;
	void *blob;
	int ret;

	loom_builder_load(&builder, self->lanes, &operands[1], &operands[0], &out);
	builder.format = self->builder.format;
	builder.slots[0].flags |= flag;
	builder.slots[1].flags |= flag;
	loom_builder_native(&builder, &twice, sizeof(twice.attr) + sizeof(struct insn), operands,
			    2);
	blob = loom_builder_store(&builder, out, operands[0], &size);
	ret = loom_plan_create(self->client.fd, blob, size, NULL, plan);
	free(blob);
	return ret;
}

TEST_F_TIMEOUT(native, they_take_an_address_per_bank_if_the_slot_says_so, 60)
{
	const uint64_t size = self->client.bytes;
	unsigned char *bytes = malloc(size), *results = malloc(size);
	uint32_t plan[2], sync = loom_sync_create(self->client.fd, 0), wrong = 0, k;
	struct drm_loom_bo_info in, out;

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own");
	ASSERT_TRUE(bytes && results);
	ASSERT_EQ(0, loom_uneven(self->client.fd, size, &in));
	ASSERT_EQ(0, loom_uneven(self->client.fd, size, &out));
	ASSERT_LT(1, in.banks);
	for (k = 0; k < size; k++)
		bytes[k] = k * 2654435761u >> 13;
	ASSERT_EQ((int64_t)size, loom_bo_write(self->client.fd, in.handle, 0, bytes, size));
	self->client.in = in.handle;
	self->client.out = out.handle;
	ASSERT_EQ(0, create_double(self, 0, &plan[0]));
	ASSERT_EQ(0, create_double(self, DRM_LOOM_SLOT_PER_BANK, &plan[1]));
	EXPECT_EQ(-EINVAL, loom_client_run(&self->client, plan[0], 2, 0));
	ASSERT_EQ(0, loom_client_run(&self->client, plan[1], 2, sync));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, sync, loom_soon()));
	EXPECT_EQ(1, loom_sync_status(self->client.fd, sync));
	ASSERT_EQ((int64_t)size, loom_bo_read(self->client.fd, out.handle, 0, results, size));
	for (k = 0; k < size; k++)
		wrong += results[k] != (unsigned char)(2 * bytes[k]);
	EXPECT_EQ(0, wrong);
	free(bytes);
	free(results);
}

/* A job with much work is stopped in the midst of it when its file is closed. */
TEST_F_TIMEOUT(native, it_ends_with_its_file, 60)
{
	struct drm_loom_reject reject;
	uint32_t plan, i;

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own");
	ASSERT_EQ(0, make_buffers(self));
	self->native.insns[0] = (struct insn) { FILL, OUT, { 1 }, 0, self->lanes, ROW, 0, {} };
	ASSERT_EQ(0, create(self, 1, &reject, &plan));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, submit(self, plan, 0));
}
