// SPDX-License-Identifier: MIT
#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "loom_chip_file.h"
#include "pci/regs.h"

#define OPTIONS_WINDOW	(4ULL << 30)

static const char options_help[] =
	"usage: loom-sim --socket PATH [OPTION...]\n"
	"\n"
	"Runs a Loom device for a guest of QEMU, by vfio-user.\n"
	"\n"
	"  --socket PATH     where QEMU connects\n"
	"  --control PATH    socket for commands to inject faults, see: loom-sim --list-faults\n"
	"  --chip NAME|FILE  chip of the device (default soft)\n"
	"  --pace PACE       fast: run jobs at full speed (the default); clock: at the speed of the\n"
	"                    chip's clock; a number: that many times slower\n"
	"  --dma WAY         auto: map the guest's memory where QEMU allows it (the default);\n"
	"                    messages: ask QEMU for each access, so that an IOMMU confines it\n"
	"  --window SIZE     limit of the memory in BAR2 (default 4G)\n"
	"  --firmware X.Y.Z  firmware version that it reports\n"
	"  --fault FAULT     as on the control socket, at the start of each connection\n"
	"  --seed N          seed of random choices\n"
	"  --fuzz SEED       send well-formed random messages at random times\n"
	"  --once            exit after the first connection\n"
	"  --verbose         log events to stderr\n";

static __attribute__((__format__(__printf__, 1, 2))) int options_wrong(const char *format, ...)
{
	va_list args;

	fputs("loom-sim: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs(" (see: loom-sim --help)\n", stderr);
	return 2;
}

static int options_chip(struct sim_options *options, const char *text)
{
	struct loom_error err;

	return loom_chip_load(text, &options->chip, &err) ? options_wrong("%s", err.text) : 0;
}

static int options_pace(struct sim_options *options, const char *text)
{
	char *end;

	options->pace = 0;
	if (!strcmp(text, "fast"))
		return 0;
	options->pace = 1;
	if (!strcmp(text, "clock"))
		return 0;
	options->pace = strtod(text, &end);
	if (*end || !(options->pace > 0 && options->pace <= 1e9))
		return options_wrong("a pace is fast, clock or a number above 0, not '%s'", text);
	return 0;
}

static int options_dma(struct sim_options *options, const char *text)
{
	options->messages = !strcmp(text, "messages");
	if (!options->messages && strcmp(text, "auto"))
		return options_wrong("DMA is auto or messages, not '%s'", text);
	return 0;
}

static int options_window(struct sim_options *options, const char *text)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	if (!sim_number(text, &end, &options->window))
		return options_wrong("a size is a number, with K, M, G or T, not '%s'", text);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && !end[1] && options->window < 1ULL << 20)
		options->window <<= 10 * (unit - units + 1);
	else if (*end)
		return options_wrong("a size is a number, with K, M, G or T, not '%s'", text);
	if (options->window < 1 << 20 || options->window & (options->window - 1))
		return options_wrong("a window is a power of two from 1M on, not '%s'", text);
	return 0;
}

static int options_firmware(struct sim_options *options, const char *text)
{
	static const u64 most[] = { 255, 255, 65535 };
	static const char ends[] = { '.', '.', '\0' };
	u64 part[ARRAY_SIZE(most)];
	const char *at = text;
	bool good = true;
	size_t i;
	char *end;

	for (i = 0; i < ARRAY_SIZE(most) && good; i++, at = end + 1)
		good = sim_number(at, &end, &part[i]) && part[i] <= most[i] && *end == ends[i];
	if (!good)
		return options_wrong("a version is MAJOR.MINOR.PATCH, not '%s'", text);
	options->firmware = (u32)(part[0] << 24 | part[1] << 16 | part[2]);
	return 0;
}

static int options_fault(struct sim_options *options, const char *text)
{
	struct sim_faults faults;
	char why[160];

	if (options->fault_count == OPTIONS_FAULTS)
		return options_wrong("more than %d faults", OPTIONS_FAULTS);
	sim_faults_init(&faults, 0);
	if (sim_faults_arm(&faults, text, why, sizeof(why)))
		return options_wrong("%s", why);
	options->faults[options->fault_count++] = text;
	return 0;
}

static int options_seed(u64 *seed, const char *text)
{
	char *end;

	if (!sim_number(text, &end, seed) || *end)
		return options_wrong("a seed is a number, not '%s'", text);
	return 0;
}

static int options_list(void)
{
	sim_faults_list(stdout);
	return -1;
}

enum {
	OPTION_SOCKET,
	OPTION_CONTROL,
	OPTION_CHIP,
	OPTION_PACE,
	OPTION_DMA,
	OPTION_WINDOW,
	OPTION_FIRMWARE,
	OPTION_FAULT,
	OPTION_SEED,
	OPTION_FUZZ,
	OPTION_ONCE,
	OPTION_VERBOSE,
	OPTION_LIST_FAULTS,
	OPTION_HELP,
};

static const struct option options_table[] = {
	{ "socket", required_argument, NULL, OPTION_SOCKET },
	{ "control", required_argument, NULL, OPTION_CONTROL },
	{ "chip", required_argument, NULL, OPTION_CHIP },
	{ "pace", required_argument, NULL, OPTION_PACE },
	{ "dma", required_argument, NULL, OPTION_DMA },
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "firmware", required_argument, NULL, OPTION_FIRMWARE },
	{ "fault", required_argument, NULL, OPTION_FAULT },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "fuzz", required_argument, NULL, OPTION_FUZZ },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "verbose", no_argument, NULL, OPTION_VERBOSE },
	{ "list-faults", no_argument, NULL, OPTION_LIST_FAULTS },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

static int options_set(struct sim_options *options, int option, char **argv)
{
	switch (option) {
	case OPTION_SOCKET:
		options->socket = optarg;
		return 0;
	case OPTION_CONTROL:
		options->control = optarg;
		return 0;
	case OPTION_CHIP:
		return options_chip(options, optarg);
	case OPTION_PACE:
		return options_pace(options, optarg);
	case OPTION_DMA:
		return options_dma(options, optarg);
	case OPTION_WINDOW:
		return options_window(options, optarg);
	case OPTION_FIRMWARE:
		return options_firmware(options, optarg);
	case OPTION_FAULT:
		return options_fault(options, optarg);
	case OPTION_SEED:
		return options_seed(&options->seed, optarg);
	case OPTION_FUZZ:
		return options_seed(&options->fuzz, optarg);
	case OPTION_ONCE:
		options->once = true;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	case OPTION_LIST_FAULTS:
		return options_list();
	case OPTION_HELP:
		fputs(options_help, stdout);
		return -1;
	case ':':
		return options_wrong("%s needs an argument", argv[optind - 1]);
	}
	return options_wrong("unknown option %s", argv[optind - 1]);
}

int options_parse(struct sim_options *options, int argc, char **argv)
{
	int option, ret;

	*options = (struct sim_options){
		.chip = *loom_preset_get(0), .window = OPTIONS_WINDOW,
		.firmware = LOOM_PCI_FIRMWARE_MIN, .seed = 1,
	};
	while ((option = getopt_long(argc, argv, "+:", options_table, NULL)) != -1) {
		ret = options_set(options, option, argv);
		if (ret)
			return ret;
	}
	if (optind < argc)
		return options_wrong("unexpected '%s'", argv[optind]);
	if (!options->socket)
		return options_wrong("no --socket");
	return 0;
}
