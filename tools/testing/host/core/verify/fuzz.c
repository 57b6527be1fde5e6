// SPDX-License-Identifier: MIT
/*
 * Two valid plans, one of them with images, are damaged: bits, bytes and words are changed at
 * random, the same on every run. The verifier must accept or refuse the result. What it accepts
 * must stay in its memory and read no garbage, see plan_arena.h.
 */
#include "plan_arena.h"
#include "plan_sample.h"
#include "random.h"
#include "tap.h"

static const struct drm_loom_chip *chip;
static u64 seed = 0x66757a7a;

int main(int argc, char **argv)
{
	u32 rounds = getenv("LOOM_SANITIZED") ? 20000 : 100000;
	u32 accepted = 0, ran = 0, bad_answer = 0, bad_run = 0, i, j;
	u32 by_rule[DRM_LOOM_RULE_END] = {}, rules = 0;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
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
		for (j = i > 1 ? 1 + random_xorshift(&seed, 3) : 0; j-- > 0;)
			plan_damage(&seed, blob, size);
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
		ret = plan_arena_try(plan);
		ran += !!ret;
		if (ret < 0 && !bad_run++)
			tap_note("seed %#llx: ran wrong", (unsigned long long)start);
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
