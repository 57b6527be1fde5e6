// SPDX-License-Identifier: MIT
/*
 * Sessions of a program for concurrent runs, because a session has one run in flight. Their number
 * is limited by an option, because each has its own weights and arena.
 */
#include "ort.h"

int loom_ort_session_take(struct loom_ort_part *part, struct loom_ort_plan *plan,
			  struct loom_session **session, struct loom_error *err)
{
	int ret = 0;

	*session = NULL;
	pthread_mutex_lock(&part->lock);
	while (!plan->num_idle && plan->num_made == part->ep->options.sessions)
		pthread_cond_wait(&part->changed, &part->lock);
	if (plan->num_idle)
		*session = plan->sessions[--plan->num_idle];
	else
		plan->num_made++;
	pthread_mutex_unlock(&part->lock);
	if (*session)
		return 0;
	ret = loom_session_create(part->ep->target, plan->program, session, err);
	if (ret) {
		pthread_mutex_lock(&part->lock);
		plan->num_made--;
		pthread_cond_broadcast(&part->changed);
		pthread_mutex_unlock(&part->lock);
	}
	return ret;
}

void loom_ort_session_give(struct loom_ort_part *part, struct loom_ort_plan *plan,
			   struct loom_session *session, bool broken)
{
	if (broken)
		loom_session_destroy(session);
	pthread_mutex_lock(&part->lock);
	if (broken)
		plan->num_made--;
	else
		plan->sessions[plan->num_idle++] = session;
	pthread_cond_broadcast(&part->changed);
	pthread_mutex_unlock(&part->lock);
}
