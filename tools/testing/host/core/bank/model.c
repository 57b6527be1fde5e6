// SPDX-License-Identifier: MIT
/*
 * The bank allocator against a brute-force model with one entry per byte of a small bank. After
 * each operation the address, the tree of blocks, the statistics and the walk must be what the
 * model says.
 */
#include <inttypes.h>

#include "model.h"
#include "random.h"
#include "tap.h"

#define MODEL_BYTES	1024
#define MODEL_BLOCKS	256

/* owner[i]: which block has byte base + i; -1 for a free one */
struct model {
	u64 base;
	u32 bytes;
	s32 owner[MODEL_BYTES];
};

/* Bytes of the hole that byte @i lies in. */
static u32 model_hole(const struct model *model, u32 i)
{
	u32 end = i;

	while (i && model->owner[i - 1] < 0)
		i--;
	while (end < model->bytes && model->owner[end] < 0)
		end++;
	return end - i;
}

/* The byte that the request must get by the definition of best fit, or -1. */
static s64 model_place_best(const struct model *model, const struct loom_bank_request *request)
{
	u32 run = 0, best = U32_MAX, hole = 0;
	s64 found = -1;

	for (u32 i = model->bytes; i--;) {
		if (model->owner[i] >= 0) {
			run = 0;
			continue;
		}
		if (!run++)
			hole = model_hole(model, i);
		if (run < request->size || (model->base + i) % request->align ||
		    model->base + i < request->low || hole > best)
			continue;
		/* the first from the top; going down, the last is the lowest */
		if (hole == best && request->top_down)
			continue;
		best = hole;
		found = i;
	}
	return found;
}

static bool model_is_free(const struct loom_bank_request *request, const void *owner, u32 i)
{
	const s32 *owners = owner;

	(void)request;
	return owners[i] < 0;
}

/* The byte that the request must get by the definition of first fit, or -1. */
static s64 model_place(const struct model *model, const struct loom_bank_request *request)
{
	return model_first_fit(model->base, model->bytes, request, model_is_free, model->owner);
}

/*
 * The byte that the request must get by the definition of near fit, or -1: first fit in the hole
 * with the least bytes left over, with 3 / 32 of the distance from the end that the request names.
 */
static s64 model_place_near(const struct model *model, const struct loom_bank_request *request)
{
	u64 least = U64_MAX;
	s64 found = -1;

	/* holes from the near end to the far one: the first of equals stays */
	for (u32 k = 0; k < model->bytes; k++) {
		u32 i = request->top_down ? model->bytes - 1 - k : k, start = i;
		u64 distance, left;
		s64 place = -1;

		if (model->owner[i] >= 0)
			continue;
		/* to the other end of the hole */
		for (; k + 1 < model->bytes; k++) {
			u32 next = request->top_down ? model->bytes - 2 - k : k + 1;

			if (model->owner[next] >= 0)
				break;
			i = next;
		}
		if (request->top_down) {
			u32 swap = start;

			start = i;
			i = swap;
		}
		for (u32 at = start; at <= i && i - at + 1 >= request->size; at++) {
			u64 address = model->base + at;

			if (address % request->align || address < request->low ||
			    address > request->high || request->high - address < request->size)
				continue;
			place = at;
			if (!request->top_down)
				break;
		}
		if (place < 0)
			continue;
		distance = request->top_down ? model->bytes - (u64)place - request->size :
					       (u64)place;
		left = i - start + 1 - request->size + distance / 16 + distance / 32;
		if (left >= least)
			continue;
		least = left;
		found = place;
	}
	return found;
}

/* Likewise, as the policy has it. */
static s64 model_place_by(const struct model *model, const struct loom_bank_request *request,
			  enum loom_bank_policy policy)
{
	bool best = policy == LOOM_BANK_BEST_FIT;
	u32 bottom = 0;

	if (policy == LOOM_BANK_NEAR_FIT)
		return model_place_near(model, request);
	while (bottom < model->bytes && model->owner[bottom] < 0)
		bottom++;
	/* more than the beginning of a hole at the bottom is left out */
	if (request->high < model->base + model->bytes || request->low > model->base + bottom)
		best = false;
	return best ? model_place_best(model, request) : model_place(model, request);
}

struct shape {
	u64 best;
	int height;
	u32 nodes;
};

static bool check_subtree(const struct loom_bank_block *node, u64 low, u64 high,
			  struct shape *shape)
{
	struct shape side[2];

	*shape = (struct shape){ 0 };
	if (!node)
		return true;
	for (int i = 0; i < 2; i++) {
		if (node->child[i] && node->child[i]->parent != node)
			return false;
		if (!check_subtree(node->child[i], i ? node->start + node->size : low,
				   i ? high : node->start, &side[i]))
			return false;
		if (node->max_hole[i] != side[i].best)
			return false;
	}
	if (node->start < low || node->start + node->size > high)
		return false;
	if (node->balance != side[1].height - side[0].height || abs(node->balance) > 1)
		return false;
	shape->best = max(node->hole, max(side[0].best, side[1].best));
	shape->height = max(side[0].height, side[1].height) + 1;
	shape->nodes = side[0].nodes + side[1].nodes + 1;
	return true;
}

/* The list has each hole, and nothing else. */
static bool check_flat(const struct loom_bank *bank)
{
	const struct loom_flat *flat = &bank->flat;
	const struct loom_bank_block *block;
	u32 i = 0;

	for (block = &bank->head; block; block = block->neighbour[1]) {
		if (!block->hole)
			continue;
		if (block->flat_index >= flat->count || flat->block[block->flat_index] != block ||
		    flat->size[block->flat_index] != block->hole ||
		    flat->start[block->flat_index] != block->start + block->size)
			return false;
		i++;
	}
	return i == flat->count;
}

/* Order, balance and every stored maximum of the tree; the list; the sums. */
static bool check_bank(struct loom_bank *bank)
{
	struct loom_bank_stats stats;
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	struct shape shape;
	u64 at = bank->base, allocated = 0, largest = 0, lowest = bank->limit;
	bool was_hole = false;
	u32 blocks = 0;

	if (bank->is_flat ? !check_flat(bank) :
	    bank->root->parent || !check_subtree(bank->root, bank->base, bank->limit, &shape) ||
	    shape.nodes != bank->blocks + 1)
		return false;
	/* the switch has two sides */
	if (bank->is_flat ? bank->blocks > bank->flat_most : bank->blocks <= bank->flat_most / 2)
		return false;

	loom_bank_walk(bank, NULL, &iter);
	while (loom_bank_next(&iter, &span)) {
		if (span.start != at || span.end <= at || (was_hole && !span.block))
			return false;
		at = span.end;
		was_hole = !span.block;
		if (span.block) {
			if (span.block->start != span.start ||
			    span.block->size != span.end - span.start ||
			    span.block->bank != bank)
				return false;
			allocated += span.end - span.start;
			lowest = min(lowest, span.start);
			blocks++;
		} else {
			largest = max(largest, span.end - span.start);
		}
	}
	loom_bank_stats(bank, NULL, &stats);
	return at == bank->limit && stats.allocated == allocated && stats.blocks == blocks &&
	       stats.total == bank->limit - bank->base && stats.free == stats.total - allocated &&
	       stats.largest_free == largest && loom_bank_lowest(bank) == lowest;
}

/* The spans say of every byte what the model says. */
static bool check_model(struct loom_bank *bank, const struct model *model,
			const struct loom_bank_block *blocks)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;

	loom_bank_walk(bank, NULL, &iter);
	while (loom_bank_next(&iter, &span))
		for (u64 i = span.start - model->base; i < span.end - model->base; i++)
			if (model->owner[i] != (span.block ? span.block - blocks : -1))
				return false;
	return true;
}

static bool check_find(struct loom_bank *bank, const struct model *model,
		       struct loom_bank_block *blocks)
{
	u64 below = model->base < 20 ? model->base : 20;
	u64 address = model->base - below + random_below(model->bytes + below);
	u32 i = address < model->base ? 0 : address - model->base;

	while (i < model->bytes && model->owner[i] < 0)
		i++;
	return loom_bank_find(bank, address) ==
	       (i < model->bytes ? &blocks[model->owner[i]] : NULL);
}

#define FIRST LOOM_BANK_FIRST_FIT
#define BEST LOOM_BANK_BEST_FIT
#define NEAR LOOM_BANK_NEAR_FIT

struct setting {
	const char *name;
	u64 base;
	u32 bytes;
	u32 max_size;
	u32 max_align_log2;
	u32 range_percent;
	u32 unit;
	u32 fill_percent;
	u32 operations;
	enum loom_bank_policy policy;
};

static const struct setting settings[] = {
	{ "small blocks", 0, 256, 12, 0, 0, 1, 90, 24000, FIRST },
	{ "both directions in a full bank", 64, 1024, 64, 0, 0, 1, 100, 16000, FIRST },
	{ "alignments", 13, 512, 40, 6, 0, 1, 90, 24000, FIRST },
	{ "ranges", 64, 512, 40, 0, 60, 1, 90, 24000, FIRST },
	{ "ranges and alignments", 7, 700, 64, 7, 50, 1, 95, 24000, FIRST },
	{ "sizes in units", 1024, 1024, 16, 4, 20, 16, 95, 16000, FIRST },
	{ "up to the last address", U64_MAX - 1000, 1000, 64, 10, 30, 1, 95, 16000, FIRST },
	{ "one byte", 5, 1, 2, 1, 50, 1, 100, 5000, FIRST },
	{ "best fit", 0, 512, 24, 0, 0, 1, 90, 24000, BEST },
	{ "best fit, many as small", 64, 1024, 3, 0, 0, 4, 95, 24000, BEST },
	{ "best fit, alignments and ranges", 7, 512, 40, 6, 30, 1, 90, 24000, BEST },
	{ "near fit", 64, 1024, 40, 0, 0, 1, 90, 24000, NEAR },
	{ "near fit, alignments and ranges", 7, 1024, 40, 3, 40, 1, 90, 24000, NEAR },
	{ "near fit up to the last address", U64_MAX - 1000, 1000, 64, 4, 30, 1, 95, 8000, NEAR },
};

static struct loom_bank_request random_request(const struct setting *setting)
{
	struct loom_bank_request request = {
		.size = (1 + random_below(setting->max_size)) * setting->unit,
		.align = (u64)1 << random_below(setting->max_align_log2 + 1),
		.high = U64_MAX,
		.top_down = random_below(2),
	};
	u64 a, b;

	if (request.align < setting->unit)
		request.align = setting->unit;
	if (random_below(100) < setting->range_percent) {
		/* also ranges that begin before the bank or end behind it */
		a = setting->base < 20 ? 0 : setting->base - 20;
		a += random_below(setting->bytes + 40);
		b = random_below(setting->bytes + 40);
		request.low = a < setting->base && a > setting->base + 40 ? 0 : a;
		if (check_add_overflow(request.low, b, &request.high) || !random_below(4))
			request.high = U64_MAX;
	}
	return request;
}

/* @flat_most: blocks while the holes are a list: none, some, all. The answers are the same. */
static void test_random(const struct setting *setting, u32 flat_most)
{
	static struct loom_bank_block blocks[MODEL_BLOCKS];
	static struct model model;
	struct loom_bank bank;
	u64 allocated = 0;
	u32 refused = 0, done = 0, live = 0;
	const char *fault = NULL;

	memset(blocks, 0, sizeof(blocks));
	model.base = setting->base;
	model.bytes = setting->bytes;
	memset(model.owner, 0xff, sizeof(model.owner));
	if (loom_bank_init(&bank, setting->base, setting->base + setting->bytes, 1,
			   setting->policy))
		tap_fatal("init");
	bank.flat_most = flat_most;

	for (u32 n = 0; n < setting->operations && !fault; n++) {
		u32 i = random_below(MODEL_BLOCKS);
		struct loom_bank_block *block = &blocks[i];

		if (loom_bank_allocated(block)) {
			u64 at = block->start - model.base;

			for (u64 k = 0; k < block->size; k++)
				model.owner[at + k] = -1;
			allocated -= block->size;
			live--;
			if (loom_bank_free(&bank, block))
				fault = "free refused";
			else if (loom_bank_free(&bank, block) != -EINVAL)
				fault = "freed twice";
		} else if (allocated * 100 <= (u64)setting->fill_percent * setting->bytes) {
			struct loom_bank_request request = random_request(setting);
			s64 want = model_place_by(&model, &request, setting->policy);
			int err = loom_bank_alloc(&bank, block, &request);

			if (err != (want < 0 ? -ENOSPC : 0)) {
				fault = "alloc: refused or not";
			} else if (err) {
				refused++;
				if (loom_bank_allocated(block))
					fault = "alloc: refused, but taken";
			} else if (block->start != model.base + (u64)want ||
				   block->size != request.size) {
				fault = "alloc: another place";
			} else {
				for (u64 k = 0; k < block->size; k++)
					model.owner[want + k] = (s32)i;
				allocated += block->size;
				live++;
				if (loom_bank_alloc(&bank, block, &request) != -EINVAL)
					fault = "allocated twice";
			}
		}
		if (!fault && !check_bank(&bank))
			fault = "invariants";
		if (!fault && !check_find(&bank, &model, blocks))
			fault = "find";
		if (!fault && n % 8 == 0 && !check_model(&bank, &model, blocks))
			fault = "spans";
		done = n + 1;
	}
	if (loom_bank_fini(&bank) != live && !fault)
		fault = "leak count";
	for (u32 i = 0; i < MODEL_BLOCKS && !fault; i++)
		if (loom_bank_allocated(&blocks[i]))
			fault = "allocated after the end";
	tap_ok(!fault && refused, "random, %s, list up to %u: %u operations, %u refused%s%s",
	       setting->name, flat_most, done, refused, fault ? ": " : "", fault ? fault : "");
}

/* A tree large enough for its height to say something. */
static void test_large(enum loom_bank_policy policy)
{
	enum { BLOCKS = 100000 };
	struct loom_bank_block *blocks = calloc(BLOCKS, sizeof(*blocks));
	struct loom_bank bank;
	struct shape shape;
	bool good = true;
	int height = 0;

	if (!blocks || loom_bank_init(&bank, 64, (u64)1 << 40, 1, policy))
		tap_fatal("init");
	/* rising, then random replacement: the two shapes a naive tree dies of */
	for (u32 i = 0; i < BLOCKS; i++) {
		struct loom_bank_request request = { .size = 64 * (1 + random_below(100)),
						     .align = 64, .high = U64_MAX,
						     .top_down = i % 3 == 0 };

		good &= !loom_bank_alloc(&bank, &blocks[i], &request);
	}
	good &= check_bank(&bank);
	for (u32 n = 0; n < 200000; n++) {
		u32 i = random_below(BLOCKS);

		if (loom_bank_allocated(&blocks[i])) {
			good &= !loom_bank_free(&bank, &blocks[i]);
		} else {
			struct loom_bank_request request = {
				.size = 64 * (1 + random_below(100)), .align = 64,
				.high = U64_MAX, .top_down = random_below(2),
			};

			good &= !loom_bank_alloc(&bank, &blocks[i], &request);
		}
		if (n % 20000 == 0)
			good &= check_bank(&bank);
	}
	good &= check_subtree(bank.root, bank.base, bank.limit, &shape);
	height = shape.height;
	/* 1.4405 log2(100000 + 2) = 23.9 */
	tap_ok(good && height <= 24, "100000 blocks: invariants hold, height %d", height);
	for (u32 i = 0; i < BLOCKS; i++)
		if (loom_bank_allocated(&blocks[i]))
			good &= !loom_bank_free(&bank, &blocks[i]);
	good &= check_bank(&bank) && loom_bank_lowest(&bank) == bank.limit && !bank.blocks;
	tap_ok(good && loom_bank_fini(&bank) == 0, "100000 blocks: all freed, nothing is left");
	free(blocks);
}

static void test_refusals(void)
{
	struct loom_bank bank, other;
	struct loom_bank_block block = { 0 }, second = { 0 };
	struct loom_bank_request good = { .size = 64, .align = 64, .high = U64_MAX };
	struct loom_bank_request bad;

	tap_ok(loom_bank_init(&bank, 64, 64, 1, LOOM_BANK_FIRST_FIT) == -EINVAL &&
	       loom_bank_init(&bank, 65, 64, 1, LOOM_BANK_FIRST_FIT) == -EINVAL,
	       "a bank without a byte is refused");
	tap_ok(loom_bank_init(&bank, 0, 64, 0, LOOM_BANK_FIRST_FIT) == -EINVAL &&
	       loom_bank_init(&bank, 0, 64, DRM_LOOM_MAX_BANKS + 1, LOOM_BANK_FIRST_FIT) == -EINVAL,
	       "no bank, and one too many, are refused");
	if (loom_bank_init(&bank, 64, 4096, 3, LOOM_BANK_FIRST_FIT) ||
	    loom_bank_init(&other, 0, 4096, DRM_LOOM_MAX_BANKS, LOOM_BANK_FIRST_FIT))
		tap_fatal("init");

	bad = good;
	bad.size = 0;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -EINVAL, "size 0 is EINVAL");
	bad = good;
	bad.align = 0;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -EINVAL, "alignment 0 is EINVAL");
	bad.align = 48;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -EINVAL, "alignment 48 is EINVAL");
	bad = good;
	bad.low = 1024;
	bad.high = 1023;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -EINVAL, "a range upside down is EINVAL");
	bad = good;
	bad.size = U64_MAX;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -ENOSPC, "size 2^64-1 is ENOSPC");
	bad = good;
	bad.align = (u64)1 << 63;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -ENOSPC, "alignment 2^63 is ENOSPC");
	bad.top_down = true;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -ENOSPC,
	       "alignment 2^63 from the top is ENOSPC");
	bad = good;
	bad.high = 127;
	tap_ok(loom_bank_alloc(&bank, &block, &bad) == -ENOSPC,
	       "a range one byte too small is ENOSPC");
	tap_ok(loom_bank_free(&bank, &block) == -EINVAL, "freeing what was never allocated");
	tap_ok(check_bank(&bank) && !bank.blocks, "refusals change nothing");

	bad.high = 128;
	tap_ok(!loom_bank_alloc(&bank, &block, &bad) && block.start == 64, "a range just as large");
	tap_ok(loom_bank_alloc(&bank, &block, &good) == -EINVAL && block.start == 64,
	       "an allocated block is EINVAL");
	tap_ok(loom_bank_free(&other, &block) == -EINVAL && loom_bank_allocated(&block),
	       "freeing in another bank is EINVAL");
	tap_ok(loom_bank_free(&bank, &bank.head) == -EINVAL, "freeing the head is EINVAL");

	bad = good;
	bad.low = 1024;
	bad.high = 1024 + 64;
	tap_ok(!loom_bank_alloc(&bank, &second, &bad) && second.start == 1024,
	       "a fixed address is a range of the size");
	tap_ok(loom_bank_find(&bank, 127) == &block && loom_bank_find(&bank, 128) == &second &&
	       loom_bank_find(&bank, 1087) == &second && !loom_bank_find(&bank, 1088) &&
	       loom_bank_find(&bank, 0) == &block && !loom_bank_find(&bank, U64_MAX),
	       "find takes the block at or above");
	tap_ok(loom_bank_fini(&bank) == 2 && loom_bank_free(&bank, &block) == -EINVAL &&
	       loom_bank_fini(&other) == 0, "a bank that ends lets its blocks go");
}

int main(void)
{
	static const u32 flat_most[] = { 0, 16, LOOM_FLAT_BLOCKS };

	random_state = 20;
	test_refusals();
	for (u32 i = 0; i < ARRAY_SIZE(settings); i++)
		for (u32 k = 0; k < ARRAY_SIZE(flat_most); k++)
			test_random(&settings[i], flat_most[k]);
	test_large(LOOM_BANK_FIRST_FIT);
	test_large(LOOM_BANK_BEST_FIT);
	return tap_end();
}
