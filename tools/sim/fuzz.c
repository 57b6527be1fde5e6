// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <endian.h>
#include <string.h>

#include "sim.h"

/* Rates of fuzzed records and register reads: one in this number. */
#define FUZZ_RECORDS	300
#define FUZZ_REGISTERS	400
#define FUZZ_NAPS	20

void sim_fuzz_set(struct sim_faults *faults, u64 seed)
{
	pthread_mutex_lock(&faults->lock);
	faults->fuzz = seed;
	if (seed)
		faults->random = seed * 2 + 1;
	pthread_mutex_unlock(&faults->lock);
}

bool sim_fuzz_due(struct sim_faults *faults, u32 times)
{
	bool on;

	pthread_mutex_lock(&faults->lock);
	on = faults->fuzz;
	pthread_mutex_unlock(&faults->lock);
	return on && sim_fault_random(faults) % times == 0;
}

/* A number that is likely to be taken for another: a neighbour, an end, a bit, or any. */
static u64 fuzz_number(struct sim_faults *faults, u64 value)
{
	u64 random = sim_fault_random(faults), more = random >> 8;

	switch (random % 8) {
	case 0:
		return value + 1 + more % 4;
	case 1:
		return value - 1 - more % 4;
	case 2:
		return 0;
	case 3:
		return U64_MAX;
	case 4:
		return value ^ 1ULL << more % 64;
	case 5:
		return value ^ 1ULL << more % 32;
	case 6:
		return more % 16;
	}
	return sim_fault_random(faults);
}

u32 sim_fuzz_register(struct sim_faults *faults, u32 value)
{
	return sim_fuzz_due(faults, FUZZ_REGISTERS) ? fuzz_number(faults, value) : value;
}

static void fuzz_field(struct sim_faults *faults, struct loom_pci_record *record)
{
	u64 random = sim_fault_random(faults), which = random % 8, counter = random >> 8;

	if (which < 2)
		record->sequence = htole64(fuzz_number(faults, le64toh(record->sequence)));
	else if (which == 2)
		record->epoch = htole32(fuzz_number(faults, le32toh(record->epoch)));
	else if (which == 3)
		record->result = htole32(fuzz_number(faults, le32toh(record->result)));
	else if (which == 4)
		record->kind = htole32(fuzz_number(faults, le32toh(record->kind)));
	else if (which == 5)
		record->step = htole32(fuzz_number(faults, le32toh(record->step)));
	else if (which == 6)
		record->unit = htole64(fuzz_number(faults, le64toh(record->unit)));
	else
		record->counters[counter % LOOM_PCI_COUNTERS] = htole64(fuzz_number(faults, 0));
}

void sim_fuzz_record(struct sim_faults *faults, struct loom_pci_record *record,
		     const struct loom_pci_record *last)
{
	u64 fields;

	if (!sim_fuzz_due(faults, FUZZ_RECORDS))
		return;
	if (sim_fault_random(faults) % 8 == 0)
		*record = *last;
	for (fields = sim_fault_random(faults) % 4; fields; fields--)
		fuzz_field(faults, record);
}

void sim_fuzz_nap(struct sim_faults *faults, u32 ms)
{
	if (sim_fuzz_due(faults, FUZZ_NAPS))
		sim_nap(sim_fault_random(faults) % (ms * 1000000ULL));
}
