/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_MEMORY_H
#define LOOM_SIM_MEMORY_H

/* The banks, and where the bytes of a buffer lie in them. */

#include "loom_chip.h"
#include "loom_layout.h"
#include "pci/regs.h"

/**
 * struct sim_memory - the memory of a device
 * @chip: its description
 * @base: by region: offset of its first bank; see LOOM_PCI_MAP_BASE
 * @pitch: by region: from a bank to the next
 * @total: bytes of all
 * @bar: size of BAR2, a power of two
 * @fd: file with all of it; the first @bar bytes are shown in BAR2
 * @bytes: the same, mapped
 * @mapped: bytes of that
 */
struct sim_memory {
	const struct drm_loom_chip *chip;
	u64 base[DRM_LOOM_CHIP_REGIONS];
	u64 pitch[DRM_LOOM_CHIP_REGIONS];
	u64 total;
	u64 bar;
	int fd;
	u8 *bytes;
	u64 mapped;
};

/**
 * struct sim_place - &struct loom_pci_place, checked
 * @memory: in which memory
 * @region: an &enum drm_loom_region
 * @address: of the buffer in each bank, or zero
 * @banks: with LOOM_PCI_PLACE_PER_BANK, by number in the layout: added to that
 * @offset: first byte in the buffer
 * @bytes: how many
 * @layout: as far as loom_layout_map() reads it
 * @bank: by number in the layout
 */
struct sim_place {
	const struct sim_memory *memory;
	u32 region;
	u64 address;
	u64 offset;
	u64 bytes;
	u64 banks[DRM_LOOM_MAX_BANKS];
	struct loom_layout layout;
	u8 bank[DRM_LOOM_MAX_BANKS];
};

/** sim_memory_init() - banks for a chip, @window bytes of it in BAR2 at most. 0 or -errno */
int sim_memory_init(struct sim_memory *memory, const struct drm_loom_chip *chip, u64 window);
/** sim_memory_lose() - the power was off */
void sim_memory_lose(struct sim_memory *memory);
/** sim_memory_bank() - first byte of a bank */
u8 *sim_memory_bank(const struct sim_memory *memory, u32 region, u32 bank);

/** sim_memory_lanes() - some banks of the SRAM side by side, a pitch each, for munmap(); or NULL */
u8 *sim_memory_lanes(const struct sim_memory *memory, const struct loom_mask *lanes);

/** sim_place_banks() - how many addresses a place has in the host's memory, one for each bank */
u32 sim_place_banks(const struct loom_pci_place *raw);
/** sim_place_init() - checks a place, with these addresses; false: a byte is outside */
bool sim_place_init(struct sim_place *place, const struct sim_memory *memory,
		    const struct loom_pci_place *raw, const struct loom_pci_extent *banks);
/** sim_place_piece() - bytes from @at on, of @bytes at most, that follow each other, and where */
u8 *sim_place_piece(const struct sim_place *place, u64 at, u64 *bytes);
/** sim_place_linear() - its address if it is contiguous, otherwise NULL */
u8 *sim_place_linear(const struct sim_place *place);

#endif /* LOOM_SIM_MEMORY_H */
