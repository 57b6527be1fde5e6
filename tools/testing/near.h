/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_NEAR_H
#define LOOM_TESTS_NEAR_H

/* The one comparison of floating-point results, strict on NaN and infinities. */
#include <math.h>
#include <stdbool.h>

/**
 * near_off() - how far a result is from what is expected
 * @got: result
 * @want: expected
 *
 * Return: zero for the same number, the same infinity, or two NaN; infinity if only one of them is
 * finite or a NaN; else the distance. Never NaN, so that any limit refuses what it must.
 */
static inline double near_off(double got, double want)
{
	if (got == want || (isnan(got) && isnan(want)))
		return 0;
	return isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
}

/* Whether the distance is finite and at most @absolute plus @relative times what is expected. */
static inline bool near_within(double got, double want, double absolute, double relative)
{
	double off = near_off(got, want);

	return !off || (isfinite(off) && off <= absolute + relative * fabs(want));
}

/* The larger of @worst and the distance, for loops over elements. */
static inline double near_worst(double worst, double got, double want)
{
	double off = near_off(got, want);

	return off > worst ? off : worst;
}

#endif /* LOOM_TESTS_NEAR_H */
