// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* A plan is far from its longer stream if it takes more than 1/FAR longer. */
#define FAR	32
/* Placing the scratch again is worth its time if it may save more than 1/GAIN. */
#define GAIN	256
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

/* A plan with the scratch to be placed again, and a share of its bytes alive. */
static struct retime share_of(const struct retime *r, u32 share)
{
	return (struct retime){
		.build = r->build, .options = r->options, .anywhere = true,
		.room_bytes = r->options->room_bytes / SHARES * share,
	};
}

/*
 * Estimates the plan with the scratch placed again: *@least. It is a lower bound but for rounding,
 * because offsets are ignored. -ERANGE: it is not below the threshold.
 */
static int estimate_cycles(struct retime *again, u64 *least)
{
	int ret = move_all(again);

	if (!ret || ret == -ERANGE)
		*least = ret ? longer_stream(again) : sum_cycles(again);
	return !ret && *least >= again->options->most_cycles ? -ERANGE : ret;
}

/*
 * Places the scratch of @again, or with fewer bytes alive if that fails, and keeps the plan in @r
 * if it is faster. Fewer bytes alive are hardly ever faster. Consumes @again.
 */
static int try_placing_again(struct retime *r, u64 *cycles, struct retime *again)
{
	int ret = retime_place_again(again);
	u32 i;

	ret = keep_faster(r, cycles, again, ret);
	for (i = 1; i < ARRAY_SIZE(shares) && ret == -ENOSPC; i++) {
		*again = share_of(r, shares[i]);
		ret = move_all(again);
		if (!ret)
			ret = retime_place_again(again);
		ret = keep_faster(r, cycles, again, ret);
	}
	return ret == -ENOSPC ? 0 : ret;
}

static bool is_far(const struct retime *r, u64 cycles)
{
	u64 stream = longer_stream(r);

	return cycles > stream + stream / FAR;
}

/*
 * Retimes with tensors at their old places or in holes, and with the scratch placed again where
 * that may gain. Keeps the faster plan in @r. *@least: an estimate of its cycles, or of the longer
 * stream. It is made first if the plan is @ranked by it, otherwise where it decides.
 */
static int retime(struct retime *r, u64 *cycles, u64 *least, bool ranked)
{
	struct retime again = share_of(r, shares[0]);
	int ret = r->options->anew && ranked ? estimate_cycles(&again, least) : 0;

	if (!ret) {
		ret = move_all(r);
		if (ret == -ERANGE)
			*least = longer_stream(r);
	}
	if (!ret) {
		*cycles = retime_merge(r);
		ret = *cycles ? 0 : -ENOMEM;
	}
	if (!ret && is_past_caps(r))
		*cycles = U64_MAX;
	if (!ret && r->options->anew && is_far(r, *cycles)) {
		if (!ranked)
			ret = estimate_cycles(&again, least);
		if (!ret && *least < *cycles - *cycles / GAIN)
			return try_placing_again(r, cycles, &again);
	}
	retime_close(&again);
	return ret;
}

int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps, u64 *estimate)
{
	struct retime r = {
		.build = build, .options = options, .room_bytes = options->room_bytes,
	};
	u64 cycles = U64_MAX, least = 0;
	int ret;

	*steps = NULL;
	if (build->status || !(options->chip->flags & DRM_LOOM_CHIP_OVERLAP) || has_aliases(build))
		return 0;
	ret = retime(&r, &cycles, &least, estimate || options->most_cycles != U64_MAX);
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
