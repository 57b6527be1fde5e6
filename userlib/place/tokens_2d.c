// SPDX-License-Identifier: MIT
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
#include "tokens.h"

#define MAX_RATIO	5

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

static uint32_t find(const struct loom_tokens *t, uint32_t item, bool similar)
{
	const struct loom_place_item *it = &t->task->problem.items[item];
	struct choice best = { .at = LOOM_PLACE_NONE }, choice;
	uint32_t i;

	if (!it->width)
		return loom_tokens_find(t, item);
	for (i = 0; i < t->num_free; i++) {
		const struct loom_token *token = &t->tokens[t->free[i]];
		uint64_t area;

		if (!loom_tokens_allows(t, i, item))
			continue;
		if (similar && (differs(token->width, it->width) ||
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

static uint32_t find_similar(const struct loom_tokens *t, uint32_t item)
{
	return find(t, item, true);
}

static uint32_t find_any(const struct loom_tokens *t, uint32_t item)
{
	return find(t, item, false);
}

static int place_similar(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_tokens_run(task, answer, find_similar, true);
}

const struct loom_place_strategy loom_place_strategy_tokens_2d = {
	.name = "tokens-2d",
	.text = "as tokens, but images share by what growth adds and wastes, and by shape",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED,
	.place = place_similar,
};

static int place_any(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_tokens_run(task, answer, find_any, true);
}

const struct loom_place_strategy loom_place_strategy_tokens_2d_v1 = {
	.name = "tokens-2d-v1",
	.text = "as tokens-2d, without regard to shape",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED,
	.place = place_any,
};
