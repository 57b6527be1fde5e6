// SPDX-License-Identifier: MIT
/* BINARY, UNARY, SELECT, CAST, QUANTIZE and DEQUANTIZE: element by element. */
#include <errno.h>

#include "nest.h"
#include "operators.h"
#include "graph/value.h"

static const u8 binaries[LOOM_GBIN_COUNT] = {
	[LOOM_GBIN_ADD] = DRM_LOOM_BINARY_ADD,
	[LOOM_GBIN_SUB] = DRM_LOOM_BINARY_SUB,
	[LOOM_GBIN_MUL] = DRM_LOOM_BINARY_MUL,
	[LOOM_GBIN_DIV] = DRM_LOOM_BINARY_DIV,
	[LOOM_GBIN_POW] = DRM_LOOM_BINARY_POW,
	[LOOM_GBIN_MAX] = DRM_LOOM_BINARY_MAX,
	[LOOM_GBIN_MIN] = DRM_LOOM_BINARY_MIN,
	[LOOM_GBIN_MOD] = DRM_LOOM_BINARY_MOD,
	[LOOM_GBIN_FMOD] = DRM_LOOM_BINARY_FMOD,
	[LOOM_GBIN_EQUAL] = DRM_LOOM_BINARY_EQ,
	[LOOM_GBIN_LESS] = DRM_LOOM_BINARY_LT,
	[LOOM_GBIN_GREATER] = DRM_LOOM_BINARY_GT,
	[LOOM_GBIN_LESS_EQUAL] = DRM_LOOM_BINARY_LE,
	[LOOM_GBIN_GREATER_EQUAL] = DRM_LOOM_BINARY_GE,
	[LOOM_GBIN_AND] = DRM_LOOM_BINARY_AND,
	[LOOM_GBIN_OR] = DRM_LOOM_BINARY_OR,
	[LOOM_GBIN_XOR] = DRM_LOOM_BINARY_XOR,
	[LOOM_GBIN_PRELU] = DRM_LOOM_BINARY_PRELU,
};

static int binary_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_nest_axes *nest)
{
	const struct loom_node *node = nest->node;
	u32 dtype = node->output->dtype, act, p0, p1;
	struct loom_stage *stage;

	loom_kernel_binary(kernel, 0, 1, 2, binaries[node->binary.fn]);
	if (dtype == DRM_LOOM_DTYPE_F32 &&
	    loom_kernel_activation(&node->act, dtype, &act, &p0, &p1)) {
		stage = &kernel->stages[kernel->num_stages - 1];
		stage->binary.act = act;
		stage->binary.act_p0 = p0;
		stage->binary.act_p1 = p1;
		return 0;
	}
	if (node->act.fn == LOOM_GFN_NONE)
		return 0;
	return loom_kernel_function(lower, kernel, 0, 0, &node->act);
}

static int unary_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			const struct loom_nest_axes *nest)
{
	return loom_kernel_function(lower, kernel, 0, 1, &nest->node->unary);
}

static int select_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_nest_axes *nest)
{
	static const u32 operands[] = { 0, 1, 2, 3 };

	(void)lower;
	(void)nest;
	loom_kernel_stage(kernel, DRM_LOOM_OP_SELECT, 4, operands);
	return 0;
}

static int cast_stages(struct loom_lower *lower, struct loom_kernel *kernel,
		       const struct loom_nest_axes *nest)
{
	static const u32 operands[] = { 0, 1 };

	(void)lower;
	(void)nest;
	loom_kernel_stage(kernel, DRM_LOOM_OP_CAST, 2, operands);
	return 0;
}

/* Operand @index as F32, the type that the device quantises. */
static u32 as_float(struct loom_kernel *kernel, u32 index)
{
	u32 operands[2] = { 0, index };

	if (kernel->operands[index].ref.dtype == DRM_LOOM_DTYPE_F32)
		return index;
	operands[0] = loom_kernel_temp(kernel, index, DRM_LOOM_DTYPE_F32);
	loom_kernel_stage(kernel, DRM_LOOM_OP_CAST, 2, operands);
	return operands[0];
}

static int quantize_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			   const struct loom_nest_axes *nest)
{
	u32 operands[4] = { 0 };

	(void)lower;
	operands[1] = as_float(kernel, 1);
	operands[2] = as_float(kernel, 2);
	operands[3] = 3;
	loom_kernel_stage(kernel, DRM_LOOM_OP_QUANTIZE, nest->num_refs, operands);
	return 0;
}

static int dequantize_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			     const struct loom_nest_axes *nest)
{
	u32 operands[4] = { 0, 1, 0, 3 };
	u32 cast[2] = { 0 };

	(void)lower;
	operands[2] = as_float(kernel, 2);
	if (kernel->operands[0].ref.dtype != DRM_LOOM_DTYPE_F32)
		operands[0] = loom_kernel_temp(kernel, 0, DRM_LOOM_DTYPE_F32);
	loom_kernel_stage(kernel, DRM_LOOM_OP_DEQUANTIZE, nest->num_refs, operands);
	if (operands[0]) {
		cast[1] = operands[0];
		loom_kernel_stage(kernel, DRM_LOOM_OP_CAST, 2, cast);
	}
	return 0;
}

static bool is_quantised(u32 dtype, bool wide)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_I8:
	case DRM_LOOM_DTYPE_U8:
	case DRM_LOOM_DTYPE_I16:
	case DRM_LOOM_DTYPE_U16:
		return true;
	case DRM_LOOM_DTYPE_I32:
		return wide;
	}
	return false;
}

static int check_quant(struct loom_lower *lower, const struct loom_node *node)
{
	bool quantize = node->op == LOOM_GOP_QUANTIZE;
	u32 from = node->inputs[0]->dtype, to = node->output->dtype;

	if (!is_quantised(quantize ? to : from, !quantize))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device does not quantise %s to %s",
				       loom_dtype_name(from), loom_dtype_name(to));
	return 0;
}

/* Checks types against the device; other mismatches have been refused by the graph. */
static int check_binary(struct loom_lower *lower, const struct loom_node *node)
{
	u32 dtype = node->inputs[0]->dtype;
	bool ok;

	switch (node->binary.fn) {
	case LOOM_GBIN_AND:
	case LOOM_GBIN_OR:
	case LOOM_GBIN_XOR:
		ok = dtype == DRM_LOOM_DTYPE_BOOL;
		break;
	case LOOM_GBIN_EQUAL:
		ok = true;
		break;
	case LOOM_GBIN_MOD:
		ok = loom_dtype_is_int(dtype);
		break;
	default:
		ok = dtype != DRM_LOOM_DTYPE_BOOL;
	}
	if (!ok || dtype != node->inputs[1]->dtype)
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no %s of %s and %s",
				       loom_gbin_name(node->binary.fn), loom_dtype_name(dtype),
				       loom_dtype_name(node->inputs[1]->dtype));
	return 0;
}

/* The device broadcasts operands of one element here. */
static bool broadcasts(const struct loom_node *node, u32 operand)
{
	switch (node->op) {
	case LOOM_GOP_BINARY:
	case LOOM_GOP_SELECT:
		return true;
	case LOOM_GOP_QUANTIZE:
	case LOOM_GOP_DEQUANTIZE:
		return operand != 0;
	default:
		return false;
	}
}

static int read_operands(struct loom_lower *lower, struct loom_nest_axes *nest)
{
	const struct loom_node *node = nest->node;
	bool quant = node->op == LOOM_GOP_QUANTIZE || node->op == LOOM_GOP_DEQUANTIZE;
	u32 i, k;
	int ret;

	ret = loom_storage_write(lower, node->output, &nest->refs[nest->num_refs++]);
	if (ret)
		return ret;
	nest->rank = nest->refs[0].rank;
	for (i = 0; i < nest->rank; i++)
		nest->dims[i] = nest->refs[0].dims[i];
	for (i = 0; i < node->num_inputs; i++) {
		struct loom_ref *ref = &nest->refs[nest->num_refs];

		if (!node->inputs[i])
			continue;
		if (nest->num_refs == LOOM_NEST_REFS)
			return loom_lower_fail(lower, -EINVAL, "it has too many operands");
		ret = loom_storage_read(lower, node->inputs[i], ref);
		if (ret)
			return ret;
		if (quant && i && node->quant.axis >= 0 && ref->dims[0] != 1) {
			/* one element for each index of an axis */
			for (k = nest->rank - 1; k > (u32)node->quant.axis; k--)
				loom_ref_insert(ref, ref->rank);
		}
		loom_nest_broadcast(ref, nest->rank);
		/* an operand repeated along an axis is loaded once and broadcast by the device */
		for (k = 0; k < nest->rank && broadcasts(node, i); k++)
			if (!ref->strides[k])
				ref->dims[k] = 1;
		nest->num_refs++;
	}
	return 0;
}

int loom_lower_elementwise(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_nest_axes nest = { .node = node };
	int ret = 0;

	switch (node->op) {
	case LOOM_GOP_BINARY:
		ret = check_binary(lower, node);
		nest.stages = binary_stages;
		break;
	case LOOM_GOP_UNARY:
		nest.stages = unary_stages;
		break;
	case LOOM_GOP_SELECT:
		nest.stages = select_stages;
		break;
	case LOOM_GOP_CAST:
		nest.stages = cast_stages;
		break;
	case LOOM_GOP_QUANTIZE:
		ret = check_quant(lower, node);
		nest.stages = quantize_stages;
		break;
	default:
		ret = check_quant(lower, node);
		nest.stages = dequantize_stages;
	}
	if (!ret)
		ret = read_operands(lower, &nest);
	if (ret)
		return ret;
	/* a node without an effect is a copy */
	if ((node->op == LOOM_GOP_UNARY && node->unary.fn == LOOM_GFN_NONE) ||
	    (node->op == LOOM_GOP_CAST && node->inputs[0]->dtype == node->output->dtype)) {
		ret = loom_sink_copy(lower, &nest.refs[0], &nest.refs[1]);
		lower->step++;
		return ret;
	}
	return loom_nest_lower(lower, &nest);
}
