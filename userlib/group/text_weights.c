// SPDX-License-Identifier: MIT
/*
 * DOC: Weights, by the text
 *
 * What needs room comes in three classes: activations (strips here), from the operator that makes
 * them to the last that reads them; weights; buffers, while their operator works. Weights of a
 * sliced group stay to its end. Those of a group of one slice go when their operator is done, and
 * come as early as there is slack: where loading one beside the operator before would take longer
 * than that works, it moves to the next earlier operator that works long enough ("the period
 * [T5,T5] is corrected to [T2,T5]"). The text does not say how far back to go; going further than
 * need be would take room and save no time. Nothing is loaded in pieces: whole weights, or not at
 * all.
 *
 * Both refuse slices that are empty, do not move on, or whose readers need rows far apart; the
 * text's own planner also refuses a group in which more than half of a value is there twice.
 */
#include "placement.h"
#include "strategy.h"

#include <errno.h>

/* Loads a weight earlier, if the operator beside which it is loaded is done before it is. */
static void lead(const struct loom_group *group, struct loom_group_part *part, u32 i,
		 struct loom_group_streams *streams)
{
	u64 cycles = loom_div_round_up(part->loaded_bytes[i], LOOM_CYCLE_BYTES);
	s32 last = loom_group_load_at(group, part->first_entry), at;
	size_t from = loom_group_stream_index(group, last), to;

	if (streams->compute[from] >= streams->dma[from])
		return;
	for (at = last - 1; at >= 0; at--) {
		to = loom_group_stream_index(group, at);
		if (streams->compute[to] < streams->dma[to] + cycles)
			continue;
		streams->dma[from] -= min(cycles, streams->dma[from]);
		streams->dma[to] += cycles;
		part->lead[i] = last - at;
		return;
	}
}

static int load_early(struct loom_group *group)
{
	struct loom_group_streams streams;
	u32 index, i;

	if (loom_group_streams(group, &streams))
		return -ENOMEM;
	for (index = 0; index < group->num_parts; index++) {
		struct loom_group_part *part = &group->parts[index];

		for (i = 1; i < part->op->kernel.num_operands; i++) {
			u32 value = part->op->access[i].value;

			part->lead[i] = 0;
			if (part->op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
			    loom_group_is_own(group, part, i) &&
			    group->list->lower->graph->values[value]->data)
				lead(group, part, i, &streams);
		}
	}
	loom_group_streams_clear(&streams);
	return 0;
}

/* Fits a group, unless its slices have one of the faults @refused. */
static int fit(struct loom_group *group, u64 budget_bytes, u32 refused)
{
	s32 position;
	int ret;

	ret = loom_group_schedule(group);
	if (ret)
		return ret;
	if (group->faults & refused)
		return -ENOSPC;
	if (group->slices == 1 && group->overlap) {
		ret = load_early(group);
		if (!ret)
			ret = loom_group_schedule(group);
		if (ret)
			return ret;
	}
	group->cost.peak_bytes = loom_group_peak(group, group->num_items, &position, NULL);
	if (group->cost.peak_bytes > budget_bytes)
		return -ENOSPC;
	loom_group_cost_count(group);
	return 0;
}

#define WRONG	(LOOM_GROUP_FAULT_EMPTY | LOOM_GROUP_FAULT_STALLED | LOOM_GROUP_FAULT_DISJOINT)

int loom_group_text_fit(struct loom_group *group, u64 budget_bytes)
{
	return fit(group, budget_bytes, WRONG | LOOM_GROUP_FAULT_OVERLAP);
}

int loom_group_dp_fit(struct loom_group *group, u64 budget_bytes)
{
	return fit(group, budget_bytes, WRONG);
}
