/* SPDX-License-Identifier: MIT */
/**
 * DOC: Time of a plan
 *
 * This room is given the tables of a plan that is complete (plan/build.h) and gives them back with
 * the same commands, the same results and the same bytes moved, in fewer cycles of the chip's
 * clock: transfers run beside the arithmetic wherever the plan allows it, across groups, too. It
 * knows the format of plans and the clock, and nothing of nodes, groups or how a plan came about.
 *
 * Steps are barriers, and a step takes as long as the longer of its streams. So the plan is first
 * taken apart into *positions*: steps that compute one command each, in the order of the plan, and
 * those that only move data. Arithmetic stays where it is. Transfers are *jobs*: each has a window
 * of positions, which ends before the first computation that needs what it writes, and so on
 * (depend.c). A job may be cut into *pieces* along an axis, as a transfer of rows is as good as
 * two of half of them. Where a position's transfers outlast its arithmetic, pieces go to the
 * nearest position with time to spare, earlier or later (move.c), as long as there is room in the
 * SRAM for what they write or read, from then until then (room.c). If it is not free at the place
 * where a tensor lies, the tensor may lie somewhere else, and if there is no hole, others make way.
 * At last positions become steps again, as
 * few and as long ones as the rules of plans allow (merge.c), and the tables are written (write.c).
 *
 * Steps are walked from the first to the last, and each takes from the nearest steps before it. In
 * this order the least SRAM is held for what is loaded early: loads of a later step can pass
 * where an earlier one has taken all time that there was, but not the other way round.
 *
 * The more is loaded early, the harder it gets to find a hole for one more tensor. So if the plan
 * still takes much longer than the longer of its streams, all is done once more as if places did
 * not matter, but a few percent of the SRAM stay free at all times; and then all of the scratch is
 * placed anew (anew.c). The faster plan is kept.
 *
 * If the result does not take fewer cycles, the plan stays as it was.
 *
 * Measured on plans by DRAM bytes, in thousand cycles: as they were written, here, here if places
 * did not matter but only how much is alive at once, and what the longer stream takes alone:
 *
 * ================== ======= ===== ==== ======== =====
 * network            chip    as is here no place alone
 * ================== ======= ===== ==== ======== =====
 * PP-OCR rec 320     soft     1440 1076     1019   774
 * PP-OCR det 320     soft     1272 1100     1048   703
 * M-LSD tiny         soft     1856 1707     1707  1625
 * BlazeFace          soft       98   71       71    71
 * speech embedding   soft      125   83       83    83
 * PP-OCR rec 320     bm1684x   916  762      762   741
 * BlazeFace          bm1684x    53   45       45    40
 * ================== ======= ===== ==== ======== =====
 *
 * "Here" is before all was placed anew. Where tensors may only go to holes, rec takes 1203.
 * Placing anew takes what is planned for time on soft from 1032 to 993 (rec) and from 715 to 696
 * (det); if places did not matter at all, it would be 989 and 694.
 *
 * Barriers cost next to nothing, as transfers are cut where a step ends: with the same commands in
 * the same order, each beginning as soon as what it depends on is done, six networks take at most
 * 0.1 % less on soft, and 0.3 % less on bm1684x. So the plan format keeps its steps. What is left
 * is the SRAM that later transfers have no room in, and the first load and the last store.
 *
 * Rejected: moving computations, or cutting them. They would need other tensors, and how work is
 * divided is known where groups are chosen. Rejected: always placing all tensors of a plan anew.
 * Groups that fill the SRAM were placed by a search that took into account which of their slices
 * are alike; where they do, there is often no other placement.
 */
#ifndef LOOM_RETIME_H
#define LOOM_RETIME_H

#include "plan/build.h"

#include "loom_chip.h"

/**
 * struct loom_retime_options - what a plan may use
 * @chip: what it is for
 * @room_bytes: SRAM per lane that it may use
 * @anew: the scratch may be placed again
 * @most_cycles: a plan is given up if its estimate or its longer stream takes as many
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
 * loom_retime() - makes a plan faster
 * @build: a complete plan
 * @options: what it may use
 * @scratch_bytes: in and out: SRAM that it uses, per lane
 * @steps: [out] by step of before and one more: the step of now that began there; from malloc. NULL
 *	if nothing has changed
 * @estimate: [out] cycles if the places of tensors did not matter; 0: unknown; may be NULL
 *
 * Return: 0, -ENOMEM, or -ERANGE for a plan that does not get below options.most_cycles.
 */
int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps, u64 *estimate);

#endif /* LOOM_RETIME_H */
