// SPDX-License-Identifier: MIT
/*
 * Where alignments differ, the default strategy is never above a greedy order of any kind: by what
 * is large, long, broad, early or late, with what is aligned to most first or not, forward and
 * backward in time, into the first gap or the tightest. The orders are written here again
 * (place_orders.h), and share nothing with the library. And it is never above a strategy by name
 * that fits its budget in work, whatever the alignments.
 */
#include "place_mixed.h"
#include "place_orders.h"
#include "tap.h"

/* The least height of all ways, and the way. */
static uint64_t find_best(const struct place_made *made, struct orders_way *best)
{
	struct orders_way way = { 0 };
	uint64_t least = UINT64_MAX;
	struct orders orders;

	orders_init(&orders, made->items, made->num_items);
	do {
		uint64_t height = orders_run(&orders, way);

		if (height < least) {
			least = height;
			*best = way;
		}
	} while (orders_next(&way));
	orders_fini(&orders);
	return least;
}

/* Whether the answer is a placement, and not above @least. */
static bool is_lower(const struct place_made *made, uint64_t budget, uint64_t least)
{
	const struct loom_place_problem problem = {
		.items = made->items, .num_items = made->num_items,
	};
	const struct loom_place_options how = { .budget = budget };
	struct loom_place_result result;
	struct loom_place_fault fault;
	bool good;

	if (loom_place(&problem, &how, &result, &fault))
		tap_fatal("%s", fault.text);
	good = !loom_place_check(&problem, result.offsets, result.pools, &fault);
	if (!good)
		tap_note("%s", fault.text);
	if (result.height_bytes[0] > least)
		good = false;
	loom_place_result_free(&result);
	return good;
}

/* All sizes and lifetimes with these alignments. */
static void test_orders(enum mixed_align align, uint32_t items, uint64_t first, unsigned int seeds)
{
	unsigned int size, life, k, bad = 0;

	for (size = 0; size < MIXED_SIZES; size++) {
		for (life = 0; life < MIXED_LIVES; life++) {
			for (k = 0; k < seeds; k++) {
				struct place_made made = mixed_make((struct mixed_form){
					align, size, life, items, first + k,
				});
				struct orders_way way = { 0 };
				uint64_t least = find_best(&made, &way);

				/* with more it is never worse, which place/rewriting asserts */
				if (!is_lower(&made, 1, least) && !is_lower(&made, 0, least)) {
					tap_note("%s, %s, seed %llu: %llu bytes by %s, %s%s%s",
						 mixed_size_names[size], mixed_life_names[life],
						 (unsigned long long)(first + k),
						 (unsigned long long)least,
						 orders_rules[way.rule].name,
						 orders_fit_names[way.fit],
						 way.aligned ? ", most aligned first" : "",
						 way.backward ? ", backward" : "");
					bad++;
				}
				free(made.items);
			}
		}
	}
	tap_ok(!bad, "%s: %u items are never above a greedy order", mixed_align_names[align],
	       items);
}

/* Of a strategy by name. A search that is cut off at one node leaves the greedy runs alone. */
static uint64_t height_of(const struct place_made *made, const char *name)
{
	const struct loom_place_problem problem = {
		.items = made->items, .num_items = made->num_items,
	};
	const struct loom_place_options how = { .strategy = name, .budget = 1 };
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t height;

	if (loom_place(&problem, &how, &result, &fault))
		tap_fatal("%s: %s", name ? name : "auto", fault.text);
	height = result.height_bytes[0];
	loom_place_result_free(&result);
	return height;
}

/* By begin, length, size and alignment: what begins at one moment is taken in this order. */
static int compare_items(const void *a, const void *b)
{
	const struct loom_place_item *x = a, *y = b;

	if (x->lower != y->lower)
		return x->lower < y->lower ? -1 : 1;
	if (x->upper != y->upper)
		return x->upper < y->upper ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return (x->align_bytes > y->align_bytes) - (x->align_bytes < y->align_bytes);
}

/* How many strategies by name are below the default, though they fit its budget. */
static unsigned int count_lower(struct mixed_form form, bool plain)
{
	struct place_made made = mixed_make(form);
	unsigned int count = 0, k;
	uint64_t height;

	for (k = 0; k < form.items && plain; k++)
		made.items[k].align_bytes = 1;
	/* a strategy by name takes ties as they are, the default in a canonical order */
	qsort(made.items, made.num_items, sizeof(*made.items), compare_items);
	height = height_of(&made, NULL);
	for (k = 0; loom_place_strategy_name(k); k++) {
		const char *name = loom_place_strategy_name(k);

		/* the one needs operators, the other is for fewer items */
		if (!strcmp(name, "gmem") || (form.items > 200 && !strcmp(name, "hill-climb")) ||
		    height <= height_of(&made, name))
			continue;
		tap_note("%s, %s: %s is lower", mixed_size_names[form.size],
			 mixed_life_names[form.life], name);
		count++;
	}
	free(made.items);
	return count;
}

static void test_names(enum mixed_align align)
{
	struct mixed_form form = { .align = align, .items = 60, .seed = 3 };
	unsigned int bad = 0;

	for (form.size = 0; form.size < MIXED_SIZES; form.size++)
		for (form.life = 0; form.life < MIXED_LIVES; form.life++)
			bad += count_lower(form, false) + count_lower(form, true);
	tap_ok(!bad, "%s: 60 items are never above a strategy by name", mixed_align_names[align]);
}

/* So many pairs that not all strategies were tried; of each, another one is the lowest. */
static void test_many_names(void)
{
	tap_ok(!count_lower((struct mixed_form){
		MIXED_PAGES, MIXED_SKEWED, MIXED_STACK, 7000, 2,
	}, true), "nor are 7000 of a stack");
	tap_ok(!count_lower((struct mixed_form){
		MIXED_PAGES, MIXED_BIMODAL, MIXED_LONG, 7000, 2,
	}, true), "nor are 7000 of two sizes");
}

/* The orders themselves: worked by hand. */
static void test_by_hand(void)
{
	/*
	 * By size: 0 (60) at 0, 1 (50) does not overlap it: 0. 2 (30) overlaps both: 60. 3 (10, at
	 * multiples of 64) overlaps 1 and 2: first fit is behind 50 and 60 to 90, so 128, of which
	 * the top is 138. With the largest alignment first, 3 is at 0, 1 at 10, 0 at 0, and 2 at
	 * 60: 90.
	 */
	static const struct loom_place_item items[] = {
		{ .size_bytes = 60, .align_bytes = 1, .lower = 0, .upper = 2 },
		{ .size_bytes = 50, .align_bytes = 1, .lower = 2, .upper = 4 },
		{ .size_bytes = 30, .align_bytes = 1, .lower = 0, .upper = 4 },
		{ .size_bytes = 10, .align_bytes = 64, .lower = 2, .upper = 4 },
	};
	struct orders orders;
	uint64_t plain, aligned;

	orders_init(&orders, items, 4);
	plain = orders_run(&orders, (struct orders_way){ 0 });
	aligned = orders_run(&orders, (struct orders_way){ .aligned = true });
	orders_fini(&orders);
	tap_ok(plain == 138 && aligned == 90, "an order by size, and by alignment first");
}

int main(void)
{
	unsigned int align;

	test_by_hand();
	for (align = 0; align < MIXED_ALIGNS; align++)
		test_orders(align, 50, 1, 1);
	for (align = 0; align < MIXED_ALIGNS; align++)
		test_orders(align, 120, 2, 1);
	for (align = 0; align < MIXED_ALIGNS; align++)
		test_names(align);
	test_many_names();
	return tap_end();
}
