// SPDX-License-Identifier: MIT
/*
 * The bank allocator beside a plain first-fit list, on the same traces in the same run.
 *
 *	bench_alloc			the nine traces, then growth from 1k to 1M live blocks
 *	bench_alloc FILE...		traces in files
 *	bench_alloc --write DIR		only write the nine traces
 *
 * Both place by first fit, so both must give the same addresses: the run fails if they
 * do not.
 */
#include <getopt.h>
#include <time.h>

#include "loom_bank.h"
#include "trace_make.h"

#define ROUNDS		3
/* what takes so long is not measured once more */
#define LONG_NS		500000000

static inline u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* What two looks at the clock cost: taken off each measured operation. */
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
 * The plain list: all blocks in address order, and the free ones of them once more in a
 * list of their own. Allocation scans the free ones from the end that was asked for;
 * a block that is freed merges with its neighbours, and looks for its place among
 * the free ones from where it lies.
 */
struct plain_block {
	u64 start;
	u64 size;
	bool is_free;
	struct plain_block *near[2];
	struct plain_block *free_near[2];
};

struct plain {
	/* ends of both lists; of no bytes, never free */
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

static struct plain_block *plain_alloc(struct plain *plain, u64 size, bool top_down)
{
	struct plain_block *hole = plain->end[top_down].free_near[!top_down];
	struct plain_block *block;

	while (hole != &plain->end[!top_down] && hole->size < size)
		hole = hole->free_near[!top_down];
	if (hole == &plain->end[!top_down])
		return NULL;
	if (hole->size == size) {
		plain_remove_free(hole);
		hole->is_free = false;
		return hole;
	}
	block = plain->spare;
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

struct result {
	double alloc_ns;
	double free_ns;
	u32 failures;
	/* of the addresses, in order */
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

static void replay_bank(const struct trace *trace, struct result *result)
{
	struct loom_bank_block *blocks = calloc(trace->ids + 1, sizeof(*blocks));
	u64 alloc_ns = 0, free_ns = 0, frees = 0, start;
	struct loom_bank bank;

	if (!blocks || loom_bank_init(&bank, 0, trace->cap_bytes))
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

static void replay_plain(const struct trace *trace, struct result *result)
{
	/* at most one hole more than blocks */
	size_t count = (size_t)trace->ids * 2 + 2;
	struct plain_block *pool = calloc(count, sizeof(*pool));
	struct plain_block **blocks = calloc(trace->ids + 1, sizeof(*blocks));
	u64 alloc_ns = 0, free_ns = 0, frees = 0, start;
	struct plain plain;

	if (!pool || !blocks)
		exit(1);
	plain_init(&plain, trace->cap_bytes, pool, count);
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		u64 size = round_size(trace, op->size);
		struct plain_block *block;

		if (op->kind == TRACE_MARK)
			continue;
		if (op->kind == TRACE_FREE) {
			if (!blocks[op->id])
				continue;
			start = now_ns();
			plain_free(&plain, blocks[op->id]);
			free_ns += now_ns() - start;
			blocks[op->id] = NULL;
			frees++;
			continue;
		}
		start = now_ns();
		block = plain_alloc(&plain, size, op->kind == TRACE_ALLOC_HIGH);
		alloc_ns += now_ns() - start;
		blocks[op->id] = block;
		result->failures += !block;
		result->checksum = checksum_add(result->checksum, block ? block->start : U64_MAX);
	}
	result->alloc_ns = (double)alloc_ns / max(trace->allocs, 1u);
	result->free_ns = frees ? (double)free_ns / (double)frees : 0;
	free(blocks);
	free(pool);
}

/* The best of some rounds, less what the clock costs. */
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
	/* under the clock's grain there is nothing to say: never below 1 ns */
	best.alloc_ns = max(best.alloc_ns - clock_ns, 1.0);
	best.free_ns = max(best.free_ns - clock_ns, 1.0);
	return best;
}

static bool compare(const struct trace *trace, double clock_ns)
{
	struct result bank = measure(trace, clock_ns, replay_bank);
	struct result plain = measure(trace, clock_ns, replay_plain);
	bool same = bank.failures == plain.failures && bank.checksum == plain.checksum;

	printf("%-14s %8u %6.0f %6.0f %6u   %7.0f %7.0f %6u   %6.1fx %6.1fx%s\n", trace->name,
	       trace->allocs, bank.alloc_ns, bank.free_ns, bank.failures, plain.alloc_ns,
	       plain.free_ns, plain.failures, plain.alloc_ns / bank.alloc_ns,
	       plain.free_ns / bank.free_ns, same ? "" : "   DIFFERENT ADDRESSES");
	return same;
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
		struct result bank = growth(live[i], 200000, clock_ns, replay_bank);

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
	*same &= compare(&trace, clock_ns);
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
	printf("%-14s %8s %20s   %22s   %15s\n", "", "", "--- bank (tree) ---",
	       "-- plain first fit --", "--- ratio ---");
	printf("%-14s %8s %6s %6s %6s   %7s %7s %6s   %7s %7s\n", "trace", "allocs", "alloc",
	       "free", "fail", "alloc", "free", "fail", "alloc", "free");
	if (optind < argc) {
		for (int i = optind; i < argc; i++)
			if (replay_file(argv[i], clock_ns, &same))
				return 1;
		return !same;
	}
	for (unsigned int i = 0; i < TRACE_MAKE_COUNT; i++) {
		struct trace trace;

		trace_make(&trace, i);
		same &= compare(&trace, clock_ns);
		trace_free(&trace);
	}
	print_growth(clock_ns);
	return !same;
}
