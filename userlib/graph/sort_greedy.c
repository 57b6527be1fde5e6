// SPDX-License-Identifier: MIT
/*
 * The greedy order: of the nodes that can run, the one that adds the fewest bytes alive; ties by
 * the order before. The bytes that a waiting node adds can only decrease, when it becomes the last
 * reader of an operand; then it is pushed to the heap again, and its outdated entries are skipped.
 */
#include "sort.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct ready - a node that can run
 * @bytes: bytes alive that it adds
 * @place: in the order before
 * @node: the node
 */
struct ready {
	int64_t bytes;
	uint32_t place;
	uint32_t node;
};

/**
 * struct greedy - the state
 * @sort: operands and order
 * @place: by node: in the order before
 * @first_user: by node: begin of the readers of its result in @users
 * @users: the readers
 * @left: by node: users that have not run
 * @missing: by node: operands that have not run
 * @heap: nodes that can run
 * @num_ready: number of entries in @heap
 */
struct greedy {
	struct loom_sort *sort;
	uint32_t *place;
	uint32_t *first_user;
	uint32_t *users;
	uint32_t *left;
	uint32_t *missing;
	struct ready *heap;
	uint32_t num_ready;
};

static bool is_before(const struct ready *a, const struct ready *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->place < b->place;
}

static void push(struct greedy *g, struct ready entry)
{
	uint32_t at = g->num_ready++, up;

	for (; at; at = up) {
		up = (at - 1) / 2;
		if (!is_before(&entry, &g->heap[up]))
			break;
		g->heap[at] = g->heap[up];
	}
	g->heap[at] = entry;
}

static struct ready pop(struct greedy *g)
{
	struct ready first = g->heap[0], last = g->heap[--g->num_ready];
	uint32_t at = 0, down;

	for (; (down = 2 * at + 1) < g->num_ready; at = down) {
		if (down + 1 < g->num_ready && is_before(&g->heap[down + 1], &g->heap[down]))
			down++;
		if (!is_before(&g->heap[down], &last))
			break;
		g->heap[at] = g->heap[down];
	}
	g->heap[at] = last;
	return first;
}

/* Whether a node has a single reader left, after which its result is dead. */
static bool is_last(const struct greedy *g, uint32_t node)
{
	return g->left[node] == 1 && !g->sort->graph->nodes[node]->output->is_output;
}

static int64_t added_bytes(const struct greedy *g, uint32_t node)
{
	const struct loom_sort *sort = g->sort;
	int64_t bytes = (int64_t)sort->graph->nodes[node]->output->size_bytes;
	uint32_t i;

	for (i = sort->begin[node]; i < sort->begin[node + 1]; i++)
		if (is_last(g, sort->operands[i]))
			bytes -= (int64_t)sort->graph->nodes[sort->operands[i]]->output->size_bytes;
	return bytes;
}

static void enter(struct greedy *g, uint32_t node)
{
	push(g, (struct ready){ added_bytes(g, node), g->place[node], node });
}

/* Removes a reader of the operands: the last one left adds fewer bytes than before. */
static void release_operands(struct greedy *g, uint32_t node)
{
	const struct loom_sort *sort = g->sort;
	uint32_t i, k;

	for (i = sort->begin[node]; i < sort->begin[node + 1]; i++) {
		uint32_t from = sort->operands[i];

		g->left[from]--;
		if (!is_last(g, from))
			continue;
		for (k = g->first_user[from]; k < g->first_user[from + 1]; k++)
			if (!sort->done[g->users[k]] && !g->missing[g->users[k]])
				enter(g, g->users[k]);
	}
}

static void run(struct greedy *g)
{
	struct loom_sort *sort = g->sort;
	uint32_t k;

	while (g->num_ready) {
		struct ready next = pop(g);

		if (sort->done[next.node])
			continue;
		sort->done[next.node] = true;
		sort->order[sort->count++] = next.node;
		release_operands(g, next.node);
		for (k = g->first_user[next.node]; k < g->first_user[next.node + 1]; k++)
			if (!--g->missing[g->users[k]])
				enter(g, g->users[k]);
	}
}

static void set_up(struct greedy *g)
{
	struct loom_sort *sort = g->sort;
	uint32_t n = sort->graph->num_nodes, i, k;

	for (i = 0; i < n; i++) {
		g->place[sort->order[i]] = i;
		g->missing[i] = sort->begin[i + 1] - sort->begin[i];
		for (k = sort->begin[i]; k < sort->begin[i + 1]; k++)
			g->left[sort->operands[k]]++;
	}
	for (i = 0; i < n; i++)
		g->first_user[i + 1] = g->first_user[i] + g->left[i];
	/* counted once more while they are filled in */
	for (i = 0; i < n; i++)
		g->left[i] = 0;
	for (i = 0; i < n; i++)
		for (k = sort->begin[i]; k < sort->begin[i + 1]; k++) {
			uint32_t from = sort->operands[k];

			g->users[g->first_user[from] + g->left[from]++] = i;
		}
	sort->count = 0;
	for (i = 0; i < n; i++)
		sort->done[i] = false;
	for (i = 0; i < n; i++)
		if (!g->missing[i])
			enter(g, i);
}

int loom_sort_greedy(struct loom_sort *sort)
{
	size_t n = (size_t)sort->graph->num_nodes + 1, edges = sort->begin[n - 1] + 1;
	struct greedy g = { .sort = sort };
	int ret = -ENOMEM;

	g.place = calloc(n, sizeof(*g.place));
	g.first_user = calloc(n, sizeof(*g.first_user));
	g.users = calloc(edges, sizeof(*g.users));
	g.left = calloc(n, sizeof(*g.left));
	g.missing = calloc(n, sizeof(*g.missing));
	/* once when it can run, and once for each operand whose last reader it is */
	g.heap = calloc(n + edges, sizeof(*g.heap));
	if (g.place && g.first_user && g.users && g.left && g.missing && g.heap) {
		set_up(&g);
		run(&g);
		ret = 0;
	}
	free(g.place);
	free(g.first_user);
	free(g.users);
	free(g.left);
	free(g.missing);
	free(g.heap);
	return ret;
}
