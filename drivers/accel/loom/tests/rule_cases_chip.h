/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_CHIP_H
#define LOOM_TESTS_RULE_CASES_CHIP_H

/* Cases of the rules about the chip: missing types, operations and regions. */
#include "rule_case.h"

ON(rom)
{
	chip->region[DRM_LOOM_REGION_ROM] = (struct drm_loom_chip_region){
		.banks = 1, .sub_banks = 1, .bank_bytes = 1 << 20, .align_bytes = 16,
		.read_rate = 1000,
	};
}

ON(rom_in_place)
{
	on_rom(chip);
	chip->region[DRM_LOOM_REGION_ROM].flags = DRM_LOOM_CHIP_IN_PLACE;
}

ON(dram_in_place) { chip->region[DRM_LOOM_REGION_DRAM].flags |= DRM_LOOM_CHIP_IN_PLACE; }
ON(no_dram) { memset(&chip->region[DRM_LOOM_REGION_DRAM], 0, sizeof(chip->region[0])); }
ON(no_conv) { chip->opcodes &= ~(1ULL << DRM_LOOM_OP_CONV); }
ON(no_f32) { chip->dtypes &= ~(1U << DRM_LOOM_DTYPE_F32); }
ON(no_i8) { chip->dtypes &= ~(1U << DRM_LOOM_DTYPE_I8); }
ON(few)
{
	chip->dtypes = 1U << DRM_LOOM_DTYPE_F32 | 1U << DRM_LOOM_DTYPE_I8;
	chip->opcodes = 1ULL << DRM_LOOM_OP_LOAD | 1ULL << DRM_LOOM_OP_STORE |
			1ULL << DRM_LOOM_OP_COPY | 1ULL << DRM_LOOM_OP_FILL |
			1ULL << DRM_LOOM_OP_CONV | 1ULL << DRM_LOOM_OP_BINARY |
			1ULL << DRM_LOOM_OP_UNARY | 1ULL << DRM_LOOM_OP_CAST;
}

/* The weights of the sample in ROM. */
static void use_rom(struct plan_builder *pb)
{
	pb_slot(pb, SLOT_WEIGHTS)->flags |= DRM_LOOM_SLOT_ROM;
	pb_tensor(pb, T_W)->region = DRM_LOOM_REGION_ROM;
	pb_tensor(pb, T_BIAS)->region = DRM_LOOM_REGION_ROM;
}

/* The convolutions read them where they are. */
static void use_in_place(struct plan_builder *pb)
{
	*pb_operand(pb, C_CONV0, 2) = pb_all(pb, T_W);
	*pb_operand(pb, C_CONV0, 3) = pb_all(pb, T_BIAS);
	*pb_operand(pb, C_CONV1, 2) = pb_all(pb, T_W);
	*pb_operand(pb, C_CONV1, 3) = pb_all(pb, T_BIAS);
	pb_tensor(pb, T_W)->last_step = 2;
	pb_tensor(pb, T_BIAS)->last_step = 2;
}

CHANGE(chip_same) { (void)pb; }
CHANGE(rom) { use_rom(pb); }
CHANGE(rom_spread)
{
	use_rom(pb);
	pb_slot(pb, SLOT_WEIGHTS)->flags |= DRM_LOOM_SLOT_SPREAD;
}

CHANGE(rom_in_place)
{
	use_rom(pb);
	use_in_place(pb);
}

CHANGE(dram_in_place) { use_in_place(pb); }

CHANGE(rom_absent) { use_rom(pb); }
CHANGE(dram_absent) { use_rom(pb); }
CHANGE(rom_written)
{
	use_rom(pb);
	pb_slot(pb, SLOT_WEIGHTS)->flags |= DRM_LOOM_SLOT_WRITE;
}

CHANGE(rom_sram)
{
	use_rom(pb);
	pb_slot(pb, SLOT_WEIGHTS)->flags |= DRM_LOOM_SLOT_SRAM;
}

CHANGE(rom_tensor_dram)
{
	use_rom(pb);
	pb_tensor(pb, T_BIAS)->region = DRM_LOOM_REGION_DRAM;
}

CHANGE(rom_tensor_dram_slot) { pb_tensor(pb, T_BIAS)->region = DRM_LOOM_REGION_ROM; }
CHANGE(rom_tensor_flag)
{
	use_rom(pb);
	pb_tensor(pb, T_BIAS)->flags = DRM_LOOM_TENSOR_SLOT;
}

CHANGE(rom_tensor_lane_axis)
{
	use_rom(pb);
	pb_tensor(pb, T_W)->lane_axis = 1;
}

CHANGE(rom_view_lane_axis)
{
	use_rom(pb);
	pb_operand(pb, C_LOAD_W, 1)->lane_axis = 1;
}

CHANGE(rom_image)
{
	pb_add_image(pb, SLOT_WEIGHTS, DRM_LOOM_DTYPE_F32, 8, 64, 32);
	use_rom(pb);
}

CHANGE(rom_store)
{
	use_rom(pb);
	pb_tensor(pb, T_W)->last_step = 6;
	*pb_operand(pb, C_STORE_Z, 0) = pb_all(pb, T_W);
}

CHANGE(rom_fill)
{
	use_rom(pb);
	pb_tensor(pb, T_W)->last_step = 3;
	*pb_operand(pb, C_FILL_ONE, 0) = pb_all(pb, T_W);
}

CHANGE(rom_copy)
{
	use_rom(pb);
	pb_command(pb, C_LOAD_W)->opcode = DRM_LOOM_OP_COPY;
	*pb_operand(pb, C_LOAD_W, 0) = pb_all(pb, T_W);
}

CHANGE(rom_loaded_only)
{
	use_rom(pb);
	use_in_place(pb);
}

CHANGE(dram_loaded_only) { use_in_place(pb); }
CHANGE(in_place_written)
{
	use_rom(pb);
	use_in_place(pb);
	*pb_operand(pb, C_CONV0, 0) = pb_all(pb, T_W);
}

CHANGE(chip_no_conv) { (void)pb; }
CHANGE(chip_no_f32) { (void)pb; }
CHANGE(chip_no_i8) { (void)pb; }

#define FINE_ON(_on, _name) { C(_name), .on = on_##_on }

static const struct rule_case rule_cases_fine_on[] = {
	FINE_ON(few, chip_same),
	FINE_ON(rom, chip_same),
	FINE_ON(rom, rom),
	FINE_ON(rom, rom_spread),
	FINE_ON(rom_in_place, rom),
	FINE_ON(rom_in_place, rom_in_place),
	FINE_ON(dram_in_place, dram_in_place),
};

static const struct rule_case rule_cases_chip[] = {
	{ DRM_LOOM_RULE_SLOT, C(rom_absent), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(dram_absent), .on = on_no_dram, .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(rom_written), .on = on_rom, .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(rom_sram), .on = on_rom, .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(rom_image), .on = on_rom, .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(rom_tensor_dram), .on = on_rom,
	  .valid = DRM_LOOM_REJECT_TENSOR, .tensor = T_BIAS },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(rom_tensor_dram_slot), .on = on_rom,
	  .valid = DRM_LOOM_REJECT_TENSOR, .tensor = T_BIAS },
	{ DRM_LOOM_RULE_TENSOR_FIELD, C(rom_tensor_flag), .on = on_rom,
	  .valid = DRM_LOOM_REJECT_TENSOR, .tensor = T_BIAS },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(rom_tensor_lane_axis), .on = on_rom },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(chip_no_f32), .on = on_no_f32,
	  .valid = DRM_LOOM_REJECT_TENSOR, .tensor = T_W },
	{ DRM_LOOM_RULE_TENSOR_TYPE, C(chip_no_i8), .on = on_no_i8,
	  .valid = DRM_LOOM_REJECT_TENSOR, .tensor = T_SI8 },
	{ DRM_LOOM_RULE_OPCODE, C(chip_no_conv), .on = on_no_conv, .valid = IN_COMMAND, .step = 1,
	  .command = C_CONV0 },
	{ DRM_LOOM_RULE_VIEW_LANE, C(rom_view_lane_axis), .on = on_rom, .valid = IN_VIEW,
	  .command = C_LOAD_W, .operand = 1, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(rom_store), .on = on_rom, .valid = IN_VIEW, .step = 6,
	  .command = C_STORE_Z, .operand = 0, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(rom_fill), .on = on_rom, .valid = IN_VIEW, .step = 3,
	  .command = C_FILL_ONE, .operand = 0, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(rom_copy), .on = on_rom, .valid = IN_VIEW,
	  .command = C_LOAD_W, .operand = 0, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(rom_loaded_only), .on = on_rom, .valid = IN_VIEW,
	  .step = 1, .command = C_CONV0, .operand = 2, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(dram_loaded_only), .valid = IN_VIEW, .step = 1,
	  .command = C_CONV0, .operand = 2, .tensor = T_W },
	{ DRM_LOOM_RULE_VIEW_REGION, C(in_place_written), .on = on_rom_in_place, .valid = IN_VIEW,
	  .step = 1, .command = C_CONV0, .operand = 0, .tensor = T_W },
};

#endif /* LOOM_TESTS_RULE_CASES_CHIP_H */
