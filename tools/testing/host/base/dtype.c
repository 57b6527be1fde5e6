// SPDX-License-Identifier: MIT
/* Half floats. */
#include "base/dtype.h"

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
	       loom_half_from_double(65520) == 0x7c00 && loom_half_from_double(2049) == 0x6800 &&
	       loom_half_from_double(2051) == 0x6802 && loom_half_from_double(0.000000001) == 0,
	       "all 65536 halves survive the way to float and back");
}

int main(void)
{
	halves_are_exact();
	return tap_end();
}
