// SPDX-License-Identifier: MIT
/*
 * The template's check of payloads. A payload is random instructions, of which most make sense, for
 * a command of random operands. An accepted one is translated and run twice on memory that has the
 * bytes of the operands and no others, with opposite garbage: outside of what it may write nothing
 * changes, and no garbage comes into what others can read. A model of one byte per byte says for
 * each accepted payload what it reads and writes, and finds refused ones that are right. Lies of
 * each kind are refused for their reason.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../../drivers/accel/loom/template/translate.h"
#include "loom_op.h"
#include "random.h"
#include "tap.h"

#define LANES		4
#define MAX_INSNS	6
#define MAX_BYTES	24
#define PITCH		(DRM_LOOM_MAX_NATIVE_OPERANDS * MAX_BYTES)

/**
 * struct try - a command and its payload
 * @attr: its attributes, with the payload behind
 * @insns: the payload
 * @views: operands
 * @command: the command
 * @payload: for the check
 */
struct try {
	struct drm_loom_attr_native attr;
	struct tile_insn insns[MAX_INSNS];
	struct loom_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	struct loom_command command;
	struct loom_payload payload;
};

/* Operand @i: [lanes][bytes] of U8 from @offset on. */
static void set_view(struct try *t, u32 i, u32 lanes, u32 bytes, u64 offset)
{
	t->views[i] = (struct loom_view) {
		.region = DRM_LOOM_REGION_SRAM, .dtype = DRM_LOOM_DTYPE_U8, .elem_bytes = 1,
		.rank = 2, .dims = { lanes, bytes, 1, 1, 1, 1 }, .strides = { bytes, 1 },
		.offset = offset, .start = offset, .end = offset + bytes,
	};
}

static void set_command(struct try *t, u32 operands, u32 outputs, u32 temporaries, u32 inouts,
			u32 insns)
{
	t->attr = (struct drm_loom_attr_native) {
		.payload_bytes = insns * sizeof(*t->insns),
		.outputs = outputs, .temporaries = temporaries, .inouts = inouts,
	};
	t->command = (struct loom_command) {
		.op = &loom_op_native, .attr = &t->attr, .views = t->views, .operands = operands,
		.outputs = outputs, .reads = outputs + temporaries,
		.written = outputs + temporaries + inouts,
	};
	t->payload = (struct loom_payload) {
		.command = &t->command, .format = tile_native.formats, .bytes = t->insns,
		.size = t->attr.payload_bytes, .lanes = LANES,
	};
}

static int check(struct try *t)
{
	int ret = tile_native.check(&t->payload);

	t->command.zero = t->payload.zero;
	return ret;
}

/* Memory of each lane: the operands side by side. */
struct memory {
	u8 bytes[LANES][PITCH];
};

static void run(const struct try *t, struct memory *memory)
{
	struct tile_move moves[MAX_INSNS + DRM_LOOM_MAX_NATIVE_OPERANDS];
	u32 count = tile_translate(&t->command, moves), i, lane;

	if (count != tile_translate(&t->command, NULL))
		tap_fatal("two numbers of moves");
	for (i = 0; i < count; i++) {
		const struct tile_move *m = &moves[i];

		for (lane = m->first_lane; lane < m->first_lane + m->lanes; lane++) {
			/* exact copies of the ranges, for the sanitizer */
			u8 *a = malloc(m->bytes), *b = malloc(m->bytes);

			if (lane >= LANES || m->to.offset + m->bytes > PITCH ||
			    m->from[0].offset + m->bytes > PITCH ||
			    m->from[1].offset + m->bytes > PITCH)
				tap_fatal("a move leaves the memory");
			memcpy(a, memory->bytes[lane] + m->from[0].offset, m->bytes);
			memcpy(b, memory->bytes[lane] + m->from[1].offset, m->bytes);
			if (tile_run(m, memory->bytes[lane] + m->to.offset, a, b) !=
			    m->bytes / 16 + 1)
				tap_fatal("16 bytes in a cycle, and one more");
			free(a);
			free(b);
		}
	}
}

/* The operand of a byte, or -1. */
static int owner(const struct try *t, u32 lane, u32 at)
{
	u32 i;

	for (i = 0; i < t->command.operands; i++)
		if (lane < t->views[i].dims[0] && at >= t->views[i].start && at < t->views[i].end)
			return i;
	return -1;
}

/* Garbage, but in what the command may read. */
static void fill(const struct try *t, struct memory *memory, u8 garbage)
{
	u32 lane, at;

	for (lane = 0; lane < LANES; lane++)
		for (at = 0; at < PITCH; at++) {
			int i = owner(t, lane, at);

			memory->bytes[lane][at] = i >= (int)t->command.reads ?
				lane * 31 + at * 7 : (at * 13 + lane) ^ garbage;
		}
}

/* Reference interpreter of the instructions, byte by byte. */
static void interpret(const struct try *t, struct memory *memory)
{
	u32 i, lane, k;

	for (i = 0; i < t->command.outputs; i++)
		for (lane = 0; t->command.zero >> i & 1 && lane < t->views[i].dims[0]; lane++)
			memset(memory->bytes[lane] + t->views[i].offset, 0, t->views[i].dims[1]);
	for (i = 0; i < t->payload.size / sizeof(*t->insns); i++) {
		const struct tile_insn *insn = &t->insns[i];

		for (lane = insn->first_lane; lane < (u32)insn->first_lane + insn->lanes; lane++) {
			u8 *bytes = memory->bytes[lane];
			u8 *to = bytes + t->views[insn->to].offset + insn->to_at;
			const u8 *a = bytes + t->views[insn->from[0] % 16].offset +
				      insn->from_at[0];
			const u8 *b = bytes + t->views[insn->from[1] % 16].offset +
				      insn->from_at[1];

			for (k = 0; k < insn->bytes; k++)
				to[k] = insn->op == TILE_FILL ? insn->from[0] :
					insn->op == TILE_COPY ? a[k] : a[k] + b[k];
		}
	}
}

/* Whether an accepted payload does as it says, and keeps to its operands. */
static bool keeps(const struct try *t)
{
	static struct memory before[2], after[2], said;
	u32 lane, at, k;

	for (k = 0; k < 2; k++) {
		fill(t, &before[k], k ? 0xff : 0);
		after[k] = before[k];
		run(t, &after[k]);
		said = before[k];
		interpret(t, &said);
		if (memcmp(&said, &after[k], sizeof(said)))
			return false;
	}
	for (lane = 0; lane < LANES; lane++) {
		for (at = 0; at < PITCH; at++) {
			int i = owner(t, lane, at);
			bool same = after[0].bytes[lane][at] == after[1].bytes[lane][at];

			/* not written, but by a declared operand */
			if ((i < 0 || i >= (int)t->command.written) &&
			    (before[0].bytes[lane][at] != after[0].bytes[lane][at] ||
			     before[1].bytes[lane][at] != after[1].bytes[lane][at]))
				return false;
			/* outputs and in-outs have no garbage */
			if (i >= 0 && (i < (int)t->command.outputs ||
				       (i >= (int)t->command.reads &&
					i < (int)t->command.written)) && !same)
				return false;
		}
	}
	return true;
}

/**
 * struct model - what is known of each byte of an operand
 * @written: by operand, lane and byte
 */
struct model {
	bool written[DRM_LOOM_MAX_NATIVE_OPERANDS][LANES][MAX_BYTES];
};

/* Whether bytes are of the operand; @need: and defined, if it is a temporary. */
static bool model_range(const struct try *t, struct model *model, const struct tile_insn *insn,
			u32 index, u32 at, bool write)
{
	u32 lane, k;

	for (lane = insn->first_lane; lane < (u32)insn->first_lane + insn->lanes; lane++)
		for (k = 0; k < insn->bytes; k++) {
			if (index >= t->command.operands || lane >= t->views[index].dims[0] ||
			    (u64)at + k >= t->views[index].dims[1])
				return false;
			if (write)
				model->written[index][lane][at + k] = true;
			else if (index >= t->command.outputs && index < t->command.reads &&
				 !model->written[index][lane][at + k])
				return false;
		}
	return !write || index < t->command.written;
}

/* Whether a payload does no harm. */
static bool is_right(const struct try *t)
{
	static struct model model;
	u32 i, k;

	memset(&model, 0, sizeof(model));
	for (i = 0; i < t->payload.size / sizeof(*t->insns); i++) {
		const struct tile_insn *insn = &t->insns[i];

		if (insn->op < TILE_FILL || insn->op > TILE_ADD)
			return false;
		for (k = 0; k + 1 < insn->op; k++)
			if (!model_range(t, &model, insn, insn->from[k], insn->from_at[k], false))
				return false;
		if (!model_range(t, &model, insn, insn->to, insn->to_at, true))
			return false;
	}
	return true;
}

static void random_insn(u64 *seed, const struct try *t, struct tile_insn *insn)
{
	u32 k, lanes, bytes, operand = random_xorshift(seed, t->command.written);

	*insn = (struct tile_insn) { .op = 1 + random_xorshift(seed, 3), .to = operand };
	lanes = t->views[operand].dims[0];
	bytes = t->views[operand].dims[1];
	insn->from[0] = insn->op == TILE_FILL ? random_xorshift(seed, 256) : 0;
	for (k = 0; k + 1 < insn->op; k++) {
		insn->from[k] = random_xorshift(seed, t->command.operands);
		lanes = min(lanes, t->views[insn->from[k]].dims[0]);
		bytes = min(bytes, t->views[insn->from[k]].dims[1]);
	}
	insn->lanes = random_xorshift(seed, 3) ? lanes : 1 + random_xorshift(seed, lanes);
	insn->first_lane = random_xorshift(seed, lanes - insn->lanes + 1);
	insn->bytes = random_xorshift(seed, 3) ? bytes : 1 + random_xorshift(seed, bytes);
	insn->to_at = random_xorshift(seed, t->views[operand].dims[1] - insn->bytes + 1);
	for (k = 0; k + 1 < insn->op; k++)
		insn->from_at[k] = random_xorshift(seed, t->views[insn->from[k]].dims[1] -
						   insn->bytes + 1);
	/* a field is one off, or anything */
	if (!random_xorshift(seed, 8)) {
		u8 *byte = (u8 *)insn + random_xorshift(seed, sizeof(*insn));

		*byte += random_xorshift(seed, 2) ? 1 : random_xorshift(seed, 256);
	}
}

static void random_try(u64 *seed, struct try *t)
{
	u32 outputs = random_xorshift(seed, 3), temporaries = random_xorshift(seed, 3);
	u32 inouts = random_xorshift(seed, 2) + !outputs, inputs = random_xorshift(seed, 3), i;
	u32 insns = random_xorshift(seed, MAX_INSNS + 1), operands;

	operands = outputs + temporaries + inouts + inputs;
	for (i = 0; i < operands; i++)
		set_view(t, i, 1 + random_xorshift(seed, LANES),
			 1 + random_xorshift(seed, MAX_BYTES), i * MAX_BYTES);
	set_command(t, operands, outputs, temporaries, inouts, insns);
	for (i = 0; i < insns; i++)
		random_insn(seed, t, &t->insns[i]);
}

static void test_random(u32 tries)
{
	u64 seed = 88172645463325252ULL;
	u32 accepted = 0, wrong = 0, leaves = 0, cautious = 0, zeroed = 0, i;
	static struct try t;

	for (i = 0; i < tries; i++) {
		int ret;

		random_try(&seed, &t);
		ret = check(&t);
		if (ret) {
			cautious += is_right(&t);
			continue;
		}
		accepted++;
		zeroed += !!t.payload.zero;
		wrong += !is_right(&t);
		leaves += !keeps(&t);
	}
	tap_note("of %u payloads %u accepted, %u with zeroed outputs; %u refused that do no harm",
		 tries, accepted, zeroed, cautious);
	tap_ok(accepted > tries / 8 && zeroed > 100 && accepted - zeroed > 100,
	       "payloads of both kinds are accepted");
	tap_ok(!wrong, "no accepted payload touches a byte that is not declared");
	tap_ok(!leaves, "none changes other bytes, or passes garbage on");
}

/* --- lies ----------------------------------------------------------------------------------- */

/* Operands of the lies: all of two lanes and 16 bytes, but for the last. */
enum { OUT, TEMP, INOUT, IN, NARROW, OPERANDS };

static const struct lie {
	const char *what;
	struct tile_insn insn;
	u32 reason;
	u32 zero;
} lies[] = {
	{ "all of an output", { TILE_FILL, OUT, {}, 0, 2, 16, 0, {} }, 0, 0 },
	{ "a part of an output", { TILE_FILL, OUT, {}, 0, 2, 15, 0, {} }, 0, 1 << OUT },
	{ "an output from its second byte on", { TILE_FILL, OUT, {}, 0, 2, 15, 1, {} }, 0,
	  1 << OUT },
	{ "one lane of an output", { TILE_FILL, OUT, {}, 0, 1, 16, 0, {} }, 0, 1 << OUT },
	{ "a part of an in-out", { TILE_COPY, INOUT, { IN }, 1, 1, 4, 8, { 0 } }, 0, 1 << OUT },
	{ "an output read first", { TILE_COPY, INOUT, { OUT }, 0, 2, 16, 0, {} }, 0, 1 << OUT },
	{ "no instruction", { 9, OUT, {}, 0, 2, 16, 0, {} }, TILE_OP, 0 },
	{ "no bytes", { TILE_FILL, OUT, {}, 0, 2, 0, 0, {} }, TILE_OP, 0 },
	{ "no lanes", { TILE_FILL, OUT, {}, 0, 0, 16, 0, {} }, TILE_OP, 0 },
	{ "an unused field", { TILE_COPY, OUT, { IN }, 0, 2, 16, 0, { 0, 1 } }, TILE_OP, 0 },
	{ "an unused source", { TILE_FILL, OUT, { 0, 1 }, 0, 2, 16, 0, {} }, TILE_OP, 0 },
	{ "no operand to write", { TILE_FILL, OPERANDS, {}, 0, 2, 16, 0, {} }, TILE_NO_OPERAND, 0 },
	{ "no operand to read", { TILE_COPY, OUT, { 255 }, 0, 2, 16, 0, {} }, TILE_NO_OPERAND, 0 },
	{ "an input written", { TILE_FILL, IN, {}, 0, 2, 16, 0, {} }, TILE_NOT_WRITTEN, 0 },
	{ "past the end", { TILE_FILL, OUT, {}, 0, 2, 16, 1, {} }, TILE_BYTES, 0 },
	{ "past the end of what is read", { TILE_COPY, OUT, { IN }, 0, 2, 16, 0, { 1 } },
	  TILE_BYTES, 0 },
	{ "a sum that wraps", { TILE_FILL, OUT, {}, 0, 2, 16, ~0U - 7, {} }, TILE_BYTES, 0 },
	{ "a length that wraps", { TILE_FILL, OUT, {}, 0, 2, ~0U, 8, {} }, TILE_BYTES, 0 },
	{ "another lane", { TILE_FILL, OUT, {}, 2, 1, 16, 0, {} }, TILE_LANES, 0 },
	{ "lanes that wrap", { TILE_FILL, OUT, {}, 1, 0xffff, 16, 0, {} }, TILE_LANES, 0 },
	{ "another lane of what is read", { TILE_ADD, OUT, { IN, NARROW }, 1, 1, 8, 0, {} },
	  TILE_LANES, 0 },
	{ "a temporary read first", { TILE_COPY, OUT, { TEMP }, 0, 2, 16, 0, {} }, TILE_UNDEFINED,
	  0 },
	{ "an in-out onto itself", { TILE_COPY, INOUT, { INOUT }, 0, 2, 8, 4, { 0 } },
	  TILE_OVERLAP, 0 },
	{ "an in-out behind itself", { TILE_COPY, INOUT, { INOUT }, 0, 2, 8, 8, { 0 } }, 0,
	  1 << OUT },
	{ "an in-out before itself", { TILE_COPY, INOUT, { INOUT }, 0, 2, 8, 0, { 8 } }, 0,
	  1 << OUT },
	{ "an in-out in place", { TILE_ADD, INOUT, { INOUT, IN }, 0, 2, 8, 4, { 4, 0 } }, 0,
	  1 << OUT },
};

static void lie_views(struct try *t)
{
	u32 i;

	for (i = 0; i < OPERANDS; i++)
		set_view(t, i, i == NARROW ? 1 : 2, 16, i * MAX_BYTES);
	set_command(t, OPERANDS, 1, 1, 1, 1);
}

static void test_lies(void)
{
	static struct try t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		int ret;

		lie_views(&t);
		t.insns[0] = lies[i].insn;
		ret = check(&t);
		if (!tap_ok(lies[i].reason ? ret == -EBADMSG && t.payload.reason == lies[i].reason :
			    !ret && t.payload.zero == lies[i].zero && keeps(&t) &&
			    tile_translate(&t.command, NULL) == 1 + !!lies[i].zero,
			    "%s", lies[i].what))
			tap_note("%d, reason %u, zero %#x", ret, t.payload.reason, t.payload.zero);
	}
}

/* Operands that the format does not take, and strides that say nothing. */
static void test_operands(void)
{
	static struct try t;
	u32 i;

	lie_views(&t);
	t.insns[0] = lies[0].insn;
	t.views[IN].rank = 3;
	t.views[IN].dims[2] = 16;
	t.views[IN].dims[1] = 1;
	t.views[IN].strides[1] = 999;
	t.views[IN].strides[2] = 1;
	tap_ok(!check(&t), "an axis of one element has any stride");
	for (i = 0; i < 8; i++) {
		struct loom_view *view = &t.views[IN];

		lie_views(&t);
		t.insns[0] = lies[0].insn;
		if (i == 0)
			view->region = DRM_LOOM_REGION_DRAM;
		else if (i == 1)
			view->lane_start = 1;
		else if (i == 2)
			view->dims[0] = LANES + 1;
		else if (i == 3)
			view->strides[1] = 2;
		else if (i == 4)
			view->strides[1] = 0;
		else if (i == 5)
			*view = (struct loom_view) {
				.region = DRM_LOOM_REGION_SRAM, .elem_bytes = 1, .rank = 3,
				.dims = { 1, 1 << 16, 1 << 16, 1, 1, 1 },
				.strides = { 0, 1 << 16, 1 },
			};
		else if (i == 6)
			/* two runs of eight bytes in each lane, and a gap between them */
			*view = (struct loom_view) {
				.region = DRM_LOOM_REGION_SRAM, .elem_bytes = 1, .rank = 3,
				.dims = { 2, LANES, 8, 1, 1, 1 }, .strides = { 12, 0, 1 },
				.lane_axis = 1,
			};
		else
			t.payload.size--;
		tap_ok(check(&t) == -EBADMSG &&
		       t.payload.reason == (i == 7 ? TILE_SIZE : TILE_OPERAND),
		       "operand or size %u is refused", i);
	}
}

static bool is_killed;

/* In place of the library's, which is that of a client that lives. */
bool loom_port_relax(void)
{
	return !is_killed;
}

/* The check of the largest payload ends soon after its client. */
static void test_killed(void)
{
	static struct tile_insn insns[DRM_LOOM_MAX_PAYLOAD_BYTES / sizeof(struct tile_insn)];
	static struct try t;
	u32 i;

	lie_views(&t);
	for (i = 0; i < ARRAY_SIZE(insns); i++)
		insns[i] = lies[0].insn;
	t.payload.bytes = insns;
	t.payload.size = sizeof(insns);
	tap_ok(!check(&t), "a payload of %u instructions is accepted", i);
	is_killed = true;
	tap_ok(check(&t) == -EINTR, "but not for a client that was killed");
	is_killed = false;
}

int main(int argc, char **argv)
{
	/* planted.py asks whether random payloads notice a fault */
	if (argc == 1) {
		test_lies();
		test_operands();
		test_killed();
	}
	test_random(argc > 1 ? strtoul(argv[1], NULL, 10) : 200000);
	return tap_end();
}
