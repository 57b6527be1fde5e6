// SPDX-License-Identifier: MIT
/* Pictures of placements: XML whatever the names are, the same bytes each time, all items in it. */
#include "loom_core.h"
#include "loom_place_file.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "xml.h"

/* --- problems --------------------------------------------------------------------------- */

static char *draw(const struct loom_place_problem *problem, const struct loom_place_result *result,
		  const struct loom_place_svg_options *options)
{
	size_t size;
	char *text;
	int ret;

	ret = loom_place_svg(problem, result, options, &text, &size);
	if (ret)
		tap_fatal("a picture failed with %d", ret);
	if (strlen(text) != size)
		tap_fatal("a picture has a zero in it");
	return text;
}

static void test_names(void)
{
	static const char *const ids[] = {
		"plain", "a<b>&\"c\"'d'", "\xff\xfe\x80", "tab\there\n\x01",
		"\xed\xa0\x80\xef\xbf\xbf",
		"\xe2\x82\xac \xf0\x9f\x99\x82", "]]>", "\xe2\x82", "", "model/long/name/of/it",
	};
	struct loom_place_item items[ARRAY_SIZE(ids)] = { 0 };
	struct loom_place_problem problem = { .items = items, .num_items = ARRAY_SIZE(ids) };
	uint64_t offsets[ARRAY_SIZE(ids)], height = 100 * ARRAY_SIZE(ids);
	struct loom_place_result result = {
		.offsets = offsets, .height_bytes = &height, .bound_bytes = &height, .num_pools = 1,
	};
	struct loom_place_svg_options options = { .title = "\x02<&>\xff", .ids = ids };
	unsigned int i, count;
	char *text;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		items[i] = (struct loom_place_item){
			.size_bytes = 100, .lower = 0, .upper = 10,
		};
		offsets[i] = 100 * i;
	}
	text = draw(&problem, &result, &options);
	tap_ok(xml_valid(text, "title", &count) && count == ARRAY_SIZE(ids),
	       "whatever the names are, it is XML with all %zu items", ARRAY_SIZE(ids));
	tap_ok(strstr(text, ">a&lt;b&gt;&amp;\"c\"'d': 100 B (100) at 100 to 200, alive 0 to 10<"),
	       "a tooltip says it all");
	tap_ok(strstr(text, ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd: 100 B") &&
	       strstr(text, ">tab\xef\xbf\xbdhere\xef\xbf\xbd\xef\xbf\xbd: ") &&
	       strstr(text, ">\xe2\x82\xac \xf0\x9f\x99\x82: "),
	       "what XML may not have is replaced, what it may is kept");
	free(text);
}

static void test_shapes(void)
{
	static const struct loom_place_gap gaps[] = { { 2, 4, 0, 0 }, { 6, 8, 16, 32 } };
	const struct loom_place_item items[] = {
		{ .size_bytes = 64, .lower = 0, .upper = 10, .flags = LOOM_PLACE_FIXED,
		  .gaps = gaps, .num_gaps = 2 },
		{ .size_bytes = 64, .lower = 2, .upper = 4 },
		{ .size_bytes = 32, .lower = 3, .upper = 5,
		  .flags = LOOM_PLACE_ALIAS, .alias = 1, .alias_offset = 8 },
		{ .size_bytes = 8, .lower = 0, .upper = 1 },
	};
	const struct loom_place_pool pools[] = {
		{ .capacity_bytes = 128 }, { .capacity_bytes = 8 },
	};
	const struct loom_place_problem problem = {
		.items = items, .num_items = ARRAY_SIZE(items), .pools = pools, .num_pools = 2,
	};
	uint64_t offsets[] = { 0, 64, 72, 0 }, heights[] = { 128, 8 };
	uint32_t in_pools[] = { 0, 0, 0, 1 };
	const struct loom_place_result result = {
		.strategy = "exact", .offsets = offsets, .pools = in_pools, .height_bytes = heights,
		.bound_bytes = heights, .num_pools = 2, .proved = true,
	};
	struct loom_place_svg_options options = { .time = "node" };
	unsigned int count;
	size_t size;
	char *text;

	text = draw(&problem, &result, &options);
	tap_ok(xml_valid(text, "title", &count) && count == 3, "an item with gaps, and an alias");
	tap_ok(strstr(text, ">2 items, 128 B in all; height 128 B, lower bound 128 B") &&
	       strstr(text, ", capacity 128 B; by exact, proved optimal<"),
	       "the words above");
	tap_ok(strstr(text, ", fixed</title>") && strstr(text, ">node</text>"), "and elsewhere");
	/* three parts in full, a window, and dashes around them and around the alias */
	xml_valid(text, "rect", &count);
	tap_ok(count == 1 + 5 + 2 + 2 + 1, "every part is a rectangle, %u in all", count);
	free(text);

	options.pool = 1;
	text = draw(&problem, &result, &options);
	tap_ok(xml_valid(text, "title", &count) && count == 1 && strstr(text, ">3: 8 B (8)"),
	       "another pool");
	free(text);
	options.pool = 2;
	tap_ok(loom_place_svg(&problem, &result, &options, &text, &size) == -EINVAL && !text,
	       "a pool that there is not");
	offsets[0] = INT64_MAX - 63;
	options.pool = 0;
	tap_ok(loom_place_svg(&problem, &result, &options, &text, &size) == -ERANGE && !text,
	       "what ends past 63 bits");
}

static void test_extremes(void)
{
	const struct loom_place_item item = {
		.size_bytes = INT64_MAX, .lower = INT64_MIN, .upper = INT64_MAX,
	};
	struct loom_place_problem problem = { .items = &item, .num_items = 1 };
	uint64_t offset = 0, height = INT64_MAX;
	struct loom_place_result result = {
		.offsets = &offset, .height_bytes = &height, .bound_bytes = &height, .num_pools = 1,
	};
	unsigned int count;
	char *text;

	text = draw(&problem, &result, NULL);
	tap_ok(xml_valid(text, "title", &count) && count == 1 && strstr(text, ">6 EiB<"),
	       "as large and long as can be");
	free(text);
	problem.num_items = 0;
	height = 0;
	text = draw(&problem, &result, NULL);
	tap_ok(xml_valid(text, "title", &count) && !count, "nothing at all");
	free(text);
}

/* Sixty thousand items, and another language's decimal comma where there is one. */
static void test_many(void)
{
	const uint32_t count = 60000;
	struct loom_place_item *items = calloc(count, sizeof(*items));
	uint64_t *offsets = calloc(count, sizeof(*offsets)), height = 0;
	struct loom_place_problem problem = { .items = items, .num_items = count };
	struct loom_place_result result = {
		.offsets = offsets, .height_bytes = &height, .bound_bytes = &height, .num_pools = 1,
	};
	unsigned int titles;
	char *first, *second;
	uint32_t i;

	if (!items || !offsets)
		tap_fatal("no memory");
	for (i = 0; i < count; i++) {
		items[i] = (struct loom_place_item){
			.size_bytes = 1 + i * 7919ULL % 4096, .lower = i / 10, .upper = i / 10 + 1,
		};
		offsets[i] = i % 10 * 4096;
	}
	height = 40960;
	first = draw(&problem, &result, NULL);
	tap_ok(xml_valid(first, "title", &titles) && titles == count, "%u items", count);
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "C.UTF-8");
	second = draw(&problem, &result, NULL);
	tap_ok(!strcmp(first, second), "the same bytes each time");
	setlocale(LC_ALL, "C");
	free(first);
	free(second);
	free(items);
	free(offsets);
}

int main(void)
{
	test_names();
	test_shapes();
	test_extremes();
	test_many();
	return tap_end();
}
