// SPDX-License-Identifier: MIT
/*
 * The tightest hole between spans, the first of equals, against a look at each byte: few spans and
 * many, which touch and overlap and end anywhere, in rooms that are no multiple.
 */
#include "chips.h"
#include "random.h"
#include "retime/grid.h"
#include "tap.h"

#define MOST_ROOM	3000
#define MOST_SPANS	200
#define ROUNDS		4000

static struct retime_tensor tensor;
static struct loom_retime_options options;
static struct retime r = { .options = &options, .tensors = &tensor };
static struct retime_walk walk;

static void draw(u32 align)
{
	u32 i;

	walk.num_spans = random_below(random_below(4) ? 12 : MOST_SPANS);
	for (i = 0; i < walk.num_spans; i++) {
		u64 start = random_below(options.room_bytes) / align * align;

		walk.spans[i] = (struct retime_span){
			start, start + 1 + random_below(random_below(8) ? 60 : 600), i,
		};
	}
	tensor.bytes = 1 + random_below(random_below(2) ? 40 : 400);
}

/* The place by bytes; U64_MAX: none. */
static u64 by_bytes(u32 align)
{
	static bool taken[MOST_ROOM];
	u64 room = options.room_bytes, best = U64_MAX, found = U64_MAX, from, to, at;
	u32 i;

	memset(taken, 0, sizeof(taken));
	for (i = 0; i < walk.num_spans; i++)
		for (at = walk.spans[i].start; at < min(walk.spans[i].end, room); at++)
			taken[at] = true;
	for (from = 0; from < room; from = to + 1) {
		for (to = from; to < room && !taken[to]; to++)
			;
		at = (from + align - 1) / align * align;
		if (at > to || to - at < tensor.bytes || to - at >= best)
			continue;
		best = to - at;
		found = at;
	}
	return found;
}

static void try_align(struct drm_loom_chip *chip, u32 align)
{
	u32 round, wrong = 0, holes = 0;

	chip->region[DRM_LOOM_REGION_SRAM].align_bytes = align;
	options.chip = chip;
	for (round = 0; round < ROUNDS; round++) {
		bool found;
		u64 want;
		u32 added;

		options.room_bytes = 1 + random_below(MOST_ROOM);
		draw(align);
		want = by_bytes(align);
		/* spans may be added after a hole was looked for */
		walk.num_marked = 0;
		added = random_below(walk.num_spans + 1);
		walk.num_spans -= added;
		retime_find_hole(&r, &walk);
		walk.num_spans += added;
		walk.start = U64_MAX;
		found = retime_find_hole(&r, &walk);
		wrong += walk.start != want || found == (want == U64_MAX);
		holes += want != U64_MAX;
	}
	tap_ok(!wrong && holes > ROUNDS / 10 && holes < ROUNDS,
	       "multiples of %u: %u of %u have a hole, and it is the tightest", align, holes,
	       ROUNDS);
}

int main(void)
{
	static const u32 aligns[] = { 1, 4, 16, 32, 64 };
	struct drm_loom_chip chip = chip_flat(MOST_ROOM);
	u32 i;

	walk.spans = calloc(MOST_SPANS, sizeof(*walk.spans));
	/* its room is made once, for the largest of all rooms */
	walk.taken = calloc(MOST_ROOM / 64 + 2, sizeof(*walk.taken));
	if (!walk.spans || !walk.taken)
		tap_fatal("no memory");
	for (i = 0; i < ARRAY_SIZE(aligns); i++)
		try_align(&chip, aligns[i]);
	retime_walk_free(&walk);
	return tap_end();
}
