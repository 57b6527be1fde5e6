// SPDX-License-Identifier: MIT
/*
 * The default strategy is never above a strategy by name that fits its budget in work, whatever the
 * alignments.
 */
#include "place_mixed.h"
#include "tap.h"

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

/* By begin, end, size and alignment: the order of items that begin at the same moment. */
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

		/* it needs operators */
		if (!strcmp(name, "gmem") || height <= height_of(&made, name))
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

int main(void)
{
	unsigned int align;

	for (align = 0; align < MIXED_ALIGNS; align++)
		test_names(align);
	test_many_names();
	return tap_end();
}
