// SPDX-License-Identifier: MIT
/*
 * The reference program for comparisons. The checker of plans (replay/) must not share code with
 * the planner, so its caller provides it. Nodes that do not fit into the SRAM of the plan are
 * computed in the same pieces, because these determine the rounding. Weights of few bits are in the
 * form of the plan: replays tell constants from elements that are computed.
 */
#include "planner.h"

#include <string.h>

/* In all lanes: enough that hardly anything is cut, and no more than a replay can hold. */
#define REFERENCE_BYTES	(256ULL << 20)

static bool reads(const struct loom_program *program, const struct loom_value *value)
{
	u32 i;

	for (i = 0; i < program->num_weights; i++)
		if (program->weights[i].name && !strcmp(program->weights[i].name, value->name))
			return true;
	return false;
}

/* The form of a program: expanded if it does not read all of the packed constants. */
static enum loom_planner_form form_of(const struct loom_graph *graph,
				      const struct loom_program *program)
{
	enum loom_planner_form form = LOOM_FORM_ANY;
	u32 i;

	for (i = 0; i < graph->num_values && program; i++) {
		const struct loom_value *value = graph->values[i];

		if (!value->held || !value->num_uses || !value->name)
			continue;
		if (!reads(program, value))
			return LOOM_FORM_EXPANDED;
		form = LOOM_FORM_PACKED;
	}
	return form;
}

int loom_program_create_reference(const struct loom_graph *graph,
				  const struct loom_planner_options *options,
				  const struct loom_program *like, struct loom_program **program,
				  struct loom_error *err)
{
	struct loom_planner_options own = *options;
	struct drm_loom_chip chip;
	struct drm_loom_chip_region *sram;
	struct loom_watch watch;
	int ret = loom_graph_check(graph, err);

	*program = NULL;
	if (!ret)
		ret = loom_planner_check(options, err);
	if (ret)
		return ret;
	chip = *options->chip;
	sram = &chip.region[DRM_LOOM_REGION_SRAM];
	if (sram->banks)
		sram->bank_bytes = sram->reserved_bytes + REFERENCE_BYTES / sram->banks;
	sram->floor_bytes = 0;
	own.chip = &chip;
	own.grouping = LOOM_GROUPING_NONE;
	own.sram_limit_bytes = 0;
	own.flags |= LOOM_PLANNER_NO_OVERLAP | LOOM_PLANNER_GIVEN_ORDER;
	watch = loom_planner_watch(graph, options);
	loom_watch_begin(&watch);
	ret = loom_planner_plan(graph, options, &own, form_of(graph, like), program, err);
	return loom_planner_unwatch(&watch, ret, program, err);
}
