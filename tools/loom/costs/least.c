// SPDX-License-Identifier: MIT
#include "../tool.h"

/**
 * DOC: Distance of a plan from the lower bound
 *
 * A plan is above the lower bound because a stream does extra work (bytes moved again, starts,
 * copies; idle lanes, recomputed rows), or because it waits: for the first load, after the last
 * compute command, or in between for the other stream. Each stream is reported separately, because
 * their sum is not the plan's time.
 */

static double tool_least_percent(uint64_t part, uint64_t whole)
{
	return whole ? part * 100.0 / whole : 0;
}

/* The ratio of LB2 to the plan, and the parts of LB2. */
void tool_least_print(const struct tool_model *model)
{
	const struct loom_program_least *least = &model->program->least;
	uint64_t cycles = model->program->stats.cycles;

	if (!least->held_cycles)
		return;
	printf("bound      at least %llu cycles, the plan takes %llu: %.3f times as many\n",
	       (unsigned long long)least->held_cycles, (unsigned long long)cycles,
	       (double)cycles / least->held_cycles);
}

static uint64_t tool_least_waits(const struct loom_program *program, uint64_t works)
{
	uint64_t cycles = program->stats.cycles;

	return cycles > works ? cycles - works : 0;
}

static uint64_t tool_least_above(uint64_t works, uint64_t least)
{
	return works > least ? works - least : 0;
}

static void tool_least_print_dma(const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;
	const struct loom_program_least *least = &program->least;
	uint64_t moved = stats->dram_read_bytes + stats->dram_write_bytes + stats->rom_read_bytes;
	uint64_t must = least->dram_read_bytes + least->dram_write_bytes + least->rom_read_bytes;
	uint64_t starts = 0, copies = 0;
	char a[TOOL_TEXT], b[TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < program->num_groups; i++) {
		starts += program->groups[i].dma_start_cycles;
		copies += program->groups[i].copy_cycles;
	}
	printf("  DMA      works %llu, %llu more than it must: moves %s, must %s",
	       (unsigned long long)stats->dma_cycles,
	       (unsigned long long)tool_least_above(stats->dma_cycles, least->dma_cycles),
	       tool_bytes(a, moved), tool_bytes(b, must));
	if (starts)
		printf("; starts take %llu", (unsigned long long)starts);
	if (copies)
		printf("; copies in SRAM %llu", (unsigned long long)copies);
	printf("\n           waits %llu for compute (%.0f %%)\n",
	       (unsigned long long)tool_least_waits(program, stats->dma_cycles),
	       tool_least_percent(tool_least_waits(program, stats->dma_cycles), stats->cycles));
}

static void tool_least_print_compute(const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;
	const struct loom_program_least *least = &program->least;
	uint64_t waits = tool_least_waits(program, stats->compute_cycles), starts = 0;
	uint64_t ends = stats->fill_cycles + stats->drain_cycles;
	uint32_t i;

	for (i = 0; i < program->num_groups; i++)
		starts += program->groups[i].compute_start_cycles;
	printf("  compute  works %llu, %llu more than it must",
	       (unsigned long long)stats->compute_cycles,
	       (unsigned long long)tool_least_above(stats->compute_cycles, least->compute_cycles));
	if (stats->recomputed_macs)
		printf("; %.1f MMAC again", stats->recomputed_macs / 1e6);
	if (starts)
		printf("; starts take %llu", (unsigned long long)starts);
	printf("\n           waits %llu for DMA (%.0f %%):", (unsigned long long)waits,
	       tool_least_percent(waits, stats->cycles));
	printf(" %llu before it begins, %llu behind its end, %llu in between\n",
	       (unsigned long long)stats->fill_cycles, (unsigned long long)stats->drain_cycles,
	       (unsigned long long)(waits > ends ? waits - ends : 0));
}

void tool_least_explain(const struct tool_model *model)
{
	const struct loom_program *program = model->program;
	const struct loom_program_least *least = &program->least;

	if (!least->held_cycles)
		return;
	printf("above      %llu cycles above the bound. At least: DMA %llu, compute %llu",
	       (unsigned long long)tool_least_above(program->stats.cycles, least->held_cycles),
	       (unsigned long long)least->dma_cycles, (unsigned long long)least->compute_cycles);
	if (least->end_cycles > least->stream_cycles)
		printf("; with first load and last store %llu",
		       (unsigned long long)least->end_cycles);
	if (least->held_cycles > least->end_cycles)
		printf("; with what has to be held %llu", (unsigned long long)least->held_cycles);
	printf("\n");
	tool_least_print_dma(program);
	tool_least_print_compute(program);
}

void tool_least_json(const struct loom_program *program, struct json *json)
{
	const struct loom_program_least *least = &program->least;

	json_u64(json, "fill_cycles", program->stats.fill_cycles);
	json_u64(json, "drain_cycles", program->stats.drain_cycles);
	json_open(json, "least", '{');
	json_u64(json, "dram_read_bytes", least->dram_read_bytes);
	json_u64(json, "dram_write_bytes", least->dram_write_bytes);
	json_u64(json, "rom_read_bytes", least->rom_read_bytes);
	json_u64(json, "dma_cycles", least->dma_cycles);
	json_u64(json, "compute_cycles", least->compute_cycles);
	json_u64(json, "first_load_cycles", least->first_load_cycles);
	json_u64(json, "last_store_cycles", least->last_store_cycles);
	json_u64(json, "stream_cycles", least->stream_cycles);
	json_u64(json, "end_cycles", least->end_cycles);
	json_u64(json, "held_cycles", least->held_cycles);
	json_u64(json, "relaxed_cycles", least->relaxed_cycles);
	json_close(json, '}');
}
