// SPDX-License-Identifier: MIT
/*
 * Records of plans and of failed allocations in words: each case, or reason, has a text with its
 * figures.
 */
#include <string.h>

#include "loom_device.h"
#include "tap.h"

static void says(int length, const char *text, const char *want)
{
	tap_ok(length == (int)strlen(want) && !strcmp(text, want), "%s", text);
}

static void test_reject(void)
{
	struct drm_loom_reject reject = {
		.rule = DRM_LOOM_RULE_IMAGE, .step = 11, .command = 12, .operand = 13, .slot = 14,
		.tensor = 15, .other = 16, .start = 0x170, .end = 0x180,
	};
	char head[400], text[512], small[16], want[512];
	int length;

	loom_reject_print(text, sizeof(text), &reject);
	tap_ok(!strncmp(text, "the plan was refused by rule ", 29) && strchr(text, ':') &&
	       !strstr(text, " 11"), "fields that are not valid are not told: %s", text);
	snprintf(head, sizeof(head), "%.399s", text);
	reject.valid = DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND | DRM_LOOM_REJECT_OPERAND |
		       DRM_LOOM_REJECT_SLOT | DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_OTHER |
		       DRM_LOOM_REJECT_RANGE;
	snprintf(want, sizeof(want),
		 "%s, step 11, command 12, operand 13, slot 14, tensor 15, other tensor 16, bytes 0x170 to 0x180",
		 head);
	length = loom_reject_print(text, sizeof(text), &reject);
	says(length, text, want);
	tap_ok(loom_reject_print(small, sizeof(small), &reject) == length &&
	       !strncmp(small, want, 15) && !small[15], "it is cut where it must be");
	reject.rule = 77777;
	tap_ok(loom_reject_print(text, sizeof(text), &reject) > 0, "a rule of a later driver: %s",
	       text);
}

static void test_fit(void)
{
	struct drm_loom_fit fit = { .scratch_bytes = 4096 };
	char text[512];

	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan does not fit now: 4096 bytes of scratch in a bank");
	fit.flags = DRM_LOOM_FIT_EXCLUSIVE;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's scratch takes 4096 bytes of a bank: more than is kept for it on a device that others use, too");
	fit.flags |= DRM_LOOM_FIT_NOW;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan fits: 4096 bytes of scratch in a bank");
	fit.rom_bytes = 500;
	fit.rom_short_bytes = 50;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's buffers take 500 bytes of each bank of ROM: 50 too many");
	fit.dram_bytes = 600;
	fit.dram_short_bytes = 60;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's buffers take 600 bytes of each bank of DRAM: 60 too many");
	fit.conflict = (struct drm_loom_scratch_conflict){
		.bank = 3, .scratch_end = 0x1000, .short_bytes = 256,
	};
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's scratch ends at 0x1000 in bank 3, where another process has an SRAM buffer: 256 bytes too many");
	fit.conflict.address = 0xf00;
	fit.conflict.bytes = 512;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's scratch ends at 0x1000 in bank 3, where another process has its SRAM buffer of 512 bytes from 0xf00 on: 256 bytes too many");
	fit.conflict.handle = 7;
	says(loom_fit_print(text, sizeof(text), &fit), text,
	     "the plan's scratch ends at 0x1000 in bank 3, where this process has its SRAM buffer of 512 bytes from 0xf00 on: 256 bytes too many");
}

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

/* A label may have 64 characters, with no zero behind them. */
static void test_blocker(void)
{
	struct drm_loom_no_space record = sample;
	char text[384], small[100];
	const char *at;
	int length;

	record.reason = DRM_LOOM_NO_SPACE_EXHAUSTED;
	record.blocker_bytes = 424242;
	memset(record.blocker, 'x', sizeof(record.blocker));
	length = loom_no_space_print(text, sizeof(text), &record);
	at = strchr(text, '\'');
	tap_ok(length == (int)strlen(text) && at && strspn(at + 1, "x") == DRM_LOOM_LABEL_BYTES &&
	       !strcmp(at + 1 + DRM_LOOM_LABEL_BYTES, "': 424242 bytes in each"),
	       "the largest buffer with a label: %s", text);
	tap_ok(loom_no_space_print(small, sizeof(small), &record) == length &&
	       !strncmp(small, text, sizeof(small) - 1) && !small[sizeof(small) - 1],
	       "cut where it must be");
}

static void test_no_space(void)
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
		.blocker_bytes = ~0ULL,
	};
	char text[384];

	test_blocker();
	memset(odd.blocker, 'x', sizeof(odd.blocker));
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
}

int main(void)
{
	test_reject();
	test_fit();
	test_no_space();
	return tap_end();
}
