// SPDX-License-Identifier: MIT
/* Folding of movement: every operator here is one strided copy or a few, see fold.h. */
#include "fold.h"

#include "walk.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/**
 * struct move - a copy between two strided views of one shape
 * @rank: of the shape
 * @dims: the shape
 * @to: elements of the destination, at the view's first one
 * @to_strides: in elements
 * @from: elements of the source, at the view's first one
 * @from_strides: in elements, 0 repeats, negative runs backwards
 * @elem_bytes: size of an element
 */
struct move {
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	char *to;
	int64_t to_strides[LOOM_GRAPH_RANK];
	const char *from;
	int64_t from_strides[LOOM_GRAPH_RANK];
	size_t elem_bytes;
};

static void move_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t count,
		     size_t bytes)
{
	if (to_step == 1 && from_step == 1) {
		memcpy(to, from, (size_t)count * bytes);
		return;
	}
	for (; count--; to += to_step * (int64_t)bytes, from += from_step * (int64_t)bytes)
		memcpy(to, from, bytes);
}

static void move_run(const struct move *move)
{
	struct loom_walk to = { .rank = move->rank }, from = { .rank = move->rank };
	int64_t bytes = (int64_t)move->elem_bytes;
	int64_t i, row, count = 1;

	for (i = 0; i < move->rank; i++)
		count *= move->dims[i];
	memcpy(to.dims, move->dims, sizeof(to.dims));
	memcpy(from.dims, move->dims, sizeof(from.dims));
	memcpy(to.strides, move->to_strides, sizeof(to.strides));
	memcpy(from.strides, move->from_strides, sizeof(from.strides));
	loom_walk_join(&to);
	loom_walk_join(&from);
	for (i = 0; i < count; i += row) {
		row = min(loom_walk_run(&to), loom_walk_run(&from));
		move_row(move->to + to.offset * bytes, to.strides[to.rank - 1],
			 move->from + from.offset * bytes, from.strides[from.rank - 1], row,
			 move->elem_bytes);
		loom_walk_skip(&to, row);
		loom_walk_skip(&from, row);
	}
}

/* the whole result, out of @node's first operand, read with strides yet to be set */
static struct move move_begin(const struct loom_node *node)
{
	struct move move = {
		.rank = node->output->rank,
		.to = node->output->data,
		.from = node->inputs[0]->data,
		.elem_bytes = loom_dtype_size(node->output->dtype),
	};

	memcpy(move.dims, node->output->dims, sizeof(move.dims));
	loom_value_strides(node->output, move.to_strides);
	return move;
}

int loom_fold_transpose(const struct loom_node *node)
{
	struct move move = move_begin(node);
	int64_t strides[LOOM_GRAPH_RANK];
	uint32_t i;

	loom_value_strides(node->inputs[0], strides);
	for (i = 0; i < move.rank; i++)
		move.from_strides[i] = strides[node->transpose.perm[i]];
	move_run(&move);
	return 0;
}

int loom_fold_slice(const struct loom_node *node)
{
	struct move move = move_begin(node);
	int64_t strides[LOOM_GRAPH_RANK], offset = 0;
	uint32_t i;

	if (!node->output->num_elems)
		return 0;
	loom_value_strides(node->inputs[0], strides);
	for (i = 0; i < move.rank; i++) {
		offset += node->slice.start[i] * strides[i];
		move.from_strides[i] = strides[i] * node->slice.step[i];
	}
	move.from += offset * (int64_t)move.elem_bytes;
	move_run(&move);
	return 0;
}

int loom_fold_concat(const struct loom_node *node)
{
	struct move move = move_begin(node);
	uint32_t i, axis = node->concat.axis;

	for (i = 0; i < node->num_inputs; i++) {
		const struct loom_value *x = node->inputs[i];

		move.from = x->data;
		memcpy(move.dims, x->dims, sizeof(move.dims));
		loom_value_strides(x, move.from_strides);
		move_run(&move);
		move.to += x->dims[axis] * move.to_strides[axis] * (int64_t)move.elem_bytes;
	}
	return 0;
}

int loom_fold_pad(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	struct loom_value *y = node->output;
	struct move move = move_begin(node);
	int64_t i, offset = 0;

	if (node->pad.mode != LOOM_GPAD_CONSTANT)
		return -EAGAIN;
	for (i = 0; i < y->num_elems; i++)
		memcpy(move.to + (size_t)i * move.elem_bytes, &node->pad.value, move.elem_bytes);
	for (i = 0; i < y->rank; i++)
		offset += node->pad.begin[i] * move.to_strides[i];
	if (!x->num_elems)
		return 0;
	move.to += offset * (int64_t)move.elem_bytes;
	memcpy(move.dims, x->dims, sizeof(move.dims));
	loom_value_strides(x, move.from_strides);
	move_run(&move);
	return 0;
}

int loom_fold_expand(const struct loom_node *node)
{
	struct move move = move_begin(node);
	struct loom_walk walk;

	loom_walk_broadcast(&walk, node->output, node->inputs[0]);
	memcpy(move.from_strides, walk.strides, sizeof(move.from_strides));
	move_run(&move);
	return 0;
}

int loom_fold_gather(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0], *index = node->inputs[1];
	const int64_t length = x->dims[node->gather.axis];
	const size_t bytes = loom_dtype_size(x->dtype);
	struct loom_walk at, from = { .rank = x->rank };
	int64_t strides[LOOM_GRAPH_RANK], i, k;

	loom_walk_broadcast(&at, node->output, index);
	memcpy(from.dims, node->output->dims, sizeof(from.dims));
	loom_value_strides(x, strides);
	memcpy(from.strides, strides, sizeof(strides));
	from.strides[node->gather.axis] = 0;
	for (i = 0; i < node->output->num_elems; i++) {
		k = loom_value_int(index, at.offset);
		k = k < 0 ? k + length : k;
		if (k >= 0 && k < length) {
			k = from.offset + k * strides[node->gather.axis];
			memcpy((char *)node->output->data + (size_t)i * bytes,
			       (const char *)x->data + (size_t)k * bytes, bytes);
		}
		loom_walk_next(&at);
		loom_walk_next(&from);
	}
	return 0;
}
