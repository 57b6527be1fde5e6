// SPDX-License-Identifier: MIT
/*
 * Convolution and pooling directly on images in DRAM, against the same operation on copies in SRAM:
 * the same bits for every type, pitch and window, and the DRAM traffic is counted. Bytes that are
 * not elements of the result remain unchanged.
 */
#include "chips.h"
#include "loom_engine.h"
#include "plan_builder.h"
#include "random.h"
#include "tap.h"

#define LANES		4
#define SCRATCH		(1 << 16)
#define SLOT_BYTES	(1 << 18)

static u64 seed;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static const struct drm_loom_chip chip =
	CHIP("image", (4, 1, 1 << 20, 0, 64), (LANES, 1, SCRATCH, 0, 16));

enum {
	SLOT_W,
	SLOT_X,
	SLOT_Y,
	SLOT_COUNT,
};

/**
 * struct sample - a convolution or pooling, and the position of its images
 * @conv: convolution
 * @dtype: of all operands
 * @c: attributes of a convolution
 * @p: of a pooling
 * @x: dims of the input
 * @y: of the result
 * @w: of the weights
 * @pitch: of the images of x and y
 * @at: column and row at which x and y begin in their images
 */
struct sample {
	bool conv;
	u32 dtype;
	struct drm_loom_attr_conv c;
	struct drm_loom_attr_pool p;
	struct pb_shape x;
	struct pb_shape y;
	struct pb_shape w;
	u32 pitch[2];
	u32 at[2][2];
};

static void make_sample(struct sample *s)
{
	static const u32 dtypes[] = { DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F16,
				      DRM_LOOM_DTYPE_F64 };
	u32 groups = rnd(3) ? 1 : 2;
	u32 outputs = groups * (1 + rnd(5)), inputs = groups * (1 + rnd(3));
	u32 i;

	memset(s, 0, sizeof(*s));
	s->conv = rnd(2);
	s->dtype = dtypes[rnd(4)];
	if (!s->conv)
		outputs = inputs;
	s->x = PB_SHAPE(1 + rnd(2), inputs, 1, 1 + rnd(9), 1 + rnd(40));
	s->w = PB_SHAPE(outputs, inputs / groups, 1, 1 + rnd(3), 1 + rnd(3));
	s->y = s->x;
	s->y.dims[1] = outputs;
	for (i = 0; i < 3; i++) {
		s->c.stride[i] = i ? 1 + rnd(2) : 1;
		s->c.dilation[i] = 1;
		s->c.pad[i] = i ? rnd(2) : 0;
		s->p.kernel[i] = s->w.dims[2 + i];
		s->p.stride[i] = s->c.stride[i];
		s->p.dilation[i] = 1;
		s->p.pad_before[i] = s->c.pad[i];
	}
	for (i = 3; i < 5; i++)
		s->y.dims[i] = (s->x.dims[i] + s->c.stride[i - 2] - 1) / s->c.stride[i - 2];
	s->c.groups = groups;
	s->p.kind = rnd(2) ? DRM_LOOM_POOL_AVG : DRM_LOOM_POOL_MAX;
	for (i = 0; i < 2; i++) {
		s->at[i][0] = rnd(5);
		s->at[i][1] = rnd(3);
		s->pitch[i] = 64 * (1 + rnd(2));
	}
}

/* The slot is an image, and the tensor a window of it: rows are channels, or rows of channels. */
static u32 add_window(struct plan_builder *pb, const struct sample *s, u32 slot, u32 first,
		      u32 last, bool by_rows)
{
	const struct pb_shape *shape = slot == SLOT_X ? &s->x : &s->y;
	u32 i = slot == SLOT_X ? 0 : 1, bytes = loom_dtype_stride(s->dtype);
	u32 rows = shape->dims[0] * shape->dims[1] * (by_rows ? shape->dims[3] : 1);
	u32 cols = shape->dims[4] * (by_rows ? 1 : shape->dims[3]);
	u32 pitch = ((s->at[i][0] + cols) * bytes + 63) / 64 * 64 + s->pitch[i];
	u32 index = pb_add_dram(pb, slot, (u64)s->at[i][1] * pitch + s->at[i][0] * bytes, first,
				last, s->dtype, *shape);
	struct drm_loom_plan_tensor *tensor = pb_tensor(pb, index);
	u64 stride = pitch;
	u32 k;

	pb_add_image(pb, slot, s->dtype, s->at[i][0] + cols, s->at[i][1] + rows, pitch);
	for (k = by_rows ? 4 : 3; k-- > 0;) {
		/* D has one element, so its stride is not used */
		tensor->strides[k] = stride;
		stride *= tensor->dims[k];
	}
	if (!by_rows)
		tensor->strides[2] = pitch;
	tensor->size = (rows - 1) * (u64)pitch + cols * bytes;
	return index;
}

/* Builds a plan that copies x and y through SRAM; bits 0 and 1 of @direct: not x, not y. */
static struct loom_plan *make_plan(const struct sample *s, u32 direct, bool by_rows)
{
	struct drm_loom_plan_view x, y, w = {};
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 dx, dy, sx, sy, dw, sw;

	pb_init(&pb, LANES, SCRATCH);
	pb_add_slot(&pb, SLOT_BYTES, DRM_LOOM_SLOT_READ);
	pb_add_slot(&pb, 1, DRM_LOOM_SLOT_READ);
	pb_add_slot(&pb, 1, DRM_LOOM_SLOT_WRITE);
	dx = add_window(&pb, s, SLOT_X, 0, 1, by_rows);
	dy = add_window(&pb, s, SLOT_Y, 1, 2, by_rows);
	sx = pb_add_sram(&pb, 0, 0, 1, s->dtype, 1, s->x);
	sy = pb_add_sram(&pb, pb_tensor(&pb, sx)->size, 1, 2, s->dtype, 1, s->y);
	dw = pb_add_dram(&pb, SLOT_W, 0, 0, 0, s->dtype, s->w);
	sw = pb_add_sram(&pb, pb_tensor(&pb, sy)->offset + pb_tensor(&pb, sy)->size, 0, 1, s->dtype,
			 0, s->w);
	x = pb_all(&pb, direct & 1 ? dx : sx);
	y = pb_all(&pb, direct & 2 ? dy : sy);

	pb_begin_step(&pb);
	if (!(direct & 1))
		pb_add(&pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(x, pb_all(&pb, dx)));
	if (s->conv) {
		w = pb_all(&pb, sw);
		pb_add(&pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(w, pb_all(&pb, dw)));
	}
	pb_begin_step(&pb);
	if (s->conv)
		pb_add(&pb, DRM_LOOM_OP_CONV, &s->c, sizeof(s->c), PB_VIEWS(y, x, w));
	else
		pb_add(&pb, DRM_LOOM_OP_POOL, &s->p, sizeof(s->p), PB_VIEWS(y, x));
	pb_begin_step(&pb);
	if (!(direct & 2))
		pb_add(&pb, DRM_LOOM_OP_STORE, NULL, 0, PB_VIEWS(pb_all(&pb, dy), y));
	if (pb_verify(&pb, &chip, &plan, &reject))
		tap_fatal("refused: %s, tensor %u", loom_rule_name(reject.rule), reject.tensor);
	pb_fini(&pb);
	return plan;
}

static u8 slots[SLOT_COUNT][SLOT_BYTES], result[SLOT_BYTES], scratch[LANES * SCRATCH];

static void run(const struct loom_plan *plan, struct drm_loom_counters *counters)
{
	u8 *const at[] = { slots[0], slots[1], slots[2] };
	const struct loom_memory memory = {
		.lanes = LANES, .scratch = scratch, .lane_pitch = SCRATCH, .slots = at,
	};
	struct loom_engine engine;

	memset(scratch, 0xff, sizeof(scratch));
	memset(slots[SLOT_Y], 0x5a, SLOT_BYTES);
	loom_engine_init(&engine, plan, &memory);
	/* small budgets: the work is divided differently with and without the copies */
	while (!loom_engine_run(&engine, 3000))
		;
	*counters = engine.counters;
}

static void fill(u8 *bytes, u32 dtype)
{
	u32 i;

	for (i = 0; i < SLOT_BYTES / loom_dtype_stride(dtype); i++) {
		double d = (rnd(4001) - 2000.0) / 512;
		u16 h = 0x3000 + rnd(0x1800) + 0x8000 * rnd(2);
		float f = d;

		if (dtype == DRM_LOOM_DTYPE_F32)
			memcpy(bytes + 4 * i, &f, 4);
		else if (dtype == DRM_LOOM_DTYPE_F64)
			memcpy(bytes + 8 * i, &d, 8);
		else
			memcpy(bytes + 2 * i, &h, 2);
	}
}

static u64 elements(const struct pb_shape *shape)
{
	u64 n = 1;
	u32 i;

	for (i = 0; i < shape->rank; i++)
		n *= shape->dims[i];
	return n;
}

int main(void)
{
	u32 n, direct, bad_bits = 0, bad_counts = 0, runs = 0;

	for (n = 0; n < 1500; n++) {
		struct drm_loom_counters want, got;
		struct loom_plan *plan;
		struct sample s;
		bool by_rows;
		u64 x, y, w;

		seed = 0x9e3779b97f4a7c15ULL * (n + 1);
		make_sample(&s);
		by_rows = rnd(2);
		fill(slots[SLOT_W], s.dtype);
		fill(slots[SLOT_X], s.dtype);
		plan = make_plan(&s, 0, by_rows);
		run(plan, &want);
		loom_plan_destroy(plan);
		memcpy(result, slots[SLOT_Y], sizeof(result));
		x = elements(&s.x) * loom_dtype_stride(s.dtype);
		y = elements(&s.y) * loom_dtype_stride(s.dtype);
		w = s.conv ? elements(&s.w) * loom_dtype_stride(s.dtype) : 0;
		for (direct = 1; direct < 4; direct++) {
			plan = make_plan(&s, direct, by_rows);
			run(plan, &got);
			loom_plan_destroy(plan);
			bad_bits += !!memcmp(result, slots[SLOT_Y], sizeof(result));
			bad_counts += got.dram_read_bytes != x + w ||
				      got.dram_write_bytes != y ||
				      got.sram_write_bytes != w + (direct & 1 ? 0 : x) ||
				      got.sram_read_bytes != (direct & 2 ? 0 : y) ||
				      got.macs != want.macs;
			runs++;
		}
	}
	tap_ok(!bad_bits, "%u runs on images give the bits of those by way of SRAM", runs);
	tap_ok(!bad_counts, "and count what they take from DRAM and bring there");
	return tap_end();
}
