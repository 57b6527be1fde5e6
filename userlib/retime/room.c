// SPDX-License-Identifier: MIT
/*
 * Lifetimes of tensors, and whether one can be extended: the bytes at its offset must be free, or,
 * in the scratch, as many bytes at another offset from its first position to its last.
 *
 * Tensors are listed by the positions at which they begin and end, and by blocks of positions that
 * they were alive before. So the tensors alive at a position are those in the list of its block and
 * those that have begun in the block; and a walk visits only tensors that begin or end on its way.
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Limits on tensors moved at a time, offsets tried, and spans visited in total. Larger limits make
 * no plan faster.
 */
#define MOST_PUSHED	6
#define MOST_TRIES	24
#define MOST_WORK	10000000ULL
/* Limit on the spans visited to find holes; beyond, tensors keep their offsets. */
#define MAX_VISITS	20000000ULL

/* By space, and then by offset. */
static int compare_spans(const void *a, const void *b)
{
	const struct retime_tensor *x = *(const struct retime_tensor *const *)a;
	const struct retime_tensor *y = *(const struct retime_tensor *const *)b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* Finds the tensors in slots whose bytes no other tensor has: nobody is in their way. */
static int find_alone(struct retime *r)
{
	struct retime_tensor **order, *last = NULL;
	u32 count = 0, i;

	order = calloc((size_t)r->build->num_tensors + 1, sizeof(struct retime_tensor *));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < r->build->num_tensors; i++)
		if (r->tensors[i].space != RETIME_SCRATCH)
			order[count++] = &r->tensors[i];
	qsort(order, count, sizeof(struct retime_tensor *), compare_spans);
	for (i = 0; i < count; i++) {
		struct retime_tensor *t = order[i];

		t->alone = !last || last->space != t->space ||
			   last->start + last->bytes <= t->start;
		if (!t->alone)
			last->alone = false;
		if (!last || last->space != t->space ||
		    last->start + last->bytes < t->start + t->bytes)
			last = t;
	}
	free(order);
	return 0;
}

int retime_room_open(struct retime *r)
{
	r->num_blocks = r->num_positions / RETIME_BLOCK + 1;
	r->blocks = calloc(r->num_blocks, sizeof(*r->blocks));
	r->alive = calloc((size_t)r->num_positions + 1, sizeof(*r->alive));
	r->peaks = calloc(r->num_blocks, sizeof(*r->peaks));
	r->spare = calloc(1, sizeof(*r->spare));
	if (!r->blocks || !r->alive || !r->peaks || !r->spare)
		return -ENOMEM;
	return find_alone(r);
}

void retime_room_close(struct retime *r)
{
	u32 i;

	for (i = 0; i < r->num_blocks && r->blocks; i++)
		free(r->blocks[i].items);
	free(r->blocks);
	free(r->alive);
	free(r->peaks);
	if (r->spare)
		retime_walk_free(r->spare);
	free(r->spare);
}

static void push(struct retime *r, u32 block, u32 tensor)
{
	struct retime_list *list = &r->blocks[block];
	u32 *larger = loom_memory_grow(list->items, list->count, &list->cap, sizeof(*larger));

	if (!larger) {
		r->error = -ENOMEM;
		return;
	}
	list->items = larger;
	list->items[list->count++] = tensor;
}

static void drop(struct retime *r, u32 block, u32 tensor)
{
	struct retime_list *list = &r->blocks[block];
	u32 i;

	for (i = 0; i < list->count; i++) {
		if (list->items[i] != tensor)
			continue;
		list->items[i] = list->items[--list->count];
		return;
	}
}

/* The first of the tensors whose life begins (@end 0) or ends (1) where that of @t does. */
static u32 *head_of(const struct retime *r, const struct retime_tensor *t, u32 end)
{
	return end ? &r->positions[t->last].ends : &r->positions[t->first].begins;
}

static void unlink_ends(struct retime *r, u32 index)
{
	u32 end;

	for (end = 0; end < 2; end++) {
		const struct retime_link link = r->tensors[index].at[end];

		if (link.prev == RETIME_NONE)
			*head_of(r, &r->tensors[index], end) = link.next;
		else
			r->tensors[link.prev].at[end].next = link.next;
		if (link.next != RETIME_NONE)
			r->tensors[link.next].at[end].prev = link.prev;
	}
}

static void link_ends(struct retime *r, u32 index)
{
	u32 end;

	for (end = 0; end < 2; end++) {
		u32 *head = head_of(r, &r->tensors[index], end);

		r->tensors[index].at[end] = (struct retime_link){ *head, RETIME_NONE };
		if (*head != RETIME_NONE)
			r->tensors[*head].at[end].prev = index;
		*head = index;
	}
}

/* Updates the peaks of the blocks from that of @first to that of @last. */
static void update_peaks(struct retime *r, u32 first, u32 last)
{
	u32 block, i;

	for (block = first / RETIME_BLOCK; block <= last / RETIME_BLOCK; block++) {
		r->peaks[block] = 0;
		for (i = block * RETIME_BLOCK;
		     i < min((block + 1) * RETIME_BLOCK, r->num_positions); i++)
			r->peaks[block] = max(r->peaks[block], r->alive[i]);
	}
}

void retime_room_live(struct retime *r, u32 index, u32 first, u32 last)
{
	struct retime_tensor *t = &r->tensors[index];
	u32 old_from = 1, old_to = 0, from, to, i;

	if (first == RETIME_NONE || (first == t->first && last == t->last))
		return;
	/* blocks that begin in its lifetime */
	from = first / RETIME_BLOCK + 1;
	to = last / RETIME_BLOCK;
	if (t->first != RETIME_NONE) {
		old_from = t->first / RETIME_BLOCK + 1;
		old_to = t->last / RETIME_BLOCK;
		unlink_ends(r, index);
	}
	for (i = old_from; i <= old_to; i++)
		if (i < from || i > to)
			drop(r, i, index);
	for (i = from; i <= to; i++)
		if (i < old_from || i > old_to)
			push(r, i, index);
	if (t->space == RETIME_SCRATCH) {
		for (i = t->first; i != RETIME_NONE && i <= t->last; i++)
			r->alive[i] -= t->bytes;
		for (i = first; i <= last; i++)
			r->alive[i] += t->bytes;
		if (t->first != RETIME_NONE)
			update_peaks(r, t->first, t->last);
		update_peaks(r, first, last);
	}
	t->first = first;
	t->last = last;
	link_ends(r, index);
}

void retime_walk_begin(const struct retime *r, struct retime_walk *walk, u32 tensor)
{
	walk->tensor = tensor;
	walk->first = r->tensors[tensor].first;
	walk->last = r->tensors[tensor].last;
	walk->start = r->tensors[tensor].start;
	walk->num_spans = 0;
	walk->num_marked = 0;
	walk->gathered = false;
	walk->num_pushed = 0;
}

void retime_walk_free(struct retime_walk *walk)
{
	free(walk->spans);
	free(walk->ends);
	free(walk->taken);
}

/* Moves back all but the first @keep tensors that made room. */
static void undo_to(struct retime *r, struct retime_walk *walk, u32 keep)
{
	while (walk->num_pushed > keep) {
		walk->num_pushed--;
		r->tensors[walk->pushed[walk->num_pushed].tensor].start =
			walk->pushed[walk->num_pushed].start;
	}
}

void retime_walk_undo(struct retime *r, struct retime_walk *walk)
{
	undo_to(r, walk, 0);
}

static void add_span(struct retime *r, struct retime_walk *walk, u32 tensor)
{
	const struct retime_tensor *t = &r->tensors[tensor];
	struct retime_span *larger;

	if (tensor == walk->tensor || t->space != r->tensors[walk->tensor].space)
		return;
	if (walk->num_spans == walk->cap_spans) {
		larger = loom_memory_grow(walk->spans, walk->num_spans, &walk->cap_spans,
					  sizeof(*larger));
		if (!larger) {
			r->error = -ENOMEM;
			return;
		}
		walk->spans = larger;
	}
	walk->spans[walk->num_spans++] = (struct retime_span){
		t->start, t->start + t->bytes, tensor,
	};
}

/* Gathers the tensors alive during its lifetime. */
static void gather(struct retime *r, struct retime_walk *walk)
{
	u32 block = walk->first / RETIME_BLOCK, at, i;
	const struct retime_list *list = &r->blocks[block];

	walk->gathered = true;
	walk->num_spans = 0;
	walk->num_marked = 0;
	for (i = 0; i < list->count; i++)
		if (r->tensors[list->items[i]].last >= walk->first)
			add_span(r, walk, list->items[i]);
	for (at = block * RETIME_BLOCK; at <= walk->last; at++)
		for (i = r->positions[at].begins; i != RETIME_NONE; i = r->tensors[i].at[0].next)
			if (r->tensors[i].last >= walk->first)
				add_span(r, walk, i);
}

/* Moves @tensor to another offset, apart from the bytes from @start to @end. */
static bool push_one(struct retime *r, struct retime_walk *walk, u32 tensor, u64 start, u64 end)
{
	struct retime_walk *spare = r->spare;

	if (walk->num_pushed == RETIME_PUSHED)
		return false;
	retime_walk_begin(r, spare, tensor);
	gather(r, spare);
	/* the tensor that needs the room is alive then, at its new offset */
	add_span(r, spare, walk->tensor);
	if (spare->num_spans)
		spare->spans[spare->num_spans - 1].start = start;
	if (spare->num_spans)
		spare->spans[spare->num_spans - 1].end = end;
	r->work += spare->num_spans;
	if (!retime_find_hole(r, spare))
		return false;
	walk->pushed[walk->num_pushed++] = (struct retime_pushed){
		tensor, r->tensors[tensor].start,
	};
	r->tensors[tensor].start = spare->start;
	return true;
}

/* Makes room for the tensor at @start. */
static bool push_all(struct retime *r, struct retime_walk *walk, u64 start)
{
	u64 end = start + r->tensors[walk->tensor].bytes;
	u32 pushed = walk->num_pushed, i;

	for (i = 0; i < walk->num_spans && walk->spans[i].start < end; i++) {
		if (walk->spans[i].end <= start ||
		    push_one(r, walk, walk->spans[i].tensor, start, end))
			continue;
		undo_to(r, walk, pushed);
		return false;
	}
	walk->start = start;
	return true;
}

/* Candidate offset number @which: at both ends, and before and behind each tensor. */
static u64 place_to_try(const struct retime *r, const struct retime_walk *walk, u32 which)
{
	u64 align = r->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	u64 bytes = r->tensors[walk->tensor].bytes, room = r->options->room_bytes;
	const struct retime_span *span = &walk->spans[which / 2];

	if (which / 2 == walk->num_spans)
		return which % 2 ? 0 : (room - bytes) & -align;
	if (which % 2)
		return (span->end + align - 1) & -align;
	return span->start < bytes ? 0 : (span->start - bytes) & -align;
}

/* A total order, so that the result is the same on every machine. */
static int by_start(const void *a, const void *b)
{
	const struct retime_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

/* Sorts spans by start, and by end; prefix sums of their bytes in both orders. */
static void sum_spans(struct retime_walk *walk)
{
	u64 *sums = walk->sums, sum = 0;
	u32 i;

	qsort(walk->spans, walk->num_spans, sizeof(*walk->spans), by_start);
	for (i = 0; i < walk->num_spans; i++) {
		const struct retime_span *span = &walk->spans[i];

		walk->ends[i] = (struct retime_span){
			.start = span->end, .end = span->end - span->start, .tensor = i,
		};
		sums[i] = i ? sums[i - 1] + walk->ends[i].end : walk->ends[i].end;
	}
	qsort(walk->ends, walk->num_spans, sizeof(*walk->ends), by_start);
	for (i = 0; i < walk->num_spans; i++) {
		sum += walk->ends[i].end;
		walk->ends[i].end = sum;
	}
}

/**
 * struct sweep - candidate offsets in ascending order
 * @begun: number of spans that begin before the candidate ends
 * @ended: number of spans that end before it begins
 */
struct sweep {
	u32 begun;
	u32 ended;
};

/* Adds a candidate offset unless too many tensors are in the way. */
static void add_place(const struct retime *r, struct retime_walk *walk, struct sweep *sweep,
		      u32 which)
{
	u64 at = place_to_try(r, walk, which), end = at + r->tensors[walk->tensor].bytes;

	while (sweep->begun < walk->num_spans && walk->spans[sweep->begun].start < end)
		sweep->begun++;
	while (sweep->ended < walk->num_spans && walk->ends[sweep->ended].start <= at)
		sweep->ended++;
	if (end > r->options->room_bytes || sweep->begun - sweep->ended > MOST_PUSHED)
		return;
	walk->places[walk->num_places++] = (struct retime_place){
		.cost = (sweep->begun ? walk->sums[sweep->begun - 1] : 0) -
			(sweep->ended ? walk->ends[sweep->ended - 1].end : 0),
		.which = which,
	};
}

/*
 * Bytes in the way at each candidate offset. They are the bytes of spans that begin before the
 * candidate ends, less those of spans that end before it begins.
 */
static bool find_places(struct retime *r, struct retime_walk *walk)
{
	struct sweep before = { 0 }, behind = { 0 };
	u32 count = walk->num_spans, i;
	struct retime_span *ends;

	ends = realloc(walk->ends, ((size_t)count + 1) * (sizeof(*ends) + sizeof(*walk->sums) +
							  2 * sizeof(*walk->places)));
	if (!ends) {
		r->error = -ENOMEM;
		return false;
	}
	walk->ends = ends;
	walk->sums = (u64 *)&ends[count + 1];
	walk->places = (struct retime_place *)&walk->sums[count + 1];
	sum_spans(walk);
	walk->num_places = 0;
	add_place(r, walk, &before, 2 * count + 1);
	for (i = 0; i < count; i++) {
		add_place(r, walk, &before, 2 * i);
		add_place(r, walk, &behind, 2 * walk->ends[i].tensor + 1);
	}
	add_place(r, walk, &before, 2 * count);
	r->work += 4 * (u64)count;
	return true;
}

/*
 * There is no hole, but there are enough free bytes. At the offset with the fewest bytes in the
 * way, each of those tensors is moved to a hole for all of its lifetime.
 */
static bool make_room(struct retime *r, struct retime_walk *walk)
{
	const struct retime_place *best, *place;
	u64 done = 0;
	u32 tries;

	if (r->work >= MOST_WORK || !find_places(r, walk))
		return false;
	for (tries = 0; tries < MOST_TRIES && r->work < MOST_WORK; tries++) {
		best = NULL;
		for (place = walk->places; place < walk->places + walk->num_places; place++)
			/* each cost is tried once */
			if (place->cost >= done &&
			    (!best || place->cost < best->cost ||
			     (place->cost == best->cost && place->which < best->which)))
				best = place;
		r->work += 2 * walk->num_spans + 2;
		if (!best)
			return false;
		if (push_all(r, walk, place_to_try(r, walk, best->which))) {
			/* their offsets have changed */
			gather(r, walk);
			return true;
		}
		done = best->cost + 1;
	}
	return false;
}

/* Whether the scratch has @bytes left at all positions from @first to @last, at any offsets. */
static bool is_enough(const struct retime *r, u64 bytes, u32 first, u32 last)
{
	u64 most = r->room_bytes - bytes;
	u32 i = first;

	if (bytes > r->room_bytes)
		return false;
	while (i <= last) {
		if (i % RETIME_BLOCK || last - i < RETIME_BLOCK - 1 ||
		    r->peaks[i / RETIME_BLOCK] > most) {
			if (r->alive[i++] > most)
				return false;
		} else {
			i += RETIME_BLOCK;
		}
	}
	return true;
}

/* Whether @tensor, which is alive at a new position, is in the way. */
static bool meet(struct retime *r, struct retime_walk *walk, u32 tensor)
{
	const struct retime_tensor *t = &r->tensors[tensor], *own = &r->tensors[walk->tensor];

	if (tensor == walk->tensor || t->space != own->space)
		return false;
	if (walk->gathered)
		add_span(r, walk, tensor);
	return t->start < walk->start + own->bytes && walk->start < t->start + t->bytes;
}

bool retime_walk_to(struct retime *r, struct retime_walk *walk, u32 to)
{
	const struct retime_tensor *t = &r->tensors[walk->tensor];
	bool scratch = t->space == RETIME_SCRATCH, met = false;
	u32 i;

	if (to >= walk->first && to <= walk->last)
		return true;
	if (scratch && to < walk->first && !is_enough(r, t->bytes, to, walk->first - 1))
		return false;
	if (scratch && to > walk->last && !is_enough(r, t->bytes, walk->last + 1, to))
		return false;
	if (t->alone || (r->anywhere && scratch)) {
		walk->first = min(walk->first, to);
		walk->last = max(walk->last, to);
		return true;
	}
	if (to < walk->first) {
		for (i = r->positions[to].ends; i != RETIME_NONE; i = r->tensors[i].at[1].next)
			met |= meet(r, walk, i);
		walk->first = to;
	} else {
		for (i = r->positions[to].begins; i != RETIME_NONE; i = r->tensors[i].at[0].next)
			met |= meet(r, walk, i);
		walk->last = to;
	}
	if (!met)
		return true;
	if (!scratch || r->visits >= MAX_VISITS)
		return false;
	if (!walk->gathered)
		gather(r, walk);
	return retime_find_hole(r, walk) || (walk->pushes && make_room(r, walk));
}
