// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_managed.h>

#include "backend/memory.h"
#include "memory.h"

/*
 * Local memory, with module parameter own: kernel pages in place of banks, and a thread in place of
 * a DMA engine. A back end for a chip without local memory does not need this file and native.c.
 */

const struct loom_backend *template_plain;

/**
 * struct template_move - state of a move in the back end: for a chip, its descriptor
 */
struct template_move {
	/** @work: work item on the engine */
	struct work_struct work;
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
 * @loom: the device
 * @region: region of the bank
 * @bank: number of the bank
 * @address: address in it
 *
 * Return: its place in the host's memory.
 */
u8 *template_memory_at(struct loom_device *loom, u32 region, u32 bank, u64 address)
{
	return to_template_memory(loom)->banks[region] +
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

static int template_memory_init(struct loom_device *loom)
{
	const struct drm_loom_chip_region *regions = loom_device_chip(loom)->region;
	struct drm_device *drm = loom_device_drm(loom);
	struct template_memory *memory;
	int ret = template_plain->init(loom);
	u32 id;

	if (ret)
		return ret;
	memory = drmm_kzalloc(drm, sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	ret = drmm_add_action(drm, template_memory_fini, memory);
	if (ret)
		return ret;
	to_template(loom)->memory = memory;
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

/* Make the engine take moves. */
static int template_memory_start(struct loom_device *loom)
{
	int ret = template_plain->start(loom);

	if (!ret)
		WRITE_ONCE(to_template_memory(loom)->off, false);
	return ret;
}

/* Drop the moves of the engine, and native commands, which submit their job at their end. */
static void template_memory_stop(struct loom_device *loom, enum loom_stop_reason why)
{
	struct template_memory *memory = to_template_memory(loom);

	WRITE_ONCE(memory->off, true);
	flush_workqueue(memory->engine);
	template_plain->stop(loom, why);
}

/* A chip must return an address in its BAR. */
static bool template_memory_pfn(struct loom_device *loom, u32 region, u32 bank, u64 address,
				unsigned long *pfn)
{
	*pfn = vmalloc_to_pfn(template_memory_at(loom, region, bank, address));
	return true;
}

/* ------------------------------------------------------------------- moves */

/* Returns the number of bytes. */
static u64 template_move_piece(const struct template_move *run, u64 at)
{
	struct loom_move_piece piece;
	u8 *here;

	loom_move_piece(run->move, at, &piece);
	here = template_memory_at(run->loom, piece.region, piece.bank, piece.address);
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
	struct template_memory *memory = to_template_memory(run->loom);
	struct loom_device *loom = run->loom;
	u64 id = loom_move_id(run->move), at = 0;

	while (!READ_ONCE(memory->off) && (stalls || at < loom_move_bytes(run->move))) {
		if (stalls)
			usleep_range(1000, 2000);
		else
			at += template_move_piece(run, at);
		cond_resched();
	}
	/* it may be freed before this returns */
	if (!READ_ONCE(memory->off))
		loom_moves_complete(loom, id, loom_device_epoch(loom), spills);
}

/* A chip must allocate the descriptor, and map the pages for DMA. */
static int template_move_prepare(struct loom_move *move)
{
	struct template_move *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	if (!run)
		return -ENOMEM;
	INIT_WORK(&run->work, template_move_work);
	run->loom = loom_move_device(move);
	run->move = move;
	*loom_move_data(move) = run;
	return 0;
}

/* A chip must copy the descriptor to the ring, and ring the doorbell. The ring is not full. */
static void template_move_run(struct loom_move *move)
{
	struct template_move *run = *loom_move_data(move);

	queue_work(to_template_memory(run->loom)->engine, &run->work);
}

/* A chip must unmap the pages. */
static void template_move_release(struct loom_move *move)
{
	kfree(*loom_move_data(move));
	*loom_move_data(move) = NULL;
}

static const struct loom_backend_memory template_local = {
	.pfn = template_memory_pfn,
	.prepare = template_move_prepare,
	.run = template_move_run,
	.release = template_move_release,
};

/**
 * template_memory_backend() - add local memory to a back end
 * @backend: a copy of @plain, which gets the operations
 * @plain: the back end without
 */
void template_memory_backend(struct loom_backend *backend, const struct loom_backend *plain)
{
	template_plain = plain;
	backend->init = template_memory_init;
	backend->start = template_memory_start;
	backend->stop = template_memory_stop;
	backend->memory = &template_local;
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
