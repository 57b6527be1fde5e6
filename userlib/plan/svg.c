// SPDX-License-Identifier: MIT
#include "cost.h"
#include "place/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Pictures of plans
 *
 * Steps from left to right. From above: which nodes run together, what both streams do, and what
 * is where in SRAM and in DRAM, all from the plan's bytes; names and groups are what the planner
 * said about them (&struct loom_program_label, &struct loom_program_group).
 *
 * All steps are as wide as each other, however long they take: a plan is a list of steps, and the
 * short ones are where the places are. How much of a step each stream works is in two rows of
 * their own. Colours say what a tensor is for. They are the light ones of Paul Tol's, as in
 * pictures of placements.
 *
 * A tensor is a rectangle. Of more than SVG_MOST, the smallest in steps times bytes are left out,
 * and the picture says so; it can also be drawn of some steps only.
 */

#define PX		LOOM_SVG_PX
#define SVG_WIDTH	(1512 * PX)
#define SVG_HEIGHT	(1072 * PX)
#define SVG_LEFT	(92 * PX)
#define SVG_RIGHT	(1392 * PX)
#define SVG_HEAD_TOP	(112 * PX)
#define SVG_HEAD_BOTTOM	(136 * PX)
#define SVG_DMA_TOP	(144 * PX)
#define SVG_DMA_BOTTOM	(178 * PX)
#define SVG_WORK_TOP	(184 * PX)
#define SVG_WORK_BOTTOM	(218 * PX)
#define SVG_BOTH_TOP	(221 * PX)
#define SVG_BOTH_BOTTOM	(227 * PX)
#define SVG_SRAM_TOP	(244 * PX)
#define SVG_SRAM_BOTTOM	(664 * PX)
#define SVG_DRAM_TOP	(696 * PX)
#define SVG_DRAM_BOTTOM	(1016 * PX)
#define SVG_MOST	20000U

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
	".d{fill:#5588bb}",
	".w{fill:#449955}",
	".x{fill:#cc3311}",
	".r rect{stroke:#333;stroke-width:.3}",
	".r rect:hover{stroke-width:2}",
	".r .h{stroke-width:.08}",
};

/**
 * struct svg_kind - a kind of tensor
 * @colour: what it is drawn in
 * @text: what it is
 */
struct svg_kind {
	const char *colour;
	const char *text;
};

static const struct svg_kind svg_kinds[LOOM_LABELS] = {
	[LOOM_LABEL_ROWS] = { "#77aadd", "rows of a value" },
	[LOOM_LABEL_LINE] = { "#ee8866", "rows kept for the next slice" },
	[LOOM_LABEL_RESIDENT] = { "#ffaabb", "value that stays from group to group" },
	[LOOM_LABEL_HELD] = { "#44bb99", "weights held for all slices" },
	[LOOM_LABEL_WEIGHT] = { "#bbcc33", "weights" },
	[LOOM_LABEL_TEMP] = { "#dddddd", "temporary" },
};

/* What a slot of DRAM is for, from the top down. */
static const struct {
	enum loom_slot_kind kind;
	const char *colour;
	const char *text;
} svg_slots[] = {
	{ LOOM_SLOT_KIND_WEIGHTS, "#bbcc33", "weights" },
	{ LOOM_SLOT_KIND_INPUT, "#eedd88", "input" },
	{ LOOM_SLOT_KIND_OUTPUT, "#eedd88", "output" },
	{ LOOM_SLOT_KIND_OBSERVED, "#99ddff", "observed" },
	{ LOOM_SLOT_KIND_IMAGE, "#99ddff", "image" },
	{ LOOM_SLOT_KIND_ARENA, "#77aadd", "arena" },
};

/**
 * struct svg_panel - time against address
 * @top: upper edge
 * @bottom: lower edge
 * @scale_bytes: address at the upper edge, not 0
 */
struct svg_panel {
	int64_t top;
	int64_t bottom;
	u64 scale_bytes;
};

/**
 * struct svg_box - a rectangle on the paper
 * @x: left edge
 * @y: upper edge
 * @width: of it
 * @height: of it
 */
struct svg_box {
	int64_t x;
	int64_t y;
	int64_t width;
	int64_t height;
};

/**
 * struct svg_chart - a picture that is being drawn
 * @out: where to
 * @program: what is drawn
 * @topology: what it is for
 * @options: what to say
 * @tensors: tensors of its plan
 * @num_tensors: number of @tensors
 * @costs: by step
 * @num_steps: steps of the plan
 * @first: first step that is drawn
 * @count: number of steps that are drawn, not 0
 * @sram: panel
 * @dram: panel
 * @slot_base: by slot: where it begins in the panel
 * @shown: by tensor: it is drawn
 * @num_shown: number of them
 * @num_there: number of those that could be
 */
struct svg_chart {
	FILE *out;
	const struct loom_program *program;
	const struct loom_topology *topology;
	const struct loom_program_svg_options *options;
	const struct drm_loom_plan_tensor *tensors;
	u32 num_tensors;
	struct loom_step_cost *costs;
	u32 num_steps;
	u32 first;
	u32 count;
	struct svg_panel sram;
	struct svg_panel dram;
	u64 slot_base[DRM_LOOM_MAX_SLOTS];
	bool *shown;
	u32 num_shown;
	u32 num_there;
};

/* --- where things are ------------------------------------------------------------------- */

/* Where a step begins; what is past either end is at the end. */
static int64_t svg_x(const struct svg_chart *c, u32 step)
{
	u32 at = step < c->first ? 0 : min(step - c->first, c->count);

	return SVG_LEFT + (int64_t)at * (SVG_RIGHT - SVG_LEFT) / c->count;
}

static int64_t svg_y(const struct svg_panel *panel, u64 bytes)
{
	return panel->bottom - (int64_t)((__uint128_t)min(bytes, panel->scale_bytes) *
					 (panel->bottom - panel->top) / panel->scale_bytes);
}

static bool svg_is_dram(const struct svg_chart *c, u32 tensor)
{
	return c->tensors[tensor].region == DRM_LOOM_REGION_DRAM;
}

static const struct svg_panel *svg_panel_of(const struct svg_chart *c, u32 tensor)
{
	return svg_is_dram(c, tensor) ? &c->dram : &c->sram;
}

static struct svg_box svg_tensor_box(const struct svg_chart *c, u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &c->tensors[index];
	const struct svg_panel *panel = svg_panel_of(c, index);
	u64 at = tensor->offset + (svg_is_dram(c, index) ? c->slot_base[tensor->slot] : 0);
	struct svg_box box = {
		.x = svg_x(c, tensor->first_step),
		.y = svg_y(panel, at + tensor->size),
	};

	box.width = svg_x(c, tensor->last_step + 1) - box.x;
	box.height = svg_y(panel, at) - box.y;
	/* something of it has to be seen */
	box.width = max(box.width, (int64_t)PX / 5);
	box.height = max(box.height, (int64_t)PX / 4);
	return box;
}

/* --- what is drawn ---------------------------------------------------------------------- */

static bool svg_is_there(const struct svg_chart *c, u32 tensor)
{
	const struct drm_loom_plan_tensor *t = &c->tensors[tensor];

	return t->first_step <= t->last_step && t->last_step >= c->first &&
	       t->first_step < c->first + c->count;
}

/**
 * struct svg_size - how much of the picture a tensor takes
 * @area: steps times bytes
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

static int svg_choose(struct svg_chart *c)
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
				.area = (double)t->size * (t->last_step - t->first_step + 1),
				.tensor = i,
			};
	}
	qsort(sizes, c->num_there, sizeof(*sizes), svg_compare_sizes);
	c->num_shown = min(c->num_there, SVG_MOST);
	for (i = 0; i < c->num_shown; i++)
		c->shown[sizes[i].tensor] = true;
	free(sizes);
	return 0;
}

static u64 svg_capacity(const struct svg_chart *c)
{
	const struct loom_region_topology *sram = &c->topology->region[DRM_LOOM_REGION_SRAM];

	return sram->bank_bytes - sram->reserved_bytes;
}

/* Slots lie one over the other; SRAM as high as is used, or to the end if that is near. */
static void svg_set_scales(struct svg_chart *c)
{
	const struct loom_program_stats *stats = &c->program->stats;
	u64 at = 0;
	size_t i;
	u32 k;

	for (i = ARRAY_SIZE(svg_slots); i-- > 0;) {
		for (k = 0; k < c->program->num_slots; k++) {
			if (c->program->slots[k].kind != svg_slots[i].kind)
				continue;
			c->slot_base[k] = at;
			at += c->program->slots[k].size_bytes;
		}
	}
	c->dram = (struct svg_panel){ SVG_DRAM_TOP, SVG_DRAM_BOTTOM, at ? at : 1 };
	at = stats->scratch_bytes > svg_capacity(c) / 2 ? svg_capacity(c) : stats->scratch_bytes;
	c->sram = (struct svg_panel){ SVG_SRAM_TOP, SVG_SRAM_BOTTOM, at ? at : 1 };
}

/* --- pieces ------------------------------------------------------------------------------ */

static void svg_line(const struct svg_chart *c, const char *class, int64_t x1, int64_t y1,
		     int64_t x2, int64_t y2)
{
	fprintf(c->out, "<path class=\"%s\" d=\"M", class);
	loom_svg_length(c->out, x1);
	fputc(' ', c->out);
	loom_svg_length(c->out, y1);
	fputc('L', c->out);
	loom_svg_length(c->out, x2);
	fputc(' ', c->out);
	loom_svg_length(c->out, y2);
	fputs("\"/>\n", c->out);
}

static void svg_text(const struct svg_chart *c, const char *class, int64_t x, int64_t y,
		     const char *text)
{
	fprintf(c->out, "<text class=\"%s\"", class);
	loom_svg_attribute(c->out, "x", x);
	loom_svg_attribute(c->out, "y", y);
	fputc('>', c->out);
	loom_svg_escape(c->out, text, strlen(text));
	fputs("</text>\n", c->out);
}

/* Leaves the element open for a title. */
static void svg_rect(const struct svg_chart *c, const char *class, const char *fill,
		     const struct svg_box *box)
{
	fputs("<rect", c->out);
	if (*class)
		fprintf(c->out, " class=\"%s\"", class);
	if (fill)
		fprintf(c->out, " fill=\"%s\"", fill);
	loom_svg_attribute(c->out, "x", box->x);
	loom_svg_attribute(c->out, "y", box->y);
	loom_svg_attribute(c->out, "width", box->width);
	loom_svg_attribute(c->out, "height", box->height);
}

static void svg_close(const struct svg_chart *c)
{
	fputs("/>\n", c->out);
}

static void svg_frame(const struct svg_chart *c, int64_t top, int64_t bottom)
{
	const struct svg_box box = { SVG_LEFT, top, SVG_RIGHT - SVG_LEFT, bottom - top };

	svg_rect(c, "f", NULL, &box);
	svg_close(c);
}

/* With one decimal: "1.5 MiB". */
static const char *svg_bytes(char text[LOOM_SVG_BYTES], u64 bytes)
{
	static const char units[] = "KMGTPE";
	u64 tenths;
	u32 unit = 1;

	if (bytes < 1024) {
		snprintf(text, LOOM_SVG_BYTES, "%u B", (u32)bytes);
		return text;
	}
	while (unit < 6 && bytes >> 10 * (unit + 1))
		unit++;
	tenths = (u64)(((__uint128_t)bytes * 10 + (1ULL << (10 * unit - 1))) >> 10 * unit);
	snprintf(text, LOOM_SVG_BYTES, "%llu.%u %ciB", (unsigned long long)(tenths / 10),
		 (u32)(tenths % 10), units[unit - 1]);
	return text;
}

/* --- axes, words, keys -------------------------------------------------------------------- */

static void svg_address_axis(const struct svg_chart *c, const struct svg_panel *panel,
			     unsigned int most)
{
	const u64 step = loom_svg_step_bytes(panel->scale_bytes, most);
	char text[LOOM_SVG_BYTES];
	u64 at = 0;

	for (;;) {
		int64_t y = svg_y(panel, at);

		svg_line(c, "g", SVG_LEFT - 5 * PX, y, SVG_RIGHT, y);
		if (step % 1024)
			snprintf(text, sizeof(text), "%llu B", (unsigned long long)at);
		else
			loom_svg_bytes(text, at);
		svg_text(c, "a e", SVG_LEFT - 9 * PX, y + 4 * PX, at ? text : "0");
		if (panel->scale_bytes - at < step)
			break;
		at += step;
	}
}

static void svg_time_axis(const struct svg_chart *c)
{
	const u32 step = (u32)loom_svg_step(c->count, 16);
	u32 at = (c->first + step - 1) / step * step;
	char text[16];

	for (; at <= c->first + c->count; at += step) {
		int64_t x = svg_x(c, at);

		svg_line(c, "g", x, SVG_SRAM_BOTTOM, x, SVG_SRAM_BOTTOM + 5 * PX);
		svg_line(c, "g", x, SVG_DRAM_BOTTOM, x, SVG_DRAM_BOTTOM + 5 * PX);
		snprintf(text, sizeof(text), "%u", at);
		svg_text(c, "a m", x, SVG_SRAM_BOTTOM + 18 * PX, text);
		svg_text(c, "a m", x, SVG_DRAM_BOTTOM + 18 * PX, text);
	}
	svg_text(c, "a m", (SVG_LEFT + SVG_RIGHT) / 2, SVG_DRAM_BOTTOM + 40 * PX, "step");
}

static void svg_words(const struct svg_chart *c)
{
	const struct loom_region_topology *sram = &c->topology->region[DRM_LOOM_REGION_SRAM];
	const struct loom_program_stats *stats = &c->program->stats;
	char a[LOOM_SVG_BYTES], b[LOOM_SVG_BYTES], e[LOOM_SVG_BYTES], f[LOOM_SVG_BYTES];
	char text[400], part[64] = "";

	if (c->options->title)
		svg_text(c, "t", SVG_LEFT, 28 * PX, c->options->title);
	snprintf(text, sizeof(text),
		 "%llu nodes in %u groups, %llu steps, %llu thousand cycles; DRAM %s read, %s written; %s: %u lanes of %s SRAM, %s of each alive at once",
		 (unsigned long long)stats->nodes, c->program->num_groups,
		 (unsigned long long)stats->steps, (unsigned long long)(stats->cycles / 1000),
		 svg_bytes(a, stats->dram_read_bytes),
		 svg_bytes(b, stats->dram_write_bytes), c->topology->name, sram->banks,
		 svg_bytes(e, svg_capacity(c)), svg_bytes(f, stats->sram_peak_bytes));
	svg_text(c, "s", SVG_LEFT, 50 * PX, text);
	if (c->num_shown < c->num_there)
		snprintf(part, sizeof(part), "the largest %u of %u tensors; ", c->num_shown,
			 c->num_there);
	if (sram->sub_banks > 1)
		snprintf(text, sizeof(text),
			 "%s%u conflict sub-banks (dotted): both streams are in one of them in %llu steps (red)",
			 part, sram->sub_banks, (unsigned long long)stats->conflict_steps);
	else
		snprintf(text, sizeof(text), "%sno conflict sub-banks", part);
	svg_text(c, "s", SVG_LEFT, 69 * PX, text);
}

static void svg_keys(const struct svg_chart *c)
{
	struct svg_box box = { SVG_LEFT, 84 * PX, 22 * PX, 11 * PX };
	bool used[LOOM_LABELS] = { false };
	u32 i;

	for (i = 0; i < c->num_tensors; i++)
		if (c->shown[i])
			used[c->program->labels[i].kind] = true;
	fputs("<g class=\"r\">\n", c->out);
	for (i = LOOM_LABEL_ROWS; i < LOOM_LABELS; i++) {
		if (!used[i])
			continue;
		svg_rect(c, "", svg_kinds[i].colour, &box);
		svg_close(c);
		svg_text(c, "a", box.x + 28 * PX, box.y + 10 * PX, svg_kinds[i].text);
		box.x += (52 + (int64_t)strlen(svg_kinds[i].text) * 32 / 5) * PX;
	}
	fputs("</g>\n", c->out);
}

/* --- groups ------------------------------------------------------------------------------ */

static bool svg_group_is_there(const struct svg_chart *c, const struct loom_program_group *group)
{
	return group->first_step < c->first + c->count &&
	       group->first_step + group->num_steps > c->first;
}

/* As much of what there is to say as fits. */
static void svg_group_label(const struct svg_chart *c, u32 index, const struct svg_box *box)
{
	const struct loom_program_group *group = &c->program->groups[index];
	const struct loom_program_node *node = &c->program->nodes[group->first_node];
	u32 nodes = group->last_node - group->first_node + 1, i;
	struct loom_svg_label label;
	char texts[4][96];

	if (group->grouped)
		snprintf(texts[0], sizeof(texts[0]), "group %u: %u nodes, %u slice%s", index + 1,
			 nodes, group->slices, group->slices == 1 ? "" : "s");
	else
		snprintf(texts[0], sizeof(texts[0]), "%u: %s alone, %u slice%s", index + 1,
			 node->op ? node->op : "", group->slices, group->slices == 1 ? "" : "s");
	snprintf(texts[1], sizeof(texts[1]), "%u: %u in %u", index + 1, nodes, group->slices);
	snprintf(texts[2], sizeof(texts[2]), "%u", index + 1);
	for (i = 0; i < 3; i++) {
		if (!loom_svg_label_fit(&label, texts[i], box->width, box->height * 4 / 5) ||
		    label.cut || label.text != texts[i])
			continue;
		loom_svg_label_put(c->out, &label, "m", box->x + box->width / 2,
				   box->y + box->height / 2, false);
		return;
	}
}

static void svg_group_title(const struct svg_chart *c, u32 index)
{
	const struct loom_program_group *group = &c->program->groups[index];
	const char *first = c->program->nodes[group->first_node].name;
	const char *last = c->program->nodes[group->last_node].name;
	char a[LOOM_SVG_BYTES], b[LOOM_SVG_BYTES], e[LOOM_SVG_BYTES];

	fprintf(c->out, "><title>group %u: nodes %u to %u, ", index + 1, group->first_node,
		group->last_node);
	loom_svg_escape(c->out, first ? first : "", first ? strlen(first) : 0);
	fputs(" to ", c->out);
	loom_svg_escape(c->out, last ? last : "", last ? strlen(last) : 0);
	fprintf(c->out,
		"; steps %u to %u, %u slices; DRAM %s read, %s written; weights %s</title></rect>\n",
		group->first_step, group->first_step + group->num_steps - 1, group->slices,
		svg_bytes(a, group->dram_read_bytes),
		svg_bytes(b, group->dram_write_bytes),
		svg_bytes(e, group->weights_bytes));
}

/* Under everything else: every second group is shaded. */
static void svg_bands(const struct svg_chart *c)
{
	const int64_t edges[][2] = {
		{ SVG_DMA_TOP, SVG_DMA_BOTTOM }, { SVG_WORK_TOP, SVG_WORK_BOTTOM },
		{ SVG_SRAM_TOP, SVG_SRAM_BOTTOM }, { SVG_DRAM_TOP, SVG_DRAM_BOTTOM },
	};
	u32 i, k;

	for (i = 1; i < c->program->num_groups; i += 2) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t x = svg_x(c, group->first_step);
		int64_t end = svg_x(c, group->first_step + group->num_steps);

		if (!svg_group_is_there(c, group))
			continue;
		for (k = 0; k < ARRAY_SIZE(edges); k++) {
			const struct svg_box box = { x, edges[k][0], end - x,
						     edges[k][1] - edges[k][0] };

			svg_rect(c, "o", NULL, &box);
			svg_close(c);
		}
	}
}

static void svg_groups(const struct svg_chart *c)
{
	struct svg_box box = { .y = SVG_HEAD_TOP, .height = SVG_HEAD_BOTTOM - SVG_HEAD_TOP };
	u32 i;

	fputs("<g id=\"groups\">\n", c->out);
	for (i = 0; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];

		if (!svg_group_is_there(c, group))
			continue;
		box.x = svg_x(c, group->first_step);
		box.width = svg_x(c, group->first_step + group->num_steps) - box.x;
		svg_rect(c, group->grouped ? "j" : "q", NULL, &box);
		svg_group_title(c, i);
		svg_group_label(c, i, &box);
	}
	fputs("</g>\n", c->out);
	/* where groups are wide enough to tell apart, lines keep them so all the way down */
	for (i = 1; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t x = svg_x(c, group->first_step);

		if (!svg_group_is_there(c, group) || c->program->num_groups > 60)
			continue;
		svg_line(c, "v", x, SVG_HEAD_BOTTOM, x, SVG_WORK_BOTTOM);
		svg_line(c, "v", x, SVG_SRAM_TOP, x, SVG_SRAM_BOTTOM);
		svg_line(c, "v", x, SVG_DRAM_TOP, x, SVG_DRAM_BOTTOM);
	}
}

/* Where slices begin: short lines under the groups. */
static void svg_slices(const struct svg_chart *c)
{
	u32 *begins = calloc((size_t)c->num_steps + 1, sizeof(*begins)), i, slice = 0;

	if (!begins)
		return;
	/* by step: the highest slice that begins there, plus one */
	for (i = 0; i < c->num_tensors; i++)
		if (c->tensors[i].first_step < c->num_steps && !svg_is_dram(c, i))
			begins[c->tensors[i].first_step] =
				max(begins[c->tensors[i].first_step],
				    c->program->labels[i].slice + 1);
	for (i = 0; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t wide = svg_x(c, group->first_step + group->num_steps) -
			       svg_x(c, group->first_step);
		u32 at;

		if (!svg_group_is_there(c, group) || wide < 3 * PX * group->slices)
			continue;
		slice = 1;
		for (at = group->first_step; at < group->first_step + group->num_steps; at++) {
			if (begins[at] <= slice)
				continue;
			slice = begins[at];
			svg_line(c, "z", svg_x(c, at), SVG_HEAD_BOTTOM - 5 * PX, svg_x(c, at),
				 SVG_HEAD_BOTTOM);
		}
	}
	free(begins);
}

/* --- streams ----------------------------------------------------------------------------- */

static u64 svg_stream(const struct loom_step_cost *cost, bool compute)
{
	return compute ? cost->compute_cycles : cost->dma_cycles;
}

/* How much of the time a stream works: of each step, or of those that share a column. */
static void svg_busy(const struct svg_chart *c, const char *class, bool compute, int64_t top,
		     int64_t bottom)
{
	u32 columns = min(c->count, (u32)((SVG_RIGHT - SVG_LEFT) / PX)), i, k, end;
	int64_t last = bottom, y;

	fprintf(c->out, "<path class=\"%s\" d=\"M", class);
	loom_svg_length(c->out, SVG_LEFT);
	fputc(' ', c->out);
	loom_svg_length(c->out, bottom);
	for (i = 0, k = 0; i <= columns; i++) {
		u64 busy = 0, all = 0;

		end = (u32)((u64)(i + 1) * c->count / columns);
		for (; k < end && i < columns; k++) {
			busy += svg_stream(&c->costs[c->first + k], compute);
			all += loom_step_cycles(&c->costs[c->first + k]);
		}
		y = bottom - (all ? (int64_t)((__uint128_t)busy * (u64)(bottom - top) / all) : 0);
		if (y == last && i < columns)
			continue;
		fputc('H', c->out);
		loom_svg_length(c->out, SVG_LEFT +
				(int64_t)i * (SVG_RIGHT - SVG_LEFT) / columns);
		fputc('V', c->out);
		loom_svg_length(c->out, y);
		last = y;
	}
	fputs("Z\"/>\n", c->out);
}

/* Steps in which both streams are in one sub-bank. */
static void svg_conflicts(const struct svg_chart *c)
{
	u32 i, from = 0;
	bool on = false;

	for (i = c->first; i <= c->first + c->count; i++) {
		bool now = i < c->first + c->count &&
			   c->costs[i].dma_banks & c->costs[i].compute_banks;
		struct svg_box box = {
			.y = SVG_BOTH_TOP, .height = SVG_BOTH_BOTTOM - SVG_BOTH_TOP,
		};

		if (now == on)
			continue;
		if (on) {
			box.x = svg_x(c, from);
			box.width = svg_x(c, i) - box.x;
			svg_rect(c, "x", NULL, &box);
			svg_close(c);
		}
		from = i;
		on = now;
	}
}

static void svg_row_name(const struct svg_chart *c, int64_t top, int64_t bottom, const char *text)
{
	svg_text(c, "a e", SVG_LEFT - 9 * PX, (top + bottom) / 2 + 4 * PX, text);
}

static void svg_streams(const struct svg_chart *c)
{
	const int64_t x = SVG_RIGHT + 8 * PX, y = (SVG_DMA_TOP + SVG_DMA_BOTTOM) / 2;

	svg_row_name(c, SVG_HEAD_TOP, SVG_HEAD_BOTTOM, "groups");
	svg_row_name(c, SVG_DMA_TOP, SVG_DMA_BOTTOM, "DMA");
	svg_row_name(c, SVG_WORK_TOP, SVG_WORK_BOTTOM, "compute");
	svg_busy(c, "d", false, SVG_DMA_TOP, SVG_DMA_BOTTOM);
	svg_busy(c, "w", true, SVG_WORK_TOP, SVG_WORK_BOTTOM);
	svg_text(c, "a", x, y, "share of each");
	svg_text(c, "a", x, y + 15 * PX, "step that the");
	svg_text(c, "a", x, y + 30 * PX, "stream works");
	svg_conflicts(c);
}

/* --- tensors ----------------------------------------------------------------------------- */

static const char *svg_colour(const struct svg_chart *c, u32 tensor)
{
	enum loom_slot_kind kind;
	size_t i;

	if (!svg_is_dram(c, tensor))
		return svg_kinds[c->program->labels[tensor].kind].colour;
	kind = c->program->slots[c->tensors[tensor].slot].kind;
	for (i = 0; i + 1 < ARRAY_SIZE(svg_slots); i++)
		if (svg_slots[i].kind == kind)
			break;
	return svg_slots[i].colour;
}

static void svg_tensor_title(const struct svg_chart *c, u32 index)
{
	const struct loom_program_label *label = &c->program->labels[index];
	const struct drm_loom_plan_tensor *tensor = &c->tensors[index];
	char text[LOOM_SVG_BYTES];

	fputs("><title>", c->out);
	loom_svg_escape(c->out, label->name, strlen(label->name));
	if (!svg_is_dram(c, index))
		fprintf(c->out, ", %s, slice %u", svg_kinds[label->kind].text, label->slice);
	fprintf(c->out, ": %s at %llu, steps %u to %u</title></rect>\n",
		loom_svg_bytes(text, tensor->size), (unsigned long long)tensor->offset,
		tensor->first_step, tensor->last_step);
}

static void svg_tensors(const struct svg_chart *c, bool dram)
{
	struct svg_box box;
	u32 i;

	fprintf(c->out, "<g class=\"r\" id=\"%s\">\n", dram ? "dram" : "sram");
	for (i = 0; i < c->num_tensors; i++) {
		if (!c->shown[i] || svg_is_dram(c, i) != dram)
			continue;
		box = svg_tensor_box(c, i);
		/* where all is thin, outlines would be all there is to see */
		svg_rect(c, box.height < 3 * PX || box.width < 3 * PX ? "h" : "",
			 svg_colour(c, i), &box);
		svg_tensor_title(c, i);
	}
	fputs("</g>\n", c->out);
}

static void svg_names(const struct svg_chart *c)
{
	struct loom_svg_label flat, upright;
	struct svg_box box;
	u32 i;

	for (i = 0; i < c->num_tensors; i++) {
		const char *name = c->program->labels[i].name;
		bool fits;

		if (!c->shown[i])
			continue;
		box = svg_tensor_box(c, i);
		fits = loom_svg_label_fit(&flat, name, box.width, box.height);
		if (box.height > 2 * box.width && (!fits || flat.cut) &&
		    loom_svg_label_fit(&upright, name, box.height, box.width) &&
		    (!fits || !upright.cut))
			loom_svg_label_put(c->out, &upright, "m", box.x + box.width / 2,
					   box.y + box.height / 2, true);
		else if (fits)
			loom_svg_label_put(c->out, &flat, "m", box.x + box.width / 2,
					   box.y + box.height / 2, false);
	}
}

/* Names of the slots at the right, where there is room, and lines between them. */
static void svg_slot_names(const struct svg_chart *c)
{
	int64_t last = SVG_DRAM_BOTTOM + 12 * PX, y, middle;
	char text[64], size[LOOM_SVG_BYTES];
	size_t i;
	u32 k;

	for (i = ARRAY_SIZE(svg_slots); i-- > 0;) {
		for (k = 0; k < c->program->num_slots; k++) {
			const struct loom_program_slot *slot = &c->program->slots[k];

			if (slot->kind != svg_slots[i].kind)
				continue;
			y = svg_y(&c->dram, c->slot_base[k] + slot->size_bytes);
			middle = (svg_y(&c->dram, c->slot_base[k]) + y) / 2 + 4 * PX;
			svg_line(c, "z", SVG_LEFT, y, SVG_RIGHT + 4 * PX, y);
			if (middle > last - 13 * PX)
				continue;
			snprintf(text, sizeof(text), "%s %s", svg_slots[i].text,
				 svg_bytes(size, slot->size_bytes));
			svg_text(c, "a", SVG_RIGHT + 8 * PX, middle, text);
			last = middle;
		}
	}
}

static void svg_sub_banks(const struct svg_chart *c)
{
	const struct loom_region_topology *sram = &c->topology->region[DRM_LOOM_REGION_SRAM];
	u64 size = sram->bank_bytes / max(sram->sub_banks, 1U);
	u32 i;

	for (i = 1; i < sram->sub_banks; i++) {
		u64 at = i * size;
		int64_t y;

		if (at <= sram->reserved_bytes || at - sram->reserved_bytes >= c->sram.scale_bytes)
			continue;
		y = svg_y(&c->sram, at - sram->reserved_bytes);
		svg_line(c, "b", SVG_LEFT, y, SVG_RIGHT, y);
	}
	if (svg_capacity(c) <= c->sram.scale_bytes)
		svg_line(c, "c", SVG_LEFT, SVG_SRAM_TOP, SVG_RIGHT, SVG_SRAM_TOP);
	svg_text(c, "a", SVG_RIGHT + 8 * PX, SVG_SRAM_TOP + 10 * PX, "SRAM, the same");
	svg_text(c, "a", SVG_RIGHT + 8 * PX, SVG_SRAM_TOP + 25 * PX, "in each lane");
}

static void svg_draw(const struct svg_chart *c)
{
	size_t i;

	fprintf(c->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		SVG_WIDTH / PX, SVG_HEIGHT / PX, SVG_WIDTH / PX, SVG_HEIGHT / PX);
	fputs("<style>\n", c->out);
	for (i = 0; i < ARRAY_SIZE(svg_style); i++)
		fprintf(c->out, "%s\n", svg_style[i]);
	fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", c->out);
	svg_words(c);
	svg_keys(c);
	svg_bands(c);
	svg_address_axis(c, &c->sram, 9);
	svg_address_axis(c, &c->dram, 7);
	svg_time_axis(c);
	svg_streams(c);
	svg_tensors(c, false);
	svg_tensors(c, true);
	svg_groups(c);
	svg_slices(c);
	svg_sub_banks(c);
	svg_slot_names(c);
	svg_names(c);
	svg_frame(c, SVG_DMA_TOP, SVG_DMA_BOTTOM);
	svg_frame(c, SVG_WORK_TOP, SVG_WORK_BOTTOM);
	svg_frame(c, SVG_SRAM_TOP, SVG_SRAM_BOTTOM);
	svg_frame(c, SVG_DRAM_TOP, SVG_DRAM_BOTTOM);
	fputs("</svg>\n", c->out);
}

static int svg_open(struct svg_chart *c)
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
	ret = loom_plan_cost(c->program, c->topology, &c->costs);
	if (!ret)
		ret = svg_choose(c);
	if (!ret)
		svg_set_scales(c);
	return ret;
}

int loom_program_svg(const struct loom_program *program, const struct loom_topology *topology,
		     const struct loom_program_svg_options *options, char **text,
		     size_t *size_bytes)
{
	static const struct loom_program_svg_options defaults;
	struct svg_chart chart = {
		.program = program,
		.topology = topology,
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
	free(chart.costs);
	free(chart.shown);
	errno = saved;
	return ret;
}
