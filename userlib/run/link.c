// SPDX-License-Identifier: MIT
/*
 * Zero-copy transfer of values between devices: a shared buffer, and a fence of the producer that
 * the consumer waits for.
 */
#include "soft.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_room(const struct loom_node_run *from, const struct loom_node_run *to,
		     uint32_t slot)
{
	const struct loom_link *link;
	uint32_t gives = 0, takes = 0;

	for (link = from->gives; link; link = link->next_given) {
		if (link->from.slot == slot)
			return false;
		gives++;
	}
	for (link = to->takes; link; link = link->next_taken)
		takes++;
	return gives < LOOM_LINKS && takes < LOOM_LINKS;
}

static int share_buffer(struct loom_link_end *owner, struct loom_link_end *other, uint32_t index,
			uint64_t size)
{
	struct drm_loom_bo_create request = { .size = size, .region = DRM_LOOM_REGION_DRAM };
	int fd, ret;

	ret = loom_bo_create(owner->session->target->device, &request, &owner->bos[index]);
	if (ret)
		return ret;
	ret = loom_bo_export(owner->bos[index], &fd);
	if (ret)
		return ret;
	ret = loom_bo_import(other->session->target->device, fd, &other->bos[index]);
	close(fd);
	return ret;
}

static void put_end(struct loom_link_end *end, uint32_t depth)
{
	uint32_t i;

	for (i = 0; end->bos && i < depth; i++)
		loom_bo_destroy(end->bos[i]);
	free(end->bos);
	if (end->line)
		loom_sync_destroy(end->session->target->device, end->line);
}

static void free_link(struct loom_link *link)
{
	put_end(&link->from, link->depth);
	put_end(&link->to, link->depth);
	free(link);
}

/* The consumer owns the buffers: it reads them once, and they are written once. */
static int fill_link(struct loom_link *link)
{
	const struct loom_program *giver = link->from.session->program;
	const struct loom_program *taker = link->to.session->program;
	uint64_t size = giver->slots[link->from.slot].size_bytes;
	uint32_t i;
	int ret;

	if (size < taker->slots[link->to.slot].size_bytes)
		size = taker->slots[link->to.slot].size_bytes;
	link->from.bos = calloc(link->depth, sizeof(*link->from.bos));
	link->to.bos = calloc(link->depth, sizeof(*link->to.bos));
	if (!link->from.bos || !link->to.bos)
		return -ENOMEM;
	for (i = 0; i < link->depth; i++) {
		ret = share_buffer(&link->to, &link->from, i, size);
		if (ret)
			return ret;
	}
	ret = loom_sync_create(link->from.session->target->device, &link->from.line);
	return ret ? ret : loom_sync_share(link->from.session->target->device, link->from.line,
					   link->to.session->target->device, &link->to.line);
}

int loom_link_create(struct loom_session *from, uint32_t output, struct loom_session *to,
		     uint32_t input, uint32_t depth, struct loom_link **out)
{
	struct loom_node_run *giver = from->priv, *taker = to->priv;
	struct loom_link *link;
	int ret;

	*out = NULL;
	if (!from->target->device || !to->target->device ||
	    from->target->device == to->target->device)
		return -EOPNOTSUPP;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->from.session = from;
	link->to.session = to;
	link->input = input;
	link->depth = depth;
	link->from.slot = loom_program_own_slot(from->program, &from->program->outputs[output],
						LOOM_SLOT_KIND_OUTPUT);
	link->to.slot = loom_program_own_slot(to->program, &to->program->inputs[input],
					      LOOM_SLOT_KIND_INPUT);
	/* the buffers of states are exchanged after each run */
	if (loom_states_of_output(from->program, output) < from->program->num_states ||
	    loom_states_of_input(to->program, input) < to->program->num_states ||
	    link->from.slot == from->program->num_slots ||
	    link->to.slot == to->program->num_slots || !has_room(giver, taker, link->from.slot))
		ret = -EOPNOTSUPP;
	else
		ret = fill_link(link);
	if (ret) {
		free_link(link);
		return ret;
	}
	link->next_given = giver->gives;
	giver->gives = link;
	link->next_taken = taker->takes;
	taker->takes = link;
	to->input_set[input] = true;
	*out = link;
	return 0;
}

/* The slot is bound to the session's own buffer again. */
static void unbind_end(struct loom_link_end *end)
{
	struct loom_node_run *soft = end->session->priv;
	void *map;

	soft->bindings[end->slot].handle = loom_bo_handle(soft->bos[end->slot]);
	/* it was mapped when the session was loaded */
	if (!loom_bo_map(soft->bos[end->slot], &map))
		end->session->slots[end->slot] = map;
}

void loom_link_destroy(struct loom_link *link)
{
	struct loom_link **at;
	struct loom_node_run *soft;

	if (!link)
		return;
	soft = link->from.session->priv;
	for (at = &soft->gives; *at != link; at = &(*at)->next_given)
		;
	*at = link->next_given;
	soft = link->to.session->priv;
	for (at = &soft->takes; *at != link; at = &(*at)->next_taken)
		;
	*at = link->next_taken;
	unbind_end(&link->from);
	unbind_end(&link->to);
	link->to.session->input_set[link->input] = false;
	free_link(link);
}
