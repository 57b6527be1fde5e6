/* SPDX-License-Identifier: MIT */
/*
 * DOC: Groups
 *
 * Layer by layer, every neuron goes to DRAM and comes back. A *group* is a run of nodes whose
 * neurons stay in SRAM: DRAM traffic is only weights, inputs and outputs of the group. The input is
 * a graph whose order and storage are decided (struct loom_lower); its commands are written in
 * groups, chosen by a *strategy*.
 *
 * A group that does not fit as a whole is cut into *slices*: rows of an axis that all operators of
 * the group follow (H of a picture, as a rule; each value has its own). The operators run one
 * after the other on a slice, then on the next.
 *
 * The part of a value in SRAM during a slice is its *strip*: the new rows and, before them, the
 * *halo*, the rows that windows still read. A halo can be kept or recomputed. By default it is
 * kept: after their last use, the rows that the next slice needs are copied to a *line buffer* in
 * SRAM, and from there to the top of the next strip. So no row is loaded, computed or stored twice,
 * whatever the depth of the group, at the cost of SRAM for the line buffers. This requires that
 * slices run forward: in slice s each operator makes all the rows that its operands allow for, and
 * one with a large window lags behind (strip.c).
 *
 * With &loom_group.recompute, slices are even cuts of the values that the group makes for others,
 * propagated back to its inputs, and each slice loads and computes all rows that it needs (halo.c).
 * Strips then hold the halos of all layers behind them, however thin the slices are, but no rows
 * are kept. The strategies of text.c and dp.c use this, and the default does where it moves fewer
 * bytes (recompute.c).
 *
 * Weights, and other operands of an operator besides strips, are *held* (loaded once, kept to the
 * end) or *streamed* (loaded for each slice); weights.c decides. Streaming splits an operator into
 * *chunks* of its output channels, if necessary, so that weights larger than the SRAM can be used.
 * In a group of one slice everything is streamed, and read once. Values can also be *resident*:
 * they stay in SRAM as a whole from the group that makes them to the last reader (resident.c).
 *
 * Time inside a group is counted in *positions*: one operator, or one chunk, computes at one.
 * Its operands are loaded at the position before, its results are stored at the one after, while
 * neighbours compute; or loads have positions of their own (no overlap), which needs less room. The
 * positions of one slice are a *period*: an item alive over its end overlaps its successor of the
 * next slice, and the placement is that of one period.
 *
 * Folders are layers, listed in tools/ci/floors.txt: model/, schedule/, place/, search/, emit/. A
 * file uses only its own layer and lower ones.
 *
 * Rejected: one set of rules with conditions for each strategy (schedule and placement depended on
 * the strategy, and no search could be read without the others).
 */
#ifndef LOOM_GROUP_H
#define LOOM_GROUP_H

#include "loom_core.h"
#include "group/search/memo.h"
#include "group/search/search.h"
#include "group/search/strategy.h"

/** loom_group_strategy_get() - strategies one by one from 0; NULL past the last */
const struct loom_group_strategy *loom_group_strategy_get(u32 index);

struct loom_lower;
struct loom_storage_options;

/**
 * struct loom_group_options - options of grouping
 * @strategy: selection of groups
 * @budget_ms: time of the search for groups, about in milliseconds; 0: the default
 * @share: divisor of that budget; 0: all of it
 * @aim: objective of strategies that compete; others have rules of their own
 * @keep_halos: recomputation is forbidden, for strategies that have a choice
 * @division: these groups, of the same graph and options, instead of a search; NULL: search
 * @alternatives: [out] also record the reason for each cut, and find divisions without it; NULL: no
 * @alternative_bytes: SRAM per lane for these divisions
 * @memo: estimates of other searches, and of this one for the next; NULL: none are kept
 * @storage: placement of the arena
 */
struct loom_group_options {
	const struct loom_group_strategy *strategy;
	u64 budget_ms;
	u32 share;
	struct loom_group_aim aim;
	bool keep_halos;
	const struct loom_group_division *division;
	struct loom_group_alternatives *alternatives;
	u64 alternative_bytes;
	struct loom_group_memo *memo;
	const struct loom_storage_options *storage;
};

/** loom_group_plan() - lowers a graph in groups; its storage must be decided, but not placed */
int loom_group_plan(struct loom_lower *lower, const struct loom_group_options *options);

#endif /* LOOM_GROUP_H */
