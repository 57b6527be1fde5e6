// SPDX-License-Identifier: MIT
#include "svg.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_core.h"
#include "place/problem.h"

/**
 * DOC: Pictures of placements
 *
 * The upper panel shows time against address: each item is a rectangle, with its name where that is
 * readable. In a gap of an item its outline continues as a dashed line. The lower panel shows the
 * bytes alive at each moment, a lower bound on the height, and the top of the bytes in use: the
 * white between the two is lost to fragmentation. A dotted line marks the moment with the most
 * bytes alive, which gives the bound.
 *
 * Colours have no meaning; no two adjacent items have the same one. They are the light ones of Paul
 * Tol's palette: distinguishable with any colour vision, and dark text is readable on them.
 */

/* Number of colours in svg_items.c. */
#define NUM_COLOURS		8
/* With more parts, adjacency is ignored, because finding it is quadratic. */
#define MAX_TOUCH_PARTS		4000

static const char *const style[] = {
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

static int collect(struct place_svg *svg)
{
	struct loom_place_resolved resolved;
	size_t i, kept = 0;
	uint32_t culprit;
	uint64_t top;
	int ret;

	ret = loom_place_resolve_one(&resolved, svg->problem);
	if (!ret)
		ret = loom_place_parts(&resolved.problem, &svg->parts, &svg->num_parts);
	loom_place_resolved_clear(&resolved);
	if (ret)
		return ret;
	for (i = 0; i < svg->num_parts; i++) {
		const struct loom_place_part *part = &svg->parts[i];

		if (!place_svg_in_pool(svg, part->item))
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
 * struct reach - top of a part
 * @top: its top
 * @part: its index
 */
struct reach {
	uint64_t top;
	size_t part;
};

static int compare_reaches(const void *a, const void *b)
{
	const struct reach *x = a, *y = b;

	if (x->top != y->top)
		return x->top < y->top ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

/* First moment from @at on without a top, by union-find with path compression over @next. */
static size_t next_moment(size_t *next, size_t at)
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

/* Parts are visited by descending top, so each moment is set once: by its highest part. */
static int find_tops(struct place_svg *svg)
{
	const size_t count = svg->profile.num_moments;
	struct reach *order;
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
	qsort(order, svg->num_parts, sizeof(*order), compare_reaches);
	for (i = 0; i < svg->num_parts; i++) {
		const struct loom_place_part *part = &svg->parts[order[i].part];

		at = next_moment(next, loom_place_profile_find(&svg->profile, part->lower));
		end = loom_place_profile_find(&svg->profile, part->upper);
		while (at < end) {
			svg->tops[at] = order[i].top;
			next[at] = at + 1;
			at = next_moment(next, at);
		}
	}
	ret = 0;
out:
	free(order);
	free(next);
	return ret;
}

static bool touches(const struct place_svg *svg, const struct loom_place_part *a,
		    const struct loom_place_part *b)
{
	const uint64_t x = svg->result->offsets[a->item] + a->first;
	const uint64_t y = svg->result->offsets[b->item] + b->first;

	return a->lower <= b->upper && b->lower <= a->upper && x <= y + b->size_bytes &&
	       y <= x + a->size_bytes;
}

/* Greedy colouring: the first colour, from item number on, that no earlier adjacent item has. */
static int choose_colours(struct place_svg *svg)
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
		for (j = 0; j < i && svg->num_parts <= MAX_TOUCH_PARTS; j++)
			if (touches(svg, &svg->parts[i], &svg->parts[j]))
				taken |= 1U << svg->colours[svg->parts[j].item];
		colour = svg->parts[i].item % NUM_COLOURS;
		for (turn = 0; turn < NUM_COLOURS && taken & 1U << colour; turn++)
			colour = (colour + 1) % NUM_COLOURS;
		svg->colours[svg->parts[i].item] = colour;
	}
	return 0;
}

static void set_scale(struct place_svg *svg)
{
	const uint64_t capacity = place_svg_capacity(svg), height = place_svg_top(svg);
	const struct loom_place_profile *profile = &svg->profile;

	svg->begin = profile->num_moments ? profile->moments[0] : 0;
	svg->span = 1;
	if (profile->num_moments)
		svg->span = (uint64_t)profile->moments[profile->num_moments - 1] -
			    (uint64_t)svg->begin;
	svg->scale_bytes = height > place_svg_bound(svg) ? height : place_svg_bound(svg);
	/* a capacity far above would flatten the picture, so then only the text mentions it */
	if (capacity > svg->scale_bytes && capacity - svg->scale_bytes <= svg->scale_bytes / 4)
		svg->scale_bytes = capacity;
	if (!svg->scale_bytes)
		svg->scale_bytes = 1;
}

static void draw_steps(const struct place_svg *svg, const char *class, const uint64_t *bytes)
{
	const struct loom_place_profile *profile = &svg->profile;
	int64_t x, y, last = SVG_PROFILE_BOTTOM;
	size_t i;

	fprintf(svg->out, "<path class=\"%s\" d=\"M", class);
	loom_draw_length(svg->out, SVG_LEFT);
	fputc(' ', svg->out);
	loom_draw_length(svg->out, last);
	for (i = 0; i < profile->num_moments; i++) {
		y = place_svg_y(svg, bytes[i], SVG_PROFILE_TOP, SVG_PROFILE_BOTTOM);
		x = place_svg_x(svg, profile->moments[i]);
		if (y == last && i + 1 < profile->num_moments)
			continue;
		fputc('H', svg->out);
		loom_draw_length(svg->out, x);
		fputc('V', svg->out);
		loom_draw_length(svg->out, y);
		last = y;
	}
	fputs("\"/>\n", svg->out);
}

static void draw_profile(const struct place_svg *svg)
{
	int64_t x;

	draw_steps(svg, "l", svg->profile.bytes);
	draw_steps(svg, "u", svg->tops);
	if (!svg->profile.num_moments)
		return;
	x = place_svg_x(svg, svg->profile.moments[svg->profile.peak]);
	place_svg_line(svg, "p", x, SVG_TOP, x, SVG_BOTTOM);
	place_svg_line(svg, "p", x, SVG_PROFILE_TOP, x, SVG_PROFILE_BOTTOM);
}

static void draw_nothing(const struct place_svg *svg)
{
	static const char text[] = "nothing to draw: there are no items";

	loom_draw_text(svg->out, "s m", (SVG_LEFT + SVG_RIGHT) / 2, (SVG_TOP + SVG_BOTTOM) / 2,
		       text);
}

static void draw(const struct place_svg *svg)
{
	const uint64_t capacity = place_svg_capacity(svg);

	loom_draw_open(svg->out, SVG_WIDTH, SVG_HEIGHT, style, ARRAY_SIZE(style));
	place_svg_words(svg);
	place_svg_address_axis(svg, SVG_TOP, SVG_BOTTOM, 10);
	place_svg_address_axis(svg, SVG_PROFILE_TOP, SVG_PROFILE_BOTTOM, 3);
	place_svg_time_axis(svg);
	place_svg_items(svg);
	place_svg_aliases(svg);
	place_svg_labels(svg);
	draw_profile(svg);
	place_svg_mark(svg, "b", place_svg_bound(svg));
	if (capacity != LOOM_PLACE_ANYWHERE)
		place_svg_mark(svg, "c", capacity);
	place_svg_frame(svg, SVG_TOP, SVG_BOTTOM);
	place_svg_frame(svg, SVG_PROFILE_TOP, SVG_PROFILE_BOTTOM);
	place_svg_keys(svg);
	if (!svg->num_items)
		draw_nothing(svg);
	fputs("</svg>\n", svg->out);
}

int loom_place_svg(const struct loom_place_problem *problem, const struct loom_place_result *result,
		   const struct loom_place_svg_options *options, char **text, size_t *size_bytes)
{
	static const struct loom_place_svg_options defaults;
	struct place_svg svg = {
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
	ret = collect(&svg);
	if (!ret)
		ret = find_tops(&svg);
	if (!ret)
		ret = choose_colours(&svg);
	if (!ret) {
		set_scale(&svg);
		svg.out = open_memstream(text, size_bytes);
		ret = svg.out ? 0 : -ENOMEM;
	}
	if (!ret) {
		draw(&svg);
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
