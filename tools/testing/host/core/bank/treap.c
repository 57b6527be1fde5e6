// SPDX-License-Identifier: MIT
/*
 * Nodes that go into a treap behind others, in front of all, and out of it in any order, against an
 * array: the order is kept, priorities fall from the root down, and each update sees its children.
 */
#include <stdlib.h>

#include "bank/treap.h"
#include "random.h"
#include "tap.h"

#define NODES	200

/* A node, and how many are below it and in it, which is kept by updates. */
struct item {
	struct loom_treap_node node;
	u32 count;
	bool linked;
};

static struct item items[NODES];
static struct item *order[NODES];
static u32 count;

static struct item *item_of(const struct loom_treap_node *node)
{
	/* the first member */
	return (struct item *)node;
}

static void update(struct loom_treap *treap, struct loom_treap_node *node)
{
	u32 side;

	(void)treap;
	item_of(node)->count = 1;
	for (side = 0; side < 2; side++)
		if (node->child[side])
			item_of(node)->count += item_of(node->child[side])->count;
}

/* Return: nodes below @node and itself, or 0 if something is wrong. */
static u32 check_below(const struct loom_treap_node *node)
{
	u32 side, sum = 1, below;

	for (side = 0; side < 2; side++) {
		const struct loom_treap_node *child = node->child[side];

		if (!child)
			continue;
		below = check_below(child);
		if (!below || child->parent != node || child->priority > node->priority)
			return 0;
		sum += below;
	}
	return sum == item_of(node)->count ? sum : 0;
}

/* Where an item is among those that are linked. */
static u32 place_of(const struct item *item)
{
	u32 i;

	for (i = 0; order[i] != item; i++)
		;
	return i;
}

/* By ends and neighbours, both ways. */
static bool order_fits(const struct loom_treap *treap)
{
	struct loom_treap_node *node;
	u32 side, i;

	if (!count)
		return !treap->root;
	if (treap->root->parent || check_below(treap->root) != count)
		return false;
	for (side = 0; side < 2; side++) {
		node = loom_treap_end(treap->root, side);
		for (i = 0; i < count; i++, node = loom_treap_neighbour(node, !side))
			if (!node || item_of(node) != order[side ? count - 1 - i : i])
				return false;
		if (node)
			return false;
	}
	return true;
}

static void link_somewhere(struct loom_treap *treap, struct item *item)
{
	u32 at = random_below(count + 1), i;

	loom_treap_link_after(treap, &item->node, at ? &order[at - 1]->node : NULL);
	for (i = count++; i > at; i--)
		order[i] = order[i - 1];
	order[at] = item;
	item->linked = true;
}

/* The caller updates upwards from where the lowest node changed. */
static void unlink_one(struct loom_treap *treap, struct item *item)
{
	struct loom_treap_node *node = loom_treap_unlink(treap, &item->node);
	u32 i;

	for (; node; node = node->parent)
		update(treap, node);
	for (i = place_of(item); i + 1 < count; i++)
		order[i] = order[i + 1];
	count--;
	item->linked = false;
}

static u32 height(const struct loom_treap_node *node)
{
	u32 low, high;

	if (!node)
		return 0;
	low = height(node->child[0]);
	high = height(node->child[1]);
	return 1 + (low > high ? low : high);
}

/* Nodes in their order, the worst for a tree that does not balance: 17 on average, 2 ln n. */
static void test_height(void)
{
	static struct item many[4096];
	struct loom_treap treap = {};
	u32 i, high;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		loom_treap_link_after(&treap, &many[i].node, i ? &many[i - 1].node : NULL);
	high = height(treap.root);
	tap_ok(high < 40, "%zu nodes in their order make a tree of height %u", ARRAY_SIZE(many),
	       high);
}

int main(void)
{
	struct loom_treap treap = { .update = update };
	struct loom_treap_node *node;
	u32 round, wrong = 0, most = 0;

	random_state = 1;
	for (round = 0; round < 6000; round++) {
		struct item *item = &items[random_below(NODES)];

		if (item->linked) {
			unlink_one(&treap, item);
		} else {
			link_somewhere(&treap, item);
			for (node = item->node.parent; node; node = node->parent)
				update(&treap, node);
		}
		most = count > most ? count : most;
		wrong += !order_fits(&treap);
	}
	tap_ok(!wrong && most > NODES / 3, "%u changes of up to %u nodes, %u wrong", round, most,
	       wrong);
	while (count) {
		unlink_one(&treap, order[random_below(count)]);
		wrong += !order_fits(&treap);
	}
	tap_ok(!wrong && !treap.root, "it is empty when all have gone");
	test_height();
	return tap_end();
}
