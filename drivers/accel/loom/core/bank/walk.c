// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "partial.h"

enum { LOW, HIGH };

void loom_partials_begin(struct loom_partials *partials, struct loom_partial_cursor *cursor)
{
	cursor->chunk = partials->outer[LOW];
	cursor->index = 0;
}

void loom_partials_step(struct loom_partial_cursor *cursor)
{
	if (++cursor->index < cursor->chunk->count)
		return;
	cursor->chunk = cursor->chunk->neighbour[HIGH];
	cursor->index = 0;
}
