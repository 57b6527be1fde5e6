// SPDX-License-Identifier: MIT
/*
 * DOC: The GMEM planner
 *
 * The first published form of a GMEM allocator for neurons, followed as closely as its text
 * goes. Operators are visited in order. A record (tensor, address, size, ref_cnt) is made at
 * each allocation and is never removed; hold_edges are the tensors that are still needed,
 * in_using_addr their addresses. For each operator:
 *
 * 1. each operand's ref_cnt, if it is at least 1, goes down by one. At 0 the tensor is at the
 *    end of its life (EOL);
 * 2. the result takes the address of a record that meets five conditions: its tensor is not in
 *    hold_edges; its address is not in in_using_addr; its tensor is EOL; its size is enough; its
 *    address is not that of an operand. The first such record wins. If there is none, a new
 *    block is opened at the top;
 * 3. each operand that is in hold_edges and has ref_cnt 0 leaves it, and its address leaves
 *    in_using_addr.
 *
 * The order of 1 and 3 is why the fifth condition exists: an operand is EOL while its reader
 * still runs. A reshape is exempt from it and works in place: it takes its operand's address
 * without asking the records.
 *
 * Where the text is silent:
 *
 * - a record of a reused block carries the new tensor's size, and the older records of the same
 *   address, with their sizes, stay: condition 2 guards them. So a block keeps its full size,
 *   however small its tenants;
 * - an address leaves in_using_addr when the last tensor in hold_edges at that address leaves.
 *   Removing it with the first, as the text says, would give away the result of a reshape;
 * - a result without readers leaves right after its operator;
 * - an item whose lifetime is longer than its readers say (a result of the graph) is held until it
 *   ends;
 * - a concatenation and its operands, which lie in it, have one record, that of the whole. It is
 *   made with the first operand, and held until the concatenation itself can leave.
 *
 * Blocks are never split or joined, which is why greedy planners need less.
 *
 * The search of step 2 only examines the record that opened a block. It is the earliest and largest
 * of its block, and when the block is not in use it is EOL and not held, as are all records of the
 * block: if any of them meets the conditions, this one is the first to do so.
 */
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>

/* An entry of rec_tbl. */
struct record {
	uint64_t address;	/* of the block */
	uint64_t size_bytes;	/* of the tensor */
	uint32_t block;		/* number of the block; blocks and addresses are one to one */
	uint32_t ref_cnt;	/* operands that still have to be read */
	bool held;		/* the tensor is in hold_edges */
	bool allocated;		/* it has an address */
	bool made;		/* its operator was visited */
};

/* State of a run. */
struct gmem {
	const struct loom_place_item *items;	/* the items of the problem */
	uint32_t num_items;			/* number of @items */
	struct record *rec_tbl;			/* a record per item */
	uint32_t *opener;			/* by block: the item whose record opened it */
	/* by block: number of tensors in hold_edges at its address; not 0: in in_using_addr */
	uint32_t *in_using;
	/* by block: number of the operator, plus 1, that has it as an operand */
	uint32_t *operand_of;
	struct loom_radix ends;			/* items in order of their end */
	uint32_t num_ended;			/* number of these that have ended */
	uint32_t num_blocks;			/* number of blocks */
	uint64_t top;				/* address of the next block */
};

static bool reusable(const struct gmem *g, const struct record *r,
		     const struct loom_place_item *item, uint32_t op)
{
	return !r->held &&
	       !g->in_using[r->block] &&
	       !r->ref_cnt &&
	       r->size_bytes >= item->size_bytes &&
	       r->address % item->align_bytes == 0 &&
	       g->operand_of[r->block] != op + 1;
}

static int open_block(struct gmem *g, uint32_t index)
{
	const struct loom_place_item *item = &g->items[index];
	struct record *out = &g->rec_tbl[index];
	uint64_t gap = g->top % item->align_bytes;

	if (gap && __builtin_add_overflow(g->top, item->align_bytes - gap, &g->top))
		return -ERANGE;
	if (g->top > INT64_MAX - item->size_bytes)
		return -ERANGE;
	out->address = g->top;
	out->block = g->num_blocks;
	g->opener[g->num_blocks++] = index;
	g->top += item->size_bytes;
	return 0;
}

static int allocate(struct gmem *g, uint32_t item, uint32_t op)
{
	struct record *out = &g->rec_tbl[item];
	uint32_t i;

	for (i = 0; i < g->num_blocks; i++) {
		const struct record *r = &g->rec_tbl[g->opener[i]];

		if (!reusable(g, r, &g->items[item], op))
			continue;
		out->address = r->address;
		out->block = r->block;
		return 0;
	}
	return open_block(g, item);
}

static void hold(struct gmem *g, uint32_t item)
{
	g->rec_tbl[item].size_bytes = g->items[item].size_bytes;
	g->rec_tbl[item].held = true;
	g->in_using[g->rec_tbl[item].block]++;
}

/* Gives the result of operator @op the address of its owner, which is allocated if necessary. */
static int place_result(struct gmem *g, uint32_t item, uint32_t op)
{
	uint32_t owner = loom_place_owner(g->items, item);
	struct record *r = &g->rec_tbl[item];
	int ret;

	if (!g->rec_tbl[owner].allocated) {
		/* lifetimes may be longer than needed, but not begin before the operator */
		if (g->items[owner].lower < op)
			return -EINVAL;
		ret = allocate(g, owner, op);
		if (ret)
			return ret;
		g->rec_tbl[owner].allocated = true;
		hold(g, owner);
	}
	if (owner != item) {
		r->address = g->rec_tbl[owner].address + g->items[item].alias_offset;
		r->block = g->rec_tbl[owner].block;
		hold(g, item);
	}
	r->made = true;
	return 0;
}

/* Must be called when exactly the operators below @now were visited. */
static void release(struct gmem *g, uint32_t item, int64_t now)
{
	struct record *r = &g->rec_tbl[item];

	if (!r->held || r->ref_cnt || !r->made || g->items[item].upper > now)
		return;
	r->held = false;
	g->in_using[r->block]--;
}

static int visit(struct gmem *g, const struct loom_place_op *op, uint32_t number)
{
	const struct loom_radix_entry *ends = g->ends.entries;
	uint32_t i;
	int ret;

	for (; g->num_ended < g->num_items && ends[g->num_ended].key <= number; g->num_ended++)
		release(g, (uint32_t)ends[g->num_ended].value, number);
	for (i = 0; i < op->num_inputs; i++) {
		struct record *r = &g->rec_tbl[op->inputs[i]];

		if (r->ref_cnt)
			r->ref_cnt--;
		g->operand_of[r->block] = number + 1;
	}
	if (op->output != LOOM_PLACE_NONE) {
		ret = place_result(g, op->output, number);
		if (ret)
			return ret;
	}
	for (i = 0; i < op->num_inputs; i++)
		release(g, op->inputs[i], (int64_t)number + 1);
	if (op->output != LOOM_PLACE_NONE)
		release(g, op->output, (int64_t)number + 1);
	return 0;
}

/* A result in place must be an alias, in the owner of the first operand. */
static bool fits_op(const struct loom_place_problem *problem, const struct loom_place_op *op)
{
	const struct loom_place_item *output = &problem->items[op->output], *input;
	uint32_t owner = loom_place_is_alias(output) ? output->alias : op->output;

	if (!op->in_place)
		return true;
	if (!loom_place_is_alias(output) || !op->num_inputs)
		return false;
	input = &problem->items[op->inputs[0]];
	return owner == (loom_place_is_alias(input) ? input->alias : op->inputs[0]);
}

/* Checks that every operand was made before its reader, and every item once. */
static int check_ops(const struct loom_place_problem *problem, struct gmem *g)
{
	bool *made = calloc((size_t)problem->num_items + 1, sizeof(*made));
	uint32_t num_made = 0, i, k;
	int ret = made ? 0 : -ENOMEM;

	for (i = 0; i < problem->num_ops && !ret; i++) {
		const struct loom_place_op *op = &problem->ops[i];

		for (k = 0; k < op->num_inputs && !ret; k++) {
			if (op->inputs[k] >= problem->num_items || !made[op->inputs[k]])
				ret = -EINVAL;
			else
				g->rec_tbl[op->inputs[k]].ref_cnt++;
		}
		if (op->output == LOOM_PLACE_NONE || ret)
			continue;
		if (op->output >= problem->num_items || made[op->output] ||
		    !fits_op(problem, op)) {
			ret = -EINVAL;
		} else {
			made[op->output] = true;
			num_made++;
		}
	}
	if (!ret && num_made != problem->num_items)
		ret = -EINVAL;
	free(made);
	return ret;
}

static int sort_ends(struct gmem *g)
{
	struct loom_radix *ends = &g->ends;
	int ret = loom_radix_reserve(ends, g->num_items);

	for (; ends->count < g->num_items && !ret; ends->count++)
		ends->entries[ends->count] = (struct loom_radix_entry){
			g->items[ends->count].upper, (int64_t)ends->count,
		};
	loom_radix_sort(ends);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &task->problem;
	size_t n = problem->num_items;
	struct gmem g = { .items = problem->items, .num_items = problem->num_items };
	struct loom_arrays arrays = { 0 };
	uint32_t i;
	int ret;

	g.rec_tbl = loom_arrays_take(&arrays, n, sizeof(*g.rec_tbl));
	g.opener = loom_arrays_take(&arrays, n, sizeof(*g.opener));
	g.in_using = loom_arrays_take(&arrays, n, sizeof(*g.in_using));
	g.operand_of = loom_arrays_take(&arrays, n, sizeof(*g.operand_of));
	ret = arrays.failed ? -ENOMEM : check_ops(problem, &g);
	if (!ret)
		ret = sort_ends(&g);
	for (i = 0; i < problem->num_ops && !ret; i++)
		ret = visit(&g, &problem->ops[i], i);
	for (i = 0; i < n && !ret; i++)
		answer->offsets[i] = g.rec_tbl[i].address;
	loom_radix_clear(&g.ends);
	loom_arrays_free(&arrays);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_gmem = {
	.name = "gmem",
	.text = "operator by operator, each takes a whole block whose tensor is dead",
	.limits = LOOM_PLACE_NEEDS_OPS | LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED |
		  LOOM_PLACE_NO_APART,
	.place = place,
};
