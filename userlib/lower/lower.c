// SPDX-License-Identifier: MIT
/* The table of operators. See lower.h and operators.h. */
#include "lower.h"

#include "base/watch.h"

#include <errno.h>

#include "notes.h"
#include "operators.h"
#include "storage.h"

/* Copies a view that is an output, or that strides cannot express, if it is not there already. */
static int lower_materialise(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_ref from, to, view;
	int ret;

	/* the operand was computed in the place of the result */
	if (lower->storage->locations[node->inputs[0]->id].root == node->output->id)
		return 0;
	ret = loom_storage_read(lower, node->inputs[0], &from);
	if (!ret)
		ret = loom_storage_write(lower, node->output, &to);
	if (ret)
		return ret;
	/* the result is dense, so that it can be reshaped to the operand's shape */
	if (loom_storage_view(node, &from, &view))
		from = view;
	else if (!loom_ref_reshape(&to, from.rank, from.dims))
		return loom_lower_fail(lower, -EINVAL, "the result is not of its operand's size");
	ret = loom_sink_copy(lower, &to, &from);
	lower->step++;
	return ret;
}

static int (*const operators[LOOM_GOP_COUNT])(struct loom_lower *lower,
					      const struct loom_node *node) = {
	[LOOM_GOP_CONV] = loom_lower_conv,
	[LOOM_GOP_DECONV] = loom_lower_conv,
	[LOOM_GOP_POOL] = loom_lower_pool,
	[LOOM_GOP_MATMUL] = loom_lower_matmul,
	[LOOM_GOP_BINARY] = loom_lower_elementwise,
	[LOOM_GOP_UNARY] = loom_lower_elementwise,
	[LOOM_GOP_SELECT] = loom_lower_elementwise,
	[LOOM_GOP_REDUCE] = loom_lower_reduce,
	[LOOM_GOP_SOFTMAX] = loom_lower_softmax,
	[LOOM_GOP_TOPK] = loom_lower_topk,
	[LOOM_GOP_GATHER] = loom_lower_gather,
	[LOOM_GOP_RESIZE] = loom_lower_resize,
	[LOOM_GOP_CAST] = loom_lower_elementwise,
	[LOOM_GOP_QUANTIZE] = loom_lower_elementwise,
	[LOOM_GOP_DEQUANTIZE] = loom_lower_elementwise,
	[LOOM_GOP_TRANSPOSE] = lower_materialise,
	[LOOM_GOP_SLICE] = lower_materialise,
	[LOOM_GOP_CONCAT] = loom_lower_concat,
	[LOOM_GOP_PAD] = loom_lower_pad,
	[LOOM_GOP_EXPAND] = lower_materialise,
	[LOOM_GOP_RESHAPE] = lower_materialise,
	[LOOM_GOP_NATIVE] = loom_lower_native,
};

int loom_lower_node(struct loom_lower *lower, const struct loom_node *node)
{
	lower->node = node;
	loom_watch_node(node->name);
	if (!node->output->num_elems || loom_storage_is_view(lower, node->output))
		return 0;
	if (node->op >= LOOM_GOP_COUNT || !operators[node->op])
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no such operator");
	return operators[node->op](lower, node);
}

int loom_lower_alone(struct loom_lower *lower, u32 node)
{
	struct loom_program_group note = {
		.first_node = node,
		.last_node = node,
		.slices = 1,
		.axis = -1,
		.first_step = lower->step,
	};
	u32 i = lower->num_kernels;
	int ret;

	lower->build->node = node;
	ret = loom_lower_node(lower, lower->storage->nodes[node]);
	lower->build->node = LOOM_NODE_NONE;
	if (ret)
		return ret;
	for (; i < lower->num_kernels; i++) {
		note.slices = max(note.slices, lower->kernels[i].slices);
		note.overlap |= lower->kernels[i].overlap;
	}
	note.num_steps = lower->step - note.first_step;
	return loom_note_group(lower, &note);
}
