/* SPDX-License-Identifier: MIT */
/**
 * DOC: Running a program
 *
 * A *target* is where programs run: the device node, or this process, with the same verifier and
 * the same engine inside. A *session* is a program that was loaded on a target. Both targets give
 * the same bits.
 *
 * A *state* is an output that is an input of the next run (&loom_graph_options.states). It stays in
 * the memory of the device: two buffers take turns in being read and written, and nothing is
 * copied; of a state of which a run changes some rows only, such as the keys and values of a
 * decoder, there is one buffer, and the processor puts in the new rows. All states are zero at
 * first. A run that fails leaves them as they were.
 *
 * A run is waited for (loom_session_run()), or goes on by itself (loom_session_submit()): then the
 * caller polls a descriptor in a loop of its own, or waits later. Several runs under way take a
 * session each. Batches of items are in loom_parallel.h.
 *
 * Sessions of one program, or of several programs of one file, can share weights and states
 * (loom_session_create_beside()), and processes weights (loom_session_export_weights()).
 *
 * Inputs and outputs are copied (loom_session_set_input(), loom_session_get_output()), or used
 * where they are: mapped (loom_session_map_input()), or in buffers of the caller, one of which may
 * be a dma-buf (loom_session_bind_input()).
 *
 * Objects must be destroyed in reverse order: sessions, then the programs or program files that
 * they run, then the graphs of those programs, and targets last.
 *
 * A call at the wrong time is -EINVAL: a result before there is one, and anything but
 * loom_session_wait(), loom_session_fd() and loom_session_destroy() while a submitted run is under
 * way.
 *
 * Threads: a target may be used by several threads; a session by one at a time. The host target
 * computes in the thread that calls loom_session_run(), which needs 512 KiB of stack for that;
 * threads that are started here have it.
 */
#ifndef LOOM_RUN_H
#define LOOM_RUN_H

#include <drm/loom_accel_plan.h>

#include "loom.h"
#include "loom_program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct loom_bo;
struct loom_device;
struct loom_native_set;
struct loom_session;
struct loom_target;

/**
 * loom_target_open() - opens a target
 * @name: "host": this process; "soft" or "device": the first device node, whatever its chip: this
 *	"soft" is the software device, and not the chip of that name; "auto": the first device node,
 *	or this process if there is none; anything with a slash: that node
 * @chip: of "host", which is copied; NULL for the default; a device has its own
 * @target: [out] close with loom_target_close()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENODEV if there is no such node, -EINVAL for another @name and for a @chip that makes
 * no sense, or the errno of open().
 */
int loom_target_open(const char *name, const struct drm_loom_chip *chip,
		     struct loom_target **target, struct loom_error *err);

/**
 * loom_target_close() - closes a target
 * @target: the target, after its sessions were destroyed; NULL is fine
 */
void loom_target_close(struct loom_target *target);

/**
 * loom_target_set_threads() - how many threads of this process compute a run together
 * @target: "host"; while it has no sessions
 * @threads: for each session, the one that waits for the run included; 0: as many as this process
 *	may use processors. Up to 256
 * @err: [out] one line on failure, may be NULL
 *
 * Results and counters are the same. At first it is 1, as most programs on several processors have
 * several sessions, too; or the value of the environment variable LOOM_THREADS, for a whole
 * program. The threads of a session sleep between its runs.
 *
 * Return: 0, -EINVAL for too many, or for a device: see threads= of its driver.
 */
int loom_target_set_threads(struct loom_target *target, uint32_t threads, struct loom_error *err);

/**
 * loom_target_set_natives() - lets the host run native commands
 * @target: the host, without sessions
 * @natives: a set with a callback (loom_kernels.h), which must outlive the target; NULL: none
 * @err: [out] one line on failure, may be NULL
 *
 * The callback runs in the thread that runs the session, a command at a time.
 *
 * Return: 0; -EINVAL for a device, which runs its native commands itself.
 */
int loom_target_set_natives(struct loom_target *target, const struct loom_native_set *natives,
			    struct loom_error *err);

/**
 * loom_target_name() - name of a target
 * @target: the target
 *
 * Return: "host", or the path of the node; lives as long as the target.
 */
const char *loom_target_name(const struct loom_target *target);

/**
 * loom_target_chip() - the chip of a target
 * @target: the target
 *
 * Return: the description, which lives as long as the target.
 */
const struct drm_loom_chip *loom_target_chip(const struct loom_target *target);

/**
 * loom_target_device() - the device of a target
 * @target: the target
 *
 * Return: the device, which the target owns; NULL for the host.
 */
struct loom_device *loom_target_device(const struct loom_target *target);

/**
 * loom_session_create() - loads a program: verifies the plan, allocates, copies the weights
 * @target: where
 * @program: must outlive the session
 * @session: [out] end with loom_session_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * A plan whose scratch ends above the floor of a device gets an exclusive queue; plans are made for
 * the floor unless &loom_planner_options.sram_limit_bytes says otherwise.
 *
 * Return: 0, -EBADMSG when the plan was refused, -ENOSPC when the banks are full, -EACCES or -EBUSY
 * when the plan needs a device that nobody else uses, -ENOMEM.
 */
int loom_session_create(struct loom_target *target, const struct loom_program *program,
			struct loom_session **session, struct loom_error *err);

/**
 * enum loom_beside_flags - what a session shares with another one besides the weights
 * @LOOM_BESIDE_STATES: all states
 */
enum loom_beside_flags {
	LOOM_BESIDE_STATES = 1 << 0,
};

/**
 * loom_session_create_beside() - loads a program that uses the weights of another session
 * @other: the session, on whose target the new one is; must outlive it, as must its program
 * @program: that of @other, or another one of the same file (loom_program_write_set())
 * @flags: LOOM_BESIDE_STATES: both sessions have the same states, of the same names and shapes,
 *	such as keys and values that one program makes of many tokens and the other of one. A run
 *	of either goes on from the last run of any of them; else states begin at zero, such as those
 *	of another sequence
 * @session: [out] end with loom_session_destroy(), before @other
 * @err: [out] one line on failure, may be NULL
 *
 * Weights that @other has are neither allocated nor copied again; those in SRAM are not shared.
 * Sessions without common states may be used by several threads at a time. Those with take turns:
 * while a run of one is under way, calls of the others are -EINVAL; an output that is a state is as
 * the last run of any of them left it; a run on a device that is ended by its &loom_progress_fn is
 * waited for.
 *
 * Return: as loom_session_create(); -EINVAL for programs that are not of one file, for states that
 * are not the same or not alone in a buffer in DRAM, and for unknown @flags.
 */
int loom_session_create_beside(struct loom_session *other, const struct loom_program *program,
			       uint32_t flags, struct loom_session **session,
			       struct loom_error *err);

/**
 * loom_session_export_weights() - dma-bufs of a session's weights, for other processes
 * @session: on a device; it goes on as before
 * @fds: [out] a dma-buf for each buffer of weights, to be closed by the caller; the buffers live
 *	as long as any process has them
 * @room: descriptors that @fds has room for; two are enough for programs of this library: weights
 *	in DRAM, and in ROM
 * @count: [out] how many there are
 * @err: [out] one line on failure, may be NULL
 *
 * Makes the buffers constant (loom_bo_seal()), so the processes need not trust each other. Weights
 * that only another program of the file has are in them if a session of that program was loaded
 * before (loom_session_create_beside()). A child process inherits the view of the buffers, so the
 * caller must not have forked one since the session was created; and no other thread may create or
 * run a session with these weights during the call. The bytes stay charged to this client of the
 * device while anyone has them.
 *
 * Return: 0; -EINVAL while a run is under way, where @room is too small, and of a driver before
 * minor 12; -EBUSY where the buffers may still be written; -EOPNOTSUPP on the host.
 */
int loom_session_export_weights(struct loom_session *session, int *fds, uint32_t room,
				uint32_t *count, struct loom_error *err);

/**
 * loom_session_create_shared() - loads a program with the weights of another process
 * @target: a device, that of the exporting session
 * @program: the same program, or the one at the same place of the same file
 * @fds: from loom_session_export_weights(), in that order; they stay the caller's
 * @count: number of @fds
 * @session: [out] end with loom_session_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Weights are neither allocated nor copied, but read once and compared with those of @program.
 *
 * Return: as loom_session_create(); -EINVAL where the buffers are not constant, or have other
 * bytes; -EOPNOTSUPP on the host.
 */
int loom_session_create_shared(struct loom_target *target, const struct loom_program *program,
			       const int *fds, uint32_t count, struct loom_session **session,
			       struct loom_error *err);

/**
 * loom_session_destroy() - frees all that a session holds on its target
 * @session: the session; NULL is fine. A run under way is waited for where it needs the memory
 */
void loom_session_destroy(struct loom_session *session);

/**
 * loom_session_set_input() - copies input @index in, for all runs until it is set again
 * @session: the session
 * @index: of the program's inputs; of one that is a state, the next run alone reads it
 * @array: of the input's type and dimensions
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENOENT past the last input, -EINVAL for another type or other dimensions.
 */
int loom_session_set_input(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err);

/**
 * loom_session_set_state() - copies a state in, which the next run reads
 * @session: the session; it is not running
 * @index: of the program's states, &loom_program.states
 * @array: of the state's type and dimensions; stays the caller's
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENOENT past the last state, else as loom_session_set_input().
 */
int loom_session_set_state(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err);

/**
 * loom_session_get_state() - copies a state out, as the next run reads it
 * @session: the session; it is not running
 * @index: of the program's states
 * @array: [out] with the name of the output; release with loom_array_clear()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENOENT past the last state, -ENOMEM; -EIO or -ENODEV of a device that is gone.
 */
int loom_session_get_state(struct loom_session *session, uint32_t index,
			   struct loom_array *array, struct loom_error *err);

/**
 * loom_session_reset_states() - makes all states zero, as they were at first
 * @session: the session; it is not running
 *
 * Return: 0; -ENOMEM, or another error where the device has states that are not mapped.
 */
int loom_session_reset_states(struct loom_session *session);

/**
 * typedef loom_progress_fn - called about ten times a second while a program runs
 * @arg: as given to loom_session_run()
 * @done: element operations that are done
 * @total: all element operations, or 0 if the target does not tell
 *
 * It returns: it must not leave by longjmp() or an exception, as other threads may be at work.
 *
 * Return: 0 to go on, a negative errno to end the run.
 */
typedef int (*loom_progress_fn)(void *arg, uint64_t done, uint64_t total);

/**
 * loom_session_run() - runs the program once
 * @session: the session; every input has been set
 * @progress: called while it runs, may be NULL
 * @arg: for @progress
 * @err: [out] one line on failure, may be NULL
 *
 * A device goes on with a run that @progress has ended: the next one waits until that is done.
 *
 * Return: 0, -ENODATA for an input that was not given, -EINVAL while another run is under way,
 * -ECANCELED when the device's job timeout ended it, the error of @progress,
 * -EACCES when the plan needs a device that nobody else uses and somebody has come, -EBUSY, -ENODEV
 * and the like from the device.
 */
int loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
		     struct loom_error *err);

/**
 * loom_session_submit() - begins a run, which goes on by itself
 * @session: the session; every input has been set, and no run is under way
 * @err: [out] one line on failure, may be NULL
 *
 * On a device the job is queued; on the host a thread computes.
 *
 * Return: 0: loom_session_wait() has to see its end; -ENODATA for an input that was not given; else
 * as loom_session_run().
 */
int loom_session_submit(struct loom_session *session, struct loom_error *err);

/**
 * loom_session_wait() - waits for the end of a run that was submitted
 * @session: the session
 * @deadline_ns: absolute CLOCK_MONOTONIC time; 0 polls, LOOM_WAIT_FOREVER of loom_device.h, which
 *	is INT64_MAX, has none
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0: it has ended, and there are results; -ETIME: not yet; -EINVAL: no run is under way;
 * else its result, as loom_session_run().
 */
int loom_session_wait(struct loom_session *session, int64_t deadline_ns, struct loom_error *err);

/**
 * loom_session_fd() - a descriptor for poll(), select() or epoll
 * @session: the session, with a run under way
 * @fd: [out] readable when the run has ended, whatever became of it, which loom_session_wait()
 *	tells. The caller's, to be closed; good for this run only. Of a device it is a sync_file,
 *	which other drivers take as a fence; of the host an eventfd, which is not to be read
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -EINVAL: no run is under way; -EMFILE, -ENOMEM.
 */
int loom_session_fd(struct loom_session *session, int *fd, struct loom_error *err);

/**
 * loom_session_bind_input() - has an input read from a buffer of the caller
 * @session: the session
 * @index: of the program's inputs; a state only if it is updated in place (&struct
 *	loom_program_update): sessions of several programs can share its buffer, one after the other
 * @bo: the buffer, with the input from its first byte on; outlives the session, or is replaced
 *	before. Made on the device of the target (loom_target_device()), or a dma-buf that was
 *	imported there: loom_bo_import(). NULL: the session's own, and the input must be given
 *	again
 * @err: [out] one line on failure, may be NULL
 *
 * The input counts as given for all runs. Writers of the buffer must be done before a run begins.
 *
 * Return: 0; -ENOENT past the last input; -EINVAL for a state, for a buffer that is too small or of
 * another device, and while a run is under way; -EOPNOTSUPP on the host, and where the plan has the
 * input together with others or not in DRAM.
 */
int loom_session_bind_input(struct loom_session *session, uint32_t index, struct loom_bo *bo,
			    struct loom_error *err);

/**
 * loom_session_bind_output() - has an output written to a buffer of the caller
 * @session: the session
 * @index: of the program's outputs, not a state
 * @bo: as for loom_session_bind_input(); the plan may write up to the size of the slot
 * @err: [out] one line on failure, may be NULL
 *
 * loom_session_get_output() copies from it.
 *
 * Return: as loom_session_bind_input().
 */
int loom_session_bind_output(struct loom_session *session, uint32_t index, struct loom_bo *bo,
			     struct loom_error *err);

/**
 * loom_session_map_input() - where an input lies in this process, to be written in place
 * @session: the session
 * @index: of the program's inputs, not a state
 * @data: [out] &loom_program_tensor.size_bytes bytes, until the session ends or another buffer is
 *	bound; the session's
 * @err: [out] one line on failure, may be NULL
 *
 * The input counts as given for all runs, with its content when a run begins. While one is under
 * way its plan may read any of it, and it is not to be written: the next input can be written only
 * after loom_session_wait() has seen the end. To write one while another is computed takes two
 * sessions in turns, with common weights: loom_session_create_beside().
 *
 * Return: 0; -ENOENT past the last input; -EINVAL for a state, and while a run is under way;
 * -EOPNOTSUPP in SRAM of a device that the processor cannot reach.
 */
int loom_session_map_input(struct loom_session *session, uint32_t index, void **data,
			   struct loom_error *err);

/**
 * loom_session_map_output() - where an output lies in this process, to be read in place
 * @session: the session
 * @index: of the program's outputs, not a state
 * @data: [out] as for loom_session_map_input(); a run overwrites it
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_session_map_input().
 */
int loom_session_map_output(struct loom_session *session, uint32_t index, void **data,
			    struct loom_error *err);

/**
 * loom_session_get_output() - copies output @index out
 * @session: the session; it is not running
 * @index: of the program's outputs; one that is a state is the input of the next run
 * @array: [out] release with loom_array_clear(); empty on failure
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENOENT past the last output, -EINVAL before a run and after one that failed; -ENOMEM;
 * -EIO or -ENODEV of a device that is gone.
 */
int loom_session_get_output(struct loom_session *session, uint32_t index,
			    struct loom_array *array, struct loom_error *err);

/**
 * loom_session_get_observed() - copies an observed value out
 * @session: the session; it is not running
 * @index: of the program's observed values
 * @array: [out] release with loom_array_clear(); empty on failure
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -ENOENT past the last one, else as loom_session_get_output().
 */
int loom_session_get_observed(struct loom_session *session, uint32_t index,
			      struct loom_array *array, struct loom_error *err);

/**
 * loom_session_counters() - the engine's counters of the last run
 * @session: the session
 * @counters: [out] all zero before the first run, and if @session is NULL
 */
void loom_session_counters(const struct loom_session *session,
			   struct drm_loom_counters *counters);

/**
 * struct loom_session_moved - bytes into and out of a session since it was created
 * @in_bytes: inputs and states that the processor has copied in; weights do not count
 * @out_bytes: outputs, states and observed values that it has copied out
 * @kept_bytes: states that went from one run to the next and stayed where they were
 */
struct loom_session_moved {
	uint64_t in_bytes;
	uint64_t out_bytes;
	uint64_t kept_bytes;
};

/**
 * loom_session_moved() - how many bytes the processor has copied, and how many it had not to
 * @session: the session
 * @moved: [out] the figures, since the session was created; all zero if @session is NULL
 */
void loom_session_moved(const struct loom_session *session, struct loom_session_moved *moved);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_RUN_H */
