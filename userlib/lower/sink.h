/* SPDX-License-Identifier: MIT */
/*
 * DOC: Sinks
 *
 * Lowering turns each node into kernels, copies and fills, and hands them to a *sink*. It does
 * not know what becomes of them. There are two sinks:
 *
 * - the emitter (emit.c) cuts a kernel into slices and writes its commands into the plan;
 * - the list of a grouping (group/model/list.c) collects them, to run several nodes out of SRAM;
 * - the planner looks whether they fit, and whether the chip has them (planner/large.c, lacks.c).
 *
 * A sink that collects is *symbolic*: nothing is written yet, so the references that it gets
 * name values (&loom_ref.tensor is the id of the value that owns the bytes) instead of tensors of
 * the plan, and keep all axes of the value, so that a row is a row to all nodes.
 */
#ifndef LOOM_LOWER_SINK_H
#define LOOM_LOWER_SINK_H

#include "loom_core.h"

struct loom_kernel;
struct loom_lower;
struct loom_ref;

/**
 * struct loom_sink_ops - what a sink does
 * @symbolic: references name values, and axes are neither dropped nor merged
 * @merged: they name values, and axes are dropped and merged all the same
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
 * struct loom_sink - where kernels, copies and fills go
 * @ops: what it does
 * @context: what @ops are called with
 */
struct loom_sink {
	const struct loom_sink_ops *ops;
	void *context;
};

/** loom_emitter() - the sink that writes commands into the plan of @lower */
struct loom_sink loom_emitter(struct loom_lower *lower);

/** loom_sink_kernel() - hands a kernel to the sink of @lower; the kernel may be changed */
int loom_sink_kernel(struct loom_lower *lower, struct loom_kernel *kernel);
/**
 * loom_sink_copy() - hands a copy from DRAM to DRAM to the sink of @lower
 * @lower: the state; the copy belongs to step lower->step
 * @to: what is written
 * @from: what is read; its dims are those of @to
 *
 * What has more axes than a view can have is several copies.
 *
 * Return: 0 or -errno.
 */
int loom_sink_copy(struct loom_lower *lower, const struct loom_ref *to,
		   const struct loom_ref *from);
/** loom_sink_fill() - hands a fill of elements in DRAM to the sink; as loom_sink_copy() */
int loom_sink_fill(struct loom_lower *lower, const struct loom_ref *to, u64 bits);

#endif /* LOOM_LOWER_SINK_H */
