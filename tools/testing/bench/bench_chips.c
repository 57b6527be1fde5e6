// SPDX-License-Identifier: MIT
/*
 * Chips beside the public record: descriptions of chips name published latencies, and this prints
 * them, the time of our own plan by the chip's clock, and the ratio. A row in a chip file is
 *
 *	# published: NETWORK TYPE NUMBER ms KIND within FACTOR [SOURCE]
 *
 * with a network of networks.h, i8 or f32, and measured or estimated (by a vendor's compiler). A
 * measured one must be within its factor, otherwise the status is 1.
 *
 *	bench_chips [CHIP...]
 */
#include "bench/networks.h"
#include "loom_chip_file.h"
#include "loom_planner.h"

static bool bad;

static void bench_row(const char *chip_name, const char *line)
{
	struct loom_planner_options options = { .grouping = "layergroup" };
	char name[32], type[8], kind[16], source[64];
	struct loom_program *program;
	struct drm_loom_chip chip;
	double ms, within, ours;
	struct network network;
	struct loom_error err;
	struct net net;

	if (sscanf(line, "# published: %31s %7s %lf ms %15s within %lf %63[^\n]", name, type, &ms,
		   kind, &within, source) != 6 || !net_find(name)) {
		fprintf(stderr, "%s: bad row: %.60s\n", chip_name, line);
		exit(2);
	}
	if (loom_chip_find(chip_name, &chip))
		exit(2);
	network = *net_find(name);
	network.real = !strcmp(type, "f32");
	options.chip = &chip;
	if (loom_program_create(net_open(&net, &network), &options, &program, &err)) {
		printf("%-18s %-13s %-4s  %s\n", chip_name, name, type, err.text);
		bad = true;
		return;
	}
	ours = program->stats.cycles * 1e3 / chip.frequency_hz;
	if (!strcmp(kind, "measured") && (ours > ms * within || ours * within < ms))
		bad = true;
	printf("%-18s %-13s %-4s %10.3f %10.3f %6.2f  %-9s %s\n", chip_name, name, type, ms, ours,
	       ours / ms, kind, source);
	fflush(stdout);
	loom_program_destroy(program);
	net_close(&net);
}

int main(int argc, char **argv)
{
	const char *chip, *line;
	unsigned int i;
	int k;

	printf("%-18s %-13s %-4s %10s %10s %6s  %-9s %s\n", "chip", "network", "type", "public ms",
	       "plan ms", "ratio", "", "source");
	for (i = 0; (chip = loom_chip_name(i)); i++) {
		for (k = 1; k < argc && strcmp(argv[k], chip); k++)
			;
		if (argc > 1 && k == argc)
			continue;
		for (line = strstr(loom_chip_text(chip), "# published:"); line;
		     line = strstr(line + 1, "# published:"))
			bench_row(chip, line);
	}
	return bad;
}
