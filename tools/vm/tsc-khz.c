// SPDX-License-Identifier: MIT
/*
 * Prints how fast this machine's time stamp counter runs, in kHz; nothing where there is none.
 *
 * QEMU's translator shows the guest the counter of the host. To measure that by a timer fails on a
 * machine with much to do: the guest's clock would be jiffies.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#ifdef __SSE2__
#include <x86intrin.h>

/* Both at the same time: as near as they come in some attempts. */
static uint64_t sample(uint64_t *ns)
{
	uint64_t best = UINT64_MAX, ticks = 0;

	for (int i = 0; i < 50; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= best)
			continue;
		best = after - before;
		ticks = before + best / 2;
		*ns = (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	}
	return ticks;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	uint64_t start_ns, end_ns, start, end;

	start = sample(&start_ns);
	nanosleep(&pause, NULL);
	end = sample(&end_ns);
	printf("%.0f\n", (end - start) * 1e6 / (end_ns - start_ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
