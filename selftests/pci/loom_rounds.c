// SPDX-License-Identifier: GPL-2.0
/*
 * A device on the bus that is reset, pulled out and put to sleep, again and again, while two
 * clients use it that want twice the memory it has, so that buffers come and go all the time.
 *
 * LOOM_ROUNDS: how often; LOOM_FAULTS_SEED.
 */
#include "loom_load.h"
#include "loom_port.h"
#include "../loom_selftest.h"
#include "loom_watch.h"

#define CLIENTS	2
#define ASLEEP	"/sys/module/loom_sleep/parameters/asleep"
#define RESCAN	"/sys/bus/pci/rescan"

FIXTURE(rounds)
{
	int sim, qmp;
	uint32_t count;
	uint64_t seed;
	struct loom_watch watch;
	struct loom_load *loads;
	/* of the device on its bus */
	char path[PATH_MAX + 64];
};

FIXTURE_SETUP(rounds)
{
	struct drm_loom_region_info dram;
	int fd = loom_open();

	self->count = loom_load_number("LOOM_ROUNDS", 1);
	self->seed = loom_load_number("LOOM_FAULTS_SEED", 1);
	self->sim = loom_port_open("loom-sim-0");
	self->qmp = loom_port_open("qmp");
	if (self->sim < 0 || self->qmp < 0 || !loom_can_unbind())
		SKIP(return, "no device that can be pulled");
	snprintf(self->path, sizeof(self->path), "/sys/bus/pci/devices/%s", loom_bus()->device);
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_DRAM, &dram));
	close(fd);
	ASSERT_EQ(0, loom_watch_open(&self->watch));
	self->loads = loom_load_start(CLIENTS, dram.total_bytes * dram.banks);
	ASSERT_NE(NULL, self->loads);
	ASSERT_TRUE(loom_load_goes_on(self->loads, CLIENTS));
}

FIXTURE_TEARDOWN(rounds)
{
	if (self->loads)
		loom_watch_close(&self->watch);
}

/* Writes to a file of the device in sysfs. Return: 0 or -errno. */
static int tell(const char *path, const char *file, const char *text)
{
	char name[PATH_MAX + 128];

	snprintf(name, sizeof(name), "%s/%s", path, file);
	return loom_write_file(name, text);
}

static bool all_is_well(struct __test_metadata *_metadata, FIXTURE_DATA(rounds) * self,
			uint32_t round)
{
	uint64_t bad = 0;
	uint32_t i;

	EXPECT_TRUE(loom_load_goes_on(self->loads, CLIENTS))
		return false;
	loom_watch_look(&self->watch);
	for (i = 0; i < CLIENTS; i++)
		bad += loom_load_bad(&self->loads[i]);
	EXPECT_EQ(0, bad);
	EXPECT_EQ(0, self->watch.trouble)
		TH_LOG("the kernel: %s", self->watch.first);
	ksft_print_msg("round %u\n", round);
	fflush(stdout);
	return !bad && !self->watch.trouble;
}

static void end(struct __test_metadata *_metadata, FIXTURE_DATA(rounds) * self)
{
	uint32_t i;

	loom_load_end(self->loads, CLIENTS);
	EXPECT_NE(0, self->loads[0].partitions);
	for (i = 0; i < CLIENTS; i++) {
		EXPECT_EQ(0, loom_load_bad(&self->loads[i]));
		EXPECT_LT(0, self->loads[i].looked);
	}
	ksft_print_msg("%u resets, %u times wedged\n", self->watch.resets, self->watch.wedged);
	EXPECT_TRUE(loom_load_left_nothing());
	EXPECT_TRUE(loom_device_works());
}

/* Whether there is one more than @resets, within @ns. */
static bool is_reset(FIXTURE_DATA(rounds) * self, uint32_t resets, int64_t ns)
{
	int64_t until = loom_now_ns() + ns;

	while (self->watch.resets == resets && loom_now_ns() < until) {
		usleep(10000);
		loom_watch_look(&self->watch);
	}
	return self->watch.resets != resets;
}

/* By who has the function, and because the device has stopped. Nothing is lost but jobs. */
TEST_F_TIMEOUT(rounds, resets, 20000)
{
	struct loom_load all;
	uint32_t round, resets;

	for (round = 0; round < self->count; round++) {
		int64_t until = loom_soon();
		bool by_bus = loom_random_below(&self->seed, 2);

		resets = self->watch.resets;
		if (by_bus) {
			ASSERT_EQ(0, tell(self->path, "reset", "1"));
			is_reset(self, resets, LOOM_SOON_NS);
		}
		/* one that has stopped while it slept wakes up well, so it is told again */
		while (self->watch.resets == resets && loom_now_ns() < until) {
			ASSERT_EQ(0, loom_port_tell(self->sim, "fault stop", NULL, 0));
			is_reset(self, resets, 5 * LOOM_SECOND_NS);
		}
		EXPECT_NE(resets, self->watch.resets)
			break;
		if (!all_is_well(_metadata, self, round))
			break;
	}
	EXPECT_EQ(self->count, round);
	all = loom_load_sum(self->loads, CLIENTS);
	EXPECT_EQ(0, all.timed_out + all.failed + all.gone);
	EXPECT_EQ(0, self->watch.wedged);
	EXPECT_EQ(CLIENTS, self->loads[0].opened + self->loads[1].opened);
	end(_metadata, self);
}

/* In order, by the emulator and by the kernel, and by its death. Its bytes are lost. */
TEST_F_TIMEOUT(rounds, pulls, 20000)
{
	uint32_t round;

	for (round = 0; round < self->count; round++) {
		switch (loom_random_below(&self->seed, 5)) {
		case 0:
			loom_port_tell(self->sim, "fault death", NULL, 0);
			ASSERT_EQ(0, loom_port_replace(self->qmp));
			break;
		case 1:
		case 2:
			ASSERT_EQ(0, loom_port_replace(self->qmp));
			break;
		default:
			ASSERT_EQ(0, tell(self->path, "remove", "1"));
			ASSERT_EQ(0, loom_write_file(RESCAN, "1"));
		}
		if (!all_is_well(_metadata, self, round))
			break;
	}
	EXPECT_EQ(self->count, round);
	end(_metadata, self);
}

/* Whether a process has stopped, and so left the kernel, as one does that is frozen. */
static bool is_stopped(pid_t pid)
{
	char path[64], text[256], *state;
	int64_t until = loom_soon();

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	kill(pid, SIGSTOP);
	do {
		if (loom_read_file(path, text, sizeof(text)))
			return false;
		state = strrchr(text, ')');
		if (state && state[1] && state[2] == 'T')
			return true;
		usleep(1000);
	} while (loom_now_ns() < until);
	return false;
}

/* To idle, to RAM or to disk: nobody notices, also if the device loses its memory. */
TEST_F_TIMEOUT(rounds, sleeps, 20000)
{
	struct loom_load all;
	uint32_t round;

	if (access(ASLEEP, W_OK))
		SKIP(return, "no module loom_sleep");
	for (round = 0; round < self->count; round++) {
		static const char *const how[] = { "1", "2", "3" };
		uint32_t deep = loom_random_below(&self->seed, LOOM_ARRAY_SIZE(how)), i;
		int64_t until = loom_soon();
		int ret;

		for (i = 0; deep && i < CLIENTS; i++)
			EXPECT_TRUE(is_stopped(self->loads[i].pid));
		/* it stays awake if there is much to be done */
		do {
			ret = loom_write_file(ASLEEP, how[deep]);
			/* a kernel without hibernation */
			if (ret == -EOPNOTSUPP && deep == 2) {
				deep = 1;
				ret = -EBUSY;
			}
		} while (ret == -EBUSY && loom_now_ns() < until);
		EXPECT_EQ(0, ret)
			TH_LOG("asleep %s", how[deep]);
		usleep(loom_random_below(&self->seed, 50000));
		EXPECT_EQ(0, loom_write_file(ASLEEP, "0"));
		for (i = 0; deep && i < CLIENTS; i++)
			kill(self->loads[i].pid, SIGCONT);
		if (!all_is_well(_metadata, self, round))
			break;
	}
	EXPECT_EQ(self->count, round);
	all = loom_load_sum(self->loads, CLIENTS);
	EXPECT_EQ(0, all.canceled + all.timed_out + all.failed + all.gone);
	EXPECT_EQ(0, self->watch.wedged);
	EXPECT_EQ(CLIENTS, self->loads[0].opened + self->loads[1].opened);
	end(_metadata, self);
}
