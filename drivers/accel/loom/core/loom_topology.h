/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TOPOLOGY_H
#define LOOM_TOPOLOGY_H

#include "loom_core.h"

/**
 * struct loom_region_topology - banks of one kind and size
 * @banks: number of banks
 * @sub_banks: conflict sub-banks of a bank, 1 where there are none
 * @bank_bytes: size of a bank
 * @reserved_bytes: bytes at the bottom of each bank that are never given out
 * @align_bytes: alignment of every address and page, a power of two
 * @floor_bytes: of the SRAM of a device that is shared: scratch that ends here can always run; 0 if
 *	nothing is known of others. What planners aim at unless they are told otherwise
 */
struct loom_region_topology {
	u32 banks;
	u32 sub_banks;
	u64 bank_bytes;
	u64 reserved_bytes;
	u64 align_bytes;
	u64 floor_bytes;
};

/**
 * struct loom_topology - what a device is made of
 * @name: of the preset
 * @region: by &enum drm_loom_region; the banks of the SRAM are the lanes of the engine
 * @compute_units: engines that can run at the same time
 */
struct loom_topology {
	const char *name;
	struct loom_region_topology region[DRM_LOOM_REGION_COUNT];
	u32 compute_units;
};

/**
 * loom_topology_find() - a preset by name
 * @name: its name
 *
 * Return: the preset, or NULL.
 */
const struct loom_topology *loom_topology_find(const char *name);

/**
 * loom_topology_get() - presets one by one
 * @index: from 0
 *
 * Return: the preset, or NULL past the last. Preset 0 is the default.
 */
const struct loom_topology *loom_topology_get(unsigned int index);

#endif /* LOOM_TOPOLOGY_H */
