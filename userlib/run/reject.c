// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdio.h>

#include "loom_verify.h"

int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject)
{
	static const struct {
		uint32_t bit;
		const char *name;
		size_t offset;
	} fields[] = {
		{ DRM_LOOM_REJECT_STEP, "step", offsetof(struct drm_loom_reject, step) },
		{ DRM_LOOM_REJECT_COMMAND, "command", offsetof(struct drm_loom_reject, command) },
		{ DRM_LOOM_REJECT_OPERAND, "operand", offsetof(struct drm_loom_reject, operand) },
		{ DRM_LOOM_REJECT_SLOT, "slot", offsetof(struct drm_loom_reject, slot) },
		{ DRM_LOOM_REJECT_TENSOR, "tensor", offsetof(struct drm_loom_reject, tensor) },
		{ DRM_LOOM_REJECT_OTHER, "other tensor", offsetof(struct drm_loom_reject, other) },
	};
	char where[256] = "";
	size_t at = 0, i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (reject->valid & fields[i].bit)
			at += snprintf(where + at, sizeof(where) - at, ", %s %u", fields[i].name,
				       *(const uint32_t *)((const char *)reject +
							   fields[i].offset));
	if (reject->valid & DRM_LOOM_REJECT_RANGE)
		snprintf(where + at, sizeof(where) - at, ", bytes 0x%llx to 0x%llx",
			 (unsigned long long)reject->start, (unsigned long long)reject->end);
	return loom_error_set(err, -EBADMSG, "the plan was refused by rule %u (%s: %s)%s",
			      reject->rule, loom_rule_name(reject->rule),
			      loom_rule_text(reject->rule), where);
}
