// SPDX-License-Identifier: MIT
/* Records of the driver about plans as sentences. They need no device, so tests can call them. */
#include <stddef.h>
#include <stdio.h>

#include "loom_core.h"
#include "loom_device.h"
#include "loom_verify.h"

int loom_reject_print(char *text, size_t size, const struct drm_loom_reject *reject)
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
		{ DRM_LOOM_REJECT_PAYLOAD, "reason", offsetof(struct drm_loom_reject, reason) },
		{ DRM_LOOM_REJECT_PAYLOAD, "byte of the payload",
		  offsetof(struct drm_loom_reject, payload_at) },
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
	return snprintf(text, size, "the plan was refused by rule %u (%s: %s)%s", reject->rule,
			loom_rule_name(reject->rule), loom_rule_text(reject->rule), where);
}

static int print_conflict(char *text, size_t size, const struct drm_loom_scratch_conflict *conflict)
{
	/* the addresses of others' buffers are secret, unless this process may read them */
	if (!conflict->handle && !conflict->bytes)
		return snprintf(text, size,
				"the plan's scratch ends at %#llx in bank %u, where another process has an SRAM buffer: %llu bytes too many",
				(unsigned long long)conflict->scratch_end, conflict->bank,
				(unsigned long long)conflict->short_bytes);
	return snprintf(text, size,
			"the plan's scratch ends at %#llx in bank %u, where %s has its SRAM buffer of %llu bytes from %#llx on: %llu bytes too many",
			(unsigned long long)conflict->scratch_end, conflict->bank,
			conflict->handle ? "this process" : "another process",
			(unsigned long long)conflict->bytes,
			(unsigned long long)conflict->address,
			(unsigned long long)conflict->short_bytes);
}

int loom_fit_print(char *text, size_t size, const struct drm_loom_fit *fit)
{
	if (fit->conflict.short_bytes)
		return print_conflict(text, size, &fit->conflict);
	if (fit->dram_short_bytes || fit->rom_short_bytes)
		return snprintf(text, size,
				"the plan's buffers take %llu bytes of each bank of %s: %llu too many",
				(unsigned long long)(fit->dram_short_bytes ? fit->dram_bytes :
									     fit->rom_bytes),
				fit->dram_short_bytes ? "DRAM" : "ROM",
				(unsigned long long)(fit->dram_short_bytes ? fit->dram_short_bytes :
									     fit->rom_short_bytes));
	if (fit->flags & DRM_LOOM_FIT_NOW)
		return snprintf(text, size, "the plan fits: %llu bytes of scratch in a bank",
				(unsigned long long)fit->scratch_bytes);
	if (fit->flags & DRM_LOOM_FIT_EXCLUSIVE)
		return snprintf(text, size,
				"the plan's scratch takes %llu bytes of a bank: more than is kept for it on a device that others use, too",
				(unsigned long long)fit->scratch_bytes);
	return snprintf(text, size, "the plan does not fit now: %llu bytes of scratch in a bank",
			(unsigned long long)fit->scratch_bytes);
}
