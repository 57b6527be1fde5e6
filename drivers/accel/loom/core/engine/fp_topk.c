// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_row.h"

/**
 * DOC: Selection
 *
 * A heap of positions is kept in y, the last of the order on top. The first elements of a run fill
 * it; each further one that precedes the top replaces it. Then the top is taken off again and
 * again, and goes behind those that remain, which sorts them in place. At last positions become
 * elements of the third operand, if there is one. No order of the elements takes more than n log k,
 * and nothing is needed besides y. A call can stop between two elements of any pass.
 *
 * Elements are compared as integers, see topk_item(), and equal ones by position, so the order is
 * total and the result does not depend on the heap.
 *
 * y may be in a buffer that its client has mapped and writes at any time. A position that is read
 * back is therefore checked against the length of a run. Then the result is wrong, but
 * nothing outside of the operands is accessed.
 */

/* Cost of a level of the heap: up to two positions and elements that are anywhere. */
#define TOPK_LEVEL_COST	8

enum {
	TOPK_Y,
	TOPK_X,
	TOPK_FROM,
};

enum {
	TOPK_SELECT,
	TOPK_SORT,
	TOPK_WRITE,
	TOPK_END,
};

/**
 * struct topk - a run along the axis
 * @views: y, x and perhaps from
 * @memory: where they lie
 * @base: of each: the run's first byte, less what the axis adds to it
 * @part: @phase is the pass, @at the elements it has done
 * @axis: the axis
 * @length: elements of a run of x
 * @count: elements of a run of y
 * @sign: of x's elements: the sign bit; 0 if they have none
 * @infinity: of x's elements: all bits above it but the sign are a NaN; 0 for integers
 * @flip: bits to invert of a key
 */
struct topk {
	const struct loom_view *views;
	const struct loom_memory *memory;
	u8 *base[TOPK_FROM + 1];
	struct loom_part *part;
	u32 axis;
	u32 length;
	u32 count;
	u64 sign;
	u64 infinity;
	u64 flip;
};

/* An element of the heap: the higher key, or of equal ones the lower position, comes first. */
struct topk_item {
	u64 key;
	u32 at;
};

static u8 *topk_at(const struct topk *t, u32 operand, u32 i)
{
	return t->base[operand] + loom_view_step(&t->views[operand], t->memory, t->axis, i);
}

static u64 topk_get(const u8 *at, u32 bytes)
{
	u64 v64;
	u32 v32;
	u16 v16;

	switch (bytes) {
	case 1:
		return *at;
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	}
	memcpy(&v64, at, sizeof(v64));
	return v64;
}

static void topk_put(u8 *at, u32 bytes, u64 v)
{
	u32 v32 = v;
	u16 v16 = v;

	switch (bytes) {
	case 1:
		*at = v;
		break;
	case 2:
		memcpy(at, &v16, sizeof(v16));
		break;
	case 4:
		memcpy(at, &v32, sizeof(v32));
		break;
	default:
		memcpy(at, &v, sizeof(v));
		break;
	}
}

/* A number whose order is that of x's elements. */
static struct topk_item topk_item(const struct topk *t, u32 at)
{
	u64 bits = topk_get(topk_at(t, TOPK_X, at), t->views[TOPK_X].elem_bytes);
	u64 size = bits & ~t->sign, key = bits ^ t->sign;

	if (t->infinity) {
		key = bits & t->sign ? t->sign - size : t->sign + size;
		if (size > t->infinity)
			key = U64_MAX;
	}
	return (struct topk_item){ key ^ t->flip, at };
}

static bool topk_before(struct topk_item a, struct topk_item b)
{
	return a.key > b.key || (a.key == b.key && a.at < b.at);
}

/* The position in place @i of the heap. */
static u32 topk_position(const struct topk *t, u32 i)
{
	u64 at = topk_get(topk_at(t, TOPK_Y, i), t->views[TOPK_Y].elem_bytes);

	return at < t->length ? loom_index_nospec((u32)at, t->length) : 0;
}

static struct topk_item topk_heap(const struct topk *t, u32 i)
{
	return topk_item(t, topk_position(t, i));
}

static void topk_set(const struct topk *t, u32 i, u32 at)
{
	topk_put(topk_at(t, TOPK_Y, i), t->views[TOPK_Y].elem_bytes, at);
}

/* Puts @item into the heap, which ends at the free place @i. */
static void topk_up(const struct topk *t, u32 i, struct topk_item item)
{
	struct topk_item above;

	while (i) {
		above = topk_heap(t, (i - 1) / 2);
		loom_part_charge(t->part, TOPK_LEVEL_COST);
		if (!topk_before(above, item))
			break;
		topk_set(t, i, above.at);
		i = (i - 1) / 2;
	}
	topk_set(t, i, item.at);
}

/* Puts @item in the place of the top, in a heap of @size. */
static void topk_down(const struct topk *t, u32 size, struct topk_item item)
{
	struct topk_item next, other;
	u32 i = 0, below;

	while ((below = 2 * i + 1) < size) {
		next = topk_heap(t, below);
		if (below + 1 < size) {
			other = topk_heap(t, below + 1);
			if (topk_before(next, other)) {
				next = other;
				below++;
			}
		}
		loom_part_charge(t->part, TOPK_LEVEL_COST);
		if (!topk_before(item, next))
			break;
		topk_set(t, i, next.at);
		i = below;
	}
	topk_set(t, i, item.at);
}

static void topk_select(const struct topk *t)
{
	struct loom_part *part = t->part;
	struct topk_item item, top = {};
	bool full = part->at >= t->count;

	if (full)
		top = topk_heap(t, 0);
	do {
		loom_part_charge(part, 4);
		item = topk_item(t, part->at);
		if (!full)
			topk_up(t, part->at, item);
		else if (topk_before(item, top))
			topk_down(t, t->count, item);
		else
			continue;
		full = part->at + 1 >= t->count;
		if (full)
			top = topk_heap(t, 0);
	} while (++part->at < t->length && loom_part_ready(part));
}

static void topk_sort(const struct topk *t)
{
	struct loom_part *part = t->part;
	struct topk_item top;
	u32 last;

	do {
		last = t->count - 1 - part->at;
		top = topk_heap(t, 0);
		loom_part_charge(part, TOPK_LEVEL_COST);
		topk_down(t, last, topk_heap(t, last));
		topk_set(t, last, top.at);
	} while (++part->at < t->count && loom_part_ready(part));
}

static void topk_write(const struct topk *t)
{
	const u32 bytes = t->views[TOPK_Y].elem_bytes;
	struct loom_part *part = t->part;
	u32 at;

	do {
		at = topk_position(t, part->at);
		loom_part_charge(part, TOPK_LEVEL_COST);
		topk_put(topk_at(t, TOPK_Y, part->at), bytes,
			 topk_get(topk_at(t, TOPK_FROM, at), bytes));
	} while (++part->at < t->count && loom_part_ready(part));
}

/* Goes on with a run. Return: whether it has ended. */
static bool topk_run(const struct topk *t, bool positions)
{
	struct loom_part *part = t->part;
	u32 end;

	if (!part->begun) {
		loom_part_charge(part, 2 * LOOM_UNIT_COST);
		loom_part_begin(part);
	}
	do {
		end = t->count;
		switch (part->phase) {
		case TOPK_SELECT:
			topk_select(t);
			end = t->length;
			break;
		case TOPK_SORT:
			topk_sort(t);
			break;
		default:
			topk_write(t);
			break;
		}
		if (part->at < end)
			return false;
		part->at = 0;
		part->phase++;
		if (positions && part->phase == TOPK_WRITE)
			part->phase = TOPK_END;
	} while (part->phase < TOPK_END && loom_part_ready(part));
	if (part->phase < TOPK_END)
		return false;
	part->begun = false;
	return true;
}

u64 loom_fp_topk_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	static const u64 infinities[] = {
		[DRM_LOOM_DTYPE_F32] = 0x7f800000, [DRM_LOOM_DTYPE_F16] = 0x7c00,
		[DRM_LOOM_DTYPE_F64] = 0x7ffULL << 52, [DRM_LOOM_DTYPE_END] = 0,
	};
	const struct drm_loom_attr_topk *attr = command->attr;
	const struct loom_view *x = &command->views[TOPK_X];
	struct topk t = {
		.views = command->views,
		.memory = memory,
		.part = part,
		.axis = attr->axis,
		.length = x->dims[attr->axis],
		.count = attr->count,
		.infinity = infinities[x->dtype],
		.flip = attr->flags & DRM_LOOM_TOPK_SMALLEST ? U64_MAX : 0,
	};
	u64 done = 0;

	if (t.infinity || loom_dtype_signed(x->dtype))
		t.sign = 1ULL << (8 * x->elem_bytes - 1);
	do {
		loom_run_bases(command, memory, t.axis, first + done, t.base);
		if (!topk_run(&t, command->operands == 2))
			break;
	} while (++done < count && loom_part_ready(part));
	return done;
}
