/* SPDX-License-Identifier: MIT */
/* Rows that a run changes in its states. */
#ifndef LOOM_RUN_UPDATE_H
#define LOOM_RUN_UPDATE_H

#include "run.h"

/**
 * loom_updates_init() - check a program's updates, and make room for their rows
 * @session: it must be loaded
 * @err: [out] one line on failure
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int loom_updates_init(struct loom_session *session, struct loom_error *err);
/** loom_updates_apply() - puts the rows of the last run into the states; 0 or the target's error */
int loom_updates_apply(struct loom_session *session, struct loom_error *err);
/** loom_state_is_updated() - whether a state is updated in place, not written whole */
bool loom_state_is_updated(const struct loom_program *program, uint32_t state);

#endif /* LOOM_RUN_UPDATE_H */
