// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/* What the convolutions share: their operands are prepared, and results written. */

void loom_conv_begin(struct loom_conv *conv, const struct loom_command *command,
		     const struct loom_memory *memory)
{
	const struct drm_loom_attr_conv *attr = command->attr;
	const struct loom_view *next = &command->views[3];

	conv->memory = memory;
	conv->attr = attr;
	conv->y = command->views[0];
	conv->x = command->views[1];
	conv->w = &command->views[2];
	conv->bias = attr->flags & DRM_LOOM_ATTR_BIAS ? next++ : NULL;
	conv->scale = attr->flags & DRM_LOOM_ATTR_SCALE ? next : NULL;
	conv->x_origin = loom_view_origin(&conv->x, memory);
	conv->w_origin = loom_view_origin(conv->w, memory);
	conv->inputs = conv->x.dims[1] / attr->groups;
	conv->outputs = conv->y.dims[1] / attr->groups;
}

void loom_conv_finish(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch, u32 i,
		      u32 n, float *v)
{
	const struct drm_loom_attr_conv *attr = f->c.attr;
	float bias = ch->bias[i];
	u32 j;

	/* whole vectors: the last few of a row would be done one by one */
	n = (n + 15) & ~15U;
	if (f->c.bias) {
		for (j = 0; j < n; j++)
			v[j] += bias;
	}
	loom_tile_act_f32(v, n, attr->act, attr->act_p0, attr->act_p1);
}
