/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TEMPLATE_NATIVE_H
#define LOOM_TEMPLATE_NATIVE_H

#include "tile.h"

struct loom_job;
struct loom_plan;
struct template_slots;

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
u64 template_code_run(struct loom_job *job, const struct template_code *code,
		      const struct template_slots *slots, const bool *stop);

#endif /* LOOM_TEMPLATE_NATIVE_H */
