// SPDX-License-Identifier: MIT
/*
 * The elementary functions against the long double ones of libm, over samples of every binade
 * and the special values, with the greatest error in units in the last place printed and bounded.
 */
#include <math.h>
#include <string.h>

#include "engine/fp_math.h"
#include "tap.h"

static bool is_sanitized(void)
{
	return getenv("LOOM_SANITIZED");
}

static u64 rng = 88172645463325252ULL;

static u64 rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* Distance in ulps of a type with @digits of mantissa and @least as its smallest exponent. */
static double ulps(long double got, long double want, int digits, int least)
{
	int e;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0.0 : INFINITY;
	if (isinf(want) || isinf(got))
		return want == got ? 0.0 : INFINITY;
	if (got == want)
		return 0.0;
	frexpl(want, &e);
	e = e - digits < least ? least : e - digits;
	return fabsl(got - want) / ldexpl(1.0L, e);
}

/* Drawn in an order that does not depend on the compiler: the same numbers on every machine. */
static double scaled(double x, unsigned int exponents, int least)
{
	return ldexp(x, (int)(rnd() % exponents) + least);
}

static double ulps_f32(float got, long double want)
{
	/* values that round to infinity */
	if (fabsl(want) >= 0x1.ffffffp127L)
		want = copysignl(INFINITY, want);
	return ulps(got, want, 24, -149);
}

static double ulps_f64(double got, long double want)
{
	if (fabsl(want) >= 0x1.fffffffffffff8p1023L)
		want = copysignl(INFINITY, want);
	return ulps(got, want, 53, -1074);
}

static long double sigmoidl(long double x)
{
	return 1.0L / (1.0L + expl(-x));
}

static long double hardswishl(long double x)
{
	return x * fminl(fmaxl(x / 6.0L + 0.5L, 0.0L), 1.0L);
}

static long double elul(long double x)
{
	return x < 0 ? 0.75L * expm1l(x) : x;
}

static long double selul(long double x)
{
	return 1.5L * (x < 0 ? 0.75L * expm1l(x) : x);
}

static long double softplusl(long double x)
{
	return (x > 0 || isnan(x) ? x : 0.0L) + log1pl(expl(-fabsl(x)));
}

static long double softsignl(long double x)
{
	return isinf(x) ? NAN : x / (1.0L + fabsl(x));
}

static long double reciprocall(long double x)
{
	return 1.0L / x;
}

static long double signl(long double x)
{
	return x > 0 ? 1.0L : x < 0 ? -1.0L : x;
}

static long double negl(long double x)
{
	return -x;
}

static long double relul(long double x)
{
	return x < 0 ? 0.0L : x;
}

static long double clipl(long double x)
{
	return x < 0.75L ? 0.75L : x > 1.5L ? 1.5L : x;
}

static long double leakyl(long double x)
{
	return x < 0 ? 0.75L * x : x;
}

static long double hardsigmoidl(long double x)
{
	long double v = 0.75L * x + 1.5L;

	return v < 0.0L ? 0.0L : v > 1.0L ? 1.0L : v;
}

static const struct unary {
	long double (*f)(long double x);
	const char *name;
	u32 kind;
	double bound_f32;
	double bound_f64;
	/* results below this are not checked: cancellation makes their relative error large */
	double least;
} unary[] = {
	{ relul, "relu", DRM_LOOM_UNARY_RELU, 0, 0, 0 },
	{ clipl, "clip", DRM_LOOM_UNARY_CLIP, 0, 0, 0 },
	{ leakyl, "leaky", DRM_LOOM_UNARY_LEAKY, 0.501, 0.501, 0 },
	{ sigmoidl, "sigmoid", DRM_LOOM_UNARY_SIGMOID, 2.5, 2.5, 0 },
	{ hardsigmoidl, "hardsigmoid", DRM_LOOM_UNARY_HARDSIGMOID, 4.5, 4.5, 0x1p-3 },
	{ hardswishl, "hardswish", DRM_LOOM_UNARY_HARDSWISH, 2.5, 2.5, 0x1p-3 },
	{ tanhl, "tanh", DRM_LOOM_UNARY_TANH, 2.0, 3.0, 0 },
	{ sqrtl, "sqrt", DRM_LOOM_UNARY_SQRT, 0.501, 0.501, 0 },
	{ expl, "exp", DRM_LOOM_UNARY_EXP, 1.5, 1.5, 0 },
	{ logl, "log", DRM_LOOM_UNARY_LOG, 0.51, 1.5, 0 },
	{ negl, "neg", DRM_LOOM_UNARY_NEG, 0, 0, 0 },
	{ fabsl, "abs", DRM_LOOM_UNARY_ABS, 0, 0, 0 },
	{ erfl, "erf", DRM_LOOM_UNARY_ERF, 1.5, 6.0, 0 },
	{ reciprocall, "reciprocal", DRM_LOOM_UNARY_RECIPROCAL, 0.501, 0.501, 0 },
	{ floorl, "floor", DRM_LOOM_UNARY_FLOOR, 0, 0, 0 },
	{ ceill, "ceil", DRM_LOOM_UNARY_CEIL, 0, 0, 0 },
	{ rintl, "round", DRM_LOOM_UNARY_ROUND, 0, 0, 0 },
	{ elul, "elu", DRM_LOOM_UNARY_ELU, 2.0, 3.0, 0 },
	{ selul, "selu", DRM_LOOM_UNARY_SELU, 3.0, 4.0, 0 },
	{ softplusl, "softplus", DRM_LOOM_UNARY_SOFTPLUS, 0.51, 2.5, 0 },
	{ softsignl, "softsign", DRM_LOOM_UNARY_SOFTSIGN, 1.5, 1.5, 0 },
	{ signl, "sign", DRM_LOOM_UNARY_SIGN, 0, 0, 0 },
};

/* Every binade of both signs by a step through the bit patterns; ends with the specials. */
static u32 sample_f32(u32 i, u32 step)
{
	static const u32 special[] = {
		0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
		0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x3f000000,
		0x3f800000, 0xbf800000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000000, 0x4b000001,
		0x42b17217, 0x42b17218, 0xc2cff1b4, 0xc2cff1b5, 0xc2aeac4f, 0x3f200000, 0x3f1fffff,
	};
	u64 bits = (u64)i * step;

	if (bits < 1ULL << 32)
		return bits;
	i -= ((1ULL << 32) + step - 1) / step;
	return special[i % ARRAY_SIZE(special)];
}

static void check_unary_f32(const struct unary *u)
{
	long double want;
	u32 step = is_sanitized() ? 65537 : 2053;
	u32 count = ((1ULL << 32) + step - 1) / step + 64;
	float x[LOOM_TILE], v[LOOM_TILE], at = 0.0f;
	double worst = 0.0, e;
	u32 i, j, n;

	for (i = 0; i < count; i += n) {
		n = count - i < LOOM_TILE ? count - i : LOOM_TILE;
		for (j = 0; j < n; j++)
			x[j] = loom_f32_of_bits(sample_f32(i + j, step));
		memcpy(v, x, n * sizeof(*v));
		loom_tile_unary_f32(v, n, u->kind, 0.75f, 1.5f);
		for (j = 0; j < n; j++) {
			want = u->f(x[j]);
			if (fabsl(want) < u->least)
				continue;
			e = ulps_f32(v[j], want);
			if (e > worst) {
				worst = e;
				at = x[j];
			}
		}
	}
	tap_ok(worst <= u->bound_f32, "f32 %s: %.3f ulp at %a, at most %.3f", u->name, worst, at,
	       u->bound_f32);
}

static double sample_f64(u32 i)
{
	static const double special[] = {
		0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022,
		0x1.fffffffffffffp1023, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0x1p52, 0x1p52 + 1,
		709.78, 709.79, -745.1, -745.2, -708.4, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
	};

	if (i < ARRAY_SIZE(special))
		return special[i];
	/* half of them in the range in which the functions are not constant or linear */
	if (i & 1)
		return scaled((double)rnd() * 0x1p-64 - 0.5, 24, -12);
	return loom_f64_of_bits(rnd());
}

static void check_unary_f64(const struct unary *u)
{
	long double want;
	u32 count = is_sanitized() ? 20000 : 400000;
	double x[LOOM_TILE], v[LOOM_TILE], at = 0.0;
	double worst = 0.0, e;
	u32 i, j, n;

	for (i = 0; i < count; i += n) {
		n = count - i < LOOM_TILE ? count - i : LOOM_TILE;
		for (j = 0; j < n; j++)
			x[j] = sample_f64(i + j);
		memcpy(v, x, n * sizeof(*v));
		loom_tile_unary_f64(v, n, u->kind, 0.75, 1.5);
		for (j = 0; j < n; j++) {
			want = u->f(x[j]);
			if (fabsl(want) < u->least)
				continue;
			e = ulps_f64(v[j], want);
			if (e > worst) {
				worst = e;
				at = x[j];
			}
		}
	}
	tap_ok(worst <= u->bound_f64, "f64 %s: %.3f ulp at %a, at most %.3f", u->name, worst, at,
	       u->bound_f64);
}

/* Where a function is constant, has no value or is another one: no operation goes there. */
static void check_ends(void)
{
	static const double ends[] = {
		0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, -1.0, -2.0,
		-0x1.00001p0, -0x1.fffffffffffffp-1, 709.0, 709.1, 709.78, 709.79, 1e300, -1e300,
		-40.0, -40.1, -0.29, -0.28, 0.41, 0.42, 1.0, 0x1p60,
	};
	double worst = 0.0, e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		e = ulps_f64(loom_expm1(ends[i]), expm1l(ends[i]));
		worst = fmax(worst, e);
		e = ulps_f64(loom_log1p(ends[i]), log1pl(ends[i]));
		worst = fmax(worst, e);
	}
	tap_ok(worst <= 2.0, "expm1 and log1p at their ends: %.3f ulp, at most 2", worst);
}

static void check_pow(void)
{
	long double want;
	static const double edge[] = {
		0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, INFINITY, -INFINITY, NAN,
		0x1p-1074, 0x1.fffffffffffffp1023, 1e300, -1e300, 0x1p53, 0x1p53 + 2, 0.75, -7.0,
	};
	double worst = 0.0, worst_f32 = 0.0, x, y, e, ax = 0, ay = 0;
	u32 count = is_sanitized() ? 20000 : 400000, i, j, bad = 0;
	float fx, fy;

	for (i = 0; i < ARRAY_SIZE(edge); i++) {
		for (j = 0; j < ARRAY_SIZE(edge); j++) {
			double got = loom_pow(edge[i], edge[j]);

			want = powl(edge[i], edge[j]);
			e = ulps_f64(got, want);
			if (e > 2.0 || (!isnan(got) && signbit(got) != signbit((double)want))) {
				tap_note("pow(%a, %a) is %a, not %a", edge[i], edge[j], got,
					 (double)want);
				bad++;
			}
		}
	}
	tap_ok(!bad, "pow: signs and special values");

	for (i = 0; i < count; i++) {
		x = scaled(0.5 + (double)rnd() * 0x1p-65, 200, -100);
		y = scaled((double)rnd() * 0x1p-64 - 0.5, 9, 0);
		e = ulps_f64(loom_pow(x, y), powl(x, y));
		if (e > worst) {
			worst = e;
			ax = x;
			ay = y;
		}
		fx = (float)x;
		fy = (float)y;
		e = ulps_f32((float)loom_pow(fx, fy), powl(fx, fy));
		worst_f32 = e > worst_f32 ? e : worst_f32;
	}
	/* 2.82 is the worst of 40 million */
	tap_ok(worst <= 3.0, "pow f64: %.3f ulp at %a, %a", worst, ax, ay);
	tap_ok(worst_f32 <= 0.51, "pow f32: %.3f ulp", worst_f32);
}

static void check_fmod(void)
{
	u32 count = is_sanitized() ? 10000 : 100000, i, bad = 0;

	for (i = 0; i < count; i++) {
		double x = loom_f64_of_bits(rnd());
		double y = i & 1 ? loom_f64_of_bits(rnd()) :
				   x * scaled((double)(rnd() >> 40), 60, -59);
		double got = loom_fmod(x, y), want = fmod(x, y);

		if (isnan(want) ? !isnan(got) :
				  loom_bits_of_f64(got) != loom_bits_of_f64(want)) {
			tap_note("fmod(%a, %a) is %a, not %a", x, y, got, want);
			if (++bad > 5)
				break;
		}
	}
	tap_ok(!bad, "fmod: exact, %u pairs of any exponents", count);
}

static void check_half(void)
{
	u32 bad = 0, h, step = is_sanitized() ? 65537 : 1009;
	u64 i;

	for (h = 0; h < 65536; h++) {
		float f = loom_half_to_f32(h);
		u32 e = h >> 10 & 31, m = h & 1023;
		float want = e == 31 ? (m ? NAN : INFINITY) :
			     e ? ldexpf(1024 + m, (int)e - 25) : ldexpf(m, -24);

		if (h & 0x8000)
			want = -want;
		if (isnan(want) ? !isnan(f) : loom_bits_of_f32(f) != loom_bits_of_f32(want))
			bad++;
		/* and back: the same number */
		if (!isnan(want) && loom_half_of_f32(f) != h)
			bad++;
		if (!isnan(want) && loom_half_of_f64(f) != h)
			bad++;
	}
	tap_ok(!bad, "f16: all 65536 to f32 and back");

	/* nearest, ties to even: compare with the two neighbours, by their distance */
	for (bad = 0, i = 0; i < 1ULL << 32; i += step) {
		float f = loom_f32_of_bits((u32)i);
		u16 got = loom_half_of_f32(f);
		double d, below, above;

		if (isnan(f)) {
			bad += (got & 0x7fff) <= 0x7c00;
			continue;
		}
		if (fabsf(f) >= 65520.0f) {
			bad += (got & 0x7fff) != 0x7c00;
			continue;
		}
		d = fabs((double)f - loom_half_to_f32(got));
		above = (got & 0x7fff) == 0x7bff ? 65536.0 : fabs(loom_half_to_f32(got + 1));
		below = got & 0x7fff ? fabs(loom_half_to_f32(got - 1)) : INFINITY;
		above = fabs(fabs(f) - above);
		below = fabs(fabs(f) - below);
		if (!(d <= above && d <= below) || ((d == above || d == below) && got & 1)) {
			if (!bad++)
				tap_note("%a becomes %a", f, loom_half_to_f32(got));
		}
		if (!!signbit(f) != got >> 15)
			bad++;
	}
	tap_ok(!bad, "f16: rounds to nearest, ties to even");

	/* one rounding only: just beside a tie in binary64 that binary32 cannot tell from it */
	tap_ok(loom_half_of_f64(1.0 + 0x1p-11) == 0x3c00 &&
	       loom_half_of_f64(1.0 + 0x1p-11 + 0x1p-50) == 0x3c01 &&
	       loom_half_of_f64(1.0 + 3 * 0x1p-11 - 0x1p-50) == 0x3c01 &&
	       loom_half_of_f64(-1.0 - 0x1p-11 - 0x1p-50) == 0xbc01 &&
	       loom_half_of_f64(0x1p-25) == 0 && loom_half_of_f64(0x1p-25 + 0x1p-70) == 1 &&
	       loom_half_of_f64(1e300) == 0x7c00 && loom_half_of_f64(65519.999999999) == 0x7bff,
	       "f16: f64 is rounded once");
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unary); i++)
		check_unary_f32(&unary[i]);
	for (i = 0; i < ARRAY_SIZE(unary); i++)
		check_unary_f64(&unary[i]);
	check_pow();
	check_ends();
	check_fmod();
	check_half();
	return tap_end();
}
