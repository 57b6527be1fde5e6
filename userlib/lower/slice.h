/* SPDX-License-Identifier: MIT */
/*
 * DOC: Slicing
 *
 * A kernel that does not fit in SRAM is cut into boxes of its result. The cost of a box
 * follows from the maps alone: the parts of the operands that it needs. A cut is a chunk length
 * per axis and an order of loops; an operand is loaded again whenever a loop that it depends on
 * has moved on, so the order decides what is kept and what is read several times. Keeping the
 * weights and streaming the rows, or keeping the rows and streaming the weights, are two orders of
 * the same loops here, and neither is a special case.
 *
 * The search is exhaustive over candidate chunk lengths per axis and all orders of the axes
 * that are cut. Fewest DRAM bytes win, then fewest slices, then what was tried first. Double
 * buffers are preferred while they move at most a tenth more bytes: they halve the SRAM of a slice,
 * but let DMA and compute run at the same time.
 *
 * Rejected: cutting N first, then H, until it fits. It never finds that cutting the output
 * channels would have read less.
 */
#ifndef LOOM_LOWER_SLICE_H
#define LOOM_LOWER_SLICE_H

#include "kernel.h"

/**
 * struct loom_slicing - how a kernel is cut
 * @chunk: elements per axis of the result; the last piece may be shorter
 * @order: axes from the outermost loop to the innermost
 * @overlap: double buffers: the next slice is loaded while one is computed
 * @bytes: SRAM per lane, by operand: of one buffer
 * @buffers: number of buffers, by operand
 * @scratch_bytes: SRAM per lane in all
 * @dram_bytes: bytes that are loaded and stored, at most
 * @slices: number of slices
 */
struct loom_slicing {
	u64 chunk[DRM_LOOM_MAX_RANK];
	u32 order[DRM_LOOM_MAX_RANK];
	bool overlap;
	u64 bytes[LOOM_KERNEL_OPERANDS];
	u32 buffers[LOOM_KERNEL_OPERANDS];
	u64 scratch_bytes;
	u64 dram_bytes;
	u64 slices;
};

/**
 * struct loom_slice_limits - what a kernel may use
 * @lanes: banks
 * @bytes: per lane
 * @align_bytes: of each buffer
 * @sub_bank_bytes: of its conflict sub-banks, 0: there is one only
 * @overlap: double buffers are allowed
 */
struct loom_slice_limits {
	u32 lanes;
	u64 bytes;
	u64 align_bytes;
	u64 sub_bank_bytes;
	bool overlap;
};

/**
 * loom_slice_choose() - cut a kernel so that it fits and moves little
 * @kernel: the kernel
 * @sram: what it may use
 * @tiling: [out] the cut
 * @need_bytes: [out] with -ENOSPC: what the smallest slices would take per lane
 *
 * Return: 0; -ENOSPC; -EOVERFLOW when even one element is too much work for a unit; -ENOMEM.
 */
int loom_slice_choose(const struct loom_kernel *kernel, const struct loom_slice_limits *sram,
		      struct loom_slicing *tiling, u64 *need_bytes);
/** loom_slice_least() - SRAM per lane that the smallest slices take; 0 without memory */
u64 loom_slice_least(const struct loom_kernel *kernel, const struct loom_slice_limits *sram);
/**
 * loom_slice_spread() - deals operands over the lanes so that the smallest slice is smallest
 * @kernel: the kernel, changed
 * @lanes: number of lanes
 *
 * That may not be the operator's usual axis: for a long row of one channel, or a softmax of one
 * axis.
 */
void loom_slice_spread(struct loom_kernel *kernel, u32 lanes);

#endif /* LOOM_LOWER_SLICE_H */
