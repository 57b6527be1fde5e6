/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TEMPLATE_TRANSLATE_H
#define LOOM_TEMPLATE_TRANSLATE_H

#include "tile.h"

/* TILE_SCRATCH: &tile_place.slot: the scratch of the plan */
#define TILE_SCRATCH	DRM_LOOM_MAX_SLOTS

/**
 * struct tile_place - bytes in each lane
 * @slot: slot, or TILE_SCRATCH
 * @offset: first byte of them
 */
struct tile_place {
	u32 slot;
	u64 offset;
};

/**
 * struct tile_move - a translated instruction
 * @op: an &enum tile_op
 * @value: of TILE_FILL
 * @first_lane: first lane
 * @lanes: number of lanes
 * @bytes: number of bytes in each lane
 * @to: bytes to be written
 * @from: bytes to be read
 */
struct tile_move {
	u8 op;
	u8 value;
	u16 first_lane;
	u16 lanes;
	u32 bytes;
	struct tile_place to;
	struct tile_place from[2];
};

u32 tile_translate(const struct loom_command *command, struct tile_move *moves);
u64 tile_run(const struct tile_move *move, u8 *to, const u8 *a, const u8 *b);

#endif /* LOOM_TEMPLATE_TRANSLATE_H */
