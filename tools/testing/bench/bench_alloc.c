// SPDX-License-Identifier: MIT
/*
 * The bank allocator beside a plain first-fit list and a list with size classes, on the same traces
 * in the same run.
 *
 *	bench_alloc			the nine traces, the families, growth up to 1M live blocks
 *	bench_alloc --families SEED	only the families, by 20 seeds from SEED on
 *	bench_alloc --sram SEED		only the families in SRAM
 *	bench_alloc --growth		only the growth
 *
 * The bank is used as the driver uses it when a buffer asks for nothing: best fit where it is DRAM,
 * near fit where it is SRAM. It runs by first fit once more, and then must give the addresses that
 * the list gives: the run fails if it does not. It fails as well if the bank refuses more than the
 * published allocator with the better of its two policies does on a trace, more than either in the
 * sum of all families, or more than the better one by a tenth and by a thousandth of the requests
 * in one of them.
 *
 * Times are processor time. A replay is timed as a whole, as the clock of processor time costs more
 * than an operation; the share of allocations in it is that of another replay, in which each
 * operation is timed with a cheaper clock, less those in which the thread was not running.
 *
 * Fragmentation is the share of free bytes that are not in the largest hole, on average over the
 * run.
 */
#include <getopt.h>

#include "clock.h"
#include "lists.h"
#include "trace_family.h"

#define ROUNDS		3
#define SEEDS		20
/* operations between two samples of the fragmentation */
#define SAMPLE_EVERY	512
/* a replay that takes so long is not repeated */
#define LONG_NS		300000000
/* no operation takes so long: another thread ran */
#define PREEMPTED_NS	20000

/* What a replay is for: its results, its time, or the share of allocations in that. */
enum pass { PASS_RESULT, PASS_TOTAL, PASS_SHARE };

struct result {
	double alloc_ns;
	double free_ns;
	/* share of free bytes outside of the largest hole, mean of samples */
	double fragmentation;
	u32 samples;
	u32 failures;
	u32 allocs;
	u32 frees;
	/* of the pass: all, and by operation */
	u64 total_ns;
	u64 spent_ns[2];
	u32 timed[2];
	/* hash of all addresses, in order */
	u64 checksum;
};

/* What is replayed, and how. */
struct engine {
	void (*replay)(const struct trace *trace, const struct engine *engine, enum pass pass,
		       struct result *result);
	enum loom_bank_policy policy;
	/* a block of 64 bytes is on one of two banks all the time */
	bool masked;
	bool by_class;
};

static u64 checksum_add(u64 checksum, u64 address)
{
	return (checksum ^ address) * 0x100000001b3;
}

static u64 round_size(const struct trace *trace, u64 size)
{
	return (size + trace->align_bytes - 1) & ~(trace->align_bytes - 1);
}

static void fragmentation_add(struct result *result, u64 free_bytes, u64 largest)
{
	result->samples++;
	if (free_bytes)
		result->fragmentation += 1.0 - (double)largest / (double)free_bytes;
}

static u64 op_begin(enum pass pass)
{
	return pass == PASS_SHARE ? now_ns() : 0;
}

static void op_end(enum pass pass, struct result *result, bool is_free, u64 start)
{
	u64 took;

	if (pass != PASS_SHARE)
		return;
	took = now_ns() - start;
	if (took > PREEMPTED_NS)
		return;
	result->spent_ns[is_free] += took;
	result->timed[is_free]++;
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

static void replay_bank(const struct trace *trace, const struct engine *engine, enum pass pass,
			struct result *result)
{
	struct loom_bank_block *blocks = calloc(trace->ids + 1, sizeof(*blocks));
	struct loom_bank *bank = malloc(sizeof(*bank));
	struct loom_bank_chunk *spare = NULL;
	struct loom_bank_stats stats;
	u64 begin, start;

	if (!blocks || !bank || loom_bank_init(bank, 0, trace->cap_bytes, 2, engine->policy))
		exit(1);
	if (engine->masked)
		place_masked(trace, bank, &blocks[0]);
	begin = thread_ns();
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		struct loom_bank_block *block = &blocks[op->id];
		struct loom_bank_request request = {
			.size = round_size(trace, op->size),
			.align = trace->align_bytes,
			.high = U64_MAX,
			.spare = &spare,
			.top_down = op->kind == TRACE_ALLOC_HIGH,
		};
		int err;

		if (pass == PASS_RESULT && i % SAMPLE_EVERY == 0) {
			loom_bank_stats(bank, NULL, &stats);
			fragmentation_add(result, stats.free, stats.largest_free);
		}
		if (op->kind == TRACE_MARK)
			continue;
		if (op->kind == TRACE_FREE) {
			if (!loom_bank_allocated(block))
				continue;
			start = op_begin(pass);
			loom_bank_free(bank, block);
			op_end(pass, result, true, start);
			result->frees++;
			continue;
		}
		if (!spare)
			spare = loom_bank_chunk_create();
		start = op_begin(pass);
		err = loom_bank_alloc(bank, block, &request);
		op_end(pass, result, false, start);
		result->failures += !!err;
		result->checksum = checksum_add(result->checksum, err ? U64_MAX : block->start);
	}
	result->total_ns = thread_ns() - begin;
	loom_bank_fini(bank);
	loom_port_free(spare);
	free(bank);
	free(blocks);
}

static void plain_sample(const struct plain *plain, struct result *result)
{
	u64 free_bytes = 0, largest = 0;

	for (const struct plain_block *block = plain->end[0].near[1]; block != &plain->end[1];
	     block = block->near[1]) {
		if (!block->is_free)
			continue;
		free_bytes += block->size;
		largest = max(largest, block->size);
	}
	fragmentation_add(result, free_bytes, largest);
}

/* Replays a trace with the plain list, or with the size classes. */
static void replay_list(const struct trace *trace, const struct engine *engine, enum pass pass,
			struct result *result)
{
	/* there is at most one hole more than there are blocks */
	size_t count = (size_t)trace->ids * 2 + 2;
	struct plain_block *pool = calloc(count, sizeof(*pool));
	struct plain_block **blocks = calloc(trace->ids + 1, sizeof(*blocks));
	struct classes classes = { 0 };
	struct plain *plain = &classes.plain;
	u64 begin, start;

	if (!pool || !blocks)
		exit(1);
	plain_init(plain, trace->cap_bytes, pool, count);
	classes_add(&classes, plain->end[0].near[1]);
	begin = thread_ns();
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		u64 size = round_size(trace, op->size);
		bool top_down = op->kind == TRACE_ALLOC_HIGH;
		struct plain_block *block;

		if (pass == PASS_RESULT && i % SAMPLE_EVERY == 0)
			plain_sample(plain, result);
		if (op->kind == TRACE_MARK)
			continue;
		if (op->kind == TRACE_FREE) {
			if (!blocks[op->id])
				continue;
			start = op_begin(pass);
			if (engine->by_class)
				classes_free(&classes, blocks[op->id]);
			else
				plain_free(plain, blocks[op->id]);
			op_end(pass, result, true, start);
			blocks[op->id] = NULL;
			result->frees++;
			continue;
		}
		start = op_begin(pass);
		block = engine->by_class ? classes_alloc(&classes, size, top_down) :
					   plain_alloc(plain, size, top_down);
		op_end(pass, result, false, start);
		blocks[op->id] = block;
		result->failures += !block;
		result->checksum = checksum_add(result->checksum, block ? block->start : U64_MAX);
	}
	result->total_ns = thread_ns() - begin;
	for (int i = 0; i < CLASS_COUNT; i++)
		free(classes.free[i]);
	free(blocks);
	free(pool);
}

static const struct engine best_fit = { .replay = replay_bank, .policy = LOOM_BANK_BEST_FIT };
static const struct engine near_fit = { .replay = replay_bank, .policy = LOOM_BANK_NEAR_FIT };
static const struct engine first_fit = { .replay = replay_bank, .policy = LOOM_BANK_FIRST_FIT };
static const struct engine plain_list = { .replay = replay_list };
static const struct engine size_classes = { .replay = replay_list, .by_class = true };

/* As the driver has it. */
static const struct engine *engine_of(const struct trace *trace)
{
	return trace->cap_bytes <= TRACE_SRAM_BYTES ? &near_fit : &best_fit;
}

static struct result results(const struct trace *trace, const struct engine *engine)
{
	struct result result = { 0 };

	engine->replay(trace, engine, PASS_RESULT, &result);
	return result;
}

/* Results, and the times of the best of some rounds. */
static struct result measure(const struct trace *trace, const struct engine *engine)
{
	struct result result = results(trace, engine), total = { 0 }, share = { 0 };
	u64 least = U64_MAX, spent = 0;
	double mean[2] = { 0 }, scale;

	for (int round = 0; round < ROUNDS && spent < LONG_NS; round++) {
		total = (struct result){ 0 };
		engine->replay(trace, engine, PASS_TOTAL, &total);
		least = min(least, total.total_ns);
		spent += total.total_ns;
	}
	engine->replay(trace, engine, PASS_SHARE, &share);
	for (int i = 0; i < 2; i++)
		if (share.timed[i])
			mean[i] = max((double)share.spent_ns[i] / share.timed[i] - clock_cost_ns(),
				      1.0);
	scale = (double)least / (mean[0] * trace->allocs + mean[1] * result.frees);
	result.alloc_ns = mean[0] * scale;
	result.free_ns = mean[1] * scale;
	return result;
}

/* Requests that the published allocator refuses, by its two policies; none on other traces. */
static const struct {
	const char *name;
	u32 first, best;
} published[] = {
	{ "ml_l1", 1776, 2351 },
	{ "l1_churn", 486, 463 },
	{ "rand10k_tight", 1014, 603 },
	{ "pow10k", 61, 47 },
	{ "mixdir", 26, 14 },
};

static u32 published_failures(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(published); i++)
		if (!strcmp(name, published[i].name))
			return min(published[i].first, published[i].best);
	return 0;
}

static double fragmentation(const struct result *result)
{
	return result->samples ? 100 * result->fragmentation / result->samples : 0;
}

static bool compare(const struct trace *trace)
{
	struct result ours = measure(trace, engine_of(trace));
	struct result first = results(trace, &first_fit);
	struct result plain = measure(trace, &plain_list);
	struct result classes = measure(trace, &size_classes);
	bool same = first.failures == plain.failures && first.checksum == plain.checksum;
	bool good = ours.failures <= published_failures(trace->name);

	printf("%-13s %7u %5.0f %5.0f %5u %4.0f%%  %7.0f %5.0f %5u %4.0f%%", trace->name,
	       trace->allocs, ours.alloc_ns, ours.free_ns, ours.failures, fragmentation(&ours),
	       plain.alloc_ns, plain.free_ns, plain.failures, fragmentation(&plain));
	printf("  %6.0f %5.0f %5u  %5.1fx %5.1fx %6u", classes.alloc_ns, classes.free_ns,
	       classes.failures, plain.alloc_ns / ours.alloc_ns,
	       (plain.alloc_ns + plain.free_ns) / (ours.alloc_ns + ours.free_ns),
	       published_failures(trace->name));
	printf("%s%s\n", same ? "" : "   DIFFERENT ADDRESSES", good ? "" : "   MORE FAILURES");
	fflush(stdout);
	return same && good;
}

/* --- families */

/* Numbers, one by seed. */
struct sample {
	double value[SEEDS];
	double sum;
};

static void sample_add(struct sample *sample, u32 index, double value)
{
	sample->value[index] = value;
	sample->sum += value;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The quantile in tenths: 0 the least, 5 the median, 10 the most. */
static double quantile(const struct sample *sample, u32 count, u32 tenths)
{
	double sorted[SEEDS];

	memcpy(sorted, sample->value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_value);
	return sorted[(count - 1) * tenths / 10];
}

struct family {
	char name[64];
	u32 requests;
	struct sample ours, first, classes, masked, ns;
};

static bool family_measure(struct family *family, unsigned int index, u64 seed)
{
	bool same = true;

	for (u32 i = 0; i < SEEDS; i++) {
		struct result ours, first, plain;
		struct trace trace;
		struct engine masked;

		trace_family(&trace, index, seed + i);
		snprintf(family->name, sizeof(family->name), "%s", trace.name);
		family->requests += trace.allocs / SEEDS;
		ours = measure(&trace, engine_of(&trace));
		first = results(&trace, &first_fit);
		plain = results(&trace, &plain_list);
		masked = *engine_of(&trace);
		masked.masked = true;
		same &= first.checksum == plain.checksum;
		sample_add(&family->ours, i, ours.failures);
		sample_add(&family->first, i, plain.failures);
		sample_add(&family->classes, i, results(&trace, &size_classes).failures);
		sample_add(&family->masked, i, results(&trace, &masked).failures);
		sample_add(&family->ns, i, ours.alloc_ns + ours.free_ns);
		trace_free(&trace);
	}
	return same;
}

static bool print_families(u64 seed, unsigned int count)
{
	double sum[3] = { 0 };
	bool good = true;

	printf("\nrefusals by family, %d seeds from %llu on: mean (quartiles, most)\n", SEEDS,
	       (unsigned long long)seed);
	printf("%-14s %8s  %-33s %8s %8s %8s  %s\n", "family", "requests", "the bank", "first",
	       "classes", "masked", "ns, alloc + free (median, most)");
	for (unsigned int index = 0; index < count; index++) {
		struct family family = { 0 };
		double better, excess;
		bool same = family_measure(&family, index, seed), few;

		better = min(family.first.sum, family.classes.sum) / SEEDS;
		excess = family.ours.sum / SEEDS - better;
		few = excess <= max(better / 10, family.requests / 1000.0);
		printf("%-14s %8u  %8.1f (%5.0f %5.0f %5.0f %5.0f)",
		       family.name, family.requests, family.ours.sum / SEEDS,
		       quantile(&family.ours, SEEDS, 2), quantile(&family.ours, SEEDS, 5),
		       quantile(&family.ours, SEEDS, 8), quantile(&family.ours, SEEDS, 10));
		printf(" %8.1f %8.1f %8.1f  %5.0f %5.0f%s%s\n", family.first.sum / SEEDS,
		       family.classes.sum / SEEDS, family.masked.sum / SEEDS,
		       quantile(&family.ns, SEEDS, 5), quantile(&family.ns, SEEDS, 10),
		       same ? "" : "   DIFFERENT ADDRESSES", few ? "" : "   MORE FAILURES");
		fflush(stdout);
		sum[0] += family.ours.sum;
		sum[1] += family.first.sum;
		sum[2] += family.classes.sum;
		good &= same && few;
	}
	printf("%-14s %8s  %8.0f %24s %8.0f %8.0f%s\n", "sum", "", sum[0], "", sum[1], sum[2],
	       sum[0] < sum[1] && sum[0] < sum[2] ? "" : "   MORE FAILURES");
	return good && sum[0] < sum[1] && sum[0] < sum[2];
}

/* --- growth */

/* Random replacement among @live blocks: what an operation costs as the bank fills. */
static struct result growth(u32 live, u32 replacements, u64 seed, const struct engine *engine)
{
	const struct trace_steady steady = {
		.name = "growth", .seed = seed, .cap_bytes = (u64)live * 1280 * TRACE_KIB,
		.low = TRACE_KIB, .high = 8 * TRACE_MIB, .live = live,
		.replacements = replacements,
	};
	struct trace trace;
	struct result result;

	trace_make_steady(&trace, &steady);
	result = measure(&trace, engine);
	trace_free(&trace);
	return result;
}

/* By policy, beside the plain list. */
struct growth_row {
	struct sample ours[2], list[2], ratio[2];
};

static struct growth_row growth_row(u32 live, u32 seeds, u32 replacements, bool beside_list,
				    const struct engine *engine)
{
	struct growth_row row = { 0 };

	for (u32 k = 0; k < seeds; k++) {
		struct result bank = growth(live, replacements, 909 + k, engine), plain;

		sample_add(&row.ours[0], k, bank.alloc_ns);
		sample_add(&row.ours[1], k, bank.free_ns);
		if (!beside_list)
			continue;
		plain = growth(live, replacements, 909 + k, &plain_list);
		sample_add(&row.list[0], k, plain.alloc_ns);
		sample_add(&row.list[1], k, plain.free_ns);
		sample_add(&row.ratio[0], k, plain.alloc_ns / bank.alloc_ns);
		sample_add(&row.ratio[1], k, plain.free_ns / bank.free_ns);
	}
	printf("%9u %6.0f %6.0f", live, quantile(&row.ours[0], seeds, 5),
	       quantile(&row.ours[1], seeds, 5));
	if (beside_list)
		printf("  %12.0f %6.0f  %13.2fx %5.2fx %5.2fx %5.2fx",
		       quantile(&row.list[0], seeds, 5), quantile(&row.list[1], seeds, 5),
		       quantile(&row.ratio[0], seeds, 5), quantile(&row.ratio[0], seeds, 0),
		       quantile(&row.ratio[1], seeds, 5), quantile(&row.ratio[1], seeds, 0));
	printf("\n");
	fflush(stdout);
	return row;
}

static void print_growth_head(const char *policy)
{
	printf("\ngrowth: random replacement in a bank as large as DRAM, %s; medians over seeds\n",
	       policy);
	printf("%9s %6s %6s  %12s %6s  %14s %6s %6s %6s\n", "live", "alloc", "free",
	       "list: alloc", "free", "times: alloc", "least", "free", "least");
}

static int print_growth(void)
{
	static const struct {
		u32 live, seeds, replacements;
		bool beside_list, near;
	} sizes[] = {
		{ 10, 10, 20000, true, true }, { 25, 10, 20000, true, true },
		{ 50, 10, 20000, true, true }, { 100, 10, 20000, true, true },
		{ 200, 10, 20000, true, true }, { 500, 10, 20000, true, false },
		{ 1000, 10, 20000, true, false }, { 10000, 3, 30000, true, false },
		/* the list takes minutes past this */
		{ 100000, 1, 200000, false, false }, { 1000000, 1, 200000, false, false },
	};
	double first = 0, last = 0;

	print_growth_head("near fit");
	for (size_t i = 0; i < ARRAY_SIZE(sizes) && sizes[i].near; i++)
		growth_row(sizes[i].live, sizes[i].seeds, sizes[i].replacements, true, &near_fit);
	print_growth_head("best fit");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct growth_row row = growth_row(sizes[i].live, sizes[i].seeds,
						   sizes[i].replacements, sizes[i].beside_list,
						   &best_fit);

		last = quantile(&row.ours[0], sizes[i].seeds, 5) +
		       quantile(&row.ours[1], sizes[i].seeds, 5);
		if (sizes[i].live == 1000)
			first = last;
	}
	printf("growth exponent, alloc + free, 1k to 1M live: %.2f\n",
	       log(last / first) / log(1000));
	return 0;
}

static void print_head(void)
{
	printf("allocation, ns of processor time per operation (best of %d rounds)\n", ROUNDS);
	printf("the bank as the driver has it. DRAM: best fit; SRAM (l1_churn, ml_l1): near fit\n");
	printf("%-13s %7s %23s  %26s  %18s  %13s\n", "", "", "------- the bank -------",
	       "---- plain first fit ----", "-- size classes --", "--- ratio ---");
	printf("%-13s %7s %5s %5s %5s %5s  %7s %5s %5s %5s  %6s %5s %5s  %6s %6s %6s\n", "trace",
	       "allocs", "alloc", "free", "fail", "frag", "alloc", "free", "fail", "frag", "alloc",
	       "free", "fail", "alloc", "both", "known");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "families", required_argument, NULL, 's' },
		{ "sram", required_argument, NULL, 'r' },
		{ "growth", no_argument, NULL, 'g' },
		{ 0 },
	};
	bool same = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			return !print_families(strtoull(optarg, NULL, 0), TRACE_FAMILY_COUNT);
		if (option == 'r')
			return !print_families(strtoull(optarg, NULL, 0), TRACE_FAMILY_SRAM);
		if (option == 'g')
			return print_growth();
		fprintf(stderr, "usage: bench_alloc [--families SEED | --sram SEED | --growth]\n");
		return 2;
	}

	print_head();
	for (unsigned int i = 0; i < TRACE_MAKE_COUNT; i++) {
		struct trace trace;

		trace_make(&trace, i);
		same &= compare(&trace);
		trace_free(&trace);
	}
	same &= print_families(1, TRACE_FAMILY_COUNT);
	print_growth();
	return !same;
}
