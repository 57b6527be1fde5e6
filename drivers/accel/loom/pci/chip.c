// SPDX-License-Identifier: GPL-2.0
#include <linux/align.h>
#include <linux/io.h>
#include <linux/overflow.h>
#include <linux/pci.h>

#include "core/loom_chip.h"
#include "pci.h"

/*
 * The device's description of itself: read once, and then checked, because the device is not
 * trusted. One line in the log names the invalid field.
 */

static int loom_pci_chip_identity(struct loom_pci *pci)
{
	struct device *dev = &pci->pdev->dev;
	u32 id = readl(pci->regs + LOOM_PCI_ID);
	u32 version = readl(pci->regs + LOOM_PCI_VERSION);
	u32 least = LOOM_PCI_FIRMWARE_MIN;

	if (id != LOOM_PCI_ID_VALUE) {
		dev_err(dev, "not a Loom device: ID is %#x\n", id);
		return -ENODEV;
	}
	if (version >> 16 != LOOM_PCI_VERSION_MAJOR ||
	    (version & 0xffff) < LOOM_PCI_VERSION_MINOR) {
		dev_err(dev, "register version %u.%u is not supported, need %u.%u\n",
			version >> 16, version & 0xffff, LOOM_PCI_VERSION_MAJOR,
			LOOM_PCI_VERSION_MINOR);
		return -EOPNOTSUPP;
	}
	pci->firmware = readl(pci->regs + LOOM_PCI_FIRMWARE);
	if (pci->firmware < least || pci->firmware == U32_MAX) {
		dev_err(dev, "firmware %u.%u.%u is too old, need %u.%u.%u or later\n",
			pci->firmware >> 24, pci->firmware >> 16 & 0xff, pci->firmware & 0xffff,
			least >> 24, least >> 16 & 0xff, least & 0xffff);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int loom_pci_chip_description(struct loom_pci *pci)
{
	struct drm_loom_chip *chip = &pci->config.chip;
	u32 bytes = readl(pci->regs + LOOM_PCI_CHIP_BYTES), *word = (u32 *)chip, i;
	u32 words = min_t(u32, bytes, sizeof(*chip)) / sizeof(*word);
	struct device *dev = &pci->pdev->dev;
	struct loom_chip_fault fault;

	BUILD_BUG_ON(sizeof(*chip) % sizeof(*word));
	/* a newer device may append fields, up to the doorbell; an older one has fewer */
	if (bytes < LOOM_CHIP_FIRST_BYTES || bytes > LOOM_PCI_DOORBELL - LOOM_PCI_CHIP) {
		dev_err(dev, "invalid CHIP_BYTES %u\n", bytes);
		return -EINVAL;
	}
	memset(chip, 0, sizeof(*chip));
	for (i = 0; i < words; i++)
		word[i] = readl(pci->regs + LOOM_PCI_CHIP + i * sizeof(*word));
	if (!loom_chip_check(chip, &fault))
		return 0;
	dev_err(dev, "invalid chip description: field %u, region %d, type %d %s\n", fault.key,
		(int)fault.region, (int)fault.type, fault.text);
	return -EINVAL;
}

/* ------------------------------------------------------------------ memory */

/* Return: the end of the last bank, 0 if the map is invalid. */
static u64 loom_pci_chip_map_end(const struct loom_pci *pci, u32 id)
{
	const struct drm_loom_chip_region *region = &pci->config.chip.region[id];
	const struct loom_pci_map *map = &pci->map[id];
	u64 bytes, end;

	if (!IS_ALIGNED(map->base, LOOM_PCI_MAP_ALIGN) ||
	    !IS_ALIGNED(map->pitch, LOOM_PCI_MAP_ALIGN) || map->pitch < region->bank_bytes ||
	    check_mul_overflow(map->pitch, (u64)loom_chip_banks(&pci->config.chip, id), &bytes) ||
	    check_add_overflow(map->base, bytes, &end))
		return 0;
	return end;
}

static bool loom_pci_chip_map_overlaps(const struct loom_pci *pci, u32 id, u64 end)
{
	u64 other_end;
	u32 other;

	for (other = 0; other < id; other++) {
		if (!pci->config.chip.region[other].banks)
			continue;
		other_end = loom_pci_chip_map_end(pci, other);
		if (pci->map[id].base < other_end && pci->map[other].base < end)
			return true;
	}
	return false;
}

static int loom_pci_chip_map(struct loom_pci *pci, u32 id, u64 memory_bytes)
{
	struct loom_device_memory *memory = &pci->config.memory[id];
	struct device *dev = &pci->pdev->dev;
	u64 end;

	if (!pci->config.chip.region[id].banks)
		return 0;
	pci->map[id].base = loom_pci_read64(pci, LOOM_PCI_MAP_BASE(id));
	pci->map[id].pitch = loom_pci_read64(pci, LOOM_PCI_MAP_PITCH(id));
	end = loom_pci_chip_map_end(pci, id);
	if (!end || end > memory_bytes || loom_pci_chip_map_overlaps(pci, id, end)) {
		dev_err(dev, "invalid MAP of region %u: base %#llx, pitch %#llx, memory %#llx bytes\n",
			id, pci->map[id].base, pci->map[id].pitch, memory_bytes);
		return -EINVAL;
	}
	memory->own = true;
	/*
	 * banks must begin at pages of the processor; all of the SRAM must be accessible, or
	 * nothing
	 */
	if (IS_ALIGNED(LOOM_PCI_MAP_ALIGN, PAGE_SIZE) && pci->map[id].base < pci->window_bytes &&
	    (id != DRM_LOOM_REGION_SRAM || end <= pci->window_bytes))
		memory->map_bytes = PAGE_SIZE;
	return 0;
}

static int loom_pci_chip_memory(struct loom_pci *pci)
{
	u64 bar_bytes = pci_resource_len(pci->pdev, LOOM_PCI_BAR_MEMORY);
	u64 bytes = loom_pci_read64(pci, LOOM_PCI_MEMORY_BYTES);
	int ret = 0;
	u32 id;

	pci->window_bytes = loom_pci_read64(pci, LOOM_PCI_WINDOW_BYTES);
	if (pci->window_bytes > bytes || pci->window_bytes > bar_bytes) {
		dev_err(&pci->pdev->dev, "invalid WINDOW_BYTES %#llx: memory %#llx bytes, BAR2 %#llx bytes\n",
			pci->window_bytes, bytes, bar_bytes);
		return -EINVAL;
	}
	for (id = 0; !ret && id < DRM_LOOM_REGION_COUNT; id++)
		ret = loom_pci_chip_map(pci, id, bytes);
	return ret;
}

/**
 * loom_pci_chip_read() - read and check the description of the device
 * @pci: the device, with its registers mapped
 *
 * Return: 0, or -errno with a line in the log.
 */
int loom_pci_chip_read(struct loom_pci *pci)
{
	struct device *dev = &pci->pdev->dev;
	int ret = loom_pci_chip_identity(pci);
	u32 banks;

	if (!ret)
		ret = loom_pci_chip_description(pci);
	if (!ret)
		ret = loom_pci_chip_memory(pci);
	if (ret)
		return ret;
	pci->plan_limit = min_t(u32, readl(pci->regs + LOOM_PCI_MAX_PLANS), LOOM_PCI_PLANS);
	banks = pci->config.chip.region[DRM_LOOM_REGION_SRAM].banks;
	pci->queues = readl(pci->regs + LOOM_PCI_QUEUES);
	/* one for all lanes, one for each partition, one for moves */
	if (pci->plan_limit && pci->queues >= banks + 2)
		return 0;
	dev_err(dev, "invalid MAX_PLANS %u or QUEUES %u\n", pci->plan_limit, pci->queues);
	return -EINVAL;
}
