/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PCI_MEMORY_H
#define LOOM_PCI_MEMORY_H

#include <linux/dma-mapping.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/types.h>

struct loom_pci_extent;
struct loom_pci_place;
struct loom_shape;
struct sg_table;

/**
 * struct loom_pci_scatter - memory of the host, described for the device
 */
struct loom_pci_scatter {
	/** @extents: pieces of it, mapped for the device; NULL if there are none */
	struct loom_pci_extent *extents;
	/** @dma: of @extents for the device */
	dma_addr_t dma;
	/** @count: number of @extents */
	u32 count;
};

int loom_pci_scatter_init(struct loom_pci_scatter *scatter, struct device *dev,
			  struct sg_table *pages, u64 offset, u64 bytes);
int loom_pci_scatter_banks(struct loom_pci_scatter *scatter, struct device *dev,
			   struct loom_pci_place *place, const struct loom_shape *shape,
			   const u64 *addresses);
void loom_pci_scatter_fini(struct loom_pci_scatter *scatter, struct device *dev);

/* Maximum bytes of a DMA segment. */
static inline unsigned int loom_pci_segment(struct device *dev)
{
	return min_t(size_t, dma_max_mapping_size(dev), UINT_MAX) & PAGE_MASK;
}

void loom_pci_place_fill(struct loom_pci_place *place, const struct loom_shape *shape,
			 u64 address, u64 offset, u64 bytes);

#endif /* LOOM_PCI_MEMORY_H */
