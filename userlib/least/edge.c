// SPDX-License-Identifier: MIT
/* Dependences between operations: which one reads elements that another writes. See least.h. */
#include "least.h"

#include <errno.h>

/* The axes of a value on which all elements of @of in @part are in @in as well. */
static u32 inside(const struct least_axes *of, const struct least_axes *part,
		  const struct least_axes *in)
{
	u32 mask = 0, i;
	u64 k;

	for (i = 0; i < of->rank; i++) {
		bool all = true;

		for (k = 0; k < of->dims[i] && all; k++)
			all = !of->has[i][k] || !part->has[i][k] || in->has[i][k];
		mask |= (u32)all << i;
	}
	/* axes beyond the rank */
	return mask | (LEAST_ALL & ~((1U << of->rank) - 1));
}

static bool meet(const struct least_axes *a, const struct least_axes *b)
{
	u32 i;
	u64 k;

	for (i = 0; i < a->rank; i++) {
		bool any = false;

		for (k = 0; k < a->dims[i] && !any; k++)
			any = a->has[i][k] && b->has[i][k];
		if (!any)
			return false;
	}
	return true;
}

/* Axes of the value that each command for an element of the result reads in full. */
static u32 whole_axes(const struct least *least, const struct least_op *op, u32 operand)
{
	const struct loom_group_access *access = &op->op->access[operand];
	const struct loom_operand *from = &op->op->kernel.operands[operand];
	u32 rank = least->values[from->ref.tensor].live.rank, mask = 0, i, k;

	for (i = 0; i < rank && access->plain; i++) {
		bool mapped = false, full = true;

		for (k = 0; k < from->ref.rank; k++) {
			if (access->axis[k] != (s8)i)
				continue;
			mapped = true;
			full &= from->map[k].kind == LOOM_MAP_FULL &&
				!loom_kernel_is_summed(&op->op->kernel, &from->map[k]);
		}
		mask |= (u32)(mapped && full) << i;
	}
	return mask;
}

/* Whether each element of the result needs an element of the operand, and not padding only. */
static bool is_sure(const struct least_op *op, u32 operand)
{
	const struct loom_operand *from = &op->op->kernel.operands[operand];
	u32 i;

	for (i = 0; i < from->ref.rank; i++)
		if (!op->ones[operand][i] || from->map[i].kind == LOOM_MAP_RESIZE)
			return false;
	return true;
}

static int add_edge(struct least *least, const struct least_edge *edge)
{
	struct least_edge *edges = loom_pool_grow(least->pool, least->edges, least->num_edges,
						  &least->cap_edges, sizeof(*edges));

	if (!edges)
		return -ENOMEM;
	least->edges = edges;
	edges[least->num_edges++] = *edge;
	return 0;
}

/* Adds the edges of an operand: one from each op that writes some of it. */
static int add_operand(struct least *least, u32 index, u32 operand)
{
	const struct least_op *op = &least->ops[index];
	const struct least_value *value =
		&least->values[op->op->kernel.operands[operand].ref.tensor];
	struct least_axes need, made;
	u32 writer;
	int ret = 0;

	if (value->first_writer == LEAST_NONE ||
	    !least_on_value(least, op, operand, &op->loads[operand], &need))
		return 0;
	for (writer = value->first_writer; writer != LEAST_NONE && !ret;
	     writer = least->ops[writer].next_writer) {
		const struct least_op *from = &least->ops[writer];
		struct least_edge edge = { .from = writer, .to = index, .operand = operand };

		if (writer >= index || !from->live ||
		    !least_on_value(least, from, 0, &from->result, &made) || !meet(&made, &need))
			continue;
		edge.covers = inside(&made, &value->live, &need);
		edge.spans = inside(&need, &value->live, &made);
		edge.whole = whole_axes(least, op, operand);
		edge.sure = is_sure(op, operand);
		ret = add_edge(least, &edge);
	}
	return ret;
}

int least_edges(struct least *least)
{
	u32 i, k;
	int ret = 0;

	for (i = least->list->num_ops; i-- > 0;) {
		struct least_op *op = &least->ops[i];
		struct least_value *value = &least->values[op->op->kernel.operands[0].ref.tensor];

		op->next_writer = value->first_writer;
		value->first_writer = i;
	}
	for (i = 0; i < least->list->num_ops && !ret; i++) {
		struct least_op *op = &least->ops[i];

		op->first_in = least->num_edges;
		for (k = 1; k < op->op->kernel.num_operands && op->live && !ret; k++)
			if (op->op->kernel.operands[k].role == LOOM_ROLE_LOAD ||
			    op->op->kernel.operands[k].role == LOOM_ROLE_DIRECT)
				ret = add_operand(least, i, k);
		op->num_in = least->num_edges - op->first_in;
	}
	return ret;
}
