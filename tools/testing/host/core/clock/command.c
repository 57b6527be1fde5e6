// SPDX-License-Identifier: MIT
/*
 * How long a command takes: each sentence of the contract ("The description of a chip"), with
 * numbers that were calculated by hand.
 */
#include "chips.h"
#include "loom_clock.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "tap.h"

#define DRAM	DRM_LOOM_REGION_DRAM
#define SRAM	DRM_LOOM_REGION_SRAM
#define F32	DRM_LOOM_DTYPE_F32
#define I8	DRM_LOOM_DTYPE_I8

/* 32 lanes; 10 bytes in a cycle from DRAM, 100 in the SRAM; by lane 4 MACs, 2 operations. */
static struct drm_loom_chip chip;

static void reset_chip(void)
{
	uint32_t i;

	chip = chip_of(1, 1 << 20, 32, 1 << 16);
	chip.region[DRAM].flags = 0;
	chip.region[DRAM].read_rate = 10000;
	chip.region[DRAM].write_rate = 10000;
	chip.region[SRAM].read_rate = 100000;
	chip.region[SRAM].write_rate = 100000;
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		chip.type[i] = (struct drm_loom_chip_type){ .mac_rate = 4000, .op_rate = 2000 };
}

#define DIMS(...)	((const uint32_t[DRM_LOOM_MAX_RANK]) { __VA_ARGS__ })

/* A dense view of as many axes as there are dims; in the SRAM its second axis is on the lanes. */
static struct loom_view view_of(uint32_t region, uint32_t dtype, const uint32_t *dims)
{
	struct loom_view view = {
		.region = region, .dtype = dtype, .elem_bytes = loom_dtype_stride(dtype),
	};
	int64_t stride = view.elem_bytes;
	uint32_t i;

	while (view.rank < DRM_LOOM_MAX_RANK && dims[view.rank])
		view.rank++;
	view.lane_axis = region == SRAM && view.rank > 1;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		view.dims[i] = i < view.rank ? dims[i] : 1;
	for (i = view.rank; i-- > 0;) {
		if (region == SRAM && i == view.lane_axis)
			continue;
		view.strides[i] = stride;
		stride *= view.dims[i];
	}
	if (region == SRAM)
		view.strides[view.lane_axis] = stride;
	return view;
}

static struct loom_clock_cost cost_of(uint32_t opcode, const void *attr, uint64_t macs,
				      const struct loom_view *views, uint32_t operands)
{
	struct loom_command command = {
		.op = loom_op_get(opcode), .attr = attr, .macs = macs,
		.views = views, .operands = operands,
	};
	struct loom_clock_cost cost;

	loom_clock_command(&chip, &command, &cost);
	return cost;
}

static uint64_t cycles_of(uint32_t opcode, const void *attr, const struct loom_view *views,
			  uint32_t operands)
{
	return cost_of(opcode, attr, 0, views, operands).cycles;
}

static void test_rates(void)
{
	tap_ok(loom_clock_rate(0, 3750) == 0 && loom_clock_rate(15, 3750) == 4 &&
	       loom_clock_rate(16, 3750) == 5 && loom_clock_rate(1, 2000000000) == 1,
	       "15 bytes at 3.75 in a cycle take 4 cycles, 16 take 5");
	tap_ok(loom_clock_rate(7, 0) == 0, "what has no rate takes no time");
	tap_ok(loom_clock_rate(UINT64_MAX, 1) == UINT64_MAX &&
	       loom_clock_rate(UINT64_MAX, 1000) == UINT64_MAX &&
	       loom_clock_rate(UINT64_MAX, 2000) == UINT64_MAX / 2 + 1,
	       "2^64 - 1 bytes take half as long at 2 in a cycle, and no time overflows");
	tap_ok(loom_clock_step(true, 7, 5) == 7 && loom_clock_step(false, 7, 5) == 12 &&
	       loom_clock_step(true, 0, 0) == 1 && loom_clock_step(false, 0, 0) == 1 &&
	       loom_clock_step(false, UINT64_MAX, 5) == UINT64_MAX,
	       "a step takes the longer stream, or both where they do not overlap; at least 1");
}

static void test_dma(void)
{
	struct loom_view load[] = { view_of(SRAM, F32, DIMS(1, 5, 50)),
				    view_of(DRAM, F32, DIMS(1, 5, 50)) };
	struct loom_view store[] = { load[1], load[0] };
	struct loom_view copy[] = { load[1], load[1] }, inside[] = { load[0], load[0] };

	reset_chip();
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 100,
	       "1000 bytes at 10 in a cycle: 100 cycles, in which the SRAM is written");
	chip.region[DRAM].write_rate = 3000;
	tap_ok(cycles_of(DRM_LOOM_OP_STORE, NULL, store, 2) == 334,
	       "writing has a rate of its own, and cycles are rounded up");
	tap_ok(cycles_of(DRM_LOOM_OP_COPY, NULL, copy, 2) == 334,
	       "a copy in DRAM takes the longer of both");
	chip.region[DRAM].flags = DRM_LOOM_CHIP_SHARED;
	tap_ok(cycles_of(DRM_LOOM_OP_COPY, NULL, copy, 2) == 434, "or their sum on a shared bus");
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 100,
	       "which has nothing to do with other memories");
	tap_ok(cycles_of(DRM_LOOM_OP_COPY, NULL, inside, 2) == 10, "the SRAM has its own rates");
	chip.region[SRAM].read_rate = 5000;
	tap_ok(cycles_of(DRM_LOOM_OP_STORE, NULL, store, 2) == 334 &&
	       cycles_of(DRM_LOOM_OP_COPY, NULL, inside, 2) == 200,
	       "and is waited for where it is slower");
	chip.region[DRAM].read_latency = 500;
	chip.region[DRAM].write_latency = 250;
	chip.dma_start = 30;
	chip.compute_start = 7000;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 630,
	       "30 to start, 500 of latency, 100 of data");
	tap_ok(cycles_of(DRM_LOOM_OP_COPY, NULL, copy, 2) == 30 + 600 + 584,
	       "a copy has both latencies");
	tap_ok(cycles_of(DRM_LOOM_OP_FILL, NULL, store, 1) == 30 + 584, "a fill is only written");
}

static void test_bursts(void)
{
	struct loom_view load[] = { view_of(SRAM, I8, DIMS(4, 5, 50)),
				    view_of(DRAM, I8, DIMS(4, 5, 50)) };

	reset_chip();
	chip.region[DRAM].burst_bytes = 64;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 103,
	       "1000 dense bytes are 16 bursts of 64: 1024 bytes");
	load[1].strides[1] = 60;
	load[1].strides[0] = 300;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 128,
	       "20 runs of 50 bytes are 20 bursts");
	load[1].strides[1] = 50;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 103,
	       "4 runs of 250 bytes are 4 times 4 bursts");
	load[1].strides[2] = 2;
	load[1].strides[1] = 100;
	load[1].strides[0] = 500;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 6400,
	       "1000 runs of 1 byte are 1000 bursts");
	load[1].strides[2] = 5;
	load[1].strides[1] = 1;
	load[1].strides[0] = 250;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 103,
	       "transposed axes that fill all bytes are 16 bursts");
	load[1].dims[1] = 4;
	load[0].dims[1] = 4;
	load[1].strides[2] = 0;
	load[1].strides[0] = 4;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 320,
	       "16 bytes that are read 50 times are 50 bursts");
	load[1].strides[2] = 1;
	load[1].strides[1] = -50;
	load[1].strides[0] = 200;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 84,
	       "backwards is as contiguous as forwards");
	reset_chip();
	chip.region[SRAM].burst_bytes = 64;
	chip.region[SRAM].write_rate = 1000;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 16 * 64,
	       "in the SRAM 16 runs, since lanes are apart");
	chip.region[SRAM].banks = 1;
	load[0] = view_of(SRAM, I8, DIMS(4, 4, 50));
	load[0].strides[0] = 200;
	load[0].strides[1] = 50;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 832, "which a single one is not");
}

static void test_macs(void)
{
	struct loom_view conv[] = { view_of(SRAM, F32, DIMS(1, 32, 1, 10, 10)),
				    view_of(SRAM, F32, DIMS(1, 16, 1, 10, 10)),
				    view_of(SRAM, F32, DIMS(32, 16, 1, 3, 3)) };
	struct loom_view deconv[] = { view_of(SRAM, F32, DIMS(1, 2, 1, 1, 3)),
				      view_of(SRAM, F32, DIMS(1, 5, 1, 1, 1)),
				      view_of(SRAM, F32, DIMS(5, 2, 1, 1, 1)) };
	const uint64_t each = 16 * 9;

	reset_chip();
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3200 * each, conv, 3).cycles == 100 * each / 4,
	       "32 channels on 32 lanes: 100 positions of 144 MACs, 4 in a cycle");
	conv[0].dims[1] = 33;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3300 * each, conv, 3).cycles == 2 * 100 * each / 4,
	       "33 channels take two rounds");
	conv[0].dims[1] = 64;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 6400 * each, conv, 3).cycles == 2 * 100 * each / 4,
	       "64 take two, too");
	conv[0].lane_start = 1;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 6400 * each, conv, 3).cycles == 3 * 100 * each / 4,
	       "and three if they do not begin on the first lane");
	conv[0] = view_of(SRAM, I8, DIMS(1, 32, 1, 10, 10));
	conv[1].dtype = I8;
	chip.type[I8].mac_rate = 16000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3200 * each, conv, 3).cycles == 100 * each / 16,
	       "the type of the first input decides");
	chip.type[I8].mac_rate = 0;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3200 * each, conv, 3).cycles == 2 * 100 * each / 2,
	       "without a unit for it a MAC is two operations");
	chip.compute_start = 40;
	chip.dma_start = 7000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3200 * each, conv, 3).cycles == 40 + 100 * each,
	       "40 cycles to start");
	reset_chip();
	conv[0] = view_of(DRAM, F32, DIMS(1, 33, 1, 10, 10));
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3300 * each, conv, 3).cycles == 104 * each / 4,
	       "elements in DRAM are dealt out one by one: 104 rounds for 3300");
	chip.region[DRAM].write_rate = 1000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3300 * each, conv, 3).cycles == 13200,
	       "and to write them takes longer than to compute them");
	conv[1] = view_of(DRAM, F32, DIMS(1, 16, 1, 10, 10));
	chip.region[DRAM].read_latency = 1000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3300 * each, conv, 3).cycles == 13200,
	       "the input in DRAM is read meanwhile");
	chip.region[DRAM].flags = DRM_LOOM_CHIP_SHARED;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 3300 * each, conv, 3).cycles == 13200 + 1640,
	       "unless the bus is shared");
	reset_chip();
	tap_ok(cost_of(DRM_LOOM_OP_DECONV, NULL, 10, deconv, 3).cycles == 2,
	       "10 MACs for 6 elements, in 3 rounds on two lanes: 5 for each lane, 2 cycles");
	tap_ok(cost_of(DRM_LOOM_OP_MATMUL, NULL, UINT64_MAX, conv, 3).cycles > 1ULL << 50,
	       "no number of MACs overflows");
}

static void test_ops(void)
{
	struct loom_view x = view_of(SRAM, F32, DIMS(1, 32, 1, 10, 10)), y = x;
	struct loom_view two[] = { y, x }, three[] = { y, x, x }, four[] = { y, x, x, x };
	struct loom_view reduce[] = { view_of(SRAM, F32, DIMS(1, 1, 1, 10, 1)), x };
	struct drm_loom_attr_pool pool = { .kernel = { 1, 3, 5 } };
	struct drm_loom_attr_topk topk = { .axis = 4, .count = 5 };
	struct drm_loom_attr_resize resize = {
		.mode = DRM_LOOM_RESIZE_NEAREST, .in_size = { 1, 5, 5 }, .out_size = { 1, 10, 10 },
	};

	/* 100 elements in each lane, 2 operations in a cycle */
	reset_chip();
	tap_ok(cycles_of(DRM_LOOM_OP_BINARY, NULL, three, 3) == 50 &&
	       cycles_of(DRM_LOOM_OP_UNARY, NULL, two, 2) == 50 &&
	       cycles_of(DRM_LOOM_OP_SELECT, NULL, four, 4) == 50,
	       "BINARY, UNARY and SELECT: one operation for each element");
	tap_ok(cycles_of(DRM_LOOM_OP_POOL, &pool, two, 2) == 750, "POOL: one for each tap");
	tap_ok(cycles_of(DRM_LOOM_OP_SOFTMAX, NULL, two, 2) == 200, "SOFTMAX: four");
	tap_ok(cycles_of(DRM_LOOM_OP_RESIZE, &resize, two, 2) == 50, "RESIZE, NEAREST: one");
	resize.mode = DRM_LOOM_RESIZE_LINEAR;
	tap_ok(cycles_of(DRM_LOOM_OP_RESIZE, &resize, two, 2) == 200, "LINEAR on two axes: four");
	resize.mode = DRM_LOOM_RESIZE_CUBIC;
	tap_ok(cycles_of(DRM_LOOM_OP_RESIZE, &resize, two, 2) == 800, "CUBIC: sixteen");
	resize.in_size[1] = 10;
	tap_ok(cycles_of(DRM_LOOM_OP_RESIZE, &resize, two, 2) == 200, "on one axis four");
	tap_ok(cycles_of(DRM_LOOM_OP_REDUCE, NULL, reduce, 2) == 50,
	       "REDUCE: one for each element that is read");
	reduce[0] = view_of(SRAM, F32, DIMS(1, 32, 1, 10, 5));
	tap_ok(cycles_of(DRM_LOOM_OP_TOPK, &topk, reduce, 2) == 200,
	       "TOPK of 5: four for each element that is read");
	topk.axis = 1;
	reduce[0] = view_of(SRAM, F32, DIMS(1, 5, 1, 10, 10));
	tap_ok(cycles_of(DRM_LOOM_OP_TOPK, &topk, reduce, 2) == 1450,
	       "over 32 lanes: and five for each that is kept");
	chip.type[I8].op_rate = 1000;
	two[0] = view_of(SRAM, I8, DIMS(1, 32, 1, 10, 10));
	tap_ok(cycles_of(DRM_LOOM_OP_CAST, NULL, two, 2) == 100, "CAST: at the slower type");
	three[0] = two[0];
	tap_ok(cycles_of(DRM_LOOM_OP_QUANTIZE, NULL, three, 3) == 200 &&
	       cycles_of(DRM_LOOM_OP_DEQUANTIZE, NULL, three, 3) == 200,
	       "QUANTIZE and DEQUANTIZE: two");
	chip.type[I8].op_rate = 0;
	tap_ok(cycles_of(DRM_LOOM_OP_CAST, NULL, two, 2) == 50,
	       "a type without a rate is not waited for");
	memset(chip.type, 0, sizeof(chip.type));
	tap_ok(cycles_of(DRM_LOOM_OP_CAST, NULL, two, 2) == 0, "also if no other has one");
	reset_chip();
	chip.type[F32].op_rate = 1;
	reduce[1].dims[0] = UINT32_MAX;
	reduce[1].dims[1] = UINT32_MAX;
	reduce[1].dims[2] = UINT32_MAX;
	tap_ok(cycles_of(DRM_LOOM_OP_REDUCE, NULL, reduce, 2) == UINT64_MAX,
	       "no number of elements overflows");
}

static void test_gather(void)
{
	struct loom_view views[] = { view_of(SRAM, I8, DIMS(8, 5, 50)),
				     view_of(DRAM, I8, DIMS(1000, 5, 50)),
				     view_of(SRAM, DRM_LOOM_DTYPE_I32, DIMS(8, 1, 1)) };
	struct drm_loom_attr_gather attr = { .axis = 0 };

	reset_chip();
	tap_ok(cycles_of(DRM_LOOM_OP_GATHER, &attr, views, 3) == 200,
	       "GATHER: one for each element of the result, of which 2000 bytes are read");
	chip.region[DRAM].burst_bytes = 64;
	tap_ok(cycles_of(DRM_LOOM_OP_GATHER, &attr, views, 3) == 205,
	       "in 8 rows of 250 bytes, 4 bursts each");
	views[2].dims[2] = 50;
	tap_ok(cycles_of(DRM_LOOM_OP_GATHER, &attr, views, 3) == 12800,
	       "with an index for each element, in 2000 bursts");
	attr.axis = 1;
	views[1] = view_of(DRAM, I8, DIMS(8, 1000, 50));
	views[2] = view_of(SRAM, DRM_LOOM_DTYPE_I32, DIMS(1, 5, 1));
	tap_ok(cycles_of(DRM_LOOM_OP_GATHER, &attr, views, 3) == 256,
	       "on an inner axis, in 40 rows of 50 bytes");
}

/* One lane, one MAC and two operations in a cycle; blocks of 8 inputs, 4 outputs, 3 positions. */
static void test_blocks(void)
{
	struct loom_view conv[] = { view_of(SRAM, F32, DIMS(1, 5, 1, 2, 2)),
				    view_of(SRAM, F32, DIMS(1, 9, 1, 2, 2)),
				    view_of(SRAM, F32, DIMS(5, 9, 1, 1, 1)) };
	struct loom_view deep[] = { view_of(SRAM, F32, DIMS(1, 5, 1, 2, 2)),
				    view_of(SRAM, F32, DIMS(1, 5, 1, 2, 2)),
				    view_of(SRAM, F32, DIMS(5, 1, 1, 3, 3)) };
	struct loom_view matmul[] = { view_of(SRAM, F32, DIMS(1, 2, 2, 5)),
				      view_of(SRAM, F32, DIMS(1, 2, 2, 9)),
				      view_of(SRAM, F32, DIMS(1, 2, 9, 5)),
				      view_of(SRAM, F32, DIMS(1, 2, 2, 5)) };
	struct loom_view dram[3];

	reset_chip();
	chip.region[SRAM].banks = 1;
	chip.type[F32].mac_rate = 1000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, conv, 3).macs == 180, "no blocks");
	chip.array[F32] = (struct drm_loom_chip_array){ 8, 4, 3, 0 };
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, conv, 3).macs == 8 * 6 * 16,
	       "CONV: 5 channels are 8, 4 positions 6, and 9 inputs 16");
	tap_ok(cost_of(DRM_LOOM_OP_MATMUL, NULL, 20 * 9, matmul, 3).macs == 8 * 6 * 16,
	       "MATMUL likewise");
	tap_ok(cost_of(DRM_LOOM_OP_MATMUL_ADD, NULL, 20 * 9, matmul, 4).macs == 8 * 6 * 16,
	       "MATMUL_ADD likewise");
	tap_ok(cost_of(DRM_LOOM_OP_DECONV, NULL, 180, conv, 3).macs == 180, "DECONV: none");
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, deep, 3).macs == 8 * 6 * 9 * 8,
	       "depthwise: an input is 8");
	chip.array[F32].depthwise_rate = 3000;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, deep, 3).macs == 60,
	       "or another rate, and no blocks");
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, conv, 3).macs == 8 * 6 * 16,
	       "for depthwise only");
	memcpy(dram, conv, sizeof(dram));
	dram[0].region = DRAM;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, dram, 3).macs == 20 * 16,
	       "of outputs outside of the SRAM, inputs only");
	chip.region[SRAM].banks = 4;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 20 * 9, conv, 3).macs == 4 * 6 * 16,
	       "on four lanes 2 rows of channels are 4");
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, UINT64_MAX, conv, 3).macs > 1ULL << 50,
	       "no number of MACs overflows");
	chip.vector[F32] = (struct drm_loom_chip_vector){ .pool_rate = 500, .element_rate = 100 };
	tap_ok(cycles_of(DRM_LOOM_OP_UNARY, NULL, conv, 2) == 80 &&
	       cycles_of(DRM_LOOM_OP_CAST, NULL, conv, 2) == 4, "elements at a rate of their own");
}

static void test_broadcast(void)
{
	struct loom_view load[] = { view_of(SRAM, F32, DIMS(1, 32)),
				    view_of(DRAM, F32, DIMS(1, 32)) };

	reset_chip();
	chip.region[DRAM].burst_bytes = 64;
	load[1].strides[1] = 0;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 205,
	       "a value for 32 channels is 32 bursts");
	chip.region[DRAM].flags |= DRM_LOOM_CHIP_BROADCAST;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 7, "or one");
	chip.region[DRAM].burst_bytes = 0;
	tap_ok(cycles_of(DRM_LOOM_OP_LOAD, NULL, load, 2) == 2, "or four bytes");
}

static void test_energy(void)
{
	struct loom_view load[] = { view_of(SRAM, F32, DIMS(1, 33, 25)),
				    view_of(DRAM, F32, DIMS(1, 33, 25)) };
	struct loom_view conv[] = { view_of(SRAM, F32, DIMS(1, 33, 1, 1, 1)),
				    view_of(SRAM, F32, DIMS(1, 2, 1, 1, 1)),
				    view_of(SRAM, F32, DIMS(33, 2, 1, 1, 1)) };

	reset_chip();
	tap_ok(!cost_of(DRM_LOOM_OP_LOAD, NULL, 0, load, 2).energy_fj, "energy may be unknown");
	chip.region[DRAM].read_energy = 1000;
	chip.region[DRAM].write_energy = 7777;
	chip.region[SRAM].read_energy = 10;
	chip.region[SRAM].write_energy = 20;
	chip.type[F32].mac_energy = 300;
	chip.type[F32].op_energy = 50;
	tap_ok(cost_of(DRM_LOOM_OP_LOAD, NULL, 0, load, 2).energy_fj == 3300 * 1020,
	       "3300 bytes read in DRAM and written to the SRAM");
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 66, conv, 3).energy_fj ==
	       66 * 300 + 33 * 4 * 20 + (2 + 66) * 4 * 10,
	       "66 MACs, and operands in the SRAM; idle lanes take none");
	chip.type[F32].mac_rate = 0;
	tap_ok(cost_of(DRM_LOOM_OP_CONV, NULL, 66, conv, 3).energy_fj ==
	       66 * 2 * 50 + 33 * 4 * 20 + (2 + 66) * 4 * 10, "a MAC that is two operations");
	tap_ok(cost_of(DRM_LOOM_OP_UNARY, NULL, 0, conv, 2).energy_fj ==
	       33 * 50 + 33 * 4 * 20 + 2 * 4 * 10, "33 operations");
}

/* The engine sums up what is noted, and may do so without computing. */
static void test_steps(void)
{
	struct loom_view views[] = { view_of(SRAM, F32, DIMS(1, 32)),
				     view_of(DRAM, F32, DIMS(1, 32)) };
	struct loom_command commands[] = {
		{ .op = loom_op_get(DRM_LOOM_OP_LOAD), .views = views, .operands = 2,
		  .cycles = 70, .energy_fj = 5 },
		{ .op = loom_op_get(DRM_LOOM_OP_LOAD), .views = views, .operands = 2,
		  .cycles = 30, .energy_fj = 5 },
		{ .op = loom_op_get(DRM_LOOM_OP_UNARY), .views = views, .operands = 1,
		  .cycles = 80, .energy_fj = UINT64_MAX - 2 },
		{ .op = loom_op_get(DRM_LOOM_OP_UNARY), .views = views, .operands = 1,
		  .cycles = 25 },
	};
	struct loom_step steps[] = { { 0, 3, 2 }, { 3, 0, 0 }, { 3, 1, 0 } };
	struct loom_plan plan = {
		.lanes = 32, .overlap = true, .step_count = 3, .command_count = 4,
		.steps = steps, .commands = commands, .views = views, .view_count = 2,
	};
	struct drm_loom_counters counters;

	loom_engine_count(&plan, &counters);
	tap_ok(counters.cycles == 100 + 1 + 25 && counters.dma_cycles == 100 &&
	       counters.compute_cycles == 105 && counters.steps == 3 && counters.commands == 4 &&
	       counters.dram_read_bytes == 256, "the engine counts the longer stream of each step");
	tap_ok(counters.energy_fj == UINT64_MAX, "energy does not overflow");
	plan.overlap = false;
	loom_engine_count(&plan, &counters);
	tap_ok(counters.cycles == 180 + 1 + 25, "or both after each other");
}

int main(void)
{
	test_rates();
	test_dma();
	test_bursts();
	test_macs();
	test_ops();
	test_gather();
	test_blocks();
	test_broadcast();
	test_energy();
	test_steps();
	return tap_end();
}
