/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_PRIV_H
#define LOOM_RUN_PRIV_H

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "loom_device.h"
#include "loom_run.h"
#include "loom_chip.h"

struct loom_host_memory;

/**
 * DOC: Running programs
 *
 * This room runs programs and reports the contents of banks. It is given a program (loom_program.h:
 * plan bytes, slots, weights, names) and the name of a target, and gives sessions: set inputs, run,
 * get outputs and counters. It takes programs as data: it calls no function that makes one.
 *
 * One runtime over two targets. A target loads a plan and gives each of its slots a linear piece of
 * this process's memory: the host by malloc(), the device by mapping a buffer. Slots in an SRAM of
 * the device's own may not be mapped, and the device copies to and from them. Everything else
 * (weights, inputs, outputs, observed values) is copying to and from those pieces, and is written
 * once, in session.c. The host target is not a second implementation of anything: it gives the very
 * same bytes to the very same verifier and engine that the module has.
 *
 * From the bottom; a file calls only files further up in this list:
 *
 * * reject.c: a rejected plan in words
 * * host_memory.c: which addresses the slots of the host target would have on a device
 * * team.c: threads that compute the commands of a plan together
 * * host.c: the target "host", as a table of functions
 * * soft.c: the target "device", as a table of functions, over the room device/
 * * link.c: values that go from one session on a device to another, on another device or not
 * * target.c: opens a target by name; the only file that names both tables
 * * report.c: the contents of the banks of a target, as structs (loom_report.h)
 * * report_csv.c: the same as three CSV files, on request and for each plan
 * * state.c: outputs of a session that are its inputs in the next run
 * * bind.c: buffers of the caller in place of the session's own, and the session's mapped
 * * lend.c: memory of the caller in their place, for a run
 * * session.c: sessions (loom_run.h)
 * * async.c: runs that nobody waits for
 *
 * A state of a network is two slots, one that the plan reads and one that it writes, and what is
 * bound to them is exchanged after each run: a job names the buffers of its slots anyway, so this
 * costs nothing. Rejected: one buffer for both, written in place. A plan may read a state after it
 * has begun to write the new one (a delay line, keys that are moved), so each plan would have to be
 * made for it, and a run that fails would leave half of each. Two buffers are twice the bytes,
 * of a memory that is large. Rejected: a slot that is read and written. The verifier would have to
 * believe that somebody has written it before.
 *
 * Below this room stand device/ (the node), base/ (arrays, names of types, texts of errors) and
 * core (verifier, engine, bank allocator). The planner may stand above or be absent.
 *
 * A run has two halves. The second one can be waited for, or polled for and called for later
 * (async.c). On the host, whose engine is this process, the first half starts a thread only if
 * somebody else is to go on meanwhile. A session has one run under way: its buffers are those of
 * one item. For more, a program needs more sessions, or loom_context_submit() and syncobjs.
 * Rejected: a callback. It would need a thread for each device, in which the caller's code would
 * run; a descriptor goes into whatever loop the caller has. Rejected: a target that copies each
 * tensor to the device for every run. Where the slots are mapped there is nothing that a separate
 * copy would save, and where they are not, only what changes is copied. Rejected: memory of this
 * process beside a slot that is not mapped, copied before and after each run. It would need to
 * know what has changed, and weights would be there twice.
 */

/**
 * struct loom_target_ops - what a target does
 *
 * All but the last three are for sessions, the next two for reports.
 *
 * @load: proves the plan, allocates the slots and sets &loom_session.slots. On failure what it
 *	took is given back by @unload, which runs in any case
 * @write: copies bytes to a slot that has no place in &loom_session.slots; NULL where each has one
 * @read: copies bytes of such a slot, as a run that has ended has left them
 * @submit: has the plan run once, for an item: it may begin
 * @start: has what was submitted run without anybody who waits; NULL where it does anyway
 * @finish: waits until it has run, and fills &loom_session.counters
 * @wait: 0 once what was started has run; -ETIME: not at the deadline
 * @fd: a descriptor of the caller's that is readable when what was started has run
 * @bind: a slot is bound to a buffer of the caller, NULL: to the session's own again; NULL where
 *	there are no buffers
 * @lend: a slot is in memory of the caller, NULL: in the session's own again; 0, or -EOPNOTSUPP for
 *	memory that it cannot use; NULL where there is no such memory
 * @exchange: what is bound to one slot is bound to another from now on, and the other way round;
 *	both are alike but for who reads and who writes. &loom_session.slots are exchanged already
 * @unload: gives back all that @load took
 * @blocks: lists the blocks of a region as loom_device_blocks() does, and says how many bytes at
 *	the bottom of each bank are held as scratch by jobs
 * @bank_blocks: lists the blocks of one bank as loom_device_bank_blocks() does
 * @close: gives back what opening the target took
 */
struct loom_target_ops {
	int (*load)(struct loom_session *session, struct loom_error *err);
	int (*write)(struct loom_session *session, uint32_t slot, uint64_t offset,
		     const void *data, uint64_t bytes);
	int (*read)(struct loom_session *session, uint32_t slot, uint64_t offset, void *data,
		    uint64_t bytes);
	int (*submit)(struct loom_session *session, uint32_t item, struct loom_error *err);
	int (*start)(struct loom_session *session, struct loom_error *err);
	int (*finish)(struct loom_session *session, loom_progress_fn progress, void *arg,
		      struct loom_error *err);
	int (*wait)(struct loom_session *session, int64_t deadline_ns);
	int (*fd)(struct loom_session *session, int *fd);
	int (*bind)(struct loom_session *session, uint32_t slot, struct loom_bo *bo,
		    struct loom_error *err);
	int (*lend)(struct loom_session *session, uint32_t slot, void *memory, uint64_t bytes);
	void (*exchange)(struct loom_session *session, uint32_t a, uint32_t b);
	void (*unload)(struct loom_session *session);
	int (*blocks)(const struct loom_target *target, uint32_t region,
		      struct drm_loom_block **blocks, size_t *count, uint64_t *scratch_bytes);
	int (*bank_blocks)(const struct loom_target *target, uint32_t region, uint32_t bank,
			   struct drm_loom_block **blocks, size_t *count);
	void (*close)(struct loom_target *target);
};

/**
 * struct loom_target - a place to run programs; does not change while there are sessions, so it
 *	needs no lock
 * @ops: what it does
 * @name: for people
 * @chip: what to plan for
 * @own_chip: of the host: what the caller has given
 * @device: the device, NULL for the host
 * @memory: of the host: where slots would lie on a device; else NULL. Has a lock of its own
 * @threads: of the host: how many compute a run together
 * @share_least: of the host: element operations of a command that is worth to be shared
 */
struct loom_target {
	const struct loom_target_ops *ops;
	const char *name;
	const struct drm_loom_chip *chip;
	struct drm_loom_chip own_chip;
	struct loom_device *device;
	struct loom_host_memory *memory;
	uint32_t threads;
	uint64_t share_least;
};

/**
 * struct loom_session - a loaded program
 * @target: where
 * @program: what
 * @slots: first byte of what is bound to each slot, in this process's memory; NULL where it is
 *	not mapped: see &loom_target_ops.write
 * @input_set: for each input, whether loom_session_set_input() was called, or it is a state
 * @partners: for each slot of states, the slot of their other ends; for others itself
 * @state_bytes: all states
 * @submitted: loom_session_submit() was called, and loom_session_wait() has not seen the end
 * @ran: the last run that ended came to its end: outputs have values
 * @moved: bytes that were copied, or had not to be
 * @counters: of the last run
 * @priv: the target's own
 */
struct loom_session {
	struct loom_target *target;
	const struct loom_program *program;
	uint8_t **slots;
	bool *input_set;
	uint32_t *partners;
	uint64_t state_bytes;
	bool submitted;
	bool ran;
	struct loom_session_moved moved;
	struct drm_loom_counters counters;
	void *priv;
};

/** loom_host_open() - makes @target, which is zeroed, this process with banks as in @chip */
int loom_host_open(struct loom_target *target, const struct drm_loom_chip *chip,
		   struct loom_error *err);
/** loom_host_set_threads() - what loom_target_set_threads() says, of the host */
int loom_host_set_threads(struct loom_target *target, uint32_t threads, struct loom_error *err);
/** loom_soft_open() - makes @target, which is zeroed, the node at @path, NULL: the first one */
int loom_soft_open(struct loom_target *target, const char *path, struct loom_error *err);

/**
 * loom_states_init() - finds the slots that a session's states change, and makes the states zero
 * @session: loaded
 * @err: [out] one line on failure
 *
 * Return: 0; -EINVAL where slots cannot be exchanged.
 */
int loom_states_init(struct loom_session *session, struct loom_error *err);
/** loom_states_advance() - after a run: what it has written is what the next one reads */
void loom_states_advance(struct loom_session *session);
/** loom_states_of_output() - the state that an output is; num_states: none */
uint32_t loom_states_of_output(const struct loom_program *program, uint32_t output);
/** loom_states_of_input() - the state that an input is; num_states: none */
uint32_t loom_states_of_input(const struct loom_program *program, uint32_t input);
/**
 * loom_session_holds() - whether a tensor lies within its slot
 * @session: the session
 * @tensor: of its program
 *
 * Return: false, if not: a wrong program must not cause a wild write.
 */
static inline bool loom_session_holds(const struct loom_session *session,
				      const struct loom_program_tensor *tensor)
{
	const struct loom_program *program = session->program;
	uint64_t end;

	return tensor->slot < program->num_slots &&
	       !check_add_overflow(tensor->offset, tensor->size_bytes, &end) &&
	       end <= program->slots[tensor->slot].size_bytes;
}

/**
 * loom_session_write() - gives a tensor its bytes
 * @session: the session
 * @tensor: of its program
 * @data: its bytes
 *
 * Return: 0; -EINVAL: it lies outside of its slot; what the target returns.
 */
static inline int loom_session_write(struct loom_session *session,
				     const struct loom_program_tensor *tensor, const void *data)
{
	if (!loom_session_holds(session, tensor))
		return -EINVAL;
	if (!session->slots[tensor->slot])
		return session->target->ops->write(session, tensor->slot, tensor->offset, data,
						   tensor->size_bytes);
	memcpy(session->slots[tensor->slot] + tensor->offset, data, tensor->size_bytes);
	return 0;
}

/** loom_session_read() - the other way round */
static inline int loom_session_read(struct loom_session *session,
				    const struct loom_program_tensor *tensor, void *data)
{
	if (!loom_session_holds(session, tensor))
		return -EINVAL;
	if (!session->slots[tensor->slot])
		return session->target->ops->read(session, tensor->slot, tensor->offset, data,
						  tensor->size_bytes);
	memcpy(data, session->slots[tensor->slot] + tensor->offset, tensor->size_bytes);
	return 0;
}

/**
 * loom_session_begin() - the first half of loom_session_run(): has a session run an item
 * @session: the session; its inputs are set
 * @item: number of the item, for links; those of a session come in their order
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_session_run(); if 0, loom_session_finish() is next.
 */
int loom_session_begin(struct loom_session *session, uint32_t item, struct loom_error *err);
/** loom_session_finish() - the second half: waits for its end; returns as loom_session_run() */
int loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			struct loom_error *err);

/**
 * loom_session_idle() - whether a session is not under way by loom_session_submit()
 * @session: the session; NULL is refused
 * @err: [out] one line if it is, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
static inline int loom_session_idle(const struct loom_session *session, struct loom_error *err)
{
	if (!session)
		return loom_error_set(err, -EINVAL, "no session");
	if (!session->submitted)
		return 0;
	return loom_error_set(err, -EINVAL,
			      "a run is under way: its end has to be waited for");
}

/**
 * loom_program_own_slot() - the slot of a tensor that is alone in it, in DRAM
 * @program: the program
 * @tensor: one of its inputs or outputs
 * @kind: which of both
 *
 * Return: number of the slot, which may be bound to any buffer that is large enough; num_slots if
 * there are others in it, or it is an image, or in another memory.
 */
uint32_t loom_program_own_slot(const struct loom_program *program,
			       const struct loom_program_tensor *tensor, enum loom_slot_kind kind);

/**
 * loom_session_lend_input() - has the next run read an input where the caller has it
 * @session: the session; it is not running
 * @index: of the program's inputs, not a state
 * @array: of the input's type and dimensions; stays as it is until loom_session_return()
 *
 * Return: 0; -EOPNOTSUPP where it has to be copied: on a device, where the plan has it together
 * with others, and for memory that does not begin at a multiple of 64 bytes; -ENOENT, -EINVAL.
 */
int loom_session_lend_input(struct loom_session *session, uint32_t index,
			    const struct loom_array *array);
/** loom_session_lend_output() - the same for an output: it is written there */
int loom_session_lend_output(struct loom_session *session, uint32_t index, void *data,
			     uint64_t size_bytes);
/** loom_session_return() - all that was lent is the caller's again; inputs have to be given anew */
void loom_session_return(struct loom_session *session);

struct loom_link;

/**
 * loom_link_create() - have an output of a session be an input of another, without a copy
 * @from: who gives; none of its items has been submitted and not finished
 * @output: number of the output
 * @to: who takes; likewise
 * @input: number of the input, which counts as set from now on
 * @depth: how many items may be on their way
 * @link: [out] end with loom_link_destroy()
 *
 * From now on @to submits an item after @from has submitted it, and need not wait until it has
 * finished. @from submits an item after @to has finished the one that is @depth before it.
 *
 * Return: 0; -errno where it cannot be, and has to be copied: on the host; where the plans have
 * the value in an image or together with others; where the devices have no memory in common.
 */
int loom_link_create(struct loom_session *from, uint32_t output, struct loom_session *to,
		     uint32_t input, uint32_t depth, struct loom_link **link);
/** loom_link_destroy() - undoes that; NULL is fine. Jobs that were submitted still run */
void loom_link_destroy(struct loom_link *link);

/** loom_run_reject() - says in @err, which may be NULL, why a plan was refused; returns -EBADMSG */
int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject);
/** loom_session_reject() - the same of a session's program, which may be for another chip */
int loom_session_reject(const struct loom_session *session, const struct drm_loom_reject *reject,
			struct loom_error *err);

/* How often a caller's progress function is called while a program runs. */
#define LOOM_RUN_TICK_NS	100000000

/** loom_run_now_ns() - CLOCK_MONOTONIC */
static inline int64_t loom_run_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#endif /* LOOM_RUN_PRIV_H */
