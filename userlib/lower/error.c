// SPDX-License-Identifier: MIT
/* Errors of a node, as text of one line. See lower.h. */
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
