// SPDX-License-Identifier: MIT
/*
 * DOC: Fuzzing the placement
 *
 * One input is a byte that says what it is, a byte for the strategy, one for the budget, one for
 * the capacity, and then either a CSV file or a problem in binary, which also has what files have
 * not: aliases, operators, pools, pairs, images. A tame problem in binary is mostly a valid one, a
 * wild one hardly ever.
 *
 * Whatever comes in, nothing may crash, and what is answered must hold: proved by
 * loom_place_check() and, where that is simple, by comparing all with all; not below any bound that
 * any strategy proved; the same when asked again. A file that was answered must read as the same
 * problem, all fixed.
 *
 * Built by gcc with ASan and UBSan, main() makes the inputs: from seeds, by mutation, and what
 * gave a result of a kind not seen before becomes a seed, too. The run is a function of --seed and
 * the number of --runs. An input that fails is left in fuzz-place.fail or what --fail says, which
 * the program takes as an argument to run it again. With clang, the same file is a target for
 * libFuzzer:
 *
 *	clang -fsanitize=fuzzer,address,undefined -fno-sanitize=pointer-overflow \
 *		-DLOOM_LIBFUZZER ... tools/testing/fuzz/place.c userlib/place*.c
 *
 * (clang minds 0 added to NULL, which gcc and everybody else allow.)
 */
#include "loom_core.h"
#include "loom_place_file.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "random.h"
#include "fuzz.h"

#define FUZZ_MAX_BYTES		4096
#define FUZZ_MAX_ITEMS		48
/* More than this for one input is a hang. */
#define FUZZ_HANG_SECONDS	60

/* What came of the last input, so that new behaviour can be told from old. */
static uint64_t fuzz_signature;

static void __attribute__((format(printf, 1, 2), noreturn)) fuzz_fail(const char *format, ...)
{
	va_list args;

	fputs("fuzz-place: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

#define fuzz_expect(condition, ...)				\
	do {							\
		if (!(condition))				\
			fuzz_fail(__VA_ARGS__);			\
	} while (0)

/* A message without its numbers: two that differ only there are of one kind. */
static void fuzz_sign(int code, const char *text)
{
	uint64_t hash = fuzz_signature * 31 + (unsigned int)code;

	for (; *text && *text != '\''; text++)
		if (*text < '0' || *text > '9')
			hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	fuzz_signature = hash;
}

/* --- what must hold of an answer -------------------------------------------------------- */

static bool fuzz_there(const struct loom_place_item *item, int64_t moment, uint64_t byte)
{
	uint32_t i;

	if (moment < item->lower || moment >= item->upper || byte >= item->size_bytes)
		return false;
	for (i = 0; i < item->num_gaps; i++)
		if (moment >= item->gaps[i].lower && moment < item->gaps[i].upper)
			return byte >= item->gaps[i].window_lower &&
			       byte < item->gaps[i].window_upper;
	return true;
}

/*
 * Whether two items share a byte at @moment. What is there of an item at a moment is one range of
 * bytes, so if two share anything, they share the first byte of one of the two ranges.
 */
static bool fuzz_share(const struct loom_place_item *a, uint64_t at,
		       const struct loom_place_item *b, uint64_t bt, int64_t moment)
{
	uint64_t first, j;

	for (j = 0; j <= a->num_gaps; j++) {
		first = j ? a->gaps[j - 1].window_lower : 0;
		if (fuzz_there(a, moment, first) && at + first >= bt &&
		    fuzz_there(b, moment, at + first - bt))
			return true;
	}
	return false;
}

/* Something can only begin to collide when one of the two, or a gap, begins or ends. */
static bool fuzz_collide(const struct loom_place_item *a, uint64_t at,
			 const struct loom_place_item *b, uint64_t bt)
{
	uint32_t i;

	if (fuzz_share(a, at, b, bt, a->lower) || fuzz_share(b, bt, a, at, a->lower))
		return true;
	for (i = 0; i < a->num_gaps; i++)
		if (fuzz_share(a, at, b, bt, a->gaps[i].lower) ||
		    fuzz_share(b, bt, a, at, a->gaps[i].lower) ||
		    fuzz_share(a, at, b, bt, a->gaps[i].upper) ||
		    fuzz_share(b, bt, a, at, a->gaps[i].upper))
			return true;
	return false;
}

static void fuzz_check_pairs(const struct loom_place_problem *problem, const uint64_t *offsets)
{
	const struct loom_place_item *a, *b;
	uint32_t i, j;

	for (i = 0; i < problem->num_items; i++) {
		a = &problem->items[i];
		fuzz_expect(a->fixed == LOOM_PLACE_ANYWHERE || a->fixed == offsets[i],
			    "item %u is not where it has to be", i);
		fuzz_expect(!a->align_bytes || offsets[i] % a->align_bytes == 0,
			    "item %u is not aligned", i);
		for (j = 0; j < problem->num_items; j++) {
			b = &problem->items[j];
			fuzz_expect(i == j || !fuzz_collide(a, offsets[i], b, offsets[j]),
				    "items %u and %u share a byte", i, j);
		}
	}
}

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
	/* a storage is as wide and as high as any in it: perhaps larger than all of them */
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
	return 0;
}

static const char *fuzz_strategy(uint8_t pick)
{
	unsigned int count = 0;

	while (loom_place_strategy_name(count))
		count++;
	return loom_place_strategy_name(pick % count);
}

/* What one strategy proves, another must not fall below. */
static void fuzz_place_all(const struct loom_place_problem *problem,
			   const struct loom_place_options *options, const char *rival,
			   struct loom_place_result *result)
{
	struct loom_place_options other = *options;
	struct loom_place_result second;
	struct loom_place_fault fault;
	uint64_t bound;
	int ret;

	other.strategy = rival;
	ret = fuzz_place(problem, &other, &second, &fault);
	fuzz_expect(ret != -ENOSPC || !fault.missing_bytes,
		    "%s fits it, and %s proves that it does not fit", result->strategy, rival);
	if (ret)
		return;
	if (result->num_pools == 1) {
		fuzz_expect(!loom_place_bound(problem, &bound), "no bound");
		fuzz_expect(bound <= result->height_bytes[0] && bound <= second.height_bytes[0],
			    "below the bound");
		fuzz_expect(second.bound_bytes[0] <= result->height_bytes[0],
			    "%s is below what %s proved", result->strategy, rival);
		fuzz_expect(result->bound_bytes[0] <= second.height_bytes[0],
			    "%s is below what %s proved", rival, result->strategy);
	}
	loom_place_result_free(&second);
}

/* --- files ------------------------------------------------------------------------------ */

static void fuzz_check_line(const struct loom_error *err)
{
	fuzz_expect(memchr(err->text, 0, sizeof(err->text)) && *err->text &&
		    !strchr(err->text, '\n'), "the message is '%.512s'", err->text);
}

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

/* What was written is read again, and is the same, with all fixed. */
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
			    a->fixed == b->fixed && a->num_gaps == b->num_gaps,
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
		fuzz_check_line(&err);
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
			fuzz_check_line(&err);
		} else {
			fuzz_check_pairs(&problem, result.offsets);
			fuzz_place_all(&problem, options, "exact", &result);
			fuzz_draw(&problem, &result, csv->ids);
			fuzz_check_format(csv);
			fuzz_check_answer(csv, result.offsets);
			loom_place_result_free(&result);
		}
	}
	loom_place_csv_destroy(csv);
}

/* --- problems in binary ----------------------------------------------------------------- */

/**
 * struct fuzz_bytes - what is left of an input; then zeroes
 * @at: next byte
 * @left: number of bytes
 */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

static uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

static uint64_t fuzz_number(struct fuzz_bytes *bytes, unsigned int count)
{
	uint64_t number = 0;

	while (count--)
		number = number << 8 | fuzz_byte(bytes);
	return number;
}

#define FUZZ_ITEMS	24
#define FUZZ_LISTS	3

/**
 * struct fuzz_problem - a problem with room for what is in it
 * @problem: points to the rest
 * @wild: nothing is made to fit
 * @follow: items live as operators say
 * @items: of it
 * @gaps: by item
 * @excluded: by item
 * @ops: of it
 * @inputs: by operator
 * @pools: of it
 * @apart: of it
 * @conflicts: of it
 */
struct fuzz_problem {
	struct loom_place_problem problem;
	bool wild;
	bool follow;
	struct loom_place_item items[FUZZ_ITEMS];
	struct loom_place_gap gaps[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_range excluded[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_op ops[FUZZ_ITEMS];
	uint32_t inputs[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_pool pools[FUZZ_LISTS];
	struct loom_place_pair apart[FUZZ_LISTS];
	struct loom_place_pair conflicts[FUZZ_LISTS];
};

/* Bits of the byte that an input begins with. */
enum {
	FUZZ_BINARY	= 1 << 0,
	FUZZ_FIT_ONLY	= 1 << 1,
	FUZZ_WILD	= 1 << 2,
	FUZZ_FOLLOW	= 1 << 3,
};

/* Bits of the byte that an item begins with. */
enum {
	FUZZ_ITEM_LARGE		= 1 << 0,
	FUZZ_ITEM_ALIGNED	= 1 << 1,
	FUZZ_ITEM_FIXED		= 1 << 2,
	FUZZ_ITEM_ALIAS		= 1 << 3,
	FUZZ_ITEM_GAPS		= 1 << 4,
	FUZZ_ITEM_EXCLUDED	= 1 << 5,
	FUZZ_ITEM_IMAGE		= 1 << 6,
	FUZZ_ITEM_POOLS		= 1 << 7,
};

static void fuzz_make_gaps(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const uint32_t count = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	int64_t at = item->lower;

	item->gaps = fuzz->gaps[index];
	while (item->num_gaps < count) {
		struct loom_place_gap gap = {
			.lower = at + fuzz_byte(bytes) % 4,
			.window_lower = fuzz_byte(bytes) % 16,
			.window_upper = fuzz_byte(bytes) % 16,
		};

		gap.upper = gap.lower + fuzz_byte(bytes) % 4;
		if (!fuzz->wild && (gap.upper == gap.lower || gap.upper > item->upper ||
				    gap.window_upper > item->size_bytes))
			return;
		fuzz->gaps[index][item->num_gaps++] = gap;
		at = gap.upper;
	}
}

static void fuzz_make_excluded(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	uint64_t at = 0;
	uint32_t i;

	item->num_excluded = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	item->excluded = fuzz->excluded[index];
	for (i = 0; i < item->num_excluded; i++) {
		struct loom_place_range *range = &fuzz->excluded[index][i];

		range->lower = at + fuzz_byte(bytes);
		range->upper = range->lower + fuzz_byte(bytes) + !fuzz->wild;
		at = range->upper;
	}
}

static void fuzz_make_alias(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const struct loom_place_item *owner;

	item->alias = fuzz_byte(bytes) % (index + fuzz->wild);
	item->alias_offset = fuzz_byte(bytes) % 8;
	if (fuzz->wild)
		return;
	owner = &fuzz->items[item->alias];
	item->align_bytes = 1;
	if (item->alias_offset > owner->size_bytes)
		item->alias_offset = 0;
	if (item->size_bytes > owner->size_bytes - item->alias_offset)
		item->size_bytes = owner->size_bytes - item->alias_offset;
}

static void fuzz_make_item(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const uint8_t flags = fuzz_byte(bytes);

	item->size_bytes = flags & FUZZ_ITEM_LARGE && fuzz->wild ? fuzz_number(bytes, 8) :
			   fuzz_byte(bytes);
	item->align_bytes = flags & FUZZ_ITEM_ALIGNED ? fuzz_byte(bytes) % 65 : 1;
	item->lower = (int8_t)fuzz_byte(bytes) % 16;
	item->upper = item->lower + fuzz_byte(bytes) % 16 + !fuzz->wild;
	item->fixed = LOOM_PLACE_ANYWHERE;
	item->alias = LOOM_PLACE_NONE;
	if (flags & FUZZ_ITEM_IMAGE) {
		item->width = fuzz_byte(bytes) % 64;
		item->height = fuzz_byte(bytes) % 64;
		item->storage_class = fuzz_byte(bytes) & 1;
		if (item->width && item->height)
			item->size_bytes = item->width * item->height;
	}
	/* one of the features is enough for most, or hardly anything would be valid */
	if (flags & FUZZ_ITEM_ALIAS && (index || fuzz->wild))
		fuzz_make_alias(fuzz, bytes, index);
	else if (flags & FUZZ_ITEM_FIXED && (fuzz->wild || fuzz_byte(bytes) < 32))
		item->fixed = (uint64_t)fuzz_byte(bytes) *
			      (item->align_bytes ? item->align_bytes : 1);
	if (flags & FUZZ_ITEM_POOLS)
		item->pools = fuzz_byte(bytes) & (fuzz->wild ? 7 :
						  (1U << fuzz->problem.num_pools) - 1);
	if (flags & FUZZ_ITEM_GAPS)
		fuzz_make_gaps(fuzz, bytes, index);
	if (flags & FUZZ_ITEM_EXCLUDED)
		fuzz_make_excluded(fuzz, bytes, index);
}

/* Each operator makes an item out of those before it, which live until the last that reads them. */
static void fuzz_follow(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	uint32_t i, j;

	fuzz->problem.num_ops = fuzz->problem.num_items;
	fuzz->problem.ops = fuzz->ops;
	for (i = 0; i < fuzz->problem.num_ops; i++) {
		fuzz->items[i].lower = i;
		fuzz->items[i].upper = i + 1;
		fuzz->items[i].num_gaps = 0;
		fuzz->ops[i].output = i;
		fuzz->ops[i].inputs = fuzz->inputs[i];
		fuzz->ops[i].num_inputs = i ? fuzz_byte(bytes) % (FUZZ_LISTS + 1) : 0;
		for (j = 0; j < fuzz->ops[i].num_inputs; j++) {
			fuzz->inputs[i][j] = fuzz_byte(bytes) % i;
			fuzz->items[fuzz->inputs[i][j]].upper = i + 1;
		}
		fuzz->ops[i].in_place = fuzz->ops[i].num_inputs &&
					fuzz->items[i].alias == fuzz->inputs[i][0] &&
					!fuzz->items[i].alias_offset;
	}
}

static void fuzz_make_ops(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	const uint32_t num_items = fuzz->problem.num_items;
	uint32_t i, j;

	fuzz->problem.num_ops = fuzz_byte(bytes) % (FUZZ_ITEMS + 1);
	fuzz->problem.ops = fuzz->problem.num_ops ? fuzz->ops : NULL;
	for (i = 0; i < fuzz->problem.num_ops; i++) {
		const uint8_t shape = fuzz_byte(bytes);

		fuzz->ops[i].num_inputs = shape % (FUZZ_LISTS + 1);
		fuzz->ops[i].inputs = fuzz->inputs[i];
		fuzz->ops[i].in_place = (shape & 0x70) == 0x70;
		for (j = 0; j < fuzz->ops[i].num_inputs; j++)
			fuzz->inputs[i][j] = fuzz_byte(bytes) % (num_items + (shape == 0xff));
		fuzz->ops[i].output = shape & 0x80 ? i % num_items :
				      fuzz_byte(bytes) % num_items;
	}
}

static uint32_t fuzz_make_pairs(struct loom_place_pair *pairs, struct fuzz_bytes *bytes,
				uint32_t num_items)
{
	const uint32_t count = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	uint32_t i;

	for (i = 0; i < count; i++) {
		pairs[i].first = fuzz_byte(bytes) % num_items;
		pairs[i].second = fuzz_byte(bytes) % num_items;
		pairs[i].weight = fuzz_byte(bytes);
	}
	return count;
}

static void fuzz_make(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	struct loom_place_problem *problem = &fuzz->problem;
	uint32_t i;

	problem->items = fuzz->items;
	problem->num_items = 1 + fuzz_byte(bytes) % FUZZ_ITEMS;
	problem->num_pools = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	problem->pools = problem->num_pools ? fuzz->pools : NULL;
	for (i = 0; i < problem->num_pools; i++) {
		const uint64_t capacity = fuzz_number(bytes, 2);

		fuzz->pools[i].capacity_bytes = capacity & 1 ? LOOM_PLACE_ANYWHERE : capacity;
		fuzz->pools[i].align_bytes = fuzz_byte(bytes) & 15;
		fuzz->pools[i].cost = fuzz_byte(bytes) & 3;
		fuzz->pools[i].sub_bank_bytes = fuzz_byte(bytes) & 0x70;
	}
	for (i = 0; i < problem->num_items; i++)
		fuzz_make_item(fuzz, bytes, i);
	if (fuzz->follow)
		fuzz_follow(fuzz, bytes);
	else
		fuzz_make_ops(fuzz, bytes);
	problem->apart = fuzz->apart;
	problem->num_apart = fuzz_make_pairs(fuzz->apart, bytes, problem->num_items);
	problem->conflicts = fuzz->conflicts;
	problem->num_conflicts = fuzz_make_pairs(fuzz->conflicts, bytes, problem->num_items);
}

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
	/* what no budget was given for would take too long */
	if (!options.budget)
		options.budget = 300;
	if (data[0] & FUZZ_BINARY)
		fuzz_binary(&options, data[0], data + 4, size - 4);
	else
		fuzz_csv(&options, data[3], data + 4, size - 4);
	return 0;
}

#ifndef LOOM_LIBFUZZER

/* --- where inputs come from ------------------------------------------------------------- */

static const char *const fuzz_seeds[] = {
	"id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n",
	"buffer,start,end,size,alignment,gaps,offset\r\n"
	"a,0,9,64,16,3-4 6-7@8:16,\r\nb,2,5,32,8,,128\r\nc,4,8,48,1,,\r\n",
	"id,lower,upper,size,hint,what\n\"x,\"\"y\"\"\",0,2,100,-1,z\nq,1,3,28,0,\"a\nb\"\n",
	"upper,lower,size,id\n20,5,13,0\n16,0,7,1\n9,1,22,2\n30,8,5,3\n12,4,9,4\n18,11,31,5\n"
	"25,13,3,6\n28,21,17,7\n14,7,2,8\n6,0,6,9\n29,17,12,10\n23,16,8,11\n",
	"id,lower,upper,size,gaps\na,0,30,16,4-8 12-16 20-24\nb,0,30,16,0-4 8-12 16-20@0:8\n"
	"c,5,9,8,\nd,10,14,8,11-12@2:4\ne,21,23,8,\n",
	"id,lower,upper,size,offset\na,0,4,10,0\nb,2,6,10,10\nc,5,9,10,5\nd,0,9,7,\n",
};

static const char *const fuzz_words[] = {
	",", "\n", "\r\n", "\"", "\"\"", "-", "@", ":", " ", "0", "1", "7", "64", "-1", "1-2",
	"3-4@1:2", "\t", ",,,", "\x7f", "\xff\xfe", "\xc3\xa9", "\xef\xbb\xbf",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "4611686018427387904",
	"id", "lower", "upper", "size", "end", "start", "gaps", "offset", "alignment", "hint",
};

/**
 * struct fuzz_input - bytes to try
 * @size: number of @data
 * @data: the bytes
 */
struct fuzz_input {
	size_t size;
	uint8_t data[FUZZ_MAX_BYTES];
};

#define FUZZ_CORPUS	512
#define FUZZ_SEEN	(1 << 16)

static struct fuzz_input fuzz_corpus[FUZZ_CORPUS], fuzz_now;
static size_t fuzz_corpus_size;
static uint64_t fuzz_seen[FUZZ_SEEN];
static uint64_t fuzz_state;

static uint64_t fuzz_random(void)
{
	return random_next(&fuzz_state);
}

static size_t fuzz_below(size_t limit)
{
	return fuzz_random() % limit;
}

static void fuzz_insert(struct fuzz_input *input, size_t at, const void *bytes, size_t count)
{
	if (count > FUZZ_MAX_BYTES - input->size)
		return;
	memmove(input->data + at + count, input->data + at, input->size - at);
	memcpy(input->data + at, bytes, count);
	input->size += count;
}

static void fuzz_remove(struct fuzz_input *input, size_t at, size_t count)
{
	if (count > input->size - at)
		count = input->size - at;
	memmove(input->data + at, input->data + at + count, input->size - at - count);
	input->size -= count;
}

/* A line, or in binary something as long, comes once more somewhere else. */
static void fuzz_copy(struct fuzz_input *input, const struct fuzz_input *from)
{
	uint8_t piece[64];
	size_t at, count;

	if (from->size <= 4)
		return;
	at = 4 + fuzz_below(from->size - 4);
	while (at > 4 && from->data[at - 1] != '\n' && fuzz_below(32))
		at--;
	for (count = 0; count < sizeof(piece) && at + count < from->size; count++) {
		piece[count] = from->data[at + count];
		if (piece[count] == '\n') {
			count++;
			break;
		}
	}
	at = 4 + fuzz_below(input->size - 3);
	while (at > 4 && input->data[at - 1] != '\n' && fuzz_below(32))
		at--;
	fuzz_insert(input, at, piece, count);
}

/* One more or one less in a digit, or another digit: numbers stay numbers. */
static void fuzz_digit(struct fuzz_input *input)
{
	size_t at = 4 + fuzz_below(input->size - 4), tries;

	for (tries = 0; tries < input->size; tries++) {
		if (input->data[at] >= '0' && input->data[at] <= '9') {
			input->data[at] = '0' + fuzz_below(10);
			return;
		}
		at = at + 1 < input->size ? at + 1 : 4;
	}
}

static void fuzz_mutate(struct fuzz_input *input)
{
	const char *word;
	size_t at;

	if (input->size <= 4)
		return;
	at = 4 + fuzz_below(input->size - 4);
	switch (fuzz_below(9)) {
	case 0:
		input->data[at] ^= 1U << fuzz_below(8);
		break;
	case 1:
		input->data[at] = fuzz_random();
		break;
	case 2:
		word = fuzz_words[fuzz_below(ARRAY_SIZE(fuzz_words))];
		fuzz_insert(input, at, word, strlen(word));
		break;
	case 3:
		fuzz_remove(input, at, 1 + fuzz_below(8));
		break;
	case 4:
		fuzz_copy(input, &fuzz_corpus[fuzz_below(fuzz_corpus_size)]);
		break;
	case 5:
		fuzz_copy(input, input);
		break;
	case 6:
		input->data[fuzz_below(4)] = fuzz_random();
		break;
	default:
		fuzz_digit(input);
	}
}

static void fuzz_next(void)
{
	size_t i, count;

	if (!fuzz_below(4)) {
		/* a fresh one in binary */
		fuzz_now.size = 4 + fuzz_below(400);
		for (i = 0; i < fuzz_now.size; i++)
			fuzz_now.data[i] = fuzz_random();
		fuzz_now.data[0] |= FUZZ_BINARY;
		/* of the flags of an item, mostly few at once */
		for (i = 4; i < fuzz_now.size; i++)
			if (fuzz_below(2))
				fuzz_now.data[i] &= fuzz_random();
		return;
	}
	fuzz_now = fuzz_corpus[fuzz_below(fuzz_corpus_size)];
	for (i = 1; i < 3; i++)
		fuzz_now.data[i] = fuzz_random();
	for (count = 1 + fuzz_below(6); count; count--)
		fuzz_mutate(&fuzz_now);
}

/* What gave something new is worth changing further. */
static void fuzz_keep(void)
{
	const uint64_t signature = fuzz_signature | 1;
	size_t at = signature % FUZZ_SEEN;

	if (fuzz_seen[at] == signature)
		return;
	fuzz_seen[at] = signature;
	if (fuzz_corpus_size < FUZZ_CORPUS)
		fuzz_corpus[fuzz_corpus_size++] = fuzz_now;
	else
		fuzz_corpus[fuzz_below(FUZZ_CORPUS)] = fuzz_now;
}

/* --- when it fails ---------------------------------------------------------------------- */

static const char *fuzz_fail_path = "fuzz-place.fail";

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Only what may be called when nothing can be relied on any more. */
static void fuzz_dump(void)
{
	FILE *file = fopen(fuzz_fail_path, "wb");

	if (!file)
		return;
	fwrite(fuzz_now.data, 1, fuzz_now.size, file);
	fclose(file);
	fprintf(stderr, "fuzz-place: the input is in %s\n", fuzz_fail_path);
}

static void fuzz_signal(int number)
{
	fprintf(stderr, "fuzz-place: %s\n", number == SIGALRM ? "this takes too long" : "abort");
	fuzz_dump();
	_exit(1);
}

static int fuzz_replay(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		fprintf(stderr, "fuzz-place: %s: %s\n", path, strerror(errno));
		return 2;
	}
	fuzz_now.size = fread(fuzz_now.data, 1, sizeof(fuzz_now.data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(fuzz_now.data, fuzz_now.size);
	printf("%s: no fault\n", path);
	return 0;
}

static void fuzz_plant(void)
{
	const char *seed;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fuzz_seeds); i++) {
		struct fuzz_input *input = &fuzz_corpus[fuzz_corpus_size++];

		seed = fuzz_seeds[i];
		memset(input->data, 0, 4);
		input->size = 4 + strlen(seed);
		memcpy(input->data + 4, seed, strlen(seed));
	}
}

int main(int argc, char **argv)
{
	unsigned long seconds = 10, seed = 1, runs = 0, limit = 0;
	const time_t start = time(NULL);
	int i;

	signal(SIGABRT, fuzz_signal);
	signal(SIGALRM, fuzz_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(fuzz_dump);
	for (i = 1; i < argc; i++) {
		if (i + 1 < argc && !strcmp(argv[i], "--seconds"))
			seconds = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--seed"))
			seed = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--runs"))
			limit = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--fail"))
			fuzz_fail_path = argv[++i];
		else
			return fuzz_replay(argv[i]);
	}
	fuzz_state = seed;
	fuzz_plant();
	while (limit ? runs < limit : time(NULL) - start < (time_t)seconds) {
		fuzz_next();
		alarm(FUZZ_HANG_SECONDS);
		LLVMFuzzerTestOneInput(fuzz_now.data, fuzz_now.size);
		fuzz_keep();
		runs++;
	}
	alarm(0);
	printf("fuzz-place: %lu inputs, seed %lu, %zu kinds of them kept, %ld s, no fault\n", runs,
	       seed, fuzz_corpus_size, (long)(time(NULL) - start));
	return 0;
}

#endif /* LOOM_LIBFUZZER */
