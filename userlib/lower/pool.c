// SPDX-License-Identifier: MIT
/* POOL: maximum, mean and p-norm of windows. */
#include <errno.h>

#include "graph/value.h"
#include "operators.h"
#include "window.h"

static void pool_windows(struct loom_kernel *kernel, const struct loom_gpool *pool,
			 struct drm_loom_attr_pool *attr)
{
	u32 i, axis;

	for (axis = 0; axis < 3; axis++) {
		attr->kernel[axis] = 1;
		attr->stride[axis] = 1;
		attr->dilation[axis] = 1;
		kernel->window[axis].stride = 1;
		kernel->window[axis].extent = 1;
		kernel->window[axis].in = 1;
	}
	for (i = 0; i < pool->num_spatial; i++) {
		axis = loom_window_axis(pool->num_spatial, i);
		attr->kernel[axis] = pool->kernel[i];
		attr->stride[axis] = pool->strides[i];
		attr->dilation[axis] = pool->dilations[i];
		attr->pad_before[axis] = pool->pads_begin[i];
		attr->pad_after[axis] = pool->pads_end[i];
		kernel->window[axis] = (struct loom_window){
			.stride = pool->strides[i],
			.extent = (pool->kernel[i] - 1) * pool->dilations[i] + 1,
			.pad = pool->pads_begin[i],
			.in = kernel->operands[1].ref.dims[SPATIAL + axis],
		};
		kernel->unit_cost *= pool->kernel[i];
	}
}

static void pool_stage(struct loom_kernel *kernel, u32 y, u32 x,
		       const struct drm_loom_attr_pool *attr)
{
	const u32 operands[] = { y, x };
	struct loom_stage *stage = loom_kernel_stage(kernel, DRM_LOOM_OP_POOL, 2, operands);

	stage->pool = *attr;
	stage->attr_bytes = sizeof(*attr);
}

/* Whether no window exceeds the padding, so that all means have the same divisor. */
static bool windows_are_whole(const struct loom_kernel *kernel, const struct loom_gpool *pool)
{
	u32 i;

	for (i = 0; i < pool->num_spatial; i++) {
		u32 axis = loom_window_axis(pool->num_spatial, i);
		const struct loom_window *w = &kernel->window[axis];
		s64 out = kernel->operands[0].ref.dims[SPATIAL + axis];

		if ((out - 1) * w->stride + w->extent > w->in + w->pad + pool->pads_end[i])
			return false;
	}
	return true;
}

static u32 with_number(struct loom_kernel *kernel, u32 y, u32 x, double number, u32 kind)
{
	loom_kernel_binary(kernel, y, x, loom_kernel_const(kernel, x, number), kind);
	return y;
}

/* (sum |x|^p)^(1/p): the mean of |x|^p, times the window's size, to the power of 1/p. */
static int pool_norm(struct loom_lower *lower, struct loom_kernel *kernel,
		     const struct loom_node *node, struct drm_loom_attr_pool *attr)
{
	double size = (double)attr->kernel[0] * attr->kernel[1] * attr->kernel[2];
	u32 t;

	if (!windows_are_whole(kernel, &node->pool))
		return loom_lower_fail(lower, -EOPNOTSUPP,
				       "the device has no p-norm of windows that are cut off");
	attr->kind = DRM_LOOM_POOL_AVG;
	attr->flags = DRM_LOOM_POOL_COUNT_PAD;
	t = loom_kernel_temp(kernel, 1, node->output->dtype);
	loom_kernel_unary(kernel, t, 1, DRM_LOOM_UNARY_ABS, 0, 0);
	if (node->pool.p != 1)
		with_number(kernel, t, t, (double)node->pool.p, DRM_LOOM_BINARY_POW);
	pool_stage(kernel, 0, t, attr);
	with_number(kernel, 0, 0, size, DRM_LOOM_BINARY_MUL);
	if (node->pool.p != 1)
		with_number(kernel, 0, 0, 1 / (double)node->pool.p, DRM_LOOM_BINARY_POW);
	return 0;
}

static int pool_check(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;
	u32 dtype = node->output->dtype;
	int ret;

	if (dtype == DRM_LOOM_DTYPE_BOOL ||
	    (pool->kind != LOOM_GPOOL_MAX && !loom_dtype_is_float(dtype)))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no such pooling of %s",
				       loom_dtype_name(dtype));
	if (!pool->num_spatial || pool->num_spatial > 3)
		return loom_lower_fail(lower, -EOPNOTSUPP, "%u spatial axes", pool->num_spatial);
	ret = loom_window_check(lower, pool->kernel, pool->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, pool->strides, pool->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, pool->dilations, pool->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, pool->pads_begin, pool->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, pool->pads_end, pool->num_spatial);
	return ret;
}

int loom_lower_pool(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	struct drm_loom_attr_pool attr = { .kind = DRM_LOOM_POOL_MAX };
	struct loom_ref y, x;
	u32 i;
	int ret;

	ret = pool_check(lower, node);
	if (!ret)
		ret = loom_storage_write(lower, node->output, &y);
	if (!ret)
		ret = loom_storage_read(lower, node->inputs[0], &x);
	if (ret)
		return ret;
	kernel.unit_cost = 1;
	kernel.last_resort = 1U << 4;
	loom_window_to_volume(&y, pool->num_spatial);
	loom_window_to_volume(&x, pool->num_spatial);
	loom_kernel_operand(&kernel, LOOM_ROLE_STORE, &y);
	loom_kernel_operand(&kernel, LOOM_ROLE_LOAD, &x);
	for (i = 0; i < 2; i++) {
		loom_window_follow_all(&kernel.operands[i]);
		kernel.operands[i].lane_axis = CHANNEL;
	}
	for (i = 0; i < 3; i++)
		loom_window_follow(&kernel.operands[1], SPATIAL + i, LOOM_MAP_WINDOW, SPATIAL + i);
	pool_windows(&kernel, pool, &attr);
	for (i = 0; i < 3; i++)
		loom_window_keep_whole(&kernel, i);
	if (pool->kind == LOOM_GPOOL_LP) {
		ret = pool_norm(lower, &kernel, node, &attr);
		if (ret)
			return ret;
	} else {
		attr.kind = pool->kind == LOOM_GPOOL_MAX ? DRM_LOOM_POOL_MAX : DRM_LOOM_POOL_AVG;
		if (pool->kind == LOOM_GPOOL_AVG && pool->count_include_pad)
			attr.flags = DRM_LOOM_POOL_COUNT_PAD;
		pool_stage(&kernel, 0, 1, &attr);
	}
	return loom_sink_kernel(lower, &kernel);
}
