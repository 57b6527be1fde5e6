// SPDX-License-Identifier: MIT
/*
 * Conflicts in sub-banks: items that the DMA stream and the compute stream of a group touch at the
 * same position. In a shared sub-bank one of the two would wait, so the placement should keep them
 * apart (&loom_place_problem.conflicts). Held operands are loaded once, in the first slice, and do
 * not count.
 */
#include "group/place/place.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

/* More pairs than this cost more time than they save. */
#define MOST_PAIRS	8192

/**
 * struct touch - an item that a stream touches
 * @position: the position
 * @item: index of the item
 * @dma: the DMA stream touches it
 */
struct touch {
	s32 position;
	u32 item;
	bool dma;
};

/**
 * struct touches - all touches in a slice
 * @group: the group
 * @list: the touches
 * @count: number of @list
 * @cap: capacity of @list
 * @full: some did not fit in memory
 */
struct touches {
	const struct loom_group *group;
	struct touch *list;
	u32 count;
	u32 cap;
	bool full;
};

static void touch(struct touches *t, s32 position, u32 item, bool dma)
{
	struct touch *list;
	s32 period = t->group->period, at = position % period;

	list = loom_memory_grow(t->list, t->count, &t->cap, sizeof(*list));
	if (!list) {
		t->full = true;
		return;
	}
	t->list = list;
	t->list[t->count++] = (struct touch){
		.position = at < 0 ? at + period : at, .item = item, .dma = dma,
	};
}

/* Strips and line buffers are loaded, restored, saved and stored by DMA. */
static void touch_root(struct touches *t, const struct loom_group_root *root)
{
	const struct loom_group *group = t->group;
	bool input = root->kind == LOOM_GROUP_INPUT;
	u32 first = input ? root->first_reader : root->first_writer;
	s32 load = loom_group_load_at(group, group->parts[first].first_entry), out;

	if (root->strip == LOOM_GROUP_NONE)
		return;
	out = input ? 0 : loom_group_part_end(group, root->last_writer) + 1;
	if (root->stored)
		touch(t, out, root->strip, true);
	if (root->read)
		out = max(out, loom_group_part_end(group, root->last_reader));
	if (input || root->kept)
		touch(t, load, root->strip, true);
	if (!root->kept)
		return;
	touch(t, load, root->line, true);
	touch(t, out, root->strip, true);
	touch(t, out, root->line, true);
}

/* Touches of an op: its operands and result, and streamed operands. */
static void touch_entry(struct touches *t, u32 index, u32 chunk)
{
	const struct loom_group *group = t->group;
	const struct loom_group_part *part = &group->parts[index];
	u32 entry = part->first_entry + chunk, i, item;
	s32 at = loom_group_compute_at(group, entry);

	for (i = 0; i < part->op->kernel.num_operands; i++) {
		bool temp = part->op->kernel.operands[i].role == LOOM_ROLE_TEMP;
		bool held = part->held >> i & 1, chunks;

		if (part->root[i] != LOOM_GROUP_NONE) {
			if (group->roots[part->root[i]].strip != LOOM_GROUP_NONE)
				touch(t, at, group->roots[part->root[i]].strip,
				      part->op->kind != LOOM_GROUP_COMPUTE);
			continue;
		}
		if (!loom_group_is_own(group, part, i))
			continue;
		chunks = !temp && !held && loom_group_follows_chunks(part, i);
		item = part->item[i] + (chunks ? chunk : 0);
		touch(t, at, item, false);
		if (!temp && !held && (chunks || !chunk) && !loom_group_keeps_chunk(part, i, chunk))
			touch(t, loom_group_load_at(group, entry), item, true);
	}
}

static int compare(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	if (x->dma != y->dma)
		return x->dma ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Pairs of all buffers of two items. */
static u32 add_pairs(const struct loom_group *group, const u32 *places, u32 a, u32 b,
		     struct loom_place_pair *pairs, u32 count)
{
	u32 i, k;

	for (i = 0; i < group->items[a].buffers && a != b; i++)
		for (k = 0; k < group->items[b].buffers && count < MOST_PAIRS; k++)
			pairs[count++] = (struct loom_place_pair){
				.first = places[a] + i, .second = places[b] + k, .weight = 1,
			};
	return count;
}

static u32 pair_up(const struct touches *t, const u32 *places, struct loom_place_pair *pairs)
{
	u32 begin, end, i, k, count = 0;

	for (begin = 0; begin < t->count; begin = end) {
		for (end = begin; end < t->count &&
		     t->list[end].position == t->list[begin].position; end++)
			;
		for (i = begin; i < end && t->list[i].dma; i++)
			for (k = end; k-- > begin && !t->list[k].dma;)
				count = add_pairs(t->group, places, t->list[i].item,
						  t->list[k].item, pairs, count);
	}
	return count;
}

int loom_group_conflicts(const struct loom_group *group, const u32 *places,
			 struct loom_place_pair **pairs, u32 *num_pairs)
{
	struct touches t = { .group = group };
	u32 i, k;

	*num_pairs = 0;
	*pairs = calloc(MOST_PAIRS, sizeof(**pairs));
	if (!*pairs)
		return -ENOMEM;
	for (i = 0; i < group->num_roots; i++)
		touch_root(&t, &group->roots[i]);
	for (i = 0; i < group->num_parts; i++)
		for (k = 0; k < group->parts[i].entries; k++)
			touch_entry(&t, i, k);
	if (!t.full && t.count) {
		qsort(t.list, t.count, sizeof(*t.list), compare);
		*num_pairs = pair_up(&t, places, *pairs);
	}
	free(t.list);
	return t.full ? -ENOMEM : 0;
}
