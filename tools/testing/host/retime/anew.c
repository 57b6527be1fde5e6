// SPDX-License-Identifier: MIT
/*
 * Tensors in the scratch are placed anew by their lifetimes: apart from all that are alive at the
 * same position, aligned, within the room; and as they were if there is no room. Tensors in slots,
 * and unused ones, stay where they are.
 */
#include <errno.h>

#include "chips.h"
#include "random.h"
#include "retime/grid.h"
#include "tap.h"

#define TENSORS		120
#define POSITIONS	80
#define ROOM		65536
#define SLOT		3
#define ELSEWHERE	77

static struct retime_tensor tensors[TENSORS];
static struct loom_build build = { .num_tensors = TENSORS };

static bool is_moved(const struct retime_tensor *tensor)
{
	return tensor->space == RETIME_SCRATCH && tensor->first != RETIME_NONE;
}

/* All lie at the same place at first, so that none may stay there. */
static void draw(uint64_t most_bytes)
{
	uint32_t i;

	for (i = 0; i < TENSORS; i++) {
		uint32_t first = random_below(POSITIONS);

		tensors[i] = (struct retime_tensor){
			.space = i % 10 == 4 ? SLOT : RETIME_SCRATCH, .start = ELSEWHERE,
			.bytes = 1 + random_below(most_bytes),
			.first = i % 10 == 7 ? RETIME_NONE : first,
			.last = first + random_below(6),
		};
	}
}

static bool are_apart(const struct retime_tensor *a, const struct retime_tensor *b)
{
	return a->last < b->first || b->last < a->first || a->start + a->bytes <= b->start ||
	       b->start + b->bytes <= a->start;
}

static bool is_placed(uint32_t align)
{
	uint32_t i, k;

	for (i = 0; i < TENSORS; i++) {
		if (!is_moved(&tensors[i])) {
			if (tensors[i].start != ELSEWHERE)
				return false;
			continue;
		}
		if (tensors[i].start % align || tensors[i].start + tensors[i].bytes > ROOM)
			return false;
		for (k = 0; k < i; k++)
			if (is_moved(&tensors[k]) && !are_apart(&tensors[i], &tensors[k]))
				return false;
	}
	return true;
}

static bool is_as_it_was(void)
{
	uint32_t i;

	for (i = 0; i < TENSORS; i++)
		if (tensors[i].start != ELSEWHERE)
			return false;
	return true;
}

int main(void)
{
	const struct drm_loom_chip chip = chip_flat(ROOM);
	const struct loom_retime_options options = { .chip = &chip, .room_bytes = ROOM };
	const uint32_t align = chip.region[DRM_LOOM_REGION_SRAM].align_bytes;
	struct retime r = { .build = &build, .options = &options, .tensors = tensors };
	uint32_t round, placed = 0, refused = 0;

	random_state = 3;
	for (round = 0; round < 20; round++) {
		draw(ROOM / 16);
		placed += !retime_place_again(&r) && is_placed(align);
	}
	tap_ok(placed == 20, "%u of 20 scratches are placed anew", placed);
	for (round = 0; round < 20; round++) {
		draw(ROOM);
		refused += retime_place_again(&r) == -ENOSPC && is_as_it_was();
	}
	tap_ok(refused == 20, "%u of 20 that hold too much are as they were", refused);
	return tap_end();
}
