// SPDX-License-Identifier: MIT
/* REDUCE, SOFTMAX and TOPK: whole axes at once. */
#include <errno.h>
#include <math.h>

#include "loom_op.h"
#include "nest.h"
#include "operators.h"
#include "graph/value.h"

static const u8 reductions[] = {
	[LOOM_GREDUCE_SUM] = DRM_LOOM_REDUCE_SUM,
	[LOOM_GREDUCE_MEAN] = DRM_LOOM_REDUCE_MEAN,
	[LOOM_GREDUCE_MAX] = DRM_LOOM_REDUCE_MAX,
	[LOOM_GREDUCE_MIN] = DRM_LOOM_REDUCE_MIN,
	[LOOM_GREDUCE_PROD] = DRM_LOOM_REDUCE_PROD,
	[LOOM_GREDUCE_L1] = DRM_LOOM_REDUCE_L1,
	[LOOM_GREDUCE_L2] = DRM_LOOM_REDUCE_L2,
	[LOOM_GREDUCE_SUM_SQUARE] = DRM_LOOM_REDUCE_SUMSQ,
	[LOOM_GREDUCE_LOG_SUM] = DRM_LOOM_REDUCE_SUM,
	[LOOM_GREDUCE_LOG_SUM_EXP] = DRM_LOOM_REDUCE_SUM,
};

static void reduce_stage(struct loom_kernel *kernel, u32 y, u32 x, u32 kind)
{
	const u32 operands[] = { y, x };
	struct loom_stage *stage = loom_kernel_stage(kernel, DRM_LOOM_OP_REDUCE, 2, operands);

	stage->attr_bytes = sizeof(stage->reduce);
	stage->reduce.kind = kind;
}

/* log(sum(e^x)) as max + log(sum(e^(x - max))), which does not overflow. */
static void log_sum_exp(struct loom_kernel *kernel, u32 dtype)
{
	u32 largest = loom_kernel_temp(kernel, 0, dtype);
	u32 t = loom_kernel_temp(kernel, 1, dtype);

	reduce_stage(kernel, largest, 1, DRM_LOOM_REDUCE_MAX);
	loom_kernel_binary(kernel, t, 1, largest, DRM_LOOM_BINARY_SUB);
	loom_kernel_unary(kernel, t, t, DRM_LOOM_UNARY_EXP, 0, 0);
	reduce_stage(kernel, 0, t, DRM_LOOM_REDUCE_SUM);
	loom_kernel_unary(kernel, 0, 0, DRM_LOOM_UNARY_LOG, 0, 0);
	loom_kernel_binary(kernel, 0, 0, largest, DRM_LOOM_BINARY_ADD);
}

static int reduce_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_nest_axes *nest)
{
	enum loom_greduce_kind kind = nest->node->reduce.kind;
	u32 i;

	(void)lower;
	kernel->unit_cost = 1;
	for (i = 0; i < nest->rank; i++)
		if (nest->reduced >> i & 1)
			kernel->unit_cost *= nest->dims[i];
	if (kind == LOOM_GREDUCE_LOG_SUM_EXP) {
		log_sum_exp(kernel, nest->node->output->dtype);
		return 0;
	}
	reduce_stage(kernel, 0, 1, reductions[kind]);
	if (kind == LOOM_GREDUCE_LOG_SUM)
		loom_kernel_unary(kernel, 0, 0, DRM_LOOM_UNARY_LOG, 0, 0);
	return 0;
}

/* The result of reducing an empty axis. */
static int reduce_empty(struct loom_lower *lower, const struct loom_node *node)
{
	enum loom_greduce_kind kind = node->reduce.kind;
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	bool floating = loom_dtype_is_float(node->output->dtype);
	struct loom_ref y;
	double number = 0;
	int ret;

	if (kind == LOOM_GREDUCE_PROD)
		number = 1;
	else if (kind == LOOM_GREDUCE_MAX || kind == LOOM_GREDUCE_LOG_SUM ||
		 kind == LOOM_GREDUCE_LOG_SUM_EXP)
		number = -INFINITY;
	else if (kind == LOOM_GREDUCE_MIN)
		number = INFINITY;
	else if (kind == LOOM_GREDUCE_MEAN && floating)
		number = NAN;
	ret = loom_storage_write(lower, node->output, &y);
	if (ret)
		return ret;
	loom_kernel_operand(&kernel, LOOM_ROLE_STORE, &y);
	ret = loom_sink_fill(lower, &y,
			     kernel.operands[loom_kernel_const(&kernel, 0, number)].bits);
	lower->step++;
	return ret;
}

int loom_lower_reduce(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_nest_axes nest = { .node = node, .num_refs = 2, .stages = reduce_stages };
	bool log = node->reduce.kind == LOOM_GREDUCE_LOG_SUM ||
		   node->reduce.kind == LOOM_GREDUCE_LOG_SUM_EXP;
	struct loom_ref *y = &nest.refs[0], *x = &nest.refs[1];
	u32 dtype = node->output->dtype, i;
	u64 dims[LOOM_GRAPH_RANK];
	int ret;

	if (dtype == DRM_LOOM_DTYPE_BOOL || (log && !loom_dtype_is_float(dtype)))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no such reduction of %s",
				       loom_dtype_name(dtype));
	if (!node->inputs[0]->num_elems)
		return reduce_empty(lower, node);
	ret = loom_storage_write(lower, node->output, y);
	if (!ret)
		ret = loom_storage_read(lower, node->inputs[0], x);
	if (ret)
		return ret;
	nest.rank = x->rank;
	nest.reduced = node->reduce.axes & ((1U << x->rank) - 1);
	for (i = 0; i < x->rank; i++) {
		nest.dims[i] = x->dims[i];
		dims[i] = nest.reduced >> i & 1 ? 1 : x->dims[i];
	}
	if (!loom_ref_reshape(y, x->rank, dims))
		return loom_lower_fail(lower, -EINVAL,
				       "the result has not the dims of the reduction");
	return loom_nest_lower(lower, &nest);
}

u64 loom_lower_run_cost(const struct loom_node *node)
{
	const struct loom_value *y = node->output;

	if (node->op == LOOM_GOP_SOFTMAX && y->rank)
		return loom_softmax_cost((u64)y->dims[node->softmax.axis]);
	if (node->op == LOOM_GOP_TOPK)
		return loom_topk_cost((u64)node->inputs[0]->dims[node->topk.axis],
				      (u32)y->dims[node->topk.axis]);
	return 0;
}

/* The axis of the nest that is kept apart, unless a command cannot compute so long a one. */
static int run_axis(struct loom_lower *lower, const struct loom_nest_axes *nest, u32 *axis)
{
	*axis = 0;
	while (!(nest->apart >> *axis & 1))
		++*axis;
	if (loom_lower_run_cost(nest->node) > DRM_LOOM_MAX_UNIT_COST)
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "an axis of %llu elements is too long for the device",
				       (unsigned long long)nest->refs[1].dims[*axis]);
	return 0;
}

static int softmax_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			  const struct loom_nest_axes *nest)
{
	static const u32 operands[] = { 0, 1 };
	struct loom_stage *stage;
	u32 axis;
	int ret = run_axis(lower, nest, &axis);

	if (ret)
		return ret;
	stage = loom_kernel_stage(kernel, DRM_LOOM_OP_SOFTMAX, 2, operands);
	stage->attr_bytes = sizeof(stage->softmax);
	stage->softmax.axis = axis;
	stage->softmax.flags = nest->node->softmax.log ? DRM_LOOM_SOFTMAX_LOG : 0;
	return 0;
}

static int topk_stages(struct loom_lower *lower, struct loom_kernel *kernel,
		       const struct loom_nest_axes *nest)
{
	static const u32 operands[] = { 0, 1, 2 };
	struct loom_stage *stage;
	u32 axis;
	int ret = run_axis(lower, nest, &axis);

	if (ret)
		return ret;
	stage = loom_kernel_stage(kernel, DRM_LOOM_OP_TOPK, nest->num_refs, operands);
	stage->attr_bytes = sizeof(stage->topk);
	stage->topk.axis = axis;
	stage->topk.flags = nest->node->topk.smallest ? DRM_LOOM_TOPK_SMALLEST : 0;
	stage->topk.count = (u32)nest->dims[axis];
	return 0;
}

/* Commands compute whole runs along @axis, which the operands may have more elements on. */
static int lower_runs(struct loom_lower *lower, struct loom_nest_axes *nest, u32 axis)
{
	const struct loom_node *node = nest->node;
	u32 i;
	int ret;

	nest->num_refs = 1 + node->num_inputs;
	ret = loom_storage_write(lower, node->output, &nest->refs[0]);
	for (i = 0; i < node->num_inputs && !ret; i++)
		ret = loom_storage_read(lower, node->inputs[i], &nest->refs[1 + i]);
	if (ret)
		return ret;
	nest->rank = nest->refs[0].rank;
	for (i = 0; i < nest->rank; i++)
		nest->dims[i] = nest->refs[0].dims[i];
	nest->apart = 1U << min(axis, nest->rank - 1);
	return loom_nest_lower(lower, nest);
}

int loom_lower_softmax(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_nest_axes nest = { .node = node, .stages = softmax_stages };

	if (!loom_dtype_is_float(node->output->dtype))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no softmax of %s",
				       loom_dtype_name(node->output->dtype));
	return lower_runs(lower, &nest, node->softmax.axis);
}

int loom_lower_topk(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_nest_axes nest = { .node = node, .stages = topk_stages };

	return lower_runs(lower, &nest, node->topk.axis);
}
