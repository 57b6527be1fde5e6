// SPDX-License-Identifier: MIT
/*
 * Dependences between commands. Two commands depend on each other if one writes bytes that the
 * other touches; the bytes of a view are those from the first to the last, as in the verifier.
 * Computations keep their order, so only the last computation before a job and the first one after
 * it matter: they are its window. Jobs among themselves are edges of a graph; they may share a
 * step, in which they keep their order.
 */
#include "grid.h"

#include "plan/time.h"

#include <errno.h>
#include <stdlib.h>

/* Limit on the accesses of a tensor by jobs that are compared pairwise; beyond, order is kept. */
#define MOST_PAIRS	96
/* Limit on the computations searched for one that touches the same bytes. */
#define MAX_VISITS	256

/**
 * struct access - a command touches a tensor
 * @command: number in the sequence
 * @job: its job, or RETIME_NONE for a computation
 * @write: it writes
 * @start: first byte
 * @end: first byte behind
 */
struct access {
	u32 command;
	u32 job;
	bool write;
	u64 start;
	u64 end;
};

/**
 * struct edge - a job must precede another
 * @before: the first
 * @after: the second
 */
struct edge {
	u32 before;
	u32 after;
};

/**
 * struct depend - dependences that are being collected
 * @r: the plan
 * @accesses: by tensor, in the order of the sequence
 * @first: by tensor: first of its accesses
 * @jobs: indices of the accesses of one tensor that are of jobs
 * @computed: of those that are of computations
 * @edges: the edges
 * @num_edges: number of @edges
 * @cap_edges: capacity of @edges
 */
struct depend {
	struct retime *r;
	struct access *accesses;
	u32 *first;
	u32 *jobs;
	u32 *computed;
	struct edge *edges;
	u32 num_edges;
	u32 cap_edges;
};

static bool conflict(const struct access *a, const struct access *b)
{
	return (a->write || b->write) && a->start < b->end && b->start < a->end;
}

static void add_edge(struct depend *d, u32 before, u32 after)
{
	struct edge *larger;

	if (before == after)
		return;
	larger = loom_memory_grow(d->edges, d->num_edges, &d->cap_edges, sizeof(*larger));
	if (!larger) {
		d->r->error = -ENOMEM;
		return;
	}
	d->edges = larger;
	d->edges[d->num_edges++] = (struct edge){ before, after };
}

static int collect(struct depend *d)
{
	const struct loom_build *build = d->r->build;
	u32 i, k, job = 0, sum = 0;

	d->first = calloc(build->num_tensors + 2, sizeof(*d->first));
	d->accesses = calloc(build->num_views + 1, sizeof(*d->accesses));
	d->jobs = calloc(build->num_views + 1, sizeof(*d->jobs));
	d->computed = calloc(build->num_views + 1, sizeof(*d->computed));
	if (!d->first || !d->accesses || !d->jobs || !d->computed)
		return -ENOMEM;
	for (i = 0; i < build->num_commands; i++)
		for (k = 0; k < retime_command(d->r, i)->operands; k++)
			d->first[retime_views(d->r, i)[k].tensor + 1]++;
	for (i = 0; i <= build->num_tensors; i++) {
		sum += d->first[i];
		d->first[i] = sum;
	}
	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *command = retime_command(d->r, i);

		for (k = 0; k < command->operands; k++) {
			const struct drm_loom_plan_view *view = &retime_views(d->r, i)[k];
			struct access *access =
				&d->accesses[d->first[view->tensor]++];

			access->command = i;
			access->job = command->stream ? RETIME_NONE : job;
			access->write = !k;
			loom_plan_span(build->lanes, &build->tensors[view->tensor], view,
				       &access->start, &access->end);
		}
		job += !command->stream;
	}
	/* each has moved to the begin of the next one */
	for (i = build->num_tensors; i > 0; i--)
		d->first[i] = d->first[i - 1];
	d->first[0] = 0;
	return 0;
}

/*
 * Finds the computations before and behind access @index that it must not pass; @next is the next
 * one.
 */
static void set_window(struct depend *d, u32 index, u32 next, u32 num_computed)
{
	const struct access *a = &d->accesses[index];
	struct retime_job *job = &d->r->jobs[a->job];
	u32 at = d->r->at[a->command], visits = 0, i;

	for (i = next; i-- > 0;) {
		const struct access *b = &d->accesses[d->computed[i]];

		if (!conflict(a, b) && (++visits < MAX_VISITS || !(a->write || b->write)))
			continue;
		job->low = max(job->low, min(d->r->at[b->command] + 1, at));
		break;
	}
	visits = 0;
	for (i = next; i < num_computed; i++) {
		const struct access *b = &d->accesses[d->computed[i]];

		if (!conflict(a, b) && (++visits < MAX_VISITS || !(a->write || b->write)))
			continue;
		/* in the same step, if the plan has them in one */
		job->high = min(job->high, max(d->r->at[b->command], at + 1) - 1);
		break;
	}
}

/* With few jobs, compares each pair, except for pairs that a job in between separates. */
static void compare_jobs(struct depend *d, u32 count)
{
	u32 i, k;

	for (i = 0; i < count; i++) {
		const struct access *a = &d->accesses[d->jobs[i]];

		for (k = i; k-- > 0;) {
			const struct access *b = &d->accesses[d->jobs[k]];

			if (!conflict(a, b))
				continue;
			add_edge(d, b->job, a->job);
			if (b->write && b->start <= a->start && b->end >= a->end)
				break;
		}
	}
}

/* With many jobs, only reads between two writes may be reordered. */
static void chain_jobs(struct depend *d, u32 count)
{
	u32 writer = RETIME_NONE, reads = 0, i, k;

	for (i = 0; i < count; i++) {
		const struct access *a = &d->accesses[d->jobs[i]];

		if (!a->write) {
			if (writer != RETIME_NONE)
				add_edge(d, writer, a->job);
			continue;
		}
		for (k = reads; k < i; k++)
			add_edge(d, d->accesses[d->jobs[k]].job, a->job);
		writer = a->job;
		reads = i;
	}
}

static void depend_tensor(struct depend *d, u32 tensor)
{
	u32 begin = d->first[tensor], end = d->first[tensor + 1], i;
	u32 count = 0, computed = 0, next = 0;
	bool written = false;

	for (i = begin; i < end; i++) {
		written |= d->accesses[i].write;
		if (d->accesses[i].job == RETIME_NONE)
			d->computed[computed++] = i;
	}
	if (!written)
		return;
	for (i = begin; i < end; i++) {
		if (d->accesses[i].job == RETIME_NONE) {
			next++;
			continue;
		}
		set_window(d, i, next, computed);
		d->jobs[count++] = i;
	}
	if (count <= MOST_PAIRS)
		compare_jobs(d, count);
	else
		chain_jobs(d, count);
}

/* Sorts the edges by job, both ways. */
static int sort_edges(struct depend *d)
{
	struct retime *r = d->r;
	u32 i, before = 0, after = 0;

	r->before = calloc((size_t)d->num_edges + 1, sizeof(*r->before));
	r->after = calloc((size_t)d->num_edges + 1, sizeof(*r->after));
	if (!r->before || !r->after)
		return -ENOMEM;
	for (i = 0; i < d->num_edges; i++) {
		r->jobs[d->edges[i].after].num_before++;
		r->jobs[d->edges[i].before].num_after++;
	}
	for (i = 0; i < r->num_jobs; i++) {
		r->jobs[i].first_before = before;
		r->jobs[i].first_after = after;
		before += r->jobs[i].num_before;
		after += r->jobs[i].num_after;
		r->jobs[i].num_before = 0;
		r->jobs[i].num_after = 0;
	}
	for (i = 0; i < d->num_edges; i++) {
		struct retime_job *a = &r->jobs[d->edges[i].before];
		struct retime_job *b = &r->jobs[d->edges[i].after];

		r->before[b->first_before + b->num_before++] = d->edges[i].before;
		r->after[a->first_after + a->num_after++] = d->edges[i].after;
	}
	return 0;
}

int retime_depend(struct retime *r)
{
	struct depend d = { .r = r };
	int ret = collect(&d);
	u32 i;

	for (i = 0; i < r->build->num_tensors && !ret; i++) {
		depend_tensor(&d, i);
		ret = r->error;
	}
	if (!ret)
		ret = sort_edges(&d);
	free(d.first);
	free(d.accesses);
	free(d.jobs);
	free(d.computed);
	free(d.edges);
	return ret;
}
