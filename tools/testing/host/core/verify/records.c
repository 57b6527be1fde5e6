// SPDX-License-Identifier: MIT
/*
 * A record of a refusal names steps, commands, operands, tensors and slots that there are: who
 * prints it looks them up. Also that nothing is written where nothing is valid.
 */
#include "rule_cases.h"
#include "tap.h"

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
	return r->valid & DRM_LOOM_REJECT_RANGE ?
	       r->start <= r->end && r->region < DRM_LOOM_REGION_COUNT :
	       !r->start && !r->end && !r->region;
}

/* The plan again as it was tried, for its tables. */
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
	const struct drm_loom_chip *chip = loom_preset_find(SAMPLE_TOPOLOGY);
	const struct rule_case *test;
	struct drm_loom_reject reject;

	for (test = rule_case_next(NULL); test; test = rule_case_next(test)) {
		if (test->huge)
			continue;
		if (rule_case_verify(test, chip, &reject) != -EBADMSG)
			tap_fatal("%s was accepted", test->what);
		tap_ok(named(test, &reject),
		       "%s: valid %#x step %u command %u operand %u tensor %u other %u slot %u",
		       test->what, reject.valid, reject.step, reject.command, reject.operand,
		       reject.tensor, reject.other, reject.slot);
	}
	return tap_end();
}
