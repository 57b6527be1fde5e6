// SPDX-License-Identifier: MIT
/*
 * DOC: Steps of a group
 *
 * The three classes of what is in SRAM, and when: strips (and their line buffers), what an op has
 * of its own (weights, held or streamed), temporaries. Each is an item with a lifetime in
 * positions, see group.h. Ids follow the order of the ops.
 *
 * loom_group_fit() begins with all weights held and gives way where it does not fit: what is held
 * elsewhere is streamed, the smallest that frees enough; then what is streamed right there is
 * cut into chunks.
 */
#include "group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS	4000
/* Pieces of a weight of which some are kept and some streamed. */
#define MOST_PIECES	16

s32 loom_group_compute_at(const struct loom_group *group, u32 entry)
{
	return group->overlap ? (s32)entry : 2 * (s32)entry + 1;
}

s32 loom_group_load_at(const struct loom_group *group, u32 entry)
{
	return loom_group_compute_at(group, entry) - 1;
}

s32 loom_group_store_at(const struct loom_group *group, u32 entry)
{
	return loom_group_compute_at(group, entry) + 1;
}

static u32 add_item(struct loom_group *group, u64 bytes, s32 from, s32 to, bool whole)
{
	struct loom_group_item *items;
	u32 cap = group->cap_items ? 2 * group->cap_items : 256;

	if (group->num_items == group->cap_items) {
		items = realloc(group->items, cap * sizeof(*items));
		if (!items)
			return U32_MAX;
		group->items = items;
		group->cap_items = cap;
	}
	group->items[group->num_items] = (struct loom_group_item){
		.bytes = bytes,
		.from = from,
		.to = to,
		.whole = whole,
		.buffers = whole ? 1 : (to - from + group->period) / group->period,
	};
	return group->num_items++;
}

/* Numbers the positions. */
static bool number_entries(struct loom_group *group)
{
	u32 i;

	group->num_entries = 0;
	for (i = 0; i < group->num_parts; i++) {
		struct loom_group_part *part = &group->parts[i];
		u64 dim = part->op->kernel.operands[0].ref.dims[part->chunk_axis];
		u64 chunks = part->chunk ? loom_div_round_up(dim, part->chunk) : 1;

		if (chunks > LOOM_GROUP_ENTRIES - group->num_entries)
			return false;
		part->first_entry = group->num_entries;
		part->entries = chunks;
		group->num_entries += chunks;
	}
	group->period = group->overlap ? group->num_entries : 2 * group->num_entries;
	/* one slice has no successor to meet */
	if (group->slices == 1)
		group->period += 3;
	return true;
}

static s32 part_load(const struct loom_group *group, u32 index)
{
	return loom_group_load_at(group, group->parts[index].first_entry);
}

static s32 part_compute(const struct loom_group *group, u32 index)
{
	return loom_group_compute_at(group, group->parts[index].first_entry);
}

static s32 part_end(const struct loom_group *group, u32 index)
{
	const struct loom_group_part *part = &group->parts[index];

	return loom_group_compute_at(group, part->first_entry + part->entries - 1);
}

static s32 part_store(const struct loom_group *group, u32 index)
{
	return part_end(group, index) + 1;
}

static int root_items(struct loom_group *group, u32 which)
{
	struct loom_group_root *root = &group->roots[which];
	s32 from, to, out;
	u32 first;

	root->strip = LOOM_GROUP_NONE;
	root->line = LOOM_GROUP_NONE;
	if (group->residency[root->value] & (LOOM_GROUP_RESIDENT_IN | LOOM_GROUP_RESIDENT_OUT))
		return 0;

	if (root->kind == LOOM_GROUP_INPUT) {
		first = root->first_reader;
		from = part_load(group, first);
		to = part_end(group, root->last_reader);
		out = to;
	} else {
		first = root->first_writer;
		from = root->kept ? part_load(group, first) : part_compute(group, first);
		to = part_end(group, root->last_writer);
		out = part_store(group, root->last_writer);
		if (root->read) {
			to = max(to, part_end(group, root->last_reader));
			out = max(out, part_end(group, root->last_reader));
		}
		if (root->stored)
			to = max(to, part_store(group, root->last_writer));
		if (root->kept)
			to = max(to, out);
	}
	root->strip = add_item(group, root->strip_bytes, from, to, false);
	if (root->strip == LOOM_GROUP_NONE)
		return -ENOMEM;
	if (!root->kept)
		return 0;
	/* the next strip wants its rows before this one can save them */
	if (out > group->period + part_load(group, first))
		return -ENOSPC;
	root->line = add_item(group, root->line_bytes, out, group->period + part_load(group, first),
			      root->long_line);
	return root->line != LOOM_GROUP_NONE ? 0 : -ENOMEM;
}

static bool part_items(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 i, c;

	for (i = 1; i < kernel->num_operands; i++) {
		bool temp = kernel->operands[i].role == LOOM_ROLE_TEMP;
		bool held = part->held >> i & 1;
		u64 bytes;

		if (!loom_group_is_own(group, part, i))
			continue;
		bytes = held ? part->held_bytes[i] : part->bytes[i];
		part->item[i] = group->num_items;
		if (held) {
			add_item(group, bytes, 0, 0, true);
		} else if (temp || !loom_group_follows_chunks(part, i)) {
			add_item(group, bytes, temp ? part_compute(group, index) :
						      part_load(group, index) - part->lead[i],
				 part_end(group, index), false);
		} else {
			for (c = 0; c < part->entries; c++)
				add_item(group, bytes,
					 loom_group_load_at(group, part->first_entry + c),
					 loom_group_compute_at(group, part->first_entry + c),
					 loom_group_keeps_chunk(part, i, c));
		}
		if (group->num_items > LOOM_GROUP_NONE - 8)
			return false;
	}
	return true;
}

/* Who else wants to see a value. */
void loom_group_mark_stored(struct loom_group *group)
{
	const struct loom_group_unit *last =
		&group->list->units[group->first_unit + group->num_units - 1];
	u32 end = last->first_op + last->num_ops, i;

	for (i = 0; i < group->num_roots; i++) {
		struct loom_group_root *root = &group->roots[i];
		const struct loom_group_use *use = &group->list->uses[root->value];

		root->stored = root->kind == LOOM_GROUP_INSIDE &&
			       (use->output || root->partial || use->last_writer >= end ||
				(use->read && use->last_reader >= end &&
				 !(group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT)));
	}
}

/* What is there as a whole: in a group of one slice, from its first to its last use. */
static bool resident_items(struct loom_group *group)
{
	u32 i, index, k;

	for (i = 0; i < group->num_residents; i++) {
		u32 value = group->residents[i], item;
		const struct loom_group_use *use = &group->list->uses[value];
		u8 residency = group->residency[value];
		s32 from = -1, to = group->period - 2;
		bool whole = group->slices > 1;

		if (!(residency & LOOM_GROUP_RESIDENT_OUT)) {
			to = 0;
			for (index = 0; index < group->num_parts; index++)
				for (k = 1; k < group->parts[index].op->kernel.num_operands; k++)
					if (group->parts[index].op->access[k].value == value)
						to = part_end(group, index);
		} else if (!(residency & LOOM_GROUP_RESIDENT_IN) && group->local[value]) {
			index = group->roots[group->local[value] - 1].first_writer;
			from = part_compute(group, index);
		}
		item = add_item(group, use->whole_bytes, from, to, whole);
		if (item == U32_MAX)
			return false;
		group->resident_items[i] = item;
		group->items[item].fixed =
			!group->unpinned &&
			(residency & LOOM_GROUP_RESIDENT_IN || group->locations[value].pinned);
		group->items[item].offset[0] = group->locations[value].offset;
	}
	return true;
}

int loom_group_schedule(struct loom_group *group)
{
	u32 i;
	int ret;

	group->num_items = 0;
	if (!number_entries(group))
		return -ENOSPC;
	group->work += (u64)group->period + group->num_parts;
	loom_group_mark_stored(group);
	loom_group_measure(group);
	for (i = 0; i < group->num_roots; i++) {
		ret = root_items(group, i);
		if (ret)
			return ret;
	}
	if (!resident_items(group))
		return -ENOMEM;
	group->num_shared = group->num_items;
	for (i = 0; i < group->num_parts; i++)
		if (!part_items(group, i))
			return -ENOSPC;
	return 0;
}

static s32 wrap(const struct loom_group *group, s32 position)
{
	s32 at = position % group->period;

	return at < 0 ? at + group->period : at;
}

/* By position: what is alive, but for what is there all the time. */
static _Thread_local u64 alive[2 * LOOM_GROUP_ENTRIES + 8];

/* Of the first @count items. */
static u64 peak_of(const struct loom_group *group, u32 count, s32 *position)
{
	static _Thread_local s64 change[2 * LOOM_GROUP_ENTRIES + 8];
	s64 all = 0, now = 0, most = -1;
	u32 i;
	s32 at;

	memset(change, 0, ((size_t)group->period + 1) * sizeof(*change));
	for (i = 0; i < count; i++) {
		const struct loom_group_item *item = &group->items[i];
		s32 from = wrap(group, item->from), to = wrap(group, item->to);

		if (item->whole || item->buffers > 1 ||
		    item->to - item->from + 1 >= group->period) {
			all += item->bytes * item->buffers;
			continue;
		}
		change[from] += item->bytes;
		change[to + 1] -= item->bytes;
		if (to < from) {
			change[0] += item->bytes;
			change[group->period] -= item->bytes;
		}
	}
	*position = 0;
	for (at = 0; at < group->period; at++) {
		now += change[at];
		alive[at] = (u64)now;
		if (now > most) {
			most = now;
			*position = at;
		}
	}
	return all + most;
}

u64 loom_group_peak(const struct loom_group *group, s32 *position)
{
	return peak_of(group, group->num_items, position);
}

static bool alive_at(const struct loom_group *group, const struct loom_group_item *item, s32 at)
{
	s32 from = wrap(group, item->from), to = wrap(group, item->to);

	if (item->whole || item->to - item->from + 1 >= group->period)
		return true;
	return from <= to ? at >= from && at <= to : at >= from || at <= to;
}

/* The axis whose chunks make the operands of a part's own smaller. */
static bool choose_chunk_axis(const struct loom_group *group, u32 index, u32 i, u8 *axis)
{
	const struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_operand *operand = &kernel->operands[i];
	u64 most = 1;
	u32 k;

	for (k = 0; k < operand->ref.rank; k++) {
		u32 to = operand->map[k].axis;

		if ((operand->map[k].kind != LOOM_MAP_SAME &&
		     operand->map[k].kind != LOOM_MAP_GROUP_PART) ||
		    (s8)to == part->axis || kernel->whole >> to & 1 ||
		    (group->batches > 1 && !to) ||
		    operand->ref.dims[k] <= most)
			continue;
		most = operand->ref.dims[k];
		*axis = to;
	}
	return most > 1;
}

/* The next shorter length of chunks, whole rows of lanes and groups of channels. 0: none. */
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

/* Cuts the largest of what is streamed or temporary at a position into more chunks. */
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

			if (!loom_group_is_own(group, part, i) || part->held >> i & 1)
				continue;
			for (c = 0; c < (loom_group_follows_chunks(part, i) &&
					 part->op->kernel.operands[i].role != LOOM_ROLE_TEMP ?
					 part->entries : 1); c++) {
				item = &group->items[part->item[i] + c];
				if (alive_at(group, item, position))
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
	/* what is kept stays about as much */
	best->kept_chunks = best->chunk ? best->kept_chunks * best->chunk / chunk : 0;
	best->chunk_axis = best_axis;
	best->chunk = chunk;
	best->measured = false;
	return true;
}

/* What else is alive while a part loads and computes: streaming it takes room there. */
static u64 load_while(const struct loom_group *group, u32 index)
{
	s32 from = part_load(group, index), to = part_end(group, index), at;
	u64 most = 0;

	for (at = from; at <= to; at++)
		most = max(most, alive[wrap(group, at)]);
	return most;
}

/* Chunks of a weight that could be kept or streamed one by one: so many output channels each. */
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
 * struct release - something held that could be streamed
 * @index: the part
 * @i: its operand
 * @chunk: elements of a chunk, of which @kept are kept; 0: all of it is streamed
 * @kept: see @chunk
 * @axis: axis that chunks cut
 * @bytes: what it frees
 * @cost: DRAM bytes that it costs
 * @load: what else is alive then
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

/* The part of an operand that has to go so that @want bytes are free. */
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
	/* each is aligned for itself: a little more */
	kept = (held - want) / (piece_bytes + group->list->lower->sram.align_bytes);
	if (!kept || kept >= pieces)
		return;
	release->chunk = chunk;
	release->kept = kept;
	release->bytes = held - kept * piece_bytes;
	release->cost = release->cost / pieces * (pieces - kept);
}

static bool is_better(const struct release *a, const struct release *b, u64 want)
{
	bool enough = a->bytes >= want, other = b->bytes >= want;

	if (enough != other)
		return enough;
	if (!enough)
		return a->bytes != b->bytes ? a->bytes > b->bytes : a->load < b->load;
	return a->cost != b->cost ? a->cost < b->cost : a->load < b->load;
}

/* Streams what frees @want bytes at a position for least, or as much as there is. */
static u64 stream_one(struct loom_group *group, u64 want, s32 position)
{
	struct release best = { .bytes = 0 }, now;
	struct loom_group_part *part;
	u32 index, i, pass;

	for (index = 0; index < group->num_parts; index++) {
		struct loom_group_item use = {
			.from = part_load(group, index), .to = part_end(group, index),
		};

		part = &group->parts[index];
		if (!part->held || alive_at(group, &use, position))
			continue;
		for (i = 1; i < part->op->kernel.num_operands; i++) {
			if (!(part->held >> i & 1) || !loom_group_is_own(group, part, i))
				continue;
			for (pass = 0; pass < 2; pass++) {
				now = (struct release){
					.index = index, .i = i,
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
	if (best.chunk) {
		part->chunk = best.chunk;
		part->chunk_axis = best.axis;
		part->kept_chunks = best.kept;
		part->measured = false;
	}
	return best.bytes;
}

static bool give_way(struct loom_group *group, u64 want, s32 position)
{
	u64 freed = 0, bytes;

	while (freed < want) {
		bytes = stream_one(group, want - freed, position);
		if (!bytes)
			break;
		freed += bytes;
	}
	return freed;
}

int loom_group_fit(struct loom_group *group, u64 budget_bytes)
{
	u32 round;
	s32 position;
	int ret;

	if (group->manner)
		return loom_group_text_fit(group, budget_bytes);
	for (round = 0; round < MAX_ROUNDS; round++) {
		ret = loom_group_schedule(group);
		if (ret)
			return ret;
		/* no way of having weights helps strips that do not fit */
		if (!round && peak_of(group, group->num_shared, &position) > budget_bytes)
			return -ENOSPC;
		group->cost.peak_bytes = loom_group_peak(group, &position);
		if (group->cost.peak_bytes <= budget_bytes) {
			loom_group_cost_count(group);
			return 0;
		}
		if (!give_way(group, group->cost.peak_bytes - budget_bytes, position) &&
		    !cut_chunks(group, position))
			return -ENOSPC;
	}
	return -ENOSPC;
}
