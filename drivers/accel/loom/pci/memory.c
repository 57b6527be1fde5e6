// SPDX-License-Identifier: GPL-2.0
#include <linux/io.h>
#include <linux/pfn.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "loom_device.h"
#include "loom_shape.h"
#include "memory.h"
#include "pci.h"

/* Offset of bytes of a bank in BAR2. Return: false if they are beyond the window. */
static bool loom_pci_memory_at(const struct loom_pci *pci, u32 region, u32 bank, u64 address,
			       u64 bytes, u64 *at)
{
	*at = pci->map[region].base + bank * pci->map[region].pitch + address;
	return *at < pci->window_bytes && pci->window_bytes - *at >= bytes;
}

/**
 * loom_pci_memory_pfn() - page frame of a page of a bank in BAR2
 * @loom: the device
 * @region: an &enum drm_loom_region
 * @bank: number of the bank
 * @address: address in the bank, a multiple of PAGE_SIZE
 * @pfn: out
 *
 * Return: false if the window does not reach so far.
 */
bool loom_pci_memory_pfn(struct loom_device *loom, u32 region, u32 bank, u64 address,
			 unsigned long *pfn)
{
	struct loom_pci *pci = to_loom_pci(loom);
	u64 at;

	if (!loom_pci_memory_at(pci, region, bank, address, PAGE_SIZE, &at))
		return false;
	*pfn = PHYS_PFN(pci->window + at);
	return true;
}

/**
 * loom_pci_memory_clear() - write zeroes to bytes of a bank
 * @loom: the device
 * @region: an &enum drm_loom_region
 * @bank: number of the bank
 * @address: address in the bank
 * @bytes: how many
 *
 * Return: false if the window does not reach so far.
 */
bool loom_pci_memory_clear(struct loom_device *loom, u32 region, u32 bank, u64 address,
			   u64 bytes)
{
	struct loom_pci *pci = to_loom_pci(loom);
	u64 at;

	if (!loom_pci_memory_at(pci, region, bank, address, bytes, &at))
		return false;
	memset_io(pci->memory + at, 0, bytes);
	return true;
}

/**
 * loom_pci_place_fill() - fill in the place of bytes of a buffer
 * @place: out
 * @shape: of the buffer
 * @address: of the buffer, in each of its banks
 * @offset: first byte that is meant
 * @bytes: number of bytes, not zero
 */
void loom_pci_place_fill(struct loom_pci_place *place, const struct loom_shape *shape,
			 u64 address, u64 offset, u64 bytes)
{
	const struct loom_layout *layout = &shape->layout;
	/* there may be fewer shards than positions in the grid */
	u32 places = layout->page_columns ? layout->grid_columns * layout->grid_rows :
					    layout->banks;
	u32 i;

	*place = (struct loom_pci_place) {
		.region = cpu_to_le32(shape->region),
		.flags = cpu_to_le32(layout->column_major ? LOOM_PCI_PLACE_COLUMN_MAJOR : 0),
		.address = cpu_to_le64(address),
		.offset = cpu_to_le64(offset),
		.bytes = cpu_to_le64(bytes),
		.size = cpu_to_le64(layout->size),
		.page_bytes = cpu_to_le64(layout->page_bytes),
		.page_pitch_bytes = cpu_to_le64(layout->page_pitch_bytes),
		.page_columns = cpu_to_le64(layout->page_columns),
		.shard_rows = cpu_to_le64(layout->shard_rows),
		.shard_columns = cpu_to_le64(layout->shard_columns),
		.shards_across = cpu_to_le64(layout->shards_across),
		.grid_columns = cpu_to_le32(layout->grid_columns),
		.grid_rows = cpu_to_le32(layout->grid_rows),
		.banks = cpu_to_le32(places),
	};
	for (i = 0; i < places; i++)
		place->bank[i] = loom_shape_bank(shape, i);
}

/* Return: the number of extents; fills them in if @extents is not NULL. */
static u32 loom_pci_scatter_fill(struct loom_pci_extent *extents, struct sg_table *pages,
				 u64 offset, u64 *bytes)
{
	struct scatterlist *sg;
	u32 count = 0, i;

	for_each_sgtable_dma_sg(pages, sg, i) {
		u64 skip = min_t(u64, sg_dma_len(sg), offset);
		u64 part = min_t(u64, sg_dma_len(sg) - skip, *bytes);

		offset -= skip;
		*bytes -= part;
		if (!part)
			continue;
		if (extents)
			extents[count] = (struct loom_pci_extent) {
				.address = cpu_to_le64(sg_dma_address(sg) + skip),
				.bytes = cpu_to_le64(part),
			};
		count++;
	}
	return count;
}

/* Return: 0; -ENOMEM, and @scatter is zero. */
static int loom_pci_scatter_map(struct loom_pci_scatter *scatter, struct device *dev)
{
	scatter->dma = dma_map_single(dev, scatter->extents,
				      scatter->count * sizeof(*scatter->extents), DMA_TO_DEVICE);
	if (!dma_mapping_error(dev, scatter->dma))
		return 0;
	kfree(scatter->extents);
	*scatter = (struct loom_pci_scatter) {};
	return -ENOMEM;
}

/**
 * loom_pci_scatter_init() - build the extents of bytes of the host
 * @scatter: out, zero on failure
 * @dev: the device
 * @pages: with the bytes in them, mapped for the device
 * @offset: first byte that is meant
 * @bytes: number of bytes, must be exactly the number that the device will access
 *
 * Return: 0; -EINVAL if @pages has fewer bytes; -ENOMEM.
 */
int loom_pci_scatter_init(struct loom_pci_scatter *scatter, struct device *dev,
			  struct sg_table *pages, u64 offset, u64 bytes)
{
	u64 rest = bytes;

	*scatter = (struct loom_pci_scatter) {};
	scatter->count = loom_pci_scatter_fill(NULL, pages, offset, &rest);
	if (rest)
		return -EINVAL;
	scatter->extents = kmalloc_array(scatter->count, sizeof(*scatter->extents),
					 GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!scatter->extents)
		return -ENOMEM;
	rest = bytes;
	loom_pci_scatter_fill(scatter->extents, pages, offset, &rest);
	return loom_pci_scatter_map(scatter, dev);
}

/**
 * loom_pci_scatter_banks() - build the addresses of a buffer with one per bank
 * @scatter: out, zero on failure
 * @dev: the device
 * @place: in and out: of the buffer, from loom_pci_place_fill()
 * @shape: of the buffer
 * @addresses: by bank of the region
 *
 * Return: 0 or -ENOMEM.
 */
int loom_pci_scatter_banks(struct loom_pci_scatter *scatter, struct device *dev,
			   struct loom_pci_place *place, const struct loom_shape *shape,
			   const u64 *addresses)
{
	int ret;
	u32 i;

	*scatter = (struct loom_pci_scatter) { .count = le32_to_cpu(place->banks) };
	scatter->extents = kmalloc_array(scatter->count, sizeof(*scatter->extents), GFP_KERNEL);
	if (!scatter->extents)
		return -ENOMEM;
	for (i = 0; i < scatter->count; i++)
		scatter->extents[i] = (struct loom_pci_extent) {
			.address = cpu_to_le64(addresses[place->bank[i]]),
			.bytes = cpu_to_le64(shape->layout.bytes_per_bank),
		};
	ret = loom_pci_scatter_map(scatter, dev);
	if (ret)
		return ret;
	place->flags |= cpu_to_le32(LOOM_PCI_PLACE_PER_BANK);
	place->address = cpu_to_le64(scatter->dma);
	return 0;
}

/**
 * loom_pci_scatter_fini() - undo loom_pci_scatter_init()
 * @scatter: the extents, also after a failed init
 * @dev: the device
 */
void loom_pci_scatter_fini(struct loom_pci_scatter *scatter, struct device *dev)
{
	if (!scatter->extents)
		return;
	dma_unmap_single(dev, scatter->dma, scatter->count * sizeof(*scatter->extents),
			 DMA_TO_DEVICE);
	kfree(scatter->extents);
	*scatter = (struct loom_pci_scatter) {};
}
