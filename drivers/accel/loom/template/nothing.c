// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>

#include "nothing.h"

/**
 * DOC: A device that does nothing
 *
 * What the skeleton of a back end drives, in place of a chip: it takes jobs, lets each one last
 * some milliseconds, and says that it has ended, in order. The bytes of buffers stay as they are.
 * Module parameter fault has it do something wrong, so that tests see what the core makes of that.
 */

#define NOTHING_STEP_MS		1
#define NOTHING_STEPS		3

unsigned int nothing_fault;
module_param_named(fault, nothing_fault, uint, 0600);
MODULE_PARM_DESC(fault, "What the device does wrong with its next job (see template/nothing.h)");

static void nothing_write(struct nothing *nothing, u64 job, u32 epoch, u32 status)
{
	nothing->records[nothing->written % NOTHING_ENTRIES] = (struct nothing_record) {
		.job = job, .epoch = epoch, .status = status,
	};
	/* pairs with the one of who reads: the record is there before the number says so */
	smp_store_release(&nothing->written, nothing->written + 1);
	schedule_work(&nothing->interrupt);
}

static void nothing_begin_locked(struct nothing *nothing)
{
	nothing->begun++;
	nothing->steps = 0;
	nothing->stopped = false;
	nothing->fault = nothing_fault;
	nothing_fault = NOTHING_FINE;
}

static void nothing_end_locked(struct nothing *nothing)
{
	u64 job = nothing->jobs[nothing->ended++ % NOTHING_ENTRIES];

	switch (nothing->fault) {
	case NOTHING_LIES:
		nothing_write(nothing, job + 1000000, nothing->epoch, 0);
		break;
	case NOTHING_TWICE:
		nothing_write(nothing, job, nothing->epoch, 0);
		break;
	case NOTHING_OLD:
		nothing_write(nothing, job, nothing->epoch - 1, 0);
		break;
	case NOTHING_GARBAGE:
		nothing_write(nothing, job, nothing->epoch, 0xffffffff);
		return;
	}
	nothing_write(nothing, job, nothing->epoch, nothing->stopped);
}

/* Whether the current job has come to its end. */
static bool nothing_is_over_locked(const struct nothing *nothing)
{
	switch (nothing->fault) {
	case NOTHING_HANGS:
	case NOTHING_DIES:
		return false;
	case NOTHING_SLOW:
		return nothing->stopped;
	}
	return nothing->stopped || nothing->steps >= NOTHING_STEPS;
}

static void nothing_work(struct work_struct *work)
{
	struct nothing *nothing = container_of(to_delayed_work(work), struct nothing, work);

	spin_lock(&nothing->lock);
	if (nothing->begun == nothing->ended && nothing->ended != nothing->given)
		nothing_begin_locked(nothing);
	else if (nothing->begun != nothing->ended && nothing_is_over_locked(nothing))
		nothing_end_locked(nothing);
	else if (nothing->fault != NOTHING_HANGS && nothing->fault != NOTHING_DIES)
		nothing->steps++;
	if (nothing->on && nothing->ended != nothing->given)
		schedule_delayed_work(&nothing->work, msecs_to_jiffies(NOTHING_STEP_MS));
	spin_unlock(&nothing->lock);
}

/**
 * nothing_init() - a device without power
 * @nothing: the device
 * @interrupt: handler
 */
void nothing_init(struct nothing *nothing, work_func_t interrupt)
{
	spin_lock_init(&nothing->lock);
	INIT_DELAYED_WORK(&nothing->work, nothing_work);
	INIT_WORK(&nothing->interrupt, interrupt);
}

/**
 * nothing_start() - it takes jobs
 * @nothing: the device
 * @epoch: to be put into records
 */
void nothing_start(struct nothing *nothing, u32 epoch)
{
	spin_lock(&nothing->lock);
	nothing->on = true;
	nothing->epoch = epoch;
	nothing->given = 0;
	nothing->begun = 0;
	nothing->ended = 0;
	nothing->fault = nothing->fault == NOTHING_DIES ? NOTHING_DIES : NOTHING_FINE;
	nothing->written = 0;
	spin_unlock(&nothing->lock);
}

/**
 * nothing_stop() - it writes nothing more, and interrupts nobody
 * @nothing: the device
 */
void nothing_stop(struct nothing *nothing)
{
	spin_lock(&nothing->lock);
	nothing->on = false;
	spin_unlock(&nothing->lock);
	cancel_delayed_work_sync(&nothing->work);
	cancel_work_sync(&nothing->interrupt);
}

/**
 * nothing_reset() - it forgets what it was told
 * @nothing: the device
 *
 * Return: 0 or -EIO.
 */
int nothing_reset(struct nothing *nothing)
{
	return nothing->fault == NOTHING_DIES ? -EIO : 0;
}

/**
 * nothing_give() - the doorbell
 * @nothing: the device, that has fewer than NOTHING_ENTRIES jobs
 * @job: any number
 */
void nothing_give(struct nothing *nothing, u64 job)
{
	spin_lock(&nothing->lock);
	nothing->jobs[nothing->given++ % NOTHING_ENTRIES] = job;
	schedule_delayed_work(&nothing->work, 0);
	spin_unlock(&nothing->lock);
}

/**
 * nothing_end() - end a job soon, if it is the current one
 * @nothing: the device
 * @job: as it was given
 */
void nothing_end(struct nothing *nothing, u64 job)
{
	spin_lock(&nothing->lock);
	if (nothing->begun != nothing->ended &&
	    nothing->jobs[nothing->ended % NOTHING_ENTRIES] == job)
		nothing->stopped = true;
	spin_unlock(&nothing->lock);
}

/**
 * nothing_steps() - how far is a job?
 * @nothing: the device
 * @job: as it was given
 *
 * Return: steps that it has done, 0 if it is not the current one.
 */
u32 nothing_steps(struct nothing *nothing, u64 job)
{
	u32 steps = 0;

	spin_lock(&nothing->lock);
	if (nothing->begun != nothing->ended &&
	    nothing->jobs[nothing->ended % NOTHING_ENTRIES] == job)
		steps = nothing->steps;
	spin_unlock(&nothing->lock);
	return steps;
}
