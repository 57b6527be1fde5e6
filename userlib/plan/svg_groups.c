// SPDX-License-Identifier: MIT
/* The row of groups, the bands and lines below it, and the begin of slices. */
#include "svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool svg_group_is_there(const struct plan_svg *c, const struct loom_program_group *group)
{
	return group->first_step < c->first + c->count &&
	       group->first_step + group->num_steps > c->first;
}

/* The longest of three texts that fits. */
static void svg_group_label(const struct plan_svg *c, u32 index, const struct loom_draw_box *box)
{
	const struct loom_program_group *group = &c->program->groups[index];
	const struct loom_program_node *node = &c->program->nodes[group->first_node];
	u32 nodes = group->last_node - group->first_node + 1, i;
	struct loom_draw_label label;
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
		if (!loom_draw_label_fit(&label, texts[i], box->width, box->height * 4 / 5) ||
		    label.cut || label.text != texts[i])
			continue;
		loom_draw_label_put(c->out, &label, "m", box->x + box->width / 2,
				    box->y + box->height / 2, false);
		return;
	}
}

static void svg_group_title(const struct plan_svg *c, u32 index)
{
	const struct loom_program_group *group = &c->program->groups[index];
	const char *first = c->program->nodes[group->first_node].name;
	const char *last = c->program->nodes[group->last_node].name;
	char a[LOOM_DRAW_BYTES], b[LOOM_DRAW_BYTES], e[LOOM_DRAW_BYTES];

	fprintf(c->out, "><title>group %u: nodes %u to %u, ", index + 1, group->first_node,
		group->last_node);
	loom_draw_escape(c->out, first ? first : "", first ? strlen(first) : 0);
	fputs(" to ", c->out);
	loom_draw_escape(c->out, last ? last : "", last ? strlen(last) : 0);
	fprintf(c->out,
		"; steps %u to %u, %u slices; DRAM %s read, %s written; weights %s</title></rect>\n",
		group->first_step, group->first_step + group->num_steps - 1, group->slices,
		plan_svg_bytes(a, group->dram_read_bytes),
		plan_svg_bytes(b, group->dram_write_bytes),
		plan_svg_bytes(e, group->weights_bytes));
}

/* Shades every second group. Must be drawn first. */
void plan_svg_bands(const struct plan_svg *c)
{
	const int64_t edges[][2] = {
		{ SVG_DMA_TOP, SVG_DMA_BOTTOM }, { SVG_WORK_TOP, SVG_WORK_BOTTOM },
		{ SVG_SRAM_TOP, SVG_SRAM_BOTTOM }, { SVG_DRAM_TOP, SVG_DRAM_BOTTOM },
	};
	u32 i, k;

	for (i = 1; i < c->program->num_groups; i += 2) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t x = plan_svg_x(c, group->first_step);
		int64_t end = plan_svg_x(c, group->first_step + group->num_steps);

		if (!svg_group_is_there(c, group))
			continue;
		for (k = 0; k < ARRAY_SIZE(edges); k++) {
			const struct loom_draw_box box = { x, edges[k][0], end - x,
						     edges[k][1] - edges[k][0] };

			loom_draw_rect(c->out, "o", NULL, &box);
			plan_svg_close(c);
		}
	}
}

void plan_svg_groups(const struct plan_svg *c)
{
	struct loom_draw_box box = { .y = SVG_HEAD_TOP, .height = SVG_HEAD_BOTTOM - SVG_HEAD_TOP };
	u32 i;

	fputs("<g id=\"groups\">\n", c->out);
	for (i = 0; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];

		if (!svg_group_is_there(c, group))
			continue;
		box.x = plan_svg_x(c, group->first_step);
		box.width = plan_svg_x(c, group->first_step + group->num_steps) - box.x;
		loom_draw_rect(c->out, group->grouped ? "j" : "q", NULL, &box);
		svg_group_title(c, i);
		svg_group_label(c, i, &box);
	}
	fputs("</g>\n", c->out);
	/* between few groups, lines down through all panels */
	for (i = 1; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t x = plan_svg_x(c, group->first_step);

		if (!svg_group_is_there(c, group) || c->program->num_groups > 60)
			continue;
		plan_svg_line(c, "v", x, SVG_HEAD_BOTTOM, x, SVG_WORK_BOTTOM);
		plan_svg_line(c, "v", x, SVG_SRAM_TOP, x, SVG_SRAM_BOTTOM);
		plan_svg_line(c, "v", x, SVG_DRAM_TOP, x, SVG_DRAM_BOTTOM);
	}
}

/* Marks the begin of slices by short lines under the groups. */
void plan_svg_slices(const struct plan_svg *c)
{
	u32 *begins = calloc((size_t)c->num_steps + 1, sizeof(*begins)), slice = 0, i, k;

	if (!begins)
		return;
	/* by step: the highest slice computed there, plus one */
	for (i = 0; i < c->num_steps; i++) {
		u32 count, first = loom_timeline_commands(&c->time, i, LOOM_STREAM_COMPUTE, &count);

		for (k = first; k < first + count; k++) {
			u32 y = c->time.views[c->time.commands[k].first_view].tensor;

			if (!plan_svg_is_dram(c, y))
				begins[i] = max(begins[i], c->program->labels[y].slice + 1);
		}
	}
	for (i = 0; i < c->program->num_groups; i++) {
		const struct loom_program_group *group = &c->program->groups[i];
		int64_t wide = plan_svg_x(c, group->first_step + group->num_steps) -
			       plan_svg_x(c, group->first_step);
		int64_t x;
		u32 at;

		if (!svg_group_is_there(c, group) || wide < 3 * PX * group->slices)
			continue;
		slice = 1;
		for (at = group->first_step; at < group->first_step + group->num_steps; at++) {
			if (begins[at] <= slice)
				continue;
			slice = begins[at];
			x = plan_svg_x(c, at);
			plan_svg_line(c, "z", x, SVG_HEAD_BOTTOM - 5 * PX, x, SVG_HEAD_BOTTOM);
		}
	}
	free(begins);
}
