// SPDX-License-Identifier: MIT
#include "fault.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct fault_kind - a fault
 * @name: as typed
 * @arg: meaning of its number, or NULL if it has none
 * @standard: the number if none is given
 * @text: its description
 * @fuzz: while fuzzing, it happens once in this number of occasions; zero: never
 */
struct fault_kind {
	const char *name;
	const char *arg;
	u64 standard;
	const char *text;
	u32 fuzz;
};

static const struct fault_kind fault_kinds[FAULT_COUNT] = {
	[FAULT_IRQ_LOST] = { "irq-lost", NULL, 0, "an interrupt is not raised", 200 },
	[FAULT_IRQ_LATE] = { "irq-late", "MS", 100, "an interrupt comes late", 200 },
	[FAULT_IRQ_DOUBLE] = { "irq-double", NULL, 0, "an interrupt is raised twice", 50 },
	[FAULT_IRQ_SPURIOUS] = { "irq-spurious", NULL, 0, "an interrupt for nothing, now" },
	[FAULT_RECORD_LOST] = { "record-lost", NULL, 0, "a record is not written", 2000 },
	[FAULT_RECORD_SKIP] = {
		"record-skip", NULL, 0, "an entry of the ring is left out, without a mark", 2000 },
	[FAULT_RECORD_DOUBLE] = { "record-double", NULL, 0, "a record is written twice", 2000 },
	[FAULT_RECORD_FLOOD] = {
		"record-flood", NULL, 0, "records of the epoch before fill half the ring behind it",
		3000 },
	[FAULT_RECORD_HALF] = {
		"record-half", NULL, 0, "a record is only written to its middle, and marked", 500 },
	[FAULT_RECORD_GARBAGE] = {
		"record-garbage", NULL, 0, "a record of random bytes, but for its mark", 2000 },
	[FAULT_RECORD_SEQUENCE] = {
		"record-sequence", NULL, 0, "a record with a sequence that nobody has given",
		2000 },
	[FAULT_RECORD_EPOCH] = {
		"record-epoch", NULL, 0, "a record of the epoch before", 2000 },
	[FAULT_RECORD_RESULT] = {
		"record-result", NULL, 0, "a record with an unknown result", 2000 },
	[FAULT_COUNTERS_ONES] = {
		"counters-ones", NULL, 0,
		"all counters of a record, and where its job is, all ones", 100 },
	[FAULT_HEARTBEAT_STUCK] = {
		"heartbeat-stuck", NULL, 0, "the heartbeat stands still (in each read of it)", 20 },
	[FAULT_JOB_HANG] = { "job-hang", NULL, 0, "a job never ends, even if told to stop", 3000 },
	[FAULT_MOVE_SILENT] = {
		"move-silent", NULL, 0, "a copy or a clear is done, and has no record", 3000 },
	[FAULT_CLEAR_FALSE] = {
		"clear-false", NULL, 0, "a clear is not done, and has a record that it was" },
	[FAULT_RESET_HANG] = { "reset-hang", NULL, 0, "a reset never ends", 10 },
	[FAULT_REGISTERS_ONES] = {
		"registers-ones", NULL, 0, "a register reads all ones, or a write is lost", 1000 },
	[FAULT_BIT_FLIP] = { "bit-flip", NULL, 0, "a bit read from the host is wrong", 3000 },
	[FAULT_DMA_STRAY] = {
		"dma-stray", "ADDRESS", 0, "bytes are read and written where nobody has said" },
	[FAULT_STOP] = { "stop", NULL, 0, "the device stops by itself, now" },
	[FAULT_DEATH] = { "death", NULL, 0, "the process dies, now" },
	[FAULT_DEATH_DOORBELL] = {
		"death-doorbell", NULL, 0, "the process dies in the middle of a doorbell" },
};

void sim_faults_init(struct sim_faults *faults, u64 seed)
{
	*faults = (struct sim_faults){ .random = seed * 2 + 1 };
	pthread_mutex_init(&faults->lock, NULL);
}

static int fault_find(const char *name, size_t length)
{
	int i;

	for (i = 0; i < FAULT_COUNT; i++)
		if (strlen(fault_kinds[i].name) == length &&
		    !strncmp(fault_kinds[i].name, name, length))
			return i;
	return -EINVAL;
}

bool sim_number(const char *text, char **end, u64 *number)
{
	/* strtoull() takes blanks and signs, and wraps what is negative */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, end, text[1] == 'x' ? 16 : 10);
	return !errno;
}

/* TIMES or "always" from @text on; false if it is neither. */
static bool fault_times(const char *text, u64 *times)
{
	char *end;

	text += strspn(text, " ");
	*times = 1;
	if (!*text)
		return true;
	*times = U64_MAX;
	if (!strcmp(text, "always"))
		return true;
	return sim_number(text, &end, times) && !*end && *times;
}

int sim_faults_arm(struct sim_faults *faults, const char *text, char *why, size_t size)
{
	size_t length = strcspn(text, "= ");
	int fault = fault_find(text, length);
	const char *rest = text + length;
	u64 arg, times;
	char *end;

	if (fault < 0) {
		snprintf(why, size, "there is no fault '%.60s'", text);
		return -EINVAL;
	}
	arg = fault_kinds[fault].standard;
	if (*rest == '=') {
		if (!fault_kinds[fault].arg || !sim_number(rest + 1, &end, &arg) ||
		    (*end && *end != ' ')) {
			snprintf(why, size, "%s takes %s", fault_kinds[fault].name,
				 fault_kinds[fault].arg ? "a number" : "no number");
			return -EINVAL;
		}
		rest = end;
	}
	if (!fault_times(rest, &times)) {
		snprintf(why, size, "%s: how often is a number or always, not '%.60s'",
			 fault_kinds[fault].name, rest + strspn(rest, " "));
		return -EINVAL;
	}
	pthread_mutex_lock(&faults->lock);
	faults->arg[fault] = arg;
	faults->left[fault] = times;
	pthread_mutex_unlock(&faults->lock);
	return 0;
}

int sim_faults_clear(struct sim_faults *faults, const char *name)
{
	int fault = name ? fault_find(name, strlen(name)) : 0, i;

	if (fault < 0)
		return fault;
	pthread_mutex_lock(&faults->lock);
	for (i = 0; i < FAULT_COUNT; i++)
		if (!name || i == fault)
			faults->left[i] = 0;
	if (!name)
		faults->fuzz = 0;
	pthread_mutex_unlock(&faults->lock);
	return 0;
}

static u64 fault_random_locked(struct sim_faults *faults)
{
	faults->random ^= faults->random << 13;
	faults->random ^= faults->random >> 7;
	faults->random ^= faults->random << 17;
	return faults->random * 0x2545f4914f6cdd1dULL;
}

bool sim_fault_due(struct sim_faults *faults, enum sim_fault fault)
{
	bool due;

	pthread_mutex_lock(&faults->lock);
	due = faults->left[fault];
	if (due && faults->left[fault] != U64_MAX)
		faults->left[fault]--;
	if (!due && faults->fuzz && fault_kinds[fault].fuzz)
		due = fault_random_locked(faults) % fault_kinds[fault].fuzz == 0;
	faults->done[fault] += due;
	pthread_mutex_unlock(&faults->lock);
	return due;
}

u64 sim_fault_arg(struct sim_faults *faults, enum sim_fault fault)
{
	u64 arg;

	pthread_mutex_lock(&faults->lock);
	arg = faults->arg[fault];
	pthread_mutex_unlock(&faults->lock);
	return arg;
}

u64 sim_fault_random(struct sim_faults *faults)
{
	u64 random;

	pthread_mutex_lock(&faults->lock);
	random = fault_random_locked(faults);
	pthread_mutex_unlock(&faults->lock);
	return random;
}

void sim_faults_list(FILE *out)
{
	int i;

	for (i = 0; i < FAULT_COUNT; i++) {
		const struct fault_kind *kind = &fault_kinds[i];
		char name[40];

		snprintf(name, sizeof(name), "%s%s%s", kind->name, kind->arg ? "=" : "",
			 kind->arg ? kind->arg : "");
		fprintf(out, "%-20s %s\n", name, kind->text);
	}
}

void sim_faults_show(struct sim_faults *faults, FILE *out)
{
	int i;

	pthread_mutex_lock(&faults->lock);
	for (i = 0; i < FAULT_COUNT; i++) {
		if (!faults->left[i] && !faults->done[i])
			continue;
		fprintf(out, "%s done %llu", fault_kinds[i].name,
			(unsigned long long)faults->done[i]);
		if (faults->left[i] == U64_MAX)
			fputs(" left always\n", out);
		else
			fprintf(out, " left %llu\n", (unsigned long long)faults->left[i]);
	}
	pthread_mutex_unlock(&faults->lock);
}
