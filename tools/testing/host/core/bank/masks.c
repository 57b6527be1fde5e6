// SPDX-License-Identifier: MIT
/*
 * The bank allocator with partial blocks (on some banks), against a brute-force model that keeps
 * the set of banks in which each byte is taken. Every answer of the allocator must be the model's:
 * the address, the refusal, the bytes given out in each bank, the walk over the blocks of a bank.
 */
#include "bank/tree.h"
#include "masks.h"
#include "model.h"
#include "tap.h"

#define MODEL_BYTES	4096
#define MODEL_BLOCKS	3000
#define COLUMNS		10

#define FIRST LOOM_BANK_FIRST_FIT
#define BEST LOOM_BANK_BEST_FIT
#define NEAR LOOM_BANK_NEAR_FIT

struct setting {
	const char *name;
	enum mask_style style;
	u32 banks;
	u64 base;
	u32 bytes;
	u32 max_size;
	u32 max_align_log2;
	u32 range_percent;
	u32 all_percent;
	u32 blocks;
	u32 operations;
	enum loom_bank_policy policy;
};

static const struct setting settings[] = {
	{ "any set of 140", MASK_ANY, 140, 0, 2048, 40, 0, 0, 5, 400, 4800, FIRST },
	{ "any set of 5", MASK_ANY, 5, 64, 1024, 30, 0, 0, 10, 400, 12000, FIRST },
	{ "a few of 256", MASK_FEW, 256, 0, 2048, 60, 0, 0, 0, 3000, 12000, FIRST },
	{ "a few of 256 and all", MASK_FEW, 256, 0, 4096, 16, 0, 0, 10, 3000, 8000, FIRST },
	{ "six sets of 64", MASK_SIX, 64, 0, 4096, 12, 0, 0, 20, 2500, 16000, FIRST },
	{ "six sets, ranges, alignments", MASK_SIX,
	  64, 7, 2048, 24, 5, 40, 20, 1500, 12000, FIRST },
	{ "rectangles of 140", MASK_GRID, 140, 0, 4096, 24, 0, 0, 10, 2000, 8000, FIRST },
	{ "rectangles, best of the rest", MASK_GRID,
	  140, 0, 2048, 24, 2, 20, 60, 1000, 8000, BEST },
	{ "rectangles, large ones best", MASK_GRID,
	  140, 0, 2048, 40, 0, 20, 60, 1000, 8000, NEAR },
	{ "one of 13, and all", MASK_ONE, 13, 16, 4096, 20, 3, 10, 20, 3000, 12000, FIRST },
	{ "up to the last address", MASK_ANY,
	  9, U64_MAX - 700, 700, 40, 9, 30, 20, 200, 8000, FIRST },
};

/* taken[i]: banks in which byte base + i is; full[i]: by a block on all of them */
struct model {
	u64 base;
	u32 bytes;
	struct loom_mask taken[MODEL_BYTES];
};

static struct loom_mask random_mask(const struct setting *setting)
{
	if (random_below(100) < setting->all_percent)
		return loom_mask_all(setting->banks);
	return mask_draw(setting->style, setting->banks, COLUMNS);
}

static bool model_is_free(const struct loom_bank_request *request, const void *taken, u32 i)
{
	const struct loom_mask *masks = taken;

	return !loom_mask_overlaps(&masks[i], request->mask);
}

/* The byte that it must get by the definition of first fit, or -1. */
static s64 model_place(const struct model *model, const struct loom_bank_request *request)
{
	return model_first_fit(model->base, model->bytes, request, model_is_free, model->taken);
}

static void model_change(struct model *model, const struct loom_bank_block *block,
			 const struct loom_mask *mask)
{
	for (u64 i = block->start - model->base; i < block->start - model->base + block->size; i++)
		for (u32 w = 0; w < LOOM_MASK_WORDS; w++)
			model->taken[i].word[w] ^= mask->word[w];
}

/* The extents of single banks at the root, against all blocks on the bank, one by one. */
static bool check_banks(struct loom_partials *partials)
{
	struct loom_partial_cursor cursor;
	u32 bank;

	for (bank = loom_mask_next(&partials->maintained.banks, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&partials->maintained.banks, bank + 1)) {
		const struct loom_partial_chunk *top =
			container_of(partials->chunks.root, struct loom_partial_chunk, node);
		const struct loom_partial_extent *extent =
			&top->known[LOOM_PARTIAL_CLASSES + bank].subtree;
		u64 first = U64_MAX, last = 0, best = 0;

		for (loom_partials_begin(partials, &cursor); cursor.chunk;
		     loom_partials_step(&cursor)) {
			const struct loom_partial_entry *entry =
				loom_partial_entry(cursor.chunk, cursor.index);

			if (!loom_mask_has(&entry->mask, bank))
				continue;
			if (first == U64_MAX)
				first = entry->start;
			else
				best = max(best, entry->start - last);
			last = entry->end;
		}
		if (extent->first != first || extent->last != last || extent->gap < best)
			return false;
	}
	return true;
}

/* Extents of chunks whose largest gap was known in the checks, and those where a bound was. */
static u32 gaps_known, gaps_bounded;

static bool is_maintained(const struct loom_partials *partials, u32 index)
{
	if (index < LOOM_PARTIAL_CLASSES)
		return partials->maintained.classes >> index & 1;
	return loom_mask_has(&partials->maintained.banks, index - LOOM_PARTIAL_CLASSES);
}

/* The extents of a chunk's own blocks, each against all blocks, one by one. */
static bool check_own(const struct loom_partials *partials, struct loom_partial_chunk *chunk)
{
	for (u32 i = 0; i < LOOM_PARTIAL_EXTENTS; i++) {
		const struct loom_partial_extent *extent = &chunk->known[i].own;
		u64 first = U64_MAX, last = 0, best = 0, bank = i - LOOM_PARTIAL_CLASSES;
		bool at_best = false, is_class = i < LOOM_PARTIAL_CLASSES, is_known, counts;

		if (!is_maintained(partials, i))
			continue;
		for (u32 k = 0; k < chunk->count; k++) {
			const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

			counts = is_class ? loom_mask_overlaps(&entry->mask,
							       &partials->class[i].mask) :
					    loom_mask_has(&entry->mask, bank);
			if (is_class && counts != (entry->classes >> i & 1))
				return false;
			if (!counts)
				continue;
			if (first == U64_MAX) {
				first = entry->start;
			} else if (entry->start > last) {
				best = max(best, entry->start - last);
				at_best |= chunk->known[i].own_gap == last &&
					   extent->gap == entry->start - last;
			}
			last = max(last, entry->end);
		}
		is_known = chunk->known[i].own_gap != LOOM_GAP_UNKNOWN;
		gaps_known += is_known;
		gaps_bounded += !is_known;
		if (extent->first != first || extent->last != last || extent->gap < best ||
		    (is_known && (extent->gap != best || (best && !at_best))))
			return false;
	}
	return true;
}

/* Adds the blocks of @more, which start after those in @sum. */
static void sum_add(struct loom_partial_extent *sum, const struct loom_partial_extent *more)
{
	if (more->first > more->last)
		return;
	if (sum->first <= sum->last && more->first > sum->last)
		sum->gap = max(sum->gap, more->first - sum->last);
	sum->gap = max(sum->gap, more->gap);
	sum->first = min(sum->first, more->first);
	sum->last = max(sum->last, more->last);
}

/* The extents of a chunk's subtree are the sum of its own and its children's. */
static bool check_sums(const struct loom_partials *partials, const struct loom_partial_chunk *chunk)
{
	struct loom_treap_node *low = chunk->node.child[0], *high = chunk->node.child[1];

	for (u32 i = 0; i < LOOM_PARTIAL_EXTENTS; i++) {
		const struct loom_partial_extent *extent = &chunk->known[i].subtree;
		struct loom_partial_extent sum = { .first = U64_MAX };

		if (!is_maintained(partials, i))
			continue;
		if (low)
			sum_add(&sum, &container_of(low, struct loom_partial_chunk,
						    node)->known[i].subtree);
		sum_add(&sum, &chunk->known[i].own);
		if (high)
			sum_add(&sum, &container_of(high, struct loom_partial_chunk,
						    node)->known[i].subtree);
		if (extent->first != sum.first || extent->last != sum.last ||
		    extent->gap != sum.gap)
			return false;
	}
	return true;
}

/* The summaries of every chunk, and the order of all blocks. */
static bool check_chunks(struct loom_partials *partials)
{
	bool bare = loom_partials_bare(partials);
	struct loom_partial_cursor cursor;
	u32 chunks = 0, blocks = 0;
	u64 last = 0;

	for (loom_partials_begin(partials, &cursor); cursor.chunk; loom_partials_step(&cursor)) {
		const struct loom_partial_entry *entry =
			loom_partial_entry(cursor.chunk, cursor.index);
		struct loom_partial_chunk *chunk = cursor.chunk;
		const struct loom_treap_node *node = &chunk->node;

		if (!cursor.index) {
			u64 low = entry->start;

			chunks++;
			if (partials->indexed &&
			    (!check_own(partials, chunk) || !check_sums(partials, chunk)))
				return false;
			for (int i = 0; i < 2; i++)
				if (node->child[i] && (node->child[i]->parent != node ||
						       node->child[i]->priority > node->priority))
					return false;
			if (node->child[0])
				low = container_of(node->child[0], struct loom_partial_chunk,
						   node)->subtree.start;
			if (!bare && chunk->own.start != entry->start)
				return false;
			if (partials->indexed &&
			    (chunk->subtree.start != low || chunk->subtree.end < chunk->own.end ||
			     !loom_mask_within(&chunk->own.banks, &chunk->subtree.banks)))
				return false;
		}
		if (entry->start < last || entry->block->chunk != chunk ||
		    entry->block->start != entry->start ||
		    &chunk->entry[entry->block->slot] != entry ||
		    !(chunk->used >> entry->block->slot & 1))
			return false;
		if (!bare && entry->end > chunk->own.end)
			return false;
		if ((!bare || chunk->gone <= chunk->count) &&
		    !loom_mask_within(&entry->mask, &chunk->own.banks))
			return false;
		last = entry->start;
		blocks++;
	}
	return chunks == partials->chunk_count && blocks == partials->count + partials->noted &&
	       check_banks(partials);
}

/* The largest holes below each node of the tree are what they are; U64_MAX: they are not. */
static u64 tree_hole(const struct loom_bank_block *node)
{
	u64 hole = node ? node->hole : 0;

	for (int i = 0; node && i < 2; i++) {
		u64 below = tree_hole(node->child[i]);

		if (below != node->max_hole[i])
			return U64_MAX;
		hole = max(hole, below);
	}
	return hole;
}

/* While nobody asks for them, they are not kept. */
static bool check_tree(const struct loom_bank *bank)
{
	return bank->is_flat || bank->is_few || loom_tree_is_order(bank) ||
	       tree_hole(bank->root) != U64_MAX;
}

/* The view of @mask: tiles the bank, says of every byte what the model says, adds up. */
static bool check_view(struct loom_bank *bank, const struct model *model,
		       const struct loom_mask *mask)
{
	u64 at = bank->base, allocated = 0, largest = 0, hole = 0;
	struct loom_bank_stats stats;
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	bool was_hole = false;

	loom_bank_walk(bank, mask, &iter);
	while (loom_bank_next(&iter, &span)) {
		/* wherever it is interrupted */
		loom_bank_resume(bank, &iter);
		if (span.start != at || span.end <= at || (was_hole && !span.block))
			return false;
		if (span.block && (span.block->start > at ||
				   span.block->start + span.block->size != span.end))
			return false;
		for (; at < span.end; at++) {
			bool taken = loom_mask_overlaps(&model->taken[at - model->base], mask);

			if (taken != !!span.block)
				return false;
			allocated += taken;
			hole = taken ? 0 : hole + 1;
			largest = max(largest, hole);
		}
		was_hole = !span.block;
	}
	loom_bank_stats(bank, mask, &stats);
	return at == bank->limit && stats.total == bank->limit - bank->base &&
	       stats.allocated == allocated && stats.free == stats.total - allocated &&
	       stats.largest_free == largest;
}

static bool check_all(struct loom_bank *bank, const struct model *model,
		      const struct setting *setting)
{
	struct loom_mask one = { { 0 } }, some = random_mask(setting);
	u32 index = random_below(setting->banks);
	u64 lowest = bank->limit, bytes = 0;

	for (u32 i = model->bytes; i--;) {
		if (loom_mask_count(&model->taken[i]))
			lowest = model->base + i;
		bytes += loom_mask_has(&model->taken[i], index);
	}
	loom_mask_set(&one, index);
	return check_chunks(&bank->partials) && check_tree(bank) && check_view(bank, model, &one) &&
	       check_view(bank, model, &some) && check_view(bank, model, &bank->all) &&
	       loom_bank_lowest(bank) == lowest && loom_bank_bytes(bank, index) == bytes;
}

static void random_request(const struct setting *setting, struct loom_bank_request *request)
{
	*request = (struct loom_bank_request){
		.size = 1 + random_below(setting->max_size),
		.align = (u64)1 << random_below(setting->max_align_log2 + 1),
		.high = U64_MAX,
		.mask = request->mask,
		.spare = request->spare,
		.top_down = random_below(2),
	};
	/* tiny and huge ones, too */
	if (!random_below(20))
		request->size *= 1 + random_below(20);
	if (random_below(100) < setting->range_percent) {
		request->low = setting->base + random_below(setting->bytes);
		request->high = request->low + random_below(setting->bytes);
		if (request->high < request->low)
			request->high = U64_MAX;
	}
}

/* The larger of @classes and the number of those in @maintained. */
static u32 max_classes(u32 classes, u64 maintained)
{
	u32 count = __builtin_popcountll(maintained);

	return max(classes, count);
}

/*
 * @linear: chunks that are searched one after the other, and with few of them both kinds of blocks
 * are joined as soon as may be. The answers are the same.
 */
static void test_random(const struct setting *setting, u32 linear)
{
	static struct loom_bank_block blocks[MODEL_BLOCKS];
	static struct loom_mask masks[MODEL_BLOCKS];
	static struct model model;
	struct loom_partial_chunk *spare = NULL;
	struct loom_bank bank;
	u32 refused = 0, placed = 0, live = 0, most = 0, chunks = 0, classes = 0, summed = 0, n;
	const char *fault = NULL;

	memset(blocks, 0, sizeof(blocks));
	memset(&model, 0, sizeof(model));
	model.base = setting->base;
	model.bytes = setting->bytes;
	if (loom_bank_init(&bank, setting->base, setting->base + setting->bytes, setting->banks,
			   setting->policy))
		tap_fatal("init");
	bank.partials.linear = linear;
	if (linear < LOOM_PARTIAL_LINEAR)
		bank.partials.patience = 1;
	if (linear == 20)
		bank.flat_most = 8;

	for (n = 0; n < setting->operations && !fault; n++) {
		u32 i = random_below(setting->blocks);
		struct loom_bank_block *block = &blocks[i];
		struct loom_mask mask = random_mask(setting);
		struct loom_bank_request request = { .mask = &mask, .spare = &spare };
		s64 want;
		int err;

		/* waves: filling up, being nearly full, being emptied */
		if (loom_bank_allocated(block)) {
			if (random_below(8) < 3 && n / 4000 % 3 != 2)
				continue;
			model_change(&model, block, &masks[i]);
			if (loom_bank_free(&bank, block) || loom_bank_free(&bank, block) != -EINVAL)
				fault = "free";
			live--;
			continue;
		}
		if (n / 4000 % 3 == 2 && random_below(3))
			continue;
		random_request(setting, &request);
		if (!spare)
			spare = loom_bank_chunk_create();
		want = model_place(&model, &request);
		err = loom_bank_alloc(&bank, block, &request);
		if (err == -ENOSPC && want < 0) {
			refused++;
		} else if (err || want < 0) {
			fault = "refused or not";
		} else {
			/* best fit is another test's; here it must only be clear */
			if (setting->policy != LOOM_BANK_FIRST_FIT &&
			    loom_mask_same(&mask, &bank.all))
				want = (s64)(block->start - model.base);
			if (block->start - model.base != (u64)want || block->size != request.size)
				fault = "another place";
			for (u64 k = 0; k < block->size && !fault; k++)
				if (loom_mask_overlaps(&model.taken[block->start - model.base + k],
						       &mask))
					fault = "not clear";
			masks[i] = mask;
			model_change(&model, block, &mask);
			placed++;
			live++;
		}
		most = max(most, live);
		chunks = max(chunks, bank.partials.chunk_count);
		classes = max_classes(classes, bank.partials.maintained.classes);
		summed = max(summed, loom_mask_count(&bank.partials.maintained.banks));
		if (!fault && n % 32 == 0 && !check_all(&bank, &model, setting))
			fault = "invariants";
	}
	if (!fault && !check_all(&bank, &model, setting))
		fault = "invariants at the end";
	/* all but the last few go one by one, those go with the bank */
	for (u32 i = 0; i < setting->blocks && !fault; i++)
		if (loom_bank_allocated(&blocks[i]) && live > 3) {
			if (loom_bank_free(&bank, &blocks[i]))
				fault = "free at the end";
			live--;
		}
	if (!fault && (bank.blocks != live || loom_bank_fini(&bank) != live))
		fault = "count at the end";
	loom_port_free(spare);
	tap_ok(!fault && refused && placed,
	       "%s, %u linear: %u placed, %u refused, %u in %u chunks, %u classes, %u banks%s%s",
	       setting->name, linear, placed, refused, most, chunks, classes, summed,
	       fault ? ": " : "", fault ? fault : "");
}

static void test_refusals(void)
{
	struct loom_bank_request request = { .size = 64, .align = 64, .high = U64_MAX };
	struct loom_mask none = { { 0 } }, outside = { { 0 } }, first = { { 1 } }, all;
	struct loom_bank_block a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	struct loom_partial_chunk *spare = NULL;
	struct loom_bank bank;

	if (loom_bank_init(&bank, 0, 256, 70, LOOM_BANK_FIRST_FIT))
		tap_fatal("init");
	all = loom_mask_all(70);
	loom_mask_set(&outside, 70);
	request.mask = &none;
	tap_ok(loom_bank_alloc(&bank, &a, &request) == -EINVAL, "no banks are EINVAL");
	request.mask = &outside;
	tap_ok(loom_bank_alloc(&bank, &a, &request) == -EINVAL, "a bank too many is EINVAL");
	request.mask = &first;
	tap_ok(loom_bank_alloc(&bank, &a, &request) == -ENOMEM && !loom_bank_allocated(&a),
	       "without memory for a chunk ENOMEM");
	request.mask = &all;
	tap_ok(!loom_bank_alloc(&bank, &a, &request) && a.start == 0 && !bank.partials.count,
	       "all banks need none");
	request.mask = &first;
	request.spare = &spare;
	spare = loom_bank_chunk_create();
	tap_ok(!loom_bank_alloc(&bank, &b, &request) && b.start == 64 && !spare,
	       "the first block on one bank takes it");
	loom_mask_set(&none, 69);
	request.mask = &none;
	tap_ok(!loom_bank_alloc(&bank, &c, &request) && c.start == 64,
	       "another bank: the same address");
	request.mask = NULL;
	tap_ok(!loom_bank_alloc(&bank, &d, &request) && d.start == 128,
	       "all banks: above both");
	tap_ok(loom_bank_bytes(&bank, 0) == 192 && loom_bank_bytes(&bank, 1) == 128 &&
	       loom_bank_bytes(&bank, 69) == 192, "each bank is charged for its own");
	tap_ok(!loom_bank_free(&bank, &b) && !loom_bank_free(&bank, &c) && !bank.partials.count,
	       "both are freed");
	request.mask = &first;
	tap_ok(!loom_bank_alloc(&bank, &b, &request) && b.start == 64,
	       "the chunk is used once more");
	tap_ok(loom_bank_fini(&bank) == 3 && !loom_bank_allocated(&b),
	       "a bank that ends lets them go");
}

int main(void)
{
	static const u32 linear[] = { 1, 20, LOOM_PARTIAL_LINEAR };

	random_state = 4711;
	test_refusals();
	for (u32 i = 0; i < ARRAY_SIZE(settings); i++)
		for (u32 k = 0; k < ARRAY_SIZE(linear); k++)
			test_random(&settings[i], linear[k]);
	tap_ok(gaps_known && gaps_bounded,
	       "the largest gap was known in %u extents of chunks, a bound in %u", gaps_known,
	       gaps_bounded);
	return tap_end();
}
