/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_TEAM_H
#define LOOM_RUN_TEAM_H

#include "loom.h"

struct loom_command;
struct loom_memory;
struct loom_team;

/**
 * loom_team_create() - create threads that compute commands together
 * @threads: number of threads, including the caller's; at least two
 * @least: element operations of a command below which the caller's own thread computes it alone
 * @team: [out] end with loom_team_destroy()
 *
 * Return: 0, -ENOMEM, or the error of pthread_create().
 */
int loom_team_create(uint32_t threads, uint64_t least, struct loom_team **team);

/** loom_team_destroy() - ends the threads; must not run during loom_team_run(); NULL is fine */
void loom_team_destroy(struct loom_team *team);

/**
 * loom_team_run() - compute a command, with the same bits as a single thread
 * @team: the team; one caller at a time
 * @command: the command
 * @memory: its memory
 * @check: called periodically by the caller's own thread; a result other than 0 stops the others;
 *	may be NULL
 * @arg: for @check
 *
 * In a child of fork(), which lacks the threads, the caller's own thread computes it alone.
 *
 * Return: 0, or the result of @check.
 */
int loom_team_run(struct loom_team *team, const struct loom_command *command,
		  const struct loom_memory *memory, int (*check)(void *arg), void *arg);

#endif /* LOOM_RUN_TEAM_H */
