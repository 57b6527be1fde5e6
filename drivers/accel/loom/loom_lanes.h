/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LANES_H
#define LOOM_LANES_H

#include <linux/types.h>

struct drm_loom_context_create;
struct loom_context;
struct loom_plan;

int __must_check loom_lanes_take(struct loom_context *context,
				 const struct drm_loom_context_create *args);
void loom_lanes_give(struct loom_context *context);
u32 loom_lanes_of(const struct loom_context *context);
int __must_check loom_lanes_check(const struct loom_context *context, const struct loom_plan *plan,
				  u64 to, u32 size);

#endif /* LOOM_LANES_H */
