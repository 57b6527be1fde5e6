// SPDX-License-Identifier: MIT
/* Tables of a plan, lifetimes of tensors, and views as lists of cells. See replay.h. */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_chip.h"

static bool table_is_fine(const struct drm_loom_plan_header *header,
			  const struct drm_loom_table *table, uint32_t stride, uint32_t most)
{
	uint64_t bytes = (uint64_t)table->count * table->stride;

	return table->stride == stride && table->count <= most && !(table->offset & 7) &&
	       table->offset >= sizeof(*header) && table->offset <= header->size &&
	       bytes <= header->size - table->offset;
}

static bool header_is_fine(const struct loom_program *program)
{
	const struct drm_loom_plan_header *h = program->plan;

	return h && !((uintptr_t)h & 7) && program->plan_bytes >= sizeof(*h) &&
	       h->magic == DRM_LOOM_PLAN_MAGIC &&
	       (h->version == DRM_LOOM_PLAN_VERSION ||
		h->version == DRM_LOOM_PLAN_VERSION_NATIVE) &&
	       h->size == program->plan_bytes && h->size <= DRM_LOOM_MAX_PLAN_BYTES && !h->flags &&
	       table_is_fine(h, &h->slots, sizeof(struct drm_loom_plan_slot), DRM_LOOM_MAX_SLOTS) &&
	       table_is_fine(h, &h->tensors, sizeof(struct drm_loom_plan_tensor),
			     DRM_LOOM_MAX_TENSORS) &&
	       table_is_fine(h, &h->steps, sizeof(struct drm_loom_plan_step), DRM_LOOM_MAX_STEPS) &&
	       table_is_fine(h, &h->commands, sizeof(struct drm_loom_plan_command),
			     DRM_LOOM_MAX_COMMANDS) &&
	       table_is_fine(h, &h->views, sizeof(struct drm_loom_plan_view), DRM_LOOM_MAX_VIEWS) &&
	       table_is_fine(h, &h->attrs, 1, DRM_LOOM_MAX_ATTR_BYTES);
}

static const void *table_at(const struct drm_loom_plan_header *header,
			    const struct drm_loom_table *table)
{
	return (const uint8_t *)header + table->offset;
}

uint32_t replay_plan_shift(const struct loom_program *program)
{
	const struct drm_loom_plan_header *h = program->plan;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_view *views;
	uint64_t bits = 8;
	uint32_t i, k;

	if (!header_is_fine(program))
		return 0;
	tensors = table_at(h, &h->tensors);
	views = table_at(h, &h->views);
	for (i = 0; i < h->tensors.count; i++)
		bits |= tensors[i].offset | replay_dtype_bytes(tensors[i].dtype);
	for (i = 0; i < h->views.count; i++) {
		bits |= views[i].offset;
		for (k = 0; k < DRM_LOOM_MAX_RANK; k++)
			bits |= (uint64_t)views[i].strides[k];
	}
	return (uint32_t)__builtin_ctzll(bits);
}

static int by_address(const void *a, const void *b)
{
	const struct loom_program_tensor *x = *(const struct loom_program_tensor *const *)a;
	const struct loom_program_tensor *y = *(const struct loom_program_tensor *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Lists the inputs and weights in a slot before the plan runs. */
static bool find_facts(struct replay *r, uint32_t slot)
{
	const struct loom_program *program = r->program;
	struct replay_space *space = &r->spaces[slot];
	uint32_t i;

	space->facts = calloc((size_t)program->num_inputs + program->num_weights + 1,
			      sizeof(*space->facts));
	if (!space->facts)
		return replay_stop(r, -ENOMEM);
	for (i = 0; i < program->num_inputs + program->num_weights; i++) {
		const struct loom_program_tensor *tensor = i < program->num_inputs ?
			&program->inputs[i] : &program->weights[i - program->num_inputs];

		if (tensor->slot == slot && tensor->size_bytes)
			space->facts[space->num_facts++] = tensor;
	}
	qsort(space->facts, space->num_facts, sizeof(*space->facts), by_address);
	return true;
}

static bool make_cells(struct replay *r, struct replay_space *space)
{
	uint64_t all;

	space->cells = (space->bytes + (1ULL << r->shift) - 1) >> r->shift;
	if (__builtin_mul_overflow(space->cells, (uint64_t)space->banks, &all) ||
	    all > REPLAY_CELLS)
		return replay_stop(r, -E2BIG);
	if (space->writable)
		space->labels = calloc(all + 1, sizeof(*space->labels));
	return !space->writable || space->labels || replay_stop(r, -ENOMEM);
}

static bool make_spaces(struct replay *r)
{
	const struct drm_loom_chip_region *sram =
		&r->options->chip->region[DRM_LOOM_REGION_SRAM];
	uint64_t room = sram->bank_bytes - sram->reserved_bytes;
	struct replay_space *scratch;
	uint32_t i;

	if (r->options->sram_limit_bytes && r->options->sram_limit_bytes < room)
		room = r->options->sram_limit_bytes;
	if (r->header->lanes != sram->banks || !sram->banks || sram->banks > REPLAY_LANES)
		return replay_fault(r, LOOM_REPLAY_FORM, "the plan is for %u lanes, there are %u",
				    r->header->lanes, sram->banks);
	if (r->header->scratch_bytes > room)
		return replay_fault(r, LOOM_REPLAY_ROOM,
				    "the plan uses %llu bytes of each lane, there are %llu",
				    (unsigned long long)r->header->scratch_bytes,
				    (unsigned long long)room);
	if (r->header->slots.count != r->program->num_slots)
		return replay_fault(r, LOOM_REPLAY_FORM, "the plan has %u slots, not %u",
				    r->header->slots.count, r->program->num_slots);
	r->num_spaces = r->header->slots.count + 1;
	r->spaces = calloc(r->num_spaces, sizeof(*r->spaces));
	if (!r->spaces)
		return replay_stop(r, -ENOMEM);
	for (i = 0; i < r->header->slots.count; i++) {
		struct replay_space *space = &r->spaces[i];

		if (r->slots[i].size > r->program->slots[i].size_bytes)
			return replay_fault(r, LOOM_REPLAY_ROOM,
					    "slot %u is of %llu bytes, %llu are bound to it", i,
					    (unsigned long long)r->slots[i].size,
					    (unsigned long long)r->program->slots[i].size_bytes);
		space->known = r->slots[i].flags & DRM_LOOM_SLOT_READ;
		space->writable = r->slots[i].flags & DRM_LOOM_SLOT_WRITE;
		space->bytes = r->slots[i].size;
		space->banks = r->slots[i].flags & DRM_LOOM_SLOT_SRAM ? r->header->lanes : 1;
		if (!make_cells(r, space) || (space->known && !find_facts(r, i)))
			return false;
	}
	scratch = &r->spaces[r->num_spaces - 1];
	scratch->writable = true;
	scratch->bytes = r->header->scratch_bytes;
	scratch->banks = r->header->lanes;
	return make_cells(r, scratch);
}

/* Whether a tensor is in the memory bound to a slot, not in the scratch. */
static bool in_slot(const struct drm_loom_plan_tensor *tensor)
{
	return tensor->region != DRM_LOOM_REGION_SRAM || tensor->flags & DRM_LOOM_TENSOR_SLOT;
}

static struct replay_space *space_of(const struct replay *r,
				     const struct drm_loom_plan_tensor *tensor)
{
	return &r->spaces[in_slot(tensor) ? tensor->slot : r->num_spaces - 1];
}

static bool tensor_is_fine(struct replay *r, uint32_t index)
{
	const struct drm_loom_plan_tensor *t = &r->tensors[index], *parent;
	uint64_t end;

	if (t->region >= DRM_LOOM_REGION_COUNT || !replay_dtype_bytes(t->dtype) || !t->rank ||
	    t->rank > DRM_LOOM_MAX_RANK || t->lane_axis >= t->rank ||
	    (in_slot(t) && t->slot >= r->header->slots.count) ||
	    t->first_step > t->last_step || t->last_step >= r->header->steps.count)
		return replay_fault(r, LOOM_REPLAY_FORM, "tensor %u is invalid", index);
	if (__builtin_add_overflow(t->offset, t->size, &end) || end > space_of(r, t)->bytes)
		return replay_fault(r, LOOM_REPLAY_ROOM, "tensor %u ends behind its %s", index,
				    in_slot(t) ? "slot" : "scratch");
	if (!(t->flags & DRM_LOOM_TENSOR_ALIAS))
		return true;
	parent = t->parent < r->header->tensors.count ? &r->tensors[t->parent] : NULL;
	if (!parent || parent->flags & DRM_LOOM_TENSOR_ALIAS || parent->region != t->region ||
	    (in_slot(t) && parent->slot != t->slot) ||
	    t->offset < parent->offset || end > parent->offset + parent->size)
		return replay_fault(r, LOOM_REPLAY_ROOM, "tensor %u does not lie in tensor %u",
				    index, t->parent);
	if (t->first_step < parent->first_step || t->last_step > parent->last_step)
		return replay_fault(r, LOOM_REPLAY_LIFETIME, "tensor %u outlives tensor %u", index,
				    t->parent);
	return true;
}

/* Tensors sorted by their first or last step: counting sort. */
static uint32_t *sort_tensors(struct replay *r, bool last)
{
	uint32_t steps = r->header->steps.count, count = r->header->tensors.count, i;
	uint32_t *first = calloc((size_t)steps + 2, sizeof(*first));
	uint32_t *sorted = calloc((size_t)count + 1, sizeof(*sorted));

	if (!first || !sorted) {
		free(first);
		free(sorted);
		replay_stop(r, -ENOMEM);
		return NULL;
	}
	for (i = 0; i < count; i++)
		first[(last ? r->tensors[i].last_step : r->tensors[i].first_step) + 1]++;
	for (i = 0; i < steps; i++)
		first[i + 1] += first[i];
	for (i = 0; i < count; i++)
		sorted[first[last ? r->tensors[i].last_step : r->tensors[i].first_step]++] = i;
	free(first);
	return sorted;
}

static bool steps_are_fine(struct replay *r)
{
	uint64_t next = 0;
	uint32_t i;

	for (i = 0; i < r->header->steps.count; i++) {
		if (r->steps[i].first_command != next)
			break;
		next += (uint64_t)r->steps[i].dma_commands + r->steps[i].compute_commands;
		if (next > r->header->commands.count)
			break;
	}
	return (i == r->header->steps.count && next == r->header->commands.count) ||
	       replay_fault(r, LOOM_REPLAY_FORM, "the steps are not the commands one by one");
}

bool replay_plan_open(struct replay *r)
{
	const struct drm_loom_plan_header *h = r->program->plan;
	uint32_t i;

	if (!header_is_fine(r->program))
		return replay_fault(r, LOOM_REPLAY_FORM, "the header or a table is broken");
	r->header = h;
	r->slots = table_at(h, &h->slots);
	r->tensors = table_at(h, &h->tensors);
	r->steps = table_at(h, &h->steps);
	r->commands = table_at(h, &h->commands);
	r->views = table_at(h, &h->views);
	r->attrs = table_at(h, &h->attrs);
	if (!steps_are_fine(r) || !make_spaces(r))
		return false;
	for (i = 0; i < h->tensors.count; i++)
		if (!tensor_is_fine(r, i))
			return false;
	r->born = sort_tensors(r, false);
	r->died = sort_tensors(r, true);
	return r->born && r->died;
}

/* The first live tensor that does not begin below @start. */
static uint32_t find_live(const struct replay_space *space, uint64_t start)
{
	uint32_t low = 0, high = space->num_live;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (space->live[mid].start < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool make_live(struct replay *r, struct replay_space *space, uint32_t tensor)
{
	const struct drm_loom_plan_tensor *t = &r->tensors[tensor];
	uint64_t end = t->offset + t->size;
	uint32_t at = find_live(space, t->offset), cap = 2 * space->cap_live + 16;
	struct replay_live *grown;

	if (space->num_live == space->cap_live) {
		grown = realloc(space->live, cap * sizeof(*grown));
		if (!grown)
			return replay_stop(r, -ENOMEM);
		space->live = grown;
		space->cap_live = cap;
	}
	if (at < space->num_live && space->live[at].start < end)
		replay_fault(r, LOOM_REPLAY_OVERLAP, "tensors %u and %u share bytes from %llu on",
			     tensor, space->live[at].tensor,
			     (unsigned long long)space->live[at].start);
	else if (at && space->live[at - 1].end > t->offset)
		replay_fault(r, LOOM_REPLAY_OVERLAP, "tensors %u and %u share bytes from %llu on",
			     tensor, space->live[at - 1].tensor, (unsigned long long)t->offset);
	memmove(&space->live[at + 1], &space->live[at],
		(space->num_live - at) * sizeof(*space->live));
	space->live[at] = (struct replay_live){ t->offset, end, tensor };
	space->num_live++;
	return true;
}

/* Marks cells as not written, because their bytes belong to another tensor now. */
static void clear_cells(struct replay *r, struct replay_space *space,
			const struct drm_loom_plan_tensor *t)
{
	uint64_t first = t->offset >> r->shift, bank;
	uint64_t end = (t->offset + t->size + (1ULL << r->shift) - 1) >> r->shift;

	if (space->known || !space->labels)
		return;
	for (bank = 0; bank < space->banks; bank++)
		memset(&space->labels[bank * space->cells + first], 0,
		       (end - first) * sizeof(*space->labels));
}

bool replay_plan_begin(struct replay *r)
{
	struct loom_replay_report *report = r->report;

	for (; r->next_born < r->header->tensors.count; r->next_born++) {
		uint32_t index = r->born[r->next_born];
		const struct drm_loom_plan_tensor *t = &r->tensors[index];
		struct replay_space *space = space_of(r, t);

		if (t->first_step != r->step)
			break;
		if (t->flags & DRM_LOOM_TENSOR_ALIAS)
			continue;
		if (!make_live(r, space, index))
			return false;
		clear_cells(r, space, t);
		if (in_slot(t))
			continue;
		r->live_bytes += t->size;
		if (t->offset + t->size > report->top_bytes)
			report->top_bytes = t->offset + t->size;
	}
	if (r->live_bytes > report->peak_bytes)
		report->peak_bytes = r->live_bytes;
	return true;
}

void replay_plan_end(struct replay *r)
{
	for (; r->next_died < r->header->tensors.count; r->next_died++) {
		uint32_t index = r->died[r->next_died], at;
		const struct drm_loom_plan_tensor *t = &r->tensors[index];
		struct replay_space *space = space_of(r, t);

		if (t->last_step != r->step)
			break;
		if (t->flags & DRM_LOOM_TENSOR_ALIAS)
			continue;
		at = find_live(space, t->offset);
		while (at < space->num_live && space->live[at].tensor != index)
			at++;
		if (at == space->num_live)
			continue;
		memmove(&space->live[at], &space->live[at + 1],
			(space->num_live - at - 1) * sizeof(*space->live));
		space->num_live--;
		if (!in_slot(t))
			r->live_bytes -= t->size;
	}
}

static bool view_is_fine(struct replay *r, const struct drm_loom_plan_view *v)
{
	const struct drm_loom_plan_tensor *t;
	uint64_t count = 1;
	uint32_t i;

	if (v->tensor >= r->header->tensors.count)
		return replay_fault(r, LOOM_REPLAY_FORM, "there is no tensor %u", v->tensor);
	t = &r->tensors[v->tensor];
	if (v->dtype != t->dtype || !v->rank || v->rank > DRM_LOOM_MAX_RANK ||
	    v->lane_axis >= v->rank ||
	    (t->region != DRM_LOOM_REGION_SRAM && (v->lane_axis || v->lane_start)))
		return replay_fault(r, LOOM_REPLAY_FORM, "a view of tensor %u is invalid",
				    v->tensor);
	for (i = 0; i < v->rank; i++) {
		if (!v->dims[i] || count * v->dims[i] > REPLAY_ELEMENTS)
			return replay_fault(r, LOOM_REPLAY_FORM,
					    "a view of tensor %u has no elements, or too many",
					    v->tensor);
		count *= v->dims[i];
	}
	if (r->step < t->first_step || r->step > t->last_step)
		return replay_fault(r, LOOM_REPLAY_LIFETIME,
				    "tensor %u lives in steps %u to %u only", v->tensor,
				    t->first_step, t->last_step);
	if (t->region == DRM_LOOM_REGION_SRAM &&
	    (v->strides[v->lane_axis] != (int64_t)t->strides[t->lane_axis] ||
	     v->lane_start >= t->dims[t->lane_axis] ||
	     v->dims[v->lane_axis] > t->dims[t->lane_axis] - v->lane_start))
		return replay_fault(r, LOOM_REPLAY_BOUNDS,
				    "a view of tensor %u leaves its lanes", v->tensor);
	return true;
}

/* The bytes that a view spans in a bank, [@low, @high); returns false if it exceeds its tensor. */
static bool find_span(struct replay *r, const struct drm_loom_plan_view *v, uint64_t *low,
		      uint64_t *high)
{
	const struct drm_loom_plan_tensor *t = &r->tensors[v->tensor];
	bool sram = t->region == DRM_LOOM_REGION_SRAM, over = v->offset > INT64_MAX;
	int64_t first = (int64_t)v->offset, last = (int64_t)v->offset, far, steps;
	uint32_t i, lanes = r->header->lanes;

	for (i = 0; i < v->rank; i++) {
		steps = v->dims[i] - 1;
		if (sram && i == v->lane_axis) {
			over |= __builtin_mul_overflow((int64_t)(v->lane_start / lanes),
						       v->strides[i], &far) ||
				__builtin_add_overflow(first, far, &first) ||
				__builtin_add_overflow(last, far, &last);
			steps = (v->lane_start + v->dims[i] - 1) / lanes - v->lane_start / lanes;
		}
		over |= __builtin_mul_overflow(steps, v->strides[i], &far);
		if (far < 0)
			over |= __builtin_add_overflow(first, far, &first);
		else
			over |= __builtin_add_overflow(last, far, &last);
	}
	if (over || first < 0 || (uint64_t)last >= t->size ||
	    t->size - (uint64_t)last < replay_dtype_bytes(v->dtype))
		return replay_fault(r, LOOM_REPLAY_BOUNDS, "a view leaves tensor %u", v->tensor);
	*low = t->offset + (uint64_t)first;
	*high = t->offset + (uint64_t)last + replay_dtype_bytes(v->dtype);
	return true;
}

/* Cells from index 0 to index @i of an axis. */
static uint32_t axis_cells(const struct replay *r, const struct replay_operand *operand,
			   uint32_t axis, uint32_t i)
{
	const struct drm_loom_plan_view *v = operand->view;
	uint32_t lanes = r->header->lanes, lane;

	if (operand->tensor->region != DRM_LOOM_REGION_SRAM || axis != v->lane_axis)
		return (uint32_t)((int64_t)i * v->strides[axis] >> r->shift);
	lane = v->lane_start + i;
	return (uint32_t)(lane % lanes * operand->space->cells +
			  ((uint64_t)(lane / lanes) * (uint64_t)v->strides[axis] >> r->shift));
}

bool replay_plan_view(struct replay *r, struct replay_operand *operand, uint32_t view)
{
	const struct drm_loom_plan_view *v = &r->views[view];
	uint32_t axis, i, k, block = 1, add;
	uint64_t count = 1;

	if (!view_is_fine(r, v) || !find_span(r, v, &operand->low, &operand->high))
		return false;
	for (axis = 0; axis < v->rank; axis++)
		count *= v->dims[axis];
	if (!replay_cells_room(r, operand, count))
		return false;
	operand->view = v;
	operand->tensor = &r->tensors[v->tensor];
	operand->space = space_of(r, operand->tensor);
	operand->bytes = replay_dtype_bytes(v->dtype);
	operand->cells = operand->bytes >> r->shift;
	operand->count = (uint32_t)count;

	/* from the last axis on, one copy of the list per index; sums may wrap in between */
	operand->at[0] = (uint32_t)((operand->tensor->offset + v->offset) >> r->shift);
	for (axis = v->rank; axis-- > 0;) {
		for (i = 1; i < v->dims[axis]; i++) {
			add = axis_cells(r, operand, axis, i);
			for (k = 0; k < block; k++)
				operand->at[(size_t)i * block + k] = operand->at[k] + add;
		}
		add = axis_cells(r, operand, axis, 0);
		for (k = 0; k < block && add; k++)
			operand->at[k] += add;
		block *= v->dims[axis];
	}
	return true;
}
