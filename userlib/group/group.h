/* SPDX-License-Identifier: MIT */
/*
 * DOC: Groups
 *
 * Layer by layer, every neuron goes to DRAM and comes back. A *group* is a run of nodes whose
 * neurons stay in SRAM: DRAM sees the weights, what comes in and what goes out.
 *
 * What does not fit as a whole is cut into *slices*: rows of an axis that all operators of the
 * group follow (H of a picture, as a rule; whichever axis it is of each value). The operators
 * run one after the other on a slice, then on the next.
 *
 * What a value has in SRAM during a slice is its *strip*: the rows that are new and those before
 * them that windows still look at, the *halo*. There are two ways to get a halo: compute (and
 * load) it again for each slice, or keep it. Here it is kept: after their last use, the rows that
 * the next slice needs are copied to a *line buffer* in SRAM, and from there to the top of the next
 * strip. So no row is loaded, computed or stored twice, whatever the depth of the group; what it
 * costs is the room of the line buffers. Slices run forward for that: in slice s each operator
 * makes all the rows that its operands allow for, and one with a large window lags behind.
 *
 * The other way, &loom_group.recompute, is there, too (halo.c): slices are even cuts of what
 * the group makes for others, walked back to what it reads, and each slice loads and computes all
 * that it needs. Strips then have the halos of all layers behind them in them, however thin the
 * slices are, but nothing is kept. That is what the planners of text.c and dp.c use,
 * and where it moves less (recompute.c), the default.
 *
 * *Residency* of weights: what an operator needs besides strips is *held* (loaded once, there to
 * the end) or *streamed* (loaded for each slice). Streaming takes an operator in *chunks* of its
 * output channels, if need be, so that weights larger than the SRAM pass through it. In a group
 * of one slice everything is streamed, and read once.
 *
 * Time inside a group is counted in *positions*: one operator, or one chunk, computes at one.
 * What it needs is loaded at the position before, what it made is stored at the one after, while
 * neighbours compute; or loads have positions of their own (no overlap), which needs less room. The
 * positions of one slice are a period: an item alive over its end meets its successor of the next
 * slice, and the placement (placement.c) is that of one period.
 *
 *	lower_*.c -> list of ops -> strip.c -> schedule.c -> placement.c -> emit.c
 *	(op.c)    |              rows            positions        offsets         commands
 *	                +-- divide.c: which nodes make a group, by its cost (cost.c)
 *	                +-- recompute.c: the same once more, with halos computed again
 *	                +-- text.c, dp.c: by other rules, to compare with
 */
#ifndef LOOM_GROUP_H
#define LOOM_GROUP_H

#include "loom_core.h"
#include "strategy.h"

/** loom_group_strategy_get() - strategies one by one from 0; NULL past the last */
const struct loom_group_strategy *loom_group_strategy_get(u32 index);

struct loom_lower;
struct loom_storage_options;

/**
 * struct loom_group_options - how to plan in groups
 * @strategy: which groups
 * @budget_ms: how long groups are searched for, about in milliseconds; 0: the default
 * @explain: notes of each cut what the division would cost without it
 * @storage: how the arena is placed
 */
struct loom_group_options {
	const struct loom_group_strategy *strategy;
	u64 budget_ms;
	bool explain;
	const struct loom_storage_options *storage;
};

/** loom_group_plan() - lowers a whole graph in groups; its storage is decided, not placed */
int loom_group_plan(struct loom_lower *lower, const struct loom_group_options *options);

#endif /* LOOM_GROUP_H */
