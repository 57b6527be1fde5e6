// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct tool_chips_options - the command line
 * @json: print JSON
 * @source: print the file as it was written
 */
struct tool_chips_options {
	bool json;
	bool source;
};

static double tool_chips_thousandths(uint32_t value)
{
	return value / 1000.0;
}

/* Multiply-accumulates of all lanes in a cycle; "-" where the chip has no unit for them. */
static const char *tool_chips_macs(char *text, const struct drm_loom_chip *chip, uint32_t dtype)
{
	const uint32_t lanes = chip->region[DRM_LOOM_REGION_SRAM].banks;
	const uint32_t rate = chip->type[dtype].mac_rate;

	snprintf(text, TOOL_TEXT, "-");
	if (rate)
		snprintf(text, TOOL_TEXT, "%.6g", tool_chips_thousandths(rate) * lanes);
	return text;
}

/* The memory that weights come from. */
static const char *tool_chips_outside(char *text, const struct drm_loom_chip *chip)
{
	uint32_t i;

	snprintf(text, TOOL_TEXT, "-");
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		if (i == DRM_LOOM_REGION_SRAM || !chip->region[i].banks)
			continue;
		snprintf(text, TOOL_TEXT, "%s %.4g GB/s", loom_region_name(i),
			 tool_chips_thousandths(chip->region[i].read_rate) *
			 (chip->frequency_hz / 1e9));
		break;
	}
	return text;
}

static void tool_chips_print_line(const struct drm_loom_chip *chip, const char *remark)
{
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	char size[TOOL_TEXT], outside[TOOL_TEXT], i8[TOOL_TEXT], f16[TOOL_TEXT];

	printf("%-21s %5u  %10s  %15s  %8s  %8s  %5.6g MHz%s\n", chip->name, sram->banks,
	       tool_bytes(size, sram->bank_bytes), tool_chips_outside(outside, chip),
	       tool_chips_macs(i8, chip, DRM_LOOM_DTYPE_I8),
	       tool_chips_macs(f16, chip, DRM_LOOM_DTYPE_F16), chip->frequency_hz / 1e6, remark);
}

static void tool_chips_json_region(struct json *json, const struct drm_loom_chip *chip,
				   uint32_t id)
{
	const struct drm_loom_chip_region *region = &chip->region[id];

	json_open(json, loom_region_name(id), '{');
	json_u64(json, "banks", region->banks);
	json_u64(json, "sub_banks", region->sub_banks);
	json_u64(json, "bank_bytes", region->bank_bytes);
	json_u64(json, "reserved_bytes", region->reserved_bytes);
	json_u64(json, "align_bytes", region->align_bytes);
	json_u64(json, "floor_bytes", region->floor_bytes);
	json_bool(json, "in_place", region->flags & DRM_LOOM_CHIP_IN_PLACE);
	json_bool(json, "shared", region->flags & DRM_LOOM_CHIP_SHARED);
	json_bool(json, "broadcast", region->flags & DRM_LOOM_CHIP_BROADCAST);
	json_u64(json, "burst_bytes", region->burst_bytes);
	json_u64(json, "read_bytes_per_kilocycle", region->read_rate);
	json_u64(json, "write_bytes_per_kilocycle", region->write_rate);
	json_u64(json, "read_latency_cycles", region->read_latency);
	json_u64(json, "write_latency_cycles", region->write_latency);
	json_u64(json, "read_fj_per_byte", region->read_energy);
	json_u64(json, "write_fj_per_byte", region->write_energy);
	json_close(json, '}');
}

static void tool_chips_json_type(struct json *json, const struct drm_loom_chip *chip, uint32_t id)
{
	const struct drm_loom_chip_type *type = &chip->type[id];

	json_open(json, loom_dtype_name(id), '{');
	json_u64(json, "macs_per_kilocycle", type->mac_rate);
	json_u64(json, "ops_per_kilocycle", type->op_rate);
	json_u64(json, "fj_per_mac", type->mac_energy);
	json_u64(json, "fj_per_op", type->op_energy);
	json_u64(json, "in_channels", chip->array[id].in_channels);
	json_u64(json, "out_channels", chip->array[id].out_channels);
	json_u64(json, "positions", chip->array[id].positions);
	json_u64(json, "depthwise_macs_per_kilocycle", chip->array[id].depthwise_rate);
	json_u64(json, "pool_ops_per_kilocycle", chip->vector[id].pool_rate);
	json_u64(json, "element_ops_per_kilocycle", chip->vector[id].element_rate);
	json_close(json, '}');
}

/* Members of the object of a chip. */
static void tool_chips_json_chip(struct json *json, const struct drm_loom_chip *chip)
{
	uint32_t i;

	json_string(json, "name", chip->name);
	json_u64(json, "frequency_hz", chip->frequency_hz);
	json_u64(json, "compute_units", chip->compute_units);
	json_bool(json, "overlap", chip->flags & DRM_LOOM_CHIP_OVERLAP);
	json_u64(json, "dma_start_cycles", chip->dma_start);
	json_u64(json, "compute_start_cycles", chip->compute_start);
	json_u64(json, "storage_banks", chip->storage_banks);
	json_open(json, "memory", '{');
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (chip->region[i].banks)
			tool_chips_json_region(json, chip, i);
	json_close(json, '}');
	json_open(json, "types", '{');
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		if (chip->dtypes >> i & 1)
			tool_chips_json_type(json, chip, i);
	json_close(json, '}');
	json_open(json, "operations", '[');
	for (i = 0; i < DRM_LOOM_OP_END; i++)
		if (chip->opcodes >> i & 1)
			json_string(json, NULL, loom_opcode_name(i));
	json_close(json, ']');
}

static int tool_chips_list(bool as_json)
{
	struct drm_loom_chip chip;
	struct json json;
	unsigned int i;

	if (as_json) {
		json_begin(&json, stdout);
		json_open(&json, "chips", '[');
	} else {
		printf("%-21s %5s  %10s  %15s  %8s  %8s  %9s\n", "chip", "lanes", "SRAM a lane",
		       "weights from", "i8 MACs", "f16 MACs", "clock");
	}
	for (i = 0; loom_chip_name(i); i++) {
		if (loom_chip_find(loom_chip_name(i), &chip))
			return tool_fail("no memory");
		if (as_json) {
			json_open(&json, NULL, '{');
			tool_chips_json_chip(&json, &chip);
			json_close(&json, '}');
		} else {
			tool_chips_print_line(&chip, i ? "" : " (default)");
		}
	}
	if (as_json) {
		json_close(&json, ']');
		json_end(&json);
	}
	return 0;
}

static int tool_chips_show(const char *name, const struct tool_chips_options *options)
{
	struct drm_loom_chip chip;
	struct loom_error err;
	struct json json;
	char *text;
	int ret;

	if (options->source) {
		if (!loom_chip_text(name))
			return tool_usage(&tool_chips, "there is no chip '%s'", name);
		fputs(loom_chip_text(name), stdout);
		return 0;
	}
	ret = loom_chip_load(name, &chip, &err);
	if (ret == -ENXIO)
		return tool_usage(&tool_chips, "%s", err.text);
	if (ret)
		return tool_fail("%s", err.text);
	if (options->json) {
		json_begin(&json, stdout);
		tool_chips_json_chip(&json, &chip);
		json_end(&json);
		return 0;
	}
	if (loom_chip_write(&chip, &text))
		return tool_fail("no memory");
	fputs(text, stdout);
	free(text);
	return 0;
}

static int tool_chips_run(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "source", no_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_chips_options options = { 0 };
	int option;

	opterr = 0;
	while ((option = tool_getopt(&tool_chips, argc, argv, "", longs)) != -1) {
		if (option == 'j')
			options.json = true;
		else if (option == 's')
			options.source = true;
		else
			return tool_bad_option(&tool_chips, argv);
	}
	if (optind + 1 < argc)
		return tool_usage(&tool_chips, "takes one chip, '%s' is one too many",
				  argv[optind + 1]);
	if (optind < argc)
		return tool_chips_show(argv[optind], &options);
	if (options.source)
		return tool_usage(&tool_chips, "--source takes the name of a chip");
	return tool_chips_list(options.json);
}

const struct tool_command tool_chips = {
	.name = "chips",
	.usage = "[--json] [--source] [NAME|FILE]",
	.text = "list the built-in chips, or show one",
	.help =
		"  NAME                 show this chip: all figures, with defaults filled in\n"
		"  FILE                 show the chip of a YAML file; it has a '/' or ends in .yaml\n"
		"  --json               print JSON\n"
		"  --source             print the file of NAME, with the source of each figure\n",
	.examples =
		"  loom chips\n"
		"  loom chips bm1688 --source\n",
	.run = tool_chips_run,
};
