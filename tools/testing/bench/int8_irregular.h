/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_INT8_IRREGULAR_H
#define LOOM_BENCH_INT8_IRREGULAR_H

/*
 * Networks whose graphs are no chains, as they run in eight bits: see int8.h for what is left out.
 * Functions between quantised layers (a Relu, a BatchNormalization in front of a convolution) are
 * in the tables of the layers around them and have no node here.
 *
 *	densenet121	Huang et al. 2016, table 1; each layer joins its maps to all before: a
 *			chain of concatenations of two
 *	densenet121_all	the same as other exporters write it: each concatenation names all maps
 *			so far
 *	inception_v3	Szegedy et al. 2015, as released: 299x299, without the auxiliary head
 *	unet512		Ronneberger et al. 2015 with padding, as common since: 512x512, one channel
 *			in, two out; upsampling is nearest and a 2x2 convolution
 *	randwire_small	Xie et al. 2019, table 1, small regime: Watts-Strogatz graphs WS(4, 0.75)
 *			of 32 nodes in three stages, 78 channels, of our own generator
 *	randwire_large	likewise the regular regime: four stages, the first of 16 nodes, 109
 *			channels
 *	pnasnet		Liu et al. 2017, PNASNet-5 large: 331x331, 216 filters, 12 cells and two in
 *			the stem
 *	vgg19		Simonyan and Zisserman 2014, E: the convolutions
 *	vit_tiny	Touvron et al. 2020, DeiT-Ti: 12 encoders of width 192 on 197 tokens;
 *			products are QLinearMatMul, normalisation, Softmax and Gelu are in f32
 *			between DequantizeLinear and QuantizeLinear
 */

#include "int8.h"

/* A separable convolution: each channel by itself, then all of them at one place. */
static inline struct int8_map int8_separable(struct int8_net *net, struct int8_map x,
					     int64_t channels, int64_t kernel, int64_t stride)
{
	x = int8_conv(net, x, x.channels, kernel, stride, x.channels);
	return int8_conv(net, x, channels, 1, 1, 1);
}

static inline void int8_classify(struct int8_net *net, struct int8_map x, int64_t classes)
{
	x = int8_conv(net, int8_pool(net, x, x.rows, 1, 0, 0), classes, 1, 1, 1);
	loom_graph_add_output(net->graph, x.name);
}

static inline void int8_densenet(struct int8_net *net, bool all)
{
	static const uint32_t counts[] = { 6, 12, 24, 16 };
	struct int8_map maps[32], x, y;
	uint32_t i, k;

	x = int8_conv(net, int8_begin(net, 224), 64, 7, 2, 1);
	x = int8_pool(net, x, 3, 2, 1, 0);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		maps[0] = x;
		for (k = 1; k <= counts[i]; k++) {
			y = int8_conv(net, int8_conv(net, x, 128, 1, 1, 1), 32, 3, 1, 1);
			maps[k] = y;
			x = all ? int8_concat(net, k + 1, maps) :
				  int8_concat(net, 2, (const struct int8_map[]){ x, y });
		}
		if (i + 1 < ARRAY_SIZE(counts))
			x = int8_pool(net, int8_conv(net, x, x.channels / 2, 1, 1, 1), 2, 2, 0, 0);
	}
	int8_classify(net, x, 1000);
}

static inline void int8_densenet121(struct int8_net *net)
{
	int8_densenet(net, false);
}

static inline void int8_densenet121_all(struct int8_net *net)
{
	int8_densenet(net, true);
}

/* --- Inception v3 -------------------------------------------------------------------------- */

/**
 * struct int8_branch - convolutions one after the other
 * @count: number of them
 * @kernels: rows and columns of each
 */
struct int8_branch {
	uint32_t count;
	int64_t kernels[5][2];
};

static inline struct int8_map int8_branch(struct int8_net *net, struct int8_map x,
					  const struct int8_branch *branch, const int64_t *channels)
{
	uint32_t i;

	for (i = 0; i < branch->count; i++)
		x = int8_window_conv(net, x, channels[i],
				     int8_window(branch->kernels[i][0], branch->kernels[i][1], 1,
						 false));
	return x;
}

/* the channels of each convolution come last */
#define INT8_ROW(net, x, branch, ...) \
	int8_branch(net, x, &(branch), (const int64_t[]){ __VA_ARGS__ })

static const struct int8_branch int8_1 = { 1, { { 1, 1 } } };
static const struct int8_branch int8_15 = { 2, { { 1, 1 }, { 5, 5 } } };
static const struct int8_branch int8_13 = { 2, { { 1, 1 }, { 3, 3 } } };
static const struct int8_branch int8_133 = { 3, { { 1, 1 }, { 3, 3 }, { 3, 3 } } };
static const struct int8_branch int8_17 = { 3, { { 1, 1 }, { 1, 7 }, { 7, 1 } } };
static const struct int8_branch int8_177 = {
	5, { { 1, 1 }, { 7, 1 }, { 1, 7 }, { 7, 1 }, { 1, 7 } }
};

static const struct int8_branch int8_wide = { 1, { { 1, 3 } } };
static const struct int8_branch int8_high = { 1, { { 3, 1 } } };

static inline struct int8_map int8_halve(struct int8_net *net, struct int8_map x, int64_t channels)
{
	return int8_window_conv(net, x, channels, int8_window(3, 3, 2, true));
}

static inline struct int8_map int8_mean_row(struct int8_net *net, struct int8_map x,
					    int64_t channels)
{
	return int8_conv(net, int8_pool(net, x, 3, 1, 1, 0), channels, 1, 1, 1);
}

static inline struct int8_map int8_inception_a(struct int8_net *net, struct int8_map x,
					       int64_t pooled)
{
	struct int8_map b[4];

	b[0] = INT8_ROW(net, x, int8_1, 64);
	b[1] = INT8_ROW(net, x, int8_15, 48, 64);
	b[2] = INT8_ROW(net, x, int8_133, 64, 96, 96);
	b[3] = int8_mean_row(net, x, pooled);
	return int8_concat(net, 4, b);
}

static inline struct int8_map int8_inception_b(struct int8_net *net, struct int8_map x)
{
	struct int8_map b[3];

	b[0] = int8_halve(net, x, 384);
	b[1] = int8_halve(net, INT8_ROW(net, x, int8_13, 64, 96), 96);
	b[2] = int8_pool(net, x, 3, 2, 0, 0);
	return int8_concat(net, 3, b);
}

static inline struct int8_map int8_inception_c(struct int8_net *net, struct int8_map x, int64_t c)
{
	struct int8_map b[4];

	b[0] = INT8_ROW(net, x, int8_1, 192);
	b[1] = INT8_ROW(net, x, int8_17, c, c, 192);
	b[2] = INT8_ROW(net, x, int8_177, c, c, c, c, 192);
	b[3] = int8_mean_row(net, x, 192);
	return int8_concat(net, 4, b);
}

static inline struct int8_map int8_inception_d(struct int8_net *net, struct int8_map x)
{
	struct int8_map b[3];

	b[0] = int8_halve(net, INT8_ROW(net, x, int8_1, 192), 320);
	b[1] = int8_halve(net, INT8_ROW(net, x, int8_17, 192, 192, 192), 192);
	b[2] = int8_pool(net, x, 3, 2, 0, 0);
	return int8_concat(net, 3, b);
}

static inline struct int8_map int8_inception_fork(struct int8_net *net, struct int8_map x)
{
	struct int8_map b[2];

	b[0] = INT8_ROW(net, x, int8_wide, 384);
	b[1] = INT8_ROW(net, x, int8_high, 384);
	return int8_concat(net, 2, b);
}

static inline struct int8_map int8_inception_e(struct int8_net *net, struct int8_map x)
{
	struct int8_map b[4];

	b[0] = INT8_ROW(net, x, int8_1, 320);
	b[1] = int8_inception_fork(net, INT8_ROW(net, x, int8_1, 384));
	b[2] = int8_inception_fork(net, INT8_ROW(net, x, int8_13, 448, 384));
	b[3] = int8_mean_row(net, x, 192);
	return int8_concat(net, 4, b);
}

static inline void int8_inception_v3(struct int8_net *net)
{
	static const int64_t middle[] = { 128, 160, 160, 192 };
	struct int8_map x = int8_halve(net, int8_begin(net, 299), 32);
	uint32_t i;

	x = int8_window_conv(net, x, 32, int8_window(3, 3, 1, true));
	x = int8_conv(net, x, 64, 3, 1, 1);
	x = int8_pool(net, x, 3, 2, 0, 0);
	x = int8_conv(net, x, 80, 1, 1, 1);
	x = int8_window_conv(net, x, 192, int8_window(3, 3, 1, true));
	x = int8_pool(net, x, 3, 2, 0, 0);
	x = int8_inception_a(net, x, 32);
	x = int8_inception_a(net, x, 64);
	x = int8_inception_a(net, x, 64);
	x = int8_inception_b(net, x);
	for (i = 0; i < ARRAY_SIZE(middle); i++)
		x = int8_inception_c(net, x, middle[i]);
	x = int8_inception_d(net, x);
	x = int8_inception_e(net, x);
	x = int8_inception_e(net, x);
	int8_classify(net, x, 1000);
}

/* --- U-Net --------------------------------------------------------------------------------- */

static inline struct int8_map int8_twice(struct int8_net *net, struct int8_map x, int64_t channels)
{
	return int8_conv(net, int8_conv(net, x, channels, 3, 1, 1), channels, 3, 1, 1);
}

static inline void int8_unet512(struct int8_net *net)
{
	struct int8_window up = int8_window(2, 2, 1, true);
	struct int8_map skips[4], x, parts[2];
	int64_t channels = 64;
	uint32_t i;

	up.pads[2] = 1;
	up.pads[3] = 1;
	x = int8_twice(net, int8_begin_channels(net, 1, 512), channels);
	for (i = 0; i < ARRAY_SIZE(skips); i++) {
		skips[i] = x;
		channels *= 2;
		x = int8_twice(net, int8_pool(net, x, 2, 2, 0, 0), channels);
	}
	for (i = ARRAY_SIZE(skips); i-- > 0;) {
		channels /= 2;
		parts[0] = skips[i];
		parts[1] = int8_window_conv(net, int8_double(net, x), channels, up);
		x = int8_twice(net, int8_concat(net, 2, parts), channels);
	}
	x = int8_conv(net, x, 2, 1, 1, 1);
	loom_graph_add_output(net->graph, x.name);
}

/* --- RandWire ------------------------------------------------------------------------------ */

#define INT8_WS_NODES	32

/* A number below @limit. */
static inline uint32_t int8_random(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33) % limit;
}

/*
 * Edges of a Watts-Strogatz graph: a ring in which each node knows four neighbours, three of four
 * edges then moved to another node; from the lower number to the higher.
 */
static inline void int8_watts_strogatz(uint64_t *state, uint32_t nodes,
				       bool edges[INT8_WS_NODES][INT8_WS_NODES])
{
	uint32_t step, from, to, i;

	memset(edges, 0, sizeof(bool[INT8_WS_NODES][INT8_WS_NODES]));
	for (step = 1; step <= 2; step++)
		for (from = 0; from < nodes; from++) {
			to = (from + step) % nodes;
			edges[min(from, to)][max(from, to)] = true;
		}
	for (step = 1; step <= 2; step++)
		for (from = 0; from < nodes; from++) {
			to = (from + step) % nodes;
			if (int8_random(state, 4) == 3)
				continue;
			i = int8_random(state, nodes);
			if (i == from || edges[min(from, i)][max(from, i)])
				continue;
			edges[min(from, to)][max(from, to)] = false;
			edges[min(from, i)][max(from, i)] = true;
		}
}

/* A stage: nodes add what they read and convolve; what nobody reads is added at the end. */
static inline struct int8_map int8_random_stage(struct int8_net *net, uint64_t *state,
						struct int8_map x, uint32_t nodes,
						int64_t channels)
{
	bool edges[INT8_WS_NODES][INT8_WS_NODES], read, any = false;
	struct int8_map maps[INT8_WS_NODES], sum = x;
	uint32_t from, to;

	int8_watts_strogatz(state, nodes, edges);
	for (to = 0; to < nodes; to++) {
		read = false;
		for (from = 0; from < to; from++) {
			if (!edges[from][to])
				continue;
			sum = read ? int8_add(net, sum, maps[from]) : maps[from];
			read = true;
		}
		maps[to] = int8_separable(net, read ? sum : x, channels, 3, read ? 1 : 2);
	}
	for (from = 0; from < nodes; from++) {
		read = false;
		for (to = from + 1; to < nodes; to++)
			read |= edges[from][to];
		if (read)
			continue;
		sum = any ? int8_add(net, sum, maps[from]) : maps[from];
		any = true;
	}
	return sum;
}

static inline void int8_randwire_small(struct int8_net *net)
{
	struct int8_map x = int8_conv(net, int8_begin(net, 224), 39, 3, 2, 1);
	uint64_t state = 1;
	uint32_t i;

	x = int8_conv(net, x, 78, 3, 2, 1);
	for (i = 0; i < 3; i++)
		x = int8_random_stage(net, &state, x, 32, 78 << i);
	int8_classify(net, int8_conv(net, x, 1280, 1, 1, 1), 1000);
}

static inline void int8_randwire_large(struct int8_net *net)
{
	struct int8_map x = int8_conv(net, int8_begin(net, 224), 54, 3, 2, 1);
	uint64_t state = 1;
	uint32_t i;

	for (i = 0; i < 4; i++)
		x = int8_random_stage(net, &state, x, i ? 32 : 16, 109 << i);
	int8_classify(net, int8_conv(net, x, 1280, 1, 1, 1), 1000);
}

/* --- PNASNet ------------------------------------------------------------------------------- */

/* Half the rows: two convolutions, a pixel apart. */
static inline struct int8_map int8_reduce(struct int8_net *net, struct int8_map x,
					  int64_t channels)
{
	struct int8_map b[2];

	b[0] = int8_conv(net, x, channels / 2, 1, 2, 1);
	b[1] = int8_conv(net, x, channels - channels / 2, 1, 2, 1);
	return int8_concat(net, 2, b);
}

/* What is on an edge of a cell: a pool, nothing, or a separable convolution, twice. */
static inline struct int8_map int8_pnas_edge(struct int8_net *net, struct int8_map x,
					     int64_t channels, int64_t kernel, int64_t stride)
{
	if (kernel)
		return int8_separable(net, int8_separable(net, x, channels, kernel, stride),
				      channels, kernel, 1);
	if (stride > 1 || x.channels != channels)
		return int8_conv(net, x, channels, 1, stride, 1);
	return x;
}

static inline struct int8_map int8_pnas_pool(struct int8_net *net, struct int8_map x,
					     int64_t channels, int64_t stride)
{
	x = int8_pool(net, x, 3, stride, 1, 0);
	return x.channels == channels ? x : int8_conv(net, x, channels, 1, 1, 1);
}

/* The cell of five blocks that was found; @first: the first of the stem, whose input is raw. */
static inline struct int8_map int8_pnas_cell(struct int8_net *net, struct int8_map before,
					     struct int8_map last, int64_t channels,
					     int64_t stride, bool first)
{
	struct int8_map b[5], right, left = before;

	if (!first)
		left = before.rows > last.rows ? int8_reduce(net, before, channels) :
						 int8_conv(net, before, channels, 1, 1, 1);
	right = int8_conv(net, last, channels, 1, 1, 1);
	b[0] = int8_add(net, int8_pnas_edge(net, left, channels, 5, stride),
			int8_pnas_pool(net, left, channels, stride));
	b[1] = int8_add(net, int8_pnas_edge(net, right, channels, 7, stride),
			int8_pnas_pool(net, right, channels, stride));
	b[2] = int8_add(net, int8_pnas_edge(net, right, channels, 5, stride),
			int8_pnas_edge(net, right, channels, 3, stride));
	b[3] = int8_add(net, int8_pnas_edge(net, b[2], channels, 3, 1),
			int8_pnas_pool(net, right, channels, stride));
	b[4] = int8_add(net, int8_pnas_edge(net, left, channels, 3, stride),
			int8_pnas_edge(net, right, channels, 0, stride));
	return int8_concat(net, 5, b);
}

static inline void int8_pnasnet(struct int8_net *net)
{
	struct int8_map before = int8_halve(net, int8_begin(net, 331), 96), last, next;
	int64_t channels = 216;
	uint32_t i;

	last = int8_pnas_cell(net, before, before, channels / 4, 2, true);
	next = int8_pnas_cell(net, before, last, channels / 2, 2, false);
	before = last;
	last = next;
	for (i = 0; i < 12; i++) {
		bool reduce = i == 4 || i == 8;

		channels <<= reduce;
		next = int8_pnas_cell(net, before, last, channels, 1 + reduce, false);
		before = last;
		last = next;
	}
	int8_classify(net, last, 1001);
}

static inline void int8_vgg19(struct int8_net *net)
{
	static const int64_t table[] = {
		64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0,
		512, 512, 512, 512, 0,
	};
	struct int8_map x = int8_begin(net, 224);
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		x = table[i] ? int8_conv(net, x, table[i], 3, 1, 1) : int8_pool(net, x, 2, 2, 0, 0);
	loom_graph_add_output(net->graph, x.name);
}

/* --- a transformer ------------------------------------------------------------------------- */

#define VIT_TOKENS	197
#define VIT_WIDTH	192
#define VIT_HEADS	3

/* A product of @a and @b, @channels wide. */
static inline struct int8_map int8_product(struct int8_net *net, struct int8_map a,
					   struct int8_map b, int64_t channels)
{
	struct int8_map y = int8_make(net, channels, 0);
	const char *const inputs[] = {
		a.name, "scale", "zero", b.name, "scale", "zero", "scale", "zero",
	};

	int8_node(net, "QLinearMatMul", 8, inputs, y.name, NULL, 0);
	return y;
}

static inline struct int8_map int8_dense(struct int8_net *net, struct int8_map x, int64_t channels)
{
	struct int8_map w = int8_make(net, channels, 0);

	int8_const(net, w.name, DRM_LOOM_DTYPE_U8, 2, (int64_t[]){ x.channels, channels }, NULL);
	return int8_product(net, x, w, channels);
}

static inline struct int8_map int8_unary(struct int8_net *net, const char *op, struct int8_map x,
					 uint32_t num_inputs, const char *const *more,
					 const struct loom_attr *attrs, uint32_t num_attrs)
{
	struct int8_map y = int8_make(net, x.channels, 0);
	const char *inputs[3] = { x.name, more ? more[0] : NULL, more ? more[1] : NULL };

	int8_node(net, op, num_inputs, inputs, y.name, attrs, num_attrs);
	return y;
}

/* A function in f32 of what is in eight bits. */
static inline struct int8_map int8_float(struct int8_net *net, const char *op, struct int8_map x,
					 uint32_t num_inputs, const char *const *more,
					 const struct loom_attr *attrs, uint32_t num_attrs)
{
	const char *const quant[] = { "scale", "zero" };

	x = int8_unary(net, "DequantizeLinear", x, 3, quant, NULL, 0);
	x = int8_unary(net, op, x, num_inputs, more, attrs, num_attrs);
	return int8_unary(net, "QuantizeLinear", x, 3, quant, NULL, 0);
}

static inline struct int8_map int8_normal(struct int8_net *net, struct int8_map x)
{
	static const int64_t last = -1;
	const struct loom_attr axis = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &last,
	};
	struct int8_map scale = int8_make(net, 0, 0), shift = int8_make(net, 0, 0);

	int8_const(net, scale.name, DRM_LOOM_DTYPE_F32, 1, &x.channels, NULL);
	int8_const(net, shift.name, DRM_LOOM_DTYPE_F32, 1, &x.channels, NULL);
	return int8_float(net, "LayerNormalization", x, 3,
			  (const char *const[]){ scale.name, shift.name }, &axis, 1);
}

static inline struct int8_map int8_reshape(struct int8_net *net, struct int8_map x,
					   uint32_t rank, const int64_t *dims, int64_t channels)
{
	struct int8_map shape = int8_make(net, 0, 0), y = int8_make(net, channels, 0);
	int64_t *data = calloc(rank, sizeof(*data));
	const int64_t count = rank;

	memcpy(data, dims, rank * sizeof(*data));
	int8_const(net, shape.name, DRM_LOOM_DTYPE_I64, 1, &count, data);
	net->weights[net->num_weights++] = data;
	int8_node(net, "Reshape", 2, (const char *const[]){ x.name, shape.name }, y.name, NULL, 0);
	return y;
}

static inline struct int8_map int8_transpose(struct int8_net *net, struct int8_map x,
					     uint32_t rank, const int64_t *perm)
{
	const struct loom_attr attr = {
		.name = "perm", .type = LOOM_ATTR_INTS, .count = rank, .ints = perm,
	};
	struct int8_map y = int8_make(net, x.channels, 0);

	int8_node(net, "Transpose", 1, (const char *const[]){ x.name }, y.name, &attr, 1);
	return y;
}

/* A product of @x, by heads: [1, heads, tokens, width], or its last two axes swapped. */
static inline struct int8_map int8_heads(struct int8_net *net, struct int8_map x, bool swap)
{
	const int64_t width = VIT_WIDTH / VIT_HEADS;

	x = int8_reshape(net, int8_dense(net, x, VIT_WIDTH), 4,
			 (int64_t[]){ 1, VIT_TOKENS, VIT_HEADS, width }, width);
	return int8_transpose(net, x, 4, swap ? (int64_t[]){ 0, 2, 3, 1 } :
						(int64_t[]){ 0, 2, 1, 3 });
}

static inline struct int8_map int8_attention(struct int8_net *net, struct int8_map x)
{
	struct int8_map q = int8_heads(net, x, false), k = int8_heads(net, x, true);
	struct int8_map v = int8_heads(net, x, false), y;

	y = int8_product(net, q, k, VIT_TOKENS);
	y = int8_float(net, "Softmax", y, 1, NULL, NULL, 0);
	y = int8_product(net, y, v, VIT_WIDTH / VIT_HEADS);
	y = int8_transpose(net, y, 4, (int64_t[]){ 0, 2, 1, 3 });
	y = int8_reshape(net, y, 3, (int64_t[]){ 1, VIT_TOKENS, VIT_WIDTH }, VIT_WIDTH);
	return int8_dense(net, y, VIT_WIDTH);
}

static inline void int8_vit_tiny(struct int8_net *net)
{
	struct int8_window patch = int8_window(16, 16, 16, true);
	struct int8_map x = int8_window_conv(net, int8_begin(net, 224), VIT_WIDTH, patch);
	struct int8_map token = int8_make(net, 0, 0), y = int8_make(net, VIT_WIDTH, 0);
	static const int64_t one = 1;
	const struct loom_attr axis = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &one,
	};
	uint32_t i;

	x = int8_reshape(net, x, 3, (int64_t[]){ 1, VIT_WIDTH, VIT_TOKENS - 1 }, VIT_WIDTH);
	x = int8_transpose(net, x, 3, (int64_t[]){ 0, 2, 1 });
	int8_const(net, token.name, DRM_LOOM_DTYPE_U8, 3, (int64_t[]){ 1, 1, VIT_WIDTH }, NULL);
	int8_node(net, "Concat", 2, (const char *const[]){ token.name, x.name }, y.name, &axis, 1);
	x = y;
	for (i = 0; i < 12; i++) {
		x = int8_add(net, x, int8_attention(net, int8_normal(net, x)));
		y = int8_dense(net, int8_normal(net, x), 4 * VIT_WIDTH);
		y = int8_float(net, "Gelu", y, 1, NULL, NULL, 0);
		x = int8_add(net, x, int8_dense(net, y, VIT_WIDTH));
	}
	x = int8_dense(net, int8_normal(net, x), 1000);
	loom_graph_add_output(net->graph, x.name);
}

#endif /* LOOM_BENCH_INT8_IRREGULAR_H */
