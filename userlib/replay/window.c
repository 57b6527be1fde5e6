// SPDX-License-Identifier: MIT
/*
 * Labels of operators with windows: convolution, pooling, resize. See replay.h.
 *
 * A tap outside of the input adds the zero point (CONV) or nothing (the others), and a tap's key
 * depends on its place in the window. So padding, stride and the start of a slice change a label
 * only if they change the elements in the window.
 */
#include "replay.h"

#include <math.h>
#include <string.h>

/**
 * struct window - a convolution or pooling, axis by axis
 * @taps: of the window
 * @stride: between outputs
 * @dilation: between taps
 * @pad: before the input
 * @in: elements of the input
 * @out: elements of the output
 * @back: it is a transposed convolution: @stride is between the outputs of adjacent inputs
 */
struct window {
	int64_t taps[3];
	int64_t stride[3];
	int64_t dilation[3];
	int64_t pad[3];
	int64_t in[3];
	int64_t out[3];
	bool back;
};

/* Index in the input, maybe outside of it, that a tap of an output reads. Returns false if none. */
static bool find_tap(const struct window *w, uint32_t axis, int64_t out, int64_t tap, int64_t *at)
{
	if (!w->back) {
		*at = out * w->stride[axis] + tap * w->dilation[axis] - w->pad[axis];
		return true;
	}
	*at = out + w->pad[axis] - tap * w->dilation[axis];
	if (*at % w->stride[axis])
		return false;
	*at /= w->stride[axis];
	return true;
}

/* One tap for a row of outputs: the input's row if there is one, else @outside alone. */
static void add_row(const struct window *w, const uint64_t *row, int64_t kw, uint64_t key,
		    uint64_t outside, uint64_t *sums)
{
	int64_t ow, at;

	for (ow = 0; ow < w->out[2]; ow++) {
		if (!find_tap(w, 2, ow, kw, &at))
			continue;
		sums[ow] += (row && at >= 0 && at < w->in[2] ? row[at] : outside) * key;
	}
}

/* Adds one tap of D and H for all outputs of a row. */
static void add_taps(const struct window *w, const uint64_t *keys, const uint64_t *row,
		     uint64_t outside, uint64_t *sums)
{
	int64_t kw;

	for (kw = 0; kw < w->taps[2]; kw++)
		add_row(w, row, kw, keys[kw], outside, sums);
}

/* For all outputs of a plane: the sum over their windows, each tap times its key. */
static void add_plane(const struct window *w, const uint64_t *keys, const uint64_t *plane,
		      uint64_t outside, uint64_t *sums)
{
	int64_t out, tap, id, ih;

	for (out = 0; out < w->out[0] * w->out[1]; out++) {
		for (tap = 0; tap < w->taps[0] * w->taps[1]; tap++) {
			const uint64_t *row = NULL;

			if (!find_tap(w, 0, out / w->out[1], tap / w->taps[1], &id) ||
			    !find_tap(w, 1, out % w->out[1], tap % w->taps[1], &ih))
				continue;
			if (id >= 0 && id < w->in[0] && ih >= 0 && ih < w->in[1])
				row = &plane[(id * w->in[1] + ih) * w->in[2]];
			add_taps(w, &keys[tap * w->taps[2]], row, outside, &sums[out * w->out[2]]);
		}
	}
}

static uint64_t volume(const uint32_t *dims)
{
	return (uint64_t)dims[0] * dims[1] * dims[2];
}

/* Refuses windows that are too large to be visited tap by tap; no planner makes such. */
static bool window_is_small(struct replay *r, const struct window *w, uint64_t planes)
{
	uint64_t work = planes;
	uint32_t i;

	for (i = 0; i < 3; i++)
		if (__builtin_mul_overflow(work, (uint64_t)w->taps[i], &work) ||
		    __builtin_mul_overflow(work, (uint64_t)w->out[i], &work) || work > 1ULL << 36)
			return replay_fault(r, LOOM_REPLAY_FORM, "a window is too large");
	return true;
}

static bool conv_fits(struct replay *r, struct window *window)
{
	const struct drm_loom_attr_conv *attr = r->attr;
	const struct drm_loom_plan_view *y = r->operands[0].view, *x = r->operands[1].view;
	const struct drm_loom_plan_view *w = r->operands[2].view;
	uint32_t k;

	if (r->num_operands != 3U + !!(attr->flags & DRM_LOOM_ATTR_BIAS) +
			       !!(attr->flags & DRM_LOOM_ATTR_SCALE))
		return replay_misfit(r, 0);
	if (y->rank != 5 || !attr->groups || y->dims[1] % attr->groups)
		return replay_misfit(r, 0);
	if (x->rank != 5 || x->dims[0] != y->dims[0] || x->dims[1] % attr->groups)
		return replay_misfit(r, 1);
	if (w->rank != 5 || w->dims[0] != (window->back ? x : y)->dims[1] ||
	    w->dims[1] != (window->back ? y : x)->dims[1] / attr->groups)
		return replay_misfit(r, 2);
	for (k = 3; k < r->num_operands; k++)
		if (r->operands[k].view->rank != 1 || r->operands[k].count != y->dims[1])
			return replay_misfit(r, k);
	for (k = 0; k < 3; k++) {
		window->taps[k] = w->dims[2 + k];
		window->stride[k] = attr->stride[k];
		window->dilation[k] = attr->dilation[k];
		window->pad[k] = attr->pad[k];
		window->in[k] = x->dims[2 + k];
		window->out[k] = y->dims[2 + k];
		if (attr->stride[k] < 1 || attr->dilation[k] < 1)
			return replay_misfit(r, 0);
	}
	return window_is_small(r, window, (uint64_t)y->dims[0] * attr->groups);
}

/* By output channel: the sum of the weights, each times the keys of its channel and tap. */
static void sum_weights(const struct replay *r, const uint64_t *keys, bool back, uint64_t *sums)
{
	const struct drm_loom_attr_conv *attr = r->attr;
	const struct replay_operand *w = &r->operands[2];
	uint64_t taps = volume(&w->view->dims[2]), block = w->view->dims[1] * taps, a, b, k;
	uint64_t inputs = r->operands[1].view->dims[1] / attr->groups;
	const uint64_t *from = w->labels;

	if (!back) {
		for (a = 0; a < w->view->dims[0]; a++, from += block)
			for (k = 0; k < block; k++)
				sums[a] += from[k] * keys[k];
		return;
	}
	for (a = 0; a < w->view->dims[0]; a++)
		for (b = 0; b < w->view->dims[1]; b++, from += taps)
			for (k = 0; k < taps; k++)
				sums[a / inputs * w->view->dims[1] + b] +=
					from[k] * keys[a % inputs * taps + k];
}

/* The sum over the channels of a group, each times its key: a plane. */
static void sum_channels(const uint64_t *from, const uint64_t *keys, uint64_t channels,
			 uint64_t size, uint64_t *plane)
{
	uint64_t c, i;

	memset(plane, 0, size * sizeof(*plane));
	for (c = 0; c < channels; c++, from += size)
		for (i = 0; i < size; i++)
			plane[i] += from[i] * keys[c];
}

/* The part of a label that all elements of an output channel share. */
static void label_channels(const struct replay *r, uint64_t *channels)
{
	const struct drm_loom_attr_conv *attr = r->attr;
	const uint32_t said[] = {
		attr->flags, attr->act, attr->act_p0, attr->act_p1, (uint32_t)attr->x_zero,
		(uint32_t)attr->w_zero, (uint32_t)attr->y_zero, 0,
	};
	uint64_t begin = replay_attr_label(r, said, sizeof(said));
	uint32_t o, k;

	for (o = 0; o < r->operands[0].view->dims[1]; o++) {
		channels[o] = replay_join(begin, channels[o]);
		for (k = 3; k < r->num_operands; k++)
			channels[o] = replay_join(channels[o], r->operands[k].labels[o]);
	}
}

static bool label_conv(struct replay *r, bool back)
{
	const struct drm_loom_attr_conv *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	const uint32_t *ydims = y->view->dims, *xdims = x->view->dims;
	struct window w = { .back = back };
	uint64_t in, out, channels, results, n, g, o, i, outside = 0, *sums, *plane, *window;
	const uint64_t *keys;

	if (!conv_fits(r, &w))
		return false;
	in = volume(&xdims[2]);
	out = volume(&ydims[2]);
	channels = xdims[1] / attr->groups;
	results = ydims[1] / attr->groups;
	keys = replay_keys(r, r->operands[2].count + channels);
	sums = replay_sums(r, 0, ydims[1]);
	plane = replay_sums(r, 1, in);
	window = replay_sums(r, 2, out);
	if (!keys || !sums || !plane || !window)
		return false;
	sum_weights(r, keys, back, sums);
	label_channels(r, sums);
	for (i = 0; i < channels && !back; i++)
		outside += keys[i];
	outside *= replay_cells_const(r, (uint64_t)(int64_t)attr->x_zero, x->bytes);
	for (n = 0; n < ydims[0]; n++) {
		for (g = 0; g < attr->groups; g++) {
			uint64_t *to = &y->labels[(n * ydims[1] + g * results) * out];

			sum_channels(&x->labels[(n * xdims[1] + g * channels) * in], keys, channels,
				     in, plane);
			memset(window, 0, out * sizeof(*window));
			add_plane(&w, keys, plane, outside, window);
			for (o = 0; o < results; o++)
				for (i = 0; i < out; i++)
					*to++ = replay_join(sums[g * results + o], window[i]);
		}
	}
	r->report->counted.macs += (back ? x : y)->count * (uint64_t)r->operands[2].view->dims[1] *
				   volume(&r->operands[2].view->dims[2]);
	return true;
}

bool replay_conv(struct replay *r)
{
	return label_conv(r, false);
}

bool replay_deconv(struct replay *r)
{
	return label_conv(r, true);
}

/* Taps of a window on one axis that lie in [@low, @high). */
static uint64_t count_taps(const struct window *w, uint32_t axis, int64_t out, int64_t low,
			   int64_t high)
{
	uint64_t count = 0;
	int64_t k, at;

	for (k = 0; k < w->taps[axis]; k++)
		if (find_tap(w, axis, out, k, &at) && at >= low && at < high)
			count++;
	return count;
}

/* The divisors of means by output: they are part of the labels. */
static bool find_divisors(struct replay *r, const struct window *w, uint64_t *divisors)
{
	const struct drm_loom_attr_pool *attr = r->attr;
	bool padded = attr->flags & DRM_LOOM_POOL_COUNT_PAD;
	uint64_t *by_axis[3];
	int64_t i, d, h;
	uint32_t k;

	by_axis[0] = replay_sums(r, 3, (uint64_t)(w->out[0] + w->out[1] + w->out[2]));
	if (!by_axis[0])
		return false;
	by_axis[1] = by_axis[0] + w->out[0];
	by_axis[2] = by_axis[1] + w->out[1];
	for (k = 0; k < 3; k++)
		for (i = 0; i < w->out[k]; i++)
			by_axis[k][i] = count_taps(w, k, i, padded ? -w->pad[k] : 0,
						   w->in[k] + (padded ? attr->pad_after[k] : 0));
	for (d = 0; d < w->out[0]; d++)
		for (h = 0; h < w->out[1]; h++)
			for (i = 0; i < w->out[2]; i++)
				*divisors++ = by_axis[0][d] * by_axis[1][h] * by_axis[2][i];
	return true;
}

bool replay_pool(struct replay *r)
{
	const struct drm_loom_attr_pool *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	const uint32_t *ydims = y->view->dims, *xdims = x->view->dims;
	uint64_t begin = replay_join(replay_attr_label(r, &attr->kind, sizeof(attr->kind)),
				     attr->flags);
	uint64_t in, out, plane, planes, i, *window, *divisors;
	struct window w = { .back = false };
	const uint64_t *keys;

	if (y->view->rank != 5 || x->view->rank != 5 || xdims[0] != ydims[0] ||
	    xdims[1] != ydims[1])
		return replay_misfit(r, 1);
	for (i = 0; i < 3; i++) {
		w.taps[i] = attr->kernel[i];
		w.stride[i] = attr->stride[i];
		w.dilation[i] = attr->dilation[i];
		w.pad[i] = attr->pad_before[i];
		w.in[i] = xdims[2 + i];
		w.out[i] = ydims[2 + i];
		if (w.taps[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1)
			return replay_misfit(r, 0);
	}
	planes = (uint64_t)ydims[0] * ydims[1];
	if (!window_is_small(r, &w, planes))
		return false;
	in = volume(&xdims[2]);
	out = volume(&ydims[2]);
	keys = replay_keys(r, (uint64_t)(w.taps[0] * w.taps[1] * w.taps[2]));
	window = replay_sums(r, 0, out);
	divisors = replay_sums(r, 1, out);
	if (!keys || !window || !divisors)
		return false;
	if (attr->kind == DRM_LOOM_POOL_AVG && !find_divisors(r, &w, divisors))
		return false;
	for (plane = 0; plane < planes; plane++) {
		memset(window, 0, out * sizeof(*window));
		add_plane(&w, keys, &x->labels[plane * in], 0, window);
		for (i = 0; i < out; i++)
			y->labels[plane * out + i] =
				replay_join(begin + divisors[i], window[i]);
	}
	return true;
}

/**
 * struct taps - the taps of an output of RESIZE on one axis
 * @count: taps, 0: it is extrapolated
 * @at: by tap: index in the view
 * @key: by tap: a function of its weight
 */
struct taps {
	uint32_t count;
	int64_t at[4];
	uint64_t key[4];
};

static float float_of(uint32_t bits)
{
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static uint64_t bits_of(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* The coordinate of an output in the input, by ONNX's definition, in binary32. */
static float resize_coordinate(const struct drm_loom_attr_resize *attr, uint32_t axis, int64_t out)
{
	float scale = float_of(attr->scale[axis]), x = (float)out;
	float length = (float)attr->out_size[axis], inputs = (float)attr->in_size[axis];
	float first = float_of(attr->roi_start[axis]), last = float_of(attr->roi_end[axis]);
	bool one = attr->out_size[axis] == 1;

	if (attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE && one)
		return 0.5f * (first + last) * (inputs - 1.0f);
	if (attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE)
		return first * (inputs - 1.0f) +
		       x * (last - first) * (inputs - 1.0f) / (length - 1.0f);
	if (scale == 1.0f)
		return x;
	switch (attr->coord) {
	case DRM_LOOM_COORD_PYTORCH_HALF_PIXEL:
		return one ? 0.0f : (x + 0.5f) / scale - 0.5f;
	case DRM_LOOM_COORD_ALIGN_CORNERS:
		return one ? 0.0f : x * (inputs - 1.0f) / (length - 1.0f);
	case DRM_LOOM_COORD_ASYMMETRIC:
		return x / scale;
	case DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC:
		return inputs / 2.0f * (1.0f - length / (scale * inputs)) +
		       (x + 0.5f) / scale - 0.5f;
	}
	return (x + 0.5f) / scale - 0.5f;
}

static float nearest(uint32_t how, float at)
{
	float part = at - floorf(at);

	/* compare the fraction: adding a half would round */
	switch (how) {
	case DRM_LOOM_NEAREST_FLOOR:
		return floorf(at);
	case DRM_LOOM_NEAREST_CEIL:
		return ceilf(at);
	case DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR:
		return part > 0.5f ? ceilf(at) : floorf(at);
	}
	return part < 0.5f ? floorf(at) : ceilf(at);
}

/* Adds a tap. @at is an index of the whole input, and must be in the view. */
static bool add_tap(struct replay *r, const struct drm_loom_attr_resize *attr, uint32_t axis,
		    float at, uint64_t key, struct taps *taps)
{
	int64_t most = attr->in_size[axis] - 1, i;

	i = at > 0.0f ? (at < (float)most ? (int64_t)at : most) : 0;
	i -= attr->in_start[axis];
	if (i < 0 || i >= r->operands[1].view->dims[2 + axis])
		return replay_fault(r, LOOM_REPLAY_BOUNDS,
				    "an element is needed that the view does not have");
	taps->at[taps->count] = i;
	taps->key[taps->count++] = key;
	return true;
}

/* The keys of cubic taps are not the weights, but must differ whenever the weights do. */
static bool add_cubic(struct replay *r, const struct drm_loom_attr_resize *attr, uint32_t axis,
		      float at, struct taps *taps)
{
	float from = floorf(at), tap, most = (float)(attr->in_size[axis] - 1);
	bool skip = attr->flags & DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE;
	uint64_t distance = bits_of(at - from), inside = 0;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		tap = from + (float)i - 1.0f;
		inside |= (uint64_t)(tap >= 0.0f && tap <= most) << i;
	}
	for (i = 0; i < 4; i++) {
		tap = from + (float)i - 1.0f;
		/* at a distance of 0 only the element itself has a weight other than 0 */
		if ((skip && !(inside >> i & 1)) || (!distance && i != 1))
			continue;
		if (!add_tap(r, attr, axis, tap,
			     replay_join(replay_join(distance, i), skip ? inside : 0), taps))
			return false;
	}
	return true;
}

static bool find_taps(struct replay *r, const struct drm_loom_attr_resize *attr, uint32_t axis,
		      int64_t out, struct taps *taps)
{
	float at = resize_coordinate(attr, axis, attr->out_start[axis] + out);
	float most = (float)(attr->in_size[axis] - 1), part;

	taps->count = 0;
	if (attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE && !(at >= 0.0f && at <= most))
		return true;
	if (attr->mode == DRM_LOOM_RESIZE_NEAREST)
		return add_tap(r, attr, axis, nearest(attr->nearest, at), 1, taps);
	if (attr->mode == DRM_LOOM_RESIZE_CUBIC)
		return add_cubic(r, attr, axis, at, taps);
	at = at > 0.0f ? at : 0.0f;
	at = at < most ? at : most;
	part = at - floorf(at);
	/* an element of weight 0 need not be in the view */
	return add_tap(r, attr, axis, floorf(at), replay_join(5, bits_of(part)) | 1, taps) &&
	       (part == 0.0f || add_tap(r, attr, axis, floorf(at) + 1.0f,
					replay_join(6, bits_of(part)) | 1, taps));
}

/* The taps of all outputs, axis by axis. */
static bool find_all_taps(struct replay *r, struct taps **taps)
{
	const struct drm_loom_attr_resize *attr = r->attr;
	const uint32_t *dims = &r->operands[0].view->dims[2];
	uint32_t axis, i;

	for (axis = 0; axis < 3; axis++) {
		taps[axis] = (struct taps *)replay_sums(r, axis, (uint64_t)dims[axis] *
							(sizeof(struct taps) / sizeof(uint64_t)));
		if (!taps[axis])
			return false;
		for (i = 0; i < dims[axis]; i++)
			if (!find_taps(r, attr, axis, i, &taps[axis][i]))
				return false;
	}
	return true;
}

static uint64_t sum_taps(const struct taps *d, const struct taps *h, const struct taps *w,
			 const uint32_t *dims, const uint64_t *plane)
{
	uint64_t sum = 0;
	uint32_t a, b, c;

	for (a = 0; a < d->count; a++)
		for (b = 0; b < h->count; b++)
			for (c = 0; c < w->count; c++)
				sum += plane[(d->at[a] * dims[1] + h->at[b]) * dims[2] + w->at[c]] *
				       d->key[a] * h->key[b] * w->key[c];
	return sum;
}

static bool resize_fits(struct replay *r)
{
	const struct drm_loom_attr_resize *attr = r->attr;
	const struct drm_loom_plan_view *y = r->operands[0].view, *x = r->operands[1].view;
	uint32_t i;

	if (y->rank != 5 || x->rank != 5 || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1])
		return replay_misfit(r, 1);
	for (i = 0; i < 3; i++)
		if (attr->in_size[i] < 1 || attr->out_size[i] < 1 || attr->in_start[i] < 0 ||
		    attr->out_start[i] < 0 ||
		    y->dims[2 + i] > (int64_t)attr->out_size[i] - attr->out_start[i] ||
		    x->dims[2 + i] > (int64_t)attr->in_size[i] - attr->in_start[i])
			return replay_misfit(r, 0);
	return attr->mode <= DRM_LOOM_RESIZE_CUBIC || replay_misfit(r, 0);
}

bool replay_resize(struct replay *r)
{
	const struct drm_loom_attr_resize *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	const uint32_t *dims = &y->view->dims[2];
	const uint32_t said[] = { attr->mode,
				  attr->mode == DRM_LOOM_RESIZE_CUBIC ? attr->cubic_a : 0 };
	uint64_t plane, in, *to = y->labels;
	uint64_t begin, extrapolated;
	struct taps *taps[3];
	uint32_t d, h, w;

	if (!resize_fits(r) || !find_all_taps(r, taps))
		return false;
	begin = replay_attr_label(r, said, sizeof(said));
	extrapolated = replay_join(begin, replay_join(7, attr->extrapolation));
	in = volume(&x->view->dims[2]);
	for (plane = 0; plane < (uint64_t)y->view->dims[0] * y->view->dims[1]; plane++)
		for (d = 0; d < dims[0]; d++)
			for (h = 0; h < dims[1]; h++)
				for (w = 0; w < dims[2]; w++)
					*to++ = taps[0][d].count && taps[1][h].count &&
						taps[2][w].count ?
						replay_join(begin, sum_taps(&taps[0][d],
									    &taps[1][h],
									    &taps[2][w],
									    &x->view->dims[2],
									    &x->labels[plane * in]))
						: extrapolated;
	return true;
}
