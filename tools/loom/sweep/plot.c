// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A picture for each model: what a plan costs against the first thing that is varied, a curve for
 * each combination of the others. Points that do not fit are crosses at the bottom.
 */

#define WIDTH		400
#define HEIGHT		240
#define LEFT		84
#define TOP		60
#define GAP		100
#define MOST_CURVES	12

/* Can be told apart by people who see colours otherwise (Okabe and Ito, 2008); then dashes. */
static const char *const colours[] = {
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
};

/**
 * struct plot - a picture
 * @sweep: the grid
 * @model: whose
 * @out: where to
 * @all: number of combinations
 * @curves: number of those that are drawn, spread over all
 * @per_curve: number of values on the x axis
 * @stride: distance of points of a curve in the grid
 */
struct plot {
	const struct sweep *sweep;
	uint32_t model;
	FILE *out;
	uint32_t all;
	uint32_t curves;
	uint32_t per_curve;
	uint32_t stride;
};

/* @per_unit: so much of the column is one unit of the axis */
static const struct {
	enum sweep_column column;
	const char *title;
	double per_unit;
} panels[] = {
	{ SWEEP_TIME_US, "time on the chip, us", 1 },
	{ SWEEP_DRAM_BYTES, "DRAM traffic, MB", 1000000 },
	{ SWEEP_ENERGY_NJ, "energy, uJ", 1000 },
};

/* Point @at of curve @curve: chips, then the axes behind the first. */
static uint32_t point_of(const struct plot *p, uint32_t curve, uint32_t at)
{
	uint32_t one = (uint32_t)((uint64_t)curve * p->all / p->curves);
	uint32_t chip = one / p->stride, rest = one % p->stride;

	return ((p->model * p->sweep->num_chips + chip) * p->per_curve + at) * p->stride + rest;
}

static double x_of(const struct plot *p, uint32_t at)
{
	const struct sweep_axis *axis = &p->sweep->axes[0];
	double first = axis->values[0], last = axis->values[axis->num_values - 1];
	double value = axis->values[at];

	if (axis->num_values < 2 || first == last)
		return 0.5;
	if (axis->geometric)
		return log(value / first) / log(last / first);
	return (value - first) / (last - first);
}

/* The largest of a panel, rounded up to 1, 2 or 5 times a power of ten. 0: nothing fits. */
static double most_of(const struct plot *p, uint32_t panel)
{
	double most = 0, cell, step;
	uint32_t i, k;

	for (i = 0; i < p->curves; i++) {
		for (k = 0; k < p->per_curve; k++) {
			cell = sweep_point_cell(p->sweep, point_of(p, i, k),
						panels[panel].column) / panels[panel].per_unit;
			if (cell > most)
				most = cell;
		}
	}
	if (most <= 0)
		return 0;
	step = pow(10, floor(log10(most)));
	return most <= step ? step : most <= 2 * step ? 2 * step : most <= 5 * step ? 5 * step :
							10 * step;
}

static void draw_frame(const struct plot *p, uint32_t panel, double top, double most)
{
	char text[TOOL_TEXT];
	uint32_t i, every = (p->per_curve + 5) / 6;
	double y;

	fprintf(p->out, "<text class=\"t\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, top - 10,
		panels[panel].title);
	for (i = 0; i <= 4; i++) {
		y = top + HEIGHT - HEIGHT * i / 4.0;
		fprintf(p->out, "<path class=\"g\" d=\"M%d %.1fh%d\"/>", LEFT, y, WIDTH);
		fprintf(p->out, "<text class=\"y\" x=\"%d\" y=\"%.1f\">%.6g</text>\n", LEFT - 6,
			y + 4, most * i / 4);
	}
	for (i = 0; i < p->per_curve; i += every)
		fprintf(p->out,
			"<text class=\"x\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
			LEFT + x_of(p, i) * WIDTH, top + HEIGHT + 16,
			sweep_vary_label(&p->sweep->axes[0], i, text));
	fprintf(p->out, "<text class=\"x\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT + WIDTH / 2,
		top + HEIGHT + 32, sweep_vary_name(&p->sweep->axes[0]));
}

static void draw_curve(const struct plot *p, uint32_t panel, double top, double most,
		       uint32_t curve)
{
	const char *colour = colours[curve % ARRAY_SIZE(colours)];
	double cell, x, floor_y = top + HEIGHT, scale = HEIGHT / panels[panel].per_unit / most;
	bool begun = false;
	uint32_t i;

	fprintf(p->out, "<path class=\"c\" stroke=\"%s\"%s d=\"", colour,
		curve >= ARRAY_SIZE(colours) ? " stroke-dasharray=\"6 4\"" : "");
	for (i = 0; i < p->per_curve; i++) {
		cell = sweep_point_cell(p->sweep, point_of(p, curve, i), panels[panel].column);
		if (isnan(cell)) {
			begun = false;
			continue;
		}
		fprintf(p->out, "%c%.1f %.1f", begun ? 'L' : 'M', LEFT + x_of(p, i) * WIDTH,
			floor_y - cell * scale);
		begun = true;
	}
	fputs("\"/>\n", p->out);
	for (i = 0; i < p->per_curve; i++) {
		cell = sweep_point_cell(p->sweep, point_of(p, curve, i), panels[panel].column);
		x = LEFT + x_of(p, i) * WIDTH;
		if (isnan(cell))
			fprintf(p->out,
				"<path class=\"c\" stroke=\"%s\" d=\"M%.1f %.1fl6 6m0-6l-6 6\"/>\n",
				colour, x - 3, floor_y - 3 - 4.0 * curve);
		else
			fprintf(p->out,
				"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", x,
				floor_y - cell * scale, colour);
	}
}

static void draw_legend(const struct plot *p)
{
	struct sweep_place place;
	char text[TOOL_TEXT];
	uint32_t curve, i;

	for (curve = 0; curve < p->curves; curve++) {
		double y = TOP + 16.0 * curve;

		sweep_point_place(p->sweep, point_of(p, curve, 0), &place);
		fprintf(p->out,
			"<path class=\"c\" stroke=\"%s\"%s d=\"M%d %.1fh24\"/><text x=\"%d\" y=\"%.1f\">%s",
			colours[curve % ARRAY_SIZE(colours)],
			curve >= ARRAY_SIZE(colours) ? " stroke-dasharray=\"6 4\"" : "",
			LEFT + WIDTH + 24, y, LEFT + WIDTH + 54, y + 4,
			p->sweep->chips[place.chip].name);
		for (i = 1; i < p->sweep->num_axes; i++)
			fprintf(p->out, ", %s %s", sweep_vary_name(&p->sweep->axes[i]),
				sweep_vary_label(&p->sweep->axes[i], place.at[i], text));
		fputs("</text>\n", p->out);
	}
}

/* A name may have what XML does not take. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
}

static void draw(const struct plot *p)
{
	double tops[ARRAY_SIZE(panels)], most[ARRAY_SIZE(panels)], top = TOP;
	uint32_t i, k;

	for (i = 0; i < ARRAY_SIZE(panels); i++) {
		most[i] = most_of(p, i);
		tops[i] = top;
		/* nothing is known of the energy, or nothing fits */
		if (most[i] > 0)
			top += HEIGHT + GAP;
	}
	fprintf(p->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\">\n<style>\n",
		LEFT + WIDTH + 330, top == TOP ? TOP + 40 : top - GAP + 50);
	fputs("text { font: 12px sans-serif }\n.t { font-weight: bold }\n", p->out);
	fputs(".x { text-anchor: middle }\n.y { text-anchor: end }\n", p->out);
	fputs(".g { stroke: #ddd }\n.c { fill: none; stroke-width: 1.5 }\n</style>\n", p->out);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", p->out);
	fprintf(p->out, "<text class=\"t\" x=\"%d\" y=\"18\">", LEFT);
	put_escaped(p->out, p->sweep->names[p->model]);
	if (p->all > p->curves)
		fprintf(p->out, " (%u of %u curves)", p->curves, p->all);
	fputs("</text>\n", p->out);
	for (i = 0; i < ARRAY_SIZE(panels); i++) {
		if (!(most[i] > 0))
			continue;
		draw_frame(p, i, tops[i], most[i]);
		for (k = 0; k < p->curves; k++)
			draw_curve(p, i, tops[i], most[i], k);
	}
	if (top == TOP)
		fprintf(p->out, "<text x=\"%d\" y=\"%d\">no point of this model fits</text>\n",
			LEFT, TOP + 10);
	else
		draw_legend(p);
	fputs("</svg>\n", p->out);
}

/* DIR/NAME.svg, with a number where another model has the same name. */
static char *picture_path(const struct sweep *sweep, uint32_t model)
{
	const char *name = strrchr(sweep->models[model].path, '/');
	const char *other, *dot;
	uint32_t i, same = 0;
	char *path;
	int ret;

	name = name ? name + 1 : sweep->models[model].path;
	for (i = 0; i < model; i++) {
		other = strrchr(sweep->models[i].path, '/');
		same += !strcmp(other ? other + 1 : sweep->models[i].path, name);
	}
	dot = strrchr(name, '.');
	if (!dot || dot == name)
		dot = name + strlen(name);
	if (same)
		ret = asprintf(&path, "%s/%.*s-%u.svg", sweep->plots, (int)(dot - name), name,
			       same + 1);
	else
		ret = asprintf(&path, "%s/%.*s.svg", sweep->plots, (int)(dot - name), name);
	return ret < 0 ? NULL : path;
}

static int plot_model(const struct sweep *sweep, uint32_t model)
{
	struct plot p = { .sweep = sweep, .model = model, .per_curve = sweep->axes[0].num_values };
	char *text = NULL, *path = picture_path(sweep, model);
	size_t size;
	uint32_t i;
	int ret;

	p.stride = 1;
	for (i = 1; i < sweep->num_axes; i++)
		p.stride *= sweep->axes[i].num_values;
	p.all = sweep->num_chips * p.stride;
	p.curves = p.all < MOST_CURVES ? p.all : MOST_CURVES;
	p.out = open_memstream(&text, &size);
	if (!p.out || !path) {
		ret = tool_fail("no memory");
		if (p.out)
			fclose(p.out);
	} else {
		draw(&p);
		ret = fclose(p.out) ? tool_fail("no memory") : tool_save(path, text, size);
	}
	free(text);
	free(path);
	return ret;
}

int sweep_plot(const struct sweep *sweep)
{
	uint32_t i;
	int ret = 0;

	if (mkdir(sweep->plots, 0777) && errno != EEXIST)
		return tool_fail("%s: %s", sweep->plots, strerror(errno));
	for (i = 0; !ret && i < sweep->num_models; i++)
		ret = plot_model(sweep, i);
	return ret;
}
