// SPDX-License-Identifier: MIT
/* Folding of TOPK: the order of the engine, see DOC: Selection, core/engine/fp_topk.c. */
#include "fold.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGN	(1ULL << 63)

/* Sort key of an element: the highest first, of equal ones the lowest position. */
struct key {
	uint64_t high;
	int64_t at;	/* position along the axis */
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* A number whose order is that of the elements. */
static uint64_t high_of(const struct loom_value *x, int64_t index)
{
	uint64_t bits;
	double number;

	if (loom_dtype_is_int(x->dtype))
		return (uint64_t)loom_value_int(x, index) ^ SIGN;
	number = loom_value_float(x, index);
	if (isnan(number))
		return UINT64_MAX;
	memcpy(&bits, &number, sizeof(bits));
	return bits & SIGN ? SIGN - (bits & ~SIGN) : SIGN + bits;
}

int loom_fold_topk(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	const struct loom_value *from = node->num_inputs > 1 ? node->inputs[1] : NULL;
	int64_t length = x->dims[node->topk.axis], inner, run, i, first, to;
	int64_t count = node->output->dims[node->topk.axis];
	int64_t bytes = (int64_t)loom_dtype_size(node->output->dtype);
	struct key *keys = calloc((size_t)length, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	inner = loom_value_trailing(x, node->topk.axis + 1);
	for (run = 0; run < x->num_elems / length; run++) {
		first = run / inner * length * inner + run % inner;
		for (i = 0; i < length; i++) {
			keys[i].at = i;
			keys[i].high = high_of(x, first + i * inner);
			if (node->topk.smallest)
				keys[i].high = ~keys[i].high;
		}
		qsort(keys, (size_t)length, sizeof(*keys), compare_keys);
		for (i = 0; i < count; i++) {
			to = run / inner * count * inner + run % inner + i * inner;
			if (from)
				memcpy((char *)node->output->data + to * bytes,
				       (const char *)from->data +
				       (first + keys[i].at * inner) * bytes, (size_t)bytes);
			else
				loom_value_set_int(node->output, to, keys[i].at);
		}
	}
	free(keys);
	return 0;
}
