/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_NATIVE_H
#define LOOM_TEMPLATE_NATIVE_H

#include "tile.h"

struct loom_job;
struct loom_plan;
struct template_run;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct template_code - the native commands of a plan, translated
 * @count: number of @moves
 * @moves: instructions of all commands
 */
struct template_code {
	u32 count;
	struct tile_move moves[] __counted_by(count);
};

int template_code_create(const struct loom_plan *plan, struct template_code **code);
void template_native_init(struct template_run *run, struct loom_job *job);
bool template_native_runs(const struct loom_job *job);
bool template_native_queue(struct loom_job *job);
#else
/* without memory of its own it does nothing */
struct template_code;

static inline int template_code_create(const struct loom_plan *plan, struct template_code **code)
{
	*code = NULL;
	return 0;
}

static inline void template_native_init(struct template_run *run, struct loom_job *job)
{
}

static inline bool template_native_runs(const struct loom_job *job)
{
	return false;
}

static inline bool template_native_queue(struct loom_job *job)
{
	return false;
}
#endif

#endif /* LOOM_TEMPLATE_NATIVE_H */
