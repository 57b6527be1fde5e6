// SPDX-License-Identifier: MIT
/*
 * The rules of the text's planner, against examples worked out by hand: rows walked back through
 * operators, halos that are too much, when weights come and go, the order of places, N before H,
 * groups from the tail.
 */
#include "list.h"

#include <errno.h>

static float numbers[1 << 16];

/**
 * struct chain - a graph that is a chain
 * @test: the graph
 * @c: it as a list
 * @depth: values so far
 * @last: name of the last one
 */
struct chain {
	struct test_case test;
	struct list_case c;
	uint32_t depth;
	char last[8];
};

static void chain_begin(struct chain *chain, const int64_t *dims)
{
	memset(chain, 0, sizeof(*chain));
	case_begin(&chain->test, 7, 14);
	snprintf(chain->last, sizeof(chain->last), "v0");
	input(&chain->test, "v0", DRM_LOOM_DTYPE_F32, 4, dims);
}

/* The next operator; its operands are the last value and what @more names. */
static void chain_node(struct chain *chain, const char *op, const char *more)
{
	char operands[64];

	snprintf(operands, sizeof(operands), "%s%s%s", chain->last, *more ? " " : "", more);
	snprintf(chain->last, sizeof(chain->last), "v%u", ++chain->depth);
	node(&chain->test, op, operands, chain->last);
}

static void chain_conv(struct chain *chain, const char *op, int64_t in, int64_t out, int64_t k,
		       int64_t kw, int64_t s, int64_t d, int64_t pad)
{
	bool back = !strcmp(op, "ConvTranspose");
	struct loom_array w = {
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 4, .data = numbers,
		.dims = { back ? in : out, back ? out : in, k, kw },
		.size_bytes = (size_t)(in * out * k * kw) * sizeof(float),
	};
	char name[12];

	snprintf(name, sizeof(name), "w%u", chain->depth);
	w.name = name;
	loom_graph_add_const(chain->test.graph, &w);
	attr_ints(&chain->test, "strides", 2, (int64_t[]){ s, 1 });
	attr_ints(&chain->test, "dilations", 2, (int64_t[]){ d, 1 });
	attr_ints(&chain->test, "pads", 4, (int64_t[]){ pad, kw / 2, pad, kw / 2 });
	chain_node(chain, op, name);
}

static void chain_pool(struct chain *chain, int64_t k, int64_t s, int64_t pad)
{
	attr_ints(&chain->test, "strides", 2, (int64_t[]){ s, 1 });
	attr_ints(&chain->test, "pads", 4, (int64_t[]){ pad, 0, pad, 0 });
	attr_ints(&chain->test, "kernel_shape", 2, (int64_t[]){ k, 1 });
	chain_node(chain, "MaxPool", "");
}

static void chain_finish(struct chain *chain, const struct loom_slice_limits *sram)
{
	loom_graph_add_output(chain->test.graph, chain->last);
	case_finish(&chain->test);
	list_begin(&chain->c, chain->test.graph, sram);
}

static void chain_end(struct chain *chain)
{
	list_end(&chain->c);
	free_case(&chain->test);
}

static const struct loom_slice_limits roomy = {
	.lanes = 1, .bytes = 1 << 22, .align_bytes = 16, .overlap = true,
};

/* All of it, in @slices slices of H. */
static struct loom_group *slice_chain(struct chain *chain, u32 slices)
{
	struct loom_group *group = chain->c.group;
	u32 i;

	loom_group_begin_recompute(group, 0, slices, 1, 2);
	group->rules = &loom_group_text_rules;
	group->overlap = true;
	for (i = 0; i < chain->c.list.num_units; i++)
		if (!loom_group_append(group))
			tap_fatal("unit %u cannot be in a group", i);
	loom_group_set_residents(group, 0, 0);
	if (loom_group_schedule(group))
		tap_fatal("no steps");
	return group;
}

static struct loom_group_root *root_of(struct loom_group *group, const char *name)
{
	u32 i;

	for (i = 0; i < group->num_roots; i++) {
		u32 value = group->roots[i].value;

		if (!strcmp(group->list->lower->graph->values[value]->name, name))
			return &group->roots[i];
	}
	tap_fatal("there is no %s", name);
	return NULL;
}

/**
 * struct backward - an operator and its formula
 * @op: its name
 * @k: window
 * @s: stride, or scale
 * @d: dilation
 * @pad: before and behind
 */
struct backward {
	const char *op;
	int64_t k;
	int64_t s;
	int64_t d;
	int64_t pad;
};

/* BackwardH of the text, clipped at the ends: rows [@lo, @hi) of @h for @o from @i. */
static void by_formula(const struct backward *b, int64_t h, int64_t i, int64_t o, int64_t *lo,
		       int64_t *hi)
{
	int64_t reach = (b->k - 1) * b->d + 1, pt = reach - b->pad - 1;

	if (!strcmp(b->op, "Conv")) {
		*lo = i * b->s - b->pad;
		*hi = *lo + (o - 1) * b->s + (reach > b->s ? reach : b->s);
	} else if (!strcmp(b->op, "MaxPool")) {
		*lo = i * b->s - b->pad;
		*hi = *lo + (o - 1) * b->s + b->k;
	} else if (!strcmp(b->op, "Resize")) {
		*lo = i / b->s;
		*hi = (i + o + b->s - 1) / b->s;
	} else {
		*lo = i - pt > 0 ? (i - pt + b->s - 1) / b->s : 0;
		*hi = (i + o + reach - 2 - pt) / b->s + 1;
	}
	*lo = *lo > 0 ? *lo : 0;
	*hi = *hi < h ? *hi : h;
}

static void add_backward(struct chain *chain, const struct backward *b, int64_t h)
{
	if (!strcmp(b->op, "MaxPool")) {
		chain_pool(chain, b->k, b->s, b->pad);
	} else if (!strcmp(b->op, "Resize")) {
		ints(&chain->test, "sizes", 4, (int64_t[]){ 1, 2, h * b->s, 5 });
		attr_string(&chain->test, "mode", "nearest");
		attr_string(&chain->test, "coordinate_transformation_mode", "asymmetric");
		attr_string(&chain->test, "nearest_mode", "floor");
		chain_node(chain, "Resize", "- - sizes");
	} else {
		chain_conv(chain, b->op, 2, 3, b->k, 3, b->s, b->d, b->pad);
	}
}

/* Rows that a slice asks for are the formula's; @more at each end are no harm. */
static void test_backward(const struct backward *b, int64_t more)
{
	const int64_t h = 37, dims[4] = { 1, 2, h, 5 };
	struct loom_group *group;
	struct chain chain;
	u32 slices, slice, right = 0, count = 0;
	int64_t lo, hi;
	u64 out_lo, out_hi, in_lo, in_hi;

	chain_begin(&chain, dims);
	add_backward(&chain, b, h);
	chain_finish(&chain, &roomy);
	for (slices = 2; slices < 8; slices++) {
		group = slice_chain(&chain, slices);
		for (slice = 0; slice < slices; slice++) {
			loom_group_rows(group, 0, slice, &out_lo, &out_hi);
			loom_group_strip(group, root_of(group, "v0") - group->roots, slice, &in_lo,
					 &in_hi);
			by_formula(b, h, (int64_t)out_lo, (int64_t)(out_hi - out_lo), &lo, &hi);
			right += (int64_t)in_lo <= lo && (int64_t)in_hi >= hi &&
				 lo - (int64_t)in_lo <= more && (int64_t)in_hi - hi <= more;
			count++;
		}
	}
	tap_ok(right == count, "%s, k %d, s %d, d %d, pad %d: %u of %u slices go back as by hand",
	       b->op, (int)b->k, (int)b->s, (int)b->d, (int)b->pad, right, count);
	chain_end(&chain);
}

/* h = 100 in two: [0, 80) and [20, 100) have 60 rows twice, [0, 60) and [40, 100) have 20. */
static void test_half(void)
{
	const int64_t dims[4] = { 1, 1, 100, 4 };
	struct loom_group *group;
	struct chain chain;
	const u32 *lo, *hi;
	int64_t k;

	for (k = 61; k >= 21; k -= 40) {
		chain_begin(&chain, dims);
		chain_conv(&chain, "Conv", 1, 1, k, 1, 1, 1, k / 2);
		chain_finish(&chain, &roomy);
		group = slice_chain(&chain, 2);
		lo = &group->need[2 * (root_of(group, "v0") - group->roots)];
		hi = &group->loaded[2 * (root_of(group, "v0") - group->roots)];
		tap_ok(lo[0] == 0 && hi[0] == 50 + k / 2 && lo[1] == 50 - k / 2 && hi[1] == 100,
		       "a window of %d rows: [%u, %u) and [%u, %u)", (int)k, lo[0], hi[0], lo[1],
		       hi[1]);
		tap_ok(group->faults == (k == 61 ? LOOM_GROUP_FAULT_OVERLAP : 0) &&
		       loom_group_fit(group, roomy.bytes) == (k == 61 ? -ENOSPC : 0),
		       "%s", k == 61 ? "60 of 100 rows twice is too much" : "20 is not");
		chain_end(&chain);
	}
}

/* Three rows in four slices leave one empty; a window that sees all never goes on. */
static void test_faults(void)
{
	const int64_t dims[4] = { 1, 1, 16, 4 };
	struct loom_group *group;
	struct chain chain;

	chain_begin(&chain, dims);
	chain_pool(&chain, 5, 5, 0);
	chain_finish(&chain, &roomy);
	group = slice_chain(&chain, 4);
	tap_ok(group->faults & LOOM_GROUP_FAULT_EMPTY, "three rows in four slices: one is empty");
	chain_end(&chain);

	chain_begin(&chain, dims);
	chain_conv(&chain, "Conv", 1, 1, 31, 1, 1, 1, 15);
	chain_finish(&chain, &roomy);
	group = slice_chain(&chain, 4);
	tap_ok(group->faults & LOOM_GROUP_FAULT_STALLED,
	       "a window over all rows: the second slice begins where the first does");
	chain_end(&chain);
}

/*
 * T0 loads. T2 is a convolution that takes long; T3 and T4 take no time; the weights of T5 are
 * large. They would come beside T4, and take longer than that: they come beside T2 instead.
 */
static void test_period(void)
{
	const int64_t dims[4] = { 1, 8, 16, 16 };
	struct loom_group *group;
	const struct loom_group_part *part;
	const struct loom_group_item *item;
	struct chain chain;
	int ret;

	chain_begin(&chain, dims);
	chain_node(&chain, "Neg", "");
	chain_node(&chain, "Abs", "");
	chain_conv(&chain, "Conv", 8, 64, 5, 5, 1, 1, 2);
	chain_pool(&chain, 2, 2, 0);
	chain_node(&chain, "Neg", "");
	chain_conv(&chain, "Conv", 64, 16, 3, 3, 1, 1, 1);
	chain_finish(&chain, &roomy);
	group = slice_chain(&chain, 1);
	part = &group->parts[5];
	item = &group->items[part->item[2]];
	tap_ok(group->num_parts == 6 && item->from == 4 && item->to == 5,
	       "weights of T5 would be there from T%d to T%d", item->from, item->to);
	ret = loom_group_fit(group, roomy.bytes);
	tap_ok(!ret, "it fits");
	item = &group->items[part->item[2]];
	tap_ok(part->lead[2] == 2 && item->from == 2 && item->to == 5,
	       "they are there from T%d to T%d: there was time beside T2", item->from, item->to);
	item = &group->items[group->parts[2].item[2]];
	tap_ok(!group->parts[2].lead[2] || item->from < 1, "T2's own come in time: T%d",
	       item->from);

	group = slice_chain(&chain, 2);
	tap_ok(!loom_group_fit(group, roomy.bytes), "in two slices it fits, too");
	item = &group->items[group->parts[5].item[2]];
	tap_ok(item->whole && group->items[group->parts[2].item[2]].whole,
	       "weights of a sliced group are there to its end");
	chain_end(&chain);
}

static u64 strip_at(struct loom_group *group, const char *name)
{
	return group->items[root_of(group, name)->strip].offset[0];
}

/*
 * Strips of 1024 bytes. v1 is read by the last operator: it lives longer than v0 and goes first.
 *
 *	        T-1  T0  T1  T2  T3  T4
 *	v0       #   #                      1024: v1 is below
 *	v1           #   #   #   #             0
 *	v2               #   #              1024: v0 is gone
 *	v3                   #   #          2048: v1 and v2 are there
 *	v4                       #   #      1024: v2 is gone
 */
static void test_places(u64 sub_bank_bytes)
{
	const int64_t dims[4] = { 1, 1, 16, 16 };
	static const char *const names[] = { "v0", "v1", "v2", "v3", "v4" };
	static const u64 plain[] = { 1024, 0, 1024, 2048, 1024 };
	/* sub-banks of 1536 bytes: one strip each */
	static const u64 banked[] = { 1536, 0, 1536, 3072, 1536 };
	const u64 *want = sub_bank_bytes ? banked : plain;
	struct loom_slice_limits sram = roomy;
	struct loom_group *group;
	struct chain chain;
	u64 height = 0;
	u32 i;
	int ret;

	sram.sub_bank_bytes = sub_bank_bytes;
	chain_begin(&chain, dims);
	chain_node(&chain, "Neg", "");
	chain_node(&chain, "Abs", "");
	chain_node(&chain, "Neg", "");
	chain_node(&chain, "Add", "v1");
	chain_finish(&chain, &sram);
	group = slice_chain(&chain, 1);
	ret = loom_group_place(group, sram.bytes, &height);
	tap_ok(!ret && height == want[3] + 1024,
	       "%u sub-bank bytes: %u bytes in all", (u32)sub_bank_bytes, (u32)height);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		tap_ok(strip_at(group, names[i]) == want[i], "%s is at %u", names[i],
		       (u32)strip_at(group, names[i]));
	tap_ok(loom_group_place(group, want[3] + 1023, &height) == -ENOSPC || sub_bank_bytes,
	       "a byte less is too little");
	chain_end(&chain);
}

/* In slices, weights have their places before all else. */
static void test_weights_first(void)
{
	const int64_t dims[4] = { 1, 4, 16, 16 };
	struct loom_group *group;
	struct chain chain;
	u64 height, first, second;

	chain_begin(&chain, dims);
	chain_conv(&chain, "Conv", 4, 4, 3, 3, 1, 1, 1);
	chain_conv(&chain, "Conv", 4, 4, 1, 1, 1, 1, 0);
	chain_finish(&chain, &roomy);
	group = slice_chain(&chain, 2);
	if (loom_group_fit(group, roomy.bytes) || loom_group_place(group, roomy.bytes, &height))
		tap_fatal("no place");
	first = group->items[group->parts[0].item[2]].offset[0];
	second = group->items[group->parts[1].item[2]].offset[0];
	tap_ok(!first && second == 4 * 4 * 9 * 4 && strip_at(group, "v0") >= second + 4 * 4 * 4,
	       "weights are at %u and %u, strips from %u on", (u32)first, (u32)second,
	       (u32)strip_at(group, "v0"));
	chain_end(&chain);
}

/* Four pictures: room for one is four slices of N; with half of that H is cut as well. */
static void test_n_then_h(void)
{
	const int64_t dims[4] = { 4, 1, 32, 32 };
	/* three strips at a time: one is read, one is made, one is stored */
	static const struct {
		u64 bytes;
		u32 slices;
		u32 batches;
		u32 axis;
	} wants[] = {
		{ 3 * 16384, 1, 1, 0 },
		{ 3 * 4096, 4, 1, 0 },
		{ 3 * 2048, 8, 4, 2 },
	};
	struct loom_group_cut cut = { .num_units = 2 };
	struct chain chain;
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		struct loom_slice_limits sram = roomy;

		sram.bytes = wants[i].bytes;
		chain_begin(&chain, dims);
		chain_node(&chain, "Neg", "");
		chain_node(&chain, "Abs", "");
		chain_finish(&chain, &sram);
		chain.c.group->rules = &loom_group_text_rules;
		ret = loom_group_text_search(chain.c.group, &cut, U64_MAX);
		tap_ok(!ret && cut.slices == wants[i].slices && cut.batches == wants[i].batches &&
		       cut.cut_axis == wants[i].axis,
		       "%u bytes: %u slices, %u of N, axis %u", (u32)sram.bytes, cut.slices,
		       cut.cut_axis ? cut.batches : cut.slices, cut.cut_axis);
		chain_end(&chain);
	}
}

/* A whole weight has to fit: an operator with one that does not is alone, and parts two groups. */
static void test_tail(void)
{
	const int64_t dims[4] = { 1, 8, 8, 8 };
	struct loom_slice_limits sram = roomy;
	struct loom_group_cut *cuts;
	struct chain chain;
	u32 num_cuts;

	sram.bytes = 12 << 10;
	chain_begin(&chain, dims);
	chain_node(&chain, "Neg", "");
	chain_node(&chain, "Abs", "");
	chain_conv(&chain, "Conv", 8, 8, 7, 7, 1, 1, 3);
	chain_node(&chain, "Abs", "");
	chain_node(&chain, "Neg", "");
	chain_node(&chain, "Abs", "");
	chain_finish(&chain, &sram);
	chain.c.group->rules = &loom_group_text_rules;
	if (loom_group_text.divide(&chain.c.list, chain.c.group, &cuts, &num_cuts))
		tap_fatal("no division");
	tap_ok(num_cuts == 3 && cuts[0].num_units == 2 && cuts[1].layerwise &&
	       cuts[2].num_units == 3,
	       "%u groups: two, one whose weights do not fit, three", num_cuts);
	free(cuts);
	chain.c.group->rules = &loom_group_dp_rules;
	if (loom_group_dp.divide(&chain.c.list, chain.c.group, &cuts, &num_cuts))
		tap_fatal("no division");
	tap_ok(num_cuts == 3 && cuts[0].num_units == 2 && cuts[1].layerwise &&
	       cuts[2].num_units == 3,
	       "by cycles it is the same");
	free(cuts);
	chain_end(&chain);
}

int main(void)
{
	static const struct backward exact[] = {
		{ "Conv", 3, 1, 1, 1 }, { "Conv", 3, 2, 1, 1 }, { "Conv", 5, 2, 1, 2 },
		{ "Conv", 3, 1, 2, 2 }, { "Conv", 1, 1, 1, 0 }, { "Conv", 7, 2, 1, 0 },
		{ "MaxPool", 2, 2, 1, 0 }, { "MaxPool", 3, 2, 1, 1 }, { "MaxPool", 3, 1, 1, 1 },
		{ "ConvTranspose", 4, 2, 1, 1 }, { "ConvTranspose", 3, 1, 1, 1 },
		{ "ConvTranspose", 3, 2, 1, 0 }, { "ConvTranspose", 5, 3, 1, 2 },
	};
	static const struct backward upsample = { "Resize", 1, 2, 1, 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(exact); i++)
		test_backward(&exact[i], 0);
	test_backward(&upsample, 1);
	test_half();
	test_faults();
	test_period();
	test_places(0);
	test_places(1536);
	test_weights_first();
	test_n_then_h();
	test_tail();
	return tap_end();
}
