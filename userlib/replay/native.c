// SPDX-License-Identifier: MIT
/* Native commands, which only their device understands. See replay.h. */
#include "replay.h"

/* Nothing is known of what a temporary contains afterwards. */
static void forget(const struct replay_operand *operand)
{
	uint32_t i, k;

	for (i = 0; i < operand->count; i++)
		for (k = 0; k < operand->cells; k++)
			operand->space->labels[operand->at[i] + k] = 0;
}

bool replay_native(struct replay *r)
{
	const struct drm_loom_attr_native *attr = r->attr;
	uint32_t reads = (uint32_t)attr->outputs + attr->temporaries, i, n;
	uint64_t label = replay_attr_label(r, attr, sizeof(*attr) + attr->payload_bytes), own;

	r->natives += replay_mix(label);
	for (i = reads; i < r->num_operands; i++) {
		if (!replay_cells_read(r, i))
			return false;
		for (n = 0; n < r->operands[i].count; n++)
			label = replay_join(label, r->operands[i].labels[n]);
	}
	for (i = 0; i < r->written; i++) {
		struct replay_operand *y = &r->operands[i];

		own = replay_join(label, i);
		for (n = 0; n < y->count; n++)
			y->labels[n] = replay_join(own, n);
		if (!replay_cells_write(r, i, false))
			return false;
		if (i >= attr->outputs && i < reads)
			forget(y);
	}
	return true;
}
