// SPDX-License-Identifier: GPL-2.0
#include <linux/build_bug.h>
#include <linux/stddef.h>

#include <drm/loom_accel.h>

/*
 * The contract may not change: no code, only proof that sizes and offsets are what clients were
 * compiled with.
 */

#define SIZE(type, size)							\
	static_assert(sizeof(struct drm_loom_##type) == (size))
#define OFFSET(type, field, offset)						\
	static_assert(offsetof(struct drm_loom_##type, field) == (offset))

SIZE(array, 16);
OFFSET(array, ptr, 8);
SIZE(query, 24);
OFFSET(query, ptr, 8);
OFFSET(query, size, 16);
OFFSET(query, stride, 20);
SIZE(device_info, 176);
OFFSET(device_info, plan_version, 32);
OFFSET(device_info, opcodes, 48);
OFFSET(device_info, max_tensors, 72);
OFFSET(device_info, max_bo_bytes, 88);
OFFSET(device_info, max_plans_bytes, 120);
OFFSET(device_info, max_file_jobs, 152);
OFFSET(device_info, flags, 168);
SIZE(region_info, 112);
OFFSET(region_info, bank_bytes, 8);
OFFSET(region_info, scratch_bytes, 64);
OFFSET(region_info, blocks, 72);
OFFSET(region_info, scratch_floor_bytes, 80);
OFFSET(region_info, share_used_bytes, 96);
OFFSET(region_info, map_bytes, 104);
SIZE(chip_region, 72);
OFFSET(chip_region, floor_bytes, 32);
OFFSET(chip_region, read_rate, 48);
SIZE(chip_type, 16);
SIZE(chip, 1136);
SIZE(chip_array, 16);
SIZE(chip_vector, 16);
OFFSET(chip, array, 616);
OFFSET(chip, opcodes, 40);
OFFSET(chip, dma_start, 60);
OFFSET(chip, region, 72);
OFFSET(chip, type, 360);
SIZE(bank_info, 40);
OFFSET(bank_info, blocks, 32);
SIZE(block, 88);
OFFSET(block, label, 24);
SIZE(bo_create, 96);
OFFSET(bo_create, handle, 28);
OFFSET(bo_create, width, 32);
OFFSET(bo_create, pitch_bytes, 44);
OFFSET(bo_create, bank_mask, 48);
OFFSET(bo_create, no_space, 80);
SIZE(no_space, 152);
OFFSET(no_space, blocker_bytes, 80);
OFFSET(no_space, size_bytes, 16);
SIZE(bo_info, 200);
OFFSET(bo_info, size, 8);
OFFSET(bo_info, banks, 64);
OFFSET(bo_info, width, 80);
OFFSET(bo_info, rows_per_bank, 96);
OFFSET(bo_info, bank_mask, 104);
OFFSET(bo_info, grid_columns, 176);
OFFSET(bo_info, addresses, 184);
SIZE(bo_wait, 16);
OFFSET(bo_wait, timeout_ns, 8);
SIZE(bo_label, 16);
OFFSET(bo_label, ptr, 8);
SIZE(bo_seal, 8);
SIZE(bo_copy, 32);
OFFSET(bo_copy, offset, 8);
OFFSET(bo_copy, ptr, 24);
SIZE(context_create, 56);
OFFSET(context_create, lanes, 16);
OFFSET(context_create, lane_mask, 24);
SIZE(context_destroy, 8);
SIZE(counters, 112);
OFFSET(counters, cycles, 72);
OFFSET(counters, rom_read_bytes, 104);
SIZE(context_query, 128);
OFFSET(context_query, counters, 16);
SIZE(table, 16);
SIZE(plan_header, 144);
OFFSET(plan_header, slots, 32);
OFFSET(plan_header, images, 128);
SIZE(plan_slot, 16);
SIZE(plan_image, 24);
OFFSET(plan_image, pitch_bytes, 16);
SIZE(plan_tensor, 120);
OFFSET(plan_tensor, dtype, 40);
OFFSET(plan_tensor, dims, 48);
OFFSET(plan_tensor, strides, 72);
SIZE(plan_step, 16);
SIZE(plan_command, 24);
OFFSET(plan_command, attr_offset, 16);
SIZE(plan_view, 96);
OFFSET(plan_view, dims, 24);
OFFSET(plan_view, strides, 48);
SIZE(reject, 64);
OFFSET(reject, start, 40);
OFFSET(reject, payload_at, 60);
SIZE(format, 16);
SIZE(plan_header_native, 160);
SIZE(attr_native, 16);
SIZE(scratch_conflict, 48);
OFFSET(scratch_conflict, scratch_start, 8);
OFFSET(scratch_conflict, short_bytes, 40);
SIZE(conflict, 128);
OFFSET(conflict, label, 48);
OFFSET(conflict, plan_lanes, 112);
OFFSET(conflict, per_bank_slot, 120);
SIZE(fit, 96);
OFFSET(fit, scratch_bytes, 8);
OFFSET(fit, conflict, 32);
OFFSET(fit, rom_bytes, 80);
SIZE(plan_create, 56);
OFFSET(plan_create, reject, 16);
OFFSET(plan_create, conflict, 40);
SIZE(plan_destroy, 8);
SIZE(binding, 16);
SIZE(sync, 16);
SIZE(submit, 80);
OFFSET(submit, bindings, 8);
OFFSET(submit, flags, 56);
OFFSET(submit, conflict, 64);
SIZE(attr_fill, 8);
SIZE(attr_conv, 72);
SIZE(attr_pool, 72);
SIZE(attr_matmul, 40);
SIZE(attr_binary, 16);
SIZE(attr_unary, 16);
SIZE(attr_reduce, 8);
SIZE(attr_softmax, 8);
SIZE(attr_resize, 112);
SIZE(attr_topk, 16);
SIZE(attr_gather, 8);
