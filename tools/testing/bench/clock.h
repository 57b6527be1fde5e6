/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_CLOCK_H
#define LOOM_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Processor time of this thread, which other load on the machine does not change much. */
static inline uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Processor time of this process, which other load on the machine does not change much. */
static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 2^16 multiply-adds, each of which needs the one before: to compare machines by. */
static inline double calibrated_loop_ns(void)
{
	float seed = 0.5f;
	double best = 1e18;

	for (int run = 0; run < 100; run++) {
		float x = seed;
		uint64_t start = thread_ns();
		double ns;

		for (int i = 0; i < 1 << 16; i++)
			x = x * 0.999f + 0.25f;
		seed = x / 500.0f;
		ns = (double)(thread_ns() - start);
		best = ns < best ? ns : best;
	}
	/* it is below one: without this the loop may be left out */
	return seed < 1.0f ? best : 0.0;
}

#endif /* LOOM_BENCH_CLOCK_H */
