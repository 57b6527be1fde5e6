// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>

#include "backend.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_event.h"
#include "loom_file.h"
#include "loom_job.h"

/* Calls of back ends that preempt jobs. */

/**
 * loom_job_turn_end() - the engine has preempted a job
 * @job: the job
 */
void loom_job_turn_end(struct loom_job *job)
{
	spin_lock(&job->context->lock);
	job->turn_ns = 0;
	spin_unlock(&job->context->lock);
	trace_loom_preempt(loom_device_index(job->loom), job->context->client->id, job->id,
			   job->busy_ns);
}
EXPORT_SYMBOL_NS_GPL(loom_job_turn_end, LOOM_COMPAT_NS);

/**
 * loom_job_busy() - report engine time of a running job
 * @job: the job that has the engine
 * @busy_ns: engine time since the last call, or since its turn began
 *
 * Should be called while the job runs, so that fdinfo counts a long job before it has ended.
 */
void loom_job_busy(struct loom_job *job, u64 busy_ns)
{
	spin_lock(&job->context->lock);
	job->busy_ns += busy_ns;
	job->turn_ns = ktime_get_ns();
	spin_unlock(&job->context->lock);
	atomic64_add(busy_ns, &job->context->client->busy_ns);
}
EXPORT_SYMBOL_NS_GPL(loom_job_busy, LOOM_COMPAT_NS);
