// SPDX-License-Identifier: MIT
/*
 * Groups by their first unit. Units that begin equal runs share a block of groups, as do the rows
 * that the memo keeps. To change a group of some of the sharers, make a copy for these first.
 */
#include "group/search/divide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static u32 num_edges(const struct loom_group_row *row)
{
	return row->num_units ? row->spans[row->num_units].begin : 0;
}

static size_t block_bytes(u32 count)
{
	return sizeof(struct loom_group_block) + (size_t)count * sizeof(struct loom_group_edge);
}

static struct loom_group_edge *edge_at(const struct loom_group_divide *d, u32 first, u32 num_units,
				       u32 in, u32 out)
{
	const struct loom_group_row *row = &d->rows[first];

	return &row->block->edges[row->spans[num_units - 1].begin +
				  in * loom_group_num_choices(d, first + num_units) + out];
}

const struct loom_group_edge *loom_group_edge(const struct loom_group_divide *d, u32 first,
					      u32 num_units, u32 in, u32 out)
{
	return edge_at(d, first, num_units, in, out);
}

static void get_block(struct loom_group_block *block)
{
	if (block)
		atomic_fetch_add_explicit(&block->users, 1, memory_order_relaxed);
}

static void put_block(struct loom_group_block *block)
{
	if (block && atomic_fetch_sub_explicit(&block->users, 1, memory_order_acq_rel) == 1)
		free(block);
}

static bool is_shared(const struct loom_group_row *row)
{
	return row->block && atomic_load_explicit(&row->block->users, memory_order_acquire) != 1;
}

/* A block of @users rows with @row's groups and room for @cap. NULL: no memory. */
static struct loom_group_block *copy_block(const struct loom_group_row *row, u32 cap, u32 users)
{
	struct loom_group_block *block = malloc(block_bytes(cap));
	u32 count = num_edges(row);

	if (!block)
		return NULL;
	atomic_init(&block->users, users);
	block->cap_edges = cap;
	if (count)
		memcpy(block->edges, row->block->edges, count * sizeof(*block->edges));
	return block;
}

/* Gives a row a block of its own with room for @cap groups, or at least as many as it has. */
static int own_block(struct loom_group_row *row, u32 cap)
{
	struct loom_group_block *block = row->block;

	cap = max(cap, num_edges(row));
	if (!block || is_shared(row)) {
		block = copy_block(row, cap, 1);
		if (!block)
			return -ENOMEM;
		put_block(row->block);
	} else if (cap != block->cap_edges) {
		block = realloc(block, block_bytes(cap));
		if (!block)
			return -ENOMEM;
		block->cap_edges = cap;
	}
	row->block = block;
	return 0;
}

/* Gives a row groups of its own, to change them. */
static int own_row(struct loom_group_row *row)
{
	return is_shared(row) ? own_block(row, 0) : 0;
}

struct loom_group_row *loom_group_rows_copy(const struct loom_group_row *rows, u32 count)
{
	struct loom_group_row *copy = calloc((size_t)count + 1, sizeof(*copy));
	u32 i;

	for (i = 0; i < count && copy; i++) {
		copy[i] = rows[i];
		get_block(copy[i].block);
		copy[i].spans = malloc(((size_t)rows[i].num_units + 1) * sizeof(*copy[i].spans));
		if (!copy[i].spans) {
			loom_group_rows_free(copy, i + 1);
			return NULL;
		}
		if (rows[i].num_units)
			memcpy(copy[i].spans, rows[i].spans,
			       (rows[i].num_units + 1) * sizeof(*copy[i].spans));
	}
	return copy;
}

void loom_group_rows_free(struct loom_group_row *rows, u32 count)
{
	u32 i;

	for (i = 0; i < count && rows; i++) {
		free(rows[i].spans);
		put_block(rows[i].block);
	}
	free(rows);
}

size_t loom_group_rows_bytes(const struct loom_group_row *rows, u32 count)
{
	size_t bytes = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		bytes += rows[i].num_units * sizeof(*rows[i].spans);
		if (rows[i].block)
			bytes += block_bytes(rows[i].block->cap_edges) /
				 atomic_load_explicit(&rows[i].block->users, memory_order_relaxed);
	}
	return bytes;
}

int loom_group_reserve(struct loom_group_divide *d, u32 first, u32 num_units)
{
	struct loom_group_row *row = &d->rows[first];
	u32 from = num_edges(row), to = from, n;
	struct loom_group_span *spans;
	int ret;

	if (num_units <= row->num_units)
		return 0;
	spans = realloc(row->spans, (num_units + 1) * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	row->spans = spans;
	for (n = row->num_units; n < num_units; n++) {
		spans[n] = (struct loom_group_span){ .least = U64_MAX, .begin = to };
		to += loom_group_num_choices(d, first) * loom_group_num_choices(d, first + n + 1);
	}
	if (!row->block || is_shared(row) || to > row->block->cap_edges) {
		ret = own_block(row, row->block && !is_shared(row) ?
					     max(2 * row->block->cap_edges, to) :
					     to);
		if (ret)
			return ret;
	}
	spans[num_units].begin = to;
	row->num_units = num_units;
	memset(&row->block->edges[from], 0, (to - from) * sizeof(*row->block->edges));
	return 0;
}

int loom_group_make_room(struct loom_group_divide *d, u32 first)
{
	return own_block(&d->rows[first], d->usual_edges);
}

void loom_group_trim(struct loom_group_divide *d, u32 first)
{
	struct loom_group_row *row = &d->rows[first];

	d->usual_edges = num_edges(row);
	/* a failure leaves the row as it is */
	if (row->block && !is_shared(row))
		own_block(row, 0);
}

/* Whether groups of at most @d->least units are those of an equal run; none changed by itself. */
static bool has_same(const struct loom_group_divide *d, const struct loom_group_row *row,
		     const struct loom_group_row *like)
{
	u32 count;

	if (like->num_units > d->repeat->window || row->num_units > like->num_units)
		return false;
	count = row->num_units ? row->spans[min(row->num_units, d->least)].begin : 0;
	return !count || row->block == like->block ||
	       !memcmp(row->block->edges, like->block->edges, count * sizeof(row->block->edges[0]));
}

int loom_group_take_rest(struct loom_group_divide *d, u32 first)
{
	const struct loom_group_row *like = &d->rows[d->repeat->first[first]];
	struct loom_group_row *row = &d->rows[first];
	u32 most = min(like->num_units, d->repeat->window), from;
	struct loom_group_span *spans;
	int ret;

	if (most <= d->least)
		return 0;
	if (has_same(d, row, like)) {
		spans = realloc(row->spans, (most + 1) * sizeof(*spans));
		if (!spans)
			return -ENOMEM;
		memcpy(spans, like->spans, (most + 1) * sizeof(*spans));
		put_block(row->block);
		get_block(like->block);
		row->spans = spans;
		row->num_units = most;
		row->block = like->block;
		return 0;
	}
	ret = loom_group_reserve(d, first, most);
	if (!ret)
		ret = own_row(row);
	if (ret)
		return ret;
	from = row->spans[d->least].begin;
	memcpy(&row->block->edges[from], &like->block->edges[from],
	       (row->spans[most].begin - from) * sizeof(row->block->edges[0]));
	memcpy(&row->spans[d->least], &like->spans[d->least],
	       (most - d->least) * sizeof(*row->spans));
	loom_group_trim(d, first);
	return 0;
}

/* Gives the rows of a class that share a block with @first one of their own, if others have it. */
static int own_together(struct loom_group_divide *d, u32 first)
{
	struct loom_group_block *was = d->rows[first].block, *block;
	u32 count = 0, at;

	for (at = d->repeat->first[first]; at != LOOM_GROUP_NONE; at = d->repeat->next[at])
		count += d->rows[at].block == was;
	if (atomic_load_explicit(&was->users, memory_order_acquire) == count)
		return 0;
	block = copy_block(&d->rows[first], num_edges(&d->rows[first]), count);
	if (!block)
		return -ENOMEM;
	for (at = d->repeat->first[first]; at != LOOM_GROUP_NONE; at = d->repeat->next[at]) {
		if (d->rows[at].block != was)
			continue;
		d->rows[at].block = block;
		put_block(was);
	}
	return 0;
}

struct loom_group_edge *loom_group_own_edge(struct loom_group_divide *d, u32 first, u32 num_units,
					    u32 in, u32 out)
{
	if (own_row(&d->rows[first]))
		return NULL;
	return edge_at(d, first, num_units, in, out);
}

/*
 * The cost of a group holds for all groups of its class. A group without a placement next to others
 * (chain.c) stays removed.
 */
static int set_edges(struct loom_group_divide *d, const struct loom_group_cut *cut,
		     const struct loom_group_edge *edge)
{
	u32 first = cut->first_unit, n = cut->num_units, at = d->repeat->first[first];
	bool is_new = !edge_at(d, first, n, cut->in, cut->out)->state;
	struct loom_group_edge *equal;
	int ret;

	ret = n > d->repeat->window ? own_row(&d->rows[first]) : own_together(d, first);
	if (ret)
		return ret;
	*edge_at(d, first, n, cut->in, cut->out) = *edge;
	loom_group_note(&d->rows[first], n, edge);
	loom_group_path_change(d, first, n, cut->out);
	if (n > d->repeat->window)
		return 0;
	for (; at != LOOM_GROUP_NONE; at = d->repeat->next[at]) {
		d->visits++;
		if (at == first || d->rows[at].num_units < n)
			continue;
		if (d->rows[at].block != d->rows[first].block) {
			if (!is_new && !edge_at(d, at, n, cut->in, cut->out)->state)
				continue;
			equal = loom_group_own_edge(d, at, n, cut->in, cut->out);
			if (!equal)
				return -ENOMEM;
			*equal = *edge;
		}
		loom_group_note(&d->rows[at], n, edge);
		loom_group_path_change(d, at, n, cut->out);
	}
	return 0;
}

int loom_group_enter(struct loom_group_divide *d, const struct loom_group_cut *cut,
		     enum loom_group_edge_state state)
{
	const struct loom_group_edge edge = {
		.cost = cut->cost,
		.budget_bytes = min(cut->budget_bytes, LOOM_GROUP_EDGE_BYTES),
		.slices = cut->slices,
		.axis = cut->cut_axis,
		.overlap = cut->overlap,
		.state = state,
	};

	return set_edges(d, cut, &edge);
}

int loom_group_remove(struct loom_group_divide *d, const struct loom_group_cut *cut)
{
	const struct loom_group_edge none = { .cost.price = U64_MAX };

	return set_edges(d, cut, &none);
}
