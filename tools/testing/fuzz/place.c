// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the placement
 *
 * One input is a byte that says what it is, a byte for the strategy, one for the budget, one for
 * the capacity, and then either a CSV file or a problem in binary (place_problem.h), which also has
 * elements that files lack: aliases, operators, pools, pairs, images.
 *
 * Whatever the input, nothing may crash, and every answer must hold: proved by loom_place_check(),
 * which must refuse answers that were spoilt, and by comparing all pairs; not below any bound that
 * any strategy proved; the same when asked again. A file that was answered must read as the same
 * problem, all fixed.
 *
 * The inputs of main() are made in place_inputs.h.
 */
#include "loom_core.h"
#include "loom_place_file.h"
#include "place_judge.h"

#define FUZZ_NAME		"fuzz-place"
#define FUZZ_MAX_BYTES		4096
#define FUZZ_MAX_ITEMS		JUDGE_ITEMS

#include "fuzz.h"
#include "place_problem.h"

/* A hash of the results of the last input, to tell new behaviour from old. */
static uint64_t fuzz_signature;

/* Adds a message without its numbers: messages that differ only in these are of one kind. */
static void fuzz_sign(int code, const char *text)
{
	uint64_t hash = fuzz_signature * 31 + (unsigned int)code;

	for (; *text && *text != '\''; text++)
		if (*text < '0' || *text > '9')
			hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	fuzz_signature = hash;
}

/* --- what has to hold of an answer -------------------------------------------------------- */

static void fuzz_check_heights(const struct loom_place_problem *problem,
			       const struct loom_place_result *result)
{
	uint64_t heights[LOOM_PLACE_MAX_POOLS] = { 0 }, top;
	uint32_t i;

	fuzz_expect(result->num_pools >= 1 && result->num_pools <= LOOM_PLACE_MAX_POOLS,
		    "%u pools", result->num_pools);
	for (i = 0; i < problem->num_items; i++) {
		fuzz_expect(result->pools[i] < result->num_pools, "item %u is nowhere", i);
		top = result->offsets[i] + problem->items[i].size_bytes;
		if (problem->items[i].size_bytes && top > heights[result->pools[i]])
			heights[result->pools[i]] = top;
	}
	/* a storage has the largest width and height of its images: it may exceed each of them */
	for (i = 0; i < result->num_storages; i++) {
		const struct loom_place_storage *storage = &result->storages[i];

		fuzz_expect(storage->pool < result->num_pools, "storage %u is nowhere", i);
		top = storage->offset + storage->size_bytes;
		if (top > heights[storage->pool])
			heights[storage->pool] = top;
	}
	for (i = 0; i < result->num_pools; i++) {
		fuzz_expect(heights[i] == result->height_bytes[i], "pool %u is %llu high, not %llu",
			    i, (unsigned long long)heights[i],
			    (unsigned long long)result->height_bytes[i]);
		fuzz_expect(result->bound_bytes[i] <= result->height_bytes[i],
			    "pool %u is below its bound", i);
		fuzz_expect(!result->proved || result->bound_bytes[i] == result->height_bytes[i],
			    "pool %u: proved, but above its bound", i);
		fuzz_expect(!problem->num_pools ||
			    heights[i] <= problem->pools[i].capacity_bytes,
			    "pool %u is full", i);
	}
}

static bool fuzz_same(const struct loom_place_problem *problem, const struct loom_place_result *a,
		      const struct loom_place_result *b)
{
	const size_t count = problem->num_items;

	return !memcmp(a->offsets, b->offsets, count * sizeof(*a->offsets)) &&
	       !memcmp(a->pools, b->pools, count * sizeof(*a->pools)) && a->nodes == b->nodes &&
	       a->proved == b->proved && !strcmp(a->strategy, b->strategy) &&
	       !memcmp(a->bound_bytes, b->bound_bytes, a->num_pools * sizeof(*a->bound_bytes));
}

#define FUZZ_MOVES	12

/*
 * The check of answers refuses those that are wrong: one item of the answer is moved a little, to
 * where another one is, or to another pool, which is nearly always wrong.
 */
static void fuzz_check_proof(const struct loom_place_problem *problem,
			     const struct loom_place_result *result)
{
	uint64_t offsets[FUZZ_MAX_ITEMS], seed = fuzz_signature | 1;
	uint32_t pools[FUZZ_MAX_ITEMS], move, item, count = problem->num_items;

	fuzz_expect(judge_valid(problem, result->offsets, result->pools),
		    "%s gave a placement that is none", result->strategy);
	for (move = 0; move < FUZZ_MOVES && count; move++) {
		memcpy(offsets, result->offsets, count * sizeof(*offsets));
		memcpy(pools, result->pools, count * sizeof(*pools));
		item = random_xorshift(&seed, count);
		switch (random_xorshift(&seed, 4)) {
		case 0:
			offsets[item] = offsets[random_xorshift(&seed, count)];
			break;
		case 1:
			pools[item] = random_xorshift(&seed, result->num_pools);
			break;
		case 2:
			/* so that it just reaches into another */
			offsets[item] = offsets[random_xorshift(&seed, count)] + 1;
			offsets[item] -= min(offsets[item], problem->items[item].size_bytes);
			break;
		default:
			offsets[item] += random_xorshift(&seed, 65);
			offsets[item] -= min(offsets[item], 32ULL);
			break;
		}
		fuzz_expect(judge_valid(problem, offsets, pools) ||
			    loom_place_check(problem, offsets, pools, NULL),
			    "item %u at offset %llu of pool %u is proved to be fine", item,
			    (unsigned long long)offsets[item], pools[item]);
	}
}

/* Places, proves, places again. */
static int fuzz_place(const struct loom_place_problem *problem,
		      const struct loom_place_options *options, struct loom_place_result *result,
		      struct loom_place_fault *fault)
{
	struct loom_place_result again;
	struct loom_place_fault at_fault;
	char saved[sizeof(fault->text)];
	int ret, second;

	ret = loom_place(problem, options, result, fault);
	fuzz_sign(ret, ret ? fault->text : result->strategy);
	memcpy(saved, fault->text, sizeof(saved));
	second = loom_place(problem, options, &again, &at_fault);
	fuzz_expect(ret == second, "%d at first, then %d", ret, second);
	if (ret) {
		fuzz_expect(ret == -EINVAL || ret == -ENOSPC || ret == -ERANGE, "failed with %d",
			    ret);
		fuzz_expect(memchr(saved, 0, sizeof(saved)) && *saved && !strchr(saved, '\n') &&
			    !strcmp(saved, at_fault.text), "the message of %d: '%.160s'", ret,
			    saved);
		fuzz_expect(!result->offsets && !result->pools, "a failure left a result");
		return ret;
	}
	fuzz_expect(fuzz_same(problem, result, &again), "two answers to the same question");
	loom_place_result_free(&again);
	second = loom_place_check(problem, result->offsets, result->pools, &at_fault);
	fuzz_expect(!second, "%s gave a placement that is none: %s", result->strategy,
		    at_fault.text);
	fuzz_check_heights(problem, result);
	fuzz_check_proof(problem, result);
	return 0;
}

static const char *fuzz_strategy(uint8_t pick)
{
	unsigned int count = 0;

	while (loom_place_strategy_name(count))
		count++;
	return loom_place_strategy_name(pick % count);
}

/* No strategy may be below a bound that another proved. */
static void fuzz_place_all(const struct loom_place_problem *problem,
			   const struct loom_place_options *options, const char *other_name,
			   struct loom_place_result *result)
{
	struct loom_place_options other = *options;
	struct loom_place_result second;
	struct loom_place_fault fault;
	uint64_t bound;
	int ret;

	other.strategy = other_name;
	ret = fuzz_place(problem, &other, &second, &fault);
	fuzz_expect(ret != -ENOSPC || !fault.missing_bytes,
		    "%s fits it, and %s proves that it does not fit", result->strategy, other_name);
	if (ret)
		return;
	if (result->num_pools == 1) {
		fuzz_expect(!loom_place_bound(problem, &bound), "no bound");
		fuzz_expect(bound <= result->height_bytes[0] && bound <= second.height_bytes[0],
			    "below the bound");
		fuzz_expect(second.bound_bytes[0] <= result->height_bytes[0],
			    "%s is below what %s proved", result->strategy, other_name);
		fuzz_expect(result->bound_bytes[0] <= second.height_bytes[0],
			    "%s is below what %s proved", other_name, result->strategy);
	}
	loom_place_result_free(&second);
}

/* --- files ------------------------------------------------------------------------------ */

static void fuzz_draw(const struct loom_place_problem *problem,
		      const struct loom_place_result *result, const char *const *ids)
{
	struct loom_place_svg_options options = { .ids = ids, .title = ids ? "<&\"\xff>" : NULL };
	size_t size;
	char *text;
	int ret;

	for (; options.pool < result->num_pools; options.pool++) {
		ret = loom_place_svg(problem, result, &options, &text, &size);
		/* sums that leave 63 bits only once the pools are told apart there are none of */
		fuzz_expect(!ret, "no picture: %d", ret);
		fuzz_expect(size > 7 && !memcmp(text + size - 7, "</svg>\n", 7) &&
			    strlen(text) == size, "half a picture");
		free(text);
	}
}

/* The written answer is read back as the same items, all of them fixed. */
static void fuzz_check_answer(const struct loom_place_csv *csv, const uint64_t *offsets)
{
	struct loom_place_csv *back;
	struct loom_error err;
	uint64_t bound, other;
	char *text;
	size_t size;
	uint32_t i;
	int ret;

	ret = loom_place_csv_answer(csv, offsets, &text, &size);
	fuzz_expect(!ret, "no answer: %d", ret);
	ret = loom_place_csv_parse(text, size, "answer", &back, &err);
	fuzz_expect(!ret, "the answer cannot be read: %s", err.text);
	fuzz_expect(back->problem.num_items == csv->problem.num_items, "the answer lost items");
	for (i = 0; i < back->problem.num_items; i++)
		fuzz_expect(back->problem.items[i].fixed == offsets[i] &&
			    !strcmp(back->ids[i], csv->ids[i]), "the answer changed item %u", i);
	ret = loom_place_check(&back->problem, offsets, NULL, NULL);
	fuzz_expect(!ret, "the answer is none");
	loom_place_csv_free_offsets(back);
	loom_place_csv_free_offsets((struct loom_place_csv *)csv);
	fuzz_expect(!loom_place_bound(&csv->problem, &bound) &&
		    !loom_place_bound(&back->problem, &other) && bound == other,
		    "the answer changed the problem");
	loom_place_csv_destroy(back);
	free(text);
}

static void fuzz_check_format(const struct loom_place_csv *csv)
{
	struct loom_place_csv *back;
	struct loom_error err;
	char *text;
	size_t size;
	uint32_t i;
	int ret;

	ret = loom_place_csv_format(&csv->problem, csv->ids, NULL, &text, &size);
	fuzz_expect(!ret, "no file: %d", ret);
	ret = loom_place_csv_parse(text, size, "format", &back, &err);
	fuzz_expect(!ret, "the file cannot be read: %s", err.text);
	fuzz_expect(back->problem.num_items == csv->problem.num_items, "the file lost items");
	for (i = 0; i < back->problem.num_items; i++) {
		const struct loom_place_item *a = &csv->problem.items[i];
		const struct loom_place_item *b = &back->problem.items[i];

		fuzz_expect(a->lower == b->lower && a->upper == b->upper &&
			    a->size_bytes == b->size_bytes && a->align_bytes == b->align_bytes &&
			    a->flags == b->flags && a->fixed == b->fixed &&
			    a->num_gaps == b->num_gaps,
			    "the file changed item %u", i);
	}
	loom_place_csv_destroy(back);
	free(text);
}

static void fuzz_csv(const struct loom_place_options *options, uint8_t capacity,
		     const uint8_t *data, size_t size)
{
	struct loom_place_pool pool = { .capacity_bytes = LOOM_PLACE_ANYWHERE };
	struct loom_place_result result;
	struct loom_place_problem problem;
	struct loom_place_fault fault;
	struct loom_place_csv *csv;
	struct loom_error err;
	int ret;

	ret = loom_place_csv_parse((const char *)data, size, "fuzz.csv", &csv, &err);
	if (ret) {
		fuzz_check_line(&err, "");
		fuzz_sign(ret, err.text);
		return;
	}
	if (csv->problem.num_items <= FUZZ_MAX_ITEMS) {
		problem = csv->problem;
		problem.pools = &pool;
		problem.num_pools = 1;
		if (capacity)
			pool.capacity_bytes = (uint64_t)capacity << (capacity & 7);
		ret = fuzz_place(&problem, options, &result, &fault);
		if (ret) {
			loom_place_csv_explain(csv, &problem, ret, &fault, &err);
			fuzz_check_line(&err, "");
		} else {
			fuzz_place_all(&problem, options, "exact", &result);
			fuzz_draw(&problem, &result, csv->ids);
			fuzz_check_format(csv);
			fuzz_check_answer(csv, result.offsets);
			loom_place_result_free(&result);
		}
	}
	loom_place_csv_destroy(csv);
}

/* --- one input --------------------------------------------------------------------------- */

static void fuzz_binary(const struct loom_place_options *options, uint8_t kind, const uint8_t *data,
			size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	struct loom_place_result result;
	struct loom_place_fault fault;
	struct fuzz_problem *fuzz;

	fuzz = calloc(1, sizeof(*fuzz));
	if (!fuzz)
		abort();
	fuzz->wild = kind & FUZZ_WILD;
	fuzz->follow = kind & FUZZ_FOLLOW;
	fuzz_make(fuzz, &bytes);
	if (!fuzz_place(&fuzz->problem, options, &result, &fault)) {
		fuzz_place_all(&fuzz->problem, options, "auto", &result);
		fuzz_draw(&fuzz->problem, &result, NULL);
		loom_place_result_free(&result);
	}
	free(fuzz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_place_options options = { 0 };

	fuzz_signature = 0;
	if (size < 4)
		return 0;
	options.strategy = fuzz_strategy(data[1]);
	options.budget = data[2] ? 1U << data[2] % 12 : 0;
	options.fit_only = data[0] & FUZZ_FIT_ONLY;
	/* the default budget would take too long */
	if (!options.budget)
		options.budget = 300;
	if (data[0] & FUZZ_BINARY)
		fuzz_binary(&options, data[0], data + 4, size - 4);
	else
		fuzz_csv(&options, data[3], data + 4, size - 4);
	return 0;
}

#ifndef LOOM_LIBFUZZER
#include "place_inputs.h"
#endif
