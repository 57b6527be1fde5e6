// SPDX-License-Identifier: MIT
#include "sim.h"

#include <unistd.h>

/* Registers that a driver reads and writes: BAR0. Handlers must not block. */

/* Half of a number of 64 bits. */
static u32 register_half(u64 value, u32 offset)
{
	return offset & 4 ? value >> 32 : value;
}

static u32 register_map(struct sim *sim, u32 offset)
{
	u32 region = (offset - LOOM_PCI_MAP_BASE(0)) / 16;
	u64 value = offset & 8 ? sim->memory.pitch[region] : sim->memory.base[region];

	return register_half(value, offset);
}

static u32 register_chip(struct sim *sim, u32 offset)
{
	u32 word = 0, at = offset - LOOM_PCI_CHIP;

	memcpy(&word, (const u8 *)&sim->chip + at, min(sizeof(word), sizeof(sim->chip) - at));
	return word;
}

static u32 register_heartbeat_locked(struct sim *sim)
{
	u64 now = sim->retain ? sim->slept_since : sim_now_ns();
	u32 beats = (now - sim->started - sim->slept) / 1000000;

	if (sim_fault_due(&sim->faults, FAULT_HEARTBEAT_STUCK))
		return sim->frozen;
	sim->frozen = beats;
	return beats;
}

static u32 register_identity(struct sim *sim, u32 offset)
{
	switch (offset) {
	case LOOM_PCI_ID:
		return LOOM_PCI_ID_VALUE;
	case LOOM_PCI_VERSION:
		return LOOM_PCI_VERSION_MAJOR << 16 | LOOM_PCI_VERSION_MINOR;
	case LOOM_PCI_FIRMWARE:
		return sim->options->firmware;
	case LOOM_PCI_CHIP_BYTES:
		return sizeof(sim->chip);
	case LOOM_PCI_MAX_PLANS:
		return PLANS_MAX;
	case LOOM_PCI_MAX_ENTRIES:
		return SIM_ENTRIES;
	case LOOM_PCI_QUEUES:
		return SIM_QUEUES;
	}
	return 0;
}

static u32 register_state_locked(struct sim *sim, u32 offset)
{
	switch (offset) {
	case LOOM_PCI_STATUS:
		return sim->status;
	case LOOM_PCI_EPOCH:
		return sim->epoch;
	case LOOM_PCI_HEARTBEAT:
		return register_heartbeat_locked(sim);
	case LOOM_PCI_FAULT:
		return sim->fault;
	case LOOM_PCI_POWER:
		return sim->retain ? LOOM_PCI_POWER_RETAIN : LOOM_PCI_POWER_RUN;
	case LOOM_PCI_SUBMIT_BASE:
	case LOOM_PCI_SUBMIT_BASE + 4:
		return register_half(sim->written.submit_base, offset);
	case LOOM_PCI_RECORD_BASE:
	case LOOM_PCI_RECORD_BASE + 4:
		return register_half(sim->written.record_base, offset);
	case LOOM_PCI_ENTRIES:
		return sim->written.entries;
	}
	return 0;
}

static u32 register_irq(struct sim_records *records, u32 offset)
{
	u32 value;

	pthread_mutex_lock(&records->irq_lock);
	value = offset == LOOM_PCI_IRQ_STATUS ? records->status : records->enable;
	pthread_mutex_unlock(&records->irq_lock);
	return value;
}

static u32 register_figure(struct sim *sim, u32 offset, bool asleep)
{
	struct sim_sensors sensors;

	sim_power_read(&sim->power, asleep, &sensors);
	switch (offset) {
	case LOOM_PCI_TEMPERATURE:
		return sensors.millicelsius;
	case LOOM_PCI_POWER_UW:
		return sensors.microwatts;
	case LOOM_PCI_CLOCK_HZ:
	case LOOM_PCI_CLOCK_HZ + 4:
		return register_half(asleep ? 0 : sim->chip.frequency_hz, offset);
	}
	return register_half(sensors.microjoules, offset);
}

static u32 register_memory(struct sim *sim, u32 offset)
{
	if (offset < LOOM_PCI_WINDOW_BYTES)
		return register_half(sim->memory.total, offset);
	return register_half(min(sim->memory.total, sim->memory.bar), offset);
}

u32 sim_register_read(struct sim *sim, u32 offset)
{
	bool asleep, off;
	u32 value = 0;

	if (sim_fault_due(&sim->faults, FAULT_REGISTERS_ONES))
		return U32_MAX;
	pthread_mutex_lock(&sim->lock);
	off = sim->off;
	asleep = sim->retain;
	if (offset >= LOOM_PCI_STATUS && offset <= LOOM_PCI_ENTRIES)
		value = register_state_locked(sim, offset);
	pthread_mutex_unlock(&sim->lock);
	if (off)
		return U32_MAX;
	if (offset < LOOM_PCI_STATUS)
		return register_identity(sim, offset);
	if (offset == LOOM_PCI_IRQ_STATUS || offset == LOOM_PCI_IRQ_ENABLE)
		return register_irq(&sim->records, offset);
	if (offset >= LOOM_PCI_TEMPERATURE && offset < LOOM_PCI_ENERGY_UJ + 8)
		return register_figure(sim, offset, asleep);
	if (offset >= LOOM_PCI_MEMORY_BYTES && offset < LOOM_PCI_WINDOW_BYTES + 8)
		return register_memory(sim, offset);
	if (offset >= LOOM_PCI_MAP_BASE(0) && offset < LOOM_PCI_MAP_BASE(DRM_LOOM_CHIP_REGIONS))
		return register_map(sim, offset);
	if (offset >= LOOM_PCI_CHIP && offset < LOOM_PCI_CHIP + sizeof(sim->chip))
		return register_chip(sim, offset);
	return value;
}

/* ------------------------------------------------------------------- writes */

static void register_set_half(u64 *value, u32 offset, u32 word)
{
	if (offset & 4)
		*value = (u32)*value | (u64)word << 32;
	else
		*value = *value >> 32 << 32 | word;
}

/* The firmware does the rest, when the workers have stopped. */
static void register_reset_locked(struct sim *sim, u32 epoch)
{
	if (!epoch || sim->retain)
		return;
	atomic_fetch_add(&sim->generation, 1);
	sim->wanted = epoch;
	sim->epoch = 0;
	sim->status = 0;
	sim->fault = LOOM_PCI_FAULT_NONE;
	pthread_cond_broadcast(&sim->changed);
}

static void register_power_locked(struct sim *sim, u32 value)
{
	bool retain = value == LOOM_PCI_POWER_RETAIN;

	if (value > LOOM_PCI_POWER_RETAIN || retain == sim->retain ||
	    (retain && (sim->item_count || sim->doorbell != sim->fetched)))
		return;
	if (retain)
		sim->slept_since = sim_now_ns();
	else
		sim->slept += sim_now_ns() - sim->slept_since;
	sim->retain = retain;
}

static void register_write_locked(struct sim *sim, u32 offset, u32 value)
{
	switch (offset) {
	case LOOM_PCI_RESET:
		register_reset_locked(sim, value);
		break;
	case LOOM_PCI_POWER:
		register_power_locked(sim, value);
		break;
	case LOOM_PCI_SUBMIT_BASE:
	case LOOM_PCI_SUBMIT_BASE + 4:
		register_set_half(&sim->written.submit_base, offset, value);
		break;
	case LOOM_PCI_RECORD_BASE:
	case LOOM_PCI_RECORD_BASE + 4:
		register_set_half(&sim->written.record_base, offset, value);
		break;
	case LOOM_PCI_ENTRIES:
		sim->written.entries = value;
		break;
	case LOOM_PCI_DOORBELL:
		if (!(sim->status & LOOM_PCI_STATUS_READY) || sim->retain)
			break;
		sim->doorbell = value;
		pthread_cond_broadcast(&sim->changed);
		break;
	}
}

void sim_register_write(struct sim *sim, u32 offset, u32 value)
{
	struct sim_records *records = &sim->records;

	if (offset == LOOM_PCI_DOORBELL && sim_fault_due(&sim->faults, FAULT_DEATH_DOORBELL))
		_exit(0);
	if (sim_fault_due(&sim->faults, FAULT_REGISTERS_ONES))
		return;
	pthread_mutex_lock(&sim->lock);
	if (!sim->off)
		register_write_locked(sim, offset, value);
	pthread_mutex_unlock(&sim->lock);
	if (offset != LOOM_PCI_IRQ_STATUS && offset != LOOM_PCI_IRQ_ENABLE)
		return;
	pthread_mutex_lock(&records->irq_lock);
	if (offset == LOOM_PCI_IRQ_STATUS)
		records->status &= ~value;
	else
		records->enable = value & LOOM_PCI_IRQ_ALL;
	pthread_mutex_unlock(&records->irq_lock);
}

/* -------------------------------------------------------------------- reset */

void sim_function_reset(struct sim *sim, bool off)
{
	pthread_mutex_lock(&sim->lock);
	atomic_fetch_add(&sim->generation, 1);
	sim->wanted = 0;
	sim->epoch = 0;
	sim->status = 0;
	sim->fault = LOOM_PCI_FAULT_NONE;
	sim->written = (struct sim_rings){ 0 };
	sim->doorbell = 0;
	sim->fetched = 0;
	sim->retain = false;
	sim->off = off;
	sim->started = sim_now_ns();
	sim->slept = 0;
	pthread_cond_broadcast(&sim->changed);
	pthread_mutex_unlock(&sim->lock);
	sim_records_reset(&sim->records);
}
