// SPDX-License-Identifier: MIT
/*
 * Bytes for a device that are made by hand: where their tables lie, what a command costs on the
 * chip that reads them, and the most that there may be of each.
 *
 *	contents [--small]	without what takes hundreds of megabytes
 */
#include "code.h"

/* Two machines of different builds have to agree. */
static void test_lay(void)
{
	static const struct {
		u32 attr_bytes;
		u64 size;
	} attrs[] = { { 0, 1832 }, { 1, 1840 }, { 7, 1840 }, { 8, 1840 }, { 9, 1848 } };
	struct loom_code_header header = {
		.lanes = 3, .slots = 5, .steps = 7, .commands = 11, .views = 13,
	};
	struct loom_code_tables tables;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		header.attr_bytes = attrs[i].attr_bytes;
		loom_code_lay(&header, &tables);
		tap_ok(tables.ends == 64 && tables.slots == 88 && tables.steps == 248 &&
		       tables.commands == 304 && tables.views == 480 && tables.attrs == 1832 &&
		       tables.size == attrs[i].size, "tables with %u bytes of attributes",
		       attrs[i].attr_bytes);
	}
}

/* Time and energy are those of the chip, again, and not what a verifier elsewhere counted. */
static void test_costs(void)
{
	struct drm_loom_chip costly = chip;
	struct loom_plan *plan, *back = NULL;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	u32 i, some = 0;
	void *bytes;
	u64 size;

	for (i = 0; i < DRM_LOOM_CHIP_REGIONS; i++) {
		costly.region[i].read_energy = 3;
		costly.region[i].write_energy = 5;
	}
	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		costly.type[i].mac_energy = 7;
		costly.type[i].op_energy = 11;
	}
	sample_build(&pb);
	if (pb_verify(&pb, &costly, &plan, &reject))
		tap_fatal("the sample is refused for %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	for (i = 0; i < plan->command_count; i++)
		some += plan->commands[i].energy_fj && plan->commands[i].cycles;
	size = loom_code_bytes(plan);
	bytes = pb_alloc(size);
	tap_ok(some == plan->command_count && !loom_code_encode(plan, bytes) &&
	       !loom_code_decode(bytes, size, &costly, &back) && code_same_plan(plan, back),
	       "%u commands have time and energy, and have it again", some);
	loom_plan_destroy(back);
	loom_plan_destroy(plan);
	pb_free(bytes);
}

/* Bytes that no command uses are zero, whatever was in the memory before. */
static void test_unused(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	static const struct loom_code_view none[2];
	const struct loom_code_header *header;
	struct loom_code_tables tables;
	u8 *bytes[2];
	u64 size;
	u32 i;

	sample_build(&pb);
	pb_push(&pb.views, 2);
	pb_push(&pb.attrs, 20);
	if (pb_verify(&pb, &chip, &plan, &reject))
		tap_fatal("the sample is refused for %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	size = loom_code_bytes(plan);
	for (i = 0; i < 2; i++) {
		bytes[i] = pb_alloc(size);
		memset(bytes[i], i ? 0xff : 0, size);
		if (loom_code_encode(plan, bytes[i]))
			tap_fatal("the sample cannot be written");
	}
	tap_ok(!memcmp(bytes[0], bytes[1], size), "the same bytes in memory that is not zero");
	header = (const void *)bytes[1];
	loom_code_lay(header, &tables);
	tap_ok(!memcmp(bytes[1] + tables.attrs - sizeof(none), none, sizeof(none)),
	       "views that no command has are zero");
	pb_free(bytes[0]);
	pb_free(bytes[1]);
	loom_plan_destroy(plan);
}

/* One slot that no command has. */
static int try_slot(u64 size)
{
	struct code code;

	code_make_zero(&code, (struct loom_code_header){ .lanes = 4, .slots = 1 });
	code.slots[0] = (struct loom_code_slot){ .size = size, .flags = DRM_LOOM_SLOT_READ };
	return code_try(&code);
}

/* One element in each bank. */
static const struct loom_code_view cells = {
	.region = DRM_LOOM_REGION_SRAM, .dtype = DRM_LOOM_DTYPE_F32, .rank = 1,
	.dims = { 4, 1, 1, 1, 1, 1 }, .strides = { 4 },
};

/* One command that fills a view, in the scratch or in a slot of a few bytes. */
static int try_view(struct loom_code_view view)
{
	struct code code;

	code_make_zero(&code, (struct loom_code_header){
		.lanes = 4, .scratch_bytes = 64, .slots = 1, .steps = 1, .commands = 1,
		.views = 1, .tensors = 1, .attr_bytes = sizeof(struct drm_loom_attr_fill),
	});
	code.slots[0] = (struct loom_code_slot){ .size = 64, .flags = DRM_LOOM_SLOT_WRITE };
	code.steps[0].dma_commands = 1;
	code.commands[0] = (struct loom_code_command){
		.opcode = DRM_LOOM_OP_FILL, .operands = 1,
	};
	code.views[0] = view;
	return code_try(&code);
}

/* Views of no element, and of no axis. */
static void test_empty(void)
{
	struct loom_code_view view = cells;
	u32 axis;

	for (axis = 1; axis < DRM_LOOM_MAX_RANK; axis++) {
		view.rank = axis + 1;
		tap_ok(!try_view(view), "axis %u of one element", axis);
		view.dims[axis] = 0;
		tap_ok(try_view(view) == -EBADMSG, "axis %u of none", axis);
		view.dims[axis] = 1;
	}
	view = cells;
	view.region = DRM_LOOM_REGION_DRAM;
	view.dims[0] = 1;
	view.strides[0] = 0;
	tap_ok(!try_view(view), "one element on one axis");
	view.rank = 0;
	tap_ok(try_view(view) == -EBADMSG, "one on none");
}

/* So many times the same command, and so many views, of which it has the first. */
static int try_many(u32 commands, u32 views, u32 attr_offset)
{
	struct code code;
	u32 i;

	code_make_zero(&code, (struct loom_code_header){
		.lanes = 4, .scratch_bytes = 4, .steps = 1, .commands = commands, .views = views,
		.tensors = 1, .attr_bytes = 2 * sizeof(struct drm_loom_attr_fill),
	});
	code.steps[0].dma_commands = commands;
	code.views[0] = cells;
	for (i = 0; i < commands; i++)
		code.commands[i] = (struct loom_code_command){
			.opcode = DRM_LOOM_OP_FILL, .operands = 1, .attr_offset = attr_offset,
		};
	return code_try(&code);
}

/*
 * Steps whose commands are one in sum, but for the carry. Behind the one are views that look like
 * more of it: a decoder that believes the steps writes them behind the commands of the plan.
 */
static int try_carry(u32 first, u32 second)
{
	const u32 views = 4096;
	struct loom_code_command fill = {
		.opcode = DRM_LOOM_OP_FILL, .operands = 1, .first_view = views - 1,
	};
	struct code code;
	u64 i;

	code_make_zero(&code, (struct loom_code_header){
		.lanes = 4, .scratch_bytes = 4, .steps = 2, .commands = 1, .views = views,
		.tensors = 1, .attr_bytes = sizeof(struct drm_loom_attr_fill),
	});
	code.steps[0].dma_commands = first;
	code.steps[1].dma_commands = second;
	for (i = 0; i < 1 + (views - 1) * sizeof(cells) / sizeof(fill); i++)
		code.commands[i] = fill;
	code.views[views - 1] = cells;
	return code_try(&code);
}

int main(int argc, char **argv)
{
	bool small = argc > 1 && !strcmp(argv[1], "--small");
	u32 i;

	chip = *loom_preset_find(SAMPLE_TOPOLOGY);
	test_lay();
	test_costs();
	test_unused();
	test_empty();
	tap_ok(!try_slot(1), "a slot of a byte");
	tap_ok(try_slot(0) == -EBADMSG, "a slot of nothing");
	for (i = 0; i < 8; i++)
		tap_ok(try_many(1, 1, i) == (i ? -EBADMSG : 0), "attributes from byte %u", i);
	tap_ok(!try_many(1, 1, 8), "attributes from byte 8");
	tap_ok(!try_carry(1, 0) && !try_carry(0, 1), "one command in two steps");
	tap_ok(try_carry(~0U, 2) == -EBADMSG, "more than 32 bits say");
	if (small)
		return tap_end();
	tap_ok(!try_many(DRM_LOOM_MAX_COMMANDS, 1, 0), "as many commands as there may be");
	tap_ok(try_many(DRM_LOOM_MAX_COMMANDS + 1, 1, 0) == -EBADMSG, "one more");
	tap_ok(!try_many(1, DRM_LOOM_MAX_VIEWS, 0), "as many views as there may be");
	tap_ok(try_many(1, DRM_LOOM_MAX_VIEWS + 1, 0) == -EBADMSG, "one more");
	return tap_end();
}
