/* SPDX-License-Identifier: MIT */
/*
 * DOC: Groups
 *
 * Layer by layer, every neuron goes to DRAM and comes back. A *group* is a run of nodes whose
 * neurons stay in SRAM: DRAM sees the weights, what comes in and what goes out. This room is given
 * a graph whose order and storage are decided (struct loom_lower) and writes its commands in
 * groups, chosen by a *strategy*.
 *
 * A group that does not fit as a whole is cut into *slices*: rows of an axis that all operators of
 * the group follow (H of a picture, as a rule; each value has its own). The operators run one
 * after the other on a slice, then on the next.
 *
 * The part of a value in SRAM during a slice is its *strip*: the rows that are new and, before
 * them, those that windows still look at, the *halo*. A halo can be kept or recomputed. By default
 * it is kept: after their last use, the rows that the next slice needs are copied to a *line
 * buffer* in SRAM, and from there to the top of the next strip. So no row is loaded, computed or
 * stored twice, whatever the depth of the group; the price is room for the line buffers. Slices
 * run forward for that: in slice s each operator makes all the rows that its operands allow for,
 * and one with a large window lags behind (strip.c).
 *
 * With &loom_group.recompute, slices are even cuts of what the group makes for others, walked back
 * to what it reads, and each slice loads and computes all that it needs (halo.c). Strips then hold
 * the halos of all layers behind them, however thin the slices are, but nothing is kept. That is
 * what the strategies of text.c and dp.c use and, where it moves less, the default (recompute.c).
 *
 * Weights, and what else an operator needs besides strips, are *held* (loaded once, there to the
 * end) or *streamed* (loaded for each slice); weights.c decides. Streaming takes an operator in
 * *chunks* of its output channels, if need be, so that weights larger than the SRAM pass through
 * it. In a group of one slice everything is streamed, and read once. Values, too, can be
 * *resident*: they stay in SRAM as a whole from the group that makes them to the last that reads
 * them (resident.c).
 *
 * Time inside a group is counted in *positions*: one operator, or one chunk, computes at one.
 * Its operands are loaded at the position before, its results are stored at the one after, while
 * neighbours compute; or loads have positions of their own (no overlap), which needs less room. The
 * positions of one slice are a *period*: an item alive over its end overlaps its successor of the
 * next slice, and the placement is that of one period.
 *
 * Folders are floors, listed in tools/ci/floors.txt: model/, schedule/, place/, search/, emit/. A
 * file uses only its own floor and lower ones.
 *
 * Rejected: one set of rules with conditions for each strategy (schedule and placement asked whose
 * rules they were, and the search for the text's could not be read without the others).
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
 * struct loom_group_options - how to plan in groups
 * @strategy: how groups are chosen
 * @budget_ms: how long groups are searched for, about in milliseconds; 0: the default
 * @share: one in so many of that is spent; 0: all of it
 * @aim: what strategies that compete look for; others have rules of their own
 * @keep_halos: nothing is recomputed, by strategies that have a choice
 * @division: these groups, of the same graph and options, instead of a search; NULL: search
 * @alternatives: [out] also note why each cut is there, and find the divisions without it; NULL: no
 * @alternative_bytes: SRAM per lane that these may have
 * @memo: estimates of other searches, and of this one for the next; NULL: nothing is kept
 * @storage: how the arena is placed
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

/** loom_group_plan() - lowers a whole graph in groups; its storage is decided, not placed */
int loom_group_plan(struct loom_lower *lower, const struct loom_group_options *options);

#endif /* LOOM_GROUP_H */
