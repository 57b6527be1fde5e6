// SPDX-License-Identifier: MIT
/*
 * Data in SRAM while a group runs, as tensors of the plan, and its transfers: strips and their line
 * buffers, residents, stores. emit.c adds the operations on it.
 */
#include "group/emit/emit.h"

#include "lower/storage.h"

u32 loom_group_step_at(const struct loom_group_writer *w, s32 position)
{
	return w->base + w->slice * (u32)w->group->period + (u32)position;
}

static const struct loom_group_use *use_of(const struct loom_group_writer *w, u32 root)
{
	return &w->group->list->uses[w->group->roots[root].value];
}

void loom_group_make_tensor(struct loom_group_writer *w, struct loom_group_instance *instance,
			    const struct loom_group_box *box, u32 dtype, u32 rank, u32 lane,
			    u64 offset)
{
	struct drm_loom_plan_tensor tensor = {
		.region = DRM_LOOM_REGION_SRAM,
		.offset = offset,
		.dtype = dtype,
		.rank = rank,
		.lane_axis = lane,
	};
	u64 stride = loom_dtype_stride(dtype);
	u32 i;

	for (i = rank; i-- > 0;) {
		u64 dim = box->hi[i] - box->lo[i];

		tensor.dims[i] = dim;
		tensor.strides[i] = stride;
		stride *= i == lane ? loom_div_round_up(dim, w->lower->sram.lanes) : dim;
	}
	tensor.size = stride;
	instance->there = true;
	instance->box = *box;
	instance->tensor = loom_build_tensor(w->lower->build, &tensor);
}

/* Labels an instance after @value, for people. */
void loom_group_label(const struct loom_group_writer *w, const struct loom_group_instance *instance,
		      u32 value, enum loom_label_kind kind)
{
	loom_build_label(w->lower->build, instance->tensor, w->lower->graph->values[value]->name,
			 kind, w->slice);
}

/* The part @box of an instance, axis by axis. */
struct drm_loom_plan_view loom_group_plain_view(const struct loom_group_writer *w,
						const struct loom_group_instance *in,
						const struct loom_group_box *box)
{
	const struct drm_loom_plan_tensor *tensor = &w->lower->build->tensors[in->tensor];
	struct drm_loom_plan_view view = {
		.tensor = in->tensor,
		.dtype = tensor->dtype,
		.rank = tensor->rank,
		.lane_axis = tensor->lane_axis,
	};
	u32 i;

	for (i = 0; i < tensor->rank; i++) {
		u64 at = box->lo[i] - in->box.lo[i];

		view.dims[i] = box->hi[i] - box->lo[i];
		view.strides[i] = tensor->strides[i];
		if (i == tensor->lane_axis)
			view.lane_start = at;
		else
			view.offset += at * tensor->strides[i];
	}
	return view;
}

/* The part @box of an operand that lies in a strip. */
struct drm_loom_plan_view loom_group_strip_view(const struct loom_group_writer *w,
						const struct loom_group_instance *in,
						const struct loom_group_access *access, u32 rank,
						const struct loom_group_box *box)
{
	const struct drm_loom_plan_tensor *tensor = &w->lower->build->tensors[in->tensor];
	struct drm_loom_plan_view view = {
		.tensor = in->tensor,
		.dtype = tensor->dtype,
		.rank = rank,
		.lane_axis = DRM_LOOM_MAX_RANK,
	};
	s64 first[DRM_LOOM_MAX_RANK];
	u32 i, k;

	for (i = 0; i < tensor->rank; i++)
		first[i] = (s64)access->start[i] - (s64)in->box.lo[i];
	for (k = 0; k < rank; k++) {
		s8 axis = access->axis[k];

		view.dims[k] = box->hi[k] - box->lo[k];
		if (axis < 0)
			continue;
		first[axis] += access->step[k] * (s64)box->lo[k];
		view.strides[k] = access->step[k] * (s64)tensor->strides[axis];
		if ((u8)axis != tensor->lane_axis)
			continue;
		/* along the lanes, or in whole rows of them */
		if (access->step[k] == 1)
			view.lane_axis = k;
		else
			view.strides[k] /= w->lower->sram.lanes;
	}
	/* no axis runs over the lanes: an axis of one element is the lane axis */
	for (k = 0; k < rank && view.lane_axis == DRM_LOOM_MAX_RANK; k++)
		if (access->axis[k] < 0 && view.dims[k] == 1)
			view.lane_axis = k;
	for (i = 0; i < tensor->rank; i++) {
		if (i == tensor->lane_axis)
			view.lane_start = first[i];
		else
			view.offset += (u64)first[i] * tensor->strides[i];
	}
	if (view.lane_axis < DRM_LOOM_MAX_RANK)
		view.strides[view.lane_axis] = tensor->strides[tensor->lane_axis];
	return view;
}

struct drm_loom_plan_view loom_group_dram_view(struct loom_group_writer *w,
					       const struct loom_ref *ref,
					       const struct loom_group_box *box)
{
	return loom_ref_view(ref, loom_storage_tensor(w->lower, ref->tensor), box->lo, box->hi);
}

void loom_group_command(struct loom_group_writer *w, s32 position, u32 opcode,
			const struct drm_loom_plan_view *to, const struct drm_loom_plan_view *from)
{
	struct drm_loom_plan_view views[2] = { *to };

	if (w->lower->build->status)
		return;
	views[1] = *from;
	loom_build_command(w->lower->build, loom_group_step_at(w, position), opcode, views, 2, NULL,
			   0);
}

u64 loom_group_item_offset(const struct loom_group_writer *w, u32 index)
{
	const struct loom_group_item *item = &w->group->items[index];

	return item->offset[w->slice % item->buffers];
}

/* A value that stays in SRAM, as a whole. */
struct loom_group_instance loom_group_resident(const struct loom_group_writer *w, u32 value)
{
	const struct loom_group_use *use = &w->group->list->uses[value];
	struct loom_group_instance instance = { .there = true,
						.tensor = w->group->locations[value].tensor };
	u32 i;

	for (i = 0; i < use->rank; i++)
		instance.box.hi[i] = use->dims[i];
	return instance;
}

/* The same for a value that this group makes. */
static void make_resident(struct loom_group_writer *w, u32 which)
{
	struct loom_group_root *root = &w->group->roots[which];
	const struct loom_group_use *use = use_of(w, which);
	struct loom_group_box box = { .lo = { 0 } };
	u32 over, i;

	if (loom_group_takes_place(w->group, root->value, &over)) {
		w->strips[which] = loom_group_resident(w, over);
		w->group->locations[root->value].tensor = w->strips[which].tensor;
		return;
	}
	for (i = 0; i < use->rank; i++)
		box.hi[i] = use->dims[i];
	loom_group_make_tensor(w, &w->strips[which], &box,
			       w->lower->storage->locations[root->value].ref.dtype, use->rank,
			       use->lane, w->group->locations[root->value].offset);
	loom_group_label(w, &w->strips[which], root->value, LOOM_LABEL_RESIDENT);
	w->group->locations[root->value].tensor = w->strips[which].tensor;
}

/* Residents that must not stay any longer are stored to DRAM. */
void loom_group_flush_residents(struct loom_group_writer *w)
{
	const struct loom_group *group = w->group;
	struct drm_loom_plan_view to, from;
	struct loom_group_instance instance;
	struct loom_ref ref;
	u32 i;

	for (i = 0; i < group->num_residents && !w->lower->build->status; i++) {
		u32 value = group->residents[i];

		if (!(group->residency[value] & LOOM_GROUP_RESIDENT_FLUSH))
			continue;
		instance = loom_group_resident(w, value);
		ref = w->lower->storage->locations[value].ref;
		ref.tensor = value;
		to = loom_group_dram_view(w, &ref, &instance.box);
		from = loom_group_plain_view(w, &instance, &instance.box);
		loom_group_command(w, -1, DRM_LOOM_OP_STORE, &to, &from);
	}
}

/*
 * Rows [@lo, @hi) of a root over the box of its other axes, or of the part of them that an op
 * makes.
 */
static struct loom_group_box rows_of(const struct loom_group_writer *w, u32 which, u32 index,
				     u64 lo, u64 hi)
{
	const struct loom_group_root *root = &w->group->roots[which];
	struct loom_group_box box = root->hull, all = { .lo = { 0 } };
	const struct loom_ref *y;
	u32 i;

	if (root->kind == LOOM_GROUP_INSIDE) {
		y = &w->group->parts[index].op->kernel.operands[0].ref;
		for (i = 0; i < y->rank; i++)
			all.hi[i] = y->dims[i];
		loom_group_value_box(w->group, index, 0, &all, &box);
	}
	if (root->axis >= 0) {
		box.lo[root->axis] = lo;
		box.hi[root->axis] = hi;
	}
	return box;
}

/* Rows kept by the slice before are copied to the top of the strip. */
static void restore_rows(struct loom_group_writer *w, u32 which, u32 index, s32 position)
{
	struct drm_loom_plan_view to, from;
	struct loom_group_box box;
	u64 lo, hi;

	if (!loom_group_kept(w->group, which, index, w->slice, &lo, &hi))
		return;
	box = rows_of(w, which, index, lo, hi);
	to = loom_group_plain_view(w, &w->strips[which], &box);
	from = loom_group_plain_view(w, &w->lines[which], &box);
	loom_group_command(w, position, DRM_LOOM_OP_COPY, &to, &from);
}

/* Loads the new rows of a value from outside. */
static void load_rows(struct loom_group_writer *w, u32 which, s32 position)
{
	const struct loom_group *group = w->group;
	const struct loom_group_root *root = &group->roots[which];
	struct loom_group_box box = root->hull;
	struct drm_loom_plan_view to, from;
	struct loom_ref ref;

	loom_group_batch(group, w->slice, &box);
	if (root->axis >= 0) {
		loom_group_fresh(group, which, w->slice, &box.lo[root->axis], &box.hi[root->axis]);
		if (box.lo[root->axis] == box.hi[root->axis])
			return;
	}
	ref = w->lower->storage->locations[root->value].ref;
	ref.tensor = root->value;
	to = loom_group_plain_view(w, &w->strips[which], &box);
	from = loom_group_dram_view(w, &ref, &box);
	loom_group_command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
}

/* Makes a strip or a line buffer of a root, at the offset of its item. */
static void make_rows(struct loom_group_writer *w, struct loom_group_instance *instance, u32 which,
		      const struct loom_group_box *box, u32 item)
{
	const struct loom_group_root *root = &w->group->roots[which];
	u32 dtype = w->lower->storage->locations[root->value].ref.dtype;

	loom_group_make_tensor(w, instance, box, dtype, use_of(w, which)->rank, root->lane,
			       loom_group_item_offset(w, item));
}

/* Makes the strip of a root for this slice, if it has one. */
void loom_group_begin_strip(struct loom_group_writer *w, u32 which, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_root *root = &group->roots[which];
	struct loom_group_box box = root->hull;
	s32 position = loom_group_load_at(group, group->parts[index].first_entry);
	u64 lo, hi;
	u32 i;

	if (group->residency[root->value] & LOOM_GROUP_RESIDENT_IN) {
		w->strips[which] = loom_group_resident(w, root->value);
		return;
	}
	if (group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT) {
		if (!w->slice)
			make_resident(w, which);
		return;
	}
	w->strips[which].there = false;
	if (!loom_group_strip(group, which, w->slice, &lo, &hi))
		return;
	loom_group_batch(group, w->slice, &box);
	if (root->axis >= 0) {
		box.lo[root->axis] = lo;
		box.hi[root->axis] = hi;
	}
	make_rows(w, &w->strips[which], which, &box, root->strip);
	loom_group_label(w, &w->strips[which], root->value, LOOM_LABEL_ROWS);
	if (w->lower->build->status)
		return;
	if (root->kind == LOOM_GROUP_INPUT) {
		restore_rows(w, which, 0, position);
		load_rows(w, which, position);
		return;
	}
	for (i = root->first_writer; i <= root->last_writer; i++)
		if (group->parts[i].root[0] == which)
			restore_rows(w, which, i, position);
}

/* Copies rows that the next slice still needs to the line buffer. */
static void save_rows(struct loom_group_writer *w, u32 which, s32 position)
{
	const struct loom_group_root *root = &w->group->roots[which];
	u32 first = root->kind == LOOM_GROUP_INPUT ? 0 : root->first_writer;
	u32 last = root->kind == LOOM_GROUP_INPUT ? 0 : root->last_writer, i;
	struct drm_loom_plan_view to, from;
	struct loom_group_box box = root->hull;
	u64 lo, hi, least = U64_MAX, most = 0;

	if (w->slice + 1 == w->group->slices || !w->strips[which].there)
		return;
	for (i = first; i <= last; i++) {
		if (root->kind == LOOM_GROUP_INSIDE && w->group->parts[i].root[0] != which)
			continue;
		if (!loom_group_kept(w->group, which, i, w->slice + 1, &lo, &hi))
			continue;
		least = min(least, lo);
		most = max(most, hi);
	}
	if (most <= least)
		return;
	box.lo[root->axis] = least;
	box.hi[root->axis] = most;
	make_rows(w, &w->lines[which], which, &box, root->line);
	loom_group_label(w, &w->lines[which], root->value, LOOM_LABEL_LINE);
	for (i = first; i <= last && !w->lower->build->status; i++) {
		if (root->kind == LOOM_GROUP_INSIDE && w->group->parts[i].root[0] != which)
			continue;
		if (!loom_group_kept(w->group, which, i, w->slice + 1, &lo, &hi))
			continue;
		box = rows_of(w, which, i, lo, hi);
		to = loom_group_plain_view(w, &w->lines[which], &box);
		from = loom_group_plain_view(w, &w->strips[which], &box);
		loom_group_command(w, position, DRM_LOOM_OP_COPY, &to, &from);
	}
}

/* Stores the rows that a part made in this slice, or in all, at a position. */
static void store_rows(struct loom_group_writer *w, u32 index, bool all, s32 position)
{
	const struct loom_group *group = w->group;
	struct loom_group_part *part = &w->group->parts[index];
	const struct loom_operand *y = &part->op->kernel.operands[0];
	struct drm_loom_plan_view to, from;
	struct loom_group_box box;
	u64 chunk = part->chunk;
	bool any;

	/* all chunks at once */
	part->chunk = 0;
	any = loom_group_part_box(group, index, w->slice, 0, &box);
	part->chunk = chunk;
	if (all && part->axis >= 0) {
		any = true;
		box.lo[part->axis] = 0;
		box.hi[part->axis] = y->ref.dims[part->axis];
	} else if (any && group->recompute) {
		loom_group_stored(group, index, w->slice, &box.lo[part->axis], &box.hi[part->axis]);
		any = box.lo[part->axis] < box.hi[part->axis];
	}
	if (!any || w->lower->build->status)
		return;
	to = loom_group_dram_view(w, &y->ref, &box);
	from = loom_group_strip_view(w, &w->strips[part->root[0]], &part->op->access[0],
				     y->ref.rank, &box);
	loom_group_command(w, position, DRM_LOOM_OP_STORE, &to, &from);
}

/*
 * A strip must be stored when its last writer is done: the DMA stream must not touch it while a
 * part writes it.
 */
void loom_group_store_strip(struct loom_group_writer *w, u32 which, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_root *root = &group->roots[which];
	const struct loom_group_part *part = &group->parts[index];
	s32 position = loom_group_store_at(group, part->first_entry + part->entries - 1);
	bool all = group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT;
	u32 i;

	if (!root->stored || root->last_writer != index || (all && w->slice + 1 < group->slices))
		return;
	for (i = root->first_writer; i <= index; i++)
		if (group->parts[i].root[0] == which)
			store_rows(w, i, all, position);
}

/*
 * Strips whose last use this part is copy the rows that the next slice needs to their line buffers.
 */
void loom_group_end_strips(struct loom_group_writer *w, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_part *part = &group->parts[index];
	u32 entry = part->first_entry + part->entries - 1, i;

	for (i = 0; i < group->num_roots && !w->lower->build->status; i++) {
		const struct loom_group_root *root = &group->roots[i];
		s32 position = loom_group_compute_at(group, entry);
		u32 last = root->last_reader;

		if (root->line == LOOM_GROUP_NONE)
			continue;
		if (root->kind == LOOM_GROUP_INSIDE && root->last_writer >= last) {
			last = root->last_writer;
			position++;
		}
		if (last == index)
			save_rows(w, i, position);
	}
}
