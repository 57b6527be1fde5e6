// SPDX-License-Identifier: MIT
#include "walk.h"

#include <string.h>

void loom_walk_broadcast(struct loom_walk *walk, const struct loom_value *out,
			 const struct loom_value *in)
{
	int64_t strides[LOOM_GRAPH_RANK];
	uint32_t i, skip = out->rank - in->rank;

	memset(walk, 0, sizeof(*walk));
	walk->rank = out->rank;
	memcpy(walk->dims, out->dims, sizeof(walk->dims));
	loom_value_strides(in, strides);
	for (i = 0; i < in->rank; i++)
		walk->strides[skip + i] = in->dims[i] == 1 ? 0 : strides[i];
}

void loom_walk_next(struct loom_walk *walk)
{
	uint32_t i;

	for (i = walk->rank; i-- > 0;) {
		walk->offset += walk->strides[i];
		if (++walk->index[i] < walk->dims[i])
			return;
		walk->offset -= walk->strides[i] * walk->dims[i];
		walk->index[i] = 0;
	}
}
