/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SOFT_TEAM_H
#define LOOM_SOFT_TEAM_H

#include <linux/atomic.h>

#include "core/loom_engine.h"

/* Limit of workers of a device. */
#define LOOM_SOFT_THREADS	64
/* Time without preemption, plus one piece. */
#define LOOM_SOFT_CHUNK_NS	100000
/* Threshold for sharing a command, in element operations: about those of a chunk. */
#define LOOM_SOFT_SHARE_LEAST	262144U

struct loom_soft_team;

/**
 * struct loom_soft_round - a command shared by workers; owned by a run, kept between turns
 */
struct loom_soft_round {
	/** @command: the command, or NULL */
	const struct loom_command *command;
	/** @memory: memory of its operands */
	const struct loom_memory *memory;
	/** @take: units of a share */
	u64 take;
	/** @next: first unit that no worker has taken */
	atomic64_t next;
	/** @shares: by worker */
	struct loom_command_share shares[];
};

struct loom_soft_team *loom_soft_team_create(u32 threads, int number, atomic64_t *longest_ns);
void loom_soft_team_destroy(struct loom_soft_team *team);
u64 loom_soft_round_bytes(const struct loom_soft_team *team);
struct loom_soft_round *loom_soft_round_create(const struct loom_soft_team *team);
void loom_soft_round_begin(const struct loom_soft_team *team, struct loom_soft_round *round,
			   const struct loom_command *command, const struct loom_memory *memory);
bool loom_soft_team_run(struct loom_soft_team *team, struct loom_soft_round *round);
void loom_soft_team_notify(struct loom_soft_team *team);
void loom_soft_team_pause(struct loom_soft_team *team);
void loom_soft_update_longest(atomic64_t *longest_ns, u64 chunk_ns);

#endif /* LOOM_SOFT_TEAM_H */
