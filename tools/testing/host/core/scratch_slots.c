// SPDX-License-Identifier: MIT
/*
 * SRAM tensors in a slot instead of in the scratch: the data that a plan leaves in a buffer are
 * there for the next one, whatever the buffer's address. And: where a plan's use of the scratch
 * ends in each bank.
 */
#include "loom_engine.h"
#include "plan_builder.h"
#include "tap.h"

#define LANES		4
#define COLUMNS		8
#define ROWS		6
#define ROW_BYTES	(COLUMNS * sizeof(float))
/* two rows of lanes, as there are more rows than lanes */
#define BOUND_BYTES	(2 * ROW_BYTES)
#define PITCH		512

static const struct drm_loom_chip *chip;

static void run(const struct loom_plan *plan, u8 *scratch, u8 **slots, const u64 *pitches)
{
	struct loom_memory memory = {
		.lanes = LANES, .scratch = scratch, .lane_pitch = PITCH, .slots = slots,
		.slot_pitches = pitches,
	};
	struct loom_engine engine;

	loom_engine_init(&engine, plan, &memory);
	while (!loom_engine_run(&engine, 1000))
		;
}

static u32 add_bound(struct plan_builder *pb, u32 slot, u64 offset, u32 last)
{
	u32 tensor =
		pb_add_sram(pb, offset, 0, last, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(ROWS, COLUMNS));

	pb_tensor(pb, tensor)->flags = DRM_LOOM_TENSOR_SLOT;
	pb_tensor(pb, tensor)->slot = slot;
	return tensor;
}

/* DRAM slot 0 into SRAM slot 1, which is then twice what was loaded. */
static struct loom_plan *make_writer(void)
{
	struct drm_loom_attr_binary add = { .kind = DRM_LOOM_BINARY_ADD };
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 in, kept;

	pb_init(&pb, LANES, 0);
	pb_add_slot(&pb, ROWS * ROW_BYTES, DRM_LOOM_SLOT_READ);
	pb_add_slot(&pb, BOUND_BYTES, DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SRAM);
	in = pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(ROWS, COLUMNS));
	kept = add_bound(&pb, 1, 0, 1);
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(&pb, kept), pb_all(&pb, in)));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_BINARY, &add, sizeof(add),
	       PB_VIEWS(pb_all(&pb, kept), pb_all(&pb, kept), pb_all(&pb, kept)));
	if (pb_verify(&pb, chip, &plan, &reject))
		tap_fatal("the writer is refused: %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	return plan;
}

/* SRAM slot 0, by way of the scratch, into DRAM slot 1. Return: 0 or the rule. */
static u32 make_reader(u32 flags, struct loom_plan **plan)
{
	struct drm_loom_attr_unary neg = { .kind = DRM_LOOM_UNARY_NEG };
	struct drm_loom_reject reject;
	struct plan_builder pb;
	u32 kept, out, scratch;

	pb_init(&pb, LANES, BOUND_BYTES);
	pb_add_slot(&pb, BOUND_BYTES, flags | DRM_LOOM_SLOT_SRAM);
	pb_add_slot(&pb, ROWS * ROW_BYTES, DRM_LOOM_SLOT_WRITE);
	kept = add_bound(&pb, 0, 0, 0);
	out = pb_add_dram(&pb, 1, 0, 1, 1, DRM_LOOM_DTYPE_F32, PB_SHAPE(ROWS, COLUMNS));
	scratch = pb_add_sram(&pb, 0, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(ROWS, COLUMNS));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_UNARY, &neg, sizeof(neg),
	       PB_VIEWS(pb_all(&pb, scratch), pb_all(&pb, kept)));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_STORE, NULL, 0, PB_VIEWS(pb_all(&pb, out), pb_all(&pb, scratch)));
	pb_verify(&pb, chip, plan, &reject);
	pb_fini(&pb);
	return reject.rule;
}

static void test_kept(void)
{
	static float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
	static u8 scratch[LANES * PITCH], sram[LANES * PITCH];
	struct loom_plan *writer = make_writer(), *reader;
	u64 pitches[2] = { 0, PITCH };
	u8 *slots[2] = { (u8 *)in, sram + 128 };
	u32 i, wrong = 0, outside = 0;

	tap_ok(!make_reader(DRM_LOOM_SLOT_READ, &reader), "what a slot holds may be read");
	for (i = 0; i < ROWS * COLUMNS; i++)
		in[i] = i + 1;
	memset(sram, 0x5a, sizeof(sram));
	memset(scratch, 0x5a, sizeof(scratch));
	run(writer, scratch, slots, pitches);
	for (i = 0; i < sizeof(scratch); i++)
		outside += scratch[i] != 0x5a;
	for (i = 0; i < sizeof(sram); i++)
		if (i % PITCH < 128 || i % PITCH >= 128 + BOUND_BYTES)
			outside += sram[i] != 0x5a;
	tap_ok(!outside, "a plan that writes to an SRAM slot touches nothing else");
	tap_ok(((float *)(sram + 128 + PITCH))[0] == 2 * in[COLUMNS] &&
	       ((float *)(sram + 128 + PITCH + ROW_BYTES))[1] == 2 * in[5 * COLUMNS + 1],
	       "row r lies in bank r modulo lanes of what is bound");

	pitches[0] = PITCH;
	slots[0] = sram + 128;
	slots[1] = (u8 *)out;
	run(reader, scratch, slots, pitches);
	for (i = 0; i < ROWS * COLUMNS; i++)
		wrong += out[i] != -2 * in[i];
	tap_ok(!wrong, "what one plan leaves in an SRAM buffer another finds there");
	loom_plan_destroy(writer);
	loom_plan_destroy(reader);

	tap_ok(make_reader(DRM_LOOM_SLOT_WRITE, &reader) == DRM_LOOM_RULE_UNINITIALISED && !reader,
	       "what a slot holds may not be read if that is not said");
}

static void test_rules(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 kept, fill;
	struct drm_loom_attr_fill attr = {};
	u32 i;

	for (i = 0; i < 4; i++) {
		static const u32 rules[] = {
			DRM_LOOM_RULE_NONE, DRM_LOOM_RULE_READ_ONLY, DRM_LOOM_RULE_TENSOR_BOUNDS,
			DRM_LOOM_RULE_TENSOR_OVERLAP,
		};

		pb_init(&pb, LANES, 64);
		pb_add_slot(&pb, BOUND_BYTES, DRM_LOOM_SLOT_SRAM |
			    (i == 1 ? DRM_LOOM_SLOT_READ : DRM_LOOM_SLOT_WRITE));
		kept = add_bound(&pb, 0, i == 2 ? 4 : 0, 0);
		/* of the scratch, so at another place even if the numbers are the same */
		pb_add_sram(&pb, 0, 0, 0, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(LANES, COLUMNS));
		if (i == 3)
			add_bound(&pb, 0, 0, 0);
		pb_begin_step(&pb);
		fill = pb_add(&pb, DRM_LOOM_OP_FILL, &attr, sizeof(attr),
			      PB_VIEWS(pb_all(&pb, kept)));
		(void)fill;
		pb_verify(&pb, chip, &plan, &reject);
		tap_ok(reject.rule == rules[i], "an SRAM slot: %s", loom_rule_name(rules[i]));
		if (i)
			tap_ok(reject.region == DRM_LOOM_REGION_SRAM ||
			       !(reject.valid & DRM_LOOM_REJECT_RANGE), "and it says where");
		loom_plan_destroy(plan);
		pb_fini(&pb);
	}
}

/* Tensors with 1, 3 and 9 indices on their lane axis: in bank 0, in banks 0 to 2, in all. */
static void test_ends(void)
{
	static const u64 want[LANES] = { 512, 320, 320, 192 };
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 i, same = 0;

	pb_init(&pb, LANES, 4096);
	pb_add_sram(&pb, 96, 0, 0, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(9, COLUMNS));
	pb_add_sram(&pb, 288, 0, 0, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(3, COLUMNS));
	pb_add_sram(&pb, 480, 0, 0, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(1, COLUMNS));
	pb_begin_step(&pb);
	if (pb_verify(&pb, chip, &plan, &reject))
		tap_fatal("refused: %s", loom_rule_name(reject.rule));
	for (i = 0; i < LANES; i++)
		same += plan->scratch_ends[i] == want[i];
	tap_ok(same == LANES, "the scratch ends in each bank with the last tensor there");
	loom_plan_destroy(plan);
	pb_fini(&pb);

	pb_init(&pb, LANES, 4096);
	pb_begin_step(&pb);
	if (pb_verify(&pb, chip, &plan, &reject))
		tap_fatal("refused: %s", loom_rule_name(reject.rule));
	tap_ok(!plan->scratch_ends[0], "and at once where there is none");
	loom_plan_destroy(plan);
	pb_fini(&pb);
}

int main(void)
{
	chip = loom_preset_find("tiny");
	test_kept();
	test_rules();
	test_ends();
	return tap_end();
}
