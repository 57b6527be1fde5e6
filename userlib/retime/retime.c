// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* Granularity of the limit on bytes alive if the scratch is placed again. */
#define SHARES	64
static const u32 shares[] = { 63, 61, 59 };

/* Whether the plan has more commands than the format allows. */
static bool is_past_caps(const struct retime *r)
{
	size_t more = r->num_pieces;

	return r->build->num_commands + more > DRM_LOOM_MAX_COMMANDS ||
	       r->build->num_views + 2 * more > DRM_LOOM_MAX_VIEWS ||
	       r->num_steps > DRM_LOOM_MAX_STEPS;
}

/* A tensor inside of another one would have to move with it; no plan has any. */
static bool has_aliases(const struct loom_build *build)
{
	u32 i;

	for (i = 0; i < build->num_tensors; i++)
		if (build->tensors[i].flags & DRM_LOOM_TENSOR_ALIAS)
			return true;
	return false;
}

/* Cycles of the longer stream: a lower bound of plans of the same commands. */
static u64 longer_stream(const struct retime *r)
{
	u64 work = 0, moved = 0;
	u32 i;

	for (i = 0; i < r->num_positions; i++) {
		work += r->positions[i].work;
		moved += r->positions[i].moved;
	}
	return max(work, moved);
}

/* Total cycles of the positions one by one. */
static u64 sum_cycles(const struct retime *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->num_positions; i++)
		sum += retime_position_cycles(&r->positions[i]);
	return sum;
}

/* Moves transfers. -ERANGE: the longer stream alone reaches the threshold. */
static int move_all(struct retime *r)
{
	int ret = retime_open(r);

	if (!ret && longer_stream(r) >= r->options->most_cycles)
		return -ERANGE;
	return ret ? ret : retime_move(r);
}

/*
 * Merges a plan whose transfers have moved, unless @ret is an error, and keeps it in @r if it is
 * faster than *@cycles. Consumes @other. Returns @ret or -ENOMEM.
 */
static int keep_faster(struct retime *r, u64 *cycles, struct retime *other, int ret)
{
	u64 others = ret ? 0 : retime_merge(other);

	if (!others || others >= *cycles || is_past_caps(other)) {
		retime_close(other);
		return ret || others ? ret : -ENOMEM;
	}
	retime_close(r);
	*r = *other;
	*cycles = others;
	return 0;
}

/*
 * Retimes with the scratch placed again, and as many bytes alive as can be placed. Fewer bytes
 * alive are hardly ever faster. *@cycles: unchanged if the scratch cannot be placed. *@least: the
 * estimate with the most bytes alive.
 */
static int try_placing_again(struct retime *r, u64 *cycles, u64 *least)
{
	u64 room = r->options->room_bytes, most = r->options->most_cycles;
	int ret = -ENOSPC;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shares) && ret == -ENOSPC; i++) {
		struct retime other = {
			.build = r->build, .options = r->options, .anywhere = true,
			.room_bytes = room / SHARES * shares[i],
		};

		ret = move_all(&other);
		if (!i && (!ret || ret == -ERANGE))
			*least = ret ? longer_stream(&other) : sum_cycles(&other);
		if (!ret && *least >= most)
			ret = -ERANGE;
		if (!ret)
			ret = retime_place_again(&other);
		ret = keep_faster(r, cycles, &other, ret);
	}
	return ret == -ENOSPC ? 0 : ret;
}

/*
 * Retimes with tensors at their old places or, for other transfers, in holes. *@least: at least the
 * longer stream, if it reaches the threshold.
 */
static int try_places(struct retime *r, u64 *cycles, u64 *least)
{
	struct retime other = {
		.build = r->build, .options = r->options, .room_bytes = r->options->room_bytes,
	};
	int ret = move_all(&other);

	if (ret == -ERANGE)
		*least = max(*least, longer_stream(&other));
	return keep_faster(r, cycles, &other, ret);
}

int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps, u64 *estimate)
{
	struct retime r = { .build = build, .options = options };
	u64 cycles = U64_MAX, least = 0;
	int ret = 0;

	*steps = NULL;
	if (build->status || !(options->chip->flags & DRM_LOOM_CHIP_OVERLAP) || has_aliases(build))
		return 0;
	if (options->anew)
		ret = try_placing_again(&r, &cycles, &least);
	if (!ret)
		ret = try_places(&r, &cycles, &least);
	if (estimate)
		*estimate = least;
	if (!ret && cycles < r.old_cycles) {
		*steps = calloc((size_t)build->num_steps + 1, sizeof(**steps));
		ret = *steps ? retime_write(&r, scratch_bytes, *steps) : -ENOMEM;
		if (ret) {
			free(*steps);
			*steps = NULL;
		}
	}
	retime_close(&r);
	return ret;
}
