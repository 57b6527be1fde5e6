// SPDX-License-Identifier: MIT
/* Mandatory memory traffic and its cycles. See least.h. */
#include "least.h"

#include "loom_clock.h"

static const struct drm_loom_chip_region *region_of(const struct least *least, u32 region)
{
	return &least->chip->region[region];
}

static bool in_place(const struct least *least, const struct least_value *value)
{
	u32 region = value->place == LEAST_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;

	return region_of(least, region)->flags & DRM_LOOM_CHIP_IN_PLACE;
}

bool least_is_fixed(const struct least *least, const struct least_value *value)
{
	return (value->place == LEAST_DRAM || value->place == LEAST_ROM) && !in_place(least, value);
}

void least_add_read(const struct least *least, const struct least_value *value, u64 bytes,
		    struct least_bytes *sum)
{
	if (!least_is_fixed(least, value))
		return;
	if (value->place == LEAST_ROM)
		sum->rom_read = loom_clock_add(sum->rom_read, bytes);
	else
		sum->dram_read = loom_clock_add(sum->dram_read, bytes);
}

/* A load takes the time of the slower memory. */
static u64 load_cycles(const struct least *least, u32 region, u64 bytes)
{
	return max(loom_clock_rate(bytes, region_of(least, region)->read_rate),
		   loom_clock_rate(bytes, region_of(least, DRM_LOOM_REGION_SRAM)->write_rate));
}

/*
 * Cycles to write an output to DRAM. Not all of it need come from the SRAM: repeated elements can
 * be stored once and copied from there.
 */
static u64 store_cycles(const struct least *least, u64 bytes)
{
	return loom_clock_rate(bytes, region_of(least, DRM_LOOM_REGION_DRAM)->write_rate);
}

u64 least_cycles_of(const struct least *least, const struct least_bytes *bytes)
{
	u64 cycles = load_cycles(least, DRM_LOOM_REGION_DRAM, bytes->dram_read);

	cycles = loom_clock_add(cycles, load_cycles(least, DRM_LOOM_REGION_ROM, bytes->rom_read));
	return loom_clock_add(cycles, store_cycles(least, bytes->dram_write));
}

/*
 * The latency of a region in a load. If the SRAM is slower, its own latency may be the only one
 * that counts.
 */
static u32 load_latency(const struct least *least, u32 region)
{
	const struct drm_loom_chip_region *from = region_of(least, region);
	const struct drm_loom_chip_region *sram = region_of(least, DRM_LOOM_REGION_SRAM);

	return from->read_rate <= sram->write_rate ? from->read_latency :
						     min(from->read_latency, sram->write_latency);
}

/*
 * Start-up cycles to move @bytes between a slot and the SRAM, which limits the bytes per command.
 */
static u64 starts(const struct least *least, u64 bytes, u32 latency)
{
	u64 each = loom_clock_add(least->chip->dma_start, latency);

	return bytes ? loom_clock_times(loom_div_round_up(bytes, least->sram_bytes), each) : 0;
}

/**
 * struct slots - bytes of slots
 * @in_place: cycles of bytes that compute commands may read in place
 * @starts: cycles of commands' starts
 * @bytes: bytes of the DMA stream
 * @weights: of these by region: in DRAM, in ROM
 */
struct slots {
	u64 in_place;
	u64 starts;
	struct least_bytes bytes;
	u64 weights[2];
};

/* Bytes of the inputs of one slot. Few inputs share a slot in most models. */
static u64 slot_bytes(const struct least *least, u32 slot, u32 *first)
{
	u64 bytes = 0;
	u32 i;

	*first = LEAST_NONE;
	for (i = 0; i < least->list->lower->graph->num_inputs; i++) {
		u32 id = least->list->lower->graph->inputs[i]->id;
		const struct least_value *value = &least->values[id];

		if (value->place != LEAST_DRAM || value->slot != slot)
			continue;
		if (*first == LEAST_NONE)
			*first = id;
		bytes += loom_dtype_row_bytes(value->dtype, least_elems(&value->loaded));
	}
	return bytes;
}

static void count_value(const struct least *least, u32 id, struct slots *slots)
{
	const struct least_value *value = &least->values[id];
	bool constant = least->list->lower->graph->values[id]->data;
	u64 bytes = loom_dtype_row_bytes(value->dtype, least_elems(&value->loaded));
	u32 region = value->place == LEAST_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM, first;

	if (value->place != LEAST_DRAM && value->place != LEAST_ROM)
		return;
	if (!least_is_fixed(least, value)) {
		slots->in_place = loom_clock_add(slots->in_place,
						 loom_clock_rate(bytes, region_of(least, region)->
								 read_rate));
		return;
	}
	least_add_read(least, value, bytes, &slots->bytes);
	if (constant) {
		slots->weights[value->place == LEAST_ROM] += bytes;
		return;
	}
	bytes = slot_bytes(least, value->slot, &first);
	if (first == id)
		slots->starts = loom_clock_add(slots->starts,
					       starts(least, bytes, load_latency(least, region)));
}

static void count_slots(const struct least *least, struct slots *slots)
{
	const struct drm_loom_chip_region *dram = region_of(least, DRM_LOOM_REGION_DRAM);
	u32 i;

	for (i = 0; i < least->num_values; i++) {
		const struct least_value *value = &least->values[i];

		count_value(least, i, slots);
		slots->bytes.dram_write += value->stored_bytes;
	}
	slots->starts = loom_clock_add(slots->starts,
				       starts(least, slots->weights[0],
					      load_latency(least, DRM_LOOM_REGION_DRAM)));
	slots->starts = loom_clock_add(slots->starts,
				       starts(least, slots->weights[1],
					      load_latency(least, DRM_LOOM_REGION_ROM)));
	/* outputs may share a slot, so at least one command */
	if (slots->bytes.dram_write)
		slots->starts = loom_clock_add(slots->starts,
					       starts(least, 1, dram->write_latency));
}

void least_streams(struct least *least, struct loom_program_least *out)
{
	struct slots slots = { 0 };
	u64 dma, compute = 0, both;
	u32 i;

	count_slots(least, &slots);
	for (i = 0; i < least->list->num_ops; i++) {
		struct least_op *op = &least->ops[i];

		if (!op->live)
			continue;
		op->cycles = least_work(least, op, op->result.counts);
		compute = loom_clock_add(compute, op->cycles);
	}
	dma = loom_clock_add(slots.starts, least_cycles_of(least, &slots.bytes));
	out->dram_read_bytes = slots.bytes.dram_read;
	out->dram_write_bytes = slots.bytes.dram_write;
	out->rom_read_bytes = slots.bytes.rom_read;
	out->dma_cycles = dma;
	out->compute_cycles = compute;
	if (least->chip->flags & DRM_LOOM_CHIP_OVERLAP) {
		/* either stream can read in place */
		both = dma / 2 + slots.in_place / 2;
		out->stream_cycles = max(max(dma, compute), both);
	} else {
		out->stream_cycles = loom_clock_add(dma, max(compute, slots.in_place));
	}
}

/* --- traffic that overlaps no computation ----------------------------------------------------- */

/* Whether the operands of an op must be computed first; for a copy, the copied value. */
static bool is_late(const struct least_op *op)
{
	return op->op->kind == LOOM_GROUP_COMPUTE || !op->early;
}

/* Whether each element of the result needs an element that must be computed first. */
static bool waits_for(const struct least *least, const struct least_edge *edge)
{
	const struct loom_kernel *kernel = &least->ops[edge->to].op->kernel;
	u32 value = kernel->operands[edge->operand].ref.tensor, writer;

	if (!edge->sure || !is_late(&least->ops[edge->from]))
		return false;
	if (((edge->spans | edge->whole) & LEAST_ALL) == LEAST_ALL)
		return true;
	/* for any part, if a value is written in parts */
	for (writer = least->values[value].first_writer; writer < edge->to;
	     writer = least->ops[writer].next_writer)
		if (!is_late(&least->ops[writer]))
			return false;
	return true;
}

/* Whether some element of an op may depend on nothing computed. */
static bool is_early(const struct least *least, const struct least_op *op)
{
	u32 i;

	for (i = 0; i < op->num_in; i++)
		if (waits_for(least, &least->edges[op->first_in + i]))
			return false;
	return true;
}

/* Bytes of a stage's operand for one element of the result. */
static u64 one_element(const struct least_op *op, u32 operand)
{
	const struct loom_ref *ref = &op->op->kernel.operands[operand].ref;
	u64 elems = 1;
	u32 i;

	for (i = 0; i < ref->rank; i++)
		if (ref->strides[i])
			elems *= max(op->ones[operand][i], 1ULL);
	return loom_dtype_row_bytes(ref->dtype, elems);
}

/* Bytes to load before the first command of an op, of the first stage only. */
static u64 first_load_of(const struct least *least, const struct least_op *op)
{
	const struct loom_stage *stage = &op->op->kernel.stages[0];
	struct least_bytes bytes = { 0 };
	u32 slots[DRM_LOOM_MAX_NATIVE_OPERANDS], count = 0, i, k;
	u64 cycles = 0, latency;

	for (i = 1; i < stage->operands; i++) {
		const struct loom_operand *operand = &op->op->kernel.operands[stage->operand[i]];
		const struct least_value *value = &least->values[operand->ref.tensor];
		bool seen = false;

		if (operand->role != LOOM_ROLE_LOAD || !least_is_fixed(least, value))
			continue;
		for (k = 0; k < count; k++)
			seen |= slots[k] == value->slot;
		if (seen)
			continue;
		slots[count++] = value->slot;
		least_add_read(least, value, one_element(op, stage->operand[i]), &bytes);
		latency = load_latency(least, value->place == LEAST_ROM ? DRM_LOOM_REGION_ROM :
									  DRM_LOOM_REGION_DRAM);
		cycles = loom_clock_add(cycles, loom_clock_add(least->chip->dma_start, latency));
	}
	return loom_clock_add(cycles, least_cycles_of(least, &bytes));
}

/* Whether a value's place is known, and the DMA stream stores it at the end. */
static u64 last_store_of(const struct least *least, const struct least_value *value)
{
	const struct least_bytes bytes = {
		.dram_write = loom_dtype_row_bytes(value->dtype, 1),
	};
	const struct drm_loom_chip_region *dram = region_of(least, DRM_LOOM_REGION_DRAM);
	u64 cycles = loom_clock_add(least->chip->dma_start, dram->write_latency);

	return loom_clock_add(cycles, least_cycles_of(least, &bytes));
}

void least_ends(struct least *least)
{
	u64 first = U64_MAX, last = U64_MAX;
	bool computes = false;
	u32 i;

	for (i = 0; i < least->list->num_ops; i++) {
		struct least_op *op = &least->ops[i];

		op->early = op->live && is_early(least, op);
		if (!op->live || op->op->kind != LOOM_GROUP_COMPUTE)
			continue;
		computes = true;
		if (op->early)
			first = min(first, first_load_of(least, op));
	}
	for (i = 0; i < least->num_values; i++)
		if (least->values[i].stored_bytes)
			last = min(last, last_store_of(least, &least->values[i]));
	least->first_load = computes && first != U64_MAX ? first : 0;
	least->last_store = computes && last != U64_MAX ? last : 0;
}
