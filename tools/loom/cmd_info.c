// SPDX-License-Identifier: MIT
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "loom_device.h"

/**
 * struct tool_info_options - the command line
 * @json: print JSON
 * @blocks: list the blocks of each region
 * @presets: list the chips that are built in instead
 * @path: of the node, or NULL
 */
struct tool_info_options {
	bool json;
	bool blocks;
	bool presets;
	const char *path;
};

static int tool_info_print_presets(bool json)
{
	char name[] = "chips", as_json[] = "--json";

	optind = 1;
	return tool_chips.run(json ? 2 : 1, (char *[]){ name, json ? as_json : NULL, NULL });
}

static const char *tool_block_state(const struct drm_loom_block *block)
{
	if (block->flags & DRM_LOOM_BLOCK_RESERVED)
		return "reserved";
	if (block->flags & DRM_LOOM_BLOCK_HIDDEN)
		return "hidden";
	if (!(block->flags & DRM_LOOM_BLOCK_ALLOCATED))
		return "free";
	return block->flags & DRM_LOOM_BLOCK_OWN ? "own" : "allocated";
}

static int tool_info_region_failed(uint32_t region, int code)
{
	return tool_fail("asking for region %s: %s", loom_region_name(region), strerror(-code));
}

static int tool_info_print_blocks(struct loom_device *device, uint32_t region)
{
	struct drm_loom_block *blocks;
	char text[TOOL_TEXT];
	size_t i, count;
	int ret;

	ret = loom_device_blocks(device, region, &blocks, &count);
	if (ret)
		return tool_info_region_failed(region, ret);
	for (i = 0; i < count; i++)
		printf("  %s 0x%010llx..0x%010llx %10s %s%s%.*s\n", loom_region_name(region),
		       (unsigned long long)blocks[i].address,
		       (unsigned long long)(blocks[i].address + blocks[i].bytes),
		       tool_bytes(text, blocks[i].bytes), tool_block_state(&blocks[i]),
		       blocks[i].label[0] ? " " : "", DRM_LOOM_LABEL_BYTES, blocks[i].label);
	free(blocks);
	return 0;
}

static int tool_info_print(const struct tool_node *node, const struct tool_info_options *options)
{
	struct loom_device *device = node->device;
	const struct drm_loom_device_info *info = loom_device_info(device);
	const struct drm_loom_chip *chip = loom_device_chip(device);
	char a[TOOL_TEXT], b[TOOL_TEXT], c[TOOL_TEXT], d[TOOL_TEXT], e[TOOL_TEXT];
	struct drm_loom_region_info region;
	int major, minor, patch, ret;
	uint32_t i;

	loom_device_version(device, &major, &minor, &patch);
	printf("device     %s by %s, driver %d.%d.%d, plan format %u\n", loom_device_path(device),
	       node->backend, major, minor, patch, info->plan_version);
	printf("topology   %s: %u lanes, %u compute unit%s\n", info->name, info->lanes,
	       info->compute_units, info->compute_units == 1 ? "" : "s");
	printf("types     ");
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		if (info->dtypes & 1U << i)
			printf(" %s", loom_dtype_name(i));
	printf("\nlimits     %u tensors, %u commands, %u slots, %s per plan, %u ms per job\n",
	       info->max_tensors, info->max_commands, info->max_slots,
	       tool_bytes(a, info->max_plan_bytes), info->job_timeout_ms);
	printf("\n%-6s  %5s  %9s  %16s  %9s  %9s  %12s  %6s\n", "region", "banks", "bank",
	       "per bank: total", "allocated", "free", "largest free", "blocks");
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		if (!chip->region[i].banks)
			continue;
		ret = loom_device_region(device, i, &region);
		if (ret)
			return tool_info_region_failed(i, ret);
		printf("%-6s  %5u  %9s  %16s  %9s  %9s  %12s  %6u\n", loom_region_name(i),
		       region.banks, tool_bytes(a, region.bank_bytes),
		       tool_bytes(b, region.total_bytes), tool_bytes(c, region.allocated_bytes),
		       tool_bytes(d, region.free_bytes), tool_bytes(e, region.largest_free_bytes),
		       region.blocks);
	}
	if (info->flags & DRM_LOOM_DEVICE_ROUNDED)
		printf(TOOL_ROUNDED);
	ret = loom_device_region(device, DRM_LOOM_REGION_SRAM, &region);
	if (ret)
		return tool_info_region_failed(DRM_LOOM_REGION_SRAM, ret);
	if (region.scratch_floor_bytes)
		printf("\nof each SRAM bank: the lowest %s for scratch; %s for a client\n",
		       tool_bytes(a, region.scratch_floor_bytes),
		       tool_bytes(b, region.share_bytes));
	for (i = 0; options->blocks && i < DRM_LOOM_REGION_COUNT; i++)
		if (chip->region[i].banks && tool_info_print_blocks(device, i))
			return TOOL_FAILED;
	return 0;
}

static int tool_info_json_region(struct loom_device *device, uint32_t index, struct json *json)
{
	char label[DRM_LOOM_LABEL_BYTES + 1];
	struct drm_loom_region_info region;
	struct drm_loom_block *blocks;
	size_t i, count;
	int ret;

	ret = loom_device_region(device, index, &region);
	if (!ret)
		ret = loom_device_blocks(device, index, &blocks, &count);
	if (ret)
		return tool_info_region_failed(index, ret);
	json_open(json, loom_region_name(index), '{');
	json_u64(json, "banks", region.banks);
	json_u64(json, "sub_banks", region.sub_banks);
	json_u64(json, "bank_bytes", region.bank_bytes);
	json_u64(json, "reserved_bytes", region.reserved_bytes);
	json_u64(json, "align_bytes", region.align_bytes);
	json_u64(json, "total_bytes", region.total_bytes);
	json_u64(json, "allocated_bytes", region.allocated_bytes);
	json_u64(json, "free_bytes", region.free_bytes);
	json_u64(json, "largest_free_bytes", region.largest_free_bytes);
	json_u64(json, "scratch_bytes", region.scratch_bytes);
	json_u64(json, "scratch_floor_bytes", region.scratch_floor_bytes);
	json_u64(json, "share_bytes", region.share_bytes);
	json_u64(json, "allocated_blocks", region.blocks);
	json_open(json, "blocks", '[');
	for (i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "address", blocks[i].address);
		json_u64(json, "bytes", blocks[i].bytes);
		json_string(json, "state", tool_block_state(&blocks[i]));
		snprintf(label, sizeof(label), "%.*s", DRM_LOOM_LABEL_BYTES, blocks[i].label);
		json_string(json, "label", label);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
	free(blocks);
	return 0;
}

static int tool_info_json(const struct tool_nodes *nodes)
{
	struct loom_device *device = nodes->nodes[0].device;
	const struct drm_loom_device_info *info = loom_device_info(device);
	char version[64];
	int major, minor, patch, ret = 0;
	struct json json;
	uint32_t i;

	loom_device_version(device, &major, &minor, &patch);
	snprintf(version, sizeof(version), "%d.%d.%d", major, minor, patch);
	json_begin(&json, stdout);
	json_string(&json, "device", loom_device_path(device));
	json_string(&json, "backend", nodes->nodes[0].backend);
	json_string(&json, "driver_version", version);
	json_u64(&json, "plan_version", info->plan_version);
	json_string(&json, "topology", info->name);
	json_bool(&json, "rounded", info->flags & DRM_LOOM_DEVICE_ROUNDED);
	json_u64(&json, "lanes", info->lanes);
	json_u64(&json, "compute_units", info->compute_units);
	json_u64(&json, "max_plan_bytes", info->max_plan_bytes);
	json_u64(&json, "max_tensors", info->max_tensors);
	json_u64(&json, "max_commands", info->max_commands);
	json_u64(&json, "max_slots", info->max_slots);
	json_u64(&json, "job_timeout_ms", info->job_timeout_ms);
	json_open(&json, "dtypes", '[');
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		if (info->dtypes & 1U << i)
			json_string(&json, NULL, loom_dtype_name(i));
	json_close(&json, ']');
	json_open(&json, "regions", '{');
	for (i = 0; !ret && i < DRM_LOOM_REGION_COUNT; i++)
		if (loom_device_chip(device)->region[i].banks)
			ret = tool_info_json_region(device, i, &json);
	json_close(&json, '}');
	tool_nodes_json(nodes, &json);
	json_end(&json);
	return ret;
}

static int tool_info_parse(int argc, char **argv, struct tool_info_options *options)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "blocks", no_argument, NULL, 'b' },
		{ "presets", no_argument, NULL, 'p' },
		{ "device", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = tool_getopt(&tool_info, argc, argv, "", longs)) != -1) {
		switch (option) {
		case 'j':
			options->json = true;
			break;
		case 'b':
			options->blocks = true;
			break;
		case 'p':
			options->presets = true;
			break;
		case 'd':
			options->path = optarg;
			break;
		default:
			return tool_bad_option(&tool_info, argv);
		}
	}
	if (optind < argc)
		return tool_usage(&tool_info, "takes no argument '%s'", argv[optind]);
	return 0;
}

static int tool_info_run(int argc, char **argv)
{
	struct tool_info_options options = { 0 };
	struct tool_nodes nodes;
	size_t i;
	int ret;

	ret = tool_info_parse(argc, argv, &options);
	if (ret)
		return ret;
	if (options.presets)
		return tool_info_print_presets(options.json);
	ret = tool_nodes_open(options.path, &nodes);
	if (ret)
		return ret;
	if (options.json)
		ret = tool_info_json(&nodes);
	for (i = 0; !options.json && !ret && i < nodes.count; i++) {
		printf("%s", i ? "\n" : "");
		ret = tool_info_print(&nodes.nodes[i], &options);
	}
	tool_nodes_close(&nodes);
	return ret;
}

const struct tool_command tool_info = {
	.name = "info",
	.usage = "[--json] [--blocks] [--device PATH] [--presets]",
	.text = "show the devices: topology, memory in use",
	.help =
		"  --json               print JSON: the first device with its blocks, a list of all\n"
		"  --blocks             list the blocks of each region\n"
		"  --device PATH        show this node only\n"
		"  --presets            the same as loom chips\n",
	.examples =
		"  loom info --blocks\n"
		"  loom info --device /dev/accel/accel1 --json\n",
	.run = tool_info_run,
};
