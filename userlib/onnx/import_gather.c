// SPDX-License-Identifier: MIT
/* Importers of operators that read or write at indices. */
#include "import.h"
#include "pick.h"
#include "update.h"

#include <errno.h>
#include <string.h>

/* The index types of the standard; bytes could not count the rows. */
bool loom_import_is_index(uint32_t dtype)
{
	return dtype == DRM_LOOM_DTYPE_I32 || dtype == DRM_LOOM_DTYPE_I64;
}

/* the product of dimensions from @first to before @end */
static int64_t dims_product(const struct loom_value *x, uint32_t first, uint32_t end)
{
	int64_t product = 1;
	uint32_t i;

	for (i = first; i < end; i++)
		product *= x->dims[i];
	return product;
}

static struct loom_value *in_three(struct loom_import *im, struct loom_value *x, uint32_t axis)
{
	if (!x)
		return NULL;
	return loom_emit_reshape(im->em, x, 3, (int64_t[]){
		dims_product(x, 0, axis), x->dims[axis], dims_product(x, axis + 1, x->rank) });
}

static struct loom_value *pick_along(struct loom_import *im, struct loom_value *x, uint32_t axis,
				     struct loom_value *indices)
{
	indices = loom_emit_reshape(im->em, indices, 3, (int64_t[]){ 1, indices->num_elems, 1 });
	return loom_emit_gather(im->em, in_three(im, x, axis), indices, 1);
}

/* known indices as a list, counted from the front; NULL after an error */
static int64_t *index_list(struct loom_import *im, const struct loom_value *indices, int64_t size)
{
	int64_t *flat, at;

	flat = loom_pool_array(im->graph->pool, (size_t)indices->num_elems, sizeof(*flat));
	for (at = 0; flat && at < indices->num_elems; at++) {
		int64_t index = loom_value_int(indices, at);

		flat[at] = index < 0 ? index + size : index;
		if (flat[at] < 0 || flat[at] >= size) {
			loom_import_fail(im, -EINVAL, "index %lld is out of range",
					 (long long)index);
			return NULL;
		}
	}
	return flat;
}

/*
 * With known indices, a Gather is a concatenation of slices, most often of one. Indices from the
 * data that are out of range give zeroes.
 */
struct loom_value *loom_import_rows(struct loom_import *im, struct loom_value *x, uint32_t axis,
				    struct loom_value *indices)
{
	int64_t dims[2 * LOOM_GRAPH_RANK], *flat;
	uint32_t i, rank = 0;
	struct loom_value *y;

	if (!x || !indices || im->em->status)
		return NULL;
	if (!x->rank)
		loom_import_fail(im, -EINVAL, "a scalar has no elements to choose from");
	if (x->rank + indices->rank > LOOM_GRAPH_RANK + 1)
		loom_import_fail(im, -EOPNOTSUPP, "a result of rank %u is not supported",
				 x->rank + indices->rank - 1);
	if (im->em->status)
		return NULL;
	if (!indices->data && loom_import_is_index(indices->dtype) && x->num_elems &&
	    indices->num_elems) {
		y = pick_along(im, x, axis, indices);
	} else {
		indices = loom_import_know(im, indices);
		if (indices && !loom_dtype_is_int(indices->dtype))
			loom_import_fail(im, -EINVAL, "indices of type %s",
					 loom_dtype_name(indices->dtype));
		if (im->em->status)
			return NULL;
		flat = index_list(im, indices, x->dims[axis]);
		y = flat ? loom_pick_rows(im, x, axis, flat, indices->num_elems) : NULL;
	}
	for (i = 0; i < axis; i++)
		dims[rank++] = x->dims[i];
	for (i = 0; i < indices->rank; i++)
		dims[rank++] = indices->dims[i];
	for (i = axis + 1; i < x->rank; i++)
		dims[rank++] = x->dims[i];
	return loom_emit_reshape(im->em, y, rank, dims);
}

void loom_import_gather(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	uint32_t axis = 0;

	(void)unused;
	if (x && x->rank)
		axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), x->rank);
	loom_import_result(im, 0, loom_import_rows(im, x, axis, loom_import_operand(im, 1)));
}

/*
 * Requirement of GatherElements and ScatterElements: all dims except @axis are at most those of @x.
 */
static bool elements_fit(struct loom_import *im, const struct loom_value *x, uint32_t axis,
			 const struct loom_value *indices)
{
	uint32_t i;

	if (im->em->status)
		return false;
	if (!x->num_elems) {
		loom_import_fail(im, -EINVAL, "there is no element to choose");
		return false;
	}
	if (indices->rank != x->rank || !loom_import_is_index(indices->dtype)) {
		loom_import_fail(im, -EINVAL, "indices of rank %u and type %s for rank %u",
				 indices->rank, loom_dtype_name(indices->dtype), x->rank);
		return false;
	}
	for (i = 0; i < x->rank; i++)
		if (i != axis && indices->dims[i] > x->dims[i]) {
			loom_import_fail(im, -EINVAL, "more indices than elements along axis %u",
					 i);
			return false;
		}
	return true;
}

void loom_import_gather_elements(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *indices = loom_import_operand(im, 1);
	struct loom_value *y;
	uint32_t axis, i;

	(void)unused;
	if (!x || !indices)
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), x->rank);
	if (!elements_fit(im, x, axis, indices))
		return;
	if (!indices->num_elems) {
		loom_import_result(im, 0, loom_emit_const(im->em, x->dtype, indices->rank,
							  indices->dims));
		return;
	}
	for (i = 0; i < indices->rank; i++)
		if (i != axis)
			x = loom_import_part(im, x, i, 0, 1, indices->dims[i]);
	y = loom_emit_gather(im->em, in_three(im, x, axis), in_three(im, indices, axis), 1);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, indices->rank, indices->dims));
}

/* A tuple out of range would have the number of another row: it gets none. */
static struct loom_value *only_within(struct loom_import *im, const struct loom_value *x,
				      struct loom_value *sum, struct loom_value *const *parts,
				      uint32_t batch_dims, uint32_t depth)
{
	struct loom_value *none = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, INT32_MAX);
	struct loom_value *zero = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, 0), *size;
	uint32_t k;

	for (k = 0; k < depth && !im->em->status; k++) {
		size = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32,
					(double)x->dims[batch_dims + k]);
		sum = loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS, parts[k],
								zero), none, sum);
		sum = loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS, parts[k],
								size), sum, none);
	}
	return sum;
}

/*
 * Converts tuples of indices into the first axes to numbers of rows, in a list: I32, known if the
 * tuples are. Tuple t is in batch t / @per_batch.
 */
static struct loom_value *flat_tuples(struct loom_import *im, const struct loom_value *x,
				      struct loom_value *tuples, uint32_t batch_dims,
				      uint32_t depth)
{
	int64_t count = depth ? tuples->num_elems / depth : 0, stride = 1, t, per_batch, batches;
	struct loom_value *sum = NULL, *parts[LOOM_GRAPH_RANK], *part, *batch;
	uint32_t k;

	batches = dims_product(x, 0, batch_dims);
	per_batch = batches ? count / batches : 0;
	tuples = loom_emit_reshape(im->em, tuples, 2, (int64_t[]){ count, depth });
	for (k = depth; k-- > 0;) {
		int64_t size = x->dims[batch_dims + k];

		part = loom_import_part(im, tuples, 1, k, 1, 1);
		part = loom_emit_reshape(im->em, part, 1, &count);
		part = loom_pick_index(im, part, size);
		parts[k] = part;
		if (stride != 1)
			part = loom_emit_binary(im->em, LOOM_GBIN_MUL, part,
						loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32,
								 (double)stride));
		sum = sum ? loom_emit_binary(im->em, LOOM_GBIN_ADD, sum, part) : part;
		stride *= size;
	}
	if (batches <= 1)
		return only_within(im, x, sum, parts, batch_dims, depth);
	batch = loom_emit_const(im->em, DRM_LOOM_DTYPE_I32, 1, &count);
	for (t = 0; batch && t < count; t++)
		loom_value_set_int(batch, t, t / per_batch * stride);
	sum = loom_emit_binary(im->em, LOOM_GBIN_ADD, sum, batch);
	return only_within(im, x, sum, parts, batch_dims, depth);
}

void loom_import_gather_nd(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *indices = loom_import_operand(im, 1);
	int64_t batch_dims = loom_attr_int(im, "batch_dims", 0), dims[2 * LOOM_GRAPH_RANK];
	int64_t depth, rows, *flat;
	struct loom_value *at, *y;
	uint32_t i, rank = 0;

	(void)unused;
	if (!x || !indices)
		return;
	depth = indices->rank ? indices->dims[indices->rank - 1] : 0;
	if (!x->num_elems || !indices->num_elems || batch_dims < 0 || depth < 1 ||
	    batch_dims >= indices->rank || depth > (int64_t)x->rank - batch_dims ||
	    !loom_import_is_index(indices->dtype) ||
	    memcmp(x->dims, indices->dims, (size_t)batch_dims * sizeof(*dims))) {
		loom_import_fail(im, -EINVAL, "its operands do not fit together");
		return;
	}
	for (i = 0; i + 1 < indices->rank; i++)
		dims[rank++] = indices->dims[i];
	for (i = (uint32_t)(batch_dims + depth); i < x->rank; i++)
		dims[rank++] = x->dims[i];
	rows = dims_product(x, 0, (uint32_t)(batch_dims + depth));
	if (rank > LOOM_GRAPH_RANK || rows >= 1 << 30) {
		loom_import_fail(im, -EOPNOTSUPP, "a result of rank %u is not supported", rank);
		return;
	}
	at = flat_tuples(im, x, indices, (uint32_t)batch_dims, (uint32_t)depth);
	x = loom_emit_reshape(im->em, x, 2, (int64_t[]){
		rows, dims_product(x, (uint32_t)(batch_dims + depth), x->rank) });
	if (im->em->status)
		return;
	if (at->data) {
		flat = index_list(im, at, rows);
		y = flat ? loom_pick_rows(im, x, 0, flat, at->num_elems) : NULL;
	} else {
		y = pick_along(im, x, 0, at);
	}
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, rank, dims));
}

static bool scatter_shapes_fit(const struct loom_value *data, const struct loom_value *indices,
			       const struct loom_value *updates, uint32_t depth)
{
	uint32_t i;

	if (depth > data->rank || updates->dtype != data->dtype ||
	    !loom_dtype_is_int(indices->dtype) ||
	    updates->rank != indices->rank - 1 + data->rank - depth)
		return false;
	for (i = 0; i < updates->rank; i++) {
		int64_t wanted = i + 1 < indices->rank ? indices->dims[i] :
				 data->dims[depth + i - (indices->rank - 1)];

		if (updates->dims[i] != wanted)
			return false;
	}
	return true;
}

static enum loom_pick_reduction scatter_reduction(struct loom_import *im)
{
	static const char *const names[] = { "none", "add", "mul", "max", "min", NULL };

	return (enum loom_pick_reduction)loom_attr_choice(im, "reduction", names);
}

/* limit on rows that are listed one by one */
#define MOST_ROWS	(1 << 20)

/* Replaces the rows of @x at @at by rows of @updates; of duplicates the last counts. */
static struct loom_value *replace_rows(struct loom_import *im, struct loom_value *x,
				       struct loom_value *updates, const struct loom_value *at)
{
	int64_t rows = x->dims[0], i, *from, *to = index_list(im, at, rows);
	struct loom_value *both;

	from = loom_pool_array(im->graph->pool, (size_t)rows, sizeof(*from));
	if (!from || !to)
		return NULL;
	for (i = 0; i < rows; i++)
		from[i] = i;
	for (i = 0; i < at->num_elems; i++)
		from[to[i]] = rows + i;
	both = loom_emit_concat(im->em, 2, (struct loom_value *[]){ x, updates }, 0);
	return loom_pick_rows(im, both, 0, from, rows);
}

void loom_import_scatter_nd(struct loom_import *im, int unused)
{
	struct loom_value *data = loom_import_operand(im, 0), *x, *y, *at, *places;
	struct loom_value *indices = loom_import_operand(im, 1);
	struct loom_value *updates = loom_import_operand(im, 2);
	enum loom_pick_reduction how = scatter_reduction(im);
	int64_t rows, inner, count;
	uint32_t depth;

	(void)unused;
	if (!data || !indices || !updates || im->em->status)
		return;
	depth = indices->rank && indices->dims[indices->rank - 1] <= LOOM_GRAPH_RANK ?
		(uint32_t)indices->dims[indices->rank - 1] : 0;
	if (!depth || !scatter_shapes_fit(data, indices, updates, depth)) {
		loom_import_fail(im, -EINVAL, "its operands do not fit together");
		return;
	}
	rows = dims_product(data, 0, depth);
	inner = dims_product(data, depth, data->rank);
	count = indices->num_elems / depth;
	if (!count || !data->num_elems) {
		loom_import_result(im, 0, data);
		return;
	}
	y = how == LOOM_PICK_LAST ? loom_update_tuples(im, depth) : NULL;
	if (y) {
		loom_import_result(im, 0, y);
		return;
	}
	if (rows >= 1 << 30) {
		loom_import_fail(im, -EOPNOTSUPP, "%lld rows are not supported", (long long)rows);
		return;
	}
	at = flat_tuples(im, data, indices, 0, depth);
	places = at;
	x = loom_emit_reshape(im->em, data, 2, (int64_t[]){ rows, inner });
	updates = loom_emit_reshape(im->em, updates, 2, (int64_t[]){ count, inner });
	if (im->em->status)
		return;
	if (at->data && how == LOOM_PICK_LAST && rows <= MOST_ROWS) {
		y = replace_rows(im, x, updates, at);
	} else {
		at = loom_emit_reshape(im->em, at, 3, (int64_t[]){ 1, count, 1 });
		x = loom_emit_reshape(im->em, x, 3, (int64_t[]){ 1, rows, inner });
		updates = loom_emit_reshape(im->em, updates, 3, (int64_t[]){ 1, count, inner });
		y = loom_pick_scatter(im, x, at, updates, how);
	}
	y = loom_emit_reshape(im->em, y, data->rank, data->dims);
	if (how == LOOM_PICK_LAST && depth == 1)
		loom_update_rows(im, places, y);
	loom_import_result(im, 0, y);
}

/*
 * Pads @x to the dimensions of @like except along @axis; -1 is no index, so the padding is dropped.
 */
static struct loom_value *grow(struct loom_import *im, struct loom_value *x,
			       const struct loom_value *like, uint32_t axis, bool indices)
{
	struct loom_gpad pad = { .mode = LOOM_GPAD_CONSTANT, .value = indices ? UINT32_MAX : 0 };
	uint32_t i;

	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		pad.end[i] = i == axis ? 0 : like->dims[i] - x->dims[i];
	return loom_emit_pad(im->em, x, &pad);
}

void loom_import_scatter_elements(struct loom_import *im, int unused)
{
	struct loom_value *data = loom_import_operand(im, 0), *y, *at;
	struct loom_value *indices = loom_import_operand(im, 1);
	struct loom_value *updates = loom_import_operand(im, 2);
	enum loom_pick_reduction how = scatter_reduction(im);
	uint32_t axis;

	(void)unused;
	if (!data || !indices || !updates)
		return;
	axis = loom_import_axis(im, loom_attr_int(im, "axis", 0), data->rank);
	if (!elements_fit(im, data, axis, indices))
		return;
	if (updates->dtype != data->dtype || !loom_dims_equal(updates, indices)) {
		loom_import_fail(im, -EINVAL, "its updates do not fit its data and indices");
		return;
	}
	if (!updates->num_elems) {
		loom_import_result(im, 0, data);
		return;
	}
	y = how == LOOM_PICK_LAST ? loom_update_elements(im, axis) : NULL;
	if (y) {
		loom_import_result(im, 0, y);
		return;
	}
	at = loom_pick_index(im, indices, data->dims[axis]);
	at = grow(im, at, data, axis, true);
	updates = grow(im, updates, data, axis, false);
	y = loom_pick_scatter(im, in_three(im, data, axis), in_three(im, at, axis),
			      in_three(im, updates, axis), how);
	loom_import_result(im, 0, loom_emit_reshape(im->em, y, data->rank, data->dims));
}
