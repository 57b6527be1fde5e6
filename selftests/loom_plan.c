// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: accepted, or refused with a record that says why, and no worse than refused, whatever the
 * bytes are.
 */
#include "loom_selftest.h"

FIXTURE(plan)
{
	struct loom_client client;
	unsigned char *blob;
	uint64_t size;
};

FIXTURE_SETUP(plan)
{
	int ret = loom_client_open(&self->client);

	if (ret == -ENODEV)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, ret);
	self->blob =
		loom_plan_blob_unary(self->client.info.lanes, DRM_LOOM_UNARY_RELU, &self->size);
}

FIXTURE_TEARDOWN(plan)
{
	loom_client_close(&self->client);
	free(self->blob);
}

static struct drm_loom_plan_header *header_of(unsigned char *blob)
{
	return (void *)blob;
}

static struct drm_loom_plan_tensor *tensor_of(unsigned char *blob, uint32_t i)
{
	return (struct drm_loom_plan_tensor *)(blob + header_of(blob)->tensors.offset) + i;
}

static struct drm_loom_plan_view *view_of(unsigned char *blob, uint32_t i)
{
	return (struct drm_loom_plan_view *)(blob + header_of(blob)->views.offset) + i;
}

TEST_F(plan, is_accepted_and_destroyed)
{
	uint32_t plans[10], i, j;

	for (i = 0; i < LOOM_ARRAY_SIZE(plans); i++) {
		struct drm_loom_reject reject;

		ASSERT_EQ(0, loom_plan_create(self->client.fd, self->blob, self->size, &reject,
					      &plans[i]));
		ASSERT_NE(0, plans[i]);
		for (j = 0; j < i; j++)
			ASSERT_NE(plans[j], plans[i]);
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(plans); i++) {
		EXPECT_EQ(0, loom_plan_destroy(self->client.fd, plans[i]));
		EXPECT_EQ(-ENOENT, loom_plan_destroy(self->client.fd, plans[i]));
	}
}

TEST_F(plan, without_anything_in_it)
{
	uint32_t plan = loom_client_plan_null(&self->client);
	uint32_t fence = loom_sync_create(self->client.fd, 0);

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 0, fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
}

TEST_F(plan, is_a_copy)
{
	uint32_t plan;
	float *in, *out;

	ASSERT_EQ(0, loom_plan_create(self->client.fd, self->blob, self->size, NULL, &plan));
	memset(self->blob, 0xff, self->size);
	in = loom_bo_map(self->client.fd, self->client.in, self->client.bytes);
	out = loom_bo_map(self->client.fd, self->client.out, self->client.bytes);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	in[5] = 5;
	in[6] = -5;
	out[6] = 1;
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	/* destroyed while it runs, or before */
	ASSERT_EQ(0, loom_plan_destroy(self->client.fd, plan));
	ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
	EXPECT_EQ(5.0f, out[5]);
	EXPECT_EQ(0.0f, out[6]);
}

TEST_F(plan, may_lie_at_any_address)
{
	unsigned char *moved = malloc(self->size + 8);
	uint32_t plan, i;

	ASSERT_NE(NULL, moved);
	for (i = 1; i < 8; i++) {
		memcpy(moved + i, self->blob, self->size);
		EXPECT_EQ(0, loom_plan_create(self->client.fd, moved + i, self->size, NULL,
					      &plan));
	}
	free(moved);
}

TEST_F(plan, what_is_wrong_with_the_call)
{
	struct drm_loom_plan_create good = {
		.ptr = (uintptr_t)self->blob,
		.size = self->size,
	};
	struct drm_loom_plan_create args;
	struct drm_loom_plan_destroy destroy = { .pad = 1 };

	args = good;
	args.flags = DRM_LOOM_PLAN_RESERVE << 1;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args = good;
	args.pad2 = 1;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args = good;
	args.pad = 1;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args = good;
	args.size = DRM_LOOM_MAX_PLAN_BYTES + 1;
	EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.size = UINT64_MAX;
	EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args = good;
	EXPECT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	destroy.plan = args.plan;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy));
	EXPECT_EQ(0, loom_plan_destroy(self->client.fd, args.plan));
	EXPECT_EQ(-ENOENT, loom_plan_destroy(self->client.fd, 0));
	EXPECT_EQ(-ENOENT, loom_plan_destroy(self->client.fd, UINT32_MAX));
}

TEST_F(plan, is_the_files_own)
{
	int other = loom_open();
	uint32_t plan;

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_plan_create(self->client.fd, self->blob, self->size, NULL, &plan));
	EXPECT_EQ(-ENOENT, loom_plan_destroy(other, plan));
	close(other);
	EXPECT_EQ(0, loom_plan_destroy(self->client.fd, plan));
}

TEST_F(plan, a_pointer_to_nowhere_is_efault)
{
	char *end = loom_unmapped();
	const void *const wrong[] = {
		NULL, (void *)8, end, end - 1, end - 100, (void *)0xffffffff81000000ul,
		(void *)0x8000000000000000ul, (void *)-8ul,
	};
	struct drm_loom_plan_create args = { .ptr = (uintptr_t)self->blob, .size = self->size };
	uint32_t plan;
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(-EFAULT, loom_plan_create(self->client.fd, wrong[i], self->size, NULL,
						    &plan)) {
			TH_LOG("case %u", i);
		}
	/* a plan that ends where the mapping ends is fine */
	ASSERT_LE(self->size, LOOM_PAGE);
	memcpy(end - self->size, self->blob, self->size);
	EXPECT_EQ(0, loom_plan_create(self->client.fd, end - self->size, self->size, NULL, &plan));

	/* a record that cannot be written; it is not accessed while the plan is valid */
	args.reject = (uintptr_t)end;
	args.reject_size = sizeof(struct drm_loom_reject);
	EXPECT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	header_of(self->blob)->magic++;
	EXPECT_EQ(-EFAULT, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
}

TEST_F(plan, the_record_is_cut_to_its_room)
{
	struct drm_loom_reject full = {};
	unsigned char part[sizeof(full) + 16];
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)self->blob, .size = self->size, .reject = (uintptr_t)part,
	};
	uint32_t plan, room;

	header_of(self->blob)->magic++;
	ASSERT_EQ(-EBADMSG, loom_plan_create(self->client.fd, self->blob, self->size, &full,
					     &plan));
	EXPECT_EQ(DRM_LOOM_RULE_HEADER, full.rule);
	EXPECT_EQ(0, full.pad);
	for (room = 0; room < sizeof(part); room++) {
		uint32_t written = room < sizeof(full) ? room : sizeof(full);

		memset(part, 0xaa, sizeof(part));
		args.reject_size = room;
		ASSERT_EQ(-EBADMSG, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
		EXPECT_EQ(0, memcmp(part, &full, written));
		/* what a newer header has beyond the record is cleared, and nothing behind that */
		for (; written < room; written++)
			EXPECT_EQ(0, part[written]);
		EXPECT_EQ(0xaa, part[room]);
	}
}

TEST_F(plan, every_shorter_one_is_refused)
{
	uint64_t size;
	uint32_t plan;

	for (size = 0; size < self->size; size += size < 200 ? 1 : 37)
		EXPECT_EQ(-EBADMSG, loom_plan_create(self->client.fd, self->blob, size, NULL,
						     &plan)) {
			TH_LOG("size %llu", (unsigned long long)size);
		}
}

/*
 * One fault in a plan that is otherwise right. The unary plan: tensors 0 (slot 0), 1 (slot 1), 2
 * and 3 (scratch); commands LOAD 2 <- 0, UNARY 3 <- 2, STORE 1 <- 3.
 */
enum table {
	IN_HEADER,
	IN_SLOTS,
	IN_TENSORS,
	IN_STEPS,
	IN_COMMANDS,
	IN_VIEWS,
	IN_ATTRS,
};

#define U8(type, name)	.bytes = 1, .offset = offsetof(struct type, name)
#define U16(type, name)	.bytes = 2, .offset = offsetof(struct type, name)
#define U32(type, name)	.bytes = 4, .offset = offsetof(struct type, name)
#define U64(type, name)	.bytes = 8, .offset = offsetof(struct type, name)

/* A field of an entry is set, or something is added to it. */
static const struct mutation {
	uint32_t rule;
	enum table table;
	uint32_t index;
	size_t offset, bytes;
	uint64_t set;
	int64_t add;
} mutations[] = {
	{ DRM_LOOM_RULE_HEADER, IN_HEADER, 0, U32(drm_loom_plan_header, magic), .add = 1 },
	{ DRM_LOOM_RULE_HEADER, IN_HEADER, 0, U32(drm_loom_plan_header, version), .add = 1 },
	{ DRM_LOOM_RULE_HEADER, IN_HEADER, 0, U64(drm_loom_plan_header, size), .add = -1 },
	{ DRM_LOOM_RULE_HEADER, IN_HEADER, 0, U32(drm_loom_plan_header, flags), .set = 1 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U64(drm_loom_plan_header, images.offset), .set = 8 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, images.count), .set = 1 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, images.stride), .set = 24 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U64(drm_loom_plan_header, slots.offset), .add = 4 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U64(drm_loom_plan_header, slots.offset), .set = 0 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U64(drm_loom_plan_header, tensors.offset), .add = 8 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U64(drm_loom_plan_header, tensors.offset),
	  .set = UINT64_MAX - 7 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, tensors.stride), .add = 8 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, views.stride), .set = 0 },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, views.count),
	  .set = UINT32_MAX },
	{ DRM_LOOM_RULE_TABLE, IN_HEADER, 0, U32(drm_loom_plan_header, attrs.count), .add = 1 },
	{ DRM_LOOM_RULE_TOPOLOGY, IN_HEADER, 0, U32(drm_loom_plan_header, lanes), .add = 1 },
	{ DRM_LOOM_RULE_TOPOLOGY, IN_HEADER, 0, U32(drm_loom_plan_header, lanes), .set = 0 },
	{ DRM_LOOM_RULE_SCRATCH, IN_HEADER, 0, U64(drm_loom_plan_header, scratch_bytes),
	  .set = UINT64_MAX },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 0, U64(drm_loom_plan_slot, size), .set = 0 },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags), .set = 0 },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags), .add = 16 },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags),
	  .set = DRM_LOOM_SLOT_SRAM },
	{ DRM_LOOM_RULE_TENSOR_FIELD, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags),
	  .add = DRM_LOOM_SLOT_SRAM },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags),
	  .set = DRM_LOOM_SLOT_SPREAD },
	{ DRM_LOOM_RULE_SLOT, IN_SLOTS, 1, U32(drm_loom_plan_slot, pad), .set = 1 },
	{ DRM_LOOM_RULE_TENSOR_FIELD, IN_TENSORS, 0, U32(drm_loom_plan_tensor, region), .set = 2 },
	{ DRM_LOOM_RULE_TENSOR_FIELD, IN_TENSORS, 0, U32(drm_loom_plan_tensor, slot), .set = 2 },
	{ DRM_LOOM_RULE_TENSOR_FIELD, IN_TENSORS, 2, U32(drm_loom_plan_tensor, flags), .set = 2 },
	{ DRM_LOOM_RULE_TENSOR_FIELD, IN_TENSORS, 2, U32(drm_loom_plan_tensor, parent), .set = 1 },
	{ DRM_LOOM_RULE_TENSOR_TYPE, IN_TENSORS, 2, U8(drm_loom_plan_tensor, dtype), .set = 0 },
	{ DRM_LOOM_RULE_TENSOR_TYPE, IN_TENSORS, 2, U8(drm_loom_plan_tensor, rank), .set = 7 },
	{ DRM_LOOM_RULE_TENSOR_TYPE, IN_TENSORS, 2, U32(drm_loom_plan_tensor, dims[1]), .set = 0 },
	{ DRM_LOOM_RULE_TENSOR_STRIDE, IN_TENSORS, 2, U64(drm_loom_plan_tensor, strides[1]),
	  .set = 2 },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, IN_TENSORS, 2, U64(drm_loom_plan_tensor, size), .add = -4 },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, IN_TENSORS, 0, U64(drm_loom_plan_tensor, offset),
	  .add = 4096 },
	{ DRM_LOOM_RULE_TENSOR_BOUNDS, IN_TENSORS, 3, U64(drm_loom_plan_tensor, offset),
	  .set = UINT64_MAX - 4095 },
	{ DRM_LOOM_RULE_TENSOR_LIFETIME, IN_TENSORS, 3, U32(drm_loom_plan_tensor, last_step),
	  .set = 3 },
	{ DRM_LOOM_RULE_TENSOR_LIFETIME, IN_TENSORS, 3, U32(drm_loom_plan_tensor, first_step),
	  .set = 3 },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, IN_TENSORS, 3, U64(drm_loom_plan_tensor, offset),
	  .set = 0 },
	{ DRM_LOOM_RULE_STEP, IN_STEPS, 1, U32(drm_loom_plan_step, first_command), .set = 2 },
	{ DRM_LOOM_RULE_STEP, IN_STEPS, 2, U32(drm_loom_plan_step, dma_commands), .set = 2 },
	{ DRM_LOOM_RULE_STREAM, IN_COMMANDS, 1, U16(drm_loom_plan_command, opcode),
	  .set = DRM_LOOM_OP_COPY },
	{ DRM_LOOM_RULE_STREAM, IN_COMMANDS, 0, U16(drm_loom_plan_command, opcode),
	  .set = DRM_LOOM_OP_UNARY },
	{ DRM_LOOM_RULE_OPCODE, IN_COMMANDS, 1, U16(drm_loom_plan_command, opcode),
	  .set = DRM_LOOM_OP_END },
	{ DRM_LOOM_RULE_COMMAND_FIELD, IN_COMMANDS, 1, U32(drm_loom_plan_command, pad), .set = 1 },
	{ DRM_LOOM_RULE_OPERANDS, IN_COMMANDS, 1, U16(drm_loom_plan_command, operands), .set = 3 },
	{ DRM_LOOM_RULE_OPERANDS, IN_COMMANDS, 1, U32(drm_loom_plan_command, first_view),
	  .set = UINT32_MAX },
	{ DRM_LOOM_RULE_ATTR, IN_COMMANDS, 1, U32(drm_loom_plan_command, attr_size), .set = 8 },
	{ DRM_LOOM_RULE_ATTR, IN_COMMANDS, 1, U64(drm_loom_plan_command, attr_offset), .set = 8 },
	{ DRM_LOOM_RULE_ATTR, IN_ATTRS, 0, U32(drm_loom_attr_unary, kind),
	  .set = DRM_LOOM_UNARY_END },
	{ DRM_LOOM_RULE_VIEW_TENSOR, IN_VIEWS, 3, U32(drm_loom_plan_view, tensor), .set = 4 },
	{ DRM_LOOM_RULE_VIEW_FIELD, IN_VIEWS, 3, U8(drm_loom_plan_view, dtype),
	  .set = DRM_LOOM_DTYPE_I32 },
	{ DRM_LOOM_RULE_VIEW_FIELD, IN_VIEWS, 3, U8(drm_loom_plan_view, rank), .set = 0 },
	{ DRM_LOOM_RULE_VIEW_LIFETIME, IN_TENSORS, 2, U32(drm_loom_plan_tensor, last_step),
	  .set = 0 },
	{ DRM_LOOM_RULE_VIEW_ALIGN, IN_VIEWS, 3, U64(drm_loom_plan_view, strides[1]), .set = 2 },
	{ DRM_LOOM_RULE_VIEW_LANE, IN_VIEWS, 3, U32(drm_loom_plan_view, lane_start), .set = 1 },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, IN_VIEWS, 3, U64(drm_loom_plan_view, offset), .set = 4 },
	{ DRM_LOOM_RULE_VIEW_REGION, IN_COMMANDS, 0, U16(drm_loom_plan_command, opcode),
	  .set = DRM_LOOM_OP_STORE },
	{ DRM_LOOM_RULE_VIEW_SHAPE, IN_VIEWS, 3, U32(drm_loom_plan_view, dims[1]), .add = -1 },
	{ DRM_LOOM_RULE_VIEW_DISTINCT, IN_VIEWS, 2, U64(drm_loom_plan_view, strides[1]), .set = 0 },
	{ DRM_LOOM_RULE_READ_ONLY, IN_SLOTS, 1, U32(drm_loom_plan_slot, flags),
	  .set = DRM_LOOM_SLOT_READ },
	{ DRM_LOOM_RULE_UNINITIALISED, IN_SLOTS, 0, U32(drm_loom_plan_slot, flags),
	  .set = DRM_LOOM_SLOT_WRITE },
};

static void mutate(unsigned char *blob, const struct mutation *mutation)
{
	const struct drm_loom_table *table = &header_of(blob)->slots;
	unsigned char *at = blob + mutation->offset;
	uint64_t value = 0;

	if (mutation->table != IN_HEADER) {
		table += mutation->table - IN_SLOTS;
		at += table->offset + (uint64_t)mutation->index * table->stride;
	}
	/* little endian, as all machines that this runs on */
	if (mutation->add)
		memcpy(&value, at, mutation->bytes);
	value += mutation->add + mutation->set;
	memcpy(at, &value, mutation->bytes);
}

TEST_F(plan, one_thing_wrong_breaks_one_rule)
{
	unsigned char *blob = malloc(self->size);
	struct drm_loom_reject reject;
	unsigned int i;
	uint32_t plan;

	ASSERT_NE(NULL, blob);
	for (i = 0; i < LOOM_ARRAY_SIZE(mutations); i++) {
		memcpy(blob, self->blob, self->size);
		mutate(blob, &mutations[i]);
		memset(&reject, 0xaa, sizeof(reject));
		EXPECT_EQ(-EBADMSG, loom_plan_create(self->client.fd, blob, self->size, &reject,
						     &plan)) {
			TH_LOG("mutation %u", i);
		}
		EXPECT_EQ(mutations[i].rule, reject.rule) {
			TH_LOG("mutation %u", i);
		}
	}
	free(blob);
}

TEST_F(plan, the_record_says_where)
{
	struct drm_loom_reject reject;
	uint32_t plan;
	uint64_t row = LOOM_COLUMNS * sizeof(float);

	tensor_of(self->blob, 3)->offset = row / 2;
	tensor_of(self->blob, 3)->offset -= row / 4;
	ASSERT_EQ(-EBADMSG, loom_plan_create(self->client.fd, self->blob, self->size, &reject,
					     &plan));
	EXPECT_EQ(DRM_LOOM_RULE_TENSOR_OVERLAP, reject.rule);
	EXPECT_EQ(DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE,
		  reject.valid &
			  (DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE));
	EXPECT_EQ(2 + 3, reject.tensor + reject.other);
	EXPECT_EQ(DRM_LOOM_REGION_SRAM, reject.region);
	EXPECT_EQ(row / 4, reject.start);
	EXPECT_EQ(row, reject.end);

	tensor_of(self->blob, 3)->offset = row;
	view_of(self->blob, 4)->tensor = 77;
	ASSERT_EQ(-EBADMSG, loom_plan_create(self->client.fd, self->blob, self->size, &reject,
					     &plan));
	EXPECT_EQ(DRM_LOOM_RULE_VIEW_TENSOR, reject.rule);
	EXPECT_EQ(DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND | DRM_LOOM_REJECT_OPERAND,
		  reject.valid & (DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND |
				  DRM_LOOM_REJECT_OPERAND));
	EXPECT_EQ(2, reject.step);
	EXPECT_EQ(2, reject.command);
	EXPECT_EQ(0, reject.operand);
}

/* A plan with that many entries in one table, all zero, and nothing else. */
static unsigned char *blob_of_zeroes(uint32_t lanes, unsigned int table, uint32_t count,
				     uint64_t *size)
{
	struct drm_loom_table *tables;
	unsigned char *null = loom_plan_blob_null(lanes, size);
	unsigned char *blob;

	tables = &header_of(null)->slots;
	tables[table].count = count;
	*size += (uint64_t)tables[table].stride * count;
	header_of(null)->size = *size;
	blob = calloc(1, *size);
	if (blob)
		memcpy(blob, null, sizeof(struct drm_loom_plan_header));
	free(null);
	return blob;
}

TEST_F_TIMEOUT(plan, counts_past_their_caps, 120)
{
	static const struct {
		unsigned int table;
		uint32_t cap;
	} caps[] = {
		{ 0, DRM_LOOM_MAX_SLOTS },
		{ 2, DRM_LOOM_MAX_STEPS },
		{ 3, DRM_LOOM_MAX_COMMANDS },
		{ 5, DRM_LOOM_MAX_ATTR_BYTES },
		{ 1, DRM_LOOM_MAX_TENSORS },
	};
	struct drm_loom_reject reject;
	uint32_t plan;
	unsigned int i;
	uint64_t size;

	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++) {
		unsigned char *blob = blob_of_zeroes(self->client.info.lanes, caps[i].table,
						     caps[i].cap + 1, &size);
		int ret;

		if (!blob)
			SKIP(return, "not enough memory");
		ret = loom_plan_create(self->client.fd, blob, size, &reject, &plan);
		free(blob);
		if (ret == -ENOMEM)
			SKIP(return, "not enough memory in the kernel");
		/* what plans may take by default is a part of the memory */
		if (ret == -EDQUOT)
			SKIP(return, "not enough memory for the cap on plans");
		EXPECT_EQ(-EBADMSG, ret);
		EXPECT_EQ(DRM_LOOM_RULE_LIMIT, reject.rule) {
			TH_LOG("table %u", caps[i].table);
		}
	}
}

TEST_F_TIMEOUT(plan, counts_at_their_caps, 120)
{
	uint32_t fence = loom_sync_create(self->client.fd, 0);
	struct drm_loom_binding bindings[DRM_LOOM_MAX_SLOTS];
	struct drm_loom_reject reject = {};
	struct loom_builder builder;
	struct loom_job job;
	unsigned char *blob;
	uint32_t plan, i;
	uint64_t size;
	int ret;

	/* empty steps take no time */
	blob = blob_of_zeroes(self->client.info.lanes, 2, DRM_LOOM_MAX_STEPS, &size);
	if (!blob)
		SKIP(return, "not enough memory");
	ret = loom_plan_create(self->client.fd, blob, size, &reject, &plan);
	free(blob);
	if (ret == -ENOMEM)
		SKIP(return, "not enough memory in the kernel");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 0, fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));

	/* slots: the same buffer in each */
	loom_builder_init(&builder, self->client.info.lanes, LOOM_COLUMNS);
	for (i = 0; i < DRM_LOOM_MAX_SLOTS; i++)
		loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	loom_builder_step(&builder);
	blob = loom_builder_finish(&builder, &size);
	plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, plan);
	loom_job_init(&job, &self->client, plan, DRM_LOOM_MAX_SLOTS, fence);
	job.args.bindings.ptr = (uintptr_t)bindings;
	for (i = 0; i < DRM_LOOM_MAX_SLOTS; i++)
		bindings[i] = (struct drm_loom_binding) { i, self->client.in, 0 };
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
}

TEST_F_TIMEOUT(plan, scratch_of_a_whole_bank_and_no_byte_more, 60)
{
	struct drm_loom_region_info sram;
	uint32_t fence = loom_sync_create(self->client.fd, 0);
	struct drm_loom_reject reject;
	unsigned char *blob;
	uint32_t plan;
	uint64_t size;

	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	blob = loom_plan_blob_null(self->client.info.lanes, &size);
	header_of(blob)->scratch_bytes = sram.bank_bytes - sram.reserved_bytes + 1;
	EXPECT_EQ(-EBADMSG, loom_plan_create(self->client.fd, blob, size, &reject, &plan));
	EXPECT_EQ(DRM_LOOM_RULE_SCRATCH, reject.rule);
	header_of(blob)->scratch_bytes = sram.total_bytes;
	ASSERT_EQ(0, loom_plan_create(self->client.fd, blob, size, &reject, &plan));
	free(blob);
	if (sram.blocks)
		SKIP(return, "somebody else uses the device");
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 0, fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
}

TEST_F_TIMEOUT(plan, many_at_once, 60)
{
	uint32_t plan, i;

	/* closing the file takes them all */
	for (i = 0; i < 2000; i++)
		ASSERT_EQ(0, loom_plan_create(self->client.fd, self->blob, self->size, NULL,
					      &plan));
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
