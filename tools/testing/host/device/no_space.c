// SPDX-License-Identifier: MIT
/* The record of a failed allocation in words: each reason has a text with its figures. */
#include <string.h>

#include "loom_device.h"
#include "tap.h"

static const struct drm_loom_no_space sample = {
	.region = DRM_LOOM_REGION_SRAM, .banks = 16, .size_bytes = 1111111, .bytes_per_bank = 22222,
	.bank_bytes = 3333, .allocated_bytes = 444, .free_bytes = 5555, .common_free_bytes = 6666,
	.largest_free_bytes = 7777, .scratch_bytes = 8888,
};

/* @tail: the text behind the sizes; NULL: a record without a reason */
static void test_reason(uint32_t reason, const char *tail)
{
	static const char head[] = "1111111 bytes do not fit in SRAM: 22222 in each of 16 banks, ";
	struct drm_loom_no_space record = sample;
	char want[256], text[256], small[8];

	snprintf(want, sizeof(want), "%s%s", tail ? head : "",
		 tail ? tail : "the device's memory is full");
	record.reason = reason;
	loom_no_space_print(text, sizeof(text), &record);
	tap_ok(!strcmp(text, want), "%s", text);
	loom_no_space_print(small, sizeof(small), &record);
	tap_ok(!strncmp(small, want, 7) && !small[7], "reason %u is cut where it must be", reason);
}

int main(void)
{
	struct drm_loom_no_space odd = {
		.reason = DRM_LOOM_NO_SPACE_FRAGMENTED,
		.region = 77,
		.banks = 1,
		.size_bytes = ~0ULL,
		.bytes_per_bank = ~0ULL,
		.bank_bytes = ~0ULL,
		.common_free_bytes = ~0ULL,
		.largest_free_bytes = ~0ULL,
	};
	char text[256];

	test_reason(DRM_LOOM_NO_SPACE_NONE, NULL);
	test_reason(DRM_LOOM_NO_SPACE_TOO_LARGE, "and a bank has 3333");
	test_reason(DRM_LOOM_NO_SPACE_EXHAUSTED, "and the fullest has 5555 left: exhausted");
	test_reason(DRM_LOOM_NO_SPACE_LOCKSTEP,
		    "and 5555 are left, but 6666 at addresses free in all of them");
	test_reason(DRM_LOOM_NO_SPACE_FRAGMENTED,
		    "and 6666 are left, but 7777 in one piece: fragmented");
	test_reason(DRM_LOOM_NO_SPACE_SCRATCH,
		    "and 7777 are left in one piece, but the lowest 8888 are kept for scratch");
	test_reason(DRM_LOOM_NO_SPACE_LIMIT, "and that is more than the control group has left");
	test_reason(1000, NULL);
	tap_ok(loom_no_space_print(text, sizeof(text), &odd) < (int)sizeof(text),
	       "the longest fits: %s", text);
	tap_ok(strstr(text, "in ?: past 64 bits in each of 1 bank, "),
	       "what leaves 64 bits is no number");
	return tap_end();
}
