/* SPDX-License-Identifier: MIT */
/* A set of what has been seen, by digests of 128 bits: two that are not alike share none. */
#ifndef LOOM_SEEN_H
#define LOOM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct loom_digest - of numbers, in their order; it begins as zeroes
 * @half: two of 64 bits, which are mixed by different constants
 */
struct loom_digest {
	uint64_t half[2];
};

/**
 * struct loom_seen - a set of digests; it begins as zeroes
 * @digests: a hash table with open addresses; zeroes are free
 * @count: number of digests in it
 * @cap: room in @digests, a power of two or zero
 */
struct loom_seen {
	struct loom_digest *digests;
	size_t count;
	size_t cap;
};

/** loom_digest_add() - goes on with @value */
static inline void loom_digest_add(struct loom_digest *digest, uint64_t value)
{
	/* zeroes must not stay zeroes, which is what is free in a table */
	uint64_t a = ((digest->half[0] ^ value) + 1) * 0xd6e8feb86659fd93ULL;
	uint64_t b = (digest->half[1] + value + 1) * 0xa0761d6478bd642fULL;

	digest->half[0] = a ^ a >> 32;
	digest->half[1] = b ^ b >> 29;
}

/** loom_seen_has() - whether a digest has been added */
bool loom_seen_has(const struct loom_seen *seen, const struct loom_digest *digest);
/** loom_seen_add() - adds one. Return: 0 or -ENOMEM */
int loom_seen_add(struct loom_seen *seen, const struct loom_digest *digest);
/** loom_seen_free() - frees what it holds */
void loom_seen_free(struct loom_seen *seen);

#endif /* LOOM_SEEN_H */
