// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* A plan is far from its longer stream if it takes longer by more than one cycle in so many. */
#define FAR	32
/* To place all anew is worth it if that saves more than one cycle in so many. */
#define WORTH	256
/* Of so many parts of the SRAM, how many may be alive if all is placed anew. */
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

/* A tensor that lies in another one would have to be moved with it; nobody makes any. */
static bool has_aliases(const struct loom_build *build)
{
	u32 i;

	for (i = 0; i < build->num_tensors; i++)
		if (build->tensors[i].flags & DRM_LOOM_TENSOR_ALIAS)
			return true;
	return false;
}

/* Whether the plan takes much longer than the longer of its streams. */
static bool is_far(const struct retime *r, u64 cycles)
{
	u64 work = 0, moved = 0;
	u32 i;

	for (i = 0; i < r->num_positions; i++) {
		work += r->positions[i].work;
		moved += r->positions[i].moved;
	}
	return cycles > max(work, moved) + max(work, moved) / FAR;
}

/* What positions take one by one. */
static u64 sum_cycles(const struct retime *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < r->num_positions; i++)
		sum += retime_position_cycles(&r->positions[i]);
	return sum;
}

static int move_all(struct retime *r)
{
	int ret = retime_open(r);

	return ret ? ret : retime_move(r);
}

static int merge_all(struct retime *r, u64 *cycles)
{
	*cycles = retime_merge(r);
	return *cycles ? 0 : -ENOMEM;
}

/*
 * Once more, with all of the scratch placed anew: with as much of it alive as can be placed. What
 * is faster is kept. With less alive it is never faster: if it is not worth it, that is all.
 */
static int try_anew(struct retime *r, u64 *cycles)
{
	u64 room = r->options->room_bytes, most = sum_cycles(r), others;
	int ret = -ENOSPC;
	u32 i;

	most -= most / WORTH;
	for (i = 0; i < ARRAY_SIZE(shares) && ret == -ENOSPC; i++) {
		struct retime other = {
			.build = r->build, .options = r->options, .anywhere = true,
			.room_bytes = room / SHARES * shares[i],
		};

		ret = move_all(&other);
		if (ret || sum_cycles(&other) >= most) {
			retime_close(&other);
			return ret;
		}
		ret = retime_anew(&other);
		if (!ret)
			ret = merge_all(&other, &others);
		if (!ret && others < *cycles && !is_past_caps(&other)) {
			retime_close(r);
			*r = other;
			*cycles = others;
		} else {
			retime_close(&other);
		}
	}
	return ret == -ENOSPC ? 0 : ret;
}

int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps)
{
	struct retime r = {
		.build = build, .options = options, .room_bytes = options->room_bytes,
	};
	u64 cycles = 0;
	int ret;

	*steps = NULL;
	if (build->status || !(options->chip->flags & DRM_LOOM_CHIP_OVERLAP) || has_aliases(build))
		return 0;
	ret = move_all(&r);
	if (!ret)
		ret = merge_all(&r, &cycles);
	if (!ret && options->anew && is_far(&r, cycles))
		ret = try_anew(&r, &cycles);
	if (!ret && cycles < r.old_cycles && !is_past_caps(&r)) {
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
