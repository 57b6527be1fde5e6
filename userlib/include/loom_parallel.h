/* SPDX-License-Identifier: MIT */
/**
 * DOC: One network on several devices
 *
 * *Data parallel*: each device runs the whole network, and the items of a batch go to whichever
 * is free (loom_batch_run()). *Pipeline parallel*: each device runs a part of the network, and
 * the items go from one to the next (loom_pipeline_create(), loom_pipeline_run()). Both give the
 * bits that one device gives, because the engine's results do not depend on how a network is
 * planned.
 *
 * An *item* is the input of one run of a program. Arrays of a batch hold items one after the other:
 * the first dimension of an input is that of the program's input, times the number of items. An
 * input that is as large as the program's is the same for all items. Results come in the same
 * way; one without dimensions gets one. The items of an input may also have a dimension of their
 * own in front of the program's, as those of an input without dimensions.
 *
 * The items of a network with states (loom_run.h) are the frames of a stream: they run in their
 * order, on one session. A state goes from item to item in the device's memory; its input may have
 * no data, then it begins as the session has it, and its output is what it is after the last item.
 *
 * Values go from stage to stage in buffers that both devices have, ordered by fences.
 * The processor copies it where the host is one of the two, or the devices share no memory.
 *
 * Threads: both calls start a thread for each session and return when all have ended. Until then
 * the sessions are theirs.
 */
#ifndef LOOM_PARALLEL_H
#define LOOM_PARALLEL_H

#include "loom.h"
#include "loom_planner.h"
#include "loom_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct loom_share - the share of a session in a batch
 * @items: items that it ran
 * @busy_ns: time in which it ran them; for a stage that was queued behind the one before, as its
 *	device says
 * @linked_bytes: of a stage: bytes from earlier stages without a copy, for each item
 */
struct loom_share {
	uint32_t items;
	int64_t busy_ns;
	uint64_t linked_bytes;
};

/**
 * struct loom_batch - items to run
 * @inputs: by index of the network's inputs
 * @num_inputs: number of @inputs
 * @num_items: number of items, at least 1
 * @progress: called about ten times a second with the items that are done and all, from the
 *	thread of the caller, may be NULL
 * @arg: for @progress
 */
struct loom_batch {
	const struct loom_array *inputs;
	uint32_t num_inputs;
	uint32_t num_items;
	loom_progress_fn progress;
	void *arg;
};

/**
 * loom_batch_run() - runs a batch, each item on whichever session is free
 * @sessions: of programs of the same graph, each of its own target or not
 * @num_sessions: number of @sessions, at least 1
 * @batch: the items
 * @outputs: [out] by index of the network's outputs; release each with loom_array_clear(). Empty
 *	on failure
 * @shares: [out] by session, may be NULL
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL for arrays that do not fit and for states on several sessions, -ENOMEM, the
 * error of @progress, or that of the first run that failed, see loom_session_run().
 */
int loom_batch_run(struct loom_session *const *sessions, uint32_t num_sessions,
		   const struct loom_batch *batch, struct loom_array *outputs,
		   struct loom_share *shares, struct loom_error *err);

/**
 * struct loom_pipeline_stage - a part of a network
 * @graph: the part
 * @program: its plan, for the chip of its device
 * @in_bytes: bytes from earlier stages, per item
 * @out_bytes: bytes for later stages, per item
 */
struct loom_pipeline_stage {
	struct loom_graph *graph;
	struct loom_program *program;
	uint64_t in_bytes;
	uint64_t out_bytes;
};

/**
 * struct loom_pipeline - a network in parts that run one after the other
 * @graph: the whole
 * @stages: the parts
 * @num_stages: number of @stages
 */
struct loom_pipeline {
	const struct loom_graph *graph;
	struct loom_pipeline_stage *stages;
	uint32_t num_stages;
};

/**
 * loom_pipeline_create() - cuts a network where the slowest stage is as fast as can be
 * @graph: finished; must outlive the pipeline
 * @options: how each is planned, &loom_planner_options.chip apart
 * @chips: by stage: chip of the device that runs it
 * @num_stages: number of @chips, at least 1
 * @pipeline: [out] end with loom_pipeline_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Cuts are chosen by a bound of the time of each part (&loom_program_least.held_cycles at the
 * chip's clock), to which the transfers of what crosses belong; of equal ones, where the fewest
 * bytes cross. The best few are planned, and those plans that promise the shortest slowest stage
 * are taken. The time of copies between devices is unknown and does not count.
 *
 * Return: 0; -EINVAL where there are fewer nodes than stages; -EOPNOTSUPP for a network with
 * states; else as loom_program_create() does.
 */
int loom_pipeline_create(const struct loom_graph *graph,
			 const struct loom_planner_options *options,
			 const struct drm_loom_chip *const *chips, uint32_t num_stages,
			 struct loom_pipeline **pipeline, struct loom_error *err);

/**
 * loom_pipeline_destroy() - frees a pipeline
 * @pipeline: the pipeline, after its sessions were destroyed; NULL is fine
 */
void loom_pipeline_destroy(struct loom_pipeline *pipeline);

/**
 * loom_pipeline_run() - runs a batch through a pipeline, its items in their order
 * @pipeline: the network in stages
 * @sessions: of the programs of the stages, in the same order
 * @batch: the items
 * @outputs: [out] by index of the network's outputs; release each with loom_array_clear(). Empty
 *	on failure
 * @shares: [out] by session, may be NULL
 * @err: [out] one line on failure, may be NULL
 *
 * At most twice as many items are under way as there are stages.
 *
 * Return: as loom_batch_run() does.
 */
int loom_pipeline_run(const struct loom_pipeline *pipeline, struct loom_session *const *sessions,
		      const struct loom_batch *batch, struct loom_array *outputs,
		      struct loom_share *shares, struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PARALLEL_H */
