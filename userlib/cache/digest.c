// SPDX-License-Identifier: MIT
/* SHA-256 (FIPS 180-4): a model that was made on purpose must not get the program of another. */
#include "digest.h"

#include <stdio.h>
#include <string.h>

static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void add_block(uint32_t *state, const unsigned char *block)
{
	uint32_t w[64], s[8], a, b;
	unsigned int i;

	for (i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (; i < 64; i++) {
		a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
		b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(s, state, sizeof(s));
	for (i = 0; i < 64; i++) {
		a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
		    ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
		b = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
		    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += a;
		s[0] = a + b;
	}
	for (i = 0; i < 8; i++)
		state[i] += s[i];
}

void cache_digest_begin(struct cache_digest *digest)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(digest->state, start, sizeof(start));
	digest->size_bytes = 0;
}

void cache_digest_add(struct cache_digest *digest, const void *bytes, size_t size_bytes)
{
	size_t at = digest->size_bytes % sizeof(digest->block), part;
	const unsigned char *from = bytes;

	digest->size_bytes += size_bytes;
	while (size_bytes) {
		part = sizeof(digest->block) - at;
		part = part < size_bytes ? part : size_bytes;
		memcpy(digest->block + at, from, part);
		from += part;
		size_bytes -= part;
		at = (at + part) % sizeof(digest->block);
		if (!at)
			add_block(digest->state, digest->block);
	}
}

void cache_digest_end(struct cache_digest *digest, char *text)
{
	uint64_t bits = digest->size_bytes * 8;
	unsigned char length[8];
	unsigned int i;

	cache_digest_add(digest, "\x80", 1);
	while (digest->size_bytes % sizeof(digest->block) != 56)
		cache_digest_add(digest, "", 1);
	for (i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	cache_digest_add(digest, length, sizeof(length));
	for (i = 0; i < 8; i++)
		sprintf(text + 8 * i, "%08x", digest->state[i]);
}
