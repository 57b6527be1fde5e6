/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_JUDGE_H
#define LOOM_TESTS_JUDGE_H

#include "loom_planner.h"

/* What --wrap of the linker makes of loom_program_create(): what is called, and what it was. */
int __wrap_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err);
int __real_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err);

#endif /* LOOM_TESTS_JUDGE_H */
