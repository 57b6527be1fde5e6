// SPDX-License-Identifier: MIT
/*
 * DOC: The schedule of a group
 *
 * Lists all objects that need SRAM, each as an *item* with a lifetime in positions (see group.h):
 * strips and their line buffers, an operation's weights (held or streamed) and temporaries, and
 * residents. Items are in the order of the operations.
 */
#include "group/schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int add_item(struct loom_group *group, u64 bytes, s32 from, s32 to, bool whole)
{
	struct loom_group_item *items;

	items = loom_memory_grow(group->items, group->num_items, &group->cap_items, sizeof(*items));
	if (!items)
		return -ENOMEM;
	group->items = items;
	group->items[group->num_items++] = (struct loom_group_item){
		.bytes = bytes,
		.from = from,
		.to = to,
		.whole = whole,
		.buffers = whole ? 1 : (to - from + group->period) / group->period,
	};
	return 0;
}

/* Limit on positions, which are stored in 31 bits. */
#define MOST_ENTRIES	(1U << 28)

/* Allocates the arrays over the positions of a period. */
static int make_positions(struct loom_group *group)
{
	u32 cap = group->cap_period + (u32)group->period + 8;
	u64 *alive;
	s64 *change;

	if ((u32)group->period < group->cap_period)
		return 0;
	change = realloc(group->change, cap * sizeof(*change));
	if (!change)
		return -ENOMEM;
	group->change = change;
	alive = realloc(group->alive, cap * sizeof(*alive));
	if (!alive)
		return -ENOMEM;
	group->alive = alive;
	group->cap_period = cap;
	return 0;
}

/* Numbers the entries of all parts and sets the period. */
static int number_entries(struct loom_group *group)
{
	u32 i;

	group->num_entries = 0;
	for (i = 0; i < group->num_parts; i++) {
		struct loom_group_part *part = &group->parts[i];
		u64 dim = part->op->kernel.operands[0].ref.dims[part->chunk_axis];
		u64 chunks = part->chunk ? loom_div_round_up(dim, part->chunk) : 1;

		if (chunks > MOST_ENTRIES - group->num_entries)
			return -ENOSPC;
		part->first_entry = group->num_entries;
		part->entries = chunks;
		group->num_entries += chunks;
	}
	group->period = group->overlap ? group->num_entries : 2 * group->num_entries;
	/* a single slice does not overlap the next: room to load, compute and store at both ends */
	if (group->slices == 1)
		group->period += 3;
	return make_positions(group);
}

s32 loom_group_part_load(const struct loom_group *group, u32 index)
{
	return loom_group_load_at(group, group->parts[index].first_entry);
}

static s32 part_compute(const struct loom_group *group, u32 index)
{
	return loom_group_compute_at(group, group->parts[index].first_entry);
}

s32 loom_group_part_end(const struct loom_group *group, u32 index)
{
	const struct loom_group_part *part = &group->parts[index];

	return loom_group_compute_at(group, part->first_entry + part->entries - 1);
}

static s32 part_store(const struct loom_group *group, u32 index)
{
	return loom_group_part_end(group, index) + 1;
}

static int root_items(struct loom_group *group, u32 which)
{
	struct loom_group_root *root = &group->roots[which];
	s32 from, to, out;
	u32 first;
	int ret;

	root->strip = LOOM_GROUP_NONE;
	root->line = LOOM_GROUP_NONE;
	if (group->residency[root->value] & (LOOM_GROUP_RESIDENT_IN | LOOM_GROUP_RESIDENT_OUT))
		return 0;

	if (root->kind == LOOM_GROUP_INPUT) {
		first = root->first_reader;
		from = loom_group_part_load(group, first);
		to = loom_group_part_end(group, root->last_reader);
		out = to;
	} else {
		first = root->first_writer;
		from = root->kept ? loom_group_part_load(group, first) : part_compute(group, first);
		to = loom_group_part_end(group, root->last_writer);
		out = part_store(group, root->last_writer);
		if (root->read) {
			to = max(to, loom_group_part_end(group, root->last_reader));
			out = max(out, loom_group_part_end(group, root->last_reader));
		}
		if (root->stored)
			to = max(to, part_store(group, root->last_writer));
		if (root->kept)
			to = max(to, out);
	}
	root->strip = group->num_items;
	ret = add_item(group, root->strip_bytes, from, to, false);
	if (ret || !root->kept)
		return ret;
	/* otherwise the next strip would need the halo before this slice has saved it */
	if (out > group->period + loom_group_part_load(group, first))
		return -ENOSPC;
	root->line = group->num_items;
	return add_item(group, root->line_bytes, out,
			group->period + loom_group_part_load(group, first), root->long_line);
}

static int part_items(struct loom_group *group, u32 index)
{
	struct loom_group_part *part = &group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	u32 i, c;
	int ret = 0;

	for (i = 1; i < kernel->num_operands; i++) {
		bool temp = kernel->operands[i].role == LOOM_ROLE_TEMP;
		bool held = part->held >> i & 1;
		u64 bytes;

		if (!loom_group_is_own(group, part, i))
			continue;
		bytes = held ? part->held_bytes[i] : part->bytes[i];
		part->item[i] = group->num_items;
		if (held) {
			ret = add_item(group, bytes, 0, 0, true);
		} else if (temp || !loom_group_follows_chunks(part, i)) {
			ret = add_item(group, bytes,
				       temp ? part_compute(group, index)
					    : loom_group_part_load(group, index) - part->lead[i],
				       loom_group_part_end(group, index), false);
		} else {
			for (c = 0; c < part->entries && !ret; c++)
				ret = add_item(group, bytes,
					       loom_group_load_at(group, part->first_entry + c),
					       loom_group_compute_at(group, part->first_entry + c),
					       loom_group_keeps_chunk(part, i, c));
		}
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Marks the values that are stored to DRAM: outputs of the graph, and values that later groups read
 * from there.
 */
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

/* The item of a resident of the group. */
static u32 item_of(const struct loom_group *group, u32 value)
{
	u32 i = 0;

	while (group->residents[i] != value)
		i++;
	return group->resident_items[i];
}

/* Makes items of residents: alive for the whole period, or in a group of one slice while needed. */
static int resident_items(struct loom_group *group)
{
	u32 i, index, k;
	int ret;

	for (i = 0; i < group->num_residents; i++) {
		u32 value = group->residents[i], item;
		const struct loom_group_use *use = &group->list->uses[value];
		u8 residency = group->residency[value];
		s32 from = -1, to = group->period - 2;
		bool whole = group->slices > 1;
		u32 over;

		/* residents from before the group come first */
		if (loom_group_takes_place(group, value, &over)) {
			item = item_of(group, over);
			group->items[item].to = to;
			group->resident_items[i] = item;
			continue;
		}

		if (!(residency & LOOM_GROUP_RESIDENT_OUT)) {
			to = 0;
			for (index = 0; index < group->num_parts; index++)
				for (k = 1; k < group->parts[index].op->kernel.num_operands; k++)
					if (group->parts[index].op->access[k].value == value)
						to = loom_group_part_end(group, index);
		} else if (!(residency & LOOM_GROUP_RESIDENT_IN) && group->local[value]) {
			index = group->roots[group->local[value] - 1].first_writer;
			from = part_compute(group, index);
		}
		item = group->num_items;
		ret = add_item(group, use->whole_bytes, from, to, whole);
		if (ret)
			return ret;
		group->resident_items[i] = item;
		group->items[item].fixed =
			!group->unpinned &&
			(residency & LOOM_GROUP_RESIDENT_IN || group->locations[value].pinned);
		group->items[item].offset[0] = group->locations[value].offset;
	}
	return 0;
}

int loom_group_schedule(struct loom_group *group)
{
	u32 i;
	int ret;

	group->num_items = 0;
	ret = number_entries(group);
	if (ret)
		return ret;
	loom_group_spend(group, (u64)group->period + group->num_parts);
	loom_group_mark_stored(group);
	loom_group_measure(group);
	for (i = 0; i < group->num_roots; i++) {
		ret = root_items(group, i);
		if (ret)
			return ret;
	}
	ret = resident_items(group);
	group->num_shared = group->num_items;
	for (i = 0; i < group->num_parts && !ret; i++)
		ret = part_items(group, i);
	return ret;
}

s32 loom_group_wrap(const struct loom_group *group, s32 position)
{
	s32 at = position % group->period;

	return at < 0 ? at + group->period : at;
}

u64 loom_group_peak(const struct loom_group *group, u32 num_items, s32 *position, u64 *alive)
{
	s64 *change = group->change, all = 0, now = 0, most = -1;
	u32 i;
	s32 at;

	memset(change, 0, ((size_t)group->period + 1) * sizeof(*change));
	for (i = 0; i < num_items; i++) {
		const struct loom_group_item *item = &group->items[i];
		s32 from = loom_group_wrap(group, item->from);
		s32 to = loom_group_wrap(group, item->to);

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
		if (alive)
			alive[at] = (u64)now;
		if (now > most) {
			most = now;
			*position = at;
		}
	}
	return all + most;
}

bool loom_group_alive_at(const struct loom_group *group, const struct loom_group_item *item, s32 at)
{
	s32 from = loom_group_wrap(group, item->from), to = loom_group_wrap(group, item->to);

	if (item->whole || item->to - item->from + 1 >= group->period)
		return true;
	return from <= to ? at >= from && at <= to : at >= from || at <= to;
}

