// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/* The steps tile the command table: each begins where the one before it ends. */
static int __must_check loom_step_check_tiling(struct loom_verify *verify)
{
	u32 i, end = 0;
	int ret;

	for (i = 0; i < verify->header->steps.count; i++) {
		const struct drm_loom_plan_step *raw = &verify->steps[i];
		struct loom_step *step = &verify->plan->steps[i];

		ret = loom_verify_work(verify, 1);
		if (ret)
			return ret;
		if (raw->first_command != end || raw->pad ||
		    check_add_overflow(end, raw->dma_commands, &end) ||
		    check_add_overflow(end, raw->compute_commands, &end) ||
		    end > verify->header->commands.count)
			return loom_reject_step(verify, DRM_LOOM_RULE_STEP, i);
		step->first_command = raw->first_command;
		step->commands = raw->dma_commands + raw->compute_commands;
		step->dma_commands = raw->dma_commands;
	}
	if (end != verify->header->commands.count)
		return loom_reject(verify, DRM_LOOM_RULE_STEP);
	return 0;
}

static int __must_check loom_step_check(struct loom_verify *verify)
{
	const struct loom_step *step = &verify->plan->steps[verify->step];
	bool both = step->dma_commands && step->dma_commands != step->commands;
	u32 i;
	int ret;

	ret = loom_hazard_begin(verify, &verify->steps[verify->step]);
	if (ret)
		return ret;
	for (i = 0; i < step->commands; i++) {
		bool compute = i >= step->dma_commands;

		verify->command = step->first_command + i;
		ret = loom_verify_work(verify, LOOM_WORK_COMMAND);
		if (ret)
			return ret;
		verify->in_command = true;
		ret = loom_verify_command(verify, compute);
		if (ret)
			return ret;
		/*
		 * Writes of the DMA stream count as written for the compute stream of the same
		 * step. Reading them there is refused as a hazard.
		 */
		ret = loom_verify_data(verify);
		if (ret)
			return ret;
		if (verify->plan->commands[verify->command].op == &loom_op_native) {
			ret = loom_native_check_payload(verify);
			if (ret)
				return ret;
		}
		if (both)
			loom_hazard_add(verify, compute);
	}
	return both ? loom_hazard_end(verify) : 0;
}

int loom_verify_steps(struct loom_verify *verify)
{
	int ret;

	ret = loom_step_check_tiling(verify);
	if (ret)
		return ret;
	for (verify->step = 0; verify->step < verify->header->steps.count; verify->step++) {
		ret = loom_step_check(verify);
		if (ret)
			return ret;
	}
	return 0;
}
