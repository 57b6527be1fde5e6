// SPDX-License-Identifier: MIT
/* Notes on kernels and groups, for reports. See notes.h. */
#include "notes.h"

#include <errno.h>
#include <stdlib.h>

int loom_note_kernel(struct loom_lower *lower, const struct loom_program_kernel *from)
{
	struct loom_program_kernel *note;

	if (lower->num_kernels == lower->cap_kernels) {
		u32 cap = lower->cap_kernels ? 2 * lower->cap_kernels : 64;

		note = realloc(lower->kernels, cap * sizeof(*note));
		if (!note)
			return -ENOMEM;
		lower->kernels = note;
		lower->cap_kernels = cap;
	}
	lower->kernels[lower->num_kernels++] = *from;
	return 0;
}

int loom_note_group(struct loom_lower *lower, const struct loom_program_group *from)
{
	struct loom_program_group *note;

	/* nodes without commands belong to no group */
	if (!from->num_steps)
		return 0;
	if (lower->num_groups == lower->cap_groups) {
		u32 cap = lower->cap_groups ? 2 * lower->cap_groups : 64;

		note = realloc(lower->groups, cap * sizeof(*note));
		if (!note)
			return -ENOMEM;
		lower->groups = note;
		lower->cap_groups = cap;
	}
	lower->groups[lower->num_groups++] = *from;
	return 0;
}
