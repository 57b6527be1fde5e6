/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_JUDGE_H
#define LOOM_TESTS_JUDGE_H

#include "loom_planner.h"
#include "loom_run.h"

/**
 * judge_has_seen() - whether the judge has replayed a plan, and found no fault
 * @program: of which it is
 * @chip: that it was replayed for
 *
 * Weak: NULL in programs that the judge is not linked with, those of the sanitizers for one.
 *
 * Return: true, if it was one of the last.
 */
bool judge_has_seen(const struct loom_program *program, const struct drm_loom_chip *chip)
	__attribute__((weak));

/* Library functions under --wrap of the linker: __wrap_ is called, __real_ is the original. */
int __wrap_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err);
int __real_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err);
int __wrap_loom_session_create(struct loom_target *target, const struct loom_program *program,
			       struct loom_session **session, struct loom_error *err);
int __real_loom_session_create(struct loom_target *target, const struct loom_program *program,
			       struct loom_session **session, struct loom_error *err);
int __wrap_loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
			    struct loom_error *err);
int __real_loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
			    struct loom_error *err);
/* loom_session_wait() and batches end a run by it */
int __wrap_loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			       struct loom_error *err);
int __real_loom_session_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			       struct loom_error *err);

#endif /* LOOM_TESTS_JUDGE_H */
