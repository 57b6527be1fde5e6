// SPDX-License-Identifier: MIT
/* What lowering notes of kernels and groups, for people to read. See notes.h. */
#include "lower.h"

#include <errno.h>
#include <stdlib.h>

#include "storage.h"

int loom_kernel_note(struct loom_lower *lower, const struct loom_program_kernel *from)
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

int loom_group_note(struct loom_lower *lower, const struct loom_program_group *from)
{
	struct loom_program_group *note;

	/* nodes that need no commands are in no group */
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

int loom_group_alone(struct loom_lower *lower, u32 node)
{
	struct loom_program_group note = {
		.first_node = node,
		.last_node = node,
		.slices = 1,
		.axis = -1,
		.first_step = lower->step,
	};
	u32 i = lower->num_kernels;
	int ret = loom_lower_node(lower, lower->storage->nodes[node]);

	if (ret)
		return ret;
	for (; i < lower->num_kernels; i++) {
		note.slices = max(note.slices, lower->kernels[i].slices);
		note.overlap |= lower->kernels[i].overlap;
	}
	note.num_steps = lower->step - note.first_step;
	return loom_group_note(lower, &note);
}
