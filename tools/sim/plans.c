// SPDX-License-Identifier: MIT
#include "plans.h"

#include <stdlib.h>

#include "loom_verify.h"

void sim_plans_init(struct sim_plans *plans)
{
	memset(plans, 0, sizeof(*plans));
	pthread_mutex_init(&plans->lock, NULL);
}

static void plan_put_locked(struct sim_plan *plan)
{
	if (--plan->users)
		return;
	loom_plan_destroy(plan->plan);
	free(plan);
}

bool sim_plans_add(struct sim_plans *plans, u32 number, struct loom_plan *decoded)
{
	struct sim_plan *plan = calloc(1, sizeof(*plan));
	bool added = false;

	pthread_mutex_lock(&plans->lock);
	if (plan && number < PLANS_MAX && !plans->plan[number]) {
		*plan = (struct sim_plan){ .plan = decoded, .users = 1 };
		plans->plan[number] = plan;
		plans->count++;
		added = true;
	}
	pthread_mutex_unlock(&plans->lock);
	if (!added)
		free(plan);
	return added;
}

static bool plan_drop_locked(struct sim_plans *plans, u32 number)
{
	if (number >= PLANS_MAX || !plans->plan[number])
		return false;
	plan_put_locked(plans->plan[number]);
	plans->plan[number] = NULL;
	plans->count--;
	return true;
}

bool sim_plans_drop(struct sim_plans *plans, u32 number)
{
	bool dropped;

	pthread_mutex_lock(&plans->lock);
	dropped = plan_drop_locked(plans, number);
	pthread_mutex_unlock(&plans->lock);
	return dropped;
}

void sim_plans_drop_all(struct sim_plans *plans)
{
	u32 i;

	pthread_mutex_lock(&plans->lock);
	for (i = 0; i < PLANS_MAX; i++)
		plan_drop_locked(plans, i);
	pthread_mutex_unlock(&plans->lock);
}

struct sim_plan *sim_plans_get(struct sim_plans *plans, u32 number)
{
	struct sim_plan *plan = NULL;

	pthread_mutex_lock(&plans->lock);
	if (number < PLANS_MAX)
		plan = plans->plan[number];
	if (plan)
		plan->users++;
	pthread_mutex_unlock(&plans->lock);
	return plan;
}

void sim_plans_put(struct sim_plans *plans, struct sim_plan *plan)
{
	if (!plan)
		return;
	pthread_mutex_lock(&plans->lock);
	plan_put_locked(plan);
	pthread_mutex_unlock(&plans->lock);
}
