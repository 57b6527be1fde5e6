// SPDX-License-Identifier: MIT
/*
 * Kinds of mistakes that were found in other verifiers after they were merged, each by name: this
 * one does not make them. Of others of these kinds, rules.c has cases of numbers below zero, of
 * unknown opcodes and of all ones, starved.c errors on the way, and work.c bounds of work.
 */
#include <errno.h>

#include "plan_sample.h"
#include "tap.h"

static const struct drm_loom_chip *chip;

/* --- helpers */

struct sample {
	struct plan_builder pb;
	struct loom_plan *plan;
	struct drm_loom_reject reject;
};

static void sample_begin(struct sample *s)
{
	s->plan = NULL;
	sample_build(&s->pb);
}

static u32 sample_end(struct sample *s)
{
	int ret = pb_verify(&s->pb, chip, &s->plan, &s->reject);

	loom_plan_destroy(s->plan);
	pb_fini(&s->pb);
	if (ret && ret != -EBADMSG)
		tap_fatal("error %d", ret);
	return ret ? s->reject.rule : DRM_LOOM_RULE_NONE;
}

/* --- the classes */

/* "a two-word command straddling the end" */
static void test_straddling(void)
{
	struct drm_loom_plan_header *header;
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	struct sample s;
	bool ok = true;
	u64 size, cut;
	u8 *exact;
	int ret;

	/* Every size of plan from nothing to all, the header telling the truth about it. */
	sample_begin(&s);
	header = pb_blob(&s.pb, &size);
	for (cut = 0; cut < size; cut++) {
		exact = malloc(cut + 1);
		memcpy(exact, header, cut);
		if (cut >= sizeof(*header))
			((struct drm_loom_plan_header *)(void *)exact)->size = cut;
		ret = loom_plan_create(exact, cut, chip, &plan, &reject);
		ok &= ret == -EBADMSG && !plan &&
		      reject.rule ==
			      (cut < sizeof(*header) ? DRM_LOOM_RULE_HEADER : DRM_LOOM_RULE_TABLE);
		free(exact);
	}
	free(header);
	pb_fini(&s.pb);
	tap_ok(ok, "straddling the end: a plan cut at any of its %u bytes", (u32)size);
}

/* "a mask one bit too wide used as an index" */
static void test_indices(void)
{
	struct sample s;
	bool ok = true;
	u32 i;

	for (i = 0; i <= 0xffff; i++) {
		const struct loom_op *op = loom_op_get(i);

		if (op && (i >= DRM_LOOM_OP_END || !op->check || op->opcode != i || !op->name ||
			   op->max_operands > DRM_LOOM_MAX_OPERANDS || !op->min_operands))
			ok = false;
	}
	ok &= !loom_op_get(~0U) && !loom_op_get(DRM_LOOM_OP_END);
	tap_ok(ok, "index too wide: opcodes that are known are complete, all others are none");

	ok = true;
	for (i = 0; i < 256; i++) {
		sample_begin(&s);
		pb_tensor(&s.pb, T_X)->dtype = i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE || i == DRM_LOOM_DTYPE_F32;
		sample_begin(&s);
		pb_operand(&s.pb, C_ADD, 2)->rank = i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE || i == 2;
		sample_begin(&s);
		pb_operand(&s.pb, C_ADD, 2)->lane_axis = i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE || i == 0;
		sample_begin(&s);
		pb_tensor(&s.pb, T_SX0)->lane_axis = i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE || i == 1;
	}
	tap_ok(ok, "index too wide: every value of a byte as type, rank and lane axis");

	ok = true;
	for (i = 0; i < 32; i++) {
		sample_begin(&s);
		pb_tensor(&s.pb, T_X)->slot |= 1U << i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE || i == 0;
		sample_begin(&s);
		pb_tensor(&s.pb, T_X)->region |= 1U << i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
		sample_begin(&s);
		pb_operand(&s.pb, C_ADD, 2)->tensor ^= 1U << i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
		sample_begin(&s);
		pb_tensor(&s.pb, T_MID_FLAT)->parent ^= 1U << i;
		ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
	}
	tap_ok(ok, "index too wide: every bit of slot, region, tensor and parent");
}

/* "wrapping signed stride, multiply and add in the bounds sum" */
static void test_wrapping(void)
{
	static const s64 strides[] = {
		S64_MIN, S64_MIN + 4, -(1LL << 62), (1LL << 62), S64_MAX & ~3LL, 1LL << 32,
		-(1LL << 32), (1LL << 61) + 4, 0x5555555555555554, -0x5555555555555554,
	};
	static const u64 offsets[] = {
		0, 4, 1ULL << 32, 1ULL << 62, 1ULL << 63, ~3ULL, ~0ULL - 1023, ~0ULL - 2047,
	};
	static const u32 dims[] = { 2, 3, 4, 5, 0x40000000, 0x80000000, 0xffffffff };
	size_t i, j, k, axis;
	struct sample s;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		for (j = 0; j < ARRAY_SIZE(offsets); j++) {
			for (k = 0; k < ARRAY_SIZE(dims); k++) {
				axis = (i + j + k) % 5;
				sample_begin(&s);
				pb_operand(&s.pb, C_LOAD_X1, 1)->strides[axis] = strides[i];
				pb_operand(&s.pb, C_LOAD_X1, 1)->offset = offsets[j];
				pb_operand(&s.pb, C_LOAD_X1, 1)->dims[axis] = dims[k];
				ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
			}
		}
	}
	tap_ok(ok, "wrapping: strides, offsets and dims of a view that add up to something small");

	ok = true;
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (k = 0; k < ARRAY_SIZE(dims); k++) {
			struct drm_loom_plan_tensor *t;

			sample_begin(&s);
			t = pb_tensor(&s.pb, T_Y);
			t->offset = offsets[i];
			t->size = 2048 - offsets[i];
			if (offsets[i])
				ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
			else
				sample_end(&s);
			sample_begin(&s);
			t = pb_tensor(&s.pb, T_Y);
			t->strides[0] = offsets[i];
			t->dims[0] = dims[k];
			ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
			sample_begin(&s);
			pb_command(&s.pb, C_ADD)->attr_offset = offsets[i] & ~7ULL;
			pb_command(&s.pb, C_ADD)->first_view = dims[k];
			ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
			sample_begin(&s);
			pb_step(&s.pb, 1)->dma_commands = dims[k];
			pb_step(&s.pb, 1)->compute_commands = 3 - dims[k];
			ok &= sample_end(&s) != DRM_LOOM_RULE_NONE;
		}
	}
	tap_ok(ok, "wrapping: places of tensors, attributes, operands and steps");
}

/* "a plan buffer that another job could overwrite" */
static void test_overwritten(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	struct loom_command *commands;
	struct loom_view *views;
	u8 *attrs, *blob;
	bool ok = true;
	u64 size;
	u32 i;

	sample_build(&pb);
	blob = pb_blob(&pb, &size);
	if (loom_plan_create(blob, size, chip, &plan, &reject))
		tap_fatal("the sample is refused");
	commands = calloc(plan->command_count, sizeof(*commands));
	views = calloc(plan->view_count, sizeof(*views));
	attrs = calloc(1, pb.attrs.count);
	memcpy(commands, plan->commands, plan->command_count * sizeof(*commands));
	memcpy(views, plan->views, plan->view_count * sizeof(*views));
	memcpy(attrs, plan->attrs, pb.attrs.count);

	memset(blob, 0xff, size);
	ok &= !memcmp(commands, plan->commands, plan->command_count * sizeof(*commands));
	ok &= !memcmp(views, plan->views, plan->view_count * sizeof(*views));
	ok &= !memcmp(attrs, plan->attrs, pb.attrs.count);
	for (i = 0; i < plan->command_count; i++) {
		const struct loom_command *c = &plan->commands[i];
		const u8 *attr = c->attr;

		ok &= c->views >= plan->views &&
		      c->views + c->operands <= plan->views + plan->view_count;
		ok &= !attr || (attr >= (u8 *)plan->attrs && attr + c->op->attr_size <=
						(u8 *)plan->attrs + pb.attrs.count);
	}
	free(blob);
	ok &= !memcmp(views, plan->views, plan->view_count * sizeof(*views));
	tap_ok(ok, "overwritten: the decoded plan has nothing of the client's bytes");
	loom_plan_destroy(plan);
	free(commands);
	free(views);
	free(attrs);
	pb_fini(&pb);
}

int main(void)
{
	chip = loom_preset_find(SAMPLE_TOPOLOGY);
	if (!chip)
		tap_fatal("no topology %s", SAMPLE_TOPOLOGY);
	test_straddling();
	test_indices();
	test_wrapping();
	test_overwritten();
	return tap_end();
}
