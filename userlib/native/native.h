/* SPDX-License-Identifier: MIT */
/*
 * DOC: Native
 *
 * Sets of native kernels (loom_kernels.h), as the rooms above see them: onnx/ finds the nodes that
 * a kernel stands for, lower/ makes kernels of the planner from them, run/ runs their commands. A
 * node of the graph has a &struct loom_native_call, which graph/ only passes on.
 *
 *	native.c	sets, attributes of a node, plans whose payloads are not checked
 *
 * Rejected: kernels as back ends of the planner's own operators. A payload depends on where its
 * operands lie, so it must be written when commands are.
 */
#ifndef LOOM_NATIVE_SET_H
#define LOOM_NATIVE_SET_H

#include "loom_kernels.h"
#include "loom_native.h"

struct loom_plan;

/**
 * struct loom_native_set - kernels of one format
 * @format: format of their payloads
 * @run: runs commands on the host, or NULL
 * @data: for @run
 * @kernels: the kernels, in the order in which they were added
 * @num_kernels: number of @kernels
 */
struct loom_native_set {
	struct drm_loom_format format;
	loom_native_fn run;
	void *data;
	struct loom_native_kernel *kernels;
	uint32_t num_kernels;
};

/**
 * struct loom_native_call - a node of the graph that a kernel stands for
 * @set: its set
 * @kernel: its kernel, of @set
 * @node: argument of its callbacks
 */
struct loom_native_call {
	const struct loom_native_set *set;
	const struct loom_native_kernel *kernel;
	struct loom_native_node node;
};

/** loom_native_longest() - number of operators of the longest run; 0 without a set */
uint32_t loom_native_longest(const struct loom_native_set *set);

/**
 * loom_native_plan_create() - verify a plan whose payloads are not checked
 * @plan: bytes of the plan
 * @plan_bytes: number of them
 * @chip: the chip
 * @decoded: [out] the plan
 * @reject: [out] the broken rule
 *
 * Any format is taken, and all outputs of native commands are zeroed: payloads are the business of
 * the device, or of the host's callback.
 *
 * Return: 0 or -errno, see loom_plan_create().
 */
int loom_native_plan_create(const void *plan, size_t plan_bytes, const struct drm_loom_chip *chip,
			    struct loom_plan **decoded, struct drm_loom_reject *reject);

#endif /* LOOM_NATIVE_SET_H */
