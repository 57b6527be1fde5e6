// SPDX-License-Identifier: MIT
#include "tool.h"

#include <string.h>

#include "loom_device.h"
#include "loom_report.h"
#include "loom_run.h"

/*
 * Classes of free blocks by size, each twice as large as the one before; the last takes the rest.
 */
#define TOOL_REPORT_CLASSES	48

/**
 * struct tool_report_options - the command line
 * @device: as for loom run
 * @dir: where the files go
 * @prefix: of their names
 * @record: follow a device
 * @curves: of a recording; its path is NULL without one
 * @region: of these
 * @seconds: to record; 0: until a signal
 */
struct tool_report_options {
	const char *device;
	const char *dir;
	const char *prefix;
	bool record;
	struct tool_curves curves;
	uint32_t region;
	uint64_t seconds;
};

/* Free blocks, by size, of the most fragmented bank. */
static void tool_report_print_histogram(const struct loom_report_region *report)
{
	const struct loom_report_bank *bank = &report->banks[0];
	uint64_t count[TOOL_REPORT_CLASSES] = { 0 };
	char text[TOOL_TEXT];
	uint32_t i, class;
	size_t b;

	for (i = 1; i < report->num_banks; i++)
		if (loom_report_fragmentation(&report->banks[i]) > loom_report_fragmentation(bank))
			bank = &report->banks[i];
	for (b = 0; b < bank->num_blocks; b++) {
		if (bank->blocks[b].kind != LOOM_REPORT_FREE)
			continue;
		class = 63 - __builtin_clzll(bank->blocks[b].size_bytes);
		count[class < TOOL_REPORT_CLASSES ? class : TOOL_REPORT_CLASSES - 1]++;
	}
	for (class = 0; class < TOOL_REPORT_CLASSES; class++)
		if (count[class])
			printf("  %6llu free block%s of %s or more\n",
			       (unsigned long long)count[class], count[class] == 1 ? "" : "s",
			       tool_bytes(text, 1ULL << class));
}

static void tool_report_print_region(const struct loom_report_region *report)
{
	const struct loom_report_bank *bank = &report->banks[0];
	char a[TOOL_TEXT], b[TOOL_TEXT], c[TOOL_TEXT], d[TOOL_TEXT];
	unsigned int worst = 0, fragmentation;
	uint32_t i;

	for (i = 0; i < report->num_banks; i++) {
		if (report->banks[i].free_bytes < bank->free_bytes)
			bank = &report->banks[i];
		fragmentation = loom_report_fragmentation(&report->banks[i]);
		if (fragmentation > worst)
			worst = fragmentation;
	}
	printf("%s: %u banks; in the fullest %s of %s allocated, of that %s scratch, %s free\n",
	       report->name, report->num_banks, tool_bytes(a, bank->allocated_bytes),
	       tool_bytes(b, bank->allocatable_bytes), tool_bytes(c, bank->scratch_bytes),
	       tool_bytes(d, bank->free_bytes));
	printf("  largest free block in every bank %s, fragmentation %u.%03u\n",
	       tool_bytes(a, report->min_largest_free_bytes), worst / 1000, worst % 1000);
	printf("  largest interleaved buffer that fits %s\n",
	       tool_bytes(a, report->largest_interleaved_bytes));
	if (tool_report_rounded(report))
		printf("  " TOOL_ROUNDED);
	tool_report_print_histogram(report);
}

bool tool_report_rounded(const struct loom_report_region *report)
{
	uint32_t bank;
	size_t i;

	for (bank = 0; bank < report->num_banks; bank++)
		for (i = 0; i < report->banks[bank].num_blocks; i++)
			if (report->banks[bank].blocks[i].kind == LOOM_REPORT_HIDDEN)
				return true;
	return false;
}

void tool_report_json(const struct loom_report_region *report, struct json *json)
{
	uint32_t i;

	json_open(json, NULL, '{');
	json_string(json, "name", report->name);
	json_u64(json, "align_bytes", report->align_bytes);
	json_bool(json, "rounded", tool_report_rounded(report));
	json_u64(json, "min_largest_free_bytes", report->min_largest_free_bytes);
	json_u64(json, "largest_interleaved_bytes", report->largest_interleaved_bytes);
	json_open(json, "banks", '[');
	for (i = 0; i < report->num_banks; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "allocatable_bytes", report->banks[i].allocatable_bytes);
		json_u64(json, "allocated_bytes", report->banks[i].allocated_bytes);
		json_u64(json, "scratch_bytes", report->banks[i].scratch_bytes);
		json_u64(json, "free_bytes", report->banks[i].free_bytes);
		json_u64(json, "largest_free_bytes", report->banks[i].largest_free_bytes);
		json_double(json, "fragmentation",
			    loom_report_fragmentation(&report->banks[i]) / 1000.0);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static int tool_report_print(const struct loom_target *target, bool as_json)
{
	struct loom_report_region *report;
	struct json json;
	uint32_t region;
	int ret;

	if (as_json) {
		json_begin(&json, stdout);
		json_string(&json, "device", loom_target_name(target));
		json_open(&json, "regions", '[');
	}
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		if (!loom_target_chip(target)->region[region].banks)
			continue;
		ret = loom_report_region_get(target, region, 0, &report);
		if (ret)
			return tool_fail("asking for the memory of %s: %s",
					 loom_target_name(target), strerror(-ret));
		if (as_json)
			tool_report_json(report, &json);
		else
			tool_report_print_region(report);
		loom_report_region_put(report);
	}
	if (as_json) {
		json_close(&json, ']');
		json_end(&json);
	}
	return 0;
}

static int tool_report_set_region(struct tool_report_options *options, const char *name)
{
	for (options->region = 0; options->region < DRM_LOOM_REGION_COUNT; options->region++)
		if (!strcmp(name, loom_region_name(options->region)))
			return 0;
	return tool_usage(&tool_report, "--region takes dram, sram or rom, not '%s'", name);
}

static int tool_report_parse(int argc, char **argv, struct tool_report_options *options)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "prefix", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ "record", required_argument, NULL, 'r' },
		{ "region", required_argument, NULL, 'R' },
		{ "seconds", required_argument, NULL, 's' },
		{ "svg", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_getopt(&tool_report, argc, argv, "o:", longs)) != -1) {
		switch (option) {
		case 'd':
			options->device = optarg;
			break;
		case 'o':
			options->dir = optarg;
			break;
		case 'p':
			options->prefix = optarg;
			break;
		case 'j':
			options->curves.json = true;
			break;
		case 'r':
			options->record = true;
			options->curves.path = optarg;
			break;
		case 'g':
			options->curves.picture = optarg;
			break;
		case 'R':
			ret = tool_report_set_region(options, optarg);
			break;
		case 's':
			ret = tool_set_number(&tool_report, "--seconds", "seconds", optarg, false,
					      &options->seconds);
			break;
		default:
			return tool_bad_option(&tool_report, argv);
		}
	}
	if (ret)
		return ret;
	if (options->record && options->curves.json)
		return tool_usage(&tool_report, "--json is not for --record");
	if (!options->record && (options->seconds || options->region != DRM_LOOM_REGION_SRAM))
		return tool_usage(&tool_report, "--seconds and --region are for --record");
	if (strchr(options->prefix, '/'))
		return tool_usage(&tool_report, "--prefix takes no slash");
	if (optind < argc - !options->record)
		return tool_usage(&tool_report, "takes no argument '%s'", argv[argc - 1]);
	if (optind < argc)
		options->curves.path = argv[optind];
	if (options->curves.picture && !options->curves.path)
		return tool_usage(&tool_report, "--svg is for a recording");
	if (options->curves.picture && !strcmp(options->curves.picture, "-"))
		return tool_usage(&tool_report, "--svg takes a file");
	return tool_output_check(options->curves.picture);
}

static int tool_report_run(int argc, char **argv)
{
	struct tool_report_options options = {
		.device = "device", .dir = ".", .prefix = "", .region = DRM_LOOM_REGION_SRAM,
	};
	struct loom_target *target;
	struct loom_error err;
	int ret;

	ret = tool_report_parse(argc, argv, &options);
	if (ret)
		return ret;
	if (options.curves.path && !options.record)
		return tool_curves_show(&options.curves, NULL, 0);
	if (loom_target_open(options.device, NULL, &target, &err))
		return tool_fail("%s", err.text);
	if (options.record && !loom_target_device(target))
		ret = tool_fail("%s: the host has no banks to record", options.curves.path);
	else if (options.record)
		ret = tool_record(loom_target_device(target), options.region, options.seconds,
				  &options.curves);
	else if (loom_report_write(target, options.dir, options.prefix, &err))
		ret = tool_fail("%s", err.text);
	else
		ret = tool_report_print(target, options.curves.json);
	loom_target_close(target);
	return ret;
}

const struct tool_command tool_report = {
	.name = "report",
	.usage = "[-o DIR] [--prefix TEXT] [--device WHERE] [--json] | [--record] FILE [--svg TO]",
	.text = "write the blocks of all banks to three CSV files",
	.help =
		"  -o, --output DIR     where l1_usage_summary.csv, memory_usage_summary.csv and\n"
		"                       detailed_memory_usage.csv go (default: here)\n"
		"  --prefix TEXT        prefix of the names\n"
		"  --device WHERE       a node's path instead of the first one, or host\n"
		"  --json               print the sums, or the curves of a recording, as JSON\n"
		"  --record FILE        follow the tracepoints, and write the lifetimes of buffers as a\n"
		"                       file for loom place; for root. Ctrl-C ends it\n"
		"  --region NAME        with --record: dram, sram (default) or rom\n"
		"  --seconds N          with --record: end after so long\n"
		"  --svg TO             draw the recording over time: sizes and late frees by label,\n"
		"                       free bytes, largest free block, fragmentation\n"
		"\nloom run and loom plan write the same files for a plan: --memory-reports DIR\n",
	.examples =
		"  loom report\n"
		"  loom report -o reports --prefix before-\n"
		"  loom report --record buffers.csv\n"
		"  loom report buffers.csv --svg curves.svg\n",
	.run = tool_report_run,
};
