// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The grid as a whole is a table in memory, and so are its rows. */
#define MOST_POINTS	10000000

/**
 * struct sweep_options - the command line besides the grid
 * @common: options for all models; its own path is not used
 * @varied: --vary was given
 * @slurm: file for a script, or NULL
 * @tasks: of its array
 */
struct sweep_options {
	struct tool_model common;
	bool varied;
	const char *slurm;
	uint32_t tasks;
};

/* Not an exit status: the option has done all that was asked for. */
#define SWEEP_DONE	(TOOL_USAGE + 1)

static int parse_count(const char *option, const char *text, int64_t most, uint32_t *count)
{
	int64_t number;

	if (tool_parse_number(text, false, &number) || number < 1 || number > most)
		return tool_usage(&tool_sweep, "%s takes a number from 1 to %lld, not '%s'", option,
				  (long long)most, text);
	*count = (uint32_t)number;
	return 0;
}

static int parse_shard(struct sweep *sweep, char *text)
{
	char *slash = strchr(text, '/');
	int64_t shard, of;

	if (slash)
		*slash = '\0';
	if (!slash || tool_parse_number(text, false, &shard) ||
	    tool_parse_number(slash + 1, false, &of) || of < 1 || of > MOST_POINTS || shard >= of) {
		if (slash)
			*slash = '/';
		return tool_usage(&tool_sweep,
				  "--shard takes NUMBER/SHARDS, from 0/SHARDS on, not '%s'",
				  text);
	}
	sweep->shard = (uint32_t)shard;
	sweep->num_shards = (uint32_t)of;
	return 0;
}

static int parse_vary(struct sweep *sweep, struct sweep_options *options, const char *text)
{
	if (!strcmp(text, "help")) {
		sweep_vary_help(stdout);
		return SWEEP_DONE;
	}
	options->varied = true;
	return sweep_vary_parse(&tool_sweep, sweep, text);
}

static int add_chip(struct sweep *sweep, const struct drm_loom_chip *chip)
{
	struct drm_loom_chip *grown = realloc(sweep->chips,
					      (sweep->num_chips + 1) * sizeof(*grown));

	if (!grown)
		return tool_fail("no memory");
	sweep->chips = grown;
	grown[sweep->num_chips++] = *chip;
	return 0;
}

static int parse_option(struct sweep *sweep, struct sweep_options *options, int option)
{
	int ret;

	switch (option) {
	case 'v':
		return parse_vary(sweep, options, optarg);
	case 'j':
		return parse_count("--jobs", optarg, 4096, &sweep->jobs);
	case 'o':
		sweep->path = optarg;
		return 0;
	case 'p':
		sweep->plots = optarg;
		return 0;
	case 's':
		return parse_shard(sweep, optarg);
	case 'l':
		options->slurm = optarg;
		return 0;
	case 'J':
		sweep->json = true;
		return 0;
	case 't':
		return parse_count("--tasks", optarg, 1000000, &options->tasks);
	}
	ret = tool_model_option(&tool_sweep, &options->common, option, optarg);
	/* each --chip is one more */
	if (!ret && options->common.preset) {
		ret = add_chip(sweep, options->common.preset);
		options->common.preset = NULL;
	}
	return ret;
}

static int parse(int argc, char **argv, struct sweep *sweep, struct sweep_options *options)
{
	static const struct option longs[] = {
		{ "vary", required_argument, NULL, 'v' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "plots", required_argument, NULL, 'p' },
		{ "shard", required_argument, NULL, 's' },
		{ "slurm", required_argument, NULL, 'l' },
		{ "tasks", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'J' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_model_getopt(&tool_sweep, argc, argv, "j:o:", longs)) != -1) {
		if (option == '?')
			return tool_bad_option(&tool_sweep, argv);
		ret = parse_option(sweep, options, option);
	}
	if (ret)
		return ret;
	if (optind == argc)
		return tool_usage(&tool_sweep, "takes one model or more");
	if (!options->varied)
		return tool_usage(&tool_sweep, "takes --vary: what to vary");
	if (options->common.num_images)
		return tool_usage(&tool_sweep, "--image is for one model");
	if (sweep->num_chips)
		return 0;
	ret = tool_model_default_chip(&options->common);
	return ret ? ret : add_chip(sweep, &options->common.chip);
}

/* MODEL, or MODEL@INPUT=N,N..[@INPUT=..]: shapes of this model alone. */
static int open_model(struct tool_model *model, const struct tool_model *common, char *argument)
{
	char *at = strchr(argument, '@'), *next;
	uint32_t i;
	int ret;

	if (at)
		*at++ = '\0';
	model->path = argument;
	model->graph_flags = common->graph_flags;
	ret = tool_model_open(model);
	for (i = 0; !ret && i < common->num_shapes; i++)
		ret = tool_model_add_shape(model, common->shapes[i].input, common->shapes[i].rank,
					   common->shapes[i].dims);
	for (; !ret && at; at = next) {
		next = strchr(at, '@');
		if (next)
			*next++ = '\0';
		ret = tool_model_parse_shape(&tool_sweep, model, at);
	}
	for (i = 0; !ret && i < common->num_dims; i++)
		ret = tool_model_bind_dim(model, &common->dims[i]);
	return ret ? ret : tool_model_finish(model);
}

/* FNV-1a, of what tells one grid from another. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3;
	return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text ? text : "", strlen(text ? text : "") + 1);
}

/* Of the finished graph rather than the file: shapes are in it, and where the file lies is not. */
static int hash_model(const struct tool_model *model, uint64_t *hash)
{
	char *text;
	int ret = loom_graph_dump(model->graph, &text);

	if (ret)
		return tool_fail("%s: %s", model->path, strerror(-ret));
	*hash = hash_text(*hash, text);
	free(text);
	return 0;
}

static int hash_sweep(struct sweep *sweep)
{
	const struct loom_planner_options *how = &sweep->planner;
	uint64_t hash = hash_text(0xcbf29ce484222325, loom_version_text());
	char *header = sweep_point_header(sweep);
	uint32_t i;
	int ret = header ? 0 : tool_fail("no memory");

	if (ret)
		return ret;
	hash = hash_text(hash, header);
	free(header);
	for (i = 0; !ret && i < sweep->num_models; i++) {
		ret = hash_model(&sweep->models[i], &hash);
		hash = hash_text(hash, sweep->names[i]);
	}
	hash = hash_bytes(hash, sweep->chips, sweep->num_chips * sizeof(*sweep->chips));
	for (i = 0; i < sweep->num_axes; i++)
		hash = hash_bytes(hash, sweep->axes[i].values,
				  sweep->axes[i].num_values * sizeof(*sweep->axes[i].values));
	hash = hash_text(hash_text(hash, how->placer), how->grouping);
	hash = hash_bytes(hash, &how->sram_limit_bytes, sizeof(how->sram_limit_bytes));
	hash = hash_bytes(hash, &how->grouping_budget, sizeof(how->grouping_budget));
	hash = hash_bytes(hash, &how->objective, sizeof(how->objective));
	hash = hash_bytes(hash, &how->max_recompute_permille, sizeof(how->max_recompute_permille));
	hash = hash_bytes(hash, &how->max_bytes, sizeof(how->max_bytes));
	hash = hash_bytes(hash, &how->max_cycles, sizeof(how->max_cycles));
	sweep->hash = hash_bytes(hash, &how->flags, sizeof(how->flags));
	return ret;
}

static int count_points(struct sweep *sweep)
{
	uint64_t points = (uint64_t)sweep->num_models * sweep->num_chips;
	uint32_t i;

	for (i = 0; i < sweep->num_axes && points <= MOST_POINTS; i++)
		points *= sweep->axes[i].num_values;
	if (points > MOST_POINTS)
		return tool_usage(&tool_sweep, "more than %u points", MOST_POINTS);
	sweep->num_points = (uint32_t)points;
	sweep->rows = calloc(points, sizeof(*sweep->rows));
	return sweep->rows ? 0 : tool_fail("no memory");
}

static int prepare(struct sweep *sweep, struct sweep_options *options, int count, char **models)
{
	int i, ret = 0;

	sweep->planner = options->common.planner;
	if (!sweep->planner.grouping)
		sweep->planner.grouping = options->common.node_order ? "layerwise" : "layergroup";
	sweep->models = calloc((size_t)count, sizeof(*sweep->models));
	sweep->names = calloc((size_t)count, sizeof(*sweep->names));
	if (!sweep->models || !sweep->names)
		return tool_fail("no memory");
	for (i = 0; !ret && i < count; i++) {
		sweep->names[i] = strdup(models[i]);
		if (!sweep->names[i])
			return tool_fail("no memory");
		sweep->num_models++;
		ret = open_model(&sweep->models[i], &options->common, models[i]);
	}
	if (!ret)
		ret = count_points(sweep);
	return ret ? ret : hash_sweep(sweep);
}

static int save_table(const struct sweep *sweep)
{
	char *text = NULL, *header = sweep_point_header(sweep);
	size_t size;
	FILE *out = header ? open_memstream(&text, &size) : NULL;
	uint32_t i;
	int ret;

	if (!out) {
		free(header);
		return tool_fail("no memory");
	}
	fprintf(out, "%s\n", header);
	for (i = 0; i < sweep->num_points; i++)
		fprintf(out, "%s\n", sweep->rows[i]);
	ret = fclose(out) ? tool_fail("no memory") : tool_save(sweep->path, text, size);
	free(text);
	free(header);
	return ret;
}

static void print_summary(const struct sweep *sweep)
{
	uint32_t i, fits = 0;

	for (i = 0; i < sweep->num_points; i++) {
		double cycles = sweep_point_cell(sweep, i, SWEEP_CYCLES);

		fits += cycles == cycles;
	}
	if (sweep->json) {
		struct json json;

		json_begin(&json, stdout);
		json_string(&json, "table", sweep->path);
		json_u64(&json, "points", sweep->num_points);
		json_u64(&json, "fit", fits);
		json_end(&json);
		return;
	}
	printf("%s: %u points, %u fit", sweep->path, sweep->num_points, fits);
	if (sweep->plots)
		printf("; plots in %s", sweep->plots);
	putchar('\n');
}

static int go(struct sweep *sweep)
{
	int ret = sweep_journal_read(sweep);

	if (!ret)
		ret = sweep_work(sweep);
	/* other shards write journals of their own */
	if (ret || sweep->num_shards > 1)
		return ret;
	ret = sweep_journal_read(sweep);
	if (!ret)
		ret = save_table(sweep);
	if (!ret && sweep->plots)
		ret = sweep_plot(sweep);
	if (!ret) {
		sweep_journal_remove(sweep);
		print_summary(sweep);
	}
	return ret;
}

static void clear(struct sweep *sweep, struct sweep_options *options)
{
	uint32_t i;

	for (i = 0; sweep->rows && i < sweep->num_points; i++)
		free(sweep->rows[i]);
	for (i = 0; i < sweep->num_models; i++) {
		tool_model_clear(&sweep->models[i]);
		free(sweep->names[i]);
	}
	free(sweep->rows);
	free(sweep->models);
	free(sweep->names);
	free(sweep->chips);
	sweep_vary_clear(sweep);
	tool_model_clear(&options->common);
}

static int tool_sweep_run(int argc, char **argv)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	struct sweep sweep = {
		.path = "sweep.csv", .num_shards = 1,
		.jobs = online > 1 ? (uint32_t)online : 1,
	};
	struct sweep_options options = { .tasks = 100 };
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	int i, ret;

	/* parsing cuts arguments, and the script is to have them whole */
	for (i = 0; copy && i < argc; i++)
		copy[i] = strdup(argv[i]);
	ret = copy ? parse(argc, argv, &sweep, &options) : tool_fail("no memory");
	if (!ret)
		ret = prepare(&sweep, &options, argc - optind, argv + optind);
	if (!ret)
		ret = options.slurm ? sweep_slurm(&sweep, options.slurm, options.tasks, argc, copy)
				    : go(&sweep);
	clear(&sweep, &options);
	for (i = 0; copy && i < argc; i++)
		free(copy[i]);
	free(copy);
	return ret == SWEEP_DONE ? 0 : ret;
}

const struct tool_command tool_sweep = {
	.collects = "chip",
	.name = "sweep",
	.usage = "MODEL... --vary WHAT=VALUES[,..] [OPTION...]",
	.text = "plan models for a grid of chips, into a table and plots",
	.help =
		"  MODEL[@INPUT=N,N..]  a model, and shapes of its inputs\n"
		"  --vary WHAT=VALUES[,WHAT=VALUES..]\n"
		"                       FROM..TO:xFACTOR, FROM..TO:+STEP, or A/B/C..;\n"
		"                       --vary help lists what can be varied\n"
		TOOL_MODEL_HELP
		"                       --chip can be given several times\n"
		"  -o, --output FILE    the table (CSV; default: sweep.csv); FILE.journal has the\n"
		"                       rows until all are there: the same command goes on\n"
		"  --json               print the summary as JSON\n"
		"  --plots DIR          draw time, DRAM bytes and energy, a picture per model\n"
		"  -j, --jobs N         processes (default: as many as processors)\n"
		"  --shard I/N          plan each Nth point from I on; without, the table is written\n"
		"  --slurm FILE         write a script that does it all as a job array of Slurm\n"
		"  --tasks N            of the array (default: 100)\n",
	.run = tool_sweep_run,
};
