// SPDX-License-Identifier: MIT
/*
 * BINARY, UNARY, SELECT and RESIZE over random shapes, layouts, broadcasts and types, in place if
 * that is allowed, and a long mean. Results are the same however the command is cut, and have the
 * bits that models in long double once agreed to, written from the definitions. forms.c has all
 * operations in each of their forms; definitions are in lower/random, and in the tests beside
 * results of ONNX, ONNX Runtime and TensorFlow Lite.
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
	ec_begin(&ec, 150000);
	check_long_mean(&ec);
	tap_ok(!ec.failed, "reduce: the mean of 100000 numbers is right to the last bit");
	for (k = 0; k < 3; k++)
		EC_TRY(160000 + 1000 * k, 150, check_resize(&ec, k), "resize, %s", modes[k]);
	ec_same_bits(0xf29d60ddce06f578);
	ec_end(&ec);
	return tap_end();
}
