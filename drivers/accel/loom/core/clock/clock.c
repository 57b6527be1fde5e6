// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_clock.h"
#include "loom_op.h"

/**
 * DOC: How long a command takes
 *
 * Memory first. Each operand is a number of runs of bytes that are contiguous, and each run is
 * rounded up to bursts. Axes are merged into runs from the smallest stride on, as long as an axis
 * begins where the one before ends; the remaining axes are separate runs, also where they overlap
 * or are the same bytes again. In the SRAM the lane axis is dealt over the lanes, so a run does
 * not go on along it, unless there is one lane only. GATHER reads x anywhere on the axes that its
 * index runs along, so those are separate runs, too.
 *
 * Of a region, all that is read comes after one latency and at one rate, and so does all that is
 * written; one after the other if the bus is shared, else at the same time. Regions work at the
 * same time.
 *
 * Then arithmetic. Work is dealt over the lanes by one operand, the first, or of REDUCE and TOPK
 * the second, which is read. All elements in a row of lanes are done at once, however few they are.
 * An operand that does not lie in the SRAM has no lanes: its elements are dealt out one by one. The
 * cost of an element is either multiply-accumulates (CONV, MATMUL, and DECONV, where those of all
 * elements are divided evenly), which include a bias, an activation and requantisation, or other
 * operations as in loom_clock_element_ops().
 *
 * TOPK passes each element of x through a sorter: a comparison with those kept, and one for each
 * level of a heap of them. If a run lies over several lanes, their results are merged in pairs: one
 * operation for each element kept, in as many rounds as it takes to halve the lanes to one.
 *
 * An array of multiply-accumulates works on blocks, so a layer with few channels or positions does
 * not fill it: numbers of both are rounded up per lane. The energy is that of the elements alone.
 *
 * Rejected: modelling banks of the DRAM and pages of a layout. The addresses of bound buffers are
 * not known before a plan is submitted, and the same plan would not always take the same time.
 */

u64 loom_clock_rate(u64 amount, u32 rate)
{
	u64 whole, rest;

	if (!rate)
		return 0;
	/* fast path for planners, nearly always taken: one division instead of two */
	if (amount < U64_MAX / 1000 - U32_MAX)
		return div64_u64(amount * 1000 + rate - 1, rate);
	/* the rest is below 2^32, so the product is below 2^42 */
	whole = div64_u64_rem(amount, rate, &rest);
	return loom_clock_add(loom_clock_times(whole, 1000), loom_div_round_up(rest * 1000, rate));
}

u64 loom_clock_memory(const struct drm_loom_chip_region *region, u64 read_bytes, u64 write_bytes)
{
	u64 reading = 0, writing = 0;

	if (read_bytes)
		reading = loom_clock_add(region->read_latency,
					 loom_clock_rate(read_bytes, region->read_rate));
	if (write_bytes)
		writing = loom_clock_add(region->write_latency,
					 loom_clock_rate(write_bytes, region->write_rate));
	if (region->flags & DRM_LOOM_CHIP_SHARED)
		return loom_clock_add(reading, writing);
	return max(reading, writing);
}

u64 loom_clock_elements(const struct loom_view *view)
{
	u64 elements = 1;
	u32 i;

	for (i = 0; i < view->rank; i++)
		elements = loom_clock_times(elements, view->dims[i]);
	return elements;
}

/* Bytes that memory moves for a view: its runs, rounded up to bursts. No run is along @apart. */
static u64 clock_bytes(const struct drm_loom_chip *chip, const struct loom_view *view, u32 apart)
{
	u32 burst = chip->region[view->region].burst_bytes, merged = 0, before, i;
	bool once = chip->region[view->region].flags & DRM_LOOM_CHIP_BROADCAST;
	bool in_lanes = view->region == DRM_LOOM_REGION_SRAM &&
			chip->region[DRM_LOOM_REGION_SRAM].banks > 1;
	u64 run = view->elem_bytes, runs = 1;

	for (i = 0; once && i < view->rank; i++)
		if (!view->strides[i] && !(apart >> i & 1))
			merged |= 1U << i;
	if (burst < 2 && !merged)
		return loom_clock_times(loom_clock_elements(view), view->elem_bytes);
	/* each round merges an axis, the last finds none */
	do {
		before = merged;
		for (i = 0; i < view->rank; i++) {
			s64 stride = view->strides[i];

			if ((merged | apart) >> i & 1 || view->dims[i] == 1 ||
			    (in_lanes && i == view->lane_axis) ||
			    (stride < 0 ? 0 - (u64)stride : (u64)stride) != run)
				continue;
			run = loom_clock_times(run, view->dims[i]);
			merged |= 1U << i;
		}
	} while (merged != before);
	for (i = 0; i < view->rank; i++)
		if (!(merged >> i & 1))
			runs = loom_clock_times(runs, view->dims[i]);
	if (burst > 1 && !loom_round_up(run, burst, &run))
		return U64_MAX;
	return loom_clock_times(runs, run);
}

/* Bytes of x of GATHER: of the elements that are read, which may be anywhere on some axes. */
static u64 clock_gathered(const struct drm_loom_chip *chip, const struct loom_command *command)
{
	const struct drm_loom_attr_gather *attr = command->attr;
	struct loom_view view = command->views[1];
	u32 apart = 1U << attr->axis, i;

	view.dims[attr->axis] = command->views[0].dims[attr->axis];
	for (i = 0; i < view.rank; i++)
		apart |= (u32)(command->views[2].dims[i] > 1) << i;
	return clock_bytes(chip, &view, apart);
}

/* Cycles of memory, and its energy. */
static void clock_memory(const struct drm_loom_chip *chip, const struct loom_command *command,
			 struct loom_clock_cost *cost)
{
	bool dma = command->op->stream == LOOM_STREAM_DMA;
	u64 read_bytes[DRM_LOOM_CHIP_REGIONS] = {};
	u64 write_bytes[DRM_LOOM_CHIP_REGIONS] = {};
	u32 i;

	for (i = 0; i < command->operands; i++) {
		const struct loom_view *view = &command->views[i];
		u64 *bytes = i ? &read_bytes[view->region] : &write_bytes[view->region];
		bool gathered = i == 1 && command->op->opcode == DRM_LOOM_OP_GATHER;

		*bytes = loom_clock_add(*bytes, gathered ? clock_gathered(chip, command) :
							   clock_bytes(chip, view, 0));
	}
	for (i = 0; i < DRM_LOOM_CHIP_REGIONS; i++) {
		const struct drm_loom_chip_region *region = &chip->region[i];
		u64 energy;

		/* most commands are about one or two of them */
		if (!read_bytes[i] && !write_bytes[i])
			continue;
		energy = loom_clock_add(loom_clock_times(read_bytes[i], region->read_energy),
					loom_clock_times(write_bytes[i], region->write_energy));
		cost->energy_fj = loom_clock_add(cost->energy_fj, energy);
		if (dma || i != DRM_LOOM_REGION_SRAM)
			cost->memory = max(cost->memory,
					   loom_clock_memory(region, read_bytes[i],
							     write_bytes[i]));
	}
}

const struct loom_view *loom_clock_dealt(const struct loom_command *command)
{
	u32 opcode = command->op->opcode;

	return &command->views[opcode == DRM_LOOM_OP_REDUCE || opcode == DRM_LOOM_OP_TOPK];
}

u64 loom_clock_rounds(const struct drm_loom_chip *chip, const struct loom_view *view)
{
	u32 lanes = chip->region[DRM_LOOM_REGION_SRAM].banks, i;
	u64 rounds = 1;

	if (view->region != DRM_LOOM_REGION_SRAM)
		return loom_div_round_up(loom_clock_elements(view), lanes);
	for (i = 0; i < view->rank; i++)
		rounds = loom_clock_times(rounds, i == view->lane_axis ?
					  loom_clock_rows(lanes, view->lane_start, view->dims[i]) :
					  view->dims[i]);
	return rounds;
}

static bool clock_is_matmul(u32 opcode)
{
	return opcode == DRM_LOOM_OP_MATMUL || opcode == DRM_LOOM_OP_MATMUL_ADD;
}

static u64 clock_blocks(u64 count, u32 block)
{
	return block < 2 ? count : loom_clock_times(loom_div_round_up(count, block), block);
}

/* Elements of y in the lane with the most, in whole blocks of channels and of positions. */
static u64 clock_block_rounds(const struct drm_loom_chip *chip, const struct loom_command *command)
{
	const struct drm_loom_chip_array *array = &chip->array[command->views[1].dtype];
	u32 lanes = chip->region[DRM_LOOM_REGION_SRAM].banks, opcode = command->op->opcode, i;
	u32 axis = clock_is_matmul(opcode) ? 3 : 1;
	const struct loom_view *y = &command->views[0];
	u64 channels = 1, positions = 1;

	if (y->region != DRM_LOOM_REGION_SRAM || opcode == DRM_LOOM_OP_DECONV ||
	    (array->out_channels < 2 && array->positions < 2) ||
	    (opcode == DRM_LOOM_OP_CONV && array->depthwise_rate && command->views[2].dims[1] == 1))
		return loom_clock_rounds(chip, y);
	for (i = 0; i < y->rank; i++) {
		u64 count = i == y->lane_axis ? loom_clock_rows(lanes, y->lane_start, y->dims[i]) :
						y->dims[i];

		if (i == axis)
			channels = count;
		else
			positions = loom_clock_times(positions, count);
	}
	return loom_clock_times(clock_blocks(channels, array->out_channels),
				clock_blocks(positions, array->positions));
}

u64 loom_clock_work(const struct drm_loom_chip *chip, u32 dtype, u64 work, u32 opcode,
		    u32 in_channels)
{
	const struct drm_loom_chip_array *array = &chip->array[dtype];
	const struct drm_loom_chip_type *type = &chip->type[dtype];
	u64 rest;

	if (opcode == DRM_LOOM_OP_CONV && in_channels == 1 && array->depthwise_rate)
		return loom_clock_rate(work, array->depthwise_rate);
	if (opcode != DRM_LOOM_OP_DECONV && array->in_channels > 1 && in_channels) {
		u64 blocks = clock_blocks(in_channels, array->in_channels);

		/* work of an input channel times that of whole blocks */
		work = div64_u64_rem(work, in_channels, &rest);
		work = loom_clock_add(loom_clock_times(work, blocks),
				      loom_div_round_up(loom_clock_times(rest, blocks),
							in_channels));
	}
	if (type->mac_rate)
		return loom_clock_rate(work, type->mac_rate);
	return loom_clock_rate(loom_clock_times(2, work), type->op_rate);
}

/* Inputs that are summed for an element of y, without the taps of the window. */
static u32 clock_in_channels(const struct loom_command *command)
{
	return clock_is_matmul(command->op->opcode) ? command->views[1].dims[3] :
						      command->views[2].dims[1];
}

static void clock_macs(const struct drm_loom_chip *chip, const struct loom_command *command,
		       struct loom_clock_cost *cost)
{
	const struct drm_loom_chip_type *type = &chip->type[command->views[1].dtype];
	u64 elements = loom_clock_elements(&command->views[0]), each, rest, work;
	u64 rounds = clock_block_rounds(chip, command);

	each = div64_u64_rem(command->macs, elements, &rest);
	work = loom_clock_times(rounds, each);
	/* less than one for each element */
	if (rest)
		work = loom_clock_add(work, check_mul_overflow(rounds, rest, &rest) ? rounds :
				      loom_div_round_up(rest, elements));
	cost->macs = loom_clock_work(chip, command->views[1].dtype, work, command->op->opcode,
				     clock_in_channels(command));
	if (type->mac_rate)
		rest = loom_clock_times(command->macs, type->mac_energy);
	else
		rest = loom_clock_times(loom_clock_times(2, command->macs), type->op_energy);
	cost->energy_fj = loom_clock_add(cost->energy_fj, rest);
}

static u64 clock_resize_ops(const struct drm_loom_attr_resize *attr)
{
	u64 ops = 1;
	u32 i;

	/* neighbours along each axis that has to be interpolated */
	for (i = 0; i < 3; i++)
		if (attr->in_size[i] != attr->out_size[i])
			ops *= attr->mode == DRM_LOOM_RESIZE_CUBIC ? 4 :
			       attr->mode == DRM_LOOM_RESIZE_LINEAR ? 2 : 1;
	return ops;
}

u64 loom_clock_element_ops(u32 opcode, const void *attr)
{
	const struct drm_loom_attr_pool *pool = attr;
	const struct drm_loom_attr_topk *topk = attr;

	switch (opcode) {
	case DRM_LOOM_OP_POOL:
		/* its window, taps that fall outside included */
		return loom_clock_times(loom_clock_times(pool->kernel[0], pool->kernel[1]),
					pool->kernel[2]);
	case DRM_LOOM_OP_RESIZE:
		return clock_resize_ops(attr);
	case DRM_LOOM_OP_SOFTMAX:
		/* largest element, exponential of the difference, sum, quotient */
		return 4;
	case DRM_LOOM_OP_QUANTIZE:
	case DRM_LOOM_OP_DEQUANTIZE:
		/* scale, zero point */
		return 2;
	case DRM_LOOM_OP_TOPK:
		return 1 + loom_log2_up(topk->count);
	}
	return 1;
}

/* The type that takes longest, of those that the chip has. */
static u32 clock_slowest(const struct drm_loom_chip *chip, const struct loom_command *command,
			 u32 *rate)
{
	u32 slowest = command->views[0].dtype, i;

	*rate = loom_clock_op_rate(chip, command->op->opcode, slowest);
	for (i = 1; i < command->operands; i++) {
		u32 dtype = command->views[i].dtype;
		u32 own = loom_clock_op_rate(chip, command->op->opcode, dtype);

		if (own && (!*rate || own < *rate)) {
			slowest = dtype;
			*rate = own;
		}
	}
	return slowest;
}

/* Operations per lane of TOPK for merging results of lanes, if runs lie over several. */
static u64 clock_merge(const struct drm_loom_chip *chip, const struct loom_command *command)
{
	const struct drm_loom_attr_topk *attr = command->attr;
	const struct loom_view *x = &command->views[1];

	if (command->op->opcode != DRM_LOOM_OP_TOPK || x->region != DRM_LOOM_REGION_SRAM ||
	    x->lane_axis != attr->axis)
		return 0;
	return loom_clock_times(loom_clock_elements(&command->views[0]),
				loom_log2_up(min(chip->region[DRM_LOOM_REGION_SRAM].banks,
						 x->dims[attr->axis])));
}

static void clock_ops(const struct drm_loom_chip *chip, const struct loom_command *command,
		      struct loom_clock_cost *cost)
{
	u32 rate, dtype = clock_slowest(chip, command, &rate);
	const struct loom_view *by = loom_clock_dealt(command);
	u64 each = loom_clock_element_ops(command->op->opcode, command->attr);
	u64 ops = loom_clock_times(loom_clock_elements(by), each);
	u64 turns = loom_clock_times(loom_clock_rounds(chip, by), each);
	u64 merge = clock_merge(chip, command);

	ops = loom_clock_add(ops, merge);
	cost->ops = loom_clock_rate(loom_clock_add(turns, merge), rate);
	cost->energy_fj = loom_clock_add(cost->energy_fj,
					 loom_clock_times(ops, chip->type[dtype].op_energy));
}

void loom_clock_command(const struct drm_loom_chip *chip, const struct loom_command *command,
			struct loom_clock_cost *cost)
{
	bool dma = command->op->stream == LOOM_STREAM_DMA;

	*cost = (struct loom_clock_cost){ .start = dma ? chip->dma_start : chip->compute_start };
	clock_memory(chip, command, cost);
	if (!dma && command->macs)
		clock_macs(chip, command, cost);
	else if (!dma)
		clock_ops(chip, command, cost);
	cost->cycles = loom_clock_add(cost->start, max(cost->memory,
						       loom_clock_add(cost->macs, cost->ops)));
}
