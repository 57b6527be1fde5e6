/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM loom

#if !defined(LOOM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define LOOM_TRACE_H

#include <linux/tracepoint.h>

#include "memory/label.h"

/**
 * DOC: Tracepoints
 *
 * There is an event for each change of a buffer's address, and for each state of a job: they show
 * the order of events before a call was refused, or while jobs were slow. They are in the system
 * "loom" and cost one jump that is not taken each while disabled.
 *
 * Fields that events have in common have the same names: dev is the number of the node, client is
 * what fdinfo calls drm-client-id, region an &enum drm_loom_region, addresses and bytes are per
 * bank. A label is the last field, because it may contain blanks.
 */

DECLARE_EVENT_CLASS(loom_block,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 start, u64 bytes,
		 struct drm_gem_object *gem),
	TP_ARGS(dev, client, region, start, bytes, gem),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, region)
		__field(u64, client)
		__field(u64, start)
		__field(u64, bytes)
		__array(char, label, DRM_LOOM_LABEL_BYTES + 1)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->region = region;
		__entry->client = client;
		__entry->start = start;
		__entry->bytes = bytes;
		loom_label_read(gem, __entry->label);
		__entry->label[DRM_LOOM_LABEL_BYTES] = 0;
	),
	TP_printk("dev=%u client=%llu region=%u start=0x%llx bytes=%llu label=%s", __entry->dev,
		  __entry->client, __entry->region, __entry->start, __entry->bytes,
		  __entry->label)
);

/* a buffer got an address */
DEFINE_EVENT(loom_block, loom_alloc,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 start, u64 bytes,
		 struct drm_gem_object *gem),
	TP_ARGS(dev, client, region, start, bytes, gem)
);

/* a buffer lost its address, because it was freed or evicted */
DEFINE_EVENT(loom_block, loom_free,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 start, u64 bytes,
		 struct drm_gem_object *gem),
	TP_ARGS(dev, client, region, start, bytes, gem)
);

/* a buffer is evicted to system memory; loom_free follows */
DEFINE_EVENT(loom_block, loom_evict,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 start, u64 bytes,
		 struct drm_gem_object *gem),
	TP_ARGS(dev, client, region, start, bytes, gem)
);

/* a client has labelled a buffer: start is 0 while it has no address or is locked */
DEFINE_EVENT(loom_block, loom_label,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 start, u64 bytes,
		 struct drm_gem_object *gem),
	TP_ARGS(dev, client, region, start, bytes, gem)
);

/* no space: total is the free bytes, largest the largest hole */
TRACE_EVENT(loom_full,
	TP_PROTO(u32 dev, u64 client, u32 region, u64 bytes, u64 total, u64 largest),
	TP_ARGS(dev, client, region, bytes, total, largest),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, region)
		__field(u64, client)
		__field(u64, bytes)
		__field(u64, total)
		__field(u64, largest)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->region = region;
		__entry->client = client;
		__entry->bytes = bytes;
		__entry->total = total;
		__entry->largest = largest;
	),
	TP_printk("dev=%u client=%llu region=%u bytes=%llu free=%llu largest=%llu", __entry->dev,
		  __entry->client, __entry->region, __entry->bytes, __entry->total,
		  __entry->largest)
);

/* a plan was verified */
TRACE_EVENT(loom_plan,
	TP_PROTO(u32 dev, u64 client, u32 plan, u32 steps, u32 commands, u64 scratch),
	TP_ARGS(dev, client, plan, steps, commands, scratch),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, plan)
		__field(u64, client)
		__field(u32, steps)
		__field(u32, commands)
		__field(u64, scratch)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->plan = plan;
		__entry->client = client;
		__entry->steps = steps;
		__entry->commands = commands;
		__entry->scratch = scratch;
	),
	TP_printk("dev=%u client=%llu plan=%u steps=%u commands=%u scratch=%llu", __entry->dev,
		  __entry->client, __entry->plan, __entry->steps, __entry->commands,
		  __entry->scratch)
);

/* a plan was refused: rule is an &enum drm_loom_rule */
TRACE_EVENT(loom_reject,
	TP_PROTO(u32 dev, u64 client, u32 rule),
	TP_ARGS(dev, client, rule),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, rule)
		__field(u64, client)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->rule = rule;
		__entry->client = client;
	),
	TP_printk("dev=%u client=%llu rule=%u", __entry->dev, __entry->client, __entry->rule)
);

/* a job was queued: scratch is its scratch in bytes per bank */
TRACE_EVENT(loom_submit,
	TP_PROTO(u32 dev, u64 client, u64 job, u32 slots, u64 scratch),
	TP_ARGS(dev, client, job, slots, scratch),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, slots)
		__field(u64, client)
		__field(u64, job)
		__field(u64, scratch)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->slots = slots;
		__entry->client = client;
		__entry->job = job;
		__entry->scratch = scratch;
	),
	TP_printk("dev=%u client=%llu job=%llu slots=%u scratch=%llu", __entry->dev,
		  __entry->client, __entry->job, __entry->slots, __entry->scratch)
);

/* the engine has begun or resumed a job */
TRACE_EVENT(loom_run,
	TP_PROTO(u32 dev, u64 client, u64 job),
	TP_ARGS(dev, client, job),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u64, client)
		__field(u64, job)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->client = client;
		__entry->job = job;
	),
	TP_printk("dev=%u client=%llu job=%llu", __entry->dev, __entry->client, __entry->job)
);

/* the engine has preempted a job after busy_ns */
TRACE_EVENT(loom_preempt,
	TP_PROTO(u32 dev, u64 client, u64 job, u64 busy_ns),
	TP_ARGS(dev, client, job, busy_ns),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u64, client)
		__field(u64, job)
		__field(u64, busy_ns)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->client = client;
		__entry->job = job;
		__entry->busy_ns = busy_ns;
	),
	TP_printk("dev=%u client=%llu job=%llu busy_ns=%llu", __entry->dev, __entry->client,
		  __entry->job, __entry->busy_ns)
);

/* a job has ended: error is that of its fence */
TRACE_EVENT(loom_done,
	TP_PROTO(u32 dev, u64 client, u64 job, int error, u64 busy_ns),
	TP_ARGS(dev, client, job, error, busy_ns),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(int, error)
		__field(u64, client)
		__field(u64, job)
		__field(u64, busy_ns)
	),
	TP_fast_assign(
		__entry->dev = dev;
		__entry->error = error;
		__entry->client = client;
		__entry->job = job;
		__entry->busy_ns = busy_ns;
	),
	TP_printk("dev=%u client=%llu job=%llu error=%d busy_ns=%llu", __entry->dev,
		  __entry->client, __entry->job, __entry->error, __entry->busy_ns)
);

#endif /* LOOM_TRACE_H */

/* outside of the guard: this reads the file again, with other meanings of the macros */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE loom_trace
#include <trace/define_trace.h>
