// SPDX-License-Identifier: MIT
/*
 * Products by matrices that do not fit into the SRAM, on a chip whose DRAM works in bursts: the
 * matrices are transposes in DRAM, and the bits are those of a chip without bursts.
 */
#include "nets.h"

/* @inner: elements that a product sums, of which the rows are in DRAM */
static const struct row {
	const char *name;
	const char *net;
	uint32_t inner;
} rows[] = {
	{ "halves", "i f32 6 83; x = Cast i to=10; r = f32 83 90; w = Cast r to=10; "
	  "p = MatMul x w; b = f32 90; c = Cast b to=10; a = Add p c; y = Cast a to=1", 83 },
	{ "floats", "x f32 6 83; w = f32 83 45; y = MatMul x w", 83 },
	{ "batches of halves", "i f32 3 2 35; x = Cast i to=10; r = f32 3 35 70; w = Cast r to=10; "
	  "p = MatMul x w; y = Cast p to=1", 35 },
	{ "bytes", "a u8 9 123; b = i8 123 70; az = u8 : 77; bz = i8 : 3; "
	  "y = MatMulInteger a b az bz", 123 },
	{ "constants that are expanded, turned in place", "x f16 2 96; w = u8 80 3 16; "
	  "s = f16 240; y = com.microsoft.MatMulNBits x w s K=96 N=80 block_size=32", 32 },
};

/* that of the current row */
static uint32_t inner;

static bool is_turned(const struct test_case *test, const struct loom_planner_options *options,
		      const struct loom_program *program, struct loom_error *err)
{
	uint32_t i;

	(void)test;
	(void)options;
	for (i = 0; i < program->num_weights; i++)
		if (program->weights[i].rank > 1 &&
		    program->weights[i].dims[program->weights[i].rank - 1] == inner)
			return true;
	return outcome_fail(err, "no matrix is turned");
}

static bool is_as_it_was(const struct test_case *test, const struct loom_planner_options *options,
			 const struct loom_program *program, struct loom_error *err)
{
	return !is_turned(test, options, program, err);
}

int main(void)
{
	struct drm_loom_chip chip = chip_of(1, 1ULL << 32, 4, 1536), slow = CHIP_HUGE;
	struct outcome whole, turned;
	uint32_t i;

	chip.region[DRM_LOOM_REGION_DRAM].burst_bytes = 64;
	/* packed constants are expanded */
	for (i = 0; i < ARRAY_SIZE(chip.type); i++) {
		chip.type[i].op_rate = chip.type[i].op_rate ? 100 : 0;
		slow.type[i].op_rate = chip.type[i].op_rate;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test_case test = net_make(rows[i].net);

		inner = rows[i].inner;
		tap_ok(net_run(&test, &slow, NULL, &whole, is_as_it_was) &&
		       net_run(&test, &chip, NULL, &turned, is_turned) &&
		       are_near(&turned, &whole, 0), "%s", rows[i].name);
		outcome_clear(&whole);
		outcome_clear(&turned);
		free_case(&test);
	}
	return tap_end();
}
