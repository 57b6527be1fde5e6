// SPDX-License-Identifier: MIT
/*
 * Bytes for a device that are no plan: cut, damaged, with numbers that nobody would write, and with
 * a checksum that fits. Refusals are clean; accepted plans are run on memory of exactly the
 * declared size, where the sanitiser sees any access beyond.
 */
#include <stdlib.h>

#include "code.h"
#include "loom_engine.h"
#include "random.h"

static u64 seed = 7;
static u32 taken, refused;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static u64 round_to_bank(u64 bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* In memory that ends where the slots and the scratch end; banks begin aligned. */
static void run(const struct loom_plan *plan)
{
	u64 pitch = round_to_bank(plan->scratch_bytes);
	u8 *slots[DRM_LOOM_MAX_SLOTS] = { NULL };
	u64 pitches[DRM_LOOM_MAX_SLOTS] = { 0 };
	struct loom_memory memory = {
		.lanes = plan->lanes,
		.scratch = pb_alloc(pitch * (plan->lanes - 1) + plan->scratch_bytes + 1),
		.lane_pitch = pitch,
		.slots = slots,
		.slot_pitches = pitches,
	};
	struct loom_engine engine;
	u32 i;

	for (i = 0; i < plan->slot_count; i++) {
		u64 size = plan->slots[i].size;

		/* a size that no memory has cannot be bound */
		if (size > 1 << 20)
			goto out;
		if (plan->slots[i].flags & DRM_LOOM_SLOT_SRAM) {
			pitches[i] = round_to_bank(size);
			size += pitches[i] * (plan->lanes - 1);
		}
		slots[i] = pb_alloc(size);
	}
	loom_engine_init(&engine, plan, &memory);
	for (i = 0; i < 64 && !loom_engine_run(&engine, LOOM_ENGINE_PIECE); i++)
		;
out:
	for (i = 0; i < plan->slot_count; i++)
		pb_free(slots[i]);
	pb_free(memory.scratch);
}

/* Return: whether it was refused, or was fine. */
static bool try_bytes(const void *bytes, u64 size)
{
	struct loom_plan *plan;
	int ret = loom_code_decode(bytes, size, &chip, &plan);

	if (ret) {
		refused++;
		return ret == -EBADMSG && !plan;
	}
	taken++;
	run(plan);
	loom_plan_destroy(plan);
	return true;
}

static void test_cut(const u8 *bytes, u64 size)
{
	bool ok = true;
	u64 cut;

	for (cut = 0; cut < size; cut++) {
		u8 *exact = pb_alloc(cut ? cut : 1);
		struct loom_plan *plan;

		memcpy(exact, bytes, cut);
		if (cut >= sizeof(struct loom_code_header) && !(cut % 8)) {
			((struct loom_code_header *)(void *)exact)->size = cut;
			code_fix_sum((void *)exact, cut);
		}
		ok &= loom_code_decode(exact, cut, &chip, &plan) == -EBADMSG && !plan;
		pb_free(exact);
	}
	tap_ok(ok, "cut short anywhere it is refused");
}

static void test_flips(u8 *bytes, u64 size)
{
	struct loom_plan *plan;
	bool ok = true;
	u64 bit;

	for (bit = 0; bit < size * 8; bit++) {
		bytes[bit / 8] ^= 1 << bit % 8;
		ok &= loom_code_decode(bytes, size, &chip, &plan) == -EBADMSG && !plan;
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	tap_ok(ok, "any bit flipped, it is refused");
}

/* One or two numbers changed, and a sum that fits. */
static void test_odd(u8 *bytes, u64 size)
{
	static const u64 odd[] = {
		0, 1, 2, 3, 7, 8, 16, 31, 64, 255, 256, 4095, 65535, 1U << 20, 0x7fffffff,
		0x80000000, 0xffffffff, 0x7fffffffffffffffULL, 0x8000000000000000ULL,
		0xffffffffffffffc0ULL, ~0ULL,
	};
	const u32 first = offsetof(struct loom_code_header, scratch_bytes);
	u8 *work = pb_alloc(size);
	bool ok = true;
	u32 n;

	for (n = 0; n < 60000; n++) {
		u32 changes = 1 + rnd(2);

		memcpy(work, bytes, size);
		while (changes--) {
			u32 width = 1 << rnd(4);
			u64 at = first + rnd((size - first) / width) * width;
			u64 value = odd[rnd(ARRAY_SIZE(odd))] + (rnd(2) ? rnd(9) : 0);

			memcpy(work + at, &value, width);
		}
		code_fix_sum((void *)work, size);
		ok &= try_bytes(work, size);
	}
	pb_free(work);
	tap_note("%u taken, %u refused", taken, refused);
	tap_ok(ok && taken > 1000 && refused > 1000,
	       "odd numbers are refused, or do no harm");
}

static void test_other_chip(const void *bytes, u64 size)
{
	struct drm_loom_chip other = chip;
	struct loom_plan *plan;

	other.region[DRM_LOOM_REGION_SRAM].banks *= 2;
	tap_ok(loom_code_decode(bytes, size, &other, &plan) == -EBADMSG,
	       "a plan for other lanes is refused");
	other = chip;
	other.opcodes &= ~(1ULL << DRM_LOOM_OP_LOAD);
	tap_ok(loom_code_decode(bytes, size, &other, &plan) == -EBADMSG,
	       "a plan with an operation that the chip has not is refused");
}

int main(void)
{
	struct code code;

	chip = *loom_preset_find(SAMPLE_TOPOLOGY);
	code_make(&code, false);
	tap_ok(try_bytes(code.bytes, code.size), "the sample is taken and runs");
	test_cut(code.bytes, code.size);
	test_flips(code.bytes, code.size);
	test_odd(code.bytes, code.size);
	test_other_chip(code.bytes, code.size);
	pb_free(code.bytes);
	return tap_end();
}
