/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_LOWER_ROUNDS_H
#define LOOM_TESTS_LOWER_ROUNDS_H

/* The loop of tests that try one random graph after the other; each round is a graph of its own. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * struct rounds - what became of them
 * @count: number of rounds
 * @bad: number of those that failed
 */
struct rounds {
	uint32_t count;
	uint32_t bad;
};

/**
 * rounds_run() - tries rounds
 * @argc: of main()
 * @argv: of main(): none; or the number of a round, to try it alone; and how many from there on
 * @count: rounds if there are no arguments; with sanitizers a fifth of them
 * @try_round: makes a graph from the number of the round and tests it; false: it failed
 *
 * Return: how many were tried, and how many failed.
 */
static inline struct rounds rounds_run(int argc, char **argv, uint32_t count,
				       bool (*try_round)(uint32_t round))
{
	uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 0, round;
	struct rounds rounds = { .count = getenv("LOOM_SANITIZED") ? count / 5 : count };

	if (argc > 1)
		rounds.count = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
	for (round = first; round < first + rounds.count; round++)
		rounds.bad += !try_round(round);
	return rounds;
}

#endif /* LOOM_TESTS_LOWER_ROUNDS_H */
