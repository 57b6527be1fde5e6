// SPDX-License-Identifier: MIT
/* Items of a placement as rectangles: outlines, colours, names. */
#include "svg.h"

#include "place/problem.h"

#include <stdio.h>
#include <string.h>

static const char *const colours[] = {
	"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#ddaadd",
};

static const char *item_name(const struct place_svg *svg, uint32_t item, char number[16])
{
	if (svg->options->ids)
		return svg->options->ids[item];
	snprintf(number, 16, "%u", item);
	return number;
}

static struct loom_draw_box find_box(const struct place_svg *svg, int64_t lower, int64_t upper,
				     uint64_t offset, uint64_t size_bytes)
{
	const int64_t left = place_svg_x(svg, lower);
	const int64_t low = place_svg_y(svg, offset, SVG_TOP, SVG_BOTTOM);
	struct loom_draw_box box = {
		.x = left,
		.y = place_svg_y(svg, offset + size_bytes, SVG_TOP, SVG_BOTTOM),
		.width = place_svg_x(svg, upper) - left,
	};

	box.height = low - box.y;
	/* at least a hairline, however small */
	if (box.width < PX / 4)
		box.width = PX / 4;
	if (box.height < PX / 4)
		box.height = PX / 4;
	return box;
}

static void draw_rect(const struct place_svg *svg, const char *class, const char *fill,
		      const struct loom_draw_box *box)
{
	loom_draw_rect(svg->out, class, fill, box);
	fputs("/>", svg->out);
}

static void draw_title(const struct place_svg *svg, uint32_t index)
{
	const struct loom_place_item *item = &svg->problem->items[index];
	const uint64_t offset = svg->result->offsets[index];
	char text[LOOM_DRAW_BYTES], number[16];
	const char *name = item_name(svg, index, number);

	fputs("<title>", svg->out);
	loom_draw_escape(svg->out, name, strlen(name));
	fprintf(svg->out, ": %s (%llu) at %llu to %llu, alive %lld to %lld%s</title>",
		loom_draw_bytes(text, item->size_bytes), (unsigned long long)item->size_bytes,
		(unsigned long long)offset, (unsigned long long)(offset + item->size_bytes),
		(long long)item->lower, (long long)item->upper,
		loom_place_is_fixed(item) ? ", fixed" : "");
}

void place_svg_items(const struct place_svg *svg)
{
	const struct loom_place_part *part;
	const struct loom_place_item *item;
	struct loom_draw_box box;
	uint64_t offset;
	size_t i;

	fputs("<g class=\"i\">\n", svg->out);
	for (i = 0; i < svg->num_parts; i++) {
		part = &svg->parts[i];
		item = &svg->problem->items[part->item];
		offset = svg->result->offsets[part->item];
		if (!i || part[-1].item != part->item) {
			fputs("<g>", svg->out);
			draw_title(svg, part->item);
			if (item->num_gaps) {
				box = find_box(svg, item->lower, item->upper, offset,
					       item->size_bytes);
				draw_rect(svg, "d", NULL, &box);
			}
		}
		box = find_box(svg, part->lower, part->upper, offset + part->first,
			       part->size_bytes);
		/* an outline would hide the colour of a thin rectangle */
		draw_rect(svg, box.height < 3 * PX ? "h" :
			  loom_place_is_fixed(item) ? "x" : "",
			  colours[svg->colours[part->item]], &box);
		if (i + 1 == svg->num_parts || part[1].item != part->item)
			fputs("</g>\n", svg->out);
	}
	fputs("</g>\n", svg->out);
}

static void draw_label(const struct place_svg *svg, uint32_t index,
		       const struct loom_draw_box *box)
{
	const int64_t x = box->x + box->width / 2, y = box->y + box->height / 2;
	const bool tall = box->height > 2 * box->width;
	struct loom_draw_label flat, upright, size;
	char text[LOOM_DRAW_BYTES], number[16];
	const char *name = item_name(svg, index, number);
	bool fits;

	fits = loom_draw_label_fit(&flat, name, box->width, box->height);
	if (tall && (!fits || flat.cut) &&
	    loom_draw_label_fit(&upright, name, box->height, box->width) &&
	    (!fits || !upright.cut)) {
		loom_draw_label_put(svg->out, &upright, "m", x, y, true);
		return;
	}
	if (!fits)
		return;
	loom_draw_bytes(text, svg->problem->items[index].size_bytes);
	if (box->height < 5 * flat.font / 2 ||
	    !loom_draw_label_fit(&size, text, box->width, flat.font * 25 / 24) || size.cut) {
		loom_draw_label_put(svg->out, &flat, "m", x, y, false);
		return;
	}
	loom_draw_label_put(svg->out, &flat, "m", x, y - flat.font * 3 / 5, false);
	loom_draw_label_put(svg->out, &size, "n", x, y + flat.font * 3 / 5, false);
}

/*
 * Must be called after all items are drawn, so that none covers a name; a name goes to the longest
 * part of its item.
 */
void place_svg_labels(const struct place_svg *svg)
{
	const struct loom_place_part *part, *best = NULL;
	struct loom_draw_box box;
	size_t i;

	for (i = 0; i < svg->num_parts; i++) {
		part = &svg->parts[i];
		if (!best || best->item != part->item ||
		    (uint64_t)part->upper - (uint64_t)part->lower >
		    (uint64_t)best->upper - (uint64_t)best->lower)
			best = part;
		if (i + 1 < svg->num_parts && part[1].item == part->item)
			continue;
		box = find_box(svg, best->lower, best->upper,
			       svg->result->offsets[best->item] + best->first,
			       best->size_bytes);
		draw_label(svg, best->item, &box);
	}
}

void place_svg_aliases(const struct place_svg *svg)
{
	const struct loom_place_item *item;
	struct loom_draw_box box;
	uint32_t i;

	fputs("<g class=\"i\">\n", svg->out);
	for (i = 0; i < svg->problem->num_items; i++) {
		item = &svg->problem->items[i];
		if (!loom_place_is_alias(item) || !item->size_bytes ||
		    !place_svg_in_pool(svg, i))
			continue;
		box = find_box(svg, item->lower, item->upper, svg->result->offsets[i],
			       item->size_bytes);
		fputs("<g>", svg->out);
		draw_title(svg, i);
		draw_rect(svg, "d", NULL, &box);
		fputs("</g>\n", svg->out);
	}
	fputs("</g>\n", svg->out);
}
