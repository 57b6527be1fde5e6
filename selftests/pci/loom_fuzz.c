// SPDX-License-Identifier: GPL-2.0
/*
 * A device on the bus that says anything, at any time (tools/sim, fuzz.c), while two clients use
 * it. Their results may be wrong then, as it may say that it has done what it has not; but nobody
 * hangs, the kernel has nothing to complain of, and as soon as the device is sane again it is used
 * as before.
 *
 * LOOM_FUZZ_SECONDS: for how long; LOOM_FAULTS_SEED: the first seed, of a few seconds each.
 */
#include "loom_break.h"
#include "loom_load.h"
#include "loom_port.h"
#include "../loom_selftest.h"
#include "loom_watch.h"

#define SECONDS		15

FIXTURE(fuzz)
{
	int sim;
	struct loom_watch watch;
	struct loom_load *loads;
	uint32_t binds, refused;
};

FIXTURE_SETUP(fuzz)
{
	self->sim = loom_port_open("loom-sim-0");
	if (self->sim < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, loom_break_begin(&self->watch, &self->loads));
}

FIXTURE_TEARDOWN(fuzz)
{
	if (!self->loads)
		return;
	loom_break_end(&self->watch);
}

/* One that does not make sense is not taken, and tried again. */
static bool bind_again(FIXTURE_DATA(fuzz) * self, uint32_t tries)
{
	uint32_t i;

	loom_unbind();
	for (i = 0; i < tries; i++) {
		if (!loom_bind()) {
			self->binds++;
			return true;
		}
		self->refused++;
		usleep(100000);
	}
	return false;
}

/* Return: false if it does not come back to its senses. */
static bool one_seed(struct __test_metadata *_metadata, FIXTURE_DATA(fuzz) * self, uint64_t seed)
{
	int64_t end = loom_now_ns() + SECONDS * LOOM_SECOND_NS;
	uint32_t wedged = self->watch.wedged_events, i;
	uint64_t bad = 0;
	char command[64];
	bool bound = true;

	snprintf(command, sizeof(command), "fuzz %llu", (unsigned long long)seed);
	EXPECT_EQ(0, loom_port_tell(self->sim, command, NULL, 0))
		return false;
	while (loom_now_ns() < end && loom_load_all_alive(self->loads, CLIENTS)) {
		loom_watch_look(&self->watch);
		if (!bound || wedged != self->watch.wedged_events)
			bound = bind_again(self, 5);
		wedged = self->watch.wedged_events;
		usleep(50000);
	}
	EXPECT_EQ(0, loom_port_tell(self->sim, "clear", NULL, 0))
		return false;
	/* it may be about to be wedged, or be so */
	EXPECT_TRUE(bind_again(self, 5))
		return false;
	EXPECT_TRUE(loom_load_goes_on(self->loads, CLIENTS))
		return false;
	loom_watch_look(&self->watch);
	EXPECT_EQ(0, self->watch.trouble)
		TH_LOG("the kernel: %s", self->watch.first);
	for (i = 0; i < CLIENTS; i++)
		bad += self->loads[i].hung + self->loads[i].killed;
	EXPECT_EQ(0, bad);
	return !bad && !self->watch.trouble;
}

TEST_F_TIMEOUT(fuzz, says_anything, 20000)
{
	uint64_t seed = loom_load_number("LOOM_FAULTS_SEED", 1), seeds = 0;
	int64_t end = loom_now_ns() + loom_load_number("LOOM_FUZZ_SECONDS", 30) * LOOM_SECOND_NS;

	ASSERT_TRUE(loom_load_goes_on(self->loads, CLIENTS));
	do {
		ksft_print_msg("round %llu: seed %llu\n", (unsigned long long)seeds,
			       (unsigned long long)(seed + seeds));
		fflush(stdout);
		if (!one_seed(_metadata, self, seed + seeds)) {
			TH_LOG("seed %llu", (unsigned long long)(seed + seeds));
			break;
		}
		seeds++;
	} while (loom_now_ns() < end);
	loom_load_end(self->loads, CLIENTS);
	EXPECT_NE(0, self->loads[0].partitions);
	ksft_print_msg("%llu seeds: %u resets, %u times wedged, %u times bound, %u refused\n",
		       (unsigned long long)seeds, self->watch.resets, self->watch.wedged,
		       self->binds, self->refused);
	EXPECT_TRUE(loom_load_left_nothing());
	EXPECT_TRUE(loom_device_works());
}
