// SPDX-License-Identifier: MIT
/*
 * MATMUL against sums computed from its definition, over random shapes, layouts and types.
 */
#include "case.h"

struct shape {
	u32 y[4], a[4], b[4];
	u32 bias[4], scale[4];
	struct drm_loom_attr_matmul attr;
	struct ec_act act;
};

static void random_shape(struct shape *s)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 2; i++) {
		s->y[i] = ec_range(1, 3);
		s->a[i] = ec_chance(70) ? s->y[i] : 1;
		s->b[i] = ec_chance(70) ? s->y[i] : 1;
	}
	s->y[2] = ec_range(1, ec_chance(30) ? 1 : 11);
	s->a[2] = s->y[2];
	s->a[3] = ec_range(1, ec_chance(20) ? 200 : 40);
	s->b[2] = s->a[3];
	s->y[3] = ec_range(1, ec_chance(40) ? 150 : 20);
	s->b[3] = s->y[3];
	for (i = 0; i < 4; i++) {
		s->bias[i] = ec_chance(50) ? s->y[i] : 1;
		s->scale[i] = ec_chance(50) ? s->y[i] : 1;
	}
	s->attr.alpha = ec_bits(1.0f);
	s->attr.beta = ec_bits(1.0f);
}

static void make_operands(struct ec *ec, const struct shape *s, u32 y_dtype, u32 a_dtype,
			  u32 b_dtype)
{
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, y_dtype, 4, s->y, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, a_dtype, 4, s->a, EC_READ);
	ec_view(ec, 2, DRM_LOOM_REGION_SRAM, b_dtype, 4, s->b, EC_READ);
	/* b transposed: what a fully connected layer's weights are */
	if (ec->plain && ec_chance(50)) {
		struct loom_view *b = &ec->views[2];
		bool sram = b->region == DRM_LOOM_REGION_SRAM;
		u32 columns = sram ? (s->b[3] - 1) / ec->lanes + 1 : s->b[3];

		b->lane_axis = sram ? 3 : 0;
		b->strides[2] = b->elem_bytes;
		b->strides[3] = (u64)b->elem_bytes * s->b[2];
		b->strides[1] = b->strides[3] * columns;
		b->strides[0] = b->strides[1] * s->b[1];
		*(sram ? &ec->used : &ec->dram_used) = b->offset + b->strides[0] * s->b[0];
	}
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	ec_fill(ec, 2, NULL);
}

/* The index in an operand that is broadcast to y, for index @index of y. */
static const u32 *broadcast(const u32 *dims, const u32 *index, u32 *out)
{
	u32 i;

	for (i = 0; i < 4; i++)
		out[i] = dims[i] == 1 ? 0 : index[i];
	return out;
}

static void check_float(struct ec *ec, u32 dtype)
{
	u32 y[4] = {}, operands = 3, k, at[4];
	float alpha = 1.0f, beta = 1.0f;
	struct shape s;

	random_shape(&s);
	make_operands(ec, &s, dtype, dtype, dtype);
	s.act = ec_act_random();
	s.attr.act = s.act.act;
	s.attr.act_p0 = ec_bits(s.act.p0);
	s.attr.act_p1 = ec_bits(s.act.p1);
	if (ec_chance(30))
		alpha = 0.7f;
	if (ec_chance(60)) {
		s.attr.flags = DRM_LOOM_ATTR_BIAS;
		if (ec_chance(50))
			beta = -1.3f;
		ec_view(ec, 3, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 4, s.bias, EC_READ);
		ec_fill(ec, 3, NULL);
		operands++;
	}
	s.attr.alpha = ec_bits(alpha);
	s.attr.beta = ec_bits(beta);
	if (!ec_run(ec, DRM_LOOM_OP_MATMUL, &s.attr, operands))
		return;
	do {
		long double sum = 0, magnitude = 0, term;
		u32 a[4] = { s.a[0] == 1 ? 0 : y[0], s.a[1] == 1 ? 0 : y[1], y[2] };
		u32 b[4] = { s.b[0] == 1 ? 0 : y[0], s.b[1] == 1 ? 0 : y[1], 0, y[3] };

		for (k = 0; k < s.a[3]; k++) {
			a[3] = k;
			b[2] = k;
			term = ec_get(ec, &ec->views[1], a) * ec_get(ec, &ec->views[2], b);
			sum += term;
			magnitude += fabsl(term);
		}
		sum *= alpha;
		if (operands > 3)
			sum += beta * ec_get(ec, &ec->views[3], broadcast(s.bias, y, at));
		ec_expect_sum(ec, y, &s.act, sum, magnitude + 3, s.a[3] + 2);
	} while (ec_next(s.y, 4, y) && !ec->failed);
}

static void check_integer(struct ec *ec, bool scaled)
{
	u32 a_dtype = ec_chance(50) ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_U8;
	u32 b_dtype = ec_chance(50) ? DRM_LOOM_DTYPE_I8 : DRM_LOOM_DTYPE_U8;
	u32 y_dtype = !scaled	    ? DRM_LOOM_DTYPE_I32 :
		      ec_chance(50) ? DRM_LOOM_DTYPE_I8 :
				      DRM_LOOM_DTYPE_U8;
	u32 y[4] = {}, operands = 3, index[4] = {}, k, at[4], scale = 0;
	struct shape s;

	random_shape(&s);
	make_operands(ec, &s, y_dtype, a_dtype, b_dtype);
	s.attr.a_zero = (s32)ec_range(0, 255) - (a_dtype == DRM_LOOM_DTYPE_I8 ? 128 : 0);
	s.attr.b_zero = (s32)ec_range(0, 255) - (b_dtype == DRM_LOOM_DTYPE_I8 ? 128 : 0);
	if (ec_chance(50)) {
		s.attr.flags |= DRM_LOOM_ATTR_BIAS;
		ec_view(ec, operands, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_I32, 4, s.bias, EC_READ);
		ec_fill(ec, operands++, NULL);
	}
	if (scaled) {
		s.attr.flags |= DRM_LOOM_ATTR_SCALE;
		s.attr.y_zero = y_dtype == DRM_LOOM_DTYPE_I8 ? -3 : 130;
		scale = operands;
		ec_view(ec, operands, DRM_LOOM_REGION_SRAM, DRM_LOOM_DTYPE_F32, 4, s.scale,
			EC_READ);
		do {
			ec_put(ec, &ec->views[scale], index, ec_real(0.0, 0.005));
		} while (ec_next(s.scale, 4, index));
		operands++;
	}
	if (!ec_run(ec, DRM_LOOM_OP_MATMUL, &s.attr, operands))
		return;
	do {
		u32 a[4] = { s.a[0] == 1 ? 0 : y[0], s.a[1] == 1 ? 0 : y[1], y[2] };
		u32 b[4] = { s.b[0] == 1 ? 0 : y[0], s.b[1] == 1 ? 0 : y[1], 0, y[3] };
		s64 sum = 0;
		double want;

		if (s.attr.flags & DRM_LOOM_ATTR_BIAS)
			sum = (s64)ec_get(ec, &ec->views[3], broadcast(s.bias, y, at));
		for (k = 0; k < s.a[3]; k++) {
			a[3] = k;
			b[2] = k;
			sum += ((s64)ec_get(ec, &ec->views[1], a) - s.attr.a_zero) *
			       ((s64)ec_get(ec, &ec->views[2], b) - s.attr.b_zero);
		}
		want = (s32)sum;
		if (scaled)
			want = ec_requantise((s32)sum, (float)ec_get(ec, &ec->views[scale],
								     broadcast(s.scale, y, at)),
					     s.attr.y_zero, y_dtype);
		ec_expect(ec, y, want, 0);
	} while (ec_next(s.y, 4, y) && !ec->failed);
}

/* The elements of a factor whose summed axis is in [@first, @first + dims[axis]), in a view. */
static struct loom_view part_of(struct ec *ec, u32 operand, const struct loom_view *from, u32 axis,
				u32 first, u32 count)
{
	u32 dims[4], at[4] = {}, of[4];

	memcpy(dims, from->dims, sizeof(dims));
	dims[axis] = count;
	/* no element is there twice */
	ec->plain = true;
	ec_view(ec, operand, DRM_LOOM_REGION_SRAM, from->dtype, 4, dims, EC_READ);
	do {
		memcpy(of, at, sizeof(of));
		of[axis] += first;
		memcpy(ec_address(ec, &ec->views[operand], at), ec_address(ec, from, of),
		       from->elem_bytes);
	} while (ec_next(dims, 4, at));
	return ec->views[operand];
}

/* Results of the whole, of the largest shape. */
static long double want[3 * 3 * 11 * 150];

/* A product in two parts of K has the bits of the whole; y goes on in the place of the sums. */
static void check_parts(struct ec *ec, u32 dtype, u32 sum_dtype)
{
	struct drm_loom_attr_matmul plain = { .alpha = ec_bits(1.0f), .beta = ec_bits(1.0f) };
	struct loom_view whole, a, b, sums;
	u32 y[4] = {}, first, rest, n = 0;
	struct shape s;

	random_shape(&s);
	s.a[3] = ec_range(2, ec_chance(20) ? 200 : 40);
	s.b[2] = s.a[3];
	first = ec_range(1, s.a[3] - 1);
	rest = s.a[3] - first;
	if (sum_dtype != DRM_LOOM_DTYPE_I32) {
		s.attr.act = DRM_LOOM_ACT_RELU;
		s.attr.alpha = ec_bits(0.7f);
	}
	make_operands(ec, &s, sum_dtype == DRM_LOOM_DTYPE_I32 ? sum_dtype : dtype, dtype, dtype);
	if (!ec_run(ec, DRM_LOOM_OP_MATMUL, &s.attr, 3))
		return;
	whole = ec->views[0];
	do {
		want[n++] = ec_get(ec, &whole, y);
	} while (ec_next(s.y, 4, y));
	a = ec->views[1];
	b = ec->views[2];
	part_of(ec, 1, &a, 3, 0, first);
	part_of(ec, 2, &b, 2, 0, first);
	if (sum_dtype != whole.dtype)
		ec_view(ec, 0, DRM_LOOM_REGION_SRAM, sum_dtype, 4, s.y, EC_WRITE);
	if (!ec_run(ec, DRM_LOOM_OP_MATMUL, &plain, 3))
		return;
	sums = ec->views[0];
	part_of(ec, 1, &a, 3, first, rest);
	part_of(ec, 2, &b, 2, first, rest);
	ec->views[0] = whole;
	ec->views[3] = sums;
	if (!ec_run(ec, DRM_LOOM_OP_MATMUL_ADD, &s.attr, 4))
		return;
	for (n = 0; n == 0 || ec_next(s.y, 4, y); n++)
		if (ec_get(ec, &whole, y) != want[n] && !isnan(want[n]) && !ec->failed)
			ec_fail(ec, "the sum of parts is not that of the whole");
}

int main(void)
{
	static const struct {
		const char *name;
		u32 dtype;
		u32 cases;
	} types[] = {
		{ "f32", DRM_LOOM_DTYPE_F32, 300 },
		{ "f16", DRM_LOOM_DTYPE_F16, 60 },
		{ "f64", DRM_LOOM_DTYPE_F64, 60 },
	};
	static const struct {
		const char *name;
		u32 dtype;
		u32 sum_dtype;
	} parts[] = {
		{ "f32", DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32 },
		{ "f16", DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F32 },
		{ "f64", DRM_LOOM_DTYPE_F64, DRM_LOOM_DTYPE_F64 },
		{ "bytes", DRM_LOOM_DTYPE_I8, DRM_LOOM_DTYPE_I32 },
	};
	struct ec ec = {};
	u32 t;

	for (t = 0; t < ARRAY_SIZE(types); t++)
		EC_TRY(20000 + 1000 * t, types[t].cases, check_float(&ec, types[t].dtype),
		       "matmul %s", types[t].name);
	for (t = 0; t < 2; t++)
		EC_TRY(25000 + 1000 * t, 100, check_integer(&ec, t), "matmul of bytes%s",
		       t ? ", quantised" : "");
	for (t = 0; t < ARRAY_SIZE(parts); t++)
		EC_TRY(28000 + 1000 * t, 60, check_parts(&ec, parts[t].dtype, parts[t].sum_dtype),
		       "matmul in parts, %s", parts[t].name);
	ec_same_bits(0xa618c7e2492cee88);
	ec_end(&ec);
	return tap_end();
}
