// SPDX-License-Identifier: MIT
/* Folding of large functions of elements of at most 16 bits, once for each of all values. */
#include "fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static inline void look_up(const uint8_t *x, size_t from_bytes, const char *table, char *y,
			   size_t to_bytes, int64_t count)
{
	int64_t i;

	for (i = 0; i < count; i++) {
		const size_t at = from_bytes == 1 ? x[i] : x[2 * i] | (size_t)x[2 * i + 1] << 8;

		memcpy(y + (size_t)i * to_bytes, table + at * to_bytes, to_bytes);
	}
}

/* Constant sizes are faster. */
static void look_up_all(const struct loom_value *x, const char *table, const struct loom_value *y)
{
	const size_t from = loom_dtype_size(x->dtype), to = loom_dtype_size(y->dtype);

	if (from == 1 && to == 1)
		look_up(x->data, 1, table, y->data, 1, y->num_elems);
	else if (from == 1 && to == 2)
		look_up(x->data, 1, table, y->data, 2, y->num_elems);
	else if (from == 2 && to == 2)
		look_up(x->data, 2, table, y->data, 2, y->num_elems);
	else
		look_up(x->data, from, table, y->data, to, y->num_elems);
}

/* The same node of all @count values of its first operand. */
static int fold_all(const struct loom_node *node, loom_folder *fold, uint8_t *values, void *results,
		    int64_t count)
{
	struct loom_value x = *node->inputs[0], y = *node->output, scalar;
	struct loom_value *inputs[] = { &x, &scalar };
	const size_t bytes = loom_dtype_size(x.dtype);
	struct loom_node all = *node;
	int64_t i;

	for (i = 0; i < count; i++)
		memcpy(values + (size_t)i * bytes, &(uint16_t){ (uint16_t)i }, bytes);
	if (node->num_inputs > 1) {
		scalar = *node->inputs[1];
		scalar.rank = 0;
	}
	x.data = values;
	y.data = results;
	x.rank = 1;
	y.rank = 1;
	x.dims[0] = count;
	y.dims[0] = count;
	x.num_elems = count;
	y.num_elems = count;
	all.inputs = inputs;
	all.output = &y;
	return fold(&all);
}

int loom_fold_by_table(const struct loom_node *node, loom_folder *fold)
{
	const struct loom_value *x = node->inputs[0];
	const size_t bytes = loom_dtype_size(x->dtype);
	const int64_t count = bytes == 1 ? 1 << 8 : 1 << 16;
	char *table;
	int err;

	if ((node->op != LOOM_GOP_UNARY && node->op != LOOM_GOP_BINARY &&
	     node->op != LOOM_GOP_CAST) ||
	    bytes > 2 || x->num_elems / 4 < count || x->num_elems != node->output->num_elems ||
	    (node->num_inputs > 1 && node->inputs[1]->num_elems != 1))
		return -EAGAIN;
	table = malloc((size_t)count * (bytes + loom_dtype_size(node->output->dtype)));
	if (!table)
		return -EAGAIN;
	err = fold_all(node, fold, (uint8_t *)table, table + (size_t)count * bytes, count);
	if (!err)
		look_up_all(x, table + (size_t)count * bytes, node->output);
	free(table);
	return err ? -EAGAIN : 0;
}
