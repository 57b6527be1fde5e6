// SPDX-License-Identifier: MIT
/*
 * How a problem is written down does not matter: rows in any order and time in either direction
 * give the same height in the same number of nodes. More is never worse: a larger budget, or
 * another direction. Bytes and moments times a number, a problem cut in two in time and the same
 * twice are solved if the problem is. Rectangles that were cut into pieces, of which the least
 * height is known, are placed near it however many pieces there are; and a time that was set is
 * kept.
 */
#include "loom_core.h"
#include "loom_place.h"
#include "place_make.h"
#include "tap.h"

#include <time.h>

#ifdef __SANITIZE_ADDRESS__
#define SLOW	4
#else
#define SLOW	1
#endif

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The outcome of a problem. */
struct outcome {
	uint64_t height;
	uint64_t nodes;
	bool fits;
	bool valid;
};

static struct outcome place(const struct place_made *made, uint64_t capacity, uint64_t budget,
			    uint64_t time_ns)
{
	const struct loom_place_options how = {
		.budget = budget, .time_ns = time_ns, .fit_only = !!capacity,
	};
	const struct loom_place_pool pool = { .capacity_bytes = capacity };
	const struct loom_place_problem problem = {
		.items = made->items, .num_items = made->num_items,
		.pools = capacity ? &pool : NULL, .num_pools = 1,
	};
	struct loom_place_result result;
	struct loom_place_fault fault;
	struct outcome out = { .valid = true };

	if (loom_place(&problem, &how, &result, &fault))
		return out;
	out.fits = true;
	out.height = result.height_bytes[0];
	out.nodes = result.nodes;
	out.valid = !loom_place_check(&problem, result.offsets, result.pools, &fault) &&
		    out.height >= made->height;
	loom_place_result_free(&result);
	return out;
}

/* Some items have gaps, in which nothing or half of them stays. */
static void add_features(struct place_made *made, struct loom_place_gap *gaps)
{
	uint32_t i;

	for (i = 0; i < made->num_items; i++) {
		struct loom_place_item *item = &made->items[i];

		if (item->upper - item->lower < 8 || make_draw(made, 4))
			continue;
		gaps[i].lower = item->lower + 1 + (int64_t)make_draw(made, 3);
		gaps[i].upper = item->upper - 1 - (int64_t)make_draw(made, 3);
		gaps[i].window_upper = make_draw(made, 2) ? item->size_bytes / 2 : 0;
		item->gaps = &gaps[i];
		item->num_gaps = 1;
	}
}

/* Backwards in time, gaps and all. */
static void mirror(struct place_made *made, struct loom_place_gap *copies)
{
	uint32_t i;

	make_mirror(made->items, made->num_items);
	for (i = 0; i < made->num_items; i++) {
		struct loom_place_item *item = &made->items[i];

		if (!item->num_gaps)
			continue;
		copies[i] = item->gaps[0];
		copies[i].lower = -item->gaps[0].upper;
		copies[i].upper = -item->gaps[0].lower;
		item->gaps = &copies[i];
	}
}

static bool is_same(struct outcome a, struct outcome b)
{
	return a.valid && b.valid && a.fits == b.fits && a.height == b.height &&
	       a.nodes == b.nodes;
}

static void test_rewritings(const char *what, enum make_mix mix, bool gaps)
{
	static struct loom_place_gap first[512], second[512];
	unsigned int kind, k, bad = 0;

	for (kind = 0; kind < MAKE_KINDS; kind++) {
		struct place_made made = place_make((struct make_form){
			kind, 80, mix ? 1 : 64, mix, 1,
		});
		struct outcome least, fit, other;
		uint64_t capacity;

		if (gaps) {
			add_features(&made, first);
			made.height = 0;
		}
		least = place(&made, 0, 2000 / SLOW, 0);
		/* tight, so that it depends on the search whether it fits */
		capacity = made.height ? made.height : least.height;
		fit = place(&made, capacity, 2000 / SLOW, 0);
		bad += !least.fits || !least.valid;
		for (k = 0; k < 4; k++) {
			make_shuffle(&made);
			if (k == 2)
				mirror(&made, second);
			/* forward and backward may be tried in either order */
			other = place(&made, 0, 2000 / SLOW, 0);
			other.nodes = least.nodes;
			bad += !is_same(least, other);
			other = place(&made, capacity, 2000 / SLOW, 0);
			other.nodes = fit.nodes;
			bad += other.fits != fit.fits || !other.valid;
		}
		free(made.items);
	}
	tap_ok(!bad, "%s: rows in any order, and time backwards, change nothing", what);
}

/* Copies of pieces, with room for as many again. */
static struct place_made copy(const struct place_made *made)
{
	struct place_made other = *made;

	other.items = calloc(2 * (size_t)made->num_items + 1, sizeof(*other.items));
	if (!other.items)
		tap_fatal("no memory");
	memcpy(other.items, made->items, made->num_items * sizeof(*other.items));
	return other;
}

/* Sizes, alignments and the known height times @bytes; lifetimes times @moments. */
static void scale(struct place_made *made, uint64_t bytes, int64_t moments)
{
	uint32_t i;

	for (i = 0; i < made->num_items; i++) {
		made->items[i].size_bytes *= bytes;
		made->items[i].align_bytes *= bytes;
		made->items[i].lower *= moments;
		made->items[i].upper *= moments;
	}
	made->height *= bytes;
}

/* An item that lives across a moment becomes two: a placement of the whole is one of these. */
static void cut(struct place_made *made, int64_t moment)
{
	uint32_t n = made->num_items, i;

	for (i = 0; i < n; i++) {
		if (made->items[i].lower >= moment || made->items[i].upper <= moment)
			continue;
		made->items[made->num_items] = made->items[i];
		made->items[made->num_items++].lower = moment;
		made->items[i].upper = moment;
	}
}

/* Appends the same items later in time; the height must stay the same. */
static void join(struct place_made *made)
{
	int64_t first = INT64_MAX, end = INT64_MIN;
	uint32_t n = made->num_items, i;

	for (i = 0; i < n; i++) {
		first = made->items[i].lower < first ? made->items[i].lower : first;
		end = made->items[i].upper > end ? made->items[i].upper : end;
	}
	for (i = 0; i < n; i++) {
		made->items[n + i] = made->items[i];
		made->items[n + i].lower += end - first;
		made->items[n + i].upper += end - first;
	}
	made->num_items = 2 * n;
}

static void test_scaled(void)
{
	static const struct {
		uint64_t bytes;
		int64_t moments;
	} factors[] = { { 3, 1 }, { 4096, 1 }, { 1, 7 }, { 1ULL << 20, 1000 } };
	unsigned int kind, k, bad = 0;

	for (kind = 0; kind <= MAKE_SKYLINE; kind++) {
		struct place_made made = place_make((struct make_form){
			kind, 60, 64, kind % 2 ? MAKE_MIXED : MAKE_PLAIN, 3,
		});
		struct outcome once = place(&made, made.height, 20000, 0);

		for (k = 0; k < ARRAY_SIZE(factors); k++) {
			struct place_made other = copy(&made);
			struct outcome out;

			scale(&other, factors[k].bytes, factors[k].moments);
			out = place(&other, other.height, 20000, 0);
			bad += !out.valid || out.fits != once.fits;
			free(other.items);
		}
		bad += !once.fits || !once.valid;
		free(made.items);
	}
	tap_ok(!bad, "bytes or moments times a number: what was solved still is");
}

static void test_cut_and_joined(void)
{
	unsigned int kind, bad = 0;

	for (kind = 0; kind <= MAKE_SKYLINE; kind++) {
		struct place_made made = place_make((struct make_form){
			kind, 60, 64, kind % 2 ? MAKE_CRUMBLED : MAKE_PLAIN, 5,
		});
		struct place_made twice = copy(&made), halves = copy(&made);
		struct outcome once = place(&made, made.height, 20000 / SLOW, 0), out;

		cut(&halves, MAKE_MOMENTS / 2);
		out = place(&halves, halves.height, 40000 / SLOW, 0);
		bad += !out.valid || out.fits != once.fits;
		join(&twice);
		out = place(&twice, twice.height, 40000 / SLOW, 0);
		bad += !out.valid || out.fits != once.fits;
		bad += !once.fits || !once.valid;
		free(made.items);
		free(twice.items);
		free(halves.items);
	}
	tap_ok(!bad, "cut in two at a moment, or twice one behind the other: solved as the whole");
}

/* How many of several numbers of threads give other offsets than the default. */
static unsigned int count_others(const struct place_made *made)
{
	static const unsigned int jobs[] = { 1, 2, 5, 100 };
	const struct loom_place_problem problem = {
		.items = made->items, .num_items = made->num_items,
	};
	struct loom_place_options how = { .budget = 300 };
	struct loom_place_result one, many;
	unsigned int bad = 0, i;

	if (loom_place(&problem, &how, &one, NULL))
		return 1;
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		how.jobs = jobs[i];
		if (loom_place(&problem, &how, &many, NULL)) {
			bad++;
			continue;
		}
		bad += one.nodes != many.nodes || strcmp(one.strategy, many.strategy) ||
		       memcmp(one.offsets, many.offsets, made->num_items * sizeof(*one.offsets));
		loom_place_result_free(&many);
	}
	loom_place_result_free(&one);
	return bad;
}

static void test_jobs(void)
{
	unsigned int kind, bad = 0;

	for (kind = 0; kind < MAKE_KINDS; kind++) {
		struct place_made made = place_make((struct make_form){
			kind, 1500 / SLOW, 64, kind % 2 ? MAKE_PLAIN : MAKE_CRUMBLED, 6,
		});

		bad += count_others(&made);
		free(made.items);
	}
	tap_ok(!bad, "any number of threads gives the same answer");
}

/* A search is one sequence: more nodes only continue it, and a deadline only ends it. */
static void test_budgets(void)
{
	const uint64_t hour_ns = 3600000000000ULL;
	unsigned int kind, bad = 0, other = 0, lower = 0;
	uint64_t budget;

	for (kind = 0; kind < MAKE_KINDS; kind++) {
		struct place_made made = place_make((struct make_form){ kind, 250 / SLOW, 64,
								       false, 3 });
		struct outcome before = { .height = UINT64_MAX }, out;

		for (budget = 100; budget <= 12800; budget *= 2) {
			out = place(&made, 0, budget, 0);
			bad += !out.valid || out.height > before.height;
			lower += before.height != UINT64_MAX && out.height < before.height;
			other += place(&made, 0, budget, hour_ns).height != out.height;
			before = out;
		}
		free(made.items);
	}
	tap_ok(!bad && lower, "a larger budget is never worse, and sometimes better");
	tap_ok(!other, "a deadline that is far away changes nothing");
}

static void test_pieces(uint32_t pieces, uint64_t budget, double most)
{
	double worst = 0;
	unsigned int kind, mix, bad = 0;

	for (kind = 0; kind <= MAKE_SKYLINE; kind++) {
		for (mix = 0; mix < MAKE_MIXES; mix++) {
			struct place_made made = place_make((struct make_form){
				kind, pieces / SLOW, kind == MAKE_PINWHEEL ? 1 : 1024, mix, 7,
			});
			struct outcome out = place(&made, 0, budget, 0);
			double ratio = (double)out.height / (double)made.height;

			bad += !out.fits || !out.valid;
			worst = ratio > worst ? ratio : worst;
			free(made.items);
		}
	}
	tap_note("%u pieces: at worst %.4f of the optimum", pieces / SLOW, worst);
	/* slower, so it is given less to do, and gets less far */
	tap_ok(!bad && worst <= most + 0.05 * (SLOW - 1),
	       "%u pieces of a rectangle: at most %.2f of the optimum",
	       pieces, most);
}

static void test_time(void)
{
	struct place_made made = place_make((struct make_form){ MAKE_PINWHEEL, 6000, 1024,
							       MAKE_MIXED, 9 });
	double begin = seconds(), took;
	struct outcome out = place(&made, 0, 0, 300000000);

	took = seconds() - begin;
	/* how far it gets depends on the machine, so that is not asserted */
	tap_note("0.3 s: %.4f of the optimum, %.3f s", (double)out.height / (double)made.height,
		 took);
	tap_ok(out.fits && out.valid, "a time may be set");
	free(made.items);
}

int main(void)
{
	test_rewritings("pieces", MAKE_PLAIN, false);
	test_rewritings("mixed alignments", MAKE_MIXED, false);
	test_rewritings("four alignments", MAKE_CRUMBLED, false);
	test_rewritings("gaps", MAKE_PLAIN, true);
	test_scaled();
	test_cut_and_joined();
	test_jobs();
	test_budgets();
	test_pieces(300, 20000, 1.25);
	test_pieces(2000, 20000, 1.25);
	test_pieces(5000, 8000, 1.3);
	test_time();
	return tap_end();
}
