/* SPDX-License-Identifier: MIT */
/* A set of digests of 128 bits, treated as collision free. */
#ifndef LOOM_SEEN_H
#define LOOM_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct loom_digest - hash of a sequence of numbers; must begin as zeroes
 * @half: two of 64 bits, mixed by different constants
 */
struct loom_digest {
	uint64_t half[2];
};

/**
 * struct loom_seen - a set of digests; must begin as zeroes
 * @digests: a hash table with open addressing; zeroes are free
 * @count: number of digests in it
 * @cap: capacity of @digests, a power of two or zero
 */
struct loom_seen {
	struct loom_digest *digests;
	size_t count;
	size_t cap;
};

/** loom_digest_add() - appends @value */
static inline void loom_digest_add(struct loom_digest *digest, uint64_t value)
{
	/* zeroes must not stay zeroes, because that marks a free slot */
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
