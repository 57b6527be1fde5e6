/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_MCU_H
#define LOOM_BENCH_MCU_H

/*
 * Published networks for microcontrollers, in eight bits: shapes only, as in int8.h.
 *
 * Chains of msf-CNN (arXiv 2505.11483; its repository TinyPART/msf-CNN, analysis_optimization.py):
 * convolutions only, without the additions of the networks that they are taken from, up to the
 * last convolution. Their multiply-accumulates are those that its results give.
 *
 *	mbv2_w035	MobileNetV2, width 0.35, 144x144x3: 18,909,490
 *	mcunetv2_vww	MCUNetV2-VWW-5fps, 80x80x3: 11,578,496
 *	mcunet_320k	MCUNet-320KB-ImageNet, 176x176x3: 81,625,520
 *
 * MLPerf Tiny's, as in their .tflite files, without softmax; the mean at the end is a maximum:
 *
 *	vww_96		MobileNetV1, width 0.25, 96x96x3
 *	kws		DS-CNN, 49x10x1
 *	resnet8		32x32x3
 *
 * From the tables of TinyEngine's README. MCUNet's nets are by kernels, expansions and channels of
 * each block, with additions, the pool and the classifier; the others are MobileNetV2's, whose
 * channels are multiples of eight:
 *
 *	mcunet_in0	MCUNet at 10 frames a second, 48x48x3
 *	mcunet_in1	at 5 frames a second, 96x96x3
 *	mcunet_in2	for 256 KB, 160x160x3
 *	mcunet_in3	for 320 KB, 176x176x3
 *	mcunet_in4	for 512 KB, 160x160x3
 *	mbv2_w035_r144	MobileNetV2, width 0.35, 144x144x3
 *	mbv2_w03_r64	MobileNetV2, width 0.3, 64x64x3
 */

#include "int8.h"

/**
 * struct mcu_map - a value, [1, channels, rows, columns]
 * @name: its name
 * @channels: its channels
 * @rows: its rows
 * @columns: its columns
 */
struct mcu_map {
	char name[16];
	int64_t channels;
	int64_t rows;
	int64_t columns;
};

/**
 * struct mcu_window - what a convolution or a pool looks at
 * @rows: rows of the window
 * @columns: its columns
 * @stride: of both
 * @pads: before and behind rows and columns: top, left, bottom, right
 */
struct mcu_window {
	int64_t rows;
	int64_t columns;
	int64_t stride;
	int64_t pads[4];
};

static inline struct mcu_map mcu_begin(struct int8_net *net, int64_t channels, int64_t rows,
				       int64_t columns)
{
	static float scale = 0.05f;
	static uint8_t zero;
	struct loom_tensor_info info = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_U8, .rank = 4,
		.dims = { 1, channels, rows, columns },
	};

	loom_graph_add_input(net->graph, &info);
	int8_const(net, "scale", DRM_LOOM_DTYPE_F32, 0, NULL, &scale);
	int8_const(net, "zero", DRM_LOOM_DTYPE_U8, 0, NULL, &zero);
	return (struct mcu_map){
		.name = "x", .channels = channels, .rows = rows, .columns = columns,
	};
}

static inline struct mcu_map mcu_make(struct int8_net *net, int64_t channels, int64_t rows,
				      int64_t columns)
{
	struct mcu_map map = { .channels = channels, .rows = rows, .columns = columns };

	snprintf(map.name, sizeof(map.name), "t%u", net->count++);
	return map;
}

/* A square window with as much padding on all sides. */
static inline struct mcu_window mcu_square(int64_t rows, int64_t stride, int64_t pad)
{
	return (struct mcu_window){
		.rows = rows, .columns = rows, .stride = stride, .pads = { pad, pad, pad, pad },
	};
}

/* TensorFlow's "SAME": as many results as strides begin, the odd row of padding behind. */
static inline struct mcu_window mcu_same(struct mcu_map x, int64_t rows, int64_t columns,
					 int64_t stride)
{
	int64_t high = ((x.rows + stride - 1) / stride - 1) * stride + rows - x.rows;
	int64_t wide = ((x.columns + stride - 1) / stride - 1) * stride + columns - x.columns;

	high = high > 0 ? high : 0;
	wide = wide > 0 ? wide : 0;
	return (struct mcu_window){
		.rows = rows, .columns = columns, .stride = stride,
		.pads = { high / 2, wide / 2, high - high / 2, wide - wide / 2 },
	};
}

static inline struct mcu_map mcu_result(struct int8_net *net, struct mcu_map x, int64_t channels,
					struct mcu_window w)
{
	int64_t rows = (x.rows + w.pads[0] + w.pads[2] - w.rows) / w.stride + 1;

	return mcu_make(net, channels, rows,
			(x.columns + w.pads[1] + w.pads[3] - w.columns) / w.stride + 1);
}

static inline struct mcu_map mcu_conv(struct int8_net *net, struct mcu_map x, int64_t channels,
				      struct mcu_window w, int64_t groups)
{
	const int64_t dims[] = { channels, x.channels / groups, w.rows, w.columns };
	const int64_t strides[] = { w.stride, w.stride };
	const struct loom_attr attrs[] = {
		{ .name = "strides", .type = LOOM_ATTR_INTS, .count = 2, .ints = strides },
		{ .name = "pads", .type = LOOM_ATTR_INTS, .count = 4, .ints = w.pads },
		{ .name = "group", .type = LOOM_ATTR_INT, .count = 1, .ints = &groups },
	};
	struct mcu_map y = mcu_result(net, x, channels, w), weights = mcu_make(net, 0, 0, 0);
	const char *const inputs[] = {
		x.name, "scale", "zero", weights.name, "scale", "zero", "scale", "zero",
	};

	int8_const(net, weights.name, DRM_LOOM_DTYPE_U8, 4, dims, NULL);
	int8_node(net, "QLinearConv", 8, inputs, y.name, attrs, 3);
	return y;
}

static inline struct mcu_map mcu_point(struct int8_net *net, struct mcu_map x, int64_t channels)
{
	return mcu_conv(net, x, channels, mcu_square(1, 1, 0), 1);
}

/* The largest of each channel. */
static inline struct mcu_map mcu_pool(struct int8_net *net, struct mcu_map x)
{
	const int64_t kernel[] = { x.rows, x.columns };
	const struct loom_attr attr = {
		.name = "kernel_shape", .type = LOOM_ATTR_INTS, .count = 2, .ints = kernel,
	};
	struct mcu_map y = mcu_make(net, x.channels, 1, 1);

	int8_node(net, "MaxPool", 1, (const char *const[]){ x.name }, y.name, &attr, 1);
	return y;
}

static inline struct mcu_map mcu_add(struct int8_net *net, struct mcu_map a, struct mcu_map b)
{
	struct mcu_map y = mcu_make(net, a.channels, a.rows, a.columns);

	int8_node(net, "Add", 2, (const char *const[]){ a.name, b.name }, y.name, NULL, 0);
	return y;
}

/**
 * struct mcu_block - an inverted bottleneck without the addition
 * @channels: of its result
 * @expand: factor by which it widens what comes in
 * @stride: of the depthwise convolution
 * @pad: likewise
 * @kernel: likewise
 */
struct mcu_block {
	int64_t channels;
	int64_t expand;
	int64_t stride;
	int64_t pad;
	int64_t kernel;
};

static inline struct mcu_map mcu_blocks(struct int8_net *net, struct mcu_map x,
					const struct mcu_block *blocks, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct mcu_block *block = &blocks[i];

		x = mcu_point(net, x, x.channels * block->expand);
		x = mcu_conv(net, x, x.channels, mcu_square(block->kernel, block->stride,
							    block->pad), x.channels);
		x = mcu_point(net, x, block->channels);
	}
	return x;
}

static inline void mcu_mbv2_w035(struct int8_net *net)
{
	static const struct mcu_block blocks[] = {
		{ 5, 1, 1, 1, 3 }, { 8, 6, 2, 1, 3 }, { 8, 6, 1, 1, 3 }, { 11, 6, 2, 1, 3 },
		{ 11, 6, 1, 1, 3 }, { 11, 6, 1, 1, 3 }, { 22, 6, 2, 1, 3 }, { 22, 6, 1, 1, 3 },
		{ 22, 6, 1, 1, 3 }, { 22, 6, 1, 1, 3 }, { 33, 6, 1, 1, 3 }, { 33, 6, 1, 1, 3 },
		{ 33, 6, 1, 1, 3 }, { 56, 6, 2, 1, 3 }, { 56, 6, 1, 1, 3 }, { 56, 6, 1, 1, 3 },
		{ 112, 6, 1, 1, 3 },
	};
	struct mcu_map x = mcu_begin(net, 3, 144, 144);

	x = mcu_conv(net, x, 11, mcu_square(3, 2, 1), 1);
	x = mcu_point(net, mcu_blocks(net, x, blocks, ARRAY_SIZE(blocks)), 448);
	loom_graph_add_output(net->graph, x.name);
}

/* How both MCUNets begin. */
static inline struct mcu_map mcu_mcunet_begin(struct int8_net *net, int64_t rows)
{
	struct mcu_map x = mcu_begin(net, 3, rows, rows);

	x = mcu_conv(net, x, 16, mcu_square(3, 2, 1), 1);
	x = mcu_conv(net, x, 16, mcu_square(3, 1, 1), 16);
	return mcu_point(net, x, 8);
}

static inline void mcu_mcunetv2_vww(struct int8_net *net)
{
	static const struct mcu_block blocks[] = {
		{ 16, 6, 2, 1, 3 }, { 16, 3, 1, 1, 3 }, { 16, 3, 1, 1, 3 }, { 24, 3, 2, 3, 7 },
		{ 24, 6, 1, 1, 3 }, { 24, 5, 1, 2, 5 }, { 40, 6, 2, 3, 7 }, { 40, 6, 1, 3, 7 },
		{ 48, 6, 1, 1, 3 }, { 48, 4, 1, 1, 3 }, { 96, 5, 2, 2, 5 }, { 96, 5, 1, 1, 3 },
		{ 96, 4, 1, 1, 3 }, { 160, 3, 1, 3, 7 },
	};
	struct mcu_map x = mcu_mcunet_begin(net, 80);

	x = mcu_blocks(net, x, blocks, ARRAY_SIZE(blocks));
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_mcunet_320k(struct int8_net *net)
{
	static const struct mcu_block blocks[] = {
		{ 16, 3, 2, 3, 7 }, { 16, 5, 1, 1, 3 }, { 16, 5, 1, 3, 7 }, { 16, 4, 1, 2, 5 },
		{ 24, 5, 2, 2, 5 }, { 24, 5, 1, 2, 5 }, { 24, 5, 1, 2, 5 }, { 40, 5, 2, 1, 3 },
		{ 40, 6, 1, 3, 7 }, { 40, 4, 1, 2, 5 }, { 48, 5, 1, 2, 5 }, { 48, 5, 1, 3, 7 },
		{ 48, 5, 1, 1, 3 }, { 96, 6, 2, 1, 3 }, { 96, 5, 1, 3, 7 }, { 96, 4, 1, 1, 3 },
		{ 160, 5, 1, 3, 7 },
	};
	struct mcu_map x = mcu_mcunet_begin(net, 176);

	x = mcu_blocks(net, x, blocks, ARRAY_SIZE(blocks));
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_vww_96(struct int8_net *net)
{
	/* channels and stride of a depthwise convolution and the one behind it */
	static const int64_t table[][2] = {
		{ 16, 1 }, { 32, 2 }, { 32, 1 }, { 64, 2 }, { 64, 1 }, { 128, 2 }, { 128, 1 },
		{ 128, 1 }, { 128, 1 }, { 128, 1 }, { 128, 1 }, { 256, 2 }, { 256, 1 },
	};
	struct mcu_map x = mcu_begin(net, 3, 96, 96);
	size_t i;

	x = mcu_conv(net, x, 8, mcu_same(x, 3, 3, 2), 1);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		x = mcu_conv(net, x, x.channels, mcu_same(x, 3, 3, table[i][1]), x.channels);
		x = mcu_point(net, x, table[i][0]);
	}
	x = mcu_point(net, mcu_pool(net, x), 2);
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_kws(struct int8_net *net)
{
	struct mcu_map x = mcu_begin(net, 1, 49, 10);
	size_t i;

	x = mcu_conv(net, x, 64, mcu_same(x, 10, 4, 2), 1);
	for (i = 0; i < 4; i++) {
		x = mcu_conv(net, x, 64, mcu_same(x, 3, 3, 1), 64);
		x = mcu_point(net, x, 64);
	}
	x = mcu_point(net, mcu_pool(net, x), 12);
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_resnet8(struct int8_net *net)
{
	struct mcu_map x = mcu_begin(net, 3, 32, 32), y;
	int64_t channels, stride;

	x = mcu_conv(net, x, 16, mcu_same(x, 3, 3, 1), 1);
	for (channels = 16; channels <= 64; channels *= 2) {
		stride = channels > 16 ? 2 : 1;
		y = mcu_conv(net, x, channels, mcu_same(x, 3, 3, stride), 1);
		y = mcu_conv(net, y, channels, mcu_same(y, 3, 3, 1), 1);
		if (stride > 1)
			x = mcu_conv(net, x, channels, mcu_same(x, 1, 1, stride), 1);
		x = mcu_add(net, x, y);
	}
	x = mcu_point(net, mcu_pool(net, x), 10);
	loom_graph_add_output(net->graph, x.name);
}

/* Channels of a network of another width, as its authors round them. */
static inline int64_t mcu_width(int64_t channels, double width)
{
	int64_t rounded = ((int64_t)(channels * width) + 4) / 8 * 8;

	rounded = rounded < 8 ? 8 : rounded;
	return rounded < 0.9 * channels * width ? rounded + 8 : rounded;
}

/* MobileNetV2 of another width, and of another size of the picture. */
static inline void mcu_mobilenet_v2(struct int8_net *net, int64_t rows, double width)
{
	static const int64_t table[][4] = {
		{ 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
		{ 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
	};
	struct mcu_map x = mcu_begin(net, 3, rows, rows), y;
	int64_t n;
	size_t i;

	x = mcu_conv(net, x, mcu_width(32, width), mcu_square(3, 2, 1), 1);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (n = 0; n < table[i][2]; n++) {
			y = table[i][0] == 1 ? x : mcu_point(net, x, x.channels * table[i][0]);
			y = mcu_conv(net, y, y.channels, mcu_square(3, n ? 1 : table[i][3], 1),
				     y.channels);
			y = mcu_point(net, y, mcu_width(table[i][1], width));
			x = n ? mcu_add(net, x, y) : y;
		}
	}
	x = mcu_pool(net, mcu_point(net, x, 1280));
	x = mcu_point(net, x, 1000);
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_mbv2_w035_r144(struct int8_net *net)
{
	mcu_mobilenet_v2(net, 144, 0.35);
}

static inline void mcu_mbv2_w03_r64(struct int8_net *net)
{
	mcu_mobilenet_v2(net, 64, 0.3);
}

/**
 * struct mcu_mcunet - a net of MCUNet
 * @rows: rows and columns of the picture
 * @stem: channels of the first convolution, and of the block behind it
 * @depth: by stage: number of blocks
 * @channels: by stage: channels of their results
 * @kernel: by block: window of its depthwise convolution
 * @expand: by block
 */
struct mcu_mcunet {
	int64_t rows;
	int64_t stem[2];
	int64_t depth[6];
	int64_t channels[6];
	int64_t kernel[20];
	int64_t expand[20];
};

static inline void mcu_mcunet(struct int8_net *net, const struct mcu_mcunet *of)
{
	static const int64_t strides[] = { 2, 2, 2, 1, 2, 1 };
	struct mcu_map x = mcu_begin(net, 3, of->rows, of->rows), y;
	int64_t n, block = 0;
	size_t i;

	x = mcu_conv(net, x, of->stem[0], mcu_square(3, 2, 1), 1);
	x = mcu_conv(net, x, of->stem[0], mcu_square(3, 1, 1), of->stem[0]);
	x = mcu_point(net, x, of->stem[1]);
	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		for (n = 0; n < of->depth[i]; n++, block++) {
			int64_t kernel = of->kernel[block];

			y = mcu_point(net, x, x.channels * of->expand[block]);
			y = mcu_conv(net, y, y.channels,
				     mcu_square(kernel, n ? 1 : strides[i], (kernel - 1) / 2),
				     y.channels);
			y = mcu_point(net, y, of->channels[i]);
			x = y.channels == x.channels && y.rows == x.rows ? mcu_add(net, x, y) : y;
		}
	}
	x = mcu_point(net, mcu_pool(net, x), 1000);
	loom_graph_add_output(net->graph, x.name);
}

static inline void mcu_mcunet_in0(struct int8_net *net)
{
	static const struct mcu_mcunet of = {
		48, { 24, 16 }, { 3, 3, 2, 3, 2, 1 }, { 16, 24, 48, 56, 112, 192 },
		{ 5, 3, 3, 7, 5, 5, 7, 5, 3, 5, 3, 3, 5, 3 },
		{ 4, 3, 4, 5, 4, 5, 5, 4, 5, 4, 5, 6, 4, 6 },
	};

	mcu_mcunet(net, &of);
}

static inline void mcu_mcunet_in1(struct int8_net *net)
{
	static const struct mcu_mcunet of = {
		96, { 16, 8 }, { 2, 2, 2, 3, 3, 1 }, { 16, 24, 40, 48, 96, 160 },
		{ 3, 3, 7, 3, 3, 7, 5, 3, 3, 7, 5, 5, 3 },
		{ 4, 3, 3, 5, 5, 4, 4, 3, 4, 5, 4, 4, 6 },
	};

	mcu_mcunet(net, &of);
}

static inline void mcu_mcunet_in2(struct int8_net *net)
{
	static const struct mcu_mcunet of = {
		160, { 16, 8 }, { 4, 3, 2, 3, 4, 1 }, { 16, 24, 40, 48, 96, 160 },
		{ 5, 7, 3, 5, 3, 7, 5, 7, 5, 3, 5, 3, 5, 5, 5, 3, 5 },
		{ 3, 6, 5, 5, 5, 6, 6, 4, 5, 5, 5, 4, 6, 4, 3, 4, 5 },
	};

	mcu_mcunet(net, &of);
}

static inline void mcu_mcunet_in3(struct int8_net *net)
{
	static const struct mcu_mcunet of = {
		176, { 16, 8 }, { 4, 3, 3, 3, 3, 1 }, { 16, 24, 40, 48, 96, 160 },
		{ 7, 3, 7, 5, 5, 5, 5, 3, 7, 5, 5, 7, 3, 3, 7, 3, 7 },
		{ 3, 5, 5, 4, 5, 5, 5, 5, 6, 4, 5, 5, 5, 6, 5, 4, 5 },
	};

	mcu_mcunet(net, &of);
}

static inline void mcu_mcunet_in4(struct int8_net *net)
{
	static const struct mcu_mcunet of = {
		160, { 32, 16 }, { 3, 3, 3, 3, 3, 1 }, { 24, 40, 80, 96, 192, 320 },
		{ 7, 3, 5, 7, 3, 7, 7, 3, 7, 3, 5, 5, 7, 7, 5, 5 },
		{ 3, 5, 4, 5, 4, 4, 3, 3, 3, 4, 3, 3, 4, 3, 3, 4 },
	};

	mcu_mcunet(net, &of);
}

#endif /* LOOM_BENCH_MCU_H */
