// SPDX-License-Identifier: MIT
/*
 * Cost of a group, by &struct loom_group_aim. DRAM bytes are counted as in the engine: elements of
 * the views that are loaded and stored. If bytes are the price, positions of all slices break ties.
 * Streamed weights are loaded one position early, in parallel to the operation before, if that
 * costs no more bytes; held ones are loaded once.
 *
 * If time is the price, cycles of both streams are weighted (time.c), and bytes break ties. A sum
 * over groups cannot predict the longer stream of the whole plan, and loads may overlap the work of
 * other groups: so a plan is searched with several weights, and the fastest is kept
 * (planner/alternatives.c).
 */
#include "group/schedule/schedule.h"

#include "loom_clock.h"

/* Bytes that slices load of a recomputed root. */
static u64 recompute_bytes(const struct loom_group *group, const struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box;
	u64 elems = 0;
	u32 slice;

	for (slice = 0; slice < group->slices; slice++) {
		box = root->hull;
		loom_group_batch(group, slice, &box);
		if (loom_group_strip(group, root - group->roots, slice, &box.lo[root->axis],
				     &box.hi[root->axis]))
			elems += loom_group_box_elems(&box, use->rank);
	}
	return loom_dtype_row_bytes(use->dtype, elems);
}

static u64 root_bytes(const struct loom_group *group, const struct loom_group_root *root)
{
	const struct loom_group_use *use = &group->list->uses[root->value];
	struct loom_group_box box = root->hull;

	if (root->kind != LOOM_GROUP_INPUT ||
	    group->residency[root->value] & LOOM_GROUP_RESIDENT_IN)
		return 0;
	if (group->recompute)
		return recompute_bytes(group, root);
	if (root->axis >= 0) {
		box.lo[root->axis] = 0;
		box.hi[root->axis] = use->dims[root->axis];
	}
	return loom_group_part_bytes(use, &box);
}

/* Bytes loaded for operand @i of a part besides strips. */
static u64 own_bytes(const struct loom_group_part *part, u32 i, bool once)
{
	u64 bytes = part->loaded_bytes[i], kept = 0;

	if (once || part->varies >> i & 1 || part->held >> i & 1)
		return bytes;
	/* chunks are equal except for the last, which is not kept unless all are */
	if (loom_group_keeps_chunk(part, i, 0))
		kept = bytes / part->op->kernel.operands[0].ref.dims[part->chunk_axis] *
		       part->chunk * part->kept_chunks;
	return kept + (bytes - kept) * part->active;
}

static u64 part_bytes(const struct loom_group *group, const struct loom_group_part *part,
		      bool once)
{
	const struct loom_kernel *kernel = &part->op->kernel;
	const struct loom_ref *y = &kernel->operands[0].ref;
	u64 bytes = 0, stored = loom_group_ref_bytes(y);
	u32 i;

	if (group->roots[part->root[0]].stored)
		bytes += stored;
	for (i = 1; i < kernel->num_operands; i++)
		if (kernel->operands[i].role == LOOM_ROLE_LOAD &&
		    part->root[i] == LOOM_GROUP_NONE &&
		    !(group->residency[part->op->access[i].value] & LOOM_GROUP_RESIDENT_IN))
			bytes += own_bytes(part, i, once);
	return bytes;
}

static u64 group_bytes(const struct loom_group *group, bool once)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < group->num_roots; i++)
		bytes += root_bytes(group, &group->roots[i]);
	for (i = 0; i < group->num_residents; i++)
		if (group->residency[group->residents[i]] & LOOM_GROUP_RESIDENT_FLUSH)
			bytes += group->list->uses[group->residents[i]].bytes;
	for (i = 0; i < group->num_parts; i++)
		bytes += part_bytes(group, &group->parts[i], once);
	return bytes;
}

u64 loom_group_time_price(const struct loom_group_list *list, const struct loom_group_time *time)
{
	u64 price = loom_clock_add(loom_clock_times(list->aim.dma, time->dma),
				   loom_clock_times(list->aim.compute, time->compute));

	return loom_clock_add(price, loom_clock_times(list->aim.steps, time->steps));
}

/* Lower bound on the cycles of bytes from outside: no starts, no latencies. */
static u64 fastest(const struct drm_loom_chip *chip, u64 bytes)
{
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	u32 rate = max(dram->read_rate, dram->write_rate);

	rate = max(rate, chip->region[DRM_LOOM_REGION_ROM].read_rate);
	rate = max(rate, chip->region[DRM_LOOM_REGION_SRAM].read_rate);
	return rate ? bytes / rate * 1000 + bytes % rate * 1000 / rate : 0;
}

u64 loom_group_bytes_price(const struct loom_group_list *list, u64 bytes)
{
	if (!list->aim.time)
		return bytes;
	return list->aim.dma * fastest(list->lower->chip, bytes);
}

u64 loom_group_cost_floor(struct loom_group *group)
{
	const struct loom_group_unit *units = &group->list->units[group->first_unit];
	u64 price, compute = 0;
	u32 i;

	loom_group_mark_stored(group);
	loom_group_measure(group);
	price = loom_group_bytes_price(group->list, group_bytes(group, true));
	for (i = 0; i < group->num_units; i++)
		compute += units[i].least_compute;
	return price + (group->list->aim.compute + group->list->aim.steps) * compute;
}

void loom_group_cost_count(struct loom_group *group)
{
	struct loom_group_time time;
	u64 bytes = group_bytes(group, false);

	if (!group->list->aim.time) {
		group->cost.price = bytes;
		group->cost.tie = (u64)group->slices * group->num_entries;
		return;
	}
	loom_group_take_time(group, &time);
	if (group->list->aim.steps)
		time.steps = loom_group_cycles(group);
	loom_group_spend(group, group->slices + group->num_entries);
	group->cost.price = loom_group_time_price(group->list, &time);
	group->cost.tie = bytes;
}

static u64 least_bytes(const struct loom_group_list *list, u32 unit)
{
	u64 sum = 0, bytes;
	u32 i, k;

	for (i = 0; i < list->units[unit].num_ops; i++) {
		u32 index = list->units[unit].first_op + i;
		const struct loom_kernel *kernel = &list->ops[index]->kernel;

		for (k = 0; k < kernel->num_operands; k++) {
			const struct loom_operand *operand = &kernel->operands[k];
			u32 value = list->ops[index]->access[k].value;

			bytes = loom_group_ref_bytes(&operand->ref);
			if (operand->role == LOOM_ROLE_STORE && list->uses[value].output)
				sum += bytes;
			if (operand->role == LOOM_ROLE_LOAD &&
			    list->lower->graph->values[value]->data &&
			    list->uses[value].last_reader == index)
				sum += bytes;
		}
	}
	return sum;
}

u64 loom_group_least_price(const struct loom_group_list *list, u32 unit)
{
	return loom_group_bytes_price(list, least_bytes(list, unit)) +
	       (list->aim.compute + list->aim.steps) * list->units[unit].least_compute;
}

static void add_alone(const struct loom_group_list *list, const struct loom_group_op *op,
		      u64 *bytes, u64 *slices)
{
	const struct loom_ref *y = &op->kernel.operands[0].ref;
	struct loom_slicing tiling;
	u64 need, elems = 1;
	u32 i;

	for (i = 0; i < y->rank; i++)
		elems *= y->dims[i];
	if (op->kind != LOOM_GROUP_COMPUTE) {
		*bytes += loom_dtype_row_bytes(y->dtype, elems) *
			  (op->kind == LOOM_GROUP_COPY ? 2 : 1);
		++*slices;
	} else if (!loom_slice_choose(&op->kernel, &list->lower->sram, &tiling, &need)) {
		*bytes += tiling.dram_bytes;
		*slices += tiling.slices;
	} else {
		/* it may still fit, because lowering merges axes first: a rough guess */
		*bytes += 64 * loom_dtype_row_bytes(y->dtype, elems);
		++*slices;
	}
}

void loom_group_cost_layerwise(struct loom_group_list *list, u32 index)
{
	struct loom_group_unit *unit = &list->units[index];
	struct loom_group_time time = { .dma = 0 };
	u64 bytes = 0, slices = 0;
	u32 i;

	for (i = 0; i < unit->num_ops; i++)
		add_alone(list, list->ops[unit->first_op + i], &bytes, &slices);
	unit->layerwise = (struct loom_group_cost){ .price = bytes, .tie = slices };
	unit->least_compute = 0;
	if (!list->aim.time)
		return;
	loom_group_layerwise_time(list, index, &time);
	time.steps = loom_group_layerwise_cycles(list, index);
	unit->layerwise.price = loom_group_time_price(list, &time);
	unit->layerwise.tie = bytes;
	for (i = 0; i < unit->num_ops; i++)
		unit->least_compute += loom_group_least_compute(list, unit->first_op + i);
}
