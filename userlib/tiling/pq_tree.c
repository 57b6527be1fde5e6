// SPDX-License-Identifier: MIT
/*
 * DOC: PQ-trees
 *
 * A tree that represents a set of permutations of leaves (Booth and Lueker 1976): the children of a
 * P node may be in any order, those of a Q node in one order or its reverse. The set of all
 * permutations in which given subsets are consecutive is such a tree.
 *
 * Here, leaves that are made consecutive are replaced by others at once. So only the templates that
 * keep the empty children are needed: full nodes are removed. A node some of whose leaves are
 * removed is partial. Below the root of the pertinent subtree (the lowest node that has all of
 * them) there is a path of partial nodes on either side at most, otherwise they cannot be
 * consecutive. The empty children are strung along the two paths, from the outside to the inside,
 * and the new leaves come between them. A first pass checks this, so that a failure changes
 * nothing. Nothing is recursive, because a tree may be deep.
 */
#include "pq_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE	LOOM_PQ_NONE

enum kind {
	KIND_LEAF,
	KIND_P,
	KIND_Q,
};

/**
 * struct node - of the tree
 * @parent: the node above, or NONE
 * @previous: the child of @parent before, or NONE
 * @next: the child of @parent behind, or NONE
 * @head: first child, or NONE
 * @tail: last child, or NONE
 * @size: leaves in it
 * @marked: leaves in it that are removed
 * @kind: leaf, P or Q
 */
struct node {
	uint32_t parent;
	uint32_t previous;
	uint32_t next;
	uint32_t head;
	uint32_t tail;
	uint32_t size;
	uint32_t marked;
	enum kind kind;
};

/**
 * struct loom_pq - a tree
 * @nodes: leaves, then inner nodes
 * @num_leaves: number of leaves
 * @root: the root, or NONE
 * @num_nodes: nodes of @nodes in use or in @spare
 * @spare: free list of inner nodes, linked by @next
 * @touched: nodes with marks
 * @num_touched: number of @touched
 * @order: scratch memory for the removed leaves, in both directions from the middle
 */
struct loom_pq {
	struct node *nodes;
	uint32_t num_leaves;
	uint32_t root;
	uint32_t num_nodes;
	uint32_t spare;
	uint32_t *touched;
	uint32_t num_touched;
	uint32_t *order;
};

/* Nodes one after the other, by their links. */
struct chain {
	uint32_t head;
	uint32_t tail;
};

/**
 * struct seam - removed leaves, and the nodes left on either side of them
 * @left: nodes on the left, from the outside to the inside
 * @right: nodes on the right, from the inside to the outside
 * @order: scratch memory for the removed leaves
 * @begin: first of @order
 * @end: behind its last
 */
struct seam {
	struct chain left;
	struct chain right;
	uint32_t *order;
	uint32_t begin;
	uint32_t end;
};

int loom_pq_create(uint32_t num_leaves, struct loom_pq **pq)
{
	struct loom_pq *tree = calloc(1, sizeof(*tree));
	size_t most = 2 * (size_t)num_leaves + 4;

	if (!tree)
		return -ENOMEM;
	tree->num_leaves = num_leaves;
	tree->root = NONE;
	tree->nodes = malloc(most * sizeof(*tree->nodes));
	tree->touched = malloc(most * sizeof(*tree->touched));
	tree->order = malloc(most * sizeof(*tree->order));
	if (!tree->nodes || !tree->touched || !tree->order) {
		loom_pq_destroy(tree);
		return -ENOMEM;
	}
	*pq = tree;
	return 0;
}

void loom_pq_destroy(struct loom_pq *pq)
{
	if (!pq)
		return;
	free(pq->nodes);
	free(pq->touched);
	free(pq->order);
	free(pq);
}

static void init_node(struct loom_pq *pq, uint32_t node, enum kind kind)
{
	pq->nodes[node] = (struct node){
		NONE, NONE, NONE, NONE, NONE, kind == KIND_LEAF, 0, kind,
	};
}

/* Invariant: each complete inner node has at least two children, so there are enough nodes. */
static uint32_t new_node(struct loom_pq *pq, enum kind kind)
{
	uint32_t node = pq->spare;

	if (node == NONE)
		node = pq->num_nodes++;
	else
		pq->spare = pq->nodes[node].next;
	init_node(pq, node, kind);
	return node;
}

static void free_node(struct loom_pq *pq, uint32_t node)
{
	if (node < pq->num_leaves)
		return;
	pq->nodes[node].next = pq->spare;
	pq->spare = node;
}

/* --- chains ----------------------------------------------------------------------------------- */

static void append(struct loom_pq *pq, struct chain *chain, uint32_t node)
{
	pq->nodes[node].previous = chain->tail;
	pq->nodes[node].next = NONE;
	if (chain->tail != NONE)
		pq->nodes[chain->tail].next = node;
	else
		chain->head = node;
	chain->tail = node;
}

static void prepend(struct loom_pq *pq, struct chain *chain, uint32_t node)
{
	pq->nodes[node].next = chain->head;
	pq->nodes[node].previous = NONE;
	if (chain->head != NONE)
		pq->nodes[chain->head].previous = node;
	else
		chain->tail = node;
	chain->head = node;
}

/* Makes a chain the children of a node, and updates its number of leaves. */
static void adopt(struct loom_pq *pq, uint32_t parent, struct chain chain)
{
	struct node *node = &pq->nodes[parent];
	uint32_t child;

	node->head = chain.head;
	node->tail = chain.tail;
	node->size = 0;
	for (child = chain.head; child != NONE; child = pq->nodes[child].next) {
		pq->nodes[child].parent = parent;
		node->size += pq->nodes[child].size;
	}
	/* with two children, P and Q are the same */
	if (node->kind == KIND_Q && pq->nodes[chain.head].next == chain.tail)
		node->kind = KIND_P;
}

/* Makes a chain in any order one node. */
static uint32_t group(struct loom_pq *pq, struct chain chain)
{
	uint32_t node;

	if (chain.head == chain.tail)
		return chain.head;
	node = new_node(pq, KIND_P);
	adopt(pq, node, chain);
	return node;
}

/* Replaces a node by another. */
static void swap_in(struct loom_pq *pq, uint32_t old, uint32_t node)
{
	struct node *from = &pq->nodes[old], *to = &pq->nodes[node];

	to->parent = from->parent;
	to->previous = from->previous;
	to->next = from->next;
	if (from->previous != NONE)
		pq->nodes[from->previous].next = node;
	else if (from->parent != NONE)
		pq->nodes[from->parent].head = node;
	if (from->next != NONE)
		pq->nodes[from->next].previous = node;
	else if (from->parent != NONE)
		pq->nodes[from->parent].tail = node;
	if (from->parent == NONE)
		pq->root = node;
}

static uint32_t make_leaves(struct loom_pq *pq, const uint32_t *leaves, uint32_t count)
{
	struct chain chain = { NONE, NONE };
	uint32_t i;

	for (i = 0; i < count; i++) {
		init_node(pq, leaves[i], KIND_LEAF);
		append(pq, &chain, leaves[i]);
	}
	return group(pq, chain);
}

void loom_pq_start(struct loom_pq *pq, const uint32_t *leaves, uint32_t count)
{
	pq->num_nodes = pq->num_leaves;
	pq->spare = NONE;
	pq->num_touched = 0;
	pq->root = make_leaves(pq, leaves, count);
	pq->nodes[pq->root].parent = NONE;
}

/* --- marks ------------------------------------------------------------------------------------ */

static void mark(struct loom_pq *pq, const uint32_t *leaves, uint32_t count, uint64_t *visits)
{
	uint32_t i, node;

	pq->num_touched = 0;
	for (i = 0; i < count; i++) {
		for (node = leaves[i]; node != NONE; node = pq->nodes[node].parent) {
			if (!pq->nodes[node].marked++)
				pq->touched[pq->num_touched++] = node;
			++*visits;
		}
	}
}

static void unmark(struct loom_pq *pq)
{
	uint32_t i;

	for (i = 0; i < pq->num_touched; i++)
		pq->nodes[pq->touched[i]].marked = 0;
}

static bool is_full(const struct loom_pq *pq, uint32_t node)
{
	return pq->nodes[node].marked == pq->nodes[node].size;
}

static bool is_partial(const struct loom_pq *pq, uint32_t node)
{
	return pq->nodes[node].marked && !is_full(pq, node);
}

/* The root of the pertinent subtree: the lowest node with all of the removed leaves. */
static uint32_t find_top(const struct loom_pq *pq, uint32_t leaf, uint32_t count)
{
	uint32_t node = leaf;

	while (pq->nodes[node].marked < count)
		node = pq->nodes[node].parent;
	return node;
}

/* --- whether leaves can be consecutive -------------------------------------------------------- */

/* Whether the children of a Q node are: empty, partial, full, partial, empty. */
static bool is_run(const struct loom_pq *pq, uint32_t node, uint64_t *visits)
{
	unsigned int state = 0;
	uint32_t child;

	/* 0: before; 1: behind a partial or a full one; 2: behind the last */
	for (child = pq->nodes[node].head; child != NONE; child = pq->nodes[child].next) {
		++*visits;
		if (!pq->nodes[child].marked) {
			if (state == 1)
				state = 2;
		} else if (state == 2) {
			return false;
		} else if (is_full(pq, child)) {
			state = 1;
		} else {
			state = state ? 2 : 1;
		}
	}
	return true;
}

/*
 * Whether the removed leaves below a partial node can be at one end of it. The path continues in
 * the only partial child; in a Q node the full children must be at an end.
 */
static bool is_path(const struct loom_pq *pq, uint32_t node, uint64_t *visits)
{
	while (node != NONE) {
		uint32_t partial = NONE, child;

		for (child = pq->nodes[node].head; child != NONE; child = pq->nodes[child].next) {
			++*visits;
			if (!is_partial(pq, child))
				continue;
			if (partial != NONE)
				return false;
			partial = child;
		}
		if (pq->nodes[node].kind == KIND_Q) {
			bool head = pq->nodes[pq->nodes[node].head].marked;
			uint32_t first = head ? pq->nodes[node].head : pq->nodes[node].tail;
			unsigned int state = 0;

			/* from the end that is removed: full, partial, empty */
			for (child = first; child != NONE; child = head ? pq->nodes[child].next :
							   pq->nodes[child].previous) {
				++*visits;
				if (state && pq->nodes[child].marked)
					return false;
				state |= !is_full(pq, child);
			}
		}
		node = partial;
	}
	return true;
}

static bool is_possible(const struct loom_pq *pq, uint32_t top, uint64_t *visits)
{
	uint32_t partials = 0, child;

	if (is_full(pq, top))
		return true;
	if (pq->nodes[top].kind == KIND_Q && !is_run(pq, top, visits))
		return false;
	for (child = pq->nodes[top].head; child != NONE; child = pq->nodes[child].next) {
		++*visits;
		if (is_partial(pq, child) && (++partials > 2 || !is_path(pq, child, visits)))
			return false;
	}
	return true;
}

/* --- changing the tree ------------------------------------------------------------------------ */

/* The first leaf below @node, or the next one of @top behind the leaf @node. */
static uint32_t next_leaf(const struct loom_pq *pq, uint32_t top, uint32_t node, bool below)
{
	if (!below) {
		while (node != top && pq->nodes[node].next == NONE)
			node = pq->nodes[node].parent;
		if (node == top)
			return NONE;
		node = pq->nodes[node].next;
	}
	while (pq->nodes[node].kind != KIND_LEAF)
		node = pq->nodes[node].head;
	return node;
}

/* Frees a node and all inner nodes below it. */
static void free_tree(struct loom_pq *pq, uint32_t top)
{
	uint32_t node = top, up;

	for (;;) {
		while (pq->nodes[node].head != NONE)
			node = pq->nodes[node].head;
		/* a node whose children were freed */
		up = pq->nodes[node].parent;
		if (node == top) {
			free_node(pq, node);
			return;
		}
		pq->nodes[up].head = pq->nodes[node].next;
		free_node(pq, node);
		node = up;
	}
}

/* Removes a full node and adds its leaves to the end or the begin of the order. */
static void remove_full(struct loom_pq *pq, struct seam *seam, uint32_t node, bool at_end)
{
	uint32_t size = pq->nodes[node].size, at = at_end ? seam->end : seam->begin - size, leaf;

	if (at_end)
		seam->end += size;
	else
		seam->begin = at;
	for (leaf = next_leaf(pq, node, node, true); leaf != NONE;
	     leaf = next_leaf(pq, node, leaf, false))
		seam->order[at++] = leaf;
	free_tree(pq, node);
}

/* Appends the empty children of a partial node to those of the nodes above it. */
static void join(struct loom_pq *pq, struct seam *seam, struct chain rest, bool left)
{
	uint32_t child, next;

	for (child = left ? rest.head : rest.tail; child != NONE; child = next) {
		next = left ? pq->nodes[child].next : pq->nodes[child].previous;
		if (left)
			append(pq, &seam->left, child);
		else
			prepend(pq, &seam->right, child);
	}
}

/*
 * Splits a partial node and those below it. On the left, the removed leaves are at the right end of
 * each node: its empty children lie left of those of its partial child, and its full children right
 * of the leaves removed there. On the right, it is mirrored.
 */
static void split_path(struct loom_pq *pq, struct seam *seam, uint32_t node, bool left)
{
	while (node != NONE) {
		struct chain rest = { NONE, NONE };
		bool is_q = pq->nodes[node].kind == KIND_Q;
		/* from the removed end to the other */
		bool back = is_q && !pq->nodes[pq->nodes[node].head].marked;
		uint32_t child = back ? pq->nodes[node].tail : pq->nodes[node].head;
		uint32_t partial = NONE, next;

		for (; child != NONE; child = next) {
			next = back ? pq->nodes[child].previous : pq->nodes[child].next;
			if (is_partial(pq, child))
				partial = child;
			else if (pq->nodes[child].marked)
				remove_full(pq, seam, child, !left);
			else if (left)
				prepend(pq, &rest, child);
			else
				append(pq, &rest, child);
		}
		if (!is_q && rest.head != NONE) {
			child = group(pq, rest);
			rest = (struct chain){ NONE, NONE };
			append(pq, &rest, child);
		}
		join(pq, seam, rest, left);
		free_node(pq, node);
		node = partial;
	}
}

/* Splits the children of a P node; @rest: [out] empty children. */
static void split_any(struct loom_pq *pq, struct seam *seam, uint32_t top, struct chain *rest)
{
	uint32_t partials[2], count = 0, child, next, i;

	for (child = pq->nodes[top].head; child != NONE; child = next) {
		next = pq->nodes[child].next;
		if (is_partial(pq, child))
			partials[count++] = child;
		else if (pq->nodes[child].marked)
			remove_full(pq, seam, child, true);
		else
			append(pq, rest, child);
	}
	/* on either side of the full ones */
	for (i = 0; i < count; i++)
		split_path(pq, seam, partials[i], !i);
}

/* Splits the children of a Q node. */
static void split_run(struct loom_pq *pq, struct seam *seam, uint32_t top)
{
	uint32_t child, next;
	bool begun = false;

	for (child = pq->nodes[top].head; child != NONE; child = next) {
		next = pq->nodes[child].next;
		if (!pq->nodes[child].marked) {
			append(pq, begun ? &seam->right : &seam->left, child);
			continue;
		}
		if (is_partial(pq, child))
			split_path(pq, seam, child, !begun);
		else
			remove_full(pq, seam, child, true);
		begun = true;
	}
}

static uint32_t any_leaf(const struct loom_pq *pq, uint32_t node)
{
	return node == NONE ? NONE : next_leaf(pq, node, node, true);
}

/* Inserts the new leaves between the two sides of the seam, below the root of the subtree. */
static void close_seam(struct loom_pq *pq, const struct seam *seam, uint32_t top,
		       struct chain rest, uint32_t in)
{
	struct chain whole = seam->left;
	uint32_t child, next;
	bool alone = whole.head == NONE && seam->right.head == NONE;

	append(pq, &whole, in);
	for (child = seam->right.head; child != NONE; child = next) {
		next = pq->nodes[child].next;
		append(pq, &whole, child);
	}
	if (rest.head != NONE) {
		child = in;
		if (!alone) {
			child = new_node(pq, KIND_Q);
			adopt(pq, child, whole);
		}
		append(pq, &rest, child);
		whole = rest;
		pq->nodes[top].kind = KIND_P;
	} else {
		pq->nodes[top].kind = KIND_Q;
	}
	adopt(pq, top, whole);
}

bool loom_pq_can(struct loom_pq *pq, const uint32_t *leaves, uint32_t count, uint64_t *visits)
{
	bool can;

	mark(pq, leaves, count, visits);
	can = is_possible(pq, find_top(pq, leaves[0], count), visits);
	unmark(pq);
	return can;
}

bool loom_pq_replace(struct loom_pq *pq, struct loom_pq_change *change, uint64_t *visits)
{
	struct seam seam = {
		.left = { NONE, NONE }, .right = { NONE, NONE }, .order = pq->order,
		.begin = change->num_out, .end = change->num_out,
	};
	struct chain rest = { NONE, NONE };
	uint32_t top, in, node;

	change->below = NONE;
	change->above = NONE;
	mark(pq, change->out, change->num_out, visits);
	top = find_top(pq, change->out[0], change->num_out);
	if (!is_possible(pq, top, visits)) {
		unmark(pq);
		return false;
	}
	node = pq->nodes[top].parent;
	if (is_full(pq, top)) {
		/* the old links are needed until the new leaves have them */
		in = make_leaves(pq, change->in, change->num_in);
		swap_in(pq, top, in);
		remove_full(pq, &seam, top, true);
	} else {
		if (pq->nodes[top].kind == KIND_P)
			split_any(pq, &seam, top, &rest);
		else
			split_run(pq, &seam, top);
		change->below = any_leaf(pq, seam.left.tail);
		change->above = any_leaf(pq, seam.right.head);
		in = make_leaves(pq, change->in, change->num_in);
		close_seam(pq, &seam, top, rest, in);
	}
	for (; node != NONE; node = pq->nodes[node].parent)
		pq->nodes[node].size = pq->nodes[node].size - change->num_out + change->num_in;
	unmark(pq);
	memcpy(change->order, seam.order + seam.begin, change->num_out * sizeof(*change->order));
	return true;
}

uint32_t loom_pq_order(const struct loom_pq *pq, uint32_t *order)
{
	uint32_t leaf, count = 0;

	for (leaf = any_leaf(pq, pq->root); leaf != NONE;
	     leaf = next_leaf(pq, pq->root, leaf, false))
		order[count++] = leaf;
	return count;
}
