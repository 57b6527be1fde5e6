// SPDX-License-Identifier: MIT
/* How much of each step the two streams work, and when they share a conflict sub-bank. */
#include "svg.h"

#include <stdio.h>

static u64 svg_stream(const struct loom_step_cost *cost, bool compute)
{
	return compute ? cost->compute_cycles : cost->dma_cycles;
}

/* How much of the time a stream works: of each step, or of those that share a column. */
static void svg_busy(const struct plan_svg *c, const char *class, bool compute, int64_t top,
		     int64_t bottom)
{
	u32 columns = min(c->count, (u32)((SVG_RIGHT - SVG_LEFT) / PX)), i, k, end;
	int64_t last = bottom, y;

	fprintf(c->out, "<path class=\"%s\" d=\"M", class);
	loom_draw_length(c->out, SVG_LEFT);
	fputc(' ', c->out);
	loom_draw_length(c->out, bottom);
	for (i = 0, k = 0; i <= columns; i++) {
		u64 busy = 0, all = 0;

		end = (u32)((u64)(i + 1) * c->count / columns);
		for (; k < end && i < columns; k++) {
			busy += svg_stream(&c->costs[c->first + k], compute);
			all += c->costs[c->first + k].cycles;
		}
		y = bottom - (all ? (int64_t)((__uint128_t)busy * (u64)(bottom - top) / all) : 0);
		if (y == last && i < columns)
			continue;
		fputc('H', c->out);
		loom_draw_length(c->out, SVG_LEFT +
				 (int64_t)i * (SVG_RIGHT - SVG_LEFT) / columns);
		fputc('V', c->out);
		loom_draw_length(c->out, y);
		last = y;
	}
	fputs("Z\"/>\n", c->out);
}

/* Steps in which both streams are in one sub-bank. */
static void svg_conflicts(const struct plan_svg *c)
{
	u32 i, from = 0;
	bool on = false;

	for (i = c->first; i <= c->first + c->count; i++) {
		bool now = i < c->first + c->count &&
			   c->costs[i].dma_banks & c->costs[i].compute_banks;
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

void plan_svg_streams(const struct plan_svg *c)
{
	const int64_t x = SVG_RIGHT + 8 * PX, y = (SVG_DMA_TOP + SVG_DMA_BOTTOM) / 2;

	svg_row_name(c, SVG_HEAD_TOP, SVG_HEAD_BOTTOM, "groups");
	svg_row_name(c, SVG_DMA_TOP, SVG_DMA_BOTTOM, "DMA");
	svg_row_name(c, SVG_WORK_TOP, SVG_WORK_BOTTOM, "compute");
	svg_busy(c, "d", false, SVG_DMA_TOP, SVG_DMA_BOTTOM);
	svg_busy(c, "w", true, SVG_WORK_TOP, SVG_WORK_BOTTOM);
	loom_draw_text(c->out, "a", x, y, "share of each");
	loom_draw_text(c->out, "a", x, y + 15 * PX, "step that the");
	loom_draw_text(c->out, "a", x, y + 30 * PX, "stream works");
	svg_conflicts(c);
}
