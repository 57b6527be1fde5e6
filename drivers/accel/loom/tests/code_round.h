/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_CODE_ROUND_H
#define LOOM_TESTS_CODE_ROUND_H

/*
 * A decoded plan as bytes and back is the same plan. Tests that make plans ask for it by the way,
 * so it is proved of everything that they think of.
 */

#include "loom_code.h"
#include "loom_op.h"
#include "loom_verify.h"

static inline bool code_same_view(const struct loom_view *a, const struct loom_view *b)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		if (a->dims[i] != b->dims[i] || a->strides[i] != b->strides[i])
			return false;
	return a->region == b->region && a->slot == b->slot && a->tensor == b->tensor &&
	       a->dtype == b->dtype && a->elem_bytes == b->elem_bytes && a->rank == b->rank &&
	       a->lane_axis == b->lane_axis && a->image == b->image && a->bound == b->bound &&
	       a->lane_start == b->lane_start && a->offset == b->offset && a->start == b->start &&
	       a->end == b->end;
}

static inline bool code_same_command(const struct loom_plan *plan, const struct loom_plan *other,
				     u32 index)
{
	const struct loom_command *a = &plan->commands[index], *b = &other->commands[index];
	u32 i;

	if (a->op != b->op || a->operands != b->operands || a->units != b->units ||
	    a->unit_cost != b->unit_cost || a->macs != b->macs || a->cycles != b->cycles ||
	    a->energy_fj != b->energy_fj || !a->attr != !b->attr ||
	    a->views - plan->views != b->views - other->views)
		return false;
	if (a->attr && memcmp(a->attr, b->attr, a->op->attr_size))
		return false;
	for (i = 0; i < a->operands; i++)
		if (!code_same_view(&a->views[i], &b->views[i]))
			return false;
	return true;
}

static inline bool code_same_slot(const struct loom_slot *a, const struct loom_slot *b)
{
	return a->size == b->size && a->flags == b->flags && a->dtype == b->dtype &&
	       a->width == b->width && a->height == b->height && a->pitch_bytes == b->pitch_bytes;
}

static inline bool code_same_plan(const struct loom_plan *a, const struct loom_plan *b)
{
	u32 i;

	if (a->lanes != b->lanes || a->overlap != b->overlap ||
	    a->scratch_bytes != b->scratch_bytes || a->slot_count != b->slot_count ||
	    a->step_count != b->step_count || a->command_count != b->command_count ||
	    a->view_count != b->view_count || a->tensor_count != b->tensor_count ||
	    a->attr_bytes != b->attr_bytes ||
	    memcmp(a->scratch_ends, b->scratch_ends, a->lanes * sizeof(*a->scratch_ends)) ||
	    memcmp(a->steps, b->steps, a->step_count * sizeof(*a->steps)))
		return false;
	for (i = 0; i < a->slot_count; i++)
		if (!code_same_slot(&a->slots[i], &b->slots[i]))
			return false;
	for (i = 0; i < a->command_count; i++)
		if (!code_same_command(a, b, i))
			return false;
	return true;
}

/* Return: 0 if @plan is what becomes of it as bytes; 1 if it is another; or -errno. */
static inline int code_round(const struct loom_plan *plan, const struct drm_loom_chip *chip)
{
	u64 size = loom_code_bytes(plan);
	void *bytes = loom_port_alloc(1, size);
	struct loom_plan *back = NULL;
	int ret = bytes && size <= LOOM_CODE_MAX_BYTES ? 0 : -ENOMEM;

	if (!ret)
		ret = loom_code_encode(plan, bytes);
	/* no bytes for a device have native commands */
	if (plan->native)
		ret = ret == -EOPNOTSUPP ? 0 : 1;
	else if (!ret)
		ret = loom_code_decode(bytes, size, chip, &back);
	if (!ret && back)
		ret = !code_same_plan(plan, back);
	loom_plan_destroy(back);
	loom_port_free(bytes);
	return ret;
}

#endif /* LOOM_TESTS_CODE_ROUND_H */
