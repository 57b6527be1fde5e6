/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_SHAPES_H
#define LOOM_BENCH_SHAPES_H

/*
 * Networks by their published layers. Weights are graph inputs: their values do not matter, and
 * inputs are not in the arena. BatchNormalization behind a convolution is already in its weights,
 * as converters do it; activations are nodes, which the graph fuses.
 *
 *	mobilenet_v1	Howard et al. 2017, table 1; 224x224, 1001 classes as in TensorFlow's
 *	mobilenet_v2	Sandler et al. 2018, table 2; 224x224, 1001 classes
 *	resnet50	He et al. 2015, table 1; stride in the 3x3 convolution (v1.5)
 *	inception_v3	Szegedy et al. 2015, as released: 299x299, without the auxiliary head
 *	densenet121	Huang et al. 2016, table 1; BatchNormalization in front of a convolution
 *			stays a node
 *	deeplab_v3	Chen et al. 2017 on MobileNet v2, as published for phones: 257x257,
 *			half the channels, output stride 8, image pooling and one 1x1 branch
 *	darts		Liu et al. 2018, the second-order cells on ImageNet: 48 channels, 14 cells.
 *			Irregular cells, whose orders differ; the peak is in the stem
 */

#include "loom.h"
#include "loom_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct net - a network under construction
 * @graph: the graph
 * @count: names made up so far
 * @attrs: attributes of the next node
 * @num_attrs: number of @attrs
 * @ints: what they point to
 */
struct net {
	struct loom_graph *graph;
	unsigned int count;
	struct loom_attr attrs[4];
	uint32_t num_attrs;
	int64_t ints[4][4];
};

/**
 * struct tensor - a value, [1, channels, rows, columns]
 * @name: its name
 * @channels: its channels
 * @rows: rows, and columns: all of them are square
 */
struct tensor {
	char name[16];
	int64_t channels;
	int64_t rows;
};

/** enum activation - what follows a convolution */
enum activation { LINEAR, RELU, RELU6 };

static inline struct tensor net_tensor(struct net *net, int64_t channels, int64_t rows)
{
	struct tensor tensor = { .channels = channels, .rows = rows };

	snprintf(tensor.name, sizeof(tensor.name), "t%u", net->count++);
	return tensor;
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

static inline void net_node(struct net *net, const char *op, uint32_t num_inputs,
			    const char *const *inputs, const char *output)
{
	struct loom_node_desc desc = {
		.name = output, .op_type = op, .inputs = inputs, .num_inputs = num_inputs,
		.outputs = &output, .num_outputs = 1, .attrs = net->attrs,
		.num_attrs = net->num_attrs,
	};

	loom_graph_add_node(net->graph, &desc);
	net->num_attrs = 0;
}

static inline struct tensor net_input(struct net *net, uint32_t rank, const int64_t *dims)
{
	struct tensor tensor = net_tensor(net, dims[rank > 1], rank > 2 ? dims[2] : 1);
	struct loom_tensor_info info = {
		.name = tensor.name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank,
	};

	memcpy(info.dims, dims, rank * sizeof(*dims));
	loom_graph_add_input(net->graph, &info);
	return tensor;
}

static inline struct tensor net_image(struct net *net, int64_t rows)
{
	return net_input(net, 4, (int64_t[]){ 1, 3, rows, rows });
}

static inline struct tensor net_relu(struct net *net, struct tensor x)
{
	struct tensor y = net_tensor(net, x.channels, x.rows);

	net_node(net, "Relu", 1, (const char *const[]){ x.name }, y.name);
	return y;
}

static inline struct tensor net_activate(struct net *net, struct tensor x, enum activation act)
{
	struct tensor y;

	if (act == LINEAR)
		return x;
	if (act == RELU)
		return net_relu(net, x);
	y = net_tensor(net, x.channels, x.rows);
	net_node(net, "Clip", 3, (const char *const[]){ x.name, "zero", "six" }, y.name);
	return y;
}

/**
 * struct window - of a convolution or a pool
 * @rows: rows of the kernel
 * @columns: columns of the kernel
 * @stride: both ways
 * @dilation: both ways
 * @valid: nothing is padded; else the result is as large as the operand over the stride
 */
struct window {
	int64_t rows;
	int64_t columns;
	int64_t stride;
	int64_t dilation;
	bool valid;
};

static inline struct window square(int64_t kernel, int64_t stride)
{
	return (struct window){
		.rows = kernel, .columns = kernel, .stride = stride, .dilation = 1,
	};
}

static inline struct window valid(int64_t kernel, int64_t stride)
{
	struct window window = square(kernel, stride);

	window.valid = true;
	return window;
}

static inline int64_t net_window(struct net *net, int64_t rows, const struct window *window)
{
	int64_t reach_rows = (window->rows - 1) * window->dilation;
	int64_t reach_columns = (window->columns - 1) * window->dilation;
	int64_t out = window->valid ? (rows - reach_rows - 1) / window->stride + 1 :
				      (rows + window->stride - 1) / window->stride;
	int64_t add_rows = 0, add_columns = 0, pads[4];

	if (!window->valid) {
		add_rows = max((out - 1) * window->stride + reach_rows + 1 - rows, (int64_t)0);
		add_columns = max((out - 1) * window->stride + reach_columns + 1 - rows,
				  (int64_t)0);
	}
	net_ints(net, "strides", 2, (int64_t[]){ window->stride, window->stride });
	pads[0] = add_rows / 2;
	pads[1] = add_columns / 2;
	pads[2] = add_rows - add_rows / 2;
	pads[3] = add_columns - add_columns / 2;
	net_ints(net, "pads", 4, pads);
	return out;
}

/* @groups: 1, or as many as there are channels */
static inline struct tensor net_conv(struct net *net, struct tensor x, int64_t channels,
				     struct window window, int64_t groups, enum activation act)
{
	const int64_t dims[] = { channels, x.channels / groups, window.rows, window.columns };
	struct tensor y, w = net_input(net, 4, dims);
	int64_t rows = net_window(net, x.rows, &window);

	net_ints(net, "dilations", 2, (int64_t[]){ window.dilation, window.dilation });
	net_int(net, "group", groups);
	y = net_tensor(net, channels, rows);
	net_node(net, "Conv", 2, (const char *const[]){ x.name, w.name }, y.name);
	return net_activate(net, y, act);
}

static inline struct tensor net_pool(struct net *net, struct tensor x, const char *op,
				     struct window window)
{
	int64_t rows = net_window(net, x.rows, &window);
	struct tensor y = net_tensor(net, x.channels, rows);

	net_ints(net, "kernel_shape", 2, (int64_t[]){ window.rows, window.columns });
	net_node(net, op, 1, (const char *const[]){ x.name }, y.name);
	return y;
}

static inline struct tensor net_add(struct net *net, struct tensor a, struct tensor b)
{
	struct tensor y = net_tensor(net, a.channels, a.rows);

	net_node(net, "Add", 2, (const char *const[]){ a.name, b.name }, y.name);
	return y;
}

static inline struct tensor net_concat(struct net *net, uint32_t count, const struct tensor *xs)
{
	const char *names[8];
	int64_t channels = 0;
	struct tensor y;
	uint32_t i;

	for (i = 0; i < count; i++) {
		names[i] = xs[i].name;
		channels += xs[i].channels;
	}
	y = net_tensor(net, channels, xs[0].rows);
	net_int(net, "axis", 1);
	net_node(net, "Concat", count, names, y.name);
	return y;
}

/* Global pooling, a fully connected layer, a softmax. */
static inline void net_classify(struct net *net, struct tensor x, int64_t classes)
{
	struct tensor pooled = net_tensor(net, x.channels, 1), flat, logits, y, w;

	net_node(net, "GlobalAveragePool", 1, (const char *const[]){ x.name }, pooled.name);
	flat = net_tensor(net, x.channels, 1);
	net_node(net, "Flatten", 1, (const char *const[]){ pooled.name }, flat.name);
	w = net_input(net, 2, (int64_t[]){ x.channels, classes });
	logits = net_tensor(net, classes, 1);
	net_node(net, "Gemm", 2, (const char *const[]){ flat.name, w.name }, logits.name);
	y = net_tensor(net, classes, 1);
	net_node(net, "Softmax", 1, (const char *const[]){ logits.name }, y.name);
	loom_graph_add_output(net->graph, y.name);
}

static inline void mobilenet_v1(struct net *net)
{
	static const struct {
		int64_t channels;
		int64_t stride;
	} blocks[] = {
		{ 64, 1 }, { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 }, { 512, 2 }, { 512, 1 },
		{ 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 1024, 2 }, { 1024, 1 },
	};
	struct tensor x = net_conv(net, net_image(net, 224), 32, square(3, 2), 1, RELU6);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		x = net_conv(net, x, x.channels, square(3, blocks[i].stride), x.channels, RELU6);
		x = net_conv(net, x, blocks[i].channels, square(1, 1), 1, RELU6);
	}
	net_classify(net, x, 1001);
}

/* A multiple of 8, and not more than a tenth below. */
static inline int64_t mobilenet_width(int64_t channels, int64_t percent)
{
	int64_t rounded = max((channels * percent / 100 + 4) / 8 * 8, (int64_t)8);

	return rounded * 10 < channels * percent / 100 * 9 ? rounded + 8 : rounded;
}

static inline struct tensor mobilenet_v2_block(struct net *net, struct tensor x, int64_t factor,
					       int64_t channels, int64_t stride, int64_t dilation)
{
	struct window window = square(3, stride);
	struct tensor y = x;

	window.dilation = dilation;
	if (factor > 1)
		y = net_conv(net, y, x.channels * factor, square(1, 1), 1, RELU6);
	y = net_conv(net, y, y.channels, window, y.channels, RELU6);
	y = net_conv(net, y, channels, square(1, 1), 1, LINEAR);
	return stride == 1 && channels == x.channels ? net_add(net, x, y) : y;
}

/* All but the last convolution; @output_stride: strides become dilations from there on. */
static inline struct tensor mobilenet_v2_body(struct net *net, int64_t rows, int64_t percent,
					      int64_t output_stride)
{
	static const struct {
		int64_t factor;
		int64_t channels;
		int64_t count;
		int64_t stride;
	} groups[] = {
		{ 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
		{ 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
	};
	int64_t stride, so_far = 2, dilation = 1, rate, k;
	struct tensor x;
	size_t i;

	x = net_conv(net, net_image(net, rows), mobilenet_width(32, percent), square(3, 2), 1,
		     RELU6);
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (k = 0; k < groups[i].count; k++) {
			stride = k ? 1 : groups[i].stride;
			rate = dilation;
			if (so_far == output_stride) {
				dilation *= stride;
				stride = 1;
			}
			so_far *= stride;
			x = mobilenet_v2_block(net, x, groups[i].factor,
					       mobilenet_width(groups[i].channels, percent),
					       stride, rate);
		}
	}
	return x;
}

static inline void mobilenet_v2(struct net *net)
{
	struct tensor x = mobilenet_v2_body(net, 224, 100, 32);

	net_classify(net, net_conv(net, x, 1280, square(1, 1), 1, RELU6), 1001);
}

static inline struct tensor resnet_block(struct net *net, struct tensor x, int64_t channels,
					 int64_t stride)
{
	struct tensor y = net_conv(net, x, channels, square(1, 1), 1, RELU);

	y = net_conv(net, y, channels, square(3, stride), 1, RELU);
	y = net_conv(net, y, 4 * channels, square(1, 1), 1, LINEAR);
	if (x.channels != y.channels || stride > 1)
		x = net_conv(net, x, 4 * channels, square(1, stride), 1, LINEAR);
	return net_relu(net, net_add(net, y, x));
}

static inline void resnet50(struct net *net)
{
	static const int64_t counts[] = { 3, 4, 6, 3 };
	struct tensor x = net_conv(net, net_image(net, 224), 64, square(7, 2), 1, RELU);
	int64_t k;
	size_t i;

	x = net_pool(net, x, "MaxPool", square(3, 2));
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		for (k = 0; k < counts[i]; k++)
			x = resnet_block(net, x, 64 << i, !k && i ? 2 : 1);
	net_classify(net, x, 1000);
}

/**
 * struct branch - convolutions one after the other
 * @count: number of them
 * @kernels: rows and columns of each
 */
struct branch {
	uint32_t count;
	int64_t kernels[5][2];
};

static inline struct tensor net_branch(struct net *net, struct tensor x,
				       const struct branch *branch, const int64_t *channels)
{
	struct window window = square(1, 1);
	uint32_t i;

	for (i = 0; i < branch->count; i++) {
		window.rows = branch->kernels[i][0];
		window.columns = branch->kernels[i][1];
		x = net_conv(net, x, channels[i], window, 1, RELU);
	}
	return x;
}

/* the channels of each convolution come last */
#define INCEPTION_ROW(net, x, branch, ...) \
	net_branch(net, x, &(branch), (const int64_t[]){ __VA_ARGS__ })

static const struct branch inception_1 = { 1, { { 1, 1 } } };
static const struct branch inception_15 = { 2, { { 1, 1 }, { 5, 5 } } };
static const struct branch inception_13 = { 2, { { 1, 1 }, { 3, 3 } } };
static const struct branch inception_133 = { 3, { { 1, 1 }, { 3, 3 }, { 3, 3 } } };
static const struct branch inception_17 = { 3, { { 1, 1 }, { 1, 7 }, { 7, 1 } } };
static const struct branch inception_177 = {
	5, { { 1, 1 }, { 7, 1 }, { 1, 7 }, { 7, 1 }, { 1, 7 } }
};

static const struct branch inception_wide = { 1, { { 1, 3 } } };
static const struct branch inception_high = { 1, { { 3, 1 } } };

static inline struct tensor inception_pool(struct net *net, struct tensor x, int64_t channels)
{
	x = net_pool(net, x, "AveragePool", square(3, 1));
	return INCEPTION_ROW(net, x, inception_1, channels);
}

static inline struct tensor inception_a(struct net *net, struct tensor x, int64_t pooled)
{
	struct tensor b[4];

	b[0] = INCEPTION_ROW(net, x, inception_1, 64);
	b[1] = INCEPTION_ROW(net, x, inception_15, 48, 64);
	b[2] = INCEPTION_ROW(net, x, inception_133, 64, 96, 96);
	b[3] = inception_pool(net, x, pooled);
	return net_concat(net, 4, b);
}

static inline struct tensor inception_b(struct net *net, struct tensor x)
{
	struct tensor b[3];

	b[0] = net_conv(net, x, 384, valid(3, 2), 1, RELU);
	b[1] = INCEPTION_ROW(net, x, inception_13, 64, 96);
	b[1] = net_conv(net, b[1], 96, valid(3, 2), 1, RELU);
	b[2] = net_pool(net, x, "MaxPool", valid(3, 2));
	return net_concat(net, 3, b);
}

static inline struct tensor inception_c(struct net *net, struct tensor x, int64_t channels)
{
	struct tensor b[4];

	b[0] = INCEPTION_ROW(net, x, inception_1, 192);
	b[1] = INCEPTION_ROW(net, x, inception_17, channels, channels, 192);
	b[2] = INCEPTION_ROW(net, x, inception_177, channels, channels, channels, channels, 192);
	b[3] = inception_pool(net, x, 192);
	return net_concat(net, 4, b);
}

static inline struct tensor inception_d(struct net *net, struct tensor x)
{
	struct tensor b[3];

	b[0] = INCEPTION_ROW(net, x, inception_1, 192);
	b[0] = net_conv(net, b[0], 320, valid(3, 2), 1, RELU);
	b[1] = INCEPTION_ROW(net, x, inception_17, 192, 192, 192);
	b[1] = net_conv(net, b[1], 192, valid(3, 2), 1, RELU);
	b[2] = net_pool(net, x, "MaxPool", valid(3, 2));
	return net_concat(net, 3, b);
}

static inline struct tensor inception_fork(struct net *net, struct tensor x)
{
	struct tensor b[2];

	b[0] = INCEPTION_ROW(net, x, inception_wide, 384);
	b[1] = INCEPTION_ROW(net, x, inception_high, 384);
	return net_concat(net, 2, b);
}

static inline struct tensor inception_e(struct net *net, struct tensor x)
{
	struct tensor b[4];

	b[0] = INCEPTION_ROW(net, x, inception_1, 320);
	b[1] = inception_fork(net, INCEPTION_ROW(net, x, inception_1, 384));
	b[2] = inception_fork(net, INCEPTION_ROW(net, x, inception_13, 448, 384));
	b[3] = inception_pool(net, x, 192);
	return net_concat(net, 4, b);
}

static inline void inception_v3(struct net *net)
{
	static const int64_t middle[] = { 128, 160, 160, 192 };
	struct tensor x = net_conv(net, net_image(net, 299), 32, valid(3, 2), 1, RELU);
	size_t i;

	x = net_conv(net, x, 32, valid(3, 1), 1, RELU);
	x = net_conv(net, x, 64, square(3, 1), 1, RELU);
	x = net_pool(net, x, "MaxPool", valid(3, 2));
	x = net_conv(net, x, 80, valid(1, 1), 1, RELU);
	x = net_conv(net, x, 192, valid(3, 1), 1, RELU);
	x = net_pool(net, x, "MaxPool", valid(3, 2));
	x = inception_a(net, x, 32);
	x = inception_a(net, x, 64);
	x = inception_a(net, x, 64);
	x = inception_b(net, x);
	for (i = 0; i < ARRAY_SIZE(middle); i++)
		x = inception_c(net, x, middle[i]);
	x = inception_d(net, x);
	x = inception_e(net, x);
	x = inception_e(net, x);
	net_classify(net, x, 1001);
}

/* BatchNormalization in front of a convolution: a scale and a shift, then Relu. */
static inline struct tensor densenet_normal(struct net *net, struct tensor x)
{
	struct tensor scale = net_input(net, 3, (int64_t[]){ x.channels, 1, 1 });
	struct tensor shift = net_input(net, 3, (int64_t[]){ x.channels, 1, 1 });
	struct tensor scaled = net_tensor(net, x.channels, x.rows), y;

	net_node(net, "Mul", 2, (const char *const[]){ x.name, scale.name }, scaled.name);
	y = net_tensor(net, x.channels, x.rows);
	net_node(net, "Add", 2, (const char *const[]){ scaled.name, shift.name }, y.name);
	return net_relu(net, y);
}

static inline void densenet121(struct net *net)
{
	static const int64_t counts[] = { 6, 12, 24, 16 };
	struct tensor x = net_conv(net, net_image(net, 224), 64, square(7, 2), 1, RELU), y;
	int64_t k;
	size_t i;

	x = net_pool(net, x, "MaxPool", square(3, 2));
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (k = 0; k < counts[i]; k++) {
			y = net_conv(net, densenet_normal(net, x), 128, square(1, 1), 1, RELU);
			y = net_conv(net, y, 32, square(3, 1), 1, LINEAR);
			x = net_concat(net, 2, (struct tensor[]){ x, y });
		}
		x = densenet_normal(net, x);
		if (i + 1 == ARRAY_SIZE(counts))
			break;
		x = net_conv(net, x, x.channels / 2, square(1, 1), 1, LINEAR);
		x = net_pool(net, x, "AveragePool", square(2, 2));
	}
	net_classify(net, x, 1000);
}

static inline struct tensor net_resize(struct net *net, struct tensor x, int64_t rows)
{
	struct tensor y = net_tensor(net, x.channels, rows);
	const int64_t sizes[] = { 1, x.channels, rows, rows };
	char name[24];
	struct loom_array array = {
		.name = name, .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 4 },
		.data = (void *)sizes, .size_bytes = sizeof(sizes),
	};

	snprintf(name, sizeof(name), "%s.sizes", y.name);
	loom_graph_add_const(net->graph, &array);
	net->attrs[net->num_attrs++] = (struct loom_attr){
		.name = "mode", .type = LOOM_ATTR_STRING, .string = "linear",
	};
	net->attrs[net->num_attrs++] = (struct loom_attr){
		.name = "coordinate_transformation_mode", .type = LOOM_ATTR_STRING,
		.string = "align_corners",
	};
	net_node(net, "Resize", 4, (const char *const[]){ x.name, "", "", name }, y.name);
	return y;
}

static inline void deeplab_v3(struct net *net)
{
	struct tensor x = mobilenet_v2_body(net, 257, 50, 8), pooled, b[2];

	pooled = net_tensor(net, x.channels, 1);
	net_node(net, "GlobalAveragePool", 1, (const char *const[]){ x.name }, pooled.name);
	pooled = net_conv(net, pooled, 256, square(1, 1), 1, RELU);
	b[0] = net_resize(net, pooled, x.rows);
	b[1] = net_conv(net, x, 256, square(1, 1), 1, RELU);
	x = net_conv(net, net_concat(net, 2, b), 256, square(1, 1), 1, RELU);
	x = net_conv(net, x, 21, square(1, 1), 1, LINEAR);
	x = net_resize(net, x, 257);
	loom_graph_add_output(net->graph, x.name);
}

static inline struct tensor darts_relu_conv(struct net *net, struct tensor x, int64_t channels)
{
	return net_conv(net, net_relu(net, x), channels, square(1, 1), 1, LINEAR);
}

/* Half the rows: two convolutions, a pixel apart. */
static inline struct tensor darts_halve(struct net *net, struct tensor x, int64_t channels)
{
	struct tensor b[2];

	x = net_relu(net, x);
	b[0] = net_conv(net, x, channels / 2, square(1, 2), 1, LINEAR);
	b[1] = net_conv(net, x, channels / 2, square(1, 2), 1, LINEAR);
	return net_concat(net, 2, b);
}

static inline struct tensor darts_separable(struct net *net, struct tensor x, int64_t dilation)
{
	struct window window = square(3, 1);

	window.dilation = dilation;
	x = net_relu(net, x);
	x = net_conv(net, x, x.channels, window, x.channels, LINEAR);
	return net_conv(net, x, x.channels, square(1, 1), 1, LINEAR);
}

/** enum darts_op - what lies on an edge of a cell: a separable convolution is two in a row */
enum darts_op { SEPARABLE, DILATED, SKIP, POOL };

/**
 * struct darts_edge - an edge of a cell
 * @op: what lies on it
 * @from: the state that it comes from; 0 and 1 are the cells before
 */
struct darts_edge {
	enum darts_op op;
	uint32_t from;
};

static inline struct tensor darts_edge(struct net *net, struct tensor x, struct darts_edge edge,
				       bool reduce)
{
	bool halve = reduce && edge.from < 2;

	switch (edge.op) {
	case SEPARABLE:
		return darts_separable(net, darts_separable(net, x, 1), 1);
	case DILATED:
		return darts_separable(net, x, 2);
	case POOL:
		return net_pool(net, x, "MaxPool", square(3, halve ? 2 : 1));
	default:
		return halve ? darts_halve(net, x, x.channels) : x;
	}
}

static inline struct tensor darts_cell(struct net *net, struct tensor before, struct tensor last,
				       int64_t channels, bool reduce)
{
	static const struct darts_edge edges[2][8] = {
		{
			{ SEPARABLE, 0 }, { SEPARABLE, 1 }, { SEPARABLE, 0 }, { SEPARABLE, 1 },
			{ SEPARABLE, 1 }, { SKIP, 0 }, { SKIP, 0 }, { DILATED, 2 },
		}, {
			{ POOL, 0 }, { POOL, 1 }, { SKIP, 2 }, { POOL, 1 },
			{ POOL, 0 }, { SKIP, 2 }, { SKIP, 2 }, { POOL, 1 },
		},
	};
	struct tensor states[6], a, b;
	uint32_t i;

	states[0] = before.rows > last.rows ? darts_halve(net, before, channels) :
					      darts_relu_conv(net, before, channels);
	states[1] = darts_relu_conv(net, last, channels);
	for (i = 0; i < 4; i++) {
		const struct darts_edge *edge = &edges[reduce][2 * i];

		a = darts_edge(net, states[edge[0].from], edge[0], reduce);
		b = darts_edge(net, states[edge[1].from], edge[1], reduce);
		states[2 + i] = net_add(net, a, b);
	}
	return net_concat(net, 4, &states[2]);
}

static inline void darts(struct net *net)
{
	struct tensor before, last, next;
	int64_t channels = 48, i;

	before = net_conv(net, net_image(net, 224), channels / 2, square(3, 2), 1, RELU);
	before = net_conv(net, before, channels, square(3, 2), 1, LINEAR);
	last = net_conv(net, net_relu(net, before), channels, square(3, 2), 1, LINEAR);
	for (i = 0; i < 14; i++) {
		bool reduce = i == 14 / 3 || i == 2 * 14 / 3;

		channels <<= reduce;
		next = darts_cell(net, before, last, channels, reduce);
		before = last;
		last = next;
	}
	net_classify(net, last, 1000);
}

/**
 * struct shape - a published network
 * @name: as in the table
 * @build: adds its layers
 */
struct shape {
	const char *name;
	void (*build)(struct net *net);
};

static const struct shape shapes[] = {
	{ "MobileNet v1", mobilenet_v1 },
	{ "MobileNet v2", mobilenet_v2 },
	{ "ResNet50", resnet50 },
	{ "Inception v3", inception_v3 },
	{ "DenseNet121", densenet121 },
	{ "DeepLab v3", deeplab_v3 },
	{ "DARTS", darts },
};

/* The finished graph, or an error in @err. */
static inline int shape_make(const struct shape *shape, struct loom_graph **graph,
			     struct loom_error *err)
{
	static const float bounds[] = { 0, 6 };
	struct net net = { .count = 0 };
	uint32_t i;
	int ret;

	ret = loom_graph_create(shape->name, 13, graph);
	if (ret)
		return ret;
	net.graph = *graph;
	for (i = 0; i < 2; i++) {
		struct loom_array array = {
			.name = i ? "six" : "zero", .dtype = DRM_LOOM_DTYPE_F32,
			.data = (void *)&bounds[i], .size_bytes = sizeof(float),
		};

		loom_graph_add_const(*graph, &array);
	}
	shape->build(&net);
	return loom_graph_finish(*graph, NULL, err);
}

#endif /* LOOM_BENCH_SHAPES_H */
