// SPDX-License-Identifier: MIT
/*
 * MiniMalloc's CSV: reading, writing, and each possible fault with the line and column that its
 * message names.
 */
#include "loom_core.h"
#include "loom_place_file.h"
#include "place_item.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct loom_place_csv *read_text(const char *text, struct loom_error *err)
{
	struct loom_place_csv *csv;
	int ret;

	memset(err, 0, sizeof(*err));
	ret = loom_place_csv_parse(text, strlen(text), "f.csv", &csv, err);
	if (ret && csv)
		tap_fatal("a failure left a file behind");
	return csv;
}

/* --- what is read ----------------------------------------------------------------------- */

static void test_columns(void)
{
	struct loom_error err;
	struct loom_place_csv *csv = read_text("size,alignment,upper,gaps,id,offset,lower\n"
		"100,,9,,first,,0\n"
		"\n"
		"200,16,12,3-5 7-8@10:20,second one,32,-3\n", &err);
	const struct loom_place_item *items;

	if (!tap_ok(csv, "columns in any order, empty fields, a blank line")) {
		tap_note("%s", err.text);
		return;
	}
	items = csv->problem.items;
	tap_ok(csv->problem.num_items == 2 && !csv->problem.num_pools && !csv->num_unknown &&
	       !strcmp(csv->path, "f.csv"), "two items");
	tap_ok(!strcmp(csv->ids[0], "first") && csv->lines[0] == 2 && items[0].lower == 0 &&
	       items[0].upper == 9 && items[0].size_bytes == 100 && items[0].align_bytes == 1 &&
	       !item_is_fixed(&items[0]) && !item_is_alias(&items[0]) &&
	       !items[0].num_gaps, "an item with nothing special");
	tap_ok(!strcmp(csv->ids[1], "second one") && csv->lines[1] == 4 && items[1].lower == -3 &&
	       items[1].upper == 12 && items[1].size_bytes == 200 && items[1].align_bytes == 16 &&
	       items[1].fixed == 32, "an item with all of it");
	tap_ok(items[1].num_gaps == 2 && items[1].gaps[0].lower == 3 &&
	       items[1].gaps[0].upper == 5 && items[1].gaps[0].window_lower >=
	       items[1].gaps[0].window_upper &&
	       items[1].gaps[1].lower == 7 && items[1].gaps[1].upper == 8 &&
	       items[1].gaps[1].window_lower == 10 && items[1].gaps[1].window_upper == 20,
	       "gaps, the second with a window");
	loom_place_csv_free_offsets(csv);
	tap_ok(!item_is_fixed(&items[1]), "offsets are forgotten on demand");
	loom_place_csv_destroy(csv);
}

static void test_pools(void)
{
	static const char *const names[] = { "sram", "dram" };
	struct loom_error err;
	struct loom_place_csv *csv = read_text("id,lower,upper,size,pool,cost\n"
		"a,0,1,1,,\nb,0,1,1,\tdram  sram ,7\nc,0,1,1,dram,1\n", &err);
	uint32_t pools[] = { 1, 0, 1 };
	uint64_t offsets[] = { 0, 0, 1 };
	struct loom_place_result result = { .offsets = offsets, .pools = pools };
	const struct loom_place_item *items;
	size_t size;
	char *text;

	if (!tap_ok(csv, "columns pool and cost"))
		return;
	tap_ok(!strcmp(loom_place_csv_text(csv, 1, "pool"), "\tdram  sram ") &&
	       !loom_place_csv_text(csv, 1, "label"), "any field as text");
	items = csv->problem.items;
	tap_ok(items[0].weight == 1 && items[1].weight == 7 && !csv->num_unknown,
	       "costs, 1 where there is none");
	tap_ok(!loom_place_csv_set_pools(csv, names, 2, &err) && !items[0].pools &&
	       items[1].pools == 3 && items[2].pools == 2, "names become pools");
	tap_ok(!loom_place_csv_answer_pools(csv, &result, names, &text, &size) &&
	       !strcmp(text, "id,lower,upper,size,pool,cost,offset\n"
		       "a,0,1,1,dram,,0\nb,0,1,1,sram,7,0\nc,0,1,1,dram,1,1\n"),
	       "an answer names the pools");
	free(text);
	tap_ok(loom_place_csv_set_pools(csv, names, 1, &err) == -EINVAL &&
	       !strcmp(err.text, "f.csv:3: column 'pool': there is no pool 'dram  sram '"),
	       "a pool that there is not: %s", err.text);
	loom_place_csv_destroy(csv);
}

static void test_images(void)
{
	static const char text[] = "id,lower,upper,size,width,height,class\n"
		"a,0,2,4096,32,64,f16\nb,1,3,8192,64,64,f32\nc,2,4,4320,36,60,f16\nd,0,1,64,,,\n";
	struct loom_place_options options = { .strategy = "tokens-2d" };
	struct loom_place_result result;
	struct loom_place_csv *csv, *again;
	struct loom_error err;
	size_t size;
	char *out;

	csv = read_text(text, &err);
	if (!tap_ok(csv && !csv->num_unknown, "columns width, height and class"))
		return;
	tap_ok(csv->problem.items[2].width == 36 && csv->problem.items[2].height == 60 &&
	       !csv->problem.items[3].width, "images, and an item that is none");
	tap_ok(csv->problem.items[0].storage_class == csv->problem.items[2].storage_class &&
	       csv->problem.items[0].storage_class != csv->problem.items[1].storage_class &&
	       csv->problem.items[3].storage_class == 0, "classes by name");
	tap_ok(!loom_place(&csv->problem, &options, &result, NULL) && result.num_storages == 3 &&
	       result.storage_of[0] == result.storage_of[2] &&
	       result.storages[result.storage_of[0]].width == 36 &&
	       result.storages[result.storage_of[0]].height == 64,
	       "a storage for both images of a class, as wide and high as either");
	loom_place_result_free(&result);
	tap_ok(!loom_place_csv_format(&csv->problem, csv->ids, NULL, &out, &size), "written");
	again = read_text(out, &err);
	tap_ok(again && again->problem.items[1].width == 64 && !again->problem.items[3].width &&
	       again->problem.items[1].storage_class == csv->problem.items[1].storage_class,
	       "and read again: %s", out);
	free(out);
	loom_place_csv_destroy(again);
	loom_place_csv_destroy(csv);
	csv = read_text("id,lower,upper,size,width,height\na,0,1,9,3,\n", &err);
	tap_ok(!csv && !strcmp(err.text, "f.csv:2: an image has a width and a height"),
	       "no height: %s", err.text);
	csv = read_text("id,lower,upper,size,width,height\na,0,1,9,4294967296,4294967296\n", &err);
	tap_ok(!csv && strstr(err.text, "times the height does not fit in 63 bits"),
	       "too large: %s", err.text);
	csv = read_text("id,lower,upper,size,width,height\na,0,1,9,0,1\n", &err);
	tap_ok(!csv && strstr(err.text, "is not at least 1"), "no width: %s", err.text);
}

/* All of these are the item b with size 4 alive in [3, 9), but where it says so. */
static void test_spellings(void)
{
	static const char *const same[] = {
		"id,lower,upper,size\nb,3,9,4\n",
		"id,lower,upper,size\nb,3,9,4",
		"id,lower,upper,size\r\nb,3,9,4\r\n",
		"id,lower,upper,size\r\nb,3,9,4\r",
		"\xef\xbb\xbfid,lower,upper,size\nb,3,9,4\n",
		"\n\n  \t\nid,lower,upper,size\n\t\nb,3,9,4\n\n\r\n",
		"buffer,begin,upper,size\nb,3,9,4\n",
		"buffer_id,start,end,size\nb,3,8,4\n",
		" id , lower,upper\t,size\nb, 3,9 ,\t4\n",
		"\"id\",\"lower\",\"upper\",\"size\"\n\"b\",\"3\",\"9\",\"4\"\n",
		"id,lower,upper,size,hint\nb,+3,0009,4,-1\n",
	};
	struct loom_place_csv *csv;
	struct loom_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		csv = read_text(same[i], &err);
		if (!tap_ok(csv && csv->problem.num_items == 1 && !strcmp(csv->ids[0], "b") &&
			    csv->problem.items[0].lower == 3 && csv->problem.items[0].upper == 9 &&
			    csv->problem.items[0].size_bytes == 4, "spelling %zu", i))
			tap_note("%s", csv ? csv->ids[0] : err.text);
		loom_place_csv_destroy(csv);
	}
}

static void test_read(void)
{
	struct loom_place_csv *csv;
	struct loom_error err;

	csv = read_text("id,end,start,size,gaps\na,9,0,4,3-5\n", &err);
	tap_ok(csv && csv->problem.items[0].upper == 10 && csv->problem.items[0].gaps[0].upper == 6,
	       "'end' is the last moment, in gaps, too");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size\n\"a \"\"b\"\", c\nd\",0,1,1\nx,0,1,1\n", &err);
	tap_ok(csv && !strcmp(csv->ids[0], "a \"b\", c\nd") && csv->lines[0] == 2 &&
	       csv->lines[1] == 4, "quotes, commas and a new line in an id; lines are counted on");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size,colour,alignmnet\na,0,1,1,red,64\n", &err);
	tap_ok(csv && csv->num_unknown == 2 && !strcmp(csv->unknown[0], "colour") &&
	       !strcmp(csv->unknown[1], "alignmnet") && csv->problem.items[0].align_bytes == 1,
	       "columns that mean nothing are named");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size\n", &err);
	tap_ok(csv && !csv->problem.num_items, "a header alone is a problem without items");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size,gaps\na,-9,-1,0,-8--6 -3--2@0:0\n", &err);
	tap_ok(csv && csv->problem.items[0].gaps[0].lower == -8 &&
	       csv->problem.items[0].gaps[0].upper == -6, "moments before 0; a size of 0");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size\n"
		"a,-9223372036854775808,9223372036854775807,9223372036854775807\n", &err);
	tap_ok(csv && csv->problem.items[0].lower == INT64_MIN &&
	       csv->problem.items[0].upper == INT64_MAX &&
	       csv->problem.items[0].size_bytes == INT64_MAX, "the largest numbers there are");
	loom_place_csv_destroy(csv);

	csv = read_text("id,lower,upper,size\na,0,5,9223372036854775807\n"
		"b,5,9,9223372036854775807\n", &err);
	tap_ok(csv, "sizes may be large where they do not meet");
	loom_place_csv_destroy(csv);
}

/* --- what comes out --------------------------------------------------------------------- */

static void answers(const char *name, const char *text, const uint64_t *offsets, const char *want)
{
	struct loom_error err;
	struct loom_place_csv *csv = read_text(text, &err);
	char *got = NULL;
	size_t size = 0;

	if (!tap_ok(csv && !loom_place_csv_answer(csv, offsets, &got, &size) &&
		    size == strlen(want) && !memcmp(got, want, size), "answer: %s", name))
		tap_note("%s", got ? got : err.text);
	free(got);
	loom_place_csv_destroy(csv);
}

static void test_answer(void)
{
	static const uint64_t offsets[] = { 8, 0 };

	answers("a column more", "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n", offsets,
		"id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,4,0\n");
	answers("a column filled in",
		"id,offset,lower,upper,size\nb1,,0,3,4\nb2,0,3,9,4\n", offsets,
		"id,offset,lower,upper,size\nb1,8,0,3,4\nb2,0,3,9,4\n");
	answers("line ends as they were, blank lines gone",
		"id,lower,upper,size\r\nb1,0,3,4\r\n\r\nb2,3,9,4", offsets,
		"id,lower,upper,size,offset\r\nb1,0,3,4,8\r\nb2,3,9,4,0\r\n");
	answers("the rest as it was, quotes where they are needed",
		"id,start,end,size,gaps,what,\"is, it\"\n"
		"\"a,\"\"b\"\"\",0,2,4,\"1-1\",\"\", x\nc,3,8,+4,5-6@1:2,y,\"z\nz\"\n", offsets,
		"id,start,end,size,gaps,what,\"is, it\",offset\n"
		"\"a,\"\"b\"\"\",0,2,4,1-1,,\" x\",8\nc,3,8,+4,5-6@1:2,y,\"z\nz\",0\n");
}

static bool same_problem(const struct loom_place_problem *a, const struct loom_place_problem *b)
{
	uint32_t i, j;

	if (a->num_items != b->num_items)
		return false;
	for (i = 0; i < a->num_items; i++) {
		const struct loom_place_item *x = &a->items[i], *y = &b->items[i];

		if (x->size_bytes != y->size_bytes || x->align_bytes != y->align_bytes ||
		    x->lower != y->lower || x->upper != y->upper || x->flags != y->flags ||
		    x->fixed != y->fixed ||
		    x->num_gaps != y->num_gaps)
			return false;
		for (j = 0; j < x->num_gaps; j++)
			if (memcmp(&x->gaps[j], &y->gaps[j], sizeof(x->gaps[j])))
				return false;
	}
	return true;
}

static void test_format(void)
{
	static const struct loom_place_gap gaps[] = { { -2, 1, 0, 0 }, { 3, 4, 16, 32 } };
	static const struct loom_place_item items[] = {
		{ .size_bytes = 64, .align_bytes = 1, .lower = 0, .upper = 3 },
		{ .size_bytes = INT64_MAX / 2, .align_bytes = 4096, .lower = -5, .upper = 9,
		  .gaps = gaps, .num_gaps = 2 },
		{ .size_bytes = 7, .align_bytes = 1, .lower = 1, .upper = 2,
		  .flags = LOOM_PLACE_FIXED, .fixed = 128 },
		{ .size_bytes = 0, .align_bytes = 1, .lower = 1, .upper = 2 },
	};
	static const struct loom_place_problem problem = { .items = items, .num_items = 4 };
	static const char *const ids[] = { "a,b", "twice", "twice", "twice#1" };
	static const char *const want = "id,lower,upper,size,alignment,gaps,offset\n"
		"\"a,b\",0,3,64,1,,\n"
		"twice#1,-5,9,4611686018427387903,4096,-2-1 3-4@16:32,\n"
		"twice#2,1,2,7,1,,128\n"
		"twice#1#3,1,2,0,1,,\n";
	static const uint64_t offsets[] = { 1, 4096, 128, 5 };
	struct loom_place_csv *csv;
	struct loom_error err;
	char *text = NULL;
	size_t size;

	if (!tap_ok(!loom_place_csv_format(&problem, ids, NULL, &text, &size) &&
		    size == strlen(want) && !strcmp(text, want), "a problem as a file"))
		tap_note("%s", text);
	csv = read_text(text, &err);
	tap_ok(csv && same_problem(&problem, &csv->problem), "which reads as the same problem");
	loom_place_csv_destroy(csv);
	free(text);

	tap_ok(!loom_place_csv_format(&problem, NULL, offsets, &text, &size) &&
	       strstr(text, "\n3,1,2,0,1,,5\n"), "numbers for ids, and with offsets");
	csv = read_text(text, &err);
	tap_ok(csv && csv->problem.items[1].fixed == 4096, "which read as fixed");
	loom_place_csv_destroy(csv);
	free(text);
}

/* --- what is wrong ---------------------------------------------------------------------- */

static const struct {
	const char *text;
	int code;
	const char *want;
} wrong[] = {
	{ "", -EINVAL, "f.csv: is empty; its first line should be id,lower,upper,size" },
	{ " \t\n\r\n", -EINVAL, "f.csv: is empty; its first line should be id,lower,upper,size" },
	{ "\nid,lower,size\n", -EINVAL, "f.csv:2: there is no column 'upper'" },
	{ "buffer,end,size\n", -EINVAL, "f.csv:1: there is no column 'lower'" },
	{ "lower,upper,size\n", -EINVAL, "f.csv:1: there is no column 'id'" },
	{ "id,lower,upper\n", -EINVAL, "f.csv:1: there is no column 'size'" },
	{ "id,lower,upper,size,start\n", -EINVAL,
	  "f.csv:1: columns 'lower' and 'start' are the same one twice" },
	{ "id,lower,upper,size\na,0,1\n", -EINVAL, "f.csv:2: there are 3 fields under 4 columns" },
	{ "id,lower,upper,size\na,0,1,1\n\nb,0,1,1,1\n", -EINVAL,
	  "f.csv:4: there are 5 fields under 4 columns" },
	{ "id,lower,upper,size\n,0,1,1\n", -EINVAL, "f.csv:2: column 'id': '' is no name" },
	{ "id,lower,upper,size\na,0,one,1\n", -EINVAL,
	  "f.csv:2: column 'upper': 'one' is not a whole number" },
	{ "id,lower,end,size\na,0,1.5,1\n", -EINVAL,
	  "f.csv:2: column 'end': '1.5' is not a whole number" },
	{ "id,lower,upper,size\na,,1,1\n", -EINVAL,
	  "f.csv:2: column 'lower': '' is not a whole number" },
	{ "id,lower,upper,size\na,0,1,0x10\n", -EINVAL,
	  "f.csv:2: column 'size': '0x10' is not a whole number" },
	{ "id,lower,upper,size\na,0,1,-4\n", -EINVAL, "f.csv:2: column 'size': '-4' is negative" },
	{ "id,lower,upper,size\na,0,1,9223372036854775808\n", -ERANGE,
	  "f.csv:2: column 'size': '9223372036854775808' does not fit in 63 bits" },
	{ "id,lower,upper,size\na,-9223372036854775809,1,1\n", -ERANGE,
	  "f.csv:2: column 'lower': '-9223372036854775809' does not fit in 63 bits" },
	{ "id,lower,end,size\na,0,9223372036854775807,1\n", -ERANGE,
	  "f.csv:2: column 'end': '9223372036854775807' does not fit in 63 bits" },
	{ "id,lower,upper,size\na,0,1,1\nb,9,5,1\n", -EINVAL,
	  "f.csv:3: the lifetime of 'b' ends before it starts: 'upper' is 5, 'lower' is 9" },
	{ "id,lower,upper,size\nb,5,5,1\n", -EINVAL,
	  "f.csv:2: the lifetime of 'b' is empty: 'upper' is 5, 'lower' is 5" },
	{ "id,start,end,size\nb,5,4,1\n", -EINVAL,
	  "f.csv:2: the lifetime of 'b' ends before it starts: 'end' is 4, 'start' is 5" },
	{ "id,lower,upper,size,alignment\na,0,1,1,0\n", -EINVAL,
	  "f.csv:2: column 'alignment': '0' is not at least 1" },
	{ "id,lower,upper,size,alignment\na,0,1,1,x\n", -EINVAL,
	  "f.csv:2: column 'alignment': 'x' is not a whole number" },
	{ "id,lower,upper,size,hint\na,0,1,1,x\n", -EINVAL,
	  "f.csv:2: column 'hint': 'x' is not a whole number" },
	{ "id,lower,upper,size,offset\na,0,1,1,-1\n", -EINVAL,
	  "f.csv:2: column 'offset': '-1' is negative" },
	{ "id,lower,upper,size,alignment,offset\na,0,1,1,64,96\n", -EINVAL,
	  "f.csv:2: column 'offset': '96' is not a multiple of the alignment" },
	{ "id,lower,upper,size,offset\na,0,1,8,9223372036854775800\n", -ERANGE,
	  "f.csv:2: column 'offset': '9223372036854775800' plus the size does not fit in 63 bits" },
	{ "id,lower,upper,size,gaps\na,2,9,1,1-3\n", -EINVAL,
	  "f.csv:2: column 'gaps': '1-3' has a gap outside of the lifetime" },
	{ "id,lower,upper,size,gaps\na,2,9,1,8-10\n", -EINVAL,
	  "f.csv:2: column 'gaps': '8-10' has a gap outside of the lifetime" },
	{ "id,lower,upper,size,gaps\na,2,9,1,5-6 3-4\n", -EINVAL,
	  "f.csv:2: column 'gaps': '5-6 3-4' has gaps that overlap or are not in order" },
	{ "id,lower,upper,size,gaps\na,2,9,1,3-5 4-6\n", -EINVAL,
	  "f.csv:2: column 'gaps': '3-5 4-6' has gaps that overlap or are not in order" },
	{ "id,lower,upper,size,gaps\na,2,9,1,5-4\n", -EINVAL,
	  "f.csv:2: column 'gaps': '5-4' has a gap that ends before it starts" },
	{ "id,lower,upper,size,gaps\na,2,9,4,3-4@2:5\n", -EINVAL,
	  "f.csv:2: column 'gaps': '3-4@2:5' has a window that is not within the item" },
	{ "id,lower,upper,size,gaps\na,2,9,4,3-4@3:2\n", -EINVAL,
	  "f.csv:2: column 'gaps': '3-4@3:2' has a window that is not within the item" },
	{ "id,lower,upper,size,gaps\na,2,9,4,3\n", -EINVAL,
	  "f.csv:2: column 'gaps': '3' is not a list of gaps: a-b or a-b@x:y" },
	{ "id,lower,upper,size,gaps\na,2,9,4,1-2-3\n", -EINVAL,
	  "f.csv:2: column 'gaps': '1-2-3' is not a list of gaps: a-b or a-b@x:y" },
	{ "id,lower,upper,size,gaps\na,2,9,4,3-4@1\n", -EINVAL,
	  "f.csv:2: column 'gaps': '3-4@1' is not a list of gaps: a-b or a-b@x:y" },
	{ "id,lower,upper,size,gaps\na,2,9,4,3-9999999999999999999\n", -ERANGE,
	  "f.csv:2: column 'gaps': '3-9999999999999999999' has a number that does not fit in 63 bits"
	},
	{ "id,lower,upper,size\nx,0,1,1\na,0,1,1\nb,0,1,1\na,1,2,1\nb,1,2,1\n", -EINVAL,
	  "f.csv:5: the id 'a' is that of line 3" },
	{ "id,lower,upper,size\na,0,9,9223372036854775807\nb,9,10,5\nc,3,4,1\n", -ERANGE,
	  "f.csv:4: with 'c' the sum of what is alive does not fit in 63 bits" },
	{ "id,lower,upper,size\n\"a\nb,0,1,1\n", -EINVAL,
	  "f.csv:2: a quote is opened and never closed" },
	{ "id,lower,upper,size\n\"a\"b,0,1,1\n", -EINVAL,
	  "f.csv:2: there is text behind a closing quote" },
	{ "id,lower,upper,size\n\"a\nb\",9,1,1\n", -EINVAL,
	  "f.csv:2: the lifetime of 'a?b' ends before it starts: 'upper' is 1, 'lower' is 9" },
	{ "id,lower,upper,size\nA very long name that goes on and on and on and on,0,1,1\n"
	  "A very long name that goes on and on and on and on,2,3,1\n", -EINVAL,
	  "f.csv:3: the id 'A very long name that goes on and on and on ...' is that of line 2" },
};

static void test_wrong(void)
{
	struct loom_place_csv *csv;
	struct loom_error err;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		ret = loom_place_csv_parse(wrong[i].text, strlen(wrong[i].text), "f.csv", &csv,
					   &err);
		if (!tap_ok(ret == wrong[i].code && !csv && !strcmp(err.text, wrong[i].want), "%s",
			    wrong[i].want))
			tap_note("%d: %s", ret, err.text);
		if (!ret)
			loom_place_csv_destroy(csv);
	}
	ret = loom_place_csv_parse("id\n,\0", 5, "f.csv", &csv, &err);
	tap_ok(ret == -EINVAL &&
	       !strcmp(err.text, "f.csv:2: there is a zero byte: this is no text"),
	       "%s", err.text);
	ret = loom_place_csv_load("/nowhere/f.csv", &csv, &err);
	tap_ok(ret == -ENOENT && !strcmp(err.text, "/nowhere/f.csv: No such file or directory"),
	       "%s", err.text);
	ret = loom_place_csv_load("/", &csv, &err);
	tap_ok(ret == -EISDIR && !strcmp(err.text, "/: cannot be read: Is a directory"), "%s",
	       err.text);
	tap_ok(loom_place_csv_parse("x", 1, "f.csv", &csv, NULL) == -EINVAL,
	       "nobody has to read a message");
}

/* --- what the placer says, in lines ----------------------------------------------------- */

static void explains(const char *text, uint64_t capacity, int code, const char *want)
{
	struct loom_place_pool pool = { .capacity_bytes = capacity };
	struct loom_place_options options = { .fit_only = true };
	struct loom_error err;
	struct loom_place_csv *csv = read_text(text, &err);
	struct loom_place_result result;
	struct loom_place_problem problem;
	struct loom_place_fault fault;
	int ret;

	if (!csv) {
		tap_ok(false, "%s: %s", want, err.text);
		return;
	}
	problem = csv->problem;
	problem.pools = &pool;
	problem.num_pools = 1;
	ret = loom_place(&problem, &options, &result, &fault);
	loom_place_csv_explain(csv, &problem, ret, &fault, &err);
	if (!tap_ok(ret == code && !strcmp(err.text, want), "%s", want))
		tap_note("%d: %s", ret, err.text);
	loom_place_result_free(&result);
	loom_place_csv_destroy(csv);
}

static void test_explain(void)
{
	static const char *const tight = "id,lower,upper,size\n"
		"a,0,10,400\nb,3,8,500\nc,7,9,200\nd,12,20,1000\n";
	struct loom_place_fault fault = { 1, 0, 0, 0, "they share bytes" };
	struct loom_place_csv *csv;
	struct loom_error err;

	explains(tight, 1000, -ENOSPC,
		 "f.csv: a capacity of 1000 bytes falls short by 100: at least 1100 are needed, which are alive at 7");
	csv = read_text(tight, &err);
	loom_place_csv_explain(csv, &csv->problem, -EINVAL, &fault, &err);
	tap_ok(!strcmp(err.text, "f.csv:3: 'b' and 'a' on line 2: they share bytes"), "%s",
	       err.text);
	fault.second = LOOM_PLACE_NONE;
	loom_place_csv_explain(csv, &csv->problem, -EINVAL, &fault, &err);
	tap_ok(!strcmp(err.text, "f.csv:3: 'b': they share bytes"), "%s", err.text);
	fault.first = LOOM_PLACE_NONE;
	loom_place_csv_explain(csv, &csv->problem, -EINVAL, &fault, &err);
	tap_ok(!strcmp(err.text, "f.csv: they share bytes"), "%s", err.text);
	loom_place_csv_destroy(csv);
}

/* Files from the fuzzer that a strategy had a wrong answer to. */
static void test_fuzzed(void)
{
	static const char *const texts[] = {
		/* nothing below a fixed item, which then was nowhere */
		"id,lower,upper,size,offset\na,0,4,10,0\nb,2,6,10,10\nc,5,9,1,5\nd,5,9,7,\n",
		/* never there: there was nothing to be sorted */
		"id,lower,upper,size,gaps,alignment\na,0,4,10,0-4,7\nb,0,4,10,,1\n",
	};
	struct loom_place_options options = { .budget = 32 };
	struct loom_place_result result;
	struct loom_place_fault fault;
	struct loom_place_csv *csv;
	struct loom_error err;
	unsigned int i, k, fit, wrong_ones;
	int ret;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		csv = read_text(texts[i], &err);
		wrong_ones = 0;
		for (k = 0; loom_place_strategy_name(k); k++) {
			options.strategy = loom_place_strategy_name(k);
			for (fit = 0; fit < 2; fit++) {
				options.fit_only = fit;
				ret = loom_place(&csv->problem, &options, &result, &fault);
				if (!ret && loom_place_check(&csv->problem, result.offsets, NULL,
							     &fault)) {
					tap_note("%s: %s", options.strategy, fault.text);
					wrong_ones++;
				}
				loom_place_result_free(&result);
			}
		}
		tap_ok(k && !wrong_ones, "file %u of the fuzzer, by every strategy", i);
		loom_place_csv_destroy(csv);
	}
}

int main(void)
{
	test_columns();
	test_pools();
	test_images();
	test_spellings();
	test_read();
	test_answer();
	test_format();
	test_wrong();
	test_explain();
	test_fuzzed();
	return tap_end();
}
