/* SPDX-License-Identifier: MIT */
/*
 * DOC: Commands of a division
 *
 * emit.c and emit_strip.c write the commands of a division, explain.c gives reasons for its cuts.
 *
 * Commands are written slice by slice. An *instance* is a tensor of the plan in SRAM during a
 * slice, and the part of its value that it holds. All slices use the same offsets.
 */
#ifndef LOOM_GROUP_EMIT_H
#define LOOM_GROUP_EMIT_H

#include "group/search/search.h"

/**
 * struct loom_group_instance - a tensor in SRAM and the part of its value that it holds
 * @there: it exists; else the other fields are undefined
 * @tensor: index in the plan
 * @box: the part
 */
struct loom_group_instance {
	bool there;
	u32 tensor;
	struct loom_group_box box;
};

/**
 * struct loom_group_writer - the state of writing a group
 * @lower: the state of lowering
 * @group: the group
 * @base: step of position 0 of slice 0
 * @slice: the current slice
 * @strips: by root: strip of this slice
 * @lines: by root: line buffer, as filled by the last slice
 * @own: by part and operand: current instance
 * @kept: by item: chunks that are loaded once, for all slices
 */
struct loom_group_writer {
	struct loom_lower *lower;
	struct loom_group *group;
	u32 base;
	u32 slice;
	struct loom_group_instance *strips;
	struct loom_group_instance *lines;
	struct loom_group_instance (*own)[LOOM_KERNEL_OPERANDS];
	struct loom_group_instance *kept;
};

/* emit_strip.c: tensors, views, and transfers between DRAM, strips and line buffers */

/** loom_group_step_at() - step of the plan at a position of the current slice */
u32 loom_group_step_at(const struct loom_group_writer *w, s32 position);
/** loom_group_item_offset() - offset of item @index in the current slice: its buffers alternate */
u64 loom_group_item_offset(const struct loom_group_writer *w, u32 index);
/** loom_group_make_tensor() - a tensor of the plan for part @box, with lane axis @lane */
void loom_group_make_tensor(struct loom_group_writer *w, struct loom_group_instance *instance,
			    const struct loom_group_box *box, u32 dtype, u32 rank, u32 lane,
			    u64 offset);
/** loom_group_label() - names the tensor of an instance after @value, for reports */
void loom_group_label(const struct loom_group_writer *w, const struct loom_group_instance *instance,
		      u32 value, enum loom_label_kind kind);
/** loom_group_plain_view() - part @box of an instance, axis by axis */
struct drm_loom_plan_view loom_group_plain_view(const struct loom_group_writer *w,
						const struct loom_group_instance *in,
						const struct loom_group_box *box);
/** loom_group_strip_view() - part @box of an operand of @rank axes that lies in a strip */
struct drm_loom_plan_view loom_group_strip_view(const struct loom_group_writer *w,
						const struct loom_group_instance *in,
						const struct loom_group_access *access, u32 rank,
						const struct loom_group_box *box);
/** loom_group_dram_view() - part @box of an operand in DRAM */
struct drm_loom_plan_view loom_group_dram_view(struct loom_group_writer *w,
					       const struct loom_ref *ref,
					       const struct loom_group_box *box);
/** loom_group_command() - a command with one result and one operand, at a position */
void loom_group_command(struct loom_group_writer *w, s32 position, u32 opcode,
			const struct drm_loom_plan_view *to,
			const struct drm_loom_plan_view *from);
/** loom_group_resident() - a value that is in SRAM as a whole */
struct loom_group_instance loom_group_resident(const struct loom_group_writer *w, u32 value);
/** loom_group_flush_residents() - stores residents that must not stay any longer */
void loom_group_flush_residents(struct loom_group_writer *w);
/** loom_group_begin_strip() - strip of root @which, before part @index: kept rows, loaded rows */
void loom_group_begin_strip(struct loom_group_writer *w, u32 which, u32 index);
/** loom_group_store_strip() - stores the rows made of root @which, if part @index is its last */
void loom_group_store_strip(struct loom_group_writer *w, u32 which, u32 index);
/** loom_group_end_strips() - fills line buffers from strips that part @index is the last to use */
void loom_group_end_strips(struct loom_group_writer *w, u32 index);

/* emit.c */

/** loom_group_emit() - writes the commands of a group, from lower->step on */
int loom_group_emit(struct loom_lower *lower, struct loom_group *group);

/* explain.c */

/**
 * loom_group_explain() - record the reasons for the cuts of a division by cost
 * @list: the graph
 * @plan: a group with the residents of the division, and its budget
 * @cuts: the division
 * @num_cuts: number of @cuts
 * @sram_bytes: SRAM per lane for other divisions, of which the plan may leave a part to prefetch
 * @to: [out] other divisions; the caller must clear them
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_explain(struct loom_group_list *list, const struct loom_group *plan,
		       const struct loom_group_cut *cuts, u32 num_cuts, u64 sram_bytes,
		       struct loom_group_alternatives *to);

#endif /* LOOM_GROUP_EMIT_H */
