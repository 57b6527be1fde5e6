/* SPDX-License-Identifier: MIT */
/*
 * DOC: Slicing
 *
 * A kernel that does not fit in SRAM is cut into boxes of its result. The cost of a box follows
 * from the maps alone: the parts of the operands that it needs. A cut is a chunk length per axis
 * and an order of loops. An operand is loaded again whenever a loop that it depends on advances, so
 * the order decides which operands are kept and which are read repeatedly. Weight-stationary and
 * row-stationary cuts are two orders of the same loops, and neither is a special case.
 *
 * The search is exhaustive over candidate chunk lengths per axis and all orders of the axes that
 * are cut. Candidates are compared by DRAM bytes, then by slices; the first wins ties. Double
 * buffers are preferred while they move at most a tenth more bytes, or a quarter if the summed axis
 * is cut, as such a product computes long: they halve the SRAM of a slice, but let DMA and compute
 * overlap. A result with sums apart has one buffer then: it is written with the last terms only.
 *
 * The summed axis of a product is cut if no other cut fits, or all others load an operand again and
 * its cut moves fewer bytes. Its loop is the innermost: the sums stay where they are.
 *
 * Rejected: cutting N first, then H, until it fits. It misses that cutting the output channels
 * would read fewer bytes.
 */
#ifndef LOOM_LOWER_SLICE_H
#define LOOM_LOWER_SLICE_H

#include "kernel.h"

/**
 * struct loom_slicing - the cut of a kernel
 * @chunk: elements per axis of the result; the last piece may be shorter
 * @order: axes from the outermost loop to the innermost
 * @overlap: double buffers: the next slice is loaded while one is computed
 * @bytes: SRAM per lane, by operand: of one buffer
 * @buffers: number of buffers, by operand
 * @scratch_bytes: SRAM per lane in all
 * @dram_bytes: upper limit on the bytes loaded and stored
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
 * struct loom_slice_limits - resources of a kernel
 * @lanes: banks
 * @bytes: per lane
 * @align_bytes: of each buffer
 * @sub_bank_bytes: of its conflict sub-banks, 0: there is only one
 * @start_bytes: DRAM bytes that are moved while the commands of a slice start
 * @overlap: double buffers are allowed
 */
struct loom_slice_limits {
	u32 lanes;
	u64 bytes;
	u64 align_bytes;
	u64 sub_bank_bytes;
	u64 start_bytes;
	bool overlap;
};

/**
 * loom_slice_choose() - cut a kernel so that it fits and moves few bytes
 * @kernel: the kernel
 * @sram: the limits
 * @tiling: [out] the cut
 * @need_bytes: [out] with -ENOSPC: SRAM per lane of the smallest slices
 *
 * Return: 0; -ENOSPC; -EOVERFLOW when even one element is too much work for a unit; -ENOMEM.
 */
int loom_slice_choose(const struct loom_kernel *kernel, const struct loom_slice_limits *sram,
		      struct loom_slicing *tiling, u64 *need_bytes);
/** loom_slice_least() - SRAM per lane of the smallest slices; 0 without memory */
u64 loom_slice_least(const struct loom_kernel *kernel, const struct loom_slice_limits *sram);
/**
 * loom_slice_spread() - distribute operands over the lanes so as to minimize the smallest slice
 * @kernel: the kernel, changed
 * @lanes: number of lanes
 *
 * The axis may differ from the operator's usual one: for a long row of one channel, or a softmax of
 * one axis.
 */
void loom_slice_spread(struct loom_kernel *kernel, u32 lanes);

#endif /* LOOM_LOWER_SLICE_H */
