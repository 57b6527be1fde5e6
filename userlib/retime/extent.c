// SPDX-License-Identifier: MIT
/*
 * The range of positions at which jobs touch a tensor. A tensor of a network in many strips has
 * tens of thousands of jobs, and each shift of one of them needs the range: so the minimum and the
 * maximum are kept in a tree over the jobs of the tensor, and a shift is O(log n).
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* Node 1 is the root, the children of i are 2 i and 2 i + 1, and the leaves are the last half. */
static struct retime_extent *tree_of(const struct retime *r, u32 tensor)
{
	return &r->extents[2 * (size_t)r->tensors[tensor].first_use];
}

static struct retime_extent both(const struct retime_extent *a, const struct retime_extent *b)
{
	return (struct retime_extent){ min(a->first, b->first), max(a->last, b->last) };
}

int retime_extent_open(struct retime *r)
{
	u32 i, k, sum = 0;

	for (i = 0; i < r->num_jobs; i++)
		for (k = 0; k < 2; k++)
			if (r->jobs[i].tensor[k] != RETIME_NONE)
				r->jobs[i].use[k] = r->tensors[r->jobs[i].tensor[k]].num_uses++;
	for (i = 0; i < r->build->num_tensors; i++) {
		r->tensors[i].first_use = sum;
		sum += r->tensors[i].num_uses;
	}
	r->extents = calloc(2 * (size_t)sum + 1, sizeof(*r->extents));
	if (!r->extents)
		return -ENOMEM;
	for (i = 0; i < r->num_jobs; i++) {
		const struct retime_job *job = &r->jobs[i];

		for (k = 0; k < 2; k++)
			if (job->tensor[k] != RETIME_NONE)
				tree_of(r, job->tensor[k])[r->tensors[job->tensor[k]].num_uses +
							   job->use[k]] =
					(struct retime_extent){ job->min_at, job->max_at };
	}
	for (i = 0; i < r->build->num_tensors; i++) {
		struct retime_extent *tree = tree_of(r, i);

		for (k = r->tensors[i].num_uses; k-- > 1;)
			tree[k] = both(&tree[2 * k], &tree[2 * k + 1]);
	}
	return 0;
}

void retime_extent_update(struct retime *r, const struct retime_job *job)
{
	u32 i, k;

	for (k = 0; k < 2; k++) {
		struct retime_extent *tree;

		if (job->tensor[k] == RETIME_NONE)
			continue;
		tree = tree_of(r, job->tensor[k]);
		i = r->tensors[job->tensor[k]].num_uses + job->use[k];
		tree[i] = (struct retime_extent){ job->min_at, job->max_at };
		for (i /= 2; i; i /= 2)
			tree[i] = both(&tree[2 * i], &tree[2 * i + 1]);
	}
}

struct retime_extent retime_extent(const struct retime *r, u32 tensor)
{
	if (!r->tensors[tensor].num_uses)
		return (struct retime_extent){ RETIME_NONE, 0 };
	return tree_of(r, tensor)[1];
}
