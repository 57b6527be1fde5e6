// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

int loom_reject(struct loom_verify *verify, u32 rule)
{
	struct drm_loom_reject *reject = verify->reject;

	memset(reject, 0, sizeof(*reject));
	reject->rule = rule;
	if (verify->in_command) {
		reject->valid |= DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND;
		reject->step = verify->step;
		reject->command = verify->command;
	}
	return -EBADMSG;
}

int loom_reject_slot(struct loom_verify *verify, u32 rule, u32 slot)
{
	loom_reject(verify, rule);
	verify->reject->valid |= DRM_LOOM_REJECT_SLOT;
	verify->reject->slot = slot;
	return -EBADMSG;
}

int loom_reject_step(struct loom_verify *verify, u32 rule, u32 step)
{
	loom_reject(verify, rule);
	verify->reject->valid |= DRM_LOOM_REJECT_STEP;
	verify->reject->step = step;
	return -EBADMSG;
}

int loom_reject_tensor(struct loom_verify *verify, u32 rule, u32 tensor)
{
	loom_reject(verify, rule);
	verify->reject->valid |= DRM_LOOM_REJECT_TENSOR;
	verify->reject->tensor = tensor;
	return -EBADMSG;
}

/* Where in which space; the fields of @tensor about its place are valid by now. */
static void loom_reject_range(struct loom_verify *verify, u32 tensor, u64 start, u64 end)
{
	struct drm_loom_reject *reject = verify->reject;

	reject->valid |= DRM_LOOM_REJECT_RANGE;
	reject->region = verify->tensors[tensor].region;
	reject->start = start;
	reject->end = end;
	if (loom_tensor_in_slot(&verify->tensors[tensor])) {
		reject->valid |= DRM_LOOM_REJECT_SLOT;
		reject->slot = verify->tensors[tensor].slot;
	}
}

int loom_reject_overlap(struct loom_verify *verify, u32 rule, u32 tensor, u32 other, u64 start,
			u64 end)
{
	loom_reject_tensor(verify, rule, tensor);
	verify->reject->valid |= DRM_LOOM_REJECT_OTHER;
	verify->reject->other = other;
	loom_reject_range(verify, tensor, start, end);
	return -EBADMSG;
}

int loom_reject_operand(struct loom_verify *verify, u32 rule, u32 operand)
{
	loom_reject(verify, rule);
	verify->reject->valid |= DRM_LOOM_REJECT_OPERAND;
	verify->reject->operand = operand;
	return -EBADMSG;
}

int loom_reject_view(struct loom_verify *verify, u32 rule, u32 operand,
		     const struct loom_view *view)
{
	loom_reject_operand(verify, rule, operand);
	verify->reject->valid |= DRM_LOOM_REJECT_TENSOR;
	verify->reject->tensor = view->tensor;
	loom_reject_range(verify, view->tensor, view->start, view->end);
	return -EBADMSG;
}
