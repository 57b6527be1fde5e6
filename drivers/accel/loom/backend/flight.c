// SPDX-License-Identifier: GPL-2.0
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "backend.h"
#include "budget.h"
#include "flight.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"

/**
 * DOC: Jobs in flight
 *
 * The scheduler of each context hands over a job when its fences have signalled. Most devices take
 * a few at a time, so the others wait here, in the order of turn.c, and the device gets the next
 * one when a completion record arrives. Of the jobs that it has, the oldest runs; while that is one
 * of a partition, so do those of other partitions up to the first job without. All wait while the
 * device sleeps or is reset. An abandoned job ends without waiting for its turn, and is not given
 * to the device.
 *
 * Choosing a job and giving it to the device are one critical section (@give_lock). Otherwise the
 * device could get two jobs in another order than &loom_flight.order, and the wrong one would be
 * blamed for a hang.
 *
 * Records are looked up here as well: one table with one lock has the jobs on the device, for all
 * events that end a job: a record, a timeout, a reset, unplugging. The first thread that claims the
 * end of a job signals it. A record may arrive while its job is still being given, if the device is
 * fast or lies. It must wait for @give_lock, because completing the job may free it.
 */

/* Give a job to the device. Records are looked up by id, so a freed job is not found. */
static void loom_flight_give(struct loom_job *job)
{
	struct loom_device *loom = job->loom;
	struct loom_flight *flight = &loom->flight;

	job->given_ns = ktime_get_ns();
	spin_lock(&loom->job_lock);
	hash_add(flight->jobs, &job->flight_node, job->id);
	/* a back end without a limit gets several at a time, and must order them itself */
	if (flight->limit)
		flight->giving = job->id;
	spin_unlock(&loom->job_lock);
	loom->backend->job_run(job);
	if (!flight->limit)
		return;
	spin_lock(&loom->job_lock);
	flight->giving = 0;
	spin_unlock(&loom->job_lock);
}

/*
 * The device is assumed to work on its oldest job, or on those of partitions before the first job
 * without, unless the back end reports turns. A partition has one job on the device at a time, so
 * their lanes do not overlap.
 */
static void loom_flight_begin_locked(struct loom_flight *flight)
{
	struct loom_job *job;

	lockdep_assert_held(&flight->lock);
	list_for_each_entry(job, &flight->order, order_node) {
		bool whole = !loom_context_lanes(job->context);

		if (whole && !list_is_first(&job->order_node, &flight->order))
			break;
		if (!loom_job_has_begun(job))
			loom_job_turn_begin(job);
		if (whole)
			break;
	}
}

static struct loom_job *loom_flight_next(struct loom_flight *flight, int *error)
{
	struct loom_job *job = NULL;
	struct loom_turn *turn;

	spin_lock(&flight->lock);
	do {
		turn = loom_turns_next(&flight->turns);
		if (!turn || (!turn->ending &&
			      (flight->paused || flight->running >= flight->limit))) {
			job = NULL;
			break;
		}
		loom_turns_remove(turn);
		job = container_of(turn, struct loom_job, turn);
		/* ended by unplugging and about to be freed: it must not be touched any more */
	} while (READ_ONCE(job->ended));
	if (job)
		*error = loom_job_stop_reason(job);
	if (job && !*error && loom_budget_refuses(job->loom, job->context->client))
		*error = -EIO;
	if (job && !*error) {
		job->counted = true;
		flight->running++;
		list_add_tail(&job->order_node, &flight->order);
		loom_flight_begin_locked(flight);
	}
	spin_unlock(&flight->lock);
	return job;
}

static void loom_flight_uncount_locked(struct loom_flight *flight, struct loom_job *job)
{
	lockdep_assert_held(&flight->lock);
	if (!job->counted)
		return;
	job->counted = false;
	list_del_init(&job->order_node);
	if (!--flight->running)
		wake_up_all(&flight->idle);
}

/*
 * The device has room for one more job. With @same (no reset since) the next one has begun. The
 * client is charged by the host's clock, not by the device's counters, which are not trusted.
 */
static void loom_flight_uncount(struct loom_job *job, bool same)
{
	struct loom_flight *flight = &job->loom->flight;
	u64 busy_ns = flight->limit ? loom_job_engine_ns(job) : 0;

	spin_lock(&flight->lock);
	if (job->counted)
		loom_turns_charge(&flight->turns, &job->turn, busy_ns);
	loom_flight_uncount_locked(flight, job);
	if (same)
		loom_flight_begin_locked(flight);
	spin_unlock(&flight->lock);
}

/**
 * loom_flight_forget() - a job is about to be freed
 * @job: the job; it has ended, or was not queued
 */
void loom_flight_forget(struct loom_job *job)
{
	struct loom_device *loom = job->loom;
	struct loom_flight *flight = &loom->flight;

	spin_lock(&loom->job_lock);
	hash_del(&job->flight_node);
	spin_unlock(&loom->job_lock);
	if (!flight->limit)
		return;
	spin_lock(&flight->lock);
	loom_turns_remove(&job->turn);
	loom_flight_uncount_locked(flight, job);
	spin_unlock(&flight->lock);
}

/* Give the device the next job, or end it. Return: false if none waits, or there is no room. */
static bool loom_flight_step(struct loom_device *loom)
{
	struct loom_flight *flight = &loom->flight;
	struct loom_job *job;
	int error = 0, idx;

	mutex_lock(&flight->give_lock);
	job = loom_flight_next(flight, &error);
	if (job && !error) {
		if (drm_dev_enter(&loom->drm, &idx)) {
			loom_flight_give(job);
			drm_dev_exit(idx);
		} else {
			error = -ENODEV;
		}
	}
	mutex_unlock(&flight->give_lock);
	if (error) {
		loom_flight_uncount(job, true);
		loom_job_end(job, error);
	}
	return job;
}

/* Fill the device up to its limit. */
static void loom_flight_fill(struct loom_device *loom)
{
	down_read(&loom->flight.gate);
	while (loom_flight_step(loom))
		;
	up_read(&loom->flight.gate);
}

static void loom_flight_work(struct work_struct *work)
{
	loom_flight_fill(container_of(work, struct loom_device, flight.work));
}

static void loom_flight_add_unlimited(struct loom_job *job)
{
	struct loom_flight *flight = &job->loom->flight;
	int error;

	down_read(&flight->gate);
	/* unplugging and wedging end only the jobs that the device has by then */
	error = loom_job_stop_reason(job);
	if (!error)
		loom_flight_give(job);
	up_read(&flight->gate);
	if (error)
		loom_job_end(job, error);
}

/**
 * loom_flight_add() - a job may run
 * @job: the job; the caller must be inside of drm_dev_enter()
 */
void loom_flight_add(struct loom_job *job)
{
	struct loom_flight *flight = &job->loom->flight;

	if (!flight->limit) {
		loom_flight_add_unlimited(job);
		return;
	}
	spin_lock(&flight->lock);
	loom_turns_add(&flight->turns, &job->turn);
	/* its file may have been closed meanwhile */
	if (loom_job_stop_reason(job))
		loom_turns_end(&flight->turns, &job->turn);
	spin_unlock(&flight->lock);
	loom_flight_fill(job->loom);
}

/**
 * loom_flight_expect() - check after the grace period that stopped jobs have ended
 * @loom: its device; in any context
 */
void loom_flight_expect(struct loom_device *loom)
{
	if (loom->backend->reset)
		queue_delayed_work(loom->timeout_wq, &loom->flight.grace_work,
				   msecs_to_jiffies(LOOM_FLIGHT_GRACE_MS));
}

/**
 * loom_flight_stop() - end a job soon whose loom_job_stop_reason() has become nonzero
 * @job: the job; it was given to loom_flight_add(), or is about to be
 *
 * The caller must hold a spinlock that keeps the job from being freed.
 */
void loom_flight_stop(struct loom_job *job)
{
	struct loom_device *loom = job->loom;
	struct loom_flight *flight = &loom->flight;
	bool waits;

	spin_lock(&flight->lock);
	waits = flight->limit && !list_empty(&job->turn.node);
	if (waits)
		loom_turns_end(&flight->turns, &job->turn);
	else if (!job->stop_ns)
		job->stop_ns = ktime_get_ns();
	/* a device that is off is told by loom_flight_on() */
	if (!waits && flight->on)
		loom->backend->job_stop(job);
	spin_unlock(&flight->lock);
	if (waits)
		queue_work(loom->sched_wq, &flight->work);
	else
		loom_flight_expect(loom);
}

/* ---------------------------------------------------------------- records */

/* Return: a job that the caller must end, or NULL, and 0 or -EPROTO. */
static struct loom_job *loom_flight_claim(struct loom_device *loom,
					  const struct loom_job_record *record, int *error)
{
	struct loom_job *job, *found = NULL;

	*error = 0;
	spin_lock(&loom->job_lock);
	while (record->job && loom->flight.giving == record->job) {
		spin_unlock(&loom->job_lock);
		mutex_lock(&loom->flight.give_lock);
		mutex_unlock(&loom->flight.give_lock);
		spin_lock(&loom->job_lock);
	}
	/* records of an earlier epoch are dropped */
	if (record->epoch != loom->epoch) {
		spin_unlock(&loom->job_lock);
		return NULL;
	}
	hash_for_each_possible(loom->flight.jobs, job, flight_node, record->job)
		if (job->id == record->job)
			found = job;
	if (!found || record->status > LOOM_JOB_FAILED) {
		*error = -EPROTO;
		found = NULL;
	} else {
		hash_del(&found->flight_node);
		/* it may have ended already, and may be freed once the lock is dropped */
		if (!loom_job_claim_end(found))
			found = NULL;
	}
	spin_unlock(&loom->job_lock);
	return found;
}

static void loom_flight_complete(struct loom_job *job, const struct loom_job_record *record)
{
	struct drm_loom_counters counters = record->counters;
	int error = 0;

	/* the engine cannot have worked on it for longer than it had it */
	counters.busy_ns = min(counters.busy_ns, ktime_get_ns() - job->given_ns);
	if (record->status == LOOM_JOB_STOPPED)
		error = loom_job_stop_reason(job) ?: -ECANCELED;
	else if (record->status == LOOM_JOB_FAILED)
		error = -EIO;
	loom_budget_renew(job->loom);
	loom_flight_uncount(job, true);
	loom_job_end_claimed(job, error, &counters);
}

/**
 * loom_jobs_complete() - process completion records of the device
 * @loom: the device
 * @records: copies in memory that the device cannot write
 * @count: number of @records
 *
 * Must be called from a thread that may sleep, between &loom_backend.start and the return of
 * &loom_backend.stop; fence safe. Records of an earlier epoch are dropped. A record for an unknown
 * job, or with an unknown status, wedges the device, and the records behind it are ignored. The
 * device may be given other jobs before this returns.
 *
 * Return: 0, or -EPROTO when the device was wedged.
 */
int loom_jobs_complete(struct loom_device *loom, const struct loom_job_record *records, u32 count)
{
	struct loom_job *job;
	int error = 0;
	u32 i;

	if (READ_ONCE(loom->wedged))
		return -EPROTO;
	for (i = 0; !error && i < count; i++) {
		job = loom_flight_claim(loom, &records[i], &error);
		if (job)
			loom_flight_complete(job, &records[i]);
	}
	if (error)
		loom_device_wedge(loom, "completion record of an unknown job or status");
	/* the thread that closed the gate may wait for this one, and fills the device itself */
	if (loom->flight.limit && down_read_trylock(&loom->flight.gate)) {
		while (loom_flight_step(loom))
			;
		up_read(&loom->flight.gate);
	}
	return error;
}
EXPORT_SYMBOL_NS_GPL(loom_jobs_complete, LOOM_COMPAT_NS);

/* ---------------------------------------------------------- sleep, resets */

/**
 * loom_flight_pause() - give no jobs to the device
 * @loom: the device
 * @timeout_ms: limit of the wait for the jobs that it has
 *
 * Return: 0 if it has none, or keeps them (@keeps_jobs); -EBUSY, and it is not paused.
 */
int loom_flight_pause(struct loom_device *loom, u32 timeout_ms)
{
	struct loom_flight *flight = &loom->flight;

	spin_lock(&flight->lock);
	flight->paused = true;
	spin_unlock(&flight->lock);
	/* wait until a job that was chosen before has been given to the device */
	mutex_lock(&flight->give_lock);
	mutex_unlock(&flight->give_lock);
	if (loom->backend->keeps_jobs ||
	    wait_event_timeout(flight->idle, !READ_ONCE(flight->running),
			       msecs_to_jiffies(timeout_ms)))
		return 0;
	loom_flight_resume(loom);
	return -EBUSY;
}

/* Undo loom_flight_pause(). */
void loom_flight_resume(struct loom_device *loom)
{
	struct loom_flight *flight = &loom->flight;

	spin_lock(&flight->lock);
	flight->paused = false;
	spin_unlock(&flight->lock);
	queue_work(loom->sched_wq, &flight->work);
}

/* The device was started: send the stops that it has missed. */
void loom_flight_on(struct loom_device *loom)
{
	struct loom_job *job;
	u32 bucket;

	spin_lock(&loom->flight.lock);
	loom->flight.on = true;
	spin_unlock(&loom->flight.lock);
	spin_lock(&loom->job_lock);
	hash_for_each(loom->flight.jobs, bucket, job, flight_node)
		if (loom_job_stop_reason(job))
			loom_flight_stop(job);
	spin_unlock(&loom->job_lock);
}

/**
 * loom_flight_overdue() - find a job that has exceeded its grace period
 * @loom: the device
 * @more: out: there are stopped jobs that have not ended
 *
 * Such a job was told to stop LOOM_FLIGHT_GRACE_MS ago, and has had the engine for that time.
 *
 * Return: its id, or 0.
 */
u64 loom_flight_overdue(struct loom_device *loom, bool *more)
{
	u64 grace_ns = (u64)LOOM_FLIGHT_GRACE_MS * NSEC_PER_MSEC;
	u64 now_ns = ktime_get_ns(), id = 0;
	struct loom_job *job;
	u32 bucket;

	*more = false;
	spin_lock(&loom->job_lock);
	hash_for_each(loom->flight.jobs, bucket, job, flight_node) {
		u64 stop_ns = READ_ONCE(job->stop_ns);

		*more |= stop_ns;
		if (stop_ns && now_ns - stop_ns >= grace_ns && loom_job_engine_ns(job) >= grace_ns)
			id = job->id;
	}
	spin_unlock(&loom->job_lock);
	return id;
}

/* Queue a job again that the device had not begun. */
static void loom_flight_requeue(struct loom_job *job)
{
	struct loom_flight *flight = &job->loom->flight;

	spin_lock(&flight->lock);
	loom_flight_uncount_locked(flight, job);
	job->stop_ns = 0;
	loom_turns_add(&flight->turns, &job->turn);
	if (loom_job_stop_reason(job))
		loom_turns_end(&flight->turns, &job->turn);
	spin_unlock(&flight->lock);
}

/* Remove a job from the table. The caller must end it, unless @again: then it is queued again. */
static struct loom_job *loom_flight_remove(struct loom_device *loom, u64 guilty, bool *again)
{
	struct loom_job *job, *found = NULL;
	struct hlist_node *next;
	u32 bucket;

	spin_lock(&loom->job_lock);
	hash_for_each_safe(loom->flight.jobs, bucket, next, job, flight_node) {
		hash_del(&job->flight_node);
		*again = job->id != guilty && loom->flight.limit && !loom_job_has_begun(job);
		if (!*again && !loom_job_claim_end(job))
			continue;
		if (*again)
			loom_flight_requeue(job);
		found = job;
		break;
	}
	spin_unlock(&loom->job_lock);
	return found;
}

/**
 * loom_flight_renew() - end or requeue the jobs of a device that was reset
 * @loom: the device; the caller must hold the gate for writing, and no records may arrive
 * @guilty: id of the job that caused the reset, which ends with its loom_job_stop_reason(); or 0
 */
void loom_flight_renew(struct loom_device *loom, u64 guilty)
{
	struct loom_job *job;
	bool again;
	int error;

	while ((job = loom_flight_remove(loom, guilty, &again))) {
		if (again)
			continue;
		if (job->id == guilty)
			loom_budget_charge_user(loom, job->context->client);
		error = loom_job_stop_reason(job) ?: -ECANCELED;
		loom_flight_uncount(job, false);
		loom_job_end_claimed(job, error, &(struct drm_loom_counters) {});
	}
	queue_work(loom->sched_wq, &loom->flight.work);
}

/* Initialise, without jobs. Return: 0 or -errno. */
int loom_flight_init(struct loom_device *loom)
{
	struct loom_flight *flight = &loom->flight;

	init_rwsem(&flight->gate);
	spin_lock_init(&flight->lock);
	loom_turns_init(&flight->turns);
	INIT_LIST_HEAD(&flight->order);
	init_waitqueue_head(&flight->idle);
	INIT_WORK(&flight->work, loom_flight_work);
	hash_init(flight->jobs);
	return drmm_mutex_init(&loom->drm, &flight->give_lock);
}
