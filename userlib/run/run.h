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
 * This folder runs programs and reports the contents of banks. The input is a program
 * (loom_program.h: plan bytes, slots, weights, names) and the name of a target, the output a
 * session: set inputs, run, get outputs and counters. Programs are data: nothing here calls the
 * planner.
 *
 * One runtime over two targets. A target loads a plan and maps each of its slots to a linear range
 * of this process's memory: the host by malloc(), the device by mapping a buffer. Slots in an SRAM
 * of the device's own may not be mappable; the device copies to and from them. All other transfers
 * (weights, inputs, outputs, observed values) are copies to and from those ranges, implemented
 * once, in session.c. The host target is no second implementation: it passes the same bytes to the
 * same verifier and engine as the module.
 *
 * From the bottom; a file calls only files earlier in this list:
 *
 * * reject.c: a rejected plan in words
 * * host_memory.c: addresses of the host target's slots on a device
 * * team.c: threads that compute the commands of a plan together
 * * native.c: native commands, which a callback runs
 * * host.c: the target "host", as a table of functions
 * * soft.c: the target "device", as a table of functions, over the room device/
 * * link.c: zero-copy values between sessions on the same or on two devices
 * * target.c: opens a target by name; the only file that names both tables
 * * report.c: the contents of the banks of a target, as structs (loom_report.h)
 * * report_csv.c: the same as three CSV files, on request and for each plan
 * * fit_read.c, fit.c: whether buffers would fit in the banks of a chip (loom_fit.h)
 * * update.c: rows that a run changes in its states
 * * state.c: outputs of a session that are its inputs in the next run
 * * beside.c: buffers of another session in place of the session's own
 * * bind.c: buffers of the caller in place of the session's own, and the session's mapped
 * * lend.c: memory of the caller in their place, for a run
 * * weights.c: weights in a session's buffers, and in those of other processes
 * * session.c: sessions (loom_run.h)
 * * async.c: asynchronous runs
 *
 * A state of a network is two slots, one that the plan reads and one that it writes, whose buffers
 * are exchanged after each run. A job names the buffers of its slots anyway, so this costs nothing.
 * Rejected: one buffer for both, written in place. A plan may read a state after it has begun to
 * write the new one (a delay line, keys that are moved), so each plan would have to be made for it,
 * and a failed run would leave a mixture. Rejected: a slot that is read and written. The verifier
 * would have to trust that it was written before.
 *
 * A state of which a run changes some rows only (graph/update.h) is one slot, which the plan reads.
 * It writes the rows and their places, and the processor puts the rows into the state after the
 * run (update.c).
 *
 * Below this folder are device/ (the node), base/ (arrays, names of types, texts of errors) and
 * core (verifier, engine, bank allocator). The planner may be above or absent.
 *
 * A run has two halves. The second can be waited for, or polled for and called later (async.c). On
 * the host, whose engine is this process, the first half starts a thread only if the caller
 * continues meanwhile. A session has one run in flight, because its buffers are those of one item.
 * For more, a program needs more sessions, or loom_context_submit() and syncobjs. Rejected: a
 * callback. It would need a thread for each device, in which the caller's code would run; a
 * descriptor works with the caller's event loop. Rejected: a target that copies each tensor to the
 * device for every run. Where slots are mapped a separate copy saves nothing, and where they are
 * not, only the changes are copied. Rejected: a shadow in this process of a slot that is not
 * mapped, copied before and after each run. It would have to track changes, and hold weights twice.
 */

/**
 * struct loom_target_ops - operations of a target
 *
 * All but the last three are for sessions, the next two for reports.
 *
 * @load: verifies the plan, allocates the slots and sets &loom_session.slots. On failure the caller
 *	must call @unload as well
 * @write: copies bytes to a slot without a place in &loom_session.slots; NULL if each has one
 * @read: copies bytes from such a slot, as the last completed run left them
 * @submit: submits one run of the plan, for an item: it may begin
 * @start: makes a submitted run proceed without a waiting caller; NULL if it does anyway
 * @finish: waits for the end of the run, and fills &loom_session.counters
 * @wait: 0 once the started run has ended; -ETIME: not at the deadline
 * @fd: a descriptor, owned by the caller, that becomes readable when the started run has ended
 * @bind: binds a slot to a buffer of the caller, NULL: to the session's own again; NULL if there
 *	are no buffers
 * @lend: binds a slot to memory of the caller, NULL: to the session's own again; 0, or -EOPNOTSUPP
 *	for memory that it cannot use; NULL if there is no such memory
 * @export: makes the buffer of a slot constant, sets &loom_session.constant, even if it fails after
 *	that, and gives a dma-buf of it; NULL if there are none
 * @exchange: exchanges the buffers of two slots, which must be alike but for readers and writers.
 *	&loom_session.slots are exchanged already
 * @borrow: binds a slot to the buffer of &loom_session.loans, as its owner has it now; during
 *	@load and between runs
 * @unload: frees all resources of @load
 * @blocks: lists the blocks of a region as loom_device_blocks() does, and the bytes at the bottom
 *	of each bank that jobs hold as scratch
 * @bank_blocks: lists the blocks of one bank as loom_device_bank_blocks() does
 * @close: frees the resources of opening the target
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
	int (*export)(struct loom_session *session, uint32_t slot, int *fd, struct loom_error *err);
	void (*exchange)(struct loom_session *session, uint32_t a, uint32_t b);
	void (*borrow)(struct loom_session *session, uint32_t slot);
	void (*unload)(struct loom_session *session);
	int (*blocks)(const struct loom_target *target, uint32_t region,
		      struct drm_loom_block **blocks, size_t *count, uint64_t *scratch_bytes);
	int (*bank_blocks)(const struct loom_target *target, uint32_t region, uint32_t bank,
			   struct drm_loom_block **blocks, size_t *count);
	void (*close)(struct loom_target *target);
};

/**
 * struct loom_target - a place to run programs
 * @ops: its operations
 * @name: for people
 * @chip: the chip to plan for
 * @own_chip: of the host: the chip given by the caller
 * @device: the device, NULL for the host
 * @memory: of the host: addresses of slots on a device; else NULL. Has a lock of its own
 * @threads: of the host: number of threads of a run
 * @natives: of the host: runs native commands, or NULL
 * @share_least: of the host: threshold, in element operations, for sharing a command
 *
 * It must not change while there are sessions, so it needs no lock.
 */
struct loom_target {
	const struct loom_target_ops *ops;
	const char *name;
	const struct drm_loom_chip *chip;
	struct drm_loom_chip own_chip;
	struct loom_device *device;
	struct loom_host_memory *memory;
	uint32_t threads;
	const struct loom_native_set *natives;
	uint64_t share_least;
};

/**
 * struct loom_loan - a slot that is bound to the buffer of another session
 * @owner: that session, which was loaded before, and is unloaded later; NULL: the slot has its own
 * @slot: of @owner, which has not borrowed it
 */
struct loom_loan {
	struct loom_session *owner;
	uint32_t slot;
};

/**
 * struct loom_session - a loaded program
 * @target: the target
 * @program: the program
 * @slots: first byte of the buffer bound to each slot, in this process's memory; NULL if it is not
 *	mapped: see &loom_target_ops.write
 * @input_set: for each input, whether loom_session_set_input() was called, or it is a state
 * @partners: for each slot of states, the slot of their other ends; for others itself
 * @loans: for each slot, whose buffer it has
 * @constant: for each slot, whether its buffer can be read only
 * @weights: dma-bufs of its weights, one for each such slot, while it is loaded; or NULL
 * @root: the session that has made the buffers of its states: itself, or whose states they are, too
 * @shared: of a @root: other sessions have its states, too
 * @user: of a @root: the session that runs on its states now, or NULL
 * @state_bytes: all states
 * @rows: for each update of the program, room for its rows and behind them its places
 * @submitted: loom_session_submit() was called, and loom_session_wait() has not seen the end
 * @ran: the last run completed: outputs have values
 * @moved: bytes that were copied, or that needed no copy
 * @counters: of the last run
 * @priv: private to the target
 */
struct loom_session {
	struct loom_target *target;
	const struct loom_program *program;
	uint8_t **slots;
	bool *input_set;
	uint32_t *partners;
	struct loom_loan *loans;
	bool *constant;
	const int *weights;
	struct loom_session *root;
	bool shared;
	const struct loom_session *user;
	uint64_t state_bytes;
	void *rows;
	bool submitted;
	bool ran;
	struct loom_session_moved moved;
	struct drm_loom_counters counters;
	void *priv;
};

/** loom_slot_is_shared() - whether sessions can share it: weights, not in the SRAM */
static inline bool loom_slot_is_shared(const struct loom_program_slot *slot)
{
	return slot->kind == LOOM_SLOT_KIND_WEIGHTS && !(slot->flags & DRM_LOOM_SLOT_SRAM);
}

/** loom_host_open() - makes @target, which must be zeroed, this process with banks as in @chip */
int loom_host_open(struct loom_target *target, const struct drm_loom_chip *chip,
		   struct loom_error *err);
/** loom_host_set_threads() - loom_target_set_threads() for the host */
int loom_host_set_threads(struct loom_target *target, uint32_t threads, struct loom_error *err);
/** loom_soft_open() - makes @target, which must be zeroed, the node at @path, or the first one */
int loom_soft_open(struct loom_target *target, const char *path, struct loom_error *err);

/**
 * loom_states_init() - pair the slots of a session's states, and zero the states
 * @session: it must be loaded
 * @err: [out] one line on failure
 *
 * Return: 0; -EINVAL where slots cannot be exchanged.
 */
int loom_states_init(struct loom_session *session, struct loom_error *err);
/**
 * loom_states_advance() - after a run: the states it wrote become the inputs of the next run
 * @session: the session
 * @err: [out] one line on failure
 *
 * Return: 0; the error of the target, which cannot write rows: states are undefined then.
 */
int loom_states_advance(struct loom_session *session, struct loom_error *err);
/**
 * loom_session_borrow() - finds the buffers that a session, before it is loaded, shares
 * @session: the session; receives @loans
 * @owner: a loaded session of the same target
 * @flags: LOOM_BESIDE_*
 * @err: [out] one line on failure
 *
 * Return: 0, -EINVAL.
 */
int loom_session_borrow(struct loom_session *session, struct loom_session *owner, uint32_t flags,
			struct loom_error *err);
/** loom_session_pull() - binds borrowed states as their owner has them */
void loom_session_pull(struct loom_session *session);
/**
 * loom_weights_load() - copies the weights of a program into a session's buffers
 * @session: it must be loaded
 * @err: [out] one line on failure
 *
 * Those that are there already, in buffers of other sessions or processes, are compared.
 *
 * Return: 0; -EINVAL where a constant buffer has other bytes; the error of the target.
 */
int loom_weights_load(struct loom_session *session, struct loom_error *err);
/** loom_weights_slots() - number of slots with weights that sessions can share */
uint32_t loom_weights_slots(const struct loom_program *program);
/** loom_update_fits() - whether types and dimensions of an update are right for its state */
bool loom_update_fits(const struct loom_program *program,
		      const struct loom_program_update *update);
/** loom_states_of_output() - the state that an output is; num_states: none */
uint32_t loom_states_of_output(const struct loom_program *program, uint32_t output);
/** loom_states_of_input() - the state that an input is; num_states: none */
uint32_t loom_states_of_input(const struct loom_program *program, uint32_t input);
/**
 * loom_session_holds() - whether a tensor lies within its slot
 * @session: the session
 * @tensor: of its program
 *
 * Return: false if not; the caller must not access it then, because the program is wrong.
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
 * loom_session_write() - set the bytes of a tensor
 * @session: the session
 * @tensor: of its program
 * @data: its bytes
 *
 * Return: 0; -EINVAL: it lies outside of its slot; the error of the target.
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

/** loom_session_read() - the inverse of loom_session_write() */
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
 * loom_session_begin() - the first half of loom_session_run(): submit an item
 * @session: the session; its inputs must be set
 * @item: number of the item, for links; items of a session must be submitted in order
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_session_run(); if 0, the caller must call loom_session_finish() next.
 */
int loom_session_begin(struct loom_session *session, uint32_t item, struct loom_error *err);
/** loom_session_finish() - the second half: waits for its end; returns as loom_session_run() */
int loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			struct loom_error *err);

/**
 * loom_session_idle() - whether no run is under way of a session, or on the states that it shares
 * @session: the session; NULL is refused
 * @err: [out] one line if there is, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
static inline int loom_session_idle(const struct loom_session *session, struct loom_error *err)
{
	if (!session)
		return loom_error_set(err, -EINVAL, "no session");
	if (session->submitted)
		return loom_error_set(err, -EINVAL,
				      "a run is under way: its end has to be waited for");
	if (session->root->user && session->root->user != session)
		return loom_error_set(err, -EINVAL,
				      "a run of a session with the same states is under way");
	return 0;
}

/**
 * loom_program_own_slot() - the slot of a tensor that is alone in it, in DRAM
 * @program: the program
 * @tensor: one of its inputs or outputs
 * @kind: input or output
 *
 * Return: number of the slot, which may be bound to any buffer that is large enough; num_slots if
 * it holds other tensors, is an image, or is in another memory.
 */
uint32_t loom_program_own_slot(const struct loom_program *program,
			       const struct loom_program_tensor *tensor, enum loom_slot_kind kind);

/**
 * loom_session_lend_input() - make the next run read an input from the caller's memory
 * @session: the session; it must not be running
 * @index: of the program's inputs, not a state
 * @array: of the input's type and dimensions; it must not change until loom_session_return()
 *
 * Return: 0; -EOPNOTSUPP if the input must be copied: on a device, where the plan has it together
 * with others, and for memory that is not aligned to 64 bytes; -ENOENT, -EINVAL.
 */
int loom_session_lend_input(struct loom_session *session, uint32_t index,
			    const struct loom_array *array);
/** loom_session_lend_output() - the same for an output, which the run writes there */
int loom_session_lend_output(struct loom_session *session, uint32_t index, void *data,
			     uint64_t size_bytes);
/** loom_session_return() - returns lent memory to the caller, who must set lent inputs again */
void loom_session_return(struct loom_session *session);

struct loom_link;

/**
 * loom_link_create() - make an output of a session an input of another, without a copy
 * @from: the producer; it must have no item submitted and not finished
 * @output: number of the output
 * @to: the consumer; likewise
 * @input: number of the input, which counts as set from now on
 * @depth: maximum number of items in flight
 * @link: [out] end with loom_link_destroy()
 *
 * @to must submit an item after @from has submitted it, and need not wait until it has finished.
 *	@from must submit an item after @to has finished the one that is @depth before it.
 *
 * Return: 0; -errno if the value must be copied: on the host; where the plans have the value in an
 * image or together with others; where the devices share no memory.
 */
int loom_link_create(struct loom_session *from, uint32_t output, struct loom_session *to,
		     uint32_t input, uint32_t depth, struct loom_link **link);
/** loom_link_destroy() - removes a link; NULL is fine. Submitted jobs still run */
void loom_link_destroy(struct loom_link *link);

/** loom_run_reject() - formats the reason of a rejected plan to @err, or NULL; returns -EBADMSG */
int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject);
/** loom_session_reject() - the same of a session's program, which may be for another chip */
int loom_session_reject(const struct loom_session *session, const struct drm_loom_reject *reject,
			struct loom_error *err);

/* Period of calls of a caller's progress function. */
#define LOOM_RUN_TICK_NS	100000000

/** loom_run_now_ns() - CLOCK_MONOTONIC */
static inline int64_t loom_run_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#endif /* LOOM_RUN_PRIV_H */
