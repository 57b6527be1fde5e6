// SPDX-License-Identifier: MIT
/*
 * The bank allocator beside first fit and a list with size classes, on the same traces in the same
 * run.
 *
 *	bench_alloc [SEED]
 *
 * Refusals by family of traces, with 20 seeds each from SEED (1) on; then ns of processor time of a
 * pair of allocation and free, by live blocks.
 *
 * The bank is used as the driver uses it when a buffer asks for nothing: best fit where it is DRAM,
 * near fit where it is SRAM; "masked" has a block of 64 bytes on one of two banks all the time.
 *
 * The run fails if the bank refuses more than the published allocator with the better of its two
 * policies does on a published trace, more than either baseline in the sum of all families, or more
 * than the better one by a tenth and by a thousandth of the requests in one of them.
 */
#include "clock.h"
#include "lists.h"
#include "trace_family.h"

#define ROUNDS		3
#define SEEDS		20
/* a replay that takes so long is not repeated */
#define LONG_NS		300000000

struct result {
	u32 failures;
	/* of processor time, from the trace's mark on, and the operations in it */
	u64 ns;
	u32 ops;
};

static u64 round_size(const struct trace *trace, u64 size)
{
	return (size + trace->align_bytes - 1) & ~(trace->align_bytes - 1);
}

static void place_masked(const struct trace *trace, struct loom_bank *bank,
			 struct loom_bank_block *block)
{
	const struct loom_mask first = { { 1 } };
	struct loom_bank_chunk *spare = loom_bank_chunk_create();
	const struct loom_bank_request request = {
		.size = 64, .align = trace->align_bytes, .high = U64_MAX, .mask = &first,
		.spare = &spare,
	};

	if (!spare || loom_bank_alloc(bank, block, &request))
		exit(1);
}

static struct result replay_bank(const struct trace *trace, enum loom_bank_policy policy,
				 bool masked)
{
	struct loom_bank_block *blocks = calloc(trace->ids + 1, sizeof(*blocks));
	struct loom_bank *bank = malloc(sizeof(*bank));
	struct loom_bank_chunk *spare = NULL;
	struct result result = { 0 };
	u64 begin = thread_ns();

	if (!blocks || !bank || loom_bank_init(bank, 0, trace->cap_bytes, 2, policy))
		exit(1);
	if (masked)
		place_masked(trace, bank, &blocks[0]);
	for (size_t i = 0; i < trace->count; i++, result.ops++) {
		const struct trace_op *op = &trace->ops[i];
		struct loom_bank_block *block = &blocks[op->id];
		struct loom_bank_request request = {
			.size = round_size(trace, op->size),
			.align = trace->align_bytes,
			.high = U64_MAX,
			.spare = &spare,
			.top_down = op->kind == TRACE_ALLOC_HIGH,
		};

		if (op->kind == TRACE_MARK) {
			begin = thread_ns();
			result.ops = 0;
			continue;
		}
		if (op->kind == TRACE_FREE) {
			if (loom_bank_allocated(block))
				loom_bank_free(bank, block);
			continue;
		}
		if (!spare)
			spare = loom_bank_chunk_create();
		result.failures += !!loom_bank_alloc(bank, block, &request);
	}
	result.ns = thread_ns() - begin;
	loom_bank_fini(bank);
	loom_port_free(spare);
	free(bank);
	free(blocks);
	return result;
}

/* Refusals of the list with size classes. */
static u32 replay_classes(const struct trace *trace)
{
	/* there is at most one hole more than there are blocks */
	size_t count = (size_t)trace->ids * 2 + 2;
	struct plain_block *pool = calloc(count, sizeof(*pool));
	struct plain_block **blocks = calloc(trace->ids + 1, sizeof(*blocks));
	struct classes classes = { 0 };
	u32 failures = 0;

	if (!pool || !blocks)
		exit(1);
	plain_init(&classes.plain, trace->cap_bytes, pool, count);
	classes_add(&classes, classes.plain.end[0].near[1]);
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		struct plain_block **block = &blocks[op->id];

		if (op->kind == TRACE_MARK || (op->kind == TRACE_FREE && !*block))
			continue;
		if (op->kind == TRACE_FREE) {
			classes_free(&classes, *block);
			*block = NULL;
			continue;
		}
		*block = classes_alloc(&classes, round_size(trace, op->size),
				       op->kind == TRACE_ALLOC_HIGH);
		failures += !*block;
	}
	for (int i = 0; i < CLASS_COUNT; i++)
		free(classes.free[i]);
	free(blocks);
	free(pool);
	return failures;
}

/* As the driver has it. */
static enum loom_bank_policy policy_of(const struct trace *trace)
{
	return trace->cap_bytes <= TRACE_SRAM_BYTES ? LOOM_BANK_NEAR_FIT : LOOM_BANK_BEST_FIT;
}

static bool print_published(void)
{
	/* refusals of the published allocator with the better of its two policies */
	static const struct {
		unsigned int family;
		u32 seed, failures;
	} published[] = {
		{ 0, 505, 463 }, { 1, 404, 1776 }, { 4, 202, 603 }, { 5, 203, 47 }, { 6, 707, 14 },
	};
	bool good = true;

	printf("refusals on published traces: the bank, the published allocator\n");
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		struct trace trace;
		u32 ours;

		trace_family(&trace, published[i].family, published[i].seed);
		ours = replay_bank(&trace, policy_of(&trace), false).failures;
		printf("%-14s %8u %8u%s\n", trace.name, ours, published[i].failures,
		       ours > published[i].failures ? "   MORE FAILURES" : "");
		good &= ours <= published[i].failures;
		trace_free(&trace);
	}
	return good;
}

enum { OURS, FIRST, CLASSES, MASKED, ENGINES };

static bool print_families(u64 seed)
{
	double sum[ENGINES] = { 0 };
	bool good = true;

	printf("\nrefusals by family, mean of %d seeds from %llu on\n", SEEDS,
	       (unsigned long long)seed);
	printf("%-14s %8s %8s %8s %8s %8s\n", "family", "requests", "the bank", "first", "classes",
	       "masked");
	for (unsigned int family = 0; family < TRACE_FAMILY_COUNT; family++) {
		double mean[ENGINES] = { 0 }, requests = 0, excess;
		char name[64];
		bool few;

		for (u32 k = 0; k < SEEDS; k++) {
			struct trace trace;
			u32 failures[ENGINES];

			trace_family(&trace, family, seed + k);
			memcpy(name, trace.name, sizeof(name));
			requests += (double)trace.allocs / SEEDS;
			failures[OURS] = replay_bank(&trace, policy_of(&trace), false).failures;
			failures[FIRST] = replay_bank(&trace, LOOM_BANK_FIRST_FIT, false).failures;
			failures[CLASSES] = replay_classes(&trace);
			failures[MASKED] = replay_bank(&trace, policy_of(&trace), true).failures;
			for (int i = 0; i < ENGINES; i++)
				mean[i] += (double)failures[i] / SEEDS;
			trace_free(&trace);
		}
		excess = mean[OURS] - min(mean[FIRST], mean[CLASSES]);
		few = excess <= max(min(mean[FIRST], mean[CLASSES]) / 10, requests / 1000);
		printf("%-14s %8.0f %8.1f %8.1f %8.1f %8.1f%s\n", name, requests, mean[OURS],
		       mean[FIRST], mean[CLASSES], mean[MASKED], few ? "" : "   MORE FAILURES");
		fflush(stdout);
		for (int i = 0; i < ENGINES; i++)
			sum[i] += mean[i];
		good &= few;
	}
	printf("%-14s %8s %8.1f %8.1f %8.1f %8.1f\n", "sum", "", sum[OURS], sum[FIRST],
	       sum[CLASSES], sum[MASKED]);
	return good && sum[OURS] < sum[FIRST] && sum[OURS] < sum[CLASSES];
}

/* Nanoseconds of a pair, as random ones of @live blocks are replaced: the best of some rounds. */
static double growth(u32 live, enum loom_bank_policy policy)
{
	const struct trace_steady steady = {
		.name = "growth", .seed = 909, .cap_bytes = (u64)live * 1280 * TRACE_KIB,
		.low = TRACE_KIB, .high = 8 * TRACE_MIB, .live = live, .replacements = 200000,
	};
	struct trace trace;
	double best = 1e18;
	u64 spent = 0;

	trace_make_steady(&trace, &steady);
	for (int round = 0; round < ROUNDS && spent < LONG_NS; round++) {
		struct result result = replay_bank(&trace, policy, false);

		best = min(best, 2.0 * result.ns / result.ops);
		spent += result.ns;
	}
	trace_free(&trace);
	return best;
}

int main(int argc, char **argv)
{
	bool good = print_published();

	good &= print_families(argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
	printf("\nns of allocation and free, random replacement\n%9s %9s %9s\n", "live",
	       "near fit", "best fit");
	for (u32 live = 10; live <= 1000000; live *= 10)
		printf("%9u %9.0f %9.0f\n", live, growth(live, LOOM_BANK_NEAR_FIT),
		       growth(live, LOOM_BANK_BEST_FIT));
	return !good;
}
