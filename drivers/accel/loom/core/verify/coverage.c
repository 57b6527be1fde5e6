// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "coverage.h"

/**
 * DOC: Coverage
 *
 * The coverage of a tensor is the set of its elements that are written, a union of boxes. It is
 * kept as ranges on the first axis, each of them either written in full or with ranges of its own
 * on the next axis, and so on. Neighbouring ranges with the same content are merged, and ranges
 * that fill the axis are replaced by "in full". So the slices of a tensor, along whatever axes and
 * in whatever order a planner writes them, stay a few ranges, and a tensor that is written
 * completely has none: only a flag.
 *
 * A union of n boxes can have n squared corners, so no exact answer is possible for all plans in
 * the time that the verifier promises. Work and memory are therefore limited by a budget: each
 * operand of a plan adds a fixed amount, and when it is used up the answer is the safe one: a
 * write is not recorded, a read is refused. The amounts are far above what slicing needs, and the
 * answer depends on the plan alone, not on the machine.
 *
 * Rejected: one list of ranges over all elements in row-major order, in which a slice of an image
 * is a range per channel and row, so that time would depend on the dims; and merging of
 * neighbouring boxes in any direction, which does not terminate in one box for a pinwheel.
 *
 * Functions recurse here once per axis, never deeper than DRM_LOOM_MAX_RANK.
 */

#define LOOM_COVERAGE_WORK_START	0x100000
#define LOOM_COVERAGE_WORK_OPERAND	64
#define LOOM_COVERAGE_NODES_START	0x4000
#define LOOM_COVERAGE_NODES_WRITE	4
#define LOOM_COVERAGE_CHUNK	256

/**
 * struct loom_coverage_node - a range of indices
 * @tree: the key is the first index
 * @sub: ranges on the next axis; empty if all of it is written
 * @end: index behind the last
 */
struct loom_coverage_node {
	struct loom_splay_node tree;
	struct loom_splay sub;
	u32 end;
};

/**
 * struct loom_coverage_chunk - memory for ranges
 * @next: next chunk
 * @nodes: the ranges
 */
struct loom_coverage_chunk {
	struct loom_coverage_chunk *next;
	struct loom_coverage_node nodes[LOOM_COVERAGE_CHUNK];
};

/**
 * struct loom_coverage_box - a box being added
 * @low: first index on each axis
 * @high: index behind the last
 * @size: elements of the tensor
 * @axes: number of axes
 * @partial: number of axes up to the last one that the box does not span
 */
struct loom_coverage_box {
	const u32 *low;
	const u32 *high;
	const u32 *size;
	u32 axes;
	u32 partial;
};

static struct loom_coverage_node *coverage_node(struct loom_splay_node *node)
{
	return node ? container_of(node, struct loom_coverage_node, tree) : NULL;
}

void loom_coverage_pool_init(struct loom_coverage_pool *pool)
{
	pool->chunks = NULL;
	pool->free = NULL;
	pool->work = LOOM_COVERAGE_WORK_START;
	pool->nodes = LOOM_COVERAGE_NODES_START;
}

void loom_coverage_pool_fini(struct loom_coverage_pool *pool)
{
	struct loom_coverage_chunk *chunk, *next;

	for (chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		loom_port_free(chunk);
	}
	pool->chunks = NULL;
	pool->free = NULL;
}

static bool coverage_pay(struct loom_coverage_pool *pool)
{
	if (!pool->work)
		return false;
	/* the budget may be large: let others run. The caller checks for signals. */
	if (!(--pool->work & 0xfff))
		(void)loom_port_relax();
	return true;
}

static int coverage_grow(struct loom_coverage_pool *pool)
{
	struct loom_coverage_chunk *chunk = loom_port_alloc(1, sizeof(*chunk));
	u32 i;

	if (!chunk)
		return -ENOMEM;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	for (i = 0; i < LOOM_COVERAGE_CHUNK; i++) {
		chunk->nodes[i].tree.left = pool->free;
		pool->free = &chunk->nodes[i].tree;
	}
	return 0;
}

/* A range; NULL in @node when the budget is used up. */
static int coverage_new(struct loom_coverage_pool *pool, u32 start, u32 end,
			struct loom_coverage_node **node)
{
	int ret;

	*node = NULL;
	if (!pool->nodes)
		return 0;
	if (!pool->free) {
		ret = coverage_grow(pool);
		if (ret)
			return ret;
	}
	pool->nodes--;
	*node = coverage_node(pool->free);
	pool->free = pool->free->left;
	(*node)->tree.key = start;
	(*node)->tree.left = NULL;
	(*node)->tree.right = NULL;
	(*node)->sub.root = NULL;
	(*node)->end = end;
	return 0;
}

/*
 * Frees ranges with all ranges of further axes below them, without recursion: left branches are
 * rotated to the right until the tree is a list; a tree of the next axis is attached as a left
 * branch.
 */
static void coverage_free(struct loom_coverage_pool *pool, struct loom_splay *tree)
{
	struct loom_splay_node *node = tree->root, *left, *right;

	tree->root = NULL;
	while (node) {
		if (!node->left) {
			node->left = coverage_node(node)->sub.root;
			coverage_node(node)->sub.root = NULL;
		}
		left = node->left;
		if (left) {
			node->left = left->right;
			left->right = node;
			node = left;
			continue;
		}
		right = node->right;
		node->left = pool->free;
		pool->free = node;
		pool->nodes++;
		node = right;
	}
}

static void coverage_free_node(struct loom_coverage_pool *pool, struct loom_coverage_node *node)
{
	struct loom_splay tree = { .root = &node->tree };

	node->tree.left = NULL;
	node->tree.right = NULL;
	coverage_free(pool, &tree);
}

/* Copies ranges. The copy lacks some when the budget is used up. */
static int coverage_copy(struct loom_coverage_pool *pool, struct loom_splay *from,
			 struct loom_splay *to)
{
	struct loom_coverage_node *node = coverage_node(loom_splay_ceil(from, 0)), *copy;
	int ret;

	to->root = NULL;
	while (node && coverage_pay(pool)) {
		ret = coverage_new(pool, node->tree.key, node->end, &copy);
		if (ret || !copy)
			return ret;
		if (node->sub.root) {
			ret = coverage_copy(pool, &node->sub, &copy->sub);
			/* an empty tree would mean: written in full */
			if (ret || !copy->sub.root) {
				coverage_free_node(pool, copy);
				return ret;
			}
		}
		/* keys grow, so the tree so far becomes the left branch */
		copy->tree.left = to->root;
		to->root = &copy->tree;
		node = coverage_node(loom_splay_ceil(from, node->end));
	}
	return 0;
}

/* Whether both have the same ranges. False when the budget is used up. */
static bool coverage_alike(struct loom_coverage_pool *pool, struct loom_splay *a,
			   struct loom_splay *b)
{
	struct loom_coverage_node *i, *j;

	if (!a->root || !b->root)
		return !a->root && !b->root;
	i = coverage_node(loom_splay_ceil(a, 0));
	j = coverage_node(loom_splay_ceil(b, 0));
	while (i && j) {
		if (!coverage_pay(pool))
			return false;
		if (i->tree.key != j->tree.key || i->end != j->end ||
		    !coverage_alike(pool, &i->sub, &j->sub))
			return false;
		i = coverage_node(loom_splay_ceil(a, i->end));
		j = coverage_node(loom_splay_ceil(b, j->end));
	}
	return !i && !j;
}

/* Adds [@start, @end) with a copy of the ranges below @like; nothing without budget. */
static int coverage_add_like(struct loom_coverage_pool *pool, struct loom_splay *tree, u32 start,
			     u32 end, struct loom_coverage_node *like)
{
	struct loom_coverage_node *node;
	int ret;

	ret = coverage_new(pool, start, end, &node);
	if (ret || !node)
		return ret;
	if (like->sub.root) {
		ret = coverage_copy(pool, &like->sub, &node->sub);
		if (ret || !node->sub.root) {
			coverage_free_node(pool, node);
			return ret;
		}
	}
	loom_splay_insert(tree, &node->tree);
	return 0;
}

/* Splits @node at @low and @high, as far as they are inside of it; @node is the middle part. */
static int coverage_carve(struct loom_coverage_pool *pool, struct loom_splay *tree,
			  struct loom_coverage_node *node, u32 low, u32 high)
{
	int ret;

	if (node->end > high) {
		u32 end = node->end;

		node->end = high;
		ret = coverage_add_like(pool, tree, high, end, node);
		if (ret)
			return ret;
	}
	if (node->tree.key < low) {
		u32 start = node->tree.key;

		/* the order of the ranges does not change: the tree remains valid */
		node->tree.key = low;
		ret = coverage_add_like(pool, tree, start, low, node);
		if (ret)
			return ret;
	}
	return 0;
}

/* Merges @node with the range before it, if they are adjacent and have the same content. */
static void coverage_merge(struct loom_coverage_pool *pool, struct loom_splay *tree,
			   struct loom_coverage_node *node)
{
	struct loom_coverage_node *before;

	if (!node->tree.key)
		return;
	before = coverage_node(loom_splay_floor(tree, node->tree.key - 1));
	if (!before || before->end != node->tree.key ||
	    !coverage_alike(pool, &before->sub, &node->sub))
		return;
	loom_splay_remove(tree, &node->tree);
	before->end = node->end;
	coverage_free_node(pool, node);
}

/* Replaces one full range over the whole axis by the empty tree. Return: whether it did. */
static bool coverage_fold(struct loom_coverage_pool *pool, struct loom_splay *tree, u32 size)
{
	struct loom_coverage_node *node = coverage_node(tree->root);

	if (!node || node->tree.key || node->end != size || node->sub.root)
		return false;
	coverage_free(pool, tree);
	return true;
}

/*
 * Adds the box, from @axis on, to the ranges of that axis. If all of the axis is written then, sets
 * @full and empties the tree.
 */
static int coverage_add(struct loom_coverage_pool *pool, struct loom_splay *tree,
			const struct loom_coverage_box *box, u32 axis, bool *full)
{
	bool whole = axis + 1 >= box->partial;
	u32 at = box->low[axis], high = box->high[axis];
	struct loom_coverage_node *node, *next;
	int ret;

	*full = false;
	while (at < high && coverage_pay(pool)) {
		bool sub_full = whole;

		node = coverage_node(loom_splay_floor(tree, at));
		if (node && node->end > at) {
			/* at least a part is written already */
			if (!node->sub.root) {
				at = node->end;
				coverage_merge(pool, tree, node);
				continue;
			}
			ret = coverage_carve(pool, tree, node, at, high);
			if (ret)
				return ret;
		} else {
			u32 end = high;

			next = coverage_node(loom_splay_ceil(tree, at));
			if (next && next->tree.key < end)
				end = next->tree.key;
			ret = coverage_new(pool, at, end, &node);
			if (ret)
				return ret;
			if (!node)
				break;
			loom_splay_insert(tree, &node->tree);
		}
		at = node->end;
		if (!whole) {
			ret = coverage_add(pool, &node->sub, box, axis + 1, &sub_full);
			if (ret)
				return ret;
		} else {
			coverage_free(pool, &node->sub);
		}
		if (!sub_full && !node->sub.root) {
			/* the budget is used up: an empty tree would mean in full */
			loom_splay_remove(tree, &node->tree);
			coverage_free_node(pool, node);
			break;
		}
		coverage_merge(pool, tree, node);
	}
	/* the range behind may have the same content now */
	node = coverage_node(loom_splay_ceil(tree, at));
	if (node && node->tree.key == at)
		coverage_merge(pool, tree, node);
	*full = coverage_fold(pool, tree, box->size[axis]);
	return 0;
}

void loom_coverage_complete(struct loom_coverage_pool *pool, struct loom_coverage *coverage)
{
	coverage_free(pool, &coverage->tree);
	coverage->complete = true;
}

int loom_coverage_write(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
			const struct loom_footprint *footprint)
{
	struct loom_coverage_box box = { .size = footprint->size, .axes = footprint->axes };
	u32 i, axis;
	int ret;

	pool->work += LOOM_COVERAGE_WORK_OPERAND;
	pool->nodes += LOOM_COVERAGE_NODES_WRITE;
	for (i = 0; i < footprint->count && !coverage->complete; i++) {
		box.low = footprint->box[i].low;
		box.high = footprint->box[i].high;
		box.partial = 0;
		for (axis = 0; axis < box.axes; axis++)
			if (box.low[axis] || box.high[axis] != box.size[axis])
				box.partial = axis + 1;
		if (!box.partial) {
			loom_coverage_complete(pool, coverage);
			break;
		}
		ret = coverage_add(pool, &coverage->tree, &box, 0, &coverage->complete);
		if (ret)
			return ret;
	}
	return 0;
}

static bool coverage_has_box(struct loom_coverage_pool *pool, struct loom_splay *tree,
			     const struct loom_footprint *footprint, const struct loom_box *box,
			     u32 axis)
{
	u32 at = box->low[axis];

	while (at < box->high[axis]) {
		struct loom_coverage_node *node = coverage_node(loom_splay_floor(tree, at));

		if (!node || node->end <= at || !coverage_pay(pool))
			return false;
		if (node->sub.root &&
		    !coverage_has_box(pool, &node->sub, footprint, box, axis + 1))
			return false;
		at = node->end;
	}
	return true;
}

bool loom_coverage_has(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
		       const struct loom_footprint *footprint)
{
	u32 i;

	pool->work += LOOM_COVERAGE_WORK_OPERAND;
	if (coverage->complete)
		return true;
	if (!footprint->axes)
		return false;
	for (i = 0; i < footprint->count; i++)
		if (!coverage_has_box(pool, &coverage->tree, footprint, &footprint->box[i], 0))
			return false;
	return true;
}
