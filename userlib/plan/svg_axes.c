// SPDX-License-Identifier: MIT
/* Axes, scales, the lines of text above the picture and the key to its colours. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

int64_t plan_svg_x(const struct plan_svg *c, u32 step)
{
	u32 at = step < c->first ? 0 : min(step - c->first, c->count);

	return SVG_LEFT + (int64_t)at * (SVG_RIGHT - SVG_LEFT) / c->count;
}

int64_t plan_svg_y(const struct plan_svg_panel *panel, u64 bytes)
{
	return panel->bottom - (int64_t)((__uint128_t)min(bytes, panel->scale_bytes) *
					 (panel->bottom - panel->top) / panel->scale_bytes);
}

bool plan_svg_is_dram(const struct plan_svg *c, u32 tensor)
{
	return c->tensors[tensor].region == DRM_LOOM_REGION_DRAM;
}

void plan_svg_line(const struct plan_svg *c, const char *class, int64_t x1, int64_t y1,
		   int64_t x2, int64_t y2)
{
	fprintf(c->out, "<path class=\"%s\" d=\"M", class);
	loom_draw_length(c->out, x1);
	fputc(' ', c->out);
	loom_draw_length(c->out, y1);
	fputc('L', c->out);
	loom_draw_length(c->out, x2);
	fputc(' ', c->out);
	loom_draw_length(c->out, y2);
	fputs("\"/>\n", c->out);
}

void plan_svg_close(const struct plan_svg *c)
{
	fputs("/>\n", c->out);
}

void plan_svg_frame(const struct plan_svg *c, int64_t top, int64_t bottom)
{
	const struct loom_draw_box box = { SVG_LEFT, top, SVG_RIGHT - SVG_LEFT, bottom - top };

	loom_draw_rect(c->out, "f", NULL, &box);
	plan_svg_close(c);
}

const char *plan_svg_bytes(char text[LOOM_DRAW_BYTES], u64 bytes)
{
	static const char units[] = "KMGTPE";
	u64 tenths;
	u32 unit = 1;

	if (bytes < 1024) {
		snprintf(text, LOOM_DRAW_BYTES, "%u B", (u32)bytes);
		return text;
	}
	while (unit < 6 && bytes >> 10 * (unit + 1))
		unit++;
	tenths = (u64)(((__uint128_t)bytes * 10 + (1ULL << (10 * unit - 1))) >> 10 * unit);
	snprintf(text, LOOM_DRAW_BYTES, "%llu.%u %ciB", (unsigned long long)(tenths / 10),
		 (u32)(tenths % 10), units[unit - 1]);
	return text;
}

u64 plan_svg_capacity(const struct plan_svg *c)
{
	const struct drm_loom_chip_region *sram = &c->chip->region[DRM_LOOM_REGION_SRAM];

	return sram->bank_bytes - sram->reserved_bytes;
}

void plan_svg_address_axis(const struct plan_svg *c, const struct plan_svg_panel *panel,
			   unsigned int most)
{
	const u64 step = loom_draw_step_bytes(panel->scale_bytes, most);
	char text[LOOM_DRAW_BYTES];
	u64 at = 0;

	for (;;) {
		int64_t y = plan_svg_y(panel, at);

		plan_svg_line(c, "g", SVG_LEFT - 5 * PX, y, SVG_RIGHT, y);
		loom_draw_text(c->out, "a e", SVG_LEFT - 9 * PX, y + 4 * PX,
			       loom_draw_address(text, at, step));
		if (panel->scale_bytes - at < step)
			break;
		at += step;
	}
}

void plan_svg_time_axis(const struct plan_svg *c)
{
	const u32 step = (u32)loom_draw_step(c->count, 16);
	u32 at = (c->first + step - 1) / step * step;
	char text[16];

	for (; at <= c->first + c->count; at += step) {
		int64_t x = plan_svg_x(c, at);

		plan_svg_line(c, "g", x, SVG_SRAM_BOTTOM, x, SVG_SRAM_BOTTOM + 5 * PX);
		plan_svg_line(c, "g", x, SVG_DRAM_BOTTOM, x, SVG_DRAM_BOTTOM + 5 * PX);
		snprintf(text, sizeof(text), "%u", at);
		loom_draw_text(c->out, "a m", x, SVG_SRAM_BOTTOM + 18 * PX, text);
		loom_draw_text(c->out, "a m", x, SVG_DRAM_BOTTOM + 18 * PX, text);
	}
	loom_draw_text(c->out, "a m", (SVG_LEFT + SVG_RIGHT) / 2, SVG_DRAM_BOTTOM + 40 * PX,
		       "step");
}

void plan_svg_words(const struct plan_svg *c)
{
	const struct drm_loom_chip_region *sram = &c->chip->region[DRM_LOOM_REGION_SRAM];
	const struct loom_program_stats *stats = &c->program->stats;
	char a[LOOM_DRAW_BYTES], b[LOOM_DRAW_BYTES], e[LOOM_DRAW_BYTES], f[LOOM_DRAW_BYTES];
	char text[400], part[64] = "";

	if (c->options->title)
		loom_draw_text(c->out, "t", SVG_LEFT, 28 * PX, c->options->title);
	snprintf(text, sizeof(text),
		 "%llu nodes in %u groups, %llu steps, %llu thousand cycles; DRAM %s read, %s written; %s: %u lanes of %s SRAM, %s of each alive at once",
		 (unsigned long long)stats->nodes, c->program->num_groups,
		 (unsigned long long)stats->steps, (unsigned long long)(stats->cycles / 1000),
		 plan_svg_bytes(a, stats->dram_read_bytes),
		 plan_svg_bytes(b, stats->dram_write_bytes), c->chip->name, sram->banks,
		 plan_svg_bytes(e, plan_svg_capacity(c)),
		 plan_svg_bytes(f, stats->sram_peak_bytes));
	loom_draw_text(c->out, "s", SVG_LEFT, 50 * PX, text);
	if (c->num_shown < c->num_there)
		snprintf(part, sizeof(part), "the largest %u of %u tensors; ", c->num_shown,
			 c->num_there);
	if (sram->sub_banks > 1)
		snprintf(text, sizeof(text),
			 "%s%u conflict sub-banks (dotted): both streams are in one of them in %llu steps (red)",
			 part, sram->sub_banks, (unsigned long long)stats->conflict_steps);
	else
		snprintf(text, sizeof(text), "%sno conflict sub-banks", part);
	loom_draw_text(c->out, "s", SVG_LEFT, 69 * PX, text);
}
