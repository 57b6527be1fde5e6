/* SPDX-License-Identifier: MIT */
/**
 * DOC: One network on several devices
 *
 * This folder runs the items of a batch on several sessions in parallel (loom_parallel.h): each
 * item on any of them, or all items through one after the other. The sessions are those of run/, of
 * any kind of device including the host. Values move from stage to stage in memory shared by two
 * devices, if there is any (run/link.c); otherwise they are copied.
 *
 * * items.c: position of an item in the arrays of a batch
 * * crew.c: a thread for each session, the first error of any, progress
 * * batch.c: data parallel
 * * pipeline.c: pipeline parallel
 * * stages.c: cuts of a network, and the plans of its parts
 *
 * A batch has a thread for each session, and no queue: an idle thread takes the next item, so a
 * device that is twice as fast runs twice as many. A pipeline has a thread for each stage; a stage
 * runs an item when the stage before has run it, or is submitted behind its fence.
 *
 * Rejected: splitting a batch into equal parts, one per device, each planned for its part. It needs
 * one run per device, but a model whose batch is an open dimension and a plan for each size, and
 * the fast device waits for the slow one. Rejected: stages balanced by the plan of the whole
 * network. Its groups mostly cross the best cut, and values resident across a cut make the times of
 * both parts differ from their sum.
 */
#ifndef LOOM_PARALLEL_ROOM_H
#define LOOM_PARALLEL_ROOM_H

#include <pthread.h>

#include "base/error.h"
#include "loom_parallel.h"
#include "run/run.h"

/* items.c */

/**
 * loom_items_check() - whether an array holds the items of a tensor
 * @tensor: of the program
 * @array: the array
 * @num_items: number of items
 * @err: [out] one line on failure
 *
 * Return: 0 or -EINVAL.
 */
int loom_items_check(const struct loom_program_tensor *tensor, const struct loom_array *array,
		     u32 num_items, struct loom_error *err);
/**
 * loom_items_set() - sets an input of a session to an item of an array
 * @session: the session
 * @input: number of the input
 * @array: of the caller, which holds all items
 * @item: number of the item
 * @first: it is the first item of the session, so inputs shared by all items are set as well
 * @err: [out] one line on failure
 *
 * Return: as loom_session_set_input() does.
 */
int loom_items_set(struct loom_session *session, u32 input, const struct loom_array *array,
		   u32 item, bool first, struct loom_error *err);
/** loom_items_alloc() - allocates an array for the items of a tensor; 0 or -ENOMEM */
int loom_items_alloc(const struct loom_program_tensor *tensor, u32 num_items,
		     struct loom_array *array);
/** loom_items_put() - copies a result of one run to its place among the items */
void loom_items_put(const struct loom_array *item, struct loom_array *array, u32 index);

/* crew.c */

/**
 * struct loom_crew - threads that run a batch
 * @lock: of all fields below but @work and @context
 * @changed: a field has changed
 * @batch: the batch
 * @work: function of each thread, from its begin to its end
 * @context: for @work
 * @done: completed items
 * @running: threads that have not ended
 * @status: 0, or the first error: all end as soon as they can
 * @error: its text
 */
struct loom_crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct loom_batch *batch;
	void (*work)(struct loom_crew *crew, u32 index);
	void *context;
	u32 done;
	u32 running;
	int status;
	struct loom_error error;
};

/** loom_crew_run() - runs @count threads until all have ended; returns the first error, or 0 */
int loom_crew_run(struct loom_crew *crew, u32 count, struct loom_error *err);
/** loom_crew_fail() - records an error, if it is the first; @error may be without text */
void loom_crew_fail(struct loom_crew *crew, int status, const struct loom_error *error);
/**
 * loom_crew_session() - runs a session once, unless another thread has failed
 * @crew: the crew
 * @session: the session, its inputs must be set
 * @share: its statistics so far, which are updated
 *
 * Return: 0, or the recorded error.
 */
int loom_crew_session(struct loom_crew *crew, struct loom_session *session,
		      struct loom_share *share);

/** loom_crew_submit() - the first half of loom_crew_session(), for one of the items */
int loom_crew_submit(struct loom_crew *crew, struct loom_session *session, u32 item);
/** loom_crew_finish() - the second half */
int loom_crew_finish(struct loom_crew *crew, struct loom_session *session);

#endif /* LOOM_PARALLEL_ROOM_H */
