// SPDX-License-Identifier: MIT
/*
 * Images against a simulator that looks at every element.
 *
 * Random plans: a tensor and a view with random strides. Where the verifier accepts them, each
 * element must be in a column and a row of the image, and the view's in the columns of its tensor.
 *
 * Windows: rectangles of an image, cut into axes on either side, and parts of them in any
 * direction. None of them may be refused.
 */
#include "chips.h"
#include "plan_builder.h"
#include "random.h"
#include "tap.h"

#define LANES	3

static u64 seed;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static const struct drm_loom_chip chip =
	CHIP("random", (2, 1, 1 << 20, 0, 16), (LANES, 1, 1 << 16, 0, 16));

static const u32 dtypes[] = { DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F32,
			      DRM_LOOM_DTYPE_I64 };

/* An image that is all of slot 0, a tensor in it, and nothing else yet. */
static void begin(struct plan_builder *pb)
{
	u32 dtype = dtypes[rnd(4)], bytes = loom_dtype_stride(dtype);
	u32 width = 1 + rnd(24), height = 1 + rnd(12);
	u32 pitch = (width * bytes + 15) / 16 * 16 + 16 * rnd(3);

	if (!rnd(3)) {
		/* no padding */
		width = (width * bytes + 15) / 16 * 16 / bytes;
		pitch = width * bytes;
	}
	pb_init(pb, LANES, 1 << 15);
	pb_add_slot(pb, 1, DRM_LOOM_SLOT_READ);
	pb_add_image(pb, 0, dtype, width, height, pitch);
	pb_begin_step(pb);
}

/* Loads the view to somewhere. Takes the plan apart. */
static u32 judge(struct plan_builder *pb, const struct drm_loom_plan_view *x)
{
	struct pb_shape shape = { .rank = x->rank };
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	u32 y;
	int ret;

	memcpy(shape.dims, x->dims, sizeof(shape.dims));
	y = pb_add_sram(pb, 0, 0, 0, x->dtype, 0, shape);
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(pb, y), *x));
	ret = pb_verify(pb, &chip, &plan, &reject);
	loom_plan_destroy(plan);
	if (ret && ret != -EBADMSG)
		tap_fatal("%s", strerror(-ret));
	return reject.rule;
}

/**
 * struct reach - where elements are
 * @low: least column, in bytes
 * @high: behind the largest
 * @inside: none is in no row
 */
struct reach {
	s64 low;
	s64 high;
	bool inside;
};

static struct reach look(const struct drm_loom_plan_image *image, s64 offset, u32 rank,
			 const u32 *dims, const __s64 *strides)
{
	struct reach reach = { .low = S64_MAX, .high = 0, .inside = true };
	u32 index[DRM_LOOM_MAX_RANK] = {}, bytes = loom_dtype_stride(image->dtype), i;
	s64 pitch = image->pitch_bytes;

	for (;;) {
		s64 at = offset;

		for (i = 0; i < rank; i++)
			at += index[i] * strides[i];
		reach.inside &= at >= 0 && at / pitch < image->height &&
				at % pitch + bytes <= (s64)image->width * bytes;
		reach.low = min(reach.low, at % pitch);
		reach.high = max(reach.high, at % pitch + bytes);
		for (i = rank; i-- > 0;) {
			if (++index[i] < dims[i])
				break;
			index[i] = 0;
		}
		/* all of them wrapped, and so did i */
		if (i > rank)
			return reach;
	}
}

/* A random stride that has to do with the image. */
static s64 wild_stride(const struct drm_loom_plan_image *image)
{
	s64 bytes = loom_dtype_stride(image->dtype);

	switch (rnd(6)) {
	case 0:
		return image->pitch_bytes * (1 + rnd(3));
	case 1:
		return image->pitch_bytes + bytes;
	case 2:
		return image->width * bytes;
	case 3:
		return image->pitch_bytes - bytes;
	}
	return bytes * (1 + rnd(4));
}

static bool wild_case(u32 *accepted)
{
	const struct drm_loom_plan_image *image;
	struct drm_loom_plan_tensor *tensor;
	struct drm_loom_plan_view x;
	struct reach of, in;
	struct plan_builder pb;
	u32 rank, i, rule, bytes;
	bool good = true;

	begin(&pb);
	image = pb_image(&pb, 0);
	bytes = loom_dtype_stride(image->dtype);
	rank = 1 + rnd(3);
	pb_add_dram(&pb, 0, (u64)rnd(pb_slot(&pb, 0)->size / bytes) * bytes, 0, 0, image->dtype,
		    PB_SHAPE(1));
	tensor = pb_tensor(&pb, 0);
	tensor->rank = rank;
	for (i = rank; i-- > 0;) {
		u64 inner = i + 1 < rank ? tensor->strides[i + 1] * tensor->dims[i + 1] : bytes;

		tensor->dims[i] = 1 + rnd(4);
		tensor->strides[i] = wild_stride(image);
		if (tensor->strides[i] < inner)
			tensor->strides[i] = inner;
	}
	tensor->size = pb_slot(&pb, 0)->size - tensor->offset;
	x = pb_all(&pb, 0);
	x.offset = rnd(6) * bytes + rnd(3) * image->pitch_bytes;
	for (i = 0; i < rank; i++) {
		x.dims[i] = 1 + rnd(4);
		if (rnd(2))
			x.strides[i] = wild_stride(image) * (rnd(4) ? 1 : -1);
	}
	rule = judge(&pb, &x);
	if (rule != DRM_LOOM_RULE_NONE)
		goto out;
	++*accepted;
	image = pb_image(&pb, 0);
	tensor = pb_tensor(&pb, 0);
	of = look(image, tensor->offset, tensor->rank, tensor->dims,
		  (const __s64 *)tensor->strides);
	in = look(image, tensor->offset + x.offset, x.rank, x.dims, x.strides);
	good = of.inside && in.inside && in.low >= of.low && in.high <= of.high;
out:
	pb_fini(&pb);
	return good;
}

/* Cuts @count, on axes that step by @stride, in up to two. */
static void add_axes(struct drm_loom_plan_tensor *tensor, u32 count, u64 stride)
{
	u32 part = 1 + rnd(4);

	while (count % part)
		part--;
	if (part > 1) {
		tensor->dims[tensor->rank] = count / part;
		tensor->strides[tensor->rank++] = stride * part;
		count = part;
	}
	tensor->dims[tensor->rank] = count;
	tensor->strides[tensor->rank++] = stride;
}

static bool window_case(void)
{
	struct drm_loom_plan_image *image;
	struct drm_loom_plan_tensor *tensor;
	struct drm_loom_plan_view x;
	struct plan_builder pb;
	u32 w, h, i, rule, bytes;

	begin(&pb);
	image = pb_image(&pb, 0);
	bytes = loom_dtype_stride(image->dtype);
	w = 1 + rnd(image->width);
	h = 1 + rnd(image->height);
	pb_add_dram(&pb, 0, 0, 0, 0, image->dtype, PB_SHAPE(1));
	tensor = pb_tensor(&pb, 0);
	tensor->offset = (u64)rnd(image->height - h + 1) * image->pitch_bytes +
			 (u64)rnd(image->width - w + 1) * bytes;
	tensor->size = (h - 1) * image->pitch_bytes + w * bytes;
	tensor->rank = 0;
	tensor->dims[0] = 0;
	tensor->strides[0] = 0;
	add_axes(tensor, h, image->pitch_bytes);
	add_axes(tensor, w, bytes);
	x = pb_all(&pb, 0);
	for (i = 0; i < x.rank; i++) {
		u32 start = rnd(x.dims[i]);

		x = pb_slice(&pb, x, i, start, 1 + rnd(x.dims[i] - start));
		if (rnd(2))
			continue;
		x.offset += (x.dims[i] - 1) * x.strides[i];
		x.strides[i] *= -1;
	}
	for (i = x.rank; i-- > 1;) {
		u32 order[DRM_LOOM_MAX_RANK] = { 0, 1, 2, 3, 4, 5 }, j = rnd(i + 1);

		order[i] = j;
		order[j] = i;
		x = pb_transpose(x, order);
	}
	x.lane_axis = 0;
	rule = judge(&pb, &x);
	pb_fini(&pb);
	if (rule)
		tap_note("refused: %s", loom_rule_name(rule));
	return !rule;
}

int main(void)
{
	u32 accepted = 0, bad = 0, n;

	for (n = 0; n < 200000; n++) {
		seed = 0x9e3779b97f4a7c15ULL * (n + 1);
		bad += !wild_case(&accepted);
	}
	tap_ok(!bad, "of %u wild plans %u were accepted, and none leaves its image", n, accepted);
	tap_ok(accepted > n / 200, "enough of them were");
	for (n = 0, bad = 0; n < 50000; n++) {
		seed = 0x9e3779b97f4a7c15ULL * (n + 7);
		bad += !window_case();
	}
	tap_ok(!bad, "%u parts of windows were accepted", n);
	return tap_end();
}
