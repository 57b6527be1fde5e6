// SPDX-License-Identifier: MIT
#include "loom_core.h"
#include "svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Pictures of placements
 *
 * Above, time against address: each item a rectangle, with its name where that can be read. Where
 * an item has a gap, its outline goes on in dashes. Below, what is alive at each moment, which no
 * placement can go below, and the top of what is in use: the white between the two is what
 * fragmentation costs, and a dotted line marks the moment that decides.
 *
 * Colours say nothing; they only keep neighbours apart, so that no two that touch have the same
 * one. They are the light ones of Paul Tol's, which people with any colour vision can tell apart
 * and dark text can be read on.
 */

#define PX			LOOM_SVG_PX
#define LOOM_SVG_WIDTH		(1200 * PX)
#define LOOM_SVG_HEIGHT		(760 * PX)
#define LOOM_SVG_LEFT		(88 * PX)
#define LOOM_SVG_RIGHT		(1176 * PX)
#define LOOM_SVG_TOP		(72 * PX)
#define LOOM_SVG_BOTTOM		(552 * PX)
#define LOOM_SVG_PROFILE_TOP	(600 * PX)
#define LOOM_SVG_PROFILE_BOTTOM	(712 * PX)

static const char *const loom_svg_style[] = {
	"text{font-family:sans-serif;fill:#222}",
	".t{font-size:17px;font-weight:bold}",
	".s{font-size:13px;fill:#444}",
	".a{font-size:12px;fill:#444}",
	".e{text-anchor:end}",
	".m,.n{text-anchor:middle;pointer-events:none}",
	".n{fill-opacity:.7}",
	".g{stroke:#ddd;fill:none}",
	".f{stroke:#444;fill:none}",
	".i rect{stroke:#333;stroke-width:.4}",
	".i rect:hover{stroke-width:2}",
	".i .d{fill:none;stroke-dasharray:3 2;stroke-width:.6}",
	".i .x{stroke-width:1.6}",
	".i .h{stroke-width:.1}",
	".b{stroke:#0072b2;stroke-width:1.5;stroke-dasharray:8 4}",
	".c{stroke:#d55e00;stroke-width:1.5}",
	".p{stroke:#222;stroke-dasharray:2 3}",
	".l{fill:#bcd6ea;stroke:#0072b2}",
	".u{fill:none;stroke:#222;stroke-width:1.2}",
};

static const char *const loom_svg_colours[] = {
	"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#ddaadd",
};

#define LOOM_SVG_COLOURS	8
/* With more items, who touches whom is not asked: it takes the square of their number. */
#define LOOM_SVG_MAX_TOUCH	4000

/**
 * struct loom_svg - a picture that is being drawn
 * @out: where to
 * @problem: what was placed
 * @result: where
 * @options: what to say
 * @parts: what is drawn, of one pool
 * @num_parts: number of @parts
 * @profile: of @parts
 * @tops: by moment of @profile: top of what is in use until the next
 * @colours: by item
 * @begin: first moment
 * @span: moments from there to the last, not 0
 * @scale_bytes: address at the upper edge, not 0
 * @num_items: items in the pool
 * @sum_bytes: of their sizes
 */
struct loom_svg {
	FILE *out;
	const struct loom_place_problem *problem;
	const struct loom_place_result *result;
	const struct loom_place_svg_options *options;
	struct loom_place_part *parts;
	size_t num_parts;
	struct loom_place_profile profile;
	uint64_t *tops;
	uint8_t *colours;
	int64_t begin;
	uint64_t span;
	uint64_t scale_bytes;
	uint32_t num_items;
	uint64_t sum_bytes;
};

static uint64_t loom_svg_capacity(const struct loom_svg *svg)
{
	if (svg->options->pool >= svg->problem->num_pools)
		return LOOM_PLACE_ANYWHERE;
	return svg->problem->pools[svg->options->pool].capacity_bytes;
}

static uint64_t loom_svg_top(const struct loom_svg *svg)
{
	return svg->result->height_bytes[svg->options->pool];
}

static uint64_t loom_svg_bound(const struct loom_svg *svg)
{
	return svg->result->bound_bytes[svg->options->pool];
}

static bool loom_svg_in_pool(const struct loom_svg *svg, uint32_t item)
{
	return (svg->result->pools ? svg->result->pools[item] : 0) == svg->options->pool;
}

static const char *loom_svg_name(const struct loom_svg *svg, uint32_t item, char number[16])
{
	if (svg->options->ids)
		return svg->options->ids[item];
	snprintf(number, 16, "%u", item);
	return number;
}

/* --- where things are ------------------------------------------------------------------- */

static int64_t loom_svg_x(const struct loom_svg *svg, int64_t moment)
{
	const uint64_t since = (uint64_t)moment - (uint64_t)svg->begin;

	return LOOM_SVG_LEFT +
	       (int64_t)((__uint128_t)since * (LOOM_SVG_RIGHT - LOOM_SVG_LEFT) / svg->span);
}

static int64_t loom_svg_y(const struct loom_svg *svg, uint64_t bytes, int64_t top, int64_t bottom)
{
	return bottom - (int64_t)((__uint128_t)bytes * (bottom - top) / svg->scale_bytes);
}

/* --- what is drawn ---------------------------------------------------------------------- */

static int loom_svg_collect(struct loom_svg *svg)
{
	size_t i, kept = 0;
	uint32_t culprit;
	uint64_t top;
	int ret;

	ret = loom_place_parts(svg->problem, &svg->parts, &svg->num_parts);
	if (ret)
		return ret;
	for (i = 0; i < svg->num_parts; i++) {
		const struct loom_place_part *part = &svg->parts[i];

		if (!loom_svg_in_pool(svg, part->item))
			continue;
		if (__builtin_add_overflow(svg->result->offsets[part->item],
					   part->first + part->size_bytes, &top) || top > INT64_MAX)
			return -ERANGE;
		if (!kept || svg->parts[kept - 1].item != part->item) {
			svg->num_items++;
			svg->sum_bytes += svg->problem->items[part->item].size_bytes;
		}
		svg->parts[kept++] = *part;
	}
	svg->num_parts = kept;
	return loom_place_profile_make(&svg->profile, svg->parts, kept, &culprit);
}

/**
 * struct loom_svg_reach - how far up a part reaches
 * @top: its top
 * @part: its index
 */
struct loom_svg_reach {
	uint64_t top;
	size_t part;
};

static int loom_svg_reach_compare(const void *a, const void *b)
{
	const struct loom_svg_reach *x = a, *y = b;

	if (x->top != y->top)
		return x->top < y->top ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

/* First moment from @at on that has no top yet; @next is a forest that points there. */
static size_t loom_svg_next(size_t *next, size_t at)
{
	size_t end = at, step;

	while (next[end] != end)
		end = next[end];
	for (; at != end; at = step) {
		step = next[at];
		next[at] = end;
	}
	return end;
}

/* From the highest part down, each moment is painted once, whatever lies below. */
static int loom_svg_find_tops(struct loom_svg *svg)
{
	const size_t count = svg->profile.num_moments;
	struct loom_svg_reach *order;
	size_t *next, i, at, end;
	int ret = -ENOMEM;

	order = calloc(svg->num_parts + 1, sizeof(*order));
	next = calloc(count + 1, sizeof(*next));
	svg->tops = calloc(count + 1, sizeof(*svg->tops));
	if (!order || !next || !svg->tops)
		goto out;
	for (i = 0; i <= count; i++)
		next[i] = i;
	for (i = 0; i < svg->num_parts; i++) {
		order[i].part = i;
		order[i].top = svg->result->offsets[svg->parts[i].item] + svg->parts[i].first +
			       svg->parts[i].size_bytes;
	}
	qsort(order, svg->num_parts, sizeof(*order), loom_svg_reach_compare);
	for (i = 0; i < svg->num_parts; i++) {
		const struct loom_place_part *part = &svg->parts[order[i].part];

		at = loom_svg_next(next, loom_place_profile_find(&svg->profile, part->lower));
		end = loom_place_profile_find(&svg->profile, part->upper);
		while (at < end) {
			svg->tops[at] = order[i].top;
			next[at] = at + 1;
			at = loom_svg_next(next, at);
		}
	}
	ret = 0;
out:
	free(order);
	free(next);
	return ret;
}

static bool loom_svg_touch(const struct loom_svg *svg, const struct loom_place_part *a,
			   const struct loom_place_part *b)
{
	const uint64_t x = svg->result->offsets[a->item] + a->first;
	const uint64_t y = svg->result->offsets[b->item] + b->first;

	return a->lower <= b->upper && b->lower <= a->upper && x <= y + b->size_bytes &&
	       y <= x + a->size_bytes;
}

/* The first colour, in turn, that no neighbour before has; parts of one item have one colour. */
static int loom_svg_colour(struct loom_svg *svg)
{
	unsigned int taken, colour, turn;
	size_t i, j;

	svg->colours = calloc(svg->problem->num_items + 1ULL, 1);
	if (!svg->colours)
		return -ENOMEM;
	for (i = 0; i < svg->num_parts; i++) {
		if (i && svg->parts[i].item == svg->parts[i - 1].item)
			continue;
		taken = 0;
		for (j = 0; j < i && svg->num_parts <= LOOM_SVG_MAX_TOUCH; j++)
			if (loom_svg_touch(svg, &svg->parts[i], &svg->parts[j]))
				taken |= 1U << svg->colours[svg->parts[j].item];
		colour = svg->parts[i].item % LOOM_SVG_COLOURS;
		for (turn = 0; turn < LOOM_SVG_COLOURS && taken & 1U << colour; turn++)
			colour = (colour + 1) % LOOM_SVG_COLOURS;
		svg->colours[svg->parts[i].item] = colour;
	}
	return 0;
}

static void loom_svg_set_scale(struct loom_svg *svg)
{
	const uint64_t capacity = loom_svg_capacity(svg), height = loom_svg_top(svg);
	const struct loom_place_profile *profile = &svg->profile;

	svg->begin = profile->num_moments ? profile->moments[0] : 0;
	svg->span = 1;
	if (profile->num_moments)
		svg->span = (uint64_t)profile->moments[profile->num_moments - 1] -
			    (uint64_t)svg->begin;
	svg->scale_bytes = height > loom_svg_bound(svg) ? height : loom_svg_bound(svg);
	/* a capacity far above would leave the rest flat; it is said in words then */
	if (capacity > svg->scale_bytes && capacity - svg->scale_bytes <= svg->scale_bytes / 4)
		svg->scale_bytes = capacity;
	if (!svg->scale_bytes)
		svg->scale_bytes = 1;
}

/* --- axes, lines and words -------------------------------------------------------------- */

static void loom_svg_line(const struct loom_svg *svg, const char *class, int64_t x1, int64_t y1,
			  int64_t x2, int64_t y2)
{
	fprintf(svg->out, "<path class=\"%s\" d=\"M", class);
	loom_svg_length(svg->out, x1);
	fputc(' ', svg->out);
	loom_svg_length(svg->out, y1);
	if (x1 != x2) {
		fputc('H', svg->out);
		loom_svg_length(svg->out, x2);
	}
	if (y1 != y2) {
		fputc('V', svg->out);
		loom_svg_length(svg->out, y2);
	}
	fputs("\"/>\n", svg->out);
}

static void loom_svg_text(const struct loom_svg *svg, const char *class, int64_t x, int64_t y,
			  const char *text)
{
	fprintf(svg->out, "<text class=\"%s\"", class);
	loom_svg_attribute(svg->out, "x", x);
	loom_svg_attribute(svg->out, "y", y);
	fputc('>', svg->out);
	loom_svg_escape(svg->out, text, strlen(text));
	fputs("</text>\n", svg->out);
}

static void loom_svg_address_axis(const struct loom_svg *svg, int64_t top, int64_t bottom,
				  unsigned int most)
{
	const uint64_t step = loom_svg_step_bytes(svg->scale_bytes, most);
	char text[LOOM_SVG_BYTES];
	uint64_t at = 0;
	int64_t y;

	for (;;) {
		y = loom_svg_y(svg, at, top, bottom);
		loom_svg_line(svg, "g", LOOM_SVG_LEFT - 5 * PX, y, LOOM_SVG_RIGHT, y);
		if (step % 1024)
			snprintf(text, sizeof(text), "%llu B", (unsigned long long)at);
		else
			loom_svg_bytes(text, at);
		loom_svg_text(svg, "a e", LOOM_SVG_LEFT - 9 * PX, y + 4 * PX, at ? text : "0");
		if (svg->scale_bytes - at < step)
			break;
		at += step;
	}
}

static void loom_svg_time_axis(const struct loom_svg *svg)
{
	const uint64_t step = loom_svg_step(svg->span, 12);
	const __int128_t begin = svg->begin, end = begin + svg->span;
	__int128_t at = begin / (__int128_t)step * (__int128_t)step;
	char text[24];
	int64_t x;

	if (at < begin)
		at += step;
	for (; at <= end; at += step) {
		x = loom_svg_x(svg, at);
		loom_svg_line(svg, "g", x, LOOM_SVG_TOP, x, LOOM_SVG_BOTTOM + 5 * PX);
		loom_svg_line(svg, "g", x, LOOM_SVG_PROFILE_TOP, x,
			      LOOM_SVG_PROFILE_BOTTOM + 5 * PX);
		snprintf(text, sizeof(text), "%lld", (long long)at);
		loom_svg_text(svg, "a m", x, LOOM_SVG_PROFILE_BOTTOM + 19 * PX, text);
	}
	loom_svg_text(svg, "a m", (LOOM_SVG_LEFT + LOOM_SVG_RIGHT) / 2,
		      LOOM_SVG_PROFILE_BOTTOM + 38 * PX,
		      svg->options->time ? svg->options->time : "time");
}

static void loom_svg_frame(const struct loom_svg *svg, int64_t top, int64_t bottom)
{
	fputs("<rect class=\"f\"", svg->out);
	loom_svg_attribute(svg->out, "x", LOOM_SVG_LEFT);
	loom_svg_attribute(svg->out, "y", top);
	loom_svg_attribute(svg->out, "width", LOOM_SVG_RIGHT - LOOM_SVG_LEFT);
	loom_svg_attribute(svg->out, "height", bottom - top);
	fputs("/>\n", svg->out);
}

static void loom_svg_words(const struct loom_svg *svg)
{
	const uint64_t height = loom_svg_top(svg), bound = loom_svg_bound(svg);
	const uint64_t capacity = loom_svg_capacity(svg);
	char sum[LOOM_SVG_BYTES], top[LOOM_SVG_BYTES], least[LOOM_SVG_BYTES], room[LOOM_SVG_BYTES];
	char ratio[48] = "", fit[64] = "", text[320];
	uint64_t thousandths;

	if (svg->options->title)
		loom_svg_text(svg, "t", LOOM_SVG_LEFT, 28 * PX, svg->options->title);
	if (bound && height > bound) {
		/* rounded up: what is above the bound must not read 1.000 */
		thousandths = ((__uint128_t)height * 1000 + bound - 1) / bound;
		snprintf(ratio, sizeof(ratio), " (%llu.%03llu times)",
			 (unsigned long long)(thousandths / 1000),
			 (unsigned long long)(thousandths % 1000));
	}
	if (capacity != LOOM_PLACE_ANYWHERE)
		snprintf(fit, sizeof(fit), ", capacity %s", loom_svg_bytes(room, capacity));
	snprintf(text, sizeof(text), "%u items, %s in all; height %s, lower bound %s%s%s%s%s%s",
		 svg->num_items, loom_svg_bytes(sum, svg->sum_bytes), loom_svg_bytes(top, height),
		 loom_svg_bytes(least, bound), ratio, fit,
		 svg->result->strategy ? "; by " : "",
		 svg->result->strategy ? svg->result->strategy : "",
		 svg->result->proved ? ", proved optimal" : "");
	loom_svg_text(svg, "s", LOOM_SVG_LEFT, 52 * PX, text);
}

/* A line across both parts of the picture. */
static void loom_svg_mark(const struct loom_svg *svg, const char *class, uint64_t bytes)
{
	const int64_t y = loom_svg_y(svg, bytes, LOOM_SVG_TOP, LOOM_SVG_BOTTOM);
	const int64_t low = loom_svg_y(svg, bytes, LOOM_SVG_PROFILE_TOP, LOOM_SVG_PROFILE_BOTTOM);

	if (bytes > svg->scale_bytes)
		return;
	loom_svg_line(svg, class, LOOM_SVG_LEFT, y, LOOM_SVG_RIGHT, y);
	loom_svg_line(svg, class, LOOM_SVG_LEFT, low, LOOM_SVG_RIGHT, low);
}

/**
 * struct loom_svg_key - what a line or an area means
 * @class: how it is drawn
 * @text: what it is
 */
struct loom_svg_key {
	const char *class;
	const char *text;
};

static void loom_svg_keys(const struct loom_svg *svg)
{
	const uint64_t capacity = loom_svg_capacity(svg);
	const struct loom_svg_key keys[] = {
		{ "l", "alive" },
		{ "u", "top of what is in use" },
		{ "b", "lower bound" },
		{ "p", "first moment of the peak" },
		{ capacity <= svg->scale_bytes ? "c" : NULL, "capacity" },
	};
	const int64_t y = LOOM_SVG_PROFILE_TOP - 14 * PX;
	int64_t x = LOOM_SVG_LEFT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].class)
			continue;
		if (!i) {
			fprintf(svg->out, "<rect class=\"%s\"", keys[i].class);
			loom_svg_attribute(svg->out, "x", x);
			loom_svg_attribute(svg->out, "y", y - 5 * PX);
			fputs(" width=\"28\" height=\"10\"/>\n", svg->out);
		} else {
			loom_svg_line(svg, keys[i].class, x, y, x + 28 * PX, y);
		}
		loom_svg_text(svg, "a", x + 34 * PX, y + 4 * PX, keys[i].text);
		x += 34 * PX + (strlen(keys[i].text) * 7 + 24) * PX;
	}
}

/* --- items ------------------------------------------------------------------------------ */

/**
 * struct loom_svg_box - a rectangle on the paper
 * @x: left edge
 * @y: upper edge
 * @width: of it
 * @height: of it
 */
struct loom_svg_box {
	int64_t x;
	int64_t y;
	int64_t width;
	int64_t height;
};

static struct loom_svg_box loom_svg_box(const struct loom_svg *svg, int64_t lower, int64_t upper,
					uint64_t offset, uint64_t size_bytes)
{
	const int64_t left = loom_svg_x(svg, lower);
	const int64_t low = loom_svg_y(svg, offset, LOOM_SVG_TOP, LOOM_SVG_BOTTOM);
	struct loom_svg_box box = {
		.x = left,
		.y = loom_svg_y(svg, offset + size_bytes, LOOM_SVG_TOP, LOOM_SVG_BOTTOM),
		.width = loom_svg_x(svg, upper) - left,
	};

	box.height = low - box.y;
	/* something of it has to be seen */
	if (box.width < PX / 4)
		box.width = PX / 4;
	if (box.height < PX / 4)
		box.height = PX / 4;
	return box;
}

static void loom_svg_rect(const struct loom_svg *svg, const char *class, const char *fill,
			  const struct loom_svg_box *box)
{
	fputs("<rect", svg->out);
	if (*class)
		fprintf(svg->out, " class=\"%s\"", class);
	if (fill)
		fprintf(svg->out, " fill=\"%s\"", fill);
	loom_svg_attribute(svg->out, "x", box->x);
	loom_svg_attribute(svg->out, "y", box->y);
	loom_svg_attribute(svg->out, "width", box->width);
	loom_svg_attribute(svg->out, "height", box->height);
	fputs("/>", svg->out);
}

static void loom_svg_item_title(const struct loom_svg *svg, uint32_t index)
{
	const struct loom_place_item *item = &svg->problem->items[index];
	const uint64_t offset = svg->result->offsets[index];
	char text[LOOM_SVG_BYTES], number[16];
	const char *name = loom_svg_name(svg, index, number);

	fputs("<title>", svg->out);
	loom_svg_escape(svg->out, name, strlen(name));
	fprintf(svg->out, ": %s (%llu) at %llu to %llu, alive %lld to %lld%s</title>",
		loom_svg_bytes(text, item->size_bytes), (unsigned long long)item->size_bytes,
		(unsigned long long)offset, (unsigned long long)(offset + item->size_bytes),
		(long long)item->lower, (long long)item->upper,
		item->fixed == LOOM_PLACE_ANYWHERE ? "" : ", fixed");
}

static void loom_svg_items(const struct loom_svg *svg)
{
	const struct loom_place_part *part;
	const struct loom_place_item *item;
	struct loom_svg_box box;
	uint64_t offset;
	size_t i;

	fputs("<g class=\"i\">\n", svg->out);
	for (i = 0; i < svg->num_parts; i++) {
		part = &svg->parts[i];
		item = &svg->problem->items[part->item];
		offset = svg->result->offsets[part->item];
		if (!i || part[-1].item != part->item) {
			fputs("<g>", svg->out);
			loom_svg_item_title(svg, part->item);
			if (item->num_gaps) {
				box = loom_svg_box(svg, item->lower, item->upper, offset,
						   item->size_bytes);
				loom_svg_rect(svg, "d", NULL, &box);
			}
		}
		box = loom_svg_box(svg, part->lower, part->upper, offset + part->first,
				   part->size_bytes);
		/* where all is thin, outlines would be all there is to see */
		loom_svg_rect(svg, box.height < 3 * PX ? "h" :
			      item->fixed == LOOM_PLACE_ANYWHERE ? "" : "x",
			      loom_svg_colours[svg->colours[part->item]], &box);
		if (i + 1 == svg->num_parts || part[1].item != part->item)
			fputs("</g>\n", svg->out);
	}
	fputs("</g>\n", svg->out);
}

static void loom_svg_label(const struct loom_svg *svg, uint32_t index,
			   const struct loom_svg_box *box)
{
	const int64_t x = box->x + box->width / 2, y = box->y + box->height / 2;
	const bool tall = box->height > 2 * box->width;
	struct loom_svg_label flat, upright, size;
	char text[LOOM_SVG_BYTES], number[16];
	const char *name = loom_svg_name(svg, index, number);
	bool fits;

	fits = loom_svg_label_fit(&flat, name, box->width, box->height);
	if (tall && (!fits || flat.cut) &&
	    loom_svg_label_fit(&upright, name, box->height, box->width) &&
	    (!fits || !upright.cut)) {
		loom_svg_label_put(svg->out, &upright, "m", x, y, true);
		return;
	}
	if (!fits)
		return;
	loom_svg_bytes(text, svg->problem->items[index].size_bytes);
	if (box->height < 5 * flat.font / 2 ||
	    !loom_svg_label_fit(&size, text, box->width, flat.font * 25 / 24) || size.cut) {
		loom_svg_label_put(svg->out, &flat, "m", x, y, false);
		return;
	}
	loom_svg_label_put(svg->out, &flat, "m", x, y - flat.font * 3 / 5, false);
	loom_svg_label_put(svg->out, &size, "n", x, y + flat.font * 3 / 5, false);
}

/* Over the items, so that none is covered; each in the longest part of its item. */
static void loom_svg_labels(const struct loom_svg *svg)
{
	const struct loom_place_part *part, *best = NULL;
	struct loom_svg_box box;
	size_t i;

	for (i = 0; i < svg->num_parts; i++) {
		part = &svg->parts[i];
		if (!best || best->item != part->item ||
		    (uint64_t)part->upper - (uint64_t)part->lower >
		    (uint64_t)best->upper - (uint64_t)best->lower)
			best = part;
		if (i + 1 < svg->num_parts && part[1].item == part->item)
			continue;
		box = loom_svg_box(svg, best->lower, best->upper,
				   svg->result->offsets[best->item] + best->first,
				   best->size_bytes);
		loom_svg_label(svg, best->item, &box);
	}
}

/* Results computed in place: an outline in their owner. */
static void loom_svg_aliases(const struct loom_svg *svg)
{
	const struct loom_place_item *item;
	struct loom_svg_box box;
	uint32_t i;

	fputs("<g class=\"i\">\n", svg->out);
	for (i = 0; i < svg->problem->num_items; i++) {
		item = &svg->problem->items[i];
		if (item->alias == LOOM_PLACE_NONE || !item->size_bytes ||
		    !loom_svg_in_pool(svg, i))
			continue;
		box = loom_svg_box(svg, item->lower, item->upper, svg->result->offsets[i],
				   item->size_bytes);
		fputs("<g>", svg->out);
		loom_svg_item_title(svg, i);
		loom_svg_rect(svg, "d", NULL, &box);
		fputs("</g>\n", svg->out);
	}
	fputs("</g>\n", svg->out);
}

/* --- what is alive, and the top --------------------------------------------------------- */

static void loom_svg_steps(const struct loom_svg *svg, const char *class, const uint64_t *bytes)
{
	const struct loom_place_profile *profile = &svg->profile;
	int64_t x, y, last = LOOM_SVG_PROFILE_BOTTOM;
	size_t i;

	fprintf(svg->out, "<path class=\"%s\" d=\"M", class);
	loom_svg_length(svg->out, LOOM_SVG_LEFT);
	fputc(' ', svg->out);
	loom_svg_length(svg->out, last);
	for (i = 0; i < profile->num_moments; i++) {
		y = loom_svg_y(svg, bytes[i], LOOM_SVG_PROFILE_TOP, LOOM_SVG_PROFILE_BOTTOM);
		x = loom_svg_x(svg, profile->moments[i]);
		if (y == last && i + 1 < profile->num_moments)
			continue;
		fputc('H', svg->out);
		loom_svg_length(svg->out, x);
		fputc('V', svg->out);
		loom_svg_length(svg->out, y);
		last = y;
	}
	fputs("\"/>\n", svg->out);
}

static void loom_svg_profile(const struct loom_svg *svg)
{
	int64_t x;

	loom_svg_steps(svg, "l", svg->profile.bytes);
	loom_svg_steps(svg, "u", svg->tops);
	if (!svg->profile.num_moments)
		return;
	x = loom_svg_x(svg, svg->profile.moments[svg->profile.peak]);
	loom_svg_line(svg, "p", x, LOOM_SVG_TOP, x, LOOM_SVG_BOTTOM);
	loom_svg_line(svg, "p", x, LOOM_SVG_PROFILE_TOP, x, LOOM_SVG_PROFILE_BOTTOM);
}

static void loom_svg_draw(const struct loom_svg *svg)
{
	const uint64_t capacity = loom_svg_capacity(svg);
	size_t i;

	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0", svg->out);
	fprintf(svg->out, " %d %d\" width=\"%d\" height=\"%d\">\n", LOOM_SVG_WIDTH / PX,
		LOOM_SVG_HEIGHT / PX, LOOM_SVG_WIDTH / PX, LOOM_SVG_HEIGHT / PX);
	fputs("<style>\n", svg->out);
	for (i = 0; i < ARRAY_SIZE(loom_svg_style); i++)
		fprintf(svg->out, "%s\n", loom_svg_style[i]);
	fputs("</style>\n", svg->out);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", svg->out);
	loom_svg_words(svg);
	loom_svg_address_axis(svg, LOOM_SVG_TOP, LOOM_SVG_BOTTOM, 10);
	loom_svg_address_axis(svg, LOOM_SVG_PROFILE_TOP, LOOM_SVG_PROFILE_BOTTOM, 3);
	loom_svg_time_axis(svg);
	loom_svg_items(svg);
	loom_svg_aliases(svg);
	loom_svg_labels(svg);
	loom_svg_profile(svg);
	loom_svg_mark(svg, "b", loom_svg_bound(svg));
	if (capacity != LOOM_PLACE_ANYWHERE)
		loom_svg_mark(svg, "c", capacity);
	loom_svg_frame(svg, LOOM_SVG_TOP, LOOM_SVG_BOTTOM);
	loom_svg_frame(svg, LOOM_SVG_PROFILE_TOP, LOOM_SVG_PROFILE_BOTTOM);
	loom_svg_keys(svg);
	fputs("</svg>\n", svg->out);
}

int loom_place_svg(const struct loom_place_problem *problem, const struct loom_place_result *result,
		   const struct loom_place_svg_options *options, char **text, size_t *size_bytes)
{
	static const struct loom_place_svg_options defaults;
	struct loom_svg svg = {
		.problem = problem,
		.result = result,
		.options = options ? options : &defaults,
	};
	const int saved = errno;
	bool failed;
	int ret;

	*text = NULL;
	if (svg.options->pool >= (result->num_pools ? result->num_pools : 1))
		return -EINVAL;
	ret = loom_svg_collect(&svg);
	if (!ret)
		ret = loom_svg_find_tops(&svg);
	if (!ret)
		ret = loom_svg_colour(&svg);
	if (!ret) {
		loom_svg_set_scale(&svg);
		svg.out = open_memstream(text, size_bytes);
		ret = svg.out ? 0 : -ENOMEM;
	}
	if (!ret) {
		loom_svg_draw(&svg);
		failed = ferror(svg.out);
		if (fclose(svg.out) || failed) {
			free(*text);
			*text = NULL;
			ret = -ENOMEM;
		}
	}
	free(svg.parts);
	free(svg.tops);
	free(svg.colours);
	loom_place_profile_clear(&svg.profile);
	errno = saved;
	return ret;
}
