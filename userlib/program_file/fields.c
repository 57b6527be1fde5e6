// SPDX-License-Identifier: MIT
/* Sections and fields of a file, as tables. */
#include "program_file.h"

#include <string.h>

#include "loom_planner.h"

#define FIELD(type, member, how, ...) \
	{ .name = #member, .at = offsetof(struct type, member), .kind = LOOM_FIELD_##how, \
	  .count = 1, ##__VA_ARGS__ }
#define FIELDS(type, member, how, number, ...) \
	{ .name = #member, .at = offsetof(struct type, member), .kind = LOOM_FIELD_##how, \
	  .count = (number), ##__VA_ARGS__ }
#define U64(type, member)	FIELD(type, member, U64)

static const struct loom_field origin_fields[] = {
	FIELD(loom_file_origin, placer, NAME),
	FIELD(loom_file_origin, grouping, NAME),
	FIELD(loom_file_origin, objective, U32, .below = LOOM_OBJECTIVE_SRAM + 1),
	FIELD(loom_file_origin, library, U32),
};

static const struct loom_field slot_fields[] = {
	FIELD(loom_program_slot, kind, U32, .below = LOOM_SLOT_KIND_IMAGE + 1),
	FIELD(loom_program_slot, flags, U32),
	U64(loom_program_slot, size_bytes),
	FIELD(loom_program_slot, dtype, U32),
	FIELD(loom_program_slot, width, U32),
	FIELD(loom_program_slot, height, U32),
	FIELD(loom_program_slot, pitch_bytes, U32),
	FIELD(loom_program_slot, num_values, U32),
};

static const struct loom_field tensor_fields[] = {
	FIELD(loom_program_tensor, name, NAME),
	FIELD(loom_program_tensor, dtype, U32),
	FIELD(loom_program_tensor, rank, U32, .below = LOOM_GRAPH_RANK + 1),
	FIELDS(loom_program_tensor, dims, I64, LOOM_GRAPH_RANK),
	FIELD(loom_program_tensor, slot, U32),
	FIELD(loom_program_tensor, open_dims, U32, .below = 1 << LOOM_GRAPH_RANK),
	U64(loom_program_tensor, offset),
	U64(loom_program_tensor, size_bytes),
};

static const struct loom_field state_fields[] = {
	FIELD(loom_program_state, output, U32, .of = LOOM_FILE_OUTPUTS),
	FIELD(loom_program_state, input, U32, .of = LOOM_FILE_INPUTS),
};

static const struct loom_field update_fields[] = {
	FIELD(loom_program_update, state, U32, .of = LOOM_FILE_STATES),
	FIELD(loom_program_update, axis, U32, .below = LOOM_GRAPH_RANK),
	FIELD(loom_program_update, rows.name, NAME),
	FIELD(loom_program_update, rows.dtype, U32),
	FIELD(loom_program_update, rows.rank, U32, .below = LOOM_GRAPH_RANK + 1),
	FIELDS(loom_program_update, rows.dims, I64, LOOM_GRAPH_RANK),
	FIELD(loom_program_update, rows.slot, U32),
	FIELD(loom_program_update, rows.open_dims, U32, .below = 1 << LOOM_GRAPH_RANK),
	U64(loom_program_update, rows.offset),
	U64(loom_program_update, rows.size_bytes),
	FIELD(loom_program_update, places.name, NAME),
	FIELD(loom_program_update, places.dtype, U32),
	FIELD(loom_program_update, places.rank, U32, .below = LOOM_GRAPH_RANK + 1),
	FIELDS(loom_program_update, places.dims, I64, LOOM_GRAPH_RANK),
	FIELD(loom_program_update, places.slot, U32),
	FIELD(loom_program_update, places.open_dims, U32, .below = 1 << LOOM_GRAPH_RANK),
	U64(loom_program_update, places.offset),
	U64(loom_program_update, places.size_bytes),
};

static const struct loom_field kernel_fields[] = {
	FIELD(loom_program_kernel, node, NAME),
	FIELD(loom_program_kernel, op, NAME),
	FIELD(loom_program_kernel, first_step, U32),
	FIELD(loom_program_kernel, slices, U32),
	FIELD(loom_program_kernel, overlap, BOOL),
	FIELD(loom_program_kernel, rank, U32, .below = DRM_LOOM_MAX_RANK + 1),
	FIELDS(loom_program_kernel, dims, U64, DRM_LOOM_MAX_RANK),
	FIELDS(loom_program_kernel, chunk, U64, DRM_LOOM_MAX_RANK),
	U64(loom_program_kernel, scratch_bytes),
};

static const struct loom_field neuron_fields[] = {
	FIELD(loom_program_neuron, name, NAME),
	U64(loom_program_neuron, offset),
	U64(loom_program_neuron, size_bytes),
	FIELD(loom_program_neuron, first_node, U32),
	FIELD(loom_program_neuron, last_node, U32),
};

static const struct loom_field label_fields[] = {
	FIELD(loom_program_label, name, NAME),
	FIELD(loom_program_label, kind, U32, .below = LOOM_LABELS),
	FIELD(loom_program_label, slice, U32),
};

static const struct loom_field node_fields[] = {
	FIELD(loom_program_node, name, NAME),
	FIELD(loom_program_node, op, NAME),
};

static const struct loom_field group_fields[] = {
	FIELD(loom_program_group, first_node, U32, .of = LOOM_FILE_NODES),
	FIELD(loom_program_group, last_node, U32, .of = LOOM_FILE_NODES),
	FIELD(loom_program_group, grouped, BOOL),
	FIELD(loom_program_group, slices, U32),
	FIELD(loom_program_group, axis, I32),
	FIELD(loom_program_group, overlap, BOOL),
	U64(loom_program_group, held_bytes),
	FIELD(loom_program_group, first_step, U32),
	FIELD(loom_program_group, num_steps, U32),
	U64(loom_program_group, weights_bytes),
	U64(loom_program_group, weights_read_bytes),
	U64(loom_program_group, dram_read_bytes),
	U64(loom_program_group, dram_write_bytes),
	U64(loom_program_group, macs),
	U64(loom_program_group, cycles),
	U64(loom_program_group, dma_cycles),
	U64(loom_program_group, compute_cycles),
	U64(loom_program_group, dma_start_cycles),
	U64(loom_program_group, compute_start_cycles),
	U64(loom_program_group, mac_cycles),
	U64(loom_program_group, op_cycles),
	U64(loom_program_group, energy_fj),
	U64(loom_program_group, sram_bytes),
	U64(loom_program_group, copy_cycles),
	U64(loom_program_group, lane_cycles),
	FIELDS(loom_program_group, part_cycles, U64, LOOM_BOUNDS),
	FIELD(loom_program_group, bound, U32, .below = LOOM_BOUNDS),
};

static const struct loom_field cut_fields[] = {
	U64(loom_program_cut, dram_bytes),
	U64(loom_program_cut, sram_bytes),
	FIELD(loom_program_cut, why, U32, .below = LOOM_CUT_COST + 1),
	FIELD(loom_program_cut, node, U32, .of = LOOM_FILE_NODES),
	U64(loom_program_cut, short_bytes),
	FIELD(loom_program_cut, cycles, BOOL),
	U64(loom_program_cut, joined),
	U64(loom_program_cut, apart),
	U64(loom_program_cut, without),
	U64(loom_program_cut, with),
	FIELD(loom_program_cut, around_first, U32, .of = LOOM_FILE_NODES),
	FIELD(loom_program_cut, around_last, U32, .of = LOOM_FILE_NODES),
};

static const struct loom_field command_node_fields[] = {
	{ .name = "node", .kind = LOOM_FIELD_U32, .count = 1, .of = LOOM_FILE_NODES, .none = true },
};

static const struct loom_field stats_fields[] = {
	U64(loom_program_stats, nodes),
	U64(loom_program_stats, neurons),
	U64(loom_program_stats, neuron_sum_bytes),
	U64(loom_program_stats, arena_bytes),
	U64(loom_program_stats, bound_bytes),
	U64(loom_program_stats, given_order_bytes),
	U64(loom_program_stats, order_bytes),
	FIELD(loom_program_stats, order_proved, BOOL),
	U64(loom_program_stats, images),
	U64(loom_program_stats, image_pools),
	U64(loom_program_stats, image_value_bytes),
	U64(loom_program_stats, image_bytes),
	U64(loom_program_stats, weights_bytes),
	U64(loom_program_stats, scratch_bytes),
	U64(loom_program_stats, sram_bytes),
	U64(loom_program_stats, sliced_nodes),
	U64(loom_program_stats, cut_nodes),
	U64(loom_program_stats, plan_bytes),
	U64(loom_program_stats, tensors),
	U64(loom_program_stats, groups),
	U64(loom_program_stats, sram_peak_bytes),
	U64(loom_program_stats, conflict_steps),
	U64(loom_program_stats, fill_cycles),
	U64(loom_program_stats, drain_cycles),
	U64(loom_program_stats, recomputed_macs),
	U64(loom_program_stats, macs),
	U64(loom_program_stats, steps),
	U64(loom_program_stats, commands),
	U64(loom_program_stats, dram_read_bytes),
	U64(loom_program_stats, dram_write_bytes),
	U64(loom_program_stats, sram_read_bytes),
	U64(loom_program_stats, sram_write_bytes),
	U64(loom_program_stats, rom_read_bytes),
	U64(loom_program_stats, cycles),
	U64(loom_program_stats, dma_cycles),
	U64(loom_program_stats, compute_cycles),
	U64(loom_program_stats, energy_fj),
};

static const struct loom_field least_fields[] = {
	U64(loom_program_least, dram_read_bytes),
	U64(loom_program_least, dram_write_bytes),
	U64(loom_program_least, rom_read_bytes),
	U64(loom_program_least, dma_cycles),
	U64(loom_program_least, compute_cycles),
	U64(loom_program_least, first_load_cycles),
	U64(loom_program_least, last_store_cycles),
	U64(loom_program_least, stream_cycles),
	U64(loom_program_least, end_cycles),
	U64(loom_program_least, held_cycles),
	U64(loom_program_least, relaxed_cycles),
};

#define RECORDS(text, type, table) \
	.name = (text), .struct_bytes = sizeof(type), .fields = (table), \
	.num_fields = sizeof(table) / sizeof(struct loom_field)
#define ARRAY(member) \
	.array = offsetof(struct loom_program, member), \
	.count = offsetof(struct loom_program, num_##member)
#define SINGLE(member) \
	.array = offsetof(struct loom_program, member), .single = true

const struct loom_records loom_file_records[LOOM_FILE_PARTS] = {
	[LOOM_FILE_CHIP] = { .name = "chip" },
	[LOOM_FILE_ORIGIN] = { RECORDS("origin", struct loom_file_origin, origin_fields),
			       .single = true },
	[LOOM_FILE_SLOTS] = { RECORDS("slots", struct loom_program_slot, slot_fields),
			      ARRAY(slots) },
	[LOOM_FILE_INPUTS] = { RECORDS("inputs", struct loom_program_tensor, tensor_fields),
			       ARRAY(inputs) },
	[LOOM_FILE_OUTPUTS] = { RECORDS("outputs", struct loom_program_tensor, tensor_fields),
				ARRAY(outputs) },
	[LOOM_FILE_STATES] = { RECORDS("states", struct loom_program_state, state_fields),
			       ARRAY(states) },
	[LOOM_FILE_UPDATES] = { RECORDS("updates", struct loom_program_update, update_fields),
				ARRAY(updates) },
	[LOOM_FILE_OBSERVED] = { RECORDS("observed", struct loom_program_tensor, tensor_fields),
				 ARRAY(observed) },
	[LOOM_FILE_WEIGHTS] = { RECORDS("weights", struct loom_program_tensor, tensor_fields),
				ARRAY(weights) },
	[LOOM_FILE_KERNELS] = { RECORDS("kernels", struct loom_program_kernel, kernel_fields),
				ARRAY(kernels) },
	[LOOM_FILE_NEURONS] = { RECORDS("neurons", struct loom_program_neuron, neuron_fields),
				ARRAY(neurons) },
	[LOOM_FILE_LABELS] = { RECORDS("labels", struct loom_program_label, label_fields),
			       ARRAY(labels) },
	[LOOM_FILE_NODES] = { RECORDS("nodes", struct loom_program_node, node_fields),
			      ARRAY(nodes) },
	[LOOM_FILE_GROUPS] = { RECORDS("groups", struct loom_program_group, group_fields),
			       ARRAY(groups) },
	/* one less than groups, see loom_records_count() */
	[LOOM_FILE_CUTS] = { RECORDS("cuts", struct loom_program_cut, cut_fields),
			     .array = offsetof(struct loom_program, cuts),
			     .count = offsetof(struct loom_program, num_groups) },
	[LOOM_FILE_COMMAND_NODES] = { RECORDS("command_nodes", u32, command_node_fields),
				      .array = offsetof(struct loom_program, command_nodes),
				      .count = offsetof(struct loom_program, num_commands) },
	[LOOM_FILE_STATS] = { RECORDS("stats", struct loom_program_stats, stats_fields),
			      SINGLE(stats) },
	[LOOM_FILE_LEAST] = { RECORDS("least", struct loom_program_least, least_fields),
			      SINGLE(least) },
	[LOOM_FILE_NAMES] = { .name = "names" },
	[LOOM_FILE_PLAN] = { .name = "plan" },
	[LOOM_FILE_DATA] = { .name = "data" },
};

u32 loom_field_bytes(const struct loom_field *field)
{
	return field->count *
	       (field->kind == LOOM_FIELD_U64 || field->kind == LOOM_FIELD_I64 ? 8 : 4);
}

u32 loom_records_bytes(const struct loom_records *records)
{
	u32 i, bytes = 0;

	for (i = 0; i < records->num_fields; i++)
		bytes += loom_field_bytes(&records->fields[i]);
	return bytes;
}

u32 loom_records_count(const struct loom_program *program, enum loom_file_part part)
{
	const struct loom_records *records = &loom_file_records[part];
	u32 count;

	if (records->single)
		return 1;
	memcpy(&count, (const u8 *)program + records->count, sizeof(count));
	return part == LOOM_FILE_CUTS && count ? count - 1 : count;
}
