/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_PRIV_H
#define LOOM_RUN_PRIV_H

#include "loom_device.h"
#include "loom_run.h"
#include "loom_topology.h"

struct loom_host_memory;

/**
 * struct loom_target_ops - what a target does for a session
 * @load: proves the plan, allocates the slots and sets &loom_session.slots. On failure what it
 *	took is given back by @unload, which runs in any case
 * @run: runs the plan once and fills &loom_session.counters
 * @unload: gives back all that @load took
 */
struct loom_target_ops {
	int (*load)(struct loom_session *session, struct loom_error *err);
	int (*run)(struct loom_session *session, loom_progress_fn progress, void *arg,
		   struct loom_error *err);
	void (*unload)(struct loom_session *session);
};

/**
 * struct loom_target - a place to run programs; immutable, so it needs no lock
 * @ops: what it does
 * @name: for people
 * @topology: what to plan for
 * @device: the device, NULL for the host
 * @memory: of the host: where slots would lie on a device; else NULL. Has a lock of its own
 */
struct loom_target {
	const struct loom_target_ops *ops;
	const char *name;
	const struct loom_topology *topology;
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

extern const struct loom_target_ops loom_host_ops;
extern const struct loom_target_ops loom_soft_ops;

/** loom_run_fail() - writes one line to @err, which may be NULL; returns @code */
int loom_run_fail(struct loom_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** loom_run_reject() - the same for a plan that was refused; returns -EBADMSG */
int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject);

#endif /* LOOM_RUN_PRIV_H */
