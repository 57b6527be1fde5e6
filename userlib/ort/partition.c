// SPDX-License-Identifier: MIT
/*
 * Parts grow by edges: the parts on both ends of an edge are merged, unless another path leads from
 * the first to the second through a third part. That path would leave the merged part and return to
 * it, a cycle. Invariant: the graph of parts is acyclic, because a merge without such a path
 * creates no cycle.
 *
 * Each merge may enable another (the third part is merged with either), so edges are visited until
 * nothing changes. Rejected: one pass in the order of nodes, which misses merges of neighbours.
 */
#include "partition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct partition - state of the partitioning
 * @count: number of nodes
 * @edges: by their first nodes
 * @first: for each node, its first outgoing edge in @edges; and one more
 * @leader: for each node, the representative of its part
 * @next: the nodes of a part in a ring
 * @seen: for each leader, the last search that reached it
 * @search: number of this search
 * @stack: leaders that were reached, and whose edges are to be followed
 */
struct partition {
	uint32_t count;
	struct loom_partition_edge *edges;
	uint32_t *first;
	uint32_t *leader;
	uint32_t *next;
	uint32_t *seen;
	uint32_t search;
	uint32_t *stack;
};

static int by_from(const void *a, const void *b)
{
	const struct loom_partition_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Pushes the parts reached by edges from the part of @leader, except @except. */
static uint32_t reach(struct partition *p, uint32_t leader, uint32_t except, uint32_t depth)
{
	uint32_t node = leader, edge, to;

	do {
		for (edge = p->first[node]; edge < p->first[node + 1]; edge++) {
			to = p->leader[p->edges[edge].to];
			if (to == leader || to == except || p->seen[to] == p->search)
				continue;
			p->seen[to] = p->search;
			p->stack[depth++] = to;
		}
		node = p->next[node];
	} while (node != leader);
	return depth;
}

static bool leads_to(const struct partition *p, uint32_t leader, uint32_t target)
{
	uint32_t node = leader, edge;

	do {
		for (edge = p->first[node]; edge < p->first[node + 1]; edge++)
			if (p->leader[p->edges[edge].to] == target)
				return true;
		node = p->next[node];
	} while (node != leader);
	return false;
}

/* Whether a path leads from one part to another through a third. */
static bool detour(struct partition *p, uint32_t from, uint32_t to)
{
	uint32_t depth;

	p->search++;
	depth = reach(p, from, to, 0);
	while (depth) {
		uint32_t part = p->stack[--depth];

		if (leads_to(p, part, to))
			return true;
		depth = reach(p, part, to, depth);
	}
	return false;
}

static void merge(struct partition *p, uint32_t a, uint32_t b)
{
	uint32_t leader = a < b ? a : b, other = a < b ? b : a, node = other, next;

	do {
		p->leader[node] = leader;
		node = p->next[node];
	} while (node != other);
	next = p->next[leader];
	p->next[leader] = p->next[other];
	p->next[other] = next;
}

static bool pass(struct partition *p, uint32_t num_edges, const bool *wanted)
{
	bool changed = false;
	uint32_t i;

	for (i = 0; i < num_edges; i++) {
		uint32_t from = p->leader[p->edges[i].from], to = p->leader[p->edges[i].to];

		if (from == to || !wanted[p->edges[i].from] || !wanted[p->edges[i].to] ||
		    detour(p, from, to))
			continue;
		merge(p, from, to);
		changed = true;
	}
	return changed;
}

static int prepare(struct partition *p, const struct loom_partition_edge *edges, uint32_t num_edges)
{
	size_t size = (size_t)p->count + 1;
	uint32_t i, k = 0;

	p->edges = calloc((size_t)num_edges + 1, sizeof(*p->edges));
	p->first = calloc(size, sizeof(*p->first));
	p->leader = calloc(size, sizeof(*p->leader));
	p->next = calloc(size, sizeof(*p->next));
	p->seen = calloc(size, sizeof(*p->seen));
	p->stack = calloc(size, sizeof(*p->stack));
	if (!p->edges || !p->first || !p->leader || !p->next || !p->seen || !p->stack)
		return -ENOMEM;
	if (num_edges)
		memcpy(p->edges, edges, num_edges * sizeof(*edges));
	qsort(p->edges, num_edges, sizeof(*p->edges), by_from);
	for (i = 0; i <= p->count; i++) {
		while (k < num_edges && p->edges[k].from < i)
			k++;
		p->first[i] = k;
	}
	for (i = 0; i < p->count; i++) {
		p->leader[i] = i;
		p->next[i] = i;
	}
	return 0;
}

int loom_partition(uint32_t count, const struct loom_partition_edge *edges, uint32_t num_edges,
		   const bool *wanted, uint32_t *parts, uint32_t *num_parts)
{
	struct partition p = { .count = count };
	int ret = prepare(&p, edges, num_edges);
	uint32_t i;

	*num_parts = 0;
	if (!ret) {
		while (pass(&p, num_edges, wanted))
			;
		/* a leader is the first node of its part */
		for (i = 0; i < count; i++) {
			if (!wanted[i])
				parts[i] = LOOM_PARTITION_NONE;
			else if (p.leader[i] == i)
				parts[i] = (*num_parts)++;
			else
				parts[i] = parts[p.leader[i]];
		}
	}
	free(p.stack);
	free(p.seen);
	free(p.next);
	free(p.leader);
	free(p.first);
	free(p.edges);
	return ret;
}
