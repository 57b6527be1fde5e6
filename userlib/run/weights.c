// SPDX-License-Identifier: MIT
/* Weights in the buffers of a session, and in those of other processes. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are compared at a time: the driver copies as many without a break. */
#define PIECE_BYTES	(256u << 10)

static int compare_pieces(struct loom_session *session, const struct loom_program_tensor *weight,
			  bool *same)
{
	const uint8_t *data = weight->data;
	uint8_t *piece = malloc(PIECE_BYTES);
	uint64_t done, bytes;
	int ret = 0;

	if (!piece)
		return -ENOMEM;
	*same = true;
	for (done = 0; !ret && *same && done < weight->size_bytes; done += bytes) {
		bytes = min(weight->size_bytes - done, (uint64_t)PIECE_BYTES);
		ret = session->target->ops->read(session, weight->slot, weight->offset + done,
						 piece, bytes);
		*same = !ret && !memcmp(piece, data + done, bytes);
	}
	free(piece);
	return ret;
}

/* Whether the buffer of a weight has its bytes. */
static int compare(struct loom_session *session, const struct loom_program_tensor *weight,
		   bool *same)
{
	const uint8_t *slot = session->slots[weight->slot];
	int ret = -EINVAL;

	/* of local memory a mapping is slow to read */
	if (session->target->ops->read)
		ret = compare_pieces(session, weight, same);
	/* a driver before minor 5, or without its part MOVES, has no BO_READ */
	if (ret != -EINVAL || !slot)
		return ret;
	*same = !memcmp(slot + weight->offset, weight->data, weight->size_bytes);
	return 0;
}

static int upload(struct loom_session *session, const struct loom_program_tensor *weight,
		  struct loom_error *err)
{
	const struct loom_session *owner;
	bool constant, same = false;
	int ret = 0;

	if (!loom_session_holds(session, weight))
		return loom_error_set(err, -EINVAL,
				      "the program's weights lie outside of their slot");
	owner = session->loans[weight->slot].owner;
	constant = session->constant[weight->slot];
	if (owner && owner->program == session->program)
		return 0;
	/* a job of the owner may be reading them */
	if (owner || constant)
		ret = compare(session, weight, &same);
	if (!ret && constant && !same)
		return loom_error_set(err, -EINVAL,
				      "the shared buffer is constant and has other weights than the program");
	if (!ret && !same)
		ret = loom_session_write(session, weight, weight->data);
	return ret ? loom_error_set(err, ret, "copying weights to the device: %s", strerror(-ret)) :
		     0;
}

int loom_weights_load(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < program->num_weights && !ret; i++)
		if (program->weights[i].size_bytes)
			ret = upload(session, &program->weights[i], err);
	return ret;
}

uint32_t loom_weights_slots(const struct loom_program *program)
{
	uint32_t i, count = 0;

	for (i = 0; i < program->num_slots; i++)
		count += loom_slot_is_shared(&program->slots[i]);
	return count;
}

int loom_session_export_weights(struct loom_session *session, int *fds, uint32_t room,
				uint32_t *count, struct loom_error *err)
{
	const struct loom_program *program;
	uint32_t i, wanted;
	int ret;

	*count = 0;
	ret = loom_session_idle(session, err);
	if (ret)
		return ret;
	if (!session->target->ops->export)
		return loom_error_set(err, -EOPNOTSUPP,
				      "weights on the host are memory of this process");
	program = session->program;
	wanted = loom_weights_slots(program);
	if (wanted > room)
		return loom_error_set(err, -EINVAL, "the weights are in %u buffers, not %u", wanted,
				      room);
	for (i = 0; i < program->num_slots; i++) {
		if (!loom_slot_is_shared(&program->slots[i]))
			continue;
		ret = session->target->ops->export(session, i, &fds[*count], err);
		if (ret)
			break;
		++*count;
	}
	while (ret && *count)
		close(fds[--*count]);
	return ret;
}
