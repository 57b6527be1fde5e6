// SPDX-License-Identifier: MIT
/*
 * Blocks on some banks: 140 banks, 100000 live buffers, one replaced after the other.
 *
 *	bench_masks [LIVE [REPLACEMENTS]]
 *
 * The bank is as large as the buffers take when they are placed one after the other, and a
 * sixteenth more, so that it is nearly full all the time. Beside it: what the same buffers take in
 * strict lockstep, where each of them is on all banks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random.h"
#include "loom_bank.h"

#define BANKS	140
#define ALIGN	64

enum style {
	STYLE_ALL,
	STYLE_ONE,
	STYLE_EIGHT,
	STYLE_FEW,
	STYLE_GRID,
	STYLE_ANY,
	STYLE_COUNT,
};

static const char *const style_names[] = {
	[STYLE_ALL] = "all banks",
	[STYLE_ONE] = "one bank",
	[STYLE_EIGHT] = "one of 8 sets",
	[STYLE_FEW] = "1 to 8 banks",
	[STYLE_GRID] = "rectangle of 14 x 10",
	[STYLE_ANY] = "any half of the banks",
};

static u64 now_ns(void)
{
	struct timespec now;

	/* of this thread: who else is on the machine must not count */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* What two looks at the clock cost: taken off each operation. */
static double clock_cost_ns(void)
{
	enum { LOOKS = 100000 };
	u64 start = now_ns();

	for (int i = 0; i < LOOKS; i++)
		now_ns();
	return (double)(now_ns() - start) / LOOKS;
}

static struct loom_mask random_rectangle(void)
{
	u32 x = random_below(14), y = random_below(10);
	u32 right = x + 1 + random_below(14 - x), bottom = y + 1 + random_below(10 - y);
	struct loom_mask mask = { { 0 } };

	for (u32 i = 0; i < BANKS; i++)
		if (i % 14 >= x && i % 14 < right && i / 14 >= y && i / 14 < bottom)
			loom_mask_set(&mask, i);
	return mask;
}

static struct loom_mask random_mask(enum style style)
{
	struct loom_mask mask = { { 0 } };
	u32 i, set;

	switch (style) {
	case STYLE_ALL:
		return loom_mask_all(BANKS);
	case STYLE_GRID:
		return random_rectangle();
	case STYLE_ONE:
		loom_mask_set(&mask, random_below(BANKS));
		break;
	case STYLE_EIGHT:
		/* rows of the grid: halves, thirds, and the odd ones */
		set = random_below(8);
		for (i = 0; i < BANKS; i++)
			if (set < 2 ? i / 70 == set : set < 5 ? i / 14 % 3 == set - 2 :
			    set < 7 ? i % 2 == set - 5 : i % 14 < 3)
				loom_mask_set(&mask, i);
		break;
	case STYLE_FEW:
		for (i = 1 + random_below(8); i--;)
			loom_mask_set(&mask, random_below(BANKS));
		break;
	default:
		for (i = 0; i < BANKS; i++)
			if (random_below(2))
				loom_mask_set(&mask, i);
		break;
	}
	if (!loom_mask_count(&mask))
		loom_mask_set(&mask, 0);
	return mask;
}

static u64 random_size(void)
{
	/* 256 bytes to 32 KiB, each power of two as often */
	u64 size = (u64)256 << random_below(7);

	return (size + random_below(size) + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

struct run {
	enum style style;
	u32 live;
	u32 replacements;
	struct loom_bank bank;
	struct loom_bank_block *blocks;
	struct loom_partial_chunk *spare;
	u64 alloc_ns;
	u64 free_ns;
	u32 failures;
	u32 allocs;
	u64 lockstep_bytes;
};

static void place(struct run *run, struct loom_bank_block *block)
{
	struct loom_mask mask = random_mask(run->style);
	struct loom_bank_request request = {
		.size = random_size(),
		.align = ALIGN,
		.high = U64_MAX,
		.mask = &mask,
		.spare = &run->spare,
	};
	u64 start;

	if (!run->spare)
		run->spare = loom_bank_chunk_create();
	start = now_ns();
	run->failures += !!loom_bank_alloc(&run->bank, block, &request);
	run->alloc_ns += now_ns() - start;
	run->allocs++;
	run->lockstep_bytes += request.size;
}

/* Return: end of the highest block. */
static u64 fill(struct run *run, u64 limit)
{
	u64 top = 0;

	random_state = 42;
	if (loom_bank_init(&run->bank, 0, limit, BANKS, LOOM_BANK_FIRST_FIT))
		exit(1);
	memset(run->blocks, 0, run->live * sizeof(*run->blocks));
	run->lockstep_bytes = 0;
	for (u32 i = 0; i < run->live; i++) {
		place(run, &run->blocks[i]);
		if (loom_bank_allocated(&run->blocks[i]))
			top = max(top, run->blocks[i].start + run->blocks[i].size);
	}
	return top;
}

static void measure(enum style style, u32 live, u32 replacements, double clock_ns)
{
	struct run run = { .style = style, .live = live, .replacements = replacements };
	u64 top, lockstep, start;
	double bytes = 0;

	run.blocks = calloc(live, sizeof(*run.blocks));
	if (!run.blocks)
		exit(1);
	top = fill(&run, (u64)1 << 50);
	loom_bank_fini(&run.bank);
	top += top / 16;
	fill(&run, top & ~(u64)(ALIGN - 1));
	lockstep = run.lockstep_bytes;
	for (u32 i = 0; i < BANKS; i++)
		bytes += (double)loom_bank_bytes(&run.bank, i);

	run.alloc_ns = 0;
	run.allocs = 0;
	run.failures = 0;
	for (u32 i = 0; i < replacements; i++) {
		struct loom_bank_block *block = &run.blocks[random_below(live)];

		if (loom_bank_allocated(block)) {
			start = now_ns();
			loom_bank_free(&run.bank, block);
			run.free_ns += now_ns() - start;
		}
		place(&run, block);
	}
	printf("%-22s %7u %8.0f %8.0f %8u %7u %7.0f%% %8.1fx\n", style_names[style], live,
	       max((double)run.alloc_ns / replacements - clock_ns, 1.0),
	       max((double)run.free_ns / replacements - clock_ns, 1.0),
	       run.failures, run.bank.partials.chunk_count, 100 * bytes / BANKS / (double)top,
	       (double)lockstep / (double)top);
	fflush(stdout);
	loom_bank_fini(&run.bank);
	loom_port_free(run.spare);
	free(run.blocks);
}

int main(int argc, char **argv)
{
	u32 live = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
	u32 replacements = argc > 2 ? strtoul(argv[2], NULL, 0) : 20000;

	double clock_ns = clock_cost_ns();

	if (!live || !replacements || argc > 3) {
		fprintf(stderr, "usage: bench_masks [LIVE [REPLACEMENTS]]\n");
		return 2;
	}
	printf("%d banks, ns per operation; lockstep: what they take on all banks, to the bank\n",
	       BANKS);
	printf("%-22s %7s %8s %8s %8s %7s %8s %9s\n", "on", "live", "alloc", "free", "refused",
	       "chunks", "full", "lockstep");
	for (int style = 0; style < STYLE_COUNT; style++)
		for (u32 n = live >= 10000 ? live / 100 : live; n <= live; n *= 10)
			measure(style, n, replacements, clock_ns);
	return 0;
}
