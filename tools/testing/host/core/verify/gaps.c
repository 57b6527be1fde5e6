// SPDX-License-Identifier: MIT
/*
 * Bytes of a tensor that are of no element, or of none that was written, are read by nobody, by
 * whatever view or alias: each plan fills something and stores something else. Beside each is one
 * that differs by a figure and is fine.
 */
#include "plan_builder.h"
#include "tap.h"

#define LANES		4
#define SCRATCH		1024
#define OUTPUT_BYTES	8192

static const struct drm_loom_chip *chip;

/* Rows over the banks at a pitch, cells in a row at another: as large as its last byte. */
static void set_pitch(struct plan_builder *pb, u32 tensor, u32 row_pitch, u32 cell_pitch)
{
	struct drm_loom_plan_tensor *t = pb_tensor(pb, tensor);

	t->strides[0] = row_pitch;
	t->strides[1] = cell_pitch;
	t->size = ((t->dims[0] + LANES - 1) / LANES - 1) * (u64)row_pitch +
		  (t->dims[1] - 1) * (u64)cell_pitch + loom_dtype_stride(t->dtype);
}

static u32 add_tensor(struct plan_builder *pb, u32 rows, u32 row_pitch)
{
	u32 tensor = pb_add_sram(pb, 0, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(rows, 64));

	set_pitch(pb, tensor, row_pitch, 4);
	return tensor;
}

static u32 add_alias(struct plan_builder *pb, u32 parent, u32 cells, u32 row_pitch, u32 cell_pitch)
{
	u32 tensor = pb_add_alias(pb, parent, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(8, cells));

	set_pitch(pb, tensor, row_pitch, cell_pitch);
	return tensor;
}

/* The first row of each bank, so many cells of it. */
static struct drm_loom_plan_view first_rows(struct plan_builder *pb, u32 tensor, u32 cells)
{
	struct drm_loom_plan_view view = pb_all(pb, tensor);

	view.dims[0] = LANES;
	view.dims[1] = cells;
	return view;
}

/* Two rows of all banks, row by row. */
static struct drm_loom_plan_view two_rows(struct plan_builder *pb, u32 tensor)
{
	struct drm_loom_plan_view view = pb_all(pb, tensor);

	view.rank = 3;
	view.lane_axis = 1;
	view.dims[2] = view.dims[1];
	view.dims[1] = LANES;
	view.dims[0] = 2;
	view.strides[2] = view.strides[1];
	view.strides[1] = view.strides[0];
	return view;
}

static void fill(struct plan_builder *pb, u32 tensor)
{
	struct drm_loom_attr_fill attr = {};

	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_FILL, &attr, sizeof(attr), PB_VIEWS(pb_all(pb, tensor)));
}

/* Into a tensor of its own. */
static void store(struct plan_builder *pb, struct drm_loom_plan_view view)
{
	struct pb_shape shape = { .rank = view.rank };
	u32 out;

	memcpy(shape.dims, view.dims, sizeof(shape.dims));
	out = pb_add_dram(pb, 0, 0, 1, 1, view.dtype, shape);
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_STORE, NULL, 0, PB_VIEWS(pb_all(pb, out), view));
}

static void build_pitch(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, fault ? 512 : 256);

	fill(pb, tensor);
	store(pb, first_rows(pb, tensor, 128));
}

static void build_pitch_around(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, 512);

	fill(pb, tensor);
	store(pb, fault ? first_rows(pb, tensor, 65) : pb_all(pb, tensor));
}

/* The second row of six is in two of four banks. */
static void build_last_row(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, fault ? 6 : 8, 256);

	fill(pb, tensor);
	store(pb, two_rows(pb, tensor));
}

/* An alias may have bytes that its parent has room for, and no element. */
static void build_behind(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, 256), alias;

	pb_tensor(pb, tensor)->size = 768;
	alias = pb_add_alias(pb, tensor, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(LANES, 768));
	fill(pb, tensor);
	store(pb, first_rows(pb, alias, fault ? 513 : 512));
}

static void build_alias_gaps(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, 256);

	fill(pb, fault ? add_alias(pb, tensor, 2, 256, 255) : add_alias(pb, tensor, 256, 256, 1));
	store(pb, pb_all(pb, tensor));
}

static void build_alias_short(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, 256), cells = fault ? 255 : 256;

	fill(pb, add_alias(pb, tensor, cells, cells, 1));
	store(pb, pb_all(pb, tensor));
}

static void build_alias_moved(struct plan_builder *pb, bool fault)
{
	u32 tensor = add_tensor(pb, 8, 256), alias;

	pb_tensor(pb, tensor)->size = 768;
	alias = add_alias(pb, tensor, 256, 256, 1);
	if (fault)
		pb_tensor(pb, alias)->offset += 4;
	fill(pb, alias);
	store(pb, pb_all(pb, tensor));
}

/* An alias covers its own elements only, not bytes of the parent between its rows. */
static void build_alias_pitch(struct plan_builder *pb, bool fault)
{
	u32 alias = add_alias(pb, add_tensor(pb, 8, 256), 128, 256, 1);

	fill(pb, alias);
	store(pb, first_rows(pb, alias, fault ? 129 : 128));
}

static const struct {
	const char *name;
	void (*build)(struct plan_builder *pb, bool fault);
} cases[] = {
	{ "rows at a pitch", build_pitch },
	{ "a cell behind a row", build_pitch_around },
	{ "a row that some banks do not have", build_last_row },
	{ "bytes behind the last element", build_behind },
	{ "an alias with gaps", build_alias_gaps },
	{ "an alias that is too short", build_alias_short },
	{ "an alias that begins later", build_alias_moved },
	{ "rows of an alias at a pitch", build_alias_pitch },
};

static int verify(size_t number, bool fault, struct drm_loom_reject *reject)
{
	struct plan_builder pb;
	struct loom_plan *plan;
	int ret;

	pb_init(&pb, LANES, SCRATCH);
	pb_add_slot(&pb, OUTPUT_BYTES, DRM_LOOM_SLOT_WRITE);
	cases[number].build(&pb, fault);
	ret = pb_verify(&pb, chip, &plan, reject);
	loom_plan_destroy(plan);
	pb_fini(&pb);
	return ret;
}

int main(void)
{
	struct drm_loom_reject reject;
	size_t i;
	int ret;

	chip = loom_preset_find("tiny");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = verify(i, true, &reject);
		tap_ok(ret == -EBADMSG && reject.rule == DRM_LOOM_RULE_UNINITIALISED &&
		       reject.step == 1 && reject.operand == 1,
		       "refused: %s: %d, %s, tensor %u", cases[i].name, ret,
		       loom_rule_name(reject.rule), reject.tensor);
		ret = verify(i, false, &reject);
		tap_ok(!ret, "fine: without %s: %d, %s, tensor %u", cases[i].name, ret,
		       loom_rule_name(reject.rule), reject.tensor);
	}
	return tap_end();
}
