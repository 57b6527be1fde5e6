/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_JOIN_H
#define LOOM_JOIN_H

#include "loom_bank.h"

/* Blocks that joining is thought to save a search, at most. */
#define LOOM_JOIN_MOST	256U
/* What a turn between the two kinds costs, in blocks that a search passes. */
#define LOOM_JOIN_TURN	16

/* Number of blocks on all banks. */
static inline u32 loom_bank_on_all(const struct loom_bank *bank)
{
	return bank->blocks - bank->partials.count;
}

/* A search has passed about so many blocks on all banks. */
static inline void loom_join_credit(struct loom_bank *bank, u32 passed)
{
	bank->partials.worth += passed;
}

/*
 * Whether a search along the partial blocks passes those on all banks, too, as there are none or
 * both are joined.
 */
static inline bool loom_join_is_one(const struct loom_bank *bank)
{
	return bank->partials.joined || !loom_bank_on_all(bank);
}

/* A block on all banks has come; @above: see loom_partials_insert(). */
void loom_join_add(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_partial_cursor *above);

/* One is about to go. */
void loom_join_remove(struct loom_bank *bank, struct loom_bank_block *block);

/* A partial block has come: keeps the spare chunk if it is needed, and joins both if it pays. */
void loom_join_consider(struct loom_bank *bank, struct loom_partial_chunk **spare);

/*
 * A request was served or refused, for all banks or for some. Parts both kinds if requests cost
 * more than before they were joined.
 */
void loom_join_judge(struct loom_bank *bank, bool on_all);

/* A block has gone: frees chunks that are not needed to join those that are left, or for them. */
void loom_join_trim(struct loom_bank *bank);

/* There is no partial block any more: what was learnt with those that were there is forgotten. */
static inline void loom_join_forget(struct loom_bank *bank)
{
	bank->partials.setbacks = 0;
	bank->partials.longest = 0;
}

/* The last partial block has gone. */
void loom_join_end(struct loom_bank *bank);

#endif /* LOOM_JOIN_H */
