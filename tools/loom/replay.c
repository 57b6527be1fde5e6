// SPDX-License-Identifier: MIT
/* --replay: checks a plan without running it, by code of its own; see loom_replay.h. */
#include "tool.h"

#include "loom_replay.h"

int tool_replay(const struct tool_model *model, struct loom_replay_report **report)
{
	struct loom_replay_options options = {
		.chip = model->planner.chip,
		.sram_limit_bytes = model->planner.sram_limit_bytes,
	};
	struct loom_program *reference;
	struct loom_error err;
	uint32_t i;
	int ret;

	if (loom_program_create_reference(model->graph, &model->planner, model->program,
					  &reference, &err))
		return tool_fail("%s: no reference: %s", model->path, err.text);
	options.reference = reference;
	ret = loom_replay_program(model->program, &options, report, &err);
	loom_program_destroy(reference);
	if (ret)
		return tool_fail("%s: %s", model->path, err.text);
	for (i = 0; i < (*report)->num_listed; i++)
		tool_fail("%s: %s", model->path, (*report)->faults[i].text);
	if ((*report)->num_faults > (*report)->num_listed)
		tool_fail("%s: %llu more faults", model->path,
			  (unsigned long long)((*report)->num_faults - (*report)->num_listed));
	return (*report)->num_faults ? TOOL_FAILED : 0;
}

void tool_replay_print(const struct loom_replay_report *report)
{
	char a[TOOL_TEXT], b[TOOL_TEXT];

	printf("replay     no faults in %llu steps; %llu elements as in the reference\n",
	       (unsigned long long)report->counted.steps, (unsigned long long)report->compared);
	printf("           SRAM per lane: %s alive at most, up to %s; %.1f MMAC recomputed\n",
	       tool_bytes(a, report->peak_bytes), tool_bytes(b, report->top_bytes),
	       report->recomputed_macs / 1e6);
}

void tool_replay_json(const struct loom_replay_report *report, struct json *json)
{
	json_u64(json, "replay_faults", report->num_faults);
	json_u64(json, "replay_compared", report->compared);
	json_u64(json, "replay_elements", report->elements);
	json_u64(json, "replay_sram_peak_bytes", report->peak_bytes);
	json_u64(json, "replay_sram_top_bytes", report->top_bytes);
	json_u64(json, "replay_recomputed_macs", report->recomputed_macs);
}
