/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_JOIN_H
#define LOOM_JOIN_H

#include "loom_bank.h"

/* Blocks that a joined search is thought to have saved, at most. */
#define LOOM_JOIN_MOST	256U
/* What a turn between the two kinds costs, in blocks that a search passes. */
#define LOOM_JOIN_TURN	16

/* A search has passed about so many blocks on all banks; while they are joined: would have. */
static inline void loom_join_credit(struct loom_bank *bank, u32 passed)
{
	bank->partials.worth += passed;
}

/*
 * Whether a search along the partial blocks passes those on all banks, too, as there are none or
 * both are joined. Counts what that saves.
 */
static inline bool loom_join_is_one(struct loom_bank *bank)
{
	if (bank->partials.joined)
		loom_join_credit(bank, min(bank->blocks - bank->partials.count, LOOM_JOIN_MOST) +
				 LOOM_JOIN_TURN);
	return bank->partials.joined || bank->blocks == bank->partials.count;
}

/* A block on all banks has come; @above: see loom_partials_insert(). */
void loom_join_add(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_partial_cursor *above);

/* One is about to go. */
void loom_join_remove(struct loom_bank *bank, struct loom_bank_block *block);

/* A partial block has come: keeps the spare chunk if it is needed, and joins both if it pays. */
void loom_join_consider(struct loom_bank *bank, struct loom_partial_chunk **spare);

/* The last partial block has gone. */
void loom_join_end(struct loom_bank *bank);

#endif /* LOOM_JOIN_H */
