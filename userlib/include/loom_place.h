/* SPDX-License-Identifier: MIT */
/**
 * DOC: Placing
 *
 * Give each item an offset so that items alive at the same time do not overlap, and keep the top
 * low or under a capacity. Every planner has this problem: neurons in the arena, slices in the
 * SRAM, images, a file of buffers on the command line. So there is one problem type and one
 * signature for all of them, and strategies are chosen by name.
 *
 * Time is any increasing integer: operators, steps. A lifetime [lower, upper) is half-open: an
 * item that ends where another begins does not overlap it in time.
 *
 * Two items *interfere* if there is a moment at which both are alive (in a gap an item is not), or
 * if they are a pair of &loom_place_problem.apart. Items that interfere and are in the same pool
 * must not share a byte.
 *
 * Placing is NP-hard (dynamic storage allocation; Garey and Johnson SR2). loom_place_bound() gives
 * a lower bound of the height, and loom_place_check() proves a placement, whatever made it.
 */
#ifndef LOOM_PLACE_H
#define LOOM_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOM_PLACE_NONE - no item, no pool, no storage
 */
#define LOOM_PLACE_NONE		UINT32_MAX
/**
 * define LOOM_PLACE_ANYWHERE - no limit
 */
#define LOOM_PLACE_ANYWHERE	UINT64_MAX
/**
 * define LOOM_PLACE_MAX_POOLS - most pools of a problem, which are bits of &loom_place_item.pools
 */
#define LOOM_PLACE_MAX_POOLS	32

/**
 * struct loom_place_gap - moments at which an item is not, or only partly, alive
 * @lower: first moment
 * @upper: first moment after it, above @lower
 * @window_lower: first byte, from the item's begin, that stays in use
 * @window_upper: first byte behind those; not above @window_lower: none is in use
 *
 * The bytes in use stay where they are: an item never moves.
 */
struct loom_place_gap {
	int64_t lower;
	int64_t upper;
	uint64_t window_lower;
	uint64_t window_upper;
};

/**
 * struct loom_place_range - offsets, half-open
 * @lower: first byte
 * @upper: first byte behind it
 */
struct loom_place_range {
	uint64_t lower;
	uint64_t upper;
};

/**
 * enum loom_place_item_flags - properties of an item besides size and lifetime
 * @LOOM_PLACE_FIXED: &loom_place_item.fixed says where it must be
 * @LOOM_PLACE_ALIAS: &loom_place_item.alias says what it lies in
 *
 * Rejected: values of @fixed and @alias that mean "none" (an item of zeroes would be fixed at 0, in
 * item 0), and indices from 1 on.
 */
enum loom_place_item_flags {
	LOOM_PLACE_FIXED	= 1 << 0,
	LOOM_PLACE_ALIAS	= 1 << 1,
};

/**
 * struct loom_place_item - something that needs bytes for a time
 *
 * Fields may be zero for defaults; only @size_bytes, @lower and @upper must be set.
 *
 * @size_bytes: its size; 0 takes no room
 * @align_bytes: its offset is a multiple of this; 0 means 1
 * @lower: first moment of its lifetime
 * @upper: first moment after its lifetime, above @lower
 * @flags: enum loom_place_item_flags
 * @fixed: LOOM_PLACE_FIXED: the offset that it must have. It then must be in the pool that is its
 *	only one
 * @alias: LOOM_PLACE_ALIAS: an earlier item, the owner, that it lies in. An owner and its aliases
 *	have one lifetime, from the first to the last moment of any of them. Results computed in
 *	place are aliases, and operands of a concatenation, which lie in its result
 * @alias_offset: LOOM_PLACE_ALIAS: where in the owner, in bytes; with @size_bytes within the owner
 * @pools: bit i: it may go to pool i; 0: to any
 * @gaps: in ascending order and within the lifetime; may be NULL. Those of aliases and of their
 *	owners are ignored
 * @num_gaps: number of @gaps
 * @excluded: ranges of offsets that it must not touch, in ascending order; may be NULL
 * @num_excluded: number of @excluded
 * @width: images: elements in a row; 0: not an image
 * @height: images: rows
 * @storage_class: for token strategies: only items of the same class (type of the elements, scope)
 *	share a storage. Other strategies ignore it
 * @weight: how much more its bytes cost, wherever they are: the cost of a byte of a pool is
 *	multiplied by it (how often it is read and written); 0 means 1. That of an alias is ignored
 */
struct loom_place_item {
	uint64_t size_bytes;
	uint64_t align_bytes;
	int64_t lower;
	int64_t upper;
	uint32_t flags;
	uint32_t alias;
	uint64_t fixed;
	uint64_t alias_offset;
	uint32_t pools;
	const struct loom_place_gap *gaps;
	uint32_t num_gaps;
	const struct loom_place_range *excluded;
	uint32_t num_excluded;
	uint64_t width;
	uint64_t height;
	uint32_t storage_class;
	uint64_t weight;
};

/**
 * struct loom_place_op - an operator, for strategies that go operator by operator
 * @inputs: items that it reads, one entry for each operand
 * @num_inputs: number of @inputs
 * @output: item that it makes, or LOOM_PLACE_NONE
 * @in_place: a reshape: the result lies where the first input does
 */
struct loom_place_op {
	const uint32_t *inputs;
	uint32_t num_inputs;
	uint32_t output;
	bool in_place;
};

/**
 * struct loom_place_pair - two items
 * @first: one
 * @second: the other
 * @weight: soft pairs: cost if both touch the same conflict sub-bank. Else unused
 */
struct loom_place_pair {
	uint32_t first;
	uint32_t second;
	uint64_t weight;
};

/**
 * struct loom_place_pool - a memory to place in
 * @capacity_bytes: its size, or LOOM_PLACE_ANYWHERE; 0 is a pool that is full
 * @align_bytes: every item's offset is a multiple of this, too, except aliases'; 0 means 1
 * @cost: of a byte there. Pools are filled in ascending order of cost, ties in order of index:
 *	items that do not fit spill to the next, so that the sum of size times weight times cost
 *	stays low. With up to 200 items, of which up to 24 may be in more than one pool, it is the
 *	least that there is, if the budget lasts
 * @sub_bank_bytes: size of its conflict sub-banks, each of which has a port of its own: sub-bank i
 *	begins at i times this. 0: it has none
 */
struct loom_place_pool {
	uint64_t capacity_bytes;
	uint64_t align_bytes;
	uint64_t cost;
	uint64_t sub_bank_bytes;
};

/**
 * struct loom_place_problem - a placement problem
 * @items: the items
 * @num_items: number of @items
 * @ops: operators in order of execution; op i happens in [i, i + 1). May be NULL
 * @num_ops: number of @ops
 * @pools: the pools; NULL: one, without a limit, that all items may go to
 * @num_pools: number of @pools
 * @apart: pairs that must not share a byte even if they are never alive together (a protected
 *	input; reuse that would serialise operators that could run in parallel). May be NULL
 * @num_apart: number of @apart
 * @conflicts: pairs that should not touch the same sub-bank, because two streams access them at the
 *	same time. "auto" reduces the sum of the weights of those that do, within the capacity, or,
 *	where there is none, the height; other strategies only report it. May be NULL
 * @num_conflicts: number of @conflicts
 */
struct loom_place_problem {
	const struct loom_place_item *items;
	uint32_t num_items;
	const struct loom_place_op *ops;
	uint32_t num_ops;
	const struct loom_place_pool *pools;
	uint32_t num_pools;
	const struct loom_place_pair *apart;
	uint32_t num_apart;
	const struct loom_place_pair *conflicts;
	uint32_t num_conflicts;
};

/**
 * struct loom_place_options - how to place
 * @strategy: name of the strategy, see loom_place_strategy_name(); NULL: "auto"
 * @budget: how many search nodes "exact" and "auto" may visit; 0: the default. The answer is a
 *	function of the problem and this number, never of the time
 * @fit_only: the first placement within the capacities will do; else the top of each pool is
 *	minimised
 * @time_ns: stop looking for a lower placement after so many nanoseconds of the processor, in this
 *	thread; 0: the budget alone decides. Without a @budget this is the only limit. The answer is
 *	as good as the machine is fast, so it is not reproducible. The first placement is completed
 * @jobs: how many threads may try greedy orders at once, without @time_ns; 0 means 1. The answer is
 *	the same whatever the number
 */
struct loom_place_options {
	const char *strategy;
	uint64_t budget;
	bool fit_only;
	uint64_t time_ns;
	unsigned int jobs;
};

/**
 * struct loom_place_storage - a block that items use in turn, in token strategies
 * @pool: the pool it lies in
 * @storage_class: of its items
 * @offset: its first byte
 * @size_bytes: its size
 * @width: images: elements in a row, the largest of its items; else 0
 * @height: images: rows, likewise
 */
struct loom_place_storage {
	uint32_t pool;
	uint32_t storage_class;
	uint64_t offset;
	uint64_t size_bytes;
	uint64_t width;
	uint64_t height;
};

/**
 * struct loom_place_result - a placement
 *
 * From loom_place(); freed by loom_place_result_free().
 *
 * @strategy: name of the strategy that found it; of "auto", of the one that it chose
 * @offsets: by item, aliases included
 * @pools: by item: index of its pool
 * @height_bytes: by pool: the top, largest offset + size
 * @bound_bytes: by pool: a proven lower bound of @height_bytes for its items
 * @num_pools: number of pools, at least 1
 * @proved: it is optimal: every pool's height is at its bound, and with more than one pool no other
 *	distribution costs less
 * @nodes: search nodes visited
 * @conflict_weight: sum of the weights of the pairs that share a sub-bank
 * @spill_cost: sum over the items of size times weight times cost of their pool
 * @storages: of token strategies; else NULL
 * @num_storages: number of @storages
 * @storage_of: by item: its storage; NULL if there are no @storages
 */
struct loom_place_result {
	const char *strategy;
	uint64_t *offsets;
	uint32_t *pools;
	uint64_t *height_bytes;
	uint64_t *bound_bytes;
	uint32_t num_pools;
	bool proved;
	uint64_t nodes;
	uint64_t conflict_weight;
	uint64_t spill_cost;
	struct loom_place_storage *storages;
	uint32_t num_storages;
	uint32_t *storage_of;
};

/**
 * struct loom_place_fault - where a problem or a placement is wrong
 * @first: an item at fault, or LOOM_PLACE_NONE
 * @second: the item that it collides with, or LOOM_PLACE_NONE
 * @missing_bytes: -ENOSPC: as long as other capacities stay, no placement exists until those of
 *	@pools grow by so much in sum; 0: none was found, but there may be one. loom_place_check():
 *	by how much the item ends above its pool
 * @pools: -ENOSPC: the pools concerned, as bits: items that fit in no others are bound to them
 * @text: one line, without the names of items and pools
 */
struct loom_place_fault {
	uint32_t first;
	uint32_t second;
	uint64_t missing_bytes;
	uint32_t pools;
	char text[160];
};

/**
 * loom_place() - place a problem
 * @problem: the problem
 * @options: how to place it; NULL: all defaults
 * @result: [out] the placement; zeroed on failure
 * @fault: [out] the fault, on failure; may be NULL
 *
 * Deterministic: the same problem and options give the same answer. Thread safe.
 *
 * Return: 0; -EINVAL for an inconsistent problem (an empty lifetime, an alias outside of its owner,
 * fixed items that collide) and for a strategy that does not exist or cannot take the problem;
 * -ENOSPC if it does not fit in the pools: if @fault's missing_bytes is not 0, that is proved, else
 * the strategy found no placement. With a @fault, a refusal takes up to as long again, as the least
 * capacity is searched for; -ERANGE where sizes or offsets leave 63 bits, weights of
 * conflicts 63 in sum, or costs 64, were each item in the dearest of its pools; -ENOMEM.
 */
int loom_place(const struct loom_place_problem *problem, const struct loom_place_options *options,
	       struct loom_place_result *result, struct loom_place_fault *fault);

/**
 * loom_place_result_free() - frees the memory of a result
 * @result: the placement; a zeroed one is fine
 */
void loom_place_result_free(struct loom_place_result *result);

/**
 * struct loom_place_reason - why no placement in one pool can be lower than a bound
 * @bound_bytes: the bound
 * @moment: the items alive then need so much: all its sizes, and what alignment loses between those
 *	that begin at multiples of @align_bytes, of which the next cannot begin where one ends
 * @align_bytes: that alignment; 1: the sizes alone, and the offsets below that no item of the
 *	problem may touch
 * @item: a fixed item that ends there; LOOM_PLACE_NONE: it is for the @moment
 */
struct loom_place_reason {
	uint64_t bound_bytes;
	int64_t moment;
	uint64_t align_bytes;
	uint32_t item;
};

/**
 * loom_place_bound() - a lower bound of the height of every placement in one pool
 * @problem: the problem; its pools are ignored
 * @bound_bytes: [out] the most that is needed at one moment, with offsets below that no item may
 *	touch; or the end of a fixed item
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM.
 */
int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes);

/**
 * loom_place_bound_reason() - loom_place_bound(), with its proof
 * @problem: the problem; its pools are ignored
 * @reason: [out] the bound, and why; zeroed on failure
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM.
 */
int loom_place_bound_reason(const struct loom_place_problem *problem,
			    struct loom_place_reason *reason);

/**
 * loom_place_check_reason() - prove a bound
 * @problem: the problem; its pools are ignored
 * @reason: the bound, and why; from anywhere
 *
 * It looks at the items alive at the moment, or at the fixed item, at offsets that all items have
 * excluded, and at nothing else, so it takes little time and knows nothing of how the bound was
 * found.
 *
 * Return: 0; -EBADMSG if the reason does not prove the bound; -EINVAL or -ERANGE for an
 * inconsistent problem; -ENOMEM.
 */
int loom_place_check_reason(const struct loom_place_problem *problem,
			    const struct loom_place_reason *reason);

/**
 * loom_place_check() - prove a placement
 * @problem: the problem
 * @offsets: by item
 * @pools: by item: its pool; NULL: all in the first
 * @fault: [out] the fault, may be NULL
 *
 * A sweep over time with a sorted set, independent of any strategy: alignment, capacity, fixed
 * offsets, excluded ranges, aliases, pairs, and no two items that interfere share a byte.
 *
 * Return: 0; -EBADMSG if it is no placement; -EINVAL or -ERANGE for an inconsistent problem;
 * -ENOMEM.
 */
int loom_place_check(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, struct loom_place_fault *fault);

/**
 * loom_place_strategy_name() - names of placement strategies, one by one
 * @index: from 0
 *
 * Return: the name, which is the library's; NULL past the last.
 */
const char *loom_place_strategy_name(unsigned int index);

/**
 * loom_place_strategy_text() - summary of a placement strategy
 * @index: from 0, as for loom_place_strategy_name()
 *
 * Return: one line; NULL past the last.
 */
const char *loom_place_strategy_text(unsigned int index);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PLACE_H */
