/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PLAN_ORACLE_H
#define LOOM_TESTS_PLAN_ORACLE_H

/*
 * Simulates by brute force what a plan does to memory: it looks at every byte of every element of
 * every operand. It shares no code with the verifier and knows only the plan format. For small
 * plans with valid tables.
 */

#include "plan_builder.h"

/* A test with a small world says so, as all of this is cleared for each plan. */
#ifndef ORACLE_SLOT_BYTES
#define ORACLE_SLOT_BYTES	1024
#define ORACLE_SLOTS		4
#define ORACLE_LANES		5
#define ORACLE_BANK_BYTES	512
#define ORACLE_ELEMENTS		4096
#endif
#define ORACLE_BYTES		(ORACLE_SLOTS * ORACLE_SLOT_BYTES + \
				 ORACLE_LANES * ORACLE_BANK_BYTES + \
				 ORACLE_LANES * ORACLE_SLOTS * ORACLE_BANK_BYTES)

enum oracle_fault {
	ORACLE_OUTSIDE = 1,
	ORACLE_OVERLAP = 2,
	ORACLE_READ_ONLY = 4,
	ORACLE_UNWRITTEN = 8,
	ORACLE_NOT_DISTINCT = 16,
	ORACLE_IN_PLACE = 32,
	ORACLE_HAZARD = 64,
	ORACLE_DEAD = 128,
	/* it has more elements than the oracle wants to look at */
	ORACLE_LARGE = 256,
};

struct oracle {
	struct plan_builder *pb;
	u32 faults;
	/* tensor that wrote the byte last, plus one; zero for none */
	u16 writer[ORACLE_BYTES];
	/* tensor that has the byte in this step, plus one */
	u16 owner[ORACLE_BYTES];
	/* bit stream * 2 + written */
	u8 touched[ORACLE_BYTES];
	u8 mark[ORACLE_BYTES];
	/* first byte of each element of the operands of a command */
	u32 count[DRM_LOOM_MAX_OPERANDS];
	int at[DRM_LOOM_MAX_OPERANDS][ORACLE_ELEMENTS];
};

static inline u32 oracle_root(struct oracle *o, u32 tensor)
{
	const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, tensor);

	return t->flags & DRM_LOOM_TENSOR_ALIAS ? t->parent : tensor;
}

/* One number for a byte of a slot or of a bank; -1 outside. */
static inline int oracle_byte(struct oracle *o, const struct drm_loom_plan_tensor *t, s64 offset,
			      u32 bank)
{
	if (offset < (s64)t->offset || offset >= (s64)(t->offset + t->size))
		return -1;
	if (t->flags & DRM_LOOM_TENSOR_SLOT) {
		if (offset >= (s64)pb_slot(o->pb, t->slot)->size || bank >= o->pb->header.lanes)
			return -1;
		return ORACLE_SLOTS * ORACLE_SLOT_BYTES + offset + ORACLE_BANK_BYTES *
		       (ORACLE_LANES * (1 + t->slot) + bank);
	}
	if (t->region == DRM_LOOM_REGION_DRAM) {
		if (offset >= (s64)pb_slot(o->pb, t->slot)->size)
			return -1;
		return t->slot * ORACLE_SLOT_BYTES + offset;
	}
	if (offset >= (s64)o->pb->header.scratch_bytes || bank >= o->pb->header.lanes)
		return -1;
	return ORACLE_SLOTS * ORACLE_SLOT_BYTES + bank * ORACLE_BANK_BYTES + offset;
}

static inline void oracle_list(struct oracle *o, u32 operand, const struct drm_loom_plan_view *v)
{
	const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, v->tensor);
	bool sram = t->region == DRM_LOOM_REGION_SRAM;
	u32 bytes = loom_dtype_stride(t->dtype);
	u32 index[DRM_LOOM_MAX_RANK] = {};
	u32 axis, i;

	o->count[operand] = 0;
	for (;;) {
		s64 offset = t->offset + v->offset;
		u32 bank = 0;

		for (i = 0; i < v->rank; i++) {
			if (sram && i == v->lane_axis) {
				u32 lane = v->lane_start + index[i];

				bank = lane % o->pb->header.lanes;
				offset += lane / o->pb->header.lanes * v->strides[i];
			} else {
				offset += index[i] * v->strides[i];
			}
		}
		if (o->count[operand] == ORACLE_ELEMENTS) {
			o->faults |= ORACLE_LARGE;
			return;
		}
		o->at[operand][o->count[operand]++] = oracle_byte(o, t, offset, bank);
		if (oracle_byte(o, t, offset, bank) < 0 ||
		    oracle_byte(o, t, offset + bytes - 1, bank) < 0) {
			o->faults |= ORACLE_OUTSIDE;
			return;
		}
		for (axis = v->rank; axis-- > 0;) {
			if (++index[axis] < v->dims[axis])
				break;
			index[axis] = 0;
		}
		if (axis == ~0U)
			return;
	}
}

static inline bool oracle_in_slot(const struct drm_loom_plan_tensor *t)
{
	return t->region == DRM_LOOM_REGION_DRAM || t->flags & DRM_LOOM_TENSOR_SLOT;
}

static inline bool oracle_may_read(struct oracle *o, const struct drm_loom_plan_tensor *t)
{
	return oracle_in_slot(t) &&
	       pb_slot(o->pb, t->slot)->flags & DRM_LOOM_SLOT_READ;
}

static inline void oracle_read(struct oracle *o, u32 operand, const struct drm_loom_plan_view *v,
			       bool compute)
{
	const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, v->tensor);
	u32 bytes = loom_dtype_stride(t->dtype);
	u32 i, b;

	for (i = 0; i < o->count[operand]; i++) {
		for (b = 0; b < bytes; b++) {
			u32 at = o->at[operand][i] + b;

			if (!oracle_may_read(o, t) &&
			    o->writer[at] != oracle_root(o, v->tensor) + 1)
				o->faults |= ORACLE_UNWRITTEN;
			if (o->touched[at] & (2 << (compute ? 0 : 2)))
				o->faults |= ORACLE_HAZARD;
			o->touched[at] |= 1 << (compute ? 2 : 0);
		}
	}
}

static inline void oracle_write(struct oracle *o, const struct drm_loom_plan_view *v, bool compute)
{
	const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, v->tensor);
	u32 bytes = loom_dtype_stride(t->dtype);
	u32 i, b;

	if (oracle_in_slot(t) && !(pb_slot(o->pb, t->slot)->flags & DRM_LOOM_SLOT_WRITE))
		o->faults |= ORACLE_READ_ONLY;
	memset(o->mark, 0, sizeof(o->mark));
	for (i = 0; i < o->count[0]; i++) {
		for (b = 0; b < bytes; b++) {
			u32 at = o->at[0][i] + b;

			if (o->mark[at])
				o->faults |= ORACLE_NOT_DISTINCT;
			o->mark[at] = 1;
			o->writer[at] = oracle_root(o, v->tensor) + 1;
			if (o->touched[at] & (3 << (compute ? 0 : 2)))
				o->faults |= ORACLE_HAZARD;
			o->touched[at] |= 2 << (compute ? 2 : 0);
		}
	}
}

/* y is operand 0, marked by oracle_write(). */
static inline void oracle_in_place(struct oracle *o, u32 operand, const struct loom_op *op,
				   const struct drm_loom_plan_view *views)
{
	u32 bytes = loom_dtype_stride(pb_tensor(o->pb, views[operand].tensor)->dtype);
	u32 y_bytes = loom_dtype_stride(pb_tensor(o->pb, views[0].tensor)->dtype);
	bool same = op->in_place >> operand & 1 && bytes == y_bytes &&
		    o->count[operand] == o->count[0];
	bool meets = false;
	u32 i, b;

	for (i = 0; i < o->count[operand]; i++) {
		for (b = 0; b < bytes; b++)
			meets |= o->mark[o->at[operand][i] + b];
		if (same && o->at[operand][i] != o->at[0][i])
			same = false;
	}
	if (meets && !same)
		o->faults |= ORACLE_IN_PLACE;
}

static inline void oracle_command(struct oracle *o, u32 step, u32 command, bool compute)
{
	const struct drm_loom_plan_command *c = pb_command(o->pb, command);
	const struct drm_loom_plan_view *views = pb_operand(o->pb, command, 0);
	u32 i;

	for (i = 0; i < c->operands; i++) {
		const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, views[i].tensor);

		if (step < t->first_step || step > t->last_step)
			o->faults |= ORACLE_DEAD;
		oracle_list(o, i, &views[i]);
		if (o->faults & (ORACLE_OUTSIDE | ORACLE_LARGE))
			return;
	}
	for (i = 1; i < c->operands; i++)
		oracle_read(o, i, &views[i], compute);
	oracle_write(o, &views[0], compute);
	for (i = 1; i < c->operands; i++)
		oracle_in_place(o, i, loom_op_get(c->opcode), views);
}

static inline void oracle_alive(struct oracle *o, u32 step)
{
	u32 i, bank;
	u64 b;

	memset(o->owner, 0, sizeof(o->owner));
	for (i = 0; i < o->pb->tensors.count; i++) {
		const struct drm_loom_plan_tensor *t = pb_tensor(o->pb, i);
		u32 banks = t->region == DRM_LOOM_REGION_SRAM ? o->pb->header.lanes : 1;

		if (t->flags & DRM_LOOM_TENSOR_ALIAS || step < t->first_step || step > t->last_step)
			continue;
		for (bank = 0; bank < banks; bank++) {
			for (b = t->offset; b < t->offset + t->size; b++) {
				int at = oracle_byte(o, t, b, bank);

				if (at < 0) {
					o->faults |= ORACLE_OUTSIDE;
					return;
				}
				if (o->owner[at])
					o->faults |= ORACLE_OVERLAP;
				o->owner[at] = i + 1;
			}
		}
	}
}

/* Return: the faults of a plan, a mask of enum oracle_fault. */
static inline u32 oracle_judge(struct oracle *o, struct plan_builder *pb)
{
	u32 step, i;

	memset(o, 0, sizeof(*o));
	o->pb = pb;
	for (step = 0; step < pb->steps.count; step++) {
		const struct drm_loom_plan_step *s = pb_step(pb, step);

		oracle_alive(o, step);
		memset(o->touched, 0, sizeof(o->touched));
		for (i = 0; i < s->dma_commands + s->compute_commands; i++) {
			if (o->faults & (ORACLE_OUTSIDE | ORACLE_LARGE))
				return o->faults;
			oracle_command(o, step, s->first_command + i, i >= s->dma_commands);
		}
	}
	return o->faults;
}

#endif /* LOOM_TESTS_PLAN_ORACLE_H */
