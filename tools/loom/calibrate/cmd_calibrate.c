// SPDX-License-Identifier: MIT
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of planning and fitting. */
#define ROUNDS		2
/* With more rows, leaving out each of them takes too long. */
#define MOST_LEFT_OUT	64

/**
 * struct calibrate - the command
 * @description: name or file of the chip
 * @output: the file of the fitted description
 * @picture: the picture, or NULL
 * @json: print JSON
 * @chip: the fitted description
 * @first: the description before
 * @table: measured times
 */
struct calibrate {
	const char *description;
	const char *output;
	const char *picture;
	bool json;
	struct drm_loom_chip chip;
	struct drm_loom_chip first;
	struct calibrate_table table;
};

/* The path of a model: that in the table is relative to the table's folder. */
static char *model_path(const struct calibrate_table *table, const char *name)
{
	const char *slash = strrchr(table->path, '/');
	char *path;

	if (!slash || *name == '/')
		return strdup(name);
	if (asprintf(&path, "%.*s%s", (int)(slash + 1 - table->path), table->path, name) < 0)
		return NULL;
	return path;
}

/* Imports a model "PATH[@INPUT=NxN..]". @path: as of model_path(); must outlive the model */
static int open_model(struct tool_model *model, char *path, const struct drm_loom_chip *chip)
{
	char *shape = path, *rest;
	int ret = 0;

	model->chip = *chip;
	model->planner.chip = &model->chip;
	rest = strchr(path, '@');
	if (rest)
		*rest++ = '\0';
	model->path = path;
	while (!ret && (shape = strsep(&rest, "@")))
		ret = tool_model_parse_shape(&tool_calibrate, model, shape);
	if (!ret)
		ret = tool_model_open(model);
	if (!ret)
		ret = tool_model_finish(model);
	return ret ? ret : tool_model_plan(model);
}

/* Plans all models for the description so far. */
static int plan_all(struct calibrate *c)
{
	struct calibrate_table *table = &c->table;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < table->num_models && !ret; i++) {
		char *path = model_path(table, table->names[i]);

		if (!path)
			return tool_fail("no memory");
		tool_model_clear(&table->models[i]);
		table->models[i] = (struct tool_model){ 0 };
		ret = open_model(&table->models[i], path, &c->chip);
		table->models[i].path = NULL;
		free(path);
	}
	return ret ? ret : calibrate_table_find(table);
}

/* Predicts each row by a description that is fitted to the others. */
static int leave_out(struct calibrate *c)
{
	struct calibrate_table *table = &c->table;
	struct loom_measurement *others = calloc(table->num_rows, sizeof(*others));
	uint32_t i, k;
	int ret = 0;

	if (!others)
		return tool_fail("no memory");
	for (i = 0; i < table->num_rows && !ret; i++) {
		struct drm_loom_chip chip = c->first;
		uint32_t count = 0;

		for (k = 0; k < table->num_rows; k++)
			if (k != i)
				others[count++] = table->times[k];
		ret = loom_chip_calibrate(&chip, others, count);
		others[0] = table->times[i];
		if (!ret)
			ret = loom_measurement_plan(others, &chip);
		table->rows[i].left_out_us = others[0].planned_us;
	}
	free(others);
	return ret ? tool_fail("no memory") : 0;
}

static int fit(struct calibrate *c)
{
	struct calibrate_table *table = &c->table;
	uint32_t round, i;
	int ret = 0;

	for (round = 0; round < ROUNDS && !ret; round++) {
		ret = plan_all(c);
		for (i = 0; i < table->num_rows && !ret && !round; i++) {
			if (loom_measurement_plan(&table->times[i], &c->first))
				return tool_fail("no memory");
			table->rows[i].before_us = table->times[i].planned_us;
		}
		/* always from the figures of the file, which are the prior */
		c->chip = c->first;
		if (!ret && loom_chip_calibrate(&c->chip, table->times, table->num_rows))
			ret = tool_fail("no memory");
	}
	if (!ret && table->num_rows > 1 && table->num_rows <= MOST_LEFT_OUT)
		ret = leave_out(c);
	return ret;
}

static double off(double planned_us, double measured_us)
{
	return planned_us > measured_us ? planned_us / measured_us : measured_us / planned_us;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { AS_DESCRIBED, FITTED, LEFT_OUT };

static double planned_us(const struct calibrate_table *table, uint32_t row, int which)
{
	return which == FITTED ? table->times[row].planned_us :
	       which == LEFT_OUT ? table->rows[row].left_out_us : table->rows[row].before_us;
}

/* "off by 1.12 in the median, 1.40 in the worst row" */
static int print_errors(const struct calibrate_table *table, const char *what, int which)
{
	double *offs = calloc(table->num_rows, sizeof(*offs));
	uint32_t i;

	if (!offs)
		return tool_fail("no memory");
	for (i = 0; i < table->num_rows; i++)
		offs[i] = off(planned_us(table, i, which), table->times[i].measured_us);
	qsort(offs, table->num_rows, sizeof(*offs), compare);
	printf("%-12s off by a factor of %.3f in the median, %.3f in the worst row\n", what,
	       offs[table->num_rows / 2], offs[table->num_rows - 1]);
	free(offs);
	return 0;
}

static int print(const struct calibrate *c)
{
	const struct calibrate_table *table = &c->table;
	char name[TOOL_TEXT];
	uint32_t i;
	int ret;

	printf("%-40s %12s %12s %12s %7s\n", "row", "measured us", "described", "fitted", "ratio");
	for (i = 0; i < table->num_rows; i++)
		printf("%-40s %12.1f %12.1f %12.1f %7.3f\n", calibrate_row_name(table, i, name),
		       table->times[i].measured_us, table->rows[i].before_us,
		       table->times[i].planned_us,
		       table->times[i].planned_us / table->times[i].measured_us);
	ret = print_errors(table, "described", AS_DESCRIBED);
	if (!ret)
		ret = print_errors(table, "fitted", FITTED);
	if (!ret && table->rows[0].left_out_us > 0)
		ret = print_errors(table, "left out", LEFT_OUT);
	return ret;
}

static void print_json(const struct calibrate *c)
{
	const struct calibrate_table *table = &c->table;
	char name[TOOL_TEXT];
	struct json json;
	uint32_t i;

	json_begin(&json, stdout);
	json_string(&json, "description", c->output);
	json_open(&json, "rows", '[');
	for (i = 0; i < table->num_rows; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", calibrate_row_name(table, i, name));
		json_double(&json, "measured_us", table->times[i].measured_us);
		json_double(&json, "described_us", planned_us(table, i, AS_DESCRIBED));
		json_double(&json, "fitted_us", planned_us(table, i, FITTED));
		if (table->rows[i].left_out_us > 0)
			json_double(&json, "left_out_us", planned_us(table, i, LEFT_OUT));
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_end(&json);
}

/* The description, with a comment for each row. */
static int save(const struct calibrate *c)
{
	const struct calibrate_table *table = &c->table;
	char *yaml, *text, name[TOOL_TEXT], *at;
	size_t size_bytes;
	FILE *out;
	uint32_t i;
	int ret;

	if (loom_chip_write(&c->chip, &yaml))
		return tool_fail("no memory");
	out = open_memstream(&text, &size_bytes);
	if (!out) {
		free(yaml);
		return tool_fail("no memory");
	}
	fprintf(out,
		"# Written by loom calibrate: rates and starts are fitted to these times.\n");
	for (i = 0; i < table->num_rows; i++) {
		calibrate_row_name(table, i, name);
		for (at = name; *at; at++)
			if ((unsigned char)*at < ' ')
				*at = ' ';
		fprintf(out, "# measured: %.1f us, fitted: %.1f us, ratio %.3f: %s\n",
			table->times[i].measured_us, table->times[i].planned_us,
			table->times[i].planned_us / table->times[i].measured_us, name);
	}
	fputs(yaml, out);
	free(yaml);
	if (fclose(out))
		return tool_fail("no memory");
	ret = tool_save(c->output, text, size_bytes);
	free(text);
	return ret;
}

static int calibrate_parse(int argc, char **argv, struct calibrate *c, const char **csv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "svg", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = tool_getopt(&tool_calibrate, argc, argv, "o:", longs)) != -1) {
		if (option == '?')
			return tool_bad_option(&tool_calibrate, argv);
		if (option == 'j')
			c->json = true;
		else
			*(option == 'o' ? &c->output : &c->picture) = optarg;
	}
	if (optind + 2 != argc)
		return tool_usage(&tool_calibrate, "takes a chip and a table");
	if (!c->output)
		return tool_usage(&tool_calibrate, "--output FILE says where the description goes");
	if (c->json && !strcmp(c->output, "-"))
		return tool_usage(&tool_calibrate, "--json and --output - both write to stdout");
	c->description = argv[optind];
	*csv = argv[optind + 1];
	return 0;
}

static int tool_calibrate_run(int argc, char **argv)
{
	struct calibrate c = { 0 };
	struct loom_error err;
	const char *csv = NULL;
	int ret = calibrate_parse(argc, argv, &c, &csv);

	if (ret)
		return ret;
	if (loom_chip_load(c.description, &c.first, &err))
		return tool_fail("%s", err.text);
	c.chip = c.first;
	ret = calibrate_table_read(&c.table, csv);
	if (!ret)
		ret = fit(&c);
	if (!ret)
		ret = save(&c);
	if (!ret && c.picture)
		ret = calibrate_chart_save(&c.table, c.chip.name, c.picture);
	if (!ret && c.json)
		print_json(&c);
	else if (!ret && strcmp(c.output, "-"))
		ret = print(&c);
	calibrate_table_clear(&c.table);
	return ret;
}

const struct tool_command tool_calibrate = {
	.name = "calibrate",
	.usage = "CHIP MEASURED.csv --output FILE [OPTION...]",
	.text = "fit the description of a chip to measured times",
	.help =
		"  CHIP                 the description: a file, or the name of a chip that is built in\n"
		"  MEASURED.csv         measured times: a line with the names of the columns, then a\n"
		"                       line each. Columns: model (PATH[@INPUT=NxN..], relative to the\n"
		"                       table), layer (name, or \"OPERATOR SHAPE\", as of loom plan\n"
		"                       --layers; empty: the whole network), us or ms\n"
		"  -o, --output FILE    the fitted description, with the residual of each row\n"
		"  --svg FILE           draw predicted against measured times\n"
		"  --json               print JSON\n",
	.examples =
		"  loom calibrate mychip.yaml measured.csv -o fitted.yaml --svg fitted.svg\n",
	.run = tool_calibrate_run,
};
