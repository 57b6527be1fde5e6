// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"
#include "fp_nest.h"

/* to[i] = an expression in x = a[i] and y = b[i] */
#define TILE(type, expr)				\
	do {						\
		for (i = 0; i < n; i++) {		\
			const type x = a[i], y = b[i];	\
							\
			to[i] = (expr);			\
		}					\
	} while (0)

static void binary_f32(float *restrict to, const float *restrict a, const float *restrict b, u32 n,
		       u32 kind)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_BINARY_ADD:
		TILE(float, x + y);
		break;
	case DRM_LOOM_BINARY_SUB:
		TILE(float, x - y);
		break;
	case DRM_LOOM_BINARY_MUL:
		TILE(float, x * y);
		break;
	case DRM_LOOM_BINARY_DIV:
		TILE(float, x / y);
		break;
	case DRM_LOOM_BINARY_POW:
		TILE(float, (float)loom_pow(x, y));
		break;
	case DRM_LOOM_BINARY_MAX:
		TILE(float, loom_maxf(x, y));
		break;
	case DRM_LOOM_BINARY_MIN:
		TILE(float, loom_minf(x, y));
		break;
	case DRM_LOOM_BINARY_FMOD:
		/* exact, and so is its rounding to binary32 */
		TILE(float, (float)loom_fmod(x, y));
		break;
	case DRM_LOOM_BINARY_PRELU:
		TILE(float, x < 0.0f ? x * y : x);
		break;
	}
}

static void binary_f64(double *restrict to, const double *restrict a, const double *restrict b,
		       u32 n, u32 kind)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_BINARY_ADD:
		TILE(double, x + y);
		break;
	case DRM_LOOM_BINARY_SUB:
		TILE(double, x - y);
		break;
	case DRM_LOOM_BINARY_MUL:
		TILE(double, x * y);
		break;
	case DRM_LOOM_BINARY_DIV:
		TILE(double, x / y);
		break;
	case DRM_LOOM_BINARY_POW:
		TILE(double, loom_pow(x, y));
		break;
	case DRM_LOOM_BINARY_MAX:
		TILE(double, loom_max(x, y));
		break;
	case DRM_LOOM_BINARY_MIN:
		TILE(double, loom_min(x, y));
		break;
	case DRM_LOOM_BINARY_FMOD:
		TILE(double, loom_fmod(x, y));
		break;
	case DRM_LOOM_BINARY_PRELU:
		TILE(double, x < 0.0 ? x * y : x);
		break;
	}
}

static u64 quot_s64(s64 x, s64 y)
{
	if (!y)
		return 0;
	return y == -1 ? 0 - (u64)x : (u64)(x / y);
}

static u64 rem_s64(s64 x, s64 y)
{
	return !y || y == -1 ? 0 : (u64)(x % y);
}

static u64 mod_s64(s64 x, s64 y)
{
	s64 r = (s64)rem_s64(x, y);

	return (u64)(r && (r < 0) != (y < 0) ? r + y : r);
}

static u64 pow_u64(u64 x, u64 y)
{
	u64 r = 1;

	for (; y; y >>= 1) {
		if (y & 1)
			r *= x;
		x *= x;
	}
	return r;
}

static u64 pow_s64(s64 x, s64 y)
{
	if (y >= 0)
		return pow_u64((u64)x, (u64)y);
	/* 1 / x^-y, truncated */
	if (x == -1)
		return y & 1 ? ~0ULL : 1;
	return x == 1;
}

static void binary_u64(u64 *restrict to, const u64 *restrict a, const u64 *restrict b, u32 n,
		       u32 kind, bool is_signed)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_BINARY_ADD:
		TILE(u64, x + y);
		break;
	case DRM_LOOM_BINARY_SUB:
		TILE(u64, x - y);
		break;
	case DRM_LOOM_BINARY_MUL:
		TILE(u64, x * y);
		break;
	case DRM_LOOM_BINARY_DIV:
		if (is_signed)
			TILE(u64, quot_s64((s64)x, (s64)y));
		else
			TILE(u64, y ? x / y : 0);
		break;
	case DRM_LOOM_BINARY_POW:
		if (is_signed)
			TILE(u64, pow_s64((s64)x, (s64)y));
		else
			TILE(u64, pow_u64(x, y));
		break;
	case DRM_LOOM_BINARY_MAX:
		if (is_signed)
			TILE(u64, (s64)x > (s64)y ? x : y);
		else
			TILE(u64, x > y ? x : y);
		break;
	case DRM_LOOM_BINARY_MIN:
		if (is_signed)
			TILE(u64, (s64)x < (s64)y ? x : y);
		else
			TILE(u64, x < y ? x : y);
		break;
	case DRM_LOOM_BINARY_MOD:
		if (is_signed)
			TILE(u64, mod_s64((s64)x, (s64)y));
		else
			TILE(u64, y ? x % y : 0);
		break;
	case DRM_LOOM_BINARY_FMOD:
		if (is_signed)
			TILE(u64, rem_s64((s64)x, (s64)y));
		else
			TILE(u64, y ? x % y : 0);
		break;
	case DRM_LOOM_BINARY_PRELU:
		TILE(u64, is_signed && (s64)x < 0 ? x * y : x);
		break;
	case DRM_LOOM_BINARY_AND:
		TILE(u64, x & y);
		break;
	case DRM_LOOM_BINARY_OR:
		TILE(u64, x | y);
		break;
	case DRM_LOOM_BINARY_XOR:
		TILE(u64, x ^ y);
		break;
	}
}

#define COMPARE(type)				\
	do {					\
		switch (kind) {			\
		case DRM_LOOM_BINARY_EQ:		\
			TILE(type, x == y);	\
			break;			\
		case DRM_LOOM_BINARY_LT:		\
			TILE(type, x < y);	\
			break;			\
		case DRM_LOOM_BINARY_LE:		\
			TILE(type, x <= y);	\
			break;			\
		case DRM_LOOM_BINARY_GT:		\
			TILE(type, x > y);	\
			break;			\
		default:			\
			TILE(type, x >= y);	\
			break;			\
		}				\
	} while (0)

static void compare_f32(u8 *restrict to, const float *a, const float *b, u32 n, u32 kind)
{
	u32 i;

	COMPARE(float);
}

static void compare_f64(u8 *restrict to, const double *a, const double *b, u32 n, u32 kind)
{
	u32 i;

	COMPARE(double);
}

static void compare_u64(u8 *restrict to, const u64 *a, const u64 *b, u32 n, u32 kind,
			bool is_signed)
{
	u32 i;

	if (is_signed)
		COMPARE(s64);
	else
		COMPARE(u64);
}

static noinline void binary_tile(const struct drm_loom_attr_binary *attr, u32 dtype,
				 const struct loom_row *rows, u32 n)
{
	union loom_buf a_buf, b_buf, to;
	const void *a, *b;

	switch (loom_dtype_class(dtype)) {
	case LOOM_CLASS_F32:
		a = loom_row_f32(&rows[1], dtype, n, &a_buf);
		b = loom_row_f32(&rows[2], dtype, n, &b_buf);
		binary_f32(to.f32, a, b, n, attr->kind);
		loom_tile_act_f32(to.f32, n, attr->act, attr->act_p0, attr->act_p1);
		loom_row_put_f32(&rows[0], dtype, n, to.f32);
		break;
	case LOOM_CLASS_F64:
		a = loom_row_f64(&rows[1], dtype, n, &a_buf);
		b = loom_row_f64(&rows[2], dtype, n, &b_buf);
		binary_f64(to.f64, a, b, n, attr->kind);
		loom_row_put_f64(&rows[0], n, to.f64);
		break;
	case LOOM_CLASS_U64:
		a = loom_row_u64(&rows[1], dtype, n, &a_buf);
		b = loom_row_u64(&rows[2], dtype, n, &b_buf);
		binary_u64(to.u64, a, b, n, attr->kind, loom_dtype_signed(dtype));
		loom_row_put_u64(&rows[0], dtype, n, to.u64);
		break;
	}
}

static noinline void compare_tile(u32 kind, u32 dtype, const struct loom_row *rows, u32 n)
{
	union loom_buf a_buf, b_buf;
	const void *a, *b;
	u8 to[LOOM_TILE];

	switch (loom_dtype_class(dtype)) {
	case LOOM_CLASS_F32:
		a = loom_row_f32(&rows[1], dtype, n, &a_buf);
		b = loom_row_f32(&rows[2], dtype, n, &b_buf);
		compare_f32(to, a, b, n, kind);
		break;
	case LOOM_CLASS_F64:
		a = loom_row_f64(&rows[1], dtype, n, &a_buf);
		b = loom_row_f64(&rows[2], dtype, n, &b_buf);
		compare_f64(to, a, b, n, kind);
		break;
	case LOOM_CLASS_U64:
		a = loom_row_u64(&rows[1], dtype, n, &a_buf);
		b = loom_row_u64(&rows[2], dtype, n, &b_buf);
		compare_u64(to, a, b, n, kind, loom_dtype_signed(dtype));
		break;
	}
	loom_row_write(&rows[0], 1, n, to);
}

/* Factor on the cost of an element for slow integer operations and long divisions. */
static u32 binary_weight(u32 kind, u32 dtype)
{
	if (kind == DRM_LOOM_BINARY_POW && loom_dtype_class(dtype) == LOOM_CLASS_U64)
		return 4;
	return kind == DRM_LOOM_BINARY_FMOD && dtype == DRM_LOOM_DTYPE_F64 ? 2 : 1;
}

u64 loom_fp_binary_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	const struct drm_loom_attr_binary *attr = command->attr;
	bool compares = attr->kind >= DRM_LOOM_BINARY_EQ && attr->kind <= DRM_LOOM_BINARY_GE;
	u32 dtype = command->views[1].dtype;
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, binary_weight(attr->kind, dtype),
			part);
	while (loom_nest_next(&nest, LOOM_TILE, rows)) {
		if (compares)
			compare_tile(attr->kind, dtype, rows, nest.n);
		else
			binary_tile(attr, dtype, rows, nest.n);
	}
	return nest.units;
}
