/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FEW_H
#define LOOM_FEW_H

#include "loom_bank.h"

/* Most blocks of both kinds that are kept in one chunk. Measured; at most LOOM_PARTIAL_FAN. */
#define LOOM_FEW_BLOCKS		64
/* The same by best fit, which finds its hole in a list as fast as it passes so many blocks. */
#define LOOM_FEW_BEST_FIT	24
/* It begins where one block in so many is on some banks, or more, and ends with half as many. */
#define LOOM_FEW_SHARE		4
/* So many blocks may go one after the other, with less on some banks, before it is left. */
#define LOOM_FEW_PATIENCE	64

/* Whether a bank is to be kept so from now on: it was not, and there are so few blocks. */
static inline bool loom_few_begins(const struct loom_bank *bank)
{
	return bank->blocks <= bank->few_most / 2 && bank->partials.count && bank->is_flat &&
	       !bank->is_few && bank->partials.count * LOOM_FEW_SHARE >= bank->blocks;
}

/* All blocks go to one chunk, with the holes in a list before. There is a partial one. */
void loom_few_enter(struct loom_bank *bank);

/* The blocks on all banks are a list again, and their holes, too. */
void loom_few_leave(struct loom_bank *bank);

/* Serves a valid request; @partial: @banks are not all banks. Return: 0, or -ENOSPC. */
int loom_few_alloc(struct loom_bank *bank, struct loom_bank_block *block,
		   const struct loom_bank_request *request, const struct loom_mask *banks,
		   bool partial);

/* Takes a block out. It is left to the caller to end this when it is of no more use. */
void loom_few_free(struct loom_bank *bank, struct loom_bank_block *block);

/* Whether it is of no use any more: for long, few blocks were on some banks, or there is none. */
static inline bool loom_few_ends(const struct loom_bank *bank)
{
	return !bank->blocks || bank->few_unused > LOOM_FEW_PATIENCE;
}

/* See loom_bank_lowest() and loom_bank_find(). */
u64 loom_few_lowest(const struct loom_bank *bank);
struct loom_bank_block *loom_few_find(const struct loom_bank *bank, u64 address);

#endif /* LOOM_FEW_H */
