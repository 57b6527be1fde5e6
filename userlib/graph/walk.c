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

void loom_walk_join(struct loom_walk *walk)
{
	uint32_t i, rank = 0;

	for (i = 0; i < walk->rank; i++) {
		const int64_t dim = walk->dims[i], stride = walk->strides[i];

		if (dim == 1)
			continue;
		if (rank && walk->strides[rank - 1] == stride * dim) {
			walk->dims[rank - 1] *= dim;
			walk->strides[rank - 1] = stride;
		} else {
			walk->dims[rank] = dim;
			walk->strides[rank++] = stride;
		}
	}
	if (!rank) {
		walk->dims[rank] = 1;
		walk->strides[rank++] = 0;
	}
	walk->rank = rank;
}

int64_t loom_walk_run(const struct loom_walk *walk)
{
	return walk->dims[walk->rank - 1] - walk->index[walk->rank - 1];
}

void loom_walk_skip(struct loom_walk *walk, int64_t count)
{
	walk->index[walk->rank - 1] += count - 1;
	walk->offset += (count - 1) * walk->strides[walk->rank - 1];
	loom_walk_next(walk);
}
