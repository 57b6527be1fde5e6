/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_PRIV_H
#define LOOM_RUN_PRIV_H

#include <time.h>

#include "base/error.h"
#include "loom_device.h"
#include "loom_run.h"
#include "loom_chip.h"

struct loom_host_memory;

/**
 * DOC: Running programs
 *
 * This room runs programs and reports what is in the banks. It is given a program (loom_program.h:
 * plan bytes, slots, weights, names) and the name of a target, and gives sessions: set inputs, run,
 * get outputs and counters. It takes programs as data: it calls no function that makes one.
 *
 * One runtime over two targets. A target loads a plan and gives each of its slots a linear piece of
 * this process's memory: the host by malloc(), the device by mapping a buffer. Everything else
 * (weights, inputs, outputs, observed values) is copying to and from those pieces, and is written
 * once, in session.c. The host target is not a second implementation of anything: it gives the very
 * same bytes to the very same verifier and engine that the module has.
 *
 * From the bottom; a file calls only files further up in this list:
 *
 * * reject.c: a rejected plan in words
 * * host_memory.c: which addresses the slots of the host target would have on a device
 * * host.c: the target "host", as a table of functions
 * * soft.c: the target "device", as a table of functions, over the room device/
 * * target.c: opens a target by name; the only file that names both tables
 * * report.c: what is in the banks of a target, as structs (loom_report.h)
 * * report_csv.c: the same as three CSV files, on request and for each plan
 * * session.c: sessions (loom_run.h)
 *
 * Below this room stand device/ (the node), base/ (arrays, names of types, texts of errors) and
 * core (verifier, engine, bank allocator). The planner may stand above or be absent.
 *
 * Rejected: an asynchronous interface. Whoever wants several jobs in flight uses
 * loom_context_submit() and syncobjs; this room is for one network at a time. Rejected: a target
 * that copies each tensor to the device for every run. On both targets the slots are mapped, so
 * there is nothing that a separate copy would save.
 */

/**
 * struct loom_target_ops - what a target does
 *
 * The first three are for sessions, the next two for reports.
 *
 * @load: proves the plan, allocates the slots and sets &loom_session.slots. On failure what it
 *	took is given back by @unload, which runs in any case
 * @run: runs the plan once and fills &loom_session.counters
 * @unload: gives back all that @load took
 * @blocks: lists the blocks of a region as loom_device_blocks() does, and says how many bytes at
 *	the bottom of each bank are held as scratch by jobs
 * @bank_blocks: lists the blocks of one bank as loom_device_bank_blocks() does
 * @close: gives back what opening the target took
 */
struct loom_target_ops {
	int (*load)(struct loom_session *session, struct loom_error *err);
	int (*run)(struct loom_session *session, loom_progress_fn progress, void *arg,
		   struct loom_error *err);
	void (*unload)(struct loom_session *session);
	int (*blocks)(const struct loom_target *target, uint32_t region,
		      struct drm_loom_block **blocks, size_t *count, uint64_t *scratch_bytes);
	int (*bank_blocks)(const struct loom_target *target, uint32_t region, uint32_t bank,
			   struct drm_loom_block **blocks, size_t *count);
	void (*close)(struct loom_target *target);
};

/**
 * struct loom_target - a place to run programs; immutable, so it needs no lock
 * @ops: what it does
 * @name: for people
 * @chip: what to plan for
 * @device: the device, NULL for the host
 * @memory: of the host: where slots would lie on a device; else NULL. Has a lock of its own
 */
struct loom_target {
	const struct loom_target_ops *ops;
	const char *name;
	const struct drm_loom_chip *chip;
	struct loom_device *device;
	struct loom_host_memory *memory;
};

/**
 * struct loom_session - a loaded program
 * @target: where
 * @program: what
 * @slots: first byte of what is bound to each slot, in this process's memory
 * @input_set: for each input, whether loom_session_set_input() was called
 * @counters: of the last run
 * @priv: the target's own
 */
struct loom_session {
	struct loom_target *target;
	const struct loom_program *program;
	uint8_t **slots;
	bool *input_set;
	struct drm_loom_counters counters;
	void *priv;
};

/** loom_host_open() - makes @target, which is zeroed, this process with banks as in @chip */
int loom_host_open(struct loom_target *target, const struct drm_loom_chip *chip,
		   struct loom_error *err);
/** loom_soft_open() - makes @target, which is zeroed, the node at @path, NULL: the first one */
int loom_soft_open(struct loom_target *target, const char *path, struct loom_error *err);

/** loom_run_reject() - says in @err, which may be NULL, why a plan was refused; returns -EBADMSG */
int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject);

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
