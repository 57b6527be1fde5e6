// SPDX-License-Identifier: GPL-2.0
// drm/sched: do not queue an entity again that was stopped
//
// drm_sched_entity_kill() takes the entity out of the run queue, then waits for the worker that
// is popping a job from it. If there is one job more, that pop queues the entity again: the
// worker takes jobs from a queue with one consumer beside drm_sched_entity_kill(), and the tree
// keeps the entity after its owner has freed it. The entity's lock is held here, under which
// entity->stopped is set.
//
// drivers/gpu/drm/scheduler/sched_entity.c, later drivers/gpu/drm/scheduler/sched_rq.c
@@
identifier f = { drm_sched_entity_pop_job, drm_sched_rq_pop_entity };
expression entity;
expression list rest;
@@
 f(...)
 {
 <...
-	drm_sched_rq_update_fifo_locked(entity, rest);
+	if (!entity->stopped)
+		drm_sched_rq_update_fifo_locked(entity, rest);
 ...>
 }
