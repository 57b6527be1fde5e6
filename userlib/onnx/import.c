// SPDX-License-Identifier: MIT
#include "import.h"
#include "loom_core.h"

#include <errno.h>
#include <string.h>

/* more are kept for longer, fewer are more nodes */
#define STACK_PARTS	((int64_t)4)

void loom_import_fail(struct loom_import *im, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	loom_emit_vfail(im->em, code, format, args);
	va_end(args);
}

int64_t loom_import_clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* operands and results */

bool loom_import_has(const struct loom_import *im, uint32_t index)
{
	return index < im->node->desc.num_inputs && *im->node->desc.inputs[index];
}

bool loom_import_wants(const struct loom_import *im, uint32_t index)
{
	return index < im->node->desc.num_outputs && *im->node->desc.outputs[index];
}

struct loom_value *loom_import_packed(const struct loom_import *im, uint32_t index)
{
	if (im->em->status || !loom_import_has(im, index))
		return NULL;
	return loom_names_find(&im->graph->source->values, im->node->desc.inputs[index]);
}

struct loom_value *loom_import_filled(struct loom_import *im, struct loom_value *value)
{
	if (!loom_value_expand(im->graph, value))
		return value;
	loom_import_fail(im, -ENOMEM, "out of memory");
	return NULL;
}

struct loom_value *loom_import_optional(struct loom_import *im, uint32_t index)
{
	return loom_import_filled(im, loom_import_packed(im, index));
}

struct loom_value *loom_import_operand(struct loom_import *im, uint32_t index)
{
	struct loom_value *value = loom_import_optional(im, index);

	if (!value)
		loom_import_fail(im, -EINVAL, "operand %u is missing", index);
	return value;
}

struct loom_value *loom_import_know(struct loom_import *im, struct loom_value *value)
{
	if (!value || value->data)
		return value;
	if (value->is_input && loom_source_bind_value(im->graph, im->options, value)) {
		im->em->status = im->graph->status;
		return NULL;
	}
	if (value->data)
		return value;
	if (value->is_input)
		loom_import_fail(im, -ENODATA,
				 "operand \"%s\" has to be known when the model is planned",
				 value->name);
	else
		loom_import_fail(im, -EOPNOTSUPP,
				 "operand \"%s\" depends on the data, only constants can be used here",
				 value->name ? value->name : loom_import_base(im));
	return NULL;
}

struct loom_value *loom_import_known(struct loom_import *im, uint32_t index)
{
	return loom_import_know(im, loom_import_operand(im, index));
}

uint32_t loom_import_ints(struct loom_import *im, uint32_t index, int64_t *ints, uint32_t max)
{
	struct loom_value *value = loom_import_known(im, index);
	uint32_t i;

	if (!value)
		return 0;
	if (value->rank > 1 || !loom_dtype_is_int(value->dtype)) {
		loom_import_fail(im, -EINVAL, "operand %u is no list of integers", index);
		return 0;
	}
	if (value->num_elems > max) {
		loom_import_fail(im, -EINVAL, "operand %u has more than %u elements", index, max);
		return 0;
	}
	for (i = 0; i < value->num_elems; i++)
		ints[i] = loom_value_int(value, i);
	return (uint32_t)value->num_elems;
}

double loom_import_scalar(struct loom_import *im, uint32_t index, double missing)
{
	struct loom_value *value;

	if (im->em->status || !loom_import_has(im, index))
		return missing;
	value = loom_import_known(im, index);
	if (!value)
		return missing;
	if (value->num_elems != 1) {
		loom_import_fail(im, -EINVAL, "operand %u is no scalar", index);
		return missing;
	}
	return loom_value_float(value, 0);
}

int64_t loom_import_count(struct loom_import *im, uint32_t index, int64_t missing)
{
	const double most = (double)((int64_t)1 << 40);
	double number = loom_import_scalar(im, index, (double)missing);

	if (number >= -most && number <= most)
		return (int64_t)number;
	loom_import_fail(im, -EINVAL, "operand %u is out of range", index);
	return missing;
}

bool loom_import_decides(const struct loom_import *im, const char *name, bool *holds)
{
	struct loom_value *value = loom_names_find(&im->graph->source->values, name);

	if (!value || value->num_elems != 1 || !value->data)
		return false;
	*holds = loom_value_int(value, 0) != 0;
	return true;
}

void loom_import_result(struct loom_import *im, uint32_t index, struct loom_value *value)
{
	const char *name;

	if (im->em->status || !loom_import_wants(im, index))
		return;
	if (!value) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return;
	}
	name = im->node->desc.outputs[index];
	/* a value of this node takes the name, an older one gets it as a second name */
	if (!value->name)
		value->name = *im->round ? loom_pool_print(im->graph->pool, "%s%s", name,
							   im->round) : name;
	if (loom_names_set(&im->graph->source->values, name, value))
		loom_import_fail(im, -ENOMEM, "out of memory");
}

const char *loom_import_base(const struct loom_import *im)
{
	const struct loom_node_desc *desc = &im->node->desc;
	uint32_t i;

	for (i = 0; i < desc->num_outputs; i++)
		if (*desc->outputs[i])
			return desc->outputs[i];
	return desc->name;
}

/* attributes */

const struct loom_attr *loom_attr_find(const struct loom_import *im, const char *name)
{
	const struct loom_node_desc *desc = &im->node->desc;
	uint32_t i;

	for (i = 0; i < desc->num_attrs; i++) {
		if (!strcmp(desc->attrs[i].name, name))
			return &desc->attrs[i];
	}
	return NULL;
}

static const struct loom_attr *attr_typed(struct loom_import *im, const char *name,
					  enum loom_attr_type type)
{
	const struct loom_attr *attr = loom_attr_find(im, name);

	if (attr && attr->type != type) {
		loom_import_fail(im, -EINVAL, "attribute %s has the wrong type", name);
		return NULL;
	}
	return attr;
}

int64_t loom_attr_int(struct loom_import *im, const char *name, int64_t missing)
{
	const struct loom_attr *attr = attr_typed(im, name, LOOM_ATTR_INT);

	return attr ? attr->ints[0] : missing;
}

float loom_attr_float(struct loom_import *im, const char *name, float missing)
{
	const struct loom_attr *attr = attr_typed(im, name, LOOM_ATTR_FLOAT);

	return attr ? attr->floats[0] : missing;
}

const char *loom_attr_string(struct loom_import *im, const char *name, const char *missing)
{
	const struct loom_attr *attr = attr_typed(im, name, LOOM_ATTR_STRING);

	return attr ? attr->string : missing;
}

uint32_t loom_attr_ints(struct loom_import *im, const char *name, int64_t *ints, uint32_t max)
{
	const struct loom_attr *attr = attr_typed(im, name, LOOM_ATTR_INTS);

	if (!attr)
		return 0;
	if (attr->count > max) {
		loom_import_fail(im, -EINVAL, "attribute %s has more than %u elements", name, max);
		return 0;
	}
	if (attr->count)
		memcpy(ints, attr->ints, attr->count * sizeof(*ints));
	return (uint32_t)attr->count;
}

uint32_t loom_attr_choice(struct loom_import *im, const char *name, const char *const *choices)
{
	const char *string = loom_attr_string(im, name, choices[0]);
	uint32_t i;

	for (i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], string))
			return i;
	}
	loom_import_fail(im, -EOPNOTSUPP, "%s \"%.40s\" is not supported", name, string);
	return 0;
}

uint32_t loom_import_axis(struct loom_import *im, int64_t axis, uint32_t rank)
{
	if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
		loom_import_fail(im, -EINVAL, "axis %lld does not exist at rank %u",
				 (long long)axis, rank);
		return 0;
	}
	return (uint32_t)(axis < 0 ? axis + rank : axis);
}

uint32_t loom_import_axes(struct loom_import *im, const int64_t *axes, uint32_t num_axes,
			  uint32_t rank)
{
	uint32_t i, mask = 0;

	for (i = 0; i < num_axes && !im->em->status; i++) {
		uint32_t bit = 1u << loom_import_axis(im, axes[i], rank);

		if (mask & bit)
			loom_import_fail(im, -EINVAL, "axis %lld comes twice", (long long)axes[i]);
		mask |= bit;
	}
	return mask;
}

struct loom_value *loom_import_wide(struct loom_import *im, struct loom_value *x)
{
	return x && x->dtype == DRM_LOOM_DTYPE_F16 ?
		loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32) : x;
}

struct loom_value *loom_import_part(struct loom_import *im, struct loom_value *x, uint32_t axis,
				    int64_t start, int64_t step, int64_t count)
{
	struct loom_gslice slice = { { 0 }, { 0 } };
	int64_t counts[LOOM_GRAPH_RANK];
	uint32_t i;

	if (im->em->status || !x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		slice.step[i] = 1;
		counts[i] = x->dims[i];
	}
	slice.start[axis] = count ? start : 0;
	slice.step[axis] = step;
	counts[axis] = count;
	return loom_emit_slice(im->em, x, &slice, counts);
}

struct loom_value *loom_import_stack(struct loom_import *im, struct loom_value **parts,
				     int64_t count)
{
	int64_t i, joined;

	for (; count > 1 && !im->em->status; count = joined)
		for (i = 0, joined = 0; i < count; i += STACK_PARTS)
			parts[joined++] =
				loom_emit_concat(im->em, (uint32_t)min(count - i, STACK_PARTS),
						 parts + i, 0);
	return im->em->status ? NULL : parts[0];
}
