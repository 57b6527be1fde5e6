// SPDX-License-Identifier: MIT
/* Scales, axes, marked lines, the texts above a picture of a placement, and the key to it. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

#include "loom_core.h"

uint64_t place_svg_capacity(const struct place_svg *svg)
{
	if (svg->options->pool >= svg->problem->num_pools)
		return LOOM_PLACE_ANYWHERE;
	return svg->problem->pools[svg->options->pool].capacity_bytes;
}

uint64_t place_svg_top(const struct place_svg *svg)
{
	return svg->result->height_bytes[svg->options->pool];
}

uint64_t place_svg_bound(const struct place_svg *svg)
{
	return svg->result->bound_bytes[svg->options->pool];
}

bool place_svg_in_pool(const struct place_svg *svg, uint32_t item)
{
	return (svg->result->pools ? svg->result->pools[item] : 0) == svg->options->pool;
}

int64_t place_svg_x(const struct place_svg *svg, int64_t moment)
{
	const uint64_t since = (uint64_t)moment - (uint64_t)svg->begin;

	return SVG_LEFT +
	       (int64_t)((__uint128_t)since * (SVG_RIGHT - SVG_LEFT) / svg->span);
}

int64_t place_svg_y(const struct place_svg *svg, uint64_t bytes, int64_t top, int64_t bottom)
{
	return bottom - (int64_t)((__uint128_t)bytes * (bottom - top) / svg->scale_bytes);
}

void place_svg_line(const struct place_svg *svg, const char *class, int64_t x1, int64_t y1,
		    int64_t x2, int64_t y2)
{
	fprintf(svg->out, "<path class=\"%s\" d=\"M", class);
	loom_draw_length(svg->out, x1);
	fputc(' ', svg->out);
	loom_draw_length(svg->out, y1);
	if (x1 != x2) {
		fputc('H', svg->out);
		loom_draw_length(svg->out, x2);
	}
	if (y1 != y2) {
		fputc('V', svg->out);
		loom_draw_length(svg->out, y2);
	}
	fputs("\"/>\n", svg->out);
}

void place_svg_address_axis(const struct place_svg *svg, int64_t top, int64_t bottom,
			    unsigned int most)
{
	const uint64_t step = loom_draw_step_bytes(svg->scale_bytes, most);
	char text[LOOM_DRAW_BYTES];
	uint64_t at = 0;
	int64_t y;

	for (;;) {
		y = place_svg_y(svg, at, top, bottom);
		place_svg_line(svg, "g", SVG_LEFT - 5 * PX, y, SVG_RIGHT, y);
		loom_draw_text(svg->out, "a e", SVG_LEFT - 9 * PX, y + 4 * PX,
			       loom_draw_address(text, at, step));
		if (svg->scale_bytes - at < step)
			break;
		at += step;
	}
}

void place_svg_time_axis(const struct place_svg *svg)
{
	const uint64_t step = loom_draw_step(svg->span, 12);
	const __int128_t begin = svg->begin, end = begin + svg->span;
	__int128_t at = begin / (__int128_t)step * (__int128_t)step;
	char text[24];
	int64_t x;

	if (at < begin)
		at += step;
	for (; at <= end; at += step) {
		x = place_svg_x(svg, at);
		place_svg_line(svg, "g", x, SVG_TOP, x, SVG_BOTTOM + 5 * PX);
		place_svg_line(svg, "g", x, SVG_PROFILE_TOP, x,
			       SVG_PROFILE_BOTTOM + 5 * PX);
		snprintf(text, sizeof(text), "%lld", (long long)at);
		loom_draw_text(svg->out, "a m", x, SVG_PROFILE_BOTTOM + 19 * PX, text);
	}
	loom_draw_text(svg->out, "a m", (SVG_LEFT + SVG_RIGHT) / 2,
		       SVG_PROFILE_BOTTOM + 38 * PX,
		       svg->options->time ? svg->options->time : "time");
}

void place_svg_frame(const struct place_svg *svg, int64_t top, int64_t bottom)
{
	const struct loom_draw_box box = { SVG_LEFT, top, SVG_RIGHT - SVG_LEFT, bottom - top };

	loom_draw_rect(svg->out, "f", NULL, &box);
	fputs("/>\n", svg->out);
}

void place_svg_words(const struct place_svg *svg)
{
	const uint64_t height = place_svg_top(svg), bound = place_svg_bound(svg);
	const uint64_t capacity = place_svg_capacity(svg);
	char sum[LOOM_DRAW_BYTES], top[LOOM_DRAW_BYTES], least[LOOM_DRAW_BYTES];
	char room[LOOM_DRAW_BYTES];
	char ratio[48] = "", fit[64] = "", text[320];
	uint64_t thousandths;

	if (svg->options->title)
		loom_draw_text(svg->out, "t", SVG_LEFT, 28 * PX, svg->options->title);
	if (bound && height > bound) {
		/* rounded up, so that a height above the bound never reads 1.000 */
		thousandths = ((__uint128_t)height * 1000 + bound - 1) / bound;
		snprintf(ratio, sizeof(ratio), " (%llu.%03llu times)",
			 (unsigned long long)(thousandths / 1000),
			 (unsigned long long)(thousandths % 1000));
	}
	if (capacity != LOOM_PLACE_ANYWHERE)
		snprintf(fit, sizeof(fit), ", capacity %s", loom_draw_bytes(room, capacity));
	snprintf(text, sizeof(text), "%u items, %s in all; height %s, lower bound %s%s%s%s%s%s",
		 svg->num_items, loom_draw_bytes(sum, svg->sum_bytes), loom_draw_bytes(top, height),
		 loom_draw_bytes(least, bound), ratio, fit,
		 svg->result->strategy ? "; by " : "",
		 svg->result->strategy ? svg->result->strategy : "",
		 svg->result->proved ? ", proved optimal" : "");
	loom_draw_text(svg->out, "s", SVG_LEFT, 52 * PX, text);
}

/* A line across both parts of the picture. */
void place_svg_mark(const struct place_svg *svg, const char *class, uint64_t bytes)
{
	const int64_t y = place_svg_y(svg, bytes, SVG_TOP, SVG_BOTTOM);
	const int64_t low = place_svg_y(svg, bytes, SVG_PROFILE_TOP, SVG_PROFILE_BOTTOM);

	if (bytes > svg->scale_bytes)
		return;
	place_svg_line(svg, class, SVG_LEFT, y, SVG_RIGHT, y);
	place_svg_line(svg, class, SVG_LEFT, low, SVG_RIGHT, low);
}

/**
 * struct key - legend of a line or an area
 * @class: its style
 * @text: its meaning
 */
struct key {
	const char *class;
	const char *text;
};

void place_svg_keys(const struct place_svg *svg)
{
	const uint64_t capacity = place_svg_capacity(svg);
	const struct key keys[] = {
		{ "l", "alive" },
		{ "u", "top of what is in use" },
		{ "b", "lower bound" },
		{ "p", "first moment of the peak" },
		{ capacity <= svg->scale_bytes ? "c" : NULL, "capacity" },
	};
	const int64_t y = SVG_PROFILE_TOP - 14 * PX;
	int64_t x = SVG_LEFT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].class)
			continue;
		if (!i) {
			fprintf(svg->out, "<rect class=\"%s\"", keys[i].class);
			loom_draw_attribute(svg->out, "x", x);
			loom_draw_attribute(svg->out, "y", y - 5 * PX);
			fputs(" width=\"28\" height=\"10\"/>\n", svg->out);
		} else {
			place_svg_line(svg, keys[i].class, x, y, x + 28 * PX, y);
		}
		loom_draw_text(svg->out, "a", x + 34 * PX, y + 4 * PX, keys[i].text);
		x += 34 * PX + (strlen(keys[i].text) * 7 + 24) * PX;
	}
}
