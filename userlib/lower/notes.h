/* SPDX-License-Identifier: MIT */
/* What lowering and grouping note of kernels and groups, for people to read. */
#ifndef LOOM_LOWER_NOTES_H
#define LOOM_LOWER_NOTES_H

#include "lower.h"

/** loom_note_kernel() - takes note of how a kernel was cut; 0 or -ENOMEM */
int loom_note_kernel(struct loom_lower *lower, const struct loom_program_kernel *note);
/** loom_note_group() - takes note of nodes that ran together, if they have steps; 0 or -ENOMEM */
int loom_note_group(struct loom_lower *lower, const struct loom_program_group *note);

#endif /* LOOM_LOWER_NOTES_H */
