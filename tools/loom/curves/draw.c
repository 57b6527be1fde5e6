// SPDX-License-Identifier: MIT
/* Curves of a recording as SVG: four panels above each other, on one axis of time. */
#include "curves.h"

#include <stdlib.h>
#include <string.h>

#define LEFT	96
#define RIGHT	1000
#define WIDTH	1200
#define HEIGHT	700

/* Paul Tol's light palette, as in pictures of placements; the last one is for the rest. */
static const char *const colours[CURVES_MOST] = {
	"#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#bbbbbb",
};

/* A part of the picture: its edges, and the value at the upper one, which is not 0. */
struct panel {
	FILE *out;
	const struct curves *curves;
	const char *title;
	int top;
	int bottom;
	uint64_t scale;
};

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, *text >= ' ' && *text <= '~' && !strchr("<>&", *text) ? "%c" : "&#%d;",
			*text >= ' ' && *text <= '~' ? *text : '?');
}

static void put_text(FILE *out, int x, int y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	put_escaped(out, text);
	fputs("</text>\n", out);
}

static int along(const struct curves *curves, uint64_t us)
{
	const uint64_t first = curves->points[0].us;
	const uint64_t span = curves->points[curves->num_points - 1].us - first;

	return LEFT + (int)(span ? (__uint128_t)(us - first) * (RIGHT - LEFT) / span : 0);
}

/* The steps of the sum of @count values from @first on, which is in the first point, as an area. */
static void put_area(const struct panel *panel, const char *fill, const uint64_t *first,
		     uint32_t count)
{
	const struct curves *curves = panel->curves;
	const size_t field = first - (const uint64_t *)curves->points;
	int before = panel->bottom, y;
	const uint64_t *value;
	uint64_t sum;
	uint32_t i;
	size_t at;

	fprintf(panel->out, "<path fill=\"%s\" stroke=\"#333\" d=\"M%d %d", fill, LEFT,
		panel->bottom);
	/* the last point has no successor, and so no width */
	for (at = 0; at + 1 < curves->num_points; at++) {
		value = (const uint64_t *)&curves->points[at] + field;
		for (i = 0, sum = 0; i < count; i++)
			sum += value[i];
		y = panel->bottom - (int)((__uint128_t)sum * (panel->bottom - panel->top) /
					  panel->scale);
		if (y != before)
			fprintf(panel->out, "H%dV%d", along(curves, curves->points[at].us), y);
		before = y;
	}
	fprintf(panel->out, "H%dV%dZ\"/>\n", RIGHT, panel->bottom);
}

/* Areas of all labels above each other: higher ones first, which lower ones cover. */
static void put_stack(const struct panel *panel, const uint64_t *first)
{
	uint32_t i;

	for (i = panel->curves->num_labels; i; i--)
		put_area(panel, colours[i - 1], first, i);
}

static void put_frame(const struct panel *panel)
{
	char text[TOOL_TEXT];
	int i, y;

	put_text(panel->out, LEFT, panel->top - 8, "start", panel->title);
	for (i = 0; i <= 2; i++) {
		y = panel->bottom - i * (panel->bottom - panel->top) / 2;
		fprintf(panel->out, "<path stroke=\"#ccc\" d=\"M%d %dH%d\"/>\n", LEFT, y, RIGHT);
		if (panel->scale == 1000)
			snprintf(text, sizeof(text), "%.1f", i / 2.0);
		else
			tool_bytes(text, panel->scale * i / 2);
		put_text(panel->out, LEFT - 6, y + 4, "end", text);
	}
}

static void put_legend(FILE *out, const struct curves *curves)
{
	char text[TOOL_TEXT], line[2 * TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < curves->num_labels; i++) {
		const struct curve_label *label = &curves->labels[i];
		int y = 80 + 38 * (int)i;

		fprintf(out, "<path fill=\"%s\" stroke=\"#333\" d=\"M%d %dh14v14h-14Z\"/>\n",
			colours[i], RIGHT + 20, y - 12);
		snprintf(line, sizeof(line), "%.22s", label->name);
		put_text(out, RIGHT + 42, y, "start", line);
		snprintf(line, sizeof(line), "%s, %llu of %llu late",
			 tool_bytes(text, label->peak_bytes),
			 (unsigned long long)label->late_buffers,
			 (unsigned long long)label->buffers);
		put_text(out, RIGHT + 42, y + 15, "start", line);
	}
}

static void put_time(FILE *out, const struct curves *curves)
{
	const uint64_t first = curves->points[0].us;
	const uint64_t span = curves->points[curves->num_points - 1].us - first;
	char text[TOOL_TEXT];
	uint64_t us;
	int i;

	for (i = 0; i <= 4; i++) {
		us = first + span / 4 * i + span % 4 * i / 4;
		snprintf(text, sizeof(text), "%.6f s", (double)us / 1e6);
		fprintf(out, "<path stroke=\"#ccc\" d=\"M%d 60V655\"/>\n", along(curves, us));
		put_text(out, along(curves, us), 672, "middle", text);
	}
}

static void draw(FILE *out, const struct curves *curves)
{
	struct panel sizes = { out, curves, "allocated in a bank, by label", 60, 270, 1 };
	struct panel free = { out, curves, "free; darker: largest free block", 310, 410, 1 };
	struct panel gaps = {
		out, curves, "fragmentation: share of the free bytes outside of the largest block",
		450, 520, 1000
	};
	struct panel late = {
		out, curves, "freed late: after the last job of their client, until the free",
		560, 655, 1
	};
	const char *slash = strrchr(curves->name, '/');
	const struct curve_point *first = curves->points;
	size_t at;
	uint32_t i;

	for (at = 0; at < curves->num_points; at++) {
		const struct curve_point *point = &first[at];
		uint64_t sum = 0;

		for (i = 0; i < curves->num_labels; i++)
			sum += point->late_bytes[i];
		late.scale = sum > late.scale ? sum : late.scale;
		free.scale = point->free_bytes > free.scale ? point->free_bytes : free.scale;
		sizes.scale = point->allocated_bytes > sizes.scale ? point->allocated_bytes :
			      sizes.scale;
	}
	/* the capacity, where it does not flatten the curves */
	if (curves->bank_bytes <= 2 * sizes.scale)
		sizes.scale = curves->bank_bytes;
	put_text(out, LEFT, 26, "start", slash ? slash + 1 : curves->name);
	put_time(out, curves);
	put_frame(&sizes);
	put_stack(&sizes, first->bytes);
	put_frame(&free);
	put_area(&free, "#dde8f4", &first->free_bytes, 1);
	put_area(&free, "#77aadd", &first->largest_bytes, 1);
	put_frame(&gaps);
	put_area(&gaps, "#ddaadd", &first->fragmentation, 1);
	put_frame(&late);
	put_stack(&late, first->late_bytes);
	put_legend(out, curves);
}

int curves_draw(const struct curves *curves, const char *path)
{
	char *text;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);
	int ret;

	if (!out)
		return tool_fail("no memory");
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\"", out);
	fprintf(out, " font-size=\"12\" width=\"%d\" height=\"%d\">\n", WIDTH, HEIGHT);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
	if (curves->num_points)
		draw(out, curves);
	else
		put_text(out, LEFT, 40, "start", "nothing to draw: no buffers were recorded");
	fputs("</svg>\n", out);
	ret = fclose(out) ? tool_fail("no memory") : tool_save(path, text, size_bytes);
	free(text);
	return ret;
}
