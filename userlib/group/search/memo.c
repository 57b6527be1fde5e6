// SPDX-License-Identifier: MIT
#include "group/search/memo.h"

#include <stdlib.h>
#include <string.h>

#include "group/search/divide.h"

/* Limit on the bytes kept. */
#define MOST_BYTES	(24U << 20)

static bool is_same(const struct loom_group_estimates *a, const struct loom_group_estimates *b)
{
	return a->num_units == b->num_units &&
	       !memcmp(&a->digest, &b->digest, sizeof(a->digest)) &&
	       loom_group_is_same_aim(&a->aim, &b->aim) &&
	       a->sram.lanes == b->sram.lanes && a->sram.bytes == b->sram.bytes &&
	       a->sram.align_bytes == b->sram.align_bytes && a->sram.overlap == b->sram.overlap;
}

static void drop_last(struct loom_group_memo *memo)
{
	struct loom_group_estimates *last = &memo->kept[--memo->count];

	loom_group_rows_free(last->rows, last->num_units);
}

struct loom_group_row *loom_group_memo_get(struct loom_group_memo *memo,
					   const struct loom_group_estimates *key)
{
	struct loom_group_row *rows = NULL;
	u32 i;

	if (!memo)
		return NULL;
	pthread_mutex_lock(&memo->lock);
	for (i = 0; i < memo->count && !rows; i++)
		if (is_same(&memo->kept[i], key))
			rows = loom_group_rows_copy(memo->kept[i].rows, key->num_units);
	pthread_mutex_unlock(&memo->lock);
	return rows;
}

static void add(struct loom_group_memo *memo, const struct loom_group_estimates *own)
{
	size_t bytes;
	u32 i;

	if (memo->count == LOOM_GROUP_MEMO)
		drop_last(memo);
	memmove(&memo->kept[1], memo->kept, memo->count * sizeof(*memo->kept));
	memo->kept[0] = *own;
	memo->count++;
	for (bytes = 0, i = 0; i < memo->count; i++)
		bytes += memo->kept[i].bytes;
	for (; bytes > MOST_BYTES; drop_last(memo))
		bytes -= memo->kept[memo->count - 1].bytes;
}

void loom_group_memo_add(struct loom_group_memo *memo, const struct loom_group_estimates *key,
			 const struct loom_group_row *rows)
{
	struct loom_group_estimates own = *key;

	if (!memo)
		return;
	own.bytes = loom_group_rows_bytes(rows, key->num_units);
	if (own.bytes > MOST_BYTES)
		return;
	own.rows = loom_group_rows_copy(rows, key->num_units);
	if (!own.rows)
		return;
	pthread_mutex_lock(&memo->lock);
	add(memo, &own);
	pthread_mutex_unlock(&memo->lock);
}

void loom_group_memo_free(struct loom_group_memo *memo)
{
	while (memo->count)
		drop_last(memo);
}
