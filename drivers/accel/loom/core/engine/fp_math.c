// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

#define LN2_HIGH	0x1.62e42fee00000p-1	/* n * LN2_HIGH is exact for |n| < 2^21 */
#define LN2_LOW		0x1.a39ef35793c76p-33
#define LOG2E		0x1.71547652b82fep+0
#define EXP_MAGIC	0x1.8p52
#define INF		__builtin_inf()
#define NAN		__builtin_nan("")

static __always_inline double poly(double x, const double *c, u32 n)
{
	double r = c[n - 1];

	while (--n > 0)
		r = r * x + c[n - 1];
	return r;
}

/* exp(r) - 1 for |r| <= ln2 / 2 */
static double exp_poly(double r)
{
	static const double c[] = {
		0x1.0000000000000p-1, 0x1.555555555555bp-3, 0x1.5555555555503p-5,
		0x1.111111110ec31p-7, 0x1.6c16c16c30587p-10, 0x1.a01a01b391a14p-13,
		0x1.a01a01365e465p-16, 0x1.71ddefec5b400p-19, 0x1.27e5b4676fb18p-22,
		0x1.af6c48d6f93f8p-26, 0x1.1e3d6c75b3070p-29,
	};

	return r + r * r * poly(r, c, ARRAY_SIZE(c));
}

static double exp_reduce(double x, s32 *n)
{
	double t = x * LOG2E + EXP_MAGIC;
	double k = t - EXP_MAGIC;

	*n = (s32)(u32)loom_bits_of_f64(t);
	return (x - k * LN2_HIGH) - k * LN2_LOW;
}

/* 2^n for -1022 <= n <= 1023 */
static double pow2(s32 n)
{
	return loom_f64_of_bits((u64)(n + 1023) << 52);
}

double loom_exp(double x)
{
	double r;
	s32 n, half;

	if (x != x)
		return x;
	if (x > 710.0)
		return INF;
	if (x < -746.0)
		return 0.0;
	r = exp_reduce(x, &n);
	half = n / 2;
	return (1.0 + exp_poly(r)) * pow2(half) * pow2(n - half);
}

double loom_expm1(double x)
{
	double r, s;
	s32 n;

	if (x != x || x == 0.0)
		return x;
	if (x > 709.0)
		return loom_exp(x);
	if (x < -40.0)
		return -1.0;
	r = exp_reduce(x, &n);
	if (!n)
		return exp_poly(r);
	s = pow2(n);
	return s * exp_poly(r) + (s - 1.0);
}

/* 2 atanh(s) = 2 s + s * log_poly(s * s) for |s| < 0.172 */
static double log_poly(double z)
{
	static const double c[] = {
		0x1.5555555555555p-1, 0x1.9999999999defp-2, 0x1.249249242b6c8p-2,
		0x1.c71c725994d14p-3, 0x1.745cddda43ee3p-3, 0x1.3b20c0bd8dec0p-3,
		0x1.0f5a8a5df52e3p-3, 0x1.0f7a3b5af892dp-3,
	};

	return z * poly(z, c, ARRAY_SIZE(c));
}

/* x = m * 2^n with sqrt(1/2) <= m < sqrt(2), for x finite and above zero */
static double log_reduce(double x, s32 *n)
{
	u64 bits = loom_bits_of_f64(x);
	s32 bias = 0;

	if (bits < 1ULL << 52) {
		bits = loom_bits_of_f64(x * 0x1p54);
		bias = -54;
	}
	/* 0x3fe6a09e667f3bcd is sqrt(1/2) */
	bits += (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
	*n = (s32)(bits >> 52) - 1023 + bias;
	bits = (bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL;
	return loom_f64_of_bits(bits);
}

/* log(1 + f) for small f */
static double log1p_poly(double f)
{
	double s = f / (2.0 + f);

	return f - s * (f - log_poly(s * s));
}

double loom_log(double x)
{
	double m;
	s32 n;

	if (x != x || x == INF)
		return x;
	if (x <= 0.0)
		return x == 0.0 ? -INF : NAN;
	m = log1p_poly(log_reduce(x, &n) - 1.0);
	return n * LN2_HIGH + (m + n * LN2_LOW);
}

double loom_log1p(double x)
{
	double u, lost;

	if (x > -0.29 && x < 0.41)
		return x == 0.0 ? x : log1p_poly(x);
	if (x != x || x == INF)
		return x;
	u = 1.0 + x;
	if (u <= 0.0)
		return loom_log(u);
	/* rounding error of the sum, to first order */
	lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
	return loom_log(u) + lost / u;
}

/* a * b = return + *low, exactly (Dekker) */
static double mul_exact(double a, double b, double *low)
{
	double p = a * b;
	double ah = a * 0x1.0000002p27;
	double bh = b * 0x1.0000002p27;
	double al, bl;

	ah = ah - (ah - a);
	al = a - ah;
	bh = bh - (bh - b);
	bl = b - bh;
	*low = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
	return p;
}

/* log(x) = return + *low with some ten bits beyond a double's */
static double log_extended(double x, double *low)
{
	double f, d, d_low, s, s_low, p, p_low, sum, t;
	s32 n;

	f = log_reduce(x, &n) - 1.0;
	d = 2.0 + f;
	d_low = f - (d - 2.0);
	s = f / d;
	p = mul_exact(s, d, &p_low);
	s_low = (((f - p) - p_low) - s * d_low) / d;

	t = n * LN2_HIGH;
	sum = t + 2.0 * s;
	if (n)
		*low = 2.0 * s - (sum - t);
	else
		*low = 0.0;
	*low += 2.0 * s_low + (s * log_poly(s * s) + n * LN2_LOW);
	t = sum + *low;
	*low -= t - sum;
	return t;
}

/* x^y for finite x > 0 and finite y */
static double pow_positive(double x, double y)
{
	double l, l_low, p, p_low, e;

	if (y == 2.0)
		return x * x;
	if (y == 0.5)
		return __builtin_sqrt(x);
	l = log_extended(x, &l_low);
	p = y * l;
	if (p > 1000.0 || p < -1000.0 || y > 0x1p64 || y < -0x1p64)
		return loom_exp(p);
	p = mul_exact(y, l, &p_low);
	p_low += y * l_low;
	e = loom_exp(p);
	return e == INF ? e : e + e * p_low;
}

double loom_pow(double x, double y)
{
	double a = __builtin_fabs(x);
	bool integer = loom_rint(y) == y;
	/* beyond 2^53 every number is even */
	bool odd = integer && __builtin_fabs(y) < 0x1p53 && ((s64)y & 1);
	double r;

	if (y == 0.0 || x == 1.0)
		return 1.0;
	if (x != x || y != y)
		return NAN;
	if (__builtin_fabs(y) == INF) {
		if (a == 1.0)
			return 1.0;
		return (a > 1.0) == (y > 0.0) ? INF : 0.0;
	}
	if (x < 0.0 && a != INF && !integer)
		return NAN;
	if (a == 0.0 || a == INF)
		r = (a == 0.0) == (y > 0.0) ? 0.0 : INF;
	else
		r = pow_positive(a, y);
	return odd ? loom_copysign(r, x) : r;
}

double loom_tanh(double x)
{
	double a = __builtin_fabs(x);
	double t;

	if (a > 20.0)
		return loom_copysign(1.0, x);
	if (a != a || a == 0.0)
		return x;
	t = loom_expm1(a + a);
	return loom_copysign(t / (t + 2.0), x);
}

double loom_erf(double x)
{
	static const double near[] = {	/* erf(x) / x in x * x, up to 1 */
		0x1.20dd750429b6dp+0, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4,
		-0x1.b82ce312889c2p-6, 0x1.565bcd0e65195p-8, -0x1.c02db3fef01d6p-11,
		0x1.f9a326c2d9822p-14, -0x1.f4d2562a1b010p-17, 0x1.b9e6518e61290p-20,
		-0x1.5f6d9cc1c31e4p-23, 0x1.fc43f063b4a42p-27, -0x1.4e635b40a397fp-30,
		0x1.7f171f011fd79p-34, -0x1.29e14842f8767p-38,
	};
	static const double middle[] = {	/* erf(x) in x - 1.5, from 1 to 2 */
		0x1.eea5557137ae0p-1, 0x1.e723726b824f9p-4, -0x1.6d5a95d0a1b04p-3,
		0x1.1c2a02beb4c7cp-3, -0x1.6d5a95d0ad533p-5, -0x1.e7237264dc835p-7,
		0x1.3ca3d72fb0da8p-6, -0x1.36d73bb221427p-8, -0x1.35ae503fae095p-9,
		0x1.c03852d0dccffp-10, -0x1.85b33c9a0486fp-14, -0x1.0ad767254a5a9p-12,
		0x1.45c9baa863b26p-14, 0x1.2f8c898047be2p-16, -0x1.d6d8eb6a36b00p-17,
		0x1.2236c95fc0bd6p-22, 0x1.7ab7656710b3dp-20,
	};
	static const double far[] = {	/* (1 - erf(x)) * exp(x * x) * x in 1 / x, from 2 */
		0x1.20dd504a3c064p-1, 0x1.a32e51943bf68p-15, -0x1.21ecf97c11875p-2,
		0x1.a57d85fb63d7ep-7, 0x1.4499e2e621ce5p-2, 0x1.3736da3758d02p-1,
		-0x1.be533fd8b24ccp+1, 0x1.a0abf088e8766p+2, -0x1.93e1227f98bf2p+2,
		0x1.29bf6823f7911p+1, 0x1.8b55a9275a96bp+0, -0x1.068867805aae8p+1,
		0x1.5ce29c40669edp-1,
	};
	double a = __builtin_fabs(x);
	double r;

	if (a != a)
		return x;
	if (a < 1.0)
		return x * poly(x * x, near, ARRAY_SIZE(near));
	if (a < 2.0)
		r = poly(a - 1.5, middle, ARRAY_SIZE(middle));
	else if (a < 6.0)
		r = 1.0 - loom_exp(-a * a) / a * poly(1.0 / a, far, ARRAY_SIZE(far));
	else
		r = 1.0;
	return loom_copysign(r, x);
}

/* a = m * 2^n with 53 bits of m */
static u64 fmod_split(double a, s32 *n)
{
	u64 bits = loom_bits_of_f64(a);
	u64 m = bits & 0x000fffffffffffffULL;
	s32 e = (s32)(bits >> 52);
	u32 shift;

	if (e) {
		*n = e - 1075;
		return m | 1ULL << 52;
	}
	shift = __builtin_clzll(m) - 11;
	*n = -1074 - (s32)shift;
	return m << shift;
}

/* @m * 2^@n, exact: the caller knows that it is */
static double fmod_join(u64 m, s32 n)
{
	double d = (double)(s64)m;

	if (n < -1022) {
		d *= pow2(n + 200);
		return d * 0x1p-200;
	}
	return d * pow2(n);
}

double loom_fmod(double x, double y)
{
	double a = __builtin_fabs(x);
	double b = __builtin_fabs(y);
	s32 an, bn, shift;
	u64 am, bm;

	if (!(a < INF) || b != b || b == 0.0)
		return NAN;
	if (a < b || a == 0.0)
		return x;
	am = fmod_split(a, &an);
	bm = fmod_split(b, &bn);
	/* long division, eleven binary digits at a time: 53 + 11 bits fit in 64 */
	am %= bm;
	while (an > bn && am) {
		shift = min(an - bn, 11);
		am = (am << shift) % bm;
		an -= shift;
	}
	return loom_copysign(am ? fmod_join(am, an) : 0.0, x);
}
