// SPDX-License-Identifier: MIT
/*
 * The bank allocator beside a plain first-fit list, on the same traces in the same run.
 *
 *	bench_alloc			the nine traces, then growth from 1k to 1M live blocks
 *	bench_alloc FILE...		traces in files
 *	bench_alloc --write DIR		only write the nine traces
 *
 * The bank is used as the driver uses it when a buffer asks for nothing: best fit where it is DRAM,
 * and where it is SRAM first fit for small blocks and best fit for large ones. It runs by plain
 * first fit once more, and then must give the addresses that the list gives: the run fails
 * if it does not.
 * It fails as well if the bank refuses more than the published allocator with the better of
 * its two policies does on that trace.
 *
 * Fragmentation is the share of free bytes that are not in the largest hole, on average over
 * the run.
 */
#include <getopt.h>

#include "clock.h"
#include "loom_bank.h"
#include "trace_make.h"

#define ROUNDS		3
/* operations between two samples of the fragmentation */
#define SAMPLE_EVERY	512
/* a replay that takes so long is not repeated */
#define LONG_NS		500000000

/* What two reads of the clock cost: subtracted from each measured operation. */
static double clock_cost_ns(void)
{
	enum { LOOKS = 200000 };
	double best = 1e9;

	for (int round = 0; round < 5; round++) {
		u64 sum = 0;

		for (int i = 0; i < LOOKS; i++) {
			u64 start = now_ns();

			sum += now_ns() - start;
		}
		if ((double)sum / LOOKS < best)
			best = (double)sum / LOOKS;
	}
	return best;
}

/*
 * The plain list: all blocks in address order, and a second list of the free ones. Allocation scans
 * the free ones from the end that the request names; a block that is freed merges with its
 * neighbours, and its place in the second list is searched from its place in the first.
 */
struct plain_block {
	u64 start;
	u64 size;
	bool is_free;
	struct plain_block *near[2];
	struct plain_block *free_near[2];
};

struct plain {
	/* ends of both lists: blocks of no bytes, never free */
	struct plain_block end[2];
	struct plain_block *spare;
};

static void plain_insert(struct plain_block *before, struct plain_block *block)
{
	block->near[0] = before;
	block->near[1] = before->near[1];
	block->near[1]->near[0] = block;
	before->near[1] = block;
}

static void plain_insert_free(struct plain_block *before, struct plain_block *block)
{
	block->free_near[0] = before;
	block->free_near[1] = before->free_near[1];
	block->free_near[1]->free_near[0] = block;
	before->free_near[1] = block;
}

static void plain_remove_free(struct plain_block *block)
{
	block->free_near[0]->free_near[1] = block->free_near[1];
	block->free_near[1]->free_near[0] = block->free_near[0];
}

static void plain_init(struct plain *plain, u64 limit, struct plain_block *blocks, size_t count)
{
	*plain = (struct plain){ 0 };
	plain->end[0].near[1] = &plain->end[1];
	plain->end[1].near[0] = &plain->end[0];
	plain->end[0].free_near[1] = &plain->end[1];
	plain->end[1].free_near[0] = &plain->end[0];
	plain->end[1].start = limit;
	for (size_t i = 1; i < count; i++)
		blocks[i].near[1] = &blocks[i - 1];
	plain->spare = blocks[count - 1].near[1];
	blocks[0].near[1] = NULL;
	blocks[count - 1] = (struct plain_block){ .size = limit, .is_free = true };
	plain_insert(&plain->end[0], &blocks[count - 1]);
	plain_insert_free(&plain->end[0], &blocks[count - 1]);
}

static void plain_give_spare(struct plain *plain, struct plain_block *block)
{
	block->near[1] = plain->spare;
	plain->spare = block;
}

/* Takes a part of a larger hole, from the end that the request names. */
static struct plain_block *plain_cut(struct plain *plain, struct plain_block *hole, u64 size,
				     bool top_down)
{
	struct plain_block *block = plain->spare;

	plain->spare = block->near[1];
	*block = (struct plain_block){ .size = size };
	hole->size -= size;
	if (top_down) {
		block->start = hole->start + hole->size;
		plain_insert(hole, block);
	} else {
		block->start = hole->start;
		hole->start += size;
		plain_insert(hole->near[0], block);
	}
	return block;
}

static struct plain_block *plain_alloc(struct plain *plain, u64 size, bool top_down)
{
	struct plain_block *hole = plain->end[top_down].free_near[!top_down];

	while (hole != &plain->end[!top_down] && hole->size < size)
		hole = hole->free_near[!top_down];
	if (hole == &plain->end[!top_down])
		return NULL;
	if (hole->size == size) {
		plain_remove_free(hole);
		hole->is_free = false;
		return hole;
	}
	return plain_cut(plain, hole, size, top_down);
}

static void plain_free(struct plain *plain, struct plain_block *block)
{
	struct plain_block *low = block->near[0], *high = block->near[1];

	if (high->is_free) {
		block->size += high->size;
		block->near[1] = high->near[1];
		block->near[1]->near[0] = block;
		if (!low->is_free) {
			block->is_free = true;
			plain_insert_free(high->free_near[0], block);
		}
		plain_remove_free(high);
		plain_give_spare(plain, high);
	}
	if (low->is_free) {
		low->size += block->size;
		low->near[1] = block->near[1];
		low->near[1]->near[0] = low;
		plain_give_spare(plain, block);
	} else if (!block->is_free) {
		while (low->near[0] && !low->is_free)
			low = low->near[0];
		block->is_free = true;
		plain_insert_free(low, block);
	}
}

/*
 * Free blocks by size: a class for each power of two, each in address order. A request goes from
 * its own class on to the first class that has a block large enough, and takes the first such one
 * from the end that it names. Published allocators do so, too, and call it best fit.
 */
#define CLASS_COUNT	12
#define CLASS_BASE	1024

struct classes {
	struct plain plain;
	struct plain_block **free[CLASS_COUNT];
	size_t count[CLASS_COUNT];
	size_t room[CLASS_COUNT];
};

static int classes_of(u64 size)
{
	int class = 0;

	for (size /= CLASS_BASE; size >>= 1;)
		class++;
	return min(class, CLASS_COUNT - 1);
}

/* Number of the first free block of the class at @start or above. */
static size_t classes_at(const struct classes *classes, int class, u64 start)
{
	size_t low = 0, high = classes->count[class];

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (classes->free[class][middle]->start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void classes_add(struct classes *classes, struct plain_block *block)
{
	int class = classes_of(block->size);
	size_t at = classes_at(classes, class, block->start);
	struct plain_block ***list = &classes->free[class];

	if (classes->count[class] == classes->room[class]) {
		classes->room[class] = classes->room[class] * 2 + 64;
		*list = trace_realloc(*list, classes->room[class], sizeof(**list));
	}
	memmove(*list + at + 1, *list + at, (classes->count[class]++ - at) * sizeof(**list));
	(*list)[at] = block;
	block->is_free = true;
}

static void classes_remove(struct classes *classes, struct plain_block *block)
{
	int class = classes_of(block->size);
	size_t at = classes_at(classes, class, block->start);
	struct plain_block **list = classes->free[class];

	memmove(list + at, list + at + 1, (--classes->count[class] - at) * sizeof(*list));
	block->is_free = false;
}

static struct plain_block *classes_search(const struct classes *classes, u64 size, bool top_down)
{
	for (int class = classes_of(size); class < CLASS_COUNT; class++) {
		size_t count = classes->count[class];

		for (size_t i = 0; i < count; i++) {
			struct plain_block *hole =
				classes->free[class][top_down ? count - 1 - i : i];

			if (hole->size >= size)
				return hole;
		}
	}
	return NULL;
}

static struct plain_block *classes_alloc(struct classes *classes, u64 size, bool top_down)
{
	struct plain_block *hole = classes_search(classes, size, top_down), *block;

	if (!hole)
		return NULL;
	classes_remove(classes, hole);
	if (hole->size == size)
		return hole;
	block = plain_cut(&classes->plain, hole, size, top_down);
	classes_add(classes, hole);
	return block;
}

static void classes_free(struct classes *classes, struct plain_block *block)
{
	struct plain_block *low = block->near[0], *high = block->near[1];

	if (high->is_free) {
		classes_remove(classes, high);
		block->size += high->size;
		block->near[1] = high->near[1];
		block->near[1]->near[0] = block;
		plain_give_spare(&classes->plain, high);
	}
	if (low->is_free) {
		classes_remove(classes, low);
		low->size += block->size;
		low->near[1] = block->near[1];
		low->near[1]->near[0] = low;
		plain_give_spare(&classes->plain, block);
		block = low;
	}
	classes_add(classes, block);
}

struct result {
	double alloc_ns;
	double free_ns;
	/* share of free bytes outside of the largest hole, mean of samples */
	double fragmentation;
	u32 samples;
	u32 failures;
	/* hash of all addresses, in order */
	u64 checksum;
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

static void replay_bank(const struct trace *trace, struct result *result,
			enum loom_bank_policy policy)
{
	struct loom_bank_block *blocks = calloc(trace->ids + 1, sizeof(*blocks));
	u64 alloc_ns = 0, free_ns = 0, frees = 0, start;
	struct loom_bank_stats stats;
	struct loom_bank bank;

	if (!blocks || loom_bank_init(&bank, 0, trace->cap_bytes, 1, policy))
		exit(1);
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		struct loom_bank_block *block = &blocks[op->id];
		struct loom_bank_request request = {
			.size = round_size(trace, op->size),
			.align = trace->align_bytes,
			.high = U64_MAX,
			.top_down = op->kind == TRACE_ALLOC_HIGH,
		};
		int err;

		if (i % SAMPLE_EVERY == 0) {
			loom_bank_stats(&bank, NULL, &stats);
			fragmentation_add(result, stats.free, stats.largest_free);
		}
		if (op->kind == TRACE_MARK)
			continue;
		if (op->kind == TRACE_FREE) {
			if (!loom_bank_allocated(block))
				continue;
			start = now_ns();
			loom_bank_free(&bank, block);
			free_ns += now_ns() - start;
			frees++;
			continue;
		}
		start = now_ns();
		err = loom_bank_alloc(&bank, block, &request);
		alloc_ns += now_ns() - start;
		result->failures += !!err;
		result->checksum = checksum_add(result->checksum, err ? U64_MAX : block->start);
	}
	result->alloc_ns = (double)alloc_ns / max(trace->allocs, 1u);
	result->free_ns = frees ? (double)free_ns / (double)frees : 0;
	loom_bank_fini(&bank);
	free(blocks);
}

static void replay_ours(const struct trace *trace, struct result *result)
{
	replay_bank(trace, result, trace->cap_bytes <= TRACE_SRAM_BYTES ?
		    LOOM_BANK_LARGE_BEST_FIT : LOOM_BANK_BEST_FIT);
}

static void replay_first_fit(const struct trace *trace, struct result *result)
{
	replay_bank(trace, result, LOOM_BANK_FIRST_FIT);
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

/* Replays a trace with the plain list, or if @classes with the size classes. */
static void replay_list(const struct trace *trace, struct result *result, bool by_class)
{
	/* there is at most one hole more than there are blocks */
	size_t count = (size_t)trace->ids * 2 + 2;
	struct plain_block *pool = calloc(count, sizeof(*pool));
	struct plain_block **blocks = calloc(trace->ids + 1, sizeof(*blocks));
	u64 alloc_ns = 0, free_ns = 0, frees = 0, start;
	struct classes classes = { 0 };
	struct plain *plain = &classes.plain;

	if (!pool || !blocks)
		exit(1);
	plain_init(plain, trace->cap_bytes, pool, count);
	classes_add(&classes, plain->end[0].near[1]);
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		u64 size = round_size(trace, op->size);
		bool top_down = op->kind == TRACE_ALLOC_HIGH;
		struct plain_block *block;

		if (i % SAMPLE_EVERY == 0)
			plain_sample(plain, result);
		if (op->kind == TRACE_MARK)
			continue;
		if (op->kind == TRACE_FREE) {
			if (!blocks[op->id])
				continue;
			start = now_ns();
			if (by_class)
				classes_free(&classes, blocks[op->id]);
			else
				plain_free(plain, blocks[op->id]);
			free_ns += now_ns() - start;
			blocks[op->id] = NULL;
			frees++;
			continue;
		}
		start = now_ns();
		block = by_class ? classes_alloc(&classes, size, top_down) :
				   plain_alloc(plain, size, top_down);
		alloc_ns += now_ns() - start;
		blocks[op->id] = block;
		result->failures += !block;
		result->checksum = checksum_add(result->checksum, block ? block->start : U64_MAX);
	}
	result->alloc_ns = (double)alloc_ns / max(trace->allocs, 1u);
	result->free_ns = frees ? (double)free_ns / (double)frees : 0;
	for (int i = 0; i < CLASS_COUNT; i++)
		free(classes.free[i]);
	free(blocks);
	free(pool);
}

static void replay_plain(const struct trace *trace, struct result *result)
{
	replay_list(trace, result, false);
}

static void replay_classes(const struct trace *trace, struct result *result)
{
	replay_list(trace, result, true);
}

/* The best of some rounds, less the cost of the clock. */
static struct result measure(const struct trace *trace, double clock_ns,
			     void (*replay)(const struct trace *, struct result *))
{
	struct result best = { 0 };
	u64 start = now_ns();

	for (int round = 0; round < ROUNDS && now_ns() - start < LONG_NS; round++) {
		struct result result = { 0 };

		replay(trace, &result);
		if (!round || result.alloc_ns + result.free_ns < best.alloc_ns + best.free_ns)
			best = result;
	}
	/* the clock cannot resolve less than 1 ns */
	best.alloc_ns = max(best.alloc_ns - clock_ns, 1.0);
	best.free_ns = max(best.free_ns - clock_ns, 1.0);
	return best;
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

static bool compare(const struct trace *trace, double clock_ns, bool known)
{
	struct result ours = measure(trace, clock_ns, replay_ours);
	struct result first = measure(trace, clock_ns, replay_first_fit);
	struct result plain = measure(trace, clock_ns, replay_plain);
	struct result classes = measure(trace, clock_ns, replay_classes);
	bool same = first.failures == plain.failures && first.checksum == plain.checksum;
	bool good = !known || ours.failures <= published_failures(trace->name);

	printf("%-13s %7u %5.0f %5.0f %5u %4.0f%%  %7.0f %5.0f %5u %4.0f%%", trace->name,
	       trace->allocs, ours.alloc_ns, ours.free_ns, ours.failures, fragmentation(&ours),
	       plain.alloc_ns, plain.free_ns, plain.failures, fragmentation(&plain));
	printf("  %6.0f %5.0f %5u  %5.1fx %5.1fx", classes.alloc_ns, classes.free_ns,
	       classes.failures, plain.alloc_ns / ours.alloc_ns,
	       (plain.alloc_ns + plain.free_ns) / (ours.alloc_ns + ours.free_ns));
	if (known)
		printf(" %6u", published_failures(trace->name));
	printf("%s%s\n", same ? "" : "   DIFFERENT ADDRESSES", good ? "" : "   MORE FAILURES");
	return same && good;
}

/* Random replacement among @live blocks: what an operation costs as the bank fills. */
static struct result growth(u32 live, u32 replacements, double clock_ns,
			    void (*replay)(const struct trace *, struct result *))
{
	const struct trace_steady steady = {
		.name = "growth", .seed = 909, .cap_bytes = (u64)live * 1280 * TRACE_KIB,
		.low = TRACE_KIB, .high = 8 * TRACE_MIB, .live = live,
		.replacements = replacements,
	};
	struct trace trace;
	struct result result;

	trace_make_steady(&trace, &steady);
	result = measure(&trace, clock_ns, replay);
	trace_free(&trace);
	return result;
}

static void print_growth(double clock_ns)
{
	static const u32 live[] = { 1000, 10000, 100000, 1000000 };
	double first = 0, last = 0, plain_first = 0, plain_last = 0;

	printf("\n%-14s %8s %6s %6s\n", "growth", "live", "alloc", "free");
	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		struct result bank = growth(live[i], 200000, clock_ns, replay_ours);

		printf("%-14s %8u %6.0f %6.0f", "", live[i], bank.alloc_ns, bank.free_ns);
		last = bank.alloc_ns + bank.free_ns;
		if (!i)
			first = last;
		/* the list takes minutes past this */
		if (live[i] <= 10000) {
			struct result plain = growth(live[i], 50000, clock_ns, replay_plain);

			plain_last = plain.alloc_ns + plain.free_ns;
			if (!i)
				plain_first = plain_last;
			printf("          %7.0f %7.0f          %6.1fx %6.1fx", plain.alloc_ns,
			       plain.free_ns, plain.alloc_ns / bank.alloc_ns,
			       plain.free_ns / bank.free_ns);
		}
		printf("\n");
	}
	printf("growth exponent, alloc + free: bank %.2f (1k to 1M live), list %.2f (1k to 10k)\n",
	       log(last / first) / log(1000), log(plain_last / plain_first) / log(10));
}

static int write_traces(const char *folder)
{
	for (unsigned int i = 0; i < TRACE_MAKE_COUNT; i++) {
		struct trace trace;
		char path[4096];
		FILE *file;

		trace_make(&trace, i);
		snprintf(path, sizeof(path), "%s/%s.trace", folder, trace.name);
		file = fopen(path, "w");
		if (!file) {
			fprintf(stderr, "bench_alloc: %s: %s\n", path, strerror(errno));
			trace_free(&trace);
			return 1;
		}
		trace_write(&trace, file);
		trace_free(&trace);
		if (fclose(file)) {
			fprintf(stderr, "bench_alloc: %s: %s\n", path, strerror(errno));
			return 1;
		}
	}
	return 0;
}

static int replay_file(const char *path, double clock_ns, bool *same)
{
	struct trace trace;
	long wrong = trace_read(&trace, path);

	if (wrong) {
		if (wrong < 0)
			fprintf(stderr, "bench_alloc: %s: %s\n", path, strerror(errno));
		else
			fprintf(stderr, "bench_alloc: %s:%ld: no line of a trace\n", path, wrong);
		return 1;
	}
	*same &= compare(&trace, clock_ns, false);
	trace_free(&trace);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "write", required_argument, NULL, 'w' },
		{ 0 },
	};
	double clock_ns;
	bool same = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'w')
			return write_traces(optarg);
		fprintf(stderr, "usage: bench_alloc [FILE... | --write DIR]\n");
		return 2;
	}

	clock_ns = clock_cost_ns();
	printf("allocation, ns per operation (best of %d rounds, less %.0f ns for the clock)\n",
	       ROUNDS, clock_ns);
	printf("the bank as the driver has it by default. DRAM: best fit; SRAM (l1_churn, ml_l1):\n"
	       "best fit for more than a %dth of the bank, first fit for less\n",
	       LOOM_BANK_LARGE_PART);
	printf("%-13s %7s %23s  %26s  %18s  %13s\n", "", "", "------- the bank -------",
	       "---- plain first fit ----", "-- size classes --", "--- ratio ---");
	printf("%-13s %7s %5s %5s %5s %5s  %7s %5s %5s %5s  %6s %5s %5s  %6s %6s %6s\n", "trace",
	       "allocs", "alloc", "free", "fail", "frag", "alloc", "free", "fail", "frag", "alloc",
	       "free", "fail", "alloc", "both", "known");
	if (optind < argc) {
		for (int i = optind; i < argc; i++)
			if (replay_file(argv[i], clock_ns, &same))
				return 1;
		return !same;
	}
	for (unsigned int i = 0; i < TRACE_MAKE_COUNT; i++) {
		struct trace trace;

		trace_make(&trace, i);
		same &= compare(&trace, clock_ns, true);
		trace_free(&trace);
	}
	print_growth(clock_ns);
	return !same;
}
