/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_BANK_MODEL_H
#define LOOM_TESTS_BANK_MODEL_H

#include "loom_bank.h"

/**
 * model_first_fit() - where a request must be placed by the definition of first fit
 * @base: address of the first byte
 * @bytes: number of bytes
 * @request: what is asked for
 * @is_free: whether byte @base + i is free for the request
 * @map: for @is_free
 *
 * Tries every byte.
 *
 * Return: offset from @base, or -1.
 */
static inline s64 model_first_fit(u64 base, u32 bytes, const struct loom_bank_request *request,
				  bool (*is_free)(const struct loom_bank_request *request,
						  const void *map, u32 i),
				  const void *map)
{
	s64 found = -1;
	u32 run = 0;

	/* run: free bytes from i on, so i goes down and the last hit is the lowest */
	for (u32 i = bytes; i--;) {
		u64 address = base + i;

		run = is_free(request, map, i) ? run + 1 : 0;
		if (run < request->size || address % request->align || address < request->low ||
		    address > request->high || request->high - address < request->size)
			continue;
		found = i;
		if (request->top_down)
			return found;
	}
	return found;
}

#endif /* LOOM_TESTS_BANK_MODEL_H */
