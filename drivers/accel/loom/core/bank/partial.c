// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "chunk.h"
#include "extent.h"
#include "scan.h"

/**
 * DOC: Blocks on some banks
 *
 * A partial block is on some banks of a region only. It has one address, as all blocks have, and
 * conflicts only with blocks that share a bank with it. So partial blocks may lie at the same
 * addresses, and the tree of bank.c, whose blocks are disjoint, cannot hold them.
 *
 * They are kept ordered by start, 64 in a chunk, the chunks in an augmented treap. In a chunk a
 * block keeps its slot; what is ordered is the numbers of the slots, a byte each. A search moves a
 * candidate place along this order: every block that shares a bank with the request and overlaps
 * the candidate moves it past itself, see scan.h. Up to LOOM_PARTIAL_LINEAR chunks that is all:
 * nothing is kept of a chunk but the union of the banks, and for requests on all banks the largest
 * hole that is left in it, which is computed when one asks. Sums took 2 to 10 times as long there.
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
 *
 * Nor is the gap of a chunk always computed when its blocks change. Where masks recur, a block
 * counts for most of the classes, and first fit puts many into the largest gap of several. What is
 * left of it is then looked up by the first search that comes to the chunk because of it, for its
 * own class only; until then the old one is the bound. When a block goes, the gap that it leaves is
 * bounded by few of the blocks before. With 10000 blocks on one of eight sets that saves a sixth of
 * the time of an allocation and a free. Rejected: to keep a bound of all gaps but the largest, too,
 * from which that of what is left follows (6 to 9 % slower), to keep what searches ask of blocks
 * apart from their masks (2 to 4 % faster, but 3 to 6 % slower with 300 blocks), and to prefetch
 * extents (no faster).
 */

enum { LOW, HIGH };

/* --- search */

/*
 * @scan: the candidate
 * @extents: indices of the extents that apply: all their blocks conflict with the request
 * @extent_count: number of @extents
 * @whole: every block that conflicts with the request counts for one of @extents
 * @chunks: number of chunks that were scanned
 * @found: no further block can move the candidate
 * @located: the scan of a chunk has shown that, so it ended at the place
 */
struct loom_partial_search {
	struct loom_scan *scan;
	u32 extents[LOOM_PARTIAL_FEW];
	u32 extent_count;
	bool whole;
	u32 chunks;
	bool found;
	bool located;
};

/*
 * Moves the candidate past the blocks of an extent if it fits between none of them. Return: true
 * if it may fit between two, so that they have to be compared one by one.
 */
static __always_inline bool partial_skip(struct loom_partial_search *search,
					 const struct loom_partial_extent *extent, bool *moved)
{
	struct loom_scan *scan = search->scan;

	if (extent->last <= scan->at || extent->first >= scan->at + scan->size)
		return false;
	if (extent->gap >= scan->size)
		return true;
	/* it overlaps the extent and fits into none of its gaps */
	loom_scan_move(scan, scan->top_down ? extent->first : extent->last);
	*moved = true;
	return false;
}

/* The same where all that conflicts counts for one extent, which says more than the summary. */
static __always_inline bool partial_relevant_one(struct loom_partial_search *search,
						 const struct loom_partial_extent *extent)
{
	const struct loom_scan *scan = search->scan;
	bool moved;

	/* in a search from the bottom, all that follow start even higher */
	if (extent->last > scan->at && extent->first >= scan->at + scan->size)
		search->found = !scan->top_down;
	return partial_skip(search, extent, &moved);
}

/* The same by all extents that apply, and by the summary. */
static __always_inline bool partial_relevant_some(struct loom_partial_search *search,
						  const struct loom_partial_chunk *chunk, bool own)
{
	const struct loom_partial_summary *sum = own ? &chunk->own : &chunk->subtree;
	const struct loom_partial_known *known;
	struct loom_scan *scan = search->scan;
	bool inside, moved;
	u32 i;

	if (!loom_mask_overlaps(&sum->banks, scan->banks))
		return false;
	do {
		if (sum->end <= scan->at)
			return false;
		if (sum->start >= scan->at + scan->size) {
			/* in a search from the bottom, all that follow start even higher */
			search->found = !scan->top_down;
			return false;
		}
		inside = !search->whole;
		moved = false;
		/* repeat until no extent moves it: moved past one, it may overlap another */
		for (i = 0; i < search->extent_count && !scan->failed; i++) {
			known = &chunk->known[search->extents[i]];
			inside |= partial_skip(search, own ? &known->own : &known->subtree, &moved);
		}
	} while (moved && search->extent_count > 1 && !scan->failed);
	return inside && !scan->failed;
}

static noinline bool partial_relevant_subtree(struct loom_partial_search *search,
					      const struct loom_partial_chunk *chunk)
{
	return partial_relevant_some(search, chunk, false);
}

/*
 * Whether the blocks of a chunk, or of a subtree, have to be compared with the candidate one by
 * one. If not, it has been moved past all that conflict. @one: a constant: all that conflicts
 * counts for one extent.
 */
static __always_inline bool partial_relevant(struct loom_partial_search *search,
					     const struct loom_partial_chunk *chunk, bool own,
					     bool one)
{
	const struct loom_partial_known *known = &chunk->known[search->extents[0]];

	if (search->found || search->scan->failed)
		return false;
	if (one)
		return partial_relevant_one(search, own ? &known->own : &known->subtree);
	return own ? partial_relevant_some(search, chunk, true) :
		     partial_relevant_subtree(search, chunk);
}

/* The first chunk of a subtree that is not skipped. Its own blocks may be irrelevant. */
static __always_inline struct loom_treap_node *partial_enter(struct loom_partial_search *search,
							     struct loom_treap_node *node,
							     int side, bool one)
{
	struct loom_treap_node *child;

	while ((child = node->child[side]) &&
	       partial_relevant(search, partial_chunk(child), false, one))
		node = child;
	return node;
}

/* Whether the blocks of a chunk have to be compared one by one, by what is found in it. */
static __always_inline bool partial_chunk_relevant(struct loom_partial_search *search,
						   struct loom_partial_chunk *chunk, bool one)
{
	bool tight = true;
	u32 i;

	if (!partial_relevant(search, chunk, true, one))
		return false;
	for (i = 0; i < (one ? 1 : search->extent_count); i++) {
		const struct loom_partial_known *known = &chunk->known[search->extents[i]];

		if (known->own_gap == LOOM_GAP_UNKNOWN && known->own.gap >= search->scan->size)
			tight &= !loom_extents_tighten(chunk, search->extents[i]);
	}
	return tight || partial_relevant(search, chunk, true, one);
}

/* @one: see partial_relevant(). */
static __always_inline void partial_search(struct loom_partials *partials,
					   struct loom_partial_search *search, bool one)
{
	int side = search->scan->top_down ? HIGH : LOW;
	struct loom_treap_node *node = partials->chunks.root, *child;
	struct loom_partial_chunk *chunk;

	if (!node || !partial_relevant(search, partial_chunk(node), false, one))
		return;
	node = partial_enter(search, node, side, one);
	while (node && !search->found && !search->scan->failed) {
		search->scan->looks += LOOM_SCAN_NODE;
		chunk = partial_chunk(node);
		if (partial_chunk_relevant(search, chunk, one)) {
			search->chunks++;
			search->found = loom_scan_chunk(search->scan, chunk,
							side == HIGH ? chunk->count : 0);
			search->located = search->found;
		}
		child = node->child[!side];
		if (child && partial_relevant(search, partial_chunk(child), false, one)) {
			node = partial_enter(search, child, side, one);
			continue;
		}
		while (node->parent && node->parent->child[!side] == node)
			node = node->parent;
		node = node->parent;
	}
}

/* The number of classes up to the last one that is maintained: they are filled in order. */
static u32 partial_classes(const struct loom_partials *partials)
{
	u64 classes = partials->maintained.classes;

	return classes ? 64 - (u32)__builtin_clzll(classes) : 0;
}

/* Whether a mask has so few banks that it is searched by the extents of each of them. */
static bool partial_is_few(const struct loom_mask *mask)
{
	return loom_mask_count(mask) <= LOOM_PARTIAL_FEW;
}

/* The extents that a search can use: of the class of its mask, or of some of its banks. */
static void partial_choose(struct loom_partials *partials, struct loom_partial_search *search)
{
	const struct loom_mask *mask = search->scan->banks;
	struct loom_partial_class *class;
	bool same;
	u32 bank;

	class = loom_extents_class(partials->class, partial_classes(partials), mask, &same);
	if (same && partials->maintained.classes >> (class - partials->class) & 1) {
		class->last_used = partials->searches;
		partials->asked = (u32)(class - partials->class);
		search->scan->class = partials->asked;
		search->extents[search->extent_count++] = search->scan->class;
		search->whole = true;
		return;
	}
	if (!partial_is_few(mask))
		return;
	search->whole = loom_mask_within(mask, &partials->maintained.banks);
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		if (loom_mask_has(&partials->maintained.banks, bank))
			search->extents[search->extent_count++] = LOOM_PARTIAL_CLASSES + bank;
}

/* Uses extents, and notes what the search has cost, so that there are some where it was much. */
void loom_partials_search_many(struct loom_partials *partials, struct loom_scan *scan)
{
	struct loom_partial_search search = { .scan = scan };
	u32 chunks = partials->chunk_count;

	partials->searches++;
	if (partials->indexed) {
		partial_choose(partials, &search);
		if (search.whole && search.extent_count == 1)
			partial_search(partials, &search, true);
		else
			partial_search(partials, &search, false);
		scan->class = LOOM_PARTIAL_CLASSES;
		if (!search.located || scan->top_down)
			scan->from.chunk = NULL;
		chunks = min(search.chunks, chunks);
	} else {
		loom_partials_scan(partials, scan);
	}
	if (!chunks || partials->chunk_count == 1 || (search.whole && search.extent_count == 1))
		return;
	if (!search.whole && partial_is_few(scan->banks))
		loom_extents_add_banks(partials, scan->banks, chunks);
	else
		loom_extents_add_class(partials, scan->banks, chunks);
}

/* --- change */

struct loom_partial_chunk *loom_partials_at(struct loom_partials *partials, u64 start)
{
	struct loom_treap_node *node = partials->chunks.root, *found = NULL, *first = NULL;

	while (node) {
		if (loom_partial_entry(partial_chunk(node), 0)->start <= start) {
			found = node;
			node = node->child[HIGH];
		} else {
			first = node;
			node = node->child[LOW];
		}
	}
	return partial_chunk(found ? found : first);
}

/* Moves the blocks of a chunk from @first on to the end of another. */
static void partial_move(struct loom_partial_chunk *to, struct loom_partial_chunk *from, u32 first)
{
	u32 i;

	for (i = first; i < from->count; i++) {
		const struct loom_partial_entry *entry = loom_partial_entry(from, i);

		*loom_chunk_put(to, to->count, entry->block) = *entry;
		from->used &= ~(1ULL << loom_partial_slot(from, i));
	}
	from->count = first;
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

static void partial_keep(struct loom_partials *partials, struct loom_partial_chunk *chunk)
{
	chunk->node.parent = partials->idle ? &partials->idle->node : NULL;
	partials->idle = chunk;
	partials->idle_count++;
}

void loom_partials_stock(struct loom_partials *partials, struct loom_partial_chunk **spare)
{
	partial_keep(partials, *spare);
	*spare = NULL;
}

static void partial_unlink(struct loom_partials *partials, struct loom_partial_chunk *chunk)
{
	loom_extents_propagate_all(partials, loom_treap_unlink(&partials->chunks, &chunk->node));
	*partial_link_to(partials, chunk->neighbour[LOW], HIGH) = chunk->neighbour[HIGH];
	*partial_link_to(partials, chunk->neighbour[HIGH], LOW) = chunk->neighbour[LOW];
	partial_keep(partials, chunk);
	partials->chunk_count--;
}

static struct loom_partial_chunk *partial_take(struct loom_partials *partials,
					       struct loom_partial_chunk **spare)
{
	struct loom_partial_chunk *chunk = partials->idle;

	if (chunk) {
		partials->idle = partial_chunk(chunk->node.parent);
		partials->idle_count--;
	} else if (spare) {
		chunk = *spare;
		*spare = NULL;
	}
	if (chunk) {
		chunk->count = 0;
		chunk->used = 0;
	}
	return chunk;
}

void loom_partials_trim(struct loom_partials *partials, u32 wanted)
{
	while (partials->idle_count > partials->chunk_count + wanted + LOOM_PARTIAL_IDLE)
		loom_port_free(partial_take(partials, NULL));
}

void loom_partials_count(struct loom_partials *partials, const struct loom_mask *mask, u64 bytes)
{
	u32 bank;

	if (!partials->bytes_known || !--partials->bytes_known)
		return;
	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		partials->bytes[bank] += bytes;
}

/* The chunk for a block that starts at @start. */
static struct loom_partial_chunk *partial_chunk_for(struct loom_partials *partials, u64 start,
						    const struct loom_partial_cursor *above)
{
	struct loom_partial_chunk *chunk = above->chunk;

	if (!chunk)
		return loom_partials_at(partials, start);
	while (chunk->neighbour[LOW] && loom_partial_entry(chunk, 0)->start > start)
		chunk = chunk->neighbour[LOW];
	return chunk;
}

/* Adds a block on these banks. Two users, of which the one that matters is not to call it. */
static __always_inline bool partial_add(struct loom_partials *partials,
					struct loom_bank_block *block,
					const struct loom_mask *mask,
					const struct loom_partial_cursor *above,
					struct loom_partial_chunk **spare)
{
	struct loom_partial_chunk *chunk = partial_chunk_for(partials, block->start, above);
	struct loom_partial_chunk *half = NULL;
	struct loom_partial_entry *entry;
	struct loom_partial_set set;
	u32 i;

	if (!chunk || chunk->count == LOOM_PARTIAL_FAN) {
		half = partial_take(partials, spare);
		if (!half)
			return false;
	}
	if (half && chunk) {
		partial_move(half, chunk, LOOM_PARTIAL_FAN / 2);
		loom_extents_update_chunk(partials, chunk, &partials->maintained);
		partial_link(partials, half, chunk);
		if (loom_partial_entry(half, 0)->start <= block->start)
			chunk = half;
	}
	if (!chunk)
		chunk = half;

	i = chunk == above->chunk && !half ? above->index : chunk->count;
	while (i && loom_partial_entry(chunk, i - 1)->start > block->start)
		i--;
	entry = loom_chunk_put(chunk, i, block);
	entry->start = block->start;
	entry->end = block->start + block->size;
	entry->mask = *mask;
	entry->classes = 0;
	entry->block = block;
	if (!partials->chunks.root) {
		partial_link(partials, chunk, NULL);
		return true;
	}
	if (loom_partials_bare(partials)) {
		if (chunk->is_sparse)
			loom_mask_add(&chunk->own.banks, mask);
		else
			chunk->gone = U32_MAX;
		return true;
	}
	loom_mask_add(&chunk->own.banks, mask);
	if (entry->start > chunk->own.end)
		chunk->hole = max(chunk->hole, entry->start - chunk->own.end);
	if (entry->end < chunk->own.start)
		chunk->hole = max(chunk->hole, chunk->own.start - entry->end);
	chunk->hole_known = false;
	chunk->own.start = min(chunk->own.start, entry->start);
	chunk->own.end = max(chunk->own.end, entry->end);
	if (!partials->indexed)
		return true;
	set = loom_extents_affected(partials, mask);
	entry->classes = set.classes;
	loom_extents_add_entry(chunk, entry, &set);
	return true;
}

bool loom_partials_insert(struct loom_partials *partials, struct loom_bank_block *block,
			  const struct loom_partial_cursor *above,
			  struct loom_partial_chunk **spare)
{
	if (!partial_add(partials, block, &block->mask, above, spare))
		return false;
	partials->count++;
	partials->longest = max(partials->longest, block->size);
	loom_partials_count(partials, &block->mask, block->size);
	return true;
}

bool loom_partials_note(struct loom_partials *partials, struct loom_bank_block *block,
			const struct loom_mask *all, const struct loom_partial_cursor *above)
{
	if (!partial_add(partials, block, all, above, NULL))
		return false;
	partials->noted++;
	return true;
}

/*
 * A block went from a chunk. Its banks are looked up now and then only. Return: whether the summary
 * may have changed.
 */
static bool partial_shrink(struct loom_partial_chunk *chunk, u64 end)
{
	u64 start = loom_partial_entry(chunk, 0)->start;
	bool changed = start != chunk->own.start;
	u32 k;

	chunk->hole = U64_MAX;
	chunk->hole_known = false;
	chunk->own.start = start;
	if (chunk->count % 8 == 0) {
		loom_extents_summarise_banks(chunk);
		return true;
	}
	if (end != chunk->own.end)
		return changed;
	chunk->own.end = 0;
	for (k = 0; k < chunk->count; k++)
		chunk->own.end = max(chunk->own.end, loom_partial_entry(chunk, k)->end);
	return true;
}

void loom_partials_forget(struct loom_partials *partials)
{
	partials->indexed = false;
	memset(&partials->maintained, 0, sizeof(partials->maintained));
	partials->sums = 0;
	/* filled in order again, see partial_classes() */
	memset(partials->class, 0, sizeof(partials->class));
}

static void partial_take_out(struct loom_partials *partials, const struct loom_bank_block *block)
{
	struct loom_partial_chunk *chunk = block->chunk, *next = NULL;
	const struct loom_partial_entry *entry = &chunk->entry[block->slot];
	u32 k = loom_chunk_index(chunk, block->slot);
	struct loom_partial_set set;
	bool changed;

	loom_chunk_drop(chunk, k);
	/* so few chunks are left that their summaries are not worth their updates */
	if (partials->indexed && partials->chunk_count <= partials->linear / 2)
		loom_partials_forget(partials);
	if (!chunk->count) {
		partial_unlink(partials, chunk);
		if (!partials->chunks.root)
			loom_partials_forget(partials);
		return;
	}
	if (chunk->count <= LOOM_PARTIAL_FAN / 2)
		next = chunk->neighbour[HIGH];
	if (next && chunk->count + next->count <= LOOM_PARTIAL_FAN / 2) {
		partial_move(chunk, next, 0);
		partial_unlink(partials, next);
		loom_extents_update_chunk(partials, chunk, &partials->maintained);
		return;
	}
	if (loom_partials_bare(partials)) {
		chunk->gone += chunk->gone <= LOOM_PARTIAL_FAN;
		return;
	}
	changed = partial_shrink(chunk, entry->end);
	if (partials->indexed) {
		set = loom_extents_counted(partials, entry);
		loom_extents_drop_entry(chunk, entry, k, &set, changed);
	}
}

void loom_partials_remove(struct loom_partials *partials, struct loom_bank_block *block)
{
	partial_take_out(partials, block);
	partials->count--;
	loom_partials_count(partials, &block->mask, -block->size);
}

void loom_partials_unnote(struct loom_partials *partials, struct loom_bank_block *block)
{
	partial_take_out(partials, block);
	partials->noted--;
}

void loom_partials_gather(struct loom_partials *partials)
{
	struct loom_partial_chunk *first = partials->outer[LOW], *next;

	loom_partials_forget(partials);
	while ((next = first->neighbour[HIGH])) {
		partial_move(first, next, 0);
		partial_unlink(partials, next);
	}
	/* it is bare from now on */
	first->gone = U32_MAX;
	first->is_sparse = false;
	loom_partials_trim(partials, 0);
}

void loom_partials_clear(struct loom_partials *partials)
{
	loom_partials_forget(partials);
	while (partials->chunks.root)
		partial_unlink(partials, partial_chunk(partials->chunks.root));
	partials->noted = 0;
}

/* --- the set as a whole */

void loom_partials_init(struct loom_partials *partials, u32 banks, u64 limit)
{
	memset(partials, 0, sizeof(*partials));
	partials->limit = limit;
	partials->words = (banks + 63) / 64;
	partials->chunks.update = loom_extents_update;
	partials->linear = LOOM_PARTIAL_LINEAR;
	partials->patience = LOOM_JOIN_PATIENCE;
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
		const struct loom_partial_entry *entry =
			loom_partial_entry(cursor.chunk, cursor.index);
		const struct loom_mask *mask = &entry->mask;

		if (!entry->block->partial)
			continue;
		for (i = loom_mask_next(mask, 0); i < DRM_LOOM_MAX_BANKS;
		     i = loom_mask_next(mask, i + 1))
			partials->bytes[i] += entry->end - entry->start;
	}
	/* so many changes are added to the sums before they are given up */
	partials->bytes_known = 64 + partials->count / 8;
	return partials->bytes[bank];
}

u64 loom_partials_lowest(const struct loom_partials *partials)
{
	if (!partials->count)
		return U64_MAX;
	return loom_partial_entry(partials->outer[LOW], 0)->start;
}
