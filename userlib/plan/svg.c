// SPDX-License-Identifier: MIT
#include "svg.h"

#include <errno.h>
#include <stdlib.h>

/**
 * DOC: Pictures of plans
 *
 * Time runs from left to right: a step is as wide as its cycles on the chip. From the top: the
 * nodes that run together, the activity of DMA and compute and its node, and the tensors in SRAM
 * and in DRAM, all from the plan's bytes; names and groups are the planner's labels (&struct
 * loom_program_label, &struct loom_program_group).
 *
 * The width is proportional to cycles because the first question to a picture is where the time
 * goes. Steps that are too thin to see are merged in the rows of the streams, tensors have at least
 * a hairline, and a range of steps can be drawn instead. Colours show the purpose of a tensor. They
 * are the light ones of Paul Tol's palette, as in pictures of placements.
 *
 * A tensor is a rectangle. Of more than MAX_TENSORS, the smallest in cycles times bytes are
 * omitted, and the picture says so.
 */

/* Number of rectangles that browsers still scroll smoothly. */
#define MAX_TENSORS	20000U

static const char *const svg_style[] = {
	"text{font-family:sans-serif;fill:#222}",
	".t{font-size:17px;font-weight:bold}",
	".s{font-size:13px;fill:#444}",
	".a{font-size:12px;fill:#444}",
	".e{text-anchor:end}",
	".m{text-anchor:middle;pointer-events:none}",
	".g{stroke:#e2e2e2;fill:none}",
	".f{stroke:#444;fill:none}",
	".o{fill:#f1f1f1}",
	".v{stroke:#999;stroke-width:.5;fill:none}",
	".j{fill:#dde7f3;stroke:#666;stroke-width:.6}",
	".q{fill:#eee;stroke:#999;stroke-width:.4}",
	".z{stroke:#666;stroke-width:.6;fill:none}",
	".b{stroke:#888;stroke-width:.6;stroke-dasharray:2 4;fill:none}",
	".c{stroke:#cc3311;stroke-width:1.5;fill:none}",
	".d{fill:#4477aa}",
	".D{fill:#6699cc}",
	".w{fill:#228833}",
	".W{fill:#55aa66}",
	".k{fill:#fff;text-anchor:middle;pointer-events:none}",
	".K{text-anchor:middle;pointer-events:none;stroke:#fff;stroke-width:3px;"
	"paint-order:stroke}",
	".x{fill:#cc3311}",
	".r rect{stroke:#333;stroke-width:.3}",
	".r rect:hover{stroke-width:2}",
	".r .h{stroke-width:.08}",
};

static bool svg_is_there(const struct plan_svg *c, u32 tensor)
{
	const struct drm_loom_plan_tensor *t = &c->tensors[tensor];

	return t->first_step <= t->last_step && t->last_step >= c->first &&
	       t->first_step < c->first + c->count;
}

/**
 * struct svg_size - area of a tensor in the picture
 * @area: cycles times bytes
 * @tensor: its index
 */
struct svg_size {
	double area;
	u32 tensor;
};

static int svg_compare_sizes(const void *a, const void *b)
{
	const struct svg_size *x = a, *y = b;

	if (x->area != y->area)
		return x->area < y->area ? 1 : -1;
	return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static int svg_choose(struct plan_svg *c)
{
	struct svg_size *sizes = calloc((size_t)c->num_tensors + 1, sizeof(*sizes));
	u32 i;

	c->shown = calloc((size_t)c->num_tensors + 1, sizeof(*c->shown));
	if (!sizes || !c->shown) {
		free(sizes);
		return -ENOMEM;
	}
	for (i = 0; i < c->num_tensors; i++) {
		const struct drm_loom_plan_tensor *t = &c->tensors[i];

		if (svg_is_there(c, i))
			sizes[c->num_there++] = (struct svg_size){
				.area = (double)t->size * (c->time.begin[t->last_step + 1] -
						     c->time.begin[t->first_step]),
				.tensor = i,
			};
	}
	qsort(sizes, c->num_there, sizeof(*sizes), svg_compare_sizes);
	c->num_shown = min(c->num_there, MAX_TENSORS);
	for (i = 0; i < c->num_shown; i++)
		c->shown[sizes[i].tensor] = true;
	free(sizes);
	return 0;
}

static void svg_draw(const struct plan_svg *c)
{
	loom_draw_open(c->out, SVG_WIDTH, SVG_HEIGHT, svg_style, ARRAY_SIZE(svg_style));
	plan_svg_words(c);
	plan_svg_keys(c);
	plan_svg_bands(c);
	plan_svg_address_axis(c, &c->sram, 9);
	plan_svg_address_axis(c, &c->dram, 7);
	plan_svg_time_axis(c);
	plan_svg_step_axis(c);
	plan_svg_streams(c);
	plan_svg_tensors(c, false);
	plan_svg_tensors(c, true);
	plan_svg_groups(c);
	plan_svg_slices(c);
	plan_svg_sub_banks(c);
	plan_svg_slot_names(c);
	plan_svg_names(c);
	plan_svg_frame(c, SVG_DMA_TOP, SVG_DMA_BOTTOM);
	plan_svg_frame(c, SVG_WORK_TOP, SVG_WORK_BOTTOM);
	plan_svg_frame(c, SVG_SRAM_TOP, SVG_SRAM_BOTTOM);
	plan_svg_frame(c, SVG_DRAM_TOP, SVG_DRAM_BOTTOM);
	fputs("</svg>\n", c->out);
}

static int svg_open(struct plan_svg *c)
{
	const struct drm_loom_plan_header *header = c->program->plan;
	int ret;

	c->tensors = (const void *)((const u8 *)c->program->plan + header->tensors.offset);
	c->num_tensors = header->tensors.count;
	c->num_steps = header->steps.count;
	c->first = c->options->first_step;
	if (c->first && c->first >= c->num_steps)
		return -EINVAL;
	c->count = c->num_steps - c->first;
	if (c->options->num_steps)
		c->count = min(c->count, c->options->num_steps);
	c->count = max(c->count, 1U);
	ret = loom_timeline_open(&c->time, c->program, c->chip);
	if (ret)
		return ret;
	c->cycles = max(c->time.begin[min(c->first + c->count, c->num_steps)] -
			c->time.begin[c->first], 1ULL);
	ret = svg_choose(c);
	if (!ret)
		plan_svg_set_scales(c);
	return ret;
}

int loom_program_svg(const struct loom_program *program, const struct drm_loom_chip *chip,
		     const struct loom_program_svg_options *options, char **text,
		     size_t *size_bytes)
{
	static const struct loom_program_svg_options defaults;
	struct plan_svg chart = {
		.program = program,
		.chip = chip,
		.options = options ? options : &defaults,
	};
	const int saved = errno;
	bool failed;
	int ret;

	*text = NULL;
	ret = svg_open(&chart);
	if (!ret) {
		chart.out = open_memstream(text, size_bytes);
		ret = chart.out ? 0 : -ENOMEM;
	}
	if (!ret) {
		svg_draw(&chart);
		failed = ferror(chart.out);
		if (fclose(chart.out) || failed) {
			free(*text);
			*text = NULL;
			ret = -ENOMEM;
		}
	}
	loom_timeline_close(&chart.time);
	free(chart.shown);
	errno = saved;
	return ret;
}
