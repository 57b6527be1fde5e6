// SPDX-License-Identifier: MIT
/* The table of operators. See lower.h. */
#include "lower.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "graph/value.h"

int loom_lower_fail(struct loom_lower *lower, int code, const char *format, ...)
{
	const struct loom_node *node = lower->node;
	const char *file = lower->graph->name;
	va_list args;
	int at = 0;

	if (!lower->err)
		return code;
	if (node)
		at = snprintf(lower->err->text, sizeof(lower->err->text),
			      "%s: node \"%s\": operator %s: ", file ? file : "graph",
			      node->name ? node->name : "",
			      node->source_op ? node->source_op : loom_gop_name(node->op));
	if (at < 0 || (size_t)at >= sizeof(lower->err->text))
		return code;
	va_start(args, format);
	vsnprintf(lower->err->text + at, sizeof(lower->err->text) - at, format, args);
	va_end(args);
	return code;
}

int loom_lower_zero_point(struct loom_lower *lower, const struct loom_value *value, s32 *zero)
{
	s64 i;

	*zero = 0;
	if (!value)
		return 0;
	if (!value->data || !value->num_elems)
		return loom_lower_fail(lower, -EOPNOTSUPP, "zero point '%s' is not a constant",
				       value->name);
	*zero = loom_value_int(value, 0);
	for (i = 1; i < value->num_elems; i++)
		if (loom_value_int(value, i) != *zero)
			return loom_lower_fail(lower, -EOPNOTSUPP,
					       "zero point '%s' is not the same for all channels",
					       value->name);
	return 0;
}

/* A view that has to be seen from outside, or that strides cannot say. */
static int lower_materialise(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_ref from, to, view;
	int ret;

	ret = loom_storage_read(lower, node->inputs[0], &from);
	if (!ret)
		ret = loom_storage_write(lower, node->output, &to);
	if (ret)
		return ret;
	/* the result is dense, so that it can take any shape: that of the operand, too */
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
};

int loom_lower_node(struct loom_lower *lower, const struct loom_node *node)
{
	lower->node = node;
	if (!node->output->num_elems || loom_storage_is_view(lower, node->output))
		return 0;
	if (node->op >= LOOM_GOP_COUNT || !operators[node->op])
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no such operator");
	return operators[node->op](lower, node);
}
