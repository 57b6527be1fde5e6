// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/**
 * DOC: Tensors that are alive together
 *
 * A sweep over the steps keeps, for each slot and for the scratch, the tensors that are alive in
 * order of their addresses. They are disjoint, or the sweep had ended; so a tensor that
 * begins to live needs to be compared with its two neighbours only. Aliases lie in their
 * parents, in bytes and in steps, and are left out. Tensors are sorted by first and last step by
 * counting, as steps are small numbers.
 */

/**
 * struct loom_live - a tensor in the sweep
 * @tree: among those alive in its space; the key is the first byte
 * @next_first: next tensor with the same first step
 * @next_last: next tensor with the same last step
 */
struct loom_live {
	struct loom_tree_node tree;
	u32 next_first;
	u32 next_last;
};

/**
 * struct loom_sweep - the sweep
 * @live: by tensor
 * @first: by step: first of the list of tensors that begin there, plus one; zero for none
 * @last: by step: first of the list of tensors that end there, plus one; zero for none
 * @spaces: the tensors alive
 */
struct loom_sweep {
	struct loom_live *live;
	u32 *first;
	u32 *last;
	struct loom_tree spaces[LOOM_SPACE_COUNT];
};

/* From the last to the first, so that the lists come out in table order. */
static int __must_check loom_sweep_sort(struct loom_verify *verify, struct loom_sweep *sweep)
{
	u32 i;
	int ret;

	for (i = verify->header->tensors.count; i-- > 0;) {
		const struct drm_loom_plan_tensor *tensor = &verify->tensors[i];

		ret = loom_verify_relax(i);
		if (ret)
			return ret;
		if (tensor->flags & LOOM_TENSOR_ALIAS)
			continue;
		sweep->live[i].tree.key = tensor->offset;
		sweep->live[i].next_first = sweep->first[tensor->first_step];
		sweep->first[tensor->first_step] = i + 1;
		sweep->live[i].next_last = sweep->last[tensor->last_step];
		sweep->last[tensor->last_step] = i + 1;
	}
	return 0;
}

static int __must_check loom_sweep_meet(struct loom_verify *verify, struct loom_sweep *sweep,
					u32 index, const struct loom_tree_node *node)
{
	u32 other = container_of(node, struct loom_live, tree) - sweep->live;
	const struct drm_loom_plan_tensor *a = &verify->tensors[index];
	const struct drm_loom_plan_tensor *b = &verify->tensors[other];
	u64 start = max(a->offset, b->offset);
	u64 end = min(a->offset + a->size, b->offset + b->size);

	if (start >= end)
		return 0;
	loom_reject_meets(verify, LOOM_RULE_TENSOR_OVERLAP, index, other, start, end);
	/* The tensor came to life last of both, so this is the first step they share. */
	verify->reject->valid |= LOOM_REJECT_STEP;
	verify->reject->step = a->first_step;
	return -EBADMSG;
}

static int __must_check loom_sweep_enter(struct loom_verify *verify, struct loom_sweep *sweep,
					 u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &verify->tensors[index];
	struct loom_tree *space = &sweep->spaces[loom_tensor_space(tensor)];
	struct loom_tree_node *node;
	int ret;

	node = loom_tree_floor(space, tensor->offset);
	if (node) {
		ret = loom_sweep_meet(verify, sweep, index, node);
		if (ret)
			return ret;
	}
	node = loom_tree_ceil(space, tensor->offset);
	if (node) {
		ret = loom_sweep_meet(verify, sweep, index, node);
		if (ret)
			return ret;
	}
	loom_tree_insert(space, &sweep->live[index].tree);
	return 0;
}

static int __must_check loom_sweep_run(struct loom_verify *verify, struct loom_sweep *sweep)
{
	u32 step, i, round = 0;
	int ret;

	ret = loom_sweep_sort(verify, sweep);
	if (ret)
		return ret;
	for (step = 0; step < verify->header->steps.count; step++) {
		ret = loom_verify_relax(step);
		if (ret)
			return ret;
		for (i = sweep->first[step]; i; i = sweep->live[i - 1].next_first) {
			ret = loom_verify_relax(++round);
			if (ret)
				return ret;
			ret = loom_sweep_enter(verify, sweep, i - 1);
			if (ret)
				return ret;
		}
		for (i = sweep->last[step]; i; i = sweep->live[i - 1].next_last) {
			ret = loom_verify_relax(++round);
			if (ret)
				return ret;
			loom_tree_remove(&sweep->spaces[loom_tensor_space(&verify->tensors[i - 1])],
					 &sweep->live[i - 1].tree);
		}
	}
	return 0;
}

int loom_verify_overlap(struct loom_verify *verify)
{
	struct loom_sweep *sweep = loom_port_alloc(1, sizeof(*sweep));
	int ret = -ENOMEM;

	if (!sweep)
		return -ENOMEM;
	sweep->live = loom_port_alloc(verify->header->tensors.count, sizeof(*sweep->live));
	sweep->first = loom_port_alloc(verify->header->steps.count, sizeof(*sweep->first));
	sweep->last = loom_port_alloc(verify->header->steps.count, sizeof(*sweep->last));
	if (sweep->live && sweep->first && sweep->last)
		ret = loom_sweep_run(verify, sweep);
	loom_port_free(sweep->last);
	loom_port_free(sweep->first);
	loom_port_free(sweep->live);
	loom_port_free(sweep);
	return ret;
}
