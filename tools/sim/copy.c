// SPDX-License-Identifier: MIT
#include "sim.h"

#include <endian.h>
#include <stdlib.h>

/* The DMA engine: between the host's memory and the banks. */

/* Extents fetched at a time, and bytes moved between two checks for a stop. */
#define COPY_EXTENTS	256
#define COPY_PIECE	((u64)1 << 20)

/**
 * struct copy_host - a walk over the host's memory
 * @sim: the device
 * @scatter: where its extents are
 * @count: number of them
 * @extents: some of them
 * @fetched: extents that were fetched so far
 * @at: the current one
 * @done: bytes of it that are behind
 */
struct copy_host {
	struct sim *sim;
	u64 scatter;
	u32 count;
	struct loom_pci_extent extents[COPY_EXTENTS];
	u32 fetched;
	u32 at;
	u64 done;
};

static u32 copy_fetch(struct copy_host *host)
{
	u32 count = min(host->count - host->fetched, (u32)COPY_EXTENTS);
	u64 from = host->scatter + (u64)host->fetched * sizeof(*host->extents);

	if (!count)
		return LOOM_PCI_RESULT_INVALID;
	if (sim_dma_read(&host->sim->dma, from, host->extents, count * sizeof(*host->extents)))
		return LOOM_PCI_RESULT_DMA;
	host->fetched += count;
	return LOOM_PCI_RESULT_OK;
}

/* Moves @bytes at most between the next of the host's bytes and @bank; how many is in @moved. */
static u32 copy_piece(struct copy_host *host, bool out, u8 *bank, u64 bytes, u64 *moved)
{
	struct loom_pci_extent *extent;
	u64 size, address;
	u32 result;

	if (host->at == host->fetched) {
		result = copy_fetch(host);
		if (result)
			return result;
	}
	extent = &host->extents[host->at % COPY_EXTENTS];
	size = le64toh(extent->bytes);
	if (!size)
		return LOOM_PCI_RESULT_INVALID;
	address = le64toh(extent->address) + host->done;
	*moved = min(min(bytes, size - host->done), COPY_PIECE);
	if (out ? sim_dma_write(&host->sim->dma, address, bank, *moved) :
		  sim_dma_read(&host->sim->dma, address, bank, *moved))
		return LOOM_PCI_RESULT_DMA;
	host->done += *moved;
	if (host->done == size) {
		host->at++;
		host->done = 0;
	}
	return LOOM_PCI_RESULT_OK;
}

static bool copy_is_over(struct sim *sim, const struct sim_item *item, u32 generation)
{
	return sim_is_over(sim, generation) || atomic_load(&item->stop);
}

static u32 copy_end(const struct copy_host *host)
{
	/* the extents must not have more bytes than the place */
	return host->at == host->count ? LOOM_PCI_RESULT_OK : LOOM_PCI_RESULT_INVALID;
}

static void copy_flip(struct sim *sim, void *bytes, u64 count)
{
	u64 bit;

	if (!sim_fault_due(&sim->faults, FAULT_BIT_FLIP))
		return;
	bit = sim_fault_random(&sim->faults) % (count * 8);
	((u8 *)bytes)[bit / 8] ^= 1 << bit % 8;
}

u32 sim_host_move(struct sim *sim, const struct sim_item *item, u32 generation, bool out,
		  u64 scatter, u32 count, void *bytes, u64 size)
{
	struct copy_host host = { .sim = sim, .scatter = scatter, .count = count };
	u64 at, moved;
	u32 result;

	for (at = 0; at < size; at += moved) {
		if (sim_is_over(sim, generation) || (!out && atomic_load(&item->stop)))
			return LOOM_PCI_RESULT_STOPPED;
		result = copy_piece(&host, out, (u8 *)bytes + at, size - at, &moved);
		if (result)
			return result;
	}
	if (size && !out)
		copy_flip(sim, bytes, size);
	return copy_end(&host);
}

u32 sim_place_take(struct sim *sim, struct sim_place *place, const struct loom_pci_place *raw)
{
	struct loom_pci_extent banks[DRM_LOOM_MAX_BANKS];
	u32 count = sim_place_banks(raw);

	if (count &&
	    sim_dma_read(&sim->dma, le64toh(raw->address), banks, count * sizeof(*banks)))
		return LOOM_PCI_RESULT_DMA;
	return sim_place_init(place, &sim->memory, raw, banks) ? LOOM_PCI_RESULT_OK :
								 LOOM_PCI_RESULT_PLACE;
}

/* The place that @item names, alone. */
static u32 copy_place(struct sim *sim, const struct sim_item *item, struct sim_place *place)
{
	struct loom_pci_place raw;

	if (sim_dma_read(&sim->dma, item->address, &raw, sizeof(raw)))
		return LOOM_PCI_RESULT_DMA;
	return sim_place_take(sim, place, &raw);
}

u32 sim_copy(struct sim *sim, struct sim_item *item, u32 generation)
{
	struct copy_host host = { .sim = sim, .scatter = item->scatter, .count = item->count };
	bool out = item->kind == LOOM_PCI_KIND_COPY_OUT;
	struct sim_place place;
	u64 at, bytes, moved;
	u32 result = copy_place(sim, item, &place);

	for (at = 0; !result && at < place.bytes; at += moved) {
		u8 *bank;

		if (copy_is_over(sim, item, generation))
			return LOOM_PCI_RESULT_STOPPED;
		bytes = place.bytes;
		bank = sim_place_piece(&place, at, &bytes);
		result = copy_piece(&host, out, bank, bytes, &moved);
		if (!result && !out && !at)
			copy_flip(sim, bank, moved);
	}
	return result ? result : copy_end(&host);
}

u32 sim_clear(struct sim *sim, struct sim_item *item, u32 generation)
{
	struct sim_place place;
	u64 at, bytes;
	u32 result = copy_place(sim, item, &place);
	bool is_false = sim_fault_due(&sim->faults, FAULT_CLEAR_FALSE);

	if (result)
		return result;
	for (at = 0; at < place.bytes; at += bytes) {
		u8 *bank;

		if (copy_is_over(sim, item, generation))
			return LOOM_PCI_RESULT_STOPPED;
		bytes = COPY_PIECE;
		bank = sim_place_piece(&place, at, &bytes);
		if (!is_false)
			memset(bank, 0, bytes);
	}
	return LOOM_PCI_RESULT_OK;
}
