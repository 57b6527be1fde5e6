// SPDX-License-Identifier: MIT
/* A graph in groups: from the list of ops to commands. See group.h. */
#include "group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "storage.h"

static const struct {
	const char *name;
	const char *text;
} strategies[] = {
	{ "layerwise", "each node for itself: every value goes to DRAM and comes back" },
	{ "layergroup", "groups by DRAM bytes: line buffers, weights held or streamed" },
};

const char *loom_grouping_name(unsigned int index)
{
	return index < ARRAY_SIZE(strategies) ? strategies[index].name : NULL;
}

const char *loom_grouping_text(unsigned int index)
{
	return index < ARRAY_SIZE(strategies) ? strategies[index].text : NULL;
}

bool loom_grouping_is_on(const struct loom_planner_options *options)
{
	return options->grouping && strcmp(options->grouping, strategies[0].name);
}

bool loom_grouping_is_known(const struct loom_planner_options *options)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(strategies); i++)
		if (!options->grouping || !strcmp(options->grouping, strategies[i].name))
			return true;
	return false;
}

/* Values that no command outside of their group touches have no place in DRAM. */
static void mark_chip(struct loom_group_list *list, struct loom_group *group)
{
	struct loom_storage *storage = list->lower->storage;
	u32 i;

	for (i = 0; i < group->num_roots; i++) {
		const struct loom_group_root *root = &group->roots[i];
		struct loom_home *home = &storage->homes[root->value];

		if (root->kind != LOOM_GROUP_INSIDE || root->stored ||
		    home->kind != LOOM_HOME_ARENA)
			continue;
		home->kind = LOOM_HOME_CHIP;
		storage->num_neurons--;
		storage->neuron_bytes -= storage->graph->values[root->value]->size_bytes;
	}
}

/* All nodes of a group happen at once, as far as DRAM is concerned. */
static int set_spans(struct loom_group_list *list, const struct loom_group_cut *cuts, u32 num_cuts)
{
	struct loom_storage *storage = list->lower->storage;
	u32 num_nodes = list->lower->graph->num_nodes, i, k;

	storage->span_first = calloc((size_t)num_nodes + 1, sizeof(*storage->span_first));
	storage->span_last = calloc((size_t)num_nodes + 1, sizeof(*storage->span_last));
	if (!storage->span_first || !storage->span_last)
		return -ENOMEM;
	for (i = 0; i < num_nodes; i++) {
		storage->span_first[i] = i;
		storage->span_last[i] = i;
	}
	for (i = 0; i < num_cuts; i++) {
		u32 first = list->units[cuts[i].first_unit].node;
		u32 last = list->units[cuts[i].first_unit + cuts[i].num_units - 1].node;

		for (k = first; k <= last; k++) {
			storage->span_first[k] = first;
			storage->span_last[k] = last;
		}
	}
	return 0;
}

/* A group as it was chosen, once more. */
static int remake(struct loom_group *group, const struct loom_group_cut *cut)
{
	u32 i;

	loom_group_begin(group, cut->first_unit, cut->slices, cut->want_axis);
	group->overlap = cut->overlap;
	for (i = 0; i < cut->num_units; i++)
		if (!loom_group_append(group))
			return -EINVAL;
	return loom_group_fit(group, cut->budget_bytes);
}

static int walk_cuts(struct loom_group_list *list, struct loom_group *group,
		     const struct loom_group_cut *cuts, u32 num_cuts, bool emit)
{
	struct loom_lower *lower = list->lower;
	u32 i, k;
	int ret = 0;

	for (i = 0; i < num_cuts && !ret; i++) {
		const struct loom_group_cut *cut = &cuts[i];

		if (cut->alone) {
			k = list->units[cut->first_unit].node;
			if (emit)
				ret = loom_lower_node(lower, lower->storage->nodes[k]);
			continue;
		}
		ret = remake(group, cut);
		if (ret)
			return ret;
		if (emit)
			ret = loom_group_emit(lower, group);
		else
			mark_chip(list, group);
	}
	return ret;
}

int loom_group_plan(struct loom_lower *lower, const struct loom_planner_options *options)
{
	struct loom_group_cut *cuts = NULL;
	struct loom_group *group = NULL;
	struct loom_group_list list;
	u32 num_cuts = 0;
	int ret;

	ret = loom_group_list_make(&list, lower);
	if (!ret) {
		group = loom_group_make(&list);
		ret = group ? 0 : -ENOMEM;
	}
	if (!ret)
		ret = loom_group_divide(&list, group, &cuts, &num_cuts);
	if (!ret)
		ret = set_spans(&list, cuts, num_cuts);
	if (!ret)
		ret = walk_cuts(&list, group, cuts, num_cuts, false);
	if (!ret)
		ret = loom_storage_place(lower->storage, options, lower->err);
	if (!ret)
		ret = walk_cuts(&list, group, cuts, num_cuts, true);
	if (!ret)
		ret = loom_storage_copy_late(lower);
	free(cuts);
	loom_group_free(group);
	loom_group_list_clear(&list);
	return ret;
}
