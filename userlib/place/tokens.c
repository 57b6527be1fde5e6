// SPDX-License-Identifier: MIT
/*
 * DOC: Storage tokens
 *
 * The planner of TVM's graph executor. Items get *tokens* instead of offsets: an item requests one
 * when it begins and releases it when it ends, and the result has a storage per token, as large as
 * the largest of its items. A runtime that cannot place at offsets (images, buffers with a handle
 * each) can still allocate these. Storages are placed one after the other in the pool.
 *
 * One dimension, for a request of s bytes, with a range of 16: of the free tokens, the smallest in
 * [s, 16 s] is taken; else the largest in [s / 16, s), which then grows to s; else there is a
 * new one. The range keeps a small item from sitting on a large storage for long.
 *
 * An operator requests its result before its operands are released, so it never gets one of
 * their tokens. With half-open lifetimes that needs no rule: operands end after the result begins.
 * Results computed in place are aliases: they have their owner's token.
 *
 * Items share a token only if their class is the same, and if no pair is to be kept apart.
 */
/*
 * DOC: Storage tokens of two dimensions
 *
 * The allocator of TVM's texture planner. For an image of w times h, a free token of x times y
 * would become X = max(x, w) times Y = max(y, h). This adds X Y - x y elements to the token, and
 * wastes X Y - w h.
 *
 * - If tokens are large enough as they are: the one that wastes least.
 * - Else the one to which least is added, if that is not more than the image itself (w h), as a
 *   new token would be no larger than that.
 *
 * That is the first version, "tokens-2d-v1". The later one, "tokens-2d", also skips tokens of which
 * a side differs from the image's by more than five times, as a wide and flat texture and a tall
 * and narrow one make a square that is mostly empty.
 *
 * Ties are broken in favour of the older token. Items that are no images follow the rule of one
 * dimension, and never share a storage with an image.
 */
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_RANGE	16
#define MAX_RATIO	5

/* A storage. */
struct token {
	uint32_t storage_class;		/* of its items */
	uint64_t size_bytes;		/* of the largest item so far */
	uint64_t width;			/* images: the largest width so far, else 0 */
	uint64_t height;		/* images: likewise */
	uint64_t elem_bytes;		/* images: size of an element */
	uint64_t align_bytes;		/* common alignment of its items */
};

/* State of a run. */
struct tokens {
	const struct loom_place_task *task;	/* the problem */
	bool images;				/* have two dimensions; else they are bytes */
	bool similar;				/* images share tokens of similar sides only */
	struct token *tokens;			/* all tokens */
	uint32_t num_tokens;			/* number of @tokens */
	/* tokens that no item has, by size, ties in the order in which they were released */
	uint32_t *free;
	uint32_t num_free;			/* number of @free */
	uint32_t *token_of;			/* by item: its token, or LOOM_PLACE_NONE */
	struct loom_place_apart apart;		/* pairs that must not share a token */
	/* by token: number of the last item, plus 1, that must not use it */
	uint32_t *refused;
};

static bool allows(const struct tokens *t, uint32_t at, uint32_t item)
{
	const struct token *token = &t->tokens[t->free[at]];
	const struct loom_place_item *it = &t->task->problem.items[item];

	return token->storage_class == it->storage_class &&
	       (!t->images || !token->width == !it->width) && t->refused[t->free[at]] != item + 1;
}

/* Index of the first free token that is not smaller than @size; with @larger, that is larger. */
static uint32_t find_size(const struct tokens *t, uint64_t size, bool larger)
{
	uint32_t low = 0, high = t->num_free;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint64_t has = t->tokens[t->free[mid]].size_bytes;

		if (has < size || (larger && has == size))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Chooses a free token: its index in &tokens.free, or LOOM_PLACE_NONE: make a new one. */
static uint32_t find_token(const struct tokens *t, uint32_t item)
{
	uint64_t size = t->task->problem.items[item].size_bytes, most;
	uint32_t middle = find_size(t, size, false), i;

	if (__builtin_mul_overflow(size, MATCH_RANGE, &most))
		most = UINT64_MAX;
	for (i = middle; i < t->num_free && t->tokens[t->free[i]].size_bytes <= most; i++)
		if (allows(t, i, item))
			return i;
	for (i = middle; i-- > 0 && t->tokens[t->free[i]].size_bytes >= size / MATCH_RANGE;)
		if (allows(t, i, item))
			return i;
	return LOOM_PLACE_NONE;
}

/* The best token so far. */
struct choice {
	uint32_t at;		/* index among the free ones, or LOOM_PLACE_NONE */
	uint32_t token;		/* its number */
	uint64_t added;		/* elements to be added */
	uint64_t wasted;	/* elements not in use */
};

static uint64_t area_of(uint64_t width, uint64_t height)
{
	uint64_t area;

	return __builtin_mul_overflow(width, height, &area) ? UINT64_MAX : area;
}

static bool is_better(const struct choice *a, const struct choice *b)
{
	if (b->at == LOOM_PLACE_NONE || a->added != b->added)
		return b->at == LOOM_PLACE_NONE || a->added < b->added;
	/* among tokens that must grow, waste does not matter: prefer the oldest */
	if (!a->added && a->wasted != b->wasted)
		return a->wasted < b->wasted;
	return a->token < b->token;
}

static bool differs(uint64_t a, uint64_t b)
{
	return a < b ? b / MAX_RATIO > a || (b / MAX_RATIO == a && b % MAX_RATIO) :
		       a / MAX_RATIO > b || (a / MAX_RATIO == b && a % MAX_RATIO);
}

/* The same for images. */
static uint32_t find_image(const struct tokens *t, uint32_t item)
{
	const struct loom_place_item *it = &t->task->problem.items[item];
	struct choice best = { .at = LOOM_PLACE_NONE }, choice;
	uint32_t i;

	if (!it->width)
		return find_token(t, item);
	for (i = 0; i < t->num_free; i++) {
		const struct token *token = &t->tokens[t->free[i]];
		uint64_t area;

		if (!allows(t, i, item))
			continue;
		if (t->similar && (differs(token->width, it->width) ||
				   differs(token->height, it->height)))
			continue;
		area = area_of(token->width > it->width ? token->width : it->width,
			       token->height > it->height ? token->height : it->height);
		choice = (struct choice){
			i, t->free[i], area - area_of(token->width, token->height),
			area - area_of(it->width, it->height),
		};
		if (is_better(&choice, &best))
			best = choice;
	}
	if (best.at != LOOM_PLACE_NONE && best.added > area_of(it->width, it->height))
		return LOOM_PLACE_NONE;
	return best.at;
}

static int grow(struct token *token, const struct loom_place_item *item, bool image)
{
	uint64_t area;

	if (token->size_bytes < item->size_bytes)
		token->size_bytes = item->size_bytes;
	if (!loom_place_join_align(&token->align_bytes, item->align_bytes))
		return -ERANGE;
	if (!image)
		return 0;
	area = item->width * item->height;
	area = item->size_bytes / area + !!(item->size_bytes % area);
	if (token->elem_bytes < area)
		token->elem_bytes = area;
	if (token->width < item->width)
		token->width = item->width;
	if (token->height < item->height)
		token->height = item->height;
	if (__builtin_mul_overflow(token->width, token->height, &area) ||
	    __builtin_mul_overflow(area, token->elem_bytes, &area) || area > INT64_MAX)
		return -ERANGE;
	if (token->size_bytes < area)
		token->size_bytes = area;
	return 0;
}

static int request(struct tokens *t, uint32_t item)
{
	const struct loom_place_item *it = &t->task->problem.items[item];
	uint32_t i, token, at;

	for (i = t->apart.first[item]; i < t->apart.first[item + 1]; i++)
		if (t->token_of[t->apart.with[i]] != LOOM_PLACE_NONE)
			t->refused[t->token_of[t->apart.with[i]]] = item + 1;
	at = t->images ? find_image(t, item) : find_token(t, item);
	if (at == LOOM_PLACE_NONE) {
		token = t->num_tokens++;
		t->tokens[token] = (struct token){
			.storage_class = it->storage_class, .align_bytes = 1,
		};
	} else {
		token = t->free[at];
		memmove(&t->free[at], &t->free[at + 1], (--t->num_free - at) * sizeof(*t->free));
	}
	t->token_of[item] = token;
	return grow(&t->tokens[token], it, t->images && it->width);
}

static void release(struct tokens *t, uint32_t item)
{
	uint32_t token = t->token_of[item];
	uint32_t at = find_size(t, t->tokens[token].size_bytes, true);

	memmove(&t->free[at + 1], &t->free[at], (t->num_free++ - at) * sizeof(*t->free));
	t->free[at] = token;
}

static int run(struct tokens *t)
{
	const struct loom_place_problem *problem = &t->task->problem;
	struct loom_radix events;
	int ret = loom_place_item_events(problem, &events);
	size_t i;

	for (i = 0; i < problem->num_items; i++)
		t->token_of[i] = LOOM_PLACE_NONE;
	for (i = 0; i < events.count && !ret; i++) {
		const uint32_t of = loom_place_event_of(&events.entries[i]);

		if (loom_place_event_begins(&events.entries[i]))
			ret = request(t, of);
		else
			release(t, of);
	}
	loom_radix_clear(&events);
	return ret;
}

/* Places storages one after the other. */
static int lay_out(const struct tokens *t, struct loom_place_answer *answer)
{
	uint64_t top = 0;
	uint32_t i;

	for (i = 0; i < t->num_tokens; i++) {
		const struct token *token = &t->tokens[i];

		if (!loom_place_align(&top, token->align_bytes) ||
		    top > INT64_MAX - token->size_bytes)
			return -ERANGE;
		answer->storages[i] = (struct loom_place_storage){
			.storage_class = token->storage_class,
			.offset = top,
			.size_bytes = token->size_bytes,
			.width = token->width,
			.height = token->height,
		};
		top += token->size_bytes;
	}
	answer->num_storages = t->num_tokens;
	for (i = 0; i < t->task->problem.num_items; i++) {
		const struct loom_place_item *item = &t->task->problem.items[i];
		uint32_t of = t->token_of[loom_place_is_alias(item) ? item->alias : i];

		answer->storage_of[i] = of;
		if (of != LOOM_PLACE_NONE)
			answer->offsets[i] = answer->storages[of].offset;
	}
	return 0;
}

static int place_by(const struct loom_place_task *task, struct loom_place_answer *answer,
		    bool images, bool similar)
{
	size_t n = task->problem.num_items;
	struct tokens t = { .task = task, .images = images, .similar = similar };
	struct loom_arrays arrays = { 0 };
	int ret = loom_place_apart_make(&t.apart, &task->problem);

	t.tokens = loom_arrays_take(&arrays, n + 1, sizeof(*t.tokens));
	t.free = loom_arrays_take(&arrays, n + 1, sizeof(*t.free));
	t.token_of = loom_arrays_take(&arrays, n + 1, sizeof(*t.token_of));
	t.refused = loom_arrays_take(&arrays, n + 1, sizeof(*t.refused));
	answer->storages = calloc(n + 1, sizeof(*answer->storages));
	answer->storage_of = calloc(n + 1, sizeof(*answer->storage_of));
	if (arrays.failed || !answer->storages || !answer->storage_of)
		ret = -ENOMEM;
	if (!ret)
		ret = run(&t);
	if (!ret)
		ret = lay_out(&t, answer);
	loom_place_apart_clear(&t.apart);
	loom_arrays_free(&arrays);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return place_by(task, answer, false, false);
}

const struct loom_place_strategy loom_place_strategy_tokens = {
	.name = "tokens",
	.text = "storages that are shared in turn, chosen by size within a range of 16",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED,
	.place = place,
};

static int place_similar(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return place_by(task, answer, true, true);
}

const struct loom_place_strategy loom_place_strategy_tokens_2d = {
	.name = "tokens-2d",
	.text = "as tokens, but images share by what growth adds and wastes, and by shape",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED,
	.place = place_similar,
};

static int place_any(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return place_by(task, answer, true, false);
}

const struct loom_place_strategy loom_place_strategy_tokens_2d_v1 = {
	.name = "tokens-2d-v1",
	.text = "as tokens-2d, without regard to shape",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED,
	.place = place_any,
};
