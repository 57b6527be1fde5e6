// SPDX-License-Identifier: MIT
/*
 * Bytes for a device that are made by hand: where their tables lie, what a command costs on the
 * chip that reads them, and the most that there may be of each.
 */
#include "code/code.h"
#include "plan_sample.h"
#include "tap.h"

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
	struct drm_loom_chip chip = *loom_preset_find(SAMPLE_TOPOLOGY);
	struct loom_plan *plan, *back = NULL;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	u32 i, some = 0;
	void *bytes;
	u64 size;

	for (i = 0; i < DRM_LOOM_CHIP_REGIONS; i++) {
		chip.region[i].read_energy = 3;
		chip.region[i].write_energy = 5;
	}
	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		chip.type[i].mac_energy = 7;
		chip.type[i].op_energy = 11;
	}
	sample_build(&pb);
	if (pb_verify(&pb, &chip, &plan, &reject))
		tap_fatal("the sample is refused for %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	for (i = 0; i < plan->command_count; i++)
		some += plan->commands[i].energy_fj && plan->commands[i].cycles;
	size = loom_code_bytes(plan);
	bytes = pb_alloc(size);
	tap_ok(some == plan->command_count && !loom_code_encode(plan, bytes) &&
	       !loom_code_decode(bytes, size, &chip, &back) && code_same_plan(plan, back),
	       "%u commands have time and energy, and have it again", some);
	loom_plan_destroy(back);
	loom_plan_destroy(plan);
	pb_free(bytes);
}

/* One slot that no command has. */
static int try_slot(u64 size)
{
	struct loom_code_header *header, counts = {
		.magic = LOOM_CODE_MAGIC, .version = LOOM_CODE_VERSION, .lanes = 4, .slots = 1,
	};
	struct loom_code_tables tables;
	struct loom_plan *plan;
	u8 *bytes;
	int ret;

	loom_code_lay(&counts, &tables);
	bytes = loom_port_alloc(1, tables.size);
	if (!bytes)
		tap_fatal("no memory");
	header = (void *)bytes;
	*header = counts;
	header->size = tables.size;
	*(struct loom_code_slot *)(bytes + tables.slots) = (struct loom_code_slot){
		.size = size, .flags = DRM_LOOM_SLOT_READ,
	};
	header->sum = loom_code_sum(&header->scratch_bytes, loom_code_words(tables.size));
	ret = loom_code_decode(bytes, tables.size, loom_preset_find(SAMPLE_TOPOLOGY), &plan);
	loom_plan_destroy(plan);
	loom_port_free(bytes);
	return ret;
}

/* So many times the same command, and so many views, of which it has the first. */
static int try_many(u32 commands, u32 views)
{
	struct loom_code_header *header, counts = {
		.magic = LOOM_CODE_MAGIC, .version = LOOM_CODE_VERSION, .lanes = 4, .steps = 1,
		.scratch_bytes = 4, .commands = commands, .views = views, .tensors = 1,
		.attr_bytes = sizeof(struct drm_loom_attr_fill),
	};
	struct loom_code_tables tables;
	struct loom_code_command *table;
	struct loom_code_step *step;
	struct loom_plan *plan;
	u8 *bytes;
	int ret;
	u32 i;

	loom_code_lay(&counts, &tables);
	bytes = loom_port_alloc(1, tables.size);
	if (!bytes)
		tap_fatal("no memory");
	header = (void *)bytes;
	*header = counts;
	header->size = tables.size;
	step = (void *)(bytes + tables.steps);
	if (loom_op_get(DRM_LOOM_OP_FILL)->stream == LOOM_STREAM_DMA)
		step->dma_commands = commands;
	else
		step->compute_commands = commands;
	table = (void *)(bytes + tables.commands);
	for (i = 0; i < commands; i++)
		table[i] = (struct loom_code_command){
			.opcode = DRM_LOOM_OP_FILL, .operands = 1,
		};
	*(struct loom_code_view *)(bytes + tables.views) = (struct loom_code_view){
		.region = DRM_LOOM_REGION_SRAM, .dtype = DRM_LOOM_DTYPE_F32, .rank = 1,
		.dims = { 4, 1, 1, 1, 1, 1 }, .strides = { 4 },
	};
	header->sum = loom_code_sum(&header->scratch_bytes, loom_code_words(tables.size));
	ret = loom_code_decode(bytes, tables.size, loom_preset_find(SAMPLE_TOPOLOGY), &plan);
	loom_plan_destroy(plan);
	loom_port_free(bytes);
	return ret;
}

int main(void)
{
	test_lay();
	test_costs();
	tap_ok(!try_slot(1), "a slot of a byte");
	tap_ok(try_slot(0) == -EBADMSG, "a slot of nothing");
	tap_ok(!try_many(DRM_LOOM_MAX_COMMANDS, 1), "as many commands as there may be");
	tap_ok(try_many(DRM_LOOM_MAX_COMMANDS + 1, 1) == -EBADMSG, "one more");
	tap_ok(!try_many(1, 1000), "views that no command has");
	tap_ok(try_many(1, DRM_LOOM_MAX_VIEWS + 1) == -EBADMSG, "one more than there may be");
	return tap_end();
}
