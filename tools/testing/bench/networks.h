/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_NETWORKS_H
#define LOOM_BENCH_NETWORKS_H

/*
 * Published networks, as words (net.h). Functions between quantised layers (a Relu, a
 * BatchNormalization in front of a convolution) are in the tables of the layers around them and
 * have no node in eight bits; in f32, BatchNormalization behind a convolution is in its weights, as
 * converters do it.
 *
 *	mobilenet_v1	Howard et al. 2017, table 1; 224x224, 1001 classes as in TensorFlow's
 *	mobilenet_v2	Sandler et al. 2018, table 2; 224x224, 1000 classes, in f32 1001
 *	resnet50	He et al. 2015, table 1; stride in the 3x3 convolution (v1.5)
 *	vgg16, vgg19	Simonyan and Zisserman 2014, D and E: the convolutions
 *	googlenet	Szegedy et al. 2014, table 1
 *	yolov5n, s, m	as released (v6), 640x640, without what turns maps into boxes; s with Relu,
 *			the others with SiLU, a function of bytes of its own
 *	yolov8n, s, m	likewise, with SiLU
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
 *	vit_tiny	Touvron et al. 2020, DeiT-Ti: 12 encoders of width 192 on 197 tokens;
 *			products are QLinearMatMul, normalisation, Softmax and Gelu are in f32
 *			between DequantizeLinear and QuantizeLinear
 *	deeplab_v3	Chen et al. 2017 on MobileNet v2, as published for phones: 257x257,
 *			half the channels, output stride 8, image pooling and one 1x1 branch
 *	darts		Liu et al. 2018, the second-order cells on ImageNet: 48 channels, 14 cells.
 *			Irregular cells, whose orders differ; the peak is in the stem
 *
 * For microcontrollers, in eight bits. Chains of msf-CNN (arXiv 2505.11483; its repository
 * TinyPART/msf-CNN, analysis_optimization.py): convolutions only, without the additions of the
 * networks that they are taken from, up to the last convolution. Their multiply-accumulates are
 * those that its results give.
 *
 *	mbv2_w035	MobileNetV2, width 0.35, 144x144x3: 18,909,490
 *	mcunetv2_vww	MCUNetV2-VWW-5fps, 80x80x3: 11,578,496
 *	mcunet_320k	MCUNet-320KB-ImageNet, 176x176x3: 81,625,520
 *
 * MLPerf Tiny's, as in their .tflite files, without softmax:
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

#include "net.h"

/* Channels of a network of another width: a multiple of eight, not more than a tenth below. */
static inline int mobilenet_width(int channels, double width)
{
	int rounded = max(((int)(channels * width) + 4) / 8 * 8, 8);

	return rounded < (int)(channels * width) * 0.9 ? rounded + 8 : rounded;
}

static inline void mobilenet_v1(struct net *net, int rows, double width, int classes)
{
	static const int blocks[][2] = {
		{ 64, 1 }, { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 }, { 512, 2 }, { 512, 1 },
		{ 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 1024, 2 }, { 1024, 1 },
	};
	struct map x = net_words(net, no_map, "i3,%d c%dk3s2h", rows, (int)(32 * width));
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		x = net_words(net, x, "w3s%dh c%dh", blocks[i][1], (int)(blocks[i][0] * width));
	net_classify(net, x, classes);
}

static inline void mobilenet_v1_whole(struct net *net)
{
	mobilenet_v1(net, 224, 1, 1001);
}

static inline void vww_96(struct net *net)
{
	mobilenet_v1(net, 96, 0.25, 2);
}

/* All but the last convolution; @output_stride: strides become dilations from there on. */
static inline struct map mobilenet_v2_body(struct net *net, int rows, double width,
					   int output_stride)
{
	/* factor, channels, count, stride */
	static const int groups[][4] = {
		{ 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
		{ 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
	};
	struct map x = net_words(net, no_map, "i3,%d c%dk3s2h w3h c%d", rows,
				 mobilenet_width(32, width), mobilenet_width(16, width));
	int stride, so_far = 2, dilation = 1, rate;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		stride = groups[i][3];
		rate = dilation;
		if (so_far == output_stride) {
			dilation *= stride;
			stride = 1;
		}
		so_far *= stride;
		x = net_words(net, x, "b%d,%ds%dd%d %d( B%d,%dd%d )", groups[i][0],
			      mobilenet_width(groups[i][1], width), stride, rate, groups[i][2] - 1,
			      groups[i][0], mobilenet_width(groups[i][1], width), dilation);
	}
	return x;
}

static inline void mobilenet_v2(struct net *net)
{
	net_words(net, mobilenet_v2_body(net, 224, 1, 32), "c1280h k%d", net->real ? 1001 : 1000);
}

static inline void mbv2_w035_r144(struct net *net)
{
	net_words(net, mobilenet_v2_body(net, 144, 0.35, 32), "c1280 k1000");
}

static inline void mbv2_w03_r64(struct net *net)
{
	net_words(net, mobilenet_v2_body(net, 64, 0.3, 32), "c1280 k1000");
}

static inline void deeplab_v3(struct net *net)
{
	struct map x = mobilenet_v2_body(net, 257, 0.5, 8);

	net_words(net, x, "[ g c256r z%d ; c256r ] c256r c21 z257 o", (int)x.rows);
}

static inline void resnet50(struct net *net)
{
	static const int counts[] = { 3, 4, 6, 3 };
	struct map x = net_words(net, no_map, "i3,224 c64k7s2r p3s2");
	/* converters write the sums so */
	const char *sum = net->real ? "" : "~";
	int i;

	for (i = 0; i < 4; i++) {
		x = net_words(net, x, "{ c%1$dr c%1$dk3s%2$dr c%3$d ; c%3$ds%2$d }%4$s r", 64 << i,
			      i ? 2 : 1, 256 << i, sum);
		x = net_words(net, x, "%d( { c%dr c%dk3r c%d ; }%s r )", counts[i] - 1, 64 << i,
			      64 << i, 256 << i, sum);
	}
	net_classify(net, x, 1000);
}

static inline void inception_v3(struct net *net)
{
	static const int pooled[] = { 32, 64, 64 }, middle[] = { 128, 160, 160, 192 };
	struct map x = net_words(net, no_map, "i3,299 c32k3s2vr c32k3vr c64k3r p3s2v");
	char tall[64];
	int i;

	x = net_words(net, x, "c80r c192k3vr p3s2v");
	for (i = 0; i < 3; i++)
		x = net_words(net, x, "[ c64r ; c48r c64k5r ; c64r 2( c96k3r ) ; a3 c%dr ]",
			      pooled[i]);
	x = net_words(net, x, "[ c384k3s2vr ; c64r c96k3r c96k3s2vr ; p3s2v ]");
	for (i = 0; i < 4; i++) {
		snprintf(tall, sizeof(tall), "c%1$dr c%1$dk7x1r c%1$dk1x7r c%1$dk7x1r", middle[i]);
		x = net_words(net, x, "[ c192r ; c%1$dr c%1$dk1x7r c192k7x1r ; %2$s %3$s ]",
			      middle[i], tall, "c192k1x7r ; a3 c192r");
	}
	x = net_words(net, x, "[ c192r c320k3s2vr ; %s ; p3s2v ]",
		      "c192r c192k1x7r c192k7x1r c192k3s2vr");
	for (i = 0; i < 2; i++)
		x = net_words(net, x, "[ c320r ; c384r %1$s ; c448r c384k3r %1$s ; a3 c192r ]",
			      "[ c384k1x3r ; c384k3x1r ]");
	net_classify(net, x, net->real ? 1001 : 1000);
}

static inline void unet512(struct net *net)
{
	struct map x = net_words(net, no_map, "i1,512 c64k3 c64k3"), skips[4];
	int i;

	for (i = 0; i < 4; i++) {
		skips[i] = x;
		x = net_words(net, x, "p2s2 2( c%dk3 )", 128 << i);
	}
	while (i--) {
		x = net_words(net, x, "u c%dk2t", 64 << i);
		x = net_concat(net, 2, (struct map[]){ skips[i], x });
		x = net_words(net, x, "2( c%dk3 )", 64 << i);
	}
	net_words(net, x, "c2 o");
}

static inline void googlenet(struct net *net)
{
	static const int table[][6] = {
		{ 64, 96, 128, 16, 32, 32 }, { 128, 128, 192, 32, 96, 64 }, { 0 },
		{ 192, 96, 208, 16, 48, 64 }, { 160, 112, 224, 24, 64, 64 },
		{ 128, 128, 256, 24, 64, 64 }, { 112, 144, 288, 32, 64, 64 },
		{ 256, 160, 320, 32, 128, 128 }, { 0 },
		{ 256, 160, 320, 32, 128, 128 }, { 384, 192, 384, 48, 128, 128 },
	};
	struct map x = net_words(net, no_map, "i3,224 c64k7s2 p3s2v^ c64 c192k3 p3s2v^");
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const int *t = table[i];

		x = t[0] ? net_words(net, x, "[ c%d ; c%d c%dk3 ; c%d c%dk5 ; p3 c%d ]", t[0], t[1],
				     t[2], t[3], t[4], t[5]) : net_words(net, x, "p3s2v^");
	}
	net_classify(net, x, 1000);
}

/* A CSP bottleneck with three convolutions. */
static inline struct map yolo_c3(struct net *net, struct map x, int channels, int count,
				 bool shortcut)
{
	int half = channels / 2;

	return net_words(net, x, shortcut ? "[ c%d %d( { ; c%d c%dk3 } ) ; c%d ] c%d" :
					    "[ c%d %d( c%d c%dk3 ) ; c%d ] c%d",
			 half, count, half, half, half, channels);
}

/* @wide: channels of a first map in sixteens; @deep: bottlenecks are repeated so many times more */
static inline void yolov5(struct net *net, int wide, int deep)
{
	struct map x = net_words(net, no_map, "i3,640 c%dk5s2 c%dk3s2", 16 * wide, 32 * wide);
	const int c3 = 64 * wide, c4 = 128 * wide, c5 = 256 * wide;
	struct map parts[4], outs[3], p3, p4, p5, n4, n5;
	uint32_t i;

	x = yolo_c3(net, x, 32 * wide, deep, true);
	p3 = yolo_c3(net, net_words(net, x, "c%dk3s2", c3), c3, 2 * deep, true);
	p4 = yolo_c3(net, net_words(net, p3, "c%dk3s2", c4), c4, 3 * deep, true);
	x = yolo_c3(net, net_words(net, p4, "c%dk3s2", c5), c5, deep, true);
	parts[0] = net_words(net, x, "c%d", c4);
	for (i = 1; i < 4; i++)
		parts[i] = net_words(net, parts[i - 1], "p5");
	p5 = net_words(net, net_concat(net, 4, parts), "c%d c%d", c5, c4);
	parts[0] = net_words(net, p5, "u");
	parts[1] = p4;
	n4 = net_words(net, yolo_c3(net, net_concat(net, 2, parts), c4, deep, false), "c%d", c3);
	parts[0] = net_words(net, n4, "u");
	parts[1] = p3;
	outs[0] = yolo_c3(net, net_concat(net, 2, parts), c3, deep, false);
	parts[0] = net_words(net, outs[0], "c%dk3s2", c3);
	parts[1] = n4;
	outs[1] = yolo_c3(net, net_concat(net, 2, parts), c4, deep, false);
	n5 = net_words(net, outs[1], "c%dk3s2", c4);
	parts[0] = n5;
	parts[1] = p5;
	outs[2] = yolo_c3(net, net_concat(net, 2, parts), c5, deep, false);
	net->function = false;
	for (i = 0; i < 3; i++)
		net_words(net, outs[i], "c255 o");
}

static inline void yolov5n(struct net *net)
{
	yolov5(net, 1, 1);
}

static inline void yolov5s(struct net *net)
{
	yolov5(net, 2, 1);
}

static inline void yolov5m(struct net *net)
{
	yolov5(net, 3, 2);
}

/* A CSP bottleneck with two convolutions; halves of the first one are two here. */
static inline struct map yolo_c2f(struct net *net, struct map x, int channels, int count,
				  bool shortcut)
{
	struct map parts[8];
	int half = channels / 2, i;

	parts[0] = net_words(net, x, "c%d", half);
	parts[1] = net_words(net, x, "c%d", half);
	for (i = 0; i < count; i++)
		parts[i + 2] = net_words(net, parts[i + 1], shortcut ? "{ ; c%dk3 c%dk3 }" :
					 "c%dk3 c%dk3", half, half);
	return net_words(net, net_concat(net, count + 2, parts), "c%d", channels);
}

/* @last: channels of the last map */
static inline void yolov8(struct net *net, int wide, int deep, int last)
{
	struct map x = net_words(net, no_map, "i3,640 c%dk3s2 c%dk3s2", 16 * wide, 32 * wide);
	const int c3 = 64 * wide, c4 = 128 * wide, box = c3 / 4 > 64 ? c3 / 4 : 64;
	const int class = c3 > 80 ? c3 : 80;
	struct map parts[4], outs[3], p3, p4, p5, n4;
	uint32_t i;

	x = yolo_c2f(net, x, 32 * wide, deep, true);
	p3 = yolo_c2f(net, net_words(net, x, "c%dk3s2", c3), c3, 2 * deep, true);
	p4 = yolo_c2f(net, net_words(net, p3, "c%dk3s2", c4), c4, 2 * deep, true);
	x = yolo_c2f(net, net_words(net, p4, "c%dk3s2", last), last, deep, true);
	parts[0] = net_words(net, x, "c%d", last / 2);
	for (i = 1; i < 4; i++)
		parts[i] = net_words(net, parts[i - 1], "p5");
	p5 = net_words(net, net_concat(net, 4, parts), "c%d", last);
	parts[0] = net_words(net, p5, "u");
	parts[1] = p4;
	n4 = yolo_c2f(net, net_concat(net, 2, parts), c4, deep, false);
	parts[0] = net_words(net, n4, "u");
	parts[1] = p3;
	outs[0] = yolo_c2f(net, net_concat(net, 2, parts), c3, deep, false);
	parts[0] = net_words(net, outs[0], "c%dk3s2", c3);
	parts[1] = n4;
	outs[1] = yolo_c2f(net, net_concat(net, 2, parts), c4, deep, false);
	parts[0] = net_words(net, outs[1], "c%dk3s2", c4);
	parts[1] = p5;
	outs[2] = yolo_c2f(net, net_concat(net, 2, parts), last, deep, false);
	for (i = 0; i < 3; i++) {
		net->function = true;
		parts[0] = net_words(net, outs[i], "2( c%dk3 )", box);
		parts[1] = net_words(net, outs[i], "2( c%dk3 )", class);
		net->function = false;
		net_words(net, parts[0], "c64 o");
		net_words(net, parts[1], "c80 o");
	}
}

static inline void yolov8n(struct net *net)
{
	yolov8(net, 1, 1, 256);
}

static inline void yolov8s(struct net *net)
{
	yolov8(net, 2, 1, 512);
}

static inline void yolov8m(struct net *net)
{
	yolov8(net, 3, 2, 576);
}

static inline void densenet121_all(struct net *net)
{
	static const uint32_t counts[] = { 6, 12, 24, 16 };
	struct map maps[32], x = net_words(net, no_map, "i3,224 c64k7s2 p3s2");
	uint32_t i, k;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		maps[0] = i ? net_words(net, x, "c/2 p2s2") : x;
		x = maps[0];
		for (k = 1; k <= counts[i]; k++) {
			maps[k] = net_words(net, x, "c128 c32k3");
			x = net_concat(net, k + 1, maps);
		}
	}
	net_classify(net, x, 1000);
}

/* --- RandWire ------------------------------------------------------------------------------ */

#define WS_NODES	32

/* A number below @limit. */
static inline uint32_t randwire_number(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33) % limit;
}

/*
 * Edges of a Watts-Strogatz graph: a ring in which each node knows four neighbours, three of four
 * edges then moved to another node; from the lower number to the higher.
 */
static inline void randwire_edges(uint64_t *state, uint32_t nodes, bool edges[WS_NODES][WS_NODES])
{
	uint32_t step, from, to, i;

	memset(edges, 0, sizeof(bool[WS_NODES][WS_NODES]));
	for (step = 1; step <= 2; step++)
		for (from = 0; from < nodes; from++) {
			to = (from + step) % nodes;
			edges[min(from, to)][max(from, to)] = true;
		}
	for (step = 1; step <= 2; step++)
		for (from = 0; from < nodes; from++) {
			to = (from + step) % nodes;
			if (randwire_number(state, 4) == 3)
				continue;
			i = randwire_number(state, nodes);
			if (i == from || edges[min(from, i)][max(from, i)])
				continue;
			edges[min(from, to)][max(from, to)] = false;
			edges[min(from, i)][max(from, i)] = true;
		}
}

/* A stage: nodes add their operands and convolve; results without readers are added at the end. */
static inline struct map randwire_stage(struct net *net, uint64_t *state, struct map x,
					uint32_t nodes, int channels)
{
	bool edges[WS_NODES][WS_NODES], read, any = false;
	struct map maps[WS_NODES], sum = x;
	uint32_t from, to;

	randwire_edges(state, nodes, edges);
	for (to = 0; to < nodes; to++) {
		read = false;
		for (from = 0; from < to; from++) {
			if (!edges[from][to])
				continue;
			sum = read ? net_binary(net, "Add", sum, maps[from]) : maps[from];
			read = true;
		}
		maps[to] = net_words(net, read ? sum : x, "w3s%d c%d", read ? 1 : 2, channels);
	}
	for (from = 0; from < nodes; from++) {
		read = false;
		for (to = from + 1; to < nodes; to++)
			read |= edges[from][to];
		if (read)
			continue;
		sum = any ? net_binary(net, "Add", sum, maps[from]) : maps[from];
		any = true;
	}
	return sum;
}

static inline void randwire_small(struct net *net)
{
	struct map x = net_words(net, no_map, "i3,224 c39k3s2 c78k3s2");
	uint64_t state = 1;
	int i;

	for (i = 0; i < 3; i++)
		x = randwire_stage(net, &state, x, 32, 78 << i);
	net_words(net, x, "c1280 k1000");
}

static inline void randwire_large(struct net *net)
{
	struct map x = net_words(net, no_map, "i3,224 c54k3s2");
	uint64_t state = 1;
	int i;

	for (i = 0; i < 4; i++)
		x = randwire_stage(net, &state, x, i ? 32 : 16, 109 << i);
	net_words(net, x, "c1280 k1000");
}

/* --- cells that were searched for ---------------------------------------------------------- */

/* An edge of a PNASNet: nothing, or a separable convolution, twice. */
static inline struct map pnas_edge(struct net *net, struct map x, int channels, int kernel,
				   int stride)
{
	if (kernel)
		return net_words(net, x, "w%ds%d c%d w%d c%d", kernel, stride, channels, kernel,
				 channels);
	if (stride > 1 || x.channels != channels)
		return net_words(net, x, "c%ds%d", channels, stride);
	return x;
}

static inline struct map pnas_pool(struct net *net, struct map x, int channels, int stride)
{
	x = net_words(net, x, "p3s%d", stride);
	return x.channels == channels ? x : net_words(net, x, "c%d", channels);
}

/* The cell of five blocks that was found; @first: the first of the stem, whose input is raw. */
static inline struct map pnas_cell(struct net *net, struct map before, struct map last,
				   int channels, int stride, bool first)
{
	struct map b[5], right, left = before;
	int half = channels / 2;

	if (!first)
		left = before.rows > last.rows ?
		       net_words(net, before, "[ c%ds2 ; c%ds2 ]", half, channels - half) :
		       net_words(net, before, "c%d", channels);
	right = net_words(net, last, "c%d", channels);
	b[0] = net_binary(net, "Add", pnas_edge(net, left, channels, 5, stride),
			  pnas_pool(net, left, channels, stride));
	b[1] = net_binary(net, "Add", pnas_edge(net, right, channels, 7, stride),
			  pnas_pool(net, right, channels, stride));
	b[2] = net_binary(net, "Add", pnas_edge(net, right, channels, 5, stride),
			  pnas_edge(net, right, channels, 3, stride));
	b[3] = net_binary(net, "Add", pnas_edge(net, b[2], channels, 3, 1),
			  pnas_pool(net, right, channels, stride));
	b[4] = net_binary(net, "Add", pnas_edge(net, left, channels, 3, stride),
			  pnas_edge(net, right, channels, 0, stride));
	return net_concat(net, 5, b);
}

static inline void pnasnet(struct net *net)
{
	struct map before = net_words(net, no_map, "i3,331 c96k3s2v"), last, next;
	int channels = 216, i;

	last = pnas_cell(net, before, before, channels / 4, 2, true);
	next = pnas_cell(net, before, last, channels / 2, 2, false);
	before = last;
	last = next;
	for (i = 0; i < 12; i++) {
		bool reduce = i == 4 || i == 8;

		channels <<= reduce;
		next = pnas_cell(net, before, last, channels, 1 + reduce, false);
		before = last;
		last = next;
	}
	net_classify(net, last, 1001);
}

/* A separable convolution, twice; likewise dilated, once; half the rows, a pixel apart; a pool. */
#define DARTS_SEPARABLE	"r w3 c= r w3 c="
#define DARTS_DILATED	"r w3d2 c="
#define DARTS_HALVE	"r [ c/2s2 ; c/2s2 ]"

/**
 * struct darts_edge - an edge of a cell
 * @words: operations on it, and on one that halves the rows
 * @from: the state that it comes from; 0 and 1 are the cells before
 */
struct darts_edge {
	const char *words[2];
	uint32_t from;
};

static inline struct map darts_cell(struct net *net, struct map before, struct map last,
				    int channels, bool reduce)
{
#define SEPARABLE	{ DARTS_SEPARABLE }
#define DILATED		{ DARTS_DILATED }
#define SKIP		{ "", DARTS_HALVE }
#define POOL		{ "p3", "p3s2" }
	static const struct darts_edge edges[2][8] = {
		{
			{ SEPARABLE, 0 }, { SEPARABLE, 1 }, { SEPARABLE, 0 }, { SEPARABLE, 1 },
			{ SEPARABLE, 1 }, { SKIP, 0 }, { SKIP, 0 }, { DILATED, 2 },
		}, {
			{ POOL, 0 }, { POOL, 1 }, { SKIP, 2 }, { POOL, 1 },
			{ POOL, 0 }, { SKIP, 2 }, { SKIP, 2 }, { POOL, 1 },
		},
	};
	struct map states[6], sides[2];
	uint32_t i, k;

	states[0] = before.rows > last.rows ?
		    net_words(net, before, "r [ c%ds2 ; c%ds2 ]", channels / 2, channels / 2) :
		    net_words(net, before, "r c%d", channels);
	states[1] = net_words(net, last, "r c%d", channels);
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 2; k++) {
			const struct darts_edge *edge = &edges[reduce][2 * i + k];

			sides[k] = net_words(net, states[edge->from], "%s",
					     edge->words[reduce && edge->from < 2]);
		}
		states[2 + i] = net_binary(net, "Add", sides[0], sides[1]);
	}
	return net_concat(net, 4, &states[2]);
}

static inline void darts(struct net *net)
{
	struct map before = net_words(net, no_map, "i3,224 c24k3s2r c48k3s2"), last, next;
	int channels = 48, i;

	last = net_words(net, before, "r c48k3s2");
	for (i = 0; i < 14; i++) {
		bool reduce = i == 14 / 3 || i == 2 * 14 / 3;

		channels <<= reduce;
		next = darts_cell(net, before, last, channels, reduce);
		before = last;
		last = next;
	}
	net_classify(net, last, 1000);
}

/* --- a transformer ------------------------------------------------------------------------- */

#define VIT_TOKENS	197
#define VIT_WIDTH	192
#define VIT_HEADS	3

/* A product of @a and @b, @channels wide. */
static inline struct map vit_product(struct net *net, struct map a, struct map b, int64_t channels)
{
	const char *const inputs[] = {
		a.name, "scale", "zero", b.name, "scale", "zero", "scale", "zero",
	};

	return net_node(net, "QLinearMatMul", 8, inputs, net_map(net, channels, 0, 0));
}

static inline struct map vit_dense(struct net *net, struct map x, int64_t channels)
{
	return vit_product(net, x, net_weights(net, 2, (int64_t[]){ x.channels, channels }),
			   channels);
}

static inline struct map vit_node(struct net *net, const char *op, struct map x, const char *second,
				  const char *third)
{
	return net_node(net, op, second ? 3 : 1, (const char *const[]){ x.name, second, third },
			net_map(net, x.channels, 0, 0));
}

/* A function in f32 of what is in eight bits. */
static inline struct map vit_float(struct net *net, const char *op, struct map x,
				   const char *second, const char *third)
{
	x = vit_node(net, "DequantizeLinear", x, "scale", "zero");
	x = vit_node(net, op, x, second, third);
	return vit_node(net, "QuantizeLinear", x, "scale", "zero");
}

static inline struct map vit_normal(struct net *net, struct map x)
{
	struct map scale = net_map(net, 0, 0, 0), shift = net_map(net, 0, 0, 0);

	net_const(net, scale.name, DRM_LOOM_DTYPE_F32, 1, &x.channels, NULL);
	net_const(net, shift.name, DRM_LOOM_DTYPE_F32, 1, &x.channels, NULL);
	return vit_float(net, "LayerNormalization", x, scale.name, shift.name);
}

static inline struct map vit_reshape(struct net *net, struct map x, int64_t rank,
				     const int64_t *dims, int64_t channels)
{
	struct map shape = net_map(net, 0, 0, 0);

	net_const(net, shape.name, DRM_LOOM_DTYPE_I64, 1, &rank, dims);
	return net_node(net, "Reshape", 2, (const char *const[]){ x.name, shape.name },
			net_map(net, channels, 0, 0));
}

static inline struct map vit_transpose(struct net *net, struct map x, uint32_t rank,
				       const int64_t *perm)
{
	net_ints(net, "perm", rank, perm);
	return net_unary(net, "Transpose", x);
}

/* A product of @x, by heads: [1, heads, tokens, width], or its last two axes swapped. */
static inline struct map vit_heads(struct net *net, struct map x, bool swap)
{
	const int64_t width = VIT_WIDTH / VIT_HEADS;

	x = vit_reshape(net, vit_dense(net, x, VIT_WIDTH), 4,
			(int64_t[]){ 1, VIT_TOKENS, VIT_HEADS, width }, width);
	return vit_transpose(net, x, 4, swap ? (int64_t[]){ 0, 2, 3, 1 } :
					       (int64_t[]){ 0, 2, 1, 3 });
}

static inline struct map vit_attention(struct net *net, struct map x)
{
	struct map q = vit_heads(net, x, false), k = vit_heads(net, x, true);
	struct map v = vit_heads(net, x, false), y = vit_product(net, q, k, VIT_TOKENS);

	y = vit_product(net, vit_float(net, "Softmax", y, NULL, NULL), v, VIT_WIDTH / VIT_HEADS);
	y = vit_transpose(net, y, 4, (int64_t[]){ 0, 2, 1, 3 });
	y = vit_reshape(net, y, 3, (int64_t[]){ 1, VIT_TOKENS, VIT_WIDTH }, VIT_WIDTH);
	return vit_dense(net, y, VIT_WIDTH);
}

static inline void vit_tiny(struct net *net)
{
	struct map x = net_words(net, no_map, "i3,224 c%dk16s16v", VIT_WIDTH);
	struct map token = net_map(net, 0, 0, 0), y = net_map(net, VIT_WIDTH, 0, 0);
	uint32_t i;

	x = vit_reshape(net, x, 3, (int64_t[]){ 1, VIT_WIDTH, VIT_TOKENS - 1 }, VIT_WIDTH);
	x = vit_transpose(net, x, 3, (int64_t[]){ 0, 2, 1 });
	net_const(net, token.name, DRM_LOOM_DTYPE_U8, 3, (int64_t[]){ 1, 1, VIT_WIDTH }, NULL);
	net_int(net, "axis", 1);
	x = net_node(net, "Concat", 2, (const char *const[]){ token.name, x.name }, y);
	for (i = 0; i < 12; i++) {
		x = net_binary(net, "Add", x, vit_attention(net, vit_normal(net, x)));
		y = vit_dense(net, vit_normal(net, x), 4 * VIT_WIDTH);
		y = vit_float(net, "Gelu", y, NULL, NULL);
		x = net_binary(net, "Add", x, vit_dense(net, y, VIT_WIDTH));
	}
	net_words(net, vit_dense(net, vit_normal(net, x), 1000), "o");
}

/* --- tables -------------------------------------------------------------------------------- */

static inline void densenet121(struct net *net)
{
	static const int counts[] = { 6, 12, 24, 16 };
	struct map x = net_words(net, no_map, "i3,224 c64k7s2r p3s2");
	int i;

	for (i = 0; i < 4; i++)
		x = net_words(net, x, "%d( [ ; n c128r c32k3 ] ) n %s", counts[i],
			      i < 3 ? "c/2 a2s2" : "k1000");
}

static const struct network int8_networks[] = {
	{ "mobilenet_v2", .build = mobilenet_v2 },
	{ "resnet50", .build = resnet50 },
	{ "vgg16", .words = {
		"i3,224 2( c64k3 ) p2s2 2( c128k3 ) p2s2 3( c256k3 ) p2s2",
		"2( 3( c512k3 ) p2s2 ) o" } },
	{ "googlenet", .build = googlenet },
	{ "yolov5s", .build = yolov5s },
	{ "vgg19", .words = {
		"i3,224 2( c64k3 ) p2s2 2( c128k3 ) p2s2 4( c256k3 ) p2s2",
		"2( 4( c512k3 ) p2s2 ) o" } },
	{ "densenet121", .build = densenet121 },
	{ "densenet121_all", .build = densenet121_all },
	{ "inception_v3", .build = inception_v3 },
	{ "unet512", .build = unet512 },
	{ "randwire_small", .build = randwire_small },
	{ "randwire_large", .build = randwire_large },
	{ "pnasnet", .build = pnasnet },
	{ "vit_tiny", .build = vit_tiny },
};

/* In public records of chips only. */
static const struct network chip_networks[] = {
	{ "yolov5n", .build = yolov5n, .function = true },
	{ "yolov5m", .build = yolov5m, .function = true },
	{ "yolov8n", .build = yolov8n, .function = true },
	{ "yolov8s", .build = yolov8s, .function = true },
	{ "yolov8m", .build = yolov8m, .function = true },
};

static const struct network mcu_networks[] = {
	{ "mbv2_w035", .words = {
		"i3,144 c11k3s2 b1,5 b6,8s2 b6,8 b6,11s2 2( b6,11 ) b6,22s2 3( b6,22 )",
		"3( b6,33 ) b6,56s2 2( b6,56 ) b6,112 c448 o" } },
	{ "mcunetv2_vww", .words = {
		"i3,80 c16k3s2 w3 c8 b6,16s2 b3,16 b3,16 b3,24k7s2 b6,24 b5,24k5 b6,40k7s2",
		"b6,40k7 b6,48 b4,48 b5,96k5s2 b5,96 b4,96 b3,160k7 o" } },
	{ "mcunet_320k", .words = {
		"i3,176 c16k3s2 w3 c8 b3,16k7s2 b5,16 b5,16k7 b4,16k5 b5,24k5s2 b5,24k5",
		"b5,24k5 b5,40s2 b6,40k7 b4,40k5 b5,48k5 b5,48k7 b5,48 b6,96s2 b5,96k7 b4,96",
		"b5,160k7 o" } },
	{ "vww_96", .build = vww_96, .same = true },
	{ "kws", .words = { "i1,49,10 c64k10x4s2 4( w3 c64 ) k12" }, .same = true },
	{ "resnet8", .words = {
		"i3,32 c16k3 { ; 2( c16k3 ) } { c32k3s2 c32k3 ; c32s2 }~",
		"{ c64k3s2 c64k3 ; c64s2 }~ k10" }, .same = true },
	{ "mcunet_in0", .words = {
		"i3,48 c24k3s2 w3 c16 B4,16k5s2 B3,16 B4,16 B5,24k7s2 B4,24k5 B5,24k5",
		"B5,48k7s2 B4,48k5 B5,56 B4,56k5 B5,56 B6,112s2 B4,112k5 B6,192 k1000" } },
	{ "mcunet_in1", .words = {
		"i3,96 c16k3s2 w3 c8 B4,16s2 B3,16 B3,24k7s2 B5,24 B5,40s2 B4,40k7 B4,48k5",
		"B3,48 B4,48 B5,96k7s2 B4,96k5 B4,96k5 B6,160 k1000" } },
	{ "mcunet_in2", .words = {
		"i3,160 c16k3s2 w3 c8 B3,16k5s2 B6,16k7 B5,16 B5,16k5 B5,24s2 B6,24k7 B6,24k5",
		"B4,40k7s2 B5,40k5 B5,48 B5,48k5 B4,48 B6,96k5s2 B4,96k5 B3,96k5 B4,96",
		"B5,160k5 k1000" } },
	{ "mcunet_in3", .words = {
		"i3,176 c16k3s2 w3 c8 B3,16k7s2 B5,16 B5,16k7 B4,16k5 B5,24k5s2 B5,24k5",
		"B5,24k5 B5,40s2 B6,40k7 B4,40k5 B5,48k5 B5,48k7 B5,48 B6,96s2 B5,96k7 B4,96",
		"B5,160k7 k1000" } },
	{ "mcunet_in4", .words = {
		"i3,160 c32k3s2 w3 c16 B3,24k7s2 B5,24 B4,24k5 B5,40k7s2 B4,40 B4,40k7",
		"B3,80k7s2 B3,80 B3,80k7 B4,96 B3,96k5 B3,96k5 B4,192k7s2 B3,192k7 B3,192k5",
		"B4,320k5 k1000" } },
	{ "mbv2_w035_r144", .build = mbv2_w035_r144 },
	{ "mbv2_w03_r64", .build = mbv2_w03_r64 },
};

/* In f32. */
static const struct network real_networks[] = {
	{ "MobileNet v1", .build = mobilenet_v1_whole, .real = true, .same = true },
	{ "MobileNet v2", .build = mobilenet_v2, .real = true, .same = true },
	{ "ResNet50", .build = resnet50, .real = true, .same = true },
	{ "Inception v3", .build = inception_v3, .real = true, .same = true },
	{ "DenseNet121", .build = densenet121, .real = true, .same = true },
	{ "DeepLab v3", .build = deeplab_v3, .real = true, .same = true },
	{ "DARTS", .build = darts, .real = true, .same = true },
};

/* The network of a name, or NULL. */
static inline const struct network *net_find(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		if (!strcmp(int8_networks[i].name, name))
			return &int8_networks[i];
	for (i = 0; i < ARRAY_SIZE(mcu_networks); i++)
		if (!strcmp(mcu_networks[i].name, name))
			return &mcu_networks[i];
	for (i = 0; i < ARRAY_SIZE(chip_networks); i++)
		if (!strcmp(chip_networks[i].name, name))
			return &chip_networks[i];
	return NULL;
}

#endif /* LOOM_BENCH_NETWORKS_H */
