// SPDX-License-Identifier: GPL-2.0
/*
 * Why a call was refused: with drm.debug there is a line in the kernel's log for each that says
 * what was wrong, and without there is none.
 */
#include "loom_selftest.h"

#include <termios.h>

#define DEBUG	"/sys/module/drm/parameters/debug"

FIXTURE(refusal)
{
	struct loom_client client;
	uint32_t plan;
	int log;
};

/* Lines of this process since the last call, appended to @text. Return: how many. */
static unsigned int read_lines(int log, char *text, size_t size)
{
	char line[2048], mine[32];
	unsigned int count = 0;
	ssize_t got;

	snprintf(mine, sizeof(mine), "[%d]: ", getpid());
	*text = 0;
	for (;;) {
		got = read(log, line, sizeof(line) - 1);
		/* overwritten before it was read */
		if (got < 0 && errno == EPIPE)
			continue;
		if (got < 1)
			break;
		line[got] = 0;
		if (!strstr(line, mine) || !strstr(line, "[loom]"))
			continue;
		count++;
		strncat(text, strstr(line, mine), size - strlen(text) - 1);
	}
	return count;
}

FIXTURE_SETUP(refusal)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (self->log < 0 || loom_write_file(DEBUG, "2"))
		SKIP(return, "no drm.debug, or no rights to it");
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, self->plan);
	lseek(self->log, 0, SEEK_END);
}

FIXTURE_TEARDOWN(refusal)
{
	loom_write_file(DEBUG, "0");
	close(self->log);
	loom_client_close(&self->client);
}

/* One line, with @words, for a call that has returned @want. */
static void check(struct __test_metadata *_metadata, FIXTURE_DATA(refusal) * self, const char *name,
		  int want, int ret, const char *words)
{
	char text[4096];
	unsigned int lines = read_lines(self->log, text, sizeof(text));

	EXPECT_EQ(want, ret) TH_LOG("%s", name);
	EXPECT_EQ(1, lines) TH_LOG("%s: %u lines", name, lines);
	EXPECT_NE(NULL, strstr(text, words)) TH_LOG("%s: no \"%s\" in: %s", name, words, text);
}

#define CHECK(want, call, words)	check(_metadata, self, #call, want, call, words)

static int bo_create(const struct loom_client *client, struct drm_loom_bo_create args)
{
	return loom_call(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
}

TEST_F(refusal, buffers)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_bo_info info;
	struct drm_loom_bo_create too_large = { .size = 1ull << 60 };
	struct drm_loom_bo_create flags = { .size = 4096, .flags = 1u << 31 };
	struct drm_loom_bo_create region = { .size = 4096, .region = 2 };
	struct drm_loom_bo_create layout = { .size = 4096, .layout = 77 };
	struct drm_loom_bo_create nothing = { .size = 0 };
	struct drm_loom_bo_create page = { .size = 4096, .page_bytes = 1u << 30 };
	struct drm_loom_bo_create image = { .layout = DRM_LOOM_LAYOUT_IMAGE, .width = 3 };
	struct drm_loom_bo_create image_size = { .layout = DRM_LOOM_LAYOUT_IMAGE, .size = 3 };
	struct drm_loom_bo_create mask = { .size = 4096, .bank_mask_words = 1 };
	struct drm_loom_bo_create nowhere = { .size = 4096, .bank_mask = 8, .bank_mask_words = 1 };
	const uint64_t none = 0;
	struct drm_loom_bo_create no_bank = {
		.size = 4096, .bank_mask = (uintptr_t)&none, .bank_mask_words = 1,
	};
	struct drm_loom_bo_create shards = {
		.size = 4096, .layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
	};

	CHECK(-ENOSPC, bo_create(client, too_large), "reason 1");
	CHECK(-EINVAL, bo_create(client, flags), "flags 0x80000000");
	CHECK(-EINVAL, bo_create(client, region), "region 2");
	CHECK(-EINVAL, bo_create(client, layout), "layout 77");
	CHECK(-EINVAL, bo_create(client, nothing), "0 bytes");
	CHECK(-EINVAL, bo_create(client, page), "pages of 1073741824");
	CHECK(-EINVAL, bo_create(client, image), "image: 3 x 0");
	CHECK(-EINVAL, bo_create(client, image_size), "other layouts");
	CHECK(-EINVAL, bo_create(client, mask), "mask of 1 words");
	CHECK(-EFAULT, bo_create(client, nowhere), "no mask at 0x8");
	CHECK(-EINVAL, bo_create(client, no_bank), "mask 0x0, there are");
	CHECK(-EINVAL, bo_create(client, shards), "shards");
	CHECK(-ENOENT, loom_bo_info(client->fd, 4711, &info), "no buffer 4711");
	CHECK(-ENOENT, loom_bo_wait(client->fd, 4712, 0), "no buffer 4712");
}

static int query(const struct loom_client *client, uint32_t type, uint32_t index, uint32_t stride,
		 void *to)
{
	struct drm_loom_query args = {
		.type = type, .index = index, .stride = stride, .ptr = (uintptr_t)to, .size = 64,
	};

	return loom_call(client->fd, DRM_IOCTL_LOOM_QUERY, &args);
}

TEST_F(refusal, queries)
{
	const struct loom_client *client = &self->client;

	CHECK(-EINVAL, query(client, 99, 0, 0, NULL), "no query 99");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_DEVICE, 5, 0, NULL), "no index: 5");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_DEVICE, 0, 9, NULL), "stride 9");
	CHECK(-EFAULT, query(client, DRM_LOOM_QUERY_DEVICE, 0, 0, (void *)8), "no room at 0x8");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_REGION, 3, 0, NULL), "no region 3");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_BLOCKS, 4, 0, NULL), "no region 4");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_BLOCKS, 0, 3, NULL), "stride 3");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_BANKS, 5, 0, NULL), "no region 5");
	CHECK(-EINVAL, query(client, DRM_LOOM_QUERY_BANK_BLOCKS, 999 << 16, 0, NULL),
	      "no bank 999");
	CHECK(-ENOENT, query(client, DRM_LOOM_QUERY_FIT, 77, 0, NULL), "no plan 77");
}

static int plan_create(const struct loom_client *client, const void *blob, uint64_t size,
		       uint32_t flags)
{
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)blob, .size = size, .flags = flags,
	};

	return loom_call(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
}

TEST_F(refusal, plans_and_contexts)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_context_query context;
	uint64_t size;
	struct drm_loom_plan_header *header = loom_plan_blob_null(client->info.lanes, &size);
	uint32_t id;

	header->magic++;
	CHECK(-EBADMSG, plan_create(client, header, size, 0), "rule 1");
	CHECK(-EINVAL, plan_create(client, header, size, 1u << 30), "flags 0x40000000");
	CHECK(-E2BIG, plan_create(client, header, 1ull << 40, 0), "1099511627776 bytes");
	CHECK(-EFAULT, plan_create(client, (void *)8, size, 0), "at 0x8");
	CHECK(-ENOENT, loom_plan_destroy(client->fd, 78), "no plan 78");
	CHECK(-EINVAL, loom_context_create(client->fd, 17, &id), "priority 17");
	CHECK(-ENOENT, loom_context_destroy(client->fd, 79), "no context 79");
	CHECK(-ENOENT, loom_context_query(client->fd, 80, &context), "no context 80");
	free(header);
}

/* Evaluates @call with a parameter of the module at @value; restores it. Return: that of @call. */
#define WITH_CAP(name, value, call)						\
({										\
	const char *_path = "/sys/module/loom/parameters/" name;		\
	char _before[64];							\
	int _ret = loom_read_file(_path, _before, sizeof(_before)) ?:		\
		   loom_write_file(_path, value);				\
										\
	if (!_ret) {								\
		_ret = call;							\
		loom_write_file(_path, _before);				\
	}									\
	_ret;									\
})

TEST_F(refusal, caps)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_bo_create page = { .size = LOOM_PAGE };
	struct drm_loom_bo_create share = { .region = DRM_LOOM_REGION_SRAM };
	uint32_t endless = loom_client_plan_endless(client), id;
	struct drm_loom_region_info sram;
	uint64_t size;
	void *blob = loom_plan_blob_null(client->info.lanes, &size);

	ASSERT_NE(0, endless);
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	share.size = (sram.share_bytes + sram.align_bytes) * sram.banks;
	CHECK(-EDQUOT, bo_create(client, share), "beyond the share of its file");
	CHECK(-EDQUOT, WITH_CAP("max_file_bytes", "1", bo_create(client, page)),
	      "a file's buffers: 4096 more than");
	CHECK(-EDQUOT, WITH_CAP("max_bytes", "1", bo_create(client, page)),
	      "all buffers: 4096 more than");
	CHECK(-EDQUOT, WITH_CAP("max_file_plans_bytes", "1", plan_create(client, blob, size, 0)),
	      "a file's plans");
	CHECK(-EDQUOT, WITH_CAP("max_plans_bytes", "1", plan_create(client, blob, size, 0)),
	      "all plans");
	CHECK(-EDQUOT, WITH_CAP("max_file_contexts", "1", loom_context_create(client->fd, 0, &id)),
	      "contexts of a file: 1 more than 1, the cap is 1");
	/* runs until the client is gone */
	ASSERT_EQ(0, loom_client_run(client, endless, 2, 0));
	CHECK(-EDQUOT, WITH_CAP("max_file_jobs", "1", loom_client_run(client, self->plan, 2, 0)),
	      "jobs of a file");
	free(blob);
}

static int submit(FIXTURE_DATA(refusal) * self, struct loom_job *job)
{
	int ret = loom_job_submit(self->client.fd, job);

	/* as it was, for the next */
	loom_job_init(job, &self->client, self->plan, 2, 0);
	return ret;
}

TEST_F(refusal, jobs)
{
	struct loom_job job;
	uint32_t sync = loom_sync_create(self->client.fd, 0);

	loom_job_init(&job, &self->client, self->plan, 2, 0);
	job.args.flags = 1u << 29;
	CHECK(-EINVAL, submit(self, &job), "flags 0x20000000");
	job.args.plan = 81;
	CHECK(-ENOENT, submit(self, &job), "no plan 81");
	job.args.bindings.count = 1;
	CHECK(-EINVAL, submit(self, &job), "1 bindings for 2 slots");
	job.args.bindings.stride = 3;
	CHECK(-EINVAL, submit(self, &job), "of 3, 16, 16 bytes");
	job.args.bindings.ptr = 8;
	CHECK(-EFAULT, submit(self, &job), "binding 0");
	job.bindings[1].slot = 9;
	CHECK(-EINVAL, submit(self, &job), "no slot 9");
	job.bindings[1].slot = 0;
	CHECK(-EINVAL, submit(self, &job), "slot 0 twice");
	job.bindings[1].offset = 65;
	CHECK(-EINVAL, submit(self, &job), "slot 1 twice, or at offset 65");
	job.bindings[1].offset = 64;
	CHECK(-EINVAL, submit(self, &job), "at 64 of");
	job.bindings[1].handle = 4713;
	CHECK(-ENOENT, submit(self, &job), "no buffer 4713");
	job.bindings[1].handle = self->client.in;
	CHECK(-EINVAL, submit(self, &job), "share bytes");
	job.args.in_syncs.count = 1;
	job.in.handle = 4714;
	CHECK(-ENOENT, submit(self, &job), "no fence in syncobj 4714");
	job.args.in_syncs.count = 1;
	job.in.handle = sync;
	CHECK(-EINVAL, submit(self, &job), "no fence in syncobj");
	job.args.out_syncs.count = 1;
	job.out.handle = 4715;
	CHECK(-ENOENT, submit(self, &job), "no syncobj 4715");
	job.args.out_syncs.count = 1;
	job.out.handle = sync;
	job.out.flags = 1;
	CHECK(-EINVAL, submit(self, &job), "flags 0x1");
}

TEST_F(refusal, what_is_no_ioctl_of_the_node)
{
	int fd = self->client.fd;
	struct drm_unique unique = {};

	CHECK(-ENOTTY, loom_call(fd, TCGETS, NULL), "not DRM's");
	CHECK(-EINVAL, loom_call(fd, DRM_IO(DRM_COMMAND_BASE + 0x5f), NULL), "no ioctl");
	CHECK(-EINVAL, loom_call(fd, DRM_IOCTL_GET_UNIQUE, &unique), "not for this node");
}

TEST_F(refusal, nothing_is_said_without_being_asked)
{
	char text[4096];

	ASSERT_EQ(0, loom_write_file(DEBUG, "0"));
	EXPECT_EQ(-EINVAL, query(&self->client, 99, 0, 0, NULL));
	EXPECT_EQ(-ENOENT, loom_plan_destroy(self->client.fd, 78));
	EXPECT_EQ(0, read_lines(self->log, text, sizeof(text)));
}
