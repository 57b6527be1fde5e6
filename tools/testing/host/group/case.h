/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_GROUP_CASE_H
#define LOOM_TESTS_GROUP_CASE_H

/* Random graphs of every operator, with branches, joins and values that are seen outside. */

#include "host/lower/case.h"

#define MAX_MAPS	40

/**
 * struct map - a value of the graph: [1 or 2, channels, rows, columns]
 * @name: its name
 * @dims: its dims
 * @used: somebody reads it
 */
struct map {
	char name[8];
	int64_t dims[4];
	bool used;
};

static struct map maps[MAX_MAPS];
static uint32_t num_maps;
static float weights[1 << 16];

static struct map *new_map(const int64_t *dims)
{
	struct map *map = &maps[num_maps];

	snprintf(map->name, sizeof(map->name), "v%u", num_maps++);
	memcpy(map->dims, dims, sizeof(map->dims));
	map->used = false;
	return map;
}

/* Rather a value of late, so that graphs become deep. */
static struct map *any_map(void)
{
	uint32_t back = draw(3) ? draw(2) : draw(num_maps);
	struct map *map = &maps[back < num_maps ? num_maps - 1 - back : 0];

	map->used = true;
	return map;
}

static void make_weights(void)
{
	const uint64_t kept = seed;
	uint32_t i;

	seed = 1;
	for (i = 0; i < ARRAY_SIZE(weights); i++)
		weights[i] = ((float)draw(4096) - 2048) / 512;
	seed = kept;
}

/* A constant of floats, zeroes of mixed sign among them. */
static void weight(struct test_case *test, const char *name, uint32_t rank, const int64_t *dims)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank,
		.size_bytes = sizeof(float),
	};
	uint32_t i;

	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	/* the first one is not zero */
	if (!weights[0])
		make_weights();
	array.data = &weights[draw(64)];
	loom_graph_add_const(test->graph, &array);
}

static void name_weight(char *to, const char *prefix)
{
	snprintf(to, 12, "%s%u", prefix, num_maps);
}

static void add_conv(struct test_case *test, struct map *x)
{
	int64_t k = range(1, 3), s = range(1, 2), d = draw(4) ? 1 : 2, p = draw((uint32_t)k + 1);
	int64_t reach = (k - 1) * d + 1, groups = 1, dims[4];
	char w[12], in[40];

	if (!draw(3) && x->dims[1] <= 24)
		groups = x->dims[1];
	memcpy(dims, x->dims, sizeof(dims));
	dims[1] = groups > 1 ? groups * range(1, 2) : range(1, 12);
	dims[2] = (x->dims[2] + 2 * p - reach) / s + 1;
	dims[3] = (x->dims[3] + 2 * p - reach) / s + 1;
	if (x->dims[2] + 2 * p < reach || x->dims[3] + 2 * p < reach)
		return;
	name_weight(w, "w");
	weight(test, w, 4, (int64_t[]){ dims[1], x->dims[1] / groups, k, k });
	attr_ints(test, "strides", 2, (int64_t[]){ s, s });
	attr_ints(test, "dilations", 2, (int64_t[]){ d, d });
	attr_ints(test, "pads", 4, (int64_t[]){ p, p, p, p });
	attr_int(test, "group", groups);
	text(in, x->name, w);
	node(test, "Conv", in, new_map(dims)->name);
}

static void add_deconv(struct test_case *test, struct map *x)
{
	int64_t k = range(2, 3), s = range(1, 2), dims[4];
	char w[12], in[40];

	if (x->dims[2] > 24 || x->dims[3] > 24)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	dims[1] = range(1, 6);
	dims[2] = (x->dims[2] - 1) * s + k;
	dims[3] = (x->dims[3] - 1) * s + k;
	name_weight(w, "w");
	weight(test, w, 4, (int64_t[]){ x->dims[1], dims[1], k, k });
	attr_ints(test, "strides", 2, (int64_t[]){ s, s });
	text(in, x->name, w);
	node(test, "ConvTranspose", in, new_map(dims)->name);
}

static void add_pool(struct test_case *test, struct map *x)
{
	int64_t k = range(1, 3), s = range(1, 2), dims[4];
	int64_t p = draw((uint32_t)k);

	memcpy(dims, x->dims, sizeof(dims));
	dims[2] = (x->dims[2] + 2 * p - k) / s + 1;
	dims[3] = (x->dims[3] + 2 * p - k) / s + 1;
	if (x->dims[2] + 2 * p < k || x->dims[3] + 2 * p < k)
		return;
	attr_ints(test, "strides", 2, (int64_t[]){ s, s });
	attr_ints(test, "pads", 4, (int64_t[]){ p, p, p, p });
	attr_ints(test, "kernel_shape", 2, (int64_t[]){ k, k });
	node(test, draw(2) ? "MaxPool" : "AveragePool", x->name, new_map(dims)->name);
}

static void add_unary(struct test_case *test, struct map *x)
{
	static const char *const ops[] = { "Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Mish" };

	node(test, ops[draw(6)], x->name, new_map(x->dims)->name);
}

/* With a constant per channel, with a row, or with another value of the same shape. */
static void add_binary(struct test_case *test, struct map *x)
{
	static const char *const ops[] = { "Add", "Sub", "Mul", "Max" };
	int64_t dims[4] = { 1, x->dims[1], 1, 1 };
	char w[12], in[40];
	uint32_t i;

	for (i = 0; i < 4; i++) {
		struct map *other = any_map();

		if (other == x || memcmp(other->dims, x->dims, sizeof(x->dims)))
			continue;
		text(in, x->name, other->name);
		node(test, ops[draw(4)], in, new_map(x->dims)->name);
		return;
	}
	if (draw(2)) {
		dims[1] = 1;
		dims[3] = x->dims[3];
	}
	name_weight(w, "c");
	weight(test, w, 4, dims);
	text(in, x->name, w);
	node(test, ops[draw(4)], in, new_map(x->dims)->name);
}

static void add_concat(struct test_case *test, struct map *x)
{
	int64_t axis = draw(4) ? 1 : draw(4), dims[4];
	struct map *other = any_map();
	char in[40];
	uint32_t i;

	for (i = 0; i < 4; i++)
		if (i != axis && other->dims[i] != x->dims[i])
			return;
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] += other->dims[axis];
	attr_int(test, "axis", axis);
	text(in, x->name, other->name);
	node(test, "Concat", in, new_map(dims)->name);
}

static void add_resize(struct test_case *test, struct map *x)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	static const char *const coords[] = { "half_pixel", "align_corners", "asymmetric" };
	int64_t dims[4];
	char s[12], in[40];

	if (x->dims[2] > 20 || x->dims[3] > 20)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	dims[2] = draw(2) ? 2 * dims[2] : range(1, 2 * dims[2]);
	dims[3] = draw(2) ? 2 * dims[3] : range(1, 2 * dims[3]);
	name_weight(s, "s");
	ints(test, s, 4, dims);
	attr_string(test, "mode", modes[draw(3)]);
	attr_string(test, "coordinate_transformation_mode", coords[draw(3)]);
	snprintf(in, sizeof(in), "%s - - %s", x->name, s);
	node(test, "Resize", in, new_map(dims)->name);
}

static void add_pad(struct test_case *test, struct map *x)
{
	static const char *const modes[] = { "constant", "edge", "reflect" };
	int64_t pads[8] = { 0 }, dims[4], i;
	char p[12], in[40];
	uint32_t mode = draw(3);

	memcpy(dims, x->dims, sizeof(dims));
	for (i = 1; i < 4; i++) {
		uint32_t most = mode == 2 && dims[i] < 3 ? (uint32_t)dims[i] : 3;

		pads[i] = draw(most);
		pads[i + 4] = draw(most);
		dims[i] += pads[i] + pads[i + 4];
	}
	name_weight(p, "p");
	ints(test, p, 8, pads);
	attr_string(test, "mode", modes[mode]);
	text(in, x->name, p);
	node(test, "Pad", in, new_map(dims)->name);
}

static void add_softmax(struct test_case *test, struct map *x)
{
	attr_int(test, "axis", draw(3) ? 1 : draw(4));
	node(test, draw(2) ? "Softmax" : "LogSoftmax", x->name, new_map(x->dims)->name);
}

static void add_reduce(struct test_case *test, struct map *x)
{
	static const char *const ops[] = { "ReduceMean", "ReduceMax", "ReduceSumSquare" };
	int64_t dims[4], axis = range(1, 3);

	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = 1;
	attr_ints(test, "axes", 1, &axis);
	node(test, ops[draw(3)], x->name, new_map(dims)->name);
}

/* Views: rows and columns change places, every second channel, two axes merged and back. */
static void add_view(struct test_case *test, struct map *x)
{
	int64_t dims[4];
	char s[12], e[12], in[60];

	memcpy(dims, x->dims, sizeof(dims));
	if (draw(2)) {
		dims[2] = x->dims[3];
		dims[3] = x->dims[2];
		attr_ints(test, "perm", 4, (int64_t[]){ 0, 1, 3, 2 });
		node(test, "Transpose", x->name, new_map(dims)->name);
		return;
	}
	dims[1] = (dims[1] + 1) / 2;
	name_weight(s, "s");
	name_weight(e, "e");
	ints(test, s, 4, (int64_t[]){ 0, 0, 0, 0 });
	ints(test, e, 4, x->dims);
	ints(test, "axes4", 4, (int64_t[]){ 0, 1, 2, 3 });
	ints(test, "steps4", 4, (int64_t[]){ 1, 2, 1, 1 });
	snprintf(in, sizeof(in), "%s %s %s axes4 steps4", x->name, s, e);
	node(test, "Slice", in, new_map(dims)->name);
}

static void (*const adders[])(struct test_case *test, struct map *x) = {
	add_conv, add_conv, add_conv, add_deconv, add_pool, add_unary, add_binary, add_binary,
	add_concat, add_resize, add_pad, add_softmax, add_reduce, add_view,
};

static inline void make_graph(struct test_case *test)
{
	uint32_t depth = (uint32_t)range(2, 14), i;
	int64_t dims[4] = { draw(4) ? 1 : 2, range(1, 8), range(3, 24), range(5, 24) };
	bool viewed = false;

	num_maps = 0;
	input(test, new_map(dims)->name, DRM_LOOM_DTYPE_F32, 4, dims);
	for (i = 0; i < depth && num_maps < MAX_MAPS - 2; i++) {
		uint32_t which = draw(ARRAY_SIZE(adders));

		/* its constants have one name each */
		if (adders[which] == add_view && viewed)
			continue;
		viewed |= adders[which] == add_view;
		adders[which](test, any_map());
	}
	for (i = 1; i < num_maps; i++)
		if (!maps[i].used || i + 1 == num_maps || !draw(8))
			loom_graph_add_output(test->graph, maps[i].name);
	if (num_maps == 1) {
		node(test, "Neg", maps[0].name, "y");
		loom_graph_add_output(test->graph, "y");
	}
}

/* One of any operators. */
static inline void make_case(struct test_case *test, uint32_t which)
{
	make_case_of(test, which, 14, make_graph);
}

#endif /* LOOM_TESTS_GROUP_CASE_H */
