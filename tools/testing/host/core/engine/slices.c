// SPDX-License-Identifier: MIT
/*
 * A slice of an operation gives the same bits as the whole: random operations in binary32 are run
 * whole, then in slices cut at random on every axis of the result that may be cut. Each slice has
 * only the parts of the operands that it needs, in another layout on another number of lanes.
 */
#include "case.h"

#define OPERANDS	4
#define RANK		5

/**
 * struct box - a part of an operand
 * @start: index of its first element
 * @dims: elements per axis
 */
struct box {
	u32 start[RANK];
	u32 dims[RANK];
};

union attr {
	struct drm_loom_attr_conv conv;
	struct drm_loom_attr_pool pool;
	struct drm_loom_attr_matmul matmul;
	struct drm_loom_attr_reduce reduce;
	struct drm_loom_attr_softmax softmax;
};

/**
 * struct piece - a command: the whole operation, or a slice
 * @box: by operand: the part that it has
 * @attr: its attributes
 */
struct piece {
	struct box box[OPERANDS];
	union attr attr;
};

/**
 * struct node - an operation
 * @opcode: its opcode
 * @operands: number of operands
 * @rank: by operand: its rank
 * @dims: by operand: its dims
 * @values: by operand: its elements; those of the result are from the whole operation
 * @attr: attributes of the whole operation
 * @keep: bit per axis of the result that is not cut
 * @group: cuts of channels are at multiples of this; 0: anywhere
 * @slice: sets the boxes of the operands and the attributes for a piece's box of the result
 */
struct node {
	u32 opcode;
	u32 operands;
	u32 rank[OPERANDS];
	u32 dims[OPERANDS][RANK];
	u32 *values[OPERANDS];
	union attr attr;
	u32 keep;
	u32 group;
	void (*slice)(const struct node *node, struct piece *piece);
};

static size_t node_elements(const struct node *node, u32 operand)
{
	size_t n = 1;
	u32 i;

	for (i = 0; i < node->rank[operand]; i++)
		n *= node->dims[operand][i];
	return n;
}

/* The value of an operand that is element @index of a box. */
static u32 *node_value(const struct node *node, u32 operand, const struct box *box,
		       const u32 *index)
{
	size_t at = 0;
	u32 i;

	for (i = 0; i < node->rank[operand]; i++)
		at = at * node->dims[operand][i] + box->start[i] + index[i];
	return node->values[operand] + at;
}

static void node_fill(struct node *node)
{
	u32 operand, chance = ec_chance(15) ? 4 : 0;
	double large = 0;
	size_t i, n;

	for (operand = 0; operand < node->operands; operand++) {
		n = node_elements(node, operand);
		node->values[operand] = malloc(n * sizeof(u32));
		for (i = 0; i < n; i++) {
			double v = ec_real(-2.0, 2.0);

			/* large pairs that cancel: sums depend on what was added in between */
			if (ec_chance(20)) {
				large = large ? -large : v * 1e20;
				v = large;
				large = ec_chance(50) ? large : 0;
			}
			/* 0 * infinity shows which zeroes are added, and which are skipped */
			if (operand == 2 && ec_chance(chance))
				v = INFINITY;
			node->values[operand][i] = ec_bits(v);
		}
	}
}

static void node_free(struct node *node)
{
	u32 operand;

	for (operand = 0; operand < node->operands; operand++)
		free(node->values[operand]);
}

/* Runs a piece. The result of the @whole is stored; that of a slice is compared with it. */
static void node_run(struct ec *ec, const struct node *node, struct piece *piece, bool whole)
{
	u32 operand, *value, bits;
	char text[160];

	node->slice(node, piece);
	for (operand = 0; operand < node->operands; operand++) {
		const struct box *box = &piece->box[operand];
		u32 index[RANK] = {};

		/* EC_WRITE: no broadcast views, whose elements could not differ */
		ec_view(ec, operand, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, node->rank[operand],
			box->dims, EC_WRITE);
		do {
			memcpy(ec_address(ec, &ec->views[operand], index),
			       node_value(node, operand, box, index), sizeof(u32));
		} while (ec_next(box->dims, node->rank[operand], index));
	}
	if (!ec_run(ec, node->opcode, &piece->attr, node->operands))
		return;

	for (u32 index[RANK] = {};;) {
		const struct box *box = &piece->box[0];

		value = node_value(node, 0, box, index);
		memcpy(&bits, ec_address(ec, &ec->views[0], index), sizeof(bits));
		if (whole)
			*value = bits;
		if (*value != bits) {
			snprintf(text, sizeof(text),
				 "%u,%u,%u,%u,%u of slice %ux%ux%ux%ux%u: %08x, whole: %08x",
				 index[0], index[1], index[2], index[3], index[4], box->dims[0],
				 box->dims[1], box->dims[2], box->dims[3], box->dims[4], bits,
				 *value);
			ec_fail(ec, text);
		}
		if (ec->failed || !ec_next(box->dims, node->rank[0], index))
			return;
	}
}

/* Cuts @axis of the result; sets the end of each part. Return: how many */
static u32 random_cuts(const struct node *node, u32 axis, u32 *ends)
{
	u32 step = axis == 1 && node->group ? node->group : 1;
	u32 left = node->dims[0][axis] / step, n = 0, at = 0, part;

	while (!(node->keep >> axis & 1) && n < 3 && left > 1 && ec_chance(60)) {
		/* often short rows: they have had different bits once */
		part = ec_range(1, ec_chance(50) && left > 5 ? 5 : left - 1);
		left -= part;
		at += part * step;
		ends[n++] = at;
	}
	ends[n++] = node->dims[0][axis];
	return n;
}

/* Everything that is random after this is drawn from @seed. */
static void check_node(struct ec *ec, struct node *node, u64 seed)
{
	u32 ends[RANK][4], parts[RANK] = { 1, 1, 1, 1, 1 }, part[RANK] = {}, i;
	struct piece piece = { .attr = node->attr };

	memcpy(piece.box[0].dims, node->dims[0], sizeof(node->dims[0]));
	node_run(ec, node, &piece, true);
	for (i = 0; i < node->rank[0]; i++)
		parts[i] = random_cuts(node, i, ends[i]);
	do {
		if (ec->failed)
			return;
		memset(&piece, 0, sizeof(piece));
		piece.attr = node->attr;
		for (i = 0; i < node->rank[0]; i++) {
			u32 start = part[i] ? ends[i][part[i] - 1] : 0;

			piece.box[0].start[i] = start;
			piece.box[0].dims[i] = ends[i][part[i]] - start;
		}
		ec_begin(ec, ++seed * 7919);
		node_run(ec, node, &piece, false);
	} while (ec_next(parts, node->rank[0], part));
}

/* Clips the inputs [low, high) of a window to an axis of @size; at least one is left. */
static void clip(s64 low, s64 high, u32 size, u32 *start, u32 *dim)
{
	low = low < 0 ? 0 : low > size - 1 ? size - 1 : low;
	high = high > size ? size : high < low + 1 ? low + 1 : high;
	*start = low;
	*dim = high - low;
}

static void whole_axis(const struct node *node, u32 operand, struct piece *piece, u32 axis)
{
	piece->box[operand].start[axis] = 0;
	piece->box[operand].dims[axis] = node->dims[operand][axis];
}

static void same_axis(struct piece *piece, u32 operand, u32 axis, u32 of)
{
	piece->box[operand].start[axis] = piece->box[0].start[of];
	piece->box[operand].dims[axis] = piece->box[0].dims[of];
}

/* Slices channels: whole groups, or a part of the only one. */
static void slice_channels(const struct node *node, struct piece *piece, bool forward)
{
	u32 groups = node->attr.conv.groups, in = node->dims[1][1] / groups;
	u32 out = node->dims[0][1] / groups, first, count, rest;
	struct box *y = &piece->box[0], *x = &piece->box[1], *w = &piece->box[2];

	first = y->start[1] / out;
	rest = y->start[1] % out;
	count = groups > 1 ? y->dims[1] / out : 1;
	x->start[1] = first * in;
	x->dims[1] = count * in;
	if (forward) {
		same_axis(piece, 2, 0, 1);
		whole_axis(node, 2, piece, 1);
	} else {
		w->start[0] = first * in;
		w->dims[0] = count * in;
		w->start[1] = rest;
		w->dims[1] = y->dims[1] / count;
	}
	piece->attr.conv.groups = count;
}

static void slice_conv(const struct node *node, struct piece *piece)
{
	const struct drm_loom_attr_conv *attr = &node->attr.conv;
	struct box *y = &piece->box[0], *x = &piece->box[1];
	u32 i;

	same_axis(piece, 1, 0, 0);
	slice_channels(node, piece, true);
	for (i = 0; i < 3; i++) {
		u32 extent = (node->dims[2][2 + i] - 1) * attr->dilation[i] + 1;
		s64 low = (s64)y->start[2 + i] * attr->stride[i] - attr->pad[i];
		s64 high = low + (s64)(y->dims[2 + i] - 1) * attr->stride[i] + extent;

		clip(low, high, node->dims[1][2 + i], &x->start[2 + i], &x->dims[2 + i]);
		piece->attr.conv.pad[i] = x->start[2 + i] - low;
		whole_axis(node, 2, piece, 2 + i);
	}
	if (node->operands > 3)
		same_axis(piece, 3, 0, 1);
}

static void slice_deconv(const struct node *node, struct piece *piece)
{
	const struct drm_loom_attr_conv *attr = &node->attr.conv;
	struct box *y = &piece->box[0], *x = &piece->box[1];
	u32 i;

	same_axis(piece, 1, 0, 0);
	slice_channels(node, piece, false);
	for (i = 0; i < 3; i++) {
		s64 extent = (node->dims[2][2 + i] - 1) * attr->dilation[i] + 1;
		s64 first = (s64)y->start[2 + i] + attr->pad[i];
		s64 step = attr->stride[i];

		/* rounded down: one input more than necessary is allowed */
		clip((first - extent) / step, (first + y->dims[2 + i] - 1) / step + 1,
		     node->dims[1][2 + i], &x->start[2 + i], &x->dims[2 + i]);
		piece->attr.conv.pad[i] = first - (s64)x->start[2 + i] * step;
		whole_axis(node, 2, piece, 2 + i);
	}
	if (node->operands > 3)
		same_axis(piece, 3, 0, 1);
}

static void slice_pool(const struct node *node, struct piece *piece)
{
	const struct drm_loom_attr_pool *attr = &node->attr.pool;
	struct box *y = &piece->box[0], *x = &piece->box[1];
	u32 i;

	same_axis(piece, 1, 0, 0);
	same_axis(piece, 1, 1, 1);
	for (i = 0; i < 3; i++) {
		u32 size = node->dims[1][2 + i];
		u32 extent = (attr->kernel[i] - 1) * attr->dilation[i] + 1;
		s64 low = (s64)y->start[2 + i] * attr->stride[i] - attr->pad_before[i];
		s64 high = low + (s64)(y->dims[2 + i] - 1) * attr->stride[i] + extent;

		clip(low, high, size, &x->start[2 + i], &x->dims[2 + i]);
		piece->attr.pool.pad_before[i] = x->start[2 + i] - low;
		piece->attr.pool.pad_after[i] = size + attr->pad_after[i] - x->start[2 + i] -
						x->dims[2 + i];
	}
}

static void slice_matmul(const struct node *node, struct piece *piece)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		same_axis(piece, 1, i, i);
		if (node->dims[2][i] == 1)
			whole_axis(node, 2, piece, i);
		else
			same_axis(piece, 2, i, i);
	}
	same_axis(piece, 1, 2, 2);
	whole_axis(node, 1, piece, 3);
	whole_axis(node, 2, piece, 2);
	same_axis(piece, 2, 3, 3);
	for (i = 0; node->operands > 3 && i < 4; i++) {
		if (node->dims[3][i] == 1)
			whole_axis(node, 3, piece, i);
		else
			same_axis(piece, 3, i, i);
	}
}

/* Slices operand 1 as the result, except on the axes that are kept whole. */
static void slice_along(const struct node *node, struct piece *piece)
{
	u32 i;

	for (i = 0; i < node->rank[1]; i++) {
		if (node->keep >> i & 1)
			whole_axis(node, 1, piece, i);
		else
			same_axis(piece, 1, i, i);
	}
}

static void random_shape(struct node *node, u32 operand, u32 rank, const u32 *dims)
{
	node->rank[operand] = rank;
	memcpy(node->dims[operand], dims, rank * sizeof(*dims));
	if (node->operands < operand + 1)
		node->operands = operand + 1;
}

/* A random window on an axis of @size. Return: number of outputs that do not begin behind it. */
static u32 random_window(u32 size, u32 *kernel, s32 *stride, s32 *dilation, s32 *pad)
{
	u32 extent, places;

	do {
		*kernel = ec_range(1, 5);
		*stride = ec_chance(60) ? 1 : ec_range(1, 3);
		*dilation = ec_chance(70) ? 1 : ec_range(1, 3);
		*pad = ec_chance(40) ? 0 : ec_range(0, 3);
		extent = (*kernel - 1) * *dilation + 1;
	} while (extent > size + 2 * *pad);
	places = (size + 2 * *pad - extent) / *stride + 1;
	if (places > (size - 1 + *pad) / *stride + 1)
		places = (size - 1 + *pad) / *stride + 1;
	return places;
}

static u32 random_size(u32 axis)
{
	if (axis == 0)
		return ec_chance(70) ? 1 : ec_range(2, 4);
	return ec_range(1, axis == 2 && ec_chance(20) ? 80 : 14);
}

static void random_conv(struct node *node, bool forward)
{
	u32 depthwise = ec_chance(20), groups = depthwise ? ec_range(1, 12) :
						ec_chance(25) ? ec_range(2, 3) : 1;
	u32 in = depthwise ? 1 : ec_range(1, 20), out = depthwise ? 1 : ec_range(1, 10), i;
	u32 y[5] = { ec_range(1, 2), groups * out }, x[5] = { y[0], groups * in };
	u32 w[5] = { forward ? y[1] : x[1], forward ? in : out };
	struct drm_loom_attr_conv *attr = &node->attr.conv;
	bool pointwise = ec_chance(20);

	attr->groups = groups;
	for (i = 0; i < 3; i++) {
		x[2 + i] = random_size(i);
		y[2 + i] = random_window(x[2 + i], &w[2 + i], &attr->stride[i],
					 &attr->dilation[i], &attr->pad[i]);
		if (pointwise) {
			w[2 + i] = 1;
			attr->stride[i] = 1;
			attr->pad[i] = 0;
			y[2 + i] = x[2 + i];
		}
		/* a transposed convolution has input and result swapped */
		if (!forward) {
			u32 t = x[2 + i];

			x[2 + i] = y[2 + i];
			y[2 + i] = t;
		}
	}
	node->opcode = forward ? DRM_LOOM_OP_CONV : DRM_LOOM_OP_DECONV;
	node->slice = forward ? slice_conv : slice_deconv;
	random_shape(node, 0, 5, y);
	random_shape(node, 1, 5, x);
	random_shape(node, 2, 5, w);
	if (ec_chance(50)) {
		attr->flags = DRM_LOOM_ATTR_BIAS;
		random_shape(node, 3, 1, &y[1]);
	}
	if (groups > 1)
		node->group = out;
}

static void make_conv(struct node *node)
{
	random_conv(node, true);
}

static void make_deconv(struct node *node)
{
	random_conv(node, false);
}

static void make_pool(struct node *node)
{
	struct drm_loom_attr_pool *attr = &node->attr.pool;
	u32 x[5] = { ec_range(1, 2), ec_range(1, 8) }, y[5] = { x[0], x[1] }, i;

	for (i = 0; i < 3; i++) {
		x[2 + i] = random_size(i);
		y[2 + i] = random_window(x[2 + i], (u32 *)&attr->kernel[i], &attr->stride[i],
					 &attr->dilation[i], &attr->pad_before[i]);
		attr->pad_after[i] = attr->pad_before[i];
	}
	attr->kind = ec_chance(75) ? DRM_LOOM_POOL_AVG : DRM_LOOM_POOL_MAX;
	attr->flags = attr->kind == DRM_LOOM_POOL_AVG && ec_chance(50) ? DRM_LOOM_POOL_COUNT_PAD :
									 0;
	node->opcode = DRM_LOOM_OP_POOL;
	node->slice = slice_pool;
	random_shape(node, 0, 5, y);
	random_shape(node, 1, 5, x);
}

static void make_matmul(struct node *node)
{
	u32 y[4] = { ec_range(1, 2), ec_range(1, 3), ec_range(1, 11), ec_range(1, 70) };
	u32 a[4] = { y[0], y[1], y[2], ec_range(1, 100) };
	u32 b[4] = { ec_chance(50) ? 1 : y[0], ec_chance(50) ? 1 : y[1], a[3], y[3] };
	u32 bias[4] = { 1, 1, ec_chance(50) ? 1 : y[2], y[3] };

	node->attr.matmul.alpha = ec_bits(ec_chance(50) ? 1.0f : 0.3f);
	node->attr.matmul.beta = ec_bits(1.0f);
	node->opcode = DRM_LOOM_OP_MATMUL;
	node->slice = slice_matmul;
	random_shape(node, 0, 4, y);
	random_shape(node, 1, 4, a);
	random_shape(node, 2, 4, b);
	if (ec_chance(50)) {
		node->attr.matmul.flags = DRM_LOOM_ATTR_BIAS;
		random_shape(node, 3, 4, bias);
	}
}

static void make_reduce(struct node *node)
{
	u32 x[4], y[4], i;

	for (i = 0; i < 4; i++) {
		x[i] = ec_range(1, ec_chance(20) ? 40 : 9);
		y[i] = ec_chance(50) ? 1 : x[i];
		node->keep |= (u32)(y[i] != x[i]) << i;
	}
	/* mostly sums: in other kinds the order of additions rarely shows in binary32 */
	node->attr.reduce.kind = ec_chance(60) ? DRM_LOOM_REDUCE_SUM :
						 ec_rnd() % DRM_LOOM_REDUCE_END;
	node->opcode = DRM_LOOM_OP_REDUCE;
	node->slice = slice_along;
	random_shape(node, 0, 4, y);
	random_shape(node, 1, 4, x);
}

static void make_softmax(struct node *node)
{
	u32 x[3] = { ec_range(1, 6), ec_range(1, 100), ec_range(1, 20) };

	node->attr.softmax.axis = ec_rnd() % 3;
	node->attr.softmax.flags = ec_chance(30) ? DRM_LOOM_SOFTMAX_LOG : 0;
	node->keep = 1U << node->attr.softmax.axis;
	node->opcode = DRM_LOOM_OP_SOFTMAX;
	node->slice = slice_along;
	random_shape(node, 0, 3, x);
	random_shape(node, 1, 3, x);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*make)(struct node *node);
		u32 cases;
	} kinds[] = {
		{ "conv", make_conv, 300 },
		{ "deconv", make_deconv, 120 },
		{ "pool", make_pool, 80 },
		{ "matmul", make_matmul, 60 },
		{ "reduce", make_reduce, 240 },
		{ "softmax", make_softmax, 40 },
	};
	u32 k, i, bad, cases;
	struct ec ec = {};

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		cases = ec_cases(kinds[k].cases);
		for (bad = 0, i = 0; i < cases; i++) {
			struct node node = {};

			ec_begin(&ec, 100000 * (k + 1) + 50 * i);
			kinds[k].make(&node);
			node_fill(&node);
			check_node(&ec, &node, 100000 * (k + 1) + 50 * i);
			node_free(&node);
			bad += ec.failed;
		}
		tap_ok(!bad, "%s: slices have the bits of the whole, %u cases, %u wrong",
		       kinds[k].name, cases, bad);
	}
	ec_end(&ec);
	return tap_end();
}
