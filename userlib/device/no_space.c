// SPDX-License-Identifier: MIT
/* The record of a failed BO_CREATE as a sentence. Needs no device, so tests can call it. */
#include <stdio.h>

#include "loom_core.h"
#include "loom_device.h"

static const char *const loom_no_space_regions[DRM_LOOM_REGION_COUNT] = {
	[DRM_LOOM_REGION_DRAM] = "DRAM", [DRM_LOOM_REGION_SRAM] = "SRAM",
	[DRM_LOOM_REGION_ROM] = "ROM",
};

static int loom_no_space_reason(char *text, size_t size, const struct drm_loom_no_space *record)
{
	unsigned long long asked = record->bytes_per_bank, left = record->free_bytes;
	unsigned long long common = record->common_free_bytes;
	unsigned long long largest = record->largest_free_bytes;
	char head[160], each[32] = "past 64 bits";

	/* all ones represent an overflow */
	if (record->bytes_per_bank != UINT64_MAX)
		snprintf(each, sizeof(each), "%llu", asked);
	snprintf(head, sizeof(head), "%llu bytes do not fit in %s: %s in each of %u bank%s",
		 (unsigned long long)record->size_bytes,
		 record->region < DRM_LOOM_REGION_COUNT ? loom_no_space_regions[record->region] :
							  "?",
		 each, record->banks, record->banks == 1 ? "" : "s");
	switch (record->reason) {
	case DRM_LOOM_NO_SPACE_TOO_LARGE:
		return snprintf(text, size, "%s, and a bank has %llu", head,
				(unsigned long long)record->bank_bytes);
	case DRM_LOOM_NO_SPACE_EXHAUSTED:
		return snprintf(text, size, "%s, and the fullest has %llu left: exhausted", head,
				left);
	case DRM_LOOM_NO_SPACE_LOCKSTEP:
		return snprintf(text, size,
				"%s, and %llu are left, but %llu at addresses free in all of them",
				head, left, common);
	case DRM_LOOM_NO_SPACE_FRAGMENTED:
		return snprintf(text, size,
				"%s, and %llu are left, but %llu in one piece: fragmented", head,
				common, largest);
	case DRM_LOOM_NO_SPACE_SCRATCH:
		return snprintf(text, size,
				"%s, and %llu are left in one piece, but the lowest %llu are kept for scratch",
				head, largest, (unsigned long long)record->scratch_bytes);
	case DRM_LOOM_NO_SPACE_LIMIT:
		return snprintf(text, size, "%s, and that is more than the control group has left",
				head);
	}
	return snprintf(text, size, "the device's memory is full");
}

int loom_no_space_print(char *text, size_t size, const struct drm_loom_no_space *record)
{
	int length = loom_no_space_reason(text, size, record);
	size_t at;

	if (length < 0 || !record->blocker_bytes)
		return length;
	at = (size_t)length < size ? (size_t)length : size;
	return length + snprintf(text + at, size - at,
				 "; the largest buffer with a label there is '%.*s': %llu bytes in each",
				 DRM_LOOM_LABEL_BYTES, record->blocker,
				 (unsigned long long)record->blocker_bytes);
}
