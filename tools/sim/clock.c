// SPDX-License-Identifier: MIT
#include "sim.h"

#include <time.h>

u64 sim_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void sim_nap(u64 ns)
{
	const u64 longest = 10000000;
	struct timespec nap = { .tv_nsec = min(ns, longest) };

	nanosleep(&nap, NULL);
}
