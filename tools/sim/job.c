// SPDX-License-Identifier: MIT
#include "sim.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "loom_engine.h"

/*
 * A run of a plan. The engine wants each slot in one piece: one whose bytes follow each other in a
 * bank is computed on where it lies, any other is collected before the run and dealt out after it,
 * also one that is in the host's memory.
 * The scratch lies in the SRAM's banks. Those of a partition are mapped side by side for the run.
 */

/* Element operations between two checks for a stop: about a millisecond. */
#define JOB_BUDGET	(1U << 21)

/**
 * struct job - a run
 * @sim: the device
 * @item: the descriptor
 * @generation: when it began
 * @plan: the plan
 * @sram: first byte of the first lane; a pitch further is the next
 * @places: by slot
 * @slots: by slot: first byte, in the banks or collected
 * @pitches: by slot: from a bank to the next, of an SRAM slot
 * @collected: by slot: memory of its own, or NULL
 * @scatter: by slot: where the extents are of one that is collected from the host, or 0
 * @extents: by slot: number of these
 * @memory: for the engine
 * @engine: the run
 * @began: when
 */
struct job {
	struct sim *sim;
	struct sim_item *item;
	u32 generation;
	const struct loom_plan *plan;
	u8 *sram;
	struct sim_place places[DRM_LOOM_MAX_SLOTS];
	u8 *slots[DRM_LOOM_MAX_SLOTS];
	u64 pitches[DRM_LOOM_MAX_SLOTS];
	u8 *collected[DRM_LOOM_MAX_SLOTS];
	u64 scatter[DRM_LOOM_MAX_SLOTS];
	u32 extents[DRM_LOOM_MAX_SLOTS];
	struct loom_memory memory;
	struct loom_engine engine;
	u64 began;
};

static bool job_is_over(const struct job *job)
{
	return sim_is_over(job->sim, job->generation) || atomic_load(&job->item->stop);
}

static u32 job_slot_region(const struct loom_slot *slot)
{
	if (slot->flags & DRM_LOOM_SLOT_SRAM)
		return DRM_LOOM_REGION_SRAM;
	return slot->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
}

/* As wide a type as there is, but where the chip's own alignment is less. */
static bool job_is_aligned(const struct sim_place *place)
{
	u64 align = place->memory->chip->region[place->region].align_bytes, widest = sizeof(u64);

	u64 all = place->address + place->offset;
	u32 i;

	for (i = 0; i < place->layout.banks; i++)
		all |= place->banks[i];
	return !(all & (min(align, widest) - 1));
}

/* A piece of each bank, at the same address. */
static u32 job_bind_sram(struct job *job, u32 index)
{
	const struct sim_place *place = &job->places[index];
	const struct drm_loom_chip_region *sram = &job->sim->chip.region[DRM_LOOM_REGION_SRAM];
	u32 i, bank = loom_mask_next(&job->item->lanes, 0);

	if (place->layout.banks != job->plan->lanes || place->layout.page_columns ||
	    place->offset >= place->layout.page_bytes ||
	    place->bytes > place->layout.page_bytes - place->offset ||
	    place->address + place->offset > sram->bank_bytes - place->bytes)
		return LOOM_PCI_RESULT_PLACE;
	for (i = 0; i < job->plan->lanes; i++) {
		if (place->bank[i] != bank)
			return LOOM_PCI_RESULT_PLACE;
		bank = loom_mask_next(&job->item->lanes, bank + 1);
	}
	job->slots[index] = job->sram + place->address + place->offset;
	job->pitches[index] = job->sim->memory.pitch[DRM_LOOM_REGION_SRAM];
	return LOOM_PCI_RESULT_OK;
}

static void job_move(const struct sim_place *place, u8 *collected, bool back)
{
	u64 at, bytes;

	for (at = 0; at < place->bytes; at += bytes) {
		u8 *bank;

		bytes = place->bytes;
		bank = sim_place_piece(place, at, &bytes);
		if (back)
			memcpy(bank, collected + at, bytes);
		else
			memcpy(collected + at, bank, bytes);
	}
}

/* The bytes of a slot come from the host, or go back there. */
static u32 job_move_host(struct job *job, u32 index, bool back)
{
	return sim_host_move(job->sim, job->item, job->generation, back, job->scatter[index],
			     job->extents[index], job->collected[index], job->places[index].bytes);
}

static u32 job_bind_host(struct job *job, u32 index, const struct loom_pci_place *raw)
{
	const struct loom_slot *slot = &job->plan->slots[index];
	const struct loom_pci_place want = {
		.region = raw->region,
		.flags = htole32(LOOM_PCI_PLACE_HOST),
		.address = raw->address,
		.bytes = htole64(slot->size),
		.banks = raw->banks,
	};

	if (memcmp(raw, &want, sizeof(want)) || !want.address || slot->flags & DRM_LOOM_SLOT_SRAM ||
	    le32toh(raw->region) != job_slot_region(slot))
		return LOOM_PCI_RESULT_PLACE;
	job->places[index].bytes = slot->size;
	job->scatter[index] = le64toh(raw->address);
	job->extents[index] = le32toh(raw->banks);
	job->collected[index] = malloc(slot->size);
	if (!job->collected[index])
		return LOOM_PCI_RESULT_MEMORY;
	job->slots[index] = job->collected[index];
	return job_move_host(job, index, false);
}

static u32 job_bind(struct job *job, u32 index, const struct loom_pci_place *raw)
{
	const struct loom_slot *slot = &job->plan->slots[index];
	struct sim_place *place = &job->places[index];
	u32 result;

	if (le32toh(raw->flags) & LOOM_PCI_PLACE_HOST)
		return job_bind_host(job, index, raw);
	result = sim_place_take(job->sim, place, raw);
	if (result)
		return result;
	if (place->bytes < slot->size || place->region != job_slot_region(slot) ||
	    !job_is_aligned(place) || (slot->flags & DRM_LOOM_SLOT_SRAM && sim_place_banks(raw)))
		return LOOM_PCI_RESULT_PLACE;
	if (slot->flags & DRM_LOOM_SLOT_SRAM)
		return job_bind_sram(job, index);
	/* bytes after the slot do not belong to the job */
	place->bytes = slot->size;
	job->slots[index] = sim_place_linear(place);
	if (job->slots[index])
		return LOOM_PCI_RESULT_OK;
	job->collected[index] = malloc(place->bytes);
	if (!job->collected[index])
		return LOOM_PCI_RESULT_MEMORY;
	job->slots[index] = job->collected[index];
	job_move(place, job->collected[index], false);
	return LOOM_PCI_RESULT_OK;
}

/* The banks of the lanes side by side. */
static u32 job_find_lanes(struct job *job)
{
	const struct sim_memory *memory = &job->sim->memory;

	if (loom_mask_count(&job->item->lanes) != job->plan->lanes)
		return LOOM_PCI_RESULT_PLAN;
	if (job->item->scatter)
		job->sram = sim_memory_lanes(memory, &job->item->lanes);
	else
		job->sram = sim_memory_bank(memory, DRM_LOOM_REGION_SRAM, 0);
	return job->sram ? LOOM_PCI_RESULT_OK : LOOM_PCI_RESULT_MEMORY;
}

static u32 job_bind_all(struct job *job)
{
	const struct drm_loom_chip_region *sram = &job->sim->chip.region[DRM_LOOM_REGION_SRAM];
	u64 bottom = loom_div_round_up(sram->reserved_bytes, sram->align_bytes) * sram->align_bytes;
	struct loom_pci_place raw;
	u32 i, result;

	if (job->item->count != job->plan->slot_count)
		return LOOM_PCI_RESULT_INVALID;
	if (job->plan->scratch_bytes && bottom + job->plan->scratch_bytes > sram->bank_bytes)
		return LOOM_PCI_RESULT_PLAN;
	result = job_find_lanes(job);
	for (i = 0; i < job->plan->slot_count && !result; i++) {
		if (sim_dma_read(&job->sim->dma, job->item->address + i * sizeof(raw), &raw,
				 sizeof(raw)))
			return LOOM_PCI_RESULT_DMA;
		result = job_bind(job, i, &raw);
	}
	if (result)
		return result;
	job->memory = (struct loom_memory){
		.lanes = job->plan->lanes,
		.scratch = job->sram + bottom,
		.lane_pitch = job->sim->memory.pitch[DRM_LOOM_REGION_SRAM],
		.slots = job->slots,
		.slot_pitches = job->pitches,
	};
	return LOOM_PCI_RESULT_OK;
}

/* Until the chip would have come that far. */
static void job_pace(struct job *job)
{
	double pace = job->sim->options->pace;
	double ns = job->engine.counters.cycles * (1e9 / job->sim->chip.frequency_hz) * pace;

	while (pace > 0 && !job_is_over(job)) {
		double left = ns - (sim_now_ns() - job->began);

		if (left <= 0)
			return;
		sim_nap(left);
	}
}

static void job_tell(struct job *job)
{
	struct sim_item *item = job->item;

	pthread_mutex_lock(&job->sim->lock);
	item->step = job->engine.step;
	item->command = job->engine.command;
	item->unit = job->engine.unit;
	item->counters = job->engine.counters;
	item->counters.busy_ns = sim_now_ns() - job->began;
	pthread_mutex_unlock(&job->sim->lock);
}

static void job_hang(struct job *job)
{
	while (!sim_is_over(job->sim, job->generation) && !atomic_load(&job->item->reset))
		sim_nap(1000000);
}

static u32 job_run(struct job *job)
{
	bool done = false;
	u64 start, ns;

	if (sim_fault_due(&job->sim->faults, FAULT_JOB_HANG))
		job_hang(job);
	loom_engine_init(&job->engine, job->plan, &job->memory);
	while (!done && !job_is_over(job)) {
		start = sim_now_ns();
		done = loom_engine_run(&job->engine, JOB_BUDGET);
		job_pace(job);
		ns = sim_now_ns() - start;
		sim_power_busy(&job->sim->power, ns);
		job_tell(job);
	}
	return done && !job_is_over(job) ? LOOM_PCI_RESULT_OK : LOOM_PCI_RESULT_STOPPED;
}

/* Write back slots that the plan may write, also after a stop. */
static u32 job_write_back(struct job *job, u32 index)
{
	if (!job->collected[index] || sim_is_over(job->sim, job->generation) ||
	    !(job->plan->slots[index].flags & DRM_LOOM_SLOT_WRITE))
		return LOOM_PCI_RESULT_OK;
	if (job->scatter[index])
		return job_move_host(job, index, true);
	job_move(&job->places[index], job->collected[index], true);
	return LOOM_PCI_RESULT_OK;
}

static u32 job_unbind(struct job *job, u32 result)
{
	bool bound = result == LOOM_PCI_RESULT_OK || result == LOOM_PCI_RESULT_STOPPED;
	u32 i, failed;

	/* a job that was stopped during binding has not begun, and must not write */
	bound = bound && job->memory.slots;
	for (i = 0; i < job->plan->slot_count; i++) {
		failed = bound ? job_write_back(job, i) : LOOM_PCI_RESULT_OK;
		result = failed ? failed : result;
		free(job->collected[i]);
	}
	if (job->sram && job->item->scatter)
		munmap(job->sram, job->plan->lanes * job->sim->memory.pitch[DRM_LOOM_REGION_SRAM]);
	return result;
}

u32 sim_job(struct sim *sim, struct sim_item *item, u32 generation)
{
	struct sim_plan *plan = sim_plans_get(&sim->plans, item->plan);
	struct job *job = calloc(1, sizeof(*job));
	u32 result = LOOM_PCI_RESULT_PLAN;

	if (!job) {
		result = LOOM_PCI_RESULT_MEMORY;
	} else if (plan) {
		job->sim = sim;
		job->item = item;
		job->generation = generation;
		job->plan = plan->plan;
		job->began = sim_now_ns();
		result = job_bind_all(job);
		if (!result)
			result = job_run(job);
		result = job_unbind(job, result);
	}
	free(job);
	sim_plans_put(&sim->plans, plan);
	return result;
}
