// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <string.h>

#include "loom_device.h"
#include "loom_fit.h"

/**
 * struct tool_fit_options - the command line
 * @list: file with the buffers
 * @device: path of a node, or NULL for the first one
 * @chip: file or name of a chip, in place of a device; or NULL
 * @snapshot: contents of its banks, or NULL
 * @json: print JSON
 */
struct tool_fit_options {
	const char *list;
	const char *device;
	const char *chip;
	const char *snapshot;
	bool json;
};

/* Own buffers that are listed by handle. */
#define TOOL_FIT_OWN	16

static int tool_fit_parse(int argc, char **argv, struct tool_fit_options *options)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "chip", required_argument, NULL, 'c' },
		{ "snapshot", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = tool_getopt(&tool_fit, argc, argv, "", longs)) != -1) {
		switch (option) {
		case 'd':
			options->device = optarg;
			break;
		case 'c':
			options->chip = optarg;
			break;
		case 's':
			options->snapshot = optarg;
			break;
		case 'j':
			options->json = true;
			break;
		default:
			return tool_bad_option(&tool_fit, argv);
		}
	}
	if (optind + 1 != argc)
		return tool_usage(&tool_fit, "takes one list");
	if (options->snapshot && !options->chip)
		return tool_usage(&tool_fit, "--snapshot is for --chip");
	if (options->device && options->chip)
		return tool_usage(&tool_fit, "--device is not for --chip");
	options->list = argv[optind];
	return 0;
}

static int tool_fit_ask(const struct tool_fit_options *options, const struct loom_fit_list *list,
			uint32_t *own, struct drm_loom_fit_list *answer)
{
	struct loom_device *device;
	struct drm_loom_chip chip;
	struct loom_error err;
	int ret;

	if (options->chip) {
		if (loom_chip_load(options->chip, &chip, &err) ||
		    loom_fit_chip(&chip, options->snapshot, list->buffers, list->count, answer,
				  &err))
			return tool_fail("%s", err.text);
		return 0;
	}
	ret = loom_device_open(options->device, &device);
	if (ret)
		return tool_fail("%s: %s", options->device ? options->device : "no Loom device",
				 strerror(-ret));
	ret = loom_device_fit_list(device, list->buffers, list->count, own, TOOL_FIT_OWN, answer);
	if (ret)
		tool_fail("%s: asking %s: %s", options->list, loom_device_path(device),
			  strerror(-ret));
	loom_device_close(device);
	return ret ? TOOL_FAILED : 0;
}

/* Why the first buffer that fails does. */
static const char *tool_fit_reason(char *text, size_t size,
				   const struct drm_loom_fit_list *answer)
{
	if (answer->error == ENOSPC)
		loom_no_space_print(text, size, &answer->no_space);
	else
		snprintf(text, size, "it exceeds the share of the SRAM, or a cap on bytes");
	return text;
}

static void tool_fit_json(const struct loom_fit_list *list, const uint32_t *own,
			  const struct drm_loom_fit_list *answer)
{
	struct json json;
	char text[256];
	uint32_t i;

	json_begin(&json, stdout);
	json_u64(&json, "buffers", list->count);
	json_bool(&json, "fits", answer->flags & DRM_LOOM_FIT_NOW);
	json_bool(&json, "evicts", answer->flags & DRM_LOOM_FIT_EVICTS);
	if (answer->error) {
		json_u64(&json, "failed", answer->failed);
		json_string(&json, "name", list->names[answer->failed]);
		json_string(&json, "error", answer->error == ENOSPC ? "ENOSPC" : "EDQUOT");
		json_u64(&json, "short_bytes", answer->short_bytes);
		json_string(&json, "reason", tool_fit_reason(text, sizeof(text), answer));
		json_open(&json, "own", '[');
		for (i = 0; i < answer->own.count && i < TOOL_FIT_OWN; i++)
			json_u64(&json, NULL, own[i]);
		json_close(&json, ']');
	}
	json_end(&json);
}

static void tool_fit_print(const struct loom_fit_list *list, const uint32_t *own,
			   const struct drm_loom_fit_list *answer)
{
	char text[256];
	uint32_t i;

	if (!answer->error) {
		printf("%u buffer%s fit%s\n", list->count, list->count == 1 ? "" : "s",
		       answer->flags & DRM_LOOM_FIT_EVICTS ? ", if others are evicted from DRAM" :
							     "");
		return;
	}
	printf("buffer %u of %u, '%s', does not fit: %s\n", answer->failed + 1, list->count,
	       list->names[answer->failed], tool_fit_reason(text, sizeof(text), answer));
	printf("  %llu bytes are missing%s\n", (unsigned long long)answer->short_bytes,
	       answer->error == ENOSPC ? " in each of its banks, in one piece" : "");
	for (i = 0; i < answer->own.count && i < TOOL_FIT_OWN; i++)
		printf("%s %u", i ? "," : "  own buffers in the way:", own[i]);
	if (answer->own.count)
		printf("\n");
}

static int tool_fit_run(int argc, char **argv)
{
	struct tool_fit_options options = { 0 };
	struct drm_loom_fit_list answer;
	struct loom_fit_list *list;
	uint32_t own[TOOL_FIT_OWN];
	struct loom_error err;
	int ret;

	ret = tool_fit_parse(argc, argv, &options);
	if (ret)
		return ret;
	if (loom_fit_list_read(options.list, &list, &err))
		return tool_fail("%s", err.text);
	ret = tool_fit_ask(&options, list, own, &answer);
	if (!ret && options.json)
		tool_fit_json(list, own, &answer);
	else if (!ret)
		tool_fit_print(list, own, &answer);
	if (!ret && answer.error)
		ret = TOOL_FAILED;
	loom_fit_list_free(list);
	return ret;
}

const struct tool_command tool_fit = {
	.name = "fit",
	.usage = "LIST.csv [--device PATH | --chip FILE|NAME [--snapshot FILE]] [--json]",
	.text = "say whether buffers would fit in the banks, and what is missing if not",
	.help =
		"  --device PATH        a node instead of the first one\n"
		"  --chip FILE|NAME     the banks of this chip, empty: needs no device\n"
		"  --snapshot FILE      with --chip: banks as in this detailed_memory_usage.csv, which\n"
		"                       loom report writes\n"
		"  --json               print JSON\n"
		"\nColumns of the list: name, size; region, layout, page_bytes, direction, banks (0-3;8),\n"
		"addresses (per-bank) and the fields of images and shards. The exit status is 1 if\n"
		"the buffers do not fit.\n",
	.examples =
		"  loom fit list.csv\n"
		"  loom fit list.csv --chip wormhole\n"
		"  loom report -o now; loom fit list.csv --chip soft --snapshot now/detailed_memory_usage.csv\n",
	.run = tool_fit_run,
};
