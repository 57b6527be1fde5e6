/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASE_H
#define LOOM_TESTS_RULE_CASE_H

/* One way to break one rule of the verifier: a plan that is valid but for one thing. */
#include "plan_sample.h"

/**
 * struct rule_case - one way to break one rule
 * @rule: the rule that must be named
 * @what: description of the error
 * @change: breaks the tables before the plan is made
 * @patch: breaks the plan's bytes; may change their number
 * @on: changes to the sample's chip, or NULL
 * @huge: needs hundreds of megabytes, too much for a kernel
 * @valid: fields of the reject record that must be valid
 * @step: expected, if in @valid
 * @command: expected, if in @valid
 * @operand: expected, if in @valid
 * @tensor: expected, if in @valid
 * @other: expected, if in @valid
 * @start: expected, if DRM_LOOM_REJECT_RANGE in @valid
 * @end: expected, if DRM_LOOM_REJECT_RANGE in @valid
 */
struct rule_case {
	u32 rule;
	const char *what;
	void (*change)(struct plan_builder *pb);
	void (*patch)(struct drm_loom_plan_header *header, u64 *size);
	void (*on)(struct drm_loom_chip *chip);
	bool huge;
	u32 valid;
	u32 step;
	u32 command;
	u32 operand;
	u32 tensor;
	u32 other;
	u64 start;
	u64 end;
};

#define CHANGE(_name) static void change_##_name(struct plan_builder *pb)
#define PATCH(_name) \
	static void patch_##_name(struct drm_loom_plan_header *header, u64 *size)

#define ON(_name) static void on_##_name(struct drm_loom_chip *chip)

#define IN_COMMAND	(DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND)
#define IN_OPERAND	(IN_COMMAND | DRM_LOOM_REJECT_OPERAND)
#define IN_VIEW		(IN_OPERAND | DRM_LOOM_REJECT_TENSOR)
#define IN_RANGE	(IN_VIEW | DRM_LOOM_REJECT_RANGE)
#define C(name) .what = #name, .change = change_##name
#define P(name) .what = #name, .patch = patch_##name

/* One case, or the sample as it is for NULL. Return: result of the verifier. */
static inline int rule_case_verify(const struct rule_case *test,
				   const struct drm_loom_chip *chip,
				   struct drm_loom_reject *reject)
{
	struct drm_loom_plan_header *header;
	struct drm_loom_chip on = *chip;
	struct plan_builder pb;
	struct loom_plan *plan;
	void *exact;
	u64 size;
	int ret;

	if (test && test->on)
		test->on(&on);
	sample_build(&pb);
	if (test && test->change)
		test->change(&pb);
	header = pb_blob(&pb, &size);
	if (test && test->patch)
		test->patch(header, &size);
	/* not a byte more than it says, for the sanitiser */
	exact = pb_alloc(size ? size : 1);
	memcpy(exact, header, size);
	ret = loom_plan_create_native(exact, size, &on, pb_native(), &plan, reject);
	if (!ret)
		ret = code_round(plan, &on);
	else if (plan)
		ret = 1;
	loom_plan_destroy(plan);
	pb_free(exact);
	pb_free(header);
	pb_fini(&pb);
	return ret;
}

/* Whether the reject record says what the case wants of it. */
static inline bool rule_case_fits(const struct rule_case *test,
				  const struct drm_loom_reject *reject)
{
	if (test->valid & ~reject->valid)
		return false;
	if (test->valid & DRM_LOOM_REJECT_STEP && test->step != reject->step)
		return false;
	if (test->valid & DRM_LOOM_REJECT_COMMAND && test->command != reject->command)
		return false;
	if (test->valid & DRM_LOOM_REJECT_OPERAND && test->operand != reject->operand)
		return false;
	/* some cases of the table do not care which tensor or slot */
	if (test->tensor && test->tensor != reject->tensor)
		return false;
	if (test->valid & DRM_LOOM_REJECT_OTHER && test->other != reject->other)
		return false;
	if (test->valid & DRM_LOOM_REJECT_RANGE &&
	    (test->start != reject->start || test->end != reject->end))
		return false;
	return true;
}

#endif /* LOOM_TESTS_RULE_CASE_H */
