/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TEST_PLAN_ARENA_H
#define LOOM_TEST_PLAN_ARENA_H

/*
 * Memory of exactly the size that a plan declares, filled with garbage. A plan runs in two of them,
 * with one garbage and with its complement. After that
 *
 * - nothing outside of the memory may have changed, nor anything in a slot that is read only;
 * - every byte is either written by the plan, the same in both runs, or still garbage: no garbage
 *   may have been read.
 */
#include "loom_engine.h"
#include "loom_plan.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define PLAN_GUARD_BYTES	64
#define PLAN_MAX_BYTES		(1 << 20)
#define PLAN_MAX_CALLS		64
#define PLAN_BUDGET		(1 << 16)

/* Changes a word of a plan: a bit, an odd number, one a bit off, one from elsewhere. */
static inline void plan_damage(u64 *seed, u8 *blob, u64 size)
{
	static const u64 odd[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 63, 64, 255, 1024, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL, ~3ULL,
	};
	u32 bytes = 1U << random_xorshift(seed, 4);
	u64 at = random_xorshift(seed, size / bytes) * bytes, value = 0;

	memcpy(&value, blob + at, bytes);
	switch (random_xorshift(seed, 6)) {
	case 0:
		value ^= 1ULL << random_xorshift(seed, 8 * bytes);
		break;
	case 1:
		value = odd[random_xorshift(seed, ARRAY_SIZE(odd))];
		break;
	case 2:
		value += (s64)random_xorshift(seed, 9) - 4;
		break;
	case 3:
		value += 4 * ((s64)random_xorshift(seed, 33) - 16);
		break;
	case 4:
		memcpy(&value, blob + random_xorshift(seed, size / bytes) * bytes, bytes);
		break;
	case 5:
		value = random_xorshift(seed, 64);
		break;
	}
	memcpy(blob + at, &value, bytes);
}

struct plan_arena {
	u64 bytes;
	u64 scratch_bytes;
	u64 pitch;
	u32 lanes;
	u8 *scratch;
	u8 *slots[DRM_LOOM_MAX_SLOTS];
	u64 slot_bytes[DRM_LOOM_MAX_SLOTS];
	u64 slot_pitches[DRM_LOOM_MAX_SLOTS];
};

static inline u8 plan_garbage(u64 at, bool inverted)
{
	u8 byte = at * 167 + (at >> 7) + 13;

	return inverted ? ~byte : byte;
}

static inline bool plan_arena_init(struct plan_arena *arena, const struct loom_plan *plan,
				   bool inverted)
{
	u64 total = 0, i;
	u32 s;

	memset(arena, 0, sizeof(*arena));
	for (s = 0; s < plan->slot_count; s++) {
		if (plan->slots[s].size > PLAN_MAX_BYTES)
			return false;
		/* an SRAM slot is in each bank; without guards, as one buffer has all */
		arena->slot_pitches[s] = (plan->slots[s].size + 7) & ~7ULL;
		arena->slot_bytes[s] = plan->slots[s].size;
		if (plan->slots[s].flags & DRM_LOOM_SLOT_SRAM)
			arena->slot_bytes[s] += arena->slot_pitches[s] * (plan->lanes - 1);
		total += arena->slot_bytes[s];
	}
	if (total > PLAN_MAX_BYTES)
		return false;
	arena->lanes = plan->lanes;
	arena->scratch_bytes = plan->scratch_bytes;
	/* guards between the banks; eight bytes are aligned for every type */
	arena->pitch = (plan->scratch_bytes + PLAN_GUARD_BYTES + 7) & ~7ULL;
	arena->scratch = malloc(arena->pitch * plan->lanes);
	for (i = 0; i < arena->pitch * plan->lanes; i++)
		arena->scratch[i] =
			plan_garbage(i, inverted && i % arena->pitch < plan->scratch_bytes);
	for (s = 0; s < plan->slot_count; s++) {
		bool known = plan->slots[s].flags & DRM_LOOM_SLOT_READ;

		arena->slots[s] = malloc(arena->slot_bytes[s]);
		for (i = 0; i < arena->slot_bytes[s]; i++)
			arena->slots[s][i] = known ? i * 7 % 61 : plan_garbage(i + s, inverted);
	}
	return true;
}

static inline void plan_arena_fini(struct plan_arena *arena)
{
	u32 s;

	free(arena->scratch);
	for (s = 0; s < DRM_LOOM_MAX_SLOTS; s++)
		free(arena->slots[s]);
}

static inline void plan_arena_run(struct plan_arena *arena, const struct loom_plan *plan)
{
	struct loom_memory memory = {
		.lanes = arena->lanes,
		.scratch = arena->scratch,
		.lane_pitch = arena->pitch,
		.slots = arena->slots,
		.slot_pitches = arena->slot_pitches,
	};
	struct loom_engine engine;
	u32 i;

	loom_engine_init(&engine, plan, &memory);
	for (i = 0; i < PLAN_MAX_CALLS; i++)
		if (loom_engine_run(&engine, PLAN_BUDGET))
			break;
}

static inline bool plan_same_or_garbage(u8 a, u8 b, u64 at)
{
	return a == b || (a == plan_garbage(at, false) && b == plan_garbage(at, true));
}

/* Looks at both memories; false if something is there that should not be. */
static inline bool plan_arena_check(const struct plan_arena *a, const struct plan_arena *b,
				    const struct loom_plan *plan)
{
	u64 i;
	u32 s;

	for (i = 0; i < a->pitch * a->lanes; i++) {
		if (i % a->pitch >= a->scratch_bytes) {
			if (a->scratch[i] != plan_garbage(i, false) ||
			    b->scratch[i] != a->scratch[i])
				return false;
		} else if (!plan_same_or_garbage(a->scratch[i], b->scratch[i], i)) {
			return false;
		}
	}
	for (s = 0; s < plan->slot_count; s++) {
		for (i = 0; i < a->slot_bytes[s]; i++) {
			if (!(plan->slots[s].flags & DRM_LOOM_SLOT_WRITE) &&
			    a->slots[s][i] != i * 7 % 61)
				return false;
			if (!plan_same_or_garbage(a->slots[s][i], b->slots[s][i], i + s))
				return false;
		}
	}
	return true;
}

/* Return: 1 if a plan ran in both memories as it may, 0 if it is too large to, or -1. */
static inline int plan_arena_try(const struct loom_plan *plan)
{
	struct plan_arena a, b;
	int ret = 0;

	memset(&b, 0, sizeof(b));
	if (plan_arena_init(&a, plan, false) && plan_arena_init(&b, plan, true)) {
		plan_arena_run(&a, plan);
		plan_arena_run(&b, plan);
		ret = plan_arena_check(&a, &b, plan) ? 1 : -1;
	}
	plan_arena_fini(&a);
	plan_arena_fini(&b);
	return ret;
}

#endif /* LOOM_TEST_PLAN_ARENA_H */
