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
	ASSERT_EQ(0, loom_client_open(&self->client));
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

/* Tensors 2 and 3 are in the scratch; commands: LOAD 2 <- 0, UNARY 3 <- 2, STORE 1 <- 3. */
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
		/* the default cap on plans is a fraction of the memory */
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

/* --------------------------------------------------------- plans with bad bytes */

/*
 * Runs a plan that was accepted in spite of the changed bytes: it has to be safe, its result does
 * not matter.
 */
static int run_accepted(const struct loom_client *client, uint32_t plan)
{
	uint32_t slots;
	int ret = -EINVAL;

	for (slots = 0; slots <= 2 && ret == -EINVAL; slots++)
		ret = loom_client_run(client, plan, slots, 0);
	return ret;
}

/* Accepted plans whose jobs are queued before they are waited for, within loom_soon(). */
#define QUEUED_PLANS	200

TEST_F_TIMEOUT(plan, plans_with_changed_bytes, 240)
{
	uint64_t size = self->size, seed = 1;
	unsigned char *good = self->blob, *blob = malloc(self->size);
	uint32_t accepted = 0, refused = 0, odd = 0, i, k;

	ASSERT_NE(NULL, blob);
	for (i = 0; i < loom_effort(8000); i++) {
		struct drm_loom_reject reject = { .rule = 999 };
		uint32_t plan, changes = 1 + loom_random_below(&seed, 3);
		int ret;

		memcpy(blob, good, size);
		for (k = 0; k < changes; k++) {
			uint32_t at = loom_random_below(&seed, size);

			switch (loom_random_below(&seed, 4)) {
			case 0:
				blob[at] ^= 1u << loom_random_below(&seed, 8);
				break;
			case 1:
				blob[at] = loom_random(&seed);
				break;
			case 2:
				blob[at] = loom_random_below(&seed, 2) ? 0xff : 0;
				break;
			default:
				/* another word of the same plan */
				memcpy(&blob[at / 4 * 4],
				       &good[loom_random_below(&seed, size / 4) * 4], 4);
			}
		}
		ret = loom_plan_create(self->client.fd, blob, size, &reject, &plan);
		if (!ret) {
			accepted++;
			ret = run_accepted(&self->client, plan);
			odd += ret && ret != -EINVAL && ret != -EBUSY;
			odd += loom_plan_destroy(self->client.fd, plan) != 0;
			if (accepted % QUEUED_PLANS == 0)
				ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out,
							  loom_soon()));
		} else if (ret == -EBADMSG) {
			refused++;
			odd += reject.rule == DRM_LOOM_RULE_NONE ||
			       reject.rule >= DRM_LOOM_RULE_END;
		} else {
			odd++;
		}
	}
	EXPECT_EQ(0, odd);
	EXPECT_NE(0, accepted);
	EXPECT_NE(0, refused);
	TH_LOG("%u accepted and run, %u refused", accepted, refused);
	free(blob);
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
}

struct scribbler {
	unsigned char *blob;
	uint64_t size;
	bool stop;
};

static void *scribble(void *data)
{
	struct scribbler *scribbler = data;
	uint64_t at = 0;

	while (!__atomic_load_n(&scribbler->stop, __ATOMIC_RELAXED)) {
		unsigned char *byte = &scribbler->blob[at++ % scribbler->size];
		unsigned char old = *byte;

		__atomic_store_n(byte, ~old, __ATOMIC_RELAXED);
		__atomic_store_n(byte, 0xff, __ATOMIC_RELAXED);
		__atomic_store_n(byte, old, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F_TIMEOUT(plan, plans_that_change_while_they_are_read, 120)
{
	struct scribbler scribbler = {};
	uint32_t accepted = 0, odd = 0, i;
	pthread_t thread;

	scribbler.blob = loom_plan_blob_work(self->client.info.lanes, 4, 500, &scribbler.size);
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &scribbler));
	for (i = 0; i < loom_effort(500); i++) {
		struct drm_loom_reject reject;
		uint32_t plan;
		int ret = loom_plan_create(self->client.fd, scribbler.blob, scribbler.size,
					   &reject, &plan);

		if (!ret) {
			accepted++;
			if (accepted % 32 == 1)
				run_accepted(&self->client, plan);
			loom_plan_destroy(self->client.fd, plan);
		} else {
			odd += ret != -EBADMSG;
		}
	}
	__atomic_store_n(&scribbler.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	free(scribbler.blob);
	EXPECT_EQ(0, odd);
}
