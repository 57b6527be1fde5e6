// SPDX-License-Identifier: MIT
/*
 * From positions and offsets to commands. Each strip, line buffer and operand of each slice is a
 * tensor of the plan with the steps that touch it; all slices use the same places. Positions at
 * which nothing happens become no steps.
 */
#include "emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lower/notes.h"
#include "lower/storage.h"

/**
 * struct instance - a tensor in SRAM and what part of its value it has
 * @there: it is one
 * @tensor: index in the plan
 * @box: the part
 */
struct instance {
	bool there;
	u32 tensor;
	struct loom_group_box box;
};

/**
 * struct writer - the state of writing a group
 * @lower: where to
 * @group: what
 * @base: step of position 0 of slice 0
 * @slice: the slice at work
 * @strips: by root: of this slice
 * @lines: by root: line buffer
 * @own: by part and operand: what is there now
 * @kept: by item: chunks that stay
 */
struct writer {
	struct loom_lower *lower;
	struct loom_group *group;
	u32 base;
	u32 slice;
	struct instance strips[LOOM_GROUP_ROOTS];
	struct instance lines[LOOM_GROUP_ROOTS];
	struct instance own[LOOM_GROUP_OPS][LOOM_KERNEL_OPERANDS];
	struct instance *kept;
};

static u32 step_at(const struct writer *w, s32 position)
{
	return w->base + w->slice * (u32)w->group->period + (u32)position;
}

static const struct loom_group_use *use_of(const struct writer *w, u32 root)
{
	return &w->group->list->uses[w->group->roots[root].value];
}

static void make_tensor(struct writer *w, struct instance *instance,
			const struct loom_group_box *box, u32 dtype, u32 rank, u32 lane, u64 offset)
{
	struct drm_loom_plan_tensor tensor = {
		.region = DRM_LOOM_REGION_SRAM,
		.offset = offset,
		.dtype = dtype,
		.rank = rank,
		.lane_axis = lane,
	};
	u64 stride = loom_dtype_bytes(dtype);
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

/* Of @value, for people. */
static void label(const struct writer *w, const struct instance *instance, u32 value,
		  enum loom_label_kind kind)
{
	loom_build_label(w->lower->build, instance->tensor,
			 w->lower->graph->values[value]->name, kind, w->slice);
}

/* The part @box of what an instance has, axis by axis. */
static struct drm_loom_plan_view plain_view(const struct writer *w, const struct instance *in,
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
static struct drm_loom_plan_view strip_view(const struct writer *w, const struct instance *in,
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
		if ((u8)axis == tensor->lane_axis)
			view.lane_axis = k;
	}
	/* nobody runs over the lanes: an axis of one element says where */
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

static struct drm_loom_plan_view dram_view(struct writer *w, const struct loom_ref *ref,
					   const struct loom_group_box *box)
{
	struct drm_loom_plan_view view = {
		.tensor = loom_storage_tensor(w->lower, ref->tensor),
		.dtype = ref->dtype,
		.rank = ref->rank,
	};
	s64 offset = ref->offset;
	u32 i;

	for (i = 0; i < ref->rank; i++) {
		offset += (s64)box->lo[i] * ref->strides[i];
		view.dims[i] = box->hi[i] - box->lo[i];
		view.strides[i] = ref->strides[i];
	}
	view.offset = offset;
	return view;
}

static void command(struct writer *w, s32 position, u32 opcode, const struct drm_loom_plan_view *to,
		    const struct drm_loom_plan_view *from)
{
	struct drm_loom_plan_view views[2] = { *to };

	if (w->lower->build->status)
		return;
	views[1] = *from;
	loom_build_command(w->lower->build, step_at(w, position), opcode, views, 2, NULL, 0);
}

static u64 item_offset(const struct writer *w, u32 index)
{
	const struct loom_group_item *item = &w->group->items[index];

	return item->offset[w->slice % item->buffers];
}

/* A value that stays in SRAM, as a whole. */
static struct instance resident(const struct writer *w, u32 value)
{
	const struct loom_group_use *use = &w->group->list->uses[value];
	struct instance instance = { .there = true, .tensor = w->group->locations[value].tensor };
	u32 i;

	for (i = 0; i < use->rank; i++)
		instance.box.hi[i] = use->dims[i];
	return instance;
}

/* The same for one that this group makes. */
static void make_resident(struct writer *w, u32 which)
{
	struct loom_group_root *root = &w->group->roots[which];
	const struct loom_group_use *use = use_of(w, which);
	struct loom_group_box box = { .lo = { 0 } };
	u32 i;

	for (i = 0; i < use->rank; i++)
		box.hi[i] = use->dims[i];
	make_tensor(w, &w->strips[which], &box, w->lower->storage->locations[root->value].ref.dtype,
		    use->rank, use->lane, w->group->locations[root->value].offset);
	label(w, &w->strips[which], root->value, LOOM_LABEL_RESIDENT);
	w->group->locations[root->value].tensor = w->strips[which].tensor;
}

/* What stayed and may not any longer goes to DRAM. */
static void flush_residents(struct writer *w)
{
	const struct loom_group *group = w->group;
	struct drm_loom_plan_view to, from;
	struct instance instance;
	struct loom_ref ref;
	u32 i;

	for (i = 0; i < group->num_residents && !w->lower->build->status; i++) {
		u32 value = group->residents[i];

		if (!(group->residency[value] & LOOM_GROUP_RESIDENT_FLUSH))
			continue;
		instance = resident(w, value);
		ref = w->lower->storage->locations[value].ref;
		ref.tensor = value;
		to = dram_view(w, &ref, &instance.box);
		from = plain_view(w, &instance, &instance.box);
		command(w, -1, DRM_LOOM_OP_STORE, &to, &from);
	}
}

/* Rows [@lo, @hi) of what a root has of the other axes, or what a part makes of them. */
static struct loom_group_box rows_of(const struct writer *w, u32 which, u32 index, u64 lo, u64 hi)
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

/* Rows that the slice before has kept go to the top of the strip. */
static void restore_rows(struct writer *w, u32 which, u32 index, s32 position)
{
	struct drm_loom_plan_view to, from;
	struct loom_group_box box;
	u64 lo, hi;

	if (!loom_group_kept(w->group, which, index, w->slice, &lo, &hi))
		return;
	box = rows_of(w, which, index, lo, hi);
	to = plain_view(w, &w->strips[which], &box);
	from = plain_view(w, &w->lines[which], &box);
	command(w, position, DRM_LOOM_OP_COPY, &to, &from);
}

/* New rows of a value from outside. */
static void load_rows(struct writer *w, u32 which, s32 position)
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
	to = plain_view(w, &w->strips[which], &box);
	from = dram_view(w, &ref, &box);
	command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
}

/* The strip of a root for this slice, if it has one. */
static void begin_strip(struct writer *w, u32 which, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_root *root = &group->roots[which];
	struct loom_group_box box = root->hull;
	s32 position = loom_group_load_at(group, group->parts[index].first_entry);
	u64 lo, hi;
	u32 i;

	if (group->residency[root->value] & LOOM_GROUP_RESIDENT_IN) {
		w->strips[which] = resident(w, root->value);
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
	make_tensor(w, &w->strips[which], &box,
		    w->lower->storage->locations[root->value].ref.dtype, use_of(w, which)->rank,
		    root->lane, item_offset(w, root->strip));
	label(w, &w->strips[which], root->value, LOOM_LABEL_ROWS);
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

/* Rows that the next slice still needs go to the line buffer. */
static void save_rows(struct writer *w, u32 which, u32 index, s32 position)
{
	const struct loom_group_root *root = &w->group->roots[which];
	u32 first = root->kind == LOOM_GROUP_INPUT ? 0 : root->first_writer;
	u32 last = root->kind == LOOM_GROUP_INPUT ? 0 : root->last_writer, i;
	struct drm_loom_plan_view to, from;
	struct loom_group_box box = root->hull;
	u64 lo, hi, least = U64_MAX, most = 0;

	(void)index;
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
	make_tensor(w, &w->lines[which], &box,
		    w->lower->storage->locations[root->value].ref.dtype, use_of(w, which)->rank,
		    root->lane, item_offset(w, root->line));
	label(w, &w->lines[which], root->value, LOOM_LABEL_LINE);
	for (i = first; i <= last && !w->lower->build->status; i++) {
		if (root->kind == LOOM_GROUP_INSIDE && w->group->parts[i].root[0] != which)
			continue;
		if (!loom_group_kept(w->group, which, i, w->slice + 1, &lo, &hi))
			continue;
		box = rows_of(w, which, i, lo, hi);
		to = plain_view(w, &w->lines[which], &box);
		from = plain_view(w, &w->strips[which], &box);
		command(w, position, DRM_LOOM_OP_COPY, &to, &from);
	}
}

/* Weights, loaded values that cannot be cut, temporaries; the last are called as the result is. */
static void label_own(const struct writer *w, u32 index, u32 i)
{
	const struct loom_group_part *part = &w->group->parts[index];
	bool loaded = part->op->kernel.operands[i].role == LOOM_ROLE_LOAD;
	u32 value = part->op->access[loaded ? i : 0].value;
	enum loom_label_kind kind = LOOM_LABEL_TEMP;

	if (loaded && w->lower->graph->values[value]->data)
		kind = part->held >> i & 1 && w->group->slices > 1 ? LOOM_LABEL_HELD :
								      LOOM_LABEL_WEIGHT;
	else if (loaded)
		kind = LOOM_LABEL_ROWS;
	label(w, &w->own[index][i], value, kind);
}

/* What an operand of a part's own is for chunk @chunk, loaded or made. */
static void make_own(struct writer *w, u32 index, u32 i, u32 chunk,
		     const struct loom_group_box *out)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	bool held = part->held >> i & 1, temp = operand->role == LOOM_ROLE_TEMP;
	struct instance *own = &w->own[index][i];
	bool chunks = loom_group_follows_chunks(part, i) && !held;
	struct drm_loom_attr_fill fill = { .bits = operand->bits };
	struct drm_loom_plan_view to, from;
	struct loom_group_box whole = *out, box;
	u32 item = part->item[i] + (chunks && !temp ? chunk : 0);
	s32 position;

	if (own->there && (held || (!chunks && !temp && chunk)))
		return;
	if (part->chunk && held) {
		whole.lo[part->chunk_axis] = 0;
		whole.hi[part->chunk_axis] =
			part->op->kernel.operands[0].ref.dims[part->chunk_axis];
	}
	if (loom_group_keeps_chunk(part, i, chunk) && w->kept[item].there) {
		*own = w->kept[item];
		return;
	}
	loom_group_operand_box(&part->op->kernel, i, &whole, &box);
	make_tensor(w, own, &box, operand->ref.dtype, operand->ref.rank, operand->lane_axis,
		    item_offset(w, item));
	label_own(w, index, i);
	if (loom_group_keeps_chunk(part, i, chunk))
		w->kept[item] = *own;
	if (temp || w->lower->build->status)
		return;
	position = loom_group_load_at(w->group, part->first_entry + (chunks ? chunk : 0));
	position -= part->lead[i];
	to = plain_view(w, own, &box);
	if (operand->role == LOOM_ROLE_FILL) {
		loom_build_command(w->lower->build, step_at(w, position), DRM_LOOM_OP_FILL, &to, 1,
				   &fill, sizeof(fill));
		return;
	}
	from = dram_view(w, &operand->ref, &box);
	command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
}

/* The part @box of an operand that is not its op's alone. */
static struct drm_loom_plan_view shared_view(const struct writer *w,
					     const struct loom_group_part *part, u32 i,
					     const struct loom_group_box *box)
{
	const struct loom_group_access *access = &part->op->access[i];
	struct instance instance = part->root[i] == LOOM_GROUP_NONE ?
				   resident(w, access->value) : w->strips[part->root[i]];

	return strip_view(w, &instance, access, part->op->kernel.operands[i].ref.rank, box);
}

static void write_stages(struct writer *w, u32 index, s32 position,
			 const struct loom_group_box *boxes)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct drm_loom_plan_view views[DRM_LOOM_MAX_OPERANDS];
	u32 i, k;

	for (i = 0; i < kernel->num_stages && !w->lower->build->status; i++) {
		struct loom_stage stage = kernel->stages[i];
		u32 in = stage.operand[1];

		loom_kernel_tune(kernel, &stage, boxes[0].lo, boxes[in].lo, boxes[in].hi);
		for (k = 0; k < stage.operands; k++) {
			u32 o = stage.operand[k];

			views[k] = loom_group_is_own(w->group, part, o) ?
				   plain_view(w, &w->own[index][o], &boxes[o]) :
				   shared_view(w, part, o, &boxes[o]);
		}
		loom_build_command(w->lower->build, step_at(w, position), stage.opcode, views,
				   stage.operands, stage.attr_bytes ? &stage.conv : NULL,
				   stage.attr_bytes);
	}
}

/* A copy or a fill: it runs in the DMA stream, at the time at which an op would compute. */
static void write_move(struct writer *w, u32 index, s32 position,
		       const struct loom_group_box *boxes)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct drm_loom_attr_fill fill = { .bits = kernel->operands[0].bits };
	struct drm_loom_plan_view to, from;

	to = shared_view(w, part, 0, &boxes[0]);
	if (part->op->kind == LOOM_GROUP_FILL) {
		if (!w->lower->build->status)
			loom_build_command(w->lower->build, step_at(w, position), DRM_LOOM_OP_FILL,
					   &to, 1, &fill, sizeof(fill));
		return;
	}
	if (part->root[1] == LOOM_GROUP_NONE &&
	    !(w->group->residency[part->op->access[1].value] & LOOM_GROUP_RESIDENT_IN)) {
		from = dram_view(w, &kernel->operands[1].ref, &boxes[1]);
		command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
		return;
	}
	from = shared_view(w, part, 1, &boxes[1]);
	command(w, position, DRM_LOOM_OP_COPY, &to, &from);
}

static void write_entry(struct writer *w, u32 index, u32 chunk)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct loom_group_box boxes[LOOM_KERNEL_OPERANDS];
	s32 position = loom_group_compute_at(w->group, part->first_entry + chunk);
	u32 i;

	if (!loom_group_part_box(w->group, index, w->slice, chunk, &boxes[0]))
		return;
	for (i = 1; i < kernel->num_operands && !w->lower->build->status; i++) {
		loom_group_operand_box(kernel, i, &boxes[0], &boxes[i]);
		if (loom_group_is_own(w->group, part, i))
			make_own(w, index, i, chunk, &boxes[0]);
	}
	if (w->lower->build->status)
		return;
	if (part->op->kind == LOOM_GROUP_COMPUTE)
		write_stages(w, index, position, boxes);
	else
		write_move(w, index, position, boxes);
}

/* What a part made in this slice, or in all, goes to DRAM at a position. */
static void store_rows(struct writer *w, u32 index, bool all, s32 position)
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
		loom_group_stored(group, index, w->slice, &box.lo[part->axis],
				  &box.hi[part->axis]);
		any = box.lo[part->axis] < box.hi[part->axis];
	}
	if (!any || w->lower->build->status)
		return;
	to = dram_view(w, &y->ref, &box);
	from = strip_view(w, &w->strips[part->root[0]], &part->op->access[0], y->ref.rank, &box);
	command(w, position, DRM_LOOM_OP_STORE, &to, &from);
}

/*
 * A strip is stored when the last part that writes it is done: while one writes it, the DMA
 * stream must not touch it.
 */
static void store_strip(struct writer *w, u32 which, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_root *root = &group->roots[which];
	const struct loom_group_part *part = &group->parts[index];
	s32 position = loom_group_store_at(group, part->first_entry + part->entries - 1);
	bool all = group->residency[root->value] & LOOM_GROUP_RESIDENT_OUT;
	u32 i;

	if (!root->stored || root->last_writer != index ||
	    (all && w->slice + 1 < group->slices))
		return;
	for (i = root->first_writer; i <= index; i++)
		if (group->parts[i].root[0] == which)
			store_rows(w, i, all, position);
}

/* Strips whose last use this part is give what the next slice needs to their line buffers. */
static void end_strips(struct writer *w, u32 index)
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
			save_rows(w, i, index, position);
	}
}

static void write_part(struct writer *w, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_part *part = &group->parts[index];
	u32 i;

	for (i = 0; i < group->num_roots && !w->lower->build->status; i++) {
		const struct loom_group_root *root = &group->roots[i];

		if ((root->kind == LOOM_GROUP_INPUT ? root->first_reader : root->first_writer) ==
		    index)
			begin_strip(w, i, index);
	}
	for (i = 0; i < part->entries && !w->lower->build->status; i++)
		write_entry(w, index, i);
	store_strip(w, part->root[0], index);
	end_strips(w, index);
}

/* What is streamed is loaded anew in each slice. */
static void drop_streamed(struct writer *w)
{
	u32 index, i;

	for (index = 0; index < w->group->num_parts; index++)
		for (i = 0; i < LOOM_KERNEL_OPERANDS; i++)
			if (!(w->group->parts[index].held >> i & 1))
				w->own[index][i].there = false;
}

static int note_parts(struct writer *w, u64 height)
{
	const struct loom_group *group = w->group;
	u32 index, i, slice;
	u64 lo, hi;
	int ret = 0;

	for (index = 0; index < group->num_parts && !ret; index++) {
		const struct loom_group_part *part = &group->parts[index];
		const struct loom_ref *y = &part->op->kernel.operands[0].ref;
		u32 at = group->list->units[part->op->unit].node;
		const struct loom_node *node = w->lower->storage->nodes[at];
		struct loom_program_kernel note = {
			.node = node->name,
			.op = node->source_op,
			.first_step = w->lower->step,
			.slices = group->slices,
			.overlap = group->overlap,
			.rank = y->rank,
			.scratch_bytes = height,
		};

		for (i = 0; i < y->rank; i++) {
			note.dims[i] = y->dims[i];
			note.chunk[i] = y->dims[i];
		}
		if (part->chunk)
			note.chunk[part->chunk_axis] = part->chunk;
		for (slice = 0; slice < group->slices && part->axis >= 0; slice++) {
			if (!slice)
				note.chunk[part->axis] = 0;
			loom_group_rows(group, index, slice, &lo, &hi);
			note.chunk[part->axis] = max(note.chunk[part->axis], hi - lo);
		}
		ret = loom_kernel_note(w->lower, &note);
	}
	return ret;
}

int loom_group_emit(struct loom_lower *lower, struct loom_group *group)
{
	struct writer *w = calloc(1, sizeof(*w));
	u64 height = 0;
	u32 i;
	int ret;

	if (!w)
		return -ENOMEM;
	w->lower = lower;
	w->group = group;
	w->base = lower->step + 1;
	w->kept = calloc((size_t)group->num_items + 1, sizeof(*w->kept));
	ret = w->kept ? loom_group_place(group, lower->sram.bytes, &height) : -ENOMEM;
	if (!ret)
		ret = note_parts(w, height);
	for (i = 0; i < group->num_residents && !ret; i++)
		group->locations[group->residents[i]].offset =
			group->items[group->resident_items[i]].offset[0];
	if (ret) {
		free(w->kept);
		free(w);
		return ret;
	}
	flush_residents(w);
	for (w->slice = 0; w->slice < group->slices && !lower->build->status; w->slice++) {
		drop_streamed(w);
		for (i = 0; i < group->num_parts; i++)
			write_part(w, i);
	}
	lower->scratch_bytes = max(lower->scratch_bytes, height);
	lower->step = loom_build_squeeze(lower->build, lower->step);
	lower->sliced_nodes += group->slices > 1 ? group->num_units : 0;
	free(w->kept);
	free(w);
	return lower->build->status;
}
