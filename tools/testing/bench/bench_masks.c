// SPDX-License-Identifier: MIT
/*
 * The bank allocator with blocks on some of 140 banks: ns of processor time per operation with up
 * to 10000 live buffers, of which random ones are replaced.
 *
 *	bench_masks [LIVE [SEED]]
 *
 * Each line has medians of five seeds from SEED on, 42 if there is none.
 *
 * The bank is a sixteenth larger than what the buffers take when they are placed one after the
 * other, so that it is nearly full all the time. The baseline for memory is strict lockstep: what
 * the same buffers take if each of them is on all banks. saved is what an address of its own in
 * each bank saves of the memory that the buffers and their replacements take with one address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "loom_span.h"
#include "masks.h"

#define BANKS	140
#define COLUMNS	14
#define ALIGN	64
#define SEEDS	5
/* no operation takes so long: another thread ran */
#define PREEMPTED_NS	2000000

static const struct {
	enum mask_style style;
	/* the others are on all banks */
	u32 percent;
	const char *name;
} styles[] = {
	{ MASK_ALL, 0, "all banks" },
	{ MASK_ONE, 100, "one bank" },
	{ MASK_EIGHT, 100, "one of 8 sets" },
	{ MASK_FEW, 100, "1 to 8 banks" },
	{ MASK_GRID, 100, "rectangle of 14 x 10" },
	{ MASK_HALF, 100, "any half of the banks" },
	{ MASK_EIGHT, 50, "one of 8 sets, or all" },
};

static u64 random_size(void)
{
	/* 256 bytes to 32 KiB, each power of two as often */
	u64 size = (u64)256 << random_below(7);

	return (size + random_below(size) + ALIGN - 1) & ~(u64)(ALIGN - 1);
}

/* A buffer that is placed, after the one with its number was freed. */
struct op {
	u32 id;
	u64 size;
	struct loom_mask mask;
};

/* Operations: those that fill the bank, and the replacements. */
struct work {
	u32 live;
	u32 count;
	struct op *ops;
	u64 limit;
};

struct result {
	double alloc_ns;
	double free_ns;
	u64 total_ns;
	u64 spent_ns[2];
	u32 timed[2];
	u32 refused;
	u64 top;
	double full;
};

static void timed(struct result *result, bool share, bool is_free, u64 start)
{
	u64 took;

	if (!share)
		return;
	took = now_ns() - start;
	if (took > PREEMPTED_NS)
		return;
	result->spent_ns[is_free] += took;
	result->timed[is_free]++;
}

static void note(struct result *result, u64 start, u64 size)
{
	result->refused += start == U64_MAX;
	if (start != U64_MAX)
		result->top = max(result->top, start + size);
}

static void replay_bank(const struct work *work, bool share, struct result *result)
{
	struct loom_bank_block *blocks = calloc(work->live, sizeof(*blocks));
	struct loom_bank *bank = malloc(sizeof(*bank));
	struct loom_bank_chunk *spare = NULL;
	u64 start, begin = 0;

	if (!blocks || !bank ||
	    loom_bank_init(bank, 0, work->limit, BANKS, LOOM_BANK_FIRST_FIT))
		exit(1);
	for (u32 i = 0; i < work->count; i++) {
		const struct op *op = &work->ops[i];
		struct loom_bank_block *block = &blocks[op->id];
		const struct loom_bank_request request = {
			.size = op->size, .align = ALIGN, .high = U64_MAX, .mask = &op->mask,
			.spare = &spare,
		};
		bool fill = i < work->live;
		int err;

		if (i == work->live) {
			result->refused = 0;
			begin = thread_ns();
		}
		if (!spare)
			spare = loom_bank_chunk_create();
		if (loom_bank_allocated(block)) {
			start = share ? now_ns() : 0;
			loom_bank_free(bank, block);
			timed(result, share && !fill, true, start);
		}
		start = share ? now_ns() : 0;
		err = loom_bank_alloc(bank, block, &request);
		timed(result, share && !fill, false, start);
		note(result, err ? U64_MAX : block->start, op->size);
	}
	result->total_ns = thread_ns() - begin;
	for (u32 i = 0; i < BANKS; i++)
		result->full += (double)loom_bank_bytes(bank, i) / BANKS / (double)work->limit;
	loom_bank_fini(bank);
	loom_port_free(spare);
	free(bank);
	free(blocks);
}

/*
 * The end of the fullest bank if buffers and their replacements have an address per bank: then
 * nothing connects the banks, and each has an allocator.
 */
static u64 replay_per_bank(const struct work *work)
{
	struct loom_bank_block *blocks = calloc((size_t)work->live * BANKS, sizeof(*blocks));
	struct loom_bank *banks = calloc(BANKS, sizeof(*banks));
	struct loom_bank_chunk *spare = NULL;
	u64 top = 0;

	if (!blocks || !banks)
		exit(1);
	for (u32 bank = 0; bank < BANKS; bank++)
		if (loom_bank_init(&banks[bank], 0, work->limit, 1, LOOM_BANK_FIRST_FIT))
			exit(1);
	for (u32 i = 0; i < work->count; i++) {
		const struct op *op = &work->ops[i];
		const struct loom_bank_request request = {
			.size = op->size, .align = ALIGN, .high = U64_MAX, .spare = &spare,
		};

		for (u32 bank = 0; bank < BANKS; bank++) {
			struct loom_bank_block *block = &blocks[(size_t)op->id * BANKS + bank];

			if (loom_bank_allocated(block))
				loom_bank_free(&banks[bank], block);
			if (!loom_mask_has(&op->mask, bank))
				continue;
			if (!spare)
				spare = loom_bank_chunk_create();
			if (loom_bank_alloc(&banks[bank], block, &request))
				exit(1);
			top = max(top, block->start + block->size);
		}
	}
	for (u32 bank = 0; bank < BANKS; bank++)
		loom_bank_fini(&banks[bank]);
	loom_port_free(spare);
	free(banks);
	free(blocks);
	return top;
}

/* The better of two rounds; the share of allocations is that of a third. */
static struct result measure(const struct work *work)
{
	struct result result = { 0 }, again = { 0 }, share = { 0 };
	u32 count = work->count - work->live;
	double mean[2] = { 0 }, scale;

	replay_bank(work, false, &result);
	replay_bank(work, false, &again);
	replay_bank(work, true, &share);
	for (int i = 0; i < 2; i++)
		if (share.timed[i])
			mean[i] = max((double)share.spent_ns[i] / share.timed[i] - clock_cost_ns(),
				      1.0);
	scale = (double)min(result.total_ns, again.total_ns) / count /
		(mean[0] + mean[1] * share.timed[1] / count);
	result.alloc_ns = mean[0] * scale;
	result.free_ns = mean[1] * scale;
	return result;
}

static void draw(struct work *work, size_t style, u64 seed)
{
	random_state = seed;
	for (u32 i = 0; i < work->count; i++) {
		work->ops[i] = (struct op){
			.id = i < work->live ? i : random_below(work->live),
			.size = random_size(),
			.mask = mask_draw(styles[style].style, BANKS, COLUMNS),
		};
		if (styles[style].percent < 100 && random_below(100) >= styles[style].percent)
			work->ops[i].mask = loom_mask_all(BANKS);
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double *values)
{
	qsort(values, SEEDS, sizeof(*values), by_value);
	return values[SEEDS / 2];
}

static void print_line(size_t style, u32 live, u64 seed)
{
	u32 replacements = live > 1000 ? 4000 : 20000;
	struct work work = { .live = live, .count = live + replacements };
	double alloc[SEEDS], release[SEEDS], full = 0, lockstep = 0, saved = 0;
	u32 refused = 0;

	work.ops = calloc(work.count, sizeof(*work.ops));
	if (!work.ops)
		exit(1);
	for (u32 k = 0; k < SEEDS; k++) {
		struct work fill = { .live = live, .count = live, .ops = work.ops,
				     .limit = (u64)1 << 50 };
		struct work all = { .live = live, .count = work.count, .ops = work.ops,
				    .limit = (u64)1 << 50 };
		struct result a = { 0 }, b = { 0 };
		u64 bytes = 0;

		draw(&work, style, seed + k);
		for (u32 i = 0; i < live; i++)
			bytes += work.ops[i].size;
		replay_bank(&all, false, &b);
		saved += (1 - (double)replay_per_bank(&all) / (double)b.top) / SEEDS;
		replay_bank(&fill, false, &a);
		work.limit = (a.top + a.top / 16) & ~(u64)(ALIGN - 1);
		lockstep += (double)bytes / (double)work.limit / SEEDS;
		a = measure(&work);
		alloc[k] = a.alloc_ns;
		release[k] = a.free_ns;
		refused += a.refused / SEEDS;
		full += a.full / SEEDS;
	}
	printf("%-22s %7u %8.0f %7.0f %7u %5.0f%% %7.1fx %5.1f%%\n", styles[style].name, live,
	       median(alloc), median(release), refused, 100 * full, lockstep, 100 * saved);
	fflush(stdout);
	free(work.ops);
}

int main(int argc, char **argv)
{
	static const u32 sizes[] = { 10, 100, 1000, 10000 };
	u32 only = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 42;

	if (argc > 3) {
		fprintf(stderr, "usage: bench_masks [LIVE [SEED]]\n");
		return 2;
	}
	printf("%d banks, ns of processor time; lockstep: what they take on all banks\n", BANKS);
	printf("%-22s %7s %8s %7s %7s %6s %8s %6s\n", "on", "live", "alloc", "free", "refused",
	       "full", "lockstep", "saved");
	for (size_t style = 0; style < ARRAY_SIZE(styles); style++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			if (!only || only == sizes[i])
				print_line(style, sizes[i], seed);
	return 0;
}
