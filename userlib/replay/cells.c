// SPDX-License-Identifier: MIT
/* Reading and writing cells, with the checks of both. See replay.h. */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t replay_dtype_bytes(uint32_t dtype)
{
	static const uint8_t bytes[DRM_LOOM_DTYPE_END] = {
		[DRM_LOOM_DTYPE_F32] = 4, [DRM_LOOM_DTYPE_F16] = 2, [DRM_LOOM_DTYPE_F64] = 8,
		[DRM_LOOM_DTYPE_I8] = 1, [DRM_LOOM_DTYPE_U8] = 1, [DRM_LOOM_DTYPE_I16] = 2,
		[DRM_LOOM_DTYPE_U16] = 2, [DRM_LOOM_DTYPE_I32] = 4, [DRM_LOOM_DTYPE_U32] = 4,
		[DRM_LOOM_DTYPE_I64] = 8, [DRM_LOOM_DTYPE_U64] = 8, [DRM_LOOM_DTYPE_BOOL] = 1,
	};

	return dtype < DRM_LOOM_DTYPE_END ? bytes[dtype] : 0;
}

bool replay_cells_room(struct replay *r, struct replay_operand *operand, uint64_t count)
{
	if (count <= operand->cap)
		return true;
	free(operand->at);
	free(operand->labels);
	operand->cap = 0;
	operand->at = malloc(count * sizeof(*operand->at));
	operand->labels = malloc(count * sizeof(*operand->labels));
	if (!operand->at || !operand->labels)
		return replay_stop(r, -ENOMEM);
	operand->cap = (uint32_t)count;
	return true;
}

/* Joins the labels of an element's cells, which must all be written. */
static uint64_t join_cells(const uint64_t *cells, uint32_t count)
{
	uint64_t label = cells[0];
	bool whole = true;
	uint32_t i;

	for (i = 1; i < count; i++)
		whole &= cells[i] == cells[0] + i * REPLAY_CELL_STEP;
	for (i = 1; i < count && !whole; i++)
		label = replay_join(label, cells[i]);
	return label;
}

/* The label of cell @i of a computed element or an input. It is 0 with probability 1 in 2^64. */
static uint64_t part_of(uint64_t label, uint32_t i)
{
	return label + i * REPLAY_CELL_STEP;
}

static uint64_t const_cell(const struct replay *r, uint64_t bits)
{
	uint32_t shift = 8U << r->shift;

	return replay_join(1, shift < 64 ? bits & ((1ULL << shift) - 1) : bits);
}

uint64_t replay_cells_const(const struct replay *r, uint64_t bits, uint32_t bytes)
{
	uint64_t cells[8];
	uint32_t i, count = bytes >> r->shift;

	for (i = 0; i < count; i++, bits = r->shift < 3 ? bits >> (8U << r->shift) : 0)
		cells[i] = const_cell(r, bits);
	return join_cells(cells, count);
}

/* The input or weight at a byte, or NULL. */
static const struct loom_program_tensor *find_fact(struct replay_space *space, uint64_t byte)
{
	const struct loom_program_tensor *fact;
	uint32_t low = 0, high = space->num_facts;

	if (space->last_fact < space->num_facts) {
		fact = space->facts[space->last_fact];
		if (byte >= fact->offset && byte - fact->offset < fact->size_bytes)
			return fact;
	}
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		fact = space->facts[mid];
		if (byte < fact->offset) {
			high = mid;
		} else if (byte - fact->offset >= fact->size_bytes) {
			low = mid + 1;
		} else {
			space->last_fact = mid;
			return fact;
		}
	}
	return NULL;
}

/* The label of a cell in an input or a weight; 0: in neither. */
static uint64_t known_cell(struct replay *r, struct replay_space *space, uint32_t at)
{
	uint64_t byte = (uint64_t)at << r->shift, bits = 0, bytes = 1ULL << r->shift, index;
	const struct loom_program_tensor *fact = find_fact(space, byte);
	uint32_t size;

	if (!fact || fact->size_bytes - (byte - fact->offset) < bytes)
		return 0;
	byte -= fact->offset;
	if (fact->data) {
		memcpy(&bits, (const uint8_t *)fact->data + byte, bytes);
		return const_cell(r, bits);
	}
	/* the label of an input is its index in the program's table, which the reference shares */
	index = (uint64_t)(fact - r->program->inputs);
	size = replay_dtype_bytes(fact->dtype);
	return size ? part_of(replay_join(replay_join(2, index), byte / size),
			      (uint32_t)(byte % size >> r->shift)) : 0;
}

static uint64_t cell_label(struct replay *r, struct replay_space *space, uint32_t at)
{
	uint64_t label = space->labels ? space->labels[at] : 0;

	return label || !space->known ? label : known_cell(r, space, at);
}

uint64_t replay_cells_label(struct replay *r, struct replay_space *space, uint32_t at,
			    uint32_t bytes)
{
	uint64_t cells[8];
	uint32_t i, count = bytes >> r->shift;

	for (i = 0; i < count; i++) {
		cells[i] = cell_label(r, space, at + i);
		if (!cells[i])
			return 0;
	}
	return join_cells(cells, count);
}

/* Reports races. A tag is a step and four bits: 1, 2: DMA reads, writes; 4, 8: compute does. */
static bool tag_cells(struct replay *r, const struct replay_operand *operand, bool write)
{
	uint32_t bit = (write ? 2 : 1) << (r->dma ? 0 : 2), other = r->dma ? 12 : 3;
	struct replay_space *space = operand->space;
	uint32_t base = (r->step + 1) << 4, i, k;

	if (!r->both || !space->writable)
		return true;
	if (!space->tags)
		space->tags = calloc(space->cells * space->banks + 1, sizeof(*space->tags));
	if (!space->tags)
		return replay_stop(r, -ENOMEM);
	/* a read races with writes only */
	if (!write)
		other &= 10;
	for (i = 0; i < operand->count; i++) {
		for (k = 0; k < operand->cells; k++) {
			uint32_t *tag = &space->tags[operand->at[i] + k];

			if (*tag >> 4 != base >> 4)
				*tag = base;
			if (*tag & other)
				return replay_fault(r, LOOM_REPLAY_RACE,
						    "tensor %u: the other stream %s it in this step",
						    operand->view->tensor, write && !(*tag & 10) ?
						    "reads" : "writes");
			*tag |= bit;
		}
	}
	return true;
}

static void unwritten(struct replay *r, const struct replay_operand *operand, uint32_t element)
{
	uint64_t at = operand->at[element];
	uint64_t bank = operand->space->cells ? at / operand->space->cells : 0;

	if (operand->space->known)
		replay_fault(r, LOOM_REPLAY_VALUE,
			     "tensor %u, element %u of the view is of no input and no weight",
			     operand->view->tensor, element);
	else
		replay_fault(r, LOOM_REPLAY_UNWRITTEN,
			     "tensor %u, element %u of the view: byte %llu of bank %llu was never written",
			     operand->view->tensor, element,
			     (unsigned long long)((at - bank * operand->space->cells) << r->shift),
			     (unsigned long long)bank);
}

bool replay_cells_read(struct replay *r, uint32_t index)
{
	struct replay_operand *operand = &r->operands[index];
	struct replay_space *space = operand->space;
	bool plain = operand->cells == 1 && space->labels && !space->known;
	uint32_t i, missing = 0, first = 0;

	for (i = 0; i < operand->count; i++) {
		uint64_t label = plain ? space->labels[operand->at[i]] :
			replay_cells_label(r, space, operand->at[i], operand->bytes);

		if (!label) {
			/* a unique label, so that the replay can continue */
			label = replay_join(replay_join(3, r->command), i);
			if (!missing++)
				first = i;
		}
		operand->labels[i] = label;
	}
	if (missing)
		unwritten(r, operand, first);
	return tag_cells(r, operand, false) || !r->broken;
}

static bool make_marks(struct replay *r, struct replay_space *space)
{
	if (!space->marks)
		space->marks = calloc(space->cells * space->banks + 1, sizeof(*space->marks));
	r->mark++;
	return space->marks || replay_stop(r, -ENOMEM);
}

/* Whether strides nest, so that no two elements share a byte. */
static bool is_plain(const struct replay *r, const struct replay_operand *operand)
{
	const struct drm_loom_plan_view *v = operand->view;
	bool sram = operand->tensor->region == DRM_LOOM_REGION_SRAM;
	bool used[DRM_LOOM_MAX_RANK] = { false };
	uint64_t extent = operand->bytes;
	uint32_t i, k;

	for (k = 0; k < v->rank; k++) {
		uint64_t least = UINT64_MAX, steps;
		uint32_t axis = 0;

		for (i = 0; i < v->rank; i++) {
			uint64_t stride = v->strides[i] < 0 ? 0 - (uint64_t)v->strides[i] :
							      (uint64_t)v->strides[i];

			if (!used[i] && stride < least) {
				least = stride;
				axis = i;
			}
		}
		used[axis] = true;
		steps = v->dims[axis] - 1;
		if (sram && axis == v->lane_axis)
			steps = (v->lane_start + steps) / r->header->lanes -
				v->lane_start / r->header->lanes;
		if (steps && least < extent)
			return false;
		extent += steps * least;
	}
	return true;
}

static bool mark_cells(struct replay *r, const struct replay_operand *operand)
{
	uint32_t *marks, i, k;

	if (!make_marks(r, operand->space))
		return false;
	marks = operand->space->marks;
	for (i = 0; i < operand->count; i++) {
		for (k = 0; k < operand->cells; k++) {
			if (marks[operand->at[i] + k] == r->mark)
				return replay_fault(r, LOOM_REPLAY_TWICE,
						    "tensor %u: element %u of the view is written twice",
						    operand->view->tensor, i);
			marks[operand->at[i] + k] = r->mark;
		}
	}
	return true;
}

/* A command must not write what it reads, except element by element in the same place. */
static bool check_in_place(struct replay *r, const struct replay_operand *y,
			   const struct replay_operand *x, bool elementwise)
{
	uint32_t i, k;

	if (x->space != y->space || x->low >= y->high || y->low >= x->high)
		return true;
	if (!mark_cells(r, y))
		return false;
	elementwise = elementwise && x->count == y->count && x->bytes == y->bytes;
	for (i = 0; i < x->count; i++)
		for (k = 0; k < x->cells; k++)
			if (x->space->marks[x->at[i] + k] == r->mark &&
			    !(elementwise && x->at[i] == y->at[i]))
				return replay_fault(r, LOOM_REPLAY_IN_PLACE,
						    "tensor %u is read while it is written",
						    x->view->tensor);
	return true;
}

/* Checks before writing operand @index. */
static bool may_write(struct replay *r, uint32_t index, uint8_t in_place)
{
	const struct replay_operand *y = &r->operands[index];
	uint32_t i;

	if (!y->space->writable)
		return replay_fault(r, LOOM_REPLAY_READ_ONLY, "tensor %u may only be read",
				    y->view->tensor);
	if (!is_plain(r, y) && !mark_cells(r, y))
		return false;
	for (i = index + 1; i < r->num_operands; i++)
		if (!check_in_place(r, y, &r->operands[i], in_place >> i & 1))
			return false;
	r->report->elements += y->count;
	return tag_cells(r, y, true);
}

bool replay_cells_write(struct replay *r, uint32_t index, uint8_t in_place)
{
	const struct replay_operand *y = &r->operands[index];
	uint64_t *labels = y->space->labels;
	uint32_t i, k;

	if (!may_write(r, index, in_place))
		return false;
	for (i = 0; i < y->count; i++)
		for (k = 0; k < y->cells; k++)
			labels[y->at[i] + k] = part_of(y->labels[i], k);
	return true;
}

bool replay_cells_move(struct replay *r)
{
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	uint32_t i, k, missing = 0, first = 0;

	if (!tag_cells(r, x, false) || !may_write(r, 0, false))
		return false;
	for (i = 0; i < y->count; i++) {
		for (k = 0; k < y->cells; k++) {
			uint64_t label = cell_label(r, x->space, x->at[i] + k);

			if (!label && !missing++)
				first = i;
			y->space->labels[y->at[i] + k] = label;
		}
	}
	if (missing)
		unwritten(r, x, first);
	return true;
}

bool replay_cells_fill(struct replay *r, uint64_t bits)
{
	const struct replay_operand *y = &r->operands[0];
	uint64_t cells[8];
	uint32_t i, k;

	if (!may_write(r, 0, false))
		return false;
	for (k = 0; k < y->cells; k++)
		cells[k] = const_cell(r, bits >> 8 * ((uint64_t)k << r->shift));
	for (i = 0; i < y->count; i++)
		for (k = 0; k < y->cells; k++)
			y->space->labels[y->at[i] + k] = cells[k];
	return true;
}
