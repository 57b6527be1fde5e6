/* SPDX-License-Identifier: MIT */
/*
 * DOC: Sinks
 *
 * Lowering turns each node into kernels, copies and fills, and passes them to a *sink*. Lowering is
 * independent of the sink. There are several sinks:
 *
 * - the emitter (emit.c) cuts a kernel into slices and writes its commands into the plan;
 * - the list of a grouping (group/model/list.c) collects them, to run several nodes out of SRAM;
 * - the planner checks whether they fit, and whether the chip supports them (planner/large.c,
 *   lacks.c).
 *
 * A sink that collects is *symbolic*: no commands are written yet, so the references that it gets
 * name values (&loom_ref.tensor is the id of the value that owns the bytes) instead of tensors of
 * the plan, and keep all axes of the value, so that all nodes agree on rows.
 */
#ifndef LOOM_LOWER_SINK_H
#define LOOM_LOWER_SINK_H

#include "loom_core.h"

struct loom_kernel;
struct loom_lower;
struct loom_ref;

/**
 * struct loom_sink_ops - operations of a sink
 * @symbolic: references name values, and axes are neither dropped nor merged
 * @merged: references name values, but axes are dropped and merged
 * @kernel: takes a kernel, which it may change. Return: 0 or -errno
 * @copy: takes a copy from DRAM to DRAM; both sides have the same dims. Return: 0 or -errno
 * @fill: takes a fill of elements in DRAM. Return: 0 or -errno
 */
struct loom_sink_ops {
	bool symbolic;
	bool merged;
	int (*kernel)(void *context, struct loom_kernel *kernel);
	int (*copy)(void *context, const struct loom_ref *to, const struct loom_ref *from);
	int (*fill)(void *context, const struct loom_ref *to, u64 bits);
};

/**
 * struct loom_sink - receiver of kernels, copies and fills
 * @ops: its operations
 * @context: argument of @ops
 */
struct loom_sink {
	const struct loom_sink_ops *ops;
	void *context;
};

/** loom_emitter() - the sink that writes commands into the plan of @lower */
struct loom_sink loom_emitter(struct loom_lower *lower);

/** loom_sink_kernel() - passes a kernel to the sink of @lower; the kernel may be changed */
int loom_sink_kernel(struct loom_lower *lower, struct loom_kernel *kernel);
/**
 * loom_sink_copy() - pass a copy from DRAM to DRAM to the sink of @lower
 * @lower: the state; the copy belongs to step lower->step
 * @to: the destination
 * @from: the source; its dims must be those of @to
 *
 * A copy with more axes than a view supports is split into several.
 *
 * Return: 0 or -errno.
 */
int loom_sink_copy(struct loom_lower *lower, const struct loom_ref *to,
		   const struct loom_ref *from);
/** loom_sink_fill() - passes a fill of elements in DRAM to the sink; as loom_sink_copy() */
int loom_sink_fill(struct loom_lower *lower, const struct loom_ref *to, u64 bits);

#endif /* LOOM_LOWER_SINK_H */
