// SPDX-License-Identifier: MIT
/*
 * Resize to given sizes, nearest: the element follows from the sizes in integers. Expected elements
 * are counted with fractions, for all pairs of sizes up to 64, all coordinates and all roundings.
 */
#include "graph/graph.h"
#include "graph/nearest.h"
#include "loom_core.h"
#include "tap.h"

#include <string.h>

#define LONGEST	64

static const char *const coords[] = {
	"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
	"tf_half_pixel_for_nn",
};

static const char *const rounds[] = {
	"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
};

/*
 * As the standard defines it: the coordinate is @top / @bottom, and the element is the number of
 * elements, or of the middles between two, that lie before it.
 */
static int64_t expected(uint32_t coord, uint32_t round, int64_t in, int64_t out, int64_t i)
{
	int64_t top, bottom = 2 * out, k, element = 0;

	if (!strcmp(coords[coord], "asymmetric"))
		top = 2 * i * in;
	else if (!strcmp(coords[coord], "align_corners"))
		top = out == 1 ? 0 : 2 * out * i * (in - 1);
	else if (!strcmp(coords[coord], "tf_half_pixel_for_nn"))
		top = (2 * i + 1) * in;
	else if (!strcmp(coords[coord], "pytorch_half_pixel") && out == 1)
		top = 0;
	else
		top = (2 * i + 1) * in - out;
	if (!strcmp(coords[coord], "align_corners") && out > 1)
		bottom = 2 * out * (out - 1);
	for (k = 0; k < in - 1; k++)
		switch (round) {
		case 0:
			element += (2 * k + 1) * bottom < 2 * top;
			break;
		case 1:
			element += (2 * k + 1) * bottom <= 2 * top;
			break;
		case 2:
			element += (k + 1) * bottom <= top;
			break;
		case 3:
			element += k * bottom < top;
			break;
		}
	return element;
}

static void all_pairs(void)
{
	uint32_t coord, round, wrong = 0;
	int64_t in, out, i;

	for (coord = 0; coord < ARRAY_SIZE(coords); coord++)
		for (round = 0; round < ARRAY_SIZE(rounds); round++)
			for (in = 1; in <= LONGEST; in++)
				for (out = 1; out <= LONGEST; out++) {
					struct loom_gresize r = { .coord = coord, .round = round };
					struct loom_nearest axis = { in, out, out, in };

					for (i = 0; i < out; i++)
						wrong += loom_nearest_exact(&r, &axis, i) !=
							 expected(coord, round, in, out, i);
				}
	tap_ok(!wrong, "all pairs of sizes up to %u, %u elements wrong", LONGEST, wrong);
}

int main(void)
{
	all_pairs();
	return tap_end();
}
