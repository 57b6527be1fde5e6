// SPDX-License-Identifier: MIT
#include "tool.h"

#include "loom_config.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct tool_device_options - the command line
 * @name: of the device, NULL: the chip's
 * @timeout_ms: 0: the module's
 * @json: print JSON
 */
struct tool_device_options {
	const char *name;
	uint32_t timeout_ms;
	bool json;
};

static int tool_device_add(const char *path, const struct tool_device_options *options)
{
	struct loom_config_device device;
	struct drm_loom_chip chip;
	struct loom_error err;

	if (loom_chip_load(path, &chip, &err) ||
	    loom_config_add(options->name ? options->name : chip.name, &chip, options->timeout_ms,
			    &device, &err))
		return tool_fail("%s", err.text);
	printf("%s /dev/accel/%s\n", device.name, device.node);
	return 0;
}

static int tool_device_list(const struct tool_device_options *options)
{
	struct loom_config_device *devices;
	struct loom_error err;
	struct json json;
	uint32_t count, i;

	if (loom_config_list(&devices, &count, &err))
		return tool_fail("%s", err.text);
	if (options->json) {
		json_begin(&json, stdout);
		json_open(&json, "devices", '[');
		for (i = 0; i < count; i++) {
			json_open(&json, NULL, '{');
			json_string(&json, "name", devices[i].name);
			json_string(&json, "chip", devices[i].chip);
			json_string(&json, "node", devices[i].node);
			json_close(&json, '}');
		}
		json_close(&json, ']');
		json_end(&json);
	} else {
		for (i = 0; i < count; i++)
			printf("%-20s %-20s %s%s\n", devices[i].name, devices[i].chip,
			       devices[i].node[0] ? "/dev/accel/" : "no node", devices[i].node);
	}
	free(devices);
	return 0;
}

static int tool_device_remove(const char *name)
{
	struct loom_error err;

	if (loom_config_remove(name, &err))
		return tool_fail("%s", err.text);
	return 0;
}

static int tool_device_parse(int argc, char **argv, struct tool_device_options *options)
{
	static const struct option longs[] = {
		{ "name", required_argument, NULL, 'n' },
		{ "timeout", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int64_t number;
	int option;

	opterr = 0;
	while ((option = tool_getopt(&tool_device, argc, argv, "", longs)) != -1) {
		switch (option) {
		case 'n':
			options->name = optarg;
			break;
		case 't':
			if (tool_parse_number(optarg, false, &number) || number < 1 ||
			    number > INT32_MAX)
				return tool_usage(&tool_device,
						  "--timeout takes milliseconds, not '%s'", optarg);
			options->timeout_ms = (uint32_t)number;
			break;
		case 'j':
			options->json = true;
			break;
		default:
			return tool_bad_option(&tool_device, argv);
		}
	}
	return 0;
}

static int tool_device_run(int argc, char **argv)
{
	struct tool_device_options options = { 0 };
	int ret = tool_device_parse(argc, argv, &options);
	const char *what = optind < argc ? argv[optind] : "";
	bool adds = !strcmp(what, "add"), lists = !strcmp(what, "list");

	if (ret)
		return ret;
	if (!adds && !lists && strcmp(what, "remove"))
		return tool_usage(&tool_device, "takes add, list or remove");
	if (optind + (lists ? 1 : 2) != argc)
		return tool_usage(&tool_device, lists ? "list takes nothing else" :
				  adds ? "add takes one chip: a YAML file, or a name" :
					 "remove takes the name of a device");
	if (!adds && (options.name || options.timeout_ms))
		return tool_usage(&tool_device, "--name and --timeout are for add");
	if (!lists && options.json)
		return tool_usage(&tool_device, "--json is for list");
	if (lists)
		return tool_device_list(&options);
	return adds ? tool_device_add(argv[optind + 1], &options) :
		      tool_device_remove(argv[optind + 1]);
}

const struct tool_command tool_device = {
	.name = "device",
	.usage = "add CHIP [--name NAME] [--timeout MS] | list [--json] | remove NAME",
	.text = "make software devices of any shape; for root, with the module loaded",
	.help =
		"  add CHIP             make a device of a chip: a YAML file, or a name that loom\n"
		"                       chips lists; prints its name and node\n"
		"  --name NAME          name of the device; default: that of the chip\n"
		"  --timeout MS         time limit of a job on the engine\n"
		"  list                 list the devices: name, chip, node\n"
		"  remove NAME          unplug a device; its jobs end\n",
	.examples =
		"  loom device add mychip.yaml --name mine\n"
		"  loom device list\n",
	.run = tool_device_run,
};
