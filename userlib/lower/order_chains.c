// SPDX-License-Identifier: MIT
/*
 * Order of the nodes for groups: chains that lead only to an output directly follow the value that
 * they begin with, while it is in SRAM. Exporters tend to put them at the end.
 */
#include "storage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct tails - chains to outputs
 * @storage: the storage of the nodes
 * @is_tail: by value id: its node is in such a chain
 * @begins: by value id: first node in the old order whose chain begins with it, plus one; 0: none
 * @next: by node in the old order: the next whose chain begins with the same value, plus one
 * @old: the old order
 * @num_nodes: number of nodes in the new order so far
 */
struct tails {
	struct loom_storage *storage;
	bool *is_tail;
	u32 *begins;
	u32 *next;
	const struct loom_node **old;
	u32 num_nodes;
};

/* The only computed value that a node reads; NULL for none or several. */
static const struct loom_value *only_operand(const struct loom_node *node)
{
	const struct loom_value *found = NULL;
	u32 i;

	for (i = 0; i < node->num_inputs; i++) {
		const struct loom_value *value = node->inputs[i];

		if (!value || value->data || value == found)
			continue;
		if (found || !value->producer)
			return NULL;
		found = value;
	}
	return found;
}

static void find_tails(struct tails *tails)
{
	u32 num_nodes = tails->storage->graph->num_nodes, i, k;

	for (i = 0; i < num_nodes; i++)
		tails->is_tail[tails->old[i]->output->id] = only_operand(tails->old[i]);
	/* from the end: a node read by a node outside of such chains is in none */
	for (i = num_nodes; i-- > 0;) {
		const struct loom_node *node = tails->old[i];

		if (tails->is_tail[node->output->id])
			continue;
		for (k = 0; k < node->num_inputs; k++)
			if (node->inputs[k])
				tails->is_tail[node->inputs[k]->id] = false;
	}
	for (i = num_nodes; i-- > 0;) {
		const struct loom_node *node = tails->old[i];
		const struct loom_value *value = only_operand(node);

		if (!tails->is_tail[node->output->id])
			continue;
		tails->next[i] = tails->begins[value->id];
		tails->begins[value->id] = i + 1;
	}
}

/* Adds a node, then the chains that begin with it; iteratively, because chains may be long. */
static void put(struct tails *tails, u32 index)
{
	struct loom_storage *storage = tails->storage;
	u32 done = tails->num_nodes, at;

	storage->nodes[tails->num_nodes++] = tails->old[index];
	for (; done < tails->num_nodes; done++)
		for (at = tails->begins[storage->nodes[done]->output->id]; at;
		     at = tails->next[at - 1])
			storage->nodes[tails->num_nodes++] = tails->old[at - 1];
}

int loom_storage_order_chains(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	size_t nodes = (size_t)graph->num_nodes + 1, values = (size_t)graph->num_values + 1;
	struct tails tails = { .storage = storage };
	int ret = -ENOMEM;
	u32 i;

	tails.is_tail = calloc(values, sizeof(*tails.is_tail));
	tails.begins = calloc(values, sizeof(*tails.begins));
	tails.next = calloc(nodes, sizeof(*tails.next));
	tails.old = calloc(nodes, sizeof(*tails.old));
	if (tails.is_tail && tails.begins && tails.next && tails.old) {
		memcpy(tails.old, storage->nodes, graph->num_nodes * sizeof(*tails.old));
		find_tails(&tails);
		for (i = 0; i < graph->num_nodes; i++)
			if (!tails.is_tail[tails.old[i]->output->id])
				put(&tails, i);
		ret = 0;
	}
	free(tails.is_tail);
	free(tails.begins);
	free(tails.next);
	free(tails.old);
	return ret;
}
