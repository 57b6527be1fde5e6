/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_NET_H
#define LOOM_BENCH_NET_H

/*
 * Networks by their published layers: shapes only. A layer is a word, and net_words() adds what a
 * line of words says behind a map:
 *
 *	i3,224		an input of 3 channels, 224 rows and as many columns; i1,49,10: 10 columns
 *	c64		a convolution with 64 results; c= as many as there are, c*6 six times, c/2
 *			half of them; 1x1 unless more follows
 *	w3		each channel by itself, kernel of 3 rows and columns
 *	b6,24 B6,24	an inverted bottleneck: 1x1 to 6 times the channels, each by itself (3x3
 *			unless more follows), 1x1 to 24; B adds its operand if that has its shape
 *	p3 a3 g		the largest of a window, the mean of a window, the mean of a channel
 *	n r		scale and shift, then Relu; Relu: where a network is in f32
 *	u z257		twice the rows, nearest; 257 rows, linear
 *	k1000		the mean of each channel, 1000 classes, the output
 *	o		the output
 *	[ a ; b ]	concatenation of branches with the same operand; one may be empty
 *	{ a ; b }	their sum, a + b; with ~ behind it b + a, but a is computed first
 *	3( a )		three times
 *
 * Behind c, w, b, B, p and a: k3 or k1x7 the kernel, s2 the stride, d2 the dilation, v without
 * padding, ^ with an incomplete window at the end; behind c and w also t, padding as TensorFlow's
 * "SAME", and r or h, a Relu, or one to six, which is a node where the network is in f32. Padding
 * is the same on both sides unless struct net.same.
 *
 * In eight bits, convolutions are QLinearConv with their activation inside, weights are zeroes,
 * sums are additions of bytes, and a mean is a maximum: it moves as much. A function that is not
 * in the convolution is another one of bytes, BitwiseNot. In f32, weights are
 * inputs of the graph, which are not in the arena.
 */

#include "loom.h"
#include "loom_core.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct net - a network under construction
 * @graph: the graph
 * @real: in f32
 * @same: padding is TensorFlow's "SAME"
 * @function: convolutions in eight bits are followed by a function of their bytes
 * @count: names made up so far
 * @weights: constants, which outlive nothing
 * @num_weights: number of @weights
 * @attrs: attributes of the next node
 * @num_attrs: number of @attrs
 * @ints: integer values of @attrs
 */
struct net {
	struct loom_graph *graph;
	bool real;
	bool same;
	bool function;
	unsigned int count;
	void *weights[1024];
	unsigned int num_weights;
	struct loom_attr attrs[4];
	uint32_t num_attrs;
	int64_t ints[4][4];
};

/**
 * struct map - a value, [1, channels, rows, columns]
 * @name: its name
 * @channels: its channels
 * @rows: its rows
 * @columns: its columns
 */
struct map {
	char name[16];
	int64_t channels;
	int64_t rows;
	int64_t columns;
};

/**
 * struct window - of a convolution or a pool
 * @kernel: rows and columns
 * @stride: of both
 * @dilation: of both
 * @valid: nothing is padded
 * @same: TensorFlow's padding
 * @ceil: an incomplete one at the end counts
 * @act: 'r', 'h' or 0: Relu, or Relu to six
 */
struct window {
	int64_t kernel[2];
	int64_t stride;
	int64_t dilation;
	bool valid;
	bool same;
	bool ceil;
	char act;
};

static inline struct map net_map(struct net *net, int64_t channels, int64_t rows, int64_t columns)
{
	struct map map = { .channels = channels, .rows = rows, .columns = columns };

	snprintf(map.name, sizeof(map.name), "t%u", net->count++);
	return map;
}

static inline void net_ints(struct net *net, const char *name, uint32_t count, const int64_t *ints)
{
	int64_t *mine = net->ints[net->num_attrs];

	memcpy(mine, ints, count * sizeof(*ints));
	net->attrs[net->num_attrs++] = (struct loom_attr){
		.name = name, .type = LOOM_ATTR_INTS, .count = count, .ints = mine,
	};
}

static inline void net_int(struct net *net, const char *name, int64_t value)
{
	net_ints(net, name, 1, &value);
	net->attrs[net->num_attrs - 1].type = LOOM_ATTR_INT;
}

static inline void net_string(struct net *net, const char *name, const char *value)
{
	net->attrs[net->num_attrs++] = (struct loom_attr){
		.name = name, .type = LOOM_ATTR_STRING, .count = strlen(value), .string = value,
	};
}

/* A node with the attributes so far. */
static inline struct map net_node(struct net *net, const char *op, uint32_t num_inputs,
				  const char *const *inputs, struct map y)
{
	const char *output = y.name;
	struct loom_node_desc desc = {
		.name = output, .op_type = op, .inputs = inputs, .num_inputs = num_inputs,
		.outputs = &output, .num_outputs = 1, .attrs = net->attrs,
		.num_attrs = net->num_attrs,
	};

	loom_graph_add_node(net->graph, &desc);
	net->num_attrs = 0;
	return y;
}

/* The same of one operand, with a result of its shape. */
static inline struct map net_unary(struct net *net, const char *op, struct map x)
{
	return net_node(net, op, 1, (const char *const[]){ x.name },
			net_map(net, x.channels, x.rows, x.columns));
}

static inline struct map net_binary(struct net *net, const char *op, struct map a, struct map b)
{
	return net_node(net, op, 2, (const char *const[]){ a.name, b.name },
			net_map(net, a.channels, a.rows, a.columns));
}

/* @data: NULL for zeroes */
static inline void net_const(struct net *net, const char *name, uint32_t dtype, uint32_t rank,
			     const int64_t *dims, const void *data)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = dtype, .rank = rank,
		.size_bytes = loom_dtype_size(dtype),
	};
	uint32_t i;

	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	array.data = calloc(1, array.size_bytes);
	if (data)
		memcpy(array.data, data, array.size_bytes);
	loom_graph_add_const(net->graph, &array);
	net->weights[net->num_weights++] = array.data;
}

static inline void net_input(struct net *net, const char *name, uint32_t rank, const int64_t *dims)
{
	struct loom_tensor_info info = {
		.name = name, .rank = rank,
		.dtype = net->real ? DRM_LOOM_DTYPE_F32 : DRM_LOOM_DTYPE_U8,
	};

	memcpy(info.dims, dims, rank * sizeof(*dims));
	loom_graph_add_input(net->graph, &info);
}

static inline struct map net_weights(struct net *net, uint32_t rank, const int64_t *dims)
{
	struct map w = net_map(net, dims[0], 1, 1);

	if (net->real)
		net_input(net, w.name, rank, dims);
	else
		net_const(net, w.name, DRM_LOOM_DTYPE_U8, rank, dims, NULL);
	return w;
}

static inline struct map net_begin(struct net *net, int64_t channels, int64_t rows, int64_t columns)
{
	const float scale = 0.05f, six = 6, nil = 0;
	struct map x = { .name = "x", .channels = channels, .rows = rows, .columns = columns };

	if (net->real)
		x = net_map(net, channels, rows, columns);
	net_input(net, x.name, 4, (int64_t[]){ 1, channels, rows, columns });
	net_const(net, net->real ? "six" : "scale", DRM_LOOM_DTYPE_F32, 0, NULL,
		  net->real ? &six : &scale);
	net_const(net, "zero", net->real ? DRM_LOOM_DTYPE_F32 : DRM_LOOM_DTYPE_U8, 0, NULL, &nil);
	return x;
}

/* Strides, pads and dilations as attributes; the shape of the result. */
static inline struct map net_window(struct net *net, struct map x, const struct window *w)
{
	int64_t size[] = { x.rows, x.columns }, pads[4] = { 0 }, reach, add;
	int i;

	for (i = 0; i < 2; i++) {
		reach = (w->kernel[i] - 1) * w->dilation;
		add = ((size[i] + w->stride - 1) / w->stride - 1) * w->stride + reach + 1 - size[i];
		if (!(net->same || w->same))
			add = reach / 2 * 2;
		if (!w->valid && add > 0) {
			pads[i] = add / 2;
			pads[2 + i] = add - add / 2;
		}
		size[i] = (size[i] + pads[i] + pads[2 + i] - reach - 1 +
			   (w->ceil ? w->stride - 1 : 0)) / w->stride + 1;
	}
	net_ints(net, "strides", 2, (int64_t[]){ w->stride, w->stride });
	net_ints(net, "pads", 4, pads);
	return (struct map){ .channels = x.channels, .rows = size[0], .columns = size[1] };
}

static inline struct map net_activate(struct net *net, struct map x, char act)
{
	if (net->function)
		return net_unary(net, "BitwiseNot", x);
	if (!net->real || !act)
		return x;
	if (act == 'r')
		return net_unary(net, "Relu", x);
	return net_node(net, "Clip", 3, (const char *const[]){ x.name, "zero", "six" },
			net_map(net, x.channels, x.rows, x.columns));
}

static inline struct map net_conv(struct net *net, struct map x, int64_t channels, int64_t groups,
				  const struct window *window)
{
	const int64_t dims[] = {
		channels, x.channels / groups, window->kernel[0], window->kernel[1],
	};
	struct map shape = net_window(net, x, window), y, w;

	net_ints(net, "dilations", 2, (int64_t[]){ window->dilation, window->dilation });
	net_int(net, "group", groups);
	if (net->real) {
		w = net_weights(net, 4, dims);
		y = net_map(net, channels, shape.rows, shape.columns);
		y = net_node(net, "Conv", 2, (const char *const[]){ x.name, w.name }, y);
	} else {
		y = net_map(net, channels, shape.rows, shape.columns);
		w = net_weights(net, 4, dims);
		y = net_node(net, "QLinearConv", 8, (const char *const[]){
			x.name, "scale", "zero", w.name, "scale", "zero", "scale", "zero" }, y);
	}
	return net_activate(net, y, window->act);
}

static inline struct map net_pool(struct net *net, struct map x, bool mean, const struct window *w)
{
	struct map y = net_window(net, x, w);

	net_ints(net, "kernel_shape", 2, w->kernel);
	net_int(net, "ceil_mode", w->ceil);
	y = net_map(net, y.channels, y.rows, y.columns);
	return net_node(net, mean && net->real ? "AveragePool" : "MaxPool", 1,
			(const char *const[]){ x.name }, y);
}

/* The mean of each channel. */
static inline struct map net_global(struct net *net, struct map x)
{
	const struct window all = {
		.kernel = { x.rows, x.columns }, .stride = 1, .dilation = 1, .valid = true,
	};

	if (!net->real)
		return net_pool(net, x, true, &all);
	return net_node(net, "GlobalAveragePool", 1, (const char *const[]){ x.name },
			net_map(net, x.channels, 1, 1));
}

static inline struct map net_concat(struct net *net, uint32_t count, const struct map *parts)
{
	const char *inputs[64];
	int64_t channels = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		inputs[i] = parts[i].name;
		channels += parts[i].channels;
	}
	net_int(net, "axis", 1);
	return net_node(net, "Concat", count, inputs,
			net_map(net, channels, parts[0].rows, parts[0].columns));
}

/* To @rows, by values between; else twice the rows, by the nearest. */
static inline struct map net_resize(struct net *net, struct map x, int64_t rows)
{
	static const float twice[] = { 1, 1, 2, 2 };
	const int64_t sizes[] = { 1, x.channels, rows, rows }, four = 4;
	struct map y = net_map(net, x.channels, rows ? rows : 2 * x.rows,
			       rows ? rows : 2 * x.columns);
	char name[24];
	const char *const inputs[] = { x.name, "", rows ? "" : name, name };

	snprintf(name, sizeof(name), "%s.sizes", y.name);
	if (rows)
		net_const(net, name, DRM_LOOM_DTYPE_I64, 1, &four, sizes);
	else
		net_const(net, name, DRM_LOOM_DTYPE_F32, 1, &four, twice);
	net_string(net, "mode", rows ? "linear" : "nearest");
	net_string(net, "coordinate_transformation_mode", rows ? "align_corners" : "asymmetric");
	return net_node(net, "Resize", rows ? 4 : 3, inputs, y);
}

static inline struct map net_normal(struct net *net, struct map x)
{
	const int64_t dims[] = { x.channels, 1, 1 };
	struct map scale, shift;

	if (!net->real)
		return x;
	scale = net_weights(net, 3, dims);
	shift = net_weights(net, 3, dims);
	x = net_binary(net, "Mul", x, scale);
	return net_unary(net, "Relu", net_binary(net, "Add", x, shift));
}

static inline void net_classify(struct net *net, struct map x, int64_t classes)
{
	static const struct window one = { .kernel = { 1, 1 }, .stride = 1, .dilation = 1 };

	x = net_global(net, x);
	if (net->real) {
		x = net_unary(net, "Flatten", x);
		x = net_binary(net, "Gemm", x,
			       net_weights(net, 2, (int64_t[]){ x.channels, classes }));
		x = net_unary(net, "Softmax", x);
	} else {
		x = net_conv(net, x, classes, 1, &one);
	}
	loom_graph_add_output(net->graph, x.name);
}

/* ------------------------------------------------------------------- words */

static inline int64_t net_number(const char **at)
{
	char *end;
	int64_t number = strtoll(*at, &end, 10);

	*at = *end == ',' ? end + 1 : end;
	return number;
}

static inline struct window net_options(const char **at, int64_t kernel)
{
	struct window w = { .kernel = { kernel, kernel }, .stride = 1, .dilation = 1 };

	for (;;) {
		switch (*(*at)++) {
		case 'k':
			w.kernel[0] = net_number(at);
			w.kernel[1] = w.kernel[0];
			if (**at == 'x') {
				(*at)++;
				w.kernel[1] = net_number(at);
			}
			break;
		case 's':
			w.stride = net_number(at);
			break;
		case 'd':
			w.dilation = net_number(at);
			break;
		case 'v':
			w.valid = true;
			break;
		case 't':
			w.same = true;
			break;
		case '^':
			w.ceil = true;
			break;
		case 'r':
		case 'h':
			w.act = (*at)[-1];
			break;
		default:
			(*at)--;
			return w;
		}
	}
}

static inline int64_t net_channels(const char **at, struct map x)
{
	char how = **at;

	if (how == '=' || how == '*' || how == '/')
		(*at)++;
	if (how == '=')
		return x.channels;
	return how == '*' ? x.channels * net_number(at) : how == '/' ? x.channels / net_number(at) :
	       net_number(at);
}

/* b or B, behind the letter. */
static inline struct map net_bottleneck(struct net *net, struct map x, bool add, const char **at)
{
	const struct window wide = {
		.kernel = { 1, 1 }, .stride = 1, .dilation = 1, .act = 'h',
	};
	int64_t factor = net_number(at), channels = net_number(at);
	struct window each = net_options(at, 3), narrow = wide;
	struct map y = net_conv(net, x, x.channels * factor, 1, &wide);

	each.act = 'h';
	narrow.act = 0;
	y = net_conv(net, y, y.channels, y.channels, &each);
	y = net_conv(net, y, channels, 1, &narrow);
	add &= y.channels == x.channels && y.rows == x.rows;
	return add ? net_binary(net, "Add", x, y) : y;
}

static inline struct map net_sequence(struct net *net, struct map x, const char **at);

/* [ or {, behind the bracket. */
static inline struct map net_branches(struct net *net, struct map x, bool add, const char **at)
{
	struct map parts[8];
	uint32_t count = 0;

	do
		parts[count++] = net_sequence(net, x, at);
	while (*(*at)++ == ';');
	if (!add)
		return net_concat(net, count, parts);
	if (**at != '~')
		return net_binary(net, "Add", parts[0], parts[1]);
	(*at)++;
	return net_binary(net, "Add", parts[1], parts[0]);
}

static inline struct map net_repeat(struct net *net, struct map x, const char **at)
{
	int64_t count = net_number(at);
	const char *begin = ++*at;

	if (!count)
		*at = strchr(begin, ')');
	for (; count; count--) {
		*at = begin;
		x = net_sequence(net, x, at);
	}
	(*at)++;
	return x;
}

static inline struct map net_word(struct net *net, struct map x, char letter, const char **at)
{
	struct window window;
	int64_t number;

	switch (letter) {
	case 'i':
		x.channels = net_number(at);
		x.rows = net_number(at);
		return net_begin(net, x.channels, x.rows, isdigit(**at) ? net_number(at) : x.rows);
	case 'c':
		number = net_channels(at, x);
		window = net_options(at, 1);
		return net_conv(net, x, number, 1, &window);
	case 'w':
		number = net_number(at);
		window = net_options(at, number);
		return net_conv(net, x, x.channels, x.channels, &window);
	case 'b':
	case 'B':
		return net_bottleneck(net, x, letter == 'B', at);
	case 'p':
	case 'a':
		number = net_number(at);
		window = net_options(at, number);
		return net_pool(net, x, letter == 'a', &window);
	case 'g':
		return net_global(net, x);
	case 'n':
		return net_normal(net, x);
	case 'r':
		return net_activate(net, x, 'r');
	case 'u':
		return net_resize(net, x, 0);
	case 'z':
		return net_resize(net, x, net_number(at));
	case 'k':
		net_classify(net, x, net_number(at));
		return x;
	case 'o':
		loom_graph_add_output(net->graph, x.name);
		return x;
	case '[':
	case '{':
		return net_branches(net, x, letter == '{', at);
	}
	fprintf(stderr, "no word of a network: %c%s\n", letter, *at);
	exit(1);
}

/* Up to the end of the text or of a bracket. */
static inline struct map net_sequence(struct net *net, struct map x, const char **at)
{
	for (;; x = isdigit(**at) ? net_repeat(net, x, at) : net_word(net, x, *(*at)++, at)) {
		*at += strspn(*at, " ");
		if (!**at || strchr(";]})", **at))
			return x;
	}
}

/* Before the input of a network. */
static const struct map no_map = { .channels = 0 };

/* Adds the words of a line behind @x. Return: the last map. */
static inline struct map __attribute__((format(printf, 3, 4)))
net_words(struct net *net, struct map x, const char *format, ...)
{
	char text[512];
	const char *at = text;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return net_sequence(net, x, &at);
}

/* ---------------------------------------------------------------- networks */

/**
 * struct network - a published network
 * @name: its name
 * @words: its layers, in lines
 * @build: adds them, where it has no words
 * @real: in f32
 * @same: padding is TensorFlow's "SAME"
 * @function: its convolutions are followed by a function of bytes
 */
struct network {
	const char *name;
	const char *words[6];
	void (*build)(struct net *net);
	bool real;
	bool same;
	bool function;
};

/* A finished graph; a bench that cannot have one ends. */
static inline struct loom_graph *net_open(struct net *net, const struct network *network)
{
	struct loom_error err = { .text = "out of memory" };
	const char *const *line = network->words, *at;
	struct map x = no_map;
	int ret;

	*net = (struct net){
		.real = network->real, .same = network->same, .function = network->function,
	};
	ret = loom_graph_create(network->name, 20, &net->graph);
	if (!ret && network->build)
		network->build(net);
	for (; !ret && *line; line++) {
		at = *line;
		x = net_sequence(net, x, &at);
	}
	if (ret || loom_graph_finish(net->graph, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", network->name, err.text);
		exit(1);
	}
	return net->graph;
}

/* Frees the graph, and constants that it refers to. */
static inline void net_close(struct net *net)
{
	unsigned int i;

	loom_graph_destroy(net->graph);
	for (i = 0; i < net->num_weights; i++)
		free(net->weights[i]);
}

#endif /* LOOM_BENCH_NET_H */
