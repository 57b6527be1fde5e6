// SPDX-License-Identifier: MIT
#include "../tool.h"

#include <stdlib.h>
#include <string.h>

/**
 * DOC: The plan in units of users
 *
 * Milliseconds, inferences per second and utilisation of the whole plan and of each layer, all from
 * loom_program_layers(). A run of the plan is an inference, whatever its batch. Utilisation is the
 * share of the plan's time that the MACs of all lanes, or the bus of a memory, would need at their
 * full rates; of a layer, whose time may hide behind loads, that of its cycles of compute.
 */

/* Totals of a plan, and its layers. */
struct costs {
	const struct drm_loom_chip *chip;
	const struct loom_program *program;
	struct loom_program_layer *layers;
	uint32_t num_layers;
	double mac_use;
	double dram_use;
	double rom_use;
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Time of bytes at the full rates of a memory, without latencies and bursts, over @cycles. */
static double memory_use(const struct drm_loom_chip_region *region, uint64_t read_bytes,
			 uint64_t write_bytes, uint64_t cycles)
{
	double reads = share(read_bytes * 1000.0, region->read_rate);
	double writes = share(write_bytes * 1000.0, region->write_rate);

	if (region->flags & DRM_LOOM_CHIP_SHARED)
		return share(reads + writes, cycles);
	return share(reads > writes ? reads : writes, cycles);
}

static int costs_open(struct costs *c, const struct tool_model *model)
{
	const struct loom_program_stats *stats = &model->program->stats;
	double full = 0;
	uint32_t i;

	*c = (struct costs){ .chip = model->planner.chip, .program = model->program };
	if (loom_program_layers(model->program, c->chip, &c->layers, &c->num_layers))
		return tool_fail("no memory");
	for (i = 0; i < c->num_layers; i++)
		full += c->layers[i].full_cycles;
	c->mac_use = share(full, stats->cycles);
	c->dram_use = memory_use(&c->chip->region[DRM_LOOM_REGION_DRAM], stats->dram_read_bytes,
				 stats->dram_write_bytes, stats->cycles);
	c->rom_use = memory_use(&c->chip->region[DRM_LOOM_REGION_ROM], stats->rom_read_bytes, 0,
				stats->cycles);
	return 0;
}

static double costs_ms(const struct costs *c, uint64_t cycles)
{
	return share(cycles * 1e3, c->chip->frequency_hz);
}

int tool_speed_print(const struct tool_model *model)
{
	struct costs c;
	double ms;

	if (costs_open(&c, model))
		return TOOL_FAILED;
	ms = costs_ms(&c, c.program->stats.cycles);
	printf("speed      %.*f ms at %.0f MHz, %.*f inferences a second; MACs %.1f %% used",
	       ms < 10 ? 3 : 1, ms, c.chip->frequency_hz / 1e6, share(1e3, ms) < 100 ? 1 : 0,
	       share(1e3, ms), c.mac_use * 100);
	if (c.chip->region[DRM_LOOM_REGION_DRAM].banks)
		printf(", DRAM %.1f %%", c.dram_use * 100);
	if (c.chip->region[DRM_LOOM_REGION_ROM].banks)
		printf(", ROM %.1f %%", c.rom_use * 100);
	printf("\n");
	free(c.layers);
	return 0;
}

int tool_speed_json(const struct tool_model *model, struct json *json)
{
	struct costs c;
	double ms;

	if (costs_open(&c, model))
		return TOOL_FAILED;
	ms = costs_ms(&c, c.program->stats.cycles);
	json_double(json, "chip_ms", ms);
	json_double(json, "inferences_per_second", share(1e3, ms));
	json_double(json, "mac_utilisation", c.mac_use);
	json_double(json, "dram_utilisation", c.dram_use);
	json_double(json, "rom_utilisation", c.rom_use);
	free(c.layers);
	return 0;
}

/* The last layer is commands without a node, which are outputs copied at the end. */
static const char *layer_op(const struct costs *c, uint32_t index)
{
	return index < c->program->num_nodes ? c->program->nodes[index].op : "(outputs)";
}

static const char *layer_name(const struct costs *c, uint32_t index)
{
	return index < c->program->num_nodes ? c->program->nodes[index].name : "";
}

const char *tool_layer_shape(const struct loom_program_layer *layer, char *text)
{
	size_t at = 0;
	uint32_t i;

	text[0] = 0;
	for (i = 0; i < layer->rank; i++)
		at += snprintf(text + at, TOOL_TEXT - at, "%s%llu", i ? "x" : "",
			       (unsigned long long)layer->dims[i]);
	return text;
}

/* A name in CSV: in quotes, which are doubled inside; line ends become spaces. */
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text == '\n' || *text == '\r' ? ' ' : *text);
	}
	putchar('"');
}

static void print_row(const struct costs *c, uint32_t index)
{
	const struct loom_program_layer *layer = &c->layers[index];
	char shape[TOOL_TEXT];

	printf("%4u %-18s %-18s %9.3f %10llu %8.4f %6.1f %6.1f %9.1f %9.1f", index,
	       layer_op(c, index), tool_layer_shape(layer, shape), layer->macs / 1e6,
	       (unsigned long long)layer->cycles, costs_ms(c, layer->cycles),
	       share(layer->cycles, c->program->stats.cycles) * 100,
	       share(layer->full_cycles, layer->compute_cycles) * 100,
	       (layer->dram_read_bytes + layer->rom_read_bytes) / 1024.0,
	       layer->dram_write_bytes / 1024.0);
	if (c->program->stats.energy_fj)
		printf(" %9.3f", layer->energy_fj / 1e9);
	printf("  %s\n", layer_name(c, index));
}

static void print_csv_row(const struct costs *c, uint32_t index)
{
	const struct loom_program_layer *layer = &c->layers[index];
	char shape[TOOL_TEXT];

	printf("%u,", index);
	print_quoted(layer_name(c, index));
	putchar(',');
	print_quoted(layer_op(c, index));
	printf(",%s,%llu,%llu,%llu,%llu,%.3f,%.4f,%llu,%llu,%llu,%llu\n",
	       tool_layer_shape(layer, shape),
	       (unsigned long long)layer->macs, (unsigned long long)layer->cycles,
	       (unsigned long long)layer->dma_cycles, (unsigned long long)layer->compute_cycles,
	       costs_ms(c, layer->cycles) * 1e3, share(layer->full_cycles, layer->compute_cycles),
	       (unsigned long long)layer->dram_read_bytes,
	       (unsigned long long)layer->dram_write_bytes,
	       (unsigned long long)layer->rom_read_bytes, (unsigned long long)layer->energy_fj);
}

/* Nodes without commands are views of others. */
int tool_layers_print(const struct tool_model *model, bool csv)
{
	struct costs c;
	uint32_t i;

	if (costs_open(&c, model))
		return TOOL_FAILED;
	if (csv) {
		fputs("layer,name,operator,shape,macs,cycles,dma_cycles,compute_cycles,us", stdout);
		puts(",mac_utilisation,dram_read_bytes,dram_write_bytes,rom_read_bytes,energy_fj");
	} else {
		printf("%4s %-18s %-18s %9s %10s %8s %6s %6s %9s %9s%s  %s\n", "", "operator",
		       "shape", "MMAC", "cycles", "ms", "time %", "MACs %", "KiB read", "written",
		       c.program->stats.energy_fj ? "        uJ" : "", "name");
	}
	for (i = 0; i < c.num_layers; i++) {
		if (!c.layers[i].commands && !c.layers[i].cycles)
			continue;
		if (csv)
			print_csv_row(&c, i);
		else
			print_row(&c, i);
	}
	free(c.layers);
	return 0;
}

int tool_layers_json(const struct tool_model *model, struct json *json)
{
	struct costs c;
	int64_t dims[6];
	uint32_t i, k;

	if (costs_open(&c, model))
		return TOOL_FAILED;
	json_open(json, "layers", '[');
	for (i = 0; i < c.num_layers; i++) {
		const struct loom_program_layer *layer = &c.layers[i];

		if (!layer->commands && !layer->cycles)
			continue;
		for (k = 0; k < layer->rank; k++)
			dims[k] = layer->dims[k];
		json_open(json, NULL, '{');
		json_string(json, "name", layer_name(&c, i));
		json_string(json, "op", layer_op(&c, i));
		json_dims(json, "dims", layer->rank, dims);
		json_u64(json, "commands", layer->commands);
		json_u64(json, "macs", layer->macs);
		json_u64(json, "cycles", layer->cycles);
		json_u64(json, "dma_cycles", layer->dma_cycles);
		json_u64(json, "compute_cycles", layer->compute_cycles);
		json_double(json, "mac_utilisation",
			    share(layer->full_cycles, layer->compute_cycles));
		json_u64(json, "dram_read_bytes", layer->dram_read_bytes);
		json_u64(json, "dram_write_bytes", layer->dram_write_bytes);
		json_u64(json, "rom_read_bytes", layer->rom_read_bytes);
		json_u64(json, "energy_fj", layer->energy_fj);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(c.layers);
	return 0;
}
