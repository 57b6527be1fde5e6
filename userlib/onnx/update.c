// SPDX-License-Identifier: MIT
/* Rows of a cache that are replaced, as exporters spell that. */
#include "update.h"
#include "pick.h"

static bool wanted(const struct loom_import *im, const struct loom_value *y)
{
	return y && !im->em->status && im->options->num_states;
}

void loom_update_note(struct loom_import *im, const struct loom_graph_update *update)
{
	if (wanted(im, update->value) && update->places)
		(void)loom_graph_note_update(im->graph, update);
}

/* Whether @x is known, and element i is i / @inner modulo @count. */
static bool is_index(const struct loom_value *x, int64_t inner, int64_t count)
{
	int64_t i;

	if (!x->data)
		return false;
	for (i = 0; i < x->num_elems; i++)
		if (loom_value_int(x, i) != i / inner % count)
			return false;
	return true;
}

/* Whether @x is 0, 1, 2, ... */
static bool counts(const struct loom_value *x)
{
	return loom_dtype_is_int(x->dtype) && x->num_elems >= 2 && is_index(x, 1, x->num_elems);
}

void loom_update_where(struct loom_import *im, struct loom_value *hit, struct loom_value *row,
		       struct loom_value *past, struct loom_value *y)
{
	struct loom_value *a, *b, *equal = hit;
	uint32_t axis;

	if (!wanted(im, y) || !loom_dims_equal(y, past) || hit->rank > past->rank)
		return;
	while (equal->producer && equal->producer->op == LOOM_GOP_RESHAPE)
		equal = equal->producer->inputs[0];
	if (!equal->producer || equal->producer->op != LOOM_GOP_BINARY ||
	    equal->producer->binary.fn != LOOM_GBIN_EQUAL)
		return;
	a = equal->producer->inputs[0];
	b = equal->producer->inputs[1];
	if (b->num_elems != 1 || !counts(a)) {
		struct loom_value *other = a;

		a = b;
		b = other;
	}
	for (axis = 0; axis < hit->rank && hit->dims[axis] == 1; axis++)
		;
	if (b->num_elems != 1 || !counts(a) || hit->num_elems != a->num_elems ||
	    axis == hit->rank || hit->dims[axis] != a->num_elems)
		return;
	loom_update_note(im, &(struct loom_graph_update){
		.value = y, .base = past, .rows = row, .places = b,
		.axis = past->rank - hit->rank + axis });
}

/* The one element that all of @x are, or NULL. */
static struct loom_value *one_element(struct loom_value *x)
{
	while (x->num_elems != 1 && x->producer &&
	       (x->producer->op == LOOM_GOP_RESHAPE || x->producer->op == LOOM_GOP_EXPAND ||
		x->producer->op == LOOM_GOP_TRANSPOSE || x->producer->op == LOOM_GOP_SLICE))
		x = x->producer->inputs[0];
	return x->num_elems == 1 ? x : NULL;
}

/*
 * Replaces one row of the first operand along @axis by the third, which must be one; NULL if it is
 * not, and after an error.
 */
static struct loom_value *replace_row(struct loom_import *im, uint32_t axis,
				      struct loom_value *index)
{
	struct loom_value *base = loom_import_operand(im, 0), *row = loom_import_operand(im, 2);
	const int64_t one = 1;
	struct loom_value *place, *y;
	uint32_t i;

	for (i = 0; i < base->rank; i++)
		if (row->dims[i] != (i == axis ? 1 : base->dims[i]))
			return NULL;
	place = loom_emit_reshape(im->em, loom_pick_index(im, index, base->dims[axis]), 1, &one);
	y = loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_EQUAL, place,
						      loom_pick_numbers(im, base->rank, axis,
									base->dims[axis])),
			     row, base);
	loom_update_note(im, &(struct loom_graph_update){
		.value = y, .base = base, .rows = row, .places = place, .axis = axis });
	return y;
}

struct loom_value *loom_update_elements(struct loom_import *im, uint32_t axis)
{
	struct loom_value *index = one_element(loom_import_operand(im, 1));

	return index ? replace_row(im, axis, index) : NULL;
}

/* Whether a list of tuples' indices into axis @axis is where they are in the tensor of tuples. */
static bool is_grid(const struct loom_value *x, const struct loom_value *tuples, uint32_t axis)
{
	int64_t inner = 1;
	uint32_t k;

	for (k = axis + 1; k + 1 < tuples->rank; k++)
		inner *= tuples->dims[k];
	return x->num_elems * (tuples->rank - 1) == tuples->num_elems &&
	       is_index(x, inner, tuples->dims[axis]);
}

struct loom_value *loom_update_tuples(struct loom_import *im, uint32_t depth)
{
	struct loom_value *tuples = loom_import_operand(im, 1), *index = NULL;
	const struct loom_node *node = tuples->producer;
	uint32_t i, axis = 0;

	/* each tuple is put together from an index for each axis, and one of those is the place */
	if (!node || node->op != LOOM_GOP_CONCAT || node->concat.axis + 1 != tuples->rank ||
	    node->num_inputs != depth || tuples->rank != depth + 1 ||
	    loom_import_operand(im, 2)->rank != loom_import_operand(im, 0)->rank)
		return NULL;
	for (i = 0; i < depth; i++) {
		if (is_grid(node->inputs[i], tuples, i))
			continue;
		if (index)
			return NULL;
		axis = i;
		index = one_element(node->inputs[i]);
		if (!index)
			return NULL;
	}
	return index ? replace_row(im, axis, index) : NULL;
}

void loom_update_rows(struct loom_import *im, struct loom_value *places, struct loom_value *y)
{
	struct loom_value *base = loom_import_operand(im, 0), *rows = loom_import_operand(im, 2);
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i;

	if (!wanted(im, y))
		return;
	for (i = 0; i < base->rank; i++)
		dims[i] = i ? base->dims[i] : places->num_elems;
	loom_update_note(im, &(struct loom_graph_update){
		.value = y, .base = base, .axis = 0, .places = places,
		.rows = loom_emit_reshape(im->em, rows, base->rank, dims) });
}
