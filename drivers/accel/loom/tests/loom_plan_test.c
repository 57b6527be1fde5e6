// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/slab.h>

#include "loom_compat.h"
#include "loom_plan.h"
#include "rule_cases.h"

/*
 * Tests of the plan verifier for KASAN: valid plans and violations of each rule (rule_cases.h,
 * shared with the library's tests), in memory of exactly their size. Odd bytes are left to
 * tools/testing/fuzz/plan.c, cycles to tools/testing/host/core/clock/command.c.
 */

static int plan_test_init(struct kunit *test)
{
	test->priv = (void *)loom_preset_find(SAMPLE_TOPOLOGY);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void plan_note(struct kunit *test, const struct drm_loom_reject *reject)
{
	kunit_info(test, "%s: valid %#x step %u command %u operand %u tensor %u other %u slot %u %llu-%llu",
		   loom_rule_name(reject->rule), reject->valid, reject->step, reject->command,
		   reject->operand, reject->tensor, reject->other, reject->slot, reject->start,
		   reject->end);
}

KUNIT_ARRAY_PARAM_DESC(fine, rule_cases_fine, what);
KUNIT_ARRAY_PARAM_DESC(fine_on, rule_cases_fine_on, what);
KUNIT_ARRAY_PARAM_DESC(fine_native, rule_cases_fine_native, what);

static void plan_is_valid(struct kunit *test)
{
	struct drm_loom_reject reject;

	KUNIT_EXPECT_EQ(test, 0, rule_case_verify(test->param_value, test->priv, &reject));
	if (reject.rule)
		plan_note(test, &reject);
}

static const void *rule_gen_params(LOOM_COMPAT_KUNIT_TEST const void *previous, char *desc)
{
	const struct rule_case *rule = rule_case_next(previous);

	while (rule && rule->huge)
		rule = rule_case_next(rule);
	if (!rule)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", loom_rule_name(rule->rule), rule->what);
	return rule;
}

static void plan_is_refused(struct kunit *test)
{
	const struct rule_case *rule = test->param_value;
	struct drm_loom_reject reject;

	KUNIT_EXPECT_EQ(test, -EBADMSG, rule_case_verify(rule, test->priv, &reject));
	KUNIT_EXPECT_EQ(test, rule->rule, reject.rule);
	KUNIT_EXPECT_TRUE(test, rule_case_fits(rule, &reject));
	if (reject.rule != rule->rule || !rule_case_fits(rule, &reject))
		plan_note(test, &reject);
}

/* A plan cut at any of its bytes, the header telling the truth about it. */
static void plan_cut_short(struct kunit *test)
{
	struct drm_loom_plan_header *header;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 size, cut;
	void *exact;
	int ret;

	sample_build(&pb);
	header = pb_blob(&pb, &size);
	for (cut = 0; cut < size; cut++) {
		exact = pb_alloc(cut + !cut);
		memcpy(exact, header, cut);
		if (cut >= sizeof(*header))
			((struct drm_loom_plan_header *)exact)->size = cut;
		ret = loom_plan_create(exact, cut, test->priv, &plan, &reject);
		pb_free(exact);
		KUNIT_EXPECT_EQ(test, -EBADMSG, ret);
		KUNIT_EXPECT_NULL(test, plan);
		KUNIT_EXPECT_EQ(test, reject.rule, cut < sizeof(*header) ? DRM_LOOM_RULE_HEADER :
									   DRM_LOOM_RULE_TABLE);
	}
	pb_free(header);
	pb_fini(&pb);
}

/* Sums every view and attribute of a plan, so that whatever it points to is read. */
static u64 plan_sum(const struct loom_plan *plan)
{
	u64 sum = plan->slot_count + plan->step_count;
	const u8 *attr;
	u32 i, k;

	for (i = 0; i < plan->command_count; i++) {
		const struct loom_command *command = &plan->commands[i];

		for (k = 0; k < command->operands; k++)
			sum = sum * 31 + command->views[k].offset + command->views[k].end;
		attr = command->attr;
		for (k = 0; attr && k < command->op->attr_size; k++)
			sum = sum * 31 + attr[k];
	}
	return sum;
}

/* The decoded plan has nothing of the client's bytes. */
static void plan_keeps_nothing(struct kunit *test)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 size, sum;
	void *blob;
	int ret;

	sample_build(&pb);
	blob = pb_blob(&pb, &size);
	pb_fini(&pb);
	ret = loom_plan_create(blob, size, test->priv, &plan, &reject);
	if (!ret)
		sum = plan_sum(plan);
	memset(blob, 0xff, size);
	pb_free(blob);
	KUNIT_ASSERT_EQ(test, 0, ret);
	KUNIT_EXPECT_EQ(test, sum, plan_sum(plan));
	loom_plan_destroy(plan);
}

static struct kunit_case plan_cases[] = {
	KUNIT_CASE_PARAM(plan_is_valid, fine_gen_params),
	KUNIT_CASE_PARAM(plan_is_valid, fine_on_gen_params),
	KUNIT_CASE_PARAM(plan_is_valid, fine_native_gen_params),
	KUNIT_CASE_PARAM(plan_is_refused, rule_gen_params),
	KUNIT_CASE(plan_cut_short),
	KUNIT_CASE(plan_keeps_nothing),
	{}
};

static struct kunit_suite plan_suite = {
	.name = "loom_plan",
	.init = plan_test_init,
	.test_cases = plan_cases,
};

kunit_test_suite(plan_suite);
