// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/*
 * A command must only read written elements, and must not write elements that it reads, except
 * elementwise operations in place. A tensor's state has the coverage of its writes; those through
 * an alias are recorded with the parent where they have a footprint there.
 */

static u32 loom_tensor_root(const struct loom_verify *verify, u32 tensor)
{
	if (verify->tensors[tensor].flags & DRM_LOOM_TENSOR_ALIAS)
		return verify->tensors[tensor].parent;
	return tensor;
}

/* The footprint of a view in a tensor, which may be another one that shares its bytes. */
static bool __must_check loom_data_footprint(struct loom_verify *verify, u32 which, u32 tensor,
					     const struct loom_view *view)
{
	const struct drm_loom_plan_tensor *of = &verify->tensors[tensor];

	/* an interrupt is reported again by the next call */
	(void)loom_work_do(&verify->work, LOOM_WORK_FOOTPRINT);
	return loom_dtype_stride(of->dtype) == view->elem_bytes &&
	       loom_footprint_get(&verify->footprints[which], of, view, verify->plan->lanes);
}

/*
 * Whether a view is its tensor, axis by axis. Its footprint is then every element, and need not be
 * computed: most operands that networks write are whole.
 */
static bool loom_data_is_whole(const struct drm_loom_plan_tensor *tensor,
			       const struct loom_view *view)
{
	u32 i;

	if (view->offset != tensor->offset || view->rank != tensor->rank ||
	    view->lane_axis != tensor->lane_axis || view->lane_start)
		return false;
	for (i = 0; i < view->rank; i++)
		if (view->dims[i] != tensor->dims[i] ||
		    (view->dims[i] > 1 && (u64)view->strides[i] != tensor->strides[i]))
			return false;
	return true;
}

/*
 * Whether all bytes from the first to the last of a view, in SRAM in any bank, belong to written
 * elements. Required for a view without a footprint.
 */
static bool loom_data_is_dense(const struct loom_verify *verify, u32 tensor,
			       const struct loom_view *view)
{
	return verify->states[tensor].dense && verify->states[tensor].coverage.complete &&
	       view->end <= verify->tensors[tensor].offset + verify->states[tensor].extent;
}

static bool __must_check loom_data_is_written(struct loom_verify *verify,
					      const struct loom_view *view)
{
	u32 root = loom_tensor_root(verify, view->tensor);
	const struct drm_loom_plan_tensor *tensor = &verify->tensors[root];

	if (loom_tensor_in_slot(tensor) &&
	    loom_tensor_slot(verify, tensor)->flags & DRM_LOOM_SLOT_READ)
		return true;
	if (loom_data_is_dense(verify, root, view))
		return true;
	if (loom_data_footprint(verify, 0, root, view) &&
	    loom_coverage_has(&verify->pool, &verify->states[root].coverage,
			      &verify->footprints[0]))
		return true;
	if (view->tensor == root)
		return false;
	return loom_data_is_dense(verify, view->tensor, view) ||
	       (loom_data_footprint(verify, 0, view->tensor, view) &&
		loom_coverage_has(&verify->pool, &verify->states[view->tensor].coverage,
				  &verify->footprints[0]));
}

static int __must_check loom_data_write(struct loom_verify *verify, const struct loom_view *view)
{
	u32 root = loom_tensor_root(verify, view->tensor);
	struct loom_tensor_state *parent = &verify->states[root];
	struct loom_tensor_state *alias = &verify->states[view->tensor];
	int ret;

	parent->touched = true;
	if (parent->coverage.complete)
		return 0;
	if (view->tensor == root && loom_data_is_whole(&verify->tensors[root], view)) {
		(void)loom_work_do(&verify->work, LOOM_WORK_FOOTPRINT);
		loom_coverage_write_all(&verify->pool, &parent->coverage);
		return 0;
	}
	if (loom_data_footprint(verify, 0, root, view) && verify->footprints[0].exact)
		return loom_coverage_write(&verify->pool, &parent->coverage,
					   &verify->footprints[0]);
	if (view->tensor == root || alias->coverage.complete)
		return 0;

	/*
	 * Without a footprint in the parent it is recorded for the alias. An alias that has all
	 * bytes of the parent makes the parent complete.
	 */
	if (!loom_data_footprint(verify, 0, view->tensor, view) || !verify->footprints[0].exact)
		return 0;
	ret = loom_coverage_write(&verify->pool, &alias->coverage, &verify->footprints[0]);
	if (ret)
		return ret;
	if (alias->coverage.complete && alias->dense &&
	    verify->tensors[view->tensor].offset == verify->tensors[root].offset &&
	    alias->extent >= parent->extent)
		loom_coverage_complete(&verify->pool, &parent->coverage);
	return 0;
}

static bool loom_data_same_view(const struct loom_view *a, const struct loom_view *b)
{
	u32 i;

	if (loom_view_space(a) != loom_view_space(b) || a->elem_bytes != b->elem_bytes ||
	    a->rank != b->rank || a->lane_axis != b->lane_axis ||
	    a->lane_start != b->lane_start || a->offset != b->offset)
		return false;
	for (i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i] || a->strides[i] != b->strides[i])
			return false;
	return true;
}

/* Whether the answer of a coverage is valid. */
static int __must_check loom_data_check_work(struct loom_verify *verify)
{
	if (verify->work.interrupted)
		return -EINTR;
	if (verify->pool.exhausted)
		return loom_reject(verify, DRM_LOOM_RULE_WORK);
	return 0;
}

/* Whether two views whose byte ranges overlap share no element: columns of an image, for one. */
static bool loom_data_disjoint(struct loom_verify *verify, const struct loom_view *a,
			       const struct loom_view *b)
{
	u32 root = loom_tensor_root(verify, a->tensor);

	/* the boxes are compared pair by pair */
	(void)loom_work_do(&verify->work, LOOM_WORK_FOOTPRINT);
	return root == loom_tensor_root(verify, b->tensor) &&
	       loom_data_footprint(verify, 0, root, a) &&
	       loom_data_footprint(verify, 1, root, b) &&
	       loom_footprint_disjoint(&verify->footprints[0], &verify->footprints[1]);
}

/* Of written operand @written against those behind it. */
static int __must_check loom_data_check_in_place(struct loom_verify *verify,
						 const struct loom_command *command, u32 written)
{
	const struct loom_view *y = &command->views[written];
	u32 i;

	for (i = written + 1; i < command->operands; i++) {
		const struct loom_view *x = &command->views[i];

		if (loom_view_space(x) != loom_view_space(y) || x->start >= y->end ||
		    y->start >= x->end)
			continue;
		if (command->op->in_place >> i & 1 && loom_data_same_view(x, y))
			continue;
		if (loom_data_disjoint(verify, x, y))
			continue;
		loom_reject_view(verify, DRM_LOOM_RULE_IN_PLACE, i, x);
		verify->reject->valid |= DRM_LOOM_REJECT_OTHER;
		verify->reject->other = y->tensor;
		verify->reject->start = max(x->start, y->start);
		verify->reject->end = min(x->end, y->end);
		return -EBADMSG;
	}
	return 0;
}

/* Whether only temporaries use the tensor of a view, so that nobody reads what is left in it. */
static bool loom_data_is_temporary(const struct loom_verify *verify, const struct loom_view *view)
{
	return !(verify->tensors[view->tensor].flags & DRM_LOOM_TENSOR_ALIAS) &&
	       !verify->states[view->tensor].touched &&
	       !(loom_view_in_slot(view) &&
		 verify->plan->slots[view->slot].flags & DRM_LOOM_SLOT_READ);
}

int loom_verify_data(struct loom_verify *verify)
{
	const struct loom_command *command = &verify->plan->commands[verify->command];
	const struct loom_view *views = command->views;
	u32 i;
	int ret;

	for (i = 0; i < command->written; i++)
		if (loom_view_in_slot(&views[i]) &&
		    !(verify->plan->slots[views[i].slot].flags & DRM_LOOM_SLOT_WRITE))
			return loom_reject_view(verify, DRM_LOOM_RULE_READ_ONLY, i, &views[i]);
	for (i = command->outputs; i < command->reads; i++)
		if (!loom_data_is_temporary(verify, &views[i]))
			return loom_reject_view(verify, DRM_LOOM_RULE_TEMPORARY, i, &views[i]);
	for (i = command->reads; i < command->operands; i++) {
		bool written = loom_data_is_written(verify, &views[i]);

		ret = loom_data_check_work(verify);
		if (ret)
			return ret;
		if (!written)
			return loom_reject_view(verify, DRM_LOOM_RULE_UNINITIALISED, i, &views[i]);
	}
	for (i = 0; i < command->written; i++) {
		ret = loom_data_check_in_place(verify, command, i);
		if (ret)
			return ret;
	}
	for (i = 0; i < command->outputs; i++) {
		ret = loom_data_write(verify, &views[i]);
		if (ret)
			return ret;
	}
	return loom_data_check_work(verify);
}
