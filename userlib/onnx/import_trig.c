// SPDX-License-Identifier: MIT
/*
 * Importers of trigonometric and hyperbolic functions and their inverses, which no device has. Of
 * constants they are folded. Of data they are composed of operations of devices: sums and products,
 * a root, an exponential, a logarithm. Polynomials and the splitting of pi are those of Cephes;
 * results are within some units of the last place.
 */
#include "import.h"

#include <errno.h>
#include <math.h>

static struct loom_value *binary(struct loom_import *im, enum loom_gbin fn, struct loom_value *a,
				 struct loom_value *b)
{
	return loom_emit_binary(im->em, fn, a, b);
}

static struct loom_value *with(struct loom_import *im, enum loom_gbin fn, struct loom_value *a,
			       double number)
{
	return binary(im, fn, a, loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, number));
}

static struct loom_value *from(struct loom_import *im, double number, enum loom_gbin fn,
			       struct loom_value *b)
{
	return binary(im, fn, loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, number), b);
}

static struct loom_value *of(struct loom_import *im, enum loom_gfn fn, struct loom_value *x)
{
	return loom_emit_fn(im->em, fn, x);
}

/* @a where @x is less than @limit, else @b */
static struct loom_value *below(struct loom_import *im, struct loom_value *x, double limit,
				struct loom_value *a, struct loom_value *b)
{
	return loom_emit_select(im->em, with(im, LOOM_GBIN_LESS, x, limit), a, b);
}

/* x + x^3 * (c[0] + c[1] * x^2 + c[2] * x^4 + ...) */
static struct loom_value *odd_powers(struct loom_import *im, struct loom_value *x,
				     const double *c, uint32_t count)
{
	struct loom_value *square = binary(im, LOOM_GBIN_MUL, x, x), *y = NULL;

	while (count--) {
		y = y ? with(im, LOOM_GBIN_ADD, binary(im, LOOM_GBIN_MUL, y, square), c[count]) :
			loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, c[count]);
	}
	y = binary(im, LOOM_GBIN_MUL, y, square);
	return binary(im, LOOM_GBIN_ADD, binary(im, LOOM_GBIN_MUL, y, x), x);
}

/*
 * x = n * pi + r, or (n + 1/2) * pi + r for the cosine; the result is that of r, with the sign of
 * the parity of n. Products with the first two parts of pi are exact up to thousands of pi.
 */
static struct loom_value *emit_sine(struct loom_import *im, struct loom_value *x, bool cosine)
{
	static const double c[] = {
		-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
	};
	static const double pi[] = {
		3.140625, 0.000967502593994140625, 0.0000001509957990978376432,
	};
	struct loom_value *n, *k, *odd, *r = x;
	uint32_t i;

	n = with(im, LOOM_GBIN_MUL, x, M_1_PI);
	n = of(im, LOOM_GFN_ROUND, cosine ? with(im, LOOM_GBIN_SUB, n, 0.5) : n);
	k = cosine ? with(im, LOOM_GBIN_ADD, n, 0.5) : n;
	for (i = 0; i < 3; i++)
		r = binary(im, LOOM_GBIN_SUB, r, with(im, LOOM_GBIN_MUL, k, pi[i]));
	odd = of(im, LOOM_GFN_FLOOR, with(im, LOOM_GBIN_MUL, n, 0.5));
	odd = binary(im, LOOM_GBIN_SUB, n, with(im, LOOM_GBIN_MUL, odd, 2));
	odd = from(im, 1, LOOM_GBIN_SUB, with(im, LOOM_GBIN_MUL, odd, 2));
	if (cosine)
		odd = of(im, LOOM_GFN_NEG, odd);
	return binary(im, LOOM_GBIN_MUL, odd, odd_powers(im, r, c, 5));
}

/* of 0 and more: above 1 by that of the inverse, above tan(pi / 8) by that of (t - 1) / (t + 1) */
static struct loom_value *emit_atan_of(struct loom_import *im, struct loom_value *a)
{
	static const double c[] = {
		-0.333329491539, 0.199777106478, -0.138776856032, 0.0805374449538,
	};
	static const double limit = 0.4142135623730950;
	struct loom_value *t, *u, *y;

	t = binary(im, LOOM_GBIN_MIN, a, of(im, LOOM_GFN_RECIPROCAL, a));
	u = binary(im, LOOM_GBIN_DIV, with(im, LOOM_GBIN_SUB, t, 1), with(im, LOOM_GBIN_ADD, t, 1));
	u = odd_powers(im, below(im, t, limit, t, u), c, 4);
	y = below(im, t, limit, u, with(im, LOOM_GBIN_ADD, u, M_PI_4));
	return loom_emit_select(im->em, with(im, LOOM_GBIN_GREATER, a, 1),
				from(im, M_PI_2, LOOM_GBIN_SUB, y), y);
}

static struct loom_value *signed_as(struct loom_import *im, struct loom_value *y,
				    struct loom_value *x)
{
	return binary(im, LOOM_GBIN_MUL, y, of(im, LOOM_GFN_SIGN, x));
}

static struct loom_value *emit_atan(struct loom_import *im, struct loom_value *x)
{
	return signed_as(im, emit_atan_of(im, of(im, LOOM_GFN_ABS, x)), x);
}

/* 1 + x, or 1 - x */
static struct loom_value *one_and(struct loom_import *im, struct loom_value *x, bool less)
{
	return from(im, 1, less ? LOOM_GBIN_SUB : LOOM_GBIN_ADD, x);
}

static struct loom_value *emit_asin(struct loom_import *im, struct loom_value *x)
{
	struct loom_value *y = binary(im, LOOM_GBIN_MUL, one_and(im, x, true),
				      one_and(im, x, false));

	return emit_atan(im, binary(im, LOOM_GBIN_DIV, x, of(im, LOOM_GFN_SQRT, y)));
}

static struct loom_value *emit_acos(struct loom_import *im, struct loom_value *x)
{
	struct loom_value *y = binary(im, LOOM_GBIN_DIV, one_and(im, x, true),
				      one_and(im, x, false));

	return with(im, LOOM_GBIN_MUL, emit_atan_of(im, of(im, LOOM_GFN_SQRT, y)), 2);
}

/* e^|x| / 2 in two halves, each of which is finite as long as the result is, and e^-|x| / 2 */
static struct loom_value *emit_hyperbolic(struct loom_import *im, struct loom_value *x, bool cosine)
{
	static const double c[] = { 1.0 / 6, 1.0 / 120, 1.0 / 5040 };
	struct loom_value *a = of(im, LOOM_GFN_ABS, x), *half, *large, *small;

	half = of(im, LOOM_GFN_EXP, with(im, LOOM_GBIN_MUL, a, 0.5));
	large = binary(im, LOOM_GBIN_MUL, with(im, LOOM_GBIN_MUL, half, 0.5), half);
	small = with(im, LOOM_GBIN_MUL, of(im, LOOM_GFN_EXP, of(im, LOOM_GFN_NEG, a)), 0.5);
	if (cosine)
		return binary(im, LOOM_GBIN_ADD, large, small);
	large = signed_as(im, binary(im, LOOM_GBIN_SUB, large, small), x);
	return below(im, a, 0.5, odd_powers(im, x, c, 3), large);
}

static struct loom_value *emit_asinh(struct loom_import *im, struct loom_value *x)
{
	static const double c[] = { -1.0 / 6, 3.0 / 40, -15.0 / 336 };
	static const double far = 1e10;
	struct loom_value *a = of(im, LOOM_GFN_ABS, x), *y, *large;

	y = with(im, LOOM_GBIN_ADD, binary(im, LOOM_GBIN_MUL, a, a), 1);
	y = binary(im, LOOM_GBIN_ADD, a, of(im, LOOM_GFN_SQRT, y));
	/* there the square overflows a float, and the 1 is negligible */
	large = of(im, LOOM_GFN_LOG, below(im, a, far, y, a));
	large = below(im, a, far, large, with(im, LOOM_GBIN_ADD, large, M_LN2));
	return below(im, a, 0.125, odd_powers(im, x, c, 3), signed_as(im, large, x));
}

static struct loom_value *emit_acosh(struct loom_import *im, struct loom_value *x)
{
	struct loom_value *y;

	y = of(im, LOOM_GFN_SQRT, with(im, LOOM_GBIN_SUB, x, 1));
	y = binary(im, LOOM_GBIN_MUL, y, of(im, LOOM_GFN_SQRT, with(im, LOOM_GBIN_ADD, x, 1)));
	return of(im, LOOM_GFN_LOG, binary(im, LOOM_GBIN_ADD, x, y));
}

static struct loom_value *emit_atanh(struct loom_import *im, struct loom_value *x)
{
	static const double c[] = { 1.0 / 3, 1.0 / 5, 1.0 / 7 };
	struct loom_value *y = binary(im, LOOM_GBIN_DIV, one_and(im, x, false),
				      one_and(im, x, true));

	y = with(im, LOOM_GBIN_MUL, of(im, LOOM_GFN_LOG, y), 0.5);
	return below(im, of(im, LOOM_GFN_ABS, x), 0.125, odd_powers(im, x, c, 3), y);
}

static struct loom_value *emit_trig(struct loom_import *im, enum loom_gfn fn, struct loom_value *x)
{
	switch (fn) {
	case LOOM_GFN_SIN:
	case LOOM_GFN_COS:
		return emit_sine(im, x, fn == LOOM_GFN_COS);
	case LOOM_GFN_TAN:
		return binary(im, LOOM_GBIN_DIV, emit_sine(im, x, false), emit_sine(im, x, true));
	case LOOM_GFN_ASIN:
		return emit_asin(im, x);
	case LOOM_GFN_ACOS:
		return emit_acos(im, x);
	case LOOM_GFN_ATAN:
		return emit_atan(im, x);
	case LOOM_GFN_SINH:
	case LOOM_GFN_COSH:
		return emit_hyperbolic(im, x, fn == LOOM_GFN_COSH);
	case LOOM_GFN_ASINH:
		return emit_asinh(im, x);
	case LOOM_GFN_ACOSH:
		return emit_acosh(im, x);
	default:
		return emit_atanh(im, x);
	}
}

void loom_import_trig(struct loom_import *im, int fn)
{
	struct loom_value *x = loom_import_operand(im, 0), *y;
	uint32_t dtype;

	if (!x)
		return;
	dtype = x->dtype;
	if (x->data || (dtype != DRM_LOOM_DTYPE_F32 && dtype != DRM_LOOM_DTYPE_F16)) {
		loom_import_unary(im, fn);
		return;
	}
	y = emit_trig(im, (enum loom_gfn)fn, loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32));
	loom_import_result(im, 0, loom_emit_cast(im->em, y, dtype));
}
