// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

/**
 * DOC: Blocks on some banks
 *
 * A block that is on some banks of a region only has one address, as all have, and is in the way
 * of those only that share a bank with it. So these blocks may lie above each other, and
 * the tree of bank.c, in which blocks follow each other, cannot hold them.
 *
 * They are kept in the order of their begin, 32 in a chunk, chunks in a tree. A search goes along
 * this order with a candidate, and whoever meets its banks and reaches into it pushes it on.
 * What cannot push it is left out by the subtree: blocks none of which is on a bank that is
 * asked for, blocks that all end before, blocks that all begin behind.
 *
 * That alone is a scan. What makes it O(log n) is sums: each subtree knows begin, end and the
 * largest gap of those of its blocks that are on a certain bank, or that meet a certain set of
 * banks, a class. Where no gap is large enough a search passes in one go. Programs ask for few
 * sets of banks, many times: such a set becomes a class when the searches without it have cost
 * about as much as making it one does; there are 64, and the one that was not used for longest
 * goes. Sums of single banks come into being likewise. They are for sets of up to 16 banks that are
 * not a class: what is on one of the banks is in the way, so where one bank has no place there
 * is none.
 *
 * For one bank that is O(log n), as it is for a class: with 1000, 10000 and 100000 blocks on 140
 * banks a place on one bank takes 2.6, 3.9 and 6.2 us, and on one of eight sets 2.5, 3.8 and 5.8.
 * With several banks each has gaps where another has none, and a search looks closer
 * wherever all have one nearby: 3.0, 23 and 265 us for random sets of one to eight, in a bank that
 * is nearly full. Larger sets that never come again stay a scan, of 54 us at 10000 blocks.
 * Something has to be: whether some of n sets is disjoint from a given one is the orthogonal
 * vectors problem, for which nothing is known that is better than looking at (almost) all of them
 * when there are more banks than log n.
 *
 * What was rejected: a tree per bank, or per group of banks that are occupied alike, and a search
 * that leaps from one to the next until all agree. It is as good for few sets. But a block
 * then costs a node for each group, 70 trees to be changed on 140 banks and 7 KiB each
 * where this costs 0.6; and a crowd of sets that all meet is leapt through one by one in each
 * tree. A bitmap per bank and address costs memory in the size of the bank: 96 Ki bits for
 * each of 140 banks of SRAM, 64 Mi for each of 12 of DRAM. Segments of constant
 * occupancy cost a write to each that a block covers. Sums by pairs of banks would be ten thousand.
 * Sums of single banks for sets of more than 16: 32 us where it was 40 for rectangles of a grid,
 * but 118 where it was 54 for halves of the banks.
 *
 * What the sums say of gaps is an upper bound: the gap between two blocks may be covered by a third
 * that began long before. A search that believes in it looks closer and finds nothing.
 */

enum { LOW, HIGH };

static struct loom_patch_chunk *loom_patch_chunk(const struct loom_treap_node *node)
{
	return node ? container_of(node, struct loom_patch_chunk, node) : NULL;
}

static void loom_patch_reach_clear(struct loom_patch_reach *reach)
{
	reach->first = U64_MAX;
	reach->last = 0;
	reach->best = 0;
}

/* @more begins behind the begin of all in @reach. */
static void loom_patch_reach_add(struct loom_patch_reach *reach,
				 const struct loom_patch_reach *more)
{
	if (more->first > more->last)
		return;
	if (reach->first > reach->last) {
		*reach = *more;
		return;
	}
	if (more->first > reach->last)
		reach->best = max(reach->best, more->first - reach->last);
	reach->best = max(reach->best, more->best);
	reach->last = max(reach->last, more->last);
}

/* The next sum of a set, at @index or behind it; or LOOM_PATCH_SUMS. */
static u32 loom_patch_next(const struct loom_patch_set *set, u32 index)
{
	if (index < LOOM_PATCH_CLASSES && set->classes >> index)
		return index + (u32)__builtin_ctzll(set->classes >> index);
	if (index < LOOM_PATCH_CLASSES)
		index = LOOM_PATCH_CLASSES;
	return LOOM_PATCH_CLASSES + loom_mask_next(&set->banks, index - LOOM_PATCH_CLASSES);
}

static bool loom_patch_counts(const struct loom_patches *patches, u32 index,
			      const struct loom_mask *mask)
{
	if (index < LOOM_PATCH_CLASSES)
		return loom_mask_meets(mask, &patches->class[index].mask);
	return loom_mask_has(mask, index - LOOM_PATCH_CLASSES);
}

static void loom_patch_sum_own(const struct loom_patches *patches, struct loom_patch_chunk *chunk,
			       const struct loom_patch_set *set)
{
	struct loom_patch_sum *own = &chunk->own;
	u32 i, k;

	own->any = (struct loom_mask){ { 0 } };
	own->low = chunk->start[0];
	own->top = 0;
	for (k = 0; k < chunk->count; k++) {
		loom_mask_add(&own->any, &chunk->mask[k]);
		own->top = max(own->top, chunk->end[k]);
	}
	for (i = loom_patch_next(set, 0); i < LOOM_PATCH_SUMS; i = loom_patch_next(set, i + 1)) {
		loom_patch_reach_clear(&own->reach[i]);
		for (k = 0; k < chunk->count; k++) {
			const struct loom_patch_reach one = {
				.first = chunk->start[k],
				.last = chunk->end[k],
			};

			if (loom_patch_counts(patches, i, &chunk->mask[k]))
				loom_patch_reach_add(&own->reach[i], &one);
		}
	}
}

/* The subtree of a chunk whose children and own blocks are summed up. */
static void loom_patch_sum(struct loom_patch_chunk *chunk, const struct loom_patch_set *set)
{
	const struct loom_patch_chunk *low = loom_patch_chunk(chunk->node.child[LOW]);
	const struct loom_patch_chunk *high = loom_patch_chunk(chunk->node.child[HIGH]);
	const struct loom_patch_sum *own = &chunk->own;
	struct loom_patch_sum *sum = &chunk->sum;
	u32 i;

	sum->any = own->any;
	sum->low = own->low;
	sum->top = own->top;
	if (low) {
		loom_mask_add(&sum->any, &low->sum.any);
		sum->low = low->sum.low;
		sum->top = max(sum->top, low->sum.top);
	}
	if (high) {
		loom_mask_add(&sum->any, &high->sum.any);
		sum->top = max(sum->top, high->sum.top);
	}
	for (i = loom_patch_next(set, 0); i < LOOM_PATCH_SUMS; i = loom_patch_next(set, i + 1)) {
		loom_patch_reach_clear(&sum->reach[i]);
		if (low)
			sum->reach[i] = low->sum.reach[i];
		loom_patch_reach_add(&sum->reach[i], &own->reach[i]);
		if (high)
			loom_patch_reach_add(&sum->reach[i], &high->sum.reach[i]);
	}
}

static void loom_patch_update(struct loom_treap *treap, struct loom_treap_node *node)
{
	loom_patch_sum(loom_patch_chunk(node),
		       &container_of(treap, struct loom_patches, chunks)->active);
}

static void loom_patch_propagate(struct loom_treap_node *node, const struct loom_patch_set *set)
{
	for (; node; node = node->parent)
		loom_patch_sum(loom_patch_chunk(node), set);
}

/* The sums that look at a block with this mask. */
static struct loom_patch_set loom_patch_meeting(const struct loom_patches *patches,
						const struct loom_mask *mask)
{
	struct loom_patch_set set = { .banks = *mask };
	u64 left;
	u32 i;

	for (left = patches->active.classes; left; left &= left - 1) {
		i = (u32)__builtin_ctzll(left);
		set.classes |= (u64)loom_mask_meets(&patches->class[i].mask, mask) << i;
	}
	for (i = 0; i < LOOM_MASK_WORDS; i++)
		set.banks.word[i] &= patches->active.banks.word[i];
	return set;
}

static void loom_patch_changed(const struct loom_patches *patches, struct loom_patch_chunk *chunk,
			       const struct loom_patch_set *set)
{
	loom_patch_sum_own(patches, chunk, set);
	loom_patch_propagate(&chunk->node, set);
}

/* ----------------------------------------------------------------- search */

/*
 * @at: the candidate: where it begins; from the top: where it ends
 * @sums: that can be believed: what meets them is in the way
 * @sum_count: how many
 * @whole: and nothing else is
 * @chunks: looked at
 */
struct loom_patch_search {
	const struct loom_patch_want *want;
	u64 at;
	u32 sums[LOOM_PATCH_FEW];
	u32 sum_count;
	bool whole;
	u32 chunks;
	bool found;
	bool failed;
};

/* The candidate must not begin below @to, or end above it. */
static void loom_patch_push(struct loom_patch_search *search, u64 to)
{
	const struct loom_patch_want *want = search->want;
	u64 start, mask = want->align - 1;

	if (!want->top_down) {
		search->failed = check_add_overflow(to, mask, &start);
		start &= ~mask;
		search->at = start;
		search->failed |= want->high < want->size || start > want->high - want->size;
		return;
	}
	search->failed = to < want->size;
	if (search->failed)
		return;
	start = (to - want->size) & ~mask;
	search->failed = start < want->low;
	search->at = start + want->size;
}

/*
 * Past the blocks of a sum between which it does not fit. Return: whether there are some that it
 * has to be fitted between.
 */
static bool loom_patch_pass(struct loom_patch_search *search, const struct loom_patch_reach *reach,
			    bool *pushed)
{
	const struct loom_patch_want *want = search->want;
	u64 low = want->top_down ? search->at - want->size : search->at;

	if (reach->last <= low || reach->first >= low + want->size)
		return false;
	if (reach->best >= want->size)
		return true;
	/* on this side of them it does not fit, and nowhere between */
	loom_patch_push(search, want->top_down ? reach->first : reach->last);
	*pushed = true;
	return false;
}

/* Whether a block below may push the candidate. If not, it has been pushed past all of them. */
static bool loom_patch_matters(struct loom_patch_search *search, const struct loom_patch_sum *sum)
{
	const struct loom_patch_want *want = search->want;
	bool inside, pushed;
	u64 low;
	u32 i;

	if (search->found || search->failed || !loom_mask_meets(&sum->any, want->mask))
		return false;
	do {
		low = want->top_down ? search->at - want->size : search->at;
		if (sum->top <= low)
			return false;
		if (sum->low >= low + want->size) {
			/* on the way up all that follow begin even higher */
			search->found = !want->top_down;
			return false;
		}
		inside = !search->whole;
		pushed = false;
		/* where one has pushed it, another may not let it be */
		for (i = 0; i < search->sum_count && !search->failed; i++)
			inside |= loom_patch_pass(search, &sum->reach[search->sums[i]], &pushed);
	} while (pushed && search->sum_count > 1 && !search->failed);
	return inside && !search->failed;
}

static void loom_patch_look(struct loom_patch_search *search, const struct loom_patch_chunk *chunk)
{
	const struct loom_patch_want *want = search->want;
	u32 i, k;

	search->chunks++;
	for (k = 0; k < chunk->count && !search->failed; k++) {
		if (!want->top_down) {
			if (chunk->start[k] >= search->at + want->size) {
				search->found = true;
				return;
			}
			if (chunk->end[k] > search->at &&
			    loom_mask_meets(&chunk->mask[k], want->mask))
				loom_patch_push(search, chunk->end[k]);
		} else {
			i = chunk->count - 1 - k;
			if (chunk->start[i] < search->at &&
			    chunk->end[i] > search->at - want->size &&
			    loom_mask_meets(&chunk->mask[i], want->mask))
				loom_patch_push(search, chunk->start[i]);
		}
	}
}

/* The first chunk of a subtree that is not left out. Its own blocks may not matter. */
static struct loom_treap_node *loom_patch_enter(struct loom_patch_search *search,
						struct loom_treap_node *node, int side)
{
	while (node->child[side] &&
	       loom_patch_matters(search, &loom_patch_chunk(node->child[side])->sum))
		node = node->child[side];
	return node;
}

static void loom_patch_scan(struct loom_patches *patches, struct loom_patch_search *search)
{
	int side = search->want->top_down ? HIGH : LOW;
	struct loom_treap_node *node = patches->chunks.root;

	if (!loom_patch_matters(search, &loom_patch_chunk(node)->sum))
		return;
	node = loom_patch_enter(search, node, side);
	while (node && !search->found && !search->failed) {
		struct loom_treap_node *child = node->child[!side];

		if (loom_patch_matters(search, &loom_patch_chunk(node)->own))
			loom_patch_look(search, loom_patch_chunk(node));
		if (child && loom_patch_matters(search, &loom_patch_chunk(child)->sum)) {
			node = loom_patch_enter(search, child, side);
			continue;
		}
		while (node->parent && node->parent->child[!side] == node)
			node = node->parent;
		node = node->parent;
	}
}

/* These sums of all chunks, from the leaves up. */
static void loom_patch_sum_all(struct loom_patches *patches, const struct loom_patch_set *set)
{
	struct loom_treap_node *node = patches->chunks.root, *up;

	/* to the first leaf, and from each node on to the next of which all below is done */
	while (node && (node->child[LOW] || node->child[HIGH]))
		node = node->child[!node->child[LOW]];
	for (; node; node = up) {
		loom_patch_sum_own(patches, loom_patch_chunk(node), set);
		loom_patch_sum(loom_patch_chunk(node), set);
		up = node->parent;
		if (!up || up->child[HIGH] == node || !up->child[HIGH])
			continue;
		up = up->child[HIGH];
		while (up->child[LOW] || up->child[HIGH])
			up = up->child[!up->child[LOW]];
	}
}

/* The class for these banks, or the one that was not used for longest. */
static struct loom_patch_class *loom_patch_class(struct loom_patch_class *class, u32 count,
						 const struct loom_mask *mask, bool *same)
{
	struct loom_patch_class *oldest = class;
	u32 i;

	for (i = 0; i < count; i++) {
		*same = loom_mask_same(&class[i].mask, mask);
		if (*same)
			return &class[i];
		if (class[i].used < oldest->used)
			oldest = &class[i];
	}
	return oldest;
}

/* A search has cost so many chunks for want of sums: is it time for a class? */
static void loom_patch_learn_class(struct loom_patches *patches, const struct loom_mask *mask,
				   u32 chunks)
{
	struct loom_patch_class *waiting, *class;
	struct loom_patch_set set = { 0 };
	bool same;

	waiting = loom_patch_class(patches->waiting, LOOM_PATCH_WAITING, mask, &same);
	if (!same)
		*waiting = (struct loom_patch_class){ .mask = *mask };
	waiting->used = patches->searches;
	waiting->debt += chunks;
	if (waiting->debt < 2 * patches->chunk_count)
		return;
	class = loom_patch_class(patches->class, LOOM_PATCH_CLASSES, mask, &same);
	set.classes = 1ULL << (class - patches->class);
	/* one that has just been of use stays */
	if (patches->active.classes & set.classes &&
	    patches->searches - class->used < patches->chunk_count)
		return;
	*class = (struct loom_patch_class){ .mask = *mask, .used = patches->searches };
	waiting->debt = 0;
	patches->active.classes |= set.classes;
	loom_patch_sum_all(patches, &set);
}

/* Likewise, or for sums of its banks? */
static void loom_patch_learn_banks(struct loom_patches *patches, const struct loom_mask *mask,
				   u32 chunks)
{
	struct loom_patch_set set = { 0 };
	u32 bank;

	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1)) {
		if (loom_mask_has(&patches->active.banks, bank))
			continue;
		patches->debt[bank] += chunks;
		if (patches->debt[bank] < 2 * patches->chunk_count)
			continue;
		patches->debt[bank] = 0;
		loom_mask_set(&set.banks, bank);
		loom_mask_set(&patches->active.banks, bank);
	}
	if (loom_mask_next(&set.banks, 0) < DRM_LOOM_MAX_BANKS)
		loom_patch_sum_all(patches, &set);
}

/* The sums that tell of the banks: of their class, or of some of them, or none. */
static void loom_patch_choose(struct loom_patches *patches, struct loom_patch_search *search,
			      bool few)
{
	const struct loom_mask *mask = search->want->mask;
	struct loom_patch_class *class;
	bool same;
	u32 bank;

	class = loom_patch_class(patches->class, LOOM_PATCH_CLASSES, mask, &same);
	if (same) {
		class->used = patches->searches;
		search->sums[search->sum_count++] = (u32)(class - patches->class);
		search->whole = true;
		return;
	}
	if (!few)
		return;
	search->whole = loom_mask_within(mask, &patches->active.banks);
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		if (loom_mask_has(&patches->active.banks, bank))
			search->sums[search->sum_count++] = LOOM_PATCH_CLASSES + bank;
}

bool loom_patches_fit(struct loom_patches *patches, const struct loom_patch_want *want,
		      u64 *address)
{
	struct loom_patch_search search = { .want = want };
	u32 chunks;
	bool few;

	loom_patch_push(&search, want->top_down ? want->high : want->low);
	if (patches->count && !search.failed) {
		patches->searches++;
		few = loom_mask_count(want->mask) <= LOOM_PATCH_FEW;
		loom_patch_choose(patches, &search, few);
		loom_patch_scan(patches, &search);
		chunks = min(search.chunks, patches->chunk_count);
		if (chunks && patches->chunk_count > 1 && few && !search.whole)
			loom_patch_learn_banks(patches, want->mask, chunks);
		else if (chunks && patches->chunk_count > 1 &&
			 (!search.whole || search.sum_count > 1))
			loom_patch_learn_class(patches, want->mask, chunks);
	}
	*address = want->top_down ? search.at - want->size : search.at;
	return !search.failed;
}

/* ----------------------------------------------------------------- change */

static void loom_patch_count(struct loom_patches *patches, const struct loom_bank_block *block,
			     bool more)
{
	u32 bank;

	for (bank = loom_mask_next(&block->mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&block->mask, bank + 1)) {
		if (more)
			patches->bytes[bank] += block->size;
		else
			patches->bytes[bank] -= block->size;
	}
	patches->count += more ? 1 : -1;
}

/* The last chunk that begins at @start or below, or the first of all. */
static struct loom_patch_chunk *loom_patch_at(struct loom_patches *patches, u64 start)
{
	struct loom_treap_node *node = patches->chunks.root, *found = NULL, *first = NULL;

	while (node) {
		if (loom_patch_chunk(node)->start[0] <= start) {
			found = node;
			node = node->child[HIGH];
		} else {
			first = node;
			node = node->child[LOW];
		}
	}
	return loom_patch_chunk(found ? found : first);
}

static void loom_patch_move(struct loom_patch_chunk *to, u32 at, struct loom_patch_chunk *from,
			    u32 first, u32 count)
{
	memmove(&to->start[at], &from->start[first], count * sizeof(*to->start));
	memmove(&to->end[at], &from->end[first], count * sizeof(*to->end));
	memmove(&to->mask[at], &from->mask[first], count * sizeof(*to->mask));
	memmove(&to->block[at], &from->block[first], count * sizeof(*to->block));
	if (to != from)
		while (count--)
			to->block[at + count]->chunk = to;
}

static void loom_patch_link(struct loom_patches *patches, struct loom_patch_chunk *chunk,
			    struct loom_patch_chunk *previous)
{
	loom_patch_sum_own(patches, chunk, &patches->active);
	loom_treap_link_after(&patches->chunks, &chunk->node, previous ? &previous->node : NULL);
	loom_patch_propagate(chunk->node.parent, &patches->active);
	patches->chunk_count++;
}

static void loom_patch_unlink(struct loom_patches *patches, struct loom_patch_chunk *chunk)
{
	loom_patch_propagate(loom_treap_unlink(&patches->chunks, &chunk->node),
			     &patches->active);
	chunk->node.parent = patches->idle ? &patches->idle->node : NULL;
	patches->idle = chunk;
	patches->chunk_count--;
}

static struct loom_patch_chunk *loom_patch_take(struct loom_patches *patches,
						struct loom_patch_chunk **spare)
{
	struct loom_patch_chunk *chunk = patches->idle;

	if (chunk) {
		patches->idle = loom_patch_chunk(chunk->node.parent);
	} else if (spare) {
		chunk = *spare;
		*spare = NULL;
	}
	if (chunk)
		chunk->count = 0;
	return chunk;
}

bool loom_patches_insert(struct loom_patches *patches, struct loom_bank_block *block,
			 struct loom_patch_chunk **spare)
{
	struct loom_patch_chunk *chunk = loom_patch_at(patches, block->start), *half = NULL;
	struct loom_patch_set set;
	u32 i;

	if (!chunk || chunk->count == LOOM_PATCH_FAN) {
		half = loom_patch_take(patches, spare);
		if (!half)
			return false;
	}
	if (half && chunk) {
		half->count = LOOM_PATCH_FAN / 2;
		chunk->count -= half->count;
		loom_patch_move(half, 0, chunk, chunk->count, half->count);
		loom_patch_changed(patches, chunk, &patches->active);
		loom_patch_link(patches, half, chunk);
		if (half->start[0] <= block->start)
			chunk = half;
	}
	if (!chunk)
		chunk = half;

	for (i = chunk->count; i && chunk->start[i - 1] > block->start; i--)
		;
	loom_patch_move(chunk, i + 1, chunk, i, chunk->count - i);
	chunk->start[i] = block->start;
	chunk->end[i] = block->start + block->size;
	chunk->mask[i] = block->mask;
	chunk->block[i] = block;
	chunk->count++;
	block->chunk = chunk;
	if (!patches->chunks.root) {
		loom_patch_link(patches, chunk, NULL);
	} else {
		set = loom_patch_meeting(patches, &block->mask);
		loom_patch_changed(patches, chunk, &set);
	}
	loom_patch_count(patches, block, true);
	return true;
}

void loom_patches_remove(struct loom_patches *patches, struct loom_bank_block *block)
{
	struct loom_patch_chunk *chunk = block->chunk, *next;
	struct loom_patch_set set = loom_patch_meeting(patches, &block->mask);
	u32 i;

	for (i = 0; chunk->block[i] != block; i++)
		;
	chunk->count--;
	loom_patch_move(chunk, i, chunk, i + 1, chunk->count - i);
	loom_patch_count(patches, block, false);
	if (!chunk->count) {
		loom_patch_unlink(patches, chunk);
		/* nobody wants sums of single banks any more, until somebody does */
		if (!patches->count)
			memset(&patches->active.banks, 0, sizeof(patches->active.banks));
		return;
	}
	next = loom_patch_chunk(loom_treap_near(&chunk->node, HIGH));
	if (next && chunk->count + next->count <= LOOM_PATCH_FAN / 2) {
		loom_patch_move(chunk, chunk->count, next, 0, next->count);
		chunk->count += next->count;
		loom_patch_unlink(patches, next);
		set = patches->active;
	}
	loom_patch_changed(patches, chunk, &set);
}

/* ------------------------------------------------------------------ whole */

void loom_patches_init(struct loom_patches *patches)
{
	memset(patches, 0, sizeof(*patches));
	patches->chunks.update = loom_patch_update;
}

void loom_patches_fini(struct loom_patches *patches)
{
	struct loom_patch_chunk *chunk;

	while (patches->chunks.root)
		loom_patch_unlink(patches, loom_patch_chunk(patches->chunks.root));
	while ((chunk = patches->idle)) {
		patches->idle = loom_patch_chunk(chunk->node.parent);
		loom_port_free(chunk);
	}
}

u64 loom_patches_lowest(const struct loom_patches *patches)
{
	return patches->count ? loom_patch_chunk(patches->chunks.root)->sum.low : U64_MAX;
}

void loom_patches_begin(struct loom_patches *patches, struct loom_patch_cursor *cursor)
{
	struct loom_treap_node *root = patches->chunks.root;

	cursor->chunk = root ? loom_patch_chunk(loom_treap_end(root, LOW)) : NULL;
	cursor->index = 0;
}

void loom_patches_step(struct loom_patch_cursor *cursor)
{
	if (++cursor->index < cursor->chunk->count)
		return;
	cursor->chunk = loom_patch_chunk(loom_treap_near(&cursor->chunk->node, HIGH));
	cursor->index = 0;
}
