// SPDX-License-Identifier: MIT
/*
 * DOC: Concatenations with a common prefix or suffix
 *
 * In a DenseNet every layer reads all maps so far. Some exporters write that as a chain, [x, y],
 * then [[x, y], z]; others name all maps each time, [x, y], then [x, y, z]. In the second form a
 * map is an operand of many results and can be in one of them only; the others get copies, so bytes
 * are quadratic in the layers. So a concatenation whose first or last operands are all those of an
 * earlier one reads that result instead. This turns the second form into the first, in which
 * everything lies in the last result (lower/storage_join.c).
 *
 * Lists are looked up by a hash of their operands, for each length and from either end: the work is
 * linear in the number of operands.
 */
#include "pass.h"

#include <errno.h>
#include <string.h>

/**
 * struct lists - concatenations so far, by a hash of all operands
 * @buckets: by hash: number of the last one plus one; 0: none
 * @mask: number of @buckets less one
 * @next: by node: the one before it in its bucket, likewise
 * @nodes: by node: the concatenation
 */
struct lists {
	uint32_t *buckets;
	uint32_t mask;
	uint32_t *next;
	struct loom_node **nodes;
};

/* Extends the hash of a list by one operand. */
static uint64_t add_operand(uint64_t hash, const struct loom_value *value)
{
	return (hash ^ (value->id + 1)) * 0x9e3779b97f4a7c15ULL;
}

static uint32_t bucket_of(const struct lists *lists, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & lists->mask;
}

static bool is_run(const struct loom_node *node, const struct loom_node *other, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < other->num_inputs; i++)
		if (node->inputs[at + i] != other->inputs[i])
			return false;
	return node->concat.axis == other->concat.axis;
}

/* An earlier concatenation than @node of exactly its @count operands from @at on, or NULL. */
static struct loom_node *find_list(const struct lists *lists, const struct loom_node *node,
				   uint32_t at, uint32_t count, uint64_t hash)
{
	uint32_t i = lists->buckets[bucket_of(lists, hash)];

	for (; i; i = lists->next[i - 1]) {
		struct loom_node *other = lists->nodes[i - 1];

		if (other->num_inputs == count && is_run(node, other, at))
			return other;
	}
	return NULL;
}

static void replace_run(struct loom_node *node, uint32_t at, const struct loom_node *other)
{
	uint32_t count = other->num_inputs, behind = node->num_inputs - at - count;

	node->inputs[at] = other->output;
	memmove(&node->inputs[at + 1], &node->inputs[at + count],
		behind * sizeof(struct loom_value *));
	node->num_inputs -= count - 1;
}

/*
 * Replaces the longest list at an end of @node. Returns false if there is none. @hashes: scratch.
 */
static bool replace_longest(const struct lists *first, const struct lists *last,
			    struct loom_node *node, uint64_t *hashes)
{
	uint32_t n = node->num_inputs, count, at, end;
	struct loom_node *other;

	hashes[0] = 0;
	hashes[n] = 0;
	for (end = 0; end < 2; end++) {
		for (count = 1; count < n; count++)
			hashes[count] = add_operand(hashes[count - 1],
						    node->inputs[end ? n - count : count - 1]);
		for (count = n - 1; count >= 2; count--) {
			at = end ? n - count : 0;
			other = find_list(end ? last : first, node, at, count, hashes[count]);
			if (!other)
				continue;
			replace_run(node, at, other);
			return true;
		}
	}
	return false;
}

static void enter(struct lists *lists, uint32_t index, struct loom_node *node, bool backwards)
{
	uint32_t n = node->num_inputs, bucket, i;
	uint64_t hash = 0;

	for (i = 0; i < n; i++)
		hash = add_operand(hash, node->inputs[backwards ? n - 1 - i : i]);
	bucket = bucket_of(lists, hash);
	lists->nodes[index] = node;
	lists->next[index] = lists->buckets[bucket];
	lists->buckets[bucket] = index + 1;
}

static bool lists_make(struct lists *lists, struct loom_graph *graph)
{
	uint32_t count = 16;

	while (count < graph->num_nodes)
		count *= 2;
	lists->mask = count - 1;
	lists->buckets = loom_pool_array(graph->pool, count, sizeof(*lists->buckets));
	lists->next = loom_pool_array(graph->pool, graph->num_nodes + 1, sizeof(*lists->next));
	lists->nodes = loom_pool_array(graph->pool, graph->num_nodes + 1, sizeof(*lists->nodes));
	return lists->buckets && lists->next && lists->nodes;
}

int loom_graph_share_concats(struct loom_graph *graph)
{
	struct lists first, last;
	uint32_t most = 0, i;
	uint64_t *hashes;

	for (i = 0; i < graph->num_nodes; i++)
		if (graph->nodes[i]->op == LOOM_GOP_CONCAT && graph->nodes[i]->num_inputs > most)
			most = graph->nodes[i]->num_inputs;
	if (most < 2)
		return 0;
	hashes = loom_pool_array(graph->pool, most + 1, sizeof(*hashes));
	if (!hashes || !lists_make(&first, graph) || !lists_make(&last, graph))
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i];

		if (node->op != LOOM_GOP_CONCAT || node->num_inputs < 2)
			continue;
		while (node->num_inputs > 2 && replace_longest(&first, &last, node, hashes))
			;
		enter(&first, i, node, false);
		enter(&last, i, node, true);
	}
	return loom_graph_prune(graph);
}
