// SPDX-License-Identifier: MIT
#include "window.h"

#include <errno.h>

enum loom_auto_pad loom_window_auto_pad(struct loom_import *im)
{
	static const char *const names[] = {
		"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL,
	};

	return (enum loom_auto_pad)loom_attr_choice(im, "auto_pad", names);
}

void loom_window_ints(struct loom_import *im, const char *name, uint32_t count, int64_t missing,
		      int64_t least, int64_t *ints)
{
	int64_t given[2 * LOOM_GRAPH_SPATIAL];
	uint32_t i, num_given = loom_attr_ints(im, name, given, 2 * LOOM_GRAPH_SPATIAL);

	if (num_given && num_given != count)
		loom_import_fail(im, -EINVAL, "attribute %s has %u elements, %u are needed", name,
				 num_given, count);
	for (i = 0; i < count; i++) {
		ints[i] = num_given && !im->em->status ? given[i] : missing;
		if (ints[i] < least || ints[i] > LOOM_WINDOW_MAX) {
			loom_import_fail(im, -EINVAL, "attribute %s: %lld is out of range", name,
					 (long long)ints[i]);
			ints[i] = missing;
		}
	}
}

int64_t loom_window_extent(const struct loom_onnx_window *window, uint32_t axis)
{
	return (window->kernel[axis] - 1) * window->dilations[axis] + 1;
}

void loom_window_split_pads(enum loom_auto_pad mode, int64_t total, int64_t *begin, int64_t *end)
{
	*begin = mode == LOOM_AUTO_PAD_SAME_UPPER ? total / 2 : total - total / 2;
	*end = total - *begin;
}

static int64_t window_count(struct loom_import *im, const struct loom_onnx_window *window,
			    uint32_t axis)
{
	int64_t stride = window->strides[axis];
	int64_t padded = window->in[axis] + window->pads_begin[axis] + window->pads_end[axis];
	int64_t room = padded - loom_window_extent(window, axis);
	int64_t count;

	/*
	 * If rounded up, the formula gives a window that the data do not fill, otherwise an empty
	 * result. Only pools have those in ONNX Runtime.
	 */
	if (window->is_pool && room < 0 && room > -stride)
		return window->ceil_mode ? 1 : 0;
	if (window->is_pool && room == -stride)
		return 0;
	if (room < 0) {
		loom_import_fail(im, -EINVAL, "the window is larger than axis %u of the data",
				 axis + 2);
		return 0;
	}
	if (!window->ceil_mode)
		return room / stride + 1;
	count = (room + stride - 1) / stride + 1;
	/* a last window that starts past the data would contain only padding */
	if ((count - 1) * stride >= window->in[axis] + window->pads_begin[axis])
		count--;
	return count;
}

void loom_window_attrs(struct loom_import *im, const struct loom_value *x,
		       struct loom_onnx_window *window, int64_t *pads)
{
	uint32_t i, num_spatial = window->num_spatial;
	int64_t stated[LOOM_GRAPH_SPATIAL];

	loom_window_ints(im, "strides", num_spatial, 1, 1, window->strides);
	loom_window_ints(im, "dilations", num_spatial, 1, 1, window->dilations);
	loom_window_ints(im, "pads", 2 * num_spatial, 0, 0, pads);
	loom_window_ints(im, "kernel_shape", num_spatial, 1, 1, stated);
	for (i = 0; i < num_spatial; i++) {
		window->in[i] = x->dims[2 + i];
		if (window->kernel[i] < 1 || window->kernel[i] > LOOM_WINDOW_MAX ||
		    window->in[i] > (int64_t)1 << 32)
			loom_import_fail(im, -EINVAL, "a window of %lld is out of range",
					 (long long)window->kernel[i]);
		if (loom_attr_find(im, "kernel_shape") && stated[i] != window->kernel[i])
			loom_import_fail(im, -EINVAL, "kernel_shape does not fit the weights");
	}
}

void loom_window_shape(struct loom_import *im, const struct loom_value *x,
		       struct loom_onnx_window *window)
{
	enum loom_auto_pad mode = loom_window_auto_pad(im);
	int64_t pads[2 * LOOM_GRAPH_SPATIAL];
	uint32_t i;

	loom_window_attrs(im, x, window, pads);
	for (i = 0; i < window->num_spatial && !im->em->status; i++) {
		int64_t stride = window->strides[i], total;

		if (mode == LOOM_AUTO_PAD_NOTSET) {
			window->pads_begin[i] = pads[i];
			window->pads_end[i] = pads[window->num_spatial + i];
		} else if (mode == LOOM_AUTO_PAD_VALID) {
			window->pads_begin[i] = 0;
			window->pads_end[i] = 0;
		} else {
			total = ((window->in[i] + stride - 1) / stride - 1) * stride +
				loom_window_extent(window, i) - window->in[i];
			loom_window_split_pads(mode, total > 0 ? total : 0, &window->pads_begin[i],
					       &window->pads_end[i]);
		}
		window->out[i] = window_count(im, window, i);
	}
}
