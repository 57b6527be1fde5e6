/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_TEAM_H
#define LOOM_RUN_TEAM_H

#include "loom.h"

struct loom_command;
struct loom_memory;
struct loom_team;

/**
 * loom_team_create() - threads that compute commands together
 * @threads: how many, the caller's own included; at least two
 * @least: element operations of a command below which the caller's own thread computes it alone
 * @team: [out] end with loom_team_destroy()
 *
 * Return: 0, -ENOMEM, or what pthread_create() says.
 */
int loom_team_create(uint32_t threads, uint64_t least, struct loom_team **team);

/** loom_team_destroy() - ends its threads; nobody is in loom_team_run(); NULL is fine */
void loom_team_destroy(struct loom_team *team);

/**
 * loom_team_run() - computes a command, with the same bits as one thread does
 * @team: the team; one thread at a time
 * @command: the command
 * @memory: what it works on
 * @look: called by the caller's own thread now and then; what is not zero stops the others; may be
 *	NULL
 * @arg: for @look
 *
 * In a child of fork(), which has not the threads, the caller's own thread does it.
 *
 * Return: 0, or what @look returned.
 */
int loom_team_run(struct loom_team *team, const struct loom_command *command,
		  const struct loom_memory *memory, int (*look)(void *arg), void *arg);

#endif /* LOOM_RUN_TEAM_H */
