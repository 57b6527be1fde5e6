/* SPDX-License-Identifier: MIT */
/*
 * DOC: Nests
 *
 * Operators without windows are nests of loops over the same axes for all operands, in which an
 * operand may have 1 element on an axis (it is broadcast) and the result may have 1 (it is
 * reduced). Axes of one element are dropped, and adjacent axes whose strides allow it in all
 * operands are merged, so that a tensor of rank 8 mostly becomes one of rank 2 or 3. One axis is
 * kept apart for the lanes. If more axes remain than the device supports, several kernels are made.
 */
#ifndef LOOM_LOWER_NEST_H
#define LOOM_LOWER_NEST_H

#include "lower.h"

#define LOOM_NEST_REFS	5

/**
 * struct loom_nest_axes - loops and operands
 * @rank: number of axes, of the nest and of each operand
 * @dims: iterations per axis
 * @reduced: bit per axis: operand 0 has one element there
 * @apart: bit per axis: must not be merged, cut or dropped
 * @num_refs: number of @refs
 * @refs: operands; 0 is the result
 * @stages: adds the stages to a kernel with these operands
 * @node: the node, for @stages
 */
struct loom_nest_axes {
	u32 rank;
	u64 dims[LOOM_GRAPH_RANK];
	u32 reduced;
	u32 apart;
	u32 num_refs;
	struct loom_ref refs[LOOM_NEST_REFS];
	int (*stages)(struct loom_lower *lower, struct loom_kernel *kernel,
		      const struct loom_nest_axes *nest);
	const struct loom_node *node;
};

/** loom_nest_broadcast() - extends @ref to @rank axes by adding some in front */
void loom_nest_broadcast(struct loom_ref *ref, u32 rank);

/** loom_nest_lower() - passes the kernels of a nest to the sink; @nest is changed */
int loom_nest_lower(struct loom_lower *lower, struct loom_nest_axes *nest);

#endif /* LOOM_LOWER_NEST_H */
