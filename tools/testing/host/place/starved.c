// SPDX-License-Identifier: MIT
/*
 * Without memory: an allocation of a call fails, alone or with all after it. Whatever fails, the
 * call says -ENOMEM, keeps nothing, and leaves errno alone. The linker gives this program the
 * calls of malloc() and the like of the whole library (--wrap, see the Makefile).
 */
#include <errno.h>
#include <string.h>

#include "loom_core.h"
#include "loom_place.h"
#include "place_item.h"
#include "place_make.h"
#include "starved.h"
#include "tap.h"
#include "wrapped.h"

#ifdef __SANITIZE_ADDRESS__
#define SLOW	4
#else
#define SLOW	1
#endif

/* How many allocations of a call are tried: all, or so many that are evenly spread. */
#define LOOKS		(30000 / SLOW)
#define MIN_TRIES	20
#define MAX_TRIES	100
/* errno as it was before. */
#define BEFORE		77

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : keep(__real_malloc(bytes));
}

void *__wrap_calloc(size_t number, size_t bytes)
{
	return fails() ? NULL : keep(__real_calloc(number, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	if (fails())
		return NULL;
	return memory ? __real_realloc(memory, bytes) : keep(__real_realloc(memory, bytes));
}

void __wrap_free(void *memory)
{
	release(memory);
	__real_free(memory);
}

/**
 * struct job - a call that allocates
 * @problem: the problem of the call
 * @options: for loom_place()
 * @offsets: for loom_place_check(), which it is if there are some
 * @reason: for loom_place_check_reason(), which it is if there is one
 * @bound: it is loom_place_bound_reason()
 */
struct job {
	const struct loom_place_problem *problem;
	struct loom_place_options options;
	const uint64_t *offsets;
	const struct loom_place_reason *reason;
	bool bound;
};

static int run(const struct job *job)
{
	struct loom_place_result result;
	struct loom_place_reason reason;
	struct loom_place_fault fault;
	int ret;

	if (job->offsets)
		return loom_place_check(job->problem, job->offsets, NULL, &fault);
	if (job->reason)
		return loom_place_check_reason(job->problem, job->reason);
	if (job->bound)
		return loom_place_bound_reason(job->problem, &reason);
	ret = loom_place(job->problem, &job->options, &result, &fault);
	if (!ret)
		loom_place_result_free(&result);
	/* a failure leaves nothing to free */
	return ret && (result.offsets || result.storages) ? -EFAULT : ret;
}

/* The fault, or NULL. */
static const char *starve(const struct job *job, unsigned int number, bool on)
{
	int before = kept, ret;

	allocations = 0;
	fail_at = number;
	goes_on = on;
	errno = BEFORE;
	ret = run(job);
	fail_at = UINT32_MAX;
	goes_on = false;
	if (errno != BEFORE)
		return "errno is another";
	if (kept != before)
		return "something is kept, or freed twice";
	/* how many there are depends on the threads, but only with threads */
	if (!ret && job->options.jobs > 1 && allocations <= number)
		return NULL;
	return ret == -ENOMEM ? NULL : "it is not -ENOMEM";
}

static void test_job(const char *name, const struct job *job)
{
	const char *wrong = NULL;
	unsigned int total, most, step, i = 0, tries = 0;
	int before = kept, ret;

	allocations = 0;
	errno = BEFORE;
	ret = run(job);
	total = allocations;
	if (!tap_ok(!ret && total && kept == before && errno == BEFORE,
		    "%s: %u allocations, all of them freed", name, total))
		return;
	most = LOOKS / job->problem->num_items;
	most = most < MIN_TRIES ? MIN_TRIES : most > MAX_TRIES ? MAX_TRIES : most;
	for (step = 1 + total / most; i < total && !wrong; i += step)
		wrong = starve(job, i, ++tries % 2);
	if (wrong)
		tap_note("allocation %u fails: %s", i - step, wrong);
	tap_ok(!wrong, "%s: no memory, said %u times", name, tries);
}

static void test_made(const char *name, struct make_form form, struct loom_place_options options)
{
	struct place_made made = place_make(form);
	const struct loom_place_problem problem = {
		.items = made.items, .num_items = made.num_items,
	};

	test_job(name, &(struct job){ .problem = &problem, .options = options });
	free(made.items);
}

static void test_pieces(void)
{
	test_made("a rectangle that is searched", (struct make_form){
		MAKE_SKYLINE, 120, 64, MAKE_PLAIN, 1 }, (struct loom_place_options){
		.budget = 3000 });
	test_made("two threads", (struct make_form){
		MAKE_PINWHEEL, 200, 64, MAKE_CRUMBLED, 2 }, (struct loom_place_options){
		.budget = 500, .jobs = 2 });
	test_made("mixed alignments", (struct make_form){
		MAKE_PINWHEEL, 120, 64, MAKE_MIXED, 3 }, (struct loom_place_options){
		.budget = 2000 });
	test_made("a large rectangle", (struct make_form){
		MAKE_SKYLINE, 1000 / SLOW, 64, MAKE_PLAIN, 4 }, (struct loom_place_options){
		.budget = 200000 });
	test_made("ejections", (struct make_form){
		MAKE_GUILLOTINE, 800 / SLOW, 64, MAKE_CRUMBLED, 5 }, (struct loom_place_options){
		.budget = 300 });
	test_made("more than is searched", (struct make_form){
		MAKE_SKYLINE, 4600, 64, MAKE_CRUMBLED, 6 }, (struct loom_place_options){
		.budget = 100 });
	test_made("a trace", (struct make_form){
		MAKE_POWER, 400, 64, MAKE_PLAIN, 7 }, (struct loom_place_options){
		.budget = 2000 });
}

/* So many that are alive at once that gaps are stored by time. */
static void test_crowded(void)
{
	const uint32_t n = 12000;
	struct loom_place_item *items = calloc(n, sizeof(*items));
	const struct loom_place_problem problem = { .items = items, .num_items = n };
	uint32_t i;

	if (!items)
		tap_fatal("no memory");
	for (i = 0; i < n; i++)
		items[i] = (struct loom_place_item){
			.size_bytes = 1 + i % 977, .lower = i % 401,
			.upper = 1000 + i % 613,
		};
	test_job("crowded", &(struct job){ .problem = &problem, .options = { .budget = 10 } });
	free(items);
}

#define NUM_ITEMS	30

/* All features at once: gaps, ranges, pairs, aliases, pools, sub-banks, operators. */
static void test_features(void)
{
	static const struct loom_place_range excluded = { 300, 400 };
	static const struct loom_place_pair pairs[] = { { 1, 5, 3 }, { 2, 9, 4 }, { 6, 11, 5 } };
	const struct loom_place_pool pools[] = {
		{ 700, 0, 0, 128 }, { 500, 8, 1, 0 }, { LOOM_PLACE_ANYWHERE, 0, 3, 64 },
	};
	struct loom_place_item items[NUM_ITEMS] = { 0 };
	struct loom_place_gap gaps[NUM_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = NUM_ITEMS, .apart = pairs, .num_apart = 3,
		.conflicts = pairs, .num_conflicts = 3, .pools = &pools[2], .num_pools = 1,
	};
	uint32_t i;

	for (i = 0; i < NUM_ITEMS; i++) {
		items[i].size_bytes = 40 + 7 * (i % 13);
		items[i].align_bytes = i % 4 ? 1 : 16;
		items[i].lower = i;
		items[i].upper = i + 3 + i % 5;
		gaps[i] = (struct loom_place_gap){ i + 1, i + 2, 0, i % 3 ? 0 : 20 };
		items[i].gaps = &gaps[i];
		items[i].num_gaps = i % 2;
		items[i].excluded = &excluded;
		items[i].num_excluded = !(i % 7);
	}
	item_lies_in(&items[20], 18);
	items[20].size_bytes = 8;
	items[20].align_bytes = 1;
	test_job("features", &(struct job){ .problem = &problem, .options = { .budget = 500 } });
	problem.pools = pools;
	problem.num_pools = ARRAY_SIZE(pools);
	test_job("pools", &(struct job){ .problem = &problem, .options = { .budget = 500 } });
	test_job("a bound", &(struct job){ .problem = &problem, .bound = true });
}

/* A chain of operators, for all strategies. */
static void test_strategies(void)
{
	struct loom_place_op ops[NUM_ITEMS];
	struct loom_place_item items[NUM_ITEMS] = { 0 };
	uint32_t inputs[NUM_ITEMS], i;
	struct loom_place_problem problem = {
		.items = items, .num_items = NUM_ITEMS, .ops = ops, .num_ops = NUM_ITEMS,
	};
	const char *name;

	for (i = 0; i < NUM_ITEMS; i++) {
		items[i].size_bytes = 16 + 16 * (i * 5 % 11);
		items[i].align_bytes = 16;
		items[i].lower = i;
		items[i].upper = i + 1;
		inputs[i] = i < 3 ? 0 : i - 1 - i % 3;
		if (i)
			items[inputs[i]].upper = i + 1;
		ops[i] = (struct loom_place_op){ &inputs[i], !!i, i, false };
	}
	for (i = 0; (name = loom_place_strategy_name(i)); i++)
		test_job(name, &(struct job){
			.problem = &problem, .options = { .strategy = name, .budget = 500 },
		});
}

static void test_proofs(void)
{
	struct place_made made = place_make((struct make_form){
		MAKE_PINWHEEL, 300, 64, MAKE_CRUMBLED, 8 });
	const struct loom_place_problem problem = {
		.items = made.items, .num_items = made.num_items,
	};
	const struct loom_place_options options = { .budget = 100 };
	struct loom_place_reason reason;
	struct loom_place_result result;

	if (loom_place(&problem, &options, &result, NULL) ||
	    loom_place_bound_reason(&problem, &reason))
		tap_fatal("no placement");
	test_job("a proof of a placement", &(struct job){
		.problem = &problem, .offsets = result.offsets });
	test_job("a proof of a bound", &(struct job){ .problem = &problem, .reason = &reason });
	test_job("a bound of pieces", &(struct job){ .problem = &problem, .bound = true });
	loom_place_result_free(&result);
	free(made.items);
}

int main(void)
{
	test_pieces();
	test_crowded();
	test_features();
	test_strategies();
	test_proofs();
	return tap_end();
}
