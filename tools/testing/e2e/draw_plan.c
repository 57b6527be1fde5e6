// SPDX-License-Identifier: MIT
/*
 * Draws the plan of a network that has no file, as "loom plan --svg" does of one that has: those in
 * eight bits that benches build from their published layers.
 *
 *	draw_plan NETWORK CHIP OBJECTIVE SVG
 */
#include <errno.h>

#include "bench/networks.h"
#include "loom_chip_file.h"
#include "loom_planner.h"

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "draw_plan: %s: %s\n", what, why);
	exit(1);
}

static uint32_t objective_of(const char *name)
{
	uint32_t i;

	for (i = 0; loom_objective_name(i); i++)
		if (!strcmp(loom_objective_name(i), name))
			return i;
	fail(name, "there is no such objective");
	return 0;
}

static void save(const char *path, const char *text, size_t size_bytes)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(text, 1, size_bytes, file) != size_bytes || fclose(file))
		fail(path, strerror(errno));
}

int main(int argc, char **argv)
{
	struct loom_planner_options options = { .grouping = "layergroup" };
	struct loom_program_svg_options how = { .title = NULL };
	const struct network *network;
	struct loom_program *program;
	struct drm_loom_chip chip;
	struct loom_error err;
	struct net net;
	size_t size_bytes;
	char title[64], *text;

	if (argc != 5) {
		fprintf(stderr, "usage: draw_plan NETWORK CHIP OBJECTIVE SVG\n");
		return 2;
	}
	network = net_find(argv[1]);
	if (!network)
		fail(argv[1], "there is no such network");
	if (loom_chip_load(argv[2], &chip, &err))
		fail(argv[2], err.text);
	options.chip = &chip;
	options.objective = objective_of(argv[3]);
	if (loom_program_create(net_open(&net, network), &options, &program, &err))
		fail(network->name, err.text);
	snprintf(title, sizeof(title), "%s in eight bits, for %s", network->name, argv[3]);
	how.title = title;
	if (loom_program_svg(program, &chip, &how, &text, &size_bytes))
		fail(argv[4], "cannot be drawn");
	save(argv[4], text, size_bytes);
	printf("%llu cycles\n", (unsigned long long)program->stats.cycles);
	free(text);
	loom_program_destroy(program);
	net_close(&net);
	return 0;
}
