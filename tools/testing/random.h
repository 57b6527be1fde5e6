/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_RANDOM_H
#define LOOM_TESTS_RANDOM_H

/* Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood, 2014). */

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* for programs that need one stream only; they set it before they draw */
static uint64_t random_state;

static inline uint64_t random_u64(void)
{
	return random_next(&random_state);
}

static inline uint64_t random_below(uint64_t n)
{
	return random_u64() % n;
}

/*
 * Xorshift (Marsaglia, 2003), for tests whose expected counts were taken with it. Below @n; @state
 * is not zero.
 */
static inline uint32_t random_xorshift(uint64_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % n;
}

#endif /* LOOM_TESTS_RANDOM_H */
