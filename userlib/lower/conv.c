// SPDX-License-Identifier: MIT
/* CONV, DECONV and POOL: windows over up to three spatial axes. Channels are dealt over lanes. */
#include "operators.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "graph/value.h"

#define CHANNEL		1
#define SPATIAL		2

/* [N, C, spatial...] as [N, C, D, H, W]. */
static void to_volume(struct loom_ref *ref, u32 num_spatial)
{
	while (num_spatial++ < 3)
		loom_ref_insert(ref, SPATIAL);
}

/* A spatial axis i of 1 to 3 is one of D, H, W, from the back. */
static u32 volume_axis(u32 num_spatial, u32 i)
{
	return 3 - num_spatial + i;
}

static void follow(struct loom_operand *operand, u32 axis, enum loom_map_kind kind, u32 result)
{
	operand->map[axis].kind = kind;
	operand->map[axis].axis = result;
	operand->map[axis].spatial = result >= SPATIAL ? result - SPATIAL : 0;
}

static void follow_all(struct loom_operand *operand)
{
	u32 i;

	for (i = 0; i < operand->ref.rank; i++)
		follow(operand, i, LOOM_MAP_SAME, i);
}

/* The attributes are 32 bits wide and the device caps them. */
static int check_window(struct loom_lower *lower, const s64 *numbers, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (numbers[i] > 1 << 24 || numbers[i] < -(1 << 24))
			return loom_lower_fail(lower, -EOPNOTSUPP,
					       "%lld is too large for a kernel, stride or pad",
					       (long long)numbers[i]);
	return 0;
}

/*
 * A slice whose first window lies behind the input would need a negative pad, which the device does
 * not have: such an axis is not cut. Real models have none.
 */
static void keep_whole_past_end(struct loom_kernel *kernel, u32 spatial)
{
	const struct loom_window *w = &kernel->window[spatial];
	s64 out = kernel->operands[0].ref.dims[SPATIAL + spatial];

	if ((out - 1) * w->stride - w->pad >= w->in)
		kernel->whole |= 1U << (SPATIAL + spatial);
}

/* An operand with an element per output channel; a single element is repeated for all. */
static int load_per_channel(struct loom_lower *lower, struct loom_kernel *kernel,
			    const struct loom_value *value, u32 *operand)
{
	u64 channels = kernel->operands[0].ref.dims[CHANNEL];
	struct loom_ref ref;
	int ret = loom_storage_read(lower, value, &ref);

	if (ret)
		return ret;
	if (value->num_elems == 1) {
		ref.rank = 1;
		ref.dims[0] = channels;
		ref.strides[0] = 0;
	} else if (ref.rank != 1 || ref.dims[0] != channels) {
		return loom_lower_fail(lower, -EINVAL, "'%s' has not one element per channel",
				       value->name);
	}
	*operand = loom_kernel_operand(kernel, LOOM_ROLE_LOAD, &ref);
	follow(&kernel->operands[*operand], 0, LOOM_MAP_SAME, CHANNEL);
	return 0;
}

/* The device takes no F16 or F64 bias: such a bias is added by a stage of its own. */
static int add_bias(struct loom_lower *lower, struct loom_kernel *kernel,
		    const struct loom_value *value)
{
	struct loom_operand *operand;
	u32 bias, i;
	int ret = load_per_channel(lower, kernel, value, &bias);

	if (ret)
		return ret;
	operand = &kernel->operands[bias];
	loom_ref_insert(&operand->ref, 0);
	for (i = 0; i < 3; i++)
		loom_ref_insert(&operand->ref, SPATIAL);
	operand->map[0].kind = LOOM_MAP_FULL;
	follow(operand, CHANNEL, LOOM_MAP_SAME, CHANNEL);
	operand->lane_axis = CHANNEL;
	loom_kernel_binary(kernel, 0, 0, bias, DRM_LOOM_BINARY_ADD);
	return 0;
}

static void conv_maps(struct loom_lower *lower, struct loom_kernel *kernel, bool forward)
{
	static const u8 by_out[] = { 0, 1 };
	struct loom_operand *x = &kernel->operands[1], *w = &kernel->operands[2];
	bool grouped = kernel->group != 0;
	u32 i;

	x->lane_axis = CHANNEL;
	follow(x, 0, LOOM_MAP_SAME, 0);
	follow(x, CHANNEL, grouped ? LOOM_MAP_GROUP : LOOM_MAP_FULL, CHANNEL);
	for (i = 0; i < 3; i++)
		follow(x, SPATIAL + i, forward ? LOOM_MAP_WINDOW : LOOM_MAP_SCATTER, SPATIAL + i);
	if (forward) {
		follow(w, 0, LOOM_MAP_SAME, CHANNEL);
	} else {
		follow(w, 0, grouped ? LOOM_MAP_GROUP : LOOM_MAP_FULL, CHANNEL);
		follow(w, 1, grouped ? LOOM_MAP_GROUP_PART : LOOM_MAP_SAME, CHANNEL);
	}
	w->lane_axis = forward ? 0 : loom_lane_pick(w->ref.dims, lower->sram.lanes, by_out, 2);
}

static void conv_windows(struct loom_kernel *kernel, const struct loom_gconv *conv,
			 struct drm_loom_attr_conv *attr)
{
	u32 i, axis;

	for (axis = 0; axis < 3; axis++) {
		attr->stride[axis] = 1;
		attr->dilation[axis] = 1;
		kernel->window[axis].stride = 1;
		kernel->window[axis].extent = 1;
		kernel->window[axis].in = 1;
	}
	for (i = 0; i < conv->num_spatial; i++) {
		axis = volume_axis(conv->num_spatial, i);
		attr->stride[axis] = conv->strides[i];
		attr->dilation[axis] = conv->dilations[i];
		attr->pad[axis] = conv->pads_begin[i];
		kernel->window[axis] = (struct loom_window){
			.stride = conv->strides[i],
			.extent = (conv->kernel[i] - 1) * conv->dilations[i] + 1,
			.pad = conv->pads_begin[i],
			.in = kernel->operands[1].ref.dims[SPATIAL + axis],
		};
	}
}

static int conv_check(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gconv *conv = &node->conv;
	const struct loom_value *x = node->inputs[LOOM_GCONV_X], *w = node->inputs[LOOM_GCONV_W];
	bool bytes = x->dtype == DRM_LOOM_DTYPE_I8 || x->dtype == DRM_LOOM_DTYPE_U8;
	int ret;

	if (!loom_dtype_is_float(x->dtype) && (!bytes || node->op == LOOM_GOP_DECONV))
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no %s of %s",
				       loom_gop_name(node->op), loom_dtype_name(x->dtype));
	if (loom_dtype_is_float(x->dtype) && (w->dtype != x->dtype ||
					      node->output->dtype != x->dtype))
		return loom_lower_fail(lower, -EOPNOTSUPP, "data is %s, weights are %s",
				       loom_dtype_name(x->dtype), loom_dtype_name(w->dtype));
	if (!conv->num_spatial || conv->num_spatial > 3)
		return loom_lower_fail(lower, -EOPNOTSUPP, "%u spatial axes", conv->num_spatial);
	ret = check_window(lower, conv->strides, conv->num_spatial);
	if (!ret)
		ret = check_window(lower, conv->dilations, conv->num_spatial);
	if (!ret)
		ret = check_window(lower, conv->kernel, conv->num_spatial);
	if (!ret)
		ret = check_window(lower, conv->pads_begin, conv->num_spatial);
	return ret;
}

static int conv_operands(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_node *node)
{
	const struct loom_gconv *conv = &node->conv;
	struct loom_ref y, x, w;
	int ret;

	ret = loom_storage_write(lower, node->output, &y);
	if (!ret)
		ret = loom_storage_read(lower, node->inputs[LOOM_GCONV_X], &x);
	if (!ret)
		ret = loom_storage_read(lower, node->inputs[LOOM_GCONV_W], &w);
	if (ret)
		return ret;
	to_volume(&y, conv->num_spatial);
	to_volume(&x, conv->num_spatial);
	to_volume(&w, conv->num_spatial);
	loom_kernel_operand(kernel, LOOM_ROLE_STORE, &y);
	loom_kernel_operand(kernel, LOOM_ROLE_LOAD, &x);
	loom_kernel_operand(kernel, LOOM_ROLE_LOAD, &w);
	if (conv->groups > 1) {
		kernel->group = y.dims[CHANNEL] / conv->groups;
		kernel->group_in = x.dims[CHANNEL] / conv->groups;
	}
	follow_all(&kernel->operands[0]);
	kernel->operands[0].lane_axis = CHANNEL;
	conv_maps(lower, kernel, node->op == LOOM_GOP_CONV);
	kernel->last_resort = 1U << 4;
	kernel->unit_cost = x.dims[CHANNEL] / conv->groups * w.dims[2] * w.dims[3] * w.dims[4];
	return 0;
}

static int conv_stage(struct loom_lower *lower, struct loom_kernel *kernel,
		      const struct loom_node *node)
{
	struct loom_value *const *in = node->inputs;
	bool floating = loom_dtype_is_float(in[LOOM_GCONV_X]->dtype);
	u32 opcode = node->op == LOOM_GOP_CONV ? DRM_LOOM_OP_CONV : DRM_LOOM_OP_DECONV;
	bool own_bias = in[LOOM_GCONV_BIAS] &&
			(!floating || in[LOOM_GCONV_BIAS]->dtype == DRM_LOOM_DTYPE_F32);
	bool late_bias = in[LOOM_GCONV_BIAS] && !own_bias;
	struct drm_loom_attr_conv attr = { .groups = node->conv.groups };
	u32 operands[5] = { 0, 1, 2 }, n = 3;
	struct loom_stage *stage;
	bool fused = false;
	int ret = 0;

	conv_windows(kernel, &node->conv, &attr);
	if (own_bias) {
		ret = load_per_channel(lower, kernel, in[LOOM_GCONV_BIAS], &operands[n++]);
		attr.flags |= DRM_LOOM_ATTR_BIAS;
	}
	if (!ret && in[LOOM_GCONV_MULT]) {
		ret = load_per_channel(lower, kernel, in[LOOM_GCONV_MULT], &operands[n++]);
		attr.flags |= DRM_LOOM_ATTR_SCALE;
	}
	if (!ret)
		ret = loom_lower_zero_point(lower, in[LOOM_GCONV_X_ZP], &attr.x_zero);
	if (!ret)
		ret = loom_lower_zero_point(lower, in[LOOM_GCONV_W_ZP], &attr.w_zero);
	if (!ret)
		ret = loom_lower_zero_point(lower, in[LOOM_GCONV_Y_ZP], &attr.y_zero);
	if (ret)
		return ret;
	if (!late_bias)
		fused = loom_kernel_activation(&node->act, node->output->dtype, &attr.act,
					       &attr.act_p0, &attr.act_p1);
	stage = loom_kernel_stage(kernel, opcode, n, operands);
	stage->conv = attr;
	stage->attr_bytes = sizeof(attr);
	if (late_bias)
		ret = add_bias(lower, kernel, in[LOOM_GCONV_BIAS]);
	if (!ret && !fused && node->act.fn != LOOM_GFN_NONE)
		ret = loom_kernel_function(lower, kernel, 0, 0, &node->act);
	return ret;
}

int loom_lower_conv(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_kernel kernel = { .num_operands = 0 };
	u32 i;
	int ret;

	ret = conv_check(lower, node);
	if (!ret)
		ret = conv_operands(lower, &kernel, node);
	if (!ret)
		ret = conv_stage(lower, &kernel, node);
	if (ret)
		return ret;
	for (i = 0; i < 3 && node->op == LOOM_GOP_CONV; i++)
		keep_whole_past_end(&kernel, i);
	return loom_sink_kernel(lower, &kernel);
}

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
		axis = volume_axis(pool->num_spatial, i);
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

/* No window reaches past the padding, so the mean of each is its sum divided by the same number. */
static bool windows_are_whole(const struct loom_kernel *kernel, const struct loom_gpool *pool)
{
	u32 i;

	for (i = 0; i < pool->num_spatial; i++) {
		u32 axis = volume_axis(pool->num_spatial, i);
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
	ret = check_window(lower, pool->kernel, pool->num_spatial);
	if (!ret)
		ret = check_window(lower, pool->strides, pool->num_spatial);
	if (!ret)
		ret = check_window(lower, pool->dilations, pool->num_spatial);
	if (!ret)
		ret = check_window(lower, pool->pads_begin, pool->num_spatial);
	if (!ret)
		ret = check_window(lower, pool->pads_end, pool->num_spatial);
	return ret;
}

int loom_lower_pool(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;
	struct loom_kernel kernel = { .unit_cost = 1, .last_resort = 1U << 4 };
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
	to_volume(&y, pool->num_spatial);
	to_volume(&x, pool->num_spatial);
	loom_kernel_operand(&kernel, LOOM_ROLE_STORE, &y);
	loom_kernel_operand(&kernel, LOOM_ROLE_LOAD, &x);
	for (i = 0; i < 2; i++) {
		follow_all(&kernel.operands[i]);
		kernel.operands[i].lane_axis = CHANNEL;
	}
	for (i = 0; i < 3; i++)
		follow(&kernel.operands[1], SPATIAL + i, LOOM_MAP_WINDOW, SPATIAL + i);
	pool_windows(&kernel, pool, &attr);
	for (i = 0; i < 3; i++)
		keep_whole_past_end(&kernel, i);
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
