// SPDX-License-Identifier: MIT
/*
 * The tightest hole between spans of bytes, which takes most of the time of moving jobs: for each
 * position that a lifetime is extended to, a hole is searched among all tensors alive meanwhile. If
 * offsets are multiples of a power of two, spans are marked in a bitmap of the scratch, in any
 * order; otherwise they are sorted. Both find the same hole.
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* More new spans than this are sorted together with all others. */
#define FEW_NEW		16
/* A bitmap of at most this many words per span is read faster than the spans are sorted. */
#define MOST_WORDS	4

/* A total order, so that the result is the same on every machine. */
static bool is_before(const struct retime_span *x, const struct retime_span *y)
{
	if (x->start != y->start)
		return x->start < y->start;
	return x->end != y->end ? x->end < y->end : x->tensor < y->tensor;
}

/* Insertion sort of spans @from to @to, of which those before @sorted are in order. */
static void insert_spans(struct retime_span *spans, u32 from, u32 sorted, u32 to)
{
	struct retime_span span;
	u32 i, k;

	for (i = sorted; i < to; i++) {
		span = spans[i];
		for (k = i; k > from && is_before(&span, &spans[k - 1]); k--)
			spans[k] = spans[k - 1];
		spans[k] = span;
	}
}

static void merge_spans(const struct retime_span *a, u32 num_a, const struct retime_span *b,
			u32 num_b, struct retime_span *to)
{
	while (num_a && num_b) {
		bool first = !is_before(b, a);

		*to++ = first ? *a++ : *b++;
		num_a -= first;
		num_b -= !first;
	}
	memcpy(to, num_a ? a : b, (num_a + num_b) * sizeof(*to));
}

/* Merge sort from short runs; the result is in @spans, and @room must be as large. */
void retime_merge_spans(struct retime_span **spans, struct retime_span **room, u32 count)
{
	struct retime_span *from = *spans, *to = *room, *other;
	u32 run, i;

	for (i = 0; i < count; i += FEW_NEW)
		insert_spans(from, i, i, min(i + FEW_NEW, count));
	for (run = FEW_NEW; run < count; run *= 2) {
		for (i = 0; i < count; i += 2 * run) {
			u32 next = min(i + run, count);

			merge_spans(&from[i], next - i, &from[next], min(run, count - next),
				    &to[i]);
		}
		other = from;
		from = to;
		to = other;
	}
	*spans = from;
	*room = to;
}

/*
 * Sorts spans by begin. A walk adds a few at a time, which are inserted. (Most of the time is spent
 * here, and qsort() is slower.)
 */
void retime_sort_spans(struct retime_walk *walk)
{
	if (walk->num_spans - walk->num_sorted > FEW_NEW)
		retime_merge_spans(&walk->spans, &walk->merged, walk->num_spans);
	else
		insert_spans(walk->spans, 0, walk->num_sorted, walk->num_spans);
	walk->num_sorted = walk->num_spans;
}

static bool find_by_order(const struct retime *r, struct retime_walk *walk)
{
	u64 align = r->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes, high = 0, at;
	u64 bytes = r->tensors[walk->tensor].bytes, best = U64_MAX;
	u32 i;

	retime_sort_spans(walk);
	for (i = 0; i <= walk->num_spans; i++) {
		u64 end = i < walk->num_spans ? walk->spans[i].start : r->options->room_bytes;

		if (end >= high && end - high >= bytes) {
			at = loom_div_round_up(high, align) * align;
			if (end >= at && end - at >= bytes && end - at < best) {
				best = end - at;
				walk->start = at;
			}
		}
		if (i < walk->num_spans)
			high = max(high, walk->spans[i].end);
	}
	return best != U64_MAX;
}

/* Marks units from @from to @to, which is behind it. */
static void mark(u64 *taken, u64 from, u64 to)
{
	u64 first = from / 64, last = (to - 1) / 64;
	u64 head = ~0ULL << (from % 64), tail = ~0ULL >> (63 - (to - 1) % 64);

	if (first == last) {
		taken[first] |= head & tail;
		return;
	}
	taken[first] |= head;
	while (++first < last)
		taken[first] = ~0ULL;
	taken[last] |= tail;
}

/* The first unit from @at on whose state is @is_taken; @units: none. */
static u64 next_unit(const u64 *taken, u64 at, u64 units, bool is_taken)
{
	u64 word = at / 64, bits;

	if (at >= units)
		return units;
	bits = (is_taken ? taken[word] : ~taken[word]) & ~0ULL << (at % 64);
	while (!bits) {
		if (++word * 64 >= units)
			return units;
		bits = is_taken ? taken[word] : ~taken[word];
	}
	at = word * 64 + (u32)__builtin_ctzll(bits);
	return min(at, units);
}

/* The tightest run of free units. */
static bool find_by_units(struct retime *r, struct retime_walk *walk, u32 shift)
{
	u64 bytes = r->tensors[walk->tensor].bytes, room = r->options->room_bytes, best = U64_MAX;
	u64 units = room >> shift, at = 0, end;
	u32 i;

	/* the last unit may be partial */
	units += room != units << shift;
	memset(walk->taken, 0, (units / 64 + 1) * sizeof(*walk->taken));
	for (i = 0; i < walk->num_spans; i++) {
		u64 from = walk->spans[i].start >> shift;
		u64 to = ((walk->spans[i].end - 1) >> shift) + 1;

		if (from < units)
			mark(walk->taken, from, min(to, units));
	}
	for (;; at = end) {
		at = next_unit(walk->taken, at, units, false);
		if (at == units)
			return best != U64_MAX;
		end = next_unit(walk->taken, at, units, true);
		if (min(end << shift, room) - (at << shift) >= bytes &&
		    min(end << shift, room) - (at << shift) < best) {
			best = min(end << shift, room) - (at << shift);
			walk->start = at << shift;
		}
	}
}

/* Whether all offsets are multiples of @align, and no span is empty. */
static bool has_units(const struct retime *r, const struct retime_walk *walk, u64 align)
{
	u64 low = 0;
	u32 i;

	if (!r->tensors[walk->tensor].bytes)
		return false;
	for (i = 0; i < walk->num_spans; i++) {
		low |= walk->spans[i].start;
		if (walk->spans[i].end <= walk->spans[i].start)
			return false;
	}
	return !(low & (align - 1));
}

bool retime_find_hole(struct retime *r, struct retime_walk *walk)
{
	u64 align = r->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	u64 words = r->options->room_bytes / align / 64 + 2;

	r->visits += walk->num_spans;
	if (align & (align - 1) || words > (u64)MOST_WORDS * walk->num_spans ||
	    !has_units(r, walk, align))
		return find_by_order(r, walk);
	if (!walk->taken)
		walk->taken = malloc(words * sizeof(*walk->taken));
	if (!walk->taken) {
		r->error = -ENOMEM;
		return false;
	}
	return find_by_units(r, walk, (u32)__builtin_ctzll(align));
}
