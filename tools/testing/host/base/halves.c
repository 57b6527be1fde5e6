// SPDX-License-Identifier: MIT
/* Half floats. */
#include "base/element.h"

#include "loom_core.h"
#include "tap.h"

#include <math.h>
#include <string.h>

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

/* Rows are vectorised; each begins and ends somewhere, at any address. */
static void rows_are_alike(void)
{
	static uint16_t halves[0x10001];
	static double row[0x10000];
	unsigned int i, from, bad = 0;

	for (i = 0; i < 0x10000; i++)
		memcpy((char *)halves + 1 + 2 * i, &(uint16_t){ (uint16_t)i }, 2);
	for (from = 0; from + 997 <= 0x10000; from += 997) {
		loom_element_row(DRM_LOOM_DTYPE_F16, (char *)halves + 1, from, 1, 997, row);
		for (i = from; i < from + 997; i++) {
			double value = loom_half_to_float((uint16_t)i);

			bad += memcmp(&row[i - from], &value, sizeof(value)) != 0;
		}
	}
	tap_ok(!bad, "rows of halves are what they are one by one");
}

int main(void)
{
	halves_are_exact();
	halves_are_nearest();
	rows_are_alike();
	return tap_end();
}
