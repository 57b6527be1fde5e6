/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TEST_PLACE_ITEM_H
#define LOOM_TEST_PLACE_ITEM_H

/* Properties of an item besides its size and its lifetime. */

#include "loom_place.h"

static inline bool item_is_fixed(const struct loom_place_item *item)
{
	return item->flags & LOOM_PLACE_FIXED;
}

static inline bool item_is_alias(const struct loom_place_item *item)
{
	return item->flags & LOOM_PLACE_ALIAS;
}

static inline void item_fix(struct loom_place_item *item, uint64_t at)
{
	item->flags |= LOOM_PLACE_FIXED;
	item->fixed = at;
}

static inline void item_lies_in(struct loom_place_item *item, uint32_t owner)
{
	item->flags |= LOOM_PLACE_ALIAS;
	item->alias = owner;
}

#endif /* LOOM_TEST_PLACE_ITEM_H */
