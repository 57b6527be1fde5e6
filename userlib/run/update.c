// SPDX-License-Identifier: MIT
/* Rows that a run has computed for its states, put in their places. */
#include "update.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/dtype.h"
#include "base/element.h"

/* Product of the dimensions before an axis. */
static int64_t outer_of(const struct loom_program_tensor *tensor, uint32_t axis)
{
	int64_t outer = 0;

	(void)loom_dims_count(axis, tensor->dims, &outer);
	return outer;
}

/* Whether a tensor has elements, and the bytes of those. */
static bool is_whole(const struct loom_program_tensor *tensor)
{
	int64_t elems;

	return !loom_dims_count(tensor->rank, tensor->dims, &elems) && elems &&
	       tensor->size_bytes == (uint64_t)elems * loom_dtype_size(tensor->dtype);
}

bool loom_update_fits(const struct loom_program *program, const struct loom_program_update *update)
{
	const struct loom_program_tensor *rows = &update->rows, *places = &update->places;
	const struct loom_program_tensor *input, *output;
	int64_t count, elems;
	uint32_t i;

	if (update->state >= program->num_states)
		return false;
	input = &program->inputs[program->states[update->state].input];
	output = &program->outputs[program->states[update->state].output];
	if (rows->dtype != input->dtype || rows->rank != input->rank ||
	    update->axis >= rows->rank || !is_whole(rows) || !is_whole(input) ||
	    !is_whole(places) || output->slot != input->slot || output->offset != input->offset ||
	    (places->dtype != DRM_LOOM_DTYPE_I32 && places->dtype != DRM_LOOM_DTYPE_I64))
		return false;
	for (i = 0; i < rows->rank; i++)
		if (i != update->axis && rows->dims[i] != input->dims[i])
			return false;
	count = rows->dims[update->axis];
	elems = (int64_t)(places->size_bytes / loom_dtype_size(places->dtype));
	return elems % count == 0 && outer_of(input, update->axis) % (elems / count) == 0;
}

int loom_updates_init(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < program->num_updates; i++) {
		const struct loom_program_update *update = &program->updates[i];

		if (!loom_update_fits(program, update) ||
		    !loom_session_holds(session, &update->rows) ||
		    !loom_session_holds(session, &update->places))
			return loom_error_set(err, -EINVAL, "the program's update %u is wrong", i);
		most = max(most, update->rows.size_bytes + update->places.size_bytes);
	}
	session->rows = most ? malloc(most) : NULL;
	return most && !session->rows ? loom_error_set(err, -ENOMEM, "no memory") : 0;
}

static int put_rows(struct loom_session *session, const struct loom_program_update *update)
{
	const struct loom_program *program = session->program;
	struct loom_program_tensor row = program->inputs[program->states[update->state].input];
	const int64_t room = row.dims[update->axis], count = update->rows.dims[update->axis];
	const int64_t outer = outer_of(&row, update->axis);
	const uint64_t at = row.offset;
	uint8_t *rows = session->rows, *places = rows + update->rows.size_bytes;
	int64_t groups, i, place;
	int ret = loom_session_read(session, &update->rows, rows);

	if (!ret)
		ret = loom_session_read(session, &update->places, places);
	groups = (int64_t)(update->places.size_bytes / loom_dtype_size(update->places.dtype)) /
		 count;
	row.size_bytes = update->rows.size_bytes / (uint64_t)(outer * count);
	for (i = 0; i < outer * count && !ret; i++) {
		place = loom_element_int(update->places.dtype, places,
					 i / count / (outer / groups) * count + i % count);
		if (place < 0 || place >= room)
			continue;
		row.offset = at + (uint64_t)(i / count * room + place) * row.size_bytes;
		ret = loom_session_write(session, &row, rows + i * (int64_t)row.size_bytes);
	}
	session->moved.in_bytes += update->rows.size_bytes;
	return ret;
}

int loom_updates_apply(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < program->num_updates && !ret; i++)
		ret = put_rows(session, &program->updates[i]);
	if (!ret)
		return 0;
	return loom_error_set(err, ret, "writing the rows of a state: %s", strerror(-ret));
}

bool loom_state_is_updated(const struct loom_program *program, uint32_t state)
{
	uint32_t i;

	for (i = 0; i < program->num_updates; i++)
		if (program->updates[i].state == state)
			return true;
	return false;
}
