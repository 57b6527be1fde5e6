// SPDX-License-Identifier: MIT
/*
 * What a plan is compared with. Here the planner is asked, as anybody can ask it: that is why this
 * is not in replay.c.
 */
#include "loom_replay.h"

#include "loom_topology.h"

/* In all lanes: so much that next to nothing has to be cut, and not more than can be replayed. */
#define REFERENCE_BYTES	(256ULL << 20)

int loom_replay_reference(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options own = *options;
	struct loom_topology topology;
	struct loom_region_topology *sram;

	if (!options->topology)
		return loom_program_create(graph, options, program, err);
	topology = *options->topology;
	sram = &topology.region[DRM_LOOM_REGION_SRAM];
	if (sram->banks)
		sram->bank_bytes = sram->reserved_bytes + REFERENCE_BYTES / sram->banks;
	own.topology = &topology;
	own.grouping = NULL;
	own.sram_limit_bytes = 0;
	own.flags |= LOOM_PLANNER_NO_OVERLAP | LOOM_PLANNER_GIVEN_ORDER;
	return loom_program_create(graph, &own, program, err);
}
