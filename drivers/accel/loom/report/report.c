// SPDX-License-Identifier: GPL-2.0
#include <linux/devcoredump.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "backend/power.h"
#include "loom_bo.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_region.h"
#include "loom_sync.h"
#include "memory/label.h"
#include "report.h"

/**
 * DOC: Reports of timeouts
 *
 * A job that the timeout has ended causes one line in the kernel's log, and a devcoredump
 * (/sys/class/devcoredump) with the details: plan and client, the position in the plan, the job's
 * counters, and the bindings of its slots. The dump is text, a "key: value" per line, and "slot"
 * lines with the same fields each. It must not contain addresses of the kernel or bytes of buffers,
 * plans or scratch.
 *
 * The timeout handler holds the job in a critical section of fence signalling, where allocations
 * must not wait. So the data is collected there, into an allocation that may fail (then there is no
 * dump), and a work item writes it, because dev_coredumpv() registers a device and allocates. The
 * device's own state (&loom_backend.dump) must be collected before the job is stopped, because a
 * reset discards it. Nothing is reported if the job ends by itself after all.
 */

/* Size of the device's own dump. */
#define LOOM_REPORT_DUMP_BYTES	4096

/* Binding of a slot. */
struct loom_report_slot {
	u64 offset, size;
	u32 flags, region;
	char label[DRM_LOOM_LABEL_BYTES];
};

/**
 * struct loom_report - data of a job for its report
 */
struct loom_report {
	/** @work: writes it */
	struct work_struct work;
	/** @loom: the device, with a reference */
	struct loom_device *loom;
	/** @job: its number on the device */
	u64 job;
	/** @client: drm-client-id of fdinfo */
	u64 client;
	/** @plan: its current or former id in the client */
	u32 plan;
	/** @steps: of the plan */
	u32 steps;
	/** @commands: of the plan */
	u32 commands;
	/** @lanes: of the plan */
	u32 lanes;
	/** @scratch_bytes: of the plan, per bank */
	u64 scratch_bytes;
	/** @priority: of the context */
	u32 priority;
	/** @position: position of the engine */
	struct loom_job_position position;
	/** @dump_bytes: length of @dump, without the terminating zero */
	u32 dump_bytes;
	/** @slot_count: number of @slots */
	u32 slot_count;
	/** @dump: dump of the device */
	char dump[LOOM_REPORT_DUMP_BYTES];
	/** @slots: bindings */
	struct loom_report_slot slots[] __counted_by(slot_count);
};

/* Called twice: first to count the bytes, then to write them. */
static void loom_report_print(const struct loom_report *report, struct drm_printer *p)
{
	const struct drm_loom_counters *counters = &report->position.counters;
	u32 i;

	drm_puts(p, "loom: 1\nevent: timeout\n");
	drm_printf(p, "timeout_ms: %u\n", report->loom->job_timeout_ms);
	drm_printf(p, "topology: %s\n", report->loom->chip->name);
	drm_printf(p, "backend: %s\n", report->loom->backend->name);
	drm_printf(p, "job: %llu\nclient: %llu\npriority: %u\n", report->job, report->client,
		   report->priority);
	drm_printf(p, "plan: %u\nsteps: %u\ncommands: %u\nscratch_bytes: %llu\n", report->plan,
		   report->steps, report->commands, report->scratch_bytes);
	drm_printf(p, "lanes: %u\n", report->lanes);
	drm_printf(p, "step: %u\ncommand: %u\nunit: %llu\n", report->position.step,
		   report->position.command, report->position.unit);
	drm_printf(p, "busy_ns: %llu\nmacs: %llu\nsteps_done: %llu\ncommands_done: %llu\n",
		   counters->busy_ns, counters->macs, counters->steps, counters->commands);
	drm_printf(p, "dram_read_bytes: %llu\ndram_write_bytes: %llu\n", counters->dram_read_bytes,
		   counters->dram_write_bytes);
	drm_printf(p, "sram_read_bytes: %llu\nsram_write_bytes: %llu\n", counters->sram_read_bytes,
		   counters->sram_write_bytes);
	drm_printf(p, "cycles: %llu\ndma_cycles: %llu\ncompute_cycles: %llu\nenergy_fj: %llu\n",
		   counters->cycles, counters->dma_cycles, counters->compute_cycles,
		   counters->energy_fj);
	drm_printf(p, "rom_read_bytes: %llu\n", counters->rom_read_bytes);
	for (i = 0; i < report->slot_count; i++) {
		const struct loom_report_slot *slot = &report->slots[i];

		drm_printf(p, "slot: %u region %s offset %llu size %llu flags 0x%x%s%.*s\n",
			   i, loom_region_names[slot->region], slot->offset, slot->size,
			   slot->flags, slot->label[0] ? " label " : "", DRM_LOOM_LABEL_BYTES,
			   slot->label);
	}
	drm_puts(p, report->dump);
}

/* dev_coredumpv() keeps one dump of a device, but not if it is called twice at a time. */
static DEFINE_MUTEX(loom_report_lock);

static void loom_report_work(struct work_struct *work)
{
	struct loom_report *report = container_of(work, struct loom_report, work);
	struct loom_device *loom = report->loom;
	struct drm_print_iterator iterator = { .remain = SSIZE_MAX };
	struct drm_printer p = drm_coredump_printer(&iterator);
	ssize_t size;
	void *text;

	loom_report_print(report, &p);
	size = SSIZE_MAX - iterator.remain;
	text = vzalloc(size);
	if (text) {
		iterator = (struct drm_print_iterator) { .data = text, .remain = size };
		p = drm_coredump_printer(&iterator);
		loom_report_print(report, &p);
		mutex_lock(&loom_report_lock);
		dev_coredumpv(loom->drm.dev, text, size, GFP_KERNEL);
		mutex_unlock(&loom_report_lock);
	}
	kfree(report);
	drm_dev_put(&loom->drm);
}

/* Prints into a fixed buffer, because nothing may be allocated; longer text is truncated. */
static void loom_report_printfn(struct drm_printer *p, struct va_format *vaf)
{
	struct loom_report *report = p->arg;

	report->dump_bytes += scnprintf(report->dump + report->dump_bytes,
					sizeof(report->dump) - report->dump_bytes, "%pV", vaf);
}

static void loom_report_dump(struct loom_report *report)
{
	struct drm_printer p = { .printfn = loom_report_printfn, .arg = report };
	struct loom_device *loom = report->loom;

	if (!loom->backend->dump || !loom_power_hold(loom))
		return;
	loom->backend->dump(loom, &p);
	loom_power_release(loom);
}

/**
 * loom_report_create() - collect the data of a job that has exceeded its timeout
 * @job: the job, kept alive by the caller; &loom_job.seen must be its position
 *
 * Return: a report for loom_report_end(), or NULL.
 */
struct loom_report *loom_report_create(struct loom_job *job)
{
	const struct loom_plan *plan = job->plan->plan;
	struct loom_device *loom = job->loom;
	struct loom_report *report;
	u32 i;

	report = kzalloc(struct_size(report, slots, job->slot_count), GFP_NOWAIT | __GFP_NOWARN);
	if (!report)
		return NULL;
	INIT_WORK(&report->work, loom_report_work);
	drm_dev_get(&loom->drm);
	report->loom = loom;
	report->job = job->id;
	report->client = job->context->client->id;
	report->plan = job->plan->id;
	report->steps = plan->step_count;
	report->commands = plan->command_count;
	report->lanes = plan->lanes;
	report->scratch_bytes = plan->scratch_bytes;
	report->priority = job->context->priority;
	report->position = job->seen;
	report->slot_count = job->slot_count;
	for (i = 0; i < job->slot_count; i++) {
		report->slots[i] = (struct loom_report_slot) {
			.offset = job->slots[i].offset,
			.size = job->slots[i].size,
			.flags = job->slots[i].flags,
			.region = job->slots[i].bo->shape.region,
		};
		loom_label_read(&job->slots[i].bo->tbo.base, report->slots[i].label);
	}
	loom_report_dump(report);
	return report;
}

/**
 * loom_report_end() - report a job if the timeout has ended it
 * @report: its data, consumed
 * @job: the job, which is not freed meanwhile
 */
void loom_report_end(struct loom_report *report, struct loom_job *job)
{
	static DEFINE_RATELIMIT_STATE(ratelimit, DEFAULT_RATELIMIT_INTERVAL,
				      DEFAULT_RATELIMIT_BURST);
	const struct loom_plan *plan = job->plan->plan;
	const struct dma_fence *fence = &job->fence->base;

	/* a pending job will end, because its device is wedged */
	if (dma_fence_is_signaled(&job->fence->base) && fence->error != -ETIME) {
		if (report) {
			drm_dev_put(&report->loom->drm);
			kfree(report);
		}
		return;
	}
	if (__ratelimit(&ratelimit))
		drm_notice(&job->loom->drm,
			   "job %llu of client %llu: timeout in plan %u, step %u of %u, command %u of %u\n",
			   job->id, job->context->client->id, job->plan->id, job->seen.step,
			   plan->step_count, job->seen.command, plan->command_count);
	if (report)
		loom_context_queue(&report->work);
}
