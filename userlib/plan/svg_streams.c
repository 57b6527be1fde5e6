// SPDX-License-Identifier: MIT
/* Activity of the two streams and its nodes, and steps in which they share a conflict sub-bank. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

/* Steps are drawn one by one from this width on, thinner ones together. */
#define CELL_WIDTH	(PX / 2)

/* Names of nodes that the title of a step lists. */
#define TITLE_NODES	3U

/**
 * struct svg_row - the row of a stream
 * @stream: the stream
 * @top: its upper edge
 * @bottom: its lower edge
 * @classes: two colours, for alternating nodes
 */
struct svg_row {
	enum loom_stream stream;
	int64_t top;
	int64_t bottom;
	const char *classes[2];
};

static const struct svg_row svg_rows[] = {
	{ LOOM_STREAM_DMA, SVG_DMA_TOP, SVG_DMA_BOTTOM, { "d", "D" } },
	{ LOOM_STREAM_COMPUTE, SVG_WORK_TOP, SVG_WORK_BOTTOM, { "w", "W" } },
};

static void svg_write(const struct plan_svg *c, const char *text)
{
	if (text)
		loom_draw_escape(c->out, text, strlen(text));
}

/* Writes the nodes of a step's stream: "Conv 'a', Relu 'b' and more". */
static void svg_step_nodes(const struct plan_svg *c, const struct svg_row *row, u32 step)
{
	u32 count, first = loom_timeline_commands(&c->time, step, row->stream, &count), i;
	u32 last = LOOM_NODE_NONE, known = 0;

	for (i = first; i < first + count; i++) {
		u32 node = c->program->command_nodes[i];

		if (node == LOOM_NODE_NONE || node == last)
			continue;
		last = node;
		if (known++ == TITLE_NODES) {
			fputs(" and more", c->out);
			return;
		}
		fputs(known == 1 ? ": " : ", ", c->out);
		svg_write(c, c->program->nodes[node].op);
		fputs(" '", c->out);
		svg_write(c, c->program->nodes[node].name);
		fputc('\'', c->out);
	}
}

/* Draws a step, as wide as the activity of its stream. */
static void svg_step(const struct plan_svg *c, const struct svg_row *row, u32 step)
{
	const u64 start = loom_timeline_start(&c->time, step, row->stream);
	const u64 busy = loom_timeline_busy(&c->time, step, row->stream);
	const u32 node = loom_timeline_node(&c->time, step, row->stream);
	struct loom_draw_box box = {
		.x = plan_svg_at(c, start), .y = row->top, .height = row->bottom - row->top,
	};

	if (!busy)
		return;
	box.width = max(plan_svg_at(c, start + busy) - box.x, (int64_t)PX / 5);
	loom_draw_rect(c->out, row->classes[node == LOOM_NODE_NONE ? 0 : node & 1], NULL, &box);
	fprintf(c->out, "><title>step %u, %llu of %llu cycles", step, (unsigned long long)busy,
		(unsigned long long)(c->time.begin[step + 1] - c->time.begin[step]));
	svg_step_nodes(c, row, step);
	fputs("</title></rect>\n", c->out);
}

/* Merges thin steps into one cell, whose height is the share of time in which the stream works. */
static void svg_cell(const struct plan_svg *c, const struct svg_row *row, u32 first, u32 end)
{
	const u64 all = c->time.begin[end] - c->time.begin[first];
	struct loom_draw_box box = { .x = plan_svg_x(c, first) };
	u64 busy = 0;
	u32 i;

	for (i = first; i < end; i++)
		busy += loom_timeline_busy(&c->time, i, row->stream);
	if (!busy)
		return;
	box.width = max(plan_svg_x(c, end) - box.x, (int64_t)PX / 5);
	box.height = (int64_t)((__uint128_t)busy * (u64)(row->bottom - row->top) / all);
	box.y = row->bottom - box.height;
	loom_draw_rect(c->out, row->classes[0], NULL, &box);
	fprintf(c->out, "><title>steps %u to %u, %llu of %llu cycles</title></rect>\n", first,
		end - 1, (unsigned long long)busy, (unsigned long long)all);
}

static void svg_row_steps(const struct plan_svg *c, const struct svg_row *row)
{
	const u32 end = min(c->first + c->count, c->num_steps);
	u32 i, from;

	for (i = c->first; i < end;) {
		from = i++;
		while (i < end && plan_svg_x(c, i) - plan_svg_x(c, from) < CELL_WIDTH)
			i++;
		/* a long step ends a run of thin ones, and is not part of it */
		if (i - from > 1 && plan_svg_x(c, i) - plan_svg_x(c, i - 1) >= CELL_WIDTH)
			i--;
		if (i - from == 1)
			svg_step(c, row, from);
		else
			svg_cell(c, row, from, i);
	}
}

/* The longest of "Conv name", "name" or its end, "Conv" that fits; upright if that is more. */
static void svg_node_name(const struct plan_svg *c, const struct svg_row *row, u32 index,
			  const char *class, int64_t left, int64_t right)
{
	const struct loom_program_node *node = &c->program->nodes[index];
	const int64_t width = right - left, height = row->bottom - row->top;
	const char *texts[3] = { NULL, node->name, node->op };
	struct loom_draw_label label;
	char both[160];
	u32 i, upright;

	snprintf(both, sizeof(both), "%s %s", node->op ? node->op : "",
		 node->name ? node->name : "");
	texts[0] = both;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		for (upright = 0; upright < 2; upright++) {
			if (!texts[i] || !texts[i][0] ||
			    !loom_draw_label_fit(&label, texts[i], upright ? height : width,
						 upright ? width : height) ||
			    label.cut || (i != 1 && label.text != texts[i]))
				continue;
			loom_draw_label_put(c->out, &label, class, (left + right) / 2,
					    (row->top + row->bottom) / 2, upright);
			return;
		}
	}
}

static u64 svg_start(const struct plan_svg *c, const struct svg_row *row, u32 step)
{
	return loom_timeline_start(&c->time, step, row->stream);
}

static int64_t svg_busy_end(const struct plan_svg *c, const struct svg_row *row, u32 step)
{
	const u64 start = loom_timeline_start(&c->time, step, row->stream);

	return plan_svg_at(c, start + loom_timeline_busy(&c->time, step, row->stream));
}

/* Cycles from the begin of a stream's work in step @first to its end in step @last. */
static u64 svg_span(const struct plan_svg *c, const struct svg_row *row, u32 first, u32 last)
{
	return loom_timeline_start(&c->time, last, row->stream) +
	       loom_timeline_busy(&c->time, last, row->stream) -
	       loom_timeline_start(&c->time, first, row->stream);
}

/* Consecutive steps of one node, without a visible pause, share one name. */
static void svg_row_names(const struct plan_svg *c, const struct svg_row *row)
{
	const u32 end = min(c->first + c->count, c->num_steps);
	u32 i, from, node;
	u64 busy;

	for (i = c->first; i < end;) {
		from = i;
		busy = loom_timeline_busy(&c->time, i, row->stream);
		node = loom_timeline_node(&c->time, i++, row->stream);
		while (i < end && loom_timeline_node(&c->time, i, row->stream) == node &&
		       plan_svg_x(c, i) - svg_busy_end(c, row, i - 1) < PX)
			busy += loom_timeline_busy(&c->time, i++, row->stream);
		/* white letters are readable on a filled cell only */
		if (node != LOOM_NODE_NONE)
			svg_node_name(c, row, node,
				      busy > svg_span(c, row, from, i - 1) / 10 * 9 ? "k" : "K",
				      plan_svg_at(c, svg_start(c, row, from)),
				      svg_busy_end(c, row, i - 1));
	}
}

/* Marks steps in which both streams use one sub-bank. */
static void svg_conflicts(const struct plan_svg *c)
{
	u32 i, from = 0;
	bool on = false;

	for (i = c->first; i <= c->first + c->count; i++) {
		bool now = i < c->first + c->count &&
			   c->time.costs[i].dma_banks & c->time.costs[i].compute_banks;
		struct loom_draw_box box = {
			.y = SVG_BOTH_TOP, .height = SVG_BOTH_BOTTOM - SVG_BOTH_TOP,
		};

		if (now == on)
			continue;
		if (on) {
			box.x = plan_svg_x(c, from);
			box.width = plan_svg_x(c, i) - box.x;
			loom_draw_rect(c->out, "x", NULL, &box);
			plan_svg_close(c);
		}
		from = i;
		on = now;
	}
}

static void svg_row_name(const struct plan_svg *c, int64_t top, int64_t bottom, const char *text)
{
	loom_draw_text(c->out, "a e", SVG_LEFT - 9 * PX, (top + bottom) / 2 + 4 * PX, text);
}

/* Writes, at the right, the share of the time in which the stream works. */
static void svg_share(const struct plan_svg *c, const struct svg_row *row)
{
	const u32 end = min(c->first + c->count, c->num_steps);
	u64 busy = 0, tenths;
	char text[64];
	u32 i;

	for (i = c->first; i < end; i++)
		busy += loom_timeline_busy(&c->time, i, row->stream);
	tenths = (u64)((__uint128_t)busy * 1000 / c->cycles);
	snprintf(text, sizeof(text), "works %llu.%llu %%", (unsigned long long)(tenths / 10),
		 (unsigned long long)(tenths % 10));
	loom_draw_text(c->out, "a", SVG_RIGHT + 8 * PX, (row->top + row->bottom) / 2 + 4 * PX,
		       text);
}

void plan_svg_streams(const struct plan_svg *c)
{
	static const char *const names[] = { "DMA", "compute" };
	u32 i;

	svg_row_name(c, SVG_HEAD_TOP, SVG_HEAD_BOTTOM, "groups");
	for (i = 0; i < ARRAY_SIZE(svg_rows); i++) {
		const struct svg_row *row = &svg_rows[i];

		svg_row_name(c, row->top, row->bottom, names[row->stream]);
		svg_share(c, row);
		fprintf(c->out, "<g id=\"%s\">\n", names[row->stream]);
		svg_row_steps(c, row);
		fputs("</g>\n", c->out);
		svg_row_names(c, row);
	}
	svg_conflicts(c);
}
