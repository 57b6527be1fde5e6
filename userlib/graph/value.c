// SPDX-License-Identifier: MIT
#include "value.h"

#include "graph.h"
#include "base/element.h"
#include "base/pool.h"

#include <errno.h>
#include <string.h>

bool loom_dims_equal(const struct loom_value *a, const struct loom_value *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0]));
}

struct loom_value *loom_value_create(struct loom_graph *graph, const char *name, uint32_t dtype,
				     uint32_t rank, const int64_t *dims)
{
	struct loom_value **values, *value;
	int64_t num_elems;

	if (!loom_dtype_size(dtype) || loom_dims_count(rank, dims, &num_elems))
		return NULL;
	values = loom_pool_grow(graph->pool, graph->values, graph->num_values, &graph->cap_values,
				sizeof(struct loom_value *));
	value = loom_pool_alloc(graph->pool, sizeof(*value));
	if (!values || !value)
		return NULL;
	graph->values = values;
	value->name = name;
	value->id = graph->num_values;
	value->dtype = dtype;
	value->rank = rank;
	if (rank)
		memcpy(value->dims, dims, rank * sizeof(dims[0]));
	value->num_elems = num_elems;
	value->size_bytes = (size_t)num_elems * loom_dtype_size(dtype);
	values[graph->num_values++] = value;
	return value;
}

struct loom_value *loom_value_copy(struct loom_graph *graph, const struct loom_value *value)
{
	struct loom_value *own = loom_value_create(graph, value->name, value->dtype, value->rank,
						   value->dims);

	if (!own)
		return NULL;
	own->made_up = value->made_up;
	own->data = value->data;
	own->held = value->held;
	own->scope = value->scope;
	return own;
}

int loom_value_alloc(struct loom_graph *graph, struct loom_value *value)
{
	value->data = loom_pool_alloc(graph->pool, value->size_bytes);
	return value->data ? 0 : -ENOMEM;
}

double loom_value_float(const struct loom_value *value, int64_t index)
{
	return loom_element_float(value->dtype, value->data, index);
}

int64_t loom_value_int(const struct loom_value *value, int64_t index)
{
	return loom_element_int(value->dtype, value->data, index);
}

void loom_value_set_float(struct loom_value *value, int64_t index, double element)
{
	loom_element_set_float(value->dtype, value->data, index, element);
}

void loom_value_set_int(struct loom_value *value, int64_t index, int64_t element)
{
	loom_element_set_int(value->dtype, value->data, index, element);
}

int64_t loom_value_trailing(const struct loom_value *value, uint32_t axis)
{
	int64_t product = 1;

	for (; axis < value->rank; axis++)
		product *= value->dims[axis];
	return product;
}

void loom_value_strides(const struct loom_value *value, int64_t *strides)
{
	int64_t stride = 1;
	uint32_t i;

	for (i = value->rank; i-- > 0;) {
		strides[i] = stride;
		stride *= value->dims[i];
	}
}

static void fill_from(struct loom_value *y, const struct loom_blocks *from)
{
	const int64_t inner = loom_value_trailing(y, from->axis + 1), size = y->dims[from->axis];
	int64_t at, of;
	double steps;

	for (at = 0; at < y->num_elems; at++) {
		of = at / inner / size * from->scale->dims[from->axis] +
		     at / inner % size / from->block;
		of = of * inner + at % inner;
		if (loom_dtype_is_float(from->x->dtype))
			steps = loom_value_float(from->x, at);
		else
			steps = (double)(loom_value_int(from->x, at) -
					 (from->zero ? loom_value_int(from->zero, of) :
						       from->middle));
		loom_value_set_float(y, at, (float)(steps * loom_value_float(from->scale, of)));
	}
}

int loom_value_expand(struct loom_graph *graph, struct loom_value *value)
{
	if (!value || !value->blocks || value->data)
		return 0;
	if (loom_value_alloc(graph, value))
		return -ENOMEM;
	fill_from(value, value->blocks);
	return 0;
}
