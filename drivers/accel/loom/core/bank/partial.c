// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "extent.h"

/**
 * DOC: Blocks on some banks
 *
 * A partial block is on some banks of a region only. It has one address, as all blocks have, and
 * conflicts only with blocks that share a bank with it. So partial blocks may lie at the same
 * addresses, and the tree of bank.c, whose blocks are disjoint, cannot hold them.
 *
 * They are kept ordered by start, 64 in a chunk, the chunks in an augmented treap. A search moves a
 * candidate place along this order: every block that shares a bank with the request and overlaps
 * the candidate moves it past itself. Up to LOOM_PARTIAL_LINEAR chunks that is all: nothing but the
 * union of the banks is kept of a chunk. It is as fast as a sorted array there, and the array is
 * the faster the fewer there are; sums took 2 to 10 times as long.
 *
 * With more chunks, extents make it O(log n): a subtree knows, for a certain bank or for a certain
 * set of banks (a mask class), where its blocks that are on it begin and end, and how large the
 * largest gap between them is. Where no gap is large enough the search passes the subtree in one
 * step. Subtrees without a block on a bank that is asked for are skipped, and those whose blocks
 * all end before the candidate or start behind it. Programs use few masks, many times: a mask
 * becomes a class when the searches without extents have cost about as much as computing the
 * extents does. There are 64 classes; the least recently used one is replaced. Extents of single
 * banks are introduced likewise. They serve masks of up to 16 banks that are not a class: a range
 * must be free in each of the banks, so a gap that is too small in one bank rules it out. A mask
 * without extents remains a scan.
 *
 * For one bank a search is O(log n), as it is for a class. With several banks each has gaps where
 * another has none, and the search descends wherever all have one nearby. Larger masks that are not
 * repeated remain a scan, of 5 us at 10000 blocks. Some case has to remain: whether one of n sets
 * is disjoint from a given set is the orthogonal vectors problem, for which no method is known that
 * is better than comparing with (almost) all of them if there are more banks than log n.
 * Documentation/memory.rst has the figures.
 *
 * What was rejected: a tree per bank, or per group of banks that are occupied alike, with a search
 * that alternates between them until all agree. It is as good for few masks. But a block then costs
 * a node in each group, 70 tree updates on 140 banks and 7 KiB where this costs one and 0.6 KiB,
 * and many masks that all conflict are passed one by one in each tree. A bitmap per bank and
 * address costs memory in the size of the bank: 96 Ki bits for each of 140 banks of SRAM, 64 Mi for
 * each of 12 of DRAM. Segments of constant occupancy cost a write to each that a block covers.
 * There would be ten thousand extents of pairs of banks. Extents of single banks for masks of more
 * than 16 banks take 32 us instead of 40 for rectangles of a grid, but 118 instead of 54 for halves
 * of the banks.
 *
 * The gap of an extent is an upper bound: the space between two blocks may be covered by a third
 * that starts long before. The search then descends and finds nothing.
 */

enum { LOW, HIGH };

/* --- search */

/*
 * @request: what is searched for
 * @at: start of the candidate range; in a search from the top, its end
 * @extents: indices of the extents that apply: all their blocks conflict with the request
 * @extent_count: number of @extents
 * @whole: every block that conflicts with the request counts for one of @extents
 * @chunks: number of chunks that were scanned
 * @found: no further block can move the candidate
 * @failed: there is no free range
 */
struct loom_partial_search {
	const struct loom_partial_request *request;
	u64 at;
	u32 extents[LOOM_PARTIAL_FEW];
	u32 extent_count;
	bool whole;
	u32 chunks;
	bool found;
	bool failed;
};

/* Moves the candidate to start at @to or above; in a search from the top, to end there or below. */
static void partial_advance(struct loom_partial_search *search, u64 to)
{
	const struct loom_partial_request *request = search->request;
	u64 start, mask = request->align - 1;

	if (!request->top_down) {
		search->failed = check_add_overflow(to, mask, &start);
		start &= ~mask;
		search->at = start;
		search->failed |= request->high < request->size ||
				  start > request->high - request->size;
		return;
	}
	search->failed = to < request->size;
	if (search->failed)
		return;
	start = (to - request->size) & ~mask;
	search->failed = start < request->low;
	search->at = start + request->size;
}

/*
 * Moves the candidate past the blocks of an extent if it fits between none of them. Return: true
 * if it may fit between two, so that they have to be compared one by one.
 */
static bool partial_skip(struct loom_partial_search *search,
			 const struct loom_partial_extent *extent, bool *moved)
{
	const struct loom_partial_request *request = search->request;
	u64 low = request->top_down ? search->at - request->size : search->at;

	if (extent->last <= low || extent->first >= low + request->size)
		return false;
	if (extent->gap >= request->size)
		return true;
	/* it overlaps the extent and fits into none of its gaps */
	partial_advance(search, request->top_down ? extent->first : extent->last);
	*moved = true;
	return false;
}

/*
 * Whether the blocks of a summary have to be compared with the candidate one by one. If not, it
 * has been moved past all that conflict.
 */
static bool partial_relevant(struct loom_partial_search *search,
			     const struct loom_partial_summary *sum,
			     const struct loom_partial_extent *extents)
{
	const struct loom_partial_request *request = search->request;
	bool inside, moved;
	u64 low;
	u32 i;

	if (search->found || search->failed || !loom_mask_overlaps(&sum->banks, request->mask))
		return false;
	do {
		low = request->top_down ? search->at - request->size : search->at;
		if (sum->end <= low)
			return false;
		if (sum->start >= low + request->size) {
			/* in a search from the bottom, all that follow start even higher */
			search->found = !request->top_down;
			return false;
		}
		inside = !search->whole;
		moved = false;
		/* repeat until no extent moves it: moved past one, it may overlap another */
		for (i = 0; i < search->extent_count && !search->failed; i++)
			inside |= partial_skip(search, &extents[search->extents[i]], &moved);
	} while (moved && search->extent_count > 1 && !search->failed);
	return inside && !search->failed;
}

/*
 * Compares the candidate with the blocks of a chunk, and moves it past those that conflict. This is
 * what a search without extents does all the time, so the candidate is in a register, and whether
 * it has left the range is asked when it has passed the chunk.
 */
static void partial_scan_up(struct loom_partial_search *search,
			    const struct loom_partial_chunk *chunk)
{
	const struct loom_partial_request *request = search->request;
	const struct loom_mask banks = *request->mask;
	u64 at = search->at, size = request->size, mask = request->align - 1, start;
	u32 k;

	for (k = 0; k < chunk->count; k++) {
		if (chunk->entry[k].start >= at + size)
			break;
		if (chunk->entry[k].end <= at || !loom_mask_overlaps(&chunk->entry[k].mask, &banks))
			continue;
		if (check_add_overflow(chunk->entry[k].end, mask, &start)) {
			search->failed = true;
			return;
		}
		at = start & ~mask;
		/* the sum of both stays below the end of the range, or it has failed */
		if (at > request->high - size) {
			search->failed = true;
			return;
		}
	}
	search->at = at;
	search->found = k < chunk->count;
}

static void partial_scan_down(struct loom_partial_search *search,
			      const struct loom_partial_chunk *chunk)
{
	const struct loom_partial_request *request = search->request;
	const struct loom_mask banks = *request->mask;
	u64 at = search->at, size = request->size, mask = request->align - 1;
	u32 k;

	for (k = chunk->count; k-- > 0;) {
		if (chunk->entry[k].start >= at || chunk->entry[k].end <= at - size ||
		    !loom_mask_overlaps(&chunk->entry[k].mask, &banks))
			continue;
		if (chunk->entry[k].start < size ||
		    ((chunk->entry[k].start - size) & ~mask) < request->low) {
			search->failed = true;
			return;
		}
		at = ((chunk->entry[k].start - size) & ~mask) + size;
	}
	search->at = at;
}

static void partial_scan_chunk(struct loom_partial_search *search,
			       const struct loom_partial_chunk *chunk)
{
	search->chunks++;
	if (search->request->top_down)
		partial_scan_down(search, chunk);
	else
		partial_scan_up(search, chunk);
}

static bool partial_subtree_relevant(struct loom_partial_search *search,
				     const struct loom_treap_node *node)
{
	const struct loom_partial_chunk *chunk = partial_chunk(node);

	return partial_relevant(search, &chunk->subtree, chunk->subtree_extent);
}

/* The first chunk of a subtree that is not skipped. Its own blocks may be irrelevant. */
static struct loom_treap_node *partial_enter(struct loom_partial_search *search,
					     struct loom_treap_node *node, int side)
{
	while (node->child[side] && partial_subtree_relevant(search, node->child[side]))
		node = node->child[side];
	return node;
}

static void partial_search(struct loom_partials *partials, struct loom_partial_search *search)
{
	int side = search->request->top_down ? HIGH : LOW;
	struct loom_treap_node *node = partials->chunks.root;

	if (!partial_subtree_relevant(search, node))
		return;
	node = partial_enter(search, node, side);
	while (node && !search->found && !search->failed) {
		struct loom_treap_node *child = node->child[!side];

		if (partial_relevant(search, &partial_chunk(node)->own,
				     partial_chunk(node)->own_extent))
			partial_scan_chunk(search, partial_chunk(node));
		if (child && partial_subtree_relevant(search, child)) {
			node = partial_enter(search, child, side);
			continue;
		}
		while (node->parent && node->parent->child[!side] == node)
			node = node->parent;
		node = node->parent;
	}
}

/* Without extents: all chunks, one after the other. */
static void partial_search_all(struct loom_partials *partials, struct loom_partial_search *search)
{
	const struct loom_partial_request *request = search->request;
	const struct loom_partial_chunk *chunk = partials->outer[request->top_down ? HIGH : LOW];
	u64 low;

	for (; chunk && !search->found && !search->failed;
	     chunk = chunk->neighbour[request->top_down ? LOW : HIGH]) {
		low = request->top_down ? search->at - request->size : search->at;
		if (chunk->own.end > low && loom_mask_overlaps(&chunk->own.banks, request->mask))
			partial_scan_chunk(search, chunk);
	}
}

/* The number of classes up to the last one that is maintained: they are filled in order. */
static u32 partial_classes(const struct loom_partials *partials)
{
	u64 classes = partials->maintained.classes;

	return classes ? 64 - (u32)__builtin_clzll(classes) : 0;
}

/* The extents that a search can use: of the class of its mask, or of some of its banks. */
static void partial_choose(struct loom_partials *partials, struct loom_partial_search *search,
			   bool few)
{
	const struct loom_mask *mask = search->request->mask;
	struct loom_partial_class *class;
	bool same;
	u32 bank;

	class = loom_extents_class(partials->class, partial_classes(partials), mask, &same);
	if (same && partials->maintained.classes >> (class - partials->class) & 1) {
		class->last_used = partials->searches;
		search->extents[search->extent_count++] = (u32)(class - partials->class);
		search->whole = true;
		return;
	}
	if (!few)
		return;
	search->whole = loom_mask_within(mask, &partials->maintained.banks);
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		if (loom_mask_has(&partials->maintained.banks, bank))
			search->extents[search->extent_count++] = LOOM_PARTIAL_CLASSES + bank;
}

bool loom_partials_fit(struct loom_partials *partials, const struct loom_partial_request *request,
		       u64 *address)
{
	struct loom_partial_search search = { .request = request };
	u32 chunks;
	bool few;

	partial_advance(&search, request->top_down ? request->high : request->low);
	if (partials->count && !search.failed && partials->chunk_count <= partials->linear &&
	    !partials->indexed) {
		partial_search_all(partials, &search);
	} else if (partials->count && !search.failed) {
		partials->searches++;
		few = loom_mask_count(request->mask) <= LOOM_PARTIAL_FEW;
		if (partials->indexed)
			partial_choose(partials, &search, few);
		if (partials->indexed)
			partial_search(partials, &search);
		else
			partial_search_all(partials, &search);
		chunks = min(search.chunks, partials->chunk_count);
		if (chunks && partials->chunk_count > 1 && few && !search.whole)
			loom_extents_add_banks(partials, request->mask, chunks);
		else if (chunks && partials->chunk_count > 1 &&
			 (!search.whole || search.extent_count > 1))
			loom_extents_add_class(partials, request->mask, chunks);
	}
	*address = request->top_down ? search.at - request->size : search.at;
	return !search.failed;
}

/* --- change */

/* The last chunk that starts at @start or below, or the first of all. */
static struct loom_partial_chunk *partial_at(struct loom_partials *partials, u64 start)
{
	struct loom_treap_node *node = partials->chunks.root, *found = NULL, *first = NULL;

	while (node) {
		if (partial_chunk(node)->entry[0].start <= start) {
			found = node;
			node = node->child[HIGH];
		} else {
			first = node;
			node = node->child[LOW];
		}
	}
	return partial_chunk(found ? found : first);
}

static void partial_move(struct loom_partial_chunk *to, u32 at, struct loom_partial_chunk *from,
			 u32 first, u32 count)
{
	memmove(&to->entry[at], &from->entry[first], count * sizeof(*to->entry));
	if (to != from)
		while (count--)
			to->entry[at + count].block->chunk = to;
}

/* Where the neighbour of @chunk towards @side is noted; without one, that of the end. */
static struct loom_partial_chunk **partial_link_to(struct loom_partials *partials,
						   struct loom_partial_chunk *chunk, int side)
{
	return chunk ? &chunk->neighbour[side] : &partials->outer[!side];
}

static void partial_link(struct loom_partials *partials, struct loom_partial_chunk *chunk,
			 struct loom_partial_chunk *previous)
{
	loom_extents_summarise_own(chunk, &partials->maintained);
	loom_treap_link_after(&partials->chunks, &chunk->node, previous ? &previous->node : NULL);
	chunk->neighbour[LOW] = previous;
	chunk->neighbour[HIGH] = previous ? previous->neighbour[HIGH] : partials->outer[LOW];
	*partial_link_to(partials, previous, HIGH) = chunk;
	*partial_link_to(partials, chunk->neighbour[HIGH], LOW) = chunk;
	loom_extents_propagate(partials, chunk->node.parent, partials->maintained);
	partials->chunk_count++;
}

static void partial_unlink(struct loom_partials *partials, struct loom_partial_chunk *chunk)
{
	loom_extents_propagate_all(partials, loom_treap_unlink(&partials->chunks, &chunk->node));
	*partial_link_to(partials, chunk->neighbour[LOW], HIGH) = chunk->neighbour[HIGH];
	*partial_link_to(partials, chunk->neighbour[HIGH], LOW) = chunk->neighbour[LOW];
	chunk->node.parent = partials->idle ? &partials->idle->node : NULL;
	partials->idle = chunk;
	partials->chunk_count--;
}

static struct loom_partial_chunk *partial_take(struct loom_partials *partials,
					       struct loom_partial_chunk **spare)
{
	struct loom_partial_chunk *chunk = partials->idle;

	if (chunk) {
		partials->idle = partial_chunk(chunk->node.parent);
	} else if (spare) {
		chunk = *spare;
		*spare = NULL;
	}
	if (chunk)
		chunk->count = 0;
	return chunk;
}

/* Keeps the sums of bytes while somebody has asked for them not long ago. */
static void partial_count(struct loom_partials *partials, const struct loom_mask *mask, u64 bytes)
{
	u32 bank;

	if (!partials->bytes_known || !--partials->bytes_known)
		return;
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		partials->bytes[bank] += bytes;
}

bool loom_partials_insert(struct loom_partials *partials, struct loom_bank_block *block,
			  struct loom_partial_chunk **spare)
{
	struct loom_partial_chunk *chunk = partial_at(partials, block->start), *half = NULL;
	struct loom_partial_set set;
	u32 i;

	if (!chunk || chunk->count == LOOM_PARTIAL_FAN) {
		half = partial_take(partials, spare);
		if (!half)
			return false;
	}
	if (half && chunk) {
		half->count = LOOM_PARTIAL_FAN / 2;
		chunk->count -= half->count;
		partial_move(half, 0, chunk, chunk->count, half->count);
		loom_extents_update_chunk(partials, chunk, &partials->maintained);
		partial_link(partials, half, chunk);
		if (half->entry[0].start <= block->start)
			chunk = half;
	}
	if (!chunk)
		chunk = half;

	for (i = chunk->count; i && chunk->entry[i - 1].start > block->start; i--)
		;
	partial_move(chunk, i + 1, chunk, i, chunk->count - i);
	chunk->entry[i] = (struct loom_partial_entry){
		.start = block->start,
		.end = block->start + block->size,
		.mask = block->mask,
		.block = block,
	};
	if (partials->indexed)
		chunk->entry[i].classes = loom_extents_affected(partials, &block->mask).classes;
	chunk->count++;
	block->chunk = chunk;
	if (!partials->chunks.root) {
		partial_link(partials, chunk, NULL);
	} else if (partials->indexed) {
		set = loom_extents_affected(partials, &block->mask);
		loom_extents_update_chunk(partials, chunk, &set);
	} else {
		loom_mask_add(&chunk->own.banks, &block->mask);
		chunk->own.start = chunk->entry[0].start;
		chunk->own.end = max(chunk->own.end, chunk->entry[i].end);
	}
	partials->count++;
	partial_count(partials, &block->mask, block->size);
	return true;
}

/* A block went from a chunk that is not indexed. Its banks are looked up now and then only. */
static void partial_shrink(struct loom_partial_chunk *chunk, u64 end)
{
	u32 k;

	chunk->own.start = chunk->entry[0].start;
	if (chunk->count % 8 == 0) {
		loom_extents_summarise_banks(chunk);
	} else if (end == chunk->own.end) {
		chunk->own.end = 0;
		for (k = 0; k < chunk->count; k++)
			chunk->own.end = max(chunk->own.end, chunk->entry[k].end);
	}
}

/* So few chunks are left that their summaries are not worth their updates. */
static void partial_forget(struct loom_partials *partials)
{
	partials->indexed = false;
	memset(&partials->maintained, 0, sizeof(partials->maintained));
	/* filled in order again, see partial_classes() */
	memset(partials->class, 0, sizeof(partials->class));
}

void loom_partials_remove(struct loom_partials *partials, struct loom_bank_block *block)
{
	struct loom_partial_chunk *chunk = block->chunk, *next = NULL;
	struct loom_partial_set set;
	u32 i;

	for (i = 0; chunk->entry[i].block != block; i++)
		;
	chunk->count--;
	partial_move(chunk, i, chunk, i + 1, chunk->count - i);
	partials->count--;
	partial_count(partials, &block->mask, -block->size);
	if (partials->indexed && partials->chunk_count <= partials->linear / 2)
		partial_forget(partials);
	if (!chunk->count) {
		partial_unlink(partials, chunk);
		if (!partials->count)
			partial_forget(partials);
		return;
	}
	if (chunk->count <= LOOM_PARTIAL_FAN / 2)
		next = chunk->neighbour[HIGH];
	if (next && chunk->count + next->count <= LOOM_PARTIAL_FAN / 2) {
		partial_move(chunk, chunk->count, next, 0, next->count);
		chunk->count += next->count;
		partial_unlink(partials, next);
		loom_extents_update_chunk(partials, chunk, &partials->maintained);
	} else if (partials->indexed) {
		set = loom_extents_affected(partials, &block->mask);
		loom_extents_update_chunk(partials, chunk, &set);
	} else {
		partial_shrink(chunk, block->start + block->size);
	}
}

/* --- the set as a whole */

void loom_partials_init(struct loom_partials *partials)
{
	memset(partials, 0, sizeof(*partials));
	partials->chunks.update = loom_extents_update;
	partials->linear = LOOM_PARTIAL_LINEAR;
}

void loom_partials_fini(struct loom_partials *partials)
{
	struct loom_partial_chunk *chunk;

	while (partials->chunks.root)
		partial_unlink(partials, partial_chunk(partials->chunks.root));
	while ((chunk = partials->idle)) {
		partials->idle = partial_chunk(chunk->node.parent);
		loom_port_free(chunk);
	}
}

u64 loom_partials_bytes(struct loom_partials *partials, u32 bank)
{
	struct loom_partial_cursor cursor;
	u32 i;

	if (!partials->bytes_known)
		memset(partials->bytes, 0, sizeof(partials->bytes));
	for (loom_partials_begin(partials, &cursor); cursor.chunk && !partials->bytes_known;
	     loom_partials_step(&cursor)) {
		const struct loom_partial_chunk *chunk = cursor.chunk;
		const struct loom_mask *mask = &chunk->entry[cursor.index].mask;

		for (i = loom_mask_next(mask, 0); i < DRM_LOOM_MAX_BANKS;
		     i = loom_mask_next(mask, i + 1))
			partials->bytes[i] += chunk->entry[cursor.index].end -
					      chunk->entry[cursor.index].start;
	}
	/* so many changes are added to the sums before they are given up */
	partials->bytes_known = 64 + partials->count / 8;
	return partials->bytes[bank];
}

u64 loom_partials_lowest(const struct loom_partials *partials)
{
	if (!partials->count)
		return U64_MAX;
	return partials->outer[LOW]->entry[0].start;
}
