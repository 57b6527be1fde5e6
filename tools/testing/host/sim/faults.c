// SPDX-License-Identifier: MIT
/*
 * Each fault on demand does what it says, once or so often, and is over then; jobs that are
 * stopped, that hang and that are asked how far they are; and a model that dies is a device that is
 * gone, cleanly, and that can come back.
 */
#include "driver.h"
#include "host/plan/programs.h"
#include "loom_verify.h"

static struct client client;
static struct driver driver;

#define NOP ((struct loom_pci_descriptor){ .kind = LOOM_PCI_KIND_NOP })

static void clear_faults(void)
{
	char answer[100];

	if (!client_control(&client, "clear", answer, sizeof(answer)))
		tap_fatal("clear: %s", answer);
}

/* Polls, as interrupts may be broken, and does not take them. */
static bool wait_polling(struct loom_pci_record *record, u64 ms)
{
	u64 end = client_now_ms() + ms;

	do {
		if (driver_look(&driver, record))
			return true;
		usleep(500);
	} while (client_now_ms() < end);
	return false;
}

/* Until the workers have nothing left, interrupts included; how many of those came. */
static int settle(void)
{
	u64 end = client_now_ms() + PATIENCE_MS, count;
	char answer[400];

	do {
		if (!client_control(&client, "state", answer, sizeof(answer)))
			tap_fatal("state: %s", answer);
	} while (!strstr(answer, "waiting 0\n") && client_now_ms() < end);
	return read(client.irq, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static bool nop_is_fine(void)
{
	struct loom_pci_record record;
	u64 sequence;

	settle();
	sequence = driver_submit(&driver, NOP);
	return driver_wait(&driver, &record, PATIENCE_MS) && record.sequence == sequence &&
	       record.epoch == driver.epoch && !record.result;
}

/* ------------------------------------------------------------- interrupts */

/* Something to do; how many interrupts come of it. */
static int irqs_of_nop(struct loom_pci_record *record)
{
	settle();
	driver_submit(&driver, NOP);
	if (!wait_polling(record, PATIENCE_MS))
		tap_fatal("no record");
	return settle();
}

static void test_interrupts(void)
{
	struct loom_pci_record record;
	u64 start;

	client_fault(&client, "irq-lost");
	tap_ok(!irqs_of_nop(&record), "irq-lost: a record without an interrupt");

	client_fault(&client, "irq-late=150");
	start = client_now_ms();
	tap_ok(!irqs_of_nop(&record) && client_wait_irq(&client, PATIENCE_MS) == 1 &&
	       client_now_ms() - start >= 100, "irq-late: it comes after the record");

	client_fault(&client, "irq-double");
	tap_ok(irqs_of_nop(&record) == 2, "irq-double: it comes twice");
	tap_ok(irqs_of_nop(&record) == 1, "and then once");

	client_fault(&client, "irq-spurious 3");
	tap_ok(settle() == 3 && !driver_look(&driver, &record) && nop_is_fine(),
	       "irq-spurious: interrupts for nothing");
	client_set(&client, LOOM_PCI_IRQ_ENABLE, 0);
	tap_ok(!irqs_of_nop(&record) &&
	       client_get(&client, LOOM_PCI_IRQ_STATUS) & LOOM_PCI_IRQ_RECORD,
	       "an interrupt that is off does not come, its bit is set");
	client_set(&client, LOOM_PCI_IRQ_ENABLE, LOOM_PCI_IRQ_ALL);
	client_set(&client, LOOM_PCI_IRQ_STATUS, LOOM_PCI_IRQ_ALL);
	tap_ok(!client_get(&client, LOOM_PCI_IRQ_STATUS), "and writing it clears it");
}

/* ---------------------------------------------------------------- records */

static void test_lost_and_double(void)
{
	struct loom_pci_record record, again;
	u64 sequence;

	client_fault(&client, "record-lost");
	driver_submit(&driver, NOP);
	tap_ok(settle() && !driver_look(&driver, &record), "record-lost: it does not come");
	tap_ok(nop_is_fine(), "and the next one does");

	client_fault(&client, "record-double");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && wait_polling(&again, PATIENCE_MS) &&
	       record.sequence == sequence && again.sequence == sequence,
	       "record-double: it comes twice");
	tap_ok(nop_is_fine(), "and the next one once");
}

static void test_wrong_records(void)
{
	struct loom_pci_record record, old;
	u64 sequence;
	u8 *entry;
	u32 i;

	client_fault(&client, "record-sequence");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.sequence != sequence &&
	       record.epoch == driver.epoch, "record-sequence: one that nobody has given");
	client_fault(&client, "record-epoch");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.sequence == sequence &&
	       record.epoch == driver.epoch - 1, "record-epoch: the one before");
	client_fault(&client, "record-result");
	driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.result >= LOOM_PCI_RESULT_END,
	       "record-result: an unknown one");
	client_fault(&client, "counters-ones");
	driver_submit(&driver, NOP);
	memset(&old, 0xff, sizeof(old));
	tap_ok(wait_polling(&record, PATIENCE_MS) &&
	       !memcmp(record.counters, old.counters, sizeof(old.counters)),
	       "counters-ones: all ones");
	client_fault(&client, "record-garbage");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.sequence != sequence &&
	       record.pad2, "record-garbage: any bytes, with the right mark");
	client_fault(&client, "record-flood");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.sequence == sequence &&
	       record.epoch == driver.epoch, "record-flood: the record itself");
	for (i = 0; i < ENTRIES / 2 && wait_polling(&record, PATIENCE_MS); i++)
		if (record.epoch != driver.epoch - 1)
			break;
	tap_ok(i == ENTRIES / 2, "and half a lap of the epoch before");
	entry = client.ram + RECORD_AT + driver.seen % ENTRIES * sizeof(record);
	memset(entry, 0xcc, sizeof(record) - 4);
	client_fault(&client, "record-half");
	sequence = driver_submit(&driver, NOP);
	tap_ok(wait_polling(&record, PATIENCE_MS) && record.sequence == sequence &&
	       record.pad2 == 0xcccccccc, "record-half: the second half is what was there");
	tap_ok(nop_is_fine(), "then all is well");
}

/* ----------------------------------------------------------------- device */

static void test_device(void)
{
	struct loom_pci_record record;
	u32 beat;

	client_fault(&client, "heartbeat-stuck always");
	beat = client_get(&client, LOOM_PCI_HEARTBEAT);
	usleep(20000);
	tap_ok(client_get(&client, LOOM_PCI_HEARTBEAT) == beat, "heartbeat-stuck: it stands still");
	clear_faults();
	tap_ok(client_get(&client, LOOM_PCI_HEARTBEAT) != beat, "until it is cleared");

	client_fault(&client, "reset-hang");
	driver_ask_reset(&driver, 21);
	tap_ok(!driver_wait_reset(&driver, 200), "reset-hang: the epoch does not come");
	tap_ok(driver_reset(&driver, 22) && nop_is_fine(), "another reset helps");

	client_fault(&client, "registers-ones always");
	tap_ok(client_get(&client, LOOM_PCI_ID) == U32_MAX &&
	       client_get(&client, LOOM_PCI_EPOCH) == U32_MAX, "registers-ones: all ones");
	clear_faults();
	tap_ok(client_get(&client, LOOM_PCI_ID) == LOOM_PCI_ID_VALUE && nop_is_fine(),
	       "until it is cleared");

	settle();
	client_fault(&client, "stop");
	tap_ok(client_wait_irq(&client, PATIENCE_MS) == 1 &&
	       client_get(&client, LOOM_PCI_STATUS) == LOOM_PCI_STATUS_FAULT,
	       "stop: it stops by itself, and says so");
	driver_submit(&driver, NOP);
	tap_ok(!wait_polling(&record, 100), "and does nothing then");
	tap_ok(driver_reset(&driver, 23) && nop_is_fine(), "a reset helps");
}

/* Whatever bit is wrong, there is one record for it. */
static void test_flips(void)
{
	struct loom_pci_record record;
	u32 i, answered = 0, seen = 0;

	for (i = 0; i < 100; i++) {
		u64 sequence;

		client_fault(&client, "bit-flip");
		sequence = driver_submit(&driver, NOP);
		answered += wait_polling(&record, PATIENCE_MS);
		seen += record.sequence != sequence || record.result;
	}
	tap_ok(answered == 100 && seen == 100,
	       "bit-flip: %u of 100 are noticed, each is answered", seen);
	tap_ok(nop_is_fine(), "then all is well");
}

/* ------------------------------------------------------------------- jobs */

static struct loom_plan *plan_of_some;

static void keep_plan(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	struct drm_loom_reject reject;

	if (!plan_of_some && loom_plan_create(program->plan, program->plan_bytes, chip,
					      &plan_of_some, &reject))
		tap_fatal("a plan is refused");
}

/* Uploads a plan under number 1 and makes buffers for it. */
static struct loom_pci_descriptor make_job(u32 queue)
{
	u32 i;

	for (i = 0; i < plan_of_some->slot_count; i++) {
		struct loom_pci_place place = driver_buffer(&driver, DRM_LOOM_REGION_DRAM,
							    plan_of_some->slots[i].size, 4096);

		driver_put_place(&driver, i, &place);
	}
	return (struct loom_pci_descriptor){
		.kind = LOOM_PCI_KIND_JOB, .plan = 1, .queue = queue,
		.count = plan_of_some->slot_count, .address = RAM_BASE + PLACES_AT,
	};
}

static u32 ask(u32 kind, u64 sequence, struct loom_pci_record *record)
{
	return driver_do(&driver, (struct loom_pci_descriptor){
		.kind = kind, .loom_pci_target = sequence }, record);
}

/* Until it is said to run. */
static u32 wait_running(u64 sequence, struct loom_pci_record *record)
{
	u64 end = client_now_ms() + PATIENCE_MS;
	u32 result;

	do {
		result = ask(LOOM_PCI_KIND_PROGRESS, sequence, record);
	} while (result != LOOM_PCI_RESULT_RUNNING && client_now_ms() < end);
	return result;
}

static void test_hang(void)
{
	struct loom_pci_record record, later;
	struct loom_pci_descriptor job;
	u64 sequence;

	check_programs(0, &driver.chip, keep_plan);
	tap_ok(!driver_plan(&driver, 1, plan_of_some), "a plan is taken");
	tap_ok(driver_plan(&driver, 1, plan_of_some) == LOOM_PCI_RESULT_PLAN,
	       "but not twice under one number");
	job = make_job(0);
	client_fault(&client, "job-hang");
	sequence = driver_submit(&driver, job);
	tap_ok(wait_running(sequence, &record) == LOOM_PCI_RESULT_RUNNING,
	       "job-hang: it is said to run");
	tap_ok(ask(LOOM_PCI_KIND_STOP, sequence, &record) == LOOM_PCI_RESULT_OK &&
	       !wait_polling(&record, 200), "being told to stop it goes on");
	tap_ok(ask(LOOM_PCI_KIND_PROGRESS, sequence, &later) == LOOM_PCI_RESULT_RUNNING &&
	       !later.step && !later.command, "and comes no further");
	tap_ok(driver_reset(&driver, 31) && nop_is_fine(), "a reset ends it");
	tap_ok(driver_do(&driver, job, &record) == LOOM_PCI_RESULT_PLAN,
	       "and has it forget its plans");
	tap_ok(!driver_plan(&driver, 1, plan_of_some) && !driver_do(&driver, job, &record),
	       "with the plan the job runs");
}

/* Jobs of the lower half of the lanes, and of the upper one. */
static void test_lanes(void)
{
	u32 *banks = &driver.chip.region[DRM_LOOM_REGION_SRAM].banks, all = *banks, i;
	struct loom_mask *halves = (void *)(client.ram + LANES_AT);
	struct loom_pci_descriptor low, high, other;
	struct loom_pci_record record;
	u64 hangs, waits;

	memset(halves, 0, 2 * sizeof(*halves));
	for (i = 0; i < all; i++)
		loom_mask_set(&halves[i / (all / 2)], i);
	loom_plan_destroy(plan_of_some);
	plan_of_some = NULL;
	*banks = all / 2;
	check_programs(0, &driver.chip, keep_plan);
	*banks = all;
	tap_ok(!driver_plan(&driver, 2, plan_of_some), "a plan for half of the lanes is taken");
	low = make_job(1);
	low.plan = 2;
	low.scatter = RAM_BASE + LANES_AT;
	high = low;
	high.queue = 2;
	high.scatter += sizeof(*halves);
	other = low;
	other.queue = 3;
	client_fault(&client, "job-hang");
	hangs = driver_submit(&driver, low);
	tap_ok(wait_running(hangs, &record) == LOOM_PCI_RESULT_RUNNING &&
	       !driver_do(&driver, high, &record),
	       "a job of other lanes ends beside one that hangs");
	waits = driver_submit(&driver, other);
	tap_ok(ask(LOOM_PCI_KIND_PROGRESS, waits, &record) == LOOM_PCI_RESULT_WAITS,
	       "one of the same lanes waits, in whatever queue");
	tap_ok(ask(LOOM_PCI_KIND_STOP, hangs, &record) == LOOM_PCI_RESULT_OK &&
	       !wait_polling(&record, 200), "the one that hangs is not stopped");
	tap_ok(ask(LOOM_PCI_KIND_JOB_RESET, hangs, &record) == LOOM_PCI_RESULT_OK &&
	       driver_wait(&driver, &record, PATIENCE_MS) && record.sequence == hangs &&
	       record.result == LOOM_PCI_RESULT_STOPPED, "a reset of its lanes ends it");
	tap_ok(driver_wait(&driver, &record, PATIENCE_MS) && record.sequence == waits &&
	       record.result == LOOM_PCI_RESULT_OK, "and the next one runs");
	halves[0] = loom_mask_all(all);
	loom_mask_set(&halves[0], all);
	tap_ok(driver_do(&driver, low, &record) == LOOM_PCI_RESULT_PLAN,
	       "lanes that the chip has not are refused");
	loom_plan_destroy(plan_of_some);
	plan_of_some = NULL;
}

/* On a device that takes its time. */
static void test_stop(void)
{
	static const char *const options[] = { "--chip", "tiny", "--pace", "100000000", NULL };
	struct loom_pci_record record, later;
	struct loom_pci_descriptor job;
	u64 running, waiting, high;

	client_start(&client, true, options);
	driver_probe(&driver, &client);
	driver_reset(&driver, 7);
	check_programs(0, &driver.chip, keep_plan);
	driver_plan(&driver, 1, plan_of_some);
	job = make_job(1);
	running = driver_submit(&driver, job);
	wait_running(running, &record);
	waiting = driver_submit(&driver, job);
	job.queue = 2;
	job.priority = DRM_LOOM_PRIORITY_HIGH;
	high = driver_submit(&driver, job);
	tap_ok(wait_running(running, &record) == LOOM_PCI_RESULT_RUNNING &&
	       ask(LOOM_PCI_KIND_PROGRESS, waiting, &later) == LOOM_PCI_RESULT_WAITS,
	       "one runs, the others wait, at the pace that was asked for");
	tap_ok(!driver_nop(&driver), "and something else is done meanwhile");
	tap_ok(ask(LOOM_PCI_KIND_STOP, waiting, &record) == LOOM_PCI_RESULT_OK &&
	       driver_wait(&driver, &record, PATIENCE_MS) && record.sequence == waiting &&
	       record.result == LOOM_PCI_RESULT_STOPPED, "one that waits is stopped at once");
	tap_ok(ask(LOOM_PCI_KIND_STOP, running, &record) == LOOM_PCI_RESULT_OK &&
	       driver_wait(&driver, &record, PATIENCE_MS) && record.sequence == running &&
	       record.result == LOOM_PCI_RESULT_STOPPED, "one that runs is stopped soon");
	tap_ok(wait_running(high, &record) == LOOM_PCI_RESULT_RUNNING, "the next one runs");
	client_set(&client, LOOM_PCI_POWER, LOOM_PCI_POWER_RETAIN);
	tap_ok(client_get(&client, LOOM_PCI_POWER) == LOOM_PCI_POWER_RUN,
	       "it does not fall asleep at work");
	tap_ok(ask(LOOM_PCI_KIND_STOP, 1, &record) == LOOM_PCI_RESULT_ABSENT,
	       "what never was is not stopped");
	tap_ok(driver_reset(&driver, 8) && nop_is_fine(), "a reset ends it");
	client_stop(&client);
}

/* ------------------------------------------------------- where it may reach */

static void test_stray(void)
{
	static const char *const options[] = { "--chip", "tiny", "--dma", "messages", NULL };
	char line[80], answer[200];
	u64 refused;

	client_start(&client, false, options);
	driver_probe(&driver, &client);
	driver_reset(&driver, 7);
	snprintf(line, sizeof(line), "fault dma-stray=%#llx", RAM_BASE + HOLE);
	tap_ok(client_control(&client, line, answer, sizeof(answer)) &&
	       strstr(answer, "read refused, write refused") && client.refused == 2,
	       "dma-stray: refused where nothing is");
	refused = client.refused;
	client.ram[DATA_AT + 64] = 1;
	snprintf(line, sizeof(line), "fault dma-stray=%#llx", RAM_BASE + DATA_AT + 64);
	tap_ok(client_control(&client, line, answer, sizeof(answer)) &&
	       strstr(answer, "read done, write done") && client.refused == refused,
	       "and done where there is something");
	tap_ok(nop_is_fine(), "then all is well");
	client_stop(&client);
}

/* ------------------------------------------------------------------ death */

static void reconnect(const char *what)
{
	client_disconnect(&client);
	client_connect(&client);
	tap_ok(client_get(&client, LOOM_PCI_ID) == LOOM_PCI_ID_VALUE &&
	       !client_get(&client, LOOM_PCI_EPOCH), "%s: it comes back as after power on", what);
	tap_ok(driver_reset(&driver, 41) && nop_is_fine(), "%s: and works", what);
}

static void test_death(void)
{
	struct protocol_access access = {
		.offset = LOOM_PCI_DOORBELL, .region = LOOM_PCI_BAR_REGS, .count = 4,
	};
	struct protocol_header header = { .id = 1, .command = PROTOCOL_REGION_WRITE };
	u32 one = 1, i;
	int ret;

	client_fault(&client, "death");
	tap_ok(wire_receive(client.socket, &client.message) == -EPIPE,
	       "death: the connection ends in order");
	tap_ok(client_get(&client, LOOM_PCI_ID) == U32_MAX, "death: it is gone");
	reconnect("death");

	/* more than one message unread: without the supervisor the connection would be reset */
	client_fault(&client, "death-doorbell");
	for (i = 0; i < 5; i++)
		wire_send(client.socket, &header, &access, sizeof(access), &one, 4, -1);
	ret = wire_receive(client.socket, &client.message);
	tap_ok(ret == -EPIPE, "death-doorbell: the connection ends in order: %s", strerror(-ret));
	reconnect("death-doorbell");
}

static int run_with(const char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(126);
		execv(client_binary(), (char *const *)argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_usage(void)
{
	static const char *const wrong[][5] = {
		{ "loom-sim" },
		{ "loom-sim", "--socket" },
		{ "loom-sim", "--socket", "/tmp/x", "extra" },
		{ "loom-sim", "--nonsense" },
		{ "loom-sim", "--chip", "moon" },
		{ "loom-sim", "--pace", "0" },
		{ "loom-sim", "--window", "3M" },
		{ "loom-sim", "--firmware", "1.2" },
		{ "loom-sim", "--fault", "rain" },
		{ "loom-sim", "--fault", "irq-lost=3" },
		{ "loom-sim", "--fault", "irq-late=soon" },
		{ "loom-sim", "--fault", "irq-late never" },
	};
	char answer[300];
	u32 i, refused = 0;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refused += run_with(wrong[i]) == 2;
	tap_ok(refused == ARRAY_SIZE(wrong), "a wrong command line is status 2: %u", refused);
	tap_ok(!client_control(&client, "fault rain", answer, sizeof(answer)) &&
	       !strncmp(answer, "error: ", 7) && strstr(answer, "rain"),
	       "a fault that nobody knows is an error");
	tap_ok(!client_control(&client, "dance", answer, sizeof(answer)) && strstr(answer, "dance"),
	       "a command that nobody knows is an error");
	tap_ok(client_control(&client, "state", answer, sizeof(answer)) &&
	       strstr(answer, "epoch 41\n"), "its state is told");
}

int main(void)
{
	static const char *const options[] = { "--chip", "tiny", NULL };

	client_start(&client, true, options);
	driver_probe(&driver, &client);
	tap_ok(driver_reset(&driver, 7) && nop_is_fine(), "a device that works");
	test_interrupts();
	test_lost_and_double();
	test_wrong_records();
	test_device();
	test_flips();
	test_hang();
	test_lanes();
	test_death();
	test_usage();
	tap_ok(!client_stop(&client), "it ends well");
	test_stop();
	test_stray();
	loom_plan_destroy(plan_of_some);
	return tap_end();
}
