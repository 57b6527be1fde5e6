// SPDX-License-Identifier: MIT
/*
 * Resizing of pictures. The reference kernel for nearest neighbours computes coordinates in floats,
 * and ONNX's Resize in fractions, so they select different elements for some pairs of sizes. An
 * axis of such a pair is gathered.
 */
#include "convert.h"

#include "base/pool.h"
#include "graph/graph.h"
#include "graph/nearest.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/** limit on the length of an axis that is compared element by element */
#define NEAREST_MAX	(1 << 14)

/**
 * struct nearest - an axis with selected elements
 * @in: its size
 * @out: number of elements of the result
 * @corners: the first and the last element keep their place
 * @half: coordinates are those of the middle of an element
 */
struct nearest {
	int64_t in;
	int64_t out;
	bool corners;
	bool half;
};

static int64_t within(const struct nearest *n, float index)
{
	return index < 0 ? 0 : index < (float)n->in ? (int64_t)index : n->in - 1;
}

/* The element that the reference kernel selects: rounded with corners, in floats in this order. */
static int64_t nearest_there(const struct nearest *n, int64_t at)
{
	const float scale = n->corners && n->out > 1 ? (float)(n->in - 1) / (float)(n->out - 1) :
						       (float)n->in / (float)n->out;
	const float place = ((float)at + (n->half ? 0.5f : 0)) * scale;

	return within(n, n->corners ? roundf(place) : floorf(place));
}

/* The element that Resize selects. */
static int64_t nearest_here(const struct nearest *n, int64_t at)
{
	const struct loom_nearest axis = { n->in, n->out, n->out, n->in };
	const struct loom_gresize r = {
		.coord = n->corners ? LOOM_GRESIZE_ALIGN_CORNERS :
			 n->half ? LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN : LOOM_GRESIZE_ASYMMETRIC,
		.round = n->corners ? LOOM_GRESIZE_ROUND_PREFER_CEIL : LOOM_GRESIZE_FLOOR,
	};

	return loom_nearest_exact(&r, &axis, at);
}

static bool nearest_agrees(const struct nearest *n)
{
	int64_t i;

	if (n->in < 1 || n->out > NEAREST_MAX)
		return true;
	for (i = 0; i < n->out; i++)
		if (nearest_there(n, i) != nearest_here(n, i))
			return false;
	return true;
}

static const char *nearest_gather(struct loom_tflite_convert *cv, const char *x, uint32_t axis,
				  const struct nearest *n)
{
	int64_t *indices = loom_pool_array(cv->pool, (size_t)n->out, sizeof(*indices)), i;
	const char *name;

	if (!indices) {
		loom_tflite_fail(cv, -ENOMEM, "out of memory");
		return NULL;
	}
	for (i = 0; i < n->out; i++)
		indices[i] = nearest_there(n, i);
	name = loom_tflite_const_ints(cv, (uint32_t)n->out, indices);
	loom_tflite_attr_int(cv, "axis", axis);
	return name ? loom_tflite_node(cv, "Gather", x, name, NULL) : NULL;
}

/* @sizes: for axes in the order of planes. */
static const char *resize(struct loom_tflite_convert *cv, const char *x, const int64_t *sizes,
			  const char *mode, const char *places)
{
	const char *const in[] = { x, "", "", loom_tflite_const_ints(cv, 4, sizes) };
	const bool nearest = !strcmp(mode, "nearest");

	loom_tflite_attr_string(cv, "mode", mode);
	loom_tflite_attr_string(cv, "coordinate_transformation_mode", places);
	if (nearest)
		loom_tflite_attr_string(cv, "nearest_mode", strcmp(places, "align_corners") ?
					"floor" : "round_prefer_ceil");
	return loom_tflite_nodes(cv, "Resize", 4, in);
}

/**
 * struct form - options of a resize
 * @sizes: of the result: N, C, H, W
 * @corners: the middles of elements at the corners keep their place
 * @half: coordinates are those of the middle of an element
 */
struct form {
	int64_t sizes[4];
	bool corners;
	bool half;
};

/* The options begin with number @first. Returns false after an error. */
static bool read_form(struct loom_tflite_convert *cv, uint32_t first, struct form *form)
{
	const struct loom_tflite_tensor *tensor = loom_tflite_input(cv, 0);

	if (!tensor)
		return false;
	if (tensor->rank != 4 || loom_tflite_ints(cv, 1, form->sizes + 2, 2) != 2) {
		loom_tflite_fail(cv, -EINVAL, "it needs two sizes for rank 4");
		return false;
	}
	form->sizes[0] = tensor->dims[0];
	form->sizes[1] = tensor->dims[3];
	form->corners = loom_tflite_option(cv, first, 1, 0);
	form->half = loom_tflite_option(cv, first + 1, 1, 0);
	if (form->corners && form->half) {
		loom_tflite_fail(cv, -EINVAL, "corners and middles at the same time");
		return false;
	}
	return true;
}

/* Elements are moved unchanged, whatever the steps of the result are. */
void loom_tflite_resize_nearest(struct loom_tflite_convert *cv, const char *unused)
{
	uint32_t i, gathered = 0;
	struct form form;
	const char *x;

	(void)unused;
	if (!read_form(cv, 0, &form))
		return;
	x = loom_tflite_raw(cv, 0, LOOM_TFLITE_PLANES);
	for (i = 0; i < 2 && x; i++) {
		const struct nearest axis = {
			loom_tflite_input(cv, 0)->dims[1 + i], form.sizes[2 + i], form.corners,
			form.half,
		};

		if (nearest_agrees(&axis))
			continue;
		x = nearest_gather(cv, x, 2 + i, &axis);
		gathered++;
	}
	if (x && gathered < 2)
		x = resize(cv, x, form.sizes, "nearest", form.corners ? "align_corners" :
			   form.half ? "tf_half_pixel_for_nn" : "asymmetric");
	loom_tflite_result(cv, 0, LOOM_TFLITE_PLANES, x);
}

void loom_tflite_resize_bilinear(struct loom_tflite_convert *cv, const char *unused)
{
	struct form form;
	const char *x;

	(void)unused;
	if (!read_form(cv, 2, &form))
		return;
	x = loom_tflite_real(cv, 0, LOOM_TFLITE_PLANES);
	if (x)
		x = resize(cv, x, form.sizes, "linear", form.corners ? "align_corners" :
			   form.half ? "half_pixel" : "asymmetric");
	loom_tflite_result_real(cv, 0, LOOM_TFLITE_PLANES, x);
}
