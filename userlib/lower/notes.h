/* SPDX-License-Identifier: MIT */
/* Notes of lowering and grouping on kernels and groups, for people. */
#ifndef LOOM_LOWER_NOTES_H
#define LOOM_LOWER_NOTES_H

#include "lower.h"

/** loom_note_kernel() - records the cut of a kernel; 0 or -ENOMEM */
int loom_note_kernel(struct loom_lower *lower, const struct loom_program_kernel *note);
/** loom_note_group() - records nodes that run together, if they have steps; 0 or -ENOMEM */
int loom_note_group(struct loom_lower *lower, const struct loom_program_group *note);

#endif /* LOOM_LOWER_NOTES_H */
