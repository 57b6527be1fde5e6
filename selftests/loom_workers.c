// SPDX-License-Identifier: GPL-2.0
/*
 * A soft device with several workers is one engine: it gives the bits of one worker, jobs take
 * turns on it in the middle of what is shared, and all of it stops when the device goes.
 */
#include "loom_config.h"

#include <sys/mount.h>

FIXTURE(workers)
{
	char name[2][32];
};

FIXTURE_SETUP(workers)
{
	uint32_t i;

	if (geteuid())
		SKIP(return, "not root");
	if (access(ROOT, F_OK) && (mount("none", "/sys/kernel/config", "configfs", 0, NULL) ||
				   access(ROOT, F_OK)))
		SKIP(return, "no configfs");
	for (i = 0; i < 2; i++) {
		snprintf(self->name[i], sizeof(self->name[i]), "workers-%d-%u", getpid(), i);
		ASSERT_EQ(0, config_make(self->name[i]));
		ASSERT_EQ(0, config_set(self->name[i], "threads", i ? 1 : 3));
		ASSERT_EQ(0, config_set(self->name[i], "live", 1));
	}
}

FIXTURE_TEARDOWN(workers)
{
	uint32_t i;

	for (i = 0; i < 2; i++)
		config_remove(self->name[i]);
}

/* What a job of some length gives on the device @name, or NULL. */
static float *sums_of(const char *name, uint64_t *bytes)
{
	struct loom_client client;
	float *in, *out, *sums = NULL;
	uint32_t plan, fence;
	uint64_t i;

	if (loom_client_open_fd(&client, config_open(name)))
		return NULL;
	*bytes = client.bytes;
	plan = loom_client_plan_busy(&client);
	fence = loom_sync_create(client.fd, 0);
	in = loom_bo_map(client.fd, client.in, client.bytes);
	out = loom_bo_map(client.fd, client.out, client.bytes);
	if (in != MAP_FAILED && out != MAP_FAILED) {
		for (i = 0; i < client.bytes / sizeof(*in); i++)
			in[i] = (float)(i * 7 % 1000) / 999 - 0.5f;
		if (plan && !loom_client_run(&client, plan, 2, fence) &&
		    !loom_sync_wait(client.fd, fence, loom_soon()))
			sums = malloc(client.bytes);
		if (sums)
			memcpy(sums, out, client.bytes);
		munmap(in, client.bytes);
		munmap(out, client.bytes);
	}
	loom_client_close(&client);
	return sums;
}

TEST_F(workers, several_are_one_engine)
{
	struct loom_client client;
	uint64_t bytes, i;
	float *one, *many;
	uint32_t fence;

	one = sums_of(self->name[1], &bytes);
	many = sums_of(self->name[0], &bytes);
	ASSERT_TRUE(one && many);
	EXPECT_EQ(0, memcmp(one, many, bytes));
	free(many);
	/* not zeroes */
	for (i = 0; i < bytes / sizeof(*one) && !one[i]; i++)
		;
	EXPECT_LT(i, bytes / sizeof(*one));

	/* an endless job gives up its turn in the middle of what is shared, and goes on */
	ASSERT_EQ(0, loom_client_open_fd(&client, config_open(self->name[0])));
	fence = loom_sync_create(client.fd, 0);
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_endless(&client), 2, fence));
	for (i = 0; i < 2; i++) {
		many = sums_of(self->name[0], &bytes);
		ASSERT_NE(NULL, many);
		EXPECT_EQ(0, memcmp(one, many, bytes));
		free(many);
	}
	ASSERT_EQ(0, config_set(self->name[0], "live", 0));
	EXPECT_EQ(-ENODEV, loom_query_device(client.fd, &client.info));
	loom_client_close(&client);
	free(one);
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
