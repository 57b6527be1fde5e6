// SPDX-License-Identifier: MIT
/* Axes, scales, the lines of text above the picture and the key to its colours. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

#include "build.h"

int64_t plan_svg_at(const struct plan_svg *c, u64 cycle)
{
	u64 first = c->time.begin[c->first], at = cycle < first ? 0 : min(cycle - first, c->cycles);

	return SVG_LEFT + (int64_t)((__uint128_t)at * (SVG_RIGHT - SVG_LEFT) / c->cycles);
}

int64_t plan_svg_x(const struct plan_svg *c, u32 step)
{
	return plan_svg_at(c, c->time.begin[min(step, c->num_steps)]);
}

int64_t plan_svg_y(const struct plan_svg_panel *panel, u64 bytes)
{
	return panel->bottom - (int64_t)((__uint128_t)min(bytes, panel->scale_bytes) *
					 (panel->bottom - panel->top) / panel->scale_bytes);
}

bool plan_svg_is_dram(const struct plan_svg *c, u32 tensor)
{
	return loom_build_in_slot(&c->tensors[tensor]);
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

static const struct {
	u64 ps;
	const char *text;
} svg_units[] = {
	{ 1000000000000, "s" }, { 1000000000, "ms" }, { 1000000, "us" }, { 1000, "ns" },
	{ 1, "ps" },
};

/* The largest unit of which @ps contains at least one. */
static u32 svg_unit(u64 ps)
{
	u32 unit = 0;

	while (svg_units[unit].ps > 1 && svg_units[unit].ps > ps)
		unit++;
	return unit;
}

/* "1.25 ms", with as many decimals as @step_ps needs, into @text. */
static void svg_time(char text[LOOM_DRAW_BYTES], u64 ps, u64 step_ps, u32 unit)
{
	const u64 unit_ps = svg_units[unit].ps;
	u64 rest = ps % unit_ps, scale = unit_ps;
	u32 digits = 0;

	while (scale > step_ps && scale >= 10) {
		scale /= 10;
		digits++;
	}
	if (digits)
		snprintf(text, LOOM_DRAW_BYTES, "%llu.%0*llu %s",
			 (unsigned long long)(ps / unit_ps), (int)digits,
			 (unsigned long long)(rest / scale), svg_units[unit].text);
	else
		snprintf(text, LOOM_DRAW_BYTES, "%llu %s", (unsigned long long)(ps / unit_ps),
			 svg_units[unit].text);
}

/* Marks are at round times, independent of steps. */
void plan_svg_time_axis(const struct plan_svg *c)
{
	const u64 first = loom_timeline_ps(c->chip, c->time.begin[c->first]);
	const u64 last = loom_timeline_ps(c->chip, c->time.begin[c->first] + c->cycles);
	const u64 span = max(last - first, 1ULL), step = loom_draw_step(span, 14);
	char text[LOOM_DRAW_BYTES];
	u64 at = (first + step - 1) / step * step;
	const u32 unit = svg_unit(last);
	u32 i;

	for (; at <= last; at += step) {
		const int64_t bottoms[] = { SVG_BOTH_BOTTOM, SVG_DRAM_BOTTOM };
		int64_t x = SVG_LEFT + (int64_t)((__uint128_t)(at - first) *
						 (SVG_RIGHT - SVG_LEFT) / span);

		svg_time(text, at, step, unit);
		for (i = 0; i < ARRAY_SIZE(bottoms); i++) {
			plan_svg_line(c, "z", x, bottoms[i], x, bottoms[i] + 6 * PX);
			loom_draw_text(c->out, "a m", x, bottoms[i] + 19 * PX, text);
		}
	}
	loom_draw_text(c->out, "a m", (SVG_LEFT + SVG_RIGHT) / 2, SVG_DRAM_BOTTOM + 40 * PX,
		       "time");
}

/* Round numbers where steps are long; of those that would overlap, the first. */
void plan_svg_step_axis(const struct plan_svg *c)
{
	const u32 step = (u32)loom_draw_step(c->count, 24);
	u32 at = (c->first + step - 1) / step * step;
	int64_t free = 0, x;
	char text[16];

	for (; at <= c->first + c->count; at += step) {
		x = plan_svg_x(c, at);
		snprintf(text, sizeof(text), "%u", at);
		if (x - (int64_t)strlen(text) * 4 * PX < free)
			continue;
		plan_svg_line(c, "z", x, SVG_SRAM_BOTTOM, x, SVG_SRAM_BOTTOM + 6 * PX);
		loom_draw_text(c->out, "a m", x, SVG_SRAM_BOTTOM + 19 * PX, text);
		free = x + ((int64_t)strlen(text) * 4 + 8) * PX;
	}
	loom_draw_text(c->out, "a e", SVG_LEFT - 24 * PX, SVG_SRAM_BOTTOM + 19 * PX, "step");
}

void plan_svg_words(const struct plan_svg *c)
{
	const struct drm_loom_chip_region *sram = &c->chip->region[DRM_LOOM_REGION_SRAM];
	const struct loom_program_stats *stats = &c->program->stats;
	const u64 ps = loom_timeline_ps(c->chip, stats->cycles);
	const u32 unit = svg_unit(ps);
	char a[LOOM_DRAW_BYTES], b[LOOM_DRAW_BYTES];
	char text[400], part[64] = "";

	if (c->options->title)
		loom_draw_text(c->out, "t", SVG_LEFT, 28 * PX, c->options->title);
	svg_time(a, ps, max(svg_units[unit].ps / 1000, 1ULL), unit);
	snprintf(text, sizeof(text),
		 "%llu nodes in %u group%s, %llu steps, %llu cycles: %s at %llu MHz",
		 (unsigned long long)stats->nodes, c->program->num_groups,
		 c->program->num_groups == 1 ? "" : "s",
		 (unsigned long long)stats->steps, (unsigned long long)stats->cycles, a,
		 (unsigned long long)(c->chip->frequency_hz / 1000000));
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "; DRAM %s read, %s written",
		 plan_svg_bytes(a, stats->dram_read_bytes),
		 plan_svg_bytes(b, stats->dram_write_bytes));
	loom_draw_text(c->out, "s", SVG_LEFT, 50 * PX, text);
	if (c->num_shown < c->num_there)
		snprintf(part, sizeof(part), "; the largest %u of %u tensors", c->num_shown,
			 c->num_there);
	snprintf(text, sizeof(text), "%s: %u lanes of %s SRAM, %s of each alive at once%s",
		 c->chip->name, sram->banks, plan_svg_bytes(a, plan_svg_capacity(c)),
		 plan_svg_bytes(b, stats->sram_peak_bytes), part);
	if (sram->sub_banks > 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; %u conflict sub-banks (dotted): both streams are in one of them in %llu step%s (red)",
			 sram->sub_banks, (unsigned long long)stats->conflict_steps,
			 stats->conflict_steps == 1 ? "" : "s");
	loom_draw_text(c->out, "s", SVG_LEFT, 69 * PX, text);
}
