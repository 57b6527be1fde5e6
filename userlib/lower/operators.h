/* SPDX-License-Identifier: MIT */
/*
 * Operators: from a node to kernels, copies and fills. One function for each kind of node, see the
 * table in lower.c; each asks storage for its operands and passes its kernels to the sink.
 */
#ifndef LOOM_LOWER_OPERATORS_H
#define LOOM_LOWER_OPERATORS_H

#include "lower.h"
#include "storage.h"

int loom_lower_conv(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_pool(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_matmul(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_elementwise(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_reduce(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_softmax(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_topk(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_gather(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_resize(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_concat(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_native(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_pad(struct loom_lower *lower, const struct loom_node *node);

/** loom_lower_run_cost() - cost of a unit of a node whose units are runs along an axis; else 0 */
u64 loom_lower_run_cost(const struct loom_node *node);

/**
 * loom_kernel_function() - stages for y = f(x)
 * @lower: for errors
 * @kernel: the kernel
 * @y: the result
 * @x: the operand; may be @y
 * @act: the function
 *
 * Return: 0, or -EOPNOTSUPP if neither the device nor a chain supports it.
 */
int loom_kernel_function(struct loom_lower *lower, struct loom_kernel *kernel, u32 y, u32 x,
			 const struct loom_gact *act);

/**
 * loom_kernel_activation() - express a fused activation as attributes of a command
 * @act: the activation
 * @dtype: type of the result
 * @kind: [out] an &enum drm_loom_act
 * @p0: [out] bits of its first parameter
 * @p1: [out] bits of its second
 *
 * Return: true on success; false if it needs a separate stage.
 */
bool loom_kernel_activation(const struct loom_gact *act, u32 dtype, u32 *kind, u32 *p0, u32 *p1);

#endif /* LOOM_LOWER_OPERATORS_H */
