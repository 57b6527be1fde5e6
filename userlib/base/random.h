/* SPDX-License-Identifier: MIT */
/* Pseudorandom numbers, the same on every machine. */
#ifndef LOOM_BASE_RANDOM_H
#define LOOM_BASE_RANDOM_H

#include <stdint.h>

/**
 * loom_random_next() - SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 *	generators, 2014)
 * @state: any seed, changed
 *
 * Return: the next number.
 */
static inline uint64_t loom_random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

#endif /* LOOM_BASE_RANDOM_H */
