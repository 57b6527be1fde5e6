// SPDX-License-Identifier: MIT
/* Figures of arrays, and random ones, of every type. */
#include "loom.h"
#include "loom_core.h"

#include "tap.h"

#include <math.h>
#include <string.h>

static void figures_of_floats(void)
{
	float floats[] = { 1, NAN, -3, 8, NAN };
	struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { 5 }, .data = floats,
		.size_bytes = sizeof(floats),
	};
	struct loom_array_figures figures;

	loom_array_figures(&array, &figures);
	tap_ok(figures.numbers == 3 && figures.nans == 2 && figures.min == -3 &&
	       figures.max == 8 && figures.mean == 2, "NaN does not count");
	floats[3] = -INFINITY;
	loom_array_figures(&array, &figures);
	tap_ok(figures.min == -INFINITY && figures.max == 1 && figures.mean == -INFINITY,
	       "infinity does");
	array.size_bytes = 0;
	loom_array_figures(&array, &figures);
	tap_ok(!figures.numbers && !figures.nans && isnan(figures.min) && isnan(figures.max) &&
	       isnan(figures.mean), "nothing has no figures");
	array.data = &floats[1];
	array.size_bytes = sizeof(float);
	loom_array_figures(&array, &figures);
	tap_ok(!figures.numbers && figures.nans == 1 && isnan(figures.mean), "nor has NaN alone");
}

/* In the range that is promised, by all of it, and the same twice. */
static void random_of(uint32_t dtype, double low, double high)
{
	struct loom_array a, b;
	struct loom_array_figures figures;
	int64_t dims[] = { 4000 };

	if (loom_array_alloc(&a, dtype, 1, dims) || loom_array_alloc(&b, dtype, 1, dims))
		tap_fatal("no memory");
	loom_array_randomize(&a, 7);
	loom_array_randomize(&b, 7);
	loom_array_figures(&a, &figures);
	tap_ok(!memcmp(a.data, b.data, a.size_bytes) && figures.numbers == 4000 &&
	       figures.min >= low && figures.min <= low + (high - low) * 0.01 &&
	       figures.max <= high && figures.max >= high - (high - low) * 0.01 &&
	       fabs(figures.mean - (low + high) / 2) < (high - low) * 0.03,
	       "random %s: %g to %g, %g in the mean", loom_dtype_name(dtype), figures.min,
	       figures.max, figures.mean);
	loom_array_randomize(&b, 8);
	tap_ok(memcmp(a.data, b.data, a.size_bytes), "another seed, others");
	loom_array_clear(&a);
	loom_array_clear(&b);
}

int main(void)
{
	figures_of_floats();
	random_of(DRM_LOOM_DTYPE_F32, -1, 1);
	random_of(DRM_LOOM_DTYPE_F16, -1, 1);
	random_of(DRM_LOOM_DTYPE_F64, -1, 1);
	random_of(DRM_LOOM_DTYPE_I8, -128, 127);
	random_of(DRM_LOOM_DTYPE_U8, 0, 255);
	random_of(DRM_LOOM_DTYPE_BOOL, 0, 1);
	random_of(DRM_LOOM_DTYPE_I16, 0, 9);
	random_of(DRM_LOOM_DTYPE_I32, 0, 9);
	random_of(DRM_LOOM_DTYPE_U64, 0, 9);
	return tap_end();
}
