// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "extent.h"

enum { LOW, HIGH };

/* So many blocks before one that went are looked at for where the gap begins that it leaves. */
#define PARTIAL_LOOK_BACK	5U

static void partial_extent_clear(struct loom_partial_extent *extent)
{
	extent->first = U64_MAX;
	extent->last = 0;
	extent->gap = 0;
}

/* Adds the blocks of @more to @extent; they start after the blocks that are in it. */
static void partial_extent_add(struct loom_partial_extent *extent,
			       const struct loom_partial_extent *more)
{
	if (more->first > more->last)
		return;
	if (extent->first > extent->last) {
		*extent = *more;
		return;
	}
	if (more->first > extent->last)
		extent->gap = max(extent->gap, more->first - extent->last);
	extent->gap = max(extent->gap, more->gap);
	extent->last = max(extent->last, more->last);
}

/* The first extent of a set that is not before @index; LOOM_PARTIAL_EXTENTS if there is none. */
static __always_inline u32 partial_next(const struct loom_partial_set *set, u32 index)
{
	if (index < LOOM_PARTIAL_CLASSES && set->classes >> index)
		return index + (u32)__builtin_ctzll(set->classes >> index);
	if (index < LOOM_PARTIAL_CLASSES)
		index = LOOM_PARTIAL_CLASSES;
	return LOOM_PARTIAL_CLASSES + loom_mask_next(&set->banks, index - LOOM_PARTIAL_CLASSES);
}

/* Whether a block counts for the extent with this index. */
static bool partial_counts(const struct loom_partial_entry *entry, u32 index)
{
	if (index < LOOM_PARTIAL_CLASSES)
		return entry->classes >> index & 1;
	return loom_mask_has(&entry->mask, index - LOOM_PARTIAL_CLASSES);
}

static bool partial_extent_same(const struct loom_partial_extent *a,
				const struct loom_partial_extent *b)
{
	return a->first == b->first && a->last == b->last && a->gap == b->gap;
}

/* Computes what does not depend on extents. */
void loom_extents_summarise_banks(struct loom_partial_chunk *chunk)
{
	struct loom_partial_summary *own = &chunk->own;
	u32 k;

	chunk->gone = 0;
	chunk->hole = U64_MAX;
	chunk->hole_known = false;
	own->banks = (struct loom_mask){ { 0 } };
	own->start = loom_partial_entry(chunk, 0)->start;
	own->end = 0;
	for (k = 0; k < chunk->count; k++) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

		loom_mask_add(&own->banks, &entry->mask);
		own->end = max(own->end, entry->end);
	}
}

/* An extent, and where its largest gap begins. */
struct partial_run {
	struct loom_partial_extent extent;
	u64 gap_at;
};

static void partial_run_add(struct partial_run *run, const struct loom_partial_entry *entry)
{
	u64 hole = entry->start > run->extent.last ? entry->start - run->extent.last : 0;

	if (hole > run->extent.gap) {
		run->gap_at = run->extent.last;
		run->extent.gap = hole;
	}
	run->extent.last = max(run->extent.last, entry->end);
}

/* The blocks of a class behind the first, which is at @k. Half of all count: no branch for it. */
static void partial_run_class(struct partial_run *run, struct loom_partial_chunk *chunk, u32 k,
			      u32 class)
{
	u64 last = run->extent.last, gap = 0, gap_at = 0, counts, hole;

	while (++k < chunk->count) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

		counts = -(entry->classes >> class & 1);
		hole = (max(entry->start, last) - last) & counts;
		gap_at = hole > gap ? last : gap_at;
		gap = max(gap, hole);
		last = max(last, entry->end & counts);
	}
	run->extent.last = last;
	run->extent.gap = gap;
	run->gap_at = gap_at;
}

/* Computes an extent of a chunk's own blocks. Return: whether it has changed. */
static bool partial_extent_own(struct loom_partial_chunk *chunk, u32 index)
{
	struct partial_run run = { .extent = { .first = U64_MAX } };
	u32 k = 0;
	bool same;

	while (k < chunk->count && !partial_counts(loom_partial_entry(chunk, k), index))
		k++;
	if (k < chunk->count) {
		run.extent.first = loom_partial_entry(chunk, k)->start;
		run.extent.last = loom_partial_entry(chunk, k)->end;
		if (index < LOOM_PARTIAL_CLASSES)
			partial_run_class(&run, chunk, k, index);
		else
			while (++k < chunk->count)
				if (partial_counts(loom_partial_entry(chunk, k), index))
					partial_run_add(&run, loom_partial_entry(chunk, k));
	}
	same = partial_extent_same(&run.extent, &chunk->known[index].own);
	chunk->known[index].own = run.extent;
	chunk->known[index].own_gap = run.gap_at;
	return !same;
}

/* The same when a block came that counts, without a look at the others. */
static bool partial_extent_grow(struct loom_partial_known *known,
				const struct loom_partial_entry *entry)
{
	struct loom_partial_extent *extent = &known->own;
	u64 start = entry->start, end = entry->end;
	bool changed = start < extent->first || end > extent->last;

	if (extent->first > extent->last) {
		*extent = (struct loom_partial_extent){ .first = start, .last = end };
		return true;
	}
	if (extent->gap && known->own_gap != LOOM_GAP_UNKNOWN &&
	    start < known->own_gap + extent->gap && end > known->own_gap)
		known->own_gap = LOOM_GAP_UNKNOWN;
	if (start > extent->last && start - extent->last > extent->gap) {
		known->own_gap = extent->last;
		extent->gap = start - extent->last;
	}
	if (end < extent->first && extent->first - end > extent->gap) {
		known->own_gap = end;
		extent->gap = extent->first - end;
	}
	extent->first = min(extent->first, start);
	extent->last = max(extent->last, end);
	return changed;
}

/*
 * The end of the blocks before index @k that count, of which there is one: the highest, or one that
 * is less, with @exact cleared, if there are many.
 */
static u64 partial_end_before(struct loom_partial_chunk *chunk, u32 k, u32 index, bool *exact)
{
	u32 least = k - min(k, PARTIAL_LOOK_BACK);
	u64 end = 0;

	if (index < LOOM_PARTIAL_CLASSES) {
		while (k > least || (k && !end)) {
			const struct loom_partial_entry *entry = loom_partial_entry(chunk, --k);

			end = max(end, entry->end & -(entry->classes >> index & 1));
		}
		*exact = !least;
		return end;
	}
	/* no two of one bank overlap: the last one has it */
	*exact = true;
	while (k && !partial_counts(loom_partial_entry(chunk, k - 1), index))
		k--;
	return k ? loom_partial_entry(chunk, k - 1)->end : 0;
}

/*
 * A block went that counted for an extent, inside of it, and was at index @k: all that is new are
 * holes where it was. Return: whether the largest gap has grown.
 */
static bool partial_extent_cut(struct loom_partial_chunk *chunk, u32 index,
			       const struct loom_partial_entry *gone, u32 k)
{
	struct loom_partial_known *known = &chunk->known[index];
	struct partial_run run;
	bool exact;

	run.gap_at = known->own_gap;
	run.extent.gap = known->own.gap;
	run.extent.last = partial_end_before(chunk, k, index, &exact);
	for (; k < chunk->count; k++) {
		const struct loom_partial_entry *entry = loom_partial_entry(chunk, k);

		if (!partial_counts(entry, index))
			continue;
		partial_run_add(&run, entry);
		if (entry->start >= gone->end)
			break;
	}
	if (run.extent.gap == known->own.gap)
		return false;
	known->own.gap = run.extent.gap;
	known->own_gap = exact ? run.gap_at : LOOM_GAP_UNKNOWN;
	return true;
}

/* Computes the extents in @set of a chunk's own blocks. */
void loom_extents_summarise_own(struct loom_partial_chunk *chunk,
				const struct loom_partial_set *set)
{
	u32 i;

	loom_extents_summarise_banks(chunk);
	for (i = partial_next(set, 0); i < LOOM_PARTIAL_EXTENTS; i = partial_next(set, i + 1))
		partial_extent_own(chunk, i);
}

static void partial_set_add(struct loom_partial_set *set, u32 index)
{
	if (index < LOOM_PARTIAL_CLASSES)
		set->classes |= 1ULL << index;
	else
		loom_mask_set(&set->banks, index - LOOM_PARTIAL_CLASSES);
}

static void partial_set_remove(struct loom_partial_set *set, u32 index)
{
	if (index < LOOM_PARTIAL_CLASSES)
		set->classes &= ~(1ULL << index);
	else
		set->banks.word[(index - LOOM_PARTIAL_CLASSES) / 64] &=
			~(1ULL << (index - LOOM_PARTIAL_CLASSES) % 64);
}

/* Computes the summary of a chunk's subtree. Return: whether it has changed. */
static bool partial_summarise_banks(struct loom_partial_chunk *chunk,
				    const struct loom_partial_chunk *low,
				    const struct loom_partial_chunk *high)
{
	struct loom_partial_summary sum = chunk->own;
	bool changed;

	if (low) {
		loom_mask_add(&sum.banks, &low->subtree.banks);
		sum.start = low->subtree.start;
		sum.end = max(sum.end, low->subtree.end);
	}
	if (high) {
		loom_mask_add(&sum.banks, &high->subtree.banks);
		sum.end = max(sum.end, high->subtree.end);
	}
	changed = sum.start != chunk->subtree.start || sum.end != chunk->subtree.end ||
		  !loom_mask_same(&sum.banks, &chunk->subtree.banks);
	chunk->subtree = sum;
	return changed;
}

/* An extent of a chunk's subtree, from its own and its children's. */
static __always_inline struct loom_partial_extent
partial_extent_sum(const struct loom_partial_chunk *chunk, const struct loom_partial_chunk *low,
		   const struct loom_partial_chunk *high, u32 index)
{
	struct loom_partial_extent extent;

	partial_extent_clear(&extent);
	if (low)
		extent = low->known[index].subtree;
	partial_extent_add(&extent, &chunk->known[index].own);
	if (high)
		partial_extent_add(&extent, &high->known[index].subtree);
	return extent;
}

/*
 * Computes the extents in @set of a chunk's subtree, from its own and its children's, and takes
 * those out of @set that have not changed. If @banks, the summary, too, and likewise. Return:
 * whether anything has changed.
 */
static bool partial_summarise(struct loom_partial_chunk *chunk, struct loom_partial_set *set,
			      bool *banks)
{
	const struct loom_partial_chunk *low = partial_chunk(chunk->node.child[LOW]);
	const struct loom_partial_chunk *high = partial_chunk(chunk->node.child[HIGH]);
	bool changed;
	u32 i;

	*banks = *banks && partial_summarise_banks(chunk, low, high);
	changed = *banks;
	for (i = partial_next(set, 0); i < LOOM_PARTIAL_EXTENTS; i = partial_next(set, i + 1)) {
		struct loom_partial_extent *old = &chunk->known[i].subtree, extent;

		extent = partial_extent_sum(chunk, low, high, i);
		if (partial_extent_same(&extent, old)) {
			partial_set_remove(set, i);
			continue;
		}
		*old = extent;
		changed = true;
	}
	return changed;
}

void loom_extents_update(struct loom_treap *treap, struct loom_treap_node *node)
{
	struct loom_partials *partials = container_of(treap, struct loom_partials, chunks);
	struct loom_partial_set set = partials->maintained;
	bool banks = true;

	if (partials->indexed)
		partial_summarise(partial_chunk(node), &set, &banks);
}

/* From @node up to where nothing changes any more. @banks: see partial_summarise(). */
static void partial_propagate(struct loom_treap_node *node, struct loom_partial_set *set,
			      bool banks)
{
	while (node && partial_summarise(partial_chunk(node), set, &banks))
		node = node->parent;
}

void loom_extents_propagate(const struct loom_partials *partials, struct loom_treap_node *node,
			    struct loom_partial_set set)
{
	if (partials->indexed)
		partial_propagate(node, &set, true);
}

/* From @node up to the root. When a chunk was taken out, several on this path are out of date. */
void loom_extents_propagate_all(const struct loom_partials *partials,
				struct loom_treap_node *node)
{
	struct loom_partial_set set;
	bool banks;

	if (!partials->indexed)
		return;
	for (; node; node = node->parent) {
		set = partials->maintained;
		banks = true;
		partial_summarise(partial_chunk(node), &set, &banks);
	}
}

/* The maintained extents that a block with this mask counts for. */
struct loom_partial_set loom_extents_affected(const struct loom_partials *partials,
					      const struct loom_mask *mask)
{
	const struct loom_partial_class *asked = &partials->class[partials->asked];
	struct loom_partial_set set = { .banks = *mask };
	u64 left = partials->maintained.classes;
	u32 i;

	if (left >> partials->asked & 1 && loom_mask_same(&asked->mask, mask)) {
		set.classes = asked->meets & left;
		left = 0;
	}
	for (; left; left &= left - 1) {
		i = (u32)__builtin_ctzll(left);
		set.classes |= (u64)loom_mask_overlaps(&partials->class[i].mask, mask) << i;
	}
	for (i = 0; i < LOOM_MASK_WORDS; i++)
		set.banks.word[i] &= partials->maintained.banks.word[i];
	return set;
}

struct loom_partial_set loom_extents_counted(const struct loom_partials *partials,
					     const struct loom_partial_entry *entry)
{
	struct loom_partial_set set = {
		.classes = entry->classes & partials->maintained.classes,
	};
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		set.banks.word[i] = entry->mask.word[i] & partials->maintained.banks.word[i];
	return set;
}

/* The blocks of a chunk have changed: updates the extents in @set, as far up as they change. */
void loom_extents_update_chunk(const struct loom_partials *partials,
			       struct loom_partial_chunk *chunk,
			       const struct loom_partial_set *set)
{
	struct loom_partial_set changed = *set;
	u32 i;

	loom_extents_summarise_banks(chunk);
	for (i = partial_next(set, 0); i < LOOM_PARTIAL_EXTENTS; i = partial_next(set, i + 1))
		if (!partial_extent_own(chunk, i))
			partial_set_remove(&changed, i);
	loom_extents_propagate(partials, &chunk->node, changed);
}

/* A block came to a chunk. What does not depend on extents is up to date, but for subtrees. */
void loom_extents_add_entry(struct loom_partial_chunk *chunk,
			    const struct loom_partial_entry *entry,
			    const struct loom_partial_set *set)
{
	const struct loom_partial_summary *sum = &chunk->subtree;
	bool banks = entry->start < sum->start || entry->end > sum->end ||
		     !loom_mask_within(&entry->mask, &sum->banks);
	struct loom_partial_set changed = *set;
	u32 i;

	for (i = partial_next(set, 0); i < LOOM_PARTIAL_EXTENTS; i = partial_next(set, i + 1))
		if (!partial_extent_grow(&chunk->known[i], entry))
			partial_set_remove(&changed, i);
	partial_propagate(&chunk->node, &changed, banks);
}

/* The largest gap in a chunk has grown, and nothing else of the extent has changed. */
static void partial_raise(struct loom_partial_chunk *chunk, u32 index)
{
	u64 gap = chunk->known[index].own.gap;
	struct loom_treap_node *node;

	for (node = &chunk->node; node; node = node->parent) {
		struct loom_partial_extent *sum = &partial_chunk(node)->known[index].subtree;

		if (sum->gap >= gap)
			break;
		sum->gap = gap;
	}
}

/*
 * A block went, and was at index @k. Return: the classes that both of its neighbours count for:
 * these have no new hole of more than @bytes, and begin and end as before.
 */
static u64 partial_between(struct loom_partial_chunk *chunk, const struct loom_partial_entry *gone,
			   u32 k, u64 *bytes)
{
	const struct loom_partial_entry *low, *high;

	if (!k)
		return 0;
	low = loom_partial_entry(chunk, k - 1);
	/* what is behind this one's start was covered before, and still is */
	for (; k < chunk->count; k++) {
		high = loom_partial_entry(chunk, k);
		if (high->end < gone->end)
			continue;
		*bytes = max(high->start, low->end) - low->end;
		return low->classes & high->classes;
	}
	return 0;
}

/* A block went from a chunk, where it was at index @k. */
void loom_extents_drop_entry(struct loom_partial_chunk *chunk,
			     const struct loom_partial_entry *gone, u32 k,
			     const struct loom_partial_set *set, bool banks)
{
	struct loom_partial_set changed = { 0 };
	u64 between, bytes = 0;
	u32 i;

	between = partial_between(chunk, gone, k, &bytes);
	for (i = partial_next(set, 0); i < LOOM_PARTIAL_EXTENTS; i = partial_next(set, i + 1)) {
		const struct loom_partial_extent *extent = &chunk->known[i].own;

		if (i < LOOM_PARTIAL_CLASSES && between >> i & 1 && extent->gap >= bytes)
			continue;
		if (gone->start > extent->first && gone->end < extent->last) {
			if (partial_extent_cut(chunk, i, gone, k))
				partial_raise(chunk, i);
		} else if (partial_extent_own(chunk, i)) {
			partial_set_add(&changed, i);
		}
	}
	partial_propagate(&chunk->node, &changed, banks);
}

bool loom_extents_tighten(struct loom_partial_chunk *chunk, u32 index)
{
	struct loom_partial_known *known = &chunk->known[index];
	u64 gap = known->own.gap;
	struct loom_treap_node *node;

	if (!partial_extent_own(chunk, index))
		return false;
	/* nothing changes above where another gap is larger */
	for (node = &chunk->node; node; node = node->parent) {
		struct loom_partial_chunk *at = partial_chunk(node);
		struct loom_partial_extent *sum = &at->known[index].subtree, extent;

		if (sum->gap > gap)
			break;
		extent = partial_extent_sum(at, partial_chunk(node->child[LOW]),
					    partial_chunk(node->child[HIGH]), index);
		if (extent.gap == gap)
			break;
		*sum = extent;
	}
	return true;
}

/* Computes the extents in @set of all chunks, from the leaves up. */
static void partial_summarise_all(struct loom_partials *partials,
				  const struct loom_partial_set *set)
{
	struct loom_treap_node *node = partials->chunks.root, *up;
	struct loom_partial_set changed;
	bool banks;

	/* post-order: to the first leaf, then always to the next node whose subtrees are done */
	while (node && (node->child[LOW] || node->child[HIGH]))
		node = node->child[!node->child[LOW]];
	for (; node; node = up) {
		loom_extents_summarise_own(partial_chunk(node), set);
		changed = *set;
		banks = true;
		partial_summarise(partial_chunk(node), &changed, &banks);
		up = node->parent;
		if (!up || up->child[HIGH] == node || !up->child[HIGH])
			continue;
		up = up->child[HIGH];
		while (up->child[LOW] || up->child[HIGH])
			up = up->child[!up->child[LOW]];
	}
}

/* The class for this mask, or the least recently used one. */
struct loom_partial_class *loom_extents_class(struct loom_partial_class *class, u32 count,
					      const struct loom_mask *mask, bool *same)
{
	struct loom_partial_class *oldest = class;
	u32 i;

	*same = false;
	for (i = 0; i < count; i++) {
		*same = loom_mask_same(&class[i].mask, mask);
		if (*same)
			return &class[i];
		if (class[i].last_used < oldest->last_used)
			oldest = &class[i];
	}
	return oldest;
}

/* Notes for all blocks and all classes whether they share a bank with a class that is new. */
static void partial_mark(struct loom_partials *partials, u32 class)
{
	struct loom_partial_class *other, *new = &partials->class[class];
	struct loom_partial_cursor cursor;
	u64 meets;

	for (other = partials->class; other < partials->class + LOOM_PARTIAL_CLASSES; other++) {
		meets = loom_mask_overlaps(&other->mask, &new->mask);
		other->meets = (other->meets & ~(1ULL << class)) | meets << class;
		new->meets |= meets << (other - partials->class);
	}
	for (loom_partials_begin(partials, &cursor); cursor.chunk; loom_partials_step(&cursor)) {
		struct loom_partial_entry *entry = loom_partial_entry(cursor.chunk, cursor.index);

		entry->classes &= ~(1ULL << class);
		entry->classes |= (u64)loom_mask_overlaps(&entry->mask,
							  &partials->class[class].mask) << class;
	}
}

/*
 * Notes that a search without extents has scanned @chunks chunks. Makes the mask a class once its
 * searches have cost as much as computing the extents does.
 */
void loom_extents_add_class(struct loom_partials *partials, const struct loom_mask *mask,
			    u32 chunks)
{
	struct loom_partial_class *candidate, *class;
	struct loom_partial_set set = { 0 };
	bool same;

	candidate = loom_extents_class(partials->candidate, LOOM_PARTIAL_CANDIDATES, mask, &same);
	if (!same)
		*candidate = (struct loom_partial_class){ .mask = *mask };
	candidate->last_used = partials->searches;
	candidate->cost += chunks;
	if (candidate->cost < 2 * partials->chunk_count)
		return;
	class = loom_extents_class(partials->class, LOOM_PARTIAL_CLASSES, mask, &same);
	set.classes = 1ULL << (class - partials->class);
	/* a class that was used recently is not replaced */
	if (partials->maintained.classes & set.classes &&
	    partials->searches - class->last_used < partials->chunk_count)
		return;
	*class = (struct loom_partial_class){ .mask = *mask, .last_used = partials->searches };
	candidate->cost = 0;
	partials->sums += !(partials->maintained.classes & set.classes);
	partials->maintained.classes |= set.classes;
	partials->indexed = true;
	partial_mark(partials, (u32)(class - partials->class));
	partial_summarise_all(partials, &set);
}

/* Likewise for the extents of its single banks. */
void loom_extents_add_banks(struct loom_partials *partials, const struct loom_mask *mask,
			    u32 chunks)
{
	struct loom_partial_set set = { 0 };
	u32 bank;

	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1)) {
		if (loom_mask_has(&partials->maintained.banks, bank))
			continue;
		partials->cost[bank] += chunks;
		if (partials->cost[bank] < 2 * partials->chunk_count)
			continue;
		partials->cost[bank] = 0;
		loom_mask_set(&set.banks, bank);
		loom_mask_set(&partials->maintained.banks, bank);
		partials->sums++;
	}
	if (loom_mask_next(&set.banks, 0) == DRM_LOOM_MAX_BANKS)
		return;
	partials->indexed = true;
	partial_summarise_all(partials, &set);
}
