// SPDX-License-Identifier: MIT
/*
 * The bank allocator with blocks on some of 140 banks: ns per operation with up to 100000 live
 * buffers, of which random ones are replaced.
 *
 *	bench_masks [LIVE [REPLACEMENTS]]
 *
 * The bank is a sixteenth larger than what the buffers take when they are placed one after the
 * other, so that it is nearly full all the time. The baseline for memory is strict lockstep: what
 * the same buffers take if each of them is on all banks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "loom_bank.h"
#include "masks.h"

#define BANKS	140
#define COLUMNS	14
#define ALIGN	64

static const struct {
	enum mask_style style;
	const char *name;
} styles[] = {
	{ MASK_ALL, "all banks" },
	{ MASK_ONE, "one bank" },
	{ MASK_EIGHT, "one of 8 sets" },
	{ MASK_FEW, "1 to 8 banks" },
	{ MASK_GRID, "rectangle of 14 x 10" },
	{ MASK_HALF, "any half of the banks" },
};

/* What two reads of the clock cost: subtracted from each operation. */
static double cpu_clock_cost_ns(void)
{
	enum { LOOKS = 100000 };
	u64 start = thread_ns();

	for (int i = 0; i < LOOKS; i++)
		thread_ns();
	return (double)(thread_ns() - start) / LOOKS;
}

static u64 random_size(void)
{
	/* 256 bytes to 32 KiB, each power of two as often */
	u64 size = (u64)256 << random_below(7);

	return (size + random_below(size) + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

struct run {
	enum mask_style style;
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
	struct loom_mask mask = mask_draw(run->style, BANKS, COLUMNS);
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
	start = thread_ns();
	run->failures += !!loom_bank_alloc(&run->bank, block, &request);
	run->alloc_ns += thread_ns() - start;
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

static void measure(size_t style, u32 live, u32 replacements, double clock_ns)
{
	struct run run = { .style = styles[style].style, .live = live,
			   .replacements = replacements };
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
			start = thread_ns();
			loom_bank_free(&run.bank, block);
			run.free_ns += thread_ns() - start;
		}
		place(&run, block);
	}
	printf("%-22s %7u %8.0f %8.0f %8u %7u %7.0f%% %8.1fx\n", styles[style].name, live,
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

	double clock_ns = cpu_clock_cost_ns();

	if (!live || !replacements || argc > 3) {
		fprintf(stderr, "usage: bench_masks [LIVE [REPLACEMENTS]]\n");
		return 2;
	}
	printf("%d banks, ns per operation; lockstep: what they take on all banks, to the bank\n",
	       BANKS);
	printf("%-22s %7s %8s %8s %8s %7s %8s %9s\n", "on", "live", "alloc", "free", "refused",
	       "chunks", "full", "lockstep");
	for (size_t style = 0; style < ARRAY_SIZE(styles); style++)
		for (u32 n = live >= 10000 ? live / 100 : live; n <= live; n *= 10)
			measure(style, n, replacements, clock_ns);
	return 0;
}
