/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_HEADER_H
#define LOOM_TESTS_RULE_CASES_HEADER_H

/* Cases of the rules about the header, tables, limits, the device and slots. */
#include "rule_case.h"

PATCH(size_short) { (void)header; *size = sizeof(*header) - 8; }
PATCH(size_zero) { (void)header; *size = 0; }
PATCH(magic) { (void)size; header->magic ^= 0x20000000; }
PATCH(version) { (void)size; header->version = DRM_LOOM_PLAN_VERSION_NATIVE + 1; }
PATCH(size_field) { (void)size; header->size += 8; }
PATCH(size_cut) { (void)header; *size -= 8; }
PATCH(flags) { (void)size; header->flags = 1; }

PATCH(table_stride) { (void)size; header->tensors.stride += 8; }
PATCH(table_stride_zero) { (void)size; header->views.stride = 0; }
PATCH(table_align) { (void)size; header->steps.offset += 4; }
PATCH(table_in_header) { (void)size; header->slots.offset = sizeof(*header) - 8; }
PATCH(table_past_end) { (void)size; header->attrs.count += 8; }
PATCH(table_far) { (void)size; header->attrs.offset = ~7ULL; }
PATCH(table_wraps) { (void)size; header->views.count = ~0U; }
PATCH(table_meets) { (void)size; header->commands.offset = header->tensors.offset; }
PATCH(table_meets_one) { (void)size; header->tensors.count++; }
PATCH(table_images_offset) { (void)size; header->images.offset = sizeof(*header); }
PATCH(table_images_count) { (void)size; header->images.count = 1; }
PATCH(table_images_stride) { (void)size; header->images.stride = 24; }
PATCH(table_images_meet)
{
	(void)size;
	header->images = (struct drm_loom_table){ header->slots.offset, 1, 24 };
}

CHANGE(many_slots)
{
	while (pb->slots.count <= DRM_LOOM_MAX_SLOTS)
		pb_add_slot(pb, 64, DRM_LOOM_SLOT_READ);
}

CHANGE(many_tensors) { pb_push(&pb->tensors, DRM_LOOM_MAX_TENSORS + 1 - pb->tensors.count); }
CHANGE(many_steps) { pb_push(&pb->steps, DRM_LOOM_MAX_STEPS + 1 - pb->steps.count); }
CHANGE(many_commands) { pb_push(&pb->commands, DRM_LOOM_MAX_COMMANDS + 1 - pb->commands.count); }
CHANGE(many_views) { pb_push(&pb->views, DRM_LOOM_MAX_VIEWS + 1 - pb->views.count); }
CHANGE(many_images) { pb_push(&pb->images, DRM_LOOM_MAX_SLOTS + 1); }
CHANGE(many_attrs) { pb_push(&pb->attrs, DRM_LOOM_MAX_ATTR_BYTES + 8 - pb->attrs.count); }

CHANGE(lanes) { pb->header.lanes = 2; }
CHANGE(lanes_zero) { pb->header.lanes = 0; }
CHANGE(scratch) { pb->header.scratch_bytes = (63 << 10) + 1; }
CHANGE(scratch_wraps) { pb->header.scratch_bytes = ~0ULL; }

CHANGE(slot_size) { pb_slot(pb, SLOT_OUTPUT)->size = 0; }
CHANGE(slot_no_flags) { pb_slot(pb, SLOT_ARENA)->flags = 0; }
CHANGE(slot_flags) { pb_slot(pb, SLOT_ARENA)->flags |= 64; }
CHANGE(slot_spread_only) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_SPREAD; }
CHANGE(slot_sram_only) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_SRAM; }
CHANGE(slot_sram_per_bank)
{
	pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_PER_BANK;
}

CHANGE(slot_sram_size)
{
	pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM;
	pb_slot(pb, SLOT_ARENA)->size = (64 << 10) + 1;
}

CHANGE(slot_pad) { pb_slot(pb, SLOT_WEIGHTS)->pad = 1; }

static const struct rule_case rule_cases_header[] = {
	{ DRM_LOOM_RULE_HEADER, P(size_short) },
	{ DRM_LOOM_RULE_HEADER, P(size_zero) },
	{ DRM_LOOM_RULE_HEADER, P(magic) },
	{ DRM_LOOM_RULE_HEADER, P(version) },
	{ DRM_LOOM_RULE_HEADER, P(size_field) },
	{ DRM_LOOM_RULE_HEADER, P(size_cut) },
	{ DRM_LOOM_RULE_HEADER, P(flags) },
	{ DRM_LOOM_RULE_TABLE, P(table_stride) },
	{ DRM_LOOM_RULE_TABLE, P(table_stride_zero) },
	{ DRM_LOOM_RULE_TABLE, P(table_align) },
	{ DRM_LOOM_RULE_TABLE, P(table_in_header) },
	{ DRM_LOOM_RULE_TABLE, P(table_past_end) },
	{ DRM_LOOM_RULE_TABLE, P(table_far) },
	{ DRM_LOOM_RULE_TABLE, P(table_wraps) },
	{ DRM_LOOM_RULE_TABLE, P(table_meets) },
	{ DRM_LOOM_RULE_TABLE, P(table_meets_one) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_offset) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_count) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_stride) },
	{ DRM_LOOM_RULE_TABLE, P(table_images_meet) },
	{ DRM_LOOM_RULE_LIMIT, C(many_slots) },
	{ DRM_LOOM_RULE_LIMIT, C(many_tensors), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_steps), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_commands), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_views), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_attrs), .huge = true },
	{ DRM_LOOM_RULE_LIMIT, C(many_images) },
	{ DRM_LOOM_RULE_TOPOLOGY, C(lanes) },
	{ DRM_LOOM_RULE_TOPOLOGY, C(lanes_zero) },
	{ DRM_LOOM_RULE_SCRATCH, C(scratch) },
	{ DRM_LOOM_RULE_SCRATCH, C(scratch_wraps) },
	{ DRM_LOOM_RULE_SLOT, C(slot_size), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_no_flags), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_flags), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_spread_only), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_sram_per_bank), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_sram_only), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_sram_size), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_SLOT, C(slot_pad), .valid = DRM_LOOM_REJECT_SLOT },
};

#endif /* LOOM_TESTS_RULE_CASES_HEADER_H */
