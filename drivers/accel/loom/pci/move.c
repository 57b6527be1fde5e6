// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "loom_device.h"
#include "memory.h"
#include "memory/move.h"
#include "pci.h"

/**
 * struct loom_pci_move - state of a move in the back end
 *
 * All fields are mapped for the device from move_prepare() to move_release().
 */
struct loom_pci_move {
	/** @place: bytes in its memory */
	struct loom_pci_place place;
	/** @place_dma: of @place for the device */
	dma_addr_t place_dma;
	/** @pages: of the host; empty for LOOM_MOVE_CLEAR */
	struct sg_table pages;
	/** @scatter: extents of @pages */
	struct loom_pci_scatter scatter;
	/** @banks: addresses in the banks, of a buffer with one per bank */
	struct loom_pci_scatter banks;
};

static enum dma_data_direction loom_pci_move_direction(const struct loom_move *move)
{
	return move->kind == LOOM_MOVE_OUT ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

static int loom_pci_move_pages(struct loom_pci_move *run, const struct loom_move *move,
			       struct device *dev)
{
	int ret = sg_alloc_table_from_pages_segment(&run->pages, move->pages,
						    PFN_UP(move->bytes), 0, PAGE_ALIGN(move->bytes),
						    loom_pci_segment(dev),
						    GFP_KERNEL);

	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, &run->pages, loom_pci_move_direction(move), 0);
	if (ret)
		goto err_free;
	ret = loom_pci_scatter_init(&run->scatter, dev, &run->pages, 0, move->bytes);
	if (!ret)
		return 0;
	dma_unmap_sgtable(dev, &run->pages, loom_pci_move_direction(move), 0);
err_free:
	sg_free_table(&run->pages);
	return ret;
}

/**
 * loom_pci_move_prepare() - allocate and map the state of a move
 * @move: the move
 *
 * Return: 0 or -errno.
 */
int loom_pci_move_prepare(struct loom_move *move)
{
	struct device *dev = move->loom->drm.dev;
	struct loom_pci_move *run = kzalloc(sizeof(*run), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!run)
		return ret;
	loom_pci_place_fill(&run->place, &move->shape, move->address, move->offset, move->bytes);
	if (move->addresses &&
	    loom_pci_scatter_banks(&run->banks, dev, &run->place, &move->shape, move->addresses))
		goto err_free;
	run->place_dma = dma_map_single(dev, &run->place, sizeof(run->place), DMA_TO_DEVICE);
	if (dma_mapping_error(dev, run->place_dma))
		goto err_free;
	ret = move->pages ? loom_pci_move_pages(run, move, dev) : 0;
	if (ret)
		goto err_unmap;
	move->run = run;
	return 0;

err_unmap:
	dma_unmap_single(dev, run->place_dma, sizeof(run->place), DMA_TO_DEVICE);
err_free:
	loom_pci_scatter_fini(&run->banks, dev);
	kfree(run);
	return ret;
}

/**
 * loom_pci_move_run() - submit a move and ring the doorbell
 * @move: the move
 */
void loom_pci_move_run(struct loom_move *move)
{
	static const u16 kinds[] = {
		[LOOM_MOVE_CLEAR] = LOOM_PCI_KIND_CLEAR,
		[LOOM_MOVE_IN] = LOOM_PCI_KIND_COPY_IN,
		[LOOM_MOVE_OUT] = LOOM_PCI_KIND_COPY_OUT,
	};
	struct loom_pci *pci = to_loom_pci(move->loom);
	const struct loom_pci_move *run = move->run;
	u32 first = 1 + pci->config.chip.region[DRM_LOOM_REGION_SRAM].banks;
	u32 count = min(pci->queues - first, pci->ring.entries);
	struct loom_pci_descriptor descriptor = {
		.kind = cpu_to_le16(kinds[move->kind]),
		.priority = cpu_to_le16(DRM_LOOM_PRIORITY_NORMAL),
		/* fences order moves, so any queue will do that has no jobs */
		.queue = cpu_to_le32(first + move->id % count),
		.count = cpu_to_le32(run->scatter.count),
		.address = cpu_to_le64(run->place_dma),
		.scatter = cpu_to_le64(run->scatter.dma),
	};

	spin_lock(&pci->ring.lock);
	/* if the ring is off, the thread that stopped the device runs it again or ends it */
	if (loom_pci_ring_put_locked(pci, &descriptor, move->id, 0))
		loom_pci_ring_ring_locked(pci);
	spin_unlock(&pci->ring.lock);
}

/**
 * loom_pci_move_release() - undo loom_pci_move_prepare()
 * @move: the move, which must not be on the device
 */
void loom_pci_move_release(struct loom_move *move)
{
	struct device *dev = move->loom->drm.dev;
	struct loom_pci_move *run = move->run;

	if (run->scatter.extents) {
		loom_pci_scatter_fini(&run->scatter, dev);
		dma_unmap_sgtable(dev, &run->pages, loom_pci_move_direction(move), 0);
		sg_free_table(&run->pages);
	}
	dma_unmap_single(dev, run->place_dma, sizeof(run->place), DMA_TO_DEVICE);
	loom_pci_scatter_fini(&run->banks, dev);
	kfree(run);
	move->run = NULL;
}
