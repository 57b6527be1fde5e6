/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_DRAW_H
#define LOOM_TESTS_DRAW_H

/* Numbers that look random, the same each time: for tests whose expected counts were taken so. */

#include <stdint.h>

static uint64_t seed = 1;

static inline uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % below;
}

#endif /* LOOM_TESTS_DRAW_H */
