/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PLACE_H
#define LOOM_PLACE_H

#include "loom_bank.h"

/* Chunks that one pass of a search reads. */
#define LOOM_BANK_CHUNKS	512
/* Chunks that it reads after one with a place, for a better one. Measured: see bank.c. */
#define LOOM_BANK_MORE		32

/*
 * Finds the place for a valid request, by first fit between blocks on the banks of @mask, or on all
 * banks by the policy of the bank if that is NULL. False: there is none, or it was not found.
 */
bool loom_bank_place(const struct loom_bank *bank, const struct loom_bank_request *request,
		     const struct loom_mask *mask, u64 *start);

#endif /* LOOM_PLACE_H */
