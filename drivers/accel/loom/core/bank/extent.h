/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_EXTENT_H
#define LOOM_EXTENT_H

#include "loom_bank.h"

/* What chunks know of their blocks and of those in their subtrees: see partial.c. */

static inline struct loom_partial_chunk *partial_chunk(const struct loom_treap_node *node)
{
	return node ? container_of(node, struct loom_partial_chunk, node) : NULL;
}

/* Computes what is known of a chunk's own blocks without extents. */
void loom_extents_summarise_banks(struct loom_partial_chunk *chunk);

/* That, and the extents in @set. */
void loom_extents_summarise_own(struct loom_partial_chunk *chunk,
				const struct loom_partial_set *set);

/* For &struct loom_treap. */
void loom_extents_update(struct loom_treap *treap, struct loom_treap_node *node);

/* From @node, whose subtree has changed, up to where nothing changes any more. */
void loom_extents_propagate(const struct loom_partials *partials, struct loom_treap_node *node,
			    struct loom_partial_set set);

/* From @node up to the root. When a chunk was taken out, several on this path are out of date. */
void loom_extents_propagate_all(const struct loom_partials *partials,
				struct loom_treap_node *node);

/* The maintained extents that a block with this mask counts for. */
struct loom_partial_set loom_extents_affected(const struct loom_partials *partials,
					      const struct loom_mask *mask);

/* The same for a block that is noted. */
struct loom_partial_set loom_extents_counted(const struct loom_partials *partials,
					     const struct loom_partial_entry *entry);

/* The blocks of a chunk have changed: updates the extents in @set, as far up as they change. */
void loom_extents_update_chunk(const struct loom_partials *partials,
			       struct loom_partial_chunk *chunk,
			       const struct loom_partial_set *set);

/* A block came to an indexed chunk, that counts for the extents in @set: the same. */
void loom_extents_add_entry(struct loom_partial_chunk *chunk,
			    const struct loom_partial_entry *entry,
			    const struct loom_partial_set *set);

/*
 * A block went from an indexed chunk that has others: it was at index @k, and counted for those in
 * @set. @banks: what does not depend on extents has changed.
 */
void loom_extents_drop_entry(struct loom_partial_chunk *chunk,
			     const struct loom_partial_entry *gone, u32 k,
			     const struct loom_partial_set *set, bool banks);

/*
 * A search is about to look into a chunk because of its largest gap, of which only a bound is
 * known: computes it. Return: whether it has changed.
 */
bool loom_extents_tighten(struct loom_partial_chunk *chunk, u32 index);

/* The class for this mask, or the least recently used one. */
struct loom_partial_class *loom_extents_class(struct loom_partial_class *class, u32 count,
					      const struct loom_mask *mask, bool *same);

/* A search without extents has scanned so many chunks: the mask may become a class. */
void loom_extents_add_class(struct loom_partials *partials, const struct loom_mask *mask,
			    u32 chunks);

/* Likewise the extents of its single banks. */
void loom_extents_add_banks(struct loom_partials *partials, const struct loom_mask *mask,
			    u32 chunks);

#endif /* LOOM_EXTENT_H */
