// SPDX-License-Identifier: MIT
#include "../tool.h"

#include <drm/loom_accel_chip.h>

/**
 * DOC: Saying what bounds a group
 *
 * The program has the cycles by part of each group (&struct loom_program_group.part_cycles). This
 * file prints the bottleneck as a line of shares, and a line with remedies: the speedup of a part
 * at which the other stream becomes the bottleneck, or limits of lanes, starts and SRAM.
 */

/* Threshold of lane utilisation in percent, below which it is reported. */
#define TOOL_BOUND_LANES	90

/* Factors above this are not reported, because no other part is close. */
#define TOOL_BOUND_FACTOR	100

const char *tool_bound_memory(const struct tool_model *model)
{
	return model->planner.chip->region[DRM_LOOM_REGION_DRAM].banks ? "DRAM" : "buffers in SRAM";
}

static const char *tool_bound_text(const struct tool_model *model, enum loom_bound bound)
{
	static const char *const texts[] = {
		[LOOM_BOUND_DRAM] = "DRAM",
		[LOOM_BOUND_COPY] = "copies in SRAM",
		[LOOM_BOUND_DMA_START] = "starts of DMA",
		[LOOM_BOUND_MACS] = "MACs",
		[LOOM_BOUND_OPS] = "other operations",
		[LOOM_BOUND_IN_PLACE] = "operands used in place",
		[LOOM_BOUND_COMPUTE_START] = "starts of compute",
		[LOOM_BOUND_TURNS] = "streams in turns",
	};

	/* read-only memory, on a chip that has nothing else */
	if (bound == LOOM_BOUND_DRAM &&
	    !model->planner.chip->region[DRM_LOOM_REGION_DRAM].banks)
		return "memory";
	return texts[bound];
}

/* "DRAM 62 (62 %), MACs 30 (30 %)", the largest first; shares that round to 0 are omitted. */
static void tool_bound_print_shares(const struct tool_model *model,
				    const uint64_t parts[LOOM_BOUNDS], uint64_t cycles)
{
	bool done[LOOM_BOUNDS] = { false };
	uint32_t count, i, best;

	for (count = 0; count < LOOM_BOUNDS; count++) {
		best = LOOM_BOUNDS;
		for (i = 0; i < LOOM_BOUNDS; i++)
			if (!done[i] && (best == LOOM_BOUNDS || parts[i] > parts[best]))
				best = i;
		done[best] = true;
		if (cycles && parts[best] * 100.0 / cycles < 0.5)
			break;
		printf("%s %s %llu (%.0f %%)", count ? "," : "", tool_bound_text(model, best),
		       (unsigned long long)parts[best],
		       cycles ? parts[best] * 100.0 / cycles : 0);
	}
	printf("\n");
}

/* How many times as fast @part has to be for its stream to be as long as the other one. */
static void tool_bound_print_factor(uint64_t part, uint64_t stream, uint64_t other,
				    const char *what, const char *name)
{
	uint64_t rest = stream - part;
	double factor = other > rest ? (double)part / (other - rest) : TOOL_BOUND_FACTOR;

	if (factor < TOOL_BOUND_FACTOR)
		printf("at %.2f x %s rate, %s would be as long", factor, what, name);
	else
		printf("only more of %s rate, or less work: %s is %.1f %% as long", what, name,
		       stream ? other * 100.0 / stream : 0);
}

static void tool_bound_print_lanes(const struct tool_model *model,
				   const struct loom_program_group *group)
{
	uint32_t lanes = model->planner.chip->region[DRM_LOOM_REGION_SRAM].banks;
	uint64_t cycles = group->mac_cycles + group->op_cycles;
	double busy = cycles ? (double)group->lane_cycles / cycles : 0;

	if (cycles && busy * 100 < (double)lanes * TOOL_BOUND_LANES)
		printf("; %.1f of %u lanes have work", busy, lanes);
}

/* Whether more SRAM would join a group with the next. */
static void tool_bound_print_sram(const struct tool_model *model, uint32_t index)
{
	const struct loom_program *program = model->program;
	const struct loom_program_cut *cut = &program->cuts[index];
	char a[TOOL_TEXT], b[TOOL_TEXT];

	if (index + 1 >= program->num_groups || cut->why != LOOM_CUT_SRAM || !cut->dram_bytes)
		return;
	printf("; %s more SRAM per lane would join groups %u and %u",
	       tool_bytes(a, cut->short_bytes), index + 1, index + 2);
	printf(", between which %s cross in %s", tool_bytes(b, cut->dram_bytes),
	       tool_bound_memory(model));
}

static void tool_bound_print_starts(uint64_t cycles, uint32_t each, const char *what)
{
	printf("%llu %s commands take %u cycles each to start: fewer and longer ones",
	       (unsigned long long)(cycles / (each ? each : 1)), what, each);
}

static void tool_bound_print_turns(const struct tool_model *model,
				   const struct loom_program_group *group)
{
	uint64_t longer = group->dma_cycles > group->compute_cycles ? group->dma_cycles :
								      group->compute_cycles;

	printf("%s would take %llu cycles at best",
	       model->planner.chip->flags & DRM_LOOM_CHIP_OVERLAP ?
		       "work beside every load" : "a chip that runs both streams at once",
	       (unsigned long long)longer);
}

static void tool_bound_print_help(const struct tool_model *model, uint32_t index)
{
	const struct loom_program_group *group = &model->program->groups[index];
	const struct drm_loom_chip *chip = model->planner.chip;
	const uint64_t part = group->part_cycles[group->bound];

	printf("           helps: ");
	switch (group->bound) {
	case LOOM_BOUND_DRAM:
		tool_bound_print_factor(part, group->dma_cycles, group->compute_cycles,
					"its", "compute");
		tool_bound_print_sram(model, index);
		break;
	case LOOM_BOUND_COPY:
		tool_bound_print_factor(part, group->dma_cycles, group->compute_cycles,
					"the SRAM's", "compute");
		break;
	case LOOM_BOUND_DMA_START:
		tool_bound_print_starts(part, chip->dma_start, "DMA");
		break;
	case LOOM_BOUND_MACS:
	case LOOM_BOUND_OPS:
		tool_bound_print_factor(part, group->compute_cycles, group->dma_cycles,
					"their", "DMA");
		tool_bound_print_lanes(model, group);
		break;
	case LOOM_BOUND_IN_PLACE:
		tool_bound_print_factor(part, group->compute_cycles, group->dma_cycles,
					"that memory's", "DMA");
		break;
	case LOOM_BOUND_COMPUTE_START:
		tool_bound_print_starts(part, chip->compute_start, "compute");
		break;
	default:
		tool_bound_print_turns(model, group);
	}
	printf("\n");
}

void tool_bound_print(const struct tool_model *model, uint32_t index)
{
	const struct loom_program_group *group = &model->program->groups[index];

	if (!group->cycles)
		return;
	printf("           bound by %s:", tool_bound_text(model, group->bound));
	tool_bound_print_shares(model, group->part_cycles, group->cycles);
	tool_bound_print_help(model, index);
}

void tool_bound_print_all(const struct tool_model *model)
{
	const struct loom_program *program = model->program;
	uint64_t parts[LOOM_BOUNDS] = { 0 };
	uint32_t i, k;

	for (i = 0; i < program->num_groups; i++)
		for (k = 0; k < LOOM_BOUNDS; k++)
			parts[k] += program->groups[i].part_cycles[k];
	printf("time       %llu cycles:", (unsigned long long)program->stats.cycles);
	tool_bound_print_shares(model, parts, program->stats.cycles);
}

void tool_bound_json(const struct loom_program_group *group, struct json *json)
{
	uint32_t i;

	json_u64(json, "dma_cycles", group->dma_cycles);
	json_u64(json, "compute_cycles", group->compute_cycles);
	json_u64(json, "mac_cycles", group->mac_cycles);
	json_u64(json, "op_cycles", group->op_cycles);
	json_u64(json, "lane_cycles", group->lane_cycles);
	json_string(json, "bound", loom_bound_name(group->bound));
	json_open(json, "part_cycles", '{');
	for (i = 0; i < LOOM_BOUNDS; i++)
		json_u64(json, loom_bound_name(i), group->part_cycles[i]);
	json_close(json, '}');
}
