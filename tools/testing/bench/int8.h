/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_INT8_H
#define LOOM_BENCH_INT8_H

/*
 * Published networks as they run in eight bits: shapes only, weights are zeroes. Convolutions are
 * QLinearConv with their activation inside, sums of branches are additions of bytes, and the last
 * pool, which is a mean, is a maximum here: it moves as much.
 *
 *	mobilenet_v2	Sandler et al. 2018, table 2; 224x224, 1000 classes
 *	resnet50	He et al. 2015, table 1; stride in the 3x3 convolution (v1.5)
 *	vgg16		Simonyan and Zisserman 2014, D: the convolutions
 *	googlenet	Szegedy et al. 2014, table 1
 *	yolov5s		as released (v6), 640x640, without what turns maps into boxes
 */

#include "loom.h"
#include "loom_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct int8_net - a network under construction
 * @graph: the graph
 * @count: names made up so far
 * @weights: constants, which outlive nothing
 * @num_weights: number of @weights
 */
struct int8_net {
	struct loom_graph *graph;
	unsigned int count;
	void *weights[1024];
	unsigned int num_weights;
};

/**
 * struct int8_map - a value, [1, channels, rows, rows]
 * @name: its name
 * @channels: its channels
 * @rows: rows, and columns
 */
struct int8_map {
	char name[16];
	int64_t channels;
	int64_t rows;
};

/*
 * Adds the layers of a network to a new graph that is not finished: for those who want to change it
 * first. Return: 0 or -ENOMEM.
 */
static inline int int8_build(struct int8_net *net, const char *name,
			     void (*build)(struct int8_net *net))
{
	int ret;

	memset(net, 0, sizeof(*net));
	ret = loom_graph_create(name, 20, &net->graph);
	if (!ret)
		build(net);
	return ret;
}

/* Frees the graph, and constants that it refers to. */
static inline void int8_close(struct int8_net *net)
{
	unsigned int i;

	loom_graph_destroy(net->graph);
	for (i = 0; i < net->num_weights; i++)
		free(net->weights[i]);
}

/* A finished graph; a bench that cannot have one ends. */
static inline struct loom_graph *int8_open(struct int8_net *net, const char *name,
					   void (*build)(struct int8_net *net))
{
	struct loom_error err = { .text = "out of memory" };

	if (int8_build(net, name, build) || loom_graph_finish(net->graph, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.text);
		exit(1);
	}
	return net->graph;
}

static inline struct int8_map int8_make(struct int8_net *net, int64_t channels, int64_t rows)
{
	struct int8_map map = { .channels = channels, .rows = rows };

	snprintf(map.name, sizeof(map.name), "t%u", net->count++);
	return map;
}

static inline void int8_node(struct int8_net *net, const char *op, uint32_t num_inputs,
			     const char *const *inputs, const char *output,
			     const struct loom_attr *attrs, uint32_t num_attrs)
{
	struct loom_node_desc desc = {
		.name = output, .op_type = op, .inputs = inputs, .num_inputs = num_inputs,
		.outputs = &output, .num_outputs = 1, .attrs = attrs, .num_attrs = num_attrs,
	};

	loom_graph_add_node(net->graph, &desc);
}

static inline void int8_const(struct int8_net *net, const char *name, uint32_t dtype,
			      uint32_t rank, const int64_t *dims, void *data)
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
	array.data = data ? data : calloc(1, array.size_bytes);
	loom_graph_add_const(net->graph, &array);
	if (!data)
		net->weights[net->num_weights++] = array.data;
}

static inline struct int8_map int8_begin_channels(struct int8_net *net, int64_t channels,
						  int64_t rows)
{
	static float scale = 0.05f;
	static uint8_t zero;
	struct loom_tensor_info info = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_U8, .rank = 4,
		.dims = { 1, channels, rows, rows },
	};

	loom_graph_add_input(net->graph, &info);
	int8_const(net, "scale", DRM_LOOM_DTYPE_F32, 0, NULL, &scale);
	int8_const(net, "zero", DRM_LOOM_DTYPE_U8, 0, NULL, &zero);
	return (struct int8_map){ .name = "x", .channels = channels, .rows = rows };
}

static inline struct int8_map int8_begin(struct int8_net *net, int64_t rows)
{
	return int8_begin_channels(net, 3, rows);
}

/**
 * struct int8_window - the window of a convolution or pool, on the rows of a map
 * @kernel: rows and columns
 * @stride: of both
 * @pads: as in ONNX: begin of rows, of columns, end of rows, of columns
 * @groups: of a convolution
 */
struct int8_window {
	int64_t kernel[2];
	int64_t stride;
	int64_t pads[4];
	int64_t groups;
};

/* A window in the middle of its padding, or without any. */
static inline struct int8_window int8_window(int64_t rows, int64_t columns, int64_t stride,
					     bool valid)
{
	int64_t top = valid ? 0 : (rows - 1) / 2, left = valid ? 0 : (columns - 1) / 2;

	return (struct int8_window){
		.kernel = { rows, columns }, .stride = stride, .pads = { top, left, top, left },
		.groups = 1,
	};
}

static inline struct int8_map int8_window_conv(struct int8_net *net, struct int8_map x,
					       int64_t channels, struct int8_window window)
{
	const int64_t dims[] = {
		channels, x.channels / window.groups, window.kernel[0], window.kernel[1],
	};
	const int64_t strides[] = { window.stride, window.stride };
	const struct loom_attr attrs[] = {
		{ .name = "strides", .type = LOOM_ATTR_INTS, .count = 2, .ints = strides },
		{ .name = "pads", .type = LOOM_ATTR_INTS, .count = 4, .ints = window.pads },
		{ .name = "group", .type = LOOM_ATTR_INT, .count = 1, .ints = &window.groups },
	};
	int64_t rows = x.rows + window.pads[0] + window.pads[2] - window.kernel[0];
	struct int8_map y = int8_make(net, channels, rows / window.stride + 1);
	struct int8_map w = int8_make(net, 0, 0);
	const char *const inputs[] = {
		x.name, "scale", "zero", w.name, "scale", "zero", "scale", "zero",
	};

	int8_const(net, w.name, DRM_LOOM_DTYPE_U8, 4, dims, NULL);
	int8_node(net, "QLinearConv", 8, inputs, y.name, attrs, 3);
	return y;
}

static inline struct int8_map int8_conv(struct int8_net *net, struct int8_map x, int64_t channels,
					int64_t kernel, int64_t stride, int64_t groups)
{
	struct int8_window window = int8_window(kernel, kernel, stride, false);

	window.groups = groups;
	return int8_window_conv(net, x, channels, window);
}

static inline struct int8_map int8_pool(struct int8_net *net, struct int8_map x, int64_t kernel,
					int64_t stride, int64_t pad, int64_t ceil_mode)
{
	const int64_t kernels[] = { kernel, kernel }, strides[] = { stride, stride };
	const int64_t pads[] = { pad, pad, pad, pad };
	const struct loom_attr attrs[] = {
		{ .name = "kernel_shape", .type = LOOM_ATTR_INTS, .count = 2, .ints = kernels },
		{ .name = "strides", .type = LOOM_ATTR_INTS, .count = 2, .ints = strides },
		{ .name = "pads", .type = LOOM_ATTR_INTS, .count = 4, .ints = pads },
		{ .name = "ceil_mode", .type = LOOM_ATTR_INT, .count = 1, .ints = &ceil_mode },
	};
	int64_t rows = (x.rows + 2 * pad - kernel + (ceil_mode ? stride - 1 : 0)) / stride + 1;
	struct int8_map y = int8_make(net, x.channels, rows);

	int8_node(net, "MaxPool", 1, (const char *const[]){ x.name }, y.name, attrs, 4);
	return y;
}

static inline struct int8_map int8_add(struct int8_net *net, struct int8_map a, struct int8_map b)
{
	struct int8_map y = int8_make(net, a.channels, a.rows);

	int8_node(net, "Add", 2, (const char *const[]){ a.name, b.name }, y.name, NULL, 0);
	return y;
}

static inline struct int8_map int8_concat(struct int8_net *net, uint32_t count,
					  const struct int8_map *parts)
{
	static const int64_t one = 1;
	const struct loom_attr axis = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &one,
	};
	const char *inputs[64];
	int64_t channels = 0;
	struct int8_map y;
	uint32_t i;

	for (i = 0; i < count; i++) {
		inputs[i] = parts[i].name;
		channels += parts[i].channels;
	}
	y = int8_make(net, channels, parts[0].rows);
	int8_node(net, "Concat", count, inputs, y.name, &axis, 1);
	return y;
}

static inline void int8_mobilenet_v2(struct int8_net *net)
{
	static const int64_t table[][4] = {
		{ 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
		{ 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
	};
	struct int8_map x = int8_conv(net, int8_begin(net, 224), 32, 3, 2, 1), y;
	int64_t n, stride;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (n = 0; n < table[i][2]; n++) {
			stride = n ? 1 : table[i][3];
			y = table[i][0] == 1 ? x :
			    int8_conv(net, x, x.channels * table[i][0], 1, 1, 1);
			y = int8_conv(net, y, y.channels, 3, stride, y.channels);
			y = int8_conv(net, y, table[i][1], 1, 1, 1);
			x = n ? int8_add(net, x, y) : y;
		}
	}
	x = int8_conv(net, x, 1280, 1, 1, 1);
	x = int8_conv(net, int8_pool(net, x, 7, 1, 0, 0), 1000, 1, 1, 1);
	loom_graph_add_output(net->graph, x.name);
}

static inline void int8_resnet50(struct int8_net *net)
{
	static const int64_t blocks[] = { 3, 4, 6, 3 };
	struct int8_map x = int8_conv(net, int8_begin(net, 224), 64, 7, 2, 1), y;
	int64_t n, stride;
	uint32_t i;

	x = int8_pool(net, x, 3, 2, 1, 0);
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		for (n = 0; n < blocks[i]; n++) {
			stride = i && !n ? 2 : 1;
			y = int8_conv(net, x, 64 << i, 1, 1, 1);
			y = int8_conv(net, y, 64 << i, 3, stride, 1);
			y = int8_conv(net, y, 256 << i, 1, 1, 1);
			if (!n)
				x = int8_conv(net, x, 256 << i, 1, stride, 1);
			x = int8_add(net, x, y);
		}
	}
	x = int8_conv(net, int8_pool(net, x, 7, 1, 0, 0), 1000, 1, 1, 1);
	loom_graph_add_output(net->graph, x.name);
}

static inline void int8_vgg16(struct int8_net *net)
{
	static const int64_t table[] = { 64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0,
					 512, 512, 512, 0 };
	struct int8_map x = int8_begin(net, 224);
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		x = table[i] ? int8_conv(net, x, table[i], 3, 1, 1) : int8_pool(net, x, 2, 2, 0, 0);
	loom_graph_add_output(net->graph, x.name);
}

static inline void int8_googlenet(struct int8_net *net)
{
	static const int64_t table[][6] = {
		{ 64, 96, 128, 16, 32, 32 }, { 128, 128, 192, 32, 96, 64 }, { 0 },
		{ 192, 96, 208, 16, 48, 64 }, { 160, 112, 224, 24, 64, 64 },
		{ 128, 128, 256, 24, 64, 64 }, { 112, 144, 288, 32, 64, 64 },
		{ 256, 160, 320, 32, 128, 128 }, { 0 },
		{ 256, 160, 320, 32, 128, 128 }, { 384, 192, 384, 48, 128, 128 },
	};
	struct int8_map x = int8_conv(net, int8_begin(net, 224), 64, 7, 2, 1), parts[4];
	uint32_t i;

	x = int8_pool(net, x, 3, 2, 0, 1);
	x = int8_conv(net, int8_conv(net, x, 64, 1, 1, 1), 192, 3, 1, 1);
	x = int8_pool(net, x, 3, 2, 0, 1);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const int64_t *t = table[i];

		if (!t[0]) {
			x = int8_pool(net, x, 3, 2, 0, 1);
			continue;
		}
		parts[0] = int8_conv(net, x, t[0], 1, 1, 1);
		parts[1] = int8_conv(net, int8_conv(net, x, t[1], 1, 1, 1), t[2], 3, 1, 1);
		parts[2] = int8_conv(net, int8_conv(net, x, t[3], 1, 1, 1), t[4], 5, 1, 1);
		parts[3] = int8_conv(net, int8_pool(net, x, 3, 1, 1, 0), t[5], 1, 1, 1);
		x = int8_concat(net, 4, parts);
	}
	x = int8_conv(net, int8_pool(net, x, 7, 1, 0, 0), 1000, 1, 1, 1);
	loom_graph_add_output(net->graph, x.name);
}

/* A CSP bottleneck with three convolutions. */
static inline struct int8_map int8_c3(struct int8_net *net, struct int8_map x, int64_t channels,
				      int64_t count, bool shortcut)
{
	struct int8_map parts[2], y;
	int64_t n;

	parts[0] = int8_conv(net, x, channels / 2, 1, 1, 1);
	for (n = 0; n < count; n++) {
		y = int8_conv(net, parts[0], channels / 2, 1, 1, 1);
		y = int8_conv(net, y, channels / 2, 3, 1, 1);
		parts[0] = shortcut ? int8_add(net, parts[0], y) : y;
	}
	parts[1] = int8_conv(net, x, channels / 2, 1, 1, 1);
	return int8_conv(net, int8_concat(net, 2, parts), channels, 1, 1, 1);
}

static inline struct int8_map int8_double(struct int8_net *net, struct int8_map x)
{
	static const float scales[] = { 1, 1, 2, 2 };
	const struct loom_attr mode = {
		.name = "mode", .type = LOOM_ATTR_STRING, .count = 7, .string = "nearest",
	};
	const struct loom_attr coord = {
		.name = "coordinate_transformation_mode", .type = LOOM_ATTR_STRING, .count = 10,
		.string = "asymmetric",
	};
	const struct loom_attr attrs[] = { mode, coord };
	struct int8_map y = int8_make(net, x.channels, 2 * x.rows), s = int8_make(net, 0, 0);

	int8_const(net, s.name, DRM_LOOM_DTYPE_F32, 1, (int64_t[]){ 4 }, (void *)scales);
	int8_node(net, "Resize", 3, (const char *const[]){ x.name, "", s.name }, y.name, attrs, 2);
	return y;
}

static inline void int8_yolov5s(struct int8_net *net)
{
	struct int8_map x = int8_conv(net, int8_begin(net, 640), 32, 5, 2, 1), p3, p4, p5, n4, n5;
	struct int8_map parts[4], outs[3];
	uint32_t i;

	x = int8_c3(net, int8_conv(net, x, 64, 3, 2, 1), 64, 1, true);
	p3 = int8_c3(net, int8_conv(net, x, 128, 3, 2, 1), 128, 2, true);
	p4 = int8_c3(net, int8_conv(net, p3, 256, 3, 2, 1), 256, 3, true);
	x = int8_c3(net, int8_conv(net, p4, 512, 3, 2, 1), 512, 1, true);
	parts[0] = int8_conv(net, x, 256, 1, 1, 1);
	for (i = 1; i < 4; i++)
		parts[i] = int8_pool(net, parts[i - 1], 5, 1, 2, 0);
	p5 = int8_conv(net, int8_conv(net, int8_concat(net, 4, parts), 512, 1, 1, 1), 256, 1, 1, 1);
	parts[0] = int8_double(net, p5);
	parts[1] = p4;
	n4 = int8_conv(net, int8_c3(net, int8_concat(net, 2, parts), 256, 1, false), 128, 1, 1, 1);
	parts[0] = int8_double(net, n4);
	parts[1] = p3;
	outs[0] = int8_c3(net, int8_concat(net, 2, parts), 128, 1, false);
	parts[0] = int8_conv(net, outs[0], 128, 3, 2, 1);
	parts[1] = n4;
	outs[1] = int8_c3(net, int8_concat(net, 2, parts), 256, 1, false);
	n5 = int8_conv(net, outs[1], 256, 3, 2, 1);
	parts[0] = n5;
	parts[1] = p5;
	outs[2] = int8_c3(net, int8_concat(net, 2, parts), 512, 1, false);
	for (i = 0; i < 3; i++) {
		x = int8_conv(net, outs[i], 255, 1, 1, 1);
		loom_graph_add_output(net->graph, x.name);
	}
}

#endif /* LOOM_BENCH_INT8_H */
