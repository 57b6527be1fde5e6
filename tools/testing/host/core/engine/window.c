// SPDX-License-Identifier: MIT
/*
 * POOL, REDUCE, SOFTMAX and RESIZE against their definitions, over random geometries, layouts and
 * types.
 */
#include "case.h"

static const u32 number_types[] = {
	DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F64, DRM_LOOM_DTYPE_I8,
	DRM_LOOM_DTYPE_U8,  DRM_LOOM_DTYPE_I16, DRM_LOOM_DTYPE_U16, DRM_LOOM_DTYPE_I32,
	DRM_LOOM_DTYPE_U32, DRM_LOOM_DTYPE_I64, DRM_LOOM_DTYPE_U64,
};

static bool is_float(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_F32 || dtype == DRM_LOOM_DTYPE_F16 ||
	       dtype == DRM_LOOM_DTYPE_F64;
}

static long double lowest(u32 dtype)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_F32:
		return -0x1.fffffep127L;
	case DRM_LOOM_DTYPE_F64:
		return -0x1.fffffffffffffp1023L;
	case DRM_LOOM_DTYPE_F16:
		return -65504;
	}
	return ec_is_signed(dtype) ? -ldexpl(1, 8 * loom_dtype_stride(dtype) - 1) : 0;
}

static void check_pool(struct ec *ec, bool average)
{
	u32 dtype = number_types[ec_rnd() % (average ? 3 : ARRAY_SIZE(number_types))];
	u32 x_dims[5], y_dims[5], y[5] = {}, i;
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
	if (!ec_run(ec, DRM_LOOM_OP_POOL, &attr, 2))
		return;
	do {
		long double sum = 0, magnitude = 0, most = lowest(dtype), want, bound;
		u32 k[3] = {}, count = 0, met = 0, x[5] = { y[0], y[1] };
		const u32 kernel[3] = { attr.kernel[0], attr.kernel[1], attr.kernel[2] };

		do {
			bool inside = true, padded = true;

			for (i = 0; i < 3; i++) {
				s64 at = (s64)y[2 + i] * attr.stride[i] +
					 (s64)k[i] * attr.dilation[i] - attr.pad_before[i];
				s64 size = x_dims[2 + i];

				inside &= at >= 0 && at < size;
				padded &= at >= -attr.pad_before[i] &&
					  at < size + attr.pad_after[i];
				x[2 + i] = at;
			}
			count += attr.flags ? padded : inside;
			if (!inside)
				continue;
			met++;
			sum += ec_get(ec, &ec->views[1], x);
			magnitude += fabsl(ec_get(ec, &ec->views[1], x));
			most = fmaxl(most, ec_get(ec, &ec->views[1], x));
		} while (ec_next(kernel, 3, k));
		want = average ? (count ? sum / count : 0) : most;
		magnitude = fabsl(want) + magnitude / 1e6;
		bound = ec_epsilon(dtype) * magnitude;
		/* below the least normal number steps are all alike */
		if (dtype == DRM_LOOM_DTYPE_F16)
			bound += 0x1p-25L;
		ec_expect(ec, y, want, average ? bound : 0);
	} while (ec_next(y_dims, 5, y) && !ec->failed);
}

static long double reduce_value(u32 dtype)
{
	if (is_float(dtype))
		return ec_real(0.5, 1.5) * (ec_chance(20) ? -1 : 1);
	return ec_value(dtype);
}

static void check_reduce(struct ec *ec, u32 kind)
{
	u32 dtype = number_types[ec_rnd() % ARRAY_SIZE(number_types)];
	u32 x_dims[DRM_LOOM_MAX_RANK], y_dims[DRM_LOOM_MAX_RANK], y[DRM_LOOM_MAX_RANK] = {};
	struct drm_loom_attr_reduce attr = { .kind = kind };
	u32 rank = ec_range(1, 5), i;
	u64 count = 1;

	for (i = 0; i < rank; i++) {
		x_dims[i] = ec_range(1, rank < 3 ? 150 : rank < 5 ? 9 : 5);
		if (i == rank - 1 && ec_chance(30))
			x_dims[i] = ec_range(60, 140);
		y_dims[i] = ec_chance(50) ? 1 : x_dims[i];
		if (y_dims[i] != x_dims[i])
			count *= x_dims[i];
	}
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, rank, x_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, reduce_value);
	if (!ec_run(ec, DRM_LOOM_OP_REDUCE, &attr, 2))
		return;
	do {
		long double sum = 0, squares = 0, absolute = 0, product = 1, v, want = 0, bound;
		long double least = INFINITY, most = -INFINITY;
		u32 k[DRM_LOOM_MAX_RANK] = {}, k_dims[DRM_LOOM_MAX_RANK], x[DRM_LOOM_MAX_RANK];
		u64 isum = 0, iproduct = 1, isquares = 0, iabsolute = 0, iwant = 0;

		for (i = 0; i < rank; i++)
			k_dims[i] = y_dims[i] == x_dims[i] ? 1 : x_dims[i];
		do {
			u64 n;

			for (i = 0; i < rank; i++)
				x[i] = y[i] + k[i];
			v = ec_get(ec, &ec->views[1], x);
			sum += v;
			absolute += fabsl(v);
			squares += v * v;
			product *= v;
			least = fminl(least, v);
			most = fmaxl(most, v);
			if (is_float(dtype))
				continue;
			n = v < 0 ? (u64)(s64)v : (u64)v;
			isum += n;
			iabsolute += v < 0 ? 0 - n : n;
			isquares += n * n;
			iproduct *= n;
		} while (ec_next(k_dims, rank, k));
		switch (kind) {
		case DRM_LOOM_REDUCE_SUM:
			want = sum;
			iwant = isum;
			break;
		case DRM_LOOM_REDUCE_MEAN:
			want = sum / count;
			iwant = ec_is_signed(dtype) ? (u64)((s64)isum / (s64)count) : isum / count;
			break;
		case DRM_LOOM_REDUCE_MAX:
			want = most;
			break;
		case DRM_LOOM_REDUCE_MIN:
			want = least;
			break;
		case DRM_LOOM_REDUCE_PROD:
			want = product;
			iwant = iproduct;
			break;
		case DRM_LOOM_REDUCE_SUMSQ:
			want = squares;
			iwant = isquares;
			break;
		case DRM_LOOM_REDUCE_L1:
			want = absolute;
			iwant = iabsolute;
			break;
		case DRM_LOOM_REDUCE_L2:
			want = sqrtl(squares);
			iwant = (u64)sqrt((double)isquares);
			break;
		}
		if (!is_float(dtype) && kind != DRM_LOOM_REDUCE_MAX && kind != DRM_LOOM_REDUCE_MIN)
			want = ec_wrap(dtype, iwant);
		/* sums in f64, rounded once: their error is relative to the absolute sum */
		if (kind == DRM_LOOM_REDUCE_PROD)
			absolute = fabsl(want);
		bound = !is_float(dtype) ? 0 :
			ec_epsilon(dtype) * fabsl(want) + (count + 3) * 0x1p-52L * absolute +
			(dtype == DRM_LOOM_DTYPE_F16 ? 0x1p-25L : 0x1p-149L);
		if (dtype == DRM_LOOM_DTYPE_F16 && fabsl(want) >= 65520)
			want = copysignl(INFINITY, want);
		if (dtype == DRM_LOOM_DTYPE_F32 && fabsl(want) >= 0x1.ffffffp127L)
			want = copysignl(INFINITY, want);
		ec_expect(ec, y, want, bound);
	} while (ec_next(y_dims, rank, y) && !ec->failed);
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
	u32 dtype = number_types[ec_rnd() % 3], rank = ec_range(1, 5), i;
	u32 dims[DRM_LOOM_MAX_RANK], y[DRM_LOOM_MAX_RANK] = {}, x[DRM_LOOM_MAX_RANK];
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
	if (!ec_run(ec, DRM_LOOM_OP_SOFTMAX, &attr, 2))
		return;
	do {
		long double sum = 0, most = -INFINITY, v, want, bound, eps = ec_epsilon(dtype);

		if (y[attr.axis])
			continue;	/* checked with the first element of its run */
		memcpy(x, y, sizeof(x));
		for (x[attr.axis] = 0; x[attr.axis] < dims[attr.axis]; x[attr.axis]++)
			most = fmaxl(most, ec_get(ec, &ec->views[1], x));
		for (x[attr.axis] = 0; x[attr.axis] < dims[attr.axis]; x[attr.axis]++)
			sum += expl(ec_get(ec, &ec->views[1], x) - most);
		for (x[attr.axis] = 0; x[attr.axis] < dims[attr.axis]; x[attr.axis]++) {
			v = ec_get(ec, &ec->views[1], x) - most;
			want = log ? v - logl(sum) : expl(v) / sum;
			/* x - max is rounded: a relative error after exp; F64 also sums in F64 */
			bound = eps * fabsl(want) * 4;
			if (log)
				bound += eps;
			else
				bound += (dtype == DRM_LOOM_DTYPE_F64 ? 0x1p-52L : 0x1p-23L) *
					 fabsl(want * v);
			if (dtype == DRM_LOOM_DTYPE_F64)
				bound += dims[attr.axis] * eps * (log ? 1 : fabsl(want));
			if (dtype == DRM_LOOM_DTYPE_F16)
				bound += 0x1p-25L;
			ec_expect(ec, x, want, bound);
		}
	} while (ec_next(dims, rank, y) && !ec->failed);
}

/* ---- resize, from the text of ONNX's operator */

/* Few different numbers, so that many are equal; of floats also NaN and both zeros. */
static long double topk_value(u32 dtype)
{
	static const double few[] = { -0.0, 0.0, NAN, 7, -2, INFINITY, 1, -INFINITY, 100, 3 };

	if (ec_chance(40))
		return ec_value(dtype);
	return is_float(dtype) ? few[ec_rnd() % ARRAY_SIZE(few)] : ec_rnd() % 4;
}

/* NaN is above all; of equals, the first comes first. */
static bool topk_precedes(long double a, u32 a_at, long double b, u32 b_at, bool smallest)
{
	if (isnan(a) && isnan(b))
		return a_at < b_at;
	if (isnan(a) || isnan(b))
		return isnan(a) != smallest;
	return a == b ? a_at < b_at : smallest ? a < b : a > b;
}

/* Each element of y is that with as many before it. */
static void check_topk(struct ec *ec, bool from)
{
	u32 dtype = number_types[ec_rnd() % ARRAY_SIZE(number_types)], rank = ec_range(1, 4), i, n;
	u32 to = from ? number_types[ec_rnd() % ARRAY_SIZE(number_types)] : DRM_LOOM_DTYPE_I32;
	u32 dims[DRM_LOOM_MAX_RANK], y_dims[DRM_LOOM_MAX_RANK], y[DRM_LOOM_MAX_RANK] = {};
	u32 x[DRM_LOOM_MAX_RANK], operands = from ? 3 : 2;
	struct drm_loom_attr_topk attr = {
		.axis = ec_rnd() % rank, .flags = ec_rnd() % 2 ? DRM_LOOM_TOPK_SMALLEST : 0,
	};
	long double v[256];

	for (i = 0; i < rank; i++)
		dims[i] = ec_range(1, i == attr.axis ? ARRAY_SIZE(v) : 5);
	memcpy(y_dims, dims, sizeof(dims));
	n = dims[attr.axis];
	attr.count = ec_chance(30) ? n : ec_range(1, n);
	y_dims[attr.axis] = attr.count;
	for (i = 0; i < operands; i++) {
		ec_view(ec, i, DRM_LOOM_REGION_SRAM, i == 1 ? dtype : to, rank, i ? dims : y_dims,
			i ? EC_READ : EC_WRITE);
		ec_fill(ec, i, i == 1 ? topk_value : i ? ec_value : NULL);
	}
	if (!ec_run(ec, DRM_LOOM_OP_TOPK, &attr, operands))
		return;
	do {
		if (y[attr.axis])
			continue;
		memcpy(x, y, sizeof(x));
		for (i = 0; i < n; i++) {
			x[attr.axis] = i;
			v[i] = ec_get(ec, &ec->views[1], x);
		}
		for (i = 0; i < n; i++) {
			u32 place = 0, j;

			for (j = 0; j < n; j++)
				place += topk_precedes(v[j], j, v[i], i, attr.flags);
			if (place >= attr.count)
				continue;
			x[attr.axis] = i;
			memcpy(y_dims, y, sizeof(y_dims));
			y_dims[attr.axis] = place;
			ec_expect(ec, y_dims, from ? ec_get(ec, &ec->views[2], x) : i, 0);
		}
	} while (ec_next(ec->views[0].dims, rank, y) && !ec->failed);
}

/* Indices in range as a rule, from both ends, and others. */
static void check_gather(struct ec *ec, bool dram)
{
	u32 dtype = number_types[ec_rnd() % ARRAY_SIZE(number_types)], rank = ec_range(1, 5), i;
	u32 dims[DRM_LOOM_MAX_RANK], index_dims[DRM_LOOM_MAX_RANK], y[DRM_LOOM_MAX_RANK] = {};
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
	if (!ec_run(ec, DRM_LOOM_OP_GATHER, &attr, 3))
		return;
	do {
		for (i = 0; i < rank; i++)
			at[i] = index_dims[i] == 1 ? 0 : y[i];
		index = (s64)ec_get(ec, &ec->views[2], at);
		index = index < 0 ? index + length : index;
		memcpy(at, y, sizeof(at));
		at[attr.axis] = (u32)index;
		ec_expect(ec, y, index < 0 || index >= length ? 0 :
			  ec_get(ec, &ec->views[1], at), 0);
	} while (ec_next(dims, rank, y) && !ec->failed);
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

struct taps {
	u32 n;
	s64 at[4];
	double weight[4];
	bool outside;
};

static void resize_taps(const struct drm_loom_attr_resize *a, u32 axis, u32 i, struct taps *t)
{
	double x = resize_coordinate(a, axis, i), f = floor(x), sum = 0;
	s64 last = a->in_size[axis] - 1;
	float cubic;
	u32 j;

	memcpy(&cubic, &a->cubic_a, 4);
	t->outside = a->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE && (x < 0 || x > last);
	if (a->mode == DRM_LOOM_RESIZE_NEAREST) {
		t->n = 1;
		t->at[0] = resize_round(a->nearest, x);
		t->weight[0] = 1;
	} else if (a->mode == DRM_LOOM_RESIZE_LINEAR) {
		t->n = 2;
		for (j = 0; j < 2; j++) {
			t->at[j] = f + j;
			t->weight[j] = j ? x - f : 1 - (x - f);
		}
	} else {
		t->n = 4;
		for (j = 0; j < 4; j++) {
			double d = fabs(x - (f + j - 1));

			t->at[j] = f + j - 1;
			t->weight[j] = d <= 1 ? ((cubic + 2) * d - (cubic + 3)) * d * d + 1 :
				       ((cubic * d - 5 * cubic) * d + 8 * cubic) * d - 4 * cubic;
			if (a->flags && (t->at[j] < 0 || t->at[j] > last))
				t->weight[j] = 0;
			sum += t->weight[j];
		}
		for (j = 0; a->flags && j < 4; j++)
			t->weight[j] /= sum;
	}
	for (j = 0; j < t->n; j++)
		t->at[j] = t->at[j] < 0 ? 0 : t->at[j] > last ? last : t->at[j];
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
	u32 types = mode == DRM_LOOM_RESIZE_NEAREST ? ARRAY_SIZE(number_types) : 3;
	u32 dtype = number_types[ec_rnd() % types];
	u32 x_dims[5], y_dims[5], y[5] = {}, i, j;
	struct taps t[3];

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
		u32 n, k;

		for (n = 0; n < y_dims[2 + i]; n++) {
			resize_taps(&attr, i, attr.out_start[i] + n, &t[0]);
			for (k = 0; k < t[0].n; k++) {
				low = t[0].at[k] < low ? t[0].at[k] : low;
				high = t[0].at[k] > high ? t[0].at[k] : high;
			}
		}
		attr.in_start[i] = low;
		x_dims[2 + i] = high - low + 1;
	}
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, 5, y_dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, dtype, 5, x_dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	if (!ec_run(ec, DRM_LOOM_OP_RESIZE, &attr, 2))
		return;
	do {
		u32 k[3] = {}, x[5] = { y[0], y[1] }, dims[3];
		double weight, want = 0;
		bool outside = false;

		for (i = 0; i < 3; i++) {
			resize_taps(&attr, i, attr.out_start[i] + y[2 + i], &t[i]);
			dims[i] = t[i].n;
			outside |= t[i].outside;
		}
		do {
			for (weight = 1, j = 0; j < 3; j++) {
				x[2 + j] = t[j].at[k[j]] - attr.in_start[j];
				weight *= t[j].weight[k[j]];
			}
			if (mode == DRM_LOOM_RESIZE_NEAREST) {
				ec_expect(ec, y, outside ? 7 : ec_get(ec, &ec->views[1], x), 0);
				break;
			}
			want += weight * (double)ec_get(ec, &ec->views[1], x);
		} while (ec_next(dims, 3, k));
		if (mode != DRM_LOOM_RESIZE_NEAREST)
			ec_expect(ec, y, outside ? 7 : want,
				  0.00002 + ec_epsilon(dtype) * fabs(want));
	} while (ec_next(y_dims, 5, y) && !ec->failed);
}

int main(void)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	struct ec ec = {};
	u32 k;

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
	ec_same_bits(0x7773fe0963775ae8);
	ec_end(&ec);
	return tap_end();
}
