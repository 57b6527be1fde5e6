/* SPDX-License-Identifier: MIT */
/* Native commands on the host. */
#ifndef LOOM_RUN_NATIVE_H
#define LOOM_RUN_NATIVE_H

struct loom_command;
struct loom_error;
struct loom_memory;
struct loom_native_set;
struct loom_program;
struct loom_target;

/** loom_run_native_check() - checks that the host can run the native commands of a program */
int loom_run_native_check(const struct loom_target *target, const struct loom_program *program,
			  struct loom_error *err);

/**
 * loom_run_native() - run a native command
 * @set: has a callback
 * @command: the command, of a verified plan
 * @memory: where its operands lie
 *
 * Return: 0, or the error of the callback.
 */
int loom_run_native(const struct loom_native_set *set, const struct loom_command *command,
		    const struct loom_memory *memory);

#endif /* LOOM_RUN_NATIVE_H */
