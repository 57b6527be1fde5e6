/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_SOFT_H
#define LOOM_RUN_SOFT_H

#include "run.h"

/* Limit on the links of a session in each direction. */
#define LOOM_LINKS	(DRM_LOOM_MAX_SYNCS - 1)

/**
 * struct loom_node_run - a session on the device
 * @plan: id of the plan, 0 until there is one
 * @context: its queue
 * @lanes: lanes that the queue owns; 0: it has the whole device in its turns
 * @lane_mask: which they are
 * @sync: syncobj that a job signals, 0 until there is one
 * @bos: the buffer bound to each slot
 * @own: for slots that are bound to buffers of the caller: the session's own; else NULL
 * @bindings: handles of @bos, as SUBMIT takes them, but for slots of links
 * @before: counters of the queue after the last run; those of a run are the difference
 * @left: the last run was not waited for to its end, so it may still be in flight
 * @gives: links that its outputs go to
 * @takes: links that its inputs come from
 */
struct loom_node_run {
	uint32_t plan;
	struct loom_context *context;
	uint32_t lanes;
	uint64_t lane_mask[DRM_LOOM_MAX_BANKS / 64];
	uint32_t sync;
	struct loom_bo **bos;
	struct loom_bo **own;
	struct drm_loom_binding *bindings;
	struct drm_loom_counters before;
	bool left;
	struct loom_link *gives;
	struct loom_link *takes;
};

/**
 * struct loom_link_end - one end of a link
 * @session: its session
 * @slot: the slot that has the value
 * @line: syncobj, on the session's device: point n is signalled when item n - 1 is there
 * @bos: the buffers, on the session's device
 */
struct loom_link_end {
	struct loom_session *session;
	uint32_t slot;
	uint32_t line;
	struct loom_bo **bos;
};

/**
 * struct loom_link - an output of a session that is an input of another one
 * @next_given: next link of the producer
 * @next_taken: next link of the consumer
 * @from: the producer
 * @to: the consumer
 * @input: number of the input of @to
 * @depth: number of buffers: item n is in buffer n modulo that
 */
struct loom_link {
	struct loom_link *next_given;
	struct loom_link *next_taken;
	struct loom_link_end from;
	struct loom_link_end to;
	uint32_t input;
	uint32_t depth;
};

#endif /* LOOM_RUN_SOFT_H */
