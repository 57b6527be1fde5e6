/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_PLANS_H
#define LOOM_SIM_PLANS_H

/* Plans uploaded to the device, by number. */

#include <pthread.h>

#include "loom_plan.h"

/* PLANS_MAX: LOOM_PCI_MAX_PLANS */
#define PLANS_MAX	4096

/**
 * struct sim_plan - a plan
 * @plan: decoded
 * @users: the table, and jobs that run it
 */
struct sim_plan {
	struct loom_plan *plan;
	u32 users;
};

/**
 * struct sim_plans - the table
 * @lock: protects it, and &sim_plan.users
 * @plan: by number
 * @count: how many there are
 */
struct sim_plans {
	pthread_mutex_t lock;
	struct sim_plan *plan[PLANS_MAX];
	u32 count;
};

/** sim_plans_init() - none */
void sim_plans_init(struct sim_plans *plans);
/** sim_plans_add() - takes @plan; false if there is one of that number, or no memory */
bool sim_plans_add(struct sim_plans *plans, u32 number, struct loom_plan *plan);
/** sim_plans_drop() - false if there is none */
bool sim_plans_drop(struct sim_plans *plans, u32 number);
/** sim_plans_drop_all() - the device was reset */
void sim_plans_drop_all(struct sim_plans *plans);
/** sim_plans_get() - for a job, or NULL */
struct sim_plan *sim_plans_get(struct sim_plans *plans, u32 number);
/** sim_plans_put() - the job has ended */
void sim_plans_put(struct sim_plans *plans, struct sim_plan *plan);

#endif /* LOOM_SIM_PLANS_H */
