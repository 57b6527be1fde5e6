// SPDX-License-Identifier: GPL-2.0
/*
 * A device that breaks, lies and dies while two clients use it: each fault that the model of a
 * device on the bus can be told (tools/sim), a number of times, in an order from a seed. After each
 * one the device is usable again, or is wedged, with one line in the log and one uevent, and is
 * bound anew or replaced; nobody hangs, no byte that is none of the device's business has changed,
 * and the kernel has said nothing of trouble.
 *
 * LOOM_FAULTS_ROUNDS: how often each; LOOM_FAULTS_SEED; LOOM_FAULTS_FROM: the first round, to go on
 * where a run has ended; LOOM_FAULTS_ONLY: a fault, alone.
 */
#include "loom_break.h"
#include "loom_load.h"
#include "loom_port.h"
#include "../loom_dump.h"
#include "../loom_selftest.h"
#include "loom_watch.h"

/* Deadline for the effect of a fault, see Documentation/testing.rst. */
#define EFFECT_NS	LOOM_LOAD_HANG_NS

/* Permitted effects of a fault on clients that have done nothing wrong. */
#define MAY_CANCEL	0x1	/* the device was reset */
#define MAY_TIME_OUT	0x2	/* a job was not seen to end */
#define MAY_WEDGE	0x4
#define MUST_WEDGE	0x8	/* it cannot be taken for anything else */

struct fault {
	const char *name;
	/* its arguments, behind the name */
	const char *how;
	uint32_t may;
	/* it needs a device that is reset */
	bool with_stop;
	/* it is over for good, and a new device has to be plugged in */
	bool is_death;
};

static const struct fault faults[] = {
	{ "irq-lost", "", 0 },
	{ "irq-late", "=300", 0 },
	{ "irq-double", "", 0 },
	{ "irq-spurious", "", 0 },
	{ "record-lost", "", MAY_CANCEL | MAY_TIME_OUT },
	{ "record-skip", "", MAY_CANCEL },
	{ "record-double", "", MAY_WEDGE },
	{ "record-flood", "", MAY_CANCEL | MAY_TIME_OUT },
	{ "record-half", "", 0 },
	{ "record-garbage", "", MAY_CANCEL | MAY_TIME_OUT | MAY_WEDGE },
	{ "record-sequence", "", MAY_WEDGE | MUST_WEDGE },
	{ "record-epoch", "", MAY_CANCEL | MAY_TIME_OUT },
	{ "record-result", "", MAY_WEDGE | MUST_WEDGE },
	{ "counters-ones", "", 0 },
	{ "heartbeat-stuck", " always", MAY_CANCEL },
	{ "job-hang", "", MAY_CANCEL | MAY_TIME_OUT },
	{ "move-silent", "", MAY_CANCEL },
	{ "reset-hang", "", MAY_CANCEL, .with_stop = true },
	{ "registers-ones", " 12", MAY_CANCEL | MAY_TIME_OUT | MAY_WEDGE },
	{ "bit-flip", "", MAY_CANCEL | MAY_WEDGE },
	{ "dma-stray", "", 0 },
	{ "stop", "", MAY_CANCEL },
	{ "death", "", MAY_WEDGE, .is_death = true },
	{ "death-doorbell", "", MAY_WEDGE, .is_death = true },
};

#define FAULTS LOOM_ARRAY_SIZE(faults)

/* Where the device has nothing to read and write: the kernel, and what is behind the memory. */
static const char *const strays[] = {
	"=0x1000000", "=0x2000000", "=0x100000", "=0x7000000", "=0x40000000", "=0x123456789000",
};

/* Effects of a fault, summed over rounds. */
struct outcome {
	uint32_t rounds, canceled, timed_out, wedged, wrong;
	int64_t slowest_ns;
};

FIXTURE(faults)
{
	int sim, qmp;
	struct loom_watch watch;
	struct loom_load *loads;
	struct outcome outcomes[FAULTS];
	/* accesses that the IOMMU refused, and those of which the kernel has not told */
	uint32_t strays, untold;
};

FIXTURE_SETUP(faults)
{
	self->sim = loom_port_open("loom-sim-0");
	self->qmp = loom_port_open("qmp");
	if (self->sim < 0 || self->qmp < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, loom_break_begin(&self->watch, &self->loads));
}

FIXTURE_TEARDOWN(faults)
{
	if (!self->loads)
		return;
	loom_port_tell(self->sim, "clear", NULL, 0);
	loom_break_end(&self->watch);
}

/* The processor clears new buffers, so the clients' own are never moved. Return: 0 or -errno. */
static int move_bytes(void)
{
	int fd = loom_open(), ret;
	uint32_t handle, word = 0;

	ret = loom_bo_create(fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle);
	if (!ret)
		ret = loom_bo_write(fd, handle, 0, &word, sizeof(word)) == sizeof(word) ? 0 : -EIO;
	close(fd);
	return ret;
}

/* Return: 0; -errno: the model does not say what it should. */
static int strike(int sim, const struct fault *fault, uint64_t *seed)
{
	bool stray = !strcmp(fault->name, "dma-stray");
	const char *how = fault->how;
	char command[64], answer[256];
	int ret;

	if (stray)
		how = strays[loom_random_below(seed, LOOM_ARRAY_SIZE(strays))];
	snprintf(command, sizeof(command), "fault %s%s", fault->name, how);
	ret = loom_port_tell(sim, command, answer, sizeof(answer));
	if (!ret && stray && strcmp(answer, "read refused, write refused\n")) {
		fprintf(stderr, "# %s: %s\n", command, answer);
		ret = -EPERM;
	}
	if (!ret && !strcmp(fault->name, "move-silent"))
		ret = move_bytes();
	if (!ret && fault->with_stop)
		ret = loom_port_tell(sim, "fault stop", NULL, 0);
	return ret;
}

/*
 * Until both clients have gone on after the fault has struck, or the device is wedged. The
 * heartbeat has to be looked at for long enough. Return: 0 or -ETIMEDOUT.
 */
static int wait_for_effect(int sim, const struct fault *fault, struct loom_watch *watch,
			   struct loom_load *loads)
{
	bool stuck = strstr(fault->how, "always"), struck = fault->is_death;
	uint32_t wedged = watch->wedged_events, resets = watch->resets;
	int64_t end = loom_now_ns() + EFFECT_NS;
	uint64_t good[CLIENTS];

	loom_load_note(loads, CLIENTS, good);
	while (loom_now_ns() < end && loom_load_all_alive(loads, CLIENTS)) {
		loom_watch_look(watch);
		if (watch->wedged_events != wedged)
			return 0;
		if (!struck && loom_port_done(sim, fault->name)) {
			struck = true;
			loom_load_note(loads, CLIENTS, good);
		}
		if (stuck && watch->resets != resets) {
			loom_port_tell(sim, "clear", NULL, 0);
			stuck = false;
		}
		if (struck && !stuck && !fault->is_death &&
		    loom_load_go_on(loads, CLIENTS, good, LOOM_LOAD_ENOUGH))
			return 0;
		usleep(20000);
	}
	return -ETIMEDOUT;
}

/* The kernel tells of it in its own time. */
#define TOLD_NS		(10000 * LOOM_MSEC_NS)

/* Whether the kernel has told of an access that the IOMMU has refused. */
static bool was_told(struct loom_watch *watch, uint32_t before)
{
	int64_t end = loom_now_ns() + TOLD_NS;

	do {
		loom_watch_look(watch);
		if (watch->refused != before)
			return true;
		usleep(20000);
	} while (loom_now_ns() < end);
	return false;
}

static bool one_fault(struct __test_metadata *_metadata, FIXTURE_DATA(faults) * self,
		      const struct fault *fault, uint64_t *seed)
{
	struct outcome *outcome = &self->outcomes[fault - faults];
	struct loom_load before = loom_load_sum(self->loads, CLIENTS), after;
	struct loom_watch *watch = &self->watch;
	int64_t start = loom_now_ns(), ns;
	uint32_t lines, events, refused, i;
	int ret;

	loom_watch_look(watch);
	lines = watch->wedged;
	events = watch->wedged_events;
	refused = watch->refused;
	ret = strike(self->sim, fault, seed);
	/* a model may die before it answers */
	EXPECT_TRUE(!ret || fault->is_death)
		return false;
	EXPECT_EQ(0, wait_for_effect(self->sim, fault, watch, self->loads))
		return false;
	/* a dead model does not answer */
	if (!fault->is_death)
		loom_port_tell(self->sim, "clear", NULL, 0);
	loom_watch_look(watch);
	lines = watch->wedged - lines;
	events = watch->wedged_events - events;
	EXPECT_EQ(events, lines);
	EXPECT_TRUE(events == 0 || (events == 1 && fault->may & MAY_WEDGE));
	EXPECT_TRUE(events || !(fault->is_death || fault->may & MUST_WEDGE));
	if (events && fault->is_death) {
		EXPECT_EQ(0, loom_port_replace(self->qmp));
	} else if (events) {
		EXPECT_EQ(0, loom_unbind());
		EXPECT_EQ(0, loom_bind());
	}
	EXPECT_TRUE(loom_load_goes_on(self->loads, CLIENTS))
		return false;
	ns = loom_now_ns() - start;

	after = loom_load_sum(self->loads, CLIENTS);
	EXPECT_TRUE(after.canceled == before.canceled || fault->may & (MAY_CANCEL | MAY_WEDGE));
	EXPECT_TRUE(after.timed_out == before.timed_out || fault->may & MAY_TIME_OUT);
	EXPECT_TRUE(after.failed == before.failed || fault->may & MAY_WEDGE);
	EXPECT_TRUE(after.gone == before.gone || events);
	EXPECT_EQ(before.wrong, after.wrong);
	loom_watch_look(watch);
	if (!strcmp(fault->name, "dma-stray")) {
		self->strays++;
		self->untold += !was_told(watch, refused);
	}
	EXPECT_EQ(0, watch->trouble)
		TH_LOG("the kernel: %s", watch->first);
	outcome->rounds++;
	outcome->canceled += after.canceled - before.canceled;
	outcome->timed_out += after.timed_out - before.timed_out;
	outcome->wedged += events;
	outcome->wrong += after.wrong - before.wrong;
	if (ns > outcome->slowest_ns)
		outcome->slowest_ns = ns;
	ret = 0;
	for (i = 0; i < CLIENTS; i++)
		ret |= !!loom_load_bad(&self->loads[i]);
	EXPECT_EQ(0, ret);
	return !ret && !watch->trouble;
}

/* All of them, @rounds times, in any order. */
static uint32_t *shuffle(uint32_t rounds, uint64_t *seed, uint32_t *count)
{
	const char *only = getenv("LOOM_FAULTS_ONLY");
	uint32_t *order = calloc(FAULTS * rounds, sizeof(*order)), i;

	*count = 0;
	for (i = 0; order && i < FAULTS * rounds; i++) {
		const char *name = faults[i % FAULTS].name;

		/* without an IOMMU it would be the kernel's own memory */
		if (!strcmp(name, "dma-stray") && access("/sys/class/iommu/dmar0", F_OK))
			continue;
		if (!only || !*only || !strcmp(only, name))
			order[(*count)++] = i % FAULTS;
	}
	for (i = *count; order && i > 1; i--) {
		uint32_t other = loom_random_below(seed, i), fault = order[other];

		order[other] = order[i - 1];
		order[i - 1] = fault;
	}
	return order;
}

static void print_outcomes(const struct outcome *outcomes)
{
	uint32_t i;

	ksft_print_msg("fault           rounds cancelled timed out wedged wrong slowest ms\n");
	for (i = 0; i < FAULTS; i++)
		if (outcomes[i].rounds)
			ksft_print_msg("%-15s %6u %9u %9u %6u %5u %10lld\n", faults[i].name,
				       outcomes[i].rounds, outcomes[i].canceled,
				       outcomes[i].timed_out, outcomes[i].wedged, outcomes[i].wrong,
				       (long long)outcomes[i].slowest_ns / LOOM_MSEC_NS);
}

TEST_F_TIMEOUT(faults, in_any_order, 20000)
{
	uint32_t rounds = loom_load_number("LOOM_FAULTS_ROUNDS", 1);
	uint32_t from = loom_load_number("LOOM_FAULTS_FROM", 0);
	uint64_t seed = loom_load_number("LOOM_FAULTS_SEED", 1);
	uint32_t count, round;
	uint32_t *order;

	order = shuffle(rounds, &seed, &count);
	ASSERT_NE(NULL, order);
	ASSERT_TRUE(loom_load_goes_on(self->loads, CLIENTS));
	for (round = from; round < count; round++) {
		const struct fault *fault = &faults[order[round]];
		uint64_t own = seed + round;

		/* the round to go on from, if this run is ended */
		ksft_print_msg("round %u of %u: %s\n", round, count, fault->name);
		fflush(stdout);
		if (!one_fault(_metadata, self, fault, &own)) {
			TH_LOG("round %u: %s", round, fault->name);
			break;
		}
	}
	EXPECT_EQ(round, count);
	loom_load_end(self->loads, CLIENTS);
	EXPECT_NE(0, self->loads[0].partitions);
	print_outcomes(self->outcomes);
	ksft_print_msg("%u resets, %u times wedged, %u accesses refused by the IOMMU\n",
		       self->watch.resets, self->watch.wedged, self->watch.refused);
	ksft_print_msg("%u of %u strays were not in the log\n", self->untold, self->strays);
	/*
	 * That an access was refused the model says itself, see strike(). The IOMMU has one record
	 * for faults: one that comes while the kernel clears that may be lost.
	 */
	EXPECT_LE(10 * self->untold, self->strays + 9);
	EXPECT_TRUE(loom_load_left_nothing());
	EXPECT_TRUE(loom_device_works());
	free(order);
}

/* Have the device bound anew, with a short timeout of jobs. Return: 0 or -errno. */
static int bind_with_timeout(const char *timeout_ms)
{
	return loom_write_file(LOOM_BREAK_TIMEOUT, timeout_ms) ?: loom_unbind() ?: loom_bind();
}

/*
 * The record of a job is left out, and the job times out before a heartbeat finds that. It is asked
 * how far it is before it is blamed, and the answer would come behind the missing record.
 */
TEST(a_record_is_left_out_of_a_job_that_times_out)
{
	int sim = loom_port_open("loom-sim-0");
	struct loom_client client;
	uint32_t null, fence, i;

	if (sim < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, bind_with_timeout("400"));
	ASSERT_EQ(0, loom_client_open(&client));
	null = loom_client_plan_null(&client);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(loom_device_works());
		ASSERT_EQ(0, loom_port_tell(sim, "fault record-skip", NULL, 0));
		fence = loom_sync_create(client.fd, 0);
		ASSERT_EQ(0, loom_client_run(&client, null, 0, fence));
		ASSERT_EQ(0, loom_sync_wait(client.fd, fence, loom_soon()));
		EXPECT_EQ(-ECANCELED, loom_sync_status(client.fd, fence));
		loom_sync_destroy(client.fd, fence);
		loom_port_tell(sim, "clear", NULL, 0);
	}
	loom_client_close(&client);
	EXPECT_TRUE(loom_device_works());
	loom_write_file(LOOM_BREAK_TIMEOUT, "300000");
}

/* The device says that an endless job is behind its last step, which is not believed. */
TEST(a_job_times_out_within_its_plan)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int sim = loom_port_open("loom-sim-0");
	unsigned int step = ~0, steps = 0;
	struct loom_client client;
	char line[512], *at;
	int64_t until;
	uint32_t fence;
	ssize_t size;

	if (sim < 0 || log < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, bind_with_timeout("400"));
	ASSERT_EQ(0, loom_client_open(&client));
	ASSERT_EQ(0, loom_port_tell(sim, "fault counters-ones always", NULL, 0));
	lseek(log, 0, SEEK_END);
	fence = loom_sync_create(client.fd, 0);
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_endless(&client), 2, fence));
	EXPECT_EQ(0, loom_sync_wait(client.fd, fence, loom_soon()));
	EXPECT_EQ(-ETIME, loom_sync_status(client.fd, fence));
	loom_port_tell(sim, "clear", NULL, 0);
	/* it is told behind the fence */
	for (until = loom_soon(); !steps && loom_now_ns() < until;) {
		size = read(log, line, sizeof(line) - 1);
		line[size > 0 ? size : 0] = 0;
		at = strstr(line, ", step ");
		if (at)
			sscanf(at, ", step %u of %u", &step, &steps);
	}
	EXPECT_NE(0, steps);
	EXPECT_LE(step, steps);
	close(log);
	loom_client_close(&client);
	loom_write_file(LOOM_BREAK_TIMEOUT, "300000");
}

/*
 * A job of a partition hangs, and times out or is abandoned: its lanes are reset. A client on the
 * other lanes, which always has a job on the device, does not notice.
 */
static void one_hangs(struct __test_metadata *_metadata, int sim, bool abandoned)
{
	uint64_t before = loom_port_done(sim, "job-hang");
	uint32_t fence, plan, done[2], jobs = 0, i;
	struct loom_client hangs, goes_on;
	int64_t end = loom_soon();
	int file;

	/* a user whose jobs hang twice in a minute is refused */
	ASSERT_EQ(0, bind_with_timeout(abandoned ? "300000" : "3000"));
	ASSERT_EQ(0, loom_client_open(&hangs));
	ASSERT_EQ(0, loom_client_open(&goes_on));
	ASSERT_EQ(0, loom_client_take_lanes(&hangs, hangs.info.lanes / 2));
	ASSERT_EQ(0, loom_client_take_lanes(&goes_on, goes_on.info.lanes / 2));
	fence = loom_sync_create(hangs.fd, 0);
	plan = loom_client_plan_unary(&hangs, DRM_LOOM_UNARY_ABS);
	ASSERT_EQ(0, loom_port_tell(sim, "fault job-hang", NULL, 0));
	ASSERT_EQ(0, loom_client_run(&hangs, plan, 2, fence));
	file = loom_sync_export(hangs.fd, fence);
	while (loom_port_done(sim, "job-hang") == before && loom_now_ns() < end)
		usleep(1000);
	plan = loom_client_plan_busy(&goes_on);
	for (i = 0; i < 2; i++) {
		done[i] = loom_sync_create(goes_on.fd, 0);
		ASSERT_EQ(0, loom_client_run(&goes_on, plan, 2, done[i]));
	}
	if (abandoned)
		loom_client_close(&hangs);
	for (i = 0; !loom_sync_file_status(file) && loom_now_ns() < end; i = !i, jobs++) {
		ASSERT_EQ(0, loom_sync_wait(goes_on.fd, done[i], end));
		ASSERT_EQ(1, loom_sync_status(goes_on.fd, done[i]));
		loom_sync_destroy(goes_on.fd, done[i]);
		done[i] = loom_sync_create(goes_on.fd, 0);
		ASSERT_EQ(0, loom_client_run(&goes_on, plan, 2, done[i]));
	}
	EXPECT_EQ(abandoned ? -ECANCELED : -ETIME, loom_sync_file_status(file));
	EXPECT_LT(0, jobs);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, loom_sync_wait(goes_on.fd, done[i], loom_soon()));
		EXPECT_EQ(1, loom_sync_status(goes_on.fd, done[i]));
	}
	if (!abandoned)
		loom_client_close(&hangs);
	loom_client_close(&goes_on);
	close(file);
	/* the lanes are free again */
	EXPECT_TRUE(loom_device_works());
}

TEST(a_partition_that_hangs_does_not_end_jobs_of_others)
{
	struct loom_watch watch = { .log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK), .events = -1 };
	int sim = loom_port_open("loom-sim-0");

	if (sim < 0 || watch.log < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	lseek(watch.log, 0, SEEK_END);
	one_hangs(_metadata, sim, false);
	one_hangs(_metadata, sim, true);
	loom_watch_look(&watch);
	EXPECT_EQ(0, watch.resets);
	close(watch.log);
	loom_write_file(LOOM_BREAK_TIMEOUT, "300000");
}

/* Each look ends at the first record of another epoch; a reset and its polls look a few times. */
TEST(records_without_end_are_not_read_without_end)
{
	int sim = loom_port_open("loom-sim-0");
	int64_t until = loom_soon();
	struct loom_client client;
	char text[4096];
	uint32_t fence;

	if (sim < 0 || !loom_can_unbind() || access(LOOM_DUMPS, R_OK))
		SKIP(return, "no model of a device that can be told to break, or no devcoredump");
	ASSERT_EQ(0, bind_with_timeout("400"));
	ASSERT_EQ(0, loom_client_open(&client));
	loom_read_dump(text, sizeof(text), true);
	fence = loom_sync_create(client.fd, 0);
	ASSERT_EQ(0, loom_port_tell(sim, "fault record-flood", NULL, 0));
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_null(&client), 0, fence));
	ASSERT_EQ(0, loom_sync_wait(client.fd, fence, until));
	EXPECT_TRUE(loom_device_works());
	/* its dump has the count */
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_endless(&client), 2, fence));
	ASSERT_EQ(0, loom_sync_wait(client.fd, fence, until));
	do {
		usleep(1000);
		loom_read_dump(text, sizeof(text), true);
	} while (!text[0] && loom_now_ns() < until);
	EXPECT_LE(1, loom_dump_value(text, "stale_records"));
	EXPECT_GE(8, loom_dump_value(text, "stale_records"));
	loom_client_close(&client);
	loom_write_file(LOOM_BREAK_TIMEOUT, "300000");
}

/* Return: when the kernel has last seen that nobody handled the interrupt of the device; or -1. */
static int64_t last_unhandled_ms(void)
{
	char path[3 * PATH_MAX], text[256] = "";
	struct dirent *entry;
	const char *at;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/msi_irqs", loom_bus()->driver, loom_bus()->device);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	if (!dir || !entry)
		return -1;
	snprintf(path, sizeof(path), "/proc/irq/%s/spurious", entry->d_name);
	closedir(dir);
	if (loom_read_file(path, text, sizeof(text)))
		return -1;
	at = strstr(text, "last_unhandled ");
	return at ? atoll(at + strlen("last_unhandled ")) : -1;
}

/* The kernel disables an interrupt that storms if its handler says so. */
TEST(an_interrupt_for_nothing_is_not_handled)
{
	int sim = loom_port_open("loom-sim-0"), i;
	struct loom_client client;
	int64_t before;

	if (sim < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_TRUE(loom_device_works());
	/* the device is awake, and has nothing to say */
	ASSERT_EQ(0, loom_client_open(&client));
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_endless(&client), 2, 0));
	before = last_unhandled_ms();
	ASSERT_LE(0, before);
	/* of a threaded one it is known when the next ones come */
	for (i = 0; i < 20 && last_unhandled_ms() == before; i++) {
		ASSERT_EQ(0, loom_port_tell(sim, "fault irq-spurious", NULL, 0));
		usleep(100000);
	}
	EXPECT_NE(before, last_unhandled_ms());
	loom_client_close(&client);
}

/* A device that does not come up is not a device, and the log says where it stopped. */
TEST(a_handshake_that_fails_names_the_register)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int sim = loom_port_open("loom-sim-0");
	bool found = false;
	char line[512];
	ssize_t size;

	if (sim < 0 || log < 0 || !loom_can_unbind())
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, loom_unbind());
	ASSERT_EQ(0, loom_port_tell(sim, "fault reset-hang always", NULL, 0));
	lseek(log, 0, SEEK_END);
	EXPECT_NE(0, loom_bind());
	while ((size = read(log, line, sizeof(line) - 1)) > 0) {
		line[size] = 0;
		found |= strstr(line, "EPOCH is 0x") && strstr(line, "RESET was set to 0x");
	}
	EXPECT_TRUE(found);
	close(log);
	ASSERT_EQ(0, loom_port_tell(sim, "clear", NULL, 0));
	EXPECT_EQ(0, loom_bind());
	EXPECT_TRUE(loom_device_works());
}

/* A device that does not clear, and says that it has: nobody sees the bytes of another. */
TEST(new_buffers_are_zero_though_a_clear_is_not_done)
{
	int sim = loom_port_open("loom-sim-0"), fd = loom_open(), pass;
	uint32_t region, handle, i, words = 1 << 18;

	if (sim < 0 || fd < 0)
		SKIP(return, "no model of a device that can be told to break");
	ASSERT_EQ(0, loom_port_tell(sim, "fault clear-false always", NULL, 0));
	for (region = DRM_LOOM_REGION_DRAM; region <= DRM_LOOM_REGION_SRAM; region++)
		for (pass = 0; pass < 2; pass++) {
			uint32_t bytes = region == DRM_LOOM_REGION_SRAM ? LOOM_PAGE : words * 4;
			uint32_t bad = 0, *map;

			ASSERT_EQ(0, loom_bo_create(fd, bytes, region, &handle));
			map = loom_bo_map(fd, handle, bytes);
			ASSERT_NE(MAP_FAILED, (void *)map);
			for (i = 0; i < bytes / 4; i++)
				bad += !!map[i];
			EXPECT_EQ(0, bad)
				TH_LOG("region %u, pass %u: words of another", region, pass);
			memset(map, 0x5a, bytes);
			munmap(map, bytes);
			ASSERT_EQ(0, loom_bo_close(fd, handle));
		}
	ASSERT_EQ(0, loom_port_tell(sim, "clear", NULL, 0));
	close(fd);
}
