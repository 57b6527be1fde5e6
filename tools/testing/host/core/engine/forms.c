// SPDX-License-Identifier: MIT
/*
 * Every form of every operation: each opcode with each number of operands, each combination of
 * types that its check accepts, each kind, mode and activation, on operands with ordinary numbers,
 * and with NaN of any payload, infinities, denormals, and the ends of the types' ranges. Operands
 * in images are left to image.c, which compares them with the same in SRAM.
 *
 * Results are not compared with a model here: other tests do. They must be the same with every set
 * of instructions, however the command is cut, and everywhere: each operation has a hash of all its
 * results, which is in the list below. So a machine that rounds, converts or orders sums in another
 * way does not pass, whether it has other vectors or is of another architecture.
 *
 * The types are not listed: all combinations are tried, and the operation's check says which are
 * its forms. An operation or a kind that is new changes the hash, or has none.
 */
#include "case.h"

static const u8 all_types[] = {
	DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F64, DRM_LOOM_DTYPE_I8,
	DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_I16, DRM_LOOM_DTYPE_U16, DRM_LOOM_DTYPE_I32,
	DRM_LOOM_DTYPE_U32, DRM_LOOM_DTYPE_I64, DRM_LOOM_DTYPE_U64, DRM_LOOM_DTYPE_BOOL,
};

/**
 * struct form - a command but for its types
 * @operands: number of operands
 * @attr: attributes
 * @rank: number of axes, by operand
 * @dims: by operand
 * @regions: by operand
 */
struct form {
	u32 operands;
	union {
		struct drm_loom_attr_fill fill;
		struct drm_loom_attr_conv conv;
		struct drm_loom_attr_pool pool;
		struct drm_loom_attr_matmul matmul;
		struct drm_loom_attr_binary binary;
		struct drm_loom_attr_unary unary;
		struct drm_loom_attr_reduce reduce;
		struct drm_loom_attr_softmax softmax;
		struct drm_loom_attr_resize resize;
		struct drm_loom_attr_topk topk;
		struct drm_loom_attr_gather gather;
	} attr;
	u8 rank[DRM_LOOM_MAX_OPERANDS];
	u32 dims[DRM_LOOM_MAX_OPERANDS][5];
	u8 regions[DRM_LOOM_MAX_OPERANDS];
};

/* The next digit of a number whose digits have different bases. */
static u32 digit(u32 *number, u32 base)
{
	u32 value = *number % base;

	*number /= base;
	return value;
}

static void set_dims(struct form *form, u32 operand, u32 rank, const u32 *dims)
{
	form->rank[operand] = rank;
	memcpy(form->dims[operand], dims, rank * sizeof(*dims));
}

/* Of a whole vector and some elements more. */
static const u32 plane[3] = { 2, 3, 21 };
/* As above, but for axes that are broadcast. */
static const u32 narrow[3][3] = { { 1, 1, 1 }, { 2, 1, 21 }, { 1, 3, 1 } };

/* Which operand is broadcast, and how, behind the first @same, which are not. */
static void set_broadcast(struct form *form, u32 same, u32 way)
{
	u32 i;

	for (i = 0; i < form->operands; i++)
		set_dims(form, i, 3, plane);
	if (way)
		set_dims(form, same + (way - 1) / 3 % (form->operands - same), 3,
			 narrow[(way - 1) % 3]);
}

static void set_act(u32 *act, u32 *p0, u32 *p1, u32 value)
{
	*act = value % DRM_LOOM_ACT_END;
	*p0 = ec_bits(*act == DRM_LOOM_ACT_CLIP ? -0.5f : 0.25f);
	*p1 = ec_bits(1.5f);
	if (value >= DRM_LOOM_ACT_END) {
		/* a plan may contain these, too */
		*p0 = 0x7fa00001;
		*p1 = ec_bits(-INFINITY);
	}
}

/* Each of these sets up number @n of an operation's forms. Return: false behind the last. */

static bool form_move(struct form *form, u32 n)
{
	static const u8 regions[] = { DRM_LOOM_REGION_SRAM, DRM_LOOM_REGION_DRAM,
				      DRM_LOOM_REGION_ROM };

	set_broadcast(form, 1, 0);
	form->regions[0] = regions[digit(&n, 3)];
	form->regions[1] = regions[digit(&n, 3)];
	return !n;
}

static bool form_fill(struct form *form, u32 n)
{
	static const u64 bits[] = { 0, 0x7f, 0x7d01, 0x40490fdb, 0x7ff4000000000001 };

	set_broadcast(form, 1, 0);
	form->attr.fill.bits = bits[digit(&n, ARRAY_SIZE(bits))];
	form->regions[0] = digit(&n, 2) ? DRM_LOOM_REGION_DRAM : DRM_LOOM_REGION_SRAM;
	return !n;
}

/* groups, channels of x and y; kernel, stride, dilation, pad, y's dims by D, H, W */
static const struct window {
	u32 groups;
	u32 inputs;
	u32 outputs;
	u32 kernel[3];
	s32 stride[3];
	s32 dilation[3];
	s32 pad[3];
	u32 y[3];
} windows[] = {
	{ 1, 19, 21, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 }, { 1, 5, 7 } },
	{ 1, 5, 18, { 1, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 1, 6, 20 } },
	{ 17, 17, 17, { 1, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 1, 4, 19 } },
	{ 2, 8, 6, { 1, 3, 3 }, { 1, 2, 2 }, { 1, 1, 1 }, { 0, 1, 1 }, { 1, 4, 9 } },
	{ 1, 3, 4, { 1, 1, 5 }, { 1, 1, 3 }, { 1, 1, 2 }, { 0, 0, 4 }, { 1, 2, 37 } },
	{ 1, 4, 5, { 2, 2, 2 }, { 1, 1, 2 }, { 1, 2, 1 }, { 1, 0, 0 }, { 3, 4, 5 } },
};

/* As large as it takes that no window reaches past the end by more than the pad. */
static u32 span(const struct window *w, u32 i)
{
	return (w->y[i] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 -
	       w->pad[i];
}

/* Of a sum of products, whose optional operands say that they are there. */
static void set_product(u32 *flags, u32 *act, u32 *p0, u32 *p1, u32 *n, u32 operands)
{
	static const u32 scaled[] = { 0, DRM_LOOM_ATTR_SCALE,
				      DRM_LOOM_ATTR_SCALE | DRM_LOOM_ATTR_BIAS };

	*flags = operands == 4 && digit(n, 2) ? DRM_LOOM_ATTR_BIAS : scaled[operands - 3];
	/* bytes have no activation: not tried, as there are so many types for five operands */
	set_act(act, p0, p1, *flags & DRM_LOOM_ATTR_SCALE ? 0 : digit(n, 2 * DRM_LOOM_ACT_END));
}

static bool form_window(struct form *form, u32 n, bool forward)
{
	struct drm_loom_attr_conv *attr = &form->attr.conv;
	const struct window *w = &windows[digit(&n, ARRAY_SIZE(windows))];
	u32 from[5] = { 2, w->inputs }, to[5] = { 2, w->outputs };
	u32 kernel[5] = { forward ? w->outputs : w->inputs,
			  (forward ? w->inputs : w->outputs) / w->groups };
	u32 i;

	set_product(&attr->flags, &attr->act, &attr->act_p0, &attr->act_p1, &n, form->operands);
	if (digit(&n, 2)) {
		attr->x_zero = 3;
		attr->w_zero = 2;
		attr->y_zero = attr->flags & DRM_LOOM_ATTR_SCALE ? 1 : 0;
	}
	attr->groups = w->groups;
	for (i = 0; i < 3; i++) {
		attr->stride[i] = w->stride[i];
		attr->dilation[i] = w->dilation[i];
		attr->pad[i] = w->pad[i];
		from[2 + i] = forward ? span(w, i) : w->y[i];
		to[2 + i] = forward ? w->y[i] : span(w, i);
		kernel[2 + i] = w->kernel[i];
	}
	set_dims(form, 0, 5, to);
	set_dims(form, 1, 5, from);
	set_dims(form, 2, 5, kernel);
	for (i = 3; i < form->operands; i++)
		set_dims(form, i, 1, &w->outputs);
	return !n;
}

static bool form_conv(struct form *form, u32 n)
{
	return form_window(form, n, true);
}

static bool form_deconv(struct form *form, u32 n)
{
	return form_window(form, n, false);
}

static bool form_pool(struct form *form, u32 n)
{
	struct drm_loom_attr_pool *attr = &form->attr.pool;
	const struct window *w = &windows[digit(&n, ARRAY_SIZE(windows))];
	u32 x[5] = { 2, 3 }, y[5] = { 2, 3 }, i;

	attr->kind = digit(&n, DRM_LOOM_POOL_AVG + 1);
	attr->flags = digit(&n, 2) ? DRM_LOOM_POOL_COUNT_PAD : 0;
	for (i = 0; i < 3; i++) {
		attr->kernel[i] = w->kernel[i];
		attr->stride[i] = w->stride[i];
		attr->dilation[i] = w->dilation[i];
		attr->pad_before[i] = w->pad[i];
		attr->pad_after[i] = w->pad[i];
		x[2 + i] = span(w, i);
		y[2 + i] = w->y[i];
	}
	set_dims(form, 0, 5, y);
	set_dims(form, 1, 5, x);
	return !n;
}

static bool form_matmul(struct form *form, u32 n)
{
	/* A, B, M, K, N; the first two dimensions of a and b */
	static const struct {
		u32 dims[5];
		u32 a[2];
		u32 b[2];
	} products[] = {
		{ { 1, 1, 1, 19, 37 }, { 1, 1 }, { 1, 1 } },
		{ { 1, 1, 6, 35, 33 }, { 1, 1 }, { 1, 1 } },
		{ { 1, 2, 3, 65, 1 }, { 1, 2 }, { 1, 1 } },
		{ { 2, 3, 5, 7, 18 }, { 1, 3 }, { 2, 1 } },
	};
	struct drm_loom_attr_matmul *attr = &form->attr.matmul;
	u32 which = digit(&n, ARRAY_SIZE(products)), i;
	const u32 *d = products[which].dims, *a = products[which].a, *b = products[which].b;

	set_product(&attr->flags, &attr->act, &attr->act_p0, &attr->act_p1, &n, form->operands);
	attr->alpha = ec_bits(1.0f);
	attr->beta = ec_bits(1.0f);
	/* of integers zero points, of the others factors */
	switch (digit(&n, 3)) {
	case 1:
		attr->a_zero = 3;
		attr->b_zero = 2;
		attr->y_zero = attr->flags & DRM_LOOM_ATTR_SCALE ? 1 : 0;
		break;
	case 2:
		attr->alpha = ec_bits(0.7f);
		if (attr->flags & DRM_LOOM_ATTR_BIAS)
			attr->beta = ec_bits(-1.3f);
		break;
	}
	set_dims(form, 0, 4, (u32[]){ d[0], d[1], d[2], d[4] });
	set_dims(form, 1, 4, (u32[]){ a[0], a[1], d[2], d[3] });
	set_dims(form, 2, 4, (u32[]){ b[0], b[1], d[3], d[4] });
	for (i = 3; i < form->operands; i++)
		set_dims(form, i, 4, (u32[]){ 1, 1, i == 3 ? 1 : d[2], d[4] });
	return !n;
}

/* As form_matmul(), with sums behind b. */
static bool form_matmul_add(struct form *form, u32 n)
{
	u32 i;
	bool more;

	form->operands--;
	more = form_matmul(form, n);
	for (i = form->operands++; i > 3; i--)
		set_dims(form, i, 4, form->dims[i - 1]);
	set_dims(form, 3, 4, form->dims[0]);
	return more;
}

static bool form_binary(struct form *form, u32 n)
{
	struct drm_loom_attr_binary *attr = &form->attr.binary;

	attr->kind = digit(&n, DRM_LOOM_BINARY_END);
	set_act(&attr->act, &attr->act_p0, &attr->act_p1, digit(&n, 2 * DRM_LOOM_ACT_END));
	set_broadcast(form, 1, digit(&n, 7));
	return !n;
}

static bool form_unary(struct form *form, u32 n)
{
	struct drm_loom_attr_unary *attr = &form->attr.unary;
	u32 act;

	attr->kind = digit(&n, DRM_LOOM_UNARY_END);
	set_act(&act, &attr->p0, &attr->p1,
		digit(&n, 2) ? DRM_LOOM_ACT_END : DRM_LOOM_ACT_CLIP);
	set_broadcast(form, 1, 0);
	return !n;
}

static bool form_select(struct form *form, u32 n)
{
	set_broadcast(form, 1, digit(&n, 10));
	return !n;
}

static bool form_reduce(struct form *form, u32 n)
{
	u32 y[3] = { 3, 5, 21 }, axes, i;

	set_dims(form, 1, 3, y);
	form->attr.reduce.kind = digit(&n, DRM_LOOM_REDUCE_END);
	axes = digit(&n, 8);
	for (i = 0; i < 3; i++)
		if (axes >> i & 1)
			y[i] = 1;
	set_dims(form, 0, 3, y);
	return !n;
}

static bool form_softmax(struct form *form, u32 n)
{
	set_broadcast(form, 1, 0);
	form->attr.softmax.axis = digit(&n, 3);
	form->attr.softmax.flags = digit(&n, 2) ? DRM_LOOM_SOFTMAX_LOG : 0;
	return !n;
}

static bool form_topk(struct form *form, u32 n)
{
	u32 dims[3] = { 3, 5, 21 }, axis = digit(&n, 3), i;

	for (i = 1; i < form->operands; i++)
		set_dims(form, i, 3, dims);
	form->attr.topk.axis = axis;
	form->attr.topk.count = digit(&n, 2) ? dims[axis] : (dims[axis] + 1) / 2;
	form->attr.topk.flags = digit(&n, 2) ? DRM_LOOM_TOPK_SMALLEST : 0;
	dims[axis] = form->attr.topk.count;
	set_dims(form, 0, 3, dims);
	return !n;
}

static bool form_gather(struct form *form, u32 n)
{
	u32 dims[3] = { 3, 5, 21 }, axis = digit(&n, 3), own = digit(&n, 2), i;

	form->attr.gather.axis = axis;
	form->regions[1] = digit(&n, 2) ? DRM_LOOM_REGION_DRAM : DRM_LOOM_REGION_SRAM;
	set_dims(form, 1, 3, dims);
	dims[axis] = 4;
	set_dims(form, 0, 3, dims);
	for (i = 0; i < 3 && !own; i++)
		dims[i] = i == axis ? dims[i] : 1;
	set_dims(form, 2, 3, dims);
	return !n;
}

static bool form_resize(struct form *form, u32 n)
{
	static const s32 sizes[][2][3] = {
		{ { 1, 4, 7 }, { 1, 9, 21 } },
		{ { 3, 9, 20 }, { 2, 4, 9 } },
		{ { 1, 5, 1 }, { 1, 1, 3 } },
	};
	struct drm_loom_attr_resize *attr = &form->attr.resize;
	const s32 (*size)[3] = sizes[digit(&n, ARRAY_SIZE(sizes))];
	u32 x[5] = { 2, 3 }, y[5] = { 2, 3 }, i;

	attr->mode = digit(&n, DRM_LOOM_RESIZE_CUBIC + 1);
	attr->coord = digit(&n, DRM_LOOM_COORD_TF_CROP_AND_RESIZE + 1);
	if (attr->mode == DRM_LOOM_RESIZE_NEAREST)
		attr->nearest = digit(&n, DRM_LOOM_NEAREST_CEIL + 1);
	if (attr->mode == DRM_LOOM_RESIZE_CUBIC)
		attr->flags = digit(&n, 2) ? DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE : 0;
	attr->cubic_a = ec_bits(-0.75f);
	attr->extrapolation = ec_bits(3.0f);
	for (i = 0; i < 3; i++) {
		attr->in_size[i] = size[0][i];
		attr->out_size[i] = size[1][i];
		x[2 + i] = size[0][i];
		y[2 + i] = size[1][i];
		attr->scale[i] = ec_bits((float)size[1][i] / size[0][i]);
		attr->roi_start[i] = ec_bits(i ? 0.1f : 0.0f);
		attr->roi_end[i] = ec_bits(i ? 1.2f : 1.0f);
	}
	set_dims(form, 0, 5, y);
	set_dims(form, 1, 5, x);
	return !n;
}

static bool form_cast(struct form *form, u32 n)
{
	set_broadcast(form, 1, 0);
	return !n;
}

static bool form_quantize(struct form *form, u32 n)
{
	set_broadcast(form, 2, digit(&n, 7));
	return !n;
}

/**
 * struct op_forms - an operation
 * @opcode: one of DRM_LOOM_OP_*
 * @set: its forms
 * @sums: many numbers go into a result, so special ones are rare
 * @count: commands
 * @want: hash of their results
 */
struct op_forms {
	u32 opcode;
	bool (*set)(struct form *form, u32 n);
	bool sums;
	u32 count;
	u64 want;
};

static const struct op_forms all_forms[] = {
	{ DRM_LOOM_OP_LOAD, form_move, false, 72, 0x7425dcfa972188ef },
	{ DRM_LOOM_OP_STORE, form_move, false, 36, 0x13c084a06e43c8cc },
	{ DRM_LOOM_OP_COPY, form_move, false, 72, 0x115f00e09fffd3a4 },
	{ DRM_LOOM_OP_FILL, form_fill, false, 84, 0x8cecf08fa66bd9cd },
	{ DRM_LOOM_OP_CONV, form_conv, true, 636, 0x7e29978ecb436311 },
	{ DRM_LOOM_OP_DECONV, form_deconv, true, 324, 0xe0bd2208be1bd46c },
	{ DRM_LOOM_OP_POOL, form_pool, true, 168, 0xf982a44009092455 },
	{ DRM_LOOM_OP_MATMUL, form_matmul, true, 768, 0x749ce781d32a76e6 },
	{ DRM_LOOM_OP_MATMUL_ADD, form_matmul_add, true, 768, 0xad5b26cbc38be2c9 },
	{ DRM_LOOM_OP_BINARY, form_binary, false, 3206, 0xd3e1b7c225a563d1 },
	{ DRM_LOOM_OP_UNARY, form_unary, false, 182, 0x8cbbef88ccf7ff0c },
	{ DRM_LOOM_OP_SELECT, form_select, false, 120, 0xaeee4e6a0b45c258 },
	{ DRM_LOOM_OP_REDUCE, form_reduce, true, 704, 0x5e14eae2a2493d12 },
	{ DRM_LOOM_OP_SOFTMAX, form_softmax, true, 18, 0x7e119ffb6bfc2486 },
	{ DRM_LOOM_OP_RESIZE, form_resize, true, 360, 0x6b3a341c39b076df },
	{ DRM_LOOM_OP_CAST, form_cast, false, 132, 0x404213fbd14db7cb },
	{ DRM_LOOM_OP_QUANTIZE, form_quantize, false, 56, 0x2fbfaee644f1c5f0 },
	{ DRM_LOOM_OP_TOPK, form_topk, false, 1716, 0x91383c2d2bc8b077 },
	{ DRM_LOOM_OP_GATHER, form_gather, false, 288, 0x3e6f8f85c3eca12b },
	{ DRM_LOOM_OP_DEQUANTIZE, form_quantize, false, 70, 0x720cb2f1536b401e },
};

/* Bits of a number that is special in some way, of any type: too many are cut off. */
static u64 special(u32 dtype)
{
	static const u32 f32[] = {
		0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000, 0x7f800000, 0xff800000, 0,
		0x80000000, 1, 0x807fffff, 0x7f7fffff, 0x4f000000, 0xcf000001, 0x5f000000,
		0x3f000000, 0xbf000000, 0x40200000, 0x42b17218, 0xc2cff1b5, 0x437f8000,
	};
	static const u16 f16[] = {
		0x7e00, 0xfe11, 0x7c01, 0x7c00, 0xfc00, 0, 0x8000, 1, 0x83ff, 0x7bff, 0x3800,
		0xb800, 0x4100, 0x5bff,
	};
	static const u64 f64[] = {
		0x7ff8000000000000, 0xfff8000000000123, 0x7ff0000000000001, 0x7ff0000000000000,
		0xfff0000000000000, 0, 0x8000000000000000, 1, 0x7fefffffffffffff,
		0x41e0000000000000, 0xc1e0000000200000, 0x43e0000000000000, 0x43f0000000000000,
		0x3fe0000000000000, 0x36a0000000000000, 0x47efffffefffffff, 0x40862e42fefa39ef,
	};
	u32 bits = 8 * loom_dtype_stride(dtype);
	u64 high;

	/* any exponent, any payload */
	if (ec_chance(30)) {
		high = ec_rnd() << 8;
		return high | (ec_rnd() & 0xff);
	}
	switch (dtype) {
	case DRM_LOOM_DTYPE_F32:
		return f32[ec_rnd() % ARRAY_SIZE(f32)];
	case DRM_LOOM_DTYPE_F16:
		return f16[ec_rnd() % ARRAY_SIZE(f16)];
	case DRM_LOOM_DTYPE_F64:
		return f64[ec_rnd() % ARRAY_SIZE(f64)];
	}
	switch (ec_rnd() % 4) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return 1ULL << (bits - 1);
	}
	return (1ULL << (bits - 1)) - 1;
}

/* Random elements, of which one in a hundred @percent is special. */
static void fill(struct ec *ec, u32 operand, u32 percent)
{
	const struct loom_view *v = &ec->views[operand];
	u32 index[DRM_LOOM_MAX_RANK] = {};
	u64 bits;

	do {
		if (ec_chance(percent)) {
			bits = special(v->dtype);
			memcpy(ec_address(ec, v, index), &bits, v->elem_bytes);
		} else {
			ec_put(ec, v, index, ec_value(v->dtype));
		}
	} while (ec_next(v->dims, v->rank, index));
}

/* Whether the operation takes the types, one digit of @types for each operand. */
static bool is_form(const struct op_forms *forms, const struct form *form, u32 types)
{
	struct loom_view views[DRM_LOOM_MAX_OPERANDS] = {};
	struct loom_command command = {
		.op = loom_op_get(forms->opcode), .attr = &form->attr, .views = views,
		.operands = form->operands,
	};
	struct loom_check check = { .command = &command, .opcodes = U64_MAX };
	u32 i, k;

	for (i = 0; i < form->operands; i++) {
		views[i].region = form->regions[i];
		views[i].dtype = all_types[digit(&types, ARRAY_SIZE(all_types))];
		views[i].elem_bytes = loom_dtype_stride(views[i].dtype);
		views[i].rank = form->rank[i];
		for (k = 0; k < DRM_LOOM_MAX_RANK; k++)
			views[i].dims[k] = k < form->rank[i] ? form->dims[i][k] : 1;
	}
	return command.op->check(&check);
}

/* Twice: on ordinary numbers, then with special ones among them. Return: whether all is well. */
static bool run(struct ec *ec, const struct op_forms *forms, const struct form *form, u32 types,
		u64 seed)
{
	u32 round, i, left;
	bool good = true;

	for (round = 0; round < 2; round++) {
		left = types;
		ec_begin(ec, 2 * seed + round);
		/* operations that move data name the regions of their operands themselves */
		if (loom_op_get(forms->opcode)->stream == LOOM_STREAM_DMA)
			ec->in_place = false;
		for (i = 0; i < form->operands; i++)
			ec_view(ec, i, form->regions[i],
				all_types[digit(&left, ARRAY_SIZE(all_types))], form->rank[i],
				form->dims[i], i ? EC_READ : EC_WRITE);
		for (i = 0; i < form->operands; i++)
			fill(ec, i, !round ? 0 : forms->sums ? 1 : 40);
		if (!ec_run(ec, forms->opcode, &form->attr, form->operands))
			return false;
		good = good && !ec->failed;
	}
	return good;
}

/* Combinations of types, one digit each. */
static u32 combinations(u32 operands)
{
	u32 count = 1;

	while (operands--)
		count *= ARRAY_SIZE(all_types);
	return count;
}

static void check_op(struct ec *ec, const struct op_forms *forms)
{
	const struct loom_op *op = loom_op_get(forms->opcode);
	u32 count = 0, bad = 0, operands, types, n, step = ec_is_sanitized() ? 16 : 1, found = 0;
	struct form form;

	ec_hash = 0xcbf29ce484222325ULL;
	for (operands = op->min_operands; operands <= op->max_operands; operands++) {
		bool more = true;

		for (n = 0; more; n++) {
			memset(&form, 0, sizeof(form));
			memset(form.regions, DRM_LOOM_REGION_SRAM, sizeof(form.regions));
			form.operands = operands;
			more = forms->set(&form, n);
			for (types = 0; more && types < combinations(operands); types++) {
				if (!is_form(forms, &form, types) || found++ % step)
					continue;
				bad += !run(ec, forms, &form, types, count);
				count++;
			}
		}
	}
	tap_ok(count && !bad, "%s: %u forms, %u wrong", op->name, count, bad);
	if (!ec_is_sanitized())
		tap_ok(count == forms->count && ec_hash == forms->want,
		       "%s: %u forms, all results have their bits: %#llx", op->name, count,
		       (unsigned long long)ec_hash);
}

int main(void)
{
	u32 opcode, i, missing = 0;
	struct ec ec = {};

	for (opcode = 0; opcode < DRM_LOOM_OP_END; opcode++) {
		for (i = 0; i < ARRAY_SIZE(all_forms) && all_forms[i].opcode != opcode; i++)
			;
		missing += loom_op_get(opcode) && i == ARRAY_SIZE(all_forms);
	}
	tap_ok(!missing, "every operation is here, but for %u", missing);
	/* ec_run() compares them, for each form */
	for (i = 0; i <= loom_isa_has(); i++)
		tap_note("bits are compared on %s", loom_isa_name(i));
	for (i = 0; i < ARRAY_SIZE(all_forms); i++)
		check_op(&ec, &all_forms[i]);
	ec_end(&ec);
	return tap_end();
}
