// SPDX-License-Identifier: MIT
/*
 * Two valid plans, one of them with images, are damaged: bits, bytes and words are changed at
 * random, the same on every run. The verifier must accept or refuse the result. What it accepts,
 * the engine runs twice on memory of exactly the declared size, first with one garbage in it, then
 * with its complement. After that
 *
 * - nothing outside of the memory may have changed, nor anything in a slot that is read only;
 * - every byte is either written by the plan, the same in both runs, or still garbage: no garbage
 *   may have been read.
 */
#include "loom_engine.h"
#include "plan_sample.h"
#include "random.h"
#include "tap.h"

#define GUARD_BYTES	64
#define MAX_BYTES	(1 << 20)
#define MAX_CALLS	64
#define BUDGET		(1 << 16)

static const struct drm_loom_chip *chip;
static u64 seed = 0x66757a7a;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

/* --- damage */

static void damage_word(u8 *blob, u64 size)
{
	static const u64 odd[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 63, 64, 255, 1024, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL, ~3ULL,
	};
	u32 bytes = 1U << rnd(4);
	u64 at = rnd(size / bytes) * bytes, value = 0;

	memcpy(&value, blob + at, bytes);
	switch (rnd(6)) {
	case 0:
		value ^= 1ULL << rnd(8 * bytes);
		break;
	case 1:
		value = odd[rnd(ARRAY_SIZE(odd))];
		break;
	case 2:
		value += (s64)rnd(9) - 4;
		break;
	case 3:
		value += 4 * ((s64)rnd(33) - 16);
		break;
	case 4:
		memcpy(&value, blob + rnd(size / bytes) * bytes, bytes);
		break;
	case 5:
		value = rnd(64);
		break;
	}
	memcpy(blob + at, &value, bytes);
}

/* --- memory of exactly the right size */

struct arena {
	u64 bytes;
	u64 scratch_bytes;
	u64 pitch;
	u32 lanes;
	u8 *scratch;
	u8 *slots[DRM_LOOM_MAX_SLOTS];
	u64 slot_bytes[DRM_LOOM_MAX_SLOTS];
	u64 slot_pitches[DRM_LOOM_MAX_SLOTS];
};

static u8 garbage(u64 at, bool inverted)
{
	u8 byte = at * 167 + (at >> 7) + 13;

	return inverted ? ~byte : byte;
}

static bool arena_init(struct arena *arena, const struct loom_plan *plan, bool inverted)
{
	u64 total = 0, i;
	u32 s;

	memset(arena, 0, sizeof(*arena));
	for (s = 0; s < plan->slot_count; s++) {
		if (plan->slots[s].size > MAX_BYTES)
			return false;
		/* an SRAM slot is in each bank; without guards, as one buffer has all */
		arena->slot_pitches[s] = (plan->slots[s].size + 7) & ~7ULL;
		arena->slot_bytes[s] = plan->slots[s].size;
		if (plan->slots[s].flags & DRM_LOOM_SLOT_SRAM)
			arena->slot_bytes[s] += arena->slot_pitches[s] * (plan->lanes - 1);
		total += arena->slot_bytes[s];
	}
	if (total > MAX_BYTES)
		return false;
	arena->lanes = plan->lanes;
	arena->scratch_bytes = plan->scratch_bytes;
	/* guards between the banks; eight bytes are aligned for every type */
	arena->pitch = (plan->scratch_bytes + GUARD_BYTES + 7) & ~7ULL;
	arena->scratch = malloc(arena->pitch * plan->lanes);
	for (i = 0; i < arena->pitch * plan->lanes; i++)
		arena->scratch[i] = garbage(i, inverted && i % arena->pitch < plan->scratch_bytes);
	for (s = 0; s < plan->slot_count; s++) {
		bool known = plan->slots[s].flags & DRM_LOOM_SLOT_READ;

		arena->slots[s] = malloc(arena->slot_bytes[s]);
		for (i = 0; i < arena->slot_bytes[s]; i++)
			arena->slots[s][i] = known ? i * 7 % 61 : garbage(i + s, inverted);
	}
	return true;
}

static void arena_fini(struct arena *arena)
{
	u32 s;

	free(arena->scratch);
	for (s = 0; s < DRM_LOOM_MAX_SLOTS; s++)
		free(arena->slots[s]);
}

static void arena_run(struct arena *arena, const struct loom_plan *plan)
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
	for (i = 0; i < MAX_CALLS; i++)
		if (loom_engine_run(&engine, BUDGET))
			break;
}

static bool same_or_garbage(u8 a, u8 b, u64 at)
{
	return a == b || (a == garbage(at, false) && b == garbage(at, true));
}

/* Looks at both memories; false if something is there that should not be. */
static bool arena_check(const struct arena *a, const struct arena *b, const struct loom_plan *plan)
{
	u64 i;
	u32 s;

	for (i = 0; i < a->pitch * a->lanes; i++) {
		if (i % a->pitch >= a->scratch_bytes) {
			if (a->scratch[i] != garbage(i, false) || b->scratch[i] != a->scratch[i])
				return false;
		} else if (!same_or_garbage(a->scratch[i], b->scratch[i], i)) {
			return false;
		}
	}
	for (s = 0; s < plan->slot_count; s++) {
		for (i = 0; i < a->slot_bytes[s]; i++) {
			if (!(plan->slots[s].flags & DRM_LOOM_SLOT_WRITE) &&
			    a->slots[s][i] != i * 7 % 61)
				return false;
			if (!same_or_garbage(a->slots[s][i], b->slots[s][i], i + s))
				return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	u32 rounds = getenv("LOOM_SANITIZED") ? 20000 : 100000;
	u32 accepted = 0, ran = 0, bad_answer = 0, bad_run = 0, i, j;
	u32 by_rule[DRM_LOOM_RULE_END] = {}, rules = 0;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	struct arena a, b;
	u8 *valid[2], *blob;
	u64 sizes[2], size;
	int ret;

	if (argc > 1)
		rounds = atoi(argv[1]);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	chip = loom_preset_find(SAMPLE_TOPOLOGY);
	if (!chip)
		tap_fatal("no topology %s", SAMPLE_TOPOLOGY);
	sample_build(&pb);
	valid[0] = pb_blob(&pb, &sizes[0]);
	sample_use_images(&pb);
	valid[1] = pb_blob(&pb, &sizes[1]);

	for (i = 0; i < rounds; i++) {
		u64 start = seed;

		size = sizes[i % 2];
		blob = malloc(size);
		memcpy(blob, valid[i % 2], size);
		/* the first rounds are the plans as they are */
		for (j = i > 1 ? 1 + rnd(3) : 0; j-- > 0;)
			damage_word(blob, size);
		ret = loom_plan_create(blob, size, chip, &plan, &reject);
		free(blob);
		if (ret == -EBADMSG && !plan && reject.rule && reject.rule < DRM_LOOM_RULE_END)
			by_rule[reject.rule]++;
		else if (ret || !plan || reject.rule)
			bad_answer++;
		bad_answer += i < 2 && ret;
		if (ret)
			continue;
		accepted++;
		memset(&b, 0, sizeof(b));
		if (arena_init(&a, plan, false) && arena_init(&b, plan, true)) {
			arena_run(&a, plan);
			arena_run(&b, plan);
			ran++;
			if (!arena_check(&a, &b, plan) && !bad_run++)
				tap_note("seed %#llx: ran wrong", (unsigned long long)start);
		}
		arena_fini(&a);
		arena_fini(&b);
		loom_plan_destroy(plan);
	}
	for (i = 0; i < DRM_LOOM_RULE_END; i++)
		rules += !!by_rule[i];
	tap_ok(by_rule[DRM_LOOM_RULE_IMAGE] && by_rule[DRM_LOOM_RULE_TENSOR_IMAGE] &&
	       by_rule[DRM_LOOM_RULE_VIEW_IMAGE], "images were damaged, too: %u, %u, %u",
	       by_rule[DRM_LOOM_RULE_IMAGE], by_rule[DRM_LOOM_RULE_TENSOR_IMAGE],
	       by_rule[DRM_LOOM_RULE_VIEW_IMAGE]);
	tap_ok(!bad_answer, "each of %u damaged plans is taken or refused, by %u rules", rounds,
	       rules);
	tap_ok(!bad_run, "those taken run in their memory and read no garbage (%u of %u)", ran,
	       accepted);
	tap_ok(ran > rounds / 20 && rules > 25, "there are enough of both kinds to say so");
	free(valid[0]);
	free(valid[1]);
	pb_fini(&pb);
	return tap_end();
}
