// SPDX-License-Identifier: MIT
/* CONV and DECONV. */
#include <errno.h>

#include "graph/value.h"
#include "operators.h"
#include "window.h"

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
	loom_window_follow(&kernel->operands[*operand], 0, LOOM_MAP_SAME, CHANNEL);
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
	loom_window_follow(operand, CHANNEL, LOOM_MAP_SAME, CHANNEL);
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
	loom_window_follow(x, 0, LOOM_MAP_SAME, 0);
	loom_window_follow(x, CHANNEL, grouped ? LOOM_MAP_GROUP : LOOM_MAP_FULL, CHANNEL);
	for (i = 0; i < 3; i++)
		loom_window_follow(x, SPATIAL + i, forward ? LOOM_MAP_WINDOW : LOOM_MAP_SCATTER,
				   SPATIAL + i);
	if (forward) {
		loom_window_follow(w, 0, LOOM_MAP_SAME, CHANNEL);
	} else {
		loom_window_follow(w, 0, grouped ? LOOM_MAP_GROUP : LOOM_MAP_FULL, CHANNEL);
		loom_window_follow(w, 1, grouped ? LOOM_MAP_GROUP_PART : LOOM_MAP_SAME, CHANNEL);
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
		axis = loom_window_axis(conv->num_spatial, i);
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
	ret = loom_window_check(lower, conv->strides, conv->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, conv->dilations, conv->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, conv->kernel, conv->num_spatial);
	if (!ret)
		ret = loom_window_check(lower, conv->pads_begin, conv->num_spatial);
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
	loom_window_to_volume(&y, conv->num_spatial);
	loom_window_to_volume(&x, conv->num_spatial);
	loom_window_to_volume(&w, conv->num_spatial);
	loom_kernel_operand(kernel, LOOM_ROLE_STORE, &y);
	loom_kernel_operand(kernel, LOOM_ROLE_LOAD, &x);
	loom_kernel_operand(kernel, LOOM_ROLE_LOAD, &w);
	if (conv->groups > 1) {
		kernel->group = y.dims[CHANNEL] / conv->groups;
		kernel->group_in = x.dims[CHANNEL] / conv->groups;
	}
	loom_window_follow_all(&kernel->operands[0]);
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
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
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
		loom_window_keep_whole(&kernel, i);
	return loom_sink_kernel(lower, &kernel);
}
