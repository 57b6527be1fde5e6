/* SPDX-License-Identifier: MIT */
/*
 * The short way of loomplace_place(): a few greedy orders in memory that is used again and again,
 * for problems of sizes, lifetimes and alignments that are powers of two.
 */
#ifndef LOOMPLACE_QUICK_H
#define LOOMPLACE_QUICK_H

#include <stdbool.h>

#include "loomplace.h"

/**
 * struct loomplace_workspace - memory that calls use in turn
 * @memory: where it comes from; &loomplace_memory.allocate is NULL: malloc()
 * @block: the memory
 * @block_bytes: size of @block
 */
struct loomplace_workspace {
	struct loomplace_memory memory;
	void *block;
	size_t block_bytes;
};

/**
 * place_quick() - place by the first greedy order that is sufficient
 * @problem: the problem; its arrays are checked
 * @workspace: memory, which grows
 * @offsets: [out] by item; unchanged unless it is placed
 * @height: [out] of the placement
 * @bound: [out] the most bytes that are alive at one moment
 * @placed: [out] the height is at the bound, or within the capacity; false: nothing is known
 *
 * Return: 0 or -ENOMEM.
 */
int place_quick(const struct loomplace_problem *problem, struct loomplace_workspace *workspace,
		uint64_t *offsets, uint64_t *height, uint64_t *bound, bool *placed);

#endif /* LOOMPLACE_QUICK_H */
