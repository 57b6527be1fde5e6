// SPDX-License-Identifier: MIT
/* Half floats. */
#include "base/element.h"

#include "tap.h"

#include <math.h>

static void halves_are_exact(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 0x10000; i++) {
		float value = loom_half_to_float((uint16_t)i);
		uint16_t back = loom_half_from_double((double)value);

		bad += isnan(value) ? (back & 0x7fff) <= 0x7c00 : back != i;
	}
	tap_ok(!bad && loom_half_from_double(65519) == 0x7bff &&
	       loom_half_from_double(65520) == 0x7c00,
	       "all 65536 halves survive the way to float and back");
}

/* The middle of two neighbours rounds to the even one, and numbers beside it to the nearer one. */
static void halves_are_nearest(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 0x7bff; i++) {
		double low = (double)loom_half_to_float((uint16_t)i);
		double middle = (low + (double)loom_half_to_float((uint16_t)(i + 1))) / 2;

		bad += loom_half_from_double(middle) != i + (i & 1) ||
		       loom_half_from_double(nextafter(middle, 0)) != i ||
		       loom_half_from_double(-nextafter(middle, 1e9)) != (0x8000 | (i + 1));
	}
	tap_ok(!bad, "all numbers between halves go to the nearest one");
}

int main(void)
{
	halves_are_exact();
	halves_are_nearest();
	return tap_end();
}
