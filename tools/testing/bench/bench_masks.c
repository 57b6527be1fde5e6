// SPDX-License-Identifier: MIT
/*
 * The bank allocator with blocks on some of 140 banks: ns of processor time of a pair of free and
 * allocation with up to 10000 live buffers, of which random ones are replaced; means of five seeds.
 *
 * The bank is a sixteenth larger than what the buffers take when they are placed one after the
 * other, so that it is nearly full all the time. saved is what an address of its own in each bank
 * saves of the memory that the buffers and their replacements take with one address.
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
	/* of the replacements */
	u64 ns;
	u32 refused;
	u64 top;
};

static struct result replay_bank(const struct work *work)
{
	struct loom_bank_block *blocks = calloc(work->live, sizeof(*blocks));
	struct loom_bank *bank = malloc(sizeof(*bank));
	struct loom_bank_chunk *spare = NULL;
	struct result result = { 0 };
	u64 begin = 0;

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

		if (i == work->live) {
			result.refused = 0;
			begin = thread_ns();
		}
		if (!spare)
			spare = loom_bank_chunk_create();
		if (loom_bank_allocated(block))
			loom_bank_free(bank, block);
		if (loom_bank_alloc(bank, block, &request))
			result.refused++;
		else
			result.top = max(result.top, block->start + op->size);
	}
	result.ns = thread_ns() - begin;
	loom_bank_fini(bank);
	loom_port_free(spare);
	free(bank);
	free(blocks);
	return result;
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

static void print_line(size_t style, u32 live)
{
	u32 replacements = live > 1000 ? 4000 : 20000, refused = 0;
	struct work work = { .live = live, .count = live + replacements };
	double ns = 0, saved = 0;

	work.ops = calloc(work.count, sizeof(*work.ops));
	if (!work.ops)
		exit(1);
	for (u32 k = 0; k < SEEDS; k++) {
		struct work fill;
		struct result result;
		u64 top;

		draw(&work, style, 42 + k);
		work.limit = (u64)1 << 50;
		top = replay_bank(&work).top;
		saved += (1 - (double)replay_per_bank(&work) / (double)top) / SEEDS;
		fill = work;
		fill.count = live;
		top = replay_bank(&fill).top;
		work.limit = (top + top / 16) & ~(u64)(ALIGN - 1);
		result = replay_bank(&work);
		ns += (double)min(result.ns, replay_bank(&work).ns) / replacements / SEEDS;
		refused += result.refused / SEEDS;
	}
	printf("%-22s %7u %8.0f %7u %5.1f%%\n", styles[style].name, live, ns, refused,
	       100 * saved);
	fflush(stdout);
	free(work.ops);
}

int main(void)
{
	printf("%d banks, ns of processor time\n", BANKS);
	printf("%-22s %7s %8s %7s %6s\n", "on", "live", "a pair", "refused", "saved");
	for (size_t style = 0; style < ARRAY_SIZE(styles); style++)
		for (u32 live = 10; live <= 10000; live *= 10)
			print_line(style, live);
	return 0;
}
