// SPDX-License-Identifier: MIT
/*
 * Resize to given sizes, nearest: the element follows from the sizes in integers. Expected elements
 * are counted with fractions, for all pairs of sizes up to 64, all coordinates and all roundings.
 */
#include "form.h"

#include "graph/nearest.h"
#include "random.h"

#define LONGEST	64
#define SIZES	32

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

/* Nodes for one operand of @in elements, which are their numbers, to each of @sizes. */
static bool run_sizes(uint32_t coord, uint32_t round, int64_t in, const int64_t *sizes,
		      uint32_t count)
{
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	const struct loom_attr attrs[] = {
		TEXT("coordinate_transformation_mode", coords[coord]),
		TEXT("nearest_mode", rounds[round]),
	};
	struct loom_graph *graph = model_create(19);
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_error err = { .text = "" };
	char names[SIZES][16], list[64];
	struct loom_array x;
	uint32_t wrong = 0, n;
	int64_t i;
	int ret;

	model_add_input(graph, "x", 1, &in);
	for (n = 0; n < count; n++) {
		int64_t size = sizes[n];

		snprintf(list, sizeof(list), "size%u", n);
		model_add_ints(graph, list, 1, &size);
		snprintf(list, sizeof(list), "x - - size%u", n);
		snprintf(names[n], sizeof(names[n]), "y%u", n);
		model_add_node(graph, "Resize", list, names[n], attrs, ARRAY_SIZE(attrs));
		loom_graph_add_output(graph, names[n]);
	}
	if (loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 1, &in))
		tap_fatal("no memory");
	x.name = (char *)"x";
	for (i = 0; i < in; i++)
		loom_array_set_element(&x, (uint64_t)i, (double)i);
	ret = loom_graph_finish(graph, NULL, &err) ?:
	      outcome_plan(&outcome, graph, &planner, &x, 1, &err);
	if (ret)
		tap_note("%d: %s", ret, err.text);
	for (n = 0; n < count && !ret; n++) {
		wrong += outcome.outputs[n].rank != 1 || outcome.outputs[n].dims[0] != sizes[n];
		for (i = 0; i < sizes[n] && !wrong; i++)
			wrong += loom_array_element(&outcome.outputs[n], (uint64_t)i) !=
				 (double)expected(coord, round, in, sizes[n], i);
		if (wrong)
			break;
	}
	if (wrong)
		tap_note("%s, %s, %lld to %lld", coords[coord], rounds[round], (long long)in,
			 (long long)sizes[n]);
	outcome_clear(&outcome);
	loom_graph_destroy(graph);
	x.name = NULL;
	loom_array_clear(&x);
	return !ret && !wrong;
}

/* Of each way, for operands of some sizes; what the standard does not round to is a tie of all. */
static void some_models(void)
{
	uint32_t coord, round, n, k, bad = 0;

	random_state = 20261127;
	for (coord = 0; coord < ARRAY_SIZE(coords); coord++)
		for (round = 0; round < ARRAY_SIZE(rounds); round++)
			for (k = 0; k < 2; k++) {
				int64_t sizes[SIZES];

				for (n = 0; n < SIZES; n++)
					sizes[n] = 1 + (int64_t)random_below(LONGEST);
				bad += !run_sizes(coord, round, 1 + (int64_t)random_below(LONGEST),
						  sizes, SIZES);
			}
	tap_ok(!bad, "models of %u sizes each", SIZES);
}

#define NONE	F32(1, { 0 }, { 0 })

static const struct form forms[] = {
	{ "20 to 6", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "half_pixel"), TEXT("nearest_mode",
	  "round_prefer_ceil") }, 2,
	  { F32(1, { 20 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
			     19 }), NONE, NONE, I64(1, { 1 }, { 6 }) }, 4, 14,
	  { F32(1, { 6 }, { 1, 5, 8, 11, 15, 18 }) }, 1 },
	{ "7 to 2", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "asymmetric"), TEXT("nearest_mode",
	  "round_prefer_ceil") }, 2,
	  { F32(1, { 7 }, { 0, 1, 2, 3, 4, 5, 6 }), NONE, NONE, I64(1, { 1 }, { 2 }) }, 4, 14,
	  { F32(1, { 2 }, { 0, 4 }) }, 1 },
	{ "14 to 1", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "half_pixel"), TEXT("nearest_mode",
	  "round_prefer_ceil") }, 2,
	  { F32(1, { 14 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }), NONE, NONE, I64(1,
	  { 1 }, { 1 }) }, 4, 14,
	  { F32(1, { 1 }, { 7 }) }, 1 },
	{ "23 to 14", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "asymmetric"), TEXT("nearest_mode",
	  "round_prefer_floor") }, 2,
	  { F32(1, { 23 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
			     20, 21, 22 }), NONE, NONE, I64(1, { 1 }, { 14 }) }, 4, 14,
	  { F32(1, { 14 }, { 0, 2, 3, 5, 7, 8, 10, 11, 13, 15, 16, 18, 20, 21 }) }, 1 },
	{ "10 to 12", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "asymmetric"), TEXT("nearest_mode",
	  "round_prefer_ceil") }, 2,
	  { F32(1, { 10 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }), NONE, NONE, I64(1, { 1 },
	  { 12 }) }, 4, 14,
	  { F32(1, { 12 }, { 0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 8, 9 }) }, 1 },
	{ "bytes, along the second axis, scaled like the first", "Resize", 19,
	  { TEXT("coordinate_transformation_mode", "asymmetric"), TEXT("nearest_mode", "ceil"),
	    TEXT("keep_aspect_ratio_policy", "not_larger") }, 3,
	  { U8(2, { 3, 5 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }),
	    F32(1, { 0 }, { 0 }), F32(1, { 0 }, { 0 }), I64(1, { 2 }, { 2, 9 }) }, 4, 14,
	  /* 2/3 of 5, rounded, are 3; the coordinates are multiples of 3/2 */
	  { U8(2, { 2, 3 }, { 1, 3, 4, 11, 13, 14 }) }, 1 },
};

int main(void)
{
	try_forms(forms, ARRAY_SIZE(forms));
	all_pairs();
	some_models();
	return tap_end();
}
