// SPDX-License-Identifier: MIT
/*
 * Placement: published problems, problems with a known answer, and many items.
 *
 *	bench_place [--long] [--seed FIRST] [--seeds COUNT] [--pieces COUNT]
 *		[--seconds SECONDS] [--rewritings] [FILE.CAPACITY.csv...]
 *
 * For each file, fit and minimise; each is rewritten in 24 ways (shuffled, forward and backward in
 * time). Then families of problems (place_make.h) are placed in 1 s, 100,000 pieces in 2, with
 * --long also in 10 s and up to a million pieces, with COUNT seeds (3) from FIRST (1) on: the
 * median and the worst of the ratios to the optimum, or to the bound where that is not known. With
 * --pieces only the families of that many pieces are placed, in --seconds (1); with --rewritings
 * only the files are rewritten. Small problems like networks go through libloomplace; they count if
 * it calls no function for memory, which is so if greedy orders suffice.
 *
 * Times are of the processor, the least of three runs where a run is short. Every placement is
 * checked here by a comparison of all pairs, or for many items by loom_place_check(). The exit
 * status is 1 if one is wrong, a file has none, or some rewritings of it have.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "loom_core.h"
#include "loom_place_file.h"
#include "loomplace/loomplace.h"
#include "place_make.h"
#include "wanted.h"

static int failed;
/* seconds of the processor for each placement; 0: as the budget says */
static double time_limit;

static bool is_valid(const struct loom_place_problem *problem, const uint64_t *offsets,
		     uint64_t height)
{
	uint32_t i, k;

	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *a = &problem->items[i];

		if (offsets[i] + a->size_bytes > height)
			return false;
		for (k = 0; k < i; k++) {
			const struct loom_place_item *b = &problem->items[k];

			if (a->lower < b->upper && b->lower < a->upper &&
			    offsets[i] < offsets[k] + b->size_bytes &&
			    offsets[k] < offsets[i] + a->size_bytes)
				return false;
		}
	}
	return true;
}

/* An answer, and the time that it took. */
struct outcome {
	double seconds;
	uint64_t nodes;
	uint64_t height;
	uint64_t bound;
	bool proved;
	bool found;
};

static struct outcome place(const struct loom_place_problem *given, uint64_t capacity,
			    bool fit_only, uint64_t budget, unsigned int runs)
{
	struct loom_place_pool pool = { .capacity_bytes = capacity, .align_bytes = 1 };
	struct loom_place_problem problem = *given;
	struct loom_place_options options = {
		.fit_only = fit_only, .budget = budget, .time_ns = (uint64_t)(time_limit * 1e9),
	};
	struct loom_place_result result;
	struct loom_place_fault fault;
	struct outcome out = { .seconds = INFINITY };
	unsigned int run;

	problem.pools = &pool;
	problem.num_pools = 1;
	for (run = 0; run < runs; run++) {
		double begin = cpu_seconds(), took;
		int err = loom_place(&problem, &options, &result, &fault);

		took = cpu_seconds() - begin;
		out.seconds = took < out.seconds ? took : out.seconds;
		if (err && err != -ENOSPC) {
			fprintf(stderr, "bench_place: %s\n", fault.text);
			failed = 1;
		}
		if (err)
			return out;
		out.found = true;
		out.nodes = result.nodes;
		out.height = result.height_bytes[0];
		out.bound = result.bound_bytes[0];
		out.proved = result.proved;
		if (problem.num_items <= 5000 ?
		    !is_valid(given, result.offsets, result.height_bytes[0]) :
		    loom_place_check(&problem, result.offsets, NULL, &fault) != 0) {
			fprintf(stderr, "bench_place: a placement is wrong\n");
			failed = 1;
		}
		loom_place_result_free(&result);
		if (took > 0.5)
			break;
	}
	return out;
}

/* --- files --------------------------------------------------------------------------------- */

static uint64_t capacity_of(const char *path)
{
	const char *name = strrchr(path, '/'), *dot;

	dot = strchr(name ? name : path, '.');
	return dot ? strtoull(dot + 1, NULL, 10) : 0;
}

static struct outcome bench_file(const char *path, double *least_seconds)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct outcome fit = { 0 }, least;
	struct loom_place_csv *csv;
	struct loom_error err;

	if (loom_place_csv_load(path, &csv, &err)) {
		fprintf(stderr, "bench_place: %s\n", err.text);
		failed = 1;
		return fit;
	}
	fit = place(&csv->problem, capacity_of(path), true, 0, 3);
	least = place(&csv->problem, LOOM_PLACE_ANYWHERE, false, 0, 3);
	if (!fit.found) {
		fprintf(stderr, "bench_place: %s: no placement found\n", path);
		failed = 1;
	}
	printf("%-16s %5u  fit %7.1f ms %7llu nodes  ", name, csv->problem.num_items,
	       fit.seconds * 1e3, (unsigned long long)fit.nodes);
	printf("least %7.1f ms %7llu nodes  height %llu  bound %llu  %s\n", least.seconds * 1e3,
	       (unsigned long long)least.nodes, (unsigned long long)least.height,
	       (unsigned long long)least.bound, least.proved ? "proved" : "open");
	fflush(stdout);
	*least_seconds += least.seconds;
	loom_place_csv_destroy(csv);
	return fit;
}

static void bench_files(char **paths, int count)
{
	double fit_seconds = 0, least_seconds = 0;
	int i;

	for (i = 0; i < count; i++)
		fit_seconds += bench_file(paths[i], &least_seconds).seconds;
	if (count)
		printf("%-16s %5d  fit %7.1f ms                least %7.1f ms\n\n", "together",
		       count, fit_seconds * 1e3, least_seconds * 1e3);
}

/* --- problems of our own ------------------------------------------------------------------- */

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 20) % below;
}

/* --- small problems -------------------------------------------------------------------------- */

#define SMALL_ITEMS	1000

static void *take(void *context, size_t bytes)
{
	++*(unsigned int *)context;
	return malloc(bytes);
}

static void give_back(void *context, void *memory)
{
	(void)context;
	free(memory);
}

/* Microseconds of a call, the least of some runs. */
static double small_us(const struct loomplace_problem *problem)
{
	static uint64_t offsets[SMALL_ITEMS];
	const unsigned int calls = problem->num_items < 50 ? 100 : 1;
	double least = INFINITY;
	unsigned int run, i;
	uint64_t begin;

	for (run = 0; run < 5; run++) {
		begin = thread_ns();
		for (i = 0; i < calls; i++)
			loomplace_place(problem, offsets, NULL);
		least = fmin(least, (double)(thread_ns() - begin) / 1e3 / calls);
	}
	return least;
}

static void bench_small(uint32_t n)
{
	static uint64_t sizes[SMALL_ITEMS], offsets[SMALL_ITEMS];
	static int64_t lowers[SMALL_ITEMS], uppers[SMALL_ITEMS];
	unsigned int allocated = 0, count = 0, k;
	const struct loomplace_memory memory = { take, give_back, &allocated };
	struct loomplace_problem problem = {
		.struct_bytes = sizeof(problem), .num_items = n, .sizes = sizes, .lowers = lowers,
		.uppers = uppers, .budget = 1, .memory = &memory,
	};
	double times[100];
	uint32_t i;

	if (loomplace_workspace_create(NULL, &problem.workspace))
		exit(1);

	for (k = 0; k < ARRAY_SIZE(times); k++) {
		for (i = 0; i < n; i++) {
			sizes[i] = 64 * (1 + draw(1000));
			lowers[i] = i;
			uppers[i] = i + 2 + (int64_t)draw(draw(10) ? 3 : 40);
		}
		allocated = 0;
		loomplace_place(&problem, offsets, NULL);
		if (!allocated)
			times[count++] = small_us(&problem);
	}
	qsort(times, count, sizeof(times[0]), compare_doubles);
	printf("%8u items  greedy orders suffice for %u of %zu  median %.2f us  worst %.2f us\n", n,
	       count, ARRAY_SIZE(times), count ? times[count / 2] : 0,
	       count ? times[count - 1] : 0);
	loomplace_workspace_destroy(problem.workspace);
}

/* --- rewritings and families ---------------------------------------------------------------- */

#define NUM_REWRITINGS	24

static void bench_rewritings(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	double times[NUM_REWRITINGS], middle;
	struct loom_place_csv *csv;
	struct place_made made = { 0 };
	struct loom_error err;
	unsigned int k, found = 0;

	if (loom_place_csv_load(path, &csv, &err))
		return;
	made.num_items = csv->problem.num_items;
	made.items = calloc(made.num_items + 1, sizeof(*made.items));
	if (!made.items)
		exit(1);
	memcpy(made.items, csv->problem.items, made.num_items * sizeof(*made.items));
	for (k = 0; k < NUM_REWRITINGS; k++) {
		const struct loom_place_problem problem = {
			.items = made.items, .num_items = made.num_items,
		};
		struct outcome out = place(&problem, capacity_of(path), true, 0, 1);

		times[k] = out.seconds;
		found += out.found;
		make_shuffle(&made);
		if (k + 1 == NUM_REWRITINGS / 2)
			make_mirror(made.items, made.num_items);
	}
	/* found as it is, or never: nothing else may come of the same problem */
	if (found && found < NUM_REWRITINGS) {
		fprintf(stderr, "bench_place: %s: solved in some rewritings only\n", path);
		failed = 1;
	}
	middle = median_of(times, NUM_REWRITINGS);
	printf("%-16s %u rewritings  solved %u  median %.1f ms  worst %.1f ms\n", name,
	       NUM_REWRITINGS, found, middle * 1e3,
	       times[NUM_REWRITINGS - 1] * 1e3);
	fflush(stdout);
	free(made.items);
	loom_place_csv_destroy(csv);
}

#define MAX_SEEDS	100

static void bench_family(enum make_kind kind, uint32_t pieces, enum make_mix mix, double limit,
			 uint64_t first, unsigned int seeds)
{
	double ratios[MAX_SEEDS], times[MAX_SEEDS];
	unsigned int k, proved = 0;

	for (k = 0; k < seeds; k++) {
		struct place_made made = place_make((struct make_form){
			kind, pieces, (first + k) % 2 ? 1024 : 1, mix, first + k,
		});
		const struct loom_place_problem problem = {
			.items = made.items, .num_items = made.num_items,
		};
		struct outcome out;

		time_limit = limit;
		out = place(&problem, LOOM_PLACE_ANYWHERE, false, 0, 1);
		time_limit = 0;
		ratios[k] = (double)out.height / (double)(made.height ? made.height : out.bound);
		times[k] = out.seconds;
		proved += out.proved;
		free(made.items);
	}
	qsort(ratios, seeds, sizeof(ratios[0]), compare_doubles);
	qsort(times, seeds, sizeof(times[0]), compare_doubles);
	printf("%8u %-10s %-8s %4.4g s  median %.4f  worst %.4f  ", pieces, make_names[kind],
	       make_mix_names[mix], limit, ratios[seeds / 2], ratios[seeds - 1]);
	printf("proved %u of %u  time %.2f to %.2f s\n", proved, seeds, times[0],
	       times[seeds - 1]);
	fflush(stdout);
}

/* All kinds with so many pieces. */
static void bench_pieces(uint32_t pieces, double limit, uint64_t first, unsigned int seeds)
{
	unsigned int kind, mix;

	for (kind = 0; kind < MAKE_KINDS; kind++)
		for (mix = 0; mix < (kind < MAKE_POWER ? MAKE_MIXES : 1U); mix++)
			bench_family(kind, pieces, mix, limit, first, seeds);
}

static void bench_families(bool full, uint64_t first, unsigned int seeds)
{
	static const uint32_t counts[] = { 200, 1000, 5000, 100000 };
	unsigned int i;

	printf("families, height over optimum (pieces) or bound (traces)\n");
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		bench_pieces(counts[i], counts[i] > 5000 ? 2 : 1, first, seeds);
		if (full)
			bench_pieces(counts[i], 10, first, seeds);
	}
	if (full)
		bench_pieces(1000000, 10, first, 1);
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "long", no_argument, NULL, 'l' },
		{ "seed", required_argument, NULL, 'f' },
		{ "seeds", required_argument, NULL, 's' },
		{ "pieces", required_argument, NULL, 'p' },
		{ "seconds", required_argument, NULL, 'n' },
		{ "rewritings", no_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned int seeds = 3;
	uint64_t first = 1;
	unsigned long pieces = 0;
	double seconds = 1;
	bool full = false, rewritings = false;
	int opt, i;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'l') {
			full = true;
		} else if (opt == 'f') {
			first = strtoull(optarg, NULL, 10);
		} else if (opt == 's') {
			seeds = (unsigned int)strtoul(optarg, NULL, 10);
			seeds = seeds < 1 ? 1 : seeds > MAX_SEEDS ? MAX_SEEDS : seeds;
		} else if (opt == 'p') {
			pieces = strtoul(optarg, NULL, 10);
		} else if (opt == 'n') {
			seconds = atof(optarg);
		} else if (opt == 'r') {
			rewritings = true;
		} else {
			fputs("usage: bench_place [--long] [--seed FIRST]\n"
			      "                   [--seeds COUNT] [--pieces COUNT]\n"
			      "                   [--seconds SECONDS] [--rewritings] [FILE...]\n",
			      stderr);
			return 2;
		}
	}
	if (pieces > 10000000 || !(seconds > 0)) {
		fputs("bench_place: up to ten million pieces, and seconds above 0\n", stderr);
		return 2;
	}
	if (pieces) {
		bench_pieces((uint32_t)pieces, seconds, first, seeds);
		return failed;
	}
	if (!rewritings)
		bench_files(argv + optind, argc - optind);
	for (i = optind; i < argc; i++)
		bench_rewritings(argv[i]);
	if (rewritings)
		return failed;
	printf("small problems like networks\n");
	for (i = 10; i <= SMALL_ITEMS; i *= 10)
		bench_small((uint32_t)i);
	printf("\n");
	bench_families(full, first, seeds);
	return failed;
}
