// SPDX-License-Identifier: MIT
/*
 * Selection of the weights that are held in SRAM or streamed, by the rules of "layergroup".
 *
 * At first all weights are held: loaded once, and kept to the end of the group. While that does not
 * fit, take the position with the most bytes alive. Of the held weights that are not used there,
 * stream the one that frees enough for the fewest DRAM bytes (it is then loaded for each slice). If
 * none is left, cut an operand that is streamed at that position into chunks. Some chunks of a
 * weight may be held while the others are streamed. A solution for one position may be insufficient
 * for the next, and chunks are never held again: so a group with partly held weights is fitted once
 * more with whole weights, and the cheaper result is kept.
 */
#include "group/place/place.h"

#include <errno.h>
#include <string.h>

/*
 * Weights are streamed or cut one per round. Above this limit, in units of &loom_group.work, a
 * slice has a thousand chunks or more, and the result is not worth the work.
 */
#define MOST_WORK	2000000
/* Limit on the pieces of a weight that is partly held and partly streamed. */
#define MOST_PIECES	16

/*
 * Selects the axis of the result along which chunks shrink operand @i most. Returns false if none.
 */
static bool choose_chunk_axis(const struct loom_group *group, u32 index, u32 i, u8 *axis)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_operand *operand = &kernel->operands[i];
	u64 most = 1;
	u32 k;

	for (k = 0; k < operand->ref.rank; k++) {
		u32 to = operand->map[k].axis;

		/* of a pair of products, no other axis is cut */
		if (kernel->sum_stage && loom_kernel_is_summed(kernel, &operand->map[k])) {
			*axis = to;
			return operand->ref.dims[k] > 1;
		}
		if ((operand->map[k].kind != LOOM_MAP_SAME &&
		     operand->map[k].kind != LOOM_MAP_GROUP_PART) ||
		    (s8)to == part->axis || kernel->whole >> to & 1 ||
		    (group->batches > 1 && !to) || operand->ref.dims[k] <= most ||
		    !loom_group_is_own_axis(part->op, to))
			continue;
		most = operand->ref.dims[k];
		*axis = to;
	}
	return most > 1;
}

/* The next shorter length of chunks, in whole rows of lanes and groups of channels. 0: none. */
static u64 shorter_chunk(const struct loom_group *group, const struct loom_group_part *part,
			 u8 axis)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	u64 dim = kernel->operands[0].ref.dims[axis], lanes = group->list->lower->sram.lanes;
	u64 now = part->chunk ? part->chunk : dim, chunk, pieces;

	if (now <= 1)
		return 0;
	pieces = loom_div_round_up(dim, now);
	chunk = loom_div_round_up(dim, pieces + max(pieces / 2, (u64)1));
	chunk = min(chunk, now - 1);
	if (chunk > lanes)
		chunk = chunk / lanes * lanes;
	if (axis != 1 || !kernel->group)
		return chunk;
	if (chunk >= kernel->group)
		return chunk / kernel->group * kernel->group;
	while (kernel->group % chunk)
		chunk--;
	return chunk;
}

/* Cuts the largest streamed or temporary operand alive at a position into more chunks. */
static bool cut_chunks(struct loom_group *group, s32 position)
{
	u64 best_bytes = 0, chunk;
	struct loom_group_part *best = NULL;
	u32 index, i, c;
	u8 axis = 0, best_axis = 0;

	for (index = 0; index < group->num_parts; index++) {
		struct loom_group_part *part = &group->parts[index];

		if (part->op->kind != LOOM_GROUP_COMPUTE)
			continue;
		for (i = 1; i < part->op->kernel.num_operands; i++) {
			const struct loom_group_item *item;
			u64 bytes = 0;
			bool chunks;

			if (!loom_group_is_own(group, part, i) || part->held >> i & 1)
				continue;
			chunks = loom_group_follows_chunks(part, i) &&
				 part->op->kernel.operands[i].role != LOOM_ROLE_TEMP;
			for (c = 0; c < (chunks ? part->entries : 1); c++) {
				item = &group->items[part->item[i] + c];
				if (loom_group_alive_at(group, item, position))
					bytes = max(bytes, item->bytes);
			}
			if (bytes <= best_bytes)
				continue;
			if (part->chunk)
				axis = part->chunk_axis;
			else if (!choose_chunk_axis(group, index, i, &axis))
				continue;
			if (!shorter_chunk(group, part, axis) ||
			    (part->chunk && !loom_group_follows_chunks(part, i)))
				continue;
			best_bytes = bytes;
			best = part;
			best_axis = axis;
		}
	}
	if (!best)
		return false;
	chunk = shorter_chunk(group, best, best_axis);
	/* about as many bytes as before are held */
	best->kept_chunks = best->chunk ? best->kept_chunks * best->chunk / chunk : 0;
	best->chunk_axis = best_axis;
	best->chunk = chunk;
	best->measured = false;
	return true;
}

/* Peak of the bytes alive while a part loads and computes, to which a streamed weight is added. */
static u64 load_while(const struct loom_group *group, u32 index)
{
	s32 from = loom_group_part_load(group, index), to = loom_group_part_end(group, index), at;
	u64 most = 0;

	for (at = from; at <= to; at++)
		most = max(most, group->alive[loom_group_wrap(group, at)]);
	return most;
}

/* Whether chunks of a weight, by output channels, can be held or streamed separately. */
static bool can_keep_chunks(const struct loom_group *group, u32 index, u32 i, u8 *axis)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 k;

	if (part->op->kind != LOOM_GROUP_COMPUTE || kernel->operands[i].role != LOOM_ROLE_LOAD ||
	    kernel->group || !choose_chunk_axis(group, index, i, axis) ||
	    (part->chunk && part->chunk_axis != *axis))
		return false;
	for (k = 0; k < kernel->operands[i].ref.rank; k++)
		if (kernel->operands[i].map[k].axis == *axis &&
		    kernel->operands[i].map[k].kind == LOOM_MAP_SAME)
			return kernel->operands[i].ref.dims[k] ==
			       kernel->operands[0].ref.dims[*axis];
	return false;
}

/**
 * struct release - a held weight that could be streamed instead
 * @index: the part
 * @i: its operand
 * @chunk: elements of a chunk along @axis; 0: all of it is streamed
 * @kept: number of chunks that remain held
 * @axis: axis that chunks cut
 * @bytes: SRAM per lane that it frees
 * @cost: DRAM bytes that it costs
 * @load: most bytes alive while its part loads and computes
 */
struct release {
	u32 index;
	u32 i;
	u64 chunk;
	u32 kept;
	u8 axis;
	u64 bytes;
	u64 cost;
	u64 load;
};

/* Streams enough chunks of an operand to free @want bytes. */
static void release_some(const struct loom_group *group, struct release *release, u64 want)
{
	const struct loom_group_part *part = &group->parts[release->index];
	u64 dim, held = part->held_bytes[release->i], pieces, chunk, piece_bytes, kept;
	u64 lanes = group->list->lower->sram.lanes;

	if (!can_keep_chunks(group, release->index, release->i, &release->axis))
		return;
	dim = part->op->kernel.operands[0].ref.dims[release->axis];
	chunk = part->chunk ? part->chunk : max(loom_div_round_up(dim, (u64)MOST_PIECES), lanes);
	if (chunk > lanes)
		chunk = chunk / lanes * lanes;
	pieces = loom_div_round_up(dim, chunk);
	if (pieces < 2)
		return;
	piece_bytes = loom_div_round_up(held, pieces);
	/* each piece is aligned separately, so it takes up to one alignment unit more */
	kept = (held - want) / (piece_bytes + group->list->lower->sram.align_bytes);
	if (!kept || kept >= pieces)
		return;
	release->chunk = chunk;
	release->kept = kept;
	release->bytes = held - kept * piece_bytes;
	release->cost = release->cost / pieces * (pieces - kept);
}

/**
 * struct fit - releases of weights so far
 * @whole: weights are released as a whole only
 * @some: a weight was partly released
 */
struct fit {
	bool whole;
	bool some;
};

static bool is_better(const struct release *a, const struct release *b, u64 want)
{
	bool enough = a->bytes >= want, other = b->bytes >= want;

	if (enough != other)
		return enough;
	if (!enough)
		return a->bytes != b->bytes ? a->bytes > b->bytes : a->load < b->load;
	return a->cost != b->cost ? a->cost < b->cost : a->load < b->load;
}

/* Streams the weight that frees @want bytes at a position at the least cost; else the largest. */
static u64 stream_one(struct loom_group *group, struct fit *fit, u64 want, s32 position)
{
	struct release best = { .bytes = 0 }, now;
	struct loom_group_part *part;
	u32 index, i, pass;
	bool busy;

	for (index = 0; index < group->num_parts; index++) {
		struct loom_group_item use = {
			.from = loom_group_part_load(group, index),
			.to = loom_group_part_end(group, index),
		};

		part = &group->parts[index];
		if (!part->held)
			continue;
		busy = loom_group_alive_at(group, &use, position);
		for (i = 1; i < part->op->kernel.num_operands; i++) {
			bool in_place = part->op->kernel.operands[i].in_place;

			/* an operand loaded for each slice is alive while the part computes */
			if (!(part->held >> i & 1) || !loom_group_is_own(group, part, i) ||
			    (busy && !in_place))
				continue;
			for (pass = 0; pass < (in_place || fit->whole ? 1 : 2); pass++) {
				now = (struct release){
					.index = index,
					.i = i,
					.bytes = group->items[part->item[i]].bytes,
					.cost = part->loaded_bytes[i] * (part->active - 1),
					.load = load_while(group, index),
				};
				if (pass && now.bytes > want)
					release_some(group, &now, want);
				if (is_better(&now, &best, want))
					best = now;
			}
		}
	}
	if (!best.bytes)
		return 0;
	part = &group->parts[best.index];
	part->held &= ~(1U << best.i);
	if (part->op->kernel.operands[best.i].in_place)
		part->direct |= 1U << best.i;
	if (best.chunk) {
		fit->some = true;
		part->chunk = best.chunk;
		part->chunk_axis = best.axis;
		part->kept_chunks = best.kept;
		part->measured = false;
	}
	return best.bytes;
}

static bool free_room(struct loom_group *group, struct fit *fit, u64 want, s32 position)
{
	u64 freed = 0, bytes;

	while (freed < want) {
		bytes = stream_one(group, fit, want - freed, position);
		if (!bytes)
			break;
		freed += bytes;
	}
	return freed;
}

static int fit_weights(struct loom_group *group, struct fit *fit, u64 budget_bytes)
{
	u64 end = group->work + MOST_WORK;
	s32 position;
	u32 round;
	int ret;

	for (round = 0; group->work < end; round++) {
		ret = loom_group_schedule(group);
		if (ret)
			return ret;
		/* strips that do not fit alone do not fit with any weights */
		if (!round &&
		    loom_group_peak(group, group->num_shared, &position, NULL) > budget_bytes)
			return -ENOSPC;
		group->cost.peak_bytes = loom_group_peak(group, group->num_items, &position,
							 group->alive);
		if (group->cost.peak_bytes <= budget_bytes) {
			loom_group_cost_count(group);
			return 0;
		}
		if (!free_room(group, fit, group->cost.peak_bytes - budget_bytes, position) &&
		    !cut_chunks(group, position))
			return -ENOSPC;
	}
	return -ENOSPC;
}

int loom_group_own_fit(struct loom_group *group, u64 budget_bytes)
{
	size_t bytes = group->num_parts * sizeof(*group->parts);
	struct fit fit = { .whole = false }, whole = { .whole = true };
	struct loom_group_cost cost;
	int ret, other;

	if (bytes)
		memcpy(group->unfitted, group->parts, bytes);
	ret = fit_weights(group, &fit, budget_bytes);
	if (!fit.some || (ret && ret != -ENOSPC))
		return ret;
	cost = group->cost;
	memcpy(group->parts, group->unfitted, bytes);
	other = fit_weights(group, &whole, budget_bytes);
	if (ret || (other && other != -ENOSPC))
		return other;
	if (!other && loom_group_cheaper(&group->cost, &cost))
		return 0;
	memcpy(group->parts, group->unfitted, bytes);
	return fit_weights(group, &fit, budget_bytes);
}
