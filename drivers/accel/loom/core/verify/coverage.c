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
 * the time that the verifier promises. Work and memory are therefore limited by a budget that
 * follows from the bytes of the plan: LOOM_COVERAGE_WORK_BYTE units of work (work.h) and a range
 * for each LOOM_COVERAGE_BYTES_NODE of them, and an amount to begin with, which is the same for all
 * plans. Slicing needs far less: the planner's own plans stay below a tenth of it. When the budget
 * is used up the coverage is a conservative approximation with fewer elements, and the plan is
 * refused with DRM_LOOM_RULE_WORK, not with the rule about unwritten elements, which would mislead
 * its author. The result depends on the plan alone, not on the machine.
 *
 * Rejected: a budget for each operand. Commands may share their operands, so a plan of 32 MB had as
 * much as one of 500 MB; and the unused part could be saved for later, so that there was no
 * difference to one sum for the whole plan.
 *
 * Rejected: one list of ranges over all elements in row-major order, in which a slice of an image
 * is a range per channel and row, so that time would depend on the dims; and merging of
 * neighbouring boxes in any direction, which does not terminate in one box for a pinwheel.
 *
 * Functions recurse here once per axis, never deeper than DRM_LOOM_MAX_RANK.
 */

/* With the link to the next one just below a power of two, to which allocators round up. */
#define LOOM_COVERAGE_CHUNK	255

/**
 * struct loom_coverage_node - a range of indices
 * @tree: the key is the first index, the end is that behind the last
 * @sub: ranges on the next axis; empty if all of it is written
 */
struct loom_coverage_node {
	struct loom_splay_node tree;
	struct loom_splay sub;
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

void loom_coverage_pool_init(struct loom_coverage_pool *pool, struct loom_work *work,
			     u64 plan_bytes)
{
	memset(pool, 0, sizeof(*pool));
	pool->work = work;
	pool->units = LOOM_COVERAGE_WORK_START + plan_bytes * LOOM_COVERAGE_WORK_BYTE;
	pool->nodes = LOOM_COVERAGE_NODES_START +
		      div64_u64(plan_bytes, LOOM_COVERAGE_BYTES_NODE);
}

u64 loom_coverage_bytes(u64 plan_bytes)
{
	u64 nodes = LOOM_COVERAGE_NODES_START + div64_u64(plan_bytes, LOOM_COVERAGE_BYTES_NODE);

	return loom_div_round_up(nodes, LOOM_COVERAGE_CHUNK) * sizeof(struct loom_coverage_chunk);
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

/* The units that one operand takes are subtracted when it is done. */
static void coverage_begin(struct loom_coverage_pool *pool)
{
	pool->end = pool->work->done + pool->units;
}

static void coverage_end(struct loom_coverage_pool *pool)
{
	pool->units = pool->end > pool->work->done ? pool->end - pool->work->done : 0;
}

static bool coverage_pay(struct loom_coverage_pool *pool)
{
	if (!loom_work_do(pool->work, 1))
		return false;
	if (pool->work->done < pool->end)
		return true;
	pool->exhausted = true;
	return false;
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
	if (!pool->nodes) {
		pool->exhausted = true;
		return 0;
	}
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
	(*node)->tree.end = end;
	return 0;
}

/*
 * Frees ranges with all ranges of further axes below them, without recursion: left branches are
 * rotated to the right until the tree is a list; a tree of the next axis is attached as a left
 * branch. After an interrupt nothing is freed, because a range may still be in a tree:
 * loom_coverage_pool_fini() frees all.
 */
static void coverage_free(struct loom_coverage_pool *pool, struct loom_splay *tree)
{
	struct loom_splay_node *node = tree->root, *left, *right;

	tree->root = NULL;
	while (node && loom_work_do(pool->work, 1)) {
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

	if (pool->work->interrupted)
		return;
	node->tree.left = NULL;
	node->tree.right = NULL;
	coverage_free(pool, &tree);
}

/* Copies ranges. The copy lacks some when the budget is used up. */
static int coverage_copy(struct loom_coverage_pool *pool, struct loom_splay *from,
			 struct loom_splay *to)
{
	struct loom_coverage_node *node, *copy;
	int ret;

	node = coverage_node(loom_splay_ceil(from, 0, pool->work));
	to->root = NULL;
	while (node && coverage_pay(pool)) {
		ret = coverage_new(pool, node->tree.key, node->tree.end, &copy);
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
		node = coverage_node(loom_splay_ceil(from, node->tree.end, pool->work));
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
	i = coverage_node(loom_splay_ceil(a, 0, pool->work));
	j = coverage_node(loom_splay_ceil(b, 0, pool->work));
	while (i && j) {
		if (!coverage_pay(pool))
			return false;
		if (i->tree.key != j->tree.key || i->tree.end != j->tree.end ||
		    !coverage_alike(pool, &i->sub, &j->sub))
			return false;
		i = coverage_node(loom_splay_ceil(a, i->tree.end, pool->work));
		j = coverage_node(loom_splay_ceil(b, j->tree.end, pool->work));
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
	loom_splay_insert(tree, &node->tree, pool->work);
	return 0;
}

/* Splits @node at @low and @high, as far as they are inside of it; @node is the middle part. */
static int coverage_carve(struct loom_coverage_pool *pool, struct loom_splay *tree,
			  struct loom_coverage_node *node, u32 low, u32 high)
{
	int ret;

	if (node->tree.end > high) {
		u32 end = node->tree.end;

		node->tree.end = high;
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
	before = coverage_node(loom_splay_floor(tree, node->tree.key - 1, pool->work));
	if (!before || before->tree.end != node->tree.key ||
	    !coverage_alike(pool, &before->sub, &node->sub))
		return;
	loom_splay_remove(tree, &node->tree, pool->work);
	before->tree.end = node->tree.end;
	coverage_free_node(pool, node);
}

/* Replaces one full range over the whole axis by the empty tree. Return: whether it did. */
static bool coverage_fold(struct loom_coverage_pool *pool, struct loom_splay *tree, u32 size)
{
	struct loom_coverage_node *node = coverage_node(tree->root);

	if (!node || node->tree.key || node->tree.end != size || node->sub.root)
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

		node = coverage_node(loom_splay_floor(tree, at, pool->work));
		if (node && node->tree.end > at) {
			/* at least a part is written already */
			if (!node->sub.root) {
				at = node->tree.end;
				coverage_merge(pool, tree, node);
				continue;
			}
			ret = coverage_carve(pool, tree, node, at, high);
			if (ret)
				return ret;
		} else {
			u32 end = high;

			next = coverage_node(loom_splay_ceil(tree, at, pool->work));
			if (next && next->tree.key < end)
				end = next->tree.key;
			ret = coverage_new(pool, at, end, &node);
			if (ret)
				return ret;
			if (!node)
				break;
			loom_splay_insert(tree, &node->tree, pool->work);
		}
		at = node->tree.end;
		if (!whole) {
			ret = coverage_add(pool, &node->sub, box, axis + 1, &sub_full);
			if (ret)
				return ret;
		} else {
			coverage_free(pool, &node->sub);
		}
		if (!sub_full && !node->sub.root) {
			/* the budget is used up: an empty tree would mean in full */
			loom_splay_remove(tree, &node->tree, pool->work);
			coverage_free_node(pool, node);
			break;
		}
		coverage_merge(pool, tree, node);
	}
	/* the range behind may have the same content now */
	node = coverage_node(loom_splay_ceil(tree, at, pool->work));
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

void loom_coverage_write_all(struct loom_coverage_pool *pool, struct loom_coverage *coverage)
{
	coverage_begin(pool);
	loom_coverage_complete(pool, coverage);
	coverage_end(pool);
}

int loom_coverage_write(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
			const struct loom_footprint *footprint)
{
	struct loom_coverage_box box = { .size = footprint->size, .axes = footprint->axes };
	u32 i, axis;
	int ret;

	coverage_begin(pool);
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
	coverage_end(pool);
	return 0;
}

static bool coverage_has_box(struct loom_coverage_pool *pool, struct loom_splay *tree,
			     const struct loom_footprint *footprint, const struct loom_box *box,
			     u32 axis)
{
	u32 at = box->low[axis];

	while (at < box->high[axis]) {
		struct loom_coverage_node *node;

		node = coverage_node(loom_splay_floor(tree, at, pool->work));
		if (!node || node->tree.end <= at || !coverage_pay(pool))
			return false;
		if (node->sub.root &&
		    !coverage_has_box(pool, &node->sub, footprint, box, axis + 1))
			return false;
		at = node->tree.end;
	}
	return true;
}

bool loom_coverage_has(struct loom_coverage_pool *pool, struct loom_coverage *coverage,
		       const struct loom_footprint *footprint)
{
	bool has = true;
	u32 i;

	if (coverage->complete)
		return true;
	if (!footprint->axes)
		return false;
	coverage_begin(pool);
	for (i = 0; has && i < footprint->count; i++)
		has = coverage_has_box(pool, &coverage->tree, footprint, &footprint->box[i], 0);
	coverage_end(pool);
	return has;
}
