// SPDX-License-Identifier: MIT
/* The driver of grouping: from the list of operations to commands. */
#include "group/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "group/emit/emit.h"
#include "lower/notes.h"
#include "lower/storage.h"

static const struct loom_group_strategy *const strategies[] = {
	&loom_group_own,
	&loom_group_text,
	&loom_group_dp,
};

const struct loom_group_strategy *loom_group_strategy_get(u32 index)
{
	return index < ARRAY_SIZE(strategies) ? strategies[index] : NULL;
}

#define MADE	(1 << 0)
#define STORED	(1 << 1)

/* Records the values that a group makes, and those that it stores. */
static void note_group(struct loom_group *group, u8 *notes)
{
	u32 i;

	for (i = 0; i < group->num_roots; i++) {
		const struct loom_group_root *root = &group->roots[i];

		if (root->kind == LOOM_GROUP_INSIDE)
			notes[root->value] |= root->stored ? MADE | STORED : MADE;
	}
	for (i = 0; i < group->num_residents; i++)
		if (group->residency[group->residents[i]] & LOOM_GROUP_RESIDENT_FLUSH)
			notes[group->residents[i]] |= STORED;
}

/* Values that groups make and no group stores need no place in DRAM. */
static void mark_chip(struct loom_storage *storage, const u8 *notes)
{
	u32 i;

	for (i = 0; i < storage->graph->num_values; i++) {
		enum loom_location_kind *kind = &storage->locations[i].kind;

		if (notes[i] != MADE ||
		    (*kind != LOOM_LOCATION_ARENA && *kind != LOOM_LOCATION_IMAGE))
			continue;
		if (*kind == LOOM_LOCATION_IMAGE) {
			storage->num_images--;
		} else {
			storage->num_neurons--;
			storage->neuron_bytes -= storage->graph->values[i]->size_bytes;
		}
		*kind = LOOM_LOCATION_SRAM;
	}
}

/* For DRAM, all nodes of a group happen at the same time. */
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

/* Bytes of weights that are loaded once for all slices; a repeated weight has its own. */
static u64 held_bytes(const struct loom_group *group)
{
	struct loom_value *const *values = group->list->lower->graph->values;
	u64 bytes = 0;
	u32 index, i;

	for (index = 0; index < group->num_parts && group->slices > 1; index++) {
		const struct loom_group_part *part = &group->parts[index];

		for (i = 1; i < part->op->kernel.num_operands; i++)
			if (part->held >> i & 1 && loom_group_is_own(group, part, i) &&
			    part->op->kernel.operands[i].role == LOOM_ROLE_LOAD &&
			    values[part->op->access[i].value]->data)
				bytes += min(part->loaded_bytes[i],
					     values[part->op->access[i].value]->size_bytes);
	}
	return bytes;
}

static int emit(struct loom_lower *lower, struct loom_group *group)
{
	const struct loom_group_unit *units = &group->list->units[group->first_unit];
	struct loom_program_group note = {
		.first_node = units[0].node,
		.last_node = units[group->num_units - 1].node,
		.grouped = true,
		.slices = group->slices,
		.axis = group->slices > 1 ? (s32)group->cut_axis : -1,
		.overlap = group->overlap,
		.first_step = lower->step,
	};
	int ret = loom_group_emit(lower, group);

	if (ret)
		return ret;
	note.held_bytes = held_bytes(group);
	note.num_steps = lower->step - note.first_step;
	return loom_note_group(lower, &note);
}

/* Writes all groups, or only records them. */
static int walk_cuts(struct loom_group_list *list, struct loom_group *group,
		     const struct loom_group_cut *cuts, u32 num_cuts, u8 *notes)
{
	struct loom_lower *lower = list->lower;
	u32 i, k;
	int ret = 0;

	for (i = 0; i < num_cuts && !ret; i++) {
		const struct loom_group_cut *cut = &cuts[i];

		if (cut->layerwise) {
			k = list->units[cut->first_unit].node;
			if (!notes)
				ret = loom_lower_alone(lower, k);
			continue;
		}
		ret = loom_group_refit(group, cut);
		if (ret)
			return ret;
		if (notes)
			note_group(group, notes);
		else
			ret = emit(lower, group);
	}
	return ret;
}

static int find_chip(struct loom_group_list *list, struct loom_group *group,
		     const struct loom_group_cut *cuts, u32 num_cuts)
{
	u8 *notes = calloc((size_t)list->lower->graph->num_values + 1, sizeof(*notes));
	int ret = -ENOMEM;

	if (notes)
		ret = walk_cuts(list, group, cuts, num_cuts, notes);
	if (!ret)
		mark_chip(list->lower->storage, notes);
	free(notes);
	return ret;
}

/* Work per millisecond of the budget. */
#define WORK_PER_MS	20000
#define DEFAULT_MS	400
/* Number of units from which each adds a millisecond. */
#define MANY_UNITS	500

/* Units that repeat are evaluated once, so they do not count. */
static u64 budget_of(const struct loom_group_options *options, u32 num_units)
{
	u64 ms = options->budget_ms;

	if (!ms)
		ms = DEFAULT_MS + (num_units > MANY_UNITS ? num_units - MANY_UNITS : 0);
	ms = ms > U64_MAX / WORK_PER_MS ? U64_MAX : ms * WORK_PER_MS;
	return ms / max(options->share, 1U);
}

int loom_group_plan(struct loom_lower *lower, const struct loom_group_options *options)
{
	const struct loom_group_strategy *strategy = options->strategy;
	struct loom_group_cut *cuts = NULL;
	struct loom_group *group = NULL;
	struct loom_group_list list;
	u32 num_cuts = 0;
	u64 macs = 0;
	int ret;

	memset(&list, 0, sizeof(list));
	ret = loom_group_list_make(&list, lower);
	/* all groups were visited, but no commands written: the plan begins at step 0 */
	macs = lower->macs_once;
	lower->step = 0;
	if (strategy->competes) {
		list.aim = options->aim;
		list.memo = options->memo;
	}
	if (!ret) {
		group = loom_group_make(&list, strategy->rules);
		ret = group ? 0 : -ENOMEM;
	}
	if (!ret) {
		group->budget = budget_of(options, list.repeat.count);
		group->keep_halos = options->keep_halos;
		ret = options->division ?
			      loom_group_division_get(options->division, group, &cuts, &num_cuts) :
			      strategy->divide(&list, group, &cuts, &num_cuts);
	}
	if (options->alternatives)
		loom_watch_at(LOOM_STAGE_EXPLAIN);
	/* only strategies that choose by cost have reasons */
	if (!ret && options->alternatives && strategy->by_cost)
		ret = loom_group_explain(&list, group, cuts, num_cuts, options->alternative_bytes,
					 options->alternatives);
	if (!ret)
		ret = set_spans(&list, cuts, num_cuts);
	if (!ret)
		ret = find_chip(&list, group, cuts, num_cuts);
	loom_watch_at(LOOM_STAGE_PLACE);
	if (!ret)
		ret = loom_storage_place(lower->storage, options->storage, lower->err);
	if (!ret)
		loom_group_list_place(&list);
	loom_watch_at(LOOM_STAGE_EMIT);
	if (!ret)
		ret = walk_cuts(&list, group, cuts, num_cuts, NULL);
	if (!ret)
		ret = loom_storage_copy_late(lower);
	lower->macs_once = macs;
	free(cuts);
	loom_group_free(group);
	loom_group_list_clear(&list);
	return ret;
}
