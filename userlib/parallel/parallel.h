/* SPDX-License-Identifier: MIT */
/**
 * DOC: One network on several devices
 *
 * This room runs the items of a batch on several sessions at once (loom_parallel.h): each item on
 * any of them, or all items through one after the other. It is given sessions of the room run/, of
 * devices of any kind, the host among them. Values go from stage to stage in memory that two
 * devices have in common, if there is such (run/link.c); else it is copied.
 *
 * * items.c: where an item lies in the arrays of a batch
 * * crew.c: a thread for each session, the first error of any, progress
 * * batch.c: data parallel
 * * pipeline.c: pipeline parallel
 * * stages.c: where a network is cut, and the plans of its parts
 *
 * A batch has a thread for each session, and no queue: a thread that is free takes the next item,
 * so a device that is twice as fast runs twice as many. A pipeline has a thread for each stage; a
 * stage runs an item when the stage before has run it, or is submitted behind its fence.
 *
 * Rejected: splitting a batch into as many equal parts as there are devices, each planned for its
 * part. It would be one run per device, but it needs a model whose batch is an open dimension,
 * makes the fast device wait for the slow one, and has one plan for each size. Rejected: stages
 * that are balanced by the plan of the whole network. Its groups reach over the best cut as a
 * rule, and what is resident across a cut makes the times of both parts other than their sum.
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
 * @item: which one
 * @first: it is the first that the session runs: what is the same for all is set, too
 * @err: [out] one line on failure
 *
 * Return: as loom_session_set_input() does.
 */
int loom_items_set(struct loom_session *session, u32 input, const struct loom_array *array,
		   u32 item, bool first, struct loom_error *err);
/** loom_items_alloc() - room for the items of a tensor; 0 or -ENOMEM */
int loom_items_alloc(const struct loom_program_tensor *tensor, u32 num_items,
		     struct loom_array *array);
/** loom_items_put() - copies a result of one run to its place among the items */
void loom_items_put(const struct loom_array *item, struct loom_array *array, u32 index);

/* crew.c */

/**
 * struct loom_crew - threads that run a batch
 * @lock: of all fields below but @work and @context
 * @changed: a field has changed
 * @batch: what they run
 * @work: what each of them does, from its beginning to its end
 * @context: for @work
 * @done: items that are done
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

/** loom_crew_run() - runs @count threads until all have ended; the first error, or 0 */
int loom_crew_run(struct loom_crew *crew, u32 count, struct loom_error *err);
/** loom_crew_fail() - records an error, if it is the first; @error may be without text */
void loom_crew_fail(struct loom_crew *crew, int status, const struct loom_error *error);
/**
 * loom_crew_session() - runs a session once, unless another thread has failed
 * @crew: the crew
 * @session: the session, its inputs are set
 * @share: what it did so far, which grows
 *
 * Return: 0, or an error that was recorded.
 */
int loom_crew_session(struct loom_crew *crew, struct loom_session *session,
		      struct loom_share *share);

/** loom_crew_submit() - the first half of loom_crew_session(), for one of the items */
int loom_crew_submit(struct loom_crew *crew, struct loom_session *session, u32 item);
/** loom_crew_finish() - the second half */
int loom_crew_finish(struct loom_crew *crew, struct loom_session *session);

#endif /* LOOM_PARALLEL_ROOM_H */
