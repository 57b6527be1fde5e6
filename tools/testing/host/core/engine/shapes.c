// SPDX-License-Identifier: MIT
/*
 * Every operation but CONV, DECONV and MATMUL over random shapes, layouts, broadcasts and all
 * types, in place where that is allowed. Results are the same however the command is cut, and have
 * the bits that models in long double once agreed to, written from the definitions. Definitions are
 * in lower/random, and in the tests beside results of ONNX, ONNX Runtime and TensorFlow Lite.
 */
#include "case.h"

static const u32 all_types[] = {
	DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F64, DRM_LOOM_DTYPE_I8,
	DRM_LOOM_DTYPE_U8,  DRM_LOOM_DTYPE_I16, DRM_LOOM_DTYPE_U16, DRM_LOOM_DTYPE_I32,
	DRM_LOOM_DTYPE_U32, DRM_LOOM_DTYPE_I64, DRM_LOOM_DTYPE_U64, DRM_LOOM_DTYPE_BOOL,
};

/* all but BOOL */
#define NUMBERS	(ARRAY_SIZE(all_types) - 1)

static bool is_float(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_F32 || dtype == DRM_LOOM_DTYPE_F16 ||
	       dtype == DRM_LOOM_DTYPE_F64;
}

static u32 random_dims(u32 *dims)
{
	u32 rank = ec_range(1, 6), i;

	for (i = 0; i < rank; i++)
		dims[i] = ec_range(1, rank < 3 ? 200 : rank < 5 ? 9 : 4);
	if (ec_chance(20))
		dims[rank - 1] = ec_range(60, 140);
	return rank;
}

static void random_broadcast(const u32 *dims, u32 rank, u32 *out)
{
	u32 i;

	for (i = 0; i < rank; i++)
		out[i] = ec_chance(25) ? 1 : dims[i];
}

static void check_copy(struct ec *ec)
{
	u32 dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	static const struct {
		u32 op, to, from;
	} ways[] = {
		{ DRM_LOOM_OP_LOAD, DRM_LOOM_REGION_SRAM, DRM_LOOM_REGION_DRAM },
		{ DRM_LOOM_OP_LOAD, DRM_LOOM_REGION_SRAM, DRM_LOOM_REGION_ROM },
		{ DRM_LOOM_OP_STORE, DRM_LOOM_REGION_DRAM, DRM_LOOM_REGION_SRAM },
		{ DRM_LOOM_OP_COPY, DRM_LOOM_REGION_DRAM, DRM_LOOM_REGION_DRAM },
		{ DRM_LOOM_OP_COPY, DRM_LOOM_REGION_SRAM, DRM_LOOM_REGION_SRAM },
	};
	u32 dims[DRM_LOOM_MAX_RANK], rank;
	u32 which = ec_rnd() % ARRAY_SIZE(ways);

	/* the regions are part of what it is */
	ec->in_place = false;
	rank = random_dims(dims);
	ec_view(ec, 0, ways[which].to, dtype, rank, dims, EC_WRITE);
	ec_view(ec, 1, ways[which].from, dtype, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	ec_run(ec, ways[which].op, NULL, 2);
}

static void check_fill(struct ec *ec)
{
	u32 dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	u32 dims[DRM_LOOM_MAX_RANK], rank = random_dims(dims);
	struct drm_loom_attr_fill attr;

	ec_view(ec, 0, ec_rnd() & 1, dtype, rank, dims, EC_WRITE);
	ec_fill(ec, 0, NULL);
	attr.bits = ec_rnd() << 8 ^ ec_rnd();
	if (ec->views[0].elem_bytes < 8)
		attr.bits &= (1ULL << 8 * ec->views[0].elem_bytes) - 1;
	ec_run(ec, DRM_LOOM_OP_FILL, &attr, 1);
}

/* Random numbers, among them equal ones, zeroes, infinities and NaN. */
static long double rough_value(u32 dtype)
{
	static const double special[] = { 0.0, -0.0, 1.0, -1.0, 2.0, INFINITY, -INFINITY, NAN };

	if (!is_float(dtype))
		return ec_chance(80) || dtype == DRM_LOOM_DTYPE_BOOL ? ec_value(dtype) :
		       (s64)ec_range(0, 4) - (ec_is_signed(dtype) ? 2 : 0);
	return ec_chance(85) ? ec_value(dtype) : special[ec_rnd() % 8];
}

static void check_binary(struct ec *ec, u32 kind)
{
	bool compares = kind >= DRM_LOOM_BINARY_EQ && kind <= DRM_LOOM_BINARY_GE;
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], rank, dtype, i;
	struct drm_loom_attr_binary attr = { .kind = kind };
	struct ec_act act;

	do {
		dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	} while ((kind >= DRM_LOOM_BINARY_AND) != (dtype == DRM_LOOM_DTYPE_BOOL) ||
		 (kind == DRM_LOOM_BINARY_MOD && is_float(dtype)));
	if (kind == DRM_LOOM_BINARY_EQ && ec_chance(10))
		dtype = DRM_LOOM_DTYPE_BOOL;
	rank = random_dims(y_dims);
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, compares ? DRM_LOOM_DTYPE_BOOL : dtype, rank, y_dims,
		EC_WRITE);
	for (i = 1; i < 3; i++) {
		random_broadcast(y_dims, rank, dims);
		ec_view(ec, i, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_READ);
	}
	if (!compares && ec_chance(30))
		ec->views[ec_range(1, 2)] = ec->views[0];
	for (i = 0; i < 3; i++)
		ec_fill(ec, i, rough_value);
	if (dtype == DRM_LOOM_DTYPE_F32 && !compares && kind < DRM_LOOM_BINARY_POW) {
		act = ec_act_random();
		attr.act = act.act;
		attr.act_p0 = ec_bits(act.p0);
		attr.act_p1 = ec_bits(act.p1);
	}
	ec_run(ec, DRM_LOOM_OP_BINARY, &attr, 3);
}

static void check_unary(struct ec *ec, u32 dtype, u32 kind)
{
	u32 dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank = random_dims(dims);
	struct drm_loom_attr_unary attr = {
		.kind = kind, .p0 = ec_bits(0.25f), .p1 = ec_bits(1.5f),
	};
	bool in_place = ec_chance(40);

	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_READ);
	ec_fill(ec, 0, rough_value);
	ec_fill(ec, 1, rough_value);
	if (in_place) {
		do {
			ec_put(ec, &ec->views[0], index, ec_get(ec, &ec->views[1], index));
		} while (ec_next(dims, rank, index));
		ec->views[1] = ec->views[0];
	}
	ec_run(ec, DRM_LOOM_OP_UNARY, &attr, 2);
}

static void check_select(struct ec *ec)
{
	u32 dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], rank, i;

	rank = random_dims(y_dims);
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, y_dims, EC_WRITE);
	for (i = 1; i < 4; i++) {
		random_broadcast(y_dims, rank, dims);
		ec_view(ec, i, DRM_LOOM_REGION_SRAM, i == 1 ? DRM_LOOM_DTYPE_BOOL : dtype, rank,
			dims, EC_READ);
	}
	for (i = 0; i < 4; i++)
		ec_fill(ec, i, rough_value);
	ec_run(ec, DRM_LOOM_OP_SELECT, NULL, 4);
}

/* Values around the ends of every type, for casts. */
static long double wild_value(u32 dtype)
{
	long double v;
	u32 exponent;

	if (!is_float(dtype))
		return rough_value(dtype);
	/* drawn one after the other, as compilers differ in which operand they take first */
	exponent = ec_rnd() % 72;
	v = ldexpl(ec_real(-1, 1), exponent);
	return ec_chance(70) ? v : ec_chance(30) ? rough_value(dtype) : roundl(v);
}

static void check_cast(struct ec *ec, u32 from, u32 to)
{
	u32 dims[DRM_LOOM_MAX_RANK], rank = random_dims(dims);

	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, to, rank, dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, from, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, wild_value);
	ec_run(ec, DRM_LOOM_OP_CAST, NULL, 2);
}

static long double scale_value(u32 dtype)
{
	(void)dtype;
	return ec_real(0.01, 0.5);
}

/* Quotients far outside, on ties, and NaN. */
static long double quantize_value(u32 dtype)
{
	(void)dtype;
	return ec_chance(3) ? (ec_chance(50) ? INFINITY : -INFINITY) :
	       ec_chance(30) ? ec_real(-20000, 20000) : ec_real(-40, 40);
}

static void check_quantize(struct ec *ec, bool back)
{
	static const u32 types[] = { DRM_LOOM_DTYPE_I8, DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_I16,
				     DRM_LOOM_DTYPE_U16, DRM_LOOM_DTYPE_I32 };
	u32 dtype = types[ec_rnd() % (back ? 5 : 4)], operands = ec_chance(70) ? 4 : 3;
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], rank;

	rank = random_dims(y_dims);
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, back ? DRM_LOOM_DTYPE_F32 : dtype, rank, y_dims,
		EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, back ? dtype : DRM_LOOM_DTYPE_F32, rank, y_dims,
		EC_READ);
	random_broadcast(y_dims, rank, dims);
	ec_view(ec, 2, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, rank, dims, EC_READ);
	random_broadcast(y_dims, rank, dims);
	ec_view(ec, 3, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, back ? NULL : quantize_value);
	ec_fill(ec, 2, scale_value);
	ec_fill(ec, 3, NULL);
	ec_run(ec, back ? DRM_LOOM_OP_DEQUANTIZE : DRM_LOOM_OP_QUANTIZE, NULL, operands);
}

static void check_moves(struct ec *ec, u32 number)
{
	bool failed;

	check_copy(ec);
	failed = ec->failed;
	ec_begin(ec, 31000 + number);
	check_fill(ec);
	ec->failed |= failed;
}

static void check_pool(struct ec *ec, bool average)
{
	u32 dtype = all_types[ec_rnd() % (average ? 3 : NUMBERS)];
	u32 x_dims[5], y_dims[5], i;
	struct drm_loom_attr_pool attr = { .kind = average ? DRM_LOOM_POOL_AVG :
							     DRM_LOOM_POOL_MAX };

	x_dims[0] = ec_range(1, 2);
	x_dims[1] = ec_range(1, 20);
	memcpy(y_dims, x_dims, 2 * sizeof(*y_dims));
	for (i = 0; i < 3; i++) {
		x_dims[2 + i] = ec_range(1, i == 2 ? 90 : i == 1 ? 9 : 2);
		attr.kernel[i] = ec_range(1, i ? 4 : 2);
		attr.stride[i] = ec_range(1, 3);
		attr.dilation[i] = ec_chance(75) ? 1 : ec_range(1, 3);
		attr.pad_before[i] = ec_chance(50) ? 0 : ec_range(0, 4);
		attr.pad_after[i] = ec_chance(50) ? 0 : ec_range(0, 3);
		y_dims[2 + i] = (x_dims[2 + i] - 1) / attr.stride[i] + ec_range(1, 2);
	}
	attr.flags = average && ec_chance(50) ? DRM_LOOM_POOL_COUNT_PAD : 0;
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, 5, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, 5, x_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	ec_run(ec, DRM_LOOM_OP_POOL, &attr, 2);
}

static long double reduce_value(u32 dtype)
{
	if (is_float(dtype))
		return ec_real(0.5, 1.5) * (ec_chance(20) ? -1 : 1);
	return ec_value(dtype);
}

static void check_reduce(struct ec *ec, u32 kind)
{
	u32 dtype = all_types[ec_rnd() % NUMBERS];
	u32 x_dims[DRM_LOOM_MAX_RANK], y_dims[DRM_LOOM_MAX_RANK], rank = ec_range(1, 5), i;
	struct drm_loom_attr_reduce attr = { .kind = kind };

	for (i = 0; i < rank; i++) {
		x_dims[i] = ec_range(1, rank < 3 ? 150 : rank < 5 ? 9 : 5);
		if (i == rank - 1 && ec_chance(30))
			x_dims[i] = ec_range(60, 140);
		y_dims[i] = ec_chance(50) ? 1 : x_dims[i];
	}
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, rank, x_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, reduce_value);
	ec_run(ec, DRM_LOOM_OP_REDUCE, &attr, 2);
}

/* The mean of a hundred thousand numbers near one, which sums in binary32 would get wrong. */
static void check_long_mean(struct ec *ec)
{
	long double sum = 0;
	const u32 x_dims[2] = { 1, 100000 }, y_dims[2] = { 1, 1 };
	struct drm_loom_attr_reduce attr = { .kind = DRM_LOOM_REDUCE_MEAN };
	u32 x[2] = {}, y[2] = {};

	ec->plain = true;
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 2, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 2, x_dims, EC_READ);
	do {
		ec_put(ec, &ec->views[1], x, ec_real(1.0, 1.001));
		sum += ec_get(ec, &ec->views[1], x);
	} while (ec_next(x_dims, 2, x));
	if (ec_run(ec, DRM_LOOM_OP_REDUCE, &attr, 2))
		ec_expect(ec, y, sum / 100000, 0x1p-24L);
}

static long double softmax_value(u32 dtype)
{
	(void)dtype;
	return ec_real(-20, 20);
}

static void check_softmax(struct ec *ec, bool log)
{
	u32 dtype = all_types[ec_rnd() % 3], rank = ec_range(1, 5), i;
	u32 dims[DRM_LOOM_MAX_RANK];
	struct drm_loom_attr_softmax attr = {
		.axis = ec_rnd() % rank,
		.flags = log ? DRM_LOOM_SOFTMAX_LOG : 0,
	};

	for (i = 0; i < rank; i++)
		dims[i] = ec_range(1, i == attr.axis ? 200 : rank < 4 ? 9 : 4);
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, softmax_value);
	ec_run(ec, DRM_LOOM_OP_SOFTMAX, &attr, 2);
}

/* Few different numbers, so that many are equal; of floats also NaN and both zeros. */
static long double topk_value(u32 dtype)
{
	static const double few[] = { -0.0, 0.0, NAN, 7, -2, INFINITY, 1, -INFINITY, 100, 3 };

	if (ec_chance(40))
		return ec_value(dtype);
	return is_float(dtype) ? few[ec_rnd() % ARRAY_SIZE(few)] : ec_rnd() % 4;
}

static void check_topk(struct ec *ec, bool from)
{
	u32 dtype = all_types[ec_rnd() % NUMBERS], rank = ec_range(1, 4), i, n;
	u32 to = from ? all_types[ec_rnd() % NUMBERS] : DRM_LOOM_DTYPE_I32;
	u32 dims[DRM_LOOM_MAX_RANK], y_dims[DRM_LOOM_MAX_RANK], operands = from ? 3 : 2;
	struct drm_loom_attr_topk attr = {
		.axis = ec_rnd() % rank, .flags = ec_rnd() % 2 ? DRM_LOOM_TOPK_SMALLEST : 0,
	};

	for (i = 0; i < rank; i++)
		dims[i] = ec_range(1, i == attr.axis ? 256 : 5);
	memcpy(y_dims, dims, sizeof(dims));
	n = dims[attr.axis];
	attr.count = ec_chance(30) ? n : ec_range(1, n);
	y_dims[attr.axis] = attr.count;
	for (i = 0; i < operands; i++) {
		ec_view(ec, i, DRM_LOOM_REGION_SRAM, i == 1 ? dtype : to, rank, i ? dims : y_dims,
			i ? EC_READ : EC_WRITE);
		ec_fill(ec, i, i == 1 ? topk_value : i ? ec_value : NULL);
	}
	ec_run(ec, DRM_LOOM_OP_TOPK, &attr, operands);
}

/* Indices in range as a rule, from both ends, and others. */
static void check_gather(struct ec *ec, bool dram)
{
	u32 dtype = all_types[ec_rnd() % NUMBERS], rank = ec_range(1, 5), i;
	u32 dims[DRM_LOOM_MAX_RANK], index_dims[DRM_LOOM_MAX_RANK];
	u32 at[DRM_LOOM_MAX_RANK] = {}, length;
	struct drm_loom_attr_gather attr = { .axis = ec_rnd() % rank };
	bool single = ec_chance(50);
	s64 index;

	for (i = 0; i < rank; i++)
		dims[i] = ec_range(1, i == rank - 1 && rank < 4 ? 150 : 7);
	length = dims[attr.axis];
	ec_view(ec, 1, dram ? DRM_LOOM_REGION_DRAM : DRM_LOOM_REGION_SRAM, dtype, rank, dims,
		EC_READ);
	dims[attr.axis] = ec_range(1, 9);
	for (i = 0; i < rank; i++)
		index_dims[i] = ec_chance(25) || (single && i != attr.axis) ? 1 : dims[i];
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, dims, EC_WRITE);
	ec_view(ec, 2, DRM_LOOM_REGION_SRAM, ec_chance(50) ? DRM_LOOM_DTYPE_I32 :
		DRM_LOOM_DTYPE_I64, rank, index_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, ec_value);
	do {
		index = (s64)(ec_rnd() % (2 * length)) - length;
		if (ec_chance(10))
			index = ec_chance(50) ? (s64)length + (s64)(ec_rnd() % 3) :
				-(s64)length - 1;
		ec_put(ec, &ec->views[2], at, index);
	} while (ec_next(index_dims, rank, at));
	ec_run(ec, DRM_LOOM_OP_GATHER, &attr, 3);
}

static float resize_coordinate(const struct drm_loom_attr_resize *a, u32 axis, u32 i)
{
	float in = a->in_size[axis], out = a->out_size[axis], x = i, scale, start, end;

	memcpy(&scale, &a->scale[axis], 4);
	memcpy(&start, &a->roi_start[axis], 4);
	memcpy(&end, &a->roi_end[axis], 4);
	switch (a->coord) {
	case DRM_LOOM_COORD_HALF_PIXEL:
		return (x + 0.5f) / scale - 0.5f;
	case DRM_LOOM_COORD_PYTORCH_HALF_PIXEL:
		return out > 1 ? (x + 0.5f) / scale - 0.5f : 0;
	case DRM_LOOM_COORD_ALIGN_CORNERS:
		return out == 1 ? 0 : x * (in - 1) / (out - 1);
	case DRM_LOOM_COORD_ASYMMETRIC:
		return x / scale;
	case DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC: {
		float adjustment = out / (scale * in);
		float center = in / 2;
		float offset = center * (1 - adjustment);

		return offset + (x + 0.5f) / scale - 0.5f;
	}
	}
	return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1) :
			 0.5f * (start + end) * (in - 1);
}

static s64 resize_round(u32 nearest, double x)
{
	switch (nearest) {
	case DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR:
		return x == floor(x) + 0.5 ? floor(x) : round(x);
	case DRM_LOOM_NEAREST_ROUND_PREFER_CEIL:
		return x == floor(x) + 0.5 ? ceil(x) : round(x);
	case DRM_LOOM_NEAREST_FLOOR:
		return floor(x);
	}
	return ceil(x);
}

/* The elements of x that one of y is made of. */
static void resize_taps(const struct drm_loom_attr_resize *a, u32 axis, u32 i, s64 *low, s64 *high)
{
	double x = resize_coordinate(a, axis, i), f = floor(x);
	s64 last = a->in_size[axis] - 1;

	*low = *high = resize_round(a->nearest, x);
	if (a->mode != DRM_LOOM_RESIZE_NEAREST) {
		bool cubic = a->mode == DRM_LOOM_RESIZE_CUBIC;

		*low = f - cubic;
		*high = f + 1 + cubic;
	}
	*low = *low < 0 ? 0 : *low > last ? last : *low;
	*high = *high < 0 ? 0 : *high > last ? last : *high;
}

static void check_resize(struct ec *ec, u32 mode)
{
	struct drm_loom_attr_resize attr = {
		.mode = mode,
		.coord = ec_rnd() % 6,
		.nearest = ec_rnd() % 4,
		.flags = ec_chance(40) ? DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE : 0,
		.cubic_a = ec_bits(ec_chance(50) ? -0.75f : -0.5f),
		.extrapolation = ec_bits(7.0f),
	};
	u32 types = mode == DRM_LOOM_RESIZE_NEAREST ? NUMBERS : 3;
	u32 dtype = all_types[ec_rnd() % types];
	u32 x_dims[5], y_dims[5], i;

	x_dims[0] = ec_range(1, 2);
	x_dims[1] = ec_range(1, 8);
	memcpy(y_dims, x_dims, 2 * sizeof(*y_dims));
	for (i = 0; i < 3; i++) {
		bool still = i == 0 ? ec_chance(80) : ec_chance(20);

		attr.in_size[i] = ec_range(1, i == 2 ? 50 : i == 1 ? 9 : 3);
		attr.out_size[i] = ec_range(1, 3 * attr.in_size[i]);
		if (still)
			attr.out_size[i] = attr.in_size[i];
		attr.scale[i] = ec_bits((float)attr.out_size[i] / attr.in_size[i]);
		attr.roi_start[i] = ec_bits(ec_real(-0.2, 0.5));
		attr.roi_end[i] = ec_bits(ec_real(0.5, 1.2));
		/* y is a slice of the output; x must have all elements that it needs */
		attr.out_start[i] = ec_chance(60) ? 0 : ec_rnd() % attr.out_size[i];
		y_dims[2 + i] = attr.out_size[i] - attr.out_start[i];
		if (ec_chance(40))
			y_dims[2 + i] = ec_range(1, y_dims[2 + i]);
		x_dims[2 + i] = 0;
	}
	for (i = 0; i < 3; i++) {
		s64 low = attr.in_size[i], high = -1;
		s64 first, last;
		u32 n;

		for (n = 0; n < y_dims[2 + i]; n++) {
			resize_taps(&attr, i, attr.out_start[i] + n, &first, &last);
			low = first < low ? first : low;
			high = last > high ? last : high;
		}
		attr.in_start[i] = low;
		x_dims[2 + i] = high - low + 1;
	}
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, 5, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, 5, x_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	ec_run(ec, DRM_LOOM_OP_RESIZE, &attr, 2);
}

int main(void)
{
	static const u32 kinds[] = { DRM_LOOM_UNARY_RELU, DRM_LOOM_UNARY_ABS, DRM_LOOM_UNARY_NEG,
				     DRM_LOOM_UNARY_SIGN, DRM_LOOM_UNARY_SIGMOID };
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	struct ec ec = {};
	u32 j, k, most;

	EC_TRY(30000, 200, check_moves(&ec, i), "load, store, copy, fill");
	for (k = 0; k < DRM_LOOM_BINARY_END; k++)
		EC_TRY(40000 + 1000 * k, 40, check_binary(&ec, k), "binary %u", k);
	for (j = 0; j < ARRAY_SIZE(all_types); j++) {
		most = is_float(all_types[j]) ? 5 : ec_is_signed(all_types[j]) ? 4 : 2;
		EC_TRY(60000 + 1000 * j, 30, check_unary(&ec, all_types[j],
							 all_types[j] == DRM_LOOM_DTYPE_BOOL ?
							 DRM_LOOM_UNARY_NOT : kinds[i % most]),
		       "unary on type %u", all_types[j]);
	}
	EC_TRY(80000, 150, check_select(&ec), "select");
	for (j = 0; j < ARRAY_SIZE(all_types); j++)
		for (k = 0; k < ARRAY_SIZE(all_types); k++)
			if (k != j)
				EC_TRY(90000 + 1000 * j + 20 * k, 6,
				       check_cast(&ec, all_types[j], all_types[k]),
				       "cast from type %u to %u", all_types[j], all_types[k]);
	for (j = 0; j < 2; j++)
		EC_TRY(110000 + 1000 * j, 100, check_quantize(&ec, j), "%s",
		       j ? "dequantize" : "quantize");
	for (k = 0; k < 2; k++)
		EC_TRY(130000 + 1000 * k, 120, check_pool(&ec, k), "pool, %s",
		       k ? "average" : "maximum");
	for (k = 0; k < DRM_LOOM_REDUCE_END; k++)
		EC_TRY(140000 + 1000 * k, 60, check_reduce(&ec, k), "reduce %u", k);
	ec_begin(&ec, 150000);
	check_long_mean(&ec);
	tap_ok(!ec.failed, "reduce: the mean of 100000 numbers is right to the last bit");
	for (k = 0; k < 2; k++)
		EC_TRY(151000 + 1000 * k, 120, check_softmax(&ec, k), "softmax%s",
		       k ? ", logarithm" : "");
	for (k = 0; k < 2; k++)
		EC_TRY(155000 + 1000 * k, 120, check_topk(&ec, k), "selection of %s",
		       k ? "other elements" : "positions");
	for (k = 0; k < 2; k++)
		EC_TRY(158000 + 500 * k, 150, check_gather(&ec, k), "gathering from %s",
		       k ? "DRAM" : "SRAM");
	for (k = 0; k < 3; k++)
		EC_TRY(160000 + 1000 * k, 150, check_resize(&ec, k), "resize, %s", modes[k]);
	/* the cases above have each kind with most types only */
	for (k = 0; k < DRM_LOOM_BINARY_END; k++)
		EC_TRY(120000 + 1000 * k, 40, check_binary(&ec, k), "more of binary %u", k);
	ec_same_bits(0xe9a449c02afecb89);
	ec_end(&ec);
	return tap_end();
}
