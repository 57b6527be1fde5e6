// SPDX-License-Identifier: MIT
/*
 * Kinds of mistakes that were found in other verifiers after they were merged, each by name: this
 * one does not make them.
 */
#include <errno.h>

#include "plan_sample.h"
#include "tap.h"

static const struct drm_loom_chip *chip;

/* --- what core asks of its surroundings, with faults on demand */

static u32 live_blocks, allocations, relaxes;
static u32 fail_allocation = ~0U, fail_relax = ~0U;

void *loom_port_alloc(size_t count, size_t size)
{
	void *ptr;

	if (allocations++ == fail_allocation)
		return NULL;
	ptr = calloc(count ? count : 1, size ? size : 1);
	live_blocks += !!ptr;
	return ptr;
}

void loom_port_free(void *ptr)
{
	live_blocks -= !!ptr;
	free(ptr);
}

bool loom_port_relax(void)
{
	return relaxes++ != fail_relax;
}

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

	sample_begin(&s);
	pb_command(&s.pb, C_ADD)->first_view = s.pb.views.count - 2;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_OPERANDS,
	       "straddling the end: operands that begin inside of the table and end outside");
	sample_begin(&s);
	pb_command(&s.pb, C_ADD)->attr_offset = s.pb.attrs.count - 8;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_ATTR,
	       "straddling the end: attributes that begin inside of the table and end outside");
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

/* "an error return nobody looked at" */
static void test_errors(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 total, i, before;
	bool ok = true;
	u64 size;
	void *blob;
	int ret;

	sample_build(&pb);
	blob = pb_blob(&pb, &size);
	before = live_blocks;
	allocations = 0;
	relaxes = 0;
	ret = loom_plan_create(blob, size, chip, &plan, &reject);
	total = allocations;
	ok = !ret && live_blocks > before;
	loom_plan_destroy(plan);
	ok &= live_blocks == before;
	tap_ok(ok, "errors: a plan that is destroyed leaves nothing (%u allocations)", total);

	for (i = 0; i < total; i++) {
		allocations = 0;
		fail_allocation = i;
		ret = loom_plan_create(blob, size, chip, &plan, &reject);
		ok &= ret == -ENOMEM && !plan && live_blocks == before && !reject.rule;
	}
	fail_allocation = ~0U;
	tap_ok(ok, "errors: any allocation that fails ends in -ENOMEM and leaves nothing");

	total = relaxes;
	relaxes = 0;
	ret = loom_plan_create(blob, size, chip, &plan, &reject);
	loom_plan_destroy(plan);
	total = relaxes;
	for (i = 0; i < total; i++) {
		relaxes = 0;
		fail_relax = i;
		ret = loom_plan_create(blob, size, chip, &plan, &reject);
		ok &= ret == -EINTR && !plan && live_blocks == before && !reject.rule;
	}
	fail_relax = ~0U;
	tap_ok(ok && total, "errors: any of %u interruptions ends in -EINTR and leaves nothing",
	       total);
	free(blob);
	pb_fini(&pb);
}

/* "an 'all ones means unset' sentinel that arithmetic reached" */
static void test_sentinels(void)
{
	static const u64 patterns[] = { ~0ULL, 0, 1ULL << 63, 0x7fffffff7fffffff };
	u64 size, at, field, i;
	struct drm_loom_reject reject;
	u32 before = live_blocks;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 accepted = 0;
	bool ok = true;
	u8 *blob, save[8];
	int ret;

	sample_build(&pb);
	blob = pb_blob(&pb, &size);
	for (field = 1; field <= 8; field *= 2) {
		for (at = 0; at + field <= size; at += field) {
			for (i = 0; i < ARRAY_SIZE(patterns); i++) {
				memcpy(save, blob + at, field);
				memcpy(blob + at, &patterns[i], field);
				ret = loom_plan_create(blob, size, chip, &plan, &reject);
				ok &= (!ret && plan && !reject.rule) ||
				      (ret == -EBADMSG && !plan && reject.rule &&
				       reject.rule < DRM_LOOM_RULE_END);
				accepted += !ret;
				loom_plan_destroy(plan);
				memcpy(blob + at, save, field);
			}
		}
	}
	tap_ok(ok && live_blocks == before,
	       "sentinels: every field as all ones, zero, lowest and highest (%u are valid)",
	       accepted);
	free(blob);
	pb_fini(&pb);
}

/* "u32 underflow" */
static void test_underflow(void)
{
	struct sample s;

	sample_begin(&s);
	pb_operand(&s.pb, C_LOAD_X1, 1)->dims[0] = 0;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_VIEW_FIELD, "underflow: a dim of zero less one");
	sample_begin(&s);
	pb_tensor(&s.pb, T_X)->dims[0] = 0;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_TENSOR_TYPE, "underflow: a tensor's dim of zero");
	sample_begin(&s);
	pb_tensor(&s.pb, T_MID)->first_step = 4;
	pb_tensor(&s.pb, T_MID)->last_step = 3;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_TENSOR_LIFETIME,
	       "underflow: a life of minus one step");
	sample_begin(&s);
	s.pb.steps.count = 0;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_TENSOR_LIFETIME, "underflow: last step of no steps");
	sample_begin(&s);
	pb_operand(&s.pb, C_ADD, 2)->lane_start = ~0U;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_VIEW_LANE, "underflow: a lane before the first");
	sample_begin(&s);
	pb_step(&s.pb, 6)->first_command--;
	tap_ok(sample_end(&s) == DRM_LOOM_RULE_STEP, "underflow: a step before the one before it");
}

/* "unknown opcodes falling through default: break" */
static void test_unknown_opcodes(void)
{
	struct sample s;
	bool ok = true;
	u32 i, rule;

	for (i = 0; i <= 0xffff; i++) {
		if (loom_op_get(i))
			continue;
		/* once with everything else as it was */
		sample_begin(&s);
		pb_command(&s.pb, i & 1 ? C_ADD : C_LOAD_Z)->opcode = i;
		rule = sample_end(&s);
		ok &= rule == DRM_LOOM_RULE_OPCODE;
	}
	tap_ok(ok, "unknown opcodes: all that are not in the table are refused as such");
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

/* "a bound on the work": what a hostile plan can make the verifier do */
static void test_work(void)
{
	struct drm_loom_attr_fill fill = {};
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 n = getenv("LOOM_SANITIZED") ? 10000 : 60000, i, work[2];
	int ret;

	/*
	 * A comb on one axis, then a comb across it: the union has n squared corners. Twice as
	 * many commands must not take four times the work.
	 */
	for (i = 0; i < 2; i++) {
		u32 k, half = n << i, tensor;
		struct drm_loom_plan_view v;

		pb_init(&pb, 4, 0);
		pb_add_slot(&pb, 1ULL << 42, DRM_LOOM_SLOT_WRITE);
		tensor =
			pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(1 << 20, 1 << 20));
		pb_begin_step(&pb);
		for (k = 0; k < half; k++) {
			v = pb_slice(&pb, pb_all(&pb, tensor), 0, 2 * k, 1);
			v = pb_slice(&pb, v, 1, k, 2);
			pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(v));
		}
		for (k = 0; k < half; k++) {
			v = pb_slice(&pb, pb_all(&pb, tensor), 1, 3 * k, 1);
			pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(v));
		}
		relaxes = 0;
		ret = pb_verify(&pb, chip, &plan, &reject);
		work[i] = relaxes;
		loom_plan_destroy(plan);
		pb_fini(&pb);
		/* what is too much work is refused for it, and for nothing else */
		if (ret && reject.rule != DRM_LOOM_RULE_WORK)
			tap_fatal("combs are refused: %s", loom_rule_name(reject.rule));
	}
	tap_ok(work[1] < 3 * work[0], "work: crossing combs of %u and %u: %u and %u rounds", n,
	       2 * n, work[0], work[1]);
}

int main(void)
{
	chip = loom_preset_find(SAMPLE_TOPOLOGY);
	if (!chip)
		tap_fatal("no topology %s", SAMPLE_TOPOLOGY);
	test_straddling();
	test_indices();
	test_wrapping();
	test_errors();
	test_sentinels();
	test_underflow();
	test_unknown_opcodes();
	test_overwritten();
	test_work();
	return tap_end();
}
