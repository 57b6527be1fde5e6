// SPDX-License-Identifier: MIT
/*
 * Every rule of the verifier, with a plan that breaks this rule and no other. A rule without a case
 * fails the test. The record of a refusal names steps, commands, operands, tensors and slots that
 * there are, as a program that prints it looks them up, and is zero where nothing is valid.
 */
#include "rule_cases.h"
#include "tap.h"

static const struct drm_loom_chip *chip;

static void note_record(const struct drm_loom_reject *reject)
{
	tap_note("%s: valid %#x step %u command %u operand %u tensor %u other %u slot %u %llu-%llu",
		 loom_rule_name(reject->rule), reject->valid, reject->step, reject->command,
		 reject->operand, reject->tensor, reject->other, reject->slot,
		 (unsigned long long)reject->start, (unsigned long long)reject->end);
}

static void test_null_plan(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	int ret;

	pb_init(&pb, 4, 0);
	ret = pb_verify(&pb, chip, &plan, &reject);
	tap_ok(!ret && plan && !plan->step_count && !plan->command_count,
	       "a plan of nothing is valid");
	loom_plan_destroy(plan);
	pb_fini(&pb);
}

/* Of a plan that is too large nothing is looked at but its header. */
static void test_large_plan(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	void *blob;
	u64 size;
	int ret;

	pb_init(&pb, 4, 0);
	blob = pb_blob(&pb, &size);
	pb_fini(&pb);
	((struct drm_loom_plan_header *)blob)->size = DRM_LOOM_MAX_PLAN_BYTES + 8;
	ret = loom_plan_create(blob, DRM_LOOM_MAX_PLAN_BYTES + 8, chip, &plan, &reject);
	tap_ok(ret == -EBADMSG && !plan && reject.rule == DRM_LOOM_RULE_LIMIT,
	       "a plan above the most bytes is refused");
	pb_free(blob);
}

static void test_fine(const struct rule_case *cases, size_t count)
{
	struct drm_loom_reject reject;
	size_t i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = rule_case_verify(&cases[i], chip, &reject);
		if (!tap_ok(!ret, "valid: %s", cases[i].what))
			note_record(&reject);
	}
}

static int check_without_memory(struct loom_payload *payload)
{
	(void)payload;
	return -ENOMEM;
}

/* Results that only the decoded plan and the record of a payload show. */
static void test_native(void)
{
	struct loom_native poor = { .check = check_without_memory };
	const struct loom_command *command;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 size;
	void *blob;
	int ret;

	sample_build(&pb);
	use_native(&pb);
	native_attr(&pb)->payload.zero = ~0U;
	blob = pb_blob(&pb, &size);
	ret = loom_plan_create(blob, size, chip, &plan, &reject);
	tap_ok(ret == -EBADMSG && reject.rule == DRM_LOOM_RULE_FORMAT,
	       "a device without native commands refuses the format");
	pb_free(blob);
	if (pb_verify(&pb, chip, &plan, &reject))
		tap_fatal("the sample with a native command is refused");
	command = &plan->commands[C_NATIVE];
	tap_ok(command->cycles == 1000 && !command->energy_fj && command->outputs == 2 &&
	       command->reads == 3 && command->written == 4 && command->zero == 3 &&
	       command->units == 1 && command->unit_cost == 1,
	       "cycles and kinds of operands are those of the plan, and only outputs are zeroed");
	tap_ok(plan->native && plan->format.version == 3 &&
	       !memcmp((const struct drm_loom_attr_native *)command->attr + 1,
		       &native_attr(&pb)->payload, sizeof(struct pb_payload)),
	       "the payload is kept");
	loom_plan_destroy(plan);

	native_attr(&pb)->payload = (struct pb_payload){ .refuse = 1, .reason = 7, .at = 24 };
	ret = pb_verify(&pb, chip, &plan, &reject);
	tap_ok(ret == -EBADMSG && reject.reason == 7 && reject.payload_at == 24,
	       "a refused payload has the back end's record");
	blob = pb_blob(&pb, &size);
	poor.formats = pb_native()->formats;
	poor.count = pb_native()->count;
	ret = loom_plan_create_native(blob, size, chip, &poor, &plan, &reject);
	pb_free(blob);
	tap_ok(ret == -ENOMEM && !plan && !reject.rule && !reject.valid,
	       "the check's lack of memory is no refusal");
	pb_fini(&pb);
}

/* The largest payload is worth its bytes, and any of the formats may be the plan's. */
static void test_native_limits(void)
{
	static struct {
		struct drm_loom_attr_native attr;
		u8 payload[DRM_LOOM_MAX_PAYLOAD_BYTES];
	} largest = {
		.attr = { .outputs = 1, .payload_bytes = sizeof(largest.payload) },
	};
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;

	sample_build(&pb);
	use_native(&pb);
	pb.format = pb_native()->formats[0];
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_NATIVE, &largest, sizeof(largest),
	       PB_VIEWS(pb_all(&pb, pb_add_sram(&pb, 0, 10, 10, DRM_LOOM_DTYPE_F32, 0,
						PB_SHAPE(8, 16)))));
	if (!tap_ok(!pb_verify(&pb, chip, &plan, &reject),
		    "a payload of the largest size, of the first format"))
		note_record(&reject);
	loom_plan_destroy(plan);
	pb_fini(&pb);
}

static bool in_plan(struct plan_builder *pb, const struct drm_loom_reject *r)
{
	const struct drm_loom_plan_step *step = (const void *)pb->steps.data;
	const struct drm_loom_plan_command *command = (const void *)pb->commands.data;

	if (r->valid & DRM_LOOM_REJECT_STEP ? r->step >= pb->steps.count : r->step)
		return false;
	if (r->valid & DRM_LOOM_REJECT_COMMAND ? r->command >= pb->commands.count : r->command)
		return false;
	if (r->valid & DRM_LOOM_REJECT_COMMAND &&
	    (!(r->valid & DRM_LOOM_REJECT_STEP) || r->command < step[r->step].first_command))
		return false;
	if (r->valid & DRM_LOOM_REJECT_OPERAND ?
	    !(r->valid & DRM_LOOM_REJECT_COMMAND) ||
	    r->operand >= command[r->command].operands : r->operand)
		return false;
	if (r->valid & DRM_LOOM_REJECT_TENSOR ? r->tensor >= pb->tensors.count : r->tensor)
		return false;
	if (r->valid & DRM_LOOM_REJECT_OTHER ? r->other >= pb->tensors.count : r->other)
		return false;
	if (r->valid & DRM_LOOM_REJECT_SLOT ? r->slot >= pb->slots.count : r->slot)
		return false;
	/* a range of a tensor of the sample lies in a slot, but for those in the scratch */
	if (r->valid & DRM_LOOM_REJECT_RANGE && r->valid & DRM_LOOM_REJECT_TENSOR &&
	    !(r->valid & DRM_LOOM_REJECT_SLOT) != (r->region == DRM_LOOM_REGION_SRAM &&
	     !(pb_tensor(pb, r->tensor)->flags & DRM_LOOM_TENSOR_SLOT)))
		return false;
	return r->valid & DRM_LOOM_REJECT_RANGE ?
	       r->start <= r->end && r->region < DRM_LOOM_REGION_COUNT :
	       !r->start && !r->end && !r->region;
}

/* The plan is built again as it was tried, for its tables. */
static bool named(const struct rule_case *test, const struct drm_loom_reject *reject)
{
	struct plan_builder pb;
	bool ok;

	sample_build(&pb);
	if (test->change)
		test->change(&pb);
	ok = in_plan(&pb, reject);
	pb_fini(&pb);
	return ok;
}

int main(void)
{
	u32 covered[DRM_LOOM_RULE_END] = {};
	const struct rule_case *test;
	struct drm_loom_reject reject;
	size_t i;
	int ret;

	chip = loom_preset_find(SAMPLE_TOPOLOGY);
	if (!chip)
		tap_fatal("no topology %s", SAMPLE_TOPOLOGY);

	ret = rule_case_verify(NULL, chip, &reject);
	if (!tap_ok(!ret && !reject.rule && !reject.valid, "the sample is valid"))
		note_record(&reject);
	test_null_plan();
	test_large_plan();
	test_fine(rule_cases_fine, ARRAY_SIZE(rule_cases_fine));
	test_fine(rule_cases_fine_on, ARRAY_SIZE(rule_cases_fine_on));
	test_fine(rule_cases_fine_native, ARRAY_SIZE(rule_cases_fine_native));
	test_native();
	test_native_limits();

	for (test = rule_case_next(NULL); test; test = rule_case_next(test)) {
		bool ok;

		ret = rule_case_verify(test, chip, &reject);
		ok = ret == -EBADMSG && reject.rule == test->rule &&
		     rule_case_fits(test, &reject) && (test->huge || named(test, &reject));
		if (!tap_ok(ok, "%s: %s", loom_rule_name(test->rule), test->what))
			note_record(&reject);
		covered[test->rule]++;
	}
	for (i = DRM_LOOM_RULE_HEADER; i < DRM_LOOM_RULE_END; i++)
		tap_ok(covered[i] && strcmp(loom_rule_name(i), "unknown") && *loom_rule_text(i),
		       "rule %zu, %s, has a case, a name and a text", i, loom_rule_name(i));
	tap_ok(!strcmp(loom_rule_name(DRM_LOOM_RULE_END), "unknown"), "no rule past the last");
	return tap_end();
}
