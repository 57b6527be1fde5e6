// SPDX-License-Identifier: MIT
/*
 * Importers of com.microsoft's GroupQueryAttention and of ONNX's TensorScatter, which have a cache.
 *
 * GroupQueryAttention's operands: query (or all three, packed), key, value, past key and value,
 * length of each batch less 1, largest length, tables of cosines and sines, positions, bias, sink.
 * The largest length decides shapes and has to be known; lengths by batch may come from the data. A
 * cache may have room for more than it holds: behind the length of a batch, zeroes are returned.
 */
#include "attend.h"
#include "onnx/pick.h"
#include "onnx/update.h"

#include <errno.h>

enum operand {
	QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, LENGTH, COS, SIN, POSITIONS, BIAS, SINK,
	SCALES,
};

/**
 * struct cache - where new positions belong
 * @past: number of positions before the first new one, one element or [batch, 1, 1, 1], I32
 * @count: positions that are new
 * @room: positions of the result
 * @full: the past is full and the same in each batch, so that new positions are appended
 */
struct cache {
	struct loom_value *past;
	int64_t count;
	int64_t room;
	bool full;
};

/* [batch, n, heads * size]: of a packed operand a part, else an operand of its own */
static struct loom_value *read_heads(struct loom_import *im, enum operand which, int64_t heads,
				     int64_t shared)
{
	struct loom_value *x = loom_import_operand(im, QUERY);
	int64_t size, starts[] = { 0, heads, heads + shared };
	const bool packed = !loom_import_has(im, KEY);

	if (im->em->status || !x)
		return NULL;
	if (!packed)
		return loom_heads_split(im, loom_import_operand(im, which),
					which == QUERY ? heads : shared);
	if (x->rank != 3 || x->dims[2] % (heads + 2 * shared)) {
		loom_import_fail(im, -EINVAL, "a packed query is no row of heads");
		return NULL;
	}
	size = x->dims[2] / (heads + 2 * shared);
	heads = which == QUERY ? heads : shared;
	return loom_heads_split(im, loom_import_part(im, x, 2, starts[which] * size, 1,
						     heads * size), heads);
}

static bool read_cache(struct loom_import *im, const struct loom_value *q, struct cache *cache)
{
	struct loom_value *lengths = loom_import_operand(im, LENGTHS);
	struct loom_value *past = loom_import_optional(im, PAST_KEY);
	int64_t held = past && past->rank == 4 ? past->dims[2] : 0;
	int64_t total = loom_import_count(im, LENGTH, 0);

	if (im->em->status || !lengths)
		return false;
	cache->count = q->dims[2];
	cache->room = total > held ? total : held;
	if (total < cache->count || lengths->num_elems != q->dims[0] ||
	    lengths->dtype != DRM_LOOM_DTYPE_I32) {
		loom_import_fail(im, -EINVAL,
				 "%lld positions are not enough, or lengths are not one for each batch",
				 (long long)total);
		return false;
	}
	cache->full = held + cache->count == cache->room &&
		      (total == cache->count || q->dims[0] == 1);
	if (total == cache->count || cache->full) {
		cache->past = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32,
					       (double)(total - cache->count));
		return true;
	}
	lengths = loom_emit_reshape(im->em, lengths, 4, (int64_t[]){ q->dims[0], 1, 1, 1 });
	cache->past = loom_emit_binary(im->em, LOOM_GBIN_SUB, lengths,
				       loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32,
							(double)cache->count - 1));
	return true;
}

static struct loom_value *zeroes(struct loom_import *im, const struct loom_value *like,
				 int64_t count)
{
	return loom_emit_expand(im->em, loom_emit_scalar(im->em, like->dtype, 0), 4,
				(int64_t[]){ like->dims[0], like->dims[1], count, like->dims[3] });
}

/* New positions moved behind the past, zeroes elsewhere: exact, as each is multiplied by 1. */
static struct loom_value *move_behind(struct loom_import *im, const struct cache *cache,
				      struct loom_value *x, struct loom_value *place)
{
	struct loom_value *hit = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, place,
						  loom_pick_numbers(im, 4, 3, cache->count));

	if (!hit)
		return NULL;
	if (cache->count == 1)
		return loom_emit_select(im->em, hit, x, loom_emit_scalar(im->em, x->dtype, 0));
	return loom_import_scaled_product(im, loom_emit_cast(im->em, hit, x->dtype), x, false, 1);
}

/* The cache with the new positions in it. */
static struct loom_value *remember(struct loom_import *im, const struct cache *cache,
				   enum operand which, struct loom_value *x)
{
	struct loom_value *past = loom_import_optional(im, which), *place, *zero, *rows;

	if (im->em->status || !x)
		return NULL;
	if (cache->full)
		return loom_heads_append(im, past, x);
	place = loom_pick_numbers(im, 4, 2, cache->room);
	place = loom_emit_binary(im->em, LOOM_GBIN_SUB, place, cache->past);
	if (past && past->rank == 4 && past->dims[2] < cache->room)
		past = loom_heads_append(im, past, zeroes(im, x, cache->room - past->dims[2]));
	zero = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, 0);
	if (cache->past && cache->past->data && cache->past->num_elems == 1 &&
	    !loom_value_int(cache->past, 0))
		return loom_heads_append(im, x, zeroes(im, x, cache->room - cache->count));
	rows = x;
	x = move_behind(im, cache, x, place);
	if (!past || !x)
		return x;
	x = loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS, place, zero), past,
			     x);
	/* behind the length, a cache may have anything */
	loom_update_note(im, &(struct loom_graph_update){
		.value = x, .base = past, .rows = rows, .axis = 2,
		.places = loom_emit_binary(im->em, LOOM_GBIN_ADD, cache->past,
					   loom_pick_numbers(im, 4, 3, cache->count)) });
	return x;
}

static void rotate(struct loom_import *im, const struct cache *cache, struct loom_attend *at)
{
	struct loom_rotary rotary = {
		.interleaved = loom_attr_int(im, "rotary_interleaved", 0),
	};
	struct loom_value *positions = loom_import_optional(im, POSITIONS);

	if (!positions) {
		positions = loom_emit_binary(im->em, LOOM_GBIN_ADD, cache->past,
					     loom_pick_numbers(im, 4, 3, cache->count));
		if (positions)
			positions = loom_emit_reshape(im->em, positions, 2,
						      (int64_t[]){ positions->dims[0],
								   cache->count });
	}
	loom_rotary_rows(im, COS, SIN, positions, &rotary);
	at->q = loom_rotary_turn(im, &rotary, at->q);
	at->k = loom_rotary_turn(im, &rotary, at->k);
}

static void read_sink(struct loom_import *im, struct loom_attend *at, int64_t heads)
{
	if (loom_import_has(im, SINK))
		at->sink = loom_emit_reshape(im->em, loom_import_operand(im, SINK), 3,
					     (int64_t[]){ heads, 1, 1 });
	else if (loom_attr_int(im, "smooth_softmax", 0) > 0 && at->q)
		at->sink = loom_emit_scalar(im->em, at->q->dtype, 0);
}

void loom_import_grouped_attention(struct loom_import *im, int unused)
{
	int64_t heads = loom_attr_int(im, "num_heads", 0);
	int64_t shared = loom_attr_int(im, "kv_num_heads", 0);
	int64_t window = loom_attr_int(im, "local_window_size", -1);
	int64_t returned = loom_attr_int(im, "qk_output", 0);
	struct loom_attend at = {
		.scale = loom_attr_float(im, "scale", 0),
		.softcap = loom_attr_float(im, "softcap", 0),
	};
	struct cache cache = { 0 };
	struct loom_value *y;

	(void)unused;
	if (heads < 1 || shared < 1 || heads > LOOM_PICK_MAX || shared > LOOM_PICK_MAX)
		loom_import_fail(im, -EINVAL, "%lld heads, %lld of them for keys",
				 (long long)heads, (long long)shared);
	if (loom_import_has(im, SCALES) || loom_import_has(im, SCALES + 1))
		loom_import_fail(im, -EOPNOTSUPP, "a quantised cache is not supported");
	if (returned < 0 || returned > 2)
		loom_import_fail(im, -EINVAL, "qk_output %lld", (long long)returned);
	if (im->em->status)
		return;
	at.q = read_heads(im, QUERY, heads, shared);
	at.k = read_heads(im, KEY, heads, shared);
	at.v = read_heads(im, VALUE, heads, shared);
	if (!at.q || !at.k || !at.v || !read_cache(im, at.q, &cache))
		return;
	if (at.k->dims[2] != cache.count || at.v->dims[2] != cache.count)
		loom_import_fail(im, -EINVAL, "keys or values are not as many as queries");
	if (loom_attr_int(im, "do_rotary", 0))
		rotate(im, &cache, &at);
	at.k = remember(im, &cache, PAST_KEY, at.k);
	at.v = remember(im, &cache, PAST_VALUE, at.v);
	/* a window counts the position of the query itself */
	loom_attend_order(im, &at, cache.past, window < 1 ? -1 : window - 1);
	loom_attend_add(im, &at, loom_import_optional(im, BIAS));
	read_sink(im, &at, heads);
	y = loom_attend(im, &at);
	loom_import_result(im, 0, loom_heads_join(im, y));
	loom_import_result(im, 1, at.k);
	loom_import_result(im, 2, at.v);
	if (returned)
		loom_import_result(im, 3, at.scores[returned == 1 ? LOOM_ATTEND_MASKED :
								    LOOM_ATTEND_WEIGHTS]);
}

/*
 * ONNX's TensorScatter: operands are a cache, what is new, and where it begins in each batch. In
 * circular mode it goes on at the front.
 */
void loom_import_tensor_scatter(struct loom_import *im, int unused)
{
	static const char *const modes[] = { "linear", "circular", NULL };
	struct loom_value *x = loom_import_operand(im, 0), *new = loom_import_operand(im, 1), *y;
	struct loom_value *at = loom_import_optional(im, 2), *room;
	uint32_t i, axis, circular = loom_attr_choice(im, "mode", modes);
	struct loom_graph_update update;
	int64_t outer = 1, inner;

	(void)unused;
	if (!x || !new || im->em->status)
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", -2), x->rank);
	for (i = 0; i < x->rank && i < new->rank; i++)
		if (i == axis ? new->dims[i] > x->dims[i] : new->dims[i] != x->dims[i])
			break;
	if (im->em->status || !axis || i < x->rank || new->rank != x->rank ||
	    new->dtype != x->dtype || (at && (at->rank != 1 || at->dims[0] != x->dims[0] ||
					      !loom_dtype_is_int(at->dtype)))) {
		loom_import_fail(im, -EINVAL,
				 "cache, new elements and indices do not fit together");
		return;
	}
	if (!new->num_elems) {
		loom_import_result(im, 0, x);
		return;
	}
	for (i = 1; i < axis; i++)
		outer *= x->dims[i];
	inner = loom_value_trailing(x, axis + 1);
	at = at ? loom_emit_cast(im->em, at, DRM_LOOM_DTYPE_I32) :
	     loom_emit_const(im->em, DRM_LOOM_DTYPE_I32, 1, x->dims);
	at = loom_emit_reshape(im->em, at, 3, (int64_t[]){ x->dims[0], 1, 1 });
	at = loom_emit_binary(im->em, LOOM_GBIN_ADD, at,
			      loom_pick_numbers(im, 3, 2, new->dims[axis]));
	room = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)x->dims[axis]);
	if (circular)
		at = loom_emit_binary(im->em, LOOM_GBIN_MOD, at, room);
	update = (struct loom_graph_update){ .base = x, .rows = new, .places = at, .axis = axis };
	at = loom_emit_expand(im->em, at, 3, (int64_t[]){ x->dims[0], outer, new->dims[axis] });
	outer *= x->dims[0];
	at = loom_emit_reshape(im->em, at, 3, (int64_t[]){ outer, new->dims[axis], 1 });
	y = loom_emit_reshape(im->em, x, 3, (int64_t[]){ outer, x->dims[axis], inner });
	new = loom_emit_reshape(im->em, new, 3, (int64_t[]){ outer, new->dims[axis], inner });
	y = loom_pick_scatter(im, y, at, new, LOOM_PICK_LAST);
	y = loom_emit_reshape(im->em, y, x->rank, x->dims);
	update.value = y;
	loom_update_note(im, &update);
	loom_import_result(im, 0, y);
}
