// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"
#include "fp_nest.h"

/* v[i] = an expression in x = v[i] */
#define TILE(type, expr)			\
	do {					\
		for (i = 0; i < n; i++) {	\
			const type x = v[i];	\
						\
			v[i] = (expr);		\
		}				\
	} while (0)

void loom_tile_unary_f32(float *v, u32 n, u32 kind, float p0, float p1)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_UNARY_RELU:
		TILE(float, x < 0.0f ? 0.0f : x);
		break;
	case DRM_LOOM_UNARY_CLIP:
		TILE(float, loom_minf(loom_maxf(x, p0), p1));
		break;
	case DRM_LOOM_UNARY_LEAKY:
		TILE(float, x < 0.0f ? p0 * x : x);
		break;
	case DRM_LOOM_UNARY_SIGMOID:
		TILE(float, loom_sigmoidf(x));
		break;
	case DRM_LOOM_UNARY_HARDSIGMOID:
		TILE(float, loom_minf(loom_maxf(p0 * x + p1, 0.0f), 1.0f));
		break;
	case DRM_LOOM_UNARY_HARDSWISH:
		TILE(float, x * loom_minf(loom_maxf(x / 6.0f + 0.5f, 0.0f), 1.0f));
		break;
	case DRM_LOOM_UNARY_TANH:
		TILE(float, loom_tanhf(x));
		break;
	case DRM_LOOM_UNARY_SQRT:
		TILE(float, __builtin_sqrtf(x));
		break;
	case DRM_LOOM_UNARY_EXP:
		TILE(float, loom_expf(x));
		break;
	case DRM_LOOM_UNARY_LOG:
		TILE(float, (float)loom_log(x));
		break;
	case DRM_LOOM_UNARY_NEG:
		TILE(float, -x);
		break;
	case DRM_LOOM_UNARY_ABS:
		TILE(float, loom_fabsf(x));
		break;
	case DRM_LOOM_UNARY_ERF:
		TILE(float, loom_erff(x));
		break;
	case DRM_LOOM_UNARY_RECIPROCAL:
		TILE(float, 1.0f / x);
		break;
	case DRM_LOOM_UNARY_FLOOR:
		TILE(float, loom_floorf(x));
		break;
	case DRM_LOOM_UNARY_CEIL:
		TILE(float, loom_ceilf(x));
		break;
	case DRM_LOOM_UNARY_ROUND:
		TILE(float, loom_rintf(x));
		break;
	case DRM_LOOM_UNARY_ELU:
		TILE(float, x < 0.0f ? p0 * loom_expm1f_neg(x) : x);
		break;
	case DRM_LOOM_UNARY_SELU:
		TILE(float, p1 * (x < 0.0f ? p0 * loom_expm1f_neg(x) : x));
		break;
	case DRM_LOOM_UNARY_SOFTPLUS:
		TILE(float, (float)((x > 0.0f || x != x ? x : 0.0f) +
				    loom_log1p(loom_exp(-loom_fabsf(x)))));
		break;
	case DRM_LOOM_UNARY_SOFTSIGN:
		TILE(float, x / (1.0f + loom_fabsf(x)));
		break;
	case DRM_LOOM_UNARY_SIGN:
		TILE(float, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x);
		break;
	}
}

void loom_tile_unary_f64(double *v, u32 n, u32 kind, double p0, double p1)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_UNARY_RELU:
		TILE(double, x < 0.0 ? 0.0 : x);
		break;
	case DRM_LOOM_UNARY_CLIP:
		TILE(double, loom_min(loom_max(x, p0), p1));
		break;
	case DRM_LOOM_UNARY_LEAKY:
		TILE(double, x < 0.0 ? p0 * x : x);
		break;
	case DRM_LOOM_UNARY_SIGMOID:
		TILE(double, (x < 0.0 ? loom_exp(x) : 1.0) /
			     (1.0 + loom_exp(-__builtin_fabs(x))));
		break;
	case DRM_LOOM_UNARY_HARDSIGMOID:
		TILE(double, loom_min(loom_max(p0 * x + p1, 0.0), 1.0));
		break;
	case DRM_LOOM_UNARY_HARDSWISH:
		TILE(double, x * loom_min(loom_max(x / 6.0 + 0.5, 0.0), 1.0));
		break;
	case DRM_LOOM_UNARY_TANH:
		TILE(double, loom_tanh(x));
		break;
	case DRM_LOOM_UNARY_SQRT:
		TILE(double, __builtin_sqrt(x));
		break;
	case DRM_LOOM_UNARY_EXP:
		TILE(double, loom_exp(x));
		break;
	case DRM_LOOM_UNARY_LOG:
		TILE(double, loom_log(x));
		break;
	case DRM_LOOM_UNARY_NEG:
		TILE(double, -x);
		break;
	case DRM_LOOM_UNARY_ABS:
		TILE(double, __builtin_fabs(x));
		break;
	case DRM_LOOM_UNARY_ERF:
		TILE(double, loom_erf(x));
		break;
	case DRM_LOOM_UNARY_RECIPROCAL:
		TILE(double, 1.0 / x);
		break;
	case DRM_LOOM_UNARY_FLOOR:
		TILE(double, loom_floor(x));
		break;
	case DRM_LOOM_UNARY_CEIL:
		TILE(double, loom_ceil(x));
		break;
	case DRM_LOOM_UNARY_ROUND:
		TILE(double, loom_rint(x));
		break;
	case DRM_LOOM_UNARY_ELU:
		TILE(double, x < 0.0 ? p0 * loom_expm1(x) : x);
		break;
	case DRM_LOOM_UNARY_SELU:
		TILE(double, p1 * (x < 0.0 ? p0 * loom_expm1(x) : x));
		break;
	case DRM_LOOM_UNARY_SOFTPLUS:
		TILE(double, (x > 0.0 || x != x ? x : 0.0) +
			     loom_log1p(loom_exp(-__builtin_fabs(x))));
		break;
	case DRM_LOOM_UNARY_SOFTSIGN:
		TILE(double, x / (1.0 + __builtin_fabs(x)));
		break;
	case DRM_LOOM_UNARY_SIGN:
		TILE(double, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x);
		break;
	}
}

/* Functions of integers and booleans. */
static void unary_u64(u64 *v, u32 n, u32 kind, bool is_signed)
{
	u32 i;

	switch (kind) {
	case DRM_LOOM_UNARY_RELU:
		if (is_signed)
			TILE(u64, (s64)x < 0 ? 0 : x);
		break;
	case DRM_LOOM_UNARY_ABS:
		if (is_signed)
			TILE(u64, (s64)x < 0 ? 0 - x : x);
		break;
	case DRM_LOOM_UNARY_NEG:
		TILE(u64, 0 - x);
		break;
	case DRM_LOOM_UNARY_SIGN:
		TILE(u64, x ? (is_signed && (s64)x < 0 ? ~0ULL : 1) : 0);
		break;
	case DRM_LOOM_UNARY_NOT:
		TILE(u64, !x);
		break;
	}
}

static u32 act_unary(u32 act)
{
	static const u8 unary[DRM_LOOM_ACT_END] = {
		[DRM_LOOM_ACT_RELU] = DRM_LOOM_UNARY_RELU,
		[DRM_LOOM_ACT_CLIP] = DRM_LOOM_UNARY_CLIP,
		[DRM_LOOM_ACT_LEAKY] = DRM_LOOM_UNARY_LEAKY,
		[DRM_LOOM_ACT_SIGMOID] = DRM_LOOM_UNARY_SIGMOID,
		[DRM_LOOM_ACT_HARDSIGMOID] = DRM_LOOM_UNARY_HARDSIGMOID,
		[DRM_LOOM_ACT_HARDSWISH] = DRM_LOOM_UNARY_HARDSWISH,
		[DRM_LOOM_ACT_TANH] = DRM_LOOM_UNARY_TANH,
	};

	return unary[act];
}

void loom_tile_act_f32(float *v, u32 n, u32 act, u32 p0, u32 p1)
{
	if (act != DRM_LOOM_ACT_NONE)
		loom_tile_unary_f32(v, n, act_unary(act), loom_f32_of_bits(p0),
				    loom_f32_of_bits(p1));
}

void loom_tile_act_f64(double *v, u32 n, u32 act, u32 p0, u32 p1)
{
	if (act != DRM_LOOM_ACT_NONE)
		loom_tile_unary_f64(v, n, act_unary(act), loom_f32_of_bits(p0),
				    loom_f32_of_bits(p1));
}

u64 loom_fp_unary_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count, struct loom_part *part)
{
	const struct drm_loom_attr_unary *attr = command->attr;
	float p0 = loom_f32_of_bits(attr->p0);
	float p1 = loom_f32_of_bits(attr->p1);
	u32 dtype = command->views[0].dtype;
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;
	union loom_buf buf;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows)) {
		size_t n = nest.n;
		const void *x;

		switch (loom_dtype_class(dtype)) {
		case LOOM_CLASS_F32:
			x = loom_row_f32(&rows[1], dtype, n, &buf);
			if (x != buf.f32)
				memcpy(buf.f32, x, n * sizeof(buf.f32[0]));
			loom_tile_unary_f32(buf.f32, n, attr->kind, p0, p1);
			loom_row_put_f32(&rows[0], dtype, n, buf.f32);
			break;
		case LOOM_CLASS_F64:
			x = loom_row_f64(&rows[1], dtype, n, &buf);
			if (x != buf.f64)
				memcpy(buf.f64, x, n * sizeof(buf.f64[0]));
			loom_tile_unary_f64(buf.f64, n, attr->kind, p0, p1);
			loom_row_put_f64(&rows[0], n, buf.f64);
			break;
		case LOOM_CLASS_U64:
			x = loom_row_u64(&rows[1], dtype, n, &buf);
			if (x != buf.u64)
				memcpy(buf.u64, x, n * sizeof(buf.u64[0]));
			unary_u64(buf.u64, n, attr->kind, loom_dtype_signed(dtype));
			loom_row_put_u64(&rows[0], dtype, n, buf.u64);
			break;
		}
	}
	return nest.units;
}
