// SPDX-License-Identifier: MIT
/*
 * DOC: The GMEM planner
 *
 * The first published form of a GMEM allocator for neurons, followed as closely as its text
 * goes. Operators are visited in order. A record (tensor, address, size, ref_cnt) is made at
 * each allocation and stays for good; hold_edges are the tensors that somebody still needs,
 * in_using_addr the addresses that they lie at. For each operator:
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
 *   Removing it with the first, as the words say, would give a reshape's result away;
 * - a result that nobody reads leaves at once after its operator.
 *
 * Blocks are never split or joined: that is what the greedy planners beat.
 *
 * The search of step 2 looks at the record that opened a block only. It is the earliest of its
 * block and the largest, and when the block is not in use it is EOL and not held, as all of the
 * block's records are: if any of them would do, it is the first that does.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct record - an entry of rec_tbl
 * @address: of the block
 * @size_bytes: of the tensor
 * @block: number of the block; blocks and addresses are one to one
 * @ref_cnt: operands that still have to be read
 * @held: the tensor is in hold_edges
 */
struct record {
	uint64_t address;
	uint64_t size_bytes;
	uint32_t block;
	uint32_t ref_cnt;
	bool held;
};

/**
 * struct gmem - the state of a run
 * @items: what is to be placed
 * @rec_tbl: a record per item
 * @opener: by block: the item whose record opened it
 * @in_using: by block: number of tensors in hold_edges at its address; not 0: in in_using_addr
 * @operand_of: by block: number of the operator, plus 1, that has it as an operand
 * @num_blocks: number of blocks
 * @top: address of the next block
 */
struct gmem {
	const struct loom_place_item *items;
	struct record *rec_tbl;
	uint32_t *opener;
	uint32_t *in_using;
	uint32_t *operand_of;
	uint32_t num_blocks;
	uint64_t top;
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

static void release(struct gmem *g, uint32_t item)
{
	struct record *r = &g->rec_tbl[item];

	if (!r->held || r->ref_cnt)
		return;
	r->held = false;
	g->in_using[r->block]--;
}

static int visit(struct gmem *g, const struct loom_place_op *op, uint32_t number)
{
	uint32_t i;
	int ret;

	for (i = 0; i < op->num_inputs; i++) {
		struct record *r = &g->rec_tbl[op->inputs[i]];

		if (r->ref_cnt)
			r->ref_cnt--;
		g->operand_of[r->block] = number + 1;
	}
	if (op->output != LOOM_PLACE_NONE) {
		if (op->in_place && op->num_inputs) {
			g->rec_tbl[op->output].address = g->rec_tbl[op->inputs[0]].address;
			g->rec_tbl[op->output].block = g->rec_tbl[op->inputs[0]].block;
		} else {
			ret = allocate(g, op->output, number);
			if (ret)
				return ret;
		}
		hold(g, op->output);
	}
	for (i = 0; i < op->num_inputs; i++)
		release(g, op->inputs[i]);
	if (op->output != LOOM_PLACE_NONE)
		release(g, op->output);
	return 0;
}

static bool fits_op(const struct loom_place_op *op, const struct loom_place_item *output)
{
	bool alias = output->alias != LOOM_PLACE_NONE;

	return op->in_place == alias && (!alias || op->num_inputs) &&
	       output->fixed == LOOM_PLACE_ANYWHERE;
}

/* Every operand was made before, every item once, and in place means an alias. */
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
		    !fits_op(op, &problem->items[op->output])) {
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

int loom_place_gmem(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &task->problem;
	size_t n = problem->num_items;
	struct gmem g = { .items = problem->items };
	int ret = -ENOMEM;
	uint32_t i;

	g.rec_tbl = calloc(n + 1, sizeof(*g.rec_tbl));
	g.opener = calloc(n + 1, sizeof(*g.opener));
	g.in_using = calloc(n + 1, sizeof(*g.in_using));
	g.operand_of = calloc(n + 1, sizeof(*g.operand_of));
	if (g.rec_tbl && g.opener && g.in_using && g.operand_of)
		ret = check_ops(problem, &g);
	for (i = 0; i < problem->num_ops && !ret; i++)
		ret = visit(&g, &problem->ops[i], i);
	for (i = 0; i < n && !ret; i++)
		answer->offsets[i] = g.rec_tbl[i].address;
	free(g.rec_tbl);
	free(g.opener);
	free(g.in_using);
	free(g.operand_of);
	return ret;
}
