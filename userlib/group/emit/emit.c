// SPDX-License-Identifier: MIT
/*
 * Converts positions and offsets to commands: the computations, copies or fills of each operation
 * in each slice, and its weights and temporaries. Strips are made and moved by emit_strip.c.
 * Positions without commands become no steps.
 */
#include "group/emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lower/notes.h"
#include "lower/storage.h"

/*
 * Labels weights, loaded values that cannot be cut, and temporaries, which are named as the result.
 */
static void label_own(const struct loom_group_writer *w, u32 index, u32 i)
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
	loom_group_label(w, &w->own[index][i], value, kind);
}

/* Makes the tensor of an operand of a part's own for chunk @chunk, loaded or computed. */
static void make_own(struct loom_group_writer *w, u32 index, u32 i, u32 chunk,
		     const struct loom_group_box *out)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_operand *operand = &part->op->kernel.operands[i];
	bool held = part->held >> i & 1, temp = operand->role == LOOM_ROLE_TEMP;
	struct loom_group_instance *own = &w->own[index][i];
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
	loom_group_make_tensor(w, own, &box, operand->ref.dtype, operand->ref.rank,
			       operand->lane_axis, loom_group_item_offset(w, item));
	label_own(w, index, i);
	if (loom_group_keeps_chunk(part, i, chunk))
		w->kept[item] = *own;
	if (temp || w->lower->build->status)
		return;
	position = loom_group_load_at(w->group, part->first_entry + (chunks ? chunk : 0));
	position -= part->lead[i];
	to = loom_group_plain_view(w, own, &box);
	if (operand->role == LOOM_ROLE_FILL) {
		loom_build_command(w->lower->build, loom_group_step_at(w, position),
				   DRM_LOOM_OP_FILL, &to, 1, &fill, sizeof(fill));
		return;
	}
	from = loom_group_dram_view(w, &operand->ref, &box);
	loom_group_command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
}

/* The part @box of an operand that is shared between ops, or not in the SRAM. */
static struct drm_loom_plan_view shared_view(struct loom_group_writer *w,
					     const struct loom_group_part *part, u32 i,
					     const struct loom_group_box *box)
{
	const struct loom_group_access *access = &part->op->access[i];
	struct loom_group_instance instance;

	if (part->op->kernel.operands[i].role == LOOM_ROLE_DIRECT || part->direct >> i & 1)
		return loom_group_dram_view(w, &part->op->kernel.operands[i].ref, box);
	instance = part->root[i] == LOOM_GROUP_NONE ? loom_group_resident(w, access->value)
						    : w->strips[part->root[i]];
	return loom_group_strip_view(w, &instance, access, part->op->kernel.operands[i].ref.rank,
				     box);
}

static void write_stages(struct loom_group_writer *w, u32 index, s32 position,
			 const struct loom_group_box *boxes)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct drm_loom_plan_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	const u64 *first[LOOM_KERNEL_OPERANDS];
	u32 i, k;

	for (i = 0; i < kernel->num_operands; i++)
		first[i] = boxes[i].lo;
	for (i = 0; i < kernel->num_stages && !w->lower->build->status; i++) {
		struct loom_stage stage;
		u32 in = kernel->stages[i].operand[1];
		bool sums = loom_group_sums_chunks(part);

		if (!loom_kernel_part_stage(kernel, i, sums ? boxes[0].lo[LOOM_SUM_AXIS] : 0,
					    sums ? boxes[0].hi[LOOM_SUM_AXIS] : 0, &stage))
			continue;
		loom_kernel_tune(kernel, &stage, boxes[0].lo, boxes[in].lo, boxes[in].hi);
		for (k = 0; k < stage.operands; k++) {
			u32 o = stage.operand[k];

			views[k] = loom_group_is_own(w->group, part, o)
					   ? loom_group_plain_view(w, &w->own[index][o], &boxes[o])
					   : shared_view(w, part, o, &boxes[o]);
		}
		loom_lower_command(w->lower, kernel, &stage, loom_group_step_at(w, position),
				   views, first);
	}
}

/* Writes a copy or a fill: in the DMA stream, at the position at which an op would compute. */
static void write_move(struct loom_group_writer *w, u32 index, s32 position,
		       const struct loom_group_box *boxes)
{
	const struct loom_group_part *part = &w->group->parts[index];
	const struct loom_kernel *kernel = &part->op->kernel;
	struct drm_loom_attr_fill fill = { .bits = kernel->operands[0].bits };
	struct drm_loom_plan_view to, from;

	to = shared_view(w, part, 0, &boxes[0]);
	if (part->op->kind == LOOM_GROUP_FILL) {
		if (!w->lower->build->status)
			loom_build_command(w->lower->build, loom_group_step_at(w, position),
					   DRM_LOOM_OP_FILL, &to, 1, &fill, sizeof(fill));
		return;
	}
	if (part->root[1] == LOOM_GROUP_NONE &&
	    !(w->group->residency[part->op->access[1].value] & LOOM_GROUP_RESIDENT_IN)) {
		from = loom_group_dram_view(w, &kernel->operands[1].ref, &boxes[1]);
		loom_group_command(w, position, DRM_LOOM_OP_LOAD, &to, &from);
		return;
	}
	from = shared_view(w, part, 1, &boxes[1]);
	loom_group_command(w, position, DRM_LOOM_OP_COPY, &to, &from);
}

static void write_entry(struct loom_group_writer *w, u32 index, u32 chunk)
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

static void write_part(struct loom_group_writer *w, u32 index)
{
	const struct loom_group *group = w->group;
	const struct loom_group_part *part = &group->parts[index];
	u32 i;

	w->lower->build->node = group->list->units[part->op->unit].node;
	for (i = 0; i < group->num_roots && !w->lower->build->status; i++) {
		const struct loom_group_root *root = &group->roots[i];

		if ((root->kind == LOOM_GROUP_INPUT ? root->first_reader : root->first_writer) ==
		    index)
			loom_group_begin_strip(w, i, index);
	}
	for (i = 0; i < part->entries && !w->lower->build->status; i++)
		write_entry(w, index, i);
	loom_group_store_strip(w, part->root[0], index);
	loom_group_end_strips(w, index);
	w->lower->build->node = LOOM_NODE_NONE;
}

/* Streamed operands are loaded again in each slice. */
static void drop_streamed(struct loom_group_writer *w)
{
	u32 index, i;

	for (index = 0; index < w->group->num_parts; index++)
		for (i = 0; i < LOOM_KERNEL_OPERANDS; i++)
			if (!(w->group->parts[index].held >> i & 1))
				w->own[index][i].there = false;
}

static int note_parts(struct loom_group_writer *w, u64 height)
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
		ret = loom_note_kernel(w->lower, &note);
	}
	return ret;
}

static void free_writer(struct loom_group_writer *w)
{
	if (!w)
		return;
	free(w->strips);
	free(w->lines);
	free(w->own);
	free(w->kept);
	free(w);
}

static struct loom_group_writer *make_writer(struct loom_lower *lower, struct loom_group *group)
{
	struct loom_group_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->lower = lower;
	w->group = group;
	w->base = lower->step + 1;
	w->strips = calloc((size_t)group->num_roots + 1, sizeof(*w->strips));
	w->lines = calloc((size_t)group->num_roots + 1, sizeof(*w->lines));
	w->own = calloc((size_t)group->num_parts + 1, sizeof(*w->own));
	w->kept = calloc((size_t)group->num_items + 1, sizeof(*w->kept));
	if (w->strips && w->lines && w->own && w->kept)
		return w;
	free_writer(w);
	return NULL;
}

int loom_group_emit(struct loom_lower *lower, struct loom_group *group)
{
	struct loom_group_writer *w = make_writer(lower, group);
	u64 height = 0;
	u32 i;
	int ret;

	if (!w)
		return -ENOMEM;
	ret = loom_group_place(group, lower->sram.bytes, &height);
	if (!ret)
		ret = note_parts(w, height);
	for (i = 0; i < group->num_residents && !ret; i++)
		group->locations[group->residents[i]].offset =
			group->items[group->resident_items[i]].offset[0];
	if (ret) {
		free_writer(w);
		return ret;
	}
	loom_group_flush_residents(w);
	for (w->slice = 0; w->slice < group->slices && !lower->build->status; w->slice++) {
		drop_streamed(w);
		for (i = 0; i < group->num_parts; i++)
			write_part(w, i);
	}
	lower->scratch_bytes = max(lower->scratch_bytes, height);
	lower->step = loom_build_squeeze(lower->build, lower->step);
	lower->sliced_nodes += group->slices > 1 ? group->num_units : 0;
	free_writer(w);
	return lower->build->status;
}
