// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_managed.h>

#include "backend/memory.h"
#include "template.h"

/*
 * Local memory, with module parameter own: kernel pages in place of banks, and a thread in place of
 * a DMA engine. A back end for a chip without local memory does not need this file.
 */

/**
 * struct template_move - state of a move in the back end: for a chip, its descriptor
 */
struct template_move {
	/** @work: work item on the engine */
	struct work_struct work;
	/** @memory: of the device */
	struct template_memory *memory;
	/** @loom: the device */
	struct loom_device *loom;
	/** @move: the move, must not be accessed after its end */
	const struct loom_move *move;
};

static u64 template_memory_bytes(const struct drm_loom_chip_region *region)
{
	return PAGE_ALIGN(region->bank_bytes) * region->banks;
}

/**
 * template_memory_at() - a byte of a bank
 * @memory: of the device
 * @loom: the device
 * @region: region of the bank
 * @bank: number of the bank
 * @address: address in it
 *
 * Return: its place in the host's memory.
 */
u8 *template_memory_at(const struct template_memory *memory, const struct loom_device *loom,
		       u32 region, u32 bank, u64 address)
{
	return memory->banks[region] +
	       bank * PAGE_ALIGN(loom_device_chip(loom)->region[region].bank_bytes) + address;
}

static void template_memory_fini(struct drm_device *drm, void *data)
{
	struct template_memory *memory = data;
	u32 id;

	if (memory->engine)
		destroy_workqueue(memory->engine);
	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++)
		vfree(memory->banks[id]);
}

/**
 * template_memory_config() - declare all regions as local memory, which the host has room for
 * @config: of the device
 */
void template_memory_config(struct loom_device_config *config)
{
	struct drm_loom_chip_region *region = config->chip.region;
	u32 id;

	region[DRM_LOOM_REGION_DRAM].banks = 2;
	region[DRM_LOOM_REGION_DRAM].bank_bytes = SZ_16M;
	region[DRM_LOOM_REGION_SRAM].banks = 4;
	region[DRM_LOOM_REGION_SRAM].sub_banks = 4;
	region[DRM_LOOM_REGION_SRAM].bank_bytes = SZ_64K;
	region[DRM_LOOM_REGION_SRAM].reserved_bytes = SZ_1K;
	region[DRM_LOOM_REGION_SRAM].align_bytes = 16;
	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++)
		if (config->chip.region[id].banks)
			config->memory[id] = (struct loom_device_memory) {
				.own = true, .map_bytes = PAGE_SIZE,
			};
	config->moves_in_flight = 4;
	config->host_slots = true;
}

/**
 * template_memory_init() - allocate the banks
 * @memory: of the device, zero
 * @loom: the device
 *
 * Return: 0 or -ENOMEM.
 */
int template_memory_init(struct template_memory *memory, struct loom_device *loom)
{
	int ret = drmm_add_action(loom_device_drm(loom), template_memory_fini, memory);
	const struct drm_loom_chip_region *regions = loom_device_chip(loom)->region;
	u32 id;

	if (ret)
		return ret;
	memory->off = true;
	memory->engine = alloc_ordered_workqueue("loom-template", WQ_MEM_RECLAIM);
	if (!memory->engine)
		return -ENOMEM;
	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++) {
		if (!regions[id].banks)
			continue;
		/* not zeroed, like memory at power on */
		memory->banks[id] = vmalloc(template_memory_bytes(&regions[id]));
		if (!memory->banks[id])
			return -ENOMEM;
		memset(memory->banks[id], 0xa5,
		       template_memory_bytes(&regions[id]));
	}
	return 0;
}

/**
 * template_memory_start() - make the engine take moves
 * @memory: of the device
 */
void template_memory_start(struct template_memory *memory)
{
	WRITE_ONCE(memory->off, false);
}

/**
 * template_memory_stop() - stop all accesses of the engine and drop its moves
 * @memory: of the device
 */
void template_memory_stop(struct template_memory *memory)
{
	WRITE_ONCE(memory->off, true);
	if (memory->engine)
		flush_workqueue(memory->engine);
}

/* A chip must return an address in its BAR. */
static bool template_memory_pfn(struct loom_device *loom, u32 region, u32 bank, u64 address,
				unsigned long *pfn)
{
	*pfn = vmalloc_to_pfn(template_memory_at(to_template_memory(loom), loom, region, bank,
						 address));
	return true;
}

/* ------------------------------------------------------------------- moves */

/* Returns the number of bytes. */
static u64 template_move_piece(const struct template_move *run, u64 at)
{
	struct loom_move_piece piece;
	u8 *here;

	loom_move_piece(run->move, at, &piece);
	here = template_memory_at(run->memory, run->loom, piece.region, piece.bank, piece.address);
	switch (loom_move_direction(run->move)) {
	case LOOM_MOVE_CLEAR:
		memset(here, 0, piece.bytes);
		break;
	case LOOM_MOVE_IN:
		memcpy_from_page(here, piece.page, piece.page_offset, piece.bytes);
		break;
	case LOOM_MOVE_OUT:
		memcpy_to_page(piece.page, piece.page_offset, here, piece.bytes);
		break;
	}
	return piece.bytes;
}

static void template_move_work(struct work_struct *work)
{
	const struct template_move *run = container_of(work, struct template_move, work);
	bool stalls = nothing_has_fault(NOTHING_STALLS), spills = nothing_has_fault(NOTHING_SPILLS);
	struct loom_device *loom = run->loom;
	u64 id = loom_move_id(run->move), at = 0;

	while (!READ_ONCE(run->memory->off) && (stalls || at < loom_move_bytes(run->move))) {
		if (stalls)
			usleep_range(1000, 2000);
		else
			at += template_move_piece(run, at);
		cond_resched();
	}
	/* it may be freed before this returns */
	if (!READ_ONCE(run->memory->off))
		loom_moves_complete(loom, id, loom_device_epoch(loom), spills);
}

/* A chip must allocate the descriptor, and map the pages for DMA. */
static int template_move_prepare(struct loom_move *move)
{
	struct template_move *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	if (!run)
		return -ENOMEM;
	INIT_WORK(&run->work, template_move_work);
	run->memory = to_template_memory(loom_move_device(move));
	run->loom = loom_move_device(move);
	run->move = move;
	*loom_move_data(move) = run;
	return 0;
}

/* A chip must copy the descriptor to the ring, and ring the doorbell. The ring is not full. */
static void template_move_run(struct loom_move *move)
{
	struct template_move *run = *loom_move_data(move);

	queue_work(run->memory->engine, &run->work);
}

/* A chip must unmap the pages. */
static void template_move_release(struct loom_move *move)
{
	kfree(*loom_move_data(move));
	*loom_move_data(move) = NULL;
}

const struct loom_backend_memory template_local = {
	.pfn = template_memory_pfn,
	.prepare = template_move_prepare,
	.run = template_move_run,
	.release = template_move_release,
};
