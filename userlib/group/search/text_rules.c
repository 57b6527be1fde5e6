// SPDX-License-Identifier: MIT
/*
 * DOC: Lifetimes of weights, and placements, by the text
 *
 * There are three classes of items: activations (strips here), alive from the operator that makes
 * them to the last that reads them; weights; buffers, alive while their operator works. Weights of
 * a sliced group are held to its end. Those of a group of one slice are freed when their operator
 * is done, and loaded as early as there is slack: if loading one in parallel to the operator before
 * would take longer than that operator works, the load moves to the next earlier operator that
 * works long enough ("the period [T5,T5] is corrected to [T2,T5]"). The text does not limit the
 * distance; moving further than necessary would take room and save no time. A weight is loaded as a
 * whole.
 *
 * Both planners refuse slicings with empty slices, with slices that do not advance, or with readers
 * of one slice that need disjoint rows; the text's own planner also refuses a group in which more
 * than half of a value is in two slices.
 *
 * Placement by the text: held weights first; then by operator; for one operator, by falling
 * lifetime, then by falling size. Each item gets the lowest free offset at which it lies within one
 * sub-bank of the SRAM, or if it is larger, begins with one; else the lowest free offset. Nothing
 * is moved later.
 *
 * Placement by the planners after it ("dp"): of all items not placed yet, the one whose lowest free
 * offset is lowest; of equal ones the one with more conflicts, then with the larger product of size
 * and lifetime, then the earlier. Offsets are preferred at which it shares no sub-bank with an item
 * that the other stream uses at the same time. (The planners that this follows also let an
 * elementwise operator write over its operand. The device requires a declared view for that; it is
 * not done here.)
 */
#include "group/place/place.h"
#include "group/search/strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct block - a buffer of an item, to be placed
 * @item: index of the item
 * @buffer: which of its buffers
 * @part: part that it belongs to
 * @first: it is a held weight, which is placed first
 * @life: number of positions at which it is alive
 * @always: it is alive at all of them
 * @begin: first position of the period at which it is alive
 * @end: last one; below @begin: it is alive across the end of the period
 * @bytes: its size, per lane
 * @dma: positions at which DMA accesses it, or NEVER
 * @from: first position at which an operator accesses it
 * @to: last one
 * @conflicts: number of others with which it should share no sub-bank
 * @offset: its offset in SRAM, in bytes per lane
 * @placed: @offset is valid
 * @lowest: lowest free offset, when last searched
 * @known: @lowest is up to date
 */
struct block {
	u32 item;
	u32 buffer;
	u32 part;
	bool first;
	s32 life;
	bool always;
	s32 begin;
	s32 end;
	u64 bytes;
	s32 dma[2];
	s32 from;
	s32 to;
	u32 conflicts;
	u64 offset;
	bool placed;
	u64 lowest;
	bool known;
};

/**
 * struct placer - the state of a placement
 * @group: the group
 * @blocks: its blocks
 * @num_blocks: number of @blocks
 * @busy: scratch memory of find_busy()
 * @budget_bytes: SRAM per lane
 * @align_bytes: alignment of offsets
 * @bank_bytes: size of a sub-bank; 0: there are none
 * @likes: whether an offset is preferred to others, even lower ones
 */
struct placer {
	const struct loom_group *group;
	struct block *blocks;
	u32 num_blocks;
	const struct block **busy;
	u64 budget_bytes;
	u64 align_bytes;
	u64 bank_bytes;
	bool (*likes)(const struct placer *placer, const struct block *block, u64 offset);
};

#define NEVER (-1000000)

/* Whether position @at is in [@from, @to], modulo the period. */
static bool within(const struct loom_group *group, s32 from, s32 to, s32 at)
{
	if (from == NEVER || at == NEVER)
		return false;
	if (to - from + 1 >= group->period)
		return true;
	from = loom_group_wrap(group, from);
	to = loom_group_wrap(group, to);
	at = loom_group_wrap(group, at);
	return from <= to ? at >= from && at <= to : at >= from || at <= to;
}

static bool is_there(const struct block *block, s32 at)
{
	return block->begin <= block->end ? at >= block->begin && at <= block->end
					  : at >= block->begin || at <= block->end;
}

/* Whether two blocks are alive at the same time. */
static bool overlaps(const struct block *a, const struct block *b)
{
	return a->always || b->always || is_there(a, b->begin) || is_there(b, a->begin);
}

static bool conflict(const struct loom_group *group, const struct block *a, const struct block *b)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(a->dma); i++)
		if (within(group, a->from, a->to, b->dma[i]) ||
		    within(group, b->from, b->to, a->dma[i]))
			return true;
	return false;
}

static void add_block(struct placer *placer, u32 item, const struct block *like)
{
	const struct loom_group_item *of = &placer->group->items[item];
	u32 i;

	for (i = 0; i < of->buffers; i++) {
		struct block *block = &placer->blocks[placer->num_blocks++];

		*block = *like;
		block->item = item;
		block->buffer = i;
		block->bytes = of->bytes;
		block->life = of->whole ? INT32_MAX : of->to - of->from + 1;
		block->always = block->life >= placer->group->period;
		block->begin = loom_group_wrap(placer->group, of->from);
		block->end = loom_group_wrap(placer->group, of->to);
	}
}

static void add_strips(struct placer *placer)
{
	const struct loom_group *group = placer->group;
	u32 i;

	for (i = 0; i < group->num_roots; i++) {
		const struct loom_group_root *root = &group->roots[i];
		struct block block = { .dma = { NEVER, NEVER } };

		if (root->strip == LOOM_GROUP_NONE)
			continue;
		if (root->kind == LOOM_GROUP_INPUT) {
			block.part = root->first_reader;
			block.dma[0] = group->items[root->strip].from;
		} else {
			block.part = root->first_writer;
		}
		block.from = loom_group_part_end(group, block.part) -
			     group->parts[block.part].entries + 1;
		block.to = loom_group_part_end(group, root->kind == LOOM_GROUP_INPUT
							      ? root->last_reader
							      : root->last_writer);
		if (root->read)
			block.to = max(block.to, loom_group_part_end(group, root->last_reader));
		if (root->stored)
			block.dma[1] = loom_group_part_end(group, root->last_writer) + 1;
		add_block(placer, root->strip, &block);
	}
}

static void add_own(struct placer *placer, u32 index)
{
	const struct loom_group *group = placer->group;
	const struct loom_group_part *part = &group->parts[index];
	u32 i;

	for (i = 1; i < part->op->kernel.num_operands; i++) {
		const struct loom_group_item *item;
		struct block block = {
			.part = index,
			.dma = { NEVER, NEVER },
			.from = loom_group_part_end(group, index),
			.to = loom_group_part_end(group, index),
		};

		if (!loom_group_is_own(group, part, i))
			continue;
		item = &group->items[part->item[i]];
		block.first = item->whole;
		if (part->op->kernel.operands[i].role != LOOM_ROLE_TEMP && !item->whole)
			block.dma[0] = item->from;
		add_block(placer, part->item[i], &block);
	}
}

static int text_order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->first != y->first)
		return x->first ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->life != y->life)
		return x->life > y->life ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return x->buffer < y->buffer ? -1 : 1;
}

static int dp_order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	u64 p = x->bytes * (u64)min(x->life, 1 << 20), q = y->bytes * (u64)min(y->life, 1 << 20);

	if (x->conflicts != y->conflicts)
		return x->conflicts > y->conflicts ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return x->buffer < y->buffer ? -1 : 1;
}

/* Collects in @busy the placed blocks that are alive together with a block, by offset. */
static u32 find_busy(struct placer *placer, const struct block *block)
{
	u32 count = 0, i, k;

	for (i = 0; i < placer->num_blocks; i++) {
		const struct block *other = &placer->blocks[i];

		if (!other->placed || !other->bytes || other == block || !overlaps(block, other))
			continue;
		for (k = count++; k && placer->busy[k - 1]->offset > other->offset; k--)
			placer->busy[k] = placer->busy[k - 1];
		placer->busy[k] = other;
	}
	return count;
}

/* Preference of the text: lie in one sub-bank, or, if larger, begin with one. */
static bool keeps_to_banks(const struct placer *placer, const struct block *block, u64 offset)
{
	if (block->bytes > placer->bank_bytes)
		return offset % placer->bank_bytes == 0;
	return !block->bytes ||
	       offset / placer->bank_bytes == (offset + block->bytes - 1) / placer->bank_bytes;
}

/* Preference of "dp": share no sub-bank with blocks that the other stream uses at the same time. */
static bool keeps_apart(const struct placer *placer, const struct block *block, u64 offset)
{
	u64 first = offset / placer->bank_bytes;
	u64 last = (offset + block->bytes - !!block->bytes) / placer->bank_bytes;
	u32 i;

	for (i = 0; i < placer->num_blocks; i++) {
		const struct block *other = &placer->blocks[i];

		if (other->placed && other->bytes && other != block &&
		    other->offset / placer->bank_bytes <= last &&
		    (other->offset + other->bytes - 1) / placer->bank_bytes >= first &&
		    conflict(placer->group, block, other))
			return false;
	}
	return true;
}

/* The lowest preferred offset in the free range [@from, @end). Returns false if there is none. */
static bool find_liked(const struct placer *placer, const struct block *block, u64 from, u64 end,
		       u64 *offset)
{
	while (from + block->bytes <= end) {
		if (placer->likes(placer, block, from)) {
			*offset = from;
			return true;
		}
		from = (from / placer->bank_bytes + 1) * placer->bank_bytes;
		from = loom_div_round_up(from, placer->align_bytes) * placer->align_bytes;
	}
	return false;
}

/*
 * The lowest free offset; unless @lowest, a preferred one if there is any. Returns false if none is
 * free.
 */
static bool find_place(struct placer *placer, const struct block *block, bool lowest, u64 *offset)
{
	u64 from = 0, end, at;
	u32 count = find_busy(placer, block), i;
	bool found = false;

	for (i = 0; i <= count; i++) {
		end = i < count ? placer->busy[i]->offset : placer->budget_bytes;
		from = loom_div_round_up(from, placer->align_bytes) * placer->align_bytes;
		if (from + block->bytes <= end && end <= placer->budget_bytes) {
			if (!found)
				*offset = from;
			found = true;
			if (lowest || !placer->bank_bytes)
				return true;
			if (find_liked(placer, block, from, end, &at)) {
				*offset = at;
				return true;
			}
		}
		if (i < count)
			from = max(from, placer->busy[i]->offset + placer->busy[i]->bytes);
	}
	return found;
}

static bool put(struct placer *placer, struct block *block)
{
	if (!find_place(placer, block, false, &block->offset))
		return false;
	block->placed = true;
	return true;
}

static bool place_text(struct placer *placer)
{
	u32 i;

	qsort(placer->blocks, placer->num_blocks, sizeof(*placer->blocks), text_order);
	for (i = 0; i < placer->num_blocks; i++)
		if (!put(placer, &placer->blocks[i]))
			return false;
	return true;
}

static void count_conflicts(struct placer *placer)
{
	u32 i, k;

	for (i = 0; i < placer->num_blocks && placer->bank_bytes; i++)
		for (k = 0; k < i; k++)
			if (conflict(placer->group, &placer->blocks[i], &placer->blocks[k])) {
				placer->blocks[i].conflicts++;
				placer->blocks[k].conflicts++;
			}
}

/* Blocks whose lowest free offset conflicts with a block just placed must search again. */
static void forget_lowest(struct placer *placer, const struct block *placed)
{
	u32 i;

	for (i = 0; i < placer->num_blocks; i++) {
		struct block *block = &placer->blocks[i];

		if (block->known && block->lowest < placed->offset + placed->bytes &&
		    placed->offset < block->lowest + block->bytes && overlaps(block, placed))
			block->known = false;
	}
}

static bool place_dp(struct placer *placer)
{
	u32 round, i;

	count_conflicts(placer);
	qsort(placer->blocks, placer->num_blocks, sizeof(*placer->blocks), dp_order);
	for (round = 0; round < placer->num_blocks; round++) {
		struct block *best = NULL;

		for (i = 0; i < placer->num_blocks; i++) {
			struct block *block = &placer->blocks[i];

			if (block->placed)
				continue;
			if (!block->known && !find_place(placer, block, true, &block->lowest))
				return false;
			block->known = true;
			if (!best || block->lowest < best->lowest)
				best = block;
		}
		if (!put(placer, best))
			return false;
		forget_lowest(placer, best);
	}
	return true;
}

static int place_all(struct loom_group *group, struct placer *placer,
		     bool (*place)(struct placer *placer), u64 *height_bytes)
{
	u32 i;

	add_strips(placer);
	for (i = 0; i < group->num_parts; i++)
		add_own(placer, i);
	if (!place(placer))
		return -ENOSPC;
	*height_bytes = 0;
	for (i = 0; i < placer->num_blocks; i++) {
		const struct block *block = &placer->blocks[i];

		group->items[block->item].offset[block->buffer] = block->offset;
		*height_bytes = max(*height_bytes, block->offset + block->bytes);
	}
	return 0;
}

static int place_by(struct loom_group *group, u64 budget_bytes, u64 *height_bytes,
		    bool (*place)(struct placer *placer),
		    bool (*likes)(const struct placer *placer, const struct block *block,
				  u64 offset))
{
	struct placer placer = {
		.group = group,
		.likes = likes,
		.budget_bytes = budget_bytes,
		.align_bytes = group->list->lower->sram.align_bytes,
		.bank_bytes = group->list->lower->sram.sub_bank_bytes,
	};
	size_t count = 0;
	int ret = -ENOMEM;
	u32 i;

	for (i = 0; i < group->num_items; i++) {
		if (group->items[i].buffers > ARRAY_SIZE(group->items[i].offset))
			return -ENOSPC;
		count += group->items[i].buffers;
	}
	placer.blocks = calloc(count + 1, sizeof(*placer.blocks));
	placer.busy = calloc(count + 1, sizeof(*placer.busy));
	if (placer.blocks && placer.busy)
		ret = place_all(group, &placer, place, height_bytes);
	free(placer.blocks);
	free(placer.busy);
	return ret;
}

static int place_by_text(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	return place_by(group, budget_bytes, height_bytes, place_text, keeps_to_banks);
}

static int place_by_dp(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	return place_by(group, budget_bytes, height_bytes, place_dp, keeps_apart);
}

/* Moves the load of a weight to an earlier operator if it takes longer than the one beside it. */
static void lead(const struct loom_group *group, struct loom_group_part *part, u32 i,
		 struct loom_group_streams *streams)
{
	u64 cycles = loom_group_load_cycles(group->list->lower, part->loaded_bytes[i]);
	s32 last = loom_group_load_at(group, part->first_entry), at;
	size_t from = loom_group_stream_index(group, last), to;

	if (streams->compute[from] >= streams->dma[from])
		return;
	for (at = last - 1; at >= 0; at--) {
		to = loom_group_stream_index(group, at);
		if (streams->compute[to] < streams->dma[to] + cycles)
			continue;
		streams->dma[from] -= min(cycles, streams->dma[from]);
		streams->dma[to] += cycles;
		part->lead[i] = last - at;
		return;
	}
}

static int load_early(struct loom_group *group)
{
	struct loom_group_streams streams;
	int ret = loom_group_streams(group, &streams);
	u32 index, i;

	if (ret)
		return ret;
	for (index = 0; index < group->num_parts; index++) {
		struct loom_group_part *part = &group->parts[index];

		for (i = 1; i < part->op->kernel.num_operands; i++) {
			u32 value = part->op->access[i].value;

			part->lead[i] = 0;
			if (part->op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
			    loom_group_is_own(group, part, i) &&
			    group->list->lower->graph->values[value]->data)
				lead(group, part, i, &streams);
		}
	}
	loom_group_streams_clear(&streams);
	return 0;
}

/* Fits a group, unless its slices have one of the faults @refused. */
static int fit(struct loom_group *group, u64 budget_bytes, u32 refused)
{
	s32 position;
	int ret;

	ret = loom_group_schedule(group);
	if (ret)
		return ret;
	if (group->faults & refused)
		return -ENOSPC;
	if (group->slices == 1 && group->overlap) {
		ret = load_early(group);
		if (!ret)
			ret = loom_group_schedule(group);
		if (ret)
			return ret;
	}
	group->cost.peak_bytes = loom_group_peak(group, group->num_items, &position, NULL);
	if (group->cost.peak_bytes > budget_bytes)
		return -ENOSPC;
	loom_group_cost_count(group);
	return 0;
}

#define WRONG (LOOM_GROUP_FAULT_EMPTY | LOOM_GROUP_FAULT_STALLED | LOOM_GROUP_FAULT_DISJOINT)

static int fit_by_text(struct loom_group *group, u64 budget_bytes)
{
	return fit(group, budget_bytes, WRONG | LOOM_GROUP_FAULT_OVERLAP);
}

static int fit_by_dp(struct loom_group *group, u64 budget_bytes)
{
	return fit(group, budget_bytes, WRONG);
}

const struct loom_group_rules loom_group_text_rules = {
	.fit = fit_by_text,
	.place = place_by_text,
};

const struct loom_group_rules loom_group_dp_rules = {
	.fit = fit_by_dp,
	.place = place_by_dp,
};
