// SPDX-License-Identifier: MIT
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* Whether the plan has more commands than the format allows. */
static bool is_past_caps(const struct retime *r)
{
	size_t more = r->num_pieces;

	return r->build->num_commands + more > DRM_LOOM_MAX_COMMANDS ||
	       r->build->num_views + 2 * more > DRM_LOOM_MAX_VIEWS ||
	       r->num_steps > DRM_LOOM_MAX_STEPS;
}

/* A tensor that lies in another one would have to be moved with it; nobody makes any. */
static bool has_aliases(const struct loom_build *build)
{
	u32 i;

	for (i = 0; i < build->num_tensors; i++)
		if (build->tensors[i].flags & DRM_LOOM_TENSOR_ALIAS)
			return true;
	return false;
}

int loom_retime(struct loom_build *build, const struct loom_retime_options *options,
		u64 *scratch_bytes, u32 **steps)
{
	struct retime r = { .build = build, .options = options };
	u64 cycles = 0;
	int ret;

	*steps = NULL;
	if (build->status || !(options->chip->flags & DRM_LOOM_CHIP_OVERLAP) || has_aliases(build))
		return 0;
	ret = retime_open(&r);
	if (!ret)
		ret = retime_move(&r);
	if (!ret) {
		cycles = retime_merge(&r);
		ret = cycles ? 0 : -ENOMEM;
	}
	if (!ret && cycles < r.old_cycles && !is_past_caps(&r)) {
		*steps = calloc((size_t)build->num_steps + 1, sizeof(**steps));
		ret = *steps ? retime_write(&r, scratch_bytes, *steps) : -ENOMEM;
		if (ret) {
			free(*steps);
			*steps = NULL;
		}
	}
	retime_close(&r);
	return ret;
}
