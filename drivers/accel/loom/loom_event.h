/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_EVENT_H
#define LOOM_EVENT_H

/* The tracepoints, or nothing. */
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
#include "loom_trace.h"

struct loom_region;
struct loom_region_block;
struct loom_shape;

void loom_region_trace_alloc_locked(struct loom_region *region,
				    const struct loom_region_block *block,
				    const struct loom_shape *shape, int ret);
#else
#define loom_region_trace_alloc_locked(...)	do { } while (0)
#define trace_loom_free(...)	do { } while (0)
#define trace_loom_evict(...)	do { } while (0)
#define trace_loom_plan(...)	do { } while (0)
#define trace_loom_reject(...)	do { } while (0)
#define trace_loom_submit(...)	do { } while (0)
#define trace_loom_run(...)	do { } while (0)
#define trace_loom_preempt(...)	do { } while (0)
#define trace_loom_done(...)	do { } while (0)
#endif

#endif /* LOOM_EVENT_H */
