// SPDX-License-Identifier: MIT
/*
 * The tightest hole between spans of bytes: for each position that a lifetime is extended to, one
 * is searched among all tensors alive meanwhile, in a bitmap of the scratch. Its units are those of
 * the alignment, because all offsets are multiples of it.
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* Marks units from @from to @to, which is behind it. */
static void mark(u64 *taken, u64 from, u64 to)
{
	u64 first = from / 64, last = (to - 1) / 64;
	u64 head = ~0ULL << (from % 64), tail = ~0ULL >> (63 - (to - 1) % 64);

	if (first == last) {
		taken[first] |= head & tail;
		return;
	}
	taken[first] |= head;
	while (++first < last)
		taken[first] = ~0ULL;
	taken[last] |= tail;
}

/* The first unit from @at on whose state is @is_taken; @units: none. */
static u64 next_unit(const u64 *taken, u64 at, u64 units, bool is_taken)
{
	u64 word = at / 64, bits;

	if (at >= units)
		return units;
	bits = (is_taken ? taken[word] : ~taken[word]) & ~0ULL << (at % 64);
	while (!bits) {
		if (++word * 64 >= units)
			return units;
		bits = is_taken ? taken[word] : ~taken[word];
	}
	at = word * 64 + (u32)__builtin_ctzll(bits);
	return min(at, units);
}

bool retime_find_hole(struct retime *r, struct retime_walk *walk)
{
	u64 align = r->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	u64 bytes = r->tensors[walk->tensor].bytes, room = r->options->room_bytes, best = U64_MAX;
	/* the last unit may be partial */
	u64 units = loom_div_round_up(room, align), at = 0, end;
	u32 shift = (u32)__builtin_ctzll(align), i;

	r->visits += walk->num_spans;
	if (!walk->taken)
		walk->taken = malloc((units / 64 + 1) * sizeof(*walk->taken));
	if (!walk->taken) {
		r->error = -ENOMEM;
		return false;
	}
	if (!walk->num_marked)
		memset(walk->taken, 0, (units / 64 + 1) * sizeof(*walk->taken));
	for (i = walk->num_marked; i < walk->num_spans; i++) {
		u64 from = walk->spans[i].start >> shift;
		u64 to = min((walk->spans[i].end + align - 1) >> shift, units);

		if (from < to)
			mark(walk->taken, from, to);
	}
	walk->num_marked = walk->num_spans;
	for (;; at = end) {
		u64 hole;

		at = next_unit(walk->taken, at, units, false);
		if (at == units)
			return best != U64_MAX;
		end = next_unit(walk->taken, at, units, true);
		hole = min(end * align, room) - at * align;
		if (hole < bytes || hole >= best)
			continue;
		best = hole;
		walk->start = at * align;
	}
}
