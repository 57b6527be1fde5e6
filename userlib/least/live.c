// SPDX-License-Identifier: MIT
/*
 * Elements of values that some output needs, propagated backwards from the outputs. A set of
 * elements is a product of sets of indices, one per axis. If the union of two readers' sets is no
 * such product, the larger set is used: the result may be less than the elements needed, never
 * more.
 */
#include "least.h"

#include <errno.h>
#include <string.h>

#include "lower/storage.h"

u64 least_elems(const struct least_axes *axes)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < axes->rank; i++)
		elems *= axes->counts[i];
	return axes->rank ? elems : 0;
}

bool least_is_plain(const struct least_op *op, u32 operand)
{
	return op->op->access[operand].plain;
}

u32 least_follower(const struct least_op *op, u32 operand, u32 axis)
{
	const struct loom_map *map = &op->op->kernel.operands[operand].map[axis];

	return map->kind == LOOM_MAP_FULL ? LEAST_NONE : map->axis;
}

static int make_axes(struct least *least, u32 rank, const u64 *dims, bool full,
		     struct least_axes *axes)
{
	u32 i;

	axes->rank = rank;
	for (i = 0; i < rank; i++) {
		axes->dims[i] = dims[i];
		axes->counts[i] = full ? dims[i] : 0;
		axes->has[i] = loom_pool_alloc(least->pool, dims[i]);
		if (!axes->has[i])
			return -ENOMEM;
		memset(axes->has[i], full, dims[i]);
	}
	return 0;
}

static bool is_all(const struct least_axes *axes)
{
	u32 i;

	for (i = 0; i < axes->rank; i++)
		if (axes->counts[i] != axes->dims[i])
			return false;
	return axes->rank;
}

/* Number of axes on which the sets differ. */
static u32 differences(const struct least_axes *a, const struct least_axes *b)
{
	u32 count = 0, i;

	for (i = 0; i < a->rank; i++)
		count += memcmp(a->has[i], b->has[i], a->dims[i]) != 0;
	return count;
}

static void recount(struct least_axes *axes, u32 axis)
{
	u64 i;

	axes->counts[axis] = 0;
	for (i = 0; i < axes->dims[axis]; i++)
		axes->counts[axis] += axes->has[axis][i];
}

static bool contains(const struct least_axes *large, const struct least_axes *small)
{
	u32 i;
	u64 k;

	for (i = 0; i < large->rank; i++)
		for (k = 0; k < large->dims[i]; k++)
			if (small->has[i][k] && !large->has[i][k])
				return false;
	return true;
}

/*
 * Replaces @axes by its union with @other, if that is a product set, otherwise by the larger one.
 */
static void unite(struct least_axes *axes, const struct least_axes *other)
{
	u32 i;
	u64 k;

	if (!least_elems(other) || (least_elems(axes) && contains(axes, other)))
		return;
	if (!least_elems(axes) || contains(other, axes) ||
	    (differences(axes, other) > 1 && least_elems(other) > least_elems(axes))) {
		for (i = 0; i < axes->rank; i++) {
			memcpy(axes->has[i], other->has[i], axes->dims[i]);
			axes->counts[i] = other->counts[i];
		}
		return;
	}
	if (differences(axes, other) > 1)
		return;
	for (i = 0; i < axes->rank; i++) {
		for (k = 0; k < axes->dims[i]; k++)
			axes->has[i][k] |= other->has[i][k];
		recount(axes, i);
	}
}

/* Number of elements of a reference, repeated ones counted once. */
static u64 distinct(const struct loom_ref *ref)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < ref->rank; i++)
		elems *= ref->strides[i] ? ref->dims[i] : 1;
	return elems;
}

/* The indices on axis @axis of the value of the indices on an operand's axes: start + sums. */
static void place_axis(const struct loom_group_access *access, const struct least_axes *part,
		       u32 axis, u8 *has, u8 *scratch, u64 dim)
{
	u64 i, j;
	u32 k;

	memset(has, 0, dim);
	has[access->start[axis]] = 1;
	for (k = 0; k < part->rank; k++) {
		if (access->axis[k] != (s8)axis)
			continue;
		memcpy(scratch, has, dim);
		memset(has, 0, dim);
		for (i = 0; i < dim; i++) {
			if (!scratch[i])
				continue;
			for (j = 0; j < part->dims[k]; j++)
				if (part->has[k][j])
					has[i + j * (u64)access->step[k]] = 1;
		}
	}
}

bool least_on_value(struct least *least, const struct least_op *op, u32 operand,
		    const struct least_axes *part, struct least_axes *axes)
{
	const struct loom_group_access *access = &op->op->access[operand];
	const struct loom_ref *ref = &op->op->kernel.operands[operand].ref;
	const struct least_value *value = &least->values[ref->tensor];
	u32 rank = value->live.rank, i;
	u8 *scratch;

	if (make_axes(least, rank, value->live.dims, false, axes) || !least_elems(part))
		return false;
	if (!access->plain) {
		/* if the axes differ from the value's, all of it or nothing is known */
		if (!is_all(part) || distinct(ref) != value->elems)
			return false;
		return !make_axes(least, rank, value->live.dims, true, axes);
	}
	for (i = 0; i < rank; i++) {
		scratch = loom_pool_alloc(least->pool, axes->dims[i]);
		if (!scratch)
			return false;
		place_axis(access, part, i, axes->has[i], scratch, axes->dims[i]);
		recount(axes, i);
	}
	return true;
}

/* --- elements needed by a kernel ---------------------------------------------------------- */

/* Distance between the taps of a window. */
static s64 dilation_of(const struct loom_kernel *kernel, u32 spatial)
{
	u32 i;

	for (i = 0; i < kernel->num_stages; i++) {
		const struct loom_stage *stage = &kernel->stages[i];

		if (stage->opcode == DRM_LOOM_OP_CONV || stage->opcode == DRM_LOOM_OP_DECONV)
			return stage->conv.dilation[spatial];
		if (stage->opcode == DRM_LOOM_OP_POOL)
			return stage->pool.dilation[spatial];
	}
	return 1;
}

static u64 mark(u8 *has, u64 lo, u64 hi)
{
	u64 i;

	for (i = lo; i < hi; i++)
		has[i] = 1;
	return hi - lo;
}

static u64 need_window(const struct loom_kernel *kernel, const struct loom_map *map, u64 out,
		       u8 *has)
{
	const struct loom_window *w = &kernel->window[map->spatial];
	s64 at = (s64)out * w->stride - w->pad, end = at + w->extent;
	s64 step = dilation_of(kernel, map->spatial);
	u64 count = 0;

	for (; at < end; at += step) {
		if (at < 0 || at >= w->in)
			continue;
		has[at] = 1;
		count++;
	}
	return count;
}

static u64 need_scatter(const struct loom_kernel *kernel, const struct loom_map *map, u64 out,
			u8 *has)
{
	const struct loom_window *w = &kernel->window[map->spatial];
	s64 step = dilation_of(kernel, map->spatial), at = (s64)out + w->pad;
	s64 end = at - w->extent;
	u64 count = 0;

	for (; at > end; at -= step) {
		if (at < 0 || at % w->stride || at / w->stride >= w->in)
			continue;
		has[at / w->stride] = 1;
		count++;
	}
	return count;
}

/*
 * Whether interpolation to more elements reads all of them for certain: by a whole factor, or from
 * corner to corner.
 */
static bool resize_reads_all(const struct loom_kernel *kernel, u32 spatial)
{
	const struct drm_loom_attr_resize *attr = kernel->resize;
	s64 in = attr->in_size[spatial], out = attr->out_size[spatial];
	float scale;

	if (attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE || out < in)
		return false;
	memcpy(&scale, &attr->scale[spatial], sizeof(scale));
	return attr->coord == DRM_LOOM_COORD_ALIGN_CORNERS ||
	       (out % in == 0 && scale == (float)(out / in));
}

/*
 * The indices of an axis of an operand that index @out of the result needs. Returns their number.
 */
static u64 need_one(const struct loom_kernel *kernel, const struct loom_operand *operand, u32 axis,
		    u64 out, u8 *has)
{
	const struct loom_map *map = &operand->map[axis];
	u64 lo, hi;

	switch (map->kind) {
	case LOOM_MAP_WINDOW:
		return need_window(kernel, map, out, has);
	case LOOM_MAP_SCATTER:
		return need_scatter(kernel, map, out, has);
	default:
		loom_kernel_range(kernel, operand, axis, out, out + 1, &lo, &hi);
		return mark(has, lo, hi);
	}
}

/* The indices of an axis of an operand that the live part of the result needs. */
static void need_axis(struct least_op *op, u32 index, u32 axis)
{
	const struct loom_kernel *kernel = &op->op->kernel;
	const struct loom_operand *operand = &kernel->operands[index];
	struct least_axes *need = &op->loads[index];
	const struct loom_map *map = &operand->map[axis];
	const struct least_axes *result = &op->result;
	u64 *one = &op->ones[index][axis], count, i;

	if (map->kind == LOOM_MAP_FULL) {
		*one = mark(need->has[axis], 0, need->dims[axis]);
		/* other commands go on from its sum */
		if (loom_kernel_is_summed(kernel, map))
			*one = 1;
	} else if (map->kind == LOOM_MAP_RESIZE) {
		if (result->counts[map->axis] == result->dims[map->axis] &&
		    resize_reads_all(kernel, map->spatial))
			mark(need->has[axis], 0, need->dims[axis]);
		*one = 1;
	} else {
		*one = U64_MAX;
		for (i = 0; i < result->dims[map->axis]; i++) {
			if (!result->has[map->axis][i])
				continue;
			count = need_one(kernel, operand, axis, i, need->has[axis]);
			*one = min(*one, count);
		}
	}
	recount(need, axis);
}

static bool is_dram_operand(const struct loom_operand *operand)
{
	return operand->role == LOOM_ROLE_LOAD || operand->role == LOOM_ROLE_DIRECT;
}

/* Whether commands that compute read the result, or for a copy all of it that is live. */
static bool is_loaded(const struct least *least, const struct least_op *op)
{
	const struct least_value *y = &least->values[op->op->kernel.operands[0].ref.tensor];

	return op->op->kind == LOOM_GROUP_COMPUTE ||
	       (op->op->kind == LOOM_GROUP_COPY && !differences(&y->live, &y->loaded));
}

static int need_operand(struct least *least, struct least_op *op, u32 index)
{
	const struct loom_operand *operand = &op->op->kernel.operands[index];
	struct least_value *value;
	struct least_axes axes;
	u32 i;

	if (make_axes(least, operand->ref.rank, operand->ref.dims, false, &op->loads[index]))
		return -ENOMEM;
	for (i = 0; i < operand->ref.rank; i++)
		need_axis(op, index, i);
	if (!is_dram_operand(operand))
		return 0;
	value = &least->values[operand->ref.tensor];
	if (!least_on_value(least, op, index, &op->loads[index], &axes))
		return 0;
	unite(&value->live, &axes);
	/* of a table some elements, which may always be the same */
	if (is_loaded(least, op) && !loom_kernel_is_table(&op->op->kernel, index))
		unite(&value->loaded, &axes);
	return 0;
}

/* The live part of a result, on its own axes, from that of the value. */
static int live_result(struct least *least, struct least_op *op)
{
	const struct loom_ref *ref = &op->op->kernel.operands[0].ref;
	const struct loom_group_access *access = &op->op->access[0];
	const struct least_value *value = &least->values[ref->tensor];
	u32 i, k;
	u64 j;

	if (make_axes(least, ref->rank, ref->dims, false, &op->result))
		return -ENOMEM;
	if (!access->plain) {
		if (!is_all(&value->live) || distinct(ref) != value->elems)
			return 0;
		return make_axes(least, ref->rank, ref->dims, true, &op->result);
	}
	/* indices that no axis reaches */
	for (i = 0; i < value->live.rank; i++) {
		bool mapped = false;

		for (k = 0; k < ref->rank; k++)
			mapped |= access->axis[k] == (s8)i;
		if (!mapped && !value->live.has[i][access->start[i]])
			return 0;
	}
	for (k = 0; k < ref->rank; k++) {
		for (j = 0; j < ref->dims[k]; j++) {
			s8 axis = access->axis[k];

			op->result.has[k][j] = axis < 0 ? 1 :
				value->live.has[axis][access->start[axis] +
						      j * (u64)access->step[k]];
		}
		recount(&op->result, k);
	}
	return 0;
}

static int live_op(struct least *least, struct least_op *op)
{
	u32 i;
	int ret = live_result(least, op);

	op->live = !ret && least_elems(&op->result);
	for (i = 1; i < op->op->kernel.num_operands && op->live && !ret; i++)
		ret = need_operand(least, op, i);
	return ret;
}

static int make_value(struct least *least, u32 id)
{
	const struct loom_group_list *list = least->list;
	const struct loom_storage *storage = list->lower->storage;
	const struct loom_location *location = &storage->locations[id];
	const struct loom_value *from = list->lower->graph->values[id];
	struct least_value *value = &least->values[id];
	const struct loom_ref *ref = &location->ref;
	bool fits = ref->rank && ref->rank <= DRM_LOOM_MAX_RANK, stored;
	u64 elems = from->num_elems;

	value->first_writer = LEAST_NONE;
	value->slot = LEAST_NONE;
	if (location->root != id || location->kind == LOOM_LOCATION_NONE || !from->num_elems)
		return 0;
	value->dtype = from->dtype;
	value->elems = elems;
	if (from->data || location->kind == LOOM_LOCATION_INPUT) {
		bool rom = from->data && storage->in_rom &&
			   !(storage->copied && storage->copied[id]);

		value->place = rom ? LEAST_ROM : storage->in_sram ? LEAST_SRAM : LEAST_DRAM;
		/* all constants of a region share one slot, which differs from those of inputs */
		value->slot = from->data ? U32_MAX - 1 - rom : location->slot;
	}
	stored = location->kind == LOOM_LOCATION_OUTPUT;
	if (stored && !storage->in_sram)
		value->stored_bytes = loom_dtype_row_bytes(value->dtype, elems);
	if (make_axes(least, fits ? ref->rank : 1, fits ? ref->dims : &elems, stored,
		      &value->live))
		return -ENOMEM;
	return make_axes(least, value->live.rank, value->live.dims, false, &value->loaded);
}

int least_live(struct least *least)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < least->num_values && !ret; i++)
		ret = make_value(least, i);
	/* a value computed in an output is stored there once */
	for (i = 0; i < least->num_values && !ret; i++) {
		const struct loom_location *location =
			&least->list->lower->storage->locations[i];

		if (location->kind == LOOM_LOCATION_OUTPUT && location->holder != i)
			least->values[location->part_of].stored_bytes -=
				least->values[i].stored_bytes;
	}
	for (i = 0; i < least->list->num_ops; i++)
		least->ops[i].op = least->list->ops[i];
	for (i = least->list->num_ops; i-- > 0 && !ret;)
		ret = live_op(least, &least->ops[i]);
	return ret;
}
