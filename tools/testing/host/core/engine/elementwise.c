// SPDX-License-Identifier: MIT
/*
 * COPY, FILL, BINARY, UNARY, SELECT, CAST, QUANTIZE and DEQUANTIZE over random shapes, layouts,
 * broadcasts and all types, in place where that is allowed.
 */
#include "case.h"

static const u32 all_types[] = {
	DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F64, DRM_LOOM_DTYPE_I8,
	DRM_LOOM_DTYPE_U8,  DRM_LOOM_DTYPE_I16, DRM_LOOM_DTYPE_U16, DRM_LOOM_DTYPE_I32,
	DRM_LOOM_DTYPE_U32, DRM_LOOM_DTYPE_I64, DRM_LOOM_DTYPE_U64, DRM_LOOM_DTYPE_BOOL,
};

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

/* The index in an operand that is broadcast to y, for an index of y. */
static const u32 *at(const struct ec *ec, u32 operand, const u32 *y, u32 *out)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		out[i] = ec->views[operand].dims[i] == 1 ? 0 : y[i];
	return out;
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
	u32 dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank;
	u32 which = ec_rnd() % ARRAY_SIZE(ways);
	char text[100];

	/* the regions are part of what it is */
	ec->in_place = false;
	rank = random_dims(dims);
	ec_view(ec, 0, ways[which].to, dtype, rank, dims, EC_WRITE);
	ec_view(ec, 1, ways[which].from, dtype, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, NULL);
	if (!ec_run(ec, ways[which].op, NULL, 2))
		return;
	do {
		if (memcmp(ec_address(ec, &ec->views[0], index),
			   ec_address(ec, &ec->views[1], index), ec->views[0].elem_bytes)) {
			snprintf(text, sizeof(text), "copy %u: an element differs", which);
			ec_fail(ec, text);
		}
	} while (ec_next(dims, rank, index) && !ec->failed);
}

static void check_fill(struct ec *ec)
{
	u32 dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	u32 dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank = random_dims(dims);
	struct drm_loom_attr_fill attr;

	ec_view(ec, 0, ec_rnd() & 1, dtype, rank, dims, EC_WRITE);
	ec_fill(ec, 0, NULL);
	attr.bits = ec_rnd() << 8 ^ ec_rnd();
	if (ec->views[0].elem_bytes < 8)
		attr.bits &= (1ULL << 8 * ec->views[0].elem_bytes) - 1;
	if (!ec_run(ec, DRM_LOOM_OP_FILL, &attr, 1))
		return;
	do {
		if (memcmp(ec_address(ec, &ec->views[0], index), &attr.bits,
			   ec->views[0].elem_bytes))
			ec_fail(ec, "an element is not what it was filled with");
	} while (ec_next(dims, rank, index) && !ec->failed);
}

/* The result of an operation of integers, before it wraps to the type. */
static __int128 binary_integer(u32 kind, u32 dtype, __int128 a, __int128 b)
{
	__uint128_t power = 1;
	u64 n;

	switch (kind) {
	case DRM_LOOM_BINARY_ADD:
		return a + b;
	case DRM_LOOM_BINARY_SUB:
		return a - b;
	case DRM_LOOM_BINARY_MUL:
		return (__int128)((__uint128_t)a * (__uint128_t)b);
	case DRM_LOOM_BINARY_DIV:
		return b ? a / b : 0;
	case DRM_LOOM_BINARY_POW:
		if (b < 0)
			return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
		/* by squaring from the highest bit down */
		for (n = 1ULL << 63; n; n >>= 1) {
			power *= power;
			if ((u64)b & n)
				power *= (__uint128_t)a;
		}
		return (__int128)power;
	case DRM_LOOM_BINARY_MAX:
		return a > b ? a : b;
	case DRM_LOOM_BINARY_MIN:
		return a < b ? a : b;
	case DRM_LOOM_BINARY_MOD:
		return b ? ((a % b) + b) % b : 0;
	case DRM_LOOM_BINARY_FMOD:
		return b ? a % b : 0;
	case DRM_LOOM_BINARY_PRELU:
		return ec_is_signed(dtype) && a < 0 ?
		       (__int128)((__uint128_t)a * (__uint128_t)b) : a;
	case DRM_LOOM_BINARY_AND:
		return a && b;
	case DRM_LOOM_BINARY_OR:
		return a || b;
	case DRM_LOOM_BINARY_XOR:
		return a != b;
	}
	return 0;
}

static long double binary_float(u32 kind, u32 dtype, long double a, long double b)
{
	switch (kind) {
	case DRM_LOOM_BINARY_ADD:
		return a + b;
	case DRM_LOOM_BINARY_SUB:
		return a - b;
	case DRM_LOOM_BINARY_MUL:
		return a * b;
	case DRM_LOOM_BINARY_DIV:
		return a / b;
	case DRM_LOOM_BINARY_POW:
		return powl(a, b);
	case DRM_LOOM_BINARY_MAX:
		return isnan(a) || isnan(b) ? NAN : fmaxl(a, b);
	case DRM_LOOM_BINARY_MIN:
		return isnan(a) || isnan(b) ? NAN : fminl(a, b);
	case DRM_LOOM_BINARY_FMOD:
		/* for f16 it is computed in f32, and exact for these values */
		return dtype == DRM_LOOM_DTYPE_F64 ? fmod(a, b) : fmodf(a, b);
	case DRM_LOOM_BINARY_PRELU:
		return a < 0 ? a * b : a;
	}
	return 0;
}

static bool binary_compare(u32 kind, long double a, long double b)
{
	switch (kind) {
	case DRM_LOOM_BINARY_EQ:
		return a == b;
	case DRM_LOOM_BINARY_LT:
		return a < b;
	case DRM_LOOM_BINARY_LE:
		return a <= b;
	case DRM_LOOM_BINARY_GT:
		return a > b;
	}
	return a >= b;
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
	long double *operand[2];
	bool compares = kind >= DRM_LOOM_BINARY_EQ && kind <= DRM_LOOM_BINARY_GE;
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank,
								dtype;
	u32 out[DRM_LOOM_MAX_RANK], in_place = 0, i;
	struct drm_loom_attr_binary attr = { .kind = kind };
	struct ec_act act = {};
	size_t n = 0;

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
	if (!compares && ec_chance(30)) {
		in_place = ec_range(1, 2);
		ec->views[in_place] = ec->views[0];
	}
	for (i = 0; i < 3; i++)
		ec_fill(ec, i, rough_value);
	if (dtype == DRM_LOOM_DTYPE_F32 && !compares && kind < DRM_LOOM_BINARY_POW) {
		act = ec_act_random();
		attr.act = act.act;
		attr.act_p0 = ec_bits(act.p0);
		attr.act_p1 = ec_bits(act.p1);
	}
	/* save the operands, since in place they are overwritten */
	for (i = 0, n = 1; i < rank; i++)
		n *= y_dims[i];
	for (i = 0; i < 2; i++) {
		operand[i] = malloc(n * sizeof(long double));
		if (!operand[i])
			tap_fatal("no memory");
	}
	for (i = 0; i < 2; i++) {
		n = 0;
		do {
			operand[i][n++] = ec_get(ec, &ec->views[i + 1], at(ec, i + 1, index, out));
		} while (ec_next(y_dims, rank, index));
	}
	if (!ec_run(ec, DRM_LOOM_OP_BINARY, &attr, 3))
		goto free;
	n = 0;
	do {
		long double a = operand[0][n], b = operand[1][n], want;

		n++;
		if (compares) {
			ec_expect(ec, index, binary_compare(kind, a, b), 0);
		} else if (is_float(dtype)) {
			long double eps = ec_epsilon(dtype);

			want = binary_float(kind, dtype, a, b);
			if (act.act && (isnan(want) || isinf(want)))
				continue;	/* tested in math.c */
			/* values that round to infinity */
			if (dtype == DRM_LOOM_DTYPE_F16 && fabsl(want) >= 65520)
				want = copysignl(INFINITY, want);
			if (dtype == DRM_LOOM_DTYPE_F32 && fabsl(want) >= 0x1.ffffffp127L)
				want = copysignl(INFINITY, want);
			want = act.act ? ec_act_apply(&act, want) : want;
			ec_expect(ec, index, want, 4 * eps * (fabsl(want) + (act.act ? 4 : 0)) +
				  (dtype == DRM_LOOM_DTYPE_F16 ? 0x1p-25L : 0x1p-149L));
		} else {
			want = ec_wrap(dtype, (__uint128_t)
				    binary_integer(kind, dtype, (__int128)a, (__int128)b));
			ec_expect(ec, index, want, 0);
		}
	} while (ec_next(y_dims, rank, index) && !ec->failed);
free:
	free(operand[0]);
	free(operand[1]);
}

static void check_unary(struct ec *ec, u32 dtype, u32 kind)
{
	long double x, want;
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
		/* the same numbers in both: the second keeps them when the first is overwritten */
		do {
			ec_put(ec, &ec->views[0], index, ec_get(ec, &ec->views[1], index));
		} while (ec_next(dims, rank, index));
		ec->views[2] = ec->views[1];
		ec->views[1] = ec->views[0];
	} else {
		ec->views[2] = ec->views[1];
	}
	if (!ec_run(ec, DRM_LOOM_OP_UNARY, &attr, 2))
		return;
	do {
		x = ec_get(ec, &ec->views[2], index);
		if (dtype == DRM_LOOM_DTYPE_F16 && in_place)
			continue;	/* ec_put() rounds at random */
		want = x;
		switch (kind) {
		case DRM_LOOM_UNARY_RELU:
			want = x < 0 ? 0 : x;
			break;
		case DRM_LOOM_UNARY_NEG:
			want = is_float(dtype) ? -x : ec_wrap(dtype, -(__int128)x);
			break;
		case DRM_LOOM_UNARY_ABS:
			want = is_float(dtype) ? fabsl(x) :
			       ec_wrap(dtype, (__int128)x < 0 ? -(__int128)x : (__int128)x);
			break;
		case DRM_LOOM_UNARY_SIGN:
			want = x > 0 ? 1 : x < 0 ? -1 : x;
			break;
		case DRM_LOOM_UNARY_NOT:
			want = !x;
			break;
		case DRM_LOOM_UNARY_SIGMOID:
			want = 1 / (1 + expl(-x));
			break;
		}
		ec_expect(ec, index, want, kind == DRM_LOOM_UNARY_SIGMOID ?
			  3 * ec_epsilon(dtype) * fabsl(want) : 0);
	} while (ec_next(dims, rank, index) && !ec->failed);
}

static void check_select(struct ec *ec)
{
	u32 dtype = all_types[ec_rnd() % ARRAY_SIZE(all_types)];
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank,
								i;
	u32 out[DRM_LOOM_MAX_RANK];

	rank = random_dims(y_dims);
	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, dtype, rank, y_dims, EC_WRITE);
	for (i = 1; i < 4; i++) {
		random_broadcast(y_dims, rank, dims);
		ec_view(ec, i, DRM_LOOM_REGION_SRAM, i == 1 ? DRM_LOOM_DTYPE_BOOL : dtype, rank,
			dims, EC_READ);
	}
	for (i = 0; i < 4; i++)
		ec_fill(ec, i, rough_value);
	if (!ec_run(ec, DRM_LOOM_OP_SELECT, NULL, 4))
		return;
	do {
		i = ec_get(ec, &ec->views[1], at(ec, 1, index, out)) ? 2 : 3;
		if (memcmp(ec_address(ec, &ec->views[0], index),
			   ec_address(ec, &ec->views[i], at(ec, i, index, out)),
			   ec->views[0].elem_bytes))
			ec_fail(ec, "the wrong element was selected");
	} while (ec_next(y_dims, rank, index) && !ec->failed);
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

/* Casts to integers as x86 converts to 32 and 64 bits, then wrapped to the type. */
static long double cast(u32 to, long double x)
{
	long double t = truncl(x), limit = 0x1p31L;

	if (to == DRM_LOOM_DTYPE_U32 || to == DRM_LOOM_DTYPE_I64 || to == DRM_LOOM_DTYPE_U64)
		limit = 0x1p63L;

	if (to == DRM_LOOM_DTYPE_BOOL)
		return x != 0;
	if (to == DRM_LOOM_DTYPE_U64 && t >= 0x1p63L)
		return t < 0x1p64L ? (u64)t : 0;
	if (t >= -limit && t < limit)
		return ec_wrap(to, (__uint128_t)(__int128)t);
	return ec_wrap(to, (__uint128_t)-(__int128)limit);
}

static void check_cast(struct ec *ec, u32 from, u32 to)
{
	long double x, want, bound;
	u32 dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank = random_dims(dims);

	ec_view(ec, 0, DRM_LOOM_REGION_SRAM, to, rank, dims, EC_WRITE);
	ec_view(ec, 1, DRM_LOOM_REGION_SRAM, from, rank, dims, EC_READ);
	ec_fill(ec, 0, NULL);
	ec_fill(ec, 1, wild_value);
	if (!ec_run(ec, DRM_LOOM_OP_CAST, NULL, 2))
		return;
	do {
		x = ec_get(ec, &ec->views[1], index);
		bound = 0;
		if (to == DRM_LOOM_DTYPE_F32) {
			want = (float)x;
		} else if (to == DRM_LOOM_DTYPE_F64) {
			want = (double)x;
		} else if (to == DRM_LOOM_DTYPE_F16) {
			want = fabsl(x) >= 65520 ? copysignl(INFINITY, x) : x;
			bound = 0x1p-11L * fabsl(x) + 0x1p-25L;
		} else if (is_float(from)) {
			want = cast(to, x);
		} else {
			want = ec_wrap(to, (__uint128_t)(__int128)x);
		}
		ec_expect(ec, index, want, bound);
	} while (ec_next(dims, rank, index) && !ec->failed);
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
	u32 y_dims[DRM_LOOM_MAX_RANK], dims[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {}, rank;
	u32 out[DRM_LOOM_MAX_RANK];
	double low = ec_is_signed(dtype) ? -ldexp(1, 8 * loom_dtype_stride(dtype) - 1) : 0;
	double high = low + ldexp(1, 8 * loom_dtype_stride(dtype)) - 1;

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
	if (!ec_run(ec, back ? DRM_LOOM_OP_DEQUANTIZE : DRM_LOOM_OP_QUANTIZE, NULL, operands))
		return;
	do {
		long double x = ec_get(ec, &ec->views[1], index), zero = 0;
		float scale = ec_get(ec, &ec->views[2], at(ec, 2, index, out));

		if (operands == 4)
			zero = ec_get(ec, &ec->views[3], at(ec, 3, index, out));
		if (back)
			x = (float)(x - zero) * scale;
		else
			x = fminl(fmaxl(rintf((float)x / scale) + zero, low), high);
		ec_expect(ec, index, x, 0);
	} while (ec_next(y_dims, rank, index) && !ec->failed);
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

int main(void)
{
	static const u32 kinds[] = { DRM_LOOM_UNARY_RELU, DRM_LOOM_UNARY_ABS, DRM_LOOM_UNARY_NEG,
				     DRM_LOOM_UNARY_SIGN, DRM_LOOM_UNARY_SIGMOID };
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
	ec_same_bits(0xaf7b3635bb26c83f);
	/* the cases above have each kind with most types only */
	for (k = 0; k < DRM_LOOM_BINARY_END; k++)
		EC_TRY(120000 + 1000 * k, 40, check_binary(&ec, k), "more of binary %u", k);
	ec_end(&ec);
	return tap_end();
}
