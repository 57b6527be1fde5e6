/* SPDX-License-Identifier: MIT */
/**
 * DOC: Time of a plan
 *
 * Retiming reorders the tables of a complete plan (plan/build.h): the same commands, the same
 * results and the same bytes moved, in fewer cycles of the chip's clock. Transfers overlap
 * arithmetic wherever the plan allows it, also across groups. The folder depends on the format of
 * plans and the clock only, not on nodes or groups.
 *
 * Steps are barriers, and a step takes as long as the longer of its streams. So the plan is first
 * decomposed into *positions*: steps that compute one command each, in the order of the plan, and
 * steps that only move data. Arithmetic is not moved. Transfers are *jobs*: each has a window of
 * positions, which ends before the first computation that needs its result, and so on (depend.c). A
 * job may be cut into *pieces* along an axis, because a transfer of rows is equivalent to two of
 * half of them. Where a position's transfers outlast its arithmetic, pieces move to the nearest
 * idle position, earlier or later (move.c), as long as the SRAM has room for their result or
 * operand in between (room.c). If a tensor's own place is not free, it may move to a hole, and if
 * there is none, others move to make room. Finally positions are merged into steps, as few and as
 * long as the rules of plans allow (merge.c), and the tables are written (write.c).
 *
 * Steps are visited from the first to the last, and each takes idle time of the nearest steps
 * before it. This order minimizes the SRAM held for prefetched data: loads of a later step can pass
 * a step whose idle time is used up, but not the other way round.
 *
 * The more is prefetched, the harder it is to find a hole for another tensor. So transfers move
 * with offsets ignored first, but with a few percent of the SRAM free at all times; then the whole
 * scratch is placed again (anew.c). Before it is placed, the cycles are known within 0.1 % in the
 * median: a candidate that does not get below those of the best plan is given up. Otherwise
 * transfers also move with tensors at their old offsets, and the faster plan is kept.
 *
 * If the result is not faster, the plan is unchanged.
 *
 * Barriers cost next to nothing, because transfers are cut where a step ends, so the plan format
 * keeps its steps. The remaining loss is the SRAM that later transfers have no room in, and the
 * first load and the last store.
 *
 * Rejected: moving or cutting computations. They would need other tensors, and the division of work
 * is known where groups are chosen.
 */
#ifndef LOOM_RETIME_H
#define LOOM_RETIME_H

#include "plan/build.h"

#include "loom_chip.h"

/**
 * struct loom_retime_options - limits of a plan
 * @chip: the chip
 * @room_bytes: SRAM per lane that it may use
 * @anew: the scratch may be placed again
 * @most_cycles: threshold: a plan is given up if its estimate or its longer stream reaches it
 * @fences: steps at which groups begin, ascending; each group keeps a step
 * @num_fences: number of @fences
 */
struct loom_retime_options {
	const struct drm_loom_chip *chip;
	u64 room_bytes;
	bool anew;
	u64 most_cycles;
	const u32 *fences;
	u32 num_fences;
};

/**
 * loom_retime() - make a plan faster
 * @build: a complete plan
 * @options: its limits
 * @scratch_bytes: in and out: SRAM that it uses, per lane
 * @steps: [out] by old step and one more: the new step that began there; from malloc. NULL if
 *	nothing has changed
 * @estimate: [out] cycles if the places of tensors did not matter; 0: unknown; may be NULL
 *
 * Return: 0, -ENOMEM, or -ERANGE for a plan that does not get below options.most_cycles.
 */
int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps, u64 *estimate);

#endif /* LOOM_RETIME_H */
