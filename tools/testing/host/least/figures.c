// SPDX-License-Identifier: MIT
/* Lower bounds of networks whose figures can be worked out by hand. */
#include "chips.h"
#include "host/lower/case.h"
#include "loom_planner.h"

/* 16 bytes and 1024 operations in a cycle, in one lane. */
static struct loom_program_least find(void (*make)(struct test_case *test),
				      const struct drm_loom_chip *chip)
{
	const struct loom_planner_options options = { .grouping = "layerwise", .chip = chip };
	struct loom_program_least least = { 0 };
	struct loom_program *program;
	struct test_case test;

	make_case_of(&test, 1, 14, make);
	program = case_plan(&test, &options);
	least = program->least;
	loom_program_destroy(program);
	free_case(&test);
	return least;
}

static void same(uint64_t got, uint64_t want, const char *what)
{
	if (!tap_ok(got == want, "%s", what))
		tap_note("%llu cycles, not %llu", (unsigned long long)got,
			 (unsigned long long)want);
}

static void constant(struct test_case *test, const char *name, uint32_t rank, const int64_t *dims)
{
	static float zeroes[1 << 18];
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank, .data = zeroes,
		.size_bytes = sizeof(float),
	};
	uint32_t i;

	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	loom_graph_add_const(test->graph, &array);
}

/* 64 kB of input, a convolution of 9.4 MMAC, its mean, and a layer of 256 KiB of weights. */
static void make_classifier(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 16, 32, 32 });
	constant(test, "w", 4, (int64_t[]){ 64, 16, 3, 3 });
	constant(test, "v", 4, (int64_t[]){ 1024, 64, 1, 1 });
	case_add(test, "a = Conv x w pads=1,1,1,1; b = GlobalAveragePool a; "
		 "y = Conv b v; > y");
}

static void test_classifier(void)
{
	struct drm_loom_chip chip = chip_flat(16384);
	struct loom_program_least least = find(make_classifier, &chip);

	/* 65536 + 36864 + 262144 bytes read, 4096 written */
	same(least.dma_cycles, 4096 + 2304 + 16384 + 256, "all bytes once");
	/* 64 * 1024 * 144 MACs, 65536 elements, 65536 MACs */
	same(least.compute_cycles, 9216 + 64 + 64, "all operations once");
	same(least.stream_cycles, 23040, "LB0: the longer stream");
	/* a corner of the picture (4 of 9 taps), and the weights of a channel; one element back */
	same(least.first_load_cycles, (16 * 4 * 4 + 16 * 9 * 4) / 16, "the first load");
	same(least.last_store_cycles, 1, "the last store");
	/* when the mean is there, the SRAM holds 1024 of the 16384 cycles that are to come */
	same(least.held_cycles, 52 + 9216 + 64 + 16384 - 1024 + 256, "LB2: what is held");
	chip.flags &= ~DRM_LOOM_CHIP_OVERLAP;
	least = find(make_classifier, &chip);
	same(least.held_cycles, 23040 + 9344, "streams in turns: the sum");
	chip.flags |= DRM_LOOM_CHIP_OVERLAP;
	chip.region[DRM_LOOM_REGION_ROM] = (struct drm_loom_chip_region){
		CHIP_SIZES(1, 1, 1 << 20, 0, 64), .read_rate = 8000,
	};
	least = find(make_classifier, &chip);
	same(least.dma_cycles, 4096 + 2 * (2304 + 16384) + 256, "constants in ROM: at its rate");
	chip.region[DRM_LOOM_REGION_ROM].flags = DRM_LOOM_CHIP_IN_PLACE;
	least = find(make_classifier, &chip);
	same(least.dma_cycles, 4096 + 256, "constants in place: not in the DMA stream");
	same(least.stream_cycles, (4096 + 256) / 2 + 2304 + 16384,
	     "constants in place: half of all that either stream may do");
}

/* 8 KiB of rows by 4 KiB of weights. */
static void make_product(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 64, 32 });
	constant(test, "w", 2, (int64_t[]){ 32, 32 });
	case_add(test, "y = MatMul x w; > y");
}

static void test_product(void)
{
	struct drm_loom_chip chip = chip_flat(2048);
	struct loom_program_least least = find(make_product, &chip);

	same(least.held_cycles, 512 + 256 + 512, "a product: LB2 is that of its bytes");
	same(least.relaxed_cycles, 1280, "in 2 KiB nothing is, as sums can go on");
	chip.opcodes &= ~(1ULL << DRM_LOOM_OP_MATMUL_ADD);
	/* all rows but 2 KiB again, or three times half of the weights: 384 cycles, rounded down */
	least = find(make_product, &chip);
	same(least.relaxed_cycles, 1280 + 352, "in 2 KiB something is, where they cannot");
	chip = chip_flat(8192);
	least = find(make_product, &chip);
	same(least.relaxed_cycles, least.held_cycles, "in 8 KiB nothing is");
}

/* A slice of the input, every second column. */
static void make_part(struct test_case *test)
{
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 4, 32, 32 });
	constant(test, "w", 4, (int64_t[]){ 4, 4, 1, 1 });
	case_add(test, "y = Conv x w strides=1,2; > y");
}

static void test_part(void)
{
	struct drm_loom_chip chip = chip_flat(8192);

	same(find(make_part, &chip).dram_read_bytes, 4 * 32 * 16 * 4 + 64,
	     "an input that is read in part counts with that part");
}

int main(void)
{
	test_classifier();
	test_product();
	test_part();
	return tap_end();
}
