/* SPDX-License-Identifier: MIT */
#ifndef LOOM_CACHE_DIGEST_H
#define LOOM_CACHE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/** characters of a digest as text, with the zero at its end */
#define CACHE_DIGEST_TEXT	65

/**
 * struct cache_digest - SHA-256 of bytes so far
 * @state: of all whole blocks
 * @block: the bytes behind them
 * @size_bytes: of all
 */
struct cache_digest {
	uint32_t state[8];
	unsigned char block[64];
	uint64_t size_bytes;
};

/** cache_digest_begin() - of no bytes */
void cache_digest_begin(struct cache_digest *digest);
/** cache_digest_add() - goes on with @bytes */
void cache_digest_add(struct cache_digest *digest, const void *bytes, size_t size_bytes);
/** cache_digest_end() - the digest in hexadecimal digits, CACHE_DIGEST_TEXT characters */
void cache_digest_end(struct cache_digest *digest, char *text);

#endif /* LOOM_CACHE_DIGEST_H */
