// SPDX-License-Identifier: MIT
#include "tops.h"

#include <stddef.h>

#include "loom_core.h"

/*
 * A binary tree over the moments, whose leaves are the last @count nodes. The first half stores by
 * node the minimum of its moments, the second half the maximum.
 */
uint64_t loom_tops_find(const uint64_t *tops, uint32_t count, uint32_t first, uint32_t end)
{
	const uint64_t *all = tops, *any = tops + 2 * (size_t)count;
	uint32_t a = first + count, b = end + count, k;
	uint64_t top = 0;

	for (k = a; k; k /= 2)
		top = max(top, all[k]);
	for (k = b - 1; k; k /= 2)
		top = max(top, all[k]);
	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			top = max(top, any[a++]);
		if (b & 1)
			top = max(top, any[--b]);
	}
	return top;
}

void loom_tops_raise(uint64_t *tops, uint32_t count, uint32_t first, uint32_t end, uint64_t top)
{
	uint64_t *all = tops, *any = tops + 2 * (size_t)count;
	uint32_t a = first + count, b = end + count, k;

	for (k = a; k; k /= 2)
		any[k] = max(any[k], top);
	for (k = b - 1; k; k /= 2)
		any[k] = max(any[k], top);
	for (; a < b; a /= 2, b /= 2) {
		if (a & 1) {
			all[a] = top;
			any[a++] = top;
		}
		if (b & 1) {
			all[--b] = top;
			any[b] = top;
		}
	}
}
