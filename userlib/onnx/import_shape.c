// SPDX-License-Identifier: MIT
/* Importers of operators that change only the shape, and of those that compute shapes. */
#include "import.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void loom_import_reshape(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t dims[LOOM_GRAPH_RANK], known = 1;
	bool allow_zero = loom_attr_int(im, "allowzero", 0);
	uint32_t i, count;
	int open = -1;

	(void)unused;
	if (!x)
		return;
	if (im->opset < 5)
		count = loom_attr_ints(im, "shape", dims, LOOM_GRAPH_RANK);
	else
		count = loom_import_ints(im, 1, dims, LOOM_GRAPH_RANK);
	for (i = 0; i < count && !im->em->status; i++) {
		if (!dims[i] && !allow_zero) {
			if (i >= x->rank)
				loom_import_fail(im, -EINVAL, "there is no axis %u to copy", i);
			else
				dims[i] = x->dims[i];
		}
		if (dims[i] == -1 && open < 0)
			open = (int)i;
		else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known))
			loom_import_fail(im, -EINVAL, "dimension %lld is out of range",
					 (long long)dims[i]);
	}
	if (open >= 0 && !im->em->status)
		dims[open] = known ? x->num_elems / known : 0;
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, count, dims));
}

void loom_import_flatten(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t axis = loom_attr_int(im, "axis", 1), inner, outer = 1;
	int64_t i;

	(void)unused;
	if (!x)
		return;
	/* this is the only operator whose axis may be equal to the rank */
	if (axis != x->rank)
		axis = loom_import_axis(im, axis, x->rank);
	inner = loom_value_trailing(x, (uint32_t)axis);
	for (i = 0; i < axis; i++)
		outer *= x->dims[i];
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, 2, (int64_t[]){ outer, inner }));
}

/* axes are an attribute before opset 13, an operand since */
static uint32_t squeeze_axes(struct loom_import *im, int64_t *axes)
{
	if (im->opset < 13)
		return loom_attr_ints(im, "axes", axes, LOOM_GRAPH_RANK);
	return loom_import_has(im, 1) ? loom_import_ints(im, 1, axes, LOOM_GRAPH_RANK) : 0;
}

void loom_import_squeeze(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t axes[LOOM_GRAPH_RANK], dims[LOOM_GRAPH_RANK];
	uint32_t i, count, mask, rank = 0;

	(void)unused;
	if (!x)
		return;
	count = squeeze_axes(im, axes);
	mask = loom_import_axes(im, axes, count, x->rank);
	for (i = 0; i < x->rank; i++) {
		if (count ? !(mask & (1u << i)) : x->dims[i] != 1)
			dims[rank++] = x->dims[i];
		else if (x->dims[i] != 1)
			loom_import_fail(im, -EINVAL, "axis %u is %lld, not 1", i,
					 (long long)x->dims[i]);
	}
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, rank, dims));
}

void loom_import_unsqueeze(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t axes[LOOM_GRAPH_RANK], dims[LOOM_GRAPH_RANK];
	uint32_t i, from = 0, count, mask;

	(void)unused;
	if (!x)
		return;
	count = squeeze_axes(im, axes);
	if (x->rank + count > LOOM_GRAPH_RANK) {
		loom_import_fail(im, -EOPNOTSUPP, "a result of rank %u is not supported",
				 x->rank + count);
		return;
	}
	mask = loom_import_axes(im, axes, count, x->rank + count);
	if (im->em->status)
		return;
	for (i = 0; i < x->rank + count; i++)
		dims[i] = mask & (1u << i) ? 1 : x->dims[from++];
	loom_import_result(im, 0, loom_emit_reshape(im->em, x, x->rank + count, dims));
}

void loom_import_identity(struct loom_import *im, int unused)
{
	(void)unused;
	loom_import_result(im, 0, loom_import_operand(im, 0));
}

/* At inference nothing is dropped: the mask is all ones. */
void loom_import_dropout(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *mask;

	(void)unused;
	/* where nothing is dropped, training is the same */
	if (im->opset >= 12 && loom_import_scalar(im, 2, 0) != 0 &&
	    loom_import_scalar(im, 1, 0.5) != 0)
		loom_import_fail(im, -EOPNOTSUPP, "training_mode is not supported");
	loom_import_result(im, 0, x);
	if (!x || !loom_import_wants(im, 1))
		return;
	mask = loom_emit_scalar(im->em, im->opset < 10 ? x->dtype : DRM_LOOM_DTYPE_BOOL, 1);
	loom_import_result(im, 1, loom_emit_expand(im->em, mask, x->rank, x->dims));
}

/* a constant that shares the attribute's elements */
static struct loom_value *attr_tensor(struct loom_import *im, const struct loom_attr *attr)
{
	const struct loom_array *tensor = attr->tensor;
	struct loom_value *value;

	value = loom_value_create(im->graph, NULL, tensor->dtype, tensor->rank, tensor->dims);
	if (!value) {
		loom_import_fail(im, -EINVAL, "its tensor is too large");
		return NULL;
	}
	value->data = tensor->data;
	return value;
}

/* a constant of the attribute's @elems: a vector where the attribute is a list, else a scalar */
static struct loom_value *attr_elems(struct loom_import *im, const struct loom_attr *attr,
				     uint32_t dtype, bool is_list, const void *elems)
{
	struct loom_value *value = loom_emit_const(im->em, dtype, is_list,
						   (int64_t[]){ (int64_t)attr->count });

	if (value && attr->count)
		memcpy(value->data, elems, attr->count * loom_dtype_size(dtype));
	return value;
}

void loom_import_constant(struct loom_import *im, int unused)
{
	const struct loom_attr *attr = im->node->desc.num_attrs ? im->node->desc.attrs : NULL;
	struct loom_value *value = NULL;

	(void)unused;
	if (!attr) {
		loom_import_fail(im, -EINVAL, "it has no value");
		return;
	}
	switch (attr->type) {
	case LOOM_ATTR_TENSOR:
		value = attr_tensor(im, attr);
		break;
	case LOOM_ATTR_FLOAT:
	case LOOM_ATTR_FLOATS:
		value = attr_elems(im, attr, DRM_LOOM_DTYPE_F32, attr->type == LOOM_ATTR_FLOATS,
				   attr->floats);
		break;
	case LOOM_ATTR_INT:
	case LOOM_ATTR_INTS:
		value = attr_elems(im, attr, DRM_LOOM_DTYPE_I64, attr->type == LOOM_ATTR_INTS,
				   attr->ints);
		break;
	case LOOM_ATTR_STRING:
	case LOOM_ATTR_STRINGS:
	case LOOM_ATTR_OTHER:
		loom_import_fail(im, -EOPNOTSUPP, "attribute %s is not supported", attr->name);
	}
	loom_import_result(im, 0, value);
}

void loom_import_constant_of_shape(struct loom_import *im, int unused)
{
	const struct loom_attr *attr = loom_attr_find(im, "value");
	struct loom_value *value;
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t rank = loom_import_ints(im, 0, dims, LOOM_GRAPH_RANK);

	(void)unused;
	if (im->em->status)
		return;
	if (attr && (attr->type != LOOM_ATTR_TENSOR ||
		     attr->tensor->size_bytes != loom_dtype_size(attr->tensor->dtype))) {
		loom_import_fail(im, -EINVAL, "its value is no tensor of one element");
		return;
	}
	value = attr ? attr_tensor(im, attr) : loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 0);
	value = loom_emit_reshape(im->em, value, 0, NULL);
	loom_import_result(im, 0, loom_emit_expand(im->em, value, rank, dims));
}

void loom_import_shape(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);
	int64_t start = loom_attr_int(im, "start", 0), end, rank;

	(void)unused;
	if (!x)
		return;
	rank = x->rank;
	end = loom_attr_int(im, "end", rank);
	start = loom_import_clamp(start < 0 ? start + rank : start, 0, rank);
	end = loom_import_clamp(end < 0 ? end + rank : end, start, rank);
	loom_import_result(im, 0, loom_emit_ints(im->em, (uint32_t)(end - start), x->dims + start));
}

void loom_import_size(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *size;

	(void)unused;
	if (!x)
		return;
	size = loom_emit_ints(im->em, 1, &x->num_elems);
	loom_import_result(im, 0, loom_emit_reshape(im->em, size, 0, NULL));
}

#define RANGE_MAX	((int64_t)1 << 20)

static int64_t range_count(const struct loom_value *start, const struct loom_value *limit,
			   const struct loom_value *delta)
{
	double steps;

	if (loom_dtype_is_float(start->dtype))
		steps = ceil((loom_value_float(limit, 0) - loom_value_float(start, 0)) /
			     loom_value_float(delta, 0));
	else
		steps = ceil(((double)loom_value_int(limit, 0) - (double)loom_value_int(start, 0)) /
			     (double)loom_value_int(delta, 0));
	if (isnan(steps) || steps > (double)RANGE_MAX)
		return -1;
	return steps > 0 ? (int64_t)steps : 0;
}

void loom_import_range(struct loom_import *im, int unused)
{
	struct loom_value *start = loom_import_known(im, 0), *limit = loom_import_known(im, 1);
	struct loom_value *delta = loom_import_known(im, 2), *y;
	int64_t i, count;

	(void)unused;
	if (!start || !limit || !delta)
		return;
	if (start->num_elems != 1 || limit->num_elems != 1 || delta->num_elems != 1 ||
	    start->dtype != limit->dtype || start->dtype != delta->dtype ||
	    start->dtype == DRM_LOOM_DTYPE_BOOL) {
		loom_import_fail(im, -EINVAL, "its operands are not three numbers of one type");
		return;
	}
	count = range_count(start, limit, delta);
	if (count < 0) {
		loom_import_fail(im, -EINVAL, "the range is too long");
		return;
	}
	y = loom_emit_const(im->em, start->dtype, 1, &count);
	for (i = 0; y && i < count; i++) {
		if (loom_dtype_is_float(y->dtype))
			loom_value_set_float(y, i, loom_value_float(start, 0) +
					     (double)i * loom_value_float(delta, 0));
		else
			loom_value_set_int(y, i, (int64_t)((uint64_t)loom_value_int(start, 0) +
							   (uint64_t)i *
							   (uint64_t)loom_value_int(delta, 0)));
	}
	loom_import_result(im, 0, y);
}
